//! The meaning of TCP's parameters for its senders and receivers.

use super::receiver::counts::Counts;
use super::rtt::RttConfig;
use super::settings::{Arrivals, Details, EcnCodepoint, EcnFeedback, Params, Recovery};
use super::strategy::Strategy;
use crate::component::BuildError;
use crate::packet::{Ecn, SackBlocks};
use crate::transport::congestion::controlled::Controlled;
use crate::transport::congestion::{Counting, Growth, Sampler, Told};
use crate::transport::entry::Control;
use crate::units::Size;

/// The parameters that all flows of one specification share. They go together.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a parameter of its own")]
pub(crate) struct Config {
    /// The parameters as they were written. Those below are in other units, or follow from several.
    pub(super) params: Params,
    pub(super) packet: u32,
    pub(super) mss: u32,
    pub(super) ack_size: u32,
    /// Size of a SYN and of a SYN-ACK, in bytes.
    pub(super) syn_size: u32,
    pub(super) sack_header: u32,
    pub(super) ack_every: u32,
    pub(super) dup_threshold: u32,
    /// The receiver's window in whole segments.
    pub(super) window: u64,
    pub(super) initial_window: f64,
    pub(super) initial_ssthresh: f64,
    pub(super) counting: Counting,
    /// True if the window grows only while it limits the sender.
    pub(super) validates: bool,
    pub(super) sack: bool,
    pub(super) strategy: Strategy,
    pub(super) quick_acks: u8,
    /// True if segments echo the receiver's clock. A segment has no room for that beside a message to queues.
    pub(super) clocks: bool,
    /// The largest buffer of a receiver, in bytes.
    pub(super) receive_buffer: u64,
    /// In bytes, where the application's data has to fit into it.
    pub(super) send_buffer: Option<u64>,
    pub(super) ecn: bool,
    pub(super) ecn_codepoint: EcnCodepoint,
    pub(super) ecn_feedback: EcnFeedback,
    /// True if SYNs and retransmissions are ECN-capable.
    pub(super) ecn_always: bool,
    pub(super) ecn_retransmits: bool,
    pub(super) rtt: RttConfig,
    pub(super) control: Control,
    /// True if the law uses samples of the delivery rate, their rule, and if that is Linux's.
    pub(super) samples: bool,
    pub(super) sampler: Sampler,
    pub(super) samples_as_linux: bool,
    /// True if the law follows each acknowledgement and the state of the sender.
    pub(super) attends: bool,
    /// True if the law uses what has been received since a segment was sent, by samples or otherwise.
    pub(super) deliveries: bool,
}

/// The most bytes in flight, which every SACK offset can express: 2 GiB.
const WINDOW_MAX_BYTES: u64 = SackBlocks::OFFSET_MAX as u64;

impl Config {
    pub(super) fn new(params: &Params, control: Control) -> Result<Self, BuildError> {
        let Some(mss) = params.packet.0.checked_sub(params.header.0).filter(|&mss| mss > 0) else {
            return Err(BuildError::new(
                "packet",
                format!("a packet of {} bytes has no room behind a header of {}", params.packet.0, params.header.0),
                "packet must be larger than header",
            ));
        };
        fits_together(params)?;
        let window = receiver_window(params.window, mss)?;
        let mut law = (control.entry.build)(&control.args);
        let needs = law.needs();
        let sampler = law.sampled().map(|law| law.sampler());
        let (samples, attends) = (sampler.is_some(), law.attentive().is_some());
        let strategy = Strategy::of(params.recovery, params.details);
        if samples && strategy != Strategy::Rack {
            return Err(BuildError::new(
                "recovery",
                format!("{} paces its segments, and measures how fast each is delivered", control.entry.title),
                "write profile = \"linux\", or recovery = \"rack\" with profile = \"rfc\"",
            ));
        }
        let (ecn, ecn_feedback) = marks(params, &control, needs.marks)?;
        // Linux, where the law needs ECN (RFC 8257 sections 3.6 and 4.1).
        let ecn_always = matches!(needs.marks, Told::Packets | Told::Counted) && params.growth == Growth::Segments;
        Ok(Config {
            params: params.clone(),
            packet: params.packet.0 as u32,
            mss: mss as u32,
            ack_size: params.ack_size.0 as u32,
            syn_size: (params.ack_size.0 + params.syn_options.0) as u32,
            sack_header: params.sack_header.0 as u32,
            ack_every: params.ack_every as u32,
            dup_threshold: params.dup_threshold as u32,
            window,
            initial_window: params.initial_window.unwrap_or_else(|| rfc6928_window(mss)),
            initial_ssthresh: params.initial_ssthresh.unwrap_or(match params.window {
                Some(_) => window as f64,
                None => f64::INFINITY,
            }),
            counting: Counting { growth: params.growth, cut: params.cut },
            validates: params.window_validation,
            sack: matches!(params.recovery, Recovery::Sack | Recovery::Rack),
            strategy,
            quick_acks: params.quick_acks as u8,
            clocks: params.tuning && law.explicit().is_none(),
            receive_buffer: params.receive_buffer.0,
            send_buffer: params.send_buffer.map(|bytes| bytes.0).filter(|_| strategy == Strategy::Rack),
            ecn,
            ecn_codepoint: params.ecn_codepoint.unwrap_or(match needs.marks {
                Told::Counted => EcnCodepoint::Ect1,
                Told::Congestion | Told::Packets | Told::Marks => EcnCodepoint::Ect0,
            }),
            ecn_feedback,
            ecn_always,
            ecn_retransmits: params.ecn_retransmits || ecn_always,
            rtt: RttConfig {
                law: params.rto_law,
                tick: params.rto_tick,
                min: params.rto_min,
                max: params.rto_max,
                initial: params.rto_initial,
            },
            control,
            samples,
            sampler: sampler.unwrap_or_default(),
            samples_as_linux: sampler == Some(Sampler::Linux),
            attends,
            deliveries: samples || needs.deliveries,
        })
    }
}

