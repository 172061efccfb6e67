//! The physical layers of IEEE 802.11: how long frames and the gaps between them take. Specification: IEEE Std
//! 802.11-2012, clauses 17 (HR/DSSS, 802.11b), 18 (OFDM, 802.11a) and 19 (ERP, 802.11g).
//! Compared with: ns-3's constants, and the tables of others (docs/wireless.md).
//!
//! | | 802.11b | 802.11a | 802.11g |
//! |---|---|---|---|
//! | slot | 20 us | 9 us | 9 us (short slots: no 802.11b station is near) |
//! | SIFS | 10 us | 16 us | 10 us |
//! | CWmin, CWmax | 31, 1023 | 15, 1023 | 15, 1023 |
//! | preamble and header | 192 us, or 96 us if short | 20 us | 20 us, and 6 us of silence after the frame |
//! | rates, Mbit/s | 1, 2, 5.5, 11 | 6, 9, 12, 18, 24, 36, 48, 54 | as 802.11a |

use crate::choices;
use crate::units::{Duration, Rate};

choices! {
    /// A physical layer.
    pub enum Standard {
        /// OFDM at 5 GHz.
        A = "802.11a",
        /// HR/DSSS at 2.4 GHz.
        B = "802.11b",
        /// OFDM at 2.4 GHz, without protection of 802.11b stations.
        G = "802.11g",
    }
}

choices! {
    /// The preamble before each frame of HR/DSSS.
    pub enum Preamble {
        /// 144 + 48 us, which every station understands.
        Long = "long",
        /// 72 + 24 us, for frames of 2 Mbit/s and more.
        Short = "short",
    }
}

/// Bytes of an ACK frame: 8.3.1.4.
pub const ACK_BYTES: u32 = 14;

/// Bytes of an RTS frame: 8.3.1.2.
pub const RTS_BYTES: u32 = 20;

/// Bytes of a CTS frame: 8.3.1.3.
pub const CTS_BYTES: u32 = 14;

/// CWmax of all three: tables of PHY characteristics, 17.3, 18.4.4 and 19.8.4.
const CW_MAX: u32 = 1023;

const DSSS_RATES: &[u64] = &[1_000_000, 2_000_000, 5_500_000, 11_000_000];
const OFDM_RATES: &[u64] =
    &[6_000_000, 9_000_000, 12_000_000, 18_000_000, 24_000_000, 36_000_000, 48_000_000, 54_000_000];

/// A physical layer with its options.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Phy {
    /// The standard whose times these are.
    pub standard: Standard,
    /// The preamble before a frame; OFDM has one kind only.
    pub preamble: Preamble,
}

impl Standard {
    /// The rates of data frames in bit/s: clauses 17, 18 and 19.
    pub const fn rates(self) -> &'static [u64] {
        match self {
            Standard::B => DSSS_RATES,
            Standard::A | Standard::G => OFDM_RATES,
        }
    }

    /// The rates that every station understands: those of clause 16, and the mandatory ones of clause 18.
    const fn basic_rates(self) -> &'static [u64] {
        match self {
            Standard::B => &[1_000_000, 2_000_000],
            Standard::A | Standard::G => &[6_000_000, 12_000_000, 24_000_000],
        }
    }

    /// aSlotTime: 17.3, 18.4.4, 19.8.4.
    pub const fn slot(self) -> Duration {
        match self {
            Standard::B => Duration::from_micros(20),
            Standard::A | Standard::G => Duration::from_micros(9),
        }
    }

    /// aSIFSTime: 17.3, 18.4.4, 19.8.4.
    pub const fn sifs(self) -> Duration {
        match self {
            Standard::A => Duration::from_micros(16),
            Standard::B | Standard::G => Duration::from_micros(10),
        }
    }

    /// DIFS = SIFS + 2 slots: 9.3.7.
    pub fn difs(self) -> Duration {
        self.sifs() + self.slot() * 2
    }

    /// aCWmin and aCWmax: 17.3, 18.4.4, 19.8.4.
    pub const fn windows(self) -> (u32, u32) {
        match self {
            Standard::B => (31, CW_MAX),
            Standard::A | Standard::G => (15, CW_MAX),
        }
    }
}

