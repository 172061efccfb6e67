//! Sources, queues and links together against closed forms, and many short flows in constant memory.

use super::Simulation;
use super::shortcuts::Shortcuts;
use super::tests::{number, plan, run};
use crate::metrics::{Data, Table};
use crate::units::Instant;

/// A link of 4 Mbit/s that serves 100 packets of 5000 bytes a second, under Poisson arrivals.
fn poisson(load: f64, size_law: &str, seconds: u32) -> Vec<Table> {
    let text = format!(
        r#"
duration = "{duration}s"
warmup = "10s"
node = [{{ name = "a" }}, {{ name = "b" }}]
[[link]]
from = "a"
to = "b"
rate = "4Mbit"
delay = "1ms"
queue = {{ kind = "fifo", limit = "1000000p" }}
[[flow]]
from = "a"
to = "b"
transport = {{ kind = "udp", packet = "65535B" }}
app = {{ kind = "poisson", rate = "{rate}kbit", packet = "5000B", size_law = "{size_law}" }}
"#,
        duration = seconds + 10,
        rate = 4000.0 * load,
    );
    run(&text, 1, Shortcuts::ALL)
}

/// Standard error in milliseconds of the mean wait of n packets in M/M/1 with 100 services a second. Waits
/// are correlated: the sum of their covariances is rho (2 + 5 rho - 4 rho^2 + rho^3) / (1 - rho)^4
/// service times squared (Blomqvist 1967).
fn wait_error(load: f64, n: f64) -> f64 {
    let sum = load * (2.0 + 5.0 * load - 4.0 * load * load + load * load * load) / (1.0 - load).powi(4);
    10.0 * libm::sqrt(sum / n)
}

#[test]
fn the_wait_in_m_m_1_is_that_of_the_closed_form() {
    let (load, seconds) = (0.5, 6000);
    let tables = poisson(load, "exponential", seconds);
    let n = 100.0 * load * f64::from(seconds);
    let queue = |column| number(&tables, "queue", column, 0);

    // W_q = rho / (mu - lambda), and Little's law.
    assert!((queue("sojourn_mean_ms") - 10.0).abs() < 4.0 * wait_error(load, n), "{}", queue("sojourn_mean_ms"));
    let backlog_near = 4.0 * wait_error(load, n) / 10.0 * 0.5 + 4.0 * 0.5 / libm::sqrt(n);
    assert!((queue("backlog_mean_packets") - 0.5).abs() < backlog_near, "{}", queue("backlog_mean_packets"));
    // P(W > t) = rho exp(-(mu - lambda) t): the 0.99 quantile is ln(50) / 50 s. The covariances make
    // packets count for a thirtieth; the density there is 0.5 per second.
    let quantile_near = 4.0 * libm::sqrt(0.01 * 0.99 * 30.0 / n) / 0.5 * 1e3;
    let expected = libm::log(50.0) / 50.0 * 1e3;
    assert!((queue("sojourn_p99_ms") - expected).abs() < quantile_near, "{} not {expected}", queue("sojourn_p99_ms"));
    // Nothing waits while at most one packet is in the system: 1 - rho^2. Busy cycles last about 40 ms.
    let empty_near = 4.0 * libm::sqrt(0.75 * 0.25 * 0.04 / f64::from(seconds));
    assert!((queue("empty_fraction") - 0.75).abs() < empty_near, "{}", queue("empty_fraction"));
}

#[test]
fn the_wait_in_m_d_1_is_half_of_that() {
    for (load, expected) in [(0.5, 5.0), (0.8, 20.0)] {
        let seconds = 5000;
        let tables = poisson(load, "fixed", seconds);
        let measured = number(&tables, "queue", "sojourn_mean_ms", 0);

        // Pollaczek and Khinchine: rho / (2 mu (1 - rho)). The waits vary less than in M/M/1.
        let tolerance = 4.0 * wait_error(load, 100.0 * load * f64::from(seconds)) / 2.0;
        assert!((measured - expected).abs() < tolerance, "{load}: {measured} not {expected} within {tolerance}");
    }
}

