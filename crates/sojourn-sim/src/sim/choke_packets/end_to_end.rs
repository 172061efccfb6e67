//! Choke packets and ECN through the engine: senders of both kinds at one bottleneck, the effect of routers on the way that know the signal
//! or do not, and hop-by-hop choke packets over three routers. [Tah13] section 2.2 says which effects to expect but gives no numbers: those
//! here are derived beside them.

use std::fmt::Write as _;

use crate::metrics::{Data, Table};
use crate::sim::shortcuts::Shortcuts;
use crate::sim::tests::{number, run};

/// A host, routers in a row and a host. `queues` are before the links from the routers, with their rates; the access
/// link carries 100 Mbit/s; each link takes 5 ms.
fn chain(queues: &[(&str, &str)], flows: &str) -> Vec<Table> {
    let mut text = "duration = \"30s\"\nwarmup = \"5s\"\nnode = [{ name = \"r0\" }".to_owned();
    for router in 1..=queues.len() + 1 {
        let _ = write!(text, ", {{ name = \"r{router}\" }}");
    }
    text.push_str("]\n");
    let access = ("kind = \"fifo\", limit = \"1000p\"", "100Mbit");
    for (from, (queue, rate)) in std::iter::once(&access).chain(queues).enumerate() {
        let to = from + 1;
        let _ = writeln!(
            text,
            "[[link]]\nname = \"l{from}\"\nfrom = \"r{from}\"\nto = \"r{to}\"\nrate = \"{rate}\"\ndelay = \"5ms\"\n\
             queue = {{ {queue} }}"
        );
    }
    let last = queues.len() + 1;
    for flow in flows.split(';') {
        let _ = writeln!(text, "[[flow]]\nfrom = \"r0\"\nto = \"r{last}\"\n{}", flow.trim());
    }
    run(&text, 1, Shortcuts::ALL)
}

fn texts<'a>(tables: &'a [Table], name: &str, column: &str) -> Vec<&'a str> {
    let table = tables.iter().find(|table| table.name == name).expect("a table");
    match table.columns.iter().find(|found| found.name == column).map(|found| &found.data) {
        Some(Data::Text(texts)) => texts.iter().map(|text| &**text).collect(),
        _ => panic!("no texts in {name}.{column}"),
    }
}

fn link(tables: &[Table], name: &str, column: &str) -> f64 {
    let row = texts(tables, "queue", "link").iter().position(|link| *link == name).expect("a link");
    number(tables, "queue", column, row)
}

/// Number of events at a link, over all reasons or for one.
fn events(tables: &[Table], at: &str, event: &str, reason: Option<&str>) -> f64 {
    let rows = texts(tables, "reasons", "link").into_iter().zip(texts(tables, "reasons", "event"));
    let rows = rows.zip(texts(tables, "reasons", "reason")).enumerate();
    rows.filter(|(_, ((link, what), why))| *link == at && *what == event && reason.is_none_or(|wanted| *why == wanted))
        .map(|(row, _)| number(tables, "reasons", "packets", row))
        .sum()
}

fn flow(tables: &[Table], row: usize, column: &str) -> f64 {
    number(tables, "flow", column, row)
}

const FIFO: &str = r#"kind = "fifo", limit = "200p""#;
/// Room for 200 packets; RED keeps 10 to 30; 8 Mbit/s over a round trip of 30 ms or so hold 24.
const ROUTER: &str =
    r#"kind = "source_quench", limit = "200p", policy = { kind = "red", min_th = "10p", max_th = "30p" }"#;

/// A sender that knows ECN, and one that hears choke packets and treats them alike.
const BOTH: &str = r#"name = "new"
transport = { kind = "tcp", recovery = "sack", ecn = true, quench = "as_mark" };
name = "old"
transport = { kind = "tcp", recovery = "sack", quench = "as_mark" }"#;
/// The same, but the one without ECN passes over choke packets (RFC 6633).
const DEAF: &str = r#"name = "new"
transport = { kind = "tcp", recovery = "sack", ecn = true, quench = "as_mark" };
name = "old"
transport = { kind = "tcp", recovery = "sack", quench = "ignore" }"#;

