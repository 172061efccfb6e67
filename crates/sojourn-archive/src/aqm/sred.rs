//! Stabilized RED: drops by the queue itself and by the number of flows. It estimates this number from the frequency with which an arrival
//! belongs to the same flow as an entry drawn from a list of recent flows. Specification: [Ott99] Ott, Lakshman and Wong, "SRED:
//! Stabilized RED", INFOCOM 1999; [Ale04] Alemu, "Performance Evaluation of Quality of Service Mechanisms in the Internet", PhD thesis,
//! Université Montpellier II, 2004, section 1.2; Tahiliani 2013, eqs 2.1.5 and 2.1.6. Compared with: a second implementation in
//! `tests/implementations`; no module in ns-2 2.35.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | A zombie is overwritten after a miss only, unless asked (`overwrite`); [Ale04] can be read as after a hit, too | [Ott99] as the surveys give it; its text was not available | `mechanism/zombies.rs`: `a_miss_overwrites_with_a_probability` |
//! | The factor is 1 / (256 P)^2; Chatranon 2004 eq. 2.12 prints 1 / (256 P^2), and N^2 / 65536 in the next line | the second is [Ott99]'s | `the_probability_grows_with_the_square_of_the_number_of_flows_up_to_256` |
//! | Until the first hit the number of flows is unbounded, so that the factor is 1 | 1/P at P = 0 | `before_the_first_hit_the_whole_probability_holds` |
//! | A zombie's time stamp is not kept | [Ott99] decides nothing by it | |

use sojourn_queues::mechanism::zombies::{Overwrite, Zombies};
use sojourn_queues::queue::prelude::*;

pub(crate) static ENTRY: QueueEntry = QueueEntry {
    name: "sred",
    title: "SRED (stabilized RED)",
    doc: "Active queue management by the queue and by the number of flows. That number is estimated without a state for each \
          flow: each arrival is compared with a random one of recently seen flows, and the more flows there are, the rarer are \
          hits.",
    reference: "Ott, Lakshman and Wong 1999",
    presets: presets! {
        /// Ott, Lakshman and Wong 1999, simple SRED: all flows have the same probability.
        simple = { hits = "simple", overwrite = "miss" };
        /// Ott, Lakshman and Wong 1999, full SRED: an arrival that hits is dropped more.
        full = { hits = "full", overwrite = "miss" };
    },
    law: Some(draw_law),
    probes: &[
        Probe::new("flows", "flows", Probe::UP, "estimated number of flows; 0 before the first estimate"),
        Probe::new(
            "hit_frequency",
            "",
            Probe::SHARE,
            "how often an arrival is of the flow that it is compared with, averaged",
        ),
        Probe::new(
            "zombie_count",
            "packets",
            Probe::UP,
            "largest count in the list of flows, that of the flow that sends most",
        ),
    ],
    ..QueueEntry::of_policy::<Params>()
};

params! {
    pub struct Params {
        /// The most that may wait, without the packet in transmission; the probability has steps at a sixth and a third of it.
        limit: Size = "100p" in [0.0, 1e12], "as fifo";
        /// Greatest base probability.
        max_p: Fraction = "0.15" in [0.0, 1.0], "[Ott99]";
        /// Number of recently seen flows in the list (M), which are called zombies.
        zombies: u64 = "1000" in [1.0, 1e6], "[Ott99]";
        /// Probability that an arrival which misses takes the place of the zombie that it was compared with.
        replace: Fraction = "0.25" in [0.0, 1.0], "[Ott99]";
        /// Weight of an arrival in the frequency of hits. Automatic: replace / zombies.
        alpha: Option<Fraction> = "auto" in [1e-12, 1.0], "[Ott99]: p / M";
        /// Number of flows from which on the probability no longer rises with it.
        flows_full: f64 = "256" in [1.0, 1e9], "[Ott99]";
        /// Whether a hit makes a drop more likely.
        hits: Hits = "full", "[Ott99]";
        /// When a zombie may be overwritten.
        overwrite: Overwrite = "miss", "[Ott99]; Alemu 2004 can be read as always";
        /// Mark ECN-capable packets instead of dropping them.
        ecn: bool = "false", "RFC 3168: senders have to agree";
    }
}

