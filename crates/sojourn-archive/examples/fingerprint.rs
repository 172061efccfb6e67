//! Hashes of all tables of short runs of every queue and every sender: the reference for a change that must not change results.
//!
//! `fingerprint [TEXT]` prints a line for each setting in whose name TEXT is: the setting and a hash of its tables. `"profile ="` is
//! every sender, and `'control = { kind = "cubic"'` every sender with one law. Every registered queue runs with its defaults and with each
//! preset, with marks and without. Every policy with each preset also runs inside `flow_queue` and inside `source_quench`. Every profile of
//! TCP runs with every recovery and every control law with each preset, over a queue that marks and one that speaks XCP. So does every law
//! with each of `VARIANTS`: the end of slow start, the detection of losses, pacing, the report of marks, and other input of a law. Two
//! commits agree if `diff` finds nothing.

use std::fmt::Write as _;

use sojourn_archive::registry;
use sojourn_sim::metrics::{Data, Table};
use sojourn_sim::queue::entry::QueueEntry;
use sojourn_sim::registry::transport;
use sojourn_sim::scenario::Document;
use sojourn_sim::sim::Simulation;

/// TCP in both directions, and datagrams that leave and come back; the queue overflows.
const LOADS: [(&str, &str); 2] = [("mix", "800kbit"), ("blast", "6Mbit")];

const SCENARIO: &str = r#"
duration = "8s"
warmup = "1s"
[record]
queue = "50ms"
probes = "70ms"
drops = true
[dumbbell]
rate = "5Mbit"
delay = "10ms"
access = { rate = "50Mbit", delay = ["2ms", "15ms"] }
queue = { QUEUE }
[[flow]]
name = "bulk"
count = 6
transport = { kind = "tcp", recovery = "sack", profile = "ns2", ecn = ECN }
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
count = 2
transport = { kind = "udp" }
app = { kind = "on_off", rate = "BLAST" }
start = "1s"
"#;

/// One kind of TCP, web mice among it, beside TFRC and a flow with a delay hint, over a wireless hop's losses.
const SENDERS: &str = r#"
duration = "8s"
warmup = "1s"
[record]
probes = "70ms"
drops = true
[dumbbell]
rate = "4Mbit"
delay = "15ms"
access = { rate = "50Mbit", delay = ["2ms", "15ms"] }
queue = { QUEUE }
loss = { kind = "uniform", probability = 0.004 }
WIRE
[[flow]]
name = "bulk"
count = 4
transport = { kind = "tcp", TCP }
app = { kind = "bulk" }
start = { at = "0s", spread = "1s" }
[[flow]]
name = "mice"
count = 3
transport = { kind = "tcp", TCP }
app = { kind = "transfers" }
[[flow]]
name = "pauses"
count = 2
transport = { kind = "tcp", TCP }
app = { kind = "on_off", rate = "2Mbit", on = "300ms", off = "900ms" }
[[flow]]
name = "tfrc"
transport = { kind = "tfrc" }
app = { kind = "bulk" }
[[flow]]
name = "voice"
transport = { kind = "udp" }
app = { kind = "voice" }
delay_hint = { delay = "40ms" }
"#;

/// Profiles with settings that change a sender's calls of its law, each to run with every law.
const VARIANTS: [(&str, &str); 20] = [
    ("ns2", "slow_start = \"hystart++\""),
    ("rfc", "slow_start = \"hystart++\""),
    ("linux", "slow_start = \"hystart++\""),
    ("linux", "slow_start = \"hystart++\", pacing = true, ecn = true"),
    ("rfc", "recovery = \"rack\""),
    ("rfc", "recovery = \"rack\", slow_start = \"hystart++\", ecn = true"),
    ("rfc", "recovery = \"rack\", pacing = true, rate_reduction = \"prr\", undo = true, f_rto = true, dsack = true"),
    ("rfc", "recovery = \"rack\", undo = true, dsack = true, rto_min = \"10ms\", ack_delay = \"40ms\""),
    ("rfc", "rate_reduction = \"prr\""),
    ("linux", "pacing = true"),
    ("linux", "undo = true, f_rto = false, rto_min = \"10ms\", ack_delay = \"40ms\""),
    ("linux", "arrivals = \"rfc\", timers = \"exact\", offload = false"),
    ("rfc", "ecn = true, ecn_feedback = \"dctcp\""),
    ("rfc", "ecn = true, ecn_feedback = \"xecn\""),
    ("linux", "ecn = true, ecn_feedback = \"dctcp\", ecn_codepoint = \"ect1\""),
    ("linux", "ecn = true, ecn_feedback = \"xecn\""),
    ("rfc", "quench = \"slow_start\""),
    ("rfc", "quench = \"as_mark\", recovery = \"newreno\""),
    ("rfc", "idle_restart = \"decay\""),
    ("ns2", "idle_restart = \"initial\""),
];

/// The queues that each kind of TCP meets.
const MET: [&str; 3] = ["kind = \"red\", ecn = true", "kind = \"xcp\"", "kind = \"fifo\", limit = \"12p\""];
/// The queues that each variant meets besides.
const MET_BY_VARIANTS: [&str; 2] =
    ["kind = \"rcp\"", "kind = \"source_quench\", limit = \"40p\", policy = { kind = \"red\" }"];

