//! Prague with a fractional window: the draft and Linux's `tcp_prague.c` 0.6 and 0.7, in real numbers. Windows are in segments, times in
//! seconds.

use super::detection::Detection;
use super::variants::{Cuts, Params, Scaling};
use crate::transport::congestion::{
    Acked, Adjustment, Cause, Congestion, CongestionControl, Milestone, Needs, Paced, Phase, Sample, Sampled, Setup,
    Told,
};
use crate::units::{Duration, Instant, Rate};

/// The least window.
const LEAST: f64 = 2.0;
/// The longest round trip whose growth is scaled.
const SCALED: f64 = 0.1;
/// Bounds of the scalable growth, in seconds (Linux: about 16 and 1.5 ms), and its least part of a segment.
const WHOLE: f64 = 16_384e-6;
const SHORT: f64 = 1_536e-6;
const LEAST_PART: f64 = 0.125;
/// The weight of a round trip in the slow average with which a rate becomes a window (Linux `hsrtt`).
const SLOW: f64 = 1.0 / 128.0;
/// The least change of the fractional window (Linux).
const UNIT: f64 = 1.0 / 1_048_576.0;

/// The law.
#[derive(Clone, Debug)]
pub(super) struct Prague {
    params: Params,
    /// The window that bounds the sender, in whole segments, and its threshold.
    cwnd: f64,
    ssthresh: f64,
    /// The window with its fraction, and the rate in segments per second.
    fraction: f64,
    rate: f64,
    /// True while the rate is the state, and not the window.
    by_rate: bool,
    alpha: f64,
    seen_mark: bool,
    /// True from a loss until the sender repairs no more, and the state before.
    in_loss: bool,
    before_loss: (f64, f64),
    /// Smoothed round trips, by 1/8 and slowly.
    srtt: Option<f64>,
    slow_srtt: f64,
    /// The round trip that lasts until `round_ends` segments have been delivered: packets and marks of it.
    rounds: u64,
    round_ends: u64,
    delivered: f64,
    marked: f64,
    alpha_at: Instant,
    cut_at: Option<Instant>,
    now: Instant,
    in_network: f64,
    detection: Option<Box<Detection>>,
    packet: f64,
}

impl Prague {
    pub fn new(params: Params) -> Self {
        Prague {
            cwnd: LEAST,
            ssthresh: f64::INFINITY,
            fraction: LEAST,
            rate: 0.0,
            by_rate: false,
            alpha: params.alpha.0,
            seen_mark: false,
            in_loss: false,
            before_loss: (0.0, 0.0),
            srtt: None,
            slow_srtt: 0.0,
            rounds: 0,
            round_ends: 0,
            delivered: 0.0,
            marked: 0.0,
            alpha_at: Instant::ZERO,
            cut_at: None,
            now: Instant::ZERO,
            in_network: 0.0,
            detection: params.fallback.then(|| Box::new(Detection::new())),
            packet: 1.0,
            params,
        }
    }

