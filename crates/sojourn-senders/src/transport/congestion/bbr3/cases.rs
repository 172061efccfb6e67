//! The test cases of the draft's appendix, by their numbers (A.1 to A.22). Each runs a connection over a bottleneck of its own. Packets
//! have 1000 bytes.

#![expect(clippy::shadow_unrelated, reason = "a course is seen in parts, one after the other")]

use super::State;
use super::course::{Course, Seen, at, endless, states, writes};
use crate::rig::near;
use crate::rng::Rng;
use crate::transport::Endpoint;
use crate::units::Duration;

/// Most that a measured rate may differ from the link's (case A.1, step 3).
const NEAR: f64 = 0.02;

fn last(seen: &[Seen]) -> &Seen {
    seen.last().expect("an acknowledgement")
}

/// The last but one acknowledgement.
fn before(seen: &[Seen]) -> &Seen {
    &seen[seen.len() - 2]
}

/// A path of 10 Mbit/s and 40 ms with a buffer of eight products, which are 50 segments.
fn deep() -> Course {
    Course::new(10.0, 40, 8.0, endless())
}

/// Loses each n-th packet from now on.
fn lose_each(course: &Course, n: usize) {
    course.link.borrow_mut().loses = Box::new(move |number| number % n == 0);
}

#[test]
fn case_01_startup_ends_on_a_plateau() {
    // The draft's range is 64 kbit/s to 10 Gbit/s and 1 ms to 1 s.
    for (mbit, rtt) in [(10.0, 40), (100.0, 20), (1.0, 100), (1000.0, 1), (25.0, 200)] {
        let mut course = Course::new(mbit, rtt, 8.0, endless());
        let rate = course.rate();
        let seen = course.to(State::Drain, 20.0);
        let law = &last(&seen).law;
        assert!((law.max_bw() / rate - 1.0).abs() < NEAR, "{mbit}: {} of {rate}", law.max_bw());
        assert!(law.full_bw_now && law.full_bw_reached && law.full_bw_count == 3);
        assert!(before(&seen).law.full_bw_count == 2 && before(&seen).law.state == State::Startup);
        assert!(seen.iter().all(|seen| !seen.sample.app_limited));
        let rounds = law.round_count as f64;
        // O(log2(BDP)) round trips (section 5.3.1.1).
        let doublings = libm::log2((course.product() / 10.0).max(1.0)).ceil();
        assert!(rounds <= 2.0 * doublings + 5.0, "{mbit}: {rounds} rounds");
    }
}

#[test]
fn startup_takes_few_rounds_and_two_products_and_up_a_quarter_more() {
    // A path of 10 Mbit/s and 40 ms. The first acknowledgement begins a round, three double the window of ten, one finds the rate, and
    // three do not raise it.
    let mut course = deep();
    let seen = course.to(State::Drain, 2.0);
    assert_eq!(last(&seen).law.round_count, 1 + 3 + 1 + 3);
    // The window is two products, with what acknowledgements ran ahead and three quanta.
    let most = |of: fn(&Seen) -> f64| seen.iter().map(of).fold(0.0, f64::max);
    let room = most(|Seen { law, .. }| 2.0 * law.bdp() + law.extra_acked() + 3.0 * law.send_quantum());
    assert!(most(|seen| seen.sample.inflight) <= room);
    // After Drain nothing waits: a product is in flight.
    let seen = course.to(State::Cruise, 2.0);
    assert!(last(&seen).sample.inflight <= last(&seen).law.inflight_at(last(&seen).law.bw));
}

#[test]
fn random_losses_below_two_per_cent_leave_the_rate_and_more_do_not() {
    // In CRUISE it measures 0.99 of the rate that it paces by, and each lossy round lowers the rate to that. A cycle has as many rounds as
    // the product has segments, 50; if each were lossy the mean would be (1 - 0.99^50) / (50 * 0.01) = 0.79. ProbeRTT leaves 0.98, and
    // pacing 0.99. More than 2 % cut the bound of the data in flight
    // in every probe.
    let goodput = |one_in: u64| {
        let mut course = deep();
        let mut rng = Rng::named(7, "losses");
        let lost: Vec<bool> = (0..100_000).map(|_| rng.below(one_in) == 0).collect();
        course.link.borrow_mut().loses = Box::new(move |n| lost[n]);
        course.run(5.0);
        course.goodput(20.0) / course.rate()
    };
    let floor = (1.0 - libm::pow(0.99, 50.0)) / (50.0 * 0.01) * 0.98 * 0.99;
    for (one_in, holds) in [(200, true), (100, true), (20, false), (10, false)] {
        let part = goodput(one_in);
        assert_eq!(part > floor * (1.0 - 1.0 / one_in as f64), holds, "one in {one_in}: {part}");
    }
}

