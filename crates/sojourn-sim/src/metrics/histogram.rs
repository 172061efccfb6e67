//! Distribution of durations in bounded memory.

use super::cells::{Cell, Cells};
use super::fairness::standard_deviation;
use crate::units::Duration;

/// Cells are 100 ns wide or 0.1 % of the value, whichever is more.
const UNIT_NANOS: u64 = 100;

/// Distribution of durations; percentiles are right to 0.1 % or 100 ns.
#[derive(Clone, Debug, Default)]
pub struct DurationHistogram {
    /// 2^10 cells in an octave of units.
    cells: Cells<10>,
    /// Packets that did not wait, until [`DurationHistogram::settle`]: on most links most of them.
    zeros: u64,
    /// In nanoseconds, and of their squares: whole numbers, so that no order of addition matters.
    sum: u128,
    squares: u128,
}

impl DurationHistogram {
    /// Counts one duration.
    #[inline]
    pub fn record(&mut self, duration: Duration) {
        if duration == Duration::ZERO {
            return self.record_zero();
        }
        let nanos = u128::from(duration.as_nanos());
        self.cells.record(duration.as_nanos() / UNIT_NANOS);
        self.sum += nanos;
        self.squares += nanos * nanos;
    }

    /// Counts a duration of zero.
    #[inline]
    pub fn record_zero(&mut self) {
        self.zeros += 1;
    }

    /// Completes the counts. It must be called before any result is read.
    pub fn settle(&mut self) {
        let zeros = std::mem::take(&mut self.zeros);
        // Bound: a cell counts to 2^32 - 1.
        self.cells.record_times(0, u32::try_from(zeros).unwrap_or(u32::MAX));
    }

    /// Mean in milliseconds, exact; NaN if empty.
    pub fn mean_ms(&self) -> f64 {
        self.sum as f64 / 1e6 / self.cells.total() as f64
    }

    /// Standard deviation in milliseconds (n in the denominator), exact; NaN if empty.
    pub fn sd_ms(&self) -> f64 {
        standard_deviation(self.cells.total() as f64, self.sum as f64 / 1e6, self.squares as f64 / 1e12)
    }

    /// The values in milliseconds that these fractions of the durations, in rising order, do not exceed; NaN if empty.
    pub fn quantiles_ms<const N: usize>(&self, fractions: [f64; N]) -> [f64; N] {
        self.cells.quantiles(fractions).map(to_ms)
    }

    /// Longest in milliseconds, to the width of a cell; NaN if empty.
    pub fn max_ms(&self) -> f64 {
        to_ms(self.cells.highest())
    }

    /// Upper edge in milliseconds and count of each cell that is not empty, in order.
    pub fn cells(&self) -> impl Iterator<Item = (f64, u64)> + '_ {
        self.cells.filled().map(|cell| (to_ms(Some(cell)), u64::from(cell.count)))
    }
}

/// The greatest duration of a cell; NaN without one.
fn to_ms(cell: Option<Cell>) -> f64 {
    cell.map_or(f64::NAN, |cell| (cell.high * UNIT_NANOS) as f64 / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_of_a_ramp_are_right_to_a_thousandth() {
        let mut histogram = DurationHistogram::default();
        for micros in 1..=10_000 {
            histogram.record(Duration::from_micros(micros));
        }
        histogram.settle();

        assert!((histogram.mean_ms() - 5.0005).abs() < 1e-9);
        // For the whole numbers from 1 to n: sqrt((n^2 - 1) / 12).
        assert!((histogram.sd_ms() - libm::sqrt((1e8 - 1.0) / 12.0) / 1e3).abs() < 1e-9);
        let [median, last] = histogram.quantiles_ms([0.5, 0.99]);
        assert!((median - 5.0).abs() < 0.006);
        assert!((last - 9.9).abs() < 0.011);
        assert!((histogram.max_ms() - 10.0).abs() < 0.011);
    }

    #[test]
    fn an_empty_distribution_has_no_quantiles() {
        assert!(DurationHistogram::default().quantiles_ms([0.5])[0].is_nan());
        assert!(DurationHistogram::default().mean_ms().is_nan());
        assert!(DurationHistogram::default().sd_ms().is_nan());
    }
}
