//! FQ-PIE: PIE in a queue for each flow, served by deficit round robin with new flows first. Specification: RFC 8033 and the scheduler of
//! RFC 8290; there is no document of both. The scheduler is [`FlowQueue`], the policy [`pie`]. Compared with: Linux 6.12 `sch_fq_pie`,
//! decision by decision (`tests/peers/linux/kernel`).
//!
//! Deviations: those of the two parts, and
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | There is no bound by memory | Linux counts packets that exceed its bound, and lets them in | - |

use crate::aqm::pie;
use crate::aqm::sch_pie::{self, SchPie};
use crate::discipline::flow_queue::{FlowQueue, Full, Settings};
use crate::mechanism::arithmetic::Arithmetic;
use crate::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "fq_pie",
    title: "FQ-PIE",
    doc: "Fair queueing by flow with PIE in each queue. Flows are hashed to queues, which are served by deficit round robin with \
          new flows first; in each PIE drops or marks arrivals with a probability that it moves until the delay is at its reference.",
    reference: "RFC 8033, RFC 8290 (the scheduler)",
    presets: presets! {
        /// Linux 6.12 sch_fq_pie's defaults, which tc of iproute2 7.1 leaves, in its numbers: 1024 queues, 10240 packets, target and
        /// updates of 15 ms, no ECN.
        linux = {
            limit = "10240p", flows = "1024", quantum = "1514B", target = "15ms", interval = "15ms", alpha = "0.125", beta = "1.25",
            max_burst = "150ms", ecn = "false", mtu = "1514B", arithmetic = "kernel",
        };
    },
    law: Some(|args, _link| Ok(pie::draw_law(&args.typed::<Params>().pie()))),
    shown: &[
        Counter("pkts_in", Source::Queued),
        Counter("overlimit", Source::Drops(&[Reason::OVERFLOW])),
        Counter("overmemory", Source::Zero),
        Counter("ecn_mark", Source::Marks),
        Counter("new_flow_count", Source::Probe("new_flow_count")),
        Counter("new_flows_len", Source::Probe("new_flows")),
        Counter("old_flows_len", Source::Probe("old_flows")),
    ],
    ..QueueEntry::of_discipline::<Params>(build)
};

params! {
    pub struct Params {
        /// The most that may wait in all queues together. A packet for which there is no room is lost.
        limit: Size = "10240p" in [0.0, 1e12], "Linux sch_fq_pie";
        /// Queues that flows are hashed to.
        flows: u64 = "1024" in [1.0, 65536.0], "Linux sch_fq_pie";
        /// Bytes that a queue may send in its turn.
        quantum: Bytes = "1514B" in [1.0, 1e9], "Linux sch_fq_pie; RFC 8290 section 5.2.4";
        /// Target of the queuing delay in each queue.
        target: Duration = "15ms" in [0.0, 100.0], "RFC 8033 section 4.2";
        /// Time between two updates of the probability.
        interval: Duration = "15ms" in [1e-6, 100.0], "RFC 8033 section 4.2";
        /// Gain of the distance from the target, in Hz.
        alpha: f64 = "0.125" in [0.0, 1e6], "RFC 8033 section 4.2";
        /// Gain of the change since the last update, in Hz.
        beta: f64 = "1.25" in [0.0, 1e6], "RFC 8033 section 4.2";
        /// The time for which every packet of a burst passes.
        max_burst: Duration = "150ms" in [0.0, 100.0], "RFC 8033 section 4.4";
        /// Mark ECN-capable packets instead of dropping them while the probability is at most 10 %.
        ecn: bool = "false", "Linux sch_fq_pie";
        /// The largest packet: with the numbers of the kernel nothing is dropped while less than two of it wait in a queue.
        mtu: Bytes = "1514B" in [1.0, 65535.0], "Linux: the device's MTU and header", when arithmetic in ["kernel"];
        /// With the numbers of the kernel: ticks of its timer in a second (`CONFIG_HZ`). Debian's kernels and those of Ubuntu up to 24.04
        /// have 250, and Ubuntu's of 24.10 and later 1000.
        hz: u64 = "1000" in [100.0, 1000.0], "Linux CONFIG_HZ: 100, 250, 300 or 1000", when arithmetic in ["kernel"];
        /// The numbers in which the law is computed, as in `pie`. With those of the kernel a new queue that becomes empty is old for a
        /// round only if there are other old queues, a `quantum` is at least 256 bytes and at most 1 MiB, and 2048 queues are updated in a
        /// tick (`hz`), so that the time between updates grows with `flows`.
        arithmetic: Arithmetic = "real", "RFC 8033";
    }
}

