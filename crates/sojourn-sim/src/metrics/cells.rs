//! How often each of many whole numbers came, counted in [log-linear](log_linear) cells: bounded memory, and quantiles that are right to
//! the width of a cell.

mod few;

use crate::log_linear;
use few::Few;

/// Counts of whole numbers; numbers above 2^`FINE` share a cell with those that differ by less than 2^-`FINE` of them.
///
/// Most links of a large network see few numbers, or always the same. So only the cells that came are kept at first; when these are many,
/// or one of them came often, the counts become an array of all cells, in which a number is counted at once.
#[derive(Clone, Debug, Default)]
pub struct Cells<const FINE: u32> {
    /// Empty once there is an array.
    few: Few,
    /// Counts of the cells, up to the last one that has any. Bound: a cell counts to 2^32 - 1, which takes a day at 50,000 packets a
    /// second and the same number for all.
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
            None => self.add(cell as u32, 1),
        }
    }

    /// Counts a number so often.
    pub fn record_times(&mut self, number: u64, times: u32) {
        if times > 0 {
            self.add(log_linear::cell::<FINE>(number) as u32, times);
        }
    }

    /// Adds to a cell that the array need not have.
    #[cold]
    #[inline(never)]
    fn add(&mut self, cell: u32, times: u32) {
        if self.counts.is_empty() {
            if self.few.add(cell, times) {
                return;
            }
            self.make_array();
        }
        self.reach(cell as usize);
        self.add_to_array(cell, times);
    }

    fn add_to_array(&mut self, cell: u32, times: u32) {
        let count = &mut self.counts[cell as usize];
        *count = count.saturating_add(times);
    }

    fn make_array(&mut self) {
        let few = std::mem::take(&mut self.few);
        self.reach(few.counted().map(|(cell, _)| cell as usize).max().unwrap_or(0));
        few.counted().for_each(|(cell, times)| self.add_to_array(cell, times));
    }

    /// Makes the array so long that it has this cell, to the end of its octave: a growing list would take twice as much.
    fn reach(&mut self, cell: usize) {
        let length = (cell | ((1 << FINE) - 1)) + 1;
        if length > self.counts.len() {
            self.counts.reserve_exact(length - self.counts.len());
            self.counts.resize(length, 0);
        }
    }

    /// Resets the counts.
    pub fn clear(&mut self) {
        self.few.clear();
        self.counts.fill(0);
    }

    /// Adds the counts of another one.
    pub fn merge(&mut self, other: &Self) {
        if other.counts.is_empty() {
            other.few.counted().for_each(|(cell, count)| self.add(cell, count));
            return;
        }
        if self.counts.is_empty() {
            self.make_array();
        }
        self.reach(other.counts.len() - 1);
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count = count.saturating_add(*more);
        }
    }

    /// How many numbers were counted.
    pub fn total(&self) -> u64 {
        // One of them is empty.
        let few: u64 = self.few.counted().map(|(_, count)| u64::from(count)).sum();
        few + self.counts.iter().map(|count| u64::from(*count)).sum::<u64>()
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
        for (cell, count) in self.counted() {
            seen += u64::from(count);
            while next < N && seen >= ranks[next] {
                found[next] = Some(Self::cell(cell, count));
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
        self.counted().next_back().map(|(cell, count)| Self::cell(cell, count))
    }

    /// Each cell in which anything was counted, in order.
    pub fn filled(&self) -> impl Iterator<Item = Cell> + '_ {
        self.counted().map(|(cell, count)| Self::cell(cell, count))
    }

    /// Cells with their counts, in order.
    fn counted(&self) -> impl DoubleEndedIterator<Item = (u32, u32)> + '_ {
        let mut few: Vec<_> = self.few.counted().collect();
        few.sort_unstable();
        let all = self.counts.iter().enumerate().map(|(cell, count)| (cell as u32, *count));
        // One of them is empty.
        few.into_iter().chain(all.filter(|(_, count)| *count > 0))
    }

    fn cell(cell: u32, count: u32) -> Cell {
        let (low, coarse) = log_linear::least::<FINE>(cell.into());
        Cell { low, high: low + ((1 << coarse) - 1), count }
    }

    /// Bytes of memory.
    pub fn footprint(&self) -> u64 {
        (self.few.footprint() + self.counts.capacity() * size_of::<u32>()) as u64
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
        once.record_times(40, u32::MAX);
        assert_eq!(once.highest().map(|cell| cell.count), Some(u32::MAX));
    }

    /// Numbers that lie apart, each of them so often.
    fn apart(cells: u64, times: u64) -> impl Iterator<Item = u64> {
        (0..cells * times).map(move |number| (number % cells) * 5 + (number % cells).pow(3))
    }

    #[test]
    fn few_cells_that_become_an_array_have_the_same_counts() {
        for (different, times) in [(100, 1), (192, 3), (193, 1), (3, 1000), (3, 1001), (500, 2)] {
            let numbers: Vec<u64> = apart(different, times).collect();
            let mut array = Cells::<7>::default();
            array.make_array();
            let mut cells = Cells::<7>::default();
            for number in &numbers {
                cells.record(*number);
                array.record(*number);
            }
            assert!(array.few.footprint() == 0 && array.counts.len() >= 128);
            assert_eq!(cells.counts.is_empty(), different <= 192 && times <= 1000, "{different} cells, {times} times");
            assert!(cells.counts.is_empty() || cells.few.footprint() == 0);
            let all = |of: &Cells<7>| {
                (of.filled().collect::<Vec<_>>(), of.total(), of.highest(), of.quantiles([0.0, 0.3, 0.99]))
            };
            assert_eq!(all(&cells), all(&array));

            // To merge, whichever of the two is an array, and to begin again.
            let mut twice = cells.clone();
            twice.merge(&array);
            let mut also = array.clone();
            also.merge(&cells);
            assert_eq!(all(&twice), all(&also));
            assert_eq!(twice.total(), 2 * numbers.len() as u64);
            cells.clear();
            cells.merge(&array);
            assert_eq!(all(&cells), all(&array));
        }
    }

    #[test]
    fn few_numbers_take_two_kilobytes() {
        let mut cells = Cells::<10>::default();
        apart(124, 1).for_each(|number| cells.record(number));
        assert!(cells.footprint() <= 2048, "{}", cells.footprint());
    }
}
