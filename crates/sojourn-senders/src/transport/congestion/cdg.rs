//! CDG, the CAIA Delay-Gradient: the window falls by chance, the more likely the faster round trips become longer. Specification: [HA11]
//! Hayes and Armitage, "Revisiting TCP congestion control using delay gradients", IFIP Networking 2011. Compared with: Linux 6.12.117
//! `tcp_cdg.c` (behaviour).
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | A mark cuts as a loss does | [HA11] says nothing of ECN | `a_mark_cuts_as_a_loss` |

use super::prelude::*;

pub static ENTRY: ControlEntry = ControlEntry {
    name: "cdg",
    title: "CDG",
    doc: "A control by the gradient of the delay: how much longer round trips become from one to the next. The window falls by chance as \
          they grow. If that does not help, others fill the queue, and the window no longer yields to them.",
    reference: "Hayes and Armitage 2011",
    presets: presets! {
        // Checked on 2026-11-25: tcp_cdg.c of Linux 6.12.117.
        /// Linux 6.12 in its whole numbers: every loss is one of congestion, and HyStart ends slow start.
        linux = { beta = "0.70703125", tolerance = "false", hystart = "true", arithmetic = "kernel" };
    },
    law: Some(draw_law),
    ..ControlEntry::of::<Params>(&build)
};

params! {
    pub struct Params {
        /// Round trips over which gradients are smoothed.
        window: u64 = "8" in [1.0, 256.0], "Hayes and Armitage 2011";
        /// Part of the window that remains after a cut for the gradient.
        beta: Fraction = "0.7" in [0.1, 0.99], "Hayes and Armitage 2011";
        /// Gradient per round trip at which the window falls with a probability of 1 - 1/e.
        g: Duration = "3ms" in [0.00001, 10.0], "Hayes and Armitage 2011";
        /// Falls in a row that do not help after which the window falls no more for gradients; 0: it always does.
        ineffectual: u64 = "5" in [0.0, 1000.0], "Hayes and Armitage 2011";
        /// Whether a loss cuts the window that there would be without cuts for gradients (the shadow window).
        shadow: bool = "true", "Hayes and Armitage 2011";
        /// Whether a loss while the queue is not full counts as chance, and takes nothing.
        tolerance: bool = "true", "Hayes and Armitage 2011";
        /// Whether slow start also ends when acknowledgements come in a row for half of a round trip, or round trips are longer by an
        /// eighth; in real numbers the transport has HyStart++ (`slow_start`).
        hystart: bool = "false", "Hayes and Armitage 2011";
        /// The arithmetic of the window. That of the kernel has microseconds, whole segments and probabilities of 32 bits.
        arithmetic: Arithmetic = "real", "Hayes and Armitage 2011";
    }
}

/// Least threshold in segments.
const WINDOW_MIN: f64 = 2.0;
/// Linux: the sum of gradients that shows that a decrease has helped, in microseconds. Smaller changes do not count.
const HELPED: i64 = -32;
const SMALL: i64 = 64;
/// Linux: delayed acknowledgements that are awaited at most.
const DELAYED: u32 = 5;
/// Linux, HyStart: acknowledgements in a row, the least half of a round trip and least growth, in microseconds; samples before one counts.
const IN_A_ROW: i64 = 3000;
const LEAST: i64 = 125;
const SAMPLES: u32 = 8;

/// The shortest and the longest round trip of a round in microseconds; 0: none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Span {
    min: i64,
    max: i64,
}

impl Span {
    fn take(&mut self, rtt: i64) {
        self.min = if self.min == 0 { rtt } else { self.min.min(rtt) };
        self.max = self.max.max(rtt);
    }

    fn is_empty(self) -> bool {
        self == Span::default()
    }
}

/// The state of the queue at the bottleneck, by the gradients.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Bottleneck {
    #[default]
    Unknown,
    NotFull,
    Full,
    /// The window is falling for gradients.
    BackingOff,
}

/// Gradients of the last round trips, and their sums.
#[derive(Clone, Debug, Default)]
struct Gradients {
    each: Vec<Span>,
    tail: usize,
    sum: Span,
    filled: bool,
}

