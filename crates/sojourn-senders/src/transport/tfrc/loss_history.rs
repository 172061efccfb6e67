//! The loss event rate (RFC 5348 section 5): which packets are lost, which of them begin a loss event, how long the
//! intervals between loss events are, and their weighted mean.

use std::collections::VecDeque;

use crate::units::{Duration, Instant};

/// How loss intervals are averaged.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weighting {
    /// How many closed ones count: n.
    pub intervals: usize,
    /// The least factor of discounting (section 5.5); absent: the intervals are not discounted (section 5.4).
    pub discount_min: Option<f64>,
}

impl Weighting {
    /// `w_i = 1 for i < n / 2, else 2 (n - i) / (n + 2)` (RFC 5348 section 5.4).
    fn weight(&self, i: usize) -> f64 {
        let n = self.intervals;
        if 2 * i < n { 1.0 } else { 2.0 * (n - i) as f64 / (n + 2) as f64 }
    }
}

/// A closed loss interval.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Interval {
    packets: f64,
    /// DF_i.
    discount: f64,
}

/// The first packet of the last loss event, and when it would have come.
#[derive(Clone, Copy, Debug)]
struct Event {
    seq: u64,
    at: Instant,
}

/// Consecutive packets that have not come.
#[derive(Clone, Copy, Debug)]
struct Gap {
    first: u64,
    last: u64,
    /// The packets around it as it was first seen, and when they came.
    before: (u64, Instant),
    after: (u64, Instant),
    /// Packets with higher numbers that have come.
    later: u64,
}

impl Gap {
    /// When packet `seq` would have come (RFC 5348 section 5.2).
    fn nominal_arrival(&self, seq: u64) -> Instant {
        let share = (seq - self.before.0) as f64 / (self.after.0 - self.before.0) as f64;
        self.before.1 + self.after.1.since(self.before.1).mul_f64(share)
    }
}

/// Arrivals and holes.
#[derive(Clone, Debug)]
pub(super) struct LossHistory {
    weighting: Weighting,
    dup_threshold: u64,
    /// The highest number so far, and when it came.
    highest: Option<(u64, Instant)>,
    /// In order of their numbers.
    gaps: VecDeque<Gap>,
    event: Option<Event>,
    /// I_1, I_2 ...: the newest first.
    closed: VecDeque<Interval>,
}

impl LossHistory {
    pub fn new(weighting: Weighting, dup_threshold: u64) -> Self {
        LossHistory {
            weighting,
            dup_threshold,
            highest: None,
            gaps: VecDeque::new(),
            event: None,
            closed: VecDeque::new(),
        }
    }

    /// A packet has arrived; `rtt` is the sender's. Returns whether a loss event has begun.
    pub fn on_packet(&mut self, now: Instant, seq: u64, marked: bool, rtt: Duration) -> bool {
        match self.highest {
            Some(highest) if seq <= highest.0 => self.fill(seq),
            Some(highest) => {
                if seq > highest.0 + 1 {
                    let gap = Gap { first: highest.0 + 1, last: seq - 1, before: highest, after: (seq, now), later: 0 };
                    self.gaps.push_back(gap);
                }
                self.highest = Some((seq, now));
            }
            // RFC 5348 section 6.3: the first packet that comes begins the history.
            None => self.highest = Some((seq, now)),
        }
        for gap in self.gaps.iter_mut().filter(|gap| gap.last < seq) {
            gap.later += 1;
        }
        let mut began = false;
        // RFC 5348 section 5.1: a mark is a congestion event at once, and so are the missing packets before it.
        let threshold = self.dup_threshold;
        let is_lost = |gap: &Gap| gap.later >= threshold || (marked && gap.last < seq);
        while let Some(gap) = self.gaps.front().copied().filter(is_lost) {
            self.gaps.pop_front();
            for lost in gap.first..=gap.last {
                began |= self.congestion(lost, gap.nominal_arrival(lost), rtt);
            }
        }
        if marked {
            began |= self.congestion(seq, now, rtt);
        }
        began
    }

    /// A late packet.
    fn fill(&mut self, seq: u64) {
        let Some(index) = self.gaps.iter().position(|gap| (gap.first..=gap.last).contains(&seq)) else { return };
        let gap = self.gaps[index];
        self.gaps.remove(index);
        if gap.last > seq {
            self.gaps.insert(index, Gap { first: seq + 1, ..gap });
        }
        if gap.first < seq {
            self.gaps.insert(index, Gap { last: seq - 1, ..gap });
        }
    }

    /// A packet was lost or marked. Returns whether it begins a loss event (RFC 5348 section 5.2).
    fn congestion(&mut self, seq: u64, at: Instant, rtt: Duration) -> bool {
        if let Some(event) = self.event {
            if event.at + rtt >= at || seq <= event.seq {
                return false;
            }
            self.close((seq - event.seq) as f64);
        }
        self.event = Some(Event { seq, at });
        true
    }

