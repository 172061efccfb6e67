//! The queue seam.
//!
//! Three things that the literature mixes are kept apart. A [`Policy`] decides about packets over a
//! queue that it does not own (RED, PI, BLUE, CHOKe, CoDel). A [`QueueDiscipline`] owns packets:
//! [`Managed`] makes one of any policy over a first-in first-out [`Buffer`]; others keep an order of
//! their own (RED-Boston) or many queues (FQ-CoDel). A link owns a discipline, a rate and a delay.
//!
//! The packet in transmission has left the queue: neither backlog nor limit counts it.
//!
//! A drop or a mark is an [`Event`] with time, packet and [`Reason`], recorded where it happens and
//! never inferred. Disciplines know no clock, no link and no generator: time and [`Context`] come in
//! with each call.

mod buffer;
pub mod entry;
pub mod inner;
mod managed;

pub use buffer::Buffer;
pub use managed::Managed;

use crate::packet::{Ecn, Packet};
use crate::rng::Rng;
use crate::units::{Bytes, Duration, Instant, Rate, Size};

/// Why a packet was dropped or marked; a short name that tables and plots show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reason(pub &'static str);

impl Reason {
    /// The buffer was full.
    pub const OVERFLOW: Reason = Reason("overflow");
    /// Chosen at random by an average, a price or a drop probability.
    pub const EARLY: Reason = Reason("early");
    /// The average was above the region in which the choice is random.
    pub const FORCED: Reason = Reason("forced");
    /// It had waited too long.
    pub const SOJOURN: Reason = Reason("sojourn");
    /// Its flow takes more than its share.
    pub const UNFAIR: Reason = Reason("unfair");
    /// It was corrupted on the link: no queue says so.
    pub const CORRUPTION: Reason = Reason("corruption");
    /// It was sent over a shared medium as often as is allowed, in vain: no queue says so.
    pub const RETRIES: Reason = Reason("retries");
}

/// What a policy decides about one packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Let it go on.
    Pass,
    /// Mark it (CE); a packet that is Not-ECT is dropped for the same reason instead.
    Mark(Reason),
    /// Drop it.
    Drop(Reason),
}

/// What happened to a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// It was dropped and will never come out.
    Drop(Reason),
    /// It was marked and stays.
    Mark(Reason),
    /// It was lost on the link behind the queue, which knows nothing of it.
    Loss(Reason),
    /// Its sender is told that the way is congested, by a choke packet that the engine makes of this; what becomes of
    /// the packet is another matter.
    Choke(Reason),
}

impl What {
    /// Its name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            What::Drop(_) => "drop",
            What::Mark(_) => "mark",
            What::Loss(_) => "loss",
            What::Choke(_) => "choke",
        }
    }

    /// Why it happened.
    pub const fn reason(self) -> Reason {
        match self {
            What::Drop(reason) | What::Mark(reason) | What::Loss(reason) | What::Choke(reason) => reason,
        }
    }
}

/// A drop or a mark, recorded where it happened.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    /// When.
    pub time: Instant,
    /// The packet, as it was after the event.
    pub packet: Packet,
    /// What, and why.
    pub what: What,
}

/// Drops and marks since the caller last looked; the caller drains it after each call.
#[derive(Clone, Debug, Default)]
pub struct Events {
    list: Vec<Event>,
}

impl Events {
    /// Records a drop.
    pub fn drop(&mut self, time: Instant, packet: Packet, reason: Reason) {
        self.list.push(Event { time, packet, what: What::Drop(reason) });
    }

    /// Has its sender told that the way is congested. The queue must say that it does this:
    /// [`QueueDiscipline::sends_chokes`].
    pub fn choke(&mut self, time: Instant, packet: Packet, reason: Reason) {
        self.list.push(Event { time, packet, what: What::Choke(reason) });
    }

    /// Marks the packet if it is ECN-capable and says so; otherwise records its drop and says `false`.
    #[must_use]
    pub fn mark_or_drop(&mut self, time: Instant, packet: &mut Packet, reason: Reason) -> bool {
        if packet.ecn.is_capable() {
            packet.ecn = Ecn::Ce;
            self.list.push(Event { time, packet: *packet, what: What::Mark(reason) });
            true
        } else {
            self.drop(time, *packet, reason);
            false
        }
    }

    /// Whether nothing happened.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Takes out what happened, oldest first.
    pub fn drain(&mut self) -> std::vec::Drain<'_, Event> {
        self.list.drain(..)
    }

    /// Forgets what happened.
    pub fn clear(&mut self) {
        self.list.clear();
    }

    /// What happened, oldest first.
    pub fn as_slice(&self) -> &[Event] {
        &self.list
    }
}

