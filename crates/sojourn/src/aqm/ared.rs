//! Adaptive RED: RED that moves max_p, additively up and multiplicatively down, to keep the average
//! queue in the middle between its thresholds. Specification: Floyd, Gummadi and Shenker, "Adaptive
//! RED: An Algorithm for Increasing the Robustness of RED's Active Queue Management", 2001 [Flo01].
//! Compared with: ns-2 2.35 `Queue/RED` with `adaptive_ 1`.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | max_p moves while strictly between `bottom` and `top`, as in ns-2; [Flo01] allows a step at equality | one rule for both; it matters only if max_p is set to a bound | `max_p_stops_at_its_bounds` |

use crate::aqm::red::{Red, red_hooks, red_params};
use crate::choices;
use crate::packet::Packet;
use crate::params::{Fraction, Params as _};
use crate::queue::registry::{Build, BuildError, PolicyParams, Preset, QueueEntry};
use crate::queue::{Limit, LinkContext, Policy, QueueView, Verdict};
use crate::rng::Rng;
use crate::units::{Duration, Instant};

/// The registry's entry.
pub static ENTRY: QueueEntry = QueueEntry {
    name: "ared",
    title: "Adaptive RED (Floyd)",
    doc: "RED that adapts max_p every half second, to keep the average queue midway between its thresholds.",
    reference: "Floyd, Gummadi and Shenker 2001",
    params: Params::SPECS,
    presets: &[
        Preset {
            name: "paper",
            doc: "Floyd, Gummadi and Shenker 2001: gentle, a timer of 0.5 s, max_p between 0.01 and 0.5.",
            settings: &[("clock", "timer"), ("gentle_slope", "current"), ("bottom", "0.01"), ("count", "on")],
        },
        Preset {
            name: "ns2",
            doc: "ns-2 2.35: RED's laws of ns-2, max_p adapted at arrivals, the gentle slope frozen at the initial max_p.",
            settings: &[
                ("clock", "arrival"),
                ("gentle_slope", "initial"),
                ("max_p", "0.1"),
                ("above", "gentle"),
                ("count", "wait"),
                ("idle_decay", "ns2"),
                ("spare_short", "true"),
                ("spare_first", "true"),
                ("mark_max_p", "0.1"),
            ],
        },
    ],
    reorders: false,
    build: Build::policy::<Params>(),
};

red_params! {
    /// Parameters of Adaptive RED.
    pub struct Params(max_p = "0.1", "ns-2 2.35 linterm_ 10; the adaptation leaves it soon") {
        /// Least time between two changes of max_p.
        interval: Duration = "0.5s" in [1e-6, 1e4], "[Flo01]";
        /// Greatest increment of max_p; a quarter of max_p bounds it too.
        alpha: Fraction = "0.01" in [0.0, 1.0], "[Flo01]";
        /// Factor of a decrease of max_p.
        beta: Fraction = "0.9" in [0.0, 1.0], "[Flo01]";
        /// max_p decreases only while above it. Automatic: min(0.01, 80000/C), C in bit/s.
        bottom: Option<Fraction> = "auto" in [0.0, 1.0], "ns-2 2.35 red.cc; 0.01 in [Flo01]";
        /// max_p increases only while below it.
        top: Fraction = "0.5" in [0.0, 1.0], "[Flo01]";
        /// Change max_p at every `interval` (`timer`) or at the first arrival that comes later than `interval` after the last change (`arrival`).
        clock: Clock = "timer" in [0.0, 0.0], "[Flo01]; ns-2 2.35 red.cc for arrival";
        /// Whether the gentle part starts at the current or at the initial max_p.
        gentle_slope: GentleSlope = "current" in [0.0, 0.0], "[Flo01]; ns-2 2.35 red.cc for initial";
    }
}

choices! {
    /// When max_p may change.
    pub enum Clock {
        /// Periodically.
        Timer = "timer",
        /// At arrivals.
        Arrival = "arrival",
    }
}

