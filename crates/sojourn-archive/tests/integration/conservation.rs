//! Packets are neither lost nor made, whatever the network: random graphs with random queues and flows that end,
//! run until nothing is on its way. Every packet sent has then arrived or was counted as a drop.

use proptest::prelude::*;
use proptest::sample::select;
use sojourn_archive::registry;
use sojourn_sim::metrics::Table;
use sojourn_sim::params::Param;
use sojourn_sim::scenario::{Document, Plan};
use sojourn_sim::sim::Simulation;
use std::fmt::Write as _;

/// All data packets have this size, so that bytes tell their number.
const PACKET: u32 = 1000;
/// Long after the last flow has had its say; idle time costs nothing.
const DURATION: u32 = 600;

#[derive(Clone, Debug)]
struct Edge {
    from: usize,
    to: usize,
    rate: u32,
    delay: u32,
    queue: &'static str,
    limit: u32,
    ecn: bool,
}

#[derive(Clone, Debug)]
struct Group {
    ends: (usize, usize),
    count: u32,
    packets: u32,
    traffic: Traffic,
}

#[derive(Clone, Debug)]
enum Traffic {
    Tcp { recovery: &'static str, profile: &'static str, ecn: bool },
    Udp { rate: u32 },
}

#[derive(Clone, Debug)]
struct Network {
    nodes: usize,
    edges: Vec<Edge>,
    groups: Vec<Group>,
}

fn names() -> Vec<&'static str> {
    registry().queues().map(|entry| entry.name).collect()
}

fn edge(from: impl Strategy<Value = usize>, to: impl Strategy<Value = usize>) -> impl Strategy<Value = Edge> {
    (from, to, 500_u32..20_000, 0_u32..40, select(names()), 2_u32..60, any::<bool>())
        .prop_map(|(from, to, rate, delay, queue, limit, ecn)| Edge { from, to, rate, delay, queue, limit, ecn })
}

fn group(nodes: usize) -> impl Strategy<Value = Group> {
    let tcp = (select(vec!["tahoe", "reno", "newreno", "sack"]), select(vec!["ns2", "rfc", "linux"]), any::<bool>())
        .prop_map(|(recovery, profile, ecn)| {
            // Linux recovers by SACK and time alone.
            let recovery = if profile == "linux" { "rack" } else { recovery };
            Traffic::Tcp { recovery, profile, ecn }
        });
    let udp = (50_u32..5000).prop_map(|rate| Traffic::Udp { rate });
    let ends = (0..nodes, 1..nodes).prop_map(move |(from, step)| (from, (from + step) % nodes));
    (ends, 1_u32..4, 1_u32..120, prop_oneof![3 => tcp.boxed(), 1 => udp.boxed()])
        .prop_map(|(ends, count, packets, traffic)| Group { ends, count, packets, traffic })
}

/// A tree that connects all nodes, and some links more.
fn network() -> impl Strategy<Value = Network> {
    (2_usize..6).prop_flat_map(|nodes| {
        let tree: Vec<_> = (1..nodes).map(|to| edge(0..to, Just(to))).collect();
        let more = prop::collection::vec(edge(0..nodes - 1, Just(nodes - 1)), 0..3);
        (tree, more, prop::collection::vec(group(nodes), 1..5)).prop_map(move |(mut edges, more, groups)| {
            edges.extend(more);
            Network { nodes, edges, groups }
        })
    })
}

/// Whether a queue has a parameter that has an effect whatever else is set.
fn has(queue: &str, param: &str) -> bool {
    let takes = |known: &Param| known.name == param && known.when.is_none();
    registry().queues().any(|entry| entry.name == queue && entry.params.iter().any(takes))
}

fn text(network: &Network) -> Result<String, std::fmt::Error> {
    let mut out = format!("duration = \"{DURATION}s\"\n");
    let nodes: Vec<String> = (0..network.nodes).map(|node| format!("{{ name = \"n{node}\" }}")).collect();
    writeln!(out, "node = [{}]", nodes.join(", "))?;
    for (number, Edge { from, to, rate, delay, queue, limit, ecn }) in network.edges.iter().enumerate() {
        let marks = if has(queue, "ecn") { format!(", ecn = {ecn}") } else { String::new() };
        // As tc does, Linux's RED and CHOKe take no thresholds of a few packets, which follow from the limit.
        let limit = if matches!(*queue, "sch_red" | "sch_choke") { limit + 100 } else { *limit };
        let room = if has(queue, "limit") { format!(", limit = \"{limit}p\"") } else { String::new() };
        writeln!(out, "[[link]]\nname = \"l{number}\"\nfrom = \"n{from}\"\nto = \"n{to}\"")?;
        writeln!(out, "rate = \"{rate}kbit\"\ndelay = \"{delay}ms\"")?;
        writeln!(out, "queue = {{ kind = \"{queue}\"{room}{marks} }}")?;
    }
    for Group { ends: (from, to), count, packets, traffic } in &network.groups {
        writeln!(out, "[[flow]]\nfrom = \"n{from}\"\nto = \"n{to}\"\ncount = {count}\nstart = {{ spread = \"1s\" }}")?;
        match traffic {
            Traffic::Tcp { recovery, profile, ecn } => {
                writeln!(
                    out,
                    "transport = {{ kind = \"tcp\", recovery = \"{recovery}\", profile = \"{profile}\", ecn = {ecn}, \
                     packet = \"{PACKET}B\", handshake = false }}\n\
                     app = {{ kind = \"bulk\", packets = {packets} }}"
                )?;
            }
            Traffic::Udp { rate } => {
                writeln!(
                    out,
                    "transport = {{ kind = \"udp\", packet = \"{PACKET}B\" }}\n\
                     app = {{ kind = \"cbr\", rate = \"{rate}kbit\", count = {packets} }}"
                )?;
            }
        }
    }
    Ok(out)
}

