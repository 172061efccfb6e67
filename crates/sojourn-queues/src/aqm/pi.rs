//! PI: a controller that moves the drop probability at a fixed rate until the queue is at its reference.
//! Specification: Hollot, Misra, Towsley and Gong, "On Designing Improved Controllers for AQM Routers Supporting TCP
//! Flows", INFOCOM 2001 [Hol01]. Compared with: ns-2 2.35 `Queue/PI`.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | The first update comes 1/w after the start; ns-2's is at the start | an empty queue only lowers p, which is 0 | `an_update_of_an_empty_queue_leaves_nothing_to_drop` |

use crate::queue::prelude::*;

pub(crate) static ENTRY: QueueEntry = QueueEntry {
    name: "pi",
    title: "PI controller",
    doc: "A controller that holds the queue at a reference. Many times a second it moves the drop probability, by the distance \
          of the queue from the reference and by how that distance has changed.",
    reference: "Hollot, Misra, Towsley and Gong 2001",
    presets: presets! {
        /// Hollot et al. 2001: the gains of their example at 170 Hz, reference 200 packets of a buffer of 800.
        paper = { limit = "800p", q_ref = "200p", a = "1.822e-5", b = "1.816e-5", w = "170" };
        /// ns-2 2.35's defaults: a 0.00001822, b 0.00001816, reference 50 packets, 170 Hz.
        ns2 = { limit = "50p", q_ref = "50p", a = "1.822e-5", b = "1.816e-5", w = "170" };
        /// Alemu 2004 section 4.3: gains for at least 3 flows at 1.5 Mbit/s, reference 10 of 35 packets, 170 Hz.
        alemu2004 = { limit = "35p", q_ref = "10p", a = "0.000344519", b = "0.000343499", w = "170" };
    },
    law: Some(draw_law),
    ..QueueEntry::of_policy::<Params>()
};

params! {
    pub struct Params {
        /// The most that may wait, without the packet in transmission.
        limit: Size = "100p" in [0.0, 1e12], "four times the reference, as in [Hol01]";
        /// Target of the queue.
        q_ref: Size = "25p" in [0.0, 1e12], "a quarter of the limit, as in [Hol01]";
        /// Gain of the present deviation, per packet. Automatic: designed for `design_flows` and `design_rtt`.
        a: Option<f64> = "auto" in [0.0, 1e3], "[Hol01]";
        /// Gain of the previous deviation, per packet; below `a`. Automatic as `a`.
        b: Option<f64> = "auto" in [0.0, 1e3], "[Hol01]";
        /// Updates per second, in Hz.
        w: f64 = "170" in [1e-3, 1e6], "[Hol01]: sampling at 170 Hz";
        /// Least number of flows that the automatic gains shall be stable with. Automatic: the flows of the scenario.
        design_flows: Option<u64> = "auto" in [1.0, 1e9], "[Hol01] (N-)";
        /// Greatest round-trip time that the automatic gains shall be stable with. Automatic: base round-trip time plus a full buffer.
        design_rtt: Option<Duration> = "auto" in [1e-6, 1e3], "[Hol01] (R+)";
        /// Mark ECN-capable packets instead of dropping them, at any probability.
        ecn: bool = "false", "ns-2 2.35 setbit_";
    }
}

/// Gains of the controller, per packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gains {
    /// Gain of the present deviation.
    pub a: f64,
    /// Gain of the previous deviation.
    pub b: f64,
}

impl Gains {
    /// Stable with at least `flows` flows, at most `rtt` seconds, on a link of `capacity` packets per second, with
    /// `w` updates per second ([Hol01], bilinear transform):
    /// `omega_g = 2 N / (R^2 C)`, `K = omega_g |1 + i omega_g R| / ((R C)^3 / (2 N)^2)`,
    /// `a = K (1/omega_g + 1/(2 w))`, `b = K (1/omega_g - 1/(2 w))`.
    pub fn designed(flows: f64, rtt: f64, capacity: f64, w: f64) -> Gains {
        let omega_g = 2.0 * flows / (rtt * rtt * capacity);
        let plant = (rtt * capacity) * (rtt * capacity) * (rtt * capacity) / (4.0 * flows * flows);
        let k = omega_g * libm::sqrt(1.0 + omega_g * omega_g * rtt * rtt) / plant;
        Gains { a: k * (1.0 / omega_g + 0.5 / w), b: k * (1.0 / omega_g - 0.5 / w) }
    }

