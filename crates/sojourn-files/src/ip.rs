//! The IP packet in a captured frame: its length, its codepoint (DSCP), its ECN field, its flow and its acknowledgement.
//!
//! Headers are taken apart by `etherparse`, also where the rest of the packet was not captured. A flow is that of Linux's flow dissector:
//! that of the packet inside of a tunnel by GRE or by IP in IP, and that of addresses and protocol for each fragment. The length, the
//! codepoint and the ECN field are those of the outermost packet, as a queue of Linux sees them.

use std::net::IpAddr;

use etherparse::{
    IpAuthHeaderSlice, IpNumber, Ipv6ExtensionSlice, LaxIpSlice, TcpHeaderSlice, TcpOptionElement, ip_number,
};
use sojourn_sim::header::{AckOptions, Acknowledgement, Dscp, Hosts};
use sojourn_sim::packet::Ecn;

use crate::hosts;
use crate::link_layer::{self, Behind, LinkType, Protocol};
use crate::tunnel;

/// A 5-tuple. Fragments and other protocols than TCP, UDP, DCCP, SCTP, UDP-Lite, ESP and AH have no ports; those of ESP and AH are their
/// index (SPI).
/// Without ports, a label of IPv6 tells flows apart; so do the tag of a VLAN and the key of a tunnel by GRE.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FlowKey {
    protocol: u8,
    source: IpAddr,
    destination: IpAddr,
    ports: Option<(u16, u16)>,
    label: u32,
    tag: u16,
    key: Option<u32>,
}

impl FlowKey {
    /// The numbers of the hosts that send and receive.
    pub fn hosts(&self) -> Hosts {
        Hosts { source: hosts::by_address(self.source), target: hosts::by_address(self.destination) }
    }

    /// Such as `tcp 10.0.0.1:80 > 10.0.0.2:1234`.
    pub fn name(&self) -> String {
        let protocol = match self.protocol {
            1 => "icmp".to_owned(),
            6 => "tcp".to_owned(),
            17 => "udp".to_owned(),
            33 => "dccp".to_owned(),
            50 => "esp".to_owned(),
            51 => "ah".to_owned(),
            58 => "icmpv6".to_owned(),
            132 => "sctp".to_owned(),
            136 => "udplite".to_owned(),
            other => format!("ip-{other}"),
        };
        let plain = format!("{protocol} {} > {}", self.source, self.destination);
        let name = match self.ports {
            Some((upper, lower)) if matches!(self.protocol, ESP | AH) => {
                format!("{plain} spi 0x{upper:04x}{lower:04x}")
            }
            Some((source, destination)) => {
                let from = std::net::SocketAddr::new(self.source, source);
                let to = std::net::SocketAddr::new(self.destination, destination);
                format!("{protocol} {from} > {to}")
            }
            None if self.label > 0 => format!("{plain} label 0x{:05x}", self.label),
            None => plain,
        };
        [name, self.tag_name(), self.key.map_or_else(String::new, |key| format!(" key 0x{key:x}"))].concat()
    }

