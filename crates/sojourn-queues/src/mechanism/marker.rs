//! Markers that colour the packets of a stream by its rates: the single rate three colour marker of RFC 2697 (srTCM), the two rate three
//! colour marker of RFC 2698 (trTCM), and one token bucket. Colours are drop precedences: green 1, yellow 2, red 3.

use crate::units::Instant;

/// The colour that a marker gives to a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Colour {
    /// Within the committed rate.
    Green,
    /// Beyond it, but within the additional allowance.
    Yellow,
    /// Beyond both.
    Red,
}

/// Rates and bursts of one stream; rates in bytes per second, bursts in bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Agreement {
    /// Committed information rate, CIR.
    pub committed: f64,
    /// Committed burst size, CBS.
    pub committed_burst: f64,
    /// Peak information rate, PIR, at least CIR; trTCM only.
    pub peak: f64,
    /// Excess burst size, EBS, of srTCM; peak burst size, PBS, of trTCM.
    pub other_burst: f64,
}

/// The rules by which packets are coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rules {
    /// One bucket: green or red.
    TokenBucket,
    /// RFC 2697.
    SingleRate,
    /// RFC 2698.
    TwoRates,
}

/// Two buckets; both start full (RFC 2697 section 3, RFC 2698 section 3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Marker {
    committed: f64,
    other: f64,
    at: Instant,
}

impl Marker {
    /// A marker whose buckets are full.
    pub fn new(agreement: &Agreement, now: Instant) -> Self {
        Marker { committed: agreement.committed_burst, other: agreement.other_burst, at: now }
    }

    /// Colours a packet of `size` bytes that had the colour `before`; a marker that is blind to colours is told green.
    pub fn mark(&mut self, now: Instant, size: u32, before: Colour, rules: Rules, agreement: &Agreement) -> Colour {
        self.fill(now.since(self.at).as_secs_f64(), rules, agreement);
        self.at = now;
        let size = f64::from(size);
        match rules {
            Rules::TokenBucket => {
                if before == Colour::Green && self.committed >= size {
                    self.committed -= size;
                    return Colour::Green;
                }
                Colour::Red
            }
            // RFC 2697 section 3: Tc for green, then Te for yellow.
            Rules::SingleRate => {
                if before == Colour::Green && self.committed >= size {
                    self.committed -= size;
                    Colour::Green
                } else if before != Colour::Red && self.other >= size {
                    self.other -= size;
                    Colour::Yellow
                } else {
                    Colour::Red
                }
            }
            // RFC 2698 section 3: a packet that exceeds the peak is red, and takes no tokens.
            Rules::TwoRates => {
                if before == Colour::Red || self.other < size {
                    return Colour::Red;
                }
                self.other -= size;
                if before == Colour::Yellow || self.committed < size {
                    return Colour::Yellow;
                }
                self.committed -= size;
                Colour::Green
            }
        }
    }

