//! AFC ("achieving fairness using a credit-based mechanism"): RED behind a test that counts the bytes that large flows bring into
//! the queue, and drops arrivals of a flow above its fair part, unless the flow has sent less before. Specification:
//! Chatranon 2004, chapter 5 [Cha04]. Compared with: no public implementation.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | A flow in the cache becomes the most recent when a packet of it comes, dropped or not | the source says "on a hit"; if only packets that join counted, a flow that is held would leave the cache | `a_flow_that_is_held_stays_in_the_cache` |
//! | Credit counts from the first estimate of N on | the source does not say; with N = 1 before, a whole period of credit would follow | `credit_starts_with_the_first_estimate` |
//! | With `virtual_match` each arrival counts as one for which a packet was sampled | AFC samples none, and no match would ever count over `match_over = "sampled"` | `virtual_matches_give_an_estimate` |
//! | Credit has no bounds | the source names none | - |
//! | `rule = "integral"` drops by credit alone, `"no_credit"` by the part alone | other readings of section 5.1.5, and the design of section 5.1.4 | `the_rules_differ_where_part_and_credit_disagree` |
//! | Credit is updated when a packet of the flow comes | our reading of "every time a HitFraction is updated" (section 5.1.5) | `worked_example_of_credit` |
//! | Part and credit are those of the arrival, before its own bytes | drops precede the count | `worked_example_of_credit` |
//! | A period ends with the packet that fills it; its parts are shares of the counted traffic | the source counts whole packets in bytes | `a_period_ends_with_the_packet_that_fills_it` |

use crate::aqm::hbf::{self, CHATRANON, Hbf, RedSees, hbf_hooks};
use crate::mechanism::active_flows;
use crate::mechanism::active_flows::Method;
use crate::packet::FlowId;
use crate::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "afc",
    title: "AFC (fairness by credit)",
    doc: "RED behind a test against flows that send more than their fair share. The bytes of the fastest flows are counted, and flows \
          that bring less than their part earn credit; arrivals of flows above their part and without credit are dropped before \
          RED.",
    reference: "Chatranon 2004, chapter 5",
    decides: "It decides by a flow's bytes and credit, and not by chance: an arrival of a flow above its part and without \
          credit is dropped. All others meet RED, whose page draws its law.",
    presets: presets! {
        /// Chatranon 2004 chapter 5: cache 20, 3000 mean packets, N by direct bitmap, gentle RED between 50 and 150 packets.
        paper = { ..CHATRANON };
        /// Chatranon 2004 section 5.1.4, the design before credit: a fair part is an upper bound.
        no_credit = { ..CHATRANON, rule = "no_credit" };
        /// Chatranon 2004 figure 60: a cache for all flows, and their number known.
        ideal = { ..CHATRANON, cache = "1000", active_flows = "known" };
    },
    probes: &[Probe::new(
        "active_flows",
        "flows",
        Probe::UP,
        "estimated number of active flows; 0 before the first estimate",
    )],
    ..QueueEntry::of_policy::<Params>()
};

params! {
    pub struct Params {
        ..hbf: hbf::Settings {
            threshold = "0p", "[Cha04] section 5.3: nothing is dropped while the queue is empty; table 14 contradicts min_th",
                when gated in ["both"];
            gate = "queue", "[Cha04] section 3.2.1: the queue size", when gated in ["both"];
        };
        ..active_flows: active_flows::Settings { active_flows = "direct_bitmap",
            "[Cha04] section 5.1.1; AFC samples nothing that could match" };
        /// The packets that are dropped:  those of flows above their part without credit, without credit, or above their part.
        rule: Rule = "credit", "[Cha04] section 5.1.5";
    }
}

choices! {
    /// The choice of dropped packets.
    pub enum Rule {
        /// Above the fair part, without credit.
        Credit = "credit",
        /// In debt.
        Integral = "integral",
        /// Above the fair part.
        NoCredit = "no_credit",
    }
}

/// A flow's account.
#[derive(Clone, Copy, Debug)]
pub struct Account {
    /// Delta A, in seconds of the whole: below zero it is credit.
    debt: f64,
    /// t-: the time of the last update.
    since: Instant,
}

/// `A + (H - F) (t - t-)` ([Cha04] eq. 5.2).
pub fn debt(before: f64, part: f64, fair: f64, seconds: f64) -> f64 {
    before + (part - fair) * seconds
}

