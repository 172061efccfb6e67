//! Events, recorded where they happen: drops and marks with time, packet and reason.

use crate::packet::{Ecn, Packet};
use crate::rng::Rng;
use crate::units::Instant;

/// The reason for which a packet was dropped or marked. It is a short name that tables and plots show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reason(pub &'static str);

impl Reason {
    /// The buffer was full.
    pub const OVERFLOW: Reason = Reason("overflow");
    /// It was chosen at random by an average, a price or a drop probability.
    pub const EARLY: Reason = Reason("early");
    /// The average was above the region in which the choice is random.
    pub const FORCED: Reason = Reason("forced");
    /// It had waited too long.
    pub const SOJOURN: Reason = Reason("sojourn");
    /// Its flow takes more than its share.
    pub const UNFAIR: Reason = Reason("unfair");
    /// It can not be reached any more by a fault of an implementation, which still counts it as waiting.
    pub const STUCK: Reason = Reason("stuck");
    /// It was corrupted on the link. No queue gives this reason.
    pub const CORRUPTION: Reason = Reason("corruption");
    /// All allowed attempts to send it over a shared medium have failed. No queue gives this reason.
    pub const RETRIES: Reason = Reason("retries");
}

/// An event of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// It was dropped and will never come out.
    Drop(Reason),
    /// It was marked and stays.
    Mark(Reason),
    /// It was lost on the link behind the queue. The queue does not know of it.
    Loss(Reason),
    /// The engine sends a choke packet to its sender, because the path is congested. This event does not say whether the packet itself is
    /// dropped.
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

    /// Its reason.
    pub const fn reason(self) -> Reason {
        match self {
            What::Drop(reason) | What::Mark(reason) | What::Loss(reason) | What::Choke(reason) => reason,
        }
    }
}

/// A drop or a mark, recorded where it happened.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    /// The time.
    pub time: Instant,
    /// The packet, as it was after the event.
    pub packet: Packet,
    /// The kind of the event, and its reason.
    pub what: What,
}

/// The drops and marks of a call. The caller drains them after each call.
#[derive(Clone, Debug, Default)]
pub struct Events {
    list: Vec<Event>,
}

impl Events {
    /// Records a drop.
    pub fn drop(&mut self, time: Instant, packet: Packet, reason: Reason) {
        self.list.push(Event { time, packet, what: What::Drop(reason) });
    }

    /// Records the loss of a packet on the link behind the queue.
    pub fn lose(&mut self, time: Instant, packet: Packet, reason: Reason) {
        self.list.push(Event { time, packet, what: What::Loss(reason) });
    }

    /// Asks for a choke packet to the sender of a packet, because the path is congested. A queue that does this must say so:
    /// [`QueueDiscipline::sends_chokes`](super::QueueDiscipline::sends_chokes).
    pub fn choke(&mut self, time: Instant, packet: Packet, reason: Reason) {
        self.list.push(Event { time, packet, what: What::Choke(reason) });
    }

    /// Marks a packet, which must be ECN-capable, and records the mark.
    pub fn mark(&mut self, time: Instant, packet: &mut Packet, reason: Reason) {
        packet.ecn = Ecn::Ce;
        self.list.push(Event { time, packet: *packet, what: What::Mark(reason) });
    }

    /// Marks the packet if it is ECN-capable, records the mark and returns true. Otherwise it records a drop and returns false.
    #[must_use]
    pub fn mark_or_drop(&mut self, time: Instant, packet: &mut Packet, reason: Reason) -> bool {
        if packet.ecn.is_capable() {
            self.mark(time, packet, reason);
            true
        } else {
            self.drop(time, *packet, reason);
            false
        }
    }

    /// True if there is no event.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Takes out the events, oldest first.
    pub fn drain(&mut self) -> std::vec::Drain<'_, Event> {
        self.list.drain(..)
    }

    /// Removes all events.
    pub fn clear(&mut self) {
        self.list.clear();
    }

    /// The events, oldest first.
    pub fn as_slice(&self) -> &[Event] {
        &self.list
    }
}

/// The context of each call besides the time: the queue's stream of random numbers, and the record of its events.
#[derive(Clone, Debug)]
pub struct Context {
    /// The queue's own stream of random numbers.
    pub rng: Rng,
    /// Drops and marks.
    pub events: Events,
}

impl Context {
    /// A context with the given stream and no events.
    pub fn new(rng: Rng) -> Self {
        Context { rng, events: Events::default() }
    }
}
