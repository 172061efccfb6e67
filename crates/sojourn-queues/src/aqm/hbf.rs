//! The common parts of BLACK and AFC: their parameters ("AFC contains the same parameters as BLACK", [Cha04] section 5.2) and the values
//! derived from them.

use crate::aqm::red::{self, Red};
use crate::mechanism::active_flows::{self, ActiveFlows};
use crate::mechanism::cache::Cache;
use crate::packet::FlowId;
use crate::queue::prelude::*;

choices! {
    /// Whose part of the traffic decides whether the last flow of the cache may be replaced.
    pub enum Eviction {
        /// Past and present together.
        Blended = "blended",
        /// The past's alone.
        Past = "past",
    }
}

choices! {
    /// The value that is compared with the threshold.
    pub enum Gate {
        /// The queue when a packet arrives.
        Queue = "queue",
        /// RED's average.
        Average = "average",
    }
}

choices! {
    /// The step that the threshold controls.
    pub enum Gated {
        /// Samples and preferential drops.
        Both = "both",
        /// Samples alone (AFC: nothing, it does not sample).
        Sampling = "sampling",
    }
}

choices! {
    /// The arrivals that RED's average sees.
    pub enum RedSees {
        /// Arrivals that were not dropped before RED.
        Passing = "passing",
        /// All.
        All = "all",
    }
}

/// The settings of [Cha04] tables 2 and 12 that RED, BLACK and AFC share; max_p, w_q and the spacing of drops are those of
/// ns-2's RED of the time, in which [Cha04] was done (section 3.3.1).
pub const CHATRANON: &[Setting] = settings! {
    limit = "300p", min_th = "50p", max_th = "150p", w_q = "0.002", count = "wait", spare_short = "true", spare_first = "true",
    idle_decay = "ns2",
};

params! {
    /// Parameters of an algorithm with an HBF cache over RED.
    pub struct Settings {
        ..red: red::Settings { max_p = "0.1", "as red; [Cha04] gives none" };
        /// Flows that the cache holds.
        cache: u64 = "20" in [1.0, 1e6], "[Cha04] tables 2 and 12; 46 in sections 3.3.4 and 5.2.6";
        /// m, the samples of a period. For AFC a period has the bytes of m mean packets.
        sample: u64 = "3000" in [1.0, 1e9], "[Cha04] section 3.3.5 and table 2";
        /// Weight of past periods in a flow's part.
        alpha: Fraction = "0.5" in [0.0, 1.0], "[Cha04] gives none; the only value at which the part does not jump when a period ends";
        /// Probability with which a flow replaces the last of a full cache.
        p_r: Fraction = "0.05" in [0.0, 1.0], "[Cha04] section 3.2.4";
        /// The last flow of the cache is replaced only if its part, past and present or past alone, is below the fair one.
        eviction: Eviction = "blended", "[Cha04] section 3.2.4, our reading";
        /// Only above this queue are packets sampled and preferentially dropped; 0: whenever a packet waits. Automatic: `min_th`.
        threshold: Option<Size> = "0p" in [0.0, 1e12],
            "[Cha04] section 5.3: nothing is dropped while the queue is empty; table 14 contradicts min_th";
        /// Whether the queue or its average is compared with `threshold`.
        gate: Gate = "queue", "[Cha04] section 3.2.1: the queue size";
        /// Whether preferential drops need a queue above `threshold` too.
        gated: Gated = "both", "[Cha04] section 5.3: nothing is dropped unless the link is full";
        /// Whether RED's average sees arrivals that were dropped before RED.
        red_sees: RedSees = "passing", "[Cha04] figure 15: RED comes second";
    }
}

/// The common state of BLACK and AFC; `T` is the part of a cache entry that differs.
#[derive(Clone, Debug)]
pub struct Hbf<T> {
    /// RED, which comes second.
    pub red: Red,
    /// The large flows.
    pub cache: Cache<T>,
    /// The number of flows.
    pub active_flows: ActiveFlows,
    /// Probability of a replacement.
    pub p_r: f64,
    /// The arrivals that RED's average sees.
    pub red_sees: RedSees,
    threshold: f64,
    eviction: Eviction,
    gate: Gate,
    gated: Gated,
}

