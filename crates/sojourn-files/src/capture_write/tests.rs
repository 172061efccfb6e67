use super::*;
use crate::read;
use sojourn_sim::packet::{Ecn, FlowId, Packet};
use sojourn_sim::queue::{FlowHosts, Hosts, Reason};
use sojourn_sim::units::{Instant, Rate};

fn frame(nanos: u64, flow: u32, size: u32, ecn: Ecn) -> Frame {
    let packet = Packet::datagram(FlowId(flow), 0, size).with_ecn(ecn);
    Frame { time: Instant::from_nanos(nanos), packet, mark: None, end: None }
}

fn captures(names: &[&str], arrived: &[Frame]) -> Captures {
    let link = |name: &&str| LinkCapture {
        name: (*name).to_owned(),
        rate: Rate::from_bps(1_000_000),
        arrived: arrived.to_vec(),
        sent: Vec::new(),
    };
    let flows = vec!["web/0".to_owned(), "web/1".to_owned()];
    Captures { links: names.iter().map(link).collect(), flows, ..Captures::default() }
}

#[test]
fn flows_between_nodes_have_their_addresses_and_names() {
    let frames = [frame(1, 0, 100, Ecn::Ect0), frame(2, 1, 100, Ecn::Ect0)];
    let ends = [(2, 5), (3, 5)].map(|(source, target)| Hosts { source, target });
    let captures = Captures {
        hosts: FlowHosts::new((0..).map(FlowId).zip(ends)),
        nodes: ["r0", "r1", "a", "b", "r2", "server"].map(String::from).into(),
        ..captures(&["up"], &frames)
    };
    let files = write_captures(&captures, Payload::Left);

    let trace = read(&files[0].bytes).expect("a capture");
    assert_eq!(trace.flows, ["udp 10.0.0.3:50000 > 10.0.0.6:38000", "udp 10.0.0.4:50000 > 10.0.0.6:38000"]);
    let [one, other] = [0, 1].map(|flow| trace.hosts.get(FlowId(flow)));
    assert_eq!(one.target, other.target);
    assert_ne!(one.source, other.source);
    assert!(["a\0", "b\0", "server\0"].into_iter().all(|name| contains(&files[0].bytes, name)));
    assert!(!contains(&files[0].bytes, "r1") && !contains(&files[0].bytes, "web"), "neither routers nor flows");
}

fn contains(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

#[test]
fn the_reader_reads_what_the_writer_wrote() {
    let frames =
        [frame(5, 0, 1500, Ecn::Ect0), frame(1 << 40, 1, 41, Ecn::NotEct), frame((1 << 40) + 1, 0, 9000, Ecn::Ce)];
    for payload in [Payload::Left, Payload::Zeros] {
        let files = write_captures(&captures(&["forward"], &frames), payload);
        let trace = read(&files[0].bytes).expect("a capture");

        let back = |arrival: &sojourn_sim::replay::Arrival| {
            (arrival.time.as_nanos() + 5, arrival.flow.0, arrival.size, arrival.ecn)
        };
        let written =
            frames.map(|frame| (frame.time.as_nanos(), frame.packet.flow.0, frame.packet.size, frame.packet.ecn));
        assert_eq!(trace.arrivals.iter().map(back).collect::<Vec<_>>(), written);
        assert_eq!(trace.flows, ["udp 10.0.0.1:50000 > 10.128.0.1:38000", "udp 10.0.0.2:50000 > 10.128.0.2:38001"]);
    }
}

#[test]
fn files_are_named_after_links() {
    let names = |links: &[&str]| -> Vec<String> {
        write_captures(&captures(links, &[]), Payload::Left).into_iter().map(|file| file.name).collect()
    };
    assert_eq!(names(&["forward"]), ["forward.in.pcapng", "forward.out.pcapng"]);
    // No link leaves the folder or hides in it, and no two are one file, also where letters have no case.
    let odd = names(&["../a", "___A", "", "neck/reverse"]);
    assert_eq!(
        odd.iter().step_by(2).collect::<Vec<_>>(),
        ["___a.in.pcapng", "___A-2.in.pcapng", "link.in.pcapng", "neck_reverse.in.pcapng"]
    );
}

#[test]
fn what_became_of_a_packet_is_its_comment() {
    let mut fates = [frame(1, 0, 100, Ecn::Ect0); 3];
    fates[0].mark = Some(Reason::EARLY);
    fates[1].end = Some(What::Drop(Reason::OVERFLOW));
    fates[2].end = Some(What::Loss(Reason::CORRUPTION));
    let files = write_captures(&captures(&["forward"], &fates), Payload::Left);

    for text in ["marked: early", "dropped: overflow", "lost: corruption", "web/0/source", "web/0/sink"] {
        assert!(contains(&files[0].bytes, text), "{text}");
    }
    assert!(!contains(&files[0].bytes, "web/1"), "a flow that is not seen has no name");
}
