//! Equal-cost multipath (ECMP): at a node with several next links of equal cost, the packets of a flow all take the one that a hash of
//! their headers chooses. Specification: RFC 2992 (hash-threshold); Linux 6.12 `fib_select_multipath`, `fib_multipath_hash` (behaviour).
//!
//! | hash | of | key | next link | what follows |
//! |---|---|---|---|---|
//! | `switch` | addresses, protocol, ports | the same in all nodes | CRC-32 modulo the number of links | polarisation: behind a node that has chosen by the same hash, some links get no flows |
//! | `linux_l3` | addresses | one of each node | hash-threshold | all flows from one node to another share a way |
//! | `linux_l4` | addresses, protocol, ports | one of each node | hash-threshold | flows spread evenly |
//!
//! Not modelled: the ports of later connections of a flow. All of them keep the flow's way. Deviation: Linux's hash function is SipHash.
//! Its key is random, so that any other well-mixed hash chooses with the same chances.

use crate::rng::Rng;

crate::choices! {
    /// The way that packets take where several are equally good.
    pub enum Ecmp {
        /// The way whose links come first in the file, for all flows.
        Off = "off",
        /// CRC-32 of addresses, protocol and ports modulo the number of links, the same in each node.
        Switch = "switch",
        /// A hash of the addresses with a key of each node (Linux's default, `fib_multipath_hash_policy` 0).
        LinuxL3 = "linux_l3",
        /// A hash of addresses, protocol and ports with a key of each node (`fib_multipath_hash_policy` 1).
        LinuxL4 = "linux_l4",
    }
}

/// The headers of one direction of a flow that are hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Headers {
    /// Nodes that send and receive.
    pub nodes: [u32; 2],
    /// Ports of sender and receiver.
    pub ports: [u16; 2],
}

/// The port to which all flows send.
const SERVICE: u16 = 5001;
/// The ports that Linux gives to clients (`ip_local_port_range`): the first one and their number.
const CLIENTS: (u16, u32) = (32_768, 28_232);
/// The network 10.0.0.0.
const NET: u32 = 10 << 24;
const TCP: u8 = 6;

impl Headers {
    /// Those of data from one node to another. The port of the sender is drawn from `rng`.
    pub fn drawn(nodes: [u32; 2], rng: &mut Rng) -> Self {
        let port = CLIENTS.0 + (rng.uniform() * f64::from(CLIENTS.1)) as u16;
        Headers { nodes, ports: [port, SERVICE] }
    }

    /// Those of the answers.
    #[must_use]
    pub fn answers(self) -> Self {
        let ([from, to], [source, target]) = (self.nodes, self.ports);
        Headers { nodes: [to, from], ports: [target, source] }
    }

    /// Addresses, protocol and ports in the order in which a packet has them.
    fn tuple(self) -> [u8; 13] {
        let mut bytes = [0; 13];
        for (place, node) in self.nodes.into_iter().enumerate() {
            bytes[4 * place..4 * place + 4].copy_from_slice(&(NET + node + 1).to_be_bytes());
        }
        bytes[8] = TCP;
        for (place, port) in self.ports.into_iter().enumerate() {
            bytes[9 + 2 * place..11 + 2 * place].copy_from_slice(&port.to_be_bytes());
        }
        bytes
    }
}

/// The number of the next link among `links`. `key` belongs to the node.
pub fn choose(ecmp: Ecmp, key: u64, headers: Headers, links: usize) -> usize {
    match ecmp {
        Ecmp::Off => 0,
        Ecmp::Switch => crc32(&headers.tuple()) as usize % links,
        Ecmp::LinuxL3 => region(mixed(key, &headers.tuple()[..8]), links),
        Ecmp::LinuxL4 => region(mixed(key, &headers.tuple()), links),
    }
}

/// RFC 2992 section 2: the region of the hash, all being equally large.
fn region(hash: u64, links: usize) -> usize {
    ((u128::from(hash) * links as u128) >> 64) as usize
}

/// A hash with a key: SplitMix64's finaliser over each byte's state.
fn mixed(key: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(key, |state, &byte| {
        let mut mixed = (state ^ u64::from(byte)).wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    })
}

/// Ethernet's CRC (IEEE 802.3), bit by bit.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_crc_is_ethernets() {
        // The check value of CRC-32/ISO-HDLC.
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn headers_have_the_places_of_a_packet() {
        let headers = Headers { nodes: [0, 258], ports: [0x8001, 5001] };
        assert_eq!(headers.tuple(), [10, 0, 0, 1, 10, 0, 1, 3, 6, 0x80, 0x01, 0x13, 0x89]);
        assert_eq!(headers.answers(), Headers { nodes: [258, 0], ports: [5001, 0x8001] });
    }

    /// How many of 8000 flows between drawn hosts take each of 4 links behind a node that sends them over the first of 4.
    fn spread(ecmp: Ecmp, keys: [u64; 2], among: u32) -> [u32; 4] {
        let mut rng = Rng::named(1, "headers");
        let mut counts = [0; 4];
        for _ in 0..8000 {
            let nodes = [rng.uniform(), rng.uniform()].map(|drawn| (drawn * f64::from(among)) as u32);
            let headers = Headers::drawn(nodes, &mut rng);
            if choose(ecmp, keys[0], headers, 4) == 0 {
                counts[choose(ecmp, keys[1], headers, 4)] += 1;
            }
        }
        counts
    }

    #[test]
    fn switches_with_one_hash_leave_links_idle_behind_each_other() {
        let counts = spread(Ecmp::Switch, [0, 0], 1000);
        assert!((1900..2100).contains(&counts[0]), "{counts:?}");
        assert_eq!(counts[1..], [0, 0, 0]);
    }

    #[test]
    fn nodes_with_keys_of_their_own_use_all_links_behind_each_other() {
        // 500 each, with a standard deviation of 22.
        for count in spread(Ecmp::LinuxL4, [7, 8], 1000) {
            assert!((400..600).contains(&count), "{count}");
        }
    }

    #[test]
    fn flows_between_the_same_nodes_share_a_way_by_addresses_alone() {
        let ways = |ecmp| {
            let mut rng = Rng::named(2, "headers");
            let mut taken = [false; 4];
            for _ in 0..100 {
                taken[choose(ecmp, 7, Headers::drawn([3, 5], &mut rng), 4)] = true;
            }
            taken.into_iter().filter(|taken| *taken).count()
        };
        assert_eq!([Ecmp::LinuxL3, Ecmp::LinuxL4].map(ways), [1, 4]);
    }
}
