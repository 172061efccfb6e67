//! RED behind a filter: packets of named flows are dropped before RED with a given probability, evenly spaced, from a given time on.
//! Specification and comparison: ns-2 2.35 `Queue/RED/PD` with `monitor-flow` [ns2], as its validation script test-suite-red-pd.tcl
//! uses it; tests/peers/test_red_filter.py. [`red_pd`](super::red_pd) finds flows and probabilities itself.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | All filtered flows have one probability; [ns2] has one for each | the tests name one flow | - |
//! | Flows are filtered up to a given time as well; [ns2]'s script calls `unmonitor-flow` then | as the script | `the_filter_begins_and_ends_at_its_times` |

use std::collections::BTreeMap;

use sojourn_queues::aqm::red::{NS2, Red, Settings, Thinning};
use sojourn_queues::packet::FlowId;
use sojourn_queues::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "red_filter",
    title: "Filter before RED",
    doc: "RED behind a filter for the flows that are named. Their packets are dropped before RED at a given probability, evenly \
          spaced; the packets of all others meet RED alone.",
    reference: "ns-2 2.35 red-pd.cc",
    law: Some(|args, link| Ok(args.typed::<Params>().policy(link)?.red.graph())),
    presets: presets! {
        /// ns-2 2.35, test-suite-red-pd.tcl, test `simple`: the first flow at 0.1 from 10 s to 20 s, over ns-2's RED in packets, as that
        /// script sets it.
        ns2 = { ..NS2, mode = "packets", flows = "[0]", probability = "0.1", from = "10s", until = "20s", spares = "short" };
    },
    ..QueueEntry::of_policy::<Params>()
};

params! {
    pub struct Params {
        ..red: Settings;
        /// Numbers of the flows that are filtered, in the order of the scenario from 0.
        flows: Numbers = "[]" in [0.0, 4e9], "the scenario's";
        /// Probability from which drops are spaced: p / (1 - count p), which drops nearly twice as many.
        probability: Fraction = "0.1" in [0.0, 1.0], "ns-2 2.35 test-suite-red-pd.tcl", when flows not in ["[]"];
        /// When the filter begins.
        from: Duration = "0s" in [0.0, 1e9], "ours: at once; ns-2 2.35 test-suite-red-pd.tcl for 10 s", when flows not in ["[]"];
        /// When it ends. Automatic: never.
        until: Option<Duration> = "auto" in [0.0, 1e9], "ours: never; ns-2 2.35 test-suite-red-pd.tcl for 20 s", when flows not in ["[]"];
        /// When filtered flows are spared.
        spares: Spares = "short", "ns-2 2.35 red-pd.cc, flows that respond", when flows not in ["[]"];
    }
}

choices! {
    /// When a filtered flow loses nothing.
    pub enum Spares {
        /// While RED's average is below `min_th` or at most one packet (byte) waits.
        Short = "short",
        /// While at most one packet (byte) waits.
        Idle = "idle",
        /// Never.
        Never = "never",
    }
}

impl Spares {
    /// Whether a packet that finds `waiting` is spared; by the average that RED had before it.
    pub fn spares(self, red: &Red, waiting: Backlog) -> bool {
        let few = red.measure(waiting) <= 1.0;
        match self {
            Spares::Short => few || red.average.value() < red.curve.min_th,
            Spares::Idle => few,
            Spares::Never => false,
        }
    }
}

#[derive(Clone, Debug)]
pub struct RedFilter {
    red: Red,
    flows: BTreeMap<FlowId, Thinning>,
    probability: f64,
    from: Instant,
    until: Option<Instant>,
    spares: Spares,
}

impl PolicyParams for Params {
    type Policy = RedFilter;

    fn policy(&self, link: &LinkContext) -> Result<RedFilter, BuildError> {
        Ok(RedFilter {
            red: self.red.build(link)?,
            flows: self.flows.0.iter().map(|number| (FlowId(*number as u32), Thinning::default())).collect(),
            probability: self.probability.0,
            from: Instant::ZERO + self.from,
            until: self.until.map(|until| Instant::ZERO + until),
            spares: self.spares,
        })
    }

    fn limit(&self, link: &LinkContext) -> Limit {
        self.red.limit(link)
    }
}

impl Policy for RedFilter {
    fn on_arrival(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        let backlog = queue.backlog();
        if now >= self.from && self.until.is_none_or(|until| now < until) {
            let spared = self.spares.spares(&self.red, backlog);
            let filtered = self.flows.get_mut(&packet.flow);
            if filtered.is_some_and(|flow| flow.drops(self.probability, spared, rng)) {
                // RED does not see the packet: neither its average nor its count moves.
                return Verdict::Drop(Reason::UNFAIR);
            }
        }
        self.red.observe(now, backlog);
        self.red.decide(packet, backlog, rng)
    }

