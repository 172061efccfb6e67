//! BBR: sends at the rate at which the network delivers, and keeps about a bandwidth-delay product of it in flight, whatever is lost.
//! Specification: [CCYJ17] Cardwell, Cheng, Yeganeh and Jacobson, draft-cardwell-iccrg-bbr-congestion-control-00 (version 1), by its
//! sections; samples of the delivery rate in `tcp/rack/delivery.rs`. Compared with: Linux 6.12.117 `tcp_bbr.c`,
//! `tcp_rate.c` and `win_minmax.c` (behaviour), acknowledgement by acknowledgement (`tests/peers/linux/kernel`).
//!
//! | phase | pacing gain | until |
//! |---|---|---|
//! | `Startup` | 2 / ln 2 | three rounds did not raise the bandwidth by a quarter |
//! | `Drain` | ln 2 / 2 | a bandwidth-delay product is in flight |
//! | `ProbeBw` | 1.25, 0.75, then six times 1, a least round trip each | - |
//! | `ProbeRtt` | 1, with four segments in flight, 200 ms and a round | - ; begins when no shorter round trip came for 10 s |
//!
//! It is Linux's program: rates in segments per microsecond with 24 bits behind the point, gains in 1/256, times in microseconds or in
//! ticks of a millisecond. The draft has no numbers of its own. The defaults are its values; preset `linux` are Linux's.
//!
//! | Deviation from the draft | Why | Test |
//! |---|---|---|
//! | A gain that a new phase brings holds from the end of the acknowledgement on | Linux | `tests/peers/linux/kernel` |
//! | The data in flight are counted for the moment at which the next packet may leave | Linux | `what_waits_for_the_pacer_is_not_in_the_network_when_it_leaves` |
//! | Lost data are taken from the window in each phase | Linux | `of_a_recovery_s_first_round_as_much_leaves_as_arrives` |
//! | The highest rate is the best of three, which begin in different quarters of the rounds | Linux | `greatest.rs` |

mod drawn;
mod greatest;
mod numbers;
mod path_model;
mod phases;
mod policed_rate;
mod sending;

use super::prelude::*;
use super::{Paced, Sample, Sampled, Sampler};
use crate::units::Bytes;
pub(super) use drawn::course;
use greatest::Greatest;
use numbers::{GAIN_BITS, GAIN_ONE, Numbers, Params, RATE_BITS, RATE_ONE};
use policed_rate::Policer;

pub static ENTRY: ControlEntry = ControlEntry {
    name: "bbr",
    title: "BBR (version 1)",
    doc: "A control by a model of the path instead of losses. It measures how fast the network delivers and how short a round \
          trip can be; it sends at that rate, and keeps about their product in flight. Wants the profile `linux` of `tcp`, whose \
          segments can be paced.",
    reference: "Cardwell, Cheng, Gunn, Yeganeh and Jacobson 2016; draft-cardwell-iccrg-bbr-congestion-control-00",
    presets: presets! {
        // Checked on 2026-11-26: tcp_bbr.c of Linux 6.12.117.
        /// Version 1 of Linux 6.12: paces a hundredth below the measured rate, makes room for acknowledgements that come
        /// in groups, keeps windows even, and finds the rate of a policer. Under the profile `linux` its window is Linux's after each
        /// acknowledgement of the recordings (docs/linux.md).
        linux = { margin = "1%", aggregation = "true", even = "true", policers = "true" };
    },
    law: Some(|args| course(build(args))),
    ..ControlEntry::of::<Params>(&build)
};

/// Segments that may always be in flight, and those of Linux's initial window.
const LEAST_WINDOW: u64 = 4;
const INITIAL_WINDOW: u64 = 10;
/// Milliseconds over which the connection's shortest round trip counts (Linux `tcp_min_rtt_wlen`).
const SHORTEST_MILLIS: u64 = 300_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Startup,
    Drain,
    ProbeBw,
    ProbeRtt,
}

