//! Times of the packets of a group of flows, and its throughput over time: always counted, in bounded memory.

use super::latency::Latencies;
use crate::packet::Packet;
use crate::units::{Coarse, Duration, Instant};

/// Most intervals of the series of a run, ...
const INTERVALS: u64 = 500;
/// ... and of the series of all groups together, if that is not fewer than [`LEAST`] for each.
const INTERVALS_OF_ALL: u64 = 40_000;
const LEAST: u64 = 20;

/// The throughput and delays of a group of flows in an interval. Times are in units of [`Coarse`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Interval {
    /// Bytes that reached receivers, headers included.
    pub bytes: u64,
    /// Sum of the one-way delays of the packets that came, ...
    delays: u64,
    /// ... and of the senders' samples of the round trip.
    round_trips: u64,
    // Bound: 4e9 in an interval.
    packets: u32,
    samples: u32,
}

impl Interval {
    /// Packets that arrived.
    pub fn packets(&self) -> u64 {
        self.packets.into()
    }

    /// Sum of their one-way delays in seconds.
    pub fn delays(&self) -> f64 {
        Coarse::UNIT_SECS * self.delays as f64
    }

    /// Mean one-way delay in seconds of the packets that came; NaN if none came.
    pub fn delay(&self) -> f64 {
        self.delays() / f64::from(self.packets)
    }

    /// How many round trips senders have measured, ...
    pub fn samples(&self) -> u64 {
        self.samples.into()
    }

    /// ... and their sum in seconds.
    pub fn round_trips(&self) -> f64 {
        Coarse::UNIT_SECS * self.round_trips as f64
    }

    /// Mean round trip in seconds; NaN without samples.
    pub fn round_trip(&self) -> f64 {
        self.round_trips() / f64::from(self.samples)
    }
}

/// Distributions since the end of the warm-up, and the series since the start.
#[derive(Clone, Debug, Default)]
pub struct GroupRecorder {
    /// From sending to arrival, of each packet that reached a receiver.
    pub delay: Latencies,
    /// The part of it that the packet spent in queues.
    pub queueing: Latencies,
    /// The senders' samples of the round trip.
    pub round_trip: Latencies,
    series: Vec<Interval>,
}

impl GroupRecorder {
    /// Counts the other group's packets as this one's; the series stays this one's.
    pub fn merge(&mut self, other: &GroupRecorder) {
        self.delay.merge(&other.delay);
        self.queueing.merge(&other.queueing);
        self.round_trip.merge(&other.round_trip);
    }
}

/// All groups of a run, by number.
#[derive(Clone, Debug)]
pub struct GroupRecorders {
    of: Vec<GroupRecorder>,
    clock: Clock,
    /// The interval that was asked for last, and when it begins in nanoseconds.
    last: (usize, u64),
}

/// Tells in which interval a moment lies.
#[derive(Clone, Copy, Debug)]
struct Clock {
    /// Length of an interval in nanoseconds.
    every: u64,
}

impl Clock {
    fn interval(self, nanos: u64) -> usize {
        (nanos / self.every) as usize
    }
}

/// The least of 1, 2 or 5 times a power of ten that is not below `nanos`.
fn round_up(nanos: u64) -> u64 {
    let mut step: u64 = 1;
    loop {
        for factor in [1, 2, 5] {
            if step.saturating_mul(factor) >= nanos {
                return step.saturating_mul(factor);
            }
        }
        step = step.saturating_mul(10);
    }
}

impl GroupRecorders {
    /// The counters of `groups` groups in a run that ends at `end`.
    pub fn new(groups: usize, end: Instant) -> Self {
        let most = (INTERVALS_OF_ALL / groups.max(1) as u64).clamp(LEAST, INTERVALS);
        let clock = Clock { every: round_up(end.as_nanos().div_ceil(most).max(1)) };
        let series = vec![Interval::default(); clock.interval(end.as_nanos()) + 1];
        let of = vec![GroupRecorder { series, ..GroupRecorder::default() }; groups];
        GroupRecorders { of, clock, last: (0, 0) }
    }

    /// The interval in which a moment lies: mostly that of the last one.
    #[inline(always)]
    fn interval(&mut self, now: Instant) -> usize {
        if now.as_nanos().wrapping_sub(self.last.1) < self.clock.every { self.last.0 } else { self.look_up(now) }
    }

    #[inline(never)]
    fn look_up(&mut self, now: Instant) -> usize {
        let interval = self.clock.interval(now.as_nanos());
        self.last = (interval, interval as u64 * self.clock.every);
        interval
    }

    /// A packet of a group has reached its receiver.
    #[inline(always)]
    pub fn arrived(&mut self, group: u32, now: Instant, packet: &Packet) {
        let Some(sent_at) = packet.sent_at() else { return };
        let delay = Coarse::round(now.since(sent_at));
        let interval = self.interval(now);
        let group = &mut self.of[group as usize];
        group.delay.record(delay);
        group.queueing.record(packet.waited.units());
        if let Some(interval) = group.series.get_mut(interval) {
            interval.bytes += u64::from(packet.size);
            interval.delays += delay;
            interval.packets += 1;
        }
    }

