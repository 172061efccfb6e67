//! Samples of the delivery rate. A sample is the data delivered since a segment was sent, divided by the longer of two times: that in which
//! this data was sent, and that in which it was acknowledged. Specification: draft-cheng-iccrg-delivery-rate-estimation-00. Samples are
//! taken only for laws that use them.

use std::collections::VecDeque;

use crate::transport::congestion::Spans;
use crate::units::{Duration, Instant};

/// The state of the connection when a segment is sent.
#[derive(Clone, Copy, Debug)]
struct Stamp {
    sent_at: Instant,
    /// P.delivered, P.delivered_time, P.first_sent_time, P.is_app_limited.
    delivered: u64,
    delivered_at: Instant,
    first_sent: Instant,
    app_limited: bool,
}

/// The newest segment among those that an acknowledgement reports.
#[derive(Clone, Copy, Debug)]
struct Newest {
    stamp: Stamp,
    /// The byte behind it.
    end: u64,
    ack_elapsed: Duration,
}

/// A sample of section 3.3.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rate {
    /// The rate in segments per second. Absent if the interval is shorter than the least round trip.
    pub segments: Option<f64>,
    /// The segments that had been delivered when the newest segment was sent.
    pub prior: u64,
    pub app_limited: bool,
    /// The beginnings of the two intervals.
    pub spans: Spans,
}

/// The state of a connection, which the draft calls C.
#[derive(Clone, Debug, Default)]
pub(super) struct Delivery {
    stamps: VecDeque<Stamp>,
    /// The number of the first segment in `stamps`.
    first: u64,
    /// The segments delivered until now.
    pub delivered: u64,
    delivered_at: Instant,
    first_sent: Instant,
    /// Samples count as limited by the application until `delivered` exceeds this. 0 says that they do not.
    app_limited: u64,
    least_rtt: Option<Duration>,
    newest: Option<Newest>,
    /// True if the newest segment is the one that was sent last, by whole microseconds. Of those that were sent in one, it is the last by
    /// its bytes (`tcp_skb_sent_after`).
    by_time: bool,
}

impl Delivery {
    /// The state at the beginning in Linux. The newest segment is the one that was sent last. The SYN counts as delivered, if there was
    /// one. The first samples count as limited by the application, which had nothing to send before.
    pub fn of_linux(handshake: bool) -> Self {
        Delivery { by_time: true, delivered: handshake.into(), app_limited: 1, ..Delivery::default() }
    }

    fn stamp(&mut self, now: Instant, in_network: u64) -> Stamp {
        if in_network == 0 {
            (self.first_sent, self.delivered_at) = (now, now);
        }
        Stamp {
            sent_at: now,
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            first_sent: self.first_sent,
            app_limited: self.app_limited > 0,
        }
    }

    /// The next segment is sent. `in_network` segments are in the network before.
    pub fn on_sent(&mut self, now: Instant, in_network: u64) {
        let stamp = self.stamp(now, in_network);
        self.stamps.push_back(stamp);
    }

    /// The segment with this number is sent again.
    pub fn on_resent(&mut self, now: Instant, number: u64, in_network: u64) {
        let stamp = self.stamp(now, in_network);
        self.stamps[(number - self.first) as usize] = stamp;
    }

    /// An acknowledgement reports the segment with this number, which ends at byte `end`, for the first time (section 3.3,
    /// UpdateRateSample).
    pub fn on_arrival(&mut self, now: Instant, number: u64, end: u64) {
        let stamp = self.stamps[(number - self.first) as usize];
        self.delivered += 1;
        self.delivered_at = now;
        let newer = self.newest.is_none_or(|newest| {
            let micros = |sent: &Stamp| sent.sent_at.as_nanos() / 1000;
            if self.by_time {
                (micros(&stamp), end) > (micros(&newest.stamp), newest.end)
            } else {
                stamp.delivered > newest.stamp.delivered
            }
        });
        if newer {
            self.newest = Some(Newest { stamp, end, ack_elapsed: now.since(stamp.delivered_at) });
            self.first_sent = stamp.sent_at;
        }
    }

    /// Segments were received twice. In Linux they count as delivered.
    pub fn on_twice(&mut self, now: Instant, segments: u64) {
        self.delivered += segments;
        self.delivered_at = now;
    }

    /// The first segment has left the window.
    pub fn forget_first(&mut self) {
        self.stamps.pop_front();
        self.first += 1;
    }

    /// The window has room and there is no data to send (section 3.4). `in_network` segments are in the network.
    pub fn on_lack_of_data(&mut self, in_network: u64) {
        self.app_limited = (self.delivered + in_network).max(1);
    }

    /// True if a segment that is sent now counts as limited by the application.
    pub fn lacks_data(&self) -> bool {
        self.app_limited > 0
    }

    /// The segments delivered since the newest segment was sent that the last acknowledgement reports.
    pub fn since_newest(&mut self) -> u64 {
        self.newest.take().map_or(self.delivered, |newest| self.delivered - newest.stamp.delivered)
    }