impl Gradients {
    fn of(rounds: usize) -> Self {
        Gradients { each: vec![Span::default(); rounds], ..Gradients::default() }
    }

    /// [HA11] equation 4: the mean of the last gradients, times their number. One of minima counts before one of maxima.
    fn take(&mut self, now: Span, before: Span) -> i64 {
        let new = Span { min: now.min - before.min, max: now.max - before.max };
        let rounds = self.each.len();
        let old = std::mem::replace(&mut self.each[self.tail], new);
        self.sum.min += new.min - old.min;
        self.sum.max += new.max - old.max;
        self.tail = (self.tail + 1) % rounds;
        let sum = if self.sum.min > 0 { self.sum.min } else { self.sum.max };
        if self.filled || self.tail == 0 {
            self.filled = true;
            return sum;
        }
        // The rest of the rounds is taken to be as those that there were.
        sum * rounds as i64 / self.tail as i64
    }
}

/// Linux's HyStart in this law.
#[derive(Clone, Copy, Debug, Default)]
struct HyStart {
    shortest: i64,
    samples: u32,
    /// Microseconds of the last acknowledgement in a row and of the first.
    last: i64,
    began: i64,
}

impl HyStart {
    /// Whether slow start is over.
    fn is_over(&mut self, now: i64, least: i64, limited: bool) -> bool {
        if least > 0 && (self.shortest == 0 || least < self.shortest) {
            self.shortest = least;
        }
        if self.shortest == 0 {
            return false;
        }
        if self.last == 0 || limited {
            (self.last, self.began) = (now, now);
        } else if now < self.last + IN_A_ROW {
            self.last = now;
            if now > self.began + (self.shortest / 2).max(LEAST) {
                return true;
            }
        }
        if self.samples < SAMPLES {
            self.samples += 1;
            return false;
        }
        least > (self.shortest + self.shortest / 8).max(LEAST)
    }
}

#[derive(Clone, Debug)]
struct Cdg {
    params: Params,
    rng: Rng,
    place: Place,
    ends: f64,
    round: Span,
    before: Span,
    gradients: Gradients,
    bottleneck: Bottleneck,
    /// Acknowledgements of one segment that may be delayed ones.
    delayed: u32,
    /// Falls in a row that have not helped.
    fallen: u64,
    shadow: f64,
    start: HyStart,
    falls: bool,
    phases: bool,
}

fn build(args: &Args) -> Box<dyn CongestionControl> {
    Box::new(Classic::new(Cdg::new(args.typed())))
}

/// [HA11] equation 5: `P = 1 - exp(-g / G)`, for a sum of gradients in microseconds over the window of rounds.
fn probability(params: &Params, sum: f64) -> f64 {
    let g = params.g.as_secs_f64() * 1e6 * params.window.max(1) as f64;
    if params.arithmetic == Arithmetic::Real {
        return 1.0 - libm::exp(-sum / g);
    }
    // Linux has a whole factor.
    let factor = libm::round(1e6 / g);
    let below = kept_in_bits((sum * factor).min(f64::from(u32::MAX)) as u32);
    1.0 - (f64::from(below) + 1.0) / (f64::from(u32::MAX) + 1.0)
}

/// Linux's `exp(-x / 1e6)` in 32 bits: the lowest eight of x on a line, the others by a product of powers in 16 bits.
fn kept_in_bits(x: u32) -> u32 {
    let mut left = x >> 8;
    if left > u32::from(u16::MAX) {
        return 0;
    }
    let mut kept = u64::from(u32::MAX - (x & 0xff) * (u32::MAX / 1_000_000));
    let mut power = 256e-6;
    while left > 0 {
        if left & 1 == 1 {
            let factor = libm::round(libm::exp(-power) * 65536.0 - 1.0) as u64 + 1;
            kept = (kept * factor) >> 16;
        }
        power *= 2.0;
        left >>= 1;
    }
    kept as u32
}

