//! What is in flight, segment by segment: when each was sent last, and what is known of it. In order of the bytes, and by a list that runs
//! through it in order of transmission. An acknowledgement costs what it tells, not what is in flight.

use std::collections::VecDeque;

use crate::units::Instant;

/// No segment.
const NONE: u64 = u64::MAX;

/// A segment that has been sent and is not acknowledged cumulatively.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is known by itself")]
pub(in super::super) struct Segment {
    /// Its bytes.
    pub start: u64,
    pub end: u64,
    /// When it was sent last.
    pub sent_at: Instant,
    /// Number of that transmission: it tells the order of what left at one time.
    pub order: u64,
    /// It has been sent more than once.
    pub resent: bool,
    /// It has been reported as received.
    pub sacked: bool,
    /// It counts as lost; cleared by nothing but its arrival.
    pub lost: bool,
    /// A retransmission of it is in the network.
    pub repairing: bool,
    /// It left in one packet with the one before.
    pub joined: bool,
    /// Neighbours in order of transmission, if it is in the network.
    before: u64,
    after: u64,
}

/// All of them.
#[derive(Clone, Debug)]
pub(in super::super) struct Flight {
    segments: VecDeque<Segment>,
    /// Number of the first.
    first: u64,
    /// The ones sent first and last of those that are in the network.
    oldest: u64,
    newest: u64,
    sacked: u64,
    lost: u64,
    repairing: u64,
    /// No segment before this one is lost and not resent.
    repair_from: u64,
    /// Transmissions.
    sent: u64,
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
            repair_from: 0,
            sent: 0,
        }
    }
}

impl Flight {
    /// Segments in the network: those that are neither reported nor lost, and retransmissions.
    pub fn in_network(&self) -> u64 {
        self.segments.len() as u64 - self.sacked - self.lost + self.repairing
    }

    /// Segments out, whatever is known of them.
    pub fn out(&self) -> u64 {
        self.segments.len() as u64
    }

    /// Segments reported as received.
    pub fn sacked(&self) -> u64 {
        self.sacked
    }

    /// Whether one counts as lost.
    pub fn has_losses(&self) -> bool {
        self.lost > 0
    }

    /// Retransmissions in the network.
    pub fn repairing(&self) -> u64 {
        self.repairing
    }

    /// How many have been sent, for the first time or again.
    pub fn transmissions(&self) -> u64 {
        self.sent
    }

    /// The one at the head of the window.
    pub fn head(&self) -> Option<&Segment> {
        self.segments.front()
    }

    /// Number of the last one.
    pub fn last(&self) -> Option<u64> {
        (!self.segments.is_empty()).then(|| self.first + self.segments.len() as u64 - 1)
    }

    /// The segment with this number.
    pub fn get(&self, number: u64) -> Segment {
        self.segments[(number - self.first) as usize]
    }

    fn at(&mut self, number: u64) -> &mut Segment {
        &mut self.segments[(number - self.first) as usize]
    }

    /// Takes it from the list of those in the network.
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

    /// Puts it at the end of that list.
    fn link(&mut self, number: u64) {
        let newest = std::mem::replace(&mut self.newest, number);
        match newest {
            NONE => self.oldest = number,
            newest => self.at(newest).after = number,
        }
        self.at(number).before = newest;
    }

    /// `start..end` has been sent for the first time; `joined`: in one packet with the segment before.
    pub fn on_sent(&mut self, now: Instant, start: u64, end: u64, joined: bool) {
        let number = self.first + self.segments.len() as u64;
        self.sent += 1;
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
        self.unlink(number);
        self.sent += 1;
        let order = self.sent;
        let segment = self.at(number);
        (segment.sent_at, segment.order) = (now, order);
        segment.resent = true;
        if !std::mem::replace(&mut segment.repairing, true) {
            self.repairing += 1;
        }
        self.link(number);
        if self.repair_from == number {
            self.repair_from = number + 1;
        }
    }

    /// The oldest one that is in the network, and the one sent after it.
    pub fn oldest(&self) -> Option<u64> {
        (self.oldest != NONE).then_some(self.oldest)
    }

    /// The one sent after it that is still in the network.
    pub fn next_sent(&self, number: u64) -> Option<u64> {
        let after = self.get(number).after;
        (after != NONE).then_some(after)
    }

    /// It counts as lost; a retransmission of it, too.
    pub fn lose(&mut self, number: u64) {
        self.unlink(number);
        let segment = self.at(number);
        let (first, repair) =
            (!std::mem::replace(&mut segment.lost, true), std::mem::replace(&mut segment.repairing, false));
        self.lost += u64::from(first);
        self.repairing -= u64::from(repair);
        self.repair_from = self.repair_from.min(number);
    }

    /// All that count as lost do so no more: they had only been late.
    pub fn forgive(&mut self) {
        for number in self.first..self.first + self.segments.len() as u64 {
            let segment = self.at(number);
            if std::mem::replace(&mut segment.lost, false) && !segment.repairing {
                // In order of transmission as far as it is known: behind all others.
                self.link(number);
            }
        }
        self.lost = 0;
    }

