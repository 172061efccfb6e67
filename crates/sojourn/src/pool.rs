//! Packets in flight: a pool with handles, so that an event stays small and a packet is not copied
//! from link to link.

use crate::packet::{FlowId, Packet};
use crate::transport::Completion;

/// Packets by handle; freed places are used again, the most recent first.
#[derive(Clone, Debug, Default)]
pub struct Pool {
    packets: Vec<Packet>,
    free: Vec<u32>,
}

impl Pool {
    /// Stores a packet and gives its handle.
    #[inline(always)]
    pub fn insert(&mut self, packet: Packet) -> u32 {
        // The place comes first: a packet that is handed to nobody else is written there part by part.
        let handle = self.free.pop().unwrap_or_else(|| self.grow());
        self.packets[handle as usize] = packet;
        handle
    }

    /// Another place.
    #[cold]
    #[inline(never)]
    fn grow(&mut self) -> u32 {
        self.packets.push(Packet::datagram(FlowId(0), 0, 0));
        (self.packets.len() - 1) as u32
    }

    /// The packet of a handle.
    #[inline(always)]
    pub fn get(&self, handle: u32) -> &Packet {
        &self.packets[handle as usize]
    }

    /// The packet at a place, if there is such a place; it may be void.
    #[inline(always)]
    pub(crate) fn try_get(&self, place: u32) -> Option<&Packet> {
        self.packets.get(place as usize)
    }

    /// The packet of a handle, to change.
    #[inline(always)]
    pub fn get_mut(&mut self, handle: u32) -> &mut Packet {
        &mut self.packets[handle as usize]
    }

    /// Places that there are: the most packets that were ever stored at a time.
    pub fn places(&self) -> usize {
        self.packets.len()
    }

    /// Gives the place of a packet back; the handle is void from then on.
    #[inline]
    pub fn free(&mut self, handle: u32) {
        self.free.push(handle);
    }
}

/// What an endpoint sends and reports in one call. A packet is written where it stays: copied at once after it was
/// put together, it would stall the processor (parts that are stored and then loaded as a whole).
#[derive(Clone, Debug, Default)]
pub struct Outbox {
    pub(crate) pool: Pool,
    pub(crate) sent: Vec<u32>,
    pub(crate) completions: Vec<Completion>,
}

impl Outbox {
    /// Sends a packet after those already sent.
    #[inline(always)]
    pub fn push(&mut self, packet: Packet) {
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
