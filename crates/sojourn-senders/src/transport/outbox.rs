//! The packets and reports of an endpoint in one call.

use super::counters::Completion;
use crate::packet::{FlowId, Packet};
use crate::pool::Pool;
use crate::units::Coarse;

/// The packets and reports of an endpoint in one call. A packet is written in its final place. A copy right after its parts were stored
/// would stall the processor (parts that are stored and then loaded as a whole).
#[derive(Clone, Debug, Default)]
pub struct Outbox {
    /// Packets in flight.
    pub pool: Pool,
    /// The packets sent in this call, by their places in the pool.
    pub sent: Vec<u32>,
    /// Transfers that finished in this call.
    pub completions: Vec<Completion>,
    /// The flow whose packets are pushed, and the beginning of their route.
    flow: FlowId,
    hop: u32,
    /// The round-trip sample that a sender has taken from the last packet, until the engine takes it. Zero says that there is none.
    pub round_trip: Coarse,
    /// Timers that have been put on a wheel; zero where there is none.
    pub on_wheel: u64,
}

impl Outbox {
    /// Packets that are pushed from now on belong to this flow, and their route begins here.
    #[inline(always)]
    pub fn speak_for(&mut self, flow: FlowId, hop: u32) {
        self.flow = flow;
        self.hop = hop;
    }

    /// A timer is put on the wheel: how many have been, with it.
    pub fn put_on_wheel(&mut self) -> u64 {
        self.on_wheel += 1;
        self.on_wheel
    }

    /// Sends a packet after those already sent.
    #[inline(always)]
    pub fn push(&mut self, mut packet: Packet) {
        packet.flow = self.flow;
        packet.hop = self.hop;
        let handle = self.pool.insert(packet);
        self.sent.push(handle);
    }

    /// The number of packets sent.
    pub fn len(&self) -> usize {
        self.sent.len()
    }

    /// True if no packet was sent.
    pub fn is_empty(&self) -> bool {
        self.sent.is_empty()
    }

    /// Changes each packet that was sent from the `first`-th on. Wrappers of endpoints use this.
    pub fn change_from(&mut self, first: usize, mut change: impl FnMut(&mut Packet)) {
        for handle in &self.sent[first..] {
            change(self.pool.get_mut(*handle));
        }
    }

    /// Takes out the packets that were sent, in order, and gives each to `take`.
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

    /// Takes out the reported transfers, in order.
    pub fn take_completions(&mut self) -> Vec<Completion> {
        std::mem::take(&mut self.completions)
    }

    /// Takes out the packets that were sent, in order.
    pub fn drain(&mut self, _: std::ops::RangeFull) -> std::vec::IntoIter<Packet> {
        let packets: Vec<Packet> = self.sent.iter().map(|handle| *self.pool.get(*handle)).collect();
        while let Some(handle) = self.sent.pop() {
            self.pool.free(handle);
        }
        packets.into_iter()
    }
}
