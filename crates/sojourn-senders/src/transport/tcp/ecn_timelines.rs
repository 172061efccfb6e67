//! Timelines of ECN: echoes and their effects, against the rules of RFC 3168.

use super::pair::{Fate, MSS, Pair, Seen};
use super::timelines::{BULK, dead_from, millis, near, pair, ten};
use crate::packet::{Body, Codepoint, Ecn};
use crate::transport::Endpoint;

#[test]
fn marks_cut_the_window_once_per_window_of_data() {
    for profile in ["ns2", "rfc"] {
        let settings = [("profile", profile), ("ecn", "true"), ("ack_every", "1")];
        let mut pair = ten(&settings, "200");
        // All of the first window is marked.
        pair.on_data = Box::new(|n, _| if n < 10 { Fate::Mark } else { Fate::Deliver });
        pair.start();
        pair.run_until(100);
        assert_eq!(pair.sender.counters().ecn_reductions, 1, "RFC 3168 section 6.1.2, {profile}");
        assert!(near(pair.cwnd(), 5.0), "echoes do not open the window, {profile}: {}", pair.cwnd());

        pair.run_until(1000);
        assert_eq!(pair.sender.counters().ecn_reductions, 1, "{profile}");
        assert_eq!(pair.receiver.counters().marks_seen, 10);
        assert_eq!(pair.sender.counters().retransmits, 0);
    }
}

#[test]
fn cwr_is_on_the_first_new_segment_and_stops_the_echo() {
    let mut pair = ten(&[("ecn", "true")], "200");
    pair.on_data = Box::new(|n, _| if n == 0 { Fate::Mark } else { Fate::Deliver });
    pair.start();
    pair.run_until(400);

    assert_eq!(with_cwr(&pair), [10], "RFC 3168 section 6.1.2");
    // Ten echoes in the first round trip; the first new segment carries CWR, and none echoes after it.
    assert_eq!((echoes(&pair, 0, 100), echoes(&pair, 100, 400)), (10, 0));
}

#[test]
fn a_scalable_sender_says_so_on_its_data() {
    for (codepoint, ecn) in [("ect0", Ecn::Ect0), ("ect1", Ecn::Ect1)] {
        let mut pair = ten(&[("ecn", "true"), ("ecn_codepoint", codepoint)], "200");
        pair.start();
        pair.run_until(50);

        assert!(pair.data.iter().all(|seen| seen.packet.ecn == ecn), "RFC 9331 section 4.1, {codepoint}");
    }
}

#[test]
fn after_a_lost_syn_ns2_takes_the_answers_echo_for_a_mark() {
    // ns-2 2.35, tcp.cc: after a timeout every echo cuts, and that of the SYN's answer is one; the window is one anyway. `necnresponses_`
    // counts it. RFC 3168 section 6.1.1: there the bit only agrees.
    for (profile, timeout, cuts) in [("ns2", 3000, 1), ("rfc", 1000, 0)] {
        let mut pair = Pair::new(&[("profile", profile), ("ecn", "true")], BULK).losing(&[0]);
        pair.start();
        pair.run_until(timeout + 100);
        assert_eq!(pair.sender.counters().ecn_reductions, cuts, "{profile}");
        assert!(near(pair.cwnd(), 1.0), "{profile}: {}", pair.cwnd());
    }
}

/// Segments that carry CWR, without SYNs.
fn with_cwr(pair: &Pair) -> Vec<u64> {
    let cwr = |seen: &&Seen| matches!(seen.packet.body, Body::Data { cwr: true, syn: false, .. });
    pair.data.iter().filter(cwr).map(|seen| seen.seq() / MSS).collect()
}

/// Acknowledgements of data sent in these milliseconds that echo congestion.
fn echoes(pair: &Pair, from: u64, to: u64) -> usize {
    let in_span = pair.acks.iter().filter(|seen| (millis(from)..millis(to)).contains(&seen.at) && !seen.is_syn());
    in_span.filter(|seen| matches!(seen.packet.body, Body::Ack { codepoint: Codepoint::Ece, .. })).count()
}

