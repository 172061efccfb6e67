use super::*;
use proptest::prelude::*;
use sojourn_sim::packet::{Ecn, FlowId};

/// Byte order of a file under test.
#[derive(Clone, Copy, Debug)]
enum Order {
    Little,
    Big,
}

impl Order {
    fn u16(self, value: u16) -> [u8; 2] {
        match self {
            Order::Little => value.to_le_bytes(),
            Order::Big => value.to_be_bytes(),
        }
    }
    fn u32(self, value: u32) -> [u8; 4] {
        match self {
            Order::Little => value.to_le_bytes(),
            Order::Big => value.to_be_bytes(),
        }
    }
    fn i64(self, value: i64) -> [u8; 8] {
        match self {
            Order::Little => value.to_le_bytes(),
            Order::Big => value.to_be_bytes(),
        }
    }
}

/// A raw IPv4 UDP packet whose header announces `size` bytes; the last two bits of `tos` are ECN.
fn packet(size: u16, tos: u8) -> Vec<u8> {
    let mut packet = vec![0x45, tos];
    packet.extend(size.to_be_bytes());
    packet.extend([0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2, 0, 1, 0, 2]);
    packet
}

fn pcap(order: Order, magic: u32, link: u32, frames: &[(u32, u32, Vec<u8>)]) -> Vec<u8> {
    let mut file = Vec::new();
    file.extend(order.u32(magic));
    file.extend([order.u16(2), order.u16(4)].concat());
    file.extend([order.u32(0), order.u32(0), order.u32(65535), order.u32(link)].concat());
    for (secs, fraction, data) in frames {
        let len = order.u32(data.len() as u32);
        file.extend([order.u32(*secs), order.u32(*fraction), len, len].concat());
        file.extend(data);
    }
    file
}

fn block(order: Order, kind: u32, body: &[u8]) -> Vec<u8> {
    let mut body = body.to_vec();
    body.resize(body.len().next_multiple_of(4), 0);
    let len = order.u32(body.len() as u32 + 12);
    [&order.u32(kind)[..], &len, &body, &len].concat()
}

fn option(order: Order, code: u16, value: &[u8]) -> Vec<u8> {
    let mut option = [order.u16(code), order.u16(value.len() as u16)].concat();
    option.extend(value);
    option.resize(option.len().next_multiple_of(4), 0);
    option
}

fn section(order: Order) -> Vec<u8> {
    let mut body = order.u32(0x1a2b_3c4d).to_vec();
    body.extend([order.u16(1), order.u16(0)].concat());
    body.extend(order.i64(-1));
    block(order, 0x0a0d_0d0a, &body)
}

fn interface(order: Order, link: u16, options: &[u8]) -> Vec<u8> {
    let mut body = [order.u16(link), order.u16(0)].concat();
    body.extend(order.u32(0));
    body.extend(options);
    block(order, 1, &body)
}

fn enhanced(order: Order, interface: u32, units: u64, data: &[u8]) -> Vec<u8> {
    let len = order.u32(data.len() as u32);
    let mut body = [order.u32(interface), order.u32((units >> 32) as u32), order.u32(units as u32), len, len].concat();
    body.extend(data);
    block(order, 6, &body)
}

/// As the draft has it in appendix A: interface and lost packets in 16 bits each.
fn obsolete(order: Order, interface: u16, units: u64, data: &[u8]) -> Vec<u8> {
    let len = order.u32(data.len() as u32);
    let mut body = [order.u16(interface), order.u16(0xffff)].concat();
    body.extend([order.u32((units >> 32) as u32), order.u32(units as u32), len, len].concat());
    body.extend(data);
    block(order, 2, &body)
}

fn times_and_sizes(bytes: &[u8]) -> Vec<(u64, u32)> {
    arrivals(bytes, None)
}

fn arrivals(bytes: &[u8], link: Option<&str>) -> Vec<(u64, u32)> {
    let trace = crate::read_as(bytes, crate::Reading { link, mtu: None }).unwrap();
    trace.arrivals.iter().map(|arrival| (arrival.time.as_nanos(), arrival.size)).collect()
}

fn refused(bytes: &[u8]) -> String {
    crate::read(bytes).unwrap_err().to_string()
}

