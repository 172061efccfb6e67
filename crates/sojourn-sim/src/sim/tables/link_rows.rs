//! The tables of links and their queues.

use super::super::group_tables::Fairness;
use super::super::links::Link;
use super::super::state::Simulation;
use crate::metrics::Table;
use crate::metrics::column::Better::{Less, More};
use crate::metrics::column::Kind::Carried;
use crate::metrics::column::Unit::{BitPerS, Bytes, Packets, Plain, Share};
use crate::metrics::column::{NUMBER, Quantity, columns, quantity};
use crate::metrics::fairness::ratio;
use crate::metrics::quantities::{
    BACKLOG, BACKLOG_BYTES, CORRUPTED, DROPS, FAIRNESS, LOSS, MARKS, SOJOURN, THROUGHPUT,
};
use crate::metrics::queue::{ByReason, QueueRecorder};
use crate::net::medium::Attempts;
use crate::queue::shown;

const SAMPLED_BACKLOG: Quantity = quantity("Backlog sampled", Packets).wanted(Less).noun("backlog");
const FRACTIONS: [f64; 4] = [0.5, 0.9, 0.95, 0.99];

/// `queue`: one row for each observed queue.
pub struct QueueRow<'a> {
    link: &'a str,
    /// In bit/s, as the throughput.
    rate: f64,
    throughput: f64,
    queue: &'a QueueRecorder,
    /// Waiting times in milliseconds at [`FRACTIONS`].
    quantiles: [f64; 4],
    fairness: f64,
}

impl QueueRow<'_> {
    /// The end of a transmission is rounded down to a nanosecond, and one that begins before a change of the rate ends at the old one: a
    /// link without a gap would come out above 1. So would a packet on a medium or of several opportunities.
    fn utilisation(&self) -> f64 {
        (self.throughput / self.rate).clamp(0.0, 1.0)
    }
}

