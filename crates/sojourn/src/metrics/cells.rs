//! How often each of many whole numbers came, counted in [log-linear](log_linear) cells: bounded memory, and quantiles that are right to
//! the width of a cell.

use crate::log_linear;

/// Counts of whole numbers; numbers above 2^`FINE` share a cell with those that differ by less than 2^-`FINE` of them.
#[derive(Clone, Debug, Default)]
pub struct Cells<const FINE: u32> {
    /// As far as there is anything. Bound: a cell counts to 2^32 - 1, which takes a day at 50,000 packets a second and the same number
    /// for all.
    counts: Vec<u32>,
}

/// A cell in which something was counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The least number that belongs to it.
    pub low: u64,
    /// The greatest.
    pub high: u64,
    /// How often one of them came.
    pub count: u32,
}

impl<const FINE: u32> Cells<FINE> {
    /// Counts a number.
    #[inline(always)]
    pub fn record(&mut self, number: u64) {
        let cell = log_linear::cell::<FINE>(number) as usize;
        match self.counts.get_mut(cell) {
            Some(count) => *count = count.saturating_add(1),
            None => self.grow(cell),
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, cell: usize) {
        self.counts.resize(cell + 1, 0);
        self.counts[cell] = 1;
    }

    /// Counts a number so often.
    pub fn record_times(&mut self, number: u64, times: u32) {
        let cell = log_linear::cell::<FINE>(number) as usize;
        if times > 0 {
            self.counts.resize(self.counts.len().max(cell + 1), 0);
            self.counts[cell] = self.counts[cell].saturating_add(times);
        }
    }

    /// Resets the counts.
    pub fn clear(&mut self) {
        self.counts.fill(0);
    }

    /// Adds the counts of another one.
    pub fn merge(&mut self, other: &Self) {
        self.counts.resize(self.counts.len().max(other.counts.len()), 0);
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count = count.saturating_add(*more);
        }
    }

    /// How many numbers were counted.
    pub fn total(&self) -> u64 {
        self.counts.iter().map(|count| u64::from(*count)).sum()
    }

    /// The cell of the number that `fraction` of the numbers do not exceed, of the first one at least; `None` if nothing was counted.
    pub fn quantile(&self, fraction: f64) -> Option<Cell> {
        let [cell] = self.quantiles([fraction]);
        cell
    }

    /// The same of several fractions in rising order, at hardly more work than one.
    pub fn quantiles<const N: usize>(&self, fractions: [f64; N]) -> [Option<Cell>; N] {
        debug_assert!(fractions.is_sorted(), "they are found in one pass");
        let total = self.total() as f64;
        let ranks = fractions.map(|fraction| (libm::ceil(fraction * total) as u64).max(1));
        let (mut found, mut next, mut seen) = ([None; N], 0, 0_u64);
        for (cell, count) in self.counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            seen += u64::from(*count);
            while next < N && seen >= ranks[next] {
                found[next] = Some(self.cell(cell));
                next += 1;
            }
            if next == N {
                break;
            }
        }
        found
    }

    /// The highest cell in which anything was counted.
    pub fn highest(&self) -> Option<Cell> {
        self.counts.iter().rposition(|count| *count > 0).map(|cell| self.cell(cell))
    }

    /// Each cell in which anything was counted, in order.
    pub fn filled(&self) -> impl Iterator<Item = Cell> + '_ {
        let filled = self.counts.iter().enumerate().filter(|(_, count)| **count > 0);
        filled.map(|(cell, _)| self.cell(cell))
    }

    fn cell(&self, cell: usize) -> Cell {
        let (low, coarse) = log_linear::least::<FINE>(cell as u64);
        Cell { low, high: low + ((1 << coarse) - 1), count: self.counts[cell] }
    }

    /// Bytes of memory.
    pub fn footprint(&self) -> u64 {
        (self.counts.capacity() * size_of::<u32>()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(numbers: impl IntoIterator<Item = u64>) -> Cells<3> {
        let mut cells = Cells::default();
        numbers.into_iter().for_each(|number| cells.record(number));
        cells
    }

    #[test]
    fn numbers_that_share_a_cell_are_counted_together() {
        // Of three bits behind the first: 0 to 15 alone, 16 and 17 together, 32 to 35.
        let cells = of([0, 15, 16, 17, 35, 16]);
        let filled: Vec<_> = cells.filled().map(|cell| (cell.low, cell.high, cell.count)).collect();
        assert_eq!(filled, [(0, 0, 1), (15, 15, 1), (16, 17, 3), (32, 35, 1)]);
        assert_eq!((cells.total(), cells.highest().map(|cell| cell.high)), (6, Some(35)));
    }

    #[test]
    fn a_quantile_is_the_first_number_that_so_many_do_not_exceed() {
        let cells = of([1, 2, 3, 4]);
        let quantile = |fraction| cells.quantile(fraction).map(|cell| cell.low);
        let fractions = [0.0, 0.25, 0.26, 0.5, 0.99, 1.0];
        assert_eq!(fractions.map(quantile), [1, 1, 2, 2, 4, 4].map(Some));
        assert_eq!(cells.quantiles(fractions), fractions.map(|fraction| cells.quantile(fraction)));
        assert_eq!((of([]).quantile(0.5), of([]).highest()), (None, None));
    }

    #[test]
    fn to_count_at_once_is_to_count_often() {
        let (mut once, often) = (of([3]), of([3, 40, 40, 40]));
        once.record_times(40, 3);
        once.record_times(1 << 60, 0);
        assert_eq!(once.filled().collect::<Vec<_>>(), often.filled().collect::<Vec<_>>());
        assert_eq!(once.footprint(), often.footprint());
        once.record_times(40, u32::MAX);
        assert_eq!(once.highest().map(|cell| cell.count), Some(u32::MAX));
    }
}
