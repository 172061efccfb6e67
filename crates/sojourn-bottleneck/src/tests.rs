//! The same bytes as the engine, for every queue; and the promises to callers.

use super::{Bottleneck, Datagram, Ecn, Link, Path, Queue, Time, instant};
use sojourn_sim::metrics::capture::{Frame, LinkCapture};
use sojourn_sim::packet::Body;
use sojourn_sim::queue::What;
use sojourn_sim::registry::QUEUES;
use sojourn_sim::scenario::Plan;
use sojourn_sim::sim::Simulation;

/// The arrivals at the link `forward` with this queue in the engine, and its departures.
fn engine(queue: &str, more: &str) -> LinkCapture {
    let text = format!(
        r#"
duration = "4s"
node = [{{ name = "a" }}, {{ name = "b" }}]
link = [{{ name = "forward", from = "a", to = "b", rate = "5Mbit", delay = "10ms", queue = {queue}{more} }}]
[record]
pcap = true
[[flow]]
name = "steady"
from = "a"
to = "b"
count = 7
transport = {{ kind = "udp", ecn = true }}
app = {{ kind = "poisson", rate = "0.7Mbit", packet = "700B" }}
[[flow]]
name = "blast"
from = "a"
to = "b"
start = "1.0000007s"
stop = "2s"
transport = "udp"
app = {{ kind = "poisson", rate = "5Mbit", packet = "1300B" }}
"#
    );
    let plan = Plan::from_toml(&text, "test").expect("a valid scenario");
    let mut simulation = Simulation::new(&plan, 5).expect("a plan that can be run");
    simulation.advance(simulation.end());
    simulation.take_captures().links.swap_remove(0)
}