columns! {
    impl<'a> QueueRow<'a> {
        /// Name of the link behind the queue.
        link: Text = |row| row.link;
        /// Arrivals at the queue.
        arrivals_packets: Count = |row| row.queue.arrivals(), quantity("Arrivals", Packets),
            "number of packets that came";
        /// Packets that left.
        departures_packets: Count = |row| row.queue.departures(), quantity("Departures", Packets),
            "number of packets taken for transmission";
        /// Losses; marks are not losses.
        drops_packets: Count = |row| row.queue.drops(), DROPS, "number of drops, for any reason";
        /// ECN marks.
        marks_packets: Count = |row| row.queue.marks(), MARKS,
            "number of packets marked here: set to CE, or to be marked and CE already, as the kernel counts";
        /// Not congestion: they were taken for transmission and are not drops.
        corrupted_packets: Count = |row| row.queue.corrupted(), CORRUPTED,
            "number of packets lost on the link behind the queue";
        /// Fraction of the arrivals that was lost; NaN if nothing arrived in the window.
        loss_ratio: Real = |row| ratio(row.queue.drops() as f64, row.queue.arrivals() as f64), LOSS,
            "drops_packets / arrivals_packets";
        /// Fraction of the arrivals that was marked; NaN if nothing arrived in the window.
        mark_ratio: Real = |row| ratio(row.queue.marks() as f64, row.queue.arrivals() as f64),
            quantity("Mark ratio", Share).head("mark"), "marks_packets / arrivals_packets";
        /// Packets that left with a mark, of this queue or of one before it.
        ce_departures_packets: Count = |row| row.queue.departures_ce(), quantity("CE departures", Packets),
            "number of departures with CE in the ECN field";
        /// Arrivals at the queue, in bytes.
        arrivals_bytes: Count = |row| row.queue.arrived_bytes(), quantity("Arrivals", Bytes),
            "sum of the sizes of the packets that came";
        /// Losses in bytes; marks are not losses.
        drops_bytes: Count = |row| row.queue.dropped_bytes(), quantity("Drops", Bytes).wanted(Less),
            "sum of the sizes of the packets dropped";
        /// Fraction of the bytes that was lost; NaN if nothing arrived in the window.
        byte_loss_ratio: Real = |row| ratio(row.queue.dropped_bytes() as f64, row.queue.arrived_bytes() as f64),
            quantity("Byte loss ratio", Share).head("byte loss").wanted(Less), "drops_bytes / arrivals_bytes";
        /// Fraction of the capacity that was used, at most 1.
        utilisation: Real = Self::utilisation, quantity("Utilisation", Share).kind(Carried).wanted(More),
            "throughput_bps / capacity_bps";
        /// The rate that could have been sent.
        capacity_bps: Real = |row| row.rate, quantity("Capacity", BitPerS), "mean rate of the link";
        /// All bits on the link, headers and retransmissions included. If a packet is in transmission when the window
        /// begins or ends, its part within the window counts.
        throughput_bps: Real = |row| row.throughput, THROUGHPUT, "8 * bytes sent within the window / window";
        /// Time-weighted mean of the backlog, without the packet in transmission.
        backlog_mean_packets: Real = |row| row.queue.backlog_mean_packets(), BACKLOG.of("mean"),
            "integral of backlog over time / window";
        /// Time-weighted standard deviation of the backlog.
        backlog_sd_packets: Real = |row| row.queue.backlog_sd_packets(), BACKLOG.sd(),
            "sqrt(integral of backlog^2 / window - backlog_mean_packets^2)";
        /// Time-weighted mean of the backlog in bytes, without the packet in transmission.
        backlog_mean_bytes: Real = |row| row.queue.backlog_mean_bytes(), BACKLOG_BYTES.of("mean"),
            "integral of the backlog in bytes over time / window";
        /// The most that ever waited, with the backlog at the beginning of the window.
        backlog_max_packets: Count = |row| row.queue.backlog_max_packets(), BACKLOG.of("max"), "largest backlog";
        /// Mean of samples of the backlog, as in papers that sampled the queue; NaN without samples.
        backlog_sampled_mean_packets: Real = |row| row.queue.sampled_backlog_packets().0, SAMPLED_BACKLOG.of("mean"),
            "mean of the samples that record.queue asks for";
        /// Spread of samples of the backlog, as in papers that sampled the queue; NaN without samples.
        backlog_sampled_sd_packets: Real = |row| row.queue.sampled_backlog_packets().1, SAMPLED_BACKLOG.sd(),
            "standard deviation of the samples that record.queue asks for (n in the denominator)";
        /// How often no packet waited.
        empty_fraction: Real = |row| row.queue.empty_fraction(), quantity("Empty fraction", Share).head("empty"),
            "time with nothing waiting / window";
        /// How often an arriving packet would have found the buffer full.
        full_fraction: Real = |row| row.queue.full_fraction(), quantity("Full fraction", Share).head("full"),
            "time without room for a packet of mean size / window";
        /// Mean time that a packet waited, without its transmission.
        sojourn_mean_ms: Real = |row| row.queue.sojourn().mean_ms(), SOJOURN.of("mean"),
            "sum of waiting times / departures_packets";
        /// How unequal the waiting times of packets are.
        sojourn_sd_ms: Real = |row| row.queue.sojourn().sd_ms(), SOJOURN.sd(),
            "standard deviation of waiting times (n in the denominator)";
        /// Median time that a packet waited.
        sojourn_p50_ms: Real = |row| row.quantiles[0], SOJOURN.of("p50"), "0.5 quantile of waiting times";
        /// One packet in 10 waited longer.
        sojourn_p90_ms: Real = |row| row.quantiles[1], SOJOURN.of("p90"), "0.9 quantile of waiting times";
        /// One packet in 20 waited longer.
        sojourn_p95_ms: Real = |row| row.quantiles[2], SOJOURN.of("p95"), "0.95 quantile of waiting times";
        /// One packet in 100 waited longer.
        sojourn_p99_ms: Real = |row| row.quantiles[3], SOJOURN.of("p99"), "0.99 quantile of waiting times";
        /// The longest that a packet waited.
        sojourn_max_ms: Real = |row| row.queue.sojourn().max_ms(), SOJOURN.of("max"), "largest waiting time";
        /// Fairness between the flows of this direction, of whatever group, that were there for 95 % of the window: 1
        /// if all are equal, 1/n if one of n takes everything.
        fairness_index: Real = |row| row.fairness, FAIRNESS,
            "(sum x)^2 / (n * sum x^2) with x = flow.throughput_bps of the flows whose data go over this link";
    }
}