    fn in_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }

    /// Whether the sender shares as a flow of the target would.
    fn is_independent(&self) -> bool {
        self.params.scaling != Scaling::None && !self.in_slow_start() && self.rounds >= self.params.transition
    }

    /// The target, for the additive rule beside the round trip.
    fn target(&self) -> f64 {
        let target = self.params.target.as_secs_f64();
        if self.params.scaling == Scaling::Additive { target + self.srtt.unwrap_or(0.0) } else { target }
    }

    /// The target or the round trip, if that is longer.
    fn virtual_rtt(&self) -> f64 {
        self.srtt.unwrap_or(0.0).max(self.target())
    }

    /// Whether the target has passed since `then`.
    fn has_passed(&self, then: Instant) -> bool {
        self.now.since(then).as_secs_f64() >= self.target()
    }

    fn least_rate(&self) -> f64 {
        self.params.least_rate.as_bps() as f64 / 8.0 / self.packet
    }

    /// The segments by which a round trip without marks opens the window.
    fn step(&self) -> f64 {
        let Some(rtt) = self.srtt else { return 1.0 };
        if self.rounds < self.params.transition || rtt > SCALED {
            return 1.0;
        }
        match self.params.scaling {
            Scaling::None => 1.0,
            Scaling::Rate | Scaling::Additive => {
                let ratio = (rtt / self.target()).min(1.0);
                ratio * ratio
            }
            Scaling::Scalable => (LEAST_PART * WHOLE + (rtt - SHORT).clamp(0.0, WHOLE)) * rtt / (WHOLE * WHOLE),
        }
    }

    fn rate_of_window(&self) -> f64 {
        self.srtt.map_or(0.0, |rtt| self.fraction / rtt).max(self.least_rate())
    }

    fn window_of_rate(&self) -> f64 {
        self.rate * self.slow_srtt
    }

    /// Cuts the state to `kept` of it.
    fn cut(&mut self, kept: f64) {
        if self.by_rate && self.is_independent() {
            self.rate = (self.rate * kept).max(self.least_rate());
            self.fraction = self.window_of_rate();
        } else {
            self.fraction *= kept;
            self.rate = self.rate_of_window();
        }
    }

    fn enter_loss(&mut self) {
        self.before_loss = (self.cwnd, self.rate);
        self.cut(0.5);
        self.in_loss = true;
    }

    /// Whether enough time has passed since the last cut for a mark to cut again.
    fn may_cut(&self) -> bool {
        let Some(at) = self.cut_at else { return true };
        let round_trip = self.params.cuts == Cuts::Cwr || self.now.since(at).as_secs_f64() >= self.srtt.unwrap_or(0.0);
        round_trip && (!self.is_independent() || self.has_passed(at))
    }

    /// A mark: half of the estimate is given up, if it may be.
    fn on_mark(&mut self) {
        if !self.may_cut() {
            return;
        }
        self.cut_at = Some(self.now);
        let mut alpha = self.alpha;
        if let Some(detection) = &mut self.detection {
            detection.on_cut(self.ssthresh);
            alpha = detection.alpha(alpha);
        }
        self.cut(1.0 - alpha / 2.0);
    }

    /// The packets without marks open the window (Linux `prague_update_cwnd`).
    fn open(&mut self, sample: &Sample) {
        if sample.marked > 0.0 && !std::mem::replace(&mut self.seen_mark, true) && self.params.first_mark_halves {
            self.fraction /= 2.0;
        }
        let mut acked = sample.delivered - sample.marked;
        // A sender that uses less than half of its window does not open it.
        let is_used = sample.full || !sample.app_limited && 2.0 * sample.before >= self.cwnd;
        if acked > 0.0 && !self.in_loss && is_used {
            if self.in_slow_start() {
                let opened = (self.cwnd + acked).min(self.ssthresh);
                acked -= opened - self.cwnd;
                (self.cwnd, self.fraction) = (opened, opened);
                if acked <= 0.0 {
                    return;
                }
            }
            if self.by_rate && self.is_independent() {
                let packets = libm::ceil(self.rate * self.virtual_rtt()).max(1.0);
                self.rate += acked / self.virtual_rtt() / packets;
                self.fraction = self.fraction.max(self.window_of_rate());
            } else {
                self.fraction += (acked * self.step() / self.fraction).max(acked * UNIT);
                self.rate = self.rate.max(self.rate_of_window());
            }
        }
        self.follow();
    }

    /// The whole window follows the other by a segment for each acknowledgement.
    fn follow(&mut self) {
        let window = libm::ceil(self.fraction).max(LEAST);
        if self.cwnd > window {
            self.cwnd = (self.cwnd - 1.0).max(window);
            self.ssthresh = self.cwnd;
        } else if self.cwnd < window {
            self.cwnd = (self.cwnd + 1.0).min(window);
        }
    }

    /// A round trip is over, and with it the target where round trips do not count (Linux `prague_update_alpha`).
    fn end_round(&mut self, total: u64) {
        if self.seen_mark {
            if let Some(detection) = &mut self.detection {
                detection.on_round();
            }
            let share = if self.delivered > 0.0 { (self.marked / self.delivered).min(1.0) } else { 0.0 };
            self.alpha += self.params.g.0 * (share - self.alpha);
            self.alpha_at = self.now;
        }
        let srtt = self.srtt.unwrap_or(0.0);
        self.slow_srtt = if self.slow_srtt > 0.0 { self.slow_srtt + SLOW * (srtt - self.slow_srtt) } else { srtt };
        (self.delivered, self.marked) = (0.0, 0.0);
        // What is in the network now will have been delivered by then.
        self.round_ends = total;
        self.rounds += u64::from(!self.in_slow_start());
    }

    /// A small window is a rate (tcp_prague 0.7).
    fn switch(&mut self) {
        let Some(below) = self.params.rate_below else { return };
        let by_rate = self.seen_mark && self.cwnd <= below as f64;
        if by_rate {
            self.fraction = self.window_of_rate();
        } else {
            self.rate = self.rate_of_window();
        }
        self.by_rate = by_rate;
    }
}

