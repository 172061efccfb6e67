//! The doors of a control law. Each trait has the hooks of one idea, which few laws have. A law returns itself as such a trait from the
//! method of `CongestionControl` that has the trait's name. A wrapper of a law passes on the doors of that law.

use crate::header::xcp::XcpUnit;
use crate::units::{Bytes, Duration, Instant, Rate};

/// The content of an acknowledgement, however recovery treats it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Heard {
    /// The time at which it arrives.
    pub now: Instant,
    /// The segments that it acknowledges for the first time. A duplicate has zero.
    pub segments: f64,
    /// The segments that it reports as received for the first time, in any order, and repairs that were not necessary. Only Linux's
    /// recovery knows of others than `segments`.
    pub delivered: f64,
    /// The segments in flight before it arrives.
    pub inflight: f64,
    /// All packets that the sender has sent since it began, with retransmissions and SYNs.
    pub sent: u64,
    /// The marks that it reports for the first time. If the kind of echo cannot count marks (RFC 3168, DCTCP), this is 1 for an echo.
    pub marks: u64,
    /// True if `marks` counts packets (RFC 9768), and not echoes.
    pub counted: bool,
    /// True if it begins a round trip: it is the first to acknowledge a segment that was sent after the acknowledgement that began the
    /// round trip before.
    pub round: bool,
    /// The sender's smoothed round-trip time, with the sample of this acknowledgement. Only Linux's recovery gives it.
    pub smoothed: Option<Duration>,
    /// True if it acknowledges new data, reports nothing else, and no repair is going on (Linux's fast path). Only Linux's recovery
    /// sets it.
    pub plain: bool,
}

impl Heard {
    /// The marked ones of `segments` that it reports. Of echoes one stands for all.
    pub fn marked_of(&self, segments: f64) -> f64 {
        match self.marks {
            0 => 0.0,
            marks if self.counted => marks as f64,
            _ => segments,
        }
    }
}

/// A law that hears of every acknowledgement.
pub trait Listener {
    /// An acknowledgement has arrived. The sender calls this before recovery looks at the acknowledgement.
    fn on_heard(&mut self, heard: &Heard);

    /// An acknowledgement of any kind gives a sample of the round trip, also one that only reports segments out of order. It is the round
    /// trip of the last segment among those that the acknowledgement reports for the first time. Only senders that detect losses by time
    /// call this, before [`Listener::on_heard`]. A law that returns true has taken the sample, and `on_ack` then gets none.
    fn on_round_trip(&mut self, _now: Instant, _rtt: Duration) -> bool {
        false
    }
}

/// A sender's request to the routers on its path (XCP).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Request {
    /// The sender's round-trip time in seconds, above zero.
    pub rtt: f64,
    /// The sender's window in segments.
    pub window: f64,
    /// The change that the sender asks for. Infinity asks for the largest change that the routers allow.
    pub change: f64,
    /// The unit of `change`: segments, or segments per second.
    pub unit: XcpUnit,
}

/// The answer of the routers to a sender.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Grant {
    /// XCP: a change of the window in segments, or of the throughput in segments per second, as the request said. It is infinite if
    /// no router answered.
    Step(f64),
    /// RCP: the rate at which the sender may send, in segments per second. It is 0 if the acknowledgement has no rate, and infinite if
    /// no router answered.
    Rate(f64),
}

/// An acknowledgement that brings the answer of the routers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reply {
    /// The answer.
    pub grant: Grant,
    /// The time at which the acknowledgement arrives.
    pub now: Instant,
    /// The time since the acknowledged segment was sent.
    pub rtt: Duration,
    /// The receiver's window in segments. A larger window is of no use to the sender.
    pub most: f64,
}

/// A law that asks the routers on its path.
pub trait Explicit {
    /// The request in the data packet that leaves now (XCP). There is no request before a round trip has been measured.
    fn request(&self) -> Option<Request> {
        None
    }

