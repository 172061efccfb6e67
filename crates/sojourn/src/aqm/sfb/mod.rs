//! SFB (stochastic fair BLUE): BLUE's probability in each of a few bins that flows are hashed to on several levels; a flow whose
//! bins all say 1 does not respond and is held to a rate. Specification: Feng, Kandlur, Saha and Shin, "Stochastic Fair Blue:
//! A Queue Management Algorithm for Enforcing Fairness", INFOCOM 2001, and CSE-TR-387-99 section 4 [Fen01]. Compared with:
//! Linux `sch_sfb` (behaviour).
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | "Drop" among the updates of the levels is one drop after all of them | [Fen01]'s figure leaves the loop open | `a_full_bin_drops_the_packet_and_raises_all` |
//! | A packet that finds the buffer full changes no bin, as in Linux | [Fen01] does not say | `an_overflow_changes_nothing` |
//! | Linux's "at least 20" and "at least 25" are our "more than 19" and "more than 24" | one rule for both | `the_linux_preset_compares_as_linux` |
//! | Linux leaves the probabilities of its last use in a set whose hashes move; ours starts empty | they belong to other flows | `sets_of_bins_take_turns` |
//! | The hashes move at the first arrival after their time, as in Linux | nothing looks at them before | `sets_of_bins_take_turns` |
//! | Arrivals of flows that do not respond raise the set that takes over next; `warm_up = "unresponsive"` treats them as in use | what is held to a rate never fills bins that count it alone, and would be free after each turn | `only_raised_bins_know_a_limited_flow_at_once` |
//! | A figure of 2 s for `rehash` fits steps without `freeze_time` only: of 0.005 in 10 ms, p_m needs 2 s to 1 | Chatranon 2004 and ns-2's module have one of both each | - |
//! | p_m falls at each arrival that finds the bin empty; `decrement_at = "departure"` when the last packet leaves it | [Fen01]'s figure; Chatranon 2004 says "when the number of packets in a bin drops to zero", and an operating system's port of the authors' module does so | `the_probability_may_fall_with_the_last_packet_that_leaves_instead` |
//! | A flow does not respond from p_min = 1 on; `unresponsive` may be less | [Fen01]; 0.98 in that port: with several such flows p_min lingers just below 1 | `a_flow_may_count_as_one_that_does_not_respond_below_one` |
//! | Packets of such flows that are let pass count in bins; with `count_limited = false` they do not, as in that port | [Fen01] does not say | `packets_of_limited_flows_may_go_uncounted` |
//! | An automatic `bin_size` is at least half more than a flow's part of the bandwidth-delay product | by 1.5 B/N alone four flows on 45 Mbit/s fill 78 % of the link | `an_even_part_and_a_half_is_the_automatic_size` |
//! | Rate limiting is by one clock for all flows that do not respond | [Fen01] has "a fixed amount of bandwidth"; as ns-2's module and Linux | `limiter.rs` |

mod bins;
mod limiter;

use self::bins::{Bins, DecrementAt, Law};
use self::limiter::{Kind, Limiter};
use crate::queue::prelude::*;

