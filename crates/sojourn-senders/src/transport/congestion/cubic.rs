//! CUBIC: the window follows a cubic function of the time since the last cut, flat around the window at which that
//! cut came. Specification: RFC 9438. Preset `2005`: Rhee and Xu, "CUBIC: a new TCP-friendly high-speed TCP variant",
//! PFLDnet 2005, the constants of Linux 2.6.22. Preset `linux`: the integers of today's Linux (`cubic_kernel.rs`).
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | No HyStart++ (RFC 9438 section 4.10) unless `slow_start` of `tcp` says so | slow start is that of all other laws; preset `linux` has Linux's HyStart | - |
//! | An acknowledgement moves the window by its share of `(target - cwnd) / cwnd` in segments; RFC 9438 section 4.4 counts acknowledgements | delayed acknowledgements would halve the growth | - |

use super::cubic_kernel::CubicKernel;
use super::cubic_settings::{Friendly, Params};
use super::prelude::*;

pub static ENTRY: ControlEntry = ControlEntry {
    name: "cubic",
    title: "CUBIC",
    doc: "A window that grows by time instead of round trips. It is a cubic function of the time since the last congestion, \
          and at least as large as Reno's.",
    reference: "RFC 9438; Rhee and Xu 2005",
    presets: presets! {
        /// The first publication and Linux 2.6.22: 0.8 of the window is kept, at most 160 segments are added per second.
        2005 = { decrease = "0.8", friendly = "constant", increase_max = "160" };
        // Checked on 2026-11-25: tcp_cubic.c of Linux 6.12.117.
        /// Linux 6.12: its whole numbers, in which the plateau counts as reached when the function is within a segment of it, and HyStart.
        /// Under the profile `linux` its window is Linux's after each acknowledgement of the recordings, except where a cube root is 1/1024
        /// s off (docs/linux.md).
        linux = { friendly = "constant", arithmetic = "kernel", hystart = "true" };
    },
    law: Some(|args| drawn::after_a_loss(&|| build(args))),
    ..ControlEntry::of::<Params>(&build)
};

/// A stage of congestion avoidance, in the RFC's names. Windows in segments, times in seconds.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    start: Instant,
    /// When an acknowledgement last came while the window was full, or was seen not to be.
    last: Instant,
    w_max: f64,
    k: f64,
    w_est: f64,
}

#[derive(Clone, Debug)]
struct Cubic {
    params: Params,
    round_trip: RoundTrip,
    /// Window just before the last cut, or less by fast convergence; absent before it and after a timeout.
    w_max: Option<f64>,
    /// Window when the threshold was last set, or at the end of the first slow start; infinite before.
    cwnd_prior: f64,
    epoch: Option<Epoch>,
    /// Plateau, window and stage before the last cut.
    before_cut: (Option<f64>, f64, Option<Epoch>),
}

fn build(args: &Args) -> Box<dyn CongestionControl> {
    let params: Params = args.typed();
    if params.arithmetic == Arithmetic::Kernel {
        return Box::new(Classic::new(CubicKernel::new(params)));
    }
    Box::new(Classic::new(Cubic {
        params,
        round_trip: RoundTrip::default(),
        w_max: None,
        cwnd_prior: f64::INFINITY,
        epoch: None,
        before_cut: (None, f64::INFINITY, None),
    }))
}

/// RFC 9438 figure 1: `W_cubic(t) = C (t - K)^3 + W_max`.
fn w_cubic(c: f64, t: f64, k: f64, w_max: f64) -> f64 {
    let from_plateau = t - k;
    c * from_plateau * from_plateau * from_plateau + w_max
}

/// RFC 9438 figure 2: `K = cbrt((W_max - cwnd_epoch) / C)`.
fn time_to_plateau(c: f64, w_max: f64, cwnd_epoch: f64) -> f64 {
    libm::cbrt((w_max - cwnd_epoch) / c)
}

