//! The engine: a run is a pure function of (plan, seed, version).
//!
//! The way of a packet: an endpoint pushes it into its context; [`Simulation::travel`] carries it
//! link by link along its flow's route; an event is scheduled only where something else may happen
//! in between (at a link that several feed, at a managed queue, at an endpoint). Ties in time are
//! broken as [`event_queue`] says.

mod build;
mod capture;
mod choke;
pub mod event_queue;
mod record;
mod slab;
mod tables;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod theory;

pub use build::PlanError;

use std::collections::BTreeMap;

use crate::metrics::Table;
use crate::net::fifo_link::FifoLink;
use crate::net::opportunities::Opportunities;
use crate::net::queue_link::QueueLink;
use crate::packet::{Body, FlowId, Packet};
use crate::rng::Rng;
use crate::scenario::plan::ChangePlan;
use crate::transport::{Completion, Counters, Endpoint, FlowContext};
use crate::units::{Duration, Instant, Rate};
use event_queue::{Class, Event, EventQueue};
use record::Recorded;
use slab::Slab;

/// Ends of a route in [`Simulation::routes`].
const TO_SENDER: u32 = u32::MAX;
const TO_RECEIVER: u32 = u32::MAX - 1;

/// Sides of a flow; a timer's entity is twice the flow's number plus the side.
const SENDER: usize = 0;
const RECEIVER: usize = 1;

const NEVER: u64 = u64::MAX;

/// A running simulation. Many can live side by side.
pub struct Simulation {
    now: Instant,
    events: EventQueue,
    in_flight: Slab,
    links: Vec<LinkState>,
    /// All routes, one after the other: link numbers, closed by `TO_SENDER` or `TO_RECEIVER`.
    routes: Vec<u32>,
    flows: Vec<FlowState>,
    flow_records: Vec<FlowRecord>,
    /// Lent to endpoints, so that no flow needs a buffer of its own.
    outbox: Vec<Packet>,
    /// Where choke packets go; empty where no queue sends any.
    choke_routes: choke::Routes,
    recorded: Recorded,
    /// Counters at the end of the warm-up; empty before it, and without one.
    baseline: Vec<[Counters; 2]>,
    warm: bool,
    settings: Settings,
}

/// What stays as the plan said.
#[derive(Debug)]
struct Settings {
    warmup: Instant,
    end: Instant,
    /// The observed links by number: the others appear in no table.
    observed: BTreeMap<u32, ObservedLink>,
    group_names: Vec<String>,
    record: crate::scenario::plan::RecordPlan,
}

/// What tables say of a link besides what its queue counted.
#[derive(Debug)]
struct ObservedLink {
    name: String,
    rate: Rate,
    changes: Vec<ChangePlan>,
    opportunities: Option<Opportunities>,
}

enum Link {
    Fifo(FifoLink),
    Queue(Box<QueueLink>),
}

struct LinkState {
    link: Link,
    /// All packets come from one other link, in order, and nobody watches: what happens here is
    /// known when they leave there, so no event is spent on their arrival.
    fused: bool,
    observed: bool,
}

/// What every packet of a flow touches.
struct FlowState {
    ends: [Box<dyn Endpoint>; 2],
    /// Earliest scheduled timer of each end; the event is moved when it fires early.
    armed: [u64; 2],
    /// Where the routes of each end's packets begin.
    route: [u32; 2],
    rng: Rng,
}

/// What only tables need to know of a flow.
struct FlowRecord {
    group: u32,
    started: Instant,
    /// Data packets lost at queues that are not observed.
    lost_unobserved: u64,
    /// Data packets corrupted on links.
    corrupted: u64,
    completions: Vec<Completion>,
}

impl Simulation {
    /// Simulated time reached.
    pub fn now(&self) -> Instant {
        self.now
    }

    /// Simulated time at which the run is complete.
    pub fn end(&self) -> Instant {
        self.settings.end
    }

    /// Processes all events up to and including `until`, or to the end of the run if that is earlier.
    pub fn advance(&mut self, until: Instant) {
        let until = until.min(self.settings.end);
        if !self.warm && until >= self.settings.warmup {
            if self.settings.warmup > Instant::ZERO {
                self.run(self.settings.warmup.as_nanos() - 1);
                let counters = |flow: &FlowState| [flow.ends[SENDER].counters(), flow.ends[RECEIVER].counters()];
                self.baseline = self.flows.iter().map(counters).collect();
            }
            self.warm = true;
        }
        self.run(until.as_nanos());
        self.now = self.now.max(until);
    }

