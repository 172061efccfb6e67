//! The one timer of a sender that finds losses by time: RFC 8985 sections 6.3 and 7.2, RFC 6298 section 5. Compared with: Linux's
//! `tcp_set_xmit_timer`,
//! `tcp_rearm_rto` and `tcp_schedule_loss_probe` (behaviour).

use super::super::sender::Sender;
use super::detect::Found;
use super::{News, Phase, Rack};
use crate::units::{Duration, Instant};

/// What the timer waits for, and until when.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Timer {
    /// For a segment to count as lost.
    Loss(Instant),
    /// To probe the end of the flight.
    Probe(Instant),
    Timeout(Instant),
}

impl Timer {
    pub fn at(self) -> Instant {
        match self {
            Timer::Loss(at) | Timer::Probe(at) | Timer::Timeout(at) => at,
        }
    }
}

impl Rack {
    /// When something is to be done next.
    pub(super) fn deadline(&self) -> Option<Instant> {
        let timer = self.timer.map(Timer::at);
        let release = self.waits.then_some(self.release);
        match (timer, release) {
            (Some(timer), Some(release)) => Some(timer.min(release)),
            (timer, release) => timer.or(release),
        }
    }

    /// Whether it waits for a segment to count as lost.
    pub(super) fn awaits_loss(&self) -> bool {
        matches!(self.timer, Some(Timer::Loss(_)))
    }
}

impl Sender {
    /// After an acknowledgement.
    pub(super) fn set_timers(&self, rack: &mut Rack, now: Instant, news: &News, found: Found) {
        if rack.flight.out() == 0 {
            rack.timer = None;
            return;
        }
        if let Some(after) = found.after {
            rack.timer = Some(Timer::Loss(now + after));
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
            Some(srtt) => srtt * 2,
            None => Duration::from_secs(1),
        };
        let timeout = (since + self.rtt.rto(&self.config.rtt)).max(now);
        rack.timer = Some(Timer::Probe((now + wait).min(timeout)));
        true
    }

    /// The timeout counts from now; where the timer waited for something else, from the transmission of the head.
    pub(super) fn arm_timeout(&self, rack: &mut Rack, now: Instant) {
        match (rack.timer, rack.flight.head()) {
            (Some(Timer::Probe(_) | Timer::Loss(_)), Some(head)) => {
                let at = head.sent_at + self.rtt.rto(&self.config.rtt);
                rack.timer = Some(Timer::Timeout(at.max(now + self.config.rtt.tick)));
            }
            _ => self.arm_timeout_anew(rack, now),
        }
    }

    pub(super) fn arm_timeout_anew(&self, rack: &mut Rack, now: Instant) {
        rack.timer = Some(Timer::Timeout(now + self.rtt.rto(&self.config.rtt)));
    }
}
