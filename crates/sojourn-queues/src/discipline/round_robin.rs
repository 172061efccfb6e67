//! Queues that flows are hashed to, and that are served in turn by bytes or by packets: the machine of [`drr`](super::drr) and of
//! [`sfq`](super::sfq), whose headers have their specifications.

mod queue_red;

use crate::queue::prelude::*;
use std::collections::VecDeque;

use crate::mechanism::hash::bucket;
use crate::mechanism::longest::Longest;
use crate::mechanism::round::Round;
pub use queue_red::QueueRed;

params! {
    /// Queues in a round, which flows are hashed to.
    pub struct Settings {
        /// The most that may wait in all queues together.
        limit: Size = "100p" in [0.0, 1e12], "as fifo";
        /// Queues that flows are hashed to.
        queues: u64 = "1024" in [1.0, 65536.0], "as flow_queue; [Shr95]: more than flows";
        /// Bytes by which a queue may send more at each turn.
        quantum: Bytes = "1500B" in [1.0, 1e9], "[Shr95] section 4: at least the largest packet";
        /// Which packet of the longest queue is lost when there is no room.
        drop_from: DropFrom = "back", "[Shr95] does not say; ns-2 2.35 drr.cc for front";
    }
}

choices! {
    /// The packet of a queue that is dropped.
    pub enum DropFrom {
        /// The one that waits longest.
        Front = "front",
        /// The one that came last.
        Back = "back",
    }
}

/// The amount that a queue may send in its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Service {
    /// Packets that fit into its deficit, which grows by a quantum at each turn ([Shr95]).
    Deficit {
        /// Bytes; at least 1.
        quantum: i64,
    },
    /// Packets as long as its allotment is above zero, below which the last one may take it (Linux).
    Surplus {
        /// Bytes; at least 1.
        quantum: i64,
    },
    Packet,
}

/// The measure of a queue's length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// Many packets.
    Packets,
    /// Many bytes.
    Bytes,
}

choices! {
    /// Which of several equally long queues loses a packet.
    pub enum OfEquals {
        /// The one whose turn comes first.
        FirstTurn = "first_turn",
        /// The one that came to this length last, so that it is mostly that of the packet that arrives (Linux); of queues of one packet the
        /// one whose turn comes first.
        LastChanged = "last_changed",
    }
}

/// The rule if there is no room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Full {
    /// The longest queue loses a packet.
    Longest {
        /// The packet that is lost.
        from: DropFrom,
        /// The measure of length.
        by: Length,
        /// The queue that loses it, of several that are equally long.
        of_equals: OfEquals,
    },
    /// ns-2's SFQ: the packet that arrives goes, if its queue holds half of the room left, or more than an even part where
    /// less room than queues is left. The buffer in packets is this.
    FairShare {
        /// Packets of the buffer.
        buffer: u64,
    },
}

/// How queues share a link and a buffer.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// The limit of all queues together.
    pub limit: Limit,
    /// The amount that a queue sends in its turn.
    pub service: Service,
    /// The rule if there is no room.
    pub full: Full,
    /// Packets that a queue may hold.
    pub depth: u64,
    /// Queues that may hold packets at a time.
    pub flows: u64,
    /// Time after which the hash changes; 0: never.
    pub perturb: Duration,
}

#[derive(Clone, Debug, Default)]
struct Queue {
    packets: VecDeque<Packet>,
    bytes: u64,
    /// Bytes that it may still send.
    deficit: i64,
    /// It has got its quantum for this turn.
    has_turn: bool,
    /// When its length changed last, by the number of changes so far.
    changed: u64,
    /// Its RED, if queues have one, while something waits.
    red: Option<Box<QueueRed>>,
}

impl Queue {
    fn length(&self, by: Length) -> u64 {
        match by {
            Length::Packets => self.packets.len() as u64,
            Length::Bytes => self.bytes,
        }
    }
}

