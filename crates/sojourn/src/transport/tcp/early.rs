//! Retransmission by a fine-grained timeout, before the third duplicate acknowledgement: [BP95] Brakmo and Peterson, "TCP Vegas: end to end
//! congestion avoidance on a global Internet", JSAC 13(8), 1995. Only controls that ask for it have its cost.

use std::collections::VecDeque;

use crate::transport::congestion::FineTimeout;
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
#[derive(Clone, Debug)]
pub(super) struct Early {
    law: FineTimeout,
    sent: VecDeque<Sent>,
    /// Smoothed round-trip time and its variation in seconds; `None` before the first sample.
    smoothed: Option<(f64, f64)>,
    /// The number of new acknowledgements that are still to be checked.
    checks: u8,
    /// The last new acknowledgement's sample.
    pub(super) sample: Option<Duration>,
    /// ns-2: the factor by which the timeout has grown at retransmissions since the last sample.
    pub(super) patience: f64,
}

impl Early {
    pub(super) fn new(law: FineTimeout) -> Self {
        Early { law, sent: VecDeque::new(), smoothed: None, checks: 0, sample: None, patience: 1.0 }
    }

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
        self.patience = 1.0;
        self.smoothed = Some(match (self.smoothed, self.law) {
            (None, FineTimeout::Jacobson) => (rtt, rtt / 2.0),
            (None, FineTimeout::Ns2) => {
                // ns-2 starts with a variation of a quarter; the first segment, sent at 0 of its clock, is no sample.
                self.sample = None;
                (rtt, rtt / 4.0)
            }
            (Some((srtt, rttvar)), _) => (0.875 * srtt + 0.125 * rtt, 0.75 * rttvar + 0.25 * (rtt - srtt).abs()),
        });
    }

    /// True if the first segment in flight should have been acknowledged by now.
    pub(super) fn overdue(&self, now: Instant) -> bool {
        let (Some(first), Some((srtt, rttvar))) = (self.sent.front(), self.smoothed) else { return false };
        let elapsed = now.since(first.at).as_secs_f64();
        match self.law {
            FineTimeout::Jacobson => elapsed > srtt + 4.0 * rttvar,
            FineTimeout::Ns2 => elapsed >= (srtt + 2.0 * rttvar) * 17.0 / 16.0 * self.patience,
        }
    }

    /// The first segment in flight: the time of its last transmission, and whether it was sent before that.
    pub(super) fn first(&self) -> Option<(Instant, bool)> {
        self.sent.front().map(|first| (first.at, !first.once))
    }

    /// Returns whether this new acknowledgement finds the first segment overdue. If no segment is in flight, it returns `otherwise`. If not
    /// overdue, the checks end.
    pub(super) fn checks_out(&mut self, now: Instant, outstanding: bool, otherwise: bool) -> bool {
        if self.checks == 0 {
            return false;
        }
        self.checks -= 1;
        let found = if outstanding { self.overdue(now) } else { otherwise };
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
