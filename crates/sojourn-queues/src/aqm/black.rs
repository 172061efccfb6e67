//! BLACK ("blacklisting unresponsive flows"): RED behind a test that samples the queue, keeps the flows found most often in a
//! small cache, and drops arrivals of those that hold more than a fair part of the buffer. Specification: Chatranon,
//! "Providing Fairness through Detection and Preferential Dropping of High Bandwidth Unresponsive Flows", dissertation,
//! University of Pittsburgh 2004, chapter 3; with direct bitmap chapter 5 [Cha04]. Compared with: no public implementation.
//!
//! Each reading of an open point of the source is a setting, named in [`hbf::Settings`] and here:
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | The sampled packet's flow enters the cache; `insert = "arriving"` for the arriving one's, as section 3.2.4 says | hits count sampled packets | `the_sampled_flow_enters_the_cache` |
//! | Nothing is dropped before the first estimate of N | the source gives no first B_f | `before_the_first_estimate_nothing_is_dropped` |
//! | Samples and drops need a queue above `threshold`: one in which a packet waits; `threshold = "auto"` is min_th | the source has "a certain threshold", and nothing is dropped while the queue is empty (section 5.3); above min_th only AFC leaks in table 14's experiment | `a_queue_in_which_one_packet_waits_is_long_unless_a_threshold_is_set` |
//! | Drops have the same conditions as samples (`gated`) | section 5.3 says so in words; no formula does | `a_short_queue_is_neither_sampled_nor_held` |
//! | N is over all arrivals for which a packet was sampled, as eq. 3.7 counts m of them, though dropped packets are not compared (section 3.2.5); `match_over = "compared"` leaves these out | literally; over the comparisons alone five blasts are taken for five fair flows and never held (table 6) | `matches_are_over_all_that_were_sampled`, `matches_count_packets_that_pass` |
//! | Past and present are one sample, eq. 3.3; `blend = "added"` takes `h / m + H` | ours, after section 5.1.4: "up to twice the fair part, then down to about that, and a new period"; it does not bring the printed level | `added_to_the_past_a_part_only_rises_within_a_period` |
//! | A packet is drawn from those that wait; `drawn_from = "with_arrival"` counts the arrival among them | section 3.2.1 has "from the queue"; with it a flow of few packets that waits for its own is matched as often as eq. 3.6 assumes | `the_arrival_may_be_drawn_too` |
//! | H-bar is that of the arrival; `refresh = "on_hit"` keeps that of the flow's last sample | eq. 3.3 gives no moment; the second is nearer to the published rates | `on_hit_the_part_is_that_of_the_last_sample` |

use crate::aqm::hbf::{self, CHATRANON, Hbf, RedSees, hbf_hooks};
use crate::mechanism::active_flows;
use crate::mechanism::cache::Period;
use crate::packet::FlowId;
use crate::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "black",
    title: "BLACK (blacklisting unresponsive flows)",
    doc: "RED behind a test against flows that take more than their fair share. At each arrival a random packet of the queue \
          is looked at. Arrivals of flows that are found too often are dropped before RED.",
    reference: "Chatranon 2004, chapter 3",
    presets: presets! {
        /// Chatranon 2004 chapter 3: cache 20, 3000 samples, N by matches, gentle RED between 50 and 150 packets.
        paper = { ..CHATRANON };
        /// Chatranon 2004 chapter 5: N by direct bitmap.
        bitmap = { ..CHATRANON, active_flows = "direct_bitmap" };
        /// As bitmap, a flow's part known only when it is sampled: nearer to the rates that the dissertation reports.
        on_hit = { ..CHATRANON, active_flows = "direct_bitmap", refresh = "on_hit" };
        /// Chatranon 2004 eq. 3.2, shown to oscillate: the drop probability stays for a period.
        static = { ..CHATRANON, drop_function = "static" };
    },
    law: Some(|_args, link| Ok(draw_law(link))),
    probes: &[Probe::new(
        "active_flows",
        "flows",
        Probe::UP,
        "estimated number of active flows; 0 before the first estimate",
    )],
    ..QueueEntry::of_policy::<Params>()
};

