//! The effects on a packet between the transmitter and the other end of a link: corruption, a delay
//! that varies, a rate, a delay and losses that change at given times.
//!
//! A link with a wire is always a [`QueueLink`](super::queue_link::QueueLink): the fate of a packet on it depends on the moment of
//! transmission, so it is never known on arrival.

use super::link_plan::{ChangePlan, JitterLaw, JitterPlan, LossPlan, WirePlan};
use super::loss::LossModel;
use crate::mechanism::framing::Framing;
use crate::rng::Rng;
use crate::units::{Duration, Instant, Rate};

/// The variations on a link.
pub struct Wire {
    loss: Option<Box<dyn LossModel>>,
    losses: Rng,
    jitter: Option<(JitterPlan, Rng)>,
    changes: Vec<ChangePlan>,
    /// Changes that have happened.
    changed: usize,
    /// When the last packet arrives; `None` if packets may overtake each other.
    last_arrival: Option<Instant>,
    /// The bytes of packets on the line beyond their own, if there are any.
    framing: Option<Framing>,
    /// Whether packets wait for a medium that other links use, too.
    contends: bool,
}

impl Wire {
    /// The wire of the link called `name` in the run with `seed`.
    pub fn new(plan: &WirePlan, seed: u64, name: &str) -> Self {
        let stream = |what: &str| Rng::named(seed, &format!("link/{name}/{what}"));
        Wire {
            loss: plan.loss.as_ref().map(model),
            losses: stream("loss"),
            jitter: plan.jitter.map(|jitter| (jitter, stream("jitter"))),
            changes: plan.changes.clone(),
            changed: 0,
            last_arrival: (!plan.reorders()).then_some(Instant::ZERO),
            framing: plan.framing.clone(),
            contends: plan.medium.is_some(),
        }
    }

    /// Bytes that a packet of `size` bytes takes on the line.
    pub fn framed(&self, size: u32) -> u32 {
        self.framing.as_ref().map_or(size, |framing| framing.framed(size))
    }

    /// Whether packets wait for a medium that other links use, too.
    pub fn contends(&self) -> bool {
        self.contends
    }

    /// Rate and delay of a transmission that starts at `now`, where they are others than before. Its losses are those of `now`, too.
    pub fn changes_until(&mut self, now: Instant) -> (Option<Rate>, Option<Duration>) {
        let (mut rate, mut delay) = (None, None);
        while let Some(change) = self.changes.get(self.changed)
            && Instant::ZERO + change.at <= now
        {
            rate = change.rate.or(rate);
            delay = change.delay.or(delay);
            if let Some(loss) = &change.loss {
                self.loss = Some(model(loss));
            }
            self.changed += 1;
        }
        (rate, delay)
    }

    /// When a packet of `size` bytes that would arrive at `due` does so; `None` if it is corrupted.
    pub fn arrival(&mut self, due: Instant, size: u32) -> Option<Instant> {
        let corrupted = self.loss.as_mut().is_some_and(|model| model.corrupts(size, &mut self.losses));
        let extra = self.jitter.as_mut().map_or(Duration::ZERO, |(jitter, rng)| draw(jitter, rng));
        if corrupted {
            return None;
        }
        let mut arrival = due + extra;
        if let Some(last) = &mut self.last_arrival {
            arrival = arrival.max(*last);
            *last = arrival;
        }
        Some(arrival)
    }
}

fn model(loss: &LossPlan) -> Box<dyn LossModel> {
    (loss.entry.build)(&loss.args)
}

fn draw(jitter: &JitterPlan, rng: &mut Rng) -> Duration {
    let mean = jitter.mean.as_secs_f64();
    Duration::from_secs_f64(match jitter.law {
        JitterLaw::Uniform => 2.0 * mean * rng.uniform(),
        JitterLaw::Exponential => rng.exponential(mean),
    })
}

