use super::*;
use crate::aqm::hbf::testing::{BIG, SMALL, policy};
use crate::rig::{Rig, args, at, near};

fn black(settings: &[(&str, &str)]) -> Black {
    policy::<Params>(&ENTRY, settings)
}

/// Ten packets of one flow wait: every sample is of it.
fn queue_of(flow: FlowId) -> Rig {
    Rig::holding((0..10).map(|seq| Packet::datagram(flow, seq, 1000)))
}

fn arrive(black: &mut Black, rig: &mut Rig, flow: FlowId) -> Verdict {
    rig.arrive_drawing(black, at(0.0), &Packet::datagram(flow, 99, 1000), 0.5)
}

/// Arrivals of another flow that find `flow` in the queue.
fn sample(black: &mut Black, flow: FlowId, times: usize) {
    for _ in 0..times {
        arrive(black, &mut queue_of(flow), FlowId(99));
    }
}

fn cached(black: &Black) -> Vec<(u32, u64)> {
    black.hbf.cache.entries().iter().map(|entry| (entry.flow.0, entry.hits)).collect()
}

#[test]
fn the_drop_probability_rises_from_the_fair_part_to_twice_that() {
    // [Cha04] figure 57.
    for (part, p) in [(0.2, 0.0), (0.25, 0.0), (0.3125, 0.25), (0.375, 0.5), (0.5, 1.0), (0.9, 1.0)] {
        assert!((drop_probability(part, 0.25) - p).abs() < 1e-12, "{part}");
    }
}

#[test]
fn matches_are_over_all_that_were_sampled() {
    let mut black = black(&[("active_flows", "match"), ("sample", "4")]);
    // One match among four.
    arrive(&mut black, &mut queue_of(BIG), BIG);
    sample(&mut black, BIG, 3);
    assert!((black.probe(2) - 4.0).abs() < 1e-12, "{}", black.probe(2));

    // BIG holds all of the queue and leaves without being compared; one of the other three matches.
    black.hbf.cache.find(BIG).expect("cached").past = 1.0;
    assert_eq!(arrive(&mut black, &mut queue_of(BIG), BIG), Verdict::Drop(Reason::UNFAIR));
    assert_eq!(arrive(&mut black, &mut queue_of(SMALL), SMALL), Verdict::Pass);
    sample(&mut black, BIG, 2);
    assert!((black.probe(2) - 4.0).abs() < 1e-12, "four were sampled, three compared: {}", black.probe(2));
}

#[test]
fn a_queue_in_which_one_packet_waits_is_long_unless_a_threshold_is_set() {
    for (threshold, counted) in [("0p", 1), ("1p", 0)] {
        let mut black = black(&[("threshold", threshold)]);
        arrive(&mut black, &mut Rig::waiting(0), BIG);
        arrive(&mut black, &mut Rig::waiting(1), BIG);
        assert_eq!(black.hbf.cache.period.collected, counted, "{threshold}");
    }
    let params: Params = args(&ENTRY, None, &[]).typed();
    assert_eq!(params.hbf.threshold, Some(crate::units::Size::Packets(0.0)));
}

#[test]
fn a_short_queue_is_neither_sampled_nor_held() {
    let mut black = black(&[]);
    sample(&mut black, BIG, 10);
    // With the arrival's own sample (1 + 5) / 11 is more than twice the fair part.
    assert_eq!(arrive(&mut black, &mut queue_of(BIG), BIG), Verdict::Drop(Reason::UNFAIR));
    let collected = black.hbf.cache.period.collected;

    assert_eq!(
        Rig::waiting(5).arrive_drawing(&mut black, at(0.0), &Packet::datagram(BIG, 0, 1000), 0.0),
        Verdict::Pass
    );
    assert_eq!(black.hbf.cache.period.collected, collected);
    // (1 + 5) / 12 = 0.5 is twice the fair part: certain.
    let above = Rig::waiting(6).arrive_drawing(&mut black, at(0.0), &Packet::datagram(BIG, 0, 1000), 0.0);
    assert_eq!(above, Verdict::Drop(Reason::UNFAIR));
    assert_eq!(black.hbf.cache.period.collected, collected + 1);
}

