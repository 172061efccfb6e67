//! PIE: a proportional-integral controller moves the probability of drops at arrival until the queuing delay is at its reference; packets
//! after a calm pass for a while. Specification: RFC 8033; for cable modems RFC 8034. Compared with: no module in ns-2 2.35; the authors'
//! own module for ns-2 (Cisco and CableLabs 2013 and 2014, with a mode for cable modems, read only), FreeBSD's `dn_aqm_pie` and the
//! constants of Linux `sch_pie`: order of steps, scaling, cap, decay, spacing, what is spared, and the three states of RFC 8034 are the
//! same, except for the differences below. The pages of RFC 8034 were not available. Its states, their order and every constant were
//! checked on 2026-11-25 with CableLabs' model for ns-3 of DOCSIS 3.1's annex M (docsis-ns3, which names MULPIv3.1-I21 of 2020).
//!
//! | state of RFC 8034 | since | until |
//! |---|---|---|
//! | `Inactive` | the beginning, or `rest` without congestion | a third of the limit waits |
//! | `Quiescent` | that; or an update without congestion after a burst | a packet is dropped |
//! | `Active` | the first drop: bursts pass for `max_burst` from here on | an update without congestion |
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | The burst allowance is renewed at updates, not at arrivals | it depends on what updates change alone | `a_calm_renews_the_burst_allowance` |
//! | By timestamps an empty queue has no delay; RFC 8033 keeps that of the last packet | else a queue that has emptied would never be calm | `mechanism/queuing_delay.rs`: `by_timestamps_it_is_what_the_last_packet_waited_while_others_wait` |
//! | `calm = "low"` is half of the target; RFC 8034 has LATENCY_LOW, 5 ms, which is half of its target | it follows the target | `a_low_delay_lets_the_probability_decay` |
//! | DOCSIS's queue drains at the link's rate; RFC 8034 has a token bucket with a peak rate | links here have one rate | - |
//! | The authors' module rests after 1.5 s without congestion | 1 s is RFC 8034's | `cable_modems_rest_after_more_than_a_second_without_congestion` |
//! | A queue that wakes up goes on with its measurement of departures; FreeBSD's begins a new one | without one its delay would be 0 for a while | - |
//! | A mark, too, starts the sum of probabilities anew | FreeBSD's does not; RFC 8033 section 5.4 speaks of drops | - |

use crate::aqm::pie_kernel::{self, PieKernel};
use crate::mechanism::queuing_delay::{DelayFrom, QueuingDelay};
use crate::queue::Either;
use crate::queue::prelude::*;

/// The registry's entry.
pub static ENTRY: QueueEntry = QueueEntry {
    name: "pie",
    title: "PIE (proportional integral controller enhanced)",
    doc: "A controller of the queuing delay. It drops arrivals with a probability that it moves until the delay is at its \
          reference; short bursts pass.",
    reference: "RFC 8033, RFC 8034",
    presets: presets! {
        /// RFC 8033 section 4: the basic algorithm, delays from timestamps.
        rfc8033 = { ..BASIC };
        /// RFC 8033 section 5, too: off while the queue is short, drops spaced, steps capped, delays from the departure rate.
        rfc8033_enhanced = {
            ..BASIC, delay_from = "departure_rate", active_from = "0.3333333333333333", derandomize = "true", cap_steps = "true",
        };
        /// RFC 8034 (DOCSIS-PIE): reference 10 ms, updates every 16 ms, doubled gains, by size with a mean packet of 1024 bytes, delays
        /// from the rate. The buffer is the operator's: set `limit`.
        docsis = {
            target = "10ms", interval = "16ms", alpha = "0.25", beta = "2.5", max_burst = "142ms", delay_from = "link_rate",
            scaling = "docsis", calm = "low", rest = "1s", high_delay = "200ms", active_from = "0.3333333333333333",
            derandomize = "true", by_size = "true", mean_packet = "1024B", cap_steps = "true", hold_in_burst = "true",
            bursts = "after_drop", ecn = "false",
        };
        /// Linux 6.12 sch_pie's defaults (include/net/pie.h), which tc of iproute2 7.1 leaves, in its numbers: limit 1000 packets, steps
        /// capped, drops spaced, 2 % more above 250 ms.
        linux = {
            ..BASIC, limit = "1000p", derandomize = "true", cap_steps = "true", high_delay = "250ms", arithmetic = "kernel",
        };
    },
    law: Some(|args, _link| Ok(draw_law(&args.typed()))),
    shown: &[
        Counter("prob", Source::Probe("drop_prob")),
        Counter("delay_s", Source::Probe("delay_s")),
        Counter("pkts_in", Source::Queued),
        Counter("overlimit", Source::Drops(&[Reason::OVERFLOW])),
        Counter("maxq", Source::Found),
        Counter("ecn_mark", Source::Marks),
    ],
    ..QueueEntry::of_policy::<Params>()
};

