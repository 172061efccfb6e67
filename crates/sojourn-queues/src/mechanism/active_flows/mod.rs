//! Estimators of the number of active flows, for the algorithms that need a fair share: BLACK's matches, direct bitmap
//! and its variants, capture-recapture. Specification: Chatranon 2004, sections 3.2.5, 4.1.3 and 4.2 to 4.3 [Cha04].
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | An estimate below one flow, or none, leaves the last one | [Cha04] does not say; shares are computed with it | `without_a_match_the_last_estimate_stays` |
//! | An estimate by captures is smoothed as `0.7 old + 0.3 new` | [Cha04] says "a factor of 0.3" without naming the quantity | `captures_are_smoothed` |
//! | The jackknife's and the coverage's formulas are those of their authors | [Cha04] misprints them | `capture.rs` |

pub mod bitmap;
pub mod recapture;
pub mod sequence;

use std::collections::VecDeque;

use self::bitmap::Bitmap;
use self::recapture::{Frequencies, Order, jackknife, sample_coverage};
use crate::packet::FlowId;
use crate::params::Fraction;
use crate::rng::Rng;
use crate::{choices, params};

choices! {
    /// How the number of active flows is found.
    pub enum Method {
        /// Packets compared over matches with packets sampled from the queue.
        Match = "match",
        /// Packets compared over matches with packets sampled from a longer list of those that joined the queue.
        VirtualMatch = "virtual_match",
        /// Bits set by hashes of flows.
        DirectBitmap = "direct_bitmap",
        /// Counters that more than a few packets have raised.
        LowPass = "low_pass",
        /// Counters of packets that wait.
        Removals = "removals",
        /// Captures, by the jackknife.
        Jackknife = "jackknife",
        /// Captures, by sample coverage of first order.
        Coverage1 = "coverage_1",
        /// Captures, by sample coverage of second order.
        Coverage2 = "coverage_2",
        /// It is known: the flows that the scenario sends over the queue.
        Known = "known",
    }
}

choices! {
    /// Over which packets matches are counted.
    pub enum MatchOver {
        /// Those that were compared.
        Compared = "compared",
        /// All for which one was sampled, also those that were dropped before they could be compared.
        Sampled = "sampled",
    }
}

params! {
    /// Parameters of all methods that find the number of active flows.
    pub struct Settings {
        /// How the number of active flows is estimated; a fair part is one over it.
        active_flows: Method = "match", "[Cha04] section 3.2.5";
        /// b, the bits (or counters) of a bitmap.
        bitmap_bits: u64 = "1024" in [1.0, 1e7],
            "[Cha04] uses 100 for up to 450 flows in chapter 4, gives none in chapter 5; at least twice the flows",
            when active_flows in ["direct_bitmap", "low_pass", "removals"];
        /// d: more packets than these make an active flow.
        bitmap_min_packets: u64 = "10" in [0.0, 1e6],
            "[Cha04] gives none; its short flows have 15 packets on average", when active_flows in ["low_pass"];
        /// t, the packets in a list of captures.
        captures: u64 = "100" in [6.0, 1e6], "[Cha04] section 4.3", when active_flows in ["jackknife", "coverage_1", "coverage_2"];
        /// p_cap, with which a packet is captured.
        capture_probability: Fraction = "0.04" in [1e-6, 1.0], "[Cha04] section 3.3.1 (CARE)",
            when active_flows in ["jackknife", "coverage_1", "coverage_2"];
        /// Weight of a new estimate by captures.
        capture_weight: Fraction = "0.3" in [0.0, 1.0], "[Cha04] section 4.3.1",
            when active_flows in ["jackknife", "coverage_1", "coverage_2"];
        /// Packets that a virtual buffer remembers.
        virtual_buffer: u64 = "3000" in [1.0, 1e6], "[Cha04] figure 37: a buffer of that size estimates well",
            when active_flows in ["virtual_match"];
        /// Over which packets matches are counted: those that were compared, or all for which one was sampled, also those dropped before.
        match_over: MatchOver = "sampled", "[Cha04] eq. 3.7", when active_flows in ["match", "virtual_match"];
    }
}

