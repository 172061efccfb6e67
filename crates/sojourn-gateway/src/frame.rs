//! A frame of Ethernet with the state of its checksum, and the ECN field of its IP packet.

use sojourn_bottleneck::Ecn;

/// A checksum that is still to be computed, as network cards are asked to: over all from byte `start`, to be written `offset` bytes
/// behind it. It has the sum of the pseudo header before that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checksum {
    /// From this byte of the frame on.
    pub start: u16,
    /// Where the sum is to be written, from `start`.
    pub offset: u16,
}

/// A frame from the wire, or for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// From the address of its destination on, with VLAN tags, without the check sequence.
    pub bytes: Vec<u8>,
    /// The checksum that the card or the kernel is to compute.
    pub checksum: Option<Checksum>,
}

/// Writes the ECN field of the IP packet that begins at byte `at`; for IPv4 the header's checksum, too. Other frames stay as they are.
pub fn set_ecn(frame: &mut [u8], at: usize, ecn: Ecn) {
    // RFC 3168 section 5.
    let bits = match ecn {
        Ecn::NotEct => 0,
        Ecn::Ect1 => 1,
        Ecn::Ect0 => 2,
        Ecn::Ce => 3,
    };
    let Some(header) = frame.get_mut(at..) else { return };
    match (header.first().map(|byte| byte >> 4), header.len()) {
        // RFC 791 section 3.1: the former type of service, in the header's first word of 16 bits.
        (Some(4), 20..) => {
            let old = u16::from_be_bytes([header[0], header[1]]);
            header[1] = header[1] & !3 | bits;
            let new = u16::from_be_bytes([header[0], header[1]]);
            let sum = updated(u16::from_be_bytes([header[10], header[11]]), old, new);
            header[10..12].copy_from_slice(&sum.to_be_bytes());
        }
        // RFC 8200 section 3: the traffic class is behind the four bits of the version. No checksum covers it.
        (Some(6), 40..) => header[1] = header[1] & !0x30 | bits << 4,
        _ => {}
    }
}

/// The checksum of a header in which a word has changed: RFC 1624 section 3, equation 3.
pub fn updated(sum: u16, old: u16, new: u16) -> u16 {
    !folded(u32::from(!sum) + u32::from(!old) + u32::from(new))
}

/// A sum of words, in 16 bits with end-around carry (RFC 1071).
pub fn folded(mut sum: u32) -> u16 {
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum as u16
}

/// The sum of the words of some bytes, in network byte order; an odd last byte is the upper half of a word.
pub fn words(bytes: &[u8]) -> u32 {
    let pairs = bytes.chunks_exact(2);
    let last = pairs.remainder().first().map_or(0, |byte| u32::from(*byte) << 8);
    let sum: u64 = pairs.map(|pair| u64::from(u16::from_be_bytes([pair[0], pair[1]]))).sum();
    u32::from(folded((sum & 0xffff_ffff) as u32)) + (sum >> 32) as u32 + last
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// RFC 1071 section 3's words, as an IPv4 header whose sum is right.
    fn header(tos: u8) -> Vec<u8> {
        let mut header = vec![0x45, tos, 0x05, 0xdc, 0x12, 0x34, 0x40, 0, 64, 6, 0, 0, 10, 0, 0, 1, 192, 168, 7, 9];
        let sum = !folded(words(&header));
        header[10..12].copy_from_slice(&sum.to_be_bytes());
        header
    }

    proptest! {
        #[test]
        fn a_rewritten_header_has_the_sum_of_one_that_was_written_so(tos: u8, ecn in 0..4_u8) {
            let ecn = [Ecn::NotEct, Ecn::Ect1, Ecn::Ect0, Ecn::Ce][usize::from(ecn)];
            let mut changed = header(tos);
            set_ecn(&mut changed, 0, ecn);
            // All words of a right header sum up to 0xffff (RFC 1071 section 1), computed anew.
            prop_assert_eq!(folded(words(&changed)), 0xffff);
            prop_assert_eq!(changed[1] >> 2, tos >> 2);
        }
    }

    #[test]
    fn the_field_of_ipv6_is_in_the_traffic_class() {
        let mut packet = vec![0; 14 + 40];
        packet[14] = 0x6b;
        packet[15] = 0x8f;
        set_ecn(&mut packet, 14, Ecn::Ce);
        // Class 0xb8 and label 0xf....: class 0xbb.
        assert_eq!(packet[14..16], [0x6b, 0xbf]);
        set_ecn(&mut packet, 14, Ecn::Ect1);
        assert_eq!(packet[14..16], [0x6b, 0x9f]);
    }

    #[test]
    fn what_is_too_short_stays_as_it_is() {
        let mut short = vec![0x45; 12];
        set_ecn(&mut short, 0, Ecn::Ce);
        set_ecn(&mut short, 30, Ecn::Ce);
        assert_eq!(short, vec![0x45; 12]);
    }
}
