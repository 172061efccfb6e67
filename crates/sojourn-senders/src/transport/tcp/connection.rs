//! The connection around the sender: the demand of the application, the opening, and one transfer after the other. Sequence numbers go on
//! from one connection to the next.

use super::recovery::{LossRecovery, Recover};
use super::rtt::RttEstimator;
use super::rtt_kernel::{in_micros, in_millis};
use super::scale;
use super::seldom::Seldom;
use super::send_buffer::SendBuffer;
use super::sender::Sender;
use super::strategy::Strategy;
use super::stream::{Connection, Marks, Stream};
use super::{Arrivals, Details, IdleRestart};
use crate::header::Answer;
use crate::packet::{Body, Ecn};
use crate::traffic::{Amount, AppContext, Application, Demand};
use crate::transport::congestion::{Adjustment, Cause, Cut, Milestone, Setup, whole};
use crate::transport::{Completion, FlowContext};
use crate::units::{Bytes, Duration, Instant};

/// The sequence number behind data without end.
const ENDLESS: u64 = u64::MAX;

impl Sender {
    // ---- The application.

    pub(super) fn ask(
        &mut self,
        cx: &mut FlowContext,
        question: impl FnOnce(&mut dyn Application, &mut AppContext<'_>) -> Demand,
    ) -> Demand {
        let packet = Bytes(u64::from(self.stream.config.packet));
        let header = Bytes(u64::from(self.stream.config.packet - self.stream.config.mss));
        question(self.app.as_mut(), &mut AppContext { rng: cx.rng, packet, header })
    }

    pub(super) fn obey(&mut self, now: Instant, demand: Demand, cx: &mut FlowContext) {
        self.finished |= demand.finish;
        let writes = demand.write != Amount::Nothing;
        let idle = self.stream.una == self.stream.end;
        debug_assert!(idle || !demand.connect, "a new connection while data of the old one is outstanding");
        if idle && (demand.connect || (writes && self.stream.connection == Connection::Closed)) {
            self.connect(now, cx);
            self.opens_alone = !writes;
            if self.opens_alone && self.stream.connection == Connection::Open {
                return self.complete_opening(now, cx);
            }
        }
        if idle && writes {
            self.transfer_started = now;
            self.transfer_from = self.stream.end;
            let sent_at = self.recovery.sent_at();
            self.stream.restart_after_idle(now, sent_at);
        }
        match demand.write {
            Amount::Nothing => {}
            Amount::Bytes(Bytes(bytes)) | Amount::Packet(Bytes(bytes)) => {
                self.stream.set_end(self.stream.end.saturating_add(bytes));
            }
            Amount::Endless => self.stream.set_end(ENDLESS),
        }
        if self.stream.connection == Connection::Open {
            self.send(now, cx);
        }
    }

    pub(super) fn complete_transfer(&mut self, now: Instant, cx: &mut FlowContext) {
        if self.stream.una != self.stream.end || self.transfer_from == self.stream.end || self.stopped {
            return;
        }
        if self.app.reports_completions() {
            let bytes = self.stream.end - self.transfer_from;
            cx.out.complete(Completion { started: self.transfer_started, finished: now, bytes });
        }
        self.transfer_from = self.stream.end;
        let demand = self.ask(cx, |app, app_cx| app.on_transfer_complete(now, app_cx));
        self.obey(now, demand, cx);
    }

    /// A connection is open for which the application asked without data.
    fn complete_opening(&mut self, now: Instant, cx: &mut FlowContext) {
        self.opens_alone = false;
        if self.app.reports_completions() {
            cx.out.complete(Completion { started: self.connected_at, finished: now, bytes: 0 });
        }
        let demand = self.ask(cx, |app, app_cx| app.on_transfer_complete(now, app_cx));
        self.obey(now, demand, cx);
    }

    // ---- The connection.

    /// Opens a connection whose data follows the data of the last one.
    fn connect(&mut self, now: Instant, cx: &mut FlowContext) {
        self.connected_at = now;
        self.repeated = Seldom::default();
        self.recovery = LossRecovery::new(&self.stream.config);
        self.stream.connect(now, cx);
    }

    /// An answer to the SYN has arrived, perhaps again.
    pub(super) fn acknowledge_answer(&mut self, now: Instant, cx: &mut FlowContext) {
        self.stream.acknowledge_answer(now, cx);
        self.recovery.on_acknowledged(&self.stream, now);
    }

    /// Sends what the recovery allows.
    fn send(&mut self, now: Instant, cx: &mut FlowContext) {
        self.recovery.send(&mut self.stream, now, cx);
    }

    /// The answer to a SYN has arrived. `answer` is the answer of the queues to the SYN.
    pub(super) fn on_syn_ack(
        &mut self,
        now: Instant,
        echo: Instant,
        agreed: bool,
        answer: Answer,
        cx: &mut FlowContext,
    ) {
        let Connection::Opening { resent: times } = self.stream.connection else { return };
        let resent = times > 0;
        if !resent || self.stream.config.params.timestamps {
            // Linux times a SYN that was sent again by its timestamp (`tcp_ack_update_rtt`).
            let trip = match self.stream.times_segments() {
                true if resent => in_millis(now, echo),
                true => in_micros(now, echo),
                false => now.since(echo),
            };
            self.stream.sample_rtt(echo, trip);
            self.recovery.on_handshake(&self.stream, trip);
            self.stream.rtt.end_back_off();
        } else if self.stream.config.params.details != Details::Ns2 {
            self.stream.rtt.restart_after_syn_loss();
        }
        // Linux `tcp_try_undo_spurious_syn`: the answer to the first SYN shows that none was lost.
        let is_late =
            self.stream.config.params.undo && self.stream.config.params.timestamps && echo == self.connected_at;
        let is_lost = times > self.stream.config.syns_forgiven() && !is_late;
        self.stream.establish(now, is_lost, agreed);
        self.acknowledge_answer(now, cx);
        if self.stream.explicit {
            self.stream.grant(now, echo, answer);
        }
        if resent && self.stream.marks.agreed && self.stream.config.params.details == Details::Ns2 {
            // After the SYN's timeout ns-2 takes the negotiation's echo for one of congestion.
            self.stream.last_cut = Some(Cause::Echo);
            self.stream.marks.backs_off = true;
            self.stream.marks.cwr_pending = true;
            self.stream.counters.ecn_reductions += 1;
        }
        if resent && self.stream.marks.agreed && self.stream.config.params.arrivals == Arrivals::Linux {
            // The SYN's timeout counts as any other (`tcp_enter_loss`): the first segment says that the window has been reduced.
            self.stream.marks.cwr_pending = true;
        }
        self.stream.rto_deadline = None;
        if self.stream.una < self.stream.max {
            // Data followed the SYN; until now its acknowledgement could not be heard.
            self.stream.restart_timer(now);
            self.stream.moved_at = now;
        }
        if self.opens_alone && !self.stopped {
            return self.complete_opening(now, cx);
        }
        match self.stream.known.as_ref().map(|known| known.writes).filter(|&writes| writes > now) {
            Some(writes) => self.stream.rto_deadline = Some(writes),
            None => self.send(now, cx),
        }
    }
}

impl Stream {
    /// Opens a connection whose data follows the data of the last one.
    fn connect(&mut self, now: Instant, cx: &mut FlowContext) {
        self.start = self.una;
        self.recover = self.una;
        self.round_end = self.una;
        self.last_cut = None;
        self.timed_out = false;
        self.dup_acks = 0;
        self.limited = 0;
        let needs = self.control.needs();
        let mss = self.config.mss.into();
        let window = scale::first_window(mss, self.config.receive_buffer);
        self.buffer =
            self.config.send_buffer.map(|most| Box::new(SendBuffer::new(most, needs.buffered.into(), mss, window)));
        self.early = needs.early.then(Box::default);
        self.marks = Marks { agreed: self.marks.agreed, ..Marks::default() };
        self.timed = None;
        self.rto_deadline = None;
        self.idle_deadline = None;
        // Connections do not share the phase of their clocks' ticks.
        let phase = self.config.rtt.tick.mul_f64(cx.rng.uniform());
        self.rtt = RttEstimator::new(&self.config.rtt, phase);
        self.control.on_milestone(Milestone::Begins(cx.rng));
        if self.config.params.handshake {
            self.begin_windows(false);
            self.connection = Connection::Opening { resent: 0 };
            self.send_syn(now, cx);
        } else {
            self.establish(now, false, true);
        }
    }

