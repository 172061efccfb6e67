//! BBR: sends at the rate at which the network delivers, and keeps about a bandwidth-delay product of it in flight, whatever is lost.
//! Specification: [CCYJ17] Cardwell, Cheng, Yeganeh and Jacobson, draft-cardwell-iccrg-bbr-congestion-control-00 (version 1), by its
//! sections; samples of the delivery rate in `tcp/rack/delivery.rs`. Compared with: Linux 6.12 `tcp_bbr`, window by
//! window (`tests/peers/linux/kernel`).
//!
//! | phase | pacing gain | until |
//! |---|---|---|
//! | `Startup` | 2 / ln 2 | three rounds did not raise the bandwidth by a quarter |
//! | `Drain` | ln 2 / 2 | a bandwidth-delay product is in flight |
//! | `ProbeBw` | 1.25, 0.75, then six times 1, a least round trip each | - |
//! | `ProbeRtt` | 1, with four segments in flight, 200 ms and a round | - ; begins when no shorter round trip came for 10 s |
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | Where the cycle of `ProbeBw` begins follows from the time, by a hash | a law has no random numbers of its own; flows that drain at different times begin at different places | `the_cycle_never_begins_with_the_drain` |
//! | Before the first sample segments leave at twice the initial window per round trip, then at 2.89 times | until then it is the sender's own pacer | - |
//!
//! Linux's answer to policers is in `bbr/long_term.rs`. Preset `linux`: Linux 6.12 in its whole numbers (`bbr/kernel.rs`).

mod drawn;
mod filters;
mod kernel;
mod long_term;

use super::{Acked, Adjustment, Congestion, CongestionControl, Milestone, Needs, Paced, Sample, Sampled, Setup};
use crate::component::Preset;
use crate::params::{Args, Fraction, Params as _};
use crate::transport::entry::ControlEntry;
use crate::units::{Duration, Instant, Rate};
use crate::{choices, params};
use filters::{Aggregation, Bandwidth};
use kernel::{BbrKernel, Settings};
use long_term::{News, Policer, Verdict};

/// The registry's entry.
pub static ENTRY: ControlEntry = ControlEntry {
    name: "bbr",
    title: "BBR (version 1)",
    doc: "A control by a model of the path instead of losses. It measures how fast the network delivers and how short a round \
          trip can be; it sends at that rate, and keeps about their product in flight. Wants the profile `linux` of `tcp`, whose \
          segments can be paced.",
    reference: "Cardwell, Cheng, Gunn, Yeganeh and Jacobson 2016; draft-cardwell-iccrg-bbr-congestion-control-00",
    params: Params::SPECS,
    presets: &[Preset {
        // Checked on 2026-11-26: tcp_bbr.c of Linux 6.12.117.
        name: "linux",
        doc: "Version 1 of Linux 6.12 with its integers: paces a hundredth below the measured rate, makes room for acknowledgements \
              that come in groups, keeps windows even, and finds the rate of a policer. Under the profile `linux` its window is Linux's \
              after each acknowledgement of the recordings (docs/linux.md).",
        settings: &[
            ("margin", "1%"),
            ("aggregation", "true"),
            ("even", "true"),
            ("policers", "true"),
            ("arithmetic", "kernel"),
        ],
    }],
    law: Some(|args| drawn::course(build(args))),
    build: &build,
};

choices! {
    /// The arithmetic of the window, and the rules that it follows.
    pub enum Arithmetic {
        /// Real numbers.
        Real = "real",
        /// Microseconds, whole segments, gains in 1/256 and rates of 24 bits behind the point, by the rules of today's Linux.
        Kernel = "kernel",
    }
}

params! {
    /// Parameters of BBR.
    pub struct Params {
        /// Gain of pacing and window in Startup; 2 / ln 2.
        high_gain: f64 = "2.885390081777927" in [1.01, 10.0], "draft section 3.4: the least that doubles in each round";
        /// Gain of the window in ProbeBW.
        window_gain: f64 = "2" in [1.0, 100.0], "draft section 4.2.3.1: room for delayed acknowledgements";
        /// By how much ProbeBW speeds up in one phase of eight, and slows down in the next.
        probe: Fraction = "25%" in [0.0, 0.99], "draft section 4.3.4.2";
        /// Rounds over which the highest delivery rate counts.
        bandwidth_rounds: u64 = "10" in [1.0, 1000.0], "draft section 4.1.1.2";
        /// How long the shortest round trip counts.
        rtt_window: Duration = "10s" in [0.1, 1000.0], "draft section 4.1.2.2";
        /// How long ProbeRTT lasts at least.
        probe_rtt: Duration = "200ms" in [0.001, 10.0], "draft section 4.3.5.1";
        /// Growth of the bandwidth in a round of Startup below which it does not count as growth.
        growth: Fraction = "25%" in [0.0, 10.0], "draft section 4.3.2.2";
        /// Rounds without growth that end Startup.
        growth_rounds: u64 = "3" in [1.0, 100.0], "draft section 4.3.2.2";
        /// By how much pacing is below the measured rate.
        margin: Fraction = "0%" in [0.0, 0.5], "the draft has none; Linux 1 %";
        /// Whether the window has room for the amount that acknowledgements recently reported beyond the bandwidth (at most 100 ms of it).
        aggregation: bool = "false", "Linux, since 5.1; the draft has none";
        /// Whether windows are rounded up to even numbers, and hold two segments more while ProbeBW speeds up.
        even: bool = "false", "Linux; the draft has none";
        /// Whether it takes the mean rate of two lossy intervals that agree as the rate of a policer, for 48 rounds. After a timeout, and
        /// when a cut is taken back, it looks again for the end of Startup and for that rate.
        policers: bool = "false", "Linux; the draft has none";
        /// The arithmetic of the window, and the rules that it follows.
        arithmetic: Arithmetic = "real", "draft section 4";
    }
}