choices! {
    /// The effect of a hit on the arrival.
    pub enum Hits {
        /// Nothing.
        Simple = "simple",
        /// Its probability is multiplied by 1 + 1/P: a flow hits as often as it sends.
        Full = "full",
    }
}

/// SRED on one link.
#[derive(Clone, Debug)]
pub struct Sred {
    params: Params,
    limit: Limit,
    zombies: Zombies,
    /// p_zap of the last arrival.
    p_zap: f64,
}

impl PolicyParams for Params {
    type Policy = Sred;

    fn policy(&self, link: &LinkContext) -> Result<Sred, BuildError> {
        Ok(Sred {
            params: self.clone(),
            limit: self.limit(link),
            zombies: Zombies::new(self.zombies, self.replace.0, self.alpha.map(|alpha| alpha.0), self.overwrite),
            p_zap: 0.0,
        })
    }
}

/// `p_sred(q)` ([Ott99]; [Ale04] eq. 1.6): max_p from a third of the buffer on, a quarter of it from a sixth on, 0 below.
fn p_sred(fill: f64, max_p: f64) -> f64 {
    if fill >= 1.0 / 3.0 {
        max_p
    } else if fill >= 1.0 / 6.0 {
        max_p / 4.0
    } else {
        0.0
    }
}

/// `p_zap = p_sred min(1, 1 / (256 P)^2)`, and full, after a hit, times `1 + 1/P` ([Ott99]; [Ale04] eqs 1.7 and 1.8); at most 1.
fn p_zap(p_sred: f64, frequency: f64, flows_full: f64, boost: bool) -> f64 {
    let few = flows_full * frequency;
    let shared = if few > 1.0 { p_sred / (few * few) } else { p_sred };
    let boosted = if boost && frequency > 0.0 { shared * (1.0 + 1.0 / frequency) } else { shared };
    boosted.min(1.0)
}

/// The part of the buffer that is full. Of two bounds of the limit the nearer one counts.
fn fill(backlog: Backlog, limit: Limit) -> f64 {
    let part = |amount: u64, bound: u64| amount as f64 / bound.max(1) as f64;
    part(backlog.packets, limit.packets).max(part(backlog.bytes, limit.bytes))
}

/// p_sred, and p_zap with the flows of the link, where each hits as often as another.
fn draw_law(args: &Args, link: &LinkContext) -> Result<Graph, BuildError> {
    let Sred { params, limit, .. } = args.typed::<Params>().policy(link)?;
    let in_bytes = limit.packets == u64::MAX;
    let room = if in_bytes { limit.bytes } else { limit.packets } as f64;
    let base = |waiting: f64| p_sred(waiting / room, params.max_p.0);
    let frequency = 1.0 / link.flows.max(1) as f64;
    let zap = |waiting: f64| p_zap(base(waiting), frequency, params.flows_full, false);
    let (range, knees) = ((0.0, room), [room / 6.0, room / 3.0]);
    Ok(Graph::new(Axis::new("backlog", if in_bytes { "bytes" } else { "packets" }), Axis::PROBABILITY)
        .about("A packet whose flow is found in the list of recent flows may be dropped with a higher probability.")
        .curve(format!("{} flows", link.flows), range, &knees, zap)
        .curve(format!("{} flows or more", params.flows_full), range, &knees, base))
}

impl Policy for Sred {
    fn on_arrival(&mut self, _now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        let drawn = rng.uniform();
        let hit = self.zombies.meet(packet.flow, rng.uniform(), rng.uniform());
        let base = p_sred(fill(queue.backlog(), self.limit), self.params.max_p.0);
        self.p_zap =
            p_zap(base, self.zombies.frequency(), self.params.flows_full, hit && self.params.hits == Hits::Full);
        if self.p_zap <= 0.0 || drawn > self.p_zap {
            Verdict::Pass
        } else {
            Verdict::signal(self.params.ecn, packet, Reason::EARLY)
        }
    }

