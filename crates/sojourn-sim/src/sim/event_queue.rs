//! The order of events: by time, then by the kind of thing that they concern, then in order of scheduling.
//!
//! [`EventQueue`] is a bucketed timing wheel in two steps. Near events are in narrow buckets: each is a linked list in
//! one pool, and is sorted when it is opened; a bitmap finds the next bucket that is not empty. Later events are
//! kept in order of scheduling, by windows of many buckets ([`coarse`]), until their window is near, and a heap holds the events beyond all
//! windows. The events of opened buckets are in a sorted list. Where most events come from windows, a window goes to that list without
//! buckets ([`windows`]). The width of a bucket follows the measured number of events per bucket ([`width`]); the order of events does not
//! depend on it.
//!
//! evidence/speed/README.md (`windows`) has the gain from windows that are sorted as a whole.

mod batch;
mod coarse;
mod event;
mod near;
mod occupied;
mod wheel;
mod width;
mod windows;

pub use event::{Class, Event, NEVER};
pub use wheel::EventQueue;

use batch::Batch;
use near::{BUCKETS, bucket};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use wheel::{HORIZON, WINDOW, WINDOW_BITS};

/// The list of next events is shortened when this number of its events has been taken.
const TAKEN: usize = 1 << 10;
impl EventQueue {
    /// Schedules an event; its time is not before that of the last event taken. O(1) within the
    /// windows, O(log n) beyond them.
    #[inline(always)]
    pub fn push(&mut self, event: Event) {
        if event.time >= self.open_until && event.time < self.near_until {
            self.near.link(event);
        } else {
            self.push_elsewhere(event.time, event.key, event.arg);
        }
    }

    /// The parts of an event, in registers: as a whole it would go over the stack.
    #[inline(never)]
    fn push_elsewhere(&mut self, time: u64, key: u32, arg: u32) {
        let event = Event { time, key, arg };
        if event.time < self.open_until {
            return self.insert_into_ready(time, key, arg);
        }
        let slot = event.time >> self.near.shift;
        self.moved += 1;
        self.just_moved += u32::from(slot - self.slot < 2 * BUCKETS);
        let window = slot >> WINDOW_BITS;
        if window - self.window < coarse::WINDOWS {
            self.coarse.push(window, event);
        } else {
            self.push_far(time, key, arg);
        }
    }

    #[cold]
    fn push_far(&mut self, time: u64, key: u32, arg: u32) {
        self.far.push(Reverse((time, key, self.far_count, arg)));
        self.far_count += 1;
    }

    /// Takes the first event, if it is not later than `until` nanoseconds.
    #[inline(always)]
    pub fn pop_until(&mut self, until: u64) -> Option<Event> {
        while self.taken == self.ready.len() {
            if self.popped >= self.review_at {
                self.review_width();
                continue;
            }
            if self.is_batched {
                self.open_block(until)?;
                continue;
            }
            let slot = self.open_next(until)?;
            let from = slot << self.near.shift;
            // Most buckets hold one event.
            if let Some((offset, key, arg)) = self.near.unlink_only(bucket(slot), until - from) {
                self.popped += 1;
                return Some(Event { time: from + u64::from(offset), key, arg });
            }
            self.make_ready(slot);
        }
        self.pop_ready(until)
    }

    /// Like [`EventQueue::pop_until`]. It also prepares the events that [`EventQueue::upcoming`] shows: `ahead` events, if there are as
    /// many until then.
    #[inline(always)]
    pub fn pop_ahead(&mut self, ahead: usize, until: u64) -> Option<Event> {
        while self.ready.len() <= self.taken + ahead {
            if self.popped >= self.review_at {
                self.review_width();
            }
            let opened = if self.is_batched {
                self.open_block(until)
            } else {
                self.open_next(until).map(|slot| self.make_ready(slot))
            };
            if opened.is_none() {
                break;
            }
        }
        self.pop_ready(until)
    }

    #[inline(always)]
    fn pop_ready(&mut self, until: u64) -> Option<Event> {
        let event = *self.ready.get(self.taken).filter(|event| event.time <= until)?;
        self.taken += 1;
        self.popped += 1;
        Some(event)
    }

    /// The event that is this number of places behind the next one, if it is known.
    #[inline(always)]
    pub fn upcoming(&self, after: usize) -> Option<Event> {
        self.ready.get(self.taken + after).copied()
    }

    /// Frees the memory of pending events, which are discarded; nothing may be scheduled any more.
    pub fn give_back(&mut self) {
        self.near.nodes = Vec::new();
        self.ready = Vec::new();
        self.taken = 0;
        self.coarse.give_back();
        self.batch = Batch::default();
        self.far = BinaryHeap::new();
    }

