//! Drop tail with a cap for each flow: an arrival is refused if its flow already holds its fair part. Specification: the pilot study of
//! Chatranon, "Providing Fairness through Detection and Preferential Dropping of High Bandwidth Unresponsive Flows", dissertation,
//! University of Pittsburgh 2004, section 3.2 and figure 14 [Cha04]. Compared with: no public implementation.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | The part is of the buffer; `part_of = "backlog"` for a part of the backlog | [Cha04] says "buffer space" and "buffer occupancy fraction" | `a_part_of_what_waits_is_smaller` |
//! | The flows that share are those with packets waiting, and the arriving one; [Cha04] "kept track of all five flows", which is the preset `paper` | among all flows of a scenario, most of them silent, the parts are so small that the link falls idle | `flows_that_wait_share_the_buffer`, `the_work_shares_among_all_flows` |
//! | A flow may always hold one packet | a part below one packet would shut it out | `a_flow_may_hold_one_packet` |
//! | A buffer limited in bytes counts mean packets | parts are of packets | - |

use crate::mechanism::flow_accounts::FlowAccounts;
use crate::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "capped_tail",
    title: "Drop tail with a cap for each flow",
    doc: "A first-in first-out queue with a cap for each flow. An arrival is refused when the buffer is full, or when its flow \
          holds its fair part of it.",
    reference: "Chatranon 2004, section 3.2",
    decides: "It decides by the backlog of the packet's flow: an arrival is refused if its flow already has its fair part.",
    presets: presets! {
        /// Chatranon 2004, section 3.2: the buffer is shared among all flows of the scenario, which the queue knows.
        paper = { part_of = "buffer", flows = "known" };
    },
    ..QueueEntry::of_policy::<Params>()
};

params! {
    pub struct Params {
        /// The most that may wait, without the packet in transmission.
        limit: Size = "100p" in [0.0, 1e12], "as fifo";
        /// Whether a flow's part is a part of the whole buffer or of the backlog.
        part_of: PartOf = "buffer", "[Cha04] section 3.2: buffer space";
        /// The flows that share it: all that the scenario sends over the queue, or those with a backlog.
        flows: Among = "waiting", "ours: a share for silent flows leaves the link idle; [Cha04] section 3.2 for known";
    }
}

choices! {
    /// The thing that is shared.
    pub enum PartOf {
        /// The buffer.
        Buffer = "buffer",
        /// The backlog, with the arriving packet.
        Backlog = "backlog",
    }
}

choices! {
    /// The flows that share.
    pub enum Among {
        /// All flows of the scenario that cross the queue.
        Known = "known",
        /// The arriving flow and those that wait.
        Waiting = "waiting",
    }
}

#[derive(Clone, Debug)]
pub struct CappedTail {
    buffer: f64,
    known: u64,
    part_of: PartOf,
    among: Among,
    flows: FlowAccounts<()>,
}

impl PolicyParams for Params {
    type Policy = CappedTail;

    fn policy(&self, link: &LinkContext) -> Result<CappedTail, BuildError> {
        Ok(CappedTail {
            buffer: link.packets(self.limit),
            known: link.flows,
            part_of: self.part_of,
            among: self.flows,
            flows: FlowAccounts::default(),
        })
    }
}

/// `max(1, space / flows)`: the most that a flow may hold, in packets ([Cha04] section 3.2).
pub fn cap(space: f64, flows: u64) -> f64 {
    (space / flows.max(1) as f64).max(1.0)
}

impl Policy for CappedTail {
    fn on_arrival(&mut self, _now: Instant, packet: &Packet, queue: &mut QueueView<'_>, _rng: &mut Rng) -> Verdict {
        let held = self.flows.get(packet.flow).backlog.packets;
        let flows = match self.among {
            Among::Known => self.known,
            Among::Waiting => self.flows.len() as u64 + u64::from(held == 0),
        };
        let space = match self.part_of {
            PartOf::Buffer => self.buffer,
            PartOf::Backlog => (queue.packets() + 1) as f64,
        };
        if (held + 1) as f64 > cap(space, flows) { Verdict::Drop(Reason::UNFAIR) } else { Verdict::Pass }
    }

