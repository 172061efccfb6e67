//! RAP, TEAR and LDA+ over a channel whose losses are known to the packet, and beside TCP on a dumbbell.

use sojourn_sim::units::Duration;

use super::beside_sack;
use super::channel::{Channel, Fate, RTT, always, bernoulli, periodic};

/// Packets per round trip of a window that grows by one in each and is halved by each of the losses with rate `p`:
/// `sqrt(3 / (2 p))` (Mathis, Semke, Mahdavi and Ott 1997).
fn square_root(p: f64) -> f64 {
    (1.5 / p).sqrt()
}

/// The time in which about `events` packets are lost.
fn time_for(events: f64, p: f64) -> f64 {
    events / p / square_root(p) * RTT
}

#[test]
fn raps_rate_under_periodic_losses_is_that_of_the_square_root() {
    // Rejaie, Handley and Estrin 1999: AIMD by one packet and one half. A loss that the timer finds (1.2 round trips) costs a turn
    // besides, one packet of each interval: that and the steps are the 6 %.
    for p in [0.001, 0.002, 0.005, 0.01, 0.02] {
        let time = time_for(60.0, p);
        let measured = Channel::new("rap", &[], ("bulk", &[]), periodic(p, Fate::Lose)).window(time / 2.0, time);
        println!("p = {p}: {measured:.3} packets per round trip, {:.3} by the square root", square_root(p));
        assert!((measured / square_root(p) - 1.0).abs() < 0.06, "{p}: {measured}");
    }
}

#[test]
fn tears_rate_under_periodic_losses_is_that_of_the_square_root() {
    // The window that the receiver plays holds the packets that a TCP still sends before it hears of a loss: W packets more between two
    // losses than the 3/8 W^2 of the square root, of which half are in the round of the loss anyway. With 3/8 W^2 + 5/4 W = 1/p and
    // (1/p) / (W / 2 + 3/2) packets per round trip the rate is 8 % lower at p = 0.01, 3 % at 0.001.
    for p in [0.001, 0.002, 0.005, 0.01] {
        let time = time_for(100.0, p);
        let measured = Channel::new("tear", &[], ("bulk", &[]), periodic(p, Fate::Lose)).window(time / 2.0, time);
        let window = (-1.25 + (1.25_f64.powi(2) + 1.5 / p).sqrt()) / 0.75;
        let expected = 1.0 / p / (window / 2.0 + 1.5);
        println!("p = {p}: {measured:.3} packets per round trip, {expected:.3} expected, {:.3}", square_root(p));
        assert!((measured / expected - 1.0).abs() < 0.05, "{p}: {measured} and {expected}");
    }
}

/// The least and the greatest gap between two packets in the second half of a time.
fn gaps(kind: &str, p: f64) -> (f64, f64) {
    let time = time_for(100.0, p);
    let mut channel = Channel::new(kind, &[], ("bulk", &[]), periodic(p, Fate::Lose));
    channel.run_until(time);
    let late = channel.departures.windows(2).filter(|pair| pair[0] > time / 2.0).map(|pair| pair[1] - pair[0]);
    late.fold((f64::MAX, 0.0_f64), |(least, most), gap| (least.min(gap), most.max(gap)))
}

#[test]
fn tear_is_smooth_where_a_window_saws() {
    // All epochs are alike under periodic losses, so that the rate stands still; AIMD's goes from W / 2 to W.
    let (least, most) = gaps("tear", 0.005);
    println!("gaps from {least:.5} to {most:.5}");
    assert!(most < 1.1 * least, "{least} to {most}");
    let (shortest, longest) = gaps("rap", 0.005);
    assert!(longest > 1.8 * shortest, "{shortest} to {longest}");
}

#[test]
fn over_random_losses_all_are_within_a_factor_of_two_of_the_square_root() {
    for kind in ["rap", "tear"] {
        for p in [0.002, 0.01, 0.03] {
            let time = time_for(400.0, p);
            let measured =
                Channel::new(kind, &[], ("bulk", &[]), bernoulli(p)).window(time / 3.0, time) / square_root(p);
            println!("{kind}, p = {p}: {measured:.2} of the square root");
            assert!((0.5..1.5).contains(&measured), "{kind} {p}: {measured}");
        }
    }
}

#[test]
fn lda_rises_by_what_a_tcp_would_while_nothing_is_lost() {
    // No bottleneck here: pairs arrive together. Each report adds 10 kbit/s, 1.25 packets a second, or by TCP's law at most
    // 1000 (5 / 0.1 + 1) / 0.2 bytes per second.
    let mut channel = Channel::new("lda", &[], ("bulk", &[]), always(Fate::Deliver));
    let rates: Vec<f64> =
        (0..10).map(|n| channel.window(5.0 * f64::from(n) + 0.2, 5.0 * f64::from(n) + 5.0) / RTT).collect();
    for (n, rate) in rates.iter().enumerate() {
        let expected = (64_000.0 + 10_000.0 * n as f64) / 8000.0 * 17.0 / 16.0;
        assert!((rate / expected - 1.0).abs() < 0.08, "{n}: {rate}, expected {expected}");
    }
}

