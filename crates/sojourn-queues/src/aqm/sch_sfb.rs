//! SFB as in Linux, with the words of `tc`. Specification: `net/sched/sch_sfb.c` of Linux 6.12, and the numbers that `tc` sends without
//! words (`q_sfb.c` of iproute2 7.1); [`sfb`] has the published law. Compared with: Linux 6.12 `sch_sfb`, decision by decision
//! (`evidence/linux`). Probabilities have 16 bits, and eight levels of 16 bins take four bits each of one hash of 32.
//!
//! Differences of Linux from the published law, besides the numbers:
//!
//! - a number is drawn for each arrival of a flow that responds, whatever its probability;
//! - a set of bins keeps its probabilities when its hash moves, and the packets that it counts;
//! - tokens for flows that do not respond come in whole ticks of the kernel, and bins move by them.

use std::collections::VecDeque;

use crate::aqm::sfb;
use crate::mechanism::hash::hash32;
use crate::mechanism::wheel_slots;
use crate::packet::FlowId;
use crate::params::Alias;
use crate::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "sch_sfb",
    title: "SFB of Linux",
    doc: "Linux's SFB, with the words of tc and their defaults. Flows are hashed to bins on eight levels, and the least probability of its \
          bins decides about a packet; flows with a probability of 1 in all bins are limited to a rate.",
    reference: "Linux 6.12 net/sched/sch_sfb.c, iproute2 7.1 tc/q_sfb.c",
    alias: Some(Alias {
        of: "sfb",
        preset: "linux",
        words: &[("bin_size", "target (one more)"), ("bin_max", "max (one more)"), ("warm_up_time", "db")],
    }),
    decides: sfb::ENTRY.decides,
    shown: sfb::ENTRY.shown,
    ..QueueEntry::of_policy::<Params>()
};

params! {
    pub struct Params {
        /// The most that may wait, without the packet in transmission.
        limit: Size = "1000p" in [0.0, 1e12], "Linux: the device's tx_queue_len";
        /// Packets in a bin from which on its probability rises.
        target: u64 = "20" in [0.0, 65535.0], "Linux sfb_default_ops bin_size";
        /// Packets from which on an arrival is dropped, where all of its bins have them.
        max: u64 = "25" in [0.0, 65535.0], "Linux sfb_default_ops";
        /// Step up of a bin's probability.
        increment: Fraction = "0.0005" in [0.0, 1.0], "iproute2 tc/q_sfb.c";
        /// Step down of an empty bin's probability.
        decrement: Fraction = "0.00005" in [0.0, 1.0], "iproute2 tc/q_sfb.c";
        /// Time after which the other set of bins takes over, in whole milliseconds. 0: never.
        rehash: Duration = "600s" in [0.0, 1e6], "Linux sfb_default_ops rehash_interval";
        /// Time before that from which on the next set is updated by flows that do not respond, in whole milliseconds.
        db: Duration = "60s" in [0.0, 1e6], "Linux sfb_default_ops warmup_time", when rehash not in ["0s"];
        /// Packets per second of flows that do not respond that a bucket lets pass.
        penalty_rate: u64 = "10" in [0.0, 1e9], "Linux sfb_default_ops";
        /// Packets of such flows that it lets pass at once.
        penalty_burst: u64 = "20" in [0.0, 1e9], "Linux sfb_default_ops";
        /// Ticks of the kernel's timer in a second (`CONFIG_HZ`). Debian's kernels and those of Ubuntu up to 24.04 have 250, and Ubuntu's
        /// of 24.10 and later 1000. No word of tc.
        hz: u64 = "1000" in [100.0, 1000.0], "Linux CONFIG_HZ: 100, 250, 300 or 1000";
    }
}

impl PolicyParams for Params {
    type Policy = SchSfb;

    fn policy(&self, _link: &LinkContext) -> Result<SchSfb, BuildError> {
        Ok(SchSfb::new(self))
    }
}

const LEVELS: usize = 8;
const BINS: usize = 16;
/// The probability 1.
const ONE: u32 = 0xffff;
/// The longest time for which tokens accumulate, in seconds.
const LONGEST: u64 = 10;

/// A packet is counted by its hash in either set; 0 means that it is not counted.
type Hashes = [u32; 2];

#[derive(Clone, Copy, Debug, Default)]
struct Bin {
    qlen: u32,
    p_mark: u32,
}

/// One of the two sets of bins.
#[derive(Clone, Debug)]
struct Set {
    bins: [[Bin; BINS]; LEVELS],
    perturbation: u32,
}

/// The state of the bins of an arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Found {
    p_min: u32,
    qlen_min: u32,
}

/// 32 bits of a flow; 0 would be none.
pub(crate) fn hash(flow: FlowId, perturbation: u32) -> u32 {
    hash32(flow.0, perturbation).max(1)
}

impl Set {
    fn new() -> Self {
        Set { bins: [[Bin::default(); BINS]; LEVELS], perturbation: 0 }
    }

