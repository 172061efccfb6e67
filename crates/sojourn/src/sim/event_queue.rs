//! The order of events: by time, then by what they concern, then in order of scheduling.
//!
//! [`EventQueue`] is a bucketed timing wheel. Each bucket covers a power of two of nanoseconds and
//! holds its events in a linked list in one pool; a bucket is sorted when it is opened. A bitmap finds the next bucket
//! that is not empty, and a heap holds what lies beyond the wheel (retransmission timers). The width
//! of a bucket follows the measured number of events per bucket; the order of events does not depend on it.
//!
//! Cost per event, measured on the benchmark's dumbbell: see docs/performance.md.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

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

/// Buckets of a wheel at first (few in tests, so that they see it grow), and at most: four bytes each.
const FEWEST_SLOTS: usize = if cfg!(test) { 1 << 7 } else { 1 << 15 };
const MOST_SLOTS: usize = if cfg!(test) { 1 << 11 } else { 1 << 20 };
const NONE: u32 = u32::MAX;
/// The width is looked at after this many events (sooner in tests, so that they see it change).
const REVIEW_EVERY: u32 = if cfg!(test) { 1 << 6 } else { 1 << 14 };
/// Events per opened bucket between which the width is left alone. Almost always one: then the processor
/// guesses rightly that there is nothing to be sorted.
const FILL_LOW: f64 = 1.08;
const FILL_HIGH: f64 = 1.3;
/// The wheel is long enough while fewer than one event in so many goes beyond it.
const FAR_SHARE: u32 = 50;
/// The same where it cannot become longer without becoming coarser.
const FAR_SHARE_AT_MOST: u32 = 10;

/// An event in the list of a bucket: four to a cache line.
#[derive(Clone, Copy, Debug)]
struct Node {
    offset: u32,
    key: u32,
    arg: u32,
    next: u32,
}

impl Node {
    fn order(&self) -> u64 {
        (u64::from(self.offset) << 32) | u64::from(self.key)
    }
}

