//! Packets in flight: a pool with handles, so that an event stays small and a packet is not copied
//! from link to link.

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
    pub fn insert(&mut self, packet: &Packet) -> u32 {
        if let Some(handle) = self.free.pop() {
            self.packets[handle as usize] = *packet;
            handle
        } else {
            self.packets.push(*packet);
            (self.packets.len() - 1) as u32
        }
    }

    /// The packet of a handle.
    #[inline]
    pub fn get(&self, handle: u32) -> &Packet {
        &self.packets[handle as usize]
    }

    /// The packet of a handle, to change.
    #[inline]
    pub fn get_mut(&mut self, handle: u32) -> &mut Packet {
        &mut self.packets[handle as usize]
    }

    /// Places that there are: the most packets that were ever stored at a time.
    #[cfg(test)]
    pub fn places(&self) -> usize {
        self.packets.len()
    }

    /// Gives the place of a packet back; the handle is void from then on.
    #[inline]
    pub fn free(&mut self, handle: u32) {
        self.free.push(handle);
    }
}
