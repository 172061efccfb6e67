//! CUBIC in whole numbers ([`super::cubic_kernel`]): Linux's cubic function in 1/1024 s, and Reno's window beside it.

use super::cubic_settings::Params;
use crate::units::Instant;

/// Milliseconds between two computations for the same window (`HZ / 32`).
pub(super) const PAUSE: u64 = 31;
/// Milliseconds after a cut in which round trips are not measured.
pub(super) const UNMEASURED: u64 = 1000;
/// 1024, by which C and beta are scaled, and a second of the function's clock.
pub(super) const SCALE: u64 = 1024;

/// Whole milliseconds.
pub(super) fn millis(at: Instant) -> u64 {
    at.as_nanos() / 1_000_000
}

/// C in 1/1024 per tenth of a second.
fn steepness(c: f64) -> u64 {
    10 * (libm::round(c * SCALE as f64 / 10.0) as u64).max(1)
}

/// A stage of congestion avoidance.
#[derive(Clone, Copy, Debug)]
pub(super) struct Epoch {
    /// In milliseconds.
    pub start: u64,
    /// Time to the plateau in 1/1024 s.
    pub k: u64,
    plateau: u64,
    steepness: u64,
    /// Segments that Reno's window has not counted yet, and that window.
    uncounted: u64,
    w_est: u64,
}

impl Epoch {
    /// An epoch begins at `now`, in milliseconds, with the window `cwnd`. `acked` has been acknowledged in that window.
    pub fn begin(params: &Params, now: u64, cwnd: u64, w_max: u64, acked: u64) -> Self {
        let steepness = steepness(params.c);
        // K^3 = (W_max - cwnd) / C, in 1/1024 s and tenths of a second.
        let cube = (1_u64 << 40) / steepness;
        let k = cube_root(cube.saturating_mul(w_max.saturating_sub(cwnd)));
        Epoch { start: now, k, plateau: w_max.max(cwnd), steepness, uncounted: acked, w_est: cwnd }
    }

    /// The amount that has been acknowledged since.
    pub fn count(&mut self, acked: u64) {
        self.uncounted += acked;
    }

    /// After how much that is acknowledged the function is met by one more segment, `t`/1024 seconds after the cut.
    pub fn needed(&self, cwnd: u64, t: u64) -> u64 {
        let target = self.target(t);
        if target > cwnd { cwnd / (target - cwnd) } else { 100 * cwnd }
    }

    /// The cubic function `t`/1024 seconds after the cut.
    fn target(&self, t: u64) -> u64 {
        let way = u128::from(t.abs_diff(self.k));
        let delta = (u128::from(self.steepness) * way * way * way) >> 40;
        let delta = u64::try_from(delta).unwrap_or(u64::MAX);
        if t < self.k { self.plateau.saturating_sub(delta) } else { self.plateau.saturating_add(delta) }
    }

    /// The same as [`needed`](Self::needed) for Reno's window at this decrease, `beta` in 1/1024.
    pub fn reno(&mut self, cwnd: u64, beta: u64) -> u64 {
        let eighths = 8 * (SCALE + beta) / 3 / (SCALE - beta).max(1);
        let each = (cwnd * eighths / 8).max(1);
        // One that is just full waits for the next.
        let steps = self.uncounted.saturating_sub(1) / each;
        self.uncounted -= steps * each;
        self.w_est += steps;
        if self.w_est > cwnd { cwnd / (self.w_est - cwnd) } else { u64::MAX }
    }
}

/// First guesses of 64 times the cube root of 8, 9, ... 63. They follow from results of Linux's function
/// (`evidence/linux/programs/cube_root.py`); they are 3 % too large, so that the square of their error makes up for the third below.
const GUESSES: [u64; 56] = [
    133, 139, 144, 148, 153, 157, 161, 166, 167, 171, 174, 178, 180, 183, 186, 189, 191, 195, 197, 200, 202, 204, 207,
    209, 210, 212, 214, 216, 219, 221, 223, 225, 227, 229, 231, 232, 234, 235, 237, 239, 241, 242, 244, 246, 247, 249,
    250, 252, 254, 255, 256, 258, 260, 261, 262, 264,
];

/// Linux's cube root: a first guess from the upper four to six bits, and one step of Newton's method, in which a third is 341/1024, and so
/// 0.1 % short.
fn cube_root(of: u64) -> u64 {
    let guess = |upper: u64| GUESSES[upper as usize - 8];
    match of {
        0..8 => [0, 1, 1, 1, 2, 2, 2, 2][of as usize],
        8..64 => (guess(of) + 25) >> 6,
        _ => {
            let bits = u64::from(u64::BITS - of.leading_zeros());
            let thirds = ((84 * bits) >> 8) - 1;
            let x = (guess(of >> (3 * thirds)) << thirds) >> 6;
            ((2 * x + of / (x * (x - 1))) * 341) >> 10
        }
    }
}

/// The next plateau and the threshold after a cut at this window, `beta` in 1/1024.
pub(super) fn cut(params: &Params, cwnd: u64, beta: u64, w_max: u64) -> (u64, u64) {
    let gives_way = params.fast_convergence && cwnd < w_max;
    let plateau = if gives_way { cwnd * (SCALE + beta) / (2 * SCALE) } else { cwnd };
    (plateau, (cwnd * beta / SCALE).max(2))
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_cube_root_is_that_of_linux() {
        // A third is 341/1024, which is 0.1 % short; the step adds the square of the guess's error, which is 4 % at most.
        // K of a window that is 1, 30 and 500 segments below its plateau.
        for below in [1, 30, 500] {
            let of = (1_u64 << 40) / 410 * below;
            let short = super::cube_root(of) as f64 / libm::cbrt(of as f64) - 1.0;
            assert!((-0.0018..0.0016).contains(&short), "{below}: {short}");
        }
        // Results of Linux: `evidence/linux/programs/cube_root.py --write`.
        for line in include_str!("cubic_roots.txt").lines() {
            let (of, root) = line.split_once(' ').expect("a number and its root");
            assert_eq!(
                Ok(super::cube_root(of.parse().expect("a number"))),
                root.parse::<u64>(),
                "the cube root of {of}"
            );
        }
    }
}
