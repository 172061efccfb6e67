//! The single timer of a sender that detects losses by time: RFC 8985 sections 6.3 and 7.2, RFC 6298 section 5. Compared with: Linux's
//! `tcp_set_xmit_timer`, `tcp_rearm_rto` and `tcp_schedule_loss_probe` (behaviour).

use super::detect::Found;
use super::state::{News, Probe, Rack, Timer};
use crate::transport::FlowContext;
use crate::transport::congestion::{Adjustment, Cause, Phase};
use crate::transport::tcp::settings::{Arrivals, Timers};
use crate::transport::tcp::stream::Stream;
use crate::units::{Duration, Instant};

impl Rack {
    /// Sets the timer after an acknowledgement.
    pub(super) fn set_timers(&mut self, stream: &mut Stream, now: Instant, news: &News, found: Found) {
        if self.flight.out() == 0 {
            self.timer = None;
            return;
        }
        if let Some(after) = found.after {
            self.arm_loss(stream, now, after);
            return;
        }
        // Linux: so does a report of what left before the head was sent again, since then it says nothing of that repair. What was sent
        // twice itself does not count (`tcp_clean_rtx_queue`).
        let head = self.flight.head().map(|head| head.sent_at);
        let old = match stream.config.params.arrivals {
            Arrivals::Linux => news.first_sacked.map(|(_, sent_at)| sent_at),
            Arrivals::Rfc => news.sacked_at,
        };
        let of_old = old.is_some_and(|sent_at| Some(sent_at) < head);
        if (news.acked.is_some() || of_old) && !self.arm_probe(stream, now, now) {
            self.arm_timeout(stream, now);
        }
    }

    fn arm_loss(&mut self, stream: &mut Stream, now: Instant, after: Duration) {
        let after = after + stream.config.params.timers.margin();
        self.timer = Some(Timer::Loss(stream.set_timer(now, after)));
    }

    /// Sets the timer after new data has been sent.
    pub(super) fn set_timer_after_new_data(&mut self, stream: &mut Stream, now: Instant) {
        if matches!(self.timer, None | Some(Timer::Probe(_))) {
            self.arm_timeout(stream, now);
        }
        let since = self.flight.head().map_or(now, |head| head.sent_at);
        self.arm_probe(stream, now, since);
    }

    /// RFC 8985 section 7.2: the probe is due after two round trips, or earlier when a timeout that counts from `since` would expire. Linux
    /// asks for the phase alone: while the window falls for an echo, the probe takes the place of a wait for a loss. It also waits while a
    /// probe is out, and not for a timeout that would have expired (`tcp_schedule_loss_probe`).
    fn arm_probe(&mut self, stream: &mut Stream, now: Instant, since: Instant) -> bool {
        let linux = stream.config.params.arrivals == Arrivals::Linux;
        let whole = self.flight.sacked() == 0 && !self.awaits_loss() && self.probe.is_none() || linux;
        let calm = matches!(self.phase, Phase::Open | Phase::Reducing) && whole;
        if !stream.config.params.tail_probe || !calm || !self.may_probe(stream) {
            return false;
        }
        let wait = match stream.rtt.srtt(&stream.config.rtt) {
            // A single segment's acknowledgement may be delayed.
            Some(srtt) if self.flight.out() == 1 => srtt * 2 + stream.config.params.max_ack_delay,
            Some(srtt) => srtt * 2 + stream.config.params.timers.margin(),
            None => Duration::from_secs(1),
        };
        let timeout = since + stream.rtt.rto(&stream.config.rtt);
        let wait = if linux && timeout <= now { wait } else { wait.min(timeout.max(now).since(now)) };
        self.timer = Some(Timer::Probe(self.set_behind_pacer(stream, now, wait)));
        true
    }

    /// Sets the timer to the timeout. It counts from now, or from the transmission of the head if the timer waited for something else.
    pub(super) fn arm_timeout(&mut self, stream: &mut Stream, now: Instant) {
        match (self.timer, self.flight.head()) {
            (Some(Timer::Probe(_) | Timer::Loss(_)), Some(head)) => {
                self.arm_timeout_since(stream, now, head.sent_at);
            }
            _ => self.arm_timeout_anew(stream, now),
        }
    }