#[test]
fn case_02_startup_ends_on_loss_when_the_application_is_the_limit() {
    // 20 of 100 Mbit/s: 100 segments in a round trip. From 1 s on each tenth is lost: ten ranges of a round.
    let mut course = Course::new(100.0, 40, 8.0, writes(20.0, 0, 4000));
    let calm = course.until(1.0, |_| false);
    assert_eq!(last(&calm).law.state, State::Startup);
    assert!(last(&calm).sample.app_limited);
    lose_each(&course, 10);
    // So little is in flight that the same acknowledgement ends Drain.
    let seen = course.until(2.0, |seen| seen.law.state != State::Startup);
    let (law, sample) = (&last(&seen).law, &last(&seen).sample);
    assert!(law.state.is_probe_bw() && law.drain_start_round == law.round_count, "{}", states(&seen));
    assert!(law.full_bw_now && law.full_bw_reached && law.full_bw_count < 3);
    assert!(sample.app_limited && law.is_inflight_too_high(sample.lost_since, sample.flight_then));
    assert!(law.inflight_longterm >= law.bdp());
}

#[test]
fn case_03_drain_ends_by_the_data_in_flight() {
    let mut course = deep();
    course.to(State::Drain, 2.0);
    let seen = course.until(2.0, |seen| seen.law.state != State::Drain);
    for Seen { law, sample } in &seen[..seen.len() - 1] {
        assert!(near(law.pacing_gain(), 0.5) && sample.inflight > law.inflight_at(law.bw));
        assert!(near(law.pacing_rate, 0.5 * 0.99 * law.bw));
    }
    let Seen { law, sample } = last(&seen);
    assert!(law.state.is_probe_bw(), "{}", states(&seen));
    assert!(sample.inflight <= law.inflight_at(law.bw));
    assert!(law.round_count <= law.drain_start_round + 3);
}

#[test]
fn case_04_drain_ends_by_time() {
    // A link that is a tenth slower is drained in time by half of the rate. Step 3 asks for data that stays: the link is four times slower.
    let mut course = deep();
    course.to(State::Drain, 2.0);
    course.link.borrow_mut().mbit /= 4.0;
    let seen = course.until(5.0, |seen| seen.law.state != State::Drain);
    let Seen { law, sample } = last(&seen);
    assert_eq!(law.state, State::Down, "{}", states(&seen));
    assert_eq!(law.round_count, law.drain_start_round + 4, "the first round after three");
    assert!(sample.inflight > law.inflight_at(law.bw));
}

#[test]
fn case_05_up_ends_on_a_plateau() {
    let mut course = deep();
    course.to(State::Up, 5.0);
    let seen = course.until(2.0, |seen| seen.law.state != State::Up);
    let law = &last(&seen).law;
    assert_eq!(law.state, State::Down, "{}", states(&seen));
    assert!(law.full_bw_now && law.full_bw_count == 3);
    assert_eq!(course.link.borrow().lost, 0);
    // It has raised the data in flight to 1.25 products at least (section 5.3.3.5).
    let peak = seen.iter().map(|seen| seen.sample.inflight).fold(0.0, f64::max);
    assert!(peak >= 1.25 * 50.0, "{peak}");
}

/// A connection that is in ProbeBW_UP while its application is the limit: 5 of 10 Mbit/s from 3 s on.
fn up_with_little_data() -> Course {
    // The backlog of the first seconds: 9.6 Mbit/s of payload at most.
    let plan = [vec![(at(0), 2_400_000)], writes(4.0, 2600, 60_000)].concat();
    let mut course = Course::new(10.0, 40, 8.0, plan);
    course.until(2.6, |_| false);
    let seen = course.until(10.0, |seen| seen.law.state == State::Up && seen.sample.app_limited);
    assert_eq!(last(&seen).law.state, State::Up, "{}", states(&seen));
    course
}

