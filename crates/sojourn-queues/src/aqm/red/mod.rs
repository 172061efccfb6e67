//! RED: drops or marks arrivals at random with a probability that rises with the average queue, so that
//! senders slow down before the buffer is full. Specification: Floyd and Jacobson, "Random Early
//! Detection Gateways for Congestion Avoidance", IEEE/ACM ToN 1(4), 1993 [Flo93]; gentle: Floyd, "Recommendation
//! on using the gentle_ variant of RED", 2000. Compared with: ns-2 2.35 `Queue/RED`. Linux's is [a queue of its own](super::sch_red).
//!
//! The mechanisms are in files of their own, for the algorithms that change one of them:
//! [`Average`], [`Curve`], [`Spacing`], put together in [`Red`], and [`Adaptive`], which moves its max_p.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | A random number of exactly 0 drops nothing at p_a = 0; ns-2 tests U <= p_a | a probability of 0 means never | `at_p_a_zero_nothing_is_dropped` |
//! | In byte mode a packet joins if it fits; ns-2 lets the last one overshoot the limit | limits hold | `byte_mode_counts_mean_packets_in_bytes` |
//! | Automatic thresholds are at most the limit; ns-2 takes them as they come | above the limit they would do nothing | `automatic_thresholds_are_at_most_the_limit` |
//! | An automatic w_q spans one second, or ten base round-trip times if asked; ns-2 takes ten times three link delays where that is longer than a second | a queue does not know its link's delay | `the_automatic_weight_follows_its_rule` |
//! | Between idle periods the average is not touched at an empty queue under transmission, as in ns-2; [Flo93] starts the idle time there | the link is not idle | `the_average_decays_only_while_the_link_is_idle` |

use crate::queue::prelude::*;

mod adaptation;
mod average;
mod curve;
mod decision;
mod drawn;
mod settings;
mod spacing;
mod thinning;

pub use adaptation::{Adaptation, Adaptive, Bounds, Clock, GentleSlope, Law, Reach, Seen, auto_bottom};
pub use average::{Average, IdleDecay, Mode, weight_for};
pub use curve::{Above, Curve};
pub use decision::{Red, red_hooks};
pub use drawn::distinct;
pub use settings::{Settings, WeightRule};
pub use spacing::{Count, Spacing, p_a};
pub use thinning::Thinning;

pub(crate) static ENTRY: QueueEntry = QueueEntry {
    name: "red",
    title: "RED (random early detection)",
    doc: "Active queue management by the average queue. Arrivals are dropped or marked at random, with a probability that rises \
          with the average queue between two thresholds, so that senders slow down before the buffer is full.",
    reference: "Floyd and Jacobson 1993, Floyd 2000 (gentle)",
    presets: presets! {
        /// Floyd and Jacobson 1993: strict, thresholds 5 and 15 packets, w_q 0.002, max_p 0.02, uniform spacing.
        paper = { ..PAPER };
        /// ns-2 2.35's defaults: in bytes, with a mean packet of 500; gentle, spacing with wait, the first packet and short queues spared,
        /// marks only while p_b < 0.1. A script with `queue_in_bytes_ false` has `mode = "packets"`.
        ns2 = { ..NS2 };
        /// ns-3.48's RedQueueDisc: the laws of ns-2 in packets, limit 25, thresholds 5 and 15, w_q 0.002, max_p 1/50, gentle. With `ecn =
        /// true` it drops packets only from twice the upper threshold on (`UseHardDrop`). `mean_packet` is `MeanPktSize`; the rate of the
        /// link is `LinkBandwidth`.
        ns3 = {
            ..NS2_LAWS, limit = "25p", min_th = "5p", max_th = "15p", w_q = "0.002", max_p = "0.02", mode = "packets",
            mean_packet = "500B", ecn = "false", mark_max_p = "1",
        };
        /// RFC 8257 section 3.1, Alizadeh et al. 2010 section 3.1: every ECN-capable packet that finds K packets or more waiting is marked,
        /// at any average. K is `min_th` = `max_th`: 65 packets for 10 Gbit/s, 20 for 1 Gbit/s; a switch port with 700 kB.
        dctcp = {
            limit = "700kB", min_th = "65p", max_th = "65p", w_q = "1", max_p = "1", above = "strict", mode = "packets", count = "off",
            spare_short = "false", spare_first = "false", ecn = "true", mark_max_p = "2",
        };
    },
    law: Some(|args, link| Ok(args.typed::<Settings>().build(link)?.graph())),
    shown: &[
        Counter(OVERLIMITS, Source::Signals(&[Reason::EARLY, Reason::FORCED])),
        Counter("marked", Source::Marks),
        Counter("early", Source::Drops(&[Reason::EARLY, Reason::FORCED])),
        Counter("pdrop", Source::Drops(&[Reason::OVERFLOW])),
        Counter("other", Source::Zero),
    ],
    ..QueueEntry::of_policy::<Settings>()
};

/// The algorithm of 1993 with its recommended values ([Flo93] sections 4 to 8).
pub const PAPER: &[Setting] = settings! {
    min_th = "5p", max_th = "15p", w_q = "0.002", max_p = "0.02", above = "strict", count = "on", idle_decay = "paper",
    spare_short = "false", spare_first = "false",
};

/// ns-2's laws with its automatic thresholds and weight.
pub const NS2: &[Setting] = settings! {
    ..NS2_LAWS, limit = "50p", max_p = "0.1", mark_max_p = "0.1", mode = "bytes", mean_packet = "500B", target_delay = "5ms",
};

/// The differences of ns-2's RED from that of 1993, whatever its thresholds and probabilities.
pub const NS2_LAWS: &[Setting] = settings! {
    above = "gentle", count = "wait", idle_decay = "ns2", spare_short = "true", spare_first = "true",
};

/// The settings of Haider 2005 chapter 6: gentle RED with ns-2's defaults of the time.
pub const HAIDER: &[Setting] = settings! {
    ..NS2_LAWS, limit = "50p", min_th = "5p", max_th = "15p", w_q = "0.002", max_p = "0.1",
};

impl PolicyParams for Settings {
    type Policy = Red;

    fn policy(&self, link: &LinkContext) -> Result<Red, BuildError> {
        self.build(link)
    }

    fn limit(&self, link: &LinkContext) -> Limit {
        Settings::limit(self, link)
    }
}

impl Policy for Red {
    #[inline(always)]
    fn on_arrival(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        self.observe(now, queue.backlog());
        self.decide(packet, queue.backlog(), rng)
    }

    fn on_idle(&mut self, now: Instant) {
        self.link_idle(now);
    }

    fn on_drop(&mut self, _now: Instant, _packet: &Packet, dropped: Dropped, _queue: &mut QueueView<'_>) {
        if dropped.is_overflow() {
            self.overflow();
        }
    }

    fn decides_on_arrival(&self) -> bool {
        true
    }

    probes! { |self|
        "avg" => self.average.value(),
        "max_p" => self.max_p,
        "p_b" => self.last_p_b(),
        "count" => self.spacing.count() as f64,
    }
}
