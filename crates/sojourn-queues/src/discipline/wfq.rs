//! Weighted fair queueing by class: a queue for each class. The next packet is the one that a server of all classes at once would finish
//! first; with WF2Q+, among those that it would have begun. The laws and their sources are in [`virtual_time`](super::virtual_time).
//! Specification: [Par93], [Gol94], [Ben97] there; [Ale04] Alemu, PhD thesis, Evry, 2004, section 1.3 (WFQ and its variants). Compared
//! with: a second implementation in Python.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | Any policy may be in a class; its drops release the last tags of the class | the sources do not drop waiting packets | `what_a_policy_drops_gives_back_its_tag` |
//! | The virtual time uses the rate with which the link begins | as the sources; links here may change their rate | - |

use super::virtual_time::{Law, VirtualTime};
use crate::discipline::classes::{ClassQueue, ClassQueues};
use crate::params::Tables;
use crate::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "wfq",
    title: "WFQ (weighted fair queueing), SCFQ, WF2Q+",
    doc: "A scheduler of classes by weights. Each class has a queue, and the classes share the link by their weights. The others share \
          the part that a class does not use.",
    reference: "Demers, Keshav and Shenker 1989; Parekh and Gallager 1993; Golestani 1994; Bennett and Zhang 1997",
    decides: "It decides by virtual time: the packet goes next that would be finished first if all classes were served at \
          once, each by its weight. The policy of a class decides about drops in it.",
    presets: presets! {
        /// Parekh and Gallager 1993: packet-by-packet generalized processor sharing.
        pgps = { law = "wfq" };
        /// Golestani 1994: self-clocked fair queueing.
        scfq = { law = "scfq" };
        /// Bennett and Zhang 1997: worst-case fair weighted fair queueing.
        wf2q_plus = { law = "wf2q+" };
    },
    ..QueueEntry::of_discipline::<Params>(build)
};

params! {
    /// A class of `wfq`.
    pub struct Class {
        ..queue: ClassQueue;
        /// Weight of the class: its part of the link is its weight over the sum of the weights of all classes that wait.
        weight: f64 = "1" in [1e-6, 1e6], "an even part";
    }
}

params! {
    pub struct Params {
        /// The most that may wait in each class without a limit of its own.
        limit: Size = "100p" in [0.0, 1e12], "as fifo";
        /// The classes.
        class: Tables<Class> = "dscp=EF weight=2; dscp=AF11,AF12,AF13; *", "[Ale04] section 1.3: half, a quarter and a quarter";
        /// How the virtual time passes.
        law: Law = "wfq", "[Ale04] section 1.3";
    }
}

fn build(args: &Args, link: &LinkContext) -> Result<Box<dyn QueueDiscipline>, BuildError> {
    let params: Params = args.typed();
    let classes = ClassQueues::new(params.class.0.iter().map(|class| &class.queue), params.limit, link)?;
    let weights = params.class.0.iter().map(|class| class.weight);
    Ok(Box::new(Wfq { classes, time: VirtualTime::new(params.law, weights, link.rate) }))
}

struct Wfq {
    classes: ClassQueues,
    time: VirtualTime,
}

impl QueueDiscipline for Wfq {
    fn enqueue(&mut self, now: Instant, packet: Packet, cx: &mut Context) {
        let class = self.classes.class_of(&packet);
        if self.classes.enqueue(now, class, packet, cx) {
            self.time.joined(now, class, packet.size, self.classes.backlog_of(class).packets);
        }
    }

    fn dequeue(&mut self, now: Instant, cx: &mut Context) -> Option<Packet> {
        self.classes.turn(now);
        while let Some(class) = self.time.choose(now) {
            let packet = self.classes.dequeue(now, class, cx);
            self.time.sent(class, packet.is_some(), self.classes.backlog_of(class).packets);
            if packet.is_some() {
                return packet;
            }
        }
        self.time.rest(now);
        self.classes.rest();
        None
    }

    fn next_deadline(&self) -> Option<Instant> {
        self.classes.next_deadline()
    }

    fn on_deadline(&mut self, now: Instant, cx: &mut Context) {
        self.classes.on_deadline(now, cx);
    }

    fn sends_chokes(&self) -> bool {
        self.classes.sends_chokes()
    }

    fn backlog(&self) -> Backlog {
        self.classes.backlog()
    }

    fn limit(&self) -> Limit {
        self.classes.limit()
    }

    probes! { |self|
        "virtual_time" => self.time.now(),
    }
}

