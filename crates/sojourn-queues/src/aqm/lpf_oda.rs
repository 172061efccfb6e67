//! LPF/ODA: RED whose average is halved when the queue itself has stayed below the lower threshold for some arrivals,
//! so that the average's memory does not go on dropping (over-drop avoidance). Specification: Zheng and Atiquzzaman
//! 2001 and 2002, as Haider 2005 chapter 3 describes them. Compared with: no public implementation.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | After a cut the run starts anew, so that a short queue cuts every `n_o` arrivals; `cut_once` waits for the queue to grow first | the source leaves it open | `the_average_is_cut_once_in_three_short_arrivals`, `one_cut_in_a_run_waits_for_the_queue_to_grow` |

use crate::aqm::red::{HAIDER, Red, Settings, red_hooks};
use crate::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "lpf_oda",
    title: "LPF/ODA",
    doc: "RED that corrects an average which lags behind a short queue (over-drop avoidance). When some arrivals in a row have \
          found a short queue, the average is cut.",
    reference: "Zheng and Atiquzzaman 2001, 2002",
    presets: presets! {
        /// Haider 2005 chapter 6: thresholds 5 and 15, w_q 0.002, max_p 0.1, over ns-2's RED.
        paper = { ..HAIDER };
    },
    law: Some(|args, link| Ok(args.typed::<Params>().policy(link)?.red.graph())),
    ..QueueEntry::of_policy::<Params>()
};

params! {
    pub struct Params {
        ..red: Settings { max_p = "0.1", "Haider 2005 section 2.1" };
        /// Consecutive arrivals that find less than `min_th` waiting before the average is cut.
        n_o: u64 = "3" in [1.0, 1e6], "Haider 2005 chapter 3";
        /// The part of the average that remains after the cut.
        cut: Fraction = "0.5" in [0.0, 1.0], "Haider 2005 chapter 3";
        /// Cut once while the queue stays short, rather than every `n_o` arrivals.
        cut_once: bool = "false", "Haider 2005 chapter 3 leaves it open";
    }
}

#[derive(Clone, Debug)]
pub struct LpfOda {
    red: Red,
    n_o: u64,
    cut: f64,
    cut_once: bool,
    run: u64,
}

impl PolicyParams for Params {
    type Policy = LpfOda;

    fn policy(&self, link: &LinkContext) -> Result<LpfOda, BuildError> {
        Ok(LpfOda { red: self.red.build(link)?, n_o: self.n_o, cut: self.cut.0, cut_once: self.cut_once, run: 0 })
    }

    fn limit(&self, link: &LinkContext) -> Limit {
        self.red.limit(link)
    }
}

impl Policy for LpfOda {
    fn on_arrival(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        self.red.observe(now, queue.backlog());
        let short = self.red.measure(queue.backlog()) < self.red.curve.min_th;
        self.run = if short { self.run + 1 } else { 0 };
        if self.run == self.n_o {
            self.red.average.set(self.cut * self.red.average.value());
            self.run = if self.cut_once { self.run } else { 0 };
        }
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
    use crate::rig::{Rig, at, policy_of};

    #[test]
    fn one_cut_in_a_run_waits_for_the_queue_to_grow() {
        let mut oda = policy_of::<Params>(&ENTRY, Some("paper"), &[("w_q", "0.5"), ("n_o", "2"), ("cut_once", "true")]);
        let mut average_after = |queue: usize| {
            Rig::waiting(queue).arrive(&mut oda, at(0.0));
            oda.red.average.value()
        };

        let averages: Vec<f64> = [16, 4, 4, 4, 4, 8, 4, 4].map(&mut average_after).into();

        // 8, 6, (5 -> 2.5), 3.25, 3.625, at 8 the run ends: 5.8125, 4.90625, (4.453125 -> 2.2265625).
        assert_eq!(averages, [8.0, 6.0, 2.5, 3.25, 3.625, 5.8125, 4.906_25, 2.226_562_5]);
    }

    #[test]
    fn the_average_is_cut_once_in_three_short_arrivals() {
        // w_q = 0.5, thresholds 5 and 15.
        let mut oda = policy_of::<Params>(&ENTRY, Some("paper"), &[("w_q", "0.5")]);
        let mut average_after = |queue: usize| {
            Rig::waiting(queue).arrive(&mut oda, at(0.0));
            oda.red.average.value()
        };

        let averages: Vec<f64> = [64, 4, 4, 4, 4, 4, 5, 4, 4, 4].map(&mut average_after).into();

        // 32, 18, 11, (7.5 -> 3.75), 3.875, 3.9375, at min_th the run ends: 4.46875, 4.234..., 4.117..., cut of 4.0585...
        let expected = [32.0, 18.0, 11.0, 3.75, 3.875, 3.9375, 4.468_75, 4.234_375, 4.117_187_5, 2.029_296_875];
        for (average, wanted) in averages.iter().zip(expected) {
            assert!((average - wanted).abs() < 1e-12, "{average} {wanted}");
        }
    }
}
