//! How captured frames begin: where the IP packet in a frame starts, or which other protocol it carries.

use crate::sides::{Interface, Way};
use crate::wlan::{self, Transmission, Wlan};

/// How frames begin. Numbers as in <https://www.tcpdump.org/linktypes.html>.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkType {
    /// An address family in the byte order of the capturing machine, or in network byte order.
    Loopback,
    /// Ethernet, with any number of VLAN tags.
    Ethernet,
    /// IPv4 or IPv6, by the version field.
    Raw,
    /// PPP, with or without the address and control bytes of its framing like HDLC. Point-to-point devices of ns-3 have it.
    Ppp,
    /// PPP or Cisco HDLC, which the first byte tells apart.
    PppOrHdlc,
    /// A byte for the direction, then PPP.
    PppWithDirection,
    /// A session of PPPoE without Ethernet before it.
    PppOverEthernet,
    /// Cisco HDLC: address, control, and a type as in Ethernet.
    Hdlc,
    /// Linux cooked capture.
    Sll,
    /// Linux cooked capture, version 2.
    Sll2,
    /// IEEE 802.11, as it is.
    Wlan,
    /// The same behind radiotap's header.
    Radiotap,
    /// Packets that rules of Linux's firewall gave to a log: values with a type and a length.
    Nflog,
    /// Apple's header, in front of a frame of another type.
    Pktap,
}

impl LinkType {
    pub const SUPPORTED: &'static str = "Ethernet (1), loopback (0, 108), raw IP (12, 101, 228, 229), PPP (9, 50, 51, \
        166, 204), Cisco HDLC (104), Linux cooked (113, 276), IEEE 802.11 (105, 127), NFLOG (239) and PKTAP (149, 258)";

    pub fn from_number(number: i32) -> Option<LinkType> {
        // The upper bits say whether frames end in a check sum, and how long it is.
        match number & 0x03ff_ffff {
            0 | 108 => Some(LinkType::Loopback),
            1 => Some(LinkType::Ethernet),
            9 => Some(LinkType::Ppp),
            12 | 14 | 101 | 228 | 229 => Some(LinkType::Raw),
            50 => Some(LinkType::PppOrHdlc),
            51 => Some(LinkType::PppOverEthernet),
            104 => Some(LinkType::Hdlc),
            105 => Some(LinkType::Wlan),
            113 => Some(LinkType::Sll),
            127 => Some(LinkType::Radiotap),
            // The second number is that of the user's own types, by which Apple's tcpdump wrote it.
            149 | 258 => Some(LinkType::Pktap),
            166 | 204 => Some(LinkType::PppWithDirection),
            239 => Some(LinkType::Nflog),
            276 => Some(LinkType::Sll2),
            _ => None,
        }
    }

    /// Whether its header may say an interface or a direction: see [`side`].
    pub const fn has_sides(self) -> bool {
        matches!(self, LinkType::Sll | LinkType::Sll2 | LinkType::PppWithDirection | LinkType::Pktap)
    }

    /// The names of those that are met most often and not read.
    pub fn name(number: i32) -> Option<&'static str> {
        match number & 0x03ff_ffff {
            6 => Some("token ring"),
            119 | 163 => Some("IEEE 802.11 with a radio header"),
            187 | 201 => Some("Bluetooth"),
            192 => Some("PPI"),
            195 | 215 | 230 => Some("IEEE 802.15.4"),
            189 | 220 | 249 => Some("USB"),
            _ => None,
        }
    }
}

/// A protocol that is not IP, by the number that says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Protocol {
    /// A type of Ethernet (IEEE 802 numbers).
    EtherType(u16),
    /// A frame of IEEE 802.3, which has a length where others have a type.
    Llc,
    /// A protocol of PPP (RFC 1661 section 2).
    Ppp(u16),
    /// MPLS around something else than IP.
    Mpls,
    /// An address family of a loopback.
    Family(u32),
    /// A frame of 802.11.
    Wlan(Wlan),
    /// A type of link inside of Apple's header.
    Link(u32),
}

