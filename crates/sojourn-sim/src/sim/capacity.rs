//! Compares the data that reached receivers with the capacity of the links in front of them. This is an invariant of every sender, profile
//! and law: more data than fits would be a fault of the simulator.

use super::flow_counts::FlowRow;
use super::state::{ObservedLink, SENDER, Simulation};
use crate::metrics::group::Interval;
use crate::net::wire::mean_rate;
use crate::units::{Duration, Instant};
use std::collections::BTreeMap;

/// Round trips over which arrivals are added up at least.
const ROUND_TRIPS: f64 = 10.0;

/// Number of a group, end, length and content of an interval.
type Row = (usize, Instant, Duration, Interval);

/// A link, and the flows whose data go over it.
struct Load<'a> {
    link: &'a ObservedLink,
    /// New payload in the window, in bits, and the longest way of a flow in seconds.
    bits: f64,
    way: f64,
    /// Groups whose flows all go over it.
    groups: Vec<usize>,
}

/// Links over which more came than they can carry, and the words about each: in the whole window as new payload, or in about ten round
/// trips as packets.
pub(super) fn above(simulation: &Simulation, flows: &[FlowRow]) -> Vec<(String, String)> {
    let window = (simulation.settings.warmup, simulation.now);
    let series = simulation.groups.series(simulation.now);
    let say = |load: Load<'_>| {
        let (bits, from, to) =
            in_the_window(&load, window).or_else(|| in_ten_round_trips(simulation, &series, &load))?;
        let seconds = to.since(from).as_secs_f64();
        let text = format!(
            "its flows got {:.4} Mbit/s from {:.3} to {:.3} s, more than the {:.4} Mbit/s that it can carry; this is a fault of Sojourn: \
             please report it with the scenario and the seed",
            bits / seconds / 1e6,
            from.as_secs_f64(),
            to.as_secs_f64(),
            rate(load.link, from, to) / 1e6
        );
        Some((load.link.name.clone(), text))
    };
    loads(simulation, flows).into_iter().filter_map(say).collect()
}

fn loads<'a>(simulation: &'a Simulation, flows: &[FlowRow]) -> Vec<Load<'a>> {
    let observed = &simulation.settings.observed;
    let numbers: Vec<u32> = observed.keys().copied().collect();
    let mut loads: Vec<_> =
        observed.values().map(|link| Load { link, bits: 0.0, way: 0.0, groups: Vec::new() }).collect();
    let mut members = vec![0_u32; simulation.settings.group_names.len()];
    // For each link and group, the number of flows over it.
    let mut over: BTreeMap<(usize, usize), u32> = BTreeMap::new();
    for (flow, row) in flows.iter().enumerate() {
        members[row.group as usize] += 1;
        let mut hop = simulation.flows[flow].route[SENDER] as usize;
        while !simulation.routes[hop].is_end() {
            if let Ok(place) = numbers.binary_search(&simulation.routes[hop].number()) {
                *over.entry((place, row.group as usize)).or_default() += 1;
                loads[place].bits += row.new_bits();
                loads[place].way = loads[place].way.max(row.longest_way());
            }
            hop += 1;
        }
    }
    for ((place, group), count) in over {
        if count == members[group] {
            loads[place].groups.push(group);
        }
    }
    loads
}

/// Mean rate of a link in bit/s.
fn rate(link: &ObservedLink, from: Instant, to: Instant) -> f64 {
    match &link.opportunities {
        Some(opportunities) => opportunities.rate_between(from, to),
        None => mean_rate(link.rate, &link.changes, from, to),
    }
}

/// Data that arrived for the first time was on the link in the window, or was behind it on the way when the window began.
fn in_the_window(load: &Load<'_>, (from, to): (Instant, Instant)) -> Option<(f64, Instant, Instant)> {
    let seconds = to.since(from).as_secs_f64();
    (load.bits > rate(load.link, from, to) * (seconds + load.way)).then_some((load.bits, from, to))
}

/// The same of all packets and of each span of at least ten round trips in the window, as far as intervals are kept.
fn in_ten_round_trips(simulation: &Simulation, series: &[Row], load: &Load<'_>) -> Option<(f64, Instant, Instant)> {
    let groups = simulation.groups.all();
    let most = |value: &dyn Fn(usize) -> f64| load.groups.iter().map(|group| value(*group)).fold(0.0, f64::max);
    let round_trip = most(&|group| groups[group].round_trip.mean());
    // The longest way of a packet, not the mean: packets that were held up come as a burst.
    let way = most(&|group| groups[group].delay.cells().last().map_or(0.0, |(seconds, _)| seconds));
    let spans = Spans {
        intervals: arrivals(simulation, series, &load.groups),
        least: Duration::from_secs_f64((ROUND_TRIPS * round_trip).max(1e-9)),
        way: Duration::from_secs_f64(way),
    };
    spans.first_above(|from, to| rate(load.link, from, to) * to.since(from).as_secs_f64())
}

