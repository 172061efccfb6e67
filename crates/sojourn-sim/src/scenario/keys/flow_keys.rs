//! Keys of groups of flows.

use super::network_keys::ACCESS;
use super::shape::{FLOWS_MAX, HINT, MOMENT, Presence, RATE, Shape, Table, YES_NO, bounds, key};
use crate::header::Dscp;
use crate::packet::Service;
use crate::params::Kind;
use crate::params::ParamType as _;

/// `[[flow]]`.
pub static FLOW: Table = Table {
    title: "[[flow]]",
    doc: "A group of flows that are alike.",
    keys: &[
        key("name", Shape::Text, Presence::Optional("`flow0`, `flow1` ... by position"), "Unique name of the group."),
        key(
            "count",
            Shape::Value(bounds(Kind::Integer, 1.0, FLOWS_MAX as f64)),
            Presence::Default("1"),
            "Number of flows.",
        ),
        key(
            "direction",
            Shape::Value(bounds(Kind::Choice(&["forward", "backward"]), 0.0, 0.0)),
            Presence::Default("forward"),
            "Which way the data goes through the dumbbell.",
        ),
        key(
            "from",
            Shape::Text,
            Presence::Optional("the dumbbell gives every flow its host"),
            "Node that sends (graphs).",
        ),
        key(
            "to",
            Shape::Text,
            Presence::Optional("the dumbbell gives every flow its host"),
            "Node that receives (graphs).",
        ),
        key(
            "access",
            Shape::Table { table: &ACCESS, short: "" },
            Presence::Optional("`dumbbell.access`"),
            "Access links of this group; replaces `dumbbell.access` as a whole.",
        ),
        key("transport", Shape::Transport, Presence::Default("tcp"), "The transport that sends and receives."),
        key("app", Shape::App, Presence::Default("bulk"), "The application that drives the sender."),
        key(
            "delay_hint",
            Shape::Table { table: &DELAY_HINT, short: "delay" },
            Presence::Optional("packets carry none"),
            "How long the packets may wait in a queue, said in each of them; a bare time is `delay`. RED-Worcester and \
             RED-Boston heed it.",
        ),
        key(
            "service",
            Shape::Value(bounds(Service::KIND, 0.0, 0.0)),
            Presence::Optional("routers that tell services apart meter the flow themselves"),
            "The declared service of the flows' packets: within their service profile (In) or outside (Out). What the \
             receiving end sends is declared alike. RIO heeds it.",
        ),
        key(
            "dscp",
            Shape::Value(bounds(Kind::Dscp, 0.0, Dscp::MAX as f64)),
            Presence::Optional("best effort, 0"),
            "The codepoint of differentiated services (RFC 2474) in the IP header of the packets: a name or a number. Packets of the \
             receiving end have it, too.",
        ),
        key(
            "priority",
            Shape::Value(bounds(Kind::Integer, 0.0, 255.0)),
            Presence::Optional("0, unless the application says it of each packet"),
            "Importance of the packets; a larger number is more important. Packets of the receiving end have it, too.",
        ),
        key(
            "start",
            Shape::Table { table: &START, short: "at" },
            Presence::Default("0s"),
            "When the flows start; a bare time is `at`.",
        ),
        key("stop", Shape::Value(MOMENT), Presence::Optional("the end of the run"), "When the flows stop."),
    ],
};

/// `delay_hint` of a flow.
pub static DELAY_HINT: Table = Table {
    title: "delay_hint",
    doc: "The time that packets of a flow may wait in a queue, with any application (Phirke 2002). With `rate` the hint adapts: it rises \
          while the receiver gets less payload than that, and falls again when it gets more.",
    keys: &[
        key("delay", Shape::Value(HINT), Presence::Required, "The hint; the least one if it adapts."),
        key(
            "acks",
            Shape::Value(YES_NO),
            Presence::Default("false"),
            "Whether packets of the receiving end carry it, too.",
        ),
        key(
            "rate",
            Shape::Value(RATE),
            Presence::Optional("the hint does not adapt"),
            "Payload rate that the application needs.",
        ),
        key("most", Shape::Value(HINT), Presence::Default("80ms"), "The greatest hint, if it adapts."),
        key("step", Shape::Value(HINT), Presence::Default("20ms"), "By how much it moves."),
        key("every", Shape::Value(HINT), Presence::Default("1s"), "How long the throughput is measured for."),
        key(
            "headroom",
            Shape::Value(bounds(Kind::Fraction, 0.0, 1000.0)),
            Presence::Default("10%"),
            "By how much the throughput exceeds `rate` before the hint falls.",
        ),
    ],
};

/// `start` of a flow.
pub static START: Table = Table {
    title: "start",
    doc: "When the flows of a group start.",
    keys: &[
        key("at", Shape::Value(MOMENT), Presence::Default("0s"), "The first can start here."),
        key(
            "spread",
            Shape::Value(MOMENT),
            Presence::Default("0s"),
            "Each flow starts at a random moment within this after its time; equal for every queue compared.",
        ),
        key("every", Shape::Value(MOMENT), Presence::Default("0s"), "Flow k starts k times this later."),
    ],
};
