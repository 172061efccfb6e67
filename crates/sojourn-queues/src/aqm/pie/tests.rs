use super::rfc8034::State;
use super::settings::Scaling;
use super::*;
use crate::packet::Ecn;
use crate::rig::{PACKET, Rig, args, at, near};

/// Delays from the link's 10 Mbit/s: a packet of 1000 bytes takes 0.8 ms.
fn pie(preset: &str, settings: &[(&str, &str)]) -> Pie {
    args(&ENTRY, Some(preset), &[&[("delay_from", "link_rate")], settings].concat())
        .typed::<Params>()
        .policy(&LinkContext::default())
        .expect("valid")
}

/// This many updates with this backlog.
fn updates(pie: &mut Pie, times: usize, waiting: usize) {
    let mut rig = Rig::waiting(waiting);
    for _ in 0..times {
        let due = pie.next_deadline().expect("a clock");
        pie.on_deadline(due, &mut rig.view());
    }
}

/// The state of a cable modem's queue.
fn state(pie: &Pie) -> State {
    match &pie.standard {
        Standard::Rfc8034(cable) => cable.state,
        Standard::Rfc8033(_) => panic!("RFC 8033 has no states"),
    }
}

fn params(preset: &str) -> Params {
    args(&ENTRY, Some(preset), &[]).typed()
}

#[test]
fn the_step_is_that_of_section_4_2() {
    let params = params("rfc8033");

    // 0.125 (0.025 - 0.015) + 1.25 (0.025 - 0.020) = 0.0075; nothing is scaled from 0.1 on.
    assert!(near(params.calculate_drop_prob(0.3, 0.025, 0.020), 0.3075));
    // Towards the target from above: 0.00125 - 0.00625.
    assert!(near(params.calculate_drop_prob(0.3, 0.025, 0.030), 0.295));
}

#[test]
fn steps_are_smaller_at_small_probabilities() {
    let params = params("rfc8033");
    let bands = [(0.0, 2048.0), (5e-6, 512.0), (5e-5, 128.0), (5e-4, 32.0), (5e-3, 8.0), (0.05, 2.0), (0.1, 1.0)];

    for (p, divisor) in bands {
        assert!(near(params.calculate_drop_prob(p, 0.025, 0.020) - p, 0.0075 / divisor), "{p}");
    }
    // The bands begin at their lower ends.
    for (end, factor) in [(1e-6, 1.0 / 512.0), (1e-5, 1.0 / 128.0), (1e-4, 1.0 / 32.0), (1e-3, 0.125), (1e-2, 0.5)] {
        assert!(near(Scaling::Rfc8033.factor(end), factor), "{end}");
    }
    assert!(near(Scaling::Docsis.factor(0.1), 2.0) && near(Scaling::Docsis.factor(1.0), 8.0));
    assert!(near(Scaling::Docsis.factor(10.0), 32.0) && near(Scaling::Off.factor(0.0), 1.0));
}

#[test]
fn large_steps_are_capped_from_ten_percent_on() {
    let capped = params("rfc8033_enhanced");

    // 0.125 * 0.085 + 1.25 * 0.1 = 0.135625.
    assert!(near(capped.calculate_drop_prob(0.1, 0.1, 0.0), 0.12));
    assert!(near(capped.calculate_drop_prob(0.0999, 0.1, 0.0), 0.0999 + 0.135_625 / 2.0));
    assert!(near(params("rfc8033").calculate_drop_prob(0.1, 0.1, 0.0), 0.235_625));
}

#[test]
fn without_a_queue_the_probability_decays() {
    // (0.4 - 0.125 * 0.015) * 0.98.
    assert!(near(params("rfc8033").calculate_drop_prob(0.4, 0.0, 0.0), (0.4 - 0.001_875) * 0.98));
    assert!(near(params("rfc8033").calculate_drop_prob(0.4, 0.0, 0.001), 0.4 - 0.001_875 - 0.001_25));
}

