//! ABE (alternative best effort) by duplicate scheduling with deadlines: green packets wait little or are lost, blue packets leave no
//! later than in one common queue. Specification: Hurley, Kara, Le Boudec and Thiran, "ABE: Providing a Low-Delay Service within Best
//! Effort", IEEE Network 15(3), 2001, and "A Novel Scheduler for a Low Delay Service within Best-Effort", IWQoS 2001 [Hur01], of which the
//! abstracts were available: "Using a virtual queue, deadlines are assigned to packets upon arrival, and green and blue packets are queued
//! separately. At service time, the deadlines of the packets at the head of the blue and green queues are used to determine which one to
//! serve next." All other rules are ours, chosen so that their promises hold. Compared with: no module in ns-2 2.35; plain FIFO for
//! the promise to blue packets.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | A packet is green if it brings a delay hint or its flow is named (`green_flows`) | packets have no colour | `a_hint_or_a_name_makes_green` |
//! | Deadlines are for the start of a transmission: a blue one's is when a single queue would send it, a green one's `green_delay` after it came | [Hur01]'s abstracts do not say | `a_blue_packet_leaves_no_later_than_from_one_queue` |
//! | A packet of either colour is lost if the virtual queue has no room for it; a green packet also if those before it take too long already | a duplicate that is not there could delay blue packets | `green_packets_that_would_be_late_are_refused` |
//! | Where either may wait for the other green goes first with the probability `green_first`; [Hur01] moves such a bias so that green flows get no more than blue ones | its law was not available | `where_both_may_wait_the_bias_decides` |

use std::collections::VecDeque;

use sojourn_queues::packet::FlowId;
use sojourn_queues::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "abe",
    title: "ABE (alternative best effort)",
    doc: "Two kinds of best effort: green packets want little delay, blue ones throughput. Green packets wait at most a given \
          time or are lost; blue ones leave no later than if all were one queue.",
    reference: "Hurley, Kara, Le Boudec and Thiran 2001",
    decides: "It decides by deadlines: a green packet has to leave within a given time, and a blue one when a single queue \
          would have sent it. A green packet that would be too late is lost.",
    reorders: true,
    probes: &[Probe::new("packets_blue", "packets", Probe::UP, "blue packets that wait")],
    ..QueueEntry::of_discipline::<Params>(build)
};

params! {
    pub struct Params {
        /// The most that may wait in the single queue that blue packets are promised: bytes, or mean packets.
        limit: Size = "100p" in [0.0, 1e12], "as fifo";
        /// How long a green packet waits at most, without its own transmission.
        green_delay: Duration = "20ms" in [1e-6, 1e3], "ours: [Hur01] promises a bound, whose value was not available";
        /// Probability with which a green packet goes first if either may wait for the other.
        green_first: Fraction = "1" in [0.0, 1.0], "ours: as soon as blue ones allow";
        /// Numbers of the flows whose packets are green, in the order of the scenario from 0; packets with a delay hint are green anyway.
        green_flows: Numbers = "[]" in [0.0, 4e9], "the scenario's: [Hur01] leaves the colour to the application";
    }
}

#[allow(clippy::unnecessary_wraps, reason = "the registry's signature")]
fn build(args: &Args, link: &LinkContext) -> Result<Box<dyn QueueDiscipline>, BuildError> {
    let params: Params = args.typed();
    let mut green_flows: Vec<u32> = params.green_flows.0.iter().map(|number| *number as u32).collect();
    green_flows.sort_unstable();
    let room = link.bytes(params.limit);
    let limit = Limit { packets: u64::MAX, bytes: room as u64 };
    let duplicates = Duplicates { bytes: 0.0, at: Instant::ZERO, rate: link.rate.as_bps() as f64 / 8.0, room };
    Ok(Box::new(Abe {
        green_flows,
        green_delay: params.green_delay,
        green_first: params.green_first.0,
        limit,
        duplicates,
        green: Lane::default(),
        blue: Lane::default(),
    }))
}

/// The virtual queue: a copy of every packet, first in, first out.
#[derive(Clone, Debug)]
struct Duplicates {
    /// Bytes in it, with the one that is being sent.
    bytes: f64,
    at: Instant,
    /// Bytes per second.
    rate: f64,
    room: f64,
}

