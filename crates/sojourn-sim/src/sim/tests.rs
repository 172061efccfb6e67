//! The engine as a whole: laws that hold whatever the queue, and results that can be worked out by hand.

use super::Simulation;
use super::shortcuts::Shortcuts;
use crate::metrics::{Data, Table};
use crate::registry::QUEUES;
use crate::scenario::plan::Plan;
use crate::units::Instant;

const MIX: &str = r#"
duration = "20s"
warmup = "2s"

[dumbbell]
rate = "5Mbit"
delay = "10ms"
access = { rate = "50Mbit", delay = ["2ms", "15ms"] }
queue = { kind = "QUEUE", limit = "40p" }

[[flow]]
name = "bulk"
count = 6
transport = { kind = "tcp", recovery = "sack", profile = "ns2" }
app = { kind = "bulk" }
start = { at = "0s", spread = "1s" }

[[flow]]
name = "back"
count = 2
direction = "backward"
transport = { kind = "tcp", recovery = "newreno", profile = "rfc" }
app = { kind = "bulk" }

[[flow]]
name = "blast"
transport = { kind = "udp" }
app = { kind = "cbr", rate = "800kbit" }
start = "5s"
"#;

fn cbr(rate: &str, limit: &str) -> String {
    format!(
        r#"
duration = "11s"
warmup = "1s"
[dumbbell]
rate = "8Mbit"
delay = "10ms"
access = {{ rate = "1Gbit", delay = "0ms" }}
queue = {{ kind = "fifo", limit = "{limit}" }}
[[flow]]
name = "cbr"
transport = {{ kind = "udp" }}
app = {{ kind = "cbr", rate = "{rate}", packet = "1000B" }}
"#
    )
}

pub(super) fn plan(text: &str) -> Plan {
    Plan::from_toml(text, "test.toml").unwrap_or_else(|error| panic!("{error}"))
}

pub(super) fn run(text: &str, seed: u64, shortcuts: Shortcuts) -> Vec<Table> {
    let mut simulation = Simulation::with_shortcuts(&plan(text), seed, shortcuts).expect("a plan that runs");
    simulation.advance(simulation.end());
    simulation.finish()
}

/// A run that is over, before its tables are made.
pub(super) fn over(text: &str) -> Simulation {
    let mut simulation = Simulation::with_shortcuts(&plan(text), 1, Shortcuts::ALL).expect("a plan that runs");
    simulation.advance(simulation.end());
    simulation
}

pub(super) fn number(tables: &[Table], table: &str, column: &str, row: usize) -> f64 {
    let table = tables.iter().find(|candidate| candidate.name == table).expect("a table");
    table.number(column, row).unwrap_or_else(|| panic!("no {column} in row {row}"))
}

/// A text as numbers: its length and its bytes.
fn words_of(text: &str) -> impl Iterator<Item = u64> {
    let word = |bytes: &[u8]| bytes.iter().fold(0, |word, byte| (word << 8) | u64::from(*byte));
    std::iter::once(text.len() as u64).chain(text.as_bytes().chunks(8).map(word))
}

#[test]
fn texts_of_one_length_are_told_apart() {
    let bits_of = |text: &str| words_of(text).collect::<Vec<_>>();
    assert_ne!(bits_of("drop"), bits_of("mark"));
    assert_ne!(bits_of("probability"), bits_of("probabilitx"));
    assert_ne!(bits_of(""), bits_of("\0"));
}

/// Tables as bits, so that NaN equals itself.
pub(super) fn bits(tables: &[Table]) -> Vec<(&'static str, &'static str, Vec<u64>)> {
    let of = |data: &Data| match data {
        Data::F64(values) => values.iter().map(|value| value.to_bits()).collect(),
        Data::U64(values) => values.clone(),
        Data::Text(values) => values.iter().flat_map(|value| words_of(value)).collect(),
    };
    tables
        .iter()
        .flat_map(|table| table.columns.iter().map(|column| (table.name, column.name, of(&column.data))))
        .collect()
}

#[test]
fn shortcuts_change_nothing() {
    for queue in ["fifo", "red", "codel", "source_quench", "hop_by_hop"] {
        let text = MIX.replace("QUEUE", queue);
        for seed in [1, 2] {
            assert_eq!(bits(&run(&text, seed, Shortcuts::ALL)), bits(&run(&text, seed, Shortcuts::NONE)), "{queue}");
        }
    }
}

