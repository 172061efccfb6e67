//! Whole numbers on a scale that is linear within each octave, as in HdrHistogram: cells for counting, and floating-point numbers
//! of a few bits.
//!
//! With `FINE` = f, numbers below 2^(f+1) have a cell of their own; above, every octave has 2^f cells. A cell is at most 2^-f of its
//! numbers wide, and cells are numbered in the order of their numbers.

/// The cell that a number belongs to.
#[inline(always)]
pub const fn cell<const FINE: u32>(number: u64) -> u64 {
    // How many of the low bits the cell leaves out.
    let coarse = (number | 1 << FINE).ilog2() - FINE;
    ((coarse as u64) << FINE) + (number >> coarse)
}

/// The least number in a cell, which must lie below 2^64, and how many bits the cell leaves out: it holds 2^that.
pub const fn least<const FINE: u32>(cell: u64) -> (u64, u32) {
    if cell < 2 << FINE {
        return (cell, 0);
    }
    let coarse = (cell >> FINE) - 1;
    ((cell - (coarse << FINE)) << coarse, coarse as u32)
}

/// The cell whose least number is nearest to a number of at most 2^63, right to 2^-(f+1) of it; the greater of two.
pub const fn nearest<const FINE: u32>(number: u64) -> u64 {
    let (_, coarse) = least::<FINE>(cell::<FINE>(number));
    cell::<FINE>(number + ((1 << coarse) >> 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_follow_each_other_without_a_gap() {
        let mut next = 0;
        for number in 0..4000 {
            let (low, coarse) = least::<7>(number);
            let high = low + (1 << coarse) - 1;
            assert_eq!(low, next, "cell {number}");
            assert_eq!((cell::<7>(low), cell::<7>(high)), (number, number));
            // 1/128 of its numbers wide, or one.
            assert!((high + 1 - low) * 128 <= low.max(128), "cell {number}");
            next = high + 1;
        }
    }

    #[test]
    fn the_nearest_cell_is_right_to_half_its_width() {
        // Of three bits behind the first: 8 to 15 and below exactly, then by 2 (16, 18 ...), by 4 (32, 36 ...).
        let rounded = |number| least::<3>(nearest::<3>(number)).0;
        assert_eq!([0, 1, 15, 16, 17, 18, 31, 33, 34, 61, 62].map(rounded), [0, 1, 15, 16, 18, 18, 32, 32, 36, 60, 64]);
        for bit in 0..63 {
            assert_eq!(rounded(1 << bit), 1 << bit);
        }
    }
}
