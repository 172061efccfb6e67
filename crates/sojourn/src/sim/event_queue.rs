//! The order of events: by time, then by what they concern, then in order of scheduling.
//!
//! [`EventQueue`] is a bucketed timing wheel in two steps. Near events stand in narrow buckets: each is a linked list in
//! one pool, and is sorted when it is opened; a bitmap finds the next bucket that is not empty. Later events are
//! kept in order of scheduling, by windows of many buckets ([`coarse`]), until their window is near, and a heap holds what
//! lies beyond all windows. The width of a bucket follows the measured number of events per bucket; the order of
//! events does not depend on it.
//!
//! Cost per event, measured on the benchmark's dumbbell: see docs/performance.md.

mod bitmap;
mod coarse;
mod near;
mod width;

use coarse::Coarse;
use near::{BUCKETS, FIRST_SHIFT, Near, Node, bucket};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use width::FIRST_REVIEW;

/// What an event concerns. The order of the variants decides ties in time: what leaves goes before
/// what arrives, and samples are taken last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u32)]
pub enum Class {
    /// A link has finished sending a packet.
    TransmitterFree = 0,
    /// A packet reaches the end of a link.
    Delivery = 1,
    /// A queue discipline's own deadline.
    QueueDeadline = 2,
    /// An endpoint's deadline.
    Timer = 3,
    /// A flow starts.
    Start = 4,
    /// A flow stops.
    Stop = 5,
    /// On a shared medium a slot has come in which somebody sends, or an exchange is over.
    Medium = 6,
    /// A time series takes a sample.
    Sample = 7,
}

const ENTITY_BITS: u32 = 29;

/// An event: when, what it concerns, and a number for whoever handles it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Nanoseconds since the start.
    pub time: u64,
    key: u32,
    /// Free for the handler (a packet's handle).
    pub arg: u32,
}

impl Event {
    /// At `time` nanoseconds, concerning number `entity` of its class.
    ///
    /// # Panics
    /// In debug builds if `entity` needs more than 29 bits.
    pub fn new(time: u64, class: Class, entity: u32, arg: u32) -> Self {
        debug_assert!(entity < 1 << ENTITY_BITS, "too many entities");
        Event { time, key: ((class as u32) << ENTITY_BITS) | entity, arg }
    }

    /// What it concerns.
    pub fn class(self) -> Class {
        match self.key >> ENTITY_BITS {
            0 => Class::TransmitterFree,
            1 => Class::Delivery,
            2 => Class::QueueDeadline,
            3 => Class::Timer,
            4 => Class::Start,
            5 => Class::Stop,
            6 => Class::Medium,
            _ => Class::Sample,
        }
    }

    /// Which of its class.
    pub fn entity(self) -> u32 {
        self.key & ((1 << ENTITY_BITS) - 1)
    }
}

/// Events of a crowded bucket, the first one last. The order is the nanoseconds into the bucket and the
/// key in one number.
#[derive(Debug, Default)]
struct Crowd {
    orders: Vec<u64>,
    args: Vec<u32>,
}

impl Crowd {
    fn is_empty(&self) -> bool {
        self.orders.is_empty()
    }

    fn pop(&mut self) -> Option<(u64, u32)> {
        Some((self.orders.pop()?, self.args.pop()?))
    }

    /// Before its equals in the list, so that it comes after them.
    fn insert(&mut self, order: u64, arg: u32) {
        let at = self.orders.partition_point(|&other| other > order);
        self.orders.insert(at, order);
        self.args.insert(at, arg);
    }
}

/// Beyond this many steps in the list of the opened bucket a search beats a walk.
const CROWD: u32 = 32;

