//! The congestion control seam: how large the window may be.
//!
//! A [`CongestionControl`] knows nothing of sequence numbers, timers or packets. Loss recovery tells
//! it what happened; it answers with a window. Windows are real numbers of full segments, the unit in
//! which the laws are written.

pub mod bbr;
pub mod bic;
pub mod binomial;
pub mod cdg;
pub mod cubic;
mod cubic_kernel;
mod cubic_linux26;
mod cubic_settings;
mod cubic_whole;
pub mod dctcp;
pub mod decbit;
mod drawn;
mod facets;
pub mod gaimd;
pub mod hstcp;
pub mod htcp;
pub mod hybla;
pub mod hystart;
pub mod illinois;
pub mod kwon_fahmy;
pub mod no_control;
pub mod nv;
mod place;
pub mod rcp;
pub mod reno;
mod round_trip;
pub mod scalable;
pub mod surathkal;
pub mod vegas;
mod vegas_kernel;
pub mod veno;
pub mod westwood;
mod westwood_kernel;
mod westwood_linux26;
mod westwood_whole;
mod window;
pub mod xcp;
pub mod yeah;

use crate::rng::Rng;
use crate::units::{Duration, Instant};
pub use facets::{
    Arrival, Attentive, Explicit, Grant, Heard, Linux26, Listener, Paced, Phase, Reply, Request, Sample, Sampled, Spans,
};

/// How a window opens and closes where published laws and implementations differ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Laws {
    /// What an ACK counts for.
    pub growth: Growth,
    /// What a cut starts from.
    pub cut: Cut,
}

crate::choices! {
    /// The weight of an acknowledgement when the window opens.
    pub enum Growth {
        /// As one segment, whatever it acknowledges (RFC 2581, ns-2).
        Acks = "acks",
        /// As the bytes that it acknowledges, at most one segment (RFC 5681 section 3.1).
        Bytes = "bytes",
        /// As the bytes that it acknowledges, up to the threshold at most one segment (RFC 3465 with L = 1, Linux 2.6).
        Abc = "abc",
        /// As all bytes that it acknowledges; slow start ends on the threshold (Linux since 3.18).
        Segments = "segments",
    }
}

crate::choices! {
    /// The value that is halved when the window is cut, and its rounding.
    pub enum Cut {
        /// The data in flight; at least 2 segments, window = threshold (RFC 5681 equation 4).
        Flight = "flight",
        /// The congestion window; at least 2 segments, window = threshold (Linux).
        Cwnd = "cwnd",
        /// The smaller of congestion and receiver's window; the threshold is rounded down to whole
        /// packets and at least 2, the window is neither (ns-2).
        Window = "window",
        /// The congestion window, as Linux 2.6 counts it: in whole segments, one more when enough has been acknowledged; cuts
        /// are rounded down and are at least 2, and slow start includes the threshold.
        Whole = "whole",
    }
}

crate::choices! {
    /// When a segment is overdue by a clock finer than the timer's.
    pub enum FineTimeout {
        /// After the smoothed round-trip time and four times its variation (RFC 6298).
        Jacobson = "jacobson",
        /// After 17/16 of the smoothed round-trip time and twice its variation (ns-2).
        Ns2 = "ns2",
    }
}

/// A connection begins: what the control starts from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setup {
    /// Window in segments.
    pub window: f64,
    /// Slow start threshold in segments; infinite if there is none.
    pub ssthresh: f64,
    /// Payload bytes of a full segment.
    pub mss: u32,
    /// The same with its headers.
    pub packet: u32,
    /// Variants of the laws.
    pub laws: Laws,
}

/// New data has been acknowledged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Acked {
    /// When.
    pub now: Instant,
    /// Segments acknowledged for the first time; the last one of a transfer may be a fraction.
    pub segments: f64,
    /// Segments in flight before the acknowledgement.
    pub inflight: f64,
    /// The sample that this acknowledgement gave, if any.
    pub rtt: Option<Duration>,
    /// Since the segment left that this acknowledgement answers, by a clock of its own for each segment.
    pub elapsed: Duration,
    /// It echoes congestion (RFC 3168).
    pub ece: bool,
    /// The application or the receiver, and not the window, limited what was in flight: the window shall not grow.
    pub limited: bool,
}

/// What a law needs of its sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needs {
    /// What it must be told of marks.
    pub marks: Told,
    /// An echo of marks is an event that cuts the window ([`Cause::Echo`]) and is answered by CWR. A law that weighs the bits of a window
    /// by itself ([`Listener`]) says no.
    pub answers_echoes: bool,
    /// How long after its transmission a segment is overdue, for laws that resend it at the next acknowledgement then; `None` leaves it to
    /// the third duplicate. Only a law that listens may say so.
    pub early: Option<FineTimeout>,
}

