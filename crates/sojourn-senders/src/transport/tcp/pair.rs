//! A sender and a receiver over a virtual link: virtual time, and a script that decides the fate of
//! each packet. The timelines and the fuzzer of this module use it.

use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;
use std::sync::Arc;

use super::config::Config;
use super::receiver::Receiver;
use super::sender::Sender;
use super::tests::{config, config_of};
use crate::packet::{Body, Ecn, Packet, SackBlocks};
use crate::params::Args;
use crate::rng::Rng;
use crate::traffic::Application;
use crate::transport::entry::ControlEntry;
use crate::transport::{Completion, ContextOwner, Endpoint};
use crate::units::{Duration, Instant};

/// The fate of a packet on the link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fate {
    Deliver,
    Lose,
    Mark,
    /// It arrives, and a router has told its sender of congestion.
    Choke,
    Duplicate,
    Late(Duration),
}

/// A packet on its way, as far as tests look at it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seen {
    pub at: Duration,
    pub packet: Packet,
}

impl Seen {
    /// First byte, or acknowledged byte.
    pub fn seq(&self) -> u64 {
        match self.packet.body {
            Body::Data { seq, .. } => seq,
            Body::Ack { ack, .. } => ack,
            _ => unreachable!("TCP sends segments and acknowledgements"),
        }
    }

    pub fn is_syn(&self) -> bool {
        matches!(self.packet.body, Body::Data { syn: true, .. } | Body::Ack { syn: true, .. })
    }

    /// True of a sender's packet without data: it acknowledges the answer to a SYN.
    pub fn is_bare(&self) -> bool {
        matches!(self.packet.body, Body::Data { syn: false, len: 0, .. })
    }

    pub fn is_retransmit(&self) -> bool {
        matches!(self.packet.body, Body::Data { retransmit: true, .. })
    }
}

/// Decides the fate of the n-th packet of a direction.
pub type Script = Box<dyn FnMut(usize, &Packet) -> Fate>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Towards {
    Receiver,
    Sender,
}

/// Both ends and the link.
pub struct Pair {
    pub sender: Sender,
    pub receiver: Receiver,
    pub now: Instant,
    /// The time of the pair, for scripts.
    pub clock: Rc<Cell<Instant>>,
    /// Data packets sent, lost ones included.
    pub data: Vec<Seen>,
    /// Acknowledgements sent, lost ones included.
    pub acks: Vec<Seen>,
    /// Acknowledgements that arrived: number and SACK blocks, as absolute ranges.
    pub heard: Vec<(u64, Vec<(u64, u64)>)>,
    /// The timestamps of these acknowledgements: the times at which the segments left that they answer.
    pub echoes: Vec<Instant>,
    pub on_data: Script,
    pub on_ack: Script,
    /// A router on the way of the data; it sees what is not lost.
    pub router: Box<dyn FnMut(&mut Packet)>,
    /// Time that a packet takes to the other end.
    pub one_way: Duration,
    cx: ContextOwner,
    flying: BinaryHeap<Reverse<(Instant, usize, Towards)>>,
    packets: Vec<Packet>,
}

/// Payload of a full segment in these tests.
pub const MSS: u64 = 960;

impl Pair {
    /// Round-trip time 100 ms, nothing lost; `app` is the name and the settings of an application.
    pub fn new(settings: &[(&str, &str)], app: (&str, &[(&str, &str)])) -> Self {
        let entry = crate::registry::app(app.0).expect("an application");
        let args = crate::rig::set(Args::defaults(entry.params), app.1);
        Self::with_app(settings, (entry.build)(&args))
    }

    pub fn with_app(settings: &[(&str, &str)], app: Box<dyn Application>) -> Self {
        Self::with_config(config(settings), app)
    }

    /// A pair with a law that is in no list.
    pub fn with_law(law: &'static ControlEntry, settings: &[(&str, &str)], app: Box<dyn Application>) -> Self {
        Self::with_config(config_of(law, settings), app)
    }

    fn with_config(shared: Arc<Config>, app: Box<dyn Application>) -> Self {
        Pair {
            sender: Sender::new(Arc::clone(&shared), app),
            receiver: Receiver::new(shared),
            now: Instant::ZERO,
            clock: Rc::default(),
            data: Vec::new(),
            acks: Vec::new(),
            heard: Vec::new(),
            echoes: Vec::new(),
            on_data: Box::new(|_, _| Fate::Deliver),
            on_ack: Box::new(|_, _| Fate::Deliver),
            router: Box::new(|_| ()),
            one_way: Duration::from_millis(50),
            cx: ContextOwner::new(Rng::named(1, "pair")),
            flying: BinaryHeap::new(),
            packets: Vec::new(),
        }
    }

    /// Loses the data packets with these numbers, counted from 0 as they are sent.
    pub fn losing(mut self, lost: &[usize]) -> Self {
        let lost = lost.to_vec();
        self.on_data = Box::new(move |n, _| if lost.contains(&n) { Fate::Lose } else { Fate::Deliver });
        self
    }

    pub fn start(&mut self) {
        self.sender.start(self.now, &mut self.cx.lend());
        self.launch(Towards::Receiver);
    }

    pub fn stop(&mut self) {
        self.sender.stop(self.now, &mut self.cx.lend());
        self.launch(Towards::Receiver);
    }

    /// Transfers finished since the last call.
    pub fn take_completions(&mut self) -> Vec<Completion> {
        self.cx.out.take_completions()
    }

