//! CoDel in the integers of today's Linux (`arithmetic = "kernel"` of codel and `fq_codel`): time in units of 1024 ns, and
//! 1/sqrt(count) in 16 bits, which one step of Newton's method follows at each drop. Compared with: Linux 6.12 `sch_codel` and
//! `sch_fq_codel`, decision by decision (`tests/peers/linux/kernel`).
//!
//! The step begins with the root of the drop before, and with 1 at the first. It is far from the true root after the second drop
//! (0.5 for 0.707 of the interval) and near it after a few more.
//!
//! Two things look like faults of Linux, and Sojourn copies them:
//!
//! - packets that `sch_fq_codel` drops for lack of room count as CoDel's own drops, while the root stays as it was;
//! - a queue that has never dropped has a root of 0 and its last drop at the machine's start. If it loses packets for lack of room
//!   first, and CoDel's first drop comes within 16 intervals of the start (or, since time comes round, in the second half of each 73
//!   minutes), that root gives no time between drops: the whole backlog is dropped, except for the last MTU. Time 0 of a run is the
//!   machine's start.

use crate::units::{Duration, Instant};

/// Nanoseconds of a unit, as a shift.
const SHIFT: u32 = 10;

/// `t` in whole units, cut down.
pub fn whole(t: Instant) -> Instant {
    Instant::from_nanos(t.as_nanos() >> SHIFT << SHIFT)
}

/// A span in whole units, cut down.
pub fn whole_span(span: Duration) -> Duration {
    Duration::from_nanos(span.as_nanos() >> SHIFT << SHIFT)
}

/// Units from `then` to `now`, below zero if `then` is later. They come round after 2^32 (73 minutes), so that more than half of
/// that counts as later.
pub fn units_since(now: Instant, then: Instant) -> i32 {
    ((now.as_nanos() >> SHIFT) as u32).wrapping_sub((then.as_nanos() >> SHIFT) as u32) as i32
}

pub fn units(span: Duration) -> i32 {
    (span.as_nanos() >> SHIFT) as i32
}

/// `1 / sqrt(count)` in units of 2^-16.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Root(u16);

impl Root {
    /// The root of one drop: the number of 16 bits that is nearest to 1.
    pub const ONE: Root = Root(u16::MAX);

    /// The root of a queue that has never dropped.
    pub const ZERO: Root = Root(0);

    /// `root (3 - count root^2) / 2`, truncated to 64 bits.
    #[must_use]
    pub fn step(self, count: u64) -> Root {
        let root = u64::from(self.0) << 16;
        let square = (root * root) >> 32;
        let rest = (3_u64 << 32).wrapping_sub(u64::from(count as u32).wrapping_mul(square));
        let next = (rest >> 2).wrapping_mul(root) >> 31;
        Root((next >> 16) as u16)
    }

    /// This part of a span, in whole units.
    pub fn of(self, span: Duration) -> Duration {
        let scaled = (u64::from(units(span) as u32) * (u64::from(self.0) << 16)) >> 32;
        Duration::from_nanos(scaled << SHIFT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_newtons_in_sixteen_bits() {
        // By hand: from 1 at count 2, (3 - 2) / 2 = 1/2; then at count 3, (1/2) (3 - 3/4) / 2 = 9/16; at count 4,
        // (9/16) (3 - 4 * 81/256) / 2 = 0.4878.
        let mut root = Root::ONE;
        for (count, expected) in [(2, 0.5), (3, 0.5625), (4, 0.487_792_968_75)] {
            root = root.step(count);
            let found = f64::from(root.0) / 65536.0;
            assert!((found - expected).abs() < 1e-4, "{count}: {found}");
        }
    }

    #[test]
    fn steps_close_in_on_the_root() {
        let mut root = Root::ONE;
        for count in 2..=200 {
            root = root.step(count);
        }
        assert!((f64::from(root.0) / 65536.0 - 1.0 / 200.0_f64.sqrt()).abs() < 1e-3);
    }

    #[test]
    fn spans_are_whole_units() {
        // 100 ms are 97656 units of 1024 ns, 5 ms are 4882.
        let interval = whole_span(Duration::from_millis(100));
        assert_eq!(interval.as_nanos(), 97_656 * 1024);
        assert_eq!(whole_span(Duration::from_millis(5)).as_nanos(), 4_882 * 1024);
        // 97656 * 0xffff / 2^16, cut down.
        assert_eq!(Root::ONE.of(interval).as_nanos(), 97_654 * 1024);
    }

    #[test]
    fn time_comes_round_after_73_minutes() {
        let at = |seconds: f64| Instant::from_secs_f64(seconds);
        assert!(units_since(at(2.0), at(1.0)) > 0 && units_since(at(1.0), at(2.0)) < 0);
        // 2^31 units are 2199.02 s.
        assert!(units_since(at(2199.0), at(0.0)) > 0 && units_since(at(2200.0), at(0.0)) < 0);
    }
}
