use super::*;
use crate::rig::{near, near_by_ratio};
use crate::transport::congestion::{Cause, Counting, Cut, Growth, Phase};

/// A payload of 1460 bytes in packets of 1500.
fn setup(window: f64) -> Setup {
    Setup {
        window,
        ssthresh: f64::INFINITY,
        mss: 1460,
        packet: 1500,
        counting: Counting { growth: Growth::Segments, cut: Cut::Cwnd },
        paced: false,
        phases: false,
    }
}

/// A connection with a window of ten.
fn connected() -> Bbr3 {
    let mut bbr = Bbr3::new(Params::default(), Rng::named(1, "test"));
    bbr.on_connect(&setup(10.0));
    bbr
}

fn at(millis: u64) -> Instant {
    Instant::ZERO + Duration::from_millis(millis)
}

/// Segments per second at this rate on the wire.
fn segments(mbit: f64) -> f64 {
    mbit * 1e6 / 8.0 / 1500.0
}

/// A connection in this state that knows the path: `rate` segments per second, and a round trip of `millis`.
fn knows(state: State, rate: f64, millis: u64) -> Bbr3 {
    let mut bbr = connected();
    (bbr.state, bbr.full_bw_reached, bbr.seen_rtt) = (state, true, true);
    (bbr.max_bw, bbr.bw) = ([rate, rate], rate);
    bbr.min_rtt = Some(Duration::from_millis(millis));
    bbr.probe_rtt_min_delay = bbr.min_rtt;
    (bbr.delivered, bbr.next_round_delivered) = (1000, 1000);
    bbr.set_pacing_rate(1.0);
    bbr
}

/// An acknowledgement of one segment that left `flight` segments ago, at `now` milliseconds.
fn acked(bbr: &Bbr3, now: u64, rate: f64) -> Sample {
    Sample {
        now: at(now),
        delivered: 1.0,
        total: bbr.delivered + 1,
        prior: Some(bbr.next_round_delivered.saturating_sub(1)),
        rate: Some(rate),
        app_limited: false,
        rtt: bbr.min_rtt,
        before: bbr.cwnd,
        inflight: bbr.cwnd - 1.0,
        lost: 0.0,
        all_lost: 0,
        marked: 0.0,
        recovering: false,
        most: 1e9,
        phase: Phase::Open,
        spans: None,
        trip: bbr.min_rtt.map(|rtt| rtt + Duration::from_millis(1)),
        delayed: false,
        departs: at(now),
        flight_then: bbr.cwnd,
        lost_since: 0.0,
        full: true,
    }
}

/// An acknowledgement that begins a round.
fn round(bbr: &Bbr3, now: u64, rate: f64) -> Sample {
    Sample { prior: Some(bbr.next_round_delivered), ..acked(bbr, now, rate) }
}

fn lost(bbr: &Bbr3, now: u64, number: u64, lost_since: f64, flight_then: f64) -> Lost {
    Lost { now: at(now), number, total: bbr.delivered, flight_then, lost_since, app_limited: false }
}

#[test]
fn startup_doubles_with_four_ln_two_and_probe_rtt_costs_two_per_cent() {
    // Draft section 2.5; section 5.3.4.2: half of the window for 0.2 s in 5 s.
    let params = Params::default();
    assert!(near(params.startup_gain, 4.0 * libm::log(2.0)));
    let part = params.probe_rtt.as_secs_f64() / params.probe_rtt_interval.as_secs_f64();
    assert!(near(1.0 - part * params.probe_rtt_gain, 0.98));
}

#[test]
fn the_presets_are_the_draft_and_linux_of_256ths() {
    let draft: Params = ENTRY.args(Some("draft")).expect("a preset").typed();
    assert_eq!(format!("{draft:?}"), format!("{:?}", Params::default()));
    let linux: Params = ENTRY.args(Some("linux_v3")).expect("a preset").typed();
    // bbr_startup_pacing_gain, bbr_drain_gain, bbr_pacing_gain[1] in whole 1/256.
    for (gain, numerator) in [
        (linux.startup_gain, 256 * 277 / 100 + 1),
        (linux.drain_gain, 256 * 1000 / 2885),
        (linux.down_gain, 256 * 91 / 100),
    ] {
        assert!(near(gain, f64::from(numerator) / 256.0), "{gain}");
    }
}

