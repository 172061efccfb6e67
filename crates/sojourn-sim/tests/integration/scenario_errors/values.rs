//! Values: units, types and ranges.

use super::{Case, DUMBBELL, check};

const UNITS: &[Case] = &[
    (
        "mbps",
        "\"10Mbit\"",
        "\"10mbps\"",
        &["s.toml:6:8: dumbbell.rate: the unit \"mbps\" is refused", "found:   \"10mbps\"", "such as \"10Mbit\""],
    ),
    (
        "a rate without unit",
        "\"10Mbit\"",
        "10",
        &["s.toml:6:8: dumbbell.rate: the unit is missing", "found:   10", "in quotation marks: \"10Mbit\""],
    ),
    (
        "a rate in bits per second without unit",
        "\"10Mbit\"",
        "1e7",
        &["s.toml:6:8: dumbbell.rate: the unit is missing", "in quotation marks: \"10000000bit\""],
    ),
    (
        "a rate without unit in a text",
        "\"10Mbit\"",
        "\"10\"",
        &["s.toml:6:8: dumbbell.rate: the unit is missing", "found:   \"10\"", "\"10Mbit\""],
    ),
    (
        "a bare M",
        "\"10Mbit\"",
        "\"10M\"",
        &["s.toml:6:8: dumbbell.rate: the unit \"M\" is refused: it does not tell bits from bytes"],
    ),
    ("bytes for a rate", "\"10Mbit\"", "\"10MB\"", &["dumbbell.rate: the unit \"MB\" is not known for a rate"]),
    (
        "a time without unit",
        "\"100s\"",
        "100",
        &["s.toml:2:12: duration: the unit is missing", "found:   100", "\"100s\""],
    ),
    (
        "a time whose default is in milliseconds",
        "queue = { kind = \"red\", limit = \"100p\", min_th = \"5p\", max_th = \"15p\" }",
        "queue = { kind = \"codel\", target = 5 }",
        &["dumbbell.queue.target: the unit is missing", "in quotation marks: \"5ms\""],
    ),
    (
        "a unit of time that is not known",
        "\"20ms\"",
        "\"20msec\"",
        &["s.toml:7:9: dumbbell.delay: the unit \"msec\" is not known for a time", "found:   \"20msec\"", "\"20ms\""],
    ),
    ("a rate for a time", "\"20ms\"", "\"20Mbit\"", &["dumbbell.delay: the unit \"Mbit\" is not known for a time"]),
    ("a threshold without unit", "\"5p\"", "5", &["s.toml:9:", "dumbbell.queue.min_th: the unit is missing", "\"5p\""]),
    ("a bare k of queue", "\"100p\"", "\"100k\"", &["dumbbell.queue.limit: the unit \"k\" is refused", "KiB"]),
    ("a word for a time", "\"20ms\"", "\"soon\"", &["dumbbell.delay: this is not a time", "found:   \"soon\""]),
];

const TYPES: &[Case] = &[
    ("a list for a time", "\"20ms\"", "[\"20ms\"]", &["s.toml:7:9: dumbbell.delay: this is a list", "allowed: a time"]),
    (
        "a list for a rate",
        "\"10Mbit\"",
        "[1]",
        &["dumbbell.rate: this is a list", "found:   [1]", "a rate such as \"10Mbit\", or a table such as { mahimahi"],
    ),
    (
        "an unknown table for a rate",
        "\"10Mbit\"",
        "{ a = 1 }",
        &["dumbbell.rate.a: this key is not known here", "allowed: fixed, mahimahi, opportunity"],
    ),
    ("a truth value for a rate", "\"10Mbit\"", "true", &["dumbbell.rate: this is a truth value"]),
    ("a date for a time", "\"100s\"", "2026-01-01", &["duration: this is a date", "found:   2026-01-01"]),
    (
        "a number for a truth value",
        "drops = true",
        "pcap = 1",
        &["s.toml:27:8: record.pcap: this is a number", "allowed: true or false"],
    ),
    (
        "a text for a truth value",
        "drops = true",
        "drops = \"yes\"",
        &["s.toml:27:9: record.drops: this is not a truth value", "allowed: true or false"],
    ),
    (
        "a number for a title",
        "\"base\"",
        "7",
        &["s.toml:1:9: title: this is a number", "allowed: a text in quotation marks"],
    ),
    (
        "dumbbell as a list",
        "[dumbbell]",
        "[[dumbbell]]",
        &["s.toml:5:1: dumbbell: this is a list", "write [dumbbell] with single brackets"],
    ),
    (
        "a number for a queue",
        "queue = { kind = \"red\", limit = \"100p\", min_th = \"5p\", max_th = \"15p\" }",
        "queue = 5",
        &["s.toml:9:9: dumbbell.queue: this is a number, not a queue", "a name such as \"fifo\""],
    ),
    ("a number for a kind", "kind = \"red\"", "kind = 5", &["dumbbell.queue.kind: this is a number", "\"red\""]),
    (
        "a number for a series",
        "queue = { every = \"10ms\" }",
        "queue = 10",
        &["s.toml:26:9: record.queue: the unit is missing", "\"10s\""],
    ),
    (
        "a truth value for a series",
        "queue = { every = \"10ms\" }",
        "queue = true",
        &["s.toml:26:9: record.queue: this is a truth value", "a time such as"],
    ),
];

