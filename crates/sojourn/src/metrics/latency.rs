//! Distribution of durations in a few kilobytes, cheap enough for every packet: log-linear cells, as in HdrHistogram.
//!
//! A duration is a whole number of units of 64 ns ([`Coarse`]). Below 256 units each has a cell of its own; above, every
//! octave has 128 cells. A cell is at most 1/128 of its values wide, so its middle is right to 0.4 %.

use crate::units::Coarse;

/// 2^7 cells in an octave.
const FINE: u32 = 7;
/// Durations with a cell of their own.
const EXACT: u64 = 2 << FINE;

/// Distribution of durations, counted in cells.
#[derive(Clone, Debug, Default)]
pub struct Latencies {
    /// As far as there is anything. Bound: a cell counts to 2^32 - 1, which takes a day at 50,000 packets a second and the same delay
    /// for all.
    cells: Vec<u32>,
    /// In units.
    sum: u64,
}

/// The cell that a number of units belongs to.
#[inline(always)]
fn cell_of(units: u64) -> usize {
    // How many of the low bits the cell leaves out.
    let coarse = (units | 1 << FINE).ilog2() - FINE;
    (u64::from(coarse << FINE) + (units >> coarse)) as usize
}

/// The least and the greatest number of units in a cell.
fn bounds(cell: usize) -> (u64, u64) {
    let cell = cell as u64;
    if cell < EXACT {
        return (cell, cell);
    }
    let coarse = (cell >> FINE) - 1;
    let low = (cell - (coarse << FINE)) << coarse;
    (low, low + (1 << coarse) - 1)
}

impl Latencies {
    /// Counts one duration, in units.
    #[inline(always)]
    pub fn record(&mut self, units: u64) {
        self.sum += units;
        let cell = cell_of(units);
        match self.cells.get_mut(cell) {
            Some(count) => *count = count.wrapping_add(1),
            None => self.grow(cell),
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, cell: usize) {
        self.cells.resize(cell + 1, 0);
        self.cells[cell] = 1;
    }

    /// Forgets what was counted.
    pub fn clear(&mut self) {
        self.cells.fill(0);
        self.sum = 0;
    }

    /// Counts what another one has counted, too.
    pub fn merge(&mut self, other: &Latencies) {
        let cells = self.cells.len().max(other.cells.len());
        self.cells.resize(cells, 0);
        for (count, more) in self.cells.iter_mut().zip(&other.cells) {
            *count = count.saturating_add(*more);
        }
        self.sum += other.sum;
    }

    /// How many durations were counted.
    pub fn count(&self) -> u64 {
        self.cells.iter().map(|count| u64::from(*count)).sum()
    }

    /// Mean in seconds, to the 32 ns to which each duration is rounded; NaN if empty.
    pub fn mean(&self) -> f64 {
        Coarse::UNIT_SECS * self.sum as f64 / self.count() as f64
    }

    /// The value in seconds that `fraction` of the durations do not exceed, right to 0.4 % or 64 ns; NaN if empty.
    pub fn quantile(&self, fraction: f64) -> f64 {
        let rank = libm::ceil(fraction * self.count() as f64).max(1.0);
        let mut seen = 0_u64;
        for (cell, count) in self.cells.iter().enumerate() {
            seen += u64::from(*count);
            if seen as f64 >= rank {
                let (low, high) = bounds(cell);
                return Coarse::UNIT_SECS * (low + high) as f64 / 2.0;
            }
        }
        f64::NAN
    }

    /// Greatest value in seconds and count of each cell that is not empty, in order.
    pub fn cells(&self) -> impl Iterator<Item = (f64, u64)> + '_ {
        let filled = self.cells.iter().enumerate().filter(|(_, count)| **count > 0);
        filled.map(|(cell, count)| (Coarse::UNIT_SECS * bounds(cell).1 as f64, u64::from(*count)))
    }

    /// Bytes of memory.
    pub fn footprint(&self) -> u64 {
        (self.cells.capacity() * size_of::<u32>()) as u64
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
    fn cells_follow_each_other_without_a_gap() {
        let mut next = 0;
        for cell in 0..4000 {
            let (low, high) = bounds(cell);
            assert_eq!(low, next, "cell {cell}");
            assert_eq!((cell_of(low), cell_of(high)), (cell, cell));
            // 1/128 of its values wide, or one unit.
            assert!((high + 1 - low) * 128 <= low.max(128), "cell {cell}");
            next = high + 1;
        }
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
        // An hour is 2^36 units: 29 octaves of 128 cells of 4 bytes, and what a growing list has to spare.
        let latencies = of([Duration::from_secs(3600), Duration::ZERO]);
        assert!((latencies.quantile(1.0) / 3600.0 - 1.0).abs() < 0.004);
        assert_eq!(latencies.quantile(0.5).to_bits(), 0.0_f64.to_bits());
        assert!(latencies.footprint() < 32_000);
    }
}
