//! Media that links share, between the queue of such a link and its end. A run without one has an empty
//! [`Air`](media::Air) and spends nothing on it.

pub(super) mod media;

use super::event_queue::{Class, Event, NEVER};
use super::links::Link;
use super::state::Simulation;
use crate::net::medium::{Frame, Outcome};
use crate::queue::Reason;
use crate::units::Instant;

impl Simulation {
    /// The packet that `link` has taken for transmission waits for its medium.
    #[cold]
    pub(super) fn contend(&mut self, now: Instant, link: u32, handle: u32) {
        let (number, station) = self.air.stations[&link];
        let size = self.outbox.pool.get(handle).size;
        self.air.media[number].medium.offer(now, station, Frame { handle, size });
        self.arm_medium(number);
    }

    /// Schedules the medium's next event. One that is later than the one scheduled before stays where it is and is
    /// recognised by its time; an event at the time scheduled moves the next one into the future, so none is handled twice.
    fn arm_medium(&mut self, number: usize) {
        let shared = &mut self.air.media[number];
        let next = shared.medium.next_event().map_or(NEVER, Instant::as_nanos);
        if next != shared.armed {
            shared.armed = next;
            if next != NEVER {
                self.events.push(Event::new(next, Class::Medium, number as u32, 0));
            }
        }
    }

    /// A slot has come in which somebody sends, or an exchange is over.
    pub(super) fn medium_event(&mut self, now: Instant, number: u32) {
        let number = number as usize;
        if self.air.media[number].armed != now.as_nanos() {
            return; // Somebody was to send sooner.
        }
        self.air.media[number].armed = NEVER;
        if self.air.media[number].medium.is_busy() {
            self.end_exchange(now, number);
        } else {
            self.begin_exchange(now, number);
        }
        self.arm_medium(number);
    }

    fn begin_exchange(&mut self, now: Instant, number: usize) {
        let shared = &mut self.air.media[number];
        let Some(attempt) = shared.medium.begin(now) else { return };
        let link = shared.links[attempt.station].0;
        let Link::Queue(queue) = &mut self.links[link as usize] else {
            unreachable!("links on a medium have a wire, and those with a wire a discipline");
        };
        let arrival = queue.attempt(attempt.ends_at, attempt.bytes);
        shared.medium.receive(now, &attempt, arrival.is_some());
        if let Some(arrival) = arrival {
            self.fly(arrival, link, attempt.frame.handle);
        }
    }

    fn end_exchange(&mut self, now: Instant, number: usize) {
        let mut done = Vec::new();
        self.air.media[number].medium.end(now, &mut done);
        for (station, outcome) in done {
            let link = self.air.media[number].links[station].0;
            if let Link::Queue(queue) = &mut self.links[link as usize] {
                queue.transmitter_free();
                if let Outcome::GivenUp(handle) = outcome {
                    queue.lose(now, self.outbox.pool.get(handle), Reason::RETRIES);
                    self.corrupted(handle);
                }
            }
            self.transmit(now, link);
        }
    }
}

#[cfg(test)]
mod tests;
