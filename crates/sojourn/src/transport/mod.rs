//! The transport seam: what sends, what receives, and how the engine talks to them.
//!
//! Everything here is sans-I/O. An [`Endpoint`] is handed time, packets and a [`FlowContext`]; it
//! answers by pushing packets into [`FlowContext::out`] and by naming its next deadline. Each flow
//! has two endpoints: the sending side (an [`Application`] over a sender) and the receiving side.
//! What the sending side pushes goes forward, what the receiving side pushes goes backward.

pub mod congestion;
pub mod connections;
pub mod declared;
pub mod entry;
pub mod fec;
pub mod hint;
pub mod lda;
pub mod outbox;
mod paced;
mod pending;
pub mod rap;
pub mod spec;
pub mod tcp;
pub mod tear;
pub mod tfrc;
pub mod udp;

use self::outbox::Outbox;
use crate::packet::Packet;
use crate::prefetch::Part;
use crate::rng::Rng;
use crate::units::{Duration, Instant};

/// What comes in with each call besides time; lent by the engine, so that no flow has a buffer of its own.
#[derive(Debug)]
pub struct FlowContext<'a> {
    /// The flow's own stream of random numbers.
    pub rng: &'a mut Rng,
    /// Packets to send now, in this order. The engine fills in `flow` and `hop` and drains it.
    pub out: &'a mut Outbox,
}

/// A stream and a buffer to lend, for whoever drives endpoints without the engine.
#[derive(Clone, Debug)]
pub struct ContextOwner {
    /// The flow's stream of random numbers.
    pub rng: Rng,
    /// Packets that were sent and not yet taken.
    pub out: Outbox,
}

impl ContextOwner {
    /// With this stream and nothing sent.
    pub fn new(rng: Rng) -> Self {
        ContextOwner { rng, out: Outbox::default() }
    }

    /// For one call of an endpoint.
    pub fn lend(&mut self) -> FlowContext<'_> {
        FlowContext { rng: &mut self.rng, out: &mut self.out }
    }
}

/// One end of a flow. What wraps one ([`hint`]) passes every method on.
pub trait Endpoint: Send {
    /// The flow begins. Only the sending side is started.
    fn start(&mut self, _now: Instant, _cx: &mut FlowContext) {}

    /// The flow ends: no new data from here on; what is outstanding is still recovered.
    fn stop(&mut self, _now: Instant, _cx: &mut FlowContext) {}

    /// A packet of this flow has arrived here.
    fn on_packet(&mut self, now: Instant, packet: &Packet, cx: &mut FlowContext);

    /// When [`Endpoint::on_deadline`] wants to be called next. Asked after every call.
    fn next_deadline(&self) -> Option<Instant> {
        None
    }

    /// A deadline has been reached: `now` is exactly the one that was asked for.
    fn on_deadline(&mut self, _now: Instant, _cx: &mut FlowContext) {}

    /// Counters since the start.
    fn counters(&self) -> Counters;

    /// Whether it hears of the other end by packets alone, and never draws from the generator that both share. If one end
    /// of a flow does, it does not matter in which order the two are called, and the engine may call them ahead of time.
    fn stands_alone(&self) -> bool {
        false
    }

    /// Asks for the memory that the next call will read: for speed alone.
    fn prefetch(&self, _part: Part) {}

    /// What forward error correction has repaired since the start; `None` for what has none.
    fn repairs(&self) -> Option<fec::Repairs> {
        None
    }

    /// For how long at most a sender's cumulative acknowledgement has not moved, or no report has come, while data was out, up to `now`,
    /// if that is longer than three of its timeouts; zero otherwise, and for what has none.
    fn standstill(&self, _now: Instant) -> Duration {
        Duration::ZERO
    }

    /// Window and timers, for traces; `None` for what has no window.
    fn window(&self) -> Option<WindowState> {
        None
    }
}

