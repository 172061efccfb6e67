//! Packets in flight: a pool with handles, so that an event stays small and a packet is not copied
//! from link to link.

use crate::packet::{FlowId, Packet};

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

    /// Takes out the packet of a handle, which is void from then on.
    #[inline(always)]
    pub fn take(&mut self, handle: u32) -> Packet {
        let packet = self.packets[handle as usize];
        self.free.push(handle);
        packet
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
