//! The counters: packets and bytes, drops and marks by reason, times in a histogram; in all, and in parts of a tenth of a second.

use sojourn_sim::log_linear;
use std::collections::VecDeque;

/// Packets and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amount {
    /// Packets.
    pub packets: u64,
    /// Bytes of their IP packets.
    pub bytes: u64,
}

impl Amount {
    /// Counts one more packet of `bytes` bytes.
    pub fn add(&mut self, bytes: u32) {
        self.packets += 1;
        self.bytes += u64::from(bytes);
    }
}

/// How often something happened, by reason: a few words each.
pub type Reasons = Vec<(&'static str, u64)>;

/// Counts one more.
pub fn count(reasons: &mut Reasons, reason: &'static str) {
    match reasons.iter_mut().find(|(known, _)| *known == reason) {
        Some((_, number)) => *number += 1,
        None => reasons.push((reason, 1)),
    }
}

const FINE: u32 = 5;
const CELLS: usize = 1 << 11;

/// Times in nanoseconds, each right to 1/32 of it.
#[derive(Clone, Debug)]
pub struct Times {
    cells: Vec<u32>,
    count: u64,
    sum: u64,
    max: u64,
}

impl Default for Times {
    fn default() -> Self {
        Times { cells: vec![0; CELLS], count: 0, sum: 0, max: 0 }
    }
}

impl Times {
    /// Counts a time of `nanos`.
    pub fn add(&mut self, nanos: u64) {
        self.cells[log_linear::cell::<FINE>(nanos) as usize] += 1;
        self.count += 1;
        self.sum += nanos;
        self.max = self.max.max(nanos);
    }

    /// How many.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The longest; 0 if there is none.
    pub fn max(&self) -> u64 {
        self.max
    }

    /// The mean; 0 if there is none.
    pub fn mean(&self) -> f64 {
        if self.count == 0 { 0.0 } else { self.sum as f64 / self.count as f64 }
    }

    /// The time that a share of them does not exceed, rounded up to the end of its cell; 0 if there is none.
    pub fn quantile(&self, share: f64) -> u64 {
        let wanted = ((share * self.count as f64).ceil() as u64).clamp(1, self.count.max(1));
        let mut seen = 0;
        for (cell, number) in self.cells.iter().enumerate() {
            seen += u64::from(*number);
            if seen >= wanted {
                let (least, coarse) = log_linear::least::<FINE>(cell as u64);
                return (least + (1 << coarse) - 1).min(self.max);
            }
        }
        0
    }

    /// Forgets all, and gives the median, the 99th percentile and the longest.
    fn take(&mut self) -> [u64; 3] {
        let taken = [self.quantile(0.5), self.quantile(0.99), self.max];
        if self.count > 0 {
            self.cells.fill(0);
            (self.count, self.sum, self.max) = (0, 0, 0);
        }
        taken
    }
}

/// A tenth of a second of one direction.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Part {
    /// The packets that arrived.
    pub came: Amount,
    /// The packets that were sent.
    pub sent: Amount,
    /// Drops by reason.
    pub drops: Reasons,
    /// Marks by reason.
    pub marks: Reasons,
    /// Packets and bytes that wait at the end of it.
    pub backlog: Amount,
    /// Time in the queue of the packets that left, in nanoseconds: median, 99th percentile, longest.
    pub waited: [u64; 3],
    /// How late it left against the schedule, the same.
    pub late: [u64; 3],
}

/// All that is counted of one direction.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    /// The packets that arrived.
    pub came: Amount,
    /// The packets that were sent.
    pub sent: Amount,
    /// Drops by reason: the words of queues, `corruption` for the requested losses, `interface` for packets that the kernel refused to
    /// send.
    pub drops: Reasons,
    /// Marks by reason.
    pub marks: Reasons,
    /// Frames that went through without a queue, since they are not IP.
    pub passed: u64,
    /// Packets that the kernel did not hand over, since its buffer was full or their kind is not known.
    pub missed: u64,
    /// Time in the queue of the packets that left.
    pub waited: Times,
    /// How late it left against the schedule.
    pub late: Times,
}

