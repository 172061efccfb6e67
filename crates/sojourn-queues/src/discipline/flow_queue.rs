//! A queue for each flow, each with a policy of its own, served in turn: the scheduler of FQ-CoDel under any policy.
//! Specification: RFC 8290 sections 3 and 4 (deficit round robin with a list of new flows). Compared with: Linux
//! `sch_fq_codel` (behaviour), a second implementation in `tests/implementations`.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | Flows are told apart by their number, not by addresses and ports | the simulation knows no addresses | `flows_of_one_bucket_share_a_queue` |
//! | Half the bytes of the fattest queue are dropped, as by Linux; RFC 8290 section 4.1 says half its packets | the fattest queue is found by bytes | `the_fattest_queue_loses_its_oldest` |
//! | A policy hears of packets dropped for lack of room, and no policy takes them for drops of its own; Linux adds the drops to CoDel's count | any policy may be here | `the_fattest_queue_loses_its_oldest` |

use crate::queue::prelude::*;
use std::collections::VecDeque;

use crate::discipline::cake::buffers::Buffers;
use crate::mechanism::hash::bucket;
use crate::mechanism::longest::Longest;
use crate::mechanism::resting::Resting;
use crate::queue::inner::InnerPolicy;
use crate::queue::{Policed, What};

pub(crate) static ENTRY: QueueEntry = QueueEntry {
    name: "flow_queue",
    title: "Flow queue of any policy",
    doc: "Fair queueing by flow around any policy. Flows are hashed to queues, each with its own copy of the policy, which are \
          served by deficit round robin with new flows first.",
    reference: "RFC 8290 (the scheduler)",
    decides: "Turns decide which flow's queue is served, and the policy decides about drops in each. The policy's page draws its law.",
    guards: true,
    ..QueueEntry::of_discipline::<Params>(build)
};

params! {
    /// How flows share a buffer and a link.
    pub struct Settings {
        /// A guard of memory: the most that may wait in all queues together.
        limit: Size = "10240p" in [0.0, 1e12], "RFC 8290 section 5.2.3";
        /// Queues that flows are hashed to.
        flows: u64 = "1024" in [1.0, 65536.0], "RFC 8290 section 5.2.5";
        /// Bytes that a queue may send in its turn.
        quantum: Bytes = "1514B" in [1.0, 1e9], "RFC 8290 section 5.2.4";
        /// Greatest number of packets dropped at once when there is no room.
        drop_batch: u64 = "64" in [1.0, 1e6], "RFC 8290 section 4.1; Linux sch_fq_codel drop_batch_size";
    }
}

params! {
    pub struct Params {
        ..sharing: Settings;
        /// The policy in each flow's queue.
        policy: InnerPolicy = "codel", "RFC 8290";
    }
}

fn build(args: &Args, link: &LinkContext) -> Result<Box<dyn QueueDiscipline>, BuildError> {
    let params: Params = args.typed();
    let policies = (0..params.sharing.flows).map(|_| params.policy.build("policy", link));
    Ok(Box::new(FlowQueue::new(policies.collect::<Result<Vec<_>, _>>()?, params.sharing.on(link))))
}

impl Settings {
    /// The common state of the queues on this link.
    pub fn on(&self, link: &LinkContext) -> Sharing {
        Sharing::new(Limit::from_size(self.limit, link), self.quantum, self.drop_batch)
    }
}

/// The common state of the queues of a [`FlowQueue`].
#[derive(Clone, Copy, Debug)]
pub struct Sharing {
    /// The limit of all queues together.
    pub limit: Limit,
    /// Bytes that a queue may send in its turn; at least 1.
    pub quantum: Bytes,
    /// Greatest number of packets dropped at once when there is no room; at least 1.
    pub drop_batch: u64,
    /// The fate of a new queue that is found empty.
    pub emptied: Emptied,
    /// The packet that is dropped when there is no room.
    pub full: Full,
    /// A limit on the kernel's buffers of all packets, and how a packet counts.
    pub memory: Option<(Buffers, u64)>,
}

/// The bytes of a turn in Linux: 256 at least; above 2^20 it refuses.
pub(super) fn linux_quantum(quantum: Bytes) -> Result<Bytes, BuildError> {
    if quantum.0 > 1 << 20 {
        let what = format!("Linux takes no quantum of {} bytes", quantum.0);
        return Err(BuildError::new("quantum", what, "allowed: to 1048576B; below 256B it is 256B"));
    }
    Ok(Bytes(quantum.0.max(256)))
}

