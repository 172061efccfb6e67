//! Recovery by selective acknowledgements: RFC 6675, and the pipe algorithm of ns-2 2.35.

use super::prr::Prr;
use super::scoreboard::{Reducing, Scoreboard};
use super::sender::{Ack, Sender};
use super::{Details, Reduction, RtoRestart};
use crate::transport::FlowContext;
use crate::units::Instant;

/// What an acknowledgement has told.
#[derive(Clone, Copy, Debug)]
struct Report {
    /// Bytes that it reports as received for the first time.
    delivered: u64,
    /// It acknowledges new data.
    cumulative: bool,
}

impl Sender {
    pub(super) fn board(&mut self) -> &mut Scoreboard {
        self.scoreboard.get_or_insert_default()
    }

    /// Takes in SACK blocks; returns the bytes that are news.
    fn note_sack(&mut self, ack: &Ack<'_>) -> u64 {
        if ack.sack.as_slice().is_empty() {
            return 0;
        }
        let (una, max) = (self.una, self.max);
        self.board().update(ack.next, una, max, ack.sack)
    }

    /// Drops what the cumulative acknowledgement covers, and the scoreboard when nothing is left.
    fn trim_board(&mut self) {
        if let Some(board) = &mut self.scoreboard {
            board.sacked.remove_below(self.una);
            if board.sacked.is_empty() && !self.recovering {
                self.scoreboard = None;
            }
        }
    }

    /// The timer has expired: ns-2 forgets, as RFC 2018 §5 asks, since the receiver may have reneged. Ours never does, so
    /// that what is known stays (RFC 6675 §5.1 tells of it), and only holes are resent.
    pub(super) fn forget_or_keep_sack(&mut self) {
        if self.config.details == Details::Ns2 {
            self.scoreboard = None;
        }
        if let Some(board) = &mut self.scoreboard {
            board.reducing = None;
        }
        self.trim_board();
    }

    // ---- RFC 6675.

    #[inline(never)]
    pub(super) fn on_ack_sack_rfc(&mut self, now: Instant, ack: &Ack<'_>, cx: &mut FlowContext) {
        let received = self.received();
        let news = self.note_sack(ack);
        let was_recovering = self.recovering;
        if ack.next >= self.recover {
            // §5 step A.
            if std::mem::take(&mut self.recovering) {
                self.control.on_reduced();
            }
        }
        if ack.marks > 0 && !self.recovering {
            self.on_echo(now, ack.next);
        }
        let acked = (ack.next > self.una).then(|| self.advance(now, ack));
        self.trim_board();
        let report = Report { delivered: self.received() - received, cumulative: acked.is_some() };
        if self.recovering {
            self.send_by_pipe(now, report, cx);
            return;
        }
        if let Some(acked) = &acked
            && !was_recovering
        {
            self.control.on_ack(acked);
        }
        if news > 0 {
            self.on_duplicate_sack_rfc(now, report, cx);
        }
        if acked.is_some() && !self.recovering {
            self.pump(now, u32::MAX, cx);
        }
    }

    /// Bytes that are known to be received.
    fn received(&self) -> u64 {
        self.una + self.scoreboard.as_ref().map_or(0, |board| board.sacked.total())
    }

    /// RFC 6675 §2: a duplicate acknowledgement is one that reports something new, whatever else it acknowledges.
    fn on_duplicate_sack_rfc(&mut self, now: Instant, report: Report, cx: &mut FlowContext) {
        self.dup_acks += 1;
        let (una, threshold, mss) = (self.una, self.config.dup_threshold, u64::from(self.config.mss));
        let overdue = self.is_overdue(now);
        let lost = overdue || self.dup_acks >= threshold || self.board().lost_below(una, threshold, mss) > una;
        if lost && self.begin_recovery(now) {
            let reduced = self.begin_reduction(report);
            let len = self.resend_head(now, cx);
            let board = self.board();
            board.high_rxt = una + len;
            // §5 step 4.3: no rescue before more than this is acknowledged.
            board.rescue = Some(una + len);
            match reduced {
                Some(allowed) => {
                    self.note_reduced(len);
                    self.send_up_to(now, allowed.saturating_sub(len), cx);
                }
                None => self.send_by_pipe(now, report, cx),
            }
        } else if !lost && self.config.limited_transmit {
            self.send_limited(now, cx);
        }
    }