#[test]
fn a_pcap_is_read_in_both_byte_orders_and_both_resolutions() {
    let frames = [(1_700_000_000, 999_999, packet(1500, 1)), (1_700_000_001, 1, packet(40, 3))];
    for order in [Order::Little, Order::Big] {
        // 2 us apart; read as nanoseconds, a second less 999998 ns.
        assert_eq!(times_and_sizes(&pcap(order, 0xa1b2_c3d4, 101, &frames)), [(0, 1500), (2_000, 40)]);
        assert_eq!(times_and_sizes(&pcap(order, 0xa1b2_3c4d, 101, &frames)), [(0, 1500), (999_000_002, 40)]);
    }
}

#[test]
fn an_arrival_has_the_flow_the_ecn_field_and_the_number_of_its_frame() {
    // The first frame is of another version of IP, the second and third are good.
    let frames = [(0, 0, vec![0x50; 40]), (5, 0, packet(100, 2)), (6, 0, packet(100, 3))];

    let trace = crate::read(&pcap(Order::Little, 0xa1b2_c3d4, 101, &frames)).unwrap();

    assert_eq!(trace.flows, ["udp 10.0.0.1:1 > 10.0.0.2:2"]);
    assert_eq!(trace.records, [2, 3]);
    assert_eq!(trace.skipped_frames(), (0, 1));
    let ecn: Vec<Ecn> = trace.arrivals.iter().map(|arrival| arrival.ecn).collect();
    assert_eq!(ecn, [Ecn::Ect0, Ecn::Ce]);
    assert!(trace.arrivals.iter().all(|arrival| arrival.flow == FlowId(0) && arrival.uniform.is_none()));
}

#[test]
fn a_pcapng_is_read_in_both_byte_orders() {
    for order in [Order::Little, Order::Big] {
        // Microseconds unless an option says otherwise.
        let file = [
            section(order),
            interface(order, 101, &[]),
            enhanced(order, 0, 7 << 32, &packet(1500, 1)),
            block(order, 5, &[0; 12]), // statistics: nothing for us
            enhanced(order, 0, (7 << 32) + 3, &packet(41, 0)),
        ]
        .concat();

        assert_eq!(times_and_sizes(&file), [(0, 1500), (3_000, 41)]);
    }
}

#[test]
fn obsolete_packet_blocks_are_packets() {
    for order in [Order::Little, Order::Big] {
        let file = [
            section(order),
            interface(order, 1, &[]),
            interface(order, 101, &option(order, 9, &[3])),
            obsolete(order, 1, 7, &packet(1500, 1)),
            enhanced(order, 1, 8, &packet(1400, 1)),
            obsolete(order, 1, (1 << 32) + 7, &packet(41, 0)),
        ]
        .concat();

        // Milliseconds: 2^32 of them are 4294967.296 s.
        assert_eq!(times_and_sizes(&file), [(0, 1500), (1_000_000, 1400), (4_294_967_296_000_000, 41)]);
        let unknown = [section(order), obsolete(order, 0, 7, &packet(1500, 1))].concat();
        assert!(refused(&unknown).starts_with("frame 1: it comes from interface 0, and 0 were described before it"));
        // Its length is larger than its content.
        let mut short = [section(order), interface(order, 101, &[]), obsolete(order, 0, 7, &packet(1500, 1))].concat();
        let at = section(order).len() + interface(order, 101, &[]).len() + 8 + 12;
        short[at..at + 4].copy_from_slice(&order.u32(4000));
        assert_eq!(refused(&short), "frame 1: the packet block there is damaged");
    }
}

#[test]
fn what_is_left_out_is_counted_by_its_name() {
    let order = Order::Little;
    let ethernet = |kind: [u8; 2], rest: &[u8]| [&[0; 12][..], &kind, rest].concat();
    let file = [
        section(order),
        interface(order, 1, &[]),
        enhanced(order, 0, 1, &ethernet([8, 0], &packet(99, 0))),
        enhanced(order, 0, 2, &ethernet([8, 6], &[0; 28])),
        enhanced(order, 0, 3, &ethernet([0x88, 0xcc], &[0; 28])),
        enhanced(order, 0, 4, &ethernet([8, 6], &[0; 28])),
        enhanced(order, 0, 5, &ethernet([8, 0], &[0x45; 8])),
        block(order, 0x0bad_cafe, &[0; 8]),
        block(order, 5, &[0; 12]),
    ]
    .concat();

    let trace = crate::read(&file).unwrap();

    let named: Vec<String> = trace.left_out.iter().map(|(what, number)| format!("{number} {what}")).collect();
    assert_eq!(
        named,
        [
            "2 not IP: ARP",
            "1 not IP: LLDP",
            "1 IP whose header is cut off or damaged",
            "1 pcapng block of the unknown type 195939070"
        ]
    );
    assert_eq!((trace.arrivals.len(), trace.skipped_frames()), (1, (3, 1)));
    let unknown = [section(order), block(order, 0x0bad_cafe, &[0; 8])].concat();
    assert_eq!(refused(&unknown), "there is no packet in it: 1 pcapng block of the unknown type 195939070");
}