/// The registry's entry.
pub static ENTRY: QueueEntry = QueueEntry {
    name: "sfb",
    title: "SFB (stochastic fair BLUE)",
    doc: "BLUE's probability in bins that flows are hashed to; flows whose bins all say 1 are held to a rate.",
    reference: "Feng, Kandlur, Saha and Shin 2001",
    presets: presets! {
        /// Feng et al. 2001, the figure's algorithm: two levels of 23 bins, hashes that move every 2 s, one step for up and down.
        paper = {
            levels = "2", bins = "23", bin_size = "13", bin_full = "any", increment = "0.005", decrement = "0.005", freeze_time = "0s",
            rehash = "2s", warm_up = "raise",
        };
        /// The authors' module for ns-2 by its settings and by a port of it: steps 0.005 and 0.001, 10 ms apart, a penalty of 50 ms from
        /// 0.98 on, hashes for 20 s.
        ns2 = {
            increment = "0.005", decrement = "0.001", freeze_time = "10ms", hold_time = "50ms", rehash = "20s", decrement_at = "departure",
            unresponsive = "0.98", count_limited = "false",
        };
        /// Chatranon 2004 tables 2 and 3: the authors' module with 300 packets and a penalty of 162 ms, for 49.5 kbit/s; a full bin drops
        /// nothing.
        chatranon2004 = {
            limit = "300p", bin_size = "13", bin_full = "none", hold_time = "162ms", decrement_at = "departure", unresponsive = "0.98",
        };
        /// Alemu 2004 section 1.3.2: one step for up and down; a token bucket is our reading of its rate limit.
        alemu2004 = { increment = "0.005", decrement = "0.005", freeze_time = "0s", limiter = "bucket" };
        /// Linux sch_sfb's defaults: eight levels of 16 bins, sizes 20 and 25, steps 1/1000 and 1/6000, hashes for 600 s.
        linux = {
            limit = "1000p", levels = "8", bins = "16", bin_size = "19", bin_full = "all", bin_max = "24", increment = "0.001",
            decrement = "0.00016666666666666666", freeze_time = "0s", rehash = "600s", warm_up = "unresponsive", warm_up_time = "60s",
            limiter = "linux", penalty_rate = "10", penalty_burst = "20", ecn = "true", drop_above_half = "true",
        };
    },
    ..QueueEntry::of_policy::<Params>()
};

params! {
    /// Parameters of SFB.
    pub struct Params {
        /// What may wait at most, without the packet in transmission.
        limit: Size = "200p" in [0.0, 1e12], "[Fen01] section 4: 200 KB";
        /// L, the levels, each with a hash of its own.
        levels: u64 = "2" in [1.0, 64.0], "[Fen01] section 4; Chatranon 2004 table 2";
        /// N, the bins of a level.
        bins: u64 = "23" in [1.0, 1e6], "[Fen01] section 4; Chatranon 2004 table 2";
        /// Packets in a bin above which its probability rises. Automatic: one and a half times an even part of `limit`, or of the
        /// flows' bandwidth-delay product if that is more.
        bin_size: Option<u64> = "auto" in [0.0, 1e9],
            "[Fen01] section 4: half more than its part, 13 for 200 packets; a flow's own part is ours";
        /// Which full bins drop an arrival: one above `bin_size` (`any`), all above `bin_max` (`all`), none.
        bin_full: BinFull = "any", "[Fen01] figure 2; Linux sch_sfb for all; Chatranon 2004 section 2.2.3.7 for none";
        /// Packets above which all bins drop an arrival, where `bin_full` is `all`.
        bin_max: u64 = "24" in [0.0, 1e9], "Linux sch_sfb max";
        /// Step up of a bin's probability.
        increment: Fraction = "0.005" in [0.0, 1.0], "the authors' module for ns-2, as Apple's classq_sfb.c reports it";
        /// Step down of an empty bin's probability.
        decrement: Fraction = "0.001" in [0.0, 1.0], "the authors' module for ns-2, as Apple's classq_sfb.c reports it";
        /// When an empty bin's probability falls: at each arrival that finds it empty, or when the last packet in it leaves.
        decrement_at: DecrementAt = "arrival",
            "[Fen01] figure 2; Alemu 2004 algorithm 13; Linux sch_sfb; Apple's classq_sfb.c for departure";
        /// p_min from which on a flow does not respond, is limited, and warms the next set.
        unresponsive: Fraction = "1" in [0.0, 1.0], "[Fen01] section 4; Chatranon 2004 section 2.2.3.7; 0.98 in Apple's classq_sfb.c";
        /// Whether bins count the packets of flows that do not respond.
        count_limited: bool = "true", "[Fen01] does not say; Linux sch_sfb; not in Apple's classq_sfb.c";
        /// Least time between two changes of a bin's probability.
        freeze_time: Duration = "10ms" in [0.0, 1e4],
            "the authors' module for ns-2 (hold-time), as Apple's classq_sfb.c reports it; none in [Fen01] figure 2";
        /// Time after which the other set of bins takes over. 0: never.
        rehash: Duration = "20s" in [0.0, 1e6],
            "the authors' module for ns-2 (hinterval, 11 to 23 s), as Apple's classq_sfb.c reports it; \
             2 s in Chatranon 2004 section 2.2.3.7";
        /// What the set that takes over next sees: arrivals of flows that do not respond, which raise it (`raise`) or change it as if it
        /// were in use (`unresponsive`); `all`; or `none`.
        warm_up: WarmUp = "raise", "[Fen01] section 4.4, our reading; Linux sch_sfb for unresponsive";
        /// How long before it takes over. Automatic: since the last turn.
        warm_up_time: Option<Duration> = "auto" in [0.0, 1e6], "[Fen01] section 4.4; Linux sch_sfb warmup_time";
        /// How flows that do not respond are limited.
        limiter: Kind = "hold", "the authors' module for ns-2, by Chatranon 2004 section 3.3.2";
        /// Time for which a packet of such a flow keeps out the next.
        hold_time: Duration = "50ms" in [0.0, 1e6], "the authors' module for ns-2 (pbox-time), as Apple's classq_sfb.c reports it";
        /// Packets per second of such flows that a bucket lets pass.
        penalty_rate: f64 = "10" in [0.0, 1e9], "Linux sch_sfb penalty_rate";
        /// Packets of such flows that a bucket lets pass at once.
        penalty_burst: u64 = "20" in [0.0, 1e9], "Linux sch_sfb penalty_burst";
        /// Mark ECN-capable packets instead of dropping them by probability.
        ecn: bool = "false", "RFC 3168: senders have to agree; [Fen01] marks";
        /// Of a probability p above 1/2 the part 2 p - 1 drops, ECN-capable or not.
        drop_above_half: bool = "false", "[Fen01] has no such rule; Linux sch_sfb has";
    }
}

