//! Priority queueing: a queue for each class, and a class is served only if nothing waits in those before it. Specification:
//! [Ale04] Alemu, PhD thesis, Evry, 2004, section 1.3 (priority queueing); RFC 3246 section 2, which asks it of expedited forwarding.
//! Compared with: Linux `sch_prio` (behaviour). A packet that is being sent is not interrupted. It is
//! [rate-controlled priority queueing](super::rate_controlled_priority) of classes without rates.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | Any policy may be in a class; [Ale04] has first in, first out | `fifo` is the default | - |

use crate::discipline::classes::{ClassQueue, ClassQueues};
use crate::discipline::rate_controlled_priority::Ranked;
use crate::params::Tables;
use crate::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "priority",
    title: "Priority queueing",
    doc: "A scheduler of classes by urgency. Each class has a queue, and a class is served only if nothing waits in those before \
          it.",
    reference: "RFC 3246 section 2; Alemu 2004 section 1.3",
    decides: "It decides by the order of the classes: the first one in which a packet waits is served. The policy of a class \
          decides about drops in it.",
    ..QueueEntry::of_discipline::<Params>(build)
};

params! {
    /// A class of `priority`.
    pub struct Class {
        ..queue: ClassQueue;
    }
}

params! {
    pub struct Params {
        /// The most that may wait in each class without a limit of its own.
        limit: Size = "100p" in [0.0, 1e12], "as fifo";
        /// The classes, the most urgent first.
        class: Tables<Class> = "dscp=EF; *", "RFC 3246: expedited forwarding before the rest";
    }
}

fn build(args: &Args, link: &LinkContext) -> Result<Box<dyn QueueDiscipline>, BuildError> {
    let params: Params = args.typed();
    let classes = ClassQueues::new(params.class.0.iter().map(|class| &class.queue), params.limit, link)?;
    Ok(Box::new(Ranked::strict(classes)))
}

#[cfg(test)]
mod tests {
    use super::ENTRY;
    use crate::rig::SchedulerRig;

    #[test]
    fn a_class_waits_for_all_before_it() {
        let mut rig = SchedulerRig::new(&ENTRY, &[("class", "flows=1; flows=2; *")]);
        rig.arrive(0.0, &[3, 2, 1, 3, 2, 1], 1000);

        assert_eq!(rig.serve(0.0, 2), [1, 1]);
        rig.arrive(1.5, &[2], 1000);
        assert_eq!(rig.serve(2.0, 1), [2]);
        // One that comes in time goes first, and the class before it is empty again.
        rig.arrive(2.5, &[1], 1000);
        assert_eq!(rig.serve(3.0, 5), [1, 2, 2, 3, 3]);
        assert_eq!(rig.next(8.0), None);
    }

    #[test]
    fn packets_of_a_class_keep_their_order_whatever_their_flow() {
        let mut rig = SchedulerRig::new(&ENTRY, &[("class", "flows=1-2; *")]);
        rig.arrive(0.0, &[2, 9, 1, 2], 1000);

        let order: Vec<_> = (0..4).filter_map(|n| rig.next(f64::from(n))).collect();
        assert_eq!(order, [(2, 0), (1, 2), (2, 3), (9, 1)]);
    }

    #[test]
    fn a_full_class_takes_no_room_from_others() {
        let mut rig = SchedulerRig::new(&ENTRY, &[("class", "flows=1; *"), ("limit", "2p")]);
        rig.arrive(0.0, &[9, 9, 9, 1, 1, 1], 1000);

        let lost: Vec<u32> = rig.cx.events.drain().map(|event| event.packet.flow.0).collect();
        assert_eq!(lost, [9, 1]);
        assert_eq!(rig.serve(0.0, 9), [1, 1, 9, 9]);
    }

    #[test]
    fn any_policy_may_stand_in_a_class() {
        // With w_q = 1 the average is the queue: RED drops from twice max_th on, and the other class drops nothing.
        let red = "flows=1 policy=red:w_q=1,min_th=1p,max_th=2p; *";
        let mut rig = SchedulerRig::new(&ENTRY, &[("class", red), ("limit", "20p")]);
        rig.arrive(0.0, &[1; 10], 1000);
        rig.arrive(0.0, &[2; 10], 1000);

        let lost: Vec<u32> = rig.cx.events.drain().map(|event| event.packet.flow.0).collect();
        assert!(lost.len() >= 5 && lost.iter().all(|flow| *flow == 1), "{lost:?}");
    }
}