/// Buckets of a window.
const WINDOW: u64 = 1 << WINDOW_BITS;
const WINDOW_BITS: u32 = if cfg!(test) { 4 } else { 12 };
/// Windows that begin sooner than in so many buckets are near ...
const HORIZON: u64 = BUCKETS - WINDOW;
/// ... or so many where most events are kept for their window: they stay in the cache.
const HORIZON_MOVED: u64 = WINDOW;
/// So many buckets with events are scouted.
const SCOUTED: u64 = 32;
const NONE: u32 = u32::MAX;
/// Pending events in total order.
#[derive(Debug)]
pub struct EventQueue {
    near: Near,
    /// What is left of the opened bucket: a list in order, or a crowd, never both.
    open: u32,
    crowd: Crowd,
    /// Number of the opened bucket, counted from time zero.
    slot: u64,
    /// Number of the first window that is not near, counted from time zero.
    window: u64,
    /// A window is brought near when it begins in so many buckets, ...
    horizon: u64,
    /// ... the next one when a bucket is opened that ends later than this, in nanoseconds.
    bring_at: u64,
    /// When the opened bucket begins, in nanoseconds.
    open_from: u64,
    /// When the opened bucket ends, in nanoseconds.
    open_until: u64,
    /// When that window begins, in nanoseconds.
    near_until: u64,
    coarse: Coarse,
    /// Beyond the windows when they were scheduled; the counter keeps the order of scheduling.
    far: BinaryHeap<Reverse<(u64, u32, u64, u32)>>,
    far_count: u64,
    /// Events since the last review that were not near.
    moved: u32,
    /// Those of them that would be in buckets twice as wide.
    just_moved: u32,
    /// Number of the bucket that was open at the last review.
    reviewed: u64,
    /// With narrower buckets too much was not near.
    least_shift: u32,
    popped: u32,
    opened: u32,
    review_at: u32,
    /// The last bucket that was scouted.
    scouted: u64,
    /// It is not further ahead than so many buckets.
    scout_reach: u64,
}

impl Default for EventQueue {
    fn default() -> Self {
        EventQueue::new()
    }
}

impl EventQueue {
    /// Empty, at time zero.
    pub fn new() -> Self {
        EventQueue {
            near: Near::new(),
            open: NONE,
            crowd: Crowd::default(),
            slot: 0,
            window: BUCKETS / WINDOW,
            horizon: HORIZON,
            bring_at: (BUCKETS - HORIZON) << FIRST_SHIFT,
            open_from: 0,
            open_until: 1 << FIRST_SHIFT,
            near_until: BUCKETS << FIRST_SHIFT,
            coarse: Coarse::new(),
            far: BinaryHeap::new(),
            far_count: 0,
            moved: 0,
            just_moved: 0,
            reviewed: 0,
            least_shift: 0,
            popped: 0,
            opened: 0,
            review_at: FIRST_REVIEW,
            scouted: 0,
            scout_reach: SCOUTED,
        }
    }

    /// Schedules an event; its time is not before that of the last event taken. O(1) within the
    /// windows, O(log n) beyond them.
    #[inline(always)]
    pub fn push(&mut self, event: Event) {
        if event.time >= self.open_until && event.time < self.near_until {
            self.near.link(event);
        } else {
            self.push_elsewhere(event);
        }
    }

    #[inline(never)]
    fn push_elsewhere(&mut self, event: Event) {
        if event.time < self.open_until {
            return self.insert_into_open(event);
        }
        let slot = event.time >> self.near.shift;
        self.moved += 1;
        self.just_moved += u32::from(slot - self.slot < 2 * BUCKETS);
        let window = slot >> WINDOW_BITS;
        if window - self.window < coarse::WINDOWS {
            self.coarse.push(window, event);
        } else {
            self.push_far(event);
        }
    }

    #[cold]
    fn push_far(&mut self, event: Event) {
        self.far.push(Reverse((event.time, event.key, self.far_count, event.arg)));
        self.far_count += 1;
    }

    /// Takes the first event, if it is not later than `until` nanoseconds.
    #[inline(always)]
    pub fn pop_until(&mut self, until: u64) -> Option<Event> {
        if self.open == NONE {
            if self.crowd.is_empty() {
                self.open_next(until);
            }
            if !self.crowd.is_empty() {
                return self.pop_crowd(until);
            }
        }
        let node = self.near.nodes.get_mut(self.open as usize)?;
        let time = self.open_from + u64::from(node.offset);
        if time > until {
            return None;
        }
        let event = Event { time, key: node.key, arg: node.arg };
        let next = std::mem::replace(&mut node.next, self.near.free);
        self.near.free = std::mem::replace(&mut self.open, next);
        self.popped += 1;
        Some(event)
    }

