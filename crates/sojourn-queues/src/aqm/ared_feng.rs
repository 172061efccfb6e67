//! Self-configuring RED: RED that divides max_p when the average falls below the lower threshold and
//! multiplies it when the average rises above the upper one. Specification: Feng, Kandlur, Saha and Shin, "A
//! Self-Configuring RED Gateway", INFOCOM 1999 [Fen99]. Compared with: ns-2 2.35 `Queue/RED` with `feng_adaptive_ 1`.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | max_p is kept at most `top` = 1; [Fen99] and ns-2 have no bound | a probability; preset `ns2` has none | `ns2_has_no_upper_bound` |

use crate::aqm::red::{self, GentleSlope, Red, Settings, red_hooks};
use crate::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "ared_feng",
    title: "Self-configuring RED (Feng)",
    doc: "RED that adapts max_p, its probability at the upper threshold. When the average queue enters the region below the \
          thresholds max_p is divided, and when it enters the region above them max_p is multiplied.",
    reference: "Feng, Kandlur, Saha and Shin 1999",
    presets: presets! {
        /// Feng et al. 1999: max_p divided by 3 below, doubled above; RED of 1993.
        paper = { alpha = "3", beta = "2", above = "strict", count = "on", gentle_slope = "current" };
        /// ns-2 2.35: RED's laws of ns-2, no bound on max_p, the gentle slope frozen at the initial max_p.
        ns2 = { ..red::NS2, gentle_slope = "initial", top = "1e300" };
    },
    law: Some(|args, link| {
        Ok(args.typed::<Params>().policy(link)?.red.graph().about("max_p moves; this is its first value."))
    }),
    ..QueueEntry::of_policy::<Params>()
};

params! {
    pub struct Params {
        ..red: Settings { max_p = "0.1", "ns-2 2.35 linterm_ 10; the first arrival enters the region below, so that it starts at a third" };
        /// max_p is divided by it on entering the region below `min_th`.
        alpha: f64 = "3" in [1.0, 1e6], "[Fen99]";
        /// max_p is multiplied by it on entering the region above `max_th`.
        beta: f64 = "2" in [1.0, 1e6], "[Fen99]";
        /// max_p never exceeds it.
        top: f64 = "1" in [0.0, 1e300], "a probability is at most 1; ns-2 2.35 has no bound";
        /// Whether the gentle part starts at the current or at the initial max_p.
        gentle_slope: GentleSlope = "current", "the plain meaning; ns-2 2.35 red.cc for initial", when above in ["gentle"];
    }
}

/// Where the average was last seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Region {
    Below,
    Between,
    Above,
}

#[derive(Clone, Debug)]
pub struct AredFeng {
    red: Red,
    alpha: f64,
    beta: f64,
    top: f64,
    region: Region,
}

impl PolicyParams for Params {
    type Policy = AredFeng;

    fn policy(&self, link: &LinkContext) -> Result<AredFeng, BuildError> {
        let mut red = self.red.build(link)?;
        red.curve.gentle_from = (self.gentle_slope == GentleSlope::Initial).then_some(red.max_p);
        Ok(AredFeng { red, alpha: self.alpha, beta: self.beta, top: self.top, region: Region::Between })
    }

    fn limit(&self, link: &LinkContext) -> Limit {
        self.red.limit(link)
    }
}

impl AredFeng {
    /// Changes max_p on entering a region; on a threshold itself the region stays.
    fn adapt(&mut self) {
        let (average, curve) = (self.red.average.value(), &self.red.curve);
        if curve.min_th < average && average < curve.max_th {
            self.region = Region::Between;
        } else if average < curve.min_th && self.region != Region::Below {
            self.region = Region::Below;
            self.red.max_p /= self.alpha;
        } else if average > curve.max_th && self.region != Region::Above {
            self.region = Region::Above;
            self.red.max_p = (self.red.max_p * self.beta).min(self.top);
        }
    }
}

impl Policy for AredFeng {
    fn on_arrival(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        self.red.observe(now, queue.backlog());
        self.adapt();
        self.red.decide(packet, queue.backlog(), rng)
    }

    red_hooks!();

    fn decides_on_arrival(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Fraction;
    use crate::rig::{Rig, args, at};

    /// Thresholds 5 and 15, max_p 0.3; the average is the queue itself.
    fn feng(preset: &str, max_p: f64) -> AredFeng {
        let mut params = args(&ENTRY, Some(preset), &[]).typed::<Params>();
        params.red.w_q = Some(Fraction(1.0));
        params.red.max_p = Fraction(max_p);
        params.policy(&LinkContext::default()).expect("valid parameters")
    }

    fn max_p_after(feng: &mut AredFeng, queues: &[usize]) -> f64 {
        for queue in queues {
            Rig::waiting(*queue).arrive(feng, at(0.0));
        }
        feng.red.max_p
    }

    #[test]
    fn the_first_arrival_leaves_a_third() {
        assert!((max_p_after(&mut feng("ns2", 0.3), &[0, 0, 4]) - 0.1).abs() < 1e-12);
    }

    #[test]
    fn a_region_counts_once_until_another_is_entered() {
        let mut feng = feng("paper", 0.3);

        assert!((max_p_after(&mut feng, &[0, 16, 17, 30]) - 0.2).abs() < 1e-12, "once below, once above");
        assert!((max_p_after(&mut feng, &[15, 5, 16]) - 0.2).abs() < 1e-12, "on a threshold the region stays");
        assert!((max_p_after(&mut feng, &[14, 16]) - 0.4).abs() < 1e-12, "above again after between");
        assert!((max_p_after(&mut feng, &[4]) - 0.4 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn ns2_has_no_upper_bound() {
        assert!((max_p_after(&mut feng("ns2", 0.9), &[16]) - 1.8).abs() < 1e-12);
        assert!((max_p_after(&mut feng("paper", 0.9), &[16]) - 1.0).abs() < 1e-12);
    }
}
