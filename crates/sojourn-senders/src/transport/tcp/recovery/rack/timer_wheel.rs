//! When a timer goes off: at its time, or on Linux's wheel of timers, which counts ticks and rounds up. Compared with: Linux 6.12
//! `kernel/time/timer.c` and `tcp_recovery.c` (behaviour), by recordings (`tests/peers/linux/kernel`).
//!
//! On the wheel many timers go off at the same instant. Those of wide slots come first, and in a slot the one that was put there last
//! ([`Turn`]). A timer that is set again and stays in its slot keeps its place.

use crate::mechanism::wheel_slots;
use crate::transport::Turn;
use crate::transport::outbox::Outbox;
use crate::transport::tcp::settings::Timers;
use crate::units::{Duration, Instant};

/// The tick of Linux's clock that is modelled.
const MILLISECOND: Duration = Duration::from_millis(1);
/// Linux: the timers of a loss and of a probe wait this long beyond their times.
const MARGIN: Duration = Duration::from_millis(2);
/// Bits of a rank that count how many timers have been put on the wheel: enough for a billion a second for two years. The level is above
/// them.
const NUMBER_BITS: u32 = 56;
const NUMBER: u64 = (1 << NUMBER_BITS) - 1;

/// The slot of the wheel in which a timer is, or was when it was set last: nothing takes it out but its time.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::transport::tcp) struct Slot {
    /// When it goes off; zero before it is set for the first time.
    ends: Instant,
    /// Its level, and its number once it has one.
    rank: u64,
    /// When it was set last in the tick in which it had gone off.
    went_off: Instant,
}

impl Slot {
    /// The timer is set now, to wait `after` on a clock with this tick: when it goes off.
    #[inline]
    pub(in crate::transport::tcp) fn set(
        &mut self,
        timers: Timers,
        now: Instant,
        after: Duration,
        tick: Duration,
    ) -> Instant {
        if timers == Timers::Exact {
            return now + after;
        }
        // Division by a constant is a multiplication.
        let (level, ends) =
            if tick == MILLISECOND { self.on_wheel(now, after, MILLISECOND) } else { self.on_wheel(now, after, tick) };
        if (level, ends) != ((self.rank >> NUMBER_BITS) as u32, self.ends) {
            (self.ends, self.rank) = (ends, u64::from(level) << NUMBER_BITS);
        }
        ends
    }

    /// The level of the timer on the wheel, and when it goes off.
    #[inline(always)]
    fn on_wheel(&mut self, now: Instant, after: Duration, tick: Duration) -> (u32, Instant) {
        let tick = tick.as_nanos();
        let (ticks, since) = (after.as_nanos().div_ceil(tick), now.as_nanos() / tick);
        if self.ends > Instant::ZERO && self.ends.as_nanos() / tick == since {
            self.went_off = self.ends;
        }
        let ahead = self.went_off > Instant::ZERO && self.went_off.as_nanos() / tick == since;
        let (level, ends) = wheel_slots::slot(since, ticks, ahead);
        (level, Instant::from_nanos(ends * tick))
    }

    /// At the end of a call in which it may have been set: where it has been moved, it is the last one of its slot.
    #[inline]
    pub(in crate::transport::tcp) fn settle(&mut self, out: &mut Outbox) {
        if self.rank & NUMBER == 0 && self.ends > Instant::ZERO {
            self.rank |= out.put_on_wheel();
        }
    }

    /// The turn of a deadline: another one than that of this timer is on no wheel.
    pub(in crate::transport::tcp) fn turn(&self, deadline: Option<Instant>) -> Turn {
        if deadline == Some(self.ends) { Turn::of_rank(self.rank) } else { Turn::FIRST }
    }
}