/// Segments that may always be in flight (draft section 4.2.3.1, BBRMinPipeCwnd).
const LEAST_WINDOW: f64 = 4.0;
/// Phases of ProbeBW.
const PHASES: usize = 8;
/// Bursts that the window leaves room for (draft section 4.2.3.1).
const QUANTA: f64 = 3.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Startup,
    Drain,
    ProbeBw,
    ProbeRtt,
}

/// A round that will end ProbeRTT, and when it may.
#[derive(Clone, Copy, Debug)]
struct Probing {
    until: Instant,
    round_over: bool,
}

/// The law, in the words of the draft. Windows in segments, rates in segments per second.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a condition of its own, in the words of the draft")]
struct Bbr {
    params: Params,
    packet: f64,
    initial: f64,
    window: f64,
    /// Window before a recovery or ProbeRTT.
    prior: f64,
    rate: Option<f64>,

    bandwidth: Bandwidth,
    aggregation: Aggregation,
    policer: Policer,
    /// Delivered and lost, as the last sample told, and when.
    seen: (u64, u64, Instant),
    least_rtt: Option<Duration>,
    least_rtt_at: Instant,

    mode: Mode,
    pacing_gain: f64,
    window_gain: f64,
    phase: usize,
    phase_at: Instant,
    probing: Option<Probing>,
    /// All that had been delivered when ProbeRTT ended.
    limited_below: u64,

    round: u64,
    round_ends: u64,
    round_began: bool,

    filled: bool,
    full_bandwidth: f64,
    full_rounds: u64,

    recovering: bool,
    /// In the first round of a recovery as much leaves as arrives.
    conserves: bool,
    timed_out: bool,
    /// Data has left after an idle time, and nothing of it has arrived.
    restarts: bool,
}

fn build(args: &Args) -> Box<dyn CongestionControl> {
    let params: Params = args.typed();
    if params.arithmetic == Arithmetic::Kernel {
        return Box::new(BbrKernel::new(&params.settings()));
    }
    Box::new(Bbr::new(params))
}

impl Params {
    fn settings(&self) -> Settings {
        Settings {
            high_gain: self.high_gain,
            window_gain: self.window_gain,
            probe: self.probe.0,
            bandwidth_rounds: self.bandwidth_rounds,
            rtt_window: self.rtt_window,
            probe_rtt: self.probe_rtt,
            growth: self.growth.0,
            growth_rounds: self.growth_rounds,
            margin: self.margin.0,
            aggregation: self.aggregation,
            even: self.even,
            policers: self.policers,
        }
    }
}

impl Bbr {
    fn new(params: Params) -> Self {
        Bbr {
            packet: 1.0,
            initial: LEAST_WINDOW,
            window: LEAST_WINDOW,
            prior: 0.0,
            rate: None,
            bandwidth: Bandwidth::default(),
            aggregation: Aggregation::default(),
            policer: Policer::default(),
            seen: (0, 0, Instant::ZERO),
            least_rtt: None,
            least_rtt_at: Instant::ZERO,
            mode: Mode::Startup,
            pacing_gain: params.high_gain,
            window_gain: params.high_gain,
            phase: 0,
            phase_at: Instant::ZERO,
            probing: None,
            limited_below: 0,
            round: 0,
            round_ends: 0,
            round_began: false,
            filled: false,
            full_bandwidth: 0.0,
            full_rounds: 0,
            recovering: false,
            conserves: false,
            timed_out: false,
            restarts: false,
            params,
        }
    }

    // ---- The model of the path (draft section 4.1).

    fn update_round(&mut self, sample: &Sample) {
        self.round_began = sample.prior.is_some_and(|prior| prior >= self.round_ends);
        if self.round_began {
            self.round_ends = sample.total;
            self.round += 1;
            self.conserves = false;
        }
    }

