//! RED put together: measure, average, curve, spacing, verdict.

use super::{Average, Curve, Mode, Spacing};
use crate::queue::prelude::*;

/// RED's state and rules. An algorithm of its family calls [`Red::observe`] at each arrival, makes its changes (of [`Red::max_p`], the
/// average, the probability), and asks [`Red::decide`].
#[derive(Clone, Debug)]
pub struct Red {
    /// The average queue, in the mode's unit.
    pub average: Average,
    /// From average to base probability.
    pub curve: Curve,
    /// From base probability to this packet's.
    pub spacing: Spacing,
    /// Probability at the upper threshold, now.
    pub max_p: f64,
    pub(super) mode: Mode,
    pub(super) spare: Spare,
    pub(super) ecn: bool,
    pub(super) mark_max_p: f64,
    /// The last arrival was in the region of early drops.
    pub(super) inside: bool,
    pub(super) last_p_b: f64,
}

/// The arrivals that ns-2 never drops early.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spare {
    /// Those that find at most one packet (byte) waiting.
    pub(super) short: bool,
    /// The one with which the average enters the region of early drops.
    pub(super) first: bool,
}

impl Red {
    /// The backlog, in the mode's unit. A signed number holds it as well, and converts in one instruction.
    #[inline(always)]
    pub fn measure(&self, backlog: Backlog) -> f64 {
        match self.mode {
            Mode::Packets => backlog.packets as i64 as f64,
            Mode::Bytes => backlog.bytes as i64 as f64,
        }
    }

    /// The average sees an arrival that finds `backlog` waiting.
    #[inline]
    pub fn observe(&mut self, now: Instant, backlog: Backlog) {
        self.average.on_arrival(now, self.measure(backlog));
    }

    /// Base probability in [0, 1] at the present average.
    pub fn p_b(&self) -> f64 {
        self.curve.p_b(self.average.value(), self.max_p)
    }

    /// Base probability at the last decision; for traces.
    pub fn last_p_b(&self) -> f64 {
        self.last_p_b
    }

    /// Decides about a packet that finds `backlog` waiting.
    pub fn decide(&mut self, packet: &Packet, backlog: Backlog, rng: &mut Rng) -> Verdict {
        let p_b = self.p_b();
        self.decide_at(p_b, packet, backlog, rng)
    }

    /// Decides like [`Red::decide`], with another base probability.
    #[inline(always)]
    pub fn decide_at(&mut self, p_b: f64, packet: &Packet, backlog: Backlog, rng: &mut Rng) -> Verdict {
        self.decide_by(p_b, packet, backlog, rng, |spacing| spacing.p_a(p_b, packet.size))
    }

    /// Decides like [`Red::decide_at`], with another probability for this packet than the spacing gives.
    #[inline(always)]
    pub fn decide_by(
        &mut self,
        p_b: f64,
        packet: &Packet,
        backlog: Backlog,
        rng: &mut Rng,
        p_a: impl FnOnce(&Spacing) -> f64,
    ) -> Verdict {
        if !self.counts(packet, backlog) {
            self.last_p_b = 0.0;
            return Verdict::Pass;
        }
        self.last_p_b = p_b;
        let p_a = p_a(&self.spacing);
        // ns-2 draws at every test, and drops at U <= p_a; a probability of 0 never drops.
        if rng.uniform() > p_a || p_a <= 0.0 {
            return Verdict::Pass;
        }
        self.spacing.reset();
        self.punish(p_b, packet)
    }

    /// Tests a packet with this probability, whatever has been counted (Effective RED).
    pub fn test_alone(&mut self, p: f64, packet: &Packet, backlog: Backlog, rng: &mut Rng) -> Verdict {
        self.counts(packet, backlog);
        if rng.uniform() < p { self.punish(p, packet) } else { Verdict::Pass }
    }

    /// Lets the packet pass without a test, but counts it (Hybrid RED).
    pub fn pass_untested(&mut self, packet: &Packet, backlog: Backlog) -> Verdict {
        self.counts(packet, backlog);
        Verdict::Pass
    }

    /// The link became idle.
    pub fn link_idle(&mut self, now: Instant) {
        self.average.on_idle(now);
    }

    /// The packet that arrived was lost to a full buffer: it counts as a drop ([Flo93] section 4, ns-2).
    pub fn overflow(&mut self) {
        self.spacing.reset();
    }

    /// Counts the packet. Returns whether it is to be tested.
    fn counts(&mut self, packet: &Packet, backlog: Backlog) -> bool {
        // ns-2: early drops need more than one packet (byte) waiting.
        let spared = self.spare.short && self.measure(backlog) <= 1.0;
        if self.average.value() < self.curve.min_th || spared {
            self.inside = false;
            return false;
        }
        if self.inside {
            self.spacing.arrive(packet.size);
            return true;
        }
        self.inside = true;
        self.spacing.reset();
        if !self.spare.first {
            return true;
        }
        self.spacing.arrive(packet.size);
        false
    }

