//! PSAND: RED that multiplies max_p, twice a second, by a power of the change of the average queue and of its distance from the target.
//! Specification: Alemu, "Performance Evaluation of Quality of Service Mechanisms in the Internet", thesis, 2004, algorithm 16 and, for
//! thresholds, chapter 3 [Ale04]. Compared with: no public implementation.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | While the previous average is 0, change_rate is 1 | [Ale04] divides by it | `without_a_previous_average_only_the_distance_counts` |
//! | Thresholds that move stay in 0 <= min_th <= target <= max_th <= limit, and max_th below 2 `target` where they are symmetric | [Ale04] bounds max_th of the first two methods alone | `thresholds_that_move_stay_on_their_side_of_the_target` |
//! | All methods start from the fixed thresholds | [Ale04] prints none | `each_method_moves_the_thresholds_its_way` |
//! | Sandwich computes max_p from the slope that it keeps; [Ale04] multiplies by the ratio of the widths | the same, and equal thresholds are no end | `sandwich_keeps_the_slope` |
//! | While at most one packet waits nothing is dropped early, as in ns-2, with which [Ale04] simulated; its algorithm 1 does not say so | min_th is 0: an empty queue would drop, and the link idle half the time; preset `printed` does | `only_as_printed_an_empty_queue_drops` |
//! | An automatic target is the middle of Adaptive RED's thresholds; [Ale04] leaves it to the operator | the two compare as they are | `automatic_thresholds_are_symmetric_about_the_target` |

use crate::aqm::red::{Above, GentleSlope, Mode, NS2_LAWS, Red, Settings, distinct};
use crate::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "psand",
    title: "PSAND",
    doc: "RED that adapts max_p, its probability at the upper threshold, to a target queue. Every half second it multiplies \
          max_p by a power of the change of the average queue and of its distance from the target.",
    reference: "Alemu 2004",
    presets: presets! {
        /// Alemu 2004's PSAND2, coef 1.75 and gamma 1.5, over ns-2's RED.
        paper = { ..THESIS, coef = "1.75", gamma = "1.5" };
        /// Alemu 2004's PSAND1, coef 1 and gamma 1, over ns-2's RED.
        psand1 = { ..THESIS, coef = "1", gamma = "1" };
        /// Alemu 2004's PSAND3 for 3 flows, coef 1 and gamma 0.25.
        psand3_few = { ..THESIS, coef = "1", gamma = "0.25" };
        /// Alemu 2004's PSAND3 for 28 flows, coef 2 and gamma 0.25.
        psand3_many = { ..THESIS, coef = "2", gamma = "0.25" };
        /// Alemu 2004 table 3.2 row 1: max_th falls as the average rises.
        max_down = { ..THESIS, thresholds = "max_down" };
        /// Alemu 2004 table 3.2 row 2: max_th rises with the average.
        max_up = { ..THESIS, thresholds = "max_up" };
        /// Alemu 2004 table 3.2 row 3: the thresholds approach each other as the average rises.
        narrow = { ..THESIS, thresholds = "narrow" };
        /// Alemu 2004 table 3.2 row 4: the thresholds part as the average rises.
        widen = { ..THESIS, thresholds = "widen" };
        /// Alemu 2004 table 3.2 row 5: both thresholds rise with the average.
        up = { ..THESIS, thresholds = "up" };
        /// Alemu 2004 table 3.2 row 6: both thresholds fall as the average rises.
        down = { ..THESIS, thresholds = "down" };
        /// Alemu 2004 table 3.2 row 7: everything is dropped from the target on, nothing below.
        pseudo_drop_tail = { ..THESIS, thresholds = "pseudo_drop_tail", count = "off", spare_first = "false" };
        /// Alemu 2004 table 3.2 row 8: as narrow, with max_p such that the slope stays, initially 1.
        sandwich = { ..THESIS, thresholds = "sandwich", max_p = "1" };
        /// Alemu 2004 algorithms 1 and 16 as printed: without count, idle time and ns-2's care for short queues, so that even an
        /// empty queue drops and the link idles.
        printed = {
            limit = "35p", target = "10p", max_p = "0.1", above = "gentle", gentle_slope = "current", count = "off",
            idle_decay = "off", spare_short = "false",
        };
    },
    law: Some(draw_law),
    ..QueueEntry::of_policy::<Params>()
};

