//! A recorded sequence of arrivals drives one queue discipline in front of a link, packet by packet.
//!
//! Nothing answers: the arrivals come when they were recorded, whatever the queue does with them. So
//! two implementations of one algorithm that see the same arrivals and the same random numbers must
//! take the same decisions, and the first packet at which they differ shows where they part.
//!
//! Order of events at one instant: first the transmitter becomes free and takes the next packet, then
//! deadlines of the discipline fall due, then arrivals join, in the order in which they are given. A
//! packet that finds the transmitter idle is offered to the discipline and taken from it at once.
//!
//! Serialisation is exact in the long run: what a whole number of nanoseconds leaves of one packet is
//! carried into the next.

mod summary;

pub use summary::{Count, Percentile, Summary};

use crate::header::Dscp;
use crate::net::transmitter::Transmitter;
use crate::packet::{Body, Ecn, FlowId, Packet};
use crate::queue::{Context, QueueDiscipline, Reason, What};
use crate::rng::Rng;
use crate::units::{Duration, Instant, Rate};

/// One recorded arrival.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrival {
    /// When it reaches the queue; at most [`TIME_MAX`].
    pub time: Instant,
    /// Bytes that the link sends for it, 1 to [`SIZE_MAX`].
    pub size: u32,
    /// Whose it is.
    pub flow: FlowId,
    /// The ECN field with which it comes.
    pub ecn: Ecn,
    /// The codepoint with which it comes.
    pub dscp: Dscp,
    /// In [0, 1): the first number that the discipline draws when this packet is enqueued. Further
    /// draws, and draws at departures and deadlines, come from the replay's own stream.
    pub uniform: Option<f64>,
}

/// The latest arrival: 10^7 seconds, 116 days. Bound: disciplines with periodic work do it all the
/// way there, and a time since 1970 taken for a time since the start would keep them busy for hours.
pub const TIME_MAX: Instant = Instant::from_nanos(10_000_000 * 1_000_000_000);

/// The largest packet: 16 MiB, more than any link carries.
pub const SIZE_MAX: u32 = 1 << 24;

/// Why an arrival is refused. The replay is as it was before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ArrivalError {
    /// It comes before the arrival before it.
    BackInTime {
        /// Time of the arrival before it.
        previous: Instant,
        /// Its own time.
        time: Instant,
    },
    /// It comes after [`TIME_MAX`].
    TooLate(Instant),
    /// It has no bytes, or more than [`SIZE_MAX`].
    Size(u64),
    /// Its uniform number is not in [0, 1).
    Uniform(f64),
}

impl std::fmt::Display for ArrivalError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ArrivalError::BackInTime { previous, time } => write!(
                f,
                "the arrival at {} s goes back in time, the one before it is at {} s; sort the arrivals by time",
                time.as_secs_f64(),
                previous.as_secs_f64()
            ),
            ArrivalError::TooLate(time) => write!(
                f,
                "the arrival at {} s is later than {} s; let the times count from the start of the recording",
                time.as_secs_f64(),
                TIME_MAX.as_secs_f64()
            ),
            ArrivalError::Size(size) => write!(f, "a packet of {size} bytes; allowed are 1 to {SIZE_MAX}"),
            ArrivalError::Uniform(value) => {
                write!(f, "the uniform number {value} is out of range; allowed are 0 up to, but not including, 1")
            }
        }
    }
}

impl std::error::Error for ArrivalError {}

impl Arrival {
    /// Whether this arrival may follow one at `previous`.
    pub fn check(&self, previous: Instant) -> Result<(), ArrivalError> {
        if self.time < previous {
            return Err(ArrivalError::BackInTime { previous, time: self.time });
        }
        if self.time > TIME_MAX {
            return Err(ArrivalError::TooLate(self.time));
        }
        if self.size == 0 || self.size > SIZE_MAX {
            return Err(ArrivalError::Size(u64::from(self.size)));
        }
        match self.uniform {
            Some(value) if !(0.0..1.0).contains(&value) => Err(ArrivalError::Uniform(value)),
            _ => Ok(()),
        }
    }
}

/// What became of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It was enqueued and left as it came.
    Enqueued,
    /// It was marked and left.
    Marked {
        /// Why.
        reason: Reason,
        /// When: at its arrival or its departure.
        at: Instant,
    },
    /// It was dropped, whether or not it had been marked before.
    Dropped {
        /// Why.
        reason: Reason,
        /// When: at its arrival, while it waited, or at its departure.
        at: Instant,
    },
}

/// The sending of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transmission {
    /// It left the queue and its first bit was sent.
    pub start: Instant,
    /// Its last bit was sent.
    pub end: Instant,
}

/// What was decided about one packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decision {
    /// The packet as it arrived.
    pub arrival: Arrival,
    /// What became of it.
    pub fate: Fate,
    /// When it was sent; `None` if it was dropped (or still waits in a discipline that holds it for ever).
    pub sent: Option<Transmission>,
}