params! {
    pub struct Params {
        ..hbf: hbf::Settings;
        ..active_flows: active_flows::Settings { active_flows = "match", "[Cha04] section 3.2.5; direct_bitmap in chapter 5" };
        /// How a flow's part becomes a drop probability: eq. 3.4, eq. 3.2, or not at all, to watch the estimates.
        drop_function: DropFunction = "blended", "[Cha04] eq. 3.4";
        /// When the part of eq. 3.4 is taken: at each arrival, or at each sample of the flow.
        refresh: Refresh = "on_arrival", "[Cha04] section 3.2.3, read literally", when drop_function in ["blended"];
        /// How past and present are combined: as one sample, eq. 3.3, or the present's hits over m added to the past's part.
        blend: Blend = "pooled", "[Cha04] eq. 3.3", when drop_function in ["blended"];
        /// The packets from which one is drawn at an arrival: those that wait, or these and the arrival.
        drawn_from: DrawnFrom = "waiting", "[Cha04] section 3.2.1: from the queue";
        /// Whose record enters the cache when a sampled packet's flow is not in it.
        insert: Insert = "sampled", "[Cha04] section 3.2.4, our reading";
    }
}

choices! {
    /// How a flow's part becomes a drop probability.
    pub enum DropFunction {
        /// From past and present together (eq. 3.4).
        Blended = "blended",
        /// From the past alone, for a period (eq. 3.2).
        Static = "static",
        /// It does not.
        None = "none",
    }
}

choices! {
    /// When past and present are combined.
    pub enum Refresh {
        /// When a packet of the flow comes.
        OnArrival = "on_arrival",
        /// When a packet of the flow is sampled, and when a period ends.
        OnHit = "on_hit",
    }
}

choices! {
    /// How past and present are combined.
    pub enum Blend {
        /// `(h + H m) / (m_tau + m)`.
        Pooled = "pooled",
        /// `h / m + H`: it only rises within a period, and halves when one ends.
        Added = "added",
    }
}

choices! {
    /// The packets from which one is drawn.
    pub enum DrawnFrom {
        /// Those that wait.
        Waiting = "waiting",
        /// Those that wait and the arriving one.
        WithArrival = "with_arrival",
    }
}

choices! {
    /// Whose record enters the cache.
    pub enum Insert {
        /// The sampled packet's flow.
        Sampled = "sampled",
        /// The arriving packet's.
        Arriving = "arriving",
    }
}

/// A flow's part when it was last sampled.
type Seen = f64;

#[derive(Clone, Debug)]
pub struct Black {
    hbf: Hbf<Seen>,
    drop_function: DropFunction,
    refresh: Refresh,
    blend: Blend,
    drawn_from: DrawnFrom,
    insert: Insert,
}

impl PolicyParams for Params {
    type Policy = Black;

    fn policy(&self, link: &LinkContext) -> Result<Black, BuildError> {
        Ok(Black {
            hbf: self.hbf.build(link, 1, &self.active_flows)?,
            drop_function: self.drop_function,
            refresh: self.refresh,
            blend: self.blend,
            drawn_from: self.drawn_from,
            insert: self.insert,
        })
    }

    fn limit(&self, link: &LinkContext) -> Limit {
        self.hbf.red.limit(link)
    }
}

/// `p = min(1, (H - B_f) / B_f)` above B_f, else 0 ([Cha04] eq. 3.2 and 3.4).
pub fn drop_probability(part: f64, fair: f64) -> f64 {
    ((part - fair) / fair).clamp(0.0, 1.0)
}

