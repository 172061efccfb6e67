//! w_q + max_p: Adaptive RED with two weights of the average, a small one while the queue is near its average and a great one while it is
//! far from it. Specification: [Ver02] Verma, Iyer and Karandikar, "Active Queue Management using Adaptive RED", Journal of Communications
//! and Networks 5(3), 2003 (the thesis has 2002), as [Tah13] Tahiliani 2013, section 2.1, describes it. Only its abstract is available: it
//! has two algorithms, w_q-thresh and w_q-ewma; the thesis describes one. Compared with: no module in ns-2 2.35.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | The change of the average is judged by its cause, the distance of the queue from it | [Tah13]: a significant change of the average asks for the great weight; it does not say which weight caused the change | `far_from_the_average_the_great_weight_holds` |
//! | The weights' ratio and the significant distance are ours | [Tah13] says that they have to be set, and gives no values | `far_from_the_average_the_great_weight_holds` |

use sojourn_queues::aqm::ared::Aimd;
use sojourn_queues::aqm::red::{Adaptation, Adaptive};
use sojourn_queues::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "wq_max_p",
    title: "RED that adapts w_q and max_p",
    doc: "Adaptive RED that adapts the weight of its average, too. While the queue is far from its average, the average follows \
          it with a greater weight, so that a change is seen sooner.",
    reference: "Verma, Iyer and Karandikar 2002",
    presets: presets! {
        /// Over gentle RED with ARED's timer and limits; the choices about the weights are ours.
        paper = { clock = "timer", gentle_slope = "current", bottom = "0.01", bounds = "inclusive", count = "on" };
    },
    law: Some(|args, link| Ok(args.typed::<Params>().policy(link)?.adaptive.graph())),
    probes: &[Probe::new("w_q", "", Probe::SHARE, "weight of an arrival in the average queue, now")],
    ..QueueEntry::of_policy::<Params>()
};

params! {
    pub struct Params {
        ..adaptation: Adaptation {
            bottom = "0.01", "Floyd, Gummadi and Shenker 2001; auto is ns-2 2.35 red.cc";
            bounds = "inclusive", "Floyd, Gummadi and Shenker 2001 fig. 1; ns-2 2.35 red.cc for strict";
        };
        /// Greatest increment of max_p; a quarter of max_p bounds it too.
        alpha: Fraction = "0.01" in [0.0, 1.0], "Floyd, Gummadi and Shenker 2001";
        /// Factor of a decrease of max_p.
        beta: Fraction = "0.9" in [0.0, 1.0], "Floyd, Gummadi and Shenker 2001";
        /// The great weight is this times `w_q`, at most 1.
        faster: f64 = "10" in [1.0, 1e9], "ours: [Tah13] gives none";
        /// Distance of the queue from its average from which on the great weight holds, as a part of that between the thresholds.
        significant: Fraction = "0.5" in [0.0, 1e6], "ours: [Tah13] gives none";
    }
}

#[derive(Clone, Debug)]
pub struct WqMaxP {
    adaptive: Adaptive<Aimd>,
    slow: f64,
    fast: f64,
    /// In the mode's unit.
    significant: f64,
}

impl PolicyParams for Params {
    type Policy = WqMaxP;

    fn policy(&self, link: &LinkContext) -> Result<WqMaxP, BuildError> {
        let adaptive = self.adaptation.build(Aimd { alpha: self.alpha.0, beta: self.beta.0 }, link)?;
        let slow = adaptive.red.average.weight();
        let span = adaptive.red.curve.max_th - adaptive.red.curve.min_th;
        Ok(WqMaxP { slow, fast: (slow * self.faster).min(1.0), significant: self.significant.0 * span, adaptive })
    }

    fn limit(&self, link: &LinkContext) -> Limit {
        self.adaptation.red.limit(link)
    }
}

