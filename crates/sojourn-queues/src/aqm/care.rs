//! CARE ("capture-recapture fair sharing"): some arrivals are caught, by the number of their flow. The number of captures of each flow
//! gives its rate, and all captures together give the number of flows. In the next period, packets of a flow above an even part are
//! dropped. Specification: Chan and Hamdi, "An Active Queue Management Scheme Based on a Capture-Recapture Model", IEEE JSAC 21(4), 2003,
//! by Chatranon 2004 section 2.2.3.8 [Cha04]: the original was not available. Compared with: no public implementation.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | Of t captures the first ones estimate the number of flows; `estimate_from = "last"` for the last | the source says "50 of 200" | `some_of_the_captures_estimate_the_number_of_flows` |
//! | The arrival that completes a list is judged by the probabilities before it | the source: "the next period" | `probabilities_hold_for_the_next_period` |
//! | Sample coverage without any flow caught twice says as many flows as captures | it has no value there | `without_recaptures_every_capture_is_a_flow` |
//! | By default nothing is dropped while less than a sixth of the limit waits (`threshold`); the sources have no such gate, and preset `paper` has none | a flow's part in 200 captures scatters by chance, so that of 100 equal flows about half look greedy and lose packets on an idle link | `short_queues_lose_nothing` |
//! | There is no RED beneath it: besides, only a full buffer drops | [Cha04] table 1: no early notification | - |

use crate::mechanism::active_flows::recapture::{Frequencies, Order, jackknife, sample_coverage};
use crate::packet::FlowId;
use crate::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "care",
    title: "CARE (capture-recapture fair sharing)",
    doc: "Drops for flows that are caught too often (capture and recapture). Some arrivals are caught at random. A flow that is caught \
          more often than is fair loses the packets above an even part.",
    reference: "Chan and Hamdi 2003",
    presets: presets! {
        /// Chan and Hamdi 2003 as in Chatranon 2004: 200 captures, 50 for the number of flows, each packet with 0.04.
        paper = {
            limit = "300p", threshold = "0p", captures = "200", estimate_captures = "50", capture_probability = "0.04",
            estimator = "jackknife",
        };
    },
    law: Some(draw_law),
    probes: &[
        Probe::new("p_max", "", Probe::SHARE, "largest drop probability of a flow"),
        Probe::new("active_flows", "flows", Probe::UP, "estimated number of active flows; 0 before the first estimate"),
    ],
    ..QueueEntry::of_policy::<Params>()
};

params! {
    pub struct Params {
        /// The most that may wait, without the packet in transmission.
        limit: Size = "300p" in [0.0, 1e12], "[Cha04] table 2";
        /// Queue from which on packets are dropped. Automatic: a sixth of the limit.
        threshold: Option<Size> = "auto" in [0.0, 1e12], "ours; BLACK and AFC have such a gate, [Cha04] names none for CARE";
        /// t, the captures of a period.
        captures: u64 = "200" in [6.0, 1e6], "[Cha04] section 3.3.1, after Chan and Hamdi";
        /// How many captures of a period estimate the number of flows.
        estimate_captures: u64 = "50" in [6.0, 1e6], "[Cha04] section 3.3.1, after Chan and Hamdi", when estimator not in ["known"];
        /// Whether the first or the last captures of a period estimate the number of flows.
        estimate_from: EstimateFrom = "first", "[Cha04] does not say", when estimator not in ["known"];
        /// p_cap, with which an arrival is caught.
        capture_probability: Fraction = "0.04" in [1e-6, 1.0], "[Cha04] section 3.3.1, after Chan and Hamdi";
        /// How the number of flows is estimated.
        estimator: Estimator = "jackknife", "[Cha04] section 2.2.3.8, after Chan and Hamdi";
    }
}

choices! {
    /// Which captures estimate the number of flows.
    pub enum EstimateFrom {
        /// The first.
        First = "first",
        /// The last.
        Last = "last",
    }
}

choices! {
    /// How the number of flows is estimated.
    pub enum Estimator {
        /// By the jackknife.
        Jackknife = "jackknife",
        /// By sample coverage of first order.
        Coverage1 = "coverage_1",
        /// By sample coverage of second order.
        Coverage2 = "coverage_2",
        /// It is known: the flows that the scenario sends over the queue.
        Known = "known",
    }
}

#[derive(Clone, Debug)]
pub struct Care {
    params: Params,
    /// In packets.
    threshold: f64,
    captures: usize,
    estimate_captures: usize,
    known: f64,
    /// The captures of this period.
    list: Vec<FlowId>,
    /// Drop probabilities above 0 in this period, by flow.
    p: Vec<(FlowId, f64)>,
    /// The number of flows in the last period.
    active_flows: f64,
}

