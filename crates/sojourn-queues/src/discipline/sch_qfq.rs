//! QFQ (quick fair queueing) of Linux: classes that share the link in proportion to their weights, nearly as exactly as WF2Q+, in a time
//! that does not grow with their number. Specification: [CRV13] Checconi, Rizzo and Valente, IEEE/ACM ToN 2013, and Valente 2014 (QFQ+), as
//! Linux 6.12 `sch_qfq` does it (behaviour); tc-qfq(8). Compared with: the kernel beside it (`evidence/linux`).
//!
//! Up to eight classes of one weight and one `maxpkt` are served as one, by turns of bytes among themselves. [`groups`] has the order of
//! these.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | A packet that no class takes goes to the last class; Linux drops it | as the other schedulers by class | - |
//! | A packet longer than `maxpkt` changes nothing; Linux raises it for the class | the default is the longest packet | - |

use std::collections::VecDeque;

use self::groups::{FRACTION, Groups, Member};
use crate::discipline::classes::{ByFlow, Filters, Takes};
use crate::discipline::leaves::{Leaves, leaves_hooks};
use crate::params::Tables;
use crate::queue::leaf::LeafQueue;
use crate::queue::prelude::*;

mod groups;

/// The registry's entry.
pub static ENTRY: QueueEntry = QueueEntry {
    name: "sch_qfq",
    title: "QFQ (quick fair queueing) of Linux",
    doc: "A scheduler of classes by weight, as in Linux. Classes share the link in proportion to their weights, and a class waits for few \
          packets of others. Any queue may be in a class.",
    reference: "Checconi, Rizzo and Valente 2013; Linux sch_qfq",
    decides: "It decides by virtual times whose packet goes next. The queue of a class decides about drops in it.",
    ..QueueEntry::of_discipline::<Params>(build)
};

params! {
    /// A class of `sch_qfq`.
    pub struct Class {
        ..takes: Takes;
        /// Its share is in proportion to it.
        weight: u64 = "1" in [1.0, 1024.0], "tc";
        /// Its longest packet.
        maxpkt: Bytes = "1514B" in [512.0, 65_536.0], "tc: the device's MTU";
        /// The queue in the class, with its own limit.
        queue: LeafQueue = "fifo:limit=1000p", "Linux: pfifo with the device's queue length";
    }
}

params! {
    /// Parameters of QFQ.
    pub struct Params {
        /// The classes. Their weights are 65536 together at most.
        class: Tables<Class> = "dscp=EF weight=4; *", "our choice: calls apart; tc has none at first";
    }
}

/// The most that all weights are together.
const WEIGHTS: u64 = 64 * 1024;
/// Classes that are served as one.
const TOGETHER: usize = 8;

fn build(args: &Args, link: &LinkContext) -> Result<Box<dyn QueueDiscipline>, BuildError> {
    let Tables(classes) = args.typed::<Params>().class;
    let filters = ByFlow::new(Filters::new(classes.iter().map(|class| &class.takes), &link.groups)?);
    // The kernel keeps the inverse of a weight, so that some weights are a little greater.
    let weight = |class: &Class| (1 << FRACTION) / ((1 << FRACTION) / class.weight);
    let sum: u64 = classes.iter().map(weight).sum();
    if sum > WEIGHTS {
        let what = format!("the weights of all classes are {sum} together");
        return Err(BuildError::new("class", what, format!("allowed: at most {WEIGHTS}")));
    }
    let mut kinds: Vec<(u64, u32, Vec<usize>)> = Vec::new();
    for (number, class) in classes.iter().enumerate() {
        let (weight, longest) = (weight(class), class.maxpkt.0 as u32);
        let alike =
            |kind: &&mut (u64, u32, Vec<usize>)| (kind.0, kind.1) == (weight, longest) && kind.2.len() < TOGETHER;
        match kinds.iter_mut().find(alike) {
            Some(kind) => kind.2.push(number),
            None => kinds.push((weight, longest, vec![number])),
        }
    }
    let mut of = vec![ClassTurn { member: 0, deficit: 0, is_active: false }; classes.len()];
    for (member, (.., numbers)) in kinds.iter().enumerate() {
        for number in numbers {
            of[*number].member = member;
        }
    }
    let members = kinds.iter().map(|kind| Member::new(kind.0, kind.1, kind.2.len() as u32));
    Ok(Box::new(Qfq {
        filters,
        leaves: Leaves::new(classes.iter().map(|class| &class.queue), "class", link)?,
        groups: Groups::new(members.collect(), sum),
        turns: vec![VecDeque::new(); kinds.len()],
        longest: kinds.iter().map(|(_, longest, _)| i64::from(*longest)).collect(),
        of,
    }))
}