const RANGES: &[Case] = &[
    ("a negative time", "\"20ms\"", "\"-20ms\"", &["dumbbell.delay: a time cannot be negative", "found:   \"-20ms\""]),
    ("a rate of zero", "\"10Mbit\"", "\"0Mbit\"", &["dumbbell.rate: the rate is out of range", "1bit to 100Tbit"]),
    ("a huge rate", "\"10Mbit\"", "\"1e9Tbit\"", &["dumbbell.rate: the rate is out of range"]),
    (
        "no time at all",
        "\"100s\"",
        "\"0s\"",
        &["s.toml:2:12: duration: the value is out of range", "found:   \"0s\"", "1us to 1000000s"],
    ),
    ("a year", "\"100s\"", "\"9000h\"", &["duration: the value is out of range", "1us to 1000000s"]),
    (
        "a long delay",
        "\"20ms\"",
        "\"2000s\"",
        &["s.toml:7:9: dumbbell.delay: the value is out of range", "0s to 1000s"],
    ),
    (
        "no flows in a group",
        "count = 20",
        "count = 0",
        &["s.toml:13:9: flow[0].count: the value is out of range", "found:   0", "1 to 1000000"],
    ),
    ("a negative count", "count = 20", "count = -3", &["flow[0].count: the value is out of range", "found:   -3"]),
    ("a fractional count", "count = 20", "count = 2.5", &["flow[0].count: this is not a whole number", "found:   2.5"]),
    ("too many flows", "count = 20", "count = 2_000_000", &["flow[0].count: the value is out of range"]),
    (
        "too many flows in all",
        "count = 20",
        "count = 1_000_000",
        &["flow[1]", "there are too many flows in all", "1000000"],
    ),
    ("not a number", "count = 20", "count = nan", &["flow[0].count: ", "found:   nan"]),
    (
        "too many samples",
        "every = \"10ms\"",
        "every = \"1us\"",
        &["s.toml:26:19: record.queue.every: this makes 100000000 samples", "10us or more for a duration of 100s"],
    ),
    (
        "the least after the greatest",
        "[\"2ms\", \"10ms\"]",
        "[\"10ms\", \"2ms\"]",
        &["s.toml:8:38: dumbbell.access.delay: the least value comes after the greatest", "write [\"2ms\", \"10ms\"]"],
    ),
    (
        "three delays",
        "[\"2ms\", \"10ms\"]",
        "[\"1ms\", \"2ms\", \"3ms\"]",
        &["dumbbell.access.delay: this list has 3 values", "the least and the greatest"],
    ),
    (
        "a delay in a list without unit",
        "[\"2ms\", \"10ms\"]",
        "[\"2ms\", 10]",
        &["s.toml:8:46: dumbbell.access.delay[1]: the unit is missing"],
    ),
    (
        "a datagram of a megabyte",
        "\"1000B\"",
        "\"1MB\"",
        &["flow[1].transport.packet: the value is out of range", "65535"],
    ),
];

#[test]
fn units_that_are_wrong_or_missing_are_explained() {
    check(DUMBBELL, UNITS);
}

#[test]
fn values_of_the_wrong_type_are_refused_with_what_is_allowed() {
    check(DUMBBELL, TYPES);
}

#[test]
fn values_out_of_range_are_refused_with_the_range() {
    check(DUMBBELL, RANGES);
}
