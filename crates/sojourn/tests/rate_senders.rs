//! RAP, TEAR and LDA+, sender and receiver, over a channel of the test's own, whose losses are known to the packet; and beside TCP on a
//! dumbbell.

use std::collections::VecDeque;

use sojourn::metrics::Table;
use sojourn::packet::{Body, Packet};
use sojourn::params::Args;
use sojourn::registry::{app, transport};
use sojourn::rng::Rng;
use sojourn::scenario::plan::Plan;
use sojourn::sim::Simulation;
use sojourn::transport::spec::TransportSpec;
use sojourn::transport::{ContextOwner, Endpoint};
use sojourn::units::{Duration, Instant};

const ONE_WAY: Duration = Duration::from_millis(50);
const RTT: f64 = 0.1;

/// Whether the n-th data packet is lost.
type Law = Box<dyn FnMut(u64) -> bool>;

fn never() -> Law {
    Box::new(|_| false)
}

/// Every 1/p-th packet.
fn periodic(p: f64) -> Law {
    let period = (1.0 / p).round() as u64;
    Box::new(move |n| n % period == period - 1)
}

/// Each packet with probability p, independently.
fn bernoulli(p: f64) -> Law {
    let mut rng = Rng::named(1, "losses");
    Box::new(move |_| rng.uniform() < p)
}

struct Channel {
    sender: Box<dyn Endpoint>,
    receiver: Box<dyn Endpoint>,
    cx: ContextOwner,
    law: Law,
    forward: VecDeque<(Instant, Packet)>,
    backward: VecDeque<(Instant, Packet)>,
    now: Instant,
    /// Reports are lost from here on.
    silent_from: Instant,
    /// When each data packet left.
    departures: Vec<f64>,
    reports: Vec<f64>,
}

impl Channel {
    fn new(kind: &str, settings: &[(&str, &str)], source: &[(&str, &str)], law: Law) -> Self {
        let entry = transport(kind).expect("a transport");
        let mut args = entry.args(None).expect("defaults");
        for (name, value) in settings {
            args.set_text(name, value).expect("a setting");
        }
        let spec = TransportSpec::new(entry, args, None).expect("consistent parameters");
        let bulk = app("bulk").expect("a source");
        let mut bulk_args = Args::defaults(bulk.params);
        for (name, value) in source {
            bulk_args.set_text(name, value).expect("a setting");
        }
        let (sender, receiver) = spec.endpoints((bulk.build)(&bulk_args));
        let mut channel = Channel {
            sender,
            receiver,
            cx: ContextOwner::new(Rng::named(1, "flow")),
            law,
            forward: VecDeque::new(),
            backward: VecDeque::new(),
            now: Instant::ZERO,
            silent_from: Instant::MAX,
            departures: Vec::new(),
            reports: Vec::new(),
        };
        channel.sender.start(Instant::ZERO, &mut channel.cx.lend());
        channel.depart();
        channel
    }

    fn depart(&mut self) {
        for packet in self.cx.out.drain(..) {
            assert!(matches!(packet.body, Body::TfrcData { seq, .. } if seq == self.departures.len() as u64));
            let lost = (self.law)(self.departures.len() as u64);
            self.departures.push(self.now.as_secs_f64());
            if !lost {
                self.forward.push_back((self.now + ONE_WAY, packet));
            }
        }
    }

    fn answer(&mut self) {
        for packet in self.cx.out.drain(..) {
            assert!(matches!(packet.body, Body::Report { .. }));
            self.reports.push(self.now.as_secs_f64());
            if self.now < self.silent_from {
                self.backward.push_back((self.now + ONE_WAY, packet));
            }
        }
    }

    fn run_until(&mut self, secs: f64) {
        let until = Instant::from_secs_f64(secs);
        loop {
            let heads = [self.forward.front(), self.backward.front()].map(|head| head.map(|(at, _)| *at));
            let times = [self.sender.next_deadline(), self.receiver.next_deadline(), heads[0], heads[1]];
            let next = (0..4).filter_map(|i| times[i].map(|at| (i, at))).min_by_key(|&(_, at)| at);
            let Some((which, at)) = next.filter(|&(_, at)| at <= until) else { break };
            assert!(at >= self.now, "time goes forward");
            self.now = at;
            match which {
                0 => self.sender.on_deadline(at, &mut self.cx.lend()),
                1 => self.receiver.on_deadline(at, &mut self.cx.lend()),
                2 => {
                    let (_, packet) = self.forward.pop_front().expect("the head");
                    self.receiver.on_packet(at, &packet, &mut self.cx.lend());
                }
                _ => {
                    let (_, packet) = self.backward.pop_front().expect("the head");
                    self.sender.on_packet(at, &packet, &mut self.cx.lend());
                }
            }
            if matches!(which, 1 | 2) { self.answer() } else { self.depart() }
        }
        self.now = until;
    }

