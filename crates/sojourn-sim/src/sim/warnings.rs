//! Warnings: findings of a finished run that a reader of its numbers should know. Each check is a function of this file and a line of
//! [`CHECKS`]. [`WARNINGS`](crate::metrics::warning_codes::WARNINGS) has the meaning of its code. Checks run once, after the run, and use
//! numbers that are counted in any case.

use super::capacity;
use super::flow_counts::FlowRow;
use super::state::{ObservedLink, Simulation};
use crate::metrics::Table;
use crate::metrics::column::columns;
use crate::metrics::fairness::mean_and_sd;
use crate::metrics::group::GroupRecorder;
use crate::metrics::queue::QueueRecorder;
use crate::units::{Duration, Instant};

/// A link or a group of flows, and the text about it.
pub(super) type Found = Vec<(String, String)>;

type Check = fn(&Simulation, &[FlowRow]) -> Found;

/// Code and finder.
const CHECKS: [(&str, Check); 10] = [
    ("standstill", standstills),
    ("goodput_above_capacity", capacity::above),
    ("warmup_too_short", warmup_too_short),
    ("run_too_short", run_too_short),
    ("bucket_below_packet", bucket_below_packet),
    ("threshold_above_limit", threshold_above_limit),
    ("drops_at_short_queue", drops_at_short_queue),
    ("drops_instead_of_marks", drops_instead_of_marks),
    ("equal_ways_unused", equal_ways_unused),
    ("nothing_passes", nothing_passes),
];

/// Parts of the window that are compared, ...
const PARTS: usize = 10;
/// ... each with at least this number of packets. The mean of fewer says little.
const PACKETS: u64 = 20;
/// Round trips that a window should have: congestion control answers once in each.
const ROUND_TRIPS: f64 = 20.0;
/// The least number of early drops for the warning. At least one in `ONE_IN` of them finds a short queue.
const EARLY_DROPS: u64 = 20;
const ONE_IN: u64 = 4;

/// `warnings`: one row for each thing that a check found.
pub struct WarningRow {
    code: &'static str,
    place: String,
    said: String,
}

columns! {
    impl<'a> WarningRow {
        /// Name of the check; `sojourn explain CODE` explains it.
        code: Text = |row| row.code;
        /// The link or the group of flows.
        place: Text = |row| &row.place;
        /// The finding, in a sentence.
        text: Text = |row| &row.said;
    }
}

impl Simulation {
    /// Runs all checks, before the run's memory is given back.
    pub(super) fn warning_table(&self, flows: &[FlowRow]) -> Table {
        let found = CHECKS.iter().flat_map(|(code, check)| {
            check(self, flows).into_iter().map(move |(place, said)| WarningRow { code, place, said })
        });
        let rows: Vec<WarningRow> = found.collect();
        Table::of_all("warnings", &rows)
    }
}

fn equal_ways_unused(simulation: &Simulation, _: &[FlowRow]) -> Found {
    let settings = &simulation.settings;
    let flows: usize = settings.unspread.iter().sum();
    let mut groups = settings.group_names.iter().zip(&settings.unspread).filter(|(_, unspread)| **unspread > 0);
    let (Some((first, _)), several) = (groups.next(), groups.next().is_some()) else { return Found::new() };
    if flows < 2 {
        return Found::new();
    }
    let place = if several { "all" } else { first };
    let text =
        format!("{flows} flows have several equal ways, and each takes the one whose links come first in the file");
    vec![(place.to_owned(), text)]
}

fn standstills(simulation: &Simulation, flows: &[FlowRow]) -> Found {
    let names = &simulation.settings.group_names;
    let mut groups = vec![(0_u64, 0_u64, Duration::ZERO, 0_usize); names.len()];
    for (number, flow) in flows.iter().enumerate() {
        let (members, still, longest, of) = &mut groups[flow.group as usize];
        *members += 1;
        *still += u64::from(flow.standstill > Duration::ZERO);
        if flow.standstill > *longest {
            (*longest, *of) = (flow.standstill, number);
        }
    }
    let say = |(name, (members, still, longest, of)): (&String, (u64, u64, Duration, usize))| {
        (still > 0).then(|| {
            let text = format!(
                "{still} of {members} flows had data out and no new acknowledgement for more than three timeouts, flow {of} for \
                 {:.1} s",
                longest.as_secs_f64()
            );
            (name.clone(), text)
        })
    };
    names.iter().zip(groups).filter_map(say).collect()
}

