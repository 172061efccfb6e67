//! The view that a policy gets of the queue about which it decides.

use super::buffer::Tag;
use super::{Backlog, Buffer, Events, Limit, Reason};
use crate::packet::Packet;
use crate::units::Instant;

/// A policy's view of the queue. It shows the waiting packets, and can remove them.
pub struct QueueView<'a> {
    fifo: &'a mut Buffer,
    events: &'a mut Events,
    transmitting: bool,
    tag: Tag,
    beside: Backlog,
}

impl<'a> QueueView<'a> {
    /// A view of `fifo`. Removals are recorded in `events`.
    pub fn new(fifo: &'a mut Buffer, events: &'a mut Events, transmitting: bool) -> Self {
        QueueView { fifo, events, transmitting, tag: 0, beside: Backlog::default() }
    }

    /// The view for a hook about a packet with this tag.
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

    /// The number that the policy left with the packet of this hook. It is 0 if the policy left none, or if the hook has no packet.
    pub fn tag(&self) -> Tag {
        self.tag
    }

    /// Leaves a tag with the packet that has arrived. The tag is kept if [`Policy::on_arrival`](super::Policy::on_arrival) calls this.
    pub fn leave(&mut self, tag: Tag) {
        self.tag = tag;
    }

    /// The backlog.
    pub fn backlog(&self) -> Backlog {
        self.fifo.backlog()
    }

    /// The backlog of all queues among which flows are spread: this one and, if the discipline has a queue for each flow, the others. In
    /// the queue of a class it is the backlog of that queue.
    pub fn shared_backlog(&self) -> Backlog {
        let own = self.backlog();
        Backlog { packets: own.packets + self.beside.packets, bytes: own.bytes + self.beside.bytes }
    }

    /// The number of waiting packets.
    pub fn packets(&self) -> u64 {
        self.fifo.backlog().packets
    }

    /// The bytes of the waiting packets.
    pub fn bytes(&self) -> u64 {
        self.fifo.backlog().bytes
    }

    /// True if the transmitter is busy. The link is idle if this is false and nothing waits.
    pub fn is_transmitting(&self) -> bool {
        self.transmitting
    }

    /// The largest backlog that is allowed.
    pub fn limit(&self) -> Limit {
        self.fifo.limit()
    }

    /// True if there is room for `packet`.
    pub fn has_room_for(&self, packet: &Packet) -> bool {
        self.fifo.admits(packet)
    }

    /// The packet that leaves next.
    pub fn head(&self) -> Option<&Packet> {
        self.fifo.get(0)
    }

    /// The packet that arrived last.
    pub fn tail(&self) -> Option<&Packet> {
        self.fifo.get((self.packets() as usize).wrapping_sub(1))
    }

    /// The packet at this place. 0 is the head.
    pub fn get(&self, index: usize) -> Option<&Packet> {
        self.fifo.get(index)
    }

    /// Drops the packet at `index`; 0 is the head. Returns `None` if there is none. It takes O(n) in the middle. When the hook has
    /// returned, [`Policy::on_drop`](super::Policy::on_drop) reports it.
    pub fn drop_at(&mut self, now: Instant, index: usize, reason: Reason) -> Option<Packet> {
        let packet = self.fifo.take_out(index)?;
        self.events.drop(now, packet, reason);
        Some(packet)
    }

    /// Like [`QueueView::drop_at`], for the packet with this tag. The policy must leave tags above 0 with all packets, each greater than
    /// that of the packet before (modulo 2^32). It takes O(log n) at any place.
    pub fn drop_tagged(&mut self, now: Instant, tag: Tag, reason: Reason) -> Option<Packet> {
        let packet = self.fifo.take_out_tagged(tag)?;
        self.events.drop(now, packet, reason);
        Some(packet)
    }

    /// Takes the queue out of the view, for a policy in another language, which cannot hold a reference. The caller [gives it
    /// back](QueueView::take_back) before its hook returns.
    pub fn lend(&mut self) -> Lent {
        Lent {
            fifo: std::mem::take(self.fifo),
            events: std::mem::take(self.events),
            transmitting: self.transmitting,
            tag: self.tag,
            beside: self.beside,
        }
    }

    /// Puts back the queue that was lent, with its changes.
    pub fn take_back(&mut self, lent: Lent) {
        *self.fifo = lent.fifo;
        *self.events = lent.events;
        self.tag = lent.tag;
    }

    /// Asks for a choke packet to the sender of `packet`, because the path is congested ([`Events::choke`]).
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
    /// The same view of the queue.
    pub fn view(&mut self) -> QueueView<'_> {
        let Lent { fifo, events, transmitting, tag, beside } = self;
        QueueView { fifo, events, transmitting: *transmitting, tag: *tag, beside: *beside }
    }

    /// Like [`QueueView::leave`].
    pub fn leave(&mut self, tag: Tag) {
        self.tag = tag;
    }
}