    /// The bins of a hash, four bits of it for each level.
    fn bins(&mut self, hash: u32) -> impl Iterator<Item = &mut Bin> {
        self.bins.iter_mut().enumerate().map(move |(level, bins)| &mut bins[(hash >> (4 * level)) as usize % BINS])
    }

    fn add(&mut self, hash: u32) {
        self.bins(hash).for_each(|bin| bin.qlen = (bin.qlen + 1).min(0xffff));
    }

    fn remove(&mut self, hash: u32) {
        self.bins(hash).for_each(|bin| bin.qlen = bin.qlen.saturating_sub(1));
    }
}

#[derive(Clone, Debug)]
pub struct SchSfb {
    params: Params,
    increment: u32,
    decrement: u32,
    /// Packets in a bin from which on its probability rises.
    bin_size: u32,
    /// Packets in each of its bins from which on an arrival is dropped.
    max: u32,
    sets: [Set; 2],
    /// The set in use.
    slot: usize,
    rehash_time: Option<u64>,
    warms_up: bool,
    tokens: u64,
    token_time: u64,
    /// The hashes of the packet that has arrived, and of those that wait.
    pending: Hashes,
    waiting: VecDeque<Hashes>,
    p_min: u32,
}

impl SchSfb {
    pub fn new(params: &Params) -> Self {
        let steps = |fraction: f64| libm::round(fraction * f64::from(ONE)) as u32;
        SchSfb {
            increment: steps(params.increment.0),
            decrement: steps(params.decrement.0),
            bin_size: params.target as u32,
            max: params.max as u32,
            sets: [Set::new(), Set::new()],
            slot: 0,
            rehash_time: None,
            warms_up: false,
            tokens: params.penalty_burst,
            token_time: 0,
            pending: [0; 2],
            waiting: VecDeque::new(),
            p_min: 0,
            params: params.clone(),
        }
    }

    /// The other set takes over when it is time.
    fn take_turns(&mut self, now: u64, rng: &mut Rng) {
        let Some(since) = self.rehash_time else {
            self.sets.iter_mut().for_each(|set| set.perturbation = rng.below(1 << 32) as u32);
            self.rehash_time = Some(now);
            return;
        };
        // tc hands over milliseconds.
        let ticks = |time: Duration| (time.as_nanos() / 1_000_000 * self.params.hz).div_ceil(1000);
        let rehash = ticks(self.params.rehash);
        let warm_up = ticks(self.params.db);
        if rehash > 0 && now > since + rehash {
            self.sets[self.slot].perturbation = rng.below(1 << 32) as u32;
            self.slot = 1 - self.slot;
            self.warms_up = false;
            self.rehash_time = Some(now);
        } else if rehash > 0 && warm_up > 0 && now + warm_up > since + rehash {
            self.warms_up = true;
        }
    }

    /// An arrival with this hash changes its bins in a set.
    fn update(&mut self, slot: usize, hash: u32) -> Found {
        let (bin_size, increment, decrement) = (self.bin_size, self.increment, self.decrement);
        let mut found = Found { p_min: u32::MAX, qlen_min: u32::MAX };
        for bin in self.sets[slot].bins(hash) {
            if bin.qlen == 0 {
                bin.p_mark = bin.p_mark.saturating_sub(decrement);
            } else if bin.qlen >= bin_size {
                bin.p_mark = (bin.p_mark + increment).min(ONE);
            }
            found.p_min = found.p_min.min(bin.p_mark);
            found.qlen_min = found.qlen_min.min(bin.qlen);
        }
        found
    }

    /// Whether a packet of a flow that does not respond must be dropped.
    fn is_limited(&mut self, now: u64) -> bool {
        let Params { penalty_rate: rate, penalty_burst: burst, hz, .. } = self.params;
        if rate == 0 || burst == 0 {
            return true;
        }
        if self.tokens == 0 {
            let age = now.saturating_sub(self.token_time).min(LONGEST * hz);
            self.tokens = (age * rate / hz).min(burst);
            self.token_time = now;
            if self.tokens == 0 {
                return true;
            }
        }
        self.tokens -= 1;
        false
    }

    /// Marks or drops with p_min.
    fn judge(&self, packet: &Packet, rng: &mut Rng) -> Verdict {
        let (drawn, p_min, half) = ((rng.uniform() * 65536.0) as u32, self.p_min, ONE / 2);
        if drawn >= p_min {
            return Verdict::Pass;
        }
        let is_too_much = p_min > half && drawn < (p_min - half) * 2;
        Verdict::signal(!is_too_much, packet, Reason::EARLY)
    }

    /// The first packet is gone.
    fn left(&mut self) {
        if let Some(hashes) = self.waiting.pop_front() {
            self.sets.iter_mut().zip(hashes).filter(|(_, hash)| *hash > 0).for_each(|(set, hash)| set.remove(hash));
        }
    }
}

