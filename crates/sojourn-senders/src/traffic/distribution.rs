//! How periods, pauses and sizes are distributed. Every source draws from here.

use crate::choices;
use crate::rng::Rng;
use crate::units::Duration;

choices! {
    /// A distribution with a given mean.
    pub enum Law {
        /// Always the mean.
        Fixed = "fixed",
        /// Exponential.
        Exponential = "exponential",
        /// Pareto: 1 - (scale/x)^shape above the scale, which follows from mean and shape.
        Pareto = "pareto",
    }
}

impl Law {
    /// A draw, in the unit of `mean`. Only [`Law::Pareto`] has a `shape`, which is above 1 (below,
    /// there is no mean).
    pub fn draw(self, mean: f64, shape: f64, rng: &mut Rng) -> f64 {
        match self {
            Law::Fixed => mean,
            Law::Exponential => rng.exponential(mean),
            // The mean of a Pareto law is scale * shape / (shape - 1).
            Law::Pareto => rng.pareto(shape, mean * (shape - 1.0) / shape),
        }
    }

    /// The same for a time.
    pub fn draw_time(self, mean: Duration, shape: f64, rng: &mut Rng) -> Duration {
        match self {
            Law::Fixed => mean,
            Law::Exponential | Law::Pareto => Duration::from_secs_f64(self.draw(mean.as_secs_f64(), shape, rng)),
        }
    }

    /// A number of packets: a draw rounded up, so that there is at least one. For a Pareto law this
    /// is ns-2's floor(x) + 1.
    pub fn draw_packets(self, mean: u64, shape: f64, rng: &mut Rng) -> u64 {
        match self {
            Law::Fixed => mean,
            Law::Exponential | Law::Pareto => (libm::ceil(self.draw(mean as f64, shape, rng)) as u64).max(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const N: usize = 200_000;

    fn draws(law: Law, mean: f64, shape: f64) -> Vec<f64> {
        let mut rng = Rng::named(1, "test");
        (0..N).map(|_| law.draw(mean, shape, &mut rng)).collect()
    }

    fn mean(draws: &[f64]) -> f64 {
        draws.iter().sum::<f64>() / draws.len() as f64
    }

    fn fraction_above(draws: &[f64], bound: f64) -> f64 {
        draws.iter().filter(|draw| **draw > bound).count() as f64 / draws.len() as f64
    }

    /// Four standard errors of an observed fraction `p`.
    fn tolerance(p: f64) -> f64 {
        4.0 * libm::sqrt(p * (1.0 - p) / N as f64)
    }

    #[test]
    fn exponential_draws_have_its_mean_and_its_tail() {
        let draws = draws(Law::Exponential, 2.0, 0.0);

        // Standard deviation 2: four standard errors are 8 / sqrt(N).
        assert!((mean(&draws) - 2.0).abs() < 8.0 / libm::sqrt(N as f64));
        for bound in [1.0, 4.0, 8.0] {
            let p = libm::exp(-bound / 2.0);
            assert!((fraction_above(&draws, bound) - p).abs() < tolerance(p), "above {bound}");
        }
    }

    #[test]
    fn pareto_draws_have_its_mean_its_scale_and_its_tail() {
        // Shape 3 has a variance: scale^2 shape / ((shape - 1)^2 (shape - 2)) with scale 4/3.
        let (mean_set, shape, scale) = (2.0, 3.0, 4.0 / 3.0);
        let draws = draws(Law::Pareto, mean_set, shape);

        let sd = libm::sqrt(scale * scale * shape / 4.0);
        assert!((mean(&draws) - mean_set).abs() < 4.0 * sd / libm::sqrt(N as f64));
        assert!(draws.iter().all(|draw| *draw >= scale));
        for bound in [2.0, 4.0, 10.0] {
            let p = libm::pow(scale / bound, shape);
            assert!((fraction_above(&draws, bound) - p).abs() < tolerance(p), "above {bound}");
        }
    }

    #[test]
    fn a_heavy_tail_without_variance_has_the_right_fractions() {
        // Shape 1.2, mean 15 packets: scale 2.5. The mean converges too slowly to be tested.
        let draws = draws(Law::Pareto, 15.0, 1.2);

        for bound in [5.0, 15.0, 150.0, 1500.0] {
            let p = libm::pow(2.5 / bound, 1.2);
            assert!((fraction_above(&draws, bound) - p).abs() < tolerance(p), "above {bound}");
        }
    }

    #[test]
    fn packets_are_whole_and_at_least_one() {
        let mut rng = Rng::named(2, "test");
        let draws: Vec<u64> = (0..N).map(|_| Law::Exponential.draw_packets(1, 0.0, &mut rng)).collect();

        // Rounded up, an exponential of mean 1 is geometric: one packet with 1 - 1/e.
        let p = 1.0 - libm::exp(-1.0);
        let ones = draws.iter().filter(|n| **n == 1).count() as f64 / N as f64;
        assert!((ones - p).abs() < tolerance(p));
        assert!(draws.iter().all(|n| *n >= 1));
        assert_eq!(Law::Fixed.draw_packets(7, 0.0, &mut rng), 7);
    }
}
