//! The segments in flight: the time of the last transmission of each, and its state. They are in the order of their bytes, and a linked
//! list through them has the order of transmission. The cost of an acknowledgement grows with the segments that it reports, not with those
//! in flight.

mod packets;

use std::collections::VecDeque;

use crate::units::Instant;
pub(super) use packets::{Block, Blocks};

/// The number of no segment.
const NONE: u64 = u64::MAX;

/// A segment that has been sent and is not acknowledged cumulatively.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is known by itself")]
pub(in super::super) struct Segment {
    /// Its bytes, from `start` up to `end`.
    pub start: u64,
    pub end: u64,
    /// The time of its last transmission.
    pub sent_at: Instant,
    /// The number of that transmission, which orders transmissions at one time.
    pub order: u64,
    /// True if it has been sent more than once.
    pub resent: bool,
    /// True if it has been reported as received.
    pub sacked: bool,
    /// True if it counts as lost. Only its arrival clears this.
    pub lost: bool,
    /// True if a retransmission of it is in the network.
    pub repairing: bool,
    /// True if it was sent in one packet with the segment before.
    pub joined: bool,
    /// Its neighbours in the order of transmission, if it is in the list.
    before: u64,
    after: u64,
}

/// All segments in flight.
#[derive(Clone, Debug)]
pub(in super::super) struct Flight {
    segments: VecDeque<Segment>,
    /// The number of the first.
    first: u64,
    /// Of the segments in the list, the one that was sent first and the one that was sent last. Those in the network are in the
    /// list, and in Linux also those that count as lost by a timeout.
    oldest: u64,
    newest: u64,
    sacked: u64,
    lost: u64,
    repairing: u64,
    /// Retransmissions that count as in the network until nothing is out.
    leaked: u64,
    /// The head at the last timeout.
    timed_out: u64,
    /// No segment before this one is lost and not resent.
    repair_from: u64,
    /// The number of transmissions.
    sent: u64,
    /// The number of segments that are not joined.
    packets: u64,
    /// The packet that grew last: its last segment, and its first byte.
    grown: (u64, u64),
    /// The numbers of the segments that have been found to be lost and not been told yet. Present if the law is told.
    pub found: Option<Vec<u64>>,
}

impl Default for Flight {
    fn default() -> Self {
        let segments = VecDeque::new();
        Flight {
            segments,
            first: 0,
            oldest: NONE,
            newest: NONE,
            sacked: 0,
            lost: 0,
            repairing: 0,
            leaked: 0,
            timed_out: NONE,
            repair_from: 0,
            sent: 0,
            packets: 0,
            grown: (NONE, 0),
            found: None,
        }
    }
}

impl Flight {
    /// The segments in the network: those that are neither reported nor lost, and retransmissions.
    pub fn in_network(&self) -> u64 {
        self.segments.len() as u64 - self.sacked - self.lost + self.repairing()
    }

    /// All segments that are not acknowledged cumulatively, whatever their state.
    pub fn out(&self) -> u64 {
        self.segments.len() as u64
    }

    /// The segments that are reported as received.
    pub fn sacked(&self) -> u64 {
        self.sacked
    }

    /// True if a segment counts as lost.
    pub fn has_losses(&self) -> bool {
        self.lost > 0
    }

    /// The number of packets in which the segments are kept. A packet whose first part is acknowledged is one of them.
    pub fn packets(&self) -> u64 {
        self.packets + u64::from(self.segments.front().is_some_and(|head| head.joined))
    }

    /// The retransmissions in the network.
    pub fn repairing(&self) -> u64 {
        self.repairing + self.leaked
    }

    /// The number of transmissions, first ones and retransmissions.
    pub fn transmissions(&self) -> u64 {
        self.sent
    }

    /// The segment at the head of the window.
    pub fn head(&self) -> Option<&Segment> {
        self.segments.front()
    }

    /// The number of the last segment.
    pub fn last(&self) -> Option<u64> {
        (!self.segments.is_empty()).then(|| self.first + self.segments.len() as u64 - 1)
    }

    pub fn get(&self, number: u64) -> Segment {
        self.segments[(number - self.first) as usize]
    }

    fn at(&mut self, number: u64) -> &mut Segment {
        &mut self.segments[(number - self.first) as usize]
    }

