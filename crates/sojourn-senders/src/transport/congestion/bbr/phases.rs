//! The phases of the law, and the gains that they bring.

use super::numbers::Numbers;
use super::{Bbr, GAIN_BITS, GAIN_ONE, LEAST_WINDOW, Mode, ticks};
use crate::transport::congestion::Sample;

/// Phases of ProbeBW; any of them but that which drains may be the first.
const PHASES: u64 = 8;

impl Bbr {
    pub(super) fn enter_probe_bw(&mut self) {
        self.mode = Mode::ProbeBw;
        let drawn = (self.rng.uniform() * (PHASES - 1) as f64) as u64;
        self.begin_phase(PHASES - drawn);
    }

    fn begin_phase(&mut self, phase: u64) {
        (self.phase, self.phase_at) = (phase % PHASES, self.delivered_at);
    }

    pub(super) fn check_phase(&mut self, sample: &Sample) {
        if self.mode != Mode::ProbeBw {
            return;
        }
        let is_over = self.least_rtt.is_some_and(|rtt| self.delivered_at - self.phase_at > rtt);
        let gain = self.pacing_gain;
        let goes_on = if gain == GAIN_ONE {
            is_over
        } else {
            let inflight = self.at_departure(sample.before as u64, sample);
            let highest = self.bandwidth.value();
            if gain > GAIN_ONE {
                is_over && (sample.lost > 0.0 || inflight >= self.target(highest, gain))
            } else {
                is_over || inflight <= self.target(highest, GAIN_ONE)
            }
        };
        if goes_on {
            self.begin_phase(self.phase + 1);
        }
    }

    pub(super) fn check_full(&mut self, app_limited: bool) {
        if self.filled || !self.round_began || app_limited {
            return;
        }
        let highest = self.bandwidth.value();
        if highest >= (self.full_bandwidth * self.numbers.growth) >> GAIN_BITS {
            (self.full_bandwidth, self.full_rounds) = (highest, 0);
            return;
        }
        self.full_rounds += 1;
        self.filled = self.full_rounds >= self.numbers.growth_rounds;
    }

    pub(super) fn check_drain(&mut self, sample: &Sample) {
        let highest = self.bandwidth.value();
        if self.mode == Mode::Startup && self.filled {
            self.mode = Mode::Drain;
            self.ssthresh = Some(self.target(highest, GAIN_ONE));
        }
        if self.mode == Mode::Drain
            && self.at_departure(sample.inflight as u64, sample) <= self.target(highest, GAIN_ONE)
        {
            self.enter_probe_bw();
        }
    }

    pub(super) fn update_least_rtt(&mut self, sample: &Sample, trip: Option<u64>) {
        let now = ticks(sample.now);
        let is_old = now > self.least_rtt_at + self.numbers.rtt_millis;
        if let Some(trip) = trip
            && (is_old && !sample.delayed || self.least_rtt.is_none_or(|least| trip < least))
        {
            (self.least_rtt, self.least_rtt_at) = (Some(trip), now);
        }
        if is_old && !self.restarts && self.mode != Mode::ProbeRtt {
            self.mode = Mode::ProbeRtt;
            self.save_window();
            self.probe_ends = None;
        }
        self.held = self.mode == Mode::ProbeRtt;
        if self.held {
            self.go_on_probing(sample, now);
        }
        self.restarts &= sample.prior.is_none_or(|prior| sample.total <= prior);
    }

    fn go_on_probing(&mut self, sample: &Sample, now: u64) {
        if self.probe_ends.is_some() {
            self.probe_round_over |= self.round_began;
            if self.probe_round_over {
                self.end_probe_rtt(now);
            }
        } else if sample.inflight as u64 <= LEAST_WINDOW {
            self.probe_ends = Some(now + self.numbers.probe_millis);
            self.probe_round_over = false;
            self.round_ends = sample.total;
        }
    }

    /// If it has lasted long enough.
    pub(super) fn end_probe_rtt(&mut self, now: u64) {
        if self.probe_ends.is_none_or(|ends| now <= ends) {
            return;
        }
        self.least_rtt_at = now;
        self.window = self.window.max(self.prior);
        if self.filled {
            self.enter_probe_bw();
        } else {
            self.mode = Mode::Startup;
        }
    }

    pub(super) fn update_gains(&mut self) {
        let Numbers { high, drain, window, up, down, .. } = self.numbers;
        (self.pacing_gain, self.window_gain) = match self.mode {
            Mode::Startup => (high, high),
            Mode::Drain => (drain, high),
            Mode::ProbeBw => {
                let pacing = match self.phase {
                    _ if self.policer.rate().is_some() => GAIN_ONE,
                    0 => up,
                    1 => down,
                    _ => GAIN_ONE,
                };
                (pacing, window)
            }
            Mode::ProbeRtt => (GAIN_ONE, GAIN_ONE),
        };
    }
}
