//! The tables of groups of flows: means, fairness, how long packets and transfers took, and the series.

use std::borrow::Cow;

use super::flow_counts::{FlowCounts, FlowRow};
use super::state::{SENDER, Simulation};
use crate::metrics::Table;
use crate::metrics::column::Better::Less;
use crate::metrics::column::Kind::{Delay, Wait};
use crate::metrics::column::Unit::{Ms, Plain, Share};
use crate::metrics::column::{NUMBER, Quantity, columns, quantity};
use crate::metrics::fairness::{jain_index, mean_and_sd, ratio};
use crate::metrics::group::{GroupRecorder, Interval};
use crate::metrics::latency::Latencies;
use crate::metrics::quantities::{COMPLETION, DELAY, FAIRNESS, GOODPUT, LOSS, ROUND_TRIP, THROUGHPUT, TIME};
use crate::units::{Coarse, Duration, Instant};

const QUEUEING: Quantity = quantity("Time in queues", Ms).less().kind(Wait).head("queueing");

/// A flow belongs to an index of fairness if it was there for this part of the window.
const THERE: f64 = 0.95;

/// Jain's index over the flows that were there for [`THERE`] of the window.
pub(super) struct Fairness {
    /// At each observed link, over the flows whose data go over it.
    pub links: Vec<f64>,
    /// In each group, and in the row of all, if there is one.
    groups: Vec<f64>,
}

/// Distributions of a row of the table `group`.
struct Delays<'a> {
    packets: Cow<'a, GroupRecorder>,
    transfers: Latencies,
}

impl Delays<'_> {
    /// Name in the table `latency`, and the distribution.
    fn named(&self) -> [(&'static str, &Latencies); 4] {
        let GroupRecorder { delay, queueing, round_trip, .. } = &*self.packets;
        [("delay", delay), ("queueing", queueing), ("rtt", round_trip), ("completion", &self.transfers)]
    }
}

/// `group`: one row for each group of flows, and one for all if there are several.
pub struct GroupRow<'a> {
    name: &'a str,
    members: Vec<&'a FlowRow>,
    /// The throughput of each member, in bit/s.
    throughput: Vec<f64>,
    goodput: Vec<f64>,
    of: &'a Delays<'a>,
    /// Median, 95 % and 99 % quantile in seconds.
    delay: [f64; 3],
    queueing: [f64; 3],
    round_trip: [f64; 3],
    completion: [f64; 3],
    fairness: f64,
}

impl GroupRow<'_> {
    fn sum(&self, of: fn(&FlowRow) -> f64) -> f64 {
        self.members.iter().map(|flow| of(flow)).sum()
    }

    fn part_of_sent(&self, packets: fn(&FlowRow) -> u32) -> f64 {
        let part: f64 = self.members.iter().map(|flow| f64::from(packets(flow))).sum();
        ratio(part, self.sum(|flow| flow.counts.packets_sent as f64))
    }
}