    /// Takes a segment from the list.
    fn unlink(&mut self, number: u64) {
        let Segment { before, after, .. } = self.get(number);
        if before == NONE && after == NONE && self.oldest != number {
            return;
        }
        match before {
            NONE => self.oldest = after,
            before => self.at(before).after = after,
        }
        match after {
            NONE => self.newest = before,
            after => self.at(after).before = before,
        }
        let segment = self.at(number);
        (segment.before, segment.after) = (NONE, NONE);
    }

    /// Puts a segment at the end of that list.
    fn link(&mut self, number: u64) {
        let newest = std::mem::replace(&mut self.newest, number);
        match newest {
            NONE => self.oldest = number,
            newest => self.at(newest).after = number,
        }
        self.at(number).before = newest;
    }

    /// The bytes `start..end` have been sent for the first time. `joined` says that they are in one packet with the segment before.
    pub fn on_sent(&mut self, now: Instant, start: u64, end: u64, joined: bool) {
        let number = self.first + self.segments.len() as u64;
        self.sent += 1;
        self.packets += u64::from(!joined);
        self.segments.push_back(Segment {
            start,
            end,
            sent_at: now,
            order: self.sent,
            resent: false,
            sacked: false,
            lost: false,
            repairing: false,
            joined,
            before: NONE,
            after: NONE,
        });
        self.link(number);
    }

    /// The segment with this number has been sent again.
    pub fn on_resent(&mut self, now: Instant, number: u64) {
        self.on_repeated(now, number);
        if !std::mem::replace(&mut self.at(number).repairing, true) {
            self.repairing += 1;
        }
        if self.repair_from == number {
            self.repair_from = number + 1;
        }
    }

    /// The segment has been sent again, and counts as in the network once, as before.
    pub fn on_repeated(&mut self, now: Instant, number: u64) {
        self.unlink(number);
        self.sent += 1;
        let order = self.sent;
        let segment = self.at(number);
        (segment.sent_at, segment.order) = (now, order);
        segment.resent = true;
        self.link(number);
    }

    /// The segment of the list that was sent first.
    pub fn oldest(&self) -> Option<u64> {
        (self.oldest != NONE).then_some(self.oldest)
    }

    /// The segment of the list that was sent after this one.
    pub fn next_sent(&self, number: u64) -> Option<u64> {
        let after = self.get(number).after;
        (after != NONE).then_some(after)
    }

    /// The segment counts as lost from now on, and so does a retransmission of it.
    pub fn lose(&mut self, number: u64) {
        self.unlink(number);
        self.mark_lost(number);
    }

    fn mark_lost(&mut self, number: u64) {
        let segment = self.at(number);
        let (first, repair) =
            (!std::mem::replace(&mut segment.lost, true), std::mem::replace(&mut segment.repairing, false));
        self.lost += u64::from(first);
        self.repairing -= u64::from(repair);
        if first || repair {
            self.note_found(number);
        }
        self.repair_from = self.repair_from.min(number);
    }

    fn note_found(&mut self, number: u64) {
        if let Some(found) = &mut self.found {
            found.push(number);
        }
    }

    /// The timer has expired: the head is sent again.
    pub fn time_out(&mut self) {
        self.timed_out = self.first;
    }

    /// Whether the timer has expired and the head has not been sent again since.
    pub fn head_is_due(&self) -> bool {
        self.timed_out == self.first && self.head().is_some_and(|head| head.lost && !head.repairing)
    }

    /// The segment counts as lost after a timeout in Linux. It keeps its place in the list: if the timeout is taken back, the
    /// segment may be lost by time at once. If it had been sent again and did not count as lost, because the timeout before was
    /// taken back, this retransmission still counts as in the network (`tcp_mark_skb_lost`). The head is sent again all the
    /// same, and then only one of its retransmissions is ever acknowledged: the other counts until nothing is out
    /// (`retrans_out`).
    pub fn lose_at_timeout(&mut self, number: u64) {
        let known = self.get(number);
        if known.lost || !known.repairing {
            self.mark_lost(number);
            return;
        }
        self.at(number).lost = true;
        self.lost += 1;
        self.note_found(number);
        if number == self.first {
            self.unlink(number);
            self.at(number).repairing = false;
            self.repairing -= 1;
            self.leaked += 1;
        }
        self.repair_from = self.repair_from.min(number);
    }