fn main() {
    let text = std::env::args().nth(1).unwrap_or_default();
    for queue in settings().iter().filter(|queue| queue.contains(&text)) {
        for (load, blast) in LOADS {
            for ecn in ["false", "true"] {
                println!("{queue} {load} ecn={ecn} {}", outcome(queue, blast, ecn));
            }
        }
    }
    for sender in senders().iter().filter(|sender| sender.contains(&text)) {
        for queue in MET {
            println!("{sender} {queue} {}", sent(sender, queue));
        }
    }
    for sender in variants().iter().filter(|sender| sender.contains(&text)) {
        for queue in MET.into_iter().chain(MET_BY_VARIANTS) {
            println!("{sender} {queue} {}", sent(sender, queue));
        }
    }
}

/// The hash of a kind of TCP over a queue. Senders that may undo cuts also meet packets out of order.
fn sent(sender: &str, queue: &str) -> String {
    let jitter = "jitter = { mean = \"3ms\", law = \"exponential\", reorder = true }";
    let wire = if sender.contains("undo = true") { jitter } else { "" };
    run(&SENDERS.replace("QUEUE", queue).replace("TCP", sender).replace("WIRE", wire))
}

/// Every control law with each of its presets, as a key of the transport.
fn laws() -> Vec<(&'static str, String)> {
    let mut all = Vec::new();
    for control in registry().controls() {
        for preset in std::iter::once(None).chain(control.presets.iter().map(|preset| Some(preset.name))) {
            let preset = preset.map_or(String::new(), |preset| format!(", preset = \"{preset}\""));
            all.push((control.name, format!("control = {{ kind = \"{}\"{preset} }}", control.name)));
        }
    }
    all
}

/// Every variant with every law, as the keys of its transport.
fn variants() -> Vec<String> {
    let with = |(profile, settings): (&str, &str)| {
        laws()
            .into_iter()
            .map(move |(_, law)| format!("profile = \"{profile}\", {settings}, {law}"))
            .collect::<Vec<_>>()
    };
    VARIANTS.into_iter().flat_map(with).collect()
}

/// Every kind of TCP to run, as the keys of its transport.
fn senders() -> Vec<String> {
    let tcp = transport("tcp").expect("TCP is registered");
    let mut all = Vec::new();
    for profile in tcp.profiles {
        for recovery in ["tahoe", "reno", "newreno", "sack", "rack"] {
            // A law that paces wants a sender that can.
            let paces = recovery == "rack";
            for (_, law) in laws().iter().filter(|(name, _)| paces || *name != "bbr") {
                for ecn in ["false", "true"] {
                    all.push(format!("profile = \"{}\", recovery = \"{recovery}\", ecn = {ecn}, {law}", profile.name));
                }
            }
        }
    }
    all
}

/// Every queue to run, as the keys of a scenario.
fn settings() -> Vec<String> {
    let mut all = Vec::new();
    for entry in registry().queues() {
        for preset in presets(entry) {
            let preset = preset.map_or(String::new(), |preset| format!(", preset = \"{preset}\""));
            all.push(format!("kind = \"{}\"{preset}", entry.name));
            all.push(format!("kind = \"{}\"{preset}, limit = \"30p\"", entry.name));
        }
    }
    for outer in ["flow_queue\", flows = 4", "source_quench\"", "source_quench\", chosen = \"dropped\""] {
        for entry in registry().policies() {
            for preset in presets(entry) {
                let preset = preset.map_or(String::new(), |preset| format!(", preset = \"{preset}\""));
                all.push(format!(
                    "kind = \"{outer}, limit = \"40p\", policy = {{ kind = \"{}\"{preset} }}",
                    entry.name
                ));
            }
        }
    }
    all
}

fn presets(entry: &QueueEntry) -> impl Iterator<Item = Option<&'static str>> {
    std::iter::once(None).chain(entry.presets.iter().map(|preset| Some(preset.name)))
}

/// The hash, or the reason why the setting is refused.
fn outcome(queue: &str, blast: &str, ecn: &str) -> String {
    // Marks need the queue's consent, where it has a say.
    let kind = queue.split('"').nth(1).and_then(|name| registry().queue(name));
    let marks = kind.is_some_and(|entry| entry.params.iter().any(|param| param.name == "ecn" && param.when.is_none()));
    let consent = if marks { format!(", ecn = {ecn}") } else { String::new() };
    let text = SCENARIO.replace("QUEUE", &format!("{queue}{consent}")).replace("ECN", ecn).replace("BLAST", blast);
    run(&text)
}

/// The hash of a scenario's tables, or why it is refused.
fn run(text: &str) -> String {
    let run = || -> Result<Vec<Table>, String> {
        let plan = Document::from_toml(text, "fingerprint")
            .and_then(|file| file.knowing(registry()).plan())
            .map_err(|error| error.to_string())?;
        let mut simulation = Simulation::new(&plan, 1).map_err(|error| format!("{error:?}"))?;
        simulation.advance(simulation.end());
        Ok(simulation.finish())
    };
    match run() {
        Ok(tables) => hash(&tables),
        Err(error) => error.lines().next().unwrap_or_default().to_owned(),
    }
}

/// FNV-1a of names and numbers, these bit by bit.
fn hash(tables: &[Table]) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut take = |bytes: &[u8]| {
        for byte in bytes {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    for table in tables {
        take(table.name.as_bytes());
        for column in &table.columns {
            take(column.name.as_bytes());
            match &column.data {
                Data::F64(values) => values.iter().for_each(|value| take(&value.to_bits().to_le_bytes())),
                Data::U64(values) => values.iter().for_each(|value| take(&value.to_le_bytes())),
                Data::Text(values) => values.iter().for_each(|value| take(value.as_bytes())),
            }
        }
    }
    let mut text = String::new();
    let _ = write!(text, "{hash:016x}");
    text
}
