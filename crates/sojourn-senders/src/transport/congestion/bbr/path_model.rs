//! BBR's model of the path (draft section 4.1).

use super::long_term::{News, Verdict};
use super::{Bbr, Mode, QUANTA};
use crate::transport::congestion::Sample;
use crate::units::Instant;

impl Bbr {
    pub(super) fn update_round(&mut self, sample: &Sample) {
        self.round_began = sample.prior.is_some_and(|prior| prior >= self.round_ends);
        if self.round_began {
            self.round_ends = sample.total;
            self.round += 1;
            self.conserves = false;
        }
    }

    pub(super) fn update_bandwidth(&mut self, sample: &Sample) {
        let Some(rate) = sample.rate else { return };
        // Draft section 4.3.5.2: packets that left in ProbeRTT tell nothing about the bandwidth.
        let is_limited = sample.app_limited || sample.prior.is_some_and(|prior| prior < self.limited_below);
        if !is_limited || rate >= self.bandwidth.max() {
            self.bandwidth.take(self.round, rate, self.params.bandwidth_rounds);
        }
    }

    pub(super) fn look_for_policer(&mut self, news: News) {
        if !self.params.policers {
            return;
        }
        if self.policer.take(&news) == Verdict::Over {
            self.enter_probe_bw(news.now);
        }
    }

    pub(super) fn news(&self, now: Instant) -> News {
        let (delivered, lost, _) = self.seen;
        News {
            now,
            delivered,
            lost,
            loses: false,
            round: self.round_began,
            app_limited: false,
            cruises: self.mode == Mode::ProbeBw,
            bits: 8.0 * self.packet * (1.0 - self.params.margin.0),
        }
    }

    /// Takes in a round trip. Returns whether the shortest had become too old.
    pub(super) fn update_least_rtt(&mut self, sample: &Sample) -> bool {
        let is_old = sample.now.since(self.least_rtt_at) > self.params.rtt_window;
        if let Some(rtt) = sample.rtt
            && (is_old || self.least_rtt.is_none_or(|least| rtt <= least))
        {
            (self.least_rtt, self.least_rtt_at) = (Some(rtt), sample.now);
        }
        is_old
    }

    /// `gain * BtlBw * RTprop` and room for bursts (draft section 4.2.3.1, BBRInflight).
    pub(super) fn inflight(&self, gain: f64) -> f64 {
        self.room_for(gain, self.bandwidth.max(), 0.0)
    }

    /// The bandwidth that is sent at: that of a policer, or the highest.
    pub(super) fn present_bandwidth(&self) -> f64 {
        self.policer.rate().unwrap_or(self.bandwidth.max())
    }

    /// The same at this bandwidth, with `more` segments added.
    pub(super) fn room_for(&self, gain: f64, bandwidth: f64, more: f64) -> f64 {
        let Some(rtt) = self.least_rtt else { return self.initial };
        let product = gain * bandwidth * rtt.as_secs_f64();
        if !self.params.even {
            return product + more + QUANTA * self.quantum();
        }
        let whole = product.ceil() + more.floor() + QUANTA * self.quantum().floor();
        let speeds_up = self.mode == Mode::ProbeBw && self.phase == 0;
        2.0 * (whole / 2.0).ceil() + if speeds_up { 2.0 } else { 0.0 }
    }

    /// Segments that leave at a time (draft section 4.2.2).
    pub(super) fn quantum(&self) -> f64 {
        let rate = self.rate.unwrap_or(0.0);
        let bits = rate * self.packet * 8.0;
        if bits < 1.2e6 {
            1.0
        } else if bits < 24e6 {
            2.0
        } else {
            (rate * 0.001).min(65_536.0 / self.packet)
        }
    }
}
