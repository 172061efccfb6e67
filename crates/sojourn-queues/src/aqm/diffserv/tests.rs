use super::*;
use crate::queue::{Context, Managed, QueueDiscipline as _};
use crate::rig::{Rig, args, at, policy_of};

/// Green from 6, yellow from 4, red from 2 on, each certain at twice that; averages are the backlogs that the last packet found.
fn policy(settings: &[(&str, &str)]) -> DiffServ {
    let mut all = vec![("w_q", "1"), ("above", "strict"), ("count", "off"), ("min_th", "6p"), ("max_th", "12p")];
    all.extend([("yellow_min_th", "4p"), ("yellow_max_th", "8p"), ("red_min_th", "2p"), ("red_max_th", "4p")]);
    all.extend(settings);
    policy_of::<Params>(&ENTRY, None, &all)
}

/// A packet of assured forwarding's first class; precedence 0 is best effort.
fn coloured(precedence: u8) -> Packet {
    Packet { dscp: Dscp::af(1, precedence).unwrap_or(Dscp::DF), ..Packet::datagram(FlowId(0), 0, 1000) }
}

struct Router {
    queue: Managed<DiffServ>,
    cx: Context,
}

impl Router {
    fn new(settings: &[(&str, &str)]) -> Self {
        Router { queue: Managed::new(policy(settings), Limit::packets(50)), cx: Context::new(Rng::named(1, "test")) }
    }

    /// Why a packet was dropped that draws a number just above 0.
    fn arrive(&mut self, precedence: u8) -> Option<Reason> {
        self.cx.events.clear();
        self.cx.rng.supply(1e-9);
        self.queue.enqueue(at(0.0), coloured(precedence), &mut self.cx);
        self.cx.rng.clear_supplied();
        self.cx.events.as_slice().first().map(|event| event.what.reason())
    }
}

#[test]
fn each_precedence_has_thresholds_of_its_own() {
    let mut router = Router::new(&[("averages", "wred")]);
    for found in 0..=2 {
        assert_eq!(router.arrive(1), None, "{found}");
    }

    // Three wait: only red packets are dropped at random; four: for certain.
    assert_eq!([3, 2, 1].map(|precedence| router.arrive(precedence)), [Some(Reason::EARLY), None, None]);
    // Five wait.
    assert_eq!(
        [3, 2, 1].map(|precedence| router.arrive(precedence)),
        [Some(Reason::FORCED), Some(Reason::EARLY), None]
    );
}

#[test]
fn averages_count_what_the_mode_says() {
    // Two green, three yellow and one red packet wait when a yellow one comes.
    for (mode, found) in [("rio_c", 5), ("rio_d", 3), ("wred", 6)] {
        let mut router = Router::new(&[
            ("averages", mode),
            ("red_min_th", "30p"),
            ("red_max_th", "40p"),
            ("yellow_min_th", "30p"),
            ("yellow_max_th", "40p"),
        ]);
        for precedence in [1, 1, 2, 2, 2, 3, 2] {
            assert_eq!(router.arrive(precedence), None);
        }
        assert!((router.queue.probe(1) - f64::from(found)).abs() < 1e-12, "{mode} {}", router.queue.probe(1));
    }
}

#[test]
fn what_has_left_no_longer_counts() {
    let mut router = Router::new(&[]);
    for _ in 0..5 {
        router.arrive(1);
    }
    for _ in 0..4 {
        router.queue.dequeue(at(0.0), &mut router.cx);
    }

    assert_eq!(router.arrive(3), None);
    assert!((router.queue.probe(2) - 1.0).abs() < 1e-12);
}

#[test]
fn what_is_not_assured_is_dropped_first() {
    assert_eq!(
        [0, 1, 2, 3].map(|precedence| brought(&coloured(precedence))),
        [Colour::Red, Colour::Green, Colour::Yellow, Colour::Red]
    );
}

#[test]
fn an_edge_writes_the_precedence() {
    // 8 Mbit/s of flow 0 with bursts of two and one packets; class 3.
    let mut router = Router::new(&[
        ("role", "edge"),
        ("cir_mbit", "[8]"),
        ("cbs", "2000B"),
        ("ebs", "1000B"),
        ("class", "3"),
        ("red_min_th", "30p"),
        ("red_max_th", "40p"),
    ]);
    for _ in 0..4 {
        assert_eq!(router.arrive(0), None);
    }

    let names: Vec<String> = std::iter::from_fn(|| router.queue.dequeue(at(0.0), &mut router.cx))
        .map(|packet| packet.dscp.to_string())
        .collect();
    assert_eq!(names, ["AF31", "AF31", "AF32", "AF33"]);
}

