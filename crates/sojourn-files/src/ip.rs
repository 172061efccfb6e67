//! The IP packet in a captured frame: its length, its codepoint (DSCP), its ECN field and its flow.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use sojourn::header::Dscp;
use sojourn::packet::Ecn;

use crate::link_layer::{self, Behind, LinkType, Protocol};

/// A 5-tuple; ports are there for the first fragment of TCP, UDP, DCCP, SCTP and UDP-Lite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FlowKey {
    protocol: u8,
    source: IpAddr,
    destination: IpAddr,
    ports: Option<(u16, u16)>,
}

impl FlowKey {
    /// Such as `tcp 10.0.0.1:80 > 10.0.0.2:1234`.
    pub fn name(&self) -> String {
        let protocol = match self.protocol {
            1 => "icmp".to_owned(),
            6 => "tcp".to_owned(),
            17 => "udp".to_owned(),
            33 => "dccp".to_owned(),
            58 => "icmpv6".to_owned(),
            132 => "sctp".to_owned(),
            136 => "udplite".to_owned(),
            other => format!("ip-{other}"),
        };
        match self.ports {
            None => format!("{protocol} {} > {}", self.source, self.destination),
            Some((source, destination)) => {
                let from = std::net::SocketAddr::new(self.source, source);
                let to = std::net::SocketAddr::new(self.destination, destination);
                format!("{protocol} {from} > {to}")
            }
        }
    }
}

/// The parts of an IP packet that an arrival needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Datagram {
    /// Bytes of the IP packet, its header included.
    pub size: u32,
    pub dscp: Dscp,
    pub ecn: Ecn,
    pub flow: FlowKey,
    /// Bytes of its IP and transport headers, which each part of it has where a network card cuts it.
    pub headers: u32,
}

/// The content of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    Ip(Datagram),
    NotIp(Protocol),
    Malformed,
}

/// Reads a frame: `frame` is the captured part, and `original_len` its bytes on the wire.
pub fn parse(link: LinkType, frame: &[u8], original_len: u32) -> Content {
    let header_len = match link_layer::behind(link, frame) {
        None => return Content::Malformed,
        Some(Behind::Other(protocol)) => return Content::NotIp(protocol),
        Some(Behind::Ip(at)) => at,
    };
    let packet = frame.get(header_len..).unwrap_or(&[]);
    let carried = original_len.saturating_sub(header_len as u32);
    let datagram = match packet.first().map(|byte| byte >> 4) {
        Some(4) => ipv4(packet, carried),
        Some(6) => ipv6(packet, carried),
        _ => None,
    };
    datagram.map_or(Content::Malformed, Content::Ip)
}

/// RFC 791 section 3.1.
fn ipv4(packet: &[u8], carried: u32) -> Option<Datagram> {
    let header_len = usize::from(packet.first()? & 0x0f) * 4;
    let header = packet.get(..20)?;
    // With segmentation offload the length is 0.
    let size = match be16(header, 2)? {
        0 => carried,
        len => u32::from(len),
    };
    if header_len < 20 || (size as usize) < header_len {
        return None;
    }
    // Three flags are before the offset.
    let first_fragment = be16(header, 6)? << 3 == 0;
    let protocol = header[9];
    let address = |at: usize| -> Option<IpAddr> {
        let octets: [u8; 4] = header.get(at..at + 4)?.try_into().ok()?;
        Some(Ipv4Addr::from(octets).into())
    };
    let ports = if first_fragment { ports(protocol, packet, header_len) } else { None };
    let flow = FlowKey { protocol, source: address(12)?, destination: address(16)?, ports };
    let headers = header_len as u32 + transport_header(ports.map(|_| protocol), packet, header_len);
    Some(Datagram { size, dscp: dscp(header[1]), ecn: ecn(header[1]), flow, headers: headers.min(size) })
}

/// RFC 8200 section 3.
fn ipv6(packet: &[u8], carried: u32) -> Option<Datagram> {
    let header = packet.get(..40)?;
    // A jumbogram (RFC 2675) and segmentation offload have the length 0; so has a bare header.
    let size = match be16(header, 4)? {
        0 => carried.max(40),
        len => u32::from(len) + 40,
    };
    let traffic_class = (header[0] << 4) | (header[1] >> 4);
    let address = |at: usize| -> Option<IpAddr> {
        let octets: [u8; 16] = header.get(at..at + 16)?.try_into().ok()?;
        Some(Ipv6Addr::from(octets).into())
    };
    let (protocol, ports, at) = upper_layer(packet, header[6]);
    let flow = FlowKey { protocol, source: address(8)?, destination: address(24)?, ports };
    let headers = at as u32 + transport_header(ports.map(|_| protocol), packet, at);
    Some(Datagram { size, dscp: dscp(traffic_class), ecn: ecn(traffic_class), flow, headers: headers.min(size) })
}

/// Skips extension headers (RFC 8200 section 4) from the one of type `next`, as far as they were captured: the protocol, its
/// ports, and where it begins.
fn upper_layer(packet: &[u8], mut next: u8) -> (u8, Option<(u16, u16)>, usize) {
    let mut at = 40;
    loop {
        let len = match (next, packet.get(at + 1)) {
            // Hop-by-hop, routing, destination options, mobility, HIP, shim6, and two for experiments.
            (0 | 43 | 60 | 135 | 139 | 140 | 253 | 254, Some(&len)) => (usize::from(len) + 1) * 8,
            // Authentication (RFC 4302 section 2.2) counts in words of 4 bytes.
            (51, Some(&len)) => (usize::from(len) + 2) * 4,
            (44, Some(_)) => match be16(packet, at + 2) {
                Some(offset) if offset & 0xfff8 == 0 => 8,
                // Only the first fragment has ports.
                _ => return (packet[at], None, at),
            },
            _ => return (next, ports(next, packet, at), at),
        };
        next = packet[at];
        at += len;
    }
}

/// Bytes of the header of a transport that segmentation offload knows: TCP (RFC 9293 section 3.1; without options where the
/// offset was not captured) and UDP.
fn transport_header(protocol: Option<u8>, packet: &[u8], at: usize) -> u32 {
    match protocol {
        Some(6) => packet.get(at + 12).map_or(20, |offset| u32::from(offset >> 4) * 4).max(20),
        Some(17) => 8,
        _ => 0,
    }
}

fn ports(protocol: u8, packet: &[u8], at: usize) -> Option<(u16, u16)> {
    if !matches!(protocol, 6 | 17 | 33 | 132 | 136) {
        return None;
    }
    Some((be16(packet, at)?, be16(packet, at + 2)?))
}

/// RFC 2474 section 3: the upper six bits.
fn dscp(traffic_class: u8) -> Dscp {
    Dscp::new(traffic_class >> 2).expect("six bits are at most 63")
}

/// RFC 3168 section 5: the lowest two bits.
fn ecn(traffic_class: u8) -> Ecn {
    match traffic_class & 3 {
        0 => Ecn::NotEct,
        1 => Ecn::Ect1,
        2 => Ecn::Ect0,
        _ => Ecn::Ce,
    }
}

fn be16(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(bytes.get(at..at.checked_add(2)?)?.try_into().ok()?))
}

#[cfg(test)]
mod tests;
