//! Numbers for the hosts of a recording.

use std::net::IpAddr;

use sojourn_sim::queue::Hosts;

/// The number of a host: an address of IPv4 as it is, one of IPv6 by a hash of 32 bits. Linux tells hosts apart by such hashes, too.
pub fn by_address(address: IpAddr) -> u32 {
    match address {
        IpAddr::V4(address) => address.to_bits(),
        IpAddr::V6(address) => hash(&address.octets()),
    }
}

/// The number of a host that a table names: by its address if it is one, so that a table and a capture have the same.
pub fn by_name(name: &str) -> u32 {
    name.parse().map_or_else(|_| hash(name.as_bytes()), by_address)
}

/// The hosts of a flow of which a table names one or none: no other flow has the others.
pub fn of_flow(flow: &str, source: &str, target: &str) -> Hosts {
    let side = |name: &str, side: &str| {
        if name.is_empty() { hash(format!("{side} of {flow}").as_bytes()) } else { by_name(name) }
    };
    Hosts { source: side(source, "source"), target: side(target, "destination") }
}

/// FNV-1a, whose bits are then mixed as in MurmurHash3.
fn hash(bytes: &[u8]) -> u32 {
    let sum = bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3));
    let mixed = (sum ^ (sum >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    (mixed >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::net::Ipv6Addr;

    #[test]
    fn an_address_has_one_number_wherever_it_is_written() {
        assert_eq!(by_name("10.0.0.1"), by_address([10, 0, 0, 1].into()));
        assert_eq!(by_name("2001:db8:0::1"), by_name("2001:DB8::1"));
        assert_ne!(by_name("server"), by_name("client"));
    }

    #[test]
    fn neighbours_of_ipv6_are_told_apart() {
        let addresses = (0..1000).map(|number| by_address(Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, number).into()));
        assert_eq!(addresses.collect::<BTreeSet<_>>().len(), 1000);
    }

    #[test]
    fn hosts_without_a_name_belong_to_one_flow() {
        let (one, other) = (of_flow("a", "", "server"), of_flow("b", "", "server"));
        assert_eq!(one.target, other.target);
        assert_ne!(one.source, other.source);
        assert_ne!(one.source, one.target);
    }
}
