//! The filter of acknowledgements. It finds a waiting acknowledgement that the new one behind it makes superfluous. Linux 6.12 `sch_cake`.
//!
//! If two such acknowledgements wait, the first is dropped, so that one of them stays. The aggressive filter drops one that waits if no
//! other packet is between it and the new one. Three kinds are never dropped: one that reports a mark other than its successor does, one
//! whose SACK blocks the new one does not have, and one that reports data received twice.

use std::collections::VecDeque;

use super::tin::Waiting;
use crate::choices;
use crate::packet::{Body, Codepoint, SackBlocks};
use crate::units::Instant;

choices! {
    /// Which acknowledgements are dropped because later ones say the same.
    pub enum AckFilter {
        /// None.
        Off = "off",
        /// The older one of two that wait.
        Filter = "filter",
        /// Also each that waits next to the arriving one.
        Aggressive = "aggressive",
    }
}

/// The content of an acknowledgement without data.
#[derive(Clone, Copy)]
struct Ack {
    /// The byte that is expected.
    next: u64,
    echo: Instant,
    sack: SackBlocks,
    codepoint: Codepoint,
}

impl Ack {
    fn of(waiting: &Waiting) -> Option<Ack> {
        match waiting.packet.body {
            Body::Ack { ack, echo, sack, codepoint, syn: false, .. } => Some(Ack { next: ack, echo, sack, codepoint }),
            _ => None,
        }
    }

    /// Whether `newer` says all that this one says, and more.
    fn is_covered_by(&self, newer: &Ack) -> bool {
        if self.echo > newer.echo || self.next > newer.next {
            return false;
        }
        match sacks(self, newer) {
            Sacks::NotCovered => false,
            Sacks::Same => self.next < newer.next,
            Sacks::More => true,
        }
    }
}

/// How the SACK blocks of a newer acknowledgement compare.
enum Sacks {
    NotCovered,
    Same,
    More,
}

fn sacks(older: &Ack, newer: &Ack) -> Sacks {
    let (old, new) = (older.sack.as_slice(), newer.sack.as_slice());
    // In bytes of the stream; a report of duplicate data, in descending order, stays below the acknowledgement.
    let is_twice = |block: &(u32, u32)| block.0 > block.1;
    let range = |ack: u64, block: &(u32, u32)| (ack + u64::from(block.0), ack + u64::from(block.1));
    let holds = |(start, end): (u64, u64)| {
        let mut blocks = new.iter().filter(|block| !is_twice(block)).map(|block| range(newer.next, block));
        blocks.any(|(from, to)| from <= start && end <= to)
    };
    if old.iter().any(|block| is_twice(block) || !holds(range(older.next, block))) {
        return Sacks::NotCovered;
    }
    let bytes =
        |blocks: &[(u32, u32)]| -> u64 { blocks.iter().map(|block| u64::from(block.1.abs_diff(block.0))).sum() };
    if bytes(new) > bytes(old) { Sacks::More } else { Sacks::Same }
}

/// The place of the acknowledgement that is to go, if any; the last one of `waiting` has just come.
pub fn filtered(waiting: &VecDeque<Waiting>, is_aggressive: bool) -> Option<usize> {
    let last = waiting.len().checked_sub(1)?;
    let newest = Ack::of(&waiting[last])?;
    let flow = waiting[last].packet.flow;
    let mut eligible: Option<(usize, Codepoint)> = None;
    // As many as were found, less those that were given up.
    let mut found = 0;
    let of_flow = waiting.iter().enumerate().take(last).filter(|(_, other)| other.packet.flow == flow);
    for (at, other) in of_flow {
        let ack = Ack::of(other);
        let codepoint = ack.map_or(Codepoint::None, |ack| ack.codepoint);
        if eligible.is_some_and(|(_, of_first)| of_first != codepoint) {
            eligible = None;
            found -= 1;
        }
        if !ack.is_some_and(|ack| ack.is_covered_by(&newest)) {
            continue;
        }
        let (first, _) = *eligible.get_or_insert((at, codepoint));
        if found > 0 {
            return Some(first);
        }
        found += 1;
    }
    let next_to = |(at, codepoint): &(usize, Codepoint)| at + 1 == last && *codepoint == newest.codepoint;
    eligible.filter(|first| is_aggressive && next_to(first)).map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::header::Answer;
    use crate::packet::{FlowId, Packet};

    fn said(flow: u32, ack: u64, blocks: &[(u32, u32)], codepoint: Codepoint) -> Waiting {
        let mut sack = SackBlocks::default();
        for (start, end) in blocks {
            sack.push(*start, *end);
        }
        let (echo, answer) = (Instant::from_nanos(ack), Answer::default());
        let body = Body::Ack { ack, echo, sack, codepoint, syn: false, offered: 0, answer };
        Waiting { packet: Packet { body, ..Packet::datagram(FlowId(flow), 0, 66) }, charged: 66, memory: 768 }
    }

    fn plain(ack: u64) -> Waiting {
        said(1, ack, &[], Codepoint::None)
    }

    fn which(waiting: &[Waiting]) -> [Option<usize>; 2] {
        let queue: VecDeque<Waiting> = waiting.iter().copied().collect();
        [false, true].map(|is_aggressive| filtered(&queue, is_aggressive))
    }

    #[test]
    fn the_first_of_two_goes_and_with_the_aggressive_filter_one_alone() {
        assert_eq!(which(&[plain(1)]), [None, None]);
        assert_eq!(which(&[plain(1), plain(2)]), [None, Some(0)]);
        assert_eq!(which(&[plain(1), plain(2), plain(3)]), [Some(0), Some(0)]);
        // Packets of other flows may be between, but not next to it.
        let other = said(2, 1, &[], Codepoint::None);
        assert_eq!(which(&[plain(1), other, plain(2)]), [None, None]);
        assert_eq!(which(&[other, plain(1), other, plain(2), plain(3)]), [Some(1), Some(1)]);
    }

    #[test]
    fn duplicates_stay() {
        assert_eq!(which(&[plain(5), plain(5), plain(5)]), [None, None]);
        assert_eq!(which(&[plain(5), plain(5), plain(6)]), [Some(0), Some(0)]);
    }

    #[test]
    fn a_change_of_marks_is_kept() {
        let marked = |ack| said(1, ack, &[], Codepoint::Ece);
        assert_eq!(which(&[plain(1), marked(2), marked(3), marked(4)]), [Some(1), Some(1)]);
        assert_eq!(which(&[plain(1), marked(2)]), [None, None]);
    }

    #[test]
    fn sack_blocks_go_only_where_the_new_ones_hold_them() {
        let sacked = |ack, blocks: &[(u32, u32)]| said(1, ack, blocks, Codepoint::None);
        // Among equal acknowledgements the one that reports more covers the others.
        let [small, larger, whole] = [(10, 20), (10, 30), (10, 40)].map(|block| sacked(100, &[block]));
        assert_eq!(which(&[small, larger, whole]), [Some(0), Some(0)]);
        assert_eq!(which(&[whole, larger, small]), [None, None]);
        // Relative to another acknowledgement: 110 to 120 is within 105 to 125 of one that acknowledges 105.
        assert_eq!(which(&[small, sacked(105, &[(0, 20)])])[1], Some(0));
        assert_eq!(which(&[small, sacked(105, &[(6, 20)])])[1], None);
        // Duplicate data are reported.
        assert_eq!(which(&[sacked(100, &[(9, 1)]), plain(200)])[1], None);
    }
}
