//! Serialisation of packets at a rate that is exact in the long run.

use crate::units::{Duration, Rate};

const BIT_NANOS_PER_BYTE: u64 = 8 * 1_000_000_000;

/// The rate of a transmitter that takes no time.
pub const INSTANT: Rate = Rate::from_bps(u64::MAX);

/// Time to send packets at a rate. The part of a nanosecond that is left over is carried to the next
/// packet, so that the long-run rate has no rounding error.
#[derive(Clone, Debug)]
pub struct Transmitter {
    rate: u64,
    carry: u64,
    // Most packets are as large as the one before: a division is spared.
    last_size: u32,
    quotient: u64,
    remainder: u64,
}

impl Transmitter {
    /// At `rate`, with nothing carried.
    pub fn new(rate: Rate) -> Self {
        Transmitter { rate: rate.as_bps(), carry: 0, last_size: 0, quotient: 0, remainder: 0 }
    }

    /// Time that the next packet takes, `size` being its bytes on the wire (up to 2^31).
    #[inline(always)]
    pub fn send(&mut self, size: u32) -> Duration {
        if size != self.last_size {
            if self.rate == INSTANT.as_bps() {
                return Duration::ZERO;
            }
            self.divide(size);
        }
        self.carry += self.remainder;
        let mut nanos = self.quotient;
        if self.carry >= self.rate {
            self.carry -= self.rate;
            nanos += 1;
        }
        Duration::from_nanos(nanos)
    }

    #[cold]
    fn divide(&mut self, size: u32) {
        let work = u64::from(size) * BIT_NANOS_PER_BYTE;
        self.last_size = size;
        self.quotient = work / self.rate;
        self.remainder = work % self.rate;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_third_of_a_nanosecond_is_not_lost() {
        // 1 byte at 24 Gbit/s is a third of a nanosecond: three take one.
        let mut transmitter = Transmitter::new(Rate::from_bps(24_000_000_000));

        let times: Vec<u64> = (0..6).map(|_| transmitter.send(1).as_nanos()).collect();

        assert_eq!(times, [0, 0, 1, 0, 0, 1]);
    }

    #[test]
    fn an_instant_takes_no_time_however_often() {
        let mut transmitter = Transmitter::new(INSTANT);
        assert!((0..1_000_000).all(|_| transmitter.send(1 << 30) == Duration::ZERO));
    }

    #[test]
    fn the_long_run_rate_is_exact_over_mixed_sizes() {
        let rate = 1_500_007;
        let mut transmitter = Transmitter::new(Rate::from_bps(rate));
        let sizes = [1500, 40, 40, 576];

        let total: u64 = (0..4 * 10_000).map(|i| transmitter.send(sizes[i % 4]).as_nanos()).sum();

        let exact = 10_000 * 2156 * u128::from(BIT_NANOS_PER_BYTE) / u128::from(rate);
        assert_eq!(u128::from(total), exact);
    }
}