/// The settings of the thesis over ns-2's RED, with which it simulated.
const THESIS: &[Setting] = settings! {
    ..NS2_LAWS, limit = "35p", target = "10p", min_th = "0p", max_th = "20p", max_p = "0.1", top = "0.75", gentle_slope = "current",
};

params! {
    pub struct Params {
        ..red: Settings {
            /// Average below which nothing is dropped. Automatic: max(0, 2 `target` - `limit`).
            min_th = "auto", "[Ale04] section 3.2: symmetric about the target, as wide as the buffer allows";
            /// Average at which the probability reaches `max_p`. Automatic: min(2 `target`, `limit`).
            max_th = "auto", "[Ale04] section 3.2: symmetric about the target, as wide as the buffer allows";
            max_p = "0.1", "[Ale04] table 2.1";
            target_delay = "5ms", "ns-2 2.35 targetdelay_", when target in ["auto"];
            spare_short = "true", "ns-2 2.35 red.cc, with which [Ale04] simulated: with min_th at 0 even an empty queue would drop";
        };
        /// Target of the average queue. Automatic: max(10 packets, the packets that the link sends in `target_delay`), at most half the
        /// limit.
        target: Option<Size> = "auto" in [0.0, 1e12],
            "Floyd, Gummadi and Shenker 2001: the middle of the automatic thresholds; [Ale04] uses 10 packets";
        /// Time between two changes of max_p.
        interval: Duration = "0.5s" in [1e-6, 1e4], "[Ale04] algorithm 16";
        /// Factor of max_p at target and at rest: above 1 the average settles below the target.
        coef: f64 = "1.75" in [0.0, 1e6], "[Ale04] table 2.1";
        /// Power of the product of change and distance.
        gamma: f64 = "1.5" in [0.0, 100.0], "[Ale04] table 2.1";
        /// max_p never falls below it.
        bottom: Fraction = "0.01" in [0.0, 1.0], "[Ale04] algorithm 16";
        /// max_p never exceeds it.
        top: Fraction = "0.75" in [0.0, 1.0], "[Ale04] sections 2.4.5 and 3.2: between 0.5 and 1";
        /// Whether the thresholds are fixed, or move with the average: which of the two, and which way as the average rises.
        thresholds: Thresholds = "fixed", "[Ale04] section 3.3: better than all that move";
        /// Part of a step of the thresholds that is not made; 1 keeps them fixed.
        threshold_memory: Fraction = "0" in [0.0, 1.0], "[Ale04] section 3.3 (alpha)", when thresholds not in ["fixed"];
        /// Whether the gentle part starts at the current or at the initial max_p.
        gentle_slope: GentleSlope = "current", "[Ale04] eq. 1.3; ns-2 2.35 red.cc for initial";
    }
}

choices! {
    /// How the thresholds follow the average ([Ale04] table 3.2).
    pub enum Thresholds {
        /// They do not.
        Fixed = "fixed",
        /// The upper one moves against the average (row 1).
        MaxDown = "max_down",
        /// The upper one moves with the average (row 2).
        MaxUp = "max_up",
        /// The lower one moves with the average, the upper one against it (row 3).
        Narrow = "narrow",
        /// The lower one moves against the average, the upper one with it (row 4).
        Widen = "widen",
        /// Both move with the average (row 5).
        Up = "up",
        /// Both move against the average (row 6).
        Down = "down",
        /// Both are at the target, and everything is dropped from there on (row 7).
        PseudoDropTail = "pseudo_drop_tail",
        /// As `narrow`, and max_p keeps the slope of the curve (row 8).
        Sandwich = "sandwich",
    }
}

