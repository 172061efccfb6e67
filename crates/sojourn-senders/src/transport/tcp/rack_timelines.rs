//! Timelines of loss detection by time (`rack/`), derived by hand from RFC 8985, RFC 9937 and RFC 6298. Round trips take 100 ms, packets no
//! time; the window is ten. Here each segment leaves and is reported by itself; `offload.rs` and `receiver.rs` have the rest.

use super::pair::{Fate, MSS, Pair, answers, resent};
use super::timelines::{BULK, Twice, dead_from, millis, near, patterns_up_to, ten};
use crate::header::Answer;
use crate::packet::{Body, Codepoint, FlowId, Packet, SackBlocks};
use crate::rng::Rng;
use crate::transport::{ContextOwner, Endpoint};
use crate::units::{Duration, Instant};

const ALONE: [(&str, &str); 4] = [("offload", "false"), ("defer", "false"), ("sack_delay", "0s"), ("timers", "exact")];

pub(super) fn linux(settings: &[(&str, &str)], packets: &str) -> Pair {
    ten(&[&[("profile", "linux"), ("ack_every", "1")], &ALONE[..], settings].concat(), packets)
}

/// Acknowledgements come a microsecond apart. Of what they let go within one, RACK would think that a repair left before new data.
fn apart(mut pair: Pair) -> Pair {
    pair.on_ack = Box::new(|n, _| Fate::Late(Duration::from_micros(n as u64)));
    pair
}

#[test]
fn the_third_report_finds_the_loss_and_every_second_one_sends() {
    // The first two say that 0 may be late, and what they report makes room for 10 and 11. The third leaves no doubt (section 6.2 step 4).
    // Out are 12, of which 2 had been reported: RecoverFS 10, threshold 5. sndcnt = ceil(delivered 5/10) - out: 1, 0, 1, 0, 1, 0;
    // at the ninth duplicate 14 - 9 are in the network, as many as may be.
    let mut pair = apart(linux(&[], "50").losing(&[0]));
    pair.start();
    let expected: [&[u64]; 9] = [&[10], &[11], &[0], &[], &[12], &[], &[13], &[], &[]];
    assert_eq!(answers(&mut pair, 9), expected);
    assert!(near(pair.ssthresh(), 5.0));
    pair.run_until(60_000);
    let counters = pair.sender.counters();
    assert_eq!((counters.fast_recoveries, counters.timeouts, counters.retransmits), (1, 0, 1));
}

#[test]
fn fewer_reports_find_it_a_quarter_of_a_round_trip_later() {
    // Section 6.2 step 5: 100 ms and min_RTT/4 after it was sent.
    let mut pair = linux(&[], "3").losing(&[0]);
    pair.start();
    pair.run_until(60_000);
    assert_eq!(resent(&pair), [(0, 125)]);
    assert_eq!(pair.sender.counters().timeouts, 0);
}

#[test]
fn on_linuxs_wheel_they_find_it_some_ticks_later() {
    // 25 ms and 2 ms after the reports, which come at 100, and up to the end of tick 127.
    let mut pair = linux(&[("timers", "wheel")], "3").losing(&[0]);
    pair.start();
    pair.run_until(60_000);
    assert_eq!(resent(&pair), [(0, 128)]);
}

#[test]
fn in_linux_a_wait_for_a_loss_does_not_move_the_timeout() {
    // The first report at 100 ms sets the timer to 125 ms, the third one finds the loss. At 125 ms nothing more is lost: the timeout of
    // 300 ms counts from the repair, which is lost, too.
    let mut pair = linux(&[], "4").losing(&[0, 4]);
    pair.start();
    pair.run_until(60_000);
    assert_eq!(resent(&pair), [(0, 100), (0, 400)]);
}

#[test]
fn a_lost_retransmission_is_found_by_what_left_after_it() {
    // 10, 11, 0, 12 and 13 leave at 100 ms. The report of 12 at 200 ms tells that 0 is lost again; no second cut.
    let mut pair = apart(linux(&[], "50").losing(&[0, 12]));
    pair.start();
    pair.run_until(60_000);
    assert_eq!(resent(&pair), [(0, 100), (0, 200)]);
    let counters = pair.sender.counters();
    assert_eq!((counters.fast_recoveries, counters.timeouts), (1, 0));
}

