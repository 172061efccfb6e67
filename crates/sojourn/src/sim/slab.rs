//! Packets in flight: a pool with handles, so that an event stays small.

use crate::packet::Packet;

/// Packets by handle; freed places are used again, the most recent first.
#[derive(Debug, Default)]
pub struct Slab {
    packets: Vec<Packet>,
    free: Vec<u32>,
}

impl Slab {
    /// Stores a packet and gives its handle.
    #[inline]
    pub fn insert(&mut self, packet: Packet) -> u32 {
        if let Some(handle) = self.free.pop() {
            self.packets[handle as usize] = packet;
            handle
        } else {
            self.packets.push(packet);
            (self.packets.len() - 1) as u32
        }
    }

    /// Takes out the packet of a handle; the handle is void from then on.
    #[inline]
    pub fn remove(&mut self, handle: u32) -> Packet {
        self.free.push(handle);
        self.packets[handle as usize]
    }
}
