use super::super::super::Spans;
use super::*;
use crate::transport::congestion::{Cause, Counting, Cut, Growth};

const MSS: u32 = 1448;
const RTT: Duration = Duration::from_millis(40);

fn at(micros: u64) -> Instant {
    Instant::from_nanos(1000 * micros)
}

/// A connection of Linux's preset that has opened at 40 ms, with a round trip of 40 ms.
fn connected() -> BbrKernel {
    let mut bbr = BbrKernel::new(&Settings {
        high_gain: 2.885_390_081_777_927,
        window_gain: 2.0,
        probe: 0.25,
        bandwidth_rounds: 10,
        rtt_window: Duration::from_secs(10),
        probe_rtt: Duration::from_millis(200),
        growth: 0.25,
        growth_rounds: 3,
        margin: 0.01,
        aggregation: true,
        even: true,
        policers: true,
    });
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
