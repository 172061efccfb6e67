//! The one timer of a sender that finds losses by time: RFC 8985 sections 6.3 and 7.2, RFC 6298 section 5. Compared with: Linux's
//! `tcp_set_xmit_timer`,
//! `tcp_rearm_rto` and `tcp_schedule_loss_probe` (behaviour).

use super::super::sender::{LastCut, Sender};
use super::detect::Found;
use super::state::{News, Probe, Rack, Timer};
use crate::transport::FlowContext;
use crate::transport::congestion::{Congestion, Phase};
use crate::units::{Duration, Instant};

impl Sender {
    /// After an acknowledgement.
    pub(super) fn set_timers(&self, rack: &mut Rack, now: Instant, news: &News, found: Found) {
        if rack.flight.out() == 0 {
            rack.timer = None;
            return;
        }
        if let Some(after) = found.after {
            rack.timer = Some(Timer::Loss(self.due(now, after + self.config.timers.margin())));
            return;
        }
        // Linux: so does a report of what left before the head was sent again, since then it says nothing of that repair.
        let head = rack.flight.head().map(|head| head.sent_at);
        let of_old = news.sacked_at.is_some_and(|sent_at| Some(sent_at) < head);
        if (news.acked.is_some() || of_old) && !self.arm_probe(rack, now, now) {
            self.arm_timeout(rack, now);
        }
    }

    /// New data has been sent.
    pub(super) fn set_timer_after_new_data(&self, rack: &mut Rack, now: Instant) {
        if matches!(rack.timer, None | Some(Timer::Probe(_))) {
            self.arm_timeout(rack, now);
        }
        let since = rack.flight.head().map_or(now, |head| head.sent_at);
        self.arm_probe(rack, now, since);
    }

    /// RFC 8985 section 7.2: the probe is due after two round trips, or when the timer would run out that counts from `since`.
    fn arm_probe(&self, rack: &mut Rack, now: Instant, since: Instant) -> bool {
        let calm = matches!(rack.phase, Phase::Open | Phase::Reducing) && rack.flight.sacked() == 0;
        if !self.config.tail_probe || !calm || rack.probe.is_some() || rack.awaits_loss() || !rack.measured {
            return false;
        }
        let wait = match self.rtt.srtt(&self.config.rtt) {
            // A single segment's acknowledgement may be delayed.
            Some(srtt) if rack.flight.out() == 1 => srtt * 2 + self.config.max_ack_delay,
            Some(srtt) => srtt * 2 + self.config.timers.margin(),
            None => Duration::from_secs(1),
        };
        let timeout = (since + self.rtt.rto(&self.config.rtt)).max(now);
        rack.timer = Some(Timer::Probe(self.due(now, wait.min(timeout.since(now)))));
        true
    }

    /// When a timer set now goes off that is to wait `after`.
    fn due(&self, now: Instant, after: Duration) -> Instant {
        self.config.timers.due(now, after, self.config.rtt.tick)
    }

    /// The timeout counts from now; where the timer waited for something else, from the transmission of the head.
    pub(super) fn arm_timeout(&self, rack: &mut Rack, now: Instant) {
        match (rack.timer, rack.flight.head()) {
            (Some(Timer::Probe(_) | Timer::Loss(_)), Some(head)) => {
                let at = head.sent_at + self.rtt.rto(&self.config.rtt);
                let at = at.max(now + self.config.rtt.tick);
                rack.timer = Some(Timer::Timeout(self.due(now, at.since(now))));
            }
            _ => self.arm_timeout_anew(rack, now),
        }
    }

    pub(super) fn arm_timeout_anew(&self, rack: &mut Rack, now: Instant) {
        rack.timer = Some(Timer::Timeout(self.due(now, self.rtt.rto(&self.config.rtt))));
    }

    // ---- The timer runs out.

    pub(in super::super) fn on_rack_deadline(&mut self, now: Instant, cx: &mut FlowContext) {
        let mut rack = self.take_rack();
        rack.waits &= now < rack.release;
        match rack.timer.take_if(|timer| timer.at() <= now) {
            Some(Timer::Loss(_)) => self.on_loss_by_time(&mut rack, now),
            Some(Timer::Probe(_)) => self.send_probe(&mut rack, now, cx),
            Some(Timer::Timeout(_)) => self.on_rack_timeout(&mut rack, now),
            None => {}
        }
        self.send_rack(&mut rack, now, cx);
        self.put_rack(rack);
    }

    /// RFC 8985 section 6.3: nothing has arrived, and enough time has passed.
    fn on_loss_by_time(&mut self, rack: &mut Rack, now: Instant) {
        let found = self.detect(rack, now, false);
        if found.lost > 0 {
            if !rack.is_recovering() {
                self.begin_recovery_rack(rack, now, 1);
            }
            // Linux counts one report, so that the repair goes.
            let news = News { delivered: 1, ..News::new(None, 0) };
            self.resize(rack, &news, found);
        }
        match found.after {
            Some(after) => rack.timer = Some(Timer::Loss(self.due(now, after + self.config.timers.margin()))),
            None => self.arm_timeout(rack, now),
        }
    }

    /// RFC 8985 section 7.3: new data if there is some, else the last segment again.
    fn send_probe(&mut self, rack: &mut Rack, now: Instant, cx: &mut FlowContext) {
        let len = self.new_segment();
        if rack.probe.is_none() && rack.flight.out() > 0 && rack.measured {
            rack.measured = false;
            let again = len == 0;
            if !again {
                self.send_new(rack, len, false, now, cx);
            } else if let Some(last) = rack.flight.last().filter(|&last| !rack.flight.get(last).sacked) {
                self.send_again(rack, last, now, cx);
            }
            rack.probe = Some(Probe { end: self.max, again });
        }
        self.arm_timeout_anew(rack, now);
    }

    /// RFC 6298 section 5 and RFC 8985 section 6.3.
    fn on_rack_timeout(&mut self, rack: &mut Rack, now: Instant) {
        if rack.flight.out() == 0 {
            return;
        }
        let repeated = std::mem::replace(&mut self.timed_out, true);
        let cuts = match rack.phase {
            Phase::Open | Phase::Disorder => true,
            Phase::Loss => !repeated,
            Phase::Reducing | Phase::Recovery => self.una >= rack.high,
        };
        if cuts {
            let before = (self.control.window(), self.control.ssthresh());
            rack.undo.begin(before, rack.flight.repairing());
        }
        self.doubt_timeout(rack, repeated);
        let (bounds, before) = (self.bounds(rack), rack.flight.in_network());
        rack.detector.on_timeout(now, &mut rack.flight, bounds);
        rack.lost += before.saturating_sub(rack.flight.in_network());
        let event: Congestion = self.used(now);
        self.control.on_timeout(cuts.then_some(&event));
        // Linux: what is in the network still does not count.
        rack.kept = rack.flight.in_network();
        if self.control.keeps(rack.kept) {
            rack.kept = 0;
        }
        (self.timed, self.limited, self.last_cut) = (None, 0, LastCut::Timeout);
        (self.recover, self.cwr_pending) = (self.max, true);
        (rack.high, rack.probe) = (self.max, None);
        self.set_phase(rack, Phase::Loss);
        self.counters.timeouts += 1;
        self.rtt.back_off(&self.config.rtt);
        self.arm_timeout_anew(rack, now);
    }
}
