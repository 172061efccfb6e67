//! The window and threshold of all laws of Reno's kind: slow start, growth, cuts, and the least values. The sender's way of counting is in
//! `counting.rs`. Each law adds only the increase and the part that a cut keeps.
//!
//! Least values: the threshold never falls below 2 segments. Neither does the window at a cut (RFC 5681 equation 4), unless the laws are
//! those of ns-2 ([`Cut::Window`]): there the window is the part that the law keeps, without rounding or, in its releases until 2006
//! ([`Cut::WholeWindow`]), rounded down. After a timeout it is 1.
//!
//! Deviation: an echo is answered like a loss, down to 2 segments. RFC 3168 §6.1.2 says so, too ("just as a congestion loss"), and bounds
//! the window by 1 segment, from where the timer slows down further. Ours falls to 1 only by a timeout or under ns-2's laws.

use super::counting::SSTHRESH_MIN;
use super::{Acked, Adjustment, Congestion, Counting, Cut, Growth, Needed, Setup, whole};

/// The cuts that halve, whatever the law says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Halving {
    /// None.
    #[default]
    Never,
    /// The first one, those in slow start, and the threshold after a timeout (ns-2).
    AtStart,
}

impl From<bool> for Halving {
    fn from(at_start: bool) -> Self {
        if at_start { Halving::AtStart } else { Halving::Never }
    }
}

/// Window and threshold, in segments.
#[derive(Clone, Debug)]
pub struct Window {
    /// The window.
    pub cwnd: f64,
    /// The slow start threshold; infinite if there is none.
    pub ssthresh: f64,
    /// The way in which the sender counts.
    pub counting: Counting,
    /// True if the window has whole segments, and acknowledged segments are counted until they add one.
    pub whole: bool,
    halving: Halving,
    has_cut: bool,
    /// For windows in whole segments: the amount that has been acknowledged and has not opened the window yet.
    ///
    /// Bound: 32 bits count 16 million whole segments.
    pub tally: f32,
}

impl Window {
    /// The window before a connection: one segment.
    pub(super) fn new(halving: Halving) -> Self {
        let counting = Counting { growth: Growth::Acks, cut: Cut::Flight };
        Window { cwnd: 1.0, ssthresh: f64::INFINITY, counting, whole: false, halving, has_cut: false, tally: 0.0 }
    }

    /// A connection begins.
    pub fn connect(&mut self, setup: &Setup) {
        self.cwnd = setup.window;
        self.ssthresh = setup.ssthresh;
        self.counting = setup.counting;
        self.whole = setup.counting.is_whole();
        self.has_cut = false;
        self.tally = 0.0;
    }

    /// The weight of an acknowledgement, in segments ([`Counting::weight`]). One with an echo does not open the window
    /// (RFC 3168 §6.1.2), and none does while the window does not limit the sender (RFC 9438 §5.8, RFC 9002 §7.8).
    #[inline]
    pub fn counted(&self, acked: &Acked) -> f64 {
        if acked.ece || acked.limited { 0.0 } else { self.counting.weight(acked.segments) }
    }

    /// Slow start up to the threshold, and congestion avoidance with the weight that is left of an acknowledgement.
    pub fn grow(&mut self, counted: f64, needed: impl FnOnce(&Window) -> Needed) {
        let left = self.left_by_slow_start(counted);
        if left > 0.0 {
            let needed = needed(self);
            self.open(left, needed);
        }
    }

    /// Slow start. Returns the weight that is left of an acknowledgement for congestion avoidance: in whole segments those above the
    /// threshold, otherwise nothing.
    pub fn left_by_slow_start(&mut self, counted: f64) -> f64 {
        if !self.in_slow_start() {
            return counted;
        }
        let before = self.cwnd;
        self.open_in_slow_start(counted);
        if self.whole { counted - (self.cwnd - before) } else { 0.0 }
    }

    /// Congestion avoidance by an acknowledgement of this weight.
    pub fn open(&mut self, counted: f64, needed: Needed) {
        if self.whole {
            self.open_by_segments(counted, needed.whole());
        } else {
            self.cwnd += needed.opens(counted);
        }
    }

