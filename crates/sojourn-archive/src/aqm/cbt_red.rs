//! RED with class-based thresholds: RED for TCP by the TCP packets that wait, and a threshold for each class of UDP, tagged (multimedia)
//! and other, on the average of its own packets. Specification: [Par99] Parris, Jeffay and Smith, "Lightweight Active Router-Queue
//! Management for Multimedia Networking", MMCN 1999, as [Tah13] Tahiliani 2013, section 2.1, and Alemu 2004, section 1.4.1, describe it.
//! Compared with: a second implementation in `tests/implementations`; no module in ns-2 2.35.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | The queue is given the numbers of the tagged flows (`tagged_flows`); [Par99] tags packets at the source | packets carry no tag here | `each_class_has_its_threshold` |
//! | TCP goes by the average of TCP packets, or of all if asked (`tcp_average`) | [Par99]'s aim is that UDP does not push TCP out; the theses do not say | `tcp_may_go_by_all_that_waits` |
//! | The thresholds of UDP are ours | the theses give no values | |
//! | Every class's average decays while the link is idle, until a packet of any class comes, as RED's | the theses do not say; RED's rule is about the link | `a_packet_of_any_class_ends_the_idle_time` |
//! | Packets that are neither TCP nor plain datagrams (TFRC, parity) are UDP | they are sent over UDP | `what_is_not_tcp_is_udp` |

use sojourn_queues::aqm::red::{Average, Red, Settings};
use sojourn_queues::mechanism::class_accounts::ClassAccounts;
use sojourn_queues::packet::Body;
use sojourn_queues::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "cbt_red",
    title: "CBT-RED (class-based thresholds)",
    doc: "RED for TCP, and a threshold for each class of datagrams. RED decides about TCP's packets by the TCP packets that wait. \
          Datagrams, tagged or other, are dropped while the average backlog of their class is above its threshold.",
    reference: "Parris, Jeffay and Smith 1999",
    presets: presets! {
        /// Parris, Jeffay and Smith 1999 over RED of 1993; thresholds of the classes are ours.
        paper = { above = "strict", count = "on", w_q = "0.002", tcp_average = "tcp" };
    },
    law: Some(draw_law),
    probes: &[
        Probe::new("avg_tagged", Probe::SIZE, Probe::UP, "moving average of the backlog of tagged datagrams"),
        Probe::new("avg_other", Probe::SIZE, Probe::UP, "moving average of the backlog of other datagrams"),
    ],
    ..QueueEntry::of_policy::<Params>()
};

params! {
    /// Parameters of CBT-RED; RED's are for TCP.
    pub struct Params {
        ..red: Settings;
        /// Numbers of the flows whose datagrams are tagged, in the order of the scenario from 0.
        tagged_flows: Numbers = "[]" in [0.0, 4e9], "the scenario's";
        /// Average of tagged datagrams above which they are dropped.
        tagged_th: Size = "10p" in [0.0, 1e12], "ours: as much as the rate for multimedia times the delay aimed at";
        /// Average of other datagrams above which they are dropped.
        other_th: Size = "2p" in [0.0, 1e12], "ours: well below tagged_th";
        /// Which packets count in RED's average.
        tcp_average: TcpAverage = "tcp", "[Par99]'s aim; the theses do not say";
    }
}

choices! {
    /// The packets of RED's average for TCP.
    pub enum TcpAverage {
        /// TCP packets.
        Tcp = "tcp",
        /// All packets.
        All = "all",
    }
}

const TCP: Tag = 0;
const TAGGED: Tag = 1;
const OTHER: Tag = 2;

/// The average of a class of datagrams, and from where on they are dropped.
#[derive(Clone, Debug)]
struct Threshold {
    average: Average,
    threshold: f64,
}

#[derive(Clone, Debug)]
pub struct CbtRed {
    red: Red,
    tagged: Threshold,
    other: Threshold,
    /// Sorted.
    tagged_flows: Vec<u32>,
    tcp_average: TcpAverage,
    waiting: ClassAccounts<3>,
}

impl PolicyParams for Params {
    type Policy = CbtRed;

    fn policy(&self, link: &LinkContext) -> Result<CbtRed, BuildError> {
        let settings = &self.red;
        let threshold = |size: Size| Threshold {
            average: Average::new(settings.weight(link), settings.idle_decay, link.packets_per_sec()),
            threshold: settings.amount(size, link),
        };
        let mut tagged_flows: Vec<u32> = self.tagged_flows.0.iter().map(|number| *number as u32).collect();
        tagged_flows.sort_unstable();
        Ok(CbtRed {
            red: settings.build(link)?,
            tagged: threshold(self.tagged_th),
            other: threshold(self.other_th),
            tagged_flows,
            tcp_average: self.tcp_average,
            waiting: ClassAccounts::default(),
        })
    }

