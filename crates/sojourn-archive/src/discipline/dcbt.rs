//! DCBT with ChIPS: RED for TCP; datagrams of a class, tagged (multimedia) and other, are dropped while the average of their backlog is
//! above their fair part of RED's average, by the numbers of active flows. Tagged packets may go first where others take more.
//! Specification: Chung and Claypool, "Dynamic-CBT and ChIPS - Router Support for Improved Multimedia Performance on the Internet", ACM
//! Multimedia 2000 [Chu00], whose abstract was available, and Phirke 2002, section 2.3: "DCBT with ChIPs extends CBT by providing dynamic
//! thresholds for classes and lower jitter for multimedia traffic". Points that these leave open are ours. Compared with: no module in ns-2
//! 2.35; [`cbt_red`](crate::aqm::cbt_red) has fixed thresholds.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | The fair part of a class is RED's average times its active flows over all | [Chu00]: "adaptive to mix of flows"; its formula was not available | `a_class_has_the_part_of_its_flows` |
//! | Active flows are the bits that were set in the last period, of a bit for each hash; before the first period ends, in the present one | ours; the key of the hash is drawn | `flows_are_counted_anew_in_each_period` |
//! | Thresholds hold from RED's `min_th` on | below there is no congestion | `without_congestion_nothing_is_dropped` |
//! | A tagged packet that comes while RED's average is at least `min_th` and its class is below its fair part goes before all that have not cut in; those that have keep their order | [Chu00]: an alternative to FIFO; "without degrading fairness" | `tagged_packets_cut_in_where_others_take_more` |
//! | The queue is given the tagged flows | packets carry no tag here | - |

use std::collections::VecDeque;

use sojourn_queues::aqm::red::{Average, Red, Settings};
use sojourn_queues::mechanism::hash::bucket;
use sojourn_queues::packet::{Body, FlowId};
use sojourn_queues::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "dcbt",
    title: "DCBT with ChIPS (dynamic class-based thresholds, cut-in packet scheduling)",
    doc: "RED for TCP, and a fair part of the queue for each class of datagrams. How much a class may have waiting follows from \
          its number of flows; tagged packets may cut in.",
    reference: "Chung and Claypool 2000",
    decides: "It decides by averages: a datagram is dropped while the average backlog of its class is above the class's fair part of \
              RED's average. RED decides about TCP's packets; its page draws its law.",
    reorders: true,
    probes: &[
        Probe::new("avg_tagged", Probe::SIZE, Probe::UP, "moving average of the backlog of tagged datagrams"),
        Probe::new("avg_other", Probe::SIZE, Probe::UP, "moving average of the backlog of other datagrams"),
        Probe::new(
            "fair_tagged",
            Probe::SIZE,
            Probe::UP,
            "part of the average queue that is fair for the tagged flows",
        ),
        Probe::new(
            "fair_other",
            Probe::SIZE,
            Probe::UP,
            "part of the average queue that is fair for the other flows of datagrams",
        ),
    ],
    ..QueueEntry::of_discipline::<Params>(build)
};

params! {
    /// Parameters of DCBT; RED's are for TCP and for the average of all.
    pub struct Params {
        ..red: Settings;
        /// Numbers of the flows whose datagrams are tagged, in the order of the scenario from 0.
        tagged_flows: Numbers = "[]" in [0.0, 4e9], "the scenario's";
        /// Whether tagged packets may cut in (ChIPS).
        cut_in: bool = "true", "[Chu00]", when tagged_flows not in ["[]"];
        /// Weight of an arrival in the average of its class.
        class_weight: Fraction = "0.02" in [1e-6, 1.0], "ours: tenfold w_q of 1993, for classes see fewer packets";
        /// Time in which active flows are counted.
        period: Duration = "1s" in [1e-3, 1e4], "ours: several round trips";
        /// Bits by which the flows of a class are counted.
        bits: u64 = "4096" in [64.0, 1e6], "ours: more than flows";
    }
}

const TCP: usize = 0;
const TAGGED: usize = 1;
const OTHER: usize = 2;