/// RFC 8033 section 4.
const BASIC: &[Setting] = settings! {
    target = "15ms", interval = "15ms", alpha = "0.125", beta = "1.25", max_burst = "150ms", delay_from = "timestamps",
    scaling = "rfc8033", calm = "empty", rest = "0s", high_delay = "auto", active_from = "0", derandomize = "false",
    by_size = "false", cap_steps = "false", hold_in_burst = "false", bursts = "after_calm", mark_below = "0.1",
    arithmetic = "real",
};

params! {
    /// Parameters of PIE.
    pub struct Params {
        /// The most that may wait, without the packet in transmission.
        limit: Size = "1000p" in [0.0, 1e12], "Linux sch_pie limit";
        /// Queuing delay that is aimed at (QDELAY_REF).
        target: Duration = "15ms" in [0.0, 100.0], "RFC 8033 section 4.2";
        /// Time between two updates of the probability (T_UPDATE).
        interval: Duration = "15ms" in [1e-6, 100.0], "RFC 8033 section 4.2";
        /// Gain of the distance from the target, in Hz.
        alpha: f64 = "0.125" in [0.0, 1e6], "RFC 8033 section 4.2";
        /// Gain of the change since the last update, in Hz.
        beta: f64 = "1.25" in [0.0, 1e6], "RFC 8033 section 4.2";
        /// How much smaller steps are at small probabilities.
        scaling: Scaling = "rfc8033", "RFC 8033 section 4.2; RFC 8034 appendix A for docsis";
        /// For how long all passes in a burst (MAX_BURST).
        max_burst: Duration = "150ms" in [0.0, 100.0], "RFC 8033 section 4.4; 142 ms in RFC 8034";
        /// When a time begins in which a burst passes.
        bursts: Bursts = "after_calm", "RFC 8033 section 4.4; RFC 8034 appendix A for after_drop";
        /// The source of the queuing delay.
        delay_from: DelayFrom = "timestamps", "RFC 8033 section 4.3; section 5.2 for departure_rate; RFC 8034 for link_rate";
        /// Bytes that a measurement of the departures takes (DQ_THRESHOLD).
        dq_threshold: Bytes = "16384B" in [1.0, 1e9], "RFC 8033 section 5.2: 2^14";
        /// Part of the limit from which on it drops; 0 is always.
        active_from: Fraction = "0" in [0.0, 1.0], "RFC 8033 section 4; a third in section 5.3 and RFC 8034";
        /// When the probability decays by 2 % in an update: two delays of zero in a row, or both below half of the target (`low`).
        calm: Calm = "empty", "RFC 8033 section 4.2; RFC 8034 appendix A for low";
        /// How long both delays have to be below half of the target, at a probability of 0, before bursts pass again (`after_calm`) and it
        /// is no more active.
        rest: Duration = "0s" in [0.0, 1000.0], "RFC 8033 sections 4.4 and 5.3; 1 s in RFC 8034 (BURST_RESET_TIMEOUT)";
        /// Queuing delay above which the probability rises by 2 % more in each update. Automatic: never.
        high_delay: Option<Duration> = "auto" in [0.0, 1000.0], "RFC 8033 has none; 200 ms in RFC 8034, 250 ms in Linux";
        /// Whether no step above a probability of 10 % is greater than 2 %.
        cap_steps: bool = "true", "RFC 8033 section 5.5";
        /// Space drops: none before the probabilities of arrivals sum up to 0.85, one at 8.5 at the latest.
        derandomize: bool = "true", "RFC 8033 section 5.4";
        /// Whether a packet's probability is in proportion to its size; that of the controller may then exceed 1.
        by_size: bool = "false", "RFC 8033: whatever the size; RFC 8034 appendix A for true";
        /// Mean packet: sizes count in it, and two of them are never dropped. Automatic: the link's.
        mean_packet: Option<Bytes> = "auto" in [1.0, 65535.0], "a link has one; RFC 8034 appendix A has 1024 B (MEAN_PKTSIZE)";
        /// Keep the probability at 0 while bursts pass.
        hold_in_burst: bool = "false", "RFC 8033 appendix A; RFC 8034 appendix A for true";
        /// Mark ECN-capable packets instead of dropping them.
        ecn: bool = "false", "RFC 8033 section 5.1: may";
        /// Mark only while the probability is below this, and drop from it on; more than 1 always marks.
        mark_below: Fraction = "0.1" in [0.0, 2.0], "RFC 8033 section 5.1: mark_ecnth";
        /// In which numbers it is computed. With those of the kernel the law has Linux's form, too: of the other parameters `limit`,
        /// `target`, `interval`, `alpha`, `beta`, `max_burst`, `mean_packet` and `ecn` count.
        arithmetic: Arithmetic = "real", "RFC 8033";
    }
}

