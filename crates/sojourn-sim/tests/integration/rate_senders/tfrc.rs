//! TFRC over a channel whose losses are known to the packet, and beside TCP on a dumbbell.

use std::cell::Cell;
use std::rc::Rc;

use proptest::prelude::*;
use sojourn_sim::packet::Body;
use sojourn_sim::rng::Rng;
use sojourn_sim::units::{Duration, Instant};

use super::beside_sack;
use super::channel::{Channel, Fate, Law, RTT, always, bernoulli, periodic};

/// Of TFRC packets and, with 40 bytes of headers in 1008, of TCP segments.
const PAYLOAD: f64 = 968.0;

fn tfrc(settings: &[(&str, &str)], law: Law) -> Channel {
    Channel::new("tfrc", settings, ("bulk", &[]), law)
}

fn sack(law: Law) -> Channel {
    // A receiver that answers each packet, as b = 1 in the equation; timeouts of 4 R.
    let settings = [("packet", "1008B"), ("ack_every", "1"), ("rto_min", "400ms")];
    Channel::new("tcp", &settings, ("bulk", &[]), law)
}

/// Times and values of the reported loss event rate.
fn feedback(channel: &Channel) -> Vec<(f64, f64)> {
    let told = channel.reports.iter();
    told.filter_map(|&(at, body)| match body {
        Body::TfrcFeedback { loss_event_rate, .. } => Some((at, loss_event_rate)),
        _ => None,
    })
    .collect()
}

/// Packets per round trip by RFC 5348 section 3.1 with t_RTO = 4 R and b = 1.
fn equation(p: f64) -> f64 {
    1.0 / ((2.0 * p / 3.0).sqrt() + 12.0 * (3.0 * p / 8.0).sqrt() * p * (1.0 + 32.0 * p * p))
}

/// The time in which about `events` packets are lost at rate `p` and the equation's speed.
fn time_for(events: f64, p: f64) -> f64 {
    events / p / equation(p) * RTT
}

#[test]
fn the_rate_under_periodic_losses_is_the_equations() {
    // All loss intervals are 1/p while that is more than a round trip's packets: up to p = 0.05 or so.
    for p in [0.001, 0.002, 0.005, 0.01, 0.02, 0.05] {
        let time = time_for(60.0, p);
        let measured = tfrc(&[], periodic(p, Fate::Lose)).window(time / 2.0, time);
        println!("p = {p}: {measured:.3} packets per round trip, equation {:.3}", equation(p));
        assert!((measured / equation(p) - 1.0).abs() < 0.02, "{p}: {measured}");
    }
}

#[test]
fn marks_count_as_losses() {
    let time = time_for(60.0, 0.01);
    let marked = tfrc(&[("ecn", "true")], periodic(0.01, Fate::Mark)).window(time / 2.0, time);
    // Packets that are not capable are not marked: the rate goes on doubling in each round trip or two.
    let deaf = tfrc(&[], periodic(0.01, Fate::Mark)).window(1.0, 1.5);

    assert!((marked / equation(0.01) - 1.0).abs() < 0.02, "{marked}");
    assert!(deaf > 10.0 * marked, "{deaf}");
}

#[test]
fn over_the_same_losses_it_sends_within_a_factor_of_two_of_tcp() {
    // RFC 5348 section 1: "reasonably fair".
    type Losses = fn(f64) -> Law;
    let kinds: [(&str, Losses); 2] = [("periodic", |p| periodic(p, Fate::Lose)), ("random", bernoulli)];
    for (kind, law) in kinds {
        for p in [0.001, 0.002, 0.005, 0.01, 0.02, 0.05] {
            let time = time_for(300.0, p);
            let ours = tfrc(&[], law(p)).window(time / 3.0, time);
            let tcps = sack(law(p)).window(time / 3.0, time);
            println!("{kind} p = {p}: TFRC {ours:.2}, SACK {tcps:.2} packets per round trip, {:.2}", ours / tcps);
            assert!((0.5..2.0).contains(&(ours / tcps)), "{kind} {p}: {ours} and {tcps}");
        }
    }
}

