//! First in, first out, up to a limit: the store under [`Managed`](super::Managed).

use std::collections::VecDeque;

use super::{Backlog, Limit};
use crate::packet::Packet;
use crate::prefetch::prefetch_later;
use crate::units::Instant;

/// Packets in order of arrival; or, where the packets themselves stay with whoever calls, when they joined and their
/// sizes, never both.
#[derive(Clone, Debug)]
pub struct Buffer {
    packets: VecDeque<Packet>,
    stubs: VecDeque<(Instant, u32)>,
    bytes: u64,
    limit: Limit,
}

impl Buffer {
    /// Empty, holding at most `limit`.
    pub fn new(limit: Limit) -> Self {
        Buffer { packets: VecDeque::new(), stubs: VecDeque::new(), bytes: 0, limit }
    }

    /// Whether `packet` finds room.
    pub fn admits(&self, packet: &Packet) -> bool {
        self.limit.admits(self.backlog(), packet)
    }

    /// Appends a packet and stamps it with the time; the caller has checked [`Buffer::admits`].
    pub fn push(&mut self, now: Instant, packet: Packet) {
        debug_assert!(self.admits(&packet), "pushed into a full queue");
        self.bytes += u64::from(packet.size);
        self.packets.push_back(packet);
        if let Some(tail) = self.packets.back_mut() {
            tail.enqueued_at = now;
        }
    }

    /// Takes the head.
    pub fn pop(&mut self) -> Option<Packet> {
        let packet = self.packets.pop_front()?;
        self.bytes -= u64::from(packet.size);
        Some(packet)
    }

    /// Notes that a packet of this size joins, which stays with the caller.
    pub fn push_stub(&mut self, now: Instant, size: u32) {
        self.bytes += u64::from(size);
        self.stubs.push_back((now, size));
    }

    /// Takes the head's stub: when it joined, and its size.
    pub fn pop_stub(&mut self) -> Option<(Instant, u32)> {
        let stub = self.stubs.pop_front()?;
        prefetch_later(&self.stubs);
        self.bytes -= u64::from(stub.1);
        Some(stub)
    }

    /// Any packet, 0 being the head.
    pub fn get(&self, index: usize) -> Option<&Packet> {
        self.packets.get(index)
    }

    /// Takes out the packet at `index`; O(n) in the middle.
    pub fn remove(&mut self, index: usize) -> Option<Packet> {
        let packet = self.packets.remove(index)?;
        self.bytes -= u64::from(packet.size);
        Some(packet)
    }

    /// What waits.
    pub fn backlog(&self) -> Backlog {
        Backlog { packets: (self.packets.len() + self.stubs.len()) as u64, bytes: self.bytes }
    }

    /// What may wait at most.
    pub fn limit(&self) -> Limit {
        self.limit
    }
}