choices! {
    /// In which numbers it is computed.
    pub enum Arithmetic {
        /// Real ones.
        Real = "real",
        /// Those of today's Linux: units of 64 ns, probabilities of 56 bits, and updates at its timer's ticks.
        Kernel = "kernel",
    }
}

choices! {
    /// How much smaller steps are at small probabilities.
    pub enum Scaling {
        /// By 2048 below 0.000001 ... by 2 below 0.1.
        Rfc8033 = "rfc8033",
        /// The same, and twice to 32 times larger from 0.1 on.
        Docsis = "docsis",
        /// Not at all.
        Off = "off",
    }
}

choices! {
    /// When bursts begin to pass.
    pub enum Bursts {
        /// After a calm, and when it becomes active. While it is not, the probability stands still.
        AfterCalm = "after_calm",
        /// With the first packet that is dropped after an update without congestion. The probability moves always, and packets that are
        /// spared for a short delay count in the sum by which drops are spaced.
        AfterDrop = "after_drop",
    }
}

choices! {
    /// When the probability decays.
    pub enum Calm {
        /// The last two delays were zero.
        Empty = "empty",
        /// They were below half of the target.
        Low = "low",
    }
}

/// Sums of probabilities before which nothing is dropped, and at which something is (RFC 8033 section 5.4, RFC 8034).
const PROB_LOW: f64 = 0.85;
const PROB_HIGH: f64 = 8.5;

/// Greatest probability of the controller where packets count by size: `PROB_LOW MEAN_PKTSIZE / MIN_PKTSIZE` (RFC 8034 appendix A).
const TOP_BY_SIZE: f64 = PROB_LOW * 1024.0 / 64.0;

