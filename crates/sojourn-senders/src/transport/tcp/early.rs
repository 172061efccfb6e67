//! Retransmission by a fine-grained timeout, before the third duplicate acknowledgement: [BP95] Brakmo and Peterson, "TCP Vegas: end to end
//! congestion avoidance on a global Internet", JSAC 13(8), 1995. Only controls that ask for it have its cost.

use std::collections::VecDeque;

use crate::units::{Duration, Instant};

/// The number of new acknowledgements after a retransmission that are checked ([BP95]).
const CHECKED: u8 = 2;

/// A segment in flight.
#[derive(Clone, Copy, Debug)]
struct Sent {
    /// The byte behind its last one.
    end: u64,
    /// The time of its last transmission.
    at: Instant,
    /// True if it was sent once, so that its acknowledgement gives a sample.
    once: bool,
}

/// The sending times of segments, and the round-trip estimate.
#[derive(Clone, Debug, Default)]
pub(super) struct Early {
    sent: VecDeque<Sent>,
    /// Smoothed round-trip time and its variation in seconds; `None` before the first sample.
    smoothed: Option<(f64, f64)>,
    /// The number of new acknowledgements that are still to be checked.
    checks: u8,
    /// The last new acknowledgement's sample.
    pub(super) sample: Option<Duration>,
}

impl Early {
    /// The bytes up to `end` have been sent from `seq` on.
    pub(super) fn on_sent(&mut self, now: Instant, seq: u64, end: u64) {
        if self.sent.back().is_none_or(|last| end > last.end) {
            self.sent.push_back(Sent { end, at: now, once: true });
            return;
        }
        let first = self.sent.partition_point(|sent| sent.end <= seq);
        for sent in self.sent.range_mut(first..).take_while(|sent| sent.end <= end) {
            (sent.at, sent.once) = (now, false);
        }
    }

    /// All data below `next` has arrived. The newest segment gives a sample if it was sent once.
    pub(super) fn on_acked(&mut self, now: Instant, next: u64) {
        let mut newest = None;
        while let Some(sent) = self.sent.front().filter(|sent| sent.end <= next) {
            newest = Some(*sent);
            self.sent.pop_front();
        }
        if newest.is_some() {
            self.sample = newest.filter(|sent| sent.once).map(|sent| now.since(sent.at));
        }
        let Some(sent) = newest.filter(|sent| sent.once) else { return };
        let rtt = now.since(sent.at).as_secs_f64();
        self.smoothed = Some(match self.smoothed {
            None => (rtt, rtt / 2.0),
            Some((srtt, rttvar)) => (0.875 * srtt + 0.125 * rtt, 0.75 * rttvar + 0.25 * (rtt - srtt).abs()),
        });
    }

    /// True if the first segment in flight should have been acknowledged by now.
    pub(super) fn overdue(&self, now: Instant) -> bool {
        let (Some(first), Some((srtt, rttvar))) = (self.sent.front(), self.smoothed) else { return false };
        now.since(first.at).as_secs_f64() > srtt + 4.0 * rttvar
    }

    /// Returns whether this new acknowledgement finds the first segment overdue. If it does not, or nothing is outstanding, the checks end.
    pub(super) fn checks_out(&mut self, now: Instant, outstanding: bool) -> bool {
        if self.checks == 0 {
            return false;
        }
        self.checks -= 1;
        let found = outstanding && self.overdue(now);
        if !found {
            self.checks = 0;
        }
        found
    }

    /// A segment has been resent because of duplicates.
    pub(super) fn on_retransmission(&mut self) {
        self.checks = CHECKED;
    }
}
