//! Timelines of a connection's opening where the sender acknowledges the answer to its SYN (`handshake_ack`), as in Linux. Round trips take
//! 100 ms.

use super::pair::{Fate, MSS, Pair, Seen};
use super::timelines::{BULK, millis};
use crate::packet::{Body, Ecn, Packet};
use crate::rng::Rng;
use crate::transport::{ContextOwner, Endpoint};
use crate::units::{Duration, Instant};

fn linux(settings: &[(&str, &str)]) -> Pair {
    Pair::new(&[&[("profile", "linux"), ("ack_size", "66B")], settings].concat(), BULK)
}

/// The times of these packets in milliseconds.
fn times<'a>(seen: impl Iterator<Item = &'a Seen>) -> Vec<u64> {
    seen.map(|seen| seen.at.as_nanos() / 1_000_000).collect()
}

#[test]
fn the_answer_to_a_syn_is_acknowledged_before_the_first_data() {
    for (profile, expected) in [("linux", vec![100]), ("rfc", vec![])] {
        let mut pair = Pair::new(&[("profile", profile), ("ack_size", "66B")], BULK);
        pair.start();
        pair.run_until(149);
        assert_eq!(times(pair.data.iter().filter(|seen| seen.is_bare())), expected, "{profile}");
        assert_eq!(pair.data.len(), 11 + expected.len(), "a SYN and ten segments");
        if !expected.is_empty() {
            let packet = pair.data[1].packet;
            assert_eq!((packet.size, packet.ecn), (66, Ecn::NotEct));
        }
        // Nothing answers it.
        pair.run_until(150);
        assert!(pair.acks[1..].iter().all(|seen| seen.seq() > 0));
    }
}

#[test]
fn a_late_answer_to_the_first_syn_shows_that_none_was_lost() {
    // The timers of the SYNs go off at 1024 and 2048 ms; the window is one if these two were needed.
    for (late, window) in [(2_300, 10), (0, 1)] {
        let mut pair = linux(&[]);
        pair.on_data = Box::new(move |n, _| match n {
            0 if late > 0 => Fate::Late(millis(late - 50)),
            0 | 1 => Fate::Lose,
            2 if late > 0 => Fate::Lose,
            _ => Fate::Deliver,
        });
        pair.start();
        pair.run_until(late.max(2_100) + 60);
        assert_eq!(times(pair.data.iter().filter(|seen| seen.is_syn())), [0, 1024, 2048]);
        let data = pair.data.iter().filter(|seen| !seen.is_syn() && !seen.is_bare());
        assert_eq!(data.count(), window, "{late}");
    }
}

#[test]
fn linux_times_a_syn_that_was_sent_again_in_whole_milliseconds() {
    // The SYN at 1024 ms comes 0.7 ms late. By the echo the round trip is 100 ms, and the timeout three times that.
    for (lost, timeout) in [(1, Duration::from_millis(300)), (0, Duration::from_millis(303))] {
        let mut pair = linux(&[]);
        pair.on_data = Box::new(move |n, _| match n {
            _ if n < lost => Fate::Lose,
            _ if n == lost => Fate::Late(Duration::from_micros(700)),
            _ => Fate::Deliver,
        });
        pair.start();
        pair.run_until(1024 * lost as u64 + 110);
        assert_eq!(pair.sender.window().expect("a window").rto, timeout, "{lost} lost");
    }
}

#[test]
fn an_answer_to_a_syn_is_repeated_until_something_arrives() {
    // All is lost but the SYN, up to 4 s. The timer of the answer waits 1 s, and then 2 s, in slots of 64 ms: 50 + 1000 is in the slot that
    // ends at 1088, and 1088 + 2000 in that which ends at 3136.
    let mut pair = linux(&[]);
    pair.on_data = Box::new(|n, packet| match packet.body {
        Body::Data { sent_at, .. } if n > 0 && sent_at.as_nanos() < 4_000_000_000 => Fate::Lose,
        _ => Fate::Deliver,
    });
    pair.start();
    pair.run_until(20_000);
    assert_eq!(times(pair.acks.iter().filter(|seen| seen.is_syn())), [50, 1088, 3136]);
    assert_eq!(times(pair.data.iter().filter(|seen| seen.is_bare())), [100, 1138, 3186], "each is acknowledged");
}