impl Phy {
    /// Time that a frame of `bytes` takes in the air at `rate`, with all that is before it.
    pub fn airtime(&self, bytes: u32, rate: Rate) -> Duration {
        let (bits, bps) = (8 * u64::from(bytes), rate.as_bps());
        match self.standard {
            Standard::B => {
                // A short preamble is not for 1 Mbit/s: 17.2.2.3.
                let short = self.preamble == Preamble::Short && bps > DSSS_RATES[0];
                let before = if short { 72 + 24 } else { 144 + 48 };
                // TXTIME = preamble + PLCP header + ceil(8 LENGTH / DATARATE) in microseconds: 17.3.4.
                Duration::from_micros(before + (bits * 1_000_000).div_ceil(bps))
            }
            Standard::A | Standard::G => {
                // TXTIME = 16 + 4 + 4 ceil((16 + 8 LENGTH + 6) / N_DBPS) in microseconds, N_DBPS = 4 us * rate: 18.4.3.
                let symbols = ((16 + bits + 6) * 250_000).div_ceil(bps);
                // aSignalExtension: 9.3.8.
                let after = if self.standard == Standard::G { 6 } else { 0 };
                Duration::from_micros(16 + 4 + 4 * symbols + after)
            }
        }
    }

    /// The rate of the ACK to a frame at `rate`: the highest basic rate that is not above it (9.7.6.5.2), where the
    /// basic rate is not set.
    pub fn ack_rate(&self, rate: Rate, basic: Option<Rate>) -> Rate {
        if let Some(basic) = basic {
            return basic.min(rate);
        }
        let known = self.standard.basic_rates();
        Rate::from_bps(known.iter().rev().copied().find(|&each| each <= rate.as_bps()).unwrap_or(known[0]))
    }

    /// The time of an ACK at the lowest mandatory rate, for which a station leaves room that understood nothing: 9.3.2.3.
    pub fn slowest_ack(&self) -> Duration {
        self.airtime(ACK_BYTES, Rate::from_bps(self.standard.rates()[0]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phy(standard: Standard, preamble: Preamble) -> Phy {
        Phy { standard, preamble }
    }

    fn mbit(rate: f64) -> Rate {
        Rate::from_bps((rate * 1e6) as u64)
    }

    #[test]
    fn a_frame_of_802_11b_takes_its_preamble_and_its_bits_rounded_up() {
        let long = phy(Standard::B, Preamble::Long);
        // 1536 bytes at 11 Mbit/s: 1117.09 us. An ACK: 112 us at 1 Mbit/s, 56 at 2.
        assert_eq!(long.airtime(1536, mbit(11.0)), Duration::from_micros(192 + 1118));
        assert_eq!(long.airtime(ACK_BYTES, mbit(1.0)), Duration::from_micros(304));
        let short = phy(Standard::B, Preamble::Short);
        assert_eq!(short.airtime(ACK_BYTES, mbit(2.0)), Duration::from_micros(96 + 56));
        assert_eq!(short.airtime(ACK_BYTES, mbit(1.0)), Duration::from_micros(304));
    }

    #[test]
    fn a_frame_of_ofdm_takes_whole_symbols() {
        let (a, g) = (phy(Standard::A, Preamble::Long), phy(Standard::G, Preamble::Long));
        // 22 + 8 * 1536 = 12310 bits in symbols of 216: 57. An ACK has 134 bits: 2 symbols of 96, 6 of 24.
        assert_eq!(a.airtime(1536, mbit(54.0)), Duration::from_micros(20 + 4 * 57));
        assert_eq!(g.airtime(1536, mbit(54.0)), Duration::from_micros(20 + 4 * 57 + 6));
        // The well-known 28 us and 44 us of 802.11a.
        assert_eq!(a.airtime(ACK_BYTES, mbit(24.0)), Duration::from_micros(28));
        assert_eq!(a.slowest_ack(), Duration::from_micros(44));
    }

    #[test]
    fn an_ack_goes_at_the_highest_basic_rate_below_its_frame() {
        let (b, g) = (phy(Standard::B, Preamble::Long), phy(Standard::G, Preamble::Long));
        let rates = |phy: Phy, rates: &[f64]| -> Vec<u64> {
            rates.iter().map(|&rate| phy.ack_rate(mbit(rate), None).as_bps() / 1_000_000).collect()
        };
        assert_eq!(rates(b, &[1.0, 2.0, 5.5, 11.0]), [1, 2, 2, 2]);
        assert_eq!(rates(g, &[6.0, 9.0, 12.0, 18.0, 24.0, 54.0]), [6, 6, 12, 12, 24, 24]);
        assert_eq!(b.ack_rate(mbit(11.0), Some(mbit(1.0))), mbit(1.0));
    }
}
