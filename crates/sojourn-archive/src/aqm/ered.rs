//! Effective RED: RED with shifted thresholds that drops early only if the queue itself is long, too, and with max_p if a burst has filled
//! the queue while the average is short. Specification: [Abb09] Abbasov and Korukoglu, "Effective RED: An algorithm to improve RED's
//! performance by reducing packet loss rate", J. Network and Computer Applications 32(3), 2009, whose text is not available: [Tah13]
//! Tahiliani 2013, section 2.1, and a student's port to ns-3 (behaviour) describe it. Compared with: no module in ns-2 2.35.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | Between the shifted thresholds the probability is RED's line | the port takes max_p throughout; [Tah13] says that RED's function stays | `both_average_and_queue_have_to_be_long` |
//! | Not modelled: the average that departures put back | its constants in the port would put it back at nearly every departure | - |

use sojourn_queues::aqm::red::{Curve, Red, Settings, red_hooks};
use sojourn_queues::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "ered",
    title: "Effective RED (ERED)",
    doc: "RED that uses both the queue itself and its average. It drops early only if both are long, with higher thresholds \
          than RED's, and with max_p if a burst has filled the queue before the average could follow.",
    reference: "Abbasov and Korukoglu 2009",
    presets: presets! {
        /// The thresholds of RED of 1993, from which the shifted ones follow.
        paper = { min_th = "5p", max_th = "15p", w_q = "0.002", max_p = "0.02", above = "strict", count = "on", idle_decay = "paper" };
    },
    law: Some(draw_law),
    ..QueueEntry::of_policy::<Params>()
};

params! {
    /// Parameters of Effective RED; the thresholds are RED's, from which its own follow.
    pub struct Params {
        ..red: Settings {
            /// Average below which nothing is dropped. Automatic: as in RED, at most a sixth of the limit.
            min_th = "auto", "Floyd, Gummadi and Shenker 2001; the bound by the limit is ours";
            above = "strict", "[Abb09] as told: all is dropped from twice `max_th` on";
        };
        /// A queue above this times `max_th` under a short average meets max_p.
        burst: f64 = "1.75" in [0.0, 1e6], "[Abb09] as in the port to ns-3";
    }
}

#[derive(Clone, Debug)]
pub struct Ered {
    /// With the shifted thresholds: `min_th' = (max_th + min_th) / 2 + min_th`, `max_th' = 2 max_th` ([Abb09] as in the port).
    red: Red,
    /// Queue above which a short average does not help.
    burst: f64,
}

impl PolicyParams for Params {
    type Policy = Ered;

    fn policy(&self, link: &LinkContext) -> Result<Ered, BuildError> {
        // The shifted upper threshold is six times as high: the limit at most.
        let lower = self.red.min_th.unwrap_or(Size::Packets(self.red.automatic_min_th(link, 6.0)));
        let mut red = Settings { min_th: Some(lower), ..self.red.clone() }.build(link)?;
        let (min_th, max_th) = (red.curve.min_th, red.curve.max_th);
        red.curve = Curve { min_th: shifted(min_th, max_th), max_th: 2.0 * max_th, ..red.curve };
        Ok(Ered { red, burst: self.burst * max_th })
    }

    fn limit(&self, link: &LinkContext) -> Limit {
        self.red.limit(link)
    }
}

/// `(max_th + min_th) / 2 + min_th`, which is at most twice `max_th`.
fn shifted(min_th: f64, max_th: f64) -> f64 {
    f64::midpoint(min_th, max_th) + min_th
}

impl Ered {
    /// Base probability ([Abb09] as told): RED's where the queue is as long as the average has to be; max_p in a burst; else 0.
    fn p_b(&self, average: f64, queue: f64) -> f64 {
        let curve = &self.red.curve;
        if average >= curve.max_th || (average >= curve.min_th && queue >= curve.min_th) {
            curve.p_b(average, self.red.max_p)
        } else if average < curve.min_th && queue > self.burst {
            self.red.max_p
        } else {
            0.0
        }
    }
}

fn draw_law(args: &Args, link: &LinkContext) -> Result<Graph, BuildError> {
    let ered = args.typed::<Params>().policy(link)?;
    let (long, burst) = (ered.red.curve.min_th, ered.burst + 1.0);
    let graph = Graph { curves: Vec::new(), ..ered.red.graph() };
    let graph = ered.red.join_by(graph, "short queue", |average| ered.p_b(average, 0.0));
    let graph = ered.red.join_by(graph, "queue above the lower threshold", |average| ered.p_b(average, long));
    Ok(ered.red.join_by(graph, "burst", |average| ered.p_b(average, burst)))
}

impl Policy for Ered {
    fn on_arrival(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        let backlog = queue.backlog();
        self.red.observe(now, backlog);
        let p_b = self.p_b(self.red.average.value(), self.red.measure(backlog));
        if self.red.average.value() < self.red.curve.min_th && p_b > 0.0 {
            // Below the threshold RED counts nothing.
            return self.red.test_alone(p_b, packet, backlog, rng);
        }
        self.red.decide_at(p_b, packet, backlog, rng)
    }

    red_hooks!();

    fn decides_on_arrival(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_queues::rig::{PACKET, Rig, at, near, policy_of};

    /// RED's thresholds 5 and 15 make 15 and 30; a burst is a queue above 26.25.
    fn ered() -> Ered {
        policy_of::<Params>(&ENTRY, Some("paper"), &[("count", "off"), ("w_q", "1e-9")])
    }

    #[test]
    fn thresholds_are_shifted() {
        let curve = ered().red.curve;

        assert!(near(curve.min_th, 15.0) && near(curve.max_th, 30.0) && near(ered().burst, 26.25));
    }

    #[test]
    fn both_average_and_queue_have_to_be_long() {
        let ered = ered();
        // Half way from 15 to 30: half of max_p.
        for (average, queue, expected) in [
            (22.5, 15.0, 0.01),
            (22.5, 14.999, 0.0),
            (14.999, 15.0, 0.0),
            (15.0, 15.0, 0.0),
            (29.999_999, 15.0, 0.02),
            (30.0, 0.0, 1.0),
        ] {
            assert!((ered.p_b(average, queue) - expected).abs() < 1e-8, "{average} {queue}");
        }
    }

    #[test]
    fn a_burst_under_a_short_average_meets_max_p() {
        let mut ered = ered();
        Rig::waiting(0).arrive(&mut ered, at(0.0));

        assert_eq!(Rig::waiting(26).arrive_drawing(&mut ered, at(0.0), &PACKET, 0.0), Verdict::Pass);
        assert_eq!(Rig::waiting(27).arrive_drawing(&mut ered, at(0.0), &PACKET, 0.0199), Verdict::Drop(Reason::EARLY));
        assert_eq!(Rig::waiting(27).arrive_drawing(&mut ered, at(0.0), &PACKET, 0.0201), Verdict::Pass);
    }
}