#[test]
fn case_06_up_ends_on_loss_when_the_application_is_the_limit() {
    let mut course = up_with_little_data();
    lose_each(&course, 10);
    let seen = course.until(2.0, |seen| seen.law.state != State::Up);
    let law = &last(&seen).law;
    // So little is in flight that the same acknowledgement ends DOWN.
    assert!(law.state == State::Cruise && law.cycle_stamp == last(&seen).sample.now, "{}", states(&seen));
    assert!(!law.full_bw_now && law.prev_probe_too_high);
    // The pseudo-code of section 5.5.10.2: a segment that the application limited does not tell how much is too much.
    assert!(law.inflight_longterm.is_infinite());
}

#[test]
fn case_07_without_loss_neither_startup_nor_up_ends_while_the_application_is_the_limit() {
    let mut course = Course::new(100.0, 40, 8.0, writes(5.0, 0, 20_000));
    let seen = course.run(19.0);
    assert!(seen.iter().all(|seen| matches!(seen.law.state, State::Startup | State::ProbeRtt)), "{}", states(&seen));
    // It leaves for ProbeRTT alone, which no application ends.
    let mut up = up_with_little_data();
    let stays = up.until(10.0, |seen| !matches!(seen.law.state, State::Up));
    assert_eq!(last(&stays).law.state, State::ProbeRtt, "{}", states(&stays));
}

#[test]
fn case_08_down_ends_by_the_data_in_flight() {
    let mut course = deep();
    course.to(State::Up, 5.0);
    course.to(State::Down, 2.0);
    let seen = course.until(2.0, |seen| seen.law.state != State::Down);
    for Seen { law, sample } in &seen[..seen.len() - 1] {
        assert!(near(law.pacing_gain(), 0.9));
        assert!(sample.inflight > law.inflight_with_headroom().min(law.inflight_at(law.max_bw())));
    }
    let Seen { law, sample } = last(&seen);
    assert_eq!(law.state, State::Cruise, "{}", states(&seen));
    assert!(sample.inflight <= law.inflight_with_headroom() && sample.inflight <= law.inflight_at(law.max_bw()));
}

#[test]
fn case_09_down_ends_after_its_time() {
    // At 0.9 * 0.99 of a rate the link is as fast as the sender when it is a tenth slower: the queue stays.
    // ProbeRTT would be first.
    let rare = [("control.probe_rtt_interval", "100s")];
    let mut course = Course::with(10.0, Duration::from_millis(40), 8.0, endless(), &rare);
    course.to(State::Up, 5.0);
    course.to(State::Down, 2.0);
    course.link.borrow_mut().mbit *= 0.9;
    let seen = course.until(4.0, |seen| seen.law.state != State::Down);
    let law = &last(&seen).law;
    assert_eq!(law.state, State::Refill, "{}", states(&seen));
    let ends = &before(&seen).law;
    let by_time = last(&seen).sample.now > ends.cycle_stamp + ends.bw_probe_wait;
    assert!(by_time || law.rounds_since_probe_up as f64 >= ends.target_inflight().min(63.0));
}

#[test]
fn case_10_probe_rtt_begins_after_5_s_and_lasts_200_ms_and_a_round() {
    let mut course = deep();
    let seen = course.to(State::ProbeRtt, 8.0);
    let (ends, Seen { law, sample }) = (&before(&seen).law, last(&seen));
    assert!(ends.state.is_probe_bw() && near(law.cwnd_gain(), 0.5));
    // No shorter round trip came since.
    let waited = sample.now.since(ends.probe_rtt_min_stamp).as_secs_f64();
    assert!((5.0..5.1).contains(&waited), "{waited}");
    let seen = course.until(2.0, |seen| seen.law.state != State::ProbeRtt);
    let low = seen.iter().find(|seen| seen.law.probe_rtt_done_stamp.is_some()).expect("half a product");
    assert!(low.sample.inflight <= low.law.probe_rtt_cwnd());
    let lasts = last(&seen).sample.now.since(low.sample.now).as_secs_f64();
    // A round trip is 40 ms: the first acknowledgement after 200 ms, which come each few milliseconds at half of the rate.
    assert!((0.2..0.22).contains(&lasts), "{lasts}");
    assert!(last(&seen).law.state == State::Cruise && last(&seen).law.cwnd >= 50.0, "{}", states(&seen));
    let goodput = course.goodput(2.0);
    assert!(goodput > 0.9 * course.rate(), "{goodput}");
}

