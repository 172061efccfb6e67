//! A policy's sight of the queue that it decides about.

use super::buffer::Tag;
use super::{Backlog, Buffer, Events, Limit, Reason};
use crate::packet::Packet;
use crate::units::Instant;

/// A policy's sight of the queue: what waits, and the removal of what waits.
pub struct QueueView<'a> {
    fifo: &'a mut Buffer,
    events: &'a mut Events,
    transmitting: bool,
    tag: Tag,
    beside: Backlog,
}

impl<'a> QueueView<'a> {
    /// Over `fifo`; removals are recorded in `events`.
    pub fn new(fifo: &'a mut Buffer, events: &'a mut Events, transmitting: bool) -> Self {
        QueueView { fifo, events, transmitting, tag: 0, beside: Backlog::default() }
    }

    /// In a hook about a packet with this tag.
    #[must_use]
    pub fn about(mut self, tag: Tag) -> Self {
        self.tag = tag;
        self
    }

    /// The view of one of several queues of a discipline. `others` is the backlog of the others.
    #[must_use]
    pub fn beside(mut self, others: Backlog) -> Self {
        self.beside = others;
        self
    }

    /// The number that the policy left with the packet of this hook; 0 if it left none, or if the hook has no packet.
    pub fn tag(&self) -> Tag {
        self.tag
    }

    /// Leaves a tag with the packet that has come: kept if [`Policy::on_arrival`](super::Policy::on_arrival) calls it.
    pub fn leave(&mut self, tag: Tag) {
        self.tag = tag;
    }

    /// The backlog.
    pub fn backlog(&self) -> Backlog {
        self.fifo.backlog()
    }

    /// The backlog of all queues among which flows are spread: this one, and in the others of a discipline that has a queue for each flow.
    /// In the queue of a class it is what waits there.
    pub fn shared_backlog(&self) -> Backlog {
        let own = self.backlog();
        Backlog { packets: own.packets + self.beside.packets, bytes: own.bytes + self.beside.bytes }
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

    /// The most that may wait.
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

    /// Drops the packet at `index`, 0 being the head; `None` if there is none. O(n) in the middle. When the hook has returned
    /// [`Policy::on_drop`](super::Policy::on_drop) reports it.
    pub fn drop_at(&mut self, now: Instant, index: usize, reason: Reason) -> Option<Packet> {
        let packet = self.fifo.take_out(index)?;
        self.events.drop(now, packet, reason);
        Some(packet)
    }

    /// As [`QueueView::drop_at`] for the packet with this tag, where the policy leaves each packet one above 0 and greater than that of the
    /// packet before it (modulo 2^32); in O(log n) wherever it waits.
    pub fn drop_tagged(&mut self, now: Instant, tag: Tag, reason: Reason) -> Option<Packet> {
        let packet = self.fifo.take_out_tagged(tag)?;
        self.events.drop(now, packet, reason);
        Some(packet)
    }

    /// Takes out what it looks at, for a policy of another language, which can hold no reference. The caller
    /// [gives it back](QueueView::take_back) before its hook returns.
    pub fn lend(&mut self) -> Lent {
        Lent {
            fifo: std::mem::take(self.fifo),
            events: std::mem::take(self.events),
            transmitting: self.transmitting,
            tag: self.tag,
            beside: self.beside,
        }
    }

    /// Puts back what was lent, with what has been done to it.
    pub fn take_back(&mut self, lent: Lent) {
        *self.fifo = lent.fifo;
        *self.events = lent.events;
        self.tag = lent.tag;
    }

    /// Has the sender of `packet` told that the way is congested ([`Events::choke`]).
    pub fn choke(&mut self, now: Instant, packet: &Packet, reason: Reason) {
        self.events.choke(now, *packet, reason);
    }
}

/// The queue that a [`QueueView`] has lent.
#[derive(Debug, Default)]
pub struct Lent {
    fifo: Buffer,
    events: Events,
    transmitting: bool,
    tag: Tag,
    beside: Backlog,
}

impl Lent {
    /// The same sight of the queue.
    pub fn view(&mut self) -> QueueView<'_> {
        let Lent { fifo, events, transmitting, tag, beside } = self;
        QueueView { fifo, events, transmitting: *transmitting, tag: *tag, beside: *beside }
    }

    /// As [`QueueView::leave`].
    pub fn leave(&mut self, tag: Tag) {
        self.tag = tag;
    }
}
