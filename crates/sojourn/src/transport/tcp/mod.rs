//! TCP: a sender and a receiver in bytes. Specification: RFC 5681 (congestion control), RFC 6298
//! (timer), RFC 6582 (NewReno), RFC 6675 (SACK), RFC 3042 (limited transmit), RFC 3168 (ECN), RFC 8985 (RACK-TLP),
//! RFC 9937 (rate reduction). Compared with: ns-2 2.35 `Agent/TCP/*` (profile `ns2`), the same packets at the same times
//! (`ns2_schedules.rs`); the kernel's own TCP (profile `linux`, `tests/peers/linux`).
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | Sequence numbers are 64 bits, count from 0 and go on over successive connections of a flow | no wrap-around; packets of an earlier connection are told by their time | `late_packets_of_an_old_connection_are_ignored` |
//! | SYN occupies no sequence number; there is no FIN | neither moves data | `the_handshake_costs_one_round_trip` |
//! | A cut starts from what is in flight, but from no more than the window | RFC 5681 equation 4 would raise a window that has just shrunk | `models/` |
//! | Reno waits for the timer when more is lost in a window that has been cut (`careful`) | RFC 6582 section 3.2 step 2; RFC 5681 says nothing of it | `models/` |
//! | The receiver's window never closes | the application reads at once | - |
//! | After an idle time the window is cut when sending begins again, not by a running timer | the same windows with fewer events | `an_idle_connection_starts_slowly_again` |

mod connection;
mod early;
#[cfg(test)]
mod ecn_timelines;
#[cfg(test)]
mod fuzz;
mod linux26;
#[cfg(test)]
mod linux26_timelines;
#[cfg(test)]
mod models;
#[cfg(test)]
mod ns2_schedules;
mod offload;
#[cfg(test)]
mod pair;
mod prr;
#[cfg(test)]
mod prr_timelines;
mod quench;
mod rack;
#[cfg(test)]
mod rack_timelines;
mod ranges;
mod receiver;
mod recovery;
mod rtt;
mod sack;
mod sender;
mod strategy;
#[cfg(test)]
mod timelines;
mod vegas_ns2;
mod xecn;

pub use quench::Quench;
pub use rtt::RtoLaw;

use std::sync::Arc;

use super::Endpoint;
use super::congestion::hystart::{HyStart, SlowStart};
use super::congestion::{CongestionControl, Cut, Growth, Laws, reno};
use crate::component::{BuildError, Preset};
use crate::packet::Ecn;
use crate::params::{Args, Params as _};
use crate::traffic::Application;
use crate::transport::entry::{Control, Flows, TransportEntry};
use crate::units::{Bytes, Duration, Size};
use crate::{choices, params};
use receiver::Receiver;
use rtt::RttConfig;
use sender::Sender;
use strategy::Strategy;

/// The registry's entry.
pub static ENTRY: TransportEntry = TransportEntry {
    name: "tcp",
    title: "TCP",
    doc: "Reliable transport with a congestion window: loss recovery (Tahoe, Reno, NewReno or SACK) under any \
          congestion control, with or without ECN.",
    reference: "RFC 9293, RFC 5681, RFC 6298, RFC 6582, RFC 6675, RFC 3168, RFC 5682, RFC 8985, RFC 9937, RFC 9406",
    params: Params::SPECS,
    profiles: &[NS2, NS2_2004, NS2_VEGAS, NS2_LINUX, RFC, LINUX],
    control: Some(&reno::ENTRY),
    controlled: true,
    build,
};

const NS2: Preset = Preset {
    name: "ns2",
    doc: "The one-way senders of ns-2 2.35 with their defaults.",
    settings: &[
        ("initial_window", "2"),
        ("growth", "acks"),
        ("cut", "window"),
        ("details", "ns2"),
        ("limited_transmit", "true"),
        ("rto_law", "ticks"),
        ("rto_tick", "10ms"),
        ("rto_min", "200ms"),
        ("rto_initial", "3s"),
        ("rto_max", "60s"),
        ("rto_restart", "fast_retransmit"),
        ("timestamps", "false"),
        ("handshake", "true"),
        ("ack_every", "1"),
        ("ack_delay", "100ms"),
        ("sack_header", "0B"),
        ("ecn_retransmits", "true"),
        ("idle_restart", "one"),
    ],
};

