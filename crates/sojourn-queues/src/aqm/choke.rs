//! CHOKe: RED that first compares an arrival with packets drawn from the queue, and drops both if they are of one flow, so that
//! flows that take more than their share hit themselves. Specification: Pan, Prabhakar and Psounis, "CHOKe: A Stateless
//! Active Queue Management Scheme for Approximating Fair Bandwidth Allocation", INFOCOM 2000 [Pan00]. Compared with:
//! nothing; no module in ns-2 2.35, and Linux's is [a queue of its own](super::sch_choke).
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | In region i of k, 2 i candidates are drawn one after the other, each from the rest | the source does not say with or without replacement | `higher_regions_draw_more_candidates` |
//! | Preset `chatranon2004_self_adjusting` draws two candidates in every region; the text has 2 i in 8 regions and "up to eight" | its printed figures are those of two: docs/validation.md | `chatranons_figures_are_those_of_two_candidates` |
//! | Packets dropped by a match leave RED's count alone | [Pan00] does not say; they are no random drops | `a_match_leaves_reds_count_alone` |

use crate::aqm::red::{NS2_LAWS, Red, Settings, red_hooks};
use crate::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "choke",
    title: "CHOKe",
    doc: "RED behind a test against flows that fill the queue. An arrival is first compared with random packets from the queue. If such a \
          packet belongs to the same flow, both are dropped; otherwise RED decides.",
    reference: "Pan, Prabhakar and Psounis 2000",
    presets: presets! {
        /// Pan et al. 2000, basic: one candidate, strict RED.
        paper = { candidates = "one", above = "strict", count = "on" };
        /// Pan et al. 2000 with more candidates the longer the average: 2 i in the i-th of 8 regions.
        self_adjusting = { candidates = "by_region", regions = "8", above = "strict", count = "on" };
        /// Chatranon 2004, one fast flow: one candidate over ns-2's gentle RED, thresholds 50 and 150 of 300 packets.
        chatranon2004 = { ..CHATRANON, candidates = "one" };
        /// Chatranon 2004, several fast flows, as its printed figures demand: two candidates; its text has up to sixteen.
        chatranon2004_self_adjusting = { ..CHATRANON, candidates = "by_region", regions = "1" };
    },
    law: Some(|args, link| Ok(args.typed::<Params>().red.build(link)?.graph())),
    shown: &[
        Counter(OVERLIMITS, Source::Signals(&[Reason::EARLY, Reason::FORCED])),
        Counter("marked", Source::Marks),
        Counter("early", Source::Drops(&[Reason::EARLY, Reason::FORCED])),
        Counter("pdrop", Source::Drops(&[Reason::OVERFLOW])),
        Counter("other", Source::Zero),
        Counter("matched", Source::Pairs(Reason::UNFAIR)),
    ],
    ..QueueEntry::of_policy::<Params>()
};

/// ns-2's RED with the thresholds of Chatranon 2004 table 2.
const CHATRANON: &[Setting] = settings! { ..NS2_LAWS, limit = "300p", min_th = "50p", max_th = "150p" };

params! {
    pub struct Params {
        ..red: Settings;
        /// How many packets an arrival is compared with: one, or 2 i in region i between the thresholds.
        candidates: Candidates = "one", "[Pan00]";
        /// Regions between the thresholds, if the number of candidates depends on the region.
        regions: u64 = "8" in [1.0, 1e6], "[Pan00]", when candidates in ["by_region"];
    }
}

choices! {
    /// How many packets an arrival is compared with.
    pub enum Candidates {
        /// One.
        One = "one",
        /// Twice the number of the region in which the average is.
        ByRegion = "by_region",
    }
}

#[derive(Clone, Debug)]
pub struct Choke {
    red: Red,
    candidates: Candidates,
    regions: u64,
}

impl PolicyParams for Params {
    type Policy = Choke;

    fn policy(&self, link: &LinkContext) -> Result<Choke, BuildError> {
        Ok(Choke { red: self.red.build(link)?, candidates: self.candidates, regions: self.regions })
    }

    fn limit(&self, link: &LinkContext) -> Limit {
        self.red.limit(link)
    }
}

/// Region `1 + floor(k (avg - min) / (max - min))`, at most k, for an average above `min_th`.
fn region(average: f64, min_th: f64, max_th: f64, regions: u64) -> u64 {
    let share = (average - min_th) / (max_th - min_th);
    // Equal thresholds give infinity, which is the last region.
    ((share * regions as f64) as u64).saturating_add(1).min(regions)
}

impl Choke {
    /// Draws candidates; those of the arrival's flow are dropped. Returns whether there was one.
    fn compare(&self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> bool {
        let curve = &self.red.curve;
        let draws = match self.candidates {
            Candidates::One => 1,
            Candidates::ByRegion => 2 * region(self.red.average.value(), curve.min_th, curve.max_th, self.regions),
        };
        let mut matched = false;
        for _ in 0..draws {
            if queue.packets() == 0 {
                break;
            }
            let index = rng.below(queue.packets()) as usize;
            if queue.get(index).is_some_and(|candidate| candidate.flow == packet.flow) {
                queue.drop_at(now, index, Reason::UNFAIR);
                matched = true;
            }
        }
        matched
    }
}

impl Policy for Choke {
    fn on_arrival(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        let backlog = queue.backlog();
        self.red.observe(now, backlog);
        // [Pan00]: below the lower threshold nothing is compared.
        if self.red.average.value() > self.red.curve.min_th && self.compare(now, packet, queue, rng) {
            return Verdict::Drop(Reason::UNFAIR);
        }
        self.red.decide(packet, backlog, rng)
    }

