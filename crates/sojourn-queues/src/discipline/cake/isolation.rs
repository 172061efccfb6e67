//! Which flows share a queue, and which hosts their flows' turns are divided by: an eight-way set-associative table of queues, and one of
//! hosts. Linux 6.12 `sch_cake`, with hashes of the numbers of flows and hosts in place of those of addresses and ports.

use super::buffers::QUEUES;
use crate::choices;
use crate::mechanism::sparse::Sparse;

choices! {
    /// The unit that has a queue of its own, and among which the link is shared.
    pub enum Isolation {
        /// Nothing: one queue for all.
        Flowblind = "flowblind",
        /// A queue for each host that sends.
        Srchost = "srchost",
        /// A queue for each host that receives.
        Dsthost = "dsthost",
        /// A queue for each pair of hosts.
        Hosts = "hosts",
        /// A queue for each flow.
        Flows = "flows",
        /// A queue for each flow; hosts that send have equal shares.
        DualSrchost = "dual-srchost",
        /// A queue for each flow; hosts that receive have equal shares.
        DualDsthost = "dual-dsthost",
        /// A queue for each flow; hosts have equal shares on whichever side a host has more flows.
        TripleIsolate = "triple-isolate",
    }
}

impl Isolation {
    /// Whether turns are divided among the flows of a host that sends.
    pub const fn by_source(self) -> bool {
        matches!(self, Isolation::DualSrchost | Isolation::TripleIsolate)
    }

    /// Whether turns are divided among the flows of a host that receives.
    pub const fn by_target(self) -> bool {
        matches!(self, Isolation::DualDsthost | Isolation::TripleIsolate)
    }

    /// Whether hashes of hosts stand for the flow.
    pub const fn is_by_hosts(self) -> bool {
        matches!(self, Isolation::Srchost | Isolation::Dsthost | Isolation::Hosts)
    }

    /// The hash by which a packet finds its queue.
    pub fn hash(self, flow: u32, source: u32, target: u32) -> u32 {
        match self {
            Isolation::Flowblind => 0,
            Isolation::Srchost => source,
            Isolation::Dsthost => target,
            Isolation::Hosts => source ^ target,
            Isolation::Flows | Isolation::DualSrchost | Isolation::DualDsthost | Isolation::TripleIsolate => flow,
        }
    }
}

/// Ways of a set.
const WAYS: usize = 8;

/// The places of a hash, in the order in which they are tried.
pub fn ways(hash: u32) -> [usize; WAYS] {
    let first = hash as usize % QUEUES;
    let (inner, outer) = (first % WAYS, first - first % WAYS);
    std::array::from_fn(|step| outer + (inner + step) % WAYS)
}

/// One side of a host: which it is, and how many flows of it are in line.
#[derive(Clone, Copy, Debug, Default)]
struct Side {
    tag: u32,
    bulk: u16,
}

/// The hosts of one side, of those that send or of those that receive.
#[derive(Clone, Debug)]
pub struct HostTable(Sparse<Side>);

impl HostTable {
    /// Empty.
    pub fn new() -> Self {
        HostTable(Sparse::new(QUEUES))
    }

    /// The place of the host with this hash; it takes the place of a host without flows in line, or another's if there is none.
    pub fn place(&mut self, hash: u32) -> u16 {
        let ways = ways(hash);
        if let Some(known) = ways.iter().find(|place| self.0.get(**place).tag == hash) {
            return *known as u16;
        }
        let free = ways.iter().find(|place| self.0.get(**place).bulk == 0);
        let place = free.copied().unwrap_or(ways[0]);
        self.0.get_mut(place).tag = hash;
        place as u16
    }

    /// One of its flows is in line.
    pub fn join(&mut self, place: u16) {
        let side = self.0.get_mut(place as usize);
        side.bulk = (side.bulk + 1).min(QUEUES as u16);
    }

    /// One of its flows is no longer in line.
    pub fn leave(&mut self, place: u16) {
        let side = self.0.get_mut(place as usize);
        side.bulk = side.bulk.saturating_sub(1);
    }

    /// How many do.
    pub fn bulk(&self, place: u16) -> u16 {
        self.0.get(place as usize).bulk
    }
}

/// A host's part of a quantum: by a reciprocal of 16 bits, and a random number of 16 bits for the remainder.
pub fn divided(quantum: u16, flows_of_host: u16, random: u16) -> u16 {
    let part = 65535 / u32::from(flows_of_host.max(1));
    ((u32::from(quantum) * part + u32::from(random)) >> 16) as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn the_ways_of_a_hash_are_a_set_that_begins_with_its_own_place() {
        assert_eq!(ways(1024 + 13), [13, 14, 15, 8, 9, 10, 11, 12]);
    }

    #[test]
    fn hosts_keep_their_places_while_they_have_flows_in_line() {
        let mut table = HostTable::new();
        // Nine hosts of one set, the first eight with a flow in line each.
        let places: Vec<u16> = (0..8)
            .map(|host| {
                let place = table.place(16 + 1024 * host);
                table.join(place);
                place
            })
            .collect();
        assert_eq!(places, [16, 17, 18, 19, 20, 21, 22, 23]);
        assert_eq!(table.place(16 + 1024 * 5), 21);
        table.leave(20);
        assert_eq!(table.place(16 + 1024 * 9), 20, "that of a host without flows in line");
        table.join(20);
        assert_eq!(table.place(16 + 1024 * 10), 16, "its own where all have some");
        assert_eq!(table.bulk(16), 1);
    }

    #[test]
    fn a_quantum_is_divided_without_bias() {
        let mut rng = Rng::named(1, "dither");
        for flows in [1_u16, 2, 3, 7, 100] {
            let sum: f64 = (0..20_000).map(|_| f64::from(divided(1514, flows, rng.below(1 << 16) as u16))).sum();
            let expected = 1514.0 * f64::from(65535 / u32::from(flows)) / 65536.0;
            assert!((sum / 20_000.0 - expected).abs() < 0.02, "{flows}");
        }
    }
}