const NS2_2004: Preset = Preset {
    name: "ns2_2004",
    doc: "The one-way senders of ns-2 with the timers of works of around 2004: least timeout 1 s (until October \
          2004), clock ticks of 0.1 s (in releases until March 2002; 10 ms since) and 6 s before the first sample \
          (until January 2006).",
    settings: &[
        ("initial_window", "2"),
        ("growth", "acks"),
        ("cut", "window"),
        ("details", "ns2"),
        ("limited_transmit", "true"),
        ("rto_law", "ticks"),
        ("rto_tick", "100ms"),
        ("rto_min", "1s"),
        ("rto_initial", "6s"),
        ("rto_max", "60s"),
        ("rto_restart", "fast_retransmit"),
        ("timestamps", "false"),
        ("handshake", "true"),
        ("ack_every", "1"),
        ("ack_delay", "100ms"),
        ("sack_header", "0B"),
        ("ecn_retransmits", "true"),
        ("idle_restart", "one"),
    ],
};

const NS2_VEGAS: Preset = Preset {
    name: "ns2_vegas",
    doc: "Vegas of ns-2 2.35, together with control = { kind = \"vegas\", preset = \"ns2\" }: as ns2, but without a \
          SYN, limited transmit and SACK, and from a window of one.",
    settings: &[
        ("recovery", "reno"),
        ("initial_window", "1"),
        ("growth", "acks"),
        ("cut", "window"),
        ("details", "ns2"),
        ("limited_transmit", "false"),
        ("rto_law", "ticks"),
        ("rto_tick", "10ms"),
        ("rto_min", "200ms"),
        ("rto_initial", "3s"),
        ("rto_max", "60s"),
        ("rto_restart", "fast_retransmit"),
        ("timestamps", "false"),
        ("handshake", "false"),
        ("ack_every", "1"),
        ("ack_delay", "100ms"),
        ("sack_header", "0B"),
        ("ecn_retransmits", "true"),
        ("idle_restart", "one"),
    ],
};

const NS2_LINUX: Preset = Preset {
    name: "ns2_linux",
    doc: "The Linux senders of ns-2 2.35 (TCP-Linux) with timestamps, over SACK recovery.",
    settings: &[
        ("header", "50B"),
        ("initial_window", "2"),
        ("growth", "abc"),
        ("cut", "whole"),
        ("details", "linux"),
        ("dup_threshold", "4"),
        ("limited_transmit", "true"),
        ("rto_law", "linux"),
        ("rto_tick", "1ms"),
        ("rto_min", "200ms"),
        ("rto_initial", "3s"),
        ("rto_max", "120s"),
        ("rto_restart", "fast_retransmit"),
        ("timestamps", "true"),
        ("handshake", "true"),
        ("ack_every", "1"),
        ("ack_delay", "100ms"),
        ("sack_header", "0B"),
        ("ecn_retransmits", "true"),
        ("idle_restart", "one"),
    ],
};

const RFC: Preset = Preset {
    name: "rfc",
    doc: "The current standards: RFC 5681, 6298, 6582, 6675, 6928; delayed acknowledgements.",
    settings: &[
        ("initial_window", "auto"),
        ("growth", "bytes"),
        ("cut", "flight"),
        ("details", "rfc"),
        ("limited_transmit", "true"),
        ("rto_law", "real"),
        ("rto_tick", "1ms"),
        ("rto_min", "1s"),
        ("rto_initial", "1s"),
        ("rto_max", "60s"),
        ("rto_restart", "acks"),
        ("timestamps", "true"),
        ("handshake", "true"),
        ("ack_every", "2"),
        ("ack_delay", "200ms"),
        ("sack_header", "4B"),
        ("ecn_retransmits", "false"),
        ("idle_restart", "initial"),
    ],
};

