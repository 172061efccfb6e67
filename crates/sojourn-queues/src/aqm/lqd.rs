//! LQD (longest queue drop): one queue in order of arrival, whose buffer flows share freely until it is full. Then a flow that has less
//! than its share pushes out a packet of the flow with the longest backlog, from the front, where its sender learns of it soonest, or from
//! the back; packets of other flows are dropped on arrival. Specification: Suter, Lakshman, Stiliadis and Choudhury, "Design Considerations
//! for Supporting TCP with Per-flow Queueing", INFOCOM 1998 [Sut98], over one FIFO as in Chatranon 2004 section 2.2.3.2 [Cha04]. Compared
//! with: a second implementation in `tests/implementations`.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | Flows share one FIFO; [Sut98] schedules them by fair queueing too | here the policy alone; `flow_queue` drops from its longest queue | `the_longest_flow_loses_its_front` |
//! | ... so that a blast that is always the longest may lose packets before they reach the head | [Sut98]'s queues each have a head | - |
//! | An arrival of a flow that has its share is dropped | [Cha04] says for which flows room is made, and nothing about the others | `a_flow_with_its_share_makes_no_room` |
//! | With `victim = "approximate"` an arrival is dropped if the remembered flow is no longer above its share | [Cha04] leaves it open | `a_remembered_flow_within_its_share_loses_nothing` |
//! | A share is the backlog over the number of flows with a backlog, the arrival's own among them | [Cha04] has B / n, and does not say whether the flow that comes is one of the n, nor the meaning of B where lengths are in bytes | `a_flow_with_its_share_makes_no_room` |
//! | If several flows are equally long, the one with the lowest number is taken | the sources do not say | `of_equal_flows_the_first_loses` |

use std::cmp::Reverse;

use crate::mechanism::flow_accounts::{Account, FlowAccounts};
use crate::mechanism::flow_packets::FlowPackets;
use crate::mechanism::longest::Longest;
use crate::packet::FlowId;
use crate::queue::Tag;
use crate::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "lqd",
    title: "LQD (longest queue drop)",
    doc: "A buffer that takes from the flow that uses most of it. When it is full, an arrival of a flow with less than its share \
          pushes out a packet of the flow of which most waits.",
    reference: "Suter, Lakshman, Stiliadis and Choudhury 1998",
    decides: "It decides by which flow has most packets waiting, and only when the buffer is full.",
    presets: presets! {
        /// Suter et al. 1998: the longest flow loses its front.
        paper = { victim = "longest", drop_from = "front" };
        /// Suter et al. 1998, RND: any flow above an even part loses its front.
        random = { victim = "random", drop_from = "front" };
        /// Suter et al. 1998, ALQD: the flow last seen as the longest loses its front.
        approximate = { victim = "approximate", drop_from = "front" };
    },
    ..QueueEntry::of_policy::<Params>()
};

params! {
    pub struct Params {
        /// The most that may wait, without the packet in transmission.
        limit: Size = "100p" in [0.0, 1e12], "as fifo";
        /// Which flow loses a packet: the longest, any that holds more than an even part, or the one last seen as the longest.
        victim: Victim = "longest", "[Sut98] section 4";
        /// Which packet the chosen flow loses.
        drop_from: DropFrom = "front", "[Sut98] section 4";
        /// Whether flows are long in bytes or in packets.
        measure: Measure = "bytes", "[Sut98]: shares of the buffer";
    }
}

choices! {
    /// Which flow loses a packet.
    pub enum Victim {
        /// The flow with the longest backlog.
        Longest = "longest",
        /// A random one of the flows that hold more than an even part of the buffer.
        Random = "random",
        /// The flow that was last seen as the longest.
        Approximate = "approximate",
    }
}

choices! {
    /// Which of its packets goes.
    pub enum DropFrom {
        /// The one that waits longest.
        Front = "front",
        /// The one that came last.
        Back = "back",
    }
}

choices! {
    /// The unit of a flow's length.
    pub enum Measure {
        /// Bytes.
        Bytes = "bytes",
        /// Packets.
        Packets = "packets",
    }
}

impl Measure {
    fn of(self, backlog: Backlog) -> u64 {
        match self {
            Measure::Bytes => backlog.bytes,
            Measure::Packets => backlog.packets,
        }
    }
}

