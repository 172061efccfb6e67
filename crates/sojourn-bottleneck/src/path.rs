//! Links in a row.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use super::datagram::{Arrived, Datagram, Lost};
use super::one_link::Hop;
use super::slots::{Numbers, Slots};
use super::{Error, Link, Time, instant, link_tables, span, time};
use sojourn_sim::packet::Packet;
use sojourn_sim::queue::{Backlog, What};
use sojourn_sim::registry::Registry;
use sojourn_sim::rng::Rng;
use sojourn_sim::units::{Duration, Instant};

/// One link or several in a row, in one direction. The other direction is another path.
///
/// A caller sends with [`Path::send`], sleeps until [`Path::next_time`], and takes the arrived packets with [`Path::receive`].
pub struct Path<T> {
    hops: Vec<Hop>,
    now: Instant,
    sent: Numbers,
    /// The payload of each packet on the way, and the events of that packet until now.
    payloads: Slots<(T, Past)>,
    /// Packets between two links, or between the last link and the end, with the time of arrival, the order of transmission and the place.
    flying: BinaryHeap<Reverse<Flight>>,
    flights: u64,
    arrived: VecDeque<Arrived<T>>,
    lost: VecDeque<Lost<T>>,
}

/// The past of a packet on the way: the time that it has waited in queues, and the reason for its mark.
#[derive(Clone, Copy, Debug, Default)]
struct Past {
    waited: Duration,
    marked: Option<&'static str>,
}

/// A packet on its way to the link `to`, or to the end.
#[derive(Clone, Copy, Debug)]
struct Flight {
    at: Instant,
    order: u64,
    to: usize,
    packet: Packet,
}

impl PartialEq for Flight {
    fn eq(&self, other: &Self) -> bool {
        (self.at, self.order) == (other.at, other.order)
    }
}
impl Eq for Flight {}
impl PartialOrd for Flight {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Flight {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.at, self.order).cmp(&(other.at, other.order))
    }
}

impl<T> Path<T> {
    /// A path of links in a row. The seed decides everything random.
    ///
    /// # Errors
    ///
    /// If there is no link, a key, a name or a value is wrong, or something is missing.
    pub fn new(links: impl IntoIterator<Item = Link>, seed: u64) -> Result<Self, Error> {
        Path::new_knowing(links, seed, &Registry::default())
    }

    /// The same, with the queues of this registry by name. It is not part of the stable interface, because `Registry` is not.
    ///
    /// # Errors
    ///
    /// As for [`Path::new`].
    pub fn new_knowing(links: impl IntoIterator<Item = Link>, seed: u64, registry: &Registry) -> Result<Self, Error> {
        link_tables::row(links, seed, registry).map(Path::of)
    }

    /// A path of links in a row, as `[[link]]` tables of scenario files without `from` and `to`: `rate`, `delay`, `queue`, `loss`,
    /// `jitter`, `changes` and the other keys of a link (`sojourn explain link`). `flows = 20` may be before them. It is the number of
    /// flows for laws that ask for it, by default 1. The seed decides everything random.
    ///
    /// # Errors
    ///
    /// If a key, a name or a value is wrong.
    #[cfg(feature = "scenario-files")]
    pub fn from_toml(links: &str, seed: u64) -> Result<Self, Error> {
        Ok(Path::from_toml_knowing(links, seed, &Registry::default())?)
    }

    /// The same, with the queues of this registry by name. It is not part of the stable interface, because `Registry` is not.
    ///
    /// # Errors
    ///
    /// If a key, a name or a value is wrong.
    #[cfg(feature = "scenario-files")]
    pub fn from_toml_knowing(
        links: &str,
        seed: u64,
        registry: &Registry,
    ) -> Result<Self, sojourn_sim::scenario::ScenarioError> {
        link_tables::from_toml(links, seed, registry).map(Path::of)
    }

    /// The same path, whose first queue draws the random numbers that a replay of its arrivals would draw from this seed, so that both
    /// decide alike. It is not part of the stable interface.
    #[must_use]
    pub fn drawing_as_a_replay(mut self, seed: u64) -> Self {
        self.hops[0].cx.rng = Rng::named(seed, "queue");
        self
    }

    fn of(hops: Vec<Hop>) -> Self {
        Path {
            hops,
            now: Instant::ZERO,
            sent: Numbers::default(),
            payloads: Slots::default(),
            flying: BinaryHeap::new(),
            flights: 0,
            arrived: VecDeque::new(),
            lost: VecDeque::new(),
        }
    }

    /// A packet arrives at the first link, after all events up to and including `now`.
    ///
    /// # Panics
    ///
    /// If time goes back, or the packet has no bytes.
    pub fn send(&mut self, now: Time, datagram: Datagram, payload: T) {
        self.advance(now);
        let slot = self.payloads.put((payload, Past::default()));
        let packet = datagram.packet(self.now, self.sent.next(datagram.flow), slot);
        self.arrive(0, packet);
    }

