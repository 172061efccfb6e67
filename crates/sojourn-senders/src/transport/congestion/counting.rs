//! The way in which a sender counts: the weight of an acknowledgement, whole or real segments, and the rounding of a cut. No law knows it:
//! a law says how much is needed for one more segment, and which part a cut leaves.

/// The least threshold in segments (RFC 5681 equation 4).
pub(super) const SSTHRESH_MIN: f64 = 2.0;

crate::choices! {
    /// The weight of an acknowledgement when the window opens.
    pub enum Growth {
        /// As one segment, for any number of bytes that it acknowledges (RFC 2581, ns-2).
        Acks = "acks",
        /// As the bytes that it acknowledges, at most one segment (RFC 5681 section 3.1).
        Bytes = "bytes",
        /// As all bytes that it acknowledges; slow start ends on the threshold (Linux since 3.18).
        Segments = "segments",
    }
}

crate::choices! {
    /// The value that is halved when the window is cut, and its rounding.
    pub enum Cut {
        /// The data in flight; at least 2 segments, window = threshold (RFC 5681 equation 4).
        Flight = "flight",
        /// The congestion window; at least 2 segments, window = threshold (Linux).
        Cwnd = "cwnd",
        /// The smaller of congestion and receiver's window; the threshold is rounded down to whole
        /// packets and at least 2, the window is neither (ns-2).
        Window = "window",
        /// As `window`, but the window too is rounded down (ns-2 until January 2006, `precisionReduce_ false`).
        WholeWindow = "whole_window",
    }
}

/// The variants in which senders open and close a window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Counting {
    /// The weight of an acknowledgement.
    pub growth: Growth,
    /// The value from which a cut starts.
    pub cut: Cut,
}

impl Counting {
    /// The weight of an acknowledgement of this number of segments, in segments.
    pub(super) fn weight(self, acked: f64) -> f64 {
        match self.growth {
            Growth::Acks => 1.0,
            // RFC 5681 equation 2: min(N, SMSS), against receivers that divide their ACKs.
            Growth::Bytes => acked.min(1.0),
            Growth::Segments => acked,
        }
    }

    /// True if acknowledged segments are counted and the window is in whole ones, as in Linux.
    pub(super) fn is_whole(self) -> bool {
        self.growth == Growth::Segments
    }

    /// The rest of `used` segments when `taken` are taken away: whole ones, where the window has such.
    pub(super) fn without(self, used: f64, taken: f64) -> f64 {
        used - if self.is_whole() { libm::floor(taken) } else { taken }
    }

    /// The part `kept` of `used` segments. Whole ones are taken away, where the window has such.
    pub(super) fn part(self, used: f64, kept: f64) -> f64 {
        if self.is_whole() { self.without(used, used * (1.0 - kept)) } else { used * kept }
    }

    /// The window `cwnd` after an acknowledgement of the weight `counted` in slow start.
    pub(super) fn slow_start(self, cwnd: f64, counted: f64, ssthresh: f64) -> f64 {
        let opened = cwnd + counted;
        if self.is_whole() { opened.min(ssthresh) } else { opened }
    }

    /// The value from which a law cuts that shrinks the window itself by a small part (RFC 8257). Rounding the data in flight down to whole
    /// segments would take away as much again.
    pub(super) fn at_cut(self, cwnd: f64, used: f64) -> f64 {
        match self.cut {
            Cut::Flight | Cut::Cwnd => cwnd,
            Cut::Window | Cut::WholeWindow => used,
        }
    }

    /// The threshold and the window that a cut to `kept` segments leaves.
    pub(super) fn after_cut(self, kept: f64) -> (f64, f64) {
        let ssthresh = self.threshold(kept);
        let cwnd = match self.cut {
            Cut::Flight | Cut::Cwnd => ssthresh,
            Cut::Window => kept,
            Cut::WholeWindow => libm::floor(kept),
        };
        (ssthresh, cwnd)
    }

    /// The threshold when `kept` segments remain.
    pub(super) fn threshold(self, kept: f64) -> f64 {
        match self.cut {
            Cut::Flight | Cut::Cwnd if !self.is_whole() => kept.max(SSTHRESH_MIN),
            Cut::Flight | Cut::Cwnd | Cut::Window | Cut::WholeWindow => libm::floor(kept).max(SSTHRESH_MIN),
        }
    }

