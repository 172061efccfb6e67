//! The sending end of TCP: the application that drives it, its connections, one after the other, and the parts that they share: the stream
//! of bytes and the recovery of lost segments. Connections are opened in `connection.rs`.

use std::sync::Arc;

use super::recovery::{LossRecovery, Recover};
use super::seldom::Seldom;
use super::stream::{Ack, Connection, Stream};
use super::{Config, Reduction};
use crate::packet::{Body, Packet};
use crate::prefetch::{Part, prefetch};
use crate::traffic::Application;
use crate::transport::{Counters, Endpoint, FlowContext, Known, Turn, WindowState};
use crate::units::{Duration, Instant};

pub struct Sender {
    pub(super) stream: Stream,
    pub(super) recovery: LossRecovery,
    pub(super) app: Box<dyn Application>,
    pub(super) stopped: bool,
    /// True if the application will ask for nothing more.
    pub(super) finished: bool,
    pub(super) connected_at: Instant,
    /// True if the application asked for the connection without data. The transfer of nothing is done when the connection is open.
    pub(super) opens_alone: bool,
    /// The acknowledgements of repeated answers to its SYN.
    pub(super) repeated: Seldom,
    pub(super) transfer_started: Instant,
    pub(super) transfer_from: u64,
}

impl Sender {
    /// A sender that `app` drives. No connection is open yet.
    pub(super) fn new(config: Arc<Config>, app: Box<dyn Application>) -> Self {
        Sender {
            recovery: LossRecovery::new(&config),
            stream: Stream::new(config),
            app,
            stopped: false,
            finished: false,
            connected_at: Instant::ZERO,
            opens_alone: false,
            repeated: Seldom::default(),
            transfer_started: Instant::ZERO,
            transfer_from: 0,
        }
    }

    fn on_ack(&mut self, now: Instant, ack: Ack<'_>, cx: &mut FlowContext) {
        let Sender { stream, recovery, .. } = self;
        let is_idle = stream.una == stream.max && !recovery.hears_when_idle();
        if ack.next < stream.una || ack.next > stream.max || is_idle {
            return;
        }
        if ack.next > stream.una {
            stream.idle_deadline = None;
        }
        recovery.on_ack(stream, now, ack, cx);
        if stream.una == stream.max && stream.nxt == stream.end {
            // RFC 6298 rule 5.2: all is acknowledged. Unsent data under a window of less than one segment
            // keeps the timer.
            stream.rto_deadline = None;
            stream.idle_deadline = Some(now + stream.rtt.rto(&stream.config.rtt));
        }
        self.complete_transfer(now, cx);
    }

    fn on_timer(&mut self, now: Instant, cx: &mut FlowContext) {
        let Sender { stream, recovery, .. } = self;
        if let Connection::Opening { resent } = stream.connection {
            stream.connection = Connection::Opening { resent: resent.saturating_add(1) };
            stream.counters.timeouts += 1;
            if resent >= stream.config.syns_without_back_off() {
                stream.rtt.back_off(&stream.config.rtt);
            }
            stream.send_syn(now, cx);
        } else {
            recovery.on_timer(stream, now, cx);
        }
    }

    /// The present window in segments. While the rate is reduced, it is that of the reduction.
    fn reduced_window(&self) -> f64 {
        let config = &self.stream.config;
        let is_reduced = config.params.rate_reduction == Reduction::Proportional && !config.samples;
        match self.recovery.reduced().filter(|_| is_reduced) {
            Some(window) => window as f64,
            None => self.stream.control.window(),
        }
    }
}

impl Endpoint for Sender {
    fn start(&mut self, now: Instant, cx: &mut FlowContext) {
        let demand = self.ask(cx, |app, app_cx| app.on_start(now, app_cx));
        self.obey(now, demand, cx);
    }

    fn stop(&mut self, _now: Instant, _cx: &mut FlowContext) {
        self.stopped = true;
        self.stream.set_end(self.stream.max);
        if self.stream.una == self.stream.max {
            self.stream.rto_deadline = None;
            self.stream.connection = Connection::Closed;
        }
    }

