//! A simulated packet as bytes: IPv4 (RFC 791) with TCP (RFC 9293) or UDP (RFC 768).
//!
//! | Of the simulation | In the file |
//! |---|---|
//! | flow *n* of a dumbbell | 10.0.0.0 + *n* + 1 sends to 10.128.0.0 + *n* + 1 |
//! | node *n* of a graph | 10.0.0.0 + *n* + 1 |
//! | connections of a flow | those one after the other have ports of the sender, those at a time (`packmime`) and flows between the same nodes ports of the receiver |
//! | size of the packet | the IP packet's length |
//! | byte 0 of a connection's data | sequence number 1, and on modulo 2^32; a SYN is one before the data |
//! | codepoint of differentiated services, ECN field | the byte that was the type of service |
//! | SYN, ACK, ECE, CWR | the flags; FIN does not exist |
//! | AE and the option of accurate ECN | as RFC 9768 section 3.2 writes them; a SYN has ECE and CWR alone |
//! | SACK blocks | the SACK option (RFC 2018), also where the size leaves no room: the packet is then longer in the file |
//! | times of sending | the timestamps option (RFC 7323) in microseconds, where the headers have 12 bytes of room: `header = "52B"`, `ack_size = "52B"` |
//! | a receiver's window that never closes | 65535, scaled by 2^14 if a SYN has room to say so: `ack_size = "52B"` (with all options, 60) |
//! | headers of more bytes than these | bytes behind the IP packet, as of a link's header |
//! | a choke packet | ICMP source quench from 10.127.255.254, with IP header and 8 bytes of the packet that it is about |
//!
//! Not modelled: the sender's acknowledgement of the SYN, and the echo in a data segment.

use std::collections::BTreeMap;
use std::sync::Arc;

use sojourn_sim::header::Dscp;
use sojourn_sim::header::accurate_ecn::EcnBytes;
use sojourn_sim::packet::{Body, Ecn, FlowId, Packet};
use sojourn_sim::queue::{FlowHosts, Hosts};
use sojourn_sim::transport::connections::slot;
use sojourn_sim::units::Instant;

const IP_HEADER: usize = 20;
const TCP_HEADER: usize = 20;
const UDP_HEADER: usize = 8;
/// The most bytes of options that the data offset can express.
const OPTIONS_MAX: usize = 40;
const ICMP: u8 = 1;
const TCP: u8 = 6;
const UDP: u8 = 17;

const SYN: u8 = 0x02;
const PSH: u8 = 0x08;
const ACK: u8 = 0x10;
const ECE: u8 = 0x40;
const CWR: u8 = 0x80;

/// Ports that no dissector of Wireshark claims.
const SENDER_PORTS: (u16, u32) = (50_000, 4_000);
const RECEIVER_PORTS: (u16, u32) = (38_000, 3_000);

/// Any segment that fits into an IP packet.
const MSS: [u8; 2] = (u16::MAX - 40).to_be_bytes();
const WINDOW: u16 = u16::MAX;
const WINDOW_SCALE: u8 = 14;

const NET: u32 = 10 << 24;
/// Addresses for either end; there are at most a million flows and nodes.
const ADDRESSES: u32 = 1 << 23;

/// The ends of flows: hosts of their own, or nodes that they share.
#[derive(Debug, Default)]
pub struct Ends {
    hosts: FlowHosts,
    /// For each flow between nodes its number among those between the same two, and how many these are.
    among: Vec<[u32; 2]>,
}

impl Ends {
    /// Those of `flows` flows.
    pub fn new(hosts: &FlowHosts, flows: usize) -> Self {
        let known: Vec<Hosts> = (0..flows as u32).map_while(|flow| hosts.known(FlowId(flow))).collect();
        let mut all = BTreeMap::new();
        let numbers: Vec<u32> = known
            .iter()
            .map(|Hosts { source, target }| {
                let seen: &mut u32 = all.entry([*source, *target]).or_default();
                *seen += 1;
                *seen - 1
            })
            .collect();
        let among =
            known.iter().zip(numbers).map(|(Hosts { source, target }, number)| [number, all[&[*source, *target]]]);
        Ends { hosts: hosts.clone(), among: among.collect() }
    }

    /// The nodes of a flow.
    pub fn nodes(&self, flow: FlowId) -> Option<[u32; 2]> {
        self.hosts.known(flow).map(|Hosts { source, target }| [source, target])
    }

    /// The addresses of the host that sends and of the host that receives.
    pub fn addresses(&self, flow: FlowId) -> [u32; 2] {
        let own = [NET, NET + ADDRESSES].map(|net| net + (flow.0 + 1) % ADDRESSES);
        self.nodes(flow).map_or(own, |nodes| nodes.map(node))
    }

