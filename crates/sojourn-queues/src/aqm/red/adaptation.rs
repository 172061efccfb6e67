//! Adaptation of max_p: when the average is looked at, which range it shall be in, and how far max_p may go. The [`Law`] of the algorithm
//! decides by how much it moves.

use super::{Red, Settings, distinct, red_hooks};
use crate::queue::prelude::*;

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

choices! {
    /// The meaning of the bounds of max_p.
    pub enum Bounds {
        /// A step is made while max_p is strictly inside, and may pass the bound (ns-2).
        Strict = "strict",
        /// A step is made up to equality, and may pass the bound.
        Inclusive = "inclusive",
        /// As `inclusive`, and a step that passes a bound ends on it.
        Clamped = "clamped",
    }
}

/// The values that a law may use; amounts of queue in the mode's unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seen {
    /// The average now.
    pub average: f64,
    /// Lower end of the target range.
    pub lower: f64,
    /// Upper end of the target range.
    pub upper: f64,
    /// Lower threshold.
    pub min_th: f64,
    /// The average before the last arrival.
    pub before_arrival: f64,
    /// The average when it was looked at before.
    pub before_look: f64,
}

/// The change of max_p; `None` if it stays.
pub trait Law: Send {
    /// The average is below its target.
    fn fall(&mut self, max_p: f64, seen: &Seen) -> Option<f64>;

    /// The average is above its target.
    fn rise(&mut self, max_p: f64, seen: &Seen) -> Option<f64>;
}

/// How far max_p may go.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    /// It falls only above.
    pub bottom: f64,
    /// It rises only below.
    pub top: f64,
    /// Whether the bounds themselves count, and the treatment of a step past them.
    pub bounds: Bounds,
}

impl Reach {
    /// max_p after a look at the average, `None` if it stays.
    pub fn step(&self, law: &mut impl Law, max_p: f64, seen: &Seen) -> Option<f64> {
        let strict = self.bounds == Bounds::Strict;
        let above_bottom = max_p > self.bottom || (!strict && max_p >= self.bottom);
        let below_top = max_p < self.top || (!strict && max_p <= self.top);
        let moved = if seen.average < seen.lower && above_bottom {
            law.fall(max_p, seen)
        } else if seen.average > seen.upper && below_top {
            law.rise(max_p, seen)
        } else {
            None
        };
        moved.map(|moved| match self.bounds {
            // `bottom` may be above `top`.
            Bounds::Clamped => moved.min(self.top).max(self.bottom),
            // Bound: a probability. The sources bound max_p before the step only.
            Bounds::Strict | Bounds::Inclusive => moved.clamp(0.0, 1.0),
        })
    }
}

/// `min(0.01, 80000 / C)` with C in bit/s: at most one packet of 1000 bytes per bandwidth-delay product at
/// 100 ms (ns-2 2.35 red.cc).
pub fn auto_bottom(link: &LinkContext) -> f64 {
    (80_000.0 / link.rate.as_bps() as f64).min(0.01)
}

params! {
    /// Parameters of the adaptation of max_p, which keeps RED's average in a target range.
    pub struct Adaptation {
        ..red: Settings { max_p = "0.1", "ns-2 2.35 linterm_ 10; the adaptation leaves it soon" };
        /// Least time between two changes of max_p.
        interval: Duration = "0.5s" in [1e-6, 1e4], "Floyd, Gummadi and Shenker 2001";
        /// Lower end of the range in which the average shall be, as a fraction of the way from `min_th` to `max_th`.
        target_low: Fraction = "0.4" in [0.0, 1.0], "Floyd, Gummadi and Shenker 2001";
        /// Upper end of the range in which the average shall be; not below `target_low`.
        target_high: Fraction = "0.6" in [0.0, 1.0], "Floyd, Gummadi and Shenker 2001";
        /// max_p decreases only while above it. Automatic: min(0.01, 80000/C), C in bit/s.
        bottom: Option<Fraction> = "auto" in [0.0, 1.0], "ns-2 2.35 red.cc; 0.01 in Floyd, Gummadi and Shenker 2001";
        /// max_p increases only while below it.
        top: Fraction = "0.5" in [0.0, 1.0], "Floyd, Gummadi and Shenker 2001";
        /// Whether max_p moves strictly between `bottom` and `top` or at equality, too, and whether a step may pass them.
        bounds: Bounds = "strict", "ns-2 2.35 red.cc; Floyd, Gummadi and Shenker 2001 fig. 1 for inclusive";
        /// Change max_p at every `interval` (`timer`) or at the first arrival that comes later than `interval` after the last change
        /// (`arrival`).
        clock: Clock = "timer", "Floyd, Gummadi and Shenker 2001; ns-2 2.35 red.cc for arrival";
        /// Whether the gentle part starts at the current or at the initial max_p.
        gentle_slope: GentleSlope = "current", "Floyd, Gummadi and Shenker 2001; ns-2 2.35 red.cc for initial", when above in ["gentle"];
    }
}

