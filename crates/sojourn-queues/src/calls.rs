//! A recorded sequence of calls drives one queue discipline. They are the calls of another implementation's queue, in its order and at its
//! times, with its random numbers.
//!
//! A replay of arrivals has a link of its own. Here the recording says when the link asked for a packet and when the timer ran, so
//! that the two implementations always get the same calls. The first packet whose fate differs shows where they part.

use std::collections::BTreeMap;

use crate::mechanism::hash::{bucket, number_of};
use crate::packet::{Ecn, FlowId, Packet};
use crate::queue::shown::{self, Counter, Tally};
use crate::queue::{Context, Event, FlowHosts, Hosts, QueueDiscipline, Reason, What};
use crate::rng::Rng;
use crate::units::Instant;

/// A call of a queue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ask {
    /// A packet arrives.
    Arrival(Packet),
    /// The link wants a packet.
    Departure,
    /// The timer runs.
    Deadline,
}

/// One call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Call {
    /// The time. It is not before that of the call before.
    pub time: Instant,
    /// The call.
    pub ask: Ask,
    /// The number of random numbers that the other implementation drew in it.
    pub draws: u32,
}

/// The fate of a packet, and the call in which it was decided. Calls are numbered from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It still waits.
    Waits,
    /// It was dropped.
    Gone(usize),
    /// It left with this ECN field.
    Left(usize, Ecn),
}

/// A queue discipline and the packets that arrived at it.
pub struct Calls {
    discipline: Box<dyn QueueDiscipline>,
    cx: Context,
    /// The random numbers from the next call on.
    stream: Rng,
    ends: Vec<End>,
    made: usize,
    tally: Tally,
}

impl Calls {
    /// An empty `discipline`. Each call draws from the place in `stream` at which the other implementation was.
    pub fn new(discipline: Box<dyn QueueDiscipline>, stream: Rng) -> Self {
        Calls {
            discipline,
            cx: Context::new(stream.clone()),
            stream,
            ends: Vec::new(),
            made: 0,
            tally: Tally::default(),
        }
    }

    /// Makes the next call.
    pub fn make(&mut self, call: Call) {
        self.cx.rng = self.stream.clone();
        match call.ask {
            Ask::Arrival(packet) => {
                // There is no network here that the number of a hop would mean something to.
                let packet = Packet { hop: self.ends.len() as u32, ..packet };
                self.ends.push(End::Waits);
                self.tally.arrivals += 1;
                self.discipline.enqueue(call.time, packet, &mut self.cx);
            }
            Ask::Departure => {
                if let Some(packet) = self.discipline.dequeue(call.time, &mut self.cx) {
                    self.end(&packet, End::Left(self.made, packet.ecn));
                    self.tally.sent.0 += u64::from(packet.size);
                    self.tally.sent.1 += 1;
                    self.tally.largest = self.tally.largest.max(packet.size);
                }
            }
            // Not before the queue's own time, which a recording may not have reached by the steps of its clock.
            Ask::Deadline => {
                if let Some(due) = self.discipline.next_deadline() {
                    self.discipline.on_deadline(due.max(call.time), &mut self.cx);
                }
            }
        }
        let events: Vec<Event> = self.cx.events.drain().collect();
        for Event { packet, what, .. } in events {
            // The other implementation has a packet that is stuck among those that wait.
            if matches!(what, What::Drop(reason) if reason != Reason::STUCK) {
                self.end(&packet, End::Gone(self.made));
            }
            match self.tally.reasons.iter_mut().find(|(known, _)| *known == what) {
                Some((_, packets)) => *packets += 1,
                None => self.tally.reasons.push((what, 1)),
            }
        }
        self.tally.highest = self.tally.highest.max(self.discipline.backlog().packets);
        for _ in 0..call.draws {
            self.stream.uniform();
        }
        self.made += 1;
    }

    /// The counters of `tc -s` for the queue now, by name.
    pub fn counters(&self, shown: &[Counter]) -> Vec<(String, f64)> {
        shown::all(shown, &self.tally, self.discipline.backlog(), Some(&*self.discipline))
    }

