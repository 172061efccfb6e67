//! The sending side of TCP: its state, its cuts and its timers. What it sends is in `sending.rs`, what it takes from acknowledgements in
//! `hearing.rs`; connections are opened in `connection.rs`; how losses are repaired is in `recovery.rs` (Tahoe, Reno, NewReno) and
//! `sack.rs`.

use std::sync::Arc;

use super::early::Early;
use super::rtt::RttEstimator;
use super::scoreboard::Scoreboard;
use super::strategy::Strategy;
use super::{Config, Details, Recovery, Reduction};
use crate::header::Answer;
use crate::packet::{Body, Codepoint, Packet, SackBlocks};
use crate::prefetch::{Part, prefetch};
use crate::traffic::Application;
use crate::transport::congestion::{Congestion, CongestionControl, Cut};
use crate::transport::{Counters, Endpoint, FlowContext, Known, WindowState};
use crate::units::{Coarse, Duration, Instant};

/// How far the connection is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Connection {
    Closed,
    /// A SYN is out, sent once or more often.
    Opening {
        resent: bool,
    },
    Open,
}

/// Why the window was last cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LastCut {
    None,
    Loss,
    Ecn,
    Timeout,
}

/// An acknowledgement, without what only the connection needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ack<'a> {
    /// Next byte that the receiver expects.
    pub next: u64,
    pub echo: Instant,
    pub sack: &'a SackBlocks,
    pub codepoint: Codepoint,
    /// It echoes congestion on a connection that has agreed to ECN.
    pub ece: bool,
    /// Marks that it tells of for the first time; any is answered by a cut, once per window of data.
    pub marks: u64,
    /// What the queues answered, in bytes on the wire.
    pub answer: Answer,
}

/// One sender.
#[expect(clippy::struct_excessive_bools, reason = "each is a condition of its own, in the words of the RFCs")]
pub struct Sender {
    pub(super) config: Arc<Config>,
    pub(super) control: Box<dyn CongestionControl>,
    /// The control wants to hear of every acknowledgement.
    pub(super) listens: bool,
    /// The control asks the routers on the way.
    pub(super) explicit: bool,
    pub(super) app: Box<dyn Application>,
    pub(super) connection: Connection,
    pub(super) stopped: bool,
    /// The application will ask for nothing more.
    pub(super) finished: bool,

    /// Where the connection's data begins.
    pub(super) start: u64,
    /// First byte not acknowledged.
    pub(super) una: u64,
    /// Next byte to send; below `max` after a timeout.
    pub(super) nxt: u64,
    /// Behind the highest byte sent.
    pub(super) max: u64,
    /// Behind the last byte that the application has written.
    pub(super) end: u64,

    /// `max` when the last round trip began, for controls that listen and for XECN.
    pub(super) round_end: u64,
    /// `max` at the last cut: RFC 6582's recover, RFC 6675's RecoveryPoint.
    pub(super) recover: u64,
    pub(super) last_cut: LastCut,
    pub(super) recovering: bool,
    /// The timer has been restarted for a partial acknowledgement of this recovery.
    pub(super) partial_seen: bool,
    /// The timer has expired since the last new acknowledgement.
    pub(super) timed_out: bool,
    pub(super) dup_acks: u32,
    /// Segments sent by limited transmit since the last new acknowledgement.
    pub(super) limited: u32,
    /// Segments that have left the network, by which the window is inflated in fast recovery.
    pub(super) inflation: f64,
    /// What is known of data above `una`; absent where nothing is.
    pub(super) scoreboard: Option<Box<Scoreboard>>,

    /// Both ends have agreed to ECN.
    pub(super) ecn: bool,
    /// XECN's Counter: marks told of in this window.
    pub(super) counted: u32,
    /// When segments were sent, for controls that retransmit early.
    pub(super) early: Option<Box<Early>>,
    /// The next segment shall carry PSH.
    pub(super) push: bool,
    /// The next new segment shall carry CWR.
    pub(super) cwr_pending: bool,
    /// An echo came while the window was one segment: the back-off stays until echoes stop.
    pub(super) ecn_backoff: bool,

    pub(super) rtt: RttEstimator,
    /// The segment being timed: behind which byte, and when it was sent.
    pub(super) timed: Option<(u64, Instant)>,
    pub(super) rto_deadline: Option<Instant>,
    /// When the timer would have expired since nothing is outstanding.
    pub(super) idle_deadline: Option<Instant>,
    /// When `una` moved last, or sending began.
    pub(super) moved_at: Instant,

    pub(super) connected_at: Instant,
    /// The connection was asked for without data: the transfer of nothing is done when it is open.
    pub(super) opens_alone: bool,
    pub(super) transfer_started: Instant,
    pub(super) transfer_from: u64,
    pub(super) counters: Counted,
    /// In replays.
    pub(super) known: Option<Box<Known>>,
}