#[test]
fn frames_of_segmentation_offload_are_counted_and_cut_if_asked() {
    let frames = [(0, 0, packet(1500, 1)), (0, 1, packet(4408, 1))];
    let file = pcap(Order::Little, 0xa1b2_c3d4, 101, &frames);

    let whole = crate::read(&file).unwrap();
    let cut = crate::read_as(&file, crate::Reading { mtu: Some(1500), link: None }).unwrap();

    assert_eq!(whole.arrivals.len(), 2);
    let oversize = crate::Oversize { mtu: 1500, packets: 1, largest: 4408, pieces: 0 };
    assert_eq!(whole.oversize, oversize);
    // 28 bytes of IPv4 and UDP before 4380 of data: 1472 + 1472 + 1436.
    let sizes: Vec<u32> = cut.arrivals.iter().map(|one| one.size).collect();
    assert_eq!(sizes, [1500, 1500, 1500, 1464]);
    assert_eq!(cut.records, [1, 2, 2, 2]);
    assert_eq!(cut.oversize, crate::Oversize { pieces: 3, ..oversize });
    let mtu = |size| crate::read_as(&file, crate::Reading { mtu: Some(size), link: None });
    assert!(mtu(575).unwrap_err().to_string().contains("the MTU is 575 bytes; allowed are 576 to 65535"));
}

#[test]
fn interfaces_count_time_in_units_and_from_offsets_of_their_own() {
    for order in [Order::Little, Order::Big] {
        let file = [
            section(order),
            // Nanoseconds; 2^-10 s; milliseconds from 100 s on.
            interface(order, 101, &option(order, 9, &[9])),
            interface(order, 101, &option(order, 9, &[0x8a])),
            interface(order, 101, &[option(order, 9, &[3]), option(order, 14, &order.i64(100))].concat()),
            enhanced(order, 0, 100_000_000_000, &packet(1000, 0)),
            enhanced(order, 1, 100 * 1024 + 1, &packet(1001, 0)),
            enhanced(order, 2, 5, &packet(1002, 0)),
        ]
        .concat();

        // 1/1024 s is 976562.5 ns, rounded down.
        assert_eq!(arrivals(&file, Some("all")), [(0, 1000), (976_562, 1001), (5_000_000, 1002)]);
    }
}

#[test]
fn a_packet_on_two_interfaces_is_one_arrival() {
    let order = Order::Little;
    let file = [
        section(order),
        interface(order, 101, &option(order, 2, b"eth0")),
        interface(order, 101, &option(order, 2, b"eth1")),
        enhanced(order, 0, 1000, &packet(1500, 0)),
        enhanced(order, 1, 1020, &packet(1500, 0)),
        // Its clock is behind: that matters where both are taken.
        enhanced(order, 0, 1010, &packet(40, 0)),
        enhanced(order, 1, 1030, &packet(40, 0)),
    ]
    .concat();

    assert_eq!(times_and_sizes(&file), [(0, 1500), (10_000, 40)]);
    assert_eq!(arrivals(&file, Some("eth1")), [(0, 1500), (10_000, 40)]);
    let trace = crate::read(&file).unwrap();
    let sides: Vec<_> = trace.sides.iter().map(|side| (side.name.as_str(), side.frames, side.is_taken)).collect();
    assert_eq!(sides, [("eth0", 2, true), ("eth1", 2, false)]);
    assert_eq!(trace.records, [1, 3]);
    let all = crate::read_as(&file, crate::Reading { link: Some("all"), mtu: None }).unwrap_err();
    assert!(all.to_string().starts_with("frame 3: it was captured 0.00001 s before"), "{all}");
    let wrong = crate::read_as(&file, crate::Reading { link: Some("eth2"), mtu: None }).unwrap_err();
    assert!(wrong.to_string().contains("of the link \"eth2\"\n  allowed: eth0 (2 frames), eth1 (2 frames)"), "{wrong}");
}

