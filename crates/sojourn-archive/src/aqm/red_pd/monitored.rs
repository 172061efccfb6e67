//! A flow that RED-PD monitors: at which probability it is filtered, how that moves, and whether the flow answers to losses.

use sojourn_queues::aqm::red::Thinning;
use sojourn_queues::units::Instant;

/// Intervals of a flow that are remembered ([Mah01s] Hist_Max_).
const REMEMBERED: usize = 5;

/// The packets that a flow sent in an interval, and the part of them that was lost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seen {
    /// Bytes per second.
    pub rate: f64,
    /// From 0 to 1.
    pub loss: f64,
}

/// A monitored flow.
#[derive(Clone, Debug)]
pub struct Monitored {
    /// Where in its packets the filter is.
    pub thinning: Thinning,
    /// The filter's probability, from 0 to 1.
    pub p: f64,
    /// It does not answer to losses.
    pub unresponsive: bool,
    /// When `p` changed.
    pub changed_at: Instant,
    /// Intervals after which `p` rose, the last one at the end.
    seen: Vec<Seen>,
}

impl Monitored {
    /// Filtered at `p` from now on.
    pub fn new(p: f64, now: Instant) -> Self {
        let seen = Vec::with_capacity(REMEMBERED);
        Monitored { thinning: Thinning::default(), p, unresponsive: false, changed_at: now, seen }
    }

    /// Remembers an interval.
    pub fn remember(&mut self, seen: Seen) {
        if self.seen.len() == REMEMBERED {
            self.seen.remove(0);
        }
        self.seen.push(seen);
    }

    /// Whether the remembered intervals show that the flow does not respond to losses.
    pub fn ignores_losses(&self) -> bool {
        ignores_losses(&self.seen)
    }
}

/// `p + step`, at most twofold; for a flow that does not respond `p + 2 step`, at most threefold. A probability above 1 becomes one that
/// passes half (a third) of the traffic that passed before ([Mah01s] do_detect).
pub fn raised(p: f64, step: f64, unresponsive: bool) -> f64 {
    let (most, step_of) = if unresponsive { (3.0, 2.0) } else { (2.0, 1.0) };
    let risen = if step > p { most * p } else { p + step_of * step };
    if risen > 1.0 { 1.0 - (1.0 - p) / most } else { risen }
}

/// Half of `p`, or less by `most` if that is not as far; for a flow that does not respond, two thirds ([Mah01s] do_reward).
pub fn lowered(p: f64, most: f64, unresponsive: bool) -> f64 {
    let factor = if unresponsive { 1.5 } else { 2.0 };
    if p > factor * most { p - most } else { p / factor }
}

/// If the losses of two intervals differ, by less than tenfold, the one with more losses should have a rate that is smaller by the root of
/// their ratio. The flow does not respond if nearly all pairs say so: at least 3 to none, 4 to one, or four times as many.
fn ignores_losses(seen: &[Seen]) -> bool {
    let (mut good, mut bad) = (0_u32, 0_u32);
    for few in seen {
        for many in seen.iter().filter(|many| few.loss < many.loss && few.loss / many.loss > 0.1) {
            let answers = many.rate / few.rate <= (few.loss / many.loss).sqrt();
            *(if answers { &mut good } else { &mut bad }) += 1;
        }
    }
    match good {
        0 => bad >= 3,
        1 => bad >= 4,
        _ => bad >= 4 * good,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_queues::rig::near;

    #[test]
    fn the_probability_rises_by_the_step_and_at_most_twofold() {
        assert!(near(raised(0.1, 0.04, false), 0.14));
        assert!(near(raised(0.1, 0.1, false), 0.2), "a step of p itself");
        assert!(near(raised(0.1, 0.3, false), 0.2));
        assert!(near(raised(0.1, 0.04, true), 0.18));
        assert!(near(raised(0.1, 0.3, true), 0.3));
    }

    #[test]
    fn past_one_it_goes_half_of_the_way() {
        // 0.6 and 0.5: half of the 0.4 that passed still pass; for a flow that does not respond, a third.
        assert!(near(raised(0.6, 0.5, false), 0.8));
        assert!(near(raised(0.4, 0.5, true), 0.8));
        assert!(near(raised(0.5, 0.5, false), 1.0), "1 itself stays");
    }

    #[test]
    fn the_probability_falls_to_half_and_by_at_most_its_bound() {
        assert!(near(lowered(0.08, 0.05, false), 0.04));
        assert!(near(lowered(0.1, 0.05, false), 0.05));
        assert!(near(lowered(0.3, 0.05, false), 0.25));
        assert!(near(lowered(0.06, 0.05, true), 0.04));
        assert!(near(lowered(0.3, 0.05, true), 0.25));
    }

    #[test]
    fn who_sends_as_much_at_four_times_the_losses_does_not_respond() {
        let at = |rate: f64, loss: f64| Seen { rate, loss };

        // Three intervals are three pairs, all bad: the rate should be half at four times the loss.
        assert!(ignores_losses(&[at(1e5, 0.1), at(1e5, 0.2), at(1e5, 0.4)]));
        assert!(!ignores_losses(&[at(1e5, 0.1), at(1e5, 0.4)]), "two are one pair");
        // At the root itself it responds: three pairs, all good.
        assert!(!ignores_losses(&[at(1e5, 0.1), at(5e4, 0.4), at(2.5e4, 0.9)]));
        // Tenfold losses are not compared.
        assert!(!ignores_losses(&[at(1e5, 0.01), at(1e5, 0.1), at(1e5, 1.0)]));
    }

    #[test]
    fn one_pair_that_responds_needs_four_that_do_not() {
        let at = |rate: f64, loss: f64| Seen { rate, loss };

        // Of four intervals: six pairs; the last one's rate is far less than any root, so that its three pairs are good.
        assert!(!ignores_losses(&[at(9e4, 0.1), at(9e4, 0.15), at(9e4, 0.2), at(1e4, 0.3)]));
        // Only the pair of the last two responds: 5 to 1.
        assert!(ignores_losses(&[at(2e4, 0.1), at(2e4, 0.11), at(9e4, 0.12), at(2e4, 0.9)]));
    }

    #[test]
    fn five_intervals_are_remembered() {
        let mut flow = Monitored::new(0.1, sojourn_queues::rig::at(0.0));
        for loss in [0.1, 0.2, 0.4] {
            flow.remember(Seen { rate: 1e5, loss });
        }
        assert!(flow.ignores_losses());

        for _ in 0..5 {
            flow.remember(Seen { rate: 1e5, loss: 0.3 });
        }
        assert!(!flow.ignores_losses(), "equal losses say nothing");
    }
}
