//! Kinds, presets and parameters, of a queue and of the policy inside one.

use super::{Case, DUMBBELL, check};

const KINDS: &[Case] = &[
    (
        "a queue misspelt",
        "kind = \"red\"",
        "kind = \"rde\"",
        &[
            "s.toml:9:18: dumbbell.queue.kind: there is no queue of this name",
            "found:   \"rde\"",
            "\"fifo\"",
            "did you mean \"red\"?",
        ],
    ),
    (
        "a queue that is nothing like one",
        "kind = \"red\"",
        "kind = \"magnificent\"",
        &["dumbbell.queue.kind: there is no queue of this name", "allowed: one of \"fifo\""],
    ),
    (
        "no kind",
        "kind = \"red\", ",
        "",
        &["s.toml:9:9: dumbbell.queue: the key \"kind\" is missing in this queue", "\"red\""],
    ),
    (
        "a parameter misspelt",
        "max_th =",
        "max_thr =",
        &[
            "dumbbell.queue.max_thr: the queue \"red\" has no such parameter",
            "did you mean \"max_th\"?",
            "kind, preset, limit",
        ],
    ),
    (
        "a preset that is not there",
        "kind = \"red\",",
        "kind = \"red\", preset = \"ns4\",",
        &["dumbbell.queue.preset: red has no preset of this name", "found:   \"ns4\"", "\"ns2\""],
    ),
    ("thresholds the wrong way", "min_th = \"5p\"", "min_th = \"50p\"", &["s.toml:9:", "dumbbell.queue.", "_th"]),
    (
        "a transport that is not there",
        "kind = \"tcp\"",
        "kind = \"sctp\"",
        &["s.toml:14:22: flow[0].transport.kind: there is no transport of this name", "\"tcp\", \"udp\""],
    ),
    (
        "a control misspelt",
        "control = \"reno\"",
        "control = \"renno\"",
        &["flow[0].transport.control: there is no congestion control of this name", "did you mean \"reno\"?"],
    ),
    (
        "a control over udp",
        "kind = \"udp\",",
        "kind = \"udp\", control = \"reno\",",
        &["flow[1].transport.control: the transport \"udp\" has no such parameter"],
    ),
    (
        "a profile that is not there",
        "profile = \"ns2\"",
        "profile = \"ns4\"",
        &["flow[0].transport.profile: tcp has no profile of this name", "did you mean \"ns2\"?"],
    ),
    (
        "a profile that was taken out",
        "profile = \"ns2\"",
        "profile = \"ns2_linux\"",
        &["flow[0].transport.profile: this profile of tcp was taken out", "write profile = \"linux\""],
    ),
    (
        "a parameter that was taken out",
        "profile = \"ns2\"",
        "profile = \"linux\", loss_detection = \"rack\"",
        &["flow[0].transport.loss_detection: this parameter of tcp was taken out", "write recovery = \"rack\""],
    ),
    (
        "a preset of a control that was taken out",
        "control = \"reno\"",
        "control = { kind = \"cubic\", preset = \"ns2\" }",
        &["flow[0].transport.control.preset: this preset of cubic was taken out", "preset = \"linux\""],
    ),
    (
        "an application misspelt",
        "kind = \"cbr\"",
        "kind = \"crb\"",
        &["s.toml:21:16: flow[1].app.kind: there is no application of this name", "did you mean \"cbr\"?"],
    ),
    (
        "bulk over udp",
        "app = { kind = \"cbr\", rate = \"1Mbit\" }",
        "app = \"bulk\"",
        &["s.toml:21:7: flow[1].app: a bulk transfer over udp has no rate", "kind = \"cbr\""],
    ),
    (
        "a burst without end over udp",
        "app = { kind = \"cbr\", rate = \"1Mbit\" }",
        "app = { kind = \"transfers\", think = \"0s\" }",
        &["s.toml:21:7: flow[1].app: a user who never thinks over udp has no rate", "kind = \"cbr\""],
    ),
    (
        "a burst of a million packets over udp",
        "app = { kind = \"cbr\", rate = \"1Mbit\" }",
        "app = { kind = \"transfers\", packets = 1000000 }",
        &["flow[1].app: a transfer of more than 10000 packets over udp has no rate"],
    ),
    (
        "a profile for a queue",
        "kind = \"red\",",
        "kind = \"red\", profile = \"ns2\",",
        &["dumbbell.queue.profile: the queue \"red\" has no such parameter", "did you mean \"preset\"?"],
    ),
    (
        "a type for a kind",
        "kind = \"tcp\"",
        "type = \"tcp\"",
        &["s.toml:14:13: flow[0].transport: the key \"kind\" is missing in this transport"],
    ),
    (
        "udp without application",
        "app = { kind = \"cbr\", rate = \"1Mbit\" }\n",
        "",
        &["s.toml:18:1: flow[1].app: a bulk transfer over udp has no rate"],
    ),
];

