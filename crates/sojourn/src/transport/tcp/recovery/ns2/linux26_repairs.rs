//! The losses and repairs that rules 1 to 6 of [`super::linux26`] need.

use crate::transport::tcp::ranges::RangeSet;
use crate::units::Instant;

/// A segment that was sent again and is not acknowledged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Repair {
    start: u64,
    end: u64,
    /// The byte behind the highest one that had been sent by then.
    sent: u64,
    /// Its number among the repairs.
    number: u64,
}

/// The state of rules 1 to 6 besides the received data.
#[derive(Clone, Debug, Default)]
pub(super) struct Repairs {
    /// The data that is lost and not yet resent.
    pub lost: RangeSet,
    /// The repairs, in the order of their bytes.
    pub resent: Vec<Repair>,
    /// The number of the next repair.
    next: u64,
    /// One more than the number of the last acknowledged repair.
    acked: u64,
    /// The byte behind the highest received one.
    pub highest: u64,
    /// Holes below this byte have been found to be lost.
    judged: u64,
    /// The segments that may be in the network while the rate is halved.
    pub halving: u64,
    /// The time at which the segment was sent that was acknowledged last in order. Duplicates echo it again (RFC 7323 section 4.3).
    pub echo: Option<Instant>,
}

impl Repairs {
    /// Applies rules 1 and 2 to the data received until now. Returns whether it has found a loss. All below `una` is acknowledged, and
    /// `distance` bytes are `threshold` segments.
    pub fn judge(&mut self, una: u64, received: &RangeSet, threshold: u64, distance: u64) -> bool {
        let (mut acked, mut found) = (self.acked, false);
        for repair in self.resent.iter().filter(|repair| repair.end <= una) {
            acked = acked.max(repair.number + 1);
        }
        self.resent.retain(|repair| {
            if repair.end <= una {
                return false;
            }
            if received.containing(repair.start).is_some() {
                acked = repair.number + 1;
                return false;
            }
            let lost = repair.sent < self.highest || repair.number + threshold + 1 < acked;
            if lost {
                self.lost.insert(repair.start, repair.end);
                found = true;
            }
            !lost
        });
        self.acked = acked;
        let below = self.highest.saturating_sub(distance);
        let mut at = self.judged.max(una);
        while let Some((start, end)) = received.hole_from(at).filter(|hole| hole.0 < below) {
            self.lost.insert(start, end.min(below));
            found = true;
            at = end;
        }
        self.judged = self.judged.max(below);
        found
    }

    pub fn note_repair(&mut self, start: u64, end: u64, sent: u64) {
        self.lost.remove(start, end);
        let place = self.resent.partition_point(|repair| repair.start < start);
        self.resent.insert(place, Repair { start, end, sent, number: self.next });
        self.next += 1;
    }

    /// Rule 6. All data from `una` to `sent` is lost, except received data.
    pub fn give_up(&mut self, una: u64, sent: u64, received: &RangeSet) {
        let mut at = una;
        while let Some((start, end)) = received.hole_from(at) {
            self.lost.insert(start, end);
            at = end;
        }
        let at = received.containing(at).map_or(at, |(_, end)| end);
        if at < sent {
            self.lost.insert(at, sent);
        }
        self.resent.clear();
        (self.next, self.acked, self.judged, self.halving) = (0, 0, sent, 0);
    }

    pub fn forget(&mut self) {
        *self = Repairs { echo: self.echo, halving: self.halving, ..Repairs::default() };
    }
}
