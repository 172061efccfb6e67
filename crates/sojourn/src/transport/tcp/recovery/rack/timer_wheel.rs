//! When a timer goes off: at its time, or on Linux's wheel of timers, which counts ticks and rounds up. Compared with: Linux 6.12
//! `kernel/time/timer.c` and `tcp_recovery.c` (behaviour), by recordings (`tests/peers/linux/kernel`).

use crate::transport::tcp::settings::Timers;
use crate::units::{Duration, Instant};

/// The tick of Linux's clock that is modelled.
const MILLISECOND: Duration = Duration::from_millis(1);
/// Linux: what the timers of a loss and of a probe wait beyond their times.
const MARGIN: Duration = Duration::from_millis(2);
/// Ticks from which on a timer is in the next level of the wheel, whose slots are eight times as wide: 63, 504, 4032 ...
const FIRST_LEVEL: u64 = 63;
const LEVELS: u32 = 8;
const WIDER: u32 = 3;

impl Timers {
    /// A timer set now that is to wait `after`, on a clock with this tick.
    pub(in crate::transport::tcp) fn due(self, now: Instant, after: Duration, tick: Duration) -> Instant {
        if self == Timers::Exact {
            return now + after;
        }
        // Division by a constant is a multiplication.
        if tick == MILLISECOND { on_wheel(now, after, MILLISECOND) } else { on_wheel(now, after, tick) }
    }

    /// The same of a timer that waits for a loss, or to probe.
    pub(super) fn margin(self) -> Duration {
        if self == Timers::Exact { Duration::ZERO } else { MARGIN }
    }
}

/// When a timer on the wheel goes off.
#[inline(always)]
fn on_wheel(now: Instant, after: Duration, tick: Duration) -> Instant {
    let tick = tick.as_nanos();
    let ticks = after.as_nanos().div_ceil(tick);
    let expires = now.as_nanos() / tick + ticks;
    let level = (0..LEVELS).find(|level| ticks < FIRST_LEVEL << (WIDER * level)).unwrap_or(LEVELS);
    // No timer goes off early, so that each waits for the end of its slot.
    Instant::from_nanos((((expires >> (WIDER * level)) + 1) << (WIDER * level)) * tick)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn on_the_wheel_a_timer_waits_for_the_end_of_its_slot() {
        let tick = Duration::from_millis(1);
        let due = |now: u64, after: u64| {
            let now = Instant::from_nanos(now * 1000);
            Timers::Wheel.due(now, Duration::from_micros(after), tick).as_nanos() / 1000
        };
        // 5.3 ms is in tick 5; 2.4 ms are 3 ticks, up to the end of tick 8.
        assert_eq!(due(5_300, 2_400), 9_000);
        // 62 ticks are in the first level, 63 in the second, with slots of 8 ticks: 5 + 63 = 68 is in slot 8, which ends at 72.
        assert_eq!((due(5_300, 62_000), due(5_300, 63_000)), (68_000, 72_000));
        // 1 s is in the third: 1005 is in slot 15 of 64 ticks, which ends at 1024.
        assert_eq!(due(5_300, 1_000_000), 1_024_000);
        let now = Instant::from_nanos(5_300_000);
        assert_eq!(Timers::Exact.due(now, Duration::from_micros(2_400), tick), now + Duration::from_micros(2_400));
    }
}
