//! Recovery as Linux 2.6 has it in ns-2's TCP-Linux (`details = "linux"` with SACK). Compared with: ns-2 2.35
//! `Agent/TCP/Linux`, packet by packet (`tests/peers/test_traces.py`).
//!
//! Every segment above the cumulative acknowledgement is in the network, received, lost, or resent and so in the network
//! again. Whatever the state, segments go while fewer are in the network than the window has, lost ones first.
//! 1. A segment is lost when the highest one received lies `dup_threshold` above it (forward acknowledgement).
//! 2. A repair is lost when what was sent first after it has been received, or a repair `dup_threshold` and one later.
//! 3. A loss found or a mark told of outside of recovery cuts the window, after a timeout too; in it none does.
//! 4. In recovery the rate is halved: two fewer for each segment sent, down to the control's window for recovery.
//! 5. When all that had been sent at the cut or timeout is acknowledged, what is known of later segments is forgotten, and the
//!    window is the threshold, at most three segments above what is out.
//! 6. A timeout marks all as lost that has not been received.
//! 7. The receiver's window bounds the congestion window, not what is out.
//! 8. Every acknowledgement, duplicates too, gives a round-trip sample, ends the back-off and restarts the timer.

use super::ranges::RangeSet;
use super::sender::{Ack, Connection, LastCut, Sender};
use super::{WINDOW_MAX_BYTES, scoreboard::Scoreboard};
use crate::transport::FlowContext;
use crate::transport::congestion::{Acked, Heard};
use crate::units::Instant;

/// Segments that Linux 2.6 sends at most at once at the end of recovery.
const BURST: f64 = 3.0;

/// What an acknowledgement has told.
struct Learnt {
    /// Something was received out of order.
    received: bool,
    /// Something is lost.
    lost: bool,
}

impl Scoreboard {
    /// Takes in an acknowledgement.
    fn learn(&mut self, una: u64, max: u64, ack: &Ack<'_>, threshold: u64, distance: u64) -> Learnt {
        self.sacked.remove_below(una);
        self.linux.lost.remove_below(una);
        let received = self.update(ack.next, una, max, ack.sack) > 0;
        for &(start, end) in ack.sack.as_slice() {
            let (start, end) = (ack.next + u64::from(start), ack.next + u64::from(end));
            self.linux.lost.remove(start, end);
        }
        if let Some(&(_, end)) = self.sacked.as_slice().last() {
            self.linux.highest = self.linux.highest.max(end);
        }
        let lost = self.linux.judge(una, &self.sacked, threshold, distance);
        if self.sacked.is_empty() && self.linux.lost.is_empty() && self.linux.resent.is_empty() {
            self.linux.forget();
        }
        Learnt { received, lost }
    }
}

impl Sender {
    /// What was sent before the timer expired is not all acknowledged.
    fn is_after_timeout(&self) -> bool {
        self.last_cut == LastCut::Timeout && self.una < self.recover
    }

    /// Segments in the network, a SYN among them.
    pub(super) fn in_network(&self) -> u64 {
        let syn = u64::from(self.connection != Connection::Open);
        let out = self.max - self.una;
        let gone = self.scoreboard.as_ref().map_or(0, |board| board.sacked.total() + board.linux.lost.total());
        syn + (out - gone).div_ceil(u64::from(self.config.mss))
    }

    /// `heard` is what the control is to hear, if it listens.
    #[inline(never)]
    pub(super) fn on_ack_linux(&mut self, now: Instant, ack: &Ack<'_>, heard: Option<Heard>, cx: &mut FlowContext) {
        let before = self.in_network();
        let after_timeout = self.is_after_timeout();
        let acked = self.take_in(now, ack);
        let (una, max, threshold) = (self.una, self.max, u64::from(self.config.dup_threshold));
        let distance = threshold * u64::from(self.config.mss);
        let learnt = self.board().learn(una, max, ack, threshold, distance);
        if let Some(heard) = heard {
            let is_open = !self.recovering && !after_timeout;
            let plain = is_open && acked.is_some() && !learnt.received && ack.marks == 0;
            let smoothed = self.rtt.srtt(&self.config.rtt);
            self.control.on_heard(&Heard { smoothed, plain, ..heard });
        }
        let mut lost = learnt.lost;
        if acked.is_none() && !self.recovering && self.is_overdue(now) {
            let len = (max - una).min(u64::from(self.config.mss));
            lost |= self.board().linux.lost.insert(una, una + len) > 0;
        }
        if let Some(acked) = acked
            && !self.recovering
        {
            // Linux's `tcp_may_raise_cwnd`: an echo does not stop slow start before the cut.
            let ece = acked.ece && libm::floor(self.control.window()) >= self.control.ssthresh();
            // Its laws measure by what is acknowledged while all is well.
            let rtt = acked.rtt.filter(|_| !after_timeout && ack.marks == 0 && ack.sack.as_slice().is_empty());
            self.control.on_ack(&Acked { inflight: before as f64, ece, rtt, ..acked });
            // Linux's `snd_cwnd_clamp`.
            self.control.limit_window(self.config.window as f64);
        }
        if (self.recovering || after_timeout) && una >= self.recover {
            self.leave_halving();
        } else if !self.recovering && ack.marks > 0 && self.control.answers_echoes() {
            self.begin_halving(now, LastCut::Ecn);
        } else if !self.recovering && lost {
            self.begin_halving(now, LastCut::Loss);
        }
        // RFC 3042.
        if acked.is_some() || self.recovering || self.config.limited_transmit {
            self.send_by_halving(now, u32::MAX, cx);
        }
    }

