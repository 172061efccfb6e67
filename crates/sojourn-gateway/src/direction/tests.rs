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
