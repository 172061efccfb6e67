//! Cautious Adaptive RED: Adaptive RED that takes the small steps of ARED or the large ones of Re-ARED by whether the average moves
//! towards its target or away from it. Specification: [Tah13] Tahiliani, "Optimizing Congestion Avoidance and Congestion Control
//! in Wired and Wireless Networks", PhD thesis, NIT Karnataka, 2013, section 3.5, algorithm 4 and table 3.7; Tahiliani, Shet and
//! Basavaraju, "CARED: Cautious Adaptive RED gateways for TCP/IP networks", JNCA 35, 2012. Compared with: no module in ns-2 2.35.
//!
//! | Average | Load rises | Load falls |
//! |---|---|---|
//! | below its target | max_p falls as ARED's | max_p falls as Re-ARED's |
//! | above its target | max_p rises as Re-ARED's | max_p rises as ARED's |
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | The load is seen against the average before the last arrival, or when max_p was looked at before if asked (`load`) | "while calculating the avg" is the first; eq. 2.1.1 defines `oldavg` so | `the_load_may_be_seen_against_the_last_look` |
//! | The factor of Re-ARED's decrease is not kept in ARED's, unless asked (`beta_kept`); algorithm 4 gives both one name | table 3.7 fixes ARED's at 0.9 | `the_factor_of_the_large_decrease_may_stay` |
//! | max_p falls to 0 at most, and never exceeds 1 | as Re-ARED | those of `re_ared` |

use crate::queue::prelude::*;
use std::cmp::Ordering;

use crate::aqm::ared::Aimd;
use crate::aqm::re_ared::{Aim, NS2, PAPER, Proportional, STRICT};
use crate::aqm::red::{Adaptation, Adaptive, Law, Seen};