#[test]
fn idle_time_goes_on_over_a_packet_that_red_did_not_see() {
    // The link is idle for the time of four packets. After two of them a packet is held and refused; then the link finds nothing to
    // send, as it does after each arrival. The average falls by half with each of the four, and with the arrival: 8 / 2^5.
    let mut black = black(&[("gated", "sampling"), ("w_q", "0.5"), ("idle_decay", "ns2")]);
    sample(&mut black, BIG, 10);
    black.hbf.red.average.set(8.0);
    let packets = |count: f64| at((count + 1e-6) / LinkContext::default().packets_per_sec());
    black.on_idle(at(0.0));

    let held = Rig::waiting(0).arrive_drawing(&mut black, packets(2.0), &Packet::datagram(BIG, 0, 1000), 0.0);
    black.on_idle(packets(2.0));
    let passes = Rig::waiting(0).arrive_drawing(&mut black, packets(4.0), &Packet::datagram(SMALL, 0, 1000), 0.9);

    assert_eq!((held, passes), (Verdict::Drop(Reason::UNFAIR), Verdict::Pass));
    assert!(near(black.probe(0), 0.25), "{}", black.probe(0));
}

#[test]
fn drops_may_do_without_a_long_queue() {
    let mut black = black(&[("gated", "sampling")]);
    sample(&mut black, BIG, 10);

    let verdict = Rig::waiting(0).arrive_drawing(&mut black, at(0.0), &Packet::datagram(BIG, 0, 1000), 0.0);

    assert_eq!(verdict, Verdict::Drop(Reason::UNFAIR));
}

#[test]
fn a_flow_is_held_once_its_part_is_unfair() {
    let mut black = black(&[]);
    // After k samples, all of one flow, its part is k / (k + 10): 0.2308 with the arrival's own third, p = 0.
    sample(&mut black, BIG, 2);
    assert_eq!(arrive(&mut black, &mut queue_of(BIG), BIG), Verdict::Pass);
    // 9/19 = 0.474: p = 0.895. The period ends with the tenth: H = 0.5, p = 1.
    sample(&mut black, BIG, 6);
    assert!((black.probability(BIG) - (9.0 / 19.0 / 0.25 - 1.0)).abs() < 1e-12);
    assert_eq!(arrive(&mut black, &mut queue_of(BIG), BIG), Verdict::Drop(Reason::UNFAIR));
    assert!((black.probability(BIG) - 1.0).abs() < 1e-12);
    // Ten samples of others: (0 + 0.5 * 10) / 20 = 0.25, which is fair.
    sample(&mut black, SMALL, 9);
    assert!(black.probability(BIG) > 0.0);
    sample(&mut black, SMALL, 1);
    assert_eq!(arrive(&mut black, &mut queue_of(SMALL), BIG), Verdict::Pass);
}

#[test]
fn flows_outside_the_cache_are_never_held() {
    let mut black = black(&[("cache", "1"), ("p_r", "0")]);
    sample(&mut black, SMALL, 1);
    sample(&mut black, BIG, 30);

    assert_eq!(cached(&black), [(1, 0)]);
    assert_eq!(arrive(&mut black, &mut queue_of(BIG), BIG), Verdict::Pass);
}

#[test]
fn before_the_first_estimate_nothing_is_dropped() {
    let mut black = black(&[("active_flows", "direct_bitmap")]);
    sample(&mut black, BIG, 9);
    assert_eq!(black.hbf.fair(), None);
    assert!(black.probability(BIG) <= 0.0);

    // The arrivals of one flow, 99: with the tenth sample N = 1. A second period with four flows: N = 4.
    sample(&mut black, BIG, 1);
    for n in 0..10 {
        arrive(&mut black, &mut queue_of(BIG), FlowId(100 + n % 4));
    }
    assert!((black.probe(2) - 4.0).abs() < 0.1, "{}", black.probe(2));
    assert!((black.probability(BIG) - 1.0).abs() < 1e-12);
}

