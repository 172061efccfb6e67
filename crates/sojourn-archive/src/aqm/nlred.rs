//! Nonlinear RED: RED whose drop probability rises with the square of the average's position between the thresholds, so that it is gentle
//! at light load and as strict as RED at heavy load. Specification: [Zho06] Zhou, Yeung and Li, "Nonlinear RED: A simple yet efficient
//! active queue management scheme", Computer Networks 50, 2006; Tahiliani, "Optimizing Congestion Avoidance and Congestion Control in
//! Wired and Wireless Networks", PhD thesis, NIT Karnataka, 2013, eq. 2.1.10 [Tah13]. Compared with: no module in ns-2 2.35; the factor of
//! ns-3's `RedQueueDisc` (behaviour).
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | The quadratic is 1.5 times as high as [Tah13] prints it, which leaves the factor out | [Zho06]: with it RED's curve and this one have the same area | `the_factor_makes_the_areas_equal` |
//! | The probability is at most 1 | 1.5 max_p may exceed it | `the_probability_is_at_most_one` |

use sojourn_queues::aqm::red::{self, Curve, Red, Settings, red_hooks};
use sojourn_queues::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "nlred",
    title: "Nonlinear RED (NLRED)",
    doc: "RED with a curved drop probability. Between the thresholds the probability rises with the square of the average \
          queue's height: gentler than RED's line at light load, as strict at heavy load.",
    reference: "Zhou, Yeung and Li 2006",
    presets: presets! {
        /// Zhou, Yeung and Li 2006: everything is dropped above max_th, where the curve reaches 1.5 max_p.
        paper = { factor = "1.5", above = "strict", count = "on", w_q = "0.002" };
        /// Tahiliani 2013 eq. 2.1.10: as `paper`, and the curve reaches max_p.
        tahiliani2013 = { factor = "1", above = "strict", count = "on" };
        /// The quadratic in the place of the line in ns-2 2.35's RED, as in ns-3's port of that.
        ns2 = { ..red::NS2, factor = "1.5" };
    },
    law: Some(draw_law),
    ..QueueEntry::of_policy::<Params>()
};

params! {
    pub struct Params {
        ..red: Settings { max_p = "0.1", "as red; the curve reaches `factor` times it" };
        /// The curve reaches this times `max_p` at `max_th`.
        factor: f64 = "1.5" in [0.0, 1e6], "[Zho06]; 1 in [Tah13] eq. 2.1.10";
    }
}

#[derive(Clone, Debug)]
pub struct Nlred {
    red: Red,
    factor: f64,
}

impl PolicyParams for Params {
    type Policy = Nlred;

    fn policy(&self, link: &LinkContext) -> Result<Nlred, BuildError> {
        Ok(Nlred { red: self.red.build(link)?, factor: self.factor })
    }

    fn limit(&self, link: &LinkContext) -> Limit {
        self.red.limit(link)
    }
}

/// Base probability: `factor max_p ((avg - min) / (max - min))^2` between the thresholds ([Zho06], [Tah13] eq. 2.1.10), RED's with
/// `factor max_p` elsewhere.
fn p_b(curve: &Curve, average: f64, max_p: f64, factor: f64) -> f64 {
    let top = (factor * max_p).min(1.0);
    if average < curve.min_th || average >= curve.max_th {
        return curve.p_b(average, top);
    }
    let way = (average - curve.min_th) / (curve.max_th - curve.min_th);
    (factor * max_p * way * way).min(1.0)
}

fn draw_law(args: &Args, link: &LinkContext) -> Result<Graph, BuildError> {
    let Nlred { red, factor } = args.typed::<Params>().policy(link)?;
    Ok(red.graph_by(|average| p_b(&red.curve, average, red.max_p, factor)))
}

