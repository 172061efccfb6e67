//! The tables `responsiveness` and `quality`.

use super::column::{GROUP, Metric, count, real};

/// `responsiveness`: one row for each group of probes.
pub(super) static RESPONSIVENESS: &[Metric] = &[
    GROUP,
    real(
        "rpm",
        "",
        "(foreign_rpm + loaded_rpm) / 2",
        "Round trips per minute under load. The draft calls below 300 poor, up to 1000 fair, up to 6000 good, above excellent.",
    ),
    real(
        "foreign_rpm",
        "",
        "60000 / ((tcp_f_ms + tls_f_ms + http_f_ms) / 3); without TLS 60000 / ((tcp_f_ms + http_f_ms) / 2)",
        "Round trips per minute on connections of their own.",
    ),
    real("loaded_rpm", "", "60000 / http_l_ms", "Round trips per minute on the connections that load the network."),
    real("tcp_f_ms", "ms", "mean of the shortest 95 % in the window", "How long it took to open a connection."),
    real("tls_f_ms", "ms", "mean of the shortest 95 % in the window", "How long TLS took; NaN without TLS."),
    real("http_f_ms", "ms", "mean of the shortest 95 % in the window", "How long request and answer took."),
    real(
        "http_l_ms",
        "ms",
        "mean of the shortest 95 % of the round trips of flows of `bulk` without end, each flow with the same weight",
        "How long a round trip took on a connection that loads the network.",
    ),
    real("idle_ms", "ms", "least of all exchanges of the run", "The shortest round trip that a probe found."),
    real(
        "added_ms",
        "ms",
        "mean round trip of the probes in the window - idle_ms; NaN if each exchange had a retransmission in it",
        "Latency that the load added. DSLReports' grades: A+ below 5 ms, A below 30, B below 60, C below 200, D below 400, F above.",
    ),
    count("probes", "", "probes that ended in the window", "How many probes were complete."),
    real(
        "rpm_deviation_fraction",
        "",
        "standard deviation of the last 4 moving averages of rpm / the last; each over 4 intervals of a fourth of the window",
        "The draft calls rpm stable below 5 %.",
    ),
    real(
        "goodput_deviation_fraction",
        "",
        "standard deviation of the last 4 moving averages of the load's throughput / the last",
        "The draft measures rpm when this is below 5 %.",
    ),
];

/// `quality`: one row for each group that users judge by something of their own.
pub(super) static QUALITY: &[Metric] = &[
    GROUP,
    real(
        "mos",
        "",
        "ITU-T G.107: opinion of R = 93.2 - Idd - Ie,eff; delay_p99 of the packets and a frame, and the share that is lost or later",
        "Mean opinion score of a call of G.711 (`voice`), 1 to 4.4; above 4 is good, below 3.1 nearly all are dissatisfied.",
    ),
    real(
        "late_fraction",
        "",
        "packets lost or longer on their way than `deadline` / packets that came or were lost",
        "Part of the packets of a `game` that was of no use.",
    ),
    real(
        "video_bitrate_bps",
        "bit/s",
        "8 * bytes of segments / video in them, whole run",
        "Mean bitrate that a `video` was played with.",
    ),
    count(
        "stalls",
        "",
        "times at which the player's buffer was empty, whole run",
        "How often a `video` stalled, all viewers together.",
    ),
    real(
        "stall_fraction",
        "",
        "time of stalls / time since playing began, all viewers together, whole run",
        "Part of the time in which viewers waited, the start itself not counted.",
    ),
    count("rounds", "", "rounds in the window that all workers finished", "How many `rounds` were whole."),
    real(
        "round_slowest_mean_s",
        "s",
        "mean over whole rounds of the last worker's end - the round's begin",
        "How long a round took: until its slowest worker was done.",
    ),
    real("round_slowest_p99_s", "s", "0.99 quantile of the same", "One round in 100 took longer."),
];