#[test]
fn every_pattern_of_losses_is_repaired_once_and_without_a_timeout() {
    for lost in patterns_up_to(4) {
        let mut pair = apart(linux(&[], "40").losing(&lost));
        pair.start();
        pair.run_until(60_000);
        let counters = pair.sender.counters();
        assert_eq!((counters.retransmits, counters.timeouts), (lost.len() as u64, 0), "{lost:?}");
        assert_eq!(pair.receiver.counters().bytes_delivered, 40 * MSS);
    }
}

#[test]
fn the_end_of_a_flight_is_probed_after_two_round_trips() {
    // 8 and 9 of ten are lost. Section 7.2: PTO = 2 SRTT after the last acknowledgement, at 300 ms; without new data the last segment goes
    // (7.3). Its report finds 8, which has waited 400 ms.
    let mut pair = linux(&[], "10").losing(&[8, 9]);
    pair.start();
    pair.run_until(60_000);
    assert_eq!(resent(&pair), [(9, 300), (8, 400)]);
    assert_eq!(pair.sender.counters().timeouts, 0);

    let mut without = linux(&[("tail_probe", "false")], "10").losing(&[8, 9]);
    without.start();
    without.run_until(60_000);
    assert_eq!(without.sender.counters().timeouts, 1);
}

#[test]
fn a_single_segment_may_have_to_wait_for_a_delayed_acknowledgement() {
    // PTO = 2 SRTT + 200 ms = 400 ms, but not beyond the timeout: SRTT + 200 ms, 300 ms after the acknowledgement at 100 ms.
    for (delay, at) in [("200ms", 400), ("50ms", 350)] {
        let mut pair = linux(&[("max_ack_delay", delay)], "10").losing(&[9]);
        pair.start();
        pair.run_until(60_000);
        assert_eq!(resent(&pair), [(9, at)], "{delay}");
    }
}

#[test]
fn the_probe_is_new_data_if_there_is_some() {
    // Everything sent at 100 ms is lost. The probe, 200 ms later, is the next segment, above the window (section 7.3); its report finds all
    // eleven others lost. Nothing is in the network then: one for each report, and two for each repair that is acknowledged (RFC 9937).
    let mut pair = linux(&[], "50");
    dead_from(&mut pair, 10, 21);
    pair.start();
    pair.run_until(550);
    assert_eq!(pair.segments_between(100, 101), (10..21).collect::<Vec<_>>());
    assert_eq!(pair.segments_between(300, 301), [21]);
    assert_eq!(pair.segments_between(400, 401), [10]);
    assert_eq!(pair.segments_between(500, 501), [11, 12]);
    assert_eq!(pair.sender.counters().timeouts, 0);
}

#[test]
fn a_probe_that_repairs_the_only_loss_cuts_the_window() {
    // Section 7.4.2: 9, the last of ten, is lost, and ten more are written 10 s later. Their first acknowledgement tells that the probe
    // repaired a loss (case 3). If the original had only been late, a DSACK has told so, and nothing is cut (case 1).
    for (fate, cut) in [(Fate::Lose, true), (Fate::Late(millis(350)), false)] {
        let settings = [
            ("profile", "linux"),
            ("handshake", "false"),
            ("ack_every", "1"),
            ("initial_ssthresh", "10"),
            ("idle_restart", "off"),
        ];
        let mut pair = Pair::with_app(&settings, Box::new(Twice { again: None }));
        pair.on_data = Box::new(move |n, _| if n == 9 { fate } else { Fate::Deliver });
        pair.start();
        pair.run_until(60_000);
        let counters = pair.sender.counters();
        assert_eq!((counters.timeouts, counters.retransmits), (0, 1), "{fate:?}");
        assert_eq!(pair.ssthresh() < 10.0, cut, "{fate:?}: {}", pair.ssthresh());
    }
}

#[test]
fn in_linux_a_timer_that_finds_a_probe_without_an_answer_sets_the_timeout_by_the_head() {
    // 10 to 20 leave at 100 ms and all but 10 are lost; so is the probe 21 at 300. 10 comes late, and its acknowledgement at 450 ms sets
    // the timer of a probe again: 2 SRTT of 131 ms. At 713 ms it does not probe, and the timeout counts from 100 ms: it is over.
    let mut pair = linux(&[], "50");
    pair.on_data = Box::new(|n, _| match n {
        10 => Fate::Late(millis(250)),
        11..22 => Fate::Lose,
        _ => Fate::Deliver,
    });
    pair.start();
    pair.run_until(900);
    assert_eq!(pair.segments_between(300, 301), [21]);
    assert_eq!(resent(&pair), [(11, 713)]);
    assert_eq!(pair.sender.counters().timeouts, 1);
}