impl PolicyParams for Params {
    type Policy = Care;

    fn policy(&self, link: &LinkContext) -> Result<Care, BuildError> {
        if self.estimate_captures > self.captures {
            return Err(BuildError::new(
                "estimate_captures",
                format!("{} of {} captures are too many", self.estimate_captures, self.captures),
                "at most captures",
            ));
        }
        Ok(Care {
            params: self.clone(),
            threshold: self.threshold.map_or(link.packets(self.limit) / 6.0, |size| link.packets(size)),
            captures: self.captures as usize,
            estimate_captures: self.estimate_captures as usize,
            known: link.flows.max(1) as f64,
            list: Vec::new(),
            p: Vec::new(),
            active_flows: 0.0,
        })
    }
}

/// `p = max(0, 1 - t / (N m))` for a flow caught m times in t, of N: its part m/t is held to 1/N ([Cha04] section 2.2.3.8).
pub fn drop_probability(captures: f64, active_flows: f64, caught: f64) -> f64 {
    (1.0 - captures / (active_flows * caught)).max(0.0)
}

fn draw_law(args: &Args, link: &LinkContext) -> Result<Graph, BuildError> {
    let Care { captures, .. } = args.typed::<Params>().policy(link)?;
    let (captures, flows) = (captures as f64, link.flows.max(1) as f64);
    Ok(Graph::new(Axis::new("captures of the packet's flow", "packets"), Axis::PROBABILITY)
        .about(format!("Drawn for {captures} captures and {flows} active flows."))
        .curve("", (0.0, captures), &[captures / flows], |caught| drop_probability(captures, flows, caught)))
}

impl Care {
    /// Probabilities for the next period, from a full list, which starts anew.
    fn end_period(&mut self) {
        let from = match self.params.estimate_from {
            EstimateFrom::First => 0,
            EstimateFrom::Last => self.captures - self.estimate_captures,
        };
        let some = Frequencies::count(&self.list[from..from + self.estimate_captures]);
        let all_different = self.estimate_captures as f64;
        self.active_flows = match self.params.estimator {
            Estimator::Jackknife => jackknife(&some),
            Estimator::Coverage1 => sample_coverage(&some, Order::First).unwrap_or(all_different),
            Estimator::Coverage2 => sample_coverage(&some, Order::Second).unwrap_or(all_different),
            Estimator::Known => self.known,
        };
        self.list.sort_unstable();
        let (t, n) = (self.captures as f64, self.active_flows);
        let of = |caught: &[FlowId]| (caught[0], drop_probability(t, n, caught.len() as f64));
        self.p = self.list.chunk_by(|a, b| a == b).map(of).filter(|(_, p)| *p > 0.0).collect();
        self.list.clear();
    }
}

impl Policy for Care {
    fn on_arrival(&mut self, _now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        let held = self.p.binary_search_by_key(&packet.flow, |(flow, _)| *flow);
        let is_long = queue.packets() as f64 >= self.threshold;
        let is_dropped = is_long && held.is_ok_and(|index| rng.uniform() < self.p[index].1);
        // [Cha04] section 2.2.3.8: each incoming packet, whatever its fate.
        if rng.uniform() < self.params.capture_probability.0 {
            self.list.push(packet.flow);
            if self.list.len() == self.captures {
                self.end_period();
            }
        }
        if is_dropped { Verdict::Drop(Reason::UNFAIR) } else { Verdict::Pass }
    }

    fn decides_on_arrival(&self) -> bool {
        true
    }