#[test]
fn lda_settles_where_the_root_of_the_loss_takes_what_reports_add() {
    // Losses of one in a hundred in every interval: the rate falls by a tenth at each report until it is TCP's, and stays there.
    let p = 0.01;
    let time = 400.0;
    let measured = Channel::new("lda", &[("initial_rate", "8Mbit")], ("bulk", &[]), periodic(p, Fate::Lose))
        .window(time / 2.0, time);
    // Padhye's equation with b = 1 and a timeout of four round trips, written out.
    let waits = 3.0 * (3.0 * p / 8.0_f64).sqrt();
    let expected = 1.0 / ((2.0 * p / 3.0_f64).sqrt() + 4.0 * waits * p * (1.0 + 32.0 * p * p));
    println!("{measured:.2} packets per round trip, TCP's {expected:.2}");
    // Every sixteenth packet is followed by another, which the rate does not count.
    assert!((measured / (expected * 17.0 / 16.0) - 1.0).abs() < 0.05, "{measured} {expected}");
}

#[test]
fn reports_come_when_they_should() {
    let mut rap = Channel::new("rap", &[], ("bulk", &[]), always(Fate::Deliver));
    rap.run_until(20.0);
    assert_eq!(rap.reports.len(), rap.departures.iter().filter(|time| **time <= 19.95).count(), "each packet");
    let mut tear = Channel::new("tear", &[], ("bulk", &[]), always(Fate::Deliver));
    tear.run_until(3.0);
    assert!(tear.reports.windows(2).all(|pair| pair[1].0 - pair[0].0 > RTT - 1e-6), "once in a round trip");
    let mut lda = Channel::new("lda", &[], ("bulk", &[]), always(Fate::Deliver));
    lda.run_until(31.0);
    assert_eq!(lda.reports.len(), 6);
}

#[test]
fn without_reports_every_sender_slows_down_or_keeps_its_rate_and_none_stops() {
    for (kind, slows) in [("rap", true), ("tear", true), ("lda", false)] {
        let mut channel = Channel::new(kind, &[], ("bulk", &[]), periodic(0.01, Fate::Lose));
        channel.run_until(60.0);
        channel.silent_from = channel.now;
        let before = channel.window(40.0, 60.0);
        let after = channel.window(80.0, 200.0);
        assert_eq!(after < 0.2 * before, slows, "{kind}: {before} {after}");
        assert!(after > 0.0, "{kind}");
    }
}

#[test]
fn a_sender_without_reports_is_said_to_stand_still_and_none_with_them() {
    for kind in ["rap", "tear", "lda"] {
        for law in [periodic(0.01, Fate::Lose), bernoulli(0.02), bernoulli(0.2)] {
            let mut channel = Channel::new(kind, &[], ("bulk", &[]), law);
            channel.run_until(100.0);
            assert_eq!(channel.sender.standstill(channel.now), Duration::ZERO, "{kind}");

            // Two packets at the slowest, 64 s apart, are the longest wait for a report: three times that is 384 s.
            channel.silent_from = channel.now;
            channel.run_until(100.0 + 450.0);
            let still = channel.sender.standstill(channel.now).as_secs_f64();
            // The last report may have come 5 s before.
            assert!((384.0..456.0).contains(&still), "{kind}: {still}");
        }
    }
}

#[test]
fn a_transfer_of_so_many_packets_sends_so_many() {
    for kind in ["rap", "tear", "lda"] {
        let mut channel = Channel::new(kind, &[], ("bulk", &[("packets", "50")]), periodic(0.1, Fate::Lose));
        channel.run_until(300.0);
        assert_eq!(channel.departures.len(), 50, "{kind}");
        let (sent, received) = (channel.sender.counters(), channel.receiver.counters());
        assert_eq!((sent.packets_sent, received.packets_received), (50, 45), "{kind}");
        assert_eq!(received.bytes_new, received.bytes_delivered);
    }
}

#[test]
fn beside_tcp_they_get_a_similar_share() {
    // Rejaie et al. 1999, figures of the fairness ratio: near 1 under RED; "TCP-friendly" of all three means within a factor of two
    // (RFC 5348 section 1: reasonably fair).
    for transport in [r#"kind = "rap""#, r#"kind = "rap", fine_grain = true"#, r#"kind = "tear""#, r#"kind = "lda""#] {
        let red = r#"kind = "red", preset = "ns2", above = "gentle", limit = "150p", min_th = "25p", max_th = "75p""#;
        let share = beside_sack(red, transport, "");
        assert!((0.5..2.0).contains(&share), "{transport}: {share}");
    }
}
