//! RCP's router: tells all senders the same rate, at which the link would be full and the queue empty. It keeps no state of flows.
//! Specification: [DKZM05] Dukkipati, Kobayashi, Zhang-Shen and McKeown, "Processor sharing flows in the Internet", IWQoS 2005, section 2;
//! points that it leaves open (the mean round trip, the bounds of the rate) are as in its authors' router for ns-2 (`rcp.cc` v4), which
//! ns-2 2.35 does not include. Compared with: a second implementation in `tests/implementations`.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | Packets without RCP's header share the queue, and count as traffic | [DKZM05] has RCP's flows alone | `traffic_without_the_header_counts_and_is_left_alone` |
//! | A packet counts when it comes; the authors' router divides one between two intervals | the same sum | - |
//! | The first interval begins at time zero; theirs is drawn | the same in every run | `the_rate_follows_the_spare_capacity_and_the_queue` |
//! | An interval in which no packet reports a round trip leaves the mean unchanged; in the authors' router the last one counts again (`silence`) | [DKZM05] takes the mean over packets, of which there are none | `an_interval_without_round_trips_leaves_the_mean`, `as_the_authors_write_it_the_last_round_trips_count_again` |
//! | The capacity is that of the scenario's link, also after a change of its rate | a policy does not see the link | - |

use crate::header::Header;
use crate::packet::Body;
use crate::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "rcp",
    title: "RCP router",
    doc: "A router that tells RCP's senders their rate. It writes into each packet the rate for all flows, which rises with the spare \
          capacity and falls with the queue. It drops only when the buffer is full.",
    reference: "Dukkipati, Kobayashi, Zhang-Shen and McKeown 2005",
    presets: presets! {
        /// The authors' router for ns-2 (rcp.cc v4, checked on 2026-11-25): in an interval without a round trip that of the last one counts
        /// again.
        authors = { silence = "repeats" };
    },
    law: Some(draw_law),
    ..QueueEntry::of_policy::<Params>()
};

params! {
    pub struct Params {
        /// The most that may wait, without the packet in transmission.
        limit: Size = "1BDP" in [0.0, 1e12], "as xcp";
        /// Part of the spare capacity that is given out in a round trip.
        alpha: f64 = "0.4" in [0.0, 100.0], "the authors' rcp.cc v4";
        /// Part of the queue that is taken back in a round trip.
        beta: f64 = "0.4" in [0.0, 100.0], "the authors' rcp.cc v4";
        /// Part of the link that shall be used.
        gamma: Fraction = "1" in [0.01, 1.0], "Dukkipati et al. 2005 section 2: all of it";
        /// Longest time between two changes of the rate; the mean round trip, if that is shorter.
        interval: Duration = "10ms" in [0.000_01, 10.0], "the authors' rcp.cc v4";
        /// Mean round trip before the first report.
        initial_rtt: Duration = "200ms" in [0.000_01, 10.0], "the authors' rcp.cc v4";
        /// First rate, as a part of the link's.
        initial_rate: Fraction = "5%" in [0.000_001, 1.0], "the authors' rcp.cc v4";
        /// Least rate in packets of 1000 bytes per mean round trip.
        least: f64 = "0.01" in [0.000_001, 1000.0], "the authors' rcp.cc v4 with its patch of ns-default.tcl: min_pprtt_ 0.01";
        /// The effect on the mean of an interval in which no packet reports a round trip: none, or that of the last interval with reports.
        silence: Silence = "leaves", "Dukkipati et al. 2005 section 2: a mean over packets; the authors' rcp.cc v4 for repeats";
    }
}

choices! {
    /// The effect on the mean of an interval without a round trip.
    pub enum Silence {
        /// Nothing.
        Leaves = "leaves",
        /// The round trips of the last interval that had some count once more.
        Repeats = "repeats",
    }
}

/// Bytes of a packet in the least rate.
const PACKET: f64 = 1000.0;

/// The policy. Rates in bytes per second, times in seconds.
#[derive(Clone, Debug)]
pub struct Rcp {
    alpha: f64,
    beta: f64,
    interval_max: f64,
    least: f64,
    capacity: f64,

