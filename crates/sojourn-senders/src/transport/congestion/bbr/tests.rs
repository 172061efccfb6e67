use super::*;
use crate::transport::congestion::{Cause, Counting, Cut, Growth, Spans};

const MSS: u32 = 1448;
const RTT: Duration = Duration::from_millis(40);

fn at(micros: u64) -> Instant {
    Instant::from_nanos(1000 * micros)
}

/// A connection of Linux's preset that has opened at 40 ms, with a round trip of 40 ms.
fn connected() -> Bbr {
    let args = ENTRY.args(Some("linux")).expect("a preset");
    let mut bbr = Bbr::new(Numbers::of(&args.typed()));
    let counting = Counting { growth: Growth::Segments, cut: Cut::Cwnd };
    bbr.on_connect(&Setup {
        window: 10.0,
        ssthresh: f64::INFINITY,
        mss: MSS,
        packet: 1514,
        counting,
        paced: false,
        phases: false,
    });
    bbr.on_milestone(Milestone::Opened { now: at(40_000), smoothed: Some(RTT) });
    bbr
}

/// `delivered` more segments arrive at `now`; the last of them left a round trip before, when `prior` had been delivered.
fn sample(now: u64, delivered: u64, total: u64, prior: u64) -> Sample {
    let left = at(now - 40_000);
    Sample {
        now: at(now),
        delivered: delivered as f64,
        total,
        prior: Some(prior),
        rate: None,
        app_limited: false,
        rtt: Some(RTT),
        before: 20.0,
        inflight: 20.0,
        lost: 0.0,
        all_lost: 0,
        marked: 0.0,
        recovering: false,
        most: 1e6,
        phase: Phase::Open,
        spans: Some(Spans { left, first_left: left, heard: left }),
        trip: Some(RTT),
        delayed: false,
        departs: at(now),
        flight_then: 20.0,
        lost_since: 0.0,
        full: true,
    }
}

#[test]
fn the_first_rate_is_the_initial_window_in_a_round_trip_at_the_high_gain() {
    // 10 * 2^24 / 40000 = 4194 (rounded down); * 1448 * 739 >> 8 = 17530830; * 990000 >> 24 = 1034465 (rounded down).
    let bbr = connected();
    assert_eq!(bbr.rate, 4194 * 1448 * 739 / 256 * 990_000 / (1 << 24));
    // A packet of two segments holds up the next one by its payload at that rate.
    let gap = bbr.gap_of(Bytes(2 * 1448)).expect("a rate");
    assert_eq!(gap.as_nanos(), 2 * 1448 * 1_000_000_000 / bbr.rate);
}

#[test]
fn the_window_is_even_and_has_room_for_three_packets() {
    let mut bbr = connected();
    // 17 segments in 40 ms: 17 * 2^24 / 40000 = 7130 (rounded down), * 40000 / 2^24 = 16.9995, rounded up 17.
    bbr.bandwidth.take(10, 0, 17 * RATE_ONE / 40_000);
    bbr.rate = 1_000_000;
    assert_eq!(bbr.product(bbr.bandwidth.value(), GAIN_ONE), 17);
    assert_eq!(bbr.target(bbr.bandwidth.value(), GAIN_ONE), 24, "17 + 3 * 2, rounded up");
    (bbr.mode, bbr.phase) = (Mode::ProbeBw, 0);
    assert_eq!(bbr.target(bbr.bandwidth.value(), GAIN_ONE), 26, "two more while it speeds up");
    // Below 1.2 Mbit/s a packet has one segment.
    bbr.rate = 149_999;
    assert_eq!(bbr.target(bbr.bandwidth.value(), GAIN_ONE), 22);
    assert_eq!(bbr.at_once(), Some(1));
}

#[test]
fn an_interval_shorter_than_the_shortest_round_trip_says_nothing() {
    let mut bbr = connected();
    let whole = sample(100_000, 4, 5, 1);
    let short = Spans { left: at(60_001), first_left: at(60_001), heard: at(60_001) };
    bbr.on_sample(&Sample { spans: Some(short), trip: Some(RTT + Duration::from_millis(1)), ..whole });
    assert_eq!(bbr.bandwidth.value(), 0);
    bbr.on_sample(&whole);
    assert_eq!(bbr.bandwidth.value(), 4 * RATE_ONE / 40_000);
}

