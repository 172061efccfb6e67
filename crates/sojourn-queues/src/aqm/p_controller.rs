//! P controller: a drop probability proportional to the distance of the queue, not of an average, above a threshold. Specification: Hollot,
//! Misra, Towsley and Gong, "On Designing Improved Controllers for AQM Routers Supporting TCP Flows", INFOCOM 2001 [Hol01], as Alemu
//! 2004 section 1.2 restates it (algorithm 10, eq. 1.20) [Ale04]. Compared with: no module in ns-2 2.35.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | The slope takes the place of max_p and an upper threshold | only their ratio enters eq. 1.20, and the rule gives no more | `the_design_rule_gives_the_distance_between_the_thresholds` |
//! | The probability is clamped to [0, 1] | [Ale04] does not say | `the_probability_is_proportional_and_bounded` |

use crate::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "p_controller",
    title: "P controller",
    doc: "RED without an average. The drop probability is proportional to how far the queue itself is above a threshold.",
    reference: "Hollot, Misra, Towsley and Gong 2001",
    presets: presets! {
        /// Alemu 2004 section 1.2: RED's line with w_q 1, from 0 to 0.1 between 5 and 15 of 35 packets.
        alemu2004 = { limit = "35p", min_th = "5p", slope = "0.01" };
    },
    law: Some(draw_law),
    ..QueueEntry::of_policy::<Params>()
};

params! {
    pub struct Params {
        /// The most that may wait, without the packet in transmission.
        limit: Size = "100p" in [0.0, 1e12], "as fifo";
        /// Queue above which packets are dropped.
        min_th: Size = "0p" in [0.0, 1e12], "[Hol01]: the slope decides; a threshold only adds delay";
        /// Probability for each packet above `min_th`: max_p over the distance between RED's thresholds. Automatic: designed for
        /// `design_flows` and `design_rtt`.
        slope: Option<f64> = "auto" in [0.0, 1e6], "[Hol01]";
        /// Least number of flows that an automatic slope shall be stable with. Automatic: the flows of the scenario.
        design_flows: Option<u64> = "auto" in [1.0, 1e9], "[Hol01] (N-)", when slope in ["auto"];
        /// Greatest round-trip time that an automatic slope shall be stable with. Automatic: base round-trip time plus a full buffer.
        design_rtt: Option<Duration> = "auto" in [1e-6, 1e3], "[Hol01] (R+)", when slope in ["auto"];
        /// Mark ECN-capable packets instead of dropping them, at any probability.
        ecn: bool = "false", "RFC 3168: senders have to agree";
    }
}

/// `slope (q - min_th)`, clamped to [0, 1]; queues in packets ([Ale04] eq. 1.20).
pub fn probability(slope: f64, q: f64, min_th: f64) -> f64 {
    (slope * (q - min_th)).clamp(0.0, 1.0)
}

/// Stable with at least `flows` flows, at most `rtt` seconds, on a link of `capacity` packets per second ([Ale04] section 1.2):
/// `L = |(1 + i omega_g / p_tcp) (1 + i omega_g / p_queue)| (2 N)^2 / (R C)^3` with `omega_g = sqrt(2 N / (R^3 C))`,
/// `p_tcp = -2 N / (R^2 C)`, `p_queue = -1 / R`.
pub fn designed_slope(flows: f64, rtt: f64, capacity: f64) -> f64 {
    let omega_g = libm::sqrt(2.0 * flows / (rtt * rtt * rtt * capacity));
    let p_tcp = 2.0 * flows / (rtt * rtt * capacity);
    let pole = |p: f64| libm::sqrt(1.0 + (omega_g / p) * (omega_g / p));
    let window = rtt * capacity;
    pole(p_tcp) * pole(1.0 / rtt) * 4.0 * flows * flows / (window * window * window)
}

#[derive(Clone, Debug)]
pub struct PController {
    slope: f64,
    min_th: f64,
    ecn: bool,
    /// Drop probability at the last arrival.
    p: f64,
}

impl PolicyParams for Params {
    type Policy = PController;