fn build(args: &Args, link: &LinkContext) -> Result<Box<dyn QueueDiscipline>, BuildError> {
    Ok(Box::new(dcbt(&args.typed(), link)?))
}

fn dcbt(params: &Params, link: &LinkContext) -> Result<Dcbt, BuildError> {
    let settings = &params.red;
    let mut tagged_flows: Vec<u32> = params.tagged_flows.0.iter().map(|number| *number as u32).collect();
    tagged_flows.sort_unstable();
    let class = || Class {
        average: Average::new(params.class_weight.0, settings.idle_decay, link.packets_per_sec()),
        waiting: Backlog::default(),
        flows: Flows::new(params.bits),
    };
    Ok(Dcbt {
        red: settings.build(link)?,
        limit: settings.limit(link),
        classes: [class(), class(), class()],
        tagged_flows,
        cut_in: params.cut_in,
        period: params.period,
        ends: Instant::ZERO + params.period,
        key: None,
        first: VecDeque::new(),
        rest: VecDeque::new(),
        backlog: Backlog::default(),
    })
}

/// How many flows of a class were active.
#[derive(Clone, Debug)]
struct Flows {
    bits: Vec<bool>,
    /// Bits that are set.
    present: u64,
    /// Those that were, in the last period; `None` in the first.
    last: Option<u64>,
}

impl Flows {
    fn new(bits: u64) -> Self {
        Flows { bits: vec![false; bits as usize], present: 0, last: None }
    }

    fn see(&mut self, flow: FlowId, key: u64) {
        let place = bucket(flow, key, self.bits.len());
        self.present += u64::from(!self.bits[place]);
        self.bits[place] = true;
    }

    fn active(&self) -> u64 {
        self.last.unwrap_or(self.present)
    }

    fn end_period(&mut self) {
        self.last = Some(self.present);
        self.present = 0;
        self.bits.fill(false);
    }
}

/// A class of packets.
#[derive(Clone, Debug)]
struct Class {
    average: Average,
    waiting: Backlog,
    flows: Flows,
}

/// The discipline.
#[derive(Clone, Debug)]
pub struct Dcbt {
    red: Red,
    limit: Limit,
    classes: [Class; 3],
    /// Sorted.
    tagged_flows: Vec<u32>,
    cut_in: bool,
    period: Duration,
    ends: Instant,
    /// Makes the hash differ; drawn at the first arrival.
    key: Option<u64>,
    /// Tagged packets that have cut in.
    first: VecDeque<Packet>,
    rest: VecDeque<Packet>,
    backlog: Backlog,
}

/// `average n / N`: the part of a class of n flows among N.
fn fair_part(average: f64, flows: u64, all: u64) -> f64 {
    average * flows as f64 / all.max(1) as f64
}

impl Dcbt {
    fn class(&self, packet: &Packet) -> usize {
        match packet.body {
            Body::Data { .. } | Body::Ack { .. } => TCP,
            Body::Seen(seen) if seen.acknowledgement().is_some() => TCP,
            _ if self.tagged_flows.binary_search(&packet.flow.0).is_ok() => TAGGED,
            _ => OTHER,
        }
    }

    /// Moves the averages and counts the flow.
    fn observe(&mut self, now: Instant, packet: &Packet, class: usize, cx: &mut Context) {
        let key = *self.key.get_or_insert_with(|| cx.rng.below(1 << 53));
        self.classes[class].flows.see(packet.flow, key);
        self.red.observe(now, self.backlog);
        for (other, own) in self.classes.iter_mut().enumerate() {
            if other == class {
                let waiting = self.red.measure(own.waiting);
                own.average.on_arrival(now, waiting);
            } else {
                own.average.on_other(now);
            }
        }
    }

    /// The part of RED's average that is fair for a class.
    fn fair(&self, class: usize) -> f64 {
        let all = self.classes.iter().map(|one| one.flows.active()).sum();
        fair_part(self.red.average.value(), self.classes[class].flows.active(), all)
    }