fn draw_law(args: &Args) -> Graph {
    let params: Params = args.typed();
    let most = 5.0 * params.g.as_secs_f64() * 1e3;
    Graph::new(Axis::new("gradient of the round trip", "ms"), Axis::new("probability that the window falls", "")).curve(
        "",
        (0.0, most),
        &[],
        |gradient| probability(&params, gradient * 1e3 * params.window.max(1) as f64).max(0.0),
    )
}

impl Cdg {
    fn new(params: Params) -> Self {
        Cdg {
            gradients: Gradients::of(params.window.max(1) as usize),
            params,
            rng: Rng::named(0, "cdg"),
            place: Place::default(),
            ends: 0.0,
            round: Span::default(),
            before: Span::default(),
            bottleneck: Bottleneck::Unknown,
            delayed: 0,
            fallen: 0,
            shadow: 0.0,
            start: HyStart::default(),
            falls: false,
            phases: false,
        }
    }

    fn is_kernel(&self) -> bool {
        self.params.arithmetic == Arithmetic::Kernel
    }

    fn measure(&mut self, arrival: &Arrival) {
        let micros = |rtt: Duration| match self.params.arithmetic {
            Arithmetic::Real => rtt.as_nanos() / 1000,
            // By a clock of whole microseconds: a gradient of one has a number drawn.
            Arithmetic::Kernel => {
                arrival.now.as_nanos() / 1000 - arrival.now.as_nanos().saturating_sub(rtt.as_nanos()) / 1000
            }
        };
        let Some(rtt) = arrival.rtt.map(|rtt| micros(rtt) as i64).filter(|&rtt| rtt > 0) else { return };
        // [Hayes 2010]: an acknowledgement of one segment may have been delayed, when others acknowledge several.
        if arrival.disordered <= 0.0 {
            if arrival.segments <= 1.0 && self.delayed > 0 {
                self.round.min = self.round.min.min(rtt);
                self.delayed -= 1;
                return;
            }
            if arrival.segments > 1.0 && self.delayed < DELAYED {
                self.delayed += 1;
            }
        }
        self.round.take(rtt);
    }

    fn begin_round(&mut self) {
        self.ends = self.place.sent;
        self.before = std::mem::take(&mut self.round);
        (self.start.last, self.start.samples) = (0, 0);
    }

    /// A round trip is over. Returns whether the window falls.
    fn decide(&mut self, cwnd: f64) -> bool {
        let sum = if self.before.is_empty() { 0 } else { self.weigh() };
        self.begin_round();
        if sum <= 0 || !self.draws(sum) {
            return false;
        }
        if self.params.ineffectual > 0 {
            self.fallen += 1;
            if self.fallen > self.params.ineffectual {
                return false;
            }
        }
        self.shadow = self.shadow.max(cwnd);
        self.bottleneck = Bottleneck::BackingOff;
        true
    }

    /// Whether chance has the window fall.
    fn draws(&mut self, sum: i64) -> bool {
        let (drawn, likely) = (self.rng.uniform(), probability(&self.params, sum as f64));
        // Linux compares a number of 32 bits with the truncated probability.
        if self.is_kernel() { 1.0 - drawn <= likely } else { drawn < likely }
    }

    /// Forms the gradient of this round trip and the state of the queue from it.
    fn weigh(&mut self) -> i64 {
        let sum = self.gradients.take(self.round, self.before);
        let Span { min, max } = self.gradients.sum;
        if min <= HELPED || max <= HELPED {
            self.fallen = 0;
        }
        if self.params.tolerance {
            let near = |value: i64| libm::round(value as f64 / SMALL as f64) as i64;
            let (min, max) = (near(min), near(max));
            if min > 0 && max <= 0 {
                self.bottleneck = Bottleneck::Full;
            } else if (min > 0 && max > 0) || max < 0 {
                self.bottleneck = Bottleneck::NotFull;
            }
        }
        sum
    }

    fn look_for_end_of_slow_start(&mut self, window: &mut Window, acked: &Acked) {
        if self.params.hystart && window.in_slow_start() {
            let now = (acked.now.as_nanos() / 1000) as i64;
            if self.start.is_over(now, self.round.min, acked.limited) {
                window.ssthresh = window.cwnd;
            }
        }
    }

