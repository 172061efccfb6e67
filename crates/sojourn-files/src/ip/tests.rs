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
    // The first tag tells flows apart: Linux hashes it.
    let tagged = |name: &str| (1500, Ecn::Ect0, format!("{TCP} {name}"));
    assert_eq!(read(LinkType::Ethernet, &ethernet(&[0x81, 0, 0, 7], 0x0800, &packet)), tagged("vlan 7"));
    assert_eq!(read(LinkType::Ethernet, &ethernet(&[0x81, 0, 0xa0, 7], 0x0800, &packet)), tagged("vlan 7 class 10"));
    let twice = ethernet(&[0x88, 0xa8, 0, 7, 0x81, 0, 0, 9], 0x0800, &packet);
    assert_eq!(read(LinkType::Ethernet, &twice), tagged("vlan 7"));
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
    // Hop-by-hop of 8 bytes, destination options of 16, then UDP.
    let mut payload = vec![60, 0, 0, 0, 0, 0, 0, 0];
    payload.extend([17, 1]);
    payload.extend([0; 14]);
    payload.extend(PORTS);

    let (size, _, flow) = read(LinkType::Raw, &ipv6_packet(0, 200, 0, &payload));

    assert_eq!(size, 240);
    assert_eq!(flow, "udp [2001:db8::1]:80 > [2001:db8::2]:12345");
}

#[test]
fn no_fragment_has_ports() {
    // More fragments, offset 0; then offset 185 (units of 8 bytes).
    assert_eq!(read(LinkType::Raw, &ipv4_packet(0, 1500, 0x2000, 6, &PORTS)).2, "tcp 10.0.0.1 > 10.0.0.2");
    assert_eq!(read(LinkType::Raw, &ipv4_packet(0, 1500, 185, 6, &PORTS)).2, "tcp 10.0.0.1 > 10.0.0.2");
    let fragment = |offset: u16| {
        let mut payload = vec![17, 0];
        payload.extend((offset << 3 | 1).to_be_bytes());
        payload.extend([0; 4]);
        payload.extend(PORTS);
        read(LinkType::Raw, &ipv6_packet(0, 100, 44, &payload)).2
    };
    assert_eq!(fragment(0), "udp 2001:db8::1 > 2001:db8::2");
    assert_eq!(fragment(1), "udp 2001:db8::1 > 2001:db8::2");
}

#[test]
fn protocols_without_ports_are_flows_by_address() {
    assert_eq!(read(LinkType::Raw, &ipv4_packet(0, 84, 0, 1, &PORTS)).2, "icmp 10.0.0.1 > 10.0.0.2");
    assert_eq!(read(LinkType::Raw, &ipv4_packet(0, 84, 0, 47, &PORTS)).2, "ip-47 10.0.0.1 > 10.0.0.2");
}

#[test]
fn the_index_of_an_authentication_header_stands_for_ports() {
    // RFC 4302: next header, length in words less 2, reserved, SPI, number, value of 96 bits.
    let ah = [&[17, 4, 0, 0, 0, 0, 0x10, 0x01][..], &[0; 16], &PORTS].concat();
    assert_eq!(read(LinkType::Raw, &ipv4_packet(0, 84, 0, 51, &ah)).2, "ah 10.0.0.1 > 10.0.0.2 spi 0x00001001");
    assert_eq!(read(LinkType::Raw, &ipv6_packet(0, 84, 51, &ah)).2, "ah 2001:db8::1 > 2001:db8::2 spi 0x00001001");
}

#[test]
fn a_packet_that_was_cut_off_before_its_ports_is_known() {
    let inner = ipv4_packet(0, 1400, 0, 6, &PORTS);
    let gre = [&[0, 0, 8, 0], &inner[..]].concat();
    let short = |packet: &[u8]| match parse(LinkType::Raw, packet, 1500) {
        Content::Ip(datagram) => datagram.is_short,
        other => panic!("{other:?}"),
    };
    for (packet, len) in [(ipv4_packet(0, 1400, 0, 6, &PORTS), 24), (ipv4_packet(0, 1424, 0, 47, &gre), 48)] {
        assert!(!short(&packet[..len]));
        assert!(short(&packet[..len - 1]));
    }
    // Whole packets, other protocols and fragments have no ports to lose.
    assert!(!short(&ipv4_packet(0, 22, 0, 6, &[0, 80])));
    assert!(!short(&ipv4_packet(0, 84, 0, 1, &[])));
    assert!(!short(&ipv4_packet(0, 1500, 0x2000, 6, &[])));
}

