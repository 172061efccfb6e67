//! The filter of acknowledgements. It finds a waiting acknowledgement that the new one behind it makes superfluous. Linux 6.12 `sch_cake`.
//!
//! If two such acknowledgements wait, the first is dropped, so that one of them stays. The aggressive filter drops one that waits if no
//! other packet is between it and the new one. Some kinds are never dropped: one that reports a mark other than its successor does, one
//! whose SACK blocks the new one does not have, and one that reports data received twice. Neither is one of accurate ECN (RFC 9768) whose
//! flag AE is set, or that has its option. A real segment with data makes acknowledgements
//! superfluous, too.

use std::collections::VecDeque;

use super::tin::Waiting;
use crate::choices;
use crate::header::Acknowledgement;
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

/// The content of a segment that acknowledges.
#[derive(Clone, Copy)]
enum Content {
    /// The content of a simulated acknowledgement, which has no data.
    Simulated(Ack),
    /// The content of a real segment.
    Real(Acknowledgement),
}

impl Content {
    fn of(waiting: &Waiting) -> Option<Content> {
        match waiting.packet.body {
            Body::Ack { ack, echo, sack, codepoint, syn: false, .. } => {
                // Linux takes AE for a reserved flag, and the option of accurate ECN for one that it does not know.
                let is_bare = !codepoint.ae() && sack.option().is_none();
                Some(Content::Simulated(Ack { next: ack, echo, sack, codepoint, is_bare }))
            }
            Body::Seen(seen) => seen.acknowledgement().map(Content::Real),
            _ => None,
        }
    }

    /// The flags ECE and CWR.
    fn flags(&self) -> Flags {
        match self {
            Content::Simulated(ack) => (ack.codepoint.ece(), ack.codepoint.cwr()),
            Content::Real(segment) => (segment.ece, segment.cwr),
        }
    }

    /// Whether `newer` says all that this one says, and more.
    fn is_covered_by(&self, newer: &Content) -> bool {
        match (self, newer) {
            (Content::Simulated(older), Content::Simulated(newer)) => older.is_covered_by(newer),
            (Content::Real(older), Content::Real(newer)) => is_covered(older, newer),
            _ => false,
        }
    }
}

type Flags = (bool, bool);

/// Whether a real segment says all that another one, which waits, says, and more.
fn is_covered(older: &Acknowledgement, newer: &Acknowledgement) -> bool {
    let is_after = |one: u32, other: u32| (one.wrapping_sub(other) as i32) > 0;
    // A segment without timestamps counts as one with zeros.
    let [value, echo] = newer.options.times().unwrap_or_default();
    let is_later = |[older_value, older_echo]: [u32; 2]| is_after(older_value, value) || is_after(older_echo, echo);
    if !older.is_bare || older.options.times().is_some_and(is_later) || is_after(older.next, newer.next) {
        return false;
    }
    let (old, new) = (older.options.blocks(), newer.options.blocks());
    let holds = |&[first, end]: &[u32; 2]| new.iter().any(|&[from, to]| !is_after(from, first) && !is_after(end, to));
    // A block below the acknowledgement reports data received twice.
    if old.iter().any(|block| is_after(older.next, block[0]) || !holds(block)) {
        return false;
    }
    let bytes =
        |blocks: &[[u32; 2]]| blocks.iter().fold(0_u32, |sum, [first, end]| sum.wrapping_add(end.wrapping_sub(*first)));
    bytes(new) > bytes(old) || older.next != newer.next
}

/// The content of a simulated acknowledgement.
#[derive(Clone, Copy)]
struct Ack {
    /// The byte that is expected.
    next: u64,
    echo: Instant,
    sack: SackBlocks,
    codepoint: Codepoint,
    /// Whether it has no flags and options but those that the filter knows.
    is_bare: bool,
}

