//! Quantities whose type is their unit. No bare number crosses a public function.
//!
//! Time is counted in whole nanoseconds (`u64`: 584 years), so that the clock never rounds and runs
//! are the same on every platform. Rates are whole bits per second with k = 1000.

use std::fmt;
use std::ops::{Add, AddAssign, Mul, Sub};

const NANOS_PER_SEC: f64 = 1e9;

/// A point of simulated time, in nanoseconds from the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(u64);

impl Instant {
    /// The start of the run.
    pub const ZERO: Instant = Instant(0);
    /// Later than everything.
    pub const MAX: Instant = Instant(u64::MAX);

    /// `nanos` nanoseconds after the start.
    pub const fn from_nanos(nanos: u64) -> Self {
        Instant(nanos)
    }

    /// `secs` seconds after the start, rounded to the nearest nanosecond; negative and NaN give zero.
    pub fn from_secs_f64(secs: f64) -> Self {
        Instant(Duration::from_secs_f64(secs).0)
    }

    /// Nanoseconds since the start.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Seconds since the start.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / NANOS_PER_SEC
    }

    /// Time from `earlier` to `self`; zero if `earlier` is later.
    pub const fn since(self, earlier: Instant) -> Duration {
        Duration(self.0.saturating_sub(earlier.0))
    }
}

impl Add<Duration> for Instant {
    type Output = Instant;
    fn add(self, rhs: Duration) -> Instant {
        Instant(self.0.saturating_add(rhs.0))
    }
}

impl AddAssign<Duration> for Instant {
    fn add_assign(&mut self, rhs: Duration) {
        *self = *self + rhs;
    }
}

impl Sub<Instant> for Instant {
    type Output = Duration;
    fn sub(self, rhs: Instant) -> Duration {
        debug_assert!(self >= rhs, "time went backwards");
        self.since(rhs)
    }
}

/// A span of simulated time, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duration(u64);

impl Duration {
    /// No time.
    pub const ZERO: Duration = Duration(0);
    /// Longer than everything.
    pub const MAX: Duration = Duration(u64::MAX);

    /// Whole nanoseconds.
    pub const fn from_nanos(nanos: u64) -> Self {
        Duration(nanos)
    }

    /// Whole microseconds.
    pub const fn from_micros(micros: u64) -> Self {
        Duration(micros * 1_000)
    }

    /// Whole milliseconds.
    pub const fn from_millis(millis: u64) -> Self {
        Duration(millis * 1_000_000)
    }

    /// Whole seconds.
    pub const fn from_secs(secs: u64) -> Self {
        Duration(secs * 1_000_000_000)
    }

    /// Seconds, rounded to the nearest nanosecond; negative and NaN give zero, huge saturates.
    #[inline]
    pub fn from_secs_f64(secs: f64) -> Self {
        Duration(rounded(secs * NANOS_PER_SEC))
    }

    /// Nanoseconds.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Seconds.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / NANOS_PER_SEC
    }

    /// Milliseconds.
    pub fn as_millis_f64(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// Scaled by a non-negative real factor, rounded to the nearest nanosecond.
    #[inline]
    #[must_use]
    pub fn mul_f64(self, factor: f64) -> Self {
        Duration(rounded(self.0 as f64 * factor))
    }

    /// Difference, or zero if `rhs` is longer.
    #[must_use]
    pub const fn saturating_sub(self, rhs: Duration) -> Duration {
        Duration(self.0.saturating_sub(rhs.0))
    }
}

/// The nearest whole number, of halves the greater one; negative and NaN give zero, huge saturates. The library's function goes over the
/// bits.
#[inline]
fn rounded(nanos: f64) -> u64 {
    let whole = nanos as u64;
    // Exact: numbers from 2^53 on have no fraction.
    whole.saturating_add(u64::from(nanos - whole as f64 >= 0.5))
}

