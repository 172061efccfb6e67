//! Timelines: the times of packets, against the rules of the RFCs. Round trips take 100 ms and
//! packets no time to send, so that a window leaves at once.

use super::pair::{Fate, MSS, Pair};
use crate::packet::Ecn;
pub(super) use crate::rig::near;
use crate::transport::Endpoint;
use crate::units::{Duration, Instant};

pub(super) const BULK: (&str, &[(&str, &str)]) = ("bulk", &[]);

pub(super) fn millis(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// Without SYN, so that the first window leaves at time 0.
pub(super) fn pair(settings: &[(&str, &str)]) -> Pair {
    let mut all = vec![("handshake", "false")];
    all.extend_from_slice(settings);
    Pair::new(&all, BULK)
}

/// A window of ten segments of `packets` in all.
pub(super) fn ten(settings: &[(&str, &str)], packets: &str) -> Pair {
    let mut all = vec![("handshake", "false"), ("initial_window", "10"), ("initial_ssthresh", "10")];
    all.extend_from_slice(settings);
    Pair::new(&all, ("bulk", &[("packets", packets)]))
}

/// Loses everything from the `n`-th data packet on, until `until`.
pub(super) fn dead_from(pair: &mut Pair, n: usize, until: usize) {
    pair.on_data = Box::new(move |k, _| if (n..until).contains(&k) { Fate::Lose } else { Fate::Deliver });
}

// ---- Opening.

#[test]
fn the_handshake_costs_one_round_trip() {
    let mut pair = Pair::new(&[("profile", "ns2")], BULK);
    pair.start();
    pair.run_until(99);
    assert_eq!(pair.data.len(), 1);
    assert!(pair.data[0].is_syn());
    assert_eq!((pair.data[0].packet.size, pair.data[0].packet.ecn), (40, Ecn::NotEct));

    pair.run_until(100);
    assert_eq!(pair.segments_between(100, 101), [0, 1], "ns-2: initial window 2 after the SYN's ACK");
    assert_eq!(pair.sender.counters().rtt_samples, 1, "the SYN is timed");
}

#[test]
fn a_lost_syn_is_sent_again_and_the_initial_window_is_one() {
    // ns-2: 3 s before the first sample, then doubled. RFC 6298 rule 2.1: 1 s.
    for (profile, first, second) in [("ns2", 3000, 9000), ("rfc", 1000, 3000)] {
        let mut pair = Pair::new(&[("profile", profile)], BULK).losing(&[0, 1]);
        pair.start();
        pair.run_until(second + 101);
        let times: Vec<Duration> = pair.data.iter().filter(|seen| seen.is_syn()).map(|seen| seen.at).collect();
        assert_eq!(times, [millis(0), millis(first), millis(second)], "{profile}");
        assert_eq!(pair.segments_between(second, second + 101), [0], "RFC 5681 section 3.1, {profile}");
    }
}

#[test]
fn slow_start_doubles_the_window_every_round_trip() {
    // RFC 5681 §3.1, one ACK for each segment; RFC 6928's initial window, and ns-2's.
    for (profile, first) in [("rfc", 10), ("ns2", 2)] {
        let mut pair = pair(&[("profile", profile), ("ack_every", "1")]);
        pair.start();
        pair.run_until(350);
        let rounds: Vec<usize> = (0..4).map(|n| pair.segments_between(100 * n, 100 * n + 1).len()).collect();
        assert_eq!(rounds, [first, 2 * first, 4 * first, 8 * first], "{profile}");
    }
}

#[test]
fn with_delayed_acks_slow_start_grows_by_half() {
    // An ACK for every second segment opens the window by one: 2, 3, 4 (of three segments two are
    // answered at once, the third 100 ms later) ... from an even window: 8, 12, 18.
    let mut pair = pair(&[("profile", "ns2"), ("initial_window", "8"), ("ack_every", "2")]);
    pair.start();
    pair.run_until(250);
    let rounds: Vec<usize> = (0..3).map(|n| pair.segments_between(100 * n, 100 * n + 1).len()).collect();
    assert_eq!(rounds, [8, 12, 18]);
}

#[test]
fn congestion_avoidance_adds_one_over_the_window_per_ack() {
    let mut pair = pair(&[("profile", "ns2"), ("initial_window", "10"), ("initial_ssthresh", "10")]);
    pair.start();
    pair.run_until(150);
    let mut window = 10.0;
    for _ in 0..10 {
        window += 1.0 / window;
    }
    assert!(near(pair.cwnd(), window), "{}", pair.cwnd());
    assert!((10.9..11.0).contains(&window), "about one segment per round trip");
}

#[test]
fn the_receivers_window_limits_what_is_out() {
    let mut pair = pair(&[("profile", "ns2"), ("window", "5p")]);
    pair.start();
    for _ in 0..200 {
        pair.step(Instant::MAX);
        assert!(pair.sender.window().expect("a window").inflight <= 5 * MSS);
    }
    assert_eq!(pair.sender.window().expect("a window").inflight, 5 * MSS);
}

// ---- Fast retransmit and recovery.

#[test]
fn the_third_duplicate_sends_the_segment_again() {
    for recovery in ["tahoe", "reno", "newreno", "sack"] {
        let mut pair = ten(&[("recovery", recovery), ("limited_transmit", "false")], "50").losing(&[0]);
        pair.start();
        // The ACKs of segments 1 to 9 are duplicates and arrive together at 100 ms.
        while pair.heard.len() < 2 {
            pair.step(Instant::MAX);
        }
        assert_eq!(pair.data.len(), 10, "{recovery}: two duplicates say nothing");
        pair.step(Instant::MAX);
        assert_eq!(pair.heard.len(), 3);
        assert!(pair.data[10].is_retransmit() && pair.data[10].seq() == 0, "{recovery}, RFC 5681 section 3.2");
    }
}

#[test]
fn limited_transmit_answers_the_first_two_duplicates_with_new_data() {
    for (recovery, details) in [("reno", "ns2"), ("newreno", "rfc"), ("sack", "rfc"), ("sack", "ns2")] {
        let mut pair = ten(&[("recovery", recovery), ("details", details)], "50").losing(&[0]);
        pair.start();
        pair.run_until(100);
        let sent: Vec<u64> = pair.data[10..13].iter().map(|seen| seen.seq() / MSS).collect();
        assert_eq!(sent, [10, 11, 0], "RFC 3042, {recovery} {details}");
    }
}

#[test]
fn a_loss_halves_the_window() {
    // RFC 5681 equation 4 with 10 segments in flight, those of limited transmit not counted.
    for recovery in ["reno", "newreno", "sack"] {
        let mut pair = ten(&[("recovery", recovery)], "50").losing(&[0]);
        pair.start();
        pair.run_until(100);
        assert!(near(pair.ssthresh(), 5.0), "{recovery}: {}", pair.ssthresh());
        assert!(near(pair.cwnd(), 5.0), "{recovery}: {}", pair.cwnd());
    }
    // ns-2: threshold int(11/2) = 5, window 11/2 unrounded.
    let mut pair = ten(&[("profile", "ns2"), ("initial_window", "11"), ("initial_ssthresh", "11")], "50").losing(&[0]);
    pair.start();
    pair.run_until(100);
    assert!(near(pair.ssthresh(), 5.0) && near(pair.cwnd(), 5.5), "{}", pair.cwnd());
}

#[test]
fn reno_inflates_by_the_duplicates_and_deflates_at_the_new_ack() {
    // RFC 5681 §3.2: ten out, nine duplicates. Window 5 + 9 = 14 segments from `una`: 10, 11 (limited
    // transmit), then 12 and 13.
    let mut pair = ten(&[("recovery", "reno")], "50").losing(&[0]);
    pair.start();
    pair.run_until(150);
    assert_eq!(pair.segments_between(100, 101), [10, 11, 0, 12, 13]);

    // At 200 ms: two more duplicates (of 10 and 11), then the ACK of 0 to 11 that the retransmission
    // caused, which only deflates, and those of 12 and 13, which open the window.
    pair.run_until(200);
    let window = 5.0 + 1.0 / 5.0;
    assert!(near(pair.cwnd(), window + 1.0 / window), "{}", pair.cwnd());
    assert_eq!(pair.sender.counters().fast_recoveries, 1);
}

#[test]
fn newreno_repairs_one_loss_per_round_trip_until_recover() {
    // RFC 6582 §3.2: losses 0, 3 and 6; recover = 12 segments (10 and two of limited transmit).
    let mut pair = ten(&[("recovery", "newreno")], "50").losing(&[0, 3, 6]);
    pair.start();
    pair.run_until(450);
    let resent: Vec<(u64, Duration)> =
        pair.data.iter().filter(|seen| seen.is_retransmit()).map(|seen| (seen.seq() / MSS, seen.at)).collect();
    assert_eq!(resent, [(0, millis(100)), (3, millis(200)), (6, millis(300))]);
    let counters = pair.sender.counters();
    assert_eq!((counters.retransmits, counters.timeouts, counters.fast_recoveries), (3, 0, 1));
}

#[test]
fn sack_repairs_several_losses_in_one_recovery() {
    // Losses 0, 1 and 2 of ten. RFC 6675: the ACKs of 3 to 9 report that 1 and 2 are lost as well, so
    // that the pipe holds 10 and 11 (limited transmit) and 0: two more may go.
    let mut rfc = ten(&[("recovery", "sack")], "50").losing(&[0, 1, 2]);
    rfc.start();
    rfc.run_until(150);
    assert_eq!(rfc.segments_between(100, 101), [10, 11, 0, 1, 2]);

    // ns-2: pipe 12 - 3 = 9, four duplicates make it 5, not below the window of 5. The ACKs of 10 and
    // 11 make room for 1 and 2.
    let mut ns2 = ten(&[("profile", "ns2")], "50").losing(&[0, 1, 2]);
    ns2.start();
    ns2.run_until(250);
    assert_eq!(ns2.segments_between(100, 101), [10, 11, 0]);
    assert_eq!(ns2.segments_between(200, 201)[..2], [1, 2]);
}

#[test]
fn without_new_data_the_last_missing_segment_is_rescued_once() {
    // RFC 6675 NextSeg rule 4: ten segments in all, 0 and 9 lost. RescueRxt is 0's end (§5 step 4.3), so that nothing
    // but 0 goes at first. Its acknowledgement moves on to 9: with nothing else to send, the highest segment that is
    // outstanding goes once more.
    let mut pair = ten(&[("recovery", "sack")], "10").losing(&[0, 9]);
    pair.start();
    pair.run_until(250);
    assert_eq!(pair.segments_between(100, 101), [0]);
    assert_eq!(pair.segments_between(200, 201), [9]);

    // With 9 on its way there is nothing to rescue.
    let mut whole = ten(&[("recovery", "sack")], "10").losing(&[0]);
    whole.start();
    whole.run_until(250);
    assert_eq!(whole.segments_between(100, 101), [0]);
    assert_eq!(whole.sender.counters().retransmits, 1);
}

#[test]
fn after_a_recovery_by_sack_the_next_segment_may_be_lost_too() {
    // Losses 0 and 12, the first segment sent after RecoveryPoint. RFC 6675 §5: the acknowledgement of 0 to 11 ends the
    // recovery, and the duplicates of it begin another. RFC 6582's rule, for want of SACK, would wait for the timer.
    let mut pair = ten(&[("recovery", "sack")], "50").losing(&[0, 13]);
    pair.start();
    pair.run_until(150);
    assert_eq!(pair.segments_between(100, 101), [10, 11, 0, 12, 13], "the transmission numbered 13 is segment 12");
    pair.run_until(60_000);
    let counters = pair.sender.counters();
    assert_eq!((counters.fast_recoveries, counters.timeouts, counters.retransmits), (2, 0, 2));
}

#[test]
fn ns2_sack_sends_when_its_pipe_falls_below_the_window() {
    // ns-2: 11 out and 0 lost: duplicates of 1 to 10. After two of limited transmit 13 are out; pipe =
    // 13 - 3 = 10, window 5.5: each of the 7 further duplicates takes one: 3 at the end, so the
    // 6th and 7th (pipe 4) send one each.
    let mut pair = ten(&[("profile", "ns2"), ("initial_window", "11"), ("initial_ssthresh", "11")], "50").losing(&[0]);
    pair.start();
    pair.run_until(100);
    assert_eq!(pair.segments_between(100, 101), [11, 12, 0, 13, 14]);
}

#[test]
fn ns2_sack_goes_on_where_it_was_when_a_partial_acknowledgement_passes_it() {
    // 20 out and 0 lost, all others late: a timeout at 3 s begins again with 0, whose mark makes the last cut
    // ECN's. So duplicates of the late segments begin a recovery, though the highest number is not acknowledged.
    let settings = [("profile", "ns2"), ("ecn", "true"), ("initial_window", "20"), ("initial_ssthresh", "20")];
    let mut pair = ten(&settings, "50");
    pair.on_data = Box::new(|n, _| match n {
        0 | 10 => Fate::Lose,
        1 => Fate::Late(millis(4_600)),
        2..20 => Fate::Late(millis(4_000)),
        20 => Fate::Mark,
        21.. => Fate::Late(millis(2_000)),
    });
    pair.start();
    pair.run_until(6_200);
    assert_eq!(pair.heard.last().map(|(next, _)| next / MSS), Some(10));
    // The hole at 10, and then what ns-2's t_seqno_ names, though the receiver has it.
    assert_eq!(pair.segments_between(3_000, 6_201), [0, 1, 2, 1, 10, 3, 4]);
}

#[test]
fn ns2_newreno_sends_at_most_two_segments_per_ack_in_recovery() {
    let mut pair = ten(&[("profile", "ns2"), ("recovery", "newreno")], "50").losing(&[0, 8]);
    pair.start();
    let (mut sent, mut heard) = (10, 0);
    while pair.step(Instant::ZERO + millis(290)) {
        if pair.heard.len() > heard {
            // A partial acknowledgement sends the hole besides.
            assert!(pair.data.len() - sent <= 3);
            (sent, heard) = (pair.data.len(), pair.heard.len());
        }
    }
    // 1 to 7 and 9 answer with 8 duplicates at 100 ms: 10 and 11 by limited transmit, the hole, and with
    // a window of 5 + 8 = 13 one more. At 200 ms the ACKs of 10 and 11 are duplicates still: 13 and 14.
    // The partial ACK of 0 to 7 deflates 15 by 8 - 1: the hole at 8, and from 8 + 8 = 16 on 15 is new.
    assert_eq!(pair.segments_between(100, 101), [10, 11, 0, 12]);
    assert_eq!(pair.segments_between(200, 201)[..4], [13, 14, 8, 15]);
}

/// Every choice of `k` of the ten segments of a window.
fn patterns(k: usize) -> Vec<Vec<usize>> {
    (0_u32..1 << 10)
        .filter(|bits| bits.count_ones() as usize == k)
        .map(|bits| (0..10).filter(|n| bits >> n & 1 == 1).collect())
        .collect()
}

/// Every choice of one to `k` of them.
pub(super) fn patterns_up_to(k: usize) -> Vec<Vec<usize>> {
    (1..=k).flat_map(patterns).collect()
}

/// The cost of a transfer of 40 segments with losses in its first window.
fn cost(settings: &[(&str, &str)], lost: &[usize]) -> (u64, u64) {
    let mut pair = ten(settings, "40").losing(lost);
    pair.start();
    pair.run_until(600_000);
    let (sent, received) = (pair.sender.counters(), pair.receiver.counters());
    assert_eq!(received.bytes_delivered, 40 * MSS, "{settings:?} {lost:?}");
    assert_eq!(pair.sender.window().expect("a window").inflight, 0);
    assert_eq!(pair.take_completions().len(), 1);
    assert_eq!(sent.packets_sent, 40 + sent.retransmits);
    (sent.retransmits, sent.timeouts)
}

#[test]
fn sack_and_newreno_repair_every_pattern_of_losses_by_as_many_retransmissions() {
    for k in 1..=4 {
        for lost in patterns(k) {
            for recovery in ["newreno", "sack"] {
                // At least six duplicates come: always recovery, never the timer.
                assert_eq!(cost(&[("recovery", recovery)], &lost), (k as u64, 0), "{recovery} {lost:?}");
            }
        }
    }
}

/// The retransmissions of a transfer of 40 segments with losses in its first window, and their times.
fn schedule(settings: &[(&str, &str)], lost: &[usize]) -> Vec<(u64, u64)> {
    let mut pair = ten(settings, "40").losing(lost);
    pair.start();
    pair.run_until(60_000);
    let resent = pair.data.iter().filter(|seen| seen.is_retransmit());
    resent.map(|seen| (seen.seq() / MSS, seen.at.as_nanos() / 1_000_000)).collect()
}

/// When the third duplicate arrives: with the ACKs of the first window if three of its segments above the first hole arrive;
/// else with those of the segments sent at 100 ms.
fn found_at(lost: &[usize]) -> u64 {
    let above = 9 - lost[0] - (lost.len() - 1);
    if above >= 3 { 100 } else { 200 }
}

#[test]
fn newreno_resends_the_holes_of_every_pattern_one_by_one() {
    // RFC 6582 §3.2: the first hole at the third duplicate, each other with the partial acknowledgement that the one before has
    // caused, a round trip later.
    for k in 1..=4 {
        for lost in patterns(k) {
            let times = (0..).map(|n| found_at(&lost) + 100 * n);
            let expected: Vec<(u64, u64)> = lost.iter().map(|&hole| hole as u64).zip(times).collect();
            assert_eq!(schedule(&[("recovery", "newreno")], &lost), expected, "{lost:?}");
        }
    }
}

#[test]
fn reno_repairs_one_loss_without_the_timer_and_every_pattern_in_the_end() {
    for lost in patterns(1) {
        for details in ["rfc", "ns2"] {
            assert_eq!(cost(&[("recovery", "reno"), ("details", details)], &lost), (1, 0), "{details} {lost:?}");
        }
    }
    for k in 2..=4 {
        for lost in patterns(k) {
            assert!(cost(&[("recovery", "reno")], &lost).0 >= k as u64);
        }
    }
}

#[test]
fn the_senders_of_ns2_deliver_after_every_pattern_of_losses() {
    for k in 1..=4 {
        for lost in patterns(k) {
            for recovery in ["tahoe", "reno", "newreno", "sack"] {
                let settings = [("profile", "ns2"), ("recovery", recovery)];
                let all = [settings[0], settings[1], ("initial_window", "10"), ("initial_ssthresh", "10")];
                assert!(cost(&all, &lost).0 >= k as u64);
            }
        }
    }
}

// ---- Connections one after the other.

#[test]
fn each_transfer_begins_with_fresh_windows_and_reports_its_time() {
    let app = ("transfers", &[("packets", "6"), ("think", "1s"), ("think_law", "fixed"), ("count", "2")][..]);
    let mut pair = Pair::new(&[("profile", "ns2")], app);
    pair.start();
    pair.run_until(10_000);

    // SYN, 2, 4: three round trips each; from 1 s and, after a second of thinking, from 2.3 s.
    for start in [1000, 2300] {
        assert_eq!(pair.segments_between(start + 100, start + 101).len(), 2);
        assert_eq!(pair.segments_between(start + 200, start + 201).len(), 4);
    }
    let completions = pair.take_completions();
    let times: Vec<Duration> = completions.iter().map(|done| done.finished.since(done.started)).collect();
    assert_eq!(times, [millis(300), millis(300)]);
    assert!(completions.iter().all(|done| done.bytes == 6 * MSS));
    assert_eq!(pair.receiver.counters().bytes_delivered, 12 * MSS);
    assert_eq!(pair.sender.next_deadline(), None);
}

/// Writes ten packets at 0 s and at 10 s on one connection.
pub(super) struct Twice {
    pub again: Option<Instant>,
}

impl crate::traffic::Application for Twice {
    fn on_start(&mut self, now: Instant, cx: &mut crate::traffic::AppContext<'_>) -> crate::traffic::Demand {
        self.again = Some(now + Duration::from_secs(10));
        crate::traffic::Demand::write(crate::units::Bytes(10 * cx.payload().0))
    }
    fn next_deadline(&self) -> Option<Instant> {
        self.again
    }
    fn on_deadline(&mut self, _: Instant, cx: &mut crate::traffic::AppContext<'_>) -> crate::traffic::Demand {
        self.again = None;
        crate::traffic::Demand::write(crate::units::Bytes(10 * cx.payload().0))
    }
}

#[test]
fn an_idle_connection_starts_slowly_again() {
    // The window has grown from 4 to 8: with the third acknowledgement the last of ten segments leaves, and the fourth still finds seven
    // out under a window of seven. Ten seconds are longer than the timeout, and as many of a second halve it to the initial one.
    for (law, first) in [("off", 8), ("initial", 4), ("decay", 4), ("one", 1)] {
        let settings = [("handshake", "false"), ("initial_window", "4"), ("idle_restart", law)];
        let mut pair = Pair::with_app(&settings, Box::new(Twice { again: None }));
        pair.start();
        pair.run_until(20_000);
        assert_eq!(pair.segments_between(10_000, 10_001).len(), first, "RFC 5681 section 4.1, {law}");
        assert_eq!(pair.receiver.counters().bytes_delivered, 20 * MSS);
        assert_eq!(pair.take_completions().len(), 2);
    }
}

#[test]
fn late_packets_of_an_old_connection_are_ignored() {
    let app = (
        "transfers",
        &[("packets", "2"), ("think", "10ms"), ("think_law", "fixed"), ("count", "2"), ("eager", "true")][..],
    );
    let mut pair = Pair::new(&[("profile", "ns2")], app);
    // A copy of a segment of the first connection arrives in the second.
    pair.on_data = Box::new(|n, _| if n == 1 { Fate::Duplicate } else { Fate::Deliver });
    pair.on_ack = Box::new(|n, _| if n == 2 { Fate::Late(millis(300)) } else { Fate::Deliver });
    pair.start();
    pair.run_until(5000);
    assert_eq!(pair.take_completions().len(), 2);
    assert_eq!(pair.receiver.counters().bytes_delivered, 4 * MSS);
    assert_eq!(pair.sender.counters().retransmits, 0);
}

#[test]
fn a_stopped_sender_repairs_what_is_out_and_sends_nothing_new() {
    let mut pair = pair(&[("recovery", "newreno"), ("initial_window", "10")]).losing(&[0]);
    pair.start();
    pair.run_until(10);
    pair.stop();
    pair.run_until(60_000);
    assert_eq!(pair.receiver.counters().bytes_delivered, 10 * MSS);
    assert_eq!(pair.sender.counters().retransmits, 1);
    assert_eq!(pair.sender.next_deadline(), None);
}

// ---- Size.

#[test]
fn a_flow_is_small() {
    let (sender, receiver) = (size_of::<super::sender::Sender>(), size_of::<super::receiver::Receiver>());
    // 700 bytes, and 8 for the pointer to what controls need that retransmit early.
    // Both ends outside of recovery, with the boxes of Reno and of a bulk source (40 and 32 bytes).
    assert!(sender + receiver + 72 <= 708, "{sender} + {receiver}");
}