#[test]
fn a_syn_and_its_answer_have_options_of_their_own_in_linux() {
    for (profile, size) in [("linux", 74), ("rfc", 66)] {
        let mut pair = Pair::new(&[("profile", profile), ("ack_size", "66B")], BULK);
        pair.start();
        pair.run_until(200);
        let opening = [&pair.data[0], &pair.acks[0]];
        assert!(opening.iter().all(|seen| seen.is_syn() && seen.packet.size == size), "{profile}");
        assert!(pair.acks[1..].iter().all(|seen| seen.packet.size == 66), "{profile}");
    }
}

/// The packets that are answered, of five at these milliseconds.
fn answered(mut end: impl Endpoint, packet: &Packet, at: [u64; 5]) -> [bool; 5] {
    let mut cx = ContextOwner::new(Rng::named(1, "copies"));
    at.map(|at| {
        end.on_packet(Instant::ZERO + Duration::from_millis(at), packet, &mut cx.lend());
        cx.out.drain(..).count() > 0
    })
}

#[test]
fn in_linux_copies_of_a_syn_and_of_its_answer_are_answered_twice_a_second() {
    let (mut open, mut asked) = (linux(&[]), linux(&[]));
    open.start();
    open.run_until(149);
    asked.start();
    asked.run_until(60);
    let (answer, syn) = (open.acks[0].packet, open.data[0].packet);

    // The first copies come soon after what they are copies of.
    assert_eq!(answered(open.sender, &answer, [150, 649, 650, 1149, 1150]), [true, false, true, false, true]);
    assert_eq!(answered(asked.receiver, &syn, [60, 559, 560, 1059, 1060]), [true, false, true, false, true]);
}

#[test]
fn in_linux_a_packet_without_data_counts_for_the_pacer() {
    // The acknowledgement at 200 ms finds segments that wait for it since 100 ms: the pacer shortens the pause behind the first by half. A
    // copy of the answer to the SYN is acknowledged at 199 ms, so that the pause is shorter by 1 ms. 1.2 windows of eleven go in a round
    // trip of 100 ms.
    for (copy, pause) in [(false, 3.7..4.2), (true, 6.5..7.4)] {
        let settings = [("pacing", "true"), ("offload", "false"), ("defer", "false"), ("initial_ssthresh", "10")];
        let mut pair = linux(&[&settings[..], &[("ack_every", "1"), ("timers", "exact")]].concat());
        pair.start();
        pair.run_until(199);
        if copy {
            let answer = pair.acks[0].packet;
            let mut cx = ContextOwner::new(Rng::named(1, "copy"));
            pair.sender.on_packet(Instant::ZERO + millis(199), &answer, &mut cx.lend());
            assert_eq!(cx.out.drain(..).count(), 1);
        }
        pair.run_until(250);
        let times = pair.data.iter().map(|seen| seen.at.as_millis_f64()).filter(|&at| at >= 200.0);
        let times: Vec<f64> = times.collect();
        assert!(pause.contains(&(times[1] - times[0])), "{copy}: {times:?}");
    }
}

#[test]
fn linuxs_bbr_takes_its_first_data_for_a_start_after_a_pause() {
    // The answer to the first of three SYNs comes at 2.6 s, and the ten segments are lost. The probe is new data, after two round trips.
    // Its report at 13.9 s is the first sample, and older than 10 s is the shortest round trip, that of the handshake. BBR does not probe
    // the round trip all the same, since its restart ends with this sample. The window is one segment then, and with the repair of the
    // first it becomes the least of four. Behind such a probe it would again be that of before, and one more: eleven.
    let mut pair = linux(&[("control", "bbr"), ("control.preset", "linux"), ("timers", "exact")]);
    pair.on_data = Box::new(|n, _| match n {
        0 => Fate::Late(millis(2500)),
        14 => Fate::Late(millis(6000)),
        15 => Fate::Late(millis(1000)),
        1 | 2 | 4..14 => Fate::Lose,
        _ => Fate::Deliver,
    });
    pair.start();
    pair.run_until(15_005);
    assert_eq!(times(pair.data.iter().skip(13).take(3)), [2600, 7800, 13_900]);
    assert_eq!(pair.sender.window().map(|window| window.cwnd as u64), Some(4 * MSS));
}
