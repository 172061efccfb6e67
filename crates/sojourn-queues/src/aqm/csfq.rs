//! CSFQ (core-stateless fair queueing): edge routers label packets with their flow's rate, and every router drops each packet with a
//! probability that follows from the excess of its label over the fair rate of the link. Packets that pass get the remaining rate as their
//! label. Specification: [Sto98] Stoica, Shenker and Zhang, "Core-Stateless Fair Queueing: Achieving Approximately Fair Bandwidth
//! Allocations in High Speed Networks", SIGCOMM 1998, section 3 and its pseudo-code; the paper's text is not available, and its constants
//! were checked against the port to INET of the authors' ns-2 code [INET] (CSFQVLANQueue2: K, K_alpha, K_c = K_alpha, 1 % and 25 % at
//! overflows, a threshold of a quarter of the buffer). Compared with: no module in ns-2 2.35; a second implementation in
//! tests/implementations.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | Until the link is congested for the first time nothing is dropped, and then the fair rate begins at the greatest label seen | [Sto98] leaves the first value open | `the_first_congestion_begins_with_the_greatest_label` |
//! | A packet without a label passes | nothing is known of its flow: it did not come in over an edge | `a_packet_without_a_label_passes` |
//! | Below the threshold [INET] forgets the fair rate at the end of a window without congestion, and bounds it by the link | its notes say that the authors' code and not the paper does so | - |
//! | Flows have no weights | they are an extension in [Sto98] section 3.4 | - |
//! | An edge with many flows forgets one that was silent for ten time constants | its rate is then e^-10 of its former value | `an_edge_forgets_silent_flows` |
//! | The label of the packet that ends a window without congestion counts in it | a window without packets would leave a fair rate of 0 | `an_uncongested_window_leaves_the_greatest_label` |
//! | The packet that finds the buffer full counts in the rate of accepted traffic | the pseudo-code estimates before it enqueues | - |

use std::collections::BTreeMap;

use crate::header::RateLabel;
use crate::mechanism::rate_average::RateEstimate;
use crate::packet::FlowId;
use crate::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "csfq",
    title: "CSFQ (core-stateless fair queueing)",
    doc: "Fair queueing without a state for each flow in core routers. Edge routers measure the rate of each flow and write it into its \
          packets as a label. Every router drops the part above the link's fair rate, by the label alone.",
    reference: "Stoica, Shenker and Zhang 1998",
    presets: presets! {
        /// An edge router of the simulations of Stoica et al. 1998: 64 kB, labels over 100 ms.
        paper = { limit = "64kB", role = "edge" };
        /// A core router of the same.
        core = { limit = "64kB", role = "core" };
    },
    law: Some(|_, link| Ok(draw_law(link))),
    ..QueueEntry::of_policy::<Params>()
};

params! {
    pub struct Params {
        /// The most that may wait, without the packet in transmission.
        limit: Size = "64kB" in [0.0, 1e12], "[Sto98] section 4: 64 KB (not checked)";
        /// Whether the router labels packets, or goes by the labels that they bring.
        role: Role = "edge", "ours: a queue alone is an edge";
        /// Time constant of a flow's rate, K; edges only.
        k: Duration = "100ms" in [1e-6, 1e4], "[Sto98] section 4; [INET]", when role in ["edge"];
        /// Time constant of the link's rates, K_alpha.
        k_alpha: Duration = "200ms" in [1e-6, 1e4], "[Sto98] section 4; [INET]";
        /// How long the link must be congested, or not, before the fair rate moves: K_c. Automatic: `k_alpha`.
        k_c: Option<Duration> = "auto" in [1e-6, 1e4], "[INET] after the authors' ns-2 code: one constant for both";
        /// Part of the buffer below which a link that is not congested stays so, at any rate of arrivals.
        threshold: Fraction = "0.25" in [0.0, 1.0], "[INET]: a quarter of the buffer";
        /// Part by which the fair rate falls at each packet lost to a full buffer.
        overflow_cut: Fraction = "0.01" in [0.0, 1.0], "[Sto98] section 3.3: 1 %; [INET]";
        /// Most by which it falls so between two updates.
        overflow_cut_most: Fraction = "0.25" in [0.0, 1.0], "[Sto98] section 3.3: 25 %; [INET] 29 times 1 %";
    }
}

choices! {
    /// A router's knowledge of flows.
    pub enum Role {
        /// It estimates the rate of each flow and labels its packets.
        Edge = "edge",
        /// It knows no flows.
        Core = "core",
    }
}