#[test]
fn each_shortcut_alone_changes_nothing() {
    for queue in ["fifo", "red", "codel"] {
        let text = MIX.replace("QUEUE", queue);
        let plain = bits(&run(&text, 3, Shortcuts::NONE));
        for name in Shortcuts::NAMES {
            let shortcuts = Shortcuts::ALL.without(name).expect("a shortcut of that name");
            assert_eq!(bits(&run(&text, 3, shortcuts)), plain, "{queue} without {name}");
        }
    }
    assert_eq!(Shortcuts::ALL.without("haste"), None);
}

/// [`shortcuts_change_nothing`] for each discipline with its defaults and with the settings of each of its presets, with marks and with
/// samples: a discipline that says that it decides on arrival must do so.
#[test]
fn shortcuts_change_nothing_whatever_the_discipline() {
    let sampled =
        "\n[record]\nqueue = \"50ms\"\nprobes = { every = \"70ms\", poisson = true }\ndrops = true\noccupancy = true\n";
    let mix = MIX.replace("recovery = \"sack\"", "recovery = \"sack\", ecn = true").replace("20s", "8s") + sampled;
    for entry in QUEUES {
        let presets = entry.presets.iter().map(|preset| format!(", preset = \"{}\"", preset.name));
        for preset in std::iter::once(String::new()).chain(presets) {
            let kind = |ecn| format!("kind = \"{}\"{preset}{ecn}", entry.name);
            let text = |ecn| mix.replace("kind = \"QUEUE\", limit = \"40p\"", &kind(ecn));
            // A queue that has no marks, or none beside its other settings, refuses them.
            let marks = ", ecn = true";
            let ecn = if Plan::from_toml(&text(marks), "test.toml").is_ok() { marks } else { "" };
            let (kind, text) = (kind(ecn), text(ecn));
            assert_eq!(bits(&run(&text, 1, Shortcuts::ALL)), bits(&run(&text, 1, Shortcuts::NONE)), "{kind}");
        }
    }
}

#[test]
fn shortcuts_change_nothing_where_links_vary() {
    let loss = r#"loss = { kind = "gilbert_elliott", good_to_bad = "0.2%" }"#;
    let jitter = r#"jitter = { mean = "2ms", law = "exponential" }"#;
    let reorder = r#"jitter = { mean = "2ms", reorder = true }"#;
    let changes = r#"changes = [{ at = "5s", rate = "2Mbit" }, { at = "10s", rate = "7Mbit", delay = "3ms" }]"#;
    for keys in [vec![loss], vec![jitter], vec![reorder], vec![changes], vec![loss, reorder, changes]] {
        for queue in ["fifo", "red"] {
            let network = format!("[dumbbell]\n{}", keys.join("\n"));
            let text = MIX.replace("QUEUE", queue).replace("[dumbbell]", &network);
            let (fast, reference) = (run(&text, 1, Shortcuts::ALL), run(&text, 1, Shortcuts::NONE));
            assert_eq!(bits(&fast), bits(&reference), "{keys:?} {queue}");
        }
    }
}

/// Packets of every second, at ticks of the clocks and beside them, from the queue's own host and over an access link.
#[test]
fn silence_at_once_changes_nothing_and_costs_no_events() {
    for queue in ["rem", "pi", "pie"] {
        for access in ["", "access = { rate = \"1Gbit\", delay = \"1ms\" }\n"] {
            let text = format!(
                r#"
duration = "60s"
warmup = "2s"
[dumbbell]
rate = "8Mbit"
delay = "10ms"
{access}queue = {{ kind = "{queue}", ecn = true }}
[[flow]]
transport = "udp"
app = {{ kind = "trace", times_s = [0, 0.002, 0.004, 3, 3.0001, 3.0002, 17.002, 30.0000001, 59] }}
[record]
probes = "7s"
"#
            );
            let whole = bits(&run(&text, 1, Shortcuts::ALL));
            assert_eq!(whole, bits(&run(&text, 1, Shortcuts::NONE)), "{queue} {access}");
            let mut pieces = Simulation::new(&plan(&text), 1).expect("a plan that runs");
            for step in 0..=600 {
                pieces.advance(Instant::from_nanos(step * 100_000_001));
            }
            assert_eq!(whole, bits(&pieces.finish()), "{queue} {access}");
        }
    }
    let hours = cbr("1Mbit", "10p").replace("\"fifo\"", "\"rem\"").replace("11s", "36000s") + "stop = \"2s\"\n";
    let mut run = Simulation::new(&plan(&hours), 1).expect("a plan that runs");
    assert!(run.advance_within(run.end(), 20_000), "18 000 000 periods of 2 ms are not as many events");
}

