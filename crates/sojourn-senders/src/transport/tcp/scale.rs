//! The scale of the receiver's window (RFC 7323 section 2): how 16 bits of an acknowledgement tell a window of up to 1 GiB. Both ends know
//! it from the handshake. It is the one that Linux takes for the largest buffer.

/// The bytes of a buffer, the receiver's or the sender's, that a packet takes besides its payload.
pub(super) const OVERHEAD: u64 = 832;

/// The receiver's buffer at the beginning (Linux's `tcp_rmem`).
pub(super) const RECEIVE_BUFFER: u64 = 131_072;
/// The largest buffer that a program may ask for in Linux (`rmem_max`).
const RMEM_MAX: u64 = 212_992;
/// The most payload of a packet that a device gets (Linux's `sk_gso_max_size`): 64 KiB less room for headers.
pub(super) const DEVICE: u64 = 65_343;

/// The window that the answer to a SYN offers, if the buffer has at most `most` bytes: the half of it, in whole segments of `mss` bytes
/// (Linux `tcp_select_initial_window`).
pub(super) fn first_window(mss: u64, most: u64) -> u64 {
    let half = RECEIVE_BUFFER.min(largest(mss, most)) / 2;
    if half > mss { half / mss * mss } else { half }
}

/// The most segments of a packet that a device gets.
pub(super) fn most_segments(mss: u64) -> u64 {
    (DEVICE / mss).max(1)
}

/// The largest buffer of a receiver whose buffer has `most` bytes at most: it has room for at least one segment of `mss` bytes.
pub(super) fn largest(mss: u64, most: u64) -> u64 {
    most.max(2 * (mss + OVERHEAD))
}

/// The scale for such a buffer. A program could ask for one of `RMEM_MAX` bytes.
pub(super) fn of_largest(largest: u64) -> u32 {
    largest.max(RMEM_MAX).ilog2().saturating_sub(15).min(14)
}

/// The bytes of a window that such a receiver offers.
pub(super) fn bytes(offered: u16, mss: u64, most: u64) -> u64 {
    u64::from(offered) << of_largest(largest(mss, most))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_fit_into_the_first_window_and_into_a_packet() {
        // With MTUs of 1500, 576 and 9000 bytes. The buffer of a receiver may be smaller.
        assert_eq!([1448, 524, 8948].map(|mss| first_window(mss, 6_291_456)), [65_160, 65_500, 62_636]);
        assert_eq!([first_window(1448, 90_000), first_window(60_000, 90_000)], [44_888, 60_000]);
        assert_eq!([1448, 524, 8948, 65_343, 65_500].map(most_segments), [45, 124, 7, 1, 1]);
    }

    #[test]
    fn a_larger_buffer_has_a_larger_scale() {
        let of = |most| of_largest(largest(1448, most));
        assert_eq!([6_291_456, 1 << 30, 4096].map(of), [7, 14, 2]);
        assert_eq!([bytes(501, 1448, 6_291_456), bytes(1024, 1448, 4096)], [64_128, 4096]);
    }
}
