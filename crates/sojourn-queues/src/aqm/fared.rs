//! Fast Adapting RED: Refined Adaptive RED with the factors that follow from its narrower target range. Specification: [Tah13]
//! Tahiliani, "Optimizing Congestion Avoidance and Congestion Control in Wired and Wireless Networks", PhD thesis, NIT Karnataka,
//! 2013, section 3.4 and algorithm 3. Compared with: no module in ns-2 2.35.
//!
//! The thesis asks that one step move the average by less than the width of the target range, 0.04 of the way between the thresholds:
//! `alpha / (max_p + alpha) < 0.04` and `(1 - beta) / beta < 0.04`. Its constants are these bounds, rounded to the wrong side (0.042
//! for 0.041667, 0.9615 for 0.961538), and its eq. 3.4.10 has the sign reversed; neither matters if the average is near its target. The
//! steps are smaller than Re-ARED's, whatever the name says.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | As Re-ARED's | the same law | those of `re_ared` |

use crate::aqm::re_ared::{self, NS2, PAPER, Proportional, STRICT};
use crate::aqm::red::Adaptive;
use crate::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "fared",
    title: "Fast Adapting RED (FARED)",
    doc: "Re-ARED with smaller changes of max_p. No single step shall carry the average queue across the target range.",
    reference: "Tahiliani 2013",
    presets: presets! {
        /// Tahiliani 2013, algorithm 3, over gentle RED.
        paper = { ..PAPER };
        /// As `paper`, over RED of 1993, which drops everything above max_th (Tahiliani 2013, eq. 2.1.2).
        strict = { ..STRICT };
        /// The same law in the place of ns-2 2.35's adaptation, over ns-2's RED.
        ns2 = { ..NS2 };
    },
    law: Some(|args, link| Ok(args.typed::<Params>().policy(link)?.graph())),
    ..QueueEntry::of_policy::<Params>()
};

params! {
    /// Parameters of FARED: Re-ARED's.
    pub struct Params {
        ..re_ared: re_ared::Params {
            gain_up = "0.042", "[Tah13] algorithm 3";
            gain_down = "0.0385", "[Tah13] algorithm 3";
            aim = "edge", "[Tah13]'s patch of ns-2 for Re-ARED; the thesis writes one target";
            bounds = "inclusive", "[Tah13] algorithm 3; ns-2 2.35 red.cc for strict";
        };
    }
}

impl PolicyParams for Params {
    type Policy = Adaptive<Proportional>;

    fn policy(&self, link: &LinkContext) -> Result<Adaptive<Proportional>, BuildError> {
        self.re_ared.policy(link)
    }

    fn limit(&self, link: &LinkContext) -> Limit {
        self.re_ared.limit(link)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Fraction;
    use crate::queue::{Policy as _, QueueView};
    use crate::rig::{Rig, args, at, near};

    /// The value of max_p, first 0.1, after the timer has looked once at an average of `waiting` packets. The thresholds are 5 and 15, the
    /// target is 9.8 to 10.2.
    fn max_p_after(waiting: usize) -> f64 {
        let mut params = args(&ENTRY, Some("paper"), &[]).typed::<Params>();
        params.re_ared.adaptation.red.w_q = Some(Fraction(1.0));
        let mut policy = params.policy(&LinkContext::default()).expect("valid parameters");
        let mut rig = Rig::waiting(waiting);
        rig.arrive(&mut policy, at(0.1));
        policy.on_deadline(at(0.5), &mut QueueView::new(&mut rig.fifo, &mut rig.events, true));
        policy.red.max_p
    }

    #[test]
    fn steps_have_the_factors_of_the_narrow_range() {
        // beta = 1 - 0.0385 (9.8 - avg) / 4.8: 0.921 at 0; alpha / max_p = 0.042 (avg - 10.2) / 10.2: 0.0198 at max_th.
        assert!(near(max_p_after(0), 0.1 * (1.0 - 0.0385 * 9.8 / 4.8)));
        assert!(near(max_p_after(10), 0.1));
        assert!(near(max_p_after(15), 0.1 * (1.0 + 0.042 * 4.8 / 10.2)));
    }

    #[test]
    fn a_step_between_the_thresholds_moves_the_average_by_less_than_the_target_range() {
        // [Tah13] eqs 3.4.4 to 3.4.13 at a constant probability: avg - min_th is inversely proportional to max_p.
        for waiting in 5..=15 {
            let before = waiting as f64 - 5.0;
            let after = before * 0.1 / max_p_after(waiting);
            assert!((after - before).abs() < 0.04 * 10.0, "{waiting}");
        }
    }
}