#[test]
fn each_sender_is_told_by_the_signal_that_reaches_it() {
    let router = format!(r#"{ROUTER}, preset = "choke_ecn""#);
    let tables = chain(&[(&router, "8Mbit")], BOTH);

    // A sender that a mark reaches gets no choke packet, and senders of both kinds hear of every chosen packet: nothing is dropped.
    let (marks, chokes) = (events(&tables, "l1", "mark", None), events(&tables, "l1", "choke", None));
    assert!(marks > 20.0 && chokes > 20.0, "{marks} marks, {chokes} choke packets");
    assert!(events(&tables, "l1", "drop", None) < 0.5);
    assert!((flow(&tables, 0, "marks_packets") - marks).abs() < 0.5);
    assert!(flow(&tables, 1, "marks_packets") < 0.5);
    // Once per window at most: RFC 3168 section 6.1.2.
    let reductions = [0, 1].map(|row| flow(&tables, row, "ecn_reductions"));
    assert!(reductions[0] > 10.0 && reductions[0] <= marks, "{reductions:?} of {marks}");
    assert!(reductions[1] > 10.0 && reductions[1] <= chokes, "{reductions:?} of {chokes}");
    assert!((0..2).all(|row| flow(&tables, row, "retransmits") < 0.5));

    // One law answers both signals, so that neither is at a disadvantage; together they use the link and keep RED's queue.
    let [new, old] = [0, 1].map(|row| flow(&tables, row, "throughput_bps"));
    assert!((0.5..2.0).contains(&(new / old)), "{new} {old}");
    assert!(link(&tables, "l1", "utilisation") > 0.9);
    assert!((5.0..30.0).contains(&link(&tables, "l1", "backlog_mean_packets")));
}

#[test]
fn who_does_not_hear_choke_packets_takes_the_room_of_who_does() {
    let router = format!(r#"{ROUTER}, preset = "choke_ecn""#);
    let tables = chain(&[(&router, "8Mbit")], DEAF);

    // Nothing but the full buffer slows the old sender: far above RED's upper threshold everything of the new one is marked.
    assert!(events(&tables, "l1", "drop", Some("overflow")) > 0.5);
    assert!(flow(&tables, 1, "ecn_reductions") < 0.5 && flow(&tables, 1, "retransmits") > 0.5);
    assert!(link(&tables, "l1", "backlog_mean_packets") > 60.0, "twice the upper threshold");
    assert!(flow(&tables, 1, "throughput_bps") > 4.0 * flow(&tables, 0, "throughput_bps"));
}

#[test]
fn without_ecn_at_the_bottleneck_marks_of_others_do_not_help() {
    // The router before the bottleneck knows ECN and has nothing to say: its link is faster than the arrivals.
    let new = format!(r#"{ROUTER}, preset = "choke_ecn""#);
    let old_one = chain(&[(&new, "100Mbit"), (FIFO, "8Mbit")], BOTH);
    assert!(events(&old_one, "l1", "mark", None) + events(&old_one, "l1", "choke", None) < 0.5);
    assert!([0, 1].iter().all(|row| flow(&old_one, *row, "ecn_reductions") < 0.5));
    // Windows of 110 packets grow back from the half in 55 round trips of 230 ms: there are losses every 13 s.
    assert!(events(&old_one, "l2", "drop", Some("overflow")) > 0.5);

    // A bottleneck that knows choke packets only tells both by them, also the one whose packets could carry marks.
    let choking = chain(&[(&new, "100Mbit"), (ROUTER, "8Mbit")], BOTH);
    assert!(events(&choking, "l2", "mark", None) < 0.5);
    assert!(events(&choking, "l2", "choke", None) > 40.0);
    assert!([0, 1].iter().all(|row| flow(&choking, *row, "ecn_reductions") > 10.0));
    assert!(events(&choking, "l2", "drop", None) < 0.5);
    assert!(link(&choking, "l2", "backlog_mean_packets") < 30.0);
}

/// 10 Mbit/s in packets of 1000 bytes, whatever comes back.
const BLAST: &str = r#"name = "blast"
transport = { kind = "udp" }
app = { kind = "cbr", rate = "10Mbit", packet = "1000B" }"#;

#[test]
fn a_router_between_that_knows_choke_packets_holds_back_what_another_lets_pass() {
    let router = format!(r#"{ROUTER}, preset = "choke_ecn""#);
    let knows = r#"kind = "hop_by_hop", limit = "200p", threshold = "150p""#;
    let [unaware, aware] = [FIFO, knows].map(|between| chain(&[(between, "20Mbit"), (&router, "8Mbit")], BLAST));

    // These packets cannot carry marks.
    for tables in [&unaware, &aware] {
        assert!(events(tables, "l2", "mark", None) < 0.5);
        // Every choke packet goes on to the source; a few are on their way when the books are opened and closed.
        let (sent, came) = (events(tables, "l2", "choke", None), link(tables, "l0/reverse", "arrivals_packets"));
        let own = events(tables, "l1", "choke", None);
        assert!(sent > 100.0 && (came - sent - own).abs() <= 20.0, "{sent} and {own} sent, {came} came");
    }
    // 2 of 10 Mbit/s are too much. A router of 20 Mbit/s that does not know the signal never queues, and all the excess is
    // lost behind it; one that knows it queues instead, and loses packets that the other does not have to lose.
    assert!(link(&unaware, "l1", "backlog_max_packets") < 1.5);
    assert!((link(&unaware, "l2", "loss_ratio") - 0.2).abs() < 0.01);
    assert!(link(&aware, "l1", "backlog_mean_packets") > 50.0);
    assert!(link(&aware, "l2", "loss_ratio") < 0.1);
}

/// Three routers in a row whose last link is the bottleneck; where choke packets end at the router before, each of them
/// learns of congestion only from the next.
fn three(second: &str) -> Vec<Table> {
    let hop = r#"kind = "hop_by_hop", limit = "100p", threshold = "20p", goes_on = false"#;
    chain(&[(hop, "20Mbit"), (second, "20Mbit"), (hop, "8Mbit")], BLAST)
}

#[test]
fn choke_packets_go_back_router_by_router_to_the_source() {
    let tables = three(r#"kind = "hop_by_hop", limit = "100p", threshold = "20p", goes_on = false"#);

    // Each router that was told queues until it is long itself, and tells the one before.
    for (told, back) in [("l3", "l2/reverse"), ("l2", "l1/reverse"), ("l1", "l0/reverse")] {
        assert!(link(&tables, told, "backlog_max_packets") >= 20.0, "{told}");
        let (sent, came) = (events(&tables, told, "choke", None), link(&tables, back, "arrivals_packets"));
        assert!(sent >= 1.0 && (came - sent).abs() <= 2.0, "{told} sent {sent}, on {back} came {came}");
    }
    // Once per interval of 100 ms about the one flow: 250 in 25 s.
    assert!(["l1", "l2", "l3"].iter().all(|at| events(&tables, at, "choke", None) <= 251.0));
    // The excess of a source that does not listen is lost at the first router, not at the bottleneck.
    let lost = ["l1", "l2", "l3"].map(|at| link(&tables, at, "drops_packets"));
    assert!(lost[0] > lost[1] && lost[0] > lost[2], "{lost:?}");
}

#[test]
fn a_router_that_does_not_know_the_signal_is_left_out_of_the_chain() {
    let tables = three(FIFO);

    // The choke packets of the third pass the second, which never queues, and end at the first.
    assert!(link(&tables, "l2", "backlog_max_packets") < 2.5);
    let (sent, passed) = (events(&tables, "l3", "choke", None), link(&tables, "l1/reverse", "arrivals_packets"));
    assert!(sent >= 1.0 && (passed - sent).abs() <= 2.0, "{sent} sent, {passed} passed");
    assert!(link(&tables, "l1", "backlog_max_packets") >= 20.0);
    let (own, came) = (events(&tables, "l1", "choke", None), link(&tables, "l0/reverse", "arrivals_packets"));
    assert!(own >= 1.0 && (came - own).abs() <= 2.0, "{own} sent, {came} came");
}