#[test]
fn a_core_writes_nothing() {
    let mut router = Router::new(&[("cir_mbit", "[8]")]);
    router.arrive(2);

    let packet = router.queue.dequeue(at(0.0), &mut router.cx).expect("it waits");
    assert_eq!(packet.dscp, coloured(2).dscp);
}

#[test]
fn flows_have_agreements_of_their_own_unless_they_share_one() {
    for (aggregate, second) in [("false", Colour::Green), ("true", Colour::Red)] {
        let mut policy =
            policy(&[("role", "edge"), ("cir_mbit", "[8]"), ("cbs", "1000B"), ("ebs", "0B"), ("aggregate", aggregate)]);
        let edge = policy.edge.as_mut().expect("an edge");
        assert_eq!(edge.mark(at(0.0), &Packet::datagram(FlowId(0), 0, 1000)), Colour::Green);
        assert_eq!(edge.mark(at(0.0), &Packet::datagram(FlowId(1), 0, 1000)), second, "{aggregate}");
    }
}

#[test]
fn without_an_agreement_all_is_red_and_the_peak_is_no_less_than_the_committed_rate() {
    let of = |settings: &[(&str, &str)]| {
        let edge = policy(&[&[("role", "edge"), ("meter", "trtcm")], settings].concat()).edge.expect("an edge");
        edge.agreement(FlowId(3)).map(|agreement| (agreement.committed, agreement.peak))
    };

    assert_eq!(of(&[]), None);
    assert_eq!(of(&[("cir_mbit", "[8, 16]")]), Some((2e6, 4e6)), "the last for all further flows");
    assert_eq!(of(&[("cir_mbit", "[8]"), ("pir_mbit", "[4]")]), Some((1e6, 1e6)));
}

#[test]
fn an_aware_edge_does_not_better_what_a_packet_brings() {
    for (aware, expected) in [("true", Colour::Yellow), ("false", Colour::Green)] {
        let mut policy = policy(&[("role", "edge"), ("cir_mbit", "[8]"), ("colour_aware", aware)]);
        let edge = policy.edge.as_mut().expect("an edge");
        assert_eq!(edge.mark(at(0.0), &coloured(2)), expected, "{aware}");
    }
}

#[test]
fn an_idle_link_lets_every_average_decay() {
    // The link is idle for the time of two packets; then a red one comes.
    let mut policy = policy(&[("w_q", "0.5"), ("idle_decay", "ns2")]);
    policy.reds.iter_mut().for_each(|red| red.average.set(4.0));
    policy.on_idle(at(0.0));

    Rig::waiting(0).arrive_drawing(&mut policy, at(0.001_601), &coloured(3), 0.5);

    // 4 / 2^2, and of red half of that, for it finds nothing.
    let averages: Vec<f64> = (0..3).map(|index| policy.probe(index)).collect();
    assert!(averages.iter().zip([1.0, 1.0, 0.5]).all(|(left, right)| (left - right).abs() < 1e-9), "{averages:?}");
}

#[test]
fn in_ns2_an_average_decays_while_nothing_that_it_counts_waits() {
    // One yellow and one red packet wait, and the yellow one leaves at 1 s. Of green nothing has come.
    let (start, left) = (Some(at(0.0)), Some(at(1.0)));
    let cases = [("rio_c", [start, left, None]), ("rio_d", [start, left, None]), ("wred", [left; 3])];
    for (mode, expected) in cases {
        let mut policy = policy(&[("averages", mode), ("idles", "ns2")]);
        let mut rig = Rig::waiting(1);
        for tag in [1, 2] {
            rig.tag = tag;
            policy.on_enqueued(at(0.5), &coloured(2), &mut rig.view());
        }
        rig.tag = 1;
        policy.on_departure(at(1.0), &coloured(2), &mut rig.view(), &mut Rng::named(1, "test"));
        policy.on_idle(at(2.0));

        assert_eq!(policy.idle_since, expected, "{mode}");
    }
}

