//! The slots of Linux's wheel of timers, which counts ticks and rounds up. Behaviour: Linux 6.12 `kernel/time/timer.c`.
//!
//! A timer that waits less than 63 ticks is in a slot of one tick; less than 504 in one of 8, less than 4032 in one of 64, and so on. No
//! timer goes off early, so that each waits for the end of its slot.

use crate::units::Duration;

/// The time between two ticks of a kernel that ticks `hz` times in a second (`TICK_NSEC`).
#[must_use]
pub fn tick(hz: u64) -> Duration {
    Duration::from_nanos(1_000_000_000 / hz.max(1))
}

/// Ticks from which on a timer is in the next level of the wheel, whose slots are eight times as wide: 63, 504, 4032 ...
const FIRST_LEVEL: u64 = 63;
const LEVELS: u32 = 8;
const WIDER: u32 = 3;

/// The level of a timer that is set in the tick `since` to wait `ticks`, and the tick in which it goes off. In the tick in which it has
/// gone off, the wheel is a tick ahead (`__run_timers`), so that the level is that of a tick less.
#[inline(always)]
pub fn slot(since: u64, ticks: u64, has_gone_off: bool) -> (u32, u64) {
    let wait = ticks.saturating_sub(has_gone_off.into());
    let level = (0..LEVELS).find(|level| wait < FIRST_LEVEL << (WIDER * level)).unwrap_or(LEVELS);
    (level, (((since + ticks) >> (WIDER * level)) + 1) << (WIDER * level))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Updates of PIE as the kernel recorded them (`tests/peers/linux/kernel`): tupdate 15, 62, 64 and 100 ms.
    #[test]
    fn a_timer_that_sets_itself_again_comes_each_16_63_72_and_104_ticks() {
        for (ticks, apart) in [(15, 16), (62, 63), (63, 64), (64, 72), (100, 104)] {
            assert_eq!(slot(504, ticks, true).1, 504 + apart, "{ticks}");
        }
        // From 512 ticks on, slots have 64.
        assert_eq!(slot(512, 600, true).1 % 64, 0);
    }
}
