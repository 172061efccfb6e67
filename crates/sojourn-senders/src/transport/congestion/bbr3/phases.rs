//! The state machine (draft section 5.3).

use super::path_model::{delivered, rate};
use super::{AckPhase, Bbr3, Sample, State};
use crate::units::Instant;

/// The growth of `inflight_longterm` doubles in this number of rounds at most (draft section 5.3.3.9).
const MOST_DOUBLED: u32 = 30;

impl Bbr3 {
    pub(super) fn pacing_gain(&self) -> f64 {
        match self.state {
            State::Startup => self.params.startup_gain,
            State::Drain => self.params.drain_gain,
            State::Down => self.params.down_gain,
            State::Up => self.params.up_gain,
            State::Cruise | State::Refill | State::ProbeRtt => 1.0,
        }
    }

    pub(super) fn cwnd_gain(&self) -> f64 {
        match self.state {
            State::Up => self.params.up_window_gain,
            State::ProbeRtt => self.params.probe_rtt_gain,
            _ => self.params.window_gain,
        }
    }

    // ---- Startup (draft section 5.3.1).

    pub(super) fn reset_full_bw(&mut self) {
        (self.full_bw, self.full_bw_count, self.full_bw_now) = (0.0, 0, false);
    }

    pub(super) fn check_full_bw_reached(&mut self, sample: &Sample) {
        if self.full_bw_now || !self.round_start || sample.app_limited {
            return;
        }
        if rate(sample) >= self.full_bw * (1.0 + self.params.growth.0) {
            self.reset_full_bw();
            self.full_bw = rate(sample);
            return;
        }
        self.full_bw_count += 1;
        self.full_bw_now = self.full_bw_count >= self.params.growth_rounds;
        self.full_bw_reached |= self.full_bw_now;
    }

    pub(super) fn check_startup_done(&mut self, sample: &Sample) {
        self.check_startup_high_loss(sample);
        if self.state == State::Startup && self.full_bw_reached {
            self.state = State::Drain;
            self.drain_start_round = self.round_count;
        }
    }

    /// Draft section 5.3.1.3: looks at a whole round in fast recovery.
    fn check_startup_high_loss(&mut self, sample: &Sample) {
        if !self.loss_round_start {
            return;
        }
        let ranges = std::mem::take(&mut self.loss_ranges);
        self.last_lost = None;
        let is_fast = self.recovering && !self.timed_out;
        if self.state == State::Startup
            && !self.full_bw_reached
            && is_fast
            && ranges >= self.params.loss_ranges
            && self.is_inflight_too_high(sample.lost_since, sample.flight_then)
        {
            self.undo.state = Some(State::Startup);
            (self.full_bw_reached, self.full_bw_now) = (true, true);
            self.inflight_longterm = self.bdp().max(self.inflight_latest);
        }
    }

    // ---- Drain (draft section 5.3.2).

    pub(super) fn check_drain_done(&mut self, sample: &Sample) {
        let is_late = self.params.drain_rounds.is_some_and(|rounds| self.round_count > self.drain_start_round + rounds);
        if self.state == State::Drain && (sample.inflight <= self.inflight_at(self.bw) || is_late) {
            self.start_down(sample.now);
        }
    }

    // ---- ProbeBW (draft section 5.3.3.9).

    pub(super) fn start_down(&mut self, now: Instant) {
        // ResetCongestionSignals.
        (self.is_loss_in_round, self.bw_latest, self.inflight_latest) = (false, 0.0, 0.0);
        self.probe_up_acked_per_inc = f64::INFINITY;
        // PickProbeWait.
        self.rounds_since_probe_up = self.rng.below(2);
        self.bw_probe_wait = self.params.probe_wait + self.params.probe_spread.mul_f64(self.rng.uniform());
        self.cycle_stamp = now;
        self.ack_phase = AckPhase::ProbeStopping;
        self.start_round();
        self.state = State::Down;
    }

    pub(super) fn start_refill(&mut self) {
        self.reset_short_term_model();
        (self.bw_probe_up_rounds, self.bw_probe_up_acked) = (0, 0.0);
        self.prev_probe_precautionary = false;
        self.ack_phase = AckPhase::Refilling;
        self.start_round();
        self.state = State::Refill;
    }

    fn start_up(&mut self, sample: &Sample) {
        self.ack_phase = AckPhase::ProbeStarting;
        self.start_round();
        self.reset_full_bw();
        self.full_bw = rate(sample);
        self.state = State::Up;
        self.raise_inflight_longterm_slope();
    }

    pub(super) fn update_probe_bw_cycle_phase(&mut self, sample: &Sample) {
        if !self.full_bw_reached || self.adapt_long_term_model(sample) {
            return;
        }
        let state = self.state;
        match state {
            State::Down | State::Cruise if self.is_time_to_probe_bw(sample.now) => self.start_refill(),
            State::Down if self.is_time_to_cruise(sample) => self.state = State::Cruise,
            State::Refill if self.round_start => {
                self.is_bw_probe_sample = true;
                self.start_up(sample);
            }
            State::Up if self.is_time_to_go_down(sample) => {
                self.prev_probe_too_high = false;
                self.start_down(sample.now);
            }
            _ => {}
        }
    }