const LINUX: Preset = Preset {
    name: "linux",
    doc: "Present-day Linux: RACK-TLP, proportional rate reduction, undo, F-RTO, its timers and windows, quick \
          acknowledgements; without auto-tuning. CUBIC has a preset `linux` of its own.",
    settings: &[
        ("initial_window", "10"),
        ("growth", "segments"),
        ("cut", "cwnd"),
        ("details", "rfc"),
        ("limited_transmit", "true"),
        ("loss_detection", "rack"),
        ("tail_probe", "true"),
        ("max_ack_delay", "200ms"),
        ("rate_reduction", "prr"),
        ("undo", "true"),
        ("f_rto", "true"),
        ("dsack", "true"),
        ("quick_acks", "16"),
        ("offload", "true"),
        ("defer", "true"),
        ("sack_delay", "1ms"),
        ("pacing", "false"),
        ("slow_start", "standard"),
        ("rto_law", "variation"),
        ("rto_tick", "1ms"),
        ("rto_min", "200ms"),
        ("rto_initial", "1s"),
        ("rto_max", "120s"),
        ("rto_restart", "fast_retransmit"),
        ("timestamps", "true"),
        ("handshake", "true"),
        ("ack_every", "2"),
        ("ack_delay", "40ms"),
        ("sack_header", "4B"),
        ("ecn_retransmits", "false"),
        ("idle_restart", "initial"),
    ],
};

choices! {
    /// How losses are found and repaired.
    pub enum Recovery {
        /// Fast retransmit, then slow start from the loss.
        Tahoe = "tahoe",
        /// Fast recovery that ends with the first new acknowledgement (RFC 2581).
        Reno = "reno",
        /// Fast recovery that repairs one loss per round trip (RFC 6582).
        NewReno = "newreno",
        /// Fast recovery by selective acknowledgements (RFC 6675).
        Sack = "sack",
    }
}

choices! {
    /// Whose details of recovery hold where texts and ns-2 differ.
    pub enum Details {
        /// Those of the RFCs.
        Rfc = "rfc",
        /// Those of ns-2 2.35.
        Ns2 = "ns2",
        /// Those of Linux 2.6 as ns-2's TCP-Linux has them, with SACK: losses are found by the highest segment received, those of
        /// repairs too; the rate is halved during recovery instead of waiting until the window allows sending again, and no
        /// burst follows; the receiver's window bounds the congestion window only.
        Linux = "linux",
    }
}

choices! {
    /// What restarts the retransmission timer.
    pub enum RtoRestart {
        /// An acknowledgement of new data (RFC 6298 rule 5.3; RFC 6582 section 3.2 says of which in recovery).
        Acks = "acks",
        /// The retransmission that begins a recovery, too (ns-2 2.35; Linux).
        FastRetransmit = "fast_retransmit",
        /// Each retransmission of a recovery by SACK, too (RFC 6675 section 6, optional): while others are sent, one that is lost
        /// is not found.
        Retransmissions = "retransmissions",
    }
}

choices! {
    /// How losses are found by SACK.
    pub enum Detection {
        /// By what has been reported above them (RFC 6675 section 4).
        Duplicates = "duplicates",
        /// By time: a segment sent later has arrived (RFC 8985 section 6).
        Rack = "rack",
    }
}

choices! {
    /// How the rate falls to the new window during recovery.
    pub enum Reduction {
        /// Nothing new goes until what is in the network has fallen to the window (RFC 6675 section 5).
        Pause = "pause",
        /// In proportion to what the receiver reports (RFC 9937).
        Proportional = "prr",
    }
}