impl Settings {
    /// The parts on this link; the cache collects by `unit` for each of `sample`, and flows are counted as `flows` says.
    pub fn build<T>(
        &self,
        link: &LinkContext,
        unit: u64,
        flows: &active_flows::Settings,
    ) -> Result<Hbf<T>, BuildError> {
        let red = self.red.build(link)?;
        Ok(Hbf {
            threshold: self.threshold.map_or(red.curve.min_th, |size| self.red.amount(size, link)),
            red,
            cache: Cache::new(self.cache, self.sample as f64 * unit as f64, self.alpha.0),
            active_flows: ActiveFlows::new(flows.clone(), link.flows),
            p_r: self.p_r.0,
            red_sees: self.red_sees,
            eviction: self.eviction,
            gate: self.gate,
            gated: self.gated,
        })
    }
}

impl<T> Hbf<T> {
    /// Whether the queue is above the threshold.
    pub fn is_long(&self, backlog: Backlog) -> bool {
        match self.gate {
            Gate::Queue => self.red.measure(backlog) > self.threshold,
            Gate::Average => self.red.average.value() > self.threshold,
        }
    }

    /// Whether flows may be held to their share.
    pub fn may_drop(&self, is_long: bool) -> bool {
        is_long || self.gated == Gated::Sampling
    }

    /// A packet of this flow was dropped.
    pub fn dropped(&mut self, flow: FlowId, dropped: Dropped) {
        if dropped.from_queue() {
            self.active_flows.left(flow);
        }
        if dropped.is_overflow() {
            self.red.overflow();
        }
    }

    /// B_f (F in AFC): `1 / N`; `None` while nothing is known of N.
    pub fn fair(&self) -> Option<f64> {
        self.active_flows.estimate().map(|flows| 1.0 / flows)
    }

    /// Whether a flow that is not in the cache may join it: there is room, or the last flow is below its share and `drawn`,
    /// from [0, 1), is below p_r. While the share is unknown every flow is below it.
    pub fn makes_room(&self, drawn: impl FnOnce() -> f64) -> bool {
        let Some(last) = self.cache.last() else { return true };
        let part = match self.eviction {
            Eviction::Blended => self.cache.period.blended(last.hits, last.past),
            Eviction::Past => last.past,
        };
        self.fair().is_none_or(|fair| part < fair) && drawn() < self.p_r
    }
}

/// The hooks of a policy that has nothing to add to those of its `hbf`.
macro_rules! hbf_hooks {
    () => {
        fn on_departure(
            &mut self,
            _now: $crate::units::Instant,
            packet: &$crate::packet::Packet,
            _queue: &mut $crate::queue::QueueView<'_>,
            _rng: &mut $crate::rng::Rng,
        ) -> $crate::queue::Verdict {
            self.hbf.active_flows.left(packet.flow);
            $crate::queue::Verdict::Pass
        }

        fn on_idle(&mut self, now: $crate::units::Instant) {
            self.hbf.red.link_idle(now);
        }

        fn on_drop(
            &mut self,
            _now: $crate::units::Instant,
            packet: &$crate::packet::Packet,
            dropped: $crate::queue::Dropped,
            _queue: &mut $crate::queue::QueueView<'_>,
        ) {
            self.hbf.dropped(packet.flow, dropped);
        }

        $crate::probes! { |self|
            "avg" => self.hbf.red.average.value(),
            "p_b" => self.hbf.red.last_p_b(),
            "active_flows" => self.hbf.active_flows.estimate().unwrap_or(0.0),
            "hit_fraction_max" => self.hbf.cache.largest(),
        }
    };
}
pub(crate) use hbf_hooks;

/// Helpers for the tests of BLACK and AFC.
#[cfg(test)]
pub(crate) mod testing {
    use super::*;
    use crate::rig::args;

    pub(crate) const BIG: FlowId = FlowId(7);
    pub(crate) const SMALL: FlowId = FlowId(1);

    /// Threshold 5 packets, periods of ten samples (or packets of 1000 bytes), four flows known: a fair part is 0.25. RED drops nothing.
    pub(crate) fn policy<P: PolicyParams>(entry: &QueueEntry, settings: &[(&str, &str)]) -> P::Policy {
        let base = settings! {
            min_th = "5p", threshold = "5p", max_th = "15p", max_p = "0", w_q = "1", sample = "10", active_flows = "known",
        };
        let link = LinkContext { flows: 4, ..LinkContext::default() };
        let args = args(entry, Some("paper"), &[base, settings].concat());
        args.typed::<P>().policy(&link).expect("valid parameters")
    }
}
