//! Balanced RED: drops by the backlog of the packet's flow. The levels are shares of the buffer among the flows that wait.
//! Specification: Anjum and Tassiulas, "Balanced-RED: An Algorithm to Achieve Fairness in the Internet", University of Maryland, 1999 (its
//! abstract is public, its text is not available), as
//! [Ale04] Alemu, "Performance Evaluation of Quality of Service Mechanisms in the Internet", PhD thesis, Université Montpellier
//! II, 2004, section 1.4.2 and algorithm 14, and [Cha04] Chatranon 2004, section 2.2.3.4, describe it. Compared with: a second
//! implementation in `tests/implementations`; no module in ns-2 2.35.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | Everything that no rule drops is admitted; algorithm 14 admits only below l1 and does not mention the rest | [Ale04]'s text: packets that are accepted count in both counters | `between_drops_a_flow_has_a_gap` |
//! | At l2 itself p1 holds; algorithm 14 leaves that value out | a dip at one length of the queue makes no sense | `the_probability_rises_by_levels` |
//! | beta and W_m are ours: 0.5, and the share of a flow in the buffer, twice l2 | neither work gives values | `the_levels_are_shares_of_the_buffer` |
//! | A buffer limited in bytes counts mean packets | the levels are in packets | `the_levels_are_shares_of_the_buffer` |

use sojourn_queues::mechanism::flow_accounts::FlowAccounts;
use sojourn_queues::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "bred",
    title: "BRED (balanced RED)",
    doc: "Early drops by the backlog of the packet's flow (balanced RED). The drop probability rises at each of three levels, which \
          follow from the buffer and the number of flows that wait.",
    reference: "Anjum and Tassiulas 1999",
    presets: presets! {
        /// Alemu 2004 algorithm 14: a drop is followed by a gap, levels are passed strictly.
        alemu2004 = { rule = "gaps", w_n = "0.02" };
        /// Chatranon 2004 section 2.2.3.4: no gaps, levels hold from themselves on.
        chatranon2004 = { rule = "levels", w_n = "0.02" };
    },
    law: Some(draw_law),
    probes: &[
        Probe::new("flows", "flows", Probe::UP, "estimated number of flows; 0 before the first estimate"),
        Probe::new("l1", "packets", Probe::UP, "lower level of a flow's backlog: above it drops begin"),
        Probe::new("l2", "packets", Probe::UP, "middle level of a flow's backlog: above it drops are more likely"),
        Probe::new("w_m", "packets", Probe::UP, "upper level: the most that may wait of a flow"),
    ],
    ..QueueEntry::of_policy::<Params>()
};

params! {
    pub struct Params {
        /// The most that may wait, without the packet in transmission (B).
        limit: Size = "100p" in [0.0, 1e12], "as fifo";
        /// The lower level as a part of the middle one: l1 = beta l2.
        beta: Fraction = "0.5" in [0.0, 1.0], "ours: [Ale04] says above 0, at most 1";
        /// The most that may wait of a flow. Automatic: its share of the buffer, B / N.
        w_m: Option<Size> = "auto" in [0.0, 1e12], "ours: neither work gives a value";
        /// Weight of an arrival in the estimate of the number of flows.
        w_n: Fraction = "0.02" in [1e-9, 1.0], "[Ale04] eq. 1.27";
        /// Whether a drop needs as many admitted packets of the flow since its last drop as the level that it is above (`gaps`).
        rule: Rule = "gaps", "[Ale04] algorithm 14; Chatranon 2004 for levels";
        /// Mark ECN-capable packets instead of dropping them between the levels.
        ecn: bool = "false", "RFC 3168: senders have to agree";
    }
}

choices! {
    /// When a flow that is above a level may be dropped.
    pub enum Rule {
        /// Strictly above it, and after as many admitted packets.
        Gaps = "gaps",
        /// From the level itself on.
        Levels = "levels",
    }
}

/// The packets that may wait of a flow, and the probabilities from each level on.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Levels {
    l1: f64,
    l2: f64,
    w_m: f64,
    p1: f64,
    p2: f64,
}

/// `l2 = B / (2 ceil(N))`, `l1 = beta l2`, `p2 = sqrt(N) / (sqrt(N) + 10)`, `p1 = p2 / 10` ([Ale04] section 1.4.2); W_m as given, or
/// `B / ceil(N)`.
fn levels(buffer: f64, flows: f64, beta: f64, w_m: Option<f64>) -> Levels {
    let number = libm::ceil(flows).max(1.0);
    let l2 = buffer / (2.0 * number);
    let root = flows.sqrt();
    let p2 = root / (root + 10.0);
    Levels { l1: beta * l2, l2, w_m: w_m.unwrap_or(2.0 * l2), p1: p2 / 10.0, p2 }
}

#[derive(Clone, Debug)]
pub struct Bred {
    params: Params,
    buffer: f64,
    w_m: Option<f64>,
    /// The backlog of each flow, and the number of its packets that were admitted since its last drop (gap).
    flows: FlowAccounts<u64>,
    /// Estimate of the number of flows that wait.
    number: f64,
}

