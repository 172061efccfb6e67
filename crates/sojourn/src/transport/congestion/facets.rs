//! The doors of a control law: hooks that few laws have, one trait for each idea. A law gives those that it has, in methods of
//! `CongestionControl` whose names are those of the traits, and a wrapper of a law passes them on as they are.

use crate::header::xcp::XcpUnit;
use crate::units::{Bytes, Duration, Instant, Rate};

/// An acknowledgement has arrived, whatever recovery makes of it: what it says about the network.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Heard {
    /// When.
    pub now: Instant,
    /// Segments acknowledged for the first time; zero for a duplicate.
    pub segments: f64,
    /// Segments in flight before the acknowledgement.
    pub inflight: f64,
    /// Packets that the sender has sent since it began, retransmissions and SYNs included.
    pub sent: u64,
    /// Marks that it tells of for the first time; with an echo that cannot count (RFC 3168, DCTCP) 1 if it echoes.
    pub marks: u64,
    /// It is the first that acknowledges something sent after the last one that began a round trip.
    pub round: bool,
    /// Only from Linux's recovery: the sender's smoothed round-trip time, this acknowledgement's sample taken.
    pub smoothed: Option<Duration>,
    /// Only from Linux's recovery: it acknowledges new data and tells of nothing else, and nothing is being repaired (Linux's fast path).
    pub plain: bool,
}

/// A law that listens to every acknowledgement, whatever recovery makes of it.
pub trait Listener {
    /// An acknowledgement has arrived; before anything else is made of it.
    fn on_heard(&mut self, heard: &Heard);

    /// A round trip has been measured, by whatever acknowledgement, be it a report out of order: that of the last segment of those which it
    /// reports for the first time. Only senders that find losses by time tell it, before [`Listener::on_heard`]. Says whether
    /// it has been taken: then `on_ack` hears of none.
    fn on_round_trip(&mut self, _now: Instant, _rtt: Duration) -> bool {
        false
    }
}

/// What a sender asks the routers on its way (XCP).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Request {
    /// Its round-trip time in seconds, above zero.
    pub rtt: f64,
    /// Its window in segments.
    pub window: f64,
    /// By how many segments this packet's acknowledgement shall change the window; infinite: by all that can be had.
    pub change: f64,
    /// Whether `change` counts in segments or in segments per second.
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

/// A law that asks the routers on its way.
pub trait Explicit {
    /// What the data packet that leaves now asks for (XCP); nothing before a round trip has been measured.
    fn request(&self) -> Option<Request> {
        None
    }

    /// The same where routers tell all flows one rate (RCP): the round-trip time in seconds, 0 while none is known. SYNs ask, too.
    fn rate_request(&self) -> Option<f64> {
        None
    }

    /// An acknowledgement brings an answer of the routers, or the first round trip has been measured.
    fn on_grant(&mut self, reply: &Reply);
}

/// What a sender is about where losses are found by time; as Linux tells its laws.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// Nothing is amiss.
    #[default]
    Open,
    /// Something is reported out of order.
    Disorder,
    /// The window falls for an echo, or because the law said so.
    Reducing,
    /// A loss is being repaired.
    Recovery,
    /// The timer has expired, and what was out then is not acknowledged yet.
    Loss,
}

/// What an acknowledgement says of how fast the network delivers (draft-cheng-iccrg-delivery-rate-estimation-00), for laws that ask for
/// it. In segments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// When.
    pub now: Instant,
    /// Delivered for the first time, as this acknowledgement tells.
    pub delivered: f64,
    /// All that has been delivered on this connection.
    pub total: u64,
    /// The same when the newest segment left that this acknowledgement tells of; absent if it tells of none.
    pub prior: Option<u64>,
    /// Delivery rate in segments per second, if there is a sample.
    pub rate: Option<f64>,
    /// The sample was taken while the application had less to send than the window allowed.
    pub app_limited: bool,
    /// Round-trip time, if it was measured.
    pub rtt: Option<Duration>,
    /// In the network before the acknowledgement.
    pub before: f64,
    /// In the network now.
    pub inflight: f64,
    /// Found to be lost.
    pub lost: f64,
    /// All that has been found to be lost on this connection, between acknowledgements too.
    pub all_lost: u64,
    /// Losses are being repaired.
    pub recovering: bool,
    /// The receiver's window: a larger one would be of no use.
    pub most: f64,
    /// What the sender is about now.
    pub phase: Phase,
    /// When what the sample is made of began, if there is one, however short it was.
    pub spans: Option<Spans>,
    /// Round trip of the newest segment that the acknowledgement tells of, as [`Arrival::rtt`].
    pub trip: Option<Duration>,
    /// It tells of one segment that was not full and alone in the network: the acknowledgement may have been delayed.
    pub delayed: bool,
    /// When the pacer lets the next packet go; in the past if it may go now.
    pub departs: Instant,
}

