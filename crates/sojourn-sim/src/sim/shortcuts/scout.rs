//! Goes some events ahead of the simulation and asks for the memory that they will touch. A large network does
//! not fit into the processor's caches; without this each event would wait for five or more reads, one
//! after the other. It changes nothing but time.
//!
//! The memory that an event touches is a chain: the event names a packet, the packet a flow and a place of its route, and these an endpoint
//! and links. So a scouted event goes through stages, some events apart, and each stage prefetches the memory that the next one reads. By
//! then the event may be over, and another one may have its place. Then the prefetched memory is of no use, and does no harm.

use super::super::event_queue::{Class, Event};
use super::super::hop::Hop;
use super::super::state::{RECEIVER, SENDER, Simulation};
use crate::packet::{Body, Packet};
use crate::prefetch::{Part, prefetch};

/// Fewer packets on their way are near each other in time: successive events touch the same memory.
const CROWD: usize = 1 << 12;

/// How many events go by before [`step`] is asked again.
pub const REVIEW_EVERY: u64 = 1 << 14;

/// Events between two stages, by the number of flows and the most packets that were on their way at a time: zero where the touched memory
/// fits into a cache near the processor, few where it fits into one farther away.
pub fn step(flows: usize, packets: usize) -> usize {
    match flows {
        _ if packets < CROWD => 0,
        0..512 => 0,
        512..4096 => SHORT,
        _ => LONG,
    }
}

/// With few flows the memory is in a near cache: prefetching all of it costs more than it saves.
const SHORT: usize = 2;
const LONG: usize = 4;

/// How many events ahead the first stage comes.
pub fn reach(step: usize) -> usize {
    3 * step
}

impl Simulation {
    /// Asks for the memory that some of the events ahead touch, each at its stage.
    #[inline(always)]
    pub(in crate::sim) fn scout(&self, step: usize) {
        let upcoming = |after: usize| {
            let event = self.events.upcoming(after)?;
            self.outbox.pool.try_get(Hop::handle(event.arg))
        };
        self.events.upcoming(3 * step - 1).inspect(|event| self.ask_for_packet(*event));
        self.events.upcoming(2 * step - 1).inspect(|event| self.ask_for_flow(*event));
        upcoming(step - 1).inspect(|packet| self.ask_for_end(packet));
        if step > SHORT {
            upcoming(step - 1).inspect(|packet| self.ask_for_way(packet));
            upcoming(0).inspect(|packet| self.ask_for_rest(packet));
        }
    }

    /// The packet that the event is about, or the flow whose timer it is.
    #[inline(always)]
    fn ask_for_packet(&self, event: Event) {
        if is_timer(event) {
            prefetch(self.flows.get(event.entity() as usize / 2));
        } else {
            prefetch(self.outbox.pool.try_get(Hop::handle(event.arg)));
        }
    }

    /// The flow, and the next link or end on the packet's way; or the end whose timer it is.
    #[inline(always)]
    fn ask_for_flow(&self, event: Event) {
        if is_timer(event) {
            self.ask_for_timer(event.entity() as usize);
        } else if let Some(packet) = self.outbox.pool.try_get(Hop::handle(event.arg)) {
            prefetch(self.flows.get(packet.flow.0 as usize));
            prefetch(self.routes.get(packet.hop as usize + 1));
        }
    }

    #[inline(never)]
    fn ask_for_timer(&self, entity: usize) {
        if let Some(flow) = self.flows.get(entity / 2) {
            flow.ends[entity % 2].prefetch(Part::Itself);
        }
    }

    /// The end that hears of the packet.
    #[inline(always)]
    fn ask_for_end(&self, packet: &Packet) {
        if let Some(flow) = self.flows.get(packet.flow.0 as usize) {
            flow.ends[side(packet)].prefetch(Part::Itself);
        }
    }

    /// The link that the packet enters next, and the beginning of that end's route.
    #[inline(always)]
    fn ask_for_way(&self, packet: &Packet) {
        self.ask_for_link(packet.hop + 1);
        if let Some(flow) = self.flows.get(packet.flow.0 as usize) {
            prefetch(self.routes.get(flow.route[side(packet)] as usize));
        }
    }

    /// The data that the end keeps elsewhere, and the link that takes its packets.
    #[inline(always)]
    fn ask_for_rest(&self, packet: &Packet) {
        let Some(flow) = self.flows.get(packet.flow.0 as usize) else { return };
        let side = side(packet);
        flow.ends[side].prefetch(Part::Elsewhere);
        self.ask_for_link(flow.route[side]);
    }

    #[inline(always)]
    fn ask_for_link(&self, place: u32) {
        if let Some(hop) = self.routes.get(place as usize) {
            prefetch(self.links.get(hop.number() as usize));
        }
    }
}

#[inline(always)]
fn is_timer(event: Event) -> bool {
    event.class() == Class::Timer
}

/// The side of its flow that hears of the packet in this event, if there is one.
#[inline(always)]
fn side(packet: &Packet) -> usize {
    if matches!(packet.body, Body::Ack { .. }) { SENDER } else { RECEIVER }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::shortcuts::Shortcuts;
    use crate::sim::tests::{bits, over, run};

    /// This many flows that start together, and fill a link of 1 Gbit/s.
    fn crowd(flows: u32) -> String {
        format!(
            r#"
duration = "0.35s"
[dumbbell]
rate = "1Gbit"
delay = "20ms"
access = {{ rate = "10Gbit", delay = "5ms" }}
queue = {{ kind = "red", limit = "3000p" }}
[[flow]]
name = "crowd"
count = {flows}
transport = {{ kind = "tcp", recovery = "sack", profile = "ns2" }}
app = {{ kind = "bulk" }}
start = {{ spread = "20ms" }}
"#
        )
    }

    #[test]
    fn a_scout_goes_ahead_where_many_flows_have_many_packets_on_their_way() {
        assert_eq!([0, 511, 512, 4096].map(|flows| step(flows, CROWD)), [0, 0, SHORT, LONG]);
        assert_eq!(step(100_000, CROWD - 1), 0);
        let many = over(&crowd(600));
        assert_eq!(step(many.flows.len(), many.outbox.pool.places()), SHORT);
    }

    #[test]
    fn it_changes_nothing() {
        let text = crowd(600);
        let without = Shortcuts::ALL.without("scout").expect("a shortcut of that name");
        assert_eq!(bits(&run(&text, 1, Shortcuts::ALL)), bits(&run(&text, 1, without)));
    }
}