/// `reasons`: one row for each reason at each observed queue.
pub struct ReasonRow<'a> {
    link: &'a str,
    arrivals: u64,
    of: ByReason,
}

columns! {
    impl<'a> ReasonRow<'a> {
        /// Name of the link behind the queue.
        link: Text = |row| row.link;
        /// The event: `drop`, `mark`, `choke` (the sender was told), or `loss` on the link behind the queue.
        event: Text = |row| row.of.what.name();
        /// The reason that the queue gives: `overflow`, `early`, `forced`, `sojourn`, `unfair` ...
        reason: Text = |row| row.of.what.reason().0;
        /// How many packets.
        packets: Count = |row| row.of.packets, quantity("Packets", Packets).bare(), "number of such events";
        /// How many bytes, headers included.
        bytes: Count = |row| row.of.bytes, quantity("Bytes", Bytes).bare(), "sum of their sizes";
        /// Fraction of the arrivals with this event and reason; NaN if nothing arrived in the window.
        ratio: Real = |row| ratio(row.of.packets as f64, row.arrivals as f64), NUMBER.within(0.0, 1.0),
            "packets / queue.arrivals_packets";
    }
}

/// `counters`: one row for each counter of each observed queue.
pub struct CounterRow<'a> {
    link: &'a str,
    counter: String,
    value: f64,
}

columns! {
    impl<'a> CounterRow<'a> {
        /// Name of the link behind the queue.
        link: Text = |row| row.link;
        /// Which: first those that `tc -s qdisc` shows of every queue (`sent_bytes`, `sent_packets`, `dropped`,
        /// `overlimits`, `requeues`, `backlog_bytes`, `backlog_packets`), then the queue's own.
        counter: Text = |row| &row.counter;
        /// Counts are since the start of the run, warm-up included; a state is that at the end.
        value: Real = |row| row.value, NUMBER.within(f64::NEG_INFINITY, f64::INFINITY), "count or state at the end";
    }
}

/// `sojourn`: the histogram of waiting times.
pub struct SojournRow<'a> {
    link: &'a str,
    edge: f64,
    packets: u64,
}

columns! {
    impl<'a> SojournRow<'a> {
        /// Name of the link behind the queue.
        link: Text = |row| row.link;
        /// Waiting times up to here, the upper edge of the cell, from the previous row's on.
        sojourn_ms: Real = |row| row.edge, SOJOURN;
        /// Their running sum is the distribution function.
        packets: Count = |row| row.packets, quantity("Packets", Packets).bare(), "number of packets in the cell";
    }
}

/// `occupancy`: the distribution of the backlog.
pub struct OccupancyRow<'a> {
    link: &'a str,
    packets: u64,
    time: f64,
    samples: f64,
}

columns! {
    impl<'a> OccupancyRow<'a> {
        /// Name of the link behind the queue.
        link: Text = |row| row.link;
        /// A backlog that occurred, without the packet in transmission.
        backlog_packets: Count = |row| row.packets, BACKLOG;
        /// Exact: P(a < X <= b) is the sum over the rows from above a to b.
        time_fraction: Real = |row| row.time, quantity("Time fraction", Share).head("time"),
            "time with this backlog / window";
        /// Part of the samples that found this backlog; NaN without samples.
        sampled_fraction: Real = |row| row.samples, quantity("Sampled fraction", Share).head("sampled"),
            "samples of record.queue with this backlog / samples";
    }
}

/// `medium`: one row for each link on a shared medium.
pub struct MediumRow<'a> {
    medium: &'a str,
    link: &'a str,
    of: Attempts,
}

