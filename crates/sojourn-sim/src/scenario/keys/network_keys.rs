//! Keys of links, and of the networks that they form: dumbbells, chains and media.

use super::shape::{DELAY, Key, MOMENT, Presence, RATE, Shape, Table, YES_NO, bounds, key, or_auto};
use crate::mechanism::framing::Cells;
use crate::net::link_plan::JitterLaw;
use crate::net::wifi::Preamble;
use crate::net::wifi::Standard;
use crate::params::Kind;
use crate::params::ParamType as _;
use crate::scenario::plan::Spread;

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
    "Mean packet size on the wire, for laws and amounts in packets (`mean_pktsize_` of ns-2).",
);

const LOSS: Key = key(
    "loss",
    Shape::Loss,
    Presence::Optional("no packet is corrupted"),
    "Packets corrupted on the link, counted apart from the queue's drops; each direction separately.",
);
const JITTER_KEY: Key = key(
    "jitter",
    Shape::Table { table: &JITTER, short: "mean" },
    Presence::Optional("`delay` is that of every packet"),
    "A delay beyond `delay`, drawn for each packet; each direction separately.",
);
const CHANGES: Key = key(
    "changes",
    Shape::Tables(&CHANGE),
    Presence::Optional("rate, delay and losses stay"),
    "Rates, delays and losses to come, in order of time: `[{ at = \"10s\", rate = \"1Mbit\" }]`. A queue whose law needs a rate keeps the \
     first rate of the link.",
);

const OVERHEAD: Key = key(
    "overhead",
    Shape::Value(bounds(Kind::Bytes, 0.0, 1000.0)),
    Presence::Default("0B"),
    "Bytes that the line adds to each packet, as `tc ... stab overhead`: headers of frames, preambles, trailers. They take time on the \
     line; throughput and utilisation are those of packets.",
);
const MPU: Key = key(
    "mpu",
    Shape::Value(bounds(Kind::Bytes, 0.0, 10000.0)),
    Presence::Default("0B"),
    "Least bytes of a packet with its overhead, as `tc ... stab mpu`: an Ethernet frame has 64, and takes 84 on the wire.",
);
const CELLS: Key = key(
    "cells",
    Shape::Value(bounds(Cells::KIND, 0.0, 0.0)),
    Presence::Default("none"),
    "Cells in which the line carries frames: `atm` (ADSL: 53 bytes carry 48), `ptm` (VDSL2: 65 bytes carry 64) or `none`.",
);

const MEDIUM_KEY: Key = key(
    "medium",
    Shape::Text,
    Presence::Optional("the link is always free"),
    "Name of the `[[medium]]` that it shares with its other direction and with other links. `rate` is then that of data frames, `loss` \
     holds for each attempt, and `delay` is added to the time of arrival.",
);

/// `[dumbbell]`.
pub static DUMBBELL: Table = Table {
    title: "[dumbbell]",
    doc: "Two routers with the bottleneck between them; every flow has its own host on each side. The base round-trip time of a flow is \
          twice the sum of `delay` and two access delays. The two directions of the bottleneck are the links `forward` and `reverse` of \
          the tables.",
    keys: &[
        key(
            "rate",
            Shape::Table { table: &LINK_RATE, short: "fixed" },
            Presence::Required,
            "Rate of the bottleneck, in both directions unless there is a `reverse_rate`.",
        ),
        key(
            "reverse_rate",
            Shape::Table { table: &LINK_RATE, short: "fixed" },
            Presence::Optional("as `rate`"),
            "Rate of the other direction. A line of 5 Mbit/s up and 20 Mbit/s down has `rate = \"5Mbit\"` and `reverse_rate = \
             \"20Mbit\"`: uploads go forward.",
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
        key(
            "reverse_changes",
            Shape::Tables(&CHANGE),
            Presence::Optional("as `changes`"),
            "Rates, delays and losses to come in the other direction; `[]` is none. A dumbbell with a `reverse_rate` and `changes` of \
             the rate needs it.",
        ),
        OVERHEAD,
        MPU,
        CELLS,
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
    doc: "The four links of a flow between its hosts and the routers, two for its data and two for its acknowledgements. All are alike \
          except for the delays of the two hosts; variations are drawn separately for each.",
    keys: &[
        key(
            "rate",
            Shape::Value(or_auto(RATE)),
            Presence::Default("auto"),
            "Rate of each access link; `auto` is ten times the rate of the bottleneck, of its faster direction.",
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
            "How a range of delays is spread over the flows of a group: evenly from the least to the greatest, or drawn for each host \
             from a stream of the group, equal for every queue compared. A law that needs a base round-trip time takes the middle of the \
             range.",
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
        key(
            "jitter",
            Shape::Table { table: &JITTER, short: "mean" },
            Presence::Optional("hosts take no time"),
            "Mean of the random processing time of hosts. It delays each packet that leaves or reaches a host, and keeps the order. ns-2's \
             `overhead_` is uniform from 0 to twice this. Half the time that the bottleneck takes for a packet breaks the phases in \
             which equal flows lock (Floyd and Jacobson 1992).",
        ),
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
        OVERHEAD,
        MPU,
        CELLS,
        MEDIUM_KEY,
        BASE_RTT,
        MEAN_PACKET,
    ],
};

/// `rate` of a link.
pub static LINK_RATE: Table = Table {
    title: "rate",
    doc: "The rate of a link: `rate = \"10Mbit\"`, or the moments at which it may send, as a cellular link does. Packets share the bytes \
          of one moment. A packet that is larger than the rest ends with the next moment, and unused bytes are lost. Laws that need a \
          rate, and amounts such as `\"2BDP\"`, take the mean; utilisation is that of the opportunities.",
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
    doc: "A new rate, delay or loss of the link, for transmissions that start at this time or later. Packets stay in order \
          when the delay falls, unless `jitter` lets them overtake.",
    keys: &[
        key("at", Shape::Value(MOMENT), Presence::Required, "When; later than the change before."),
        key("rate", Shape::Value(RATE), Presence::Optional("it stays"), "The rate from then on."),
        key("delay", Shape::Value(DELAY), Presence::Optional("it stays"), "The one-way delay from then on."),
        key(
            "loss",
            Shape::Loss,
            Presence::Optional("it stays"),
            "Packets corrupted from then on; a probability of 0 ends losses.",
        ),
    ],
};

/// `[[medium]]`.
pub static MEDIUM: Table = Table {
    title: "[[medium]]",
    doc: "A wireless medium on which one frame is sent at a time: the distributed coordination function of IEEE Std 802.11-2012, clause \
          9.3. Each direction of each link that names it is a station, which contends with the others; all hear each other. Frames that \
          are not acknowledged are sent again. A frame that is given up counts as `corrupted_packets`, reason `retries`, and is no drop \
          of a queue. Table `medium` counts attempts.",
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
        key(
            "rts_threshold",
            Shape::Value(or_auto(bounds(Kind::Bytes, 0.0, 10_000.0))),
            Presence::Default("auto"),
            "Frames of more bytes, overhead included, are preceded by RTS and CTS, so that collisions cost an RTS (9.3.2.5). \
             `auto`: no frame is. `0B` is the default of ns-2 (`RTSThreshold_`).",
        ),
        key(
            "rts_retries",
            Shape::Value(bounds(Kind::Integer, 0.0, 254.0)),
            Presence::Default("6"),
            "How often an RTS is sent again that no CTS answers; the default makes seven attempts, as `dot11ShortRetryLimit` \
             does (9.3.4).",
        ),
    ],
};
