//! Many connections at a time between the two ends of one flow: each has a sender and a receiver of the transport below,
//! in a slot. A slot whose connection is complete serves the next one, so that memory grows with the connections at
//! a time, not with time.
//!
//! A connection is told by its sequence numbers: those of slot n begin at n * 2^44, so that packets need no further
//! field. (Bound: 2^44 bytes per slot, 17 TB.)

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::{Completion, Counters, Endpoint, FlowContext};
use crate::packet::{Body, Packet};
use crate::traffic::{Amount, AppContext, Application, Arrivals, Demand};
use crate::transport::entry::{Ends, Flows};
use crate::units::{Bytes, Duration, Instant};

/// Bits of a sequence number within a slot.
const SLOT_SHIFT: u32 = 44;
/// Bytes that a request adds at most to the answer to a SYN: it is one packet.
const REQUEST_MAX: u64 = 1460;

const NEVER: u64 = u64::MAX;

/// The two ends of a flow of many connections: `arrivals` draws for the sending side, `requests` for the receiving side.
pub fn endpoints(flows: &Flows, arrivals: Box<dyn Arrivals>, requests: Box<dyn Arrivals>) -> Ends {
    let sender = Senders::new(Arc::clone(flows), arrivals);
    let receiver = Receivers { flows: Arc::clone(flows), requests, slots: Vec::new(), timers: Timers::default() };
    (Box::new(sender), Box::new(receiver))
}

/// Slot and number within it.
fn split(number: u64) -> (usize, u64) {
    ((number >> SLOT_SHIFT) as usize, number & ((1 << SLOT_SHIFT) - 1))
}

/// The slot that a sequence number belongs to: connections at one time have different ones. Zero where no flow has many.
pub fn slot(number: u64) -> u32 {
    split(number).0 as u32
}

/// The packet with its sequence number moved from slot 0 to `slot`.
fn tag(packet: &mut Packet, slot: usize) {
    let base = (slot as u64) << SLOT_SHIFT;
    match &mut packet.body {
        Body::Data { seq, .. } | Body::Choke { seq, .. } => *seq += base,
        Body::Ack { ack, .. } => *ack += base,
        _ => {}
    }
}

/// The packet as its slot knows it, and which that is.
fn untag(packet: &Packet) -> (usize, Packet) {
    let mut own = *packet;
    let slot = match &mut own.body {
        Body::Data { seq: number, .. } | Body::Ack { ack: number, .. } | Body::Choke { seq: number, .. } => {
            let (slot, within) = split(*number);
            *number = within;
            slot
        }
        _ => 0,
    };
    (slot, own)
}

/// Deadlines of the slots, least first; those that have moved are found out when they are reached.
#[derive(Debug, Default)]
struct Timers {
    heap: BinaryHeap<Reverse<(u64, u32)>>,
    /// Earliest entry of each slot.
    armed: Vec<u64>,
}

impl Timers {
    fn arm(&mut self, slot: usize, deadline: Option<Instant>) {
        if self.armed.len() <= slot {
            self.armed.resize(slot + 1, NEVER);
        }
        if let Some(deadline) = deadline.map(Instant::as_nanos)
            && deadline < self.armed[slot]
        {
            self.armed[slot] = deadline;
            self.heap.push(Reverse((deadline, slot as u32)));
        }
    }

    fn next(&self) -> Option<Instant> {
        self.heap.peek().map(|Reverse((at, _))| Instant::from_nanos(*at))
    }

    /// The next slot with an entry that is due.
    fn pop(&mut self, now: Instant) -> Option<usize> {
        while let Some(&Reverse((at, slot))) = self.heap.peek().filter(|Reverse((at, _))| *at <= now.as_nanos()) {
            self.heap.pop();
            if self.armed[slot as usize] == at {
                self.armed[slot as usize] = NEVER;
                return Some(slot as usize);
            }
        }
        None
    }
}

/// Calls an end of a slot and tags its packets.
fn call(
    end: &mut dyn Endpoint,
    slot: usize,
    cx: &mut FlowContext,
    f: impl FnOnce(&mut dyn Endpoint, &mut FlowContext),
) {
    let first = cx.out.len();
    f(end, cx);
    cx.out.change_from(first, |packet| tag(packet, slot));
}

