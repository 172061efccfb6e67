use std::collections::VecDeque;

use super::*;
use crate::params::Args;
use crate::registry::transport;
use crate::rng::Rng;
use crate::traffic::packmime;
use crate::transport::ContextOwner;
use crate::transport::spec::TransportSpec;
use crate::units::Duration;

/// Both ends of a pool and a channel of 50 ms each way, which loses every n-th packet of data.
struct Channel {
    sender: Senders,
    receiver: Receivers,
    cx: ContextOwner,
    now: Instant,
    forward: VecDeque<(Instant, Packet)>,
    backward: VecDeque<(Instant, Packet)>,
    lost_every: usize,
    sent: usize,
    answers: Vec<u32>,
    completions: Vec<Completion>,
}

const ONE_WAY: Duration = Duration::from_millis(50);

impl Channel {
    fn new(settings: &[(&str, &str)], lost_every: usize) -> Self {
        let entry = transport("tcp").expect("TCP");
        let spec = TransportSpec::new(entry, entry.args(None).expect("defaults"), None).expect("a transport");
        let args = crate::rig::set(Args::defaults(packmime::ENTRY.params), settings);
        let arrivals = || (packmime::ENTRY.build)(&args).arrivals().expect("many connections");
        let flows = spec.flows();
        let mut channel = Channel {
            sender: Senders::new(Arc::clone(&flows), arrivals()),
            receiver: Receivers { flows, requests: arrivals(), slots: Vec::new(), timers: Timers::default() },
            cx: ContextOwner::new(Rng::named(1, "test")),
            now: Instant::ZERO,
            forward: VecDeque::new(),
            backward: VecDeque::new(),
            lost_every,
            sent: 0,
            answers: Vec::new(),
            completions: Vec::new(),
        };
        channel.sender.start(Instant::ZERO, &mut channel.cx.lend());
        channel
    }

    fn run(&mut self, seconds: f64) {
        let until = Instant::from_secs_f64(seconds);
        loop {
            let heads = [&self.forward, &self.backward].map(|queue| queue.front().map(|(at, _)| *at));
            let times = [self.sender.next_deadline(), self.receiver.next_deadline(), heads[0], heads[1]];
            let Some((which, at)) = (0..4)
                .filter_map(|i| times[i].map(|at| (i, at)))
                .min_by_key(|&(_, at)| at)
                .filter(|&(_, at)| at < until)
            else {
                break;
            };
            assert!(at >= self.now, "time goes forward");
            self.now = at;
            match which {
                0 => self.sender.on_deadline(at, &mut self.cx.lend()),
                1 => self.receiver.on_deadline(at, &mut self.cx.lend()),
                2 => {
                    let (_, packet) = self.forward.pop_front().expect("a head");
                    self.receiver.on_packet(at, &packet, &mut self.cx.lend());
                }
                _ => {
                    let (_, packet) = self.backward.pop_front().expect("a head");
                    self.sender.on_packet(at, &packet, &mut self.cx.lend());
                    self.completions.extend(self.cx.out.take_completions());
                }
            }
            for packet in self.cx.out.drain(..) {
                if matches!(which, 0 | 3) {
                    self.sent += 1;
                    if self.lost_every == 0 || !self.sent.is_multiple_of(self.lost_every) {
                        self.forward.push_back((at + ONE_WAY, packet));
                    }
                } else {
                    if matches!(packet.body, Body::Ack { syn: true, .. }) {
                        self.answers.push(packet.size);
                    }
                    self.backward.push_back((at + ONE_WAY, packet));
                }
            }
        }
    }
}