#[test]
fn the_seed_decides_everything() {
    let text = MIX.replace("QUEUE", "red");

    assert_eq!(bits(&run(&text, 7, Shortcuts::ALL)), bits(&run(&text, 7, Shortcuts::ALL)));
    assert_ne!(bits(&run(&text, 7, Shortcuts::ALL)), bits(&run(&text, 8, Shortcuts::ALL)));
}

#[test]
fn advancing_in_pieces_is_advancing_at_once() {
    let text = MIX.replace("QUEUE", "red");
    let mut pieces = Simulation::new(&plan(&text), 3).expect("a plan that runs");

    for step in 0..=2_000 {
        pieces.advance(Instant::from_nanos(step * 10_000_000));
    }

    assert_eq!(pieces.now(), pieces.end());
    assert_eq!(bits(&pieces.finish()), bits(&run(&text, 3, Shortcuts::ALL)));
}

/// Whether time does not move, jumps or flies: a slice is bounded by its events, wherever it ends. If it ends between flows that stop at
/// one time, those that are still to be stopped hear nothing early.
#[test]
fn advancing_by_events_is_advancing_at_once_and_no_slice_does_more() {
    let going = MIX.replace("QUEUE", "red")
        + "\n[record]\ncwnd = \"50ms\"\nthroughput = { every = \"70ms\", poisson = true }\nqueue = \"30ms\"\n";
    let stopped = going.replace("spread = \"1s\" }", "spread = \"1s\" }\nstop = \"15.01s\"");
    for text in [going, stopped] {
        let whole = bits(&run(&text, 3, Shortcuts::ALL));
        assert_eq!(bits(&run(&text, 3, Shortcuts::NONE)), whole);
        for events in [1, 7, 1_000, 1_000_000] {
            let mut slices = Simulation::new(&plan(&text), 3).expect("a plan that runs");
            let mut count = 1;
            while !slices.advance_within(slices.end(), events) {
                count += 1;
            }
            // The 5 Mbit/s of each direction carry more than 400 packets in each of 20 s, or of 15.
            assert!(count * events > 2 * 400 * 15, "{count} slices of {events} events");
            assert_eq!(slices.now(), slices.end());
            assert_eq!(bits(&slices.finish()), whole, "{events}");
        }
    }
}

#[test]
fn a_constant_rate_below_the_links_never_waits_and_fills_its_part() {
    let tables = run(&cbr("2Mbit", "10p"), 1, Shortcuts::ALL);

    assert!((number(&tables, "queue", "utilisation", 0) - 0.25).abs() < 0.001);
    assert_eq!(number(&tables, "queue", "sojourn_max_ms", 0).to_bits(), 0.0_f64.to_bits());
    assert!((number(&tables, "flow", "goodput_bps", 0) / 2e6 - 1.0).abs() < 0.04, "payload of the packets sent");
    assert!((number(&tables, "flow", "throughput_bps", 0) / 2e6 - 1.0).abs() < 0.001);
}

#[test]
fn a_constant_rate_above_the_links_loses_the_excess_and_keeps_the_buffer_full() {
    // 10 Mbit/s into 8: a fifth is lost. 10 packets of 1 ms wait before an accepted packet,
    // less the part of a packet time until the slot becomes free.
    let tables = run(&cbr("10Mbit", "10p"), 1, Shortcuts::ALL);

    assert!((number(&tables, "queue", "loss_ratio", 0) - 0.2).abs() < 0.001);
    assert!((number(&tables, "queue", "utilisation", 0) - 1.0).abs() < 0.001);
    assert!((number(&tables, "queue", "sojourn_mean_ms", 0) - 9.5).abs() <= 0.5);
    assert!(number(&tables, "queue", "backlog_mean_packets", 0) > 9.0);
}