choices! {
    /// Which full bins drop an arrival.
    pub enum BinFull {
        /// One on any level.
        Any = "any",
        /// Those on all levels.
        All = "all",
        /// None.
        None = "none",
    }
}

choices! {
    /// What the set that takes over next sees.
    pub enum WarmUp {
        /// Arrivals of flows that do not respond, each of which raises its bins.
        Raise = "raise",
        /// Arrivals of flows that do not respond, whose bins it treats as the set in use does.
        Unresponsive = "unresponsive",
        /// All.
        All = "all",
        /// None.
        None = "none",
    }
}

/// In which sets a packet is counted: the set that was in use when it came, after so many turns, and perhaps the one that takes over next.
/// It is the packet's [`Tag`]; 0 is counted nowhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Counted {
    turns: u32,
    warms_up: bool,
}

impl Counted {
    fn tag(self) -> Tag {
        self.turns << 2 | u32::from(self.warms_up) << 1 | 1
    }

    fn from_tag(tag: Tag) -> Option<Counted> {
        (tag & 1 == 1).then_some(Counted { turns: tag >> 2, warms_up: tag & 2 == 2 })
    }
}

/// The policy.
#[derive(Clone, Debug)]
pub struct Sfb {
    law: Law,
    bin_full: BinFull,
    bin_max: u64,
    rehash: Duration,
    warm_up: WarmUp,
    warm_up_time: Option<Duration>,
    unresponsive: f64,
    count_limited: bool,
    limiter: Limiter,
    ecn: bool,
    drop_above_half: bool,
    sets: [Bins; 2],
    /// Times that the other set has taken over, in 30 bits.
    turns: u32,
    /// When it took over.
    since: Option<Instant>,
    /// p_min of the last arrival.
    p_min: f64,
}

/// 1.5 B / N ([Fen01] section 4), and at least half more than a flow's even part of the bandwidth-delay product: a flow that has a bin of
/// its own can then keep its part of the link busy.
fn bin_size(buffer: f64, bins: u64, bdp: f64, flows: u64) -> u64 {
    (1.5 * f64::max(buffer / bins as f64, bdp / flows.max(1) as f64)) as u64
}

