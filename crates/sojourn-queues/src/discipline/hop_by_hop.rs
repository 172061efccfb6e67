//! Hop-by-hop choke packets: a router whose queue is long tells the sender of each arriving packet, and every router that
//! the choke packet passes slows its output to that flow for a while, so that relief comes one hop later and not one
//! round trip later. Specification: [Tah13] Tahiliani, PhD thesis, NIT Karnataka, 2013, section 2.2, after Gerla and
//! Kleinrock 1980. Compared with: a second implementation in `tests/implementations`.
//!
//! A queue that fills because it was slowed becomes long itself and tells the router before it: the chain of the
//! thesis. Whether the choke packet also goes on to the sender is `goes_on`.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | The time of a message, the amount and the length of the slowing are parameters with our values | [Tah13] gives no law | `a_slowed_flow_leaves_at_its_part_of_the_rate_it_had` |
//! | The former rate is that of departures in the last complete interval and the present one; an interval of silence counts as one | the same | `silence_before_a_burst_is_one_interval_at_most` |
//! | A slowed flow's packets leave one by one at its rate, and other flows' packets pass them; a further message does not speed it up | the same | `a_slowed_flow_leaves_at_its_part_of_the_rate_it_had` |
//! | A flow whose rate is not known yet is not slowed | a part of an unknown rate is unknown | `a_flow_that_has_sent_nothing_is_not_slowed` |

use std::collections::BTreeMap;

use crate::packet::FlowId;
use crate::queue::Buffer;
use crate::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "hop_by_hop",
    title: "Hop-by-hop choke packets",
    doc: "Choke packets that act in each router on their way. The senders of packets that find a long queue get a choke packet, and each \
          router that it passes slows its output of the flow.",
    reference: "Gerla and Kleinrock 1980; Tahiliani 2013",
    decides: "It decides by a threshold: the sender of a packet that finds at least this backlog gets a choke packet, at most once in an \
              interval for each flow.",
    ..QueueEntry::of_discipline::<Params>(build)
};

params! {
    pub struct Params {
        /// The most that may wait, without the packet in transmission.
        limit: Size = "100p" in [0.0, 1e12], "as fifo";
        /// Backlog from which the sender of an arriving packet gets a choke packet.
        threshold: Size = "50p" in [0.0, 1e12], "our choice: half of the limit";
        /// Least time between two choke packets about a flow, and the time over which its rate is taken.
        interval: Duration = "100ms" in [0.000_001, 1000.0], "our choice: a round trip";
        /// Part of its former rate that a slowed flow keeps.
        keeps: Fraction = "0.5" in [0.001, 1.0], "our choice: as TCP";
        /// How long a flow stays slowed after a choke packet.
        duration: Duration = "200ms" in [0.0, 1000.0], "our choice: two round trips";
        /// Whether a choke packet goes on to the previous router and to the sender.
        goes_on: bool = "true", "our choice: the sender has to slow down in the end";
    }
}

#[expect(clippy::unnecessary_wraps, reason = "the registry's signature")]
fn build(args: &Args, link: &LinkContext) -> Result<Box<dyn QueueDiscipline>, BuildError> {
    let params: Params = args.typed();
    let limit = Limit::from_size(params.limit, link);
    Ok(Box::new(HopByHop {
        link: link.clone(),
        fifo: Buffer::new(limit),
        params,
        flows: BTreeMap::new(),
        slowed: BTreeMap::new(),
        slowed_until: Instant::ZERO,
        looked: Instant::ZERO,
        due: None,
    }))
}

/// The data of a flow that has left since `began`, and in the complete interval before it.
#[derive(Clone, Copy, Debug, Default)]
struct Flow {
    /// Absent before its first packet.
    began: Option<Instant>,
    bytes: u64,
    last_bytes: u64,
    last_span: Duration,
    told: Option<Instant>,
}

