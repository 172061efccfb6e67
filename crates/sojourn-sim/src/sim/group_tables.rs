//! The tables of groups of flows: means, fairness, how long packets and transfers took, and the series.

use std::borrow::Cow;

use super::flow_counts::{FlowCounts, FlowRow};
use super::state::{SENDER, Simulation};
use crate::metrics::Table;
use crate::metrics::fairness::{jain_index, mean_and_sd, ratio};
use crate::metrics::group::GroupRecorder;
use crate::metrics::latency::Latencies;
use crate::metrics::table::{Column, counts, reals, texts};
use crate::units::Coarse;

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
        let mut names = self.settings.group_names.clone();
        let mut members: Vec<Vec<&FlowRow>> = vec![Vec::new(); names.len()];
        for flow in flows {
            members[flow.group as usize].push(flow);
        }
        if names.len() > 1 {
            names.push("all".into());
            members.push(flows.iter().collect());
        }
        let window = self.window().as_secs_f64();
        let pick = |f: fn(&FlowCounts) -> u64| -> Vec<Vec<f64>> {
            let rate = |flow: &&FlowRow| f(&flow.counts) as f64 * 8.0 / window;
            members.iter().map(|group| group.iter().map(rate).collect()).collect()
        };
        let (throughput, goodput) = (pick(|counts| counts.bytes_received), pick(|counts| counts.bytes_new));
        let total = |group: &[&FlowRow], f: fn(&FlowRow) -> f64| group.iter().map(|flow| f(flow)).sum::<f64>();
        let mean_of = |part: fn(&FlowRow) -> f64, whole: fn(&FlowRow) -> f64| -> Vec<f64> {
            members.iter().map(|group| 1e3 * total(group, part) / total(group, whole)).collect()
        };
        let part_of = |part: fn(&FlowRow) -> f64| -> Vec<f64> {
            let sent = |group: &[&FlowRow]| total(group, |flow| flow.counts.packets_sent as f64);
            members.iter().map(|group| ratio(total(group, part), sent(group))).collect()
        };
        let mut columns = vec![
            texts("group", names),
            counts("flows", members.iter().map(|group| group.len() as u64)),
            reals("throughput_mean_bps", throughput.iter().map(|group| mean_and_sd(group).0)),
            reals("throughput_sd_bps", throughput.iter().map(|group| mean_and_sd(group).1)),
            reals("goodput_mean_bps", goodput.iter().map(|group| mean_and_sd(group).0)),
            reals("goodput_sd_bps", goodput.iter().map(|group| mean_and_sd(group).1)),
            reals("jain_index", throughput.iter().map(|group| jain_index(group))),
            reals(
                "delay_mean_ms",
                mean_of(|flow| flow.counts.one_way_delay_sum, |flow| flow.counts.packets_received as f64),
            ),
            reals("rtt_mean_ms", mean_of(|flow| flow.counts.rtt_sum, |flow| flow.counts.rtt_samples as f64)),
            reals("loss_ratio", part_of(|flow| f64::from(flow.losses.drops))),
            reals("corruption_ratio", part_of(|flow| f64::from(flow.corrupted))),
        ];
        columns.extend(delay_columns(delays));
        columns.push(reals("fairness_index", fairness.groups.iter().copied()));
        Table::new("group", columns)
    }

    /// Cells of each group's distributions.
    fn latency_table(&self, delays: &[Delays<'_>]) -> Table {
        let mut rows = Vec::new();
        for (name, of_group) in self.settings.group_names.iter().zip(delays) {
            for (measure, distribution) in of_group.named() {
                rows.extend(distribution.cells().map(|(edge, count)| (name, measure, edge, count)));
            }
        }
        Table::new(
            "latency",
            vec![
                texts("group", rows.iter().map(|(name, ..)| name)),
                texts("measure", rows.iter().map(|(_, measure, ..)| *measure)),
                reals("duration_ms", rows.iter().map(|(.., edge, _)| 1e3 * edge)),
                counts("count", rows.iter().map(|(.., count)| *count)),
            ],
        )
    }

    /// The throughput of each group in each interval.
    fn over_time_table(&self) -> Table {
        let rows = self.groups.series(self.now);
        let names = &self.settings.group_names;
        Table::new(
            "over_time",
            vec![
                texts("group", rows.iter().map(|(group, ..)| &names[*group])),
                reals("time_s", rows.iter().map(|(_, end, ..)| end.as_secs_f64())),
                reals(
                    "throughput_bps",
                    rows.iter().map(|(.., length, row)| row.bytes as f64 * 8.0 / length.as_secs_f64()),
                ),
                reals("delay_mean_ms", rows.iter().map(|(.., row)| 1e3 * row.delay())),
                reals("rtt_mean_ms", rows.iter().map(|(.., row)| 1e3 * row.round_trip())),
            ],
        )
    }
}

/// Percentiles of one distribution.
struct Percentiles {
    p50: f64,
    p95: f64,
    p99: f64,
}

impl Percentiles {
    fn of(latencies: &Latencies) -> Self {
        let [p50, p95, p99] = latencies.quantiles([0.5, 0.95, 0.99]);
        Percentiles { p50, p95, p99 }
    }
}

/// Mean and percentiles of the times of each row's packets and transfers.
fn delay_columns(delays: &[Delays<'_>]) -> Vec<Column> {
    let percentiles = |of: for<'a> fn(&'a Delays<'_>) -> &'a Latencies| -> Vec<Percentiles> {
        delays.iter().map(|row| Percentiles::of(of(row))).collect()
    };
    let delay = percentiles(|row| &row.packets.delay);
    let queueing = percentiles(|row| &row.packets.queueing);
    let round_trip = percentiles(|row| &row.packets.round_trip);
    let transfers = percentiles(|row| &row.transfers);
    let plain = |name, of: &[Percentiles], f: fn(&Percentiles) -> f64| reals(name, of.iter().map(f));
    let milli = |name, of: &[Percentiles], f: fn(&Percentiles) -> f64| reals(name, of.iter().map(|row| 1e3 * f(row)));
    vec![
        milli("delay_p50_ms", &delay, |of| of.p50),
        milli("delay_p95_ms", &delay, |of| of.p95),
        milli("delay_p99_ms", &delay, |of| of.p99),
        reals("queueing_mean_ms", delays.iter().map(|row| 1e3 * row.packets.queueing.mean())),
        milli("queueing_p50_ms", &queueing, |of| of.p50),
        milli("queueing_p95_ms", &queueing, |of| of.p95),
        milli("queueing_p99_ms", &queueing, |of| of.p99),
        milli("rtt_p50_ms", &round_trip, |of| of.p50),
        milli("rtt_p95_ms", &round_trip, |of| of.p95),
        milli("rtt_p99_ms", &round_trip, |of| of.p99),
        counts("completions", delays.iter().map(|row| row.transfers.count())),
        reals("completion_mean_s", delays.iter().map(|row| row.transfers.mean())),
        plain("completion_p50_s", &transfers, |of| of.p50),
        plain("completion_p95_s", &transfers, |of| of.p95),
        plain("completion_p99_s", &transfers, |of| of.p99),
    ]
}

#[cfg(test)]
mod tests;