    /// A number that no other connection at the time has between these hosts.
    fn lane(&self, flow: FlowId, slot: u32) -> u32 {
        match self.among.get(flow.0 as usize) {
            Some([number, all]) => slot.wrapping_mul(*all).wrapping_add(*number),
            None => flow.0.wrapping_add(slot),
        }
    }
}

/// The address of a node.
pub fn node(number: u32) -> u32 {
    NET + (number + 1) % ADDRESSES
}

/// A packet as it goes over a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bytes {
    /// Its headers.
    pub headers: Vec<u8>,
    /// All its bytes on the wire; those behind the headers are zero.
    pub len: u32,
}

/// The way that a packet goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    ToReceiver,
    ToSender,
}

/// Turns the packets of one file into bytes. Successive connections of a flow are told apart by their SYNs, so packets
/// come in order of time.
#[derive(Debug, Default)]
pub struct Encoder {
    ends: Arc<Ends>,
    /// For each flow and slot when its connections were opened, and where the data of the last begins.
    connections: BTreeMap<(FlowId, u32), (Vec<Instant>, u64)>,
}

/// Ports of sender and receiver.
#[derive(Clone, Copy, Debug)]
struct Ports {
    sender: u16,
    receiver: u16,
}

impl Ports {
    /// The initial numbers of the `turn`-th connection of a lane. Both are the same wherever a packet is seen.
    fn new(lane: u32, turn: u32) -> Self {
        // Bound: of the connections at a time between two hosts every 3000th has the same ports.
        Ports { sender: port(SENDER_PORTS, turn), receiver: port(RECEIVER_PORTS, lane) }
    }

    /// Source and destination.
    fn of(self, way: Way) -> [u8; 4] {
        let (from, to) =
            if way == Way::ToReceiver { (self.sender, self.receiver) } else { (self.receiver, self.sender) };
        let ([a, b], [c, d]) = (from.to_be_bytes(), to.to_be_bytes());
        [a, b, c, d]
    }
}

impl Encoder {
    /// A writer for flows between these ends.
    pub fn between(ends: Arc<Ends>) -> Self {
        Encoder { ends, ..Encoder::default() }
    }

    /// The bytes of `packet`.
    pub fn encode(&mut self, packet: &Packet) -> Bytes {
        let ends = self.ends.addresses(packet.flow);
        let datagrams = Ports::new(self.ends.lane(packet.flow, 0), 0);
        match packet.body {
            Body::Data { seq, len, sent_at, syn, cwr, retransmit: _, push, header: _ } => {
                let ports = self.ports(packet.flow, sent_at, seq, syn);
                let segment = Segment {
                    // A SYN takes the number before the first byte.
                    seq: if syn { seq as u32 } else { wire(seq) },
                    ack: if syn { 0 } else { wire(0) },
                    flags: match (syn, cwr) {
                        (false, false) => ACK,
                        (false, true) => ACK | CWR,
                        (true, false) => SYN,
                        // RFC 3168 section 6.1.1: an ECN-setup SYN.
                        (true, true) => SYN | ECE | CWR,
                    } | if push { PSH } else { 0 },
                    times: [micros(sent_at), 0],
                    sack: Vec::new(),
                    accurate: None,
                    payload: len,
                };
                segment.encode(packet, ends, Way::ToReceiver, ports)
            }
            Body::Ack { ack, echo, sack, codepoint, syn, offered: _, answer: _ } => {
                let ports = self.ports(packet.flow, echo, ack, syn);
                // In descending order a block lies below the acknowledgement (RFC 2883), and counts from one.
                let block = |&(start, end): &(u32, u32)| {
                    let below = start > end;
                    let at = |offset: u32| if below { ack + 1 - u64::from(offset) } else { ack + u64::from(offset) };
                    [wire(at(start)), wire(at(end))]
                };
                let segment = Segment {
                    seq: if syn { 0 } else { wire(0) },
                    ack: wire(ack),
                    flags: ACK
                        | if syn { SYN } else { 0 }
                        | if codepoint.ece() { ECE } else { 0 }
                        | if codepoint.cwr() { CWR } else { 0 },
                    // Not modelled: a receiver's clock of its own.
                    times: [micros(echo), micros(echo)],
                    sack: sack.as_slice().iter().map(block).collect(),
                    accurate: (codepoint.ae() || sack.option().is_some()).then_some((codepoint.ae(), sack.option())),
                    payload: 0,
                };
                segment.encode(packet, ends, Way::ToSender, ports)
            }
            Body::Choke { about, .. } if about.datagram => {
                let datagram = Packet { size: about.size, ecn: about.ecn, dscp: about.dscp, ..*packet };
                source_quench(packet, ends, &udp(&datagram, ends, datagrams, Way::ToReceiver).headers[..QUOTED])
            }
            Body::Choke { seq, about } => {
                let ports = self.ports(packet.flow, about.sent_at, seq, about.syn);
                let mut quoted = ip_header(TCP, tos(about.dscp, about.ecn), ends, about.size as usize);
                quoted.extend(ports.of(Way::ToReceiver));
                quoted.extend(if about.syn { seq as u32 } else { wire(seq) }.to_be_bytes());
                source_quench(packet, ends, &quoted)
            }
            // Fields of a datagram that only the simulation knows are not written. TFRC has no header of its own: UDP's ports tell its
            // flows.
            // Not modelled: the headers of a real packet.
            Body::Datagram { .. } | Body::Parity { .. } | Body::TfrcData { .. } | Body::Seen(_) => {
                udp(packet, ends, datagrams, Way::ToReceiver)
            }
            Body::TfrcFeedback { .. } | Body::Report { .. } => udp(packet, ends, datagrams, Way::ToSender),
        }
    }