impl Scaling {
    /// The factor of a step at this probability (RFC 8033 section 4.2; RFC 8034 appendix A).
    fn factor(self, p: f64) -> f64 {
        const STEPS: [(f64, f64); 6] =
            [(1e-6, 2048.0), (1e-5, 512.0), (1e-4, 128.0), (1e-3, 32.0), (1e-2, 8.0), (0.1, 2.0)];
        const MORE: [(f64, f64); 2] = [(1.0, 2.0), (10.0, 8.0)];
        if self == Scaling::Off {
            return 1.0;
        }
        if let Some((_, divisor)) = STEPS.iter().find(|(below, _)| p < *below) {
            return 1.0 / divisor;
        }
        match self {
            Scaling::Docsis => MORE.iter().find(|(below, _)| p < *below).map_or(32.0, |(_, factor)| *factor),
            Scaling::Rfc8033 | Scaling::Off => 1.0,
        }
    }
}

impl Params {
    /// Where it is without congestion.
    fn at_rest(&self) -> State {
        match (self.active_from.0 <= 0.0, self.bursts) {
            (false, _) => State::Inactive,
            (true, Bursts::AfterCalm) => State::Active,
            (true, Bursts::AfterDrop) => State::Quiescent,
        }
    }

    /// The probability after an update (RFC 8033 section 4.2); delays in seconds.
    fn updated(&self, p: f64, delay: f64, old: f64) -> f64 {
        let target = self.target.as_secs_f64();
        let mut step = (self.alpha * (delay - target) + self.beta * (delay - old)) * self.scaling.factor(p);
        if self.cap_steps && p >= 0.1 {
            // RFC 8033 section 5.5.
            step = step.min(0.02);
        }
        let mut p = p + step;
        let is_calm = match self.calm {
            Calm::Empty => delay <= 0.0 && old <= 0.0,
            Calm::Low => delay < target / 2.0 && old < target / 2.0,
        };
        if is_calm {
            p *= 0.98;
        } else if self.high_delay.is_some_and(|high| delay > high.as_secs_f64()) {
            p += 0.02;
        }
        p.clamp(0.0, if self.by_size { TOP_BY_SIZE } else { 1.0 })
    }
}

/// RFC 8034's `aqm_state_`; RFC 8033's `active_` is all but `Inactive`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Too little waits for any drop.
    Inactive,
    /// The next drop begins a burst; with `after_calm` never.
    Quiescent,
    /// It drops.
    Active,
}

/// The policy.
#[derive(Clone, Debug)]
pub struct Pie {
    params: Params,
    delay: QueuingDelay,
    mean_packet: u64,
    /// The backlog from which it is active.
    active_from: Limit,
    state: State,
    /// Drop probability.
    p: f64,
    /// Queuing delay at the last update, in seconds.
    old: f64,
    /// The rest of the burst allowance.
    burst: Duration,
    /// How long it has been calm.
    calm_for: Duration,
    /// Sum of the probabilities of the arrivals since the last drop.
    sum: f64,
    due: Instant,
}

impl PolicyParams for Params {
    type Policy = Either<Pie, PieKernel>;

    fn policy(&self, link: &LinkContext) -> Result<Either<Pie, PieKernel>, BuildError> {
        match self.arithmetic {
            Arithmetic::Real => Ok(Either::Real(self.pie(link))),
            Arithmetic::Kernel => self.kernel(link).map(Either::Kernel),
        }
    }
}

impl Params {
    fn kernel(&self, link: &LinkContext) -> Result<PieKernel, BuildError> {
        if self.by_size || self.delay_from != DelayFrom::Timestamps {
            let what =
                "the kernel's numbers are there for delays from timestamps, whatever the size of packets".to_owned();
            return Err(BuildError::new("arithmetic", what, "delay_from = \"timestamps\" and by_size = false"));
        }
        let Params { target, interval, alpha, beta, max_burst, ecn, .. } = *self;
        Ok(PieKernel::new(&pie_kernel::Settings { target, interval, alpha, beta, max_burst, ecn }, link))
    }

