//! XRED: RED that remembers which data unit of a flow lost a packet of which priority, and discards less important packets of the same
//! data unit, which are useless without it. Specification: Hutschenreuther and Schill, "Content Based Discarding in IP Routers", ICCCN
//! 2000, as [Ale04] Alemu, PhD thesis, Montpellier 2004, section 1.3.3, describes it; its own text was not available. Compared with: no
//! module in ns-2 2.35.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | Data units are of as many packets as `priorities` has entries, counted by the datagrams' numbers, and priorities go by the place in them, unless the packet brings one above 0; in the original packets carry a number of their data unit | packets have no such field | `a_datagrams_number_tells_unit_and_place`, `a_priority_that_the_packet_brings_holds` |
//! | The list has one data unit of each flow, the last one that lost something | [Ale04] does not say how entries leave it; older data units have passed | `an_older_data_unit_is_forgotten` |
//! | The most important of several losses of a data unit counts | [Ale04] leaves it open | `the_most_important_loss_counts` |
//! | Strictly less important packets are discarded; `discards = "not_above"` for equal ones as well | [Ale04]: "lower than the one in the list" | `equals_are_discarded_if_asked_for` |
//! | Segments of TCP and packets of TFRC are RED's alone | they are not data units of that kind | `a_segment_is_reds_alone` |
//!
//! // Bound: flows in the list (`entries`); losses of further flows are not remembered.

use std::collections::BTreeMap;

use sojourn_queues::aqm::red::{Red, Settings};
use sojourn_queues::packet::{Body, FlowId};
use sojourn_queues::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "xred",
    title: "XRED (content-based discarding)",
    doc: "RED for media whose packets are not equally important. If a packet of a data unit is lost, less important packets of the same \
          unit are discarded, too.",
    reference: "Hutschenreuther and Schill 2000, Alemu 2004 section 1.3.3",
    law: Some(|args, link| Ok(args.typed::<Params>().policy(link)?.red.graph())),
    probes: &[Probe::new(
        "listed_flows",
        "flows",
        Probe::UP,
        "flows of which a data unit that lost something is remembered",
    )],
    ..QueueEntry::of_policy::<Params>()
};

params! {
    pub struct Params {
        ..red: Settings;
        /// Priorities of the packets of a data unit in their order, more is more important; their number is that of its packets.
        priorities: Numbers = "[2, 1, 1, 0]" in [0.0, 255.0], "ours: the others need the first packet";
        /// The packets that are discarded after a loss: less important ones, or those that are at most as important.
        discards: Discards = "below", "[Ale04]: lower than the one in the list";
        /// Flows of which losses are remembered.
        entries: u64 = "4096" in [1.0, 1e7], "ours: [Ale04] sets no bound";
    }
}

choices! {
    /// The packets of a data unit that are discarded after a loss.
    pub enum Discards {
        /// Less important packets.
        Below = "below",
        /// Packets that are at most as important.
        NotAbove = "not_above",
    }
}

/// The kind of a packet's content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Content {
    unit: u64,
    priority: u8,
}

#[derive(Clone, Debug)]
pub struct Xred {
    red: Red,
    priorities: Vec<u8>,
    discards: Discards,
    entries: usize,
    /// The last data unit of each flow that lost something, and the most important priority of that.
    lost: BTreeMap<FlowId, Content>,
}

impl PolicyParams for Params {
    type Policy = Xred;

    fn policy(&self, link: &LinkContext) -> Result<Xred, BuildError> {
        if self.priorities.0.is_empty() {
            let found = "priorities is empty".to_owned();
            return Err(BuildError::new("priorities", found, "a data unit has at least one packet"));
        }
        Ok(Xred {
            red: self.red.build(link)?,
            priorities: self.priorities.0.iter().map(|priority| *priority as u8).collect(),
            discards: self.discards,
            entries: self.entries as usize,
            lost: BTreeMap::new(),
        })
    }

    fn limit(&self, link: &LinkContext) -> Limit {
        self.red.limit(link)
    }
}

impl Xred {
    /// Data unit and priority; `None` for packets that are not datagrams.
    fn content(&self, packet: &Packet) -> Option<Content> {
        let (Body::Datagram { seq, .. } | Body::Parity { seq, .. }) = packet.body else { return None };
        let packets = self.priorities.len() as u64;
        let own = self.priorities[(seq % packets) as usize];
        let priority = if packet.priority > 0 { packet.priority } else { own };
        Some(Content { unit: seq / packets, priority })
    }

    /// Whether something more important of the same data unit was lost.
    fn is_useless(&self, flow: FlowId, content: Content) -> bool {
        self.lost.get(&flow).is_some_and(|lost| {
            lost.unit == content.unit
                && match self.discards {
                    Discards::Below => content.priority < lost.priority,
                    Discards::NotAbove => content.priority <= lost.priority,
                }
        })
    }

    fn remember(&mut self, flow: FlowId, content: Content) {
        let is_full = self.lost.len() >= self.entries;
        match self.lost.get_mut(&flow) {
            Some(lost) if lost.unit == content.unit => lost.priority = lost.priority.max(content.priority),
            Some(lost) if lost.unit < content.unit => *lost = content,
            Some(_) => {}
            None if is_full => {}
            None => {
                self.lost.insert(flow, content);
            }
        }
    }
}

impl Policy for Xred {
    fn on_arrival(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        if let Some(content) = self.content(packet)
            && self.is_useless(packet.flow, content)
        {
            return Verdict::Drop(Reason::UNFAIR);
        }
        let backlog = queue.backlog();
        self.red.observe(now, backlog);
        self.red.decide(packet, backlog, rng)
    }

