use super::*;
use crate::rig::SchedulerRig;
use crate::rig::{args, at, near};

const MILLI: f64 = 1e6;

fn cbq(lending: &str, classes: &str, groups: &str) -> SchedulerRig {
    let settings =
        [("lending", lending), ("class", classes), ("group", groups), ("limit", "100000p"), ("max_packet", "1000B")];
    SchedulerRig::new(&ENTRY, &settings)
}

/// How many of these packets are of each flow, from the first on.
fn count(sent: &[u32], flows: std::ops::RangeInclusive<u32>) -> Vec<usize> {
    flows.map(|flow| sent.iter().filter(|other| **other == flow).count()).collect()
}

/// Flows of the packets that are sent until a time, while each takes its time on the link.
fn busy(rig: &mut SchedulerRig, from: f64, to: f64) -> Vec<u32> {
    let mut sent = Vec::new();
    let mut millis = from;
    while millis < to {
        if let Some((flow, _)) = rig.next(millis) {
            sent.push(flow);
            millis += 1.0;
        } else {
            let Some(due) = rig.queue.next_deadline() else { break };
            rig.queue.on_deadline(due, &mut rig.cx);
            millis = due.as_secs_f64() * 1000.0;
        }
    }
    sent
}

#[test]
fn the_average_idle_time_and_the_limit_follow_from_the_paper() {
    // 1000 bytes take 1 ms; half of the link, no credit. At 1 ms: idle = 1 - 0 - 2 = -1, avgidle = -1/16 ms,
    // undertime = 1 + 1 (2 - 1) + 15/16 = 2.9375 ms. Then, at the end of a packet at 11 ms: idle = 10 - 2 = 8, avgidle would be
    // -1/16 + (8 + 1/16) / 16 > 0 and is no more than the credit, 0: at most 0 is over the limit, until 11 + 1 + 0 ms.
    let place = Place { share: Fraction(0.5), max_idle: Some(Duration::from_nanos(0)), ..Place::default() };
    let mut node = Node::new(&place, None, LEAF, MILLI);
    node.note(MILLI, MILLI);
    assert!(near(node.avg_idle, -MILLI / 16.0) && near(node.undertime, 2.9375 * MILLI), "{node:?}");
    node.note(MILLI, 11.0 * MILLI);
    assert!(near(node.avg_idle, 0.0) && near(node.undertime, 12.0 * MILLI), "{node:?}");
}

#[test]
fn credit_is_bounded_by_the_burst() {
    // g^8 = (15/16)^8 = 0.5967195; share 1/4: 3 (1 - 0.5967195) / 0.5967195 = 2.027488 packets. A whole link: (1 - g) = 1/16.
    assert!((auto_max_idle(0.25, 1.0) - 2.027_488).abs() < 1e-5, "{}", auto_max_idle(0.25, 1.0));
    assert!(near(auto_max_idle(1.0, 1.0), 1.0 / 16.0));
}

#[test]
fn a_class_that_may_not_borrow_waits_for_its_time() {
    // A quarter of 8 Mbit/s: a packet of 1000 bytes in 4 ms in the long run, while nothing else waits.
    for lending in ["ancestor_only", "top_level", "formal"] {
        let mut rig = cbq(lending, "flows=1 share=0.25 borrow=false max_idle=0s; share=0.75", "share=1");
        rig.arrive(0.0, &[1; 1000], 1000);
        let sent = busy(&mut rig, 0.001, 1000.0);
        assert!((245..=260).contains(&sent.len()), "{lending}: {}", sent.len());
    }
}

#[test]
fn what_others_leave_is_borrowed() {
    for lending in ["ancestor_only", "top_level", "formal"] {
        let mut rig = cbq(lending, "flows=1 share=0.25; share=0.75", "share=1");
        rig.arrive(0.0, &[1; 1000], 1000);
        assert_eq!(busy(&mut rig, 0.001, 900.0).len(), 900, "{lending}: the link is not idle");
    }
}

#[test]
fn classes_that_wait_have_their_shares() {
    for lending in ["ancestor_only", "top_level", "formal"] {
        let mut rig = cbq(lending, "flows=1 share=0.5; flows=2 share=0.3; share=0.2", "share=1");
        for _ in 0..1500 {
            rig.arrive(0.0, &[1, 2, 3], 1000);
        }
        let sent = count(&busy(&mut rig, 0.001, 1000.0), 1..=3);
        assert!(
            sent.iter().zip([500_usize, 300, 200]).all(|(packets, share)| packets.abs_diff(share) <= 30),
            "{lending}: {sent:?}"
        );
    }
}

