//! TCP Westwood: after a loss the window is the amount that the measured rate fills in the shortest round trip, and not half of the old
//! window. Specification: [Cas02] Casetti, Gerla, Mascolo, Sanadidi and Wang, "TCP Westwood: end-to-end congestion control for
//! wired/wireless networks", Wireless Networks 8, 2002; Westwood+: [GM04] Grieco and Mascolo, CCR 34(2),
//! 2004. Preset `linux`: Linux 6.12 in its whole numbers (`westwood_kernel.rs`).
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | A mark cuts as three duplicates do | the papers say nothing of ECN | `a_mark_cuts_as_a_loss` |
//! | No virtual samples of rate zero while nothing arrives [Cas02] | the filter's gain for a long gap is bounded instead | `a_long_gap_forgets_the_past` |

use super::prelude::*;
use super::westwood_kernel::WestwoodKernel;

pub static ENTRY: ControlEntry = ControlEntry {
    name: "westwood",
    title: "TCP Westwood and Westwood+",
    doc: "Reno that measures the rate at which data is acknowledged. After a loss it sets window and threshold to that rate \
          times the shortest round-trip time.",
    reference: "Casetti et al. 2002; Grieco and Mascolo 2004",
    presets: presets! {
        /// The first publication: a sample with each acknowledgement.
        2002 = { filter = "tustin" };
        // Checked on 2026-11-25: tcp_westwood.c of Linux 6.12.117.
        /// Westwood+ of Linux 6.12 with its whole numbers: two filters in a row; a loss halves, and when it is repaired the window is the
        /// estimate, also if that is more. Under the profile `linux` its window is Linux's after each acknowledgement of the recordings
        /// (docs/linux.md).
        linux = { filter = "twice", raises = "true", arithmetic = "kernel" };
    },
    law: Some(|args| drawn::by_delay(&|| build(args))),
    ..ControlEntry::of::<Params>(&build)
};

choices! {
    /// The estimate of the rate.
    pub enum Filter {
        /// A sample per round trip, smoothed with a gain of 0.1 (Grieco and Mascolo 2004).
        Plus = "plus",
        /// A sample per round trip, smoothed twice with a gain of 1/8 (Linux).
        Twice = "twice",
        /// A sample per acknowledgement, through a low-pass filter of a given time constant (Casetti et al. 2002).
        Tustin = "tustin",
    }
}

params! {
    pub struct Params {
        /// The estimate of the rate.
        filter: Filter = "plus", "Grieco and Mascolo 2004", when arithmetic in ["real"];
        /// Time constant of the filter `tustin`.
        tau: Duration = "500ms" in [0.001, 1000.0], "Casetti et al. 2002", when filter in ["tustin"];
        /// Least time that a sample of `plus` and `twice` covers.
        sample_min: Duration = "50ms" in [0.0, 10.0], "Linux 2.6.22";
        /// Whether a cut may also raise the window to the estimate.
        raises: bool = "false", "Casetti et al. 2002: the window is at most the threshold", when arithmetic in ["real"];
        /// The arithmetic of rate and window. In that of the kernel, bytes per millisecond, milliseconds and segments are whole, and
        /// window and threshold become the estimate when a reduction is over.
        arithmetic: Arithmetic = "real", "Casetti et al. 2002";
    }
}

/// The estimator, in segments and seconds.
#[derive(Clone, Copy, Debug, Default)]
struct Rate {
    /// The first stage of the double filter.
    first: f64,
    /// The estimate; zero before the first sample.
    estimate: f64,
    /// The last sample.
    last: f64,
    /// Segments acknowledged since `since`.
    segments: f64,
    since: Option<Instant>,
    /// Duplicates counted whose segments the cumulative acknowledgement will count again.
    accounted: f64,
}

#[derive(Clone, Debug)]
struct Westwood {
    params: Params,
    round_trip: RoundTrip,
    rate: Rate,
}

fn build(args: &Args) -> Box<dyn CongestionControl> {
    let params: Params = args.typed();
    if params.arithmetic == Arithmetic::Kernel {
        return Box::new(Classic::new(WestwoodKernel::new(params.sample_min)));
    }
    Box::new(Classic::new(Westwood { params, round_trip: RoundTrip::default(), rate: Rate::default() }))
}