impl Ack {
    /// Whether `newer` says all that this one says, and more.
    fn is_covered_by(&self, newer: &Ack) -> bool {
        if !self.is_bare || self.echo > newer.echo || self.next > newer.next {
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
    let newest = Content::of(&waiting[last])?;
    let flow = waiting[last].packet.flow;
    let mut eligible: Option<(usize, Flags)> = None;
    // Covered acknowledgements so far; one is subtracted when its group is abandoned.
    let mut found = 0;
    let of_flow = waiting.iter().enumerate().take(last).filter(|(_, other)| other.packet.flow == flow);
    for (at, other) in of_flow {
        let content = Content::of(other);
        let flags = content.as_ref().map_or((false, false), Content::flags);
        if eligible.is_some_and(|(_, of_first)| of_first != flags) {
            eligible = None;
            found -= 1;
        }
        if !content.is_some_and(|content| content.is_covered_by(&newest)) {
            continue;
        }
        let (first, _) = *eligible.get_or_insert((at, flags));
        if found > 0 {
            return Some(first);
        }
        found += 1;
    }
    let next_to = |(at, flags): &(usize, Flags)| at + 1 == last && *flags == newest.flags();
    eligible.filter(|first| is_aggressive && next_to(first)).map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::header::{AckOptions, Answer, Seen};
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

    /// A real segment of flow 1.
    fn real(next: u32, times: Option<[u32; 2]>, blocks: &[[u32; 2]], change: fn(&mut Acknowledgement)) -> Waiting {
        let options = AckOptions::new(times, blocks.iter().copied());
        let mut segment = Acknowledgement { next, ece: false, cwr: false, is_bare: true, options };
        change(&mut segment);
        let body = Body::Seen(Seen::new(None, Some(segment)));
        Waiting { packet: Packet { body, ..Packet::datagram(FlowId(1), 0, 66) }, charged: 66, memory: 768 }
    }

    fn bare(next: u32) -> Waiting {
        real(next, None, &[], |_| {})
    }

    #[test]
    fn real_acknowledgements_are_compared_modulo_their_numbers() {
        assert_eq!(which(&[bare(u32::MAX - 5), bare(3), bare(8)]), [Some(0), Some(0)]);
        assert_eq!(which(&[bare(8), bare(3), bare(u32::MAX)]), [None, None]);
        assert_eq!(which(&[bare(5), bare(5), bare(5)]), [None, None]);
    }

    #[test]
    fn a_real_segment_with_data_stays_and_makes_others_superfluous() {
        let data = |next| real(next, None, &[], |segment| segment.is_bare = false);
        assert_eq!(which(&[bare(1), bare(2), data(3)]), [Some(0), Some(0)]);
        assert_eq!(which(&[data(1), data(2), bare(3)]), [None, None]);
        let marked = |next| real(next, None, &[], |segment| segment.ece = true);
        assert_eq!(which(&[bare(1), marked(2), marked(3), marked(4)]), [Some(1), Some(1)]);
        // CWR on a segment with data changes the flags as one without does.
        let reduced = real(2, None, &[], |segment| (segment.cwr, segment.is_bare) = (true, false));
        assert_eq!(which(&[bare(1), reduced, bare(3)]), [None, None]);
    }

    #[test]
    fn real_timestamps_do_not_go_back_where_one_is_dropped() {
        let timed = |next, value, echo| real(next, Some([value, echo]), &[], |_| {});
        assert_eq!(which(&[timed(1, 9, 9), timed(2, 9, 9)])[1], Some(0));
        assert_eq!(which(&[timed(1, u32::MAX, 9), timed(2, 2, 9)])[1], Some(0));
        assert_eq!(which(&[timed(1, 10, 9), timed(2, 9, 9)])[1], None);
        assert_eq!(which(&[timed(1, 9, 10), timed(2, 9, 9)])[1], None);
    }

    #[test]
    fn real_sack_blocks_go_only_where_the_new_ones_hold_them() {
        let sacked = |next, blocks: &[[u32; 2]]| real(next, None, blocks, |_| {});
        let [small, larger, whole] = [[110, 120], [110, 130], [110, 140]].map(|block| sacked(100, &[block]));
        assert_eq!(which(&[small, larger, whole]), [Some(0), Some(0)]);
        assert_eq!(which(&[whole, larger, small]), [None, None]);
        assert_eq!(which(&[small, sacked(105, &[[105, 125]])])[1], Some(0));
        assert_eq!(which(&[small, sacked(105, &[[111, 125]])])[1], None);
        // Data that came twice are reported below the acknowledgement.
        assert_eq!(which(&[sacked(100, &[[80, 90]]), sacked(200, &[[80, 90]])])[1], None);
        assert_eq!(which(&[small, bare(200)])[1], None);
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
