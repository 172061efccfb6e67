//! Cuts frames that the kernel has joined of several packets (GRO) or has not cut yet (GSO), as a network card does.
//!
//! A queue must see the packets that a link carries. The kernel says how large the parts are, and where the checksum is that each of
//! them needs. The parts of TCP have the sequence numbers, lengths and flags of the whole (RFC 9293), those of UDP are datagrams of
//! their own.

use crate::frame::{Checksum, Frame, folded, words};
use sojourn_files::IpPacket;

/// How to cut a frame that holds several packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Joined {
    /// Payload bytes of each part but the last.
    pub size: u16,
    /// The parts are UDP datagrams, not TCP segments.
    pub udp: bool,
    /// The flag CWR belongs to the first part alone (RFC 3168 section 6.1.2).
    pub cwr_once: bool,
}

const TCP_FLAGS: usize = 13;
const FIN: u8 = 0x01;
const PSH: u8 = 0x08;
const CWR: u8 = 0x80;

/// Gives the parts of a frame, in order, each in a buffer that `buffer` lends. `false`, and no parts, if its headers do not say how.
pub fn cut(
    whole: &[u8],
    packet: &IpPacket,
    joined: Joined,
    checksum: Checksum,
    mut buffer: impl FnMut() -> Vec<u8>,
    mut part: impl FnMut(Frame),
) -> bool {
    let start = usize::from(checksum.start);
    let transport = if joined.udp { 8 } else { usize::from(whole.get(start + 12).copied().unwrap_or(0) >> 4) * 4 };
    let headers = start + transport;
    let least = if joined.udp { 8 } else { 20 };
    let sum_at = start + usize::from(checksum.offset);
    let fits = packet.at + 20 <= start && transport >= least && headers < whole.len() && sum_at + 2 <= headers;
    if !fits || joined.size == 0 {
        return false;
    }
    // The pseudo header's sum counts the length of the whole.
    let whole_len = (whole.len() - start) as u32;
    let seed = u32::from(be16(whole, sum_at)) + u32::from(!folded(whole_len));
    let count = (whole.len() - headers).div_ceil(usize::from(joined.size));
    for (number, payload) in whole[headers..].chunks(usize::from(joined.size)).enumerate() {
        let mut bytes = buffer();
        bytes.clear();
        bytes.extend_from_slice(&whole[..headers]);
        bytes.extend_from_slice(payload);
        let transport_len = (transport + payload.len()) as u16;
        let pseudo = folded(seed + u32::from(transport_len));
        bytes[sum_at..sum_at + 2].copy_from_slice(&pseudo.to_be_bytes());
        if joined.udp {
            bytes[start + 4..start + 6].copy_from_slice(&transport_len.to_be_bytes());
        } else {
            let sequence = u32::from_be_bytes([bytes[start + 4], bytes[start + 5], bytes[start + 6], bytes[start + 7]]);
            let sequence = sequence.wrapping_add((number * usize::from(joined.size)) as u32);
            bytes[start + 4..start + 8].copy_from_slice(&sequence.to_be_bytes());
            if number + 1 < count {
                bytes[start + TCP_FLAGS] &= !(FIN | PSH);
            }
            if number > 0 && joined.cwr_once {
                bytes[start + TCP_FLAGS] &= !CWR;
            }
        }
        network(&mut bytes, packet.at, start, number);
        part(Frame { bytes, checksum: Some(checksum) });
    }
    true
}

/// Lengths, identification and checksum of the IP header at `at` of part `number`.
fn network(bytes: &mut [u8], at: usize, transport_at: usize, number: usize) {
    let len = bytes.len() - at;
    if bytes[at] >> 4 == 6 {
        bytes[at + 4..at + 6].copy_from_slice(&((len - 40) as u16).to_be_bytes());
        return;
    }
    bytes[at + 2..at + 4].copy_from_slice(&(len as u16).to_be_bytes());
    let identification = be16(bytes, at + 4).wrapping_add(number as u16);
    bytes[at + 4..at + 6].copy_from_slice(&identification.to_be_bytes());
    bytes[at + 10..at + 12].copy_from_slice(&[0, 0]);
    let header = at + usize::from(bytes[at] & 0x0f) * 4;
    let sum = !folded(words(&bytes[at..header.min(transport_at)]));
    bytes[at + 10..at + 12].copy_from_slice(&sum.to_be_bytes());
}

fn be16(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([bytes[at], bytes[at + 1]])
}

#[cfg(test)]
mod tests;
