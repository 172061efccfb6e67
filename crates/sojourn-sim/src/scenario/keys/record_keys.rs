//! Keys of records.

use super::shape::{Key, Presence, SECONDS_MAX, Shape, Table, YES_NO, bounds, key};
use crate::params::Kind;

/// `[record]`.
pub static RECORD: Table = Table {
    title: "[record]",
    doc: "The records besides the counters, which are always on.",
    keys: &[
        every("queue", "Sample the backlog of observed queues: table `backlog`."),
        every("probes", "Sample the internals of observed queues: table `probe`."),
        every("cwnd", "Sample the senders' windows: table `window`."),
        every("throughput", "Sample each flow's throughput: table `rate`."),
        key(
            "occupancy",
            Shape::Value(YES_NO),
            Presence::Default("false"),
            "Keep how long each backlog lasted at observed queues: table `occupancy`, with a row for each backlog.",
        ),
        key(
            "drops",
            Shape::Value(YES_NO),
            Presence::Default("false"),
            "Keep every drop and mark at observed queues: table `drops`.",
        ),
        key(
            "packets",
            Shape::Value(YES_NO),
            Presence::Default("false"),
            "Keep every packet that leaves an observed queue: table `packets`.",
        ),
        key(
            "pcap",
            Shape::Value(YES_NO),
            Presence::Default("false"),
            "Keep every packet at observed links for Wireshark: files `LINK.in.pcapng` (arrivals at the queue) and `LINK.out.pcapng` \
             (departures from the link) in the run's folder, which `--out` names. Drops, marks and losses are comments there.",
        ),
    ],
};

const fn every(name: &'static str, doc: &'static str) -> Key {
    key(name, Shape::Table { table: &EVERY, short: "every" }, Presence::Optional("not recorded"), doc)
}

/// A time series of `[record]`.
pub static EVERY: Table = Table {
    title: "record.*",
    doc: "A recorded time series.",
    keys: &[
        key(
            "every",
            Shape::Value(bounds(Kind::Time, 1e-6, SECONDS_MAX)),
            Presence::Required,
            "Time between samples; their mean, if they are Poisson.",
        ),
        key(
            "poisson",
            Shape::Value(YES_NO),
            Presence::Default("false"),
            "Whether the times between samples are drawn from the exponential distribution, from a separate random stream: events in step \
             with regular samples then cause no bias.",
        ),
    ],
};
