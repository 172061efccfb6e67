//! Data that has arrived out of order: its reassembly, its SACK blocks (RFC 2018), and the reports of it that wait in Linux.

use super::super::ranges::RangeSet;
use super::super::settings::Arrivals;
use crate::packet::SackBlocks;

/// The number of reports of a hole that are never delayed, so that the sender resends in time (Linux), and the most reports that wait
/// (`tcp_comp_sack_nr`).
const TOLD_AT_ONCE: u8 = 3;
const MOST_REPORTS: u8 = 44;
/// The blocks that Linux keeps (`TCP_NUM_SACKS`), and the place of a block from which on reports do not wait for news about it.
const KEPT_BLOCKS: usize = 4;
const LATE_BLOCK: usize = 2;

/// The data that has arrived out of order.
#[derive(Clone, Debug, Default)]
pub(super) struct Held {
    ranges: RangeSet,
    /// The blocks that were reported last, each from its first byte to the one behind it. The most recent one is first.
    recent: [(u64, u64); KEPT_BLOCKS],
    recent_len: u8,
    /// The acknowledgements sent since `missing` is the first missing byte, and the reports that wait.
    told: u8,
    waits: u8,
    missing: u64,
}

impl Held {
    /// Adds `seq..end`. Returns the end of the data that is in order now, if `next`, the byte that is expected, has arrived.
    pub fn add(&mut self, seq: u64, end: u64, next: u64, arrivals: Arrivals) -> Option<u64> {
        self.ranges.insert(seq, end);
        let Some((_, filled)) = self.ranges.containing(next) else {
            match arrivals {
                Arrivals::Linux => self.note_recent((seq, end), KEPT_BLOCKS, next),
                Arrivals::Rfc => {
                    self.note_recent(self.ranges.containing(seq).unwrap_or((seq, end)), SackBlocks::MOST, next);
                }
            }
            return None;
        };
        self.ranges.remove_below(filled);
        Some(filled)
    }

    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    pub fn bytes(&self) -> u64 {
        self.ranges.total()
    }

    /// True if all of `seq..end` has arrived.
    pub fn has(&self, seq: u64, end: u64) -> bool {
        self.ranges.containing(seq).is_some_and(|(_, to)| end <= to)
    }

    /// Names the blocks that lie above `next`, by their offsets from it.
    pub fn name_blocks(&self, next: u64, sack: &mut SackBlocks) {
        for (start, end) in self.known(next) {
            // Offsets fit: no window is larger than 4 GiB.
            sack.push((start - next) as u32, (end - next) as u32);
        }
    }

    /// A report is due. True if it waits for more.
    pub fn gathers(&mut self, next: u64) -> bool {
        if self.missing != next {
            (self.missing, self.told) = (next, 0);
        }
        let tells = self.told < TOLD_AT_ONCE;
        self.told += u8::from(tells);
        let waits = !tells && self.waits < MOST_REPORTS;
        self.waits += u8::from(waits);
        waits
    }

    /// True if reports wait.
    pub fn waits(&self) -> bool {
        self.waits > 0
    }

    /// All reports that waited have been sent.
    pub fn has_told(&mut self) {
        self.waits = 0;
    }

    /// Linux: if the segment `seq..end` belongs to none of the two blocks that an acknowledgement would name first, the reports that wait
    /// are sent before it (`tcp_sack_new_ofo_skb`).
    pub fn reports_before(&self, seq: u64, end: u64, next: u64) -> bool {
        let before = self.known(next).take_while(|&block| !touch(block, (seq, end)));
        self.waits() && seq > next && before.count() >= LATE_BLOCK
    }

    /// The blocks that were reported last and are above `next`, the byte that is expected.
    fn known(&self, next: u64) -> impl Iterator<Item = (u64, u64)> {
        self.recent[..usize::from(self.recent_len)].iter().copied().filter(move |&(start, _)| start > next)
    }

    /// RFC 2018 §4: the first block is the one with the segment that caused the acknowledgement. Those reported before follow. `block` is
    /// that segment as in Linux, which forgets the data next to it if it was not among the last `kept` blocks. Otherwise it is all that has
    /// arrived around it.
    fn note_recent(&mut self, mut block: (u64, u64), kept: usize, next: u64) {
        let old = self.recent;
        let mut len = 1;
        for &other in old[..usize::from(self.recent_len)].iter().filter(|(start, _)| *start > next) {
            if touch(block, other) {
                block = (block.0.min(other.0), block.1.max(other.1));
            } else if len < kept {
                self.recent[len] = other;
                len += 1;
            }
        }
        self.recent[0] = block;
        self.recent_len = len as u8;
    }
}

/// Whether two ranges of bytes overlap or are next to each other.
fn touch(one: (u64, u64), other: (u64, u64)) -> bool {
    one.0 <= other.1 && other.0 <= one.1
}
