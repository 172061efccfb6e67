//! GRE, which `etherparse` does not read.

use crate::link_layer::{self, Behind, LinkType};

const CHECKSUM: u16 = 0x8000;
const ROUTING: u16 = 0x4000;
const KEY: u16 = 0x2000;
const SEQUENCE: u16 = 0x1000;
const ACKNOWLEDGEMENT: u16 = 0x0080;
const VERSION: u16 = 0x0007;
/// Frames of Ethernet (RFC 7637 section 3.2), and PPP in version 1 (RFC 2637 section 4.1).
const ETHERNET: u16 = 0x6558;
const PPP: u16 = 0x880b;

/// The key of a tunnel; that of PPTP is the lower half, the number of the call.
pub fn key(bytes: &[u8]) -> Option<u32> {
    let flags = u16::from_be_bytes(*bytes.first_chunk()?);
    let at = if flags & CHECKSUM == 0 { 4 } else { 8 };
    let &key = bytes.get(at..)?.first_chunk()?;
    let mask = if flags & VERSION == 0 { u32::MAX } else { 0xffff };
    (flags & KEY != 0 && flags & ROUTING == 0).then(|| u32::from_be_bytes(key) & mask)
}

/// The IP packet in GRE (RFC 2784 and RFC 2890), and in that of PPTP (RFC 2637). None with routing, as in Linux's flow dissector.
pub fn gre(bytes: &[u8]) -> Option<&[u8]> {
    let &[a, b, c, d] = bytes.first_chunk()?;
    let (flags, kind) = (u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d]));
    if flags & ROUTING != 0 {
        return None;
    }
    let fields = |which: &[u16]| 4 * which.iter().filter(|flag| flags & **flag != 0).count();
    let at = 4 + fields(&[CHECKSUM, KEY, SEQUENCE]);
    let behind = match (flags & VERSION, kind) {
        (0, ETHERNET) => {
            let frame = bytes.get(at..)?;
            let Behind::Ip(inner) = link_layer::behind(LinkType::Ethernet, frame)? else { return None };
            return frame.get(inner..);
        }
        (0, _) => link_layer::typed(bytes, kind, at),
        (1, PPP) if flags & KEY != 0 => link_layer::ppp(bytes, at + fields(&[ACKNOWLEDGEMENT])),
        _ => None,
    };
    match behind? {
        Behind::Ip(inner) => bytes.get(inner..),
        Behind::Other(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_gre_stand_before_the_packet() {
        let packet = [0x45, 1, 2, 3];
        for (header, len) in [(0x0000_u16, 4), (0x8000, 8), (0x2000, 8), (0x3000, 12), (0xb000, 16)] {
            let mut bytes = header.to_be_bytes().to_vec();
            bytes.extend([0x08, 0x00]);
            bytes.resize(len, 0);
            bytes.extend(packet);
            assert_eq!(gre(&bytes), Some(&packet[..]), "{header:04x}");
            bytes[0] |= 0x40;
            assert_eq!(gre(&bytes), None, "routing");
        }
    }

    #[test]
    fn a_frame_and_ppp_are_followed_to_the_packet() {
        let packet = [0x60, 1, 2, 3];
        let frame = [&[0, 0, 0x65, 0x58][..], &[2; 12], &[0x81, 0, 0, 7, 0x86, 0xdd], &packet].concat();
        assert_eq!(gre(&frame), Some(&packet[..]));
        // Key, sequence and acknowledgement, then PPP.
        let pptp = [&[0x30, 0x81, 0x88, 0x0b][..], &[0; 12], &[0xff, 3, 0, 0x57], &packet].concat();
        assert_eq!(gre(&pptp), Some(&packet[..]));
        assert_eq!(gre(&[0x30, 0x82, 0x88, 0x0b, 0, 0, 0, 0]), None, "no such version");
    }
}
