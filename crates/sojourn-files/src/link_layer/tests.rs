use super::*;

/// The content behind `header`, which is in front of an IPv4 packet.
fn found(link: LinkType, header: &[u8]) -> Behind {
    let frame = [header, &[0x45, 0, 0, 40]].concat();
    let behind = behind(link, &frame).expect("the frame is long enough");
    if let Behind::Ip(at) = behind {
        assert_eq!(at, header.len(), "the packet is behind the header");
    }
    behind
}

fn other(link: LinkType, header: &[u8]) -> String {
    match found(link, header) {
        Behind::Other(protocol) => protocol.to_string(),
        Behind::Ip(at) => panic!("IP at {at}"),
    }
}

fn is_ip(link: LinkType, header: &[u8]) -> bool {
    found(link, header) == Behind::Ip(header.len())
}

/// Ethernet's addresses, then `rest`.
fn ethernet(rest: &[u8]) -> Vec<u8> {
    [&[2; 12][..], rest].concat()
}

#[test]
fn ppp_is_read_in_every_framing() {
    // RFC 1661 section 2: IPv4 is 0021, IPv6 0057. ns-3 writes these two bytes.
    assert!(is_ip(LinkType::Ppp, &[0x00, 0x21]) && is_ip(LinkType::Ppp, &[0x00, 0x57]));
    // RFC 1662 sections 3.1 and 3.2: address and control; a protocol of one byte.
    assert!(is_ip(LinkType::Ppp, &[0xff, 0x03, 0x00, 0x21]) && is_ip(LinkType::Ppp, &[0xff, 0x03, 0x21]));
    assert!(is_ip(LinkType::Ppp, &[0x21]));
    assert!(is_ip(LinkType::PppWithDirection, &[0x01, 0x00, 0x21]));
    assert!(is_ip(LinkType::PppWithDirection, &[0x01, 0xff, 0x03, 0x00, 0x21]));
    assert!(is_ip(LinkType::PppWithDirection, &[0x00, 0x03, 0x00, 0x21]));
    assert!(is_ip(LinkType::PppOrHdlc, &[0xff, 0x03, 0x00, 0x57]));
    // Cisco HDLC: unicast, a control byte, a type of Ethernet.
    assert!(is_ip(LinkType::PppOrHdlc, &[0x0f, 0x00, 0x08, 0x00]) && is_ip(LinkType::Hdlc, &[0x8f, 0x00, 0x86, 0xdd]));
    assert_eq!(other(LinkType::Ppp, &[0xc0, 0x21, 1, 1]), "PPP LCP");
    assert_eq!(other(LinkType::Ppp, &[0x00, 0x2d]), "PPP with compressed headers of TCP (0x002d)");
    assert_eq!(other(LinkType::Hdlc, &[0x8f, 0x00, 0x80, 0x35]), "reverse ARP or SLARP");
}

#[test]
fn pppoe_is_read_with_and_without_vlan_tags() {
    // RFC 2516 section 4: version and type 1, code 0, session, length; the protocol of PPP.
    let session = [0x11, 0x00, 0x12, 0x34, 0x00, 0x2a, 0x00, 0x21];
    let plain = [&ethernet(&[0x88, 0x64]), &session[..]].concat();
    let tagged = [&ethernet(&[0x81, 0x00, 0x00, 0x07, 0x88, 0x64]), &session[..]].concat();
    let twice = [&ethernet(&[0x88, 0xa8, 0, 9, 0x81, 0x00, 0x00, 0x07, 0x88, 0x64]), &session[..]].concat();
    let cooked = [&[0; 14][..], &[0x88, 0x64], &session].concat();

    assert!(
        is_ip(LinkType::Ethernet, &plain) && is_ip(LinkType::Ethernet, &tagged) && is_ip(LinkType::Ethernet, &twice)
    );
    assert!(is_ip(LinkType::Sll, &cooked) && is_ip(LinkType::PppOverEthernet, &session));
    assert_eq!(other(LinkType::Ethernet, &ethernet(&[0x88, 0x63, 0x11, 0x09])), "PPPoE discovery");
    let echo = [&ethernet(&[0x88, 0x64]), &[0x11, 0, 0, 1, 0, 10, 0xc0, 0x21][..]].concat();
    assert_eq!(other(LinkType::Ethernet, &echo), "PPP LCP");
}

#[test]
fn tags_stand_behind_cooked_headers_too() {
    let cooked2 = [&[0x81, 0x00][..], &[0; 18], &[0x00, 0x07, 0x08, 0x00]].concat();

    assert!(is_ip(LinkType::Sll2, &cooked2));
}

#[test]
fn mpls_and_snap_are_followed_to_the_packet() {
    // RFC 3032: two labels, the second of which has the bit of the bottom of the stack.
    let labels = [0x88, 0x47, 0, 1, 0x00, 64, 0, 2, 0x01, 64];
    assert!(is_ip(LinkType::Ethernet, &ethernet(&labels)));
    let wire = [&ethernet(&[0x88, 0x47, 0, 2, 0x01, 64]), &[0, 0, 0, 0][..]].concat();
    assert_eq!(other(LinkType::Ethernet, &wire), "MPLS without IP");
    assert!(is_ip(LinkType::Ethernet, &ethernet(&[0, 48, 0xaa, 0xaa, 3, 0, 0, 0, 0x08, 0x00])));
    assert_eq!(
        other(LinkType::Ethernet, &ethernet(&[0, 38, 0x42, 0x42, 3])),
        "IEEE 802.3 with LLC, such as spanning tree"
    );
}