#[test]
fn the_first_rate_is_that_of_a_millisecond_until_a_round_trip_is_known() {
    // 2.7726 * 14600 B / 1 ms = 323.8 Mbit/s of payload; at 100 ms a hundredth.
    let mut bbr = connected();
    let payload = |law: &Bbr3| law.pacing_rate * 1460.0 * 8.0 / 1e6;
    assert!((payload(&bbr) - 323.8).abs() < 0.05, "{}", payload(&bbr));
    let sample = Sample { rate: None, trip: Some(Duration::from_millis(100)), ..round(&bbr, 100, 0.0) };
    bbr.on_sample(&sample);
    assert!((payload(&bbr) - 3.238).abs() < 0.0005, "{}", payload(&bbr));
    let mut opened = connected();
    opened.on_milestone(Milestone::Opened { now: at(40), smoothed: Some(Duration::from_millis(40)) });
    assert!((payload(&opened) - 323.8 / 40.0).abs() < 0.005);
}

#[test]
fn the_quantum_is_a_millisecond_of_the_rate_between_two_segments_and_64_kib() {
    // Draft section 5.6.3: 10 Mbit/s give 1250 B, less than 2 SMSS; 100 Mbit/s 12,500 B; above 524 Mbit/s 65,536 B.
    let mut bbr = connected();
    for (mbit, bytes) in
        [(10.0, 2.0 * 1460.0), (100.0, 12_500.0), (524.0, 65_500.0), (525.0, 65_536.0), (1e4, 65_536.0)]
    {
        bbr.pacing_rate = mbit * 1e6 / 8.0 / 1460.0;
        assert!(near_by_ratio(bbr.send_quantum() * 1460.0, bytes), "{mbit}");
    }
}

#[test]
fn more_than_two_per_cent_is_too_much() {
    let bbr = connected();
    for (lost, flight, is_too_high) in
        [(2.0, 100.0, false), (3.0, 100.0, true), (4.0, 200.0, false), (5.0, 200.0, true)]
    {
        assert_eq!(bbr.is_inflight_too_high(lost, flight), is_too_high, "{lost} of {flight}");
    }
}

#[test]
fn in_up_the_bound_grows_by_1_2_4_8_segments_in_a_round() {
    // Draft section 5.3.3.9. A round has as many acknowledgements as the window has segments, and the window is the bound: a segment more
    // for each 64 of them in the first round, half as many in the next, and so on.
    let mut bbr = knows(State::Refill, 1000.0, 32);
    (bbr.cwnd, bbr.inflight_longterm) = (64.0, 64.0);
    let begins = round(&bbr, 100, 1000.0);
    bbr.update_model(&begins);
    assert_eq!(bbr.state, State::Up);
    let mut grown = Vec::new();
    for _ in 0..4 {
        let before = bbr.inflight_longterm;
        for left in (0..before as u64).rev() {
            bbr.delivered += 1;
            let sample = if left == 0 { round(&bbr, 101, 1000.0) } else { acked(&bbr, 101, 1000.0) };
            bbr.update_model(&Sample { flight_then: 0.0, total: bbr.delivered, ..sample });
            bbr.cwnd = bbr.inflight_longterm;
        }
        grown.push(bbr.inflight_longterm - before);
    }
    assert!(grown.iter().zip([1.0, 2.0, 4.0, 8.0]).all(|(&grown, expected)| near(grown, expected)), "{grown:?}");
    assert_eq!(bbr.state, State::Up, "the bound limits the rate, which is no plateau");
}

