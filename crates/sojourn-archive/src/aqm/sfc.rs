//! SFC (state feedback controller): at each arrival the probability is a weighted sum of the distance of the queue from its target and of
//! the excess of arrivals over the link's rate. Specification: [Gao03] Gao and Hou, "A State Feedback Control Approach to Stabilizing
//! Queues for ECN-Enabled TCP Connections", INFOCOM 2003, whose abstract was available, and [Ale04] Alemu 2004, table 1.1, which has its
//! form. Compared with: no module in ns-2 2.35.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | The automatic gains are derived from the linear model of Hollot et al. 2001, for a phase margin of 60 degrees | [Gao03]'s were not at hand | `the_automatic_gains_leave_a_phase_margin_of_60_degrees` |
//! | The rate of arrivals is averaged exponentially over a round-trip time | neither source says how it is measured | `the_rate_follows_arrivals` |
//! | The queue is above its target by the amount that gives the loss at equilibrium | [Ale04]'s form has no constant | `at_equilibrium_two_packets_for_each_flow_wait_above_the_target` |

use std::f64::consts::PI;

use sojourn_queues::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "sfc",
    title: "SFC (state feedback controller)",
    doc: "A controller by the queue and the rate of arrivals. The drop probability is a weighted sum of the queue's distance \
          from its target and of the excess of arrivals over the link.",
    reference: "Gao and Hou 2003",
    law: Some(draw_law),
    probes: &[Probe::new("rate_packets_per_s", "packets/s", Probe::UP, "smoothed rate of arrivals")],
    ..QueueEntry::of_policy::<Params>()
};

params! {
    pub struct Params {
        /// The most that may wait, without the packet in transmission.
        limit: Size = "100p" in [0.0, 1e12], "as fifo";
        /// Target of the queue.
        q_ref: Size = "25p" in [0.0, 1e12], "as pi: a quarter of the limit";
        /// Gain of the queue's distance from its target, per packet (k1). Automatic: designed for `design_flows` and `design_rtt`.
        k1: Option<f64> = "auto" in [0.0, 1e6], "derived: [Gao03]'s rule was not available";
        /// Gain of the excess rate, in seconds per packet (k2). Automatic as `k1`.
        k2: Option<f64> = "auto" in [0.0, 1e6], "derived: [Gao03]'s rule was not available";
        /// Time over which the rate of arrivals is averaged. Automatic: the base round-trip time, and at least the time of a packet.
        window: Option<Duration> = "auto" in [1e-6, 1e3], "ours: neither source says";
        /// Number of flows that automatic gains are designed for. Automatic: the flows of the scenario.
        design_flows: Option<u64> = "auto" in [1.0, 1e9], "as pi";
        /// Greatest round-trip time that automatic gains are designed for. Automatic: base round-trip time plus a full buffer.
        design_rtt: Option<Duration> = "auto" in [1e-6, 1e3], "as pi";
        /// Mark ECN-capable packets instead of dropping them, at any probability.
        ecn: bool = "false", "[Gao03] is for ECN; RFC 3168: senders have to agree";
    }
}

/// Gains per packet and per packet per second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gains {
    /// Gain of the queue.
    pub k1: f64,
    /// Gain of the rate.
    pub k2: f64,
}

impl Gains {
    /// The linear model of N flows with round-trip time R on a link of C packets per second (Hollot et al. 2001) is
    /// `(C^2 / (2N)) e^(-sR) / ((s + 2N/(R^2 C)) (s + 1/R))` from probability to queue. `k1 = k2 / R` cancels the pole of the queue;
    /// the rest crosses 1 at most at `k2 C^2 / (2N) = pi / (6R)`, where delay and pole leave 60 degrees.
    pub fn designed(flows: f64, rtt: f64, capacity: f64) -> Gains {
        let k2 = PI / (6.0 * rtt) * 2.0 * flows / (capacity * capacity);
        Gains { k1: k2 / rtt, k2 }
    }

    /// `k1 (q - q_ref) + k2 (rate - C)`, kept in [0, 1] ([Ale04] table 1.1).
    pub fn probability(self, distance: f64, excess: f64) -> f64 {
        (self.k1 * distance + self.k2 * excess).clamp(0.0, 1.0)
    }
}

/// `rate e^(-t/W) + 1/W`: the rate after an arrival t after the last one; in the mean of Poisson arrivals it is their rate.
fn averaged(rate: f64, elapsed: f64, window: f64) -> f64 {
    rate * libm::exp(-elapsed / window) + 1.0 / window
}

#[derive(Clone, Debug)]
pub struct Sfc {
    gains: Gains,
    q_ref: f64,
    capacity: f64,
    window: f64,
    ecn: bool,
    /// Arrivals per second.
    rate: f64,
    since: Instant,
    p: f64,
}

impl PolicyParams for Params {
    type Policy = Sfc;

    fn policy(&self, link: &LinkContext) -> Result<Sfc, BuildError> {
        let capacity = link.packets_per_sec();
        let full = link.base_rtt.as_secs_f64() + link.packets(self.limit) / capacity;
        let rtt = self.design_rtt.map_or(full, Duration::as_secs_f64).max(1e-6);
        let designed = Gains::designed(self.design_flows.unwrap_or(link.flows).max(1) as f64, rtt, capacity);
        // One packet in a shorter time would be more than the link's rate.
        let window = self
            .window
            .map_or_else(|| link.base_rtt.as_secs_f64().max(1.0 / capacity), |window| window.as_secs_f64().max(1e-6));
        Ok(Sfc {
            gains: Gains { k1: self.k1.unwrap_or(designed.k1), k2: self.k2.unwrap_or(designed.k2) },
            q_ref: link.packets(self.q_ref),
            capacity,
            window,
            ecn: self.ecn,
            rate: 0.0,
            since: Instant::ZERO,
            p: 0.0,
        })
    }
}