#[test]
fn the_sampled_flow_enters_the_cache() {
    let mut sampled = black(&[]);
    let mut arriving = black(&[("insert", "arriving")]);
    for black in [&mut sampled, &mut arriving] {
        arrive(black, &mut queue_of(BIG), SMALL);
    }

    assert_eq!(cached(&sampled), [(7, 1)]);
    assert_eq!(cached(&arriving), [(1, 1)]);
}

#[test]
fn added_to_the_past_a_part_only_rises_within_a_period() {
    let mut black = black(&[("blend", "added")]);
    // Three of ten: p = 0.3 / 0.25 - 1, which five samples of others leave as it is.
    sample(&mut black, BIG, 3);
    assert!(near(black.probability(BIG), 0.2));
    sample(&mut black, SMALL, 5);
    assert!(near(black.probability(BIG), 0.2));
    // The period ends: H = 0.15, which is fair.
    sample(&mut black, SMALL, 2);
    assert!(black.probability(BIG) <= 0.0);
}

#[test]
fn the_arrival_may_be_drawn_too() {
    // One packet of another flow waits: without the arrival there is no match; with it one of two draws is one, so that
    // 400 arrivals match 200 times, give or take four standard deviations of 10.
    for (drawn_from, low, high) in [("waiting", 0.0, 0.0), ("with_arrival", 400.0 / 240.0, 400.0 / 160.0)] {
        let mut black =
            black(&[("drawn_from", drawn_from), ("active_flows", "match"), ("sample", "400"), ("threshold", "0p")]);
        let (mut queue, mut rng) = (Rig::holding([Packet::datagram(SMALL, 0, 1000)]), Rng::named(1, "draws"));
        for seq in 0..400 {
            let packet = Packet::datagram(BIG, seq, 1000);
            black.on_arrival(at(0.0), &packet, &mut queue.view(), &mut rng);
        }
        assert!((low..=high).contains(&black.probe(2)), "{drawn_from}: {}", black.probe(2));
    }
}

#[test]
fn a_fair_flow_makes_room_in_a_full_cache_and_a_large_one_does_not() {
    let mut black = black(&[("cache", "1"), ("p_r", "1"), ("sample", "100")]);
    // 33 / 133 = 0.248 is below B_f = 0.25.
    sample(&mut black, BIG, 33);
    sample(&mut black, SMALL, 1);
    assert_eq!(cached(&black), [(1, 1)]);
    // 35 of 69 samples: 35 / 169 is fair; 60 of 94: 0.309 is not.
    sample(&mut black, SMALL, 59);
    sample(&mut black, BIG, 1);
    assert_eq!(cached(&black), [(1, 60)]);
}

#[test]
fn eviction_may_ask_for_the_past_alone() {
    let mut black = black(&[("cache", "1"), ("p_r", "1"), ("sample", "100"), ("eviction", "past")]);
    sample(&mut black, SMALL, 60);
    sample(&mut black, BIG, 1);
    assert_eq!(cached(&black), [(7, 1)], "nothing is known of the past");
}

#[test]
fn matches_count_packets_that_pass() {
    let mut black = black(&[("active_flows", "match"), ("match_over", "compared"), ("sample", "4")]);
    // Compared: BIG with BIG (match), 99 with BIG thrice: N = 4.
    arrive(&mut black, &mut queue_of(BIG), BIG);
    sample(&mut black, BIG, 3);
    // The period ends with the fourth sample, before the fourth comparison: N = 3.
    assert!((black.probe(2) - 3.0).abs() < 1e-12, "{}", black.probe(2));
    // H = 0.5 and B_f = 1/3: at the next arrival (1 + 2) / 5 = 0.6, p = 0.8. With u = 0 it goes and is not compared.
    black.hbf.cache.refresh(|_| 0.0);
    black.hbf.cache.find(BIG).expect("cached").past = 1.0;
    arrive(&mut black, &mut queue_of(BIG), BIG);
    sample(&mut black, BIG, 3);
    // In this period: the comparison left over, and two before the fourth sample; no match.
    assert!((black.probe(2) - 3.0).abs() < 1e-12, "no match leaves the estimate");
}

