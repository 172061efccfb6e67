//! Arrivals at a link on which a rule orders an arrival and a departure of one moment.

use super::event_queue::{Class, Event};
use super::hop::{Hop, Kind};
use super::links::Link;
use super::state::Simulation;
use crate::net::moments::Turn;
use crate::units::Instant;

const QUEUE: u32 = Kind::Queue as u32;

impl Simulation {
    /// A packet reaches a link with a discipline now, over the link `last`.
    #[inline(always)]
    pub(super) fn enter_in_turn(&mut self, now: Instant, last: u32, handle: u32) {
        let hop = self.hop(handle);
        match &self.links[hop.number() as usize] {
            Link::Queue(queue) if queue.moments.is_some() => self.enter_tied(now, last, hop, handle),
            _ => self.enter::<QUEUE>(now, hop.number(), handle),
        }
    }

    #[inline(never)]
    fn enter_tied(&mut self, now: Instant, last: u32, hop: Hop, handle: u32) {
        let size = self.outbox.pool.get(handle).size;
        let crossing = match &self.links[last as usize] {
            Link::Buffer(fifo) => fifo.crossing(&self.fifo_links, size),
            Link::Queue(queue) => queue.crossing(size),
        };
        let turn = match &self.links[hop.number() as usize] {
            Link::Queue(queue) => queue.moments.map_or(Turn::Now(now), |moments| moments.turn(now, crossing)),
            Link::Buffer(_) => Turn::Now(now),
        };
        match turn {
            Turn::Now(at) => self.enter::<QUEUE>(at, hop.number(), handle),
            Turn::Later(at) => {
                self.events.push(Event::new(at.as_nanos(), Class::Delivery, last, hop.with_handle(handle)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::sim::shortcuts::Shortcuts;
    use crate::sim::tests::{number, run};

    /// Losses of a buffer of one packet. Packets of 1000 bytes come at exactly the rate of the link, so that each arrives at the moment at
    /// which the one before has been sent; and one more packet comes, which waits.
    fn losses(rate: &str, delay: &str, ties: &str) -> u64 {
        let text = format!(
            r#"
            duration = "1s"
            [dumbbell]
            rate = "{rate}"
            delay = "10ms"
            access = {{ rate = "1Gbit", delay = "{delay}" }}
            queue = {{ kind = "fifo", limit = "1p", ties = "{ties}" }}
            [[flow]]
            name = "clocked"
            transport = {{ kind = "udp" }}
            app = {{ kind = "cbr", rate = "{rate}", packet = "1000B" }}
            [[flow]]
            name = "one"
            transport = {{ kind = "udp" }}
            app = {{ kind = "cbr", rate = "1kbit", packet = "1000B" }}
            start = {{ at = "0.1005s" }}
            "#
        );
        number(&run(&text, 1, Shortcuts::ALL), "queue", "drops_packets", 0) as u64
    }

    #[test]
    fn an_arrival_comes_first_if_its_last_hop_takes_longer_than_the_packet_in_service() {
        // A packet is in service for a millisecond, and for 8 us on the access link. At 7.7 Mbit/s every moment is rounded.
        for rate in ["8Mbit", "7.7Mbit"] {
            assert_eq!(losses(rate, "0.5ms", "scheduled"), 0, "{rate}");
            assert_eq!(losses(rate, "2ms", "scheduled"), 1, "{rate}");
        }
    }

    #[test]
    fn by_the_clock_the_departure_of_the_same_nanosecond_comes_first() {
        assert_eq!(losses("8Mbit", "0.5ms", "clock"), 0);
        assert_eq!(losses("8Mbit", "2ms", "clock"), 0);
    }
}
