//! A replay in numbers.

use std::collections::BTreeMap;

use super::arrival::{Decision, Fate};
use crate::queue::Reason;
use crate::units::{Duration, Instant, Rate};

/// Packets for one reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// Why.
    pub reason: Reason,
    /// How many packets.
    pub packets: u64,
}

/// One percentile of the sojourn time, by nearest rank: the least sojourn that at least `percent` of
/// the packets sent do not exceed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Percentile {
    /// 0 to 100.
    pub percent: f64,
    /// The sojourn time.
    pub sojourn: Duration,
}

/// A replay in numbers. Every arrival is a departure, a drop or waiting.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Packets that arrived.
    pub arrivals: u64,
    /// Packets sent, marked or not.
    pub departures: u64,
    /// Packets that a discipline never released; zero for all that the registry knows.
    pub waiting: u64,
    /// Packets dropped, by reason, in the order of the reasons' names.
    pub drops: Vec<Count>,
    /// Packets marked here and sent, by reason, in the order of the reasons' names.
    pub marks: Vec<Count>,
    /// Bytes sent.
    pub bytes_sent: u64,
    /// From the first arrival to the last transmission's end or the last arrival, whichever is later.
    pub duration: Duration,
    /// Mean time in the queue of the packets sent; `None` if there are none.
    pub sojourn_mean: Option<Duration>,
    /// 50, 90, 95, 99 and 100 %; empty if no packet was sent.
    pub sojourn_percentiles: Vec<Percentile>,
    /// Mean number of packets waiting over `duration`, without the one in transmission.
    pub backlog_mean_packets: f64,
    /// Mean number of bytes waiting over `duration`.
    pub backlog_mean_bytes: f64,
    /// Bits sent per second of `duration`; 0 if there was no time.
    pub throughput_bps: f64,
    /// Bits sent over those that the link could have sent in `duration`, 0 to 1; 0 if there was no time. `None` where the link has
    /// recorded moments in place of a rate.
    pub utilisation: Option<f64>,
    /// The recorded moments at which there was no packet to send.
    pub unused_departures: u64,
}

impl Summary {
    /// Packets dropped for any reason.
    pub fn dropped(&self) -> u64 {
        self.drops.iter().map(|count| count.packets).sum()
    }

    /// Packets marked here and sent.
    pub fn marked(&self) -> u64 {
        self.marks.iter().map(|count| count.packets).sum()
    }

    /// Dropped packets over arrivals, 0 to 1; 0 if nothing came.
    pub fn loss_ratio(&self) -> f64 {
        ratio(self.dropped() as f64, self.arrivals as f64)
    }

    /// Marked packets over arrivals, 0 to 1; 0 if nothing came. Marks are not losses.
    pub fn mark_ratio(&self) -> f64 {
        ratio(self.marked() as f64, self.arrivals as f64)
    }

    pub(super) fn of(decisions: &[Decision], rate: Option<Rate>, end: Instant, backlog_time: (u128, u128)) -> Summary {
        let mut drops = BTreeMap::new();
        let mut marks = BTreeMap::new();
        let mut sojourns = Vec::new();
        let mut bytes_sent = 0;
        let mut waiting = 0;
        for decision in decisions {
            match decision.fate {
                Fate::Dropped { reason, .. } => *drops.entry(reason).or_insert(0) += 1,
                Fate::Marked { reason, .. } if decision.sent.is_some() => *marks.entry(reason).or_insert(0) += 1,
                Fate::Marked { .. } | Fate::Enqueued => {}
            }
            match decision.sojourn() {
                Some(sojourn) => {
                    sojourns.push(sojourn);
                    bytes_sent += u64::from(decision.arrival.size);
                }
                None => waiting += u64::from(!matches!(decision.fate, Fate::Dropped { .. })),
            }
        }
        let duration = decisions.first().map_or(Duration::ZERO, |first| end - first.arrival.time);
        let nanos = duration.as_nanos() as f64;
        let bits = bytes_sent as f64 * 8.0;
        // The end of a transmission is rounded down to a nanosecond, so that a link without a gap would
        // come out above 1.
        let utilisation = rate.map(|rate| ratio(bits, rate.as_bps() as f64 * duration.as_secs_f64()).min(1.0));
        Summary {
            arrivals: decisions.len() as u64,
            departures: sojourns.len() as u64,
            waiting,
            drops: counts(drops),
            marks: counts(marks),
            bytes_sent,
            duration,
            sojourn_mean: mean(&sojourns),
            sojourn_percentiles: percentiles(sojourns),
            backlog_mean_packets: ratio(backlog_time.0 as f64, nanos),
            backlog_mean_bytes: ratio(backlog_time.1 as f64, nanos),
            throughput_bps: match (utilisation, rate) {
                (Some(used), Some(rate)) => used * rate.as_bps() as f64,
                _ => ratio(bits, duration.as_secs_f64()),
            },
            utilisation,
            unused_departures: 0,
        }
    }
}

/// `part / whole`, and 0 of nothing.
fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

fn counts(map: BTreeMap<Reason, u64>) -> Vec<Count> {
    map.into_iter().map(|(reason, packets)| Count { reason, packets }).collect()
}

fn mean(sojourns: &[Duration]) -> Option<Duration> {
    let count = sojourns.len() as u128;
    let sum: u128 = sojourns.iter().map(|sojourn| u128::from(sojourn.as_nanos())).sum();
    // Rounded to the nearest nanosecond.
    (count > 0).then(|| Duration::from_nanos(((sum + count / 2) / count) as u64))
}

fn percentiles(mut sojourns: Vec<Duration>) -> Vec<Percentile> {
    sojourns.sort_unstable();
    let percentile = |percent: f64| {
        let rank = libm::ceil(percent / 100.0 * sojourns.len() as f64) as usize;
        let sojourn = *sojourns.get(rank.max(1) - 1)?;
        Some(Percentile { percent, sojourn })
    };
    [50.0, 90.0, 95.0, 99.0, 100.0].into_iter().filter_map(percentile).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_taken_by_nearest_rank() {
        let sojourns = (1..=20).map(Duration::from_millis).collect();

        let ranks: Vec<u64> = percentiles(sojourns).iter().map(|p| p.sojourn.as_nanos() / 1_000_000).collect();

        // Ranks ceil(0.5 * 20), ceil(0.9 * 20), ceil(0.95 * 20), ceil(0.99 * 20), 20.
        assert_eq!(ranks, [10, 18, 19, 20, 20]);
    }

    #[test]
    fn the_mean_of_nothing_is_nothing() {
        assert_eq!(mean(&[]), None);
        assert!(percentiles(Vec::new()).is_empty());
        assert!(ratio(0.0, 0.0).abs() < f64::EPSILON);
    }
}