    red_hooks!();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::FlowId;
    use crate::rig::{Rig, args, at};

    const MINE: FlowId = FlowId(7);
    const OTHER: FlowId = FlowId(1);

    /// Thresholds 5 and 15, the average is the queue itself.
    fn choke(preset: &str) -> Choke {
        args(&ENTRY, Some(preset), &[("w_q", "1"), ("min_th", "5p"), ("max_th", "15p"), ("max_p", "0")])
            .typed::<Params>()
            .policy(&LinkContext::default())
            .expect("valid parameters")
    }

    fn queue(flows: &[FlowId]) -> Rig {
        Rig::holding(flows.iter().zip(0..).map(|(flow, seq)| Packet::datagram(*flow, seq, 1000)))
    }

    #[test]
    fn an_arrival_and_its_match_are_both_dropped() {
        let mut choke = choke("paper");
        let mut rig = queue(&[OTHER, OTHER, OTHER, MINE, OTHER, OTHER, OTHER, OTHER]);

        // 0.4 of 8 packets draws index 3.
        let verdict = rig.arrive_drawing(&mut choke, at(0.0), &Packet::datagram(MINE, 99, 1000), 0.4);

        assert_eq!(verdict, Verdict::Drop(Reason::UNFAIR));
        assert_eq!(rig.events.as_slice()[0].packet.flow, MINE);
        assert_eq!(rig.fifo.backlog().packets, 7);
        assert!((0..7).all(|index| rig.fifo.get(index).is_some_and(|packet| packet.flow == OTHER)));
    }

    #[test]
    fn another_flows_packet_is_left_alone() {
        let mut choke = choke("paper");
        let mut rig = queue(&[OTHER, OTHER, OTHER, MINE, OTHER, OTHER, OTHER, OTHER]);

        let verdict = rig.arrive_drawing(&mut choke, at(0.0), &Packet::datagram(MINE, 99, 1000), 0.0);

        assert_eq!(verdict, Verdict::Pass, "max_p is 0");
        assert_eq!(rig.fifo.backlog().packets, 8);
    }

    #[test]
    fn at_the_lower_threshold_nothing_is_compared() {
        let mut choke = choke("paper");
        let mut rig = queue(&[MINE; 5]);

        assert_eq!(rig.arrive_drawing(&mut choke, at(0.0), &Packet::datagram(MINE, 99, 1000), 0.0), Verdict::Pass);
        assert_eq!(rig.fifo.backlog().packets, 5);
    }

    #[test]
    fn higher_regions_draw_more_candidates() {
        // Every packet matches, so that as many are dropped as are drawn.
        for (waiting, drawn) in [(6, 2), (7, 4), (10, 10), (14, 14), (15, 15)] {
            let mut choke = choke("self_adjusting");
            let mut rig = queue(&vec![MINE; waiting]);
            rig.arrive_drawing(&mut choke, at(0.0), &Packet::datagram(MINE, 99, 1000), 0.0);
            // At 14 the region is 1 + floor(8 * 9/10) = 8, which wants 16 as at 15; no more than wait can be drawn.
            assert_eq!(rig.fifo.backlog().packets, waiting as u64 - drawn, "{waiting}");
        }
    }

    #[test]
    fn chatranons_figures_are_those_of_two_candidates() {
        // Wherever the average is above the lower threshold.
        for waiting in [6, 10, 15] {
            let mut choke = choke("chatranon2004_self_adjusting");
            let mut rig = queue(&vec![MINE; waiting]);
            rig.arrive_drawing(&mut choke, at(0.0), &Packet::datagram(MINE, 99, 1000), 0.0);
            assert_eq!(rig.fifo.backlog().packets, waiting as u64 - 2, "{waiting}");
        }
    }

    #[test]
    fn regions_divide_the_space_between_the_thresholds_evenly() {
        assert_eq!(region(5.01, 5.0, 15.0, 8), 1);
        assert_eq!(region(6.25, 5.0, 15.0, 8), 2);
        assert_eq!(region(14.99, 5.0, 15.0, 8), 8);
        assert_eq!(region(40.0, 5.0, 15.0, 8), 8);
        assert_eq!(region(6.0, 5.0, 5.0, 8), 8);
    }

    #[test]
    fn a_match_leaves_reds_count_alone() {
        let mut choke = choke("paper");
        for _ in 0..3 {
            queue(&[OTHER; 8]).arrive(&mut choke, at(0.0));
        }
        let counted = choke.red.spacing.count();

        queue(&[MINE; 8]).arrive_drawing(&mut choke, at(0.0), &Packet::datagram(MINE, 99, 1000), 0.0);

        assert_eq!(choke.red.spacing.count(), counted);
    }
}
