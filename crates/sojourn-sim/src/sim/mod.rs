//! The engine: a run is a pure function of (plan, seed, version).
//!
//! This file is the plain path of a packet, and can be read from the top to the bottom:
//!
//! 1. `call` calls an end of a flow with the time, or `deliver` with a packet. The packets that the end sends are in the outbox.
//!    `after_call` arms its timer and sends each packet over the first link of its route.
//! 2. `enter`: a packet reaches a link. The queue in front of it takes the packet or drops it.
//! 3. `transmit`: if the transmitter is free, it takes the next packet from the queue. An event says when it is free again.
//! 4. `follow` and `go_on`: the packet is on the wire. An event says when it reaches the next thing on its route: another link (2) or an
//!    end (1).
//!
//! `handle` is the list of all kinds of events. [`event_queue`] orders events at one time. If the result of an event is known earlier, the
//! engine needs no event: [`shortcuts`] do this, and change no result.

mod air;
mod build;
mod capacity;
mod captured;
pub mod catalogue;
mod choke_packets;
pub mod event_queue;
mod flow_counts;
mod follow;
mod footprint;
mod group_tables;
mod hop;
mod links;
mod quality_table;
mod record;
mod repairs;
mod responsiveness_table;
mod routes;
pub mod shortcuts;
mod state;
mod tables;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod theory;
mod tied;
mod turns;
mod warnings;
mod watch;

pub use build::{Parts, PlanError, parts};
pub use state::Simulation;
pub use watch::{GroupSoFar, LinkSoFar};

use crate::metrics::Table;
use crate::metrics::queue::QueueRecorder;
use crate::net::queue_link::{CONTENDS, Departure, QueueLink};
use crate::packet::{FlowId, Packet};
use crate::pool::make_room;
use crate::transport::{Completion, Endpoint, FlowContext};
use crate::units::{Coarse, Duration, Instant};
use event_queue::{Class, Event, EventQueue, NEVER};
use flow_counts::FlowCounts;
use follow::{Flight, follow};
use hop::{Hop, Kind};
use links::Link;
use shortcuts::{Fate, scout};
use state::{RECEIVER, SENDER};

/// The things that frequent events concern.
const FIFO: u32 = Kind::Buffer as u32;
/// Packets that are sent at once before a check whether the next ones fit into memory.
const MANY: usize = 1 << 14;