choices! {
    /// From which max_p the gentle part of the curve rises.
    pub enum GentleSlope {
        /// The adapted one.
        Current = "current",
        /// The initial one: ns-2 computes the slope once.
        Initial = "initial",
    }
}

/// Additive increase, multiplicative decrease of max_p.
#[derive(Clone, Copy, Debug)]
pub struct Aimd {
    /// Greatest increment.
    pub alpha: f64,
    /// Factor of a decrease.
    pub beta: f64,
    /// Decreases only above.
    pub bottom: f64,
    /// Increases only below.
    pub top: f64,
}

impl Aimd {
    /// max_p after the average was seen outside (`lower`, `upper`), `None` if it stays:
    /// `max_p + min(alpha, max_p / 4)` above, `max_p beta` below ([Flo01] fig. 1).
    pub fn step(&self, max_p: f64, average: f64, lower: f64, upper: f64) -> Option<f64> {
        if average < lower && max_p > self.bottom {
            Some(max_p * self.beta)
        } else if average > upper && max_p < self.top {
            Some(max_p + self.alpha.min(max_p / 4.0))
        } else {
            None
        }
    }
}

/// `min(0.01, 80000 / C)` with C in bit/s: at most one packet of 1000 bytes per bandwidth-delay product at
/// 100 ms (ns-2 2.35 red.cc).
pub fn auto_bottom(link: &LinkContext) -> f64 {
    (80_000.0 / link.rate.as_bps() as f64).min(0.01)
}

/// The policy.
#[derive(Clone, Debug)]
pub struct Ared {
    red: Red,
    aimd: Aimd,
    interval: Duration,
    clock: Clock,
    /// Timer: when it expires next. Arrival: when max_p last changed.
    mark: Instant,
}

impl PolicyParams for Params {
    type Policy = Ared;

    fn policy(&self, link: &LinkContext) -> Result<Ared, BuildError> {
        let mut red = self.red().build(link)?;
        red.curve.gentle_from = (self.gentle_slope == GentleSlope::Initial).then_some(red.max_p);
        let bottom = self.bottom.map_or_else(|| auto_bottom(link), |bottom| bottom.0);
        let aimd = Aimd { alpha: self.alpha.0, beta: self.beta.0, bottom, top: self.top.0 };
        let mark = match self.clock {
            Clock::Timer => Instant::ZERO + self.interval,
            Clock::Arrival => Instant::ZERO,
        };
        Ok(Ared { red, aimd, interval: self.interval, clock: self.clock, mark })
    }

    fn limit(&self, link: &LinkContext) -> Limit {
        self.red().limit(link)
    }
}

impl Ared {
    /// Moves max_p if the average is outside the middle fifth between the thresholds.
    fn adapt(&mut self) -> bool {
        // [Flo01]: target range min + 0.4 (max - min) to min + 0.6 (max - min).
        let curve = &self.red.curve;
        let part = 0.4 * (curve.max_th - curve.min_th);
        let (lower, upper) = (curve.min_th + part, curve.max_th - part);
        match self.aimd.step(self.red.max_p, self.red.average.value(), lower, upper) {
            Some(max_p) => {
                self.red.max_p = max_p;
                true
            }
            None => false,
        }
    }
}

impl Policy for Ared {
    fn on_arrival(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        self.red.observe(now, queue.backlog());
        if self.clock == Clock::Arrival && now > self.mark + self.interval && self.adapt() {
            self.mark = now;
        }
        self.red.decide(packet, queue.backlog(), rng)
    }

    fn next_deadline(&self) -> Option<Instant> {
        (self.clock == Clock::Timer).then_some(self.mark)
    }

    fn on_deadline(&mut self, now: Instant, _queue: &mut QueueView<'_>) {
        while self.clock == Clock::Timer && self.mark <= now {
            self.adapt();
            self.mark += self.interval;
        }
    }

    red_hooks!();

