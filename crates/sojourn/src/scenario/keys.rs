//! Every key of a scenario file, declared once: the reader, its messages, the JSON Schema and the
//! reference derive from these tables. The keys of queues, transports and applications come from
//! their registries instead.

use crate::header::Dscp;
use crate::net::wifi::{Preamble, Standard};
use crate::net::wire::JitterLaw;
use crate::packet::Service;
use crate::params::{Kind, Param, ParamType as _};
use crate::scenario::plan::Spread;

/// A table of the scenario file.
#[derive(Debug)]
pub struct Table {
    /// How the reference calls it: `[dumbbell]`.
    pub title: &'static str,
    /// What it describes.
    pub doc: &'static str,
    /// Its keys in the order of the reference.
    pub keys: &'static [Key],
}

/// A key of a table.
#[derive(Debug)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// What it takes.
    pub shape: Shape,
    /// What holds without it.
    pub presence: Presence,
    /// What it means.
    pub doc: &'static str,
}

/// What a key takes.
#[derive(Debug)]
pub enum Shape {
    /// Free text.
    Text,
    /// One value of a kind, within bounds in [`Kind::unit`].
    Value(Bounds),
    /// One value, or a list of the least and the greatest.
    Range(Bounds),
    /// A queue's name, or a table with `kind`.
    Queue,
    /// A transport's name, or a table with `kind`.
    Transport,
    /// An application's name, or a table with `kind`.
    App,
    /// A loss model's name, or a table with `kind`.
    Loss,
    /// A table. `short` is the key that a bare value stands for, `""` if there is none.
    Table {
        /// Its keys.
        table: &'static Table,
        /// `start = "50s"` stands for `start = { at = "50s" }`.
        short: &'static str,
    },
    /// A list of tables: `[[flow]]`.
    Tables(&'static Table),
}

/// A kind of value with its bounds.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// What is accepted.
    pub kind: Kind,
    /// Whether `"auto"` is accepted too.
    pub auto: bool,
    /// Least value, in [`Kind::unit`].
    pub min: f64,
    /// Greatest value.
    pub max: f64,
}

/// What holds when a key is not written.
#[derive(Clone, Copy, Debug)]
pub enum Presence {
    /// It must be written.
    Required,
    /// This value, as a user would write it.
    Default(&'static str),
    /// What happens then, in words.
    Optional(&'static str),
}

impl Table {
    /// The table below a key.
    pub fn below(&self, name: &str) -> Option<&'static Table> {
        match self.keys.iter().find(|key| key.name == name)?.shape {
            Shape::Table { table, .. } | Shape::Tables(table) => Some(table),
            _ => None,
        }
    }
}

impl Key {
    /// The key as a self-describing parameter, if it takes values of a kind.
    pub fn param(&self) -> Option<Param> {
        let (Shape::Value(bounds) | Shape::Range(bounds)) = self.shape else { return None };
        Some(Param {
            name: self.name,
            kind: bounds.kind,
            auto: bounds.auto,
            default: match self.presence {
                Presence::Default(text) => text,
                Presence::Required | Presence::Optional(_) => "",
            },
            min: bounds.min,
            max: bounds.max,
            source: "",
            doc: self.doc,
            group: None,
        })
    }
}

/// Greatest number of flows in a scenario.
pub const FLOWS_MAX: u64 = 1_000_000;
/// Longest simulated time in seconds (11 days): nanoseconds stay exact in a 64-bit float.
pub const SECONDS_MAX: f64 = 1e6;
/// Greatest number of samples in one recorded time series.
pub const SAMPLES_MAX: f64 = 1e7;
/// Greatest rate in bit/s that the reader of quantities admits.
const RATE_MAX: f64 = 1e14;
/// Longest propagation delay in seconds: beyond the Moon and back many times.
const DELAY_MAX: f64 = 1000.0;

const fn bounds(kind: Kind, min: f64, max: f64) -> Bounds {
    Bounds { kind, auto: false, min, max }
}

const fn or_auto(bounds: Bounds) -> Bounds {
    Bounds { auto: true, ..bounds }
}

const fn key(name: &'static str, shape: Shape, presence: Presence, doc: &'static str) -> Key {
    Key { name, shape, presence, doc }
}

const RATE: Bounds = bounds(Kind::Rate, 1.0, RATE_MAX);
const DELAY: Bounds = bounds(Kind::Time, 0.0, DELAY_MAX);
const MOMENT: Bounds = bounds(Kind::Time, 0.0, SECONDS_MAX);
/// A delay hint has microseconds.
const HINT: Bounds = bounds(Kind::Time, 1e-6, DELAY_MAX);
const YES_NO: Bounds = bounds(Kind::Bool, 0.0, 0.0);

const BASE_RTT: Key = key(
    "base_rtt",
    Shape::Value(or_auto(DELAY)),
    Presence::Default("auto"),
    "Round-trip time without queues, for `\"2BDP\"` and for laws that need one; `auto` takes the mean over the flows through the queue.",
);
const MEAN_PACKET: Key = key(
    "mean_packet",
    Shape::Value(bounds(Kind::Bytes, 1.0, 65535.0)),
    Presence::Default("1000B"),
    "Mean packet size on the wire, where a law or an amount in packets needs one (`mean_pktsize_` of ns-2).",
);

const LOSS: Key = key(
    "loss",
    Shape::Loss,
    Presence::Optional("no packet is corrupted"),
    "Packets corrupted on the link, counted apart from the queue's drops; each direction for itself.",
);
const JITTER_KEY: Key = key(
    "jitter",
    Shape::Table { table: &JITTER, short: "mean" },
    Presence::Optional("`delay` is that of every packet"),
    "A delay beyond `delay`, drawn anew for each packet; each direction for itself.",
);
const CHANGES: Key = key(
    "changes",
    Shape::Tables(&CHANGE),
    Presence::Optional("rate and delay stay"),
    "Rates and delays to come, in order of time: `[{ at = \"10s\", rate = \"1Mbit\" }]`. Queues keep the rate that the link \
     begins with where their law needs one.",
);

const MEDIUM_KEY: Key = key(
    "medium",
    Shape::Text,
    Presence::Optional("the link is always free"),
    "Name of the `[[medium]]` that it shares with its other direction and with other links. `rate` is then that of data \
     frames, `loss` holds for each attempt, and `delay` is added to what arrives.",
);

/// The whole file.
pub static SCENARIO: Table = Table {
    title: "Top level",
    doc: "What is simulated and for how long.",
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
            "medium",
            Shape::Tables(&MEDIUM),
            Presence::Optional("every link has a medium of its own"),
            "Media that links share, as stations of a wireless network do.",
        ),
        key("flow", Shape::Tables(&FLOW), Presence::Required, "Groups of flows, at least one."),
        key(
            "record",
            Shape::Table { table: &RECORD, short: "" },
            Presence::Optional("only counters, which are always on"),
            "What to record besides counters.",
        ),
    ],
};

