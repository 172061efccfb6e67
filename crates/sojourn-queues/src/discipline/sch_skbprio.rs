//! `skbprio` of Linux: the packet with the highest priority goes first, and if there is no room the last one with the lowest priority is
//! lost. Specification: the behaviour of Linux 6.12, `sch_skbprio`; tc-skbprio is described in `Documentation` of iproute2 and in the
//! module. Compared with: the kernel beside it (`evidence/linux`).
//!
//! A priority is from 0 to 63. A router makes one of four of the codepoint; with tc's `skbedit priority inheritdsfield` it is the
//! codepoint.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | A host's own packets have the priority of their codepoint, too | as [`sch_prio`](super::sch_prio) | - |

use std::collections::VecDeque;

use super::leaves::priority_of;
use crate::queue::prelude::*;

/// The registry's entry.
pub static ENTRY: QueueEntry = QueueEntry {
    name: "sch_skbprio",
    title: "skbprio of Linux",
    doc: "A queue by priority that keeps room for important packets, as in Linux. The packet of the highest priority goes first; if there \
          is no room, the lowest priority loses its last packet.",
    reference: "Sailer and others 2018; Linux sch_skbprio",
    decides: "It decides by priority, which follows from the codepoint of a packet, which one goes first and which one is lost.",
    ..QueueEntry::of_discipline::<Params>(build)
};

params! {
    /// Parameters of skbprio.
    pub struct Params {
        /// The most packets that may wait.
        limit: Size = "64p" in [0.0, 1e12], "Linux sch_skbprio";
        /// The source of the priority.
        priorities: Priorities = "router", "Linux ip_forward";
    }
}

choices! {
    /// The source of the priority of a packet.
    pub enum Priorities {
        /// Best effort 0, bulk 2, interactive bulk 4, interactive 6, by three bits of the codepoint.
        Router = "router",
        /// The codepoint, from 0 to 63, as with `skbedit priority inheritdsfield`.
        Codepoint = "codepoint",
    }
}

const PRIORITIES: usize = 64;

#[expect(clippy::unnecessary_wraps, reason = "the registry's type")]
fn build(args: &Args, link: &LinkContext) -> Result<Box<dyn QueueDiscipline>, BuildError> {
    let params: Params = args.typed();
    Ok(Box::new(SkbPrio {
        limit: link.packets(params.limit) as u64,
        priorities: params.priorities,
        queues: vec![VecDeque::new(); PRIORITIES],
        waiting: 0,
        backlog: Backlog::default(),
    }))
}

struct SkbPrio {
    limit: u64,
    priorities: Priorities,
    queues: Vec<VecDeque<Packet>>,
    /// A bit for each priority of which packets wait.
    waiting: u64,
    backlog: Backlog,
}

impl SkbPrio {
    fn remove(
        &mut self,
        priority: usize,
        take: impl FnOnce(&mut VecDeque<Packet>) -> Option<Packet>,
    ) -> Option<Packet> {
        let packet = take(&mut self.queues[priority])?;
        if self.queues[priority].is_empty() {
            self.waiting &= !(1 << priority);
        }
        self.backlog.packets -= 1;
        self.backlog.bytes -= u64::from(packet.size);
        Some(packet)
    }
}

impl QueueDiscipline for SkbPrio {
    fn enqueue(&mut self, now: Instant, mut packet: Packet, cx: &mut Context) {
        packet.enqueued_at = now;
        let priority = match self.priorities {
            Priorities::Router => priority_of(&packet),
            Priorities::Codepoint => usize::from(packet.dscp.number()),
        };
        if self.backlog.packets >= self.limit {
            let lowest = self.waiting.trailing_zeros() as usize;
            if priority <= lowest {
                return cx.events.drop(now, packet, Reason::OVERFLOW);
            }
            if let Some(lost) = self.remove(lowest, VecDeque::pop_back) {
                cx.events.drop(now, lost, Reason::OVERFLOW);
            }
        }
        self.queues[priority].push_back(packet);
        self.waiting |= 1 << priority;
        self.backlog.packets += 1;
        self.backlog.bytes += u64::from(packet.size);
    }

    fn dequeue(&mut self, _now: Instant, _cx: &mut Context) -> Option<Packet> {
        let highest = self.waiting.checked_ilog2()? as usize;
        self.remove(highest, VecDeque::pop_front)
    }

    fn backlog(&self) -> Backlog {
        self.backlog
    }

    fn limit(&self) -> Limit {
        Limit { packets: self.limit, bytes: u64::MAX }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::header::Dscp;
    use crate::packet::FlowId;
    use crate::rig::{args, at};

    /// Flows that are lost, then those that leave; a flow is a packet with a codepoint.
    fn fates(settings: &[(&str, &str)], packets: &[(u32, &str)]) -> (Vec<u32>, Vec<u32>) {
        let mut queue = ENTRY.build(&args(&ENTRY, None, settings), &LinkContext::default()).expect("a queue");
        let mut cx = Context::new(Rng::named(1, "test"));
        for (flow, dscp) in packets {
            let dscp = Dscp::read(dscp).expect("a codepoint");
            queue.enqueue(at(0.0), Packet { dscp, ..Packet::datagram(FlowId(*flow), 0, 1000) }, &mut cx);
        }
        let lost = cx.events.drain().map(|event| event.packet.flow.0).collect();
        (lost, std::iter::from_fn(|| queue.dequeue(at(0.0), &mut cx)).map(|packet| packet.flow.0).collect())
    }

    #[test]
    fn the_lowest_priority_loses_its_last_packet() {
        // Of three places: EF is interactive bulk, 4, AF11 bulk, 2. A packet of the lowest priority that waits finds no room.
        let packets = [(1, "DF"), (2, "AF11"), (3, "DF"), (4, "EF"), (5, "DF"), (6, "AF11"), (7, "AF11")];
        let (lost, left) = fates(&[("limit", "3p")], &packets);
        assert_eq!((lost, left), (vec![3, 5, 1, 7], vec![4, 2, 6]));
    }

    #[test]
    fn the_codepoint_may_be_the_priority() {
        let packets = [(1, "AF11"), (2, "EF"), (3, "CS7"), (4, "DF")];
        assert_eq!(fates(&[], &packets).1, [2, 1, 3, 4]);
        assert_eq!(fates(&[("priorities", "codepoint")], &packets).1, [3, 2, 1, 4]);
    }
}