    /// RFC 6675 §5 step 3: limited transmit, of as many new segments as the window has above the pipe.
    fn send_limited(&mut self, now: Instant, cx: &mut FlowContext) {
        if self.nxt < self.max {
            return;
        }
        let una = self.una;
        self.board().high_rxt = una;
        let received = self.board().sacked.total();
        let mss = u64::from(self.config.mss);
        let window = self.control.window() * mss as f64;
        while (self.max - una - received + mss) as f64 <= window {
            let new = self.new_segment();
            if new == 0 {
                return;
            }
            self.output(now, self.nxt, new as u32, cx);
            self.nxt += new;
            self.limited += 1;
        }
    }

    /// The window in bytes.
    fn window_bytes(&self) -> u64 {
        libm::floor(self.control.window() * f64::from(self.config.mss)) as u64
    }

    /// RFC 9937 section 6.1: recovery begins with this acknowledgement; the bytes that may be sent now. `None` if the rate is not
    /// reduced in proportion.
    fn begin_reduction(&mut self, report: Report) -> Option<u64> {
        if self.config.rate_reduction != Reduction::Proportional {
            return None;
        }
        let (una, max, threshold, mss) = (self.una, self.max, self.config.dup_threshold, u64::from(self.config.mss));
        let ssthresh = self.window_bytes();
        let board = self.board();
        let judged = board.lost_below(una, threshold, mss);
        board.high_rxt = una;
        let pipe = board.pipe(una, max, judged);
        // What had been reported before this acknowledgement will not be reported again.
        let mut prr = Prr::new(max - una - board.sacked.total() + report.delivered, ssthresh, mss);
        let allowed = prr.allowed(report.delivered, pipe, false);
        board.reducing = Some(Box::new(Reducing { prr, judged }));
        Some(allowed)
    }

    fn note_reduced(&mut self, sent: u64) {
        if let Some(reducing) = &mut self.board().reducing {
            reducing.prr.on_sent(sent);
        }
    }

    /// RFC 6675 §5 step C: fill the pipe up to the window; or RFC 9937 §6.2: send as much as it allows.
    fn send_by_pipe(&mut self, now: Instant, report: Report, cx: &mut FlowContext) {
        let mss = u64::from(self.config.mss);
        let (una, max, threshold, window) = (self.una, self.max, self.config.dup_threshold, self.window_bytes());
        let board = self.board();
        let lost_below = board.lost_below(una, threshold, mss);
        let pipe = board.pipe(una, max, lost_below);
        let further = board.reducing.as_ref().is_some_and(|it| board.missing(it.judged.max(una), lost_below) > 0);
        let allowed = match &mut board.reducing {
            // An acknowledgement that reports nothing changes nothing.
            Some(_) if report.delivered == 0 => return,
            Some(reducing) => {
                reducing.judged = reducing.judged.max(lost_below);
                reducing.prr.allowed(report.delivered, pipe, report.cumulative && !further)
            }
            None => window.saturating_sub(pipe),
        };
        self.send_up_to(now, allowed, cx);
    }

    /// Sends whole segments of so many bytes, as RFC 6675 §5 step C chooses them.
    fn send_up_to(&mut self, now: Instant, mut allowed: u64, cx: &mut FlowContext) {
        let mss = u64::from(self.config.mss);
        let (una, threshold) = (self.una, self.config.dup_threshold);
        let lost_below = self.board().lost_below(una, threshold, mss);
        while allowed >= mss {
            let Some(len) = self.send_next_segment(now, lost_below, cx) else { break };
            self.note_reduced(len);
            allowed -= len;
        }
    }

    /// RFC 6675 NextSeg, and the transmission of what it names; `None` if it names nothing.
    fn send_next_segment(&mut self, now: Instant, lost_below: u64, cx: &mut FlowContext) -> Option<u64> {
        let (una, max, mss) = (self.una, self.max, u64::from(self.config.mss));
        let hole = self.board().next_hole(una, mss);
        if let Some((start, len)) = hole
            && start < lost_below
        {
            return Some(self.resend_hole(now, start, len, cx));
        }
        let new = self.new_segment();
        if new > 0 {
            self.output(now, self.nxt, new as u32, cx);
            self.nxt += new;
            return Some(new);
        }
        if let Some((start, len)) = hole {
            return Some(self.resend_hole(now, start, len, cx));
        }
        let recover = self.recover;
        let board = self.board();
        if board.rescue.is_some_and(|rescue| una <= rescue) {
            return None;
        }
        let (start, len) = board.last_missing(una, max, mss)?;
        board.rescue = Some(recover);
        self.output(now, start, len as u32, cx);
        self.restart_timer_for_repair(now);
        Some(len)
    }

