//! BBR version 3: a model of the path that is probed every few seconds, and that a loss of more than 2 % of a round trip bounds.
//! Specification: draft-ietf-ccwg-bbr-06, with its names and sections; samples of the delivery rate in `tcp/recovery/rack/delivery.rs`.
//! The places where Linux differs were read in `tcp_bbr.c` of the branch v3 of google/bbr (behaviour).
//!
//! | state | pacing gain | window gain | until |
//! |---|---|---|---|
//! | `Startup` | 4 ln 2 | 2 | three rounds did not raise the rate by a quarter, or 2 % of a round in recovery was lost |
//! | `Drain` | 0.5 | 2 | a bandwidth-delay product is in flight, or three rounds |
//! | `Down` | 0.9 | 2 | a bandwidth-delay product is in flight, and 15 % less than `inflight_longterm` |
//! | `Cruise` | 1 | 2 | 2 to 3 s since `Down` began, or as many rounds as Reno would take |
//! | `Refill` | 1 | 2 | a round |
//! | `Up` | 1.25 | 2.25 | as `Startup`; or a loss of 2 %; or the bound of a probe that went too high |
//! | `ProbeRtt` | 1 | 0.5 | 200 ms and a round; begins when no shorter round trip came for 5 s |
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | The state before a loss is saved once per acknowledgement | by section 5.5.10.2 a second loss saves what the first has cut | `a_second_loss_saves_nothing_that_the_first_one_has_cut` |
//! | The first rate is set again at the first round trip | section 5.6.2 says so, its pseudo-code does not | `the_first_rate_is_that_of_a_millisecond_until_a_round_trip_is_known` |
//! | `max_bw` stays if a whole cycle gave no sample | the filter would be empty (as in Linux) | `the_bandwidth_is_the_highest_of_two_cycles` |
//! | `is_app_limited` samples of a loss leave `inflight_longterm` | the pseudo-code of section 5.5.10.2; case A.6 asks for an update "regardless" | `case_06` |
//!
//! Not modelled: answers to ECN, which the draft leaves open (section 3.7); of Linux its ECN, its fast path, and load balancing.

mod control;
mod lost_segments;
mod path_model;
mod phases;
mod states;

use super::prelude::*;
use super::{Lost, Paced, Sample, Sampled, Sampler, bbr};
use states::{AckPhase, Aggregation, State, Undo};

pub static ENTRY: ControlEntry = ControlEntry {
    name: "bbr3",
    title: "BBR (version 3)",
    doc: "A control by a model of the path, as version 1, that also bounds the data in flight by the losses of its probes. It gives way \
          when more than 2 % of a round trip is lost, leaves room for others between the probes, and probes as often as Reno would. \
          Wants the profile `linux` of `tcp`, whose segments can be paced.",
    reference: "Cardwell, Swett and Beshay 2026, draft-ietf-ccwg-bbr-06",
    presets: presets! {
        /// The values of draft-ietf-ccwg-bbr-06.
        draft = {
            startup_gain = "2.772588722239781", drain_gain = "0.5", down_gain = "0.9", drain_rounds = "3", aggregation_time = "auto",
        };
        // Read on 2026-11-29: net/ipv4/tcp_bbr.c, branch v3 of google/bbr.
        // 710, 88 and 232 of 256.
        /// The values in which Linux's version 3 differs from the draft: gains in 1/256, a slower drain that only the data in flight ends,
        /// and room for at most 100 ms of acknowledgements that come in groups. Its whole numbers and its answer to ECN are not built.
        linux_v3 = {
            startup_gain = "2.7734375", drain_gain = "0.34375", down_gain = "0.90625", drain_rounds = "auto", aggregation_time = "100ms",
        };
    },
    law: Some(|args| bbr::course(build(args))),
    ..ControlEntry::of::<Params>(&build)
};