/// A constant rate of 4 Mbit/s, 500 packets a second, over a link of `rate` with more keys.
fn over_link(rate: &str, keys: &str) -> String {
    format!(
        r#"
duration = "101s"
warmup = "1s"
node = [{{ name = "a" }}, {{ name = "b" }}]
[[link]]
from = "a"
to = "b"
rate = "{rate}"
delay = "1ms"
queue = {{ kind = "fifo", limit = "50p" }}
{keys}
[[flow]]
from = "a"
to = "b"
transport = "udp"
app = {{ kind = "cbr", rate = "4Mbit", packet = "1000B" }}
[record]
drops = true
"#
    )
}

fn texts<'a>(tables: &'a [Table], table: &str, column: &str) -> Vec<&'a str> {
    let table = tables.iter().find(|candidate| candidate.name == table).expect("a table");
    match &table.columns.iter().find(|candidate| candidate.name == column).expect("a column").data {
        Data::Text(values) => values.iter().map(|value| &**value).collect(),
        Data::F64(_) | Data::U64(_) => panic!("{column} has no texts"),
    }
}

#[test]
fn corruption_is_counted_apart_from_congestion() {
    let tables = run(&over_link("8Mbit", r#"loss = { kind = "uniform", probability = "2%" }"#), 1, Shortcuts::ALL);
    let count = |table, column| number(&tables, table, column, 0);

    // 50 000 packets: 1000 losses with standard deviation sqrt(980).
    let corrupted = count("flow", "corrupted_packets");
    assert!((corrupted - 1000.0).abs() < 4.0 * libm::sqrt(980.0), "{corrupted}");
    assert_eq!(count("queue", "corrupted_packets").to_bits(), corrupted.to_bits());
    assert!((count("group", "corruption_ratio") - corrupted / count("flow", "packets_sent")).abs() < 1e-12);
    for (table, column) in [("queue", "drops_packets"), ("flow", "drops_packets"), ("flow", "loss_ratio")] {
        assert_eq!(count(table, column).to_bits(), 0.0_f64.to_bits(), "{table}.{column}");
    }
    assert_eq!((texts(&tables, "reasons", "event")[0], texts(&tables, "reasons", "reason")[0]), ("loss", "corruption"));
    assert_eq!(count("reasons", "packets").to_bits(), corrupted.to_bits());
    assert!(texts(&tables, "drops", "event").iter().all(|event| *event == "loss"));
    // Corrupted packets have used the link: 4 of 8 Mbit/s, and 98 % of them arrive.
    assert!((count("queue", "utilisation") - 0.5).abs() < 1e-3);
    let received = count("flow", "throughput_bps");
    assert!((received - (4e6 - corrupted * 80.0)).abs() < 400.0, "{received}");
}

#[test]
fn congestion_and_corruption_add_up() {
    // 2 Mbit/s of 4 are dropped by the queue; a quarter of the sent packets is corrupted.
    let tables = run(&over_link("2Mbit", r#"loss = { kind = "uniform", probability = "25%" }"#), 1, Shortcuts::ALL);
    let flow = |column| number(&tables, "flow", column, 0);

    assert!((flow("loss_ratio") - 0.5).abs() < 0.002, "{}", flow("loss_ratio"));
    // 25 000 transmissions, standard deviation 68.
    assert!((flow("corrupted_packets") - 6250.0).abs() < 4.0 * 68.5, "{}", flow("corrupted_packets"));
    let reasons = texts(&tables, "reasons", "reason");
    assert_eq!(reasons, ["overflow", "corruption"]);
}

#[test]
fn a_saturated_link_is_full_at_every_rate_that_it_takes() {
    // 3 Mbit/s until 51 s, then 1 Mbit/s: 2 Mbit/s in the mean of the measured 100 s.
    let tables = run(&over_link("3Mbit", r#"changes = [{ at = "51s", rate = "1Mbit" }]"#), 1, Shortcuts::ALL);
    let queue = |column| number(&tables, "queue", column, 0);

    assert!((queue("utilisation") - 1.0).abs() < 1e-3, "{}", queue("utilisation"));
    assert!((queue("throughput_bps") / 2e6 - 1.0).abs() < 1e-3, "{}", queue("throughput_bps"));
}

#[test]
fn a_change_of_delay_is_seen_by_the_round_trips() {
    let text = r#"
duration = "41s"
warmup = "1s"
[dumbbell]
rate = "8Mbit"
delay = "20ms"
access = { rate = "1Gbit", delay = "0ms" }
changes = [{ at = "21s", delay = "50ms" }]
[[flow]]
transport = { kind = "tcp", profile = "linux", window = "4p" }
"#;
    let tables = run(text, 1, Shortcuts::ALL);

    // A window in each round trip: n/40 ms + transmissions in the first half, n/100 ms in the second.
    // Weighted by samples the mean is 2 / (1/41 + 1/101) ms.
    let expected = 2.0 / (1.0 / 41.1 + 1.0 / 101.1);
    let measured = number(&tables, "flow", "rtt_mean_ms", 0);
    assert!((measured / expected - 1.0).abs() < 0.06, "{measured} not {expected}");
}

#[test]
fn the_one_way_delay_is_the_way_and_what_waits_on_it() {
    // Two times 500 datagrams a second of 1 ms each. Those of the second flow come 25 ms later, between the others: none waits.
    let text = r#"
duration = "11s"
warmup = "1s"
[dumbbell]
rate = "8Mbit"
delay = "20ms"
access = { rate = "8Gbit", delay = "0ms" }
[[flow]]
name = "near"
transport = { kind = "udp", packet = "1000B" }
app = { kind = "cbr", rate = "4Mbit" }
[[flow]]
name = "far"
transport = { kind = "udp", packet = "1000B" }
app = { kind = "cbr", rate = "4Mbit" }
access = { rate = "8Gbit", delay = "25ms" }
"#;
    let tables = run(text, 1, Shortcuts::ALL);
    let delays =
        [("flow", 0), ("flow", 1), ("group", 2)].map(|(table, row)| number(&tables, table, "delay_mean_ms", row));
    // Transmissions of 1 us, 1 ms and 1 us.
    for (measured, expected) in delays.into_iter().zip([21.002, 71.002, 46.002]) {
        assert!((measured - expected).abs() < 1e-6, "{measured} not {expected}");
    }
}

#[test]
fn transfers_end_over_links_that_lose_and_reorder() {
    let text = r#"
duration = "300s"
[dumbbell]
rate = "8Mbit"
delay = "20ms"
loss = "gilbert_elliott"
jitter = { mean = "5ms", law = "exponential", reorder = true }
[[flow]]
count = 10
transport = { kind = "tcp", recovery = "sack", profile = "rfc" }
app = { kind = "bulk", packets = 300 }
"#;
    let tables = run(text, 1, Shortcuts::ALL);
    for flow in 0..10 {
        assert_eq!(number(&tables, "flow", "completions", flow).to_bits(), 1.0_f64.to_bits(), "flow {flow}");
    }
    // 3000 packets or more meet 15 bad states in the mean.
    let corrupted: f64 = (0..10).map(|flow| number(&tables, "flow", "corrupted_packets", flow)).sum();
    assert!(corrupted > 0.0);
}

/// Two uploads for a minute, whose senders restart their timers as `restart` says; returns their rows of the table `warnings`.
fn warnings_of_two_uploads(restart: &str, seed: u64) -> Vec<String> {
    let text = r#"
duration = "60s"
warmup = "5s"
[dumbbell]
rate = "10Mbit"
delay = "10ms"
mean_packet = "1500B"
queue = { kind = "fifo", limit = "100p" }
[[flow]]
name = "up"
count = 2
transport = { kind = "tcp", profile = "rfc", packet = "1500B", control = "cubic", rto_restart = "RESTART" }
app = { kind = "bulk" }
start = { spread = "2s" }
"#;
    let tables = run(&text.replace("RESTART", restart), seed, Shortcuts::ALL);
    let warnings = tables.iter().find(|table| table.name == "warnings").expect("a table");
    let column = |name| match warnings.column(name) {
        Some(Data::Text(values)) => values.iter().cloned().collect::<Vec<_>>(),
        _ => unreachable!("names"),
    };
    let rows = column("code").into_iter().zip(column("place")).zip(column("text"));
    rows.map(|((code, place), said)| format!("{code} {place}: {said}")).collect()
}

#[test]
fn no_upload_stands_still_beside_another() {
    for seed in [7, 8, 15] {
        assert_eq!(warnings_of_two_uploads("acks", seed), [""; 0], "seed {seed}");
        // A repair of one of the two is lost, and others are sent until the end: it gets nothing more.
        let said = warnings_of_two_uploads("retransmissions", seed);
        assert!(said.len() == 1 && said[0].starts_with("standstill up: 1 of 2 flows"), "seed {seed}: {said:?}");
    }
}

#[test]
fn thousands_of_short_flows_come_and_go_in_constant_memory() {
    let text = r#"
duration = "130s"
[dumbbell]
rate = "20Mbit"
delay = "10ms"
queue = { kind = "fifo", limit = "100p" }
[[flow]]
name = "mice"
count = 100
transport = { kind = "tcp", profile = "linux" }
app = { kind = "mice", transfers = 80, within = "100s", packets_max = 1000 }
"#;
    let mut simulation = Simulation::new(&plan(text), 1).expect("a plan that runs");
    let at = |seconds: u64| Instant::from_nanos(seconds * 1_000_000_000);

    simulation.advance(at(30));
    let early = simulation.outbox.pool.places();
    simulation.advance(simulation.end());

    // Data in the buffer, on the way (20 Mbit/s * 20 ms: 50 packets) and in access links fed by 100 senders, and
    // the acknowledgements of as many; an event for each, and the timers of the ends.
    let places = simulation.outbox.pool.places();
    assert!(places <= 2 * (100 + 50) + 100 * 10, "{places}, {early} after 30 s");
    assert!(simulation.events.len() <= 4 * 100, "{} events after the last mouse", simulation.events.len());
    let tables = simulation.finish();
    let done: f64 = (0..100).map(|flow| number(&tables, "flow", "completions", flow)).sum();
    assert_eq!(done.to_bits(), 8000.0_f64.to_bits());
}

/// Utilisation and the 95th percentile of the wait in milliseconds of a sender without losses, alone on a link of 1 Mbit/s.
fn alone(transport: &str) -> (f64, f64) {
    let text = format!(
        r#"
duration = "120s"
warmup = "60s"
[dumbbell]
rate = "1Mbit"
delay = "25ms"
queue = {{ kind = "fifo", limit = "300p" }}
[[flow]]
transport = "{transport}"
app = "bulk"
"#
    );
    let tables = run(&text, 1, Shortcuts::ALL);
    assert!(number(&tables, "queue", "loss_ratio", 0) < 1e-9);
    (number(&tables, "queue", "utilisation", 0), number(&tables, "queue", "sojourn_p95_ms", 0))
}

#[test]
fn on_a_link_of_its_own_scream_keeps_the_queue_below_its_target_and_fills_the_link() {
    let (used, wait) = alone("scream");
    assert!((0.6..1.0).contains(&used), "{used}");
    // The window falls by half of the excess over 30 ms, and by half at 60 ms; a frame of 20 ms comes at once.
    assert!(wait < 60.0 + 20.0, "{wait}");
}

#[test]
fn on_a_link_of_its_own_gcc_settles_below_the_rate_and_keeps_the_queue_short() {
    let (used, wait) = alone("gcc");
    assert!((0.6..0.99).contains(&used), "{used}");
    // Of 300 packets, 2.9 s, it uses a part.
    assert!(wait < 300.0, "{wait}");
}
