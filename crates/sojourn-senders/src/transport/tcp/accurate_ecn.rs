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
use super::settings::{AceWrap, EcnCodepoint, EcnFeedback};
use super::stream::{Ack, Stream};
use crate::header::accurate_ecn::EcnBytes;
use crate::packet::{Codepoint, Ecn};
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
    packets: u64,
    /// s.e0b, s.e1b and s.ceb.
    bytes: [u64; 3],
    /// Packets in an acknowledgement, on average.
    average: Option<f64>,
    /// The latest time that has been echoed.
    latest: Instant,
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
    fn marks(&mut self, ace: u32, packets: u64, marked: Option<u64>, mss: u64, wraps: AceWrap) -> u64 {
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

    /// Takes in an option. Returns the marked bytes that it reports for the first time.
    fn read(&mut self, option: EcnBytes) -> u64 {
        let before = self.bytes[CE];
        for (at, ecn) in [(ECT0, Ecn::Ect0), (ECT1, Ecn::Ect1), (CE, Ecn::Ce)] {
            if let Some(field) = option.field(ecn) {
                self.bytes[at] = EcnBytes::decoded(self.bytes[at], field);
            }
        }
        self.bytes[CE] - before
    }

    /// Whether the path changes the field (RFC 9768 sections 3.2.2.3 and A.4): segments arrive with the other codepoint, or for some
    /// time none arrives as ECN-capable. `acked` bytes are reported for the first time. `resent` segments, which may not be ECN-capable,
    /// have been sent again until now.
    fn is_mangled(&mut self, sent: EcnCodepoint, told: bool, acked: u64, resent: u32, mss: u64) -> bool {
        let other = if sent == EcnCodepoint::Ect0 { ECT1 } else { ECT0 };
        if told || self.resent != resent {
            (self.unseen, self.resent) = (0, resent);
        } else {
            self.unseen += acked;
        }
        self.bytes[other] != FIRST_BYTES[other] || self.unseen >= CLEARED * mss
    }
}

impl Stream {
    /// Whether the answer to a SYN agrees to ECN. A codepoint in which the SYN did not leave shows that the path changes the field, and
    /// nothing is ECN-capable then (RFC 9768 table 2 and section 3.2.2.3).
    pub(super) fn agrees(&self, codepoint: Codepoint) -> bool {
        if !self.config.ecn_feedback.is_accurate() {
            return codepoint.ece();
        }
        let arrived = match codepoint.ace() {
            0b010 => Ecn::NotEct,
            0b011 => Ecn::Ect1,
            0b100 => Ecn::Ect0,
            0b110 => Ecn::Ce,
            _ => return false,
        };
        let sent = if self.config.ecn_always { self.config.ecn_codepoint.ecn() } else { Ecn::NotEct };
        arrived == sent || sent.is_capable() && arrived == Ecn::Ce
    }

    /// Reads the counts of an acknowledgement. `packets` says how many packets it reports as received for the first time, if the recovery
    /// knows them.
    #[cold]
    #[inline(never)]
    pub(super) fn read_counts(&mut self, ack: &mut Ack<'_>, packets: Option<u64>) {
        let Some(accurate) = &mut self.accurate else { return };
        let mss = u64::from(self.config.mss);
        let in_order = ack.next.saturating_sub(self.una);
        let packets = packets.unwrap_or_else(|| accurate.reported(in_order.div_ceil(mss)));
        // RFC 9768 appendix A.1: an acknowledgement that a later one has overtaken says nothing.
        let is_late = packets == 0 && !(self.config.params.timestamps && ack.echo > accurate.latest);
        accurate.latest = accurate.latest.max(ack.echo);
        if is_late {
            return;
        }
        let option = ack.sack.option();
        let marked = option.map(|option| accurate.read(option));
        let knows = self.config.ecn_feedback == EcnFeedback::AccurateWithBytes;
        let marked = if knows { marked.or(Some(0)) } else { None };
        ack.marks = accurate.marks(ack.codepoint.ace(), packets, marked, mss, self.config.params.ace_wrap);
        ack.ece = ack.marks > 0;
        if knows && self.marks.agreed {
            let resent = self.counters.retransmits;
            self.marks.agreed =
                !accurate.is_mangled(self.config.ecn_codepoint, option.is_some(), packets * mss, resent, mss);
        }
    }
}

