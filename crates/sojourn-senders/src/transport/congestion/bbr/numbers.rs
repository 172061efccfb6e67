//! The parameters of the law, and the kernel's numbers in which it takes them.

use crate::params;
use crate::params::Fraction;
use crate::units::Duration;

/// Bits behind the point of a rate.
pub(super) const RATE_BITS: u32 = 24;
pub(super) const RATE_ONE: u64 = 1 << RATE_BITS;
/// Bits behind the point of a gain.
pub(super) const GAIN_BITS: u32 = 8;
pub(super) const GAIN_ONE: u64 = 1 << GAIN_BITS;

params! {
    pub struct Params {
        /// Gain of pacing and window in Startup; 2 / ln 2.
        high_gain: f64 = "2.885390081777927" in [1.01, 10.0], "draft section 3.4: the least that doubles in each round";
        /// Gain of the window in ProbeBW.
        window_gain: f64 = "2" in [1.0, 100.0], "draft section 4.2.3.1: room for delayed acknowledgements";
        /// The share by which ProbeBW speeds up in one phase of eight, and slows down in the next.
        probe: Fraction = "25%" in [0.0, 0.99], "draft section 4.3.4.2";
        /// Rounds over which the highest delivery rate counts.
        bandwidth_rounds: u64 = "10" in [1.0, 1000.0], "draft section 4.1.1.2";
        /// How long the shortest round trip counts.
        rtt_window: Duration = "10s" in [0.1, 1000.0], "draft section 4.1.2.2";
        /// How long ProbeRTT lasts at least.
        probe_rtt: Duration = "200ms" in [0.001, 10.0], "draft section 4.3.5.1";
        /// Growth of the bandwidth in a round of Startup below which it does not count as growth.
        growth: Fraction = "25%" in [0.0, 10.0], "draft section 4.3.2.2";
        /// Rounds without growth that end Startup.
        growth_rounds: u64 = "3" in [1.0, 100.0], "draft section 4.3.2.2";
        /// The share by which pacing is below the measured rate.
        margin: Fraction = "0%" in [0.0, 0.5], "the draft has none; Linux 1 %";
        /// Whether the window has room for the amount that acknowledgements recently reported beyond the bandwidth (at most 100 ms of it).
        aggregation: bool = "false", "Linux, since 5.1; the draft has none";
        /// Whether windows are rounded up to even numbers, and hold two segments more while ProbeBW speeds up.
        even: bool = "false", "Linux; the draft has none";
        /// Whether it takes the mean rate of two lossy intervals that agree as the rate of a policer, for 48 rounds. After a timeout, and
        /// when a cut is taken back, it looks again for the end of Startup and for that rate.
        policers: bool = "false", "Linux; the draft has none";
    }
}

/// Parameters in the kernel's numbers.
#[derive(Clone, Debug)]
pub(super) struct Numbers {
    pub high: u64,
    pub drain: u64,
    pub window: u64,
    pub up: u64,
    pub down: u64,
    /// Millionths of a rate that are paced.
    pub paced: u64,
    pub bandwidth_rounds: u64,
    pub rtt_millis: u64,
    pub probe_millis: u64,
    pub growth: u64,
    pub growth_rounds: u64,
    pub aggregation: bool,
    pub even: bool,
    pub policers: bool,
}

impl Numbers {
    pub fn of(params: &Params) -> Self {
        let gain = |value: f64| libm::floor(value * GAIN_ONE as f64) as u64;
        let millis = |duration: Duration| duration.as_nanos() / 1_000_000;
        Numbers {
            high: gain(params.high_gain) + 1,
            drain: gain(1.0 / params.high_gain),
            window: gain(params.window_gain),
            up: gain(1.0 + params.probe.0),
            down: gain(1.0 - params.probe.0),
            paced: 1_000_000 - libm::round(1e6 * params.margin.0) as u64,
            bandwidth_rounds: params.bandwidth_rounds,
            rtt_millis: millis(params.rtt_window),
            probe_millis: millis(params.probe_rtt),
            growth: gain(1.0 + params.growth.0),
            growth_rounds: params.growth_rounds,
            aggregation: params.aggregation,
            even: params.even,
            policers: params.policers,
        }
    }
}
