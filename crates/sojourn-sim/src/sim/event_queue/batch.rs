//! The events of one window, sorted as a whole.

use super::event::Event;

/// Most bins into which a window is divided.
const BINS: usize = 1 << 12;
/// Where a bin has more events than this, they come in crowds, and are sorted by comparison.
const CROWD: u32 = 24;

/// Events in order, of which some have been taken.
#[derive(Debug, Default)]
pub struct Batch {
    events: Vec<Event>,
    taken: usize,
    /// For each bin the number of its events, later the place of its next one.
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
        // There are about as many bins as events.
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