impl Params {
    /// PIE in each queue.
    fn pie(&self) -> pie::Params {
        let Params { target, interval, alpha, beta, max_burst, ecn, .. } = *self;
        pie::Params { target, interval, alpha, beta, max_burst, ecn, ..pie::Params::default() }
    }

    /// Linux's PIE in each queue.
    fn kernel(&self) -> SchPie {
        let sixteenths = |gain: f64| libm::round(gain * 16.0) as u64;
        let (alpha, beta) = (sixteenths(self.alpha), sixteenths(self.beta));
        let Params { target, interval: tupdate, ecn, mtu, hz, .. } = *self;
        let params = sch_pie::Params { target, tupdate, alpha, beta, ecn, mtu, hz, ..sch_pie::Params::default() };
        SchPie::new(&params).with_bursts(self.max_burst)
    }
}

fn build(args: &Args, link: &LinkContext) -> Result<Box<dyn QueueDiscipline>, BuildError> {
    let params: Params = args.typed();
    let settings =
        Settings { limit: params.limit, flows: params.flows, quantum: params.quantum, ..Settings::default() };
    let mut sharing = settings.on(link);
    sharing.full = Full::Arrival;
    if params.arithmetic == Arithmetic::Kernel {
        sharing = sharing.as_linux()?;
        let policies = (0..params.flows).map(|number| params.kernel().among(number, params.flows)).collect();
        return Ok(Box::new(FlowQueue::new(policies, sharing)));
    }
    let pie = params.pie();
    let policies = (0..params.flows).map(|_| pie.policy(link)).collect::<Result<Vec<_>, _>>()?;
    Ok(Box::new(FlowQueue::new(policies, sharing)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{Body, FlowId};
    use crate::queue::{Dropped, Either, Policy, QueueView, Reason, Verdict, What};
    use crate::rig::{args, at};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    /// PIE that counts its deadlines, and may be kept from resting.
    struct Counted {
        pie: Either<pie::Pie, SchPie>,
        rests: bool,
        calls: Arc<AtomicU64>,
    }

    impl Policy for Counted {
        fn on_arrival(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
            self.pie.on_arrival(now, packet, queue, rng)
        }
        fn on_departure(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
            self.pie.on_departure(now, packet, queue, rng)
        }
        fn on_drop(&mut self, now: Instant, packet: &Packet, dropped: Dropped, queue: &mut QueueView<'_>) {
            self.pie.on_drop(now, packet, dropped, queue);
        }
        fn next_deadline(&self) -> Option<Instant> {
            self.pie.next_deadline()
        }
        fn on_deadline(&mut self, now: Instant, queue: &mut QueueView<'_>) {
            self.calls.fetch_add(1, Ordering::Relaxed);
            self.pie.on_deadline(now, queue);
        }
        fn is_like(&self, other: &Self) -> bool {
            self.rests && self.pie.is_like(&other.pie)
        }
        fn take_over(&mut self, other: &Self) {
            self.pie.take_over(&other.pie);
        }
    }

    /// A link of 10 Mbit/s with 64 queues of counted PIE in front of it.
    struct Link {
        queue: FlowQueue<Counted>,
        cx: Context,
        now: Instant,
        free_at: Instant,
        /// Flow, number and time of each packet that left or was dropped.
        seen: Vec<(u32, u64, Instant, Option<What>)>,
        calls: Arc<AtomicU64>,
    }

    impl Link {
        fn new(arithmetic: &str, rests: bool) -> Self {
            let calls = Arc::new(AtomicU64::new(0));
            let steep = [("alpha", "20"), ("beta", "200"), ("target", "1ms"), ("max_burst", "5ms")];
            let settings = [&steep[..], &[("arithmetic", arithmetic), ("flows", "64")]].concat();
            let params: Params = args(&ENTRY, None, &settings).typed();
            let link = LinkContext::default();
            let pie = || match params.arithmetic {
                Arithmetic::Real => Either::Real(params.pie().policy(&link).expect("valid")),
                Arithmetic::Kernel => Either::Kernel(params.kernel()),
            };
            let policies = (0..64).map(|_| Counted { pie: pie(), rests, calls: Arc::clone(&calls) }).collect();
            let queue = FlowQueue::new(policies, Settings::default().on(&link));
            let cx = Context::new(Rng::named(1, "queue"));
            Link { queue, cx, now: Instant::ZERO, free_at: Instant::ZERO, seen: Vec::new(), calls }
        }

        /// Deadlines and transmissions up to this moment.
        fn advance(&mut self, to: Instant) {
            loop {
                let waits = self.queue.backlog().packets > 0;
                let free_at = waits.then(|| self.free_at.max(self.now));
                let deadline = self.queue.next_deadline();
                let Some(next) = free_at.into_iter().chain(deadline).min().filter(|next| *next <= to) else { break };
                self.now = next;
                if free_at == Some(next) {
                    if let Some(packet) = self.queue.dequeue(next, &mut self.cx) {
                        self.free_at = next + Duration::from_micros(800);
                        self.see(&packet, next, None);
                    }
                } else {
                    self.queue.on_deadline(next, &mut self.cx);
                }
                self.note();
            }
            self.now = to;
        }

        fn arrive(&mut self, flow: u32, seq: u64) {
            self.queue.enqueue(self.now, Packet::datagram(FlowId(flow), seq, 1000), &mut self.cx);
            self.note();
        }

        fn note(&mut self) {
            let events: Vec<_> = self.cx.events.drain().collect();
            for event in &events {
                self.see(&event.packet, event.time, Some(event.what));
            }
        }

        fn see(&mut self, packet: &Packet, time: Instant, what: Option<What>) {
            let Body::Datagram { seq, .. } = packet.body else { unreachable!("only datagrams came") };
            self.seen.push((packet.flow.0, seq, time, what));
        }

        /// Bursts of 300 packets of some flows, with silence of up to 10 s between them.
        fn bursts(mut self) -> Self {
            let mut rng = Rng::named(1, "bursts");
            for seq in 0..6000 {
                let pause = if seq % 300 == 0 { rng.uniform() * 10.0 } else { rng.uniform() * 0.001 };
                self.advance(self.now + Duration::from_secs_f64(pause));
                let flow = (seq / 900 + rng.below(5)) as u32;
                self.arrive(flow, seq);
            }
            self.advance(self.now + Duration::from_secs(10));
            self
        }
    }

    #[test]
    fn queues_that_rest_decide_as_those_that_are_asked_at_each_deadline() {
        for arithmetic in ["real", "kernel"] {
            let (resting, asked) = (Link::new(arithmetic, true).bursts(), Link::new(arithmetic, false).bursts());
            assert!(asked.seen.iter().filter(|(.., what)| what.is_some()).count() > 100, "{arithmetic}: few drops");
            assert!(resting.seen == asked.seen, "{arithmetic}");
        }
    }

    #[test]
    fn an_hour_of_silence_costs_the_deadlines_of_one_queue() {
        for arithmetic in ["real", "kernel"] {
            let mut link = Link::new(arithmetic, true).bursts();
            let before = link.calls.load(Ordering::Relaxed);
            link.advance(link.now + Duration::from_secs(3600));
            // One in 15 or 16 ms; of 64 queues it was 15 million.
            let calls = link.calls.load(Ordering::Relaxed) - before;
            assert!((220_000..260_000).contains(&calls), "{arithmetic}: {calls}");
        }
    }

    #[test]
    fn a_full_queue_loses_the_packet_that_comes() {
        let link = LinkContext::default();
        let mut queue = ENTRY.build(&args(&ENTRY, None, &[("limit", "3p")]), &link).expect("a queue");
        let mut cx = Context::new(Rng::named(1, "test"));
        for seq in 0..3 {
            queue.enqueue(at(0.0), Packet::datagram(FlowId(0), seq, 1000), &mut cx);
        }
        assert!(cx.events.is_empty());

        // The fattest queue is that of flow 0, and flow 1 loses its packet.
        queue.enqueue(at(0.0), Packet::datagram(FlowId(1), 0, 1000), &mut cx);

        let lost: Vec<(u32, What)> = cx.events.drain().map(|event| (event.packet.flow.0, event.what)).collect();
        assert_eq!(lost, [(1, What::Drop(Reason::OVERFLOW))]);
        assert_eq!(queue.backlog().packets, 3);
    }
}
