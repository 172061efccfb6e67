//! Round-trip time and retransmission timeout (RFC 6298), in real numbers or in ns-2's integers.

use super::rtt_kernel::Estimate;
use crate::units::{Duration, Instant};

crate::choices! {
    /// Arithmetic of the round-trip estimator.
    pub enum RtoLaw {
        /// Real numbers (RFC 6298).
        Real = "real",
        /// Real numbers; the part for the variation, not the timeout, is at least `rto_min` (Linux since 2.4).
        Variation = "variation",
        /// Whole ticks, 3 and 2 fractional bits (ns-2, after 4.3BSD).
        Ticks = "ticks",
        /// Whole microseconds; the part for the variation is the largest variation of a round trip, at least `rto_min` (today's Linux).
        Kernel = "kernel",
    }
}

/// Settings of the estimator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RttConfig {
    /// The arithmetic.
    pub law: RtoLaw,
    /// Clock granularity G.
    pub tick: Duration,
    /// Least timeout, before back-off.
    pub min: Duration,
    /// Greatest timeout, after back-off.
    pub max: Duration,
    /// Timeout before the first sample.
    pub initial: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Smoothed {
    /// No sample yet, or forgotten.
    None,
    /// In seconds.
    Real {
        srtt: f64,
        rttvar: f64,
    },
    /// 8 srtt and 4 rttvar in ticks.
    Ticks {
        srtt8: i32,
        rttvar4: i32,
    },
    Kernel(Estimate),
}

/// The estimator of one connection.
#[derive(Clone, Debug)]
pub struct RttEstimator {
    smoothed: Smoothed,
    /// Timeout from the estimate, not clamped from below.
    base: Duration,
    /// Doublings since the last valid sample.
    backoff: u8,
    /// Where in its tick the connection's clock started.
    phase: Duration,
}

/// The clock's granularity in nanoseconds, above zero.
fn tick_of(config: &RttConfig) -> u64 {
    config.tick.as_nanos().max(1)
}

/// Doublings after which every timeout is at any sensible maximum: 2^16 times 10 ms is 11 minutes.
const BACKOFF_MAX: u8 = 16;

impl RttEstimator {
    /// Without samples. `phase` shifts the ticks of this connection against those of others.
    pub fn new(config: &RttConfig, phase: Duration) -> Self {
        RttEstimator { smoothed: Smoothed::None, base: config.initial, backoff: 0, phase }
    }

    /// Takes the round-trip time of a segment sent at `sent_at`.
    pub fn on_sample(&mut self, config: &RttConfig, sent_at: Instant, rtt: Duration) {
        match config.law {
            RtoLaw::Real | RtoLaw::Variation => self.sample_real(config, rtt.as_secs_f64()),
            RtoLaw::Ticks => {
                let offset = (sent_at.as_nanos() + self.phase.as_nanos()) % tick_of(config);
                self.sample_ticks(config, rtt.as_nanos() + offset);
            }
            RtoLaw::Kernel => self.sample_micros(config, rtt.as_nanos() / 1000, u64::MAX, 0),
        }
    }

    /// With the law `kernel`: takes a sample of `micros` microseconds. All data below `una` is acknowledged, and `next` is sent next.
    pub fn sample_micros(&mut self, config: &RttConfig, micros: u64, una: u64, next: u64) {
        let (sample, least) = (micros.min(u64::from(u32::MAX / 16)) as u32, (config.min.as_nanos() / 1000) as u32);
        let estimate = match self.smoothed {
            Smoothed::Kernel(mut estimate) => {
                estimate.take(sample, least, una, next);
                estimate
            }
            _ => Estimate::new(sample, least, next),
        };
        self.smoothed = Smoothed::Kernel(estimate);
        self.base = estimate.timeout();
    }