    fn is_congested(&self) -> bool {
        self.red.average.value() >= self.red.curve.min_th
    }

    fn decide(&mut self, packet: &Packet, class: usize, cx: &mut Context) -> Verdict {
        if class == TCP {
            return self.red.decide(packet, self.backlog, &mut cx.rng);
        }
        let takes_more = self.classes[class].average.value() > self.fair(class);
        if self.is_congested() && takes_more { Verdict::Drop(Reason::UNFAIR) } else { Verdict::Pass }
    }
}

impl QueueDiscipline for Dcbt {
    fn enqueue(&mut self, now: Instant, mut packet: Packet, cx: &mut Context) {
        let class = self.class(&packet);
        self.observe(now, &packet, class, cx);
        let verdict = self.decide(&packet, class, cx);
        if let Verdict::Drop(reason) = verdict {
            cx.events.drop(now, packet, reason);
            return;
        }
        if !self.limit.admits(self.backlog, &packet) {
            self.red.overflow();
            cx.events.drop(now, packet, Reason::OVERFLOW);
            return;
        }
        if let Verdict::Mark(reason) = verdict {
            cx.events.mark(now, &mut packet, reason);
        }
        packet.enqueued_at = now;
        for backlog in [&mut self.backlog, &mut self.classes[class].waiting] {
            backlog.packets += 1;
            backlog.bytes += u64::from(packet.size);
        }
        let takes_less = self.classes[class].average.value() < self.fair(class);
        let cuts_in = self.cut_in && class == TAGGED && self.is_congested() && takes_less;
        if cuts_in { self.first.push_back(packet) } else { self.rest.push_back(packet) }
    }

    fn dequeue(&mut self, now: Instant, _cx: &mut Context) -> Option<Packet> {
        let Some(packet) = self.first.pop_front().or_else(|| self.rest.pop_front()) else {
            self.red.link_idle(now);
            self.classes.iter_mut().for_each(|class| class.average.on_idle(now));
            return None;
        };
        let class = self.class(&packet);
        for backlog in [&mut self.backlog, &mut self.classes[class].waiting] {
            backlog.packets -= 1;
            backlog.bytes -= u64::from(packet.size);
        }
        Some(packet)
    }

    fn next_deadline(&self) -> Option<Instant> {
        Some(self.ends)
    }

    fn on_deadline(&mut self, now: Instant, _cx: &mut Context) {
        while self.ends <= now {
            self.classes.iter_mut().for_each(|class| class.flows.end_period());
            self.ends += self.period;
        }
    }

    fn backlog(&self) -> Backlog {
        self.backlog
    }

    fn limit(&self) -> Limit {
        self.limit
    }

