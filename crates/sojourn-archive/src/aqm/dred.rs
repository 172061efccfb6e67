//! DRED (dynamic RED): an integral controller moves the drop probability by the filtered distance of the queue from its target, so that
//! the queue stays there whatever the load. Specification: [Awe01] Aweya, Ouellette and Montuno, "A control theoretic approach to active
//! queue management", Computer Networks 36(2-3), 2001, as described by [Tah13] Tahiliani 2013, section 2.1, and by notes of its readers.
//! Its text is not available, so that constants marked [Awe01] are from these. Compared with: no module in ns-2 2.35.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | Drops are independent | the sources at hand give no spacing | `a_packet_is_dropped_at_the_probability` |
//! | Limit, target and queue are in packets | [Awe01] leaves the unit open; the law has none | `the_law_is_that_of_the_paper` |

use sojourn_queues::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "dred",
    title: "DRED (dynamic RED)",
    doc: "A controller that holds the queue at a target. The drop probability moves by the filtered distance of the queue from \
          the target; below a threshold nothing is dropped.",
    reference: "Aweya, Ouellette and Montuno 2001",
    presets: presets! {
        /// Aweya, Ouellette and Montuno 2001: every ten packet times, gains 0.00005 and 0.002, the target half of the buffer.
        paper = { alpha = "0.00005", beta = "0.002", interval = "auto", target = "auto", spare_below = "auto", top = "1" };
    },
    law: Some(draw_law),
    probes: &[Probe::new(
        "filtered_error",
        "packets",
        "any",
        "smoothed distance of the queue from its target; negative below it",
    )],
    ..QueueEntry::of_policy::<Params>()
};

params! {
    pub struct Params {
        /// The most that may wait, without the packet in transmission (B).
        limit: Size = "100p" in [0.0, 1e12], "as fifo";
        /// Target of the queue (T). Automatic: half of `limit`.
        target: Option<Size> = "auto" in [0.0, 1e12], "[Awe01]: T = B / 2";
        /// Queue below which nothing is dropped (L). Automatic: 0.9 times the target.
        spare_below: Option<Size> = "auto" in [0.0, 1e12], "[Awe01]: L = 0.9 T";
        /// Gain of the controller, for an error of the whole buffer.
        alpha: f64 = "0.00005" in [0.0, 1e3], "[Awe01]";
        /// Weight of the present error in the filter.
        beta: Fraction = "0.002" in [0.0, 1.0], "[Awe01]";
        /// Time between two updates. Automatic: ten mean packets at the link's rate.
        interval: Option<Duration> = "auto" in [1e-6, 1e4], "[Awe01]: 10 packet times";
        /// The probability never exceeds it (theta).
        top: Fraction = "1" in [0.0, 1.0], "[Awe01]";
        /// Mark ECN-capable packets instead of dropping them, at any probability.
        ecn: bool = "false", "RFC 3168: senders have to agree";
    }
}

/// `(1 - beta) f + beta (q - T)` ([Awe01]).
pub fn filtered(f: f64, error: f64, beta: f64) -> f64 {
    (1.0 - beta) * f + beta * error
}

/// `p + alpha f / B`, kept in [0, theta] ([Awe01]).
pub fn moved(p: f64, alpha: f64, f: f64, buffer: f64, top: f64) -> f64 {
    (p + alpha * f / buffer).clamp(0.0, top)
}

#[derive(Clone, Debug)]
pub struct Dred {
    params: Params,
    /// In packets.
    buffer: f64,
    target: f64,
    spare_below: f64,
    interval: Duration,
    due: Instant,
    /// The filtered error.
    f: f64,
    /// Drop probability.
    p: f64,
}

impl PolicyParams for Params {
    type Policy = Dred;

    fn policy(&self, link: &LinkContext) -> Result<Dred, BuildError> {
        let buffer = link.packets(self.limit).max(1.0);
        let target = self.target.map_or(buffer / 2.0, |size| link.packets(size));
        let ten_packets = Duration::from_secs_f64((10.0 / link.packets_per_sec()).max(1e-6));
        let interval = self.interval.unwrap_or(ten_packets);
        Ok(Dred {
            params: self.clone(),
            buffer,
            target,
            spare_below: self.spare_below.map_or(0.9 * target, |size| link.packets(size)),
            interval,
            due: Instant::ZERO + interval,
            f: 0.0,
            p: 0.0,
        })
    }
}

impl Dred {
    fn update(&mut self, q: f64) {
        self.f = filtered(self.f, q - self.target, self.params.beta.0);
        self.p = moved(self.p, self.params.alpha, self.f, self.buffer, self.params.top.0);
    }
}