/// When a packet arrived, its number and its ECN field.
type Got = (Time, u64, Ecn);
/// When a packet was lost, its number and why.
type Gone = (Time, u64, &'static str);

/// The same arrivals through a path: the packets that it sends on, as time of arrival, flow and ECN field, and those that it loses.
fn through(path: &mut Path<u64>, arrived: &[Frame]) -> (Vec<Got>, Vec<Gone>) {
    for (number, frame) in arrived.iter().enumerate() {
        let datagram = Datagram::new(frame.packet.size).flow(frame.packet.flow.0).ecn(frame.packet.ecn);
        path.send(super::time(frame.time), datagram.dscp(frame.packet.dscp), number as u64);
    }
    let mut got = Vec::new();
    let end = Time::from_secs(4);
    path.advance(end);
    while let Some(packet) = path.receive(end) {
        got.push((packet.at, packet.payload, packet.datagram.ecn));
    }
    (got, path.lost().map(|lost| (lost.at, lost.payload, lost.reason)).collect())
}

fn same_as_the_engine(queue: &str, more: &str) {
    let capture = engine(queue, more);
    let text =
        format!("flows = 8\n[[link]]\nname = \"forward\"\nrate = \"5Mbit\"\ndelay = \"10ms\"\nqueue = {queue}\n");
    let more = more.trim_start_matches(", ");
    let mut path = Path::from_toml(&format!("{text}{more}\n"), 5).expect("a valid path");
    let (got, lost) = through(&mut path, &capture.arrived);

    let number = |frame: &Frame| {
        let same = |other: &Frame| other.packet.flow == frame.packet.flow && sequence(other) == sequence(frame);
        capture.arrived.iter().position(same).expect("it has come") as u64
    };
    let ends = |frame: &&Frame| !matches!(frame.end, Some(What::Loss(_)));
    let sent: Vec<_> = capture.sent.iter().filter(ends).map(|frame| (number(frame), frame.packet.ecn)).collect();
    let got_by_order: Vec<_> = got.iter().map(|(_, which, ecn)| (*which, *ecn)).collect();
    // Packets on their way when the time is over have been sent, and have not arrived.
    let differ = sent.iter().zip(&got_by_order).position(|(theirs, ours)| theirs != ours);
    assert_eq!(differ, None, "{queue}");
    assert!((got.len()..got.len() + 16).contains(&sent.len()), "{queue}: {} sent, {} arrived", sent.len(), got.len());
    let ended = capture.arrived.iter().filter(|frame| frame.end.is_some()).count();
    assert_eq!(lost.len(), ended, "{queue}");
    assert!(got.len() > 1000, "{queue}: {}", got.len());
}

fn sequence(frame: &Frame) -> u64 {
    let Body::Datagram { seq, .. } = frame.packet.body else { panic!("only datagrams are sent") };
    seq
}

#[test]
fn every_queue_decides_as_in_the_engine() {
    for entry in QUEUES {
        same_as_the_engine(&format!("{:?}", entry.name), "");
    }
}

#[test]
fn a_link_in_words_is_the_one_of_a_file() {
    let queue = "{ kind = \"red\", min_th = \"4p\", ecn = true }";
    let capture = engine(queue, "");
    let file = format!(
        "[[link]]\nname = \"forward\"\nrate = \"5Mbit\"\ndelay = \"10ms\"\njitter = {{ mean = \"1ms\" }}\nqueue = {queue}\n"
    );
    let words = Link::new("5Mbit", "10ms").set("jitter.mean", "1ms").queue("red:min_th=4p,ecn=true");
    let of_file = through(&mut Path::from_toml(&file, 5).expect("a valid path"), &capture.arrived);
    let in_words = through(&mut Path::new([words], 5).expect("a valid path"), &capture.arrived);

    assert!(of_file.0.len() > 1000 && !of_file.1.is_empty());
    assert_eq!(of_file, in_words);
}

#[test]
fn losses_jitter_and_changes_are_those_of_the_engine() {
    same_as_the_engine("\"codel\"", ", loss = { kind = \"uniform\", probability = 0.02 }");
    same_as_the_engine("\"fq_codel\"", ", jitter = { mean = \"1ms\" }");
    same_as_the_engine("\"red\"", ", changes = [{ at = \"2s\", rate = \"8Mbit\" }]");
}

#[test]
fn a_packet_takes_its_transmission_and_the_delay_of_each_link() {
    let links = "[[link]]\nrate = \"10Mbit\"\ndelay = \"20ms\"\n[[link]]\nrate = \"1Mbit\"\ndelay = \"5ms\"\n";
    let mut path = Path::from_toml(links, 1).expect("a valid path");
    path.send(Time::from_millis(3), Datagram::new(1000), "a");
    assert_eq!(path.next_time(), Some(Time::from_micros(3_800)));

    // 3 ms, 0.8 ms and 20 ms, 8 ms and 5 ms.
    assert_eq!(path.receive(Time::from_micros(36_799)), None);
    let got = path.receive(Time::from_millis(40)).expect("it has arrived");
    assert_eq!((got.at, got.payload), (Time::from_micros(36_800), "a"));
    assert!(path.is_empty());
    assert_eq!(path.next_time(), None);
}

#[test]
fn next_time_leads_to_every_arrival() {
    let mut path = Bottleneck::new("fq_codel", "2Mbit", "7ms", 3).expect("a valid link");
    for number in 0..200 {
        path.send(Time::ZERO, Datagram::new(1500).flow(number % 5), number);
    }
    let (mut got, mut last) = (0, Time::ZERO);
    while let Some(at) = path.next_time() {
        assert!(at >= last);
        last = at;
        while let Some(packet) = path.receive(at) {
            assert_eq!(packet.at, at);
            got += 1;
        }
    }
    assert_eq!(got + path.lost().count(), 200);
}

#[test]
fn a_queue_whose_caller_sends_is_the_one_of_the_path() {
    let mut queue = Queue::new("codel", "5Mbit", "20ms", 5).expect("a valid queue");
    let mut path = Bottleneck::new("codel", "5Mbit", "10ms", 5).expect("a valid link");
    let (mut free, mut left) = (Time::ZERO, Vec::new());
    for number in 0..2000_u64 {
        let now = Time::from_micros(1_100 * number);
        while free <= now && free > Time::ZERO {
            match queue.dequeue(free) {
                Some(packet) => {
                    free += Time::from_micros(1_600);
                    left.push(packet.payload);
                }
                None => free = Time::ZERO,
            }
        }
        queue.enqueue(now, Datagram::new(1000), number);
        path.send(now, Datagram::new(1000), number);
        if free == Time::ZERO {
            left.extend(queue.dequeue(now).map(|packet| packet.payload));
            free = now + Time::from_micros(1_600);
        }
    }
    let mut arrived = Vec::new();
    while let Some(packet) = path.receive(Time::from_micros(1_100 * 1999)) {
        arrived.push(packet.payload);
    }
    assert!(queue.lost().count() > 50);
    assert_eq!(arrived[..], left[..arrived.len()]);
}

#[test]
fn what_is_wrong_is_said() {
    let message = |result: Result<Path<()>, super::Error>| result.expect_err("it is wrong").to_string();
    let link = |queue, rate| message(Bottleneck::new(queue, rate, "1ms", 1).map(Path::from));

    assert!(link("codl", "1Mbit").contains("did you mean \"codel\"?"));
    assert!(link("red:min_tj=1", "1Mbit").contains("min_th"));
    assert!(link("codel", "1Mbps").contains("Mbps"));
    assert!(message(Path::from_toml("", 1)).contains("a path has no link"));
    assert!(message(Path::from_toml("duration = \"1s\"", 1)).contains("duration"));
    assert!(
        message(Path::from_toml("[[link]]\nrate = \"1Mbit\"\ndelay = \"1ms\"\nfrom = \"a\"", 1)).contains("in a row")
    );
}

#[test]
#[should_panic(expected = "time goes back")]
fn time_does_not_go_back() {
    let mut path = Bottleneck::new("fifo", "1Mbit", "1ms", 1).expect("a valid link");
    path.send(Time::from_secs(1), Datagram::new(100), ());
    path.advance(Time::from_millis(999));
}

#[test]
fn times_are_the_core_s_to_the_nanosecond() {
    assert_eq!(super::time(instant(Time::new(3, 7))), Time::new(3, 7));
}