#[test]
fn of_a_cooked_capture_what_went_out_is_taken() {
    let cooked = |interface: u8, kind: u8, size| {
        let mut frame = vec![8, 0, 0, 0, 0, 0, 0, interface, 0, 1, kind, 6, 0, 0, 0, 0, 0, 0, 0, 0];
        frame.extend(packet(size, 0));
        frame
    };
    let frames = [(1, 0, cooked(2, 0, 1000)), (1, 20, cooked(3, 4, 1000)), (1, 50, cooked(3, 0, 70))];
    let file = pcap(Order::Little, 0xa1b2_c3d4, 276, &frames);

    assert_eq!(times_and_sizes(&file), [(0, 1000)]);
    assert_eq!(arrivals(&file, Some("in")), [(0, 1000), (50_000, 70)]);
    assert_eq!(arrivals(&file, Some("3")), [(0, 1000), (30_000, 70)]);
    let one_way = pcap(Order::Little, 0xa1b2_c3d4, 276, &[(1, 0, cooked(2, 0, 1000)), (1, 20, cooked(2, 0, 1000))]);
    assert_eq!((arrivals(&one_way, None).len(), crate::read(&one_way).unwrap().sides), (2, Vec::new()));
}

#[test]
fn hosts_and_acknowledgements_of_a_capture_are_kept() {
    let mut segment = vec![0x45, 0, 0, 40, 0, 0, 0, 0, 64, 6, 0, 0, 10, 0, 0, 7, 10, 0, 0, 2, 0, 1, 0, 2];
    segment.extend([0, 0, 0, 1, 0, 0, 0, 9, 0x50, 0x10, 0, 9, 0, 0, 0, 0]);
    let file = pcap(Order::Big, 0xa1b2_c3d4, 101, &[(1, 0, packet(99, 0)), (1, 1, segment)]);

    let trace = crate::read(&file).unwrap();

    let [udp, tcp] = [0, 1].map(|flow| trace.hosts.get(FlowId(flow)));
    assert_eq!((udp.source, tcp.source), ((10 << 24) + 1, (10 << 24) + 7));
    assert_eq!(udp.target, tcp.target);
    let places: Vec<_> = trace.arrivals.iter().map(|arrival| arrival.acknowledgement.map_or(0, u32::from)).collect();
    assert_eq!((places, trace.acknowledgements[0].next), (vec![0, 1], 9));
}

#[test]
fn a_second_section_starts_with_interfaces_and_byte_order_of_its_own() {
    let one = |order| [section(order), interface(order, 101, &[]), enhanced(order, 0, 1, &packet(99, 0))].concat();

    assert_eq!(times_and_sizes(&[one(Order::Little), one(Order::Big)].concat()), [(0, 99), (0, 99)]);
    assert!(
        refused(&[one(Order::Little), section(Order::Big), enhanced(Order::Big, 0, 1, &packet(99, 0))].concat())
            .starts_with("frame 2: it comes from interface 0, and 0 were described before it")
    );
}

#[test]
fn a_file_that_ends_early_is_refused_wherever_it_ends() {
    let frames = [(0, 0, packet(100, 0)), (0, 1, packet(100, 0))];
    let file = pcap(Order::Little, 0xa1b2_c3d4, 101, &frames);
    // Header 24 bytes, each frame 16 + 24: whole at 24, 64 and 104.
    for len in 4..file.len() {
        match len {
            24 | 64 => assert!(crate::read(&file[..len]).is_ok()),
            0..24 => assert!(refused(&file[..len]).contains("ends inside the pcap header")),
            _ => assert!(refused(&file[..len]).contains("the file ends inside this frame")),
        }
    }
    let order = Order::Little;
    let pcapng = [section(order), interface(order, 101, &[]), enhanced(order, 0, 1, &packet(99, 0))].concat();
    assert!(refused(&pcapng[..pcapng.len() - 1]).starts_with("frame 1: the file ends inside this frame"));
}

