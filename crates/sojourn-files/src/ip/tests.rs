use super::*;

/// 20 bytes of IPv4 header, then `payload`; `total` goes into the length field.
fn ipv4_packet(tos: u8, total: u16, fragment: u16, protocol: u8, payload: &[u8]) -> Vec<u8> {
    let mut packet = vec![0x45, tos];
    packet.extend(total.to_be_bytes());
    packet.extend([0, 1]);
    packet.extend(fragment.to_be_bytes());
    packet.extend([64, protocol, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]);
    packet.extend(payload);
    packet
}

fn ipv6_packet(traffic_class: u8, payload_len: u16, next: u8, payload: &[u8]) -> Vec<u8> {
    let mut packet = vec![0x60 | (traffic_class >> 4), traffic_class << 4, 0, 0];
    packet.extend(payload_len.to_be_bytes());
    packet.extend([next, 64]);
    for last in [1, 2] {
        packet.extend([0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last]);
    }
    packet.extend(payload);
    packet
}

fn ethernet(tags: &[u8], ethertype: u16, payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![0; 12];
    frame.extend(tags);
    frame.extend(ethertype.to_be_bytes());
    frame.extend(payload);
    frame
}

/// Size, ECN field and flow's name.
fn read(link: LinkType, frame: &[u8]) -> (u32, Ecn, String) {
    match parse(link, frame, frame.len() as u32) {
        Content::Ip(datagram) => (datagram.size, datagram.ecn, datagram.flow.name()),
        other => panic!("{other:?}"),
    }
}

const PORTS: [u8; 4] = [0, 80, 0x30, 0x39];
const TCP: &str = "tcp 10.0.0.1:80 > 10.0.0.2:12345";

#[test]
fn every_link_type_finds_the_same_packet() {
    let packet = ipv4_packet(2, 1500, 0, 6, &PORTS);
    let expected = (1500, Ecn::Ect0, TCP.to_owned());
    let with = |header: &[u8]| [header, &packet].concat();
    let mut sll = vec![0; 14];
    sll.extend([8, 0]);
    let mut sll2 = vec![8, 0];
    sll2.extend([0; 18]);

    assert_eq!(read(LinkType::Raw, &packet), expected);
    assert_eq!(read(LinkType::Ethernet, &ethernet(&[], 0x0800, &packet)), expected);
    assert_eq!(read(LinkType::Ethernet, &ethernet(&[0x81, 0, 0, 7], 0x0800, &packet)), expected);
    assert_eq!(read(LinkType::Ethernet, &ethernet(&[0x88, 0xa8, 0, 7, 0x81, 0, 0, 9], 0x0800, &packet)), expected);
    assert_eq!(read(LinkType::Loopback, &with(&[2, 0, 0, 0])), expected);
    assert_eq!(read(LinkType::Loopback, &with(&[0, 0, 0, 2])), expected);
    assert_eq!(read(LinkType::Sll, &with(&sll)), expected);
    assert_eq!(read(LinkType::Sll2, &with(&sll2)), expected);
}

#[test]
fn the_size_is_the_ip_header_s_own_without_padding() {
    // A 40-byte packet in a frame padded to 60 bytes.
    let mut frame = ethernet(&[], 0x0800, &ipv4_packet(0, 40, 0, 6, &PORTS));
    frame.resize(60, 0);

    assert_eq!(read(LinkType::Ethernet, &frame).0, 40);
}

#[test]
fn a_length_of_zero_takes_the_frame_s_length() {
    let size = |link, frame: &[u8], original_len| match parse(link, frame, original_len) {
        Content::Ip(datagram) => datagram.size,
        other => panic!("{other:?}"),
    };

    assert_eq!(size(LinkType::Ethernet, &ethernet(&[], 0x0800, &ipv4_packet(0, 0, 0, 6, &PORTS)), 65_014), 65_000);
    assert_eq!(size(LinkType::Raw, &ipv6_packet(0, 0, 6, &PORTS), 70_040), 70_040);
}

#[test]
fn all_four_ecn_codepoints_are_read_in_both_versions() {
    let expected = [Ecn::NotEct, Ecn::Ect1, Ecn::Ect0, Ecn::Ce];
    for (bits, ecn) in (0..).zip(expected) {
        // The DSCP bits around them say nothing.
        let tos = 0xb8 | bits;
        assert_eq!(read(LinkType::Raw, &ipv4_packet(tos, 100, 0, 17, &PORTS)).1, ecn);
        assert_eq!(read(LinkType::Raw, &ipv6_packet(tos, 100, 17, &PORTS)).1, ecn);
    }
}

#[test]
fn every_codepoint_is_read_in_both_versions() {
    for number in 0..=Dscp::MAX {
        // The ECN bits below say nothing of it.
        let tos = number << 2 | number & 3;
        for packet in [ipv4_packet(tos, 100, 0, 17, &PORTS), ipv6_packet(tos, 100, 17, &PORTS)] {
            match parse(LinkType::Raw, &packet, packet.len() as u32) {
                Content::Ip(datagram) => assert_eq!(datagram.dscp.number(), number),
                other => panic!("{other:?}"),
            }
        }
    }
}

