//! PIE: a proportional-integral controller moves the probability of drops at arrival until the queuing delay is at its reference; packets
//! after a calm pass for a while. Specification: RFC 8033; for cable modems RFC 8034. Compared with: no module in ns-2 2.35; the authors'
//! own module for ns-2 (Cisco and CableLabs 2013 and 2014, with a mode for cable modems, read only), FreeBSD's `dn_aqm_pie` and the
//! constants of Linux `sch_pie`, which is [a queue of its own](super::sch_pie): order of steps, scaling, cap, decay, spacing, exceptions,
//! and the three states of RFC 8034 are the same, except for the differences below. The pages of RFC 8034 were not available. Its states,
//! their order and every constant were checked on 2026-11-25 with CableLabs' model for ns-3 of DOCSIS 3.1's annex M (docsis-ns3, which
//! names MULPIv3.1-I21 of 2020).
//!
//! The controller and its variables are in `law.rs`. When it is active and when bursts pass is in `rfc8033.rs` and `rfc8034.rs`.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | The burst allowance is renewed at updates, not at arrivals | it depends only on values that updates change | `a_calm_renews_the_burst_allowance` |
//! | By timestamps an empty queue has no delay; RFC 8033 keeps that of the last packet | else a queue that has emptied would never be calm | `mechanism/queuing_delay.rs`: `by_timestamps_it_is_what_the_last_packet_waited_while_others_wait` |
//! | `calm = "low"` is half of the target; RFC 8034 has LATENCY_LOW, 5 ms, which is half of its target | it follows the target | `a_low_delay_lets_the_probability_decay` |
//! | DOCSIS's queue drains at the link's rate; RFC 8034 has a token bucket with a peak rate | links here have one rate | - |
//! | The authors' module rests after 1.5 s without congestion | 1 s is RFC 8034's | `cable_modems_rest_after_more_than_a_second_without_congestion` |
//! | A queue that wakes up goes on with its measurement of departures; FreeBSD's begins a new one | without one its delay would be 0 for a while | - |
//! | A mark, too, starts the sum of probabilities anew | FreeBSD's does not; RFC 8033 section 5.4 speaks of drops | - |

mod law;
mod rfc8033;
mod rfc8034;
mod settings;

use crate::mechanism::queuing_delay::QueuingDelay;
use crate::queue::prelude::*;
pub use law::draw_law;
use law::{Arrival, Law};
use rfc8033::Rfc8033;
use rfc8034::Rfc8034;
pub use settings::{Bursts, Params};

pub static ENTRY: QueueEntry = QueueEntry {
    name: "pie",
    title: "PIE (proportional integral controller enhanced)",
    doc: "A controller of the queuing delay. It drops arrivals with a probability that it moves until the delay is at its \
          reference; short bursts pass.",
    reference: "RFC 8033, RFC 8034",
    presets: presets! {
        /// RFC 8033 section 4: the basic algorithm, delays from timestamps.
        rfc8033 = { ..BASIC };
        /// RFC 8033 section 5, too: off while the queue is short, drops spaced, steps capped, delays from the departure rate.
        rfc8033_enhanced = {
            ..BASIC, delay_from = "departure_rate", active_from = "0.3333333333333333", derandomize = "true", cap_steps = "true",
        };
        /// RFC 8034 (DOCSIS-PIE): reference 10 ms, updates every 16 ms, doubled gains, by size with a mean packet of 1024 bytes, delays
        /// from the rate. The buffer is the operator's: set `limit`.
        docsis = {
            target = "10ms", interval = "16ms", alpha = "0.25", beta = "2.5", max_burst = "142ms", delay_from = "link_rate",
            scaling = "docsis", calm = "low", rest = "1s", high_delay = "200ms", active_from = "0.3333333333333333",
            derandomize = "true", by_size = "true", mean_packet = "1024B", cap_steps = "true", hold_in_burst = "true",
            bursts = "after_drop", ecn = "false",
        };
        /// ns-3.48's PieQueueDisc: limit 25 packets, steps capped, drops not spaced; bursts pass again after a calm of 1.5 s, and the
        /// probability is 0 meanwhile. ns-3 spares an arrival that finds two packets, this one that finds two mean ones.
        ns3 = { ..BASIC, limit = "25p", cap_steps = "true", hold_in_burst = "true", rest = "1500ms" };
    },
    law: Some(|args, _link| Ok(draw_law(&args.typed()))),
    shown: &[
        Counter("prob", Source::Probe("drop_prob")),
        Counter("delay_s", Source::Probe("delay_s")),
        Counter("pkts_in", Source::Queued),
        Counter("overlimit", Source::Drops(&[Reason::OVERFLOW])),
        Counter("maxq", Source::Found),
        Counter("ecn_mark", Source::Marks),
    ],
    ..QueueEntry::of_policy::<Params>()
};

