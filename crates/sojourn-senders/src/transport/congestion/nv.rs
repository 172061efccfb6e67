//! TCP-NV, New Vegas. From the fastest delivery of a round trip it computes the window that the path needs without a queue. A window that
//! is larger by more than a few segments shrinks. Specification: [Bra10] Brakmo, "TCP-NV: congestion avoidance for data centers", Linux
//! Plumbers Conference 2010, and its code in Linux. Compared with: Linux 6.12.117 `tcp_nv.c` (behaviour).
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | No bounds of the round trip from outside | in Linux, a program of the operator's (BPF) sets them | - |

use super::prelude::*;

pub static ENTRY: ControlEntry = ControlEntry {
    name: "nv",
    title: "TCP-NV (New Vegas)",
    doc: "A control by delay for networks in which all flows use it. It keeps the window within a few segments of the product of \
          measured rate and shortest round trip, and decides only when it has many measurements.",
    reference: "Brakmo 2010; Linux 6.12",
    presets: presets! {
        // Checked on 2026-11-25: tcp_nv.c of Linux 6.12.117.
        /// Linux 6.12 in its whole numbers.
        linux = { loss_dec_factor = "0.7998046875", arithmetic = "kernel" };
    },
    law: Some(draw_law),
    ..ControlEntry::of::<Params>(&build)
};

params! {
    /// Parameters of TCP-NV, in the names of its code.
    pub struct Params {
        /// Segments that may wait in the network.
        pad: f64 = "10" in [1.0, 1e6], "Linux 6.12";
        /// Distance in segments below the largest window within which the window is unchanged.
        pad_buffer: f64 = "2" in [0.0, 1e6], "Linux 6.12";
        /// Period after which the shortest round trip is measured anew. It varies by a quarter at random.
        reset_period: Duration = "5s" in [0.1, 1000.0], "Linux 6.12";
        /// Least window in segments without a loss.
        min_cwnd: f64 = "2" in [1.0, 1000.0], "Linux 6.12";
        /// Part of the window's excess that is taken away in a round trip.
        cong_dec_mult: Fraction = "0.3" in [0.0, 1.0], "Linux 6.12";
        /// The threshold after the shrink, over the window that would have been right.
        ssthresh_factor: f64 = "1" in [0.125, 8.0], "Linux 6.12";
        /// Weight of a new sample of the round trip.
        rtt_factor: Fraction = "0.5" in [0.01, 1.0], "Linux 6.12";
        /// Part of the window that a loss leaves.
        loss_dec_factor: Fraction = "0.8" in [0.1, 0.99], "Linux 6.12";
        /// Measurements before the window shrinks.
        dec_eval_min_calls: u64 = "60" in [1.0, 255.0], "Linux 6.12";
        /// Measurements before the window may grow.
        inc_eval_min_calls: u64 = "20" in [1.0, 255.0], "Linux 6.12";
        /// Measurements before slow start ends.
        ssthresh_eval_min_calls: u64 = "30" in [1.0, 255.0], "Linux 6.12";
        /// Round trips without a decision after which the window no longer grows, if it is too large.
        stop_rtt_cnt: u64 = "10" in [1.0, 255.0], "Linux 6.12";
        /// Round trips before the window shrinks.
        rtt_min_cnt: u64 = "2" in [1.0, 255.0], "Linux 6.12";
        /// Decisions to grow after which growth that timeouts have slowed down is doubled.
        growth_rate_neg: u64 = "8" in [0.0, 1e6], "Linux 6.12";
        /// The same for growth that is not slower than Reno's. 0: growth stays that of Reno.
        growth_rate_pos: u64 = "0" in [0.0, 1e6], "Linux 6.12";
        /// The arithmetic of the window. That of the kernel has microseconds and whole segments.
        arithmetic: Arithmetic = "real", "Linux 6.12";
    }
}

/// The least window in segments, the step by which it grows, and its bound. It grows because a round trip in a small window has few
/// measurements if devices combine acknowledgements.
const MIN_CWND: u64 = 4;
const MIN_CWND_GROW: u64 = 2;
const MIN_CWND_MOST: u64 = 81;
/// Timeouts halve the growth at most eight times.
const SLOWEST: i32 = -8;
/// 100 bits per second, of bytes per microsecond. Rounded down, a rate fills its own round trip with one segment less.
const RATE_UNIT: u64 = 80_000;
const FIRST_PERIOD: Duration = Duration::from_secs(2);
/// More measurements are not counted.
const MOST_CALLS: u64 = 255;

