//! SFB (stochastic fair BLUE): BLUE's probability in each of a few bins that flows are hashed to on several levels; a flow with a
//! probability of 1 in all bins does not respond and is limited to a rate. Specification: Feng, Kandlur, Saha and Shin, "Stochastic Fair
//! Blue: A Queue Management Algorithm for Enforcing Fairness", INFOCOM 2001, and CSE-TR-387-99 section 4 [Fen01]. Compared with: the
//! authors' module, as far as others report it; Linux's is [a queue of its own](super::sch_sfb).
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | "Drop" among the updates of the levels is one drop after all of them | [Fen01]'s figure leaves the loop open | `a_full_bin_drops_the_packet_and_raises_all` |
//! | A packet that finds the buffer full changes no bin, as in Linux | [Fen01] does not say | `an_overflow_changes_nothing` |
//! | Linux leaves the probabilities of its last use in a set whose hashes move; ours starts empty | they belong to other flows | `sets_of_bins_take_turns` |
//! | The hashes move at the first arrival after their time, as in Linux | nothing looks at them before | `sets_of_bins_take_turns` |
//! | Arrivals of flows that do not respond raise the set that takes over next; `warm_up = "unresponsive"` treats them as in use | a flow that is held to a rate never fills bins that count it alone, and would be free after each turn | `only_raised_bins_know_a_limited_flow_at_once` |
//! | A figure of 2 s for `rehash` fits steps without `freeze_time` only: of 0.005 in 10 ms, p_m needs 2 s to 1 | Chatranon 2004 and ns-2's module have one of the two each | - |
//! | p_m falls at each arrival that finds the bin empty; `decrement_at = "departure"` when the last packet leaves it | [Fen01]'s figure; Chatranon 2004 says "when the number of packets in a bin drops to zero", and an operating system's port of the authors' module does so | `the_probability_may_fall_with_the_last_packet_that_leaves_instead` |
//! | A flow does not respond from p_min = 1 on; `unresponsive` may be less | [Fen01]; 0.98 in that port: with several such flows p_min lingers just below 1 | `a_flow_may_count_as_one_that_does_not_respond_below_one` |
//! | Packets of such flows that pass count in bins; with `count_limited = false` they do not, as in that port | [Fen01] does not say | `packets_of_limited_flows_may_go_uncounted` |
//! | With `raise_limited` each arrival of such a flow raises its bins | [Fen01] raises p at a full bin, BLUE at every lost packet: a flow that is held to a rate no longer fills its bins, and would be free again when they run empty. With it UDP gets Chatranon 2004's printed rates in tables 4, 6 and 14 | `limited_arrivals_may_keep_their_bins_raised` |
//! | An automatic `bin_size` is at least half more than a flow's part of the bandwidth-delay product | by 1.5 B/N alone four flows on 45 Mbit/s fill 78 % of the link | `an_even_part_and_a_half_is_the_automatic_size` |
//! | Rate limiting is by one clock for all flows that do not respond | [Fen01] has "a fixed amount of bandwidth"; as ns-2's module and Linux | `limiter.rs` |

mod bins;
mod limiter;
mod settings;

use self::bins::{Bins, Law};
use self::limiter::Limiter;
pub use self::settings::{BinFull, Params, WarmUp};
use crate::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "sfb",
    title: "SFB (stochastic fair BLUE)",
    doc: "BLUE's probability for groups of flows. Flows are hashed to bins on several levels, and each bin has a probability that rises \
          while it is full and falls while it is empty. The least probability of its bins decides about a packet; flows with a \
          probability of 1 in all bins are limited to a rate.",
    reference: "Feng, Kandlur, Saha and Shin 2001",
    decides: "Its probabilities are no functions of the queue: that of each bin rises by steps while the bin is full, and \
          falls by steps while it is empty.",
    presets: presets! {
        /// Feng et al. 2001, the figure's algorithm: two levels of 23 bins, hashes that move every 2 s, one step for up and down.
        paper = {
            levels = "2", bins = "23", bin_size = "13", bin_full = "any", increment = "0.005", decrement = "0.005", freeze_time = "0s",
            rehash = "2s", warm_up = "raise",
        };
        /// The authors' module for ns-2, as reported by a kernel that follows it (classq_sfb.c of Apple's XNU, 2012; read on
        /// 2026-11-25): steps 0.005 and 0.001, 10 ms apart, a penalty of 50 ms from 0.98 on, hashes for 20 s. The module itself is not
        /// available.
        reported = {
            increment = "0.005", decrement = "0.001", freeze_time = "10ms", hold_time = "50ms", rehash = "20s", decrement_at = "departure",
            unresponsive = "0.98", count_limited = "false",
        };
        /// Chatranon 2004 tables 2 and 3: the authors' module with 300 packets and a penalty of 162 ms, for 49.5 kbit/s; a full bin drops
        /// nothing. That arrivals in the penalty box raise their bins, and its threshold of 0.9, are fitted to its tables 4, 6 and 14.
        chatranon2004 = {
            limit = "300p", bin_size = "13", bin_full = "none", hold_time = "162ms", decrement_at = "departure", unresponsive = "0.9",
            raise_limited = "true",
        };
        /// Alemu 2004 section 1.3.2: one step for up and down; a token bucket is our reading of its rate limit.
        alemu2004 = { increment = "0.005", decrement = "0.005", freeze_time = "0s", limiter = "bucket" };
    },
    shown: &[
        Counter(OVERLIMITS, Source::Drops(&[Reason::UNFAIR, Reason::OVERFLOW])),
        Counter("earlydrop", Source::Drops(&[Reason::EARLY])),
        Counter("penaltydrop_or_bucketdrop", Source::Drops(&[Reason::UNFAIR])),
        Counter("queuedrop", Source::Drops(&[Reason::OVERFLOW])),
        Counter("marked", Source::Marks),
        Counter("maxqlen", Source::Probe("bin_max_packets")),
        Counter("maxprob", Source::Probe("p_max")),
    ],
    ..QueueEntry::of_policy::<Params>()
};

