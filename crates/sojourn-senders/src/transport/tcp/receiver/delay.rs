//! The delay of acknowledgements at a receiver of Linux. It follows the pauses between segments, doubles when it runs out, and is no longer
//! than the handshake took. After a pause longer than a timeout acknowledgements are quick again. Compared with: Linux 6.12.117
//! `tcp_event_data_recv`, `tcp_send_delayed_ack` and `tcp_delack_timer_handler` (behaviour), by recordings (`tests/peers/linux/kernel`).

use super::super::recovery::Slot;
use super::super::rtt_kernel::Estimate;
use super::super::settings::Timers;
use crate::transport::Turn;
use crate::transport::outbox::Outbox;
use crate::units::{Duration, Instant};

/// The longest wait of an acknowledgement, in milliseconds.
const MOST: u64 = 200;
/// The least variation of a round trip in a timeout, in microseconds.
const LEAST_VARIATION: u32 = 200_000;

/// The delay of one receiver, in milliseconds, which are its clock's ticks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Delay {
    least: u64,
    /// The delay, or 0 before the first segment.
    wait: u64,
    /// The time at which the last segment arrived in order.
    last: u64,
    began: Instant,
    /// The time that the SYN took.
    way: Duration,
    /// The duration of the handshake, in microseconds and in ticks, and the timeout that follows from it.
    micros: u64,
    trip: u64,
    timeout: u64,
    /// The time at which the timer of delayed acknowledgements goes off. An acknowledgement that is sent before does not stop it.
    timer: Instant,
    /// Its place on the wheel.
    slot: Slot,
}

pub(super) fn millis(at: Instant) -> u64 {
    at.as_nanos() / 1_000_000
}

impl Delay {
    /// A connection begins with a SYN that took the time `way`. `least` is the least delay.
    pub fn new(now: Instant, way: Duration, least: Duration) -> Self {
        let least = least.as_nanos() / 1_000_000;
        Delay {
            least,
            wait: 0,
            last: 0,
            began: now,
            way,
            micros: 0,
            trip: 0,
            timeout: 0,
            timer: now,
            slot: Slot::default(),
        }
    }

    /// The time that the SYN took.
    pub fn way(&self) -> Duration {
        self.way
    }

    /// The handshake is over, and took this time from the answer to the SYN on.
    pub fn on_opened(&mut self, trip: Duration) {
        let trip = (trip.as_nanos() / 1000).min(u64::from(u32::MAX / 16)) as u32;
        (self.micros, self.trip) = (trip.into(), u64::from(trip).div_ceil(1000));
        self.timeout = Estimate::new(trip, LEAST_VARIATION, 0).timeout().as_nanos() / 1_000_000;
    }

    /// A segment has arrived in order, perhaps sent again. Returns whether it is acknowledged at once, with those that follow.
    pub fn on_segment(&mut self, now: Instant, again: bool) -> bool {
        let pause = millis(now) - std::mem::replace(&mut self.last, millis(now));
        if self.wait == 0 {
            self.wait = self.least;
            if self.micros == 0 {
                // The first data end the handshake. If these are lost, both ways count as equal.
                self.on_opened(if again { self.way + self.way } else { now.since(self.began) });
            }
            return false;
        }
        if pause <= self.least / 2 {
            self.wait = self.wait / 2 + self.least / 2;
        } else if pause < self.wait {
            self.wait = self.bounded(self.wait / 2 + pause);
        }
        pause >= self.wait && pause > self.timeout
    }

    /// The duration of the handshake in microseconds, once it is known.
    pub fn trip_micros(&self) -> Option<u64> {
        (self.micros > 0).then_some(self.micros)
    }

    fn bounded(&self, wait: u64) -> u64 {
        wait.min(self.timeout).min(MOST)
    }

    /// The time for which the next acknowledgement waits for another segment.
    pub fn wait(&self) -> Duration {
        let wait = if self.wait > self.least { self.wait.min(self.trip.max(self.least)) } else { self.wait };
        Duration::from_millis(wait.min(MOST))
    }

    /// A segment waits for another: until when.
    pub fn set_timer(&mut self, timers: Timers, now: Instant, tick: Duration, out: &mut Outbox) -> Instant {
        self.timer = self.slot.set(timers, now, self.wait(), tick);
        self.slot.settle(out);
        self.timer
    }

    /// The turn of what waits until then.
    pub fn turn(&self, deadline: Option<Instant>) -> Turn {
        self.slot.turn(deadline)
    }

    /// The time until which a report of data out of order waits, for `wait` at most. The timer ends its wait, too.
    pub fn report_by(&self, now: Instant, wait: Duration) -> Instant {
        let by = now + wait;
        if self.timer > now { by.min(self.timer) } else { by }
    }

    /// Acknowledgements become quick, or have been quick. The next one waits no longer than the first did.
    pub fn restart(&mut self) {
        self.wait = self.wait.min(self.least);
    }

    /// No second segment has arrived during the delay.
    pub fn on_missed(&mut self) {
        self.wait = self.bounded(2 * self.wait);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::at_millis as at;

    /// A delay after a SYN at 0 and a first segment at `trip` milliseconds.
    fn after(trip: u64) -> Delay {
        let mut delay = Delay::new(at(0), Duration::ZERO, Duration::from_millis(40));
        assert!(!delay.on_segment(at(trip), false));
        delay
    }

    #[test]
    fn a_delay_that_ran_out_is_doubled_up_to_what_the_handshake_took() {
        let mut delay = after(51);
        assert_eq!(delay.wait(), Duration::from_millis(40));
        delay.on_missed();
        assert_eq!(delay.wait(), Duration::from_millis(51), "80 at most");
        let mut slow = after(450);
        (0..9).for_each(|_| slow.on_missed());
        assert_eq!(slow.wait(), Duration::from_millis(200));
    }

    #[test]
    fn a_first_segment_that_comes_late_says_nothing_of_the_round_trip() {
        let mut delay = Delay::new(at(50), Duration::from_millis(50), Duration::from_millis(40));
        delay.on_segment(at(3_000), true);
        assert_eq!(delay.trip_micros(), Some(100_000));
        assert!(!delay.on_segment(at(3_299), false), "a timeout is 300 ms");
        assert!(delay.on_segment(at(3_600), false));
    }

    #[test]
    fn it_follows_the_pauses_between_segments() {
        let mut delay = after(450);
        delay.on_missed();
        // 80 / 2 + 70, 110 / 2 + 20, and after an hour nothing changes but that acknowledgements are quick.
        for (pause, wait, quick) in [(70, 110, false), (10, 75, false), (3_600_000, 75, true)] {
            let now = at(delay.last + pause);
            assert_eq!((delay.on_segment(now, false), delay.wait()), (quick, Duration::from_millis(wait)), "{pause}");
        }
    }
    #[test]
    fn the_timer_of_a_delayed_acknowledgement_ends_what_waits_later() {
        let mut delay = after(51);
        let most = Duration::from_millis(1);
        assert_eq!(delay.report_by(at(100), most), at(101), "none has been set");
        delay.timer = at(140);
        assert_eq!([100, 139, 140].map(|now| delay.report_by(at(now), most)), [at(101), at(140), at(141)]);
        assert_eq!(delay.report_by(at(139), Duration::from_millis(3)), at(140));
    }
}