#[derive(Clone, Debug)]
struct Nv {
    params: Params,
    rng: Rng,
    place: Place,
    /// Segments acknowledged at the last measurement, and the number that ends the round trip.
    measured_at: f64,
    ends: f64,
    /// Round trips in seconds: smoothed, the shortest, and the shortest of this period, which ends at `anew_at`.
    rtt: f64,
    rtt_min: f64,
    rtt_min_new: f64,
    anew_at: Option<Instant>,
    /// Largest rate since the last decision, in segments per second; with the kernel's numbers in units of 100 bits per second.
    rate_max: f64,
    /// Bytes of payload of a segment.
    mss: u64,
    /// Measurements and round trips since then, decisions to grow in a row.
    calls: u64,
    rounds: u64,
    calm_rounds: u64,
    /// Growth is Reno's times 2 to this.
    growth: i32,
    min_cwnd: u64,
    may_grow: bool,
    /// A loss has been repaired when the phase is open again: all begins anew.
    begins_anew: bool,
    now: Instant,
    phases: bool,
}

fn build(args: &Args) -> Box<dyn CongestionControl> {
    Box::new(Classic::new(Nv::new(args.typed())))
}

/// The largest window that is right: the segments that the rate fills in the shortest round trip, and `pad`.
fn window_max(params: &Params, rate: f64, rtt_min: f64) -> f64 {
    rate * rtt_min + params.pad
}

/// Whole microseconds of a time in seconds that has no part of one.
fn micros(seconds: f64) -> u64 {
    libm::round(1e6 * seconds) as u64
}

/// The segments by which a round trip shrinks a window that is `excess` segments too large.
fn taken(params: &Params, excess: f64) -> f64 {
    if excess > 2.0 {
        let part = if params.arithmetic == Arithmetic::Kernel {
            libm::floor(excess * libm::floor(params.cong_dec_mult.0 * 128.0) / 128.0)
        } else {
            params.cong_dec_mult.0 * excess
        };
        part.max(2.0)
    } else if params.cong_dec_mult.0 > 0.0 {
        excess
    } else {
        0.0
    }
}

fn rounded(params: &Params, value: f64) -> f64 {
    if params.arithmetic == Arithmetic::Kernel { libm::floor(value) } else { value }
}

fn draw_law(args: &Args) -> Graph {
    let params: Params = args.typed();
    let most = 40.0_f64.max(4.0 * params.pad);
    let stays = (params.pad - params.pad_buffer).max(0.0);
    Graph::new(Axis::new("own segments in queues", "segments"), Axis::new("change of the window", "segments"))
        .about("Drawn for decisions of a window that is not in slow start.")
        .curve("", (0.0, most), &[stays, params.pad], |queued| {
            if queued <= stays {
                1.0
            } else if queued <= params.pad {
                0.0
            } else {
                -taken(&params, queued - params.pad)
            }
        })
}

impl Nv {
    fn new(params: Params) -> Self {
        Nv {
            params,
            rng: Rng::named(0, "nv"),
            place: Place::default(),
            measured_at: 0.0,
            ends: 0.0,
            rtt: 0.0,
            rtt_min: f64::INFINITY,
            rtt_min_new: f64::INFINITY,
            anew_at: None,
            rate_max: 0.0,
            mss: 1,
            calls: 0,
            rounds: 0,
            calm_rounds: 0,
            growth: 0,
            min_cwnd: MIN_CWND,
            may_grow: true,
            begins_anew: false,
            now: Instant::ZERO,
            phases: false,
        }
    }

    fn is_kernel(&self) -> bool {
        self.params.arithmetic == Arithmetic::Kernel
    }

    fn begin_anew(&mut self) {
        (self.begins_anew, self.calm_rounds, self.rounds, self.calls) = (false, 0, 0, 0);
        (self.rtt, self.rate_max) = (0.0, 0.0);
        (self.ends, self.measured_at) = (self.place.acked, self.place.acked);
    }

