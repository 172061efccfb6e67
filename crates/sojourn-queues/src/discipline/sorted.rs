//! Packets in the order of a weight that each gets when it joins: the store of RED-Boston.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::queue::prelude::*;

/// Packets by weight, smallest first; equal weights in order of arrival. O(log n) for each packet.
#[derive(Clone, Debug)]
pub struct Sorted {
    heap: BinaryHeap<Reverse<Entry>>,
    arrivals: u64,
    bytes: u64,
    limit: Limit,
}

#[derive(Clone, Debug)]
struct Entry {
    weight: Instant,
    arrival: u64,
    packet: Packet,
}

impl Entry {
    fn key(&self) -> (Instant, u64) {
        (self.weight, self.arrival)
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Entry {}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

impl Sorted {
    /// Empty, holding at most `limit`.
    pub fn new(limit: Limit) -> Self {
        Sorted { heap: BinaryHeap::new(), arrivals: 0, bytes: 0, limit }
    }

    /// Whether `packet` finds room.
    pub fn admits(&self, packet: &Packet) -> bool {
        self.limit.admits(self.backlog(), packet)
    }

    /// Puts a packet in its place and stamps it with the time; the caller has checked [`Sorted::admits`].
    pub fn push(&mut self, now: Instant, weight: Instant, mut packet: Packet) {
        debug_assert!(self.admits(&packet), "pushed into a full queue");
        packet.enqueued_at = now;
        self.bytes += u64::from(packet.size);
        self.heap.push(Reverse(Entry { weight, arrival: self.arrivals, packet }));
        self.arrivals += 1;
    }

    /// Takes the packet of least weight.
    pub fn pop(&mut self) -> Option<Packet> {
        let Reverse(entry) = self.heap.pop()?;
        self.bytes -= u64::from(entry.packet.size);
        Some(entry.packet)
    }

    pub fn backlog(&self) -> Backlog {
        Backlog { packets: self.heap.len() as u64, bytes: self.bytes }
    }

    /// The most that may wait.
    pub fn limit(&self) -> Limit {
        self.limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::FlowId;

    #[test]
    fn packets_leave_by_weight_and_equal_weights_by_arrival() {
        let mut sorted = Sorted::new(Limit::packets(10));
        for (flow, millis) in [(0, 5), (1, 3), (2, 5), (3, 3), (4, 4)] {
            let weight = Instant::from_nanos(millis * 1_000_000);
            sorted.push(Instant::ZERO, weight, Packet::datagram(FlowId(flow), 0, 100));
        }

        let order: Vec<u32> = std::iter::from_fn(|| sorted.pop()).map(|packet| packet.flow.0).collect();

        assert_eq!(order, [1, 3, 4, 0, 2]);
        assert_eq!(sorted.backlog(), Backlog::default());
    }
}