/// Queues served in turn.
#[derive(Clone, Debug)]
pub struct RoundRobin {
    queues: Vec<Queue>,
    /// Those that hold something.
    round: Round,
    /// The queues in order of their lengths; the rules order equals.
    longest: Longest<(u64, u64)>,
    rules: Rules,
    /// RED of a queue that begins.
    red: Option<Box<QueueRed>>,
    backlog: Backlog,
    /// Changes of lengths so far.
    changes: u64,
    /// Makes the hash differ; drawn at the first arrival.
    key: Option<u64>,
    perturbed: Instant,
}

impl RoundRobin {
    /// Empty; at least one queue.
    pub fn new(queues: u64, rules: Rules) -> Self {
        RoundRobin {
            queues: vec![Queue::default(); queues as usize],
            round: Round::new(queues as usize),
            longest: Longest::default(),
            rules,
            red: None,
            backlog: Backlog::default(),
            changes: 0,
            key: None,
            perturbed: Instant::ZERO,
        }
    }

    /// The same discipline with RED in each queue.
    #[must_use]
    pub fn with_red(self, red: Option<QueueRed>) -> Self {
        RoundRobin { red: red.map(Box::new), ..self }
    }

    /// The queue of a packet; a new hash first if it is time for one.
    fn classify(&mut self, now: Instant, packet: &Packet, cx: &mut Context) -> usize {
        let perturb = self.rules.perturb;
        if self.key.is_none() || (perturb > Duration::ZERO && now.since(self.perturbed) >= perturb) {
            self.key = Some(cx.rng.below(1 << 53));
            self.perturbed = now;
            self.rehash(now, cx);
        }
        bucket(packet.flow, self.key.unwrap_or(0), self.queues.len())
    }

    /// Sorts waiting packets into the queues of the new hash: packets of a flow keep their order (Linux). With Linux's bounds, packets are
    /// lost that find a queue full, or none.
    fn rehash(&mut self, now: Instant, cx: &mut Context) {
        let key = self.key.unwrap_or(0);
        let mut waiting = Vec::new();
        while let Some(index) = self.round.first() {
            self.round.leave(index);
            self.longest.changed(index);
            waiting.extend(std::mem::take(&mut self.queues[index]).packets);
        }
        self.backlog = Backlog::default();
        let Rules { flows, depth, .. } = self.rules;
        for packet in waiting {
            let index = bucket(packet.flow, key, self.queues.len());
            let there = self.queues[index].packets.len() as u64;
            if flows < u64::MAX && (there >= depth || (there == 0 && self.round.len() as u64 >= flows)) {
                cx.events.drop(now, packet, Reason::OVERFLOW);
            } else {
                self.push(index, packet);
            }
        }
    }

    fn push(&mut self, index: usize, packet: Packet) {
        let queue = &mut self.queues[index];
        self.backlog.packets += 1;
        self.backlog.bytes += u64::from(packet.size);
        queue.bytes += u64::from(packet.size);
        self.changes += 1;
        queue.changed = self.changes;
        queue.packets.push_back(packet);
        if queue.packets.len() == 1 {
            queue.has_turn = false;
            queue.red.clone_from(&self.red);
            // Linux gives a quantum at once; by deficit it comes with the turn.
            queue.deficit = if let Service::Surplus { quantum } = self.rules.service { quantum } else { 0 };
            self.round.join(index);
        }
        self.longest.changed(index);
    }

    fn take(&mut self, index: usize, from: DropFrom) -> Option<Packet> {
        let queue = &mut self.queues[index];
        let packet = match from {
            DropFrom::Front => queue.packets.pop_front(),
            DropFrom::Back => queue.packets.pop_back(),
        }?;
        queue.bytes -= u64::from(packet.size);
        self.changes += 1;
        queue.changed = self.changes;
        self.backlog.packets -= 1;
        self.backlog.bytes -= u64::from(packet.size);
        if queue.packets.is_empty() {
            self.round.leave(index);
        }
        self.longest.changed(index);
        Some(packet)
    }

