//! The byte stream of a connection: the data that has been sent and acknowledged, the window with its cuts, and the timer. Recoveries act
//! on it. Its sending is in `sending.rs`, and its reading of acknowledgements in `hearing.rs`.

use std::sync::Arc;

use super::accurate_ecn::Accurate;
use super::early::Early;
use super::recovery::Slot;
use super::rtt::RttEstimator;
use super::send_buffer::SendBuffer;
use super::{Config, Details, Recovery, RtoRestart};
use crate::header::Answer;
use crate::packet::{Codepoint, SackBlocks};
use crate::transport::Known;
use crate::transport::congestion::controlled::Controlled;
use crate::transport::congestion::{Cause, Congestion, Cut};
use crate::units::{Coarse, Duration, Instant};

/// The state of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Connection {
    Closed,
    /// A SYN is in flight. It has been sent again this number of times.
    Opening {
        resent: u8,
    },
    Open,
}

/// An acknowledgement, without the parts that only the connection needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ack<'a> {
    /// The next byte that the receiver expects.
    pub next: u64,
    pub echo: Instant,
    pub sack: &'a SackBlocks,
    pub codepoint: Codepoint,
    /// True if it echoes congestion on a connection that has agreed to ECN.
    pub ece: bool,
    /// The marks that it reports for the first time. Any mark is answered by a cut, once in a window of data.
    pub marks: u64,
    /// The receiver's window in the units of its scale. Zero says that it offers none.
    pub offered: u16,
    /// The answer of the queues, in bytes on the wire.
    pub answer: Answer,
}

/// The state of marks that the two ends exchange.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Marks {
    /// True if both ends have agreed to ECN.
    pub agreed: bool,
    /// XECN's Counter: the marks reported in this window.
    pub counted: u32,
    /// True if the next new segment shall carry CWR.
    pub cwr_pending: bool,
    /// True if an echo arrived while the window was one segment. The back-off then stays until echoes stop.
    pub backs_off: bool,
}

/// The stream of one sender.
#[expect(clippy::struct_excessive_bools, reason = "each is a condition of its own, in the words of the RFCs")]
pub struct Stream {
    pub(super) config: Arc<Config>,
    pub(super) control: Controlled,
    /// True if the control hears of every acknowledgement.
    pub(super) listens: bool,
    /// True if the control asks the routers on the path.
    pub(super) explicit: bool,
    /// True if segments carry a message: to the routers, or the echo of the receiver's clock.
    pub(super) speaks: bool,
    pub(super) connection: Connection,

    /// The first byte of the connection's data.
    pub(super) start: u64,
    /// The first byte that is not acknowledged.
    pub(super) una: u64,
    /// The next byte to send. It is below `max` after a timeout.
    pub(super) nxt: u64,
    /// The byte behind the highest one sent.
    pub(super) max: u64,
    /// The byte behind the last one that the application wants to send.
    pub(super) end: u64,
    /// The byte behind the last one that it has written. This is `end`, unless a send buffer is full.
    pub(super) written: u64,
    pub(super) buffer: Option<Box<SendBuffer>>,

    /// The value of `max` when the last round trip began, for controls that listen and for XECN.
    pub(super) round_end: u64,
    /// The value of `max` at the last cut: RFC 6582's recover, RFC 6675's RecoveryPoint.
    pub(super) recover: u64,
    /// The cause of the last cut of the window.
    pub(super) last_cut: Option<Cause>,
    /// True if the timer has expired since the last new acknowledgement.
    pub(super) timed_out: bool,
    pub(super) dup_acks: u32,
    /// The segments sent by limited transmit since the last new acknowledgement.
    pub(super) limited: u32,

    pub(super) marks: Marks,
    /// Present on a connection with accurate ECN.
    pub(super) accurate: Option<Box<Accurate>>,
    /// The sending times of segments, for controls that retransmit early.
    pub(super) early: Option<Box<Early>>,
    /// True if the next segment shall carry PSH.
    pub(super) push: bool,
    /// The time at which the next segment counts as sent, if that is later than now.
    pub(super) stamp: Option<Instant>,
    /// The receiver's clock in milliseconds, as the last acknowledgement told it.
    pub(super) clock: u32,

    pub(super) rtt: RttEstimator,
    /// The segment that is timed: the byte behind it, and the time at which it was sent.
    pub(super) timed: Option<(u64, Instant)>,
    pub(super) rto_deadline: Option<Instant>,
    /// The place of the timer on Linux's wheel.
    pub(super) slot: Slot,
    /// The time at which the timer would have expired, while nothing is outstanding.
    pub(super) idle_deadline: Option<Instant>,
    /// The time at which `una` moved last, or sending began.
    pub(super) moved_at: Instant,

    pub(super) counters: Counted,
    /// Present in replays: the properties of the recorded machine.
    pub(super) known: Option<Box<Known>>,
}

/// The part of [`Counters`](crate::transport::Counters) that a sender counts.
///
/// Bound: retransmissions and rare events have 32 bits, 4e9 for a flow.
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
    /// The longest time in milliseconds for which `una` did not move, among those longer than three timeouts.
    pub standstill: u32,
    /// The last sample of the round trip, until the engine has it. Zero says that there is none.
    pub round_trip: Coarse,
}

impl Stream {
    /// A stream whose connection is not open yet.
    pub(super) fn new(config: Arc<Config>) -> Self {
        let mut control = config.law();
        let rtt = RttEstimator::new(&config.rtt, Duration::ZERO);
        Stream {
            listens: control.listens(),
            explicit: control.explicit().is_some(),
            speaks: control.explicit().is_some() || config.clocks,
            config,
            control,
            connection: Connection::Closed,
            start: 0,
            una: 0,
            nxt: 0,
            max: 0,
            end: 0,
            written: 0,
            buffer: None,
            round_end: 0,
            recover: 0,
            last_cut: None,
            timed_out: false,
            dup_acks: 0,
            limited: 0,
            marks: Marks::default(),
            accurate: None,
            early: None,
            push: false,
            stamp: None,
            clock: 0,
            rtt,
            timed: None,
            rto_deadline: None,
            slot: Slot::default(),
            idle_deadline: None,
            moved_at: Instant::ZERO,
            counters: Counted::default(),
            known: None,
        }
    }

