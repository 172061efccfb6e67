//! Every key of a scenario file, declared once: the reader, its messages, the JSON Schema and the
//! reference derive from these tables. The keys of queues, transports and applications come from
//! their registries instead.

mod flow_keys;
mod network_keys;
mod record_keys;
mod shape;

pub use flow_keys::{DELAY_HINT, FLOW, START};
pub use network_keys::{ACCESS, CHANGE, DUMBBELL, JITTER, LINK, LINK_RATE, MEDIUM, NODE};
pub use record_keys::{EVERY, RECORD};
pub use shape::{Bounds, FLOWS_MAX, Key, Presence, SAMPLES_MAX, SECONDS_MAX, Shape, Table};

use crate::net::ecmp::Ecmp;
use crate::params::{Kind, ParamType};
use shape::{MOMENT, bounds, key};

/// The whole file.
pub static SCENARIO: Table = Table {
    title: "Top level",
    doc: "The network that is simulated, and for how long.",
    keys: &[
        key("title", Shape::Text, Presence::Default(""), "A line for people; reports show it."),
        key("duration", Shape::Value(bounds(Kind::Time, 1e-6, SECONDS_MAX)), Presence::Required, "Simulated time."),
        key(
            "warmup",
            Shape::Value(MOMENT),
            Presence::Default("0s"),
            "Metrics count from here on; less than `duration`. Time series are recorded from the start.",
        ),
        key(
            "dumbbell",
            Shape::Table { table: &DUMBBELL, short: "" },
            Presence::Optional("`[[node]]` and `[[link]]` describe the network"),
            "All flows share one bottleneck.",
        ),
        key(
            "node",
            Shape::Tables(&NODE),
            Presence::Optional("`[dumbbell]` describes the network"),
            "The nodes of a graph.",
        ),
        key(
            "link",
            Shape::Tables(&LINK),
            Presence::Optional("`[dumbbell]` describes the network"),
            "The links of a graph. Packets take the way of least delay; among equals, of fewest links.",
        ),
        key(
            "ecmp",
            Shape::Value(bounds(Ecmp::KIND, 0.0, 0.0)),
            Presence::Default("off"),
            "Equal-cost multipath: the way of a flow where several have the least delay and the fewest links. `off`: the way \
             whose links come first in the file. `switch`: at each node the CRC-32 of addresses, protocol and ports chooses; \
             it is the same in all nodes. `linux_l3`: a hash of the addresses with a key of the node (Linux's default). \
             `linux_l4`: the same of addresses, protocol and ports. Ports and keys are drawn for each run.",
        ),
        key(
            "medium",
            Shape::Tables(&MEDIUM),
            Presence::Optional("every link has a medium of its own"),
            "Media that links share, like stations of a wireless network.",
        ),
        key("flow", Shape::Tables(&FLOW), Presence::Required, "Groups of flows, at least one."),
        key(
            "record",
            Shape::Table { table: &RECORD, short: "" },
            Presence::Optional("only counters, which are always on"),
            "The records besides counters.",
        ),
    ],
};

/// All tables, in the order of the reference.
pub static TABLES: &[&Table] = &[
    &SCENARIO,
    &DUMBBELL,
    &ACCESS,
    &NODE,
    &LINK,
    &LINK_RATE,
    &JITTER,
    &CHANGE,
    &MEDIUM,
    &FLOW,
    &DELAY_HINT,
    &START,
    &RECORD,
    &EVERY,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_reads_back() {
        for table in TABLES {
            for key in table.keys {
                if let (Some(param), Presence::Default(text)) = (key.param(), key.presence) {
                    assert!(param.read_text(text).is_ok(), "{} {}", table.title, key.name);
                }
            }
        }
    }
}