#[test]
fn a_timeout_resends_the_head_and_opens_slowly() {
    // RFC 6298 rule 2.1: 1 s. RFC 5681 section 3.1.
    let mut pair = linux(&[("f_rto", "false"), ("tail_probe", "false")], "50");
    dead_from(&mut pair, 0, 10);
    pair.start();
    pair.run_until(1250);
    assert_eq!(pair.segments_between(1000, 1001), [0]);
    assert_eq!(pair.segments_between(1100, 1101), [1, 2]);
    assert_eq!(pair.segments_between(1200, 1201), [3, 4, 5, 6]);
    assert!(near(pair.ssthresh(), 5.0));
    assert_eq!(pair.sender.counters().timeouts, 1);
}

/// Ten segments are acknowledged at 100 ms and eleven leave: 10 to 20. Without an answer to them the timer expires after
/// SRTT + 200 ms, at 400 ms. No timestamps and no DSACK, which would tell as well, and no probe.
fn timing_out(f_rto: &str, packets: &str) -> Pair {
    linux(&[("f_rto", f_rto), ("timestamps", "false"), ("dsack", "false"), ("tail_probe", "false")], packets)
}

#[test]
fn a_timeout_of_late_segments_is_taken_back_by_the_second_acknowledgement() {
    // RFC 5682 section 3.1. All eleven arrive 280 ms late, before the repair of 10 that leaves at 400 ms. At 480 ms the first
    // acknowledgement is 10's, which was sent again: new data goes, 21 and 22 (2.b). The second is 11's, which was not (3.b): the window is
    // what it was, and nothing else goes again. Without F-RTO each acknowledgement sends two that have arrived already.
    for (f_rto, resent_at_480) in [("true", &[][..]), ("false", &[11, 12, 13, 14])] {
        let mut pair = timing_out(f_rto, "60");
        pair.on_data = Box::new(|n, _| if (10..21).contains(&n) { Fate::Late(millis(280)) } else { Fate::Deliver });
        pair.start();
        pair.run_until(430);
        assert_eq!(resent(&pair), [(10, 400)]);
        assert!(near(pair.ssthresh(), 5.0), "{}", pair.ssthresh());
        while pair.heard.len() < 12 {
            pair.step(Instant::MAX);
        }
        let again: Vec<u64> = resent(&pair)[1..].iter().map(|again| again.0).collect();
        assert_eq!(again, resent_at_480, "{f_rto}");
        assert_eq!(pair.ssthresh() >= 10.0 && pair.cwnd() >= 10.0, f_rto == "true", "{f_rto}: {}", pair.cwnd());
    }
}

#[test]
fn a_timeout_of_lost_segments_is_confirmed_by_new_data() {
    // RFC 5682 section 3.1. Lost are 10 to 20. The repair of 10 is acknowledged at 500 ms: 21 and 22 go (2.b). Their reports at 600 ms are
    // duplicates (3.a): 11 and 12 go. Where nothing new is left, 11 and 12 go at once (2.b, end).
    for (f_rto, packets, at_500, at_600) in [
        ("true", "60", [21, 22], &[11, 12][..]),
        ("false", "60", [11, 12], &[13, 14, 15, 16]),
        ("true", "21", [11, 12], &[13, 14, 15, 16]),
    ] {
        let mut pair = timing_out(f_rto, packets);
        dead_from(&mut pair, 10, 21);
        pair.start();
        pair.run_until(650);
        assert_eq!(pair.segments_between(400, 401), [10]);
        assert_eq!(pair.segments_between(500, 501), at_500, "{f_rto} {packets}");
        assert_eq!(pair.segments_between(600, 601), at_600, "{f_rto} {packets}");
        assert!(near(pair.ssthresh(), 5.0), "{}", pair.ssthresh());
    }
}

#[test]
fn in_linux_what_a_timeout_has_lost_keeps_its_place_if_the_timeout_is_taken_back() {
    // 20 comes late. Its report at 480 ms takes back the timeout of 400 ms (3.b). 11 to 19 left before 20, and are lost a
    // quarter of a round trip later. The timeout of 827 ms comes in a recovery, and is not doubted: no new data goes when the
    // repair of 10 arrives.
    let mut pair = timing_out("true", "60");
    pair.on_data = Box::new(|n, _| match n {
        10..20 | 21 | 22 => Fate::Lose,
        20 => Fate::Late(millis(280)),
        _ => Fate::Deliver,
    });
    pair.start();
    pair.run_until(930);
    assert_eq!(resent(&pair), [(10, 400), (11, 505), (10, 827), (11, 927)]);
    assert_eq!(pair.segments_between(900, 930), [11]);
}

