//! First in, first out, up to a limit: the store under [`Policed`](super::Policed).

use std::collections::VecDeque;

use super::{Backlog, Limit};
use crate::packet::Packet;
use crate::pool::make_room_behind;
use crate::units::Instant;

/// The number that a policy leaves with a packet until the packet's end. It is 0 unless the policy leaves one.
pub type Tag = u32;

/// The arrival time of a packet that has been taken out of the middle. No real packet has it.
const GAP: Instant = Instant::MAX;

fn is_gap(packet: &Packet) -> bool {
    packet.enqueued_at == GAP
}

/// Packets in order of arrival, each with its tag. If the packets stay with the caller, it holds only their number. It never does both.
///
/// A packet that is taken out by its tag leaves a gap, so that no packet has to move up. Neither end of the buffer is a gap, and gaps are
/// removed before they outnumber the packets.
#[derive(Clone, Debug)]
pub struct Buffer {
    packets: VecDeque<Packet>,
    gaps: usize,
    /// A tag for each packet and gap. Empty as long as all are 0.
    tags: VecDeque<Tag>,
    /// The number of packets that stay with the caller.
    lent: u64,
    bytes: u64,
    limit: Limit,
    /// The packets that a policy took out in the hook that runs, in this order.
    taken_out: VecDeque<(Packet, Tag)>,
}

impl Default for Buffer {
    /// An empty buffer without a limit.
    fn default() -> Self {
        Buffer::new(Limit::NONE)
    }
}

impl Buffer {
    /// An empty buffer that holds at most `limit`.
    pub fn new(limit: Limit) -> Self {
        Buffer {
            packets: VecDeque::new(),
            gaps: 0,
            tags: VecDeque::new(),
            lent: 0,
            bytes: 0,
            limit,
            taken_out: VecDeque::new(),
        }
    }

    /// True if there is room for `packet`.
    pub fn admits(&self, packet: &Packet) -> bool {
        self.limit.admits(self.backlog(), packet)
    }

    /// Appends a packet and stamps it with the time. The caller has checked [`Buffer::admits`].
    pub fn push(&mut self, now: Instant, packet: Packet, tag: Tag) {
        debug_assert!(self.admits(&packet), "pushed into a full queue");
        if tag != 0 || !self.tags.is_empty() {
            self.tags.resize(self.packets.len(), 0);
            self.tags.push_back(tag);
        }
        self.bytes += u64::from(packet.size);
        make_room_behind(&mut self.packets, "packets that wait");
        self.packets.push_back(packet);
        if let Some(tail) = self.packets.back_mut() {
            tail.enqueued_at = now;
        }
    }

    /// Takes the head.
    #[inline]
    pub fn pop(&mut self) -> Option<(Packet, Tag)> {
        let packet = self.packets.pop_front()?;
        self.bytes -= u64::from(packet.size);
        let tag = self.tags.pop_front().unwrap_or_default();
        if self.gaps > 0 {
            self.close_gaps();
        }
        Some((packet, tag))
    }

    /// Counts a packet of this size that joins and stays with the caller.
    pub fn lend(&mut self, size: u32) {
        self.bytes += u64::from(size);
        self.lent += 1;
    }

    /// Counts that the head leaves, which has this size and stayed with the caller.
    pub fn end_loan(&mut self, size: u32) {
        debug_assert!(self.lent > 0, "nothing was lent");
        self.bytes -= u64::from(size);
        self.lent -= 1;
    }

    /// The packet at this place. 0 is the head.
    pub fn get(&self, index: usize) -> Option<&Packet> {
        self.packets.get(self.place(index)?)
    }

    /// Takes out the packet at `index`. It takes O(n) in the middle.
    pub fn remove(&mut self, index: usize) -> Option<(Packet, Tag)> {
        let place = self.place(index)?;
        let packet = self.packets.remove(place)?;
        self.bytes -= u64::from(packet.size);
        let tag = self.tags.remove(place).unwrap_or_default();
        if self.gaps > 0 {
            self.close_gaps();
        }
        Some((packet, tag))
    }

    /// Like [`Buffer::remove`], for a policy. The policy gets [`Policy::on_drop`](super::Policy::on_drop) for it when its hook has
    /// returned.
    pub fn take_out(&mut self, index: usize) -> Option<Packet> {
        let taken = self.remove(index)?;
        self.taken_out.push_back(taken);
        Some(taken.0)
    }