#[derive(Clone, Debug)]
enum State {
    Matches { compared: u64, matched: u64, virtual_buffer: Option<VecDeque<FlowId>> },
    Bitmap { map: Bitmap, keyed: bool },
    Captures(Vec<FlowId>),
    Known,
}

/// An estimator at work.
#[derive(Clone, Debug)]
pub struct ActiveFlows {
    settings: Settings,
    state: State,
    estimate: Option<f64>,
}

impl ActiveFlows {
    /// Knows nothing yet, unless it may know all: `flows` cross the queue.
    pub fn new(settings: Settings, flows: u64) -> Self {
        let matches = |virtual_buffer| State::Matches { compared: 0, matched: 0, virtual_buffer };
        let state = match settings.active_flows {
            Method::Match => matches(None),
            Method::VirtualMatch => matches(Some(VecDeque::new())),
            Method::DirectBitmap | Method::LowPass | Method::Removals => {
                State::Bitmap { map: Bitmap::new(settings.bitmap_bits), keyed: false }
            }
            Method::Jackknife | Method::Coverage1 | Method::Coverage2 => State::Captures(Vec::new()),
            Method::Known => State::Known,
        };
        let estimate = (settings.active_flows == Method::Known).then_some(flows.max(1) as f64);
        ActiveFlows { settings, state, estimate }
    }

    /// The number of flows, at least 1; `None` before the first estimate.
    pub fn estimate(&self) -> Option<f64> {
        self.estimate
    }

    /// True if it must be called for packets that leave.
    pub fn counts_departures(&self) -> bool {
        self.settings.active_flows == Method::Removals
    }

    /// Whether it compares packets with those that wait.
    pub fn samples_the_queue(&self) -> bool {
        self.settings.active_flows == Method::Match
    }

    /// Every packet that comes, before anything is decided about it.
    pub fn arrived(&mut self, flow: FlowId, rng: &mut Rng) {
        let settings = &self.settings;
        match &mut self.state {
            State::Bitmap { map, keyed } => {
                if !*keyed {
                    map.rekey(rng.below(1 << 53));
                    *keyed = true;
                }
                // [Cha04] section 4.2.1: when it comes, dropped or not.
                if settings.active_flows != Method::Removals {
                    map.add(flow);
                }
            }
            State::Captures(list) => {
                // [Cha04] section 4.2.2: each incoming packet with probability p_cap, until t are caught.
                if rng.uniform() < settings.capture_probability.0 {
                    list.push(flow);
                }
                if list.len() as u64 >= settings.captures {
                    self.evaluate_captures();
                }
            }
            State::Matches { .. } | State::Known => {}
        }
    }

    /// A packet was sampled from the queue for an arriving one, whatever the fate of the latter.
    pub fn sampled(&mut self) {
        if let State::Matches { compared, .. } = &mut self.state {
            *compared += u64::from(self.settings.match_over == MatchOver::Sampled);
        }
    }

    /// A packet that the fair share lets pass, and the one that was sampled from the queue when it came, if one was.
    pub fn passed(&mut self, flow: FlowId, sampled: Option<FlowId>, rng: &mut Rng) {
        let State::Matches { compared, matched, virtual_buffer } = &mut self.state else { return };
        let other = match virtual_buffer {
            None => sampled,
            Some(list) if list.is_empty() => None,
            Some(list) => list.get(rng.below(list.len() as u64) as usize).copied(),
        };
        if let Some(other) = other {
            *compared += u64::from(self.settings.match_over == MatchOver::Compared);
            *matched += u64::from(other == flow);
        }
    }

    /// A packet that has joined the queue.
    pub fn joined(&mut self, flow: FlowId) {
        let settings = &self.settings;
        match &mut self.state {
            State::Bitmap { map, .. } if settings.active_flows == Method::Removals => map.add(flow),
            State::Matches { virtual_buffer: Some(list), .. } => {
                // [Cha04] figure 38: when it is full, the head is discarded.
                if list.len() as u64 >= settings.virtual_buffer {
                    list.pop_front();
                }
                list.push_back(flow);
            }
            _ => {}
        }
    }

    /// A packet that has left the queue, sent or dropped.
    pub fn left(&mut self, flow: FlowId) {
        if let State::Bitmap { map, .. } = &mut self.state
            && self.settings.active_flows == Method::Removals
        {
            map.remove(flow);
        }
    }