impl PolicyParams for Params {
    type Policy = Bred;

    fn policy(&self, link: &LinkContext) -> Result<Bred, BuildError> {
        Ok(Bred {
            params: self.clone(),
            buffer: link.packets(self.limit).max(1.0),
            w_m: self.w_m.map(|size| link.packets(size)),
            flows: FlowAccounts::default(),
            number: 0.0,
        })
    }
}

impl Bred {
    fn levels(&self) -> Levels {
        levels(self.buffer, self.number, self.params.beta.0, self.w_m)
    }

    /// The drop probability of a flow whose backlog is `waiting` and which has had `gap` packets admitted since its last drop. It is 1 at
    /// the flow's maximum.
    fn probability(&self, levels: &Levels, waiting: f64, gap: f64) -> f64 {
        let over = |level: f64| match self.params.rule {
            Rule::Gaps => waiting > level,
            Rule::Levels => waiting >= level,
        };
        let rested = |level: f64| self.params.rule == Rule::Levels || gap > level;
        // A flow may always hold one packet.
        if waiting >= levels.w_m && waiting > 0.0 {
            1.0
        } else if over(levels.l2) {
            if rested(levels.l2) { levels.p2 } else { 0.0 }
        } else if over(levels.l1) && rested(levels.l1) {
            levels.p1
        } else {
            0.0
        }
    }
}

/// The law for a flow that has not lost a packet for long, among as many flows as the link has.
fn draw_law(args: &Args, link: &LinkContext) -> Result<Graph, BuildError> {
    let bred = Bred { number: link.flows.max(1) as f64, ..args.typed::<Params>().policy(link)? };
    let levels = bred.levels();
    let knees = [levels.l1, levels.l2, levels.w_m];
    Ok(Graph::new(Axis::new("backlog of the packet's flow", "packets"), Axis::PROBABILITY)
        .about(format!(
            "Drawn for {} flows that have packets waiting, and for a flow that has lost nothing for long.",
            bred.number
        ))
        .curve("", (0.0, 1.25 * levels.w_m), &knees, |waiting| bred.probability(&levels, waiting, f64::INFINITY)))
}

impl Policy for Bred {
    fn on_arrival(&mut self, _now: Instant, packet: &Packet, _queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        let flow = self.flows.get(packet.flow);
        // A flow that comes counts as one that waits ([Ale04] algorithm 14).
        let active = self.flows.len() + usize::from(flow.backlog.packets == 0);
        // N = (1 - w) N + w N_active ([Ale04] eq. 1.27).
        self.number = (1.0 - self.params.w_n.0) * self.number + self.params.w_n.0 * active as f64;
        let probability = self.probability(&self.levels(), flow.backlog.packets as f64, flow.state as f64);
        if probability >= 1.0 {
            self.flows.change(packet.flow, |gap| *gap = 0);
            return Verdict::Drop(Reason::UNFAIR);
        }
        if probability <= 0.0 || rng.uniform() > probability {
            return Verdict::Pass;
        }
        self.flows.change(packet.flow, |gap| *gap = 0);
        Verdict::signal(self.params.ecn, packet, Reason::EARLY)
    }

    fn on_enqueued(&mut self, _now: Instant, packet: &Packet, _queue: &mut QueueView<'_>) {
        self.flows.joined(packet);
        self.flows.change(packet.flow, |gap| *gap += 1);
    }

    fn on_departure(&mut self, _now: Instant, packet: &Packet, _queue: &mut QueueView<'_>, _rng: &mut Rng) -> Verdict {
        self.flows.left(packet);
        Verdict::Pass
    }

    fn on_drop(&mut self, _now: Instant, packet: &Packet, dropped: Dropped, _queue: &mut QueueView<'_>) {
        if dropped.from_queue() {
            self.flows.left(packet);
        }
        if dropped.is_overflow() {
            self.flows.change(packet.flow, |gap| *gap = 0);
        }
    }