/// RFC 9438 section 4.3: the increase that makes AIMD with this decrease as fast as Reno, `3 (1 - beta) / (1 + beta)`.
fn alpha_cubic(beta: f64) -> f64 {
    3.0 * (1.0 - beta) / (1.0 + beta)
}

impl Cubic {
    /// RFC 9438 section 4.2: a new stage begins.
    fn begin(&self, now: Instant, cwnd: f64) -> Epoch {
        let (w_max, k) = match self.w_max {
            Some(w_max) if w_max > cwnd => (w_max, time_to_plateau(self.params.c, w_max, cwnd)),
            // §4.8: after a timeout, and where the plateau has been passed, the window is on it already.
            Some(_) | None => (cwnd, 0.0),
        };
        Epoch { start: now, last: now, w_max, k, w_est: cwnd }
    }

    fn avoid_congestion(&mut self, window: &mut Window, acked: &Acked, counted: f64) {
        let cwnd = window.cwnd;
        // §4.1.2: set at the end of the first slow start if nothing has been lost in it.
        if self.cwnd_prior.is_infinite() {
            self.cwnd_prior = cwnd;
        }
        let mut epoch = self.epoch.unwrap_or_else(|| self.begin(acked.now, cwnd));
        if !window.was_full(acked) {
            self.epoch = Some(epoch);
            self.skip_to(acked.now);
            return;
        }
        epoch.last = acked.now;
        let rtt = self.round_trip.smoothed.unwrap_or(0.0);
        let t = acked.now.since(epoch.start).as_secs_f64();
        let curve = w_cubic(self.params.c, t + rtt, epoch.k, epoch.w_max);
        let target = self.target(cwnd, curve, rtt);
        // §4.4 and §4.5.
        let mut next = cwnd + counted * (target - cwnd) / cwnd;
        if self.params.friendly != Friendly::Off {
            epoch.w_est += self.alpha(epoch.w_est) * acked.segments / cwnd;
            if w_cubic(self.params.c, t, epoch.k, epoch.w_max) < epoch.w_est {
                // §4.3.
                next = cwnd.max(epoch.w_est);
            }
        }
        window.cwnd = next;
        self.epoch = Some(epoch);
    }

    /// §4.2 and §5.8: time in which the window was not used does not count.
    fn skip_to(&mut self, now: Instant) {
        if let Some(epoch) = &mut self.epoch {
            epoch.start += now.since(epoch.last);
            epoch.last = now;
        }
    }

    /// RFC 9438 section 4.2: between the window and one and a half of it.
    fn target(&self, cwnd: f64, w_cubic: f64, rtt: f64) -> f64 {
        let most = self.params.increase_max.map_or(f64::INFINITY, |per_second| cwnd + per_second * rtt);
        w_cubic.min(most).clamp(cwnd, 1.5 * cwnd)
    }

    fn alpha(&self, w_est: f64) -> f64 {
        match self.params.friendly {
            Friendly::Faster if w_est >= self.cwnd_prior => 1.0,
            Friendly::Faster | Friendly::Constant | Friendly::Off => alpha_cubic(self.params.decrease.0),
        }
    }
}

impl Law for Cubic {
    fn kept(&mut self, window: &Window, event: &Congestion) -> f64 {
        let cwnd = window.cwnd;
        self.before_cut = (self.w_max, self.cwnd_prior, self.epoch);
        self.cwnd_prior = cwnd;
        // §4.7: another flow has come if the window did not reach the last plateau; make room for it.
        let gives_way = self.params.fast_convergence && self.w_max.is_some_and(|w_max| cwnd < w_max);
        self.w_max = Some(if gives_way { cwnd * (1.0 + self.params.decrease.0) / 2.0 } else { cwnd });
        self.epoch = None;
        event.used * self.params.decrease.0
    }

    fn reset(&mut self, _setup: &Setup) {
        self.round_trip = RoundTrip::default();
        self.w_max = None;
        self.cwnd_prior = f64::INFINITY;
        self.epoch = None;
    }

