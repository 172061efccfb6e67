//! Samples of the delivery rate. A sample is the data delivered since a segment was sent, divided by the longer of two times: that in which
//! this data was sent, and that in which it was acknowledged. Specification: draft-cheng-iccrg-delivery-rate-estimation-00; what was in the
//! network and what had been lost when the segment was sent: draft-ietf-ccwg-bbr-06 section 4.1.2. Samples are taken only for laws that
//! use them.

use std::collections::VecDeque;

use crate::transport::congestion::{Lost, Sampler, Spans};
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
    /// P.tx_in_flight and P.lost.
    flight: u64,
    lost: u64,
}

/// A transmission.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sending {
    pub now: Instant,
    /// The segments in the network before and after it.
    pub before: u64,
    pub after: u64,
    /// All segments that have been found to be lost.
    pub lost: u64,
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
    /// The segments in the network when it had been sent, and those that had been lost.
    pub flight: u64,
    pub lost: u64,
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
    /// The rule for the newest segment. In Linux of those that were sent in one microsecond it is the last by its bytes
    /// (`tcp_skb_sent_after`).
    sampler: Sampler,
}

impl Delivery {
    /// The state at the beginning. In Linux the SYN counts as delivered, if there was one, and the first samples count as limited by the
    /// application, which had nothing to send before.
    pub fn new(sampler: Sampler, handshake: bool) -> Self {
        let linux = sampler == Sampler::Linux;
        Delivery { sampler, delivered: u64::from(linux && handshake), app_limited: linux.into(), ..Delivery::default() }
    }

    fn stamp(&mut self, sending: &Sending) -> Stamp {
        let Sending { now, before, after, lost } = *sending;
        if before == 0 {
            (self.first_sent, self.delivered_at) = (now, now);
        }
        Stamp {
            sent_at: now,
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            first_sent: self.first_sent,
            app_limited: self.app_limited > 0,
            flight: after,
            lost,
        }
    }

    /// The next segment is sent.
    pub fn on_sent(&mut self, sending: &Sending) {
        let stamp = self.stamp(sending);
        self.stamps.push_back(stamp);
    }

    /// The segment with this number is sent again.
    pub fn on_resent(&mut self, number: u64, sending: &Sending) {
        let stamp = self.stamp(sending);
        self.stamps[(number - self.first) as usize] = stamp;
    }

    /// The segment with this number counts as lost, and `lost` segments have been found to be lost with it.
    pub fn lost(&self, now: Instant, number: u64, lost: u64) -> Lost {
        let stamp = self.stamps[(number - self.first) as usize];
        Lost {
            now,
            number,
            total: self.delivered,
            flight_then: stamp.flight as f64,
            lost_since: (lost - stamp.lost) as f64,
            app_limited: stamp.app_limited,
        }
    }