impl Flow {
    fn sends(&mut self, now: Instant, size: u32, interval: Duration) {
        let span = now.since(*self.began.get_or_insert(now));
        if span >= interval {
            // After silence the complete interval is one of silence.
            let is_silent = span >= interval * 2;
            (self.last_bytes, self.last_span) = if is_silent { (0, interval) } else { (self.bytes, span) };
            (self.began, self.bytes) = (Some(now), 0);
        }
        self.bytes += u64::from(size);
    }

    /// Bytes per second over both; `None` if nothing has left.
    fn rate(&self, now: Instant) -> Option<f64> {
        let span = (self.last_span + now.since(self.began?)).as_secs_f64();
        let bytes = (self.last_bytes + self.bytes) as f64;
        (bytes > 0.0 && span > 0.0).then(|| bytes / span)
    }
}

/// A flow under a choke packet.
#[derive(Clone, Copy, Debug)]
struct Slowed {
    /// Bytes per second.
    rate: f64,
    until: Instant,
    /// When its next packet may leave.
    next: Instant,
}

struct HopByHop {
    link: LinkContext,
    params: Params,
    fifo: Buffer,
    flows: BTreeMap<FlowId, Flow>,
    /// Flows that a choke packet was about.
    slowed: BTreeMap<FlowId, Slowed>,
    /// From when on no flow is slowed any more.
    slowed_until: Instant,
    /// When a packet or a choke packet last went through.
    looked: Instant,
    /// When something may leave, if only slowed flows wait.
    due: Option<Instant>,
}

impl HopByHop {
    fn flow(&mut self, packet: &Packet) -> &mut Flow {
        self.flows.entry(packet.flow).or_default()
    }

    fn is_long(&self) -> bool {
        let Backlog { packets, bytes } = self.fifo.backlog();
        match self.params.threshold {
            Size::Packets(threshold) => packets as f64 >= threshold,
            other => bytes as f64 >= self.link.bytes(other),
        }
    }

    fn tell(&mut self, now: Instant, packet: &Packet, reason: Reason, cx: &mut Context) {
        let interval = self.params.interval;
        let told = &mut self.flow(packet).told;
        if told.is_none_or(|last| now.since(last) >= interval) {
            *told = Some(now);
            cx.events.choke(now, *packet, reason);
        }
    }

    /// When the packet may leave: earlier than now if it always might.
    fn allowed(&self, packet: &Packet) -> Instant {
        self.slowed.get(&packet.flow).map_or(Instant::ZERO, |slowed| slowed.next.min(slowed.until))
    }

    /// The first packet that may leave now; the first of a flow that may not holds all of the flow.
    fn first_allowed(&mut self, now: Instant) -> Option<usize> {
        let count = self.fifo.backlog().packets as usize;
        for index in 0..count {
            let allowed = self.allowed(self.fifo.get(index)?);
            if allowed <= now {
                return Some(index);
            }
            self.due = Some(self.due.map_or(allowed, |due| due.min(allowed)));
        }
        None
    }
}

impl QueueDiscipline for HopByHop {
    fn enqueue(&mut self, now: Instant, packet: Packet, cx: &mut Context) {
        if !self.fifo.admits(&packet) {
            self.tell(now, &packet, Reason::OVERFLOW, cx);
            cx.events.drop(now, packet, Reason::OVERFLOW);
            return;
        }
        if self.is_long() {
            self.tell(now, &packet, Reason::FORCED, cx);
        }
        self.fifo.push(now, packet, 0);
    }

    fn dequeue(&mut self, now: Instant, _cx: &mut Context) -> Option<Packet> {
        (self.due, self.looked) = (None, now);
        let (packet, _) = if self.slowed_until <= now {
            self.fifo.pop()?
        } else {
            let index = self.first_allowed(now)?;
            self.due = None;
            self.fifo.remove(index)?
        };
        let interval = self.params.interval;
        self.flow(&packet).sends(now, packet.size, interval);
        if let Some(slowed) = self.slowed.get_mut(&packet.flow) {
            slowed.next = now + Duration::from_secs_f64(f64::from(packet.size) / slowed.rate);
        }
        Some(packet)
    }