    /// IEEE 802.1Q: 3 bits of priority, one to drop first, 12 of the VLAN.
    fn tag_name(&self) -> String {
        match (self.tag & 0xfff, self.tag >> 12) {
            (0, 0) => String::new(),
            (vlan, 0) => format!(" vlan {vlan}"),
            (vlan, class) => format!(" vlan {vlan} class {class}"),
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
    /// Whether the capture ends before the ports, or before a header in a tunnel, so that the flow is that of outer addresses.
    pub is_short: bool,
    /// Its acknowledgement, if it is a segment of TCP that has one.
    pub acknowledgement: Option<Acknowledgement>,
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
    datagram(packet, carried, link_layer::tag(link, frame)).map_or(Content::Malformed, Content::Ip)
}

/// The packet at the beginning of `packet`, of which `carried` bytes were on the wire, in a frame with the tag of a VLAN.
fn datagram(packet: &[u8], carried: u32, tag: u16) -> Option<Datagram> {
    let (outer, _) = LaxIpSlice::from_slice(packet).ok()?;
    let (size, class) = match &outer {
        LaxIpSlice::Ipv4(ip) => {
            let header = ip.header();
            // With segmentation offload the length is 0.
            let size = if header.total_len() == 0 { carried } else { u32::from(header.total_len()) };
            if (size as usize) < header.slice().len() {
                return None;
            }
            (size, header.slice()[1])
        }
        LaxIpSlice::Ipv6(ip) => {
            let header = ip.header();
            // A jumbogram (RFC 2675) and segmentation offload have the length 0; so has a bare header.
            let len = u32::from(header.payload_length());
            (if len == 0 { carried.max(IPV6_HEADER) } else { len + IPV6_HEADER }, header.traffic_class())
        }
    };
    let acknowledgement = acknowledgement(&outer, size);
    let Inner { flow, headers, is_open } = dissect(packet, outer, tag);
    let (dscp, ecn) = (dscp(class), ecn(class));
    let is_short = is_open && packet.len() < size as usize;
    Some(Datagram { size, dscp, ecn, flow, headers: headers.min(size), is_short, acknowledgement })
}

const IPV6_HEADER: u32 = 40;
const TCP: u8 = 6;
const UDP: u8 = 17;
const ESP: u8 = 50;
const AH: u8 = 51;

/// The flow, and the bytes up to the data of its transport.
struct Inner {
    flow: FlowKey,
    headers: u32,
    /// Whether ports or an inner packet should have followed.
    is_open: bool,
}

/// The most headers that Linux's flow dissector reads.
const HEADERS_MOST: usize = 15;

/// Linux 6.12 `__skb_flow_dissect` with the flags of `skb_get_hash`: into GRE and IP, but not beyond a label of IPv6, and no ports of
/// fragments.
///
/// Deviation: a label stands for ports only where there are none. A sender gives each flow a label (RFC 6437 section 3), so that both tell
/// the same flows apart, and a user knows ports. MPLS does not hide flows.
fn dissect<'p>(packet: &'p [u8], outer: LaxIpSlice<'p>, tag: u16) -> Inner {
    let (mut ip, mut key) = (outer, None);
    for _ in 0..HEADERS_MOST {
        if label(&ip) > 0 || fragmented(&ip).is_some() || authentication(&ip).is_some() {
            break;
        }
        if ip.payload_ip_number() == ip_number::GRE {
            key = tunnel::key(ip.payload().payload).or(key);
        }
        let Some(inner) = inside(&ip).and_then(|bytes| LaxIpSlice::from_slice(bytes).ok()) else { break };
        ip = inner.0;
    }
    let payload = ip.payload().payload;
    let at = payload.as_ptr().addr() - packet.as_ptr().addr();
    let (protocol, ports, is_open) = match (fragmented(&ip), authentication(&ip)) {
        (Some(protocol), _) => (protocol, None, false),
        (None, Some(index)) => (AH, Some(((index >> 16) as u16, index as u16)), false),
        (None, None) => {
            let protocol = ip.payload_ip_number().0;
            (protocol, ports(protocol, payload), ports(protocol, &[0; 4]).is_some() || tunnels(ip.payload_ip_number()))
        }
    };
    let is_open = is_open && ports.is_none() && label(&ip) == 0;
    let label = if ports.is_none() { label(&ip) } else { 0 };
    let (source, destination) = (ip.source_addr(), ip.destination_addr());
    let flow = FlowKey { protocol, source, destination, ports, label, tag, key };
    Inner { flow, headers: at as u32 + ports.map_or(0, |_| transport_header(protocol, payload)), is_open }
}

/// The packet in a tunnel by IP or GRE.
fn inside<'p>(ip: &LaxIpSlice<'p>) -> Option<&'p [u8]> {
    let payload = ip.payload().payload;
    match ip.payload_ip_number() {
        ip_number::IPV4 | ip_number::IPV6 => Some(payload),
        ip_number::GRE => tunnel::gre(payload),
        _ => None,
    }
}

/// Whether another packet is inside.
fn tunnels(protocol: IpNumber) -> bool {
    matches!(protocol, ip_number::IPV4 | ip_number::IPV6 | ip_number::GRE)
}

