//! A window whose events are sorted as a whole. Where most events wait for a later window, this touches less memory than
//! buckets do: it goes over a window's events from one end to the other.

use super::Event;

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
        while place > 0 && events[place - 1].order() > event.order() {
            events[place] = events[place - 1];
            place -= 1;
        }
        if place != next {
            events[place] = event;
        }
    }
}