#[test]
fn in_linux_the_timeout_of_a_syn_is_told_by_the_first_segment() {
    for (lost, told) in [(0, &[][..]), (1, &[0])] {
        let mut pair = Pair::new(&[("profile", "linux"), ("ecn", "true"), ("ecn_fallback", "false")], BULK);
        pair.on_data = Box::new(move |n, _| if n < lost { Fate::Lose } else { Fate::Deliver });
        pair.start();
        pair.run_until(1024 * lost as u64 + 150);
        assert_eq!(with_cwr(&pair), told, "{lost} lost");
    }
}

#[test]
fn the_syn_offers_ecn_and_its_answer_agrees() {
    // RFC 3168 §6.1.1: an ECN-setup SYN has CWR and ECE, its answer ECE alone; neither is ECN-capable.
    for (ecn, offered, answered, data) in
        [("true", true, Codepoint::Ece, Ecn::Ect0), ("false", false, Codepoint::None, Ecn::NotEct)]
    {
        let mut pair = Pair::new(&[("ecn", ecn)], BULK);
        pair.on_data = Box::new(|_, _| Fate::Mark);
        pair.start();
        pair.run_until(400);
        let syn = pair.data[0].packet;
        assert!(matches!(syn.body, Body::Data { syn: true, cwr, .. } if cwr == offered), "{ecn}");
        let answer = pair.acks[0].packet;
        assert!(matches!(answer.body, Body::Ack { syn: true, codepoint, .. } if codepoint == answered));
        assert_eq!((syn.ecn, answer.ecn), (Ecn::NotEct, Ecn::NotEct));
        assert!(pair.data[1..].iter().all(|seen| seen.packet.ecn == data), "{ecn}");
        let reductions = pair.sender.counters().ecn_reductions;
        assert_eq!(reductions > 0, data == Ecn::Ect0, "{ecn}: the handshake's flags echo no congestion");
    }
}

#[test]
fn the_handshake_itself_is_no_echo() {
    let mut pair = Pair::new(&[("ecn", "true")], BULK);
    pair.start();
    pair.run_until(450);
    assert_eq!(pair.sender.counters().ecn_reductions, 0);
    assert_eq!((echoes(&pair, 0, 450), with_cwr(&pair).len()), (0, 0));
}

#[test]
fn an_echo_arrives_though_acknowledgements_are_lost() {
    // RFC 3168 §6.1.3: it is repeated. Of the acknowledgements of the first window only the last arrives.
    let mut pair = ten(&[("ecn", "true")], "200");
    pair.on_data = Box::new(|n, _| if n == 0 { Fate::Mark } else { Fate::Deliver });
    pair.on_ack = Box::new(|n, _| if n < 9 { Fate::Lose } else { Fate::Deliver });
    pair.start();
    pair.run_until(100);
    assert_eq!(pair.sender.counters().ecn_reductions, 1);
}

#[test]
fn cwr_is_set_after_a_cut_for_a_loss_too() {
    // RFC 3168 §6.1.2: for fast retransmit and for the timeout.
    let mut fast = ten(&[("ecn", "true")], "200").losing(&[0]);
    fast.start();
    fast.run_until(400);
    assert_eq!(with_cwr(&fast), [12], "10 and 11 left by limited transmit before the cut");

    let mut slow = ten(&[("ecn", "true")], "200");
    dead_from(&mut slow, 0, 10);
    slow.start();
    slow.run_until(1500);
    assert_eq!(with_cwr(&slow), [10], "on new data, not on the retransmissions before it");
}