/// The counters of one direction.
#[derive(Debug, Default)]
pub struct Counts {
    /// From the beginning.
    pub totals: Totals,
    part: Part,
    waited: Times,
    late: Times,
}

impl Counts {
    /// A packet arrived.
    pub fn came(&mut self, bytes: u32) {
        self.totals.came.add(bytes);
        self.part.came.add(bytes);
    }

    /// A packet is lost.
    pub fn lost(&mut self, reason: &'static str) {
        count(&mut self.totals.drops, reason);
        count(&mut self.part.drops, reason);
    }

    /// A packet is marked.
    pub fn marked(&mut self, reason: &'static str) {
        count(&mut self.totals.marks, reason);
        count(&mut self.part.marks, reason);
    }

    /// A packet has left.
    pub fn sent(&mut self, bytes: u32, waited: u64, late: u64) {
        self.totals.sent.add(bytes);
        self.part.sent.add(bytes);
        for (all, part, time) in
            [(&mut self.totals.waited, &mut self.waited, waited), (&mut self.totals.late, &mut self.late, late)]
        {
            all.add(time);
            part.add(time);
        }
    }

    /// Ends a part.
    pub fn end_part(&mut self, backlog: Amount) -> Part {
        let part = std::mem::take(&mut self.part);
        Part { backlog, waited: self.waited.take(), late: self.late.take(), ..part }
    }
}

/// Length of a part.
pub const PART_NS: u64 = 100_000_000;
/// Parts that are kept: ten minutes.
const KEPT: usize = 6_000;

/// The last parts of both directions, by number.
#[derive(Clone, Debug, Default)]
pub struct Parts {
    first: u64,
    parts: VecDeque<[Part; 2]>,
}

impl Parts {
    /// Adds a part. The oldest goes if [`KEPT`] are held.
    pub fn push(&mut self, part: [Part; 2]) {
        if self.parts.len() == KEPT {
            self.parts.pop_front();
            self.first += 1;
        }
        self.parts.push_back(part);
    }

    /// Those from this number on, as far as they are kept, with their numbers.
    pub fn since(&self, number: u64) -> impl Iterator<Item = (u64, &[Part; 2])> {
        let skipped = number.saturating_sub(self.first) as usize;
        (self.first..).zip(&self.parts).skip(skipped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_right_to_a_thirty_second() {
        let mut times = Times::default();
        (1..=1000).for_each(|number| times.add(number * 1_000));
        for share in [0.01, 0.5, 0.99] {
            let (found, right) = (times.quantile(share) as f64, share * 1e6);
            assert!(found >= right && found <= right * (1.0 + 1.0 / 32.0), "{share}: {found}");
        }
        assert_eq!((times.quantile(1.0), times.max(), times.mean()), (1_000_000, 1_000_000, 500_500.0));
        assert_eq!(Times::default().quantile(0.5), 0);
    }

    #[test]
    fn parts_are_found_by_number() {
        let mut parts = Parts::default();
        (0..KEPT + 5).for_each(|_| parts.push([Part::default(), Part::default()]));
        let numbers = |since| parts.since(since).map(|(number, _)| number).collect::<Vec<_>>();
        assert_eq!(numbers(0)[0], 5);
        assert_eq!(numbers(6003), [6003, 6004]);
        assert!(numbers(7000).is_empty());
    }

    #[test]
    fn a_part_has_what_happened_in_it() {
        let mut counts = Counts::default();
        counts.came(100);
        counts.sent(100, 5, 7);
        counts.lost("overflow");
        assert_eq!(counts.end_part(Amount::default()).late, [7, 7, 7]);
        counts.lost("early");
        let part = counts.end_part(Amount { packets: 1, bytes: 9 });
        assert_eq!((part.drops, part.late, part.backlog.bytes), (vec![("early", 1)], [0; 3], 9));
        assert_eq!(counts.totals.drops, [("overflow", 1), ("early", 1)]);
    }
}