/// What a sender counts of [`Counters`].
///
/// Bound: retransmissions and the seldom events have 32 bits, 4e9 for a flow.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counted {
    pub packets_sent: u64,
    pub rtt_samples: u64,
    pub rtt_sum: f64,
    pub rtt_sum_squares: f64,
    pub retransmits: u32,
    pub timeouts: u32,
    pub fast_recoveries: u32,
    pub ecn_reductions: u32,
    /// Longest time in milliseconds for which `una` stood still, of those longer than three timeouts.
    pub standstill: u32,
    /// The last sample of the round trip, until the engine has it; zero: none.
    pub round_trip: Coarse,
}

impl Sender {
    /// A sender that `app` drives; nothing is open yet.
    pub(super) fn new(config: Arc<Config>, app: Box<dyn Application>) -> Self {
        let control = config.law();
        let rtt = RttEstimator::new(&config.rtt, Duration::ZERO);
        Sender {
            listens: control.listens(),
            explicit: control.is_explicit(),
            config,
            control,
            app,
            connection: Connection::Closed,
            stopped: false,
            finished: false,
            start: 0,
            una: 0,
            nxt: 0,
            max: 0,
            end: 0,
            round_end: 0,
            recover: 0,
            last_cut: LastCut::None,
            recovering: false,
            partial_seen: false,
            timed_out: false,
            dup_acks: 0,
            limited: 0,
            inflation: 0.0,
            scoreboard: None,
            ecn: false,
            counted: 0,
            early: None,
            push: false,
            cwr_pending: false,
            ecn_backoff: false,
            rtt,
            timed: None,
            rto_deadline: None,
            idle_deadline: None,
            moved_at: Instant::ZERO,
            connected_at: Instant::ZERO,
            opens_alone: false,
            transfer_started: Instant::ZERO,
            transfer_from: 0,
            counters: Counted::default(),
            known: None,
        }
    }

    // ---- Cuts.

    /// What a cut starts from, in segments.
    pub(super) fn used(&self, now: Instant) -> Congestion {
        let used = match self.config.laws.cut {
            // RFC 5681 §3.2 step 2: data sent by limited transmit does not count.
            // §3.1 asks for no more than what is in flight; while losses follow on losses more is than the window
            // allows, and a gentle law would grow by its cuts.
            Cut::Flight => {
                let flight = (self.max - self.una) as f64 / f64::from(self.config.mss) - f64::from(self.limited);
                flight.min(self.control.window())
            }
            Cut::Cwnd => self.control.window(),
            Cut::Whole => libm::floor(self.control.window()),
            Cut::Window => (self.control.window() + self.inflation).min(self.config.window as f64),
        };
        Congestion { now, used: used.max(0.0), again: false }
    }

    /// Whether a loss found now may cut the window. The first data of a connection always may.
    pub(super) fn may_cut(&self) -> bool {
        let behind = match (self.config.recovery, self.config.details) {
            // RFC 6675 §5 and §5.1: all that had been sent is acknowledged. SACK tells new losses from resent duplicates.
            (Recovery::Sack, Details::Rfc) => self.una >= self.recover,
            // RFC 6582 §3.2 step 2: and more than that.
            _ => self.una > self.recover,
        };
        !self.config.careful || behind || self.una == self.start
    }

    /// RFC 3168 §6.1.2: an echo cuts the window as a loss would, once per window of data.
    pub(super) fn on_echo(&mut self, now: Instant, ack: u64) {
        let after_timeout = self.config.details == Details::Ns2 && self.last_cut == LastCut::Timeout;
        if (ack <= self.recover && !after_timeout) || !self.control.answers_echoes() {
            return;
        }
        self.recover = self.max;
        self.last_cut = LastCut::Ecn;
        if self.control.window() <= 1.0 {
            // The window cannot shrink further: slow down by the timer (RFC 3168 §6.1.2).
            if std::mem::replace(&mut self.ecn_backoff, true) {
                self.rtt.back_off(&self.config.rtt);
            }
        } else {
            self.ecn_backoff = false;
        }
        let event = self.used(now);
        self.control.on_ecn(&event);
        self.cwr_pending = true;
        self.counters.ecn_reductions += 1;
    }

    /// The window that holds now, in segments: while the rate is being reduced, that of the reduction.
    fn reduced_window(&self) -> f64 {
        let reduced = self.scoreboard.as_ref().and_then(|board| board.rack.as_ref()).and_then(|rack| rack.reduced());
        match reduced.filter(|_| self.config.rate_reduction == Reduction::Proportional && !self.config.samples) {
            Some(window) => window as f64,
            None => self.control.window(),
        }
    }

    // ---- Timers.

    pub(super) fn restart_timer(&mut self, now: Instant) {
        self.rto_deadline = Some(now + self.rtt.rto(&self.config.rtt));
    }