    fn pie(&self, link: &LinkContext) -> Pie {
        let limit = self.limit(link);
        let part = |amount: u64| (amount as f64 * self.active_from.0) as u64;
        Pie {
            params: self.clone(),
            delay: QueuingDelay::new(self.delay_from, link.rate, self.dq_threshold.0),
            mean_packet: link.mean_packet.0,
            active_from: Limit { packets: part(limit.packets), bytes: part(limit.bytes) },
            state: self.at_rest(),
            p: 0.0,
            old: 0.0,
            burst: if self.bursts == Bursts::AfterCalm { self.max_burst } else { Duration::ZERO },
            calm_for: Duration::ZERO,
            sum: 0.0,
            due: Instant::ZERO + self.interval,
        }
    }
}

impl Pie {
    fn update(&mut self, waiting: u64) {
        let is_calm_before = self.params.bursts == Bursts::AfterCalm;
        if is_calm_before && self.state == State::Inactive {
            return;
        }
        let delay = self.delay.seconds(waiting);
        let in_burst = self.burst > Duration::ZERO;
        self.p = if in_burst && self.params.hold_in_burst { 0.0 } else { self.params.updated(self.p, delay, self.old) };
        self.burst = self.burst.saturating_sub(self.params.interval);
        let half = self.params.target.as_secs_f64() / 2.0;
        let is_quiet = self.p <= 0.0 && delay < half && self.old < half;
        if is_calm_before {
            self.rest_after_calm(is_quiet);
        } else {
            self.rest_after_drop(is_quiet);
        }
        self.old = delay;
    }

    /// After a calm bursts pass again, and a queue that is not always active rests (RFC 8033 sections 4.4 and 5.3).
    fn rest_after_calm(&mut self, is_quiet: bool) {
        if self.is_calm_for_long(is_quiet) {
            self.burst = self.params.max_burst;
            self.state = self.params.at_rest();
        }
    }

    /// Without congestion the next drop begins a burst again, and after long enough nothing is dropped (RFC 8034 appendix A).
    fn rest_after_drop(&mut self, is_quiet: bool) {
        let is_quiet = is_quiet && self.burst == Duration::ZERO;
        if self.state == State::Active && is_quiet {
            (self.state, self.calm_for) = (State::Quiescent, Duration::ZERO);
        } else if self.state == State::Quiescent && self.is_calm_for_long(is_quiet) {
            self.state = self.params.at_rest();
        }
    }

    /// Counts updates without congestion; whether they were enough, and then it begins anew.
    fn is_calm_for_long(&mut self, is_quiet: bool) -> bool {
        self.calm_for = if is_quiet { self.calm_for + self.params.interval } else { Duration::ZERO };
        let is_long = is_quiet && self.calm_for > self.params.rest;
        if is_long {
            self.calm_for = Duration::ZERO;
        }
        is_long
    }

    /// Wakes up where enough waits (RFC 8033 section 5.3; RFC 8034 appendix A goes on with what it has).
    fn wake(&mut self, backlog: Backlog) {
        let limit = self.active_from;
        if self.state != State::Inactive || (backlog.packets < limit.packets && backlog.bytes < limit.bytes) {
            return;
        }
        if self.params.bursts == Bursts::AfterDrop {
            self.state = State::Quiescent;
            return;
        }
        self.state = State::Active;
        (self.p, self.old, self.sum) = (0.0, 0.0, 0.0);
        self.burst = self.params.max_burst;
    }

    /// Below the part of the limit, or in a burst.
    fn lets_all_pass(&self) -> bool {
        self.state == State::Inactive || self.burst > Duration::ZERO
    }

    /// RFC 8033 section 4.1: a short delay at a small probability, and two mean packets, are spared.
    fn is_spared(&self, waiting: u64) -> bool {
        let half = self.params.target.as_secs_f64() / 2.0;
        (self.old < half && self.p < 0.2) || waiting <= 2 * self.mean_packet
    }