    fn decides_on_arrival(&self) -> bool {
        true
    }

    probes! { |self|
        "flows" => self.zombies.estimate().unwrap_or(0.0),
        "drop_prob" => self.p_zap,
        "hit_frequency" => self.zombies.frequency(),
        "zombie_count" => self.zombies.largest_count() as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_queues::packet::{Ecn, FlowId};
    use sojourn_queues::rig::{Rig, at, near, policy_of};

    fn sred(preset: &str, settings: &[(&str, &str)]) -> Sred {
        policy_of::<Params>(&ENTRY, Some(preset), settings)
    }

    fn of(flow: u32) -> Packet {
        Packet::datagram(FlowId(flow), 0, 1000)
    }

    #[test]
    fn the_base_probability_steps_at_a_sixth_and_a_third_of_the_buffer() {
        for (waiting, expected) in [(0, 0.0), (9, 0.0), (10, 0.04), (19, 0.04), (20, 0.16), (60, 0.16)] {
            for (limit, bytes) in [(Limit::packets(60), 0), (Limit { packets: u64::MAX, bytes: 60_000 }, 1000)] {
                let backlog = Backlog { packets: waiting, bytes: waiting * bytes };
                assert!(near(p_sred(fill(backlog, limit), 0.16), expected), "{waiting} {limit:?}");
            }
        }
    }

    #[test]
    fn the_probability_grows_with_the_square_of_the_number_of_flows_up_to_256() {
        // 128 flows: a quarter; 256 and 1000: all of it.
        assert!(near(p_zap(0.16, 1.0 / 128.0, 256.0, false), 0.04));
        assert!(near(p_zap(0.16, 1.0 / 256.0, 256.0, false), 0.16));
        assert!(near(p_zap(0.16, 1.0 / 1000.0, 256.0, false), 0.16));
        // [Ale04] eq. 1.7: p_sred N^2 / 65536.
        assert!(near(p_zap(0.16, 0.1, 256.0, false), 0.16 * 100.0 / 65536.0));
    }

    #[test]
    fn in_full_sred_a_hit_multiplies_by_one_more_than_the_number_of_flows() {
        assert!(near(p_zap(0.16, 0.1, 256.0, true), 0.16 * 100.0 / 65536.0 * 11.0));
        assert!(near(p_zap(0.16, 0.001, 256.0, true), 1.0), "at most 1");
    }

    #[test]
    fn before_the_first_hit_the_whole_probability_holds() {
        assert!(near(p_zap(0.15, 0.0, 256.0, false), 0.15));
        assert!(near(p_zap(0.15, 0.0, 256.0, true), 0.15));
    }

    #[test]
    fn a_hit_is_dropped_where_a_miss_passes() {
        // 34 of 100 wait; P = 0.1 after one hit of weight 0.1. A miss makes it 0.09 and p_zap 0.15 / 23.04^2 = 2.83e-4; a hit makes it
        // 0.19 and p_zap 0.15 / 48.64^2 * 6.263 = 3.97e-4.
        for (flow, verdict) in [(1, Verdict::Drop(Reason::EARLY)), (2, Verdict::Pass)] {
            let mut sred = sred("full", &[("zombies", "1"), ("replace", "0"), ("alpha", "0.1")]);
            for _ in 0..2 {
                sred.zombies.meet(FlowId(1), 0.0, 0.0);
            }
            let mut rig = Rig::waiting(34);
            assert_eq!(rig.arrive_drawing(&mut sred, at(0.0), &of(flow), 0.00035), verdict, "{flow}");
        }
    }

    #[test]
    fn capable_packets_are_marked() {
        let mut sred = sred("simple", &[("ecn", "true"), ("max_p", "1")]);

        assert_eq!(Rig::waiting(50).arrive(&mut sred, at(0.0)), Verdict::Drop(Reason::EARLY));
        let verdict = Rig::waiting(50).arrive_drawing(&mut sred, at(0.0), &of(1).with_ecn(Ecn::Ect0), 0.5);
        assert_eq!(verdict, Verdict::Mark(Reason::EARLY));
    }
}
