//! The seam of congestion control: a law decides how large the window may be.
//!
//! A [`CongestionControl`] does not see sequence numbers, timers or packets. Loss recovery calls its hooks when something happens, and
//! reads the window. Windows are real numbers of full segments, the unit in which the laws are written.

pub(crate) mod bbr;
pub(crate) mod bbr3;
pub(crate) mod bic;
pub(crate) mod binomial;
pub(crate) mod cdg;
pub mod classic;
pub(crate) mod controlled;
mod counting;
pub(crate) mod cubic;
mod cubic_kernel;
mod cubic_settings;
mod cubic_whole;
pub(crate) mod dctcp;
pub(crate) mod decbit;
mod drawn;
mod facets;
pub(crate) mod gaimd;
mod highest;
pub(crate) mod hstcp;
pub(crate) mod htcp;
pub(crate) mod hybla;
mod hystart;
pub(crate) mod illinois;
pub(crate) mod kwon_fahmy;
pub(crate) mod no_control;
pub(crate) mod nv;
mod place;
pub(crate) mod prague;
mod prelude;
pub(crate) mod rcp;
pub mod reno;
mod round_trip;
pub(crate) mod scalable;
pub(crate) mod surathkal;
pub(crate) mod vegas;
mod vegas_kernel;
pub(crate) mod veno;
pub(crate) mod westwood;
mod westwood_kernel;
pub mod window;
pub(crate) mod xcp;
pub(crate) mod yeah;

use crate::rng::Rng;
use crate::units::{Duration, Instant};
pub use counting::{Counting, Cut, Growth, Needed};
pub use facets::{
    Arrival, Attentive, Explicit, Grant, Heard, Listener, Lost, Paced, Phase, Reply, Request, Sample, Sampled, Sampler,
    Spans,
};

/// The values with which a connection begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setup {
    /// Window in segments.
    pub window: f64,
    /// Slow start threshold in segments; infinite if there is none.
    pub ssthresh: f64,
    /// Payload bytes of a full segment.
    pub mss: u32,
    /// Bytes of a full segment with its headers.
    pub packet: u32,
    /// The way in which the sender counts.
    pub counting: Counting,
    /// True if the sender paces its packets.
    pub paced: bool,
    /// True if the sender detects losses by time, and tells its phases ([`Attentive::on_phase`]).
    pub phases: bool,
}

/// New data has been acknowledged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Acked {
    /// The time at which the acknowledgement arrives.
    pub now: Instant,
    /// The segments that it acknowledges for the first time. The last segment of a transfer may be a fraction.
    pub segments: f64,
    /// The segments in flight before it arrives.
    pub inflight: f64,
    /// The round-trip sample that this acknowledgement gives, if any.
    pub rtt: Option<Duration>,
    /// The time since the acknowledged segment was sent, by a clock that each segment has for itself.
    pub elapsed: Duration,
    /// True if it echoes congestion (RFC 3168).
    pub ece: bool,
    /// True if the application or the receiver limited the data in flight, and not the window. The window shall not grow then.
    pub limited: bool,
}

/// The needs of a law: the behaviour that it expects of its sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a need of its own")]
pub struct Needs {
    /// The report of marks that the law needs.
    pub marks: Told,
    /// True if an echo of marks cuts the window ([`Cause::Echo`]) and the sender answers it with CWR. It is false for a law that counts
    /// the marks of a window by itself ([`Listener`]).
    pub answers_echoes: bool,
    /// True if a segment is resent at an acknowledgement that finds it overdue by a clock finer than the timer's (Vegas). Otherwise the
    /// sender waits for the third duplicate. Only a [`Listener`] may set this.
    pub early: bool,
    /// The number of windows for which a send buffer shall have room (Linux `sndbuf_expand`).
    pub buffered: u8,
    /// True if a loss cuts the window once more that is found while the window still falls for an echo.
    pub cuts_again: bool,
    /// True if the law uses [`Arrival::delivered`], which costs the sender a record of each segment.
    pub deliveries: bool,
}

impl Default for Needs {
    fn default() -> Self {
        Needs {
            marks: Told::Congestion,
            answers_echoes: true,
            early: false,
            buffered: 2,
            cuts_again: false,
            deliveries: false,
        }
    }
}

/// The report of marks that a law needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// Whether there is congestion.
    Congestion,
    /// For each packet, whether it was marked.
    Packets,
    /// The number of marks.
    Marks,
    /// The number of marked packets, which are ECT(1) (RFC 9768, RFC 9331).
    Counted,
}

/// Congestion: the window must be cut.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Congestion {
    /// The time.
    pub now: Instant,
    /// The amount in use, in segments: see [`Cut`].
    pub used: f64,
    /// The signal that showed the congestion.
    pub cause: Cause,
}

/// The signal of congestion. A law that ignores it answers all signals alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A loss that acknowledgements show. There is one such event in a window of data.
    Loss,
    /// An echo of marks. There is one such event in a window of data (RFC 3168 section 6.1.2).
    Echo,
    /// The retransmission timer, or a choke packet, which has the same effect.
    Timeout,
}

/// A change of the window or of the threshold that the sender makes by a rule of its own. Amounts are in segments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Adjustment {
    /// The window is at most this large: restart after idle, deflation.
    Limit(f64),
    /// The window is at least this large: the segments that were in the network at a timeout count, too (Linux).
    Raise(f64),
    /// The threshold is at least three quarters of the window. The sender asks for this before the window falls for want of data (RFC 2861
    /// section 3.1, Linux).
    Remember,
    /// The threshold falls to the window: congestion avoidance begins without a loss (RFC 9406 section 4.2).
    EndSlowStart,
    /// The last cut was not necessary. Window and threshold get their old values back, if these are larger.
    Restore {
        /// The window before the cut.
        window: f64,
        /// The threshold before the cut.
        ssthresh: f64,
    },
}

