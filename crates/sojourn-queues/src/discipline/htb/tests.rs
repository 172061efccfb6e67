use super::*;
use crate::rig::SchedulerRig;
use crate::rig::args;

/// On a link of 8 Mbit/s, which sends 1000 bytes in a millisecond.
fn htb(classes: &str, groups: &str) -> SchedulerRig {
    SchedulerRig::new(&ENTRY, &[("class", classes), ("group", groups)])
}

/// How many packets of each flow leave by `to` if each takes `step` milliseconds on the link, while all of them always have some.
fn busy<const N: usize>(rig: &mut SchedulerRig, flows: [u32; N], size: u32, step: f64, to: f64) -> [u64; N] {
    let (mut sent, mut millis) = ([0; N], 0.0);
    for flow in flows {
        rig.arrive(0.0, &[flow; 50], size);
    }
    while millis < to {
        if let Some((flow, _)) = rig.next(millis) {
            let place = flows.iter().position(|other| *other == flow).expect("one of these");
            sent[place] += 1;
            rig.arrive(millis, &[flow], size);
            millis += step;
        } else {
            let Some(due) = rig.queue.next_deadline() else { break };
            rig.queue.on_deadline(due, &mut rig.cx);
            millis = due.as_secs_f64() * 1000.0;
        }
    }
    sent
}

#[test]
fn a_class_that_may_not_borrow_has_its_rate() {
    // 1 Mbit/s: 125 packets of 1000 bytes in a second, and the burst of 1600 bytes: the first two go at once.
    let mut rig = htb("flows=1 rate=1Mbit; rate=7Mbit", "*");
    let [sent] = busy(&mut rig, [1], 1000, 1.0, 10_000.0);
    assert!((1250..=1252).contains(&sent), "{sent}");
}

#[test]
fn a_packet_of_a_class_goes_as_soon_as_its_bucket_is_not_below_zero() {
    // 1600 bytes at 8 Mbit/s are 1.6 ms of tokens. Packets of 1000 bytes: 1.6 - 1 = 0.6, then 0.6 - 1 = -0.4 ms; the third waits 0.4 ms.
    let mut rig = htb("flows=1 rate=8Mbit; rate=1Mbit", "");
    rig.arrive(0.0, &[1; 4], 1000);
    assert_eq!((rig.next(0.0), rig.next(0.0), rig.next(0.0)), (Some((1, 0)), Some((1, 1)), None));
    assert_eq!(rig.queue.next_deadline(), Some(Instant::from_nanos(400_000)));
    assert_eq!((rig.next(0.399), rig.next(0.4)), (None, Some((1, 2))));
}

#[test]
fn rates_are_kept_where_all_send() {
    // 1, 2 and 5 Mbit/s of 8: in 8 s 1000, 2000 and 5000 packets.
    let classes = "flows=1 rate=1Mbit ceil=8Mbit; flows=2 rate=2Mbit ceil=8Mbit; rate=5Mbit ceil=8Mbit";
    let sent = busy(&mut htb(classes, "rate=8Mbit"), [1, 2, 3], 1000, 1.0, 8000.0);
    assert!(sent.iter().zip([1000_u64, 2000, 5000]).all(|(packets, share)| packets.abs_diff(share) <= 8), "{sent:?}");
}

#[test]
fn those_that_borrow_take_turns_by_quantum() {
    // 1 Mbit/s each for sure; the 6 that are left are borrowed by quanta of 1 to 3: 1 + 1.5 and 1 + 4.5 Mbit/s.
    let classes = "flows=1 rate=1Mbit ceil=8Mbit quantum=1000B; rate=1Mbit ceil=8Mbit quantum=3000B";
    let sent = busy(&mut htb(classes, "rate=8Mbit"), [1, 2], 1000, 1.0, 8000.0);
    assert!(sent.iter().zip([2500_u64, 5500]).all(|(packets, share)| packets.abs_diff(share) <= 25), "{sent:?}");
}