    fn resend_hole(&mut self, now: Instant, start: u64, len: u64, cx: &mut FlowContext) -> u64 {
        self.board().high_rxt = start + len;
        self.output(now, start, len as u32, cx);
        self.restart_timer_for_repair(now);
        len
    }

    /// RFC 6675 §6: the optional variant restarts the timer with each retransmission.
    fn restart_timer_for_repair(&mut self, now: Instant) {
        if self.config.rto_restart == RtoRestart::Retransmissions {
            self.restart_timer(now);
        }
    }

    /// Length of the next segment that the receiver's window allows; zero if there is none. It is new data, except in
    /// ns-2 after a timeout: there the next segment may be one that a partial acknowledgement covers already.
    pub(super) fn new_segment(&self) -> u64 {
        let mss = u64::from(self.config.mss);
        let written = self.known.as_ref().map_or(self.end, |known| known.written(self.nxt, mss).min(self.end));
        let len = (written - self.nxt).min(mss);
        if self.nxt + len <= self.una + self.config.window * mss { len } else { 0 }
    }

    // ---- ns-2.

    /// The `Sack1` sender: a duplicate acknowledgement counts if it reports something new; `pipe` counts
    /// packets.
    #[inline(never)]
    pub(super) fn on_ack_sack_ns2(&mut self, now: Instant, ack: &Ack<'_>, cx: &mut FlowContext) {
        if ack.marks > 0 {
            self.on_echo(now, ack.next);
        }
        if self.recovering {
            self.on_ack_in_ns2_recovery(now, ack, cx);
        } else if ack.next > self.una {
            if self.scoreboard.is_some() {
                self.scoreboard = None;
            }
            let acked = self.advance(now, ack);
            self.control.on_ack(&acked);
            self.pump(now, u32::MAX, cx);
        } else if !self.timed_out && self.note_sack(ack) > 0 {
            // After a timeout duplicates say nothing until new data is acknowledged.
            self.dup_acks += 1;
            if self.dup_acks == self.config.dup_threshold {
                self.begin_ns2_recovery(now, cx);
            } else if self.dup_acks < self.config.dup_threshold && self.config.limited_transmit {
                self.send_one(now, cx);
            }
        }
    }

    fn begin_ns2_recovery(&mut self, now: Instant, cx: &mut FlowContext) {
        if !self.begin_recovery(now) {
            return;
        }
        let outstanding = (self.max - self.una).div_ceil(u64::from(self.config.mss)) as i64;
        let una = self.una;
        let pipe = outstanding - i64::from(self.config.dup_threshold);
        let len = self.resend_head(now, cx);
        let board = self.board();
        board.pipe = pipe;
        board.high_rxt = una + len;
    }

    #[inline(never)]
    fn on_ack_in_ns2_recovery(&mut self, now: Instant, ack: &Ack<'_>, cx: &mut FlowContext) {
        if ack.next >= self.recover {
            // Over; this acknowledgement does not open the window. The next cut needs no further
            // acknowledgement above the highest number sent.
            self.recovering = false;
            self.recover = self.start;
            self.scoreboard = None;
            self.advance(now, ack);
            self.pump(now, u32::MAX, cx);
            return;
        }
        self.board().pipe -= 1;
        if ack.next > self.una {
            self.move_to(now, ack.next);
            self.note_sack(ack);
            self.trim_board();
            // What it acknowledges is a retransmission that has left the network as well.
            self.board().pipe -= 1;
            self.rtt.end_back_off();
            self.restart_timer(now);
        } else {
            self.note_sack(ack);
        }
        self.send_by_ns2_pipe(now, cx);
    }

    /// Holes first, then new data, while `pipe` is below the window.
    fn send_by_ns2_pipe(&mut self, now: Instant, cx: &mut FlowContext) {
        let mss = u64::from(self.config.mss);
        let window = libm::floor(self.control.window()) as i64;
        while self.board().pipe < window {
            let una = self.una;
            if let Some((start, len)) = self.board().next_hole(una, mss) {
                self.board().high_rxt = start + len;
                self.output(now, start, len as u32, cx);
            } else {
                let new = self.new_segment();
                if new == 0 {
                    break;
                }
                self.output(now, self.nxt, new as u32, cx);
                self.nxt += new;
            }
            self.board().pipe += 1;
        }
    }
}
