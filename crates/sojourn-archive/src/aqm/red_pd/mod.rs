//! RED-PD (RED with preferential dropping): flows that lose packets in most of the last intervals send more than a TCP of a
//! reference round-trip time would; they are dropped before RED, evenly spaced, with probabilities that follow their losses.
//! Specification: [Mah01] Mahajan, Floyd and Wetherall, "Controlling High-Bandwidth Flows at the Congested Router", ICNP 2001;
//! every constant from the authors' simulations in ns-2's distribution, tcl/ex/red-pd (monitoring.tcl, helper.tcl) [Mah01s], since the
//! paper's text was not available. Compared with: ns-2 2.35 `Queue/RED/PD` for the filter (tests/peers/test_red_filter.py).
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | Probabilities fall when they rise, not 1 ms later | so do the lists by which both go | `a_flow_that_lost_nothing_in_all_lists_is_let_go` |
//! | An interval after which nothing had been dropped counts among the last ones; [Mah01s] skips it | time has passed | - |
//! | Bytes of a flow are counted from its first loss on; [Mah01s] counts all flows | state for few flows is the aim; who can be monitored has lost before | - |
//! | Marks count as drops | [Mah01] section 3: congestion signals | `marks_are_drops_of_the_history` |
//!
//! // Bound: flows in a list (`list_most`); records within an interval are at most as many as its drops.

mod history;
mod monitored;

use self::history::{Bytes, History, LISTS_MOST};
use self::monitored::{Monitored, Seen, lowered, raised};
use crate::aqm::red_filter::Spares;
use sojourn_queues::aqm::red::{NS2_LAWS, Red, Settings};
use sojourn_queues::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "red_pd",
    title: "RED-PD (RED with preferential dropping)",
    doc: "RED behind a filter for flows that send much. Flows that lost packets in most of the last intervals are dropped before \
          RED, with probabilities that follow their losses.",
    reference: "Mahajan, Floyd and Wetherall 2001",
    law: Some(|args, link| Ok(args.typed::<Params>().policy(link)?.red.graph())),
    presets: presets! {
        /// The authors' simulations in ns-2 2.35 (tcl/ex/red-pd, checked on 2026-11-25): thresholds 10 and 33 of 50 packets, gentle,
        /// without `wait_`; the first look after 10.1 s. Their other parameters are RED's defaults of that time, which
        /// their validation script writes: w_q 0.002, in packets.
        ns2 = {
            ..NS2_LAWS, limit = "50p", min_th = "10p", max_th = "33p", w_q = "0.002", max_p = "0.1", mode = "packets", count = "on",
            first_look = "10.1s", unresponsive_spared = "never",
        };
    },
    probes: &[
        Probe::new(
            "monitored",
            "flows",
            Probe::UP,
            "flows that are monitored, because they were among those that lost most",
        ),
        Probe::new(
            "drop_rate",
            "",
            Probe::SHARE,
            "part of the packets that was dropped, averaged over intervals of identification",
        ),
    ],
    ..QueueEntry::of_policy::<Params>()
};

params! {
    pub struct Params {
        ..red: Settings;
        /// Round-trip time of a TCP that sends as much as a flow may.
        reference_rtt: Duration = "40ms" in [1e-6, 1e3], "[Mah01s] target_rtt_ 0.040";
        /// M: lists of flows that lost something, one for each interval.
        lists: u64 = "5" in [1.0, 16.0], "[Mah01s] MaxHighDRFlowHist_";
        /// K: in how many lists a flow must be to be monitored.
        needed: u64 = "3" in [1.0, 16.0], "[Mah01s] XinRegular_";
        /// Flows in a list, those that lost most.
        list_most: u64 = "50" in [1.0, 1e6], "[Mah01s] MaxDropList_";
        /// Least interval. Automatic: 2 reference round-trip times.
        interval_min: Option<Duration> = "auto" in [1e-6, 1e3], "[Mah01s] Mintime_";
        /// Greatest interval, and the first one. Automatic: 10 reference round-trip times.
        interval_max: Option<Duration> = "auto" in [1e-6, 1e3], "[Mah01s] Maxtime_";
        /// Least time between two changes of a flow's probability; 4 intervals before it rises, 3 before it falls if they are longer.
        pause: Duration = "0.4s" in [0.0, 1e3], "[Mah01s] minTimetoConsider_";
        /// When the first interval ends. Automatic: after `interval_max`.
        first_look: Option<Duration> = "auto" in [1e-6, 1e9], "ours: at once; [Mah01s] waits 10.1 s";
        /// Weight of an interval in the mean drop rate.
        weight: Fraction = "0.5" in [0.0, 1.0], "[Mah01s] insertNCalDropRate";
        /// Drop rate of an interval up to which no probability rises.
        calm: Fraction = "0.001" in [0.0, 1.0], "[Mah01s] do_detect";
        /// Most by which a probability falls at once.
        fall_most: Fraction = "0.05" in [0.0, 1.0], "[Mah01s] maxPReduction_";
        /// Probability up to which a flow is let go; half of it if the flow does not respond.
        let_go: Fraction = "0.005" in [0.0, 1.0], "[Mah01s] do_reward 0.995";
        /// Whether flows that do not answer to losses are looked for, and are treated harder.
        unresponsive_test: bool = "true", "[Mah01s] unresponsive_test_";
        /// When flows that do not respond are spared by the filter; others are as with `short`.
        unresponsive_spared: Spares = "never", "ns-2 2.35 noidle_ false; true is idle";
    }
}