    fn on_idle(&mut self, now: Instant) {
        self.red.link_idle(now);
    }

    fn on_drop(&mut self, _now: Instant, _packet: &Packet, dropped: Dropped, _queue: &mut QueueView<'_>) {
        if dropped.is_overflow() {
            self.red.overflow();
        }
    }

    probes! { |self|
        "avg" => self.red.average.value(),
        "max_p" => self.red.max_p,
        "p_b" => self.red.last_p_b(),
    }

    fn decides_on_arrival(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_queues::rig::{Rig, at, policy_of};

    /// Flow 1 filtered at 0.5 from 10 s to 20 s; thresholds 5 and 15, which drop nothing; the average is the queue.
    fn filter(settings: &[(&str, &str)]) -> RedFilter {
        let mut all = vec![("w_q", "1"), ("min_th", "5p"), ("max_th", "15p"), ("max_p", "0"), ("flows", "[1, 3]")];
        all.extend([("probability", "0.5"), ("from", "10s"), ("until", "20s")]);
        all.extend(settings);
        policy_of::<Params>(&ENTRY, None, &all)
    }

    /// The verdict on a packet that draws the least number and finds `waiting`, after another flow's that found as many.
    fn arrives(policy: &mut RedFilter, seconds: f64, flow: u32, waiting: usize) -> Verdict {
        let mut rig = Rig::waiting(waiting);
        let other = Packet::datagram(FlowId(9), 0, 1000);
        rig.arrive_drawing(policy, at(seconds), &other, 1.0 - f64::EPSILON);
        rig.arrive_drawing(policy, at(seconds), &Packet::datagram(FlowId(flow), 0, 1000), 0.0)
    }

    #[test]
    fn only_named_flows_are_filtered() {
        let mut policy = filter(&[]);

        assert_eq!(arrives(&mut policy, 15.0, 0, 10), Verdict::Pass);
        assert_eq!(arrives(&mut policy, 15.0, 1, 10), Verdict::Drop(Reason::UNFAIR));
        assert_eq!(arrives(&mut policy, 15.0, 3, 10), Verdict::Drop(Reason::UNFAIR));
    }

    #[test]
    fn the_filter_begins_and_ends_at_its_times() {
        for (seconds, verdict) in [
            (9.999, Verdict::Pass),
            (10.0, Verdict::Drop(Reason::UNFAIR)),
            (19.999, Verdict::Drop(Reason::UNFAIR)),
            (20.0, Verdict::Pass),
        ] {
            assert_eq!(arrives(&mut filter(&[]), seconds, 1, 10), verdict, "{seconds}");
        }
    }

    #[test]
    fn each_flow_has_a_count_of_its_own() {
        let mut policy = filter(&[]);
        let mut rig = Rig::waiting(10);
        let mut arrives =
            |flow: u32, u: f64| rig.arrive_drawing(&mut policy, at(15.0), &Packet::datagram(FlowId(flow), 0, 1000), u);
        arrives(9, 0.9);

        assert_eq!(arrives(1, 0.6), Verdict::Pass);
        assert_eq!(arrives(3, 0.6), Verdict::Pass, "the first of its flow: 0.5");
        assert_eq!(arrives(1, 0.6), Verdict::Drop(Reason::UNFAIR), "the second: 1");
    }

    #[test]
    fn what_is_spared_depends_on_the_rule() {
        // The average is the queue; min_th is 5.
        for (rule, waiting, dropped) in
            [("short", 4, false), ("short", 5, true), ("idle", 1, false), ("idle", 2, true), ("never", 0, true)]
        {
            let verdict = arrives(&mut filter(&[("spares", rule)]), 15.0, 1, waiting);
            assert_eq!(verdict == Verdict::Drop(Reason::UNFAIR), dropped, "{rule} with {waiting}");
        }
    }

    #[test]
    fn a_filtered_packet_does_not_move_reds_average() {
        let mut policy = filter(&[("w_q", "0.5")]);
        arrives(&mut policy, 15.0, 9, 16);
        let before = policy.red.average.value();

        let mut rig = Rig::waiting(16);
        rig.arrive_drawing(&mut policy, at(15.0), &Packet::datagram(FlowId(1), 0, 1000), 0.0);

        assert!((policy.red.average.value() - before).abs() < 1e-12);
        assert!(before >= 5.0, "{before}");
    }

    #[test]
    fn without_named_flows_it_is_red() {
        let mut policy = filter(&[("flows", "[]")]);

        assert_eq!(arrives(&mut policy, 15.0, 1, 10), Verdict::Pass);
        assert_eq!(arrives(&mut policy, 15.0, 1, 15), Verdict::Pass, "gentle, at max_p 0");
        assert_eq!(arrives(&mut policy, 15.0, 1, 30), Verdict::Drop(Reason::FORCED));
    }
}
