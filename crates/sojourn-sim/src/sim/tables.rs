//! Results as tables. Formula and unit of each column: `metrics::catalogue`.

use std::collections::BTreeMap;

use super::flow_counts::{FlowCounts, FlowRow};
use super::group_tables::Fairness;
use super::links::Link;
use super::state::{ObservedLink, SENDER, Simulation};
use crate::metrics::Table;
use crate::metrics::fairness::ratio;
use crate::metrics::queue::{FlowLosses, QueueRecorder};
use crate::metrics::table::{Column, counts, reals, texts};
use crate::net::medium::Attempts;
use crate::net::wire::mean_rate;
use crate::packet::Ecn;
use crate::queue::shown;
use crate::transport::fec::Repairs;
use crate::transport::outbox::Outbox;
use crate::units::{Duration, Instant};

const PERCENTILES: [&str; 4] = ["sojourn_p50_ms", "sojourn_p90_ms", "sojourn_p95_ms", "sojourn_p99_ms"];
const FRACTIONS: [f64; 4] = [0.5, 0.9, 0.95, 0.99];

/// Finished transfers of one flow: how many, and the sum of their durations in seconds.
#[derive(Clone, Copy, Default)]
struct Transfers {
    count: u64,
    seconds: f64,
}

impl Simulation {
    pub(super) fn close_books(&mut self) {
        let now = self.now;
        self.each_recorder(now, |recorder, busy_until| recorder.finish(now, busy_until));
    }

    /// Brings the books of all links up to and including `now`, and hands over each recorder and the time at which the
    /// transmission ends that is going on.
    pub(super) fn each_recorder(&mut self, now: Instant, f: impl Fn(&mut QueueRecorder, Instant)) {
        for link in self.links.iter_mut() {
            let (recorder, busy_until) = match link {
                Link::Buffer(fifo) => {
                    fifo.settle(&mut self.fifo_links, now);
                    let busy_until = fifo.busy_until(&self.fifo_links);
                    (fifo.recorder_mut(&mut self.fifo_links), busy_until)
                }
                Link::Queue(queue) => {
                    queue.settle(now);
                    let busy_until = queue.busy_until();
                    (queue.recorder_mut(), busy_until)
                }
            };
            if let Some(recorder) = recorder {
                f(recorder, busy_until);
            }
        }
    }

    pub(super) fn tables(&mut self) -> Vec<Table> {
        // The tables of a large network need room: memory that they do not need is freed first.
        self.events.give_back();
        self.outbox = Outbox::default();
        let observed = self.settings.observed.keys().last().map_or(0, |last| *last as usize + 1);
        self.links.truncate(observed);
        let flows: Vec<FlowRow> = (0..self.flows.len()).map(|flow| self.flow_row(flow)).collect();
        let repairs = self.repairs_so_far();
        let warnings = self.warning_table(&flows);
        let fairness = self.fairness(&flows);
        self.flows = Vec::new();
        self.rngs = Vec::new();
        self.routes = Vec::new();
        self.baseline = Vec::new();
        self.completions.sort_by_key(|(flow, _)| *flow);
        let [group, latency, over_time] = self.group_tables(&flows, &fairness);
        let responsiveness = self.responsiveness_table();
        let quality = self.quality_table(&flows);
        let queue = self.queue_table(&fairness);
        let flow = self.flow_table(&flows, &repairs);
        let mut tables = vec![
            queue,
            self.reason_table(),
            self.counter_table(),
            flow,
            group,
            self.sojourn_table(),
            latency,
            over_time,
        ];
        tables.extend(self.settings.record.occupancy.then(|| self.occupancy_table()));
        tables.push(self.completion_table());
        tables.extend(responsiveness);
        tables.extend(quality);
        tables.extend((!self.air.is_empty()).then(|| self.medium_table()));
        tables.extend(self.series_tables());
        tables.push(warnings);
        tables
    }