/// The first tenth of the window is unlike each of the others: more than a fifth and four of their standard deviations off.
fn warmup_too_short(simulation: &Simulation, _: &[FlowRow]) -> Found {
    let (from, to) = (simulation.settings.warmup, simulation.now);
    let names = &simulation.settings.group_names;
    let window = to.since(from).as_secs_f64();
    let mut parts = vec![[(0_u64, 0.0_f64); PARTS]; names.len()];
    if from == Instant::ZERO || window <= 0.0 {
        return Vec::new();
    }
    for (group, end, length, interval) in simulation.groups.series(to) {
        let begun = (end.as_secs_f64() - length.as_secs_f64() - from.as_secs_f64()) / window;
        if begun >= 0.0 {
            let (packets, seconds) = &mut parts[group][((begun * PARTS as f64) as usize).min(PARTS - 1)];
            *packets += interval.packets();
            *seconds += interval.delays();
        }
    }
    let say = |(name, tenths): (&String, [(u64, f64); PARTS])| {
        let means = tenths.map(|(packets, seconds)| 1e3 * seconds / packets as f64);
        let (rest, deviation) = mean_and_sd(&means[1..]);
        let off = (means[0] - rest).abs();
        let unlike = off > 0.2 * rest && off > 4.0 * deviation;
        (unlike && tenths.iter().all(|(packets, _)| *packets >= PACKETS)).then(|| {
            let text = format!(
                "its packets took {:.1} ms in the first tenth of the window and {rest:.1} ms in the rest: the warm-up of {} s ends before \
                 the queue has settled",
                means[0],
                from.as_secs_f64()
            );
            (name.clone(), text)
        })
    };
    names.iter().zip(parts).filter_map(say).collect()
}

fn run_too_short(simulation: &Simulation, _: &[FlowRow]) -> Found {
    let window = simulation.window().as_secs_f64();
    let say = |(name, group): (&String, &GroupRecorder)| {
        let round_trip = group.round_trip.mean();
        (window < ROUND_TRIPS * round_trip).then(|| {
            let text = format!(
                "the window of {window} s holds {:.1} of its round trips of {:.1} ms: too few for means and their intervals",
                window / round_trip,
                1e3 * round_trip
            );
            (name.clone(), text)
        })
    };
    simulation.settings.group_names.iter().zip(simulation.groups.all()).filter_map(say).collect()
}

/// A token bucket that holds less than a packet lets none pass.
fn bucket_below_packet(simulation: &Simulation, _: &[FlowRow]) -> Found {
    let say = |link: &ObservedLink| {
        let (bucket, packet) = link.bucket?;
        (bucket < packet).then(|| {
            let text = format!(
                "profile_burst is {bucket} B and a packet has {packet} B in the mean: no packet is ever within its profile"
            );
            (link.name.clone(), text)
        })
    };
    simulation.settings.observed.values().filter_map(say).collect()
}

/// The backlog is never above the limit, so that nothing happens at a threshold above it.
fn threshold_above_limit(simulation: &Simulation, _: &[FlowRow]) -> Found {
    let say = |link: &ObservedLink| {
        let names = link.beyond.join(", ");
        (!names.is_empty()).then(|| (link.name.clone(), format!("{names}: the queue never comes there")))
    };
    simulation.settings.observed.values().filter_map(say).collect()
}

/// RED by the letter of 1993 goes on dropping when the queue has drained, because its average lags.
fn drops_at_short_queue(simulation: &Simulation, _: &[FlowRow]) -> Found {
    let say = |(link, recorder): (&ObservedLink, &QueueRecorder)| {
        let (early, short) = recorder.early_drops();
        (link.drops_at_short && early >= EARLY_DROPS && short * ONE_IN >= early).then(|| {
            let text = format!(
                "{short} of {early} early drops found at most one packet waiting, so that the link falls idle; spare_short = true, as in \
                 ns-2 and ns-3, spares these"
            );
            (link.name.clone(), text)
        })
    };
    simulation.observed_queues().filter_map(say).collect()
}