    fn on_packet(&mut self, now: Instant, packet: &Packet, cx: &mut FlowContext) {
        let Body::Ack { ack, echo, ref sack, codepoint, syn, offered, answer } = packet.body else {
            if let Body::Choke { seq, .. } = packet.body {
                self.stream.on_choke(now, seq, self.recovery.inflation());
            } else {
                debug_assert!(false, "a sender gets acknowledgements and choke packets");
            }
            return;
        };
        if echo < self.connected_at {
            // It answers a packet of an earlier connection.
            return;
        }
        // What a repeated answer to the SYN tells is not echoed: it is acknowledged and dropped (Linux `tcp_validate_incoming`).
        let repeated = syn && matches!(self.stream.connection, Connection::Open);
        if self.stream.speaks && !self.stream.explicit && !repeated {
            self.stream.clock = self.stream.clock.max(answer.clock());
        }
        if let Some(known) = &mut self.stream.known {
            known.heard += 1;
        }
        match self.stream.connection {
            Connection::Opening { .. } if syn => {
                let agrees = self.stream.agrees(codepoint);
                self.on_syn_ack(now, echo, agrees, answer, cx);
            }
            Connection::Open if !syn => {
                self.on_ack(now, Ack { next: ack, echo, sack, codepoint, ece: false, marks: 0, offered, answer }, cx);
            }
            Connection::Open if self.repeated.may_answer(now) => self.acknowledge_answer(now, cx),
            Connection::Opening { .. } | Connection::Open | Connection::Closed => {}
        }
        cx.out.round_trip = std::mem::take(&mut self.stream.counters.round_trip);
    }

    fn next_deadline(&self) -> Option<Instant> {
        let app = if self.stopped || self.finished { None } else { self.app.next_deadline() };
        match (self.stream.rto_deadline, app) {
            (Some(rto), Some(app)) => Some(rto.min(app)),
            (rto, app) => rto.or(app),
        }
    }

    fn on_deadline(&mut self, now: Instant, cx: &mut FlowContext) {
        if self.stream.rto_deadline.is_some_and(|deadline| deadline <= now) {
            self.on_timer(now, cx);
        }
        if !self.stopped && !self.finished && self.app.next_deadline().is_some_and(|deadline| deadline <= now) {
            let demand = self.ask(cx, |app, app_cx| app.on_deadline(now, app_cx));
            self.obey(now, demand, cx);
        }
    }

    fn foretell(&mut self, known: Known) {
        self.stream.known = Some(Box::new(known));
    }

    fn prefetch(&self, part: Part) {
        match part {
            Part::Itself => prefetch(Some(self)),
            Part::Elsewhere => {
                prefetch(Some(&*self.stream.control));
                self.recovery.prefetch();
            }
        }
    }

    fn turn(&self) -> Turn {
        self.stream.slot.turn(self.next_deadline())
    }

    fn counters(&self) -> Counters {
        let counted = &self.stream.counters;
        Counters {
            packets_sent: counted.packets_sent,
            retransmits: counted.retransmits.into(),
            timeouts: counted.timeouts.into(),
            fast_recoveries: counted.fast_recoveries.into(),
            ecn_reductions: counted.ecn_reductions.into(),
            rtt_samples: counted.rtt_samples,
            rtt_sum: counted.rtt_sum,
            rtt_sum_squares: counted.rtt_sum_squares,
            ..Counters::default()
        }
    }

    fn standstill(&self, now: Instant) -> Duration {
        let present = if self.stream.una < self.stream.max {
            self.stream.standstill_in(now.since(self.stream.moved_at))
        } else {
            0
        };
        Duration::from_millis(self.stream.counters.standstill.max(present).into())
    }

    fn window(&self) -> Option<WindowState> {
        let mss = f64::from(self.stream.config.mss);
        Some(WindowState {
            segment: u64::from(self.stream.config.mss),
            cwnd: self.stream.control.window() * mss,
            reduced: self.reduced_window() * mss,
            ssthresh: self.stream.control.ssthresh() * mss,
            inflight: self.stream.max - self.stream.una - self.recovery.sacked(),
            srtt: self.stream.rtt.srtt(&self.stream.config.rtt),
            rto: self.stream.rtt.rto(&self.stream.config.rtt),
        })
    }
}
