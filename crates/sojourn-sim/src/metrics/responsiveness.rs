//! Round trips per minute: how responsive a network is under load.
//!
//! Specification: draft-ietf-ippm-responsiveness-09 sections 5.2 to 5.4.1.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | The measured window is the last `MAD` intervals, so that an interval is a fourth of it: 5 s where it lasts 20 s | a scenario says when it ends; a tool ends when its numbers are stable | `stable_numbers_are_told_from_others` |
//! | The load is that of the scenario; a tool adds connections until the goodput no longer rises | a scenario's flows are known before it runs | |
//! | A request on a loaded connection takes as long as TCP's round trip there | the draft allows it where requests cannot be multiplexed; no source here writes two streams into one connection | |
//! | The moving averages take all samples of loaded connections and not the lowest 95 % | the series keeps sums | |

use super::fairness::{ratio, standard_deviation};

/// Moving average distance: intervals that a moving average takes together.
pub const MAD: usize = 4;
/// Share of the samples that a trimmed mean keeps: the longest are left out.
pub const TMP: f64 = 0.95;
/// Milliseconds in a minute.
const MINUTE_MS: f64 = 60_000.0;

/// How long the exchanges of a probe took, in milliseconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Exchanges {
    /// Opening connections.
    pub tcp: Vec<f64>,
    /// TLS, for each round trip.
    pub tls: Vec<f64>,
    /// Request and answer.
    pub http: Vec<f64>,
}

/// The mean of the samples without the longest 5 %; NaN without samples.
pub fn trimmed_mean(samples: &[f64]) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted.truncate(libm::ceil(TMP * sorted.len() as f64) as usize);
    ratio(sorted.iter().sum(), sorted.len() as f64)
}

/// The trimmed mean of values that have weights.
pub fn trimmed_mean_of_weighted(mut values: Vec<(f64, f64)>) -> f64 {
    values.sort_unstable_by(|one, other| one.0.total_cmp(&other.0));
    let kept = TMP * values.iter().map(|(_, weight)| weight).sum::<f64>();
    let (mut left, mut sum) = (kept, 0.0);
    for (value, weight) in values {
        let taken = weight.min(left);
        sum += value * taken;
        left -= taken;
    }
    ratio(sum, kept)
}

/// Round trips per minute on connections of their own; all in milliseconds, without TLS the formula for TCP alone.
pub fn foreign_rpm(tcp_ms: f64, tls_ms: Option<f64>, http_ms: f64) -> f64 {
    // Section 5.3.1: 60000 / ((TM(tcp_f) + TM(tls_f) + TM(http_f)) / 3), of TCP alone 60000 / ((TM(tcp_f) + TM(http_f)) / 2).
    let mean = match tls_ms {
        Some(tls_ms) => (tcp_ms + tls_ms + http_ms) / 3.0,
        None => f64::midpoint(tcp_ms, http_ms),
    };
    MINUTE_MS / mean
}

/// Round trips per minute on connections that load the network.
pub fn loaded_rpm(http_ms: f64) -> f64 {
    // Section 5.3.1: 60000 / TM(http_l).
    MINUTE_MS / http_ms
}

/// The responsiveness.
pub fn rpm(foreign: f64, loaded: f64) -> f64 {
    f64::midpoint(foreign, loaded)
}

impl Exchanges {
    /// [`foreign_rpm`] of their trimmed means.
    pub fn rpm(&self, tls: bool) -> f64 {
        foreign_rpm(trimmed_mean(&self.tcp), tls.then(|| trimmed_mean(&self.tls)), trimmed_mean(&self.http))
    }
}

/// Standard deviation (n in the denominator) of the last moving averages as a share of the last one; the draft calls them stable
/// where it is below 5 %.
pub fn deviation(averages: &[f64]) -> f64 {
    let (sum, squares) = (averages.iter().sum(), averages.iter().map(|x| x * x).sum());
    ratio(standard_deviation(averages.len() as f64, sum, squares), averages.last().copied().unwrap_or(f64::NAN))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constant_delay_of_d_ms_gives_60000_over_d() {
        for d in [1.0, 10.0, 60.0, 200.0] {
            let of_probes = Exchanges { tcp: vec![d; 40], tls: vec![d; 40], http: vec![d; 40] };
            let expected = 60_000.0 / d;
            assert!((of_probes.rpm(true) - expected).abs() < 1e-9);
            assert!((of_probes.rpm(false) - expected).abs() < 1e-9);
            assert!((rpm(expected, loaded_rpm(d)) - expected).abs() < 1e-9);
        }
    }

    #[test]
    fn the_trimmed_mean_leaves_out_the_longest_twentieth() {
        // 1 to 100 without 96 to 100: 48.
        let ramp: Vec<f64> = (1..=100).rev().map(f64::from).collect();
        assert!((trimmed_mean(&ramp) - 48.0).abs() < 1e-12);
        // One outlier of 20 goes, and of 19 none: 0.95 * 19 is 18.05.
        let with_outlier = |n: usize| [vec![10.0; n - 1], vec![1000.0]].concat();
        assert!((trimmed_mean(&with_outlier(20)) - 10.0).abs() < 1e-12);
        assert!(trimmed_mean(&with_outlier(19)) > 60.0);
        // 0.5 of each of two values: 0.95 are kept, 0.5 and 0.45.
        assert!((trimmed_mean_of_weighted(vec![(20.0, 0.5), (10.0, 0.5)]) - 14.0 / 0.95).abs() < 1e-12);
        assert!(trimmed_mean(&[]).is_nan());
    }

    #[test]
    fn foreign_and_loaded_round_trips_weigh_the_same() {
        // Section 5.3.1: 60000 / ((40 + 50 + 30) / 3) = 1500, 60000 / 120 = 500.
        assert!((rpm(foreign_rpm(40.0, Some(50.0), 30.0), loaded_rpm(120.0)) - 1000.0).abs() < 1e-9);
        assert!((foreign_rpm(40.0, None, 20.0) - 2000.0).abs() < 1e-9);
    }

    #[test]
    fn stable_numbers_are_told_from_others() {
        assert!(deviation(&[100.0, 101.0, 99.0, 100.0]) < 0.05);
        assert!(deviation(&[100.0, 120.0, 140.0, 160.0]) > 0.05);
        assert!(deviation(&[]).is_nan());
    }
}
