//! A queue of your own: it drops at random, ever more likely the more of its buffer is full.
//!
//! The file has the form that every queue of Sojourn has: the entry, the parameters, the policy, the law as a pure function,
//! tests. What a file of Sojourn's own registry adds to a list, [`registry`] hands over at run time.

use sojourn_queues::queue::prelude::*;
use sojourn_sim::registry::Registry;

/// The entry: what scenarios, messages and the reference know of it.
pub static ENTRY: QueueEntry = QueueEntry {
    name: "ramp",
    title: "Ramp",
    doc: "Drops at random, with a probability that rises from 0 to a greatest value with the share of the buffer that is full.",
    reference: "an example of Sojourn's",
    presets: presets! {
        /// Certain drops when the buffer is full.
        steep = { max_p = "1" };
    },
    ..QueueEntry::of_policy::<Params>()
};

params! {
    /// Parameters of the ramp.
    pub struct Params {
        /// The largest backlog, without the packet in transmission.
        limit: Size = "100p" in [1.0, 1e9], "ours";
        /// Share of the buffer below which nothing is dropped.
        start: Fraction = "20%" in [0.0, 0.99], "ours";
        /// Probability when the buffer is full.
        max_p: Fraction = "0.1" in [0.0, 1.0], "ours";
        /// Mark ECN-capable packets instead of dropping them.
        ecn: bool = "false", "ours";
    }
}

impl PolicyParams for Params {
    type Policy = Ramp;

    fn policy(&self, link: &LinkContext) -> Result<Ramp, BuildError> {
        Ok(Ramp { params: self.clone(), limit: link.packets(self.limit) })
    }
}

/// The policy.
#[derive(Clone, Debug)]
pub struct Ramp {
    params: Params,
    /// In packets.
    limit: f64,
}

/// Probability of a drop while `share` of the buffer is full: nothing up to `start`, then a straight line to `max_p`.
fn probability(share: f64, start: f64, max_p: f64) -> f64 {
    max_p * ((share - start) / (1.0 - start)).clamp(0.0, 1.0)
}

impl Policy for Ramp {
    fn on_arrival(&mut self, _now: Instant, _packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        let Params { start, max_p, ecn, .. } = self.params;
        let p = probability(queue.packets() as f64 / self.limit, start.0, max_p.0);
        match rng.uniform() < p {
            true if ecn => Verdict::Mark(Reason::EARLY),
            true => Verdict::Drop(Reason::EARLY),
            false => Verdict::Pass,
        }
    }

    fn decides_on_arrival(&self) -> bool {
        true
    }
}

/// The names that scenarios may use: all that comes with Sojourn, and this queue.
///
/// # Errors
/// If the name is taken.
pub fn registry() -> Result<Registry, String> {
    Registry::with(&[&ENTRY], &[]).map_err(|complaint| complaint.what)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_queues::conformance::suite::PROMISES;

    #[test]
    fn it_keeps_what_every_queue_keeps() {
        for promise in PROMISES {
            assert_eq!((promise.check)(&ENTRY), Ok(()), "{}", promise.name);
        }
    }

    #[test]
    fn the_probability_is_a_straight_line_above_the_start() {
        assert_eq!([0.0, 0.2, 1.0, 1.5].map(|share| probability(share, 0.2, 0.1)), [0.0, 0.0, 0.1, 0.1]);
        assert!((probability(0.6, 0.2, 0.1) - 0.05).abs() < 1e-12);
    }
}