impl Timers {
    /// The time that the timer of a loss or of a probe waits beyond its own.
    pub(super) fn margin(self) -> Duration {
        if self == Timers::Exact { Duration::ZERO } else { MARGIN }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TICK: Duration = Duration::from_millis(1);

    fn at(micros: u64) -> Instant {
        Instant::from_nanos(micros * 1000)
    }

    #[test]
    fn on_the_wheel_a_timer_waits_for_the_end_of_its_slot() {
        let due = |now: u64, after: u64| {
            let after = Duration::from_micros(after);
            Slot::default().set(Timers::Wheel, at(now), after, TICK).as_nanos() / 1000
        };
        // 5.3 ms is in tick 5; 2.4 ms are 3 ticks, up to the end of tick 8.
        assert_eq!(due(5_300, 2_400), 9_000);
        // 62 ticks are in the first level, 63 in the second, with slots of 8 ticks: 5 + 63 = 68 is in slot 8, which ends at 72.
        assert_eq!((due(5_300, 62_000), due(5_300, 63_000)), (68_000, 72_000));
        // 1 s is in the third: 1005 is in slot 15 of 64 ticks, which ends at 1024.
        assert_eq!(due(5_300, 1_000_000), 1_024_000);
        let (now, after) = (at(5_300), Duration::from_micros(2_400));
        assert_eq!(Slot::default().set(Timers::Exact, now, after, TICK), now + after);
    }

    #[test]
    fn in_the_tick_in_which_it_goes_off_the_wheel_is_a_tick_ahead() {
        // A wait of 504 ms is in the third level, with slots of 64 ms, and in the second one if the timer has just gone off.
        let mut slot = Slot::default();
        let mut due =
            |now: u64| slot.set(Timers::Wheel, at(1000 * now), Duration::from_millis(504), TICK).as_nanos() / 1_000_000;
        assert_eq!((due(8), due(576), due(576), due(1089)), (576, 1088, 1088, 1600));
        // 1664 is in slot 26 of 64 ticks.
        assert_eq!(due(1160), 1728);
    }

    /// Sets each of these timers, given by its number, in this order: now, and its wait, in milliseconds. All go off at 512 ms: in
    /// which order.
    fn order(settings: &[(usize, u64, u64)]) -> Vec<usize> {
        let (mut slots, mut out) = ([Slot::default(); 8], Outbox::default());
        for &(timer, now, after) in settings {
            let due = slots[timer].set(Timers::Wheel, at(1000 * now), Duration::from_millis(after), TICK);
            assert_eq!(due, at(512_000), "{timer}");
            slots[timer].settle(&mut out);
        }
        let mut timers: Vec<usize> = settings.iter().map(|&(timer, ..)| timer).collect();
        timers.sort_unstable();
        timers.dedup();
        timers.sort_by_key(|&timer| slots[timer].turn(Some(at(512_000))));
        timers
    }

    #[test]
    fn in_a_slot_the_timer_that_was_set_last_comes_first() {
        assert_eq!(order(&[(0, 500, 11), (1, 500, 11), (2, 505, 6)]), [2, 1, 0]);
    }

    #[test]
    fn wide_slots_come_before_narrow_ones() {
        // The slots of 1, 8 and 64 ms end together.
        assert_eq!(order(&[(0, 1, 505), (1, 100, 405), (2, 500, 11), (3, 2, 504)]), [3, 0, 1, 2]);
    }

    #[test]
    fn a_timer_that_is_set_again_keeps_its_place_if_it_stays_in_its_slot() {
        // The slot of 8 ms gets it again, with another time in it.
        assert_eq!(order(&[(0, 100, 404), (1, 100, 404), (0, 101, 409)]), [1, 0]);
    }

    #[test]
    fn a_timer_that_is_moved_and_comes_back_in_the_same_call_is_the_last_of_its_slot() {
        let (mut slots, mut out) = ([Slot::default(); 2], Outbox::default());
        for slot in &mut slots {
            slot.set(Timers::Wheel, at(100_000), Duration::from_millis(404), TICK);
            slot.settle(&mut out);
        }
        slots[0].set(Timers::Wheel, at(101_000), Duration::from_millis(20), TICK);
        let due = slots[0].set(Timers::Wheel, at(101_000), Duration::from_millis(404), TICK);
        slots[0].settle(&mut out);
        assert!(slots[0].turn(Some(due)) < slots[1].turn(Some(due)));
        // The pacer is on no wheel.
        assert_eq!(slots[0].turn(Some(at(101_000))), Turn::FIRST);
    }

    #[test]
    fn what_is_exact_is_on_no_wheel() {
        let (mut slot, mut out) = (Slot::default(), Outbox::default());
        let due = slot.set(Timers::Exact, at(1000), Duration::from_millis(4), TICK);
        slot.settle(&mut out);
        assert_eq!((slot.turn(Some(due)), out.on_wheel), (Turn::FIRST, 0));
    }
}