    /// RFC 6298 rules 2.2 and 2.3 with alpha = 1/8 and beta = 1/4.
    fn sample_real(&mut self, config: &RttConfig, rtt: f64) {
        let (srtt, rttvar) = match self.smoothed {
            Smoothed::Real { srtt, rttvar } => {
                let rttvar = 0.75 * rttvar + 0.25 * (srtt - rtt).abs();
                (0.875 * srtt + 0.125 * rtt, rttvar)
            }
            _ => (rtt, rtt / 2.0),
        };
        self.smoothed = Smoothed::Real { srtt, rttvar };
        let least = if config.law == RtoLaw::Variation { config.min } else { config.tick };
        self.base = Duration::from_secs_f64(srtt + (4.0 * rttvar).max(least.as_secs_f64()));
    }

    /// Takes a sample in whole ticks; a tick that is not full does not count.
    fn sample_ticks(&mut self, config: &RttConfig, nanos: u64) {
        let sample = i32::try_from(nanos / tick_of(config)).unwrap_or(i32::MAX / 16).max(1);
        let (srtt8, rttvar4) = match self.smoothed {
            Smoothed::Ticks { srtt8, rttvar4 } => {
                let error = sample - (srtt8 >> 3);
                let spread = error.abs() - (rttvar4 >> 2);
                ((srtt8 + error).max(1), (rttvar4 + spread).max(1))
            }
            _ => (sample << 3, sample << 1),
        };
        self.smoothed = Smoothed::Ticks { srtt8, rttvar4 };
        // srtt + 4 rttvar, rounded down to whole ticks.
        let ticks = ((rttvar4 << 3) + srtt8) >> 3;
        self.base = config.tick * u64::from(ticks.unsigned_abs());
    }

    /// The timeout now: RFC 6298 rules 2.4 (minimum), 5.5 (back-off), 2.5 (maximum).
    pub fn rto(&self, config: &RttConfig) -> Duration {
        let factor = 1_u64 << self.backoff;
        (self.base.max(config.min) * factor).min(config.max)
    }

    /// The timer has expired (RFC 6298 rule 5.5).
    pub fn back_off(&mut self, config: &RttConfig) {
        self.backoff = (self.backoff + 1).min(BACKOFF_MAX);
        if config.law == RtoLaw::Ticks && self.backoff > 3 {
            // Backed off this far the estimate is worth nothing (4.3BSD; RFC 6298 §5 allows it). The
            // timeout itself stays until the next sample.
            self.smoothed = Smoothed::None;
        }
    }

    /// A segment that was sent once has been acknowledged: the back-off ends (Karn's algorithm).
    pub fn end_back_off(&mut self) {
        self.backoff = 0;
    }

    /// After a lost SYN the timeout starts anew from at least 3 s (RFC 6298 rule 5.7).
    pub fn restart_after_syn_loss(&mut self) {
        self.backoff = 0;
        self.base = self.base.max(Duration::from_secs(3));
    }

