//! Fair queueing by flow: a queue for each hash of flows, all with the same weight. The next packet is the one that a server of all queues
//! at once would finish first. A full buffer drops from the longest. Specification: [Dem89] Demers, Keshav and Shenker, "Analysis and
//! Simulation of a Fair Queueing Algorithm", SIGCOMM 1989 (bit-by-bit round robin), [Nag87] Nagle, "On Packet Switches with Infinite
//! Storage", 1987; the laws are in [`virtual_time`](super::virtual_time). Compared with: a second implementation in Python.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | Flows are hashed by their number, with a key that is drawn | an attacker cannot aim; the simulation knows no addresses | `flows_of_one_hash_share_a_queue` |
//! | No promptness (the delta of [Dem89] section 2.3 is 0) | the paper's own simulations | - |
//! | The longest queue loses the packet that waits longest with `drop_from = "front"` | as in ns-2's DRR | `the_longest_queue_loses_a_packet` |

use super::virtual_time::{Law, VirtualTime};
use crate::mechanism::hash::bucket;
use crate::mechanism::longest::Longest;
use crate::queue::inner::InnerPolicy;
use crate::queue::prelude::*;
use crate::queue::{End, Policed};

pub static ENTRY: QueueEntry = QueueEntry {
    name: "fq",
    title: "FQ (fair queueing by flow)",
    doc: "Fair queueing by flow, as if flows sent bit by bit in turn. Flows are hashed to queues and share the link evenly in \
          bytes; a full buffer takes from the longest queue.",
    reference: "Nagle 1987; Demers, Keshav and Shenker 1989",
    decides: "It decides by virtual time: the packet goes next that would be finished first if all flows were served at once, \
          bit by bit. With the defaults nothing is dropped before the buffer is full.",
    ..QueueEntry::of_discipline::<Params>(build)
};

choices! {
    /// Which packet of the longest queue is lost when there is no room.
    pub enum DropFrom {
        /// The one that waits longest.
        Front = "front",
        /// The one that came last.
        Back = "back",
    }
}

params! {
    pub struct Params {
        /// The most that may wait in all queues together.
        limit: Size = "100p" in [0.0, 1e12], "as fifo";
        /// Queues that flows are hashed to.
        queues: u64 = "1024" in [1.0, 65536.0], "as drr";
        /// How the virtual time passes.
        law: Law = "wfq", "[Dem89]: bit-by-bit round robin";
        /// Which packet of the longest queue is lost when there is no room.
        drop_from: DropFrom = "back", "[Dem89] section 2.2: the last packet of the flow that uses most";
        /// The policy in each flow's queue.
        policy: InnerPolicy = "fifo", "[Dem89]";
    }
}

fn build(args: &Args, link: &LinkContext) -> Result<Box<dyn QueueDiscipline>, BuildError> {
    let params: Params = args.typed();
    let queue = |policy| Policed::new(policy, Limit::NONE);
    let policies = (0..params.queues).map(|_| params.policy.build("policy", link));
    let queues = policies.map(|policy| policy.map(queue)).collect::<Result<Vec<_>, _>>()?;
    Ok(Box::new(Fq {
        time: VirtualTime::new(params.law, queues.iter().map(|_| 1.0), link.rate),
        longest: Longest::default(),
        due: queues.iter().filter_map(|each| each.policy().next_deadline()).min(),
        queues,
        limit: Limit::from_size(params.limit, link),
        drop_from: if params.drop_from == DropFrom::Front { End::Head } else { End::Tail },
        key: None,
        backlog: Backlog::default(),
        transmitting: false,
    }))
}

struct Fq {
    queues: Vec<Policed<Box<dyn Policy>>>,
    time: VirtualTime,
    /// The queues in order of their bytes.
    longest: Longest<u64>,
    limit: Limit,
    drop_from: End,
    /// Makes the hash differ; drawn at the first arrival.
    key: Option<u64>,
    backlog: Backlog,
    transmitting: bool,
    /// Not later than the earliest deadline of a policy.
    due: Option<Instant>,
}

impl Fq {
    /// Calls a queue, and keeps the account of all.
    fn with<T>(&mut self, index: usize, act: impl FnOnce(&mut Policed<Box<dyn Policy>>, bool) -> T) -> T {
        let queue = &mut self.queues[index];
        let before = queue.backlog();
        queue.set_beside(Backlog {
            packets: self.backlog.packets - before.packets,
            bytes: self.backlog.bytes - before.bytes,
        });
        let done = act(queue, self.transmitting);
        let after = queue.backlog();
        self.backlog.packets = self.backlog.packets + after.packets - before.packets;
        self.backlog.bytes = self.backlog.bytes + after.bytes - before.bytes;
        self.due = [self.due, queue.policy().next_deadline()].into_iter().flatten().min();
        self.longest.changed(index);
        done
    }

    fn waiting(&self, index: usize) -> u64 {
        self.queues[index].backlog().packets
    }
}