/// `[dumbbell]`.
pub static DUMBBELL: Table = Table {
    title: "[dumbbell]",
    doc: "Two routers with the bottleneck between them; every flow has a host of its own on each side. The base \
          round-trip time of a flow is twice the sum of `delay` and two access delays. The two directions of the \
          bottleneck are the links `forward` and `reverse` of the tables.",
    keys: &[
        key(
            "rate",
            Shape::Table { table: &LINK_RATE, short: "fixed" },
            Presence::Required,
            "Rate of the bottleneck, in each direction.",
        ),
        key("delay", Shape::Value(DELAY), Presence::Required, "One-way propagation delay of the bottleneck."),
        key("queue", Shape::Queue, Presence::Default("fifo"), "The queue in front of the bottleneck."),
        key(
            "reverse_queue",
            Shape::Queue,
            Presence::Optional("the same kind and parameters as `queue`, as for a duplex link of ns-2"),
            "The queue of the other direction.",
        ),
        LOSS,
        key(
            "reverse_loss",
            Shape::Loss,
            Presence::Optional("the same kind and parameters as `loss`"),
            "Packets corrupted in the other direction.",
        ),
        JITTER_KEY,
        CHANGES,
        MEDIUM_KEY,
        key(
            "access",
            Shape::Table { table: &ACCESS, short: "" },
            Presence::Optional("links ten times as fast as the bottleneck, without delay"),
            "The links between hosts and routers; a flow may have an `access` of its own.",
        ),
        BASE_RTT,
        MEAN_PACKET,
    ],
};

/// `access` of the dumbbell or of a flow.
pub static ACCESS: Table = Table {
    title: "access",
    doc: "The four links of a flow between its hosts and the routers, two for its data and two for its acknowledgements. \
          All are alike but for the delays of the two hosts; what varies does so on each for itself.",
    keys: &[
        key(
            "rate",
            Shape::Value(or_auto(RATE)),
            Presence::Default("auto"),
            "Rate of each access link; `auto` is ten times the rate of the bottleneck.",
        ),
        key(
            "delay",
            Shape::Range(DELAY),
            Presence::Default("0s"),
            "One-way delay of each access link. `[\"2ms\", \"10ms\"]` is spread over the flows of a group as `spread` says, \
             which keeps drop-tail queues from the phase effects of equal round-trip times.",
        ),
        key(
            "sink_delay",
            Shape::Range(DELAY),
            Presence::Optional("as `delay`"),
            "One-way delay of the access links of the host that receives; `delay` is then that of the host that sends.",
        ),
        key(
            "spread",
            Shape::Value(bounds(Spread::KIND, 0.0, 0.0)),
            Presence::Default("even"),
            "How a range of delays is spread over the flows of a group: evenly from the least to the greatest, or drawn for \
             each host from a stream of the group, equal for every queue compared. A law that needs a base round-trip time \
             takes the middle of what is drawn.",
        ),
        key(
            "steps",
            Shape::Value(bounds(Kind::Integer, 2.0, 1e6)),
            Presence::Optional("any delay of the range"),
            "How many delays are drawn from, at even distances: `[\"2ms\", \"18ms\"]` with 5 are 2, 6, 10, 14 and 18 ms.",
        ),
        key(
            "limit",
            Shape::Value(bounds(Kind::Size, 1.0, 1e12)),
            Presence::Default("100000p"),
            "Buffer of each access link, a FIFO that is meant never to fill.",
        ),
        LOSS,
        JITTER_KEY,
        CHANGES,
    ],
};