    /// A sender of a group has measured the round trip.
    #[inline(always)]
    pub fn measured(&mut self, group: u32, now: Instant, round_trip: Coarse) {
        let interval = self.interval(now);
        let group = &mut self.of[group as usize];
        group.round_trip.record(round_trip.units());
        if let Some(interval) = group.series.get_mut(interval) {
            interval.round_trips += round_trip.units();
            interval.samples += 1;
        }
    }

    /// The warm-up is over: the distributions begin.
    pub fn begin(&mut self) {
        for group in &mut self.of {
            group.delay.clear();
            group.queueing.clear();
            group.round_trip.clear();
        }
    }

    /// The groups in order.
    pub fn all(&self) -> &[GroupRecorder] {
        &self.of
    }

    /// Number of the group, end, length and content of each interval up to `now`, group by group.
    pub fn series(&self, now: Instant) -> Vec<(usize, Instant, Duration, Interval)> {
        let every = self.clock.every;
        let begun = now.as_nanos().div_ceil(every) as usize;
        let mut rows = Vec::with_capacity(self.of.iter().map(|group| group.series.len().min(begun)).sum());
        for (number, group) in self.of.iter().enumerate() {
            for (start, interval) in (0_u64..).map(|i| i * every).zip(group.series.iter().take(begun)) {
                let end = (start + every).min(now.as_nanos());
                rows.push((number, Instant::from_nanos(end), Duration::from_nanos(end - start), *interval));
            }
        }
        rows
    }

    /// Bytes of memory.
    pub fn footprint(&self) -> u64 {
        let of_one = |group: &GroupRecorder| {
            let cells = group.delay.footprint() + group.queueing.footprint() + group.round_trip.footprint();
            cells + (group.series.capacity() * size_of::<Interval>()) as u64
        };
        self.of.iter().map(of_one).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::FlowId;

    #[test]
    fn intervals_are_round_and_not_too_many() {
        assert_eq!([1, 2, 3, 9, 120_000_000, 600_000_000].map(round_up), [1, 2, 5, 10, 200_000_000, 1_000_000_000]);
        let secs = |n| Instant::ZERO + Duration::from_secs(n);
        let count = |groups, end| GroupRecorders::new(groups, end).of[0].series.len();
        // 60 s by 0.2 s, and the moment of the end.
        assert_eq!(count(3, secs(60)), 301);
        assert_eq!(count(200, secs(60)), 121);
        assert_eq!(count(100_000, secs(60)), 13);
        assert_eq!(count(1, Instant::from_nanos(1)), 2);
    }

    #[test]
    fn moments_that_come_in_any_order_lie_in_their_intervals() {
        let mut groups = GroupRecorders::new(1, Instant::ZERO + Duration::from_secs(1));
        // Intervals of 2 ms.
        for micros in [0, 1_999, 2_000, 3_999, 1_000, 9_000, 8_000, 7_999, 999_999, 1_000_000, 0] {
            let now = Instant::ZERO + Duration::from_micros(micros);
            assert_eq!(groups.interval(now), (micros / 2_000) as usize, "{micros} us");
        }
    }

    #[test]
    fn what_comes_is_counted_in_its_interval_and_since_the_warm_up() {
        let at = |millis| Instant::ZERO + Duration::from_millis(millis);
        let mut groups = GroupRecorders::new(2, at(1000));
        // Intervals of 2 ms; packets sent at time zero.
        let mut packet = Packet::datagram(FlowId(0), 0, 1000);
        groups.arrived(1, at(9), &packet);
        groups.begin();
        packet.wait(Duration::from_millis(4));
        groups.arrived(1, at(10), &packet);
        groups.measured(1, at(11), Coarse::of(Duration::from_millis(8)));
        let delays = &groups.all()[1];
        assert_eq!((delays.delay.count(), delays.queueing.count(), delays.round_trip.count()), (1, 1, 1));
        assert!((delays.queueing.mean() - 0.004).abs() < 1e-9);
        let rows = groups.series(at(11));
        // 2, 4 ... 10, 11 ms for each of two groups.
        assert_eq!(rows.len(), 12);
        let of_second: Vec<_> = rows[6..].iter().map(|(_, end, length, row)| (*end, *length, row.bytes)).collect();
        assert_eq!(of_second[4], (at(10), Duration::from_millis(2), 1000));
        assert_eq!(of_second[5], (at(11), Duration::from_millis(1), 1000));
        assert!((rows[11].3.delay() - 0.010).abs() < 1e-9 && (rows[11].3.round_trip() - 0.008).abs() < 1e-9);
        assert!(rows[5].3.delay().is_nan());
    }
}