impl Sharing {
    /// Queues that share by the rules of RFC 8290.
    pub fn new(limit: Limit, quantum: Bytes, drop_batch: u64) -> Self {
        Sharing { limit, quantum, drop_batch, emptied: Emptied::Old, full: Full::Fattest, memory: None }
    }

    /// By the rules of Linux's `sch_fq_codel` and `sch_fq_pie`, with a quantum as they take it.
    pub fn as_linux(self) -> Result<Self, BuildError> {
        Ok(Sharing { quantum: linux_quantum(self.quantum)?, emptied: Emptied::OldIfOthersAre, ..self })
    }
}

/// The packet that is dropped when there is no room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Full {
    /// Half of the fattest queue (RFC 8290 section 4.1).
    Fattest,
    /// The packet that arrives (Linux `sch_fq_pie`).
    Arrival,
}

/// The fate of a new queue that is found empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Emptied {
    /// It goes to the end of the old ones (RFC 8290 section 4.2).
    Old,
    /// The same if there are old ones; if not, its next packet makes it new again (Linux `sch_fq_codel` and `sch_fq_pie`).
    OldIfOthersAre,
}

/// The scheduler's list that a queue is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum List {
    /// In no list: nothing waits, and it has not been served lately.
    Idle,
    New,
    Old,
}

#[derive(Clone, Debug)]
struct Flow<P> {
    queue: Policed<P>,
    /// Bytes that it may still send; below zero after a packet longer than the rest.
    deficit: i64,
    list: List,
}

impl<P: Policy> Flow<P> {
    /// Whether its deadlines do to it what those of a queue that rests do to that one.
    fn may_rest(&self, other: &Self) -> bool {
        self.queue.backlog().packets == 0 && self.queue.policy().is_like(other.queue.policy())
    }
}

/// `P` in the queue of each flow.
#[derive(Clone, Debug)]
pub struct FlowQueue<P> {
    flows: Vec<Flow<P>>,
    new: VecDeque<usize>,
    old: VecDeque<usize>,
    /// How often a queue became new.
    became_new: u64,
    /// The queues in order of their bytes.
    fattest: Longest<u64>,
    sharing: Sharing,
    backlog: Backlog,
    /// Bytes of the kernel's buffers of all packets, if they are limited.
    memory: u64,
    /// Makes the hash differ from run to run (RFC 8290 section 4.1); drawn at the first arrival.
    perturbation: Option<u64>,
    transmitting: bool,
    resting: Resting,
    /// Not later than the earliest deadline of a policy.
    due: Option<Instant>,
}

impl<P: Policy> FlowQueue<P> {
    /// One queue for each of `policies`.
    ///
    /// # Panics
    /// If there are no policies.
    pub fn new(policies: Vec<P>, sharing: Sharing) -> Self {
        assert!(!policies.is_empty(), "a flow queue has at least one queue");
        let due = policies.iter().filter_map(Policy::next_deadline).min();
        let flow = |policy| Flow { queue: Policed::new(policy, Limit::NONE), deficit: 0, list: List::Idle };
        let flows: Vec<Flow<P>> = policies.into_iter().map(flow).collect();
        let mut resting = Resting::new(flows.len());
        if due.is_some() {
            resting.settle(|index, first| flows[index].may_rest(&flows[first]));
        }
        FlowQueue {
            flows,
            new: VecDeque::new(),
            old: VecDeque::new(),
            became_new: 0,
            fattest: Longest::default(),
            sharing,
            backlog: Backlog::default(),
            memory: 0,
            perturbation: None,
            transmitting: false,
            resting,
            due,
        }
    }

    /// Calls queue `index`, and keeps the account of all.
    #[inline(always)]
    fn with<T>(&mut self, index: usize, act: impl FnOnce(&mut Policed<P>, bool) -> T) -> T {
        if self.resting.has(index) {
            self.wake(index);
        }
        let queue = &mut self.flows[index].queue;
        let before = queue.backlog();
        queue.set_beside(Backlog {
            packets: self.backlog.packets - before.packets,
            bytes: self.backlog.bytes - before.bytes,
        });
        let done = act(queue, self.transmitting);
        let after = queue.backlog();
        self.backlog.packets = self.backlog.packets + after.packets - before.packets;
        self.backlog.bytes = self.backlog.bytes + after.bytes - before.bytes;
        self.fattest.changed(index);
        self.due = [self.due, queue.policy().next_deadline()].into_iter().flatten().min();
        done
    }

    #[cold]
    fn wake(&mut self, index: usize) {
        let Some((from, to)) = self.resting.wake(index) else { return };
        if let Ok([from, to]) = self.flows.get_disjoint_mut([from, to]) {
            to.queue.policy_mut().take_over(from.queue.policy());
        }
    }

