//! XECN at the sender: the marks that an acknowledgement reports. Specification: [Tah13] Tahiliani, PhD thesis, NIT Karnataka, 2013,
//! section 4.2.2, algorithm 6; the receiver's algorithm 5 is in `receiver/echo.rs`. Compared with: no public implementation.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | A cut needs an acknowledgement above the data in flight at the last one, also where the count has begun again | "reduced only once for packets of the same cwnd" | `echoes_of_an_answered_mark_do_not_cut_again` |
//! | Duplicates that were heard do not count as lost acknowledgements | the text counts the packets that the cumulative acknowledgement skips | `duplicates_are_not_taken_for_lost_acknowledgements` |

use super::stream::{Ack, Stream};
use crate::packet::Codepoint;

impl Stream {
    /// The marks that `ack` reports. `round` says that it begins a round trip.
    pub(super) fn count_marks(&mut self, ack: &Ack<'_>, round: bool) -> u64 {
        // [Tah13] algorithm 6: "Reset the Counter for new cwnd", which lasts for a round trip.
        if round {
            self.marks.counted = 0;
        }
        let news = match ack.codepoint {
            Codepoint::Count => true,
            // A count comes before every echo: it has been lost.
            Codepoint::Ece => self.marks.counted == 0,
            _ => false,
        };
        if !self.marks.agreed || !news {
            return 0;
        }
        let marks = 1 + self.lost_acks(ack).min(self.config.params.xecn_lost_acks);
        self.marks.counted = self.marks.counted.saturating_add(marks as u32);
        marks
    }

    /// Acknowledgements that must have been lost before this one, for all it says: "all the lost ACKs carried CC".
    fn lost_acks(&self, ack: &Ack<'_>) -> u64 {
        let segments = (ack.next - self.una).div_ceil(u64::from(self.config.mss));
        let sent = segments.div_ceil(u64::from(self.config.ack_every));
        sent.saturating_sub(1 + u64::from(self.dup_acks))
    }
}

#[cfg(test)]
mod tests {
    use crate::header::Answer;
    use crate::packet::{Body, Codepoint, Ecn, Packet, SackBlocks};
    use crate::transport::Endpoint;
    use crate::transport::tcp::pair::{Fate, MSS, Pair};
    use crate::transport::tcp::stream::Ack;
    use crate::units::Instant;

    /// Ten segments leave at once and their acknowledgements arrive at 100 ms; round trips of 100 ms. Nothing marked.
    fn ten(settings: &[(&str, &str)]) -> Pair {
        let mut all = vec![
            ("handshake", "false"),
            ("initial_window", "10"),
            ("initial_ssthresh", "10"),
            ("ecn", "true"),
            ("ecn_feedback", "xecn"),
        ];
        all.extend_from_slice(settings);
        Pair::new(&all, ("bulk", &[("packets", "200")]))
    }

    /// The same, started; data packets in `marked` are marked, acknowledgements in `lost` get lost, counted from 0.
    fn started(settings: &[(&str, &str)], marked: &'static [usize], lost: &'static [usize]) -> Pair {
        let mut pair = ten(settings);
        pair.on_data = Box::new(move |n, _| if marked.contains(&n) { Fate::Mark } else { Fate::Deliver });
        pair.on_ack = Box::new(move |n, _| if lost.contains(&n) { Fate::Lose } else { Fate::Deliver });
        pair.start();
        pair
    }

    /// Number of segments with CWR.
    fn answers(pair: &Pair) -> usize {
        pair.data.iter().filter(|seen| matches!(seen.packet.body, Body::Data { cwr: true, .. })).count()
    }

    #[test]
    fn every_count_codepoint_is_counted_and_the_window_is_cut_once() {
        // Three of the ten are marked: the cut comes at the first, CWR on the next new segment.
        let mut pair = started(&[], &[1, 2, 5], &[]);
        pair.run_until(100);
        assert_eq!(pair.sender.stream.marks.counted, 3, "[Tah13] algorithm 6");
        assert_eq!(pair.sender.counters().ecn_reductions, 1);
        pair.run_until(1000);
        assert_eq!((pair.sender.counters().ecn_reductions, answers(&pair)), (1, 1));
    }

