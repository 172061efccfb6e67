use super::*;
use crate::rig::near_by_ratio;
use crate::transport::congestion::{Counting, Cut, Growth, Phase};

const RTT: Duration = Duration::from_millis(100);

/// A connection of packets of 1000 bytes with a window of ten.
fn connected() -> Bbr {
    let mut bbr = Bbr::new(Params::default());
    let counting = Counting { growth: Growth::Segments, cut: Cut::Cwnd };
    bbr.on_connect(&Setup {
        window: 10.0,
        ssthresh: f64::INFINITY,
        mss: 960,
        packet: 1000,
        counting,
        paced: false,
        phases: false,
    });
    bbr
}

/// A path with a rate in segments per second and a round trip of 100 ms. Each call is a round: the data in the window is delivered, at the
/// rate of the path or at that of the sender.
struct Path {
    bbr: Bbr,
    now: Instant,
    total: u64,
    capacity: f64,
}

impl Path {
    fn new(capacity: f64) -> Self {
        Path { bbr: connected(), now: Instant::ZERO, total: 0, capacity }
    }

    fn sample(&self, rate: f64) -> Sample {
        let inflight = self.bbr.window.min(rate * 0.1).floor();
        Sample {
            now: self.now,
            delivered: inflight,
            total: self.total,
            prior: Some(self.bbr.round_ends),
            rate: Some(rate),
            app_limited: false,
            rtt: Some(RTT),
            before: inflight,
            inflight,
            lost: 0.0,
            all_lost: 0,
            marked: 0.0,
            recovering: false,
            most: 1e6,
            phase: Phase::Open,
            spans: None,
            trip: Some(RTT),
            delayed: false,
            departs: self.now,
            flight_then: inflight,
            lost_since: 0.0,
            full: true,
        }
    }

    fn round(&mut self) {
        self.now += RTT + Duration::from_millis(1);
        let sent = self.bbr.rate.unwrap_or(200.0).min(self.bbr.window / 0.1);
        let rate = sent.min(self.capacity);
        self.total += (rate * 0.1) as u64;
        let sample = self.sample(rate);
        self.bbr.on_sample(&sample);
    }
}

#[test]
fn startup_doubles_until_three_rounds_bring_no_quarter_more_and_then_drains() {
    let mut path = Path::new(10_000.0);
    let mut rates = Vec::new();
    while path.bbr.mode == Mode::Startup {
        path.round();
        rates.push(path.bbr.bandwidth.max());
        assert!(rates.len() < 30);
    }
    // From 100 a second (ten in 100 ms) each round at least doubles up to the path's rate.
    let rising: Vec<_> = rates.windows(2).take_while(|pair| pair[1] < 10_000.0).collect();
    assert!(rising.len() >= 5 && rising.iter().all(|pair| pair[1] >= 1.9 * pair[0]), "{rates:?}");
    // The round that reaches it, and three more.
    let full = rates.iter().filter(|&&rate| near_by_ratio(rate, 10_000.0)).count();
    assert_eq!(full, 4, "{rates:?}");
    // The data in flight are at most a bandwidth-delay product here: Drain is over at once.
    assert_eq!(path.bbr.mode, Mode::ProbeBw);
}

#[test]
fn drain_paces_at_the_inverse_until_the_queue_is_gone() {
    let mut path = Path::new(1000.0);
    while !path.bbr.filled {
        path.round();
        if path.bbr.filled {
            break;
        }
    }
    let mut bbr = path.bbr.clone();
    (bbr.mode, bbr.pacing_gain) = (Mode::Startup, bbr.params.high_gain);
    let full = Sample { inflight: 250.0, before: 250.0, ..path.sample(1000.0) };
    bbr.check_drain(&full);
    assert!(bbr.mode == Mode::Drain && near_by_ratio(bbr.pacing_gain * bbr.params.high_gain, 1.0));
    // 1000 a second over 100 ms and three bursts of two.
    bbr.rate = Some(1000.0);
    bbr.check_drain(&Sample { inflight: 107.0, ..full });
    assert_eq!(bbr.mode, Mode::Drain);
    bbr.check_drain(&Sample { inflight: 106.0, ..full });
    assert_eq!(bbr.mode, Mode::ProbeBw);
}

/// In ProbeBW at phase `phase` on a path of 1000 a second.
fn cruising(phase: usize) -> Path {
    let mut path = Path::new(1000.0);
    while path.bbr.mode != Mode::ProbeBw {
        path.round();
    }
    let now = path.now;
    path.bbr.begin_phase(now, phase);
    path
}