    /// RFC 8290 section 4.1: a queue that becomes active goes to the end of the new ones with a full quantum.
    fn activate(&mut self, index: usize) {
        let flow = &mut self.flows[index];
        if flow.list == List::Idle {
            flow.list = List::New;
            flow.deficit = self.sharing.quantum.0 as i64;
            self.new.push_back(index);
            self.became_new += 1;
        }
    }

    /// Drops from the head of the queue with most bytes, in batches, until the limit holds (RFC 8290 section 4.1).
    fn make_room(&mut self, now: Instant, cx: &mut Context) {
        let limit = self.sharing.limit;
        // Linux looks once at the memory, also if a batch leaves too much of it.
        let mut is_short = self.sharing.memory.is_some_and(|(_, most)| self.memory > most);
        while is_short || self.backlog.packets > limit.packets || self.backlog.bytes > limit.bytes {
            is_short = false;
            let before = cx.events.as_slice().len();
            // The first of equally fat queues; there is one, since something waits.
            let flows = &self.flows;
            let Some(fattest) = self.fattest.get(|index| flows[index].queue.backlog().bytes) else { return };
            let waited = flows[fattest].queue.backlog().bytes;
            let batch = self.sharing.drop_batch;
            self.with(fattest, |queue, transmitting| {
                let mut dropped = Backlog::default();
                while dropped.packets < batch && (dropped.packets == 0 || dropped.bytes < waited / 2) {
                    let Some(size) = queue.push_out(now, transmitting, cx) else { break };
                    dropped.packets += 1;
                    dropped.bytes += u64::from(size);
                }
            });
            self.forget_dropped(before, cx);
        }
    }

    /// Takes the next packet that the policy of queue `index` lets go.
    fn take(&mut self, index: usize, now: Instant, cx: &mut Context) -> Option<Packet> {
        let before = cx.events.as_slice().len();
        let sent = self.with(index, |queue, _| {
            let sent = queue.dequeue(now, cx);
            if sent.is_none() {
                queue.policy_mut().on_idle(now);
            }
            sent
        });
        if let Some((buffers, _)) = self.sharing.memory {
            self.memory -= sent.as_ref().map_or(0, |packet| u64::from(buffers.of(packet)));
            self.forget_dropped(before, cx);
        }
        sent
    }

    /// The memory of packets that were dropped after the first `before` events of this call.
    fn forget_dropped(&mut self, before: usize, cx: &Context) {
        let Some((buffers, _)) = self.sharing.memory else { return };
        for event in &cx.events.as_slice()[before..] {
            if let What::Drop(_) = event.what {
                self.memory -= u64::from(buffers.of(&event.packet));
            }
        }
    }

    /// Moves the queue at the head of its list.
    fn move_head(&mut self, from: List, to: List) {
        let source = if from == List::New { &mut self.new } else { &mut self.old };
        let Some(index) = source.pop_front() else { return };
        self.flows[index].list = to;
        if to == List::Old {
            self.old.push_back(index);
        }
    }
}

impl<P: Policy> QueueDiscipline for FlowQueue<P> {
    fn enqueue(&mut self, now: Instant, packet: Packet, cx: &mut Context) {
        let perturbation = *self.perturbation.get_or_insert_with(|| cx.rng.below(1 << 53));
        let index = bucket(packet.flow, perturbation, self.flows.len());
        if self.sharing.full == Full::Arrival && self.backlog.packets >= self.sharing.limit.packets {
            return self.with(index, |queue, transmitting| queue.turn_away(now, packet, transmitting, cx));
        }
        if self.with(index, |queue, transmitting| queue.enqueue(now, packet, transmitting, cx)) {
            self.activate(index);
            if let Some((buffers, _)) = self.sharing.memory {
                self.memory += u64::from(buffers.of(&packet));
            }
            self.make_room(now, cx);
        }
    }

    fn dequeue(&mut self, now: Instant, cx: &mut Context) -> Option<Packet> {
        // RFC 8290 section 4.2.
        loop {
            let (list, index) = match (self.new.front(), self.old.front()) {
                (Some(index), _) => (List::New, *index),
                (None, Some(index)) => (List::Old, *index),
                (None, None) => break,
            };
            self.transmitting = true;
            if self.flows[index].deficit <= 0 {
                self.flows[index].deficit += self.sharing.quantum.0 as i64;
                self.move_head(list, List::Old);
            } else if let Some(packet) = self.take(index, now, cx) {
                self.flows[index].deficit -= i64::from(packet.size);
                return Some(packet);
            } else {
                // An emptied new queue waits a round among the old, or it would always be new again.
                let waits = self.sharing.emptied == Emptied::Old || !self.old.is_empty();
                self.move_head(list, if list == List::New && waits { List::Old } else { List::Idle });
            }
        }
        self.transmitting = false;
        None
    }

