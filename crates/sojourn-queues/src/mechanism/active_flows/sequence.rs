//! The estimators over a recorded sequence of packets: each comes, meets those that still wait, and joins them.

use super::{ActiveFlows, Settings};
use crate::mechanism::zombies::Zombies;
use crate::packet::FlowId;
use crate::rng::Rng;

/// The estimator.
#[derive(Clone, Debug)]
pub enum Estimator {
    /// One of the methods of fair shares.
    Active(ActiveFlows),
    /// Hits in SRED's list.
    Zombies(Zombies),
}

impl Estimator {
    /// A method that estimates at the end of each period, whatever the settings say.
    pub fn of(settings: &Settings) -> Self {
        Estimator::Active(ActiveFlows::new(settings.clone(), 0))
    }

    /// Counts a packet. Those in `waiting` came before it and have not left.
    fn packet(&mut self, flow: FlowId, waiting: &[FlowId], rng: &mut Rng) {
        match self {
            Estimator::Zombies(zombies) => _ = zombies.meet(flow, rng.uniform(), rng.uniform()),
            Estimator::Active(active) => {
                active.arrived(flow, rng);
                let sampled = active.samples_the_queue() && !waiting.is_empty();
                let sampled = sampled.then(|| waiting[rng.below(waiting.len() as u64) as usize]);
                if sampled.is_some() {
                    active.sampled();
                }
                active.passed(flow, sampled, rng);
                active.joined(flow);
            }
        }
    }

    /// Packets that leave before the next one comes.
    fn leave(&mut self, flows: &[FlowId]) {
        if let Estimator::Active(active) = self
            && active.counts_departures()
        {
            for &flow in flows {
                active.left(flow);
            }
        }
    }

    fn end_period(&mut self) -> Option<f64> {
        match self {
            Estimator::Zombies(zombies) => zombies.estimate(),
            Estimator::Active(active) => {
                active.end_period();
                active.estimate()
            }
        }
    }
}

/// The estimate at each of `ends` (numbers of packets, ascending, at most all); `None` before the first. When packet `i` comes, those
/// from `first_waiting[i]` on (at most `i`, never falling) still wait.
///
/// # Panics
/// If these are not so.
pub fn estimates(
    mut estimator: Estimator,
    flows: &[FlowId],
    first_waiting: &[u64],
    ends: &[u64],
    rng: &mut Rng,
) -> Vec<Option<f64>> {
    let (mut packet, mut head) = (0, 0);
    ends.iter()
        .map(|&end| {
            while packet < end as usize {
                let first = first_waiting[packet] as usize;
                estimator.leave(&flows[head..first]);
                head = first;
                estimator.packet(flows[packet], &flows[head..packet], rng);
                packet += 1;
            }
            estimator.end_period()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::Method;
    use super::*;

    fn of(method: Method) -> Estimator {
        Estimator::of(&Settings { active_flows: method, bitmap_bits: 1 << 20, ..Settings::default() })
    }

    #[test]
    fn each_period_has_its_own_estimate() {
        // 10 flows, then 20 others; a million bits: they hardly meet.
        let flows: Vec<FlowId> = (0..30).map(FlowId).collect();
        let waiting: Vec<u64> = (0..30).collect();
        let mut rng = Rng::named(1, "test");

        let found = estimates(of(Method::DirectBitmap), &flows, &waiting, &[0, 10, 30], &mut rng);

        let near = |place: usize, expected: f64| found[place].is_some_and(|n: f64| (n - expected).abs() < 0.01);
        assert!(found[0].is_none() && near(1, 10.0) && near(2, 20.0), "{found:?}");
    }

    #[test]
    fn removals_count_what_still_waits() {
        let flows: Vec<FlowId> = (0..10).map(FlowId).collect();
        // When packet 9 comes, packets 7 and 8 wait.
        let waiting = [0, 0, 0, 0, 0, 0, 0, 0, 0, 7];

        let found = estimates(of(Method::Removals), &flows, &waiting, &[9, 10], &mut Rng::named(1, "test"));

        assert!(
            (found[0].unwrap_or(0.0) - 9.0).abs() < 0.01 && (found[1].unwrap_or(0.0) - 3.0).abs() < 0.01,
            "{found:?}"
        );
    }

    #[test]
    fn matches_compare_with_what_waits() {
        // Flows take turns, and one waits: never a match. With two that wait every other packet matches.
        let flows: Vec<FlowId> = (0..4000).map(|n| FlowId(n % 2)).collect();
        for (depth, expected) in [(1, None), (2, Some(2.0))] {
            let waiting: Vec<u64> = (0..4000_u64).map(|n| n.saturating_sub(depth)).collect();

            let found = estimates(of(Method::Match), &flows, &waiting, &[4000], &mut Rng::named(1, "test"));

            match (found[0], expected) {
                // Matches are binomial: 2 with a relative deviation of 1 / sqrt(4000), four of them.
                (Some(found), Some(expected)) => assert!((found - expected).abs() < 4.0 * 2.0 / 4000_f64.sqrt()),
                (found, expected) => assert_eq!(found, expected),
            }
        }
    }
}