/// [Cas02], the low-pass filter `1 / (1 + tau s)` by the bilinear transform:
/// `B = ((2 tau / dt - 1) B + b + b_last) / (2 tau / dt + 1)`.
fn tustin(estimate: f64, sample: f64, last: f64, dt: f64, tau: f64) -> f64 {
    // Bound: after a gap of more than 2 tau the past would count with the wrong sign.
    let ratio = (2.0 * tau / dt).max(1.0);
    ((ratio - 1.0) * estimate + sample + last) / (ratio + 1.0)
}

impl Rate {
    /// [Cas02], AckedCount: a duplicate stands for one segment, which the next cumulative
    /// acknowledgement does not count again.
    fn count(&mut self, acknowledged: f64) -> f64 {
        if acknowledged <= 0.0 {
            self.accounted += 1.0;
            return 1.0;
        }
        if acknowledged <= 1.0 {
            return acknowledged;
        }
        if self.accounted >= acknowledged {
            self.accounted -= acknowledged;
            return 1.0;
        }
        acknowledged - std::mem::take(&mut self.accounted)
    }

    /// A sample covers `dt` seconds.
    fn sample(&mut self, params: &Params, dt: f64) {
        let sample = self.segments / dt;
        if self.estimate <= 0.0 {
            self.first = sample;
            self.estimate = sample;
        } else {
            match params.filter {
                Filter::Plus => self.estimate = 0.9 * self.estimate + 0.1 * sample,
                Filter::Twice => {
                    self.first = (7.0 * self.first + sample) / 8.0;
                    self.estimate = (7.0 * self.estimate + self.first) / 8.0;
                }
                Filter::Tustin => {
                    self.estimate = tustin(self.estimate, sample, self.last, dt, params.tau.as_secs_f64());
                }
            }
        }
        self.last = sample;
        self.segments = 0.0;
    }
}

impl Westwood {
    /// Segments that the estimated rate fills in the shortest round trip, at least two.
    fn pipe(&self, event: &Congestion) -> f64 {
        let pipe = match self.round_trip.least {
            Some(least) if self.rate.estimate > 0.0 => self.rate.estimate * least,
            // Nothing has been measured yet: as Reno.
            Some(_) | None => event.used / 2.0,
        };
        pipe.max(2.0)
    }
}

impl Law for Westwood {
    const LISTENS: bool = true;

    fn kept(&mut self, _window: &Window, event: &Congestion) -> f64 {
        self.pipe(event)
    }

    fn reset(&mut self, _setup: &Setup) {
        self.round_trip = RoundTrip::default();
        self.rate = Rate::default();
    }

    fn is_whole(&self) -> bool {
        false
    }

    /// The last acknowledgement of slow start may open the window beyond the threshold.
    fn open(&mut self, window: &mut Window, acked: &Acked, counted: f64) -> bool {
        self.round_trip.observe(acked.rtt);
        let slow = window.in_slow_start();
        if slow {
            window.cwnd += counted;
        }
        slow
    }

    fn cut(&mut self, window: &mut Window, event: &Congestion) {
        let before = window.cwnd;
        window.cut(event, self.pipe(event));
        if !self.params.raises {
            // [Cas02]: if the window is above the threshold, it becomes the threshold.
            window.limit(before);
        }
    }

