//! Columns of the tables of links and their queues.

use super::column::{FLOW, LINK, Metric, TIME, count, real, text};

/// `queue`: one row for each observed queue.
pub(super) static QUEUE: &[Metric] = &[
    LINK,
    count("arrivals_packets", "packets", "number of packets that came", "Arrivals at the queue."),
    count("departures_packets", "packets", "number of packets taken for transmission", "Packets that left."),
    count("drops_packets", "packets", "number of drops, for any reason", "Losses; marks are not losses."),
    count(
        "marks_packets",
        "packets",
        "number of packets marked here: set to CE, or to be marked and CE already, as the kernel counts",
        "ECN marks.",
    ),
    count(
        "corrupted_packets",
        "packets",
        "number of packets lost on the link behind the queue",
        "Not congestion: they were taken for transmission and are not drops.",
    ),
    real(
        "loss_ratio",
        "",
        "drops_packets / arrivals_packets",
        "Fraction of the arrivals that was lost; NaN if nothing arrived in the window.",
    ),
    real(
        "mark_ratio",
        "",
        "marks_packets / arrivals_packets",
        "Fraction of the arrivals that was marked; NaN if nothing arrived in the window.",
    ),
    count(
        "ce_departures_packets",
        "packets",
        "number of departures with CE in the ECN field",
        "Packets that left with a mark, of this queue or of one before it.",
    ),
    count("arrivals_bytes", "bytes", "sum of the sizes of the packets that came", "Arrivals at the queue, in bytes."),
    count("drops_bytes", "bytes", "sum of the sizes of the packets dropped", "Losses in bytes; marks are not losses."),
    real(
        "byte_loss_ratio",
        "",
        "drops_bytes / arrivals_bytes",
        "Fraction of the bytes that was lost; NaN if nothing arrived in the window.",
    ),
    real("utilisation", "", "throughput_bps / capacity_bps", "Fraction of the capacity that was used, at most 1."),
    real("capacity_bps", "bit/s", "mean rate of the link", "The rate that could have been sent."),
    real(
        "throughput_bps",
        "bit/s",
        "8 * bytes sent within the window / window",
        "All bits on the link, headers and retransmissions included. If a packet is in transmission when the window begins or \
              ends, its part within the window counts.",
    ),
    real(
        "backlog_mean_packets",
        "packets",
        "integral of backlog over time / window",
        "Time-weighted mean of the backlog, without the packet in transmission.",
    ),
    real(
        "backlog_sd_packets",
        "packets",
        "sqrt(integral of backlog^2 / window - backlog_mean_packets^2)",
        "Time-weighted standard deviation of the backlog.",
    ),
    real(
        "backlog_mean_bytes",
        "bytes",
        "integral of the backlog in bytes over time / window",
        "Time-weighted mean of the backlog in bytes, without the packet in transmission.",
    ),
    count(
        "backlog_max_packets",
        "packets",
        "largest backlog",
        "The most that ever waited, with the backlog at the beginning of the window.",
    ),
    real(
        "backlog_sampled_mean_packets",
        "packets",
        "mean of the samples that record.queue asks for",
        "Mean of samples of the backlog, as in papers that sampled the queue; NaN without samples.",
    ),
    real(
        "backlog_sampled_sd_packets",
        "packets",
        "standard deviation of the samples that record.queue asks for (n in the denominator)",
        "Spread of samples of the backlog, as in papers that sampled the queue; NaN without samples.",
    ),
    real("empty_fraction", "", "time with nothing waiting / window", "How often no packet waited."),
    real(
        "full_fraction",
        "",
        "time without room for a packet of mean size / window",
        "How often an arriving packet would have found the buffer full.",
    ),
    real(
        "sojourn_mean_ms",
        "ms",
        "sum of waiting times / departures_packets",
        "Mean time that a packet waited, without its transmission.",
    ),
    real(
        "sojourn_sd_ms",
        "ms",
        "standard deviation of waiting times (n in the denominator)",
        "How unequal the waiting times of packets are.",
    ),
    real("sojourn_p50_ms", "ms", "0.5 quantile of waiting times", "Median time that a packet waited."),
    real("sojourn_p90_ms", "ms", "0.9 quantile of waiting times", "One packet in 10 waited longer."),
    real("sojourn_p95_ms", "ms", "0.95 quantile of waiting times", "One packet in 20 waited longer."),
    real("sojourn_p99_ms", "ms", "0.99 quantile of waiting times", "One packet in 100 waited longer."),
    real("sojourn_max_ms", "ms", "largest waiting time", "The longest that a packet waited."),
    real(
        "fairness_index",
        "",
        "(sum x)^2 / (n * sum x^2) with x = flow.throughput_bps of the flows whose data go over this link",
        "Fairness between the flows of this direction, of whatever group, that were there for 95 % of the window: 1 if all are equal, \
              1/n if one of n takes everything.",
    ),
];

