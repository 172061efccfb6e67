//! Adaptive RED: RED that moves max_p, additively up and multiplicatively down, to keep the average
//! queue in the middle between its thresholds. Specification: Floyd, Gummadi and Shenker, "Adaptive
//! RED: An Algorithm for Increasing the Robustness of RED's Active Queue Management", 2001 [Flo01].
//! Compared with: ns-2 2.35 `Queue/RED` with `adaptive_ 1`.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | max_p never exceeds 1, where a step passes `top` | a probability; the sources bound max_p before the step only | `max_p_stays_a_probability` |

use crate::aqm::red::{self, Adaptation, Adaptive, Law, Seen};
use crate::queue::prelude::*;

pub(crate) static ENTRY: QueueEntry = QueueEntry {
    name: "ared",
    title: "Adaptive RED (Floyd)",
    doc: "RED that adapts max_p, its probability at the upper threshold. Every half second max_p rises if the average queue is \
          above a target range midway between the thresholds, and falls if it is below.",
    reference: "Floyd, Gummadi and Shenker 2001",
    presets: presets! {
        /// Floyd, Gummadi and Shenker 2001: gentle, a timer of 0.5 s, max_p between 0.01 and 0.5.
        paper = { clock = "timer", gentle_slope = "current", bottom = "0.01", bounds = "inclusive", count = "on" };
        /// ns-2 2.35: RED's laws of ns-2, max_p adapted at arrivals, the gentle slope frozen at the initial max_p.
        ns2 = { ..NS2 };
        /// ns-3.48's RedQueueDisc with `ARED`: the laws of ns-2 in packets, limit 25, thresholds and w_q from the link.
        ns3 = { ..NS2, limit = "25p", max_p = "0.02", mode = "packets", mark_max_p = "1" };
    },
    law: Some(|args, link| Ok(args.typed::<Params>().policy(link)?.graph())),
    ..QueueEntry::of_policy::<Params>()
};

/// The place of an adaptation in ns-2 2.35's red.cc: at arrivals, strictly between the limits, over ns-2's RED.
pub const NS2: &[Setting] = settings! {
    ..red::NS2, clock = "arrival", bounds = "strict", gentle_slope = "initial",
};

params! {
    pub struct Params {
        ..adaptation: Adaptation;
        /// Greatest increment of max_p; a quarter of max_p bounds it too.
        alpha: Fraction = "0.01" in [0.0, 1.0], "[Flo01]";
        /// Factor of a decrease of max_p.
        beta: Fraction = "0.9" in [0.0, 1.0], "[Flo01]";
    }
}

/// Additive increase, multiplicative decrease of max_p.
#[derive(Clone, Copy, Debug)]
pub struct Aimd {
    /// Greatest increment.
    pub alpha: f64,
    /// Factor of a decrease.
    pub beta: f64,
}

impl Law for Aimd {
    /// `max_p beta` ([Flo01] fig. 1).
    fn fall(&mut self, max_p: f64, _seen: &Seen) -> Option<f64> {
        Some(max_p * self.beta)
    }

    /// `max_p + min(alpha, max_p / 4)` ([Flo01] fig. 1).
    fn rise(&mut self, max_p: f64, _seen: &Seen) -> Option<f64> {
        Some(max_p + self.alpha.min(max_p / 4.0))
    }
}

impl PolicyParams for Params {
    type Policy = Adaptive<Aimd>;

    fn policy(&self, link: &LinkContext) -> Result<Adaptive<Aimd>, BuildError> {
        self.adaptation.build(Aimd { alpha: self.alpha.0, beta: self.beta.0 }, link)
    }

    fn limit(&self, link: &LinkContext) -> Limit {
        self.adaptation.red.limit(link)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::{Policy as _, QueueView};
    use crate::rig::{Rig, args, at, near};

    /// Thresholds 5 and 15: the target range is 9 to 11. The average is the queue itself.
    fn ared(preset: &str, settings: &[(&str, &str)]) -> Adaptive<Aimd> {
        let mut ared = args(&ENTRY, Some(preset), settings).typed::<Params>();
        ared.adaptation.red.w_q = Some(Fraction(1.0));
        ared.adaptation.red.mode = crate::aqm::red::Mode::Packets;
        ared.policy(&LinkContext::default()).expect("valid parameters")
    }

    #[test]
    fn ns2_adapts_at_the_first_arrival_later_than_the_interval() {
        let mut ared = ared("ns2", &[]);
        let mut long = Rig::waiting(12);

        long.arrive(&mut ared, at(0.5));
        assert!(near(ared.red.max_p, 0.1), "not later than 0.5 s");
        long.arrive(&mut ared, at(0.500_001));
        assert!(near(ared.red.max_p, 0.11), "one step of min(0.01, 0.1 / 4)");
        long.arrive(&mut ared, at(1.0));
        assert!(near(ared.red.max_p, 0.11), "0.5 s after the last change, not after the last look");
        Rig::waiting(8).arrive(&mut ared, at(1.1));
        assert!(near(ared.red.max_p, 0.099), "a factor of 0.9");
    }

    #[test]
    fn ns2_looks_again_at_the_next_arrival_if_nothing_changed() {
        let mut ared = ared("ns2", &[]);

        Rig::waiting(10).arrive(&mut ared, at(5.0));
        Rig::waiting(12).arrive(&mut ared, at(5.000_1));

        assert!(near(ared.red.max_p, 0.11));
    }

    #[test]
    fn the_timer_adapts_every_interval() {
        let mut ared = ared("paper", &[]);
        let mut long = Rig::waiting(12);
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
        let mut aimd = Aimd { alpha: 0.01, beta: 0.9 };
        let seen =
            Seen { average: 12.0, lower: 9.0, upper: 11.0, min_th: 5.0, before_arrival: 12.0, before_look: 12.0 };

        assert_eq!(aimd.rise(0.02, &seen), Some(0.025));
        assert!(aimd.rise(0.4999, &seen).is_some_and(|max_p| near(max_p, 0.5099)));
    }

    #[test]
    fn the_target_range_is_the_middle_fifth() {
        for (waiting, max_p) in [(8, 0.09), (9, 0.1), (11, 0.1), (12, 0.11)] {
            let mut ared = ared("ns2", &[]);
            Rig::waiting(waiting).arrive(&mut ared, at(1.0));
            assert!(near(ared.red.max_p, max_p), "{waiting}");
        }
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
}
