//! PI2: PIE without its heuristics. The controller moves a probability p' that suits senders whose rate is inversely proportional to it,
//! and others get its square, so that one pair of gains fits every load. Specification: [DeS16] De Schepper, Bondarenko, Tsang and
//! Briscoe, "PI2: A Linearized AQM for both Classic and Scalable TCP", CoNEXT 2016. Compared with: no module in ns-2 2.35.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | One number is compared with the square; [DeS16] compares the greater of two numbers with p' | the same probability | `classic_packets_meet_the_square` |
//! | ECT(1) tells scalable senders; [DeS16] leaves the sign open | RFC 9331 section 4.1 | `scalable_packets_meet_k_times_the_probability` |

use crate::mechanism::queuing_delay::{DelayFrom, QueuingDelay};
use crate::packet::Ecn;
use crate::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "pi2",
    title: "PI2",
    doc: "A controller of the queuing delay for classic and scalable senders. It moves one number until the delay is at its \
          target; classic packets are dropped or marked with its square, packets of scalable senders (ECT(1)) are marked with \
          twice the number.",
    reference: "De Schepper, Bondarenko, Tsang and Briscoe 2016",
    presets: presets! {
        /// De Schepper et al. 2016, table 1: target 20 ms, updates every 32 ms, gains 0.3125 and 3.125 Hz, a coupling of 2.
        paper = {
            target = "20ms", interval = "32ms", alpha = "0.3125", beta = "3.125", coupling = "2", classic_top = "0.25",
            delay_from = "timestamps",
        };
    },
    law: Some(draw_law),
    probes: &[Probe::new("drop_prob", "", Probe::SHARE, "probability for classic packets, the square of `p_linear`")],
    ..QueueEntry::of_policy::<Params>()
};

params! {
    pub struct Params {
        /// The most that may wait, without the packet in transmission.
        limit: Size = "1000p" in [0.0, 1e12], "as pie; 40000 packets in [DeS16]";
        /// Target of the queuing delay.
        target: Duration = "20ms" in [0.0, 100.0], "[DeS16] table 1";
        /// Time between two updates of the probability.
        interval: Duration = "32ms" in [1e-6, 100.0], "[DeS16] table 1";
        /// Gain of the distance from the target, in Hz.
        alpha: f64 = "0.3125" in [0.0, 1e6], "[DeS16] table 1: 2.5 times PIE's";
        /// Gain of the change since the last update, in Hz.
        beta: f64 = "3.125" in [0.0, 1e6], "[DeS16] table 1: 2.5 times PIE's";
        /// The factor by which the probability of scalable senders exceeds p' (k).
        coupling: f64 = "2" in [0.1, 100.0], "[DeS16] section 4: k = 2", when ecn in ["true"];
        /// Greatest probability of classic senders.
        classic_top: Fraction = "0.25" in [0.0, 1.0], "[DeS16] section 5: 25 %, where scalable ones meet 100 %";
        /// The source of the queuing delay.
        delay_from: DelayFrom = "timestamps", "as pie";
        /// Mark ECN-capable packets instead of dropping them; those with ECT(1) as scalable senders.
        ecn: bool = "false", "RFC 3168: senders have to agree";
    }
}

/// `p' + alpha (delay - target) + beta (delay - old)`, kept in [0, top]; delays in seconds ([DeS16] eq. 4).
pub fn updated(p: f64, gains: (f64, f64), target: f64, delay: f64, old: f64, top: f64) -> f64 {
    let (alpha, beta) = gains;
    (p + alpha * (delay - target) + beta * (delay - old)).clamp(0.0, top)
}

/// The probability for a classic sender: `p'^2` ([DeS16] eq. 5).
pub fn classic(p: f64) -> f64 {
    p * p
}

/// The probability for a scalable sender: `k p'`, at most 1 ([DeS16] section 4).
pub fn scalable(p: f64, coupling: f64) -> f64 {
    (coupling * p).min(1.0)
}

#[derive(Clone, Debug)]
pub struct Pi2 {
    params: Params,
    delay: QueuingDelay,
    /// Greatest p'.
    top: f64,
    /// p'.
    p: f64,
    /// Queuing delay at the last update, in seconds.
    old: f64,
    due: Instant,
}

impl PolicyParams for Params {
    type Policy = Pi2;

    fn policy(&self, link: &LinkContext) -> Result<Pi2, BuildError> {
        Ok(Pi2 {
            params: self.clone(),
            delay: QueuingDelay::new(self.delay_from, link.rate, 16_384),
            top: libm::sqrt(self.classic_top.0),
            p: 0.0,
            old: 0.0,
            due: Instant::ZERO + self.interval,
        })
    }
}