    #[inline(never)]
    fn pop_crowd(&mut self, until: u64) -> Option<Event> {
        let event = self.event(*self.crowd.orders.last()?, *self.crowd.args.last()?);
        if event.time > until {
            return None;
        }
        self.crowd.pop();
        self.popped += 1;
        Some(event)
    }

    fn event(&self, order: u64, arg: u32) -> Event {
        Event { time: self.open_from + (order >> 32), key: order as u32, arg }
    }

    fn is_open_empty(&self) -> bool {
        self.open == NONE && self.crowd.is_empty()
    }

    /// Goes one bucket ahead, unless it is far enough ahead: shows what the events there carry.
    #[inline]
    pub fn scout(&mut self, mut show: impl FnMut(u32)) {
        let Some(slot) = self.next_occupied(self.scouted.max(self.slot) + 1) else { return };
        if slot > self.slot + self.scout_reach {
            return;
        }
        self.scouted = slot;
        let mut index = self.near.heads[bucket(slot)];
        while let Some(node) = self.near.nodes.get(index as usize) {
            show(node.arg);
            index = node.next;
        }
    }

    /// Number of pending events.
    pub fn len(&self) -> usize {
        let length = |&head: &u32| {
            let next = |index: &u32| self.near.nodes.get(*index as usize).map(|node| node.next);
            std::iter::successors(Some(head), next).count() - 1
        };
        let linked: usize = self.near.heads.iter().chain([&self.open]).map(length).sum();
        linked + self.crowd.orders.len() + self.coarse.len() + self.far.len()
    }

    /// Whether nothing is pending.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Behind its equals: what was scheduled first comes first.
    #[cold]
    fn insert_into_open(&mut self, event: Event) {
        let offset = (event.time - self.open_from) as u32;
        let node = Node { offset, key: event.key, arg: event.arg, next: NONE };
        let order = node.order();
        if self.crowd.is_empty()
            && let Some(place) = self.find(|other| other > order)
        {
            let index = self.near.store(node);
            return self.link_at(place, index);
        }
        self.gather();
        self.crowd.insert(order, node.arg);
    }

    /// Where in the opened bucket's list, between which nodes, the first event stands of which `is_later`
    /// holds; `None` if that is too far to walk.
    #[inline]
    fn find(&self, is_later: impl Fn(u64) -> bool) -> Option<(u32, u32)> {
        let (mut before, mut next) = (NONE, self.open);
        let mut steps = 0;
        while let Some(other) = self.near.nodes.get(next as usize)
            && !is_later(other.order())
        {
            if steps == CROWD {
                return None;
            }
            steps += 1;
            before = next;
            next = other.next;
        }
        Some((before, next))
    }

    #[inline]
    fn link_at(&mut self, (before, next): (u32, u32), index: u32) {
        self.near.nodes[index as usize].next = next;
        match self.near.nodes.get_mut(before as usize) {
            Some(before) => before.next = index,
            None => self.open = index,
        }
    }

    /// Makes a crowd of the opened bucket's list.
    fn gather(&mut self) {
        let mut taken = Vec::new();
        while let Some(node) = self.near.nodes.get_mut(self.open as usize) {
            taken.push((node.order(), node.arg));
            let next = std::mem::replace(&mut node.next, self.near.free);
            self.near.free = std::mem::replace(&mut self.open, next);
        }
        for (order, arg) in taken.into_iter().rev() {
            self.crowd.orders.push(order);
            self.crowd.args.push(arg);
        }
    }

    /// Opens the next bucket with events, unless they are all later than `until`.
    #[inline(always)]
    fn open_next(&mut self, until: u64) {
        if self.popped >= self.review_at && self.is_filled_by_review() {
            return;
        }
        let slot = match self.next_occupied(self.slot + 1) {
            Some(slot) => slot,
            None if self.skip_to_window(until) => return self.open_next(until),
            None => return,
        };
        // A bucket is opened when an event is taken from it: what is scheduled next may come before it.
        let from = slot << self.near.shift;
        let end = from + self.near.width;
        if end > until && self.is_later(slot, until) {
            return;
        }
        self.slot = slot;
        self.open_from = from;
        self.open_until = end;
        self.opened += 1;
        if end > self.bring_at {
            self.bring_near(slot);
        }
        self.unlink_into_open(slot);
    }

