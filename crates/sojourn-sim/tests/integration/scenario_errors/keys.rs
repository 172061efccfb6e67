//! Text that is not TOML, and keys that are wrong, missing or doubled.

use super::{Case, DUMBBELL, check};

const SYNTAX: &[Case] = &[
    ("a bare word", "title = \"base\"", "title = base", &["s.toml:1:", "this is not TOML"]),
    (
        "a key twice",
        "warmup = \"20s\"",
        "warmup = \"20s\"\nwarmup = \"1s\"",
        &["s.toml:4:1: ", "not TOML", "duplicate key"],
    ),
    (
        "nothing behind the sign of equality",
        "app = { kind = \"bulk\" }",
        "app =",
        &["s.toml:15:", "this is not TOML: something is missing here", "write a value behind the sign of equality"],
    ),
    ("an open quotation mark", "\"20ms\"", "\"20ms", &["s.toml:7:", "not TOML"]),
];

const KEYS: &[Case] = &[
    (
        "a key misspelt at the top",
        "duration =",
        "duratoin =",
        &[
            "s.toml:2:1: duratoin: this key is not known here",
            "allowed: title, duration, warmup",
            "did you mean \"duration\"?",
        ],
    ),
    (
        "a table misspelt",
        "[dumbbell]",
        "[dumbell]",
        &["s.toml:5:2: dumbell: this key is not known here", "did you mean \"dumbbell\"?"],
    ),
    (
        "a key misspelt in a table",
        "delay = \"20ms\"",
        "dealy = \"20ms\"",
        &["s.toml:7:1: dumbbell.dealy: this key is not known here", "did you mean \"delay\"?"],
    ),
    (
        "a key that is not here",
        "stop = \"60s\"",
        "end = \"60s\"",
        &["s.toml:23:1: flow[1].end: this key is not known here", "start, stop", "did you mean \"stop\"?"],
    ),
    (
        "a key misspelt in an inline table",
        "spread =",
        "spraed =",
        &["s.toml:16:22: flow[0].start.spraed", "allowed: at, spread, every", "did you mean \"spread\"?"],
    ),
    (
        "a key of access",
        "access = { rate",
        "access = { speed",
        &["s.toml:8:12: dumbbell.access.speed", "allowed: rate, delay, sink_delay, spread", "did you mean \"rate\"?"],
    ),
    (
        "captures",
        "drops = true",
        "captures = true",
        &["s.toml:27:1: record.captures: this key is not known here", "drops, packets, pcap"],
    ),
    ("an empty key", "drops = true", "\"\" = true", &["s.toml:27:1: record.\"\": this key is not known here"]),
    ("no duration", "duration = \"100s\"\n", "", &["s.toml: the key \"duration\" is missing", "allowed: a time"]),
    (
        "no rate",
        "rate = \"10Mbit\"\n",
        "",
        &["s.toml:5:1: dumbbell: the key \"rate\" is missing", "allowed: a rate such as \"10Mbit\""],
    ),
    ("no delay", "delay = \"20ms\"\n", "", &["s.toml:5:1: dumbbell: the key \"delay\" is missing", "allowed: a time"]),
    (
        "no every",
        "queue = { every = \"10ms\" }",
        "queue = {}",
        &["s.toml:26:9: record.queue: the key \"every\" is missing"],
    ),
];

#[test]
fn what_is_not_toml_is_said_at_its_place() {
    check(DUMBBELL, SYNTAX);
}

#[test]
fn keys_that_are_wrong_or_missing_are_named_with_the_nearest() {
    check(DUMBBELL, KEYS);
}