/// A queue with `ecn = true` and ECN-capable packets should mark.
fn drops_instead_of_marks(simulation: &Simulation, _: &[FlowRow]) -> Found {
    let say = |(link, recorder): (&ObservedLink, &QueueRecorder)| {
        let drops = recorder.capable_drops();
        (link.marks && drops >= EARLY_DROPS && recorder.marks() == 0).then(|| {
            let text = format!(
                "{drops} ECN-capable packets were dropped by the queue's decision and none was marked, although ecn = true; mark_max_p = 2 \
                 marks at every probability, and red:preset=dctcp is DCTCP's step"
            );
            (link.name.clone(), text)
        })
    };
    simulation.observed_queues().filter_map(say).collect()
}

/// A queue that holds no packet of this traffic, by its limit, its burst or its thresholds.
fn nothing_passes(simulation: &Simulation, _: &[FlowRow]) -> Found {
    let say = |(link, recorder): (&ObservedLink, &QueueRecorder)| {
        (recorder.drops() > 0 && recorder.departures() == 0).then(|| {
            let text = format!("no packet left this queue in the window, and {} were dropped", recorder.drops());
            (link.name.clone(), text)
        })
    };
    simulation.observed_queues().filter_map(say).collect()
}

#[cfg(test)]
mod tests {
    use super::CHECKS;
    use crate::metrics::Data;
    use crate::metrics::warning_codes::WARNINGS;
    use crate::sim::shortcuts::Shortcuts;
    use crate::sim::tests::run;

    /// Codes and places of the warnings of a run.
    fn warnings(text: &str) -> Vec<(String, String)> {
        let tables = run(text, 1, Shortcuts::ALL);
        let found = tables.iter().find(|table| table.name == "warnings").expect("a table");
        let column = |name| match found.column(name) {
            Some(Data::Text(values)) => values.iter().map(|value| (**value).to_owned()).collect::<Vec<_>>(),
            _ => panic!("no {name}"),
        };
        column("code").into_iter().zip(column("place")).collect()
    }

    fn bulk(duration: &str, warmup: &str, queue: &str) -> String {
        format!(
            r#"
duration = "{duration}"
warmup = "{warmup}"
[dumbbell]
rate = "5Mbit"
delay = "20ms"
queue = {{ {queue} }}
[[flow]]
name = "bulk"
count = 4
start = {{ spread = "1s" }}
transport = {{ kind = "tcp" }}
app = {{ kind = "bulk" }}
"#
        )
    }