#[test]
fn under_formal_sharing_a_group_keeps_what_its_classes_leave() {
    // [Flo95] figure 2: agency A has classes 1 and 2, agency B class 3, half of the link each. Class 2 is silent: class 1 has all of A.
    let mut rig = cbq(
        "formal",
        "flows=1 share=0.3 lender=1; flows=2 share=0.2 lender=1; share=0.5 lender=2",
        "share=1; share=0.5 lender=0; share=0.5 lender=0",
    );
    for _ in 0..1500 {
        rig.arrive(0.0, &[1, 3], 1000);
    }
    let sent = count(&busy(&mut rig, 0.001, 1000.0), 1..=3);
    assert!(sent[0].abs_diff(500) <= 30 && sent[2].abs_diff(500) <= 30, "{sent:?}");
}

#[test]
fn the_first_rank_goes_first_within_its_share() {
    let mut rig = cbq("top_level", "flows=1 share=0.2 max_idle=0s; share=0.8 rank=2", "share=1");
    rig.arrive(0.0, &[2; 50], 1000);
    rig.arrive(10.0, &[1], 1000);
    assert_eq!(rig.next(10.0), Some((1, 50)), "it has not sent yet");
}

#[test]
fn those_that_borrow_take_turns_where_nobody_may_send() {
    // Half of the link for both together: when all are over their limits, the link serves them in turn.
    for turns in ["weighted", "packets"] {
        let settings = [
            ("class", "flows=1 share=0.25; share=0.25"),
            ("group", "share=0.5"),
            ("limit", "100000p"),
            ("turns", turns),
        ];
        let mut rig = SchedulerRig::new(&ENTRY, &settings);
        for _ in 0..1500 {
            rig.arrive(0.0, &[1, 2], 1000);
        }
        let sent = count(&busy(&mut rig, 0.001, 1000.0), 1..=2);
        assert!(sent[0].abs_diff(sent[1]) <= 30, "{turns}: {sent:?}");
    }
}

#[test]
fn a_turn_is_a_share_of_bytes_or_a_packet() {
    // Two classes within their limits that sum up to less than both send: by shares 3 to 1, by packets 1 to 1.
    for (turns, expected) in [("weighted", [30, 10]), ("packets", [20, 20])] {
        let settings = [
            ("class", "flows=1 share=0.75 max_idle=10s; share=0.25 max_idle=10s"),
            ("group", "share=1"),
            ("limit", "100000p"),
            ("max_packet", "2000B"),
            ("turns", turns),
        ];
        let mut rig = SchedulerRig::new(&ENTRY, &settings);
        // A second of silence is credit: idle / 16 of avgidle, some 60 packets.
        rig.arrive(1000.0, &[1; 1], 1000);
        rig.arrive(1000.0, &[2; 1], 1000);
        busy(&mut rig, 1000.0, 1002.0);
        for _ in 0..100 {
            rig.arrive(2000.0, &[1, 2], 1000);
        }
        assert_eq!(count(&busy(&mut rig, 2000.0, 2039.5), 1..=2), expected, "{turns}");
    }
}

#[test]
fn levels_are_heights() {
    let settings = [
        ("class", "flows=0 lender=2; flows=1 lender=1; lender=0"),
        ("group", "share=1; share=0.5 lender=0; share=0.3 lender=1"),
    ];
    let params: Params = args(&ENTRY, None, &settings).typed();
    let tree = Tree::new(&params, &LinkContext::default()).expect("a tree");
    let levels: Vec<u32> = tree.nodes.iter().map(|node| node.level).collect();
    assert_eq!(levels, [1, 1, 1, 4, 3, 2]);
}

#[test]
fn who_lends_has_to_stand_before() {
    let wrong = |classes: &str, groups: &str| {
        let error = ENTRY.build(&args(&ENTRY, None, &[("class", classes), ("group", groups)]), &LinkContext::default());
        let error = error.err().unwrap_or_else(|| panic!("{classes} under {groups} is built"));
        (error.path(), error.complaint.what, error.complaint.hint)
    };
    let expected = |path: &str, what: &str, hint: &str| (path.to_owned(), what.to_owned(), hint.to_owned());
    let no_two = expected("class[1].lender", "there is no group of number 2", "known: 0 to 1");
    assert_eq!(wrong("flows=1; lender=2", "share=1; share=0.5 lender=0"), no_two);
    let itself = expected("group[1].lender", "there is no group before this one of number 1", "known: 0 to 0");
    assert_eq!(wrong("*", "share=1; lender=1"), itself);
    assert_eq!(
        wrong("*", "lender=0"),
        expected("group[0].lender", "there is no group before this one of number 0", "there is none")
    );
}

#[test]
fn it_sends_what_waits_when_a_policy_empties_a_class() {
    let mut rig = cbq("top_level", "flows=1 share=0.5 policy=codel:target=1ms,interval=5ms; share=0.5", "share=1");
    rig.arrive(0.0, &[1; 300], 1000);
    assert!(busy(&mut rig, 0.001, 1000.0).len() + rig.cx.events.drain().count() == 300);
    assert_eq!((rig.queue.backlog().packets, rig.queue.dequeue(at(2.0), &mut rig.cx)), (0, None));
}