columns! {
    impl<'a> GroupRow<'a> {
        /// Name of the group of flows; `all` is the last row if there are several groups.
        group: Text = |row| row.name;
        /// Its size.
        flows: Count = |row| row.members.len() as u64, NUMBER, "number of flows";
        /// Mean throughput of a flow.
        throughput_mean_bps: Real = |row| mean_and_sd(&row.throughput).0, THROUGHPUT.of("mean"),
            "mean of flow.throughput_bps";
        /// How unequal the flows' throughputs are.
        throughput_sd_bps: Real = |row| mean_and_sd(&row.throughput).1,
            THROUGHPUT.sd().wanted(Less).noun("throughput of its flows"),
            "standard deviation of flow.throughput_bps (n - 1 in the denominator)";
        /// Mean goodput of a flow.
        goodput_mean_bps: Real = |row| mean_and_sd(&row.goodput).0, GOODPUT.of("mean"), "mean of flow.goodput_bps";
        /// How unequal the flows' goodputs are.
        goodput_sd_bps: Real = |row| mean_and_sd(&row.goodput).1, GOODPUT.sd().wanted(Less).noun("goodput of its flows"),
            "standard deviation of flow.goodput_bps (n - 1 in the denominator)";
        /// Fairness: 1 if all are equal, 1/n if one of n takes everything.
        jain_index: Real = |row| jain_index(&row.throughput),
            quantity("Jain's fairness index", Plain).within(0.0, 1.0).more().noun("fairness by Jain's index").head("jain index"),
            "(sum x)^2 / (flows * sum x^2) with x = flow.throughput_bps";
        /// Mean one-way delay of data.
        delay_mean_ms: Real = |row| {
            1e3 * row.sum(|flow| flow.counts.one_way_delay_sum) / row.sum(|flow| flow.counts.packets_received as f64)
        }, DELAY.of("mean"), "mean over all packets that reached receivers of the group";
        /// Mean round-trip time.
        rtt_mean_ms: Real = |row| 1e3 * row.sum(|flow| flow.counts.rtt_sum) / row.sum(|flow| flow.counts.rtt_samples as f64),
            ROUND_TRIP.of("mean"), "mean over all round-trip samples of the group";
        /// Fraction of the group's packets lost; NaN if it sent none in the window.
        loss_ratio: Real = |row| row.part_of_sent(|flow| flow.losses.drops), LOSS,
            "sum of drops_packets / sum of packets_sent";
        /// Fraction of the group's packets corrupted on links; NaN if it sent none in the window.
        corruption_ratio: Real = |row| row.part_of_sent(|flow| flow.corrupted),
            quantity("Corruption ratio", Share).head("corruption"), "sum of corrupted_packets / sum of packets_sent";
        /// Median one-way delay; quantiles of this table are right to 0.4 % or 64 ns.
        delay_p50_ms: Real = |row| 1e3 * row.delay[0], DELAY.of("p50"),
            "0.5 quantile of arrival - sending over the packets that reached receivers of the group";
        /// One packet in 20 took longer one way.
        delay_p95_ms: Real = |row| 1e3 * row.delay[1], DELAY.of("p95"),
            "0.95 quantile of arrival - sending over the packets that reached receivers of the group";
        /// One packet in 100 took longer one way.
        delay_p99_ms: Real = |row| 1e3 * row.delay[2], DELAY.of("p99"),
            "0.99 quantile of arrival - sending over the packets that reached receivers of the group";
        /// How long the group's packets waited, the sender's own link included, without transmission.
        queueing_mean_ms: Real = |row| 1e3 * row.of.packets.queueing.mean(), QUEUEING.of("mean"),
            "mean over the packets that reached receivers of the group of the sum of their waiting times in all queues on their way";
        /// Median time that a packet waited on its way.
        queueing_p50_ms: Real = |row| 1e3 * row.queueing[0], QUEUEING.of("p50"),
            "0.5 quantile over packets of the sum of their waiting times in all queues on their way";
        /// One packet in 20 waited longer on its way.
        queueing_p95_ms: Real = |row| 1e3 * row.queueing[1], QUEUEING.of("p95"),
            "0.95 quantile over packets of the sum of their waiting times in all queues on their way";
        /// One packet in 100 waited longer on its way.
        queueing_p99_ms: Real = |row| 1e3 * row.queueing[2], QUEUEING.of("p99"),
            "0.99 quantile over packets of the sum of their waiting times in all queues on their way";
        /// Median round-trip time; NaN if no sender measures it.
        rtt_p50_ms: Real = |row| 1e3 * row.round_trip[0], ROUND_TRIP.of("p50"),
            "0.5 quantile of the senders' round-trip samples";
        /// One round trip in 20 was longer.
        rtt_p95_ms: Real = |row| 1e3 * row.round_trip[1], ROUND_TRIP.of("p95"),
            "0.95 quantile of the senders' round-trip samples";
        /// One round trip in 100 was longer.
        rtt_p99_ms: Real = |row| 1e3 * row.round_trip[2], ROUND_TRIP.of("p99"),
            "0.99 quantile of the senders' round-trip samples";
        /// Whole run, warm-up included.
        completions: Count = |row| row.of.transfers.count(), NUMBER, "number of transfers finished";
        /// Mean time from the request to the last acknowledgement; NaN if no transfer was finished.
        completion_mean_s: Real = |row| row.of.transfers.mean(), COMPLETION.of("mean"),
            "mean of duration_s of the table completion";
        /// Median completion time.
        completion_p50_s: Real = |row| row.completion[0], COMPLETION.of("p50"),
            "0.5 quantile of duration_s of the table completion";
        /// One transfer in 20 took longer.
        completion_p95_s: Real = |row| row.completion[1], COMPLETION.of("p95"),
            "0.95 quantile of duration_s of the table completion";
        /// One transfer in 100 took longer.
        completion_p99_s: Real = |row| row.completion[2], COMPLETION.of("p99"),
            "0.99 quantile of duration_s of the table completion";
        /// Fairness inside the group, over the flows that were there for 95 % of the window; of all groups together
        /// only if all their data go over one observed link.
        fairness_index: Real = |row| row.fairness, FAIRNESS, "(sum x)^2 / (n * sum x^2) with x = flow.throughput_bps";
    }
}

