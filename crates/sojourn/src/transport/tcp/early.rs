//! Retransmission by a fine-grained timeout, before the third duplicate acknowledgement: [BP95] Brakmo and Peterson, "TCP
//! Vegas: end to end congestion avoidance on a global Internet", JSAC 13(8), 1995. Only controls that ask
//! for it pay for it.

use std::collections::VecDeque;

use super::Recovery;
use super::sender::{Ack, Sender};
use crate::transport::FlowContext;
use crate::transport::congestion::FineTimeout;
use crate::units::Instant;

/// New acknowledgements after a retransmission that are checked ([BP95]).
const CHECKED: u8 = 2;

/// A segment that is out.
#[derive(Clone, Copy, Debug)]
struct Sent {
    /// Behind its last byte.
    end: u64,
    /// When it was sent last.
    at: Instant,
    /// Sent once: its acknowledgement is a sample.
    once: bool,
}

/// When each segment was sent, and how long round trips take.
#[derive(Clone, Debug)]
pub(super) struct Early {
    law: FineTimeout,
    sent: VecDeque<Sent>,
    /// Smoothed round-trip time and its variation in seconds; `None` before the first sample.
    smoothed: Option<(f64, f64)>,
    /// New acknowledgements still to be checked.
    checks: u8,
}

impl Early {
    pub(super) fn new(law: FineTimeout) -> Self {
        Early { law, sent: VecDeque::new(), smoothed: None, checks: 0 }
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

    /// All below `next` has arrived: the newest segment gives a sample if it was sent once.
    pub(super) fn on_acked(&mut self, now: Instant, next: u64) {
        let mut newest = None;
        while let Some(sent) = self.sent.front().filter(|sent| sent.end <= next) {
            newest = Some(*sent);
            self.sent.pop_front();
        }
        let Some(sent) = newest.filter(|sent| sent.once) else { return };
        let rtt = now.since(sent.at).as_secs_f64();
        self.smoothed = Some(match self.smoothed {
            None => (rtt, rtt / 2.0),
            Some((srtt, rttvar)) => (0.875 * srtt + 0.125 * rtt, 0.75 * rttvar + 0.25 * (rtt - srtt).abs()),
        });
    }

    /// Whether the first segment that is out should have been acknowledged by now.
    fn overdue(&self, now: Instant) -> bool {
        let (Some(first), Some((srtt, rttvar))) = (self.sent.front(), self.smoothed) else { return false };
        let timeout = match self.law {
            FineTimeout::Jacobson => srtt + 4.0 * rttvar,
            FineTimeout::Ns2 => (srtt + 2.0 * rttvar) * 17.0 / 16.0,
        };
        now.since(first.at).as_secs_f64() > timeout
    }

    /// A segment has been resent because of duplicates.
    pub(super) fn on_retransmission(&mut self) {
        self.checks = CHECKED;
    }
}

impl Sender {
    /// [BP95]: a duplicate acknowledgement is enough if the segment that it asks for is overdue.
    pub(super) fn is_overdue(&self, now: Instant) -> bool {
        self.early.as_ref().is_some_and(|early| early.overdue(now))
    }

    /// [BP95]: so are the first two new acknowledgements after a retransmission. The window has been cut for the loss
    /// before, at a higher rate, and is not cut again.
    pub(super) fn check_after_retransmission(&mut self, now: Instant, ack: &Ack<'_>, cx: &mut FlowContext) {
        let by_acks = matches!(self.config.recovery, Recovery::Reno | Recovery::NewReno);
        let Some(early) = self.early.as_mut().filter(|early| early.checks > 0 && by_acks) else { return };
        early.checks -= 1;
        if self.una == self.max || ack.next < self.una || !early.overdue(now) {
            early.checks = 0;
            return;
        }
        // Further duplicates are of this loss: they inflate the window and resend nothing.
        self.recovering = true;
        self.dup_acks = self.config.dup_threshold;
        self.resend_head(now, cx);
    }
}
