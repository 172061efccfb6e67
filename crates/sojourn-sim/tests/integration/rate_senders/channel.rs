//! A channel between a sender and a receiver, whose losses are known to the packet.

use std::collections::VecDeque;

use sojourn_sim::packet::{Body, Ecn, Packet};
use sojourn_sim::params::Args;
use sojourn_sim::registry::{app, transport};
use sojourn_sim::rng::Rng;
use sojourn_sim::transport::spec::TransportSpec;
use sojourn_sim::transport::{ContextOwner, Endpoint};
use sojourn_sim::units::{Duration, Instant};

const ONE_WAY: Duration = Duration::from_millis(50);
pub const RTT: f64 = 0.1;

#[derive(Clone, Copy, PartialEq)]
pub enum Fate {
    Deliver,
    Lose,
    Mark,
    /// Twice.
    Copy,
    /// Later by this number of milliseconds.
    Late(u64),
}

/// Decides about the n-th data packet.
pub type Law = Box<dyn FnMut(u64) -> Fate>;

pub fn always(fate: Fate) -> Law {
    Box::new(move |_| fate)
}

/// Every 1/p-th packet.
pub fn periodic(p: f64, fate: Fate) -> Law {
    let period = (1.0 / p).round() as u64;
    Box::new(move |n| if n % period == period - 1 { fate } else { Fate::Deliver })
}

/// Each packet with probability p, independently.
pub fn bernoulli(p: f64) -> Law {
    let mut rng = Rng::named(1, "losses");
    Box::new(move |_| if rng.uniform() < p { Fate::Lose } else { Fate::Deliver })
}

pub struct Channel {
    pub sender: Box<dyn Endpoint>,
    pub receiver: Box<dyn Endpoint>,
    pub cx: ContextOwner,
    law: Law,
    /// Reports are lost from here on.
    pub silent_from: Instant,
    pub forward: VecDeque<(Instant, Packet)>,
    backward: VecDeque<(Instant, Packet)>,
    pub now: Instant,
    /// The departure time of each data packet, and each report with its content.
    pub departures: Vec<f64>,
    pub reports: Vec<(f64, Body)>,
}

impl Channel {
    pub fn new(kind: &str, settings: &[(&str, &str)], source: (&str, &[(&str, &str)]), law: Law) -> Self {
        let entry = transport(kind).expect("a transport");
        let args = sojourn_sim::rig::set(entry.args(None).expect("defaults"), settings);
        let spec = TransportSpec::new(entry, args, None).expect("consistent parameters");
        let source_entry = app(source.0).expect("a source");
        let source_args = sojourn_sim::rig::set(Args::defaults(source_entry.params), source.1);
        let (sender, receiver) = spec.endpoints((source_entry.build)(&source_args));
        let mut channel = Channel {
            sender,
            receiver,
            cx: ContextOwner::new(Rng::named(1, "flow")),
            law,
            silent_from: Instant::MAX,
            forward: VecDeque::new(),
            backward: VecDeque::new(),
            now: Instant::ZERO,
            departures: Vec::new(),
            reports: Vec::new(),
        };
        channel.sender.start(Instant::ZERO, &mut channel.cx.lend());
        channel.depart();
        channel
    }

    fn depart(&mut self) {
        for mut packet in self.cx.out.drain(..) {
            let number = self.departures.len() as u64;
            assert!(!matches!(packet.body, Body::TfrcData { seq, .. } if seq != number), "datagrams are numbered");
            let fate = (self.law)(number);
            self.departures.push(self.now.as_secs_f64());
            if fate == Fate::Mark && packet.ecn.is_capable() {
                packet.ecn = Ecn::Ce;
            }
            let (copies, late) = match fate {
                Fate::Lose => (0, 0),
                Fate::Copy => (2, 0),
                Fate::Late(millis) => (1, millis),
                Fate::Deliver | Fate::Mark => (1, 0),
            };
            let arrival = self.now + ONE_WAY + Duration::from_millis(late);
            for _ in 0..copies {
                let place = self.forward.partition_point(|(at, _)| *at <= arrival);
                self.forward.insert(place, (arrival, packet));
            }
        }
    }

    fn answer(&mut self) {
        for packet in self.cx.out.drain(..) {
            self.reports.push((self.now.as_secs_f64(), packet.body));
            if self.now < self.silent_from {
                self.backward.push_back((self.now + ONE_WAY, packet));
            }
        }
    }

    pub fn run_until(&mut self, secs: f64) {
        let until = Instant::from_secs_f64(secs);
        loop {
            let heads = [self.forward.front(), self.backward.front()].map(|head| head.map(|(at, _)| *at));
            let timers = [self.sender.next_deadline(), self.receiver.next_deadline()];
            let times = [timers[0], timers[1], heads[0], heads[1]];
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
    pub fn window(&mut self, from: f64, to: f64) -> f64 {
        self.run_until(to);
        let sent = self.departures.iter().filter(|time| (from..to).contains(*time)).count();
        sent as f64 / (to - from) * RTT
    }
}