    fn recorder<'a>(&'a self, link: &'a Link) -> Option<&'a QueueRecorder> {
        match link {
            Link::Buffer(fifo) => fifo.recorder(&self.fifo_links),
            Link::Queue(queue) => queue.recorder(),
        }
    }

    /// Names, mean rates in bit/s and recorders of the observed queues.
    pub(super) fn observed(&self) -> Vec<(String, f64, &QueueRecorder)> {
        let (from, to) = (self.settings.warmup, self.now);
        self.observed_queues()
            .map(|(link, recorder)| {
                let rate = match &link.opportunities {
                    Some(opportunities) => opportunities.rate_between(from, to),
                    None => mean_rate(link.rate, &link.changes, from, to),
                };
                (link.name.clone(), rate, recorder)
            })
            .collect()
    }

    /// The observed links in order, each with the recorder of its queue.
    pub(super) fn observed_queues(&self) -> impl Iterator<Item = (&ObservedLink, &QueueRecorder)> {
        let recorder = |number: u32| self.recorder(self.links.get(number as usize)?);
        self.settings.observed.iter().filter_map(move |(number, link)| Some((link, recorder(*number)?)))
    }

    /// The counters of `tc -s qdisc` for each queue.
    fn counter_table(&self) -> Table {
        let mut rows: Vec<(&str, String, f64)> = Vec::new();
        for (number, link) in (0..).zip(self.links.iter()) {
            let Some(observed) = self.settings.observed.get(&number) else { continue };
            let Some(recorder) = self.recorder(link) else { continue };
            let queue = match link {
                Link::Buffer(_) => None,
                Link::Queue(queue) => Some(queue.discipline()),
            };
            let all = shown::all(observed.shown, &recorder.tally(), recorder.backlog(), queue);
            rows.extend(all.into_iter().map(|(name, value)| (observed.name.as_str(), name, value)));
        }
        Table::new(
            "counters",
            vec![
                texts("link", rows.iter().map(|row| row.0)),
                texts("counter", rows.iter().map(|row| row.1.as_str())),
                reals("value", rows.iter().map(|row| row.2)),
            ],
        )
    }

    fn queue_table(&self, fairness: &Fairness) -> Table {
        let window = self.window().as_secs_f64();
        let queues = self.observed();
        let column = |name, f: &dyn Fn(&QueueRecorder) -> f64| reals(name, queues.iter().map(|(_, _, queue)| f(queue)));
        let count = |name, f: &dyn Fn(&QueueRecorder) -> u64| counts(name, queues.iter().map(|(_, _, queue)| f(queue)));
        let throughput = |queue: &QueueRecorder| queue.sent_bits() / window;
        // The end of a transmission is rounded down to a nanosecond, and one that begins before a change of the rate ends at
        // the old one: a link without a gap would come out above 1. So would a packet on a medium or of several opportunities.
        let utilisation = |(_, rate, queue): &(String, f64, &QueueRecorder)| (throughput(queue) / rate).clamp(0.0, 1.0);
        let mut columns = vec![
            texts("link", queues.iter().map(|(name, ..)| name.clone())),
            count("arrivals_packets", &QueueRecorder::arrivals),
            count("departures_packets", &QueueRecorder::departures),
            count("drops_packets", &QueueRecorder::drops),
            count("marks_packets", &QueueRecorder::marks),
            count("corrupted_packets", &QueueRecorder::corrupted),
            column("loss_ratio", &|queue| ratio(queue.drops() as f64, queue.arrivals() as f64)),
            column("mark_ratio", &|queue| ratio(queue.marks() as f64, queue.arrivals() as f64)),
            count("ce_departures_packets", &QueueRecorder::departures_ce),
            count("arrivals_bytes", &QueueRecorder::arrived_bytes),
            count("drops_bytes", &QueueRecorder::dropped_bytes),
            column("byte_loss_ratio", &|queue| ratio(queue.dropped_bytes() as f64, queue.arrived_bytes() as f64)),
            reals("utilisation", queues.iter().map(utilisation)),
            reals("capacity_bps", queues.iter().map(|(_, rate, _)| *rate)),
            column("throughput_bps", &throughput),
            column("backlog_mean_packets", &QueueRecorder::backlog_mean_packets),
            column("backlog_sd_packets", &QueueRecorder::backlog_sd_packets),
            column("backlog_mean_bytes", &QueueRecorder::backlog_mean_bytes),
            count("backlog_max_packets", &QueueRecorder::backlog_max_packets),
            column("backlog_sampled_mean_packets", &|queue| queue.sampled_backlog_packets().0),
            column("backlog_sampled_sd_packets", &|queue| queue.sampled_backlog_packets().1),
            column("empty_fraction", &QueueRecorder::empty_fraction),
            column("full_fraction", &QueueRecorder::full_fraction),
            column("sojourn_mean_ms", &|queue| queue.sojourn().mean_ms()),
            column("sojourn_sd_ms", &|queue| queue.sojourn().sd_ms()),
        ];
        let quantiles: Vec<_> = queues.iter().map(|(_, _, queue)| queue.sojourn().quantiles_ms(FRACTIONS)).collect();
        for (number, name) in PERCENTILES.into_iter().enumerate() {
            columns.push(reals(name, quantiles.iter().map(|of_queue| of_queue[number])));
        }
        columns.push(column("sojourn_max_ms", &|queue| queue.sojourn().max_ms()));
        columns.push(reals("fairness_index", fairness.links.iter().copied()));
        Table::new("queue", columns)
    }

