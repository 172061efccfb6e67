//! The rate of a flow, which routers write into its packets for routers behind them (CSFQ, `aqm/csfq.rs`).

use crate::log_linear;

/// Bits behind the first that the label keeps.
const FINE: u32 = 10;
/// Higher rates are written as this one.
const MOST: f64 = 1e18;

/// A rate in bits per second in 16 bits: a floating-point number of 11 bits, right to 1/2048 (0.05 %) and half a bit per second.
/// The least rate that is not zero is 1 bit/s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct RateLabel(u16);

impl RateLabel {
    /// No router has written a rate.
    pub const NONE: RateLabel = RateLabel(0);

    /// The nearest label of a rate in bits per second; a rate above zero never gets the label of zero.
    pub fn of(bits_per_sec: f64) -> Self {
        if bits_per_sec <= 0.0 {
            return RateLabel::NONE;
        }
        let rounded = libm::round(bits_per_sec.min(MOST)) as u64;
        RateLabel(log_linear::nearest::<FINE>(rounded.max(1)) as u16)
    }

    /// In bits per second; 0 if none has been written.
    pub fn bits_per_sec(self) -> f64 {
        log_linear::least::<FINE>(self.0.into()).0 as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_right_to_a_twentieth_of_a_per_cent() {
        let mut rate = 1000.0;
        while rate < 1e18 {
            let read = RateLabel::of(rate).bits_per_sec();
            assert!((read - rate).abs() <= rate / 2048.0 + 0.5, "{rate}: {read}");
            rate *= 1.000_37;
        }
        // Eleven bits hold these.
        for exact in [1.0, 1000.0, 2047.0, 64e3, 1.024e6, 3.0 * 1_048_576.0] {
            assert!((RateLabel::of(exact).bits_per_sec() - exact).abs() < f64::EPSILON, "{exact}");
        }
    }

    #[test]
    fn only_no_rate_has_no_label() {
        assert_eq!([RateLabel::of(0.0), RateLabel::of(-1.0)], [RateLabel::NONE; 2]);
        assert_eq!([RateLabel::of(1e-3), RateLabel::of(1.4)], [RateLabel::of(1.0); 2]);
        assert_eq!(RateLabel::of(f64::INFINITY), RateLabel::of(1e18));
    }
}