/// The index of a packet in AH (RFC 4302), at which Linux's flow dissector ends, and which stands for its ports.
fn authentication(ip: &LaxIpSlice<'_>) -> Option<u32> {
    match ip {
        LaxIpSlice::Ipv4(ip) => ip.extensions().auth.as_ref().map(IpAuthHeaderSlice::spi),
        LaxIpSlice::Ipv6(ip) => ip.extensions().clone().into_iter().find_map(|extension| match extension {
            Ipv6ExtensionSlice::Authentication(header) => Some(header.spi()),
            _ => None,
        }),
    }
}

/// The label of IPv6; 0 is none.
fn label(ip: &LaxIpSlice<'_>) -> u32 {
    match ip {
        LaxIpSlice::Ipv4(_) => 0,
        LaxIpSlice::Ipv6(ip) => ip.header().flow_label().value(),
    }
}

/// The protocol of the whole packet, if this is a fragment.
fn fragmented(ip: &LaxIpSlice<'_>) -> Option<u8> {
    match ip {
        LaxIpSlice::Ipv4(ip) => ip.is_payload_fragmented().then(|| ip.header().protocol().0),
        LaxIpSlice::Ipv6(ip) => ip.extensions().clone().into_iter().find_map(|extension| match extension {
            Ipv6ExtensionSlice::Fragment(header) => Some(header.next_header().0),
            _ => None,
        }),
    }
}

/// Bytes of the header of a transport that segmentation offload knows: TCP (RFC 9293 section 3.1; without options where the
/// offset was not captured) and UDP.
fn transport_header(protocol: u8, payload: &[u8]) -> u32 {
    match protocol {
        TCP => payload.get(12).map_or(20, |offset| u32::from(offset >> 4) * 4).max(20),
        UDP => 8,
        _ => 0,
    }
}

fn ports(protocol: u8, payload: &[u8]) -> Option<(u16, u16)> {
    let &[a, b, c, d] = payload.first_chunk()?;
    matches!(protocol, TCP | UDP | 33 | ESP | 132 | 136)
        .then_some((u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d])))
}

/// Where CAKE looks for one (Linux 6.12 `cake_get_tcphdr`): in IP, and in IPv6 in IPv4, without extension headers before it.
fn acknowledgement(outer: &LaxIpSlice<'_>, size: u32) -> Option<Acknowledgement> {
    let payload = outer.payload().payload;
    let (bytes, len) = match outer {
        LaxIpSlice::Ipv4(ip) => match ip.header().protocol() {
            _ if ip.is_payload_fragmented() => return None,
            ip_number::TCP => (payload, size - ip.header().slice().len() as u32),
            ip_number::IPV6 => match LaxIpSlice::from_slice(payload).ok()?.0 {
                LaxIpSlice::Ipv6(inner) if inner.header().next_header() == ip_number::TCP => {
                    (inner.payload().payload, inner.header().payload_length().into())
                }
                _ => return None,
            },
            _ => return None,
        },
        LaxIpSlice::Ipv6(ip) if ip.header().next_header() == ip_number::TCP => (payload, size - IPV6_HEADER),
        LaxIpSlice::Ipv6(_) => return None,
    };
    let tcp = TcpHeaderSlice::from_slice(bytes).ok()?;
    if !tcp.ack() || tcp.syn() {
        return None;
    }
    let (mut times, mut blocks, mut are_known) = (None, [[0; 2]; 4], true);
    for option in tcp.options_iterator() {
        match option {
            Ok(TcpOptionElement::Noop) => {}
            Ok(TcpOptionElement::Timestamp(value, echo)) => times = Some([value, echo]),
            Ok(TcpOptionElement::SelectiveAcknowledgement(first, others)) => {
                let all = std::iter::once(first).chain(others.into_iter().flatten());
                for (place, block) in blocks.iter_mut().zip(all) {
                    *place = block.into();
                }
            }
            _ => {
                are_known = false;
                break;
            }
        }
    }
    // The lower four bits beside the offset are reserved, but for AE.
    let has_more = tcp.fin() || tcp.rst() || tcp.psh() || tcp.urg() || tcp.slice()[12] & 0x0f != 0;
    Some(Acknowledgement {
        next: tcp.acknowledgment_number(),
        ece: tcp.ece(),
        cwr: tcp.cwr(),
        is_bare: are_known && !has_more && len == tcp.slice().len() as u32,
        options: AckOptions::new(times, blocks),
    })
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

#[cfg(test)]
mod tests;