#[test]
fn a_flow_in_a_tunnel_is_that_of_the_innermost_packet() {
    let inner = ipv4_packet(0, 1400, 0, 6, &PORTS);
    let gre = [&[0, 0, 8, 0], &inner[..]].concat();
    let flow = |packet: &[u8]| read(LinkType::Raw, packet).2;

    assert_eq!(flow(&ipv4_packet(0, 1424, 0, 47, &gre)), TCP);
    assert_eq!(flow(&ipv4_packet(0, 1420, 0, 4, &inner)), TCP);
    assert_eq!(flow(&ipv6_packet(0, 1400, 4, &inner)), TCP);
    let six = ipv6_packet(0, 1000, 17, &PORTS);
    assert_eq!(flow(&ipv4_packet(0, 1060, 0, 41, &six)), "udp [2001:db8::1]:80 > [2001:db8::2]:12345");
    assert_eq!(flow(&ipv4_packet(0, 1444, 0, 4, &ipv4_packet(0, 1424, 0, 47, &gre))), TCP);
    // Linux hashes the key, too: with a checksum before it, and of PPTP the number of the call.
    let keyed = |header: &[u8]| flow(&ipv4_packet(0, 1432, 0, 47, &[header, &inner].concat()));
    assert_eq!(keyed(&[0x20, 0, 8, 0, 0, 0, 0x12, 0x34]), format!("{TCP} key 0x1234"));
    assert_eq!(keyed(&[0xa0, 0, 8, 0, 9, 9, 0, 0, 0, 0, 0, 5]), format!("{TCP} key 0x5"));
    assert_eq!(keyed(&[0x20, 0x01, 0x88, 0x0b, 0, 9, 0, 5, 0x21]), format!("{TCP} key 0x5"));
    // The size, the codepoint and the mark are those of the outer packet.
    let ecn = ipv4_packet(0xb9, 1420, 0, 4, &ipv4_packet(2, 1400, 0, 6, &PORTS));
    assert_eq!(read(LinkType::Raw, &ecn), (1420, Ecn::Ect1, TCP.to_owned()));
    // VXLAN and others over UDP have a port for each inner flow, and Linux does not look inside.
    assert_eq!(flow(&ipv4_packet(0, 1428, 0, 17, &[&PORTS[..], &[0; 12], &inner].concat())), TCP.replace("tcp", "udp"));
    // What is inside was not captured, or is a fragment.
    assert_eq!(flow(&ipv4_packet(0, 1424, 0, 47, &gre[..20])), "ip-47 10.0.0.1 > 10.0.0.2");
    assert_eq!(flow(&ipv4_packet(0, 1420, 0x2000, 4, &inner)), "ip-4 10.0.0.1 > 10.0.0.2");
}

#[test]
fn a_label_of_ipv6_stands_for_what_is_not_read() {
    let labelled = |next, payload: &[u8]| {
        let mut packet = ipv6_packet(0, 1400, next, payload);
        packet[1..4].copy_from_slice(&[0x01, 0x23, 0x45]);
        read(LinkType::Raw, &packet).2
    };
    let addresses = "2001:db8::1 > 2001:db8::2";

    assert_eq!(labelled(4, &ipv4_packet(0, 1400, 0, 6, &PORTS)), format!("ip-4 {addresses} label 0x12345"));
    assert_eq!(labelled(44, &[17, 0, 0, 1, 0, 0, 0, 0, 0, 80, 0, 80]), format!("udp {addresses} label 0x12345"));
    assert_eq!(labelled(6, &PORTS), "tcp [2001:db8::1]:80 > [2001:db8::2]:12345");
    assert_eq!(
        read(LinkType::Raw, &ipv4_packet(0, 100, 0, 50, &[0, 0, 0xab, 0xcd])).2,
        "esp 10.0.0.1 > 10.0.0.2 spi 0x0000abcd"
    );
}

/// The header of a segment from its acknowledgement on, with its flags and whole words of options.
fn segment(next: u32, flags: u8, options: &[u8]) -> Vec<u8> {
    let mut tcp = PORTS.to_vec();
    tcp.extend([0, 0, 0, 1]);
    tcp.extend(next.to_be_bytes());
    tcp.extend([((5 + options.len() / 4) as u8) << 4, flags, 0, 9, 0, 0, 0, 0]);
    tcp.extend(options);
    tcp
}

#[test]
fn acknowledgements_are_read_where_cake_reads_them() {
    let of = |packet: &[u8]| match parse(LinkType::Raw, packet, packet.len() as u32) {
        Content::Ip(datagram) => datagram.acknowledgement,
        other => panic!("{other:?}"),
    };
    let plain = segment(77, 0x10, &[]);
    let four = |payload: &[u8]| ipv4_packet(0, 20 + payload.len() as u16, 0, 6, payload);
    let bare = Acknowledgement { next: 77, ece: false, cwr: false, is_bare: true, options: AckOptions::NONE };

    assert_eq!(of(&four(&plain)), Some(bare));
    let six = ipv6_packet(0, 20, 6, &plain);
    assert_eq!(of(&six), Some(bare));
    assert_eq!(of(&ipv4_packet(0, 80, 0, 41, &six)), Some(bare));
    // Not in other tunnels, behind extension headers, of fragments, of SYNs, of what was cut off.
    assert_eq!(of(&ipv4_packet(0, 60, 0, 4, &four(&plain))), None);
    assert_eq!(of(&ipv6_packet(0, 28, 60, &[&[6, 0, 0, 0, 0, 0, 0, 0], &plain[..]].concat())), None);
    assert_eq!(of(&ipv4_packet(0, 40, 0x2000, 6, &plain)), None);
    assert_eq!([0x12, 0x04].map(|flags| of(&four(&segment(77, flags, &[])))), [None; 2]);
    assert_eq!(of(&four(&plain)[..39]), None);

    let with = |flags, options: &[u8]| of(&four(&segment(77, flags, options))).expect("it acknowledges");
    assert_eq!(with(0xd0, &[]), Acknowledgement { ece: true, cwr: true, ..bare });
    // Data, and flags and options that say something else.
    let data = of(&ipv4_packet(0, 41, 0, 6, &plain)).expect("it acknowledges");
    assert!(
        !data.is_bare && !with(0x18, &[]).is_bare && !with(0x11, &[]).is_bare && !with(0x10, &[2, 4, 5, 0]).is_bare
    );
    let mut timed = vec![1, 1, 8, 10, 0, 0, 0, 5, 0, 0, 0, 6, 1, 1, 5, 18];
    timed.extend([0, 0, 0, 80, 0, 0, 0, 90, 0, 0, 0, 95, 0, 0, 0, 99]);
    let options = AckOptions::new(Some([5, 6]), [[80, 90], [95, 99]]);
    assert_eq!(with(0x10, &timed), Acknowledgement { options, ..bare });
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