    fn on_timeout(&mut self, now: Instant, cx: &mut FlowContext) {
        if let Connection::Opening { .. } = self.connection {
            self.connection = Connection::Opening { resent: true };
            self.counters.timeouts += 1;
            self.rtt.back_off(&self.config.rtt);
            self.send_syn(now, cx);
            return;
        }
        if self.config.strategy == Strategy::Rack {
            self.on_rack_deadline(now, cx);
            return;
        }
        let outstanding = self.una < self.max;
        let repeated = self.timed_out;
        self.abandon_recovery(now);
        if (self.config.recovery, self.config.details) != (Recovery::Tahoe, Details::Ns2) {
            // ns-2's Tahoe goes on counting duplicates over a timeout.
            self.dup_acks = 0;
        }
        self.limited = 0;
        self.inflation = 0.0;
        self.recovering = false;
        self.partial_seen = false;
        self.timed_out = true;
        self.timed = None;
        self.forget_or_keep_sack();
        let event = self.used(now);
        let holds_threshold = match self.config.details {
            // After an ECN cut in the same window the threshold has been set.
            Details::Ns2 => self.last_cut == LastCut::Ecn,
            // RFC 5681 §3.1.
            Details::Rfc => repeated,
            Details::Linux => false,
        };
        self.control.on_timeout((outstanding && !holds_threshold).then_some(&event));
        self.cwr_pending = true;
        self.recover = self.max;
        self.last_cut = LastCut::Timeout;
        if outstanding {
            self.counters.timeouts += 1;
            self.rtt.back_off(&self.config.rtt);
        }
        self.give_up_flight();
        self.restart_timer(now);
        self.pump(now, u32::MAX, cx);
    }
}

impl Endpoint for Sender {
    fn start(&mut self, now: Instant, cx: &mut FlowContext) {
        let demand = self.ask(cx, |app, app_cx| app.on_start(now, app_cx));
        self.obey(now, demand, cx);
    }

    fn stop(&mut self, _now: Instant, _cx: &mut FlowContext) {
        self.stopped = true;
        self.end = self.max;
        if self.una == self.max {
            self.rto_deadline = None;
            self.connection = Connection::Closed;
        }
    }

    fn on_packet(&mut self, now: Instant, packet: &Packet, cx: &mut FlowContext) {
        let Body::Ack { ack, echo, ref sack, codepoint, syn, answer, .. } = packet.body else {
            if let Body::Choke { seq, .. } = packet.body {
                self.on_choke(now, seq);
            } else {
                debug_assert!(false, "a sender gets acknowledgements and choke packets");
            }
            return;
        };
        if echo < self.connected_at {
            // It answers a packet of an earlier connection.
            return;
        }
        if let Some(known) = &mut self.known {
            known.heard += 1;
        }
        match self.connection {
            Connection::Opening { .. } if syn => self.on_syn_ack(now, echo, codepoint.ece(), answer, cx),
            Connection::Open if !syn => {
                self.on_ack(now, Ack { next: ack, echo, sack, codepoint, ece: false, marks: 0, answer }, cx);
            }
            Connection::Opening { .. } | Connection::Open | Connection::Closed => {}
        }
        cx.out.round_trip = std::mem::take(&mut self.counters.round_trip);
    }

    fn next_deadline(&self) -> Option<Instant> {
        let app = if self.stopped || self.finished { None } else { self.app.next_deadline() };
        match (self.rto_deadline, app) {
            (Some(rto), Some(app)) => Some(rto.min(app)),
            (rto, app) => rto.or(app),
        }
    }

    fn on_deadline(&mut self, now: Instant, cx: &mut FlowContext) {
        if self.rto_deadline.is_some_and(|deadline| deadline <= now) {
            self.on_timeout(now, cx);
        }
        if !self.stopped && !self.finished && self.app.next_deadline().is_some_and(|deadline| deadline <= now) {
            let demand = self.ask(cx, |app, app_cx| app.on_deadline(now, app_cx));
            self.obey(now, demand, cx);
        }
    }

    fn foretell(&mut self, known: Known) {
        self.known = Some(Box::new(known));
    }

    fn prefetch(&self, part: Part) {
        match part {
            Part::Itself => prefetch(Some(self)),
            Part::Elsewhere => {
                prefetch(Some(&*self.control));
                prefetch(self.scoreboard.as_deref());
            }
        }
    }

    fn counters(&self) -> Counters {
        let counted = &self.counters;
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
        let present = if self.una < self.max { self.standstill_in(now.since(self.moved_at)) } else { 0 };
        Duration::from_millis(self.counters.standstill.max(present).into())
    }

    fn window(&self) -> Option<WindowState> {
        let mss = f64::from(self.config.mss);
        let sacked = self.scoreboard.as_ref().map_or(0, |board| board.sacked.total());
        Some(WindowState {
            segment: u64::from(self.config.mss),
            cwnd: self.control.window() * mss,
            reduced: self.reduced_window() * mss,
            ssthresh: self.control.ssthresh() * mss,
            inflight: self.max - self.una - sacked,
            srtt: self.rtt.srtt(&self.config.rtt),
            rto: self.rtt.rto(&self.config.rtt),
        })
    }
}