    fn measure(&mut self, window: &mut Window, arrival: &Arrival) {
        self.now = arrival.now;
        let Some(sample) = arrival.rtt else { return };
        if !matches!(arrival.phase, Phase::Open | Phase::Disorder) {
            return;
        }
        let acknowledged = self.place.acked - std::mem::replace(&mut self.measured_at, self.place.acked);
        if arrival.delivered <= 0.0 {
            return;
        }
        self.measure_rtt(sample);
        self.rate_max = self.rate_max.max(self.rate(arrival.delivered));
        self.calls = (self.calls + 1).min(MOST_CALLS);
        self.rtt_min = self.rtt_min.min(self.rtt);
        self.rtt_min_new = self.rtt_min_new.min(self.rtt);
        self.end_period();
        if self.ends < self.place.acked {
            self.end_round(window, acknowledged);
        }
    }

    /// The rate of `segments` segments in a smoothed round trip.
    fn rate(&self, segments: f64) -> f64 {
        if self.is_kernel() {
            (segments as u64 * self.mss * RATE_UNIT / micros(self.rtt).max(1)) as f64
        } else {
            segments / self.rtt
        }
    }

    /// The largest window that is right.
    fn most(&self) -> f64 {
        if !self.is_kernel() {
            return window_max(&self.params, self.rate_max, self.rtt_min);
        }
        let filled = self.rate_max as u64 * micros(self.rtt_min) / (RATE_UNIT * self.mss);
        filled as f64 + libm::floor(self.params.pad)
    }

    fn measure_rtt(&mut self, sample: Duration) {
        let (now, then) = (self.now.as_nanos(), self.now.as_nanos().saturating_sub(sample.as_nanos()));
        let micros = (now / 1000 - then / 1000).max(1) as f64 * 1e-6;
        let sample = if self.is_kernel() { micros } else { sample.as_secs_f64().max(1e-9) };
        if self.rtt > 0.0 {
            let weight = if self.is_kernel() {
                libm::floor(256.0 * self.params.rtt_factor.0) / 256.0
            } else {
                self.params.rtt_factor.0
            };
            let mean = weight * sample + (1.0 - weight) * self.rtt;
            self.rtt = if self.is_kernel() { libm::floor(1e6 * mean + 1e-6) * 1e-6 } else { mean };
        } else {
            self.rtt = sample;
            self.rtt_min = 2.0 * sample;
        }
    }

    /// Linux counts periods in ticks.
    fn tick(&self, now: Instant) -> Instant {
        if self.is_kernel() { Instant::from_nanos(now.as_nanos() / 1_000_000 * 1_000_000) } else { now }
    }

    /// The shortest round trip of long ago is forgotten.
    fn end_period(&mut self) {
        let now = self.tick(self.now);
        let ends = *self.anew_at.get_or_insert(now + FIRST_PERIOD);
        if now >= ends {
            (self.rtt_min, self.rtt_min_new) = (self.rtt_min_new, f64::INFINITY);
            let drawn = self.rng.uniform();
            let period = self.params.reset_period;
            let next = if self.is_kernel() {
                // Whole seconds and one of 256 parts, in ticks of a millisecond.
                let (seconds, part) = (period.as_nanos() / 1_000_000_000, (drawn * 256.0) as u64);
                Duration::from_millis((seconds * (384 + part) * 1000) >> 9)
            } else {
                period.mul_f64(0.75 + 0.5 * drawn)
            };
            self.anew_at = Some(now + next);
            self.min_cwnd = (self.min_cwnd / 2).max(MIN_CWND);
        }
    }

    fn end_round(&mut self, window: &mut Window, acknowledged: f64) {
        self.ends = self.place.sent;
        self.rounds = (self.rounds + 1).min(MOST_CALLS);
        if self.calls == 1 && acknowledged >= (self.min_cwnd - 1) as f64 && self.min_cwnd < MIN_CWND_MOST {
            self.min_cwnd = (self.min_cwnd + MIN_CWND_GROW).min(MIN_CWND_MOST);
            self.ends = self.place.sent + self.min_cwnd as f64;
            (self.calls, self.may_grow) = (0, true);
            return;
        }
        let most = self.most();
        let decided = if window.cwnd > most {
            self.shrink(window, most)
        } else if window.cwnd <= most - self.params.pad_buffer {
            self.allow_growth()
        } else {
            false
        };
        if decided {
            (self.calls, self.rounds, self.rate_max) = (0, 0, 0.0);
            window.raise(self.params.min_cwnd);
        }
    }