pub static ENTRY: QueueEntry = QueueEntry {
    name: "cared",
    title: "Cautious Adaptive RED (CARED)",
    doc: "Adaptive RED with two paces. While the average queue moves away from its target max_p changes as in Re-ARED, in \
          proportion to the distance; while it comes back max_p changes in the small steps of Adaptive RED.",
    reference: "Tahiliani, Shet and Basavaraju 2012",
    presets: presets! {
        /// Tahiliani 2013, algorithm 4, over gentle RED.
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
    pub struct Params {
        ..adaptation: Adaptation {
            bottom = "0.01", "[Tah13] table 3.7; auto is ns-2 2.35 red.cc";
            bounds = "inclusive", "[Tah13] algorithm 4; ns-2 2.35 red.cc for strict";
        };
        /// Greatest increment of the conservative increase; a quarter of max_p bounds it too.
        alpha: Fraction = "0.01" in [0.0, 1.0], "[Tah13] table 3.7";
        /// Factor of the conservative decrease.
        beta: Fraction = "0.9" in [0.0, 1.0], "[Tah13] table 3.7";
        /// Factor of the aggressive increase: max_p rises by this share of itself if the average is twice the target.
        gain_up: f64 = "0.25" in [0.0, 1e6], "[Tah13] algorithm 4";
        /// Factor of the aggressive decrease: max_p falls by this share of itself if the average is at `min_th`.
        gain_down: f64 = "0.17" in [0.0, 1e6], "[Tah13] algorithm 4";
        /// Whether aggressive steps go by the distance to the nearer end of the target range or to its middle.
        aim: Aim = "edge", "[Tah13] algorithm 4";
        /// The average that tells whether the load rises: that before the last arrival, or at the last look at max_p.
        load: Load = "arrival", "[Tah13] section 3.5 and eq. 2.1.1";
        /// Whether an aggressive decrease leaves its factor to later conservative ones.
        beta_kept: bool = "false", "[Tah13] table 3.7; true is algorithm 4 to the letter";
    }
}

choices! {
    /// The average with which the present one is compared to tell whether the load rises or falls.
    pub enum Load {
        /// That before the last arrival.
        Arrival = "arrival",
        /// The average at the last look at max_p.
        Look = "look",
    }
}

/// The law of table and text above.
#[derive(Clone, Copy, Debug)]
pub struct Cautious {
    conservative: Aimd,
    aggressive: Proportional,
    load: Load,
    beta_kept: bool,
}

impl Cautious {
    /// Whether the load rises; `None` if it stays.
    fn rises(&self, seen: &Seen) -> Option<bool> {
        let old = match self.load {
            Load::Arrival => seen.before_arrival,
            Load::Look => seen.before_look,
        };
        match seen.average.total_cmp(&old) {
            Ordering::Greater => Some(true),
            Ordering::Less => Some(false),
            Ordering::Equal => None,
        }
    }
}

impl Law for Cautious {
    fn fall(&mut self, max_p: f64, seen: &Seen) -> Option<f64> {
        if self.rises(seen)? {
            return self.conservative.fall(max_p, seen);
        }
        if self.beta_kept {
            self.conservative.beta = self.aggressive.beta(seen);
        }
        self.aggressive.fall(max_p, seen)
    }

    fn rise(&mut self, max_p: f64, seen: &Seen) -> Option<f64> {
        if self.rises(seen)? { self.aggressive.rise(max_p, seen) } else { self.conservative.rise(max_p, seen) }
    }
}

impl PolicyParams for Params {
    type Policy = Adaptive<Cautious>;

    fn policy(&self, link: &LinkContext) -> Result<Adaptive<Cautious>, BuildError> {
        let conservative = Aimd { alpha: self.alpha.0, beta: self.beta.0 };
        let aggressive = Proportional { gain_up: self.gain_up, gain_down: self.gain_down, aim: self.aim };
        self.adaptation.build(Cautious { conservative, aggressive, load: self.load, beta_kept: self.beta_kept }, link)
    }

    fn limit(&self, link: &LinkContext) -> Limit {
        self.adaptation.red.limit(link)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::{Policy as _, QueueView};
    use crate::rig::{Rig, args, at, near, policy_of};

    /// Thresholds 5 and 15, target 9 to 11; the average is the queue itself.
    fn cared(settings: &[(&str, &str)]) -> Adaptive<Cautious> {
        let mut params = args(&ENTRY, Some("paper"), settings).typed::<Params>();
        params.adaptation.red.w_q = Some(Fraction(1.0));
        params.policy(&LinkContext::default()).expect("valid parameters")
    }

    /// max_p after arrivals that find these queues and the timer's next look.
    fn look(cared: &mut Adaptive<Cautious>, queues: &[usize]) -> f64 {
        let due = cared.next_deadline().expect("a timer");
        for waiting in queues {
            Rig::waiting(*waiting).arrive(cared, due);
        }
        let mut rig = Rig::waiting(0);
        cared.on_deadline(due, &mut QueueView::new(&mut rig.fifo, &mut rig.events, true));
        cared.red.max_p
    }

    #[test]
    fn each_quarter_of_the_table_has_its_step() {
        // Below and rising: 0.9. Below and falling: 1 - 0.17 (9 - 6) / (9 - 5).
        assert!(near(look(&mut cared(&[]), &[5, 6]), 0.09));
        assert!(near(look(&mut cared(&[]), &[7, 6]), 0.1 * (1.0 - 0.17 * 3.0 / 4.0)));
        // Above and rising: 0.25 (22 - 11) / 11 of max_p. Above and falling: min(0.01, max_p / 4).
        assert!(near(look(&mut cared(&[]), &[20, 22]), 0.125));
        assert!(near(look(&mut cared(&[]), &[23, 22]), 0.11));
        assert!(near(look(&mut cared(&[("max_p", "0.02"), ("bottom", "0")]), &[23, 22]), 0.025));
    }

    #[test]
    fn in_the_target_range_and_under_a_steady_load_max_p_stays() {
        for queues in [[3, 9], [20, 11], [10, 10], [6, 6], [22, 22]] {
            assert!(near(look(&mut cared(&[]), &queues), 0.1), "{queues:?}");
        }
    }

    #[test]
    fn conservative_is_not_always_the_smaller_step() {
        // Just below the target the aggressive factor is nearly 1; both are 0.9 at 0.588 of the way down to min_th.
        assert!(look(&mut cared(&[]), &[9, 8]) > look(&mut cared(&[]), &[7, 8]));
        let (aggressive, at) = (Proportional { gain_up: 0.25, gain_down: 0.17, aim: Aim::Edge }, 9.0 - 4.0 / 1.7);
        let seen = Seen { average: at, lower: 9.0, upper: 11.0, min_th: 5.0, before_arrival: 9.0, before_look: 9.0 };
        assert!(near(aggressive.beta(&seen), 0.9));
    }

    #[test]
    fn the_load_may_be_seen_against_the_last_look() {
        let mut by_look = cared(&[("load", "look")]);
        assert!(near(look(&mut by_look, &[10]), 0.1), "in the target range; this look counts nevertheless");

        // The last arrival saw the average rise from 5, but at the last look it was 10.
        assert!(near(look(&mut by_look, &[5, 6]), 0.1 * (1.0 - 0.17 * 3.0 / 4.0)));
        // Without an arrival the average is unchanged.
        assert!(near(look(&mut by_look, &[]), 0.1 * (1.0 - 0.17 * 3.0 / 4.0)));
    }

    #[test]
    fn the_factor_of_the_large_decrease_may_stay() {
        let large = 1.0 - 0.17 * 3.0 / 4.0;

        for (kept, then) in [("false", 0.9), ("true", large)] {
            let mut cared = cared(&[("beta_kept", kept)]);
            look(&mut cared, &[7, 6]);
            assert!(near(look(&mut cared, &[5, 6]), 0.1 * large * then), "{kept}");
        }
    }

    #[test]
    fn ns2_looks_at_every_arrival_until_max_p_changes() {
        let mut cared = policy_of::<Params>(&ENTRY, Some("ns2"), &[("w_q", "1")]);
        let mut arrive = |waiting: usize, seconds: f64| {
            Rig::waiting(waiting).arrive(&mut cared, at(seconds));
            cared.red.max_p
        };

        assert!(near(arrive(10, 0.6), 0.1));
        assert!(near(arrive(6, 0.601), 0.1 * (1.0 - 0.17 * 3.0 / 4.0)), "from 10 to 6 the load falls");
        assert!(near(arrive(7, 1.1), 0.1 * (1.0 - 0.17 * 3.0 / 4.0)), "not half a second after the change");
        assert!(near(arrive(8, 1.102), 0.09 * (1.0 - 0.17 * 3.0 / 4.0)));
    }
}