/// What comes in with each call besides time: this queue's stream of random numbers, and where
/// events go.
#[derive(Clone, Debug)]
pub struct Context {
    /// The queue's own stream.
    pub rng: Rng,
    /// Drops and marks.
    pub events: Events,
}

impl Context {
    /// With the given stream and no events.
    pub fn new(rng: Rng) -> Self {
        Context { rng, events: Events::default() }
    }
}

/// How much waits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backlog {
    /// Packets waiting, without the one in transmission.
    pub packets: u64,
    /// Their bytes, headers included.
    pub bytes: u64,
}

/// What a buffer may hold at most; both bounds hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Packets waiting.
    pub packets: u64,
    /// Bytes waiting.
    pub bytes: u64,
}

impl Limit {
    /// No bound.
    pub const NONE: Limit = Limit { packets: u64::MAX, bytes: u64::MAX };

    /// A bound in packets.
    pub const fn packets(packets: u64) -> Self {
        Limit { packets, bytes: u64::MAX }
    }

    /// From what the user wrote: packets bound packets, everything else bounds bytes. At least one
    /// packet or one mean packet, so that a queue can hold something.
    pub fn from_size(size: Size, link: &LinkContext) -> Self {
        match size {
            Size::Packets(n) => Limit::packets((n as u64).max(1)),
            other => Limit { packets: u64::MAX, bytes: (link.bytes(other) as u64).max(link.mean_packet.0) },
        }
    }

    /// Whether `packet` may join `backlog`.
    pub fn admits(self, backlog: Backlog, packet: &Packet) -> bool {
        backlog.packets < self.packets && backlog.bytes.saturating_add(u64::from(packet.size)) <= self.bytes
    }
}

/// What a queue may know about the link in front of which it stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkContext {
    /// Rate of the link.
    pub rate: Rate,
    /// Round-trip time without queues of the flows through it (their mean), for `"2BDP"` and laws
    /// that need one.
    pub base_rtt: Duration,
    /// Mean packet size, where a law needs one (ns-2's `mean_pktsize_`).
    pub mean_packet: Bytes,
    /// Flows that cross the queue, where a law needs their number.
    pub flows: u64,
}

impl LinkContext {
    /// An amount of queue in packets.
    pub fn packets(&self, size: Size) -> f64 {
        size.packets(self.rate, self.base_rtt, self.mean_packet)
    }

    /// An amount of queue in bytes.
    pub fn bytes(&self, size: Size) -> f64 {
        size.bytes(self.rate, self.base_rtt, self.mean_packet)
    }

    /// Link rate in mean packets per second (the literature's C).
    pub fn packets_per_sec(&self) -> f64 {
        self.rate.packets_per_sec(self.mean_packet)
    }
}

impl Default for LinkContext {
    /// 10 Mbit/s, 100 ms, 1000-byte packets, 10 flows: what tests and `explain` use.
    fn default() -> Self {
        LinkContext {
            rate: Rate::from_bps(10_000_000),
            base_rtt: Duration::from_millis(100),
            mean_packet: Bytes(1000),
            flows: 10,
        }
    }
}

/// Owns packets between arrival and transmission.
pub trait QueueDiscipline: Send {
    /// Takes a packet, or drops it or others (see [`Context::events`]).
    fn enqueue(&mut self, now: Instant, packet: Packet, cx: &mut Context);

    /// The next packet to transmit. Called when the transmitter becomes free, and at once after an
    /// `enqueue` while it is free; `None` means that the transmitter goes (or stays) idle.
    fn dequeue(&mut self, now: Instant, cx: &mut Context) -> Option<Packet>;

    /// As [`QueueDiscipline::enqueue`] where it decides on arrival: the packet stays with the caller, marked if that was
    /// decided. Says whether it was admitted.
    fn admit(&mut self, now: Instant, packet: &mut Packet, cx: &mut Context) -> bool {
        self.enqueue(now, *packet, cx);
        let events = cx.events.as_slice();
        if events.iter().any(|event| matches!(event.what, What::Mark(_))) {
            packet.ecn = Ecn::Ce;
        }
        !events.iter().any(|event| matches!(event.what, What::Drop(_)))
    }

    /// As [`QueueDiscipline::dequeue`] after [`QueueDiscipline::admit`]: when the packet joined the queue, and its size.
    fn depart(&mut self, now: Instant, cx: &mut Context) -> Option<(Instant, u32)> {
        self.dequeue(now, cx).map(|packet| (packet.enqueued_at, packet.size))
    }

    /// When [`QueueDiscipline::on_deadline`] wants to be called next. Asked after every call.
    fn next_deadline(&self) -> Option<Instant> {
        None
    }

    /// Periodic work.
    fn on_deadline(&mut self, _now: Instant, _cx: &mut Context) {}

