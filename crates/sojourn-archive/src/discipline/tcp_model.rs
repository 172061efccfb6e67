//! Identification by TCP's model: a flow that arrives faster than a TCP would under the same losses is put into a penalty class, a queue of
//! its own with a small part of the link. Specification: [Flo99] Floyd and Fall, "Promoting the Use of End-to-End Congestion Control in the
//! Internet", IEEE/ACM ToN 7(4), 1999, as [Cha04] Chatranon, dissertation, University of Pittsburgh 2004, section 2.2.3.1, equation 2.10,
//! describes it; rates from RED's drops as it says there, after Floyd, Fall and Tieu, "Estimating Arrival Rates from the RED Packet
//! Drop History", 1998. Compared with: no module in ns-2 2.35.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | Flows are looked at in fixed intervals; the note of 1998 does so after a number of drops | a class without drops must be emptied too | `a_flow_is_released_when_it_sends_less` |
//! | The rate of a penalized flow is measured | packets in a class of their own are counted there | - |
//! | The penalty class is one queue for all; it may send its part, and the others' unused part (CBQ's borrowing) | [Cha04]: "a queue for unresponsive traffic" | `the_penalty_class_has_its_part_and_what_is_left` |
//! | A flow needs three drops in an interval to be judged | ours: one drop is no estimate of a rate | `a_few_drops_are_no_estimate` |
//!
//! // Bound: flows in the penalty class (`penalized_most`); records within an interval are at most as many as its drops.

use std::collections::{BTreeMap, VecDeque};

use sojourn_queues::aqm::red::{Red, Settings};
use sojourn_queues::packet::FlowId;
use sojourn_queues::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "tcp_model",
    title: "TCP-model identification with a penalty class",
    doc: "RED with a penalty class for flows that send more than a TCP would. Flows that arrive faster than a TCP under the same \
          losses are put into a class with a small part of the link.",
    reference: "Floyd and Fall 1999, Chatranon 2004 section 2.2.3.1",
    decides: "Rates decide the class of a packet: a formula of TCP's throughput gives the rate that its flow may have at its losses. RED \
              decides about packets outside of the penalty class; its page draws its law.",
    reorders: true,
    probes: &[
        Probe::new("penalized_flows", "flows", Probe::UP, "flows in the penalty class"),
        Probe::new("packets_penalty", "packets", Probe::UP, "packets that wait in the penalty class"),
    ],
    ..QueueEntry::of_discipline::<Params>(build)
};

params! {
    pub struct Params {
        ..red: Settings;
        /// Round-trip time of the model. Automatic: that of the flows without queues.
        rtt: Option<Duration> = "auto" in [1e-6, 1e3], "[Cha04]: a router does not know it; ours: that of the scenario";
        /// Packets of the model. Automatic: the mean packet.
        packet: Option<Bytes> = "auto" in [1.0, 1e6], "[Flo99]: the largest packet; ours: that of the scenario";
        /// Time between two looks at flows.
        interval: Duration = "2s" in [1e-3, 1e4], "ours: some hundred round trips at most";
        /// Part of the link that the penalty class has.
        penalty_share: Fraction = "0.05" in [0.0, 1.0], "ours: [Cha04] leaves it to the operator";
        /// Packets that may wait in the penalty class, within the limit of all.
        penalty_limit: u64 = "10" in [1.0, 1e9], "ours: a fifth of the default buffer";
        /// Flows that may be penalized at one time.
        penalized_most: u64 = "64" in [1.0, 1e6], "ours: a bound of memory";
    }
}

/// Drops in an interval below which a flow is not judged.
const LEAST_DROPS: u64 = 3;

/// `1.5 sqrt(2/3) B / (R sqrt p)` bytes per second: the rate of a TCP ([Cha04] eq. 2.10); infinite without drops.
pub fn tcp_rate(packet: f64, rtt: f64, p: f64) -> f64 {
    if p > 0.0 { 1.5 * (2.0_f64 / 3.0).sqrt() * packet / (rtt * p.sqrt()) } else { f64::INFINITY }
}