/// The sets in which a packet is counted: the set that was in use when it arrived, after `turns` turns, and perhaps the one that takes over
/// next. It is the packet's [`Tag`]. 0 says that the packet is counted nowhere.
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

#[derive(Clone, Debug)]
pub struct Sfb {
    params: Params,
    law: Law,
    limiter: Limiter,
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
            params: self.clone(),
            law: Law {
                bin_size: self.bin_size.unwrap_or_else(automatic),
                increment: self.increment.0,
                decrement: self.decrement.0,
                decrement_at: self.decrement_at,
                freeze_time: self.freeze_time,
            },
            limiter: Limiter::new(self.limiter, self.hold_time, self.penalty_rate, self.penalty_burst),
            sets: [Bins::new(self.levels, self.bins), Bins::new(self.levels, self.bins)],
            turns: 0,
            since: None,
            p_min: 0.0,
        })
    }
}

/// The most turns that a tag has room for; the next one is 0 again.
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
        if self.params.rehash > Duration::ZERO && now.since(since) > self.params.rehash {
            let active = self.active();
            self.sets[active].renew(rng.below(1 << 53));
            self.turns = (self.turns + 1) & TURNS_MAX;
            self.since = Some(now);
        }
    }

    /// Whether a flow with this p_min does not respond.
    fn does_not_respond(&self, p_min: f64) -> bool {
        p_min >= self.params.unresponsive.0
    }

    /// Whether the set that takes over next sees an arrival of a flow with this p_min.
    fn warms_up(&self, now: Instant, p_min: f64) -> bool {
        let sees = match self.params.warm_up {
            WarmUp::Raise | WarmUp::Unresponsive => self.does_not_respond(p_min),
            WarmUp::All => true,
            WarmUp::None => false,
        };
        let until = self.since.map_or(Duration::ZERO, |since| self.params.rehash.saturating_sub(now.since(since)));
        sees && self.params.rehash > Duration::ZERO && self.params.warm_up_time.is_none_or(|time| until < time)
    }

    /// Marks or drops with p_min.
    fn judge(&self, packet: &Packet, rng: &mut Rng) -> Verdict {
        if self.p_min <= 0.0 {
            return Verdict::Pass;
        }
        if rng.uniform() >= self.p_min {
            return Verdict::Pass;
        }
        Verdict::signal(self.params.ecn, packet, Reason::EARLY)
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
            if self.params.warm_up == WarmUp::Raise {
                next.raise(now, flow, &law);
            } else {
                next.update(now, flow, &law);
            }
        }
        let is_limited = self.does_not_respond(found.p_min);
        if is_limited && self.params.raise_limited {
            self.sets[active].raise(now, flow, &law);
        }
        if self.params.count_limited || !is_limited {
            queue.leave(Counted { turns: self.turns, warms_up }.tag());
        }
        let is_full = match self.params.bin_full {
            BinFull::Any => found.qlen_max > law.bin_size,
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

    probes! { |self|
        let (p_max, qlen_max) = self.sets[self.active()].largest();
        "p_max" => p_max,
        "p_min" => self.p_min,
        "bin_max_packets" => qlen_max as f64,
    }
}

#[cfg(test)]
mod tests;