    fn decides_on_arrival(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aqm::bench::{Bench, args, at};
    use crate::units::Rate;

    /// Thresholds 5 and 15: the target range is 9 to 11. The average is the queue itself.
    fn ared(preset: &str, settings: &[(&str, &str)]) -> Ared {
        let mut ared = args(&ENTRY, Some(preset), settings).typed::<Params>();
        ared.w_q = Some(Fraction(1.0));
        ared.policy(&LinkContext::default()).expect("valid parameters")
    }

    fn near(left: f64, right: f64) -> bool {
        (left - right).abs() < 1e-12
    }

    #[test]
    fn ns2_adapts_at_the_first_arrival_later_than_the_interval() {
        let mut ared = ared("ns2", &[]);
        let mut long = Bench::waiting(12);

        long.arrive(&mut ared, at(0.5));
        assert!(near(ared.red.max_p, 0.1), "not later than 0.5 s");
        long.arrive(&mut ared, at(0.500_001));
        assert!(near(ared.red.max_p, 0.11), "one step of min(0.01, 0.1 / 4)");
        long.arrive(&mut ared, at(1.0));
        assert!(near(ared.red.max_p, 0.11), "0.5 s after the last change, not after the last look");
        Bench::waiting(8).arrive(&mut ared, at(1.1));
        assert!(near(ared.red.max_p, 0.099), "a factor of 0.9");
    }

    #[test]
    fn ns2_looks_again_at_the_next_arrival_if_nothing_changed() {
        let mut ared = ared("ns2", &[]);

        Bench::waiting(10).arrive(&mut ared, at(5.0));
        Bench::waiting(12).arrive(&mut ared, at(5.000_1));

        assert!(near(ared.red.max_p, 0.11));
    }

    #[test]
    fn the_timer_adapts_every_interval() {
        let mut ared = ared("paper", &[]);
        let mut long = Bench::waiting(12);
        long.arrive(&mut ared, at(0.1));
        let mut view = QueueView::new(&mut long.fifo, &mut long.events, true);

        for step in 1..=3 {
            let due = ared.next_deadline().expect("a timer");
            assert_eq!(due, at(0.5 * f64::from(step)));
            ared.on_deadline(due, &mut view);
        }

        assert!(near(ared.red.max_p, 0.13));
    }

    #[test]
    fn a_small_max_p_grows_by_a_quarter() {
        let aimd = Aimd { alpha: 0.01, beta: 0.9, bottom: 0.0, top: 0.5 };

        assert_eq!(aimd.step(0.02, 12.0, 9.0, 11.0), Some(0.025));
        assert_eq!(aimd.step(0.02, 11.0, 9.0, 11.0), None);
        assert_eq!(aimd.step(0.02, 9.0, 9.0, 11.0), None);
    }

    #[test]
    fn max_p_stops_at_its_bounds() {
        let aimd = Aimd { alpha: 0.01, beta: 0.9, bottom: 0.01, top: 0.5 };

        assert_eq!(aimd.step(0.5, 12.0, 9.0, 11.0), None);
        assert_eq!(aimd.step(0.01, 8.0, 9.0, 11.0), None);
        // The test precedes the step, so a step may pass the bound.
        assert!(aimd.step(0.4999, 12.0, 9.0, 11.0).is_some_and(|max_p| near(max_p, 0.5099)));
    }

    #[test]
    fn the_frozen_slope_stays_that_of_the_initial_max_p() {
        let mut frozen = ared("ns2", &[]);
        let mut moving = ared("ns2", &[("gentle_slope", "current")]);
        for ared in [&mut frozen, &mut moving] {
            ared.red.max_p = 0.4;
            ared.red.average.set(22.5);
        }

        // Half way from max_th to twice max_th: 0.1 + 0.9 / 2 and 0.4 + 0.6 / 2.
        assert!(near(frozen.red.p_b(), 0.55));
        assert!(near(moving.red.p_b(), 0.7));
    }

    #[test]
    fn the_automatic_bottom_falls_with_the_rate() {
        let link = |mbits: u64| LinkContext { rate: Rate::from_bps(mbits * 1_000_000), ..LinkContext::default() };

        assert!(near(auto_bottom(&link(1)), 0.01));
        assert!(near(auto_bottom(&link(100)), 0.0008));
    }
}