    /// The present interval ends with `packets` packets.
    fn close(&mut self, packets: f64) {
        let discount = self.discount(packets);
        for interval in &mut self.closed {
            interval.discount *= discount;
        }
        self.closed.push_front(Interval { packets, discount: 1.0 });
        self.closed.truncate(self.weighting.intervals);
    }

    /// Whether the interval before the first loss event is still to be given.
    pub fn wants_first_interval(&self) -> bool {
        self.event.is_some() && self.closed.len() < self.weighting.intervals
    }

    /// Gives the interval before the first loss event (RFC 5348 section 6.3.1): the oldest.
    pub fn begin_with(&mut self, packets: f64) {
        self.closed.push_back(Interval { packets, discount: 1.0 });
        self.closed.truncate(self.weighting.intervals);
    }

    /// I_0: the packets since the last loss event began.
    fn present(&self) -> f64 {
        match (self.event, self.highest) {
            (Some(event), Some((highest, _))) => (highest + 1).saturating_sub(event.seq).max(1) as f64,
            _ => 0.0,
        }
    }

    /// DF while the present interval has `present` packets (RFC 5348 section 5.5).
    fn discount(&self, present: f64) -> f64 {
        let Some(least) = self.weighting.discount_min else { return 1.0 };
        let (packets, weight) = self.sums(0, 1.0);
        let mean = packets / weight;
        if weight > 0.0 && present > 2.0 * mean { (2.0 * mean / present).max(least) } else { 1.0 }
    }

    /// Weighted packets and weights of the closed intervals, the weights moved by `shift`, but for those that no
    /// weight is left for.
    fn sums(&self, shift: usize, factor: f64) -> (f64, f64) {
        let counted = self.closed.len() - shift.min(self.closed.len());
        self.closed.iter().take(counted).enumerate().fold((0.0, 0.0), |(packets, weight), (i, interval)| {
            let own = self.weighting.weight(i + shift) * interval.discount * factor;
            (packets + own * interval.packets, weight + own)
        })
    }