#[test]
fn in_ns2_idle_time_counts_again_after_a_drop() {
    // 4, and 2 packets' time idle, seen by two red packets that are dropped for certain, and one that comes 4 packets' time later.
    let settings =
        [("w_q", "0.5"), ("idle_decay", "ns2"), ("idles", "ns2"), ("averages", "rio_d"), ("red_max_th", "0.1p")];
    let mut policy = policy(&[&settings[..], &[("red_min_th", "0p")]].concat());
    policy.reds[2].average.set(4.0);
    let mut found = |seconds: f64| {
        Rig::waiting(0).arrive_drawing(&mut policy, at(seconds), &coloured(3), 0.5);
        policy.reds[2].average.value()
    };

    // 4 / 2^2 and a step to 0; then all of it again.
    assert!((found(0.001_601) - 0.5).abs() < 1e-9);
    assert!((found(0.001_601) - 0.0625).abs() < 1e-9);
    assert!((found(0.003_201) - 0.0625 / 32.0).abs() < 1e-9);
}

#[test]
fn with_rio_c_an_arrival_moves_the_averages_of_worse_precedences() {
    // Two green and three yellow packets wait when a green one comes: green counts 2, yellow and red 5.
    for (mode, expected) in [("rio_c", [2.0, 5.0, 5.0]), ("rio_d", [2.0, 2.0, 0.0]), ("wred", [5.0; 3])] {
        let more = [("yellow_min_th", "30p"), ("yellow_max_th", "40p")];
        let mut router = Router::new(&[&more[..], &[("averages", mode)]].concat());
        for precedence in [1, 1, 2, 2, 2, 1] {
            assert_eq!(router.arrive(precedence), None);
        }
        let found: Vec<f64> = (0..3).map(|index| router.queue.probe(index)).collect();
        assert_eq!(found, expected, "{mode}");
    }
}

#[test]
fn what_is_pushed_out_counts_for_its_precedence() {
    let mut policy = policy(&[]);
    let mut rig = Rig::waiting(1);
    for tag in [0, 2] {
        rig.tag = tag;
        policy.on_enqueued(at(0.0), &coloured(1), &mut rig.view());
    }
    rig.tag = 2;
    policy.on_drop(at(0.0), &coloured(1), Dropped::PUSHED_OUT, &mut rig.view());

    assert_eq!([0, 1, 2].map(|tag| policy.waiting.backlog(tag).packets), [1, 0, 0]);
}

#[test]
fn automatic_thresholds_are_those_of_the_example_on_a_slow_link_and_grow_with_its_rate() {
    // RED's automatic min_th is max(5, 5 ms C / 2) packets: 5 at 10 Mbit/s, and 31.25 at 100 Mbit/s with packets of 1000 bytes.
    // Where a multiple of it passes the limit, green, yellow and red begin at 5/6, 2/3 and 1/3 of that and end at the limit.
    for (megabits, limit, expected) in [
        (10, "50p", [(20.0, 40.0), (10.0, 20.0), (5.0, 15.0)]),
        (100, "60p", [(50.0, 60.0), (40.0, 60.0), (20.0, 60.0)]),
        (100, "250p", [(125.0, 250.0), (62.5, 125.0), (31.25, 93.75)]),
        (10, "24p", [(20.0, 24.0), (10.0, 20.0), (5.0, 15.0)]),
    ] {
        let link = LinkContext { rate: crate::units::Rate::from_bps(megabits * 1_000_000), ..LinkContext::default() };
        let built = args(&ENTRY, None, &[("limit", limit)]).typed::<Params>().policy(&link).expect("valid limits");
        let found = built.reds.map(|red| (red.curve.min_th, red.curve.max_th));
        for ((min_th, max_th), (least, most)) in found.into_iter().zip(expected) {
            assert!(
                (min_th - least).abs() < 1e-9 && (max_th - most).abs() < 1e-9,
                "{megabits} Mbit/s, {limit}: {found:?}"
            );
        }
    }
}

#[test]
fn crossed_thresholds_are_refused_by_name() {
    for name in ["yellow_max_th", "red_max_th"] {
        let params = args(&ENTRY, None, &[(name, "1p")]).typed::<Params>();
        assert_eq!(params.policy(&LinkContext::default()).map(|_| ()).map_err(|error| error.param), Err(name));
    }
}