/// The fair rate of a link, in bits per second ([Sto98] figure 3).
#[derive(Clone, Debug)]
struct FairRate {
    capacity: f64,
    k_alpha: Duration,
    k_c: Duration,
    /// alpha; `None` until the link has been congested.
    alpha: Option<f64>,
    /// The greatest label since `since`.
    greatest: f64,
    /// Least value that overflows may bring alpha to before its next update.
    floor: f64,
    congested: bool,
    since: Instant,
    arrived: RateEstimate,
    accepted: RateEstimate,
}

impl FairRate {
    /// Probability with which a packet of this label is dropped: `max(0, 1 - alpha / label)`.
    fn drop_probability(&self, label: f64) -> f64 {
        match self.alpha {
            Some(alpha) if label > 0.0 => exceeding(label, alpha),
            _ => 0.0,
        }
    }

    /// The part of a flow with this label that passes.
    fn passing(&self, label: f64) -> f64 {
        self.alpha.map_or(label, |alpha| label.min(alpha))
    }

    fn set(&mut self, alpha: f64, keep: f64) {
        self.alpha = Some(alpha);
        self.floor = alpha * keep;
    }

    /// A packet has arrived and is dropped or not; `short` if little waits. [Sto98] figure 3, estimate_alpha.
    fn update(&mut self, now: Instant, packet: &Packet, label: f64, fate: Fate, keep: f64) {
        let arrived = self.arrived.add(now, packet.size, self.k_alpha);
        if !fate.dropped {
            self.accepted.add(now, packet.size, self.k_alpha);
        }
        // The amendment: a link that is not congested stays so while little waits.
        let is_loaded = arrived >= self.capacity && (self.congested || !fate.short);
        let is_over = now.since(self.since) > self.k_c;
        if is_loaded && !self.congested {
            (self.congested, self.since) = (true, now);
            if self.alpha.is_none() {
                self.set(self.greatest.max(label), keep);
            }
        } else if is_loaded && is_over {
            // F(alpha) is taken as linear through the origin: the new value is that at which C would be accepted.
            let alpha = self.alpha.unwrap_or(label) * self.capacity / self.accepted.bits_per_sec().max(1.0);
            self.set(alpha, keep);
            self.since = now;
        } else if !is_loaded && self.congested {
            (self.congested, self.since, self.greatest) = (false, now, 0.0);
        } else if !is_loaded && !is_over {
            self.greatest = self.greatest.max(label);
        } else if !is_loaded {
            if self.alpha.is_some() {
                self.set(self.greatest.max(label), keep);
            }
            (self.since, self.greatest) = (now, label);
        }
    }

    /// The buffer is full: `alpha (1 - cut)`, but not below the remaining bound until its next update.
    fn overflows(&mut self, cut: f64) {
        self.alpha = self.alpha.map(|alpha| (alpha * (1.0 - cut)).max(self.floor.min(alpha)));
    }
}

/// The fate of a packet, and the queue that it found.
#[derive(Clone, Copy, Debug)]
struct Fate {
    dropped: bool,
    /// Less than the threshold waits.
    short: bool,
}

#[derive(Clone, Debug)]
pub struct Csfq {
    params: Params,
    /// Bytes below which little waits.
    threshold: f64,
    fair: FairRate,
    flows: BTreeMap<FlowId, RateEstimate>,
    /// Flows from which on the edge forgets silent ones.
    many: usize,
    /// The label of the packet that leaves.
    leaving: f32,
}

const FEW: usize = 1024;

/// `max(0, 1 - alpha / label)`: the part of a flow's rate that exceeds the fair rate ([Sto98] figure 3).
fn exceeding(label: f64, alpha: f64) -> f64 {
    (1.0 - alpha / label).max(0.0)
}

fn draw_law(link: &LinkContext) -> Graph {
    let fair = link.rate.as_bps() as f64 / 1e6 / link.flows.max(1) as f64;
    let label = Axis::new("rate on the packet's label", "Mbit/s");
    Graph::new(label, Axis::PROBABILITY)
        .about(format!(
            "Drawn for a fair rate of {fair} Mbit/s: what each flow gets if {} share the link evenly. The router estimates the fair \
             rate itself, and its estimate moves.",
            link.flows.max(1)
        ))
        .curve("", (0.0, 4.0 * fair), &[fair], |label| if label > 0.0 { exceeding(label, fair) } else { 0.0 })
}

impl PolicyParams for Params {
    type Policy = Csfq;

    fn policy(&self, link: &LinkContext) -> Result<Csfq, BuildError> {
        Ok(Csfq {
            params: self.clone(),
            threshold: self.threshold.0 * link.bytes(self.limit),
            fair: FairRate {
                capacity: link.rate.as_bps() as f64,
                k_alpha: self.k_alpha,
                k_c: self.k_c.unwrap_or(self.k_alpha),
                alpha: None,
                greatest: 0.0,
                floor: 0.0,
                congested: false,
                since: Instant::ZERO,
                arrived: RateEstimate::default(),
                accepted: RateEstimate::default(),
            },
            flows: BTreeMap::new(),
            many: FEW,
            leaving: 0.0,
        })
    }
}