fn build(args: &Args, link: &LinkContext) -> Result<Box<dyn QueueDiscipline>, BuildError> {
    let params: Params = args.typed();
    let bytes_per_sec = link.rate.as_bps() as f64 / 8.0;
    let packet = params.packet.unwrap_or(link.mean_packet).0 as f64;
    Ok(Box::new(TcpModel {
        red: params.red.build(link)?,
        limit: params.red.limit(link),
        penalty_limit: params.penalty_limit,
        rtt: params.rtt.unwrap_or(link.base_rtt).as_secs_f64(),
        packet,
        interval: params.interval,
        most: params.penalized_most as usize,
        main: Lane::default(),
        penalty: Lane::default(),
        credit: Credit {
            bytes: 0.0,
            rate: params.penalty_share.0 * bytes_per_sec,
            most: 2.0 * packet,
            at: Instant::ZERO,
        },
        seen: Seen::default(),
        penalized: BTreeMap::new(),
        due: Instant::ZERO + params.interval,
    }))
}

/// Packets in the order in which they came.
#[derive(Clone, Debug, Default)]
struct Lane {
    packets: VecDeque<Packet>,
    bytes: u64,
}

impl Lane {
    fn push(&mut self, now: Instant, mut packet: Packet) {
        packet.enqueued_at = now;
        self.bytes += u64::from(packet.size);
        self.packets.push_back(packet);
    }

    fn pop(&mut self) -> Option<Packet> {
        let packet = self.packets.pop_front()?;
        self.bytes -= u64::from(packet.size);
        Some(packet)
    }

    fn backlog(&self) -> Backlog {
        Backlog { packets: self.packets.len() as u64, bytes: self.bytes }
    }
}

/// The bytes that the penalty class may send now.
#[derive(Clone, Debug)]
struct Credit {
    bytes: f64,
    /// Bytes per second.
    rate: f64,
    most: f64,
    at: Instant,
}

impl Credit {
    fn fill(&mut self, now: Instant) {
        let gained = now.since(self.at).as_secs_f64() * self.rate;
        (self.bytes, self.at) = ((self.bytes + gained).min(self.most), now);
    }
}

/// The events in the main queue in this interval.
#[derive(Clone, Debug, Default)]
struct Seen {
    arrived: Backlog,
    dropped: Backlog,
    /// The drops by flow.
    flows: BTreeMap<FlowId, Backlog>,
}

fn count(backlog: &mut Backlog, packet: &Packet) {
    backlog.packets += 1;
    backlog.bytes += u64::from(packet.size);
}

/// The discipline.
#[derive(Clone, Debug)]
pub struct TcpModel {
    red: Red,
    limit: Limit,
    penalty_limit: u64,
    rtt: f64,
    packet: f64,
    interval: Duration,
    most: usize,
    main: Lane,
    penalty: Lane,
    credit: Credit,
    seen: Seen,
    /// Penalized flows, and the bytes of each that came in this interval.
    penalized: BTreeMap<FlowId, u64>,
    due: Instant,
}

impl TcpModel {
    /// A packet of the main queue was dropped or marked.
    fn lost(&mut self, packet: &Packet) {
        count(&mut self.seen.dropped, packet);
        count(self.seen.flows.entry(packet.flow).or_default(), packet);
    }

    fn enqueue_main(&mut self, now: Instant, mut packet: Packet, cx: &mut Context) {
        count(&mut self.seen.arrived, &packet);
        let backlog = self.main.backlog();
        self.red.observe(now, backlog);
        let verdict = self.red.decide(&packet, backlog, &mut cx.rng);
        if let Verdict::Drop(reason) = verdict {
            self.lost(&packet);
            cx.events.drop(now, packet, reason);
        } else if !self.limit.admits(self.backlog(), &packet) {
            self.red.overflow();
            self.lost(&packet);
            cx.events.drop(now, packet, Reason::OVERFLOW);
        } else {
            if let Verdict::Mark(reason) = verdict {
                self.lost(&packet);
                cx.events.mark(now, &mut packet, reason);
            }
            self.main.push(now, packet);
        }
    }