#[test]
fn a_cut_for_a_late_segment_is_taken_back() {
    // 0 comes 30 ms late, behind the reports of the nine others: it is resent, and the window cut to 5. The acknowledgement at 130 ms
    // has the timestamp of the first transmission (RFC 3522); without timestamps the DSACK at 200 ms tells (RFC 3708).
    for (timestamps, until) in [("true", 140), ("false", 240)] {
        for undo in ["true", "false"] {
            let mut pair = linux(&[("undo", undo), ("timestamps", timestamps)], "50");
            pair.on_data = Box::new(|n, _| if n == 0 { Fate::Late(millis(30)) } else { Fate::Deliver });
            pair.start();
            pair.run_until(until);
            assert_eq!(pair.sender.counters().fast_recoveries, 1);
            assert_eq!(pair.cwnd() >= 10.0, undo == "true", "{undo}, {timestamps}: {}", pair.cwnd());
            assert_eq!(pair.ssthresh() >= 10.0, undo == "true");
        }
    }
}

#[test]
fn a_mark_reduces_the_rate_in_proportion() {
    // The first acknowledgement cuts to 5. 9 are out and it reports one: RecoverFS 10, sndcnt = ceil(delivered 5/10) - out: 1, 0, 1, 0,
    // 1, 0, 1,
    // 0. At the ninth five are in the network, as many as may be, at the tenth four.
    let mut pair = linux(&[("ecn", "true")], "50");
    pair.on_data = Box::new(|n, _| if n == 0 { Fate::Mark } else { Fate::Deliver });
    pair.start();
    let expected: [&[u64]; 10] = [&[10], &[], &[11], &[], &[12], &[], &[13], &[], &[], &[14]];
    assert_eq!(answers(&mut pair, 10), expected);
    let counters = pair.sender.counters();
    assert_eq!((counters.ecn_reductions, counters.fast_recoveries), (1, 0));
}

#[test]
fn in_linux_a_loss_cuts_dctcps_window_again_while_it_falls_for_a_mark() {
    // The mark of 0 cuts to 5, and the window falls: 10, 9, 9. The third report finds that 1 is lost: half of 9, in whole segments.
    for (control, threshold) in [("dctcp", 4.0), ("reno", 5.0)] {
        let mut pair = linux(&[("ecn", "true"), ("control", control)], "50");
        pair.on_data = Box::new(|n, _| match n {
            0 => Fate::Mark,
            1 => Fate::Lose,
            _ => Fate::Deliver,
        });
        pair.start();
        answers(&mut pair, 4);
        let counters = pair.sender.counters();
        assert_eq!((counters.ecn_reductions, counters.fast_recoveries), (1, 1), "{control}");
        assert!(near(pair.ssthresh(), threshold), "{control}: {}", pair.ssthresh());
    }
}

#[test]
fn in_linux_a_recovery_after_a_mark_that_is_taken_back_leaves_the_window_where_it_has_fallen() {
    // The mark of 0 cuts from 16 to 14; 16 to 29 leave. 16 to 21 are lost, the first six behind the data of the cut, and the third report
    // finds it: 7 are in the network, 19 have been delivered and 16 sent since the cut, so that three go again and the window is 10. The
    // fourth report ends the recovery, since all that was out at the cut is acknowledged. Its timestamp is that of 15, from before the
    // repairs: taken back, the window stays at 10. Without timestamps it is the threshold of 14. The next cut is an eighth in whole
    // segments.
    for (timestamps, threshold) in [("true", 9.0), ("false", 13.0)] {
        let settings = [
            ("ecn", "true"),
            ("control", "scalable"),
            ("control.preset", "linux"),
            ("initial_window", "16"),
            ("initial_ssthresh", "16"),
            ("timestamps", timestamps),
        ];
        let mut pair = linux(&settings, "100");
        pair.on_data = Box::new(|n, _| match n {
            0 => Fate::Mark,
            16..22 => Fate::Lose,
            _ => Fate::Deliver,
        });
        pair.start();
        assert_eq!(answers(&mut pair, 16).concat(), (16..30).collect::<Vec<_>>());
        assert_eq!(answers(&mut pair, 3), [vec![30], vec![31], vec![16, 17, 18]]);
        let fallen = pair.sender.window().expect("a window");
        assert_eq!((fallen.reduced, fallen.ssthresh), (10.0 * MSS as f64, 14.0 * MSS as f64));

        answers(&mut pair, 1);
        let counters = pair.sender.counters();
        assert_eq!((counters.ecn_reductions, counters.fast_recoveries), (1, 2), "{timestamps}");
        assert!(near(pair.ssthresh(), threshold), "{timestamps}: {}", pair.ssthresh());
    }
}