fn draw_law(args: &Args, link: &LinkContext) -> Result<Graph, BuildError> {
    let params = args.typed::<Params>();
    let Sfc { gains, q_ref, capacity, .. } = params.policy(link)?;
    let range = (0.0, link.packets(params.limit));
    let mut graph = Graph::new(Axis::BACKLOG, Axis::PROBABILITY);
    for percent in [90.0, 100.0, 110.0] {
        let excess = capacity * (percent / 100.0 - 1.0);
        let knee = q_ref - gains.k2 * excess / gains.k1.max(f64::MIN_POSITIVE);
        let law = |q: f64| gains.probability(q - q_ref, excess);
        graph = graph.curve(format!("arrivals {percent} % of the link"), range, &[knee], law);
    }
    Ok(graph)
}

impl Policy for Sfc {
    fn on_arrival(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        self.rate = averaged(self.rate, now.since(self.since).as_secs_f64(), self.window);
        self.since = now;
        self.p = self.gains.probability(queue.packets() as f64 - self.q_ref, self.rate - self.capacity);
        if rng.uniform() >= self.p { Verdict::Pass } else { Verdict::signal(self.ecn, packet, Reason::EARLY) }
    }

    fn decides_on_arrival(&self) -> bool {
        true
    }

    probes! { |self|
        "drop_prob" => self.p,
        "rate_packets_per_s" => self.rate,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_queues::packet::Ecn;
    use sojourn_queues::rig::{PACKET, Rig, at, near, policy_of};

    fn sfc(settings: &[(&str, &str)]) -> Sfc {
        policy_of::<Params>(&ENTRY, None, settings)
    }

    #[test]
    fn the_probability_is_a_weighted_sum_and_bounded() {
        let gains = Gains { k1: 0.01, k2: 0.001 };
        for (distance, excess, expected) in
            [(10.0, 100.0, 0.2), (10.0, -50.0, 0.05), (-10.0, 100.0, 0.0), (-20.0, 100.0, 0.0), (90.0, 200.0, 1.0)]
        {
            assert!(near(gains.probability(distance, excess), expected), "{distance} {excess}");
        }
    }

    #[test]
    fn the_automatic_gains_leave_a_phase_margin_of_60_degrees() {
        for (flows, rtt, capacity) in [(10.0, 0.18, 1250.0), (60.0, 0.246, 3750.0), (3.0, 0.2, 187.5)] {
            let Gains { k1, k2 } = Gains::designed(flows, rtt, capacity);
            let slow = 2.0 * flows / (rtt * rtt * capacity);
            // |L| = 1 at omega with g |k1 + i omega k2| = |i omega + slow| |i omega + 1/R|; found by bisection.
            let g = capacity * capacity / (2.0 * flows);
            let gain = |w: f64| g * k1.hypot(w * k2) / (w.hypot(slow) * w.hypot(1.0 / rtt));
            let (mut low, mut high) = (0.0, 100.0 / rtt);
            for _ in 0..200 {
                let middle = f64::midpoint(low, high);
                if gain(middle) > 1.0 { low = middle } else { high = middle }
            }
            // Where the flows' own pole damps enough, the gain is below 1 everywhere, and there is no crossing to be stable at.
            let phase = (low * k2 / k1).atan() - (low / slow).atan() - (low * rtt).atan() - low * rtt;
            assert!(low <= 0.0 || PI + phase >= PI / 3.0 - 1e-9, "{flows}: {} degrees", (PI + phase).to_degrees());
        }
    }

    #[test]
    fn at_equilibrium_two_packets_for_each_flow_wait_above_the_target() {
        // p = 2 / W^2 with W = R C / N, over k1: 6 N / pi.
        let Gains { k1, .. } = Gains::designed(10.0, 0.18, 1250.0);
        let window = 0.18 * 1250.0 / 10.0;

        assert!(near(2.0 / (window * window) / k1, 60.0 / PI));
    }

    #[test]
    fn the_rate_follows_arrivals() {
        // Equal distances t: the rate settles at (1/W) / (1 - e^(-t/W)), which is 1/t + 1/(2W) but for terms in t.
        let mut rate = 0.0;
        for _ in 0..10_000 {
            rate = averaged(rate, 0.001, 0.1);
        }
        assert!((rate - 1005.0).abs() < 0.01, "{rate}");
    }

    #[test]
    fn a_packet_is_dropped_at_the_probability() {
        let mut sfc = sfc(&[("k1", "0.01"), ("k2", "0"), ("q_ref", "20p")]);

        assert_eq!(Rig::waiting(50).arrive_drawing(&mut sfc, at(0.0), &PACKET, 0.2999), Verdict::Drop(Reason::EARLY));
        assert_eq!(Rig::waiting(50).arrive_drawing(&mut sfc, at(0.0), &PACKET, 0.3001), Verdict::Pass);
        assert_eq!(Rig::waiting(20).arrive_drawing(&mut sfc, at(0.0), &PACKET, 0.0), Verdict::Pass);
    }

    #[test]
    fn what_is_capable_is_marked() {
        let mut sfc = sfc(&[("k1", "1"), ("k2", "0"), ("ecn", "true")]);
        let capable = PACKET.with_ecn(Ecn::Ect0);

        assert_eq!(Rig::waiting(50).arrive_drawing(&mut sfc, at(0.0), &capable, 0.5), Verdict::Mark(Reason::EARLY));
        assert_eq!(Rig::waiting(50).arrive_drawing(&mut sfc, at(0.0), &PACKET, 0.5), Verdict::Drop(Reason::EARLY));
    }
}