    fn next_deadline(&self) -> Option<Instant> {
        self.due
    }

    fn on_deadline(&mut self, now: Instant, cx: &mut Context) {
        let due = |flow: &Flow<P>| flow.queue.policy().next_deadline();
        let is_due = |flow: &Flow<P>| due(flow).is_some_and(|due| due <= now);
        if let Some(first) = self.resting.first().filter(|first| is_due(&self.flows[*first])) {
            // It is empty, so that the account of all stays as it is.
            let queue = &mut self.flows[first].queue;
            queue.set_beside(self.backlog);
            queue.on_deadline(now, self.transmitting, cx);
        }
        for place in 0..self.resting.awake().len() {
            let index = self.resting.awake()[place];
            if is_due(&self.flows[index]) {
                self.with(index, |queue, transmitting| queue.on_deadline(now, transmitting, cx));
            }
        }
        let FlowQueue { flows, resting, .. } = self;
        resting.settle(|index, first| flows[index].may_rest(&flows[first]));
        let called = resting.awake().iter().copied().chain(resting.first());
        self.due = called.filter_map(|index| due(&flows[index])).min();
    }

    fn sends_chokes(&self) -> bool {
        self.flows.iter().any(|flow| flow.queue.policy().sends_chokes())
    }

    fn backlog(&self) -> Backlog {
        self.backlog
    }

    fn limit(&self) -> Limit {
        self.sharing.limit
    }

