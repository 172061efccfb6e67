//! Results as tables. Each row has the list of its columns beside it; [`catalogue`](super::catalogue) lists the tables.

mod flow_rows;
mod link_rows;
mod sample_rows;

pub use flow_rows::{CompletionRow, FlowTableRow};
pub use link_rows::{CounterRow, MediumRow, OccupancyRow, QueueRow, ReasonRow, SojournRow};
pub use sample_rows::{BacklogRow, DropTableRow, PacketRow, ProbeTableRow};

use super::flow_counts::{FlowCounts, FlowRow};
use super::links::Link;
use super::state::{ObservedLink, SENDER, Simulation};
use crate::metrics::Table;
use crate::metrics::queue::{FlowLosses, QueueRecorder};
use crate::net::wire::mean_rate;
use crate::transport::outbox::Outbox;
use crate::units::Instant;

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

    pub(super) fn recorder<'a>(&'a self, link: &'a Link) -> Option<&'a QueueRecorder> {
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
}