/// The order of a slot: the data that its sender shall send, and whether that is done. It is shared by the pool and the sender's
/// application. Only one of them runs at a time.
#[derive(Debug)]
struct Order {
    /// When to begin, in nanoseconds; [`NEVER`] if nothing is to be done.
    due: AtomicU64,
    bytes: AtomicU64,
    /// Orders completed so far.
    done: AtomicU64,
}

/// The application of a slot.
struct Clerk {
    order: Arc<Order>,
}

impl Application for Clerk {
    fn on_start(&mut self, _now: Instant, _cx: &mut AppContext<'_>) -> Demand {
        Demand::NOTHING
    }

    fn next_deadline(&self) -> Option<Instant> {
        let due = self.order.due.load(Relaxed);
        (due != NEVER).then(|| Instant::from_nanos(due))
    }

    fn on_deadline(&mut self, _now: Instant, _cx: &mut AppContext<'_>) -> Demand {
        self.order.due.store(NEVER, Relaxed);
        Demand::transfer(Amount::Bytes(Bytes(self.order.bytes.load(Relaxed))))
    }

    fn on_transfer_complete(&mut self, _now: Instant, _cx: &mut AppContext<'_>) -> Demand {
        self.order.done.fetch_add(1, Relaxed);
        Demand::NOTHING
    }

    fn reports_completions(&self) -> bool {
        false
    }
}

/// A place for one connection at a time, on the sending side.
struct Slot {
    end: Box<dyn Endpoint>,
    order: Arc<Order>,
    /// Orders that had been completed when this one began.
    done_before: u64,
    busy: bool,
    began: Instant,
}

/// The sending side.
struct Senders {
    flows: Flows,
    arrivals: Box<dyn Arrivals>,
    slots: Vec<Slot>,
    free: Vec<u32>,
    timers: Timers,
    next_arrival: Option<Instant>,
    stopped: bool,
}

impl Senders {
    fn new(flows: Flows, arrivals: Box<dyn Arrivals>) -> Self {
        Senders {
            flows,
            arrivals,
            slots: Vec::new(),
            free: Vec::new(),
            timers: Timers::default(),
            next_arrival: None,
            stopped: false,
        }
    }

    fn arrive(&mut self, now: Instant, cx: &mut FlowContext) {
        self.next_arrival = Some(now + self.arrivals.interval(cx.rng));
        let (delay, bytes) = self.arrivals.response(cx.rng);
        let Some(index) = self.free_slot(now, cx) else { return };
        let slot = &mut self.slots[index];
        slot.busy = true;
        slot.began = now;
        slot.done_before = slot.order.done.load(Relaxed);
        slot.order.bytes.store(bytes.0, Relaxed);
        slot.order.due.store((now + delay).as_nanos(), Relaxed);
        self.timers.arm(index, slot.end.next_deadline());
    }

    /// A free slot, a new one if there is none; `None` if the greatest number is reached.
    fn free_slot(&mut self, now: Instant, cx: &mut FlowContext) -> Option<usize> {
        if let Some(index) = self.free.pop() {
            return Some(index as usize);
        }
        let index = self.slots.len();
        if index >= self.arrivals.most() {
            return None;
        }
        let order = Arc::new(Order { due: AtomicU64::new(NEVER), bytes: AtomicU64::new(0), done: AtomicU64::new(0) });
        let (mut end, _) = (self.flows)(Box::new(Clerk { order: Arc::clone(&order) }));
        end.start(now, cx);
        self.slots.push(Slot { end, order, done_before: 0, busy: false, began: now });
        Some(index)
    }

    /// After a call of a slot: arms its timer, and frees it if its connection is complete.
    fn settle(&mut self, now: Instant, index: usize, cx: &mut FlowContext) {
        let slot = &mut self.slots[index];
        self.timers.arm(index, slot.end.next_deadline());
        if slot.busy && slot.order.done.load(Relaxed) > slot.done_before {
            slot.busy = false;
            self.free.push(index as u32);
            if self.arrivals.reports_completions() {
                let bytes = slot.order.bytes.load(Relaxed);
                cx.out.complete(Completion { started: slot.began, finished: now, bytes });
            }
        }
    }
}