    /// The request of a scheme whose routers give one rate to all flows (RCP). The value is the sender's round-trip time in seconds, or
    /// 0 before one is known. SYNs carry this request, too.
    fn rate_request(&self) -> Option<f64> {
        None
    }

    /// An acknowledgement brings an answer of the routers, or the first round trip has been measured.
    fn on_grant(&mut self, reply: &Reply);
}

/// The state of a sender that detects losses by time. Linux has the same states for its laws.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// No loss is known, and no segment is reported out of order.
    #[default]
    Open,
    /// Some segments are reported out of order.
    Disorder,
    /// The window falls because of an echo of marks, or because the law asked for it.
    Reducing,
    /// The sender repairs a loss.
    Recovery,
    /// The timer has expired, and not all segments that were in flight then are acknowledged yet.
    Loss,
}

/// A sample of the delivery rate (draft-cheng-iccrg-delivery-rate-estimation-00), taken when an acknowledgement arrives. Amounts are in
/// segments.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is known by itself")]
pub struct Sample {
    /// The time at which the acknowledgement arrives.
    pub now: Instant,
    /// The segments that this acknowledgement reports as delivered for the first time.
    pub delivered: f64,
    /// The marked ones among them. Of echoes one stands for all.
    pub marked: f64,
    /// All segments that have been delivered on this connection.
    pub total: u64,
    /// The value of `total` when the newest segment was sent that this acknowledgement reports. It is absent if the acknowledgement
    /// reports no segment.
    pub prior: Option<u64>,
    /// The delivery rate in segments per second, if there is a sample.
    pub rate: Option<f64>,
    /// True if the application had less to send than the window allowed while the sample was taken.
    pub app_limited: bool,
    /// The round-trip time, if it was measured.
    pub rtt: Option<Duration>,
    /// The segments in the network before the acknowledgement.
    pub before: f64,
    /// The segments in the network now.
    pub inflight: f64,
    /// The segments that this acknowledgement shows to be lost.
    pub lost: f64,
    /// All segments that have been found to be lost on this connection, also those found between acknowledgements.
    pub all_lost: u64,
    /// True if the sender repairs losses.
    pub recovering: bool,
    /// The receiver's window. A larger window is of no use to the sender.
    pub most: f64,
    /// The state of the sender now.
    pub phase: Phase,
    /// The beginnings of the intervals over which the rate was measured, however short these are.
    pub spans: Option<Spans>,
    /// The round trip of the newest segment that the acknowledgement reports, as in [`Arrival::rtt`].
    pub trip: Option<Duration>,
    /// True if it reports a single segment that was not full and was alone in the network. The receiver may have delayed such an
    /// acknowledgement.
    pub delayed: bool,
    /// The time at which the pacer lets the next packet go. It is in the past if the packet may go now.
    pub departs: Instant,
    /// The segments in the network when the newest segment had been sent that the acknowledgement reports, with it. 0 if it reports none.
    pub flight_then: f64,
    /// The segments that have been found to be lost since then. 0 if it reports none.
    pub lost_since: f64,
    /// True if the window has been full in the last round trip.
    pub full: bool,
}

/// A segment that counts as lost now, or again after it was sent again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lost {
    /// The time.
    pub now: Instant,
    /// Its place among the segments of the connection.
    pub number: u64,
    /// All segments that have been delivered on this connection.
    pub total: u64,
    /// The segments in the network when it had been sent, with it.
    pub flight_then: f64,
    /// The segments that have been found to be lost since it was sent, with it.
    pub lost_since: f64,
    /// True if the application had less to send than the window allowed when it was sent.
    pub app_limited: bool,
}

/// The rule by which samples of the delivery rate are taken, where several segments are reported at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sampler {
    /// The newest is the segment before which most had been delivered (draft-cheng-iccrg-delivery-rate-estimation-00).
    #[default]
    MostDelivered,
    /// The newest is the segment that was sent last (draft-ietf-ccwg-bbr-06 section 4.1.2.3).
    LastSent,
    /// The newest is the segment that was sent last, by whole microseconds, and the amount in the network counts by the segments in flight.
    /// Packets go to the device as in Linux.
    Linux,
}

