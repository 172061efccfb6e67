//! The round-trip time for control laws: the smoothed one, and the least.

use crate::units::Duration;

/// The weight of a new sample (RFC 6298 rule 2.3).
const GAIN: f64 = 0.125;

/// The round trip as samples show it, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct RoundTrip {
    /// The moving average. Absent before the first sample.
    pub smoothed: Option<f64>,
    /// The shortest round trip of the connection.
    pub least: Option<f64>,
}

impl RoundTrip {
    /// Takes a sample, if there is one.
    pub fn observe(&mut self, sample: Option<Duration>) {
        let Some(sample) = sample else { return };
        let sample = sample.as_secs_f64();
        self.smoothed = Some(self.smoothed.map_or(sample, |old| old + GAIN * (sample - old)));
        self.least = Some(self.least.map_or(sample, |old| old.min(sample)));
    }
}