impl Default for Needs {
    fn default() -> Self {
        Needs { marks: Told::Congestion, answers_echoes: true, early: None }
    }
}

/// What a law must be told of marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// That there is congestion, if any.
    Congestion,
    /// Of each packet whether it was marked.
    Packets,
    /// Of each mark.
    Marks,
}

/// The window must be cut.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Congestion {
    /// When.
    pub now: Instant,
    /// What was in use, in segments: see [`Cut`].
    pub used: f64,
    /// What tells of the congestion.
    pub cause: Cause,
}

/// What tells of congestion. A law that does not look answers all alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A loss, found by acknowledgements; once per window of data.
    Loss,
    /// The same, where what was lost had been sent again before, as far as the sender looks (ns-2's Vegas).
    LossAgain,
    /// An echo of marks; once per window of data (RFC 3168 section 6.1.2).
    Echo,
    /// The retransmission timer, or a choke packet that is answered in the same way.
    Timeout,
}

/// The sender moves the window or the threshold by a rule of its own. In segments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Adjustment {
    /// The window is at most so large: restart after idle, deflation.
    Limit(f64),
    /// The window is at least so large: ns-2's Vegas inflates it, and Linux 2.6 raises it to the threshold at most when the repairs
    /// after a timeout are done.
    Raise(f64),
    /// The threshold is at least three quarters of the window: what is kept of it when the window is about to fall for want of data
    /// (RFC 2861 section 3.1, Linux).
    Remember,
    /// The threshold falls to the window: congestion avoidance begins without a loss (RFC 9406 section 4.2).
    EndSlowStart,
    /// The last cut was made for nothing: window and threshold become what they were, if that is more.
    Restore {
        /// The window before the cut.
        window: f64,
        /// The threshold before the cut.
        ssthresh: f64,
    },
}

/// What seldom happens to a connection.
#[derive(Debug)]
pub enum Milestone<'a> {
    /// It is about to begin, before [`CongestionControl::on_connect`], with these random numbers of its flow.
    Begins(&'a mut Rng),
    /// It is open, after [`CongestionControl::on_connect`].
    Opened {
        /// When.
        now: Instant,
        /// The smoothed round-trip time, if the handshake has been measured.
        smoothed: Option<Duration>,
    },
    /// New data leaves while nothing is out. What depends on time shall not count the pause.
    Resumes {
        /// When.
        now: Instant,
        /// Since the sender last sent or heard.
        silent: Duration,
    },
    /// What had been out at the last cut has been accounted for: the window is no longer being reduced.
    Reduced,
}

/// Decides how large the window may be. All windows are in segments.
///
/// Nine hooks: four events that every law answers, one for what is seldom, three of the window, and what the law needs. The six methods
/// behind them are doors to hooks that few laws have, one idea each; whether a law has one must never change.
pub trait CongestionControl: Send {
    /// A connection begins with these; everything before is forgotten.
    fn on_connect(&mut self, setup: &Setup);

    /// New data has been acknowledged outside of loss recovery.
    fn on_ack(&mut self, acked: &Acked);

    /// A loss has been found, or congestion has been echoed; once per window of data.
    fn on_congestion_event(&mut self, event: &Congestion);

    /// The retransmission timer has expired. `event` is absent when the threshold must hold: the
    /// segment had been resent by the timer before (RFC 5681 section 3.1).
    fn on_timeout(&mut self, event: Option<&Congestion>);

    /// Something has happened to the connection that is seldom, and that most laws need not know.
    fn on_milestone(&mut self, _milestone: Milestone<'_>) {}

    /// The sender moves the window or the threshold by a rule of its own. What a law does not have, such as a threshold, stays as it is.
    fn adjust(&mut self, change: Adjustment);

    /// The window, above zero.
    fn window(&self) -> f64;

    /// The slow start threshold; infinite if there is none.
    fn ssthresh(&self) -> f64;

    /// What the law needs of its sender besides these hooks. It must never change.
    fn needs(&self) -> Needs {
        Needs::default()
    }

    // ---- Doors.

    /// The law as one that listens to every acknowledgement, if it is.
    fn listener(&mut self) -> Option<&mut dyn Listener> {
        None
    }

    /// The law as one that attends to what the sender is about, if it is.
    fn attentive(&mut self) -> Option<&mut dyn Attentive> {
        None
    }

    /// The law as one that lives on samples of the delivery rate, if it is.
    fn sampled(&mut self) -> Option<&mut dyn Sampled> {
        None
    }

    /// The law as one that has a rate of its own, if it may have.
    fn paced(&self) -> Option<&dyn Paced> {
        None
    }

    /// The law as one that asks the routers on its way, if it is.
    fn explicit(&mut self) -> Option<&mut dyn Explicit> {
        None
    }

    /// The law as one of Linux 2.6, where it differs from the others at senders of that time.
    fn linux26(&self) -> Option<&dyn Linux26> {
        None
    }
}

/// A window in whole segments: `floor` of what is not negative, and at most 2^63. The library's function goes over the bits.
#[inline(always)]
pub(crate) fn whole(window: f64) -> f64 {
    window as i64 as f64
}

#[cfg(test)]
mod tests {
    use super::whole;