    probes! { |self|
        "active_flows" => self.active_flows,
        "p_max" => self.p.iter().map(|(_, p)| *p).fold(0.0, f64::max),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{Rig, args, at};

    /// Ten captures, every packet; five flows known.
    fn care(settings: &[(&str, &str)]) -> Care {
        let base =
            [("captures", "10"), ("estimate_captures", "10"), ("capture_probability", "1"), ("estimator", "known")];
        let link = LinkContext { flows: 5, ..LinkContext::default() };
        let args = args(&ENTRY, Some("paper"), &[&base[..], settings].concat());
        args.typed::<Params>().policy(&link).expect("valid parameters")
    }

    /// Packets of these flows come; each draws `u` where it may be dropped. Says how many were.
    fn arrive(care: &mut Care, flows: &[u32], u: f64) -> usize {
        let mut rig = Rig::waiting(1);
        let mut come = |flow: &u32| {
            let packet = Packet::datagram(FlowId(*flow), 0, 1000);
            rig.arrive_drawing(care, at(0.0), &packet, u) == Verdict::Drop(Reason::UNFAIR)
        };
        flows.iter().filter(|flow| come(flow)).count()
    }

    /// Flow 7 is six of ten.
    const MIX: [u32; 10] = [7, 1, 7, 2, 7, 3, 7, 4, 7, 7];

    #[test]
    fn what_is_above_an_even_part_is_dropped() {
        // A fifth is even: of six tenths two thirds go; one tenth is less.
        assert!((drop_probability(10.0, 5.0, 6.0) - 2.0 / 3.0).abs() < 1e-12);
        assert!(drop_probability(10.0, 5.0, 2.0) <= 0.0);
        assert!((drop_probability(10.0, 5.0, 3.0) - 1.0 / 3.0).abs() < 1e-12);
        assert!(drop_probability(10.0, 5.0, 1.0) <= 0.0);
    }

    #[test]
    fn probabilities_hold_for_the_next_period() {
        let mut care = care(&[]);
        assert_eq!(arrive(&mut care, &MIX, 0.0), 0, "nothing is known in the first");
        assert_eq!(care.p.len(), 1);

        // Nine others complete no list, whatever they say of flow 7.
        assert_eq!(arrive(&mut care, &[7], 0.66), 1);
        assert_eq!(arrive(&mut care, &[7], 0.67), 0);
        assert_eq!(arrive(&mut care, &[1, 2, 3, 4, 5, 6, 8], 0.0), 0, "flows caught seldom or never");
        // The tenth is judged by the old probability; flow 7 was caught thrice: 1/3.
        assert_eq!(arrive(&mut care, &[7], 0.5), 1);
        assert_eq!(arrive(&mut care, &[7], 0.5), 0);
        assert_eq!(arrive(&mut care, &[7], 0.33), 1);
    }

    #[test]
    fn short_queues_lose_nothing() {
        // One packet waits: a sixth of 6 is reached, a sixth of 7 is not; the published law asks for nothing.
        for (limit, threshold, dropped) in [("6p", "auto", 1), ("7p", "auto", 0), ("7p", "0p", 1)] {
            let mut care = care(&[("limit", limit), ("threshold", threshold)]);
            arrive(&mut care, &MIX, 0.0);
            assert_eq!(arrive(&mut care, &[7], 0.5), dropped, "{limit} {threshold}");
        }
    }

    #[test]
    fn what_is_dropped_is_caught_too() {
        let mut care = care(&[]);
        arrive(&mut care, &MIX, 0.0);

        assert_eq!(arrive(&mut care, &[7; 10], 0.0), 10);

        // All ten: 1 - 10 / (5 * 10).
        assert!((care.probe(1) - 0.8).abs() < 1e-12);
    }

    #[test]
    fn some_of_the_captures_estimate_the_number_of_flows() {
        // One flow six times, then four flows; two of these are caught twice in six.
        let flows = [1, 1, 1, 1, 1, 1, 2, 3, 4, 5];
        for (from, few) in [("first", true), ("last", false)] {
            let mut care = care(&[("estimator", "jackknife"), ("estimate_captures", "6"), ("estimate_from", from)]);
            arrive(&mut care, &flows, 0.0);
            let expected = jackknife(&Frequencies::count(&if few { [1; 6] } else { [1, 1, 2, 3, 4, 5] }.map(FlowId)));
            assert!((care.probe(0) - expected).abs() < 1e-12, "{from}");
            assert_eq!(care.probe(0) < 1.5, few, "{from}");
        }
    }

    #[test]
    fn without_recaptures_every_capture_is_a_flow() {
        for estimator in ["coverage_1", "coverage_2"] {
            let mut care = care(&[("estimator", estimator)]);
            arrive(&mut care, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 0.0);
            assert!((care.probe(0) - 10.0).abs() < 1e-12);
        }
    }

    #[test]
    fn only_some_arrivals_are_caught() {
        let mut care = care(&[("capture_probability", "0.04"), ("captures", "1000000")]);
        let mut rig = Rig::waiting(1);
        for _ in 0..10_000 {
            let mut view = QueueView::new(&mut rig.fifo, &mut rig.events, true);
            care.on_arrival(at(0.0), &Packet::datagram(FlowId(1), 0, 1000), &mut view, &mut rig.rng);
        }
        // 400, deviation 19.6; four of them.
        assert!(care.list.len().abs_diff(400) < 79, "{}", care.list.len());
    }

    #[test]
    fn more_captures_than_there_are_cannot_estimate() {
        let args = args(&ENTRY, None, &[("captures", "20")]);

        let refused = args.typed::<Params>().policy(&LinkContext::default());

        assert_eq!(refused.map(|_| ()).map_err(|error| error.param), Err("estimate_captures"));
    }
}
