//! CUBIC in the whole numbers of Linux 2.6.22, which ns-2's TCP-Linux carries (`arithmetic = "linux"`). Compared with: ns-2
//! 2.35, packet by packet (`tests/peers/test_traces.py`). Where it differs from the real numbers of [`super::cubic`]:
//! - the window is counted in whole segments, time in milliseconds and in 1/1024 s, constants in 1/1024;
//! - one segment is added for a number of acknowledgements that is computed anew when the window has changed or 31 ms have passed;
//! - the number of segments per acknowledgement is averaged from 2 on, in sixteenths that stop at 31 where each segment is
//!   acknowledged: the window follows its function nearly twice as fast as it should;
//! - until a loss has been found by duplicates a segment is added for every 50 acknowledgements;
//! - the shortest round-trip time is not taken in the first second after a cut.

use super::cubic_settings::{Friendly, Params};
use super::cubic_whole::{Epoch, PAUSE, SCALE, UNMEASURED, cut, millis};
use super::window::{Halving, Window};
use super::{Acked, Adjustment, Congestion, CongestionControl, Linux26, Setup};

/// Acknowledgements for a segment before the first loss.
const UNTRIED: u64 = 50;
#[derive(Clone, Debug)]
pub(super) struct CubicLinux {
    window: Window,
    params: Params,
    /// Acknowledgements since the last segment was added, and after how many the next one is.
    heard: u64,
    needed: u64,
    /// Window and millisecond of the last computation.
    computed: (u64, u64),
    /// Segments that an acknowledgement stands for, in sixteenths.
    ratio: u64,
    /// The shortest round trip in milliseconds; zero before the first.
    delay: u64,
    /// Plateau, and whether a loss has been found since the start or the last timeout.
    w_max: u64,
    tried: bool,
    epoch: Option<Epoch>,
}

impl CubicLinux {
    pub fn new(params: Params) -> Self {
        CubicLinux {
            window: Window::new(Halving::Never),
            params,
            heard: 0,
            needed: 0,
            computed: (0, 0),
            ratio: 32,
            delay: 0,
            w_max: 0,
            tried: false,
            epoch: None,
        }
    }

    fn cwnd(&self) -> u64 {
        self.window.cwnd as u64
    }

    /// Beta in 1/1024.
    fn beta(&self) -> u64 {
        (self.params.decrease.0 * SCALE as f64) as u64
    }

    fn forget(&mut self) {
        let (window, params) = (self.window.clone(), self.params.clone());
        *self = CubicLinux { window, ..CubicLinux::new(params) };
    }

    fn measure(&mut self, acked: &Acked) {
        let Some(rtt) = acked.rtt else { return };
        let now = millis(acked.now);
        if now.saturating_sub(self.epoch.map_or(0, |epoch| epoch.start)) < UNMEASURED {
            return;
        }
        // The timestamp is rounded, the clock is cut off.
        let sent = (acked.now.as_nanos() - rtt.as_nanos() + 500_000) / 1_000_000;
        let delay = now.saturating_sub(sent).max(1);
        self.delay = if self.delay == 0 { delay } else { self.delay.min(delay) };
    }

    /// After how many acknowledgements a segment is added.
    fn compute(&mut self, now: u64) {
        let cwnd = self.cwnd();
        if let Some(epoch) = &mut self.epoch {
            epoch.count(1);
        }
        if self.computed.0 == cwnd && now - self.computed.1 <= PAUSE {
            return;
        }
        self.computed = (cwnd, now);
        let mut epoch = self.epoch.unwrap_or_else(|| Epoch::begin(&self.params, now, cwnd, self.w_max, 1));
        let t = ((now + self.delay - epoch.start) * SCALE) / 1000;
        let mut needed = epoch.needed(cwnd, t);
        if let Some(per_second) = self.params.increase_max
            && self.delay > 0
            && t >= epoch.k
        {
            // Smax per second are Smax delay per round trip.
            needed = needed.max((cwnd as f64 * 1000.0 / (per_second * self.delay as f64)) as u64);
        }
        if !self.tried {
            needed = UNTRIED;
        }
        if self.params.friendly != Friendly::Off {
            needed = needed.min(epoch.reno(cwnd, self.beta()));
        }
        self.needed = ((needed << 4) / self.ratio.max(1)).max(1);
        self.epoch = Some(epoch);
    }

    /// The threshold after a cut, and the next plateau.
    fn lose(&mut self) -> u64 {
        let (plateau, kept) = cut(&self.params, self.cwnd(), self.beta(), self.w_max);
        self.w_max = plateau;
        self.tried = true;
        self.epoch = None;
        self.heard = 0;
        kept
    }
}

impl CongestionControl for CubicLinux {
    fn on_connect(&mut self, setup: &Setup) {
        self.window.connect(setup);
        self.forget();
    }

    fn on_ack(&mut self, acked: &Acked) {
        self.ratio = (self.ratio + libm::round(acked.segments) as u64).saturating_sub(self.ratio >> 4);
        self.measure(acked);
        if acked.ece || !self.window.was_full(acked) {
            return;
        }
        if self.window.cwnd <= self.window.ssthresh {
            self.window.cwnd += 1.0;
            return;
        }
        self.compute(millis(acked.now));
        if self.heard >= self.needed {
            self.window.cwnd += 1.0;
            self.heard = 0;
        } else {
            self.heard += 1;
        }
    }