/// One packet of 1000 bytes each 4 s on a link of 8 kbit/s: it is busy from 0 to 1, 4 to 5 and 8 to 9 s.
const SELDOM: &str = r#"
duration = "8.5s"
warmup = "4.25s"
[dumbbell]
rate = "8kbit"
delay = "1ms"
access = { rate = "10Gbit", delay = "0ms" }
queue = { kind = "QUEUE", limit = "10p" }
[[flow]]
transport = { kind = "udp" }
app = { kind = "cbr", rate = "2kbit", packet = "1000B" }
"#;

#[test]
fn a_packet_in_transmission_when_the_window_begins_or_ends_counts_in_part() {
    for queue in ["fifo", "red", "codel"] {
        let tables = run(&SELDOM.replace("QUEUE", queue), 1, Shortcuts::ALL);

        // 0.75 s of the second packet and 0.5 s of the third in 4.25 s, less the 800 ns that it takes to come there.
        let used = number(&tables, "queue", "utilisation", 0);
        assert!((used - 1.25 / 4.25).abs() < 1e-6, "{queue}: {used}");
        assert_eq!(number(&tables, "queue", "departures_packets", 0).to_bits(), 1.0_f64.to_bits());
    }
}

#[test]
fn a_packet_that_is_longer_than_the_run_does_not_use_more_than_the_link() {
    let text = SELDOM.replace("warmup = \"4.25s\"", "").replace("8.5s", "1s").replace("8kbit", "64kbit");
    let text = text.replace("\"2kbit\", packet = \"1000B\"", "\"1Mbit\", packet = \"65535B\"").replace("QUEUE", "fifo");
    let text = text.replace("kind = \"udp\"", "kind = \"udp\", packet = \"65535B\"");
    let tables = run(&text, 1, Shortcuts::ALL);

    // 65535 bytes take 8 s: the link is busy from 52 us on, when the first has come over 10 Gbit/s.
    let used = number(&tables, "queue", "utilisation", 0);
    assert!((used - (1.0 - 65535.0 * 8.0 / 10e9)).abs() < 1e-9, "{used}");
}

/// Windows that begin, or end, where much is still on its way: no ratio is infinite, no maximum below its mean, and no
/// link is used more than fully.
#[test]
fn no_table_has_an_impossible_number() {
    let graph = r#"
duration = "5s"
node = [{ name = "a" }, { name = "b" }]
[[link]]
from = "a"
to = "b"
rate = "100kbit"
delay = "5ms"
[[flow]]
from = "a"
to = "b"
count = 20
"#;
    let stopped = r#"
duration = "3s"
warmup = "1.5s"
[dumbbell]
rate = "10kbit"
delay = "10ms"
access = { rate = "100kbit", delay = "1ms" }
queue = { kind = "QUEUE", limit = "5p" }
[[flow]]
transport = { kind = "udp" }
app = { kind = "cbr", rate = "1Mbit" }
stop = "1.49s"
"#;
    let standing = stopped.replace("3s", "10.5s").replace("1.5s", "10s").replace("1.49s", "8s").replace("5p", "100p");
    let standing = standing.replace("10kbit", "8kbit").replace("100kbit", "10Mbit").replace("1Mbit", "2Mbit");
    let late = stopped.replace("1.49s", "1s").replace("10kbit", "200kbit").replace("5p", "40p");
    let mut cases = vec![graph.to_owned(), cbr("8Mbit", "10p"), cbr("20Mbit", "3p")];
    for queue in ["fifo", "red", "codel", "fq_codel"] {
        cases.extend([stopped, &standing, &late, MIX].map(|text| text.replace("QUEUE", queue)));
    }
    for text in cases {
        let tables = run(&text, 1, Shortcuts::ALL);
        for (table, column, values) in tables.iter().flat_map(|table| {
            table.columns.iter().filter_map(move |column| match &column.data {
                Data::F64(values) => Some((table.name, column.name, values)),
                Data::U64(_) | Data::Text(_) => None,
            })
        }) {
            let is_possible = |value: &f64| !value.is_infinite() && (column != "utilisation" || *value <= 1.0);
            // The threshold of a window that was never cut is infinite.
            assert!(values.iter().all(is_possible), "{table}.{column}: {values:?}\n{text}");
        }
        let queues = tables.iter().find(|table| table.name == "queue").map_or(0, |table| table.columns[0].data.len());
        for row in 0..queues {
            let of = |column| number(&tables, "queue", column, row);
            assert!(of("backlog_max_packets") >= of("backlog_mean_packets"), "{text}");
            assert!(of("sojourn_max_ms").is_nan() || of("sojourn_max_ms") >= of("sojourn_mean_ms"), "{text}");
        }
    }
}

