//! Distributions against the packets of a recorded run, series against totals, and the groups that are compared.

use super::super::shortcuts::Shortcuts;
use super::super::tests::{number, run};
use crate::metrics::{Data, Table};

/// Poisson packets of 1000 bytes at 90 % of 8 Mbit/s: each waits at the bottleneck alone, takes 1 ms there, 8 us on each access link, and
/// 10 ms on its way.
const POISSON: &str = r#"
duration = "40s"
warmup = "0s"
[dumbbell]
rate = "8Mbit"
delay = "10ms"
access = { rate = "1Gbit", delay = "0ms" }
queue = { kind = "fifo", limit = "1000p" }
[[flow]]
name = "call"
transport = { kind = "udp" }
app = { kind = "poisson", rate = "7.2Mbit", packet = "1000B" }
[record]
packets = true
"#;

fn column(tables: &[Table], table: &str, column: &str) -> Vec<f64> {
    let table = tables.iter().find(|candidate| candidate.name == table).expect("a table");
    match table.column(column).expect("a column") {
        Data::F64(values) => values.clone(),
        Data::U64(values) => values.iter().map(|value| *value as f64).collect(),
        Data::Text(_) => panic!("{column} holds names"),
    }
}

fn names<'a>(tables: &'a [Table], table: &str, column: &str) -> Vec<&'a str> {
    let table = tables.iter().find(|candidate| candidate.name == table).expect("a table");
    match table.column(column).expect("a column") {
        Data::Text(values) => values.iter().map(|value| &**value).collect(),
        _ => panic!("{column} holds numbers"),
    }
}

/// The value that `fraction` of them do not exceed.
fn exact(sorted: &[f64], fraction: f64) -> f64 {
    sorted[(fraction * sorted.len() as f64).ceil().max(1.0) as usize - 1]
}

#[test]
fn delays_are_those_of_the_packets_of_a_recorded_run() {
    for shortcuts in [Shortcuts::ALL, Shortcuts::NONE] {
        let tables = run(POISSON, 1, shortcuts);
        let (times, waited) = (column(&tables, "packets", "time_s"), column(&tables, "packets", "sojourn_ms"));
        // The packets that had arrived when the run ended.
        let way_ms = 1.0 + 10.0 + 0.008;
        let arrived = times.iter().zip(&waited).filter(|(time, _)| *time * 1e3 + way_ms <= 40e3);
        let mut waits: Vec<f64> = arrived.map(|(_, wait)| *wait).collect();
        waits.sort_unstable_by(f64::total_cmp);
        let group = |name: &str| number(&tables, "group", name, 0);
        assert!(waits.len() > 30_000);
        let mean = waits.iter().sum::<f64>() / waits.len() as f64;
        // Two queues on the way (the sender's link and this one), each rounded to 32 ns.
        assert!((group("queueing_mean_ms") - mean).abs() < 1e-4, "{mean}");
        for (of, fraction) in [("p50", 0.5), ("p95", 0.95), ("p99", 0.99)] {
            let (wait, in_queues) = (exact(&waits, fraction), group(&format!("queueing_{of}_ms")));
            assert!((in_queues / wait - 1.0).abs() < 0.005, "{of}: {in_queues} for {wait}");
            // Sending takes 8 us on the sender's link, where it seldom waits, and on the receiver's.
            let (delay, found) = (wait + way_ms + 0.008, group(&format!("delay_{of}_ms")));
            assert!((found / delay - 1.0).abs() < 0.005, "{of}: {found} for {delay}");
        }
        let counted = column(&tables, "latency", "count").iter().sum::<f64>();
        assert!((counted - 2.0 * waits.len() as f64).abs() < 0.5, "delay and queueing count each packet once");
    }
}

/// A mix of everything: both directions, one that starts late, transfers.
const MIX: &str = r#"
duration = "20s"
warmup = "4s"
[dumbbell]
rate = "5Mbit"
delay = "10ms"
access = { rate = "50Mbit", delay = ["2ms", "15ms"] }
queue = { kind = "red", limit = "60p" }
[[flow]]
name = "bulk"
count = 4
transport = { kind = "tcp" }
app = { kind = "bulk" }
start = { spread = "1s" }
[[flow]]
name = "late"
transport = { kind = "tcp" }
app = { kind = "bulk" }
start = "10s"
[[flow]]
name = "back"
count = 3
direction = "backward"
transport = { kind = "tcp" }
app = { kind = "bulk" }
[[flow]]
name = "web"
count = 5
transport = { kind = "tcp" }
app = { kind = "transfers", packets = 20, think = "300ms" }
start = { spread = "1s" }
"#;