impl std::fmt::Display for Protocol {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            Protocol::EtherType(0x0806) => f.write_str("ARP"),
            Protocol::EtherType(0x8035) => f.write_str("reverse ARP or SLARP"),
            Protocol::EtherType(0x8863) => f.write_str("PPPoE discovery"),
            Protocol::EtherType(0x888e) => f.write_str("EAPOL"),
            Protocol::EtherType(0x88cc) => f.write_str("LLDP"),
            Protocol::EtherType(0x88f7) => f.write_str("PTP"),
            Protocol::EtherType(kind) => write!(f, "Ethernet type 0x{kind:04x}"),
            Protocol::Llc => f.write_str("IEEE 802.3 with LLC, such as spanning tree"),
            Protocol::Ppp(0x002d) => f.write_str("PPP with compressed headers of TCP (0x002d)"),
            Protocol::Ppp(0x002f) => f.write_str("PPP with headers of TCP to be compressed (0x002f)"),
            Protocol::Ppp(0x003d) => f.write_str("PPP multilink (0x003d)"),
            Protocol::Ppp(0x00fd) => f.write_str("compressed PPP (0x00fd)"),
            Protocol::Ppp(0x8021) => f.write_str("PPP IPCP"),
            Protocol::Ppp(0x8057) => f.write_str("PPP IPV6CP"),
            Protocol::Ppp(0xc021) => f.write_str("PPP LCP"),
            Protocol::Ppp(0xc023) => f.write_str("PPP PAP"),
            Protocol::Ppp(0xc223) => f.write_str("PPP CHAP"),
            Protocol::Ppp(kind) => write!(f, "PPP protocol 0x{kind:04x}"),
            Protocol::Mpls => f.write_str("MPLS without IP"),
            Protocol::Family(family) => write!(f, "address family {family}"),
            Protocol::Wlan(what) => write!(f, "{what}"),
            Protocol::Link(number) => write!(f, "link type {number}"),
        }
    }
}

/// The content behind the headers of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behind {
    /// An IP packet, at this byte.
    Ip(usize),
    /// Something else.
    Other(Protocol),
}

/// The content behind the headers of the link. `None` if the frame is too short to tell.
pub fn behind(link: LinkType, frame: &[u8]) -> Option<Behind> {
    match link {
        LinkType::Raw => Some(Behind::Ip(0)),
        LinkType::Loopback => {
            let little = u32::from_le_bytes(frame.get(..4)?.try_into().ok()?);
            // Either order tells them apart.
            let family = if little < 0x1_0000 { little } else { little.swap_bytes() };
            Some(in_family(family, 4))
        }
        LinkType::Ethernet => typed(frame, be16(frame, 12)?, 14),
        LinkType::Sll => typed(frame, be16(frame, 14)?, 16),
        // SLL2 has the type first; the 18 bytes behind it belong to the header.
        LinkType::Sll2 => typed(frame, be16(frame, 0)?, 20),
        LinkType::Hdlc => typed(frame, be16(frame, 2)?, 4),
        LinkType::Ppp => ppp(frame, 0),
        // RFC 1547 section 4.3.1: unicast and multicast of Cisco HDLC.
        LinkType::PppOrHdlc => match frame.first()? {
            0x0f | 0x8f => typed(frame, be16(frame, 2)?, 4),
            _ => ppp(frame, 0),
        },
        // The daemon of PPP has its direction in place of the address, and the control byte behind it.
        LinkType::PppWithDirection => ppp(frame, if frame.get(1) == Some(&0x03) { 2 } else { 1 }),
        LinkType::PppOverEthernet => session(frame, 0),
        LinkType::Wlan => wlan(frame, 0, false),
        LinkType::Radiotap => {
            let (at, is_padded) = wlan::radiotap(frame)?;
            wlan(frame, at, is_padded)
        }
        LinkType::Nflog => nflog(frame),
        LinkType::Pktap => {
            let [len, number] = [le32(frame, 0)?, le32(frame, 8)?];
            let inner = i32::try_from(number).ok().and_then(LinkType::from_number);
            match inner.filter(|inner| *inner != LinkType::Pktap) {
                None => Some(Behind::Other(Protocol::Link(number))),
                Some(inner) => Some(match behind(inner, frame.get(len as usize..)?)? {
                    Behind::Ip(at) => Behind::Ip(len as usize + at),
                    other @ Behind::Other(_) => other,
                }),
            }
        }
    }
}

/// Linux's PACKET_OUTGOING.
const SENT: u16 = 4;

/// The interface and the direction of a frame, where its link's header says them.
pub fn side(link: LinkType, frame: &[u8]) -> (Option<Interface>, Option<Way>) {
    let sent = |is_sent: bool| if is_sent { Way::Out } else { Way::In };
    match link {
        LinkType::Sll => (None, be16(frame, 0).map(|kind| sent(kind == SENT))),
        LinkType::Sll2 => {
            let number = frame.get(4..8).and_then(|bytes| bytes.try_into().ok()).map(u32::from_be_bytes);
            (number.map(Interface::Number), frame.get(10).map(|kind| sent(u16::from(*kind) == SENT)))
        }
        LinkType::PppWithDirection => (None, frame.first().map(|direction| sent(*direction != 0))),
        LinkType::Pktap => {
            let name = frame.get(12..36).map(|name| name.split(|byte| *byte == 0).next().unwrap_or(&[]));
            let name = name.filter(|name| !name.is_empty()).map(|name| String::from_utf8_lossy(name).into_owned());
            let way = match le32(frame, 36).map(|flags| flags & 3) {
                Some(1) => Some(Way::In),
                Some(2) => Some(Way::Out),
                _ => None,
            };
            (name.map(Interface::Name), way)
        }
        _ => (None, None),
    }
}

