//! A direction is a path of real frames: those of a replay decide alike.

use super::*;
use sojourn_files::{Ethernet, read_ethernet};

const LINK: &str = "[[link]]\nname = \"forward\"\nrate = \"12Mbit\"\ndelay = \"1ms\"\nqueue = ";

/// A datagram of UDP over IPv4 with this ECN field, of `len` bytes of IP, without a checksum.
fn datagram(port: u16, ecn: u8, len: u16) -> Vec<u8> {
    let mut frame = vec![2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0, 0x45, ecn];
    frame.extend(len.to_be_bytes());
    frame.extend([0, 1, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]);
    frame.extend(port.to_be_bytes());
    frame.extend([0, 9]);
    frame.extend((len - 20).to_be_bytes());
    frame.resize(14 + usize::from(len), 0);
    frame
}

fn arrive(direction: &mut Direction, time: u64, bytes: Vec<u8>) {
    let Ethernet::Ip(packet) = read_ethernet(&bytes) else { panic!("it is IP") };
    direction.arrive(time, Frame { bytes, checksum: None }, &packet);
}

#[test]
fn a_packet_leaves_after_its_transmission_and_the_delay() {
    let mut direction = Direction::new(&format!("{LINK}\"fifo\""), 1, None).expect("a valid link");
    assert_eq!(direction.next(), None);
    arrive(&mut direction, 5_000_000, datagram(1, 0, 1500));
    arrive(&mut direction, 5_000_000, datagram(2, 0, 1500));
    assert_eq!(direction.backlog(), Amount { packets: 1, bytes: 1500 });

    // 1 ms at 12 Mbit/s and 1 ms of delay.
    assert!(direction.due(6_999_999).is_none());
    let first = direction.due(7_200_000).expect("it is due");
    assert_eq!((first.at, first.frame.bytes.len()), (7_000_000, 1514));
    direction.left(7_250_000, first);
    let second = direction.due(8_000_000).expect("it is due");
    direction.refused(second);

    let totals = direction.finish().totals;
    assert_eq!((totals.came.packets, totals.sent.bytes), (2, 1500));
    assert_eq!(totals.late.max(), 250_000);
    assert_eq!(totals.drops, [(REFUSED, 1)]);
}

#[test]
fn a_time_before_the_present_is_the_present() {
    let mut direction = Direction::new(&format!("{LINK}\"fifo\""), 1, None).expect("a valid link");
    arrive(&mut direction, 5_000_000, datagram(1, 0, 1500));
    assert!(direction.due(6_000_000).is_none());
    arrive(&mut direction, 4_000_000, datagram(1, 0, 1500));
    assert_eq!(direction.due(9_000_000).expect("it is due").at, 7_000_000);
    assert_eq!(direction.due(9_000_000).expect("it is due").at, 8_000_000);
}

#[test]
fn a_mark_is_in_the_header_that_leaves_and_is_counted_by_its_reason() {
    let queue = "{ kind = \"red\", ecn = true, min_th = \"1p\", max_th = \"100p\", w_q = 1.0, max_p = 0.9 }";
    let mut direction = Direction::new(&format!("{LINK}{queue}"), 1, None).expect("a valid link");
    for number in 0..40 {
        arrive(&mut direction, number, datagram(1, if number % 2 == 0 { 2 } else { 0 }, 500));
    }
    let mut marked = 0;
    while let Some(leaving) = direction.due(1_000_000_000) {
        let bytes = &leaving.frame.bytes;
        marked += u64::from(bytes[15] & 3 == 3);
        assert_eq!(leaving.marked.is_some(), bytes[15] & 3 == 3);
        direction.left(1_000_000_000, leaving);
    }
    let totals = direction.finish().totals;
    assert!(marked > 0);
    assert_eq!(totals.marks.iter().map(|(_, number)| number).sum::<u64>(), marked);
    assert!(totals.drops.iter().map(|(_, number)| number).sum::<u64>() > 0, "what is not capable is dropped");
}

#[test]
fn several_drops_at_once_are_all_counted() {
    // When its limit is exceeded, FQ-CoDel drops a batch from the longest flow.
    let queue = "{ kind = \"fq_codel\", limit = \"100p\" }";
    let mut direction = Direction::new(&format!("{LINK}{queue}"), 1, None).expect("a valid link");
    for number in 0..400 {
        arrive(&mut direction, number, datagram(1, 0, 1500));
    }
    let mut left = 0;
    while let Some(leaving) = direction.due(10_000_000_000) {
        direction.left(10_000_000_000, leaving);
        left += 1;
    }
    let totals = direction.finish().totals;
    assert!(left < 400);
    assert_eq!(totals.drops.iter().map(|(_, number)| number).sum::<u64>(), 400 - left);
}

#[test]
fn flows_have_numbers_in_order_of_their_first_packet_and_the_silent_give_theirs_back() {
    let key = |number: u32| {
        let mut frame = datagram((number >> 8) as u16, 0, 40);
        frame[29] = number as u8;
        let Ethernet::Ip(packet) = read_ethernet(&frame) else { panic!("it is IP") };
        packet.flow
    };
    let mut flows = Flows::default();
    for number in 0..FLOWS_MAX as u32 {
        assert_eq!(flows.number(key(number), u64::from(number)), number);
    }
    assert_eq!(flows.number(key(7), 1_000_000), 7);
    // The first that was silent for long.
    assert_eq!(flows.number(key(FLOWS_MAX as u32), 1_000_001), 0);
    assert_eq!(flows.number(key(7), 1_000_002), 7);
    assert!(flows.numbers.len() < FLOWS_MAX);
}