impl Csfq {
    /// The rate of the packet's flow: estimated at an edge, read at a core router.
    fn label(&mut self, now: Instant, packet: &Packet) -> f64 {
        if self.params.role == Role::Core {
            return packet.label.bits_per_sec();
        }
        if self.flows.len() >= self.many {
            let silent = self.params.k * 10;
            self.flows.retain(|_, flow| flow.seen_at().is_some_and(|seen| now.since(seen) < silent));
            // Twice the number of flows left: the cost for each packet is constant.
            self.many = (2 * self.flows.len()).max(FEW);
        }
        self.flows.entry(packet.flow).or_default().add(now, packet.size, self.params.k)
    }
}

impl Policy for Csfq {
    fn on_arrival(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        let label = self.label(now, packet);
        let dropped = self.fair.drop_probability(label) > rng.uniform();
        let fate = Fate { dropped, short: (queue.bytes() as f64) < self.threshold };
        self.fair.update(now, packet, label, fate, 1.0 - self.params.overflow_cut_most.0);
        queue.leave((self.fair.passing(label) as f32).to_bits());
        if dropped { Verdict::Drop(Reason::UNFAIR) } else { Verdict::Pass }
    }

    fn on_departure(&mut self, _now: Instant, _packet: &Packet, queue: &mut QueueView<'_>, _rng: &mut Rng) -> Verdict {
        self.leaving = f32::from_bits(queue.tag());
        Verdict::Pass
    }

    fn on_transmission(&mut self, _now: Instant, packet: &mut Packet, _waiting: Backlog) {
        packet.label = RateLabel::of(self.leaving.into());
    }

    fn on_drop(&mut self, _now: Instant, _packet: &Packet, dropped: Dropped, _queue: &mut QueueView<'_>) {
        if dropped.is_overflow() {
            self.fair.overflows(self.params.overflow_cut.0);
        }
    }