impl Policy for SchSfb {
    fn on_arrival(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        if !queue.has_room_for(packet) {
            return Verdict::Pass;
        }
        let now = now.as_nanos() / wheel_slots::tick(self.params.hz).as_nanos();
        self.take_turns(now, rng);
        let slot = self.slot;
        let mine = hash(packet.flow, self.sets[slot].perturbation);
        let found = self.update(slot, mine);
        self.p_min = found.p_min;
        self.pending = [0; 2];
        self.pending[slot] = mine;
        if found.qlen_min >= self.max {
            return Verdict::Drop(Reason::UNFAIR);
        }
        if found.p_min < ONE {
            return self.judge(packet, rng);
        }
        if self.warms_up {
            let next = hash(packet.flow, self.sets[1 - slot].perturbation);
            self.update(1 - slot, next);
            self.pending[1 - slot] = next;
        }
        if self.is_limited(now) { Verdict::Drop(Reason::UNFAIR) } else { Verdict::Pass }
    }

    fn on_enqueued(&mut self, _now: Instant, _packet: &Packet, _queue: &mut QueueView<'_>) {
        let hashes = self.pending;
        self.sets.iter_mut().zip(hashes).filter(|(_, hash)| *hash > 0).for_each(|(set, hash)| set.add(hash));
        self.waiting.push_back(hashes);
    }

    fn on_departure(&mut self, _now: Instant, _packet: &Packet, _queue: &mut QueueView<'_>, _rng: &mut Rng) -> Verdict {
        self.left();
        Verdict::Pass
    }

    fn on_drop(&mut self, _now: Instant, _packet: &Packet, dropped: Dropped, _queue: &mut QueueView<'_>) {
        if dropped.from_queue() {
            self.left();
        }
    }

    probes! { |self|
        let bins = self.sets[self.slot].bins.iter().flatten();
        "p_max" => f64::from(bins.map(|bin| bin.p_mark).max().unwrap_or(0)) / f64::from(ONE),
        "p_min" => f64::from(self.p_min) / f64::from(ONE),
        "bin_max_packets" => f64::from(bins.map(|bin| bin.qlen).max().unwrap_or(0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mechanism::hash::number_of;
    use crate::rig::{Rig, at};

    fn sfb() -> SchSfb {
        SchSfb::new(&Params::default())
    }

    #[test]
    fn a_hash_can_be_undone() {
        // A hash of 0, which is that of the perturbation itself, is taken for 1.
        assert_eq!(hash(FlowId(7), 7), 1);
        for perturbation in [0, 12_345, u32::MAX] {
            for flow in [1, 77, 1 << 31, u32::MAX - 1] {
                let hashed = hash(FlowId(flow), perturbation);
                assert_eq!(number_of(hashed, perturbation), flow, "{flow} {perturbation}");
            }
        }
    }

    #[test]
    fn twenty_packets_raise_and_an_empty_bin_lowers() {
        let mut sfb = sfb();
        let hash = 0x1234_5678;
        for _ in 0..19 {
            sfb.sets[0].add(hash);
        }
        assert_eq!(sfb.update(0, hash), Found { p_min: 0, qlen_min: 19 });
        sfb.sets[0].add(hash);
        assert_eq!(sfb.update(0, hash).p_min, sfb.increment);
        for _ in 0..20 {
            sfb.sets[0].remove(hash);
        }
        assert_eq!(sfb.update(0, hash).p_min, sfb.increment - sfb.decrement);
    }

    #[test]
    fn tokens_come_by_whole_ticks() {
        let mut sfb = sfb();
        assert!((0..20).all(|_| !sfb.is_limited(1)), "the burst");
        // 10 a second: the first after 100 ticks since the last look.
        assert!(sfb.is_limited(99));
        assert!(sfb.is_limited(198));
        assert!(!sfb.is_limited(298));
        assert!(sfb.is_limited(299));
    }

    /// 250 ticks a second: 100 ms are 25 of them.
    #[test]
    fn tokens_come_by_the_ticks_of_the_kernel() {
        let mut sfb = sfb();
        sfb.params.hz = 250;
        assert!((0..20).all(|_| !sfb.is_limited(1)), "the burst");
        assert!(sfb.is_limited(24));
        assert!(!sfb.is_limited(49));
        assert!(sfb.is_limited(50));
    }

    #[test]
    fn packets_leave_the_bins_that_counted_them() {
        let mut sfb = sfb();
        let mut rig = Rig::waiting(3);
        rig.arrive(&mut sfb, at(1.0));
        sfb.on_enqueued(at(1.0), &crate::rig::PACKET, &mut rig.view());
        assert_eq!(sfb.sets[0].bins.iter().flatten().map(|bin| bin.qlen).max(), Some(1));
        sfb.left();
        assert_eq!(sfb.sets[0].bins.iter().flatten().map(|bin| bin.qlen).max(), Some(0));
    }
}
