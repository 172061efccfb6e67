//! Accurate ECN at the sender: the marks that an acknowledgement reports, and the paths that change the field of ECN. Specification: RFC
//! 9768 sections 3.2.2.5.2 and 3.2.3.1, appendix A. The receiver's part is in `receiver/counts.rs`. Compared with: Linux 6.18
//! `__tcp_accecn_process` (behaviour).
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | With options the marks are the least number that agrees with ACE, whose full segments hold the marked bytes | appendix A.2.2 has as much on its examples, and takes too many where most segments are not marked | `bytes_tell_how_often_the_field_wrapped` |
//! | A first field of zero is not tested | no path clears it here, and section 3.2.2.4 leaves it open | - |
//! | Marks of SYNs are not answered | no data was sent before | - |

use super::receiver::counts::{CE, ECT0, ECT1, FIRST_BYTES, FIRST_PACKETS};
use super::settings::{AceWrap, EcnCodepoint};
use crate::header::accurate_ecn::EcnBytes;
use crate::units::Instant;

/// The number of values of the field ACE.
const CYCLE: u64 = 8;
/// The average number of packets in an acknowledgement above which the field is not taken to have wrapped, and the weight of an
/// acknowledgement in that average (Linux).
const THINNED: f64 = 4.0;
const WEIGHT: f64 = 1.0 / 64.0;
/// Full segments that arrive, none of them as ECN-capable, until the path is taken to clear the field.
const CLEARED: u64 = 10;

/// The sender's counters of a connection whose ends have agreed to accurate ECN.
#[derive(Clone, Debug)]
pub(super) struct Accurate {
    /// s.cep.
    pub(super) packets: u64,
    /// s.e0b, s.e1b and s.ceb.
    bytes: [u64; 3],
    /// Packets in an acknowledgement, on average.
    average: Option<f64>,
    /// The latest time that has been echoed.
    pub(super) latest: Instant,
    /// Duplicates since new data was acknowledged, where the recovery does not count the segments that they report.
    duplicates: u64,
    /// Bytes that have arrived since the fields were last seen to be whole, and the retransmissions until then.
    unseen: u64,
    resent: u32,
}

impl Default for Accurate {
    fn default() -> Self {
        Accurate {
            packets: FIRST_PACKETS.into(),
            bytes: FIRST_BYTES,
            average: None,
            latest: Instant::ZERO,
            duplicates: 0,
            unseen: 0,
            resent: 0,
        }
    }
}

/// RFC 9768 appendix A.2.1: dSafer.cep, the most marks of an acknowledgement of `packets` packets that agree with `least`, the d.cep.
fn safer(packets: u64, least: u64) -> u64 {
    if packets > least { packets - (packets - least) % CYCLE } else { least }
}

/// The least number of marks that agrees with `least` and whose segments of `mss` bytes hold `marked` bytes, up to `most`.
fn of_bytes(least: u64, most: u64, marked: u64, mss: u64) -> u64 {
    let missing = marked.div_ceil(mss).saturating_sub(least);
    (least + missing.next_multiple_of(CYCLE)).min(most)
}

impl Accurate {
    /// The marks that an acknowledgement reports, of `packets` packets that it reports as received. `marked` are the bytes of them that an
    /// option tells, if there is one.
    pub(super) fn marks(&mut self, ace: u32, packets: u64, marked: Option<u64>, mss: u64, wraps: AceWrap) -> u64 {
        let average = self.average.map_or(packets as f64, |average| average + WEIGHT * (packets as f64 - average));
        self.average = Some(average);
        let least = u64::from(ace.wrapping_sub(self.packets as u32) & 7);
        let most = safer(packets, least);
        let marks = match (marked, wraps) {
            (Some(marked), _) => of_bytes(least, most, marked, mss),
            (None, AceWrap::Safest) => most,
            (None, AceWrap::Likely) if average <= THINNED => most,
            (None, AceWrap::Likely | AceWrap::Never) => least,
        };
        self.packets += marks;
        marks
    }

