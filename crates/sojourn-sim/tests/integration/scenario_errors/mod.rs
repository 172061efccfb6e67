//! The message for a wrong scenario: the place, the value that was found, the allowed values, a hint. Each case edits a valid scenario in
//! one place.

mod keys;
mod kinds;
mod values;
mod whole;

use sojourn_sim::scenario::{Document, Plan};

const DUMBBELL: &str = r#"title = "base"
duration = "100s"
warmup = "20s"

[dumbbell]
rate = "10Mbit"
delay = "20ms"
access = { rate = "100Mbit", delay = ["2ms", "10ms"] }
queue = { kind = "red", limit = "100p", min_th = "5p", max_th = "15p" }

[[flow]]
name = "bulk"
count = 20
transport = { kind = "tcp", control = "reno", profile = "ns2" }
app = { kind = "bulk" }
start = { at = "0s", spread = "1s" }

[[flow]]
name = "blast"
transport = { kind = "udp", packet = "1000B" }
app = { kind = "cbr", rate = "1Mbit" }
start = "50s"
stop = "60s"

[record]
queue = { every = "10ms" }
drops = true
"#;

const GRAPH: &str = r#"duration = "10s"

[[node]]
name = "host"
[[node]]
name = "router"
[[node]]
name = "server"

[[link]]
from = "host"
to = "router"
rate = "100Mbit"
delay = "1ms"
[[link]]
name = "core"
from = "router"
to = "server"
rate = "10Mbit"
delay = "10ms"
queue = "fifo"

[[flow]]
name = "web"
from = "host"
to = "server"
"#;

/// The mistake; the text replaced in the base; the new text; the words that the message must have.
type Case = (&'static str, &'static str, &'static str, &'static [&'static str]);

/// Key and value of `--set`, and the required parts of the message.
const SETTINGS: &[(&str, &str, &[&str])] = &[
    ("dumbell.rate", "1Mbit", &["--set: dumbell: this key is not known here", "did you mean \"dumbbell\"?"]),
    ("dumbbell.rate", "1mbps", &["--set: dumbbell.rate: the unit \"mbps\" is refused", "found:   \"1mbps\""]),
    (
        "dumbbell.queue.max_thr",
        "9p",
        &["--set: dumbbell.queue.max_thr: the queue \"red\" has no such parameter", "did you mean \"max_th\"?"],
    ),
    ("dumbbell.queue.min_th", "90p", &["s.toml:9:65: dumbbell.queue.max_th: ", "min_th is 90 packets"]),
    (
        "dumbbell.queue",
        "{ kind = \"flow_queue\", policy = { kind = \"codel\", tagret = \"1ms\" } }",
        &["--set: dumbbell.queue.policy.tagret: the policy \"codel\" has no such parameter"],
    ),
    ("dumbbell.queue", "coddel", &["--set: dumbbell.queue: there is no queue of this name"]),
    ("flow[2].count", "1", &["--set: flow: there is no element 2", "allowed: 0 to 1"]),
    ("flow.bluk.count", "1", &["--set: flow: nothing here has the name \"bluk\"", "did you mean \"bulk\"?"]),
    ("flow.bulk.count", "0", &["--set: flow[0].count: the value is out of range"]),
    (
        "flow.bulk.start.evry",
        "1s",
        &["--set: flow.bulk.start.evry: this key is not known here", "did you mean \"every\"?"],
    ),
    ("duration.x", "1s", &["--set: duration.x: ", "has no keys"]),
    ("duration", "10s", &["s.toml:3:10: warmup: nothing is left to measure", "less than the duration, 10s"]),
];

fn message(text: &str) -> Option<String> {
    Plan::from_toml(text, "s.toml").err().map(|error| error.to_string())
}

/// Reports the missing parts of `shown`, and shows all messages if asked to.
fn failure(what: &str, shown: &str, expected: &[&str]) -> Option<String> {
    if std::env::var_os("SHOW_MESSAGES").is_some() {
        println!("--- {what}\n{shown}");
    }
    let missing: Vec<_> = expected.iter().filter(|part| !shown.contains(**part)).collect();
    (!missing.is_empty() || shown.is_empty()).then(|| format!("--- {what}\n{shown}\n  expected: {missing:?}"))
}

fn check(base: &str, cases: &[Case]) {
    let mut failures = Vec::new();
    for (what, from, to, expected) in cases {
        assert!(base.contains(from), "{what}: the base has no {from:?}");
        let shown = message(&base.replacen(from, to, 1)).unwrap_or_default();
        failures.extend(failure(what, &shown, expected));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn the_bases_are_valid() {
    assert_eq!(message(DUMBBELL), None);
    assert_eq!(message(GRAPH), None);
}

#[test]
fn settings_from_outside_the_file_are_named_as_such() {
    let mut failures = Vec::new();
    for (key, value, expected) in SETTINGS {
        let mut document = Document::from_toml(DUMBBELL, "s.toml").expect("a valid base");
        let shown = document.set(key, value).and_then(|()| document.plan().map(drop)).err();
        let shown = shown.map_or(String::new(), |error| error.to_string());
        failures.extend(failure(&format!("--set {key}={value}"), &shown, expected));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
