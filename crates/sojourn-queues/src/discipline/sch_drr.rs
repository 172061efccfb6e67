//! `drr` of Linux: classes that share the link by turns of bytes. Specification: Shreedhar and Varghese, SIGCOMM 1995, for classes, as
//! Linux 6.12 `sch_drr` does it (behaviour); tc-drr(8). Compared with: the kernel beside it (`evidence/linux`). In [`drr`](super::drr) each
//! flow has a queue, as in the publication.
//!
//! Turns are those of [`sch_ets`](super::sch_ets).
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | A packet that no class takes goes to the last class; Linux drops it | as the other schedulers by class | - |

use crate::discipline::classes::{ByFlow, Filters, Takes};
use crate::discipline::leaves::{Leaves, leaves_hooks};
use crate::discipline::sch_ets::{Turns, turn_of};
use crate::params::Tables;
use crate::queue::leaf::LeafQueue;
use crate::queue::prelude::*;

/// The registry's entry.
pub static ENTRY: QueueEntry = QueueEntry {
    name: "sch_drr",
    title: "drr of Linux",
    doc: "A scheduler of classes by deficit round robin, as in Linux. Classes share the link in proportion to their quanta. Any queue may \
          be in a class.",
    reference: "Shreedhar and Varghese 1995; Linux sch_drr",
    decides: "It decides by turns of bytes whose packet goes next. The queue of a class decides about drops in it.",
    ..QueueEntry::of_discipline::<Params>(build)
};

params! {
    /// A class of `sch_drr`.
    pub struct Class {
        ..takes: Takes;
        /// Bytes of a turn, 256 to 1048576.
        quantum: Bytes = "1514B" in [1.0, 4_294_967_295.0], "tc: the device's MTU";
        /// The queue in the class, with its own limit.
        queue: LeafQueue = "fifo:limit=1000p", "Linux: pfifo with the device's queue length";
    }
}

params! {
    /// Parameters of drr.
    pub struct Params {
        /// The classes.
        class: Tables<Class> = "dscp=EF; *", "our choice: calls apart; tc has none at first";
    }
}

fn build(args: &Args, link: &LinkContext) -> Result<Box<dyn QueueDiscipline>, BuildError> {
    let Tables(classes) = args.typed::<Params>().class;
    Ok(Box::new(Drr {
        filters: ByFlow::new(Filters::new(classes.iter().map(|class| &class.takes), &link.groups)?),
        leaves: Leaves::new(classes.iter().map(|class| &class.queue), "class", link)?,
        turns: Turns::new(classes.iter().map(|class| turn_of(class.quantum))),
    }))
}

struct Drr {
    filters: ByFlow,
    leaves: Leaves,
    turns: Turns,
}

impl QueueDiscipline for Drr {
    fn enqueue(&mut self, now: Instant, packet: Packet, cx: &mut Context) {
        let class = self.filters.class_of(&packet);
        if self.leaves.enqueue(now, class, packet, cx) {
            self.turns.activate(class);
        }
    }

    fn dequeue(&mut self, now: Instant, cx: &mut Context) -> Option<Packet> {
        self.turns.next(now, &mut self.leaves, 0, cx)
    }

    leaves_hooks!(and times);
}

#[cfg(test)]
mod tests {
    use super::ENTRY;
    use crate::rig::SchedulerRig;

    #[test]
    fn classes_share_by_their_quanta() {
        // [SV95] section 3.1: with quanta of 2000 and 1000, two packets and one.
        let mut rig = SchedulerRig::new(&ENTRY, &[("class", "flows=1 quantum=2000B; * quantum=1000B")]);
        rig.arrive(0.0, &[1, 1, 1, 1, 2, 2, 2, 2], 1000);

        assert_eq!(rig.serve(0.0, 8), [1, 1, 2, 1, 1, 2, 2, 2]);
    }

    #[test]
    fn a_packet_longer_than_a_quantum_waits_for_several_turns() {
        // Flow 1 has 500 a turn for 1000 bytes, which it sends in every second one.
        let mut rig = SchedulerRig::new(&ENTRY, &[("class", "flows=1 quantum=500B; * quantum=1000B")]);
        rig.arrive(0.0, &[1, 1, 2, 2, 2, 2], 1000);

        assert_eq!(rig.serve(0.0, 6), [2, 1, 2, 2, 1, 2]);
    }
}
