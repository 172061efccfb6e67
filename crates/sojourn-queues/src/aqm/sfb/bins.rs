//! SFB's bins: each flow has one on every level, by a hash of its own, so that few bins tell many flows apart
//! ([Fen01] section 2). A set of bins with its hashes lives for a while; two sets take turns ([Fen01] section 4.4).

use crate::mechanism::hash::bucket;
use crate::packet::FlowId;
use crate::queue::prelude::*;

/// The state of a bin.
#[derive(Clone, Copy, Debug, Default)]
struct Bin {
    /// Packets waiting whose flows have this bin.
    qlen: u64,
    /// p_m.
    p: f64,
    changed: Option<Instant>,
}

impl Bin {
    fn change(&mut self, now: Instant, change: f64, freeze_time: Duration) {
        if self.changed.is_none_or(|changed| now.since(changed) >= freeze_time) {
            self.p = (self.p + change).clamp(0.0, 1.0);
            self.changed = Some(now);
        }
    }
}

choices! {
    /// When an empty bin lowers its probability.
    pub enum DecrementAt {
        /// At each arrival that finds it empty.
        Arrival = "arrival",
        /// When the last packet in it leaves.
        Departure = "departure",
    }
}

/// How p_m changes.
#[derive(Clone, Copy, Debug)]
pub struct Law {
    /// It rises above this many packets.
    pub bin_size: u64,
    /// The amount by which the probability of a bin rises.
    pub increment: f64,
    /// The amount by which it falls at an empty bin.
    pub decrement: f64,
    /// When it does.
    pub decrement_at: DecrementAt,
    /// Least time between two changes.
    pub freeze_time: Duration,
}

/// The state of the bins of an arrival's flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// The least p_m.
    pub p_min: f64,
    /// The largest number of packets, before it.
    pub qlen_max: u64,
}

/// Bins on levels.
#[derive(Clone, Debug)]
pub struct Bins {
    levels: usize,
    width: usize,
    all: Vec<Bin>,
    key: u64,
}

impl Bins {
    /// Empty; at least one level and one bin on each.
    pub fn new(levels: u64, width: u64) -> Self {
        Bins { levels: levels as usize, width: width as usize, all: Vec::new(), key: 0 }
    }

    /// Empties all and moves the hashes.
    pub fn renew(&mut self, key: u64) {
        self.all.clear();
        self.all.resize(self.levels * self.width, Bin::default());
        self.key = key;
    }

    fn at(&self, flow: FlowId, level: usize) -> usize {
        // An odd constant far above all flow numbers: the levels' hashes are independent.
        let key = self.key.wrapping_add((level as u64).wrapping_mul(0x2545_f491_4f6c_dd1d));
        level * self.width + bucket(flow, key, self.width)
    }

    /// The content of the flow's bins.
    pub fn look(&self, flow: FlowId) -> Found {
        let mut found = Found { p_min: 1.0, qlen_max: 0 };
        for level in 0..self.levels {
            let bin = &self.all[self.at(flow, level)];
            found.p_min = found.p_min.min(bin.p);
            found.qlen_max = found.qlen_max.max(bin.qlen);
        }
        found
    }

    /// An arrival of this flow changes p_m in each of its bins ([Fen01] figure 2).
    pub fn update(&mut self, now: Instant, flow: FlowId, law: &Law) {
        for level in 0..self.levels {
            let index = self.at(flow, level);
            let bin = &mut self.all[index];
            if bin.qlen > law.bin_size {
                bin.change(now, law.increment, law.freeze_time);
            } else if bin.qlen == 0 && law.decrement_at == DecrementAt::Arrival {
                bin.change(now, -law.decrement, law.freeze_time);
            }
        }
    }

    /// An arrival of a flow that is known not to respond raises p_m in each of its bins.
    pub fn raise(&mut self, now: Instant, flow: FlowId, law: &Law) {
        for level in 0..self.levels {
            let index = self.at(flow, level);
            self.all[index].change(now, law.increment, law.freeze_time);
        }
    }

    /// A packet of this flow joins.
    pub fn add(&mut self, flow: FlowId) {
        for level in 0..self.levels {
            let index = self.at(flow, level);
            self.all[index].qlen += 1;
        }
    }

    /// A packet of this flow leaves that joined since the hashes moved.
    pub fn remove(&mut self, now: Instant, flow: FlowId, law: &Law) {
        for level in 0..self.levels {
            let index = self.at(flow, level);
            let bin = &mut self.all[index];
            bin.qlen -= 1;
            if bin.qlen == 0 && law.decrement_at == DecrementAt::Departure {
                bin.change(now, -law.decrement, law.freeze_time);
            }
        }
    }