    #[test]
    fn an_echo_counts_only_if_the_count_codepoint_was_lost() {
        // The mark on segment 1 is told: the echoes of 2 to 9 are not counted. It is not: the first echo stands for
        // it, the others for nothing.
        for lost in [&[][..], &[1]] {
            let mut pair = started(&[], &[1], lost);
            pair.run_until(100);
            assert_eq!(pair.sender.stream.marks.counted, 1, "[Tah13] algorithm 6, {lost:?} lost");
            pair.run_until(1000);
            assert_eq!((pair.sender.counters().ecn_reductions, answers(&pair)), (1, 1), "{lost:?} lost");
        }
    }

    #[test]
    fn lost_acknowledgements_count_as_marked_if_the_text_is_followed() {
        // Marks on 1, 2 and 3, whose acknowledgements are lost: the echo of 4 acknowledges four segments.
        for (most, counted) in [("0", 1), ("7", 4), ("2", 3)] {
            let mut pair = started(&[("xecn_lost_acks", most)], &[1, 2, 3], &[1, 2, 3]);
            pair.run_until(100);
            assert_eq!(pair.sender.stream.marks.counted, counted, "[Tah13] section 4.2.2, at most {most}");
        }
    }

    #[test]
    fn duplicates_are_not_taken_for_lost_acknowledgements() {
        // Segment 0 is lost and 3 is marked. At 200 ms the retransmission's acknowledgement covers twelve segments (two
        // of limited transmit), eleven of which had been heard of; it is an echo, and the first of its round trip.
        for most in ["0", "7"] {
            let mut pair = ten(&[("xecn_lost_acks", most), ("recovery", "newreno")]);
            pair.on_data = Box::new(|_, packet: &Packet| match packet.body {
                Body::Data { seq: 0, retransmit: false, .. } => Fate::Lose,
                Body::Data { seq, .. } if seq == 3 * MSS => Fate::Mark,
                _ => Fate::Deliver,
            });
            pair.start();
            pair.run_until(100);
            assert_eq!(pair.sender.stream.marks.counted, 1);
            pair.run_until(200);
            assert_eq!(pair.sender.stream.marks.counted, 1, "at most {most}");
        }
    }

    #[test]
    fn echoes_of_an_answered_mark_do_not_cut_again() {
        // The mark is on the last segment of its round trip: segments sent before the cut come back as echoes in the
        // next one, where the first of them is counted once more.
        let mut pair = started(&[], &[9], &[]);
        pair.run_until(100);
        assert_eq!((pair.sender.stream.marks.counted, pair.sender.counters().ecn_reductions), (1, 1));
        let sack = SackBlocks::default();
        let (next, codepoint) = (11 * MSS, Codepoint::Ece);
        let echo = Ack {
            next,
            echo: Instant::ZERO,
            sack: &sack,
            codepoint,
            ece: true,
            marks: 0,
            offered: 0,
            answer: Answer::default(),
        };
        assert_eq!(pair.sender.stream.count_marks(&echo, true), 1);
        pair.run_until(1000);
        assert_eq!(pair.sender.counters().ecn_reductions, 1);
    }

    #[test]
    fn routers_see_ordinary_ecn() {
        let mut pair = started(&[], &[1], &[]);
        pair.run_until(300);
        assert!(pair.data.iter().all(|seen| seen.packet.ecn == Ecn::Ect0));
        assert!(pair.acks.iter().all(|seen| seen.packet.ecn == Ecn::NotEct));
    }

    #[test]
    fn surathkal_answers_the_count_and_not_the_echoes() {
        // Second window: 4 of its packets marked; every further acknowledgement of the window is an echo. With an
        // exact echo the law sees the same marks, so that the windows agree.
        let window = |feedback| {
            let mut pair = ten(&[("ecn_feedback", feedback), ("control", "surathkal")]);
            pair.on_data = Box::new(|n, _| if (12..16).contains(&n) { Fate::Mark } else { Fate::Deliver });
            pair.start();
            pair.run_until(450);
            (pair.cwnd(), pair.sender.counters().ecn_reductions)
        };
        let (exact, cuts) = window("dctcp");
        let (counting, cuts_counting) = window("xecn");
        assert_eq!((cuts, cuts_counting), (1, 1));
        // Echoes do not open the window (RFC 3168 section 6.1.2): one round trip's growth less, at most.
        assert!(counting <= exact && exact - counting < 1.5, "{counting} {exact}");
    }
}