    probes! { |self|
        "avg" => self.red.average.value(),
        "avg_tagged" => self.classes[TAGGED].average.value(),
        "avg_other" => self.classes[OTHER].average.value(),
        "fair_tagged" => self.fair(TAGGED),
        "fair_other" => self.fair(OTHER),
        "p_b" => self.red.last_p_b(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_queues::rig::{args, at, near, segment};

    /// Averages are the backlogs that the last packet found; congestion from 4 packets on; flow 1 is tagged, RED drops no TCP.
    struct Router {
        queue: Dcbt,
        cx: Context,
    }

    fn datagram(flow: u32) -> Packet {
        Packet::datagram(FlowId(flow), 0, 1000)
    }

    impl Router {
        fn new(settings: &[(&str, &str)]) -> Self {
            let mut all =
                vec![("w_q", "1"), ("class_weight", "1"), ("min_th", "4p"), ("max_th", "90p"), ("max_p", "0")];
            all.extend([("limit", "100p"), ("tagged_flows", "[1]")]);
            all.extend(settings);
            let params: Params = args(&ENTRY, None, &all).typed();
            let queue = dcbt(&params, &LinkContext::default()).expect("valid parameters");
            Router { queue, cx: Context::new(Rng::named(1, "dcbt")) }
        }

        /// The number of admitted packets when `packet` arrives `times` times.
        fn arrive(&mut self, packet: Packet, times: usize) -> u64 {
            let before = self.queue.backlog.packets;
            (0..times).for_each(|_| self.queue.enqueue(at(0.0), packet, &mut self.cx));
            self.queue.backlog.packets - before
        }

        fn leaves(&mut self) -> Option<u32> {
            self.queue.dequeue(at(0.0), &mut self.cx).map(|packet| packet.flow.0)
        }
    }

    #[test]
    fn without_congestion_nothing_is_dropped() {
        let mut router = Router::new(&[]);

        assert_eq!(router.arrive(datagram(7), 4), 4, "the last found 3");
    }

    #[test]
    fn a_class_has_the_part_of_its_flows() {
        // Nine TCP flows and one other: of q packets q / 10 are the other class's.
        let mut router = Router::new(&[]);
        for flow in 10..19 {
            router.arrive(segment(flow, None), 3);
        }
        // 27 wait: 2.7, 2.8, 2.9 and 3 are fair for packets that find 0, 1, 2 and 3 of their class. The next finds 4 of 31.
        assert_eq!(router.arrive(datagram(7), 10), 4);
        assert!(near(router.queue.probe(4), 3.1), "{}", router.queue.probe(4));

        // With another flow in the class its part is 2 of 11.
        assert_eq!(router.arrive(datagram(8), 1), 1, "31 * 2 / 11 is 5.6");
    }

    #[test]
    fn tcp_is_reds() {
        let mut router = Router::new(&[("max_th", "10p"), ("above", "strict")]);

        assert_eq!(router.arrive(segment(10, None), 20), 10);
        assert!(router.cx.events.as_slice().iter().all(|event| event.what.reason() == Reason::FORCED));
    }

    #[test]
    fn tagged_packets_cut_in_where_others_take_more() {
        for (cut_in, order) in [("true", [1, 1, 10]), ("false", [10, 10, 10])] {
            let mut router = Router::new(&[("cut_in", cut_in)]);
            router.arrive(segment(10, None), 8);
            // A half of 8 is fair for one of two flows.
            router.arrive(datagram(1), 2);
            assert_eq!([(); 3].map(|()| router.leaves()), order.map(Some), "{cut_in}");
        }
    }

    #[test]
    fn what_has_cut_in_keeps_its_order() {
        let mut router = Router::new(&[]);
        router.arrive(segment(10, None), 8);
        for seq in 0..3 {
            router.arrive(Packet::datagram(FlowId(1), seq, 1000), 1);
        }

        let mut seq = || match router.queue.dequeue(at(0.0), &mut router.cx).map(|packet| packet.body) {
            Some(Body::Datagram { seq, .. }) => Some(seq),
            _ => None,
        };
        assert_eq!([seq(), seq(), seq(), seq()], [Some(0), Some(1), Some(2), None]);
    }

    #[test]
    fn without_congestion_nobody_cuts_in() {
        let mut router = Router::new(&[]);
        router.arrive(segment(10, None), 2);
        router.arrive(datagram(1), 1);

        assert_eq!([(); 3].map(|()| router.leaves()), [Some(10), Some(10), Some(1)]);
    }

    #[test]
    fn flows_are_counted_anew_in_each_period() {
        let mut router = Router::new(&[]);
        for flow in 10..15 {
            router.arrive(segment(flow, None), 2);
        }
        assert_eq!(router.queue.classes[TCP].flows.active(), 5, "two packets of each are one flow");

        router.queue.on_deadline(at(1.0), &mut router.cx);
        router.arrive(segment(10, None), 1);
        assert_eq!(router.queue.classes[TCP].flows.active(), 5, "those of the last period");

        router.queue.on_deadline(at(2.0), &mut router.cx);
        assert_eq!(router.queue.classes[TCP].flows.active(), 1);
    }

    #[test]
    fn a_class_without_flows_has_no_part() {
        assert!(
            near(fair_part(30.0, 0, 5), 0.0) && near(fair_part(30.0, 2, 5), 12.0) && near(fair_part(0.0, 0, 0), 0.0)
        );
    }
}
