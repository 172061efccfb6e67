//! A set of byte ranges: the data that a receiver holds out of order, or that a sender knows to be received.

/// Disjoint, sorted, non-touching half-open ranges of sequence numbers. Allocates nothing while empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RangeSet {
    ranges: Vec<(u64, u64)>,
    total: u64,
}

impl RangeSet {
    /// True if it has no range.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// The ranges in order.
    pub fn as_slice(&self) -> &[(u64, u64)] {
        &self.ranges
    }

    /// The bytes in it.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The position of the first range that ends above `at`.
    fn first_ending_above(&self, at: u64) -> usize {
        // The newest data is usually at the top: look there before searching.
        match self.ranges.last() {
            Some(&(start, end)) if start <= at => self.ranges.len() - usize::from(end > at),
            _ => self.ranges.partition_point(|&(_, end)| end <= at),
        }
    }

    /// Adds `start..end`. Returns the number of new bytes.
    pub fn insert(&mut self, start: u64, end: u64) -> u64 {
        debug_assert!(start < end, "an empty range");
        // Mostly what comes follows the newest data.
        if let Some((low, high)) = self.ranges.last_mut()
            && *low <= start
            && start <= *high
        {
            let new = end.saturating_sub(*high);
            *high += new;
            self.total += new;
            return new;
        }
        // Ranges from `first` to `last` touch or overlap the new one and melt into it.
        let first = self.first_ending_above(start.saturating_sub(1));
        let last = first + self.ranges[first..].iter().take_while(|&&(other, _)| other <= end).count();
        let (mut merged, mut old) = ((start, end), 0);
        for &(other_start, other_end) in &self.ranges[first..last] {
            merged = (merged.0.min(other_start), merged.1.max(other_end));
            old += other_end - other_start;
        }
        if first == last {
            self.ranges.insert(first, merged);
        } else {
            self.ranges[first] = merged;
            self.ranges.drain(first + 1..last);
        }
        let new = merged.1 - merged.0 - old;
        self.total += new;
        new
    }

    /// Removes everything below `at`.
    pub fn remove_below(&mut self, at: u64) {
        let gone = self.first_ending_above(at);
        self.total -= self.ranges[..gone].iter().map(|&(start, end)| end - start).sum::<u64>();
        self.ranges.drain(..gone);
        if let Some(first) = self.ranges.first_mut()
            && first.0 < at
        {
            self.total -= at - first.0;
            first.0 = at;
        }
    }

    /// The range that contains `at`.
    pub fn containing(&self, at: u64) -> Option<(u64, u64)> {
        self.ranges.get(self.first_ending_above(at)).copied().filter(|&(start, _)| start <= at)
    }

    /// The gap at or after `at`, below the last range, as `(start, end)`.
    pub fn hole_from(&self, at: u64) -> Option<(u64, u64)> {
        let index = self.first_ending_above(at);
        let &(start, end) = self.ranges.get(index)?;
        if at < start {
            return Some((at, start));
        }
        self.ranges.get(index + 1).map(|&(next, _)| (end, next))
    }

    /// The bytes in it below `at`.
    pub fn total_below(&self, at: u64) -> u64 {
        self.ranges.iter().take_while(|&&(start, _)| start < at).map(|&(start, end)| end.min(at) - start).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(ranges: &[(u64, u64)]) -> RangeSet {
        let mut set = RangeSet::default();
        for &(start, end) in ranges {
            set.insert(start, end);
        }
        set
    }

    #[test]
    fn touching_ranges_melt_together() {
        assert_eq!(set(&[(10, 20), (30, 40), (20, 30)]).as_slice(), [(10, 40)]);
        assert_eq!(set(&[(10, 20), (30, 40), (5, 50)]).as_slice(), [(5, 50)]);
        assert_eq!(set(&[(10, 20), (21, 30)]).as_slice(), [(10, 20), (21, 30)]);
    }

    #[test]
    fn only_new_bytes_are_counted() {
        let mut set = set(&[(10, 20), (30, 40)]);
        assert_eq!(set.insert(12, 18), 0);
        assert_eq!(set.insert(15, 35), 10);
        assert_eq!(set.total(), 30);
    }

    #[test]
    fn holes_are_the_gaps_below_the_last_range() {
        let set = set(&[(10, 20), (30, 40)]);
        assert_eq!(set.hole_from(0), Some((0, 10)));
        assert_eq!(set.hole_from(10), Some((20, 30)));
        assert_eq!(set.hole_from(25), Some((25, 30)));
        assert_eq!(set.hole_from(30), None);
        assert_eq!(set.hole_from(40), None);
    }

    #[test]
    fn agrees_with_a_set_of_numbers() {
        use proptest::prelude::*;
        use std::collections::BTreeSet;
        proptest!(|(operations in prop::collection::vec((0_u64..60, 1_u64..12, 0..3), 0..40))| {
            let (mut set, mut model) = (RangeSet::default(), BTreeSet::new());
            for (start, len, what) in operations {
                if what == 0 {
                    set.remove_below(start);
                    model.retain(|&n| n >= start);
                } else {
                    let new = (start..start + len).filter(|n| model.insert(*n)).count() as u64;
                    prop_assert_eq!(set.insert(start, start + len), new);
                }
                prop_assert_eq!(set.total(), model.len() as u64);
                for at in 0..75 {
                    prop_assert_eq!(set.containing(at).is_some(), model.contains(&at));
                    prop_assert_eq!(set.total_below(at), model.range(..at).count() as u64);
                    let expected = (at..75).find(|n| !model.contains(n)).filter(|n| model.range(n..).next().is_some());
                    prop_assert_eq!(set.hole_from(at).map(|hole| hole.0), expected);
                }
                prop_assert!(set.as_slice().windows(2).all(|pair| pair[0].1 < pair[1].0));
            }
        });
    }
}
