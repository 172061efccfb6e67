//! The buffers in which segments wait at a receiver of Linux, until those before them have come and the application has read them.
//! Compared with: Linux 6.12.117 `tcp_try_coalesce`, `tcp_data_queue_ofo` and `tcp_ofo_queue` (behaviour).
//!
//! A segment is added to the buffer of the one before it, as long as all of them are on at most 17 pieces of memory. Each buffer takes
//! memory of its own besides the payload, and the application reads buffer by buffer.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | A segment is on a piece of memory for each 32 KiB of the stream of which it has bytes | it depends on the device; here the sender's memory is passed on, as in the oracle | `a_buffer_has_at_most_seventeen_pieces_of_memory` |

/// The pieces of memory of a buffer at most (`MAX_SKB_FRAGS`), and the bytes of one at the sender.
const MOST_PIECES: u64 = 17;
const PIECE: u64 = 32_768;

/// A buffer: from its first byte to the one behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Buffer {
    from: u64,
    to: u64,
    pieces: u64,
}

impl Buffer {
    fn of(from: u64, to: u64) -> Self {
        Buffer { from, to, pieces: to.saturating_sub(1) / PIECE - from / PIECE + 1 }
    }

    /// Whether `next` can be added at the end.
    fn takes(&self, next: &Buffer) -> bool {
        self.to == next.from && self.pieces + next.pieces <= MOST_PIECES
    }

    fn add(&mut self, next: &Buffer) {
        (self.to, self.pieces) = (next.to, self.pieces + next.pieces);
    }
}

/// The buffers of segments that wait for others before them, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Buffers(Vec<Buffer>);

impl Buffers {
    /// Their number.
    pub fn count(&self) -> u64 {
        self.0.len() as u64
    }

    /// The number of buffers that begin at or before byte `from`.
    fn place(&self, from: u64) -> usize {
        self.0.partition_point(|buffer| buffer.from <= from)
    }

    /// Whether a segment would be added to a buffer.
    pub fn takes(&self, from: u64, to: u64) -> bool {
        self.place(from).checked_sub(1).is_some_and(|before| self.0[before].takes(&Buffer::of(from, to)))
    }

    /// A segment waits that has not come before.
    pub fn add(&mut self, from: u64, to: u64) {
        let (new, place) = (Buffer::of(from, to), self.place(from));
        match place.checked_sub(1).map(|before| &mut self.0[before]) {
            Some(before) if before.takes(&new) => before.add(&new),
            Some(before) if before.to >= to => {}
            _ => self.0.insert(place, new),
        }
    }

    /// The segment `from..to` has come in order. With those that waited for it all bytes before `next` are in order.
    pub fn release(&mut self, from: u64, to: u64, next: u64) -> Released {
        let mut last = Buffer::of(from, to);
        let (mut first, mut buffers) = (None, 1);
        let released = self.0.partition_point(|buffer| buffer.from < next);
        for buffer in self.0.drain(..released).filter(|buffer| buffer.to > to) {
            if last.takes(&buffer) {
                last.add(&buffer);
            } else {
                first.get_or_insert(last.to);
                last = buffer;
                buffers += 1;
            }
        }
        Released { first: first.unwrap_or(last.to), buffers }
    }
}

/// The buffers that the application will read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Released {
    /// The byte behind the first of them.
    pub first: u64,
    /// Their number.
    pub buffers: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1448;

    /// Segments of these numbers wait.
    fn waiting(numbers: impl IntoIterator<Item = u64>) -> Buffers {
        let mut buffers = Buffers::default();
        for number in numbers {
            buffers.add(number * MSS, (number + 1) * MSS);
        }
        buffers
    }

    #[test]
    fn a_buffer_has_at_most_seventeen_pieces_of_memory() {
        // Segment 22 is on two of them: 32768 bytes are 22.6 segments.
        assert_eq!(waiting(1..18).count(), 1);
        assert_eq!(waiting(1..19).count(), 2);
        assert_eq!(waiting(20..36).count(), 1);
        assert_eq!(waiting(20..37).count(), 2);
    }

    #[test]
    fn a_segment_is_added_to_what_is_before_it_only() {
        assert_eq!(waiting([1, 2, 5, 6, 4, 3]).count(), 3, "4 begins a buffer, and 3 ends the first one");
        assert_eq!(waiting([3, 2, 1]).count(), 3);
        assert_eq!(waiting([1, 2, 3, 2]).count(), 1, "2 has come before");
    }

    #[test]
    fn the_application_reads_what_fits_into_one_buffer_first() {
        let mut few = waiting(1..17);
        assert_eq!(few.release(0, MSS, 17 * MSS), Released { first: 17 * MSS, buffers: 1 });
        assert_eq!(few.count(), 0);
        let mut many = waiting(1..40);
        assert_eq!(many.release(0, MSS, 40 * MSS), Released { first: MSS, buffers: 4 }, "the next buffer is full");
        let mut holes = waiting([1, 2, 4, 5]);
        assert_eq!(holes.release(0, MSS, 3 * MSS).first, 3 * MSS);
        assert_eq!(holes.count(), 1);
        assert_eq!(holes.release(3 * MSS, 4 * MSS, 6 * MSS).first, 6 * MSS);
    }
}