/// An event that is rare in a connection.
#[derive(Debug)]
pub enum Milestone<'a> {
    /// The connection is about to begin, before [`CongestionControl::on_connect`]. These are the random numbers of its flow.
    Begins(&'a mut Rng),
    /// The connection is open, after [`CongestionControl::on_connect`].
    Opened {
        /// The time.
        now: Instant,
        /// The smoothed round-trip time, if the handshake has been measured.
        smoothed: Option<Duration>,
    },
    /// New data is sent while nothing is in flight. A law that depends on time shall not count the pause.
    Resumes {
        /// The time.
        now: Instant,
        /// The time since the sender last sent a segment or received an acknowledgement.
        silent: Duration,
    },
    /// The fate of all segments that were in flight at the last cut is known: the reduction of the window is over.
    Reduced,
}

/// A control law: it decides how large the window may be. All windows are in segments.
///
/// There are nine hooks: four for events that every law answers, one for rare events, three for the window, and one for the needs of the
/// law. Five further methods are doors to hooks that few laws have. Each door leads to one idea. A law that has a door must always have
/// it.
pub trait CongestionControl: Send {
    /// A connection begins with these values. The law forgets everything before it.
    fn on_connect(&mut self, setup: &Setup);

    /// New data has been acknowledged outside of loss recovery.
    fn on_ack(&mut self, acked: &Acked);

    /// A loss has been found, or congestion has been echoed. The sender calls this at most once in a window of data.
    fn on_congestion_event(&mut self, event: &Congestion);

    /// The retransmission timer has expired. `event` is absent if the timer had already resent the segment before: the threshold must
    /// hold then (RFC 5681 section 3.1).
    fn on_timeout(&mut self, event: Option<&Congestion>);

    /// A rare event has happened to the connection. Most laws ignore it.
    fn on_milestone(&mut self, _milestone: Milestone<'_>) {}

    /// The sender changes the window or the threshold by a rule of its own. A law without a threshold ignores changes of it.
    fn adjust(&mut self, change: Adjustment);

    /// The window, above zero.
    fn window(&self) -> f64;

    /// The slow start threshold; infinite if there is none.
    fn ssthresh(&self) -> f64;

    /// The needs of the law besides these hooks. They must never change.
    fn needs(&self) -> Needs {
        Needs::default()
    }

    // ---- Doors.

    /// The law as one that hears of every acknowledgement, if it does.
    fn listener(&mut self) -> Option<&mut dyn Listener> {
        None
    }

    /// The law as one that follows the sender's state, if it does.
    fn attentive(&mut self) -> Option<&mut dyn Attentive> {
        None
    }

    /// The law as one that uses samples of the delivery rate, if it does.
    fn sampled(&mut self) -> Option<&mut dyn Sampled> {
        None
    }

    /// The law as one that has a rate of its own, if it can have one.
    fn paced(&self) -> Option<&dyn Paced> {
        None
    }

    /// The law as one that asks the routers on its path, if it does.
    fn explicit(&mut self) -> Option<&mut dyn Explicit> {
        None
    }
}

/// A window in whole segments, rounded down. The window is not negative, and the result is at most 2^63. This is faster than
/// `libm::floor`.
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
    pub(in crate::transport) use super::controlled::Controlled;
    use super::controlled::SlowStart;
    use super::{Acked, Attentive, Cause, Congestion, Counting, Cut, Explicit, Growth, Heard, Listener, Setup};
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
    ) -> Controlled {
        let args = crate::rig::set(entry.args(preset).expect("a preset"), settings);
        let mut control = Controlled::new((entry.build)(&args), SlowStart::Standard, false);
        let counting = Counting { growth: Growth::Acks, cut: Cut::Flight };
        control.on_connect(&Setup { window, ssthresh, mss: 960, packet: 1000, counting, paced: false, phases: false });
        control
    }

    /// The same as in Linux: acknowledged segments are counted, and whole ones of the window.
    pub fn connected_linux(entry: &ControlEntry, preset: Option<&str>, window: f64, ssthresh: f64) -> Controlled {
        let mut control = connected(entry, preset, &[], window, ssthresh);
        let counting = Counting { growth: Growth::Segments, cut: Cut::Cwnd };
        control.on_connect(&Setup { window, ssthresh, mss: 960, packet: 1000, counting, paced: false, phases: false });
        control
    }

    /// The law as one that asks routers.
    pub fn asks(control: &mut Controlled) -> &mut dyn Explicit {
        control.explicit().expect("it asks routers")
    }

    /// The law as one that listens to every acknowledgement.
    pub fn hears(control: &mut Controlled) -> &mut dyn Listener {
        control.listener().expect("it listens")
    }

    /// The law as one that attends to each acknowledgement.
    pub fn attends(control: &mut Controlled) -> &mut dyn Attentive {
        control.attentive().expect("it attends")
    }

    /// An acknowledgement of this number of segments while the window is full.
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
        Heard {
            now,
            segments: 1.0,
            delivered: 1.0,
            inflight,
            sent: 0,
            marks: 0,
            counted: false,
            round: false,
            smoothed: None,
            plain: false,
        }
    }

    /// A loss while this number of segments is in flight.
    pub fn used(used: f64) -> Congestion {
        Congestion { now: Instant::ZERO, used, cause: Cause::Loss }
    }

    /// An echo of marks while this number of segments is in flight.
    pub fn echoed(used: f64) -> Congestion {
        Congestion { cause: Cause::Echo, ..self::used(used) }
    }
}
