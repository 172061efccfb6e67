//! First in, first out, up to a limit: the store under [`Policed`](super::Policed).

use std::collections::VecDeque;

use super::{Backlog, Limit};
use crate::packet::Packet;
use crate::units::Instant;

/// What a policy leaves with a packet until the packet's end; 0 unless it leaves something.
pub type Tag = u32;

/// Packets in order of arrival, each with its tag; or, where the packets themselves stay with whoever calls, how many there are,
/// never both.
#[derive(Clone, Debug)]
pub struct Buffer {
    packets: VecDeque<Packet>,
    /// A tag for each packet; none as long as all are 0.
    tags: VecDeque<Tag>,
    /// Packets that stay with the caller.
    lent: u64,
    bytes: u64,
    limit: Limit,
    /// What a policy took out in the hook that runs, first come first.
    taken_out: VecDeque<(Packet, Tag)>,
}

impl Default for Buffer {
    /// Empty and without a limit.
    fn default() -> Self {
        Buffer::new(Limit::NONE)
    }
}

impl Buffer {
    /// Empty, holding at most `limit`.
    pub fn new(limit: Limit) -> Self {
        Buffer { packets: VecDeque::new(), tags: VecDeque::new(), lent: 0, bytes: 0, limit, taken_out: VecDeque::new() }
    }

    /// Whether `packet` finds room.
    pub fn admits(&self, packet: &Packet) -> bool {
        self.limit.admits(self.backlog(), packet)
    }

    /// Appends a packet and stamps it with the time; the caller has checked [`Buffer::admits`].
    pub fn push(&mut self, now: Instant, packet: Packet, tag: Tag) {
        debug_assert!(self.admits(&packet), "pushed into a full queue");
        if tag != 0 || !self.tags.is_empty() {
            self.tags.resize(self.packets.len(), 0);
            self.tags.push_back(tag);
        }
        self.bytes += u64::from(packet.size);
        self.packets.push_back(packet);
        if let Some(tail) = self.packets.back_mut() {
            tail.enqueued_at = now;
        }
    }

    /// Takes the head.
    pub fn pop(&mut self) -> Option<(Packet, Tag)> {
        let packet = self.packets.pop_front()?;
        self.bytes -= u64::from(packet.size);
        Some((packet, self.tags.pop_front().unwrap_or_default()))
    }

    /// Notes that a packet of this size joins, which stays with the caller.
    pub fn lend(&mut self, size: u32) {
        self.bytes += u64::from(size);
        self.lent += 1;
    }

    /// Notes that the head, of this size, leaves, which stayed with the caller.
    pub fn end_loan(&mut self, size: u32) {
        debug_assert!(self.lent > 0, "nothing was lent");
        self.bytes -= u64::from(size);
        self.lent -= 1;
    }

    /// Any packet, 0 being the head.
    pub fn get(&self, index: usize) -> Option<&Packet> {
        self.packets.get(index)
    }

    /// Takes out the packet at `index`; O(n) in the middle.
    pub fn remove(&mut self, index: usize) -> Option<(Packet, Tag)> {
        let packet = self.packets.remove(index)?;
        self.bytes -= u64::from(packet.size);
        Some((packet, self.tags.remove(index).unwrap_or_default()))
    }

    /// As [`Buffer::remove`] for a policy, which hears of it when its hook has returned.
    pub fn take_out(&mut self, index: usize) -> Option<Packet> {
        let taken = self.remove(index)?;
        self.taken_out.push_back(taken);
        Some(taken.0)
    }

    /// Whether the policy has not yet heard of something that it took out.
    pub fn has_taken_out(&self) -> bool {
        !self.taken_out.is_empty()
    }

    /// The first packet that the policy took out and has not heard of.
    pub fn next_taken_out(&mut self) -> Option<(Packet, Tag)> {
        self.taken_out.pop_front()
    }

    /// What waits.
    pub fn backlog(&self) -> Backlog {
        Backlog { packets: self.packets.len() as u64 + self.lent, bytes: self.bytes }
    }

    /// What may wait at most.
    pub fn limit(&self) -> Limit {
        self.limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::FlowId;

    fn tags(buffer: &mut Buffer) -> Vec<(u32, Tag)> {
        std::iter::from_fn(|| buffer.pop()).map(|(packet, tag)| (packet.flow.0, tag)).collect()
    }

    #[test]
    fn each_packet_keeps_its_tag_whoever_leaves_between() {
        let mut buffer = Buffer::new(Limit::NONE);
        for (flow, tag) in [(0, 0), (1, 0), (2, 7), (3, 0), (4, 9), (5, 5)] {
            buffer.push(Instant::ZERO, Packet::datagram(FlowId(flow), 0, 1000), tag);
        }

        assert_eq!(buffer.remove(2).map(|(packet, tag)| (packet.flow.0, tag)), Some((2, 7)));
        assert_eq!(buffer.take_out(3).map(|packet| packet.flow.0), Some(4));
        assert_eq!(buffer.next_taken_out().map(|(packet, tag)| (packet.flow.0, tag)), Some((4, 9)));
        assert!(!buffer.has_taken_out());
        assert_eq!(tags(&mut buffer), [(0, 0), (1, 0), (3, 0), (5, 5)]);
    }

    #[test]
    fn no_tags_are_kept_where_none_is_left() {
        let mut buffer = Buffer::new(Limit::NONE);
        for round in 0..3 {
            (0..5).for_each(|flow| buffer.push(Instant::ZERO, Packet::datagram(FlowId(flow), 0, 1000), 0));
            assert_eq!(buffer.tags.capacity(), 0, "{round}");
            assert_eq!(tags(&mut buffer).len(), 5);
        }
    }
}