/// The milliseconds after which a connection in ProbeBW_CRUISE probes, on a path of `mbit` and `rtt` milliseconds.
fn probes_after(mbit: f64, rtt: u64) -> u64 {
    // Draft section 5.3.3.8 counts with packets of 1514 bytes.
    let rate = mbit * 1e6 / 8.0 / 1514.0;
    let mut bbr = knows(State::Down, rate, rtt);
    bbr.cwnd = 1e9;
    bbr.start_down(at(0));
    bbr.rounds_since_probe_up = 0;
    bbr.state = State::Cruise;
    for n in 1.. {
        let now = rtt * n;
        bbr.delivered += 1;
        let sample = Sample { total: bbr.delivered, trip: bbr.min_rtt, ..round(&bbr, now, rate) };
        bbr.probe_rtt_min_stamp = at(now);
        bbr.update_model(&sample);
        if bbr.state == State::Refill {
            return now;
        }
    }
    unreachable!("it probes")
}

#[test]
fn it_probes_as_often_as_reno_or_every_two_to_three_seconds() {
    // 25 Mbit/s and 30 ms: 61.9 packets, 62 rounds, 1.86 s. 10 Mbit/s and 40 ms: 33.02 packets, 34 whole rounds.
    assert_eq!(probes_after(25.0, 30), 62 * 30);
    assert_eq!(probes_after(10.0, 40), 34 * 40);
    // 100 Mbit/s and 100 ms would be 826 packets, of which 63 rounds count: 6.3 s. The clock is first.
    assert!((2000..=3100).contains(&probes_after(100.0, 100)));
    // 1 Gbit/s and 10 ms: 63 rounds.
    assert_eq!(probes_after(1000.0, 10), 630);
}

#[test]
fn the_wait_for_a_probe_is_drawn_from_two_to_three_seconds_and_its_rounds_begin_at_0_or_1() {
    let mut bbr = connected();
    let mut seen = [0_u32; 2];
    let mut sum = 0.0;
    for _ in 0..10_000 {
        bbr.start_down(at(0));
        let wait = bbr.bw_probe_wait.as_secs_f64();
        assert!((2.0..3.0).contains(&wait));
        sum += wait;
        seen[bbr.rounds_since_probe_up as usize] += 1;
    }
    // Six standard deviations of 10,000 draws: 0.2887/100 and 50.
    assert!((sum / 1e4 - 2.5).abs() < 6.0 * 0.002_887, "{sum}");
    assert!(seen[0].abs_diff(5000) < 300, "{seen:?}");
}

#[test]
fn connections_draw_from_their_own_flows() {
    let waits = |seed: u64| {
        let mut bbr = Bbr3::new(Params::default(), Rng::named(0, "bbr3"));
        bbr.on_milestone(Milestone::Begins(&mut Rng::named(seed, "flow")));
        bbr.on_connect(&setup(10.0));
        bbr.start_down(at(0));
        bbr.bw_probe_wait
    };
    assert_eq!(waits(1), waits(1));
    assert_ne!(waits(1), waits(2));
}

#[test]
fn the_bandwidth_is_the_highest_of_two_cycles() {
    let mut bbr = connected();
    let take = |law: &mut Bbr3, rate: f64, app_limited: bool| {
        let sample = Sample { app_limited, ..acked(law, 1, rate) };
        law.update_max_bw(&sample);
    };
    take(&mut bbr, 300.0, false);
    take(&mut bbr, 100.0, true);
    bbr.advance_max_bw_filter();
    take(&mut bbr, 200.0, false);
    assert!(near(bbr.max_bw(), 300.0));
    bbr.advance_max_bw_filter();
    assert!(near(bbr.max_bw(), 200.0));
    // A cycle without a sample.
    bbr.advance_max_bw_filter();
    assert!(near(bbr.max_bw(), 200.0));
    // One that the application limits counts upwards alone.
    take(&mut bbr, 190.0, true);
    assert!(near(bbr.max_bw(), 200.0));
    take(&mut bbr, 210.0, true);
    assert!(near(bbr.max_bw(), 210.0));
}