    /// The first one that is lost and not resent.
    pub fn next_repair(&mut self) -> Option<u64> {
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

    /// Numbers of the segments that lie in `start..end` as a whole.
    pub fn within(&self, start: u64, end: u64) -> std::ops::Range<u64> {
        let from = self.segments.partition_point(|segment| segment.start < start);
        let to = self.segments.partition_point(|segment| segment.end <= end);
        self.first + from as u64..self.first + to.max(from) as u64
    }

    /// How many segments of one packet, beginning with this one, are lost and not resent; at most so many.
    pub fn lost_together(&self, number: u64, most: u64) -> u64 {
        let from = (number - self.first) as usize;
        let lost = self.segments.range(from + 1..).take_while(|next| next.joined && next.lost && !next.repairing);
        1 + lost.take(most.saturating_sub(1) as usize).count() as u64
    }

    /// It has been reported as received; what was known of it before.
    pub fn on_sacked(&mut self, number: u64) -> Segment {
        let known = self.get(number);
        self.unlink(number);
        self.lost -= u64::from(known.lost);
        self.repairing -= u64::from(known.repairing);
        self.sacked += 1;
        let segment = self.at(number);
        (segment.sacked, segment.lost, segment.repairing) = (true, false, false);
        known
    }

    /// Removes the head if all of it lies below `una`: its number, and what was known of it.
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
        self.segments.pop_front();
        self.first += 1;
        Some((self.first - 1, head))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(n: u64) -> Instant {
        Instant::from_nanos(n)
    }

    /// Six segments of ten bytes, sent one after the other.
    fn six() -> Flight {
        let mut flight = Flight::default();
        for n in 0..6 {
            flight.on_sent(at(n), 10 * n, 10 * n + 10, n % 2 == 1);
        }
        flight
    }

    fn in_order_of_transmission(flight: &Flight) -> Vec<u64> {
        std::iter::successors(flight.oldest(), |&number| flight.next_sent(number)).collect()
    }

    #[test]
    fn what_is_in_the_network_follows_what_is_known() {
        let mut flight = six();
        assert_eq!(flight.in_network(), 6);
        flight.on_sacked(2);
        assert_eq!((flight.in_network(), flight.sacked()), (5, 1));
        flight.lose(0);
        flight.lose(1);
        assert_eq!(flight.in_network(), 3);
        assert_eq!(flight.next_repair(), Some(0));
        flight.on_resent(at(7), 0);
        assert_eq!((flight.in_network(), flight.next_repair()), (4, Some(1)));
        flight.lose(0);
        assert_eq!((flight.in_network(), flight.next_repair()), (3, Some(0)), "the retransmission is lost");
        assert_eq!(flight.pop_below(10).map(|(number, segment)| (number, segment.start)), Some((0, 0)));
        assert!(flight.pop_below(15).is_none());
        assert_eq!((flight.in_network(), flight.lost, flight.out()), (3, 1, 5));
    }

    #[test]
    fn a_retransmission_goes_to_the_end_of_the_order_of_transmission() {
        let mut flight = six();
        flight.on_sacked(3);
        flight.lose(1);
        assert_eq!(in_order_of_transmission(&flight), [0, 2, 4, 5]);
        flight.on_resent(at(9), 1);
        assert_eq!(in_order_of_transmission(&flight), [0, 2, 4, 5, 1]);
        while flight.pop_below(20).is_some() {}
        assert_eq!(in_order_of_transmission(&flight), [2, 4, 5]);
    }

    #[test]
    fn a_block_names_the_segments_that_it_covers_as_a_whole() {
        let mut flight = six();
        assert_eq!(flight.within(10, 40), 1..4);
        assert_eq!(flight.within(5, 25), 1..2);
        while flight.pop_below(20).is_some() {}
        assert_eq!(flight.within(0, 60), 2..6);
        assert_eq!(flight.within(33, 37), 4..4);
    }

    #[test]
    fn of_a_packet_those_are_resent_together_that_are_lost() {
        // Pairs: 0 and 1, 2 and 3, 4 and 5.
        let mut flight = six();
        for number in [0, 2, 3, 4, 5] {
            flight.lose(number);
        }
        assert_eq!((flight.lost_together(0, 9), flight.lost_together(2, 9), flight.lost_together(2, 1)), (1, 2, 1));
        flight.on_resent(at(9), 5);
        assert_eq!((flight.lost_together(3, 9), flight.lost_together(4, 9)), (1, 1));
    }

    #[test]
    fn what_was_only_late_counts_as_in_the_network_again() {
        let mut flight = six();
        flight.lose(0);
        flight.lose(1);
        flight.on_resent(at(9), 0);
        flight.forgive();
        assert_eq!((flight.lost, flight.in_network(), flight.next_repair()), (0, 7, None));
    }
}