params! {
    pub struct Params {
        /// Gain of pacing in Startup; 4 ln 2.
        startup_gain: f64 = "2.772588722239781" in [1.01, 10.0], "draft section 2.5: the least that doubles in each round; Linux 710/256";
        /// Gain of pacing in Drain.
        drain_gain: f64 = "0.5" in [0.01, 1.0], "draft section 5.3.2; Linux 88/256, drafts before 04 0.35";
        /// Gain of pacing in ProbeBW_DOWN.
        down_gain: f64 = "0.9" in [0.01, 1.0], "draft section 5.3.3.1; Linux 232/256";
        /// Gain of pacing in ProbeBW_UP.
        up_gain: f64 = "1.25" in [1.01, 10.0], "draft section 5.3.3.5";
        /// Gain of the window in all states but ProbeBW_UP and ProbeRTT.
        window_gain: f64 = "2" in [1.0, 100.0], "draft section 2.6";
        /// Gain of the window in ProbeBW_UP.
        up_window_gain: f64 = "2.25" in [1.0, 100.0], "draft section 5.3.3.5";
        /// Gain of the window in ProbeRTT.
        probe_rtt_gain: f64 = "0.5" in [0.01, 1.0], "draft section 2.16.2";
        /// How long ProbeRTT lasts at least.
        probe_rtt: Duration = "200ms" in [0.001, 10.0], "draft section 2.16.2";
        /// Time without a shorter round trip after which ProbeRTT begins. At most `rtt_window` is of use.
        probe_rtt_interval: Duration = "5s" in [0.1, 1000.0], "draft section 2.16.2";
        /// How long the shortest round trip counts.
        rtt_window: Duration = "10s" in [0.1, 1000.0], "draft section 2.16.1";
        /// The part of a round trip whose loss is accepted while it probes.
        loss: Fraction = "2%" in [0.0, 0.99], "draft section 2.8";
        /// The part of rate and data in flight that a lossy round leaves at least.
        beta: Fraction = "70%" in [0.01, 1.0], "draft section 2.8, CUBIC's";
        /// The part of the data in flight that was accepted and is left to others between probes.
        headroom: Fraction = "15%" in [0.0, 0.99], "draft section 2.8";
        /// Lost ranges of a round in recovery that may end Startup.
        loss_ranges: u64 = "6" in [1.0, 1e6], "draft section 5.3.1.3; Linux counts acknowledgements that tell losses";
        /// Growth of the rate in a round below which it does not count as growth.
        growth: Fraction = "25%" in [0.0, 10.0], "draft section 5.3.1.2";
        /// Rounds without growth that end Startup or ProbeBW_UP.
        growth_rounds: u64 = "3" in [1.0, 100.0], "draft section 5.3.1.2";
        /// Rounds after which Drain ends whatever is in flight. With `auto` it does not.
        drain_rounds: Option<u64> = "3" in [1.0, 1e6], "draft section 5.3.2; Linux has no such end";
        /// Least time between the beginning of ProbeBW_DOWN and the next probe.
        probe_wait: Duration = "2s" in [0.001, 1000.0], "draft section 5.3.3.8";
        /// A random time up to this one is added to it.
        probe_spread: Duration = "1s" in [0.0, 1000.0], "draft section 5.3.3.8";
        /// The most rounds between two probes. It waits fewer if fewer segments are a bandwidth-delay product, as Reno does.
        probe_rounds: u64 = "63" in [1.0, 1e6], "draft section 5.3.3.8";
        /// Rounds over which acknowledgements that come in groups are remembered; one in Startup.
        aggregation_rounds: u64 = "10" in [1.0, 1000.0], "draft section 2.12; Linux turns two windows of five";
        /// The most room that is made for acknowledgements that come in groups, as a time at the bandwidth. With `auto` the window is
        /// the bound.
        aggregation_time: Option<Duration> = "auto" in [0.0, 1000.0], "draft section 5.5.9; Linux 100 ms";
        /// Send quanta that the window has room for.
        quanta: f64 = "3" in [0.0, 100.0], "draft section 5.5.8: 3 for TCP, 1 for QUIC";
        /// The share by which pacing is below the measured rate.
        margin: Fraction = "1%" in [0.0, 0.5], "draft section 2.5";
    }
}

/// Segments that may always be in flight (draft section 2.8, MinPipeCwnd).
const LEAST_WINDOW: f64 = 4.0;

