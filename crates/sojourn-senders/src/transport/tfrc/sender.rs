//! The sending side of TFRC, as a law of [`paced`](crate::transport::paced) senders: one packet after the other at the allowed rate
//! (RFC 5348 section 4.6), and whether the application had enough to send (section 8.2.1).

use super::rate::{AllowedRate, Feedback};
use super::settings::Config;
use crate::packet::{Body, Ecn};
use crate::transport::Counters;
use crate::transport::paced::{Heard, Law};
use crate::units::{Duration, Instant};

/// Packets over which the mean segment size is taken; their loss intervals are known to the receiver only.
const SEGMENTS_AVERAGED: f64 = 64.0;

/// Moments at which the sender sent all that it was allowed to (RFC 5348 section 8.2.1).
#[derive(Clone, Copy, Debug, Default)]
struct NotLimited {
    first: Instant,
    second: Instant,
    /// t_new and t_next.
    newest: Instant,
    next: Instant,
}

impl NotLimited {
    fn note(&mut self, now: Instant) {
        if self.first <= self.newest {
            self.first = now;
        } else if self.second <= self.next {
            self.second = now;
        }
    }

    /// Whether the sender was data-limited in the round trip up to `newest`, which the feedback that comes now covers.
    fn was_data_limited(&mut self, now: Instant, newest: Instant, rtt: Duration) -> bool {
        self.newest = newest;
        self.next = now;
        let covered = |at: Instant| at <= newest && newest.since(at) < rtt;
        let limited = !covered(self.first) && !covered(self.second);
        if self.first <= newest && self.second > newest {
            self.first = self.second;
        }
        limited
    }
}

/// One sender's law.
pub(super) struct Tfrc {
    ecn: Ecn,
    allowed: AllowedRate,
    /// s: the mean payload of the last packets.
    segment: f64,
    last_sent: Option<Instant>,
    /// The nofeedback timer: when it was set, and when it expires.
    timer: Option<(Instant, Instant)>,
    not_limited: NotLimited,
}

impl Tfrc {
    pub fn new(config: &Config) -> Self {
        let segment = f64::from(config.sizes.payload);
        Tfrc {
            ecn: if config.ecn { Ecn::Ect0 } else { Ecn::NotEct },
            allowed: AllowedRate::new(segment, config.rate),
            segment,
            last_sent: None,
            timer: None,
            not_limited: NotLimited::default(),
        }
    }

    fn set_timer(&mut self, now: Instant) {
        self.timer = Some((now, now + self.allowed.timeout()));
    }
}

impl Law for Tfrc {
    fn gap(&self) -> Duration {
        self.allowed.spacing()
    }

    fn ecn(&self) -> Ecn {
        self.ecn
    }

    fn on_sent(&mut self, now: Instant, seq: u64, payload: u32) {
        self.last_sent = Some(now);
        self.segment += (f64::from(payload) - self.segment) / SEGMENTS_AVERAGED.min((seq + 1) as f64);
        self.allowed.set_segment(self.segment);
        if self.timer.is_none() {
            self.set_timer(now);
        }
    }

    fn on_turn(&mut self, now: Instant, due: Instant, more: bool) {
        if due == now || more {
            // It left at its time, or more waits: all that was allowed has been sent.
            self.not_limited.note(now);
        }
    }

    fn on_report(&mut self, heard: &Heard<'_>, _counters: &mut Counters) {
        let Body::TfrcFeedback { receive_rate, loss_event_rate, .. } = *heard.body else { return };
        let Heard { now, rtt: sample, echo, .. } = *heard;
        let rtt = self.allowed.rtt().unwrap_or(sample);
        let data_limited = self.not_limited.was_data_limited(now, echo, rtt);
        self.allowed.on_feedback(now, &Feedback { rtt: sample, loss_event_rate, received: receive_rate, data_limited });
        self.set_timer(now);
    }

    fn rtt(&self) -> Option<Duration> {
        self.allowed.rtt()
    }

    fn next_deadline(&self) -> Option<Instant> {
        self.timer.map(|(_, due)| due)
    }

    /// The nofeedback timer has expired.
    fn on_deadline(&mut self, now: Instant, counters: &mut Counters) {
        let Some((set_at, _)) = self.timer else { return };
        let idle = self.last_sent.is_none_or(|last| last < set_at);
        counters.timeouts += u64::from(!idle);
        if self.allowed.on_no_feedback(now, idle) {
            self.set_timer(now);
        } else {
            // Nothing changes until something is sent again.
            self.timer = None;
        }
    }
}