    /// The ports of the connection to which the byte `number` belongs, `time` being when it, or the packet that it answers, was sent.
    fn ports(&mut self, flow: FlowId, time: Instant, number: u64, opens: bool) -> Ports {
        let slot = slot(number);
        let (opened, start) = self.connections.entry((flow, slot)).or_default();
        if opens && (opened.is_empty() || number != *start) {
            opened.push(time);
            *start = number;
        }
        let turn = opened.partition_point(|opening| *opening <= time).saturating_sub(1);
        Ports::new(self.ends.lane(flow, slot), turn as u32)
    }
}

/// The sequence number of a byte that the simulation counts from zero.
fn wire(byte: u64) -> u32 {
    (byte as u32).wrapping_add(1)
}

fn micros(time: Instant) -> u32 {
    (time.as_nanos() / 1_000) as u32
}

struct Segment {
    seq: u32,
    ack: u32,
    flags: u8,
    /// Value and echo of the timestamps option.
    times: [u32; 2],
    sack: Vec<[u32; 2]>,
    /// The flag AE and the option of accurate ECN (RFC 9768).
    accurate: Option<(bool, Option<EcnBytes>)>,
    payload: u32,
}

impl Segment {
    fn encode(&self, packet: &Packet, ends: [u32; 2], way: Way, ports: Ports) -> Bytes {
        let room = (packet.size as usize).saturating_sub(IP_HEADER + TCP_HEADER + self.payload as usize);
        let options = self.options(room.min(OPTIONS_MAX));
        let mut tcp = Vec::with_capacity(TCP_HEADER + OPTIONS_MAX);
        tcp.extend(ports.of(way));
        tcp.extend(self.seq.to_be_bytes());
        tcp.extend(self.ack.to_be_bytes());
        let ae = self.accurate.is_some_and(|(ae, _)| ae);
        tcp.push((((TCP_HEADER + options.len()) as u8 / 4) << 4) | u8::from(ae));
        tcp.push(self.flags);
        tcp.extend(WINDOW.to_be_bytes());
        // The checksum comes last; the urgent pointer is not used.
        tcp.extend([0; 4]);
        tcp.extend(options);
        in_ip(packet, ends, way, TCP, tcp, self.payload as usize, 16)
    }

    /// The options of the packet, and further options as far as there is room, in whole words.
    fn options(&self, room: usize) -> Vec<u8> {
        let mut sack = Vec::new();
        if !self.sack.is_empty() {
            // RFC 2018 section 3, after two NOPs that align it.
            sack.extend([1, 1, 5, 2 + 8 * self.sack.len() as u8]);
            sack.extend(self.sack.as_flattened().iter().flat_map(|number| number.to_be_bytes()));
        }
        if let Some((_, Some(option))) = self.accurate {
            sack.extend([option.kind(), option.size() as u8]);
            sack.extend(option.fields().iter().flat_map(|field| field.to_be_bytes().into_iter().skip(1)));
            sack.resize(sack.len().next_multiple_of(4), 1);
        }
        let syn = self.flags & SYN != 0;
        let mut options: Vec<u8> = Vec::new();
        if syn {
            // RFC 9293 section 3.7.1, the segments that a receiver takes; RFC 7323 section 2.2, its window's scale.
            for option in [[2, 4, MSS[0], MSS[1]], [1, 3, 3, WINDOW_SCALE]] {
                if room >= options.len() + option.len() {
                    options.extend(option);
                }
            }
        }
        if room >= options.len() + sack.len() + 12 {
            // RFC 7323 appendix A; on a SYN, RFC 2018's permission takes the place of the two NOPs.
            options.extend(if syn { [4, 2] } else { [1, 1] });
            options.extend([8, 10]);
            options.extend(self.times.iter().flat_map(|time| time.to_be_bytes()));
        } else if syn && room >= options.len() + 4 {
            options.extend([1, 1, 4, 2]);
        }
        options.extend(sack);
        // RFC 9293 section 3.1: behind the last option, zeros.
        options.resize(options.len().max(room & !3), 0);
        options
    }
}