    fn punish(&self, p_b: f64, packet: &Packet) -> Verdict {
        let reason = if p_b < 1.0 { Reason::EARLY } else { Reason::FORCED };
        Verdict::signal(self.ecn && p_b < self.mark_max_p, packet, reason)
    }
}

/// The hooks of a policy of RED's family that only concern its part `red`, with the probes of one
/// that changes the average or max_p.
#[macro_export]
macro_rules! red_hooks {
    () => {
        fn on_idle(&mut self, now: $crate::units::Instant) {
            self.red.link_idle(now);
        }

        fn on_drop(
            &mut self,
            _now: $crate::units::Instant,
            _packet: &$crate::packet::Packet,
            dropped: $crate::queue::Dropped,
            _queue: &mut $crate::queue::QueueView<'_>,
        ) {
            if dropped.is_overflow() {
                self.red.overflow();
            }
        }

        $crate::probes! { |self|
            "avg" => self.red.average.value(),
            "max_p" => self.red.max_p,
            "p_b" => self.red.last_p_b(),
        }
    };
}
pub use red_hooks;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aqm::red::{ENTRY, Settings};
    use crate::packet::{Ecn, FlowId};
    use crate::queue::LinkContext;

    const PACKET: Packet = Packet::datagram(FlowId(0), 0, 1000);

    /// Counting packets, whatever the preset says of bytes.
    fn red(preset: &str, settings: &[(&str, &str)]) -> Red {
        let args = crate::rig::args(&ENTRY, Some(preset), &[&[("mode", "packets")], settings].concat());
        let mut red = args.typed::<Settings>().build(&LinkContext::default()).expect("valid parameters");
        // The first packet ends the idle time before the start.
        red.observe(Instant::ZERO, waiting(0));
        red
    }

    fn waiting(packets: u64) -> Backlog {
        Backlog { packets, bytes: 1000 * packets }
    }

    /// Verdict on a packet that draws `u` and finds `packets` waiting; the average is the queue itself.
    fn ask(red: &mut Red, packets: u64, u: f64, packet: &Packet) -> Verdict {
        let mut rng = Rng::named(1, "test");
        rng.supply(u);
        red.observe(Instant::ZERO, waiting(packets));
        red.decide(packet, waiting(packets), &mut rng)
    }

    /// Thresholds 2 and 10, max_p 0.5: at a queue (and average) of 6, p_b is 0.25.
    const SHARP: &[(&str, &str)] = &[("min_th", "2p"), ("max_th", "10p"), ("max_p", "0.5"), ("w_q", "1")];

    #[test]
    fn ns2_spares_the_first_packet_and_then_waits() {
        let mut red = red("ns2", SHARP);

        // count 1 (spared), 2, 3: count p_b < 1, no drop even at the least number drawn.
        for _ in 1..=3 {
            assert_eq!(ask(&mut red, 6, 1e-9, &PACKET), Verdict::Pass);
        }
        // count 4: p_a = 0.25 / (2 - 1) = 0.25; drawn just above and, with count 5, just below 0.25 / 0.75.
        assert_eq!(ask(&mut red, 6, 0.2501, &PACKET), Verdict::Pass);
        assert_eq!(ask(&mut red, 6, 0.3332, &PACKET), Verdict::Drop(Reason::EARLY));
        // The count starts anew at 1.
        assert_eq!(ask(&mut red, 6, 1e-9, &PACKET), Verdict::Pass);
        assert_eq!(red.spacing.count(), 1);
    }

    #[test]
    fn ns2_never_drops_while_one_packet_waits() {
        let mut red = red("ns2", SHARP);
        red.average = Average::new(1e-9, crate::aqm::red::IdleDecay::Off, 1250.0);
        red.average.set(100.0);

        assert_eq!(ask(&mut red, 1, 0.0, &PACKET), Verdict::Pass);
        assert_eq!(ask(&mut red, 1, 0.0, &PACKET), Verdict::Pass);
        // Two waiting: the first is spared, then p_b = 1 drops.
        assert_eq!(ask(&mut red, 2, 0.999, &PACKET), Verdict::Pass);
        assert_eq!(ask(&mut red, 2, 0.999, &PACKET), Verdict::Drop(Reason::FORCED));
    }

    #[test]
    fn the_paper_tests_the_first_packet_with_p_b_itself() {
        let mut red = red("paper", SHARP);

        assert_eq!(ask(&mut red, 6, 0.2501, &PACKET), Verdict::Pass);
        // count 1: 0.25 / 0.75.
        assert_eq!(ask(&mut red, 6, 0.334, &PACKET), Verdict::Pass);
        // count 2: 0.25 / 0.5.
        assert_eq!(ask(&mut red, 6, 0.4999, &PACKET), Verdict::Drop(Reason::EARLY));
    }

    #[test]
    fn the_paper_drops_everything_from_max_th_on() {
        let mut red = red("paper", SHARP);

        assert_eq!(ask(&mut red, 10, 0.999_999, &PACKET), Verdict::Drop(Reason::FORCED));
        assert_eq!(ask(&mut red, 10, 0.999_999, &PACKET), Verdict::Drop(Reason::FORCED));
    }

    #[test]
    fn ns2_marks_only_below_a_probability_of_a_tenth() {
        let capable = PACKET.with_ecn(Ecn::Ect0);
        let settings = [("max_p", "0.5"), ("min_th", "2p"), ("max_th", "12p"), ("w_q", "1"), ("ecn", "true")];
        let mut red = red("ns2", &settings);
        red.inside = true;

        // Queue 3: p_b = 0.05; the 38th arrival has p_a = 0.05 / (2 - 1.9) = 0.5, the 39th 1.
        for _ in 0..38 {
            assert_eq!(ask(&mut red, 3, 0.99, &capable), Verdict::Pass);
        }
        assert_eq!(ask(&mut red, 3, 0.99, &capable), Verdict::Mark(Reason::EARLY));
        // Queue 4: p_b = 0.1, no longer below; the 18th arrival has p_a = 0.5, the 19th 1.
        for _ in 0..18 {
            assert_eq!(ask(&mut red, 4, 0.99, &capable), Verdict::Pass);
        }
        assert_eq!(ask(&mut red, 4, 0.99, &capable), Verdict::Drop(Reason::EARLY));
    }

    #[test]
    fn a_packet_that_is_not_capable_is_dropped() {
        let mut red = red("paper", &[("w_q", "1"), ("ecn", "true"), ("mark_max_p", "2")]);

        assert_eq!(ask(&mut red, 15, 0.5, &PACKET), Verdict::Drop(Reason::FORCED));
        assert_eq!(ask(&mut red, 15, 0.5, &PACKET.with_ecn(Ecn::Ect1)), Verdict::Mark(Reason::FORCED));
    }

    #[test]
    fn ns2_drops_two_thirds_of_what_the_curve_says() {
        // p_b = 0.1 at a queue of 3; with wait the distances are uniform on 10..=19, mean 14.5 and variance
        // (10^2 - 1)/12 = 8.25, after the first, spared packet.
        let mut red = red("ns2", &[("min_th", "2p"), ("max_th", "12p"), ("max_p", "1"), ("w_q", "1")]);
        let mut rng = Rng::named(3, "test");
        let arrivals = 100_000;

        let drops = (0..arrivals)
            .filter(|_| {
                red.observe(Instant::ZERO, waiting(3));
                matches!(red.decide(&PACKET, waiting(3), &mut rng), Verdict::Drop(_))
            })
            .count();

        // Renewal theory: n/14.5 drops, variance n 8.25/14.5^3; four standard deviations are 66.
        assert!((drops as f64 - f64::from(arrivals) / 14.5).abs() < 66.0, "{drops}");
    }

    #[test]
    fn an_overflow_restarts_the_count() {
        let mut red = red("ns2", SHARP);
        for _ in 0..5 {
            ask(&mut red, 6, 1.0, &PACKET);
        }

        red.overflow();

        assert_eq!(red.spacing.count(), 0);
    }

    #[test]
    fn a_step_of_dctcp_marks_from_k_waiting_on() {
        let mut red = red("dctcp", &[]);
        let ect = PACKET.with_ecn(Ecn::Ect0);
        assert_eq!(ask(&mut red, 64, 0.0, &ect), Verdict::Pass);
        assert_eq!(ask(&mut red, 65, 0.999, &ect), Verdict::Mark(Reason::FORCED));
        assert_eq!(ask(&mut red, 400, 0.999, &ect), Verdict::Mark(Reason::FORCED));
        assert_eq!(ask(&mut red, 64, 0.0, &ect), Verdict::Pass, "the average is the queue itself");
        assert_eq!(ask(&mut red, 65, 0.999, &PACKET), Verdict::Drop(Reason::FORCED));
    }

    #[test]
    fn at_p_a_zero_nothing_is_dropped() {
        // At the lower threshold itself p_b is 0.
        let mut red = red("paper", SHARP);

        assert_eq!(ask(&mut red, 2, 0.0, &PACKET), Verdict::Pass);
    }

    #[test]
    fn the_average_decays_only_while_the_link_is_idle() {
        let mut red = red("ns2", &[("w_q", "0.5")]);
        red.observe(Instant::ZERO, waiting(8)); // 4
        red.observe(Instant::from_secs_f64(1.0), waiting(0)); // 2: one step, the link was sending

        assert!((red.average.value() - 2.0).abs() < 1e-12);
    }
}
