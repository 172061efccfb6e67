//! GREEN: drops with the probability at which TCP's square-root law gives each flow an equal share of the link. For this it has to know
//! the number of flows, the packet's size and the flow's round-trip time. Specification: Feng, Kapadia and Thulasidasan, "GREEN: Proactive
//! Queue Management over a Best-Effort Network", GLOBECOM 2002 [Fen02], and Kapadia, Feng and Campbell, "GREEN: A TCP Equation-Based
//! Approach to Active Queue Management", UIUCDCS-R-2004-2408, 2004 [Kap04], as Alemu 2004 section 1.2 restates them (algorithm 8, eq.
//! 1.16) [Ale04]. Compared with: a second implementation in `tests/implementations`.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | The round-trip time is measured from a connection's SYN to its first data, kept for each flow; [Kap04] has senders write it into packets | only TFRC and XCP do so here, and their values are used | `the_round_trip_time_is_that_from_syn_to_data` |
//! | The SYN's wait here is subtracted, and the packet's wait is added (`add_wait`) | as a sender's estimate, it follows the queue; that of the handshake would stay | `the_wait_of_the_packet_takes_the_place_of_that_of_the_syn` |
//! | A flow without one counts with the base round-trip time of the scenario | [Ale04] suggests a distance service | `without_a_handshake_the_base_round_trip_time_counts` |
//! | Before the first window has ended nothing is dropped early | the number of flows is unknown | `flows_are_counted_window_by_window` |
//! | gamma stays between 1e-6 and 1e6 | it would overflow or vanish for good where no flow fills the link | `gamma_follows_losses_and_utilisation` |
//! | A factor (1 + u) / (2 u) at u = 0 is left out | [Ale04] divides by it | `gamma_follows_losses_and_utilisation` |

use std::collections::BTreeMap;

use sojourn_queues::header::Header;
use sojourn_queues::packet::{Body, FlowId};
use sojourn_queues::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "green",
    title: "GREEN",
    doc: "Active queue management by a formula of TCP's throughput. It drops as often as the square-root law asks for, if each \
          of the active flows shall have an equal share of the link.",
    reference: "Feng, Kapadia and Thulasidasan 2002; Kapadia, Feng and Campbell 2004",
    presets: presets! {
        /// Feng, Kapadia and Thulasidasan 2002: the law alone.
        feng2002 = { adaptive = "false" };
        /// Kapadia, Feng and Campbell 2004: a factor gamma adapts the law to losses and utilisation.
        kapadia2004 = { adaptive = "true" };
    },
    law: Some(draw_law),
    probes: &[
        Probe::new("flows", "flows", Probe::UP, "flows that were seen in the last window"),
        Probe::new("utilisation", "", Probe::UP, "part of the link that was used in the last window"),
        Probe::new(
            "gamma",
            "",
            "0.000001 to 1000000",
            "factor that adapts the law: it falls after losses to a full buffer and rises while the link is not full",
        ),
    ],
    ..QueueEntry::of_policy::<Params>()
};

params! {
    pub struct Params {
        /// The most that may wait, without the packet in transmission.
        limit: Size = "100p" in [0.0, 1e12], "as fifo";
        /// The constant c of TCP's law, throughput = MSS c / (RTT sqrt(p)).
        c: f64 = "1.2247448713915890" in [1e-3, 1e3], "[Ale04] eq. 1: often sqrt(3/2)";
        /// Period over which flows are counted and the utilisation is measured: too long overestimates the flows, too short
        /// underestimates them.
        window: Duration = "1s" in [1e-3, 1e4], "[Ale04] gives no value; several round-trip times";
        /// Whether a factor gamma adapts the law: down at losses to a full buffer, else up while the link is not full.
        adaptive: bool = "true", "[Kap04]; [Fen02] for false";
        /// Factor of gamma after a window with losses.
        decrease: f64 = "0.95" in [0.0, 1.0], "[Ale04] algorithm 8", when adaptive in ["true"];
        /// Utilisation below which gamma rises.
        full: f64 = "0.98" in [0.0, 1.0], "[Ale04] algorithm 8", when adaptive in ["true"];
        /// The source of round-trip times: measured when a connection is set up, or the scenario's mean without queues for all.
        rtt: RttSource = "handshake", "[Kap04]: each flow's own";
        /// Add the packet's wait in this queue to its round-trip time.
        add_wait: bool = "true", "[Kap04]: the senders' estimates; a distance service knows no queues";
        /// Mark ECN-capable packets instead of dropping them, at any probability.
        ecn: bool = "false", "RFC 3168: senders have to agree";
    }
}