impl WqMaxP {
    /// [Tah13] section 2.1: where the average changes negligibly history is trusted, else the queue itself.
    fn weight(&self, average: f64, queue: f64) -> f64 {
        if (queue - average).abs() < self.significant { self.slow } else { self.fast }
    }
}

impl Policy for WqMaxP {
    fn on_arrival(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        let waiting = self.adaptive.red.measure(queue.backlog());
        let weight = self.weight(self.adaptive.red.average.value(), waiting);
        self.adaptive.red.average.set_weight(weight);
        self.adaptive.on_arrival(now, packet, queue, rng)
    }

    fn on_idle(&mut self, now: Instant) {
        self.adaptive.on_idle(now);
    }

    fn on_drop(&mut self, now: Instant, packet: &Packet, dropped: Dropped, queue: &mut QueueView<'_>) {
        self.adaptive.on_drop(now, packet, dropped, queue);
    }

    fn next_deadline(&self) -> Option<Instant> {
        self.adaptive.next_deadline()
    }

    fn on_deadline(&mut self, now: Instant, queue: &mut QueueView<'_>) {
        self.adaptive.on_deadline(now, queue);
    }

    fn decides_on_arrival(&self) -> bool {
        true
    }

    probes! { |self|
        "avg" => self.adaptive.red.average.value(),
        "max_p" => self.adaptive.red.max_p,
        "p_b" => self.adaptive.red.last_p_b(),
        "w_q" => self.adaptive.red.average.weight(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_queues::rig::{Rig, args, at, near, policy_of};

    /// Thresholds 5 and 15: a distance of 5 packets is significant. Weights 0.1 and 0.5.
    fn wq_max_p() -> WqMaxP {
        policy_of::<Params>(
            &ENTRY,
            Some("paper"),
            &[("w_q", "0.1"), ("faster", "5"), ("min_th", "5p"), ("max_th", "15p")],
        )
    }

    fn average_after(wq_max_p: &mut WqMaxP, waiting: usize) -> f64 {
        Rig::waiting(waiting).arrive(wq_max_p, at(0.0));
        wq_max_p.adaptive.red.average.value()
    }

    #[test]
    fn far_from_the_average_the_great_weight_holds() {
        let mut wq_max_p = wq_max_p();
        average_after(&mut wq_max_p, 0);

        // 4 packets from an average of 0: a tenth of them; 5.4: half.
        assert!(near(average_after(&mut wq_max_p, 4), 0.4));
        assert!(near(average_after(&mut wq_max_p, 6), 0.5 * 0.4 + 0.5 * 6.0));
        // From 3.2 a queue of 8 is 4.8 away, one of 9 after it 5.32.
        assert!(near(average_after(&mut wq_max_p, 8), 0.9 * 3.2 + 0.1 * 8.0));
        assert!(near(average_after(&mut wq_max_p, 9), 0.5 * 3.68 + 0.5 * 9.0));
    }

    #[test]
    fn a_queue_that_has_emptied_is_followed_too() {
        let mut wq_max_p = wq_max_p();
        average_after(&mut wq_max_p, 0);
        wq_max_p.adaptive.red.average.set(12.0);

        assert!(near(average_after(&mut wq_max_p, 0), 6.0));
    }

    #[test]
    fn max_p_moves_as_adaptive_reds() {
        let mut wq_max_p = wq_max_p();
        average_after(&mut wq_max_p, 0);
        wq_max_p.adaptive.red.average.set(14.0);
        let due = wq_max_p.next_deadline().expect("a timer");

        wq_max_p.on_deadline(due, &mut Rig::waiting(14).view());
        assert!(near(wq_max_p.adaptive.red.max_p, 0.11));
    }

    #[test]
    fn the_great_weight_is_at_most_one() {
        let params = args(&ENTRY, None, &[("w_q", "0.2"), ("faster", "50")]).typed::<Params>();

        assert!(near(params.policy(&LinkContext::default()).expect("valid parameters").fast, 1.0));
    }
}