impl Config {
    /// The number of times that a SYN may be sent again before the initial window is one segment (RFC 5681 section 3.1). Linux ignores the
    /// first loss since its timeout is a second.
    pub(super) fn syns_forgiven(&self) -> u8 {
        u8::from(self.params.arrivals == Arrivals::Linux)
    }

    /// The number of timeouts of a SYN that do not double the next one (Linux `tcp_syn_linear_timeouts`).
    pub(super) fn syns_without_back_off(&self) -> u8 {
        if self.params.arrivals == Arrivals::Linux { 4 } else { 0 }
    }

    /// The counts of a receiver with accurate ECN, whose SYN arrived with this codepoint. `offered` says that it offered ECN.
    pub(super) fn counts(&self, syn: Ecn, offered: bool) -> Option<Box<Counts>> {
        let has_option = self.ecn_feedback == EcnFeedback::AccurateWithBytes;
        let counts = self.ecn && offered && self.ecn_feedback.is_accurate();
        counts.then(|| Box::new(Counts::new(syn, has_option)))
    }

    /// A window law for one sender.
    pub(super) fn law(&self) -> Controlled {
        let law = (self.control.entry.build)(&self.control.args);
        Controlled::new(law, self.params.slow_start, self.strategy == Strategy::Rack)
    }
}

/// Parts of Linux need losses that are found by time, which ns-2 does not do.
fn repairs_as_the_rest(params: &Params) -> Result<(), BuildError> {
    let needed = params.f_rto || params.offload;
    let (what, hint) = match params.recovery {
        Recovery::Rack if params.details == Details::Ns2 => (
            "it is \"rack\", and ns-2 has no recovery by time",
            "write recovery = \"sack\", or profile = \"rfc\" or \"linux\"",
        ),
        Recovery::Sack if needed => (
            "it is \"sack\", and f_rto and offload, as in profile \"linux\", need losses that are found by time",
            "leave it out or write \"rack\", which was called \"sack\" here; for RFC 6675 write f_rto = false and offload = false, too",
        ),
        Recovery::Tahoe | Recovery::Reno | Recovery::NewReno if needed => (
            "it has no SACK, and Linux's recovery without SACK is not built",
            "write recovery = \"rack\", or profile = \"rfc\" with recovery = \"newreno\"",
        ),
        _ => return Ok(()),
    };
    Err(BuildError::new("recovery", what, hint))
}

/// Refuses settings that contradict each other.
fn fits_together(params: &Params) -> Result<(), BuildError> {
    if params.rto_min > params.rto_max {
        return Err(BuildError::new("rto_min", "it is longer than rto_max", "rto_min must be at most rto_max"));
    }
    repairs_as_the_rest(params)
}

/// Whether data is ECN-capable, and the report of marks by the receiver. Both are as the law needs, unless the parameters differ.
fn marks(params: &Params, control: &Control, needs: Told) -> Result<(bool, EcnFeedback), BuildError> {
    let title = control.entry.title;
    let feedback = match needs {
        Told::Congestion => {
            return Ok((params.ecn.unwrap_or(false), params.ecn_feedback.unwrap_or(EcnFeedback::Rfc3168)));
        }
        Told::Packets => EcnFeedback::Dctcp,
        Told::Marks => EcnFeedback::Xecn,
        Told::Counted => EcnFeedback::Accurate,
    };
    if params.ecn == Some(false) {
        return Err(BuildError::new(
            "ecn",
            format!("it is false, and {title} lives on marks: without them it is Reno"),
            "leave ecn out, write ecn = true, or write control = \"reno\"",
        ));
    }
    if params.ecn_feedback == Some(EcnFeedback::Rfc3168) {
        return Err(BuildError::new(
            "ecn_feedback",
            format!("it is \"rfc3168\", which tells once of any number of marks, and {title} weighs each"),
            "leave ecn_feedback out, or write \"accecn\", \"dctcp\" or \"xecn\"",
        ));
    }
    Ok((true, params.ecn_feedback.unwrap_or(feedback)))
}

/// The receiver's window in whole segments, at least one.
pub(super) fn receiver_window(window: Option<Size>, mss: u64) -> Result<u64, BuildError> {
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
pub(super) fn rfc6928_window(mss: u64) -> f64 {
    (14600.0 / mss as f64).clamp(2.0, 10.0)
}