/// Mean rate in bit/s from `from` to `to` of a link that begins with `rate`.
pub fn mean_rate(rate: Rate, changes: &[ChangePlan], from: Instant, to: Instant) -> f64 {
    let mut rate = rate.as_bps() as f64;
    let (mut since, mut bits) = (from, 0.0);
    let steps = changes.iter().filter_map(|change| Some((Instant::ZERO + change.at, change.rate?)));
    for (at, next) in steps.take_while(|(at, _)| *at < to) {
        bits += rate * at.since(since).as_secs_f64();
        since = since.max(at);
        rate = next.as_bps() as f64;
    }
    if since == from {
        return rate; // The same all the time: no rounding.
    }
    (bits + rate * to.since(since).as_secs_f64()) / to.since(from).as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::loss::LOSSES;
    use crate::params::Args;
    use crate::rig::at_millis as at;

    const MILLI: Duration = Duration::from_millis(1);

    fn wire(law: JitterLaw, reorder: bool) -> Wire {
        let jitter = Some(JitterPlan { mean: MILLI * 5, law, reorder });
        Wire::new(&WirePlan { jitter, ..WirePlan::default() }, 1, "test")
    }

    fn delays(wire: &mut Wire, n: u64, spacing: u64) -> Vec<f64> {
        (0..n)
            .map(|i| {
                let arrival = wire.arrival(at(i * spacing), 1000).expect("nothing is lost here");
                arrival.since(at(i * spacing)).as_secs_f64()
            })
            .collect()
    }

    #[test]
    fn jitter_has_its_mean_and_its_law() {
        let n = 100_000_u32;
        // Far apart, packets do not push each other. Standard deviations: 10 ms / sqrt(12) and 5 ms.
        for (law, sd) in [(JitterLaw::Uniform, 10e-3 / libm::sqrt(12.0)), (JitterLaw::Exponential, 5e-3)] {
            let delays = delays(&mut wire(law, false), u64::from(n), 1000);
            let mean = delays.iter().sum::<f64>() / f64::from(n);
            assert!((mean - 5e-3).abs() < 4.0 * sd / libm::sqrt(f64::from(n)), "{law:?}: {mean}");
            let p = if law == JitterLaw::Uniform { 0.2 } else { libm::exp(-1.6) };
            let seen = delays.iter().filter(|delay| **delay > 8e-3).count() as f64 / f64::from(n);
            assert!((seen - p).abs() < 4.0 * libm::sqrt(p * (1.0 - p) / f64::from(n)), "{law:?}: {seen}");
        }
    }

    #[test]
    fn packets_overtake_each_other_only_where_it_is_said() {
        let arrivals = |reorder| -> Vec<Instant> {
            let mut wire = wire(JitterLaw::Uniform, reorder);
            (0..1000).map(|i| wire.arrival(at(i), 1000).expect("nothing is lost here")).collect()
        };
        assert!(arrivals(false).windows(2).all(|pair| pair[0] <= pair[1]));
        assert!(arrivals(true).windows(2).any(|pair| pair[0] > pair[1]));
    }

    #[test]
    fn changes_hold_from_their_time_on() {
        let change = |millis, rate: Option<u64>, delay: Option<u64>| ChangePlan {
            at: MILLI * millis,
            rate: rate.map(Rate::from_bps),
            delay: delay.map(Duration::from_millis),
            loss: None,
        };
        let changes = vec![change(10, Some(1000), None), change(20, None, Some(3)), change(30, Some(500), None)];
        let mut wire = Wire::new(&WirePlan { changes: changes.clone(), ..WirePlan::default() }, 1, "test");

        assert_eq!(wire.changes_until(at(9)), (None, None));
        assert_eq!(wire.changes_until(at(10)), (Some(Rate::from_bps(1000)), None));
        assert_eq!(wire.changes_until(at(40)), (Some(Rate::from_bps(500)), Some(MILLI * 3)));

        // 2000 bit/s until 10 ms, 1000 until 30 ms, then 500: from 5 to 35 ms (5 * 2 + 20 + 5 / 2) / 30 kbit/s.
        let mean = mean_rate(Rate::from_bps(2000), &changes, at(5), at(35));
        assert!((mean - 32.5e3 / 30.0).abs() < 1e-9, "{mean}");
        assert_eq!(mean_rate(Rate::from_bps(2000), &changes, at(1), at(9)).to_bits(), 2000.0_f64.to_bits());
        assert_eq!(mean_rate(Rate::from_bps(2000), &changes, at(31), at(99)).to_bits(), 500.0_f64.to_bits());
    }

    #[test]
    fn losses_begin_and_end_at_their_times() {
        let uniform = |millis, probability: &str| {
            let entry = *LOSSES.iter().find(|entry| entry.name == "uniform").expect("it is there");
            let mut args = Args::defaults(entry.params);
            args.set_text("probability", probability).expect("a share");
            ChangePlan { at: MILLI * millis, rate: None, delay: None, loss: Some(LossPlan { entry, args }) }
        };
        let changes = vec![uniform(10, "1"), uniform(20, "0")];
        let mut wire = Wire::new(&WirePlan { changes, ..WirePlan::default() }, 1, "test");
        let lost: Vec<u64> = (0..30)
            .filter(|millis| {
                wire.changes_until(at(*millis));
                wire.arrival(at(*millis), 1000).is_none()
            })
            .collect();
        assert_eq!(lost, (10..20).collect::<Vec<_>>());
    }

    #[test]
    fn packets_stay_in_order_when_the_delay_falls() {
        let mut wire = Wire::new(&WirePlan::default(), 1, "test");
        assert_eq!(wire.arrival(at(100), 1000), Some(at(100)));
        assert_eq!(wire.arrival(at(20), 1000), Some(at(100)));
    }
}