#[test]
fn what_waits_for_the_pacer_is_not_in_the_network_when_it_leaves() {
    let mut bbr = connected();
    // One segment in a millisecond, rounded up, and 5 ms to wait.
    bbr.bandwidth.take(10, 0, RATE_ONE.div_ceil(1000));
    bbr.pacing_gain = GAIN_ONE;
    let waits = Sample { departs: at(105_000), ..sample(100_000, 1, 2, 1) };
    assert_eq!(bbr.at_departure(20, &waits), 15);
    bbr.pacing_gain = bbr.numbers.up;
    assert_eq!(bbr.at_departure(20, &waits), 15 + bbr.quantum());
}

#[test]
fn a_timeout_leaves_one_segment_above_what_is_in_the_network_and_looks_for_the_pipe_anew() {
    let mut bbr = connected();
    bbr.window = 30;
    bbr.full_bandwidth = 7;
    bbr.on_timeout(Some(&Congestion { now: at(1), used: 30.0, cause: Cause::Loss }));
    assert!(bbr.keeps(6));
    assert_eq!((bbr.window, bbr.prior, bbr.full_bandwidth), (7, 30, 0));
    // Once the loss is repaired, the window has its former value.
    bbr.on_sample(&Sample { phase: Phase::Loss, ..sample(100_000, 1, 2, 1) });
    bbr.on_sample(&sample(101_000, 1, 3, 1));
    assert!(bbr.window >= 30, "{}", bbr.window);
}

#[test]
fn of_a_recovery_s_first_round_as_much_leaves_as_arrives() {
    let mut bbr = connected();
    bbr.window = 30;
    bbr.round_ends = 50;
    bbr.on_congestion_event(&Congestion { now: at(1), used: 30.0, cause: Cause::Loss });
    let begins = Sample { phase: Phase::Recovery, lost: 2.0, inflight: 17.0, ..sample(100_000, 1, 60, 40) };
    bbr.on_sample(&begins);
    assert_eq!((bbr.window, bbr.round_ends), (18, 60));
    bbr.on_sample(&Sample { lost: 0.0, inflight: 16.0, ..begins });
    assert_eq!(bbr.window, 18);
}

#[test]
fn ten_seconds_without_a_shorter_round_trip_bring_four_segments_for_200_ms() {
    let mut bbr = connected();
    let later = |millis: u64, inflight: f64| Sample {
        trip: Some(RTT * 2),
        inflight,
        ..sample(1000 * millis, 1, 1000 + millis, 1000 + millis)
    };
    bbr.on_sample(&later(10_040, 20.0));
    assert_eq!(bbr.mode, Mode::Startup);
    bbr.on_sample(&later(10_041, 20.0));
    assert!(bbr.mode == Mode::ProbeRtt && bbr.is_held_back() && bbr.window == LEAST_WINDOW);
    for millis in [10_042, 10_100, 10_242] {
        bbr.on_sample(&later(millis, 4.0));
        assert_eq!(bbr.mode, Mode::ProbeRtt, "{millis}");
    }
    bbr.on_sample(&later(10_243, 4.0));
    assert_eq!(bbr.mode, Mode::Startup);
}