/// Pending events in total order.
#[derive(Debug)]
pub struct EventQueue {
    /// Width of a bucket is `1 << shift` nanoseconds.
    shift: u32,
    /// First node of each bucket's list, newest first; as many as a power of two.
    heads: Box<[u32]>,
    /// One bit per bucket that is not empty.
    occupied: Box<[u64]>,
    nodes: Vec<Node>,
    free: u32,
    /// What is left of the opened bucket: a list in order, or a crowd, never both.
    open: u32,
    crowd: Crowd,
    /// Number of the opened bucket, counted from time zero.
    slot: u64,
    /// Beyond the wheel when they were scheduled; the counter keeps the order of scheduling.
    far: BinaryHeap<Reverse<(u64, u32, u64, u32)>>,
    far_count: u64,
    /// Those since the last review that a wheel of twice the length would have held.
    beyond: u32,
    /// Buckets narrower than this were tried, and the wheel was too short.
    least_shift: u32,
    /// Bucket of the first of them; `u64::MAX` if there is none.
    far_slot: u64,
    popped: u32,
    opened: u32,
    review_at: u32,
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
            shift: 13,
            heads: vec![NONE; FEWEST_SLOTS].into(),
            occupied: vec![0; FEWEST_SLOTS / 64].into(),
            nodes: Vec::new(),
            free: NONE,
            open: NONE,
            crowd: Crowd::default(),
            slot: 0,
            far: BinaryHeap::new(),
            far_count: 0,
            beyond: 0,
            least_shift: 0,
            far_slot: u64::MAX,
            popped: 0,
            opened: 0,
            review_at: REVIEW_EVERY,
        }
    }

    /// Schedules an event; its time is not before that of the last event taken. O(1) within the
    /// wheel (2^15 buckets or more), O(log n) beyond it.
    #[inline(always)]
    pub fn push(&mut self, event: Event) {
        let slot = event.time >> self.shift;
        // What is due in the opened bucket wraps around to more than any distance.
        if (slot.wrapping_sub(self.slot + 1)) < self.heads.len() as u64 - 1 {
            self.link(slot, event);
        } else if slot <= self.slot {
            self.insert_into_open(event);
        } else {
            self.push_far(event);
        }
    }

    #[cold]
    fn push_far(&mut self, event: Event) {
        let slot = event.time >> self.shift;
        self.far.push(Reverse((event.time, event.key, self.far_count, event.arg)));
        self.far_count += 1;
        self.beyond += u32::from(slot - self.slot < 2 * self.heads.len() as u64);
        self.far_slot = self.far_slot.min(slot);
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
        let node = self.nodes.get_mut(self.open as usize)?;
        let time = (self.slot << self.shift) + u64::from(node.offset);
        if time > until {
            return None;
        }
        let event = Event { time, key: node.key, arg: node.arg };
        let next = std::mem::replace(&mut node.next, self.free);
        self.free = std::mem::replace(&mut self.open, next);
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
        Event { time: (self.slot << self.shift) + (order >> 32), key: order as u32, arg }
    }

    /// Where in the wheel a bucket stands.
    #[inline(always)]
    fn bucket(&self, slot: u64) -> usize {
        slot as usize & (self.heads.len() - 1)
    }

    fn is_open_empty(&self) -> bool {
        self.open == NONE && self.crowd.is_empty()
    }

    /// Number of pending events.
    pub fn len(&self) -> usize {
        let length = |&head: &u32| {
            let next = |index: &u32| self.nodes.get(*index as usize).map(|node| node.next);
            std::iter::successors(Some(head), next).count() - 1
        };
        let linked: usize = self.heads.iter().chain([&self.open]).map(length).sum();
        linked + self.crowd.orders.len() + self.far.len()
    }

    /// Whether nothing is pending.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Behind its equals: what was scheduled first comes first.
    #[cold]
    fn insert_into_open(&mut self, event: Event) {
        let offset = (event.time - (self.slot << self.shift)) as u32;
        let node = Node { offset, key: event.key, arg: event.arg, next: NONE };
        let order = node.order();
        if self.crowd.is_empty()
            && let Some(place) = self.find(|other| other > order)
        {
            let index = self.store(node);
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
        while let Some(other) = self.nodes.get(next as usize)
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
        self.nodes[index as usize].next = next;
        match self.nodes.get_mut(before as usize) {
            Some(before) => before.next = index,
            None => self.open = index,
        }
    }

    /// Makes a crowd of the opened bucket's list.
    fn gather(&mut self) {
        let mut taken = Vec::new();
        while let Some(node) = self.nodes.get_mut(self.open as usize) {
            taken.push((node.order(), node.arg));
            let next = std::mem::replace(&mut node.next, self.free);
            self.free = std::mem::replace(&mut self.open, next);
        }
        for (order, arg) in taken.into_iter().rev() {
            self.crowd.orders.push(order);
            self.crowd.args.push(arg);
        }
    }

    /// Stores an event in the pool.
    #[inline]
    fn store(&mut self, node: Node) -> u32 {
        let index = self.free;
        if let Some(place) = self.nodes.get_mut(index as usize) {
            self.free = place.next;
            *place = node;
            return index;
        }
        self.nodes.push(node);
        (self.nodes.len() - 1) as u32
    }

    #[inline(always)]
    fn link(&mut self, slot: u64, event: Event) {
        let bucket = self.bucket(slot);
        let offset = (event.time & ((1 << self.shift) - 1)) as u32;
        let next = self.heads[bucket];
        self.occupied[bucket / 64] |= 1 << (bucket % 64);
        if let Some(place) = self.nodes.get_mut(self.free as usize) {
            self.heads[bucket] = self.free;
            self.free = place.next;
            place.offset = offset;
            place.key = event.key;
            place.arg = event.arg;
            place.next = next;
        } else {
            self.grow(bucket, Node { offset, key: event.key, arg: event.arg, next });
        }
    }

    #[cold]
    fn grow(&mut self, bucket: usize, node: Node) {
        self.heads[bucket] = self.nodes.len() as u32;
        self.nodes.push(node);
    }

    /// Opens the next bucket with events, unless they are all later than `until`.
    #[inline(always)]
    fn open_next(&mut self, until: u64) {
        if self.popped >= self.review_at && self.is_filled_by_review() {
            return;
        }
        let in_wheel = self.next_occupied();
        let slot = in_wheel.min(self.far_slot);
        // A bucket is opened when an event is taken from it: what is scheduled next may come before it.
        if slot >= until >> self.shift && self.is_later(slot, until) {
            return;
        }
        self.slot = slot;
        self.opened += 1;
        if in_wheel == slot {
            self.unlink_into_open(slot);
        }
        if self.far_slot == slot {
            self.move_far_into_open(slot);
        }
    }

    /// Whether all events of a bucket that is not opened, if there is one, are later than `until`.
    #[cold]
    fn is_later(&self, slot: u64, until: u64) -> bool {
        slot > until >> self.shift || self.earliest_in(slot) > until
    }

    fn earliest_in(&self, slot: u64) -> u64 {
        let mut earliest = self.far.peek().map_or(u64::MAX, |Reverse((time, ..))| *time);
        let mut index = self.heads[self.bucket(slot)];
        while let Some(node) = self.nodes.get(index as usize) {
            earliest = earliest.min((slot << self.shift) + u64::from(node.offset));
            index = node.next;
        }
        earliest
    }

    /// Takes a bucket's list, the newest first, into order: each event goes before its equals.
    #[inline(always)]
    fn unlink_into_open(&mut self, slot: u64) {
        let bucket = self.bucket(slot);
        let newest = std::mem::replace(&mut self.heads[bucket], NONE);
        self.occupied[bucket / 64] &= !(1 << (bucket % 64));
        let Some(node) = self.nodes.get_mut(newest as usize) else { return };
        let rest = std::mem::replace(&mut node.next, NONE);
        self.open = newest;
        if rest != NONE {
            self.sort_into_open(rest);
        }
    }

    #[inline(never)]
    fn sort_into_open(&mut self, mut index: u32) {
        while let Some(node) = self.nodes.get(index as usize) {
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
        while let Some(node) = self.nodes.get_mut(index as usize) {
            taken.push((node.order(), node.arg));
            let next = std::mem::replace(&mut node.next, self.free);
            self.free = std::mem::replace(&mut index, next);
        }
        taken.reverse(); // The oldest first.
        while let Some(node) = self.nodes.get_mut(self.open as usize) {
            taken.push((node.order(), node.arg));
            let next = std::mem::replace(&mut node.next, self.free);
            self.free = std::mem::replace(&mut self.open, next);
        }
        taken.sort_by_key(|(order, _)| *order); // Stable: equals stay in order of scheduling.
        taken.reverse();
        (self.crowd.orders, self.crowd.args) = taken.into_iter().unzip();
    }

    /// What was far when it was scheduled was scheduled before its equals in the wheel.
    #[cold]
    fn move_far_into_open(&mut self, slot: u64) {
        let mut moved = Vec::new();
        while let Some(&Reverse((time, key, _, arg))) = self.far.peek() {
            if time >> self.shift != slot {
                break;
            }
            self.far.pop();
            moved.push(Event { time, key, arg });
        }
        self.far_slot = self.far.peek().map_or(u64::MAX, |Reverse((time, ..))| time >> self.shift);
        self.gather();
        let base = slot << self.shift;
        for event in moved.into_iter().rev() {
            let order = ((event.time - base) << 32) | u64::from(event.key);
            let at = self.crowd.orders.partition_point(|&other| other >= order);
            self.crowd.orders.insert(at, order);
            self.crowd.args.insert(at, event.arg);
        }
    }

    /// Number of the first bucket after the opened one that is not empty; `u64::MAX` if there is none.
    #[inline]
    fn next_occupied(&self) -> u64 {
        let start = self.slot + 1;
        let first = self.bucket(start);
        let base = start - first as u64;
        let head = self.occupied[first / 64] & (u64::MAX << (first % 64));
        if head != 0 {
            return base + (first / 64 * 64) as u64 + u64::from(head.trailing_zeros());
        }
        // The rest of the wheel, and at last the buckets of the first word that stand before `start`.
        let words = self.occupied.len();
        for step in first / 64 + 1..=first / 64 + words {
            let bits = self.occupied[step & (words - 1)];
            if bits != 0 {
                return base + (step * 64) as u64 + u64::from(bits.trailing_zeros());
            }
        }
        u64::MAX
    }

    /// Reviews the width: a wider bucket may hold what came after the one that was done.
    #[cold]
    fn is_filled_by_review(&mut self) -> bool {
        self.review_width();
        !self.is_open_empty()
    }

    /// Halves or doubles the buckets' width when they hold too many or too few events, and their number when the
    /// wheel is too short.
    fn review_width(&mut self) {
        let fill = f64::from(self.popped) / f64::from(self.opened.max(1));
        let slots = self.heads.len();
        let share = if slots < MOST_SLOTS { FAR_SHARE } else { FAR_SHARE_AT_MOST };
        let went_far = self.beyond > self.popped / share;
        self.beyond = 0;
        // To build the wheel anew costs as much as some events for each that is pending.
        self.review_at = REVIEW_EVERY.max(4 * self.nodes.len() as u32);
        self.popped = 0;
        self.opened = 0;
        if went_far && fill >= FILL_LOW && slots < MOST_SLOTS {
            return self.rebuild(self.shift, 2 * slots);
        }
        if went_far {
            self.least_shift = self.shift + 1;
        }
        if (went_far || fill < FILL_LOW) && self.shift < 30 {
            self.rebuild(self.shift + 1, slots);
        } else if fill > FILL_HIGH && self.shift > self.least_shift {
            self.rebuild(self.shift - 1, slots);
        }
    }

    /// Only between buckets: nothing of the opened one is left.
    fn rebuild(&mut self, shift: u32, slots: usize) {
        debug_assert!(self.is_open_empty(), "rebuilt with an open bucket");
        let now = self.slot << self.shift;
        let mut pending = Vec::new();
        while let Some(Reverse((time, key, _, arg))) = self.far.pop() {
            pending.push(Event { time, key, arg });
        }
        self.far_slot = u64::MAX;
        loop {
            let slot = self.next_occupied();
            if slot == u64::MAX {
                break;
            }
            self.slot = slot;
            self.unlink_into_open(slot);
            self.gather();
            while let Some((order, arg)) = self.crowd.pop() {
                pending.push(self.event(order, arg));
            }
        }
        pending.sort_by_key(|event| (event.time, event.key));
        if slots != self.heads.len() {
            self.heads = vec![NONE; slots].into();
            self.occupied = vec![0; slots / 64].into();
        }
        self.shift = shift;
        // An event due within the opened bucket is later than everything taken so far.
        self.slot = now >> shift;
        for event in pending {
            self.push(event);
        }
        self.beyond = 0;
    }
}

#[cfg(test)]
mod tests;
