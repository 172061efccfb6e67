//! The controller of PIE and the choice of a packet, which RFC 8033 and RFC 8034 have in common. Variables have the names of RFC 8033.

use super::settings::{Calm, Params, Scaling};
use crate::queue::prelude::*;

/// Sums of probabilities before which nothing is dropped, and at which something is (RFC 8033 section 5.4, RFC 8034).
const PROB_LOW: f64 = 0.85;
const PROB_HIGH: f64 = 8.5;

/// Greatest probability of the controller where packets count by size: `PROB_LOW MEAN_PKTSIZE / MIN_PKTSIZE` (RFC 8034 appendix A).
const TOP_BY_SIZE: f64 = PROB_LOW * 1024.0 / 64.0;

impl Scaling {
    /// The factor of a step at this probability (RFC 8033 section 4.2; RFC 8034 appendix A).
    pub(super) fn factor(self, drop_prob: f64) -> f64 {
        const STEPS: [(f64, f64); 6] =
            [(1e-6, 2048.0), (1e-5, 512.0), (1e-4, 128.0), (1e-3, 32.0), (1e-2, 8.0), (0.1, 2.0)];
        const MORE: [(f64, f64); 2] = [(1.0, 2.0), (10.0, 8.0)];
        if self == Scaling::Off {
            return 1.0;
        }
        if let Some((_, divisor)) = STEPS.iter().find(|(below, _)| drop_prob < *below) {
            return 1.0 / divisor;
        }
        match self {
            Scaling::Docsis => MORE.iter().find(|(below, _)| drop_prob < *below).map_or(32.0, |(_, factor)| *factor),
            Scaling::Rfc8033 | Scaling::Off => 1.0,
        }
    }
}

impl Params {
    /// The probability after an update (RFC 8033 section 4.2); delays in seconds.
    pub(super) fn calculate_drop_prob(&self, drop_prob: f64, qdelay: f64, qdelay_old: f64) -> f64 {
        let target = self.target.as_secs_f64();
        let step = self.alpha * (qdelay - target) + self.beta * (qdelay - qdelay_old);
        let mut step = step * self.scaling.factor(drop_prob);
        if self.cap_steps && drop_prob >= 0.1 {
            // RFC 8033 section 5.5.
            step = step.min(0.02);
        }
        let mut drop_prob = drop_prob + step;
        let is_calm = match self.calm {
            Calm::Empty => qdelay <= 0.0 && qdelay_old <= 0.0,
            Calm::Low => qdelay < target / 2.0 && qdelay_old < target / 2.0,
        };
        if is_calm {
            drop_prob *= 0.98;
        } else if self.high_delay.is_some_and(|high| qdelay > high.as_secs_f64()) {
            drop_prob += 0.02;
        }
        drop_prob.clamp(0.0, if self.by_size { TOP_BY_SIZE } else { 1.0 })
    }
}

/// A packet arrives.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival {
    pub size: u32,
    /// Bytes that wait.
    pub waiting: u64,
    /// Enough waits to be active.
    pub is_enough: bool,
    pub mean_packet: u64,
}

/// The variables of the controller.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Law {
    pub drop_prob: f64,
    /// Queuing delay at the last update, in seconds.
    pub qdelay_old: f64,
    pub burst_allowance: Duration,
    /// Sum of the probabilities of the arrivals since the last drop.
    pub accu_prob: f64,
}

impl Law {
    /// Before the first update.
    pub fn new(burst_allowance: Duration) -> Self {
        Law { drop_prob: 0.0, qdelay_old: 0.0, burst_allowance, accu_prob: 0.0 }
    }

    /// An update. Returns whether there is no congestion (RFC 8033 section 4.4). Delays are in seconds.
    pub fn update(&mut self, params: &Params, qdelay: f64) -> bool {
        let qdelay_old = std::mem::replace(&mut self.qdelay_old, qdelay);
        let is_held = self.is_in_burst() && params.hold_in_burst;
        self.drop_prob = if is_held { 0.0 } else { params.calculate_drop_prob(self.drop_prob, qdelay, qdelay_old) };
        self.burst_allowance = self.burst_allowance.saturating_sub(params.interval);
        let half = params.target.as_secs_f64() / 2.0;
        self.drop_prob <= 0.0 && qdelay < half && qdelay_old < half
    }

    pub fn is_in_burst(&self) -> bool {
        self.burst_allowance > Duration::ZERO
    }

    /// RFC 8033 section 4.1: a short delay at a small probability, and two mean packets, are spared.
    pub fn is_spared(&self, params: &Params, arrival: Arrival) -> bool {
        let half = params.target.as_secs_f64() / 2.0;
        (self.qdelay_old < half && self.drop_prob < 0.2) || arrival.waiting <= 2 * arrival.mean_packet
    }

    /// Whether a packet is chosen. A spared packet never is. After a choice the sum begins anew.
    pub fn drop_early(&mut self, params: &Params, arrival: Arrival, is_spared: bool, rng: &mut Rng) -> bool {
        let is_chosen = self.is_chosen(params, arrival, is_spared, rng);
        if is_chosen {
            self.accu_prob = 0.0;
        }
        is_chosen
    }

    /// RFC 8033 section 5.4.
    fn is_chosen(&mut self, params: &Params, arrival: Arrival, is_spared: bool, rng: &mut Rng) -> bool {
        let by_size = if params.by_size { f64::from(arrival.size) / arrival.mean_packet as f64 } else { 1.0 };
        let p = self.drop_prob * by_size;
        let p = if params.by_size { p.min(PROB_LOW) } else { p };
        if params.derandomize {
            self.accu_prob = if self.drop_prob > 0.0 { self.accu_prob + p } else { 0.0 };
            if is_spared || self.accu_prob < PROB_LOW {
                return false;
            }
            if self.accu_prob >= PROB_HIGH {
                return true;
            }
        }
        !is_spared && p > 0.0 && rng.uniform() < p
    }
}

/// The time without congestion so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct CalmTime(pub Duration);

impl CalmTime {
    /// An update. Returns whether the time `rest` is over. It then begins anew.
    pub fn is_over(&mut self, params: &Params, is_calm: bool) -> bool {
        self.0 = if is_calm { self.0 + params.interval } else { Duration::ZERO };
        let is_long = is_calm && self.0 > params.rest;
        if is_long {
            self.0 = Duration::ZERO;
        }
        is_long
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
        let law = |ms: f64| params.calculate_drop_prob(p, ms / 1e3, ms / 1e3) - p;
        graph = graph.curve(format!("at p = {p}"), range, &knees, law);
    }
    graph
}