#[test]
fn packets_leave_one_by_one_at_the_allowed_rate() {
    let mut channel = tfrc(&[], periodic(0.01, Fate::Lose));
    channel.run_until(60.0);
    let last: Vec<f64> = channel.departures.iter().copied().filter(|time| *time > 50.0).collect();
    let expected = RTT / equation(0.01);

    for pair in last.windows(2) {
        let gap = pair[1] - pair[0];
        // The mean loss interval grows by at most the excess of the present one over old ones: not at all here.
        assert!((gap / expected - 1.0).abs() < 0.05, "{gap}, expected {expected}");
    }
}

#[test]
fn feedback_comes_once_in_a_round_trip_and_at_once_for_a_loss_event() {
    let mut channel = tfrc(&[], Box::new(|n| if n == 100 { Fate::Lose } else { Fate::Deliver }));
    channel.run_until(3.0);

    // The first packet is answered at 50 ms; the next ones leave at 100 ms with R.
    let feedback = feedback(&channel);
    assert!((feedback[0].0 - 0.05).abs() < 1e-9 && feedback[0].1 == 0.0);
    let lost_at = channel.departures[100];
    let (third, p) = *feedback.iter().find(|(_, p)| *p > 0.0).expect("the loss is told");
    assert!((third - channel.departures[103] - 0.05).abs() < 1e-9, "when the third packet after it comes");
    assert!(p > 0.0 && third > lost_at);
    for pair in feedback.windows(2).filter(|pair| pair[0].0 > 0.2 && pair[1].1 == 0.0) {
        assert!((pair[1].0 - pair[0].0 - RTT).abs() < 1e-6, "{pair:?}");
    }
}

#[test]
fn slow_start_doubles_the_rate_until_the_first_loss_and_then_has_what_arrived() {
    let mut channel = tfrc(&[], Box::new(|n| if n == 1000 { Fate::Lose } else { Fate::Deliver }));
    channel.run_until(5.0);
    let sent = |from: f64, to: f64| channel.departures.iter().filter(|time| (from..to).contains(*time)).count() as f64;

    // Four packets in the first round trip with a rate, from 100 ms on (W_init for 968 bytes: 4 segments); each
    // doubling comes with the next feedback.
    assert!((3.0..=5.0).contains(&sent(0.1, 0.2)));
    let lost_at = channel.departures[1000];
    let before = sent(lost_at - 0.1, lost_at);
    // RFC 5348 section 6.3.1: the equation is inverted at the rate that arrived in the round trip before.
    let after = sent(lost_at + 0.25, lost_at + 0.35);
    println!("{before} packets in the round trip before the loss, {after} after it");
    assert!((0.3..=1.05).contains(&(after / before)));
}

#[test]
fn without_feedback_the_rate_halves_every_four_round_trips() {
    let mut channel = tfrc(&[], periodic(0.01, Fate::Lose));
    channel.silent_from = Instant::from_secs_f64(40.0);
    channel.run_until(50.0);
    let sent =
        |from: f64| channel.departures.iter().filter(|time| (from..from + 0.3).contains(*time)).count() as f64 / 3.0;

    // The last feedback comes up to 100 ms + 50 ms around 40 s; the timer is 4 R = 400 ms.
    let (full, half, quarter) = (sent(39.0), sent(40.5), sent(40.9));
    assert!((half / full - 0.5).abs() < 0.12 && (quarter / full - 0.25).abs() < 0.12, "{full} {half} {quarter}");
    assert!(sent(49.0) <= 1.0);
}

#[test]
fn discounting_lets_it_recover_sooner() {
    // Losses of 2 % until 60 s, then none.
    let law = || -> Law {
        let mut periodic = periodic(0.02, Fate::Lose);
        let mut packets = 0_u64;
        Box::new(move |n| {
            packets += 1;
            if packets < 4000 { periodic(n) } else { Fate::Deliver }
        })
    };
    let last_rate = |discounting: &str| {
        let mut channel = tfrc(&[("discounting", discounting)], law());
        channel.run_until(200.0);
        let end = channel.departures[4000];
        channel.departures.iter().filter(|time| (end + 5.0..end + 10.0).contains(*time)).count() as f64
    };
    let (with, without) = (last_rate("true"), last_rate("false"));
    println!("{with} and {without} packets in the 5 s that begin 5 s after the last loss");
    assert!(with > 1.2 * without);
}