    fn update_bandwidth(&mut self, sample: &Sample) {
        let Some(rate) = sample.rate else { return };
        // Draft section 4.3.5.2: what left in ProbeRTT says nothing of the bandwidth.
        let is_limited = sample.app_limited || sample.prior.is_some_and(|prior| prior < self.limited_below);
        if !is_limited || rate >= self.bandwidth.max() {
            self.bandwidth.take(self.round, rate, self.params.bandwidth_rounds);
        }
    }

    fn look_for_policer(&mut self, news: News) {
        if !self.params.policers {
            return;
        }
        if self.policer.take(&news) == Verdict::Over {
            self.enter_probe_bw(news.now);
        }
    }

    fn news(&self, now: Instant) -> News {
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
    fn update_least_rtt(&mut self, sample: &Sample) -> bool {
        let is_old = sample.now.since(self.least_rtt_at) > self.params.rtt_window;
        if let Some(rtt) = sample.rtt
            && (is_old || self.least_rtt.is_none_or(|least| rtt <= least))
        {
            (self.least_rtt, self.least_rtt_at) = (Some(rtt), sample.now);
        }
        is_old
    }

    /// `gain * BtlBw * RTprop` and room for bursts (draft section 4.2.3.1, BBRInflight).
    fn inflight(&self, gain: f64) -> f64 {
        self.room_for(gain, self.bandwidth.max(), 0.0)
    }

    /// The bandwidth that is sent at: that of a policer, or the highest.
    fn present_bandwidth(&self) -> f64 {
        self.policer.rate().unwrap_or(self.bandwidth.max())
    }

    /// The same at this bandwidth, with `more` segments added.
    fn room_for(&self, gain: f64, bandwidth: f64, more: f64) -> f64 {
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
    fn quantum(&self) -> f64 {
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

    // ---- The phases (draft section 4.3).

    fn check_full(&mut self, sample: &Sample) {
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

    fn check_drain(&mut self, sample: &Sample) {
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
    fn enter_probe_bw(&mut self, now: Instant) {
        self.mode = Mode::ProbeBw;
        self.window_gain = self.params.window_gain;
        let drawn = (now.as_nanos().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize % (PHASES - 1);
        // Of 0, 2, 3 ... 7.
        self.begin_phase(now, if drawn == 0 { 0 } else { drawn + 1 });
    }

    fn begin_phase(&mut self, now: Instant, phase: usize) {
        (self.phase, self.phase_at) = (phase % PHASES, now);
        self.pacing_gain = match self.phase {
            0 => 1.0 + self.params.probe.0,
            1 => 1.0 - self.params.probe.0,
            _ => 1.0,
        };
    }

    fn check_phase(&mut self, sample: &Sample) {
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

    fn check_probe_rtt(&mut self, sample: &Sample, is_old: bool) {
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
    fn end_probe_rtt(&mut self, now: Instant) {
        if self.probing.is_some_and(|probing| now > probing.until) {
            self.least_rtt_at = now;
            self.window = self.window.max(self.prior);
            self.leave_probe_rtt(now);
        }
    }

    fn leave_probe_rtt(&mut self, now: Instant) {
        if self.filled {
            self.enter_probe_bw(now);
        } else {
            self.mode = Mode::Startup;
            (self.pacing_gain, self.window_gain) = (self.params.high_gain, self.params.high_gain);
        }
    }

    // ---- What is sent (draft section 4.2).

    fn set_rate(&mut self) {
        let is_policed = self.policer.rate().is_some() && self.mode == Mode::ProbeBw;
        self.set_rate_to(if is_policed { 1.0 } else { self.pacing_gain });
    }

    fn set_rate_to(&mut self, gain: f64) {
        if self.rate.is_none() {
            // Draft section 4.2.1, BBRInitPacingRate.
            let rtt = self.least_rtt.map(Duration::as_secs_f64).filter(|&rtt| rtt > 0.0);
            self.rate = rtt.map(|rtt| self.params.high_gain * self.initial / rtt * (1.0 - self.params.margin.0));
        }
        let rate = gain * self.present_bandwidth() * (1.0 - self.params.margin.0);
        if rate > 0.0 && (self.filled || self.rate.is_none_or(|old| rate > old)) {
            self.rate = Some(rate);
        }
    }

    fn set_window(&mut self, sample: &Sample) {
        if sample.lost > 0.0 && sample.recovering {
            self.window = (self.window - sample.lost).max(1.0);
        }
        if self.conserves {
            self.window = self.window.max(sample.inflight + sample.delivered);
        } else {
            let bandwidth = self.present_bandwidth();
            let clumps = if self.params.aggregation && self.filled { self.aggregation.room(bandwidth) } else { 0.0 };
            let target = self.room_for(self.window_gain, bandwidth, clumps);
            if self.filled {
                self.window = (self.window + sample.delivered).min(target);
            } else if self.window < target || (sample.total as f64) < self.initial {
                self.window += sample.delivered;
            }
            self.window = self.window.max(LEAST_WINDOW);
        }
        if self.mode == Mode::ProbeRtt {
            self.window = self.window.min(LEAST_WINDOW);
        }
        self.window = self.window.min(sample.most).max(1.0);
    }

    /// Recovery begins or ends (draft section 4.2.3.4).
    fn follow_recovery(&mut self, sample: &Sample) {
        if sample.recovering && !self.recovering {
            if !self.timed_out {
                self.save_window();
                self.window = sample.inflight + sample.delivered.max(1.0);
            }
            self.conserves = true;
            self.round_ends = sample.total;
        } else if !sample.recovering && self.recovering {
            self.window = self.window.max(self.prior);
            self.conserves = false;
        }
        self.recovering = sample.recovering;
        self.timed_out = false;
    }

    fn save_window(&mut self) {
        let is_whole = !self.recovering && self.mode != Mode::ProbeRtt;
        self.prior = if is_whole { self.window } else { self.prior.max(self.window) };
    }
}

impl CongestionControl for Bbr {
    fn on_connect(&mut self, setup: &Setup) {
        *self = Bbr::new(self.params.clone());
        self.packet = f64::from(setup.packet);
        self.initial = setup.window;
        self.window = setup.window;
    }

    fn sampled(&mut self) -> Option<&mut dyn Sampled> {
        Some(self)
    }

    fn on_milestone(&mut self, milestone: Milestone<'_>) {
        let Milestone::Resumes { now, .. } = milestone else { return };
        // Draft section 4.3.4.4: after an idle time it paces at the bandwidth, and need not look for the shortest round trip at once.
        self.restarts = true;
        (self.aggregation.since, self.aggregation.acked) = (now, 0.0);
        match self.mode {
            Mode::ProbeBw => self.set_rate_to(1.0),
            Mode::ProbeRtt => self.end_probe_rtt(now),
            Mode::Startup | Mode::Drain => {}
        }
    }

    fn on_ack(&mut self, _acked: &Acked) {}

    fn on_congestion_event(&mut self, _event: &Congestion) {}

    /// Version 1 does not answer marks.
    fn needs(&self) -> Needs {
        Needs { answers_echoes: false, buffered: 3, ..Needs::default() }
    }

    fn on_timeout(&mut self, event: Option<&Congestion>) {
        self.save_window();
        self.window = 1.0;
        self.timed_out = true;
        if self.params.policers {
            self.full_bandwidth = 0.0;
            let now = event.map_or(self.seen.2, |event| event.now);
            self.look_for_policer(News { loses: true, round: true, ..self.news(now) });
        }
    }

    fn adjust(&mut self, change: Adjustment) {
        match change {
            Adjustment::Limit(segments) => self.window = self.window.min(segments),
            Adjustment::Restore { window, .. } => {
                self.window = self.window.max(window);
                if self.params.policers {
                    (self.full_bandwidth, self.full_rounds) = (0.0, 0);
                    self.policer.forget();
                }
            }
            Adjustment::Raise(_) | Adjustment::Remember | Adjustment::EndSlowStart => {}
        }
    }

    fn window(&self) -> f64 {
        self.window
    }

    fn ssthresh(&self) -> f64 {
        f64::INFINITY
    }

    fn paced(&self) -> Option<&dyn Paced> {
        Some(self)
    }
}

impl Paced for Bbr {
    fn pacing_rate(&self) -> Option<Rate> {
        // Bound: a bit per second at least.
        self.rate.map(|rate| Rate::from_bps((rate * self.packet * 8.0).max(1.0) as u64))
    }
}

impl Sampled for Bbr {
    fn on_sample(&mut self, sample: &Sample) {
        if self.least_rtt.is_none() {
            self.least_rtt_at = sample.now;
        }
        self.update_round(sample);
        self.seen = (sample.total, sample.all_lost, sample.now);
        if sample.rate.is_some() {
            let (loses, app_limited) = (sample.lost > 0.0, sample.app_limited);
            self.look_for_policer(News { loses, app_limited, ..self.news(sample.now) });
        }
        self.update_bandwidth(sample);
        self.aggregation.take(sample, self.round_began, self.present_bandwidth(), self.window);
        self.check_phase(sample);
        self.check_full(sample);
        self.check_drain(sample);
        let is_old = self.update_least_rtt(sample);
        self.check_probe_rtt(sample, is_old);
        self.follow_recovery(sample);
        self.set_rate();
        self.set_window(sample);
        self.restarts &= sample.delivered <= 0.0;
    }
}

#[cfg(test)]
mod tests;