    /// Slow start by the weight of an acknowledgement.
    pub fn open_in_slow_start(&mut self, counted: f64) {
        self.cwnd = self.counting.slow_start(self.cwnd, counted, self.ssthresh);
    }

    /// True if the window is below its threshold.
    pub fn in_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }

    /// Counts in acknowledged segments: one is added for each `needed` of them. One is added at once if the tally was larger already, as
    /// when fewer are needed than before (Linux `tcp_cong_avoid_ai`).
    pub fn open_by_segments(&mut self, segments: f64, needed: f64) {
        let needed = needed as f32;
        if self.tally >= needed {
            self.tally = 0.0;
            self.cwnd += 1.0;
        }
        self.tally += segments as f32;
        let steps = libm::floorf(self.tally / needed);
        self.tally -= steps * needed;
        self.cwnd += f64::from(steps);
    }

    /// An acknowledgement counts for `parts` parts. A segment is added when there are as many parts as the window has segments (Linux
    /// `hstcp_cong_avoid`).
    pub fn open_by_acknowledgement(&mut self, parts: f64) {
        self.tally += parts as f32;
        if f64::from(self.tally) >= self.cwnd {
            self.tally -= self.cwnd as f32;
            self.cwnd += 1.0;
        }
    }

    /// True if the window and nothing else limited the data in flight before this acknowledgement. The sender fills whole segments.
    pub fn was_full(&self, acked: &Acked) -> bool {
        !acked.limited && acked.inflight >= whole(self.cwnd)
    }

    /// The value from which a law cuts that shrinks the window itself by a small part ([`Counting::at_cut`]).
    pub fn at_cut(&self, event: &Congestion) -> f64 {
        self.counting.at_cut(self.cwnd, event.used)
    }

    /// Congestion: cuts the amount that was in use to `kept`.
    pub fn cut(&mut self, event: &Congestion, kept: f64) {
        let halves = self.halving == Halving::AtStart && (!self.has_cut || self.in_slow_start());
        let kept = if halves { event.used / 2.0 } else { kept };
        (self.ssthresh, self.cwnd) = self.counting.after_cut(kept);
        self.tally = 0.0;
        self.has_cut = true;
    }

    /// The timer has expired. The threshold becomes `kept` of the amount that was in use. Without an event it is unchanged.
    pub fn timeout(&mut self, event: Option<&Congestion>, kept: impl FnOnce(f64) -> f64) {
        if let Some(event) = event {
            let kept = match self.halving {
                Halving::AtStart => event.used / 2.0,
                Halving::Never => kept(event.used),
            };
            self.ssthresh = self.counting.threshold(kept);
        }
        // RFC 5681 §3.1: the loss window is one segment.
        self.cwnd = 1.0;
        self.tally = 0.0;
        self.has_cut = true;
    }

    /// Lowers the window to at most `segments`.
    pub fn limit(&mut self, segments: f64) {
        self.cwnd = self.cwnd.min(segments);
    }

    /// Raises the window to `segments`.
    pub fn raise(&mut self, segments: f64) {
        self.cwnd = self.cwnd.max(segments);
    }

    /// The sender changes the window or the threshold.
    pub fn adjust(&mut self, change: Adjustment) {
        match change {
            Adjustment::Limit(segments) => self.limit(segments),
            Adjustment::Raise(segments) => self.raise(segments),
            Adjustment::Remember => self.ssthresh = self.ssthresh.max(self.counting.three_quarters(self.cwnd)),
            Adjustment::EndSlowStart => self.ssthresh = self.cwnd.max(SSTHRESH_MIN),
            Adjustment::Restore { window, ssthresh } => {
                self.cwnd = self.cwnd.max(window);
                self.ssthresh = self.ssthresh.max(ssthresh);
            }
        }
    }
}

/// Writes the hooks that a law leaves to its [`Window`].
macro_rules! window_of {
    () => {
        fn adjust(&mut self, change: $crate::transport::congestion::Adjustment) {
            self.window.adjust(change);
        }

        fn window(&self) -> f64 {
            self.window.cwnd
        }

        fn ssthresh(&self) -> f64 {
            self.window.ssthresh
        }
    };
}
pub(super) use window_of;