impl PolicyParams for Params {
    type Policy = Sfb;

    fn policy(&self, link: &LinkContext) -> Result<Sfb, BuildError> {
        let bdp = link.packets(Size::Bdp(1.0));
        let automatic = || bin_size(link.packets(self.limit), self.bins, bdp, link.flows);
        Ok(Sfb {
            law: Law {
                bin_size: self.bin_size.unwrap_or_else(automatic),
                increment: self.increment.0,
                decrement: self.decrement.0,
                decrement_at: self.decrement_at,
                freeze_time: self.freeze_time,
            },
            bin_full: self.bin_full,
            bin_max: self.bin_max,
            rehash: self.rehash,
            warm_up: self.warm_up,
            warm_up_time: self.warm_up_time,
            unresponsive: self.unresponsive.0,
            count_limited: self.count_limited,
            limiter: Limiter::new(self.limiter, self.hold_time, self.penalty_rate, self.penalty_burst),
            ecn: self.ecn,
            drop_above_half: self.drop_above_half,
            sets: [Bins::new(self.levels, self.bins), Bins::new(self.levels, self.bins)],
            turns: 0,
            since: None,
            p_min: 0.0,
        })
    }
}

/// As many turns as a tag has room for; the next one is 0 again.
const TURNS_MAX: u32 = u32::MAX >> 2;

impl Sfb {
    /// The set in use.
    fn active(&self) -> usize {
        self.turns as usize % 2
    }

    /// Lets the other set take over when it is time; the one that goes starts anew.
    fn take_turns(&mut self, now: Instant, rng: &mut Rng) {
        let Some(since) = self.since else {
            self.sets.iter_mut().for_each(|set| set.renew(rng.below(1 << 53)));
            self.since = Some(now);
            return;
        };
        if self.rehash > Duration::ZERO && now.since(since) > self.rehash {
            let active = self.active();
            self.sets[active].renew(rng.below(1 << 53));
            self.turns = (self.turns + 1) & TURNS_MAX;
            self.since = Some(now);
        }
    }

    /// Whether a flow with this p_min does not respond.
    fn does_not_respond(&self, p_min: f64) -> bool {
        p_min >= self.unresponsive
    }

    /// Whether the set that takes over next sees an arrival of a flow with this p_min.
    fn warms_up(&self, now: Instant, p_min: f64) -> bool {
        let sees = match self.warm_up {
            WarmUp::Raise | WarmUp::Unresponsive => self.does_not_respond(p_min),
            WarmUp::All => true,
            WarmUp::None => false,
        };
        let until = self.since.map_or(Duration::ZERO, |since| self.rehash.saturating_sub(now.since(since)));
        sees && self.rehash > Duration::ZERO && self.warm_up_time.is_none_or(|time| until < time)
    }

    /// Marks or drops with p_min.
    fn judge(&self, packet: &Packet, rng: &mut Rng) -> Verdict {
        if self.p_min <= 0.0 {
            return Verdict::Pass;
        }
        let u = rng.uniform();
        if u >= self.p_min {
            return Verdict::Pass;
        }
        // Linux sch_sfb: u < 2 (p - 1/2).
        let is_too_much = self.drop_above_half && u < 2.0 * self.p_min - 1.0;
        if self.ecn && packet.ecn.is_capable() && !is_too_much {
            Verdict::Mark(Reason::EARLY)
        } else {
            Verdict::Drop(Reason::EARLY)
        }
    }

    /// The sets that count a packet and have not started anew since it came.
    fn sets_of(&mut self, tag: Tag) -> impl Iterator<Item = &mut Bins> {
        let now = self.turns;
        let counted = Counted::from_tag(tag);
        // The set in use starts anew at the next turn, the other one at the turn after that.
        let lives = move |index: usize| {
            counted.is_some_and(|Counted { turns, warms_up }| {
                let since = now.wrapping_sub(turns) & TURNS_MAX;
                if turns as usize % 2 == index { since == 0 } else { warms_up && since <= 1 }
            })
        };
        self.sets.iter_mut().enumerate().filter(move |(index, _)| lives(*index)).map(|(_, set)| set)
    }