    fn reason_table(&mut self) -> Table {
        let rows: Vec<_> = self
            .observed()
            .into_iter()
            .flat_map(|(name, _, queue)| {
                let arrivals = queue.arrivals() as f64;
                queue.by_reason().iter().map(move |entry| (name.clone(), *entry, ratio(entry.packets as f64, arrivals)))
            })
            .collect();
        Table::new(
            "reasons",
            vec![
                texts("link", rows.iter().map(|(link, ..)| link.clone())),
                texts("event", rows.iter().map(|(_, entry, _)| entry.what.name())),
                texts("reason", rows.iter().map(|(_, entry, _)| entry.what.reason().0)),
                counts("packets", rows.iter().map(|(_, entry, _)| entry.packets)),
                counts("bytes", rows.iter().map(|(_, entry, _)| entry.bytes)),
                reals("ratio", rows.iter().map(|(.., ratio)| *ratio)),
            ],
        )
    }

    pub(super) fn flow_row(&mut self, flow: usize) -> FlowRow {
        let before = self.baseline.get(flow).copied().unwrap_or_default();
        let losses = self.flow_losses(flow);
        FlowRow {
            group: self.flow_records[flow].group,
            counts: FlowCounts::of(&self.flows[flow].ends).since(&before),
            losses,
            drops_in_runs: losses.drops - self.flow_records[flow].lost_unobserved,
            corrupted: self.flow_records[flow].corrupted,
            standstill: self.flows[flow].ends[SENDER].standstill(self.now),
        }
    }

    /// Over all queues on the way of the flow's data.
    fn flow_losses(&mut self, flow: usize) -> FlowLosses {
        let mut total = FlowLosses { drops: self.flow_records[flow].lost_unobserved, ..FlowLosses::default() };
        let mut hop = self.flows[flow].route[SENDER] as usize;
        while !self.routes[hop].is_end() {
            let link = self.routes[hop].number() as usize;
            if let Some(recorder) = self.links.get(link).and_then(|link| self.recorder(link)) {
                let losses = recorder.flow_losses(flow);
                total.drops = total.drops.saturating_add(losses.drops);
                total.marks = total.marks.saturating_add(losses.marks);
                total.runs += losses.runs;
                total.run_max = total.run_max.max(losses.run_max);
                total.runs_of = std::array::from_fn(|i| total.runs_of[i] + losses.runs_of[i]);
            }
            hop += 1;
        }
        total
    }

