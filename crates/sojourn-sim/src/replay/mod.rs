//! A recorded sequence of arrivals drives one queue discipline in front of a link, packet by packet.
//!
//! The arrivals do not react: they come at their recorded times, whatever the queue does with them. So two implementations of one algorithm
//! that get the same arrivals and the same random numbers must decide alike, and the first packet at which they differ shows where they
//! part.
//!
//! The order of events at one instant is this: the transmitter becomes free and takes the next packet; deadlines of the discipline;
//! arrivals, in the order in which they are given. A packet that finds the transmitter idle is offered to the discipline and taken from it
//! at once.
//!
//! In place of a rate, a link may have moments at which it was free to send the next packet. They are those of another implementation,
//! behind which the same packets left. Then the link makes no difference between the two. At one instant, deadlines come first, then
//! arrivals, then the moment, because a packet that arrived at an idle link left at once.
//!
//! Serialisation is exact in the long run: a packet takes a whole number of nanoseconds, and the rest is carried over to the next packet.

mod arrival;
pub mod ends;
mod summary;

pub use arrival::{Arrival, ArrivalError, Decision, Fate, SIZE_MAX, TIME_MAX, Transmission};
pub use summary::{Count, Percentile, Summary};

use crate::header::{Acknowledgement, Seen};
use crate::net::transmitter::Transmitter;
use crate::packet::{Body, Packet};
use crate::queue::{Context, QueueDiscipline, What};
use crate::rng::Rng;
use crate::units::{Instant, Rate};

/// The result of a replay.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The decisions, one for each arrival, in the order of arrival.
    pub decisions: Vec<Decision>,
    /// The summary in numbers.
    pub summary: Summary,
}

/// A queue discipline, its link and the arrivals so far.
pub struct Replay {
    discipline: Box<dyn QueueDiscipline>,
    link: Link,
    cx: Context,
    /// Time of the last event; also of the last arrival once `push` has returned.
    now: Instant,
    /// Backlog times time since the first arrival, in packet and byte nanoseconds.
    backlog_time: (u128, u128),
    decisions: Vec<Decision>,
    acknowledgements: Vec<Acknowledgement>,
    /// Deadlines since the last arrival in a row, with packets waiting and the link idle.
    in_vain: u32,
}

/// The link that takes packets from the queue.
enum Link {
    /// A transmitter, and the time at which the present transmission ends.
    Rate { rate: Rate, transmitter: Transmitter, busy_until: Option<Instant> },
    /// The moments at which it takes a packet, in order. `over` of them are over, and `unused` of these found no packet.
    Moments { moments: Vec<Instant>, over: usize, unused: u64 },
}

impl Replay {
    /// Bound: after this number of deadlines without a packet, the queue is taken to give none any more.
    const DEADLINES_IN_VAIN: u32 = 1_000_000;

    /// An empty `discipline` in front of an idle link of `rate`. `rng` is the queue's stream.
    pub fn new(discipline: Box<dyn QueueDiscipline>, rate: Rate, rng: Rng) -> Self {
        Replay::behind(discipline, Link::Rate { rate, transmitter: Transmitter::new(rate), busy_until: None }, rng)
    }

    /// The same in front of a link that takes the next packet at each of `moments` and at no other time.
    ///
    /// # Panics
    ///
    /// If the moments are not in order.
    pub fn with_departures(discipline: Box<dyn QueueDiscipline>, moments: Vec<Instant>, rng: Rng) -> Self {
        assert!(moments.is_sorted(), "moments are in order of time");
        Replay::behind(discipline, Link::Moments { moments, over: 0, unused: 0 }, rng)
    }

    fn behind(discipline: Box<dyn QueueDiscipline>, link: Link, rng: Rng) -> Self {
        Replay {
            discipline,
            link,
            cx: Context::new(rng),
            now: Instant::ZERO,
            backlog_time: (0, 0),
            decisions: Vec::new(),
            acknowledgements: Vec::new(),
            in_vain: 0,
        }
    }