    /// No segment counts as lost any more: they were only late. `keeps` says that the list stays as it is. In Linux those that were lost by
    /// time are not in it until they are sent again (`tcp_rack_detect_loss`). Else they are behind all others.
    pub fn forgive(&mut self, keeps: bool) {
        for number in self.numbers() {
            let segment = self.at(number);
            if std::mem::replace(&mut segment.lost, false) && !segment.repairing && !keeps {
                self.link(number);
            }
        }
        self.lost = 0;
    }

    /// The numbers of all segments.
    pub fn numbers(&self) -> std::ops::Range<u64> {
        self.first..self.first + self.segments.len() as u64
    }

    /// The first segment that is lost and not resent. Linux stops where as many are sent again as are lost. Only retransmissions that count
    /// too long make that many, and the head is sent again after a timeout all the same.
    pub fn next_repair(&mut self) -> Option<u64> {
        if self.leaked > 0 && self.repairing() >= self.lost {
            return self.head_is_due().then_some(self.first);
        }
        let end = self.first + self.segments.len() as u64;
        let mut number = self.repair_from.max(self.first);
        if self.lost == 0 {
            number = end;
        }
        while number < end {
            let segment = self.get(number);
            if segment.lost && !segment.repairing {
                break;
            }
            number += 1;
        }
        self.repair_from = number;
        (number < end).then_some(number)
    }

    /// The numbers of the segments that are wholly within `start..end`.
    pub fn within(&self, start: u64, end: u64) -> std::ops::Range<u64> {
        let from = self.segments.partition_point(|segment| segment.start < start);
        let to = self.segments.partition_point(|segment| segment.end <= end);
        self.first + from as u64..self.first + to.max(from) as u64
    }

    /// The bytes of this number of segments, from this one on.
    pub fn payload(&self, number: u64, segments: u64) -> u64 {
        self.get(number + segments - 1).end - self.get(number).start
    }

    /// The number of segments of one packet, from this one on, that are lost and not resent. It is at most `most`.
    pub fn lost_together(&self, number: u64, most: u64) -> u64 {
        let from = (number - self.first) as usize;
        let lost = self.segments.range(from + 1..).take_while(|next| next.joined && next.lost && !next.repairing);
        1 + lost.take(most.saturating_sub(1) as usize).count() as u64
    }

    /// The segment has been reported as received. Returns its state before. A flight that `keeps` repairs of segments that do not count as
    /// lost any more has them still in the network, as in Linux: the first transmission has arrived.
    pub fn on_sacked(&mut self, number: u64, keeps: bool) -> Segment {
        let known = self.get(number);
        let kept = keeps && known.repairing && !known.lost;
        self.unlink(number);
        self.lost -= u64::from(known.lost);
        self.repairing -= u64::from(known.repairing && !kept);
        self.sacked += 1;
        let segment = self.at(number);
        (segment.sacked, segment.lost, segment.repairing) = (true, false, kept);
        known
    }

    /// The segment has been reported as received twice: a retransmission of it is no longer in the network.
    pub fn on_twice(&mut self, number: u64) {
        self.repairing -= u64::from(std::mem::replace(&mut self.at(number).repairing, false));
    }

    /// Notes whether a segment is kept in one packet with the one before.
    fn join(&mut self, number: u64, joined: bool) {
        let segment = self.at(number);
        let before = std::mem::replace(&mut segment.joined, joined);
        self.packets = self.packets + u64::from(before) - u64::from(joined);
    }

    /// A packet that holds the segment with this number and others before it is cut in two (Linux `tcp_fragment`).
    pub fn cut_before(&mut self, number: u64) {
        if self.last().is_some_and(|last| number <= last) && self.get(number).joined {
            self.join(number, false);
            self.grown = (NONE, 0);
        }
    }

    /// Removes the head if all its bytes are below `una`. Returns its number and its state.
    pub fn pop_below(&mut self, una: u64) -> Option<(u64, Segment)> {
        let head = *self.segments.front().filter(|head| head.end <= una)?;
        if self.oldest == self.first {
            self.oldest = head.after;
            match head.after {
                NONE => self.newest = NONE,
                after => self.at(after).before = NONE,
            }
        } else {
            self.unlink(self.first);
        }
        self.lost -= u64::from(head.lost);
        self.repairing -= u64::from(head.repairing);
        self.sacked -= u64::from(head.sacked);
        self.packets -= u64::from(!head.joined);
        self.segments.pop_front();
        if self.segments.is_empty() {
            self.leaked = 0;
        }
        self.first += 1;
        Some((self.first - 1, head))
    }
}

#[cfg(test)]
mod tests;