    fn launch(&mut self, towards: Towards) {
        let sent: Vec<Packet> = self.cx.out.drain(..).collect();
        for mut packet in sent {
            let seen = Seen { at: self.now.since(Instant::ZERO), packet };
            let (log, script) = match towards {
                Towards::Receiver => (&mut self.data, &mut self.on_data),
                Towards::Sender => (&mut self.acks, &mut self.on_ack),
            };
            let fate = script(log.len(), &packet);
            log.push(seen);
            let (copies, extra) = match fate {
                Fate::Deliver => (1, Duration::ZERO),
                Fate::Lose => (0, Duration::ZERO),
                Fate::Mark => {
                    if packet.ecn.is_capable() {
                        packet.ecn = Ecn::Ce;
                    }
                    (1, Duration::ZERO)
                }
                Fate::Choke => {
                    if let Some(body) = packet.choke() {
                        // From a router half way: it comes back after one way.
                        let choke = Packet { size: 56, ecn: Ecn::NotEct, body, ..packet };
                        self.flying.push(Reverse((self.now + self.one_way, self.packets.len(), Towards::Sender)));
                        self.packets.push(choke);
                    }
                    (1, Duration::ZERO)
                }
                Fate::Duplicate => (2, Duration::ZERO),
                Fate::Late(extra) => (1, extra),
            };
            if towards == Towards::Receiver && copies > 0 {
                (self.router)(&mut packet);
            }
            for _ in 0..copies {
                self.flying.push(Reverse((self.now + self.one_way + extra, self.packets.len(), towards)));
                self.packets.push(packet);
            }
        }
    }

    /// When the next thing happens.
    fn next_time(&self) -> Option<Instant> {
        let arrival = self.flying.peek().map(|Reverse((at, ..))| *at);
        [arrival, self.sender.next_deadline(), self.receiver.next_deadline()].into_iter().flatten().min()
    }

    /// Lets one thing happen, up to `until`. Returns whether one did.
    pub fn step(&mut self, until: Instant) -> bool {
        let Some(at) = self.next_time().filter(|&at| at <= until) else { return false };
        assert!(at >= self.now, "time goes forward");
        self.now = at;
        self.clock.set(at);
        // Timers first: a packet needs some time on a link, however little.
        if self.receiver.next_deadline() == Some(at) {
            self.receiver.on_deadline(at, &mut self.cx.lend());
            self.launch(Towards::Sender);
        } else if self.sender.next_deadline() == Some(at) {
            self.sender.on_deadline(at, &mut self.cx.lend());
            self.launch(Towards::Receiver);
        } else if let Some(Reverse((_, index, towards))) = self.flying.pop() {
            self.arrive(index, towards);
        }
        true
    }

    fn arrive(&mut self, index: usize, towards: Towards) {
        let packet = self.packets[index];
        match towards {
            Towards::Receiver => {
                self.receiver.on_packet(self.now, &packet, &mut self.cx.lend());
                self.launch(Towards::Sender);
            }
            Towards::Sender => {
                if let Body::Ack { ack, sack, echo, .. } = packet.body {
                    self.heard.push((ack, absolute(ack, &sack)));
                    self.echoes.push(echo);
                }
                self.sender.on_packet(self.now, &packet, &mut self.cx.lend());
                self.launch(Towards::Receiver);
            }
        }
    }

    /// Runs until nothing happens any more or `millis` have passed since the start.
    pub fn run_until(&mut self, millis: u64) {
        let until = Instant::ZERO + Duration::from_millis(millis);
        while self.step(until) {}
        self.now = until.max(self.now);
    }

    /// Data packets sent in `from..to` milliseconds, without SYNs: their segment numbers.
    pub fn segments_between(&self, from: u64, to: u64) -> Vec<u64> {
        let span = Duration::from_millis(from)..Duration::from_millis(to);
        self.data.iter().filter(|seen| span.contains(&seen.at) && !seen.is_syn()).map(|seen| seen.seq() / MSS).collect()
    }

    /// Window in segments.
    pub fn cwnd(&self) -> f64 {
        self.sender.window().expect("a window").cwnd / MSS as f64
    }

    /// Threshold in segments.
    pub fn ssthresh(&self) -> f64 {
        self.sender.window().expect("a window").ssthresh / MSS as f64
    }
}

/// Without what has come twice.
fn absolute(ack: u64, sack: &SackBlocks) -> Vec<(u64, u64)> {
    let ascending = sack.as_slice().iter().filter(|(start, end)| start < end);
    ascending.map(|&(start, end)| (ack + u64::from(start), ack + u64::from(end))).collect()
}

/// The segments that were sent after each of the next acknowledgements.
pub fn answers(pair: &mut Pair, acks: usize) -> Vec<Vec<u64>> {
    let (mut heard, mut sent) = (pair.heard.len(), pair.data.len());
    let mut all = Vec::new();
    while all.len() < acks && pair.step(Instant::MAX) {
        if pair.heard.len() > heard {
            all.push(pair.data[sent..].iter().map(|seen| seen.seq() / MSS).collect());
            (heard, sent) = (pair.heard.len(), pair.data.len());
        }
    }
    all
}

/// Segments sent again, and when, in milliseconds.
pub fn resent(pair: &Pair) -> Vec<(u64, u64)> {
    let again = pair.data.iter().filter(|seen| seen.is_retransmit());
    again.map(|seen| (seen.seq() / MSS, seen.at.as_nanos() / 1_000_000)).collect()
}