    /// A packet takes the place of the first one of its queue, behind all others: the queue keeps its turn and its length.
    fn replace_first(&mut self, index: usize, packet: Packet) -> Packet {
        let queue = &mut self.queues[index];
        let (size, lost) = (u64::from(packet.size), queue.packets.pop_front().unwrap_or(packet));
        queue.packets.push_back(packet);
        queue.bytes = queue.bytes + size - u64::from(lost.size);
        self.backlog.bytes = self.backlog.bytes + size - u64::from(lost.size);
        self.longest.changed(index);
        lost
    }

    /// Why RED drops a packet of the queue for this arrival, if it does. Where it marks, it marks the first packet if drops are from the
    /// front.
    fn red_drops(&mut self, now: Instant, index: usize, packet: &mut Packet, cx: &mut Context) -> Option<Reason> {
        let queue = &mut self.queues[index];
        let red = queue.red.as_mut().filter(|_| !queue.packets.is_empty())?;
        let (reason, marks) = red.says(now, queue.bytes, &mut cx.rng)?;
        let first = match self.rules.full {
            Full::Longest { from: DropFrom::Front, .. } => queue.packets.front_mut(),
            _ => None,
        };
        let capable = first.into_iter().chain([packet]).find(|one| one.ecn.is_capable());
        match capable.filter(|_| marks) {
            Some(marked) => {
                cx.events.mark(now, marked, reason);
                None
            }
            None => Some(reason),
        }
    }

    /// The turn of a queue that still holds something is over.
    fn end_turn(&mut self, index: usize) {
        self.round.turn_ends(index);
        self.longest.changed(index);
    }

    /// The longest queue.
    fn longest(&mut self, by: Length, of_equals: OfEquals) -> Option<usize> {
        let (queues, round) = (&self.queues, &self.round);
        self.longest.get(|index| match queues[index].packets.len() {
            0 => (0, 0),
            2.. if of_equals == OfEquals::LastChanged => (queues[index].length(by), queues[index].changed),
            _ => (queues[index].length(by), round.soonness(index)),
        })
    }

    /// Whether ns-2's SFQ lets a packet into this queue: `used < left / 2`, and an even part where room is short.
    fn has_share(&self, index: usize, buffer: u64) -> bool {
        let used = self.queues[index].packets.len() as u64;
        let (left, queues) = (buffer.saturating_sub(self.backlog.packets), self.queues.len() as u64);
        left > 0 && used < left / 2 && (left >= queues || used <= buffer / queues)
    }

    fn is_over(&self) -> bool {
        self.backlog.packets > self.rules.limit.packets || self.backlog.bytes > self.rules.limit.bytes
    }
}

impl QueueDiscipline for RoundRobin {
    fn enqueue(&mut self, now: Instant, mut packet: Packet, cx: &mut Context) {
        let index = self.classify(now, &packet, cx);
        packet.enqueued_at = now;
        match self.rules.full {
            Full::FairShare { buffer } => {
                if !self.has_share(index, buffer) || !self.rules.limit.admits(self.backlog, &packet) {
                    cx.events.drop(now, packet, Reason::OVERFLOW);
                    return;
                }
                self.push(index, packet);
            }
            Full::Longest { from, by, of_equals } => {
                if self.queues[index].packets.is_empty() && self.round.len() as u64 >= self.rules.flows {
                    cx.events.drop(now, packet, Reason::OVERFLOW);
                    return;
                }
                let is_deep = self.queues[index].packets.len() as u64 >= self.rules.depth;
                let early = if self.red.is_some() { self.red_drops(now, index, &mut packet, cx) } else { None };
                if let Some(reason) = early.or(is_deep.then_some(Reason::OVERFLOW)) {
                    let lost = if from == DropFrom::Front { self.replace_first(index, packet) } else { packet };
                    cx.events.drop(now, lost, reason);
                    return;
                }
                self.push(index, packet);
                while self.is_over() {
                    let Some(lost) = self.longest(by, of_equals).and_then(|queue| self.take(queue, from)) else {
                        return;
                    };
                    cx.events.drop(now, lost, Reason::OVERFLOW);
                }
            }
        }
    }

