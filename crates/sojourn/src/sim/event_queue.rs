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
    /// A time series takes a sample.
    Sample = 6,
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
            _ => Class::Sample,
        }
    }

    /// Which of its class.
    pub fn entity(self) -> u32 {
        self.key & ((1 << ENTITY_BITS) - 1)
    }
}

/// Events of one bucket in descending order. The order is the nanoseconds into the bucket and the key
/// in one number. Two lists of plain numbers: they move in registers, where a pair of 12 bytes that
/// is stored in parts and loaded whole stalls the processor.
#[derive(Debug, Default)]
struct Bucket {
    orders: Vec<u64>,
    args: Vec<u32>,
}

impl Bucket {
    fn is_empty(&self) -> bool {
        self.orders.is_empty()
    }

    fn pop(&mut self) -> Option<(u64, u32)> {
        Some((self.orders.pop()?, self.args.pop()?))
    }

    fn insert(&mut self, at: usize, order: u64, arg: u32) {
        self.orders.insert(at, order);
        self.args.insert(at, arg);
    }

    /// Behind all that comes later and, being older, behind its equals too: what is last comes first.
    #[inline]
    fn insert_older(&mut self, order: u64, arg: u32) {
        if self.orders.len() >= CROWD {
            let at = self.orders.partition_point(|&other| other >= order);
            return self.insert(at, order, arg);
        }
        let mut at = self.orders.len();
        self.orders.push(order);
        self.args.push(arg);
        while at > 0 && self.orders[at - 1] < order {
            self.orders[at] = self.orders[at - 1];
            self.args[at] = self.args[at - 1];
            at -= 1;
        }
        self.orders[at] = order;
        self.args[at] = arg;
    }
}

/// Below this many events in a bucket a walk beats a search.
const CROWD: usize = 24;

const SLOTS: u64 = 1 << 15;
const NONE: u32 = u32::MAX;
/// The width is looked at after this many events (sooner in tests, so that they see it change).
const REVIEW_EVERY: u32 = if cfg!(test) { 1 << 6 } else { 1 << 14 };
/// Events per opened bucket between which the width is left alone.
const FILL_LOW: f64 = 2.5;
const FILL_HIGH: f64 = 10.0;

/// An event in the list of a bucket that is not open: four to a cache line.
#[derive(Clone, Copy, Debug)]
struct Node {
    offset: u32,
    key: u32,
    arg: u32,
    next: u32,
}