choices! {
    /// Where round-trip times come from.
    pub enum RttSource {
        /// From a connection's SYN to its first data, or from the header of TFRC and XCP.
        Handshake = "handshake",
        /// The mean of the scenario, without queues.
        Base = "base",
    }
}

/// `(N MSS c / (gamma L RTT))^2`, at most 1; MSS in bits and L in bits per second ([Ale04] eq. 1.16 and algorithm 8). Without flows 0.
pub fn probability(flows: f64, mss: f64, c: f64, gamma: f64, rate: f64, rtt: f64) -> f64 {
    if flows <= 0.0 {
        return 0.0;
    }
    let root = flows * mss * c / (gamma * rate * rtt);
    (root * root).min(1.0)
}

/// gamma after a window ([Ale04] algorithm 8): times `decrease` if packets were lost, else times `(1 + u) / (2 u)` while the
/// utilisation u is below `full`.
pub fn adapted(gamma: f64, lost: bool, utilisation: f64, decrease: f64, full: f64) -> f64 {
    let factor = if lost {
        decrease
    } else if utilisation < full && utilisation > 0.0 {
        (1.0 + utilisation) / (2.0 * utilisation)
    } else {
        1.0
    };
    (gamma * factor).clamp(1e-6, 1e6)
}

/// The state of a flow.
#[derive(Clone, Copy, Debug, Default)]
struct Flow {
    /// Number of the window in which it was last seen, from 1 on.
    window: u64,
    /// When its SYN left, or will leave, until data comes.
    syn: Option<Instant>,
    /// Its round-trip time, without this queue.
    rtt: Option<Duration>,
}

#[derive(Clone, Debug)]
pub struct Green {
    params: Params,
    rate: f64,
    base_rtt: Duration,
    flows: BTreeMap<FlowId, Flow>,
    /// Number of this window, when it began, flows seen in it, packets lost to a full buffer, bytes that joined the queue, and
    /// bytes that waited at its beginning.
    number: u64,
    since: Instant,
    seen: u64,
    lost: u64,
    joined: u64,
    waited: u64,
    /// Flows in the last window.
    n: u64,
    utilisation: f64,
    gamma: f64,
    /// Drop probability of the last arrival.
    p: f64,
}

impl PolicyParams for Params {
    type Policy = Green;

    fn policy(&self, link: &LinkContext) -> Result<Green, BuildError> {
        Ok(Green {
            params: self.clone(),
            rate: link.rate.as_bps() as f64,
            base_rtt: link.base_rtt,
            flows: BTreeMap::new(),
            number: 1,
            since: Instant::ZERO,
            seen: 0,
            lost: 0,
            joined: 0,
            waited: 0,
            n: 0,
            utilisation: 0.0,
            gamma: 1.0,
            p: 0.0,
        })
    }
}

impl Green {
    /// Counts the packet's flow and learns its round-trip time, which is returned; the packet will wait for `wait`.
    fn look_at(&mut self, now: Instant, packet: &Packet, wait: Duration) -> Duration {
        let flow = self.flows.entry(packet.flow).or_default();
        if flow.window != self.number {
            flow.window = self.number;
            self.seen += 1;
        }
        match packet.body {
            Body::Data { syn: true, .. } => flow.syn = Some(now + wait),
            // The round trip that a sender reports includes its wait in this queue.
            Body::Data { header: Some(Header::Xcp(header)), .. } => {
                return Duration::from_secs_f64(f64::from(header.rtt));
            }
            Body::Data { .. } => {
                if let Some(syn) = flow.syn.take() {
                    flow.rtt = Some(now.since(syn));
                }
            }
            Body::TfrcData { rtt: Some(rtt), .. } => return rtt,
            _ => {}
        }
        let rtt = match self.params.rtt {
            RttSource::Handshake => flow.rtt.unwrap_or(self.base_rtt),
            RttSource::Base => self.base_rtt,
        };
        if self.params.add_wait { rtt + wait } else { rtt }
    }