#[test]
fn small_packets_are_sent_as_often_as_large_ones() {
    // 232 bytes of 1000: with s the mean segment size the packets per round trip are the equation's.
    let source = ("cbr", &[("rate", "10Mbit"), ("packet", "232B")][..]);
    let time = time_for(100.0, 0.01);
    let measured = Channel::new("tfrc", &[], source, periodic(0.01, Fate::Lose)).window(time / 2.0, time);

    assert!((measured / equation(0.01) - 1.0).abs() < 0.03, "{measured} and {}", equation(0.01));
}

#[test]
fn a_slow_source_is_not_slowed_down() {
    // 10 packets of 1000 bytes a second, one in each round trip, and nothing is lost.
    let source = ("cbr", &[("rate", "80kbit")][..]);
    let mut channel = Channel::new("tfrc", &[], source, always(Fate::Deliver));
    channel.run_until(30.0);

    // The second waits for the first feedback, until 100 ms; from then on all are on time.
    for (n, time) in channel.departures.iter().enumerate().skip(2) {
        assert!((time - 0.1 * n as f64).abs() < 1e-6, "{n}: {time}");
    }
    assert!((channel.receiver.counters().bytes_delivered as f64 / PAYLOAD - 300.0).abs() < 2.0);
}

#[test]
fn a_stopped_sender_is_silent() {
    let mut channel = tfrc(&[], always(Fate::Deliver));
    channel.run_until(1.0);
    channel.sender.stop(channel.now, &mut channel.cx.lend());
    let sent = channel.departures.len();
    channel.run_until(100.0);

    assert_eq!(channel.departures.len(), sent);
    assert_eq!((channel.sender.next_deadline(), channel.receiver.next_deadline()), (None, None));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    /// Whatever the fate of packets, the loss event rate is a valid one, the sender goes on, and the receiver counts arrivals.
    #[test]
    fn any_weather_is_survived(
        lose in 2_u64..40,
        mark in 0_u64..20,
        copy in 0_u64..20,
        late in 0_u64..20,
        settings in prop::sample::select(vec![("ecn", "true"), ("discounting", "false"), ("dup_threshold", "1"), ("intervals", "1")]),
        source in prop::sample::select(vec![("bulk", ""), ("cbr", "200kbit"), ("cbr", "20Mbit")]),
        seed in any::<u64>(),
    ) {
        let mut rng = Rng::named(seed, "weather");
        let came = Rc::new(Cell::new(0_u64));
        let counted = Rc::clone(&came);
        let law = Box::new(move |_| {
            let die = rng.below(100);
            let fate = match die {
                _ if die < lose => Fate::Lose,
                _ if die < lose + mark => Fate::Mark,
                _ if die < lose + mark + copy => Fate::Copy,
                _ if die < lose + mark + copy + late => Fate::Late(rng.below(500)),
                _ => Fate::Deliver,
            };
            counted.set(counted.get() + match fate { Fate::Lose => 0, Fate::Copy => 2, _ => 1 });
            fate
        });
        let rate = [("rate", source.1)];
        let keys: &[(&str, &str)] = if source.1.is_empty() { &[] } else { &rate };
        let mut channel = Channel::new("tfrc", &[settings], (source.0, keys), law);
        channel.run_until(60.0);

        prop_assert!(feedback(&channel).iter().all(|(_, p)| (0.0..=1.0).contains(p)));
        // s / t_mbi: a packet in 64 s; the nofeedback timer goes on as well.
        prop_assert!(channel.sender.next_deadline().is_some_and(|due| due.since(channel.now) <= Duration::from_secs(128)));
        let flying = channel.forward.len() as u64;
        prop_assert_eq!(channel.receiver.counters().packets_received + flying, came.get());
        let last: Vec<f64> = channel.departures.windows(2).map(|pair| pair[1] - pair[0]).collect();
        prop_assert!(last.iter().all(|gap| *gap >= 0.0));
    }
}

#[test]
fn beside_tcp_it_gets_a_similar_share() {
    for (queue, transport) in [
        (r#"kind = "red", limit = "150p", min_th = "15p", max_th = "75p""#, ""),
        (r#"kind = "red", limit = "150p", min_th = "15p", max_th = "75p", ecn = true"#, ", ecn = true"),
        (r#"kind = "fifo", limit = "100p""#, ""),
    ] {
        let share = beside_sack(queue, r#"kind = "tfrc""#, transport);
        assert!((0.5..2.0).contains(&share), "{queue}: {share}");
    }
}