#[derive(Clone, Debug)]
pub struct Lqd {
    params: Params,
    accounts: FlowAccounts<()>,
    /// Flows by length, and by number among equals.
    longest: Longest<(u64, Reverse<u32>)>,
    /// The backlog of each: the tag of a packet is its number.
    packets: FlowPackets,
    /// The number of the packet that arrived last.
    number: Tag,
    /// The flow last seen as the longest, and how long it was.
    remembered: Option<(FlowId, u64)>,
}

impl PolicyParams for Params {
    type Policy = Lqd;

    fn policy(&self, _link: &LinkContext) -> Result<Lqd, BuildError> {
        Ok(Lqd {
            params: self.clone(),
            accounts: FlowAccounts::default(),
            longest: Longest::default(),
            packets: FlowPackets::default(),
            number: 0,
            remembered: None,
        })
    }
}

impl Lqd {
    fn size(&self, backlog: Backlog) -> u64 {
        self.params.measure.of(backlog)
    }

    fn length(&self, flow: FlowId) -> u64 {
        self.size(self.accounts.get(flow).backlog)
    }

    /// The flow that makes room for `packet`; `None` if the packet itself goes.
    fn choose(&mut self, packet: &Packet, queue: &QueueView<'_>, rng: &mut Rng) -> Option<FlowId> {
        // [Cha04] section 2.2.3.2: b = B / n, n flows with a backlog, the arriving packet's among them.
        let own = self.length(packet.flow);
        let flows = self.accounts.len() as u64 + u64::from(own == 0);
        let share = self.size(queue.backlog()) as f64 / flows as f64;
        // Room is made only for a flow with q_i < b_i.
        if own as f64 >= share {
            return None;
        }
        match self.params.victim {
            // The greatest q_j - b_j.
            Victim::Longest => self.longest().filter(|flow| self.length(*flow) as f64 > share),
            Victim::Random => {
                let long = self.accounts.iter().filter(|(_, account)| self.size(account.backlog) as f64 > share);
                let mut above: Vec<FlowId> = long.map(|(flow, _)| flow).collect();
                above.sort_unstable();
                (!above.is_empty()).then(|| above[rng.below(above.len() as u64) as usize])
            }
            Victim::Approximate => {
                self.remembered.map(|(flow, _)| flow).filter(|flow| self.length(*flow) as f64 > share)
            }
        }
    }

    /// The longest flow; among equals the one with the lowest number.
    fn longest(&mut self) -> Option<FlowId> {
        let (accounts, measure) = (&self.accounts, self.params.measure);
        let place = self.longest.get(|place| match accounts.at(place) {
            (_, Account { backlog: Backlog { packets: 0, .. }, .. }) => Default::default(),
            (flow, account) => (measure.of(account.backlog), Reverse(flow.0)),
        });
        place.map(|place| accounts.at(place).0)
    }

    /// Drops a packet of the flow. Returns whether there was one.
    fn push_out(&mut self, now: Instant, flow: FlowId, queue: &mut QueueView<'_>) -> bool {
        let Some(place) = self.accounts.place(flow) else { return false };
        let tag = match self.params.drop_from {
            DropFrom::Front => self.packets.pop_first(place),
            DropFrom::Back => self.packets.pop_last(place),
        };
        let Some(packet) = tag.and_then(|tag| queue.drop_tagged(now, tag, Reason::UNFAIR)) else { return false };
        self.accounts.left(&packet);
        self.longest.changed(place);
        self.remember(flow);
        true
    }

    /// A packet with this tag leaves an end of the queue, and so one of its flow.
    fn left(&mut self, packet: &Packet, tag: Tag) {
        let Some(place) = self.accounts.left(packet) else { return };
        if self.packets.first(place) == Some(tag) {
            self.packets.pop_first(place);
        } else {
            self.packets.pop_last(place);
        }
        self.longest.changed(place);
    }

    /// [Sut98] ALQD: a flow seen longer than the remembered one takes its place; that one's length follows it.
    fn remember(&mut self, flow: FlowId) {
        let length = self.length(flow);
        if self.remembered.is_none_or(|(known, longest)| flow == known || length > longest) {
            self.remembered = Some((flow, length));
        }
    }
}

impl Policy for Lqd {
    fn on_arrival(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        // 0 is the tag of a packet without one.
        self.number = self.number.wrapping_add(1).max(1);
        queue.leave(self.number);
        // A buffer in bytes may have to lose several for one.
        while !queue.has_room_for(packet) {
            let Some(victim) = self.choose(packet, queue, rng) else { return Verdict::Drop(Reason::OVERFLOW) };
            if !self.push_out(now, victim, queue) {
                return Verdict::Drop(Reason::OVERFLOW);
            }
        }
        Verdict::Pass
    }

