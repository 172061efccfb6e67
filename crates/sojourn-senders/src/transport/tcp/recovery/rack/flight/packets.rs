//! The packets in which Linux keeps segments that have been reported. Compared with: Linux's `tcp_sacktag_write_queue` and
//! `tcp_shift_skb_data` (behaviour).
//!
//! A packet is cut where a block begins or ends. Reported ones that are next to each other become one, as the block is walked from its
//! first segment on. What the acknowledgement before had in its blocks is not walked again. Each packet takes memory of its own, so that
//! the send buffer depends on their number.

use super::Flight;
use crate::packet::SackBlocks;

/// A packet has fewer bytes (`tcp_skb_shift`).
const MOST: u64 = 65_535 * 8;

/// The bytes of a block, and whether it reports data that have come twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct Block {
    pub start: u64,
    pub end: u64,
    pub twice: bool,
}

/// The blocks of the last acknowledgement that had any, in the order of their bytes (Linux `recv_sack_cache`).
#[derive(Clone, Copy, Debug, Default)]
pub(in super::super) struct Blocks {
    blocks: [Block; SackBlocks::MOST],
    len: usize,
}

impl Blocks {
    /// One more block of an acknowledgement.
    pub fn push(&mut self, block: Block) {
        self.blocks[self.len] = block;
        self.len += 1;
    }

    /// All blocks of the acknowledgement are there.
    pub fn sort(&mut self) {
        self.blocks[..self.len].sort_by_key(|block| block.start);
    }
}

impl Flight {
    /// The segments of the blocks `told` have been marked as reported. The acknowledgement before had the blocks `before`, if any segment
    /// had been reported.
    pub fn gather(&mut self, told: &Blocks, before: &Blocks) {
        let mut known = before.blocks[..before.len].iter().peekable();
        for block in &told.blocks[..told.len] {
            let mut at = block.start;
            loop {
                while known.next_if(|old| block.start >= old.end).is_some() {}
                let Some(old) = known.peek().filter(|old| !block.twice && block.end > old.start) else {
                    self.walk(at, block.end, *block);
                    break;
                };
                if block.start < old.start {
                    self.walk(at, old.start, *block);
                }
                if block.end <= old.end {
                    break;
                }
                at = old.end;
                known.next();
            }
        }
    }

    /// Walks the part `at..end` of a block.
    fn walk(&mut self, at: u64, end: u64, block: Block) {
        let std::ops::Range { start: mut number, end: behind } = self.within(at, end);
        if number >= behind {
            return;
        }
        while self.follows(number) && self.get(number - 1).start >= block.start {
            number -= 1;
        }
        self.cut_before(number);
        while number < behind {
            let length = self.length(number);
            let after = self.behind(number, behind + 1);
            let part = after.min(behind);
            self.cut_before(part);
            let may = block.twice || !self.get(number).repairing;
            if !may || !self.shift(number, part, length) {
                number = part;
                continue;
            }
            number = part;
            // A hole is filled: the next packet may be added, too.
            if part == after && self.last().is_some_and(|last| number <= last) && self.is_kept(number) {
                let next = self.behind(number, u64::MAX);
                if self.length(number) == length && self.shift(number, next, length) {
                    number = next;
                }
            }
        }
    }

    /// Whether the segment with this number is in one packet with the one before.
    fn follows(&self, number: u64) -> bool {
        number > self.first && self.get(number).joined
    }

    /// Whether a segment has been reported, and no repair of it is in the network.
    fn is_kept(&self, number: u64) -> bool {
        let segment = self.get(number);
        segment.sacked && !segment.repairing
    }

    fn length(&self, number: u64) -> u64 {
        let segment = self.get(number);
        segment.end - segment.start
    }

    /// The number behind the packet that begins with this one, or `most`.
    fn behind(&self, number: u64, most: u64) -> u64 {
        let after = (number + 1 - self.first) as usize;
        let joined = self.segments.range(after..).take_while(|segment| segment.joined);
        number + 1 + joined.take(most.saturating_sub(number + 1) as usize).count() as u64
    }

    /// The packet `number..part`, whose full segments have `length` bytes, is added to the one before it. Returns false if it does not fit.
    fn shift(&mut self, number: u64, part: u64, length: u64) -> bool {
        if number == self.first || !self.is_kept(number) || !self.is_kept(number - 1) {
            return false;
        }
        // The last segment of a packet of several may be short.
        let full = if self.follows(number - 1) { number - 2 } else { number - 1 };
        if self.length(full) != length {
            return false;
        }
        let (start, end) = (self.start_of_packet(number - 1), self.get(part - 1).end);
        if end - start >= MOST {
            return false;
        }
        self.join(number, true);
        self.grown = (part - 1, start);
        true
    }

    /// The first byte of the packet that ends with this number.
    fn start_of_packet(&self, number: u64) -> u64 {
        if self.grown.0 == number && self.grown.1 >= self.segments[0].start {
            return self.grown.1;
        }
        let mut first = number;
        while self.follows(first) {
            first -= 1;
        }
        self.get(first).start
    }
}