#[test]
fn a_low_delay_lets_the_probability_decay() {
    // RFC 8034's LATENCY_LOW is 5 ms. Steps are 2 * 0.25 * (delay - 0.01) from a probability of 0.1 on.
    assert!(near(params("docsis").calculate_drop_prob(0.5, 0.004, 0.004), 0.98 * 0.497));
    assert!(near(params("docsis").calculate_drop_prob(0.5, 0.005, 0.005), 0.4975));
}

#[test]
fn docsis_adds_to_the_probability_at_a_high_delay() {
    // Capped to 0.02, and 0.02 more above 200 ms.
    assert!(near(params("docsis").calculate_drop_prob(0.5, 0.201, 0.201), 0.54));
    assert!(near(params("docsis").calculate_drop_prob(0.5, 0.2, 0.2), 0.52));
}

#[test]
fn the_probability_stays_in_its_bounds() {
    assert!(near(params("rfc8033").calculate_drop_prob(0.99, 1.0, 0.0), 1.0));
    assert!(near(params("rfc8033").calculate_drop_prob(0.001, 0.0, 1.0), 0.0));
    // Twice the 2 % that steps are capped to do not carry it beyond 0.85 * 1024 / 64.
    assert!(near(params("docsis").calculate_drop_prob(13.59, 10.0, 0.0), 13.6));
}

#[test]
fn bursts_pass_for_their_allowance() {
    // 150 ms are ten updates of 15 ms; the queue of 50 packets is a delay of 40 ms.
    let mut pie = pie("rfc8033", &[]);
    updates(&mut pie, 9, 50);
    pie.law.drop_prob = 1.0;
    assert_eq!(Rig::waiting(50).arrive_drawing(&mut pie, at(0.0), &PACKET, 0.0), Verdict::Pass);

    updates(&mut pie, 1, 50);
    assert_eq!(Rig::waiting(50).arrive_drawing(&mut pie, at(0.0), &PACKET, 0.0), Verdict::Drop(Reason::EARLY));
}

#[test]
fn a_calm_renews_the_burst_allowance() {
    let mut pie = pie("rfc8033", &[]);
    updates(&mut pie, 10, 50);
    assert_eq!(pie.law.burst_allowance, Duration::ZERO);

    pie.law.drop_prob = 0.0;
    // 9 packets are 7.2 ms, below half of the target; the delay before was not.
    updates(&mut pie, 1, 9);
    assert_eq!(pie.law.burst_allowance, Duration::ZERO);
    updates(&mut pie, 1, 9);
    assert_eq!(pie.law.burst_allowance, Duration::from_millis(150));
}

#[test]
fn cable_modems_rest_after_more_than_a_second_without_congestion() {
    let mut pie = pie("docsis", &[("limit", "100p")]);
    Rig::waiting(34).arrive_drawing(&mut pie, at(0.0), &PACKET, 0.0);
    assert_eq!(state(&pie), State::Quiescent);
    updates(&mut pie, 1, 50);
    pie.law.drop_prob = 0.0;
    updates(&mut pie, 1, 0);

    // 62 updates of 16 ms are 0.992 s, 63 are 1.008 s; the first has a delay before it.
    pie.law.drop_prob = 0.0;
    updates(&mut pie, 62, 0);
    assert_eq!(state(&pie), State::Quiescent);
    updates(&mut pie, 1, 0);
    assert_eq!(state(&pie), State::Inactive);
}