/// `reasons`: one row for each reason at each observed queue.
pub(super) static REASONS: &[Metric] = &[
    LINK,
    text("event", "The event: `drop`, `mark`, `choke` (the sender was told), or `loss` on the link behind the queue."),
    text("reason", "The reason that the queue gives: `overflow`, `early`, `forced`, `sojourn`, `unfair` ..."),
    count("packets", "packets", "number of such events", "How many packets."),
    count("bytes", "bytes", "sum of their sizes", "How many bytes, headers included."),
    real(
        "ratio",
        "",
        "packets / queue.arrivals_packets",
        "Fraction of the arrivals with this event and reason; NaN if nothing arrived in the window.",
    ),
];

/// `sojourn`: the histogram of waiting times.
pub(super) static SOJOURN: &[Metric] = &[
    LINK,
    real("sojourn_ms", "ms", "", "Waiting times up to here, the upper edge of the cell, from the previous row's on."),
    count("packets", "packets", "number of packets in the cell", "Their running sum is the distribution function."),
];

/// `occupancy`: the distribution of the backlog.
pub(super) static OCCUPANCY: &[Metric] = &[
    LINK,
    count("backlog_packets", "packets", "", "A backlog that occurred, without the packet in transmission."),
    real(
        "time_fraction",
        "",
        "time with this backlog / window",
        "Exact: P(a < X <= b) is the sum over the rows from above a to b.",
    ),
    real(
        "sampled_fraction",
        "",
        "samples of record.queue with this backlog / samples",
        "Part of the samples that found this backlog; NaN without samples.",
    ),
];

/// `medium`: one row for each link on a shared medium.
pub(super) static MEDIUM: &[Metric] = &[
    text("medium", "Name of the medium."),
    text("link", "Name of the link that is a station there."),
    count("attempts", "", "number of frames sent", "Each frame as often as it was sent."),
    count("delivered_packets", "packets", "attempts that were acknowledged", "Packets that arrived."),
    count("collisions", "", "attempts in the same slot as another station's", "Frames lost to contention."),
    count("corruptions", "", "attempts alone on the medium that `loss` corrupted", "Frames lost to errors."),
    count(
        "given_up_packets",
        "packets",
        "packets whose 1 + retries attempts all failed",
        "Losses; in the tables of queues they are `corrupted_packets`, reason `retries`.",
    ),
    real(
        "attempts_mean",
        "",
        "attempts / (delivered_packets + given_up_packets)",
        "How often a packet was sent until it arrived or was given up; NaN if none was.",
    ),
    real("collision_ratio", "", "collisions / attempts", "The conditional collision probability of Bianchi's model."),
];

pub(super) static BACKLOG: &[Metric] = &[
    LINK,
    TIME,
    count("backlog_packets", "packets", "backlog at that time", "Waiting packets."),
    count("backlog_bytes", "bytes", "backlog at that time", "Waiting bytes, headers included."),
];

pub(super) static PROBE: &[Metric] = &[
    LINK,
    TIME,
    text("probe", "Which of the queue's internals: `avg`, `drop_prob` ..."),
    real("value", "", "value at that time", "In the unit that the documentation of the queue states."),
];

pub(super) static COUNTERS: &[Metric] = &[
    LINK,
    text(
        "counter",
        "Which: first those that `tc -s qdisc` shows of every queue (`sent_bytes`, `sent_packets`, `dropped`, `overlimits`, `requeues`, \
         `backlog_bytes`, `backlog_packets`), then the queue's own.",
    ),
    real(
        "value",
        "",
        "count or state at the end",
        "Counts are since the start of the run, warm-up included; a state is that at the end.",
    ),
];

pub(super) static DROPS: &[Metric] = &[
    LINK,
    TIME,
    FLOW,
    text("event", "The event: `drop`, `mark`, or `loss` on the link behind the queue."),
    text("reason", "The reason that the queue gives; `corruption` on the link."),
    count("size_bytes", "bytes", "size of the packet", "Headers included."),
    real(
        "sojourn_ms",
        "ms",
        "time_s - arrival at the queue",
        "Its waiting time: 0 if it is dropped or marked when it comes; NaN for a loss on the link.",
    ),
];

pub(super) static PACKETS: &[Metric] = &[
    LINK,
    TIME,
    FLOW,
    count("size_bytes", "bytes", "size of the packet", "Headers included."),
    real("sojourn_ms", "ms", "time between arrival and departure from the queue", "How long it waited."),
    text("ecn", "The ECN field as it left."),
];
