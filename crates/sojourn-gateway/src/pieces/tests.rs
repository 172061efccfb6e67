//! Parts have the headers that a sender who had cut the data itself would have written.

use super::*;
use crate::frame::updated;
use sojourn_files::{Ethernet, read_ethernet};

/// A segment of TCP over IPv4 as Linux hands it to a card: the checksum of TCP is the pseudo header's sum.
fn tcp4(payload: &[u8], sequence: u32, identification: u16, flags: u8) -> Vec<u8> {
    let mut frame = vec![2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0];
    let len = (20 + 32 + payload.len()) as u16;
    frame.extend([0x45, 0x02]);
    frame.extend(len.to_be_bytes());
    frame.extend(identification.to_be_bytes());
    frame.extend([0x40, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]);
    let sum = !folded(words(&frame[14..34]));
    frame[24..26].copy_from_slice(&sum.to_be_bytes());
    let pseudo = words(&frame[26..34]) + 6 + u32::from(len - 20);
    frame.extend([0x9c, 0x40, 0x14, 0x51]);
    frame.extend(sequence.to_be_bytes());
    frame.extend([0, 0, 0, 7, 0x80, flags, 1, 0]);
    frame.extend(folded(pseudo).to_be_bytes());
    // No urgent data; timestamps.
    frame.extend([0, 0, 1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2]);
    frame.extend(payload);
    frame
}

const SUM: Checksum = Checksum { start: 34, offset: 16 };

fn parts(whole: &[u8], joined: Joined, sum: Checksum) -> Vec<Frame> {
    let Ethernet::Ip(packet) = read_ethernet(whole) else { panic!("it is IP") };
    let mut parts = Vec::new();
    assert!(cut(whole, &packet, joined, sum, Vec::new, |part| parts.push(part)));
    parts
}

#[test]
fn parts_of_tcp_are_what_a_sender_would_have_sent() {
    let payload: Vec<u8> = (0..3500_u16).map(|number| number as u8).collect();
    // PSH, ACK, FIN and CWR; the number passes 2^32.
    let whole = tcp4(&payload, u32::MAX - 999, 0xffff, 0x80 | 0x10 | 0x08 | 0x01);
    let got = parts(&whole, Joined { size: 1448, udp: false, cwr_once: true }, SUM);

    let expected = [
        tcp4(&payload[..1448], u32::MAX - 999, 0xffff, 0x80 | 0x10),
        tcp4(&payload[1448..2896], 448, 0, 0x10),
        tcp4(&payload[2896..], 1896, 1, 0x10 | 0x08 | 0x01),
    ];
    for (part, frame) in got.iter().zip(&expected) {
        assert_eq!(part.bytes, *frame);
        assert_eq!(part.checksum, Some(SUM));
    }
    assert_eq!(got.len(), 3);
}

#[test]
fn accurate_ecn_keeps_its_bits_in_every_part() {
    let whole = tcp4(&[0; 3000], 1, 1, 0x80 | 0x40 | 0x10);
    let got = parts(&whole, Joined { size: 1448, udp: false, cwr_once: false }, SUM);
    assert!(got.iter().all(|part| part.bytes[34 + TCP_FLAGS] == 0x80 | 0x40 | 0x10));
}

/// Datagrams over IPv6.
fn udp6(payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x86, 0xdd];
    let len = (8 + payload.len()) as u16;
    frame.extend([0x60, 0, 0, 0]);
    frame.extend(len.to_be_bytes());
    frame.extend([17, 64]);
    frame.extend([0xfd; 16]);
    frame.extend([0xfc; 16]);
    let pseudo = words(&frame[22..54]) + 17 + u32::from(len);
    frame.extend([0x9c, 0x40, 0x14, 0x51]);
    frame.extend(len.to_be_bytes());
    frame.extend(folded(pseudo).to_be_bytes());
    frame.extend(payload);
    frame
}

#[test]
fn parts_of_udp_are_datagrams() {
    let payload: Vec<u8> = (0..2500_u16).map(|number| number as u8).collect();
    let sum = Checksum { start: 54, offset: 6 };
    let got = parts(&udp6(&payload), Joined { size: 1200, udp: true, cwr_once: false }, sum);
    let expected = [udp6(&payload[..1200]), udp6(&payload[1200..2400]), udp6(&payload[2400..])];
    assert_eq!(got.iter().map(|part| part.bytes.clone()).collect::<Vec<_>>(), expected);
}

#[test]
fn what_headers_do_not_explain_is_not_cut() {
    let whole = tcp4(&[0; 100], 1, 1, 0x10);
    let Ethernet::Ip(packet) = read_ethernet(&whole) else { panic!("it is IP") };
    let joined = Joined { size: 10, udp: false, cwr_once: false };
    for sum in [
        Checksum { start: 20, offset: 16 },
        Checksum { start: 160, offset: 16 },
        Checksum { start: 34, offset: 200 },
        Checksum { start: u16::MAX, offset: u16::MAX },
    ] {
        assert!(!cut(&whole, &packet, joined, sum, Vec::new, |_| panic!("no part")), "{sum:?}");
    }
    assert!(!cut(&whole, &packet, Joined { size: 0, ..joined }, SUM, Vec::new, |_| panic!("no part")));
}

#[test]
fn the_update_of_a_sum_agrees_with_the_example_of_rfc_1624() {
    // Section 4: 0xdd2f, 0x5555 becomes 0x3285, the sum 0x0000.
    assert_eq!(updated(0xdd2f, 0x5555, 0x3285), 0x0000);
}