/// For each interval of the window: its end and length, and the bits and packets of these groups that came in it.
fn arrivals(simulation: &Simulation, rows: &[Row], groups: &[usize]) -> Vec<(Instant, Duration, f64, u64)> {
    let intervals = rows.len() / simulation.groups.all().len().max(1);
    let warmup = simulation.settings.warmup.as_nanos();
    let sum = |interval: usize| {
        let (_, end, length, _) = rows[interval];
        let of_all = groups.iter().map(|group| &rows[group * intervals + interval].3);
        let (bits, packets) =
            of_all.fold((0.0, 0), |(bits, packets), of| (bits + of.bytes as f64 * 8.0, packets + of.packets()));
        (end, length, bits, packets)
    };
    (0..intervals).map(sum).filter(|(end, length, ..)| end.as_nanos() - length.as_nanos() >= warmup).collect()
}

/// Spans of consecutive intervals.
struct Spans {
    intervals: Vec<(Instant, Duration, f64, u64)>,
    /// No span is shorter.
    least: Duration,
    /// How long before it comes a packet may have left the link.
    way: Duration,
}

impl Spans {
    /// Bits, beginning and end of the first span in which more came than `capacity` gives, counted from one packet delay before it. One
    /// packet more may have been in transmission.
    fn first_above(&self, capacity: impl Fn(Instant, Instant) -> f64) -> Option<(f64, Instant, Instant)> {
        let (mut first, mut bits, mut packets, mut length) = (0, 0.0, 0_u64, Duration::ZERO);
        for &(end, long, more, count) in &self.intervals {
            (bits, packets, length) = (bits + more, packets + count, length + long);
            while length.saturating_sub(self.intervals[first].1) >= self.least {
                let (_, shorter, less, fewer) = self.intervals[first];
                (bits, packets, length) = (bits - less, packets - fewer, length.saturating_sub(shorter));
                first += 1;
            }
            if length < self.least || packets == 0 {
                continue;
            }
            let from = Instant::from_nanos(end.as_nanos() - length.as_nanos());
            let left = Instant::from_nanos(from.as_nanos().saturating_sub(self.way.as_nanos()));
            if bits > capacity(left, end) + bits / packets as f64 {
                return Some((bits, from, end));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::tests::over;

    /// Intervals of 100 ms with these numbers of packets of 1000 bits.
    fn spans(packets: &[u64], least: u64, way: u64) -> Spans {
        let interval = |(number, count): (usize, &u64)| {
            let end = Instant::from_nanos(100_000_000 * (number as u64 + 1));
            (end, Duration::from_millis(100), 1000.0 * *count as f64, *count)
        };
        Spans {
            intervals: packets.iter().enumerate().map(interval).collect(),
            least: Duration::from_millis(least),
            way: Duration::from_millis(way),
        }
    }

    /// 100 kbit/s: ten packets in an interval.
    fn capacity(from: Instant, to: Instant) -> f64 {
        1e5 * to.since(from).as_secs_f64()
    }

    #[test]
    fn a_span_may_hold_what_fits_and_one_packet_more() {
        assert_eq!(spans(&[10, 10, 11, 10], 200, 0).first_above(capacity), None);
        let (bits, from, to) = spans(&[10, 10, 12, 10], 200, 0).first_above(capacity).expect("22 in 200 ms");
        assert!((bits - 22_000.0).abs() < 1e-9);
        assert_eq!((from.as_nanos(), to.as_nanos()), (100_000_000, 300_000_000));
    }

    #[test]
    fn a_burst_shorter_than_the_span_is_no_fault() {
        assert_eq!(spans(&[0, 0, 30, 0, 0], 300, 0).first_above(capacity), None);
        assert!(spans(&[0, 0, 30, 2, 0], 300, 0).first_above(capacity).is_some());
    }

    #[test]
    fn what_was_on_the_way_at_the_beginning_counts_as_well() {
        // 50 ms of way are five packets more.
        assert_eq!(spans(&[0, 10, 16, 10], 200, 50).first_above(capacity), None);
        assert!(spans(&[0, 10, 17, 10], 200, 50).first_above(capacity).is_some());
    }

    #[test]
    fn more_payload_than_the_link_can_carry_is_said() {
        let text = r#"
duration = "11s"
warmup = "1s"
[dumbbell]
rate = "1Mbit"
delay = "10ms"
queue = { kind = "fifo", limit = "10p" }
[[flow]]
name = "up"
transport = { kind = "tcp" }
app = { kind = "bulk" }
"#;
        let mut simulation = over(text);
        let mut rows = vec![simulation.flow_row(0)];
        assert_eq!(above(&simulation, &rows), []);
        // 10 s of 1 Mbit/s are 1.25 MB; a round trip of 40 ms and ten packets of queue are below 0.2 s.
        rows[0].counts.bytes_new = 1_280_000;
        let found = above(&simulation, &rows);
        assert!(found.len() == 1 && found[0].0 == "forward", "{found:?}");
        assert!(found[0].1.starts_with("its flows got 1.0240 Mbit/s from 1.000 to 11.000 s"), "{found:?}");
        rows[0].counts.bytes_new = 1_250_000;
        assert_eq!(above(&simulation, &rows), []);
    }
}