/// The beginnings of the intervals over which a delivery rate is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spans {
    /// The time at which the newest segment was sent that the acknowledgement reports.
    pub left: Instant,
    /// The time at which another segment was sent: the last segment that had been delivered when the newest one left.
    pub first_left: Instant,
    /// The time at which the acknowledgement of that other segment arrived.
    pub heard: Instant,
}

/// A law that uses samples of the delivery rate. Its window holds during recovery, too, and its sender must be able to pace.
pub trait Sampled {
    /// The rule for samples. Asked once.
    fn sampler(&self) -> Sampler {
        Sampler::default()
    }

    /// A segment counts as lost. The sender calls this before the cut that follows, and after [`CongestionControl::on_timeout`] if the
    /// timer has found the loss.
    ///
    /// [`CongestionControl::on_timeout`]: super::CongestionControl::on_timeout
    fn on_lost(&mut self, _lost: &Lost) {}

    /// The sender has processed an acknowledgement and looked for losses. It calls this after all other hooks.
    fn on_sample(&mut self, sample: &Sample);

    /// True if the law sends less than the path can carry, so that a sample of segments that leave now does not show the bandwidth. Asked
    /// after each sample.
    fn is_held_back(&self) -> bool {
        false
    }

    /// The timer has expired, and this number of segments is still in the network. A law that returns true has included them in its
    /// window. Otherwise the sender adds them to the window until they are acknowledged or lost.
    fn keeps(&mut self, _segments: u64) -> bool {
        false
    }
}

/// An acknowledgement before the sender looks for losses (Linux's `pkts_acked`). It may also acknowledge nothing new in order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrival {
    /// The time at which it arrives.
    pub now: Instant,
    /// The segments that it acknowledges in order for the first time.
    pub segments: f64,
    /// The round trip of the newest segment that it reports, among those that were sent once.
    pub rtt: Option<Duration>,
    /// The sender's smoothed round-trip time, with the sample of this acknowledgement.
    pub smoothed: Option<Duration>,
    /// The segments that were received after the newest segment was sent that it reports. It is 0 for laws that do not ask for it
    /// ([`Needs::deliveries`](super::Needs::deliveries)).
    pub delivered: f64,
    /// The segments that are still reported out of order.
    pub disordered: f64,
    /// All segments that are still not acknowledged in order.
    pub out: f64,
    /// The window, while it is not the law's: it falls to that, or has the segments that were in the network at a timeout.
    pub window: Option<f64>,
    /// The state of the sender before it.
    pub phase: Phase,
}

/// A law that follows each acknowledgement and each change of state, at senders that detect losses by time.
pub trait Attentive {
    /// An acknowledgement has been taken in. The sender has not looked for losses yet.
    fn on_arrival(&mut self, arrival: &Arrival);

    /// The state of the sender has changed. If a cut or a timeout changed it, the hook for that event comes first.
    fn on_phase(&mut self, _phase: Phase) {}

    /// True if the law wants its window to be cut now, as for a mark. Asked after each acknowledgement that may open the window.
    fn backs_off(&mut self) -> bool {
        false
    }
}

/// A law that has a rate of its own, at senders that can pace.
pub trait Paced {
    /// The rate at which packets should leave. With `None` they leave when acknowledgements arrive.
    fn pacing_rate(&self) -> Option<Rate>;

    /// The time by which a packet delays the next one at the pacing rate, if that time depends on the packet's payload alone (Linux
    /// `tcp_update_skb_after_send`). With `None` it is that of full segments.
    fn gap_of(&self, _payload: Bytes) -> Option<Duration> {
        None
    }

    /// The number of segments in a packet, if the device cuts packets into segments (Linux `tcp_tso_autosize`). With `None` it follows
    /// from the time between two packets.
    fn at_once(&self) -> Option<u64> {
        None
    }
}