    /// [Ale04] algorithm 8: the findings of the window. Departures are the packets that joined, less the growth of the backlog.
    fn end_window(&mut self, now: Instant, waiting: u64) {
        let left = (self.waited + self.joined).saturating_sub(waiting);
        let elapsed = now.since(self.since).as_secs_f64();
        self.utilisation = left as f64 * 8.0 / (self.rate * elapsed);
        if self.params.adaptive {
            self.gamma = adapted(self.gamma, self.lost > 0, self.utilisation, self.params.decrease, self.params.full);
        }
        self.n = self.seen;
        self.number += 1;
        self.since = now;
        (self.seen, self.lost, self.joined, self.waited) = (0, 0, 0, waiting);
    }
}

/// Over the number of flows, of packets of mean size with round-trip times about the link's.
fn draw_law(args: &Args, link: &LinkContext) -> Result<Graph, BuildError> {
    let Green { params, rate, base_rtt, gamma, .. } = args.typed::<Params>().policy(link)?;
    let (mss, base) = (8.0 * link.mean_packet.0 as f64, base_rtt.as_secs_f64());
    let mut graph = Graph::new(Axis::new("flows", ""), Axis::PROBABILITY)
        .about("Drawn for an empty queue and a factor gamma of 1.");
    for factor in [0.5, 1.0, 2.0] {
        let law = |flows: f64| probability(flows, mss, params.c, gamma, rate, base * factor);
        // The link's base round-trip time makes the middle curve rise to 1.
        let full = rate * base / (mss * params.c);
        graph = graph.curve(format!("RTT {}", base_rtt.mul_f64(factor)), (0.0, full), &[full * factor], law);
    }
    Ok(graph)
}

impl Policy for Green {
    fn on_arrival(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        let wait = Duration::from_secs_f64(queue.bytes() as f64 * 8.0 / self.rate);
        let rtt = self.look_at(now, packet, wait).as_secs_f64();
        let mss = 8.0 * f64::from(packet.size);
        self.p = probability(self.n as f64, mss, self.params.c, self.gamma, self.rate, rtt);
        if now.since(self.since) >= self.params.window {
            self.end_window(now, queue.bytes());
        }
        if rng.uniform() > self.p || self.p <= 0.0 {
            Verdict::Pass
        } else {
            Verdict::signal(self.params.ecn, packet, Reason::EARLY)
        }
    }

    fn on_enqueued(&mut self, _now: Instant, packet: &Packet, _queue: &mut QueueView<'_>) {
        self.joined += u64::from(packet.size);
    }

    fn on_drop(&mut self, _now: Instant, _packet: &Packet, dropped: Dropped, _queue: &mut QueueView<'_>) {
        if dropped.is_overflow() {
            self.lost += 1;
        }
    }

    fn decides_on_arrival(&self) -> bool {
        true
    }

