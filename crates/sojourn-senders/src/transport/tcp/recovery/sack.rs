//! Recovery by selective acknowledgements: RFC 6675.

use super::hooks::Recover;
use super::prr::Prr;
use super::scoreboard::{Memory, Remembered, Scoreboard};
use crate::transport::FlowContext;
use crate::transport::congestion::Milestone;
use crate::transport::tcp::stream::{Ack, Stream};
use crate::transport::tcp::{Reduction, RtoRestart};
use crate::units::Instant;

/// The content of an acknowledgement.
#[derive(Clone, Copy, Debug)]
struct Report {
    /// The bytes that it reports as received for the first time.
    delivered: u64,
    /// True if it acknowledges new data.
    cumulative: bool,
}

/// The state of this recovery.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Selective {
    recovering: bool,
    memory: Memory<Repairs>,
}

/// The progress of repairs.
#[derive(Clone, Debug, Default)]
struct Repairs {
    /// RFC 6675's RescueRxt.
    rescue: Option<u64>,
    /// Present during a recovery that reduces its rate in proportion.
    reducing: Option<Box<Reducing>>,
}

/// A recovery whose rate is reduced in proportion.
#[derive(Clone, Debug)]
struct Reducing {
    prr: Prr,
    /// Holes below this byte have been found to be lost.
    judged: u64,
}

impl Recover for Selective {
    #[inline(never)]
    fn on_ack(&mut self, stream: &mut Stream, now: Instant, mut ack: Ack<'_>, cx: &mut FlowContext) {
        stream.hear(now, &mut ack, stream.max);
        let ack = &ack;
        let received = self.received(stream);
        let news = self.memory.note_sack(stream, ack);
        let was_recovering = self.recovering;
        if ack.next >= stream.recover {
            // §5 step A.
            if std::mem::take(&mut self.recovering) {
                stream.control.on_milestone(Milestone::Reduced);
            }
        }
        if ack.marks > 0 && !self.recovering {
            stream.on_echo(now, ack.next, 0.0);
        }
        let acked = (ack.next > stream.una).then(|| stream.advance(now, ack));
        self.trim(stream);
        let report = Report { delivered: self.received(stream) - received, cumulative: acked.is_some() };
        if self.recovering {
            self.send_by_pipe(stream, now, report, cx);
            return;
        }
        if let Some(acked) = &acked
            && !was_recovering
        {
            stream.control.on_ack(acked);
        }
        if news > 0 {
            self.on_duplicate(stream, now, report, cx);
        }
        if acked.is_some() && !self.recovering {
            self.send(stream, now, cx);
        }
    }

    /// RFC 2018 section 5 asks the sender to forget its SACK information, because the receiver may have reneged. Our receiver never
    /// reneges. So the sender keeps the information and resends holes only (RFC 6675 section 5.1 describes this).
    fn on_timer(&mut self, stream: &mut Stream, now: Instant, cx: &mut FlowContext) {
        self.recovering = false;
        stream.cut_for_timeout(now);
        if let Some(memory) = self.memory.present() {
            memory.besides.reducing = None;
        }
        self.trim(stream);
        stream.nxt = stream.una;
        stream.restart_timer(now);
        self.send(stream, now, cx);
    }

    fn send(&mut self, stream: &mut Stream, now: Instant, cx: &mut FlowContext) {
        stream.pump(now, u32::MAX, 0.0, self.memory.board(), cx);
    }

    fn sacked(&self) -> u64 {
        self.memory.sacked()
    }

    fn prefetch(&self) {
        self.memory.prefetch();
    }
}

impl Selective {
    fn board(&mut self) -> &mut Scoreboard {
        &mut self.memory.get().board
    }

    /// Removes the ranges that the cumulative acknowledgement covers, and the whole memory when none is left.
    fn trim(&mut self, stream: &Stream) {
        if let Some(memory) = self.memory.present() {
            memory.board.sacked.remove_below(stream.una);
            if memory.board.sacked.is_empty() && !self.recovering {
                self.memory.clear();
            }
        }
    }

    /// Cuts the window for a loss. Returns false if the window may not be cut now.
    fn begin_recovery(&mut self, stream: &mut Stream, now: Instant) -> bool {
        let begins = stream.begin_recovery(now, 0.0);
        self.recovering |= begins;
        begins
    }

    /// Bytes that are known to be received.
    fn received(&self, stream: &Stream) -> u64 {
        stream.una + self.sacked()
    }

    /// RFC 6675 §2: a duplicate acknowledgement is one that reports new SACK information, whether or not it acknowledges new data.
    fn on_duplicate(&mut self, stream: &mut Stream, now: Instant, report: Report, cx: &mut FlowContext) {
        stream.dup_acks += 1;
        let (una, threshold, mss) = (stream.una, stream.config.dup_threshold, u64::from(stream.config.mss));
        let overdue = stream.is_overdue(now);
        let lost = overdue || stream.dup_acks >= threshold || self.board().lost_below(una, threshold, mss) > una;
        if lost && self.begin_recovery(stream, now) {
            let reduced = self.begin_reduction(stream, report);
            let len = stream.resend_head(now, cx);
            let memory = self.memory.get();
            memory.board.high_rxt = una + len;
            // §5 step 4.3: no rescue before more than this is acknowledged.
            memory.besides.rescue = Some(una + len);
            match reduced {
                Some(allowed) => {
                    self.note_reduced(len);
                    self.send_up_to(stream, now, allowed.saturating_sub(len), cx);
                }
                None => self.send_by_pipe(stream, now, report, cx),
            }
        } else if !lost && stream.config.params.limited_transmit {
            self.send_limited(stream, now, cx);
        }
    }

