//! The packets that go in, and their fates that come out.

use super::Time;
use sojourn_sim::header::{Acknowledgement, Dscp, Hosts, Seen};
use sojourn_sim::packet::{Body, Ecn, FlowId, Packet};

/// The fields of a packet that queues may read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Datagram {
    /// Bytes on the wire, with headers: at least 1 and less than 2^31.
    pub len: u32,
    /// The number of its flow. Fair queues tell flows apart by it. Small numbers are best, because some queues keep an account for each
    /// number up to the largest.
    pub flow: u32,
    /// Its ECN field.
    pub ecn: Ecn,
    /// The class of service that it asks for.
    pub dscp: Dscp,
    /// Its hosts, among which CAKE shares. Without them, each flow has two of its own.
    pub hosts: Option<Hosts>,
    /// The acknowledgement that it has as a segment of TCP, which CAKE may filter.
    pub acknowledgement: Option<Acknowledgement>,
}

impl Datagram {
    /// A packet of flow 0 that does not understand marks, without a class of service.
    pub const fn new(len: u32) -> Self {
        Datagram { len, flow: 0, ecn: Ecn::NotEct, dscp: Dscp::DF, hosts: None, acknowledgement: None }
    }

    /// The same packet of another flow.
    #[must_use]
    pub const fn flow(self, flow: u32) -> Self {
        Datagram { flow, ..self }
    }

    /// The same packet with an ECN field.
    #[must_use]
    pub const fn ecn(self, ecn: Ecn) -> Self {
        Datagram { ecn, ..self }
    }

    /// The same packet with a class of service.
    #[must_use]
    pub const fn dscp(self, dscp: Dscp) -> Self {
        Datagram { dscp, ..self }
    }

    /// The same packet from one host to another, by numbers of the caller's choice.
    #[must_use]
    pub const fn hosts(self, source: u32, target: u32) -> Self {
        Datagram { hosts: Some(Hosts { source, target }), ..self }
    }

    /// The same packet as a segment of TCP with an acknowledgement.
    #[must_use]
    pub const fn acknowledgement(self, acknowledgement: Acknowledgement) -> Self {
        Datagram { acknowledgement: Some(acknowledgement), ..self }
    }

    /// The packet that queues see: datagram `number`, whose payload is at `slot`.
    pub(super) fn packet(self, now: sojourn_sim::units::Instant, number: u64, slot: u32) -> Packet {
        assert!(self.len > 0 && self.len < 1 << 31, "a packet has at least 1 byte and less than 2^31: {}", self.len);
        let mut packet = Packet { dscp: self.dscp, hop: slot, ..Packet::datagram(FlowId(self.flow), number, self.len) };
        packet.ecn = self.ecn;
        packet.enqueued_at = now;
        packet.body = if self.hosts.is_some() || self.acknowledgement.is_some() {
            Body::Seen(Seen::new(self.hosts, self.acknowledgement))
        } else {
            Body::Datagram { seq: number, sent_at: now }
        };
        packet
    }

    pub(super) fn of(packet: &Packet) -> Self {
        let (hosts, acknowledgement) = match packet.body {
            Body::Seen(seen) => (seen.hosts(), seen.acknowledgement()),
            _ => (None, None),
        };
        Datagram { len: packet.size, flow: packet.flow.0, ecn: packet.ecn, dscp: packet.dscp, hosts, acknowledgement }
    }
}

/// A packet at the other end of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Arrived<T> {
    /// The time at which its last bit arrived.
    pub at: Time,
    /// The time that it was in queues, at all links together.
    pub waited: Time,
    /// The packet as it arrived: a mark of congestion is [`Ecn::Ce`].
    pub datagram: Datagram,
    /// The reason in a word, if a queue on the path marked it. If several did, it is that of the last.
    pub marked: Option<&'static str>,
    /// The payload that was sent with it.
    pub payload: T,
}

/// A packet that did not get through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lost<T> {
    /// The time.
    pub at: Time,
    /// The packet as it was then.
    pub datagram: Datagram,
    /// The reason in a word: `overflow`, `early`, `sojourn` and others for a drop by a queue, `corruption` for a loss on a link.
    pub reason: &'static str,
    /// The number of the link, from 0.
    pub link: usize,
    /// The payload that was sent with it.
    pub payload: T,
}
