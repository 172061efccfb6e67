//! Mistakes that show only in the whole scenario: contradictions, loads and networks.

use super::{Case, DUMBBELL, GRAPH, check};

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
    (
        "a group of the name that the row of all groups has",
        "name = \"blast\"",
        "name = \"all\"",
        &["s.toml:19:8: flow[1].name: in tables the row of all groups together has this name", "another name"],
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

/// Loads that no machine could finish or hold.
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
        "packets that come at random between which no time passes",
        "app = { kind = \"cbr\", rate = \"1Mbit\" }",
        "app = { kind = \"poisson\", rate = \"100Tbit\" }",
        &["s.toml:21:34: flow[1].app.rate: packets of 1000 bytes would come 8.00e-11 s apart", "allowed: up to 8Tbit"],
    ),
    (
        // 64591 bytes in datagrams of one byte, each followed by 78830 of parity.
        "a write that makes a billion packets",
        "transport = { kind = \"udp\", packet = \"1000B\" }\napp = { kind = \"cbr\", rate = \"1Mbit\" }",
        "transport = { kind = \"fec\", packet = \"29B\", data = 1, parity = 78830, schedule = \"appended\" }\n\
         app = { kind = \"trace\", times_s = [0], sizes_bytes = [64591], entry = \"transfer\" }",
        &["flow[1].transport.parity: one write of 64591 bytes makes", "allowed: a write of at most 1000000 packets"],
    ),
    (
        "packets that do not fit into datagrams",
        "app = { kind = \"cbr\", rate = \"1Mbit\" }",
        "app = { kind = \"cbr\", rate = \"1Mbit\", packet = \"1500B\" }",
        &[
            "s.toml:21:48: flow[1].app.packet: its packets have 1500B on the wire, and transport.packet is 1000B",
            "allowed: up to 1000B, or a larger transport.packet",
        ],
    ),
    (
        // A gigabit for each queue; the range ends at ten million.
        "a bitmap that fills the memory",
        "queue = { kind = \"red\", limit = \"100p\", min_th = \"5p\", max_th = \"15p\" }",
        "queue = { kind = \"black\", preset = \"bitmap\", bitmap_bits = 1000000000 }",
        &["dumbbell.queue.bitmap_bits: the value is out of range", "allowed: a whole number, 1 to 10000000"],
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