    fn on_enqueued(&mut self, _now: Instant, packet: &Packet, _queue: &mut QueueView<'_>) {
        self.flows.joined(packet);
    }

    fn on_departure(&mut self, _now: Instant, packet: &Packet, _queue: &mut QueueView<'_>, _rng: &mut Rng) -> Verdict {
        self.flows.left(packet);
        Verdict::Pass
    }

    fn on_drop(&mut self, _now: Instant, packet: &Packet, dropped: Dropped, _queue: &mut QueueView<'_>) {
        if dropped.from_queue() {
            self.flows.left(packet);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::FlowId;
    use crate::rig::{Rig, args, at};

    /// A buffer of 20 packets and five flows: a part is four packets.
    fn capped(settings: &[(&str, &str)]) -> CappedTail {
        let link = LinkContext { flows: 5, ..LinkContext::default() };
        let args = args(&ENTRY, Some("paper"), &[&[("limit", "20p")], settings].concat());
        args.typed::<Params>().policy(&link).expect("valid parameters")
    }

    /// How many of ten packets of a flow are admitted behind `waiting` of others.
    fn admitted(policy: &mut CappedTail, flow: u32, waiting: usize) -> usize {
        (0..10)
            .scan(0, |joined, seq| {
                let packet = Packet::datagram(FlowId(flow), seq, 1000);
                let mut rig = Rig::waiting(waiting + *joined);
                if rig.arrive_drawing(policy, at(0.0), &packet, 0.5) == Verdict::Pass {
                    policy.on_enqueued(at(0.0), &packet, &mut rig.view());
                    *joined += 1;
                }
                Some(*joined)
            })
            .last()
            .unwrap_or(0)
    }

    #[test]
    fn a_flow_holds_its_part_of_the_buffer() {
        let mut policy = capped(&[]);
        assert_eq!(admitted(&mut policy, 7, 0), 4);
        assert_eq!(admitted(&mut policy, 8, 4), 4, "what others hold does not matter");
    }

    #[test]
    fn what_leaves_makes_room_for_its_flow() {
        let mut policy = capped(&[]);
        admitted(&mut policy, 7, 0);
        let (packet, mut rig) = (Packet::datagram(FlowId(7), 0, 1000), Rig::waiting(3));
        policy.on_departure(at(1.0), &packet, &mut rig.view(), &mut Rng::named(1, "test"));

        assert_eq!(admitted(&mut policy, 7, 3), 1);
    }

    #[test]
    fn flows_that_wait_share_the_buffer() {
        let mut policy = capped(&[("flows", "waiting")]);
        // Alone all of 20, so that ten join; then half of 20.
        assert_eq!(admitted(&mut policy, 7, 0), 10);
        assert_eq!(admitted(&mut policy, 8, 10), 10);
        // A third of 20 is 6.67.
        assert_eq!(admitted(&mut policy, 9, 20), 6);
    }

    #[test]
    fn the_work_shares_among_all_flows() {
        let of = |preset| args(&ENTRY, preset, &[]).typed::<Params>().flows;

        assert_eq!(of(Some("paper")), Among::Known);
        assert_eq!(of(None), Among::Waiting);
    }

    #[test]
    fn a_part_of_what_waits_is_smaller() {
        let mut policy = capped(&[("part_of", "backlog")]);
        // Behind nine of others: the first of ten waiting, the second needs (9 + 2) / 5 >= 2, the third (9 + 3) / 5 >= 3 fails.
        assert_eq!(admitted(&mut policy, 7, 9), 2);
    }

    #[test]
    fn a_flow_may_hold_one_packet() {
        let mut policy = capped(&[("limit", "3p")]);
        assert_eq!(admitted(&mut policy, 7, 0), 1);
    }
}
