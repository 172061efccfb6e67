//! Tests of RED-PD as a whole: the monitored flows, the changes of probabilities, and the drops of the filter.

use super::*;
use sojourn_queues::packet::{Ecn, FlowId};
use sojourn_queues::rig::{Rig, args, at, near, policy_of};

/// RED that drops everything that finds 15 packets or more and nothing else; the average is the queue. Intervals end as the law says.
fn red_pd(settings: &[(&str, &str)]) -> RedPd {
    let mut all = vec![("w_q", "1"), ("min_th", "5p"), ("max_th", "15p"), ("max_p", "0"), ("above", "strict")];
    all.extend(settings);
    policy_of::<Params>(&ENTRY, None, &all)
}

/// The verdict on a packet of the flow that finds `waiting` packets and draws `u`; the policy hears of a drop.
fn arrives(policy: &mut RedPd, flow: u32, waiting: usize, u: f64) -> Verdict {
    let mut rig = Rig::waiting(waiting);
    let packet = Packet::datagram(FlowId(flow), 0, 1000);
    let verdict = rig.arrive_drawing(policy, at(0.0), &packet, u);
    if matches!(verdict, Verdict::Drop(_)) {
        policy.on_drop(at(0.0), &packet, Dropped::REFUSED, &mut rig.view());
    }
    verdict
}

/// One interval with `passed` packets of flow 9. Each flow in `lost` loses the number of packets beside it.
fn interval(policy: &mut RedPd, passed: usize, lost: &[(u32, usize)]) {
    for _ in 0..passed {
        assert_eq!(arrives(policy, 9, 5, 1.0 - f64::EPSILON), Verdict::Pass);
    }
    for (flow, packets) in lost {
        for _ in 0..*packets {
            assert!(matches!(arrives(policy, *flow, 15, 1.0 - f64::EPSILON), Verdict::Drop(_)));
        }
    }
    ends(policy);
}

fn ends(policy: &mut RedPd) -> f64 {
    let now = policy.next_deadline().expect("it looks again");
    policy.on_deadline(now, &mut Rig::waiting(0).view());
    now.as_secs_f64()
}

fn p(policy: &RedPd, flow: u32) -> Option<f64> {
    policy.history.records.get(&FlowId(flow)).and_then(|record| record.monitored.as_ref()).map(|flow| flow.p)
}

#[test]
fn the_interval_is_that_in_which_the_reference_loses_a_packet() {
    let spans = Spans { rtt: 0.04, least: 0.08, most: 0.4 };

    // 0.6 * 0.04 / sqrt(1.5 * 0.01) = 0.024 / 0.122474.
    assert!(near(spans.interval(0.6, 0.01), 0.024 / 0.015_f64.sqrt()));
    assert!((spans.interval(0.6, 0.01) - 0.195_96).abs() < 1e-5);
    // Bounds: 0.08 from p = 0.06 on, 0.4 up to p = 0.0024.
    assert!(near(spans.interval(0.6, 0.06), 0.08) && near(spans.interval(0.6, 0.0601), 0.08));
    assert!(spans.interval(0.6, 0.0599) > 0.08);
    assert!(near(spans.interval(0.6, 0.0024), 0.4) && near(spans.interval(0.6, 0.0), 0.4));
    assert!(spans.interval(0.6, 0.0025) < 0.4);
}

#[test]
fn a_flow_in_three_of_five_lists_is_monitored() {
    let mut policy = red_pd(&[]);
    for (round, lost) in [true, false, true, false].iter().enumerate() {
        interval(&mut policy, 99, if *lost { &[(1, 1)] } else { &[] });
        assert_eq!(p(&policy, 1), None, "{round}");
    }

    interval(&mut policy, 99, &[(1, 1)]);

    // The drop rate of the interval is 0.01, the mean less: 0.01 over ... halves: 0.01, 0.005, 0.0075, 0.00375, 0.006875.
    // Flow 1 is the only one, so that its losses are the mean of such flows.
    assert!(near(p(&policy, 1).expect("monitored"), 0.006_875), "{:?}", p(&policy, 1));
}

#[test]
fn the_third_loss_must_be_in_the_last_five_intervals() {
    let mut policy = red_pd(&[]);
    for lost in [1, 1, 0, 0, 0, 1] {
        interval(&mut policy, 99, &[(1, lost)]);
    }

    assert_eq!(p(&policy, 1), None);
}

#[test]
fn flows_are_monitored_by_what_they_lost_and_at_twice_the_drop_rate_at_most() {
    let mut policy = red_pd(&[]);
    for _ in 0..3 {
        interval(&mut policy, 86, &[(1, 10), (2, 2), (3, 1), (4, 1)]);
    }

    // 14 of 100 are dropped, in the mean too; a flow lost 3.5 packets in an interval in the mean.
    assert!(near(p(&policy, 1).expect("monitored"), 0.28), "10 / 3.5 is above twice");
    assert!(near(p(&policy, 2).expect("monitored"), 0.14 * 2.0 / 3.5));
    assert!(near(p(&policy, 3).expect("monitored"), 0.14 / 3.5));
}

#[test]
fn a_new_probability_is_at_most_one_half() {
    let mut policy = red_pd(&[]);
    for _ in 0..3 {
        interval(&mut policy, 1, &[(1, 9)]);
    }

    assert!(near(p(&policy, 1).expect("monitored"), 0.5));
}