    /// The sample of the segments that an acknowledgement has reported (section 3.3, GenerateRateSample).
    pub fn sample(&mut self, rtt: Option<Duration>) -> Option<Rate> {
        if self.app_limited > 0 && self.delivered > self.app_limited {
            self.app_limited = 0;
        }
        self.least_rtt = match (self.least_rtt, rtt) {
            (Some(least), Some(rtt)) => Some(least.min(rtt)),
            (least, rtt) => least.or(rtt),
        };
        let Newest { stamp, ack_elapsed, .. } = self.newest.take()?;
        let interval = stamp.sent_at.since(stamp.first_sent).max(ack_elapsed);
        let segments = (interval > Duration::ZERO && self.least_rtt.is_none_or(|least| interval >= least))
            .then(|| (self.delivered - stamp.delivered) as f64 / interval.as_secs_f64());
        let spans = Spans { left: stamp.sent_at, first_left: stamp.first_sent, heard: stamp.delivered_at };
        Some(Rate { segments, prior: stamp.delivered, app_limited: stamp.app_limited, spans })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::at_millis as at;

    const RTT: Option<Duration> = Some(Duration::from_millis(100));

    /// The samples of ten segments. They are sent one each millisecond, and acknowledged one every `spacing` milliseconds.
    fn ten(spacing: u64) -> (Delivery, Vec<Option<f64>>) {
        let mut delivery = Delivery::default();
        (0..10).for_each(|n| delivery.on_sent(at(n), n));
        let mut rates = Vec::new();
        for n in 0..10 {
            delivery.on_arrival(at(100 + spacing * n), n, n);
            delivery.forget_first();
            rates.push(delivery.sample(RTT).expect("a sample").segments);
        }
        (delivery, rates)
    }

    #[test]
    fn the_first_flight_is_sampled_over_the_round_trip() {
        // The n-th acknowledgement tells of n + 1 segments since nothing was out, n spacings after the first.
        let (_, rates) = ten(5);
        for (n, rate) in rates.into_iter().enumerate() {
            let expected = (n + 1) as f64 / (0.1 + 0.005 * n as f64);
            assert!((rate.expect("long enough") - expected).abs() < 1e-9);
        }
    }

    #[test]
    fn in_steady_state_the_slower_of_sending_and_hearing_counts() {
        // A bottleneck of 5 ms for each, and a window of 20: each segment leaves when the one 20 before it has been acknowledged.
        let mut delivery = Delivery::default();
        (0..20).for_each(|n| delivery.on_sent(at(0), n));
        for n in 0..60 {
            let now = at(100 + 5 * n);
            delivery.on_arrival(now, n, n);
            delivery.forget_first();
            let rate = delivery.sample(RTT).expect("a sample").segments.expect("long enough");
            delivery.on_sent(now, 19);
            if n >= 40 {
                assert!((rate - 200.0).abs() < 1e-9, "{n}: {rate}");
            }
        }
    }

    #[test]
    fn acknowledgements_that_come_at_once_do_not_raise_the_rate_above_that_of_sending() {
        // Sent at 1 a millisecond, all acknowledged at once: the first flight of ten over 109 ms, not over nothing.
        let mut delivery = Delivery::default();
        (0..10).for_each(|n| delivery.on_sent(at(n), n));
        for n in 0..10 {
            delivery.on_arrival(at(109), n, n);
            delivery.forget_first();
        }
        let sample = delivery.sample(RTT).expect("a sample");
        assert!((sample.segments.expect("a rate") - 10.0 / 0.109).abs() < 1e-9 && sample.prior == 0);
    }

    #[test]
    fn a_lack_of_data_is_told_until_what_was_out_is_delivered() {
        let mut delivery = Delivery::default();
        delivery.on_sent(at(0), 0);
        delivery.on_lack_of_data(1);
        delivery.on_sent(at(10), 1);
        for (n, limited) in [(0, false), (1, true)] {
            delivery.on_arrival(at(100 + n), n, n);
            delivery.forget_first();
            assert_eq!(delivery.sample(RTT).expect("a sample").app_limited, limited);
        }
        // Delivered is 2, behind 1: what leaves now is not limited.
        delivery.on_sent(at(200), 0);
        delivery.on_arrival(at(300), 2, 2);
        assert!(!delivery.sample(RTT).expect("a sample").app_limited);
    }

    #[test]
    fn in_linux_the_last_by_its_bytes_is_the_newest_of_a_microsecond() {
        // The second segment leaves first, and the first one leaves again in the same microsecond or in the next one. Both arrive at once.
        for (nanos, prior) in [(2_999, 1), (3_000, 2)] {
            let mut delivery = Delivery::of_linux(true);
            delivery.on_sent(at(0), 0);
            delivery.on_sent(Instant::from_nanos(2_100), 1);
            delivery.delivered = 2;
            delivery.on_resent(Instant::from_nanos(nanos), 0, 2);
            delivery.on_arrival(at(1), 0, 10);
            delivery.on_arrival(at(1), 1, 20);
            assert_eq!(delivery.sample(RTT).expect("a sample").prior, prior, "{nanos}");
        }
    }

    #[test]
    fn an_interval_shorter_than_a_round_trip_says_nothing() {
        let mut delivery = Delivery::default();
        delivery.on_sent(at(0), 0);
        delivery.on_arrival(at(50), 0, 0);
        assert_eq!(delivery.sample(RTT).expect("a sample").segments, None);
    }
}
