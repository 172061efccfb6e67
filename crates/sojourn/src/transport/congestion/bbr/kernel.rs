//! BBR in the whole numbers of today's Linux (`arithmetic = "kernel"`): rates in segments per microsecond with 24 bits behind the point,
//! gains in 1/256, times in microseconds or in ticks of a millisecond. Compared with: Linux 6.12.117 `tcp_bbr.c`, `tcp_rate.c` and
//! `win_minmax.c` (behaviour), acknowledgement by acknowledgement (`tests/peers/linux/kernel`).
//!
//! Where it differs from the draft in more than numbers:
//! - a gain that a new phase brings holds from the end of the acknowledgement on;
//! - what is in flight is counted for the moment at which the next packet may leave;
//! - what is found to be lost is taken from the window in each phase;
//! - the highest rate is the best of three, which begin in different quarters of the rounds.

mod greatest;
mod policed_rate;

use super::super::{
    Acked, Adjustment, Congestion, CongestionControl, Milestone, Needs, Paced, Phase, Sample, Sampled, Setup,
};
use crate::rng::Rng;
use crate::units::{Duration, Instant, Rate};
use greatest::Greatest;
use policed_rate::{News, Policer};

/// Bits behind the point of a rate, and of a gain.
const RATE_BITS: u32 = 24;
const RATE_ONE: u64 = 1 << RATE_BITS;
const GAIN_BITS: u32 = 8;
const GAIN_ONE: u64 = 1 << GAIN_BITS;
/// Segments that may always be in flight, and those of Linux's initial window.
const LEAST_WINDOW: u64 = 4;
const INITIAL_WINDOW: u64 = 10;
/// Phases of ProbeBW; any of them but that which drains may be the first.
const PHASES: u64 = 8;
/// Packets that the window leaves room for: at the sender's queue, its device and the receiver's.
const QUANTA: u64 = 3;
/// Bytes of a packet, and segments of it, at most; bytes per second below which a packet has one segment.
const MOST_BYTES: u64 = 65_536 - 1 - 320;
const MOST_SEGMENTS: u64 = 127;
const SLOW: u64 = 1_200_000 / 8;
/// A packet carries the data of 1/1024 s. This is the logarithm of 1024 to the base 2.
const PACKET_BITS: u32 = 10;
/// Room for clumps of acknowledgements, in microseconds at most; rounds that a maximum of them counts.
const CLUMP_MICROS: u64 = 100_000;
const CLUMP_ROUNDS: u64 = 5;
const CLUMP_MOST: u64 = 0xf_ffff;
/// Milliseconds over which the connection's shortest round trip counts (Linux `tcp_min_rtt_wlen`).
const SHORTEST_MILLIS: u64 = 300_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Startup,
    Drain,
    ProbeBw,
    ProbeRtt,
}

/// Parameters of the law, as `bbr` has them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settings {
    pub high_gain: f64,
    pub window_gain: f64,
    pub probe: f64,
    pub bandwidth_rounds: u64,
    pub rtt_window: Duration,
    pub probe_rtt: Duration,
    pub growth: f64,
    pub growth_rounds: u64,
    pub margin: f64,
    pub aggregation: bool,
    pub even: bool,
    pub policers: bool,
}

/// Parameters in the kernel's numbers.
#[derive(Clone, Debug)]
struct Numbers {
    high: u64,
    drain: u64,
    window: u64,
    up: u64,
    down: u64,
    /// Millionths of a rate that are paced.
    paced: u64,
    bandwidth_rounds: u64,
    rtt_millis: u64,
    probe_millis: u64,
    growth: u64,
    growth_rounds: u64,
    aggregation: bool,
    even: bool,
    policers: bool,
}

