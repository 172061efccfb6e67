//! TFRC: datagrams at the rate that a TCP would have in the long run, but smooth. Specification: RFC 5348. Compared
//! with: ns-2 2.35 `Agent/TFRC` (tests/peers/explicit.py).
//!
//! The receiver finds loss events and tells their rate once in a round trip (`loss.rs`, `receiver.rs`); the sender
//! puts it into TCP's throughput equation (`equation.rs`), bounds the result by the receive rate (`rate.rs`) and sends
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
mod settings;
mod ticks;

use std::sync::Arc;

use crate::component::BuildError;
use crate::params::Args;
use crate::presets;
use crate::queue::drawing::{Axis, Graph};
use crate::transport::entry::{Control, Flows, TransportEntry};
use crate::transport::paced::Sender;
use crate::units::{Duration, Instant};
use rate::{AllowedRate, Feedback};
use receiver::Receiver;
use sender::Tfrc;
use settings::{Config, Params};

pub static ENTRY: TransportEntry = TransportEntry {
    name: "tfrc",
    title: "TFRC",
    doc: "Datagrams at the rate that TCP's throughput equation gives for the loss event rate that the receiver \
          reports: friendly to TCP, but smooth. Nothing is sent again.",
    reference: "RFC 5348",
    profiles: presets! {
        /// The constants of ns-2 2.35's Agent/TFRC: a packet is lost when a later one has come, slower averages, weaker discounting of old
        /// loss intervals, t_RTO from TCP's estimator with ticks of 100 ms, a rise of a packet per round trip in each, feedback when a
        /// packet comes a round trip after the last, losses apart by when packets were sent.
        ns2 = {
            dup_threshold = "1", rtt_memory = "0.95", discount_min = "0.5", timeout = "ticks", timeout_tick = "100ms", increase = "packet",
            feedback = "packet", loss_clock = "sending",
        };
    },
    law: Some(draw_law),
    ..TransportEntry::of::<Params>(build)
};

fn build(args: &Args, _control: Option<Control>) -> Result<Flows, BuildError> {
    let config = Arc::new(Config::new(&args.typed())?);
    Ok(Arc::new(move |app| {
        let sender = Sender::new(config.sizes, Tfrc::new(&config), app);
        (Box::new(sender), Box::new(Receiver::new(Arc::clone(&config))))
    }))
}

/// The rate that the equation allows, by the loss event rate that the receiver reports.
fn draw_law(args: &Args) -> Result<Graph, BuildError> {
    const RTT: Duration = Duration::from_millis(100);
    let config = Config::new(&args.typed())?;
    let packets = |percent: f64| {
        let mut allowed = AllowedRate::new(f64::from(config.sizes.payload), config.rate);
        let loss_event_rate = percent / 100.0;
        let feedback = Feedback { rtt: RTT, loss_event_rate, received: f64::INFINITY, data_limited: false };
        allowed.on_feedback(Instant::ZERO, &feedback);
        RTT.as_secs_f64() / allowed.spacing().as_secs_f64()
    };
    let graph = Graph::new(Axis::new("loss event rate", "%"), Axis::new("allowed rate", "packets per round trip"));
    Ok(graph
        .about(
            "Drawn for round trips of 100 ms. The other limit, twice the rate at which packets arrived, is left out.",
        )
        .curve("", (0.1, 10.0), &[], packets))
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
