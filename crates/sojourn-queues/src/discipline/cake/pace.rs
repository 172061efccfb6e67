//! The time that bytes take at a rate, in the kernel's numbers: nanoseconds per byte with 34 bits, and how many of them are behind the
//! point. Linux 6.12 `sch_cake`.

use crate::units::Duration;

/// The least rate, in bytes per second.
const LEAST: u64 = 64;
/// Bits of the time per byte.
const BITS: u32 = 34;

/// The time per byte; that of no rate is zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pace {
    ns: u64,
    shift: u32,
}

impl Pace {
    /// The pace of a rate in bytes per second; 0 is no rate.
    pub fn of(rate: u64) -> Self {
        if rate == 0 {
            return Pace::default();
        }
        let (mut ns, mut shift) = ((1_000_000_000_u64 << BITS) / rate.max(LEAST), BITS);
        while ns >> BITS > 0 {
            ns >>= 1;
            shift -= 1;
        }
        Pace { ns, shift }
    }

    /// Whether there is a rate.
    pub const fn is_some(self) -> bool {
        self.ns > 0
    }

    /// The nanoseconds that a number of bytes takes.
    #[inline]
    pub const fn take(self, bytes: u32) -> u64 {
        (bytes as u64).wrapping_mul(self.ns) >> self.shift
    }
}

/// Quantum of a flow at a rate in bytes per second: the bytes that the rate sends in a 4096th of a second, 300 to 1514 bytes; 1514 without
/// a rate.
pub fn flow_quantum(rate: u64) -> u16 {
    if rate == 0 { 1514 } else { (rate >> 12).clamp(300, 1514) as u16 }
}

/// Target and interval of COBALT, which are not below 1.5 transmissions of an MTU and twice the target, and the time that an MTU takes.
pub fn spans(pace: Pace, mtu: u32, target: u64, interval: u64) -> (Duration, Duration, Duration) {
    let transmission = pace.take(mtu);
    let longer = (transmission * 3 / 2).max(target);
    let interval = (interval + longer - target).max(longer * 2);
    (Duration::from_nanos(longer), Duration::from_nanos(interval), Duration::from_nanos(transmission))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_take_their_time_but_for_the_last_bits() {
        for rate in [64_u64, 1000, 125_000, 1_250_000, 125_000_000, 12_500_000_000] {
            for bytes in [1_u32, 64, 1514, 65_000] {
                let exact = f64::from(bytes) * 1e9 / rate as f64;
                let found = Pace::of(rate).take(bytes) as f64;
                assert!(found <= exact && exact - found < 1.0 + exact * 1e-9, "{rate} {bytes}: {found} for {exact}");
            }
        }
        assert_eq!(
            (Pace::of(0).take(1514), Pace::of(1).take(64)),
            (0, 1_000_000_000),
            "64 bytes per second are the least"
        );
    }

    #[test]
    fn a_slow_link_has_a_longer_target() {
        let micros = |(target, interval, mtu): (Duration, Duration, Duration)| {
            [target, interval, mtu].map(|span| (span.as_secs_f64() * 1e6).round() as u64)
        };
        // 1514 bytes take 12.112 ms at 1 Mbit/s: a target of 18.168, an interval of 100 + 13.168.
        assert_eq!(micros(spans(Pace::of(125_000), 1514, 5_000_000, 100_000_000)), [18_168, 113_168, 12_112]);
        // At 100 kbit/s twice the target is more: 2 * 181.68.
        assert_eq!(micros(spans(Pace::of(12_500), 1514, 5_000_000, 100_000_000)), [181_680, 363_360, 121_120]);
        assert_eq!(micros(spans(Pace::of(1_250_000), 1514, 5_000_000, 100_000_000)), [5_000, 100_000, 1_211]);
    }

    #[test]
    fn a_flows_quantum_goes_with_the_rate() {
        assert_eq!([0, 1_000, 1_250_000, 2_500_000, 1 << 30].map(flow_quantum), [1514, 300, 305, 610, 1514]);
    }
}