impl Thresholds {
    /// The amounts by which `min_th` and `max_th` move while the average rises by one ([Ale04] table 3.2).
    pub fn directions(self) -> (f64, f64) {
        match self {
            Thresholds::Fixed | Thresholds::PseudoDropTail => (0.0, 0.0),
            Thresholds::MaxDown => (0.0, -1.0),
            Thresholds::MaxUp => (0.0, 1.0),
            Thresholds::Narrow | Thresholds::Sandwich => (1.0, -1.0),
            Thresholds::Widen => (-1.0, 1.0),
            Thresholds::Up => (1.0, 1.0),
            Thresholds::Down => (-1.0, -1.0),
        }
    }

    /// Least `min_th` and greatest `max_th`: those of the buffer or, if they stay symmetric, the widest about the target.
    fn bounds(self, target: f64, limit: f64) -> (f64, f64) {
        match self {
            Thresholds::Narrow | Thresholds::Widen | Thresholds::Sandwich => symmetric(target, limit),
            _ => (0.0, limit),
        }
    }
}

/// `max(0, 2 target - limit)` and `min(2 target, limit)` ([Ale04] section 3.2).
pub fn symmetric(target: f64, limit: f64) -> (f64, f64) {
    ((2.0 * target - limit).max(0.0), (2.0 * target).min(limit))
}

/// Multiplicative adaptation of max_p.
#[derive(Clone, Copy, Debug)]
pub struct Law {
    /// Target of the average.
    pub target: f64,
    /// Factor at target and at rest.
    pub coef: f64,
    /// Power of the product of change and distance.
    pub gamma: f64,
    /// Least max_p.
    pub bottom: f64,
    /// Greatest max_p.
    pub top: f64,
}

impl Law {
    /// `r = prox_rate change_rate = (K / K_T) (K / K_prev)` ([Ale04] eq. 2.1).
    pub fn rate(&self, average: f64, previous: f64) -> f64 {
        let change_rate = if previous > 0.0 { average / previous } else { 1.0 };
        average / self.target * change_rate
    }

    /// `max(bottom, min(max_p coef r^gamma, top))` ([Ale04] eq. 2.2).
    pub fn step(&self, max_p: f64, average: f64, previous: f64) -> f64 {
        let beta = self.coef * libm::pow(self.rate(average, previous), self.gamma);
        // Bound: max_p 0 times an infinite factor is NaN, for which `min` takes the other operand.
        (max_p * beta).min(self.top).max(self.bottom)
    }
}

fn draw_law(args: &Args, link: &LinkContext) -> Result<Graph, BuildError> {
    let Psand { red, law, .. } = args.typed::<Params>().policy(link)?;
    Ok(red.graph_at(&distinct([law.bottom, red.max_p, law.top])))
}

#[derive(Clone, Debug)]
pub struct Psand {
    red: Red,
    law: Law,
    thresholds: Thresholds,
    /// Least `min_th` and greatest `max_th`.
    bounds: (f64, f64),
    /// Part of a step of the thresholds that is made.
    mobility: f64,
    /// `max_p / (max_th - min_th)` at the start, which Sandwich keeps.
    slope: f64,
    /// Average at the last change.
    previous: f64,
    interval: Duration,
    due: Instant,
}

impl Params {
    /// Target of the average, and the limit, in the mode's unit.
    fn target(&self, link: &LinkContext) -> Result<(f64, f64), BuildError> {
        let red = &self.red;
        let limit = red.amount(red.limit, link).max(red.amount(Size::Packets(1.0), link));
        let aim = link.packets(Size::Time(red.target_delay)).max(10.0);
        let automatic = red.amount(Size::Packets(aim), link).min(limit / 2.0);
        let target = self.target.map_or(automatic, |size| red.amount(size, link));
        if target <= 0.0 || target > limit {
            return Err(BuildError::new(
                "target",
                format!("the target is {target} and the limit {limit} on this link"),
                "target is above zero and at most the limit",
            ));
        }
        Ok((target, limit))
    }

