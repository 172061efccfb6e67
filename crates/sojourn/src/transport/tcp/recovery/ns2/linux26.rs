//! The recovery of Linux 2.6 in ns-2's TCP-Linux (`details = "linux"` with SACK). Compared with: ns-2 2.35
//! `Agent/TCP/Linux`, packet by packet (`tests/peers/test_traces.py`).
//!
//! Every segment above the cumulative acknowledgement is in the network, received, lost, or resent, and so in the network again. In every
//! state, the sender sends while fewer segments are in the network than the window has. Lost segments are first.
//! 1. A segment is lost when the highest received segment is `dup_threshold` segments above it (forward acknowledgement).
//! 2. A repair is lost when the first segment that was sent after it has been received, or a repair `dup_threshold` and one later.
//! 3. Outside of recovery, also after a timeout, a loss or a reported mark cuts the window. In recovery none does.
//! 4. In recovery the rate is halved: each segment sent lowers the bound by two, down to the control's window for recovery.
//! 5. Recovery ends when all data is acknowledged that had been sent at the cut or timeout. The sender then forgets the state of later
//!    segments. The window is the threshold, at most three segments above the data in flight.
//! 6. A timeout marks all segments as lost that have not been received.
//! 7. The receiver's window bounds the congestion window, not the data in flight.
//! 8. Every acknowledgement, duplicates too, gives a round-trip sample, ends the back-off and restarts the timer.

use super::linux26_repairs::Repairs;
use crate::prefetch::prefetch;
use crate::transport::FlowContext;
use crate::transport::congestion::{self, Acked, Adjustment, Cause, Heard};
use crate::transport::tcp::WINDOW_MAX_BYTES;
use crate::transport::tcp::ranges::RangeSet;
use crate::transport::tcp::recovery::hooks::Recover;
use crate::transport::tcp::recovery::scoreboard::Scoreboard;
use crate::transport::tcp::stream::{Ack, Connection, Stream};
use crate::units::Instant;

/// The most segments that Linux 2.6 sends at once at the end of recovery.
const BURST: f64 = 3.0;

/// The content of an acknowledgement.
struct Learnt {
    /// True if it reports data received out of order.
    received: bool,
    /// True if it shows a loss.
    lost: bool,
}

/// The state of this recovery.
#[derive(Clone, Debug, Default)]
pub(in crate::transport::tcp) struct Linux26 {
    /// True in recovery, after a loss or a mark.
    recovering: bool,
    board: Scoreboard,
    repairs: Repairs,
}

impl Recover for Linux26 {
    #[inline(never)]
    fn on_ack(&mut self, stream: &mut Stream, now: Instant, mut ack: Ack<'_>, cx: &mut FlowContext) {
        let heard = stream.listen(now, &mut ack, stream.max);
        stream.take_grant(now, &ack);
        let ack = &ack;
        let before = self.in_network(stream);
        let after_timeout = stream.is_after_timeout();
        let acked = self.take_in(stream, now, ack);
        let (una, max, threshold) = (stream.una, stream.max, u64::from(stream.config.dup_threshold));
        let distance = threshold * u64::from(stream.config.mss);
        let learnt = self.learn(una, max, ack, threshold, distance);
        if let Some(heard) = heard {
            let is_open = !self.recovering && !after_timeout;
            let plain = is_open && acked.is_some() && !learnt.received && ack.marks == 0;
            let smoothed = stream.rtt.srtt(&stream.config.rtt);
            if let Some(law) = stream.control.listener() {
                law.on_heard(&Heard { smoothed, plain, ..heard });
            }
        }
        let mut lost = learnt.lost;
        if acked.is_none() && !self.recovering && stream.is_overdue(now) {
            let len = (max - una).min(u64::from(stream.config.mss));
            lost |= self.repairs.lost.insert(una, una + len) > 0;
        }
        if let Some(acked) = acked
            && !self.recovering
        {
            // Linux's `tcp_may_raise_cwnd`: an echo does not stop slow start before the cut.
            let ece = acked.ece && libm::floor(stream.control.window()) >= stream.control.ssthresh();
            // Its laws measure by what is acknowledged while all is well.
            let rtt = acked.rtt.filter(|_| !after_timeout && ack.marks == 0 && ack.sack.as_slice().is_empty());
            stream.control.on_ack(&Acked { inflight: before as f64, ece, rtt, ..acked });
            // Linux's `snd_cwnd_clamp`.
            stream.control.adjust(Adjustment::Limit(stream.config.window as f64));
        }
        if (self.recovering || after_timeout) && una >= stream.recover {
            self.leave_halving(stream);
        } else if !self.recovering && ack.marks > 0 && stream.control.needs().answers_echoes {
            self.begin_halving(stream, now, Cause::Echo);
        } else if !self.recovering && lost {
            self.begin_halving(stream, now, Cause::Loss);
        }
        // RFC 3042.
        if acked.is_some() || self.recovering || stream.config.limited_transmit {
            self.send(stream, now, cx);
        }
    }

    /// Rule 6. The threshold follows from the window of recovery.
    fn on_timer(&mut self, stream: &mut Stream, now: Instant, cx: &mut FlowContext) {
        let window = self.window(stream);
        stream.control.adjust(Adjustment::Limit(window.max(1.0)));
        self.recovering = false;
        stream.cut_for_timeout(now);
        self.board.sacked.remove_below(stream.una);
        if self.board.sacked.is_empty() {
            self.repairs = Repairs::default();
        }
        self.repairs.give_up(stream.una, stream.max, &self.board.sacked);
        stream.restart_timer(now);
        self.send(stream, now, cx);
    }