#[test]
fn the_echo_goes_on_until_a_cwr_arrives() {
    // RFC 3168 §6.1.3. The segment with CWR, 10, is lost: echoes go on, its loss cuts the window again, and the CWR of
    // this cut ends them.
    let mut pair = ten(&[("ecn", "true")], "200");
    pair.on_data = Box::new(|n, packet| match packet.body {
        _ if n == 0 => Fate::Mark,
        Body::Data { cwr: true, seq, .. } if seq == 10 * MSS => Fate::Lose,
        _ => Fate::Deliver,
    });
    pair.start();
    pair.run_until(1000);
    let answers = with_cwr(&pair);
    assert_eq!((answers.len(), answers[0]), (2, 10));
    assert!(echoes(&pair, 100, 200) > 0, "CWR did not arrive");
    assert_eq!(echoes(&pair, 400, 1000), 0);
    assert_eq!(pair.sender.counters().timeouts, 0);
}

#[test]
fn retransmissions_are_ecn_capable_in_ns2_only() {
    for (profile, ecn) in [("ns2", Ecn::Ect0), ("rfc", Ecn::NotEct)] {
        let mut pair = ten(&[("profile", profile), ("ecn", "true"), ("ack_every", "1")], "50").losing(&[0]);
        pair.start();
        pair.run_until(120);
        let resent = pair.data.iter().find(|seen| seen.is_retransmit()).expect("a retransmission");
        assert_eq!(resent.packet.ecn, ecn, "RFC 3168 section 6.1.5, {profile}");
        assert_eq!(pair.data[0].packet.ecn, Ecn::Ect0);
    }
}

#[test]
fn a_loss_in_the_window_of_an_ecn_cut_is_repaired_without_another_cut() {
    for (profile, recovery) in
        [("ns2", "newreno"), ("ns2", "sack"), ("ns2", "reno"), ("rfc", "sack"), ("rfc", "newreno")]
    {
        let settings = [("profile", profile), ("recovery", recovery), ("ecn", "true"), ("ack_every", "1")];
        let mut pair = ten(&settings, "50");
        pair.on_data = Box::new(|n, _| match n {
            0 => Fate::Mark,
            3 => Fate::Lose,
            _ => Fate::Deliver,
        });
        pair.start();
        pair.run_until(100);
        let counters = pair.sender.counters();
        assert_eq!((counters.ecn_reductions, counters.retransmits), (1, 1), "{profile} {recovery}");
        assert!(near(pair.ssthresh(), 5.0), "RFC 3168 section 6.1.2, {profile} {recovery}");
        pair.run_until(60_000);
        assert_eq!(pair.receiver.counters().bytes_delivered, 50 * MSS);
    }
}

#[test]
fn under_a_window_of_one_an_echo_leaves_sending_to_the_timer() {
    // ns-2: a window of 1 is cut to 0.5; the next segment waits for the timer.
    let mut pair = pair(&[("profile", "ns2"), ("ecn", "true"), ("initial_window", "1"), ("initial_ssthresh", "2")]);
    pair.on_data = Box::new(|n, _| if n == 0 { Fate::Mark } else { Fate::Deliver });
    pair.start();
    pair.run_until(150);
    assert_eq!(pair.data.len(), 1);
    assert!(near(pair.cwnd(), 0.5));
    assert!(pair.sender.next_deadline().is_some());

    pair.run_until(3000);
    assert!(pair.data.len() > 1, "and it goes on");
    assert_eq!(pair.sender.counters().timeouts, 0, "nothing was outstanding");
}

// ---- DECbit.

fn decbit(settings: &[(&str, &str)]) -> Pair {
    let mut all = vec![
        ("handshake", "false"),
        ("initial_window", "4"),
        ("control", "decbit"),
        ("ecn", "true"),
        ("ecn_feedback", "dctcp"),
    ];
    all.extend_from_slice(settings);
    Pair::new(&all, BULK)
}

/// The segments sent in each of the first `number` round trips.
fn rounds(pair: &Pair, number: u64) -> Vec<usize> {
    (0..number).map(|n| pair.segments_between(100 * n, 100 * n + 1).len()).collect()
}

