//! Refined Adaptive RED: Adaptive RED whose changes of max_p grow with the distance of the average from its target, and whose target range
//! is narrower. Specification: [Kim06] Kim and Lee, "Refined Adaptive RED in TCP/IP Networks", SICE-ICASE 2006, as [Tah13] Tahiliani,
//! "Optimizing Congestion Avoidance and Congestion Control in Wired and Wireless Networks", PhD thesis, NIT Karnataka, 2013, prints it in
//! algorithm 2 and table 3.2. Compared with: no module in ns-2 2.35.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | The distance is that to the nearer end of the target range, or to its middle if asked (`aim`); the sources write one number where they have a range | [Tah13]'s patch of ns-2 takes the ends | `the_distance_may_be_that_to_the_middle` |
//! | max_p never falls below 0, and never exceeds 1 | the factor of a decrease is below 0 far below a `min_th` near the target; the sources bound max_p before the step only | `max_p_stays_a_probability_however_far_the_average_is` |

use crate::aqm::ared;
use crate::aqm::red::{Adaptation, Adaptive, Law, Seen};
use crate::queue::prelude::*;

pub(crate) static ENTRY: QueueEntry = QueueEntry {
    name: "re_ared",
    title: "Refined Adaptive RED (Re-ARED)",
    doc: "Adaptive RED with a narrow target range. Max_p changes in proportion to the distance of the average queue from that range: a \
          lot if the queue is far from it, a little if it is near.",
    reference: "Kim and Lee 2006",
    presets: presets! {
        /// Kim and Lee 2006 as in Tahiliani 2013, algorithm 2, over gentle RED.
        paper = { ..PAPER };
        /// As `paper`, over RED of 1993, which drops everything above max_th (Tahiliani 2013, eq. 2.1.2).
        strict = { ..STRICT };
        /// The same law in the place of ns-2 2.35's adaptation, over ns-2's RED.
        ns2 = { ..NS2 };
    },
    law: Some(|args, link| Ok(args.typed::<Params>().policy(link)?.graph())),
    ..QueueEntry::of_policy::<Params>()
};

/// [Tah13]'s algorithms 1 to 4 over gentle RED: a free-running timer, limits tested at equality before the step.
pub const PAPER: &[Setting] = settings! {
    clock = "timer", bottom = "0.01", bounds = "inclusive", gentle_slope = "current", count = "on",
};

/// [`PAPER`] over RED as [Tah13] eq. 2.1.2 prints it.
pub const STRICT: &[Setting] = settings! { ..PAPER, above = "strict" };

/// The place of a law in ns-2 2.35's red.cc: at arrivals, strictly between the limits, over ns-2's RED.
pub const NS2: &[Setting] = settings! { ..ared::NS2, bottom = "auto" };

params! {
    /// Parameters of Re-ARED.
    pub struct Params {
        ..adaptation: Adaptation {
            target_low = "0.48", "[Tah13] table 3.2";
            target_high = "0.52", "[Tah13] table 3.2";
            bottom = "0.01", "[Tah13] table 3.2; auto is ns-2 2.35 red.cc";
            bounds = "inclusive", "[Tah13] algorithm 2; ns-2 2.35 red.cc for strict";
        };
        /// Factor of the increase: max_p rises by this share of itself if the average is twice the target.
        gain_up: f64 = "0.25" in [0.0, 1e6], "[Kim06]; [Tah13] algorithm 2";
        /// Factor of the decrease: max_p falls by this share of itself if the average is at `min_th`.
        gain_down: f64 = "0.17" in [0.0, 1e6], "[Kim06]; [Tah13] algorithm 2";
        /// Whether the distance is that to the nearer end of the target range or to its middle.
        aim: Aim = "edge", "[Tah13]'s patch of ns-2; [Kim06] writes one target";
    }
}

choices! {
    /// The point from which the distance of the average is measured.
    pub enum Aim {
        /// The lower end of the target range below it, the upper end above.
        Edge = "edge",
        /// The middle of the target range.
        Middle = "middle",
    }
}

/// Increase and decrease of max_p in proportion to max_p and to the distance of the average from its target.
#[derive(Clone, Copy, Debug)]
pub struct Proportional {
    /// Factor of the increase.
    pub gain_up: f64,
    /// Factor of the decrease.
    pub gain_down: f64,
    /// The point from which the distance is measured.
    pub aim: Aim,
}

impl Proportional {
    /// Factor of a decrease in [0, 1]: `beta = 1 - gain_down (target - avg) / (target - min_th)` ([Tah13] algorithm 2).
    pub fn beta(&self, seen: &Seen) -> f64 {
        let target = self.target(seen.lower, seen);
        // Bound: max_p is never below 0.
        (1.0 - self.gain_down * share(target - seen.average, target - seen.min_th)).max(0.0)
    }

    /// Increment: `alpha = gain_up max_p (avg - target) / target` ([Tah13] algorithm 2).
    pub fn alpha(&self, max_p: f64, seen: &Seen) -> f64 {
        let target = self.target(seen.upper, seen);
        self.gain_up * max_p * share(seen.average - target, target)
    }

    fn target(&self, edge: f64, seen: &Seen) -> f64 {
        match self.aim {
            Aim::Edge => edge,
            Aim::Middle => f64::midpoint(seen.lower, seen.upper),
        }
    }
}