    /// Rule 4: Linux 2.6 `tcp_cwnd_down` in ns-2's TCP-Linux. One segment is sent for every second acknowledgement.
    fn send(&mut self, stream: &mut Stream, now: Instant, cx: &mut FlowContext) {
        let mss = u64::from(stream.config.mss);
        let window = libm::floor(self.window(stream)) as u64;
        let mut halving = self.repairs.halving.min(self.in_network(stream) + 1);
        loop {
            if self.in_network(stream) >= window.max(halving) || !self.send_lost_or_new(stream, now, mss, cx) {
                break;
            }
            halving = halving.min((self.in_network(stream) - 1).max(1));
        }
        self.repairs.halving = halving;
    }

    /// The segments in the network, with a SYN.
    fn in_network(&self, stream: &Stream) -> u64 {
        let syn = u64::from(stream.connection != Connection::Open);
        let out = stream.max - stream.una;
        let gone = self.board.sacked.total() + self.repairs.lost.total();
        syn + (out - gone).div_ceil(u64::from(stream.config.mss))
    }

    fn sacked(&self) -> u64 {
        self.board.sacked.total()
    }

    fn prefetch(&self) {
        prefetch(Some(self));
    }
}

impl Linux26 {
    /// Takes in an acknowledgement.
    fn learn(&mut self, una: u64, max: u64, ack: &Ack<'_>, threshold: u64, distance: u64) -> Learnt {
        self.board.sacked.remove_below(una);
        self.repairs.lost.remove_below(una);
        let received = self.board.update(ack.next, una, max, ack.sack) > 0;
        for &(start, end) in ack.sack.as_slice() {
            let (start, end) = (ack.next + u64::from(start), ack.next + u64::from(end));
            self.repairs.lost.remove(start, end);
        }
        if let Some(&(_, end)) = self.board.sacked.as_slice().last() {
            self.repairs.highest = self.repairs.highest.max(end);
        }
        let lost = self.repairs.judge(una, &self.board.sacked, threshold, distance);
        if self.board.sacked.is_empty() && self.repairs.lost.is_empty() && self.repairs.resent.is_empty() {
            self.repairs.forget();
        }
        Learnt { received, lost }
    }

    /// Rule 8.
    fn take_in(&mut self, stream: &mut Stream, now: Instant, ack: &Ack<'_>) -> Option<Acked> {
        if ack.next > stream.una {
            let acked = stream.advance(now, ack);
            self.repairs.echo = Some(ack.echo);
            return Some(acked);
        }
        if stream.config.timestamps
            && let Some(echo) = self.repairs.echo
        {
            stream.rtt.on_sample(&stream.config.rtt, echo, now.since(echo));
            stream.rtt.end_back_off();
        }
        stream.restart_timer(now);
        None
    }

    /// Rule 3.
    fn begin_halving(&mut self, stream: &mut Stream, now: Instant, cause: Cause) {
        let before = libm::floor(stream.control.window()) as u64;
        let event = stream.used(now, cause, 0.0);
        stream.recover = stream.max;
        stream.control.on_congestion_event(&event);
        if cause == Cause::Echo {
            stream.counters.ecn_reductions += 1;
        } else {
            stream.counters.fast_recoveries += 1;
        }
        stream.marks.cwr_pending = true;
        stream.last_cut = Some(cause);
        self.recovering = true;
        stream.timed = None;
        self.repairs.halving = before;
    }

    /// Rule 5, and Linux 2.6 `tcp_moderate_cwnd`: recovery ends without a burst.
    fn leave_halving(&mut self, stream: &mut Stream) {
        self.board.sacked = RangeSet::default();
        self.repairs.forget();
        self.repairs.halving = 0;
        let threshold = stream.control.ssthresh();
        if libm::floor(self.window(stream)) < threshold {
            let flight = (stream.max - stream.una) as f64 / f64::from(stream.config.mss);
            let window = threshold.min(flight + BURST);
            stream.control.adjust(Adjustment::Raise(window));
            stream.control.adjust(Adjustment::Limit(window));
        }
        self.recovering = false;
    }

    /// The window. In recovery it is the window down to which the rate is halved.
    fn window(&self, stream: &Stream) -> f64 {
        if !self.recovering {
            return stream.control.window();
        }
        let law = stream.control.linux26();
        law.map_or_else(|| stream.control.ssthresh() / 2.0, congestion::Linux26::recovery_window)
    }

    fn send_lost_or_new(&mut self, stream: &mut Stream, now: Instant, mss: u64, cx: &mut FlowContext) -> bool {
        let first = self.repairs.lost.as_slice().first().copied();
        if let Some((start, end)) = first {
            let (end, sent) = (end.min(start + mss), stream.nxt);
            self.repairs.note_repair(start, end, sent);
            stream.output(now, start, (end - start) as u32, cx);
            return true;
        }
        let new = (stream.end - stream.nxt).min(mss);
        if new == 0 || stream.nxt + new - stream.una > WINDOW_MAX_BYTES {
            return false;
        }
        stream.output(now, stream.nxt, new as u32, cx);
        stream.nxt += new;
        true
    }
}

impl Stream {
    /// True if the data that was sent before the last timeout is not all acknowledged.
    fn is_after_timeout(&self) -> bool {
        self.last_cut == Some(Cause::Timeout) && self.una < self.recover
    }
}
