//! The way of a packet on the wire: over links whose fate for it is known to where an event must say more.

use super::hop::Hop;
use super::links::{Link, Links};
use crate::net::fifo_link::FifoLinks;
use crate::packet::Packet;
use crate::units::Instant;

/// The fate of a packet that is on a link.
#[derive(Clone, Copy, Debug)]
pub(super) enum Flight {
    /// It reaches the end of its route then.
    Ends(Instant, Hop),
    /// It reaches this place of its route then, over this link.
    Reaches(Instant, u32, Hop),
    /// It is dropped before this link.
    Lost(u32),
}

/// Follows a packet, which will reach the end of a link then, over the links that are fused to that one.
#[inline(always)]
pub(super) fn follow(
    links: &mut Links,
    fifo_links: &mut FifoLinks,
    routes: &[Hop],
    packet: &mut Packet,
    (mut arrival, mut link): (Instant, u32),
) -> Flight {
    let mut hop = packet.hop;
    loop {
        hop += 1;
        let next = routes[hop as usize];
        if next.is_ahead() {
            return Flight::Ends(arrival, next);
        }
        if !next.is_fused() {
            packet.hop = hop;
            return Flight::Reaches(arrival, link, next);
        }
        let Link::Buffer(fifo) = &mut links[next.number() as usize] else {
            unreachable!("only drop-tail links are fused");
        };
        let Some(later) = fifo.arrive(fifo_links, arrival, packet) else {
            packet.hop = hop;
            return Flight::Lost(next.number());
        };
        (arrival, link) = (later, next.number());
    }
}