    fn on_congestion_event(&mut self, _event: &Congestion) {
        self.window.ssthresh = self.lose() as f64;
        self.window.cwnd = self.window.ssthresh;
    }

    fn on_timeout(&mut self, event: Option<&Congestion>) {
        let kept = self.lose() as f64;
        self.window.timeout(event, |_| kept);
        self.forget();
    }

    fn adjust(&mut self, change: Adjustment) {
        match change {
            Adjustment::Limit(segments) => self.window.limit(libm::floor(segments).max(1.0)),
            Adjustment::Raise(segments) => self.window.raise(libm::floor(segments)),
            Adjustment::Remember | Adjustment::EndSlowStart | Adjustment::Restore { .. } => {}
        }
    }

    fn window(&self) -> f64 {
        self.window.cwnd
    }

    fn ssthresh(&self) -> f64 {
        self.window.ssthresh
    }

    fn linux26(&self) -> Option<&dyn Linux26> {
        Some(self)
    }
}

impl Linux26 for CubicLinux {
    fn recovery_window(&self) -> f64 {
        // Linux 2.6.22 gives CUBIC no `min_cwnd`.
        self.window.ssthresh
    }
}

#[cfg(test)]
mod tests {
    use super::super::cubic::ENTRY;
    use super::super::testing::{acked, connected, near, used};
    use super::super::{Acked, CongestionControl};
    use crate::units::Instant;

    /// CUBIC in congestion avoidance, with a window in segments.
    fn cubic(window: f64) -> Box<dyn CongestionControl> {
        connected(&ENTRY, Some("ns2"), &[], window, 2.0)
    }

    fn at(secs: f64) -> Acked {
        Acked { now: Instant::from_secs_f64(secs), ..acked(1.0) }
    }

    #[test]
    fn a_cut_keeps_819_of_1024_in_whole_segments() {
        let mut control = cubic(100.0);
        control.on_congestion_event(&used(100.0));
        assert!(near(control.window(), 79.0), "81900/1024 = 79.98");
        control.on_congestion_event(&used(79.0));
        assert!(near(control.window(), 63.0), "64701/1024 = 63.2");
    }

    #[test]
    fn before_the_first_loss_every_26th_ack_adds_a_segment() {
        // 50 acknowledgements of 31/16 segments: 50 * 16/31 = 25, and one more.
        let mut control = cubic(10.0);
        for _ in 0..25 {
            control.on_ack(&at(0.0));
        }
        assert!(near(control.window(), 10.0));
        control.on_ack(&at(0.0));
        assert!(near(control.window(), 11.0));

        // A timeout forgets that there was a loss: slow start to 8, then as before.
        control.on_timeout(Some(&used(11.0)));
        assert!(near(control.window(), 1.0) && near(control.ssthresh(), 8.0), "{}", control.ssthresh());
        for _ in 0..8 + 25 {
            control.on_ack(&at(1.0));
        }
        assert!(near(control.window(), 9.0));
        control.on_ack(&at(1.0));
        assert!(near(control.window(), 10.0));
    }

    #[test]
    fn far_behind_its_function_it_adds_a_segment_for_every_second_ack() {
        // The first acknowledgement is slow start's, since the window is not above its threshold. From 80 to 100: K = cbrt(20/0.4)
        // = 3.68 s. There nothing is added at first: 100 * 80 * 16/31 acknowledgements.
        let mut control = cubic(100.0);
        control.on_congestion_event(&used(100.0));
        control.on_ack(&at(10.0));
        control.on_ack(&at(10.0));
        assert!(near(control.window(), 80.0));
        // 5 s behind the plateau: 150. 80/(150 - 80) = 1, 16/31 of it 0, at least 1: one after one has been counted.
        for window in [81.0, 81.0, 82.0] {
            control.on_ack(&at(18.69));
            assert!(near(control.window(), window), "{}", control.window());
        }
    }

    #[test]
    fn it_grows_as_reno_would_with_this_decrease() {
        // 8 (1024 + 819)/3/205 = 23 eighths of a window of acknowledgements are a segment for Reno: at 3, on its plateau, 8; and
        // then 3/1 * 16/31 = 1 acknowledgement adds it, and more have come.
        let mut control = cubic(3.0);
        control.on_congestion_event(&used(3.0));
        assert!(near(control.window(), 2.0));
        for n in 0..9 {
            // 40 ms apart, so that each is computed.
            control.on_ack(&at(10.0 + 0.04 * f64::from(n)));
            assert!(near(control.window(), 3.0), "{n}: {}", control.window());
        }
        control.on_ack(&at(10.4));
        assert!(near(control.window(), 4.0));
    }

    #[test]
    fn the_plateau_is_lowered_when_the_window_did_not_reach_it() {
        // 100, then 79: W_max = 79 * 1843/2048 = 71, reached K = cbrt(7/0.4) = 2.6 s after 64 has been. Eight segments take fewer
        // than 200 acknowledgements: at most 70 * 16/31 each.
        let mut control = cubic(100.0);
        control.on_congestion_event(&used(100.0));
        control.on_congestion_event(&used(79.0));
        control.on_ack(&at(10.0));
        control.on_ack(&at(10.0));
        for _ in 0..200 {
            control.on_ack(&at(12.6));
        }
        assert!(near(control.window(), 71.0), "{}", control.window());
    }
}