/// The law, in the words of the draft. Windows are in segments, rates in segments per second; infinite bounds are not set.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a condition of its own, in the words of the draft")]
struct Bbr3 {
    params: Params,
    rng: Rng,
    /// Bytes of a full segment with and without its headers.
    packet: f64,
    mss: f64,
    initial: f64,
    cwnd: f64,
    prior_cwnd: f64,
    pacing_rate: f64,
    seen_rtt: bool,
    /// True from the first loss or timeout until all that was in flight then is acknowledged; and if a timeout began that.
    recovering: bool,
    timed_out: bool,
    /// True if the present acknowledgement proves that the last loss was none.
    was_spurious: bool,
    /// The state, the meaning of acknowledgements, and whether they report a probe.
    state: State,
    ack_phase: AckPhase,
    is_bw_probe_sample: bool,
    /// True if the last acknowledgement came in ProbeRTT, be it the one that ended it.
    held: bool,

    round_count: u64,
    round_start: bool,
    next_round_delivered: u64,
    /// All that has been delivered.
    delivered: u64,

    /// The highest rates of the last cycle and of the present one.
    max_bw: [f64; 2],
    bw: f64,
    bw_shortterm: f64,
    inflight_shortterm: f64,
    inflight_longterm: f64,
    bw_latest: f64,
    inflight_latest: f64,
    loss_round_start: bool,
    loss_round_delivered: u64,
    is_loss_in_round: bool,
    /// Lost ranges of this round, and the number of the last lost segment.
    loss_ranges: u64,
    last_lost: Option<u64>,
    undo: Undo,

    full_bw_reached: bool,
    full_bw_now: bool,
    full_bw: f64,
    full_bw_count: u64,
    drain_start_round: u64,
    aggregation: Aggregation,

    min_rtt: Option<Duration>,
    min_rtt_stamp: Instant,
    probe_rtt_min_delay: Option<Duration>,
    probe_rtt_min_stamp: Instant,
    probe_rtt_expired: bool,
    probe_rtt_done_stamp: Option<Instant>,
    probe_rtt_round_done: bool,
    idle_restart: bool,

    rounds_since_probe_up: u64,
    bw_probe_wait: Duration,
    cycle_stamp: Instant,
    prev_probe_too_high: bool,
    prev_probe_precautionary: bool,
    bw_probe_up_rounds: u32,
    bw_probe_up_acked: f64,
    probe_up_acked_per_inc: f64,
}

fn build(args: &Args) -> Box<dyn CongestionControl> {
    Box::new(Bbr3::new(args.typed(), Rng::named(0, "bbr3")))
}

impl Bbr3 {
    /// Draft section 5.2.1.
    fn new(params: Params, rng: Rng) -> Self {
        Bbr3 {
            rng,
            packet: 1.0,
            mss: 1.0,
            initial: LEAST_WINDOW,
            cwnd: LEAST_WINDOW,
            prior_cwnd: 0.0,
            pacing_rate: 0.0,
            seen_rtt: false,
            recovering: false,
            timed_out: false,
            was_spurious: false,
            state: State::Startup,
            ack_phase: AckPhase::Init,
            is_bw_probe_sample: false,
            held: false,
            round_count: 0,
            round_start: false,
            next_round_delivered: 0,
            delivered: 0,
            max_bw: [0.0; 2],
            bw: 0.0,
            bw_shortterm: f64::INFINITY,
            inflight_shortterm: f64::INFINITY,
            inflight_longterm: f64::INFINITY,
            bw_latest: 0.0,
            inflight_latest: 0.0,
            loss_round_start: false,
            loss_round_delivered: 0,
            is_loss_in_round: false,
            loss_ranges: 0,
            last_lost: None,
            undo: Undo::default(),
            full_bw_reached: false,
            full_bw_now: false,
            full_bw: 0.0,
            full_bw_count: 0,
            drain_start_round: 0,
            aggregation: Aggregation::default(),
            min_rtt: None,
            min_rtt_stamp: Instant::ZERO,
            probe_rtt_min_delay: None,
            probe_rtt_min_stamp: Instant::ZERO,
            probe_rtt_expired: false,
            probe_rtt_done_stamp: None,
            probe_rtt_round_done: false,
            idle_restart: false,
            rounds_since_probe_up: 0,
            bw_probe_wait: Duration::ZERO,
            cycle_stamp: Instant::ZERO,
            prev_probe_too_high: false,
            prev_probe_precautionary: false,
            bw_probe_up_rounds: 0,
            bw_probe_up_acked: 0.0,
            probe_up_acked_per_inc: f64::INFINITY,
            params,
        }
    }
}

