//! The sending side of TFRC: one packet after the other at the allowed rate (RFC 5348 section 4.6), and whether the
//! application had enough to send (section 8.2.1).

use std::sync::Arc;

use super::Config;
use super::rate::{AllowedRate, Feedback};
use crate::header::{Dscp, RateLabel};
use crate::packet::{Body, Ecn, FlowId, Packet};
use crate::traffic::{AppContext, Application, Demand};
use crate::transport::pending::Pending;
use crate::transport::{Counters, Endpoint, FlowContext};
use crate::units::{Bytes, Coarse, Duration, Instant};

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

/// One sender.
pub(super) struct Sender {
    config: Arc<Config>,
    app: Box<dyn Application>,
    stopped: bool,
    pending: Pending,
    next_seq: u64,
    allowed: AllowedRate,
    /// s: the mean payload of the last packets.
    segment: f64,
    last_sent: Option<Instant>,
    /// The nofeedback timer: when it was set, and when it expires.
    timer: Option<(Instant, Instant)>,
    not_limited: NotLimited,
    counters: Counters,
}

impl Sender {
    pub fn new(config: Arc<Config>, app: Box<dyn Application>) -> Self {
        let segment = f64::from(config.payload);
        Sender {
            allowed: AllowedRate::new(segment, config.rate),
            config,
            app,
            stopped: false,
            pending: Pending::default(),
            next_seq: 0,
            segment,
            last_sent: None,
            timer: None,
            not_limited: NotLimited::default(),
            counters: Counters::default(),
        }
    }

    fn ask(
        &mut self,
        cx: &mut FlowContext,
        question: impl FnOnce(&mut dyn Application, &mut AppContext<'_>) -> Demand,
    ) -> Demand {
        let packet = Bytes(u64::from(self.config.payload + self.config.header));
        let header = Bytes(u64::from(self.config.header));
        question(self.app.as_mut(), &mut AppContext { rng: cx.rng, packet, header })
    }

    /// When the next packet may leave: at once if none has left.
    fn due(&self) -> Instant {
        self.last_sent.map_or(Instant::ZERO, |last| last + self.allowed.spacing())
    }

    /// Sends what may leave now.
    fn pump(&mut self, now: Instant, cx: &mut FlowContext) {
        while !self.pending.is_empty() {
            let due = self.due();
            if due > now {
                return;
            }
            self.send(now, cx);
            if due == now || !self.pending.is_empty() {
                // It left at its time, or more waits: all that was allowed has been sent.
                self.not_limited.note(now);
            }
            if self.pending.is_empty() {
                let demand = self.ask(cx, |app, app_cx| app.on_transfer_complete(now, app_cx));
                self.pending.write(demand.write);
            }
        }
    }

    fn send(&mut self, now: Instant, cx: &mut FlowContext) {
        let Some(payload) = self.pending.take(self.config.payload) else { return };
        let size = payload + self.config.header;
        self.counters.packets_sent += 1;
        self.counters.bytes_sent += u64::from(size);
        cx.out.push(Packet {
            flow: FlowId(0),
            size,
            hop: 0,
            delay_hint: None,
            service: None,
            dscp: Dscp::DF,
            priority: 0,
            label: RateLabel::NONE,
            enqueued_at: now,
            waited: Coarse::ZERO,
            ecn: if self.config.ecn { Ecn::Ect0 } else { Ecn::NotEct },
            body: Body::TfrcData { seq: self.next_seq, sent_at: now, rtt: self.allowed.rtt() },
        });
        self.next_seq += 1;
        self.last_sent = Some(now);
        self.segment += (f64::from(payload) - self.segment) / SEGMENTS_AVERAGED.min(self.next_seq as f64);
        self.allowed.set_segment(self.segment);
        if self.timer.is_none() {
            self.set_timer(now);
        }
    }

    fn set_timer(&mut self, now: Instant) {
        self.timer = Some((now, now + self.allowed.timeout()));
    }

    fn on_no_feedback(&mut self, now: Instant, set_at: Instant) {
        let idle = self.last_sent.is_none_or(|last| last < set_at);
        self.counters.timeouts += u64::from(!idle);
        if self.allowed.on_no_feedback(now, idle) {
            self.set_timer(now);
        } else {
            // Nothing changes until something is sent again.
            self.timer = None;
        }
    }
}

impl Endpoint for Sender {
    fn start(&mut self, now: Instant, cx: &mut FlowContext) {
        let demand = self.ask(cx, |app, app_cx| app.on_start(now, app_cx));
        self.pending.write(demand.write);
        self.pump(now, cx);
    }

    fn stop(&mut self, _now: Instant, _cx: &mut FlowContext) {
        self.stopped = true;
        self.pending = Pending::default();
        self.timer = None;
    }

    fn on_packet(&mut self, now: Instant, packet: &Packet, cx: &mut FlowContext) {
        let Body::TfrcFeedback { echo, delay, receive_rate, loss_event_rate } = packet.body else {
            // RFC 5348 knows no choke packets.
            debug_assert!(matches!(packet.body, Body::Choke { .. }), "a sender gets feedback");
            return;
        };
        self.counters.packets_received += 1;
        self.counters.bytes_received += u64::from(packet.size);
        let sample = now.since(echo).saturating_sub(delay);
        let secs = sample.as_secs_f64();
        self.counters.rtt_samples += 1;
        self.counters.rtt_sum += secs;
        self.counters.rtt_sum_squares += secs * secs;
        cx.out.round_trip = Coarse::of(sample);
        if self.stopped {
            return;
        }
        let rtt = self.allowed.rtt().unwrap_or(sample);
        let data_limited = self.not_limited.was_data_limited(now, echo, rtt);
        self.allowed.on_feedback(now, &Feedback { rtt: sample, loss_event_rate, received: receive_rate, data_limited });
        self.set_timer(now);
        self.pump(now, cx);
    }

    fn next_deadline(&self) -> Option<Instant> {
        if self.stopped {
            return None;
        }
        let send = (!self.pending.is_empty()).then(|| self.due());
        [send, self.timer.map(|(_, due)| due), self.app.next_deadline()].into_iter().flatten().min()
    }

    fn on_deadline(&mut self, now: Instant, cx: &mut FlowContext) {
        if self.stopped {
            return;
        }
        if let Some((set_at, due)) = self.timer
            && due <= now
        {
            self.on_no_feedback(now, set_at);
        }
        if self.app.next_deadline().is_some_and(|due| due <= now) {
            let demand = self.ask(cx, |app, app_cx| app.on_deadline(now, app_cx));
            self.pending.write(demand.write);
        }
        self.pump(now, cx);
    }

    fn counters(&self) -> Counters {
        self.counters
    }
}