const QUEUE: u32 = Kind::Queue as u32;
const AHEAD: u32 = Kind::Ahead as u32;
const RECEIVED: u32 = Kind::Receiver as u32;
const ACKNOWLEDGED: u32 = Kind::Sender as u32;
const NOTICED: u32 = Kind::Notice as u32;
const TRANSMITTER: u32 = Kind::Transmitter as u32;

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
        self.advance_within(until, u64::MAX);
    }

    /// Like [`Simulation::advance`], but stops after about `events` events (a row of a recorded series counts as one). Returns whether it
    /// has reached `until`. If not, the next call must not name an earlier time, because ends may have been called ahead.
    pub fn advance_within(&mut self, until: Instant, events: u64) -> bool {
        let until = until.min(self.settings.end);
        let mut left = events;
        if !self.warm && until >= self.settings.warmup {
            if self.settings.warmup > Instant::ZERO {
                left = self.run(self.settings.warmup.as_nanos() - 1, left);
                if left == 0 {
                    return false;
                }
                self.warm_up_ends();
            }
            self.warm = true;
        }
        if self.run(until.as_nanos(), left) == 0 {
            return false;
        }
        self.now = self.now.max(until);
        true
    }

    /// Ends the warm-up: all counters begin again.
    fn warm_up_ends(&mut self) {
        let last = Instant::from_nanos(self.settings.warmup.as_nanos() - 1);
        self.each_recorder(last, QueueRecorder::begin);
        self.groups.begin();
        self.baseline = self.flows.iter().map(|flow| FlowCounts::of(&flow.ends)).collect();
        self.repairs_before = self.repairs_so_far();
    }

    /// The results up to the time reached.
    pub fn finish(mut self) -> Vec<Table> {
        self.close_books();
        self.tables()
    }

    /// Goes on to `until`, but not for more than `left` events: how many are left then, zero if they did not suffice.
    fn run(&mut self, until: u64, mut left: u64) -> u64 {
        loop {
            let horizon = self.look_ahead(until);
            let events = left.min(scout::REVIEW_EVERY);
            let step = if self.scouts { scout::step(self.flows.len(), self.outbox.pool.places()) } else { 0 };
            let spared = match step {
                0 => self.run_events(horizon, events),
                step => self.run_scouted_events(horizon, step, events),
            };
            self.foresight.is_reached = spared > 0;
            left = (left - (events - spared)).saturating_sub(self.recorded.take_new_rows());
            if left == 0 || (spared > 0 && horizon == until) {
                return left;
            }
        }
    }

    fn run_events(&mut self, until: u64, mut left: u64) -> u64 {
        while left > 0
            && let Some(event) = self.events.pop_until(until)
        {
            self.handle(event);
            left -= 1;
        }
        left
    }

    /// [`Simulation::run_events`] in a large network.
    fn run_scouted_events(&mut self, until: u64, step: usize, mut left: u64) -> u64 {
        while left > 0
            && let Some(event) = self.events.pop_ahead(scout::reach(step), until)
        {
            self.scout(step);
            self.handle(event);
            left -= 1;
        }
        left
    }

    #[inline(always)]
    fn handle(&mut self, event: Event) {
        let now = Instant::from_nanos(event.time);
        debug_assert!(now >= self.now, "time went backwards");
        self.now = now;
        // One jump for the frequent events; a second one for the rest.
        let handle = Hop::handle(event.arg);
        match event.arg >> hop::NUMBER_BITS {
            FIFO => self.enter::<FIFO>(now, self.hop(handle).number(), handle),
            AHEAD => self.enter::<AHEAD>(now, self.hop(handle).number(), handle),
            QUEUE => self.enter_in_turn(now, event.entity(), handle),
            RECEIVED => self.deliver_from_pool::<RECEIVER>(now, handle),
            ACKNOWLEDGED => self.deliver_from_pool::<SENDER>(now, handle),
            NOTICED => self.show_choke(now, self.hop(handle).number(), handle),
            TRANSMITTER => {
                let mut began = now;
                if let Link::Queue(queue) = &mut self.links[event.entity() as usize] {
                    queue.transmitter_free();
                    began = queue.moments.as_mut().map_or(now, |moments| moments.end(now));
                }
                self.transmit(began, event.entity());
            }
            _ => self.handle_seldom(now, event),
        }
    }

    #[inline(never)]
    fn handle_seldom(&mut self, now: Instant, event: Event) {
        match event.class() {
            Class::QueueDeadline => self.queue_deadline(now, event.entity()),
            Class::Timer if self.outbox.on_wheel > 0 => self.timers_in_turn(now, event.entity()),
            Class::Timer => self.timer(now, event.entity()),
            Class::Start => self.call(now, event.entity() as usize, SENDER, |end, cx| end.start(now, cx)),
            Class::Stop => {
                self.call(now, event.entity() as usize, SENDER, |end, cx| end.stop(now, cx));
                self.stopped(now);
            }
            Class::Medium => self.medium_event(now, event.entity()),
            Class::Sample => self.sample(now, event.entity()),
            Class::Delivery | Class::TransmitterFree => unreachable!("handled where they are frequent"),
        }
    }

    /// Where a packet is, or will be when its event comes.
    #[inline(always)]
    fn hop(&self, handle: u32) -> Hop {
        self.routes[self.outbox.pool.get(handle).hop as usize]
    }

    /// Calls an endpoint, sends its packets and arms its timer.
    fn call(&mut self, now: Instant, flow: usize, side: usize, f: impl FnOnce(&mut dyn Endpoint, &mut FlowContext)) {
        let first = self.outbox.sent.len();
        let state = &mut self.flows[flow];
        let hop = state.route[side];
        self.outbox.speak_for(FlowId(flow as u32), hop);
        f(&mut *state.ends[side], &mut FlowContext { rng: &mut self.rngs[flow], out: &mut self.outbox });
        let sooner = state.sooner(side, state.ends[side].next_deadline());
        if let Some(deadline) = sooner {
            self.arm(deadline, now, flow, side);
        }
        self.after_call(now, flow, hop, first);
    }

    /// Hands a packet to an endpoint, as [`Simulation::call`].
    #[inline(always)]
    fn deliver<const SIDE: usize>(&mut self, now: Instant, packet: &Packet) {
        let flow = packet.flow.0 as usize;
        let first = self.outbox.sent.len();
        let state = &mut self.flows[flow];
        let hop = state.route[SIDE];
        self.outbox.speak_for(packet.flow, hop);
        let mut cx = FlowContext { rng: &mut self.rngs[flow], out: &mut self.outbox };
        let deadline = state.ends[SIDE].hear(now, packet, &mut cx);
        if SIDE == RECEIVER {
            self.groups.arrived(state.group, now, packet);
        } else if self.outbox.round_trip != Coarse::ZERO {
            self.groups.measured(state.group, now, std::mem::take(&mut self.outbox.round_trip));
        }
        if let Some(deadline) = state.sooner(SIDE, deadline) {
            self.arm(deadline, now, flow, SIDE);
        }
        self.after_call(now, flow, hop, first);
    }

    /// The same of a packet that is on its way.
    fn deliver_from_pool<const SIDE: usize>(&mut self, now: Instant, handle: u32) {
        let packet = self.outbox.pool.take(handle);
        self.deliver::<SIDE>(now, &packet);
    }

    /// Sends the packets that an endpoint has put into the outbox, from the `first_sent`-th packet on, over the route that begins at `hop`.
    #[inline(always)]
    fn after_call(&mut self, now: Instant, flow: usize, hop: u32, first_sent: usize) {
        if !self.outbox.completions.is_empty() {
            note_completions(flow, &mut self.outbox.completions, &mut self.completions);
        }
        if self.outbox.sent.len() == first_sent {
            return;
        }
        let first = self.routes[hop as usize];
        let mut index = first_sent;
        while let Some(&handle) = self.outbox.sent.get(index) {
            self.send(now, first, handle);
            index += 1;
            if index.is_multiple_of(MANY) {
                self.check_memory();
            }
        }
        self.outbox.sent.truncate(first_sent);
    }

    /// Sends a packet over the first link of its route, which mostly is a drop-tail link.
    #[inline(always)]
    fn send(&mut self, now: Instant, first: Hop, handle: u32) {
        match first.kind() {
            QUEUE | AHEAD => self.send_into_queue(now, first, handle),
            _ => self.enter::<FIFO>(now, first.number(), handle),
        }
    }

    #[inline(never)]
    fn send_into_queue(&mut self, now: Instant, first: Hop, handle: u32) {
        if first.kind() == QUEUE {
            self.enter::<QUEUE>(now, first.number(), handle);
        } else {
            self.enter::<AHEAD>(now, first.number(), handle);
        }
    }

    fn timer(&mut self, now: Instant, entity: u32) {
        let (flow, side) = (entity as usize / 2, entity as usize % 2);
        if self.flows[flow].armed[side] == now.as_nanos() {
            self.fire(now, flow, side);
        }
        // Otherwise an earlier deadline was armed since; its event has come or will come.
    }

    /// The time has come for which an endpoint's timer is armed.
    fn fire(&mut self, now: Instant, flow: usize, side: usize) {
        let state = &mut self.flows[flow];
        state.armed[side] = NEVER;
        match state.ends[side].next_deadline() {
            Some(deadline) if deadline <= now => self.call(now, flow, side, |end, cx| end.on_deadline(now, cx)),
            // The deadline has moved: timers are re-armed lazily.
            Some(deadline) => self.arm(deadline, now, flow, side),
            None => {}
        }
    }

    #[inline(always)]
    fn arm(&mut self, deadline: Instant, now: Instant, flow: usize, side: usize) {
        self.flows[flow].armed[side] = deadline.as_nanos();
        self.events.push(Event::new(deadline.max(now).as_nanos(), Class::Timer, (2 * flow + side) as u32, 0));
    }

    /// A packet reaches a link now. `KIND` is the kind of the link on its route. There is one copy of this function for each, so that
    /// the jump by the kind of an event is the only one.
    #[inline(always)]
    fn enter<const KIND: u32>(&mut self, now: Instant, link: u32, handle: u32) {
        if KIND != FIFO
            && let Link::Queue(queue) = &mut self.links[link as usize]
            && queue.wakes(now)
        {
            arm_queue(queue, &mut self.events, now, link);
        }
        let packet = self.outbox.pool.get_mut(handle);
        let fate = match &mut self.links[link as usize] {
            Link::Buffer(fifo) if KIND == FIFO => {
                fifo.arrive(&mut self.fifo_links, now, packet).map_or(Fate::Lost, Fate::Arrives)
            }
            // Its deadline stays as it was armed.
            Link::Queue(queue) if KIND == AHEAD => queue.arrive_ahead(now, packet).map_or(Fate::Dropped, Fate::Arrives),
            Link::Queue(queue) if KIND == QUEUE => {
                queue.arrive(now, packet);
                Fate::Later
            }
            _ => unreachable!("routes know the kinds of links"),
        };
        match fate {
            Fate::Arrives(arrival) => {
                let flight = follow(&mut self.links, &mut self.fifo_links, &self.routes, packet, (arrival, link));
                self.go_on(flight, handle);
            }
            Fate::Later => {
                self.outbox.pool.free(handle);
                self.transmit(now, link);
            }
            Fate::Lost => self.lost(link, handle),
            Fate::Dropped => self.outbox.pool.free(handle),
        }
    }

    /// A packet is on `link` and will reach its end at `arrival`.
    fn fly(&mut self, arrival: Instant, link: u32, handle: u32) {
        let packet = self.outbox.pool.get_mut(handle);
        let flight = follow(&mut self.links, &mut self.fifo_links, &self.routes, packet, (arrival, link));
        self.go_on(flight, handle);
    }

    /// The step after a packet has been followed as far as its fate is known.
    #[inline(always)]
    fn go_on(&mut self, flight: Flight, handle: u32) {
        match flight {
            Flight::Ends(arrival, end) => self.reach_end(arrival, end, handle),
            Flight::Reaches(arrival, link, next) => {
                self.events.push(Event::new(arrival.as_nanos(), Class::Delivery, link, next.with_handle(handle)));
            }
            Flight::Lost(link) => self.lost(link, handle),
        }
    }

    /// Starts a transmission on a managed link if it can, and arms the discipline's deadline.
    #[inline]
    fn transmit(&mut self, now: Instant, link: u32) {
        let Link::Queue(queue) = &mut self.links[link as usize] else {
            return;
        };
        let mut departure = queue.transmit(now, &mut self.outbox.pool);
        let chokes = queue.has_chokes();
        if let (Some(moments), Some(departure)) = (&mut queue.moments, &mut departure) {
            departure.free_at = moments.begin(now, departure.free_at);
        }
        self.arm_queue(self.now, link);
        if let Some(Departure { handle, free_at, arrives_at }) = departure {
            match arrives_at {
                Some(arrival) => {
                    self.transmitter_free_at(free_at, link);
                    self.fly(arrival, link, handle);
                }
                None if free_at == CONTENDS => self.contend(now, link, handle),
                None => {
                    self.transmitter_free_at(free_at, link);
                    self.corrupted(handle);
                }
            }
        }
        if chokes {
            self.send_chokes(now, link);
        }
    }

    /// Schedules the discipline's next deadline, if it is sooner than the one that is scheduled.
    #[inline(always)]
    fn arm_queue(&mut self, now: Instant, link: u32) {
        if let Link::Queue(queue) = &mut self.links[link as usize] {
            arm_queue(queue, &mut self.events, now, link);
        }
    }

    #[inline(always)]
    fn transmitter_free_at(&mut self, free_at: Instant, link: u32) {
        let arg = TRANSMITTER << hop::NUMBER_BITS;
        self.events.push(Event::new(free_at.as_nanos(), Class::TransmitterFree, link, arg));
    }

    fn queue_deadline(&mut self, now: Instant, link: u32) {
        let Link::Queue(queue) = &mut self.links[link as usize] else {
            return;
        };
        if queue.armed != now.as_nanos() {
            return;
        }
        queue.armed = NEVER;
        queue.settle(now);
        if queue.discipline().next_deadline().is_some_and(|deadline| deadline <= now) {
            queue.on_deadline(now);
        }
        if queue.discipline().has_something() {
            self.transmit(now, link);
            return;
        }
        // A link that stays idle is not asked: its queue would hear that it became idle, and an average forget for how long it was.
        let chokes = queue.has_chokes();
        if !(self.skips_silence && queue.comes_to_rest()) {
            self.arm_queue(now, link);
        }
        if chokes {
            self.send_chokes(now, link);
        }
    }

    /// A drop-tail queue had no room.
    fn lost(&mut self, link: u32, handle: u32) {
        let packet = self.outbox.pool.get(handle);
        // Neither acknowledgements nor choke packets reach the receiver.
        let end = self.routes[packet.hop as usize..].iter().find(|hop| hop.is_end());
        let data = end.is_some_and(|end| end.is_receiver());
        if data && !self.settings.observed.contains_key(&link) && self.now >= self.settings.warmup {
            let lost = &mut self.flow_records[packet.flow.0 as usize].lost_unobserved;
            *lost = lost.saturating_add(1);
        }
        self.outbox.pool.free(handle);
    }

    /// A packet was corrupted on a link.
    #[cold]
    fn corrupted(&mut self, handle: u32) {
        let packet = self.outbox.pool.get(handle);
        let end = self.routes[packet.hop as usize..].iter().find(|hop| hop.is_end());
        if end.is_some_and(|end| end.is_receiver()) && self.now >= self.settings.warmup {
            let corrupted = &mut self.flow_records[packet.flow.0 as usize].corrupted;
            *corrupted = corrupted.saturating_add(1);
        }
        self.outbox.pool.free(handle);
    }

    /// Length of the measured window reached.
    fn window(&self) -> Duration {
        self.now.since(self.settings.warmup)
    }
}

/// Schedules a discipline's next deadline, if it is sooner than the one that is scheduled.
#[inline(always)]
fn arm_queue(queue: &mut QueueLink, events: &mut EventQueue, now: Instant, link: u32) {
    if let Some(deadline) = queue.discipline().next_deadline()
        && deadline.as_nanos() < queue.armed
    {
        queue.armed = deadline.as_nanos();
        events.push(Event::new(deadline.max(now).as_nanos(), Class::QueueDeadline, link, 0));
    }
}

#[cold]
fn note_completions(flow: usize, done: &mut Vec<Completion>, all: &mut Vec<(u32, Completion)>) {
    make_room(all, done.len(), "finished transfers");
    all.extend(done.drain(..).map(|done| (flow as u32, done)));
}