    /// An acknowledgement reports the segment with this number, which ends at byte `end`, for the first time (section 3.3,
    /// UpdateRateSample).
    pub fn on_arrival(&mut self, now: Instant, number: u64, end: u64) {
        let stamp = self.stamps[(number - self.first) as usize];
        self.delivered += 1;
        self.delivered_at = now;
        let newer = self.newest.is_none_or(|newest| {
            let micros = |sent: &Stamp| sent.sent_at.as_nanos() / 1000;
            match self.sampler {
                Sampler::MostDelivered => stamp.delivered > newest.stamp.delivered,
                Sampler::LastSent => (stamp.sent_at, end) > (newest.stamp.sent_at, newest.end),
                Sampler::Linux => (micros(&stamp), end) > (micros(&newest.stamp), newest.end),
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
        let Stamp { delivered: prior, app_limited, flight, lost, .. } = stamp;
        Some(Rate { segments, prior, app_limited, flight, lost, spans })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::at_millis as at;

    const RTT: Option<Duration> = Some(Duration::from_millis(100));

    /// A transmission while `before` segments are in the network, and nothing has been lost.
    fn sending(now: Instant, before: u64) -> Sending {
        Sending { now, before, after: before + 1, lost: 0 }
    }

    /// The samples of ten segments. They are sent one each millisecond, and acknowledged one every `spacing` milliseconds.
    fn ten(spacing: u64) -> (Delivery, Vec<Option<f64>>) {
        let mut delivery = Delivery::default();
        (0..10).for_each(|n| delivery.on_sent(&sending(at(n), n)));
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
        (0..20).for_each(|n| delivery.on_sent(&sending(at(0), n)));
        for n in 0..60 {
            let now = at(100 + 5 * n);
            delivery.on_arrival(now, n, n);
            delivery.forget_first();
            let rate = delivery.sample(RTT).expect("a sample").segments.expect("long enough");
            delivery.on_sent(&sending(now, 19));
            if n >= 40 {
                assert!((rate - 200.0).abs() < 1e-9, "{n}: {rate}");
            }
        }
    }

    #[test]
    fn acknowledgements_that_come_at_once_do_not_raise_the_rate_above_that_of_sending() {
        // Sent at 1 a millisecond, all acknowledged at once: the first flight of ten over 109 ms, not over nothing.
        let mut delivery = Delivery::default();
        (0..10).for_each(|n| delivery.on_sent(&sending(at(n), n)));
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
        delivery.on_sent(&sending(at(0), 0));
        delivery.on_lack_of_data(1);
        delivery.on_sent(&sending(at(10), 1));
        for (n, limited) in [(0, false), (1, true)] {
            delivery.on_arrival(at(100 + n), n, n);
            delivery.forget_first();
            assert_eq!(delivery.sample(RTT).expect("a sample").app_limited, limited);
        }
        // Delivered is 2, behind 1: what leaves now is not limited.
        delivery.on_sent(&sending(at(200), 0));
        delivery.on_arrival(at(300), 2, 2);
        assert!(!delivery.sample(RTT).expect("a sample").app_limited);
    }

    #[test]
    fn in_linux_the_last_by_its_bytes_is_the_newest_of_a_microsecond() {
        // The second segment leaves first, and the first one leaves again in the same microsecond or in the next one. Both arrive at once.
        for (nanos, prior) in [(2_999, 1), (3_000, 2)] {
            let mut delivery = Delivery::new(Sampler::Linux, true);
            delivery.on_sent(&sending(at(0), 0));
            delivery.on_sent(&sending(Instant::from_nanos(2_100), 1));
            delivery.delivered = 2;
            delivery.on_resent(0, &sending(Instant::from_nanos(nanos), 2));
            delivery.on_arrival(at(1), 0, 10);
            delivery.on_arrival(at(1), 1, 20);
            assert_eq!(delivery.sample(RTT).expect("a sample").prior, prior, "{nanos}");
        }
    }

    #[test]
    fn an_interval_shorter_than_a_round_trip_says_nothing() {
        let mut delivery = Delivery::default();
        delivery.on_sent(&sending(at(0), 0));
        delivery.on_arrival(at(50), 0, 0);
        assert_eq!(delivery.sample(RTT).expect("a sample").segments, None);
    }

    #[test]
    fn of_segments_that_left_between_two_acknowledgements_the_last_is_the_newest_in_version_3() {
        // 0 and 1 leave when nothing has been delivered, and are acknowledged at once. With 0 the network had one segment, with 1 two.
        for (sampler, flight) in [(Sampler::MostDelivered, 1), (Sampler::LastSent, 2), (Sampler::Linux, 2)] {
            let mut delivery = Delivery::new(sampler, false);
            (0..2).for_each(|n| delivery.on_sent(&sending(at(n), n)));
            (0..2).for_each(|n| delivery.on_arrival(at(101), n, n));
            assert_eq!(delivery.sample(RTT).expect("a sample").flight, flight, "{sampler:?}");
        }
    }

    #[test]
    fn a_lost_segment_tells_what_was_in_the_network_with_it_and_what_has_been_lost_since() {
        let mut delivery = Delivery::new(Sampler::LastSent, false);
        for n in 0..4 {
            delivery.on_sent(&Sending { lost: n, ..sending(at(n), n) });
        }
        delivery.on_arrival(at(100), 3, 3);
        let lost = delivery.lost(at(100), 2, 5);
        assert_eq!((lost.total, lost.flight_then as u64, lost.lost_since as u64), (1, 3, 3));
        // Sent again it is another packet.
        delivery.on_resent(2, &Sending { lost: 5, ..sending(at(101), 7) });
        let again = delivery.lost(at(200), 2, 6);
        assert_eq!((again.flight_then as u64, again.lost_since as u64), (8, 1));
    }
}