    probes! { |self|
        "flows" => self.n as f64,
        "utilisation" => self.utilisation,
        "gamma" => self.gamma,
        "drop_prob" => self.p,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_queues::packet::Ecn;
    use sojourn_queues::rig::{Rig, at, near_by_ratio, policy_of, segment};

    fn green(settings: &[(&str, &str)]) -> Green {
        policy_of::<Params>(&ENTRY, None, settings)
    }

    fn data(flow: u32, syn: bool) -> Packet {
        let mut packet = segment(flow, None);
        if let Body::Data { syn: first, .. } = &mut packet.body {
            *first = syn;
        }
        packet
    }

    /// A packet of the flow comes to an empty queue and joins it, if it passes; the last to come of all leaves at once.
    fn arrive(green: &mut Green, seconds: f64, packet: &Packet, u: f64) -> Verdict {
        let mut rig = Rig::waiting(0);
        let verdict = rig.arrive_drawing(green, at(seconds), packet, u);
        if verdict == Verdict::Pass {
            green.on_enqueued(at(seconds), packet, &mut rig.view());
        }
        verdict
    }

    #[test]
    fn the_probability_is_that_of_the_square_root_law() {
        // 10 flows of 1000-byte packets, 10 Mbit/s, 100 ms: (10 * 8000 / (10^7 * 0.1))^2 * 1.5 = 0.08^2 * 1.5.
        let c = 1.5_f64.sqrt();
        assert!(near_by_ratio(probability(10.0, 8000.0, c, 1.0, 1e7, 0.1), 0.0096));
        // Twice the round-trip time, or twice gamma, a quarter; twice the flows four times.
        assert!(near_by_ratio(probability(10.0, 8000.0, c, 1.0, 1e7, 0.2), 0.0024));
        assert!(near_by_ratio(probability(10.0, 8000.0, c, 2.0, 1e7, 0.1), 0.0024));
        assert!(near_by_ratio(probability(20.0, 8000.0, c, 1.0, 1e7, 0.1), 0.0384));
        assert!(near_by_ratio(probability(1e6, 8000.0, c, 1.0, 1e7, 0.1), 1.0));
        assert_eq!(probability(0.0, 8000.0, c, 1.0, 1e7, 0.0).to_bits(), 0);
    }

    #[test]
    fn gamma_follows_losses_and_utilisation() {
        assert!(near_by_ratio(adapted(2.0, true, 0.5, 0.95, 0.98), 1.9));
        // Half full aims at three quarters.
        assert!(near_by_ratio(adapted(2.0, false, 0.5, 0.95, 0.98), 3.0));
        assert!(near_by_ratio(adapted(2.0, false, 0.98, 0.95, 0.98), 2.0));
        assert!(near_by_ratio(adapted(2.0, false, 0.0, 0.95, 0.98), 2.0));
        assert!(near_by_ratio(adapted(9e5, false, 0.1, 0.95, 0.98), 1e6));
        assert!(near_by_ratio(adapted(1e-6, true, 0.1, 0.95, 0.98), 1e-6));
    }

    #[test]
    fn flows_are_counted_window_by_window() {
        let mut green = green(&[]);
        for flow in [3, 1, 3, 7] {
            assert_eq!(arrive(&mut green, 0.5, &data(flow, false), 0.0), Verdict::Pass);
        }

        // The packet that ends the window still goes by the former number, and counts in the window that it ends.
        assert_eq!(arrive(&mut green, 1.0, &data(9, false), 0.0), Verdict::Pass);
        assert_eq!(green.n, 4);
        arrive(&mut green, 1.999, &data(1, false), 0.5);
        assert_eq!(green.n, 4);
        arrive(&mut green, 2.0, &data(1, false), 0.5);
        assert_eq!(green.n, 1);
    }

    #[test]
    fn the_utilisation_is_what_joined_and_no_longer_waits() {
        let mut green = green(&[]);
        let mut rig = Rig::waiting(30);
        for _ in 0..500 {
            arrive(&mut green, 0.5, &data(1, false), 0.5);
        }

        rig.arrive_drawing(&mut green, at(1.0), &data(1, false), 0.5);
        // 500 - 30 of 1250 packets.
        assert!(near_by_ratio(green.utilisation, 0.376));
        assert!(near_by_ratio(green.gamma, 1.376 / 0.752));
        // In the next second those that waited have left.
        Rig::waiting(0).arrive_drawing(&mut green, at(2.0), &data(1, false), 0.5);
        assert!(near_by_ratio(green.utilisation, 0.024));
    }

    #[test]
    fn losses_to_a_full_buffer_lower_gamma_and_the_law_alone_has_none() {
        for (adaptive, expected) in [("true", 0.95), ("false", 1.0)] {
            let mut green = green(&[("adaptive", adaptive)]);
            let mut rig = Rig::waiting(0);
            let packet = data(1, false);
            green.on_drop(at(0.1), &packet, Dropped::OVERFLOW, &mut rig.view());
            for seconds in [1.0, 1.5] {
                arrive(&mut green, seconds, &packet, 0.5);
            }
            assert!(near_by_ratio(green.gamma, expected), "{adaptive}");
            assert_eq!(green.lost, 0);
        }
    }

    #[test]
    fn the_round_trip_time_is_that_from_syn_to_data() {
        let mut green = green(&[]);
        // The first SYN is lost on its way; the second one's answer brings data 40 ms later, and more data changes nothing.
        for (seconds, syn) in [(0.0, true), (0.2, true), (0.24, false), (0.5, false)] {
            arrive(&mut green, seconds, &data(1, syn), 0.9);
        }
        green.n = 10;

        arrive(&mut green, 0.6, &data(1, false), 0.9);
        assert!(near_by_ratio(green.p, 0.0096 * 6.25), "(100 / 40)^2 times that of 100 ms");
    }

    #[test]
    fn the_wait_of_the_packet_takes_the_place_of_that_of_the_syn() {
        // 25 packets wait 20 ms at 10 Mbit/s.
        for (add_wait, shares) in [("true", [100.0 / 60.0, 100.0 / 40.0]), ("false", [100.0 / 40.0, 100.0 / 40.0])] {
            let mut green = green(&[("add_wait", add_wait)]);
            green.n = 10;
            Rig::waiting(25).arrive_drawing(&mut green, at(0.0), &data(1, true), 0.9);
            Rig::waiting(25).arrive_drawing(&mut green, at(0.06), &data(1, false), 0.9);
            assert!(near_by_ratio(green.p, 0.0096 * shares[0] * shares[0]), "{add_wait}");
            Rig::waiting(0).arrive_drawing(&mut green, at(0.07), &data(1, false), 0.9);
            assert!(near_by_ratio(green.p, 0.0096 * shares[1] * shares[1]), "{add_wait}");
        }
    }

    #[test]
    fn what_a_sender_says_of_its_round_trip_is_taken() {
        let mut green = green(&[]);
        green.n = 10;
        let told = Body::TfrcData { seq: 0, sent_at: Instant::ZERO, rtt: Some(Duration::from_millis(200)) };
        let packet = Packet { body: told, ..data(1, false) };

        Rig::waiting(25).arrive_drawing(&mut green, at(0.0), &packet, 0.9);

        assert!(near_by_ratio(green.p, 0.0024));
    }

    #[test]
    fn without_a_handshake_the_base_round_trip_time_counts() {
        for source in ["handshake", "base"] {
            let mut green = green(&[("rtt", source)]);
            green.n = 10;
            arrive(&mut green, 0.0, &Packet::datagram(FlowId(4), 0, 1000), 0.9);
            assert!(near_by_ratio(green.p, 0.0096), "{source}");
            arrive(&mut green, 0.1, &data(1, true), 0.9);
            arrive(&mut green, 0.12, &data(1, false), 0.9);
            assert!(near_by_ratio(green.p, if source == "base" { 0.0096 } else { 0.24 }), "{source}");
        }
    }

    #[test]
    fn a_packet_is_dropped_or_marked_at_the_probability_of_its_flow() {
        for (ecn, punished) in [("false", Verdict::Drop(Reason::EARLY)), ("true", Verdict::Mark(Reason::EARLY))] {
            let mut green = green(&[("ecn", ecn)]);
            green.n = 10;
            let capable = data(1, false).with_ecn(Ecn::Ect0);
            assert_eq!(arrive(&mut green, 0.0, &capable, 0.009_599), punished);
            assert_eq!(arrive(&mut green, 0.0, &capable, 0.009_601), Verdict::Pass);
            assert_eq!(arrive(&mut green, 0.0, &data(1, false), 0.009_599), Verdict::Drop(Reason::EARLY));
        }
    }
}
