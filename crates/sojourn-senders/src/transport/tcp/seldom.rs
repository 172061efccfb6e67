//! Answers to packets that a connection has no use for. Compared with: Linux 6.12.117 `__tcp_oow_rate_limited` (behaviour), by runs of a
//! kernel (`tests/peers/linux/kernel`).

use crate::units::Instant;

/// Nanoseconds of a tick of Linux's clock.
const TICK: u64 = 1_000_000;
/// Ticks between two answers (`tcp_invalid_ratelimit`).
const TICKS_BETWEEN: u64 = 500;

/// The time of the last answer.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seldom {
    last: Option<u64>,
}

impl Seldom {
    /// Whether a packet that comes now is answered.
    pub fn may_answer(&mut self, now: Instant) -> bool {
        let tick = now.as_nanos() / TICK;
        let is_soon = self.last.is_some_and(|last| tick < last + TICKS_BETWEEN);
        if !is_soon {
            self.last = Some(tick);
        }
        !is_soon
    }
}