/// What an endpoint has counted since the start of the run. A side leaves at zero what it cannot see, and TCP what no table
/// shows: acknowledgements and the bytes sent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counters {
    /// Packets sent, retransmissions included (sending side).
    pub packets_sent: u64,
    /// Bytes on the wire sent.
    pub bytes_sent: u64,
    /// Packets received here.
    pub packets_received: u64,
    /// Bytes on the wire received here.
    pub bytes_received: u64,
    /// Payload bytes given to the application in order and for the first time (receiving side).
    pub bytes_delivered: u64,
    /// Payload bytes that have come for the first time, whether or not what is before them has come (receiving side).
    pub bytes_new: u64,
    /// Segments sent again.
    pub retransmits: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Times that loss recovery was entered without a timeout.
    pub fast_recoveries: u64,
    /// Window reductions because of ECN.
    pub ecn_reductions: u64,
    /// Packets that arrived here with CE.
    pub marks_seen: u64,
    /// Round-trip time samples taken.
    pub rtt_samples: u64,
    /// Their sum in seconds.
    pub rtt_sum: f64,
    /// Sum of their squares in seconds squared.
    pub rtt_sum_squares: f64,
    /// Sum over received packets of one-way delay in seconds (receiving side).
    pub one_way_delay_sum: f64,
}

impl Counters {
    /// What both have counted.
    #[must_use]
    pub fn plus(&self, other: &Counters) -> Counters {
        Counters {
            packets_sent: self.packets_sent + other.packets_sent,
            bytes_sent: self.bytes_sent + other.bytes_sent,
            packets_received: self.packets_received + other.packets_received,
            bytes_received: self.bytes_received + other.bytes_received,
            bytes_delivered: self.bytes_delivered + other.bytes_delivered,
            bytes_new: self.bytes_new + other.bytes_new,
            retransmits: self.retransmits + other.retransmits,
            timeouts: self.timeouts + other.timeouts,
            fast_recoveries: self.fast_recoveries + other.fast_recoveries,
            ecn_reductions: self.ecn_reductions + other.ecn_reductions,
            marks_seen: self.marks_seen + other.marks_seen,
            rtt_samples: self.rtt_samples + other.rtt_samples,
            rtt_sum: self.rtt_sum + other.rtt_sum,
            rtt_sum_squares: self.rtt_sum_squares + other.rtt_sum_squares,
            one_way_delay_sum: self.one_way_delay_sum + other.one_way_delay_sum,
        }
    }

    /// What has been counted since `before`.
    #[must_use]
    pub fn since(&self, before: &Counters) -> Counters {
        Counters {
            packets_sent: self.packets_sent - before.packets_sent,
            bytes_sent: self.bytes_sent - before.bytes_sent,
            packets_received: self.packets_received - before.packets_received,
            bytes_received: self.bytes_received - before.bytes_received,
            bytes_delivered: self.bytes_delivered - before.bytes_delivered,
            bytes_new: self.bytes_new - before.bytes_new,
            retransmits: self.retransmits - before.retransmits,
            timeouts: self.timeouts - before.timeouts,
            fast_recoveries: self.fast_recoveries - before.fast_recoveries,
            ecn_reductions: self.ecn_reductions - before.ecn_reductions,
            marks_seen: self.marks_seen - before.marks_seen,
            rtt_samples: self.rtt_samples - before.rtt_samples,
            rtt_sum: self.rtt_sum - before.rtt_sum,
            rtt_sum_squares: self.rtt_sum_squares - before.rtt_sum_squares,
            one_way_delay_sum: self.one_way_delay_sum - before.one_way_delay_sum,
        }
    }
}

/// Window of a sender at a moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WindowState {
    /// Payload bytes of a full segment, for windows in packets.
    pub segment: u64,
    /// Congestion window in bytes.
    pub cwnd: f64,
    /// Slow start threshold in bytes; infinite before the first loss.
    pub ssthresh: f64,
    /// Bytes outstanding by the sender's own count.
    pub inflight: u64,
    /// Smoothed round-trip time, before the first sample `None`.
    pub srtt: Option<Duration>,
    /// Retransmission timeout.
    pub rto: Duration,
}

/// A finished transfer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Completion {
    /// When the application asked for it.
    pub started: Instant,
    /// When its last byte was acknowledged.
    pub finished: Instant,
    /// Payload bytes.
    pub bytes: u64,
}