    /// The application wants to send up to this byte.
    pub(super) fn set_end(&mut self, end: u64) {
        self.end = end;
        if self.buffer.is_none() || self.written > end {
            self.written = end;
        }
    }

    // ---- Cuts.

    /// The event of a cut, with the value from which the cut starts. The window is inflated by `inflation` segments.
    pub(super) fn used(&self, now: Instant, cause: Cause, inflation: f64) -> Congestion {
        let used = match self.config.counting.cut {
            // RFC 5681 §3.2 step 2: data sent by limited transmit does not count.
            // §3.1 asks for no more than what is in flight; while losses follow on losses more is than the window
            // allows, and a gentle law would grow by its cuts.
            Cut::Flight => {
                let flight = (self.max - self.una) as f64 / f64::from(self.config.mss) - f64::from(self.limited);
                flight.min(self.control.window())
            }
            Cut::Cwnd => self.control.window(),
            Cut::Window => (self.control.window() + inflation).min(self.config.window as f64),
            Cut::WholeWindow => libm::floor((self.control.window() + inflation).min(self.config.window as f64)),
        };
        Congestion { now, used: used.max(0.0), cause }
    }

    /// True if a loss that is found now may cut the window. The first data of a connection always may.
    pub(super) fn may_cut(&self) -> bool {
        let behind = match (self.config.params.recovery, self.config.params.details) {
            // RFC 6675 §5 and §5.1: all that had been sent is acknowledged. SACK tells new losses from resent duplicates.
            (Recovery::Sack | Recovery::Rack, Details::Rfc) => self.una >= self.recover,
            // RFC 6582 §3.2 step 2: and more than that.
            _ => self.una > self.recover,
        };
        !self.config.params.careful || behind || self.una == self.start
    }

    /// RFC 3168 §6.1.2: an echo cuts the window like a loss, once in a window of data.
    pub(super) fn on_echo(&mut self, now: Instant, ack: u64, inflation: f64) {
        let after_timeout = self.config.params.details == Details::Ns2 && self.last_cut == Some(Cause::Timeout);
        if (ack <= self.recover && !after_timeout) || !self.control.needs().answers_echoes {
            return;
        }
        self.recover = self.max;
        self.last_cut = Some(Cause::Echo);
        if self.control.window() <= 1.0 {
            // The window cannot shrink further: slow down by the timer (RFC 3168 §6.1.2).
            if std::mem::replace(&mut self.marks.backs_off, true) {
                self.rtt.back_off(&self.config.rtt);
            }
        } else {
            self.marks.backs_off = false;
        }
        let event = self.used(now, Cause::Echo, inflation);
        self.control.on_congestion_event(&event);
        self.marks.cwr_pending = true;
        self.counters.ecn_reductions += 1;
    }

    /// Cuts the window for a loss and begins a recovery. Returns false if the window may not be cut now. The window is inflated by
    /// `inflation` segments.
    pub(super) fn begin_recovery(&mut self, now: Instant, inflation: f64) -> bool {
        if self.may_cut() {
            let event = self.used(now, Cause::Loss, inflation);
            self.recover = self.max;
            self.control.on_congestion_event(&event);
            self.marks.cwr_pending = true;
        } else if self.last_cut != Some(Cause::Echo) {
            return false;
        }
        // After an ECN cut in the same window the loss is repaired without another one (RFC 3168 §6.1.2).
        self.last_cut = Some(Cause::Loss);
        self.timed = None;
        if let Some(early) = &mut self.early {
            early.on_retransmission();
        }
        self.restart_timer_for_head(now);
        self.counters.fast_recoveries += 1;
        true
    }

    /// The timer has expired. Cuts the window and does the other changes that every recovery needs which does not detect losses by time.
    pub(super) fn cut_for_timeout(&mut self, now: Instant) {
        let outstanding = self.una < self.max;
        let repeated = std::mem::replace(&mut self.timed_out, true);
        if (self.config.params.recovery, self.config.params.details) != (Recovery::Tahoe, Details::Ns2) {
            // ns-2's Tahoe goes on counting duplicates over a timeout.
            self.dup_acks = 0;
        }
        self.limited = 0;
        self.timed = None;
        let event = self.used(now, Cause::Timeout, 0.0);
        let holds_threshold = match self.config.params.details {
            // After an ECN cut in the same window the threshold has been set.
            Details::Ns2 => self.last_cut == Some(Cause::Echo),
            // RFC 5681 §3.1.
            Details::Rfc => repeated,
        };
        self.control.on_timeout((outstanding && !holds_threshold).then_some(&event));
        self.marks.cwr_pending = true;
        self.recover = self.max;
        self.last_cut = Some(Cause::Timeout);
        if outstanding {
            self.counters.timeouts += 1;
            self.rtt.back_off(&self.config.rtt);
        }
    }

    // ---- Timers.

    pub(super) fn restart_timer(&mut self, now: Instant) {
        self.rto_deadline = Some(now + self.rtt.rto(&self.config.rtt));
    }

    /// RFC 6298 has no restart for a fast retransmission. ns-2 and Linux have one.
    pub(super) fn restart_timer_for_head(&mut self, now: Instant) {
        if self.config.params.rto_restart != RtoRestart::Acks {
            self.restart_timer(now);
        }
    }
}