    /// The same with the acknowledgements that arrivals name by their places.
    #[must_use]
    pub fn with_acknowledgements(mut self, acknowledgements: Vec<Acknowledgement>) -> Self {
        self.acknowledgements = acknowledgements;
        self
    }

    /// The next arrival, after all events before it.
    pub fn push(&mut self, arrival: Arrival) -> Result<(), ArrivalError> {
        arrival.check(self.now)?;
        self.in_vain = 0;
        while let Some(happening) = self.next_before(arrival.time) {
            self.process(happening);
        }
        self.advance(arrival.time);
        let number = self.decisions.len() as u64;
        self.decisions.push(Decision { arrival, fate: Fate::Enqueued, sent: None });
        if let Some(uniform) = arrival.uniform {
            self.cx.rng.supply(uniform);
        }
        // There is no network here that the number of a hop would mean something to.
        let plain = Packet { hop: number as u32, ..Packet::datagram(arrival.flow, number, arrival.size) };
        let body = match self.acknowledgement(&arrival) {
            Some(acknowledgement) => Body::Seen(Seen::new(None, Some(acknowledgement))),
            None => Body::Datagram { seq: number, sent_at: arrival.time },
        };
        let packet = Packet { dscp: arrival.dscp, ecn: arrival.ecn, enqueued_at: arrival.time, body, ..plain };
        self.discipline.enqueue(arrival.time, packet, &mut self.cx);
        self.cx.rng.clear_supplied();
        self.record_events();
        self.transmit_if_free();
        Ok(())
    }

    /// Takes the next arrivals, as far as they fit into about `steps` steps (arrivals, transmissions and deadlines). Returns the number of
    /// arrivals taken. The rest is for the next call. So a caller can be interrupted between calls.
    pub fn push_within(&mut self, arrivals: &[Arrival], steps: u64) -> Result<usize, ArrivalError> {
        let mut left = steps;
        for (come, arrival) in arrivals.iter().enumerate() {
            arrival.check(self.now)?;
            while let Some(happening) = self.next_before(arrival.time) {
                if left == 0 {
                    return Ok(come);
                }
                left -= 1;
                self.process(happening);
            }
            if left == 0 {
                return Ok(come);
            }
            left -= 1;
            self.push(*arrival)?;
        }
        Ok(arrivals.len())
    }

    /// Sends the waiting packets, in at most `steps` transmissions and deadlines. Returns true when nothing is left to do.
    /// [`Replay::finish`] does all at once. A caller that wants to be interrupted does it in parts.
    pub fn drain(&mut self, steps: u64) -> bool {
        for _ in 0..steps {
            let transmitting = match &self.link {
                Link::Rate { busy_until, .. } => busy_until.is_some(),
                Link::Moments { moments, over, .. } if *over < moments.len() => true,
                // The waiting packets stay: the recording of the link is over.
                Link::Moments { .. } => return true,
            };
            let waiting = self.discipline.backlog().packets > 0 && self.in_vain < Self::DEADLINES_IN_VAIN;
            if !transmitting && !waiting {
                return true;
            }
            let Some(happening) = self.next_happening() else { return true };
            self.in_vain = if transmitting { 0 } else { self.in_vain + 1 };
            self.process(happening);
        }
        false
    }

    /// Sends the waiting packets and makes the summary. Time ends with the last transmission or arrival.
    pub fn finish(mut self) -> Outcome {
        while !self.drain(u64::MAX) {}
        let (rate, unused) = match self.link {
            Link::Rate { rate, .. } => (Some(rate), 0),
            Link::Moments { unused, .. } => (None, unused),
        };
        let summary =
            Summary { unused_departures: unused, ..Summary::of(&self.decisions, rate, self.now, self.backlog_time) };
        Outcome { decisions: self.decisions, summary }
    }

    fn acknowledgement(&self, arrival: &Arrival) -> Option<Acknowledgement> {
        let place = arrival.acknowledgement?.get() as usize;
        self.acknowledgements.get(place - 1).copied()
    }