impl Duplicates {
    /// The present backlog.
    fn drain(&mut self, now: Instant) {
        let sent = now.since(self.at).as_secs_f64() * self.rate;
        (self.bytes, self.at) = ((self.bytes - sent).max(0.0), now);
    }

    /// How long `bytes` take.
    fn time(&self, bytes: f64) -> Duration {
        Duration::from_secs_f64(bytes / self.rate)
    }

    /// Takes in a copy, if there is room: the time until it would be sent.
    fn admit(&mut self, size: u32) -> Option<Duration> {
        let wait = self.time(self.bytes);
        if self.bytes + f64::from(size) > self.room {
            return None;
        }
        self.bytes += f64::from(size);
        Some(wait)
    }
}

/// Packets of a colour, each with the last moment at which its transmission may begin.
#[derive(Clone, Debug, Default)]
struct Lane {
    packets: VecDeque<(Packet, Instant)>,
    bytes: u64,
}

impl Lane {
    fn push(&mut self, packet: Packet, deadline: Instant) {
        self.bytes += u64::from(packet.size);
        self.packets.push_back((packet, deadline));
    }

    fn pop(&mut self) -> Option<Packet> {
        let (packet, _) = self.packets.pop_front()?;
        self.bytes -= u64::from(packet.size);
        Some(packet)
    }

    /// Size and deadline of the head.
    fn head(&self) -> Option<(u32, Instant)> {
        self.packets.front().map(|(packet, deadline)| (packet.size, *deadline))
    }
}

/// The discipline.
#[derive(Clone, Debug)]
pub struct Abe {
    /// Sorted.
    green_flows: Vec<u32>,
    green_delay: Duration,
    green_first: f64,
    /// The limit, which is less than the copies may be as long as the link has its rate.
    limit: Limit,
    duplicates: Duplicates,
    green: Lane,
    blue: Lane,
}

impl Abe {
    fn is_green(&self, packet: &Packet) -> bool {
        let FlowId(flow) = packet.flow;
        packet.delay_hint.is_some() || self.green_flows.binary_search(&flow).is_ok()
    }

    /// Drops the green packets at the head whose time is over.
    fn drop_late(&mut self, now: Instant, cx: &mut Context) {
        while self.green.head().is_some_and(|(_, deadline)| deadline < now) {
            if let Some(packet) = self.green.pop() {
                cx.events.drop(now, packet, Reason::SOJOURN);
            }
        }
    }

    /// Whether the green head goes first.
    fn serves_green(&self, now: Instant, rng: &mut Rng) -> bool {
        let (Some((green, green_by)), Some((blue, blue_by))) = (self.green.head(), self.blue.head()) else {
            return self.green.head().is_some();
        };
        let blue_may_wait = now + self.duplicates.time(f64::from(green)) <= blue_by;
        let green_may_wait = now + self.duplicates.time(f64::from(blue)) <= green_by;
        match (blue_may_wait, green_may_wait) {
            (false, _) => false,
            (true, false) => true,
            (true, true) => rng.uniform() < self.green_first,
        }
    }
}

impl QueueDiscipline for Abe {
    fn enqueue(&mut self, now: Instant, mut packet: Packet, cx: &mut Context) {
        self.duplicates.drain(now);
        let is_green = self.is_green(&packet);
        if is_green && self.duplicates.time(self.green.bytes as f64) > self.green_delay {
            cx.events.drop(now, packet, Reason::SOJOURN);
            return;
        }
        let room = self.limit.admits(self.backlog(), &packet);
        let Some(wait) = room.then(|| self.duplicates.admit(packet.size)).flatten() else {
            cx.events.drop(now, packet, Reason::OVERFLOW);
            return;
        };
        packet.enqueued_at = now;
        if is_green {
            self.green.push(packet, now + self.green_delay);
        } else {
            self.blue.push(packet, now + wait);
        }
    }