    /// The window is too large. Returns whether this has been decided.
    fn shrink(&mut self, window: &mut Window, most: f64) -> bool {
        if self.rounds < self.params.rtt_min_cnt {
            return false;
        }
        let needs = if window.ssthresh.is_infinite() {
            self.params.ssthresh_eval_min_calls
        } else {
            self.params.dec_eval_min_calls
        };
        if self.calls < needs {
            if !window.ssthresh.is_infinite() && self.rounds > self.params.stop_rtt_cnt {
                self.may_grow = false;
            }
            return false;
        }
        self.may_grow = false;
        window.ssthresh = rounded(&self.params, self.params.ssthresh_factor * most).max(1.0);
        window.cwnd = (window.cwnd - taken(&self.params, window.cwnd - most)).max(1.0);
        self.growth = self.growth.min(0);
        self.calm_rounds = 0;
        true
    }

    /// The window is small enough. Returns whether this has been decided.
    fn allow_growth(&mut self) -> bool {
        if self.calls < self.params.inc_eval_min_calls {
            return false;
        }
        self.may_grow = true;
        self.calm_rounds += 1;
        let rate = if self.growth < 0 { self.params.growth_rate_neg } else { self.params.growth_rate_pos };
        if rate > 0 && self.calm_rounds > rate {
            self.growth += 1;
            self.calm_rounds = 0;
        }
        true
    }
}

impl Law for Nv {
    const FOLLOWS: bool = true;
    const LISTENS: bool = true;

    fn needed(&mut self, window: &Window, _acked: &Acked) -> Needed {
        let slower = window.cwnd * libm::exp2(f64::from(-self.growth));
        Needed::for_one(if self.growth < 0 { slower } else { rounded(&self.params, slower).max(4.0) })
    }

    fn kept(&mut self, _window: &Window, event: &Congestion) -> f64 {
        (self.begins_anew, self.may_grow) = (true, false);
        event.used * self.params.loss_dec_factor.0
    }

    fn on_arrival(&mut self, window: &mut Window, arrival: &Arrival) {
        if !self.phases && std::mem::take(&mut self.begins_anew) {
            self.begin_anew();
        }
        self.measure(window, arrival);
    }

    fn on_phase(&mut self, phase: Phase) {
        match phase {
            Phase::Open if self.begins_anew => self.begin_anew(),
            Phase::Reducing | Phase::Recovery => (self.begins_anew, self.may_grow) = (true, false),
            Phase::Open | Phase::Disorder | Phase::Loss => {}
        }
    }

    fn reset(&mut self, setup: &Setup) {
        self.mss = u64::from(setup.mss);
        self.phases = setup.phases;
        self.place = Place::default();
        self.begin_anew();
        (self.rtt_min, self.rtt_min_new, self.anew_at) = (f64::INFINITY, f64::INFINITY, None);
        (self.growth, self.min_cwnd, self.may_grow) = (0, MIN_CWND, true);
    }

    fn is_whole(&self) -> bool {
        self.is_kernel()
    }

    /// Segments above the threshold count in real numbers, too.
    fn open(&mut self, window: &mut Window, acked: &Acked, counted: f64) -> bool {
        if counted <= 0.0 || !self.may_grow {
            return true;
        }
        let before = window.cwnd;
        window.left_by_slow_start(counted);
        let left = counted - (window.cwnd - before);
        if left > 0.0 {
            let needed = self.needed(window, acked);
            window.open(left, needed);
        }
        true
    }

    fn on_timeout(&mut self, _window: &Window) {
        (self.begins_anew, self.may_grow) = (true, false);
        self.growth = self.growth.min(0);
        if self.params.growth_rate_neg > 0 && self.growth > SLOWEST {
            self.growth -= 1;
        }
    }

    fn on_heard(&mut self, _window: &mut Window, heard: &Heard) {
        self.place.hear(heard);
    }

    fn on_milestone(&mut self, _window: &mut Window, milestone: Milestone<'_>) {
        match milestone {
            Milestone::Begins(rng) => self.rng = Rng::named(rng.uniform().to_bits(), "nv"),
            Milestone::Opened { now, smoothed } if self.is_kernel() => {
                self.anew_at = Some(self.tick(now) + FIRST_PERIOD);
                if smoothed.is_some() {
                    // The SYN's acknowledgement is measured before the law begins: a period of before ends with it, and its successor's
                    // length is drawn for nothing.
                    self.rng.uniform();
                }
            }
            Milestone::Opened { .. } | Milestone::Resumes { .. } | Milestone::Reduced => {}
        }
    }

    fn needs(&self) -> Needs {
        Needs { deliveries: true, ..Needs::default() }
    }
}

#[cfg(test)]
mod tests;