#[test]
fn case_11_an_idle_time_takes_the_place_of_probe_rtt() {
    // 3 MB take 2.6 s; silence until 9 s.
    let plan = vec![(at(0), 3_000_000), (at(9000), 3_000_000)];
    let mut course = Course::new(10.0, 40, 8.0, plan);
    let seen = course.until(8.9, |_| false);
    assert!(last(&seen).law.state.is_probe_bw(), "{}", states(&seen));
    assert!(last(&seen).sample.now < at(3000));
    let seen = course.run(2.0);
    assert!(seen.iter().all(|seen| seen.law.state != State::ProbeRtt), "{}", states(&seen));
    assert!(seen[0].law.probe_rtt_expired, "more than five seconds have passed");
}

#[test]
fn case_12_startup_finds_the_bandwidth_behind_aggregation() {
    // Acknowledgements come each 30 ms of a round trip of 40.
    let mut course = deep();
    course.link.borrow_mut().groups = Some(Duration::from_millis(30));
    let seen = course.to(State::Drain, 5.0);
    let law = &last(&seen).law;
    // A packet that leaves within a group counts the rest of the group as delivered after it: a sample of m groups may have m + 1. One
    // takes at least the shortest round trip, two groups.
    let part = law.max_bw() / course.rate();
    assert!((1.0 - NEAR..1.5 + NEAR).contains(&part), "{part}");
    let most = seen.iter().map(|seen| seen.law.cwnd / (seen.law.bdp() * 2.0)).fold(0.0, f64::max);
    assert!(law.extra_acked() > 0.0 && most > 1.0, "{most}");
}

#[test]
fn case_13_cruise_keeps_the_bandwidth_behind_aggregation() {
    let mut course = deep();
    course.to(State::Cruise, 5.0);
    course.link.borrow_mut().groups = Some(Duration::from_millis(30));
    let seen = course.run(1.0);
    // 30 ms of the link are 37.5 segments, which the bandwidth expects over the same time: those of a group are ahead by what came at once.
    let law = &last(&seen).law;
    assert!(law.extra_acked() >= 30.0, "{}", law.extra_acked());
    assert!(law.cwnd > 2.0 * law.bdp(), "{} {}", law.cwnd, law.bdp());
    let goodput = course.goodput(2.0);
    assert!(goodput > 0.95 * course.rate(), "{goodput}");
}

#[test]
fn case_14_four_segments_are_in_flight_below_a_packet_of_product() {
    // 64 kbit/s over 1 ms are 8 bytes.
    let mut course = Course::new(0.064, 1, 1.0, endless());
    let seen = course.until(60.0, |seen| seen.law.state.is_probe_bw());
    assert!(last(&seen).law.state.is_probe_bw(), "{}", states(&seen));
    let seen = course.run(20.0);
    assert!(seen.iter().all(|seen| seen.law.cwnd >= 4.0));
    // Four packets take 500 ms. The receiver delays an acknowledgement by 40 ms at most, and the next one may come at once.
    let part = last(&seen).law.max_bw() / course.rate();
    assert!((1.0 - NEAR..500.0 / 460.0).contains(&part), "{part}");
    let goodput = course.goodput(20.0);
    assert!(goodput > 0.9 * course.rate(), "{goodput} of {}", course.rate());
}

