//! A delay hint: the longest wait that an application wants for its packet. `transport/hint.rs` is the part of the transport. RED-Worcester
//! and RED-Boston use hints.

use std::num::NonZeroU16;

use crate::log_linear;
use crate::units::Duration;

/// Bits behind the first that the hint keeps.
const FINE: u32 = 11;

/// A delay hint in 16 bits: whole microseconds up to 4095 us, then a floating-point number of 12 bits, right to 1/4096 (0.025 %). All
/// whole milliseconds to 32 ms are exact, and their doubles, doubles of these and so on. At most 71 minutes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DelayHint(NonZeroU16);

impl DelayHint {
    /// The nearest hint; zero becomes one microsecond, the most urgent hint.
    pub fn new(delay: Duration) -> Self {
        let micros = u32::try_from(delay.as_nanos() / 1_000).unwrap_or(u32::MAX);
        let rounded = log_linear::nearest::<FINE>(micros.into()) as u16;
        DelayHint(NonZeroU16::new(rounded).unwrap_or(NonZeroU16::MIN))
    }

    /// The hint as a duration.
    pub fn as_duration(self) -> Duration {
        Duration::from_micros(log_linear::least::<FINE>(self.0.get().into()).0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(delay: Duration) -> u64 {
        DelayHint::new(delay).as_duration().as_nanos()
    }

    #[test]
    fn hints_of_the_works_and_their_steps_are_exact() {
        let exact = (1..=32).chain((3..=12).map(|n| 16 * n)).chain([40, 50, 60, 100]);
        for millis in exact {
            assert_eq!(read(Duration::from_millis(millis)), millis * 1_000_000, "{millis} ms");
        }
        assert_eq!([33, 4095].map(|n| read(Duration::from_micros(n))), [33_000, 4_095_000]);
    }

    #[test]
    fn other_hints_are_right_to_a_fortieth_of_a_per_cent() {
        for micros in (4_096..4_000_000).step_by(997) {
            let exact = micros as f64 * 1e3;
            assert!((read(Duration::from_micros(micros)) as f64 / exact - 1.0).abs() <= 1.0 / 4096.0, "{micros} us");
        }
        assert_eq!(read(Duration::ZERO), 1_000);
        assert_eq!(read(Duration::from_secs(1 << 30)), 1_000 << 32);
    }
}