/// `[[node]]`.
pub static NODE: Table = Table {
    title: "[[node]]",
    doc: "A host or a router of a graph.",
    keys: &[key("name", Shape::Text, Presence::Required, "Unique name, for links and flows.")],
};

/// `[[link]]`.
pub static LINK: Table = Table {
    title: "[[link]]",
    doc: "A link of a graph.",
    keys: &[
        key("from", Shape::Text, Presence::Required, "Name of the node that it leaves."),
        key("to", Shape::Text, Presence::Required, "Name of the node that it reaches."),
        key(
            "rate",
            Shape::Table { table: &LINK_RATE, short: "fixed" },
            Presence::Required,
            "Its rate, in each direction of a duplex link.",
        ),
        key("delay", Shape::Value(DELAY), Presence::Required, "Its one-way propagation delay."),
        key("queue", Shape::Queue, Presence::Default("fifo"), "The queue in front of it."),
        key(
            "name",
            Shape::Text,
            Presence::Optional("`from-to`"),
            "Unique name, for tables. The other direction of a duplex link adds `/reverse`, or is `to-from` without a name.",
        ),
        key(
            "duplex",
            Shape::Value(YES_NO),
            Presence::Default("true"),
            "Whether there is a link of the same kind in the other direction.",
        ),
        key(
            "observed",
            Shape::Value(or_auto(YES_NO)),
            Presence::Default("auto"),
            "Whether its queue appears in the tables; `auto`: if `name` or `queue` is written.",
        ),
        LOSS,
        JITTER_KEY,
        CHANGES,
        MEDIUM_KEY,
        BASE_RTT,
        MEAN_PACKET,
    ],
};

/// `rate` of a link.
pub static LINK_RATE: Table = Table {
    title: "rate",
    doc: "The rate of a link: `rate = \"10Mbit\"`, or the moments at which it may send, as a cellular link does. Packets \
          share what can be sent at one moment, one that is larger than the rest of it ends with the next, and what nobody \
          uses is lost. Laws that need a rate, and amounts such as `\"2BDP\"`, take the mean; utilisation is that of the \
          opportunities.",
    keys: &[
        key("fixed", Shape::Value(RATE), Presence::Optional("`mahimahi`"), "A rate that is always there."),
        key(
            "mahimahi",
            Shape::Value(bounds(Kind::Numbers, 0.0, 1e9)),
            Presence::Optional("`fixed`"),
            "Moments in milliseconds, in order; behind the last, they begin again. `sojourn run` and the Python package \
             also take the name of a Mahimahi trace, a file with one on each line, from the folder of the scenario.",
        ),
        key(
            "opportunity",
            Shape::Value(bounds(Kind::Bytes, 1.0, 1e9)),
            Presence::Default("1500B"),
            "Bytes on the wire that can be sent at each of these moments.",
        ),
    ],
};

/// `jitter` of a link.
pub static JITTER: Table = Table {
    title: "jitter",
    doc: "A delay beyond the link's own.",
    keys: &[
        key("mean", Shape::Value(DELAY), Presence::Required, "Its mean."),
        key(
            "law",
            Shape::Value(bounds(JitterLaw::KIND, 0.0, 0.0)),
            Presence::Default("uniform"),
            "Its distribution: from nothing to twice the mean, or exponential.",
        ),
        key(
            "reorder",
            Shape::Value(YES_NO),
            Presence::Default("false"),
            "Whether packets may overtake each other; if not, one that would waits for the one before.",
        ),
    ],
};

/// A change of a link.
pub static CHANGE: Table = Table {
    title: "changes",
    doc: "A new rate or delay of the link, for transmissions that start at this time or later. Packets stay in order \
          when the delay falls, unless `jitter` lets them overtake.",
    keys: &[
        key("at", Shape::Value(MOMENT), Presence::Required, "When; later than the change before."),
        key("rate", Shape::Value(RATE), Presence::Optional("it stays"), "The rate from then on."),
        key("delay", Shape::Value(DELAY), Presence::Optional("it stays"), "The one-way delay from then on."),
    ],
};

