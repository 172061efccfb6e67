//! DECbit's source. Every other window it looks at the bits of one window. If half of them or more are set, it gives up an eighth, and
//! otherwise it adds a segment. Specification: [RJ90] Ramakrishnan and Jain, "A Binary Feedback Scheme for Congestion Avoidance in Computer
//! Networks", ACM TOCS 8(2), 1990, section 5. Needs the bit of each packet, which the transport gives it unless told otherwise
//! (`ecn_feedback`), and routers that set it (`decbit`).
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | Losses are repaired and answered as by TCP | [RJ90] leaves them to the transport | `a_loss_halves` |
//! | The window in flight is the real one rounded down; [RJ90] section 5.4 rounds to the nearest | as under all laws here | - |
//! | The window grows only if it was full | an unused window is no experience | `an_unused_window_does_not_grow` |

use super::Told;
use super::prelude::*;

pub static ENTRY: ControlEntry = ControlEntry {
    name: "decbit",
    title: "DECbit",
    doc: "The sender of DECbit. In every other window it counts the bits: if half of them or more are set it keeps seven eighths of the \
          window, otherwise it adds one segment. It switches `ecn` of the transport on, and its receiver reports for each packet whether \
          it was marked. It needs the queue `decbit`.",
    reference: "Ramakrishnan and Jain 1990",
    law: Some(|args| drawn::by_marks(&|| build(args), 1)),
    ..ControlEntry::of::<Params>(&build)
};

params! {
    pub struct Params {
        /// Part of a window's bits from which on the window shrinks.
        cutoff: Fraction = "0.5" in [0.0, 1.0], "[RJ90] section 5.3";
        /// Segments that a window without congestion adds.
        increase: f64 = "1" in [0.0, 1000.0], "[RJ90] section 2";
        /// The part of a window with congestion that is kept.
        decrease: Fraction = "0.875" in [0.0, 1.0], "[RJ90] section 5.4";
        /// Whether the window begins, and begins again after a timeout, by slow start up to its threshold.
        slow_start: bool = "false", "[RJ90] has none";
    }
}

#[derive(Clone, Debug)]
struct DecBit {
    params: Params,
    /// Segments sent under the last window whose bits say nothing of this one.
    skip: f64,
    /// Segments acknowledged and those of them with the bit, under this window.
    acked: f64,
    marked: f64,
}

fn build(args: &Args) -> Box<dyn CongestionControl> {
    let params: Params = args.typed();
    Box::new(Classic::new(DecBit { params, skip: 0.0, acked: 0.0, marked: 0.0 }))
}

impl DecBit {
    /// Ignores the packets that the present window has sent.
    fn begin(&mut self, skip: f64) {
        self.skip = skip;
        self.acked = 0.0;
        self.marked = 0.0;
    }

    /// [RJ90] sections 5.1 and 5.2: the window is changed after the bits of one window.
    fn decide(&mut self, window: &mut Window, full: bool) {
        let old = libm::floor(window.cwnd);
        if self.marked >= self.params.cutoff.0 * self.acked {
            window.cwnd = (window.cwnd * self.params.decrease.0).max(1.0);
            window.ssthresh = window.cwnd.max(2.0);
        } else if full && !self.grows_by_acks(window) {
            window.cwnd += self.params.increase;
        }
        // The next bits belong to packets that were sent under the old window.
        self.begin(old);
    }

    fn grows_by_acks(&self, window: &Window) -> bool {
        self.params.slow_start && window.in_slow_start()
    }
}

impl Law for DecBit {
    const LISTENS: bool = true;

    fn kept(&mut self, window: &Window, event: &Congestion) -> f64 {
        self.begin(libm::floor(window.cwnd));
        event.used / 2.0
    }

    fn reset(&mut self, _setup: &Setup) {
        self.begin(0.0);
    }

    /// Bits open the window, and acknowledgements in slow start only.
    fn open(&mut self, window: &mut Window, _acked: &Acked, counted: f64) -> bool {
        if self.grows_by_acks(window) {
            window.cwnd += counted;
        }
        true
    }

