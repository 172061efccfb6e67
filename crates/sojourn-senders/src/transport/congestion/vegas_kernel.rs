//! Vegas in the numbers of today's Linux (`arithmetic = "kernel"`). Compared with: Linux 6.12.117 `tcp_vegas.c` (behaviour). It differs
//! from the paper ([`super::vegas`]):
//! - slow start doubles in every round trip; when it ends, the window has the segments that the rate fills in the shortest round trip, and
//!   one more;
//! - the round trip is the shortest of each round; a round with two samples or fewer opens the window as Reno's;
//! - the window changes by a whole segment once in a round trip;
//! - losses are found and answered as by Reno, which rules while segments are out of order or being repaired;
//! - the shortest round trip is forgotten whenever data is sent while nothing is in flight, after an idle time or with a small window;
//! - the window also grows while the application is the limit, except where Reno rules.

use super::classic::Law;
use super::window::Window;
use super::{Acked, Adjustment, Cause, Congestion, Heard, Milestone, Phase, Setup};
use crate::units::{Duration, Instant};

/// Samples of a round trip with which it is only as good as Reno's.
const FEW: u32 = 2;
/// Least window in segments.
const WINDOW_MIN: f64 = 2.0;

#[derive(Clone, Debug)]
pub(super) struct VegasKernel {
    /// In whole segments.
    alpha: f64,
    beta: f64,
    gamma: f64,
    decrease: f64,
    /// The shortest round trip in microseconds; absent before a sample.
    base: Option<u64>,
    /// The shortest of this round, and how many there were.
    least: Option<u64>,
    samples: u32,
    /// Segments acknowledged since the connection began, and sent, as the last acknowledgement found them.
    acked: f64,
    sent: f64,
    /// The end of the data that had been sent when the round began.
    round: f64,
    /// Reno rules: until an acknowledgement opens the window again that is above this.
    reno_until: Option<f64>,
    /// True if the sender tells its phases, and if it is in the phase `Open`.
    phases: bool,
    calm: bool,
}

impl VegasKernel {
    pub fn new(alpha: f64, beta: f64, gamma: f64, decrease: f64) -> Self {
        VegasKernel {
            alpha,
            beta,
            gamma,
            decrease,
            base: None,
            least: None,
            samples: 0,
            acked: 0.0,
            sent: 0.0,
            round: 0.0,
            reno_until: None,
            phases: false,
            calm: true,
        }
    }

    fn measure(&mut self, rtt: Duration) {
        let rtt = rtt.as_nanos() / 1000 + 1;
        self.base = Some(self.base.map_or(rtt, |base| base.min(rtt)));
        self.least = Some(self.least.map_or(rtt, |least| least.min(rtt)));
        self.samples += 1;
    }

    fn begin_round(&mut self, behind: f64) {
        (self.round, self.least, self.samples) = (behind, None, 0);
    }

    /// A round is over, in which the shortest round trip was `rtt`.
    fn decide(&self, window: &mut Window, base: u64, rtt: u64, counted: f64) {
        let cwnd = libm::floor(window.cwnd);
        // Segments of ours that wait: as many as were sent while the round trip was longer than the shortest.
        let waiting = libm::floor(cwnd * (rtt - base) as f64 / base as f64);
        let slow = window.in_slow_start();
        if slow && waiting > self.gamma {
            let filled = libm::floor(cwnd * base as f64 / rtt as f64);
            shrink(window, (filled + 1.0).min(cwnd));
        } else if slow {
            window.open_in_slow_start(counted);
        } else if waiting > self.beta {
            shrink(window, cwnd - 1.0);
        } else if waiting < self.alpha && counted > 0.0 {
            window.cwnd += 1.0;
        }
        window.raise(WINDOW_MIN);
        window.adjust(Adjustment::Remember);
    }
}

fn shrink(window: &mut Window, cwnd: f64) {
    window.cwnd = cwnd;
    window.ssthresh = window.ssthresh.min(cwnd);
}

