//! TCP Vegas: once per round trip it compares the rate that the window should give with the measured rate, and keeps a few segments of its
//! own in the queue. Specification: [BP95] Brakmo and Peterson, "TCP Vegas: end to end congestion avoidance on a global Internet", JSAC
//! 13(8), 1995.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | A segment that is lost again keeps 3/4 of the window and the fine-grained timeout, as at first | [BP95] does not say; ns-2 halves the window and doubles the timeout | - |
//! | With SACK only duplicates are checked against the fine-grained timeout (`transport/tcp/early.rs`) | other losses are known from the blocks | `a_duplicate_after_the_fine_timeout_is_enough` |
//! | A mark halves as in RFC 3168 | [BP95] is older than ECN | `a_mark_halves` |

use super::prelude::*;
use super::vegas_kernel::VegasKernel;

pub static ENTRY: ControlEntry = ControlEntry {
    name: "vegas",
    title: "TCP Vegas",
    doc: "A control by delay. From the round-trip time it estimates how many of its segments wait in queues, and keeps their \
          number between two bounds.",
    reference: "Brakmo and Peterson 1995",
    presets: presets! {
        // Checked on 2026-11-25: tcp_vegas.c of Linux 6.12.117.
        /// Linux 6.12: two to four segments wait, slow start doubles in every round trip, a loss halves, and the shortest round trip is
        /// forgotten whenever nothing is out. Under the profile `linux` its window is Linux's after each acknowledgement of the recordings
        /// (docs/linux.md).
        linux = { alpha = "2", beta = "4", decrease = "0.5", early = "false", arithmetic = "kernel" };
    },
    law: Some(draw_law),
    ..ControlEntry::of::<Params>(&build)
};

params! {
    /// Parameters of Vegas, in the paper's names.
    pub struct Params {
        /// Segments in queues below which the window grows by one per round trip.
        alpha: f64 = "1" in [0.0, 1e6], "Brakmo and Peterson 1995";
        /// Segments in queues above which the window shrinks by one per round trip.
        beta: f64 = "3" in [0.0, 1e6], "Brakmo and Peterson 1995";
        /// Segments in queues above which slow start ends.
        gamma: f64 = "1" in [0.0, 1e6], "Brakmo and Peterson 1995";
        /// Fraction of the window that is kept at a loss.
        decrease: Fraction = "0.75" in [0.01, 0.99], "Brakmo and Peterson 1995";
        /// Whether the first duplicate of a segment, and the first two acknowledgements after a retransmission, resend segments that are
        /// overdue by a fine-grained timeout.
        early: bool = "true", "Brakmo and Peterson 1995", when arithmetic in ["real"];
        /// The arithmetic of the window. With that of the kernel, whole segments once per round trip, only these other parameters have an
        /// effect: `alpha`, `beta`, `gamma` and `decrease`.
        arithmetic: Arithmetic = "real", "Brakmo and Peterson 1995";
    }
}

/// Least window in segments at a decrease.
const WINDOW_MIN: f64 = 2.0;

/// The course of the window during a round trip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Course {
    /// It grows by one per acknowledgement: every other round trip of slow start.
    Doubles,
    Grows,
    Stays,
}

#[derive(Clone, Debug)]
struct Vegas {
    params: Params,
    course: Course,
    /// The increase for an acknowledgement while the window grows: one divided by the window at the last decision.
    step: f64,
    /// BaseRTT: the shortest round trip, in seconds.
    base_rtt: Option<f64>,
    /// Samples of this round trip: their number and sum in seconds.
    samples: (u32, f64),
    /// This round trip of slow start lets the window grow.
    grows_now: bool,
    began: Instant,
    /// Segments acknowledged since the connection began, and sent when this round trip did.
    acked: f64,
    sent: f64,
}

fn build(args: &Args) -> Box<dyn CongestionControl> {
    let params: Params = args.typed();
    if params.arithmetic == Arithmetic::Kernel {
        return Box::new(Classic::new(VegasKernel::new(params.alpha, params.beta, params.gamma, params.decrease.0)));
    }
    Box::new(Classic::new(Vegas {
        params,
        course: Course::Doubles,
        step: 0.0,
        base_rtt: None,
        samples: (0, 0.0),
        grows_now: true,
        began: Instant::ZERO,
        acked: 0.0,
        sent: 0.0,
    }))
}

