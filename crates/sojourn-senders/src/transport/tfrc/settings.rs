//! TFRC's parameters, and the values that flows with the same parameters share.

use super::loss_history::Weighting;
use super::rate::RateLaws;
use crate::component::BuildError;
use crate::params::Fraction;
use crate::transport::paced::Sizes;
use crate::units::{Bytes, Duration};
use crate::{choices, params};

choices! {
    /// The value of t_RTO in the throughput equation.
    pub enum Timeout {
        /// Four round trips.
        RoundTrips = "4r",
        /// The value of TCP's estimator in whole ticks (ns-2 2.35).
        Ticks = "ticks",
    }
}

choices! {
    /// How the rate rises when the equation allows more.
    pub enum Increase {
        /// To the rate of the equation, at once.
        Equation = "equation",
        /// By at most a packet per round trip in each round trip; at most two round trips count (ns-2 2.35).
        Packet = "packet",
    }
}

choices! {
    /// When feedback is due while no loss event begins.
    pub enum FeedbackLaw {
        /// A round trip after the last, if anything has come.
        Timer = "timer",
        /// When a packet arrives a round trip or more after the last, or one and a half round trips after it if anything has come
        /// (ns-2 2.35).
        Packet = "packet",
    }
}

choices! {
    /// By which times losses are a round trip apart, and so two loss events.
    pub enum LossClock {
        /// When packets came, or would have come.
        Arrival = "arrival",
        /// The times at which they were sent, by their time stamps (ns-2 2.35).
        Sending = "sending",
    }
}

params! {
    pub struct Params {
        /// Size of a full packet on the wire, headers included.
        packet: Bytes = "1000B" in [2.0, 65535.0], "ns-2 2.35";
        /// Bytes of a full packet that are headers.
        header: Bytes = "32B" in [1.0, 200.0], "RFC 791 and RFC 4340 section 5.1 with short sequence numbers; ns-2 2.35";
        /// Size of a feedback packet.
        feedback_size: Bytes = "40B" in [1.0, 1500.0], "ns-2 2.35";
        /// Whether packets are ECN-capable; a mark then counts as a loss.
        ecn: bool = "false", "RFC 5348 section 5.1 leaves it open";
        /// Packets with higher numbers that must come before one is held to be lost.
        dup_threshold: u64 = "3" in [1.0, 1000.0], "RFC 5348 section 5.1";
        /// Loss intervals in the average.
        intervals: u64 = "8" in [1.0, 64.0], "RFC 5348 section 5.4";
        /// Whether old loss intervals lose weight when the present one is long.
        discounting: bool = "true", "RFC 5348 section 5.5, optional; ns-2 2.35";
        /// The least that discounting leaves of their weight.
        discount_min: Fraction = "0.25" in [0.0, 1.0], "RFC 5348 section 5.5", when discounting in ["true"];
        /// Weight of the past in the averages of the round-trip time and of its square root.
        rtt_memory: Fraction = "0.9" in [0.0, 0.999], "RFC 5348 sections 4.3 and 4.5";
        /// Whether the rate is lowered while the round-trip time is above its average.
        damping: bool = "true", "RFC 5348 section 4.5";
        /// The value of t_RTO in the throughput equation.
        timeout: Timeout = "4r", "RFC 5348 section 3.1";
        /// Tick of the estimator, if t_RTO is estimated.
        timeout_tick: Duration = "100ms" in [0.000_001, 10.0], "ns-2 2.35", when timeout in ["ticks"];
        /// How the rate rises when the equation allows more.
        increase: Increase = "equation", "RFC 5348 section 4.3";
        /// When feedback is due while no loss event begins.
        feedback: FeedbackLaw = "timer", "RFC 5348 section 6.2";
        /// By which times losses are a round trip apart, and so two loss events.
        loss_clock: LossClock = "arrival", "RFC 5348 section 5.2";
    }
}

/// The common part of all flows of one specification.
#[derive(Debug)]
pub(super) struct Config {
    pub sizes: Sizes,
    pub ecn: bool,
    pub dup_threshold: u64,
    pub weighting: Weighting,
    pub rate: RateLaws,
    pub feedback: FeedbackLaw,
    pub loss_clock: LossClock,
}

impl Config {
    pub fn new(params: &Params) -> Result<Self, BuildError> {
        Ok(Config {
            sizes: Sizes::new(params.packet, params.header, params.feedback_size)?,
            ecn: params.ecn,
            dup_threshold: params.dup_threshold,
            weighting: Weighting {
                intervals: params.intervals as usize,
                discount_min: params.discounting.then_some(params.discount_min.0),
            },
            rate: RateLaws {
                memory: params.rtt_memory.0,
                damping: params.damping,
                tick: (params.timeout == Timeout::Ticks).then(|| params.timeout_tick.as_secs_f64()),
                by_packets: params.increase == Increase::Packet,
            },
            feedback: params.feedback,
            loss_clock: params.loss_clock,
        })
    }
}