    probes! { |self|
        let levels = self.levels();
        "flows" => self.number,
        "active_flows" => self.flows.len() as f64,
        "l1" => levels.l1,
        "l2" => levels.l2,
        "w_m" => levels.w_m,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_queues::packet::{Ecn, FlowId};
    use sojourn_queues::queue::{Context, Managed};
    use sojourn_queues::rig::{at, near, policy_of};

    fn bred(preset: &str, settings: &[(&str, &str)]) -> Bred {
        policy_of::<Params>(&ENTRY, Some(preset), settings)
    }

    #[test]
    fn the_levels_are_shares_of_the_buffer() {
        // Four flows and 80 packets: l2 = 80/8, l1 half of it, W_m a quarter of 80; p2 = 2/12.
        let levels = levels(80.0, 4.0, 0.5, None);
        assert!(near(levels.l1, 5.0) && near(levels.l2, 10.0) && near(levels.w_m, 20.0));
        assert!(near(levels.p2, 1.0 / 6.0) && near(levels.p1, 1.0 / 60.0));
        // The number of flows is rounded up for the levels, not for the probabilities.
        let more = super::levels(80.0, 4.84, 0.5, Some(7.0));
        assert!(near(more.l2, 8.0) && near(more.w_m, 7.0) && near(more.p2, 2.2 / 12.2));
        assert!(near(super::levels(80.0, 0.0, 0.5, None).l2, 40.0), "before the first arrival");

        assert!(near(bred("alemu2004", &[("limit", "80000B")]).buffer, 80.0));
    }

    #[test]
    fn the_probability_rises_by_levels() {
        let alemu = bred("alemu2004", &[]);
        let chatranon = bred("chatranon2004", &[]);
        let levels = levels(80.0, 4.0, 0.5, None);

        // Strictly above a level; and from it on.
        for (waiting, strict, inclusive) in [
            (4.0, 0.0, 0.0),
            (5.0, 0.0, levels.p1),
            (6.0, levels.p1, levels.p1),
            (10.0, levels.p1, levels.p2),
            (11.0, levels.p2, levels.p2),
            (19.0, levels.p2, levels.p2),
            (20.0, 1.0, 1.0),
        ] {
            assert!(near(alemu.probability(&levels, waiting, 100.0), strict), "{waiting}");
            assert!(near(chatranon.probability(&levels, waiting, 0.0), inclusive), "{waiting}");
        }
    }

    #[test]
    fn between_drops_a_flow_has_a_gap() {
        let bred = bred("alemu2004", &[]);
        let levels = levels(80.0, 4.0, 0.5, None);

        for (waiting, gap, expected) in
            [(6.0, 5.0, 0.0), (6.0, 6.0, levels.p1), (11.0, 10.0, 0.0), (11.0, 11.0, levels.p2)]
        {
            assert!(near(bred.probability(&levels, waiting, gap), expected), "{waiting} {gap}");
        }
        assert!(near(bred.probability(&levels, 20.0, 0.0), 1.0), "but never above W_m");
    }

    #[test]
    fn a_flow_may_always_hold_one_packet() {
        let bred = bred("alemu2004", &[("w_m", "0p")]);

        assert!(near(bred.probability(&bred.levels(), 0.0, 0.0), 0.0));
        assert!(near(bred.probability(&bred.levels(), 1.0, 0.0), 1.0));
    }

    /// Whether a packet of the flow that draws a number above every probability but 1 is admitted.
    fn arrive(queue: &mut Managed<Bred>, cx: &mut Context, flow: u32) -> bool {
        cx.events.clear();
        cx.rng.supply(1.0 - f64::EPSILON);
        queue.enqueue(at(0.0), Packet::datagram(FlowId(flow), 0, 1000), cx);
        cx.rng.clear_supplied();
        cx.events.is_empty()
    }

    #[test]
    fn the_number_of_flows_is_averaged_over_arrivals() {
        // Weight 1: flows with a backlog, and the one that arrives. 12 packets, W_m = 12/N.
        let bred = bred("alemu2004", &[("limit", "12p"), ("w_n", "1"), ("beta", "1")]);
        let (mut queue, mut cx) = (Managed::new(bred, Limit::packets(12)), Context::new(Rng::named(1, "bred")));

        for _ in 0..4 {
            assert!(arrive(&mut queue, &mut cx, 1));
        }
        assert!(near(queue.probe(0), 1.0));
        assert!(arrive(&mut queue, &mut cx, 2));
        assert!(arrive(&mut queue, &mut cx, 3));
        assert!(near(queue.probe(0), 3.0));
        // Of three flows each may have 4, which flow 1 has; a drop ends its gap.
        assert!(!arrive(&mut queue, &mut cx, 1));
        assert_eq!(queue.policy().flows.get(FlowId(1)).state, 0);
        assert!(arrive(&mut queue, &mut cx, 2));
        assert_eq!(queue.policy().flows.get(FlowId(2)).state, 2);

        while queue.dequeue(at(0.0), &mut cx).is_some() {}
        assert!(queue.policy().flows.is_empty());
    }

    #[test]
    fn between_the_levels_capable_packets_are_marked() {
        let settings = [("ecn", "true"), ("limit", "4p"), ("w_m", "4p"), ("w_n", "1"), ("beta", "0")];
        let mut queue = Managed::new(bred("chatranon2004", &settings), Limit::packets(4));
        let mut cx = Context::new(Rng::named(1, "bred"));

        for expected in [Reason::EARLY; 4].into_iter().chain([Reason::UNFAIR]) {
            cx.events.clear();
            cx.rng.supply(0.0);
            queue.enqueue(at(0.0), Packet::datagram(FlowId(1), 0, 1000).with_ecn(Ecn::Ect0), &mut cx);
            cx.rng.clear_supplied();
            assert_eq!(cx.events.as_slice()[0].what.reason(), expected);
        }
        assert_eq!(queue.backlog().packets, 4);
    }
}
