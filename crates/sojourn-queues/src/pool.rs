//! Packets in flight: a pool with handles, so that an event stays small and a packet is not copied
//! from link to link.
//!
//! One event can make any number of packets, so the caller of a simulation cannot check its memory in time. The pool itself does this when
//! it grows.

use std::collections::{TryReserveError, VecDeque};

use crate::packet::{FlowId, Packet};

/// Packets by handle. Freed places are used again, the most recent first.
#[derive(Clone, Debug)]
pub struct Pool {
    packets: Vec<Packet>,
    free: Vec<u32>,
    /// The bytes that it may take.
    room: u64,
}

impl Default for Pool {
    fn default() -> Self {
        Pool { packets: Vec::new(), free: Vec::new(), room: u64::MAX }
    }
}

/// The cause of an end in the middle of an event: the simulation would take more memory than it may. It can go neither on nor back, so it
/// unwinds with this to its caller. The simulation must not be used afterwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfMemory {
    /// The use of the memory.
    pub what: &'static str,
    /// The bytes that it holds, or would hold.
    pub bytes: u64,
}

impl OutOfMemory {
    /// Unwinds to the caller of the simulation.
    #[cold]
    pub fn unwind(self) -> ! {
        std::panic::resume_unwind(Box::new(self))
    }
}

/// Makes room for `more` items of a list. Where the system has no memory for it, this unwinds with [`OutOfMemory`]: the list by itself
/// would end the program.
#[inline(always)]
pub fn make_room<T>(list: &mut Vec<T>, more: usize, what: &'static str) {
    if list.capacity() - list.len() < more {
        grow(what, size_of::<T>() * (list.len() + list.len().max(more)), || list.try_reserve(more));
    }
}

/// The same for a list with two ends.
#[inline(always)]
pub fn make_room_behind<T>(list: &mut VecDeque<T>, what: &'static str) {
    if list.capacity() == list.len() {
        grow(what, size_of::<T>() * 2 * list.len(), || list.try_reserve(1));
    }
}

#[cold]
#[inline(never)]
fn grow(what: &'static str, bytes: usize, reserve: impl FnOnce() -> Result<(), TryReserveError>) {
    if reserve().is_err() {
        OutOfMemory { what, bytes: bytes as u64 }.unwind();
    }
}

impl Pool {
    /// Sets the greatest number of bytes in store. A packet beyond it unwinds with [`OutOfMemory`].
    pub fn limit(&mut self, bytes: u64) {
        self.room = bytes;
    }

    /// Stores a packet and returns its handle.
    #[inline(always)]
    pub fn insert(&mut self, packet: Packet) -> u32 {
        // The place comes first: a packet that goes nowhere else is written there field by field.
        let handle = self.free.pop().unwrap_or_else(|| self.grow());
        self.packets[handle as usize] = packet;
        handle
    }

    /// Makes another place.
    #[cold]
    #[inline(never)]
    fn grow(&mut self) -> u32 {
        if self.packets.len() == self.packets.capacity() {
            // While they are moved, the old places and twice as many new ones are there.
            let bytes = 3 * (self.packets.len() * size_of::<Packet>()) as u64;
            if bytes > self.room {
                OutOfMemory { what: "packets on their way", bytes }.unwind();
            }
            make_room(&mut self.packets, 1, "packets on their way");
        }
        self.packets.push(Packet::datagram(FlowId(0), 0, 0));
        (self.packets.len() - 1) as u32
    }

    /// The packet of a handle.
    #[inline(always)]
    pub fn get(&self, handle: u32) -> &Packet {
        &self.packets[handle as usize]
    }

    /// Takes out the packet of a handle. The handle is void from then on.
    #[inline(always)]
    pub fn take(&mut self, handle: u32) -> Packet {
        let packet = self.packets[handle as usize];
        self.free.push(handle);
        packet
    }

    /// The packet at a place, if there is such a place. The packet may be void.
    #[inline(always)]
    pub fn try_get(&self, place: u32) -> Option<&Packet> {
        self.packets.get(place as usize)
    }

    /// The packet of a handle, to change.
    #[inline(always)]
    pub fn get_mut(&mut self, handle: u32) -> &mut Packet {
        &mut self.packets[handle as usize]
    }

    /// The number of places, which is the most packets that were ever stored at a time.
    pub fn places(&self) -> usize {
        self.packets.len()
    }

    /// Gives the place of a packet back. The handle is void from then on.
    #[inline]
    pub fn free(&mut self, handle: u32) {
        self.free.push(handle);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pool_that_would_outgrow_its_room_unwinds_and_says_by_how_much() {
        let room = 1_000_000;
        let ended = std::panic::catch_unwind(|| {
            let mut pool = Pool::default();
            pool.limit(room);
            (0..1_000_000u64).map(|seq| pool.insert(Packet::datagram(FlowId(0), seq, 1000))).max()
        });
        let full = ended.expect_err("a million packets are more than a million bytes");
        let full = full.downcast_ref::<OutOfMemory>().expect("the reason");
        assert_eq!(full.what, "packets on their way");
        assert!(full.bytes > room);
        // Three times the former number: not more than twice the size that would have fitted.
        assert!(full.bytes <= 2 * 3 * room);
    }

    #[test]
    fn a_list_for_which_there_is_no_memory_unwinds() {
        let endless = usize::MAX / 32;
        let ended = std::panic::catch_unwind(|| make_room(&mut vec![0_u64; 3], endless, "a list"));
        let full = ended.expect_err("half the numbers that there are");
        let full = full.downcast_ref::<OutOfMemory>().expect("the reason");
        assert_eq!(*full, OutOfMemory { what: "a list", bytes: 8 * (endless as u64 + 3) });
        let (mut list, mut queue) = (vec![1], VecDeque::from([1]));
        make_room(&mut list, 100, "a list");
        make_room_behind(&mut queue, "a queue");
        assert!(list.capacity() >= 101 && queue.capacity() >= 2);
    }

    #[test]
    fn places_that_are_used_again_need_no_room() {
        let mut pool = Pool::default();
        for seq in 0..100_000u64 {
            let handle = pool.insert(Packet::datagram(FlowId(0), seq, 1000));
            pool.limit(0);
            pool.free(handle);
        }
        assert_eq!(pool.places(), 1);
    }
}