/// The lead of acknowledgements over the bandwidth.
#[derive(Clone, Copy, Debug, Default)]
struct Clumps {
    /// Microsecond in which the count began, and segments since.
    since: u64,
    acked: u64,
    most: [u64; 2],
    turn: usize,
    rounds: u64,
}

#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a condition of its own, as in Linux")]
struct Bbr {
    numbers: Numbers,
    rng: Rng,
    mss: u64,
    packet: u64,
    window: u64,
    prior: u64,
    ssthresh: Option<u64>,
    /// Bytes of payload per second.
    rate: u64,
    seen_rtt: bool,

    bandwidth: Greatest,
    /// Microseconds of the shortest round trip of the last ten seconds, and the tick of its measurement; that of the connection.
    least_rtt: Option<u64>,
    least_rtt_at: u64,
    shortest: Greatest,

    round: u64,
    round_ends: u64,
    round_began: bool,
    /// Microsecond in which something was delivered last.
    delivered_at: u64,

    mode: Mode,
    pacing_gain: u64,
    window_gain: u64,
    phase: u64,
    phase_at: u64,
    /// The tick after which ProbeRTT may end, and whether a round of it is over.
    probe_ends: Option<u64>,
    probe_round_over: bool,
    /// The last acknowledgement came in ProbeRTT, be it the one that ended it.
    held: bool,

    filled: bool,
    full_bandwidth: u64,
    full_rounds: u64,

    clumps: Clumps,
    policer: Policer,
    /// All that was delivered and lost, as the last acknowledgement told.
    seen: (u64, u64),
    before: Phase,
    conserves: bool,
    restarts: bool,
}

fn micros(at: Instant) -> u64 {
    at.as_nanos() / 1000
}

fn ticks(at: Instant) -> u64 {
    at.as_nanos() / 1_000_000
}

fn build(args: &Args) -> Box<dyn CongestionControl> {
    Box::new(Bbr::new(Numbers::of(&args.typed())))
}

impl Bbr {
    fn new(numbers: Numbers) -> Self {
        Bbr {
            rng: Rng::named(0, "bbr"),
            mss: 1,
            packet: 1,
            window: LEAST_WINDOW,
            prior: 0,
            ssthresh: None,
            rate: 0,
            seen_rtt: false,
            bandwidth: Greatest::default(),
            least_rtt: None,
            least_rtt_at: 0,
            shortest: Greatest::default(),
            round: 0,
            round_ends: 0,
            round_began: false,
            delivered_at: 0,
            mode: Mode::Startup,
            pacing_gain: numbers.high,
            window_gain: numbers.high,
            phase: 0,
            phase_at: 0,
            probe_ends: None,
            probe_round_over: false,
            held: false,
            filled: false,
            full_bandwidth: 0,
            full_rounds: 0,
            clumps: Clumps::default(),
            policer: Policer::default(),
            seen: (0, 0),
            before: Phase::Open,
            conserves: false,
            restarts: false,
            numbers,
        }
    }

    /// The connection is open.
    fn open(&mut self, now: Instant, smoothed: Option<Duration>) {
        let rtt = smoothed.map(|rtt| rtt.as_nanos() / 1000);
        self.least_rtt_at = ticks(now);
        self.least_rtt = rtt;
        if let Some(rtt) = rtt {
            self.shortest.take(SHORTEST_MILLIS, ticks(now), u64::MAX - rtt.max(1));
        }
        self.start_rate(rtt);
        self.delivered_at = micros(now);
        self.clumps.since = micros(now);
        // The SYN has been delivered.
        self.round_ends = u64::from(rtt.is_some());
    }

    /// It sends after a pause.
    fn resume(&mut self, now: Instant) {
        self.restarts = true;
        (self.clumps.since, self.clumps.acked) = (micros(now), 0);
        match self.mode {
            Mode::ProbeBw => self.set_rate(self.present(), GAIN_ONE, None),
            Mode::ProbeRtt => self.end_probe_rtt(ticks(now)),
            Mode::Startup | Mode::Drain => {}
        }
    }
}