/// [BP95], congestion avoidance: `Diff = (Expected - Actual) BaseRTT` with `Expected = window / BaseRTT` and `Actual =
/// sent during the round trip / RTT`: segments that wait in queues.
fn queued(window: f64, sent: f64, base_rtt: f64, rtt: f64) -> f64 {
    window - sent * base_rtt / rtt
}

fn draw_law(args: &Args) -> Graph {
    let Params { alpha, beta, .. } = args.typed();
    drawn::by_own_queue(&|| build(args), 2.0 * beta.max(1.0), &[alpha, beta])
}

impl Vegas {
    /// A round trip of `rtt` seconds is over, in which `sent` segments were sent. `out` segments are in flight.
    fn decide(&mut self, window: &mut Window, out: f64, sent: f64, rtt: f64) {
        // With one segment out nothing of ours can have waited (ns-2): the path itself has changed.
        let base_rtt = if out <= 1.0 { rtt } else { self.base_rtt.map_or(rtt, |base| base.min(rtt)) };
        self.base_rtt = Some(base_rtt);
        let diff = queued(out, sent, base_rtt, rtt);
        if window.in_slow_start() {
            self.grows_now = !self.grows_now;
            if !self.grows_now {
                self.course = Course::Stays;
            } else if diff > self.params.gamma {
                // [BP95], modified slow start: leave it, an eighth smaller.
                window.ssthresh = WINDOW_MIN;
                let cwnd = window.cwnd * 0.875;
                self.shrink_to(window, cwnd);
            } else {
                self.course = Course::Doubles;
            }
        } else if diff > self.params.beta {
            let cwnd = window.cwnd - 1.0;
            self.shrink_to(window, cwnd);
        } else {
            self.course = if diff < self.params.alpha { Course::Grows } else { Course::Stays };
            self.step = 1.0 / window.cwnd;
        }
    }

    fn shrink_to(&mut self, window: &mut Window, cwnd: f64) {
        window.cwnd = cwnd.max(WINDOW_MIN);
        self.course = Course::Stays;
    }
}

impl Law for Vegas {
    const LISTENS: bool = true;

    fn kept(&mut self, _window: &Window, event: &Congestion) -> f64 {
        event.used * if event.cause == Cause::Loss { self.params.decrease.0 } else { 0.5 }
    }

    fn reset(&mut self, _setup: &Setup) {
        self.course = Course::Doubles;
        self.base_rtt = None;
        self.samples = (0, 0.0);
        self.grows_now = true;
        (self.acked, self.sent) = (0.0, 0.0);
    }

    fn open(&mut self, window: &mut Window, acked: &Acked, counted: f64) -> bool {
        // [BP95]: each segment is timed by the system's clock, whatever the retransmission timer uses.
        if acked.elapsed > Duration::ZERO {
            let rtt = acked.elapsed.as_secs_f64();
            self.samples.0 += 1;
            self.samples.1 += rtt;
            self.base_rtt = Some(self.base_rtt.map_or(rtt, |base| base.min(rtt)));
        }
        // The window does not grow far beyond the data sent.
        if window.cwnd - acked.inflight <= WINDOW_MIN {
            match self.course {
                Course::Doubles if window.in_slow_start() => window.cwnd += counted,
                Course::Grows => window.cwnd += counted * self.step,
                Course::Doubles | Course::Stays => {}
            }
        }
        true
    }

    fn cut(&mut self, window: &mut Window, event: &Congestion) {
        let kept = self.kept(window, event);
        window.cut(event, kept);
        self.course = Course::Stays;
        if event.cause == Cause::Loss {
            // The threshold serves slow start only.
            window.ssthresh = WINDOW_MIN;
            window.raise(WINDOW_MIN);
        }
    }

    fn on_timeout(&mut self, _window: &Window) {
        self.course = Course::Doubles;
        self.grows_now = true;
        self.samples = (0, 0.0);
    }