    fn on_idle(&mut self, now: Instant) {
        self.red.link_idle(now);
    }

    fn on_drop(&mut self, _now: Instant, packet: &Packet, dropped: Dropped, _queue: &mut QueueView<'_>) {
        if dropped.is_overflow() {
            self.red.overflow();
        }
        if let Some(content) = self.content(packet) {
            self.remember(packet.flow, content);
        }
    }

    fn decides_on_arrival(&self) -> bool {
        true
    }

    probes! { |self|
        "avg" => self.red.average.value(),
        "p_b" => self.red.last_p_b(),
        "listed_flows" => self.lost.len() as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_queues::rig::{Rig, args, at, policy_of, segment};

    /// Data units of a packet of priority 2, two of 1 and one of 0; RED drops packets that find 15 waiting, and no others.
    fn xred(settings: &[(&str, &str)]) -> Xred {
        let mut all = vec![("w_q", "1"), ("min_th", "5p"), ("max_th", "15p"), ("max_p", "0"), ("above", "strict")];
        all.extend(settings);
        policy_of::<Params>(&ENTRY, None, &all)
    }

    fn numbered(flow: u32, seq: u64) -> Packet {
        Packet::datagram(FlowId(flow), seq, 1000)
    }

    /// Whether the packet passes where `waiting` packets are; the policy hears of its drop.
    fn passes(policy: &mut Xred, packet: &Packet, waiting: usize) -> bool {
        let mut rig = Rig::waiting(waiting);
        let verdict = rig.arrive_drawing(policy, at(0.0), packet, 0.5);
        if verdict != Verdict::Pass {
            policy.on_drop(at(0.0), packet, Dropped::REFUSED, &mut rig.view());
        }
        verdict == Verdict::Pass
    }

    #[test]
    fn a_datagrams_number_tells_unit_and_place() {
        let policy = xred(&[]);
        let contents: Vec<_> = (3..6).filter_map(|seq| policy.content(&numbered(0, seq))).collect();

        assert_eq!(
            contents,
            [Content { unit: 0, priority: 0 }, Content { unit: 1, priority: 2 }, Content { unit: 1, priority: 1 }]
        );
    }

    #[test]
    fn what_is_less_important_than_a_loss_is_discarded() {
        let mut policy = xred(&[]);
        assert!(!passes(&mut policy, &numbered(1, 4), 15), "the first packet of unit 1 is lost");

        assert_eq!([5, 6, 7].map(|seq| passes(&mut policy, &numbered(1, seq), 0)), [false; 3]);
        assert!(passes(&mut policy, &numbered(2, 5), 0), "another flow's are not");
        assert!(passes(&mut policy, &numbered(1, 8), 0), "nor those of the next unit");
    }

    #[test]
    fn what_is_as_important_is_kept() {
        let mut policy = xred(&[]);
        assert!(!passes(&mut policy, &numbered(1, 5), 15));

        assert!(passes(&mut policy, &numbered(1, 6), 0));
        assert!(!passes(&mut policy, &numbered(1, 7), 0));
    }

    #[test]
    fn equals_are_discarded_if_asked_for() {
        let mut policy = xred(&[("discards", "not_above")]);
        assert!(!passes(&mut policy, &numbered(1, 5), 15));

        assert!(!passes(&mut policy, &numbered(1, 6), 0));
        assert!(passes(&mut policy, &numbered(1, 4), 0), "what is more important is not");
    }

    #[test]
    fn the_most_important_loss_counts() {
        let mut policy = xred(&[]);
        for seq in [5, 4, 7] {
            passes(&mut policy, &numbered(1, seq), 15);
        }

        assert_eq!(policy.lost[&FlowId(1)], Content { unit: 1, priority: 2 });
    }

    #[test]
    fn an_older_data_unit_is_forgotten() {
        let mut policy = xred(&[]);
        passes(&mut policy, &numbered(1, 4), 15);
        passes(&mut policy, &numbered(1, 9), 15);
        passes(&mut policy, &numbered(1, 3), 15);

        assert_eq!(policy.lost[&FlowId(1)], Content { unit: 2, priority: 1 });
        assert!(passes(&mut policy, &numbered(1, 7), 0));
    }

    #[test]
    fn a_priority_that_the_packet_brings_holds() {
        let mut policy = xred(&[]);
        let brings = |seq, priority| Packet { priority, ..numbered(1, seq) };
        assert!(!passes(&mut policy, &brings(0, 5), 15));

        assert!(!passes(&mut policy, &brings(1, 4), 0));
        assert!(passes(&mut policy, &brings(2, 5), 0));
    }

    #[test]
    fn the_list_has_a_bound() {
        let mut policy = xred(&[("entries", "2")]);
        for flow in 0..3 {
            passes(&mut policy, &numbered(flow, 0), 15);
        }

        assert_eq!(policy.lost.keys().map(|flow| flow.0).collect::<Vec<_>>(), [0, 1]);
    }

    #[test]
    fn a_segment_is_reds_alone() {
        let policy = xred(&[]);

        assert_eq!(policy.content(&segment(1, None)), None);
    }

    #[test]
    fn a_data_unit_of_nothing_is_refused() {
        let params = args(&ENTRY, None, &[("priorities", "[]")]).typed::<Params>();

        assert_eq!(params.policy(&LinkContext::default()).map(|_| ()).map_err(|error| error.param), Err("priorities"));
    }
}
