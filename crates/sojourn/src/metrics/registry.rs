//! Every column of every table of results: unit, formula and meaning. Lists, documentation and the
//! choice of metrics in comparisons derive from [`TABLES`].
//!
//! The measured window is from `warmup` to `duration`; time series run from the start. A value that
//! does not exist (a mean over nothing) is NaN.

use crate::params::nearest;
use crate::quantity::Complaint;

/// A table of results.
#[derive(Clone, Copy, Debug)]
pub struct TableEntry {
    /// Its name.
    pub name: &'static str,
    /// What a row is.
    pub doc: &'static str,
    /// The key of `[record]` that asks for it; `None`: always there.
    pub record: Option<&'static str>,
    /// Its columns in order.
    pub metrics: &'static [Metric],
}

/// A column of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metric {
    /// Its name, unit last.
    pub name: &'static str,
    /// What its values are.
    pub values: Values,
    /// Unit; empty for names, ratios and numbers of order.
    pub unit: &'static str,
    /// How it is computed, in the names of this table where possible; empty for what identifies a row.
    pub formula: &'static str,
    /// What it means, in one line.
    pub doc: &'static str,
}

/// What the values of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values {
    /// Names.
    Text,
    /// Whole numbers.
    Count,
    /// Real numbers.
    Real,
}

const fn text(name: &'static str, doc: &'static str) -> Metric {
    Metric { name, values: Values::Text, unit: "", formula: "", doc }
}

const fn count(name: &'static str, unit: &'static str, formula: &'static str, doc: &'static str) -> Metric {
    Metric { name, values: Values::Count, unit, formula, doc }
}

const fn real(name: &'static str, unit: &'static str, formula: &'static str, doc: &'static str) -> Metric {
    Metric { name, values: Values::Real, unit, formula, doc }
}

const LINK: Metric = text("link", "Name of the link in front of which the queue stands.");
const GROUP: Metric = text("group", "Name of the group of flows.");
const FLOW: Metric = count("flow", "", "", "Number of the flow, from 0 in the order of the scenario.");
const TIME: Metric = real("time_s", "s", "", "Simulated time since the start of the run.");