    /// Moves the events of windows that have come near.
    #[inline(never)]
    fn bring_near(&mut self, slot: u64) {
        while slot + self.horizon >= self.window * WINDOW {
            self.bring_window();
        }
    }

    fn bring_window(&mut self) {
        let bits = self.near.shift + WINDOW_BITS;
        // What was far when it was scheduled was scheduled before its equals.
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
        self.bring_at = (self.window * WINDOW - self.horizon) << self.near.shift;
    }

    /// Where nothing is near, brings the next window with events, unless they are all later than `until`; says whether.
    #[inline(never)]
    fn skip_to_window(&mut self, until: u64) -> bool {
        let bits = self.near.shift + WINDOW_BITS;
        let far = self.far.peek().map(|Reverse((time, ..))| time >> bits);
        let Some(window) = self.coarse.next(self.window).into_iter().chain(far).min() else { return false };
        if window >= until >> bits && self.is_window_later(window, until) {
            return false;
        }
        self.window = window;
        self.slot = window * WINDOW - 1;
        self.bring_window();
        true
    }

    /// Whether all events of a window that is not near are later than `until`.
    #[cold]
    fn is_window_later(&self, window: u64, until: u64) -> bool {
        let far = self.far.peek().map(|Reverse((time, ..))| *time);
        self.coarse.earliest(window).into_iter().chain(far).all(|time| time > until)
    }

    /// Whether all events of a bucket that is not opened, if there is one, are later than `until`.
    #[cold]
    fn is_later(&self, slot: u64, until: u64) -> bool {
        slot > until >> self.near.shift || self.earliest_in(slot) > until
    }

    fn earliest_in(&self, slot: u64) -> u64 {
        let mut earliest = u64::MAX;
        let mut index = self.near.heads[bucket(slot)];
        while let Some(node) = self.near.nodes.get(index as usize) {
            earliest = earliest.min((slot << self.near.shift) + u64::from(node.offset));
            index = node.next;
        }
        earliest
    }

    /// Takes a bucket's list, the newest first, into order: each event goes before its equals.
    #[inline(always)]
    fn unlink_into_open(&mut self, slot: u64) {
        let bucket = bucket(slot);
        let newest = std::mem::replace(&mut self.near.heads[bucket], NONE);
        self.near.occupied.clear(bucket);
        let Some(node) = self.near.nodes.get_mut(newest as usize) else { return };
        let rest = std::mem::replace(&mut node.next, NONE);
        self.open = newest;
        if rest != NONE {
            self.sort_into_open(rest);
        }
    }

    #[inline(never)]
    fn sort_into_open(&mut self, mut index: u32) {
        while let Some(node) = self.near.nodes.get(index as usize) {
            let (order, next) = (node.order(), node.next);
            let Some(place) = self.find(|other| other >= order) else {
                return self.sort_crowd(index);
            };
            self.link_at(place, index);
            index = next;
        }
    }

    /// The rest of a list that is too long to be sorted by insertion.
    fn sort_crowd(&mut self, mut index: u32) {
        let mut taken = Vec::new();
        while let Some(node) = self.near.nodes.get_mut(index as usize) {
            taken.push((node.order(), node.arg));
            let next = std::mem::replace(&mut node.next, self.near.free);
            self.near.free = std::mem::replace(&mut index, next);
        }
        taken.reverse(); // The oldest first.
        while let Some(node) = self.near.nodes.get_mut(self.open as usize) {
            taken.push((node.order(), node.arg));
            let next = std::mem::replace(&mut node.next, self.near.free);
            self.near.free = std::mem::replace(&mut self.open, next);
        }
        taken.sort_by_key(|(order, _)| *order); // Stable: equals stay in order of scheduling.
        taken.reverse();
        (self.crowd.orders, self.crowd.args) = taken.into_iter().unzip();
    }

    /// Number of the first near bucket from `slot` on that is not empty.
    #[inline(always)]
    fn next_occupied(&self, slot: u64) -> Option<u64> {
        Some(slot + self.near.occupied.distance_around(bucket(slot))? as u64)
    }
}

#[cfg(test)]
mod tests;