    fn dequeue(&mut self, now: Instant, cx: &mut Context) -> Option<Packet> {
        self.drop_late(now, cx);
        if self.serves_green(now, &mut cx.rng) { self.green.pop() } else { self.blue.pop() }
    }

    fn backlog(&self) -> Backlog {
        let packets = (self.green.packets.len() + self.blue.packets.len()) as u64;
        Backlog { packets, bytes: self.green.bytes + self.blue.bytes }
    }

    fn limit(&self) -> Limit {
        self.limit
    }

    probes! { |self|
        "packets_green" => self.green.packets.len() as f64,
        "packets_blue" => self.blue.packets.len() as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_queues::header::DelayHint;
    use sojourn_queues::rig::{args, at};

    /// 8 Mbit/s, 1000 bytes in a millisecond; flow 1 is green and may wait 5 ms; 20 packets.
    struct Router {
        queue: Box<dyn QueueDiscipline>,
        cx: Context,
    }

    fn of(flow: u32, seq: u64, size: u32) -> Packet {
        Packet::datagram(FlowId(flow), seq, size)
    }

    impl Router {
        fn new(settings: &[(&str, &str)]) -> Self {
            let mut all = vec![("limit", "20p"), ("green_flows", "[1]"), ("green_delay", "5ms")];
            all.extend(settings);
            let link = LinkContext { rate: Rate::from_bps(8_000_000), ..LinkContext::default() };
            let queue = build(&args(&ENTRY, None, &all), &link).expect("valid parameters");
            Router { queue, cx: Context::new(Rng::named(1, "abe")) }
        }

        /// Why a packet was refused.
        fn arrive(&mut self, millis: f64, flow: u32) -> Option<Reason> {
            self.cx.events.clear();
            self.queue.enqueue(at(millis / 1000.0), of(flow, 0, 1000), &mut self.cx);
            self.cx.events.as_slice().first().map(|event| event.what.reason())
        }

        /// The flow whose packet leaves.
        fn depart(&mut self, millis: f64) -> Option<u32> {
            self.queue.dequeue(at(millis / 1000.0), &mut self.cx).map(|packet| packet.flow.0)
        }
    }

    #[test]
    fn green_overtakes_as_long_as_blue_may_wait() {
        let mut router = Router::new(&[]);
        // Deadlines of the blue ones: 0, 1 and 2 ms; a green one came behind them.
        for flow in [0, 0, 0, 1] {
            assert_eq!(router.arrive(0.0, flow), None);
        }

        assert_eq!(router.depart(0.0), Some(0), "it may not wait");
        assert_eq!(router.depart(1.0), Some(0), "nor the second, at its deadline");
        assert_eq!((router.depart(2.0), router.depart(3.0), router.depart(4.0)), (Some(0), Some(1), None));
    }

    #[test]
    fn time_that_others_left_is_greens() {
        let mut router = Router::new(&[]);
        for flow in [1, 0, 1] {
            router.arrive(0.0, flow);
        }

        // The blue one's deadline is 1 ms: the first green one fits before it, the second does not.
        assert_eq!([0.0, 1.0, 2.0].map(|millis| router.depart(millis)), [Some(1), Some(0), Some(1)]);
    }

    #[test]
    fn late_green_packets_are_dropped_at_the_head() {
        let mut router = Router::new(&[]);
        router.arrive(0.0, 1);
        router.arrive(1.0, 1);

        // At 5 ms the first may still begin; just after it may not.
        let mut later = Router::new(&[]);
        later.arrive(0.0, 1);
        assert_eq!(later.depart(5.0), Some(1));
        assert_eq!(router.depart(5.000_001), Some(1));
        assert_eq!(
            router.cx.events.as_slice().iter().filter(|event| event.what.reason() == Reason::SOJOURN).count(),
            1
        );
        assert_eq!(router.depart(6.0), None);
    }

    #[test]
    fn green_packets_that_would_be_late_are_refused() {
        let mut router = Router::new(&[]);
        // Five before it take 5 ms, six 6 ms.
        let refused: Vec<_> = (0..8).map(|_| router.arrive(0.0, 1)).collect();

        assert_eq!(refused.iter().filter(|reason| reason.is_none()).count(), 6);
        assert_eq!(refused[6], Some(Reason::SOJOURN));
    }

    #[test]
    fn the_single_queue_has_a_limit() {
        let mut router = Router::new(&[]);
        let admitted = (0..30).filter(|_| router.arrive(0.0, 0).is_none()).count();
        assert_eq!(admitted, 20);

        // The link has one of them, and the single queue too.
        router.depart(0.0);
        assert_eq!(router.arrive(0.0, 1), Some(Reason::OVERFLOW), "a green one has no more room");
        assert_eq!(router.arrive(1.0, 1), None, "a copy has been sent");
    }

    #[test]
    fn where_both_may_wait_the_bias_decides() {
        for (bias, first) in [("0", 0), ("1", 1)] {
            let mut router = Router::new(&[("green_first", bias)]);
            // The blue one's deadline is 2 ms, the green one's 5 ms.
            for flow in [1, 1, 0] {
                router.arrive(0.0, flow);
            }
            assert_eq!(router.depart(0.0), Some(first), "{bias}");
        }
    }

    #[test]
    fn a_green_packet_that_may_not_wait_goes_first_whatever_the_bias() {
        let mut router = Router::new(&[("green_first", "0"), ("green_delay", "1ms")]);
        for flow in [1, 1, 0] {
            router.arrive(0.0, flow);
        }

        // At 0 either may wait: blue. A blue packet of 1 ms more would be too much at 0.5 ms.
        let mut late = Router::new(&[("green_first", "0"), ("green_delay", "1ms")]);
        for flow in [1, 1, 0] {
            late.arrive(0.0, flow);
        }
        assert_eq!(router.depart(0.0), Some(0));
        assert_eq!(late.depart(0.5), Some(1));
    }

    #[test]
    fn a_hint_or_a_name_makes_green() {
        let link = LinkContext::default();
        let mut queue = build(&args(&ENTRY, None, &[("green_flows", "[3, 1]")]), &link).expect("valid parameters");
        let mut cx = Context::new(Rng::named(1, "abe"));
        let hinted = Packet { delay_hint: Some(DelayHint::new(Duration::from_millis(20))), ..of(0, 0, 1000) };
        for packet in [of(1, 0, 1000), of(3, 0, 1000), hinted, of(0, 0, 1000), of(2, 0, 1000)] {
            queue.enqueue(at(0.0), packet, &mut cx);
        }

        assert_eq!((queue.probe(0) as u32, queue.probe(1) as u32), (3, 2));
    }

    #[test]
    fn a_blue_packet_leaves_no_later_than_from_one_queue() {
        // Bursts of both colours and sizes; a server that is never idle while something waits.
        let mut router = Router::new(&[("limit", "50p")]);
        let mut rng = Rng::named(7, "test");
        let (mut time, mut free, mut one_queue, mut blues) = (0_u64, 0_u64, 0_u64, 0);
        let mut deadlines = std::collections::BTreeMap::new();
        for seq in 0..20_000 {
            time += (rng.exponential(900.0) * 1000.0) as u64;
            while free <= time
                && let Some(packet) = router.queue.dequeue(Instant::from_nanos(free), &mut router.cx)
            {
                let sojourn_queues::packet::Body::Datagram { seq: number, .. } = packet.body else {
                    unreachable!("datagrams")
                };
                if packet.flow.0 == 0 {
                    assert!(free <= deadlines[&number] + 2, "{number}: {free} is later than {}", deadlines[&number]);
                    blues += 1;
                }
                free += u64::from(packet.size) * 1000;
            }
            free = free.max(time);
            let packet = of(u32::from(rng.uniform() < 0.4), seq, [200, 1000, 1500][rng.below(3) as usize]);
            router.cx.events.clear();
            router.queue.enqueue(Instant::from_nanos(time), packet, &mut router.cx);
            if router.cx.events.is_empty() {
                // One queue of the admitted packets: sent at once or behind the rest of it.
                one_queue = one_queue.max(time);
                deadlines.insert(seq, one_queue);
                one_queue += u64::from(packet.size) * 1000;
            }
        }
        assert!(blues > 5_000, "{blues}");
    }
}