/// The transmission of a frame of 802.11.
pub fn transmission(link: LinkType, frame: &[u8]) -> Option<Transmission> {
    match link {
        LinkType::Wlan => wlan::transmission(frame, 0),
        LinkType::Radiotap => wlan::transmission(frame, wlan::radiotap(frame)?.0),
        _ => None,
    }
}

fn wlan(frame: &[u8], at: usize, is_padded: bool) -> Option<Behind> {
    Some(match wlan::data(frame, at, is_padded)? {
        Ok(behind) => llc(frame, behind),
        Err(what) => Behind::Other(Protocol::Wlan(what)),
    })
}

/// AF_INET, and AF_INET6 of Linux, NetBSD, FreeBSD and Darwin.
fn in_family(family: u32, at: usize) -> Behind {
    match family {
        2 | 10 | 24 | 28 | 30 => Behind::Ip(at),
        _ => Behind::Other(Protocol::Family(family)),
    }
}

/// Family, version, number; then values, each with length and type in the order of the machine (all known ones write little-endian), filled
/// up to four bytes. The packet is the value of type 9.
fn nflog(frame: &[u8]) -> Option<Behind> {
    const PACKET: u16 = 9;
    let family = u32::from(*frame.first()?);
    let mut at = 4;
    loop {
        let [len, kind] = [le16(frame, at)?, le16(frame, at + 2)?];
        if kind == PACKET {
            return Some(in_family(family, at + 4));
        }
        at += usize::from(len).max(4).next_multiple_of(4);
    }
}

/// The control information of the first tag of a VLAN in a frame of Ethernet; 0 is none.
pub fn tag(link: LinkType, frame: &[u8]) -> u16 {
    match (link, be16(frame, 12)) {
        (LinkType::Ethernet, Some(0x8100 | 0x88a8)) => be16(frame, 14).unwrap_or(0),
        _ => 0,
    }
}

/// Follows the headers that a type of Ethernet announces at `at`: VLAN tags (802.1Q, 802.1ad and their precursor), PPPoE, MPLS and SNAP.
pub fn typed(frame: &[u8], kind: u16, at: usize) -> Option<Behind> {
    match kind {
        0x0800 | 0x86dd => Some(Behind::Ip(at)),
        0x8100 | 0x88a8 | 0x9100 => typed(frame, be16(frame, at + 2)?, at + 4),
        0x8864 => session(frame, at),
        0x8847 | 0x8848 => labelled(frame, at),
        0..=1500 => Some(llc(frame, at)),
        other => Some(Behind::Other(Protocol::EtherType(other))),
    }
}

/// RFC 2516 section 4: version and type, code, session, length; then PPP.
fn session(frame: &[u8], at: usize) -> Option<Behind> {
    ppp(frame, at + 6)
}

/// RFC 1661 section 2 and RFC 1662: address and control may be before the protocol, which may lack its first byte (zero).
pub fn ppp(frame: &[u8], at: usize) -> Option<Behind> {
    let framed = *frame.get(at)? == 0xff && *frame.get(at + 1)? == 0x03;
    let at = if framed { at + 2 } else { at };
    let first = *frame.get(at)?;
    // The last byte of every protocol is odd, the first byte of two is even.
    let (protocol, at) = if first & 1 == 1 { (u16::from(first), at + 1) } else { (be16(frame, at)?, at + 2) };
    Some(match protocol {
        0x0021 | 0x0057 => Behind::Ip(at),
        other => Behind::Other(Protocol::Ppp(other)),
    })
}

/// RFC 3032 section 2.1: labels of 4 bytes up to that with the lowest bit of the third set. The first four bits of the packet tell its kind
/// (RFC 4928).
fn labelled(frame: &[u8], mut at: usize) -> Option<Behind> {
    while frame.get(at + 2)? & 1 == 0 {
        at += 4;
    }
    Some(match frame.get(at + 4)? >> 4 {
        4 | 6 => Behind::Ip(at + 4),
        _ => Behind::Other(Protocol::Mpls),
    })
}

/// RFC 1042: a type of Ethernet behind LLC and SNAP.
fn llc(frame: &[u8], at: usize) -> Behind {
    let snap = frame.get(at..at + 6) == Some(&[0xaa, 0xaa, 0x03, 0, 0, 0]);
    let inner = if snap { be16(frame, at + 6).filter(|kind| *kind > 1500) } else { None };
    inner.and_then(|kind| typed(frame, kind, at + 8)).unwrap_or(Behind::Other(Protocol::Llc))
}

fn le16(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at.checked_add(2)?)?.try_into().ok()?))
}

fn le32(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

fn be16(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(bytes.get(at..at.checked_add(2)?)?.try_into().ok()?))
}

#[cfg(test)]
mod tests;
