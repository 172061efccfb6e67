//! The scoreboard of a sender: the data that selective acknowledgements have reported (RFC 6675 section 4).

use crate::packet::SackBlocks;
use crate::prefetch::prefetch;
use crate::transport::tcp::ranges::RangeSet;
use crate::transport::tcp::stream::{Ack, Stream};

/// The memory of a recovery for data above the cumulative acknowledgement. It is empty while no data has been received out of order.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Memory<T>(Option<Box<Remembered<T>>>);

/// A scoreboard, and the other state of a recovery.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Remembered<T> {
    pub board: Scoreboard,
    pub besides: T,
}

impl<T: Default> Memory<T> {
    /// The content of the memory. An empty memory gets the default content.
    pub fn get(&mut self) -> &mut Remembered<T> {
        self.0.get_or_insert_default()
    }

    /// The content of the memory, if it is not empty.
    pub fn present(&mut self) -> Option<&mut Remembered<T>> {
        self.0.as_deref_mut()
    }

    /// Empties the memory.
    pub fn clear(&mut self) {
        if self.0.is_some() {
            self.0 = None;
        }
    }

    /// The scoreboard, if there is one.
    pub fn board(&self) -> Option<&Scoreboard> {
        self.0.as_ref().map(|memory| &memory.board)
    }

    /// Takes in the SACK blocks of an acknowledgement. Returns the bytes that they report for the first time.
    pub fn note_sack(&mut self, stream: &Stream, ack: &Ack<'_>) -> u64 {
        if ack.sack.as_slice().is_empty() {
            return 0;
        }
        self.get().board.update(ack.next, stream.una, stream.max, ack.sack)
    }

    /// Bytes that are known to be received.
    pub fn sacked(&self) -> u64 {
        self.0.as_ref().map_or(0, |memory| memory.board.sacked.total())
    }

    /// Prefetches the memory that the next call will read.
    pub fn prefetch(&self) {
        prefetch(self.0.as_deref());
    }
}

/// The state of the data above the cumulative acknowledgement. The cost of a call grows with the number of holes, not with the window.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Scoreboard {
    /// The data that has been received out of order.
    pub sacked: RangeSet,
    /// The byte behind the highest one retransmitted in this recovery (RFC 6675's HighRxt). Holes are resent in order, so this number
    /// separates those that were resent from the others.
    pub high_rxt: u64,
}

impl Scoreboard {
    /// Takes in the SACK blocks of the acknowledgement number `ack`. Returns the bytes that they report for the first time.
    pub fn update(&mut self, ack: u64, una: u64, max: u64, blocks: &SackBlocks) -> u64 {
        let mut news = 0;
        for &(start, end) in blocks.as_slice() {
            // Blocks of a late acknowledgement may lie below what is acknowledged by now.
            let (start, end) = ((ack + u64::from(start)).max(una), (ack + u64::from(end)).min(max));
            if start < end {
                news += self.sacked.insert(start, end);
            }
        }
        news
    }

    /// The first missing byte from `at` on, and the number of missing bytes in a row from there. The number is at most `len`, and a gap
    /// that begins before `at + len` ends there.
    pub fn next_missing(&self, at: u64, len: u64) -> (u64, u64) {
        let limit = at + len;
        let at = self.sacked.containing(at).map_or(at, |(_, end)| end);
        match self.sacked.hole_from(at) {
            Some((_, end)) if at < limit => (at, (end - at).min(limit - at)),
            Some((_, end)) => (at, (end - at).min(len)),
            None => (at, limit.saturating_sub(at)),
        }
    }

    /// RFC 6675 IsLost: all missing bytes below the returned one count as lost.
    pub fn lost_below(&self, una: u64, threshold: u32, mss: u64) -> u64 {
        let mut bytes = 0;
        for (above, &(start, end)) in (1..).zip(self.sacked.as_slice().iter().rev()) {
            bytes += end - start;
            if above >= threshold || bytes > u64::from(threshold - 1) * mss {
                return start;
            }
        }
        una
    }

    /// RFC 6675 SetPipe: bytes in the network.
    pub fn pipe(&self, una: u64, max: u64, lost_below: u64) -> u64 {
        let not_lost = (max - lost_below) - (self.sacked.total() - self.sacked.total_below(lost_below));
        let resent = match self.high_rxt.checked_sub(una) {
            Some(span) => span - self.sacked.total_below(self.high_rxt),
            None => 0,
        };
        not_lost + resent
    }

    /// The missing bytes between `from` and `to`.
    pub fn missing(&self, from: u64, to: u64) -> u64 {
        to.saturating_sub(from).saturating_sub(self.sacked.total_below(to) - self.sacked.total_below(from))
    }

    /// RFC 6675 NextSeg rules 1 and 3: the first hole that has not been resent, as `(start, len)`.
    pub fn next_hole(&self, una: u64, mss: u64) -> Option<(u64, u64)> {
        let (start, end) = self.sacked.hole_from(self.high_rxt.max(una))?;
        Some((start, (end - start).min(mss)))
    }

    /// RFC 6675 NextSeg rule 4: the last segment that has not been received.
    pub fn last_missing(&self, una: u64, max: u64, mss: u64) -> Option<(u64, u64)> {
        let ranges = self.sacked.as_slice();
        let (low, high) = match ranges {
            [] => (una, max),
            [.., (_, end)] if *end < max => (*end, max),
            [(start, _)] => (una, *start),
            [.., (_, low), (high, _)] => (*low, *high),
        };
        let start = high.saturating_sub(mss).max(low);
        (start < high).then_some((start, high - start))
    }
}
