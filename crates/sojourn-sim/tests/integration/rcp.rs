//! RCP as a whole, senders and routers, against the promises of its papers: flows share a link as by processor sharing ([DKZM05] Dukkipati,
//! Kobayashi, Zhang-Shen and McKeown 2005; [DM06] Dukkipati and McKeown 2006).

use super::runs::{number, run, run_with};

/// The round trip of the dumbbells here: 2 (20 + 2 * 10) ms of propagation.
const RTT: f64 = 0.08;

fn dumbbell(seconds: f64, warmup: f64, rate: &str, queue: &str, flows: &str) -> String {
    format!(
        r#"
duration = "{seconds}s"
warmup = "{warmup}s"
[dumbbell]
rate = "{rate}"
delay = "20ms"
access = {{ rate = "1Gbit", delay = "10ms" }}
queue = {queue}
{flows}
"#
    )
}

fn bulk(name: &str, count: usize, start: &str) -> String {
    format!(
        r#"
[[flow]]
name = "{name}"
count = {count}
transport = {{ kind = "tcp", control = "rcp", profile = "linux", packet = "1000B" }}
app = "bulk"
start = {start}
"#
    )
}

#[test]
fn long_flows_fill_the_link_evenly_without_a_queue() {
    let flows = bulk("all", 5, r#"{ at = "0s", spread = "1s" }"#);
    let tables = run(&dumbbell(60.0, 30.0, "20Mbit", "\"rcp\"", &flows));
    let (use_, queue) =
        (number(&tables, "queue", "utilisation", 0), number(&tables, "queue", "backlog_mean_packets", 0));
    println!("{use_:.3} of the link, {queue:.1} packets wait");
    // At rest y = C and q = 0: 200 packets are a bandwidth-delay product.
    assert!(use_ > 0.95 && queue < 20.0, "{use_} {queue}");
    assert!(number(&tables, "queue", "drops_packets", 0) < 1.0);
    let jain = number(&tables, "group", "jain_index", 0);
    assert!(jain > 0.99, "{jain}");
}

#[test]
fn flows_with_different_round_trips_get_the_same_rate() {
    let far = r#"
[[flow]]
name = "far"
count = 2
transport = { kind = "tcp", control = "rcp", profile = "linux", packet = "1000B" }
app = "bulk"
access = { rate = "1Gbit", delay = "40ms" }
"#;
    let flows = bulk("near", 2, r#"{ at = "0s", spread = "1s" }"#) + far;
    let tables = run(&dumbbell(90.0, 40.0, "20Mbit", "\"rcp\"", &flows));
    let [near_rate, far_rate] = [0, 1].map(|row| number(&tables, "group", "throughput_mean_bps", row));
    // [DKZM05] section 2: the router tells all the same rate.
    assert!((far_rate / near_rate - 1.0).abs() < 0.1, "{near_rate} {far_rate}");
}

/// Mean completion time in seconds of connections of `packets` packets that begin as a Poisson process with a load of 0.8 on 50 Mbit/s.
fn completion(control: &str, queue: &str, packets: u64, seed: u64) -> f64 {
    let bytes = packets * 940;
    // Of packets of 1000 bytes.
    let rate = 0.8 * 50e6 / (packets as f64 * 8000.0);
    let flows = format!(
        r#"
[[flow]]
name = "web"
transport = {{ kind = "tcp", control = "{control}", profile = "linux", packet = "1000B", header = "60B" }}
[flow.app]
kind = "packmime"
rate = {rate}
interval_law = "exponential"
request = "0B"
cached = 0
response = "{bytes}B"
response_spread = 0
server_delay = "0s"
"#
    );
    let tables = run_with(&dumbbell(60.0, 15.0, "50Mbit", queue, &flows), seed);
    number(&tables, "flow", "completion_mean_s", 0)
}

#[test]
fn flows_take_about_as_long_as_under_processor_sharing() {
    // [DM06] section 3: 1.5 round trips and L / (C (1 - rho)), whatever the sizes' distribution; here the connection is open after one
    // round trip, and the last acknowledgement comes another one after its packet: 2.
    for packets in [50, 200, 800] {
        let sharing = 2.0 * RTT + packets as f64 * 8000.0 / (50e6 * 0.2);
        // With 200 packets the standard deviation of 24 such runs is 0.05 s, and one in twelve is above 0.5 s: one run says little.
        let rcp = (1..=3).map(|seed| completion("rcp", "\"rcp\"", packets, seed)).sum::<f64>() / 3.0;
        let reno = completion("reno", r#"{ kind = "fifo", limit = "1BDP" }"#, packets, 1);
        println!("{packets} packets: RCP {rcp:.3} s, Reno {reno:.3} s, processor sharing {sharing:.3} s");
        assert!((0.8..1.6).contains(&(rcp / sharing)), "{packets}: {rcp} {sharing}");
    }
}