    probes! { |self|
        "fair_rate_bps" => self.fair.alpha.unwrap_or(self.fair.capacity),
        "arrival_rate_bps" => self.fair.arrived.bits_per_sec(),
        "accepted_rate_bps" => self.fair.accepted.bits_per_sec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::{Context, Managed, QueueDiscipline as _};
    use crate::rig::{Rig, at, near, policy_of};

    fn csfq(settings: &[(&str, &str)]) -> Csfq {
        policy_of::<Params>(&ENTRY, None, settings)
    }

    /// A core router whose fair rate is 1 Mbit/s, congested since 0.
    fn core() -> Csfq {
        let mut core = csfq(&[("role", "core")]);
        core.fair.set(1e6, 0.75);
        core.fair.congested = true;
        core
    }

    fn labelled(label: f64) -> Packet {
        Packet { label: RateLabel::of(label), ..Packet::datagram(FlowId(0), 0, 1000) }
    }

    #[test]
    fn what_exceeds_the_fair_rate_is_dropped() {
        for (label, u, dropped) in [(1e6, 0.0, false), (4e6, 0.749, true), (4e6, 0.751, false), (0.5e6, 0.0, false)] {
            let verdict = Rig::waiting(5).arrive_drawing(&mut core(), at(0.0), &labelled(label), u);
            assert_eq!(verdict == Verdict::Drop(Reason::UNFAIR), dropped, "{label} {u}");
        }
    }

    #[test]
    fn a_packet_without_a_label_passes() {
        assert_eq!(Rig::waiting(5).arrive_drawing(&mut core(), at(0.0), &labelled(0.0), 0.0), Verdict::Pass);
    }

    #[test]
    fn what_passes_carries_what_is_left_of_its_rate() {
        let mut core = core();
        // Numbers that 16 bits hold exactly.
        core.fair.set(1.024e6, 0.75);
        let mut queue = Managed::new(core, Limit::NONE);
        let mut cx = Context::new(Rng::named(1, "csfq"));
        for label in [4e6, 0.512e6] {
            cx.rng.supply(0.99);
            queue.enqueue(at(0.0), labelled(label), &mut cx);
        }

        let mut label = || queue.dequeue(at(0.0), &mut cx).map(|packet| packet.label.bits_per_sec());
        assert_eq!((label(), label()), (Some(1.024e6), Some(0.512e6)));
    }

    #[test]
    fn an_edge_labels_with_the_rate_of_the_flow() {
        // 1000 bytes each millisecond: 8 Mbit/s of flow 0, half of it of flow 1.
        let mut edge = csfq(&[]);
        let mut labels = [0.0; 2];
        for n in 0..2000 {
            for flow in 0..=(n % 2) {
                let packet = Packet::datagram(FlowId(flow), 0, 1000);
                labels[flow as usize] = edge.label(at(f64::from(n) * 0.001), &packet);
            }
        }

        assert!((labels[0] / 8e6 - 1.0).abs() < 1e-3 && (labels[1] / 4e6 - 1.0).abs() < 1e-3, "{labels:?}");
    }

    #[test]
    fn the_first_congestion_begins_with_the_greatest_label() {
        let mut core = csfq(&[("role", "core")]);
        let mut rig = Rig::waiting(64);
        rig.arrive_drawing(&mut core, at(0.0), &labelled(3.072e6), 0.0);
        assert_eq!(core.fair.alpha, None, "80 kbit over 0.2 s are 40 kbit/s");

        // 300 packets at once: 12 Mbit/s.
        for _ in 0..300 {
            rig.arrive_drawing(&mut core, at(0.1), &labelled(2e6), 0.0);
        }

        assert!(core.fair.congested && near(core.probe(0), 3.072e6), "{}", core.probe(0));
    }

    #[test]
    fn little_that_waits_is_no_congestion() {
        // A quarter of 64 kB: below 16 of 1000 bytes.
        for (waiting, congested) in [(15, false), (16, true)] {
            let mut core = csfq(&[("role", "core")]);
            let mut rig = Rig::waiting(waiting);
            for _ in 0..300 {
                rig.arrive_drawing(&mut core, at(0.1), &labelled(2e6), 0.0);
            }
            assert_eq!(core.fair.congested, congested, "{waiting}");
        }
    }

    #[test]
    fn in_a_congested_window_the_rate_goes_to_where_the_link_is_just_filled() {
        let mut core = core();
        // 20 Mbit/s have come and 16 were accepted, of 10: 250 000 and 200 000 bytes over 0.1 s, at one time.
        core.fair.k_alpha = Duration::from_millis(100);
        core.fair.arrived.add(at(0.2), 250_000, core.fair.k_alpha);
        core.fair.accepted.add(at(0.2), 200_000, core.fair.k_alpha);
        let fate = Fate { dropped: true, short: false };
        let mut later = core.clone();
        later.fair.k_c = Duration::from_millis(199);

        core.fair.update(at(0.2), &labelled(2e6), 2e6, fate, 0.75);
        later.fair.update(at(0.2), &labelled(2e6), 2e6, fate, 0.75);

        assert!(near(core.probe(0), 1e6), "at K_c itself the window is not over");
        assert!(near(later.probe(0), 1e6 * 10.0 / 16.0));
    }

    #[test]
    fn an_uncongested_window_leaves_the_greatest_label() {
        let mut core = core();
        let fate = Fate { dropped: false, short: true };
        // The link is no longer congested from 1 s on.
        core.fair.update(at(1.0), &labelled(5e6), 5e6, fate, 0.75);
        assert!(!core.fair.congested && near(core.probe(0), 1e6));
        core.fair.update(at(1.1), &labelled(2e6), 2e6, fate, 0.75);
        core.fair.update(at(1.2), &labelled(3e6), 3e6, fate, 0.75);
        assert!(near(core.probe(0), 1e6), "at K_c itself the window is not over");

        core.fair.update(at(1.201), &labelled(1e6), 1e6, fate, 0.75);

        assert!(near(core.probe(0), 3e6));
    }

    #[test]
    fn an_overflow_lowers_the_fair_rate_by_a_hundredth_and_a_quarter_at_most() {
        let mut core = core();
        core.on_drop(at(0.0), &labelled(1e6), Dropped::OVERFLOW, &mut Rig::waiting(0).view());
        assert!(near(core.probe(0), 0.99e6));
        core.on_drop(at(0.0), &labelled(1e6), Dropped::REFUSED, &mut Rig::waiting(0).view());
        assert!(near(core.probe(0), 0.99e6), "its own drops do not");

        for _ in 0..100 {
            core.on_drop(at(0.0), &labelled(1e6), Dropped::OVERFLOW, &mut Rig::waiting(0).view());
        }
        assert!(near(core.probe(0), 0.75e6));
    }

    #[test]
    fn an_edge_forgets_silent_flows() {
        let mut edge = csfq(&[]);
        for flow in 0..1024 {
            edge.label(at(0.0), &Packet::datagram(FlowId(flow), 0, 1000));
        }

        edge.label(at(0.999), &Packet::datagram(FlowId(2000), 0, 1000));
        assert_eq!((edge.flows.len(), edge.many), (1025, 2048), "ten times 100 ms have not passed");

        edge.many = 1024;
        edge.label(at(1.0), &Packet::datagram(FlowId(2001), 0, 1000));
        assert_eq!((edge.flows.len(), edge.many), (2, 1024));
    }
}
