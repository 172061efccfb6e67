use super::*;
use sojourn_sim::header::{Answer, Dscp};
use sojourn_sim::packet::{Codepoint, SackBlocks};

const MICRO: u64 = 1_000;

fn packet(size: u32, body: Body) -> Packet {
    Packet { size, body, ..Packet::datagram(FlowId(0), 0, 0) }
}

fn data(size: u32, seq: u64, len: u32) -> Packet {
    let sent_at = Instant::from_nanos(7 * MICRO);
    packet(size, Body::Data { seq, len, sent_at, syn: false, cwr: false, retransmit: false, push: false, header: None })
}

fn syn(size: u32, seq: u64, micros: u64) -> Packet {
    let sent_at = Instant::from_nanos(micros * MICRO);
    packet(
        size,
        Body::Data { seq, len: 0, sent_at, syn: true, cwr: false, retransmit: false, push: false, header: None },
    )
}

fn ack(size: u32, ack: u64, blocks: &[(u32, u32)]) -> Packet {
    let mut sack = SackBlocks::default();
    for &(start, end) in blocks {
        sack.push(start, end);
    }
    let echo = Instant::from_nanos(9 * MICRO);
    packet(
        size,
        Body::Ack { ack, echo, sack, codepoint: Codepoint::Ece, syn: false, offered: 0, answer: Answer::default() },
    )
}

fn encode(packet: &Packet) -> Bytes {
    Encoder::default().encode(packet)
}