columns! {
    impl<'a> MediumRow<'a> {
        /// Name of the medium.
        medium: Text = |row| row.medium;
        /// Name of the link that is a station there.
        link: Text = |row| row.link;
        /// Each frame as often as it was sent.
        attempts: Count = |row| row.of.sent, NUMBER, "number of frames sent";
        /// Packets that arrived.
        delivered_packets: Count = |row| row.of.delivered, quantity("Delivered", Packets),
            "attempts that were acknowledged";
        /// Frames lost to contention.
        collisions: Count = |row| row.of.collided, NUMBER, "attempts in the same slot as another station's";
        /// Frames lost to errors.
        corruptions: Count = |row| row.of.corrupted, NUMBER, "attempts alone on the medium that `loss` corrupted";
        /// Losses; in the tables of queues they are `corrupted_packets`, reason `retries`.
        given_up_packets: Count = |row| row.of.given_up, quantity("Given up", Packets),
            "packets whose 1 + retries attempts all failed";
        /// How often a packet was sent until it arrived or was given up; NaN if none was.
        attempts_mean: Real = |row| ratio(row.of.sent as f64, (row.of.delivered + row.of.given_up) as f64),
            quantity("Attempts", Plain).of("mean"), "attempts / (delivered_packets + given_up_packets)";
        /// The conditional collision probability of Bianchi's model.
        collision_ratio: Real = |row| ratio(row.of.collided as f64, row.of.sent as f64),
            quantity("Collision ratio", Share).head("collision"), "collisions / attempts";
    }
}

impl Simulation {
    pub(super) fn queue_table(&self, fairness: &Fairness) -> Table {
        let window = self.window().as_secs_f64();
        let observed = self.observed();
        let rows: Vec<QueueRow<'_>> = observed
            .iter()
            .zip(&fairness.links)
            .map(|((link, rate, queue), index)| QueueRow {
                link,
                rate: *rate,
                throughput: queue.sent_bits() / window,
                queue,
                quantiles: queue.sojourn().quantiles_ms(FRACTIONS),
                fairness: *index,
            })
            .collect();
        Table::of_all("queue", &rows)
    }

    pub(super) fn reason_table(&self) -> Table {
        let rows: Vec<ReasonRow<'_>> = self
            .observed_queues()
            .flat_map(|(link, queue)| {
                let (link, arrivals) = (&*link.name, queue.arrivals());
                queue.by_reason().iter().map(move |of| ReasonRow { link, arrivals, of: *of })
            })
            .collect();
        Table::of_all("reasons", &rows)
    }

    /// The counters of `tc -s qdisc` for each queue.
    pub(super) fn counter_table(&self) -> Table {
        let mut rows = Vec::new();
        for (number, link) in (0..).zip(self.links.iter()) {
            let Some(observed) = self.settings.observed.get(&number) else { continue };
            let Some(recorder) = self.recorder(link) else { continue };
            let queue = match link {
                Link::Buffer(_) => None,
                Link::Queue(queue) => Some(queue.discipline()),
            };
            let all = shown::all(observed.shown, &recorder.tally(), recorder.backlog(), queue);
            rows.extend(all.into_iter().map(|(counter, value)| CounterRow { link: &observed.name, counter, value }));
        }
        Table::of_all("counters", &rows)
    }

    pub(super) fn sojourn_table(&self) -> Table {
        let rows: Vec<SojournRow<'_>> = self
            .observed_queues()
            .flat_map(|(link, queue)| {
                queue.sojourn().cells().map(|(edge, packets)| SojournRow { link: &link.name, edge, packets })
            })
            .collect();
        Table::of_all("sojourn", &rows)
    }

    pub(super) fn occupancy_table(&self) -> Table {
        let rows: Vec<OccupancyRow<'_>> = self
            .observed_queues()
            .flat_map(|(link, queue)| {
                let cells = queue.occupancy();
                cells.map(|(packets, time, samples)| OccupancyRow { link: &link.name, packets, time, samples })
            })
            .collect();
        Table::of_all("occupancy", &rows)
    }

    pub(super) fn medium_table(&self) -> Table {
        let rows = self.air.attempts();
        Table::of("medium", &rows.iter().map(|(medium, link, of)| MediumRow { medium, link, of: *of }))
    }
}