/// RFC 8033 section 4.
const BASIC: &[Setting] = settings! {
    target = "15ms", interval = "15ms", alpha = "0.125", beta = "1.25", max_burst = "150ms", delay_from = "timestamps",
    scaling = "rfc8033", calm = "empty", rest = "0s", high_delay = "auto", active_from = "0", derandomize = "false",
    by_size = "false", cap_steps = "false", hold_in_burst = "false", bursts = "after_calm", mark_below = "0.1",
};

/// The standard whose states it has; `bursts` chooses it.
#[derive(Clone, Debug, PartialEq)]
enum Standard {
    Rfc8033(Rfc8033),
    Rfc8034(Rfc8034),
}

#[derive(Clone, Debug)]
pub struct Pie {
    params: Params,
    qdelay: QueuingDelay,
    mean_packet: u64,
    /// The backlog from which it is active.
    active_from: Limit,
    law: Law,
    standard: Standard,
    due: Instant,
}

impl PolicyParams for Params {
    type Policy = Pie;

    fn policy(&self, link: &LinkContext) -> Result<Pie, BuildError> {
        let limit = self.limit(link);
        let part = |amount: u64| (amount as f64 * self.active_from.0) as u64;
        let (law, standard) = match self.bursts {
            Bursts::AfterCalm => (Law::new(self.max_burst), Standard::Rfc8033(Rfc8033::new(self))),
            Bursts::AfterDrop => (Law::new(Duration::ZERO), Standard::Rfc8034(Rfc8034::new(self))),
        };
        Ok(Pie {
            params: self.clone(),
            qdelay: QueuingDelay::new(self.delay_from, link.rate, self.dq_threshold.0),
            mean_packet: link.mean_packet.0,
            active_from: Limit { packets: part(limit.packets), bytes: part(limit.bytes) },
            law,
            standard,
            due: Instant::ZERO + self.interval,
        })
    }
}

impl Pie {
    fn update(&mut self, waiting: u64) {
        match &mut self.standard {
            Standard::Rfc8033(states) => states.update(&mut self.law, &self.params, &self.qdelay, waiting),
            Standard::Rfc8034(states) => states.update(&mut self.law, &self.params, &self.qdelay, waiting),
        }
    }

    /// Whether a packet is chosen; a number is drawn where that decides.
    fn is_chosen(&mut self, size: u32, backlog: Backlog, rng: &mut Rng) -> bool {
        let Pie { params, mean_packet, active_from, law, .. } = self;
        let is_enough = backlog.packets >= active_from.packets || backlog.bytes >= active_from.bytes;
        let arrival = Arrival { size, waiting: backlog.bytes, is_enough, mean_packet: *mean_packet };
        match &mut self.standard {
            Standard::Rfc8033(states) => states.is_chosen(law, params, arrival, rng),
            Standard::Rfc8034(states) => states.is_chosen(law, params, arrival, rng),
        }
    }
}

impl Policy for Pie {
    fn on_arrival(&mut self, _now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        if !self.is_chosen(packet.size, queue.backlog(), rng) {
            return Verdict::Pass;
        }
        Verdict::signal(self.params.ecn && self.law.drop_prob < self.params.mark_below.0, packet, Reason::EARLY)
    }

    fn on_drop(&mut self, _now: Instant, _packet: &Packet, dropped: Dropped, _queue: &mut QueueView<'_>) {
        // As in Linux, in FreeBSD and in the authors' module: a full buffer, too, starts the sum anew.
        if dropped.is_overflow() {
            self.law.accu_prob = 0.0;
        }
    }

    fn on_departure(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, _rng: &mut Rng) -> Verdict {
        self.qdelay.left(now, packet, queue.bytes());
        Verdict::Pass
    }

    fn next_deadline(&self) -> Option<Instant> {
        Some(self.due)
    }

    fn on_deadline(&mut self, now: Instant, queue: &mut QueueView<'_>) {
        while self.due <= now {
            self.update(queue.bytes());
            self.due += self.params.interval;
        }
    }

    fn decides_on_arrival(&self) -> bool {
        !self.qdelay.needs_departures()
    }

    // Updates leave the sum of probabilities alone where it is RFC 8033's, and the delay of an empty queue is 0, whatever its packets
    // have waited.
    fn is_like(&self, other: &Self) -> bool {
        let law = Law { accu_prob: self.law.accu_prob, ..other.law };
        let is_rfc8033 = matches!(self.standard, Standard::Rfc8033(_));
        let Pie { standard, due, params, .. } = other;
        is_rfc8033 && self.due == *due && self.law == law && self.standard == *standard && self.params == *params
    }

    fn take_over(&mut self, other: &Self) {
        self.law = Law { accu_prob: self.law.accu_prob, ..other.law };
        self.standard.clone_from(&other.standard);
        self.due = other.due;
    }

    probes! { |self|
        "drop_prob" => self.law.drop_prob,
        "delay_s" => self.law.qdelay_old,
    }
}

#[cfg(test)]
mod tests;