choices! {
    /// To what the window falls after an idle time of one timeout.
    pub enum IdleRestart {
        /// It does not.
        Off = "off",
        /// The initial window (RFC 5681 section 4.1).
        Initial = "initial",
        /// One segment (ns-2).
        One = "one",
    }
}

choices! {
    /// How a data packet says that it is ECN-capable.
    pub enum EcnCodepoint {
        /// As most senders do.
        Ect0 = "ect0",
        /// As scalable ones do: DualPI2 and PI2 know them by it.
        Ect1 = "ect1",
    }
}

impl EcnCodepoint {
    /// The field of the IP header.
    pub const fn ecn(self) -> Ecn {
        match self {
            EcnCodepoint::Ect0 => Ecn::Ect0,
            EcnCodepoint::Ect1 => Ecn::Ect1,
        }
    }
}

choices! {
    /// What the receiver tells of marks.
    pub enum EcnFeedback {
        /// That there was one, until the sender says that it has reduced its window (RFC 3168 section 6.1.3).
        Rfc3168 = "rfc3168",
        /// Of each acknowledged packet whether it was marked (RFC 8257 section 3.2).
        Dctcp = "dctcp",
        /// Both: a codepoint for each marked packet, and otherwise the echo until the sender has reduced its window
        /// (Tahiliani 2013 section 4.2.2).
        Xecn = "xecn",
    }
}

choices! {
    /// When XECN's count begins again.
    pub enum XecnWindow {
        /// With each round trip.
        RoundTrip = "round_trip",
        /// When all that was out at the last cut has been acknowledged.
        Cut = "cut",
    }
}