    /// RFC 6675 §5 step 3, limited transmit: sends new segments as long as the window is larger than the pipe.
    fn send_limited(&mut self, stream: &mut Stream, now: Instant, cx: &mut FlowContext) {
        if stream.nxt < stream.max {
            return;
        }
        let una = stream.una;
        self.board().high_rxt = una;
        let received = self.board().sacked.total();
        let mss = u64::from(stream.config.mss);
        let window = stream.control.window() * mss as f64;
        while (stream.max - una - received + mss) as f64 <= window {
            let new = stream.new_segment();
            if new == 0 {
                return;
            }
            stream.output(now, stream.nxt, new as u32, cx);
            stream.nxt += new;
            stream.limited += 1;
        }
    }

    /// RFC 9937 section 6.1: recovery begins with this acknowledgement. Returns the bytes that may be sent now, or `None` if the rate is
    /// not reduced in proportion.
    fn begin_reduction(&mut self, stream: &mut Stream, report: Report) -> Option<u64> {
        if stream.config.params.rate_reduction != Reduction::Proportional {
            return None;
        }
        let (una, max, threshold, mss) =
            (stream.una, stream.max, stream.config.dup_threshold, u64::from(stream.config.mss));
        let ssthresh = stream.window_bytes();
        let Remembered { board, besides: Repairs { reducing, .. } } = self.memory.get();
        let judged = board.lost_below(una, threshold, mss);
        board.high_rxt = una;
        let pipe = board.pipe(una, max, judged);
        // What had been reported before this acknowledgement will not be reported again.
        let mut prr = Prr::new(max - una - board.sacked.total() + report.delivered, ssthresh, mss);
        let allowed = prr.allowed(report.delivered, pipe, false);
        *reducing = Some(Box::new(Reducing { prr, judged }));
        Some(allowed)
    }

    fn note_reduced(&mut self, sent: u64) {
        if let Some(reducing) = &mut self.memory.get().besides.reducing {
            reducing.prr.on_sent(sent);
        }
    }

    /// Fills the pipe up to the window (RFC 6675 §5 step C), or sends the amount that PRR allows (RFC 9937 §6.2).
    fn send_by_pipe(&mut self, stream: &mut Stream, now: Instant, report: Report, cx: &mut FlowContext) {
        let mss = u64::from(stream.config.mss);
        let (una, max, threshold, window) =
            (stream.una, stream.max, stream.config.dup_threshold, stream.window_bytes());
        let Remembered { board, besides: Repairs { reducing, .. } } = self.memory.get();
        let lost_below = board.lost_below(una, threshold, mss);
        let pipe = board.pipe(una, max, lost_below);
        let further = reducing.as_ref().is_some_and(|it| board.missing(it.judged.max(una), lost_below) > 0);
        let allowed = match reducing {
            // An acknowledgement that reports nothing changes nothing.
            Some(_) if report.delivered == 0 => return,
            Some(reducing) => {
                reducing.judged = reducing.judged.max(lost_below);
                reducing.prr.allowed(report.delivered, pipe, report.cumulative && !further)
            }
            None => window.saturating_sub(pipe),
        };
        self.send_up_to(stream, now, allowed, cx);
    }

    /// Sends whole segments of at most `allowed` bytes together. RFC 6675 §5 step C chooses them.
    fn send_up_to(&mut self, stream: &mut Stream, now: Instant, mut allowed: u64, cx: &mut FlowContext) {
        let mss = u64::from(stream.config.mss);
        let (una, threshold) = (stream.una, stream.config.dup_threshold);
        let lost_below = self.board().lost_below(una, threshold, mss);
        while allowed >= mss {
            let Some(len) = self.send_next_segment(stream, now, lost_below, cx) else { break };
            self.note_reduced(len);
            allowed -= len;
        }
    }

    /// Sends the segment that RFC 6675's NextSeg names, and returns its length. `None` says that NextSeg names none.
    fn send_next_segment(
        &mut self,
        stream: &mut Stream,
        now: Instant,
        lost_below: u64,
        cx: &mut FlowContext,
    ) -> Option<u64> {
        let (una, max, mss) = (stream.una, stream.max, u64::from(stream.config.mss));
        let hole = self.board().next_hole(una, mss);
        if let Some((start, len)) = hole
            && start < lost_below
        {
            return Some(self.resend_hole(stream, now, start, len, cx));
        }
        let new = stream.new_segment();
        if new > 0 {
            stream.output(now, stream.nxt, new as u32, cx);
            stream.nxt += new;
            return Some(new);
        }
        if let Some((start, len)) = hole {
            return Some(self.resend_hole(stream, now, start, len, cx));
        }
        let recover = stream.recover;
        let memory = self.memory.get();
        if memory.besides.rescue.is_some_and(|rescue| una <= rescue) {
            return None;
        }
        let (start, len) = memory.board.last_missing(una, max, mss)?;
        memory.besides.rescue = Some(recover);
        stream.output(now, start, len as u32, cx);
        stream.restart_timer_for_repair(now);
        Some(len)
    }

    fn resend_hole(&mut self, stream: &mut Stream, now: Instant, start: u64, len: u64, cx: &mut FlowContext) -> u64 {
        self.board().high_rxt = start + len;
        stream.output(now, start, len as u32, cx);
        stream.restart_timer_for_repair(now);
        len
    }
}

impl Stream {
    fn window_bytes(&self) -> u64 {
        libm::floor(self.control.window() * f64::from(self.config.mss)) as u64
    }

    /// RFC 6675 §6: in the optional variant each retransmission restarts the timer.
    fn restart_timer_for_repair(&mut self, now: Instant) {
        if self.config.params.rto_restart == RtoRestart::Retransmissions {
            self.restart_timer(now);
        }
    }
}