#[test]
fn a_flow_bound_by_its_window_sends_one_window_in_each_round_trip() {
    // 10 packets of 1000 bytes in an RTT of 40 ms + 6 transmissions (4 of data at 1, 1, 0.1 ms, ...).
    let text = r#"
duration = "21s"
warmup = "1s"
[dumbbell]
rate = "8Mbit"
delay = "20ms"
access = { rate = "1Gbit", delay = "0ms" }
queue = { kind = "fifo", limit = "100p" }
[[flow]]
name = "one"
transport = { kind = "tcp", recovery = "sack", profile = "ns2", window = "10p" }
app = { kind = "bulk" }
"#;
    let tables = run(text, 1, Shortcuts::ALL);

    // Data: 8 us + 1 ms + 8 us; ACK of 40 bytes: 0.32 us + 40 us + 0.32 us; propagation 40 ms.
    let rtt = 0.040 + 0.001 + 2.0 * 8e-6 + 40e-6 + 2.0 * 0.32e-6;
    let expected = 10.0 * 8000.0 / rtt;
    let measured = number(&tables, "flow", "throughput_bps", 0);
    assert!((measured / expected - 1.0).abs() < 0.005, "{measured} against {expected}");
    assert_eq!(number(&tables, "flow", "retransmits", 0).to_bits(), 0.0_f64.to_bits());
}

#[test]
fn what_arrives_at_a_queue_leaves_it_or_is_dropped() {
    for queue in ["fifo", "red", "codel", "fq_codel", "source_quench", "hop_by_hop"] {
        let text = MIX.replace("QUEUE", queue).replace("warmup = \"2s\"", "warmup = \"0s\"");
        let tables = run(&text, 5, Shortcuts::ALL);

        for row in 0..2 {
            let count = |column| number(&tables, "queue", column, row);
            let waiting = count("arrivals_packets") - count("departures_packets") - count("drops_packets");
            assert!((0.0..=40.0).contains(&waiting), "{queue}: {waiting} are missing");
        }
        let drops: f64 = (0..9).map(|flow| number(&tables, "flow", "drops_packets", flow)).sum();
        assert!(drops <= number(&tables, "queue", "drops_packets", 0) + number(&tables, "queue", "drops_packets", 1));
    }
}

#[test]
fn poisson_samples_come_at_exponential_times_and_rates_hold_for_the_time_between() {
    let text = MIX.replace("QUEUE", "red") + "\n[record]\nthroughput = { every = \"20ms\", poisson = true }\n";
    let tables = run(&text, 1, Shortcuts::ALL);
    let series = tables.iter().find(|table| table.name == "rate").expect("asked for");
    let reals = |name: &str| match series.column(name).expect("a column") {
        Data::F64(values) => values.clone(),
        _ => panic!("{name} has reals"),
    };
    let Data::U64(flows) = series.column("flow").expect("a column") else { panic!("flows are numbers") };
    let (times, rates) = (reals("time_s"), reals("throughput_bps"));
    let of_first: Vec<(f64, f64)> =
        (0..flows.len()).filter(|&row| flows[row] == 0).map(|row| (times[row], rates[row])).collect();
    let gaps: Vec<f64> = of_first.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
    let n = gaps.len() as f64;
    let mean = gaps.iter().sum::<f64>() / n;
    let sd = libm::sqrt(gaps.iter().map(|gap| (gap - mean) * (gap - mean)).sum::<f64>() / n);

    // 20 s: about 1000 gaps. The standard error of their mean is 3 % of it, and an exponential law has its mean for a deviation.
    assert!((mean / 0.02 - 1.0).abs() < 0.1, "{mean}");
    assert!((sd / mean - 1.0).abs() < 0.15, "{sd}");
    // The sum over all gaps is the total: whole packets.
    let bits: f64 =
        of_first.iter().scan(0.0, |last, &(time, rate)| Some((time - std::mem::replace(last, time)) * rate)).sum();
    assert!((bits / 8.0 - libm::round(bits / 8.0)).abs() < 1e-3 && bits > 1e6, "{bits}");
}

