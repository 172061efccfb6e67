//! A window whose events are sorted as a whole. Where most events wait for a later window, this touches less memory than
//! buckets do: it goes over a window's events from one end to the other.

use super::{Event, EventQueue, WINDOW, WINDOW_BITS, bucket};
use std::cmp::Reverse;

/// Buckets that are opened together.
const BLOCK: u64 = 64;

/// Most bins into which a window is divided.
const BINS: usize = 1 << 12;
/// Where a bin has more events than this, they come in crowds, and are sorted by comparison.
const CROWD: u32 = 24;

/// Events in order, of which some have been taken.
#[derive(Debug, Default)]
pub struct Batch {
    events: Vec<Event>,
    taken: usize,
    /// Of each bin how many events it has, then where its next one goes.
    bins: Vec<u32>,
}

impl Batch {
    /// How many are left.
    pub fn len(&self) -> usize {
        self.events.len() - self.taken
    }

    /// When the first one comes, in nanoseconds.
    #[inline(always)]
    pub fn first(&self) -> Option<u64> {
        self.events.get(self.taken).map(|event| event.time)
    }

    /// Takes out those before `until` nanoseconds, in order.
    #[inline(always)]
    pub fn take_until(&mut self, until: u64, to: &mut Vec<Event>) {
        let left = &self.events[self.taken..];
        let count = left.iter().position(|event| event.time >= until).unwrap_or(left.len());
        to.extend_from_slice(&left[..count]);
        self.taken += count;
    }

    /// Holds, where nothing was left, the events of the window of `1 << bits` nanoseconds that begins at `from`. They come
    /// in chunks, equals in order of scheduling, and stay so.
    pub fn fill<'a, I: Iterator<Item = &'a [Event]>>(&mut self, from: u64, bits: u32, chunks: impl Fn() -> I) {
        let len: usize = chunks().map(<[Event]>::len).sum();
        self.taken = 0;
        self.events.resize(len, Event { time: 0, key: 0, arg: 0 });
        // As many bins as events, more or less.
        let bin_bits = len.next_power_of_two().min(BINS).trailing_zeros().min(bits);
        let bin = |event: &Event| ((event.time - from) >> (bits - bin_bits)) as usize;
        self.bins.clear();
        self.bins.resize(1 << bin_bits, 0);
        for chunk in chunks() {
            for event in chunk {
                self.bins[bin(event)] += 1;
            }
        }
        let most = self.bins.iter().copied().max().unwrap_or(0);
        let mut next = 0;
        for place in &mut self.bins {
            next += std::mem::replace(place, next);
        }
        for chunk in chunks() {
            for event in chunk {
                let place = &mut self.bins[bin(event)];
                self.events[*place as usize] = *event;
                *place += 1;
            }
        }
        if most > CROWD {
            self.events.sort_by_key(Event::order); // Stable.
        } else {
            insertion_sort(&mut self.events);
        }
    }
}

/// Stable; fast where all are near their places.
fn insertion_sort(events: &mut [Event]) {
    for next in 1..events.len() {
        let event = events[next];
        let mut place = next;
        while place > 0 && event.is_before(&events[place - 1]) {
            events[place] = events[place - 1];
            place -= 1;
        }
        if place != next {
            events[place] = event;
        }
    }
}

impl EventQueue {
    /// Where windows are sorted as a whole: opens the block of buckets that holds the first event, unless its bucket begins later than
    /// `until`, and moves
    /// what it holds behind what is ready.
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
            self.ready[from..].sort_by_key(Event::order); // Stable: what was in the batch was scheduled first.
        }
        Some(())
    }

    /// The first bucket behind the open ones that holds an event or has one in the batch.
    fn first_in_block(&self) -> Option<u64> {
        let sorted = self.batch.first().map(|time| time >> self.near.shift);
        let end = sorted.unwrap_or(self.window * WINDOW);
        self.occupied_before(self.slot + 1, end).or(sorted)
    }

    /// Moves what a bucket holds behind what is ready, in order of scheduling.
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
        // What was far when it was scheduled was scheduled before its equals.
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

#[cfg(test)]
mod tests {
    use super::super::Class;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The oracle is a stable sort.
        #[test]
        fn equals_stay_in_order_of_scheduling(
            times in prop::collection::vec(0_u64..1 << 12, 0..300),
            coarseness in 0_u32..12,
            cut in 0_usize..300,
        ) {
            let from = 7 << 12;
            let event = |(arg, time): (usize, &u64)| {
                Event::new(from + (time >> coarseness << coarseness), Class::Timer, (*time % 3) as u32, arg as u32)
            };
            let events: Vec<Event> = times.iter().enumerate().map(event).collect();
            let (first, second) = events.split_at(cut.min(events.len()));
            let mut batch = Batch::default();
            batch.fill(from, 12, || [first, second].into_iter());

            let mut expected = events.clone();
            expected.sort_by_key(Event::order);
            let (mut taken, until) = (Vec::new(), from + 1000);
            batch.take_until(until, &mut taken);
            prop_assert_eq!(taken.len(), expected.iter().filter(|one| one.time < until).count());
            prop_assert_eq!(batch.first(), expected.get(taken.len()).map(|one| one.time));
            batch.take_until(u64::MAX, &mut taken);
            prop_assert_eq!(batch.len(), 0);
            prop_assert_eq!(taken, expected);
        }
    }
}
