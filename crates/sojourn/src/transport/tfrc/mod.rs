//! TFRC: datagrams at the rate that a TCP would have in the long run, but smooth. Specification: RFC 5348. Compared
//! with: ns-2 2.35 `Agent/TFRC` (tests/peers/explicit.py).
//!
//! The receiver finds loss events and tells their rate once in a round trip (`loss.rs`, `receiver.rs`); the sender
//! puts it into TCP's throughput equation (`equation.rs`), bounds the result by what arrives (`rate.rs`) and sends
//! one packet after the other at that pace (`sender.rs`).
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | A packet that comes after it was held to be lost does not undo the loss event | RFC 5348 section 5.1 permits it and expects little of it | `a_late_packet_fills_its_hole_only_in_time` |
//! | The mean segment size is that of the last packets, not of four loss intervals | only the receiver knows the intervals (section 4.1) | `small_packets_are_sent_as_often_as_large_ones` |
//! | No packet is sent before its time, and unused times are not made up for | section 4.6 permits both for coarse clocks | `packets_leave_one_by_one_at_the_allowed_rate` |
//! | Timers that could change nothing while nothing is sent are not run | the same rates with fewer events | `an_idle_sender_keeps_its_initial_rate` |

mod equation;
mod loss_history;
mod rate;
mod receiver;
mod sender;
mod ticks;

use std::sync::Arc;

use super::Endpoint;
use crate::component::{BuildError, Preset};
use crate::params::{Args, Fraction, Params as _};
use crate::traffic::Application;
use crate::transport::entry::{Control, Flows, TransportEntry};
use crate::transport::paced::{Sender, Sizes};
use crate::units::{Bytes, Duration};
use crate::{choices, params};
use loss_history::Weighting;
use rate::RateLaws;
use receiver::Receiver;
use sender::Tfrc;

/// The registry's entry.
pub static ENTRY: TransportEntry = TransportEntry {
    name: "tfrc",
    title: "TFRC",
    doc: "Datagrams at the rate that TCP's throughput equation gives for the loss event rate that the receiver \
          reports: friendly to TCP, but smooth. Nothing is sent again.",
    reference: "RFC 5348",
    params: Params::SPECS,
    profiles: &[Preset {
        name: "ns2",
        doc: "The constants of ns-2 2.35's Agent/TFRC: a packet is lost when a later one has come, slower averages, \
              weaker discounting of old loss intervals, t_RTO from TCP's estimator with ticks of 100 ms, a rise of a \
              packet per round trip in each, feedback when a packet comes a round trip after the last, losses apart by when \
              packets were sent.",
        settings: &[
            ("dup_threshold", "1"),
            ("rtt_memory", "0.95"),
            ("discount_min", "0.5"),
            ("timeout", "ticks"),
            ("timeout_tick", "100ms"),
            ("increase", "packet"),
            ("feedback", "packet"),
            ("loss_clock", "sending"),
        ],
    }],
    control: None,
    controlled: true,
    build,
};

choices! {
    /// What t_RTO is in the throughput equation.
    pub enum Timeout {
        /// Four round trips.
        RoundTrips = "4r",
        /// What TCP's estimator gives in whole ticks (ns-2 2.35).
        Ticks = "ticks",
    }
}

choices! {
    /// How the rate rises when the equation allows more.
    pub enum Increase {
        /// To what the equation allows, at once.
        Equation = "equation",
        /// By at most a packet per round trip in each round trip, of which two at most count (ns-2 2.35).
        Packet = "packet",
    }
}

choices! {
    /// When feedback is due while no loss event begins.
    pub enum FeedbackLaw {
        /// A round trip after the last, if anything has come.
        Timer = "timer",
        /// When a packet comes a round trip or more after the last, or one and a half round trips after it if anything has come
        /// (ns-2 2.35).
        Packet = "packet",
    }
}

choices! {
    /// By which times losses are a round trip apart, and so two loss events.
    pub enum LossClock {
        /// When packets came, or would have come.
        Arrival = "arrival",
        /// When they were sent, as their time stamps say (ns-2 2.35).
        Sending = "sending",
    }
}

params! {
    /// Parameters of TFRC.
    pub struct Params {
        /// Size of a full packet on the wire, headers included.
        packet: Bytes = "1000B" in [2.0, 65535.0], "ns-2 2.35";
        /// Headers in it.
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
        discount_min: Fraction = "0.25" in [0.0, 1.0], "RFC 5348 section 5.5";
        /// Weight of the past in the averages of the round-trip time and of its square root.
        rtt_memory: Fraction = "0.9" in [0.0, 0.999], "RFC 5348 sections 4.3 and 4.5";
        /// Whether the rate is lowered while the round-trip time is above its average.
        damping: bool = "true", "RFC 5348 section 4.5";
        /// What t_RTO is in the throughput equation.
        timeout: Timeout = "4r", "RFC 5348 section 3.1";
        /// Tick of the estimator, where it is estimated.
        timeout_tick: Duration = "100ms" in [0.000_001, 10.0], "ns-2 2.35";
        /// How the rate rises when the equation allows more.
        increase: Increase = "equation", "RFC 5348 section 4.3";
        /// When feedback is due while no loss event begins.
        feedback: FeedbackLaw = "timer", "RFC 5348 section 6.2";
        /// By which times losses are a round trip apart, and so two loss events.
        loss_clock: LossClock = "arrival", "RFC 5348 section 5.2";
    }
}

/// What all flows of one specification share.
#[derive(Debug)]
struct Config {
    sizes: Sizes,
    ecn: bool,
    dup_threshold: u64,
    weighting: Weighting,
    rate: RateLaws,
    feedback: FeedbackLaw,
    loss_clock: LossClock,
}

impl Config {
    fn new(params: &Params) -> Result<Self, BuildError> {
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

struct TfrcFlows {
    config: Arc<Config>,
}

fn build(args: &Args, _control: Option<Control>) -> Result<Arc<dyn Flows>, BuildError> {
    Ok(Arc::new(TfrcFlows { config: Arc::new(Config::new(&args.typed())?) }))
}

impl Flows for TfrcFlows {
    fn endpoints(&self, app: Box<dyn Application>) -> (Box<dyn Endpoint>, Box<dyn Endpoint>) {
        let sender = Sender::new(self.config.sizes, Tfrc::new(&self.config), app);
        (Box::new(sender), Box::new(Receiver::new(Arc::clone(&self.config))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_without_room_is_refused() {
        let mut args = ENTRY.args(None).expect("defaults");
        args.set_text("packet", "32B").expect("in range");
        assert_eq!(build(&args, None).map(|_| ()).map_err(|error| error.param), Err("packet"));
    }
}