    /// A packet has left the queue.
    fn left(&mut self, now: Instant, packet: &Packet, tag: Tag) {
        let law = self.law;
        self.sets_of(tag).for_each(|set| set.remove(now, packet.flow, &law));
    }
}

impl Policy for Sfb {
    fn on_arrival(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        if !queue.has_room_for(packet) {
            return Verdict::Pass;
        }
        self.take_turns(now, rng);
        let (flow, active) = (packet.flow, self.active());
        let law = self.law;
        self.sets[active].update(now, flow, &law);
        let found = self.sets[active].look(flow);
        self.p_min = found.p_min;
        let warms_up = self.warms_up(now, found.p_min);
        if warms_up {
            let next = &mut self.sets[1 - active];
            if self.warm_up == WarmUp::Raise {
                next.raise(now, flow, &law);
            } else {
                next.update(now, flow, &law);
            }
        }
        let is_limited = self.does_not_respond(found.p_min);
        if self.count_limited || !is_limited {
            queue.leave(Counted { turns: self.turns, warms_up }.tag());
        }
        let is_full = match self.bin_full {
            BinFull::Any => found.qlen_max > law.bin_size,
            BinFull::All => found.qlen_min > self.bin_max,
            BinFull::None => false,
        };
        if is_full {
            return Verdict::Drop(Reason::UNFAIR);
        }
        if !is_limited {
            self.judge(packet, rng)
        } else if self.limiter.admits(now) {
            Verdict::Pass
        } else {
            Verdict::Drop(Reason::UNFAIR)
        }
    }

    fn on_enqueued(&mut self, _now: Instant, packet: &Packet, queue: &mut QueueView<'_>) {
        self.sets_of(queue.tag()).for_each(|set| set.add(packet.flow));
    }

    fn on_departure(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, _rng: &mut Rng) -> Verdict {
        self.left(now, packet, queue.tag());
        Verdict::Pass
    }

    fn on_drop(&mut self, now: Instant, packet: &Packet, dropped: Dropped, queue: &mut QueueView<'_>) {
        if dropped.from_queue() {
            self.left(now, packet, queue.tag());
        }
    }

