//! Recovery by cumulative acknowledgements: Tahoe, Reno (RFC 2581) and NewReno (RFC 6582).
//!
//! The control's window is what remains after the cut; `inflation` is what fast recovery adds to it
//! for segments that have left the network (RFC 5681 §3.2 steps 3 and 4).

use super::sender::{Ack, LastCut, Sender};
use super::{Details, Recovery, RtoRestart};
use crate::transport::FlowContext;
use crate::units::Instant;

/// Segments that ns-2's NewReno sends at most per duplicate or partial acknowledgement.
const NS2_NEWRENO_BURST: u32 = 2;

impl Sender {
    #[inline(never)]
    pub(super) fn on_ack_cumulative(&mut self, now: Instant, ack: &Ack<'_>, cx: &mut FlowContext) {
        if ack.marks > 0 {
            self.on_echo(now, ack.next);
        }
        let is_new = ack.next > self.una;
        if !is_new {
            self.on_duplicate(now, cx);
        } else if self.recovering
            && self.config.recovery == Recovery::NewReno
            && self.last_cut == LastCut::Loss
            && ack.next < self.recover
        {
            self.on_partial(now, ack, cx);
        } else {
            self.on_full(now, ack, cx);
        }
        if is_new && self.early.is_some() {
            self.check_after_retransmission(now, ack, cx);
        }
    }

    /// New data is acknowledged, and fast recovery is over if there was one.
    fn on_full(&mut self, now: Instant, ack: &Ack<'_>, cx: &mut FlowContext) {
        let leaving = std::mem::take(&mut self.recovering);
        self.partial_seen = false;
        self.inflation = 0.0;
        let acked = self.advance(now, ack);
        if leaving && self.config.details != Details::Ns2 {
            self.control.on_reduced();
            // RFC 5681 §3.2 step 6: the window is ssthresh, which it has been without the inflation.
            if self.config.recovery == Recovery::NewReno {
                // RFC 6582 §3.2 step 3 (1): no burst when little is in flight.
                let flight = (self.max - self.una) as f64 / f64::from(self.config.mss);
                self.control.limit_window(flight.max(1.0) + 1.0);
            }
        } else {
            self.control.on_ack(&acked);
        }
        self.pump(now, u32::MAX, cx);
    }

    /// RFC 6582 §3.2 step 3, partial acknowledgement: the segment behind it is lost too.
    fn on_partial(&mut self, now: Instant, ack: &Ack<'_>, cx: &mut FlowContext) {
        let segments = (ack.next - self.una) as f64 / f64::from(self.config.mss);
        match self.config.details {
            // Deflate by what is acknowledged, add back one segment if it was at least one.
            Details::Rfc | Details::Linux => self.inflation -= segments - if segments >= 1.0 { 1.0 } else { 0.0 },
            Details::Ns2 if self.inflation > segments => self.inflation -= segments - 1.0,
            Details::Ns2 => {
                // The inflation is used up: the window itself shrinks, for good.
                let window = self.control.window() - (segments - self.inflation);
                self.control.limit_window(window.max(1.0));
                self.inflation = 1.0;
            }
        }
        self.move_to(now, ack.next);
        self.nxt = self.nxt.max(self.una);
        self.timed_out = false;
        self.measure(now, ack);
        if !std::mem::replace(&mut self.partial_seen, true) {
            // RFC 6582 §3.2 step 3: the timer is restarted for the first partial acknowledgement only.
            self.restart_timer(now);
        }
        self.resend_head(now, cx);
        self.pump(now, self.recovery_burst(), cx);
    }

    fn on_duplicate(&mut self, now: Instant, cx: &mut FlowContext) {
        self.dup_acks += 1;
        let threshold = self.config.dup_threshold;
        let heard = self.dup_acks;
        if heard < threshold && self.is_overdue(now) {
            self.dup_acks = threshold;
        }
        if self.dup_acks == threshold {
            if self.config.recovery == Recovery::Tahoe {
                self.retreat(now);
            } else {
                self.fast_retransmit(now, heard, cx);
            }
        } else if self.dup_acks > threshold {
            if self.recovering {
                self.inflation += 1.0;
            }
        } else if self.config.limited_transmit {
            self.send_one(now, cx);
        }
        if self.dup_acks >= threshold {
            self.pump(now, self.recovery_burst(), cx);
        }
    }

    /// RFC 5681 §3.2 steps 2 and 3, after so many duplicates.
    fn fast_retransmit(&mut self, now: Instant, heard: u32, cx: &mut FlowContext) {
        if !self.begin_recovery(now) {
            return;
        }
        self.resend_head(now, cx);
        self.inflation = f64::from(heard);
    }

    /// [BP95]: a duplicate acknowledgement is enough if the segment that it asks for is overdue.
    pub(super) fn is_overdue(&self, now: Instant) -> bool {
        self.early.as_ref().is_some_and(|early| early.overdue(now))
    }

    /// [BP95]: so are the first two new acknowledgements after a retransmission. The window has been cut for the loss
    /// before, at a higher rate, and is not cut again.
    pub(super) fn check_after_retransmission(&mut self, now: Instant, ack: &Ack<'_>, cx: &mut FlowContext) {
        let by_acks = matches!(self.config.recovery, Recovery::Reno | Recovery::NewReno);
        let outstanding = self.una < self.max && ack.next >= self.una;
        if !by_acks || !self.early.as_mut().is_some_and(|early| early.checks_out(now, outstanding, false)) {
            return;
        }
        // Further duplicates are of this loss: they inflate the window and resend nothing.
        self.recovering = true;
        self.dup_acks = self.config.dup_threshold;
        self.resend_head(now, cx);
    }

    /// Cuts the window for a loss and starts recovery; says whether it may.
    pub(super) fn begin_recovery(&mut self, now: Instant) -> bool {
        if self.may_cut() {
            let event = self.used(now);
            self.recover = self.max;
            self.control.on_congestion_event(&event);
            self.cwr_pending = true;
        } else if self.last_cut != LastCut::Ecn {
            return false;
        }
        // After an ECN cut in the same window the loss is repaired without another one (RFC 3168 §6.1.2).
        self.last_cut = LastCut::Loss;
        self.recovering = true;
        self.partial_seen = false;
        self.timed = None;
        if let Some(early) = &mut self.early {
            early.on_retransmission();
        }
        self.restart_timer_for_head(now);
        self.counters.fast_recoveries += 1;
        true
    }

    /// Tahoe: slow start again from the first segment that is not acknowledged.
    fn retreat(&mut self, now: Instant) {
        if self.may_cut() {
            let event = self.used(now);
            self.recover = self.max;
            self.control.on_timeout(Some(&event));
        } else if self.last_cut == LastCut::Ecn {
            self.control.on_timeout(None);
        } else {
            return;
        }
        self.last_cut = LastCut::Loss;
        self.cwr_pending = true;
        self.timed = None;
        self.nxt = self.una;
        self.restart_timer_for_head(now);
        self.counters.fast_recoveries += 1;
    }

    /// RFC 6298 knows no restart for a fast retransmission; ns-2 and Linux do.
    fn restart_timer_for_head(&mut self, now: Instant) {
        if self.config.rto_restart != RtoRestart::Acks {
            self.restart_timer(now);
        }
    }

    fn recovery_burst(&self) -> u32 {
        match (self.config.recovery, self.config.details) {
            (Recovery::NewReno, Details::Ns2) => NS2_NEWRENO_BURST,
            _ => u32::MAX,
        }
    }
}