    fn limit(&self, link: &LinkContext) -> Limit {
        self.red.limit(link)
    }
}

impl CbtRed {
    fn class(&self, packet: &Packet) -> Tag {
        match packet.body {
            Body::Data { .. } | Body::Ack { .. } => TCP,
            Body::Seen(seen) if seen.acknowledgement().is_some() => TCP,
            _ if self.tagged_flows.binary_search(&packet.flow.0).is_ok() => TAGGED,
            _ => OTHER,
        }
    }

    /// A packet of this class has come: the link is idle no more for the averages of the others either.
    fn wake_others(&mut self, now: Instant, came: Tag) {
        for (class, average) in
            [(TCP, &mut self.red.average), (TAGGED, &mut self.tagged.average), (OTHER, &mut self.other.average)]
        {
            if class != came && (class != TCP || self.tcp_average == TcpAverage::Tcp) {
                average.on_other(now);
            }
        }
    }
}

/// Whether datagrams of a class are dropped at this average ([Tah13] section 2.1).
fn is_over(average: f64, threshold: f64) -> bool {
    average > threshold
}

fn draw_law(args: &Args, link: &LinkContext) -> Result<Graph, BuildError> {
    let CbtRed { red, tagged, other, .. } = args.typed::<Params>().policy(link)?;
    let graph = Graph { curves: Vec::new(), ..red.graph().about("Each class goes by the average of its own packets.") };
    let all = |class: &Threshold, average: f64| f64::from(is_over(average, class.threshold));
    let range = (0.0, 2.0 * red.curve.max_th);
    Ok(red.join(graph, "TCP").curve("tagged", range, &[tagged.threshold], |average| all(&tagged, average)).curve(
        "other",
        range,
        &[other.threshold],
        |average| all(&other, average),
    ))
}

impl Policy for CbtRed {
    fn on_arrival(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        let class = self.class(packet);
        queue.leave(class);
        let of_class = self.waiting.backlog(class);
        self.wake_others(now, class);
        if class == TCP {
            let counted = if self.tcp_average == TcpAverage::Tcp { of_class } else { queue.backlog() };
            self.red.observe(now, counted);
            return self.red.decide(packet, counted, rng);
        }
        if self.tcp_average == TcpAverage::All {
            self.red.observe(now, queue.backlog());
        }
        let waiting = self.red.measure(of_class);
        let held = if class == TAGGED { &mut self.tagged } else { &mut self.other };
        held.average.on_arrival(now, waiting);
        if is_over(held.average.value(), held.threshold) { Verdict::Drop(Reason::UNFAIR) } else { Verdict::Pass }
    }

    fn on_enqueued(&mut self, _now: Instant, packet: &Packet, queue: &mut QueueView<'_>) {
        self.waiting.joined(queue.tag(), packet);
    }

    fn on_departure(&mut self, _now: Instant, packet: &Packet, queue: &mut QueueView<'_>, _rng: &mut Rng) -> Verdict {
        self.waiting.left(queue.tag(), packet);
        Verdict::Pass
    }

    fn on_idle(&mut self, now: Instant) {
        self.red.link_idle(now);
        self.tagged.average.on_idle(now);
        self.other.average.on_idle(now);
    }

    fn on_drop(&mut self, _now: Instant, packet: &Packet, dropped: Dropped, queue: &mut QueueView<'_>) {
        if dropped.is_overflow() && queue.tag() == TCP {
            self.red.overflow();
        }
        if dropped.from_queue() {
            self.waiting.left(queue.tag(), packet);
        }
    }