    /// A cut. Returns the part of the window that remains.
    fn lose(&mut self, cwnd: f64, used: f64) -> f64 {
        if self.bottleneck == Bottleneck::BackingOff {
            return used * self.params.beta.0;
        }
        if self.bottleneck == Bottleneck::NotFull && self.params.tolerance {
            return used;
        }
        let half = if self.is_kernel() { libm::floor(self.shadow / 2.0) } else { self.shadow / 2.0 };
        self.shadow = half.min(cwnd);
        if self.params.shadow { self.shadow.max(used / 2.0).max(WINDOW_MIN) } else { used / 2.0 }
    }

    fn end_fall(&mut self) {
        self.bottleneck = Bottleneck::Unknown;
        self.begin_round();
    }
}

impl Law for Cdg {
    const FOLLOWS: bool = true;
    const LISTENS: bool = true;

    fn kept(&mut self, window: &Window, event: &Congestion) -> f64 {
        self.lose(window.cwnd, event.used)
    }

    fn on_arrival(&mut self, _window: &mut Window, arrival: &Arrival) {
        self.measure(arrival);
    }

    fn reset(&mut self, setup: &Setup) {
        self.phases = setup.phases;
        self.place = Place::default();
        self.gradients = Gradients::of(self.gradients.each.len());
        (self.ends, self.round, self.before) = (0.0, Span::default(), Span::default());
        (self.bottleneck, self.delayed, self.fallen, self.falls) = (Bottleneck::Unknown, 0, 0, false);
        (self.shadow, self.start) = (setup.window, HyStart::default());
    }

    fn open(&mut self, window: &mut Window, acked: &Acked, counted: f64) -> bool {
        self.look_for_end_of_slow_start(window, acked);
        if self.place.acked > self.ends && !self.round.is_empty() && self.decide(window.cwnd) {
            if self.phases {
                self.falls = true;
            } else {
                // The sender does not ask whether the window falls: it does so at once.
                self.cut(window, &Congestion { now: acked.now, used: window.cwnd, cause: Cause::Loss });
            }
        } else if acked.limited {
            self.shadow = self.shadow.min(window.cwnd);
        } else {
            let before = window.cwnd;
            window.grow(counted, |window| Needed::for_one(window.cwnd));
            self.shadow += window.cwnd - before;
        }
        true
    }

    fn cut(&mut self, window: &mut Window, event: &Congestion) {
        let kept = self.kept(window, event);
        window.cut(event, kept);
        if !self.phases {
            self.end_fall();
        }
    }

    fn on_heard(&mut self, _window: &mut Window, heard: &Heard) {
        self.place.hear(heard);
    }

    fn backs_off(&mut self) -> bool {
        std::mem::take(&mut self.falls)
    }

    fn on_milestone(&mut self, _window: &mut Window, milestone: Milestone<'_>) {
        match milestone {
            Milestone::Begins(rng) => self.rng = Rng::named(rng.uniform().to_bits(), "cdg"),
            Milestone::Reduced => self.end_fall(),
            // Linux measures the answer to the SYN before it sets up the law, which keeps it as the first sample.
            Milestone::Opened { smoothed: Some(rtt), .. } if self.is_kernel() => {
                self.round.take((rtt.as_nanos() / 1000) as i64);
            }
            Milestone::Opened { .. } | Milestone::Resumes { .. } => {}
        }
    }

    fn on_adjustment(&mut self, window: &Window, change: Adjustment) -> Option<Adjustment> {
        if change == Adjustment::Remember {
            // The window is about to fall for want of data: all begins anew.
            self.gradients = Gradients::of(self.gradients.each.len());
            (self.round, self.before, self.bottleneck) = (Span::default(), Span::default(), Bottleneck::Unknown);
            (self.delayed, self.fallen, self.start) = (0, 0, HyStart::default());
            (self.ends, self.shadow) = (self.place.acked, window.cwnd);
        }
        Some(change)
    }
}

#[cfg(test)]
mod tests;
