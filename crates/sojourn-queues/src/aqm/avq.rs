//! AVQ: drops or marks packets that would overflow a virtual queue. Its capacity falls with arrivals and rises with time, until the
//! arrivals are the desired load of the link. Specification: Kunniyur and Srikant, "Analysis and Design of an Adaptive Virtual Queue (AVQ)
//! Algorithm for Active Queue Management", SIGCOMM 2001 [Kun01]; Alemu 2004 section 1.2 and 4.3 for other values and the rule for alpha
//! [Ale04]. Compared with: ns-2 2.35 `Queue/Vq`.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | The capacity falls by alpha b at each arrival; [Ale04] algorithm 9 leaves it out, [Ale04] eq. 1.17 and [Kun01] have it | it could never fall | `the_capacity_falls_with_each_arrival` |
//! | Time begins with the first packet, as in ns-2; [Kun01] does not say | until then nothing is known of the arrivals | `time_begins_with_the_first_packet` |
//! | With marks, a packet that is not ECN-capable is dropped; ns-2 lets it pass unmarked (`spares`) | RFC 3168: marks stand for drops | `what_cannot_be_marked_is_dropped` |
//! | No value of alpha solves [Ale04] eq. 1.18 and 1.19 for few flows; `alpha_else` holds there | [Ale04] prints 0.251 for 3 flows, which they do not give | `the_rule_for_alpha_has_no_root_for_few_flows` |
//! | By default only admitted packets move the capacity; [Kun01] counts every arrival, as preset `paper` does | where packets are dropped and not marked, the capacity would follow packets that never get onto the link, and the link would carry gamma less the loss ratio | `in_ns2_a_dropped_packet_leaves_capacity_and_time_alone`, `tests/core/test_defaults.py` |
//! | Not modelled: ns-2's marks and drops at the head | off unless asked for | - |

use crate::aqm::red::Mode;
use crate::queue::prelude::*;
use crate::queue::ties::Ties;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "avq",
    title: "AVQ (adaptive virtual queue)",
    doc: "Active queue management by a virtual queue, which gets the same packets and whose link is slower than the real one. \
          A packet that would overflow it is dropped or marked, and its capacity adapts until arrivals fill the desired share of the link.",
    reference: "Kunniyur and Srikant 2001",
    decides: "It decides by the room in a virtual buffer: an arrival that would overflow it is dropped or marked, and every \
          other one passes.",
    presets: presets! {
        /// Kunniyur and Srikant 2001: gamma 0.98, alpha 0.15, in bytes, every arrival lowers the capacity.
        paper = { gamma = "0.98", alpha = "0.15", mode = "bytes", adapts = "every" };
        /// ns-2 2.35: 50 packets of 1000 bytes; only packets that are not dropped change the capacity, which starts at 0.8 of the link's.
        ns2 = { limit = "50000B", gamma = "0.98", alpha = "0.15", mode = "bytes", start = "0.8", adapts = "accepted",
            ceiling = "after", spares = "true", ties = "scheduled" };
        /// Alemu 2004 chapter 4: AVQ over ns-2's module, gamma 1, alpha 0.251, buffers of 35 packets.
        alemu2004 = {
            limit = "35p", virtual_limit = "35p", gamma = "1", alpha = "0.251", mode = "bytes", start = "0.8", adapts = "accepted",
            ceiling = "after",
        };
        /// Alemu 2004 chapter 4: AVQ*, alpha by the rule for the number of flows, 0.251 if the rule gives none.
        alemu2004_star = {
            limit = "35p", virtual_limit = "35p", gamma = "1", alpha = "auto", alpha_else = "0.251", mode = "bytes", start = "0.8",
            adapts = "accepted", ceiling = "after",
        };
    },
    ..QueueEntry::of_policy::<Params>()
};

