//! A connection of version 3 over a bottleneck that tests control, and the state of the law after each acknowledgement.

use std::cell::RefCell;
use std::rc::Rc;

use super::{
    Acked, Adjustment, Args, Bbr3, Congestion, CongestionControl, ControlEntry, ENTRY, Lost, Milestone, Needs, Paced,
    Rng, Sample, Sampled, Sampler, Setup, State,
};
use crate::packet::{Body, Packet};
use crate::traffic::{Amount, AppContext, Application, Demand};
use crate::transport::Endpoint;
use crate::transport::tcp::pair::{Fate, MSS, Pair};
use crate::units::{Bytes, Duration, Instant};

/// The law after an acknowledgement, and the acknowledgement.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub law: Bbr3,
    pub sample: Sample,
}

thread_local! {
    static SEEN: RefCell<Vec<Seen>> = const { RefCell::new(Vec::new()) };
}

/// The law, which is written down after each acknowledgement.
struct Watched(Bbr3);

static WATCHED: ControlEntry =
    ControlEntry { build: &|args: &Args| Box::new(Watched(Bbr3::new(args.typed(), Rng::named(0, "bbr3")))), ..ENTRY };

impl CongestionControl for Watched {
    fn on_connect(&mut self, setup: &Setup) {
        self.0.on_connect(setup);
    }

    fn on_ack(&mut self, acked: &Acked) {
        self.0.on_ack(acked);
    }

    fn on_congestion_event(&mut self, event: &Congestion) {
        self.0.on_congestion_event(event);
    }

    fn on_timeout(&mut self, event: Option<&Congestion>) {
        self.0.on_timeout(event);
    }

    fn on_milestone(&mut self, milestone: Milestone<'_>) {
        self.0.on_milestone(milestone);
    }

    fn adjust(&mut self, change: Adjustment) {
        self.0.adjust(change);
    }

    fn window(&self) -> f64 {
        self.0.window()
    }

    fn ssthresh(&self) -> f64 {
        self.0.ssthresh()
    }

    fn needs(&self) -> Needs {
        self.0.needs()
    }

    fn sampled(&mut self) -> Option<&mut dyn Sampled> {
        Some(self)
    }

    fn paced(&self) -> Option<&dyn Paced> {
        self.0.paced()
    }
}

#[deny(clippy::missing_trait_methods)]
impl Sampled for Watched {
    fn sampler(&self) -> Sampler {
        self.0.sampler()
    }

    fn on_lost(&mut self, lost: &Lost) {
        self.0.on_lost(lost);
    }

    fn on_sample(&mut self, sample: &Sample) {
        self.0.on_sample(sample);
        SEEN.with_borrow_mut(|seen| seen.push(Seen { law: self.0.clone(), sample: *sample }));
    }

    fn is_held_back(&self) -> bool {
        self.0.is_held_back()
    }

    fn keeps(&mut self, segments: u64) -> bool {
        self.0.keeps(segments)
    }
}

/// The bottleneck. Packets have 1000 bytes.
pub(super) struct Link {
    pub mbit: f64,
    /// Bytes that may wait.
    pub limit: f64,
    /// A policer's bucket in bytes instead of a queue: its size, its content, and the time of that.
    pub bucket: Option<(f64, f64, Instant)>,
    /// Whether the packet with this number is lost.
    pub loses: Box<dyn Fn(usize) -> bool>,
    /// The time by which the packet with this number is late, and no other.
    pub late: Box<dyn Fn(usize) -> Duration>,
    /// Acknowledgements come in groups, one in each such time.
    pub groups: Option<Duration>,
    free: Instant,
    /// Packets that were lost until now.
    pub lost: usize,
}

impl Link {
    fn take(&mut self, number: usize, now: Instant, size: f64) -> Fate {
        if (self.loses)(number) {
            self.lost += 1;
            return Fate::Lose;
        }
        let rate = self.mbit * 1e6 / 8.0;
        if let Some((most, content, since)) = &mut self.bucket {
            *content = (*content + rate * now.since(*since).as_secs_f64()).min(*most);
            *since = now;
            if *content < size {
                self.lost += 1;
                return Fate::Lose;
            }
            *content -= size;
            return Fate::Deliver;
        }
        let waits = self.free.since(now).as_secs_f64();
        if waits * rate + size > self.limit {
            self.lost += 1;
            return Fate::Lose;
        }
        self.free = self.free.max(now) + Duration::from_secs_f64(size / rate);
        Fate::Late(self.free.since(now) + (self.late)(number))
    }
}

/// The application. It writes these amounts of bytes at these times.
struct Writer {
    plan: Vec<(Instant, u64)>,
    next: usize,
}

impl Writer {
    fn due(&mut self, now: Instant) -> Demand {
        let mut bytes = 0;
        while let Some((_, more)) = self.plan.get(self.next).filter(|(at, _)| *at <= now) {
            bytes += more;
            self.next += 1;
        }
        if bytes == 0 { Demand::NOTHING } else { Demand { write: Amount::Bytes(Bytes(bytes)), ..Demand::NOTHING } }
    }
}

impl Application for Writer {
    fn on_start(&mut self, now: Instant, _cx: &mut AppContext<'_>) -> Demand {
        self.due(now)
    }

    fn next_deadline(&self) -> Option<Instant> {
        self.plan.get(self.next).map(|(at, _)| *at)
    }