#[derive(Clone, Copy)]
struct ClassTurn {
    member: usize,
    deficit: i64,
    is_active: bool,
}

struct Qfq {
    filters: ByFlow,
    leaves: Leaves,
    groups: Groups,
    /// Of each member the classes with packets, in turn, and the bytes of a turn.
    turns: Vec<VecDeque<usize>>,
    longest: Vec<i64>,
    of: Vec<ClassTurn>,
}

impl Qfq {
    /// The class of a member whose turn it is, and the bytes of its next packet.
    fn head(&mut self, now: Instant, member: usize, cx: &mut Context) -> Option<(usize, u32)> {
        while let Some(&class) = self.turns[member].front() {
            let size = self.leaves.peek(now, class, cx);
            if self.leaves.waits(class) {
                return size.map(|size| (class, size));
            }
            // Its queue has dropped the last packets.
            self.rest(class);
        }
        None
    }

    fn rest(&mut self, class: usize) {
        self.turns[self.of[class].member].pop_front();
        self.of[class].is_active = false;
    }
}

impl QueueDiscipline for Qfq {
    fn enqueue(&mut self, now: Instant, packet: Packet, cx: &mut Context) {
        let class = self.filters.class_of(&packet);
        if !self.leaves.enqueue(now, class, packet, cx) || self.of[class].is_active {
            return;
        }
        let member = self.of[class].member;
        self.of[class] = ClassTurn { deficit: self.longest[member], is_active: true, member };
        self.turns[member].push_back(class);
        if self.turns[member].len() == 1 && self.groups.serving != Some(member) {
            self.groups.activate(member);
        }
    }

    fn dequeue(&mut self, now: Instant, cx: &mut Context) -> Option<Packet> {
        let mut serving = self.groups.serving?;
        let mut next = self.head(now, serving, cx);
        // Members whose queues have dropped all that they had are passed over; each is asked once.
        for _ in 0..=self.turns.len() {
            if next.is_some_and(|(_, size)| self.groups.members[serving].budget >= size) {
                break;
            }
            let is_last = next.is_none() && self.leaves.backlog().packets == 0;
            let of = &mut self.groups.members[serving];
            of.charge();
            of.recharge();
            if !self.turns[serving].is_empty() {
                self.groups.requeue(serving);
            } else if is_last {
                self.groups.serving = None;
                return None;
            }
            self.groups.serving = self.groups.choose();
            serving = self.groups.serving?;
            next = self.head(now, serving, cx);
            if next.is_some() {
                break;
            }
        }
        let (class, size) = next?;
        let packet = self.leaves.dequeue(now, class, cx)?;
        self.of[class].deficit -= i64::from(size);
        if !self.leaves.waits(class) {
            self.rest(class);
        } else if self.leaves.peek(now, class, cx).is_some_and(|bytes| self.of[class].deficit < i64::from(bytes)) {
            self.of[class].deficit += self.longest[serving];
            self.turns[serving].rotate_left(1);
        }
        let of = &mut self.groups.members[serving];
        of.budget = of.budget.saturating_sub(size);
        self.groups.advance(size);
        Some(packet)
    }

    leaves_hooks!(and times);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{SchedulerRig, args};

    #[test]
    fn shares_are_those_of_the_weights() {
        // 1 : 2 : 4 of 70 packets of the longest size, within the guarantee of a few.
        let mut rig = SchedulerRig::new(&ENTRY, &[("class", "flows=1; flows=2 weight=2; * weight=4")]);
        for flow in 1..4 {
            rig.arrive(0.0, &[flow; 70], 1514);
        }
        let order = rig.serve(0.0, 70);
        for (flow, share) in [(1, 10), (2, 20), (3, 40)] {
            let sent = order.iter().filter(|sent| **sent == flow).count();
            assert!(sent.abs_diff(share) <= 3, "{flow}: {sent}");
        }
    }

    #[test]
    fn classes_of_one_weight_take_turns() {
        let mut rig = SchedulerRig::new(&ENTRY, &[("class", "flows=1; flows=2; *")]);
        rig.arrive(0.0, &[1, 1, 1, 2, 2, 2, 3, 3, 3], 1514);
        assert_eq!(rig.serve(0.0, 9), [1, 2, 3, 1, 2, 3, 1, 2, 3]);
    }

    #[test]
    fn weights_have_a_greatest_sum() {
        let many = "flows=1 weight=1024; ".repeat(64) + "*";
        let found = ENTRY.build(&args(&ENTRY, None, &[("class", &many)]), &LinkContext::default());
        assert_eq!(found.map(|_| ()).map_err(|error| error.path()), Err("class".into()));
    }
}