    fn dequeue(&mut self, _now: Instant, _cx: &mut Context) -> Option<Packet> {
        loop {
            let index = self.round.first()?;
            let queue = &mut self.queues[index];
            let size = i64::from(queue.packets.front()?.size);
            let goes = match self.rules.service {
                Service::Deficit { quantum } => {
                    if !queue.has_turn {
                        queue.deficit += quantum;
                        queue.has_turn = true;
                    }
                    size <= queue.deficit
                }
                Service::Surplus { quantum } => {
                    let goes = queue.deficit > 0;
                    if !goes {
                        queue.deficit += quantum;
                    }
                    goes
                }
                Service::Packet => true,
            };
            if goes {
                queue.deficit -= size;
                let packet = self.take(index, DropFrom::Front);
                if self.rules.service == Service::Packet && !self.queues[index].packets.is_empty() {
                    self.end_turn(index);
                }
                return packet;
            }
            queue.has_turn = false;
            self.end_turn(index);
        }
    }

    fn backlog(&self) -> Backlog {
        self.backlog
    }

    fn limit(&self) -> Limit {
        self.rules.limit
    }

    probes! { |self|
        "active_queues" => self.round.len() as f64,
    }
}

/// A driver for the tests of DRR and SFQ.
#[cfg(test)]
pub(crate) mod rig {
    use super::*;
    use crate::packet::{Body, FlowId};
    use crate::rng::Rng;

    pub(in crate::discipline) struct Rig {
        pub(in crate::discipline) queue: RoundRobin,
        pub(in crate::discipline) cx: Context,
        seq: u64,
    }

    pub(crate) fn name(packet: &Packet) -> (u32, u64) {
        match packet.body {
            Body::Datagram { seq, .. } => (packet.flow.0, seq),
            _ => unreachable!("only datagrams were queued"),
        }
    }

    impl Rig {
        /// 4096 queues with a hash under which flows 0 to 9 do not meet.
        pub(in crate::discipline) fn new(rules: Rules) -> Self {
            let mut queue = RoundRobin::new(4096, rules);
            queue.key = Some(0);
            let mut places: Vec<usize> = (0..10).map(|flow| bucket(FlowId(flow), 0, 4096)).collect();
            places.sort_unstable();
            places.dedup();
            assert_eq!(places.len(), 10, "the test's flows meet");
            Rig { queue, cx: Context::new(Rng::named(1, "round robin")), seq: 0 }
        }

        /// A number of queues with a hash under which flows 1 and 2 do not meet.
        pub(in crate::discipline) fn with_queues(queues: u64, rules: Rules) -> Self {
            let place = |flow, key| bucket(FlowId(flow), key, queues as usize);
            let mut rig = Rig::new(rules);
            rig.queue = RoundRobin::new(queues, rules);
            rig.queue.key = (0..100).find(|key| place(1, *key) != place(2, *key));
            rig
        }

        /// Packets of this size come, numbered from 0 on; flows and numbers of those that are dropped.
        pub(in crate::discipline) fn arrive(&mut self, flows: &[u32], size: u32) -> Vec<(u32, u64)> {
            for flow in flows {
                self.queue.enqueue(Instant::ZERO, Packet::datagram(FlowId(*flow), self.seq, size), &mut self.cx);
                self.seq += 1;
            }
            self.cx.events.drain().map(|event| name(&event.packet)).collect()
        }

        /// Flows of the next packets.
        pub(in crate::discipline) fn serve(&mut self, packets: usize) -> Vec<u32> {
            let mut next = || self.queue.dequeue(Instant::ZERO, &mut self.cx);
            (0..packets).filter_map(|_| next()).map(|packet| packet.flow.0).collect()
        }
    }
}