/// `[[medium]]`.
pub static MEDIUM: Table = Table {
    title: "[[medium]]",
    doc: "A wireless medium on which one frame is sent at a time: the distributed coordination function of IEEE Std \
          802.11-2012, clause 9.3, without RTS and CTS. Each direction of each link that names it is a station, which contends \
          with the others; all hear each other. Frames that are not acknowledged are sent again; what is given up counts \
          as `corrupted_packets`, reason `retries`, and is no drop of a queue. Table `medium` counts attempts.",
    keys: &[
        key("name", Shape::Text, Presence::Required, "Unique name, for links."),
        key(
            "standard",
            Shape::Value(bounds(Standard::KIND, 0.0, 0.0)),
            Presence::Default("802.11b"),
            "Slots, gaps, windows and preambles: clause 17 (b), 18 (a) or 19 (g, without stations of b).",
        ),
        key(
            "basic_rate",
            Shape::Value(or_auto(RATE)),
            Presence::Default("auto"),
            "Rate of ACK frames, if it is below that of the data; `auto` is the highest of 1 and 2 Mbit/s, or of 6, 12 and \
             24 Mbit/s, that is not above the rate of the data (9.7.6.5.2).",
        ),
        key(
            "preamble",
            Shape::Value(bounds(Preamble::KIND, 0.0, 0.0)),
            Presence::Default("long"),
            "Of 802.11b: 192 us, or 96 us before frames of 2 Mbit/s and more.",
        ),
        key(
            "retries",
            Shape::Value(bounds(Kind::Integer, 0.0, 254.0)),
            Presence::Default("6"),
            "How often a frame is sent again; the default makes seven attempts, as `dot11ShortRetryLimit` does (9.3.4).",
        ),
        key(
            "overhead",
            Shape::Value(bounds(Kind::Bytes, 0.0, 1000.0)),
            Presence::Default("36B"),
            "Bytes that a frame adds to a packet: 24 of its header with three addresses and 4 of its check sequence (8.3.2), 8 \
             of LLC and SNAP.",
        ),
        key(
            "any_rate",
            Shape::Value(YES_NO),
            Presence::Default("false"),
            "Whether links may have rates that the standard does not know, as in ns-2.",
        ),
    ],
};

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
        key("transport", Shape::Transport, Presence::Default("tcp"), "What sends and receives."),
        key("app", Shape::App, Presence::Default("bulk"), "What drives the sender."),
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
            "What the packets of the flows are declared to be: within their service profile (In) or outside (Out). What the \
             receiving end sends is declared alike. RIO heeds it.",
        ),
        key(
            "dscp",
            Shape::Value(bounds(Kind::Dscp, 0.0, Dscp::MAX as f64)),
            Presence::Optional("best effort, 0"),
            "The codepoint of differentiated services (RFC 2474) in the IP header of the packets: a name or a number. What the \
             receiving end sends has it as well.",
        ),
        key(
            "priority",
            Shape::Value(bounds(Kind::Integer, 0.0, 255.0)),
            Presence::Optional("0, unless the application says it of each packet"),
            "How much the packets matter, more is more. What the receiving end sends has it as well.",
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
    doc: "How long the packets of a flow may wait in a queue, whatever drives the flow (Phirke 2002). With `rate` the \
          hint adapts: it rises while the receiver gets less payload than that, and falls again when it gets more.",
    keys: &[
        key("delay", Shape::Value(HINT), Presence::Required, "The hint; the least one if it adapts."),
        key(
            "acks",
            Shape::Value(YES_NO),
            Presence::Default("false"),
            "Whether what the receiving end sends carries it as well.",
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

/// `[record]`.
pub static RECORD: Table = Table {
    title: "[record]",
    doc: "What to record besides the counters that are always on.",
    keys: &[
        every("queue", "Sample the backlog of observed queues: table `backlog`."),
        every("probes", "Sample the internals of observed queues: table `probe`."),
        every("cwnd", "Sample the senders' windows: table `window`."),
        every("throughput", "Sample each flow's throughput: table `rate`."),
        key(
            "occupancy",
            Shape::Value(YES_NO),
            Presence::Default("false"),
            "Keep for how long each backlog stood at observed queues: table `occupancy`, with a row for each backlog.",
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
            "Keep every packet at observed links for Wireshark: files `LINK.in.pcapng` (what came to the queue) and \
             `LINK.out.pcapng` (what the link sent) in the run's folder, which `--out` names. Drops, marks and losses are \
             comments there.",
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
            "Whether the times between samples are drawn from the exponential distribution, from a stream of their own: what \
             repeats in step with regular samples does not bias these.",
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