    rate: f64,
    /// d_0: the mean round trip.
    rtt: f64,
    /// T: the present interval, and when it ends.
    interval: f64,
    due: Instant,
    /// Bytes that have come in it, those with a round trip, and these times their round trips.
    bytes: f64,
    told: f64,
    told_rtt: f64,
    silence: Silence,
    /// Mean round trip of the last interval in which one was told.
    seen: Option<f64>,
}

impl PolicyParams for Params {
    type Policy = Rcp;

    fn policy(&self, link: &LinkContext) -> Result<Rcp, BuildError> {
        let capacity = self.gamma.0 * link.rate.as_bps() as f64 / 8.0;
        let rtt = self.initial_rtt.as_secs_f64();
        let interval = self.interval.as_secs_f64();
        Ok(Rcp {
            alpha: self.alpha,
            beta: self.beta,
            interval_max: interval,
            least: self.least,
            capacity,
            rate: self.initial_rate.0 * capacity,
            rtt,
            interval: interval.min(rtt),
            due: Instant::ZERO + Duration::from_secs_f64(interval.min(rtt)),
            bytes: 0.0,
            told: 0.0,
            told_rtt: 0.0,
            silence: self.silence,
            seen: None,
        })
    }
}

/// `R (1 + T / d (alpha (C - y) - beta q / d) / C)` ([DKZM05] equation 1 with the interval of section 2).
fn next_rate(router: &Rcp, traffic: f64, queue: f64) -> f64 {
    let Rcp { alpha, beta, capacity, rate, rtt, interval, .. } = *router;
    rate * (1.0 + interval / rtt * (alpha * (capacity - traffic) - beta * queue / rtt) / capacity)
}

/// The effect of a mean round trip on the rate, with unchanged traffic and queue.
fn draw_law(args: &Args, link: &LinkContext) -> Result<Graph, BuildError> {
    let policy = args.typed::<Params>().policy(link)?;
    let router = Rcp { interval: policy.rtt, ..policy };
    let full = router.capacity * router.rtt;
    let traffic = Axis::new("traffic that comes", "% of the capacity");
    let mut graph = Graph::new(traffic, Axis::new("change of the rate in a round trip", "%")).about(format!(
        "The rate is the same for all flows. It stays above {} packets in a round trip, and below the capacity.",
        router.least
    ));
    for (name, waiting) in [("no queue", 0.0), ("a queue of half a BDP", 0.5), ("a queue of one BDP", 1.0)] {
        let change = |load: f64| next_rate(&router, router.capacity * load / 100.0, waiting * full) / router.rate - 1.0;
        graph = graph.curve(name, (0.0, 200.0), &[100.0], |load| 100.0 * change(load));
    }
    Ok(graph)
}

impl Rcp {
    /// The mean round trip moves by the part of a round trip that the interval was; towards a shorter one by as much as one flow counts.
    fn average(&mut self) {
        if self.told > 0.0 {
            self.seen = Some(self.told_rtt / self.told);
        } else if self.silence == Silence::Leaves {
            return;
        }
        let Some(seen) = self.seen else { return };
        let part = self.interval / self.rtt;
        let gain = if seen >= self.rtt { part } else { self.rate / self.capacity * seen / self.rtt * part };
        self.rtt += gain.min(1.0) * (seen - self.rtt);
    }

    /// The interval has ended, and `queue` bytes wait.
    fn control(&mut self, now: Instant, queue: f64) {
        let traffic = self.bytes / self.interval;
        self.average();
        let rate = next_rate(self, traffic, queue);
        let least = self.least * PACKET / self.rtt;
        self.rate = rate.max(least).min(self.capacity);
        (self.bytes, self.told, self.told_rtt) = (0.0, 0.0, 0.0);
        self.interval = self.interval_max.min(self.rtt);
        self.due = now + Duration::from_secs_f64(self.interval).max(Duration::from_nanos(1));
    }
}

