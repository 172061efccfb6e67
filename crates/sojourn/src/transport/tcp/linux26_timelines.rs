//! Timelines of `details = "linux"`: each rule of `linux26.rs`, derived by hand. Round trips take 100 ms, packets no time. The window
//! is ten; a duplicate that leaves nine in the network sends a new segment.

use super::pair::{Fate, MSS, Pair, resent};
use super::recovery::Recover as _;
use super::timelines::{BULK, dead_from, near, ten};
use crate::transport::Endpoint;
use crate::units::{Duration, Instant};

const LINUX: [(&str, &str); 2] = [("profile", "ns2_linux"), ("header", "40B")];

fn linux(settings: &[(&str, &str)], packets: &str) -> Pair {
    ten(&[&LINUX, settings].concat(), packets)
}

#[test]
fn the_syn_is_the_first_segment_of_the_initial_window() {
    // tcp-linux.cc: a window of two holds the SYN and segment 0; each acknowledgement opens it by one.
    let mut pair = Pair::new(&LINUX, BULK);
    pair.start();
    pair.run_until(150);
    assert!(pair.data[0].is_syn());
    assert_eq!(pair.segments_between(0, 1), [0]);
    assert_eq!(pair.segments_between(100, 101), [1, 2, 3, 4]);
}

#[test]
fn data_behind_a_syn_does_not_stand_still_before_the_connection_is_open() {
    // The flow starts at 5 s. The answer to its SYN is lost: another goes after 3 s, and segment 0, which arrived at 5.05 s, can be
    // acknowledged only then. Nothing stands still longer than the timeout that was in force.
    for lost in [None, Some(0)] {
        let mut pair = linux(&[("handshake", "true"), ("window", "20p")], "500");
        pair.on_ack = Box::new(move |n, _| if Some(n) == lost { Fate::Lose } else { Fate::Deliver });
        pair.now = Instant::ZERO + Duration::from_secs(5);
        pair.start();
        pair.run_until(12_000);
        assert!(pair.heard.len() > 10);
        assert_eq!(pair.sender.standstill(pair.now), Duration::ZERO, "{lost:?}");
    }
}

#[test]
fn a_segment_is_lost_when_the_highest_one_received_is_four_above() {
    // 0 and 2 of ten are lost. 4 arrives third: 0 is lost; 12 out, three received, one lost: 8, and 9 may be: 0 goes, 8 may
    // be. 6 arrives fifth: 2 is lost: 6, and 7 may be: 2 goes. The eighth duplicate leaves 5 where 6 may be: 12 goes.
    let mut pair = linux(&[], "50").losing(&[0, 2]);
    pair.start();
    pair.run_until(100);
    assert_eq!(pair.segments_between(100, 101), [10, 11, 0, 2, 12]);
}

#[test]
fn a_repair_is_lost_when_what_was_sent_after_it_arrives() {
    // 10, 11, 12, 0, 13, 14 leave at 100 ms. 0 is lost again: 13, not sent when it went, says so at 200 ms.
    let mut pair = linux(&[], "50").losing(&[0, 13]);
    pair.start();
    while resent(&pair).len() < 2 {
        pair.step(Instant::MAX);
    }
    assert_eq!(resent(&pair), [(0, 100), (0, 200)]);
    assert_eq!(pair.heard.last().expect("an acknowledgement").1[0].1, 14 * MSS, "that of 13");
}

#[test]
fn a_repair_is_lost_when_one_five_later_has_arrived() {
    // Twenty in all, 0 to 6 lost: there is nothing new to tell by. The repairs 0 to 6 leave at 100 ms; 0 is lost again. The
    // acknowledgement behind that of the sixth repair, 5, finds it: the one of 6.
    let lost: Vec<usize> = (0..7).chain([20]).collect();
    let mut pair = linux(&[("initial_window", "20"), ("initial_ssthresh", "20")], "20").losing(&lost);
    pair.start();
    pair.run_until(1000);
    let expected: Vec<(u64, u64)> = (0..7).map(|n| (n, 100)).chain([(0, 200)]).collect();
    assert_eq!(resent(&pair), expected);
    assert_eq!(pair.sender.counters().timeouts, 0);
}

#[test]
fn in_recovery_a_lost_repair_cuts_nothing_further() {
    let mut pair = linux(&[], "50").losing(&[0, 13]);
    pair.start();
    pair.run_until(250);
    assert!(near(pair.ssthresh(), 5.0));
    assert_eq!(pair.sender.counters().fast_recoveries, 1);
}

#[test]
fn a_loss_found_after_a_timeout_cuts_again() {
    // Ten of ten lost; 0 goes at 3 s, 1 and 2 at 3.1 s, of which 1 is lost again. Each further repair that arrives sends one,
    // until 1 is found by the sixth after it.
    let mut pair = linux(&[], "50");
    dead_from(&mut pair, 0, 12);
    let mut script = std::mem::replace(&mut pair.on_data, Box::new(|_, _| Fate::Deliver));
    pair.on_data = Box::new(move |n, packet| if n == 10 { Fate::Deliver } else { script(n, packet) });
    pair.start();
    pair.run_until(3150);
    assert_eq!(pair.sender.counters().fast_recoveries, 0);
    pair.run_until(60_000);
    let counters = pair.sender.counters();
    assert_eq!((counters.timeouts, counters.fast_recoveries), (1, 1));
    assert_eq!(resent(&pair).iter().filter(|(segment, _)| *segment == 1).count(), 2);
}