impl Add for Duration {
    type Output = Duration;
    fn add(self, rhs: Duration) -> Duration {
        Duration(self.0.saturating_add(rhs.0))
    }
}

impl AddAssign for Duration {
    fn add_assign(&mut self, rhs: Duration) {
        *self = *self + rhs;
    }
}

impl Mul<u64> for Duration {
    type Output = Duration;
    fn mul(self, rhs: u64) -> Duration {
        Duration(self.0.saturating_mul(rhs))
    }
}

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (value, unit) = match self.0 {
            0 => (0.0, "s"),
            n if n < 1_000 => (n as f64, "ns"),
            n if n < 1_000_000 => (n as f64 / 1e3, "us"),
            n if n < 1_000_000_000 => (n as f64 / 1e6, "ms"),
            n => (n as f64 / 1e9, "s"),
        };
        write!(f, "{value}{unit}")
    }
}

/// A span of simulated time in units of 64 ns, in four bytes, as packets and endpoints report it to the statistics of a group. Up to 275 s;
/// a longer one counts as that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Coarse(u32);

impl Coarse {
    /// No time.
    pub const ZERO: Coarse = Coarse(0);
    /// A unit in seconds.
    pub const UNIT_SECS: f64 = 64e-9;

    /// The nearest whole number of units in a duration of at most 584 years.
    #[inline(always)]
    pub const fn round(duration: Duration) -> u64 {
        duration.0.wrapping_add(32) >> 6
    }

    /// A duration, rounded to the nearest unit.
    #[inline(always)]
    pub const fn of(duration: Duration) -> Self {
        let units = Coarse::round(duration);
        Coarse(if units > u32::MAX as u64 { u32::MAX } else { units as u32 })
    }

    /// Whole units.
    #[inline(always)]
    pub const fn units(self) -> u64 {
        self.0 as u64
    }

    /// Longer by a duration, which is rounded first.
    #[inline(always)]
    #[must_use]
    pub const fn plus(self, more: Duration) -> Self {
        let units = self.0 as u64 + Coarse::round(more);
        Coarse(if units > u32::MAX as u64 { u32::MAX } else { units as u32 })
    }
}

/// A rate in bits per second. Zero is not a rate: a link that is down is another thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate(u64);

impl Rate {
    /// Bits per second; the parser admits 1 bit/s to 100 Tbit/s.
    ///
    /// # Panics
    /// If `bits_per_sec` is zero.
    pub const fn from_bps(bits_per_sec: u64) -> Self {
        assert!(bits_per_sec > 0, "a rate is at least 1 bit/s");
        Rate(bits_per_sec)
    }

    /// Bits per second.
    pub const fn as_bps(self) -> u64 {
        self.0
    }

    /// Packets of `size` per second.
    pub fn packets_per_sec(self, size: Bytes) -> f64 {
        self.0 as f64 / (8.0 * size.0 as f64)
    }

    /// Time to send `size`, rounded to the nearest nanosecond. Links keep the remainder instead.
    pub fn time_to_send(self, size: Bytes) -> Duration {
        Duration::from_secs_f64(size.0 as f64 * 8.0 / self.0 as f64)
    }

    /// Bandwidth-delay product, rounded down to whole bytes.
    pub fn bdp(self, rtt: Duration) -> Bytes {
        Bytes((self.0 as f64 * rtt.as_secs_f64() / 8.0) as u64)
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bps = self.0;
        for (factor, unit) in
            [(1_000_000_000_000, "Tbit"), (1_000_000_000, "Gbit"), (1_000_000, "Mbit"), (1_000, "kbit")]
        {
            if bps >= factor && bps.is_multiple_of(factor / 1_000) {
                return write!(f, "{}{unit}", bps as f64 / factor as f64);
            }
        }
        write!(f, "{bps}bit")
    }
}

/// A number of bytes, headers included unless said otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(pub u64);

/// A number of packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Packets(pub u64);