    /// The tokens that come in a span of time: of srTCM first into the committed bucket, and the overflow into the other.
    fn fill(&mut self, span: f64, rules: Rules, agreement: &Agreement) {
        let full = self.committed + agreement.committed * span;
        self.committed = full.min(agreement.committed_burst);
        match rules {
            Rules::TokenBucket => {}
            // The overflow comes first: a bucket that gets nothing stays as it is, to the last bit.
            Rules::SingleRate => self.other = (self.other + (full - self.committed)).min(agreement.other_burst),
            Rules::TwoRates => self.other = (self.other + agreement.peak * span).min(agreement.other_burst),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::at;

    /// 1000 bytes in a millisecond, twice that at the peak; bursts of 3000 and 2000 bytes.
    const AGREED: Agreement = Agreement { committed: 1e6, committed_burst: 3000.0, peak: 2e6, other_burst: 2000.0 };

    /// Colours of packets that come at these milliseconds with these bytes, blind to colours.
    fn colours(rules: Rules, packets: &[(f64, u32)]) -> String {
        let mut marker = Marker::new(&AGREED, at(0.0));
        let mut mark = |(millis, size): &(f64, u32)| match marker.mark(
            at(millis / 1000.0),
            *size,
            Colour::Green,
            rules,
            &AGREED,
        ) {
            Colour::Green => 'g',
            Colour::Yellow => 'y',
            Colour::Red => 'r',
        };
        packets.iter().map(&mut mark).collect()
    }

    #[test]
    fn a_single_rate_colours_by_two_bursts() {
        // At once: 3000 bytes green, 2000 yellow, then red.
        assert_eq!(colours(Rules::SingleRate, &[(0.0, 1000); 6]), "gggyyr");
        // A millisecond later 1000 bytes have come, into the committed bucket alone.
        let mut packets = vec![(0.0, 1000); 5];
        packets.extend([(1.0, 1000), (1.0, 1000), (1.5, 500), (1.5, 1)]);
        assert_eq!(colours(Rules::SingleRate, &packets), "gggyygrgr");
    }

    #[test]
    fn what_overflows_the_committed_bucket_fills_the_other() {
        // After the bursts four milliseconds bring 3000 and 1000 bytes.
        let mut packets = vec![(0.0, 1000); 5];
        packets.extend([(4.0, 1000); 5]);
        assert_eq!(colours(Rules::SingleRate, &packets), "gggyygggyr");
        // No more than both bursts ever gather.
        packets.truncate(5);
        packets.extend([(100.0, 1000); 6]);
        assert_eq!(colours(Rules::SingleRate, &packets), "gggyygggyyr");
    }

    #[test]
    fn a_bucket_that_gets_nothing_stays_as_full_as_it_was() {
        // Three packets use the committed burst, a fourth leaves 1000 bytes of the other; the next tokens go into the first.
        let mut marker = Marker::new(&AGREED, at(0.0));
        let mut mark = |seconds, size| marker.mark(at(seconds), size, Colour::Green, Rules::SingleRate, &AGREED);
        for _ in 0..4 {
            mark(0.0, 1000);
        }
        for n in 1..10 {
            assert_eq!(mark(f64::from(n) * 1.1e-5, 3000), Colour::Red);
        }
        assert!((marker.other - 1000.0).abs() <= 0.0, "{}", marker.other);
    }

    #[test]
    fn two_rates_colour_by_the_peak_first() {
        // The peak's burst of 2000 bytes ends the green ones before the committed 3000 are used up.
        assert_eq!(colours(Rules::TwoRates, &[(0.0, 1000); 3]), "ggr");
        // At the peak rate of 2000 bytes a millisecond: 3000 bytes green, then every second packet is.
        let paced: Vec<(f64, u32)> = (0..10).map(|n| (f64::from(n) * 0.5, 1000)).collect();
        assert_eq!(colours(Rules::TwoRates, &paced), "gggggygygy");
    }

    #[test]
    fn one_bucket_knows_two_colours() {
        assert_eq!(colours(Rules::TokenBucket, &[(0.0, 1000), (0.0, 2000), (0.0, 1), (0.5, 500), (0.5, 1)]), "ggrgr");
    }

    #[test]
    fn a_marker_that_sees_colours_promotes_nothing() {
        for rules in [Rules::SingleRate, Rules::TwoRates] {
            let mut marker = Marker::new(&AGREED, at(0.0));
            for (before, after) in
                [(Colour::Yellow, Colour::Yellow), (Colour::Red, Colour::Red), (Colour::Green, Colour::Green)]
            {
                assert_eq!(marker.mark(at(0.0), 1000, before, rules, &AGREED), after, "{rules:?}");
            }
        }
        let mut bucket = Marker::new(&AGREED, at(0.0));
        assert_eq!(bucket.mark(at(0.0), 1, Colour::Yellow, Rules::TokenBucket, &AGREED), Colour::Red);
    }

    #[test]
    fn a_green_packet_may_become_yellow_and_what_it_does_not_get_it_does_not_take() {
        let mut marker = Marker::new(&AGREED, at(0.0));
        let mut mark = |size, before| marker.mark(at(0.0), size, before, Rules::SingleRate, &AGREED);

        assert_eq!(mark(2500, Colour::Green), Colour::Green);
        assert_eq!(mark(1000, Colour::Green), Colour::Yellow, "500 bytes are left");
        assert_eq!(mark(1500, Colour::Green), Colour::Red);
        assert_eq!((mark(500, Colour::Green), mark(1000, Colour::Green)), (Colour::Green, Colour::Yellow));
    }
}
