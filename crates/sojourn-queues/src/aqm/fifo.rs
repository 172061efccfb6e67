//! FIFO: first in, first out, without active management. The parameter `overflow` chooses the packet that is lost when the buffer is full.
//! Specification: the drop-tail, drop-front and push-out queues of the literature. Compared with: ns-2 2.35 `DropTail`.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | `limit` counts waiting packets; ns-2 lets `limit_ - 1` wait | the plain meaning of a limit; preset `ns2` has the other | `ns2_lets_one_fewer_wait` |

use crate::queue::prelude::*;
use crate::queue::ties::Ties;

/// The engine asks for this entry by name: the packets of a drop-tail queue need no events.
pub static ENTRY: QueueEntry = QueueEntry {
    name: "fifo",
    title: "FIFO (drop tail)",
    doc: "A queue that sends packets in the order of their arrival, without active management. A packet is lost only when the buffer is \
          full; `overflow` chooses the packet.",
    reference: "RFC 7567 section 2",
    decides: "It decides by the room in the buffer alone: while there is room, nothing is lost.",
    presets: presets! {
        /// ns-2 2.35's DropTail: 50 packets; a packet is refused if the number waiting + 1 reaches the limit. Of an arrival and a departure
        /// at one moment, the one that was scheduled first comes first.
        ns2 = { limit = "50p", full_at = "ns2", ties = "scheduled" };
        /// ns-3.48's FifoQueueDisc: 1000 packets.
        ns3 = { limit = "1000p", full_at = "limit", ties = "clock" };
    },
    ..QueueEntry::of_policy::<Params>()
};

params! {
    pub struct Params {
        /// The most that may wait, without the packet in transmission.
        limit: Size = "100p" in [0.0, 1e12], "a common default; RFC 7567 section 2.3 asks for room for the largest normal burst";
        /// Which packet is lost when the buffer is full: the arriving one (`drop_tail`), the oldest (`drop_front`) or the newest waiting
        /// (`push_out`).
        overflow: Overflow = "drop_tail", "the universal practice";
        /// Whether a buffer of n packets is full when n wait (`limit`) or when n - 1 wait (`ns2`).
        full_at: FullAt = "limit", "plain meaning; ns-2 2.35 drop-tail.cc for `ns2`";
        /// The order of an arrival and a departure at one moment.
        ties: Ties = "clock", "the order of events; ns-2 2.35 scheduler.cc and delay.cc for `scheduled`";
    }
}

choices! {
    /// Which packet is lost when the buffer is full.
    pub enum Overflow {
        /// The arriving one.
        DropTail = "drop_tail",
        /// The oldest waiting, so that the sender learns sooner.
        DropFront = "drop_front",
        /// The newest waiting.
        PushOut = "push_out",
    }
}

choices! {
    /// When a buffer of n packets is full.
    pub enum FullAt {
        /// When n packets wait.
        Limit = "limit",
        /// When n - 1 packets wait.
        Ns2 = "ns2",
    }
}

impl FullAt {
    /// The packets that may wait in a buffer with this limit. In ns-2 a limit of one packet holds none: it drops each.
    pub fn limit(self, limit: Limit) -> Limit {
        match self {
            FullAt::Limit => limit,
            FullAt::Ns2 => Limit {
                packets: if limit.packets == u64::MAX { limit.packets } else { limit.packets.saturating_sub(1) },
                bytes: limit.bytes,
            },
        }
    }
}

/// The policy: admits while there is room.
#[derive(Clone, Debug)]
pub struct DropWhenFull {
    overflow: Overflow,
}

impl Policy for DropWhenFull {
    fn shows_head(&self) -> bool {
        true
    }

    fn on_arrival(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, _rng: &mut Rng) -> Verdict {
        if self.overflow != Overflow::DropTail {
            // Bound: one packet may be larger than several waiting, but not than the whole buffer.
            while !queue.has_room_for(packet) && queue.packets() > 0 {
                let victim = match self.overflow {
                    Overflow::DropFront => 0,
                    Overflow::PushOut | Overflow::DropTail => queue.packets() as usize - 1,
                };
                queue.drop_at(now, victim, Reason::OVERFLOW);
            }
        }
        Verdict::Pass
    }
}

impl PolicyParams for Params {
    type Policy = DropWhenFull;

    fn policy(&self, _link: &LinkContext) -> Result<DropWhenFull, BuildError> {
        Ok(DropWhenFull { overflow: self.overflow })
    }

    fn limit(&self, link: &LinkContext) -> Limit {
        self.full_at.limit(Limit::from_size(self.limit, link))
    }
}

/// The limit, if these parameters mean drop tail, which the simulator's `FifoLink` can do.
pub fn drop_tail_limit(args: &Args, link: &LinkContext) -> Option<Limit> {
    let params: Params = args.typed();
    (params.overflow == Overflow::DropTail && params.ties == Ties::Clock).then(|| params.limit(link))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{Body, FlowId};
    use crate::queue::Context;

    fn survivors(settings: &[(&str, &str)], arrivals: u64) -> Vec<u64> {
        let args = crate::rig::args(&ENTRY, None, settings);
        let mut queue = ENTRY.build(&args, &LinkContext::default()).expect("a queue");
        let mut cx = Context::new(Rng::named(1, "test"));
        for seq in 0..arrivals {
            queue.enqueue(Instant::ZERO, Packet::datagram(FlowId(0), seq, 1000), &mut cx);
        }
        std::iter::from_fn(|| queue.dequeue(Instant::ZERO, &mut cx))
            .map(|packet| match packet.body {
                Body::Datagram { seq, .. } => seq,
                _ => unreachable!("only datagrams were queued"),
            })
            .collect()
    }

    #[test]
    fn drop_tail_loses_the_arriving_packet() {
        assert_eq!(survivors(&[("limit", "3p")], 5), [0, 1, 2]);
    }

    #[test]
    fn drop_front_loses_the_oldest() {
        assert_eq!(survivors(&[("limit", "3p"), ("overflow", "drop_front")], 5), [2, 3, 4]);
    }

    #[test]
    fn push_out_loses_the_newest_waiting() {
        assert_eq!(survivors(&[("limit", "3p"), ("overflow", "push_out")], 5), [0, 1, 4]);
    }

    #[test]
    fn a_limit_in_bytes_counts_bytes() {
        assert_eq!(survivors(&[("limit", "2999B")], 5), [0, 1]);
        assert_eq!(survivors(&[("limit", "3kB")], 5), [0, 1, 2]);
        assert_eq!(survivors(&[("limit", "999B")], 5), [0; 0], "a packet has 1000");
    }

    #[test]
    fn a_queue_without_room_sends_nothing() {
        for more in
            [("overflow", "drop_tail"), ("overflow", "drop_front"), ("overflow", "push_out"), ("full_at", "ns2")]
        {
            assert_eq!(survivors(&[("limit", "0p"), more], 5), [0; 0], "{more:?}");
        }
    }

    #[test]
    fn ns2_lets_one_fewer_wait() {
        assert_eq!(survivors(&[("limit", "3p"), ("full_at", "ns2")], 5), [0, 1]);
        // drop-tail.cc drops if length + 1 >= qlim, so a queue of one packet sends nothing.
        assert_eq!(survivors(&[("limit", "1p"), ("full_at", "ns2")], 5), [0; 0]);
    }
}
