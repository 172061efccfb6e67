//! Windows whose events are sorted as a whole. Where most events wait for a later window, this touches less memory than
//! buckets do: it goes over a window's events from one end to the other.

use super::event::Event;
use super::near::bucket;
use super::wheel::{EventQueue, WINDOW, WINDOW_BITS};
use std::cmp::Reverse;

/// Buckets that are opened together.
const BLOCK: u64 = 64;

impl EventQueue {
    /// Where windows are sorted as a whole: opens the block of buckets that holds the first event, unless its bucket begins
    /// later than `until`, and moves its events behind the ready ones.
    #[inline(never)]
    pub(super) fn open_block(&mut self, until: u64) -> Option<()> {
        let mut first = self.first_in_block();
        if first.is_none() && self.skip_to_window(until) {
            first = self.first_in_block();
        }
        let first = first.filter(|slot| slot << self.near.shift <= until)?;
        self.slot = first | (BLOCK - 1);
        self.open_until = (self.slot + 1) << self.near.shift;
        self.forget_taken();
        let from = self.ready.len();
        self.batch.take_until(self.open_until, &mut self.ready);
        let sorted = self.ready.len();
        while let Some(slot) = self.occupied_before(first, self.slot + 1) {
            self.take_bucket(slot);
        }
        if self.ready.len() > sorted {
            self.ready[from..].sort_by_key(Event::order); // Stable: events of the batch were scheduled first.
        }
        Some(())
    }

    /// The first bucket behind the open ones that holds an event or has one in the batch.
    fn first_in_block(&self) -> Option<u64> {
        let sorted = self.batch.first().map(|time| time >> self.near.shift);
        let end = sorted.unwrap_or(self.window * WINDOW);
        self.occupied_before(self.slot + 1, end).or(sorted)
    }

    /// Moves the events of a bucket behind the ready ones, in order of scheduling.
    fn take_bucket(&mut self, slot: u64) {
        let from = slot << self.near.shift;
        let first = self.ready.len();
        let ready = &mut self.ready;
        self.near
            .unlink(bucket(slot), |offset, key, arg| ready.push(Event { time: from + u64::from(offset), key, arg }));
        self.ready[first..].reverse();
    }

    /// Sorts the events of the next window as a whole.
    pub(super) fn sort_window(&mut self) {
        let bits = self.near.shift + WINDOW_BITS;
        let mut far = Vec::new();
        // An event that was far when it was scheduled was scheduled before its equals.
        while let Some(&Reverse((time, key, _, arg))) = self.far.peek()
            && time >> bits == self.window
        {
            self.far.pop();
            far.push(Event { time, key, arg });
        }
        let from = self.window << bits;
        self.batch.fill(from, bits, || std::iter::once(&far[..]).chain(self.coarse.chunks(self.window)));
        self.coarse.free(self.window);
        self.opened += 1;
        self.window += 1;
        self.near_until = self.window << bits;
    }

    /// Number of the first near bucket from `slot` on and before `end` that is not empty.
    #[inline(always)]
    fn occupied_before(&self, slot: u64, end: u64) -> Option<u64> {
        let mut word = slot;
        while word < end {
            if let Some(distance) = self.near.occupied.distance_in_word(bucket(word)) {
                return Some(word + distance as u64).filter(|found| *found < end);
            }
            word = (word | 63) + 1;
        }
        None
    }
}
