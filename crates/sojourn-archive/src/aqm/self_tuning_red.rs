//! Self-tuning RED: RED that computes max_p from the average and the max_p of the last period so that the average reaches a target, and
//! w_q so that the average is stable there. Specification: [Che11] Chen, Hu and Ji, "Self-Tuning Random Early Detection Algorithm to
//! Improve Performance of Network Transmission", Mathematical Problems in Engineering 2011, 872347, whose algorithm 1 is available without
//! its formulas. Compared with: no module in ns-2 2.35.
//!
//! Both formulas are derived here from the model that [Che11] names, the map of the average from one round trip to the next of Ranjan,
//! Abed and La (IEEE/ACM ToN 12(6), 2004): N flows of `K / sqrt(p)` packets in a round trip fill the link and the queue,
//! `N K / sqrt(p) = q + C d`, with a round-trip time d without queues.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | The formulas are derived, not [Che11]'s (3.6) and (3.12) | they were not at hand | `the_formula_brings_the_models_average_to_the_target` |
//! | w_q is that which makes the map reach its fixed point in one step, spread over the packets of a round trip | [Che11] only bounds it | `the_automatic_weight_takes_the_map_to_its_fixed_point` |
//! | max_p stays between `bottom` and `top` | in the model the average is above `min_th`; else it would stay 0 | `max_p_stays_in_its_bounds` |

use sojourn_queues::aqm::red::{Red, Settings, distinct, red_hooks};
use sojourn_queues::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "self_tuning_red",
    title: "Self-Tuning RED",
    doc: "RED that computes max_p from a model of TCP. At the end of each period it takes the mean of the average queue, and \
          sets max_p so that by the model the queue comes to a target.",
    reference: "Chen, Hu and Ji 2011",
    law: Some(draw_law),
    ..QueueEntry::of_policy::<Params>()
};

params! {
    pub struct Params {
        ..red: Settings {
            w_q = "auto", "derived as [Che11] says: the average is stable at the target";
        };
        /// Target of the average. Automatic: midway between the thresholds.
        target: Option<Size> = "auto" in [0.0, 1e12], "as ared; [Che11]'s was not available";
        /// Time between two changes of max_p (delta t).
        interval: Duration = "0.5s" in [1e-6, 1e4], "as ared; [Che11]'s was not available";
        /// Least max_p.
        bottom: Fraction = "0.001" in [1e-12, 1.0], "ours: else it could stay 0";
        /// Greatest max_p.
        top: Fraction = "1" in [0.0, 1.0], "a probability";
    }
}

/// `max_p (avg - min) / (target - min) ((avg + C d) / (target + C d))^2`: the max_p at which the model's average is the target, if with
/// `max_p` it is `avg`. `pipe` is C d, in the unit of the others.
fn retuned(max_p: f64, average: f64, min_th: f64, target: f64, pipe: f64) -> f64 {
    let square = (average + pipe) / (target + pipe);
    max_p * (average - min_th) / (target - min_th) * square * square
}

/// The weight of one round trip at which the map's derivative at the target is 0: `1 / (1 + (target + C d) / (2 (target - min)))`. From
/// twice it on the map is unstable.
fn weight_of_a_round_trip(min_th: f64, target: f64, pipe: f64) -> f64 {
    1.0 / (1.0 + (target + pipe) / (2.0 * (target - min_th)))
}

#[derive(Clone, Debug)]
pub struct SelfTuningRed {
    red: Red,
    target: f64,
    pipe: f64,
    bounds: (f64, f64),
    interval: Duration,
    due: Instant,
    /// Sum of the averages at the arrivals of this period, and how many they are.
    sum: f64,
    count: u64,
}

impl PolicyParams for Params {
    type Policy = SelfTuningRed;

    fn policy(&self, link: &LinkContext) -> Result<SelfTuningRed, BuildError> {
        let mut red = self.red.build(link)?;
        let curve = red.curve;
        let target = self.target.map_or(f64::midpoint(curve.min_th, curve.max_th), |size| self.red.amount(size, link));
        if target <= curve.min_th {
            return Err(BuildError::new(
                "target",
                format!("the target is {target} and min_th is {} on this link", curve.min_th),
                "target is above min_th",
            ));
        }
        if self.bottom.0 > self.top.0 {
            return Err(BuildError::new("bottom", "bottom is above top", "bottom is at most top"));
        }
        let packets = link.packets_per_sec() * link.base_rtt.as_secs_f64();
        let pipe = self.red.amount(Size::Packets(packets), link);
        if self.red.w_q.is_none() {
            let round_trip = weight_of_a_round_trip(curve.min_th, target, pipe);
            let in_a_round_trip = (packets + target * packets / pipe.max(f64::MIN_POSITIVE)).max(1.0);
            red.average.set_weight(1.0 - libm::pow(1.0 - round_trip, 1.0 / in_a_round_trip));
        }
        Ok(SelfTuningRed {
            red,
            target,
            pipe,
            bounds: (self.bottom.0, self.top.0),
            interval: self.interval,
            due: Instant::ZERO + self.interval,
            sum: 0.0,
            count: 0,
        })
    }

    fn limit(&self, link: &LinkContext) -> Limit {
        self.red.limit(link)
    }
}