    /// Draft section 5.3.3.8.
    fn is_time_to_probe_bw(&self, now: Instant) -> bool {
        let rounds = self.target_inflight().min(self.params.probe_rounds as f64);
        now > self.cycle_stamp + self.bw_probe_wait || self.rounds_since_probe_up as f64 >= rounds
    }

    fn is_time_to_cruise(&self, sample: &Sample) -> bool {
        sample.inflight <= self.inflight_with_headroom() && sample.inflight <= self.inflight_at(self.max_bw())
    }

    fn is_time_to_go_down(&mut self, sample: &Sample) -> bool {
        if self.prev_probe_too_high && sample.inflight >= self.inflight_longterm {
            self.prev_probe_precautionary = true;
            return true;
        }
        if sample.full && self.cwnd >= self.inflight_longterm {
            self.reset_full_bw();
            self.full_bw = rate(sample);
            return false;
        }
        self.full_bw_now
    }

    fn raise_inflight_longterm_slope(&mut self) {
        let growth = f64::from(1_u32 << self.bw_probe_up_rounds);
        self.bw_probe_up_rounds = (self.bw_probe_up_rounds + 1).min(MOST_DOUBLED);
        self.probe_up_acked_per_inc = (self.cwnd / growth).max(1.0);
    }

    fn probe_inflight_longterm_upward(&mut self, sample: &Sample) {
        if !sample.full || self.cwnd < self.inflight_longterm {
            return;
        }
        self.bw_probe_up_acked += sample.delivered;
        if self.bw_probe_up_acked >= self.probe_up_acked_per_inc {
            let delta = libm::floor(self.bw_probe_up_acked / self.probe_up_acked_per_inc);
            self.bw_probe_up_acked -= delta * self.probe_up_acked_per_inc;
            self.inflight_longterm += delta;
        }
        if self.round_start {
            self.raise_inflight_longterm_slope();
        }
    }

    /// Returns whether it has decided the next state.
    fn adapt_long_term_model(&mut self, sample: &Sample) -> bool {
        if self.ack_phase == AckPhase::ProbeStarting && self.round_start {
            self.ack_phase = AckPhase::ProbeFeedback;
        }
        if self.ack_phase == AckPhase::ProbeStopping && self.round_start {
            self.is_bw_probe_sample = false;
            self.ack_phase = AckPhase::Init;
            if self.state.is_probe_bw() && !sample.app_limited {
                self.advance_max_bw_filter();
            }
            if self.state.is_probe_bw() && self.prev_probe_precautionary && !self.prev_probe_too_high {
                self.start_refill();
                return true;
            }
        }
        if self.inflight_longterm.is_finite() && !self.is_inflight_too_high(sample.lost_since, sample.flight_then) {
            self.inflight_longterm = self.inflight_longterm.max(sample.flight_then);
            if self.state == State::Up {
                self.probe_inflight_longterm_upward(sample);
            }
        }
        false
    }

    // ---- ProbeRTT (draft sections 5.3.4.3 and 5.3.4.4).

    pub(super) fn check_probe_rtt(&mut self, sample: &Sample) {
        if self.state != State::ProbeRtt && self.probe_rtt_expired && !self.idle_restart {
            self.state = State::ProbeRtt;
            self.save_cwnd();
            self.probe_rtt_done_stamp = None;
            self.ack_phase = AckPhase::ProbeStopping;
            self.start_round();
        }
        if self.state == State::ProbeRtt {
            self.handle_probe_rtt(sample);
        }
        self.idle_restart &= delivered(sample) <= 0.0;
    }

    fn handle_probe_rtt(&mut self, sample: &Sample) {
        if self.probe_rtt_done_stamp.is_some() {
            self.probe_rtt_round_done |= self.round_start;
            if self.probe_rtt_round_done {
                self.check_probe_rtt_done(sample.now);
            }
        } else if sample.inflight <= self.probe_rtt_cwnd() {
            self.probe_rtt_done_stamp = Some(sample.now + self.params.probe_rtt);
            self.probe_rtt_round_done = false;
            self.start_round();
        }
    }

    fn check_probe_rtt_done(&mut self, now: Instant) {
        if self.probe_rtt_done_stamp.is_some_and(|done| now > done) {
            self.probe_rtt_min_stamp = now;
            self.restore_cwnd();
            self.exit_probe_rtt(now);
        }
    }

    fn exit_probe_rtt(&mut self, now: Instant) {
        self.reset_short_term_model();
        if self.full_bw_reached {
            self.start_down(now);
            self.state = State::Cruise;
        } else {
            self.state = State::Startup;
        }
    }

    // ---- After an idle time (draft section 5.4.1).

    pub(super) fn restart_from_idle(&mut self, now: Instant) {
        self.idle_restart = true;
        self.aggregation.interval_start = now;
        if self.state.is_probe_bw() {
            self.set_pacing_rate(1.0);
        } else if self.state == State::ProbeRtt {
            self.check_probe_rtt_done(now);
        }
    }
}