#[cfg(test)]
mod tests {
    use super::ENTRY;
    use crate::rig::SchedulerRig;

    const LAWS: [&str; 3] = ["wfq", "scfq", "wf2q+"];

    fn wfq(law: &str, classes: &str) -> SchedulerRig {
        SchedulerRig::new(&ENTRY, &[("law", law), ("class", classes), ("limit", "10000p")])
    }

    #[test]
    fn the_thesis_example_of_three_queues() {
        // [Ale04] section 1.3: halves and quarters; 600 bytes of the first finish first, then 350 of the second, then 450 of the third:
        // 600 / 2 = 300 < 350 < 450.
        for law in LAWS {
            let mut rig = wfq(law, "flows=1 weight=2; flows=2; *");
            for (flow, size) in [(3, 450), (2, 350), (1, 600)] {
                rig.arrive(0.0, &[flow], size);
            }
            assert_eq!(rig.serve(0.0, 3), [1, 2, 3], "{law}");
        }
    }

    #[test]
    fn the_papers_example_of_eleven_sessions() {
        // Bennett and Zhang, "WF2Q: Worst-case Fair Weighted Fair Queueing", INFOCOM 1996, figures 1 to 3: session 1 has half of the link
        // and eleven packets at 0, ten others a twentieth and one packet each. WFQ sends ten packets of session 1 in a row, then the
        // others, then the eleventh; WF2Q every other packet of session 1. The ten others tie with the tenth packet: of equals the
        // first session goes first, as in the figures.
        let others: Vec<String> = (2..=10).map(|flow| format!("flows={flow}")).collect();
        let classes = format!("flows=1 weight=10; {}; *", others.join("; "));
        let order = |law| {
            let mut rig = wfq(law, &classes);
            rig.arrive(0.0, &[1; 11], 1000);
            rig.arrive(0.0, &(2..=11).collect::<Vec<_>>(), 1000);
            rig.serve(0.0, 21)
        };

        let rest: Vec<u32> = (2..=11).collect();
        assert_eq!(order("wfq"), [vec![1; 10], rest.clone(), vec![1]].concat());
        let every_other: Vec<u32> = rest.iter().flat_map(|flow| [1, *flow]).chain([1]).collect();
        assert_eq!(order("wf2q+"), every_other);
    }

    #[test]
    fn classes_that_wait_share_by_weight_and_in_bytes() {
        // Weights 3 and 1, packets of 500 and 1500 bytes: 9 to 1 in packets, by less than a packet of either over 1000.
        for law in LAWS {
            let mut rig = wfq(law, "flows=1 weight=3; *");
            for _ in 0..2000 {
                rig.arrive(0.0, &[1], 500);
                rig.arrive(0.0, &[2], 1500);
            }
            let sent = rig.serve(0.0, 1000);
            let of_first = sent.iter().filter(|flow| **flow == 1).count();
            assert!((899..=901).contains(&of_first), "{law}: {of_first}");
        }
    }

    #[test]
    fn a_pause_earns_no_credit() {
        for law in LAWS {
            let mut rig = wfq(law, "flows=1; *");
            rig.arrive(0.0, &[2; 20], 1000);
            assert_eq!(rig.serve(0.0, 10), [2; 10]);
            rig.arrive(9.5, &[1; 10], 1000);
            let sent = rig.serve(10.0, 12);
            let of_first = sent.iter().filter(|flow| **flow == 1).count();
            assert!((5..=7).contains(&of_first), "{law}: {sent:?}");
        }
    }

    #[test]
    fn a_policy_that_drops_what_waits_keeps_the_scheduler_going() {
        // CHOKe takes packets out of the queue, CoDel drops at the head.
        for law in LAWS {
            for policy in ["choke:min_th=1p,max_th=5p,w_q=1", "codel:target=1ms,interval=5ms"] {
                let mut rig = wfq(law, &format!("flows=1 policy={policy}; *"));
                let mut sent = 0;
                for step in 0..400 {
                    rig.arrive(f64::from(step), &[1, 2], 1000);
                    sent += rig.serve(f64::from(step) + 0.5, 1).len();
                }
                while rig.queue.backlog().packets > 0 {
                    sent += rig.serve(500.0, 1).len();
                }
                let dropped = rig.cx.events.drain().count();
                assert!(dropped > 50 && sent + dropped == 800, "{law} {policy}: {dropped} and {sent}");
            }
        }
    }
}