    fn arm_timeout_since(&mut self, stream: &mut Stream, now: Instant, sent_at: Instant) {
        let at = sent_at + stream.rtt.rto(&stream.config.rtt);
        let at = at.max(now + stream.config.rtt.tick);
        self.timer = Some(Timer::Timeout(self.set_behind_pacer(stream, now, at.since(now))));
    }

    pub(super) fn arm_timeout_anew(&mut self, stream: &mut Stream, now: Instant) {
        let timeout = stream.rtt.rto(&stream.config.rtt);
        self.timer = Some(Timer::Timeout(self.set_behind_pacer(stream, now, timeout)));
    }

    /// RFC 8985 section 7.2: true if a round trip has been measured since the last probe. Linux does not ask for that.
    fn may_probe(&self, stream: &Stream) -> bool {
        self.measured || stream.config.params.arrivals == Arrivals::Linux
    }

    /// Linux: a timer that waits for sent data waits for the pacer, too, in whole ticks (`tcp_pacing_delay`).
    fn set_behind_pacer(&self, stream: &mut Stream, now: Instant, after: Duration) -> Instant {
        if stream.config.params.timers == Timers::Exact || self.release <= now {
            return stream.set_timer(now, after);
        }
        let tick = stream.config.rtt.tick.as_nanos().max(1);
        let paced = Duration::from_nanos(self.release.since(now).as_nanos() / tick * tick);
        stream.set_timer(now, after + paced)
    }

    /// A repair that was due may not leave where as many count as sent again as are lost. The timer runs all the same.
    pub(super) fn keep_timer(&mut self, stream: &mut Stream, now: Instant) {
        if self.timer.is_none() && self.flight.out() > 0 {
            self.arm_timeout_anew(stream, now);
        }
    }

    // ---- The timer runs out.

    /// RFC 8985 section 6.3: enough time has passed without an acknowledgement for a segment to count as lost.
    pub(super) fn on_loss_by_time(&mut self, stream: &mut Stream, now: Instant) {
        let found = self.detect(stream, now, false);
        let recovers = match stream.config.params.arrivals {
            // Also after a timeout. In a recovery the window stays as it is (`tcp_rack_reo_timeout`).
            Arrivals::Linux => self.phase == Phase::Recovery,
            Arrivals::Rfc => self.is_recovering(),
        };
        if found.lost > 0 && !recovers {
            self.begin_recovery(stream, now, 1, false);
        }
        if found.lost > 0 && (!recovers || stream.config.params.arrivals == Arrivals::Rfc) {
            // Linux counts one report, so that the repair goes.
            let news = News { delivered: 1, ..News::new(None, 0) };
            self.resize(stream, now, &news, found);
        }
        match (found.after, self.flight.head()) {
            // Linux does not wait for a further one, and the timeout still counts from the transmission of the head.
            (_, Some(head)) if stream.config.params.arrivals == Arrivals::Linux => {
                self.arm_timeout_since(stream, now, head.sent_at);
            }
            (Some(after), _) => self.arm_loss(stream, now, after),
            (None, _) => self.arm_timeout(stream, now),
        }
    }