    /// Whether what [`QueueDiscipline::enqueue`] admits leaves in that order and as it is then, whatever comes later, and no
    /// deadline depends on departures; asked once, before the first packet. The engine then knows when a packet
    /// leaves as soon as it comes, and spares an event: it calls [`QueueDiscipline::admit`] in place of
    /// [`QueueDiscipline::enqueue`], and [`QueueDiscipline::depart`] in place of [`QueueDiscipline::dequeue`], later, with the time of
    /// the departure, but before the next call of another method.
    fn decides_on_arrival(&self) -> bool {
        false
    }

    /// Whether it ever records [`Events::choke`]; asked once, before the first packet.
    fn sends_chokes(&self) -> bool {
        false
    }

    /// Whether it wants to see choke packets of the flows that leave by its link; asked once, before the first packet.
    fn hears_chokes(&self) -> bool {
        false
    }

    /// A choke packet has reached the router on its way back to the sender of a flow that leaves by this link; says
    /// whether it goes on.
    fn on_choke(&mut self, _now: Instant, _choke: &Packet, _cx: &mut Context) -> bool {
        true
    }

    /// How much waits now.
    fn backlog(&self) -> Backlog;

    /// What may wait at most, where there is one bound for all.
    fn limit(&self) -> Limit {
        Limit::NONE
    }

    /// Names of the internals that can be traced (`avg`, `max_p`, `drop_prob` ...).
    fn probes(&self) -> &'static [&'static str] {
        &[]
    }

    /// Value of the probe at `index` of [`QueueDiscipline::probes`].
    fn probe(&self, _index: usize) -> f64 {
        f64::NAN
    }
}

/// Decides about packets over a queue that it does not own.
///
/// A policy has no clock, no generator and no packets of its own. Every hook but the first does
/// nothing unless it is written.
pub trait Policy: Send {
    /// A packet has come and is not yet queued. After `Pass` or `Mark` it is queued if the buffer
    /// has room, else [`Policy::on_overflow`] is called and it is dropped.
    fn on_arrival(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict;

    /// The packet that came has been queued (it is now the tail).
    fn on_enqueued(&mut self, _now: Instant, _queue: &mut QueueView<'_>) {}

    /// `packet` has been taken from the head and is about to be transmitted; it is no longer in
    /// `queue`. After `Drop` (or a mark that becomes a drop) the next one is taken and asked about.
    fn on_departure(&mut self, _now: Instant, _packet: &Packet, _queue: &mut QueueView<'_>, _rng: &mut Rng) -> Verdict {
        Verdict::Pass
    }

    /// `packet` leaves now: the place to write into a header that the policy and the ends of a flow share (XCP).
    /// Nothing but that header may change; marks are a matter of verdicts. `waiting` is what stays behind.
    fn on_transmission(&mut self, _now: Instant, _packet: &mut Packet, _waiting: Backlog) {}

    /// The transmitter became free and nothing waits.
    fn on_idle(&mut self, _now: Instant) {}

    /// The packet that came finds the buffer full and is dropped.
    fn on_overflow(&mut self, _now: Instant, _packet: &Packet, _queue: &mut QueueView<'_>) {}

    /// When [`Policy::on_deadline`] wants to be called next. Asked after every call.
    fn next_deadline(&self) -> Option<Instant> {
        None
    }

    /// Periodic work.
    fn on_deadline(&mut self, _now: Instant, _queue: &mut QueueView<'_>) {}

    /// Whether it decides in [`Policy::on_arrival`] alone, from the backlog and the packet that comes, takes nothing out of the
    /// queue, and has no deadline that depends on departures; asked once, before the first packet. See [`QueueDiscipline::decides_on_arrival`].
    fn decides_on_arrival(&self) -> bool {
        false
    }

    /// Whether it ever calls [`QueueView::choke`]; asked once, before the first packet.
    fn sends_chokes(&self) -> bool {
        false
    }

    /// Names of the internals that can be traced.
    fn probes(&self) -> &'static [&'static str] {
        &[]
    }

    /// Value of the probe at `index` of [`Policy::probes`].
    fn probe(&self, _index: usize) -> f64 {
        f64::NAN
    }
}

/// A policy chosen at run time is a policy: this is how any of them serves in `flow_queue`.
impl Policy for Box<dyn Policy> {
    fn on_arrival(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        (**self).on_arrival(now, packet, queue, rng)
    }
    fn on_enqueued(&mut self, now: Instant, queue: &mut QueueView<'_>) {
        (**self).on_enqueued(now, queue);
    }
    fn on_departure(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        (**self).on_departure(now, packet, queue, rng)
    }
    fn on_transmission(&mut self, now: Instant, packet: &mut Packet, waiting: Backlog) {
        (**self).on_transmission(now, packet, waiting);
    }
    fn on_idle(&mut self, now: Instant) {
        (**self).on_idle(now);
    }
    fn on_overflow(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>) {
        (**self).on_overflow(now, packet, queue);
    }
    fn next_deadline(&self) -> Option<Instant> {
        (**self).next_deadline()
    }
    fn on_deadline(&mut self, now: Instant, queue: &mut QueueView<'_>) {
        (**self).on_deadline(now, queue);
    }
    fn decides_on_arrival(&self) -> bool {
        (**self).decides_on_arrival()
    }
    fn sends_chokes(&self) -> bool {
        (**self).sends_chokes()
    }
    fn probes(&self) -> &'static [&'static str] {
        (**self).probes()
    }
    fn probe(&self, index: usize) -> f64 {
        (**self).probe(index)
    }
}

/// A policy's sight of the queue: what waits, and the removal of what waits.
pub struct QueueView<'a> {
    fifo: &'a mut Buffer,
    events: &'a mut Events,
    transmitting: bool,
}

impl<'a> QueueView<'a> {
    /// Over `fifo`; removals are recorded in `events`.
    pub fn new(fifo: &'a mut Buffer, events: &'a mut Events, transmitting: bool) -> Self {
        QueueView { fifo, events, transmitting }
    }