    probes! { |self|
        "new_flows" => self.new.len() as f64,
        "old_flows" => self.old.len() as f64,
        "new_flow_count" => self.became_new as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{Body, FlowId};
    use crate::queue::{Event, QueueView, Reason, Verdict};
    use crate::registry::POLICIES;
    use crate::rng::Rng;

    /// Never decides anything.
    #[derive(Clone, Debug)]
    struct Idle;

    impl Policy for Idle {
        fn on_arrival(&mut self, _: Instant, _: &Packet, _: &mut QueueView<'_>, _: &mut Rng) -> Verdict {
            Verdict::Pass
        }
    }

    struct Rig {
        queue: FlowQueue<Idle>,
        cx: Context,
    }

    impl Rig {
        /// The hash is not perturbed, so that flows 0 to 2 are known not to meet.
        fn new(limit: u64, quantum: u64) -> Self {
            let sharing = Sharing::new(Limit::packets(limit), Bytes(quantum), 64);
            let mut queue = FlowQueue::new(vec![Idle; 4096], sharing);
            queue.perturbation = Some(0);
            assert!((0..3).all(|flow| (0..flow).all(|other| at(flow) != at(other))), "the test's flows meet");
            Rig { queue, cx: Context::new(Rng::named(1, "test")) }
        }

        fn arrive(&mut self, flow: u32, seq: u64, size: u32) {
            self.queue.enqueue(Instant::ZERO, Packet::datagram(FlowId(flow), seq, size), &mut self.cx);
        }

        /// Flow and number of the next packet.
        fn take(&mut self) -> Option<(u32, u64)> {
            self.queue.dequeue(Instant::ZERO, &mut self.cx).as_ref().map(name)
        }

        fn dropped(&mut self) -> Vec<(u32, u64)> {
            let events: Vec<Event> = self.cx.events.drain().collect();
            assert!(events.iter().all(|event| event.what == What::Drop(Reason::OVERFLOW)));
            events.iter().map(|event| name(&event.packet)).collect()
        }
    }

    fn at(flow: u32) -> usize {
        bucket(FlowId(flow), 0, 4096)
    }

    fn name(packet: &Packet) -> (u32, u64) {
        match packet.body {
            Body::Datagram { seq, .. } => (packet.flow.0, seq),
            _ => unreachable!("only datagrams were queued"),
        }
    }

    #[test]
    fn flows_take_turns_by_bytes() {
        // Quantum 1500: flow 0 sends one packet of 1500, flow 1 three of 500.
        let mut rig = Rig::new(1000, 1500);
        for seq in 0..3 {
            rig.arrive(0, seq, 1500);
        }
        for seq in 0..6 {
            rig.arrive(1, seq, 500);
        }

        let order: Vec<u32> = std::iter::from_fn(|| rig.take()).map(|(flow, _)| flow).collect();

        assert_eq!(order, [0, 1, 1, 1, 0, 1, 1, 1, 0]);
    }

    #[test]
    fn a_new_flow_goes_first() {
        let mut rig = Rig::new(1000, 1000);
        for seq in 0..6 {
            rig.arrive(0, seq, 1000);
            rig.arrive(1, seq, 1000);
        }
        // Both have had their first turn and are old.
        for _ in 0..4 {
            rig.take();
        }

        rig.arrive(2, 0, 100);

        assert_eq!(rig.take(), Some((2, 0)));
    }

    #[test]
    fn an_emptied_new_flow_is_old_for_a_round() {
        let mut rig = Rig::new(1000, 1000);
        for seq in 0..6 {
            rig.arrive(0, seq, 1000);
        }
        rig.arrive(2, 0, 100);
        assert_eq!([rig.take(), rig.take()], [Some((0, 0)), Some((2, 0))]);

        // Its queue is found empty here and goes behind flow 0; its next packet has to wait for a turn.
        assert_eq!(rig.take(), Some((0, 1)));
        rig.arrive(2, 1, 100);
        assert_eq!(rig.queue.flows[at(2)].list, List::Old);
        assert_eq!(rig.take(), Some((2, 1)));
    }

    #[test]
    fn in_linux_an_emptied_new_flow_is_old_for_a_round_only_among_others() {
        for (emptied, list) in [(Emptied::Old, List::Old), (Emptied::OldIfOthersAre, List::Idle)] {
            let mut rig = Rig::new(1000, 1000);
            rig.queue.sharing.emptied = emptied;
            // Flow 0 sends its only packet and is found empty before flow 2, which is new as well.
            rig.arrive(0, 0, 100);
            rig.arrive(2, 0, 100);
            rig.arrive(2, 1, 100);
            assert_eq!([rig.take(), rig.take()], [Some((0, 0)), Some((2, 0))]);
            assert_eq!(rig.queue.flows[at(0)].list, list, "{emptied:?}");
        }
    }

    #[test]
    fn the_fattest_queue_loses_its_oldest() {
        // Flow 0 holds 20 packets of 1000 bytes, flow 1 holds 30 of 100: half of flow 0 goes, from the head.
        let mut rig = Rig::new(50, 1000);
        for seq in 0..20 {
            rig.arrive(0, seq, 1000);
        }
        for seq in 0..30 {
            rig.arrive(1, seq, 100);
        }
        assert_eq!(rig.dropped(), []);

        rig.arrive(1, 30, 100);

        assert_eq!(rig.dropped(), (0..10).map(|seq| (0, seq)).collect::<Vec<_>>());
        assert_eq!(rig.queue.backlog(), Backlog { packets: 41, bytes: 10_000 + 3_100 });
    }

    #[test]
    fn a_batch_has_at_most_64_packets() {
        let mut rig = Rig::new(200, 1000);

        for seq in 0..=200 {
            rig.arrive(0, seq, 1000);
        }

        assert_eq!(rig.dropped().len(), 64);
    }

    #[test]
    fn flows_of_one_bucket_share_a_queue() {
        let sharing = Sharing::new(Limit::packets(100), Bytes(100), 64);
        let mut queue = FlowQueue::new(vec![Idle], sharing);
        let mut cx = Context::new(Rng::named(1, "test"));
        for flow in [3, 1, 2, 1] {
            queue.enqueue(Instant::ZERO, Packet::datagram(FlowId(flow), 0, 1000), &mut cx);
        }

        let order: Vec<u32> =
            std::iter::from_fn(|| queue.dequeue(Instant::ZERO, &mut cx)).map(|packet| packet.flow.0).collect();

        assert_eq!(order, [3, 1, 2, 1]);
    }

    #[test]
    fn the_hash_spreads_flows_evenly() {
        // 64000 flows in 64 queues: 1000 each, standard deviation 31.4; five of them.
        let mut counts = [0_u32; 64];
        for flow in 0..64_000 {
            counts[bucket(FlowId(flow), 12_345, 64)] += 1;
        }

        assert!(counts.iter().all(|count| count.abs_diff(1000) < 157), "{counts:?}");
    }

    #[test]
    fn every_registered_policy_can_stand_in_it() {
        for entry in POLICIES {
            let mut args = ENTRY.args(None).expect("defaults");
            args.set_text("policy", entry.name).expect("a policy of the registry");
            assert!(ENTRY.build(&args, &LinkContext::default()).is_ok(), "{}", entry.name);
        }
    }
}