impl CongestionControl for Bbr3 {
    fn on_connect(&mut self, setup: &Setup) {
        *self = Bbr3::new(self.params.clone(), self.rng.clone());
        (self.packet, self.mss) = (f64::from(setup.packet), f64::from(setup.mss));
        (self.initial, self.cwnd) = (setup.window, setup.window);
        self.init_pacing_rate(None);
    }

    fn on_milestone(&mut self, milestone: Milestone<'_>) {
        match milestone {
            Milestone::Begins(rng) => self.rng = Rng::named(rng.uniform().to_bits(), "bbr3"),
            Milestone::Opened { now, smoothed } => {
                (self.min_rtt, self.min_rtt_stamp) = (smoothed, now);
                (self.probe_rtt_min_delay, self.probe_rtt_min_stamp) = (smoothed, now);
                self.aggregation.interval_start = now;
                self.init_pacing_rate(smoothed);
            }
            Milestone::Resumes { now, .. } => self.restart_from_idle(now),
            Milestone::Reduced => {}
        }
    }

    fn sampled(&mut self) -> Option<&mut dyn Sampled> {
        Some(self)
    }

    fn on_ack(&mut self, _acked: &Acked) {}

    fn on_congestion_event(&mut self, event: &Congestion) {
        self.enter_recovery(event.now);
    }

    fn on_timeout(&mut self, event: Option<&Congestion>) {
        if let Some(event) = event {
            self.enter_recovery(event.now);
        }
        (self.recovering, self.timed_out) = (true, true);
        self.cwnd = 1.0;
    }

    fn adjust(&mut self, change: Adjustment) {
        match change {
            Adjustment::Limit(segments) => self.cwnd = self.cwnd.min(segments),
            // What has been delivered is known with the sample of this acknowledgement.
            Adjustment::Restore { .. } => self.was_spurious = true,
            Adjustment::Raise(_) | Adjustment::Remember | Adjustment::EndSlowStart => {}
        }
    }

    fn window(&self) -> f64 {
        self.cwnd
    }

    fn ssthresh(&self) -> f64 {
        f64::INFINITY
    }

    /// The draft does not answer marks (section 3.7).
    fn needs(&self) -> Needs {
        Needs { answers_echoes: false, buffered: 3, ..Needs::default() }
    }

    fn paced(&self) -> Option<&dyn Paced> {
        Some(self)
    }
}

impl Paced for Bbr3 {
    fn pacing_rate(&self) -> Option<Rate> {
        // Bound: a bit per second at least.
        Some(Rate::from_bps((self.pacing_rate * self.packet * 8.0).max(1.0) as u64))
    }

    fn at_once(&self) -> Option<u64> {
        Some(self.send_quantum() as u64)
    }
}

impl Sampled for Bbr3 {
    fn sampler(&self) -> Sampler {
        Sampler::LastSent
    }

    fn on_lost(&mut self, lost: &Lost) {
        self.handle_lost_packet(lost);
    }

    /// Draft section 5.2.3.
    fn on_sample(&mut self, sample: &Sample) {
        self.held = self.state == State::ProbeRtt;
        self.delivered = sample.total;
        if std::mem::take(&mut self.was_spurious) {
            self.handle_spurious_loss_detection();
        }
        self.leave_recovery(sample);
        if sample.prior.is_some() {
            self.update_model(sample);
        }
        self.set_pacing_rate(self.pacing_gain());
        self.set_cwnd(sample);
        self.held |= self.state == State::ProbeRtt;
    }

    fn is_held_back(&self) -> bool {
        self.held
    }

    /// Draft section 5.6.4.4: `C.cwnd = C.inflight + 1`.
    fn keeps(&mut self, segments: u64) -> bool {
        self.cwnd = segments as f64 + 1.0;
        true
    }
}

#[cfg(test)]
mod cases;
#[cfg(test)]
mod course;
#[cfg(test)]
mod tests;
