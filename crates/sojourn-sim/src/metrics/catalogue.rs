//! Every column of every table of results: unit, formula and meaning. Lists, documentation and the
//! choice of metrics in comparisons derive from [`TABLES`].
//!
//! The measured window is from `warmup` to `duration`; time series run from the start. A value that
//! does not exist (a mean over nothing) is NaN.

mod column;
mod of_flows;
mod of_links;
mod of_responsiveness;
mod of_warnings;

pub use column::{Metric, Values};
use of_flows::{COMPLETION, FLOWS, GROUPS, LATENCY, OVER_TIME, RATE, WINDOW};
use of_links::{BACKLOG, COUNTERS, DROPS, MEDIUM, OCCUPANCY, PACKETS, PROBE, QUEUE, REASONS, SOJOURN};
use of_responsiveness::{QUALITY, RESPONSIVENESS};
use of_warnings::WARNING;
pub use of_warnings::{WARNINGS, WarningEntry};

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
    pub metrics: &'static [Metric],
}

const fn table(
    name: &'static str,
    record: Option<&'static str>,
    metrics: &'static [Metric],
    doc: &'static str,
) -> TableEntry {
    TableEntry { name, doc, record, metrics }
}

/// All tables, in the order of results.
pub static TABLES: &[TableEntry] = &[
    table("queue", None, QUEUE, "One row for each observed queue."),
    table("reasons", None, REASONS, "Drops, marks and choke packets at observed queues by reason."),
    table("counters", None, COUNTERS, "Counters of `tc -s qdisc` for each observed queue."),
    table("flow", None, FLOWS, "One row for each flow."),
    table("group", None, GROUPS, "One row for each group of flows."),
    table("sojourn", None, SOJOURN, "Distribution of the waiting times at observed queues."),
    table(
        "latency",
        None,
        LATENCY,
        "Distribution of one-way delays, queueing delays, round-trip times and completion times of each group.",
    ),
    table(
        "over_time",
        None,
        OVER_TIME,
        "Throughput, delay and round-trip time of each group over time, warm-up included: at most 500 intervals of the same round length.",
    ),
    table("occupancy", Some("occupancy"), OCCUPANCY, "Distribution of the backlog of observed queues."),
    table("completion", None, COMPLETION, "One row for each finished transfer, warm-up included."),
    table(
        "responsiveness",
        None,
        RESPONSIVENESS,
        "Round trips per minute under load, one row for each group of probes (`app = \"probe\"`); without one, there is no such table.",
    ),
    table(
        "quality",
        None,
        QUALITY,
        "The quality that users notice, one row for each group of `voice`, `game`, `video` or `rounds`. The table exists only \
              if there is such a group.",
    ),
    table("medium", None, MEDIUM, "One row for each link on a shared medium; without one, there is no such table."),
    table("backlog", Some("queue"), BACKLOG, "Samples of the backlog of observed queues."),
    table("probe", Some("probes"), PROBE, "Samples of the internals of observed queues."),
    table("window", Some("cwnd"), WINDOW, "Samples of the senders' windows."),
    table("rate", Some("throughput"), RATE, "Throughput of each flow over time."),
    table("drops", Some("drops"), DROPS, "Every drop and mark at observed queues."),
    table("packets", Some("packets"), PACKETS, "Every packet that left an observed queue."),
    table("warnings", None, WARNING, "Findings of a run that a reader of its numbers should know; one row for each."),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::keys::RECORD;

    #[test]
    fn the_unit_is_in_the_name() {
        let suffixes = [("_ms", "ms"), ("_s", "s"), ("_bps", "bit/s"), ("_packets", "packets"), ("_bytes", "bytes")];
        for metric in TABLES.iter().flat_map(|table| table.metrics) {
            for (suffix, unit) in suffixes {
                if metric.name.ends_with(suffix) {
                    assert_eq!(metric.unit, unit, "{}", metric.name);
                }
            }
        }
    }

    #[test]
    fn names_are_unique_in_a_table_and_every_value_has_its_meaning() {
        for table in TABLES {
            for (i, metric) in table.metrics.iter().enumerate() {
                assert!(!metric.doc.is_empty(), "{}.{}", table.name, metric.name);
                assert!(table.metrics[..i].iter().all(|other| other.name != metric.name), "{}", metric.name);
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