    /// Like [`Buffer::take_out`], for the packet with this tag. Each packet must have a tag above 0 that is greater than those before it,
    /// modulo 2^32. It takes O(log n).
    pub fn take_out_tagged(&mut self, tag: Tag) -> Option<Packet> {
        let first = *self.tags.front()?;
        let place = self.tags.partition_point(|other| other.wrapping_sub(first) < tag.wrapping_sub(first));
        if self.tags.get(place) != Some(&tag) {
            return None;
        }
        let slot = self.packets.get_mut(place).filter(|slot| !is_gap(slot))?;
        let packet = *slot;
        slot.enqueued_at = GAP;
        self.bytes -= u64::from(packet.size);
        self.gaps += 1;
        self.close_gaps();
        self.taken_out.push_back((packet, tag));
        Some(packet)
    }

    /// The place of the packet at `index` among packets and gaps.
    #[inline]
    fn place(&self, index: usize) -> Option<usize> {
        if self.gaps == 0 || index == 0 {
            return Some(index);
        }
        if index + 1 == self.packets.len() - self.gaps {
            return Some(self.packets.len() - 1);
        }
        self.packets.iter().enumerate().filter(|(_, packet)| !is_gap(packet)).nth(index).map(|(place, _)| place)
    }

    /// Removes the gaps at the ends, and all gaps if they outnumber the packets.
    #[cold]
    fn close_gaps(&mut self) {
        while self.packets.front().is_some_and(is_gap) {
            self.packets.pop_front();
            self.tags.pop_front();
            self.gaps -= 1;
        }
        while self.packets.back().is_some_and(is_gap) {
            self.packets.pop_back();
            self.tags.pop_back();
            self.gaps -= 1;
        }
        if 2 * self.gaps > self.packets.len() {
            let mut packets = self.packets.iter();
            self.tags.retain(|_| packets.next().is_some_and(|packet| !is_gap(packet)));
            self.packets.retain(|packet| !is_gap(packet));
            self.gaps = 0;
        }
    }

    /// True if there is a taken-out packet for which the policy has not been called yet.
    pub fn has_taken_out(&self) -> bool {
        !self.taken_out.is_empty()
    }

    /// The first packet that the policy took out and for which it has not been called yet.
    pub fn next_taken_out(&mut self) -> Option<(Packet, Tag)> {
        self.taken_out.pop_front()
    }

    /// The backlog.
    pub fn backlog(&self) -> Backlog {
        Backlog { packets: (self.packets.len() - self.gaps) as u64 + self.lent, bytes: self.bytes }
    }

    /// The largest backlog that is allowed.
    pub fn limit(&self) -> Limit {
        self.limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::FlowId;
    use crate::rng::Rng;

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
    fn what_goes_by_its_tag_leaves_no_trace() {
        let mut rng = Rng::named(1, "buffer");
        // Tags pass the end of their numbers.
        let (mut buffer, mut list, mut next): (_, Vec<Tag>, _) = (Buffer::new(Limit::NONE), Vec::new(), Tag::MAX - 500);
        for _ in 0..3_000 {
            let index = rng.below(list.len().max(1) as u64) as usize;
            let known = list.get(index).copied();
            match rng.below(9) {
                0..=3 => {
                    buffer.push(Instant::ZERO, Packet::datagram(FlowId(next), 0, 1 + next % 7), next);
                    list.push(next);
                    next = next.wrapping_add(1 + rng.below(2) as u32).max(1);
                }
                4 => assert_eq!(buffer.pop().map(|(_, tag)| tag), (!list.is_empty()).then(|| list.remove(0))),
                5 => {
                    assert_eq!(
                        buffer.remove(index).map(|(packet, tag)| (packet.flow.0, tag)),
                        known.map(|tag| (tag, tag))
                    );
                    list.retain(|tag| Some(*tag) != known);
                }
                6..=7 => {
                    let taken = known.and_then(|tag| buffer.take_out_tagged(tag));
                    assert_eq!(taken.map(|packet| packet.flow.0), known);
                    assert_eq!(buffer.next_taken_out().map(|(_, tag)| tag), known);
                    list.retain(|tag| Some(*tag) != known);
                }
                _ => assert!(buffer.take_out_tagged(next).is_none(), "never queued"),
            }
            let bytes = list.iter().map(|tag| u64::from(1 + tag % 7)).sum();
            assert_eq!(buffer.backlog(), Backlog { packets: list.len() as u64, bytes });
            let tag = |at: usize| buffer.get(at).map(|packet| packet.flow.0);
            assert!((0..=list.len()).all(|at| tag(at) == list.get(at).copied()), "{list:?}");
            assert!(buffer.packets.len() <= 2 * list.len(), "{} for {}", buffer.packets.len(), list.len());
        }
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
