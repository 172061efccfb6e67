//! Timelines of retransmission by a fine-grained timeout ([BP95], `early.rs`): round trips take 100 ms, packets no time.

use super::pair::{Fate, MSS, Pair};
use super::timelines::{millis, near, pair};
use crate::packet::Body;
use crate::transport::Endpoint;
use crate::units::Instant;

/// Vegas with a window of ten and twenty round trips behind it, so that the variation of the round-trip time is 50 ms
/// 0.75^19 = 0.2 ms. At 2 s a window leaves: the segments `lost` of it are lost, and the others are `late`.
fn vegas(settings: &[(&str, &str)], lost: &[u64], late: u64) -> Pair {
    let mut all = vec![("control", "vegas"), ("recovery", "reno"), ("window", "10p"), ("limited_transmit", "false")];
    all.extend_from_slice(&[("initial_window", "10"), ("initial_ssthresh", "10")]);
    all.extend_from_slice(settings);
    let mut pair = pair(&all);
    let lost = lost.to_vec();
    let mut first = None;
    pair.on_data = Box::new(move |_, packet| match packet.body {
        Body::Data { seq, sent_at, retransmit: false, .. } if sent_at == Instant::ZERO + millis(2000) => {
            let number = (seq - *first.get_or_insert(seq)) / MSS;
            if lost.contains(&number) { Fate::Lose } else { Fate::Late(millis(late)) }
        }
        _ => Fate::Deliver,
    });
    pair.start();
    pair
}

/// Acknowledgements that had arrived when each segment was sent again, counted from those of the window at 2 s; and
/// the number of each segment in that window.
fn resent(pair: &mut Pair, until: u64) -> Vec<(usize, u64)> {
    pair.run_until(2000);
    let (heard, first) = (pair.heard.len(), pair.segments_between(2000, 2001)[0]);
    let (mut sent, mut resent) = (pair.data.len(), Vec::new());
    while pair.step(Instant::ZERO + millis(until)) {
        for seen in &pair.data[sent..] {
            if seen.is_retransmit() {
                resent.push((pair.heard.len() - heard, seen.seq() / MSS - first));
            }
        }
        sent = pair.data.len();
    }
    resent
}

#[test]
fn a_duplicate_after_the_fine_timeout_is_enough() {
    // [BP95]: ACKs of 1 to 9 come 30 ms late, and the first already finds segment 0 overdue. In time, they say so
    // by the third.
    for recovery in ["reno", "newreno", "sack"] {
        for (late, early, expected) in [(30, "true", (1, 0)), (0, "true", (3, 0)), (30, "false", (3, 0))] {
            let mut pair = vegas(&[("recovery", recovery), ("control.early", early)], &[0], late);
            let resent = resent(&mut pair, 3000);
            // SACK may send the last segment again besides (RFC 6675 NextSeg rule 4).
            assert_eq!(resent[0], expected, "{recovery}, {late} ms late, early = {early}");
            assert_eq!(pair.sender.counters().timeouts, 0);
        }
    }
}

#[test]
fn two_duplicates_need_no_timer() {
    // The last three of a window: losing the first of them leaves two duplicates, which Reno cannot use.
    for (early, timeouts) in [("true", 0), ("false", 1)] {
        let settings = [("control.early", early), ("window", "3p"), ("initial_window", "3"), ("initial_ssthresh", "3")];
        let mut pair = vegas(&settings, &[0], 30);
        assert_eq!(resent(&mut pair, 10_000)[0].1, 0);
        assert_eq!(pair.sender.counters().timeouts, timeouts, "early = {early}");
    }
}

#[test]
fn the_first_acks_after_a_retransmission_find_further_losses() {
    // [BP95]: 0, 1 and 2 are lost. Seven duplicates: 0 is sent again at the third, and its ACK, the eighth, finds 1
    // overdue, whose ACK finds 2. That is one cut, to 3/4 of ten; Reno cuts again or waits for its timer.
    let mut pair = vegas(&[], &[0, 1, 2], 0);
    let resent = resent(&mut pair, 2250);
    assert_eq!(resent.iter().map(|(_, number)| *number).collect::<Vec<_>>()[..2], [0, 1], "{resent:?}");
    pair.run_until(2350);
    let counters = pair.sender.counters();
    assert_eq!((counters.retransmits, counters.timeouts, counters.fast_recoveries), (3, 0, 1));
    assert!(near(libm::floor(pair.cwnd()), 7.0), "3/4 of ten: {}", pair.cwnd());

    let mut without = vegas(&[("control.early", "false")], &[0, 1, 2], 0);
    without.run_until(10_000);
    assert!(without.sender.counters().timeouts > 0, "Reno");
}

#[test]
fn a_fourth_loss_is_not_found_by_the_first_two_acks() {
    // Two new acknowledgements are checked, no more.
    let mut pair = vegas(&[], &[0, 1, 2, 3], 0);
    pair.run_until(2450);
    assert_eq!(pair.sender.counters().retransmits, 3);
}
