//! Losses, recovery, and losses that were none (draft sections 5.5.10, 5.5.11 and 5.6.4.4).

use super::{Bbr3, Lost, Sample, State, Undo};
use crate::units::Instant;

/// InflightAtLoss: the data in flight at which losses crossed the part `threshold`. The segment left as one of `flight` segments in flight,
/// and `lost` have been lost since, with it.
///
/// `inflight_prev + lost_prefix`, `lost_prefix = (threshold * inflight_prev - lost_prev) / (1 - threshold)`.
// Draft section 5.5.10.2.
fn inflight_at_loss(threshold: f64, flight: f64, lost: f64) -> f64 {
    let (inflight_prev, lost_prev) = (flight - 1.0, lost - 1.0);
    inflight_prev + (threshold * inflight_prev - lost_prev) / (1.0 - threshold)
}

impl Bbr3 {
    /// IsInflightTooHigh. Selective acknowledgements are always there: the profile of TCP needs them.
    pub(super) fn is_inflight_too_high(&self, lost: f64, flight: f64) -> bool {
        lost > flight * self.params.loss.0
    }

    pub(super) fn handle_lost_packet(&mut self, lost: &Lost) {
        self.note_loss(lost);
        if !self.is_bw_probe_sample || !self.is_inflight_too_high(lost.lost_since, lost.flight_then) {
            return;
        }
        let flight = inflight_at_loss(self.params.loss.0, lost.flight_then, lost.lost_since);
        self.handle_inflight_too_high(lost, flight);
    }

    fn note_loss(&mut self, lost: &Lost) {
        if !self.is_loss_in_round {
            self.loss_round_delivered = lost.total;
            self.save_state_upon_loss(lost.now);
            self.loss_ranges = 0;
        }
        self.is_loss_in_round = true;
        self.loss_ranges += u64::from(self.last_lost.is_none_or(|last| last + 1 != lost.number));
        self.last_lost = Some(lost.number);
    }

    fn handle_inflight_too_high(&mut self, lost: &Lost, flight: f64) {
        self.prev_probe_too_high = true;
        self.is_bw_probe_sample = false;
        if !lost.app_limited {
            self.inflight_longterm = flight.max(self.target_inflight() * self.params.beta.0);
        }
        if self.state == State::Up {
            self.undo.state = Some(State::Up);
            self.delivered = lost.total;
            self.start_down(lost.now);
        }
    }

    /// AdaptLowerBoundsFromCongestion, once per round (draft section 5.5.10.3).
    pub(super) fn adapt_lower_bounds(&mut self) {
        if !self.loss_round_start {
            return;
        }
        if self.is_loss_in_round && !self.state.probes() {
            if self.bw_shortterm.is_infinite() {
                self.bw_shortterm = self.max_bw();
            }
            if self.inflight_shortterm.is_infinite() {
                self.inflight_shortterm = self.cwnd;
            }
            let beta = self.params.beta.0;
            self.bw_shortterm = self.bw_latest.max(beta * self.bw_shortterm);
            self.inflight_shortterm = self.inflight_latest.max(beta * self.inflight_shortterm);
        }
        self.is_loss_in_round = false;
    }

    pub(super) fn reset_short_term_model(&mut self) {
        (self.bw_shortterm, self.inflight_shortterm) = (f64::INFINITY, f64::INFINITY);
    }

    // ---- Recovery (draft section 5.6.4.4).

    pub(super) fn save_cwnd(&mut self) {
        let is_whole = !self.recovering && self.state != State::ProbeRtt;
        self.prior_cwnd = if is_whole { self.cwnd } else { self.prior_cwnd.max(self.cwnd) };
    }

    pub(super) fn restore_cwnd(&mut self) {
        self.cwnd = self.cwnd.max(self.prior_cwnd);
    }

    fn save_state_upon_loss(&mut self, now: Instant) {
        // Deviation: what one acknowledgement tells is one loss (see the table).
        if self.undo.saved == Some(now) {
            return;
        }
        self.save_cwnd();
        let Bbr3 { bw_shortterm, inflight_shortterm, inflight_longterm, .. } = *self;
        self.undo = Undo { state: None, bw_shortterm, inflight_shortterm, inflight_longterm, saved: Some(now) };
    }

    /// OnEnterFastRecovery, and OnEnterRTO but for the window.
    pub(super) fn enter_recovery(&mut self, now: Instant) {
        self.save_state_upon_loss(now);
        (self.recovering, self.timed_out) = (true, false);
    }

    pub(super) fn leave_recovery(&mut self, sample: &Sample) {
        if self.recovering && !sample.recovering {
            self.restore_cwnd();
            (self.recovering, self.timed_out) = (false, false);
        }
    }

    /// HandleSpuriousLossDetection (draft section 5.5.11.2).
    pub(super) fn handle_spurious_loss_detection(&mut self) {
        self.restore_cwnd();
        self.is_loss_in_round = false;
        self.reset_full_bw();
        let Undo { state, bw_shortterm, inflight_shortterm, inflight_longterm, .. } = self.undo;
        self.bw_shortterm = self.bw_shortterm.max(bw_shortterm);
        self.inflight_shortterm = self.inflight_shortterm.max(inflight_shortterm);
        self.inflight_longterm = self.inflight_longterm.max(inflight_longterm);
        self.undo.state = None;
        match state {
            Some(State::Startup) if self.state != State::Startup => {
                self.full_bw_reached = false;
                if self.state != State::ProbeRtt {
                    self.state = State::Startup;
                }
            }
            Some(State::Up) if self.state != State::Up && self.state != State::ProbeRtt => self.start_refill(),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::inflight_at_loss;
    use crate::rig::near;

    #[test]
    fn losses_crossed_two_per_cent_just_before_the_third_of_a_hundred() {
        // Previous 99, lost before 2: (1.98 - 2)/0.98 = -0.0204. Of 200 the fifth: 199 + (3.98 - 4)/0.98.
        assert!(near(inflight_at_loss(0.02, 100.0, 3.0), 99.0 - 0.02 / 0.98));
        assert!(near(inflight_at_loss(0.02, 200.0, 5.0), 199.0 - 0.02 / 0.98));
    }
}