params! {
    pub struct Params {
        /// The most that may wait, without the packet in transmission.
        limit: Size = "100p" in [0.0, 1e12], "as fifo; [Kun01] simulates 100 packets";
        /// The most that the virtual queue holds. Automatic: the limit.
        virtual_limit: Option<Size> = "auto" in [0.0, 1e12], "[Kun01]: the same buffer; ns-2 2.35 buflim_ 1";
        /// Part of the link that arrivals shall fill.
        gamma: Fraction = "0.98" in [0.0, 1.0], "[Kun01]; ns-2 2.35 gamma_";
        /// How fast the capacity follows, per second. Automatic: the greatest that is stable with `design_flows` and `design_rtt`.
        alpha: Option<f64> = "auto" in [0.0, 1e6], "[Ale04] theorem 1, after [Kun01]; 0.15 in [Kun01] and ns-2 2.35 vq.cc";
        /// The value of an automatic `alpha` if the rule gives none.
        alpha_else: f64 = "0.251" in [0.0, 1e6], "[Ale04] section 4.3", when alpha in ["auto"];
        /// Least number of flows that an automatic `alpha` shall be stable with. Automatic: the flows of the scenario.
        design_flows: Option<u64> = "auto" in [1.0, 1e9], "[Ale04] theorem 1 (N-)", when alpha in ["auto"];
        /// Greatest round-trip time that an automatic `alpha` shall be stable with. Automatic: base round-trip time plus a full buffer.
        design_rtt: Option<Duration> = "auto" in [1e-6, 1e3], "[Ale04] theorem 1 (R+)", when alpha in ["auto"];
        /// The unit of the virtual queue. A virtual limit in packets counts mean packets.
        mode: Mode = "bytes", "[Kun01]; ns-2 2.35 queue_in_bytes_";
        /// The capacity at the start, as part of the link's.
        start: Fraction = "0.8" in [0.0, 1.0], "ns-2 2.35 ecnlim_; [Kun01] does not say";
        /// Which arrivals move the capacity: all, or those that are not dropped for the virtual queue.
        adapts: Adapts = "accepted", "ns-2 2.35 vq.cc; [Kun01], which marks, for every";
        /// Whether the capacity is held to the link's before or after the arrival is taken off.
        ceiling: Ceiling = "before", "[Kun01] fig. 2; ns-2 2.35 vq.cc for after";
        /// Mark ECN-capable packets instead of dropping them.
        ecn: bool = "false", "ns-2 2.35 markpkts_";
        /// Whether packets that are not ECN-capable (a SYN is not) pass then, instead of being dropped.
        spares: bool = "false", "RFC 3168 section 5; ns-2 2.35 vq.cc spares them", when ecn in ["true"];
        /// The order of an arrival and a departure at one moment.
        ties: Ties = "clock", "the order of events; ns-2 2.35 scheduler.cc and delay.cc for `scheduled`";
    }
}

choices! {
    /// Which arrivals move the capacity.
    pub enum Adapts {
        /// All: the capacity follows the offered load.
        Every = "every",
        /// Those that are not dropped for the virtual queue: it follows the accepted load. The time between counts.
        Accepted = "accepted",
    }
}

choices! {
    /// When the capacity is held to the link's.
    pub enum Ceiling {
        /// Before the arrival is taken off.
        Before = "before",
        /// After it.
        After = "after",
    }
}

/// `max(VQ - C~ (t - s), 0)` ([Kun01] fig. 2).
pub fn drained(queue: f64, capacity: f64, elapsed: f64) -> f64 {
    (queue - capacity * elapsed).max(0.0)
}

/// How the virtual capacity moves. Amounts in bytes or packets, capacities in these per second.
#[derive(Clone, Copy, Debug)]
pub struct Law {
    /// Speed, per second.
    pub alpha: f64,
    /// Part of the link that arrivals shall fill.
    pub gamma: f64,
    /// Capacity of the link.
    pub link: f64,
    /// When the capacity is held to the link's.
    pub ceiling: Ceiling,
}

impl Law {
    /// `max(min(C~ + alpha gamma C (t - s), C) - alpha b, 0)` ([Kun01] fig. 2);
    /// ns-2: `max(min(C~ + alpha gamma C (t - s) - alpha b, C), 0)`.
    pub fn step(&self, capacity: f64, elapsed: f64, size: f64) -> f64 {
        let risen = capacity + self.alpha * self.gamma * self.link * elapsed;
        match self.ceiling {
            Ceiling::Before => (risen.min(self.link) - self.alpha * size).max(0.0),
            Ceiling::After => (risen - self.alpha * size).min(self.link).max(0.0),
        }
    }
}

