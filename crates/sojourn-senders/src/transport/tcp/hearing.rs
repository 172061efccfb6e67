//! The content of an acknowledgement for a sender: marks, the acknowledged data, the round trip.

use super::rtt::RtoLaw;
use super::strategy::Strategy;
use super::stream::{Ack, Stream};
use crate::transport::congestion::{Acked, Heard, whole};
use crate::units::{Coarse, Duration, Instant};

/// The number of timeouts after which a sender whose acknowledgements do not move counts as blocked.
const STANDSTILL_TIMEOUTS: u64 = 3;

impl Stream {
    /// Reads the marks and the answers of routers in an acknowledgement, and calls the control.
    #[inline(always)]
    pub(super) fn hear(&mut self, now: Instant, ack: &mut Ack<'_>, highest: u64) {
        if let Some(heard) = self.listen(now, ack, highest) {
            self.control.on_heard(&heard);
        }
        self.take_grant(now, ack);
    }

    /// Gives the answer of the routers to the control, if it asks them.
    #[inline(always)]
    pub(super) fn take_grant(&mut self, now: Instant, ack: &Ack<'_>) {
        if self.explicit {
            self.grant(now, ack.echo, ack.answer);
        }
    }

    /// Reads the marks in an acknowledgement. Returns the content for the control, if it listens. `highest` is the byte behind the highest
    /// one in flight.
    #[inline(always)]
    pub(super) fn listen(&mut self, now: Instant, ack: &mut Ack<'_>, highest: u64) -> Option<Heard> {
        ack.ece = self.marks.agreed && ack.codepoint.ece();
        let counts = self.config.ecn_feedback.counts();
        if !self.listens && !counts {
            ack.marks = u64::from(ack.ece);
            return None;
        }
        self.listen_closely(now, ack, highest, counts)
    }

    /// Like `listen`, for a control that hears everything, or if marks are counted.
    fn listen_closely(&mut self, now: Instant, ack: &mut Ack<'_>, highest: u64, counts: bool) -> Option<Heard> {
        if let Some(early) = &mut self.early {
            early.on_acked(now, ack.next);
        }
        let round = ack.next > self.round_end;
        if round {
            self.round_end = highest;
        }
        if self.accurate.is_some() {
            // A recovery by time reads the counts when it knows the segments that have arrived.
            ack.ece = false;
            if self.config.strategy != Strategy::Rack {
                self.read_counts(ack, None);
            }
        } else {
            ack.marks = if counts { self.count_marks(ack, round) } else { u64::from(ack.ece) };
        }
        if !self.listens {
            return None;
        }
        let mss = f64::from(self.config.mss);
        let segments = (ack.next - self.una) as f64 / mss;
        Some(Heard {
            now,
            segments,
            delivered: segments,
            inflight: (highest - self.una) as f64 / mss,
            sent: self.counters.packets_sent,
            marks: ack.marks,
            counted: self.accurate.is_some(),
            round,
            smoothed: None,
            plain: false,
        })
    }

    /// Takes in a new acknowledgement: moves `una`, samples the round trip, restarts the timer.
    pub(super) fn advance(&mut self, now: Instant, ack: &Ack<'_>) -> Acked {
        let segments = self.in_segments(ack.next - self.una);
        let inflight = self.in_segments(self.max - self.una);
        let limited = self.config.validates && inflight + 1.0 <= whole(self.control.window());
        self.move_to(now, ack.next);
        self.nxt = self.nxt.max(self.una);
        self.dup_acks = 0;
        self.limited = 0;
        self.timed_out = false;
        let rtt = self.measure(now, ack);
        if !ack.ece {
            self.marks.backs_off = false;
        }
        self.restart_timer(now);
        // Controls that retransmit early know when the segment acknowledged was sent, if once.
        let elapsed = match &self.early {
            Some(early) => early.sample.unwrap_or(Duration::ZERO),
            None => now.since(ack.echo),
        };
        Acked { now, segments, inflight, rtt, elapsed, ece: ack.ece, limited }
    }

    /// Bytes as segments. The bytes of a flight fit into signed numbers, whose conversion is one instruction.
    #[inline(always)]
    pub(super) fn in_segments(&self, bytes: u64) -> f64 {
        bytes as i64 as f64 / f64::from(self.config.mss)
    }

    /// All data below `next` is acknowledged.
    #[inline]
    pub(super) fn move_to(&mut self, now: Instant, next: u64) {
        self.una = next;
        let still = now.since(self.moved_at);
        self.moved_at = now;
        // Hardly ever: no timeout is shorter than the least one.
        if still > self.config.rtt.min * STANDSTILL_TIMEOUTS {
            self.counters.standstill = self.counters.standstill.max(self.standstill_in(still));
        }
    }

    /// The time in milliseconds, or zero if it is not longer than three timeouts.
    #[cold]
    pub(super) fn standstill_in(&self, still: Duration) -> u32 {
        let long = still > self.rtt.rto(&self.config.rtt) * STANDSTILL_TIMEOUTS;
        if long { u32::try_from(still.as_nanos() / 1_000_000).unwrap_or(u32::MAX) } else { 0 }
    }

    /// The round-trip sample that a new acknowledgement gives, if any.
    pub(super) fn measure(&mut self, now: Instant, ack: &Ack<'_>) -> Option<Duration> {
        let timed = self.timed.filter(|&(end, _)| ack.next >= end);
        if timed.is_some() {
            self.timed = None;
        }
        let sent_at = if self.config.params.timestamps { ack.echo } else { timed?.1 };
        let rtt = now.since(sent_at);
        if self.times_segments() {
            self.count_rtt(rtt);
            return Some(rtt);
        }
        if !(self.marks.backs_off && ack.ece) {
            self.rtt.end_back_off();
        }
        self.sample_rtt(sent_at, rtt);
        Some(rtt)
    }

    /// True if the recovery takes round-trip samples from its own state of each segment.
    pub(super) fn times_segments(&self) -> bool {
        self.config.rtt.law == RtoLaw::Kernel && self.config.strategy == Strategy::Rack
    }

    pub(super) fn sample_rtt(&mut self, sent_at: Instant, rtt: Duration) {
        self.rtt.on_sample(&self.config.rtt, sent_at, rtt);
        self.count_rtt(rtt);
    }

    fn count_rtt(&mut self, rtt: Duration) {
        let secs = rtt.as_secs_f64();
        self.counters.rtt_samples += 1;
        self.counters.rtt_sum += secs;
        self.counters.rtt_sum_squares += secs * secs;
        self.counters.round_trip = Coarse::of(rtt);
    }

    /// [BP95]: a duplicate acknowledgement is enough if the segment that it asks for is overdue.
    pub(super) fn is_overdue(&self, now: Instant) -> bool {
        self.early.as_ref().is_some_and(|early| early.overdue(now))
    }
}