params! {
    /// Parameters of TCP.
    pub struct Params {
        /// Size of a full segment on the wire, headers included.
        packet: Bytes = "1000B" in [41.0, 65535.0], "ns-2 2.35";
        /// Headers in it, options included.
        header: Bytes = "40B" in [1.0, 200.0], "RFC 791 and RFC 9293 without options";
        /// Size of an acknowledgement without SACK blocks, and of a SYN.
        ack_size: Bytes = "40B" in [1.0, 1500.0], "RFC 791 and RFC 9293 without options";
        /// Bytes that the first SACK block costs besides its 8.
        sack_header: Bytes = "4B" in [0.0, 40.0], "RFC 2018 section 3 with padding";
        /// How losses are found and repaired.
        recovery: Recovery = "sack", "RFC 6675, the standard";
        /// Receiver's window in packets or bytes of payload; `auto` never limits.
        window: Option<Size> = "auto" in [1.0, 1e12], "a receiver with enough memory";
        /// Initial window in packets; `auto` is RFC 6928's 10, fewer if packets are large.
        initial_window: Option<f64> = "auto" in [1.0, 1e6], "RFC 6928 section 2";
        /// Initial slow start threshold in packets; `auto` is the receiver's window.
        initial_ssthresh: Option<f64> = "auto" in [1.0, 1e9], "RFC 5681 section 3.1";
        /// What an acknowledgement counts for when the window opens.
        growth: Growth = "bytes", "RFC 5681 section 3.1";
        /// What is halved when the window is cut, and how it is rounded.
        cut: Cut = "flight", "RFC 5681 equation 4";
        /// Whose details of recovery hold: those of RFC 6582 and RFC 6675, ns-2's, or Linux 2.6's.
        details: Details = "rfc", "the standards";
        /// Duplicate acknowledgements that mean a loss.
        dup_threshold: u64 = "3" in [1.0, 1000.0], "RFC 5681 section 3.2";
        /// Whether each of the duplicates before them sends a new segment.
        limited_transmit: bool = "true", "RFC 3042";
        /// Whether a new cut needs an acknowledgement of what had been sent at the last one, and without SACK of more.
        careful: bool = "true", "RFC 6582 section 3.2 step 2; RFC 6675 section 5.1";
        /// How losses are found by SACK under `details = "rfc"`.
        loss_detection: Detection = "duplicates", "RFC 6675, the standard";
        /// With `loss_detection = "rack"`: whether the end of a flight is probed after two round trips without an acknowledgement.
        tail_probe: bool = "true", "RFC 8985 section 7";
        /// How long a probe of a single segment waits for a delayed acknowledgement besides.
        max_ack_delay: Duration = "200ms" in [0.0, 10.0], "RFC 8985 section 7.2; Linux";
        /// With `loss_detection = "rack"`: whether a cut is taken back that timestamps or DSACK show to have been made for nothing.
        undo: bool = "false", "RFC 4015 is optional; Linux";
        /// With `loss_detection = "rack"`: whether new data is sent after a timeout before anything else is repaired, to see whether the
        /// timeout was made for nothing (F-RTO).
        f_rto: bool = "false", "RFC 5682 is optional; Linux";
        /// Whether the receiver reports what has come twice (DSACK).
        dsack: bool = "false", "RFC 2883 is optional; Linux";
        /// Segments that are acknowledged at once when a connection begins, and after a duplicate, whatever `ack_every`; if any, so are
        /// two when marks begin, and one with CWR.
        quick_acks: u64 = "0" in [0.0, 255.0], "RFC 5681 section 4.2; 16 in Linux";
        /// With `loss_detection = "rack"`: whether the device gets segments in pairs, or more at high rates. The last of them carries PSH,
        /// which the receiver acknowledges at once.
        offload: bool = "false", "Linux with segmentation offload";
        /// With `offload`: whether what is left of the window waits that allows a part only, if other packets have just left and an
        /// acknowledgement is due within 1 ms.
        defer: bool = "false", "Linux `tcp_tso_should_defer`, since 6.18";
        /// How long the receiver gathers what comes out of order, from the fourth segment of a hole on, before it tells.
        sack_delay: Duration = "0s" in [0.0, 1.0], "RFC 5681 section 4.2: at once; Linux `tcp_comp_sack_delay_ns`";
        /// With `loss_detection = "rack"`: whether segments leave at a rate instead of in bursts.
        pacing: bool = "false", "Linux, without the fq queue and without BBR";
        /// How many windows a paced sender sends per round trip below half of the threshold.
        pacing_slow_start: f64 = "2" in [1.0, 10.0], "Linux `tcp_pacing_ss_ratio`";
        /// The same above.
        pacing_avoidance: f64 = "1.2" in [1.0, 10.0], "Linux `tcp_pacing_ca_ratio`";
        /// How slow start ends without a loss.
        slow_start: SlowStart = "standard", "RFC 5681 section 3.1";
        /// How the rate falls to the new window during a recovery by SACK under `details = "rfc"`.
        rate_reduction: Reduction = "pause", "RFC 6675 section 5";
        /// Least timeout, before back-off.
        rto_min: Duration = "1s" in [0.0, 1000.0], "RFC 6298 rule 2.4";
        /// Greatest timeout.
        rto_max: Duration = "60s" in [0.001, 1e6], "RFC 6298 rule 2.5";
        /// Timeout before the first round-trip sample.
        rto_initial: Duration = "1s" in [0.001, 1e6], "RFC 6298 rule 2.1";
        /// What restarts the timer.
        rto_restart: RtoRestart = "acks", "RFC 6298 section 5";
        /// Granularity of the clock that measures round trips.
        rto_tick: Duration = "1ms" in [0.000_001, 10.0], "a present-day clock";
        /// Arithmetic of the round-trip estimator.
        rto_law: RtoLaw = "real", "RFC 6298 section 2";
        /// Whether each acknowledgement gives a round-trip sample (RFC 7323), or one segment is timed at a time.
        timestamps: bool = "true", "RFC 7323; its option's bytes are part of `header`";
        /// Whether a SYN opens the connection.
        handshake: bool = "true", "RFC 9293 section 3.5";
        /// Segments in order that one acknowledgement answers.
        ack_every: u64 = "2" in [1.0, 1000.0], "RFC 5681 section 4.2";
        /// How long an acknowledgement waits for a second segment.
        ack_delay: Duration = "200ms" in [0.0, 10.0], "RFC 5681 section 4.2 allows up to 500 ms; BSD";
        /// Whether data packets are ECN-capable and marks are answered (RFC 3168).
        ecn: bool = "false", "RFC 3168 leaves it to negotiation";
        /// How a data packet says that it is ECN-capable.
        ecn_codepoint: EcnCodepoint = "ect0", "RFC 3168 section 5; ect1 tells L4S senders (RFC 9331 section 4.1)";
        /// What the receiver tells of marks.
        ecn_feedback: EcnFeedback = "rfc3168", "RFC 3168 section 6.1.3";
        /// Whether the receiver agrees when the sender offers ECN.
        ecn_agreed: bool = "true", "RFC 3168 section 6.1.1";
        /// When XECN's count begins again ("for every new cwnd").
        xecn_window: XecnWindow = "round_trip", "Tahiliani 2013 algorithm 6, our reading";
        /// Lost acknowledgements that XECN's sender takes at most for marked ones; the thesis's text has 7, its algorithm none.
        xecn_lost_acks: u64 = "0" in [0.0, 1e6], "Tahiliani 2013 algorithm 6";
        /// What a choke packet (source quench) does to the window.
        quench: Quench = "one_segment", "4.3BSD";
        /// Whether retransmissions are ECN-capable too, and may carry CWR.
        ecn_retransmits: bool = "false", "RFC 3168 section 6.1.5";
        /// To what the window falls after an idle time of one timeout.
        idle_restart: IdleRestart = "initial", "RFC 5681 section 4.1";
    }
}