    fn flow_table(&self, rows: &[FlowRow], repairs: &BTreeMap<usize, Repairs>) -> Table {
        let group_names = &self.settings.group_names;
        let real = |name, f: &dyn Fn(&FlowRow) -> f64| reals(name, rows.iter().map(f));
        let count = |name, f: &dyn Fn(&FlowRow) -> u64| counts(name, rows.iter().map(f));
        let window = self.window().as_secs_f64();
        let transfers = self.transfers();
        let mut columns = vec![
            counts("flow", 0..rows.len() as u64),
            texts("group", rows.iter().map(|row| &group_names[row.group as usize])),
            reals("start_s", self.flow_records.iter().map(|flow| flow.started.as_secs_f64())),
            real("throughput_bps", &|row| row.counts.bytes_received as f64 * 8.0 / window),
            real("goodput_bps", &|row| row.counts.bytes_new as f64 * 8.0 / window),
            real("delivered_bps", &|row| row.counts.bytes_delivered as f64 * 8.0 / window),
            real("delay_mean_ms", &|row| row.counts.one_way_delay_sum * 1e3 / row.counts.packets_received as f64),
            real("rtt_mean_ms", &|row| row.counts.rtt_mean() * 1e3),
            real("rtt_sd_ms", &|row| row.counts.rtt_sd() * 1e3),
            count("packets_sent", &|row| row.counts.packets_sent),
            count("retransmits", &|row| row.counts.retransmits.into()),
            count("timeouts", &|row| row.counts.timeouts.into()),
            count("fast_recoveries", &|row| row.counts.fast_recoveries.into()),
            count("ecn_reductions", &|row| row.counts.ecn_reductions.into()),
            count("drops_packets", &|row| row.losses.drops.into()),
            count("marks_packets", &|row| row.losses.marks.into()),
            count("corrupted_packets", &|row| row.corrupted.into()),
            real("loss_ratio", &|row| ratio(row.losses.drops.into(), row.counts.packets_sent as f64)),
            real("loss_run_mean_packets", &|row| ratio(row.drops_in_runs.into(), row.losses.runs.into())),
            real("loss_run_max_packets", &|row| match row.losses.runs {
                // Runs of losses at a link that is not observed are unknown.
                0 if row.losses.drops > 0 => f64::NAN,
                _ => row.losses.run_max.into(),
            }),
            real("loss_run_1_fraction", &|row| f64::from(row.losses.runs_of[0]) / f64::from(row.losses.runs)),
            real("loss_run_2_fraction", &|row| f64::from(row.losses.runs_of[1]) / f64::from(row.losses.runs)),
            real("loss_run_3_fraction", &|row| f64::from(row.losses.runs_of[2]) / f64::from(row.losses.runs)),
            counts("completions", transfers.iter().map(|of| of.count)),
            reals("completion_mean_s", transfers.iter().map(|of| of.seconds / of.count as f64)),
        ];
        columns.extend(self.repair_columns(repairs));
        Table::new("flow", columns)
    }

    fn transfers(&self) -> Vec<Transfers> {
        let mut transfers = vec![Transfers::default(); self.flow_records.len()];
        for (flow, done) in &self.completions {
            let of = &mut transfers[*flow as usize];
            of.count += 1;
            of.seconds += (done.finished - done.started).as_secs_f64();
        }
        transfers
    }