    /// `p + a (q - q_ref) - b (q_old - q_ref)`, clamped to [0, 1]; queues in packets.
    pub fn update(self, p: f64, q: f64, q_old: f64, q_ref: f64) -> f64 {
        (p + self.a * (q - q_ref) - self.b * (q_old - q_ref)).clamp(0.0, 1.0)
    }
}

/// PI on one link.
#[derive(Clone, Debug)]
pub struct Pi {
    params: Params,
    gains: Gains,
    q_ref: f64,
    /// Drop probability.
    p: f64,
    /// Packets waiting at the last update.
    q_old: f64,
    /// Updates so far: the n-th is due at n / w, so that rounding errors do not add up.
    updates: u64,
    /// Whether the last update changed nothing, over an empty queue: then the next ones will not.
    rests: bool,
}

impl Params {
    fn designed(&self, link: &LinkContext) -> Gains {
        let capacity = link.packets_per_sec();
        let full = link.base_rtt.as_secs_f64() + link.packets(self.limit) / capacity;
        let rtt = self.design_rtt.map_or(full, Duration::as_secs_f64);
        let flows = self.design_flows.unwrap_or(link.flows).max(1);
        Gains::designed(flows as f64, rtt, capacity, self.w)
    }
}

impl PolicyParams for Params {
    type Policy = Pi;

    fn policy(&self, link: &LinkContext) -> Result<Pi, BuildError> {
        let designed = self.designed(link);
        let gains = Gains { a: self.a.unwrap_or(designed.a), b: self.b.unwrap_or(designed.b) };
        if gains.a <= gains.b {
            return Err(BuildError::new(
                "a",
                format!("a is {} and b is {}, so that the probability would fall in a long queue", gains.a, gains.b),
                "a is greater than b",
            ));
        }
        Ok(Pi {
            params: self.clone(),
            gains,
            q_ref: link.packets(self.q_ref),
            p: 0.0,
            q_old: 0.0,
            updates: 0,
            rests: false,
        })
    }
}

/// How far an update moves a probability that may go both ways.
impl Pi {
    fn due(&self) -> Instant {
        Instant::from_secs_f64((self.updates + 1) as f64 / self.params.w)
    }

    fn update(&mut self, q: f64) {
        let p = self.gains.update(self.p, q, self.q_old, self.q_ref);
        self.rests = (p, q, self.q_old) == (self.p, 0.0, 0.0);
        self.p = p;
        self.q_old = q;
        self.updates += 1;
    }
}

fn draw_law(args: &Args, link: &LinkContext) -> Result<Graph, BuildError> {
    let params = args.typed::<Params>();
    let Pi { gains, q_ref, .. } = params.policy(link)?;
    let (range, update) =
        ((0.0, link.packets(params.limit)), Axis::new("change of the drop probability", "per update"));
    Ok(Graph::new(Axis::BACKLOG, update)
        .about(format!(
            "Drawn for a queue that was as long at the last update. There are {} updates per second.",
            params.w
        ))
        .curve("", range, &[q_ref], |q| gains.update(0.5, q, q, q_ref) - 0.5))
}

impl Policy for Pi {
    fn on_arrival(&mut self, _now: Instant, packet: &Packet, _queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        if rng.uniform() > self.p || self.p <= 0.0 {
            Verdict::Pass
        } else {
            Verdict::signal(self.params.ecn, packet, Reason::EARLY)
        }
    }

    fn next_deadline(&self) -> Option<Instant> {
        Some(self.due())
    }

    fn on_deadline(&mut self, now: Instant, queue: &mut QueueView<'_>) {
        while self.due() <= now {
            self.update(queue.packets() as f64);
        }
    }

    fn rests(&self) -> bool {
        self.rests
    }

    fn rest_until(&mut self, until: Instant) {
        // A quotient is rounded: the last updates are counted.
        self.updates = self.updates.max(((until.as_secs_f64() * self.params.w) as u64).saturating_sub(2));
        while self.due() < until {
            self.updates += 1;
        }
    }

    fn decides_on_arrival(&self) -> bool {
        true
    }

    fn is_like(&self, other: &Self) -> bool {
        (self.updates, self.p, self.q_old) == (other.updates, other.p, other.q_old)
    }

    fn take_over(&mut self, other: &Self) {
        self.clone_from(other);
    }