#[test]
fn a_lossy_round_cuts_to_seven_tenths_or_to_what_was_delivered() {
    // Draft section 5.5.10.3. The first time from max_bw and cwnd.
    for (rate, delivered, bw, inflight) in [(100.0, 10.0, 700.0, 70.0), (900.0, 95.0, 900.0, 95.0)] {
        let mut bbr = knows(State::Cruise, 1000.0, 50);
        (bbr.cwnd, bbr.bw_latest, bbr.inflight_latest) = (100.0, rate, delivered);
        (bbr.loss_round_start, bbr.is_loss_in_round) = (true, true);
        bbr.adapt_lower_bounds();
        assert!(near(bbr.bw_shortterm, bw) && near(bbr.inflight_shortterm, inflight));
        assert!(!bbr.is_loss_in_round);
        // No loss in the next round: nothing changes.
        bbr.adapt_lower_bounds();
        assert!(near(bbr.bw_shortterm, bw));
    }
    for state in [State::Startup, State::Refill, State::Up] {
        let mut bbr = knows(state, 1000.0, 50);
        (bbr.loss_round_start, bbr.is_loss_in_round) = (true, true);
        bbr.adapt_lower_bounds();
        assert!(bbr.bw_shortterm.is_infinite(), "{state:?}: it probes");
    }
}

#[test]
fn headroom_is_15_per_cent_or_a_segment_and_leaves_four() {
    let mut bbr = connected();
    assert!(bbr.inflight_with_headroom().is_infinite());
    for (bound, left) in [(100.0, 85.0), (6.0, 5.0), (4.5, 4.0)] {
        bbr.inflight_longterm = bound;
        assert!(near(bbr.inflight_with_headroom(), left), "{bound}");
    }
}

#[test]
fn each_state_has_its_gains_and_its_cap() {
    // The table of draft section 5.6.1.
    let table = [
        (State::Startup, 4.0 * std::f64::consts::LN_2, 2.0, f64::INFINITY),
        (State::Drain, 0.5, 2.0, f64::INFINITY),
        (State::Down, 0.9, 2.0, 40.0),
        (State::Cruise, 1.0, 2.0, 34.0),
        (State::Refill, 1.0, 2.0, 40.0),
        (State::Up, 1.25, 2.25, 40.0),
        (State::ProbeRtt, 1.0, 0.5, 34.0),
    ];
    for (state, pacing, cwnd, cap) in table {
        let mut bbr = knows(state, 1000.0, 100);
        assert!(near(bbr.pacing_gain(), pacing) && near(bbr.cwnd_gain(), cwnd), "{state:?}");
        (bbr.inflight_longterm, bbr.cwnd) = (40.0, 1e6);
        let sample = acked(&bbr, 1, 1000.0);
        bbr.set_cwnd(&sample);
        // 100 in a bandwidth-delay product; in UP two more.
        let most = 100.0 * cwnd + if state == State::Up { 2.0 } else { 0.0 };
        assert!(near(bbr.cwnd, most.min(cap)), "{state:?} {}", bbr.cwnd);
    }
}

#[test]
fn budget_and_four_segments_are_the_least_in_flight() {
    let mut bbr = knows(State::Cruise, 100.0, 10);
    // A product of 1; three quanta of 2 are 6.
    assert!(near(bbr.inflight_at(bbr.bw), 6.0));
    bbr.params.quanta = 0.0;
    assert!(near(bbr.inflight_at(bbr.bw), 4.0));
    // 1 Gbit/s: a quantum is 83.3 segments, but no more than 64 KiB: 44.9, three times. A product of 10 ms is 833.
    let mut fast = knows(State::Cruise, segments(1000.0), 1);
    fast.pacing_rate = segments(1000.0);
    assert!(near(fast.inflight_at(fast.bw), 3.0 * 65_536.0 / 1460.0));
}