    /// The connection is open. `agreed` says that the receiver has agreed to ECN.
    fn establish(&mut self, now: Instant, syn_lost: bool, agreed: bool) {
        self.connection = Connection::Open;
        self.marks.agreed = self.config.ecn && agreed;
        let is_accurate = self.marks.agreed && self.config.ecn_feedback.is_accurate();
        self.accurate = is_accurate.then(Box::default);
        self.begin_windows(syn_lost);
        let smoothed = self.rtt.srtt(&self.config.rtt);
        self.control.on_milestone(Milestone::Opened { now, smoothed });
    }

    fn begin_windows(&mut self, syn_lost: bool) {
        let config = &self.config;
        let mut setup = Setup {
            window: config.initial_window,
            ssthresh: config.initial_ssthresh,
            mss: config.mss,
            packet: config.packet,
            counting: config.counting,
            paced: config.params.pacing,
            phases: config.strategy == Strategy::Rack,
        };
        if syn_lost {
            // RFC 5681 §3.1: after a lost SYN the initial window is one segment.
            setup.window = 1.0;
            if matches!(config.counting.cut, Cut::Window | Cut::WholeWindow) {
                // In ns-2 the SYN's timeout halves a window of one: the threshold becomes its minimum.
                setup.ssthresh = 2.0;
            }
        }
        self.control.on_connect(&setup);
    }