/// A frame with a packet of IPv4 from one of two hosts.
fn frame_of(host: u8, protocol: u8, payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0, 0x45, 0];
    frame.extend((20 + payload.len() as u16).to_be_bytes());
    frame.extend([0, 1, 0, 0, 64, protocol, 0, 0, 10, 0, 0, host, 198, 51, 100, 1]);
    frame.extend(payload);
    frame
}

/// Ports and 972 bytes of data over UDP; and a segment of TCP that acknowledges.
fn data(port: u16) -> Vec<u8> {
    let mut udp = port.to_be_bytes().to_vec();
    udp.extend([1, 187, 3, 212, 0, 0]);
    udp.resize(980, 0);
    udp
}

fn acknowledges(next: u32) -> Vec<u8> {
    let mut tcp = vec![0x13, 0x88, 1, 187, 0, 0, 0, 1];
    tcp.extend(next.to_be_bytes());
    tcp.extend([0x50, 0x10, 0, 9, 0, 0, 0, 0]);
    tcp
}

/// When all has left: after 1000 s.
const LATE: u64 = 1_000_000_000_000;

/// The drops of the gateway and of a replay of the same frames as a capture.
fn drops(queue: &str, settings: &[(&str, &str)], frames: &[(u64, Vec<u8>)]) -> [u64; 2] {
    let mut direction = Direction::new(&format!("{LINK}{queue}"), 1, None).expect("a valid link");
    let mut file = Vec::new();
    sojourn_files::pcapng::section(&mut file);
    let about = sojourn_files::pcapng::Interface { name: "up", doc: "", bits_per_second: 0, snap: 0 };
    sojourn_files::pcapng::interface(&mut file, 1, about);
    for (time, frame) in frames {
        while let Some(leaving) = direction.due(*time) {
            direction.left(*time, leaving);
        }
        arrive(&mut direction, *time, frame.clone());
        sojourn_files::pcapng::packet(&mut file, *time, frame, frame.len() as u32, &[""; 0]);
    }
    while let Some(leaving) = direction.due(LATE) {
        direction.left(LATE, leaving);
    }
    let gateway = direction.finish().totals.drops.iter().map(|(_, packets)| packets).sum();

    let trace = sojourn_files::read(&file).expect("a capture");
    let entry = sojourn_sim::registry::queue("cake").expect("a queue");
    let args = sojourn_sim::rig::set(entry.args(Some("linux")).expect("a preset"), settings);
    let rate = sojourn_sim::units::Rate::from_bps(12_000_000);
    let link = sojourn_sim::queue::LinkContext { hosts: trace.hosts, rate, ..Default::default() };
    let discipline = entry.build(&args, &link).expect("a queue");
    let rng = sojourn_sim::rng::Rng::named(1, "queue");
    let mut replay =
        sojourn_sim::replay::Replay::new(discipline, rate, rng).with_acknowledgements(trace.acknowledgements);
    for arrival in trace.arrivals {
        replay.push(arrival).expect("in order");
    }
    [gateway, replay.finish().summary.dropped()]
}

#[test]
fn hosts_and_acknowledgements_of_frames_are_those_of_a_replay() {
    let queue = |isolation: &str, filter: &str| {
        format!(
            "{{ kind = \"cake\", preset = \"linux\", tins = \"besteffort\", isolation = \"{isolation}\", \
             ack_filter = \"{filter}\", bandwidth = \"1Mbit\" }}"
        )
    };
    let decide = |isolation: &str, filter: &str, frames: &[(u64, Vec<u8>)]| {
        let settings =
            [("tins", "besteffort"), ("isolation", isolation), ("ack_filter", filter), ("bandwidth", "1Mbit")];
        let [gateway, replay] = drops(&queue(isolation, filter), &settings, frames);
        assert_eq!(gateway, replay, "{isolation} {filter}");
        gateway
    };
    // A packet of the first host every 20 ms is less than half of the rate; the second sends nine times as much.
    let flood: Vec<(u64, Vec<u8>)> = (0..1000)
        .map(|number| {
            let flow = number % 10;
            (number * 2_000_000, frame_of(if flow == 0 { 10 } else { 11 }, 17, &data(5000 + flow as u16)))
        })
        .collect();
    let of_first: Vec<(u64, Vec<u8>)> = flood.iter().step_by(10).cloned().collect();
    assert_eq!(decide("dual-srchost", "off", &of_first), 0);
    assert_ne!(decide("dual-srchost", "off", &flood), decide("flows", "off", &flood));
    // 40 bytes take 0.32 ms at 1 Mbit/s: as the replay's test has it.
    let acks: Vec<(u64, Vec<u8>)> = (0..1000_u64)
        .map(|number| (number * 100_000, frame_of(10, 6, &acknowledges(1000 + number as u32 * 2896))))
        .collect();
    assert_eq!(decide("triple-isolate", "filter", &acks), 685);
    assert!(decide("triple-isolate", "off", &acks) < 685);
}
