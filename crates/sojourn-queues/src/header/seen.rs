//! The part of a packet's own headers that queues of Linux read, where a packet is real: its hosts, and an acknowledgement of TCP. A
//! simulated packet has these in its flow and its body.

/// The two hosts of a packet or a flow, by numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hosts {
    /// The host that sends.
    pub source: u32,
    /// The host that receives.
    pub target: u32,
}

/// The header of a segment of TCP that acknowledges (RFC 9293 section 3.1), as a filter of acknowledgements reads it. Numbers are those of
/// the header, modulo 2^32.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acknowledgement {
    /// The byte that is expected.
    pub next: u32,
    /// The flag ECE.
    pub ece: bool,
    /// The flag CWR.
    pub cwr: bool,
    /// Whether nothing is lost with it: it has no data, no further flags, and no options but those below.
    pub is_bare: bool,
    /// The options.
    pub options: AckOptions,
}

/// Timestamps and SACK blocks. With timestamps there is room for three blocks, without them for four (RFC 2018 section 3). An empty block
/// ends the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AckOptions {
    /// Without timestamps.
    Plain([[u32; 2]; 4]),
    /// Value and echo of timestamps (RFC 7323 section 3).
    Timed([u32; 2], [[u32; 2]; 3]),
}

impl AckOptions {
    /// None.
    pub const NONE: AckOptions = AckOptions::Plain([[0; 2]; 4]);

    /// These. Blocks for which a header has no room are left out.
    pub fn new(times: Option<[u32; 2]>, blocks: impl IntoIterator<Item = [u32; 2]>) -> Self {
        let mut options = times.map_or(AckOptions::NONE, |times| AckOptions::Timed(times, [[0; 2]; 3]));
        let places = match &mut options {
            AckOptions::Plain(places) => &mut places[..],
            AckOptions::Timed(_, places) => &mut places[..],
        };
        for (place, block) in places.iter_mut().zip(blocks) {
            *place = block;
        }
        options
    }

    /// Value and echo of timestamps.
    pub fn times(&self) -> Option<[u32; 2]> {
        match self {
            AckOptions::Plain(_) => None,
            AckOptions::Timed(times, _) => Some(*times),
        }
    }

    /// The SACK blocks, each from its first byte up to the one behind its last.
    pub fn blocks(&self) -> &[[u32; 2]] {
        let places = match self {
            AckOptions::Plain(places) => &places[..],
            AckOptions::Timed(_, places) => &places[..],
        };
        let len = places.iter().position(|[first, end]| first == end).unwrap_or(places.len());
        &places[..len]
    }
}

/// All that is known of a real packet beside its flow, in the 45 bytes for which the other contents of a packet leave room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, packed)]
pub struct Seen {
    hosts: [u32; 2],
    next: u32,
    options: [u32; 8],
    flags: u8,
}

const HOSTS: u8 = 1;
const ACKNOWLEDGES: u8 = 1 << 1;
const ECE: u8 = 1 << 2;
const CWR: u8 = 1 << 3;
const BARE: u8 = 1 << 4;
const TIMES: u8 = 1 << 5;

impl Seen {
    /// A packet with these hosts and this acknowledgement, as a queue sees it.
    pub fn new(hosts: Option<Hosts>, acknowledgement: Option<Acknowledgement>) -> Self {
        let mut seen = Seen { hosts: [0; 2], next: 0, options: [0; 8], flags: 0 };
        if let Some(Hosts { source, target }) = hosts {
            (seen.hosts, seen.flags) = ([source, target], HOSTS);
        }
        if let Some(Acknowledgement { next, ece, cwr, is_bare, options }) = acknowledgement {
            let flag = |holds: bool, flag: u8| if holds { flag } else { 0 };
            let is_timed = matches!(options, AckOptions::Timed(..));
            seen.flags |= ACKNOWLEDGES | flag(ece, ECE) | flag(cwr, CWR) | flag(is_bare, BARE) | flag(is_timed, TIMES);
            seen.next = next;
            let words = match options {
                AckOptions::Plain([a, b, c, d]) => [a, b, c, d],
                AckOptions::Timed(times, [a, b, c]) => [times, a, b, c],
            };
            seen.options = std::array::from_fn(|at| words[at / 2][at % 2]);
        }
        seen
    }

    /// Its hosts, if they are known.
    pub fn hosts(self) -> Option<Hosts> {
        let [source, target] = self.hosts;
        (self.flags & HOSTS != 0).then_some(Hosts { source, target })
    }

    /// Its acknowledgement, if it is a segment of TCP that has one.
    pub fn acknowledgement(self) -> Option<Acknowledgement> {
        let has = |flag: u8| self.flags & flag != 0;
        let words = self.options;
        let [a, b, c, d] = std::array::from_fn(|at| [words[2 * at], words[2 * at + 1]]);
        let options = if has(TIMES) { AckOptions::Timed(a, [b, c, d]) } else { AckOptions::Plain([a, b, c, d]) };
        let (ece, cwr, is_bare) = (has(ECE), has(CWR), has(BARE));
        has(ACKNOWLEDGES).then_some(Acknowledgement { next: self.next, ece, cwr, is_bare, options })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_was_seen_is_read_again() {
        let blocks = [[1, 2], [3, 4], [5, 6], [7, 8]];
        for (hosts, times) in [(None, None), (Some(Hosts { source: 7, target: u32::MAX }), Some([9, 10]))] {
            let options = AckOptions::new(times, blocks);
            assert_eq!((options.times(), options.blocks().len()), (times, if times.is_some() { 3 } else { 4 }));
            for flags in 0..8_u8 {
                let has = |bit: u8| flags & bit != 0;
                let ack = Acknowledgement { next: 5, ece: has(1), cwr: has(2), is_bare: has(4), options };
                let seen = Seen::new(hosts, Some(ack));
                assert_eq!((seen.hosts(), seen.acknowledgement()), (hosts, Some(ack)));
            }
            assert_eq!(Seen::new(hosts, None).acknowledgement(), None);
        }
        assert_eq!(AckOptions::NONE.blocks(), [[0; 2]; 0]);
    }
}