#[test]
fn round_trips_and_transfers_agree_with_what_is_counted_one_by_one() {
    let tables = run(MIX, 2, Shortcuts::ALL);
    let group = |name: &str, row| number(&tables, "group", name, row);
    let (groups, measures) = (names(&tables, "latency", "group"), names(&tables, "latency", "measure"));
    let (edges, counted) = (column(&tables, "latency", "duration_ms"), column(&tables, "latency", "count"));
    for (row, name) in ["bulk", "late", "back", "web"].iter().enumerate() {
        for (measure, mean) in [("rtt", "rtt_mean_ms"), ("delay", "delay_mean_ms")] {
            let cells = (0..edges.len()).filter(|i| groups[*i] == *name && measures[*i] == measure);
            let (sum, count) = cells.fold((0.0, 0.0), |(sum, n), i| (sum + edges[i] * counted[i], n + counted[i]));
            // The edge of a cell is at most 1/128 above its values.
            let ratio = sum / count / group(mean, row);
            assert!((1.0..1.008).contains(&ratio), "{measure} of {name}: {ratio}");
        }
    }
    let (of, durations) = (names(&tables, "completion", "group"), column(&tables, "completion", "duration_s"));
    let mut took: Vec<f64> =
        durations.into_iter().zip(of).filter(|(_, name)| *name == "web").map(|(took, _)| took).collect();
    took.sort_unstable_by(f64::total_cmp);
    assert!(took.len() > 50, "{}", took.len());
    assert!((group("completions", 3) - took.len() as f64).abs() < 0.5);
    for (name, fraction) in [("completion_p50_s", 0.5), ("completion_p95_s", 0.95), ("completion_p99_s", 0.99)] {
        let found = group(name, 3);
        assert!((found / exact(&took, fraction) - 1.0).abs() < 0.005, "{name}: {found}");
    }
    assert!(group("completion_p50_s", 0).is_nan() && group("completions", 0).abs() < 0.5);
}

#[test]
fn fairness_mixes_neither_directions_nor_late_starters() {
    let tables = run(MIX, 2, Shortcuts::ALL);
    let flows = names(&tables, "flow", "group").into_iter().zip(column(&tables, "flow", "throughput_bps"));
    let flows: Vec<(&str, f64)> = flows.collect();
    let jain = |groups: &[&str]| {
        let rates: Vec<f64> = flows.iter().filter(|(group, _)| groups.contains(group)).map(|(_, rate)| *rate).collect();
        let sum: f64 = rates.iter().sum();
        sum * sum / (rates.len() as f64 * rates.iter().map(|rate| rate * rate).sum::<f64>())
    };
    let of_links = column(&tables, "queue", "fairness_index");
    assert!((of_links[0] - jain(&["bulk", "web"])).abs() < 1e-12, "{of_links:?}");
    assert!((of_links[1] - jain(&["back"])).abs() < 1e-12, "{of_links:?}");
    let of_groups = column(&tables, "group", "fairness_index");
    assert!((of_groups[0] - jain(&["bulk"])).abs() < 1e-12);
    // `late` was not there for most of the window; `all` go two ways.
    assert!(of_groups[1].is_nan() && of_groups[4].is_nan());
    let one_way = run(&MIX.replace("direction = \"backward\"\n", ""), 2, Shortcuts::ALL);
    let together = column(&one_way, "group", "fairness_index")[4];
    assert_eq!(together.to_bits(), column(&one_way, "queue", "fairness_index")[0].to_bits());
}

#[test]
fn the_series_adds_up_to_the_whole_run() {
    let whole = MIX.replace("warmup = \"4s\"", "warmup = \"0s\"");
    let tables = run(&whole, 2, Shortcuts::ALL);
    let (groups, times) = (names(&tables, "over_time", "group"), column(&tables, "over_time", "time_s"));
    let (rates, delays) =
        (column(&tables, "over_time", "throughput_bps"), column(&tables, "over_time", "delay_mean_ms"));
    // 20 s in at most 500 intervals of a round length: 50 ms.
    assert_eq!(times.len(), 4 * 400);
    let mut before = 0.0;
    let mut bits = 0.0;
    for i in (0..times.len()).filter(|i| groups[*i] == "back") {
        bits += rates[i] * (times[i] - before);
        before = times[i];
    }
    let expected = 20.0 * 3.0 * number(&tables, "group", "throughput_mean_bps", 2);
    assert!((bits / expected - 1.0).abs() < 1e-9, "{bits} for {expected}");
    // Nothing came before 10 s.
    assert!((0..times.len()).all(|i| groups[i] != "late" || times[i] > 10.0 || (delays[i].is_nan() && rates[i] < 0.5)));
}