/// `queue`: one row for each observed queue.
static QUEUE: &[Metric] = &[
    LINK,
    count("arrivals_packets", "packets", "number of packets that came", "What the queue was offered."),
    count("departures_packets", "packets", "number of packets taken for transmission", "What went on."),
    count("drops_packets", "packets", "number of drops, for any reason", "What was lost; marks are not losses."),
    count("marks_packets", "packets", "number of packets set to CE here", "ECN marks."),
    count(
        "corrupted_packets",
        "packets",
        "number of packets lost on the link behind the queue",
        "Not congestion: they were taken for transmission and are no drops.",
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
    real("utilisation", "", "throughput_bps / capacity_bps", "Fraction of the capacity that was used, at most 1."),
    real("capacity_bps", "bit/s", "mean rate of the link", "What could have been sent."),
    real(
        "throughput_bps",
        "bit/s",
        "8 * bytes sent within the window / window",
        "All bits on the link, headers and retransmissions included; of a packet that is in transmission when the \
              window begins or ends, its part.",
    ),
    real(
        "backlog_mean_packets",
        "packets",
        "integral of backlog over time / window",
        "Time-weighted mean of what waits, without the packet in transmission.",
    ),
    real(
        "backlog_sd_packets",
        "packets",
        "sqrt(integral of backlog^2 / window - backlog_mean_packets^2)",
        "Time-weighted standard deviation of the backlog.",
    ),
    real("backlog_mean_bytes", "bytes", "integral of backlog over time / window", "The same mean in bytes."),
    count(
        "backlog_max_packets",
        "packets",
        "largest backlog",
        "The most that ever waited, what stood when the window began included.",
    ),
    real(
        "backlog_sampled_mean_packets",
        "packets",
        "mean of the samples that record.queue asks for",
        "As papers measured that sampled the queue; NaN without samples.",
    ),
    real(
        "backlog_sampled_sd_packets",
        "packets",
        "standard deviation of those samples (n in the denominator)",
        "As papers measured that sampled the queue; NaN without samples.",
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
static REASONS: &[Metric] = &[
    LINK,
    text(
        "event",
        "What happened: `drop`, `mark`, `choke` (the sender was told), or `loss` on the link behind the queue.",
    ),
    text("reason", "Why, as the queue says: `overflow`, `early`, `forced`, `sojourn`, `unfair` ..."),
    count("packets", "packets", "number of such events", "How many packets."),
    count("bytes", "bytes", "sum of their sizes", "How many bytes, headers included."),
    real(
        "ratio",
        "",
        "packets / queue.arrivals_packets",
        "Fraction of the arrivals that this befell; NaN if nothing arrived in the window.",
    ),
];

/// `flow`: one row for each flow.
static FLOWS: &[Metric] = &[
    FLOW,
    GROUP,
    real("start_s", "s", "", "When the flow started."),
    real("throughput_bps", "bit/s", "8 * bytes that reached the receiver / window", "Headers and duplicates included."),
    real(
        "goodput_bps",
        "bit/s",
        "8 * payload bytes that came for the first time / window",
        "What was of use; data behind a hole counts when it comes, not when the hole is filled.",
    ),
    real(
        "delay_mean_ms",
        "ms",
        "mean of arrival - sending over the packets that reached the receiver",
        "Mean one-way delay of the flow's data.",
    ),
    real("rtt_mean_ms", "ms", "mean of the sender's round-trip samples", "Mean round-trip time as the sender saw it."),
    real(
        "rtt_sd_ms",
        "ms",
        "standard deviation of those samples (n in the denominator)",
        "Its spread; NaN without samples.",
    ),
    count("packets_sent", "packets", "number of packets sent", "Retransmissions included."),
    count("retransmits", "packets", "number of segments sent again", "Repairs, needed or not."),
    count("timeouts", "", "number of retransmission timeouts", "How often the sender fell back to one segment."),
    count(
        "fast_recoveries",
        "",
        "number of times that recovery began without a timeout",
        "How often the sender halved because of loss.",
    ),
    count("ecn_reductions", "", "number of window reductions because of ECN", "How often a mark slowed the sender."),
    count(
        "drops_packets",
        "packets",
        "number of the flow's data packets dropped on their way",
        "What the flow lost at the queues on the way of its data.",
    ),
    count("marks_packets", "packets", "number of its packets set to CE at observed queues", "ECN marks."),
    count(
        "corrupted_packets",
        "packets",
        "number of the flow's data packets lost on links",
        "Not congestion: what loss models took, on any link of the way of its data.",
    ),
    real(
        "loss_ratio",
        "",
        "drops_packets / packets_sent",
        "Fraction of the flow's packets that was lost; NaN if it sent none in the window.",
    ),
    real(
        "loss_run_mean_packets",
        "packets",
        "drops at the links of the table queue / number of runs",
        "Mean number of consecutive losses; 1 means that losses come singly, NaN that there were none.",
    ),
    count(
        "loss_run_max_packets",
        "packets",
        "longest run of consecutive losses",
        "The worst burst of losses at the links of the table queue.",
    ),
    real(
        "loss_run_1_fraction",
        "",
        "runs of one loss / number of runs",
        "How many losses come singly: P(LRL=1) of Alemu 2004.",
    ),
    real("loss_run_2_fraction", "", "runs of two losses / number of runs", "How many come in pairs."),
    real("loss_run_3_fraction", "", "runs of three losses / number of runs", "How many come in threes."),
    count("completions", "", "number of transfers finished", "Whole run, warm-up included."),
    real(
        "completion_mean_s",
        "s",
        "mean of duration_s of the table completion",
        "Mean time from the request to the last acknowledgement.",
    ),
    real(
        "fec_blocks_complete",
        "",
        "number of blocks of which all data packets arrived",
        "Blocks that needed no repair. Counted when a later block begins to arrive; NaN without error correction.",
    ),
    real(
        "fec_blocks_repaired",
        "",
        "number of blocks with data packets lost and at most `parity` packets lost",
        "Blocks whose data was recovered; NaN without error correction.",
    ),
    real(
        "fec_blocks_lost",
        "",
        "number of blocks with more than `parity` packets lost",
        "Blocks that stayed incomplete; NaN without error correction.",
    ),
    real(
        "fec_data_packets",
        "packets",
        "number of data packets of all those blocks",
        "Data without parity, arrived or not; NaN without error correction.",
    ),
    real(
        "fec_data_lost_packets",
        "packets",
        "number of data packets that did not arrive",
        "Data lost before repair; NaN without error correction.",
    ),
    real(
        "fec_data_unrepaired_packets",
        "packets",
        "number of data packets that did not arrive in blocks that stayed incomplete",
        "Data lost after repair; NaN without error correction.",
    ),
    real(
        "fec_loss_before_ratio",
        "",
        "number of packets lost / number of packets, of all blocks, parity included",
        "Loss ratio before repair, PLRBC of Alemu 2004; NaN without error correction.",
    ),
    real(
        "fec_loss_after_ratio",
        "",
        "number of packets lost in blocks that stayed incomplete / number of packets of all blocks",
        "Loss ratio after repair, PLR of Alemu 2004; NaN without error correction.",
    ),
    real(
        "fec_residual_loss_ratio",
        "",
        "fec_data_unrepaired_packets / fec_data_packets",
        "Fraction of the data that the application never got; NaN without error correction.",
    ),
];

/// `group`: one row for each group of flows, and one for all if there are several.
static GROUPS: &[Metric] = &[
    text("group", "Name of the group of flows; `all` is the last row if there are several groups."),
    count("flows", "", "number of flows", "Its size."),
    real("throughput_mean_bps", "bit/s", "mean of flow.throughput_bps", "Mean throughput of a flow."),
    real(
        "throughput_sd_bps",
        "bit/s",
        "standard deviation of flow.throughput_bps (n - 1 in the denominator)",
        "How unequal the flows' throughputs are.",
    ),
    real("goodput_mean_bps", "bit/s", "mean of flow.goodput_bps", "Mean goodput of a flow."),
    real(
        "goodput_sd_bps",
        "bit/s",
        "standard deviation of flow.goodput_bps (n - 1 in the denominator)",
        "How unequal the flows' goodputs are.",
    ),
    real(
        "jain_index",
        "",
        "(sum x)^2 / (flows * sum x^2) with x = flow.throughput_bps",
        "Fairness: 1 if all are equal, 1/n if one of n takes everything.",
    ),
    real(
        "delay_mean_ms",
        "ms",
        "mean over all packets that reached receivers of the group",
        "Mean one-way delay of data.",
    ),
    real("rtt_mean_ms", "ms", "mean over all round-trip samples of the group", "Mean round-trip time."),
    real(
        "loss_ratio",
        "",
        "sum of drops_packets / sum of packets_sent",
        "Fraction of the group's packets lost; NaN if it sent none in the window.",
    ),
    real(
        "corruption_ratio",
        "",
        "sum of corrupted_packets / sum of packets_sent",
        "Fraction of the group's packets corrupted on links; NaN if it sent none in the window.",
    ),
    real(
        "delay_p50_ms",
        "ms",
        "0.5 quantile of arrival - sending over those packets",
        "Median one-way delay; quantiles of this table are right to 0.4 % or 64 ns.",
    ),
    real("delay_p95_ms", "ms", "0.95 quantile of the same", "One packet in 20 took longer."),
    real("delay_p99_ms", "ms", "0.99 quantile of the same", "One packet in 100 took longer."),
    real(
        "queueing_mean_ms",
        "ms",
        "mean over those packets of the sum of their waiting times in all queues on their way",
        "How long the group's packets waited, the sender's own link included, without transmission.",
    ),
    real("queueing_p50_ms", "ms", "0.5 quantile of those sums", "Median time that a packet waited on its way."),
    real("queueing_p95_ms", "ms", "0.95 quantile of those sums", "One packet in 20 waited longer."),
    real("queueing_p99_ms", "ms", "0.99 quantile of those sums", "One packet in 100 waited longer."),
    real(
        "rtt_p50_ms",
        "ms",
        "0.5 quantile of the senders' round-trip samples",
        "Median round-trip time; NaN where no sender measures it.",
    ),
    real("rtt_p95_ms", "ms", "0.95 quantile of those samples", "One sample in 20 was longer."),
    real("rtt_p99_ms", "ms", "0.99 quantile of those samples", "One sample in 100 was longer."),
    count("completions", "", "number of transfers finished", "Whole run, warm-up included."),
    real(
        "completion_mean_s",
        "s",
        "mean of duration_s of the table completion",
        "Mean time from the request to the last acknowledgement; NaN if no transfer was finished.",
    ),
    real("completion_p50_s", "s", "0.5 quantile of those durations", "Median completion time."),
    real("completion_p95_s", "s", "0.95 quantile of those durations", "One transfer in 20 took longer."),
    real("completion_p99_s", "s", "0.99 quantile of those durations", "One transfer in 100 took longer."),
    real(
        "fairness_index",
        "",
        "(sum x)^2 / (n * sum x^2) with x = flow.throughput_bps",
        "Fairness inside the group, over the flows that were there for 95 % of the window; of all groups together only where \
              all their data go over one observed link.",
    ),
];

/// `latency`: the distributions of what the group's packets and transfers took.
static LATENCY: &[Metric] = &[
    GROUP,
    text(
        "measure",
        "What was timed: `delay` (one way), `queueing` (the part of it in queues), `rtt`, or `completion` of a transfer.",
    ),
    real("duration_ms", "ms", "greatest value of the cell", "Durations up to here, from the previous row's on."),
    count(
        "count",
        "",
        "number of packets, samples or transfers in the cell",
        "Their running sum is the distribution function.",
    ),
];

/// `over_time`: what each group got, interval by interval.
static OVER_TIME: &[Metric] = &[
    GROUP,
    TIME,
    real(
        "throughput_bps",
        "bit/s",
        "8 * bytes that reached the group's receivers in the interval / interval",
        "Throughput of the whole group in the interval that ends here.",
    ),
    real(
        "delay_mean_ms",
        "ms",
        "mean of arrival - sending over the packets that came in the interval",
        "Mean one-way delay; NaN if none came.",
    ),
    real("rtt_mean_ms", "ms", "mean of the samples of the interval", "Mean round-trip time; NaN without samples."),
];

/// `sojourn`: the histogram of waiting times.
static SOJOURN: &[Metric] = &[
    LINK,
    real("sojourn_ms", "ms", "upper edge of the cell", "Waiting times up to here, from the previous row's on."),
    count("packets", "packets", "number of packets in the cell", "Their running sum is the distribution function."),
];

/// `occupancy`: the distribution of the backlog.
static OCCUPANCY: &[Metric] = &[
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
        "As papers measured that sampled the queue; NaN without samples.",
    ),
];

/// `completion`: one row for each finished transfer.
static COMPLETION: &[Metric] = &[
    FLOW,
    GROUP,
    real("started_s", "s", "", "When the application asked for the transfer."),
    real("duration_s", "s", "last acknowledgement - started_s", "How long it took."),
    count("bytes", "bytes", "payload of the transfer", "How large it was."),
];

/// `medium`: one row for each link on a shared medium.
static MEDIUM: &[Metric] = &[
    text("medium", "Name of the medium."),
    text("link", "Name of the link that is a station there."),
    count("attempts", "", "number of frames sent", "Each frame as often as it was sent."),
    count("delivered_packets", "packets", "attempts that were acknowledged", "What arrived."),
    count("collisions", "", "attempts in the same slot as another station's", "Frames lost to contention."),
    count("corruptions", "", "attempts alone on the medium that `loss` corrupted", "Frames lost to errors."),
    count(
        "given_up_packets",
        "packets",
        "packets with 1 + retries attempts in vain",
        "What was lost; in the tables of queues they are `corrupted_packets`, reason `retries`.",
    ),
    real(
        "attempts_mean",
        "",
        "attempts / (delivered_packets + given_up_packets)",
        "How often a packet was sent until it arrived or was given up; NaN if none was.",
    ),
    real("collision_ratio", "", "collisions / attempts", "The conditional collision probability of Bianchi's model."),
];

static BACKLOG: &[Metric] = &[
    LINK,
    TIME,
    count("backlog_packets", "packets", "backlog at that time", "What waits."),
    count("backlog_bytes", "bytes", "backlog at that time", "What waits, headers included."),
];

static PROBE: &[Metric] = &[
    LINK,
    TIME,
    text("probe", "Which of the queue's internals: `avg`, `drop_prob` ..."),
    real("value", "", "value at that time", "In the unit that the queue's documentation says."),
];

static WINDOW: &[Metric] = &[
    FLOW,
    TIME,
    real("cwnd_packets", "packets", "congestion window / segment size", "What may be outstanding."),
    real("ssthresh_packets", "packets", "slow start threshold / segment size", "Infinite before the first loss."),
    real("inflight_packets", "packets", "bytes outstanding / segment size", "By the sender's own count."),
    real("srtt_ms", "ms", "smoothed round-trip time", "NaN before the first sample."),
];

static RATE: &[Metric] = &[
    FLOW,
    TIME,
    real(
        "throughput_bps",
        "bit/s",
        "8 * bytes received since the previous sample / interval",
        "Throughput in the interval that ends here.",
    ),
];

static DROPS: &[Metric] = &[
    LINK,
    TIME,
    FLOW,
    text("event", "What happened: `drop`, `mark`, or `loss` on the link behind the queue."),
    text("reason", "Why, as the queue says; `corruption` on the link."),
    count("size_bytes", "bytes", "size of the packet", "Headers included."),
];

static PACKETS: &[Metric] = &[
    LINK,
    TIME,
    FLOW,
    count("size_bytes", "bytes", "size of the packet", "Headers included."),
    real("sojourn_ms", "ms", "time between arrival and departure from the queue", "How long it waited."),
    text("ecn", "The ECN field as it left."),
];

/// `warnings`: one row for each thing that a check found.
static WARNING: &[Metric] = &[
    text("code", "Which check: one of those below."),
    text("place", "The link or the group of flows that it is about."),
    text("text", "What was found, in a sentence."),
];

/// What a check of a finished run looks for.
#[derive(Clone, Copy, Debug)]
pub struct WarningEntry {
    /// Its name in the table `warnings`.
    pub code: &'static str,
    /// What it means, and what to do.
    pub doc: &'static str,
}

/// All checks, in the order in which they are made.
pub static WARNINGS: &[WarningEntry] = &[
    WarningEntry {
        code: "standstill",
        doc: "A sender's cumulative acknowledgement did not move for longer than three of its timeouts (as they were then, with \
              back-off) while data was out. Its timer was restarted by what is not progress, or its path delivered nothing. The \
              whole run counts, warm-up included.",
    },
    WarningEntry {
        code: "goodput_above_capacity",
        doc: "Receivers got more new payload in the window than the link in front of them could carry in it and in a round trip \
              more. That is a fault of Sojourn.",
    },
    WarningEntry {
        code: "warmup_too_short",
        doc: "The mean delay of a group's packets in the first tenth of the window is off from that in the other nine by more than \
              a fifth and by more than four standard deviations of these. The queue had not settled when the warm-up ended, or what \
              the scenario does at that time does not recur. Not looked for without a warm-up.",
    },
    WarningEntry {
        code: "run_too_short",
        doc: "The window holds fewer than 20 mean round trips of a group: its means, and intervals over replications, say little about \
              a longer run.",
    },
    WarningEntry {
        code: "bucket_below_packet",
        doc: "`profile_burst` is less than a mean packet: the token bucket never holds enough for one, and every packet is Out.",
    },
];

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
    table("medium", None, MEDIUM, "One row for each link on a shared medium; without one, there is no such table."),
    table("backlog", Some("queue"), BACKLOG, "Samples of the backlog of observed queues."),
    table("probe", Some("probes"), PROBE, "Samples of the internals of observed queues."),
    table("window", Some("cwnd"), WINDOW, "Samples of the senders' windows."),
    table("rate", Some("throughput"), RATE, "Throughput of each flow over time."),
    table("drops", Some("drops"), DROPS, "Every drop and mark at observed queues."),
    table("packets", Some("packets"), PACKETS, "Every packet that left an observed queue."),
    table(
        "warnings",
        None,
        WARNING,
        "What a run shows of itself that a reader of its numbers should know; one row for each.",
    ),
];

/// The metric called `table.name`, such as `queue.sojourn_p99_ms`.
pub fn metric(path: &str) -> Option<&'static Metric> {
    let (table, name) = path.split_once('.')?;
    let table = TABLES.iter().find(|entry| entry.name == table)?;
    table.metrics.iter().find(|metric| metric.name == name)
}

/// The same, or a complaint with the nearest name.
pub fn metric_or_complain(path: &str) -> Result<&'static Metric, Complaint> {
    metric(path).ok_or_else(|| {
        let known: Vec<String> = TABLES
            .iter()
            .flat_map(|table| table.metrics.iter().map(|metric| format!("{}.{}", table.name, metric.name)))
            .collect();
        let hint = match nearest(path, known.iter().map(String::as_str)) {
            Some(near) => format!("did you mean {near:?}?"),
            None => "write table.column, such as \"queue.sojourn_p99_ms\"".to_owned(),
        };
        Complaint { what: format!("there is no metric {path:?}"), hint }
    })
}

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

    #[test]
    fn metrics_are_found_by_table_and_column() {
        assert_eq!(metric("queue.loss_ratio").map(|metric| metric.formula), Some("drops_packets / arrivals_packets"));
        assert!(metric_or_complain("queue.los_ratio").expect_err("none").hint.contains("\"queue.loss_ratio\""));
        assert!(metric_or_complain("").is_err());
    }
}