    /// Above the threshold the window follows a curve, and not the number of acknowledged segments.
    fn open(&mut self, window: &mut Window, acked: &Acked, counted: f64) -> bool {
        self.round_trip.observe(acked.rtt);
        if acked.limited {
            self.skip_to(acked.now);
        } else if window.in_slow_start() {
            window.open_in_slow_start(counted);
        } else if counted > 0.0 {
            self.avoid_congestion(window, acked, counted);
        }
        true
    }

    fn on_timeout(&mut self, _window: &Window) {
        // §4.8: the next stage starts on its plateau.
        self.w_max = None;
        self.epoch = None;
    }

    fn on_milestone(&mut self, _window: &mut Window, milestone: Milestone<'_>) {
        if let Milestone::Resumes { now, .. } = milestone {
            self.skip_to(now);
        }
    }

    fn on_adjustment(&mut self, window: &Window, change: Adjustment) -> Option<Adjustment> {
        match change {
            Adjustment::Limit(segments) if segments >= window.cwnd => {}
            Adjustment::Limit(_) => self.epoch = None,
            // RFC 9438 §4.9: all that the cut has changed.
            Adjustment::Restore { .. } => (self.w_max, self.cwnd_prior, self.epoch) = self.before_cut,
            // The curve says where the window goes.
            Adjustment::Raise(_) => return None,
            Adjustment::Remember | Adjustment::EndSlowStart => {}
        }
        Some(change)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::congestion::testing::{acked, connected, near, used};
    use crate::units::Duration;

    const RTT: Duration = Duration::from_millis(100);

    /// An acknowledgement at `secs` seconds in a round trip of 100 ms.
    fn at(secs: f64) -> Acked {
        Acked { now: Instant::from_secs_f64(secs), rtt: Some(RTT), ..acked(1.0) }
    }

    #[test]
    fn the_plateau_is_reached_after_k() {
        // RFC 9438 §4.2 with W_max = 100, beta = 0.7: K = cbrt(30 / 0.4) = cbrt(75) = 4.2172 s.
        let k = time_to_plateau(0.4, 100.0, 70.0);
        assert!((k - 4.217_163).abs() < 1e-6);
        assert!(near(w_cubic(0.4, 0.0, k, 100.0), 70.0), "it starts where the cut left it");
        assert!(near(w_cubic(0.4, k, k, 100.0), 100.0));
        assert!(near(w_cubic(0.4, k + 5.0, k, 100.0), 150.0), "0.4 * 5^3 above it");
    }

    #[test]
    fn an_ack_moves_the_window_by_its_part_of_the_way_to_the_target() {
        let mut control = connected(&ENTRY, None, &[("friendly", "off")], 100.0, 2.0);
        control.on_congestion_event(&used(100.0));
        assert!(near(control.window(), 70.0));

        // W_cubic(0.1) = 100 - 0.4 (4.217163 - 0.1)^3 = 72.0839: 2.0839/70 of a segment.
        control.on_ack(&at(1.0));
        assert!((control.window() - (70.0 + 2.0839 / 70.0)).abs() < 1e-5, "{}", control.window());
    }

    #[test]
    fn the_target_is_at_most_one_and_a_half_windows() {
        let mut control = connected(&ENTRY, None, &[("friendly", "off")], 10.0, 2.0);
        control.on_ack(&at(1.0));
        control.on_ack(&at(100.0));
        // The cubic function is far above: 5 more per round trip, half a segment per ACK.
        assert!((control.window() - 10.5).abs() < 0.01, "{}", control.window());
    }

    #[test]
    fn in_2005_the_increase_was_bounded_per_second() {
        let settings = [("friendly", "off"), ("increase_max", "20")];
        let mut control = connected(&ENTRY, None, &settings, 10.0, 2.0);
        control.on_ack(&at(1.0));
        let before = control.window();
        control.on_ack(&at(100.0));
        // 20 per second are 2 per round trip of 100 ms.
        assert!(near(control.window(), before + 2.0 / before));
    }

    #[test]
    fn reno_holds_it_up_at_small_windows_and_round_trips() {
        // W_max = 10, cwnd = 7. Each ACK adds alpha = 3 * 0.3/1.7 = 0.529412 over the window to W_est; the cubic
        // function needs K = cbrt(3 / 0.4) = 1.96 s for a growth that Reno reaches in 6 round trips of 10 ms.
        let mut control = connected(&ENTRY, None, &[], 10.0, 2.0);
        control.on_congestion_event(&used(10.0));
        control.on_ack(&Acked { rtt: Some(Duration::from_millis(10)), ..at(1.0) });
        assert!(near(control.window(), 7.0 + 0.529_411_764_705_882_4 / 7.0));
    }

    #[test]
    fn above_the_window_of_the_last_cut_reno_grows_by_one() {
        let mut control = connected(&ENTRY, None, &[("c", "0.000001")], 10.0, 2.0);
        control.on_congestion_event(&used(10.0));
        while control.window() < 10.0 {
            control.on_ack(&at(1.0));
        }
        let before = control.window();
        control.on_ack(&at(1.0));
        assert!(near(control.window(), before + 1.0 / before));
    }

    #[test]
    fn after_a_first_slow_start_without_loss_reno_grows_by_one() {
        // RFC 9438 §4.1.2 and §4.10: cwnd_prior, W_max and W_est are the window, K is 0.
        let mut control = connected(&ENTRY, None, &[("c", "0.000001")], 9.0, 10.0);
        control.on_ack(&at(1.0));
        assert!(near(control.window(), 10.0), "slow start");
        control.on_ack(&at(1.0));
        assert!(near(control.window(), 10.1), "{}", control.window());
    }

    #[test]
    fn fast_convergence_lowers_the_plateau() {
        let mut control = connected(&ENTRY, None, &[("friendly", "off")], 100.0, 2.0);
        control.on_congestion_event(&used(100.0));
        control.on_congestion_event(&used(80.0));
        // The window was 70 < 100: W_max = 70 * 1.7/2 = 59.5, the window 0.7 * 80 = 56, K = cbrt(3.5 / 0.4) =
        // 2.0606 s; W_cubic(0.1) = 59.5 - 0.4 * 1.9606^3 = 56.4853.
        assert!(near(control.window(), 56.0));
        control.on_ack(&at(1.0));
        assert!((control.window() - (56.0 + 0.4853 / 56.0)).abs() < 1e-5, "{}", control.window());
    }

    #[test]
    fn after_a_timeout_slow_start_ends_on_the_plateau() {
        let mut control = connected(&ENTRY, None, &[("friendly", "off")], 100.0, 2.0);
        control.on_timeout(Some(&used(100.0)));
        assert!(near(control.window(), 1.0) && near(control.ssthresh(), 70.0));

        control.on_timeout(None);
        assert!(near(control.ssthresh(), 70.0));
        for _ in 0..69 {
            control.on_ack(&at(1.0));
        }
        assert!(near(control.window(), 70.0));
        // K = 0: W_cubic(0.1) = 70 + 0.4 * 0.1^3.
        control.on_ack(&at(1.0));
        assert!(near(control.window(), 70.0 + 0.0004 / 70.0));
    }

    #[test]
    fn time_in_which_the_window_is_not_used_does_not_count() {
        let mut control = connected(&ENTRY, None, &[("friendly", "off")], 100.0, 2.0);
        control.on_congestion_event(&used(100.0));
        control.on_ack(&at(1.0));
        let before = control.window();
        control.on_ack(&Acked { inflight: 1.0, ..at(50.0) });
        assert!(near(control.window(), before));

        // As at time 1.0: the same target, from a window that has moved a little.
        control.on_ack(&at(50.0));
        assert!((control.window() - (before + (72.0839 - before) / before)).abs() < 1e-5, "{}", control.window());
    }
}