impl SelfTuningRed {
    /// [Che11] algorithm 1: the mean of the averages of the period gives the next max_p.
    fn retune(&mut self) {
        if self.count > 0 {
            let mean = self.sum / self.count as f64;
            let max_p = retuned(self.red.max_p, mean, self.red.curve.min_th, self.target, self.pipe);
            self.red.max_p = max_p.clamp(self.bounds.0, self.bounds.1);
        }
        (self.sum, self.count) = (0.0, 0);
    }
}

fn draw_law(args: &Args, link: &LinkContext) -> Result<Graph, BuildError> {
    let SelfTuningRed { red, bounds, .. } = args.typed::<Params>().policy(link)?;
    Ok(red.graph_at(&distinct([bounds.0, red.max_p, bounds.1])))
}

impl Policy for SelfTuningRed {
    fn on_arrival(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        self.red.observe(now, queue.backlog());
        self.sum += self.red.average.value();
        self.count += 1;
        self.red.decide(packet, queue.backlog(), rng)
    }

    fn next_deadline(&self) -> Option<Instant> {
        Some(self.due)
    }

    fn on_deadline(&mut self, now: Instant, _queue: &mut QueueView<'_>) {
        while self.due <= now {
            self.retune();
            self.due += self.interval;
        }
    }

    red_hooks!();

    fn decides_on_arrival(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_queues::rig::{Rig, args, at, near};

    fn build(settings: &[(&str, &str)]) -> Result<SelfTuningRed, BuildError> {
        let base = [("min_th", "5p"), ("max_th", "15p")];
        args(&ENTRY, None, &[&base, settings].concat()).typed::<Params>().policy(&LinkContext::default())
    }

    fn self_tuning(settings: &[(&str, &str)]) -> SelfTuningRed {
        build(settings).expect("valid parameters")
    }

    #[test]
    fn the_formula_brings_the_models_average_to_the_target() {
        // The model's fixed point with N K = 30 and C d = 125: (N K)^2 = p (q + 125)^2 with p = max_p (q - 5) / 10.
        let fixed = |max_p: f64| {
            let excess = |q: f64| max_p * (q - 5.0) / 10.0 * (q + 125.0) * (q + 125.0) - 900.0;
            let (mut low, mut high) = (5.0, 1000.0);
            for _ in 0..200 {
                let middle = f64::midpoint(low, high);
                if excess(middle) > 0.0 { high = middle } else { low = middle }
            }
            low
        };
        for max_p in [0.02, 0.1, 0.5] {
            let next = retuned(max_p, fixed(max_p), 5.0, 10.0, 125.0);
            assert!((fixed(next) - 10.0).abs() < 1e-9, "{max_p}: {next}");
        }
    }

    #[test]
    fn the_automatic_weight_takes_the_map_to_its_fixed_point() {
        // avg' = (1 - w) avg + w (N K / sqrt(p) - C d); at the target its derivative is 1 - w - w (q + C d) / (2 (q - min)).
        let w = weight_of_a_round_trip(5.0, 10.0, 125.0);
        let derivative = 1.0 - w - w * 135.0 / 10.0;
        assert!(near(derivative, 0.0));
        // 1250 packets/s, 100 ms: 135 packets in a round trip with the target's queue.
        let weight = self_tuning(&[]).red.average.weight();
        assert!(near(libm::pow(1.0 - weight, 135.0), 1.0 - w));
    }

    #[test]
    fn a_weight_that_is_set_stays() {
        assert!(near(self_tuning(&[("w_q", "0.25")]).red.average.weight(), 0.25));
    }

    #[test]
    fn max_p_follows_the_mean_of_a_period() {
        let mut red = self_tuning(&[("w_q", "1")]);
        for waiting in [10, 20] {
            Rig::waiting(waiting).arrive(&mut red, at(0.1));
        }
        red.on_deadline(at(0.5), &mut Rig::waiting(0).view());

        // A mean of 15: 0.1 * 10/5 * (140/135)^2.
        assert!(near(red.red.max_p, 0.2 * (140.0 / 135.0) * (140.0 / 135.0)));
        assert_eq!(red.next_deadline(), Some(at(1.0)));
    }

    #[test]
    fn at_the_target_and_without_arrivals_max_p_stays() {
        let mut red = self_tuning(&[("w_q", "1")]);
        Rig::waiting(10).arrive(&mut red, at(0.1));
        red.on_deadline(at(1.0), &mut Rig::waiting(0).view());

        assert!(near(red.red.max_p, 0.1));
    }

    #[test]
    fn max_p_stays_in_its_bounds() {
        for (waiting, expected) in [(0, 0.001), (5, 0.001), (50, 0.5)] {
            let mut red = self_tuning(&[("w_q", "1"), ("top", "0.5")]);
            Rig::waiting(waiting).arrive(&mut red, at(0.1));
            red.on_deadline(at(0.5), &mut Rig::waiting(0).view());
            assert!(near(red.red.max_p, expected), "{waiting}");
        }
    }

    #[test]
    fn a_target_at_the_lower_threshold_is_refused_by_name() {
        assert_eq!(build(&[("target", "5p")]).map(|_| ()).map_err(|error| error.param), Err("target"));
    }
}
