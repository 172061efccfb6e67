//! The drop curve of RED: from the average queue to the base probability p_b.

use crate::choices;

choices! {
    /// The rule above the upper threshold.
    pub enum Above {
        /// Everything is dropped (Floyd and Jacobson 1993).
        Strict = "strict",
        /// The probability rises linearly from max_p to 1 at twice the threshold (Floyd 2000).
        Gentle = "gentle",
    }
}

/// A curve over the average; thresholds are in the average's unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Curve {
    /// Below it nothing is dropped.
    pub min_th: f64,
    /// Here the probability reaches `max_p`; not below `min_th` and above zero.
    pub max_th: f64,
    /// Above `max_th`.
    pub above: Above,
    /// The gentle part starts from this probability instead of the current `max_p`: ns-2 computes its
    /// slope once, from the initial value, and an adaptive `max_p` does not move it.
    pub gentle_from: Option<f64>,
}

impl Curve {
    /// Base probability in [0, 1] at this average.
    ///
    /// Between the thresholds `p_b = max_p (avg - min) / (max - min)` ([Flo93] section 4); above, gentle,
    /// `p_b = max_p + (1 - max_p) (avg - max) / max`, which is ns-2's `(1 - max_p)/max avg + 2 max_p - 1`.
    pub fn p_b(&self, average: f64, max_p: f64) -> f64 {
        if average < self.min_th {
            return 0.0;
        }
        let p_b = if average < self.max_th {
            max_p * (average - self.min_th) / (self.max_th - self.min_th)
        } else {
            match self.above {
                Above::Strict => 1.0,
                Above::Gentle => {
                    let from = self.gentle_from.unwrap_or(max_p).min(1.0);
                    (1.0 - from) / self.max_th * average + 2.0 * from - 1.0
                }
            }
        };
        p_b.clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::near;

    const GENTLE: Curve = Curve { min_th: 5.0, max_th: 15.0, above: Above::Gentle, gentle_from: None };

    #[test]
    fn the_probability_rises_from_nothing_at_min_th_to_max_p_at_max_th() {
        assert!(near(GENTLE.p_b(4.999, 0.1), 0.0));
        assert!(near(GENTLE.p_b(5.0, 0.1), 0.0));
        assert!(near(GENTLE.p_b(10.0, 0.1), 0.05));
        assert!(near(GENTLE.p_b(14.0, 0.1), 0.09));
    }

    #[test]
    fn gentle_rises_from_max_p_to_one_at_twice_max_th() {
        assert!(near(GENTLE.p_b(15.0, 0.1), 0.1));
        // Half way: 0.1 + 0.9 / 2.
        assert!(near(GENTLE.p_b(22.5, 0.1), 0.55));
        assert!(near(GENTLE.p_b(30.0, 0.1), 1.0));
        assert!(near(GENTLE.p_b(100.0, 0.1), 1.0));
    }

    #[test]
    fn strict_drops_everything_from_max_th_on() {
        let strict = Curve { above: Above::Strict, ..GENTLE };

        assert!(strict.p_b(14.999, 0.1) < 0.1);
        assert!(near(strict.p_b(15.0, 0.1), 1.0));
    }

    #[test]
    fn a_frozen_gentle_slope_does_not_follow_max_p() {
        let frozen = Curve { gentle_from: Some(0.1), ..GENTLE };

        assert!(near(frozen.p_b(10.0, 0.5), 0.25));
        assert!(near(frozen.p_b(22.5, 0.5), 0.55));
    }

    #[test]
    fn equal_thresholds_make_a_step() {
        let step = Curve { min_th: 20.0, max_th: 20.0, above: Above::Strict, gentle_from: None };

        assert!(near(step.p_b(19.9, 0.1), 0.0));
        assert!(near(step.p_b(20.0, 0.1), 1.0));
    }
}
