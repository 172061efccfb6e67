//! CHOKe: RED that first compares an arrival with packets drawn from the queue, and drops both if they are of one flow, so that
//! flows that take more than their share hit themselves. Specification: Pan, Prabhakar and Psounis, "CHOKe: A Stateless
//! Active Queue Management Scheme for Approximating Fair Bandwidth Allocation", INFOCOM 2000 [Pan00]. Compared with:
//! Linux 6.12 `sch_choke` in its numbers ([`choke_kernel`](super::choke_kernel)); no module in ns-2 2.35.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | In region i of k, 2 i candidates are drawn one after the other, each from the rest | the source does not say with or without replacement | `higher_regions_draw_more_candidates` |
//! | Preset `chatranon2004_self_adjusting` draws two candidates in every region; the text has 2 i in 8 regions and "up to eight" | its printed figures are those of two: docs/validation.md | `chatranons_figures_are_those_of_two_candidates` |
//! | Packets dropped by a match leave RED's count alone | [Pan00] does not say; they are no random drops | `a_match_leaves_reds_count_alone` |

use crate::aqm::choke_kernel::ChokeKernel;
use crate::aqm::red::{LostMarks, NS2_LAWS, Red, Settings, red_hooks};
use crate::mechanism::arithmetic::Arithmetic;
use crate::queue::Either;
use crate::queue::prelude::*;

/// The registry's entry.
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
        /// Linux 6.12 sch_choke as tc of iproute2 7.1 sets it, in its numbers: one candidate, in packets, not gentle, probability 0.02,
        /// thresholds and weight from the limit and a burst, ECN-capable packets marked at every probability once `ecn = true`. Set both
        /// thresholds or none: to `min` alone tc gives a quarter of the limit as `max`, this three times as much.
        linux = {
            candidates = "one", th_auto = "tc", w_q_auto = "tc", max_p = "0.02", above = "strict", mode = "packets", count = "linux",
            idle_decay = "paper", spare_short = "false", spare_first = "true", ecn = "false", mark_max_p = "2", arithmetic = "kernel",
        };
        /// Chatranon 2004, one fast flow: one candidate over ns-2's gentle RED, thresholds 50 and 150 of 300 packets.
        chatranon2004 = { ..CHATRANON, candidates = "one" };
        /// Chatranon 2004, several fast flows, as its printed figures demand: two candidates; its text has up to sixteen.
        chatranon2004_self_adjusting = { ..CHATRANON, candidates = "by_region", regions = "1" };
    },
    law: Some(|args, link| Ok(args.typed::<Params>().red.build(link)?.graph())),
    shown: &[
        Counter(OVERLIMITS, Source::With(&Source::Signals(&[Reason::EARLY, Reason::FORCED]), LostMarks::PROBE)),
        Counter("marked", Source::With(&Source::Marks, LostMarks::PROBE)),
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
    /// Parameters of CHOKe.
    pub struct Params {
        ..red: Settings;
        /// How many packets an arrival is compared with: one, or 2 i in region i between the thresholds.
        candidates: Candidates = "one", "[Pan00]", when arithmetic in ["real"];
        /// Regions between the thresholds, if the number of candidates depends on the region.
        regions: u64 = "8" in [1.0, 1e6], "[Pan00]", when candidates in ["by_region"];
        /// The numbers in which the law is computed. With those of the kernel there is one candidate, and only these parameters of RED
        /// have an effect: `limit`, `min_th`, `max_th`, `max_p`, `w_q` (a power of 1/2), `mean_packet`, `bandwidth`, `ecn` and
        /// `mark_max_p`.
        arithmetic: Arithmetic = "real", "[Pan00]";
        /// The rate at which mean packets would have been sent in idle times, by which the average falls. Automatic: that of the link.
        bandwidth: Option<Rate> = "auto" in [8.0, 1e14], "iproute2 tc/q_choke.c asks for one", when arithmetic in ["kernel"];
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

/// The policy.
#[derive(Clone, Debug)]
pub struct Choke {
    red: Red,
    candidates: Candidates,
    regions: u64,
}

impl PolicyParams for Params {
    type Policy = Either<Choke, ChokeKernel>;

    fn policy(&self, link: &LinkContext) -> Result<Either<Choke, ChokeKernel>, BuildError> {
        match self.arithmetic {
            Arithmetic::Real => self.choke(link).map(Either::Real),
            Arithmetic::Kernel => {
                ChokeKernel::new(&self.red, self.bandwidth.unwrap_or(link.rate), link).map(Either::Kernel)
            }
        }
    }

    fn limit(&self, link: &LinkContext) -> Limit {
        self.red.limit(link)
    }
}

impl Params {
    fn choke(&self, link: &LinkContext) -> Result<Choke, BuildError> {
        Ok(Choke { red: self.red.build(link)?, candidates: self.candidates, regions: self.regions })
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
            .choke(&LinkContext::default())
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

    /// By hand after q_choke.c and tc_red.c of iproute2 7.1, in whole packets.
    #[test]
    fn tcs_thresholds_and_weight_follow_the_limit() {
        let of = |limit| {
            let params = args(&ENTRY, Some("linux"), &[("limit", limit)]).typed::<Params>();
            let link = LinkContext::default();
            (params.red.thresholds(&link).expect("thresholds"), params.red.weight(&link))
        };
        // Burst (2 * 20 + 60) / 3 = 33; 33 + 1 - 20 = 14 <= (1 - (15/16)^33) * 16 = 14.1, and for 1/8 7.9.
        assert_eq!(of("240p"), ((20.0, 60.0), 1.0 / 16.0));
        // 102 / 4 = 25, 25 / 3 = 8; burst 13; 6 <= (1 - (7/8)^13) * 8 = 6.6, and for 1/4 3.9.
        assert_eq!(of("102p"), ((8.0, 25.0), 1.0 / 8.0));
    }
}
