//! The control parameters (draft section 5.6): pacing rate, send quantum, window.

use super::{Bbr3, LEAST_WINDOW, Sample, State};
use crate::units::Duration;

/// The round trip that is assumed before one has been measured (draft section 5.6.2).
const ASSUMED_RTT: Duration = Duration::from_millis(1);
/// Seconds at the pacing rate that leave at once, and bounds of that amount: segments and bytes (draft section 5.6.3).
const QUANTUM_SECONDS: f64 = 0.001;
const QUANTUM_LEAST: f64 = 2.0;
const QUANTUM_MOST: f64 = 65_536.0;

impl Bbr3 {
    // ---- Pacing rate (draft section 5.6.2).

    /// `StartupPacingGain * InitialCwnd / (srtt or 1 ms)`.
    pub(super) fn init_pacing_rate(&mut self, srtt: Option<Duration>) {
        let srtt = srtt.filter(|rtt| *rtt > Duration::ZERO);
        self.seen_rtt = srtt.is_some();
        self.pacing_rate = self.params.startup_gain * self.initial / srtt.unwrap_or(ASSUMED_RTT).as_secs_f64();
    }

    /// SetPacingRateWithGain.
    pub(super) fn set_pacing_rate(&mut self, gain: f64) {
        if !self.seen_rtt {
            self.init_pacing_rate(self.min_rtt);
        }
        let rate = gain * self.bw * (1.0 - self.params.margin.0);
        if rate > 0.0 && (self.full_bw_reached || rate > self.pacing_rate) {
            self.pacing_rate = rate;
        }
    }

    // ---- Send quantum (draft section 5.6.3), in segments.

    pub(super) fn send_quantum(&self) -> f64 {
        (self.pacing_rate * QUANTUM_SECONDS).min(QUANTUM_MOST / self.mss).max(QUANTUM_LEAST)
    }

    // ---- Window (draft section 5.6.4).

    pub(super) fn set_cwnd(&mut self, sample: &Sample) {
        let max_inflight = self.with_budget(self.bdp_multiple(self.cwnd_gain()) + self.extra_acked());
        if self.full_bw_reached {
            self.cwnd = (self.cwnd + sample.delivered).min(max_inflight);
        } else if self.cwnd < max_inflight || (sample.total as f64) < self.initial {
            self.cwnd += sample.delivered;
        }
        self.cwnd = self.cwnd.max(LEAST_WINDOW);
        if self.state == State::ProbeRtt {
            self.cwnd = self.cwnd.min(self.probe_rtt_cwnd());
        }
        self.bound_cwnd_for_model();
        self.cwnd = self.cwnd.min(sample.most).max(1.0);
    }

    pub(super) fn probe_rtt_cwnd(&self) -> f64 {
        self.bdp_multiple(self.params.probe_rtt_gain).max(LEAST_WINDOW)
    }

    fn bound_cwnd_for_model(&mut self) {
        let cap = match self.state {
            State::Down | State::Refill | State::Up => self.inflight_longterm,
            State::Cruise | State::ProbeRtt => self.inflight_with_headroom(),
            State::Startup | State::Drain => f64::INFINITY,
        };
        self.cwnd = self.cwnd.min(cap.min(self.inflight_shortterm).max(LEAST_WINDOW));
    }
}