impl Policy for Nlred {
    fn on_arrival(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        let backlog = queue.backlog();
        self.red.observe(now, backlog);
        let p_b = p_b(&self.red.curve, self.red.average.value(), self.red.max_p, self.factor);
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
    use sojourn_queues::aqm::red::Above;
    use sojourn_queues::queue::Reason;
    use sojourn_queues::rig::{PACKET, Rig, at, near, policy_of};

    const CURVE: Curve = Curve { min_th: 5.0, max_th: 15.0, above: Above::Strict, gentle_from: None };

    #[test]
    fn the_probability_is_quadratic_between_the_thresholds() {
        for (average, expected) in [(4.999, 0.0), (5.0, 0.0), (6.0, 0.001), (10.0, 0.025), (14.0, 0.081), (15.0, 1.0)] {
            assert!(near(p_b(&CURVE, average, 0.1, 1.0), expected), "{average}");
        }
    }

    #[test]
    fn the_factor_makes_the_areas_equal() {
        // Integrals over the way x from 0 to 1: max_p / 2 for the line, 1.5 max_p / 3 for the quadratic (midpoint rule, error 1 / (12
        // n^2)).
        let steps = 1000;
        let area = |probability: &dyn Fn(f64) -> f64| -> f64 {
            (0..steps)
                .map(|step| probability(5.0 + 10.0 * (f64::from(step) + 0.5) / f64::from(steps)) / f64::from(steps))
                .sum()
        };

        let quadratic = area(&|average| p_b(&CURVE, average, 0.1, 1.5));

        assert!((quadratic - area(&|average| CURVE.p_b(average, 0.1))).abs() < 1e-7);
        assert!((quadratic - 0.05).abs() < 1e-7);
    }

    #[test]
    fn it_is_gentler_than_red_below_two_thirds_of_the_way_and_stricter_above() {
        for (average, gentler) in [(6.0, true), (11.6, true), (11.7, false), (14.9, false)] {
            assert_eq!(p_b(&CURVE, average, 0.1, 1.5) < CURVE.p_b(average, 0.1), gentler, "{average}");
        }
    }

    #[test]
    fn gentle_goes_on_from_where_the_quadratic_ends() {
        let gentle = Curve { above: Above::Gentle, ..CURVE };

        assert!(near(p_b(&gentle, 15.0, 0.1, 1.5), 0.15));
        // Half way to twice max_th: 0.15 + 0.85 / 2.
        assert!(near(p_b(&gentle, 22.5, 0.1, 1.5), 0.575));
        assert!(near(p_b(&gentle, 30.0, 0.1, 1.5), 1.0));
    }

    #[test]
    fn the_probability_is_at_most_one() {
        let gentle = Curve { above: Above::Gentle, ..CURVE };

        for average in [5.0, 13.0, 14.9, 15.0, 20.0] {
            let probability = p_b(&gentle, average, 0.9, 1.5);
            assert!((0.0..=1.0).contains(&probability), "{average}");
        }
        // 1.35 (9 / 10)^2.
        assert!(near(p_b(&gentle, 14.0, 0.9, 1.5), 1.0));
    }

    #[test]
    fn an_arrival_is_dropped_by_the_quadratic() {
        let mut nlred = policy_of::<Params>(
            &ENTRY,
            Some("paper"),
            &[("min_th", "5p"), ("max_th", "15p"), ("w_q", "1"), ("max_p", "0.4")],
        );
        let mut rig = Rig::waiting(10);

        // 0.6 / 4, where RED has 0.2; the first packet has p_a = p_b, the second p_b / (1 - p_b).
        assert_eq!(rig.arrive_drawing(&mut nlred, at(0.0), &PACKET, 0.1501), Verdict::Pass);
        assert_eq!(rig.arrive_drawing(&mut nlred, at(0.0), &PACKET, 0.1764), Verdict::Drop(Reason::EARLY));
        assert_eq!(Rig::waiting(15).arrive(&mut nlred, at(0.0)), Verdict::Drop(Reason::FORCED));
    }
}