    fn probes(&self) -> &'static [&'static str] {
        &["p_max", "p_min", "bin_max_packets"]
    }

    fn probe(&self, index: usize) -> f64 {
        let (p_max, qlen_max) = self.sets[self.active()].largest();
        match index {
            0 => p_max,
            1 => self.p_min,
            _ => qlen_max as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{Ecn, FlowId};
    use crate::queue::{Context, Event, Managed, QueueDiscipline, What};
    use crate::rig::args;

    struct Rig {
        queue: Managed<Sfb>,
        cx: Context,
        seq: u64,
    }

    impl Rig {
        /// Bins of at most two packets, steps of a half, no freezing.
        fn new(settings: &[(&str, &str)]) -> Self {
            let base = [
                ("limit", "100p"),
                ("bin_size", "2"),
                ("increment", "0.5"),
                ("decrement", "0.5"),
                ("hold_time", "100ms"),
            ];
            let params: Params = args(&ENTRY, Some("paper"), &[&base[..], settings].concat()).typed();
            let link = LinkContext::default();
            let sfb = params.policy(&link).expect("valid parameters");
            Rig { queue: Managed::new(sfb, params.limit(&link)), cx: Context::new(Rng::named(1, "sfb")), seq: 0 }
        }

        fn arrive_with(&mut self, millis: u64, flow: u32, ecn: Ecn) -> Option<What> {
            self.seq += 1;
            let packet = Packet::datagram(FlowId(flow), self.seq, 1000).with_ecn(ecn);
            self.queue.enqueue(Instant::ZERO + Duration::from_millis(millis), packet, &mut self.cx);
            let events: Vec<Event> = self.cx.events.drain().collect();
            events.first().map(|event| event.what)
        }

        /// What happens to a packet.
        fn arrive(&mut self, millis: u64, flow: u32) -> Option<What> {
            self.arrive_with(millis, flow, Ecn::NotEct)
        }

        fn serve(&mut self, packets: usize) {
            for _ in 0..packets {
                self.queue.dequeue(Instant::ZERO, &mut self.cx);
            }
        }

        fn p(&self, set: usize, flow: u32) -> f64 {
            self.queue.policy().sets[set].look(FlowId(flow)).p_min
        }
    }

    const UNFAIR: Option<What> = Some(What::Drop(Reason::UNFAIR));

    #[test]
    fn an_even_part_and_a_half_is_the_automatic_size() {
        // 1.5 * 200 / 23 = 13.04, 1.5 * 300 / 23 = 19.6. The link's product is 125 packets: a fourth and a half of it is 46.9.
        for (limit, flows, size) in [("200p", 400, 13), ("300p", 400, 19), ("200p", 4, 46), ("1000p", 4, 65)] {
            let params: Params = args(&ENTRY, None, &[("limit", limit)]).typed();
            let sfb = params.policy(&LinkContext { flows, ..LinkContext::default() }).expect("valid parameters");
            assert_eq!(sfb.law.bin_size, size, "{limit} {flows}");
        }
    }

    #[test]
    fn a_flow_may_count_as_one_that_does_not_respond_below_one() {
        const EARLY: Option<What> = Some(What::Drop(Reason::EARLY));
        for (unresponsive, fate, warmed) in [("1", EARLY, false), ("0.98", UNFAIR, true)] {
            let settings =
                [("unresponsive", unresponsive), ("increment", "0.985"), ("decrement", "0"), ("bin_full", "none")];
            let mut rig = Rig::new(&settings);
            for _ in 0..4 {
                rig.arrive(0, 1);
            }
            assert!((rig.p(0, 1) - 0.985).abs() < 1e-12);

            rig.serve(4);

            // What is limited may send one packet in 100 ms; by chance 1.5 % of the others pass.
            rig.arrive(10, 1);
            assert_eq!((rig.arrive(20, 1), rig.p(1, 1) > 0.0), (fate, warmed), "{unresponsive}");
        }
    }

    #[test]
    fn packets_of_limited_flows_may_go_uncounted() {
        for (count_limited, waiting) in [("true", 1), ("false", 0)] {
            let mut rig = Rig::new(&[("count_limited", count_limited), ("decrement", "0"), ("warm_up", "none")]);
            for _ in 0..5 {
                rig.arrive(0, 1);
            }
            rig.serve(3);
            // The first in its hold time passes.
            assert_eq!(rig.arrive(100, 1), None);
            assert_eq!(rig.queue.policy().sets[0].largest().1, waiting, "{count_limited}");
            rig.serve(1);
            assert_eq!(rig.queue.policy().sets[0].largest().1, 0);
        }
    }

    #[test]
    fn a_full_bin_drops_the_packet_and_raises_all() {
        let mut rig = Rig::new(&[]);
        assert_eq!([rig.arrive(0, 1), rig.arrive(0, 1), rig.arrive(0, 1)], [None; 3]);

        // Three are more than two: the fourth goes, and with the fifth both of the flow's bins say 1.
        assert_eq!(rig.arrive(0, 1), UNFAIR);
        assert!((rig.p(0, 1) - 0.5).abs() < 1e-12);
        assert_eq!(rig.arrive(0, 1), UNFAIR);
        assert!((rig.p(0, 1) - 1.0).abs() < 1e-12);
        assert_eq!(rig.queue.backlog().packets, 3);
    }

    #[test]
    fn a_flow_that_does_not_respond_passes_once_in_a_hold_time() {
        let mut rig = Rig::new(&[("decrement", "0")]);
        for _ in 0..5 {
            rig.arrive(0, 1);
        }
        rig.serve(3);

        let fates: Vec<_> = [10, 20, 109, 110, 120].map(|millis| rig.arrive(millis, 1)).into();

        assert_eq!(fates, [None, UNFAIR, UNFAIR, None, UNFAIR]);
        assert_eq!(rig.arrive(120, 2), None, "another flow is free");
    }

    #[test]
    fn a_flow_that_leaves_its_bins_empty_is_forgiven() {
        let mut rig = Rig::new(&[("freeze_time", "50ms")]);
        for _ in 0..4 {
            rig.arrive(0, 1);
        }
        // Frozen since the first arrival lowered it from 0.
        assert!(rig.p(0, 1) <= 0.0);
        rig.arrive(50, 1);
        assert!((rig.p(0, 1) - 0.5).abs() < 1e-12);
        rig.serve(3);

        rig.arrive(100, 1);

        assert!(rig.p(0, 1) <= 0.0);
    }

    #[test]
    fn full_bins_need_not_drop() {
        for (bin_full, dropped) in [("none", 0), ("all", 2), ("any", 3)] {
            let mut rig = Rig::new(&[("bin_full", bin_full), ("bin_max", "3"), ("increment", "0")]);
            let fates: Vec<_> = (0..6).map(|_| rig.arrive(0, 1)).collect();
            assert_eq!(fates.iter().flatten().count(), dropped, "{bin_full}");
        }
    }

    #[test]
    fn the_linux_preset_compares_as_linux() {
        // Linux: p rises if a bin holds at least 20, and a packet goes if all hold at least 25.
        let params: Params = args(&ENTRY, Some("linux"), &[("limit", "100p")]).typed();
        let link = LinkContext::default();
        let mut rig = Rig::new(&[]);
        rig.queue = Managed::new(params.policy(&link).expect("valid parameters"), params.limit(&link));
        for n in 0..20 {
            assert_eq!((rig.arrive_with(0, 1, Ecn::Ect0), rig.p(0, 1) > 0.0), (None, false), "{n}");
        }
        rig.arrive_with(0, 1, Ecn::Ect0);
        assert!((rig.p(0, 1) - 0.001).abs() < 1e-12);
        for _ in 21..25 {
            rig.arrive_with(0, 1, Ecn::Ect0);
        }
        assert_eq!(rig.queue.backlog().packets, 25);
        assert_eq!(rig.arrive_with(0, 1, Ecn::Ect0), UNFAIR);
    }

    #[test]
    fn above_a_half_linux_drops_part_of_what_it_would_mark() {
        let mut sfb =
            args(&ENTRY, Some("linux"), &[]).typed::<Params>().policy(&LinkContext::default()).expect("valid");
        let capable = Packet::datagram(FlowId(1), 0, 1000).with_ecn(Ecn::Ect0);
        // p = 0.75: u < 0.5 drops, u < 0.75 marks.
        sfb.p_min = 0.75;
        for (u, verdict) in [
            (0.49, Verdict::Drop(Reason::EARLY)),
            (0.5, Verdict::Mark(Reason::EARLY)),
            (0.74, Verdict::Mark(Reason::EARLY)),
            (0.75, Verdict::Pass),
        ] {
            let mut rng = Rng::named(1, "judge");
            rng.supply(u);
            assert_eq!(sfb.judge(&capable, &mut rng), verdict, "{u}");
        }
        sfb.drop_above_half = false;
        let mut rng = Rng::named(1, "judge");
        rng.supply(0.1);
        assert_eq!(sfb.judge(&capable, &mut rng), Verdict::Mark(Reason::EARLY));
    }

    #[test]
    fn an_overflow_changes_nothing() {
        let mut rig = Rig::new(&[("limit", "3p")]);
        for _ in 0..3 {
            rig.arrive(0, 1);
        }

        assert_eq!(rig.arrive(0, 1), Some(What::Drop(Reason::OVERFLOW)));

        assert!(rig.p(0, 1) <= 0.0);
        assert_eq!(rig.queue.policy().sets[0].largest().1, 3);
    }

    #[test]
    fn sets_of_bins_take_turns() {
        for (warm_up, time, warm) in
            [("raise", "auto", 1.0), ("unresponsive", "auto", 1.0), ("raise", "1s", 0.0), ("none", "auto", 0.0)]
        {
            let mut rig =
                Rig::new(&[("warm_up", warm_up), ("warm_up_time", time), ("decrement", "0"), ("hold_time", "0s")]);
            // Flow 1 does not respond; each packet that it is then allowed is counted in the other set, too.
            for _ in 0..5 {
                rig.arrive(0, 1);
            }
            rig.serve(3);
            for _ in 0..5 {
                rig.arrive(500, 1);
            }
            assert!((rig.p(1, 1) - warm).abs() < 1e-12, "{warm_up} {time}");

            // Two seconds after the first arrival it is not yet time.
            rig.arrive(2000, 2);
            assert_eq!(rig.queue.policy().active(), 0);
            rig.arrive(2001, 2);
            assert_eq!(rig.queue.policy().active(), 1);
            assert!(rig.p(0, 1) <= 0.0);

            // What was counted in the old hashes is not taken from the new ones.
            rig.serve(20);
            assert_eq!(rig.queue.policy().sets.iter().map(|set| set.largest().1).max(), Some(0));
        }
    }

    #[test]
    fn only_raised_bins_know_a_limited_flow_at_once() {
        for (warm_up, fate) in [("raise", UNFAIR), ("unresponsive", None)] {
            let mut rig = Rig::new(&[("warm_up", warm_up), ("decrement", "0")]);
            // One packet of the flow in 100 ms passes and is sent at once; 10 ms apart they come.
            for millis in 0..=200 {
                rig.arrive(10 * millis, 1);
                rig.serve(usize::from(millis > 5));
            }
            assert!((rig.p(0, 1) - 1.0).abs() < 1e-12);

            // The first after the turn is the one of its 100 ms, or a free one; the second is limited if it is known.
            rig.arrive(2001, 1);
            assert_eq!(rig.queue.policy().active(), 1);
            assert_eq!(rig.arrive(2002, 1), fate, "{warm_up}");
        }
    }

    #[test]
    fn a_tag_says_in_which_sets_a_packet_counts() {
        let sets = |sfb: &mut Sfb, tag| {
            sfb.sets.iter_mut().for_each(|set| set.renew(1));
            sfb.sets_of(tag).for_each(|set| set.add(FlowId(1)));
            [0, 1].map(|index| sfb.sets[index].largest().1)
        };
        let params: Params = args(&ENTRY, None, &[]).typed();
        let mut sfb = params.policy(&LinkContext::default()).expect("valid parameters");
        for start in [0, 1, 6, TURNS_MAX] {
            let tag = |warms_up| Counted { turns: start, warms_up }.tag();
            assert_eq!(Counted::from_tag(tag(true)), Some(Counted { turns: start, warms_up: true }));
            sfb.turns = start;
            let (active, next) = if start % 2 == 0 { ([1, 0], [0, 1]) } else { ([0, 1], [1, 0]) };
            assert_eq!(
                [sets(&mut sfb, 0), sets(&mut sfb, tag(false)), sets(&mut sfb, tag(true))],
                [[0; 2], active, [1; 2]]
            );
            // After a turn only the set that was next still counts it, and after two none.
            sfb.turns = (start + 1) & TURNS_MAX;
            assert_eq!([sets(&mut sfb, tag(false)), sets(&mut sfb, tag(true))], [[0; 2], next]);
            sfb.turns = (start + 2) & TURNS_MAX;
            assert_eq!([sets(&mut sfb, tag(false)), sets(&mut sfb, tag(true))], [[0; 2]; 2]);
        }
    }

    #[test]
    fn hashes_may_stay() {
        let mut rig = Rig::new(&[("rehash", "0s")]);
        rig.arrive(0, 1);
        rig.arrive(1_000_000, 1);

        assert_eq!(rig.queue.policy().active(), 0);
        assert_eq!(rig.queue.policy().sets[1].largest(), (0.0, 0));
    }
}