    fn policy(&self, link: &LinkContext) -> Result<PController, BuildError> {
        let capacity = link.packets_per_sec();
        let full = link.base_rtt.as_secs_f64() + link.packets(self.limit) / capacity;
        let rtt = self.design_rtt.map_or(full, Duration::as_secs_f64);
        let flows = self.design_flows.unwrap_or(link.flows).max(1);
        let slope = self.slope.unwrap_or_else(|| designed_slope(flows as f64, rtt, capacity));
        Ok(PController { slope, min_th: link.packets(self.min_th), ecn: self.ecn, p: 0.0 })
    }
}

fn draw_law(args: &Args, link: &LinkContext) -> Result<Graph, BuildError> {
    let params = args.typed::<Params>();
    let PController { slope, min_th, .. } = params.policy(link)?;
    let range = (0.0, link.packets(params.limit));
    let knees = [min_th, min_th + 1.0 / slope];
    Ok(Graph::new(Axis::BACKLOG, Axis::PROBABILITY).curve("", range, &knees, |q| probability(slope, q, min_th)))
}

impl Policy for PController {
    fn on_arrival(&mut self, _now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        self.p = probability(self.slope, queue.packets() as f64, self.min_th);
        if rng.uniform() > self.p || self.p <= 0.0 {
            Verdict::Pass
        } else {
            Verdict::signal(self.ecn, packet, Reason::EARLY)
        }
    }

    fn decides_on_arrival(&self) -> bool {
        true
    }

    probes! { |self|
        "drop_prob" => self.p,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::Ecn;
    use crate::rig::{PACKET, Rig, at, policy_of};

    fn controller(settings: &[(&str, &str)]) -> PController {
        policy_of::<Params>(&ENTRY, Some("alemu2004"), settings)
    }

    #[test]
    fn the_probability_is_proportional_and_bounded() {
        for (queue, expected) in [(4.0, 0.0), (5.0, 0.0), (15.0, 0.1), (104.0, 0.99), (105.0, 1.0), (200.0, 1.0)] {
            let p: f64 = probability(0.01, queue, 5.0);
            assert!((p - expected).abs() < 1e-12, "{queue}");
        }
    }

    #[test]
    fn the_queue_itself_decides_about_each_packet() {
        let mut controller = controller(&[]);

        assert_eq!(
            Rig::waiting(15).arrive_drawing(&mut controller, at(0.0), &PACKET, 0.1),
            Verdict::Drop(Reason::EARLY)
        );
        assert_eq!(Rig::waiting(14).arrive_drawing(&mut controller, at(0.0), &PACKET, 0.1), Verdict::Pass);
        assert_eq!(Rig::waiting(5).arrive_drawing(&mut controller, at(0.0), &PACKET, 0.0), Verdict::Pass);
    }

    #[test]
    fn what_is_capable_is_marked() {
        let mut controller = controller(&[("ecn", "true")]);
        let capable = PACKET.with_ecn(Ecn::Ect1);

        assert_eq!(
            Rig::waiting(15).arrive_drawing(&mut controller, at(0.0), &capable, 0.1),
            Verdict::Mark(Reason::EARLY)
        );
        assert_eq!(
            Rig::waiting(15).arrive_drawing(&mut controller, at(0.0), &PACKET, 0.1),
            Verdict::Drop(Reason::EARLY)
        );
    }

    #[test]
    fn the_design_rule_gives_the_distance_between_the_thresholds() {
        // max_th - min_th = 1 / L with max_p 1, of the printed formulas with complex numbers, at 187.5 packets/s (four digits).
        for (flows, rtt, printed) in [(3.0, 0.241, 824.5), (3.0, 0.252, 926.5), (53.0, 0.241, 3.759)] {
            let distance = 1.0 / designed_slope(flows, rtt, 187.5);
            assert!((distance / printed - 1.0).abs() < 2e-4, "{flows} {rtt}: {distance}");
        }
    }

    #[test]
    fn an_automatic_slope_is_designed_for_the_link() {
        // 10 flows, 1250 packets/s, 100 ms and a full buffer of 50 packets, which are 40 ms.
        let automatic = controller(&[("slope", "auto"), ("limit", "50p")]);

        assert!((automatic.slope / designed_slope(10.0, 0.14, 1250.0) - 1.0).abs() < 1e-12);
    }
}