#[test]
fn clumps_of_acknowledgements_make_room_for_what_they_ran_ahead() {
    let mut bbr = knows(State::Cruise, 1000.0, 50);
    bbr.cwnd = 1000.0;
    let take = |law: &mut Bbr3, now: u64, segments: f64| {
        let sample = Sample { delivered: segments, ..acked(law, now, 1000.0) };
        law.update_ack_aggregation(&sample);
    };
    // A segment a millisecond is expected. 20 come at once at 20 ms, and 10 at 21: 29 are ahead.
    take(&mut bbr, 20, 20.0);
    take(&mut bbr, 21, 10.0);
    assert!(near(bbr.extra_acked(), 29.0), "{}", bbr.extra_acked());
    // Linux has room for a time of it.
    bbr.params.aggregation_time = Some(Duration::from_millis(10));
    assert!(near(bbr.extra_acked(), 10.0));
    bbr.params.aggregation_time = None;
    // Ten rounds later they are forgotten.
    for n in 1..=10 {
        assert!(near(bbr.extra_acked(), 29.0), "{n}");
        bbr.round_count += 1;
        take(&mut bbr, 1000 * (n + 1), 1.0);
    }
    assert!(near(bbr.extra_acked(), 1.0), "{}", bbr.extra_acked());
}

#[test]
fn a_second_loss_saves_nothing_that_the_first_one_has_cut() {
    let mut bbr = knows(State::Up, 1000.0, 100);
    (bbr.cwnd, bbr.inflight_longterm, bbr.is_bw_probe_sample) = (100.0, 100.0, true);
    // The third of a hundred ends the probe: 98.98 segments were safe.
    for n in 1..=4 {
        bbr.on_lost(&lost(&bbr, 50, n, n as f64, 100.0));
    }
    bbr.on_congestion_event(&Congestion { now: at(50), used: 100.0, cause: Cause::Loss });
    assert_eq!(bbr.state, State::Down);
    assert!(near(bbr.inflight_longterm, 99.0 - 0.02 / 0.98), "{}", bbr.inflight_longterm);
    assert!(bbr.prev_probe_too_high);
    bbr.handle_spurious_loss_detection();
    assert_eq!(bbr.state, State::Refill);
    assert!(near(bbr.inflight_longterm, 100.0));
}

#[test]
fn a_probe_is_answered_once_and_at_least_seven_tenths_stay() {
    let mut bbr = knows(State::Up, 1000.0, 100);
    (bbr.cwnd, bbr.is_bw_probe_sample) = (200.0, true);
    // A product of 100 segments, and only 20 were in flight with the lost one.
    bbr.on_lost(&lost(&bbr, 50, 1, 1.0, 20.0));
    assert!(near(bbr.inflight_longterm, 70.0));
    bbr.on_lost(&lost(&bbr, 50, 9, 9.0, 20.0));
    assert!(near(bbr.inflight_longterm, 70.0));
    assert_eq!(bbr.loss_ranges, 1, "DOWN has begun the count anew");
}

#[test]
fn a_timeout_leaves_one_segment_above_the_network_and_a_recovery_restores_the_window() {
    let mut bbr = knows(State::Cruise, 1000.0, 100);
    bbr.cwnd = 80.0;
    bbr.on_timeout(Some(&Congestion { now: at(1), used: 80.0, cause: Cause::Timeout }));
    assert!(bbr.keeps(5) && near(bbr.cwnd, 6.0));
    let sample = Sample { recovering: true, ..acked(&bbr, 2, 1000.0) };
    bbr.on_sample(&sample);
    assert!(near(bbr.cwnd, 7.0));
    bbr.on_sample(&Sample { recovering: false, ..sample });
    assert!(bbr.cwnd >= 80.0);
}

#[test]
fn an_idle_time_paces_at_the_bandwidth_and_needs_no_probe_rtt() {
    let mut bbr = knows(State::Down, 1000.0, 100);
    bbr.on_milestone(Milestone::Resumes { now: at(8000), silent: Duration::from_secs(6) });
    assert!(near(bbr.pacing_rate, 990.0) && bbr.idle_restart);
    let sample = acked(&bbr, 8100, 1000.0);
    bbr.on_sample(&sample);
    assert_ne!(bbr.state, State::ProbeRtt);
    assert!(!bbr.idle_restart);
}