    /// Packets sent per round trip in `from..to` seconds.
    fn window(&mut self, from: f64, to: f64) -> f64 {
        self.run_until(to);
        let sent = self.departures.iter().filter(|time| (from..to).contains(*time)).count();
        sent as f64 / (to - from) * RTT
    }
}

/// Packets per round trip of a window that grows by one in each and is halved by each of the losses with rate `p`:
/// `sqrt(3 / (2 p))` (Mathis, Semke, Mahdavi and Ott 1997).
fn square_root(p: f64) -> f64 {
    (1.5 / p).sqrt()
}

/// Time in which about so many packets are lost.
fn time_for(events: f64, p: f64) -> f64 {
    events / p / square_root(p) * RTT
}

#[test]
fn raps_rate_under_periodic_losses_is_that_of_the_square_root() {
    // Rejaie, Handley and Estrin 1999: AIMD by one packet and one half. A loss that the timer finds (1.2 round trips) costs a turn
    // besides, one packet of each interval: that and the steps are the 6 %.
    for p in [0.001, 0.002, 0.005, 0.01, 0.02] {
        let time = time_for(60.0, p);
        let measured = Channel::new("rap", &[], &[], periodic(p)).window(time / 2.0, time);
        println!("p = {p}: {measured:.3} packets per round trip, {:.3} by the square root", square_root(p));
        assert!((measured / square_root(p) - 1.0).abs() < 0.06, "{p}: {measured}");
    }
}

#[test]
fn tears_rate_under_periodic_losses_is_that_of_the_square_root() {
    // The window that the receiver plays holds what a TCP still sends before it hears of a loss: W packets more between two losses
    // than the 3/8 W^2 of the square root, of which half are in the round of the loss anyway. With 3/8 W^2 + 5/4 W = 1/p and
    // (1/p) / (W / 2 + 3/2) packets per round trip the rate is 8 % lower at p = 0.01, 3 % at 0.001.
    for p in [0.001, 0.002, 0.005, 0.01] {
        let time = time_for(100.0, p);
        let measured = Channel::new("tear", &[], &[], periodic(p)).window(time / 2.0, time);
        let window = (-1.25 + (1.25_f64.powi(2) + 1.5 / p).sqrt()) / 0.75;
        let expected = 1.0 / p / (window / 2.0 + 1.5);
        println!("p = {p}: {measured:.3} packets per round trip, {expected:.3} expected, {:.3}", square_root(p));
        assert!((measured / expected - 1.0).abs() < 0.05, "{p}: {measured} and {expected}");
    }
}

/// The least and the greatest gap between two packets in the second half of a time.
fn gaps(kind: &str, p: f64) -> (f64, f64) {
    let time = time_for(100.0, p);
    let mut channel = Channel::new(kind, &[], &[], periodic(p));
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
            let measured = Channel::new(kind, &[], &[], bernoulli(p)).window(time / 3.0, time) / square_root(p);
            println!("{kind}, p = {p}: {measured:.2} of the square root");
            assert!((0.5..1.5).contains(&measured), "{kind} {p}: {measured}");
        }
    }
}

#[test]
fn lda_rises_by_what_a_tcp_would_while_nothing_is_lost() {
    // No bottleneck here: pairs arrive together. Each report adds 10 kbit/s, 1.25 packets a second, or by TCP's law at most
    // 1000 (5 / 0.1 + 1) / 0.2 bytes per second.
    let mut channel = Channel::new("lda", &[], &[], never());
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
    let measured = Channel::new("lda", &[("initial_rate", "8Mbit")], &[], periodic(p)).window(time / 2.0, time);
    // Padhye's equation with b = 1 and a timeout of four round trips, written out.
    let waits = 3.0 * (3.0 * p / 8.0_f64).sqrt();
    let expected = 1.0 / ((2.0 * p / 3.0_f64).sqrt() + 4.0 * waits * p * (1.0 + 32.0 * p * p));
    println!("{measured:.2} packets per round trip, TCP's {expected:.2}");
    // Every sixteenth packet is followed by another, which the rate does not count.
    assert!((measured / (expected * 17.0 / 16.0) - 1.0).abs() < 0.05, "{measured} {expected}");
}

