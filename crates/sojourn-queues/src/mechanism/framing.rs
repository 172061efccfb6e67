//! The bytes of a packet on a link below IP: headers of frames, a least size, and cells. Specification: AAL5 (ITU-T I.363.5:
//! cells of 53 bytes carry 48), IEEE 802.3 clause 61 (PTM: 65 bytes carry 64). Behaviour as Linux's `tc`: overhead first,
//! then the least size, then cells.

use crate::units::Bytes;
use crate::{choices, params};

choices! {
    /// How a frame is cut.
    pub enum Cells {
        /// Not at all.
        None = "none",
        /// In cells of 53 bytes, of which 48 carry the frame (ADSL).
        Atm = "atm",
        /// In blocks of 64 bytes, each with one more (VDSL2).
        Ptm = "ptm",
    }
}

params! {
    /// The bytes of a packet on the line beyond its own.
    pub struct Framing {
        /// Bytes that the line adds to each packet: headers of frames, preambles, trailers.
        overhead: Bytes = "0B" in [0.0, 1000.0], "tc's stab: none";
        /// Least bytes of a packet with its overhead.
        mpu: Bytes = "0B" in [0.0, 10000.0], "tc's stab: none";
        /// Cells in which the line carries frames.
        cells: Cells = "none", "tc's stab: linklayer ethernet";
    }
}

impl Framing {
    /// Whether a packet takes its own bytes only.
    pub fn is_none(&self) -> bool {
        self.overhead.0 == 0 && self.mpu.0 == 0 && self.cells == Cells::None
    }

    /// Bytes of a packet of `size` bytes on the line.
    pub fn framed(&self, size: u32) -> u32 {
        Line { overhead: self.overhead.0 as i64, mpu: self.mpu.0 as i64, cells: self.cells }.bytes(size)
    }
}

/// A line: its overhead, its least size, and its cells. The overhead may be negative where sizes have headers that the line does
/// not carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// Bytes that are added to a packet.
    pub overhead: i64,
    /// No packet takes fewer.
    pub mpu: i64,
    /// How the frame with its overhead is cut.
    pub cells: Cells,
}

impl Line {
    /// Bytes that a packet of `size` bytes takes.
    ///
    /// ```text
    /// n = max(size + overhead, mpu)      atm: 53 ceil(n / 48)      ptm: n + ceil(n / 64)
    /// ```
    #[inline]
    pub fn bytes(self, size: u32) -> u32 {
        let bytes = (i64::from(size) + self.overhead).max(self.mpu).max(0) as u32;
        match self.cells {
            Cells::None => bytes,
            Cells::Atm => bytes.div_ceil(48) * 53,
            Cells::Ptm => bytes + bytes.div_ceil(64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framing(overhead: u64, mpu: u64, cells: Cells) -> Framing {
        Framing { overhead: Bytes(overhead), mpu: Bytes(mpu), cells }
    }

    #[test]
    fn cells_are_full_whatever_is_in_them() {
        // Routed packets over LLC/SNAP and AAL5 (RFC 2684): 8 + 8 bytes. With these 32 bytes fill a cell, and 33 do not fit.

        let atm = framing(16, 0, Cells::Atm);
        assert_eq!([32, 33, 40, 1500].map(|size| atm.framed(size)), [53, 2 * 53, 2 * 53, 32 * 53]);
        // 1500 bytes over PTM: 1500 + 24 = 1524.
        assert_eq!([64, 65, 1500].map(|size| framing(0, 0, Cells::Ptm).framed(size)), [65, 67, 1524]);
    }

    #[test]
    fn the_least_size_counts_the_overhead() {
        // Ethernet on the wire: 38 bytes of preamble, header, trailer and gap; a packet of 46 bytes or fewer takes 84.
        let wire = framing(38, 84, Cells::None);
        assert_eq!([1, 46, 47, 1500].map(|size| wire.framed(size)), [84, 84, 85, 1538]);
        assert!(Framing::default().is_none() && !wire.is_none());
        assert_eq!(Framing::default().framed(1500), 1500);
    }
}