    /// The results up to the time reached.
    pub fn finish(mut self) -> Vec<Table> {
        self.close_books();
        self.tables()
    }

    fn run(&mut self, until: u64) {
        while let Some(event) = self.events.pop_until(until) {
            self.handle(event);
        }
    }

    fn handle(&mut self, event: Event) {
        let now = Instant::from_nanos(event.time);
        debug_assert!(now >= self.now, "time went backwards");
        self.now = now;
        match event.class() {
            Class::Delivery => {
                let packet = self.in_flight.get_mut(event.arg);
                packet.hop += 1;
                match self.routes[packet.hop as usize] {
                    TO_SENDER => self.deliver(now, event.arg, SENDER),
                    TO_RECEIVER => self.deliver(now, event.arg, RECEIVER),
                    notice if notice >= choke::NOTICE => self.show_choke(now, notice, event.arg),
                    link => self.travel(now, link, event.arg),
                }
            }
            Class::TransmitterFree => {
                if let Link::Queue(queue) = &mut self.links[event.entity() as usize].link {
                    queue.transmitter_free();
                }
                self.transmit(now, event.entity());
            }
            Class::QueueDeadline => self.queue_deadline(now, event.entity()),
            Class::Timer => self.timer(now, event.entity()),
            Class::Start => self.call(now, event.entity() as usize, SENDER, |end, cx| end.start(now, cx)),
            Class::Stop => self.call(now, event.entity() as usize, SENDER, |end, cx| end.stop(now, cx)),
            Class::Sample => self.sample(now, event.entity()),
        }
    }

    /// Calls an endpoint, sends what it pushed and arms its timer.
    fn call(&mut self, now: Instant, flow: usize, side: usize, f: impl FnOnce(&mut dyn Endpoint, &mut FlowContext)) {
        let state = &mut self.flows[flow];
        f(&mut *state.ends[side], &mut FlowContext { rng: &mut state.rng, out: &mut self.outbox });
        self.after_call(now, flow, side);
    }

    /// Hands a packet to an endpoint: [`Simulation::call`] without a copy of the packet.
    fn deliver(&mut self, now: Instant, handle: u32, side: usize) {
        let packet = self.in_flight.get(handle);
        let flow = packet.flow.0 as usize;
        let state = &mut self.flows[flow];
        let mut cx = FlowContext { rng: &mut state.rng, out: &mut self.outbox };
        state.ends[side].on_packet(now, packet, &mut cx);
        self.in_flight.free(handle);
        if side == SENDER {
            let done = state.ends[SENDER].take_completions();
            if !done.is_empty() {
                self.flow_records[flow].completions.extend(done);
            }
        }
        self.after_call(now, flow, side);
    }

    /// Arms the endpoint's timer and sends what stands in the outbox.
    #[inline]
    fn after_call(&mut self, now: Instant, flow: usize, side: usize) {
        let state = &mut self.flows[flow];
        if let Some(deadline) = state.ends[side].next_deadline()
            && deadline.as_nanos() < state.armed[side]
        {
            state.armed[side] = deadline.as_nanos();
            let entity = (2 * flow + side) as u32;
            self.events.push(Event::new(deadline.max(now).as_nanos(), Class::Timer, entity, 0));
        }
        if self.outbox.is_empty() {
            return;
        }
        let hop = state.route[side];
        let first = self.routes[hop as usize];
        for index in 0..self.outbox.len() {
            let handle = self.in_flight.insert(&self.outbox[index]);
            let sent = self.in_flight.get_mut(handle);
            sent.flow = FlowId(flow as u32);
            sent.hop = hop;
            self.travel(now, first, handle);
        }
        self.outbox.clear();
    }

