use super::*;
use crate::header::xcp::XcpHeader;
use crate::packet::FlowId;
use crate::rig::{Rig, args, at, policy_of, segment};

fn policy(settings: &[(&str, &str)]) -> Xcp {
    // The default link has 10 Mbit/s: 1 250 000 bytes per second.
    policy_of::<Params>(&ENTRY, None, settings)
}

/// 1000 bytes of a flow with this window in packets and a round trip of 100 ms.
fn packet(window: f32) -> Packet {
    let unit = XcpUnit::Window;
    let header = Some(Header::Xcp(XcpHeader { cwnd: 1000.0 * window, rtt: 0.1, feedback: f32::INFINITY, unit }));
    segment(0, header)
}

fn header(packet: &Packet) -> XcpHeader {
    match packet.body {
        Body::Data { header: Some(Header::Xcp(header)), .. } => header,
        _ => panic!("no header"),
    }
}

fn arrive(policy: &mut Xcp, packet: &Packet) {
    Rig::waiting(0).arrive_drawing(policy, at(0.0), packet, 0.5);
}

#[test]
fn the_law_is_drawn() {
    let graph = draw_law(&args(&ENTRY, None, &[]), &LinkContext::default()).expect("defaults");
    let at = |curve: usize, traffic: f64| {
        let points = &graph.curves[curve].points;
        points.iter().find(|(x, _)| (x - traffic).abs() < 1e-9).map_or(f64::NAN, |(_, rate)| *rate)
    };
    // 0.4 of the spare capacity, 0.226 of the queue, and 0.1 of the traffic less the amount that is given or taken anyway: at 80, all
    // of it.
    for (curve, traffic, rate) in [
        (0, 50.0, 20.0),
        (0, 150.0, -20.0),
        (1, 100.0, -22.6),
        (2, 80.0, 0.0),
        (2, 90.0, 5.0),
        (2, 100.0, 10.0),
        (2, 150.0, 0.0),
    ] {
        assert!((at(curve, traffic) - rate).abs() < 1e-9, "{curve} {traffic}: {}", at(curve, traffic));
    }
}

/// Ends the interval at `millis`.
fn control(policy: &mut Xcp, millis: u64) {
    let now = Instant::ZERO + Duration::from_millis(millis);
    policy.queue_due = now;
    policy.control_due = now;
    let mut rig = Rig::waiting(0);
    policy.on_deadline(now, &mut QueueView::new(&mut rig.fifo, &mut rig.events, true));
}

fn leave(policy: &mut Xcp, mut packet: Packet) -> f64 {
    policy.on_transmission(at(0.0), &mut packet, Backlog { packets: 5, bytes: 5000 });
    f64::from(header(&packet).feedback)
}

/// `windows` packets of each flow in an interval of 100 ms; then the grant of each flow's whole window in the next, in bytes.
fn grants(policy: &mut Xcp, windows: &[f32]) -> Vec<f64> {
    for _ in 0..2 {
        for window in windows {
            (0..*window as u32).for_each(|_| arrive(policy, &packet(*window)));
        }
        control(policy, 100);
    }
    windows.iter().map(|window| (0..*window as u32).map(|_| leave(policy, packet(*window))).sum()).collect()
}

fn near(a: f64, b: f64) -> bool {
    // Headers carry single precision.
    (a - b).abs() < 1e-4 * b.abs().max(1.0)
}

#[test]
fn the_flows_together_get_what_the_efficiency_controller_says_and_all_the_same() {
    // 60 packets in 100 ms: 600 000 bytes/s, 650 000 to spare; phi / d = 0.4 * 650 000 = 260 000, more than a tenth
    // of the traffic: nothing is dealt anew. In 100 ms each of two flows gains 13 000 bytes.
    let grants = grants(&mut policy(&[]), &[20.0, 40.0]);

    assert!(near(grants[0], 13_000.0) && near(grants[1], 13_000.0), "{grants:?}");
}

#[test]
fn a_tenth_of_the_traffic_goes_from_those_who_have_to_all_alike() {
    // A full link: phi = 0; 125 000 bytes/s are dealt anew, 12 500 bytes in a round trip: each gives a tenth of
    // its window and gets half of it.
    let grants = grants(&mut policy(&[]), &[25.0, 100.0]);

    assert!(near(grants[0], 6250.0 - 2500.0) && near(grants[1], 6250.0 - 10_000.0), "{grants:?}");
}

#[test]
fn a_standing_queue_is_taken_back() {
    // 125 packets fill the link; Q = 20 000 bytes: phi / d = -0.226 * 20 000 / 0.1 = -45 200, h = 125 000 - 45 200.
    let mut policy = policy(&[]);
    for _ in 0..2 {
        (0..125).for_each(|_| arrive(&mut policy, &packet(125.0)));
        policy.least_queue = 20_000.0;
        control(&mut policy, 100);
    }
    let granted: f64 = (0..125).map(|_| leave(&mut policy, packet(125.0))).sum();

    assert!(near(policy.phi, -45_200.0), "{}", policy.phi);
    assert!(near(granted, -4520.0), "{granted}");
}