impl Numbers {
    fn of(params: &Settings) -> Self {
        let gain = |value: f64| libm::floor(value * GAIN_ONE as f64) as u64;
        let millis = |duration: Duration| duration.as_nanos() / 1_000_000;
        Numbers {
            high: gain(params.high_gain) + 1,
            drain: gain(1.0 / params.high_gain),
            window: gain(params.window_gain),
            up: gain(1.0 + params.probe),
            down: gain(1.0 - params.probe),
            paced: 1_000_000 - libm::round(1e6 * params.margin) as u64,
            bandwidth_rounds: params.bandwidth_rounds,
            rtt_millis: millis(params.rtt_window),
            probe_millis: millis(params.probe_rtt),
            growth: gain(1.0 + params.growth),
            growth_rounds: params.growth_rounds,
            aggregation: params.aggregation,
            even: params.even,
            policers: params.policers,
        }
    }
}

/// A sample of the delivery rate, taken from an acknowledgement.
#[derive(Clone, Copy, Debug)]
struct Observation {
    /// The segments delivered since the newest segment was sent that it reports, and the microseconds that they took.
    delivered: u64,
    micros: u64,
    /// The segments that had been delivered when that segment was sent.
    prior: u64,
    app_limited: bool,
}

/// By how much acknowledgements ran ahead of the bandwidth.
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
pub(super) struct BbrKernel {
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

impl BbrKernel {
    pub fn new(params: &Settings) -> Self {
        BbrKernel::with(Numbers::of(params))
    }