    /// Three quarters of a window. In whole segments they are Linux's `(cwnd >> 1) + (cwnd >> 2)`.
    pub(super) fn three_quarters(self, cwnd: f64) -> f64 {
        if self.is_whole() { libm::floor(cwnd / 2.0) + libm::floor(cwnd / 4.0) } else { 0.75 * cwnd }
    }
}

/// The growth of a window in congestion avoidance: `acked` acknowledged segments add `added` segments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Needed {
    acked: f64,
    added: f64,
    /// True if that is a quotient, which whole segments round down.
    divided: bool,
}

impl Needed {
    /// `acked` acknowledged segments add one.
    pub fn for_one(acked: f64) -> Self {
        Needed { acked, added: 1.0, divided: false }
    }

    /// `acked` acknowledged segments add `added` segments.
    pub fn for_segments(acked: f64, added: f64) -> Self {
        Needed { acked, added, divided: true }
    }

    /// The segments that an acknowledgement of the weight `counted` adds.
    pub(super) fn opens(self, counted: f64) -> f64 {
        counted * self.added / self.acked
    }

    /// The acknowledged segments for one more, where whole ones are counted.
    pub(super) fn whole(self) -> f64 {
        if self.divided { libm::floor(self.acked / self.added).max(1.0) } else { self.acked }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::near;

    const RFC: Counting = Counting { growth: Growth::Bytes, cut: Cut::Flight };
    const NS2: Counting = Counting { growth: Growth::Acks, cut: Cut::Window };
    const LINUX: Counting = Counting { growth: Growth::Segments, cut: Cut::Cwnd };

    #[test]
    fn an_acknowledgement_weighs_as_the_sender_counts() {
        // Of two and of a quarter of a segment.
        for (counting, two, quarter) in [(RFC, 1.0, 0.25), (NS2, 1.0, 1.0), (LINUX, 2.0, 0.25)] {
            assert!(near(counting.weight(2.0), two) && near(counting.weight(0.25), quarter));
        }
    }

    #[test]
    fn only_whole_segments_end_slow_start_on_the_threshold() {
        assert!(near(LINUX.slow_start(7.0, 2.0, 8.0), 8.0));
        assert!(near(RFC.slow_start(7.5, 1.0, 8.0), 8.5));
    }

    #[test]
    fn a_cut_is_rounded_as_the_sender_counts() {
        assert_eq!(RFC.after_cut(5.5), (5.5, 5.5));
        assert_eq!(LINUX.after_cut(5.5), (5.0, 5.0));
        assert_eq!(NS2.after_cut(5.5), (5.0, 5.5));
        assert_eq!(Counting { cut: Cut::WholeWindow, ..NS2 }.after_cut(5.5), (5.0, 5.0));
        assert_eq!(RFC.after_cut(0.5), (2.0, 2.0));
    }

    #[test]
    fn a_small_part_is_taken_from_the_window_and_under_ns2_from_what_was_used() {
        assert!(near(RFC.at_cut(10.0, 8.0), 10.0) && near(NS2.at_cut(10.0, 8.0), 8.0));
    }

    #[test]
    fn whole_segments_are_taken_away() {
        // An eighth of 20 is 2 whole ones.
        assert!(near(LINUX.part(20.0, 0.875), 18.0) && near(RFC.part(20.0, 0.875), 17.5));
    }

    #[test]
    fn three_quarters_of_seven_whole_segments_are_four() {
        assert!(near(LINUX.three_quarters(7.0), 4.0) && near(RFC.three_quarters(7.0), 5.25));
    }

    #[test]
    fn what_is_needed_is_a_part_of_a_segment_or_a_whole_number_of_acknowledged_ones() {
        // GAIMD(0.31) at ten segments: 0.031 for each acknowledged one, or one for 32.
        let needed = Needed::for_segments(10.0, 0.31);
        assert!(near(needed.opens(1.0), 0.031) && near(needed.whole(), 32.0));
        assert!(near(Needed::for_segments(1.0, 2.0).whole(), 1.0), "at least one");
    }
}