/// An amount of queue as users write it: packets, bytes, bandwidth-delay products or time at the
/// link's rate. [`Size::packets`] and [`Size::bytes`] resolve it on a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Size {
    /// `"50p"`; thresholds may be fractional.
    Packets(f64),
    /// `"64KiB"`, `"1500B"`.
    Bytes(f64),
    /// `"2BDP"`: times link rate times base RTT.
    Bdp(f64),
    /// `"20ms"`: the bytes that the link sends in that time.
    Time(Duration),
}

impl Size {
    /// In packets of `mean_packet` on a link of `rate` and base round-trip time `base_rtt`.
    pub fn packets(self, rate: Rate, base_rtt: Duration, mean_packet: Bytes) -> f64 {
        match self {
            Size::Packets(n) => n,
            other => other.bytes(rate, base_rtt, mean_packet) / mean_packet.0 as f64,
        }
    }

    /// In bytes, a packet counting as `mean_packet`.
    pub fn bytes(self, rate: Rate, base_rtt: Duration, mean_packet: Bytes) -> f64 {
        match self {
            Size::Packets(n) => n * mean_packet.0 as f64,
            Size::Bytes(n) => n,
            Size::Bdp(n) => n * rate.as_bps() as f64 * base_rtt.as_secs_f64() / 8.0,
            Size::Time(t) => rate.as_bps() as f64 * t.as_secs_f64() / 8.0,
        }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Size::Packets(n) => write!(f, "{n}p"),
            Size::Bytes(n) => write!(f, "{n}B"),
            Size::Bdp(n) => write!(f, "{n}BDP"),
            Size::Time(t) => write!(f, "{t}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_print_in_the_largest_unit_below_them() {
        assert_eq!(Duration::from_millis(20).to_string(), "20ms");
        assert_eq!(Duration::from_micros(1500).to_string(), "1.5ms");
        assert_eq!(Duration::from_secs(2).to_string(), "2s");
    }

    #[test]
    fn times_are_rounded_as_by_the_library() {
        let any = (0..100_000_u64).map(|n| f64::from_bits(n.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        let halves = (0..1000_u64).map(|n| n as f64 / 2.0);
        let near = halves.flat_map(|half| [half.next_down(), half, half.next_up()]);
        let large = [2.0_f64.powi(52) - 0.5, 2.0_f64.powi(53), 2.0_f64.powi(64), f64::INFINITY];
        for nanos in any.chain(near).chain(large) {
            assert_eq!(rounded(nanos), libm::round(nanos) as u64, "{nanos}");
        }
    }

    #[test]
    fn rates_print_without_losing_a_bit() {
        assert_eq!(Rate::from_bps(1_500_000).to_string(), "1.5Mbit");
        assert_eq!(Rate::from_bps(10_000_001).to_string(), "10000.001kbit");
        assert_eq!(Rate::from_bps(999).to_string(), "999bit");
    }

    #[test]
    fn a_size_in_time_is_what_the_link_sends_in_it() {
        let rate = Rate::from_bps(8_000_000);
        let packets = Size::Time(Duration::from_millis(10)).packets(rate, Duration::ZERO, Bytes(1000));
        assert!((packets - 10.0).abs() < 1e-12);
    }

    #[test]
    fn coarse_durations_are_rounded_and_stop_at_the_longest() {
        let coarse = |nanos| Coarse::of(Duration::from_nanos(nanos)).units();
        assert_eq!([coarse(0), coarse(31), coarse(32), coarse(95), coarse(96)], [0, 0, 1, 1, 2]);
        let longest = Coarse::of(Duration::from_secs(300));
        assert_eq!((longest.units(), longest.plus(Duration::from_nanos(64))), (u64::from(u32::MAX), longest));
        assert_eq!(Coarse::ZERO.plus(Duration::from_nanos(96)).plus(Duration::from_nanos(31)).units(), 2);
    }
}