#[test]
fn damage_is_named_with_the_frame() {
    let order = Order::Little;
    let frames = [(5, 0, packet(100, 0)), (4, 0, packet(100, 0))];

    assert_eq!(
        refused(&pcap(order, 0xa1b2_c3d4, 101, &frames)),
        "frame 2: it was captured 1 s before the IP packet before it; sort the capture (reordercap does)"
    );
    let late = [(0, 0, packet(100, 0)), (u32::MAX, 0, packet(100, 0))];
    assert_eq!(
        refused(&pcap(order, 0xa1b2_c3d4, 101, &late)),
        "frame 2: it was captured 4294967295 s after the first IP packet; allowed are up to 10000000 s"
    );
    assert!(
        refused(&pcap(order, 0xa1b2_c3d4, 163, &frames))
            .starts_with("frame 1: its link type is 163 (IEEE 802.11 with a radio header); supported")
    );
    let arp = [(0, 0, [vec![0; 12], vec![8, 6], vec![0; 28]].concat())];
    assert!(refused(&pcap(order, 0xa1b2_c3d4, 1, &arp)).contains("no IP packet among the 1 frames"));
    let mut file = [section(order), interface(order, 101, &[]), enhanced(order, 0, 1, &packet(99, 0))].concat();
    let last = file.len() - 1;
    file[last] = 7;
    assert!(refused(&file).contains("is damaged"));
    let simple = [section(order), interface(order, 101, &[]), block(order, 3, &[0; 8])].concat();
    assert!(refused(&simple).contains("simple packet block"));
    assert!(refused(&[0x1f, 0x8b, 8, 0]).contains("gzip"));
    assert!(refused(&[0, 1, 2]).contains("neither CSV text nor a trace of ns-2 nor pcap nor pcapng"));
}

fn valid_files() -> Vec<Vec<u8>> {
    let frame = |secs| (secs, 0, [vec![0; 12], vec![8, 0], packet(100, 2)].concat());
    let mut files = vec![b"time_s,bytes,flow,ecn,uniform\n0,1500,a,ect0,0.5\n0.1,\"40\",b,,\n".to_vec()];
    for order in [Order::Little, Order::Big] {
        files.push(pcap(order, 0xa1b2_c3d4, 1, &[frame(1), frame(2)]));
        files.push(pcap(order, 0xa1b2_3c4d, 276, &[frame(1), frame(2)]));
        let options = [option(order, 9, &[9]), option(order, 14, &order.i64(3))].concat();
        files.push(
            [
                section(order),
                interface(order, 1, &options),
                enhanced(order, 0, 1, &frame(0).2),
                block(order, 5, &[0; 12]),
                block(order, 4, &[0; 4]),
                block(order, 10, &[0; 8]),
                obsolete(order, 0, 5, &frame(0).2),
                enhanced(order, 0, 9, &frame(0).2),
            ]
            .concat(),
        );
    }
    files
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn no_bytes_make_it_panic(
        magic in prop::sample::select(vec![
            vec![], vec![0xd4, 0xc3, 0xb2, 0xa1], vec![0xa1, 0xb2, 0x3c, 0x4d], vec![0x34, 0xcd, 0xb2, 0xa1],
            vec![10, 13, 13, 10], b"time_s,bytes,flow\n".to_vec(),
        ]),
        bytes in prop::collection::vec(any::<u8>(), 0..300),
    ) {
        let _ = crate::read(&[magic, bytes].concat());
    }

    #[test]
    fn no_change_to_a_valid_file_makes_it_panic(
        which in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        len in any::<prop::sample::Index>(),
        cut in any::<bool>(),
    ) {
        let files = valid_files();
        let mut file = files[which.index(files.len())].clone();
        for (at, byte) in changes {
            let at = at.index(file.len());
            // Extremes find more than other values do.
            file[at] = match byte { 0..64 => 0, 64..128 => 0xff, other => other };
        }
        if cut {
            file.truncate(len.index(file.len()));
        }

        if let Ok(trace) = crate::read(&file) {
            prop_assert_eq!(trace.arrivals.len(), trace.records.len());
            prop_assert!(trace.arrivals.iter().all(|arrival| (arrival.flow.0 as usize) < trace.flows.len()));
        }
    }

    #[test]
    fn no_frame_makes_it_panic(link in 0_i32..300, frame in prop::collection::vec(any::<u8>(), 0..120), len in any::<u32>()) {
        if let Some(link) = LinkType::from_number(link) {
            let _ = ip::parse(link, &frame, len);
        }
    }
}