#[test]
fn dctcps_retransmissions_do_not_tell_of_a_cut() {
    // They are ECN-capable. The third report resends 0, and 12 is the first new segment after the cut.
    let mut pair = linux(&[("ecn", "true"), ("control", "dctcp")], "50").losing(&[0]);
    pair.start();
    answers(&mut pair, 5);
    assert_eq!(resent(&pair), [(0, 100)]);
    let tells = pair.data.iter().filter(|seen| matches!(seen.packet.body, Body::Data { cwr: true, .. }));
    assert_eq!(tells.map(|seen| seen.seq() / MSS).collect::<Vec<_>>(), [12]);
}

#[test]
fn the_first_sixteen_segments_are_acknowledged_at_once() {
    let acks = |tuning: &'static str| {
        let mut pair = Pair::new(&[("profile", "linux"), ("tuning", tuning)], BULK);
        pair.start();
        pair.run_until(270);
        [50, 150, 250].map(|at| pair.acks.iter().filter(|seen| seen.at == millis(at)).count())
    };
    // The SYN; ten; twenty, of which six at once and fourteen in pairs.
    assert_eq!(acks("false"), [1, 10, 13]);
    // With three the window grows from 64576 to the 68675 that the buffer holds: nine at once, five pairs, and the last, which has PSH.
    assert_eq!(acks("true"), [1, 10, 15]);
}

#[test]
fn with_every_segment_counted_delayed_acknowledgements_do_not_slow_the_window_down() {
    // Linux: ten segments acknowledged by five acknowledgements open a window of ten by one.
    let mut pair = ten(&[("profile", "linux"), ("ack_every", "2")], "200");
    pair.start();
    pair.run_until(150);
    assert!(near(pair.cwnd(), 11.0), "{}", pair.cwnd());
}

#[test]
fn a_paced_sender_spreads_its_window() {
    // The first ten are not paced. Above half of the threshold 1.2 windows of ten or eleven go per round trip of 100 ms: one every 8.3 to
    // 7.5 ms. The first of these had to wait for its acknowledgement: the next follows after half of that.
    let mut pair = linux(&[("pacing", "true")], "200");
    pair.start();
    pair.run_until(195);
    let times: Vec<f64> = pair.data.iter().map(|seen| seen.at.as_millis_f64()).filter(|&at| at >= 100.0).collect();
    assert!(times.len() >= 10, "{times:?}");
    assert!((3.7..4.2).contains(&(times[1] - times[0])), "{times:?}");
    for two in times[1..].windows(2) {
        assert!((7.4..8.4).contains(&(two[1] - two[0])), "{times:?}");
    }
    assert_eq!(pair.segments_between(0, 1).len(), 10);
}

#[test]
fn a_paced_sender_with_offload_spreads_its_pairs() {
    // Two segments at a time, and twice the pause: of five pairs in a round trip the first two are those of the test above.
    let mut pair = linux(&[("pacing", "true"), ("offload", "true")], "200");
    pair.start();
    pair.run_until(195);
    let times: Vec<f64> = pair.data.iter().map(|seen| seen.at.as_millis_f64()).filter(|&at| at >= 110.0).collect();
    let pauses: Vec<f64> = times.windows(2).map(|two| two[1] - two[0]).filter(|&pause| pause > 0.0).collect();
    assert!(pauses.len() == 3 && pauses.iter().all(|pause| (14.8..16.8).contains(pause)), "{times:?}");
    assert_eq!(times.len(), 8, "{times:?}");
}

