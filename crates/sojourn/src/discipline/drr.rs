//! DRR (deficit round robin): a queue for each of a few hashes of flows, served in turn by bytes; a full buffer drops from the longest.
//! Specification: Shreedhar and Varghese, "Efficient Fair Queueing Using Deficit Round Robin", SIGCOMM 1995 [Shr95]. Compared with: ns-2
//! 2.35 `Queue/DRR` (behaviour). [`RoundRobin`] serves [`sfq`](super::sfq) too; `flow_queue` differs from both: new flows first, and half
//! of the fattest queue dropped at once.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | The first in turn of equally long queues loses a packet | [Shr95] does not say; as ns-2 | `the_longest_queue_loses_a_packet` |
//! | A queue that loses its last packet forgets its deficit and its turn; ns-2 keeps them | [Shr95]: an empty queue has no deficit | `an_empty_queue_has_no_deficit` |
//! | Flows are hashed by their number | the simulation knows no addresses | - |

mod queue_red;

use crate::queue::prelude::*;
use std::collections::VecDeque;

use crate::mechanism::hash::bucket;
use crate::mechanism::longest::Longest;
use crate::mechanism::round::Round;
pub use queue_red::QueueRed;

/// The registry's entry.
pub static ENTRY: QueueEntry = QueueEntry {
    name: "drr",
    title: "DRR (deficit round robin)",
    doc: "Fair queueing by flow in turns of bytes. Flows are hashed to queues, which are served in turn. The unused bytes of a turn are \
          added to the next one. A full buffer drops from the longest queue.",
    reference: "Shreedhar and Varghese 1995",
    decides: "It decides by turns of bytes whose packet goes next. Nothing is dropped before the buffer is full; then the \
          longest queue loses a packet.",
    presets: presets! {
        /// Shreedhar and Varghese 1995: a quantum of the largest packet, so that each turn sends one.
        paper = { quantum = "1500B", drop_from = "back" };
        /// ns-2 2.35's defaults: 25000 bytes, 10 queues, a quantum of 250 bytes, drops from the front.
        ns2 = { limit = "25000B", queues = "10", quantum = "250B", drop_from = "front" };
    },
    ..QueueEntry::of_discipline::<Params>(build)
};

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

params! {
    /// Parameters of DRR.
    pub struct Params {
        ..round_robin: Settings;
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

#[allow(clippy::unnecessary_wraps, reason = "the registry's signature")]
fn build(args: &Args, link: &LinkContext) -> Result<Box<dyn QueueDiscipline>, BuildError> {
    let params: Params = args.typed();
    Ok(Box::new(RoundRobin::new(params.round_robin.queues, params.rules(link))))
}

impl Params {
    fn rules(&self, link: &LinkContext) -> Rules {
        Rules {
            limit: Limit::from_size(self.round_robin.limit, link),
            service: Service::Deficit { quantum: self.round_robin.quantum.0 as i64 },
            full: Full::Longest { from: self.round_robin.drop_from, by: Length::Bytes, of_equals: OfEquals::FirstTurn },
            depth: u64::MAX,
            perturb: Duration::ZERO,
        }
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
    /// One packet.
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
        /// Which one.
        from: DropFrom,
        /// The measure of length.
        by: Length,
        /// Which of several that are equally long.
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
    /// By length, and among equals by the rules.
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

    /// With RED in each queue.
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
            self.rehash();
        }
        bucket(packet.flow, self.key.unwrap_or(0), self.queues.len())
    }

    /// Sorts waiting packets into the queues of the new hash: packets of a flow keep their order (Linux).
    fn rehash(&mut self) {
        let key = self.key.unwrap_or(0);
        let mut waiting = Vec::new();
        while let Some(index) = self.round.first() {
            self.round.leave(index);
            self.longest.changed(index);
            waiting.extend(std::mem::take(&mut self.queues[index]).packets);
        }
        self.backlog = Backlog::default();
        for packet in waiting {
            self.push(bucket(packet.flow, key, self.queues.len()), packet);
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

    fn probes(&self) -> &'static [&'static str] {
        &["active_queues"]
    }

    fn probe(&self, _index: usize) -> f64 {
        self.round.len() as f64
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

#[cfg(test)]
mod tests {
    use super::rig::Rig;
    use super::*;
    use crate::rig::args;

    fn drr(preset: &str, settings: &[(&str, &str)]) -> Rig {
        let params: Params = args(&ENTRY, Some(preset), settings).typed();
        Rig::new(params.rules(&LinkContext::default()))
    }

    #[test]
    fn the_papers_example_of_deficits() {
        // [Shr95] figures 2 and 3: quantum 500; queue 1 holds 200, 750 ... Its first turn sends 200 and leaves 300; the second
        // has 800 for 750.
        let mut rig = drr("paper", &[("quantum", "500B")]);
        for size in [200, 750, 20] {
            rig.arrive(&[1], size);
        }
        rig.arrive(&[2, 2], 500);

        assert_eq!(rig.serve(1), [1]);
        assert_eq!(rig.serve(1), [2], "750 do not fit into 300");
        assert_eq!(rig.serve(2), [1, 1], "50 are left for 20");
        assert_eq!(rig.serve(9), [2]);
    }

    #[test]
    fn flows_share_by_bytes() {
        let mut rig = drr("paper", &[("limit", "1000p")]);
        rig.arrive(&[1; 100], 1500);
        rig.arrive(&[2; 300], 500);

        let sent = rig.serve(200);

        // In 50 rounds each sends 1500 bytes.
        assert_eq!(sent.iter().filter(|flow| **flow == 1).count(), 50);
    }

    #[test]
    fn a_new_flow_waits_for_its_turn() {
        let mut rig = drr("paper", &[]);
        rig.arrive(&[1, 1, 2, 2], 1500);
        assert_eq!(rig.serve(1), [1]);

        rig.arrive(&[3], 100);

        // Behind flow 2, before the second turn of flow 1; flow_queue would send it first.
        assert_eq!(rig.serve(9), [2, 3, 1, 2]);
    }

    #[test]
    fn the_longest_queue_loses_a_packet() {
        for (preset, lost) in [("paper", (1, 4)), ("ns2", (1, 0))] {
            let mut rig = drr(preset, &[("limit", "6p")]);
            // Three each: flow 1 has its turn first.
            assert_eq!(rig.arrive(&[1, 2, 2, 1, 1, 2], 1000), []);
            assert_eq!(rig.arrive(&[3], 1000), [lost], "{preset}");
        }
    }

    #[test]
    fn an_empty_queue_has_no_deficit() {
        let mut rig = drr("paper", &[("quantum", "1000B")]);
        rig.arrive(&[1], 100);
        assert_eq!(rig.serve(1), [1]);

        // 900 were left; a packet of 1500 needs two turns all the same.
        rig.arrive(&[1], 1500);
        rig.arrive(&[2, 2], 1000);

        assert_eq!(rig.serve(9), [2, 1, 2]);
    }

    #[test]
    fn a_packet_larger_than_the_buffer_goes() {
        let mut rig = drr("paper", &[("limit", "1200B")]);

        assert_eq!(rig.arrive(&[1], 1500), [(1, 0)]);
        assert_eq!(rig.serve(1), [0; 0]);
    }
}
