//! The detection of a bottleneck that marks like a classic queue. Compared with: `tcp_prague.c` 0.6, `prague_classic_ecn_detection`
//! (behaviour), with real numbers.

use crate::units::Duration;

/// The variation of round trips and the queue beyond which each counts for a classic bottleneck, in seconds, and the weight of both.
const VARIATION: f64 = 750e-6;
const DEPTH: f64 = 2e-3;
const PART: f64 = 0.5;
/// The score up to which the bottleneck counts as L4S. One more, and it counts as classic.
const L4S: f64 = 8.0;
const MOST: f64 = 17.0;
/// The estimate of marks at a classic bottleneck.
const CLASSIC_ALPHA: f64 = 0.625;
/// The largest exponent of the averages' weight, which is the one before the first cut.
const SLOWEST: i32 = 18;

/// Slow averages of the round trip, and the score.
#[derive(Clone, Debug)]
pub(super) struct Detection {
    exponent: i32,
    average: Option<f64>,
    deviation: f64,
    least: f64,
    score: f64,
}

impl Detection {
    pub fn new() -> Self {
        Detection { exponent: SLOWEST, average: None, deviation: 0.0, least: f64::INFINITY, score: 0.0 }
    }

    /// A round trip has been measured.
    pub fn on_round_trip(&mut self, rtt: Duration) {
        let rtt = rtt.as_secs_f64();
        self.least = self.least.min(rtt);
        let Some(average) = &mut self.average else {
            self.average = Some(rtt);
            // One microsecond.
            self.deviation = 1e-6;
            return;
        };
        let weight = libm::exp2(f64::from(-self.exponent));
        let error = rtt - *average;
        *average += weight * error;
        self.deviation += weight / 2.0 * (error.abs() - self.deviation);
    }

    /// The window is cut to this threshold: averages are over about that many segments.
    pub fn on_cut(&mut self, ssthresh: f64) {
        let log = libm::floor(libm::log2(ssthresh.clamp(1.0, 1e9))) as i32;
        self.exponent = (log + log / 2 + 1).min(SLOWEST);
    }

    /// A round trip is over.
    pub fn on_round(&mut self) {
        let Some(average) = self.average else { return };
        let queue = average - self.least;
        // A queue can only speak for a classic bottleneck.
        let deep = if queue > 0.0 { libm::log2(queue / DEPTH).max(0.0) } else { 0.0 };
        let varies = libm::log2(self.deviation.max(1e-6) / VARIATION);
        self.score = (self.score + PART * (varies + deep)).clamp(0.0, MOST);
    }

    /// The estimate with which a cut is made.
    pub fn alpha(&self, alpha: f64) -> f64 {
        alpha.max(CLASSIC_ALPHA * (self.score - L4S).clamp(0.0, 1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::near;

    #[test]
    fn a_long_queue_that_varies_is_a_classic_one() {
        let mut detection = Detection::new();
        detection.on_cut(16.0);
        assert_eq!(detection.exponent, 7);
        // Round trips of 10 ms and, later, between 20 and 36 ms.
        detection.on_round_trip(Duration::from_millis(10));
        for n in 0..2000 {
            detection.on_round_trip(Duration::from_millis(if n % 2 == 0 { 20 } else { 36 }));
        }
        // The deviation is 8 ms and the queue 18: a round adds (lg(8/0.75) + lg(18/2))/2 = 3.29.
        detection.on_round();
        assert!((detection.score - 3.29).abs() < 0.05, "{}", detection.score);
        assert!(near(detection.alpha(0.1), 0.1));
        (0..3).for_each(|_| detection.on_round());
        assert!(near(detection.alpha(0.1), 0.625) && near(detection.alpha(0.8), 0.8));
    }

    #[test]
    fn a_short_queue_is_none() {
        let mut detection = Detection::new();
        for n in 0..2000 {
            detection.on_round_trip(Duration::from_micros(10_000 + n % 2 * 400));
        }
        (0..100).for_each(|_| detection.on_round());
        assert!(near(detection.score, 0.0));
    }
}