#[test]
fn packets_in_802_11_are_found() {
    // Data to an access point, from one, between two; QoS; the last with HT control.
    for (control, flags, len) in [(0x08, 1, 24), (0x08, 3, 30), (0x88, 2, 26), (0x88, 0x82, 30)] {
        let mut header = vec![control, flags];
        header.resize(len, 0);
        header.extend([0xaa, 0xaa, 3, 0, 0, 0, 0x86, 0xdd]);
        assert!(is_ip(LinkType::Wlan, &header), "{control:02x} {flags:02x}");
    }
    let named = |control, flags, qos| {
        let mut frame = vec![control, flags];
        frame.resize(24, 0);
        frame.extend([qos, 0, 0xaa, 0xaa, 3, 0, 0, 0, 0x08, 0x06]);
        other(LinkType::Wlan, &frame)
    };
    assert_eq!(named(0x80, 0, 0), "802.11 management or control");
    assert_eq!(named(0x48, 1, 0), "802.11 data without a payload");
    assert_eq!(named(0x88, 0x41, 0), "encrypted 802.11");
    assert_eq!(named(0x88, 1, 0x80), "802.11 with several packets in a frame (A-MSDU)");
    assert_eq!(named(0x88, 1, 0), "ARP");
}

#[test]
fn radiotap_says_where_its_frame_begins() {
    let behind = [&[0x88, 2][..], &[0; 24], &[0xaa, 0xaa, 3, 0, 0, 0, 8, 0]].concat();
    // A time of 8 bytes on a multiple of 8, then flags; two words say what is there.
    let plain = [&[0, 0, 25, 0, 3, 0, 0, 0x80, 0, 0, 0, 0][..], &[0; 4], &[7; 8], &[0]].concat();
    assert!(is_ip(LinkType::Radiotap, &[&plain, &behind[..]].concat()));
    // The frame's header is filled up to four bytes.
    let padded = [&[0, 0, 9, 0, 2, 0, 0, 0, 0x20][..], &behind[..26], &[0, 0], &behind[26..]].concat();
    assert!(is_ip(LinkType::Radiotap, &padded));
    assert_eq!(super::behind(LinkType::Radiotap, &padded[..20]), None);
}

#[test]
fn packets_in_nflog_and_pktap_are_found() {
    // A prefix (type 10) of 3 bytes, filled up, then the packet (type 9).
    let nflog = [2, 0, 0, 5, 7, 0, 10, 0, b'i', b'n', 0, 0, 44, 0, 9, 0];
    assert!(is_ip(LinkType::Nflog, &nflog));
    assert_eq!(super::behind(LinkType::Nflog, &nflog[..12]), None);
    let mut pktap = vec![108, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0];
    pktap.extend(b"en0");
    pktap.resize(36, 0);
    pktap.extend([2, 0, 0, 0]);
    pktap.resize(108, 0);
    let frame = [&pktap[..], &ethernet(&[0x08, 0x00])].concat();
    assert!(is_ip(LinkType::Pktap, &frame));
    assert_eq!(side(LinkType::Pktap, &frame), (Some(Interface::Name("en0".to_owned())), Some(Way::Out)));
    let mut inside = frame.clone();
    inside[8..10].copy_from_slice(&[2, 1]);
    assert_eq!(other(LinkType::Pktap, &inside), "link type 258");
}

#[test]
fn what_is_not_ip_has_a_name() {
    assert_eq!(other(LinkType::Ethernet, &ethernet(&[0x08, 0x06])), "ARP");
    assert_eq!(other(LinkType::Ethernet, &ethernet(&[0x88, 0xcc])), "LLDP");
    assert_eq!(other(LinkType::Ethernet, &ethernet(&[0x12, 0x34])), "Ethernet type 0x1234");
    assert_eq!(other(LinkType::Loopback, &[7, 0, 0, 0]), "address family 7");
}

#[test]
fn a_frame_that_ends_in_its_headers_is_no_packet() {
    let headers: [(LinkType, &[u8]); 6] = [
        (LinkType::Ppp, &[0xff, 0x03, 0x00, 0x21]),
        (LinkType::PppWithDirection, &[0x01, 0x00, 0x21]),
        (LinkType::Hdlc, &[0x0f, 0, 0x08, 0]),
        (LinkType::PppOverEthernet, &[0x11, 0, 0, 1, 0, 42, 0x00, 0x21]),
        (LinkType::Sll, &[0; 15]),
        (LinkType::Sll2, &[0x81, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 8, 0]),
    ];
    for (link, header) in headers {
        for len in 0..header.len() {
            assert_eq!(behind(link, &header[..len]), None, "{link:?} {len}");
        }
    }
}