/// When what a sample of the delivery rate is made of began.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spans {
    /// When the newest segment left that the acknowledgement tells of.
    pub left: Instant,
    /// When that left which had been delivered last then.
    pub first_left: Instant,
    /// When its delivery had been heard of.
    pub heard: Instant,
}

/// A law that lives on samples of the delivery rate: what it says of the window holds during recovery, too, and the sender must be able to
/// pace.
pub trait Sampled {
    /// Whether the newest of several segments is the one that was sent last, and what is in the network counts by what is out (Linux), and
    /// not the one before which most had been delivered (the draft); asked once.
    fn last_sent(&self) -> bool {
        false
    }

    /// An acknowledgement has been taken in, and what was lost has been found; after all other hooks.
    fn on_sample(&mut self, sample: &Sample);

    /// Whether it sends less than the path bears, so that what leaves now says nothing of the bandwidth; asked after each sample.
    fn is_held_back(&self) -> bool {
        false
    }

    /// The timer has expired, and so many segments are still in the network. Says whether the law has taken them into its window; else the
    /// sender has them besides until they are accounted for.
    fn keeps(&mut self, _segments: u64) -> bool {
        false
    }
}

/// What an acknowledgement tells before losses are looked for, whether or not it acknowledges anything new in order: for laws that ask
/// for it (Linux's `pkts_acked`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrival {
    /// When.
    pub now: Instant,
    /// Segments acknowledged in order for the first time.
    pub segments: f64,
    /// Round trip of the newest segment that it tells of, of those sent once.
    pub rtt: Option<Duration>,
    /// The sender's smoothed round-trip time, this acknowledgement's sample taken.
    pub smoothed: Option<Duration>,
    /// Segments received since the newest one left that it tells of.
    pub delivered: f64,
    /// Segments that are still reported out of order.
    pub disordered: f64,
    /// What the sender was about until now.
    pub phase: Phase,
}

/// A law that attends to each acknowledgement and to what the sender is about, at senders that find losses by time.
pub trait Attentive {
    /// An acknowledgement has been taken in; what is lost is not known yet.
    fn on_arrival(&mut self, arrival: &Arrival);

    /// The sender is about something else than before; after the cut or the timeout, if that is why.
    fn on_phase(&mut self, _phase: Phase) {}

    /// Whether the law wants the window to be cut now, as for a mark; asked after each acknowledgement that may open it.
    fn backs_off(&mut self) -> bool {
        false
    }
}

/// A law that has a rate of its own, at senders that can pace.
pub trait Paced {
    /// At which rate packets should leave; `None` leaves them to the clock of acknowledgements.
    fn pacing_rate(&self) -> Option<Rate>;

    /// How long so many full segments of `packet` bytes hold up the next ones at that rate; asked only where there is one.
    fn gap_of(&self, segments: u64, packet: u32) -> Option<Duration> {
        self.pacing_rate().map(|rate| rate.time_to_send(Bytes(u64::from(packet))) * segments)
    }

    /// Segments of a packet, where the device cuts packets into segments (Linux `tcp_tso_autosize`); `None` where it follows from the
    /// time between two.
    fn at_once(&self) -> Option<u64> {
        None
    }
}

/// A law that differs from others at a sender that halves its rate during recovery (ns-2's TCP-Linux).
pub trait Linux26 {
    /// The window down to which the rate may fall, in segments (Linux 2.6.22's `min_cwnd`); half of the threshold at other laws.
    fn recovery_window(&self) -> f64;
}