/// Left with a packet whose flow may enter the cache when it joins.
const ENTERS: Tag = 1;

#[derive(Clone, Debug)]
pub struct Afc {
    hbf: Hbf<Account>,
    rule: Rule,
    /// The time from which there is a fair part to compare accounts with.
    fair_since: Option<Instant>,
}

impl PolicyParams for Params {
    type Policy = Afc;

    fn policy(&self, link: &LinkContext) -> Result<Afc, BuildError> {
        if self.active_flows.active_flows == Method::Match {
            let what = "AFC draws no packets from the queue that could match";
            return Err(BuildError::new("active_flows", what, "any other method; \"virtual_match\" is the nearest"));
        }
        Ok(Afc {
            hbf: self.hbf.build(link, link.mean_packet.0, &self.active_flows)?,
            rule: self.rule,
            fair_since: None,
        })
    }

    fn limit(&self, link: &LinkContext) -> Limit {
        self.hbf.red.limit(link)
    }
}

impl Afc {
    /// Updates a cached flow's account, and returns its part and debt.
    fn settle(&mut self, now: Instant, flow: FlowId, fair: f64) -> Option<(f64, f64)> {
        // The time before the first estimate gives no credit.
        let fair_since = *self.fair_since.get_or_insert(now);
        let period = self.hbf.cache.period;
        let entry = self.hbf.cache.find(flow)?;
        let part = period.blended(entry.hits, entry.past);
        let account = &mut entry.own;
        let seconds = now.since(account.since.max(fair_since)).as_secs_f64();
        account.debt = debt(account.debt, part, fair, seconds);
        account.since = now;
        Some((part, account.debt))
    }

    /// Whether a packet of this flow must be dropped.
    fn is_unfair(&mut self, now: Instant, flow: FlowId) -> bool {
        let Some(fair) = self.hbf.fair() else { return false };
        self.settle(now, flow, fair).is_some_and(|(part, debt)| match self.rule {
            Rule::Credit => part > fair && debt >= 0.0,
            Rule::Integral => debt > 0.0,
            Rule::NoCredit => part > fair,
        })
    }
}

impl Policy for Afc {
    fn on_arrival(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        let backlog = queue.backlog();
        if self.hbf.red_sees == RedSees::All {
            self.hbf.red.observe(now, backlog);
        }
        self.hbf.active_flows.arrived(packet.flow, rng);
        self.hbf.active_flows.sampled();
        self.hbf.cache.touch(packet.flow);
        let is_unfair = self.is_unfair(now, packet.flow);
        if is_unfair && self.hbf.may_drop(self.hbf.is_long(backlog)) {
            return Verdict::Drop(Reason::UNFAIR);
        }
        self.hbf.active_flows.passed(packet.flow, None, rng);
        if self.hbf.red_sees == RedSees::Passing {
            self.hbf.red.observe(now, backlog);
        }
        let verdict = self.hbf.red.decide(packet, backlog, rng);
        // Drawn here, where there are random numbers, for when it joins.
        let enters = self.hbf.cache.find(packet.flow).is_none() && self.hbf.makes_room(|| rng.uniform());
        queue.leave(if enters { ENTERS } else { 0 });
        verdict
    }

    fn on_enqueued(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>) {
        let (flow, bytes) = (packet.flow, u64::from(packet.size));
        self.hbf.active_flows.joined(flow);
        let is_over = self.hbf.cache.collect(bytes);
        if queue.tag() == ENTERS {
            self.hbf.cache.insert(flow, bytes, Account { debt: 0.0, since: now });
        } else if let Some(entry) = self.hbf.cache.find(flow) {
            entry.hits += bytes;
        }
        if is_over {
            self.hbf.cache.end_period();
            self.hbf.active_flows.end_period();
        }
    }

    hbf_hooks!();

