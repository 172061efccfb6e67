//! Columns of the tables of flows and of groups of flows.

use super::column::{FLOW, GROUP, Metric, TIME, count, real, text};

/// `flow`: one row for each flow.
pub(super) static FLOWS: &[Metric] = &[
    FLOW,
    GROUP,
    real("start_s", "s", "drawn from `start`", "When the flow started."),
    real("throughput_bps", "bit/s", "8 * bytes that reached the receiver / window", "Headers and duplicates included."),
    real(
        "goodput_bps",
        "bit/s",
        "8 * payload bytes that came for the first time / window",
        "Useful data, without headers and the SYN, which carries no data. Data behind a hole counts when it comes, \
              not when the hole is filled.",
    ),
    real(
        "delivered_bps",
        "bit/s",
        "8 * payload bytes that the application got / window",
        "As goodput_bps, but data behind a hole counts when the hole is filled: what a TCP sender sees acknowledged in order. \
              The difference is large where flows have few packets and many losses.",
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
        "standard deviation of the sender's round-trip samples (n in the denominator)",
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
        "Packets of the flow that were lost at the queues on the way of its data.",
    ),
    count(
        "marks_packets",
        "packets",
        "number of its packets marked at observed queues: set to CE, or to be marked and CE already",
        "ECN marks.",
    ),
    count(
        "corrupted_packets",
        "packets",
        "number of the flow's data packets lost on links",
        "Losses that are not congestion: packets lost by loss models, on any link of the way of its data.",
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
    real(
        "loss_run_max_packets",
        "packets",
        "longest run of consecutive losses",
        "The worst burst of losses at the links of the table queue; 0 if nothing was lost, NaN if all losses were elsewhere.",
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
        "number of blocks with all data packets arrived",
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
        "number of data packets of all blocks, complete, repaired or lost",
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
pub(super) static GROUPS: &[Metric] = &[
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
        "0.5 quantile of arrival - sending over the packets that reached receivers of the group",
        "Median one-way delay; quantiles of this table are right to 0.4 % or 64 ns.",
    ),
    real(
        "delay_p95_ms",
        "ms",
        "0.95 quantile of arrival - sending over the packets that reached receivers of the group",
        "One packet in 20 took longer one way.",
    ),
    real(
        "delay_p99_ms",
        "ms",
        "0.99 quantile of arrival - sending over the packets that reached receivers of the group",
        "One packet in 100 took longer one way.",
    ),
    real(
        "queueing_mean_ms",
        "ms",
        "mean over the packets that reached receivers of the group of the sum of their waiting times in all queues on their way",
        "How long the group's packets waited, the sender's own link included, without transmission.",
    ),
    real(
        "queueing_p50_ms",
        "ms",
        "0.5 quantile over packets of the sum of their waiting times in all queues on their way",
        "Median time that a packet waited on its way.",
    ),
    real(
        "queueing_p95_ms",
        "ms",
        "0.95 quantile over packets of the sum of their waiting times in all queues on their way",
        "One packet in 20 waited longer on its way.",
    ),
    real(
        "queueing_p99_ms",
        "ms",
        "0.99 quantile over packets of the sum of their waiting times in all queues on their way",
        "One packet in 100 waited longer on its way.",
    ),
    real(
        "rtt_p50_ms",
        "ms",
        "0.5 quantile of the senders' round-trip samples",
        "Median round-trip time; NaN if no sender measures it.",
    ),
    real("rtt_p95_ms", "ms", "0.95 quantile of the senders' round-trip samples", "One round trip in 20 was longer."),
    real("rtt_p99_ms", "ms", "0.99 quantile of the senders' round-trip samples", "One round trip in 100 was longer."),
    count("completions", "", "number of transfers finished", "Whole run, warm-up included."),
    real(
        "completion_mean_s",
        "s",
        "mean of duration_s of the table completion",
        "Mean time from the request to the last acknowledgement; NaN if no transfer was finished.",
    ),
    real("completion_p50_s", "s", "0.5 quantile of duration_s of the table completion", "Median completion time."),
    real(
        "completion_p95_s",
        "s",
        "0.95 quantile of duration_s of the table completion",
        "One transfer in 20 took longer.",
    ),
    real(
        "completion_p99_s",
        "s",
        "0.99 quantile of duration_s of the table completion",
        "One transfer in 100 took longer.",
    ),
    real(
        "fairness_index",
        "",
        "(sum x)^2 / (n * sum x^2) with x = flow.throughput_bps",
        "Fairness inside the group, over the flows that were there for 95 % of the window; of all groups together only if all their data \
         go over one observed link.",
    ),
];

/// `latency`: the distributions of the times of the group's packets and transfers.
pub(super) static LATENCY: &[Metric] = &[
    GROUP,
    text(
        "measure",
        "The time that was measured: `delay` (one way), `queueing` (the part of it in queues), `rtt`, or `completion` of a transfer.",
    ),
    real("duration_ms", "ms", "", "Durations up to here, the greatest value of the cell, from the previous row's on."),
    count(
        "count",
        "",
        "number of packets, samples or transfers in the cell",
        "Their running sum is the distribution function.",
    ),
];

/// `over_time`: each group's throughput and delays, interval by interval.
pub(super) static OVER_TIME: &[Metric] = &[
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

/// `completion`: one row for each finished transfer.
pub(super) static COMPLETION: &[Metric] = &[
    FLOW,
    GROUP,
    real("started_s", "s", "", "When the application asked for the transfer."),
    real("duration_s", "s", "last acknowledgement - started_s", "How long it took."),
    count("bytes", "bytes", "payload of the transfer", "How large it was."),
];

pub(super) static WINDOW: &[Metric] = &[
    FLOW,
    TIME,
    real("cwnd_packets", "packets", "congestion window / segment size", "The segments that may be outstanding."),
    real("ssthresh_packets", "packets", "slow start threshold / segment size", "Infinite before the first loss."),
    real("inflight_packets", "packets", "bytes outstanding / segment size", "By the sender's own count."),
    real("srtt_ms", "ms", "smoothed round-trip time", "NaN before the first sample."),
];

pub(super) static RATE: &[Metric] = &[
    FLOW,
    TIME,
    real(
        "throughput_bps",
        "bit/s",
        "8 * bytes received since the previous sample / interval",
        "Throughput in the interval that ends here.",
    ),
];