impl Policy for Rcp {
    fn on_arrival(&mut self, _now: Instant, packet: &Packet, _queue: &mut QueueView<'_>, _rng: &mut Rng) -> Verdict {
        let size = f64::from(packet.size);
        self.bytes += size;
        if let Body::Data { header: Some(Header::Rcp(header)), .. } = packet.body
            && header.rtt > 0.0
        {
            self.told += size;
            self.told_rtt += size * f64::from(header.rtt);
        }
        Verdict::Pass
    }

    fn on_transmission(&mut self, _now: Instant, packet: &mut Packet, _waiting: Backlog) {
        if let Body::Data { header: Some(Header::Rcp(header)), .. } = &mut packet.body {
            header.rate = header.rate.min(self.rate as f32);
        }
    }

    fn next_deadline(&self) -> Option<Instant> {
        Some(self.due)
    }

    fn on_deadline(&mut self, now: Instant, queue: &mut QueueView<'_>) {
        if self.due <= now {
            self.control(now, queue.bytes() as f64);
        }
    }

    probes! { |self|
        "rate_bps" => self.rate * 8.0,
        "rtt_ms" => self.rtt * 1e3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::header::rcp::RcpHeader;
    use crate::packet::FlowId;
    use crate::rig::{Rig, args, at, policy_of, segment};

    /// Headers carry single precision.
    fn near(a: f64, b: f64) -> bool {
        (a / b - 1.0).abs() < 1e-6
    }

    fn policy(settings: &[(&str, &str)]) -> Rcp {
        // The default link has 10 Mbit/s: 1 250 000 bytes per second.
        policy_of::<Params>(&ENTRY, None, settings)
    }

    /// 1000 bytes of a flow with this round trip in seconds that asks for this rate.
    fn packet(rtt: f32, rate: f32) -> Packet {
        let header = Some(Header::Rcp(RcpHeader { rtt, rate }));
        segment(0, header)
    }

    /// `packets` with a round trip of 100 ms come in an interval, and `waiting` packets wait at its end.
    fn interval(policy: &mut Rcp, packets: usize, waiting: usize) {
        for _ in 0..packets {
            Rig::waiting(0).arrive_drawing(policy, at(0.0), &packet(0.1, f32::INFINITY), 0.5);
        }
        let now = policy.due;
        let mut rig = Rig::waiting(waiting);
        policy.on_deadline(now, &mut QueueView::new(&mut rig.fifo, &mut rig.events, true));
    }

    #[test]
    fn the_rate_follows_the_spare_capacity_and_the_queue() {
        let mut policy = policy(&[("initial_rtt", "100ms")]);
        assert_eq!(policy.next_deadline(), Some(at(0.01)));
        assert!(near(policy.rate, 62_500.0), "a twentieth");
        // No traffic: 1 + 0.1 * 0.4.
        interval(&mut policy, 0, 0);
        assert!(near(policy.rate, 62_500.0 * 1.04), "{}", policy.rate);
        // 10 packets in 10 ms are 1 000 000 bytes/s of 1 250 000, and 5 packets wait: alpha 250 000 - beta 50 000 = 80 000 over C.
        interval(&mut policy, 10, 5);
        assert!(near(policy.rate, 65_000.0 * (1.0 + 0.1 * 0.064)), "{}", policy.rate);
        // A queue takes back: 12.5 packets fill the link; 25 wait: - beta 250 000 / C.
        let before = policy.rate;
        interval(&mut policy, 12, 25);
        assert!(near(policy.rate, before * (1.0 + 0.1 * (0.4 * 50_000.0 - 100_000.0) / 1_250_000.0)));
    }

    #[test]
    fn the_law_is_drawn() {
        let graph = draw_law(&args(&ENTRY, None, &[]), &LinkContext::default()).expect("defaults");
        let at = |curve: usize, load: f64| {
            let points = &graph.curves[curve].points;
            points.iter().find(|(x, _)| (x - load).abs() < 1e-9).map_or(f64::NAN, |(_, change)| *change)
        };
        // alpha times the spare capacity, less beta times the queue over the path's capacity: 0.4 and 0.4.
        for (curve, load, change) in
            [(0, 0.0, 40.0), (0, 100.0, 0.0), (0, 150.0, -20.0), (1, 50.0, 0.0), (2, 100.0, -40.0)]
        {
            assert!((at(curve, load) - change).abs() < 1e-9, "{curve} {load}: {}", at(curve, load));
        }
    }

    #[test]
    fn the_rate_stays_between_its_bounds() {
        let mut policy = policy(&[("initial_rtt", "100ms"), ("interval", "100ms"), ("initial_rate", "90%")]);
        interval(&mut policy, 0, 0);
        assert!(near(policy.rate, 1_250_000.0), "no more than the link");
        for _ in 0..40 {
            interval(&mut policy, 500, 500);
        }
        // A hundredth of a packet in 100 ms.
        assert!(near(policy.rate, 100.0), "{}", policy.rate);
    }

    #[test]
    fn a_header_takes_the_least_rate_on_its_way() {
        let mut policy = policy(&[]);
        let mut written = |asked| {
            let mut sent = packet(0.1, asked);
            policy.on_transmission(at(0.0), &mut sent, Backlog { packets: 5, bytes: 5000 });
            match sent.body {
                Body::Data { header: Some(Header::Rcp(header)), .. } => header.rate,
                _ => unreachable!("it had one"),
            }
        };
        assert!(near(written(f32::INFINITY).into(), 62_500.0));
        assert!(near(written(1000.0).into(), 1000.0), "another router allowed less");
    }

    #[test]
    fn traffic_without_the_header_counts_and_is_left_alone() {
        let mut policy = policy(&[("initial_rtt", "100ms")]);
        let plain = Packet::datagram(FlowId(0), 0, 1000);
        for _ in 0..10 {
            Rig::waiting(0).arrive_drawing(&mut policy, at(0.0), &plain, 0.5);
        }
        interval(&mut policy, 0, 0);
        assert!(near(policy.rate, 62_500.0 * (1.0 + 0.1 * 0.4 * 0.2)));
        assert!(near(policy.rtt, 0.1));
        let mut sent = plain;
        policy.on_transmission(at(0.0), &mut sent, Backlog { packets: 0, bytes: 0 });
        assert_eq!(sent, plain);
    }

    #[test]
    fn the_mean_round_trip_rises_faster_than_it_falls() {
        // From 50 ms towards 100 ms by 10 / 50; from 200 ms by 10 / 200 times R / C = 0.05 times 100 / 200.
        let mut rises = policy(&[("initial_rtt", "50ms")]);
        interval(&mut rises, 10, 0);
        assert!((rises.rtt - 0.06).abs() < 1e-6, "{}", rises.rtt);
        let mut falls = policy(&[]);
        interval(&mut falls, 10, 0);
        assert!((falls.rtt - (0.2 - 0.1 * 0.05 * 0.05 * 0.5)).abs() < 1e-6, "{}", falls.rtt);
    }

    #[test]
    fn as_the_authors_write_it_the_last_round_trips_count_again() {
        let mut policy = policy(&[("initial_rtt", "50ms"), ("silence", "repeats")]);
        // Before any is told there is nothing to repeat.
        interval(&mut policy, 0, 0);
        assert!((policy.rtt - 0.05).abs() < 1e-9, "{}", policy.rtt);
        interval(&mut policy, 10, 0);
        interval(&mut policy, 0, 0);
        // From 50 ms to 60 by 10 / 50, and on towards 100 by 10 / 60.
        assert!((policy.rtt - (0.06 + 0.04 / 6.0)).abs() < 1e-6, "{}", policy.rtt);
    }

    #[test]
    fn an_interval_without_round_trips_leaves_the_mean() {
        let mut policy = policy(&[("initial_rtt", "50ms")]);
        interval(&mut policy, 10, 0);
        interval(&mut policy, 0, 0);
        assert!((policy.rtt - 0.06).abs() < 1e-6, "{}", policy.rtt);
    }
}