    probes! { |self|
        "avg" => self.red.average.value(),
        "p_b" => self.red.last_p_b(),
        "avg_tagged" => self.tagged.average.value(),
        "avg_other" => self.other.average.value(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_queues::packet::FlowId;
    use sojourn_queues::queue::{Context, Managed};
    use sojourn_queues::rig::{Rig, at, policy_of, segment};

    /// A router with thresholds 8 and 16 for TCP, 3 for flow 1 (tagged), 1 for other datagrams; averages are those that the last packet
    /// found.
    struct Router {
        queue: Managed<CbtRed>,
        cx: Context,
    }

    fn datagram(flow: u32) -> Packet {
        Packet::datagram(FlowId(flow), 0, 1000)
    }

    fn cbt(settings: &[(&str, &str)]) -> CbtRed {
        let mut all = vec![("min_th", "8p"), ("max_th", "16p"), ("w_q", "1"), ("max_p", "0")];
        all.extend([("tagged_flows", "[1]"), ("tagged_th", "3p"), ("other_th", "1p")]);
        all.extend(settings);
        policy_of::<Params>(&ENTRY, Some("paper"), &all)
    }

    impl Router {
        fn new(settings: &[(&str, &str)]) -> Self {
            Router { queue: Managed::new(cbt(settings), Limit::packets(100)), cx: Context::new(Rng::named(1, "cbt")) }
        }

        /// The number of admitted packets when `packet` arrives `times` times.
        fn arrive(&mut self, packet: Packet, times: usize) -> usize {
            let before = self.queue.backlog().packets;
            for _ in 0..times {
                self.queue.enqueue(at(0.0), packet, &mut self.cx);
            }
            (self.queue.backlog().packets - before) as usize
        }
    }

    #[test]
    fn each_class_has_its_threshold() {
        let mut router = Router::new(&[]);

        // A packet that finds as many as the threshold is admitted, one that finds more is not.
        assert_eq!(router.arrive(datagram(1), 10), 4);
        assert_eq!(router.arrive(datagram(2), 5), 2);
        assert_eq!(router.arrive(datagram(3), 5), 0, "other flows share one class");
        // TCP: until the average of TCP packets is 16.
        assert_eq!(router.arrive(segment(0, None), 30), 16);
        let reasons: Vec<Reason> = router.cx.events.as_slice().iter().map(|event| event.what.reason()).collect();
        assert_eq!(reasons.iter().filter(|reason| **reason == Reason::UNFAIR).count(), 6 + 3 + 5);
        assert_eq!(reasons.iter().filter(|reason| **reason == Reason::FORCED).count(), 14);
    }

    #[test]
    fn what_has_left_makes_room_in_its_class() {
        let mut router = Router::new(&[]);
        router.arrive(datagram(2), 2);
        router.arrive(datagram(1), 4);

        router.queue.dequeue(at(0.0), &mut router.cx);

        assert_eq!(router.arrive(datagram(1), 1), 0);
        assert_eq!(router.arrive(datagram(2), 2), 1);
    }

    #[test]
    fn tcp_may_go_by_all_that_waits() {
        for (average, admitted) in [("tcp", 16), ("all", 10)] {
            let mut router = Router::new(&[("tcp_average", average), ("tagged_th", "5p")]);
            assert_eq!(router.arrive(datagram(1), 6), 6);
            assert_eq!(router.arrive(segment(0, None), 30), admitted, "{average}");
        }
    }

    #[test]
    fn a_packet_of_any_class_ends_the_idle_time() {
        // The link is idle for the time of two packets; then others' datagrams keep it busy for that of eight.
        let mut cbt = cbt(&[("w_q", "0.5"), ("tagged_th", "20p"), ("idle_decay", "ns2")]);
        let packet = 1.0 / LinkContext::default().packets_per_sec();
        cbt.tagged.average.set(8.0);
        cbt.red.average.set(4.0);
        cbt.on_idle(at(0.0));
        let mut rig = Rig::waiting(0);

        rig.arrive_drawing(&mut cbt, at(2.0001 * packet), &datagram(2), 1.0);
        rig.arrive_drawing(&mut cbt, at(10.0001 * packet), &datagram(1), 1.0);
        rig.arrive_drawing(&mut cbt, at(10.0001 * packet), &segment(0, None), 1.0);

        // 8 / 4, and half of that with none of its class waiting; 4 / 4 and half of that.
        assert!((cbt.probe(2) - 1.0).abs() < 1e-9, "{}", cbt.probe(2));
        assert!((cbt.probe(0) - 0.5).abs() < 1e-9, "{}", cbt.probe(0));
    }

    #[test]
    fn what_is_not_tcp_is_udp() {
        let router = Router::new(&[]);
        let cbt = router.queue.policy();
        let tfrc = Body::TfrcData { seq: 0, sent_at: at(0.0), rtt: None };

        assert_eq!(cbt.class(&segment(0, None)), TCP);
        assert_eq!(cbt.class(&datagram(0)), OTHER);
        assert_eq!(cbt.class(&Packet { body: tfrc, ..datagram(1) }), TAGGED);
        assert_eq!(cbt.class(&Packet { flow: FlowId(1), ..segment(0, None) }), TCP);
    }
}
