//! Timelines of the retransmission timer (RFC 6298): round trips take 100 ms, packets no time.

use super::pair::{Fate, Pair};
use super::timelines::{dead_from, millis, near, pair, ten};
use crate::packet::Body;
use crate::transport::Endpoint;
use crate::units::{Duration, Instant};

#[test]
fn the_timeout_doubles_and_one_segment_is_sent_each_time() {
    let mut pair = pair(&[("profile", "rfc"), ("handshake", "false"), ("initial_window", "4")]);
    dead_from(&mut pair, 0, 8);
    pair.start();
    pair.run_until(16_000);
    // RFC 6298 rules 2.1 and 5.5: 1 s, then 2, 4, 8.
    let times: Vec<u64> = pair.data[4..8].iter().map(|seen| seen.at.as_nanos() / 1_000_000).collect();
    assert_eq!(times, [1000, 3000, 7000, 15_000]);
    assert!(pair.data[4..8].iter().all(|seen| seen.seq() == 0 && seen.is_retransmit()));
    assert_eq!(pair.sender.counters().timeouts, 4);
    assert!(near(pair.ssthresh(), 2.0), "RFC 5681 section 3.1: held from the first timeout on");
}

/// A transfer without end that loses every twentieth segment and the retransmission of the first that was lost.
fn with_a_lost_repair(settings: &[(&str, &str)]) -> Pair {
    let mut pair = pair(settings);
    let mut head = None;
    pair.on_data = Box::new(move |n, packet| {
        let Body::Data { seq, retransmit, .. } = packet.body else { return Fate::Deliver };
        if retransmit {
            return if head.take() == Some(seq) { Fate::Lose } else { Fate::Deliver };
        }
        if n % 20 != 19 {
            return Fate::Deliver;
        }
        if n == 19 {
            head = Some(seq);
        }
        Fate::Lose
    });
    pair
}

#[test]
fn a_lost_retransmission_is_found_by_the_timer() {
    // The acknowledgement of segment 18 is the last that moves `una`, and the repair of 19 is lost, while holes above it go on
    // being found and repaired. RFC 6298: one timeout after that acknowledgement; the retransmission that begins the recovery
    // restarts the timer in ns-2 and Linux. RFC 6675 §6's variant restarts it with each repair, for ever.
    for (restart, found) in [("acks", true), ("fast_retransmit", true), ("retransmissions", false)] {
        let mut pair = with_a_lost_repair(&[("profile", "rfc"), ("ack_every", "1"), ("rto_restart", restart)]);
        pair.start();
        let (mut highest, mut since, mut still) = (0, Instant::ZERO, Duration::ZERO);
        while pair.step(Instant::ZERO + millis(8000)) {
            still = still.max(pair.now.since(since));
            if let Some((ack, _)) = pair.heard.last().filter(|(ack, _)| *ack > highest) {
                (highest, since) = (*ack, pair.now);
            }
        }
        // The loss is found within a round trip of 100 ms, the least timeout is 1 s, and the repair that it sends takes a round trip.
        assert_eq!(still <= millis(100 + 1000 + 100), found, "{restart}: {still:?}");
        assert_eq!(pair.sender.counters().timeouts > 0, found, "{restart}");
    }
}

#[test]
fn a_retransmission_is_not_timed_and_keeps_the_back_off() {
    // Karn: without timestamps the first sample comes from a segment sent once.
    let mut pair = pair(&[("profile", "rfc"), ("timestamps", "false"), ("initial_window", "1"), ("ack_every", "1")]);
    dead_from(&mut pair, 0, 1);
    pair.start();
    pair.run_until(1150);
    assert_eq!(pair.sender.counters().rtt_samples, 0);
    assert_eq!(pair.sender.window().expect("a window").rto, Duration::from_secs(2));

    pair.run_until(1250);
    assert_eq!(pair.sender.counters().rtt_samples, 1, "the segments sent at 1100 ms are new");
    assert_eq!(pair.sender.window().expect("a window").rto, Duration::from_secs(1));
}

#[test]
fn after_a_timeout_slow_start_goes_back_to_the_first_hole() {
    // Ten of ten lost: cwnd 1 and go back: 0; then 1, 2; then 3 to 6.
    for settings in [&[("profile", "ns2"), ("recovery", "newreno")][..], &[("profile", "rfc"), ("ack_every", "1")]] {
        let mut all = settings.to_vec();
        all.extend_from_slice(&[("initial_window", "10"), ("initial_ssthresh", "10"), ("rto_initial", "1s")]);
        let mut pair = ten(&all, "50");
        dead_from(&mut pair, 0, 10);
        pair.start();
        pair.run_until(1250);
        assert_eq!(pair.segments_between(1000, 1001), [0]);
        assert_eq!(pair.segments_between(1100, 1101), [1, 2]);
        assert_eq!(pair.segments_between(1200, 1201), [3, 4, 5, 6]);
        assert!(near(pair.ssthresh(), 5.0));
    }
}

#[test]
fn nothing_outstanding_means_no_timer() {
    let mut pair = ten(&[], "10");
    pair.start();
    pair.run_until(100);
    assert_eq!(pair.sender.next_deadline(), None, "RFC 6298 rule 5.2");
}