    /// p; zero before the first loss event.
    pub fn loss_event_rate(&self) -> f64 {
        if self.event.is_none() || self.closed.is_empty() {
            return 0.0;
        }
        let present = self.present();
        // RFC 5348 sections 5.4 and 5.5: with the present interval and without it; the lower rate counts.
        let (old_packets, old_weight) = self.sums(1, self.discount(present));
        let w_0 = self.weighting.weight(0);
        let with = (w_0 + old_weight) / (w_0 * present + old_packets);
        let (packets, weight) = self.sums(0, 1.0);
        with.min(weight / packets).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{at_millis as at, near_by_ratio};

    const RTT: Duration = Duration::from_millis(100);
    const PLAIN: Weighting = Weighting { intervals: 8, discount_min: None };
    const DISCOUNTED: Weighting = Weighting { intervals: 8, discount_min: Some(0.25) };

    /// Packet n comes at n * 10 ms, but for those of `lost`.
    fn history(packets: u64, lost: &[u64]) -> LossHistory {
        let mut history = LossHistory::new(PLAIN, 3);
        for seq in (0..packets).filter(|seq| !lost.contains(seq)) {
            history.on_packet(at(10 * seq), seq, false, RTT);
        }
        history
    }

    /// With I_1, I_2 ... as given, and I_0.
    fn averaged(weighting: Weighting, closed: &[f64], present: u64) -> LossHistory {
        let mut history = LossHistory::new(weighting, 3);
        history.closed = closed.iter().map(|&packets| Interval { packets, discount: 1.0 }).collect();
        history.event = Some(Event { seq: 1000, at: at(0) });
        history.highest = Some((999 + present, at(0)));
        history
    }

    #[test]
    fn the_weights_of_eight_are_those_of_the_rfc() {
        let weights: Vec<f64> = (0..8).map(|i| PLAIN.weight(i)).collect();
        for (weight, expected) in weights.iter().zip([1.0, 1.0, 1.0, 1.0, 0.8, 0.6, 0.4, 0.2]) {
            assert!(near_by_ratio(*weight, expected), "{weights:?}");
        }
    }

    #[test]
    fn a_packet_is_lost_when_three_later_ones_have_come() {
        assert!(history(7, &[4]).event.is_none(), "5 and 6 have come");
        assert_eq!(history(8, &[4]).event.map(|event| event.seq), Some(4));
    }

    #[test]
    fn a_late_packet_fills_its_hole_only_in_time() {
        let mut early = history(7, &[3, 4]);
        early.on_packet(at(65), 4, false, RTT);
        early.on_packet(at(70), 7, false, RTT);
        assert_eq!(early.event.map(|event| event.seq), Some(3));
        assert_eq!(early.event.map(|event| event.at), Some(at(30)));

        let mut late = history(8, &[4]);
        late.on_packet(at(75), 4, false, RTT);
        assert!(late.event.is_some());
    }

    #[test]
    fn losses_within_a_round_trip_are_one_event() {
        // The first is lost at 40 ms: up to 140 ms, packet 14, it is the same event.
        let same = history(30, &[4, 9, 14]);
        assert!(same.closed.is_empty());
        let next = history(30, &[4, 9, 15]);
        assert_eq!(next.closed[0].packets.to_bits(), 11.0_f64.to_bits(), "S_B - S_A");
        assert_eq!(next.present().to_bits(), 15.0_f64.to_bits(), "S_C - S_A + 1 with S_C = 29");
    }

    #[test]
    fn the_arrival_of_a_lost_packet_is_interpolated() {
        // RFC 5348 section 5.2: 2 comes at 20 ms, 6 at 60 ms: 4 would have come at 40 ms.
        let gap = Gap { first: 3, last: 5, before: (2, at(20)), after: (6, at(60)), later: 0 };
        assert_eq!(gap.nominal_arrival(4), at(40));
    }

    #[test]
    fn a_mark_is_an_event_at_once_and_begins_with_what_was_missing_before_it() {
        // RFC 5348 section 5.1: n - 1 comes, then n + 1, then n + 2 with a mark.
        let mut marked = history(6, &[4]);
        assert!(marked.on_packet(at(60), 6, true, RTT));
        assert_eq!(marked.event.map(|event| event.seq), Some(4));

        // Section 5.3: an interval that is a single marked packet has one packet.
        let mut single = history(6, &[]);
        assert!(single.on_packet(at(60), 6, true, RTT));
        assert_eq!(single.present().to_bits(), 1.0_f64.to_bits());
    }

    #[test]
    fn the_mean_is_that_of_section_5_4() {
        // Without I_0 = 10: (100 + 200 + 300 + 400 + 0.8 500 + 0.6 600 + 0.4 700 + 0.2 800) / 6 = 2200 / 6. With it less.
        let closed = [100.0, 200.0, 300.0, 400.0, 500.0, 600.0, 700.0, 800.0];
        assert!(near_by_ratio(averaged(PLAIN, &closed, 10).loss_event_rate(), 6.0 / 2200.0));
        // With I_0 = 1000: 1000 + 100 + 200 + 300 + 0.8 400 + 0.6 500 + 0.4 600 + 0.2 700 = 2600.
        assert!(near_by_ratio(averaged(PLAIN, &closed, 1000).loss_event_rate(), 6.0 / 2600.0));
    }

    #[test]
    fn fewer_intervals_than_eight_count_as_many() {
        // k = 2: without I_0 (100 + 300) / 2; with I_0 = 500: (500 + 100) / 2.
        assert!(near_by_ratio(averaged(PLAIN, &[100.0, 300.0], 50).loss_event_rate(), 2.0 / 400.0));
        assert!(near_by_ratio(averaged(PLAIN, &[100.0, 300.0], 500).loss_event_rate(), 2.0 / 600.0));
    }

    #[test]
    fn a_long_present_interval_discounts_the_old_ones() {
        // I_mean = 100. I_0 = 400: DF = 200 / 400; with the weights of 1 to 7, which add up to 5: 1 + 2.5 over
        // 400 + 250.
        let closed = [100.0; 8];
        assert!(near_by_ratio(averaged(DISCOUNTED, &closed, 400).loss_event_rate(), 3.5 / 650.0));
        assert!(
            near_by_ratio(averaged(DISCOUNTED, &closed, 200).loss_event_rate(), 6.0 / 700.0),
            "not up to twice the mean"
        );
        // I_0 = 2000: DF is at least 0.25: 1 + 1.25 over 2000 + 125.
        assert!(near_by_ratio(averaged(DISCOUNTED, &closed, 2000).loss_event_rate(), 2.25 / 2125.0));
        assert!(near_by_ratio(averaged(PLAIN, &closed, 2000).loss_event_rate(), 6.0 / 2500.0));
    }

    #[test]
    fn a_discount_stays_with_the_intervals_that_it_befell() {
        // I_0 closes with 400: the eight old ones keep half of their weight; seven of them are left.
        let mut history = averaged(DISCOUNTED, &[100.0; 8], 400);
        history.close(400.0);
        // Without I_0: 1 + 0.5 (1 + 1 + 1 + 0.8 + 0.6 + 0.4 + 0.2) = 3.5 over 400 + 250.
        history.event = Some(Event { seq: 2000, at: at(0) });
        history.highest = Some((2000, at(0)));
        assert!(near_by_ratio(history.loss_event_rate(), 3.5 / 650.0));
    }

    #[test]
    fn the_first_interval_is_given_from_outside_and_is_the_oldest() {
        let mut history = history(40, &[4, 20]);
        assert!(history.wants_first_interval());
        history.begin_with(250.0);
        assert_eq!(history.closed.iter().map(|interval| interval.packets).collect::<Vec<_>>(), [16.0, 250.0]);
    }
}