/// `distance / whole`; all of it where there is no whole: equal thresholds, or a target of nothing.
fn share(distance: f64, whole: f64) -> f64 {
    if whole > 0.0 { distance / whole } else { 1.0 }
}

impl Law for Proportional {
    fn fall(&mut self, max_p: f64, seen: &Seen) -> Option<f64> {
        Some(max_p * self.beta(seen))
    }

    fn rise(&mut self, max_p: f64, seen: &Seen) -> Option<f64> {
        Some(max_p + self.alpha(max_p, seen))
    }
}

impl PolicyParams for Params {
    type Policy = Adaptive<Proportional>;

    fn policy(&self, link: &LinkContext) -> Result<Adaptive<Proportional>, BuildError> {
        self.adaptation.build(Proportional { gain_up: self.gain_up, gain_down: self.gain_down, aim: self.aim }, link)
    }

    fn limit(&self, link: &LinkContext) -> Limit {
        self.adaptation.red.limit(link)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Fraction;
    use crate::queue::{Policy as _, QueueView};
    use crate::rig::{Rig, args, at, near};

    /// The value of max_p after the timer has looked once at an average of `waiting` packets. The thresholds are 5 and 15, the target is
    /// 9.8 to 10.2.
    fn max_p_after(settings: &[(&str, &str)], waiting: usize, max_p: f64) -> f64 {
        let mut params = args(&ENTRY, Some("paper"), settings).typed::<Params>();
        (params.adaptation.red.w_q, params.adaptation.red.max_p) = (Some(Fraction(1.0)), Fraction(max_p));
        let mut policy = params.policy(&LinkContext::default()).expect("valid parameters");
        let mut rig = Rig::waiting(waiting);
        rig.arrive(&mut policy, at(0.1));
        policy.on_deadline(at(0.5), &mut QueueView::new(&mut rig.fifo, &mut rig.events, true));
        policy.red.max_p
    }

    #[test]
    fn below_the_target_max_p_falls_with_the_distance() {
        // beta = 1 - 0.17 (9.8 - avg) / (9.8 - 5): at 8 a little, at min_th the 17 % of the derivation, at 0 by 34.7 %.
        assert!(near(max_p_after(&[], 8, 0.1), 0.1 * (1.0 - 0.17 * 1.8 / 4.8)));
        assert!(near(max_p_after(&[], 5, 0.1), 0.083));
        assert!(near(max_p_after(&[], 0, 0.1), 0.1 * (1.0 - 0.17 * 9.8 / 4.8)));
    }

    #[test]
    fn above_the_target_max_p_rises_with_the_distance() {
        // alpha = 0.25 max_p (avg - 10.2) / 10.2: at max_th by 11.8 %, at 30 packets by 48.5 %.
        assert!(near(max_p_after(&[], 15, 0.1), 0.1 + 0.025 * 4.8 / 10.2));
        assert!(near(max_p_after(&[], 30, 0.1), 0.1 + 0.025 * 19.8 / 10.2));
    }

    #[test]
    fn in_the_target_range_max_p_stays() {
        assert!(near(max_p_after(&[], 10, 0.1), 0.1));
    }

    #[test]
    fn max_p_moves_at_its_limits_and_not_beyond() {
        // The limits are tested at equality, before the step.
        assert!(near(max_p_after(&[], 5, 0.01), 0.0083));
        assert!(near(max_p_after(&[], 5, 0.0099), 0.0099));
        assert!(max_p_after(&[], 15, 0.5) > 0.5);
        assert!(near(max_p_after(&[], 15, 0.501), 0.501));
        assert!(near(max_p_after(&[("bounds", "clamped")], 15, 0.5), 0.5));
    }

    #[test]
    fn the_distance_may_be_that_to_the_middle() {
        let middle = [("aim", "middle")];

        assert!(near(max_p_after(&middle, 5, 0.1), 0.083), "at min_th beta is 1 - 0.17 whatever the target");
        assert!(near(max_p_after(&middle, 8, 0.1), 0.1 * (1.0 - 0.17 * 2.0 / 5.0)));
        assert!(near(max_p_after(&middle, 15, 0.1), 0.1 + 0.025 * 5.0 / 10.0));
    }

    #[test]
    fn max_p_stays_a_probability_however_far_the_average_is() {
        // Thresholds 90 and 100, target 94.8: at 0 beta would be 1 - 0.17 * 94.8 / 4.8 = -2.4.
        assert!(near(max_p_after(&[("min_th", "90p"), ("max_th", "100p")], 0, 0.1), 0.0));
        // 0.4 + 0.1 * (100 - 10.2) / 10.2 = 1.28.
        assert!(near(max_p_after(&[("limit", "200p")], 100, 0.4), 1.0));
    }

    #[test]
    fn equal_thresholds_make_the_whole_step() {
        let equal = [("min_th", "10p"), ("max_th", "10p")];

        assert!(near(max_p_after(&equal, 9, 0.1), 0.083));
        assert!(near(max_p_after(&equal, 20, 0.1), 0.125));
    }

    #[test]
    fn a_target_range_upside_down_is_refused_by_name() {
        let params = args(&ENTRY, None, &[("target_low", "0.6")]).typed::<Params>();

        assert_eq!(params.policy(&LinkContext::default()).map(|_| ()).map_err(|error| error.param), Err("target_high"));
    }
}
