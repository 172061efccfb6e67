//! The common part of CUBIC's forms in whole numbers ([`super::cubic_linux26`], [`super::cubic_kernel`]): Linux's cubic function in 1/1024
//! s and Reno's window beside it, whether these count acknowledgements or segments.

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
    /// Acknowledgements (or segments) that Reno's window has not counted yet, and that window.
    uncounted: u64,
    w_est: u64,
}

impl Epoch {
    /// An epoch begins at `now`, in milliseconds, with the window `cwnd`. `acked` has been acknowledged in that window. `root` is a cube
    /// root.
    pub fn begin(params: &Params, now: u64, cwnd: u64, w_max: u64, acked: u64, root: fn(u64) -> u64) -> Self {
        let steepness = steepness(params.c);
        // K^3 = (W_max - cwnd) / C, in 1/1024 s and tenths of a second.
        let cube = (1_u64 << 40) / steepness;
        let k = root(cube.saturating_mul(w_max.saturating_sub(cwnd)));
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

/// The cube root, rounded down.
pub(super) fn cube_root(of: u64) -> u64 {
    libm::cbrt(of as f64) as u64
}

/// The next plateau and the threshold after a cut at this window, `beta` in 1/1024.
pub(super) fn cut(params: &Params, cwnd: u64, beta: u64, w_max: u64) -> (u64, u64) {
    let gives_way = params.fast_convergence && cwnd < w_max;
    let plateau = if gives_way { cwnd * (SCALE + beta) / (2 * SCALE) } else { cwnd };
    (plateau, (cwnd * beta / SCALE).max(2))
}