    fn decides_on_arrival(&self) -> bool {
        !self.hbf.active_flows.counts_departures()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aqm::hbf::testing::{BIG, SMALL, policy};
    use crate::rig::{Rig, args, at, near};

    fn afc(settings: &[(&str, &str)]) -> Afc {
        policy::<Params>(&ENTRY, settings)
    }

    /// A packet arrives while `waiting` packets wait. It joins the queue unless it is dropped. Returns whether it joined.
    fn arrive(afc: &mut Afc, seconds: f64, flow: FlowId, size: u32, waiting: usize) -> bool {
        let mut rig = Rig::waiting(waiting);
        let packet = Packet::datagram(flow, 0, size);
        let verdict = rig.arrive_drawing(afc, at(seconds), &packet, 0.5);
        if verdict == Verdict::Pass {
            afc.on_enqueued(at(seconds), &packet, &mut rig.view());
        }
        assert!(matches!(verdict, Verdict::Pass | Verdict::Drop(Reason::UNFAIR)), "RED drops nothing");
        verdict == Verdict::Pass
    }

    fn part(afc: &mut Afc, flow: FlowId) -> f64 {
        let period = afc.hbf.cache.period;
        afc.hbf.cache.find(flow).map_or(f64::NAN, |entry| period.blended(entry.hits, entry.past))
    }

    fn account(afc: &mut Afc, flow: FlowId) -> Account {
        afc.hbf.cache.find(flow).expect("cached").own
    }

    #[test]
    fn worked_example_of_credit() {
        let mut afc = afc(&[]);
        // At 0 s, 1 s, ... packets of one flow: before each its part is k / (k + 10), as k of k were its own.
        // Debt: at 1 s 1/11 - 1/4, at 2 s + 2/12 - 1/4, at 3 s + 3/13 - 1/4: credit; at 4 s + 4/14 - 1/4, at 5 s + 5/15 - 1/4.
        let mut expected = 0.0;
        for k in 0..6 {
            assert!(arrive(&mut afc, f64::from(k), BIG, 1000, 10), "credit at {k}");
            if k > 0 {
                expected += f64::from(k) / f64::from(k + 10) - 0.25;
            }
            assert!(near(account(&mut afc, BIG).debt, expected), "{k}");
        }
        // -0.1424 with parts 6/16 and 7/17 still to come: + 0.125 at 6 s is credit of 0.0174, + 0.1618 at 7 s is none.
        assert!(arrive(&mut afc, 6.0, BIG, 1000, 10));
        assert!(!arrive(&mut afc, 7.0, BIG, 1000, 10));
        assert!(account(&mut afc, BIG).debt > 0.0);
    }

    #[test]
    fn a_flow_above_its_part_without_credit_is_held_in_a_long_queue_only() {
        for (waiting, joins) in [(5, true), (6, false)] {
            let mut afc = afc(&[]);
            // All at once: no time passes, so that there is neither credit nor debt. 4/14 is above F, 3/13 below.
            for _ in 0..4 {
                assert!(arrive(&mut afc, 0.0, BIG, 1000, 10));
            }
            assert_eq!(arrive(&mut afc, 0.0, BIG, 1000, waiting), joins, "{waiting}");
        }
    }

    #[test]
    fn bytes_count_not_packets() {
        let mut afc = afc(&[]);
        for _ in 0..3 {
            arrive(&mut afc, 0.0, BIG, 500, 10);
            arrive(&mut afc, 0.0, SMALL, 100, 10);
        }

        assert!(near(part(&mut afc, BIG), 1500.0 / 11_800.0));
        assert!(near(part(&mut afc, SMALL), 300.0 / 11_800.0));
    }

    #[test]
    fn what_is_dropped_is_not_counted() {
        let mut afc = afc(&[]);
        (0..4).for_each(|_| assert!(arrive(&mut afc, 0.0, BIG, 1000, 10)));
        let before = part(&mut afc, BIG);

        assert!(!arrive(&mut afc, 0.0, BIG, 1000, 10));

        assert!(near(part(&mut afc, BIG), before));
        assert_eq!(afc.hbf.cache.period.collected, 4000);
    }

    #[test]
    fn the_rules_differ_where_part_and_credit_disagree() {
        // Part above and credit; part below and debt. (Above and debt, below and credit: all agree.)
        for (rule, above_with_credit, below_with_debt) in
            [("credit", true, true), ("integral", true, false), ("no_credit", false, true)]
        {
            let mut afc = afc(&[("rule", rule)]);
            arrive(&mut afc, 0.0, BIG, 1000, 10);
            arrive(&mut afc, 0.0, SMALL, 1000, 10);
            for (flow, debt, past) in [(BIG, -1.0, 0.5), (SMALL, 1.0, 0.1)] {
                let entry = afc.hbf.cache.find(flow).expect("cached");
                entry.own.debt = debt;
                entry.past = past;
            }
            assert_eq!(arrive(&mut afc, 0.0, BIG, 1000, 10), above_with_credit, "{rule}");
            assert_eq!(arrive(&mut afc, 0.0, SMALL, 1000, 10), below_with_debt, "{rule}");
        }
    }

    #[test]
    fn a_period_ends_with_the_packet_that_fills_it() {
        let mut afc = afc(&[]);
        for flow in [BIG, SMALL, SMALL, SMALL, SMALL, SMALL, SMALL] {
            arrive(&mut afc, 0.0, flow, 1499, 0);
        }
        // 10493 of 10000 bytes: H = 0.5 / 7.
        assert_eq!(afc.hbf.cache.period.collected, 0);
        assert!(near(part(&mut afc, BIG), 0.5 / 7.0));
    }

    #[test]
    fn a_flow_that_is_held_stays_in_the_cache() {
        let mut afc = afc(&[]);
        (0..4).for_each(|_| assert!(arrive(&mut afc, 0.0, BIG, 1000, 10)));
        arrive(&mut afc, 0.0, SMALL, 100, 10);

        assert!(!arrive(&mut afc, 0.0, BIG, 1000, 10));

        assert_eq!(afc.hbf.cache.entries()[0].flow, BIG);
    }

    #[test]
    fn credit_starts_with_the_first_estimate() {
        let mut afc = afc(&[("active_flows", "direct_bitmap")]);
        // One small packet, nine seconds, and a large one that ends the period.
        arrive(&mut afc, 0.0, SMALL, 1, 0);
        arrive(&mut afc, 9.0, SMALL, 1, 0);
        assert!(near(account(&mut afc, SMALL).debt, 0.0));
        arrive(&mut afc, 10.0, BIG, 10_000, 0);

        // Two flows were seen, F = 1/2. SMALL has next to nothing; it counts from the first look after the estimate.
        arrive(&mut afc, 11.0, SMALL, 1, 0);
        assert!(near(account(&mut afc, SMALL).debt, 0.0));
        arrive(&mut afc, 13.0, SMALL, 1, 0);
        assert!((account(&mut afc, SMALL).debt + 1.0).abs() < 0.01);
    }

    #[test]
    fn a_full_cache_takes_a_flow_with_the_chance_of_the_decimator() {
        for (p_r, cached) in [("1", SMALL), ("0", BIG)] {
            let mut afc = afc(&[("cache", "1"), ("p_r", p_r)]);
            arrive(&mut afc, 0.0, BIG, 1000, 0);
            arrive(&mut afc, 0.0, SMALL, 1000, 0);
            assert_eq!(afc.hbf.cache.entries()[0].flow, cached);
        }
        // A flow above its part is not replaced: 4/14.
        let mut afc = afc(&[("cache", "1"), ("p_r", "1")]);
        (0..4).for_each(|_| assert!(arrive(&mut afc, 0.0, BIG, 1000, 0)));
        arrive(&mut afc, 0.0, SMALL, 1000, 0);
        assert_eq!(afc.hbf.cache.entries()[0].flow, BIG);
    }

    #[test]
    fn virtual_matches_give_an_estimate() {
        for over in ["sampled", "compared"] {
            let mut afc = afc(&[("active_flows", "virtual_match"), ("match_over", over)]);
            // A flow that is alone: each packet but the first meets one of its own in the buffer.
            (0..20).for_each(|second| assert!(arrive(&mut afc, f64::from(second), SMALL, 1000, 0)));
            let flows = afc.hbf.active_flows.estimate().expect("a period is over");
            assert!((1.0..=1.2).contains(&flows), "{over}: {flows}");
        }
    }

    #[test]
    fn matches_need_samples() {
        let args = args(&ENTRY, None, &[("active_flows", "match")]);

        let refused = args.typed::<Params>().policy(&LinkContext::default());

        assert_eq!(refused.map(|_| ()).map_err(|error| error.param), Err("active_flows"));
    }

    #[test]
    fn only_counters_of_what_waits_need_departures() {
        assert!(afc(&[]).decides_on_arrival());
        assert!(!afc(&[("active_flows", "removals")]).decides_on_arrival());
    }
}