impl CongestionControl for Prague {
    fn on_connect(&mut self, setup: &Setup) {
        *self = Prague::new(self.params.clone());
        (self.cwnd, self.fraction, self.ssthresh) = (setup.window, setup.window, setup.ssthresh);
        self.packet = f64::from(setup.packet);
        self.rate = self.least_rate();
    }

    fn on_milestone(&mut self, milestone: Milestone<'_>) {
        if let Milestone::Opened { now, smoothed } = milestone {
            (self.now, self.alpha_at) = (now, now);
            self.srtt = smoothed.map(Duration::as_secs_f64).filter(|rtt| *rtt > 0.0);
            self.slow_srtt = self.srtt.unwrap_or(0.0);
            self.rate = self.rate_of_window();
        }
    }

    fn on_ack(&mut self, _acked: &Acked) {}

    fn on_congestion_event(&mut self, event: &Congestion) {
        match event.cause {
            Cause::Echo if self.params.cuts == Cuts::Cwr => {
                // No repair is going on.
                self.in_loss = false;
                self.now = event.now;
                self.on_mark();
            }
            Cause::Echo => {}
            Cause::Loss | Cause::Timeout => self.enter_loss(),
        }
    }

    fn on_timeout(&mut self, event: Option<&Congestion>) {
        if event.is_some() {
            self.enter_loss();
        }
        self.cwnd = 1.0;
    }

    fn adjust(&mut self, change: Adjustment) {
        match change {
            Adjustment::Limit(segments) => {
                self.cwnd = self.cwnd.min(segments);
                self.fraction = self.fraction.min(segments);
            }
            Adjustment::Restore { .. } => {
                let (cwnd, rate) = self.before_loss;
                self.in_loss = false;
                (self.cwnd, self.rate) = (self.cwnd.max(cwnd), self.rate.max(rate));
                self.fraction = self.fraction.max(self.window_of_rate());
            }
            Adjustment::EndSlowStart => self.ssthresh = self.cwnd,
            Adjustment::Raise(_) | Adjustment::Remember => {}
        }
    }

    fn window(&self) -> f64 {
        self.cwnd
    }

    fn ssthresh(&self) -> f64 {
        self.ssthresh
    }

    fn needs(&self) -> Needs {
        Needs { marks: Told::Counted, ..Needs::default() }
    }

    fn sampled(&mut self) -> Option<&mut dyn Sampled> {
        Some(self)
    }

    fn paced(&self) -> Option<&dyn Paced> {
        Some(self)
    }
}

impl Sampled for Prague {
    fn on_sample(&mut self, sample: &Sample) {
        (self.now, self.in_network) = (sample.now, sample.inflight);
        if let Some(rtt) = sample.rtt.or(sample.trip) {
            let seconds = rtt.as_secs_f64();
            self.srtt = Some(self.srtt.map_or(seconds, |srtt| srtt + (seconds - srtt) / 8.0));
            if let Some(detection) = &mut self.detection {
                detection.on_round_trip(rtt);
            }
        }
        if !matches!(sample.phase, Phase::Recovery | Phase::Loss) {
            self.in_loss = false;
        }
        self.delivered += sample.delivered;
        self.marked += sample.marked;
        if sample.marked > 0.0 && !self.in_loss && self.params.cuts == Cuts::VirtualRtt {
            self.on_mark();
        }
        self.open(sample);
        let passed = sample.prior.is_some_and(|prior| prior >= self.round_ends);
        if passed && (!self.is_independent() || self.has_passed(self.alpha_at)) {
            self.end_round(sample.total);
        }
        self.switch();
        self.cwnd = self.cwnd.min(sample.most).max(1.0);
        self.fraction = self.fraction.min(sample.most);
    }
}

impl Paced for Prague {
    fn pacing_rate(&self) -> Option<Rate> {
        let rtt = self.srtt?;
        let mut rate = if self.by_rate && self.is_independent() {
            let second = self.now.since(self.alpha_at).as_secs_f64() >= self.virtual_rtt() / 2.0;
            self.rate * if second { 1.0 - self.params.swing.0 } else { 1.0 + self.params.swing.0 }
        } else {
            (self.fraction.max(self.in_network) / rtt).max(self.least_rate())
        };
        if self.cwnd < self.ssthresh / 2.0 {
            rate *= 2.0;
        }
        // Bound: a bit per second at least.
        Some(Rate::from_bps((rate * self.packet * 8.0).max(1.0) as u64))
    }

    fn at_once(&self) -> Option<u64> {
        let rate = self.pacing_rate()?.as_bps() as f64 / 8.0 / self.packet;
        Some((rate * self.params.burst.as_secs_f64()).max(1.0) as u64)
    }
}

#[cfg(test)]
mod tests;