#[test]
fn a_timeout_resends_what_has_not_been_received() {
    // 0 to 7 and 9 lost. 8 finds 0 to 4 lost and sends one repair at 100 ms, which is lost too. The timer, restarted then, expires
    // after 3 s: 0; then 1 and 2; then 3 to 5, since the threshold is 2 (half of the window of 2 to which recovery may fall); and
    // 6, 7 and 9, which no acknowledgement had found, in their turn.
    let mut pair = linux(&[], "10").losing(&[0, 1, 2, 3, 4, 5, 6, 7, 9, 10]);
    pair.start();
    pair.run_until(60_000);
    let late: Vec<u64> = resent(&pair).iter().filter(|again| again.1 >= 3100).map(|again| again.0).collect();
    assert_eq!(late, [0, 1, 2, 3, 4, 5, 6, 7, 9]);
    assert_eq!(resent(&pair)[1], (0, 3100));
    assert!(near(pair.ssthresh(), 2.0));
    assert_eq!(pair.sender.counters().timeouts, 1);
}

#[test]
fn after_a_timeout_the_window_is_the_threshold_but_at_most_three_above_what_is_out() {
    // The last of twenty is lost: its repair opens the window from 1 to 2, and nothing is out: 3, below the threshold of 10. The
    // last three: their repairs open it to 4, and nothing is out either.
    for lost in [&[19][..], &[17, 18, 19]] {
        let mut pair = linux(&[("initial_window", "20"), ("initial_ssthresh", "20")], "20").losing(lost);
        pair.start();
        pair.run_until(60_000);
        assert!(near(pair.cwnd(), 3.0) && near(pair.ssthresh(), 10.0), "{lost:?}: {}", pair.cwnd());
        assert_eq!(pair.sender.counters().timeouts, 1);
    }
}

#[test]
fn after_recovery_what_was_lost_behind_it_is_found_anew() {
    // 0 and 13 lost, the first segment sent after the cut: two recoveries, no timeout.
    let mut pair = linux(&[], "50").losing(&[0, 14]);
    pair.start();
    pair.run_until(60_000);
    let counters = pair.sender.counters();
    assert_eq!((counters.fast_recoveries, counters.timeouts, counters.retransmits), (2, 0, 2));
}

#[test]
fn the_receivers_window_does_not_bound_what_is_out() {
    // As above with room for twelve: 13 and 14 leave while 0 is missing.
    let mut pair = linux(&[("window", "12p")], "50").losing(&[0]);
    pair.start();
    pair.run_until(100);
    assert_eq!(pair.segments_between(100, 101), [10, 11, 12, 0, 13, 14]);
}

#[test]
fn a_fixed_window_bounds_what_is_out_in_recovery_too() {
    // Without a threshold recovery has nothing to fall to: the window of ten stays.
    let mut pair = linux(&[("control", "none")], "2000").losing(&[3, 40, 41, 42, 43]);
    pair.start();
    while pair.step(Instant::ZERO + Duration::from_secs(3)) {
        let in_network = pair.sender.recovery.in_network(&pair.sender.stream);
        assert!(in_network <= 10, "{in_network} at {:?}", pair.now);
    }
    assert_eq!((pair.sender.counters().fast_recoveries, pair.sender.counters().timeouts), (2, 0));
}

#[test]
fn a_mark_halves_the_rate_as_a_loss_does() {
    let mut pair = linux(&[("ecn", "true")], "50");
    pair.on_data = Box::new(|n, _| if n == 0 { Fate::Mark } else { Fate::Deliver });
    pair.start();
    pair.run_until(100);
    // The first acknowledgement cuts: 9 are out, 10 may be: one goes, 9 may be. Then one for every second: after acknowledgements
    // 3, 5, 7 and 9 there are 8, 7, 6 and 5 out, one fewer than may be.
    assert_eq!(pair.segments_between(100, 101), [10, 11, 12, 13, 14]);
    assert!(near(pair.ssthresh(), 5.0));
    let counters = pair.sender.counters();
    assert_eq!((counters.ecn_reductions, counters.fast_recoveries), (1, 0));
}

#[test]
fn duplicates_measure_the_round_trip_from_the_last_segment_in_order() {
    // 10 is lost. Ten samples of 100 ms: srtt8 = 800; rttvar4 = 200, then less a quarter, rounded down, nine times: 16. The first
    // duplicate at 200 ms repeats the timestamp 0 of segment 9: 200 ms. srtt8 = 900, rttvar4 = 16 + 100 - 4 = 112,
    // RTO = (8 * 112 + 900) / 8 = 224 ms.
    let mut pair = linux(&[], "50").losing(&[10]);
    pair.start();
    pair.run_until(150);
    assert_eq!(pair.sender.window().expect("a window").rto, Duration::from_millis(200));
    while pair.heard.len() < 11 {
        pair.step(Instant::MAX);
    }
    assert_eq!(pair.sender.window().expect("a window").rto, Duration::from_millis(224));
    assert_eq!(pair.sender.counters().rtt_samples, 10, "what is reported counts new acknowledgements");
}