    /// RFC 8985 section 7.3: sends new data if there is some, and otherwise the last segment again. While a probe is out, Linux sends none,
    /// and the timeout counts from the transmission of the head (`tcp_send_loss_probe`). New data waits for the pacer, as ever.
    pub(super) fn send_probe(&mut self, stream: &mut Stream, now: Instant, cx: &mut FlowContext) {
        let len = match stream.new_segment() {
            len if self.forbids(stream.nxt + len) => 0,
            len => len,
        };
        let (linux, again) = (stream.config.params.arrivals == Arrivals::Linux, len == 0);
        let waits = linux && !again && stream.paces() && now < self.release;
        if self.probe.is_none() && self.flight.out() > 0 && self.may_probe(stream) && !waits {
            self.measured = false;
            if !again {
                self.pace_probe(stream, now, len);
                self.send_new(stream, len, false, now, cx);
            } else if let Some(last) = self.flight.last().filter(|&last| !self.flight.get(last).sacked) {
                self.flight.cut_before(last);
                self.pace_probe(stream, now, self.flight.payload(last, 1));
                self.send_last_again(stream, last, now, cx);
            }
            self.probe = Some(Probe { end: stream.max, again });
        } else if linux && let Some(head) = self.flight.head() {
            let since = head.sent_at;
            self.arm_timeout_since(stream, now, since);
            return;
        }
        self.arm_timeout_anew(stream, now);
    }

    /// In Linux a probe makes the next packet wait like any other, and counts as sent when the pacer would have let it go
    /// (`__tcp_transmit_skb`).
    fn pace_probe(&mut self, stream: &mut Stream, now: Instant, payload: u64) {
        if stream.config.params.arrivals == Arrivals::Linux {
            stream.stamp = (stream.paces() && now < self.release).then_some(self.release);
            self.pace(stream, now, 1, payload);
        }
    }

    /// The timeout has expired: RFC 6298 section 5 and RFC 8985 section 6.3.
    pub(super) fn on_timeout(&mut self, stream: &mut Stream, now: Instant) {
        if self.flight.out() == 0 {
            return;
        }
        if matches!(self.phase, Phase::Open | Phase::Disorder) && self.bounds(stream).has_many() {
            self.detector.forget_distance();
        }
        let repeated = std::mem::replace(&mut stream.timed_out, true);
        let cuts = match self.phase {
            Phase::Open | Phase::Disorder => true,
            Phase::Loss => !repeated,
            Phase::Reducing | Phase::Recovery => stream.una >= self.high,
        };
        if cuts {
            let before = (stream.control.window(), stream.control.ssthresh());
            // In Linux the first retransmission stays known (`tcp_enter_loss`).
            let goes_on = self.goes_on(stream) || stream.config.params.arrivals == Arrivals::Linux;
            self.undo.begin(before, stream.una, self.doubtful(stream), goes_on);
        }
        self.doubt_timeout(stream, repeated);
        let (bounds, before) = (self.bounds(stream), self.flight.in_network());
        self.detector.on_timeout(now, &mut self.flight, bounds);
        let known = self.lost;
        self.lost += before.saturating_sub(self.flight.in_network());
        let event = stream.used(now, Cause::Timeout, 0.0);
        stream.control.on_timeout(cuts.then_some(&event));
        self.tell_losses(stream, now, known);
        // Linux: what is in the network still does not count.
        self.kept = self.flight.in_network();
        if stream.control.sampled().is_some_and(|law| law.keeps(self.kept)) {
            self.kept = 0;
        } else if stream.config.params.arrivals == Arrivals::Linux && !stream.config.samples {
            // They are part of the window from now on (`tcp_enter_loss`).
            let kept = std::mem::take(&mut self.kept);
            let window = (stream.law_window() + kept) as f64;
            stream.control.adjust(Adjustment::Raise(window));
        }
        (stream.timed, stream.limited, stream.last_cut) = (None, 0, Some(Cause::Timeout));
        (stream.recover, stream.marks.cwr_pending) = (stream.max, true);
        (self.high, self.probe) = (stream.max, None);
        self.set_phase(stream, Phase::Loss);
        stream.counters.timeouts += 1;
        stream.rtt.back_off(&stream.config.rtt);
        let timeout = stream.rtt.rto(&stream.config.rtt);
        self.timer = Some(Timer::Timeout(stream.set_timer(now, timeout)));
    }
}

impl Stream {
    /// Sets the timer now, to wait `after`. Returns the time at which it goes off.
    pub(in crate::transport::tcp) fn set_timer(&mut self, now: Instant, after: Duration) -> Instant {
        self.slot.set(self.config.params.timers, now, after, self.config.rtt.tick)
    }
}
