//! Goes some events ahead of the simulation and asks for the memory that they will touch. A large network does
//! not fit into the processor's caches; without this each event would wait for five or more reads, one
//! after the other. It changes nothing but time.
//!
//! What an event touches hangs together: the event names a packet, the packet a flow and a place of its
//! route, these an endpoint and links. So a scouted event goes through four stages, some events apart, and
//! each asks for what the next one reads. By then the event may be over, and its place taken by another: then what
//! is asked for is of no use, and of no harm.

use super::hop::{Hop, NUMBER_BITS};
use super::{ACKNOWLEDGED, RECEIVED, RECEIVER, SENDER, Simulation};
use crate::packet::Packet;
use crate::prefetch::prefetch;

/// Scouted events between two stages.
const STEP: usize = 4;
/// The state of fewer flows fits into a cache.
pub const FEWEST_FLOWS: usize = 2048;

/// What scouted events carry, on their way through the stages, as a ring.
#[derive(Debug)]
pub struct Scout {
    args: [u32; RING],
    /// Counts them.
    turn: usize,
}

const RING: usize = (3 * STEP + 1).next_power_of_two();

impl Default for Scout {
    fn default() -> Self {
        Scout { args: [0; RING], turn: 0 }
    }
}

impl Simulation {
    /// Goes ahead by about an event, if it is not far ahead.
    #[inline]
    pub(super) fn scout(&mut self) {
        let Scout { args, turn } = &mut self.scout;
        let from = *turn;
        self.events.scout(|arg| {
            args[*turn % RING] = arg;
            *turn += 1;
        });
        for count in from..*turn {
            let scouted = |stage: usize| self.scout.args[count.wrapping_sub(stage * STEP) % RING];
            self.ask_for_packet(scouted(0));
            self.ask_for_flow(scouted(1));
            self.ask_for_end(scouted(2));
            self.ask_for_first_link(scouted(3));
        }
    }

    fn ask_for_packet(&self, arg: u32) {
        prefetch(self.outbox.pool.try_get(Hop::handle(arg)));
    }

    /// The flow, and what comes next on the packet's way.
    fn ask_for_flow(&self, arg: u32) {
        let Some(packet) = self.outbox.pool.try_get(Hop::handle(arg)) else { return };
        prefetch(self.flows.get(packet.flow.0 as usize));
        prefetch(self.routes.get(packet.hop as usize + 1));
    }

    /// The link that the packet enters next, and the end that hears of it with the beginning of its route.
    fn ask_for_end(&self, arg: u32) {
        let Some(packet) = self.outbox.pool.try_get(Hop::handle(arg)) else { return };
        self.ask_for_link(packet.hop + 1);
        let Some(side) = self.side(arg, packet) else { return };
        let Some(flow) = self.flows.get(packet.flow.0 as usize) else { return };
        prefetch(Some(&*flow.ends[side]));
        prefetch(self.routes.get(flow.route[side] as usize));
    }

    /// What the end keeps elsewhere, and the link that takes what it sends.
    fn ask_for_first_link(&self, arg: u32) {
        let Some(packet) = self.outbox.pool.try_get(Hop::handle(arg)) else { return };
        if let (Some(side), Some(flow)) = (self.side(arg, packet), self.flows.get(packet.flow.0 as usize)) {
            flow.ends[side].prefetch();
            self.ask_for_link(flow.route[side]);
        }
    }

    fn ask_for_link(&self, place: u32) {
        if let Some(hop) = self.routes.get(place as usize) {
            prefetch(self.links.get(hop.number() as usize));
        }
    }

    /// Which side of its flow hears of the packet in this event, if any.
    fn side(&self, arg: u32, packet: &Packet) -> Option<usize> {
        match arg >> NUMBER_BITS {
            RECEIVED => return Some(RECEIVER),
            ACKNOWLEDGED => return Some(SENDER),
            _ => {}
        }
        let rest = self.routes.get(packet.hop as usize + 1..)?;
        let end = rest.iter().find(|hop| !hop.is_fused())?;
        end.is_ahead().then(|| if end.is_receiver() { RECEIVER } else { SENDER })
    }
}
