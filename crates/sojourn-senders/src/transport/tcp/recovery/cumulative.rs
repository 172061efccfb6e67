//! Recovery by cumulative acknowledgements: Tahoe, Reno (RFC 2581) and NewReno (RFC 6582).
//!
//! The window of the control is the window after the cut. `inflation` is the amount that fast recovery adds to it for segments that have
//! left the network (RFC 5681 §3.2 steps 3 and 4).

use super::hooks::Recover;
use crate::transport::FlowContext;
use crate::transport::congestion::{Adjustment, Cause, Milestone};
use crate::transport::tcp::stream::{Ack, Stream};
use crate::transport::tcp::{Details, Recovery};
use crate::units::Instant;

/// The most segments that ns-2's NewReno sends for a duplicate or partial acknowledgement.
const NS2_NEWRENO_BURST: u32 = 2;

/// The state of this recovery.
#[derive(Clone, Copy, Debug, Default)]
pub(in super::super) struct Cumulative {
    recovering: bool,
    /// True if the timer has been restarted for a partial acknowledgement of this recovery.
    partial_seen: bool,
    /// The segments by which fast recovery inflates the window, for those that have left the network.
    inflation: f64,
}

impl Recover for Cumulative {
    #[inline(never)]
    fn on_ack(&mut self, stream: &mut Stream, now: Instant, mut ack: Ack<'_>, cx: &mut FlowContext) {
        stream.hear(now, &mut ack, stream.max);
        let ack = &ack;
        if ack.marks > 0 {
            stream.on_echo(now, ack.next, self.inflation);
        }
        let is_new = ack.next > stream.una;
        if !is_new {
            self.on_duplicate(stream, now, cx);
        } else if self.recovering
            && stream.config.params.recovery == Recovery::NewReno
            && stream.last_cut == Some(Cause::Loss)
            && ack.next < stream.recover
        {
            self.on_partial(stream, now, ack, cx);
        } else {
            self.on_full(stream, now, ack, cx);
        }
        if is_new && stream.early.is_some() {
            self.check_after_retransmission(stream, now, ack, cx);
        }
    }

    fn on_timer(&mut self, stream: &mut Stream, now: Instant, cx: &mut FlowContext) {
        *self = Cumulative::default();
        stream.cut_for_timeout(now);
        stream.nxt = stream.una;
        stream.restart_timer(now);
        self.send(stream, now, cx);
    }

    fn send(&mut self, stream: &mut Stream, now: Instant, cx: &mut FlowContext) {
        stream.pump(now, u32::MAX, self.inflation, None, cx);
    }

    fn inflation(&self) -> f64 {
        self.inflation
    }
}

impl Cumulative {
    /// New data is acknowledged. This ends a fast recovery.
    fn on_full(&mut self, stream: &mut Stream, now: Instant, ack: &Ack<'_>, cx: &mut FlowContext) {
        let leaving = std::mem::take(&mut self.recovering);
        self.partial_seen = false;
        self.inflation = 0.0;
        let acked = stream.advance(now, ack);
        if leaving && stream.config.params.details != Details::Ns2 {
            stream.control.on_milestone(Milestone::Reduced);
            // RFC 5681 §3.2 step 6: the window is ssthresh, which it has been without the inflation.
            if stream.config.params.recovery == Recovery::NewReno {
                // RFC 6582 §3.2 step 3 (1): no burst when little is in flight.
                let flight = (stream.max - stream.una) as f64 / f64::from(stream.config.mss);
                stream.control.adjust(Adjustment::Limit(flight.max(1.0) + 1.0));
            }
        } else {
            stream.control.on_ack(&acked);
        }
        self.send(stream, now, cx);
    }