#[test]
fn reports_come_when_they_should() {
    let mut rap = Channel::new("rap", &[], &[], never());
    rap.run_until(20.0);
    assert_eq!(rap.reports.len(), rap.departures.iter().filter(|time| **time <= 19.95).count(), "each packet");
    let mut tear = Channel::new("tear", &[], &[], never());
    tear.run_until(3.0);
    assert!(tear.reports.windows(2).all(|pair| pair[1] - pair[0] > RTT - 1e-6), "once in a round trip");
    let mut lda = Channel::new("lda", &[], &[], never());
    lda.run_until(31.0);
    assert_eq!(lda.reports.len(), 6);
}

#[test]
fn without_reports_every_sender_slows_down_or_keeps_its_rate_and_none_stops() {
    for (kind, slows) in [("rap", true), ("tear", true), ("lda", false)] {
        let mut channel = Channel::new(kind, &[], &[], periodic(0.01));
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
        for law in [periodic(0.01), bernoulli(0.02), bernoulli(0.2)] {
            let mut channel = Channel::new(kind, &[], &[], law);
            channel.run_until(100.0);
            assert_eq!(channel.sender.standstill(channel.now), Duration::ZERO, "{kind}");

            // Two packets at the slowest, 64 s apart, are what a report is waited for at most: three times that is 384 s.
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
        let mut channel = Channel::new(kind, &[], &[("packets", "50")], periodic(0.1));
        channel.run_until(300.0);
        assert_eq!(channel.departures.len(), 50, "{kind}");
        let (sent, received) = (channel.sender.counters(), channel.receiver.counters());
        assert_eq!((sent.packets_sent, received.packets_received), (50, 45), "{kind}");
        assert_eq!(received.bytes_new, received.bytes_delivered);
    }
}

fn run(text: &str) -> Vec<Table> {
    let plan = Plan::from_toml(text, "test.toml").unwrap_or_else(|error| panic!("{error}"));
    let mut simulation = Simulation::new(&plan, 1).expect("a plan that runs");
    simulation.advance(simulation.end());
    simulation.finish()
}

fn number(tables: &[Table], table: &str, column: &str, row: usize) -> f64 {
    let table = tables.iter().find(|candidate| candidate.name == table).expect("a table");
    table.number(column, row).expect("a number")
}

/// The mean throughput of eight flows of a transport over that of eight of SACK beside them under the RED of these works' time.
fn beside_sack(transport: &str) -> f64 {
    let tables = run(&format!(
        r#"
duration = "120s"
warmup = "30s"
[dumbbell]
rate = "15Mbit"
delay = "20ms"
access = {{ rate = "100Mbit", delay = ["2ms", "18ms"] }}
queue = {{ kind = "red", preset = "ns2", above = "gentle", limit = "150p", min_th = "25p", max_th = "75p" }}
[[flow]]
name = "it"
count = 8
transport = {{ {transport}, packet = "1000B" }}
app = "bulk"
start = {{ at = "0s", spread = "2s" }}
[[flow]]
name = "sack"
count = 8
transport = {{ kind = "tcp", recovery = "sack", profile = "rfc", packet = "1000B", ack_every = 1 }}
app = "bulk"
start = {{ at = "0s", spread = "2s" }}
"#
    ));
    let used = number(&tables, "queue", "utilisation", 0);
    assert!(used > 0.9, "{transport}: {used}");
    let share = number(&tables, "group", "throughput_mean_bps", 0) / number(&tables, "group", "throughput_mean_bps", 1);
    println!("{transport}: {share:.2} of SACK's share, {used:.3} of the link");
    share
}

#[test]
fn beside_tcp_they_get_a_similar_share() {
    // Rejaie et al. 1999, figures of the fairness ratio: near 1 under RED; "TCP-friendly" of all three means within a factor of two
    // (RFC 5348 section 1: reasonably fair).
    for transport in [r#"kind = "rap""#, r#"kind = "rap", fine_grain = true"#, r#"kind = "tear""#, r#"kind = "lda""#] {
        let share = beside_sack(transport);
        assert!((0.5..2.0).contains(&share), "{transport}: {share}");
    }
}
