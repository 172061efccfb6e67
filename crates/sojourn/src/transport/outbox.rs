//! The packets and reports of an endpoint in one call.

use super::counters::Completion;
use crate::packet::{FlowId, Packet};
use crate::pool::Pool;
use crate::units::Coarse;

/// The packets and reports of an endpoint in one call. A packet is written where it stays: copied at once after it was
/// put together, it would stall the processor (parts that are stored and then loaded as a whole).
#[derive(Clone, Debug, Default)]
pub struct Outbox {
    pub(crate) pool: Pool,
    pub(crate) sent: Vec<u32>,
    pub(crate) completions: Vec<Completion>,
    /// Whose packets are pushed, and where their route begins.
    flow: FlowId,
    hop: u32,
    /// The round-trip sample that a sender has taken from what came last, until the engine takes it; zero: none.
    pub(crate) round_trip: Coarse,
}

impl Outbox {
    /// Packets that are pushed from now on belong to this flow, and their route begins here.
    #[inline(always)]
    pub(crate) fn speak_for(&mut self, flow: FlowId, hop: u32) {
        self.flow = flow;
        self.hop = hop;
    }

    /// Sends a packet after those already sent.
    #[inline(always)]
    pub fn push(&mut self, mut packet: Packet) {
        packet.flow = self.flow;
        packet.hop = self.hop;
        let handle = self.pool.insert(packet);
        self.sent.push(handle);
    }

    /// Number of packets sent.
    pub fn len(&self) -> usize {
        self.sent.len()
    }

    /// Whether nothing was sent.
    pub fn is_empty(&self) -> bool {
        self.sent.is_empty()
    }

    /// Changes each packet that was sent from the `first`-th on, for what wraps an endpoint.
    pub fn change_from(&mut self, first: usize, mut change: impl FnMut(&mut Packet)) {
        for handle in &self.sent[first..] {
            change(self.pool.get_mut(*handle));
        }
    }

    /// Takes out what was sent, in order, and hands over each packet.
    pub fn take_each(&mut self, mut take: impl FnMut(Packet)) {
        for handle in self.sent.drain(..) {
            take(*self.pool.get(handle));
            self.pool.free(handle);
        }
    }

    /// Reports a finished transfer.
    pub fn complete(&mut self, done: Completion) {
        self.completions.push(done);
    }

    /// Takes out the transfers that were reported, in order.
    pub fn take_completions(&mut self) -> Vec<Completion> {
        std::mem::take(&mut self.completions)
    }

    /// Takes out what was sent, in order.
    pub fn drain(&mut self, _: std::ops::RangeFull) -> std::vec::IntoIter<Packet> {
        let packets: Vec<Packet> = self.sent.iter().map(|handle| *self.pool.get(*handle)).collect();
        while let Some(handle) = self.sent.pop() {
            self.pool.free(handle);
        }
        packets.into_iter()
    }
}