    /// RFC 6582 §3.2 step 3: after a partial acknowledgement the segment behind it is lost, too.
    fn on_partial(&mut self, stream: &mut Stream, now: Instant, ack: &Ack<'_>, cx: &mut FlowContext) {
        let segments = (ack.next - stream.una) as f64 / f64::from(stream.config.mss);
        match stream.config.params.details {
            // Deflate by what is acknowledged, add back one segment if it was at least one.
            Details::Rfc => self.inflation -= segments - if segments >= 1.0 { 1.0 } else { 0.0 },
            Details::Ns2 if self.inflation > segments => self.inflation -= segments - 1.0,
            Details::Ns2 => {
                // The inflation is used up: the window itself shrinks, for good.
                let window = stream.control.window() - (segments - self.inflation);
                stream.control.adjust(Adjustment::Limit(window.max(1.0)));
                self.inflation = 1.0;
            }
        }
        stream.move_to(now, ack.next);
        stream.nxt = stream.nxt.max(stream.una);
        stream.timed_out = false;
        stream.measure(now, ack);
        if !std::mem::replace(&mut self.partial_seen, true) {
            // RFC 6582 §3.2 step 3: the timer is restarted for the first partial acknowledgement only.
            stream.restart_timer(now);
        }
        stream.resend_head(now, cx);
        stream.pump(now, stream.recovery_burst(), self.inflation, None, cx);
    }

    fn on_duplicate(&mut self, stream: &mut Stream, now: Instant, cx: &mut FlowContext) {
        stream.dup_acks += 1;
        let threshold = stream.config.dup_threshold;
        let heard = stream.dup_acks;
        if heard < threshold && stream.is_overdue(now) {
            stream.dup_acks = threshold;
        }
        if stream.dup_acks == threshold {
            if stream.config.params.recovery == Recovery::Tahoe {
                self.retreat(stream, now);
            } else {
                self.fast_retransmit(stream, now, heard, cx);
            }
        } else if stream.dup_acks > threshold {
            if self.recovering {
                self.inflation += 1.0;
            }
        } else if stream.config.params.limited_transmit {
            stream.send_one(now, cx);
        }
        if stream.dup_acks >= threshold {
            stream.pump(now, stream.recovery_burst(), self.inflation, None, cx);
        }
    }

    /// RFC 5681 §3.2 steps 2 and 3. `heard` is the number of duplicates until now.
    fn fast_retransmit(&mut self, stream: &mut Stream, now: Instant, heard: u32, cx: &mut FlowContext) {
        if !stream.begin_recovery(now, self.inflation) {
            return;
        }
        (self.recovering, self.partial_seen) = (true, false);
        stream.resend_head(now, cx);
        self.inflation = f64::from(heard);
    }

    /// [BP95]: the first two new acknowledgements after a retransmission check for an overdue segment, too. The window was already cut for
    /// the loss before, which happened at a higher rate. It is not cut again.
    fn check_after_retransmission(&mut self, stream: &mut Stream, now: Instant, ack: &Ack<'_>, cx: &mut FlowContext) {
        let by_acks = matches!(stream.config.params.recovery, Recovery::Reno | Recovery::NewReno);
        let outstanding = stream.una < stream.max && ack.next >= stream.una;
        if !by_acks || !stream.early.as_mut().is_some_and(|early| early.checks_out(now, outstanding)) {
            return;
        }
        // Further duplicates are of this loss: they inflate the window and resend nothing.
        self.recovering = true;
        stream.dup_acks = stream.config.dup_threshold;
        stream.resend_head(now, cx);
    }

    /// Tahoe: slow start begins again, from the first segment that is not acknowledged.
    fn retreat(&self, stream: &mut Stream, now: Instant) {
        if stream.may_cut() {
            let event = stream.used(now, Cause::Timeout, self.inflation);
            stream.recover = stream.max;
            stream.control.on_timeout(Some(&event));
        } else if stream.last_cut == Some(Cause::Echo) {
            stream.control.on_timeout(None);
        } else {
            return;
        }
        stream.last_cut = Some(Cause::Loss);
        stream.marks.cwr_pending = true;
        stream.timed = None;
        stream.nxt = stream.una;
        stream.restart_timer_for_head(now);
        stream.counters.fast_recoveries += 1;
    }
}

impl Stream {
    fn recovery_burst(&self) -> u32 {
        match (self.config.params.recovery, self.config.params.details) {
            (Recovery::NewReno, Details::Ns2) => NS2_NEWRENO_BURST,
            _ => u32::MAX,
        }
    }
}