    probes! { |self|
        "drop_prob" => self.p,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::Ecn;
    use crate::rig::{PACKET, Rig, args, at, policy_of};

    fn update(pi: &mut Pi, packets: usize) {
        let mut rig = Rig::waiting(packets);
        let due = pi.next_deadline().expect("a clock");
        pi.on_deadline(due, &mut QueueView::new(&mut rig.fifo, &mut rig.events, true));
    }

    fn pi(settings: &[(&str, &str)]) -> Pi {
        policy_of::<Params>(&ENTRY, None, settings)
    }

    #[test]
    fn the_design_rule_gives_the_published_gains() {
        // Alemu 2004: 1.5 Mbit/s in 1000-byte packets, 3 flows, 170 Hz, R+ = 0.252 s: a 0.000344519, b 0.000343499.
        let printed = Gains::designed(3.0, 0.252, 187.5, 170.0);
        assert!((printed.a - 0.000_344_519).abs() < 1e-9 && (printed.b - 0.000_343_499).abs() < 1.1e-9, "{printed:?}");
        // Its own delays, R+ = 0.241 s.
        let own = Gains::designed(3.0, 0.241, 187.5, 170.0);
        assert!((own.a - 3.942_26e-4).abs() < 1e-9 && (own.b - 3.929_51e-4).abs() < 1e-9, "{own:?}");
    }

    #[test]
    fn updates_that_are_left_out_would_have_changed_nothing() {
        for (w, secs) in [("170", 0.001), ("170", 20_000.0), ("1e6", 0.3), ("0.3", 1e4)] {
            let mut pi = pi(&[("w", w), ("a", "0.0003"), ("b", "0.0002"), ("q_ref", "10p")]);
            update(&mut pi, 30);
            assert!(!pi.rests());
            while !pi.rests() {
                update(&mut pi, 0);
            }
            let (mut at_once, until) = (pi.clone(), pi.due() + crate::units::Duration::from_secs_f64(secs));

            while pi.due() < until {
                update(&mut pi, 0);
            }
            at_once.rest_until(until);

            assert!(pi.is_like(&at_once), "{w} {secs}");
        }
    }

    #[test]
    fn a_step_of_the_queue_gives_a_jump_and_then_a_ramp() {
        let mut pi = pi(&[("a", "0.0003"), ("b", "0.0002"), ("q_ref", "10p")]);
        pi.q_old = 10.0;
        update(&mut pi, 10);
        assert!(pi.p.abs() < 1e-15);

        // Step to q_ref + 20: the jump a * 20, then (a - b) * 20 at each update.
        update(&mut pi, 30);
        assert!((pi.p - 0.006).abs() < 1e-12);
        for _ in 0..5 {
            update(&mut pi, 30);
        }
        assert!((pi.p - 0.016).abs() < 1e-12);
    }

    #[test]
    fn the_probability_stays_between_zero_and_one() {
        let gains = Gains { a: 0.3, b: 0.1 };

        assert!((gains.update(0.9, 100.0, 0.0, 10.0) - 1.0).abs() < 1e-15);
        assert!(gains.update(0.1, 0.0, 20.0, 10.0).abs() < 1e-15);
    }

    #[test]
    fn an_update_of_an_empty_queue_leaves_nothing_to_drop() {
        let mut pi = pi(&[]);
        update(&mut pi, 0);

        assert_eq!(Rig::waiting(5).arrive_drawing(&mut pi, at(0.1), &PACKET, 0.0), Verdict::Pass);
    }

    #[test]
    fn updates_do_not_drift() {
        let mut pi = pi(&[("w", "170")]);
        for _ in 0..170 {
            update(&mut pi, 0);
        }

        // 1/170 s is not a whole number of nanoseconds; the 171st update is due at 171/170 s all the same.
        assert_eq!(pi.next_deadline(), Some(at(171.0 / 170.0)));
    }

    #[test]
    fn marking_takes_the_place_of_dropping_at_any_probability() {
        let mut pi = pi(&[("ecn", "true")]);
        pi.p = 0.9;
        let mut rig = Rig::waiting(5);

        assert_eq!(rig.arrive_drawing(&mut pi, at(0.0), &PACKET, 0.9), Verdict::Drop(Reason::EARLY));
        assert_eq!(rig.arrive_drawing(&mut pi, at(0.0), &PACKET, 0.901), Verdict::Pass);
        let capable = PACKET.with_ecn(Ecn::Ect0);
        assert_eq!(rig.arrive_drawing(&mut pi, at(0.0), &capable, 0.9), Verdict::Mark(Reason::EARLY));
    }

    #[test]
    fn gains_that_would_run_away_are_refused() {
        let refused =
            args(&ENTRY, None, &[("a", "0.1"), ("b", "0.2")]).typed::<Params>().policy(&LinkContext::default());

        assert_eq!(refused.map(|_| ()).map_err(|error| error.param), Err("a"));
    }
}