    fn next_deadline(&self) -> Option<Instant> {
        self.due
    }

    fn on_deadline(&mut self, _now: Instant, _cx: &mut Context) {
        self.due = None;
    }

    fn sends_chokes(&self) -> bool {
        true
    }

    fn hears_chokes(&self) -> bool {
        true
    }

    fn on_choke(&mut self, now: Instant, choke: &Packet, _cx: &mut Context) -> bool {
        let Params { keeps, duration, goes_on, .. } = self.params;
        self.looked = now;
        if let Some(had) = self.flow(choke).rate(now) {
            let rate = had * keeps.0;
            let until = now + duration;
            let next = now + Duration::from_secs_f64(self.link.mean_packet.0 as f64 / rate);
            let slowed = match self.slowed.get(&choke.flow).filter(|slowed| slowed.until > now) {
                // A choke packet while it is slowed: slower, and for longer.
                Some(slowed) => Slowed { rate: rate.min(slowed.rate), until, ..*slowed },
                None => Slowed { rate, until, next },
            };
            self.slowed.insert(choke.flow, slowed);
            self.slowed_until = until;
        }
        goes_on
    }

    fn backlog(&self) -> Backlog {
        self.fifo.backlog()
    }

    fn limit(&self) -> Limit {
        self.fifo.limit()
    }

