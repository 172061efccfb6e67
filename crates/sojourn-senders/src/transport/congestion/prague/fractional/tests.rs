//! Vectors of the draft and of Linux's file, and the closed forms of a steady state.

use super::super::ENTRY;
use super::super::steady::sample as acked;
use super::super::variants::{Form, Params};
use super::*;
use crate::rig::{at_millis, near};
use crate::rng::Rng;
use crate::transport::congestion::{Counting, Cut, Growth};

/// A law with these settings, in congestion avoidance at this window and round trip, from which it is independent.
fn law(preset: Option<&str>, settings: &[(&str, &str)], window: f64, rtt: Duration) -> Prague {
    let mut args = ENTRY.args(preset).expect("a preset");
    for (name, value) in settings {
        args.set_text(name, value).expect("a valid setting");
    }
    let mut law = Prague::new(args.typed());
    let counting = Counting { growth: Growth::Segments, cut: Cut::Cwnd };
    let (mss, packet) = (1448, 1500);
    law.on_connect(&Setup { window, ssthresh: 2.0, mss, packet, counting, paced: false, phases: true });
    law.on_milestone(Milestone::Opened { now: Instant::ZERO, smoothed: Some(rtt) });
    law.rounds = 1000;
    law
}

fn echo(now: Instant) -> Congestion {
    Congestion { now, used: 0.0, cause: Cause::Echo }
}

const SHORT: Duration = Duration::from_millis(10);

#[test]
fn a_mark_takes_half_of_the_estimate_once_in_a_target() {
    // A quarter of 100 segments are marked: 87.5 are left. The next mark counts 25 ms later.
    let mut law = law(None, &[("alpha", "0.25"), ("cuts", "cwr")], 100.0, SHORT);
    for (millis, window) in [(0, 87.5), (24, 87.5), (25, 76.5625)] {
        law.on_congestion_event(&echo(at_millis(millis)));
        assert!(near(law.fraction, window), "{millis}: {}", law.fraction);
    }
    // Without independence each event counts: the sender calls once in a round trip.
    let mut dependent =
        super::tests::law(None, &[("alpha", "0.25"), ("scaling", "none"), ("cuts", "cwr")], 100.0, SHORT);
    (0..2).for_each(|_| dependent.on_congestion_event(&echo(at_millis(0))));
    assert!(near(dependent.fraction, 76.5625));
}

#[test]
fn a_mark_cuts_again_when_the_target_has_passed_also_while_tcp_reduces() {
    // Every packet of a round trip of 20 ms is marked. Linux's state CWR lasts for a round trip: the second cut comes after two.
    for (cuts, second) in [("virtual_rtt", 25), ("cwr", 40)] {
        let rtt = Duration::from_millis(20);
        let mut law = law(None, &[("alpha", "0.25"), ("cuts", cuts)], 100.0, rtt);
        let mut found = Vec::new();
        for n in 0..50 {
            let before = law.cut_at;
            if n % 20 == 0 {
                law.on_congestion_event(&echo(at_millis(n)));
            }
            law.on_sample(&acked(at_millis(n), 1 + n, 100, rtt, true));
            found.extend((law.cut_at != before).then_some(n));
        }
        assert_eq!(found, [0, second], "{cuts}");
    }
}

#[test]
fn a_round_trip_of_ten_milliseconds_opens_the_window_by_a_sixth_of_a_segment() {
    // (10/25)^2 = 0.16; at 25 ms and above a segment; near 16 ms as many as the scalable rule says.
    for (scaling, millis, step) in [
        ("rate", 10, 0.16),
        ("rate", 25, 1.0),
        ("rate", 60, 1.0),
        ("none", 10, 1.0),
        ("additive", 10, 10.0 * 10.0 / (35.0 * 35.0)),
        // Linux `prague_scalable_ai_ack_increase`: (16.384/8 + 10 - 1.536) * 10/16.384^2.
        ("scalable", 10, (2.048 + 10.0 - 1.536) * 10.0 / (16.384 * 16.384)),
    ] {
        let law = law(None, &[("scaling", scaling)], 100.0, Duration::from_millis(millis));
        assert!(near(law.step(), step), "{scaling} {millis}: {}", law.step());
    }
    let mut young = law(None, &[], 100.0, SHORT);
    young.rounds = 499;
    assert!(near(young.step(), 1.0), "500 round trips pass before");
}

#[test]
fn the_estimate_moves_by_a_sixteenth_in_a_target_and_decays() {
    // (15/16)^11 = 0.492.
    let mut law = law(None, &[], 10.0, Duration::from_millis(25));
    law.seen_mark = true;
    let mut total = 0;
    for n in 0..121_u64 {
        total += 1;
        law.on_sample(&acked(at_millis(5 * n), total, 5, Duration::from_millis(25), false));
    }
    // A round trip of 25 ms has five acknowledgements.
    let rounds = libm::log(law.alpha) / libm::log(15.0 / 16.0);
    assert!((rounds - libm::round(rounds)).abs() < 1e-9 && (23.0..25.1).contains(&rounds), "{rounds}");
    assert!((libm::pow(15.0 / 16.0, 11.0) - 0.492).abs() < 1e-3);
}