    /// What waits.
    pub fn backlog(&self) -> Backlog {
        self.fifo.backlog()
    }

    /// Packets waiting.
    pub fn packets(&self) -> u64 {
        self.fifo.backlog().packets
    }

    /// Bytes waiting.
    pub fn bytes(&self) -> u64 {
        self.fifo.backlog().bytes
    }

    /// Whether the transmitter is busy: `false` with nothing waiting means an idle link.
    pub fn is_transmitting(&self) -> bool {
        self.transmitting
    }

    /// What may wait at most.
    pub fn limit(&self) -> Limit {
        self.fifo.limit()
    }

    /// Whether `packet` finds room.
    pub fn has_room_for(&self, packet: &Packet) -> bool {
        self.fifo.admits(packet)
    }

    /// The packet that leaves next.
    pub fn head(&self) -> Option<&Packet> {
        self.fifo.get(0)
    }

    /// The packet that came last.
    pub fn tail(&self) -> Option<&Packet> {
        self.fifo.get((self.packets() as usize).wrapping_sub(1))
    }

    /// Any packet, 0 being the head.
    pub fn get(&self, index: usize) -> Option<&Packet> {
        self.fifo.get(index)
    }

    /// Drops the packet at `index`, 0 being the head; `None` if there is none. O(n) in the middle.
    pub fn drop_at(&mut self, now: Instant, index: usize, reason: Reason) -> Option<Packet> {
        let packet = self.fifo.remove(index)?;
        self.events.drop(now, packet, reason);
        Some(packet)
    }

    /// Has the sender of `packet` told that the way is congested ([`Events::choke`]).
    pub fn choke(&mut self, now: Instant, packet: &Packet, reason: Reason) {
        self.events.choke(now, *packet, reason);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::FlowId;
    use std::collections::VecDeque;

    /// Marks what understands marks and drops the rest; it knows only what every discipline must know.
    #[derive(Default)]
    struct MarksAll(VecDeque<Packet>);

    impl QueueDiscipline for MarksAll {
        fn enqueue(&mut self, now: Instant, mut packet: Packet, cx: &mut Context) {
            packet.enqueued_at = now;
            if cx.events.mark_or_drop(now, &mut packet, Reason::EARLY) {
                self.0.push_back(packet);
            }
        }

        fn dequeue(&mut self, _now: Instant, _cx: &mut Context) -> Option<Packet> {
            self.0.pop_front()
        }

        fn backlog(&self) -> Backlog {
            Backlog { packets: self.0.len() as u64, bytes: self.0.iter().map(|packet| u64::from(packet.size)).sum() }
        }
    }

    #[test]
    fn what_a_discipline_admits_is_marked_with_the_caller_and_departs_by_size_and_time() {
        let mut queue = MarksAll::default();
        let mut cx = Context::new(Rng::named(1, "queue"));
        let now = Instant::from_nanos(7);
        let mut capable = Packet::datagram(FlowId(0), 0, 1000).with_ecn(Ecn::Ect0);
        let mut other = Packet::datagram(FlowId(0), 1, 500);

        assert!(queue.admit(now, &mut capable, &mut cx));
        cx.events.clear();
        assert!(!queue.admit(now, &mut other, &mut cx));

        assert_eq!((capable.ecn, other.ecn), (Ecn::Ce, Ecn::NotEct));
        assert_eq!(queue.depart(now, &mut cx), Some((now, 1000)));
        assert_eq!(queue.depart(now, &mut cx), None);
    }
}