#[test]
fn eight_phases_of_a_least_round_trip_follow_each_other() {
    let mut path = cruising(2);
    let mut gains = Vec::new();
    for _ in 0..16 {
        gains.push(path.bbr.pacing_gain);
        path.round();
        if path.bbr.phase == 0 {
            // ProbeBW_UP goes on until a quarter more is in flight.
            let inflight = path.bbr.inflight(1.25).ceil();
            path.now += RTT + Duration::from_millis(1);
            gains.push(path.bbr.pacing_gain);
            let sample = Sample { before: inflight, inflight, ..path.sample(1000.0) };
            path.bbr.on_sample(&sample);
        }
    }
    assert_eq!(gains[..9], [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.25, 0.75, 1.0], "{gains:?}");
}

#[test]
fn speeding_up_ends_with_enough_in_flight_or_a_loss_and_not_before_a_round_trip() {
    for (millis, before, lost, ends) in
        [(99, 200.0, 0.0, false), (101, 130.0, 0.0, false), (101, 131.0, 0.0, true), (101, 50.0, 1.0, true)]
    {
        let mut path = cruising(0);
        // 1.25 * 100 and three bursts of two are 131.
        path.bbr.rate = Some(1250.0);
        path.now = path.bbr.phase_at + Duration::from_millis(millis);
        path.bbr.check_phase(&Sample { before, lost, ..path.sample(1000.0) });
        assert_eq!(path.bbr.phase == 1, ends, "{millis} ms, {before} in flight, {lost} lost");
    }
}

#[test]
fn the_cycle_never_begins_with_the_drain() {
    let mut seen = [0; PHASES];
    for nanos in 0..7000 {
        let mut bbr = connected();
        bbr.enter_probe_bw(Instant::from_nanos(1_000_003 * nanos));
        seen[bbr.phase] += 1;
    }
    assert_eq!(seen[1], 0);
    assert!(seen.iter().enumerate().all(|(phase, &times)| phase == 1 || (800..1200).contains(&times)), "{seen:?}");
}

#[test]
fn in_probe_bw_the_window_is_two_products_and_room_for_bursts() {
    let mut path = cruising(2);
    for _ in 0..20 {
        path.round();
    }
    let sample = path.sample(1000.0);
    path.bbr.set_window(&Sample { delivered: 1000.0, ..sample });
    assert!(near_by_ratio(path.bbr.window, 200.0 + 6.0), "{}", path.bbr.window);
}

#[test]
fn even_windows_are_rounded_up_and_hold_two_more_while_speeding_up() {
    let mut path = cruising(2);
    path.bbr.params.even = true;
    path.bbr.rate = Some(1000.0);
    // 1.005 * 100 is 101 in whole segments, and three bursts of two make 107.
    assert!(near_by_ratio(path.bbr.inflight(1.005), 108.0), "{}", path.bbr.inflight(1.005));
    assert!(near_by_ratio(path.bbr.inflight(1.02), 108.0), "already even");
    path.bbr.phase = 0;
    assert!(near_by_ratio(path.bbr.inflight(1.02), 110.0));
    path.bbr.mode = Mode::Drain;
    assert!(near_by_ratio(path.bbr.inflight(1.02), 108.0));
}

#[test]
fn clumps_of_acknowledgements_make_room_for_at_most_what_they_ran_ahead() {
    let path = cruising(2);
    let mut aggregation = Aggregation { since: path.now, ..Aggregation::default() };
    let at = |millis: u64, delivered: f64| Sample {
        now: path.now + Duration::from_millis(millis),
        delivered,
        ..path.sample(1000.0)
    };
    // The bandwidth gives one segment a millisecond: nothing ran ahead. The first segment of an epoch counts whole.
    aggregation.take(&at(1, 1.0), false, 1000.0, 200.0);
    assert!(near_by_ratio(aggregation.room(1000.0), 1.0));
    // Nothing for 20 ms, then 20 at once and 10 more a millisecond later: the epoch began anew with the 20, and 29 are ahead.
    aggregation.take(&at(21, 20.0), false, 1000.0, 200.0);
    assert!(near_by_ratio(aggregation.room(1000.0), 20.0), "{}", aggregation.room(1000.0));
    aggregation.take(&at(22, 10.0), false, 1000.0, 200.0);
    assert!(near_by_ratio(aggregation.room(1000.0), 29.0), "{}", aggregation.room(1000.0));
    // No more than 100 ms of the bandwidth, and none of it after ten rounds without clumps.
    assert!(near_by_ratio(aggregation.room(100.0), 10.0));
    for round in 0..10 {
        aggregation.take(&at(1000 + 100 * round, 1.0), true, 1000.0, 200.0);
    }
    assert!(near_by_ratio(aggregation.room(1000.0), 1.0), "{}", aggregation.room(1000.0));
}