#[test]
fn in_linux_what_the_pacer_lets_go_leaves_before_an_acknowledgement_of_that_time() {
    // Ten acknowledgements at 100 ms make room for twenty segments, of which one leaves at once. The next one leaves with an
    // acknowledgement that tells of a mark, and does not yet answer it by CWR. Where the acknowledgement is first, nothing leaves but what
    // answers it.
    let mut pair = linux(&[("pacing", "true"), ("ecn", "true")], "50");
    pair.start();
    pair.run_until(100);
    let released = pair.sender.next_deadline().expect("the pacer");
    let body = Body::Ack {
        ack: pair.sender.stream.una,
        echo: Instant::ZERO,
        sack: SackBlocks::default(),
        codepoint: Codepoint::Ece,
        syn: false,
        offered: 0,
        answer: Answer::default(),
    };
    let packet = Packet { body, ..Packet::datagram(FlowId(0), 0, 40) };
    let mut cx = ContextOwner::new(Rng::named(1, "tie"));
    pair.sender.on_packet(released, &packet, &mut cx.lend());

    let answers = cx.out.drain(..).map(|sent| matches!(sent.body, Body::Data { cwr: true, .. }));
    assert_eq!(answers.collect::<Vec<bool>>(), [false]);
}

#[test]
fn before_linuxs_pacer_begins_the_device_has_enough_of_new_data_and_repairs_go_on() {
    // 0 and 1 are lost. After the timeout of 1 s the acknowledgement of 0 allows four segments: 2 and 3 ask whether the timeout was
    // necessary, which is enough for the device. When it has sent them, the repair of 1 is before further data.
    let of_linux = [("profile", "linux"), ("control", "bbr"), ("control.preset", "linux"), ("initial_window", "2")];
    let plain =
        [("ack_every", "1"), ("defer", "false"), ("sack_delay", "0s"), ("timers", "exact"), ("tail_probe", "false")];
    let mut pair = ten(&[&of_linux[..], &plain].concat(), "60").losing(&[0, 1]);
    pair.start();
    pair.run_until(1150);
    assert_eq!(pair.segments_between(1000, 1001), [0]);
    assert_eq!(pair.segments_between(1100, 1101), [2, 3, 1, 4]);
}

#[test]
fn a_stopped_sender_repairs_what_is_out() {
    let mut pair = linux(&[], "50").losing(&[0, 9]);
    pair.start();
    pair.run_until(10);
    pair.stop();
    pair.run_until(60_000);
    assert_eq!(pair.receiver.counters().bytes_delivered, 10 * MSS);
    assert_eq!(pair.sender.next_deadline(), None);
    assert!(pair.data.iter().all(|seen| matches!(seen.packet.body, Body::Data { .. })));
}

#[test]
fn linux_probes_before_any_round_trip_has_been_measured() {
    // RFC 8985 section 7.2 without an average: 1 s. Ten are out, so that the probe is the eleventh.
    let mut pair = linux(&[], "50");
    dead_from(&mut pair, 0, 10);
    pair.start();
    pair.run_until(1050);
    assert_eq!(pair.segments_between(900, 1050), [10]);
    assert_eq!(pair.sender.counters().timeouts, 0);
}

#[test]
fn linux_forgives_the_first_loss_of_a_syn() {
    for (lost, until, window) in [(1, 1150, 10), (2, 2240, 1)] {
        let mut pair = Pair::new(&[("profile", "linux")], BULK);
        pair.on_data = Box::new(move |n, _| if n < lost { Fate::Lose } else { Fate::Deliver });
        pair.start();
        // Two timeouts of a second, on the wheel of timers: SYNs at 1024 and 2048 ms.
        pair.run_until(until);
        // The answer to the SYN is acknowledged, too.
        let data = pair.data.iter().filter(|seen| !seen.is_syn()).count();
        assert_eq!(data, 1 + window, "{lost} lost");
    }
}

#[test]
fn linux_keeps_the_initial_window_where_the_first_syn_was_late_and_not_lost() {
    // The first of three SYNs takes 2.55 s, and the others are lost: the answer comes at 2.6 s.
    let mut pair = Pair::new(&[("profile", "linux")], BULK);
    pair.on_data = Box::new(|n, _| match n {
        0 => Fate::Late(millis(2500)),
        1 | 2 => Fate::Lose,
        _ => Fate::Deliver,
    });
    pair.start();
    pair.run_until(2650);
    let data = pair.data.iter().filter(|seen| !seen.is_syn()).count();
    // The answer is acknowledged, too.
    assert_eq!((pair.data.len() - data, data), (3, 11));
}
