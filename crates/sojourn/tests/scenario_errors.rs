//! What a user sees when a scenario is wrong: the place, what was found, what is allowed, a hint.
//! Each case edits a valid scenario in one place.

use sojourn::scenario::{Document, Plan};

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

/// What is wrong; the text replaced in the base; by what; what the message must say.
type Case = (&'static str, &'static str, &'static str, &'static [&'static str]);

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
        &["s.toml:8:12: dumbbell.access.speed", "allowed: rate, delay, limit", "did you mean \"rate\"?"],
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
        "a rate without unit in a text",
        "\"10Mbit\"",
        "\"10\"",
        &["s.toml:6:8: dumbbell.rate: the unit is missing", "found:   \"10\"", "\"10Mbit\""],
    ),
    (
        "a bare M",
        "\"10Mbit\"",
        "\"10M\"",
        &["s.toml:6:8: dumbbell.rate: the unit \"M\" is refused: it does not say bits or bytes"],
    ),
    ("bytes for a rate", "\"10Mbit\"", "\"10MB\"", &["dumbbell.rate: the unit \"MB\" is not known for a rate"]),
    (
        "a time without unit",
        "\"100s\"",
        "100",
        &["s.toml:2:12: duration: the unit is missing", "found:   100", "\"100s\""],
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
        "kind = \"red\", preset = \"ns3\",",
        &["dumbbell.queue.preset: red has no preset of this name", "found:   \"ns3\"", "\"ns2\""],
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
            "\"fifo\", \"red\"",
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
            "allowed: one of \"fifo\", \"red\"",
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
        r#"{ kind = "source_quench", policy = { kind = "red", preset = "ns3" } }"#,
        &["s.toml:9:69: dumbbell.queue.policy.preset: red has no preset of this name", "did you mean \"ns2\"?"],
    ),
    (
        "no unit",
        RED,
        r#"{ kind = "flow_queue", policy = { kind = "codel", target = 5 } }"#,
        &["s.toml:9:68: dumbbell.queue.policy.target: the unit is missing", "\"5s\""],
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

const WHOLE: &[Case] = &[
    (
        "warm-up as long as the run",
        "warmup = \"20s\"",
        "warmup = \"100s\"",
        &["s.toml:3:10: warmup: nothing is left to measure", "less than the duration, 100s"],
    ),
    (
        "a start after the end",
        "start = \"50s\"",
        "start = \"150s\"",
        &["s.toml:22:9: flow[1].start: the flow starts at 150s, when the run is over", "before the duration, 100s"],
    ),
    (
        "a spread over the end",
        "spread = \"1s\"",
        "spread = \"100s\"",
        &["flow[0].start: the last flow may start at 100s"],
    ),
    (
        "a stop before the start",
        "stop = \"60s\"",
        "stop = \"40s\"",
        &["s.toml:23:8: flow[1].stop: the flow stops before it has started", "later than its start, 50s"],
    ),
    (
        "two groups of one name",
        "name = \"blast\"",
        "name = \"bulk\"",
        &["s.toml:19:8: flow[1].name: there are two groups of flows of the name \"bulk\""],
    ),
    ("a name that is empty", "name = \"blast\"", "name = \"\"", &["flow[1].name: this name is empty"]),
    (
        "a name on two lines",
        "name = \"blast\"",
        "name = \"a\\nb\"",
        &["flow[1].name: this text is too long or has characters that control others or are not seen"],
    ),
    (
        "a direction misspelt",
        "name = \"blast\"",
        "direction = \"backwards\"",
        &["flow[1].direction: \"backwards\" is not among the names", "did you mean \"backward\"?"],
    ),
    (
        "a node in a dumbbell",
        "name = \"blast\"",
        "from = \"left\"",
        &["s.toml:19:8: flow[1].from: the dumbbell gives every flow hosts of its own", "direction = \"forward\""],
    ),
    (
        "a dumbbell and a graph",
        "[dumbbell]",
        "[[node]]\nname = \"a\"\n[dumbbell]",
        &["node: both [dumbbell] and [[node]] describe the network"],
    ),
];

/// What no machine could end with, or hold.
const LOADS: &[Case] = &[
    (
        "a title that turns what follows",
        "title = \"base\"",
        "title = \"a\u{202e}b\"",
        &["title: this text is too long or has characters that control others or are not seen"],
    ),
    ("a title of no width", "title = \"base\"", "title = \"\u{200b}\"", &["title: this text", "are not seen"]),
    ("a title of two lines", "title = \"base\"", "title = \"a\u{2028}b\"", &["title: this text", "one line"]),
    (
        // 10^7 samples of 21 flows; 100 s * 21 / (5 * 10^7) = 42 us, and one to be below.
        "too many rows",
        "queue = { every = \"10ms\" }",
        "throughput = { every = \"10us\" }",
        &[
            "s.toml:26:24: record.throughput.every: 10000000 samples of 21 flows make more than 5e7 rows",
            "allowed: 43us or more for a duration of 100s and 21 flows",
        ],
    ),
    (
        "too many rows of probes",
        "queue = { every = \"10ms\" }",
        "probes = { every = \"10us\" }",
        &["record.probes.every: 10000000 samples of", "probes make more than 5e7 rows"],
    ),
    (
        // 8000 bits at 17 Tbit/s take 0.47 ns.
        "packets between which no time passes",
        "app = { kind = \"cbr\", rate = \"1Mbit\" }",
        "app = { kind = \"on_off\", rate = \"17Tbit\" }",
        &["s.toml:21:33: flow[1].app.rate: packets of 1000 bytes would come 4.71e-10 s apart", "allowed: up to 8Tbit"],
    ),
    (
        // 64591 bytes in datagrams of one byte, each followed by 78830 of parity.
        "a write that makes a billion packets",
        "transport = { kind = \"udp\", packet = \"1000B\" }\napp = { kind = \"cbr\", rate = \"1Mbit\" }",
        "transport = { kind = \"fec\", packet = \"29B\", data = 1, parity = 78830, schedule = \"appended\" }\n\
         app = { kind = \"cbr\", packet = \"64591B\" }",
        &["flow[1].transport.parity: one write of 64591 bytes makes", "allowed: so much that it makes up to 1000000"],
    ),
    (
        // 1000 flows of 8.75 * 10^8 packets a second for 10 s.
        "more packets than ever end",
        "name = \"blast\"\ntransport = { kind = \"udp\", packet = \"1000B\" }\napp = { kind = \"cbr\", rate = \"1Mbit\" }",
        "count = 1000\ntransport = { kind = \"udp\", packet = \"1000B\" }\napp = { kind = \"cbr\", rate = \"7Tbit\" }",
        &["flow[1].app.rate: the flows up to here write about 8.8e12 packets", "allowed: up to 1e12 in all"],
    ),
];

const GRAPHS: &[Case] = &[
    ("no network", GRAPH, "duration = \"1s\"\n[[flow]]\n", &["s.toml: the network is missing", "add [dumbbell]"]),
    ("an empty file", GRAPH, "", &["s.toml: the key \"duration\" is missing"]),
    (
        "no flows",
        "[[flow]]\nname = \"web\"\nfrom = \"host\"\nto = \"server\"\n",
        "",
        &["s.toml: the key \"flow\" is missing", "[[flow]]"],
    ),
    ("an empty list of flows", GRAPH, "duration = \"1s\"\nflow = []\n", &["the key \"flow\" is missing"]),
    (
        "flow with single brackets",
        "[[flow]]",
        "[flow]",
        &["s.toml:23:1: flow: this is a table, not a list of tables", "write [[flow]] with double brackets"],
    ),
    (
        "a flow from nowhere",
        "from = \"host\"\nto = \"server\"",
        "from = \"hots\"\nto = \"server\"",
        &[
            "s.toml:25:8: flow[0].from: there is no node of this name",
            "found:   \"hots\"",
            "\"host\", \"router\", \"server\"",
            "did you mean \"host\"?",
        ],
    ),
    (
        "a link to nowhere",
        "to = \"router\"",
        "to = \"moon\"",
        &["s.toml:12:6: link[0].to: there is no node of this name", "add [[node]] with name = \"moon\""],
    ),
    (
        "a link to itself",
        "to = \"router\"",
        "to = \"host\"",
        &["s.toml:12:6: link[0].to: this starts and ends at the same node"],
    ),
    (
        "a flow to itself",
        "from = \"host\"\nto = \"server\"",
        "from = \"server\"\nto = \"server\"",
        &["s.toml:26:6: flow[0].to: this starts and ends at the same node"],
    ),
    (
        "a flow without destination",
        "from = \"host\"\nto = \"server\"\n",
        "from = \"host\"\n",
        &["s.toml:23:1: flow[0]: the key \"to\" is missing"],
    ),
    (
        "two nodes of one name",
        "name = \"router\"",
        "name = \"host\"",
        &["s.toml:6:8: node[1].name: there are two nodes of this name"],
    ),
    (
        "a node without name",
        "[[node]]\nname = \"router\"",
        "[[node]]",
        &["s.toml:5:1: node[1]: the key \"name\" is missing"],
    ),
    (
        "two links of one name",
        "[[flow]]",
        "[[link]]\nname = \"core\"\nfrom = \"host\"\nto = \"server\"\nrate = \"1Mbit\"\ndelay = \"1s\"\n[[flow]]",
        &["s.toml:24:8: link[2].name: there are two links of the name \"core\""],
    ),
    (
        "a link both ways already",
        "[[flow]]",
        "[[link]]\nfrom = \"router\"\nto = \"host\"\nrate = \"1Mbit\"\ndelay = \"1s\"\n[[flow]]",
        &["link[2]", "there are two links of the name \"router-host\"", "duplex = false"],
    ),
    (
        "no way",
        "from = \"host\"\nto = \"server\"",
        "from = \"island\"\nto = \"server\"\n[[node]]\nname = \"island\"",
        &["s.toml:26:6: flow[0].to: there is no way for data from \"island\" to \"server\"", "[[link]]"],
    ),
    (
        "no way back",
        "queue = \"fifo\"",
        "duplex = false",
        &["s.toml:26:6: flow[0].to: there is no way for acknowledgements from \"server\" to \"host\"", "duplex"],
    ),
    (
        "a direction in a graph",
        "name = \"web\"",
        "direction = \"forward\"",
        &["s.toml:24:13: flow[0].direction: \"direction\" belongs to the dumbbell", "from = "],
    ),
    ("a link without rate", "rate = \"100Mbit\"\n", "", &["s.toml:10:1: link[0]: the key \"rate\" is missing"]),
    (
        "a queue's parameter on a link",
        "queue = \"fifo\"",
        "queue = { kind = \"fifo\", limt = \"5p\" }",
        &["s.toml:21:26: link[1].queue.limt: the queue \"fifo\" has no such parameter", "did you mean \"limit\"?"],
    ),
    (
        "mean packet of nothing",
        "queue = \"fifo\"",
        "mean_packet = \"0B\"",
        &["link[1].mean_packet: the value is out of range", "1B to 65535B"],
    ),
];

/// Key and value of `--set`, and what the message must say.
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

/// Says what is missing in `shown`, and shows all messages if asked to.
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
fn what_is_not_toml_is_said_at_its_place() {
    check(DUMBBELL, SYNTAX);
}

#[test]
fn keys_that_are_wrong_or_missing_are_named_with_the_nearest() {
    check(DUMBBELL, KEYS);
}

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

#[test]
fn kinds_presets_and_parameters_are_known_by_name() {
    check(DUMBBELL, KINDS);
}

#[test]
fn the_policy_inside_a_queue_is_read_as_a_queue() {
    check(DUMBBELL, POLICIES);
}

#[test]
fn what_only_shows_in_the_whole_is_found() {
    check(DUMBBELL, WHOLE);
}

#[test]
fn loads_that_no_machine_could_bear_are_refused() {
    check(DUMBBELL, LOADS);
}

#[test]
fn graphs_are_checked_for_nodes_and_ways() {
    check(GRAPH, GRAPHS);
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
