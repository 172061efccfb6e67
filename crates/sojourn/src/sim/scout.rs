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

/// Events between two stages.
const STEP: usize = 4;
/// The first stage comes so many events ahead.
pub const REACH: usize = 3 * STEP;
/// The state of fewer flows fits into a cache.
pub const FEWEST_FLOWS: usize = 2048;

impl Simulation {
    /// Asks for what four of the events ahead touch, each at its stage.
    #[inline]
    pub(super) fn scout(&self) {
        let upcoming = |after: usize| self.events.upcoming(after).map(|event| event.arg);
        upcoming(3 * STEP - 1).inspect(|arg| self.ask_for_packet(*arg));
        upcoming(2 * STEP - 1).inspect(|arg| self.ask_for_flow(*arg));
        upcoming(STEP - 1).inspect(|arg| self.ask_for_end(*arg));
        upcoming(0).inspect(|arg| self.ask_for_first_link(*arg));
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
