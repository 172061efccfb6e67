//! Serialisation of packets at a rate that is exact in the long run.

use crate::units::{Duration, Rate};

const BIT_NANOS_PER_BYTE: u64 = 8 * 1_000_000_000;

/// The rate of a transmitter that takes no time.
pub const INSTANT: Rate = Rate::from_bps(u64::MAX);

/// Time to send packets at a rate. The part of a nanosecond that is left over is carried to the next
/// packet, so that the long-run rate has no rounding error.
#[derive(Clone, Debug)]
pub struct Transmitter {
    speed: Speed,
    carry: u64,
}

impl Transmitter {
    /// At `rate`, with nothing carried.
    pub fn new(rate: Rate) -> Self {
        Transmitter { speed: Speed::new(rate), carry: 0 }
    }

    /// Whether it is one of [`INSTANT`] rate: the discipline before it does the sending.
    #[inline]
    pub fn takes_no_time(&self) -> bool {
        self.speed.numerator == 0
    }

    /// Time that a packet takes, to the nanosecond below, whatever is carried.
    pub fn time(&self, size: u32) -> Duration {
        self.speed.time(size)
    }

    /// Time that the next packet takes, `size` being its bytes on the wire (less than 2^31).
    #[inline(always)]
    pub fn send(&mut self, size: u32) -> Duration {
        self.speed.send(size, &mut self.carry)
    }
}

/// The common record of transmitters with one rate: the time that a byte takes as a fraction in lowest terms, and the
/// inverse of its denominator, which spares a division for each packet.
#[derive(Clone, Debug)]
pub(super) struct Speed {
    numerator: u64,
    denominator: u64,
    /// 2^64 by the denominator, rounded down.
    inverse: u64,
}

impl Speed {
    pub fn new(rate: Rate) -> Self {
        let (numerator, denominator) = if rate == INSTANT {
            (0, 1)
        } else {
            let common = greatest_common_divisor(BIT_NANOS_PER_BYTE, rate.as_bps());
            (BIT_NANOS_PER_BYTE / common, rate.as_bps() / common)
        };
        Speed { numerator, denominator, inverse: u64::MAX / denominator }
    }

    /// The time that a packet takes if nothing is carried.
    pub fn time(&self, size: u32) -> Duration {
        self.send(size, &mut 0)
    }

    /// The time that the next packet takes. `carry` is the part of a nanosecond that is left over from the packets before, in units of one
    /// divided by the denominator.
    #[inline(always)]
    pub fn send(&self, size: u32, carry: &mut u64) -> Duration {
        if self.denominator == 1 {
            // Round rates take whole nanoseconds for a byte: nothing is ever carried.
            return Duration::from_nanos(u64::from(size) * self.numerator);
        }
        let work = u64::from(size) * self.numerator + *carry;
        // The inverse is too small by less than one in 2^64, so the quotient is right or too small by one.
        let mut nanos = ((u128::from(work) * u128::from(self.inverse)) >> 64) as u64;
        *carry = work - nanos * self.denominator;
        if *carry >= self.denominator {
            *carry -= self.denominator;
            nanos += 1;
        }
        Duration::from_nanos(nanos)
    }
}

fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
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
    fn whatever_the_rate_and_the_sizes_each_packet_ends_at_the_nanosecond_reached() {
        for rate in [1, 3, 999, 8_000, 1_000_003, 56_000, 10_000_000, 7_999_999_999, 8_000_000_001, 99_999_999_999_989]
        {
            let mut transmitter = Transmitter::new(Rate::from_bps(rate));
            let (mut sent, mut elapsed) = (0_u128, 0_u128);
            for size in [1, 40, 1500, 65_535, 52, 1 << 20, 9_000].repeat(50) {
                sent += u128::from(size) * u128::from(BIT_NANOS_PER_BYTE);
                elapsed += u128::from(transmitter.send(size).as_nanos());
                assert_eq!(elapsed, sent / u128::from(rate), "{rate} bit/s");
            }
        }
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
