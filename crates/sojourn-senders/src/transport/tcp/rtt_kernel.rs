//! The round-trip estimator of today's Linux, in whole microseconds. Its variation is the largest of a round trip: it rises at once, falls
//! once in a round trip, and hardly moves when round trips become shorter. Compared with: Linux 6.12.117 `tcp_rtt_estimator` (behaviour),
//! by recordings (`tests/peers/linux/kernel`).

use crate::units::{Duration, Instant};

/// The round trip that an echoed timestamp tells: Linux's timestamps are whole milliseconds.
pub(super) fn in_millis(now: Instant, echo: Instant) -> Duration {
    let millis = |at: Instant| at.as_nanos() / 1_000_000;
    Duration::from_millis((millis(now) - millis(echo)).max(1))
}

/// The round trip of a segment that was sent once: Linux's clock has whole microseconds.
pub(super) fn in_micros(now: Instant, sent_at: Instant) -> Duration {
    Duration::from_micros(now.as_nanos() / 1000 - sent_at.as_nanos() / 1000)
}

/// The estimate of one connection. Times are in microseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Estimate {
    /// Eight smoothed round trips.
    srtt8: u32,
    /// Four mean deviations, the largest of this round trip, and what counts.
    deviation: u32,
    largest: u32,
    variation: u32,
    /// Behind which byte the round trip ends.
    round: u64,
}

impl Estimate {
    /// The first sample. `least`: below it no variation counts. `next`: the byte that is sent next.
    pub fn new(sample: u32, least: u32, next: u64) -> Self {
        let variation = (2 * sample).max(least);
        Estimate { srtt8: 8 * sample, deviation: 2 * sample, largest: variation, variation, round: next }
    }

    /// Another sample; all below `una` has been acknowledged.
    pub fn take(&mut self, sample: u32, least: u32, una: u64, next: u64) {
        let error = i64::from(sample) - i64::from(self.srtt8 >> 3);
        self.srtt8 = (i64::from(self.srtt8) + error).max(1) as u32;
        let mut step = error.abs() - i64::from(self.deviation >> 2);
        if error < 0 && step > 0 {
            step >>= 3;
        }
        self.deviation = (i64::from(self.deviation) + step).max(0) as u32;
        if self.deviation > self.largest {
            self.largest = self.deviation;
            self.variation = self.variation.max(self.largest);
        }
        if una > self.round {
            if self.largest < self.variation {
                self.variation -= (self.variation - self.largest) >> 2;
            }
            (self.round, self.largest) = (next, least);
        }
    }

    /// The timeout that follows, in whole milliseconds.
    pub fn timeout(&self) -> Duration {
        Duration::from_millis(u64::from((self.srtt8 >> 3) + self.variation).div_ceil(1000))
    }

    pub fn smoothed(&self) -> Duration {
        Duration::from_nanos(u64::from(self.srtt8) * 125)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEAST: u32 = 200_000;

    #[test]
    fn a_round_trip_ends_with_a_whole_microsecond() {
        let at = Instant::from_nanos;
        assert_eq!(in_micros(at(909_967_104), at(868_755_712)), Duration::from_micros(41_212), "of 41,211.4");
        assert_eq!(in_micros(at(908_894_976), at(868_773_632)), Duration::from_micros(40_121), "of 40,121.3");
    }

    #[test]
    fn the_first_sample_gives_three_times_itself() {
        assert_eq!(Estimate::new(400_000, LEAST, 0).timeout(), Duration::from_millis(1200));
        assert_eq!(Estimate::new(40_001, LEAST, 0).timeout(), Duration::from_millis(241));
    }

    #[test]
    fn shorter_round_trips_hardly_move_the_variation_and_it_falls_once_in_a_round_trip() {
        // 430 ms and then 45: srtt 381.875. The deviation of 860 would move by (385 - 215) / 8 = 21.25.
        let mut estimate = Estimate::new(430_000, LEAST, 0);
        estimate.take(45_000, LEAST, 1448, 4344);
        assert_eq!(estimate.smoothed(), Duration::from_micros(381_875));
        assert_eq!((estimate.deviation, estimate.variation), (881_250, 881_250));
        // In the next round trip 200 is the least: the variation falls by a quarter of the difference at its end, not before.
        estimate.take(381_875, LEAST, 2896, 5792);
        assert_eq!(estimate.variation, 881_250);
        estimate.deviation = 0;
        estimate.take(381_875, LEAST, 4345, 5792);
        assert_eq!(estimate.variation, 881_250 - (881_250 - 660_938) / 4);
    }
}