#[test]
fn on_hit_the_part_is_that_of_the_last_sample() {
    let mut on_hit = black(&[("refresh", "on_hit")]);
    let mut on_arrival = black(&[]);
    for black in [&mut on_hit, &mut on_arrival] {
        sample(black, BIG, 6);
        sample(black, SMALL, 3);
    }

    // At its last sample 6/16; now 6/19.
    assert!((on_hit.probability(BIG) - (6.0 / 16.0 / 0.25 - 1.0)).abs() < 1e-12);
    assert!((on_arrival.probability(BIG) - (6.0 / 19.0 / 0.25 - 1.0)).abs() < 1e-12);
    // When the period ends both are H = 0.3.
    for black in [&mut on_hit, &mut on_arrival] {
        sample(black, SMALL, 1);
        assert!((black.probability(BIG) - 0.2).abs() < 1e-9);
    }
}

#[test]
fn a_static_probability_stays_for_a_period() {
    let mut black = black(&[("drop_function", "static")]);
    sample(&mut black, BIG, 9);
    assert!(black.probability(BIG) <= 0.0);
    sample(&mut black, BIG, 1);
    for _ in 0..9 {
        // H = 0.5.
        assert!((black.probability(BIG) - 1.0).abs() < 1e-12);
        sample(&mut black, SMALL, 1);
    }
    sample(&mut black, SMALL, 1);
    assert!(black.probability(BIG) <= 0.0, "H = 0.25");
}

#[test]
fn estimates_can_be_watched_without_drops() {
    let mut black = black(&[("drop_function", "none")]);
    sample(&mut black, BIG, 10);

    assert_eq!(arrive(&mut black, &mut queue_of(BIG), BIG), Verdict::Pass);
    // (1 + 0.5 * 10) / 11.
    assert!((black.probe(3) - 6.0 / 11.0).abs() < 1e-12);
}

#[test]
fn reds_average_sees_what_passes_unless_asked_to_see_all() {
    for (red_sees, average) in [("passing", 0.0), ("all", 10.0)] {
        let mut black = black(&[("red_sees", red_sees)]);
        sample(&mut black, BIG, 10);
        black.hbf.red.average.set(0.0);

        arrive(&mut black, &mut queue_of(BIG), BIG);

        assert!((black.probe(0) - average).abs() < 1e-12, "{red_sees}");
    }
}

#[test]
fn packets_are_counted_in_and_out() {
    let mut black = black(&[("active_flows", "removals"), ("sample", "1"), ("bitmap_bits", "4096")]);
    let mut rig = Rig::waiting(0);
    for flow in 20..30 {
        let packet = Packet::datagram(FlowId(flow), 0, 1000);
        rig.arrive_drawing(&mut black, at(0.0), &packet, 0.5);
        rig.fifo.push(at(0.0), packet, 0);
        black.on_enqueued(at(0.0), &packet, &mut rig.view());
    }
    let (absent, first) = (Packet::datagram(FlowId(21), 0, 1000), Packet::datagram(FlowId(20), 0, 1000));

    // A packet that finds the buffer full has not joined.
    black.on_drop(at(0.0), &absent, Dropped::OVERFLOW, &mut rig.view());
    arrive(&mut black, &mut rig, FlowId(99));
    assert!((black.probe(2) - 10.0).abs() < 0.02, "{}", black.probe(2));
    // Where queues share a buffer one that joined may be pushed out.
    rig.fifo.pop();
    black.on_drop(at(0.0), &first, Dropped::PUSHED_OUT, &mut rig.view());
    arrive(&mut black, &mut rig, FlowId(99));
    assert!((black.probe(2) - 9.0).abs() < 0.02, "{}", black.probe(2));
    rig.fifo.pop();
    let mut rng = Rng::named(1, "departure");
    assert_eq!(black.on_departure(at(0.0), &absent, &mut rig.view(), &mut rng), Verdict::Pass);
    arrive(&mut black, &mut rig, FlowId(99));
    assert!((black.probe(2) - 8.0).abs() < 0.02, "{}", black.probe(2));
}