#[test]
fn case_15_ten_times_the_bandwidth_is_found() {
    let mut course = deep();
    course.to(State::Cruise, 5.0);
    course.link.borrow_mut().mbit = 100.0;
    course.to(State::Up, 5.0);
    let begins = course.pair.now;
    let rate = course.rate();
    let seen = course.until(10.0, |seen| seen.law.max_bw() >= (1.0 - NEAR) * rate);
    assert!(last(&seen).law.max_bw() >= (1.0 - NEAR) * rate, "{} of {rate}", last(&seen).law.max_bw());
    // A sample is the mean of a round trip that ended one before: what is measured was sent one and a half round trips ago, and each of
    // these raises the rate by 1.25 * 0.99. Two more are those of REFILL and of the first sample.
    let rounds = last(&seen).sample.now.since(begins).as_secs_f64() / 0.04;
    let steps = libm::log(10.0 * (1.0 - NEAR)) / libm::log(1.25 * 0.99);
    assert!(rounds < 1.5 * steps + 2.0, "{rounds}: {}", states(&seen));
}

#[test]
fn case_16_a_tenth_of_the_bandwidth_is_found() {
    let mut course = Course::new(100.0, 40, 1.0, endless());
    course.to(State::Cruise, 5.0);
    {
        let mut link = course.link.borrow_mut();
        link.mbit = 10.0;
        link.limit = 50_000.0;
    }
    let rate = course.rate();
    let begins = course.pair.now;
    let seen = course.until(5.0, |seen| seen.law.bw_shortterm < seen.law.max_bw());
    let soon = last(&seen).sample.now.since(begins).as_secs_f64();
    assert!(soon < 1.0, "{soon}: {}", states(&seen));
    let seen = course.until(30.0, |seen| seen.law.max_bw() <= (1.0 + NEAR) * rate);
    let cycles = seen.windows(2).filter(|pair| pair[0].law.state != State::Down && pair[1].law.state == State::Down);
    assert!(last(&seen).law.max_bw() <= (1.0 + NEAR) * rate, "{}", states(&seen));
    assert!(cycles.count() <= 3, "{}", states(&seen));
    let goodput = course.goodput(5.0);
    assert!(goodput > 0.8 * rate, "{goodput} of {rate}");
}

#[test]
fn case_17_a_policer_is_met_without_lasting_losses() {
    // 10 Mbit/s with a bucket of half a product.
    let mut course = Course::new(10.0, 40, 8.0, endless());
    course.link.borrow_mut().bucket = Some((25_000.0, 25_000.0, at(0)));
    let seen = course.until(10.0, |seen| seen.law.bw_shortterm.is_finite() && seen.law.inflight_shortterm.is_finite());
    assert!(last(&seen).law.bw_shortterm.is_finite(), "{}", states(&seen));
    course.run(5.0);
    let (lost, sent) = (course.link.borrow().lost, course.pair.data.len());
    let goodput = course.goodput(20.0);
    let losses = (course.link.borrow().lost - lost) as f64 / (course.pair.data.len() - sent) as f64;
    assert!(goodput > 0.8 * course.rate(), "{goodput}");
    assert!(losses < 0.05, "{losses}");
}

/// `packets` packets that leave in ProbeBW_UP are late by `millis`.
fn late_in_up(packets: usize, millis: u64) -> (Course, Seen) {
    let mut course = deep();
    let up = last(&course.to(State::Up, 5.0)).clone();
    let late = course.pair.data.len() + 10..course.pair.data.len() + 10 + packets;
    course.link.borrow_mut().late =
        Box::new(move |n| Duration::from_millis(if late.contains(&n) { millis } else { 0 }));
    (course, up)
}

#[test]
fn case_18_a_spurious_recovery_is_taken_back() {
    // Three packets are late by less than their repairs are. They are 5 % of what is in flight.
    let (mut course, up) = late_in_up(3, 25);
    let seen = course.to(State::Down, 1.0);
    let down = &last(&seen).law;
    assert_eq!(down.undo.state, Some(State::Up));
    assert!(down.inflight_longterm.is_finite() && down.prev_probe_too_high);
    assert!(down.undo.inflight_longterm.is_infinite() && down.undo.bw_shortterm.is_infinite());
    // Back to the probe by way of a round of REFILL (section 5.5.11.2), long before the next one.
    let seen = course.until(0.5, |seen| seen.law.state == State::Refill);
    let law = &last(&seen).law;
    assert_eq!(law.state, State::Refill, "{}", states(&seen));
    assert!(law.inflight_longterm.is_infinite() && law.bw_shortterm.is_infinite());
    assert!(law.cwnd >= up.law.cwnd.min(law.bdp() * 2.0), "{} {}", law.cwnd, up.law.cwnd);
    let seen = course.until(1.0, |seen| seen.law.state != State::Refill);
    assert_eq!(last(&seen).law.state, State::Up, "{}", states(&seen));
}