#[test]
fn cable_modems_let_bursts_pass_after_the_first_drop_and_not_before() {
    let mut pie = pie("docsis", &[("limit", "100p")]);
    let arrive = |policy: &mut Pie| Rig::waiting(50).arrive_drawing(policy, at(0.0), &PACKET, 0.0);
    (pie.law.drop_prob, pie.law.qdelay_old, pie.law.accu_prob) = (1.0, 0.04, 1.0);

    // 142 ms are nine updates of 16 ms, and the probability stays 0 for as long.
    assert_eq!((arrive(&mut pie), state(&pie)), (Verdict::Drop(Reason::EARLY), State::Active));
    pie.law.drop_prob = 1.0;
    updates(&mut pie, 8, 50);
    assert!(pie.law.drop_prob <= 0.0 && pie.law.burst_allowance > Duration::ZERO);
    updates(&mut pie, 1, 50);
    assert!(pie.law.drop_prob <= 0.0 && pie.law.burst_allowance == Duration::ZERO);
    updates(&mut pie, 1, 50);
    assert!(pie.law.drop_prob > 0.0);

    // The next drop begins no burst before an update without congestion; the one after it does.
    (pie.law.drop_prob, pie.law.accu_prob) = (1.0, 1.0);
    assert_eq!((arrive(&mut pie), pie.law.burst_allowance), (Verdict::Drop(Reason::EARLY), Duration::ZERO));
    (pie.law.drop_prob, pie.law.qdelay_old) = (0.0, 0.0);
    updates(&mut pie, 1, 0);
    assert_eq!(state(&pie), State::Quiescent);
    (pie.law.drop_prob, pie.law.qdelay_old, pie.law.accu_prob) = (1.0, 0.04, 1.0);
    assert_eq!((arrive(&mut pie), pie.law.burst_allowance), (Verdict::Drop(Reason::EARLY), Duration::from_millis(142)));
}

#[test]
fn a_cable_modems_probability_moves_while_too_little_waits_to_drop() {
    let mut pie = pie("docsis", &[("limit", "1000p")]);
    Rig::waiting(50).arrive_drawing(&mut pie, at(0.0), &PACKET, 0.0);
    updates(&mut pie, 10, 50);

    assert_eq!(state(&pie), State::Inactive);
    assert!(pie.law.drop_prob > 0.0);
}

#[test]
fn what_cable_modems_spare_counts_in_the_sum() {
    for (preset, sum) in [("docsis", 0.1), ("rfc8033", 0.0)] {
        let mut pie = ready(preset, &[("derandomize", "true")], 0.1);
        pie.law.qdelay_old = 0.0;
        assert_eq!(Rig::waiting(50).arrive_drawing(&mut pie, at(0.0), &PACKET, 0.0), Verdict::Pass);
        assert!(near(pie.law.accu_prob, sum), "{preset}");
    }
}

#[test]
fn a_cable_modem_without_a_probability_has_no_sum_even_while_little_waits() {
    let mut pie = pie("docsis", &[("limit", "1000p")]);
    pie.law.accu_prob = 0.8;
    Rig::waiting(50).arrive_drawing(&mut pie, at(0.0), &PACKET, 0.0);

    assert_eq!(state(&pie), State::Inactive);
    assert!(near(pie.law.accu_prob, 0.0));
}

#[test]
fn a_full_buffer_starts_the_sum_anew() {
    let mut pie = ready("rfc8033", &[("derandomize", "true")], 0.1);
    pie.law.accu_prob = 0.8;
    pie.on_drop(at(0.0), &PACKET, Dropped::OVERFLOW, &mut Rig::waiting(50).view());

    assert!(near(pie.law.accu_prob, 0.0));
}

#[test]
fn it_wakes_at_a_third_of_the_limit() {
    let mut pie = pie("rfc8033_enhanced", &[("limit", "90p")]);
    Rig::waiting(29).arrive_drawing(&mut pie, at(0.0), &PACKET, 0.0);
    assert!(matches!(pie.standard, Standard::Rfc8033(Rfc8033 { active: false, .. })));
    Rig::waiting(30).arrive_drawing(&mut pie, at(0.0), &PACKET, 0.0);
    assert!(matches!(pie.standard, Standard::Rfc8033(Rfc8033 { active: true, .. })));
}

/// Past its bursts, with a probability and a delay of 40 ms before.
fn ready(preset: &str, settings: &[(&str, &str)], p: f64) -> Pie {
    let mut pie = pie(preset, &[&[("active_from", "0")], settings].concat());
    pie.law = Law { drop_prob: p, qdelay_old: 0.04, ..Law::new(Duration::ZERO) };
    if let Standard::Rfc8034(cable) = &mut pie.standard {
        cable.state = State::Active;
    }
    pie
}