fn be32(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

fn options(bytes: &Bytes) -> &[u8] {
    &bytes.headers[40..]
}

/// RFC 1071 section 1 (3): the sum over all words, the checksum included, is all ones.
fn sums_to_ones(words: &[u8]) -> bool {
    let sum: u64 = words.chunks(2).map(|pair| u64::from(u16::from_be_bytes([pair[0], pair[1]]))).sum();
    sum.is_multiple_of(0xffff) && sum > 0
}

#[test]
fn checksums_hold_over_headers_and_a_payload_of_zeros() {
    let datagram = Packet { flow: FlowId(999_999), ..Packet::datagram(FlowId(0), 3, 777) };
    for packet in [data(1500, 12_345, 1448), ack(64, 5, &[(10, 20)]), syn(40, 0, 1), datagram] {
        let Bytes { headers, len } = encode(&packet.with_ecn(Ecn::Ce));

        assert!(sums_to_ones(&headers[..20]), "{packet:?}");
        let mut whole = headers[12..20].to_vec();
        whole.extend([0, headers[9]]);
        whole.extend((len as u16 - 20).to_be_bytes());
        whole.extend(&headers[20..]);
        assert!(sums_to_ones(&whole), "{packet:?}");
        assert_eq!((headers[1], u32::from(u16::from_be_bytes([headers[2], headers[3]]))), (3, len));
    }
}

#[test]
fn the_codepoint_stands_above_the_ecn_field() {
    // RFC 3246: EF is 101110; RFC 3168: ECT(0) is 10.
    let packet = Packet { dscp: Dscp::EF, ..data(1500, 0, 1448) }.with_ecn(Ecn::Ect0);
    assert_eq!(encode(&packet).headers[1], 0b1011_1010);

    // A choke packet is best effort, and quotes the byte of its packet.
    let choke = Packet { body: packet.choke().expect("data"), ..Packet::datagram(FlowId(0), 0, 56) };
    let headers = encode(&choke).headers;
    assert_eq!((headers[1], headers[28 + 1]), (0, 0b1011_1010));
}

#[test]
fn sequence_numbers_go_on_modulo_two_to_the_32() {
    let first = encode(&data(1500, 0, 1448));
    let wrapped = encode(&data(1500, u64::from(u32::MAX) + 10, 1448));
    assert_eq!((be32(&first.headers, 24), be32(&wrapped.headers, 24)), (1, 10));
    // A SYN is one before the data, modulo 2^32 too.
    assert_eq!(be32(&encode(&syn(40, 1 << 32, 1)).headers, 24), 0);

    // The block 5..15 above byte 2^32 - 10 ends behind the wrap.
    let sack = encode(&ack(52, u64::from(u32::MAX) - 9, &[(5, 15)]));
    assert_eq!(
        (be32(&sack.headers, 28), be32(options(&sack), 4), be32(options(&sack), 8)),
        (u32::MAX - 8, u32::MAX - 3, 6)
    );
}

#[test]
fn options_take_the_room_that_the_headers_leave() {
    assert!(options(&encode(&data(1000, 0, 960))).is_empty());
    // Two NOPs, kind, length, then 7 us and no echo.
    assert_eq!(options(&encode(&data(1012, 0, 960))), [1, 1, 8, 10, 0, 0, 0, 7, 0, 0, 0, 0]);
    // 66 bytes of headers: 14 of them belong to a link.
    let with_link = encode(&data(1026, 0, 960));
    assert_eq!((options(&with_link).len(), with_link.len), (24, 1026));
    assert_eq!(u16::from_be_bytes([with_link.headers[2], with_link.headers[3]]), 1024);

    assert!(options(&encode(&syn(40, 0, 1))).is_empty());
    let [mss, scale, permitted] = [[2, 4, 255, 215], [1, 3, 3, 14], [1, 1, 4, 2]];
    assert_eq!(options(&encode(&syn(52, 0, 1))), [mss, scale, permitted].concat());
    assert_eq!(options(&encode(&syn(60, 0, 1)))[..12], [mss, scale, [4, 2, 8, 10]].concat());
}

#[test]
fn selective_acknowledgements_are_written_even_without_room() {
    // The packets of ns-2 do not grow with their blocks; ours are 4 + 8 bytes longer.
    let short = encode(&ack(40, 100, &[(10, 20)]));
    assert_eq!((short.len, &options(&short)[..4]), (52, &[1, 1, 5, 10][..]));
    // Timestamps and three blocks fill a header: 12 + 4 + 24 = 40.
    assert_eq!(options(&encode(&ack(80, 100, &[(1, 2), (3, 4), (5, 6)]))).len(), 40);
}

#[test]
fn the_handshake_of_ecn_has_its_flags() {
    let with = |body| encode(&packet(40, body)).headers[33];
    let syn = |cwr| {
        with(Body::Data {
            seq: 0,
            len: 0,
            sent_at: Instant::ZERO,
            syn: true,
            cwr,
            retransmit: false,
            push: false,
            header: None,
        })
    };
    let ack = |codepoint, answers_syn| {
        let (echo, sack) = (Instant::ZERO, SackBlocks::default());
        with(Body::Ack { ack: 0, echo, sack, codepoint, syn: answers_syn, offered: 0, answer: Answer::default() })
    };
    assert_eq!([syn(false), syn(true)], [SYN, SYN | ECE | CWR]);
    assert_eq!(ack(Codepoint::Ece, true), SYN | ACK | ECE);
    assert_eq!([Codepoint::None, Codepoint::Count].map(|codepoint| ack(codepoint, false)), [ACK, ACK | ECE | CWR]);
}

#[test]
fn a_pushed_segment_has_its_flag() {
    let sent_at = Instant::ZERO;
    let with =
        |push| Body::Data { seq: 0, len: 10, sent_at, syn: false, cwr: false, retransmit: false, push, header: None };
    assert_eq!([false, true].map(|push| encode(&packet(50, with(push))).headers[33]), [ACK, ACK | PSH]);
}

#[test]
fn a_choke_packet_is_a_source_quench_about_its_flow() {
    for about in [data(1500, 999, 1448), syn(60, 999, 3), Packet::datagram(FlowId(0), 3, 777)] {
        let told = about.with_ecn(Ecn::Ect0);
        let Bytes { headers, len } = encode(&packet(56, told.choke().expect("it flows to the receiver")));

        assert_eq!((headers.len(), len, headers[9], headers[20]), (56, 56, 1, 4));
        assert!(sums_to_ones(&headers[..20]) && sums_to_ones(&headers[20..]));
        assert_eq!(be32(&headers, 16), own(0)[0]);
        // RFC 792: "the internet header plus the first 64 bits of the original datagram's data".
        assert_eq!(headers[28..], encode(&told).headers[..28]);
    }
    assert_eq!(ack(40, 1, &[]).choke(), None);
}

#[test]
fn each_connection_of_a_flow_has_a_port_of_its_own() {
    let mut encoder = Encoder::default();
    let at = |micros: u64, seq: u64| {
        let sent_at = Instant::from_nanos(micros * MICRO);
        packet(
            1500,
            Body::Data {
                seq,
                len: 1448,
                sent_at,
                syn: false,
                cwr: false,
                retransmit: false,
                push: false,
                header: None,
            },
        )
    };
    // The SYN of the second connection is sent twice; a packet of the first comes late.
    let packets = [syn(40, 0, 1), at(2, 0), syn(40, 1448, 10), syn(40, 1448, 12), at(3, 0), at(14, 1448)];

    let ports = packets.map(|packet| {
        let headers = encoder.encode(&packet).headers;
        u16::from_be_bytes([headers[20], headers[21]])
    });

    assert_eq!(ports, [50_000, 50_000, 50_001, 50_001, 50_000, 50_001]);
}

#[test]
fn connections_at_a_time_have_ports_wherever_they_are_seen() {
    let ports = |encoder: &mut Encoder, packet: &Packet| {
        let headers = encoder.encode(packet).headers;
        (u16::from_be_bytes([headers[20], headers[21]]), u16::from_be_bytes([headers[22], headers[23]]))
    };
    // Slots begin 2^44 bytes apart. Here the SYN of slot 0 is not seen.
    let slot = 1_u64 << 44;
    let (mut whole, mut rest) = (Encoder::default(), Encoder::default());
    let opening = [syn(40, 0, 1), syn(40, slot, 2), syn(40, slot + 500, 8)];

    let all: Vec<_> = opening.iter().map(|packet| ports(&mut whole, packet)).collect();
    let later: Vec<_> = opening[1..].iter().map(|packet| ports(&mut rest, packet)).collect();

    assert_eq!(all, [(50_000, 38_000), (50_000, 38_001), (50_001, 38_001)]);
    assert_eq!(all[1..], later);
    assert_eq!(ports(&mut whole, &data(1500, slot, 1448)), (50_000, 38_001), "sent at 7 us");
    assert_eq!(be32(&whole.encode(&data(1500, slot, 1448)).headers, 24), 1);
}

/// The addresses of a flow with hosts of its own.
fn own(flow: u32) -> [u32; 2] {
    Ends::default().addresses(FlowId(flow))
}

#[test]
fn hosts_have_addresses_of_their_own() {
    let [sender, receiver] = own(0);
    assert_eq!((sender.to_be_bytes(), receiver.to_be_bytes()), ([10, 0, 0, 1], [10, 128, 0, 1]));
    assert_eq!(own(999_999).map(|host| host >> 24), [10, 10]);
    assert_ne!(own(999_999)[0], receiver);
}

#[test]
fn no_size_is_too_small_or_too_large() {
    for size in [0, 1, 27, 28, 39, 41, 65_535, 1 << 30] {
        let datagram = encode(&Packet::datagram(FlowId(1), 0, size));
        let segment = encode(&data(size, 0, size.saturating_sub(40)));
        assert!(datagram.len >= 28.max(size) && segment.len >= 40.max(size));
    }
}

#[test]
fn flows_between_the_same_nodes_have_ports_of_their_own() {
    let pairs = [(0, 3), (1, 3), (0, 3), (0, 3)].map(|(source, target)| Hosts { source, target });
    let ends = Ends::new(&FlowHosts::new((0..).map(FlowId).zip(pairs)), 4);
    let lanes = |flow| [0, 1, 2].map(|slot| ends.lane(FlowId(flow), slot));

    assert_eq!([0, 2, 3].map(lanes), [[0, 3, 6], [1, 4, 7], [2, 5, 8]]);
    assert_eq!(lanes(1), [0, 1, 2]);
    assert_eq!(ends.addresses(FlowId(1)).map(u32::to_be_bytes), [[10, 0, 0, 2], [10, 0, 0, 4]]);
}