    /// The probes of the queue now: names and values.
    pub fn probes(&self) -> Vec<(&'static str, f64)> {
        let names = self.discipline.probes().iter().enumerate();
        names.map(|(at, name)| (*name, self.discipline.probe(at))).collect()
    }

    /// The fate of each packet, in the order of arrival.
    pub fn ends(self) -> Vec<End> {
        self.ends
    }

    fn end(&mut self, packet: &Packet, end: End) {
        self.ends[packet.hop as usize] = end;
    }
}

/// Numbers for flows that a flow queue of `queues` queues hashes into the queues at `places`. Its perturbation is the first number of
/// `stream`. Queues of equal length are told apart by their place.
pub fn flows_in_queues(places: &[usize], queues: usize, stream: &Rng) -> Vec<FlowId> {
    let perturbation = stream.clone().below(1 << 53);
    let mut wanted: BTreeMap<usize, FlowId> = BTreeMap::new();
    let mut missing: Vec<usize> = places.iter().map(|place| place % queues).collect();
    missing.sort_unstable();
    missing.dedup();
    let mut numbers = (0..).map(FlowId);
    while wanted.len() < missing.len() {
        let Some(flow) = numbers.next() else { break };
        let place = bucket(flow, perturbation, queues);
        if missing.binary_search(&place).is_ok() {
            wanted.entry(place).or_insert(flow);
        }
    }
    places.iter().map(|place| wanted[&(place % queues)]).collect()
}

/// Numbers with these hashes of 32 bits, where the perturbation is the first number of `stream`: of flows in
/// [`sch_sfb`](crate::aqm::sch_sfb), and of flows and hosts in [`cake`](crate::discipline::cake).
pub fn numbers_with_hashes(hashes: &[u32], stream: &Rng) -> Vec<u32> {
    let perturbation = stream.clone().below(1 << 32) as u32;
    hashes.iter().map(|hash| number_of(*hash, perturbation)).collect()
}

/// The hosts of flows by the hashes of both, as [`numbers_with_hashes`].
pub fn hosts_with_hashes(flows: &[FlowId], hashes: &[(u32, u32)], stream: &Rng) -> FlowHosts {
    let perturbation = stream.clone().below(1 << 32) as u32;
    let number = |hash| number_of(hash, perturbation);
    let pair = |&(source, target): &(u32, u32)| Hosts { source: number(source), target: number(target) };
    let all: BTreeMap<FlowId, Hosts> = flows.iter().copied().zip(hashes.iter().map(pair)).collect();
    FlowHosts::new(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aqm::fifo;
    use crate::queue::LinkContext;
    use crate::rig::args;

    #[test]
    fn packets_end_in_the_calls_in_which_they_leave_or_are_lost() {
        let entry = &fifo::ENTRY;
        let queue = entry.build(&args(entry, None, &[("limit", "2p")]), &LinkContext::default()).expect("a queue");
        let mut calls = Calls::new(queue, Rng::named(1, "test"));
        let arrival = Ask::Arrival(Packet::datagram(FlowId(0), 0, 1000).with_ecn(Ecn::Ect0));

        for ask in [arrival, arrival, arrival, Ask::Departure, Ask::Deadline, Ask::Departure, Ask::Departure, arrival] {
            calls.make(Call { time: Instant::ZERO, ask, draws: 0 });
        }

        assert_eq!(calls.ends(), [End::Left(3, Ecn::Ect0), End::Left(5, Ecn::Ect0), End::Gone(2), End::Waits]);
    }

    #[test]
    fn flows_fall_where_they_are_wanted() {
        let stream = Rng::named(1, "test");
        let flows = flows_in_queues(&[3, 1000, 3, 0], 1024, &stream);

        let perturbation = stream.clone().below(1 << 53);
        let places: Vec<usize> = flows.iter().map(|flow| bucket(*flow, perturbation, 1024)).collect();
        assert_eq!(places, [3, 1000, 3, 0]);
        assert_eq!(flows[0], flows[2]);
    }
}