#[cfg(test)]
mod tests {
    use super::super::Cause;
    use super::*;
    use crate::rig::near;
    use crate::units::{Duration, Instant};

    fn window(cwnd: f64, ssthresh: f64, halving: Halving) -> Window {
        let counting = Counting { growth: Growth::Acks, cut: Cut::Flight };
        let mut window = Window::new(halving);
        window.connect(&Setup {
            window: cwnd,
            ssthresh,
            mss: 960,
            packet: 1000,
            counting,
            paced: false,
            phases: false,
        });
        window
    }

    fn used(used: f64) -> Congestion {
        Congestion { now: Instant::ZERO, used, cause: Cause::Loss }
    }

    fn acked(segments: f64, inflight: f64) -> Acked {
        Acked { now: Instant::ZERO, segments, inflight, rtt: None, elapsed: Duration::ZERO, ece: false, limited: false }
    }

    #[test]
    fn in_ns2_the_first_cut_and_cuts_in_slow_start_halve() {
        let mut law = window(16.0, 8.0, Halving::Never);
        law.cut(&used(16.0), 14.0);
        assert!(near(law.cwnd, 14.0));

        let mut ns2 = window(16.0, 8.0, Halving::AtStart);
        ns2.cut(&used(16.0), 14.0);
        assert!(near(ns2.cwnd, 8.0), "the first cut");
        ns2.cut(&used(8.0), 7.0);
        assert!(near(ns2.cwnd, 7.0), "then the law");
        ns2.cwnd = 4.0;
        ns2.cut(&used(4.0), 3.5);
        assert!(near(ns2.cwnd, 2.0), "in slow start again");
    }

    #[test]
    fn in_ns2_the_threshold_after_a_timeout_is_half() {
        let mut law = window(16.0, 8.0, Halving::Never);
        law.timeout(Some(&used(16.0)), |used| 0.875 * used);
        assert!(near(law.ssthresh, 14.0) && near(law.cwnd, 1.0));

        let mut ns2 = window(16.0, 8.0, Halving::AtStart);
        ns2.timeout(Some(&used(16.0)), |used| 0.875 * used);
        assert!(near(ns2.ssthresh, 8.0) && near(ns2.cwnd, 1.0));
    }

    #[test]
    fn whole_segments_are_added_for_a_window_of_acknowledged_ones() {
        // Linux's tcp_cong_avoid_ai: ten segments, in acknowledgements of three, add one at the fourth and leave two; nine more are one
        // for eleven. A cut resets the count (Linux's tcp_init_cwnd_reduction).
        let mut law = window(10.0, 2.0, Halving::Never);
        law.counting = Counting { growth: Growth::Segments, cut: Cut::Cwnd };
        let mut hear = |expected: &[f64]| {
            for &cwnd in expected {
                let needed = law.cwnd;
                law.open_by_segments(3.0, needed);
                assert!(near(law.cwnd, cwnd), "{}", law.cwnd);
            }
        };
        hear(&[10.0, 10.0, 10.0, 11.0, 11.0, 11.0, 12.0, 12.0, 12.0]);
        law.cut(&used(12.0), 5.5);
        assert!(near(law.cwnd, 5.0) && near(law.ssthresh, 5.0));
        law.open_by_segments(4.0, 5.0);
        assert!(near(law.cwnd, 5.0));
        law.open_by_segments(1.0, 5.0);
        assert!(near(law.cwnd, 6.0));
        // Four are counted, and only three needed now: one at once.
        law.open_by_segments(4.0, 6.0);
        law.open_by_segments(1.0, 3.0);
        assert!(near(law.cwnd, 7.0));
    }

    #[test]
    fn a_window_is_full_when_no_further_segment_fits() {
        let window = window(7.9, 2.0, Halving::Never);
        assert!(window.was_full(&acked(1.0, 7.0)));
        assert!(!window.was_full(&acked(1.0, 6.9)));
    }
}