    fn with(numbers: Numbers) -> Self {
        BbrKernel {
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

    // ---- Rates.

    /// The bandwidth that is sent at: that of a policer, or the highest.
    fn present(&self) -> u64 {
        self.policer.rate().unwrap_or(self.bandwidth.value())
    }

    /// Bytes of payload per second at a bandwidth and a gain.
    fn rate_at(&self, bandwidth: u64, gain: u64) -> u64 {
        paced_bytes((bandwidth * self.mss * gain) >> GAIN_BITS, self.numbers.paced)
    }

    /// The initial window in a round trip.
    fn start_rate(&mut self, rtt_micros: Option<u64>) {
        self.seen_rtt |= rtt_micros.is_some();
        let bandwidth = self.window * RATE_ONE / rtt_micros.map_or(1000, |rtt| rtt.max(1));
        self.rate = self.rate_at(bandwidth, self.numbers.high);
    }

    fn set_rate(&mut self, bandwidth: u64, gain: u64, rtt_micros: Option<u64>) {
        let rate = self.rate_at(bandwidth, gain);
        if !self.seen_rtt && rtt_micros.is_some() {
            self.start_rate(rtt_micros);
        }
        if self.filled || rate > self.rate {
            self.rate = rate;
        }
    }

    fn least_segments(&self) -> u64 {
        if self.rate < SLOW { 1 } else { 2 }
    }

    /// Segments of a packet.
    fn quantum(&self) -> u64 {
        let bytes = (self.rate >> PACKET_BITS).min(MOST_BYTES);
        (bytes / self.mss).max(self.least_segments()).min(MOST_SEGMENTS)
    }

    // ---- Windows.

    /// `gain * bandwidth * shortest round trip`, rounded up.
    fn product(&self, bandwidth: u64, gain: u64) -> u64 {
        let Some(rtt) = self.least_rtt else { return INITIAL_WINDOW };
        ((bandwidth * rtt * gain) >> GAIN_BITS).div_ceil(RATE_ONE)
    }

    /// A window with room for packets under way in the machines.
    fn with_quanta(&self, window: u64) -> u64 {
        let whole = window + QUANTA * self.quantum();
        if !self.numbers.even {
            return whole;
        }
        whole.next_multiple_of(2) + if self.mode == Mode::ProbeBw && self.phase == 0 { 2 } else { 0 }
    }

    fn target(&self, bandwidth: u64, gain: u64) -> u64 {
        self.with_quanta(self.product(bandwidth, gain))
    }

    /// Of what is in flight now, what will be when the next packet may leave.
    fn at_departure(&self, inflight: u64, sample: &Sample) -> u64 {
        let wait = sample.departs.since(sample.now).as_nanos() / 1000;
        let delivered = (self.present() * wait) >> RATE_BITS;
        let then = inflight + if self.pacing_gain > GAIN_ONE { self.quantum() } else { 0 };
        then.saturating_sub(delivered)
    }

    fn save_window(&mut self) {
        let is_whole = !is_repairing(self.before) && self.mode != Mode::ProbeRtt;
        self.prior = if is_whole { self.window } else { self.prior.max(self.window) };
    }

    // ---- The model of the path.

    fn observe(&mut self, sample: &Sample, trip: Option<u64>) -> Option<Observation> {
        if let Some(trip) = trip {
            // The least is the greatest of what is left of a large number.
            self.shortest.take(SHORTEST_MILLIS, ticks(sample.now), u64::MAX - trip.max(1));
        }
        if sample.delivered > 0.0 {
            self.delivered_at = micros(sample.now);
        }
        let (spans, prior) = sample.spans.zip(sample.prior)?;
        let sent = micros(spans.left) - micros(spans.first_left);
        let heard = micros(sample.now) - micros(spans.heard);
        let interval = sent.max(heard);
        // Without a round trip there is no shortest: all bits.
        let shortest = if self.shortest.value() == 0 { u64::from(u32::MAX) } else { u64::MAX - self.shortest.value() };
        (interval > 0 && interval >= shortest).then(|| Observation {
            delivered: sample.total - prior,
            micros: interval,
            prior,
            app_limited: sample.app_limited,
        })
    }

    fn news(&self, loses: bool, app_limited: bool) -> News {
        News {
            micros: self.delivered_at,
            delivered: self.seen.0,
            lost: self.seen.1,
            loses,
            round: self.round_began,
            app_limited,
            cruises: self.mode == Mode::ProbeBw,
        }
    }

    fn look_for_policer(&mut self, news: News) {
        if !self.numbers.policers {
            return;
        }
        let (mss, paced) = (self.mss, self.numbers.paced);
        match self.policer.take(&news, |bandwidth| paced_bytes(bandwidth * mss, paced)) {
            policed_rate::Verdict::Nothing => {}
            policed_rate::Verdict::Policed => self.pacing_gain = GAIN_ONE,
            policed_rate::Verdict::Over => self.enter_probe_bw(),
        }
    }

    fn update_bandwidth(&mut self, sample: &Sample, seen: Option<Observation>) {
        self.round_began = false;
        let Some(seen) = seen else { return };
        if seen.prior >= self.round_ends {
            self.round_ends = sample.total;
            self.round += 1;
            self.round_began = true;
            self.conserves = false;
        }
        self.look_for_policer(self.news(sample.lost > 0.0, seen.app_limited));
        let rate = seen.delivered * RATE_ONE / seen.micros;
        if !seen.app_limited || rate >= self.bandwidth.value() {
            self.bandwidth.take(self.numbers.bandwidth_rounds, self.round, rate);
        }
    }

    fn update_clumps(&mut self, delivered: u64, seen: Option<Observation>) {
        if !self.numbers.aggregation || delivered == 0 || seen.is_none() {
            return;
        }
        let (bandwidth, now, window) = (self.present(), self.delivered_at, self.window);
        let clumps = &mut self.clumps;
        if self.round_began {
            clumps.rounds += 1;
            if clumps.rounds >= CLUMP_ROUNDS {
                (clumps.rounds, clumps.turn) = (0, 1 - clumps.turn);
                clumps.most[clumps.turn] = 0;
            }
        }
        let mut expected = bandwidth * (now - clumps.since) / RATE_ONE;
        if clumps.acked <= expected || clumps.acked + delivered > CLUMP_MOST {
            (clumps.acked, clumps.since, expected) = (0, now, 0);
        }
        clumps.acked = (clumps.acked + delivered).min(CLUMP_MOST);
        let extra = (clumps.acked - expected).min(window);
        clumps.most[clumps.turn] = clumps.most[clumps.turn].max(extra);
    }

    fn room_for_clumps(&self, bandwidth: u64) -> u64 {
        if !self.numbers.aggregation || !self.filled {
            return 0;
        }
        self.clumps.most[0].max(self.clumps.most[1]).min(bandwidth * CLUMP_MICROS / RATE_ONE)
    }

    // ---- The phases.

    fn enter_probe_bw(&mut self) {
        self.mode = Mode::ProbeBw;
        let drawn = (self.rng.uniform() * (PHASES - 1) as f64) as u64;
        self.begin_phase(PHASES - drawn);
    }

    fn begin_phase(&mut self, phase: u64) {
        (self.phase, self.phase_at) = (phase % PHASES, self.delivered_at);
    }

    fn check_phase(&mut self, sample: &Sample) {
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

    fn check_full(&mut self, app_limited: bool) {
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

    fn check_drain(&mut self, sample: &Sample) {
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

    fn update_least_rtt(&mut self, sample: &Sample, trip: Option<u64>) {
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
    fn end_probe_rtt(&mut self, now: u64) {
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

    fn update_gains(&mut self) {
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

    // ---- What is sent.

    fn set_window(&mut self, sample: &Sample, bandwidth: u64) {
        let acked = sample.delivered as u64;
        if acked > 0 && !self.follow_recovery(sample, acked) {
            let target = self.with_quanta(self.product(bandwidth, self.window_gain) + self.room_for_clumps(bandwidth));
            if self.filled {
                self.window = (self.window + acked).min(target);
            } else if self.window < target || sample.total < INITIAL_WINDOW {
                self.window += acked;
            }
            self.window = self.window.max(LEAST_WINDOW);
        }
        self.window = self.window.min(sample.most as u64);
        if self.mode == Mode::ProbeRtt {
            self.window = self.window.min(LEAST_WINDOW);
        }
    }

    /// Recovery begins or ends. Returns whether as much is sent as arrives.
    fn follow_recovery(&mut self, sample: &Sample, acked: u64) -> bool {
        if sample.lost > 0.0 {
            self.window = self.window.saturating_sub(sample.lost as u64).max(1);
        }
        let inflight = sample.inflight as u64;
        if sample.phase == Phase::Recovery && self.before != Phase::Recovery {
            self.conserves = true;
            self.round_ends = sample.total;
            self.window = inflight + acked;
        } else if is_repairing(self.before) && !is_repairing(sample.phase) {
            self.window = self.window.max(self.prior);
            self.conserves = false;
        }
        self.before = sample.phase;
        if self.conserves {
            self.window = self.window.max(inflight + acked);
        }
        self.conserves
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

/// The pacing rate in bytes per second. The argument is in bytes per microsecond with the point at 24 bits, and `paced` millionths of it
/// are paced.
fn paced_bytes(bytes: u64, paced: u64) -> u64 {
    bytes.saturating_mul(paced) >> RATE_BITS
}

fn is_repairing(phase: Phase) -> bool {
    matches!(phase, Phase::Recovery | Phase::Loss)
}

impl CongestionControl for BbrKernel {
    fn on_connect(&mut self, setup: &Setup) {
        *self = BbrKernel { rng: self.rng.clone(), ..BbrKernel::with(self.numbers.clone()) };
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

impl Paced for BbrKernel {
    fn pacing_rate(&self) -> Option<Rate> {
        Some(Rate::from_bps((8 * self.rate * self.packet / self.mss).max(1)))
    }

    fn gap_of(&self, segments: u64, _packet: u32) -> Option<Duration> {
        Some(Duration::from_nanos(segments * self.mss * 1_000_000_000 / self.rate.max(1)))
    }

    fn at_once(&self) -> Option<u64> {
        Some(self.quantum())
    }
}

impl Sampled for BbrKernel {
    fn last_sent(&self) -> bool {
        true
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