const RED: &str = r#"{ kind = "red", limit = "100p", min_th = "5p", max_th = "15p" }"#;

/// A policy inside another queue; its parameters are read as a queue's own.
const POLICIES: &[Case] = &[
    (
        "no such policy",
        RED,
        r#"{ kind = "flow_queue", policy = "coddel" }"#,
        &[
            "s.toml:9:41: dumbbell.queue.policy: there is no policy of this name",
            "found:   \"coddel\"",
            "\"fifo\", \"capped_tail\", \"red\"",
            "did you mean \"codel\"?",
        ],
    ),
    (
        "no such policy in a table",
        RED,
        r#"{ kind = "source_quench", policy = { kind = "rad" } }"#,
        &["s.toml:9:53: dumbbell.queue.policy.kind: there is no policy of this name", "did you mean \"red\"?"],
    ),
    (
        "a queue with queues of its own",
        RED,
        r#"{ kind = "flow_queue", policy = { kind = "fq_codel" } }"#,
        &[
            "s.toml:9:50: dumbbell.queue.policy.kind: the queue \"fq_codel\" has queues or an order of its own",
            "allowed: one of \"fifo\", \"capped_tail\", \"red\"",
        ],
    ),
    (
        "a policy without kind",
        RED,
        r#"{ kind = "flow_queue", policy = { target = "5ms" } }"#,
        &["s.toml:9:41: dumbbell.queue.policy: the key \"kind\" is missing in this policy"],
    ),
    (
        "a policy that is a number",
        RED,
        r#"{ kind = "flow_queue", policy = 5 }"#,
        &["s.toml:9:41: dumbbell.queue.policy: this is a number, not a policy", "{ kind = \"fifo\", ... }"],
    ),
    (
        "a parameter misspelt",
        RED,
        r#"{ kind = "flow_queue", policy = { kind = "codel", tagret = "5ms" } }"#,
        &[
            "s.toml:9:59: dumbbell.queue.policy.tagret: the policy \"codel\" has no such parameter",
            "allowed: kind, preset, target",
            "did you mean \"target\"?",
        ],
    ),
    (
        "no such preset",
        RED,
        r#"{ kind = "source_quench", policy = { kind = "red", preset = "ns-2" } }"#,
        &["s.toml:9:69: dumbbell.queue.policy.preset: red has no preset of this name", "did you mean \"ns2\"?"],
    ),
    (
        "no unit",
        RED,
        r#"{ kind = "flow_queue", policy = { kind = "codel", target = 5 } }"#,
        &["s.toml:9:68: dumbbell.queue.policy.target: the unit is missing", "\"5ms\""],
    ),
    (
        "a value out of range",
        RED,
        r#"{ kind = "source_quench", policy = { kind = "red", max_p = 1.5 } }"#,
        &["s.toml:9:68: dumbbell.queue.policy.max_p: the value is out of range", "0 to 1"],
    ),
    (
        "values that contradict each other",
        RED,
        r#"{ kind = "source_quench", policy = { kind = "red", min_th = "50p", max_th = "15p" } }"#,
        &["s.toml:9:85: dumbbell.queue.policy.max_th: ", "found:   \"15p\"", "min_th is 50 packets"],
    ),
    (
        "a value that contradicts a default",
        RED,
        r#"{ kind = "flow_queue", policy = { kind = "pi", a = 1e-9, b = 1e-3 } }"#,
        &["s.toml:9:60: dumbbell.queue.policy.a: a is 0.000000001 and b is 0.001"],
    ),
    (
        "a limit of the policy",
        RED,
        r#"{ kind = "flow_queue", policy = { kind = "codel", limit = "50p" } }"#,
        &[
            "s.toml:9:59: dumbbell.queue.policy.limit: the limit is that of the queue around the policy",
            "write \"limit\" beside \"policy\"",
        ],
    ),
];

#[test]
fn kinds_presets_and_parameters_are_known_by_name() {
    check(DUMBBELL, KINDS);
}

#[test]
fn the_policy_inside_a_queue_is_read_as_a_queue() {
    check(DUMBBELL, POLICIES);
}