    /// Judges the flows by the counts of the interval.
    fn look(&mut self) {
        let span = self.interval.as_secs_f64();
        let seen = std::mem::take(&mut self.seen);
        let p = if seen.arrived.packets > 0 { seen.dropped.packets as f64 / seen.arrived.packets as f64 } else { 0.0 };
        let fair = tcp_rate(self.packet, self.rtt, p);
        self.penalized.retain(|_, bytes| {
            let stays = *bytes as f64 / span > fair;
            *bytes = 0;
            stays
        });
        // A flow's part of the drops is its part of the arrivals.
        let rate_of_a_drop = seen.arrived.bytes as f64 / span / (seen.dropped.bytes.max(1)) as f64;
        for (flow, dropped) in seen.flows {
            let is_fast = dropped.bytes as f64 * rate_of_a_drop > fair;
            if is_fast && dropped.packets >= LEAST_DROPS && self.penalized.len() < self.most {
                self.penalized.insert(flow, 0);
            }
        }
    }
}

impl QueueDiscipline for TcpModel {
    fn enqueue(&mut self, now: Instant, packet: Packet, cx: &mut Context) {
        let Some(bytes) = self.penalized.get_mut(&packet.flow) else {
            self.enqueue_main(now, packet, cx);
            return;
        };
        *bytes += u64::from(packet.size);
        if self.penalty.packets.len() as u64 >= self.penalty_limit {
            cx.events.drop(now, packet, Reason::UNFAIR);
        } else if !self.limit.admits(self.backlog(), &packet) {
            cx.events.drop(now, packet, Reason::OVERFLOW);
        } else {
            self.penalty.push(now, packet);
        }
    }

    fn dequeue(&mut self, now: Instant, _cx: &mut Context) -> Option<Packet> {
        self.credit.fill(now);
        if let Some(head) = self.penalty.packets.front() {
            let size = f64::from(head.size);
            let has_credit = self.credit.bytes >= size;
            if has_credit || self.main.packets.is_empty() {
                if has_credit {
                    self.credit.bytes -= size;
                }
                return self.penalty.pop();
            }
        }
        let packet = self.main.pop();
        if packet.is_none() {
            self.red.link_idle(now);
        }
        packet
    }

    fn next_deadline(&self) -> Option<Instant> {
        Some(self.due)
    }

    fn on_deadline(&mut self, now: Instant, _cx: &mut Context) {
        while self.due <= now {
            self.look();
            self.due += self.interval;
        }
    }

    fn backlog(&self) -> Backlog {
        let (main, penalty) = (self.main.backlog(), self.penalty.backlog());
        Backlog { packets: main.packets + penalty.packets, bytes: main.bytes + penalty.bytes }
    }

    fn limit(&self) -> Limit {
        self.limit
    }