#[test]
fn no_more_is_given_out_than_there_is() {
    let mut policy = policy(&[]);
    let first: f64 = grants(&mut policy, &[10.0]).into_iter().sum();
    let more: f64 = (0..10).map(|_| leave(&mut policy, packet(10.0))).sum();

    assert!(first > 0.0 && near(more, 0.0), "{first}, then {more}");
}

#[test]
fn the_least_of_several_routers_holds() {
    let mut policy = policy(&[]);
    grants(&mut policy, &[20.0]);
    control(&mut policy, 200);
    (0..20).for_each(|_| arrive(&mut policy, &packet(20.0)));
    control(&mut policy, 300);
    let mut asked = packet(20.0);
    let offered = leave(&mut policy, asked);
    if let Body::Data { header: Some(Header::Xcp(header)), .. } = &mut asked.body {
        header.feedback = -700.0;
    }

    assert!(offered > 0.0);
    assert!(near(leave(&mut policy, asked), -700.0), "a router before it has cut already");
}

#[test]
fn a_throughput_is_granted_to_who_asks_for_one() {
    // Of 10 packets in a round trip of 100 ms each is granted the same throughput whichever it asks for; as a
    // window that is a tenth of a second's worth.
    let mut policy = policy(&[]);
    grants(&mut policy, &[10.0]);
    control(&mut policy, 200);
    (0..10).for_each(|_| arrive(&mut policy, &packet(10.0)));
    control(&mut policy, 300);
    let window = leave(&mut policy, packet(10.0));
    let mut asked = packet(10.0);
    if let Body::Data { header: Some(Header::Xcp(header)), .. } = &mut asked.body {
        header.unit = XcpUnit::Throughput;
    }
    let throughput = leave(&mut policy, asked);

    assert!(window > 0.0 && near(0.1 * throughput, window), "{window} {throughput}");
}

#[test]
fn the_interval_is_the_mean_round_trip_weighted_by_packets_spacing() {
    // One packet each of rtt 0.1 and 0.3 with windows of 10: spacings 0.01 and 0.03: (0.001 + 0.009) / 0.04.
    let mut policy = policy(&[]);
    arrive(&mut policy, &packet(10.0));
    let mut far = packet(10.0);
    if let Body::Data { header: Some(Header::Xcp(header)), .. } = &mut far.body {
        header.rtt = 0.3;
    }
    arrive(&mut policy, &far);
    control(&mut policy, 50);

    assert!((policy.rtt - 0.25).abs() < 1e-6);
    assert!((policy.control_due.as_secs_f64() - 0.3).abs() < 1e-6);
}

#[test]
fn traffic_without_the_header_counts_and_is_left_alone() {
    let mut policy = policy(&[]);
    let plain = Packet::datagram(FlowId(1), 7, 1000);
    for _ in 0..2 {
        (0..65).for_each(|_| arrive(&mut policy, &plain));
        (0..60).for_each(|_| arrive(&mut policy, &packet(60.0)));
        control(&mut policy, 100);
    }
    let mut out = plain;
    policy.on_transmission(at(0.2), &mut out, Backlog::default());

    assert_eq!(out, plain);
    assert!(policy.phi.abs() < 1e-6 * policy.capacity, "the link is full");
}

#[test]
fn the_first_intervals_end_when_they_are_told_to() {
    let told = policy(&[("control_phase", "54ms"), ("queue_phase", "62ms")]);
    let plain = policy(&[]);

    let millis = |due: Instant| due.as_nanos() / 1_000_000;
    assert_eq!((millis(told.control_due), millis(told.queue_due)), (54, 62));
    assert_eq!((millis(plain.control_due), millis(plain.queue_due)), (50, 50));
}

#[test]
fn after_syns_alone_only_ns2_has_something_to_give() {
    // A SYN of 40 bytes in 50 ms: 800 bytes/s; 0.4 * 1 249 200 = 499 680 to spare, divided by one second's claims.
    // Each of two packets in a round trip of 100 ms claims 50 ms: 24 984 bytes/s, in 100 ms 2498.4 bytes.
    for (settings, granted) in [(&[][..], 0.0), (&[("deals_blindly", "true")], 2498.4)] {
        let mut policy = policy(settings);
        arrive(&mut policy, &Packet::datagram(FlowId(0), 0, 40));
        control(&mut policy, 50);

        assert!(near(leave(&mut policy, packet(2.0)), granted));
    }
}

#[test]
fn an_idle_link_has_no_persistent_queue_and_ns2_does_not_see_it() {
    for (settings, seen) in [(&[][..], 0.0), (&[("sees_idle", "false")], 9000.0)] {
        let mut policy = policy(settings);
        policy.least_queue = 9000.0;
        policy.on_idle(at(0.0));
        control(&mut policy, 100);

        assert!(near(policy.persistent_queue, seen));
    }
}