#[test]
fn every_connection_is_complete_and_takes_its_round_trips() {
    // One segment: SYN and data, two round trips.
    let settings =
        [("rate", "50"), ("cached", "0"), ("response", "500B"), ("response_spread", "0"), ("server_delay", "30ms")];
    let mut channel = Channel::new(&settings, 0);
    channel.run(100.0);

    let done = channel.completions.len() as u64;
    assert!((4700..5300).contains(&done), "{done} of about 5000");
    assert!(channel.completions.iter().all(|one| one.bytes == 500));
    let times = channel.completions.iter().map(|one| one.finished.since(one.started).as_nanos() / 1_000_000);
    // A single segment waits 200 ms for its delayed acknowledgement.
    assert!(times.into_iter().all(|time| time == 30 + 200 + 200));
    let delivered = channel.receiver.counters().bytes_delivered;
    let busy = channel.sender.slots.iter().filter(|slot| slot.busy).count() as u64;
    assert!((500 * done..=500 * (done + busy)).contains(&delivered));
}

#[test]
fn memory_grows_with_the_connections_at_a_time_not_with_time() {
    for lost_every in [0, 23] {
        let settings = [("rate", "100"), ("completions", "false")];
        let mut channel = Channel::new(&settings, lost_every);
        let mut slots = Vec::new();
        for span in 1..=6 {
            channel.run(100.0 * f64::from(span));
            let timers = channel.sender.timers.heap.len() + channel.receiver.timers.heap.len();
            slots.push((channel.sender.slots.len(), channel.receiver.slots.len(), timers));
        }
        // Some 60 000 connections. At a time there are 100 times their mean duration, some 0.4 s: 40, and rarely more
        // than 40 + 6 sqrt(40). With losses the longest wait seconds for their timers.
        let (most, _, timers) = slots[5];
        assert!(most < if lost_every == 0 { 100 } else { 400 }, "{slots:?}");
        assert!(timers <= 4 * most, "{slots:?}");
        assert!(slots[5].0 <= slots[1].0 + slots[1].0 / 4, "{slots:?}");
        assert!(slots.iter().all(|(sending, receiving, _)| receiving <= sending), "{slots:?}");
        assert!(channel.completions.is_empty() && channel.completions.capacity() == 0);
    }
}

#[test]
fn connections_that_lose_packets_do_not_mix() {
    let settings = [("rate", "50"), ("response", "20kB"), ("response_spread", "1"), ("cached", "0")];
    let mut channel = Channel::new(&settings, 17);
    channel.run(200.0);
    channel.sender.next_arrival = None;
    channel.run(2000.0);

    // All that began is complete, and the receiver has each byte once.
    let bytes: u64 = channel.completions.iter().map(|done| done.bytes).sum();
    assert!(channel.completions.len() > 9000);
    assert_eq!(channel.receiver.counters().bytes_delivered, bytes);
    assert!(channel.sender.slots.iter().all(|slot| !slot.busy));
    assert_eq!(channel.sender.free.len(), channel.sender.slots.len());
}

#[test]
fn a_request_makes_the_answer_to_the_syn_larger() {
    for (request, size) in [("0B", 40), ("300B", 340), ("5kB", 1500)] {
        let mut channel = Channel::new(&[("request", request), ("request_spread", "0")], 0);
        channel.run(10.0);
        assert!(channel.answers.len() > 50 && channel.answers.iter().all(|answer| *answer == size), "{request}");
    }
}

#[test]
fn a_connection_too_many_is_refused() {
    let mut channel = Channel::new(&[("rate", "1000"), ("connections_max", "7")], 0);
    channel.run(20.0);
    assert_eq!(channel.sender.slots.len(), 7);
    // Seven at a time of 0.2 to 0.6 s each.
    assert!((200..800).contains(&channel.completions.len()), "{}", channel.completions.len());
}

#[test]
fn a_stopped_pool_completes_what_is_out_and_begins_nothing() {
    let mut channel = Channel::new(&[("rate", "50")], 0);
    channel.run(10.0);
    channel.sender.stop(channel.now, &mut channel.cx.lend());
    let sent = channel.sent;
    channel.run(100.0);
    assert_eq!(channel.sent, sent, "what was out arrives without more");
    assert_eq!(channel.sender.next_deadline(), None);
}