impl Law for VegasKernel {
    const FOLLOWS: bool = true;
    const LISTENS: bool = true;

    fn kept(&mut self, _window: &Window, event: &Congestion) -> f64 {
        if !self.phases && event.cause != Cause::Timeout {
            // The next acknowledgement is after the repair: the transport does not open the window before.
            self.reno_until = Some(self.acked);
        }
        event.used * self.decrease
    }

    /// Linux `tcp_vegas_state`: in any other phase it is Reno, and a round begins with each return.
    fn on_phase(&mut self, phase: Phase) {
        self.calm = phase == Phase::Open;
        if self.calm {
            self.begin_round(self.sent);
        }
    }

    fn reset(&mut self, setup: &Setup) {
        (self.base, self.acked, self.sent, self.reno_until) = (None, 0.0, 0.0, None);
        self.phases = setup.phases;
        self.begin_round(0.0);
    }

    fn open(&mut self, window: &mut Window, acked: &Acked, _counted: f64) -> bool {
        if let Some(rtt) = acked.rtt {
            self.measure(rtt);
        }
        // Linux `tcp_vegas_cong_avoid`: where it is not Reno, it does not ask whether the window is the limit.
        let always = window.counted(&Acked { limited: false, ..*acked });
        if self.phases && !self.calm || self.reno_until.is_some_and(|until| self.acked < until) {
            return false;
        }
        if self.reno_until.take().is_some() {
            self.begin_round(self.sent);
        }
        if self.acked <= self.round {
            if window.in_slow_start() {
                window.open_in_slow_start(always);
            }
            return true;
        }
        let measured = self.base.zip(self.least).filter(|_| self.samples > FEW);
        if let Some((base, rtt)) = measured {
            self.decide(window, base, rtt, always);
        }
        self.begin_round(self.sent);
        measured.is_some()
    }

    fn on_timeout(&mut self, window: &Window) {
        if !self.phases {
            self.reno_until = Some(self.sent.max(self.acked + window.cwnd));
        }
    }

    fn on_heard(&mut self, _window: &mut Window, heard: &Heard) {
        self.sent = self.acked + heard.inflight;
        self.acked += heard.segments;
    }

    fn on_round_trip(&mut self, _now: Instant, rtt: Duration) -> bool {
        self.measure(rtt);
        true
    }