    fn on_enqueued(&mut self, _now: Instant, packet: &Packet, queue: &mut QueueView<'_>) {
        let place = self.accounts.joined(packet);
        self.packets.push(place, queue.tag());
        self.longest.changed(place);
        self.remember(packet.flow);
    }

    fn on_departure(&mut self, _now: Instant, packet: &Packet, queue: &mut QueueView<'_>, _rng: &mut Rng) -> Verdict {
        self.left(packet, queue.tag());
        self.remember(packet.flow);
        Verdict::Pass
    }

    fn on_drop(&mut self, _now: Instant, packet: &Packet, dropped: Dropped, queue: &mut QueueView<'_>) {
        // Packets that it took out itself left the account then, because the next choice depends on it.
        if dropped == Dropped::PUSHED_OUT {
            self.left(packet, queue.tag());
        }
    }

    probes! { |self|
        "active_flows" => self.accounts.len() as f64,
        "longest" => self.accounts.iter().map(|(_, account)| self.size(account.backlog)).max().unwrap_or(0) as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::Body;
    use crate::queue::{Context, Event, Managed, QueueDiscipline, What};
    use crate::rig::{args, at};

    struct Rig {
        queue: Managed<Lqd>,
        cx: Context,
        seq: u64,
    }

    impl Rig {
        fn new(settings: &[(&str, &str)]) -> Self {
            let params: Params = args(&ENTRY, Some("paper"), &[&[("limit", "6p")], settings].concat()).typed();
            let link = LinkContext::default();
            let lqd = params.policy(&link).expect("any parameters will do");
            Rig { queue: Managed::new(lqd, params.limit(&link)), cx: Context::new(Rng::named(1, "lqd")), seq: 0 }
        }

        /// Packets of these flows and this size come, numbered from 0 on; flows and numbers of those that go, and why.
        fn arrive(&mut self, flows: &[u32], size: u32) -> Vec<(u32, u64, Reason)> {
            for flow in flows {
                self.queue.enqueue(at(0.0), Packet::datagram(FlowId(*flow), self.seq, size), &mut self.cx);
                self.seq += 1;
            }
            let name = |event: Event| match (event.packet.body, event.what) {
                (Body::Datagram { seq, .. }, What::Drop(reason)) => (event.packet.flow.0, seq, reason),
                _ => unreachable!("datagrams are dropped"),
            };
            self.cx.events.drain().map(name).collect()
        }
    }

    #[test]
    fn the_longest_flow_loses_its_front() {
        let mut rig = Rig::new(&[]);
        assert_eq!(rig.arrive(&[1, 2, 2, 1, 2, 2], 1000), []);

        assert_eq!(rig.arrive(&[3], 1000), [(2, 1, Reason::UNFAIR)]);

        assert_eq!(rig.queue.backlog().packets, 6);
        assert!((rig.queue.probe(0) - 3.0).abs() < 1e-12);
        assert!((rig.queue.probe(1) - 3000.0).abs() < 1e-12);
    }

    #[test]
    fn or_its_back() {
        let mut rig = Rig::new(&[("drop_from", "back")]);
        rig.arrive(&[1, 2, 2, 1, 2, 2], 1000);

        assert_eq!(rig.arrive(&[3], 1000), [(2, 5, Reason::UNFAIR)]);
    }

    #[test]
    fn a_flow_with_its_share_makes_no_room() {
        // Three flows share 6: flow 1 has its 2 and flow 2 more than that, and their packets are dropped; flow 3 with 1 gets in.
        for drop_from in ["front", "back"] {
            let mut rig = Rig::new(&[("drop_from", drop_from)]);
            rig.arrive(&[1, 2, 2, 1, 2, 3], 1000);

            assert_eq!(rig.arrive(&[1, 2], 1000), [(1, 6, Reason::OVERFLOW), (2, 7, Reason::OVERFLOW)], "{drop_from}");
            let gone = if drop_from == "front" { 1 } else { 4 };
            assert_eq!(rig.arrive(&[3], 1000), [(2, gone, Reason::UNFAIR)], "{drop_from}");
        }
    }

    #[test]
    fn of_equal_flows_the_first_loses() {
        let mut rig = Rig::new(&[]);
        rig.arrive(&[3, 2, 3, 2, 3, 2], 1000);

        assert_eq!(rig.arrive(&[9], 1000), [(2, 1, Reason::UNFAIR)]);
    }

    #[test]
    fn a_lone_packet_is_more_than_a_share_of_less() {
        // Of 6 packets a seventh flow's share is 6/7, which the others exceed and it does not reach.
        let mut rig = Rig::new(&[]);
        rig.arrive(&[1, 2, 3, 4, 5, 6], 1000);

        assert_eq!(rig.arrive(&[7], 1000), [(1, 0, Reason::UNFAIR)]);
    }

    #[test]
    fn flows_are_long_in_bytes_or_packets() {
        for (measure, gone) in [("bytes", (1, 0)), ("packets", (2, 1))] {
            let mut rig = Rig::new(&[("measure", measure)]);
            rig.arrive(&[1], 1500);
            rig.arrive(&[2; 5], 100);

            let dropped = rig.arrive(&[3], 100);

            assert_eq!(dropped, [(gone.0, gone.1, Reason::UNFAIR)], "{measure}");
        }
    }

    #[test]
    fn a_buffer_in_bytes_loses_as_many_as_needed() {
        let mut rig = Rig::new(&[("limit", "6000B")]);
        rig.arrive(&[2; 12], 500);

        let dropped = rig.arrive(&[1], 1500);

        assert_eq!(dropped, [0, 1, 2].map(|seq| (2, seq, Reason::UNFAIR)));
        assert_eq!(rig.queue.backlog().bytes, 6000);
    }

    #[test]
    fn any_flow_above_its_part_may_lose() {
        // Even is 6/3 = 2 with the comer: flows 1 and 2 with three are above it.
        let mut losers = Vec::new();
        for _ in 0..200 {
            let mut rig = Rig::new(&[("victim", "random")]);
            rig.cx = Context::new(Rng::named(losers.len() as u64, "random"));
            rig.arrive(&[1, 1, 1, 2, 2, 2], 1000);
            losers.push(rig.arrive(&[4], 1000)[0].0);
        }
        let ones = losers.iter().filter(|flow| **flow == 1).count();
        assert!(losers.iter().all(|flow| [1, 2].contains(flow)));
        // Half of 200, deviation 7.1; four of them.
        assert!(ones.abs_diff(100) <= 28, "{ones}");
    }

    #[test]
    fn where_all_have_their_share_the_arrival_goes() {
        for victim in ["longest", "random", "approximate"] {
            let mut rig = Rig::new(&[("victim", victim)]);
            rig.arrive(&[1, 1, 2, 2, 3, 3], 1000);

            // Flow 3 has its even part, 2 of 6.
            assert_eq!(rig.arrive(&[3], 1000), [(3, 6, Reason::OVERFLOW)], "{victim}");
        }
    }

    #[test]
    fn a_remembered_flow_within_its_share_loses_nothing() {
        let mut rig = Rig::new(&[("victim", "approximate")]);
        // Flow 1 is seen first with three; two are sent, and no other is seen with more than the one that it is known to have.
        rig.arrive(&[1, 1, 1, 2, 2, 2], 1000);
        for _ in 0..2 {
            rig.queue.dequeue(at(0.0), &mut rig.cx);
        }
        rig.arrive(&[3, 4], 1000);
        assert_eq!(rig.queue.policy().remembered, Some((FlowId(1), 1000)));

        // A share is 6/5.
        assert_eq!(rig.arrive(&[5], 1000), [(5, 8, Reason::OVERFLOW)]);
    }

    #[test]
    fn the_remembered_flow_may_be_longest_no_more() {
        let mut rig = Rig::new(&[("victim", "approximate")]);
        // Flow 1 was seen with three; two are sent, and it is known to have one.
        rig.arrive(&[1, 1, 1], 1000);
        for _ in 0..2 {
            rig.queue.dequeue(at(0.0), &mut rig.cx);
        }
        rig.arrive(&[2, 2, 3, 3, 3], 1000);
        assert_eq!(rig.queue.policy().remembered, Some((FlowId(3), 3000)));
        // Even is 6/4 with the comer.
        assert_eq!(rig.arrive(&[4], 1000), [(3, 5, Reason::UNFAIR)]);
        assert_eq!(rig.queue.policy().remembered, Some((FlowId(3), 2000)));
    }

    #[test]
    fn nothing_is_dropped_while_there_is_room() {
        let mut rig = Rig::new(&[]);
        assert_eq!(rig.arrive(&[1; 6], 1500), []);
    }
}
