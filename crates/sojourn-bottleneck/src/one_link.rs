//! One link of a path: a discipline, a transmitter, and the wire with its losses and changes.

use sojourn_sim::net::transmitter::Transmitter;
use sojourn_sim::net::wire::Wire;
use sojourn_sim::packet::Packet;
use sojourn_sim::queue::{Context, QueueDiscipline, Reason};
use sojourn_sim::units::{Duration, Instant};

/// A link. Each call that may begin a transmission gives the packet, with the time at which it reaches the other end.
pub struct Hop {
    pub discipline: Box<dyn QueueDiscipline>,
    pub cx: Context,
    pub transmitter: Transmitter,
    pub delay: Duration,
    pub wire: Option<Wire>,
    /// The time at which the present transmission ends.
    pub busy_until: Option<Instant>,
}

impl Hop {
    /// A packet arrives.
    pub fn arrive(&mut self, now: Instant, packet: Packet) -> Option<(Instant, Packet)> {
        self.discipline.enqueue(now, Packet { enqueued_at: now, ..packet }, &mut self.cx);
        self.transmit_if_free(now)
    }

    /// The present transmission ends.
    pub fn become_free(&mut self, now: Instant) -> Option<(Instant, Packet)> {
        self.busy_until = None;
        self.transmit_if_free(now)
    }

    /// The time of the discipline's deadline has come.
    pub fn meet_deadline(&mut self, now: Instant) -> Option<(Instant, Packet)> {
        self.discipline.on_deadline(now, &mut self.cx);
        // One that holds packets back may release one.
        if self.discipline.has_something() { self.transmit_if_free(now) } else { None }
    }

    fn transmit_if_free(&mut self, now: Instant) -> Option<(Instant, Packet)> {
        if self.busy_until.is_some() {
            return None;
        }
        let packet = self.discipline.dequeue(now, &mut self.cx)?;
        if let Some(wire) = &mut self.wire {
            let (rate, delay) = wire.changes_until(now);
            self.transmitter = rate.map_or_else(|| self.transmitter.clone(), Transmitter::new);
            self.delay = delay.unwrap_or(self.delay);
        }
        let free_at = now + self.transmitter.send(packet.size);
        self.busy_until = Some(free_at);
        let due = free_at + self.delay;
        let arrives_at = self.wire.as_mut().map_or(Some(due), |wire| wire.arrival(due, packet.size));
        if arrives_at.is_none() {
            // The link loses it, not the queue: recorded as the engine does.
            self.cx.events.lose(now, packet, Reason::CORRUPTION);
        }
        arrives_at.map(|at| (at, packet))
    }
}