    #[test]
    fn a_settled_run_of_many_round_trips_gives_no_warning() {
        assert_eq!(warnings(&bulk("60s", "10s", r#"kind = "red", preset = "ns2", limit = "60p""#)), []);
    }

    #[test]
    fn a_queue_that_settles_only_after_the_warm_up_says_so() {
        // The second source, which makes the load 0.9, comes when a tenth of the window is over.
        let text = r#"
duration = "41s"
warmup = "1s"
[dumbbell]
rate = "8Mbit"
delay = "1ms"
queue = { kind = "fifo", limit = "1000p" }
[[flow]]
name = "first"
transport = { kind = "udp" }
app = { kind = "poisson", rate = "2Mbit", packet = "1000B" }
[[flow]]
name = "second"
start = "5s"
transport = { kind = "udp" }
app = { kind = "poisson", rate = "5.2Mbit", packet = "1000B" }
"#;
        assert_eq!(warnings(text), [("warmup_too_short".to_owned(), "first".to_owned())]);
        assert_eq!(warnings(&text.replace("warmup = \"1s\"", "warmup = \"6s\"")), []);
    }

    #[test]
    fn a_window_of_a_few_round_trips_says_so() {
        let found = warnings(&bulk("6s", "5s", r#"kind = "fifo", limit = "100p""#));
        assert_eq!(found, [("run_too_short".to_owned(), "bulk".to_owned())]);
    }

    #[test]
    fn a_bucket_that_holds_no_packet_says_so() {
        let rio = |burst| format!(r#"kind = "rio", profile_mbit = [1, 1, 1, 1], profile_burst = "{burst}""#);
        let found = warnings(&bulk("60s", "10s", &rio("400B")));
        let at = |link: &str| ("bucket_below_packet".to_owned(), link.to_owned());
        assert_eq!(found, [at("forward"), at("reverse")]);
        assert_eq!(warnings(&bulk("60s", "10s", &rio("2000B"))), []);
    }

    #[test]
    fn a_threshold_above_the_limit_says_so() {
        let queue = |min_th| format!(r#"kind = "p_controller", limit = "20p", min_th = "{min_th}""#);
        let at = |link: &str| ("threshold_above_limit".to_owned(), link.to_owned());
        assert_eq!(warnings(&bulk("60s", "10s", &queue("21p"))), [at("forward"), at("reverse")]);
        assert_eq!(warnings(&bulk("60s", "10s", &queue("20p"))), []);
        // An automatic value gives no warning: 15 packets here.
        assert_eq!(warnings(&bulk("60s", "10s", r#"kind = "red", preset = "ns2", limit = "10p""#)), []);
    }

    #[test]
    fn drops_at_a_queue_that_has_drained_say_so() {
        let found = |more| {
            let red = format!(r#"kind = "red", limit = "60p", w_q = 0.0005, max_p = 0.5{more}"#);
            let mut found = warnings(&bulk("60s", "10s", &red));
            found.retain(|(code, _)| code == "drops_at_short_queue");
            found
        };
        assert_eq!(found(""), [("drops_at_short_queue".to_owned(), "forward".to_owned())]);
        assert_eq!(found(", spare_short = true"), []);
    }

    /// DCTCP's step as people write it, of P02 and P11 on the public list: with RFC 3168's rule all that is above `max_th` is dropped.
    #[test]
    fn a_queue_that_is_to_mark_and_only_drops_says_so() {
        let found = |queue: &str, transport: &str| {
            let text = bulk("30s", "5s", queue).replace(r#"kind = "tcp""#, transport);
            let mut found = warnings(&text);
            found.retain(|(code, _)| code == "drops_instead_of_marks");
            found
        };
        let step = r#"kind = "red", limit = "100p", min_th = "20p", max_th = "20p", max_p = 1, w_q = 1, ecn = true"#;
        let capable = r#"kind = "tcp", ecn = true"#;
        assert_eq!(found(step, capable), [("drops_instead_of_marks".to_owned(), "forward".to_owned())]);
        assert_eq!(found(&format!("{step}, mark_max_p = 2"), capable), []);
        assert_eq!(found(r#"kind = "red", preset = "dctcp", min_th = "20p", max_th = "20p""#, capable), []);
        // Marks are not asked for, or no packet can be marked.
        assert_eq!(found(&step.replace("ecn = true", "ecn = false"), capable), []);
        assert_eq!(found(step, r#"kind = "tcp", ecn = false"#), []);
    }

    #[test]
    fn a_queue_that_lets_nothing_pass_says_so() {
        let found = |queue: &str| {
            let mut found = warnings(&bulk("60s", "10s", queue));
            found.retain(|(code, _)| code == "nothing_passes");
            found
        };
        // Only the packets of the handshake, of 40 bytes, have room.
        let at = |link: &str| ("nothing_passes".to_owned(), link.to_owned());
        assert_eq!(found(r#"kind = "fifo", limit = "999B""#), [at("forward")]);
        assert_eq!(found(r#"kind = "token_bucket", burst = "999B""#), [at("forward")]);
        assert_eq!(found(r#"kind = "fifo", limit = "1000B""#), []);
    }

    #[test]
    fn every_check_has_its_meaning_in_the_reference() {
        let said: Vec<&str> = WARNINGS.iter().map(|entry| entry.code).collect();
        assert_eq!(CHECKS.map(|(code, _)| code).to_vec(), said);
    }
}