/// `latency`: the distributions of the times of the group's packets and transfers.
pub struct LatencyRow<'a> {
    group: &'a str,
    measure: &'static str,
    edge: f64,
    count: u64,
}

columns! {
    impl<'a> LatencyRow<'a> {
        /// Name of the group of flows.
        group: Text = |row| row.group;
        /// The time that was measured: `delay` (one way), `queueing` (the part of it in queues), `rtt`, or `completion`
        /// of a transfer.
        measure: Text = |row| row.measure;
        /// Durations up to here, the greatest value of the cell, from the previous row's on.
        duration_ms: Real = |row| 1e3 * row.edge, quantity("Duration", Ms).kind(Delay).wanted(Less).noun("time");
        /// Their running sum is the distribution function.
        count: Count = |row| row.count, NUMBER, "number of packets, samples or transfers in the cell";
    }
}

/// `over_time`: each group's throughput and delays, interval by interval.
pub struct OverTimeRow<'a> {
    group: &'a str,
    end: Instant,
    length: Duration,
    of: Interval,
}

columns! {
    impl<'a> OverTimeRow<'a> {
        /// Name of the group of flows.
        group: Text = |row| row.group;
        /// Simulated time since the start of the run.
        time_s: Real = |row| row.end.as_secs_f64(), TIME;
        /// Throughput of the whole group in the interval that ends here.
        throughput_bps: Real = |row| row.of.bytes as f64 * 8.0 / row.length.as_secs_f64(), THROUGHPUT,
            "8 * bytes that reached the group's receivers in the interval / interval";
        /// Mean one-way delay; NaN if none came.
        delay_mean_ms: Real = |row| 1e3 * row.of.delay(), DELAY.of("mean"),
            "mean of arrival - sending over the packets that came in the interval";
        /// Mean round-trip time; NaN without samples.
        rtt_mean_ms: Real = |row| 1e3 * row.of.round_trip(), ROUND_TRIP.of("mean"),
            "mean of the samples of the interval";
    }
}

impl Simulation {
    /// To be called while routes and flows are still there.
    pub(super) fn fairness(&self, flows: &[FlowRow]) -> Fairness {
        let window = self.window().as_secs_f64();
        let (from, to) = (self.settings.warmup.as_secs_f64(), self.now.as_secs_f64());
        let is_there = |flow: usize| {
            let record = &self.flow_records[flow];
            let stop = record.stops.map_or(to, |stop| stop.as_secs_f64().min(to));
            stop - record.started.as_secs_f64().max(from) >= THERE * window
        };
        let numbers: Vec<u32> = self.settings.observed.keys().copied().collect();
        let mut of_link: Vec<Vec<f64>> = vec![Vec::new(); numbers.len()];
        let mut of_group: Vec<Vec<f64>> = vec![Vec::new(); self.settings.group_names.len()];
        let mut everywhere = 0;
        for (flow, row) in flows.iter().enumerate().filter(|(flow, _)| is_there(*flow)) {
            let rate = row.counts.bytes_received as f64 * 8.0 / window;
            everywhere += 1;
            of_group[row.group as usize].push(rate);
            let mut hop = self.flows[flow].route[SENDER] as usize;
            while !self.routes[hop].is_end() {
                if let Ok(link) = numbers.binary_search(&self.routes[hop].number()) {
                    of_link[link].push(rate);
                }
                hop += 1;
            }
        }
        let index = |rates: &Vec<f64>| jain_index(rates);
        let mut groups: Vec<f64> = of_group.iter().map(index).collect();
        if groups.len() > 1 {
            // Flows of both directions have no share in common.
            let shared = of_link.iter().find(|rates| rates.len() == everywhere);
            groups.push(shared.map_or(f64::NAN, index));
        }
        Fairness { links: of_link.iter().map(index).collect(), groups }
    }