fn draw_law(link: &LinkContext) -> Graph {
    let fair = 1.0 / link.flows.max(1) as f64;
    Graph::new(Axis::new("a flow's part of the queue", ""), Axis::PROBABILITY)
        .about(format!(
            "Drawn for {} active flows. Packets that pass this test meet RED, which has a law of its own.",
            link.flows
        ))
        .curve("", (0.0, 3.0 * fair), &[fair, 2.0 * fair], |part| drop_probability(part, fair))
}

impl Blend {
    /// A flow's part, past and present together ([Cha04] eq. 3.3).
    fn of(self, period: Period, hits: u64, past: f64) -> f64 {
        match self {
            Blend::Pooled => period.blended(hits, past),
            Blend::Added => hits as f64 / period.length + past,
        }
    }
}

impl Black {
    /// Counts a packet drawn from the queue, for the cache.
    fn count(&mut self, sampled: FlowId, arriving: FlowId, rng: &mut Rng) {
        let hbf = &mut self.hbf;
        if let Some(entry) = hbf.cache.touch(sampled) {
            entry.hits += 1;
        } else {
            let flow = if self.insert == Insert::Sampled { sampled } else { arriving };
            // Our reading of "arriving": a flow has one record.
            if hbf.cache.find(flow).is_none() && hbf.makes_room(|| rng.uniform()) {
                hbf.cache.insert(flow, 1, 0.0);
            }
        }
        let is_over = hbf.cache.collect(1);
        let period = hbf.cache.period;
        if let Some(entry) = hbf.cache.find(sampled) {
            entry.own = self.blend.of(period, entry.hits, entry.past);
        }
        if is_over {
            hbf.cache.end_period();
            hbf.cache.refresh(|entry| entry.past);
            hbf.active_flows.end_period();
        }
    }

    /// The probability with which a packet of this flow is dropped.
    fn probability(&mut self, flow: FlowId) -> f64 {
        let Some(fair) = self.hbf.fair() else { return 0.0 };
        let period = self.hbf.cache.period;
        let Some(entry) = self.hbf.cache.find(flow) else { return 0.0 };
        let part = match (self.drop_function, self.refresh) {
            (DropFunction::Blended, Refresh::OnArrival) => self.blend.of(period, entry.hits, entry.past),
            (DropFunction::Blended, Refresh::OnHit) => entry.own,
            (DropFunction::Static, _) => entry.past,
            (DropFunction::None, _) => return 0.0,
        };
        drop_probability(part, fair)
    }
}

impl Policy for Black {
    fn on_arrival(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        let backlog = queue.backlog();
        if self.hbf.red_sees == RedSees::All {
            self.hbf.red.observe(now, backlog);
        }
        self.hbf.active_flows.arrived(packet.flow, rng);
        let is_long = self.hbf.is_long(backlog);
        let mut sampled = None;
        if is_long && backlog.packets > 0 {
            let drawn = rng.below(backlog.packets + u64::from(self.drawn_from == DrawnFrom::WithArrival));
            // The arrival is behind those that wait.
            sampled = Some(queue.get(drawn as usize).map_or(packet.flow, |sample| sample.flow));
        }
        if let Some(sampled) = sampled {
            self.hbf.active_flows.sampled();
            self.count(sampled, packet.flow, rng);
        }
        if self.hbf.may_drop(is_long) {
            let p = self.probability(packet.flow);
            if p > 0.0 && rng.uniform() < p {
                return Verdict::Drop(Reason::UNFAIR);
            }
        }
        // [Cha04] section 3.2.5: after the preferential drop, so that the flows compared are more equal.
        self.hbf.active_flows.passed(packet.flow, sampled, rng);
        if self.hbf.red_sees == RedSees::Passing {
            self.hbf.red.observe(now, backlog);
        }
        self.hbf.red.decide(packet, backlog, rng)
    }

    fn on_enqueued(&mut self, _now: Instant, packet: &Packet, _queue: &mut QueueView<'_>) {
        self.hbf.active_flows.joined(packet.flow);
    }

    hbf_hooks!();
}

#[cfg(test)]
mod tests;
