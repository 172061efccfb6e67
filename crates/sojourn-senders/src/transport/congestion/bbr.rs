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
mod path_model;
mod phases;

use super::highest::Highest;
use super::prelude::*;
use super::{Paced, Sample, Sampled};
pub(super) use drawn::course;
use filters::Aggregation;
use kernel::{BbrKernel, Settings};
use long_term::{News, Policer};

pub static ENTRY: ControlEntry = ControlEntry {
    name: "bbr",
    title: "BBR (version 1)",
    doc: "A control by a model of the path instead of losses. It measures how fast the network delivers and how short a round \
          trip can be; it sends at that rate, and keeps about their product in flight. Wants the profile `linux` of `tcp`, whose \
          segments can be paced.",
    reference: "Cardwell, Cheng, Gunn, Yeganeh and Jacobson 2016; draft-cardwell-iccrg-bbr-congestion-control-00",
    presets: presets! {
        // Checked on 2026-11-26: tcp_bbr.c of Linux 6.12.117.
        /// Version 1 of Linux 6.12 with its integers: paces a hundredth below the measured rate, makes room for acknowledgements that come
        /// in groups, keeps windows even, and finds the rate of a policer. Under the profile `linux` its window is Linux's after each
        /// acknowledgement of the recordings (docs/linux.md).
        linux = { margin = "1%", aggregation = "true", even = "true", policers = "true", arithmetic = "kernel" };
    },
    law: Some(|args| course(build(args))),
    ..ControlEntry::of::<Params>(&build)
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
    pub struct Params {
        /// Gain of pacing and window in Startup; 2 / ln 2.
        high_gain: f64 = "2.885390081777927" in [1.01, 10.0], "draft section 3.4: the least that doubles in each round";
        /// Gain of the window in ProbeBW.
        window_gain: f64 = "2" in [1.0, 100.0], "draft section 4.2.3.1: room for delayed acknowledgements";
        /// The share by which ProbeBW speeds up in one phase of eight, and slows down in the next.
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
        /// The share by which pacing is below the measured rate.
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

    bandwidth: Highest,
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
            bandwidth: Highest::default(),
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

    // ---- Sending (draft section 4.2).

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
