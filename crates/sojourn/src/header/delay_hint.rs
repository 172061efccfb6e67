//! A delay hint: how long an application would like its packet to wait at most. The transport's part is
//! `transport/hint.rs`; RED-Worcester and RED-Boston heed it.

use crate::units::Duration;

/// A delay hint in microseconds (at most 71 minutes).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DelayHint(std::num::NonZeroU32);

impl DelayHint {
    /// Rounds to whole microseconds; zero becomes one, the most urgent hint.
    pub fn new(delay: Duration) -> Self {
        let micros = u32::try_from(delay.as_nanos() / 1_000).unwrap_or(u32::MAX);
        DelayHint(std::num::NonZeroU32::new(micros).unwrap_or(std::num::NonZeroU32::MIN))
    }

    /// The hint as a duration.
    pub fn as_duration(self) -> Duration {
        Duration::from_micros(u64::from(self.0.get()))
    }
}
