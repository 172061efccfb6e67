//! The kernel's numbers, and the parameters of the law in them.

use crate::units::Duration;

/// Bits behind the point of a rate.
pub(super) const RATE_BITS: u32 = 24;
pub(super) const RATE_ONE: u64 = 1 << RATE_BITS;
/// Bits behind the point of a gain.
pub(super) const GAIN_BITS: u32 = 8;
pub(super) const GAIN_ONE: u64 = 1 << GAIN_BITS;

/// Parameters of the law, with the names of `bbr`.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Settings {
    pub high_gain: f64,
    pub window_gain: f64,
    pub probe: f64,
    pub bandwidth_rounds: u64,
    pub rtt_window: Duration,
    pub probe_rtt: Duration,
    pub growth: f64,
    pub growth_rounds: u64,
    pub margin: f64,
    pub aggregation: bool,
    pub even: bool,
    pub policers: bool,
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
    pub fn of(params: &Settings) -> Self {
        let gain = |value: f64| libm::floor(value * GAIN_ONE as f64) as u64;
        let millis = |duration: Duration| duration.as_nanos() / 1_000_000;
        Numbers {
            high: gain(params.high_gain) + 1,
            drain: gain(1.0 / params.high_gain),
            window: gain(params.window_gain),
            up: gain(1.0 + params.probe),
            down: gain(1.0 - params.probe),
            paced: 1_000_000 - libm::round(1e6 * params.margin) as u64,
            bandwidth_rounds: params.bandwidth_rounds,
            rtt_millis: millis(params.rtt_window),
            probe_millis: millis(params.probe_rtt),
            growth: gain(1.0 + params.growth),
            growth_rounds: params.growth_rounds,
            aggregation: params.aggregation,
            even: params.even,
            policers: params.policers,
        }
    }
}