/// The tag of a packet that the filter dropped.
const FILTERED: Tag = 1;
/// The tag of a packet that RED marked.
const MARKED: Tag = 2;

/// Spans of time of the law.
#[derive(Clone, Copy, Debug)]
struct Spans {
    rtt: f64,
    least: f64,
    most: f64,
}

impl Spans {
    /// `B = (K / M) R / sqrt(1.5 p)`, between its bounds: a TCP of the reference loses a packet in M/K intervals ([Mah01s] calculateB).
    fn interval(self, part: f64, p: f64) -> f64 {
        let interval = if p > 0.0 { part * self.rtt / (1.5 * p).sqrt() } else { self.most };
        interval.min(self.most).max(self.least)
    }
}

#[derive(Clone, Debug)]
pub struct RedPd {
    red: Red,
    params: Params,
    spans: Spans,
    history: History,
    /// All flows together in the present interval.
    present: Bytes,
    /// Mean drop rate; `None` before the first interval has ended.
    drop_rate: Option<f64>,
    /// The last intervals, the last one first: whole, so that their sum is the time that has passed.
    intervals: [Duration; LISTS_MOST],
    began: Instant,
    ends: Instant,
}

impl PolicyParams for Params {
    type Policy = RedPd;

    fn policy(&self, link: &LinkContext) -> Result<RedPd, BuildError> {
        if self.needed > self.lists {
            let found = format!("needed is {} and lists is {}", self.needed, self.lists);
            return Err(BuildError::new("needed", found, "needed is at most lists"));
        }
        let rtt = self.reference_rtt.as_secs_f64();
        let least = self.interval_min.map_or(2.0 * rtt, Duration::as_secs_f64);
        let most = self.interval_max.map_or(10.0 * rtt, Duration::as_secs_f64);
        if least > most {
            let found = format!("interval_max is {most} s and interval_min is {least} s");
            return Err(BuildError::new("interval_max", found, "interval_max is at least interval_min"));
        }
        let first = self.first_look.unwrap_or_else(|| Duration::from_secs_f64(most));
        Ok(RedPd {
            red: self.red.build(link)?,
            params: self.clone(),
            spans: Spans { rtt, least, most },
            history: History::new(self.lists, self.list_most),
            present: Bytes::default(),
            drop_rate: None,
            intervals: [Duration::ZERO; LISTS_MOST],
            began: Instant::ZERO,
            ends: Instant::ZERO + first,
        })
    }

    fn limit(&self, link: &LinkContext) -> Limit {
        self.red.limit(link)
    }
}

impl RedPd {
    /// Whether the filter drops the packet.
    fn filters(&mut self, packet: &Packet, waiting: Backlog, rng: &mut Rng) -> bool {
        let Some(record) = self.history.records.get_mut(&packet.flow) else { return false };
        record.present.arrived += u64::from(packet.size);
        let Some(flow) = &mut record.monitored else { return false };
        let rule = if flow.unresponsive { self.params.unresponsive_spared } else { Spares::Short };
        let spared = rule.spares(&self.red, waiting);
        flow.thinning.drops(flow.p, spared, rng)
    }

    /// A packet was dropped or marked behind the filter.
    fn lost(&mut self, packet: &Packet) {
        let size = u64::from(packet.size);
        self.present.dropped += size;
        let record = self.history.records.entry(packet.flow).or_default();
        // The first loss begins the record, and its packet was not counted when it came.
        record.present.arrived = record.present.arrived.max(size);
        record.present.dropped += size;
    }

    /// The drop rate by which probabilities rise: that of this interval, or the mean if that is less. Moves the mean.
    fn usable_drop_rate(&mut self) -> (f64, f64) {
        let current = self.present.drop_rate();
        let weight = self.params.weight.0;
        let mean = self.drop_rate.map_or(current, |mean| weight * current + (1.0 - weight) * mean);
        self.drop_rate = Some(mean);
        (current, current.min(mean))
    }

    /// The last `intervals` together, and at least the pause.
    fn span(&self, intervals: usize) -> Duration {
        let sum = self.intervals[..intervals].iter().fold(Duration::ZERO, |sum, interval| sum + *interval);
        sum.max(self.params.pause)
    }