#[test]
fn the_first_prio_borrows_all_that_is_left() {
    let classes = "flows=1 rate=1Mbit ceil=8Mbit prio=1; rate=1Mbit ceil=8Mbit";
    let sent = busy(&mut htb(classes, "rate=8Mbit"), [1, 2], 1000, 1.0, 8000.0);
    assert!(sent[0].abs_diff(1000) <= 8 && sent[1].abs_diff(7000) <= 8, "{sent:?}");
}

#[test]
fn nobody_goes_beyond_the_ceiling() {
    let sent = busy(&mut htb("flows=1 rate=1Mbit ceil=3Mbit; rate=1Mbit", "rate=8Mbit"), [1], 1000, 1.0, 8000.0);
    assert!(sent[0].abs_diff(3000) <= 3, "{sent:?}");
}

#[test]
fn a_group_keeps_what_its_classes_leave() {
    // Two groups of 4 Mbit/s. One class of the first is silent: the other one has all of it.
    let classes = "flows=1 rate=1Mbit ceil=8Mbit parent=1; flows=2 rate=3Mbit ceil=8Mbit parent=1; rate=4Mbit ceil=8Mbit parent=2";
    let groups = "rate=8Mbit; rate=4Mbit ceil=8Mbit parent=0; rate=4Mbit ceil=8Mbit parent=0";
    let sent = busy(&mut htb(classes, groups), [1, 3], 1000, 1.0, 4000.0);
    assert!(sent.iter().all(|packets| packets.abs_diff(2000) <= 15), "{sent:?}");
}

#[test]
fn copies_divide_flows_and_groups() {
    // Flows 0 to 7 in four classes of two, these below two groups of 1 and 1 Mbit/s: each class 0.5.
    let mut rig = htb("flows=0-7 copies=4 parent=1; *", "rate=8Mbit; rate=1Mbit parent=0 copies=2");
    let sent = busy(&mut rig, [0, 1, 2, 6], 1000, 1.0, 8000.0);
    assert!(
        (sent[0] + sent[1]).abs_diff(500) <= 4 && sent[2].abs_diff(500) <= 4 && sent[3].abs_diff(500) <= 4,
        "{sent:?}"
    );
}

#[test]
fn any_queue_may_stand_in_a_class() {
    let sent =
        busy(&mut htb("flows=1-2 rate=2Mbit queue=fq_codel:limit=500p; rate=1Mbit", "*"), [1, 2], 1000, 1.0, 8000.0);
    assert!(sent[0].abs_diff(sent[1]) <= 10 && (sent[0] + sent[1]).abs_diff(2000) <= 3, "{sent:?}");
}

#[test]
fn a_shaper_in_a_class_holds_its_packets_back() {
    let classes = "flows=1 rate=4Mbit ceil=8Mbit queue=token_bucket:rate=1Mbit; rate=4Mbit ceil=8Mbit";
    let sent = busy(&mut htb(classes, "rate=8Mbit"), [1, 2], 1000, 1.0, 8000.0);
    assert!(sent[0].abs_diff(1000) <= 5 && sent[1].abs_diff(7000) <= 10, "{sent:?}");
}

/// htb_dequeue of 6.12 goes by `qlen`.
#[test]
fn a_queue_that_seems_not_to_be_empty_is_asked() {
    // A table of four places. A packet of 2 hits the one that waits, and the next one takes the place behind 3: all are stuck.
    let choke = "sch_choke:limit=3p,min=1p,max=100p,burst=1,probability=0.000001";
    let mut rig = htb(&format!("rate=1Mbit queue={choke}"), "");
    rig.arrive(0.0, &[1, 2, 3], 1000);
    rig.arrive(0.0, &[2; 100], 1000);
    assert_eq!(rig.queue.backlog().packets, 0);
    assert_eq!((rig.next(0.0), rig.queue.next_deadline()), (None, Some(Instant::from_nanos(1_000_000_000))));
    rig.queue.on_deadline(Instant::from_nanos(1_000_000_000), &mut rig.cx);
    assert_eq!(rig.queue.next_deadline(), Some(Instant::from_nanos(2_000_000_000)));
}