    /// The largest p_m and the largest number of packets in a bin.
    pub fn largest(&self) -> (f64, u64) {
        self.all.iter().fold((0.0, 0), |(p, qlen), bin| (f64::max(p, bin.p), qlen.max(bin.qlen)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::near;

    const LAW: Law = Law {
        bin_size: 2,
        increment: 0.3,
        decrement: 0.1,
        decrement_at: DecrementAt::Arrival,
        freeze_time: Duration::ZERO,
    };

    fn bins(levels: u64, width: u64) -> Bins {
        let mut bins = Bins::new(levels, width);
        bins.renew(7);
        bins
    }

    #[test]
    fn a_bin_above_its_size_raises_and_an_empty_one_lowers_the_probability() {
        let (mut bins, flow) = (bins(2, 23), FlowId(3));
        let mut after = |packets: u64| {
            (0..packets).for_each(|_| bins.add(flow));
            bins.update(Instant::ZERO, flow, &LAW);
            (0..packets).for_each(|_| bins.remove(Instant::ZERO, flow, &LAW));
            bins.look(flow).p_min
        };

        assert!(near(after(2), 0.0), "2 are not above 2");
        assert!(near(after(3), 0.3));
        assert!(near(after(1), 0.3), "neither above nor empty");
        assert!(near(after(0), 0.2));
        for p in [0.5, 0.8, 1.0, 1.0] {
            assert!(near(after(9), p));
        }
    }

    #[test]
    fn the_probability_may_fall_with_the_last_packet_that_leaves_instead() {
        let law = Law { decrement_at: DecrementAt::Departure, ..LAW };
        let (mut bins, flow) = (bins(2, 23), FlowId(3));
        (0..3).for_each(|_| bins.add(flow));
        bins.update(Instant::ZERO, flow, &law);
        assert!(near(bins.look(flow).p_min, 0.3));

        for (left, p) in [(2, 0.3), (1, 0.3), (0, 0.2)] {
            bins.remove(Instant::ZERO, flow, &law);
            assert!(near(bins.look(flow).p_min, p), "{left} are left");
        }
        (0..9).for_each(|_| bins.update(Instant::ZERO, flow, &law));
        assert!(near(bins.look(flow).p_min, 0.2), "arrivals at an empty bin change nothing");
    }

    #[test]
    fn a_frozen_bin_does_not_change() {
        let law = Law { freeze_time: Duration::from_millis(10), ..LAW };
        let (mut bins, flow) = (bins(1, 1), FlowId(3));
        (0..3).for_each(|_| bins.add(flow));

        for (millis, p) in [(0, 0.3), (9, 0.3), (10, 0.6), (19, 0.6), (20, 0.9)] {
            bins.update(Instant::ZERO + Duration::from_millis(millis), flow, &law);
            assert!(near(bins.look(flow).p_min, p), "{millis}");
        }
    }

    #[test]
    fn a_flow_is_judged_by_its_best_bin() {
        // Two flows that share a bin on one level only.
        let mut bins = bins(2, 3);
        let shares = |flow| [0, 1].map(|level| bins.at(FlowId(0), level) == bins.at(FlowId(flow), level));
        let other = (1..100).find(|flow| shares(*flow) == [true, false]).map(FlowId).expect("one of 100");
        (0..3).for_each(|_| bins.add(FlowId(0)));
        (0..9).for_each(|_| bins.update(Instant::ZERO, FlowId(0), &LAW));

        assert_eq!(bins.look(FlowId(0)), Found { p_min: 1.0, qlen_max: 3 });
        assert_eq!(bins.look(other), Found { p_min: 0.0, qlen_max: 3 });
    }

    #[test]
    fn levels_hash_independently() {
        // Of 23^2 flows, 23 share the first bin of flow 0 on average, one of them the second too: of 200000 flows
        // 200000 / 529 = 378, deviation 19.4; five of them.
        let bins = bins(2, 23);
        let place = |flow| [0, 1].map(|level| bins.at(FlowId(flow), level));

        let both = (1..=200_000).filter(|flow| place(*flow) == place(0)).count();

        assert!(both.abs_diff(378) < 97, "{both}");
    }

    #[test]
    fn moved_hashes_forget() {
        let (mut bins, flow) = (bins(2, 23), FlowId(3));
        (0..9).for_each(|_| bins.add(flow));
        bins.update(Instant::ZERO, flow, &LAW);

        bins.renew(8);

        assert_eq!(bins.look(flow), Found { p_min: 0.0, qlen_max: 0 });
        assert_eq!(bins.largest(), (0.0, 0));
    }
}