#[test]
fn a_decbit_source_decides_every_other_window() {
    // Ramakrishnan and Jain 1990 section 5, no bit set: after the 4 acknowledgements at 100 ms the window is 5; then it
    // waits for 4 + 5 of them, the last at 300 ms, then for 5 + 6, at 500 ms.
    let mut pair = decbit(&[]);
    pair.start();
    pair.run_until(650);
    assert_eq!(rounds(&pair, 7), [4, 5, 5, 6, 6, 7, 7]);
}

#[test]
fn a_decbit_source_gives_up_an_eighth_of_a_marked_window() {
    // 8 of 8 marked: 7 at 100 ms. Nothing is sent for CWR, and the bits of the 7 that follow decide: 8 again.
    let mut pair = decbit(&[("initial_window", "8")]);
    pair.on_data = Box::new(|n, _| if n < 8 { Fate::Mark } else { Fate::Deliver });
    pair.start();
    pair.run_until(150);
    assert!(near(pair.cwnd(), 7.0));
    pair.run_until(650);
    assert_eq!((with_cwr(&pair).len(), pair.sender.counters().ecn_reductions), (0, 0));
    assert!(pair.cwnd() > 7.5, "{}", pair.cwnd());
}

// ---- Choke packets.

/// A window of ten of which these segments meet a router that sends choke packets; they arrive at 50 ms.
fn choked(settings: &[(&str, &str)], told: &'static [usize]) -> Pair {
    let mut pair = ten(settings, "200");
    pair.on_data = Box::new(move |n, _| if told.contains(&n) { Fate::Choke } else { Fate::Deliver });
    pair.start();
    pair
}

#[test]
fn a_choke_packet_is_faster_than_an_echo_and_does_what_it_is_told_to() {
    // Ten segments out under a window and a threshold of ten, at half of the round trip.
    for (quench, window, threshold) in [
        ("ignore", 10.0, 10.0),     // RFC 6633
        ("one_segment", 1.0, 10.0), // 4.3BSD
        ("slow_start", 1.0, 5.0),   // RFC 1122 section 4.2.3.9
        ("as_mark", 5.0, 5.0),      // RFC 3168 section 6.1.2
    ] {
        let mut pair = choked(&[("quench", quench)], &[2]);
        pair.run_until(49);
        assert!(near(pair.cwnd(), 10.0), "{quench}: not before it arrives");
        pair.run_until(50);
        assert!(near(pair.cwnd(), window), "{quench}: {}", pair.cwnd());
        assert!(near(pair.ssthresh(), threshold), "{quench}: {}", pair.ssthresh());
        pair.run_until(60_000);
        assert_eq!(pair.receiver.counters().bytes_delivered, 200 * MSS, "{quench}");
        assert_eq!(pair.sender.counters().retransmits, 0, "{quench}: nothing was lost");
    }
}

#[test]
fn the_choke_packets_of_one_window_halve_it_once() {
    for quench in ["slow_start", "as_mark"] {
        let mut pair = choked(&[("quench", quench)], &[0, 3, 9]);
        pair.run_until(99);
        assert!(near(pair.ssthresh(), 5.0), "{quench}: {}", pair.ssthresh());
    }
}

#[test]
fn a_loss_and_a_choke_packet_of_one_window_halve_it_once() {
    // Source quench tells of a segment that is dropped (RFC 792): its repair does not cut again.
    let mut pair = ten(&[("quench", "as_mark")], "200");
    pair.on_data = Box::new(|n, _| match n {
        3 => Fate::Lose,
        4 => Fate::Choke,
        _ => Fate::Deliver,
    });
    pair.start();
    pair.run_until(100);
    assert_eq!(pair.sender.counters().retransmits, 1);
    assert!(near(pair.ssthresh(), 5.0), "{}", pair.ssthresh());
}