/// The probabilities for both kinds of senders.
fn draw_law(args: &Args, link: &LinkContext) -> Result<Graph, BuildError> {
    let Pi2 { params, top, .. } = args.typed::<Params>().policy(link)?;
    let range = (0.0, top);
    Ok(Graph::new(Axis::new("controller's output p'", ""), Axis::PROBABILITY)
        .about("p' moves until the queuing delay is at its target.")
        .curve("classic", range, &[], classic)
        .curve("scalable", range, &[1.0 / params.coupling], |p| scalable(p, params.coupling)))
}

impl Policy for Pi2 {
    fn on_arrival(&mut self, _now: Instant, packet: &Packet, _queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        let marks = self.params.ecn && packet.ecn.is_capable();
        let is_scalable = marks && packet.ecn == Ecn::Ect1;
        let p = if is_scalable { scalable(self.p, self.params.coupling) } else { classic(self.p) };
        if rng.uniform() >= p {
            Verdict::Pass
        } else if marks {
            Verdict::Mark(Reason::EARLY)
        } else {
            Verdict::Drop(Reason::EARLY)
        }
    }

    fn on_departure(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, _rng: &mut Rng) -> Verdict {
        self.delay.left(now, packet, queue.bytes());
        Verdict::Pass
    }

    fn next_deadline(&self) -> Option<Instant> {
        Some(self.due)
    }

    fn on_deadline(&mut self, now: Instant, queue: &mut QueueView<'_>) {
        while self.due <= now {
            let delay = self.delay.seconds(queue.bytes());
            let gains = (self.params.alpha, self.params.beta);
            self.p = updated(self.p, gains, self.params.target.as_secs_f64(), delay, self.old, self.top);
            self.old = delay;
            self.due += self.params.interval;
        }
    }

    fn decides_on_arrival(&self) -> bool {
        !self.delay.needs_departures()
    }

    probes! { |self|
        "p_linear" => self.p,
        "drop_prob" => classic(self.p),
        "delay_s" => self.old,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{PACKET, Rig, at, near, policy_of};

    /// Delays from the link's 10 Mbit/s: a packet of 1000 bytes takes 0.8 ms.
    fn pi2(settings: &[(&str, &str)]) -> Pi2 {
        policy_of::<Params>(&ENTRY, Some("paper"), &[&[("delay_from", "link_rate")], settings].concat())
    }

    #[test]
    fn the_controller_is_that_of_the_paper() {
        let mut pi2 = pi2(&[]);
        let mut rig = Rig::waiting(50);

        // 40 ms: 0.3125 * 0.02 + 3.125 * 0.04, then 0.3125 * 0.02 alone.
        pi2.on_deadline(at(0.032), &mut rig.view());
        assert!(near(pi2.p, 0.131_25));
        pi2.on_deadline(at(0.064), &mut rig.view());
        assert!(near(pi2.p, 0.137_5));
        assert_eq!(pi2.next_deadline(), Some(at(0.096)));
    }

    #[test]
    fn at_the_target_the_probability_stays() {
        assert!(near(updated(0.2, (0.3125, 3.125), 0.02, 0.02, 0.02, 0.5), 0.2));
    }

    #[test]
    fn the_probability_stays_where_classic_senders_meet_a_quarter() {
        assert!(near(updated(0.45, (0.3125, 3.125), 0.02, 0.2, 0.0, 0.5), 0.5));
        assert!(near(updated(0.01, (0.3125, 3.125), 0.02, 0.0, 0.2, 0.5), 0.0));
        assert!(near(pi2(&[]).top, 0.5));
    }

    /// The verdict at a p' on a packet that draws `u`.
    fn verdict(ecn: &str, p: f64, packet: Packet, u: f64) -> Verdict {
        let mut pi2 = pi2(&[("ecn", ecn)]);
        pi2.p = p;
        Rig::waiting(50).arrive_drawing(&mut pi2, at(0.0), &packet, u)
    }

    #[test]
    fn classic_packets_meet_the_square() {
        assert_eq!(verdict("false", 0.3, PACKET, 0.0899), Verdict::Drop(Reason::EARLY));
        assert_eq!(verdict("false", 0.3, PACKET, 0.0901), Verdict::Pass);
        let capable = PACKET.with_ecn(Ecn::Ect0);
        assert_eq!(verdict("true", 0.3, capable, 0.0899), Verdict::Mark(Reason::EARLY));
        assert_eq!(verdict("true", 0.3, capable, 0.0901), Verdict::Pass);
    }

    #[test]
    fn scalable_packets_meet_k_times_the_probability() {
        let scalable = PACKET.with_ecn(Ecn::Ect1);

        assert_eq!(verdict("true", 0.3, scalable, 0.5999), Verdict::Mark(Reason::EARLY));
        assert_eq!(verdict("true", 0.3, scalable, 0.6001), Verdict::Pass);
        // Without ECN it is a classic packet.
        assert_eq!(verdict("false", 0.3, scalable, 0.0901), Verdict::Pass);
    }

    #[test]
    fn without_a_probability_nothing_is_dropped() {
        assert_eq!(verdict("false", 0.0, PACKET, 0.0), Verdict::Pass);
    }
}