#[test]
fn the_first_mark_halves_where_there_was_no_estimate() {
    // tcp_prague 0.7: an estimate of 0 takes nothing, and the window is halved.
    for (preset, window) in [("tcp_prague", 50.0), ("draft", 50.0)] {
        let mut law = law(Some(preset), &[], 100.0, Duration::from_millis(50));
        law.on_congestion_event(&echo(at_millis(1)));
        law.on_sample(&acked(at_millis(1), 1, 100, Duration::from_millis(50), true));
        assert!(near(law.fraction, window), "{preset}: {}", law.fraction);
        // The window that bounds the sender follows by a segment.
        assert!(near(law.cwnd, 99.0) && near(law.ssthresh, 99.0));
    }
}

#[test]
fn a_loss_halves_and_stops_growth_until_the_repair_is_done() {
    let mut law = law(None, &[("alpha", "0.1")], 100.0, SHORT);
    law.on_congestion_event(&Congestion { cause: Cause::Loss, ..echo(at_millis(0)) });
    assert!(near(law.fraction, 50.0));
    law.on_sample(&Sample { phase: Phase::Recovery, ..acked(at_millis(1), 1, 50, SHORT, false) });
    assert!(near(law.fraction, 50.0) && near(law.cwnd, 99.0));
    law.on_sample(&acked(at_millis(2), 2, 50, SHORT, false));
    assert!(law.fraction > 50.0);
    law.adjust(Adjustment::Restore { window: 0.0, ssthresh: 0.0 });
    assert!(near(law.cwnd, 100.0), "it was no loss: {}", law.cwnd);
}

#[test]
fn a_burst_is_a_quarter_of_a_millisecond() {
    // 12.5 MB/s in packets of 1500 B: 8,333 per second, 2.08 in 250 us, and 1 at a third of the rate.
    for (window, burst) in [(83.34, 2), (27.0, 1)] {
        let law = law(None, &[], window, SHORT);
        assert_eq!(law.at_once(), Some(burst));
    }
}

#[test]
fn a_small_window_is_a_rate_that_swings() {
    // Two packets in 10 ms at 100 kbit/s at least; the rate is the state up to four packets (0.7).
    let mut law = law(Some("tcp_prague"), &[], 3.0, SHORT);
    law.seen_mark = true;
    law.on_sample(&acked(at_millis(0), 1, 3, SHORT, false));
    assert!(law.by_rate);
    let rate = |sender: &Prague| sender.pacing_rate().expect("a rate").as_bps() as f64 / 12_000.0;
    assert!((rate(&law) / law.rate - 1.031_25).abs() < 1e-3);
    law.now = at_millis(13);
    assert!((rate(&law) / law.rate - 0.968_75).abs() < 1e-3, "half of 25 ms have passed");
    for n in 1..200 {
        law.on_congestion_event(&echo(at_millis(25 * n)));
        law.on_sample(&acked(at_millis(25 * n), 1 + n, 3, SHORT, true));
    }
    assert!((rate(&law) * 12_000.0 / 1e5 - 1.0).abs() < 0.04, "{}", rate(&law) * 12_000.0);
}

/// The mean number of packets in 25 ms if each packet is marked with probability `p`, over round trips of `rtt`.
fn mean(p: f64, rtt: Duration, scaling: &str) -> f64 {
    let mut law = law(None, &[("scaling", scaling), ("alpha", "0.1")], 20.0, rtt);
    let mut rng = Rng::named(1, "prague");
    let (mut now, mut total, mut reduces_until, mut sum, mut time) = (Instant::ZERO, 0_u64, 0_u64, 0.0, 0.0);
    for n in 0..400_000 {
        let flight = law.fraction.max(1.0);
        // One acknowledgement after the other, evenly in a round trip.
        let pause = rtt.mul_f64(1.0 / flight);
        now += pause;
        total += 1;
        let marked = rng.uniform() < p;
        if marked && total >= reduces_until {
            // The sender tells an echo once in a window of data.
            law.on_congestion_event(&echo(now));
            reduces_until = total + flight as u64;
        }
        law.on_sample(&acked(now, total, flight as u64, rtt, marked));
        if n > 20_000 {
            sum += flight * pause.as_secs_f64();
            time += pause.as_secs_f64();
        }
    }
    sum / time * 0.025 / rtt.as_secs_f64()
}

#[test]
fn as_many_marks_come_in_a_target_whatever_the_round_trip() {
    // In 25 ms the window grows by a = 1 - p segments. A cut takes p/2 of W. It comes 25 ms after the last one, at the next of m = p W
    // marks in 25 ms, and so in 1 + 1/m of them: m = 2 a (1 + 1/m), which is a + (a^2 + 2 a)^(1/2). Two marks, 2 (1 - p)/p packets, if a
    // mark comes at once.
    for p in [0.02, 0.1] {
        let a = 1.0 - p;
        let expected = (a + libm::sqrt(a * a + 2.0 * a)) / p;
        let same = mean(p, Duration::from_millis(25), "rate");
        assert!((same / expected - 1.0).abs() < 0.05, "{p}: {same} {expected}");
        // A round trip of 10 ms gets the rate of 25 ms, or 2.5 times as much without independence.
        let short = mean(p, SHORT, "rate");
        assert!((short / same - 1.0).abs() < 0.1, "{p}: {short} {same}");
        let dependent = mean(p, SHORT, "none");
        assert!((dependent / same / 2.5 - 1.0).abs() < 0.1, "{p}: {dependent} {same}");
    }
}

#[test]
fn the_presets_are_of_the_form_that_they_name() {
    for (preset, form) in [("draft", Form::Tcp), ("tcp_prague", Form::Tcp), ("udp_prague", Form::Udp)] {
        let params: Params = ENTRY.args(Some(preset)).expect("a preset").typed();
        assert_eq!(params.form, form);
    }
}