    fn on_milestone(&mut self, _window: &mut Window, milestone: Milestone<'_>) {
        if let Milestone::Resumes { .. } = milestone {
            // Linux `tcp_vegas_init`, after which it is Vegas in any phase.
            (self.base, self.calm) = (None, true);
            self.begin_round(if self.phases { self.sent.max(self.acked) } else { self.acked });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Controlled, acked, connected, heard, hears, near, used};
    use super::super::vegas::ENTRY;
    use super::super::{Counting, Cut, Growth};
    use super::*;

    fn vegas(window: f64, ssthresh: f64) -> Controlled {
        let mut control = connected(&ENTRY, Some("linux"), &[], window, ssthresh);
        let counting = Counting { growth: Growth::Segments, cut: Cut::Cwnd };
        control.on_connect(&Setup { window, ssthresh, mss: 960, packet: 1000, counting, paced: false, phases: false });
        control
    }

    /// A round trip of `rtt_ms` milliseconds in which `sent` segments are acknowledged, one by one.
    fn round(control: &mut Controlled, sent: u32, rtt_ms: u64) {
        for _ in 0..sent {
            hears(&mut *control).on_heard(&Heard { inflight: f64::from(sent), ..heard(Instant::ZERO) });
            control.on_ack(&Acked { rtt: Some(Duration::from_millis(rtt_ms)), ..acked(1.0) });
        }
    }

    #[test]
    fn slow_start_doubles_in_every_round_trip() {
        let mut control = vegas(10.0, f64::INFINITY);
        for window in [20.0, 40.0, 80.0] {
            let sent = control.window() as u32;
            round(&mut control, sent, 100);
            assert!(near(control.window(), window), "{}", control.window());
        }
    }

    #[test]
    fn slow_start_ends_on_what_the_rate_fills_and_one() {
        // 79 segments, base 100.001 ms, 110.001 ms: 79 * 10/100 = 7.9 > 1 wait; 79 * 100.001/110.001 = 71.8: 71 and one.
        let mut control = vegas(40.0, f64::INFINITY);
        hears(&mut control).on_heard(&Heard { inflight: 40.0, ..heard(Instant::ZERO) });
        control.on_ack(&Acked { rtt: Some(Duration::from_millis(100)), limited: true, ..acked(1.0) });
        for _ in 0..41 {
            hears(&mut control).on_heard(&Heard { inflight: 40.0, ..heard(Instant::ZERO) });
            control.on_ack(&Acked { rtt: Some(Duration::from_millis(110)), limited: true, ..acked(1.0) });
        }
        assert!(near(control.window(), 72.0) && near(control.ssthresh(), 72.0), "{}", control.window());
    }

    #[test]
    fn it_keeps_two_to_four_segments_waiting() {
        // 100 segments: 1, 3 and 5 ms of 100 are as many segments.
        for (longer, change) in [(1, 1.0), (3, 0.0), (5, -1.0)] {
            let mut control = vegas(100.0, 2.0);
            round(&mut control, 100, 100);
            let before = control.window();
            round(&mut control, 101, 100 + longer);
            let decided = control.window();
            hears(&mut control).on_heard(&Heard { inflight: 100.0, ..heard(Instant::ZERO) });
            control.on_ack(&Acked { rtt: Some(Duration::from_millis(100 + longer)), ..acked(1.0) });
            // Two rounds end: one of the base alone, which opens the window by one, and that of the longer round trip.
            assert!(
                near(decided - before, 1.0) && near(control.window() - decided, change),
                "{longer}: {before} {decided} {}",
                control.window()
            );
        }
    }

    #[test]
    fn with_two_samples_it_is_reno() {
        let mut control = vegas(2.0, 2.0);
        round(&mut control, 2, 100);
        round(&mut control, 2, 500);
        round(&mut control, 2, 500);
        // Reno counts the first acknowledgement of each round only: after two of them the window of two is full.
        assert!(near(control.window(), 3.0), "{}", control.window());
    }

    #[test]
    fn data_that_leaves_while_nothing_is_out_forgets_the_shortest_round_trip() {
        let mut control = vegas(100.0, 2.0);
        round(&mut control, 100, 100);
        control.on_milestone(Milestone::Resumes { now: Instant::ZERO, silent: Duration::from_millis(1) });
        round(&mut control, 100, 150);
        let before = control.window();
        round(&mut control, 101, 150);
        assert!(near(control.window() - before, 1.0), "nothing waits: the base is 150 ms");
    }

    #[test]
    fn a_limited_sender_opens_the_window_where_it_is_not_reno() {
        // Reno rules the first acknowledgement only. Slow start counts the 49 others, and above the threshold four rounds end.
        for (threshold, window) in [(f64::INFINITY, 59.0), (2.0, 14.0)] {
            let mut control = vegas(10.0, threshold);
            for _ in 0..50 {
                hears(&mut control).on_heard(&Heard { inflight: 10.0, ..heard(Instant::ZERO) });
                control.on_ack(&Acked { rtt: Some(Duration::from_millis(100)), limited: true, ..acked(1.0) });
            }
            assert!(near(control.window(), window), "{}", control.window());
        }
    }

    #[test]
    fn a_loss_halves() {
        let mut control = vegas(21.0, 2.0);
        control.on_congestion_event(&used(21.0));
        assert!(near(control.window(), 10.0) && near(control.ssthresh(), 10.0));
    }
}