impl Adaptation {
    /// RED on this link whose max_p moves by `law`.
    pub fn build<L>(&self, law: L, link: &LinkContext) -> Result<Adaptive<L>, BuildError> {
        let mut red = self.red.build(link)?;
        red.curve.gentle_from = (self.gentle_slope == GentleSlope::Initial).then_some(red.max_p);
        let (low, high) = (self.target_low.0, self.target_high.0);
        if low > high {
            return Err(BuildError::new(
                "target_high",
                format!("target_high is {high} and target_low is {low}"),
                "target_high is at least target_low",
            ));
        }
        // The upper end from above, as ns-2 computes it: max - 0.4 (max - min) is not min + 0.6 (max - min) to the last bit.
        let span = red.curve.max_th - red.curve.min_th;
        let (lower, upper) = (red.curve.min_th + low * span, red.curve.max_th - (1.0 - high) * span);
        let bottom = self.bottom.map_or_else(|| auto_bottom(link), |bottom| bottom.0);
        let next = match self.clock {
            Clock::Timer => Next::At(Instant::ZERO + self.interval),
            Clock::Arrival => Next::After(Instant::ZERO + self.interval),
        };
        Ok(Adaptive {
            red,
            law,
            reach: Reach { bottom, top: self.top.0, bounds: self.bounds },
            lower,
            upper,
            interval: self.interval,
            next,
            before_arrival: 0.0,
            before_look: 0.0,
        })
    }
}

/// When the average is looked at next.
#[derive(Clone, Copy, Debug)]
enum Next {
    /// When the timer runs out.
    At(Instant),
    /// At the first arrival later than this, and at each until max_p changes.
    After(Instant),
}

/// RED whose max_p moves by a law.
#[derive(Clone, Debug)]
pub struct Adaptive<L> {
    /// RED.
    pub red: Red,
    law: L,
    reach: Reach,
    lower: f64,
    upper: f64,
    interval: Duration,
    next: Next,
    before_arrival: f64,
    before_look: f64,
}

impl<L: Law> Adaptive<L> {
    /// RED's curve at the bounds of max_p and at its first value.
    pub fn graph(&self) -> Graph {
        self.red.graph_at(&distinct([self.reach.bottom, self.red.max_p, self.reach.top]))
    }

    /// Looks at the average. Returns whether max_p changed.
    fn look(&mut self) -> bool {
        let average = self.red.average.value();
        let seen = Seen {
            average,
            lower: self.lower,
            upper: self.upper,
            min_th: self.red.curve.min_th,
            before_arrival: self.before_arrival,
            before_look: self.before_look,
        };
        self.before_look = average;
        let moved = self.reach.step(&mut self.law, self.red.max_p, &seen);
        self.red.max_p = moved.unwrap_or(self.red.max_p);
        moved.is_some()
    }
}