impl Accurate {
    /// The packets that an acknowledgement of `segments` segments in order reports, where duplicates have reported some of them.
    fn reported(&mut self, segments: u64) -> u64 {
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
    use crate::packet::Body;
    use crate::transport::Endpoint;
    use crate::transport::tcp::pair::{Fate, MSS, Pair};

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

    /// Two hundred segments, ten at first; data packets with these numbers are marked.
    fn pair(settings: &[(&str, &str)], marked: &'static [usize]) -> Pair {
        let mut all =
            vec![("handshake", "false"), ("initial_window", "10"), ("initial_ssthresh", "10"), ("ecn", "true")];
        all.extend_from_slice(settings);
        let mut pair = Pair::new(&all, ("bulk", &[("packets", "200")]));
        pair.on_data = Box::new(move |n, _| if marked.contains(&n) { Fate::Mark } else { Fate::Deliver });
        pair
    }

    fn counted(pair: &Pair) -> u64 {
        pair.sender.stream.accurate.as_ref().map_or(0, |accurate| accurate.packets - 5)
    }

    #[test]
    fn each_mark_is_counted_once_and_the_window_is_cut_once_in_a_round_trip() {
        for recovery in ["newreno", "sack", "rack"] {
            for feedback in ["accecn", "accecn_options"] {
                let mut pair = pair(&[("ecn_feedback", feedback), ("recovery", recovery)], &[1, 2, 5, 14, 15]);
                pair.start();
                pair.run_until(100);
                assert_eq!((counted(&pair), pair.sender.counters().ecn_reductions), (3, 1), "{recovery} {feedback}");
                pair.run_until(3000);
                assert_eq!(counted(&pair), 5, "{recovery} {feedback}");
                let cwr = pair.data.iter().any(|seen| matches!(seen.packet.body, Body::Data { cwr: true, .. }));
                assert!(!cwr, "RFC 9768 section 3.1.5");
            }
        }
    }

    #[test]
    fn lost_acknowledgements_lose_no_mark_until_the_field_wraps() {
        // Of ten marked segments all acknowledgements but the last are lost: 10 modulo 8 are 2, and ten packets make it 10.
        let mut pair = pair(
            &[("ecn_feedback", "accecn"), ("recovery", "rack"), ("ack_every", "1")],
            &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
        );
        pair.on_ack = Box::new(|n, _| if n < 9 { Fate::Lose } else { Fate::Deliver });
        pair.start();
        pair.run_until(100);
        assert_eq!(counted(&pair), 10);
    }

    #[test]
    fn a_run_of_marks_is_acknowledged_at_its_beginning_and_at_every_second_mark() {
        // Ten marked segments: an acknowledgement for the first, and four for pairs; the last one waits.
        let marked = &[10, 11, 12, 13, 14, 15, 16, 17, 18, 19];
        let mut pair = pair(
            &[("ecn_feedback", "accecn"), ("recovery", "rack"), ("initial_window", "20"), ("ack_every", "2")],
            marked,
        );
        pair.start();
        pair.run_until(60);
        // Ten unmarked ones before make five.
        assert_eq!(pair.acks.len(), 5 + 1 + 4);
        pair.run_until(300);
        assert_eq!(counted(&pair), 10);
    }

    #[test]
    fn a_path_that_changes_the_field_ends_ecn() {
        let changes: [(&str, fn(Ecn) -> Ecn); 3] = [
            ("cleared", |_| Ecn::NotEct),
            ("changed", |ecn| if ecn == Ecn::Ect1 { Ecn::Ect0 } else { ecn }),
            ("whole", |ecn| ecn),
        ];
        for (name, change) in changes {
            let settings = [("ecn_feedback", "accecn_options"), ("ecn_codepoint", "ect1"), ("recovery", "rack")];
            let mut pair = pair(&settings, &[]);
            pair.router = Box::new(move |packet| packet.ecn = change(packet.ecn));
            pair.start();
            pair.run_until(500);
            let last = pair.data.last().expect("data").packet.ecn;
            assert_eq!(last == Ecn::Ect1, name == "whole", "{name}");
            assert_eq!(pair.sender.counters().retransmits, 0);
        }
    }

    #[test]
    fn the_answer_to_a_syn_agrees_or_shows_a_changed_field() {
        let mut pair = pair(&[("ecn_feedback", "accecn"), ("handshake", "true")], &[]);
        pair.start();
        pair.run_until(100);
        let Body::Ack { codepoint, syn: true, .. } = pair.acks[0].packet.body else {
            unreachable!("an answer to a SYN")
        };
        assert_eq!(codepoint.ace(), 0b010);
        pair.run_until(300);
        assert_eq!(pair.data.last().expect("data").packet.ecn, Ecn::Ect0);
        // Table 2: a codepoint that the SYN did not have.
        let agrees = |number| pair.sender.stream.agrees(Codepoint::of_ace(number));
        assert_eq!([0b000, 0b001, 0b010, 0b011, 0b111].map(agrees), [false, false, true, false, false]);
        assert_eq!(MSS, 960);
    }
}