#[test]
fn a_probability_rises_after_four_intervals_and_no_less_than_the_pause() {
    // Drops of 4 %: intervals of 0.024 / sqrt(0.06) = 0.098 s, four of them are 0.392 s: the pause of 0.4 s holds.
    for (pause, intervals) in [("0.4s", 5), ("0.3s", 4), ("0.5s", 6)] {
        let mut policy = red_pd(&[("pause", pause)]);
        for _ in 0..5 {
            interval(&mut policy, 96, &[(1, 4)]);
        }
        // Monitored at the end of the third; since then it has been in all lists.
        let first = p(&policy, 1).expect("monitored");
        let mut more = 2;
        while near(p(&policy, 1).expect("monitored"), first) {
            interval(&mut policy, 96, &[(1, 4)]);
            more += 1;
        }
        assert_eq!(more, intervals, "{pause}");
        assert!(near(p(&policy, 1).expect("monitored"), 0.08), "it was 0.04, and rises by the drop rate");
    }
}

#[test]
fn in_calm_intervals_nothing_rises() {
    let mut policy = red_pd(&[("calm", "0.01")]);
    for _ in 0..5 {
        interval(&mut policy, 99, &[(1, 1)]);
    }
    assert_eq!(p(&policy, 1), None, "a drop rate of 0.01 is calm");

    interval(&mut policy, 98, &[(1, 1)]);
    assert!(p(&policy, 1).is_some());
}

#[test]
fn a_flow_that_lost_nothing_in_all_lists_is_let_go() {
    let mut policy = red_pd(&[]);
    for _ in 0..3 {
        interval(&mut policy, 98, &[(1, 2)]);
    }
    let first = p(&policy, 1).expect("monitored");
    assert!(near(first, 0.02));

    // In no list after five intervals; then half after every three (of 0.4 s without drops): 0.01, 0.005, and at 0.005 it is let go.
    let mut seen = Vec::new();
    while let Some(p) = p(&policy, 1) {
        seen.push(p);
        interval(&mut policy, 1, &[]);
    }
    seen.dedup();
    assert_eq!(seen.len(), 3, "{seen:?}");
    assert!(near(seen[1], 0.01) && near(seen[2], 0.005));
    assert!(policy.history.records.is_empty());
}

#[test]
fn the_filter_drops_evenly_spaced_packets_of_monitored_flows_only() {
    let mut policy = red_pd(&[]);
    for _ in 0..3 {
        interval(&mut policy, 1, &[(1, 9)]);
    }
    // Flow 1 at one half; the average is 5, from which on RED may drop and the filter does not spare.
    arrives(&mut policy, 9, 5, 0.9);

    assert_eq!(arrives(&mut policy, 9, 5, 0.0), Verdict::Pass);
    assert_eq!(arrives(&mut policy, 1, 5, 0.51), Verdict::Pass);
    assert_eq!(arrives(&mut policy, 1, 5, 0.99), Verdict::Drop(Reason::UNFAIR), "the second of two");
    assert_eq!(arrives(&mut policy, 1, 1, 0.0), Verdict::Pass, "one waits: it is spared");
}

#[test]
fn what_the_filter_drops_is_no_drop_of_the_history() {
    let mut policy = red_pd(&[]);
    for _ in 0..3 {
        interval(&mut policy, 1, &[(1, 9)]);
    }
    arrives(&mut policy, 9, 5, 0.9);
    for _ in 0..20 {
        arrives(&mut policy, 1, 5, 0.0);
    }

    let record = policy.history.records[&FlowId(1)].present;
    assert_eq!((record.arrived, record.filtered, record.dropped), (20_000, 20_000, 0));
    assert!(policy.present.drop_rate() <= 0.0);
}

#[test]
fn marks_are_drops_of_the_history() {
    let mut policy = red_pd(&[("ecn", "true"), ("mark_max_p", "2"), ("count", "off")]);
    let packet = Packet::datagram(FlowId(1), 0, 1000).with_ecn(Ecn::Ect0);
    let mut rig = Rig::waiting(15);

    assert_eq!(rig.arrive_drawing(&mut policy, at(0.0), &packet, 0.5), Verdict::Mark(Reason::FORCED));
    assert_eq!(policy.present.dropped, 0, "not yet: the buffer may be full");
    policy.on_enqueued(at(0.0), &packet, &mut rig.view());

    assert_eq!(policy.present.dropped, 1000);
    assert_eq!(policy.history.records[&FlowId(1)].present.dropped, 1000);
}

#[test]
fn flows_without_losses_leave_no_record() {
    let mut policy = red_pd(&[]);
    for flow in 0..10_000 {
        arrives(&mut policy, flow, 6, 1.0 - f64::EPSILON);
    }

    assert!(policy.history.records.is_empty());
}

#[test]
fn what_contradicts_is_refused_by_name() {
    let refused = |name: &str, value: &str| {
        let params = args(&ENTRY, None, &[(name, value)]).typed::<Params>();
        params.policy(&LinkContext::default()).map(|_| ()).map_err(|error| error.param)
    };

    assert_eq!(refused("needed", "6"), Err("needed"));
    assert_eq!(refused("interval_min", "0.5s"), Err("interval_max"));
}