/// What all flows of one specification share: checked, in the units of the hot path.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a parameter of its own")]
pub(crate) struct Config {
    packet: u32,
    mss: u32,
    ack_size: u32,
    sack_header: u32,
    ack_every: u32,
    dup_threshold: u32,
    /// Receiver's window in whole segments.
    window: u64,
    initial_window: f64,
    initial_ssthresh: f64,
    laws: Laws,
    recovery: Recovery,
    details: Details,
    sack: bool,
    limited_transmit: bool,
    careful: bool,
    rate_reduction: Reduction,
    strategy: Strategy,
    tail_probe: bool,
    max_ack_delay: Duration,
    undo: bool,
    f_rto: bool,
    dsack: bool,
    quick_acks: u8,
    offload: bool,
    defer: bool,
    sack_delay: Duration,
    pacing: bool,
    pacing_slow_start: f64,
    pacing_avoidance: f64,
    slow_start: SlowStart,
    timestamps: bool,
    handshake: bool,
    ecn: bool,
    ecn_codepoint: EcnCodepoint,
    ecn_feedback: EcnFeedback,
    ecn_agreed: bool,
    xecn_window: XecnWindow,
    xecn_lost_acks: u64,
    quench: Quench,
    ecn_retransmits: bool,
    idle_restart: IdleRestart,
    rto_restart: RtoRestart,
    ack_delay: Duration,
    rtt: RttConfig,
    control: Control,
    /// The law lives on samples of the delivery rate.
    samples: bool,
}

/// Segments that no SACK offset outgrows: 4 GiB.
const WINDOW_MAX_BYTES: u64 = u32::MAX as u64;