/// The greatest stable alpha with at least `flows` flows, at most `rtt` seconds, on a link of `capacity` packets per second,
/// as [Ale04] prints it: `omega R + arctan(omega / K11) = pi / 2` (eq. 1.18) with
/// `2 omega^2 = K12^2 - K11^2 + sqrt((K12^2 - K11^2)^2 + 4 K2^2 alpha^2)` (eq. 1.19), `K11 = N / (gamma C R^2)` and
/// `K12 = K2 = 3/2 gamma C / N`. Solved for alpha: `alpha = omega sqrt(omega^2 - K12^2 + K11^2) / K2`; `None` if there is no root.
pub fn designed_alpha(flows: f64, rtt: f64, capacity: f64, gamma: f64) -> Option<f64> {
    let k11 = flows / (gamma * capacity * rtt * rtt);
    let k2 = 1.5 * gamma * capacity / flows;
    let omega = phase_root(rtt, k11);
    let rest = omega * omega - k2 * k2 + k11 * k11;
    let alpha = omega * libm::sqrt(rest) / k2;
    (rest > 0.0 && alpha.is_finite()).then_some(alpha)
}

/// The `omega` at which `omega rtt + arctan(omega / k)` is pi / 2: the left side rises with omega, and lies above at pi / (2 rtt).
pub fn phase_root(rtt: f64, k: f64) -> f64 {
    let (mut low, mut high) = (0.0, std::f64::consts::FRAC_PI_2 / rtt);
    // Each step gains a bit of 53, and a few to come near a small root.
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if middle * rtt + libm::atan(middle / k) < std::f64::consts::FRAC_PI_2 {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

#[derive(Clone, Debug)]
pub struct Avq {
    params: Params,
    law: Law,
    /// The most that the virtual queue holds, in the mode's unit.
    virtual_limit: f64,
    /// The content of the virtual queue (VQ).
    virtual_queue: f64,
    /// C~.
    capacity: f64,
    /// When the virtual queue was drained last, and when the capacity moved last; absent before the first packet.
    drained_at: Option<Instant>,
    moved_at: Option<Instant>,
}

/// Seconds since the last time; this is the last time now.
fn seconds_since(last: &mut Option<Instant>, now: Instant) -> f64 {
    now.since(last.replace(now).unwrap_or(now)).as_secs_f64()
}

impl Params {
    fn designed(&self, link: &LinkContext) -> f64 {
        let capacity = link.packets_per_sec();
        let full = link.base_rtt.as_secs_f64() + link.packets(self.limit) / capacity;
        let rtt = self.design_rtt.map_or(full, Duration::as_secs_f64);
        let flows = self.design_flows.unwrap_or(link.flows).max(1);
        designed_alpha(flows as f64, rtt, capacity, self.gamma.0).unwrap_or(self.alpha_else)
    }
}

impl PolicyParams for Params {
    type Policy = Avq;

    fn policy(&self, link: &LinkContext) -> Result<Avq, BuildError> {
        let size = self.virtual_limit.unwrap_or(self.limit);
        let (capacity, virtual_limit) = match self.mode {
            Mode::Packets => (link.packets_per_sec(), link.packets(size)),
            Mode::Bytes => (link.rate.as_bps() as f64 / 8.0, link.bytes(size)),
        };
        let alpha = self.alpha.unwrap_or_else(|| self.designed(link));
        Ok(Avq {
            params: self.clone(),
            law: Law { alpha, gamma: self.gamma.0, link: capacity, ceiling: self.ceiling },
            virtual_limit,
            virtual_queue: 0.0,
            capacity: self.start.0 * capacity,
            drained_at: None,
            moved_at: None,
        })
    }
}

impl Avq {
    fn measure(&self, packet: &Packet) -> f64 {
        match self.params.mode {
            Mode::Packets => 1.0,
            Mode::Bytes => f64::from(packet.size),
        }
    }

    fn adapt(&mut self, now: Instant, size: f64) {
        let elapsed = seconds_since(&mut self.moved_at, now);
        self.capacity = self.law.step(self.capacity, elapsed, size);
    }
}

impl Policy for Avq {
    fn on_arrival(&mut self, now: Instant, packet: &Packet, _queue: &mut QueueView<'_>, _rng: &mut Rng) -> Verdict {
        let size = self.measure(packet);
        let elapsed = seconds_since(&mut self.drained_at, now);
        self.virtual_queue = drained(self.virtual_queue, self.capacity, elapsed);
        // [Kun01] fig. 2: a packet that would overflow the virtual queue does not join it.
        let verdict = if self.virtual_queue + size <= self.virtual_limit {
            self.virtual_queue += size;
            Verdict::Pass
        } else if self.params.ecn && packet.ecn.is_capable() {
            Verdict::Mark(Reason::EARLY)
        } else if self.params.ecn && self.params.spares {
            Verdict::Pass
        } else {
            Verdict::Drop(Reason::EARLY)
        };
        if self.params.adapts == Adapts::Every || !matches!(verdict, Verdict::Drop(_)) {
            self.adapt(now, size);
        }
        verdict
    }

    fn decides_on_arrival(&self) -> bool {
        self.params.ties == Ties::Clock
    }

    probes! { |self|
        "virtual_queue" => self.virtual_queue,
        // A part of the link's rate.
        "capacity" => self.capacity / self.law.link,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::Ecn;
    use crate::rig::{PACKET, Rig, args, at, near_by_ratio, policy_of};

    fn avq(preset: &str, settings: &[(&str, &str)]) -> Avq {
        policy_of::<Params>(&ENTRY, Some(preset), settings)
    }

    /// Verdict on a packet of 1000 bytes that comes then.
    fn arrive(avq: &mut Avq, seconds: f64, packet: &Packet) -> Verdict {
        Rig::waiting(0).arrive_drawing(avq, at(seconds), packet, 0.5)
    }

    const DROP: Verdict = Verdict::Drop(Reason::EARLY);

    #[test]
    fn what_would_overflow_the_virtual_queue_is_dropped() {
        // 10 Mbit/s are 1250 packets/s; a capacity of 1000/s that does not move.
        let mut avq = avq("paper", &[("mode", "packets"), ("virtual_limit", "3p"), ("alpha", "0")]);

        for _ in 0..3 {
            assert_eq!(arrive(&mut avq, 0.0, &PACKET), Verdict::Pass);
        }
        assert_eq!(arrive(&mut avq, 0.0, &PACKET), DROP);
        // 3 - 0.9 + 1 > 3; the dropped packet never joined, and 3 - 1.0 + 1 fits.
        assert_eq!(arrive(&mut avq, 0.0009, &PACKET), DROP);
        assert_eq!(arrive(&mut avq, 0.001, &PACKET), Verdict::Pass);
        assert!(near_by_ratio(avq.virtual_queue, 3.0));
    }

    #[test]
    fn in_bytes_a_small_packet_still_fits() {
        let mut avq = avq("paper", &[("virtual_limit", "1p"), ("alpha", "0")]);
        let small = Packet { size: 40, ..PACKET };

        assert_eq!(arrive(&mut avq, 0.0, &Packet { size: 960, ..PACKET }), Verdict::Pass);
        assert_eq!(arrive(&mut avq, 0.0, &small), Verdict::Pass);
        assert_eq!(arrive(&mut avq, 0.0, &small), DROP);
    }

    #[test]
    fn the_capacity_falls_with_each_arrival() {
        let mut avq = avq("paper", &[("mode", "packets"), ("alpha", "0.5")]);
        arrive(&mut avq, 0.0, &PACKET);
        assert!(near_by_ratio(avq.capacity, 999.5));

        // 0.5 * 0.98 * 1250 * 0.001 - 0.5.
        arrive(&mut avq, 0.001, &PACKET);
        assert!(near_by_ratio(avq.capacity, 999.5 + 0.6125 - 0.5));
    }

    #[test]
    fn the_capacity_rests_where_arrivals_are_the_desired_share() {
        // [Kun01]: C~' = alpha (gamma C - lambda).
        let law = Law { alpha: 0.15, gamma: 0.98, link: 1250.0, ceiling: Ceiling::Before };

        assert!(near_by_ratio(law.step(700.0, 1.0 / (0.98 * 1250.0), 1.0), 700.0));
        assert!(law.step(700.0, 1.0 / 1250.0, 1.0) < 700.0);
    }

    #[test]
    fn the_capacity_rises_with_time_up_to_the_links() {
        let law = |ceiling| Law { alpha: 0.5, gamma: 0.98, link: 1250.0, ceiling };

        // The published order leaves it alpha b below, ns-2's reaches it.
        assert!(near_by_ratio(law(Ceiling::Before).step(1000.0, 60.0, 1.0), 1249.5));
        assert!(near_by_ratio(law(Ceiling::After).step(1000.0, 60.0, 1.0), 1250.0));
        for ceiling in [Ceiling::Before, Ceiling::After] {
            assert!(law(ceiling).step(0.1, 0.0, 1.0).abs() < 1e-15);
        }
    }

    #[test]
    fn time_begins_with_the_first_packet() {
        let mut avq = avq("ns2", &[("mode", "packets"), ("alpha", "0.5")]);
        assert!(near_by_ratio(avq.probe(1), 0.8));

        arrive(&mut avq, 60.0, &PACKET);
        assert!(near_by_ratio(avq.capacity, 999.5));
        arrive(&mut avq, 120.0, &PACKET);
        assert!(near_by_ratio(avq.probe(1), 1.0));
    }

    #[test]
    fn in_ns2_a_dropped_packet_leaves_capacity_and_time_alone() {
        for (preset, expected) in
            [("paper", [999.5, 999.0, 999.0 + 0.6125 - 0.5]), ("ns2", [999.5, 999.5, 999.5 + 2.0 * 0.6125 - 0.5])]
        {
            let settings = [("mode", "packets"), ("virtual_limit", "1p"), ("alpha", "0.5")];
            let mut avq = avq(preset, &settings);
            arrive(&mut avq, 0.0, &PACKET);
            assert!(near_by_ratio(avq.capacity, expected[0]));
            assert_eq!(arrive(&mut avq, 0.0, &PACKET), DROP);
            assert!(near_by_ratio(avq.capacity, expected[1]), "{preset}");
            // The elapsed time goes on from the last packet that counted: here both came at 0, so two milliseconds for ns-2's
            // and one for the other after a drop at 1 ms.
            avq.virtual_queue = 5.0;
            assert_eq!(arrive(&mut avq, 0.001, &PACKET), DROP);
            avq.virtual_queue = 0.0;
            let before = avq.capacity;
            assert_eq!(arrive(&mut avq, 0.002, &PACKET), Verdict::Pass);
            let gained = avq.capacity - before;
            let wanted = expected[2] - expected[1];
            assert!((gained - wanted).abs() < 1e-9, "{preset}: {gained} for {wanted}");
        }
    }

    #[test]
    fn what_cannot_be_marked_is_dropped() {
        for (preset, verdict) in [("paper", DROP), ("ns2", Verdict::Pass)] {
            let mut avq = avq(preset, &[("virtual_limit", "0p"), ("ecn", "true")]);

            assert_eq!(arrive(&mut avq, 0.0, &PACKET.with_ecn(Ecn::Ect0)), Verdict::Mark(Reason::EARLY));
            assert_eq!(arrive(&mut avq, 0.0, &PACKET), verdict, "{preset}");
        }
    }

    #[test]
    fn the_rule_for_alpha_solves_its_equations() {
        // Bisection on the printed equations, C = 187.5, gamma = 1 (an independent solution, four digits).
        for (flows, rtt, printed) in [
            (53.0, 0.252, 1.392),
            (73.0, 0.252, 6.368),
            (103.0, 0.252, 14.9),
            (53.0, 0.241, 2.229),
            (103.0, 0.241, 17.24),
        ] {
            let alpha = designed_alpha(flows, rtt, 187.5, 1.0).expect("a root");
            assert!((alpha / printed - 1.0).abs() < 5e-4, "{flows} {rtt}: {alpha}");
        }
        // The rule's own equations at the root.
        let (flows, rtt, c) = (80.0, 0.25, 187.5);
        let alpha = designed_alpha(flows, rtt, c, 1.0).expect("a root");
        let (k11, k2) = (flows / (c * rtt * rtt), 1.5 * c / flows);
        let d = k2 * k2 - k11 * k11;
        let omega = f64::midpoint(d, (d * d + 4.0 * k2 * k2 * alpha * alpha).sqrt()).sqrt();
        assert!(near_by_ratio(omega * rtt + (omega / k11).atan(), std::f64::consts::FRAC_PI_2));
    }

    #[test]
    fn the_rule_for_alpha_has_no_root_for_few_flows() {
        for (flows, rtt) in [(3.0, 0.252), (48.0, 0.252), (48.0, 0.241), (103.0, 0.634)] {
            assert_eq!(designed_alpha(flows, rtt, 187.5, 1.0), None, "{flows} {rtt}");
        }
        let automatic = |flows: &str| {
            let settings = [("design_flows", flows), ("design_rtt", "252ms"), ("alpha_else", "0.3")];
            let link = LinkContext { rate: crate::units::Rate::from_bps(1_500_000), ..LinkContext::default() };
            let params = args(&ENTRY, Some("alemu2004_star"), &settings).typed::<Params>();
            params.policy(&link).expect("valid parameters").law.alpha
        };
        assert!(near_by_ratio(automatic("3"), 0.3));
        assert!((automatic("103") / 14.9 - 1.0).abs() < 5e-4);
        assert_eq!(designed_alpha(10.0, 0.1, 1250.0, 0.0), None);
    }
}