#[test]
fn every_ten_seconds_four_segments_are_in_flight_for_200_ms_and_a_round() {
    let mut path = cruising(2);
    let mut longer = path.sample(1000.0);
    longer.rtt = Some(Duration::from_millis(110));
    // The shortest round trip is as old as the first sample that had it last.
    let last = path.bbr.least_rtt_at;
    longer.now = last + Duration::from_secs(10);
    path.bbr.on_sample(&longer);
    assert_eq!(path.bbr.mode, Mode::ProbeBw);
    let before = path.bbr.window;
    longer.now = last + Duration::from_millis(10_001);
    path.bbr.on_sample(&longer);
    assert!(path.bbr.mode == Mode::ProbeRtt && near_by_ratio(path.bbr.window, 4.0));
    assert_eq!(path.bbr.least_rtt, Some(Duration::from_millis(110)), "the old one has gone");

    let at = |millis: u64| last + Duration::from_millis(10_001 + millis);
    let few = Sample { inflight: 4.0, before: 4.0, delivered: 1.0, ..longer };
    // The 200 ms begin when four are in flight; before a round is over they are not enough.
    path.bbr.on_sample(&Sample { now: at(100), ..few });
    path.bbr.on_sample(&Sample { now: at(301), prior: Some(0), ..few });
    assert_eq!(path.bbr.mode, Mode::ProbeRtt);
    path.bbr.on_sample(&Sample { now: at(302), total: few.total + 4, prior: Some(path.bbr.round_ends), ..few });
    assert!(path.bbr.mode == Mode::ProbeBw && path.bbr.window >= before, "{} {before}", path.bbr.window);
}

#[test]
fn the_bandwidth_is_the_highest_of_ten_rounds() {
    let mut bandwidth = Highest::default();
    bandwidth.take(1, 100.0, 10);
    bandwidth.take(2, 300.0, 10);
    for round in 3..12 {
        bandwidth.take(round, 200.0 - round as f64, 10);
        assert!(near_by_ratio(bandwidth.max(), 300.0), "{round}");
    }
    bandwidth.take(12, 100.0, 10);
    assert!(near_by_ratio(bandwidth.max(), 197.0), "of round 3");
}

#[test]
fn samples_that_lack_data_count_only_upwards() {
    let mut path = cruising(2);
    let limited = Sample { app_limited: true, ..path.sample(10.0) };
    path.bbr.update_bandwidth(&limited);
    assert!(near_by_ratio(path.bbr.bandwidth.max(), 1000.0) && path.bbr.bandwidth.values.len() == 1);
    path.bbr.update_bandwidth(&Sample { rate: Some(2000.0), ..limited });
    assert!(near_by_ratio(path.bbr.bandwidth.max(), 2000.0));
}

#[test]
fn what_left_in_probe_rtt_says_nothing_of_the_bandwidth() {
    let mut path = cruising(2);
    let total = path.total;
    path.bbr.mode = Mode::ProbeRtt;
    path.bbr.check_probe_rtt(&path.sample(1000.0), false);
    assert_eq!(path.bbr.limited_below, total);
    // 300 short rounds later: a sample of four segments in a round trip does not replace the rate; packets that left since do.
    path.bbr.round += 300;
    path.bbr.update_bandwidth(&Sample { prior: Some(total - 1), ..path.sample(40.0) });
    assert!(near_by_ratio(path.bbr.bandwidth.max(), 1000.0));
    path.bbr.update_bandwidth(&Sample { prior: Some(total), ..path.sample(990.0) });
    assert!(near_by_ratio(path.bbr.bandwidth.max(), 990.0));
}

#[test]
fn a_recovery_sends_what_arrives_for_a_round_and_gives_the_window_back() {
    let mut path = cruising(2);
    (0..5).for_each(|_| path.round());
    let window = path.bbr.window;
    let loss = Sample {
        prior: Some(path.bbr.round_ends - 1),
        recovering: true,
        lost: 1.0,
        inflight: 80.0,
        delivered: 2.0,
        ..path.sample(1000.0)
    };
    path.bbr.on_sample(&loss);
    assert!(near_by_ratio(path.bbr.window, 82.0), "{}", path.bbr.window);
    path.bbr.on_sample(&Sample { lost: 0.0, inflight: 79.0, delivered: 1.0, ..loss });
    assert!(path.bbr.window <= 82.0);
    path.bbr.on_sample(&Sample { lost: 0.0, recovering: false, ..loss });
    assert!(path.bbr.window >= window, "{} {window}", path.bbr.window);
    assert!(near_by_ratio(path.bbr.bandwidth.max(), 1000.0));
}

#[test]
fn a_timeout_leaves_one_segment_until_it_is_over() {
    let mut path = cruising(2);
    (0..5).for_each(|_| path.round());
    let window = path.bbr.window;
    path.bbr.on_timeout(None);
    assert!(near_by_ratio(path.bbr.window, 1.0));
    path.bbr.on_sample(&Sample { recovering: true, delivered: 1.0, inflight: 1.0, ..path.sample(1000.0) });
    assert!(path.bbr.window < 10.0);
    path.bbr.on_sample(&path.sample(1000.0));
    assert!(path.bbr.window >= window);
}