impl CongestionControl for Bbr {
    fn on_connect(&mut self, setup: &Setup) {
        *self = Bbr { rng: self.rng.clone(), ..Bbr::new(self.numbers.clone()) };
        (self.mss, self.packet) = (u64::from(setup.mss), u64::from(setup.packet));
        self.window = setup.window as u64;
        self.start_rate(None);
    }

    fn on_milestone(&mut self, milestone: Milestone<'_>) {
        match milestone {
            Milestone::Begins(rng) => self.rng = Rng::named(rng.uniform().to_bits(), "bbr"),
            Milestone::Opened { now, smoothed } => self.open(now, smoothed),
            Milestone::Resumes { now, .. } => self.resume(now),
            Milestone::Reduced => {}
        }
    }

    fn sampled(&mut self) -> Option<&mut dyn Sampled> {
        Some(self)
    }

    fn on_ack(&mut self, _acked: &Acked) {}

    fn on_congestion_event(&mut self, _event: &Congestion) {
        self.save_window();
    }

    fn on_timeout(&mut self, event: Option<&Congestion>) {
        if event.is_some() {
            self.save_window();
        }
    }

    fn adjust(&mut self, change: Adjustment) {
        match change {
            Adjustment::Limit(segments) => self.window = self.window.min(segments as u64),
            Adjustment::Restore { .. } => {
                (self.full_bandwidth, self.full_rounds) = (0, 0);
                self.policer.forget(&self.news(false, false));
            }
            Adjustment::Raise(_) | Adjustment::Remember | Adjustment::EndSlowStart => {}
        }
    }

    fn needs(&self) -> Needs {
        Needs { buffered: 3, ..Needs::default() }
    }

    fn window(&self) -> f64 {
        self.window as f64
    }

    fn ssthresh(&self) -> f64 {
        self.ssthresh.map_or(f64::INFINITY, |segments| segments as f64)
    }

    fn paced(&self) -> Option<&dyn Paced> {
        Some(self)
    }
}

impl Paced for Bbr {
    fn pacing_rate(&self) -> Option<Rate> {
        Some(Rate::from_bps((8 * self.rate * self.packet / self.mss).max(1)))
    }

    fn gap_of(&self, payload: Bytes) -> Option<Duration> {
        Some(Duration::from_nanos(payload.0 * 1_000_000_000 / self.rate.max(1)))
    }

    fn at_once(&self) -> Option<u64> {
        Some(self.quantum())
    }
}

impl Sampled for Bbr {
    fn sampler(&self) -> Sampler {
        Sampler::Linux
    }

    fn on_sample(&mut self, sample: &Sample) {
        let sent_at = |trip: Duration| Instant::from_nanos(sample.now.as_nanos().saturating_sub(trip.as_nanos()));
        let trip = sample.trip.map(|trip| micros(sample.now) - micros(sent_at(trip)));
        self.seen = (sample.total, sample.all_lost);
        let seen = self.observe(sample, trip);
        self.update_bandwidth(sample, seen);
        self.update_clumps(sample.delivered as u64, seen);
        self.check_phase(sample);
        self.check_full(sample.app_limited);
        self.check_drain(sample);
        self.update_least_rtt(sample, trip);
        self.update_gains();
        let bandwidth = self.present();
        self.set_rate(bandwidth, self.pacing_gain, trip);
        self.set_window(sample, bandwidth);
    }

    /// Segments that are sent in ProbeRTT do not show the bandwidth.
    fn is_held_back(&self) -> bool {
        self.held
    }

    fn keeps(&mut self, segments: u64) -> bool {
        self.window = segments + 1;
        self.before = Phase::Loss;
        self.full_bandwidth = 0;
        self.round_began = true;
        self.look_for_policer(self.news(true, false));
        true
    }
}

#[cfg(test)]
mod tests;