fn udp(packet: &Packet, ends: [u32; 2], ports: Ports, way: Way) -> Bytes {
    let payload = (packet.size as usize).saturating_sub(IP_HEADER + UDP_HEADER).min(UDP_PAYLOAD_MAX);
    let mut udp = Vec::with_capacity(UDP_HEADER);
    udp.extend(ports.of(way));
    udp.extend(((UDP_HEADER + payload) as u16).to_be_bytes());
    udp.extend([0; 2]);
    in_ip(packet, ends, way, UDP, udp, payload, 6)
}

/// RFC 792, source quench about a packet; its IP header and first 8 bytes are `quoted`. The router has an
/// address that no host has.
fn source_quench(packet: &Packet, [sender, _]: [u32; 2], quoted: &[u8]) -> Bytes {
    let mut icmp = vec![4, 0, 0, 0, 0, 0, 0, 0];
    icmp.extend(quoted);
    let sum = checksum(&[&icmp]);
    icmp[2..4].copy_from_slice(&sum.to_be_bytes());
    let mut headers = ip_header(ICMP, tos(packet.dscp, packet.ecn), [ROUTER, sender], IP_HEADER + icmp.len());
    headers.extend(icmp);
    let len = packet.size.max(headers.len() as u32);
    Bytes { headers, len }
}

/// The bytes that RFC 792 quotes: the IP header and 64 bits.
const QUOTED: usize = IP_HEADER + 8;

/// 10.127.255.254.
const ROUTER: u32 = (10 << 24) + (1 << 23) - 2;

const UDP_PAYLOAD_MAX: usize = u16::MAX as usize - IP_HEADER - UDP_HEADER;

fn port((first, count): (u16, u32), number: u32) -> u16 {
    first + (number % count) as u16
}

/// Puts a header and `payload` zero bytes into an IP packet; the header's checksum is at `checksum_at`.
fn in_ip(
    packet: &Packet,
    [sender, receiver]: [u32; 2],
    way: Way,
    protocol: u8,
    header: Vec<u8>,
    payload: usize,
    checksum_at: usize,
) -> Bytes {
    let (source, destination) = if way == Way::ToReceiver { (sender, receiver) } else { (receiver, sender) };
    let len = IP_HEADER + header.len() + payload;
    let mut headers = ip_header(protocol, tos(packet.dscp, packet.ecn), [source, destination], len);
    let mut pseudo = headers[12..20].to_vec();
    pseudo.extend([0, protocol]);
    pseudo.extend(((len - IP_HEADER) as u16).to_be_bytes());
    let whole = checksum(&[&pseudo, &header]);
    // RFC 768: 0 would mean that there is no checksum.
    let whole = if protocol == UDP && whole == 0 { u16::MAX } else { whole };
    headers.extend(header);
    headers[IP_HEADER + checksum_at..][..2].copy_from_slice(&whole.to_be_bytes());
    Bytes { headers, len: packet.size.max(len as u32) }
}

/// RFC 791 section 3.1, of a packet of `len` bytes. That of more than 65535 is 0, as segmentation offload writes.
fn ip_header(protocol: u8, tos: u8, [source, destination]: [u32; 2], len: usize) -> Vec<u8> {
    let mut header = Vec::with_capacity(IP_HEADER + TCP_HEADER + OPTIONS_MAX);
    header.extend([0x45, tos]);
    header.extend(u16::try_from(len).unwrap_or(0).to_be_bytes());
    // RFC 6864 section 4.1: a packet that is never fragmented needs no identification.
    header.extend([0, 0, 0x40, 0, 64, protocol, 0, 0]);
    header.extend(source.to_be_bytes());
    header.extend(destination.to_be_bytes());
    let sum = checksum(&[&header]);
    header[10..12].copy_from_slice(&sum.to_be_bytes());
    header
}

/// RFC 2474 section 3 and RFC 3168 section 5: the former type of service.
fn tos(dscp: Dscp, ecn: Ecn) -> u8 {
    dscp.number() << 2 | codepoint(ecn)
}

/// RFC 3168 section 5.
fn codepoint(ecn: Ecn) -> u8 {
    match ecn {
        Ecn::NotEct => 0,
        Ecn::Ect1 => 1,
        Ecn::Ect0 => 2,
        Ecn::Ce => 3,
    }
}

/// RFC 1071; a payload of zeros adds nothing. Each part has whole 16-bit words.
fn checksum(parts: &[&[u8]]) -> u16 {
    let words =
        parts.iter().flat_map(|part| part.chunks_exact(2)).map(|pair| u32::from(pair[0]) << 8 | u32::from(pair[1]));
    let mut sum: u32 = words.sum();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

#[cfg(test)]
mod tests;