    #[test]
    fn whole_segments_are_rounded_down() {
        for window in [0.0, 0.99, 1.0, 2.5, 1e9 + 0.5, 4_503_599_627_370_495.5, 1e18] {
            assert_eq!(whole(window).to_bits(), libm::floor(window).to_bits(), "{window}");
        }
        assert_eq!(whole(f64::INFINITY).to_bits(), 2.0_f64.powi(63).to_bits());
    }
}

/// Helpers for the tests of the laws.
#[cfg(test)]
mod testing {
    use super::{
        Acked, Attentive, Cause, Congestion, CongestionControl, Cut, Explicit, Growth, Heard, Laws, Listener, Setup,
    };
    pub(crate) use crate::rig::near;
    use crate::transport::entry::ControlEntry;
    use crate::units::{Duration, Instant};

    /// A connected control: window and threshold in segments, RFC cuts, one per acknowledgement.
    pub fn connected(
        entry: &ControlEntry,
        preset: Option<&str>,
        settings: &[(&str, &str)],
        window: f64,
        ssthresh: f64,
    ) -> Box<dyn CongestionControl> {
        let mut args = entry.args(preset).expect("a preset");
        for (name, value) in settings {
            args.set_text(name, value).expect("a valid setting");
        }
        let mut control = (entry.build)(&args);
        let laws = Laws { growth: Growth::Acks, cut: Cut::Flight };
        control.on_connect(&Setup { window, ssthresh, mss: 960, packet: 1000, laws });
        control
    }

    /// The same as in TCP-Linux: in whole segments.
    pub fn connected_whole(
        entry: &ControlEntry,
        preset: &str,
        window: f64,
        ssthresh: f64,
    ) -> Box<dyn CongestionControl> {
        let mut control = connected(entry, Some(preset), &[], window, ssthresh);
        let laws = Laws { growth: Growth::Abc, cut: Cut::Whole };
        control.on_connect(&Setup { window, ssthresh, mss: 960, packet: 1000, laws });
        control
    }

    /// The same as in today's Linux: acknowledged segments are counted, and whole ones of the window.
    pub fn connected_linux(
        entry: &ControlEntry,
        preset: Option<&str>,
        window: f64,
        ssthresh: f64,
    ) -> Box<dyn CongestionControl> {
        let mut control = connected(entry, preset, &[], window, ssthresh);
        let laws = Laws { growth: Growth::Segments, cut: Cut::Cwnd };
        control.on_connect(&Setup { window, ssthresh, mss: 960, packet: 1000, laws });
        control
    }

    /// The law as one that asks routers.
    pub fn asks(control: &mut dyn CongestionControl) -> &mut dyn Explicit {
        control.explicit().expect("it asks routers")
    }

    /// The law as one that listens to every acknowledgement.
    pub fn hears(control: &mut dyn CongestionControl) -> &mut dyn Listener {
        control.listener().expect("it listens")
    }

    /// The law as one that attends to each acknowledgement.
    pub fn attends(control: &mut dyn CongestionControl) -> &mut dyn Attentive {
        control.attentive().expect("it attends")
    }

    /// An acknowledgement of so many segments while the window is full.
    pub fn acked(segments: f64) -> Acked {
        Acked {
            now: Instant::ZERO,
            segments,
            inflight: 1e9,
            rtt: None,
            elapsed: Duration::ZERO,
            ece: false,
            limited: false,
        }
    }

    /// One segment acknowledged, without marks, while the window is full.
    pub fn heard(now: Instant) -> Heard {
        let inflight = 1e9;
        Heard { now, segments: 1.0, inflight, sent: 0, marks: 0, round: false, smoothed: None, plain: false }
    }

    /// A loss while so many segments are in flight.
    pub fn used(used: f64) -> Congestion {
        Congestion { now: Instant::ZERO, used, cause: Cause::Loss }
    }

    /// An echo of marks while so many segments are in flight.
    pub fn echoed(used: f64) -> Congestion {
        Congestion { cause: Cause::Echo, ..self::used(used) }
    }
}