    /// One row for each link on a shared medium.
    fn medium_table(&self) -> Table {
        let rows = self.air.attempts();
        let count = |name, f: &dyn Fn(&Attempts) -> u64| counts(name, rows.iter().map(|(.., row)| f(row)));
        let packets = |row: &Attempts| (row.delivered + row.given_up) as f64;
        Table::new(
            "medium",
            vec![
                texts("medium", rows.iter().map(|(medium, ..)| *medium)),
                texts("link", rows.iter().map(|(_, link, _)| *link)),
                count("attempts", &|row| row.sent),
                count("delivered_packets", &|row| row.delivered),
                count("collisions", &|row| row.collided),
                count("corruptions", &|row| row.corrupted),
                count("given_up_packets", &|row| row.given_up),
                reals("attempts_mean", rows.iter().map(|(.., row)| ratio(row.sent as f64, packets(row)))),
                reals("collision_ratio", rows.iter().map(|(.., row)| ratio(row.collided as f64, row.sent as f64))),
            ],
        )
    }

    fn sojourn_table(&mut self) -> Table {
        let observed = self.observed();
        let cells: Vec<_> = observed
            .iter()
            .flat_map(|(name, _, queue)| queue.sojourn().cells().map(move |cell| (name, cell)))
            .collect();
        Table::new(
            "sojourn",
            vec![
                texts("link", cells.iter().map(|(link, _)| link)),
                reals("sojourn_ms", cells.iter().map(|(_, (edge, _))| *edge)),
                counts("packets", cells.iter().map(|(_, (_, count))| *count)),
            ],
        )
    }

    fn occupancy_table(&self) -> Table {
        let observed = self.observed();
        let cells: Vec<_> =
            observed.iter().flat_map(|(name, _, queue)| queue.occupancy().map(move |cell| (name, cell))).collect();
        Table::new(
            "occupancy",
            vec![
                texts("link", cells.iter().map(|(link, _)| link)),
                counts("backlog_packets", cells.iter().map(|(_, (packets, ..))| *packets)),
                reals("time_fraction", cells.iter().map(|(_, (_, time, _))| *time)),
                reals("sampled_fraction", cells.iter().map(|(_, (.., samples))| *samples)),
            ],
        )
    }

    fn completion_table(&self) -> Table {
        let group_of = |flow: u32| self.flow_records[flow as usize].group;
        let rows: Vec<_> =
            self.completions.iter().map(|(flow, done)| (u64::from(*flow), group_of(*flow), done)).collect();
        Table::new(
            "completion",
            vec![
                counts("flow", rows.iter().map(|(flow, ..)| *flow)),
                texts("group", rows.iter().map(|(_, group, _)| &self.settings.group_names[*group as usize])),
                reals("started_s", rows.iter().map(|(.., done)| done.started.as_secs_f64())),
                reals("duration_s", rows.iter().map(|(.., done)| (done.finished - done.started).as_secs_f64())),
                counts("bytes", rows.iter().map(|(.., done)| done.bytes)),
            ],
        )
    }

    /// The samples of a series are freed when its table is there.
    fn series_tables(&mut self) -> Vec<Table> {
        let record = self.settings.record.clone();
        let mut tables = Vec::new();
        if record.queue.is_some() {
            tables.push(self.backlog_table());
        }
        if record.probes.is_some() {
            tables.push(self.probe_table());
        }
        if record.cwnd.is_some() {
            tables.push(self.window_table());
        }
        if record.throughput.is_some() {
            let rows = std::mem::take(&mut self.recorded.rates);
            tables.push(Table::new(
                "rate",
                vec![
                    counts("flow", rows.iter().map(|row| u64::from(row.0))),
                    reals("time_s", rows.iter().map(|row| row.1.as_secs_f64())),
                    reals("throughput_bps", rows.iter().map(|row| row.2)),
                ],
            ));
        }
        if record.drops {
            tables.push(self.drop_table());
        }
        if record.packets {
            tables.push(self.packet_table());
        }
        tables
    }

    fn link_column(&self, links: impl Iterator<Item = u32>) -> Column {
        texts("link", links.map(|link| &self.settings.observed[&link].name))
    }