    /// RED's settings with the thresholds resolved.
    fn resolved(&self, target: f64, limit: f64) -> Settings {
        let size = |amount| match self.red.mode {
            Mode::Packets => Size::Packets(amount),
            Mode::Bytes => Size::Bytes(amount),
        };
        let red = self.red.clone();
        if self.thresholds == Thresholds::PseudoDropTail {
            return Settings { min_th: Some(size(target)), max_th: Some(size(target)), above: Above::Strict, ..red };
        }
        let (min_th, max_th) = symmetric(target, limit);
        Settings { min_th: red.min_th.or(Some(size(min_th))), max_th: red.max_th.or(Some(size(max_th))), ..red }
    }
}

impl PolicyParams for Params {
    type Policy = Psand;

    fn policy(&self, link: &LinkContext) -> Result<Psand, BuildError> {
        let (target, limit) = self.target(link)?;
        let mut red = self.resolved(target, limit).build(link)?;
        red.curve.gentle_from = (self.gentle_slope == GentleSlope::Initial).then_some(red.max_p);
        if self.bottom.0 > self.top.0 {
            return Err(BuildError::new("bottom", "bottom is above top", "bottom is at most top"));
        }
        let width = red.curve.max_th - red.curve.min_th;
        if self.thresholds == Thresholds::Sandwich && width <= 0.0 {
            return Err(BuildError::new("max_th", "equal thresholds have no slope to keep", "max_th is above min_th"));
        }
        Ok(Psand {
            law: Law { target, coef: self.coef, gamma: self.gamma, bottom: self.bottom.0, top: self.top.0 },
            thresholds: self.thresholds,
            bounds: self.thresholds.bounds(target, limit),
            mobility: 1.0 - self.threshold_memory.0,
            slope: red.max_p / width,
            red,
            previous: 0.0,
            interval: self.interval,
            due: Instant::ZERO + self.interval,
        })
    }

    fn limit(&self, link: &LinkContext) -> Limit {
        self.red.limit(link)
    }
}

impl Psand {
    /// [Ale04] algorithm 16, and section 3.3 for the thresholds.
    fn adapt(&mut self) {
        let average = self.red.average.value();
        self.move_thresholds(average - self.previous);
        let curve = &self.red.curve;
        self.red.max_p = match self.thresholds {
            Thresholds::PseudoDropTail => self.red.max_p,
            Thresholds::Sandwich => (self.slope * (curve.max_th - curve.min_th)).min(1.0),
            _ => self.law.step(self.red.max_p, average, self.previous),
        };
        self.previous = average;
    }

    /// `th(i + 1) = th(i) +- (1 - alpha) delta` ([Ale04] section 3.3).
    fn move_thresholds(&mut self, delta: f64) {
        let (min_way, max_way) = self.thresholds.directions();
        let (step, target, curve) = (self.mobility * delta, self.law.target, &mut self.red.curve);
        // A threshold that does not move stays where the user put it.
        if min_way != 0.0 {
            curve.min_th = (curve.min_th + min_way * step).clamp(self.bounds.0, target);
        }
        if max_way != 0.0 {
            curve.max_th = (curve.max_th + max_way * step).clamp(target, self.bounds.1).max(curve.min_th);
        }
    }
}

impl Policy for Psand {
    fn on_arrival(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        self.red.observe(now, queue.backlog());
        self.red.decide(packet, queue.backlog(), rng)
    }

    fn on_idle(&mut self, now: Instant) {
        self.red.link_idle(now);
    }

    fn on_drop(&mut self, _now: Instant, _packet: &Packet, dropped: Dropped, _queue: &mut QueueView<'_>) {
        if dropped.is_overflow() {
            self.red.overflow();
        }
    }

    fn next_deadline(&self) -> Option<Instant> {
        Some(self.due)
    }

    fn on_deadline(&mut self, now: Instant, _queue: &mut QueueView<'_>) {
        while self.due <= now {
            self.adapt();
            self.due += self.interval;
        }
    }

    fn decides_on_arrival(&self) -> bool {
        true
    }

    probes! { |self|
        "avg" => self.red.average.value(),
        "max_p" => self.red.max_p,
        "p_b" => self.red.last_p_b(),
        "min_th" => self.red.curve.min_th,
        "max_th" => self.red.curve.max_th,
    }
}

#[cfg(test)]
mod tests;