/// Pending events in total order.
#[derive(Debug)]
pub struct EventQueue {
    /// Width of a bucket is `1 << shift` nanoseconds.
    shift: u32,
    /// First node of each bucket's list, newest first.
    heads: Vec<u32>,
    /// One bit per bucket that is not empty.
    occupied: Vec<u64>,
    nodes: Vec<Node>,
    free: u32,
    /// What is left of the opened bucket, the first event last.
    current: Bucket,
    /// Number of the opened bucket, counted from time zero.
    slot: u64,
    /// Beyond the wheel when they were scheduled; the counter keeps the order of scheduling.
    far: BinaryHeap<Reverse<(u64, u32, u64, u32)>>,
    far_count: u64,
    popped: u32,
    opened: u32,
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
            heads: vec![NONE; SLOTS as usize],
            occupied: vec![0; (SLOTS / 64) as usize],
            nodes: Vec::new(),
            free: NONE,
            current: Bucket::default(),
            slot: 0,
            far: BinaryHeap::new(),
            far_count: 0,
            popped: 0,
            opened: 0,
        }
    }

    /// Schedules an event; its time is not before that of the last event taken. O(1) within the
    /// wheel (2^15 buckets), O(log n) beyond it.
    #[inline(always)]
    pub fn push(&mut self, event: Event) {
        let slot = event.time >> self.shift;
        // What is due in the opened bucket wraps around to more than any distance.
        if (slot.wrapping_sub(self.slot + 1)) < SLOTS - 1 {
            self.link(slot, event);
        } else if slot <= self.slot {
            self.insert_into_current(event);
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
    #[inline]
    pub fn pop_until(&mut self, until: u64) -> Option<Event> {
        if self.current.is_empty() {
            self.open_next(until);
        }
        let event = self.event(*self.current.orders.last()?, *self.current.args.last()?);
        if event.time > until {
            return None;
        }
        self.current.pop();
        self.popped += 1;
        Some(event)
    }

    #[inline]
    fn event(&self, order: u64, arg: u32) -> Event {
        Event { time: (self.slot << self.shift) + (order >> 32), key: order as u32, arg }
    }

    #[inline]
    fn order(&self, event: Event) -> u64 {
        ((event.time - (self.slot << self.shift)) << 32) | u64::from(event.key)
    }

    /// Number of pending events.
    pub fn len(&self) -> usize {
        let mut linked = 0;
        for &head in &self.heads {
            let mut node = head;
            while node != NONE {
                linked += 1;
                node = self.nodes[node as usize].next;
            }
        }
        linked + self.current.orders.len() + self.far.len()
    }

    /// Whether nothing is pending.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Behind its equals: what was scheduled first comes first.
    #[cold]
    fn insert_into_current(&mut self, event: Event) {
        let order = self.order(event);
        let at = self.current.orders.partition_point(|&other| other > order);
        self.current.insert(at, order, event.arg);
    }

    #[inline(always)]
    fn link(&mut self, slot: u64, event: Event) {
        let bucket = (slot & (SLOTS - 1)) as usize;
        let offset = (event.time & ((1 << self.shift) - 1)) as u32;
        let next = self.heads[bucket];
        if next == NONE {
            self.occupied[bucket / 64] |= 1 << (bucket % 64);
        }
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

    /// Opens the next bucket with events, unless it begins after `until`.
    fn open_next(&mut self, until: u64) {
        if self.popped >= REVIEW_EVERY {
            self.review_width();
            if !self.current.is_empty() {
                return; // A wider bucket holds what came after the one that was done.
            }
        }
        let in_wheel = self.next_occupied();
        let in_far = self.far.peek().map_or(u64::MAX, |Reverse((time, ..))| time >> self.shift);
        let slot = in_wheel.min(in_far);
        if slot == u64::MAX || slot << self.shift > until {
            return;
        }
        // A bucket is opened when an event is taken from it: what is scheduled next may come before it.
        if until < ((slot + 1) << self.shift) - 1 && self.earliest_in(slot) > until {
            return;
        }
        self.slot = slot;
        self.opened += 1;
        if in_wheel == slot {
            self.unlink_into_current(slot);
        }
        if in_far == slot {
            self.move_far_into_current(slot);
        }
    }

    /// Time of the first event of a bucket that is not opened.
    fn earliest_in(&self, slot: u64) -> u64 {
        let mut earliest = self.far.peek().map_or(u64::MAX, |Reverse((time, ..))| *time);
        let mut index = self.heads[(slot & (SLOTS - 1)) as usize];
        while let Some(node) = self.nodes.get(index as usize) {
            earliest = earliest.min((slot << self.shift) + u64::from(node.offset));
            index = node.next;
        }
        earliest
    }

    /// Takes a bucket's list, the newest first, into order: each event goes before its equals.
    fn unlink_into_current(&mut self, slot: u64) {
        let bucket = (slot & (SLOTS - 1)) as usize;
        let mut index = std::mem::replace(&mut self.heads[bucket], NONE);
        self.occupied[bucket / 64] &= !(1 << (bucket % 64));
        while let Some(node) = self.nodes.get_mut(index as usize) {
            let (order, arg) = ((u64::from(node.offset) << 32) | u64::from(node.key), node.arg);
            let next = std::mem::replace(&mut node.next, self.free);
            self.free = index;
            index = next;
            self.current.insert_older(order, arg);
        }
    }

    /// What was far when it was scheduled was scheduled before its equals in the wheel.
    fn move_far_into_current(&mut self, slot: u64) {
        let mut moved = Vec::new();
        while let Some(&Reverse((time, key, _, arg))) = self.far.peek() {
            if time >> self.shift != slot {
                break;
            }
            self.far.pop();
            moved.push(Event { time, key, arg });
        }
        while let Some(event) = moved.pop() {
            self.current.insert_older(self.order(event), event.arg);
        }
    }

    /// Number of the first bucket after the opened one that is not empty; `u64::MAX` if there is none.
    #[inline]
    fn next_occupied(&self) -> u64 {
        let start = self.slot + 1;
        let first = (start & (SLOTS - 1)) as usize;
        let base = start - first as u64;
        let head = self.occupied[first / 64] & (u64::MAX << (first % 64));
        if head != 0 {
            return base + (first / 64 * 64) as u64 + u64::from(head.trailing_zeros());
        }
        // The rest of the wheel, and at last the buckets of the first word that stand before `start`.
        let words = self.occupied.len();
        for step in first / 64 + 1..=first / 64 + words {
            let bits = self.occupied[step % words];
            if bits != 0 {
                return base + (step * 64) as u64 + u64::from(bits.trailing_zeros());
            }
        }
        u64::MAX
    }

    /// Halves or doubles the buckets' width when they hold too many or too few events.
    fn review_width(&mut self) {
        let fill = f64::from(self.popped) / f64::from(self.opened.max(1));
        self.popped = 0;
        self.opened = 0;
        let shift = if fill > FILL_HIGH && self.shift > 0 {
            self.shift - 1
        } else if fill < FILL_LOW && self.shift < 30 {
            self.shift + 1
        } else {
            return;
        };
        self.rebuild(shift);
    }

    /// Only between buckets: nothing of the opened one is left.
    fn rebuild(&mut self, shift: u32) {
        debug_assert!(self.current.is_empty(), "rebuilt with an open bucket");
        let now = self.slot << self.shift;
        let mut pending = Vec::new();
        while let Some(Reverse((time, key, _, arg))) = self.far.pop() {
            pending.push(Event { time, key, arg });
        }
        loop {
            let slot = self.next_occupied();
            if slot == u64::MAX {
                break;
            }
            self.slot = slot;
            self.unlink_into_current(slot);
            while let Some((order, arg)) = self.current.pop() {
                pending.push(self.event(order, arg));
            }
        }
        pending.sort_by_key(|event| (event.time, event.key));
        self.shift = shift;
        // An event due within the opened bucket is later than everything taken so far.
        self.slot = now >> shift;
        for event in pending {
            self.push(event);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ties_go_by_class_then_entity_then_order_of_scheduling() {
        let mut queue = EventQueue::new();
        for (class, entity, arg) in
            [(Class::Timer, 1, 0), (Class::Delivery, 9, 1), (Class::Delivery, 2, 2), (Class::Delivery, 2, 3)]
        {
            queue.push(Event::new(100, class, entity, arg));
        }

        let args: Vec<u32> = std::iter::from_fn(|| queue.pop_until(100)).map(|event| event.arg).collect();

        assert_eq!(args, [2, 3, 1, 0]);
    }

    #[test]
    fn nothing_later_than_asked_for_comes_out() {
        let mut queue = EventQueue::new();
        queue.push(Event::new(1_000_000, Class::Timer, 0, 0));
        queue.push(Event::new(10_000_000_000, Class::Timer, 1, 0));

        assert_eq!(queue.pop_until(999_999), None);
        assert_eq!(queue.pop_until(1_000_000).map(Event::entity), Some(0));
        assert_eq!(queue.pop_until(9_999_999_999), None);
        assert_eq!(queue.pop_until(10_000_000_000).map(Event::entity), Some(1));
        assert!(queue.is_empty());
    }

    #[test]
    fn what_is_scheduled_after_a_look_ahead_still_comes_in_order() {
        let mut queue = EventQueue::new();
        // Two events in buckets of 8192 ns; the second bucket contains `until`, but not its event.
        queue.push(Event::new(5, Class::Delivery, 0, 0));
        queue.push(Event::new(40_000, Class::Delivery, 0, 2));

        assert_eq!(queue.pop_until(39_000).map(|event| event.arg), Some(0));
        assert_eq!(queue.pop_until(39_000), None);
        queue.push(Event::new(10_000, Class::Delivery, 0, 1));

        assert_eq!(queue.pop_until(u64::MAX).map(|event| event.arg), Some(1));
        assert_eq!(queue.pop_until(u64::MAX).map(|event| event.arg), Some(2));
    }

    proptest! {
        /// The oracle is a sorted list: the event taken is always the least by (time, class and
        /// entity, order of scheduling), over gaps from nanoseconds to minutes and through changes of width.
        #[test]
        fn comes_out_in_total_order(
            script in prop::collection::vec((0_u32..36, 0_u64..1024, 0_u32..4, any::<bool>()), 1..400),
            repeat in 1_usize..8,
        ) {
            let mut queue = EventQueue::new();
            let mut oracle: Vec<(u64, u32, usize)> = Vec::new();
            let mut now = 0;
            let mut count = 0;
            for _ in 0..repeat {
                for &(magnitude, mantissa, entity, pop) in &script {
                    let event = Event::new(now + ((mantissa << magnitude) >> 10), Class::Delivery, entity, count as u32);
                    queue.push(event);
                    oracle.push((event.time, event.key, count));
                    count += 1;
                    if pop {
                        let (at, &expected) = oracle.iter().enumerate().min_by_key(|(_, order)| **order).expect("not empty");
                        oracle.swap_remove(at);
                        let taken = queue.pop_until(u64::MAX).expect("not empty");
                        prop_assert_eq!((taken.time, taken.key, taken.arg as usize), expected);
                        now = taken.time;
                    }
                }
            }
            prop_assert_eq!(queue.len(), oracle.len());
            oracle.sort_unstable();
            for expected in oracle {
                let taken = queue.pop_until(u64::MAX).expect("not empty");
                prop_assert_eq!((taken.time, taken.key, taken.arg as usize), expected);
            }
        }
    }
}
