//! The model of the path (draft section 5.5): rounds, bandwidth, shortest round trip, acknowledgements that come in groups.

use super::{Aggregation, Bbr3, Sample, State};

/// RS.delivery_rate; 0 if there is no sample.
pub(super) fn rate(sample: &Sample) -> f64 {
    sample.rate.unwrap_or(0.0)
}

/// RS.delivered.
pub(super) fn delivered(sample: &Sample) -> f64 {
    sample.prior.map_or(0.0, |prior| (sample.total - prior) as f64)
}

impl Bbr3 {
    /// UpdateModelAndState (draft section 5.2.3).
    pub(super) fn update_model(&mut self, sample: &Sample) {
        self.update_latest_delivery_signals(sample);
        self.update_max_bw(sample);
        self.adapt_lower_bounds();
        self.update_ack_aggregation(sample);
        self.check_full_bw_reached(sample);
        self.check_startup_done(sample);
        self.check_drain_done(sample);
        self.update_probe_bw_cycle_phase(sample);
        self.update_min_rtt(sample);
        self.check_probe_rtt(sample);
        self.advance_latest_delivery_signals(sample);
        self.bw = self.max_bw().min(self.bw_shortterm);
    }

    // Draft section 5.5.1.

    fn update_round(&mut self, sample: &Sample) {
        self.round_start = sample.prior.is_some_and(|prior| prior >= self.next_round_delivered);
        if self.round_start {
            self.start_round();
            self.round_count += 1;
            self.rounds_since_probe_up += 1;
        }
    }

    pub(super) fn start_round(&mut self) {
        self.next_round_delivered = self.delivered;
    }

    // Draft sections 5.5.2 to 5.5.6.

    pub(super) fn max_bw(&self) -> f64 {
        self.max_bw[0].max(self.max_bw[1])
    }

    pub(super) fn update_max_bw(&mut self, sample: &Sample) {
        self.update_round(sample);
        let rate = rate(sample);
        if rate > 0.0 && (rate >= self.max_bw() || !sample.app_limited) {
            self.max_bw[1] = self.max_bw[1].max(rate);
        }
    }

    pub(super) fn advance_max_bw_filter(&mut self) {
        // Deviation: not without a sample (see the table).
        if self.max_bw[1] > 0.0 {
            self.max_bw = [self.max_bw[1], 0.0];
        }
    }

    // Draft section 5.5.10.3.

    fn update_latest_delivery_signals(&mut self, sample: &Sample) {
        self.bw_latest = self.bw_latest.max(rate(sample));
        self.inflight_latest = self.inflight_latest.max(delivered(sample));
        self.loss_round_start = sample.prior.is_some_and(|prior| prior >= self.loss_round_delivered);
        if self.loss_round_start {
            self.loss_round_delivered = self.delivered;
        }
    }

    fn advance_latest_delivery_signals(&mut self, sample: &Sample) {
        if self.loss_round_start {
            (self.bw_latest, self.inflight_latest) = (rate(sample), delivered(sample));
        }
    }

    // Draft section 5.5.9.

    pub(super) fn update_ack_aggregation(&mut self, sample: &Sample) {
        let Aggregation { interval_start, delivered, extra } = &mut self.aggregation;
        let mut expected = self.bw * sample.now.since(*interval_start).as_secs_f64();
        if *delivered <= expected {
            (*delivered, *interval_start, expected) = (0.0, sample.now, 0.0);
        }
        *delivered += sample.delivered;
        let rounds = if self.full_bw_reached { self.params.aggregation_rounds } else { 1 };
        extra.take(self.round_count, (*delivered - expected).min(self.cwnd), rounds);
    }

    /// BBR.extra_acked.
    pub(super) fn extra_acked(&self) -> f64 {
        let most = self.params.aggregation_time.map_or(f64::INFINITY, |time| self.bw * time.as_secs_f64());
        self.aggregation.extra.max().min(most)
    }

    // Draft sections 5.5.7 and 5.3.4.3.

    fn update_min_rtt(&mut self, sample: &Sample) {
        self.probe_rtt_expired = sample.now > self.probe_rtt_min_stamp + self.params.probe_rtt_interval;
        if let Some(rtt) = sample.trip
            && (self.probe_rtt_expired || self.probe_rtt_min_delay.is_none_or(|least| rtt < least))
        {
            (self.probe_rtt_min_delay, self.probe_rtt_min_stamp) = (Some(rtt), sample.now);
        }
        let min_rtt_expired = sample.now > self.min_rtt_stamp + self.params.rtt_window;
        let is_lower = match (self.probe_rtt_min_delay, self.min_rtt) {
            (Some(new), Some(old)) => new < old,
            (new, _) => new.is_some(),
        };
        if is_lower || min_rtt_expired {
            (self.min_rtt, self.min_rtt_stamp) = (self.probe_rtt_min_delay, self.probe_rtt_min_stamp);
        }
    }

    // Draft section 5.6.4.2.

    /// BBR.bdp at this bandwidth. The initial window before a round trip is known.
    fn bdp_at(&self, bw: f64) -> f64 {
        self.min_rtt.map_or(self.initial, |rtt| bw * rtt.as_secs_f64())
    }

    pub(super) fn bdp(&self) -> f64 {
        self.bdp_at(self.bw)
    }

    /// BDPMultiple.
    pub(super) fn bdp_multiple(&self, gain: f64) -> f64 {
        if self.min_rtt.is_none() { self.initial } else { gain * self.bdp() }
    }

    /// QuantizationBudget.
    pub(super) fn with_budget(&self, inflight: f64) -> f64 {
        let least = inflight.max(self.params.quanta * self.send_quantum()).max(super::LEAST_WINDOW);
        if self.state == State::Up { least + 2.0 } else { least }
    }

    /// `Inflight(1.0)`, at this bandwidth.
    pub(super) fn inflight_at(&self, bw: f64) -> f64 {
        self.with_budget(self.bdp_at(bw))
    }

    /// TargetInflight (draft section 5.3.3.8).
    pub(super) fn target_inflight(&self) -> f64 {
        self.bdp().min(self.cwnd)
    }

    /// InflightWithHeadroom (draft section 5.3.3.9).
    pub(super) fn inflight_with_headroom(&self) -> f64 {
        if self.inflight_longterm.is_infinite() {
            return f64::INFINITY;
        }
        let headroom = (self.params.headroom.0 * self.inflight_longterm).max(1.0);
        (self.inflight_longterm - headroom).max(super::LEAST_WINDOW)
    }
}