    fn on_heard(&mut self, _window: &mut Window, heard: &Heard) {
        let Some(since) = self.rate.since else {
            self.rate.since = Some(heard.now);
            return;
        };
        self.rate.segments += self.rate.count(heard.segments);
        let least = match self.params.filter {
            Filter::Tustin => Duration::ZERO,
            Filter::Plus | Filter::Twice => {
                let smoothed = self.round_trip.smoothed.map_or(Duration::MAX, Duration::from_secs_f64);
                smoothed.max(self.params.sample_min)
            }
        };
        let covered = heard.now.since(since);
        if covered > least {
            self.rate.sample(&self.params, covered.as_secs_f64());
            self.rate.since = Some(heard.now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Adjustment;
    use super::*;
    use crate::transport::congestion::testing::{Controlled, acked, connected, echoed, heard, hears, near, used};

    /// `count` acknowledgements of one segment, every `gap_ms`, from `from_ms` on, with a round trip of 100 ms.
    fn feed(control: &mut Controlled, from_ms: u64, count: u64, gap_ms: u64) {
        for i in 0..count {
            let now = Instant::ZERO + Duration::from_millis(from_ms + i * gap_ms);
            hears(&mut *control).on_heard(&heard(now));
            control.on_ack(&Acked { now, rtt: Some(Duration::from_millis(100)), ..acked(1.0) });
        }
    }

    #[test]
    fn a_loss_leaves_what_the_rate_fills() {
        // One segment per 10 ms is 100/s; times 100 ms is 10 segments, whatever the window was.
        for filter in ["plus", "twice", "tustin"] {
            let mut control = connected(&ENTRY, None, &[("filter", filter)], 50.0, 2.0);
            feed(&mut control, 0, 400, 10);
            control.on_congestion_event(&used(50.0));
            assert!((control.window() - 10.0).abs() < 0.2, "{filter}: {}", control.window());
            assert!((control.ssthresh() - 10.0).abs() < 0.2, "{filter}");
        }
    }

    #[test]
    fn a_window_below_the_estimate_stays_unless_it_may_rise() {
        for (raises, expected) in [("false", 6.0), ("true", 10.0)] {
            let mut control = connected(&ENTRY, None, &[("raises", raises)], 50.0, 2.0);
            feed(&mut control, 0, 400, 10);
            control.adjust(Adjustment::Limit(6.0));
            control.on_congestion_event(&used(6.0));
            assert!((control.window() - expected).abs() < 0.2, "{raises}: {}", control.window());
        }
    }

    #[test]
    fn a_duplicate_counts_once_over_all() {
        // Three duplicates, then an acknowledgement of four segments: four in all, one of them new.
        let mut rate = Rate::default();
        let four: f64 = [0.0, 0.0, 0.0, 4.0].into_iter().map(|segments| rate.count(segments)).sum();
        assert!(near(four, 4.0));
        // Partial: five duplicates, then two.
        let mut partial = Rate::default();
        let six: f64 = [0.0, 0.0, 0.0, 0.0, 0.0, 2.0].into_iter().map(|segments| partial.count(segments)).sum();
        assert!(near(six, 6.0));
        assert!(near(partial.accounted, 3.0));
    }

    #[test]
    fn the_filter_of_2002_follows_a_step_in_its_time_constant() {
        // tau = 0.5 s, dt = 10 ms: ratio 100; from 0 to samples of 1 it is at 1 - 1/e after 0.5 s.
        let mut estimate = 0.0;
        for _ in 0..50 {
            estimate = tustin(estimate, 1.0, 1.0, 0.01, 0.5);
        }
        assert!((estimate - 0.632).abs() < 0.01, "{estimate}");
    }

    #[test]
    fn a_long_gap_forgets_the_past() {
        // dt = 2 tau: (0 + b + b_last) / 2. Longer ones the same.
        assert!(near(tustin(100.0, 4.0, 2.0, 1.0, 0.5), 3.0));
        assert!(near(tustin(100.0, 4.0, 2.0, 50.0, 0.5), 3.0));
    }

    #[test]
    fn a_timeout_sets_the_threshold_to_the_estimate() {
        let mut control = connected(&ENTRY, None, &[], 50.0, 2.0);
        feed(&mut control, 0, 400, 10);
        control.on_timeout(Some(&used(50.0)));
        assert!(near(control.window(), 1.0) && (control.ssthresh() - 10.0).abs() < 0.2);
    }

    #[test]
    fn a_mark_cuts_as_a_loss() {
        let mut control = connected(&ENTRY, None, &[], 50.0, 2.0);
        feed(&mut control, 0, 400, 10);
        control.on_congestion_event(&echoed(50.0));
        assert!((control.window() - 10.0).abs() < 0.2);
    }

    #[test]
    fn without_a_measurement_it_halves() {
        let mut control = connected(&ENTRY, None, &[], 50.0, 2.0);
        control.on_congestion_event(&used(50.0));
        assert!(near(control.window(), 25.0));
    }
}