impl QueueDiscipline for Fq {
    fn enqueue(&mut self, now: Instant, packet: Packet, cx: &mut Context) {
        let key = *self.key.get_or_insert_with(|| cx.rng.below(1 << 53));
        let index = bucket(packet.flow, key, self.queues.len());
        if !self.with(index, |queue, transmitting| queue.enqueue(now, packet, transmitting, cx)) {
            return;
        }
        self.time.joined(now, index, packet.size, self.waiting(index));
        while self.backlog.packets > self.limit.packets || self.backlog.bytes > self.limit.bytes {
            let queues = &self.queues;
            let Some(longest) = self.longest.get(|other| queues[other].backlog().bytes) else { return };
            let end = self.drop_from;
            self.with(longest, |queue, transmitting| queue.push_out_at(end, now, transmitting, cx));
            self.time.forget(longest, self.waiting(longest));
        }
    }

    fn dequeue(&mut self, now: Instant, cx: &mut Context) -> Option<Packet> {
        self.transmitting = true;
        while let Some(index) = self.time.choose(now) {
            let packet = self.with(index, |queue, _| queue.dequeue(now, cx));
            self.time.sent(index, packet.is_some(), self.waiting(index));
            if self.waiting(index) == 0 {
                self.queues[index].policy_mut().on_idle(now);
            }
            if packet.is_some() {
                return packet;
            }
        }
        self.time.rest(now);
        self.transmitting = false;
        None
    }

    fn next_deadline(&self) -> Option<Instant> {
        self.due
    }

    fn on_deadline(&mut self, now: Instant, cx: &mut Context) {
        for index in 0..self.queues.len() {
            if self.queues[index].policy().next_deadline().is_some_and(|due| due <= now) {
                self.with(index, |queue, transmitting| queue.on_deadline(now, transmitting, cx));
            }
        }
        self.due = self.queues.iter().filter_map(|queue| queue.policy().next_deadline()).min();
    }

    fn sends_chokes(&self) -> bool {
        self.queues.iter().any(|queue| queue.policy().sends_chokes())
    }

    fn backlog(&self) -> Backlog {
        self.backlog
    }

    fn limit(&self) -> Limit {
        self.limit
    }

    probes! { |self|
        "virtual_time" => self.time.now(),
    }
}

#[cfg(test)]
mod tests {
    use super::ENTRY;
    use crate::rig::SchedulerRig;

    /// A number of queues in which ten flows do not meet, with the key that is drawn here.
    fn fq(settings: &[(&str, &str)]) -> SchedulerRig {
        let mut all = vec![("queues", "65536")];
        all.extend(settings);
        SchedulerRig::new(&ENTRY, &all)
    }

    #[test]
    fn flows_share_evenly_in_bytes() {
        for law in ["wfq", "scfq", "wf2q+"] {
            let mut rig = fq(&[("law", law), ("limit", "10000p")]);
            for _ in 0..3000 {
                rig.arrive(0.0, &[1], 500);
                rig.arrive(0.0, &[2], 1500);
            }
            // 3 to 1 in packets, by less than a packet of either.
            let of_first = rig.serve(0.0, 2000).iter().filter(|flow| **flow == 1).count();
            assert!((1498..=1502).contains(&of_first), "{law}: {of_first}");
        }
    }

    #[test]
    fn a_flow_that_sends_little_does_not_wait_for_those_that_send_much() {
        // 20 packets of flow 1 wait; one of flow 2 goes behind the one of flow 1 with the same finish, which came first.
        let mut rig = fq(&[]);
        rig.arrive(0.0, &[1; 20], 1000);
        assert_eq!(rig.serve(0.0, 5), [1; 5]);
        rig.arrive(4.5, &[2], 1000);
        let place = rig.serve(5.0, 5).iter().position(|flow| *flow == 2);
        assert!(place.is_some_and(|place| place <= 1), "{place:?}");
    }

    #[test]
    fn the_longest_queue_loses_a_packet() {
        let lost = |settings: &[(&str, &str)]| {
            let mut rig = fq(settings);
            rig.arrive(0.0, &[1, 1, 1, 2, 3], 1000);
            let lost: Vec<(u32, u64)> =
                rig.cx.events.drain().map(|event| crate::discipline::round_robin::rig::name(&event.packet)).collect();
            (lost, rig.serve(0.0, 9).len())
        };
        assert_eq!(lost(&[("limit", "4p")]), (vec![(1, 2)], 4));
        assert_eq!(lost(&[("limit", "4p"), ("drop_from", "front")]), (vec![(1, 0)], 4));
        assert_eq!(lost(&[("limit", "3000B")]), (vec![(1, 2), (1, 1)], 3), "bytes");
    }

    #[test]
    fn flows_of_one_hash_share_a_queue() {
        let mut rig = SchedulerRig::new(&ENTRY, &[("queues", "1")]);
        rig.arrive(0.0, &[1, 1, 1, 2], 1000);
        assert_eq!(rig.serve(0.0, 4), [1, 1, 1, 2]);
    }
}
