//! The counts of accurate ECN in the acknowledgements that a sender reads, and the answer to its SYN. Specification: RFC 9768 sections
//! 3.1.1, 3.2.2 and 3.2.3. The counters are in `accurate_ecn.rs`.

use super::settings::EcnFeedback;
use super::stream::{Ack, Stream};
use crate::packet::{Codepoint, Ecn};

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::Body;
    use crate::transport::Endpoint;
    use crate::transport::tcp::pair::{Fate, MSS, Pair};

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
        for name in ["cleared", "changed", "whole"] {
            let change = move |ecn| match (name, ecn) {
                ("cleared", _) => Ecn::NotEct,
                ("changed", Ecn::Ect1) => Ecn::Ect0,
                _ => ecn,
            };
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
