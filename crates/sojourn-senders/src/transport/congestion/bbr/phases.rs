//! The phases of BBR (draft section 4.3).

use super::{Bbr, LEAST_WINDOW, Mode, PHASES, Probing};
use crate::transport::congestion::Sample;
use crate::units::Instant;

impl Bbr {
    pub(super) fn check_full(&mut self, sample: &Sample) {
        if self.filled || !self.round_began || sample.app_limited {
            return;
        }
        if self.bandwidth.max() >= self.full_bandwidth * (1.0 + self.params.growth.0) {
            (self.full_bandwidth, self.full_rounds) = (self.bandwidth.max(), 0);
            return;
        }
        self.full_rounds += 1;
        self.filled = self.full_rounds >= self.params.growth_rounds;
    }

    pub(super) fn check_drain(&mut self, sample: &Sample) {
        if self.mode == Mode::Startup && self.filled {
            self.mode = Mode::Drain;
            self.pacing_gain = 1.0 / self.params.high_gain;
            self.window_gain = self.params.high_gain;
        }
        if self.mode == Mode::Drain && sample.inflight <= self.inflight(1.0) {
            self.enter_probe_bw(sample.now);
        }
    }

    /// Any phase but the one that drains may be the first (draft section 4.3.4.3).
    pub(super) fn enter_probe_bw(&mut self, now: Instant) {
        self.mode = Mode::ProbeBw;
        self.window_gain = self.params.window_gain;
        let drawn = (now.as_nanos().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize % (PHASES - 1);
        // The drawn phase is one of 0, 2, 3 ... 7.
        self.begin_phase(now, if drawn == 0 { 0 } else { drawn + 1 });
    }

    pub(super) fn begin_phase(&mut self, now: Instant, phase: usize) {
        (self.phase, self.phase_at) = (phase % PHASES, now);
        self.pacing_gain = match self.phase {
            0 => 1.0 + self.params.probe.0,
            1 => 1.0 - self.params.probe.0,
            _ => 1.0,
        };
    }

    pub(super) fn check_phase(&mut self, sample: &Sample) {
        if self.mode != Mode::ProbeBw {
            return;
        }
        let is_over = self.least_rtt.is_some_and(|rtt| sample.now.since(self.phase_at) > rtt);
        let goes_on = match self.phase {
            // At a policer's rate there is no probing.
            _ if self.policer.rate().is_some() => is_over,
            0 => is_over && (sample.lost > 0.0 || sample.before >= self.inflight(self.pacing_gain)),
            1 => is_over || sample.before <= self.inflight(1.0),
            _ => is_over,
        };
        if goes_on {
            self.begin_phase(sample.now, self.phase + 1);
        }
    }

    pub(super) fn check_probe_rtt(&mut self, sample: &Sample, is_old: bool) {
        if self.mode != Mode::ProbeRtt && is_old && !self.restarts {
            self.save_window();
            self.mode = Mode::ProbeRtt;
            (self.pacing_gain, self.window_gain) = (1.0, 1.0);
            self.probing = None;
        }
        if self.mode != Mode::ProbeRtt {
            return;
        }
        self.limited_below = sample.total;
        match &mut self.probing {
            None if sample.inflight <= LEAST_WINDOW => {
                self.probing = Some(Probing { until: sample.now + self.params.probe_rtt, round_over: false });
                self.round_ends = sample.total;
            }
            None => {}
            Some(probing) => {
                probing.round_over |= self.round_began;
                if probing.round_over {
                    self.end_probe_rtt(sample.now);
                }
            }
        }
    }

    /// If it has lasted long enough.
    pub(super) fn end_probe_rtt(&mut self, now: Instant) {
        if self.probing.is_some_and(|probing| now > probing.until) {
            self.least_rtt_at = now;
            self.window = self.window.max(self.prior);
            self.leave_probe_rtt(now);
        }
    }

    pub(super) fn leave_probe_rtt(&mut self, now: Instant) {
        if self.filled {
            self.enter_probe_bw(now);
        } else {
            self.mode = Mode::Startup;
            (self.pacing_gain, self.window_gain) = (self.params.high_gain, self.params.high_gain);
        }
    }
}
