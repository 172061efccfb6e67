//! Media that links share: what stands between the queue of such a link and its end. A run without one has an empty
//! [`Air`] and spends nothing on it.

use std::collections::BTreeMap;

use super::event_queue::{Class, Event};
use super::links::Link;
use super::state::{NEVER, Simulation};
use crate::net::medium::{Attempts, Frame, Medium, Outcome};
use crate::queue::Reason;
use crate::rng::Rng;
use crate::scenario::plan::Plan;
use crate::units::Instant;

/// All media.
#[derive(Default)]
pub(super) struct Air {
    media: Vec<Shared>,
    /// By link: the number of its medium, and its own as a station there.
    stations: BTreeMap<u32, (usize, usize)>,
}

struct Shared {
    name: String,
    medium: Medium,
    /// The link of each station, and its name.
    links: Vec<(u32, String)>,
    /// When its next event is scheduled, in nanoseconds.
    armed: u64,
}

impl Air {
    /// As the plan says; each station draws from a stream of its own.
    pub(super) fn new(plan: &Plan, seed: u64) -> Self {
        let mut air = Air::default();
        let from = Instant::ZERO + plan.warmup;
        for medium in &plan.media {
            let (name, medium) = (medium.name.clone(), Medium::new(medium, from));
            air.media.push(Shared { name, medium, links: Vec::new(), armed: NEVER });
        }
        for (number, link) in (0..).zip(&plan.links) {
            let Some(medium) = link.wire.as_ref().and_then(|wire| wire.medium) else { continue };
            let shared = &mut air.media[medium];
            let name = link.name.to_string();
            air.stations.insert(number, (medium, shared.links.len()));
            shared.medium.join(link.rate, Rng::named(seed, &format!("medium/{}/{name}", shared.name)));
            shared.links.push((number, name));
        }
        air
    }

    /// Whether no link shares a medium.
    pub(super) fn is_empty(&self) -> bool {
        self.stations.is_empty()
    }

    /// What each station has done: names of medium and link, and numbers.
    pub(super) fn attempts<'a>(&'a self) -> Vec<(&'a str, &'a str, Attempts)> {
        let rows = |shared: &'a Shared| {
            let stations = shared.links.iter().enumerate();
            stations.map(|(number, (_, link))| (shared.name.as_str(), link.as_str(), shared.medium.attempts(number)))
        };
        self.media.iter().flat_map(rows).collect()
    }
}

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