    probes! { |self|
        "slowed_flows" => self.slowed.values().filter(|slowed| slowed.until > self.looked).count() as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::{Event, What};
    use crate::rig::{args, at};
    use crate::rng::Rng;

    struct Router {
        queue: Box<dyn QueueDiscipline>,
        cx: Context,
        sent: u64,
    }

    impl Router {
        fn new(settings: &[(&str, &str)]) -> Self {
            let queue = ENTRY.build(&args(&ENTRY, None, settings), &LinkContext::default()).expect("a router");
            Router { queue, cx: Context::new(Rng::named(1, "hop")), sent: 0 }
        }

        /// A packet of 1000 bytes arrives. Returns the events.
        fn arrive(&mut self, seconds: f64, flow: u32) -> Vec<What> {
            let packet = Packet::datagram(FlowId(flow), self.sent, 1000);
            self.sent += 1;
            self.queue.enqueue(at(seconds), packet, &mut self.cx);
            self.cx.events.drain().map(|event: Event| event.what).collect()
        }

        fn depart(&mut self, seconds: f64) -> Option<u32> {
            self.queue.dequeue(at(seconds), &mut self.cx).map(|packet| packet.flow.0)
        }

        fn choke(&mut self, seconds: f64, flow: u32) -> bool {
            let about = Packet::datagram(FlowId(flow), 0, 1000);
            let choke = Packet { size: 56, body: about.choke().expect("a datagram"), ..about };
            self.queue.on_choke(at(seconds), &choke, &mut self.cx)
        }
    }

    /// Flow 0 has sent 1000 bytes every 10 ms from 0 s until 200 ms, flow 1 nothing; 20 packets of flow 0 wait, then one of
    /// flow 1.
    fn running(settings: &[(&str, &str)]) -> Router {
        let mut router = Router::new(settings);
        for i in 0..20 {
            let now = 0.01 * f64::from(i);
            router.arrive(now, 0);
            assert_eq!(router.depart(now), Some(0));
        }
        for _ in 0..20 {
            router.arrive(0.2, 0);
        }
        router.arrive(0.2, 1);
        router
    }

    #[test]
    fn a_slowed_flow_leaves_at_its_part_of_the_rate_it_had() {
        // 20 packets in 200 ms: 100 kB/s; half of it is a packet every 20 ms.
        let mut router = running(&[]);
        assert!(router.choke(0.2, 0), "the choke packet goes on");
        assert_eq!(router.depart(0.2), Some(1), "others overtake it");
        assert_eq!(router.depart(0.2), None);
        assert_eq!(router.queue.next_deadline(), Some(at(0.22)));
        router.queue.on_deadline(at(0.22), &mut router.cx);
        assert_eq!(router.queue.next_deadline(), None);
        assert_eq!((router.depart(0.22), router.depart(0.2399), router.depart(0.24)), (Some(0), None, Some(0)));
    }

    #[test]
    fn silence_before_a_burst_is_one_interval_at_most() {
        // 10 packets in 100 ms are 100 kB/s if nothing came before, and 50 kB/s with an interval of silence before them. Half of
        // it is a packet in 20 or 40 ms.
        for (flow, next) in [(1, 10.12), (0, 10.14)] {
            let mut router = Router::new(&[]);
            router.arrive(0.0, 0);
            router.depart(0.0);
            for i in 0..10 {
                let now = 10.0 + 0.01 * f64::from(i);
                router.arrive(now, flow);
                router.depart(now);
            }
            router.arrive(10.1, flow);
            router.choke(10.1, flow);
            assert_eq!((router.depart(10.1), router.queue.next_deadline()), (None, Some(at(next))), "{flow}");
        }
    }

    #[test]
    fn a_choke_packet_runs_out() {
        let mut router = running(&[("duration", "30ms")]);
        router.choke(0.2, 0);
        assert_eq!((router.depart(0.2), router.depart(0.22), router.depart(0.225)), (Some(1), Some(0), None));
        assert_eq!(router.queue.next_deadline(), Some(at(0.23)), "before its next packet would leave");
        assert_eq!((router.depart(0.23), router.depart(0.23)), (Some(0), Some(0)));
    }

    #[test]
    fn a_choke_packet_after_the_last_has_run_out_slows_anew() {
        // 20 kB in 500 ms are 40 kB/s. Half of it is a packet in 50 ms, the choke packet holds for 30; that of 0.2 s, which ran out
        // at 0.23 s while nothing left, would have let a packet go at 0.22 s.
        let mut router = running(&[("duration", "30ms")]);
        router.choke(0.2, 0);
        router.choke(0.5, 0);
        assert_eq!((router.depart(0.5), router.depart(0.5)), (Some(1), None));
        assert_eq!(router.queue.next_deadline(), Some(at(0.53)));
    }

    #[test]
    fn a_flow_that_has_sent_nothing_is_not_slowed() {
        let mut router = running(&[]);
        router.choke(0.2, 1);
        assert!((router.queue.probe(0)).abs() < 1e-12);
        assert_eq!(router.depart(0.2), Some(0));
    }

    #[test]
    fn a_choke_packet_may_be_about_a_flow_of_any_number() {
        let mut router = Router::new(&[]);
        for i in 0..20 {
            router.arrive(0.01 * f64::from(i), u32::MAX);
            router.depart(0.01 * f64::from(i));
        }
        router.choke(0.2, u32::MAX);
        assert!((router.queue.probe(0) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_choke_packet_may_end_at_the_router_before() {
        let mut router = running(&[("goes_on", "false")]);
        assert!(!router.choke(0.2, 0));
    }

    #[test]
    fn a_long_queue_tells_each_flow_once_per_interval() {
        let mut router = Router::new(&[("threshold", "2p"), ("limit", "4p")]);
        assert_eq!((router.arrive(0.0, 0), router.arrive(0.0, 0)), (vec![], vec![]));
        assert_eq!(router.arrive(0.0, 0), [What::Choke(Reason::FORCED)]);
        assert_eq!(router.arrive(0.05, 0), []);
        assert_eq!(router.arrive(0.05, 1), [What::Choke(Reason::OVERFLOW), What::Drop(Reason::OVERFLOW)]);
        assert_eq!(router.arrive(0.1, 0), [What::Choke(Reason::OVERFLOW), What::Drop(Reason::OVERFLOW)]);
        assert_eq!(router.arrive(0.11, 0), [What::Drop(Reason::OVERFLOW)]);
    }
}