    probes! { |self|
        "avg" => self.red.average.value(),
        "p_b" => self.red.last_p_b(),
        "penalized_flows" => self.penalized.len() as f64,
        "packets_penalty" => self.penalty.packets.len() as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_queues::rig::{args, at, near};

    fn of(flow: u32) -> Packet {
        Packet::datagram(FlowId(flow), 0, 1000)
    }

    /// 8 Mbit/s, a round trip of 100 ms; looked at each second; RED drops packets that find 15 waiting, and no others.
    struct Router {
        queue: Box<dyn QueueDiscipline>,
        cx: Context,
    }

    impl Router {
        fn new(settings: &[(&str, &str)]) -> Self {
            let mut all = vec![("w_q", "1"), ("min_th", "5p"), ("max_th", "15p"), ("max_p", "0"), ("above", "strict")];
            all.extend([("interval", "1s"), ("penalty_limit", "4")]);
            all.extend(settings);
            let link = LinkContext { rate: Rate::from_bps(8_000_000), ..LinkContext::default() };
            let queue = build(&args(&ENTRY, None, &all), &link).expect("valid parameters");
            Router { queue, cx: Context::new(Rng::named(1, "test")) }
        }

        /// This many packets of a flow come and find 15 others: all are dropped.
        fn lose(&mut self, flow: u32, packets: usize) {
            while self.queue.backlog().packets < 15 {
                self.queue.enqueue(at(0.0), of(99), &mut self.cx);
            }
            for _ in 0..packets {
                self.queue.enqueue(at(0.0), of(flow), &mut self.cx);
            }
            assert_eq!(self.queue.backlog().packets, 15);
        }

        /// This many packets of a flow come to an empty queue and leave.
        fn pass(&mut self, flow: u32, packets: usize) {
            while self.queue.dequeue(at(0.0), &mut self.cx).is_some() {}
            for _ in 0..packets {
                self.queue.enqueue(at(0.0), of(flow), &mut self.cx);
                assert!(self.queue.dequeue(at(0.0), &mut self.cx).is_some());
            }
        }

        fn look(&mut self, seconds: f64) -> u32 {
            self.queue.on_deadline(at(seconds), &mut self.cx);
            self.queue.probe(2) as u32
        }
    }

    #[test]
    fn the_model_is_that_of_the_equation() {
        // 1.5 sqrt(2/3) = 1.224745: 1000 bytes, 0.1 s and 1 %.
        assert!((tcp_rate(1000.0, 0.1, 0.01) - 122_474.487).abs() < 1e-3);
        assert!(near(tcp_rate(1000.0, 0.1, 0.04), tcp_rate(1000.0, 0.1, 0.01) / 2.0));
        assert!(tcp_rate(1000.0, 0.1, 0.0).is_infinite());
    }

    #[test]
    fn a_flow_faster_than_a_tcp_is_penalized() {
        // 400 packets in the second, 4 % of them lost: a TCP has 61.2 packets. Flow 1 lost 3 of 16, which makes 75; flow 2 lost 13.
        let mut router = Router::new(&[]);
        router.lose(1, 3);
        router.lose(2, 13);
        router.pass(99, 400 - 16 - 15);

        assert_eq!(router.look(1.0), 2);

        let mut fewer = Router::new(&[]);
        fewer.lose(1, 3);
        fewer.lose(2, 22);
        fewer.pass(99, 400 - 25 - 15);
        // 6.25 %: a TCP has 49 packets; flow 1 has 3 / 25 of 400, which is 48.
        assert_eq!(fewer.look(1.0), 1);
    }

    #[test]
    fn a_few_drops_are_no_estimate() {
        for (drops, penalized) in [(2, 0), (3, 1)] {
            let mut router = Router::new(&[]);
            router.lose(1, drops);
            router.pass(99, 400 - 15 - drops);
            assert_eq!(router.look(1.0), penalized, "{drops}");
        }
    }

    #[test]
    fn a_flow_is_released_when_it_sends_less() {
        let mut router = Router::new(&[("penalty_limit", "1000")]);
        router.lose(1, 16);
        router.pass(99, 400 - 31);
        assert_eq!(router.look(1.0), 1);

        // 4 % again, by others: a TCP has 61.2 packets. 62 are too many, 61 are not.
        for (second, other, packets, penalized) in [(2.0, 2, 62, 2), (3.0, 3, 61, 1)] {
            router.lose(other, 16);
            (0..packets).for_each(|_| router.queue.enqueue(at(0.0), of(1), &mut router.cx));
            router.pass(99, 400 - 31);
            assert_eq!(router.look(second), penalized, "with the flow that lost all, at {second}");
        }
    }

    #[test]
    fn without_drops_the_penalty_class_empties() {
        let mut router = Router::new(&[]);
        router.lose(1, 16);
        router.pass(99, 400);
        assert_eq!(router.look(1.0), 1);

        assert_eq!(router.look(2.0), 0);
    }

    #[test]
    fn the_penalty_class_has_its_part_and_what_is_left() {
        // A tenth of 1000 bytes in a millisecond: a packet each 10 ms.
        let mut router = Router::new(&[("penalty_share", "0.1")]);
        router.lose(1, 16);
        router.pass(99, 400);
        router.look(1.0);
        for flow in [1, 1, 1, 1, 1, 2, 2, 2] {
            router.queue.enqueue(at(1.0), of(flow), &mut router.cx);
        }
        assert_eq!(router.queue.backlog().packets, 7, "four may wait in the penalty class");

        // Two packets of credit have gathered since the start; then the others go first, and when they are gone the rest.
        let mut flow =
            |millis: f64| router.queue.dequeue(at(1.0 + millis / 1000.0), &mut router.cx).map(|packet| packet.flow.0);
        assert_eq!([flow(0.0), flow(1.0), flow(2.0), flow(3.0)], [Some(1), Some(1), Some(2), Some(2)]);
        assert_eq!([flow(10.5), flow(11.0), flow(12.0), flow(13.0)], [Some(1), Some(2), Some(1), None]);
    }

    #[test]
    fn the_penalty_class_has_a_bound() {
        let mut router = Router::new(&[("penalized_most", "2")]);
        for flow in 1..=4 {
            router.lose(flow, 10);
        }
        router.pass(99, 400);

        assert_eq!(router.look(1.0), 2);
    }
}