#[test]
fn case_19_a_spurious_timeout_is_taken_back() {
    // All packets are late by 600 ms from now on. The timeout comes first.
    let (mut course, up) = late_in_up(1_000_000, 600);
    course.run(0.5);
    let counters = course.pair.sender.counters();
    assert_eq!((counters.timeouts, counters.fast_recoveries), (1, 0));
    // The first late packet proves that the timeout was none.
    let seen = course.until(1.0, |_| true);
    let law = &last(&seen).law;
    assert!(
        law.undo.saved.is_some() && law.undo.inflight_longterm.is_infinite() && law.undo.bw_shortterm.is_infinite()
    );
    assert!(
        law.inflight_longterm.is_infinite() && law.bw_shortterm.is_infinite() && law.inflight_shortterm.is_infinite()
    );
    assert!(!law.recovering && law.cwnd >= up.law.cwnd.min(2.0 * law.bdp()), "{} {}", law.cwnd, up.law.cwnd);
    assert_eq!(law.state, State::Refill);
    let seen = course.until(2.0, |seen| seen.law.state != State::Refill);
    assert_eq!(last(&seen).law.state, State::Up, "{}", states(&seen));
}

#[test]
fn case_20_probe_rtt_in_startup_goes_back_to_startup() {
    // The application is the limit: Startup goes on for more than five seconds.
    let mut course = Course::new(100.0, 40, 8.0, writes(5.0, 0, 20_000));
    let seen = course.to(State::ProbeRtt, 8.0);
    assert!(!last(&seen).law.full_bw_reached);
    let seen = course.until(2.0, |seen| seen.law.state != State::ProbeRtt);
    assert_eq!(last(&seen).law.state, State::Startup, "{}", states(&seen));
}

#[test]
fn case_21_a_loss_in_up_cuts_a_bound_that_is_set() {
    // A buffer of a quarter: the first probe goes too high. Then nothing is lost for a while, and the bound is set.
    let mut course = Course::new(10.0, 40, 0.25, endless());
    let set = course.until(20.0, |seen| seen.law.inflight_longterm.is_finite() && seen.law.state == State::Cruise);
    assert!(last(&set).law.inflight_longterm.is_finite(), "{}", states(&set));
    course.link.borrow_mut().limit = 400_000.0;
    let up = course.until(20.0, |seen| seen.law.state == State::Up && !seen.law.prev_probe_too_high);
    let bound = last(&up).law.inflight_longterm;
    assert!(last(&up).law.state == State::Up && bound.is_finite(), "{}", states(&up));
    lose_each(&course, 5);
    let seen = course.until(2.0, |seen| seen.law.state != State::Up);
    let (ends, law) = (&before(&seen).law, &last(&seen).law);
    assert_eq!(law.state, State::Down, "{}", states(&seen));
    assert!(law.prev_probe_too_high && !law.full_bw_now);
    // To what was in flight when losses crossed 2 %, but by no more than CUBIC's cut.
    assert!(law.inflight_longterm <= ends.inflight_longterm);
    assert!(
        law.inflight_longterm >= 0.7 * ends.target_inflight(),
        "{} {}",
        law.inflight_longterm,
        ends.target_inflight()
    );
}

#[test]
fn case_22_a_lack_of_data_in_refill_leaves_the_bandwidth() {
    let plan = [vec![(at(0), 1 << 20)], writes(9.6, 900, 20_000)].concat();
    let mut course = Course::new(10.0, 40, 8.0, plan);
    let seen = course.to(State::Refill, 10.0);
    let known = last(&seen).law.max_bw();
    assert!((known / course.rate() - 1.0).abs() < NEAR);
    let seen = course.to(State::Up, 1.0);
    for Seen { law, sample } in &seen {
        let limited = sample.app_limited && sample.rate.unwrap_or(0.0) < known;
        assert!(!limited || near(law.max_bw(), known), "{} {known}", law.max_bw());
    }
}