    /// Takes in an option, whose fields are in the order of the counters. Returns the marked bytes that it reports for the first time.
    pub(super) fn read(&mut self, option: EcnBytes) -> u64 {
        let before = self.bytes[CE];
        for (bytes, field) in self.bytes.iter_mut().zip(option.by_codepoint()) {
            if let Some(field) = field {
                *bytes = EcnBytes::decoded(*bytes, field);
            }
        }
        self.bytes[CE] - before
    }

    /// Whether the path changes the field (RFC 9768 sections 3.2.2.3 and A.4): segments arrive with the other codepoint, or for some
    /// time none arrives as ECN-capable. `acked` bytes are reported for the first time. `resent` segments, which may not be ECN-capable,
    /// have been sent again until now.
    pub(super) fn is_mangled(&mut self, sent: EcnCodepoint, told: bool, acked: u64, resent: u32, mss: u64) -> bool {
        let other = if sent == EcnCodepoint::Ect0 { ECT1 } else { ECT0 };
        if told || self.resent != resent {
            (self.unseen, self.resent) = (0, resent);
        } else {
            self.unseen += acked;
        }
        self.bytes[other] != FIRST_BYTES[other] || self.unseen >= CLEARED * mss
    }
}

impl Accurate {
    /// The packets that an acknowledgement of `segments` segments in order reports, where duplicates have reported some of them.
    pub(super) fn reported(&mut self, segments: u64) -> u64 {
        if segments == 0 {
            self.duplicates += 1;
            return 1;
        }
        segments.saturating_sub(std::mem::take(&mut self.duplicates)).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_that_may_have_wrapped_counts_as_the_safest_case() {
        // RFC 9768 appendix A.2.1: nine packets and two marks, ten packets and two marks.
        assert_eq!((safer(9, 2), safer(10, 2)), (2, 10));
        // None of twelve, and one of nine; an acknowledgement of one packet that tells three marks.
        assert_eq!((safer(12, 0), safer(9, 1), safer(1, 3)), (8, 9, 3));
    }

    #[test]
    fn the_field_is_read_modulo_eight() {
        for (ace, marks) in [(5, 0), (6, 1), (4, 7)] {
            let mut accurate = Accurate::default();
            assert_eq!(accurate.marks(ace, 7, None, 1460, AceWrap::Safest), marks);
            assert_eq!(accurate.packets % 8, u64::from(ace));
        }
    }

    #[test]
    fn bytes_tell_how_often_the_field_wrapped() {
        // RFC 9768 appendix A.2.2, with segments of 1460 bytes: d.cep, dSafer.cep, d.ceb, and the number to take.
        for (least, most, marked, taken) in [(0, 8, 1460, 8), (2, 10, 1460, 2), (7, 15, 10200, 7)] {
            assert_eq!(of_bytes(least, most, marked, 1460), taken);
        }
        // 20 of 40 full segments: ACE tells 4, and the safest case is 36.
        assert_eq!((safer(40, 4), of_bytes(4, 36, 20 * 1460, 1460)), (36, 20));
    }

    #[test]
    fn thinned_acknowledgements_do_not_count_as_marked_unless_the_safest_case_is_taken() {
        // One in ten acknowledgements is left, and nothing is marked.
        for (wraps, marks) in [(AceWrap::Safest, 8 * 100), (AceWrap::Likely, 0), (AceWrap::Never, 0)] {
            let mut accurate = Accurate::default();
            let all: u64 = (0..100)
                .map(|_| {
                    let ace = accurate.packets as u32;
                    accurate.marks(ace, 10, None, 1460, wraps)
                })
                .sum();
            assert_eq!(all, marks, "{wraps:?}");
        }
        // After acknowledgements of two packets each a gap of ten is a rare one.
        let mut accurate = Accurate { average: Some(2.0), ..Accurate::default() };
        assert_eq!(accurate.marks(5, 10, None, 1460, AceWrap::Likely), 8);
    }
}