    fn timer(&mut self, now: Instant, entity: u32) {
        let (flow, side) = (entity as usize / 2, entity as usize % 2);
        let state = &mut self.flows[flow];
        if state.armed[side] != now.as_nanos() {
            return; // An earlier deadline was armed since; its event has come or will come.
        }
        state.armed[side] = NEVER;
        match state.ends[side].next_deadline() {
            Some(deadline) if deadline <= now => self.call(now, flow, side, |end, cx| end.on_deadline(now, cx)),
            // The deadline has moved: timers are re-armed lazily.
            _ => self.call(now, flow, side, |_, _| {}),
        }
    }

    /// Carries a packet that arrives at `link` now as far as its fate is known.
    #[inline]
    fn travel(&mut self, now: Instant, link: u32, handle: u32) {
        let state = &mut self.links[link as usize];
        let packet = self.in_flight.get(handle);
        match &mut state.link {
            Link::Fifo(fifo) => match fifo.arrive(now, packet) {
                Some(arrival) => self.fly(arrival, link, handle),
                None => self.lost(link, handle),
            },
            Link::Queue(queue) => {
                queue.arrive(now, *packet);
                self.in_flight.free(handle);
                self.transmit(now, link);
            }
        }
    }

    /// A packet is on `link` and will reach its end at `arrival`.
    #[inline]
    fn fly(&mut self, mut arrival: Instant, mut link: u32, handle: u32) {
        loop {
            let packet = self.in_flight.get_mut(handle);
            let next = self.routes[packet.hop as usize + 1];
            if next >= choke::NOTICE {
                break;
            }
            let state = &mut self.links[next as usize];
            if !state.fused {
                break;
            }
            let Link::Fifo(fifo) = &mut state.link else {
                unreachable!("only drop-tail links are fused");
            };
            let Some(later) = fifo.arrive(arrival, packet) else {
                return self.lost(next, handle);
            };
            arrival = later;
            packet.hop += 1;
            link = next;
        }
        self.events.push(Event::new(arrival.as_nanos(), Class::Delivery, link, handle));
    }

    /// Starts a transmission on a managed link if it can, and arms the discipline's deadline.
    #[inline]
    fn transmit(&mut self, now: Instant, link: u32) {
        let state = &mut self.links[link as usize];
        let Link::Queue(queue) = &mut state.link else {
            return;
        };
        let departure = queue.transmit(now);
        let chokes = queue.has_chokes();
        if let Some(deadline) = queue.discipline().next_deadline()
            && deadline.as_nanos() < queue.armed
        {
            queue.armed = deadline.as_nanos();
            self.events.push(Event::new(deadline.max(now).as_nanos(), Class::QueueDeadline, link, 0));
        }
        if let Some(departure) = departure {
            self.events.push(Event::new(departure.free_at.as_nanos(), Class::TransmitterFree, link, 0));
            match departure.arrives_at {
                Some(arrival) => {
                    let handle = self.in_flight.insert(&departure.packet);
                    self.fly(arrival, link, handle);
                }
                None => self.corrupted(&departure.packet),
            }
        }
        if chokes {
            self.send_chokes(now, link);
        }
    }

    fn queue_deadline(&mut self, now: Instant, link: u32) {
        let Link::Queue(queue) = &mut self.links[link as usize].link else {
            return;
        };
        if queue.armed != now.as_nanos() {
            return;
        }
        queue.armed = NEVER;
        if queue.discipline().next_deadline().is_some_and(|deadline| deadline <= now) {
            queue.on_deadline(now);
        }
        self.transmit(now, link);
    }

    /// A drop-tail queue had no room.
    fn lost(&mut self, link: u32, handle: u32) {
        let packet = self.in_flight.get(handle);
        let (flow, choke) = (packet.flow.0 as usize, matches!(packet.body, Body::Choke { .. }));
        self.in_flight.free(handle);
        if !choke && !self.links[link as usize].observed && self.now >= self.settings.warmup {
            self.flow_records[flow].lost_unobserved += 1;
        }
    }

    /// A packet was corrupted on a link.
    #[cold]
    fn corrupted(&mut self, packet: &Packet) {
        let end = self.routes[packet.hop as usize..].iter().find(|hop| **hop >= TO_RECEIVER);
        if end == Some(&TO_RECEIVER) && self.now >= self.settings.warmup {
            self.flow_records[packet.flow.0 as usize].corrupted += 1;
        }
    }

    /// Length of the measured window reached.
    fn window(&self) -> Duration {
        self.now.since(self.settings.warmup)
    }
}