#[test]
fn startup_ends_after_three_rounds_without_a_quarter_more_and_drain_with_a_product_in_flight() {
    let mut bbr = connected();
    let rate = |segments: u64| segments * RATE_ONE / 40_000;
    // A quarter more is growth, less is none.
    bbr.round_began = true;
    for (segments, rounds) in [(100, 0), (125, 0), (150, 1), (155, 2)] {
        bbr.bandwidth.take(10, bbr.round, rate(segments));
        bbr.check_full(false);
        assert_eq!((bbr.full_rounds, bbr.filled), (rounds, false), "{segments}");
    }
    bbr.check_full(true);
    assert!(!bbr.filled, "the application was the limit");
    bbr.check_full(false);
    assert!(bbr.filled);
    bbr.rate = 1_000_000;
    let product = bbr.target(bbr.bandwidth.value(), GAIN_ONE);
    let holds = |inflight: u64| Sample { inflight: inflight as f64, ..sample(100_000, 1, 2, 1) };
    bbr.check_drain(&holds(product + 1));
    bbr.update_gains();
    // 88/256 is ln 2 / 2, rounded down.
    assert_eq!((bbr.mode, bbr.pacing_gain, bbr.window_gain), (Mode::Drain, 88, 739));
    bbr.check_drain(&holds(product));
    assert_eq!(bbr.mode, Mode::ProbeBw);
}

#[test]
fn the_cycle_never_begins_with_the_drain() {
    let mut seen = [0; 8];
    let mut bbr = connected();
    for _ in 0..7000 {
        bbr.enter_probe_bw();
        seen[bbr.phase as usize] += 1;
    }
    assert_eq!(seen[1], 0);
    assert!(seen.iter().enumerate().all(|(phase, &times)| phase == 1 || (800..1200).contains(&times)), "{seen:?}");
}

#[test]
fn speeding_up_ends_with_enough_in_flight_or_a_loss_and_not_before_a_round_trip() {
    let (least, more) = (40_000, 40_001);
    for (micros, enough, lost, ends) in
        [(least, true, 0.0, false), (more, false, 0.0, false), (more, true, 0.0, true), (more, false, 1.0, true)]
    {
        let mut bbr = connected();
        bbr.bandwidth.take(10, 0, 100 * RATE_ONE / 40_000);
        (bbr.mode, bbr.phase, bbr.pacing_gain, bbr.rate) = (Mode::ProbeBw, 0, 320, 1_000_000);
        bbr.delivered_at = bbr.phase_at + micros;
        let wanted = bbr.target(bbr.bandwidth.value(), 320);
        // At once a packet leaves, and is counted as sent.
        let before = (wanted - bbr.quantum() - u64::from(!enough)) as f64;
        bbr.check_phase(&Sample { before, lost, ..sample(100_000, 1, 2, 1) });
        assert_eq!(bbr.phase == 1, ends, "{micros} us, enough {enough}, {lost} lost");
    }
}

#[test]
fn clumps_of_acknowledgements_make_room_for_at_most_100_ms_of_the_rate() {
    let mut bbr = connected();
    (bbr.filled, bbr.window) = (true, 200);
    let rate = RATE_ONE.div_ceil(1000);
    bbr.bandwidth.take(10, 0, rate);
    let heard = |law: &mut Bbr, micros: u64, delivered: u64| {
        let seen = law.observe(&sample(micros, delivered, 1000, 900), Some(40_000));
        law.update_clumps(delivered, seen);
        law.room_for_clumps(rate)
    };
    // One segment in a millisecond keeps pace; the first segment of a count is whole.
    assert_eq!(heard(&mut bbr, 100_000, 1), 1);
    // Nothing for 20 ms, then 20 at once, and 10 more a millisecond later: the count began with the 20, and 29 are ahead.
    assert_eq!(heard(&mut bbr, 120_000, 20), 20);
    assert_eq!(heard(&mut bbr, 121_000, 10), 29);
    assert_eq!(bbr.room_for_clumps(rate.div_ceil(10)), 10);
}

#[test]
fn samples_that_lack_data_count_only_upwards() {
    let mut bbr = connected();
    bbr.bandwidth.take(10, 0, RATE_ONE / 1000);
    let before = bbr.bandwidth.value();
    let limited = |delivered: u64| Sample { app_limited: true, ..sample(100_000, 1, 100 + delivered, 100) };
    bbr.on_sample(&limited(39));
    assert_eq!(bbr.bandwidth.value(), before);
    bbr.on_sample(&limited(41));
    assert_eq!(bbr.bandwidth.value(), 41 * RATE_ONE / 40_000);
}