impl Endpoint for Senders {
    fn start(&mut self, now: Instant, cx: &mut FlowContext) {
        self.next_arrival = Some(now + self.arrivals.interval(cx.rng));
    }

    fn stop(&mut self, now: Instant, cx: &mut FlowContext) {
        self.stopped = true;
        self.next_arrival = None;
        for (index, slot) in self.slots.iter_mut().enumerate() {
            slot.order.due.store(NEVER, Relaxed);
            call(slot.end.as_mut(), index, cx, |end, cx| end.stop(now, cx));
        }
    }

    fn on_packet(&mut self, now: Instant, packet: &Packet, cx: &mut FlowContext) {
        let (index, own) = untag(packet);
        let Some(slot) = self.slots.get_mut(index) else { return };
        call(slot.end.as_mut(), index, cx, |end, cx| end.on_packet(now, &own, cx));
        self.settle(now, index, cx);
    }

    fn next_deadline(&self) -> Option<Instant> {
        [self.next_arrival, self.timers.next()].into_iter().flatten().min()
    }

    fn on_deadline(&mut self, now: Instant, cx: &mut FlowContext) {
        while !self.stopped && self.next_arrival.is_some_and(|at| at <= now) {
            self.arrive(now, cx);
        }
        while let Some(index) = self.timers.pop(now) {
            let slot = &mut self.slots[index];
            if slot.end.next_deadline().is_some_and(|deadline| deadline <= now) {
                call(slot.end.as_mut(), index, cx, |end, cx| end.on_deadline(now, cx));
            }
            self.settle(now, index, cx);
        }
    }

    fn counters(&self) -> Counters {
        self.slots.iter().fold(Counters::default(), |sum, slot| sum.plus(&slot.end.counters()))
    }

    fn standstill(&self, now: Instant) -> Duration {
        self.slots.iter().map(|slot| slot.end.standstill(now)).max().unwrap_or(Duration::ZERO)
    }
}

/// The receiving side.
struct Receivers {
    flows: Flows,
    requests: Box<dyn Arrivals>,
    slots: Vec<Box<dyn Endpoint>>,
    timers: Timers,
}

/// The application of a sender that is not used.
struct Nothing;

impl Application for Nothing {
    fn on_start(&mut self, _now: Instant, _cx: &mut AppContext<'_>) -> Demand {
        Demand::NOTHING
    }
}

impl Endpoint for Receivers {
    fn on_packet(&mut self, now: Instant, packet: &Packet, cx: &mut FlowContext) {
        let (index, own) = untag(packet);
        while self.slots.len() <= index {
            let (_, receiver) = (self.flows)(Box::new(Nothing));
            self.slots.push(receiver);
        }
        let first = cx.out.len();
        call(self.slots[index].as_mut(), index, cx, |end, cx| end.on_packet(now, &own, cx));
        if matches!(own.body, Body::Data { syn: true, .. }) {
            // The client's request comes with its answer.
            let request = self.requests.request(cx.rng).0.min(REQUEST_MAX) as u32;
            cx.out.change_from(first, |answer| answer.size += request);
        }
        self.timers.arm(index, self.slots[index].next_deadline());
    }

    fn next_deadline(&self) -> Option<Instant> {
        self.timers.next()
    }

    fn on_deadline(&mut self, now: Instant, cx: &mut FlowContext) {
        while let Some(index) = self.timers.pop(now) {
            let end = self.slots[index].as_mut();
            if end.next_deadline().is_some_and(|deadline| deadline <= now) {
                call(end, index, cx, |end, cx| end.on_deadline(now, cx));
            }
            self.timers.arm(index, self.slots[index].next_deadline());
        }
    }

    fn counters(&self) -> Counters {
        self.slots.iter().fold(Counters::default(), |sum, end| sum.plus(&end.counters()))
    }
}

#[cfg(test)]
mod tests;
