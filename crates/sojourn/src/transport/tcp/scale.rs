//! The scale of the receiver's window (RFC 7323 section 2): how 16 bits of an acknowledgement tell a window of up to 1 GiB. Both ends know
//! it from the handshake. It is the one that Linux takes for the largest buffer.

/// The bytes of a buffer, the receiver's or the sender's, that a packet takes besides its payload.
pub(super) const OVERHEAD: u64 = 832;

/// The largest buffer of a receiver whose buffer has `most` bytes at most: it has room for at least one segment of `mss` bytes.
pub(super) fn largest(mss: u64, most: u64) -> u64 {
    most.max(2 * (mss + OVERHEAD))
}

/// The scale for such a buffer.
pub(super) fn of_largest(largest: u64) -> u32 {
    largest.ilog2().saturating_sub(15).min(14)
}

/// The bytes of a window that such a receiver offers.
pub(super) fn bytes(offered: u16, mss: u64, most: u64) -> u64 {
    u64::from(offered) << of_largest(largest(mss, most))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_larger_buffer_has_a_larger_scale() {
        let of = |most| of_largest(largest(1448, most));
        assert_eq!([6_291_456, 1 << 30, 4096].map(of), [7, 14, 0]);
        assert_eq!([bytes(501, 1448, 6_291_456), bytes(4096, 1448, 4096)], [64_128, 4096]);
    }
}
