//! How wide the buckets are: it follows the load, and no order of events depends on it.

use super::event::Event;
use super::near::{BUCKETS, NONE, bucket};
use super::wheel::{EventQueue, HORIZON, WINDOW, WINDOW_BITS};
use std::cmp::Reverse;

/// After a new width, the next review comes after at least this many events for each that is pending: to build the wheel anew
/// moves them all.
const REVIEW_SHARE: usize = 4;
/// Events per opened bucket between which the width is left alone. Almost always one: then the processor
/// guesses rightly that there is nothing to be sorted.
const FILL_LOW: f64 = 1.03;
const FILL_HIGH: f64 = 1.3;
/// If more than one event in 50 is kept for its window, ...
const MOVED_SHARE: u32 = 50;
/// ... which costs as much as to sort some, fuller buckets are better, if these have at most this number of events:
const FILL_MOVED: f64 = 2.0;
/// Events of a window that is sorted as a whole, between which its width is left alone: 16 to 64 KiB stay in a near cache.
const WINDOW_LOW: f64 = 1024.0;
const WINDOW_HIGH: f64 = 4096.0;
/// If fewer than one bucket in four is opened, its events come at one time, and would share a narrower one.
const SPARSE: f64 = 4.0;

/// Offsets into a bucket fit into 32 bits.
const WIDEST: u32 = 30;

/// How many doublings give the factor or less, at least one.
fn doublings(factor: f64) -> u32 {
    (libm::log2(factor) as u32).max(1)
}

impl EventQueue {
    /// Narrows or widens the buckets when they hold too many or too few events.
    #[cold]
    pub(super) fn review_width(&mut self) {
        let fill = f64::from(self.popped) / f64::from(self.opened.max(1));
        let are_most_moved = self.may_batch && self.moved > self.popped / 2;
        if are_most_moved || self.is_batched {
            return self.review_windows(are_most_moved);
        }
        let are_some_moved = self.just_moved > self.popped / MOVED_SHARE;
        let passed = (self.slot - self.reviewed) as f64 / f64::from(self.opened.max(1));
        let is_sparse = passed > SPARSE;
        self.begin_review();
        let shift = self.near.shift;
        // In buckets twice as wide come twice as many behind the first one.
        let is_too_narrow = are_some_moved && 2.0 * (fill - 1.0) < FILL_MOVED - 1.0;
        if shift < WIDEST && (is_too_narrow || fill < FILL_LOW) {
            self.least_shift = if is_too_narrow { shift + 1 } else { self.least_shift };
            // So wide that the next one or the one after it has an event.
            let steps = if is_too_narrow { 1 } else { doublings(passed / 2.0) };
            self.rebuild((shift + steps).min(WIDEST));
        } else if !is_sparse && shift > self.least_shift && fill > if are_some_moved { FILL_MOVED } else { FILL_HIGH } {
            // The excess of random arrivals halves with the width.
            let steps = doublings(fill);
            self.rebuild(shift.saturating_sub(steps).max(self.least_shift));
        }
    }

    fn begin_review(&mut self) {
        self.review_at = self.review_at.max(self.review_every);
        self.moved = 0;
        self.just_moved = 0;
        self.popped = 0;
        self.opened = 0;
        self.reviewed = self.slot;
    }

    /// Sorts windows as a whole from now on, or no more, or changes their width.
    fn review_windows(&mut self, are_most_moved: bool) {
        let fill = f64::from(self.popped) / f64::from(self.opened.max(1));
        self.begin_review();
        let shift = self.near.shift;
        if self.is_batched != are_most_moved {
            self.is_batched = are_most_moved;
            self.rebuild(shift);
        } else if fill > WINDOW_HIGH {
            self.rebuild(shift.saturating_sub(doublings(fill / WINDOW_LOW)));
        } else if fill < WINDOW_LOW {
            self.rebuild((shift + doublings(WINDOW_HIGH / fill)).min(WIDEST));
        }
    }

    /// Puts all that is not ready into buckets of another width.
    fn rebuild(&mut self, shift: u32) {
        let pending = self.take_all();
        self.review_at = self.review_every.max(u32::try_from(REVIEW_SHARE * pending.len()).unwrap_or(u32::MAX));
        // Near events are close together from here on.
        self.near.nodes.clear();
        self.near.free = NONE;
        self.near.shift = shift;
        self.near.width = 1 << shift;
        // Ready events are sooner than all others.
        self.slot = (self.open_until - 1) >> shift;
        self.reviewed = self.slot;
        self.open_until = (self.slot + 1) << shift;
        let later = if self.is_batched { WINDOW } else { BUCKETS };
        self.window = (self.slot + later) / WINDOW;
        self.near_until = self.window << (shift + WINDOW_BITS);
        self.bring_at = (self.window * WINDOW).saturating_sub(HORIZON) << shift;
        for event in pending {
            self.push(event);
        }
        self.moved = 0;
        self.just_moved = 0;
    }

    /// Takes out all events, equals in order of scheduling.
    fn take_all(&mut self) -> Vec<Event> {
        let mut pending = Vec::new();
        // The rest of a batch was scheduled before its equals of a bucket.
        self.batch.take_until(u64::MAX, &mut pending);
        while let Some(slot) = self.next_occupied(self.slot + 1) {
            let (from, first) = (slot << self.near.shift, pending.len());
            let give = |offset, key, arg| pending.push(Event { time: from + u64::from(offset), key, arg });
            self.near.unlink(bucket(slot), give);
            pending[first..].reverse();
        }
        // Far events were scheduled before their equals of a window.
        while let Some(Reverse((time, key, _, arg))) = self.far.pop() {
            pending.push(Event { time, key, arg });
        }
        while let Some(window) = self.coarse.next(self.window) {
            self.coarse.take(window, |event| pending.push(event));
        }
        pending
    }
}