    fn on_timeout(&mut self, _window: &Window) {
        self.begin(0.0);
    }

    fn on_heard(&mut self, window: &mut Window, heard: &Heard) {
        if self.skip > 0.0 {
            self.skip -= heard.segments;
            return;
        }
        self.acked += heard.segments;
        if heard.marks > 0 {
            self.marked += heard.segments;
        }
        let whole = libm::floor(window.cwnd);
        if self.acked >= whole && self.acked > 0.0 {
            self.decide(window, heard.inflight >= whole);
        }
    }

    fn needs(&self) -> Needs {
        Needs { marks: Told::Packets, answers_echoes: false, ..Needs::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::congestion::testing::{Controlled, acked, connected, heard, hears, near, used};
    use crate::units::Instant;

    /// `segments` acknowledgements while the window of `inflight` is out, the first `marked` with the bit.
    fn hear(control: &mut Controlled, segments: u32, marked: u32, inflight: f64) {
        for i in 0..segments {
            let (marks, round) = (u64::from(i < marked), i == 0);
            hears(&mut *control).on_heard(&Heard { inflight, marks, round, ..heard(Instant::ZERO) });
        }
    }

    #[test]
    fn half_of_the_bits_are_congestion_and_fewer_are_not() {
        for (marked, expected) in [(0, 17.0), (7, 17.0), (8, 14.0), (16, 14.0)] {
            let mut control = connected(&ENTRY, None, &[], 16.0, 16.0);
            hear(&mut control, 16, marked, 16.0);
            assert!(near(control.window(), expected), "[RJ90] section 5, {marked}: {}", control.window());
        }
    }

    #[test]
    fn the_bits_of_the_window_before_a_change_are_not_looked_at() {
        let mut control = connected(&ENTRY, None, &[], 16.0, 16.0);
        hear(&mut control, 16, 16, 16.0);
        assert!(near(control.window(), 14.0));
        // The sixteen that were out all have the bit; then fourteen without: 16 + 14 until the next decision.
        hear(&mut control, 16, 16, 16.0);
        hear(&mut control, 13, 0, 14.0);
        assert!(near(control.window(), 14.0), "not yet");
        hear(&mut control, 1, 0, 14.0);
        assert!(near(control.window(), 15.0));
    }

    #[test]
    fn the_window_is_a_real_number_and_its_whole_part_is_waited_for() {
        let mut control = connected(&ENTRY, None, &[], 10.0, 10.0);
        hear(&mut control, 10, 10, 10.0);
        assert!(near(control.window(), 8.75));
        hear(&mut control, 10 + 7, 0, 8.0);
        assert!(near(control.window(), 8.75));
        hear(&mut control, 1, 0, 8.0);
        assert!(near(control.window(), 9.75));
    }

    #[test]
    fn an_unused_window_does_not_grow() {
        let mut control = connected(&ENTRY, None, &[], 16.0, 16.0);
        hear(&mut control, 16, 0, 15.0);
        assert!(near(control.window(), 16.0));
    }

    #[test]
    fn one_segment_is_the_floor() {
        let mut control = connected(&ENTRY, None, &[], 1.0, 2.0);
        hear(&mut control, 1, 1, 1.0);
        assert!(near(control.window(), 1.0));
    }

    #[test]
    fn slow_start_is_a_choice() {
        for (slow_start, expected) in [("false", 4.0), ("true", 5.0)] {
            let mut control = connected(&ENTRY, None, &[("slow_start", slow_start)], 4.0, 100.0);
            control.on_ack(&acked(1.0));
            assert!(near(control.window(), expected));
        }
        let mut control = connected(&ENTRY, None, &[("slow_start", "true")], 4.0, 100.0);
        hear(&mut control, 4, 4, 4.0);
        control.on_ack(&acked(1.0));
        assert!(near(control.window(), 3.5), "bits end it");
    }

    #[test]
    fn a_loss_halves() {
        let mut control = connected(&ENTRY, None, &[], 16.0, 16.0);
        control.on_congestion_event(&used(16.0));
        assert!(near(control.window(), 8.0));
    }
}