impl<L: Law> Policy for Adaptive<L> {
    #[inline(always)]
    fn on_arrival(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        self.before_arrival = self.red.average.value();
        self.red.observe(now, queue.backlog());
        if matches!(self.next, Next::After(time) if now > time) && self.look() {
            self.next = Next::After(now + self.interval);
        }
        self.red.decide(packet, queue.backlog(), rng)
    }

    fn next_deadline(&self) -> Option<Instant> {
        match self.next {
            Next::At(time) => Some(time),
            Next::After(_) => None,
        }
    }

    fn on_deadline(&mut self, now: Instant, _queue: &mut QueueView<'_>) {
        while let Next::At(time) = self.next {
            if time > now {
                return;
            }
            self.look();
            self.next = Next::At(time + self.interval);
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
    use crate::units::Rate;

    /// Halves and doubles.
    struct Twofold;

    impl Law for Twofold {
        fn fall(&mut self, max_p: f64, _seen: &Seen) -> Option<f64> {
            Some(max_p / 2.0)
        }

        fn rise(&mut self, max_p: f64, _seen: &Seen) -> Option<f64> {
            Some(max_p * 2.0)
        }
    }

    const SEEN: Seen =
        Seen { average: 10.0, lower: 9.0, upper: 11.0, min_th: 5.0, before_arrival: 10.0, before_look: 10.0 };

    fn step(bounds: Bounds, max_p: f64, average: f64) -> Option<f64> {
        Reach { bottom: 0.125, top: 0.5, bounds }.step(&mut Twofold, max_p, &Seen { average, ..SEEN })
    }

    #[test]
    fn in_the_target_range_and_on_its_ends_max_p_stays() {
        for average in [9.0, 10.0, 11.0] {
            assert_eq!(step(Bounds::Strict, 0.25, average), None);
        }
        assert_eq!(step(Bounds::Strict, 0.25, 8.999), Some(0.125));
        assert_eq!(step(Bounds::Strict, 0.25, 11.001), Some(0.5));
    }

    #[test]
    fn at_a_bound_the_rules_differ() {
        for (bounds, below, above) in [
            (Bounds::Strict, None, None),
            (Bounds::Inclusive, Some(0.0625), Some(1.0)),
            (Bounds::Clamped, Some(0.125), Some(0.5)),
        ] {
            assert_eq!(step(bounds, 0.125, 8.0), below, "{bounds:?}");
            assert_eq!(step(bounds, 0.5, 12.0), above, "{bounds:?}");
        }
    }

    #[test]
    fn a_step_from_inside_may_pass_the_bound_unless_it_is_clamped() {
        for (bounds, below, above) in
            [(Bounds::Strict, 0.1, 0.8), (Bounds::Inclusive, 0.1, 0.8), (Bounds::Clamped, 0.125, 0.5)]
        {
            assert_eq!(step(bounds, 0.2, 8.0), Some(below), "{bounds:?}");
            assert_eq!(step(bounds, 0.4, 12.0), Some(above), "{bounds:?}");
        }
    }

    #[test]
    fn beyond_a_bound_max_p_only_comes_back() {
        assert_eq!(step(Bounds::Clamped, 0.6, 12.0), None);
        assert_eq!(step(Bounds::Clamped, 0.6, 8.0), Some(0.3));
        assert_eq!(step(Bounds::Inclusive, 0.1, 8.0), None);
        assert_eq!(step(Bounds::Inclusive, 0.1, 12.0), Some(0.2));
    }

    #[test]
    fn max_p_stays_a_probability() {
        let reach = Reach { bottom: 0.0, top: 1.0, bounds: Bounds::Inclusive };

        assert_eq!(reach.step(&mut Twofold, 0.75, &Seen { average: 12.0, ..SEEN }), Some(1.0));
    }

    #[test]
    fn the_automatic_bottom_falls_with_the_rate() {
        let link = |mbits: u64| LinkContext { rate: Rate::from_bps(mbits * 1_000_000), ..LinkContext::default() };

        assert!((auto_bottom(&link(1)) - 0.01).abs() < 1e-12);
        assert!((auto_bottom(&link(100)) - 0.0008).abs() < 1e-12);
    }
}