impl Decision {
    /// Time in the queue, from arrival to the start of transmission.
    pub fn sojourn(&self) -> Option<Duration> {
        self.sent.map(|sent| sent.start - self.arrival.time)
    }
}

/// All that a replay gives.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// One for each arrival, in the order of arrival.
    pub decisions: Vec<Decision>,
    /// The whole in numbers.
    pub summary: Summary,
}

/// A queue discipline, its link and the arrivals so far.
pub struct Replay {
    discipline: Box<dyn QueueDiscipline>,
    rate: Rate,
    transmitter: Transmitter,
    /// When the transmission under way ends.
    busy_until: Option<Instant>,
    cx: Context,
    /// Time of the last event; also of the last arrival once `push` has returned.
    now: Instant,
    /// Backlog times time since the first arrival, in packet and byte nanoseconds.
    backlog_time: (u128, u128),
    decisions: Vec<Decision>,
    /// Deadlines since the last arrival in a row, with packets waiting and the link idle.
    in_vain: u32,
}

impl Replay {
    /// Bound: after so many deadlines in vain, nothing more is thought to come out.
    const DEADLINES_IN_VAIN: u32 = 1_000_000;

    /// `discipline`, still empty, in front of an idle link of `rate`; `rng` is the queue's stream.
    pub fn new(discipline: Box<dyn QueueDiscipline>, rate: Rate, rng: Rng) -> Self {
        Replay {
            discipline,
            rate,
            transmitter: Transmitter::new(rate),
            busy_until: None,
            cx: Context::new(rng),
            now: Instant::ZERO,
            backlog_time: (0, 0),
            decisions: Vec::new(),
            in_vain: 0,
        }
    }

    /// The next arrival, after all that happens before it.
    pub fn push(&mut self, arrival: Arrival) -> Result<(), ArrivalError> {
        arrival.check(self.now)?;
        self.in_vain = 0;
        while let Some(happening) = self.next_happening().filter(|happening| happening.time() <= arrival.time) {
            self.process(happening);
        }
        self.advance(arrival.time);
        let number = self.decisions.len() as u64;
        self.decisions.push(Decision { arrival, fate: Fate::Enqueued, sent: None });
        if let Some(uniform) = arrival.uniform {
            self.cx.rng.supply(uniform);
        }
        let packet = Packet { dscp: arrival.dscp, ..Packet::datagram(arrival.flow, number, arrival.size) };
        let packet = packet.with_ecn(arrival.ecn);
        self.discipline.enqueue(arrival.time, stamped(packet, arrival.time), &mut self.cx);
        self.cx.rng.clear_supplied();
        self.record_events();
        self.transmit_if_free();
        Ok(())
    }

    /// Sends what waits, in at most `steps` transmissions and deadlines; `true` when nothing is left to
    /// do. [`Replay::finish`] does it all at once; a caller that wants to be interrupted does it in parts.
    pub fn drain(&mut self, steps: u64) -> bool {
        for _ in 0..steps {
            let transmitting = self.busy_until.is_some();
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

    /// Sends what waits, and sums up. Time ends with the last transmission or arrival.
    pub fn finish(mut self) -> Outcome {
        while !self.drain(u64::MAX) {}
        let summary = Summary::of(&self.decisions, self.rate, self.now, self.backlog_time);
        Outcome { decisions: self.decisions, summary }
    }

    fn next_happening(&self) -> Option<Happening> {
        let free = self.busy_until.map(Happening::Free);
        // A deadline that is over falls due now.
        let due = self.discipline.next_deadline().map(|deadline| Happening::Deadline(deadline.max(self.now)));
        match (free, due) {
            (Some(free), Some(due)) => Some(if free.time() <= due.time() { free } else { due }),
            (free, due) => free.or(due),
        }
    }

    fn process(&mut self, happening: Happening) {
        self.advance(happening.time());
        match happening {
            Happening::Free(_) => {
                self.busy_until = None;
                self.transmit();
            }
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
        if self.busy_until.is_none() {
            self.transmit();
        }
    }

    fn transmit(&mut self) {
        let packet = self.discipline.dequeue(self.now, &mut self.cx);
        self.record_events();
        if let Some(packet) = packet {
            let end = self.now + self.transmitter.send(packet.size);
            self.busy_until = Some(end);
            self.decision(&packet).sent = Some(Transmission { start: self.now, end });
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

/// What happens next without an arrival.
#[derive(Clone, Copy)]
enum Happening {
    Free(Instant),
    Deadline(Instant),
}

impl Happening {
    fn time(self) -> Instant {
        match self {
            Happening::Free(time) | Happening::Deadline(time) => time,
        }
    }
}

/// The arrivals are numbered from zero; the number travels in the packet.
fn number(packet: &Packet) -> usize {
    match packet.body {
        Body::Datagram { seq, .. } => usize::try_from(seq).unwrap_or(usize::MAX),
        _ => usize::MAX,
    }
}

fn stamped(mut packet: Packet, now: Instant) -> Packet {
    if let Body::Datagram { sent_at, .. } = &mut packet.body {
        *sent_at = now;
    }
    packet
}

#[cfg(test)]
mod tests;