    /// Number of pending events.
    pub fn len(&self) -> usize {
        let length = |&head: &u32| {
            let next = |index: &u32| self.near.nodes.get(*index as usize).map(|node| node.next);
            std::iter::successors(Some(head), next).count() - 1
        };
        let linked: usize = self.near.heads.iter().map(length).sum();
        linked + self.ready.len() - self.taken + self.batch.len() + self.coarse.len() + self.far.len()
    }

    /// Whether nothing is pending.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// It goes behind its equals: the event that was scheduled first comes first.
    #[cold]
    fn insert_into_ready(&mut self, time: u64, key: u32, arg: u32) {
        // Time may stand still for long: taken events are removed when they are most of the list.
        if self.taken > TAKEN && 2 * self.taken > self.ready.len() {
            self.ready.drain(..self.taken);
            self.taken = 0;
        }
        let event = Event { time, key, arg };
        let next = &self.ready[self.taken..];
        let place = self.taken + next.partition_point(|other| other.order() <= event.order());
        self.ready.insert(place, event);
    }

    /// Opens the next bucket with events, unless it begins later than `until`; returns its number. Events that are scheduled next may come
    /// before it.
    #[inline(always)]
    fn open_next(&mut self, until: u64) -> Option<u64> {
        let mut next = self.next_occupied(self.slot + 1);
        if next.is_none() && self.skip_to_window(until) {
            next = self.next_occupied(self.slot + 1);
        }
        let slot = next.filter(|slot| slot << self.near.shift <= until)?;
        self.slot = slot;
        self.open_until = (slot << self.near.shift) + self.near.width;
        self.opened += 1;
        if self.open_until > self.bring_at {
            self.bring_near(slot);
        }
        Some(slot)
    }

    /// Moves the events of a bucket behind the ready ones.
    #[inline(always)]
    fn make_ready(&mut self, slot: u64) {
        self.forget_taken();
        let from = slot << self.near.shift;
        let first = self.ready.len();
        let ready = &mut self.ready;
        self.near
            .unlink(bucket(slot), |offset, key, arg| ready.push(Event { time: from + u64::from(offset), key, arg }));
        match &mut ready[first..] {
            [_] => {}
            // The one scheduled last is first.
            [last, first] => {
                if !last.is_before(first) {
                    std::mem::swap(first, last);
                }
            }
            _ => self.sort_ready(first),
        }
    }

    #[inline(always)]
    fn forget_taken(&mut self) {
        if self.taken == self.ready.len() {
            self.ready.clear();
            self.taken = 0;
        } else if self.taken > TAKEN {
            self.ready.drain(..self.taken);
            self.taken = 0;
        }
    }

    /// Sorts the ready events from the `first` on; the one scheduled last is first.
    #[inline(never)]
    fn sort_ready(&mut self, first: usize) {
        let opened = &mut self.ready[first..];
        opened.reverse();
        opened.sort_by_key(Event::order); // Stable: equals stay in order of scheduling.
    }

    /// Moves the events of windows that have come near.
    #[inline(never)]
    fn bring_near(&mut self, slot: u64) {
        while slot + HORIZON >= self.window * WINDOW {
            self.bring_window();
        }
    }

    fn bring_window(&mut self) {
        let bits = self.near.shift + WINDOW_BITS;
        // An event that was far when it was scheduled was scheduled before its equals.
        while let Some(&Reverse((time, key, _, arg))) = self.far.peek()
            && time >> bits == self.window
        {
            self.far.pop();
            self.near.link(Event { time, key, arg });
        }
        let near = &mut self.near;
        self.coarse.take(self.window, |event| near.link(event));
        self.window += 1;
        self.near_until = self.window << bits;
        self.bring_at = (self.window * WINDOW - HORIZON) << self.near.shift;
    }

    /// If nothing is near, brings the next window with events, unless it begins later than `until`. Returns whether it did.
    #[inline(never)]
    fn skip_to_window(&mut self, until: u64) -> bool {
        let bits = self.near.shift + WINDOW_BITS;
        let far = self.far.peek().map(|Reverse((time, ..))| time >> bits);
        let Some(window) = self.coarse.next(self.window).into_iter().chain(far).min() else { return false };
        if window << bits > until {
            return false;
        }
        self.window = window;
        self.slot = window * WINDOW - 1;
        self.open_until = window << bits;
        if self.is_batched {
            self.sort_window();
        } else {
            self.bring_window();
        }
        true
    }

    /// Number of the first near bucket from `slot` on that is not empty.
    #[inline(always)]
    fn next_occupied(&self, slot: u64) -> Option<u64> {
        Some(slot + self.near.occupied.distance_around(bucket(slot))? as u64)
    }
}

#[cfg(test)]
mod tests;