fn count(table: &Table, column: &str, row: usize) -> u64 {
    table.number(column, row).unwrap_or_else(|| panic!("no {column} in row {row}")) as u64
}

fn check(network: &Network) -> Result<(), TestCaseError> {
    let text = text(network).map_err(|_| TestCaseError::fail("no text"))?;
    let plan = Document::from_toml(&text, "random.toml")
        .and_then(|document| document.knowing(registry()).plan())
        .map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
    let mut simulation = Simulation::new(&plan, 1).map_err(|error| TestCaseError::fail(format!("{error:?}")))?;
    simulation.advance(simulation.end());
    let tables = simulation.finish();
    let table = |name| tables.iter().find(|table| table.name == name).expect("a table that is always there");

    for link in 0..2 * network.edges.len() {
        let of = |column| count(table("queue"), column, link);
        prop_assert_eq!(
            of("arrivals_packets"),
            of("departures_packets") + of("drops_packets"),
            "link {}\n{}",
            link,
            text
        );
    }
    let mut flow = 0;
    for group in &network.groups {
        for _ in 0..group.count {
            let (sent, dropped) =
                (count(table("flow"), "packets_sent", flow), count(table("flow"), "drops_packets", flow));
            let bits = table("flow").number("throughput_bps", flow).expect("a throughput") * f64::from(DURATION);
            let received = (bits / 8.0 / f64::from(PACKET)).round() as u64;
            prop_assert_eq!(sent, received + dropped, "flow {}\n{}", flow, text);
            let needed = u64::from(group.packets);
            prop_assert!(sent >= needed, "flow {}: {} of {}\n{}", flow, sent, needed, text);
            // Where a round trip holds less than GREEN's share of a flow, its formula drops every packet.
            let may_end = network.edges.iter().all(|edge| edge.queue != "green");
            if may_end && matches!(group.traffic, Traffic::Tcp { .. }) {
                prop_assert_eq!(count(table("flow"), "completions", flow), 1, "flow {}\n{}", flow, text);
            }
            flow += 1;
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_packet_arrives_or_is_counted_as_a_drop(network in network()) {
        check(&network)?;
    }
}

/// A bulk transfer whose acknowledgements come back over a link of 20 kbit/s with room for two; no data is lost.
fn narrow_way_back(observed: bool) -> String {
    format!(
        r#"
duration = "20s"
node = [{{ name = "a" }}, {{ name = "b" }}]
[[link]]
name = "there"
from = "a"
to = "b"
rate = "10Mbit"
delay = "5ms"
duplex = false
queue = {{ kind = "fifo", limit = "10000p" }}
[[link]]
name = "back"
from = "b"
to = "a"
rate = "20kbit"
delay = "5ms"
duplex = false
observed = {observed}
queue = {{ kind = "fifo", limit = "2p" }}
[[flow]]
from = "a"
to = "b"
app = {{ kind = "bulk", packets = 500 }}
"#
    )
}

#[test]
fn an_acknowledgement_lost_on_a_link_that_no_table_shows_is_no_lost_data() {
    let tables = |observed| {
        let plan = Plan::from_toml(&narrow_way_back(observed), "back.toml").expect("a scenario");
        let mut simulation = Simulation::new(&plan, 1).expect("a plan that runs");
        simulation.advance(simulation.end());
        simulation.finish()
    };
    let value = |run: &[Table], name, column, row| {
        count(run.iter().find(|table| table.name == name).expect("a table"), column, row)
    };
    let (seen, unseen) = (tables(true), tables(false));

    assert!(value(&seen, "queue", "drops_packets", 1) > 10, "acknowledgements are lost");
    assert_eq!(value(&seen, "flow", "drops_packets", 0), 0);
    assert_eq!(value(&unseen, "flow", "drops_packets", 0), 0);
}
