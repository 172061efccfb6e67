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

const CLASSES: [Class; 7] = [
    Class::TransmitterFree,
    Class::Delivery,
    Class::QueueDeadline,
    Class::Timer,
    Class::Start,
    Class::Stop,
    Class::Sample,
];
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
        CLASSES[(self.key >> ENTITY_BITS) as usize]
    }

    /// Which of its class.
    pub fn entity(self) -> u32 {
        self.key & ((1 << ENTITY_BITS) - 1)
    }

    fn order(self) -> (u64, u32) {
        (self.time, self.key)
    }
}

const SLOTS: u64 = 1 << 15;
const NONE: u32 = u32::MAX;
/// The width is looked at after this many events (sooner in tests, so that they see it change).
const REVIEW_EVERY: u32 = if cfg!(test) { 1 << 6 } else { 1 << 14 };
/// Events per opened bucket between which the width is left alone.
const FILL_LOW: f64 = 1.5;
const FILL_HIGH: f64 = 6.0;

#[derive(Clone, Copy, Debug)]
struct Node {
    event: Event,
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
    current: Vec<Event>,
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
            current: Vec::new(),
            slot: 0,
            far: BinaryHeap::new(),
            far_count: 0,
            popped: 0,
            opened: 0,
        }
    }

    /// Schedules an event; its time is not before that of the last event taken. O(1) within the
    /// wheel (2^15 buckets), O(log n) beyond it.
    #[inline]
    pub fn push(&mut self, event: Event) {
        let slot = event.time >> self.shift;
        if slot <= self.slot {
            self.insert_into_current(event);
        } else if slot - self.slot < SLOTS {
            self.link(slot, event);
        } else {
            self.far.push(Reverse((event.time, event.key, self.far_count, event.arg)));
            self.far_count += 1;
        }
    }

    /// Takes the first event, if it is not later than `until` nanoseconds.
    #[inline]
    pub fn pop_until(&mut self, until: u64) -> Option<Event> {
        if self.current.is_empty() {
            self.open_next(until);
        }
        if self.current.last()?.time > until {
            return None;
        }
        self.popped += 1;
        self.current.pop()
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
        linked + self.current.len() + self.far.len()
    }

    /// Whether nothing is pending.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Behind its equals: what was scheduled first comes first.
    fn insert_into_current(&mut self, event: Event) {
        let at = self.current.partition_point(|other| other.order() > event.order());
        self.current.insert(at, event);
    }

    fn link(&mut self, slot: u64, event: Event) {
        let bucket = (slot & (SLOTS - 1)) as usize;
        let node = Node { event, next: self.heads[bucket] };
        if node.next == NONE {
            self.occupied[bucket / 64] |= 1 << (bucket % 64);
        }
        let index = self.free;
        if index == NONE {
            self.heads[bucket] = self.nodes.len() as u32;
            self.nodes.push(node);
        } else {
            self.free = self.nodes[index as usize].next;
            self.heads[bucket] = index;
            self.nodes[index as usize] = node;
        }
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
        self.slot = slot;
        self.opened += 1;
        if in_wheel == slot {
            self.unlink_into_current(slot);
        }
        if in_far == slot {
            self.move_far_into_current(slot);
        }
    }

    /// Takes a bucket's list, the newest first, into order: each event goes before its equals.
    fn unlink_into_current(&mut self, slot: u64) {
        let bucket = (slot & (SLOTS - 1)) as usize;
        let mut index = std::mem::replace(&mut self.heads[bucket], NONE);
        self.occupied[bucket / 64] &= !(1 << (bucket % 64));
        while index != NONE {
            let node = &mut self.nodes[index as usize];
            let event = node.event;
            let next = std::mem::replace(&mut node.next, self.free);
            self.free = index;
            index = next;
            self.current.push(event);
            let mut at = self.current.len() - 1;
            if at >= CROWD {
                continue;
            }
            while at > 0 && self.current[at - 1].order() < event.order() {
                self.current[at] = self.current[at - 1];
                at -= 1;
            }
            self.current[at] = event;
        }
        if self.current.len() > CROWD {
            // Stable: among equals the newest stay in front, that is, come out last.
            self.current.sort_by_key(|event| Reverse(event.order()));
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
            let at = self.current.partition_point(|other| other.order() >= event.order());
            self.current.insert(at, event);
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
            self.unlink_into_current(slot);
            pending.extend(self.current.drain(..).rev());
        }
        pending.sort_by_key(|event| event.order());
        self.shift = shift;
        // An event due within the opened bucket is later than everything taken so far.
        self.slot = now >> shift;
        for event in pending {
            self.push(event);
        }
    }
}

/// Above this many events in a bucket a merge sort is faster than insertion.
const CROWD: usize = 24;

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