#[test]
fn a_packet_is_dropped_at_the_probability() {
    let mut pie = ready("rfc8033", &[], 0.3);

    assert_eq!(Rig::waiting(50).arrive_drawing(&mut pie, at(0.0), &PACKET, 0.2999), Verdict::Drop(Reason::EARLY));
    assert_eq!(Rig::waiting(50).arrive_drawing(&mut pie, at(0.0), &PACKET, 0.3), Verdict::Pass);
}

#[test]
fn two_mean_packets_are_never_dropped() {
    let mut pie = ready("rfc8033", &[], 1.0);

    assert_eq!(Rig::waiting(2).arrive_drawing(&mut pie, at(0.0), &PACKET, 0.0), Verdict::Pass);
    assert_eq!(Rig::waiting(3).arrive_drawing(&mut pie, at(0.0), &PACKET, 0.0), Verdict::Drop(Reason::EARLY));
}

#[test]
fn a_short_delay_at_a_small_probability_is_spared() {
    for (old, p, verdict) in [
        (0.0074, 0.19, Verdict::Pass),
        (0.0075, 0.19, Verdict::Drop(Reason::EARLY)),
        (0.0074, 0.2, Verdict::Drop(Reason::EARLY)),
    ] {
        let mut pie = ready("rfc8033", &[], p);
        pie.law.qdelay_old = old;
        assert_eq!(Rig::waiting(50).arrive_drawing(&mut pie, at(0.0), &PACKET, 0.0), verdict, "{old} {p}");
    }
}

#[test]
fn spaced_drops_neither_cluster_nor_stay_away() {
    let mut pie = ready("rfc8033", &[("derandomize", "true")], 0.1);
    let mut arrive = |u: f64| Rig::waiting(50).arrive_drawing(&mut pie, at(0.0), &PACKET, u);

    // Eight arrivals sum up to 0.8; from the ninth on a number decides; the 85th is dropped whatever is drawn.
    for _ in 1..=8 {
        assert_eq!(arrive(0.0), Verdict::Pass);
    }
    assert_eq!(arrive(0.0), Verdict::Drop(Reason::EARLY));
    for number in 1..=86 {
        // 85 times 0.1 is 8.5 but for rounding.
        if arrive(0.999) == Verdict::Drop(Reason::EARLY) {
            assert!(number >= 85, "{number}");
            return;
        }
    }
    panic!("no drop at a sum of 8.5");
}

#[test]
fn by_size_small_packets_are_dropped_less_and_none_above_85_percent() {
    let mut pie = ready("docsis", &[("derandomize", "false")], 0.6);
    let small = Packet { size: 100, ..PACKET };
    let mut arrive = |packet: &Packet, u: f64| Rig::waiting(50).arrive_drawing(&mut pie, at(0.0), packet, u);

    assert_eq!(arrive(&small, 0.0599), Verdict::Drop(Reason::EARLY));
    assert_eq!(arrive(&small, 0.0601), Verdict::Pass);
    pie.law.drop_prob = 5.0;
    for (u, verdict) in [(0.851, Verdict::Pass), (0.849, Verdict::Drop(Reason::EARLY))] {
        assert_eq!(Rig::waiting(50).arrive_drawing(&mut pie, at(0.0), &PACKET, u), verdict, "{u}");
    }
}

#[test]
fn marks_are_made_below_ten_percent() {
    let capable = PACKET.with_ecn(Ecn::Ect0);
    for (p, verdict) in [(0.09, Verdict::Mark(Reason::EARLY)), (0.1, Verdict::Drop(Reason::EARLY))] {
        let mut pie = ready("rfc8033", &[("ecn", "true")], p);
        assert_eq!(Rig::waiting(50).arrive_drawing(&mut pie, at(0.0), &capable, 0.0), verdict, "{p}");
        assert_eq!(Rig::waiting(50).arrive_drawing(&mut pie, at(0.0), &PACKET, 0.0), Verdict::Drop(Reason::EARLY));
    }
}

#[test]
fn only_delays_from_the_links_rate_need_no_departures() {
    assert!(pie("rfc8033", &[]).decides_on_arrival());
    assert!(!pie("rfc8033", &[("delay_from", "timestamps")]).decides_on_arrival());
}