    /// The delays of each group, and of all together if there are several.
    fn delays(&self) -> Vec<Delays<'_>> {
        let of_packets = |packets| Delays { packets: Cow::Borrowed(packets), transfers: Latencies::default() };
        let mut delays: Vec<Delays<'_>> = self.groups.all().iter().map(of_packets).collect();
        for (flow, done) in &self.completions {
            let group = self.flow_records[*flow as usize].group;
            delays[group as usize].transfers.record(Coarse::round(done.finished - done.started));
        }
        if delays.len() > 1 {
            let (mut packets, mut transfers) = (GroupRecorder::default(), Latencies::default());
            for group in &delays {
                packets.merge(&group.packets);
                transfers.merge(&group.transfers);
            }
            delays.push(Delays { packets: Cow::Owned(packets), transfers });
        }
        delays
    }

    /// The tables `group`, `latency` and `over_time`.
    pub(super) fn group_tables(&self, flows: &[FlowRow], fairness: &Fairness) -> [Table; 3] {
        let delays = self.delays();
        [self.group_table(flows, fairness, &delays), self.latency_table(&delays), self.over_time_table()]
    }

    fn group_table(&self, flows: &[FlowRow], fairness: &Fairness, delays: &[Delays<'_>]) -> Table {
        let window = self.window().as_secs_f64();
        let mut names: Vec<&str> = self.settings.group_names.iter().map(String::as_str).collect();
        let mut members: Vec<Vec<&FlowRow>> = vec![Vec::new(); names.len()];
        for flow in flows {
            members[flow.group as usize].push(flow);
        }
        if names.len() > 1 {
            names.push("all");
            members.push(flows.iter().collect());
        }
        let rates = |group: &[&FlowRow], bytes: fn(&FlowCounts) -> u64| -> Vec<f64> {
            group.iter().map(|flow| bytes(&flow.counts) as f64 * 8.0 / window).collect()
        };
        let quantiles = |times: &Latencies| times.quantiles([0.5, 0.95, 0.99]);
        let all = names.into_iter().zip(members).zip(delays).zip(&fairness.groups);
        let rows: Vec<GroupRow<'_>> = all
            .map(|(((name, group), of), index)| GroupRow {
                name,
                throughput: rates(&group, |counts| counts.bytes_received),
                goodput: rates(&group, |counts| counts.bytes_new),
                delay: quantiles(&of.packets.delay),
                queueing: quantiles(&of.packets.queueing),
                round_trip: quantiles(&of.packets.round_trip),
                completion: quantiles(&of.transfers),
                members: group,
                of,
                fairness: *index,
            })
            .collect();
        Table::of_all("group", &rows)
    }

    /// Cells of each group's distributions.
    fn latency_table(&self, delays: &[Delays<'_>]) -> Table {
        let mut rows = Vec::new();
        for (group, of) in self.settings.group_names.iter().zip(delays) {
            for (measure, times) in of.named() {
                rows.extend(times.cells().map(|(edge, count)| LatencyRow { group, measure, edge, count }));
            }
        }
        Table::of_all("latency", &rows)
    }

    /// The throughput of each group in each interval.
    fn over_time_table(&self) -> Table {
        let (names, rows) = (&self.settings.group_names, self.groups.series(self.now));
        let rows =
            rows.into_iter().map(|(group, end, length, of)| OverTimeRow { group: &names[group], end, length, of });
        Table::of_all("over_time", &rows.collect::<Vec<_>>())
    }
}

#[cfg(test)]
mod tests;