    /// The next packet that has arrived by `now`, in order of arrival.
    ///
    /// # Panics
    ///
    /// If time goes back.
    pub fn receive(&mut self, now: Time) -> Option<Arrived<T>> {
        self.advance(now);
        self.arrived.pop_front()
    }

    /// The time of the next event on the path, if there is one without another packet. Several such events may precede an arrival at the
    /// far end. If a packet has arrived and is not yet taken, this is the present.
    pub fn next_time(&self) -> Option<Time> {
        if !self.arrived.is_empty() {
            return Some(time(self.now));
        }
        // The clocks of empty queues go on for ever: they matter only while something is under way.
        if self.is_empty() {
            return None;
        }
        self.next().map(|(at, _)| time(at))
    }

    /// Lets time pass up to and including `now`. The other calls do this, too.
    ///
    /// # Panics
    ///
    /// If time goes back.
    pub fn advance(&mut self, now: Time) {
        let until = instant(now);
        assert!(until >= self.now, "time goes back from {:?} to {now:?}", time(self.now));
        while let Some((at, what)) = self.next().filter(|(at, _)| *at <= until) {
            self.now = at;
            match what {
                Happening::Free(link) => {
                    let started = self.hops[link].become_free(at);
                    self.after(link, started);
                }
                Happening::Arrival => {
                    let Reverse(flight) = self.flying.pop().expect("it was seen");
                    self.arrive(flight.to, flight.packet);
                }
                Happening::Deadline(link) => {
                    let started = self.hops[link].meet_deadline(at);
                    self.after(link, started);
                }
            }
        }
        self.now = until;
    }

    /// The time of the last call.
    pub fn now(&self) -> Time {
        time(self.now)
    }

    /// The number of its links.
    pub fn links(&self) -> usize {
        self.hops.len()
    }

    /// Packets that were lost since the last call, in the order in which that happened.
    pub fn lost(&mut self) -> impl Iterator<Item = Lost<T>> + '_ {
        self.lost.drain(..)
    }

    /// The waiting packets and bytes at the link of this number, from 0.
    ///
    /// # Panics
    ///
    /// If there is no such link.
    pub fn backlog(&self, link: usize) -> Backlog {
        self.hops[link].discipline.backlog()
    }

    /// True if no packet waits, is being sent, or is on its way.
    pub fn is_empty(&self) -> bool {
        let idle = |hop: &Hop| hop.busy_until.is_none() && !hop.discipline.has_something();
        self.flying.is_empty() && self.hops.iter().all(idle)
    }

    /// The next event.
    fn next(&self) -> Option<(Instant, Happening)> {
        let free = |(link, hop): (usize, &Hop)| hop.busy_until.map(|at| (at, Happening::Free(link)));
        let due = |(link, hop): (usize, &Hop)| {
            // A deadline that is over falls due now.
            hop.discipline.next_deadline().map(|at| (at.max(self.now), Happening::Deadline(link)))
        };
        let arrival = self.flying.peek().map(|Reverse(flight)| (flight.at, Happening::Arrival));
        let links = || self.hops.iter().enumerate();
        links().filter_map(free).chain(arrival).chain(links().filter_map(due)).min()
    }

    fn arrive(&mut self, to: usize, packet: Packet) {
        let Some(hop) = self.hops.get_mut(to) else {
            let (payload, Past { waited, marked }) = self.payloads.take(packet.hop);
            let datagram = Datagram::of(&packet);
            self.arrived.push_back(Arrived { at: time(self.now), waited: span(waited), datagram, marked, payload });
            return;
        };
        let started = hop.arrive(self.now, packet);
        self.after(to, started);
    }

    /// Records the packets that a link lost, and sends off the packet that it began to send.
    fn after(&mut self, link: usize, started: Option<(Instant, Packet)>) {
        for event in self.hops[link].cx.events.drain() {
            match event.what {
                What::Mark(reason) => self.payloads.at(event.packet.hop).1.marked = Some(reason.0),
                What::Choke(_) => {}
                What::Drop(reason) | What::Loss(reason) => {
                    let (payload, _) = self.payloads.take(event.packet.hop);
                    let datagram = Datagram::of(&event.packet);
                    self.lost.push_back(Lost { at: time(event.time), datagram, reason: reason.0, link, payload });
                }
            }
        }
        if let Some((at, packet)) = started {
            let sending = self.hops[link].discipline.sending();
            self.payloads.at(packet.hop).1.waited += self.now - (packet.enqueued_at + sending);
            self.flights += 1;
            self.flying.push(Reverse(Flight { at, order: self.flights, to: link + 1, packet }));
        }
    }
}

/// The kinds of events, in the order of the engine at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Happening {
    /// A transmission of this link ends.
    Free(usize),
    /// A packet reaches the next link or the end.
    Arrival,
    /// The discipline of this link has a deadline.
    Deadline(usize),
}

impl<T> core::fmt::Debug for Path<T> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Path").field("now", &self.now).field("links", &self.hops.len()).finish_non_exhaustive()
    }
}