    /// Whether a packet is chosen; a number is drawn where that decides.
    fn is_chosen(&mut self, size: u32, waiting: u64, rng: &mut Rng) -> bool {
        let is_spared = self.is_spared(waiting);
        // RFC 8033 spares before it adds, RFC 8034 after.
        if is_spared && self.params.bursts == Bursts::AfterCalm {
            return false;
        }
        let by_size = if self.params.by_size { f64::from(size) / self.mean_packet as f64 } else { 1.0 };
        let p = self.p * by_size;
        let p = if self.params.by_size { p.min(PROB_LOW) } else { p };
        if self.params.derandomize {
            self.sum = if self.p > 0.0 { self.sum + p } else { 0.0 };
            if is_spared || self.sum < PROB_LOW {
                return false;
            }
            if self.sum >= PROB_HIGH {
                return true;
            }
        }
        !is_spared && p > 0.0 && rng.uniform() < p
    }

    /// A packet has been chosen: the sum begins anew, and with RFC 8034 a burst after a time without congestion.
    fn chose(&mut self) {
        self.sum = 0.0;
        if self.params.bursts == Bursts::AfterDrop && self.state == State::Quiescent {
            self.state = State::Active;
            self.burst = self.params.max_burst;
        }
    }
}

/// The change by an update with an unchanged delay, at several probabilities.
pub fn draw_law(params: &Params) -> Graph {
    let target = params.target.as_secs_f64() * 1e3;
    let range = (0.0, (4.0 * target).max(1.0));
    let mut graph =
        Graph::new(Axis::new("queuing delay", "ms"), Axis::new("change of the drop probability", "per update")).about(
            format!(
                "Drawn for a delay that was the same at the last update. There is an update every {}.",
                params.interval
            ),
        );
    for p in [0.005, 0.05, 0.5] {
        let knees = [target / 2.0, target, 1e3 * params.high_delay.map_or(0.0, Duration::as_secs_f64)];
        let law = |ms: f64| params.updated(p, ms / 1e3, ms / 1e3) - p;
        graph = graph.curve(format!("at p = {p}"), range, &knees, law);
    }
    graph
}

impl Policy for Pie {
    fn on_arrival(&mut self, _now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        self.wake(queue.backlog());
        if self.params.bursts == Bursts::AfterDrop && self.p <= 0.0 {
            // RFC 8034 appendix A: also while too little waits for any drop.
            self.sum = 0.0;
        }
        if self.lets_all_pass() || !self.is_chosen(packet.size, queue.bytes(), rng) {
            return Verdict::Pass;
        }
        self.chose();
        if self.params.ecn && packet.ecn.is_capable() && self.p < self.params.mark_below.0 {
            Verdict::Mark(Reason::EARLY)
        } else {
            Verdict::Drop(Reason::EARLY)
        }
    }

    fn on_drop(&mut self, _now: Instant, _packet: &Packet, dropped: Dropped, _queue: &mut QueueView<'_>) {
        // As in Linux, in FreeBSD and in the authors' module: a full buffer, too, starts the sum anew.
        if dropped.is_overflow() {
            self.sum = 0.0;
        }
    }

    fn on_departure(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, _rng: &mut Rng) -> Verdict {
        self.delay.left(now, packet, queue.bytes());
        Verdict::Pass
    }

    fn next_deadline(&self) -> Option<Instant> {
        Some(self.due)
    }

    fn on_deadline(&mut self, now: Instant, queue: &mut QueueView<'_>) {
        while self.due <= now {
            self.update(queue.bytes());
            self.due += self.params.interval;
        }
    }

    fn decides_on_arrival(&self) -> bool {
        !self.delay.needs_departures()
    }

    fn probes(&self) -> &'static [&'static str] {
        &["drop_prob", "delay_s"]
    }

    fn probe(&self, index: usize) -> f64 {
        if index == 0 { self.p } else { self.old }
    }
}

#[cfg(test)]
mod tests;