    pub(super) fn send_syn(&mut self, now: Instant, cx: &mut FlowContext) {
        let resent = matches!(self.connection, Connection::Opening { resent } if resent > 0);
        self.counters.retransmits += u32::from(resent);
        let offers = self.config.ecn && !(resent && self.config.params.ecn_fallback);
        let body = Body::Data {
            seq: self.start,
            len: 0,
            sent_at: now,
            syn: true,
            cwr: offers,
            retransmit: resent,
            push: false,
            header: if self.speaks { self.header() } else { None },
        };
        // RFC 3168 §6.1.1: a SYN offers ECN by CWR and ECE, and is not ECN-capable itself.
        let ecn = if offers && self.config.ecn_always { self.config.ecn_codepoint.ecn() } else { Ecn::NotEct };
        self.transmit(now, self.config.syn_size, ecn, body, cx);
        let timeout = self.rtt.rto(&self.config.rtt);
        self.rto_deadline = Some(self.set_timer(now, timeout));
        self.slot.settle(cx.out);
    }

    /// Acknowledges an answer to a SYN, without data (Linux `tcp_rcv_synsent_state_process`, `tcp_send_challenge_ack`).
    fn acknowledge_answer(&mut self, now: Instant, cx: &mut FlowContext) {
        if !self.config.params.handshake_ack {
            return;
        }
        let (seq, len) = (self.max, 0);
        let header = if self.speaks && !self.explicit { self.header() } else { None };
        let body =
            Body::Data { seq, len, sent_at: now, syn: false, cwr: false, retransmit: false, push: false, header };
        let is_capable = self.marks.agreed && self.config.ecn_always;
        let ecn = if is_capable { self.config.ecn_codepoint.ecn() } else { Ecn::NotEct };
        self.transmit(now, self.config.ack_size, ecn, body, cx);
    }

    /// RFC 5681 §4.1: after an idle time the window no longer shows the state of the network. The last packet was sent at `sent_at`, if
    /// recovery knows it. Otherwise the time of the last new acknowledgement counts.
    pub(super) fn restart_after_idle(&mut self, now: Instant, sent_at: Option<Instant>) {
        if self.config.params.idle_restart == IdleRestart::Decay {
            return self.decay_after_idle(now, sent_at);
        }
        if self.idle_deadline.take().is_none_or(|deadline| now < deadline) {
            return;
        }
        match self.config.params.idle_restart {
            // A law that paces by samples does not burst after an idle time.
            _ if self.config.samples => {}
            IdleRestart::Off | IdleRestart::Decay => {}
            IdleRestart::Initial => self.control.adjust(Adjustment::Limit(self.config.initial_window)),
            IdleRestart::One => {
                self.control.adjust(Adjustment::Limit(1.0));
                self.recover = self.max;
                self.last_cut = Some(Cause::Timeout);
            }
        }
    }

    /// RFC 2861 §3.1, as in Linux's `tcp_cwnd_restart`.
    fn decay_after_idle(&mut self, now: Instant, sent_at: Option<Instant>) {
        let (silent, rto) = (now.since(sent_at.unwrap_or(self.moved_at)), self.rtt.rto(&self.config.rtt));
        // A law that paces by samples does not burst after an idle time.
        if self.max == self.start || silent <= rto || self.config.samples {
            return;
        }
        self.control.adjust(Adjustment::Remember);
        let mut window = whole(self.control.window());
        let mut left = silent.saturating_sub(rto);
        while left > Duration::ZERO && window > self.config.initial_window {
            window = whole(window / 2.0);
            left = left.saturating_sub(rto);
        }
        self.control.adjust(Adjustment::Limit(window.max(self.config.initial_window)));
    }
}
