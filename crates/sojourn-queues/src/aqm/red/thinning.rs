//! Evenly spaced drops of one flow before a queue. The probability of a drop grows with the packets since the last one, so that distances
//! are uniform. Specification: ns-2 2.35 `Queue/RED/PD`, the filter of RED-PD.

use super::{Count, p_a};
use crate::rng::Rng;

/// How a flow is thinned out.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Thinning {
    /// Packets since the last one that was dropped.
    count: u64,
}

impl Thinning {
    /// Whether the packet that has arrived is dropped, at a probability `p` from 0 to 1. One that is `spared` is not, but it counts. A
    /// number is drawn wherever `p` is above 0.
    ///
    /// `p / (1 - count p)`, with `count` packets since the last drop without this one: distances are uniform from 1 to 1/p, in
    /// the mean (1 + 1/p) / 2, so that nearly 2 p of all packets are dropped.
    pub fn drops(&mut self, p: f64, spared: bool, rng: &mut Rng) -> bool {
        if p <= 0.0 {
            return false;
        }
        // ns-2 drops at U <= p.
        let hit = rng.uniform() <= p_a(Count::On, self.count as f64, p) && !spared;
        self.count = if hit { 0 } else { self.count + 1 };
        hit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a packet that draws `u` is dropped at a probability of 1/4.
    fn drops(thinning: &mut Thinning, u: f64, spared: bool) -> bool {
        let mut rng = Rng::named(1, "test");
        rng.supply(u);
        thinning.drops(0.25, spared, &mut rng)
    }

    #[test]
    fn the_chance_rises_until_the_last_packet_is_certain() {
        let mut thinning = Thinning::default();

        // 1/4, 1/3, 1/2, 1.
        assert!(!drops(&mut thinning, 0.2501, false));
        assert!(!drops(&mut thinning, 0.3334, false));
        assert!(!drops(&mut thinning, 0.5001, false));
        assert!(drops(&mut thinning, 0.999_999, false));
        assert!(drops(&mut thinning, 0.25, false), "it starts anew, and at the probability itself it drops");
    }

    #[test]
    fn what_is_spared_counts() {
        let mut thinning = Thinning::default();
        for _ in 0..3 {
            assert!(!drops(&mut thinning, 0.0, true));
        }

        assert!(drops(&mut thinning, 0.999_999, false));
    }

    #[test]
    fn a_probability_of_zero_draws_nothing() {
        let (mut thinning, mut rng) = (Thinning::default(), Rng::named(1, "test"));
        rng.supply(0.125);

        assert!(!thinning.drops(0.0, false, &mut rng));

        assert!((rng.uniform() - 0.125).abs() < 1e-15);
    }

    #[test]
    fn nearly_twice_the_probability_is_dropped() {
        // Distances 1 to 10 at 1/10, in the mean 5.5: 18182 of 100 000, whose variance is n 8.25 / 5.5^3: four deviations are 282.
        let (mut thinning, mut rng) = (Thinning::default(), Rng::named(1, "test"));

        let dropped = (0..100_000).filter(|_| thinning.drops(0.1, false, &mut rng)).count();

        assert!((dropped as f64 - 18_182.0).abs() < 282.0, "{dropped}");
    }
}