impl Config {
    fn new(params: &Params, control: Control) -> Result<Self, BuildError> {
        let Some(mss) = params.packet.0.checked_sub(params.header.0).filter(|&mss| mss > 0) else {
            return Err(BuildError::new(
                "packet",
                format!("a packet of {} bytes has no room behind a header of {}", params.packet.0, params.header.0),
                "packet must be larger than header",
            ));
        };
        if params.rto_min > params.rto_max {
            return Err(BuildError::new("rto_min", "it is longer than rto_max", "rto_min must be at most rto_max"));
        }
        let window = receiver_window(params.window, mss)?;
        let law = (control.entry.build)(&control.args);
        let (early, samples) = (law.early_retransmission(), law.samples());
        let strategy = Strategy::of(params.recovery, params.details, params.loss_detection, early);
        if samples && strategy != Strategy::Rack {
            return Err(BuildError::new(
                "loss_detection",
                format!("{} paces its segments, and measures how fast each is delivered", control.entry.title),
                "write profile = \"linux\", or recovery = \"sack\", details = \"rfc\" and loss_detection = \"rack\"",
            ));
        }
        Ok(Config {
            packet: params.packet.0 as u32,
            mss: mss as u32,
            ack_size: params.ack_size.0 as u32,
            sack_header: params.sack_header.0 as u32,
            ack_every: params.ack_every as u32,
            dup_threshold: params.dup_threshold as u32,
            window,
            initial_window: params.initial_window.unwrap_or_else(|| rfc6928_window(mss)),
            initial_ssthresh: params.initial_ssthresh.unwrap_or(match params.window {
                Some(_) => window as f64,
                None => f64::INFINITY,
            }),
            laws: Laws { growth: params.growth, cut: params.cut },
            recovery: params.recovery,
            details: params.details,
            sack: params.recovery == Recovery::Sack,
            limited_transmit: params.limited_transmit,
            careful: params.careful,
            rate_reduction: params.rate_reduction,
            strategy,
            tail_probe: params.tail_probe,
            max_ack_delay: params.max_ack_delay,
            undo: params.undo,
            f_rto: params.f_rto,
            dsack: params.dsack,
            quick_acks: params.quick_acks as u8,
            offload: params.offload,
            defer: params.defer,
            sack_delay: params.sack_delay,
            pacing: params.pacing,
            pacing_slow_start: params.pacing_slow_start,
            pacing_avoidance: params.pacing_avoidance,
            slow_start: params.slow_start,
            timestamps: params.timestamps,
            handshake: params.handshake,
            ecn: params.ecn,
            ecn_codepoint: params.ecn_codepoint,
            ecn_feedback: params.ecn_feedback,
            ecn_agreed: params.ecn_agreed,
            xecn_window: params.xecn_window,
            xecn_lost_acks: params.xecn_lost_acks,
            quench: params.quench,
            ecn_retransmits: params.ecn_retransmits,
            idle_restart: params.idle_restart,
            rto_restart: params.rto_restart,
            ack_delay: params.ack_delay,
            rtt: RttConfig {
                law: params.rto_law,
                tick: params.rto_tick,
                min: params.rto_min,
                max: params.rto_max,
                initial: params.rto_initial,
            },
            control,
            samples,
        })
    }
}

impl Config {
    /// A window law for one sender.
    fn law(&self) -> Box<dyn CongestionControl> {
        let law = (self.control.entry.build)(&self.control.args);
        match self.slow_start {
            SlowStart::Standard => law,
            SlowStart::HystartPlus => Box::new(HyStart::new(law)),
        }
    }
}

/// In whole segments, at least one.
fn receiver_window(window: Option<Size>, mss: u64) -> Result<u64, BuildError> {
    let most = (WINDOW_MAX_BYTES / mss).max(1);
    match window {
        None => Ok(most),
        Some(Size::Packets(n)) => Ok((n as u64).clamp(1, most)),
        Some(Size::Bytes(n)) => Ok((n as u64 / mss).clamp(1, most)),
        Some(Size::Bdp(_) | Size::Time(_)) => Err(BuildError::new(
            "window",
            "a receiver's window is not an amount of queue",
            "write packets or bytes, such as \"100p\" or \"64KiB\"",
        )),
    }
}

/// RFC 6928 §2: min(10 MSS, max(2 MSS, 14600)), in segments.
fn rfc6928_window(mss: u64) -> f64 {
    (14600.0 / mss as f64).clamp(2.0, 10.0)
}