    /// The algorithm's own period ends: all but captures, which end when they are complete, estimate now.
    pub fn end_period(&mut self) {
        let new = match &mut self.state {
            State::Matches { compared, matched, .. } => {
                // [Cha04] eq. 3.7: N = m / matches.
                let new = (*matched > 0).then(|| *compared as f64 / *matched as f64);
                (*compared, *matched) = (0, 0);
                new
            }
            State::Bitmap { map, .. } => {
                let threshold =
                    if self.settings.active_flows == Method::LowPass { self.settings.bitmap_min_packets } else { 0 };
                let new = map.estimate(threshold);
                if self.settings.active_flows != Method::Removals {
                    map.clear();
                }
                Some(new)
            }
            State::Captures(_) | State::Known => None,
        };
        self.take(new, 1.0);
    }

    fn evaluate_captures(&mut self) {
        let State::Captures(list) = &mut self.state else { return };
        let caught = Frequencies::count(list);
        list.clear();
        let new = match self.settings.active_flows {
            Method::Coverage1 => sample_coverage(&caught, Order::First),
            Method::Coverage2 => sample_coverage(&caught, Order::Second),
            _ => Some(jackknife(&caught)),
        };
        self.take(new, self.settings.capture_weight.0);
    }

    fn take(&mut self, new: Option<f64>, weight: f64) {
        if let Some(new) = new.filter(|new| *new >= 1.0) {
            self.estimate = Some(self.estimate.map_or(new, |old| (1.0 - weight) * old + weight * new));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(method: Method) -> Settings {
        Settings {
            active_flows: method,
            bitmap_bits: 4096,
            bitmap_min_packets: 5,
            captures: 100,
            capture_probability: Fraction(1.0),
            capture_weight: Fraction(0.3),
            virtual_buffer: 3000,
            match_over: MatchOver::Compared,
        }
    }

    fn rng() -> Rng {
        Rng::named(1, "active flows")
    }

    fn near(flows: &ActiveFlows, expected: f64, tolerance: f64) -> bool {
        flows.estimate().is_some_and(|estimate| (estimate - expected).abs() <= tolerance)
    }

    #[test]
    fn matches_estimate_the_number_of_equal_flows() {
        // Matches of 3000 comparisons are Poisson with mean 3000 / N: relative deviation sqrt(N / 3000), 0.13 for 50 flows.
        // Of 400 estimates the mean is known to 0.13 / 20, four times that is 1.3; E[1/x] adds N (N/3000) = 0.83.
        let mut rng = rng();
        let mut sum = 0.0;
        for _ in 0..400 {
            let mut flows = ActiveFlows::new(settings(Method::Match), 0);
            for _ in 0..3000 {
                let (arrival, sampled) = (FlowId(rng.below(50) as u32), FlowId(rng.below(50) as u32));
                flows.passed(arrival, Some(sampled), &mut rng);
            }
            flows.end_period();
            sum += flows.estimate().unwrap_or(0.0);
        }
        assert!((sum / 400.0 - 50.83).abs() < 1.3, "{}", sum / 400.0);
    }

    #[test]
    fn matches_see_the_large_flow_only() {
        // 60 flows share 1/3, one has 2/3: 1 / sum of squares = 1 / (4/9 + 1/9/60) = 2.24.
        fn draw(rng: &mut Rng) -> FlowId {
            FlowId(if rng.uniform() < 2.0 / 3.0 { 60 } else { rng.below(60) as u32 })
        }
        let mut rng = rng();
        let mut flows = ActiveFlows::new(settings(Method::Match), 0);
        for _ in 0..30_000 {
            let (arrival, sampled) = (draw(&mut rng), draw(&mut rng));
            flows.passed(arrival, Some(sampled), &mut rng);
        }
        flows.end_period();

        // Relative deviation sqrt((1 - P) / (n P)) = 0.0064; four of them.
        assert!(near(&flows, 2.241, 0.06), "{:?}", flows.estimate());
    }

    #[test]
    fn without_a_match_the_last_estimate_stays() {
        fn compare(flows: &mut ActiveFlows, other: u32) {
            for _ in 0..10 {
                flows.passed(FlowId(1), Some(FlowId(other)), &mut rng());
            }
            flows.end_period();
        }
        let mut flows = ActiveFlows::new(settings(Method::Match), 0);

        compare(&mut flows, 2);
        assert_eq!(flows.estimate(), None);
        compare(&mut flows, 1);
        compare(&mut flows, 2);
        assert_eq!(flows.estimate(), Some(1.0));
    }

    #[test]
    fn a_virtual_buffer_remembers_more_than_waits() {
        let mut flows = ActiveFlows::new(Settings { virtual_buffer: 3, ..settings(Method::VirtualMatch) }, 0);
        for flow in [9, 1, 1, 1] {
            flows.joined(FlowId(flow));
        }

        // The first was pushed out: every sample is flow 1.
        for flow in [1, 1, 9, 9] {
            flows.passed(FlowId(flow), None, &mut rng());
        }
        flows.end_period();

        assert_eq!(flows.estimate(), Some(2.0));
    }

    #[test]
    fn mice_are_filtered_by_their_packets_or_by_leaving() {
        let mut rng = rng();
        let mut low_pass = ActiveFlows::new(settings(Method::LowPass), 0);
        let mut removals = ActiveFlows::new(settings(Method::Removals), 0);
        let mut plain = ActiveFlows::new(settings(Method::DirectBitmap), 0);
        for flows in [&mut low_pass, &mut removals, &mut plain] {
            // 100 flows of six packets that stay, 400 flows of five packets that leave.
            for (flow, packets) in (0..100).map(|n| (n, 6)).chain((100..500).map(|n| (n, 5))) {
                for _ in 0..packets {
                    flows.arrived(FlowId(flow), &mut rng);
                    flows.joined(FlowId(flow));
                    if flow >= 100 {
                        flows.left(FlowId(flow));
                    }
                }
            }
            flows.end_period();
        }

        // s.d. sqrt(b (e^r - r - 1)), r = N/b: 1.1 for 100 of 4096, 5.6 for 500. Where two mice meet in a counter they
        // pass for a flow: 400^2/2/4096 = 20 such.
        assert!(near(&low_pass, 120.0, 22.0), "{:?}", low_pass.estimate());
        assert!(near(&removals, 100.0, 5.0), "{:?}", removals.estimate());
        assert!(near(&plain, 500.0, 23.0), "{:?}", plain.estimate());
    }

    #[test]
    fn a_bitmap_starts_anew_after_each_estimate_and_removals_do_not() {
        let mut rng = rng();
        for (method, second) in [(Method::DirectBitmap, 100.0), (Method::Removals, 200.0)] {
            let mut flows = ActiveFlows::new(settings(method), 0);
            for part in 0..2 {
                for flow in 100 * part..100 * (part + 1) {
                    flows.arrived(FlowId(flow), &mut rng);
                    flows.joined(FlowId(flow));
                }
                flows.end_period();
            }
            assert!(near(&flows, second, 9.0), "{method:?} {:?}", flows.estimate());
        }
    }

    #[test]
    fn captures_are_smoothed() {
        let mut flows = ActiveFlows::new(settings(Method::Jackknife), 0);
        (0..100).for_each(|_| flows.arrived(FlowId(1), &mut rng()));
        assert_eq!(flows.estimate(), Some(1.0));

        // Two flows, each caught 50 times: the jackknife is 2.
        (0..100).for_each(|n| flows.arrived(FlowId(n % 2), &mut rng()));
        assert!(near(&flows, 1.3, 1e-9), "{:?}", flows.estimate());
    }

    #[test]
    fn only_some_arrivals_are_caught() {
        let mut flows =
            ActiveFlows::new(Settings { capture_probability: Fraction(0.04), ..settings(Method::Jackknife) }, 0);
        let mut rng = rng();
        let mut arrivals = 0;
        while flows.estimate().is_none() {
            flows.arrived(FlowId(arrivals % 30), &mut rng);
            arrivals += 1;
        }
        // 100 captures at 0.04: mean 2500, deviation 100 sqrt(0.96) / 0.04 / 10 = 245; four of them.
        assert!((1520..3480).contains(&arrivals), "{arrivals}");
    }

    #[test]
    fn what_is_known_is_known_at_once() {
        assert_eq!(ActiveFlows::new(settings(Method::Known), 101).estimate(), Some(101.0));
    }
}