    /// The smoothed round-trip time; `None` before the first sample.
    pub fn srtt(&self, config: &RttConfig) -> Option<Duration> {
        match self.smoothed {
            Smoothed::None => None,
            Smoothed::Real { srtt, .. } => Some(Duration::from_secs_f64(srtt)),
            Smoothed::Kernel(estimate) => Some(estimate.smoothed()),
            Smoothed::Ticks { srtt8, .. } => Some((config.tick * u64::from(srtt8.unsigned_abs())).mul_f64(0.125)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REAL: RttConfig = RttConfig {
        law: RtoLaw::Real,
        tick: Duration::from_millis(1),
        min: Duration::from_millis(200),
        max: Duration::from_secs(60),
        initial: Duration::from_secs(1),
    };
    const TICKS: RttConfig = RttConfig { law: RtoLaw::Ticks, tick: Duration::from_millis(10), ..REAL };

    fn after(config: &RttConfig, samples_ms: &[u64]) -> RttEstimator {
        let mut rtt = RttEstimator::new(config, Duration::ZERO);
        for &sample in samples_ms {
            rtt.on_sample(config, Instant::ZERO, Duration::from_millis(sample));
        }
        rtt
    }

    #[test]
    fn the_first_sample_gives_three_times_itself() {
        // RFC 6298 rule 2.2: RTO = R + 4 R/2.
        assert_eq!(after(&REAL, &[400]).rto(&REAL), Duration::from_millis(1200));
        assert_eq!(after(&TICKS, &[400]).rto(&TICKS), Duration::from_millis(1200));
    }

    #[test]
    fn in_linux_the_minimum_is_one_of_the_variation() {
        // srtt 400 after many samples, and no variation: 400 + 200. With the first sample's of 200: 400 + 4 * 200.
        let config = RttConfig { law: RtoLaw::Variation, ..REAL };
        assert_eq!(after(&config, &[400; 200]).rto(&config), Duration::from_millis(600));
        assert_eq!(after(&config, &[400]).rto(&config), Duration::from_millis(1200));
    }

    #[test]
    fn the_second_sample_is_weighed_by_an_eighth_and_a_quarter() {
        // srtt = 7/8 400 + 1/8 480 = 410; rttvar = 3/4 200 + 1/4 80 = 170; RTO = 410 + 680.
        let rtt = after(&REAL, &[400, 480]);
        assert_eq!(rtt.srtt(&REAL), Some(Duration::from_millis(410)));
        assert_eq!(rtt.rto(&REAL), Duration::from_millis(1090));
    }

    #[test]
    fn in_ticks_the_second_sample_is_cut_to_whole_ticks() {
        // 40 ticks: srtt8 = 320, rttvar4 = 80. 48 ticks: error 8, srtt8 = 328; spread 8 - 20 = -12,
        // rttvar4 = 68. RTO = (68 * 8 + 328) >> 3 = 109 ticks.
        let rtt = after(&TICKS, &[400, 480]);
        assert_eq!(rtt.srtt(&TICKS), Some(Duration::from_millis(410)));
        assert_eq!(rtt.rto(&TICKS), Duration::from_millis(1090));
    }

    #[test]
    fn a_sample_in_ticks_counts_from_the_tick_in_which_the_segment_left() {
        // Sent 4 ms into a tick, 37 ms on the way: 41 ms, 4 ticks; RTO = 4 + 8 ticks.
        let mut rtt = RttEstimator::new(&TICKS, Duration::ZERO);
        let config = RttConfig { min: Duration::ZERO, ..TICKS };
        rtt.on_sample(&config, Instant::from_nanos(4_000_000), Duration::from_millis(37));
        assert_eq!(rtt.rto(&config), Duration::from_millis(120));

        // Sent at the tick: 37 ms, 3 ticks.
        let mut aligned = RttEstimator::new(&config, Duration::ZERO);
        aligned.on_sample(&config, Instant::ZERO, Duration::from_millis(37));
        assert_eq!(aligned.rto(&config), Duration::from_millis(90));
    }

    #[test]
    fn the_minimum_holds_before_back_off_and_the_maximum_after() {
        let mut rtt = after(&REAL, &[10]);
        assert_eq!(rtt.rto(&REAL), Duration::from_millis(200));

        rtt.back_off(&REAL);
        assert_eq!(rtt.rto(&REAL), Duration::from_millis(400));
        for _ in 0..100 {
            rtt.back_off(&REAL);
        }
        assert_eq!(rtt.rto(&REAL), Duration::from_secs(60));

        rtt.end_back_off();
        assert_eq!(rtt.rto(&REAL), Duration::from_millis(200));
    }

    #[test]
    fn the_granularity_bounds_the_variance_from_below() {
        let config = RttConfig { min: Duration::ZERO, ..REAL };
        let rtt = after(&config, &[100; 200]);
        assert_eq!(rtt.rto(&config).as_nanos() / 1000, 101_000);
    }
}