    fn on_heard(&mut self, window: &mut Window, heard: &Heard) {
        let sent = self.acked + heard.inflight;
        self.acked += heard.segments;
        if !heard.round {
            return;
        }
        let sent_now = sent - std::mem::replace(&mut self.sent, sent);
        let (count, sum) = std::mem::take(&mut self.samples);
        let rtt = if count > 0 { sum / f64::from(count) } else { heard.now.since(self.began).as_secs_f64() };
        let known = count > 0 || self.base_rtt.is_some();
        self.began = heard.now;
        if known && rtt > 0.0 {
            self.decide(window, heard.inflight, sent_now, rtt);
        }
    }

    fn on_milestone(&mut self, _window: &mut Window, milestone: Milestone<'_>) {
        // The paper assumes that senders never go idle. A round trip without sending does not count.
        if let Milestone::Resumes { now, .. } = milestone {
            (self.samples, self.began) = ((0, 0.0), now);
        }
    }

    fn needs(&self) -> Needs {
        Needs { early: self.params.early, ..Needs::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::congestion::testing::{Controlled, acked, connected, echoed, heard, hears, near, used};

    /// A round trip of `rtt_ms` in which the whole window of `sent` segments is acknowledged.
    fn round(control: &mut Controlled, sent: u32, rtt_ms: u64) {
        for i in 0..sent {
            let inflight = f64::from(sent);
            let heard = Heard { inflight, round: i == 0, ..heard(Instant::ZERO) };
            hears(&mut *control).on_heard(&heard);
            control.on_ack(&Acked { elapsed: Duration::from_millis(rtt_ms), ..acked(1.0) });
        }
    }

    #[test]
    fn one_segment_is_added_while_fewer_than_alpha_wait() {
        // 20 segments in 100 ms, base 100 ms: none waits.
        let mut control = connected(&ENTRY, None, &[], 20.0, 2.0);
        round(&mut control, 20, 100);
        round(&mut control, 20, 100);
        // The first round trip gives the base; in the second each of 20 ACKs adds 1/cwnd.
        assert!((control.window() - 21.0).abs() < 0.03, "{}", control.window());
    }

    #[test]
    fn between_alpha_and_beta_the_window_stays_and_above_beta_it_shrinks_by_one() {
        let mut control = connected(&ENTRY, None, &[], 20.0, 2.0);
        round(&mut control, 1, 100);
        let start = control.window();
        // 111 ms: 20 (1 - 100/111) = 1.98 wait; decided at the next round trip.
        round(&mut control, 20, 111);
        let grown = control.window();
        round(&mut control, 20, 125);
        assert!(near(control.window(), grown), "two wait");
        // 125 ms: 4 wait.
        round(&mut control, 20, 125);
        assert!(near(control.window(), grown - 1.0), "four wait");
        assert!(grown >= start);
    }

    #[test]
    fn slow_start_grows_every_other_round_trip_and_ends_an_eighth_below() {
        let mut control = connected(&ENTRY, None, &[], 4.0, 100.0);
        round(&mut control, 4, 100);
        assert!(near(control.window(), 8.0));
        round(&mut control, 8, 100);
        assert!(near(control.window(), 8.0), "a round trip to measure in");
        round(&mut control, 8, 100);
        assert!(near(control.window(), 16.0));
        // 16 (1 - 100/120) = 2.7 wait.
        round(&mut control, 16, 120);
        round(&mut control, 16, 120);
        assert!(near(control.window(), 14.0) && near(control.ssthresh(), 2.0), "{}", control.window());
    }

    #[test]
    fn a_loss_takes_a_quarter_and_a_timeout_starts_again() {
        let mut control = connected(&ENTRY, None, &[], 16.0, 2.0);
        control.on_congestion_event(&used(16.0));
        assert!(near(control.window(), 12.0));
        control.on_timeout(Some(&used(12.0)));
        assert!(near(control.window(), 1.0) && near(control.ssthresh(), 6.0));
    }

    #[test]
    fn a_mark_halves() {
        let mut control = connected(&ENTRY, None, &[], 16.0, 2.0);
        control.on_congestion_event(&echoed(16.0));
        assert!(near(control.window(), 8.0));
    }
}