    /// Rule 8.
    fn take_in(&mut self, now: Instant, ack: &Ack<'_>) -> Option<Acked> {
        if ack.next > self.una {
            let acked = self.advance(now, ack);
            self.board().linux.echo = Some(ack.echo);
            return Some(acked);
        }
        if self.config.timestamps
            && let Some(echo) = self.board().linux.echo
        {
            self.rtt.on_sample(&self.config.rtt, echo, now.since(echo));
            self.rtt.end_back_off();
        }
        self.restart_timer(now);
        None
    }

    /// Rule 3.
    fn begin_halving(&mut self, now: Instant, cause: LastCut) {
        let before = libm::floor(self.control.window()) as u64;
        let event = self.used(now);
        self.recover = self.max;
        if cause == LastCut::Ecn {
            self.control.on_ecn(&event);
            self.counters.ecn_reductions += 1;
        } else {
            self.control.on_congestion_event(&event);
            self.counters.fast_recoveries += 1;
        }
        self.cwr_pending = true;
        self.last_cut = cause;
        self.recovering = true;
        self.timed = None;
        self.board().linux.halving = before;
    }

    /// Rule 5, and Linux 2.6 `tcp_moderate_cwnd`: recovery ends without a burst.
    fn leave_halving(&mut self) {
        let board = self.board();
        board.sacked = RangeSet::default();
        board.linux.forget();
        board.linux.halving = 0;
        let threshold = self.control.ssthresh();
        if libm::floor(self.window_linux()) < threshold {
            let flight = (self.max - self.una) as f64 / f64::from(self.config.mss);
            let window = threshold.min(flight + BURST);
            self.control.raise_window(window);
            self.control.limit_window(window);
        }
        self.recovering = false;
    }

    /// The window; in recovery that down to which the rate is halved.
    fn window_linux(&self) -> f64 {
        if self.recovering { self.control.recovery_window() } else { self.control.window() }
    }

    /// The timer has expired: the threshold follows from the window of recovery.
    pub(super) fn abandon_halving(&mut self) {
        let window = self.window_linux();
        self.control.limit_window(window.max(1.0));
    }

    /// Rule 6.
    pub(super) fn give_up_linux(&mut self) {
        let (una, max) = (self.una, self.max);
        let board = self.board();
        board.linux.give_up(una, max, &board.sacked);
    }

    /// Rule 4: Linux 2.6 `tcp_cwnd_down`, as ns-2's TCP-Linux has it: one segment for every second acknowledgement.
    pub(super) fn send_by_halving(&mut self, now: Instant, burst: u32, cx: &mut FlowContext) {
        let mss = u64::from(self.config.mss);
        let window = libm::floor(self.window_linux()) as u64;
        let mut halving = self.scoreboard.as_ref().map_or(0, |board| board.linux.halving).min(self.in_network() + 1);
        for _ in 0..burst {
            if self.in_network() >= window.max(halving) || !self.send_lost_or_new(now, mss, cx) {
                break;
            }
            halving = halving.min((self.in_network() - 1).max(1));
        }
        if let Some(board) = &mut self.scoreboard {
            board.linux.halving = halving;
        }
    }

    fn send_lost_or_new(&mut self, now: Instant, mss: u64, cx: &mut FlowContext) -> bool {
        let first = self.scoreboard.as_ref().and_then(|board| board.linux.lost.as_slice().first().copied());
        if let Some((start, end)) = first {
            let (end, sent) = (end.min(start + mss), self.nxt);
            self.board().linux.note_repair(start, end, sent);
            self.output(now, start, (end - start) as u32, cx);
            return true;
        }
        let new = (self.end - self.nxt).min(mss);
        if new == 0 || self.nxt + new - self.una > WINDOW_MAX_BYTES {
            return false;
        }
        self.output(now, self.nxt, new as u32, cx);
        self.nxt += new;
        true
    }
}