/// How far an update moves a probability that may go both ways, once the filter has settled.
fn draw_law(args: &Args, link: &LinkContext) -> Result<Graph, BuildError> {
    let Dred { params, buffer, target, interval, .. } = args.typed::<Params>().policy(link)?;
    let step = |q: f64| moved(0.5, params.alpha, q - target, buffer, 1.0) - 0.5;
    Ok(Graph::new(Axis::BACKLOG, Axis::new("change of the drop probability", "per update"))
        .about(format!(
            "Drawn for a queue that has been as long for many updates. There is an update every {interval}."
        ))
        .curve("", (0.0, buffer), &[target], step))
}

impl Policy for Dred {
    fn on_arrival(&mut self, _now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        let drawn = rng.uniform();
        if (queue.packets() as f64) < self.spare_below || drawn > self.p || self.p <= 0.0 {
            Verdict::Pass
        } else {
            Verdict::signal(self.params.ecn, packet, Reason::EARLY)
        }
    }

    fn next_deadline(&self) -> Option<Instant> {
        Some(self.due)
    }

    fn on_deadline(&mut self, now: Instant, queue: &mut QueueView<'_>) {
        while self.due <= now {
            self.update(queue.packets() as f64);
            self.due += self.interval;
        }
    }

    fn decides_on_arrival(&self) -> bool {
        true
    }

    probes! { |self|
        "drop_prob" => self.p,
        "filtered_error" => self.f,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_queues::packet::Ecn;
    use sojourn_queues::rig::{PACKET, Rig, at, near, policy_of};

    fn dred(settings: &[(&str, &str)]) -> Dred {
        policy_of::<Params>(&ENTRY, Some("paper"), settings)
    }

    #[test]
    fn automatic_values_follow_buffer_and_link() {
        // 100 packets: target 50, nothing dropped below 45; ten packets of 1000 bytes at 10 Mbit/s are 8 ms.
        let dred = dred(&[]);

        assert!(near(dred.target, 50.0) && near(dred.spare_below, 45.0));
        assert_eq!(dred.next_deadline(), Some(at(0.008)));
    }

    #[test]
    fn the_law_is_that_of_the_paper() {
        let mut dred = dred(&[("beta", "0.5"), ("alpha", "0.1")]);
        let mut rig = Rig::waiting(70);

        // f = 0.5 * 20 = 10, p = 0.1 * 10 / 100; then f = 15 and p = 0.01 + 0.015.
        dred.on_deadline(at(0.008), &mut rig.view());
        assert!(near(dred.f, 10.0) && near(dred.p, 0.01));
        dred.on_deadline(at(0.016), &mut rig.view());
        assert!(near(dred.f, 15.0) && near(dred.p, 0.025));
        // An empty queue: f = 7.5 - 25, p = 0.025 - 0.0175.
        dred.on_deadline(at(0.024), &mut Rig::waiting(0).view());
        assert!(near(dred.f, -17.5) && near(dred.p, 0.0075));
    }

    #[test]
    fn at_the_target_the_probability_stays() {
        assert!(near(moved(0.3, 0.1, filtered(0.0, 0.0, 0.002), 100.0, 1.0), 0.3));
    }

    #[test]
    fn the_probability_stays_between_zero_and_theta() {
        assert!(near(moved(0.001, 1.0, -50.0, 100.0, 1.0), 0.0));
        assert!(near(moved(0.19, 1.0, 50.0, 100.0, 0.2), 0.2));
    }

    #[test]
    fn a_packet_is_dropped_at_the_probability() {
        let mut dred = dred(&[]);
        dred.p = 0.4;

        assert_eq!(Rig::waiting(60).arrive_drawing(&mut dred, at(0.0), &PACKET, 0.4), Verdict::Drop(Reason::EARLY));
        assert_eq!(Rig::waiting(60).arrive_drawing(&mut dred, at(0.0), &PACKET, 0.4001), Verdict::Pass);
    }

    #[test]
    fn below_the_threshold_nothing_is_dropped() {
        let mut dred = dred(&[]);
        dred.p = 1.0;

        assert_eq!(Rig::waiting(44).arrive_drawing(&mut dred, at(0.0), &PACKET, 0.0), Verdict::Pass);
        assert_eq!(Rig::waiting(45).arrive_drawing(&mut dred, at(0.0), &PACKET, 0.0), Verdict::Drop(Reason::EARLY));
    }

    #[test]
    fn without_a_probability_nothing_is_dropped() {
        assert_eq!(Rig::waiting(90).arrive_drawing(&mut dred(&[]), at(0.0), &PACKET, 0.0), Verdict::Pass);
    }

    #[test]
    fn what_is_capable_is_marked() {
        let mut dred = dred(&[("ecn", "true")]);
        dred.p = 1.0;
        let capable = PACKET.with_ecn(Ecn::Ect1);

        assert_eq!(Rig::waiting(60).arrive_drawing(&mut dred, at(0.0), &capable, 0.5), Verdict::Mark(Reason::EARLY));
        assert_eq!(Rig::waiting(60).arrive_drawing(&mut dred, at(0.0), &PACKET, 0.5), Verdict::Drop(Reason::EARLY));
    }
}