fn build(args: &Args, control: Option<Control>) -> Result<Arc<dyn Flows>, BuildError> {
    let control = control.unwrap_or_else(|| Control { entry: &reno::ENTRY, args: Args::defaults(reno::ENTRY.params) });
    Ok(Arc::new(TcpFlows { config: Arc::new(Config::new(&args.typed(), control)?) }))
}

struct TcpFlows {
    config: Arc<Config>,
}

impl Flows for TcpFlows {
    fn endpoints(&self, app: Box<dyn Application>) -> (Box<dyn Endpoint>, Box<dyn Endpoint>) {
        let sender = Sender::new(Arc::clone(&self.config), app);
        (Box::new(sender), Box::new(Receiver::new(Arc::clone(&self.config))))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Defaults without delayed acknowledgements, then `settings`; `profile` first if given. `control` names a
    /// control, `control.preset` its preset, `control.x` sets its parameter x.
    pub(crate) fn config(settings: &[(&str, &str)]) -> Arc<Config> {
        let (profile, rest): (Vec<_>, Vec<_>) = settings.iter().partition(|(name, _)| *name == "profile");
        let mut args = ENTRY.args(profile.first().map(|(_, name)| *name)).expect("a profile");
        if profile.is_empty() {
            args.set_text("ack_every", "1").expect("a number");
        }
        let law = rest.iter().find(|(name, _)| *name == "control").map_or("reno", |(_, law)| *law);
        let entry = crate::registry::control(law).expect("a control");
        let preset = rest.iter().find(|(name, _)| *name == "control.preset").map(|(_, preset)| *preset);
        let mut control = Control { entry, args: entry.args(preset).expect("a preset") };
        for (name, value) in rest {
            match name.strip_prefix("control.") {
                Some("preset") => {}
                Some(own) => control.args.set_text(own, value).expect("a valid setting"),
                None if name == "control" => {}
                None => args.set_text(name, value).expect("a valid setting"),
            }
        }
        Arc::new(Config::new(&args.typed(), control).expect("consistent parameters"))
    }

    #[test]
    fn the_initial_window_is_ten_unless_packets_are_large() {
        // RFC 6928 §2 with MSS 960, 1460 and 8960.
        assert_eq!(rfc6928_window(960).to_bits(), 10.0_f64.to_bits());
        assert_eq!(rfc6928_window(1460).to_bits(), 10.0_f64.to_bits());
        assert_eq!(rfc6928_window(8960).to_bits(), 2.0_f64.to_bits());
    }

    #[test]
    fn ns2_of_2004_differs_from_todays_in_its_timers_alone() {
        let other: Vec<_> =
            NS2.settings.iter().zip(NS2_2004.settings).filter(|(new, old)| new != old).map(|(_, old)| *old).collect();
        // The dates stand beside the defaults in ns-2 2.35's ns-default.tcl (tcpTick_, minrto_, rtxcur_init_).
        assert_eq!(other, [("rto_tick", "100ms"), ("rto_min", "1s"), ("rto_initial", "6s")]);
        assert_eq!(NS2.settings.len(), NS2_2004.settings.len());
    }

    #[test]
    fn a_window_in_bytes_is_whole_segments() {
        assert_eq!(receiver_window(Some(Size::Bytes(65536.0)), 960), Ok(68));
        assert_eq!(receiver_window(Some(Size::Bytes(10.0)), 960), Ok(1));
        assert_eq!(receiver_window(Some(Size::Packets(20.0)), 960), Ok(20));
        assert!(receiver_window(Some(Size::Bdp(2.0)), 960).is_err());
    }

    #[test]
    fn a_packet_must_hold_more_than_its_header() {
        let params = Params { packet: Bytes(50), header: Bytes(50), ..Params::default() };
        let control = Control { entry: &reno::ENTRY, args: Args::defaults(reno::ENTRY.params) };
        assert_eq!(Config::new(&params, control).expect_err("no room").param, "packet");
    }
}