#[test]
fn packets_of_both_ends_carry_what_their_flow_declares() {
    let text = "duration = \"2s\"\n[dumbbell]\nrate = \"5Mbit\"\ndelay = \"10ms\"\nqueue = \"fifo\"\n[record]\npcap = true\n\
                [[flow]]\ndscp = \"AF21\"\npriority = 3\n[[flow]]\ntransport = \"udp\"\napp = { kind = \"cbr\", rate = \"1Mbit\" }\n\
                dscp = 46\n[[flow]]\n";
    let mut simulation = Simulation::new(&plan(text), 1).expect("a valid plan");
    simulation.advance(simulation.end());

    let mut seen = [[0; 2]; 3];
    for (link, capture) in simulation.take_captures().links.iter().enumerate() {
        for packet in capture.sent.iter().map(|frame| frame.packet) {
            let flow = packet.flow.0 as usize;
            seen[flow][link] += 1;
            assert_eq!((packet.dscp.number(), packet.priority), [(18, 3), (46, 0), (0, 0)][flow]);
        }
    }
    assert!(seen[0].iter().all(|count| *count > 100) && seen[1][0] > 100 && seen[2].iter().all(|count| *count > 100));
}

#[test]
fn what_is_declared_out_is_dropped_first() {
    let flow = |name: &str| {
        format!("[[flow]]\nname = \"{name}\"\ncount = 5\nservice = \"{name}\"\nstart = {{ spread = \"1s\" }}\n")
    };
    let text = format!(
        "duration = \"20s\"\n[dumbbell]\nrate = \"5Mbit\"\ndelay = \"10ms\"\n\
         queue = {{ kind = \"rio\", preset = \"paper\", limit = \"60p\" }}\n{}{}",
        flow("in"),
        flow("out")
    );
    let tables = run(&text, 1, Shortcuts::ALL);
    let groups = tables.iter().find(|table| table.name == "group").expect("always there");
    let Data::F64(loss) = groups.column("loss_ratio").expect("a column") else { panic!("a ratio") };

    assert!(loss[1] > 2.0 * loss[0] && loss[1] > 0.01, "in {} and out {}", loss[0], loss[1]);
    assert_eq!(bits(&tables), bits(&run(&text, 1, Shortcuts::NONE)));
}

const WINDOWS: &str = r#"
duration = "1s"
[dumbbell]
rate = "8Mbit"
delay = "10ms"
queue = { kind = "fifo", limit = "1000000000p" }
[[flow]]
count = 2
transport = { kind = "tcp", control = { kind = "none", window = 200000 } }
"#;

#[test]
fn an_event_that_makes_more_packets_than_fit_ends_the_run() {
    for memory in [1_000_000, 30_000_000] {
        let mut simulation = Simulation::new(&plan(WINDOWS), 1).expect("a network");
        simulation.limit_memory(memory);
        let end = simulation.end();
        let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| simulation.advance(end)));
        let why = ended.expect_err("two windows of 200,000 packets");
        let full = why.downcast_ref::<crate::pool::OutOfMemory>().expect("the reason");
        assert!(full.bytes > memory, "{full:?} of {memory}");
    }
}

#[test]
fn a_network_is_made_only_as_long_as_somebody_waits_for_it() {
    let many = plan(&WINDOWS.replace("count = 2", "count = 50000"));
    let mut asked = 0;
    let made = Simulation::from_plan_while(many.clone(), 1, &mut || {
        asked += 1;
        asked < 3
    });
    assert_eq!(made.err(), Some(super::PlanError::Stopped));
    assert_eq!(asked, 3);
    assert!(Simulation::from_plan_while(many, 1, &mut || true).is_ok());
}