#[test]
fn tokens_are_for_the_bytes_on_the_line() {
    // 40 bytes of an ACK and 16 of AAL5 are two cells of 53: at 1.06 Mbit/s 1250 in a second.
    let settings = [("class", "flows=1 rate=1060kbit; *"), ("overhead", "16B"), ("cells", "atm")];
    let sent = busy(&mut SchedulerRig::new(&ENTRY, &settings), [1], 40, 0.1, 10_000.0);
    assert!(sent[0].abs_diff(12_500) <= 20, "{sent:?}");
}

#[test]
fn bursts_are_whole_microseconds_in_units_of_64_nanoseconds() {
    // 1600 bytes at 7 Mbit/s are 1828.57 us, and 1828 us are 28562.5 units.
    let rates = Rates { burst: None, ..Rates::default() };
    assert_eq!(shape(&rates, Rate::from_bps(7_000_000), None, (0, 0)).bursts.0, 28_562 * 64);
}

#[test]
fn what_contradicts_is_said_where_it_is() {
    let wrong = |classes: &str, groups: &str| {
        let error = ENTRY.build(&args(&ENTRY, None, &[("class", classes), ("group", groups)]), &LinkContext::default());
        let error = error.err().unwrap_or_else(|| panic!("{classes} under {groups} is built"));
        (error.path(), error.complaint.what)
    };
    assert_eq!(wrong("flows=1; parent=2", "*"), ("class[1].parent".into(), "there is no group of number 2".into()));
    assert_eq!(
        wrong("*", "parent=0"),
        ("group[0].parent".into(), "there is no group before this one of number 0".into())
    );
    assert_eq!(wrong("*; flows=1", "*").0, "class[1].flows");
    assert_eq!(wrong("copies=2", "*").0, "class[0].copies");
    assert_eq!(wrong("flows=0-4 copies=2; *", "*").0, "class[0].flows");
    assert_eq!(wrong("flows=0-8 copies=3; *", "copies=2").0, "class[0].copies");
    let deep: Vec<String> =
        (0..8).map(|group: u32| group.checked_sub(1).map_or("*".into(), |p| format!("parent={p}"))).collect();
    assert_eq!(wrong("*", &deep.join("; ")).0, "group[7].parent");
    assert_eq!(wrong("queue=red:min_th=50p,max_th=5p", "*").0, "class[0].queue.max_th");
}

#[test]
fn turns_go_by_the_numbers_of_classes() {
    // A leaf beside a group with another leaf; both leaves borrow for 32 ms, a packet in each millisecond from 3 ms on.
    let order = |leaf: &str, group: &str| {
        let rates = "rate=100kbit ceil=8Mbit";
        let classes = format!("flows=1 {rates} quantum=1000B {leaf}; {rates} quantum=1000B parent=1");
        let mut rig = htb(&classes, &format!("rate=8Mbit; {rates} parent=0 {group}"));
        rig.arrive(0.0, &[1; 8], 1000);
        rig.arrive(0.0, &[2; 8], 1000);
        // Packets of 160 ms of a leaf's tokens, which has 128, and of 4 ms of the highest group's, which has 1.6.
        assert!((0..4).all(|_| rig.next(0.0).is_some()));
        [3.0, 4.0, 5.0, 6.0].map(|millis| rig.next(millis).map(|(flow, _)| flow))
    };
    // By the kernel's rules (htb_lookup_leaf): a class above whose turn begins anew gives it to the next one of its level first.
    let leaf_first = [Some(1), Some(1), Some(2), Some(1)];
    assert_eq!(order("", ""), leaf_first);
    assert_eq!(order("number=4", "number=13"), leaf_first);
    assert_eq!(order("number=13", "number=4"), [Some(1), Some(2), Some(1), Some(2)]);
}