    fn backlog_table(&mut self) -> Table {
        let rows = std::mem::take(&mut self.recorded.backlog);
        Table::new(
            "backlog",
            vec![
                self.link_column(rows.iter().map(|row| row.0)),
                reals("time_s", rows.iter().map(|row| row.1.as_secs_f64())),
                counts("backlog_packets", rows.iter().map(|row| row.2.packets)),
                counts("backlog_bytes", rows.iter().map(|row| row.2.bytes)),
            ],
        )
    }

    fn probe_table(&mut self) -> Table {
        let rows = std::mem::take(&mut self.recorded.probes);
        let mut columns = vec![
            self.link_column(rows.labels().map(|(link, ..)| link)),
            reals("time_s", rows.labels().map(|(_, time, _)| time.as_secs_f64())),
            texts("probe", rows.labels().map(|(.., name)| name)),
        ];
        columns.push(reals("value", rows.into_values()));
        Table::new("probe", columns)
    }

    fn window_table(&mut self) -> Table {
        let rows = std::mem::take(&mut self.recorded.windows);
        Table::new(
            "window",
            vec![
                counts("flow", rows.iter().map(|row| u64::from(row.flow))),
                reals("time_s", rows.iter().map(|row| row.time.as_secs_f64())),
                reals("cwnd_packets", rows.iter().map(|row| row.cwnd)),
                reals("ssthresh_packets", rows.iter().map(|row| row.ssthresh)),
                reals("inflight_packets", rows.iter().map(|row| row.inflight)),
                reals("srtt_ms", rows.iter().map(|row| row.srtt.map_or(f64::NAN, Duration::as_millis_f64))),
            ],
        )
    }

    fn drop_table(&self) -> Table {
        let rows: Vec<_> = self
            .links
            .iter()
            .enumerate()
            .filter_map(|(index, link)| match link {
                Link::Queue(queue) => Some((index as u32, queue.series().drops.as_ref()?)),
                Link::Buffer(_) => None,
            })
            .flat_map(|(index, drops)| drops.iter().map(move |row| (index, row)))
            .collect();
        Table::new(
            "drops",
            vec![
                self.link_column(rows.iter().map(|(link, _)| *link)),
                reals("time_s", rows.iter().map(|(_, row)| row.time.as_secs_f64())),
                counts("flow", rows.iter().map(|(_, row)| u64::from(row.flow.0))),
                texts("event", rows.iter().map(|(_, row)| row.what.name())),
                texts("reason", rows.iter().map(|(_, row)| row.what.reason().0)),
                counts("size_bytes", rows.iter().map(|(_, row)| u64::from(row.size))),
                reals("sojourn_ms", rows.iter().map(|(_, row)| row.waited().map_or(f64::NAN, Duration::as_millis_f64))),
            ],
        )
    }

    fn packet_table(&self) -> Table {
        let rows: Vec<_> = self
            .links
            .iter()
            .enumerate()
            .filter_map(|(index, link)| match link {
                Link::Queue(queue) => Some((index as u32, queue.series().packets.as_ref()?)),
                Link::Buffer(_) => None,
            })
            .flat_map(|(index, packets)| packets.iter().map(move |row| (index, row)))
            .collect();
        Table::new(
            "packets",
            vec![
                self.link_column(rows.iter().map(|(link, _)| *link)),
                reals("time_s", rows.iter().map(|(_, row)| row.0.as_secs_f64())),
                counts("flow", rows.iter().map(|(_, row)| u64::from(row.1.flow.0))),
                counts("size_bytes", rows.iter().map(|(_, row)| u64::from(row.1.size))),
                reals("sojourn_ms", rows.iter().map(|(_, row)| row.2.as_millis_f64())),
                texts(
                    "ecn",
                    rows.iter().map(|(_, row)| match row.1.ecn {
                        Ecn::NotEct => "not-ect",
                        Ecn::Ect0 => "ect0",
                        Ecn::Ect1 => "ect1",
                        Ecn::Ce => "ce",
                    }),
                ),
            ],
        )
    }
}
