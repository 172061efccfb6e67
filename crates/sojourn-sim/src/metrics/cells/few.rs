//! Few different cells and how often each came, in a table of their places that begins small.

/// The most cells, ...
const MOST: usize = 192;
/// ... and how often one of them may come: an array of all cells, which costs more memory, counts with less work.
const OFTEN: u32 = 1000;

/// Counts of cells, each at the first free place from that of its hash on.
#[derive(Clone, Debug, Default)]
pub(super) struct Few {
    /// A power of two of places, of which at most three quarters are taken; a free one counts zero.
    places: Vec<(u32, u32)>,
    taken: usize,
}

impl Few {
    /// Adds to the count of a cell. Returns whether it has room for that.
    #[inline]
    pub fn add(&mut self, cell: u32, times: u32) -> bool {
        if !self.places.is_empty() {
            let place = self.place(cell);
            let (_, count) = &mut self.places[place];
            if *count > 0 {
                let is_rare = *count < OFTEN;
                *count = if is_rare { count.saturating_add(times) } else { *count };
                return is_rare;
            }
        }
        self.add_new(cell, times)
    }

    /// Where a cell is, or would be.
    #[inline]
    fn place(&self, cell: u32) -> usize {
        let last = self.places.len() - 1;
        // By the golden ratio, because cells often lie in equal steps: the highest bits are the best.
        let mut place = (cell.wrapping_mul(0x9E37_79B9) >> 24) as usize & last;
        while self.places[place].1 > 0 && self.places[place].0 != cell {
            place = (place + 1) & last;
        }
        place
    }

    #[cold]
    fn add_new(&mut self, cell: u32, times: u32) -> bool {
        if self.taken == MOST {
            return false;
        }
        if 4 * self.taken >= 3 * self.places.len() {
            let more = vec![(0, 0); (2 * self.places.len()).max(8)];
            for (known, count) in std::mem::replace(&mut self.places, more) {
                self.put(known, count);
            }
        }
        self.put(cell, times);
        self.taken += 1;
        true
    }

    fn put(&mut self, cell: u32, count: u32) {
        if count > 0 {
            let place = self.place(cell);
            self.places[place] = (cell, count);
        }
    }

    /// Resets the counts.
    pub fn clear(&mut self) {
        *self = Few::default();
    }

    /// Each cell and its count, in no order.
    pub fn counted(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.places.iter().copied().filter(|(_, count)| *count > 0)
    }

    /// Bytes of memory.
    pub fn footprint(&self) -> usize {
        self.places.capacity() * size_of::<(u32, u32)>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(few: &Few) -> Vec<(u32, u32)> {
        let mut all: Vec<_> = few.counted().collect();
        all.sort_unstable();
        all
    }

    #[test]
    fn it_counts_up_to_so_many_cells() {
        for step in [1, 7, 64, 1 << 16, 1 << 22] {
            let mut few = Few::default();
            for round in 1..=2 {
                for cell in 0..MOST as u32 {
                    assert!(few.add(cell * step, round));
                }
            }
            assert!(!few.add(u32::MAX, 1), "there is no room");
            assert!(few.add(0, 1), "but for a known cell");
            let expected: Vec<_> = (0..MOST as u32).map(|cell| (cell * step, 3 + u32::from(cell == 0))).collect();
            assert_eq!(sorted(&few), expected);
            assert_eq!(few.footprint(), 8 * 256);
        }
    }

    #[test]
    fn a_cell_that_comes_often_is_worth_an_array() {
        let mut few = Few::default();
        assert!((0..OFTEN).all(|_| few.add(5, 1)));
        assert!(!few.add(5, 1));
        assert_eq!((sorted(&few), few.footprint()), (vec![(5, OFTEN)], 64));
        few.clear();
        assert_eq!((sorted(&few), few.footprint()), (vec![], 0));
    }
}
