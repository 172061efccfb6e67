//! Distribution of durations in a few kilobytes, cheap enough for every packet: [log-linear](crate::log_linear) cells.
//!
//! A duration is a whole number of units of 64 ns ([`Coarse`]). Below 256 units each has a cell of its own; above, every
//! octave has 128 cells. A cell is at most 1/128 of its values wide, so its middle is right to 0.4 %.

use super::cells::{Cell, Cells};
use crate::units::Coarse;

/// Distribution of durations, counted in cells.
#[derive(Clone, Debug, Default)]
pub struct Latencies {
    /// 2^7 cells in an octave of units.
    cells: Cells<7>,
    /// In units.
    sum: u64,
}

impl Latencies {
    /// Counts one duration, in units.
    #[inline(always)]
    pub fn record(&mut self, units: u64) {
        self.sum += units;
        self.cells.record(units);
    }

    /// Resets the counts.
    pub fn clear(&mut self) {
        self.cells.clear();
        self.sum = 0;
    }

    /// Adds the counts of another one.
    pub fn merge(&mut self, other: &Latencies) {
        self.cells.merge(&other.cells);
        self.sum += other.sum;
    }

    /// How many durations were counted.
    pub fn count(&self) -> u64 {
        self.cells.total()
    }

    /// Mean in seconds, to the 32 ns to which each duration is rounded; NaN if empty.
    pub fn mean(&self) -> f64 {
        Coarse::UNIT_SECS * self.sum as f64 / self.count() as f64
    }

    /// The value in seconds that `fraction` of the durations do not exceed, right to 0.4 % or 64 ns; NaN if empty.
    pub fn quantile(&self, fraction: f64) -> f64 {
        let [value] = self.quantiles([fraction]);
        value
    }

    /// The quantiles of several fractions, in rising order.
    pub fn quantiles<const N: usize>(&self, fractions: [f64; N]) -> [f64; N] {
        let middle = |cell: Cell| Coarse::UNIT_SECS * (cell.low + cell.high) as f64 / 2.0;
        self.cells.quantiles(fractions).map(|cell| cell.map_or(f64::NAN, middle))
    }

    /// Greatest value in seconds and count of each cell that is not empty, in order.
    pub fn cells(&self) -> impl Iterator<Item = (f64, u64)> + '_ {
        self.cells.filled().map(|cell| (Coarse::UNIT_SECS * cell.high as f64, cell.count.into()))
    }

    /// Middle in seconds and count of each cell that is not empty, in order.
    pub fn middles(&self) -> impl Iterator<Item = (f64, u64)> + '_ {
        self.cells.filled().map(|cell| (Coarse::UNIT_SECS * (cell.low + cell.high) as f64 / 2.0, cell.count.into()))
    }

    /// Bytes of memory.
    pub fn footprint(&self) -> u64 {
        self.cells.footprint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use crate::units::Duration;

    fn of(durations: impl IntoIterator<Item = Duration>) -> Latencies {
        let mut latencies = Latencies::default();
        durations.into_iter().for_each(|duration| latencies.record(Coarse::round(duration)));
        latencies
    }

    #[test]
    fn quantiles_are_those_of_the_sorted_durations_to_half_a_per_cent() {
        let mut rng = Rng::named(1, "latencies");
        let mut nanos: Vec<u64> = (0..100_000).map(|_| (rng.exponential(0.02) * 1e9) as u64).collect();
        let latencies = of(nanos.iter().map(|nanos| Duration::from_nanos(*nanos)));
        nanos.sort_unstable();
        assert_eq!(latencies.count(), 100_000);
        let mean = nanos.iter().sum::<u64>() as f64 / 1e5;
        assert!((latencies.mean() * 1e9 - mean).abs() < 32.0);
        for fraction in [0.01, 0.5, 0.95, 0.99, 0.999, 1.0] {
            let exact = nanos[(fraction * 1e5) as usize - 1] as f64 / 1e9;
            assert!((latencies.quantile(fraction) / exact - 1.0).abs() < 0.005, "{fraction}: {exact}");
        }
    }

    #[test]
    fn what_is_merged_is_what_one_would_have_counted() {
        let millis = |from: u64, to: u64| (from..to).map(Duration::from_millis);
        let (mut one, other, all) = (of(millis(0, 300)), of(millis(300, 900)), of(millis(0, 900)));
        one.merge(&other);
        assert_eq!(one.cells().collect::<Vec<_>>(), all.cells().collect::<Vec<_>>());
        assert!((one.mean() - all.mean()).abs() < 1e-15);
        // The other way round, and with nothing.
        let mut short = Latencies::default();
        short.merge(&all);
        assert_eq!((short.count(), short.quantile(0.5).to_bits()), (900, all.quantile(0.5).to_bits()));
    }

    #[test]
    fn of_nothing_there_is_neither_mean_nor_quantile() {
        let nothing = Latencies::default();
        assert!(nothing.mean().is_nan() && nothing.quantile(0.5).is_nan());
        let mut forgotten = of([Duration::from_secs(1)]);
        forgotten.clear();
        assert!(forgotten.quantile(0.5).is_nan() && forgotten.count() == 0);
    }

    #[test]
    fn long_durations_take_few_cells() {
        // An hour is 2^36 units: 29 octaves of 128 cells of 4 bytes, and the spare room of a growing list.
        let latencies = of([Duration::from_secs(3600), Duration::ZERO]);
        assert!((latencies.quantile(1.0) / 3600.0 - 1.0).abs() < 0.004);
        assert_eq!(latencies.quantile(0.5).to_bits(), 0.0_f64.to_bits());
        assert!(latencies.footprint() < 32_000);
    }
}