#[test]
fn an_ipv6_packet_counts_its_header_and_skips_extensions() {
    // Hop-by-hop of 8 bytes, authentication of 12 + 12 bytes, destination options of 16, then UDP.
    let mut payload = vec![51, 0, 0, 0, 0, 0, 0, 0];
    payload.extend([60, 4]);
    payload.extend([0; 22]);
    payload.extend([17, 1]);
    payload.extend([0; 14]);
    payload.extend(PORTS);

    let (size, _, flow) = read(LinkType::Raw, &ipv6_packet(0, 200, 0, &payload));

    assert_eq!(size, 240);
    assert_eq!(flow, "udp [2001:db8::1]:80 > [2001:db8::2]:12345");
}

#[test]
fn only_the_first_fragment_has_ports() {
    // More fragments, offset 0; then offset 185 (units of 8 bytes).
    assert_eq!(read(LinkType::Raw, &ipv4_packet(0, 1500, 0x2000, 6, &PORTS)).2, TCP);
    assert_eq!(read(LinkType::Raw, &ipv4_packet(0, 1500, 185, 6, &PORTS)).2, "tcp 10.0.0.1 > 10.0.0.2");
    let fragment = |offset: u16| {
        let mut payload = vec![17, 0];
        payload.extend((offset << 3 | 1).to_be_bytes());
        payload.extend([0; 4]);
        payload.extend(PORTS);
        read(LinkType::Raw, &ipv6_packet(0, 100, 44, &payload)).2
    };
    assert_eq!(fragment(0), "udp [2001:db8::1]:80 > [2001:db8::2]:12345");
    assert_eq!(fragment(1), "udp 2001:db8::1 > 2001:db8::2");
}

#[test]
fn protocols_without_ports_are_flows_by_address() {
    assert_eq!(read(LinkType::Raw, &ipv4_packet(0, 84, 0, 1, &PORTS)).2, "icmp 10.0.0.1 > 10.0.0.2");
    assert_eq!(read(LinkType::Raw, &ipv4_packet(0, 84, 0, 47, &PORTS)).2, "ip-47 10.0.0.1 > 10.0.0.2");
}

#[test]
fn options_stand_before_the_ports() {
    let mut packet = ipv4_packet(0, 44, 0, 6, &[1, 1, 1, 1]);
    packet[0] = 0x46;
    packet.extend(PORTS);

    assert_eq!(read(LinkType::Raw, &packet).2, TCP);
}

#[test]
fn what_is_not_ip_is_told_from_what_is_damaged() {
    let parse = |link, frame: &[u8]| parse(link, frame, frame.len() as u32);
    let packet = ipv4_packet(0, 1500, 0, 6, &PORTS);

    assert_eq!(
        parse(LinkType::Ethernet, &ethernet(&[], 0x0806, &[0; 28])),
        Content::NotIp(Protocol::EtherType(0x0806))
    );
    assert_eq!(parse(LinkType::Loopback, &[7, 0, 0, 0, 1, 2, 3]), Content::NotIp(Protocol::Family(7)));
    // Every cut inside the link header or the IP header; behind it, only ports are missing.
    let frame = ethernet(&[], 0x0800, &packet);
    for len in 0..14 + 20 {
        assert_eq!(parse(LinkType::Ethernet, &frame[..len]), Content::Malformed, "{len}");
    }
    assert_eq!(read(LinkType::Ethernet, &frame[..14 + 20]).2, "tcp 10.0.0.1 > 10.0.0.2");
    assert_eq!(parse(LinkType::Raw, &[0x51; 40]), Content::Malformed);
    // A header of 16 bytes, and a packet shorter than its header.
    let mut short = packet.clone();
    short[0] = 0x44;
    assert_eq!(parse(LinkType::Raw, &short), Content::Malformed);
    assert_eq!(parse(LinkType::Raw, &ipv4_packet(0, 19, 0, 6, &PORTS)), Content::Malformed);
}

#[test]
fn the_headers_are_those_that_a_card_repeats() {
    let headers = |packet: &[u8]| match parse(LinkType::Raw, packet, packet.len() as u32) {
        Content::Ip(datagram) => datagram.headers,
        other => panic!("{other:?}"),
    };
    // A data offset of 8 words, as with time stamps.
    let mut tcp = PORTS.to_vec();
    tcp.extend([0, 0, 0, 1, 0, 0, 0, 1, 0x80, 0x10]);

    assert_eq!(headers(&ipv4_packet(0, 65_000, 0, 6, &tcp)), 20 + 32);
    assert_eq!(headers(&ipv6_packet(0, 65_000, 6, &tcp)), 40 + 32);
    assert_eq!(headers(&ipv4_packet(0, 65_000, 0, 17, &PORTS)), 20 + 8);
    // Only the ports were captured; only the IP header; no transport that is known.
    assert_eq!(headers(&ipv4_packet(0, 65_000, 0, 6, &PORTS)), 20 + 20);
    assert_eq!(headers(&ipv4_packet(0, 65_000, 0, 6, &[])), 20);
    assert_eq!(headers(&ipv4_packet(0, 65_000, 0, 47, &PORTS)), 20);
    // Never more than the packet.
    assert_eq!(headers(&ipv4_packet(0, 30, 0, 6, &tcp)), 30);
}
