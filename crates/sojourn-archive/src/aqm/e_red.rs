//! Exponential RED: the probability is exponential in the length of a virtual queue, whose link is slightly slower than the real one.
//! Specification: [Liu05] Liu, Başar and Srikant, "Exponential-RED: A Stabilizing AQM Scheme for Low- and High-Speed TCP Protocols",
//! IEEE/ACM ToN 13(5), 2005, only its abstract is available, and no code. Compared with: no module in ns-2 2.35.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | All constants are ours: [Liu05]'s were not at hand | said beside each | - |
//! | From the lower threshold on the probability is `p_min` and grows exponentially to 1 at the upper one | the abstract gives the form, not its ends | `the_probability_is_exponential_between_the_thresholds` |
//! | A dropped packet does not join the virtual queue | as AVQ's | `a_dropped_packet_does_not_join_the_virtual_queue` |

use sojourn_queues::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "e_red",
    title: "Exponential RED (E-RED)",
    doc: "Active queue management by a virtual queue, which gets the same packets and whose link is slightly slower than the \
          real one. The drop probability is exponential in the length of the virtual queue.",
    reference: "Liu, Başar and Srikant 2005",
    law: Some(draw_law),
    probes: &[Probe::new("virtual_bytes", "bytes", Probe::UP, "content of the virtual queue at the last arrival")],
    ..QueueEntry::of_policy::<Params>()
};

params! {
    pub struct Params {
        /// The most that may wait, without the packet in transmission.
        limit: Size = "100p" in [0.0, 1e12], "as fifo";
        /// Rate of the virtual link as a part of the real one's.
        gamma: Fraction = "0.98" in [1e-3, 1.0], "ours, as avq: [Liu05] says slightly below 1";
        /// Virtual queue below which nothing is dropped.
        min_th: Size = "5p" in [0.0, 1e12], "ours: as red on slow links";
        /// Virtual queue from which on everything is dropped; above `min_th`.
        max_th: Size = "50p" in [0.0, 1e12], "ours: half of the limit";
        /// Probability at `min_th`.
        p_min: Fraction = "0.001" in [1e-12, 1.0], "ours: [Liu05]'s was not available";
        /// Mark ECN-capable packets instead of dropping them, at any probability below 1.
        ecn: bool = "false", "RFC 3168: senders have to agree";
    }
}

/// 0 below `min_th`; `p_min e^(beta (b - min_th))` from there on with `beta = ln(1 / p_min) / (max_th - min_th)`, which is 1 at `max_th`.
fn probability(b: f64, min_th: f64, max_th: f64, p_min: f64) -> f64 {
    if b < min_th {
        return 0.0;
    }
    if b >= max_th {
        return 1.0;
    }
    let beta = -libm::log(p_min) / (max_th - min_th);
    (p_min * libm::exp(beta * (b - min_th))).min(1.0)
}

#[derive(Clone, Debug)]
pub struct ERed {
    params: Params,
    /// Bytes that the virtual link sends in a second.
    rate: f64,
    mean_packet: f64,
    /// In mean packets.
    min_th: f64,
    max_th: f64,
    /// Bytes in the virtual queue, and the time of that count.
    virtual_bytes: f64,
    since: Instant,
    p: f64,
}

impl PolicyParams for Params {
    type Policy = ERed;

    fn policy(&self, link: &LinkContext) -> Result<ERed, BuildError> {
        let (min_th, max_th) = (link.packets(self.min_th), link.packets(self.max_th));
        if max_th <= min_th {
            return Err(BuildError::new(
                "max_th",
                format!("max_th is {max_th} packets and min_th is {min_th} packets on this link"),
                "max_th is above min_th",
            ));
        }
        Ok(ERed {
            params: self.clone(),
            rate: self.gamma.0 * link.rate.as_bps() as f64 / 8.0,
            mean_packet: link.mean_packet.0 as f64,
            min_th,
            max_th,
            virtual_bytes: 0.0,
            since: Instant::ZERO,
            p: 0.0,
        })
    }
}

fn draw_law(args: &Args, link: &LinkContext) -> Result<Graph, BuildError> {
    let ERed { params, min_th, max_th, .. } = args.typed::<Params>().policy(link)?;
    let law = |b: f64| probability(b, min_th, max_th, params.p_min.0);
    Ok(Graph::new(Axis::new("virtual queue", "packets"), Axis::PROBABILITY)
        .about(format!("The virtual link has {} of the rate of the real one.", params.gamma.0))
        .curve("", (0.0, 1.2 * max_th), &[min_th, max_th], law))
}

