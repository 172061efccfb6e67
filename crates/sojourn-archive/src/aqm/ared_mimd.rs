//! Adaptive RED with multiplicative increase: max_p is multiplied both above and below the target range. Specification: Marquez,
//! González, Carrero and Sulbarán, "Revisiting Adaptive RED: Beyond AIMD Algorithms", NET-COOP 2007, as [Tah13] Tahiliani,
//! "Optimizing Congestion Avoidance and Congestion Control in Wired and Wireless Networks", PhD thesis, NIT Karnataka, 2013, section
//! 2.1 describes it. Compared with: no module in ns-2 2.35.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | The factors are ours: a step up undoes a step down | [Tah13] names the idea and gives no constants | `a_step_up_undoes_a_step_down` |
//! | max_p never exceeds 1 | a probability; the sources bound max_p before the step only | `max_p_stays_a_probability` of `red` |

use sojourn_queues::aqm::re_ared::{NS2, PAPER};
use sojourn_queues::aqm::red::{Adaptation, Adaptive, Law, Seen};
use sojourn_queues::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "ared_mimd",
    title: "Adaptive RED with MIMD",
    doc: "Adaptive RED whose changes of max_p are factors both ways. Max_p is multiplied by one factor while the average queue \
          is above the target range midway between the thresholds, and by another while it is below.",
    reference: "Marquez et al. 2007",
    presets: presets! {
        /// Over gentle RED with ARED's timer and limits; the factors are ours.
        paper = { ..PAPER };
        /// In the place of ns-2 2.35's adaptation, over ns-2's RED.
        ns2 = { ..NS2 };
    },
    law: Some(|args, link| Ok(args.typed::<Params>().policy(link)?.graph())),
    ..QueueEntry::of_policy::<Params>()
};

params! {
    pub struct Params {
        ..adaptation: Adaptation {
            bottom = "0.01", "Floyd, Gummadi and Shenker 2001; auto is ns-2 2.35 red.cc";
            bounds = "inclusive", "Floyd, Gummadi and Shenker 2001 fig. 1; ns-2 2.35 red.cc for strict";
        };
        /// Factor of an increase of max_p. Automatic: the inverse of `beta`.
        alpha: Option<f64> = "auto" in [1.0, 1e6], "ours: [Tah13] gives none";
        /// Factor of a decrease of max_p.
        beta: Fraction = "0.9" in [1e-6, 1.0], "as ared; [Tah13] gives none";
    }
}

/// Multiplicative increase and decrease of max_p.
#[derive(Clone, Copy, Debug)]
pub struct Mimd {
    alpha: f64,
    beta: f64,
}

impl Law for Mimd {
    fn fall(&mut self, max_p: f64, _seen: &Seen) -> Option<f64> {
        Some(max_p * self.beta)
    }

    fn rise(&mut self, max_p: f64, _seen: &Seen) -> Option<f64> {
        Some(max_p * self.alpha)
    }
}

impl PolicyParams for Params {
    type Policy = Adaptive<Mimd>;

    fn policy(&self, link: &LinkContext) -> Result<Adaptive<Mimd>, BuildError> {
        let beta = self.beta.0;
        self.adaptation.build(Mimd { alpha: self.alpha.unwrap_or(1.0 / beta), beta }, link)
    }

    fn limit(&self, link: &LinkContext) -> Limit {
        self.adaptation.red.limit(link)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_queues::queue::QueueView;
    use sojourn_queues::rig::{Rig, args};

    /// max_p, first 0.1, after looks of the timer at these queues; thresholds 5 and 15, target 9 to 11.
    fn max_p_after(settings: &[(&str, &str)], queues: &[usize]) -> f64 {
        let mut params = args(&ENTRY, Some("paper"), settings).typed::<Params>();
        params.adaptation.red.w_q = Some(Fraction(1.0));
        let mut policy = params.policy(&LinkContext::default()).expect("valid parameters");
        for waiting in queues {
            let due = policy.next_deadline().expect("a timer");
            let mut rig = Rig::waiting(*waiting);
            rig.arrive(&mut policy, due);
            policy.on_deadline(due, &mut QueueView::new(&mut rig.fifo, &mut rig.events, true));
        }
        policy.red.max_p
    }

    #[test]
    fn a_step_up_undoes_a_step_down() {
        assert!((max_p_after(&[], &[8]) - 0.09).abs() < 1e-12);
        assert!((max_p_after(&[], &[12]) - 0.1 / 0.9).abs() < 1e-12);
        assert!((max_p_after(&[], &[8, 12, 10, 9, 11]) - 0.1).abs() < 1e-12);
    }

    #[test]
    fn the_factors_may_be_chosen_apart() {
        assert!((max_p_after(&[("alpha", "1.5"), ("beta", "0.5")], &[12, 12, 8]) - 0.1125).abs() < 1e-12);
    }
}
