//! Every column of every table of results: unit, formula and meaning. Lists, documentation and the
//! choice of metrics in comparisons derive from [`TABLES`].
//!
//! The measured window is from `warmup` to `duration`; time series run from the start. A value that
//! does not exist (a mean over nothing) is NaN.

use super::group_tables::{GroupRow, LatencyRow, OverTimeRow};
use super::quality_table::QualityRow;
use super::record::series::{RateSample, WindowSample};
use super::responsiveness_table::ResponsivenessRow;
use super::tables::{
    BacklogRow, CompletionRow, CounterRow, DropTableRow, FlowTableRow, MediumRow, OccupancyRow, PacketRow,
    ProbeTableRow, QueueRow, ReasonRow, SojournRow,
};
use super::warnings::WarningRow;
use crate::metrics::column::{Metric, Row};

/// A table of results.
#[derive(Clone, Copy, Debug)]
pub struct TableEntry {
    /// Its name.
    pub name: &'static str,
    /// The meaning of a row.
    pub doc: &'static str,
    /// The key of `[record]` that asks for it; `None`: always there.
    pub record: Option<&'static str>,
    /// Its columns in order.
    pub metrics: fn() -> Vec<Metric>,
}

const fn table<R: Row<'static>>(name: &'static str, record: Option<&'static str>, doc: &'static str) -> TableEntry {
    TableEntry { name, doc, record, metrics: || R::COLUMNS.iter().map(|column| column.metric).collect() }
}

/// All tables, in the order of results.
pub static TABLES: &[TableEntry] = &[
    table::<QueueRow>("queue", None, "One row for each observed queue."),
    table::<ReasonRow>("reasons", None, "Drops, marks and choke packets at observed queues by reason."),
    table::<CounterRow>("counters", None, "Counters of `tc -s qdisc` for each observed queue."),
    table::<FlowTableRow>("flow", None, "One row for each flow."),
    table::<GroupRow>("group", None, "One row for each group of flows."),
    table::<SojournRow>("sojourn", None, "Distribution of the waiting times at observed queues."),
    table::<LatencyRow>(
        "latency",
        None,
        "Distribution of one-way delays, queueing delays, round-trip times and completion times of each group.",
    ),
    table::<OverTimeRow>(
        "over_time",
        None,
        "Throughput, delay and round-trip time of each group over time, warm-up included: at most 500 intervals of the same round length.",
    ),
    table::<OccupancyRow>("occupancy", Some("occupancy"), "Distribution of the backlog of observed queues."),
    table::<CompletionRow>("completion", None, "One row for each finished transfer, warm-up included."),
    table::<ResponsivenessRow>(
        "responsiveness",
        None,
        "Round trips per minute under load, one row for each group of probes (`app = \"probe\"`); without one, there is no such table.",
    ),
    table::<QualityRow>(
        "quality",
        None,
        "The quality that users notice, one row for each group of `voice`, `game`, `video` or `rounds`. The table exists only \
              if there is such a group.",
    ),
    table::<MediumRow>(
        "medium",
        None,
        "One row for each link on a shared medium; without one, there is no such table.",
    ),
    table::<BacklogRow>("backlog", Some("queue"), "Samples of the backlog of observed queues."),
    table::<ProbeTableRow>("probe", Some("probes"), "Samples of the internals of observed queues."),
    table::<WindowSample>("window", Some("cwnd"), "Samples of the senders' windows."),
    table::<RateSample>("rate", Some("throughput"), "Throughput of each flow over time."),
    table::<DropTableRow>("drops", Some("drops"), "Every drop and mark at observed queues."),
    table::<PacketRow>("packets", Some("packets"), "Every packet that left an observed queue."),
    table::<WarningRow>(
        "warnings",
        None,
        "Findings of a run that a reader of its numbers should know; one row for each.",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::keys::RECORD;

    #[test]
    fn the_unit_is_in_the_name() {
        let suffixes = [("_ms", "ms"), ("_s", "s"), ("_bps", "bit/s"), ("_packets", "packets"), ("_bytes", "bytes")];
        for metric in TABLES.iter().flat_map(|table| (table.metrics)()) {
            for (suffix, unit) in suffixes {
                if metric.name.ends_with(suffix) {
                    assert_eq!(metric.quantity.unit.name(), unit, "{}", metric.name);
                }
            }
        }
    }

    #[test]
    fn names_are_unique_in_a_table_and_every_value_has_its_meaning() {
        for table in TABLES {
            let metrics = (table.metrics)();
            for (i, metric) in metrics.iter().enumerate() {
                assert!(!metric.doc.is_empty(), "{}.{}", table.name, metric.name);
                assert!(metrics[..i].iter().all(|other| other.name != metric.name), "{}", metric.name);
            }
        }
    }

    #[test]
    fn every_recorded_table_is_asked_for_by_a_key_of_record() {
        for record in TABLES.iter().filter_map(|table| table.record) {
            assert!(RECORD.keys.iter().any(|key| key.name == record), "{record}");
        }
    }
}
