//! A frame of Ethernet, read in order to forward it: where its IP packet begins, and the fields that a queue may use.

use sojourn_sim::header::{Acknowledgement, Dscp};
use sojourn_sim::packet::Ecn;

use crate::ip::{self, Content, FlowKey};
use crate::link_layer::{Behind, LinkType, behind};

/// The IP packet in a frame, as [`read`](crate::read) would read it from a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IpPacket {
    /// Where it begins.
    pub at: usize,
    /// Its bytes, its header included.
    pub size: u32,
    /// The class of service that it asks for.
    pub dscp: Dscp,
    /// Its ECN field.
    pub ecn: Ecn,
    /// Its flow.
    pub flow: FlowKey,
    /// Bytes of its IP and transport headers.
    pub headers: u32,
    /// Its acknowledgement, if it is a segment of TCP that has one.
    pub acknowledgement: Option<Acknowledgement>,
}

/// The content of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ethernet {
    /// An IP packet.
    Ip(IpPacket),
    /// ARP and others, and frames that are too short or damaged.
    Other,
}

/// Reads a whole frame, with any number of VLAN tags.
pub fn read_ethernet(frame: &[u8]) -> Ethernet {
    let Some(Behind::Ip(at)) = behind(LinkType::Ethernet, frame) else { return Ethernet::Other };
    match ip::parse(LinkType::Ethernet, frame, frame.len() as u32) {
        Content::Ip(ip::Datagram { size, dscp, ecn, flow, headers, acknowledgement, .. }) => {
            Ethernet::Ip(IpPacket { at, size, dscp, ecn, flow, headers, acknowledgement })
        }
        Content::NotIp(_) | Content::Malformed => Ethernet::Other,
    }
}
