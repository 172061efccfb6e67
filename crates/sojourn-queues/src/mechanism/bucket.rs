//! A bucket of tokens: the amount that may be sent at once after a pause, and the rate at which it fills. It uses whole numbers, so that a
//! packet with just enough tokens differs from one that comes a nanosecond early.

use crate::units::{Bytes, Duration, Instant, Rate};

/// The tokens of a byte: tokens are bits times nanoseconds per second, so that each nanosecond brings as many as the rate has bits.
const BYTE: i128 = 8 * 1_000_000_000;

/// A bucket that was full at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenBucket {
    /// Tokens for each nanosecond.
    rate: i128,
    depth: i128,
    tokens: i128,
    at: Instant,
}

impl TokenBucket {
    /// Filled at `rate` up to `burst`.
    pub fn new(rate: Rate, burst: Bytes) -> Self {
        let depth = i128::from(burst.0) * BYTE;
        TokenBucket { rate: i128::from(rate.as_bps()), depth, tokens: depth, at: Instant::ZERO }
    }

    /// Whether there are tokens for `bytes`.
    pub fn has(&mut self, now: Instant, bytes: u32) -> bool {
        self.fill(now);
        self.tokens >= i128::from(bytes) * BYTE
    }

    /// Takes tokens for `bytes`; there may be less than none then.
    pub fn take(&mut self, now: Instant, bytes: u32) {
        self.fill(now);
        self.tokens -= i128::from(bytes) * BYTE;
    }

    /// When there are tokens for `bytes`, or the bucket is full, if nothing is taken until then; `None` if that is more than 10^9
    /// seconds away.
    pub fn ready(&mut self, now: Instant, bytes: u32) -> Option<Instant> {
        const FOREVER: i128 = 1_000_000_000_000_000_000;
        self.fill(now);
        let missing = (i128::from(bytes) * BYTE).min(self.depth) - self.tokens;
        if missing <= 0 {
            return Some(now);
        }
        let wait = if self.rate == 0 { FOREVER } else { (missing + self.rate - 1) / self.rate };
        (wait < FOREVER).then(|| now + Duration::from_nanos(wait as u64))
    }

    /// Tokens in bytes, below zero if more was taken than there was.
    pub fn bytes(&self) -> f64 {
        self.tokens as f64 / BYTE as f64
    }

    fn fill(&mut self, now: Instant) {
        let elapsed = i128::from(now.since(self.at).as_nanos());
        self.tokens = (self.tokens + elapsed * self.rate).min(self.depth);
        self.at = now;
    }
}

/// The time that bytes take at a rate, as Linux computes it: a product and a shift.
#[derive(Clone, Copy, Debug)]
pub struct PerByte {
    factor: u64,
    shift: u32,
}

impl PerByte {
    /// At `rate`. The factor has 32 bits, as far as 64 suffice for the division by which it is found.
    pub fn new(rate: Rate) -> Self {
        let bytes_per_second = (rate.as_bps() / 8).max(1);
        let (mut nanos, mut shift) = (1_000_000_000_u64, 0);
        loop {
            let factor = (nanos / bytes_per_second) & u64::from(u32::MAX);
            if factor >> 31 & 1 == 1 || nanos >> 63 == 1 {
                return PerByte { factor, shift };
            }
            nanos <<= 1;
            shift += 1;
        }
    }

    /// The nanoseconds that `bytes` bytes take.
    pub fn nanos(self, bytes: u32) -> i64 {
        ((u64::from(bytes) * self.factor) >> self.shift) as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_takes_its_time_to_nine_digits() {
        // 10 Mbit/s: 800 ns for a byte. 1 Gbit/s: 8 ns. 7 Mbit/s: 8/7 us.
        assert_eq!(PerByte::new(Rate::from_bps(10_000_000)).nanos(1514), 1_211_200);
        assert_eq!(PerByte::new(Rate::from_bps(1_000_000_000)).nanos(1514), 12_112);
        assert_eq!(PerByte::new(Rate::from_bps(7_000_000)).nanos(1514), 1_730_285);
    }

    #[test]
    fn tokens_come_to_the_nanosecond() {
        // 8 Mbit/s: a byte each microsecond.
        let mut bucket = TokenBucket::new(Rate::from_bps(8_000_000), Bytes(3000));
        let at = Instant::from_nanos;
        assert!(bucket.has(at(0), 3000) && !bucket.has(at(0), 3001), "it starts full");
        bucket.take(at(0), 3000);
        assert_eq!(bucket.ready(at(0), 1000), Some(at(1_000_000)));
        assert!(!bucket.has(at(999_999), 1000) && bucket.has(at(1_000_000), 1000));
        bucket.take(at(1_000_000), 1500);
        assert!((bucket.bytes() + 500.0).abs() < 1e-9);
        // No more than its depth gathers, and it is ready for more than its depth when it is full.
        assert!(!bucket.has(at(10_000_000_000), 3001) && bucket.has(at(10_000_000_000), 3000));
        assert_eq!(bucket.ready(at(10_000_000_000), 9000), Some(at(10_000_000_000)));
    }

    #[test]
    fn a_wait_is_rounded_up() {
        // 3 bit/s: a byte takes 8/3 s.
        let mut bucket = TokenBucket::new(Rate::from_bps(3), Bytes(1));
        bucket.take(Instant::ZERO, 1);
        let ready = bucket.ready(Instant::ZERO, 1).expect("some time");
        assert_eq!(ready, Instant::from_nanos(2_666_666_667));
        assert!(bucket.has(ready, 1));
    }
}