    /// Ends an interval ([Mah01s] do_detect, do_reward).
    fn look(&mut self, now: Instant) {
        let elapsed = now.since(self.began).as_secs_f64();
        let (current, usable) = self.usable_drop_rate();
        self.history.close_list();
        if current > self.params.calm.0 {
            self.raise(now, usable, elapsed);
        }
        self.lower(now);
        let part = self.params.needed as f64 / self.params.lists as f64;
        let interval = Duration::from_secs_f64(self.spans.interval(part, self.drop_rate.unwrap_or(0.0)));
        self.intervals.rotate_right(1);
        self.intervals[0] = interval;
        self.history.begin_interval();
        self.present = Bytes::default();
        (self.began, self.ends) = (now, now + interval);
    }

    /// Raises the probabilities of the flows that are in enough lists, by the mean drop rate times their losses over the mean losses of
    /// such flows.
    fn raise(&mut self, now: Instant, usable: f64, elapsed: f64) {
        let needed = self.params.needed;
        let regular = self.history.records.values().map(history::Record::listed).filter(|(lists, _)| *lists >= needed);
        let (flows, lost) = regular.fold((0_u64, 0_u64), |(count, sum), (_, own)| (count + 1, sum + own));
        let mean = lost as f64 / flows.max(1) as f64;
        let pause = self.span(4);
        for record in self.history.records.values_mut() {
            let (lists, bytes) = record.listed();
            let present = record.present;
            if lists < needed || present.filtered + present.dropped == 0 {
                continue;
            }
            let step = usable * bytes as f64 / mean;
            match &mut record.monitored {
                Some(flow) if now.since(flow.changed_at) < pause => continue,
                Some(flow) => {
                    flow.unresponsive |= self.params.unresponsive_test && flow.ignores_losses();
                    flow.p = raised(flow.p, step, flow.unresponsive);
                    flow.changed_at = now;
                }
                // [Mah01s]: at most twice the drop rate, and at most one half.
                None => record.monitored = Some(Monitored::new(step.min(2.0 * usable).min(0.5), now)),
            }
            if let Some(flow) = &mut record.monitored {
                flow.remember(Seen { rate: present.arrived as f64 / elapsed, loss: present.loss() });
            }
        }
    }

    /// Lowers the probabilities of the monitored flows that are in no list, and lets go whose is small.
    fn lower(&mut self, now: Instant) {
        let (pause, long_pause) = (self.span(3), self.span(5));
        let (most, let_go) = (self.params.fall_most.0, self.params.let_go.0);
        for record in self.history.records.values_mut().filter(|record| record.listed().0 == 0) {
            let Some(flow) = &mut record.monitored else { continue };
            let (pause, let_go) = if flow.unresponsive { (long_pause, let_go / 2.0) } else { (pause, let_go) };
            if now.since(flow.changed_at) < pause {
                continue;
            }
            if flow.p <= let_go {
                record.monitored = None;
            } else {
                flow.p = lowered(flow.p, most, flow.unresponsive);
                flow.changed_at = now;
            }
        }
    }
}

impl Policy for RedPd {
    fn on_arrival(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        let backlog = queue.backlog();
        self.present.arrived += u64::from(packet.size);
        if self.filters(packet, backlog, rng) {
            // RED does not see the packet.
            queue.leave(FILTERED);
            return Verdict::Drop(Reason::UNFAIR);
        }
        self.red.observe(now, backlog);
        let verdict = self.red.decide(packet, backlog, rng);
        if matches!(verdict, Verdict::Mark(_)) {
            queue.leave(MARKED);
        }
        verdict
    }

    fn on_enqueued(&mut self, _now: Instant, packet: &Packet, queue: &mut QueueView<'_>) {
        if queue.tag() == MARKED {
            self.lost(packet);
        }
    }

    fn on_idle(&mut self, now: Instant) {
        self.red.link_idle(now);
    }

    fn on_drop(&mut self, _now: Instant, packet: &Packet, dropped: Dropped, queue: &mut QueueView<'_>) {
        if dropped.is_overflow() {
            self.red.overflow();
        }
        if queue.tag() == FILTERED {
            let size = u64::from(packet.size);
            self.present.filtered += size;
            if let Some(record) = self.history.records.get_mut(&packet.flow) {
                record.present.filtered += size;
            }
        } else {
            self.lost(packet);
        }
    }

    fn next_deadline(&self) -> Option<Instant> {
        Some(self.ends)
    }

    fn on_deadline(&mut self, now: Instant, _queue: &mut QueueView<'_>) {
        while self.ends <= now {
            self.look(self.ends);
        }
    }

    fn decides_on_arrival(&self) -> bool {
        true
    }

    probes! { |self|
        "avg" => self.red.average.value(),
        "p_b" => self.red.last_p_b(),
        "monitored" => self.history.monitored() as f64,
        "drop_rate" => self.drop_rate.unwrap_or(0.0),
    }
}

#[cfg(test)]
mod tests;