    fn next_before(&mut self, arrival: Instant) -> Option<Happening> {
        if matches!(self.link, Link::Rate { busy_until: None, .. }) && self.discipline.rests() {
            self.discipline.rest_until(arrival);
        }
        self.next_happening().filter(|happening| happening.precedes(arrival))
    }

    fn next_happening(&self) -> Option<Happening> {
        let free = match &self.link {
            Link::Rate { busy_until, .. } => busy_until.map(Happening::Free),
            Link::Moments { moments, over, .. } => moments.get(*over).map(|moment| Happening::Moment(*moment)),
        };
        // A deadline that is over falls due now.
        let due = self.discipline.next_deadline().map(|deadline| Happening::Deadline(deadline.max(self.now)));
        match (free, due) {
            (Some(free), Some(due)) => Some(if free.precedes(due.time()) { free } else { due }),
            (free, due) => free.or(due),
        }
    }

    fn process(&mut self, happening: Happening) {
        self.advance(happening.time());
        match happening {
            Happening::Free(_) | Happening::Moment(_) => self.transmit(),
            Happening::Deadline(now) => {
                self.discipline.on_deadline(now, &mut self.cx);
                self.record_events();
                // A discipline that holds packets back may release one at its deadline.
                if self.discipline.backlog().packets > 0 {
                    self.transmit_if_free();
                }
            }
        }
    }

    fn advance(&mut self, to: Instant) {
        if !self.decisions.is_empty() {
            let backlog = self.discipline.backlog();
            let span = u128::from((to - self.now).as_nanos());
            self.backlog_time.0 += u128::from(backlog.packets) * span;
            self.backlog_time.1 += u128::from(backlog.bytes) * span;
        }
        self.now = to;
    }

    fn transmit_if_free(&mut self) {
        if matches!(self.link, Link::Rate { busy_until: None, .. }) {
            self.transmit();
        }
    }

    /// The link is free, and takes the next packet if there is one.
    fn transmit(&mut self) {
        let packet = self.discipline.dequeue(self.now, &mut self.cx);
        self.record_events();
        let start = self.now;
        let end = match &mut self.link {
            Link::Rate { transmitter, busy_until, .. } => {
                *busy_until = packet.as_ref().map(|packet| start + transmitter.send(packet.size));
                *busy_until
            }
            Link::Moments { over, unused, .. } => {
                *over += 1;
                *unused += u64::from(packet.is_none());
                None
            }
        };
        if let Some(packet) = packet {
            self.decision(&packet).sent = Some(Transmission { start, end });
        }
    }

    fn record_events(&mut self) {
        if self.cx.events.is_empty() {
            return;
        }
        for event in self.cx.events.drain() {
            let fate = match event.what {
                What::Drop(reason) | What::Loss(reason) => Fate::Dropped { reason, at: event.time },
                What::Mark(reason) => Fate::Marked { reason, at: event.time },
                // Recorded senders hear nothing.
                What::Choke(_) => continue,
            };
            if let Some(decision) = self.decisions.get_mut(number(&event.packet)) {
                decision.fate = fate;
            }
        }
    }

    fn decision(&mut self, packet: &Packet) -> &mut Decision {
        self.decisions.get_mut(number(packet)).expect("a discipline gives back the packets that it was given")
    }
}

/// The next event without an arrival.
#[derive(Clone, Copy)]
enum Happening {
    Free(Instant),
    /// The link takes a packet at a recorded moment.
    Moment(Instant),
    Deadline(Instant),
}

impl Happening {
    fn time(self) -> Instant {
        match self {
            Happening::Free(time) | Happening::Moment(time) | Happening::Deadline(time) => time,
        }
    }

    /// True if it comes before a deadline or an arrival at `time`.
    fn precedes(self, time: Instant) -> bool {
        match self {
            Happening::Moment(moment) => moment < time,
            other => other.time() <= time,
        }
    }
}

/// The number of an arrival, counted from zero, which is in its packet.
fn number(packet: &Packet) -> usize {
    packet.hop as usize
}

#[cfg(test)]
mod tests;