impl Policy for ERed {
    fn on_arrival(&mut self, now: Instant, packet: &Packet, _queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        let sent = self.rate * now.since(self.since).as_secs_f64();
        self.since = now;
        self.virtual_bytes = (self.virtual_bytes - sent).max(0.0);
        self.p = probability(self.virtual_bytes / self.mean_packet, self.min_th, self.max_th, self.params.p_min.0);
        let is_chosen = rng.uniform() < self.p;
        let marks = self.params.ecn && packet.ecn.is_capable() && self.p < 1.0;
        if is_chosen && !marks {
            return Verdict::Drop(if self.p < 1.0 { Reason::EARLY } else { Reason::FORCED });
        }
        self.virtual_bytes += f64::from(packet.size);
        if is_chosen { Verdict::Mark(Reason::EARLY) } else { Verdict::Pass }
    }

    fn decides_on_arrival(&self) -> bool {
        true
    }

    probes! { |self|
        "drop_prob" => self.p,
        "virtual_bytes" => self.virtual_bytes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_queues::packet::Ecn;
    use sojourn_queues::rig::{PACKET, Rig, args, at, near, policy_of};

    /// A virtual link of half of 10 Mbit/s, that is 625 packets of 1000 bytes in a second; thresholds 4 and 8, p_min 1/16.
    fn e_red(settings: &[(&str, &str)]) -> ERed {
        let base = [("gamma", "0.5"), ("min_th", "4p"), ("max_th", "8p"), ("p_min", "0.0625")];
        policy_of::<Params>(&ENTRY, None, &[&base, settings].concat())
    }

    #[test]
    fn the_probability_is_exponential_between_the_thresholds() {
        // From 1/16 to 1 over four packets: a factor of 2 for each.
        for (b, expected) in
            [(3.999, 0.0), (4.0, 0.0625), (5.0, 0.125), (6.0, 0.25), (7.5, 0.5 * 2.0_f64.sqrt()), (8.0, 1.0)]
        {
            assert!(near(probability(b, 4.0, 8.0, 0.0625), expected), "{b}");
        }
    }

    fn arrive(e_red: &mut ERed, seconds: f64, packet: &Packet, u: f64) -> Verdict {
        Rig::waiting(0).arrive_drawing(e_red, at(seconds), packet, u)
    }

    #[test]
    fn the_virtual_queue_drains_at_its_own_rate() {
        let mut e_red = e_red(&[]);
        for _ in 0..5 {
            arrive(&mut e_red, 0.0, &PACKET, 0.999);
        }
        assert!(near(e_red.virtual_bytes, 5000.0));

        // 1.6 ms are a packet on the virtual link.
        arrive(&mut e_red, 0.0016, &PACKET, 0.999);
        assert!(near(e_red.virtual_bytes, 5000.0));
        arrive(&mut e_red, 1.0, &PACKET, 0.999);
        assert!(near(e_red.virtual_bytes, 1000.0));
    }

    #[test]
    fn a_dropped_packet_does_not_join_the_virtual_queue() {
        let mut e_red = e_red(&[]);
        for _ in 0..5 {
            arrive(&mut e_red, 0.0, &PACKET, 0.999);
        }

        assert_eq!(arrive(&mut e_red, 0.0, &PACKET, 0.1249), Verdict::Drop(Reason::EARLY));
        assert!(near(e_red.virtual_bytes, 5000.0));
        assert_eq!(arrive(&mut e_red, 0.0, &PACKET, 0.1251), Verdict::Pass);
    }

    #[test]
    fn from_the_upper_threshold_on_all_is_dropped() {
        let mut e_red = e_red(&[("ecn", "true")]);
        e_red.virtual_bytes = 8000.0;
        let capable = PACKET.with_ecn(Ecn::Ect0);

        assert_eq!(arrive(&mut e_red, 0.0, &capable, 0.999), Verdict::Drop(Reason::FORCED));
        e_red.virtual_bytes = 7000.0;
        assert_eq!(arrive(&mut e_red, 0.0, &capable, 0.4), Verdict::Mark(Reason::EARLY));
        // Marked packets join: all are dropped from 8 packets on.
        e_red.virtual_bytes = 7000.0;
        assert_eq!(arrive(&mut e_red, 0.0, &PACKET, 0.0), Verdict::Drop(Reason::EARLY));
    }

    #[test]
    fn crossed_thresholds_are_refused_by_name() {
        let params = args(&ENTRY, None, &[("max_th", "5p")]).typed::<Params>();

        assert_eq!(params.policy(&LinkContext::default()).map(|_| ()).map_err(|error| error.param), Err("max_th"));
    }
}