    fn on_deadline(&mut self, now: Instant, _cx: &mut AppContext<'_>) -> Demand {
        self.due(now)
    }
}

pub(super) fn at(millis: u64) -> Instant {
    Instant::ZERO + Duration::from_millis(millis)
}

/// Writes `mbit` of payload every 2 ms from one time to another, in milliseconds.
pub(super) fn writes(mbit: f64, from: u64, to: u64) -> Vec<(Instant, u64)> {
    let bytes = (mbit * 1e6 / 8.0 * 0.002) as u64;
    (from / 2..to / 2).map(|n| (at(2 * n), bytes)).collect()
}

/// Data without end from the beginning.
pub(super) fn endless() -> Vec<(Instant, u64)> {
    vec![(at(0), 1 << 40)]
}

/// The connection, its link, and all that was seen.
pub(super) struct Course {
    pub pair: Pair,
    pub link: Rc<RefCell<Link>>,
    pub rtt: Duration,
}

impl Course {
    /// A path of `mbit` and `rtt` milliseconds with a buffer of `products` bandwidth-delay products, at least ten packets.
    pub fn new(mbit: f64, rtt: u64, products: f64, plan: Vec<(Instant, u64)>) -> Self {
        Self::with(mbit, Duration::from_millis(rtt), products, plan, &[])
    }

    pub fn with(mbit: f64, rtt: Duration, products: f64, plan: Vec<(Instant, u64)>, settings: &[(&str, &str)]) -> Self {
        let all = [&[("profile", "linux")], settings].concat();
        let mut pair = Pair::with_law(&WATCHED, &all, Box::new(Writer { plan, next: 0 }));
        pair.one_way = rtt.mul_f64(0.5);
        let product = mbit * 1e6 / 8.0 * rtt.as_secs_f64();
        let link = Rc::new(RefCell::new(Link {
            mbit,
            limit: (products * product).max(10_000.0),
            bucket: None,
            loses: Box::new(|_| false),
            late: Box::new(|_| Duration::ZERO),
            groups: None,
            free: Instant::ZERO,
            lost: 0,
        }));
        let (forth, back, clock) = (Rc::clone(&link), Rc::clone(&link), Rc::clone(&pair.clock));
        let sends = Rc::clone(&clock);
        pair.on_data = Box::new(move |n, packet: &Packet| match packet.body {
            Body::Data { len: 0, .. } => Fate::Deliver,
            _ => forth.borrow_mut().take(n, sends.get(), f64::from(packet.size)),
        });
        pair.on_ack = Box::new(move |_, _| {
            let Some(each) = back.borrow().groups else { return Fate::Deliver };
            let late = clock.get().as_nanos() % each.as_nanos();
            Fate::Late(Duration::from_nanos(each.as_nanos() - late))
        });
        SEEN.set(Vec::new());
        pair.start();
        Course { pair, link, rtt }
    }

    /// The bandwidth-delay product in packets at the link's rate now.
    pub fn product(&self) -> f64 {
        self.rate() * self.rtt.as_secs_f64()
    }

    /// The link's rate now, in segments per second.
    pub fn rate(&self) -> f64 {
        self.link.borrow().mbit * 1e6 / 8.0 / 1000.0
    }

    /// Goes on until the law is as wanted after an acknowledgement, for `seconds` at most. Returns what was seen until then.
    pub fn until(&mut self, seconds: f64, wanted: impl Fn(&Seen) -> bool) -> Vec<Seen> {
        let until = self.pair.now + Duration::from_secs_f64(seconds);
        let from = Self::count();
        let (mut found, mut comes) = (Self::count(), false);
        while !comes && self.pair.step(until) {
            let count = Self::count();
            comes = count > found && SEEN.with_borrow(|seen| seen.last().is_some_and(&wanted));
            found = count;
        }
        if !comes {
            self.pair.now = until;
        }
        SEEN.with_borrow(|seen| seen[from..].to_vec())
    }

    /// Goes on until it is in this state. Panics if it is not within `seconds`.
    pub fn to(&mut self, state: State, seconds: f64) -> Vec<Seen> {
        let seen = self.until(seconds, |seen| seen.law.state == state);
        assert!(
            seen.last().is_some_and(|last| last.law.state == state),
            "{state:?} within {seconds} s: {}",
            states(&seen)
        );
        seen
    }

    /// Goes on for this time.
    pub fn run(&mut self, seconds: f64) -> Vec<Seen> {
        self.until(seconds, |_| false)
    }

    fn count() -> usize {
        SEEN.with_borrow(Vec::len)
    }

    /// Bytes that arrived in order until now.
    pub fn arrived(&self) -> u64 {
        self.pair.receiver.counters().bytes_delivered
    }

    /// Goodput of the last `seconds` in payload segments per second, after running them.
    pub fn goodput(&mut self, seconds: f64) -> f64 {
        let before = self.arrived();
        self.run(seconds);
        (self.arrived() - before) as f64 / MSS as f64 / seconds
    }
}

/// The states one after the other, with the times at which they began.
pub(super) fn states(seen: &[Seen]) -> String {
    let (mut all, mut last) = (Vec::new(), None);
    for Seen { law, sample } in seen {
        if last.replace(law.state) != Some(law.state) {
            all.push(format!("{:?} at {:.3}", law.state, sample.now.since(Instant::ZERO).as_secs_f64()));
        }
    }
    all.join(" ")
}
