//! Random numbers: one named, seeded stream per component, so that adding a flow or changing a queue
//! does not disturb the numbers of the others (common random numbers across the queues compared).

use rand_core::{RngCore, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// A stream of random numbers that belongs to one component of a run.
#[derive(Clone, Debug)]
pub struct Rng {
    generator: Xoshiro256PlusPlus,
    supplied: Option<f64>,
}

impl Rng {
    /// The stream called `name` (for example `"queue/forward"`) of the run with `seed`.
    pub fn named(seed: u64, name: &str) -> Self {
        // FNV-1a spreads the name; `seed_from_u64` (SplitMix64) then fills the state.
        let hash = name
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        let mixed = hash ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(31);
        Rng { generator: Xoshiro256PlusPlus::seed_from_u64(mixed), supplied: None }
    }

    /// The next call of [`Rng::uniform`] returns `value` instead of drawing: replay compares
    /// decisions with another implementation on the same numbers.
    pub fn supply(&mut self, value: f64) {
        self.supplied = Some(value);
    }

    /// Discards a supplied number that was not drawn.
    pub fn clear_supplied(&mut self) {
        self.supplied = None;
    }

    /// Uniform in [0, 1), 53 bits.
    pub fn uniform(&mut self) -> f64 {
        if let Some(value) = self.supplied.take() {
            return value;
        }
        (self.generator.next_u64() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// Uniform whole number in `0..n`.
    ///
    /// # Panics
    /// If `n` is zero.
    pub fn below(&mut self, n: u64) -> u64 {
        assert!(n > 0, "nothing to choose from");
        ((self.uniform() * n as f64) as u64).min(n - 1)
    }

    /// Exponential with the given mean, in the mean's unit.
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -mean * libm::log(1.0 - self.uniform())
    }

    /// Pareto with the given shape and scale (its least value).
    pub fn pareto(&mut self, shape: f64, scale: f64) -> f64 {
        scale * libm::pow(1.0 - self.uniform(), -1.0 / shape)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_differ_by_name_and_by_seed_and_repeat() {
        let first = |seed, name| Rng::named(seed, name).uniform();

        assert_eq!(first(1, "a").to_bits(), first(1, "a").to_bits());
        assert_ne!(first(1, "a").to_bits(), first(1, "b").to_bits());
        assert_ne!(first(1, "a").to_bits(), first(2, "a").to_bits());
    }

    #[test]
    fn uniform_has_the_mean_and_variance_of_the_uniform_law() {
        let mut rng = Rng::named(7, "test");
        let n = 100_000;
        let draws: Vec<f64> = (0..n).map(|_| rng.uniform()).collect();
        let mean = draws.iter().sum::<f64>() / f64::from(n);
        let variance = draws.iter().map(|u| (u - mean).powi(2)).sum::<f64>() / f64::from(n);

        // Four standard errors: 4 * sqrt(1/12 / n) and 4 * sqrt(1/180 / n).
        assert!((mean - 0.5).abs() < 0.0037, "{mean}");
        assert!((variance - 1.0 / 12.0).abs() < 0.001, "{variance}");
    }
}
