//! Class-based fair queueing: each class has its part of the link, and the flows of a class share that part evenly. Specification: [Ale04]
//! Alemu, PhD thesis, Evry, 2004, section 1.3 (CBFQ), after Semeria, "Supporting Differentiated Service Classes: Queue Scheduling
//! Disciplines", Juniper Networks, 2001 [Sem01]; between classes by start times: [Goy96] Goyal, Vin and Cheng, "Start-Time Fair Queueing: A
//! Scheduling Algorithm for Integrated Services Packet Switching Networks", SIGCOMM 1996, which needs not know the next packet's length;
//! within a class [`flow_queue`](sojourn_queues::discipline::flow_queue). Compared with: no public implementation.
//!
//! ```text
//! start = max(finish of the class, V)      finish = start + L / weight      V = start of the class in service
//! ```
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | Flows of a class take turns by bytes, new flows first (RFC 8290) | [Ale04]: round robin, by which flows of large packets get more | `the_thesis_example_of_calls_and_others` |

use sojourn_queues::discipline::classes::{Filters, Takes};
use sojourn_queues::discipline::flow_queue::{FlowQueue, Sharing};
use sojourn_queues::params::Tables;
use sojourn_queues::queue::inner::InnerPolicy;
use sojourn_queues::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "cbfq",
    title: "CBFQ (class-based fair queueing)",
    doc: "A scheduler of classes with fair queueing inside. Each class has its part of the link, and the flows of a class share \
          that part evenly.",
    reference: "Semeria 2001; Goyal, Vin and Cheng 1996; Alemu 2004 section 1.3",
    decides: "It decides by virtual time which class is served, and by turns which of its flows. The policy of a class \
          decides about drops in its queues.",
    ..QueueEntry::of_discipline::<Params>(build)
};

params! {
    /// A class of `cbfq`.
    pub struct Class {
        ..takes: Takes;
        /// The most that may wait in the class.
        limit: Option<Size> = "auto" in [0.0, 1e12], "auto: the limit of the queue";
        /// The policy in the queues of the class.
        policy: InnerPolicy = "fifo", "drop tail";
        /// Weight of the class: its part of the link is its weight over the sum of the weights of all classes that wait.
        weight: f64 = "1" in [1e-6, 1e6], "an even part";
    }
}

params! {
    pub struct Params {
        /// The most that may wait in each class without a limit of its own.
        limit: Size = "100p" in [0.0, 1e12], "as fifo";
        /// The classes.
        class: Tables<Class> = "dscp=EF weight=0.2; * weight=0.8", "[Sem01]: 20 % for calls, 80 % for the rest";
        /// Queues in each class, which its flows are hashed to.
        flows: u64 = "256" in [1.0, 65536.0], "our choice: more than flows";
        /// Bytes that a flow may send in its turn.
        quantum: Bytes = "1514B" in [1.0, 1e9], "as flow_queue";
    }
}

fn build(args: &Args, link: &LinkContext) -> Result<Box<dyn QueueDiscipline>, BuildError> {
    let params: Params = args.typed();
    let filters = Filters::new(params.class.0.iter().map(|class| &class.takes), &link.groups)?;
    let class = |(number, class): (usize, &Class)| {
        let limit = class.limit.unwrap_or(params.limit);
        let policies = (0..params.flows).map(|_| class.policy.build("policy", link));
        let policies = policies.collect::<Result<Vec<_>, _>>().map_err(|error| error.inside_entry("class", number))?;
        let sharing = Sharing::new(Limit::from_size(limit, link), params.quantum, 1);
        Ok(Share { queue: FlowQueue::new(policies, sharing), weight: class.weight, start: 0.0, finish: 0.0 })
    };
    let classes: Vec<Share> = params.class.0.iter().enumerate().map(class).collect::<Result<_, BuildError>>()?;
    let limit = sojourn_queues::discipline::classes::sum(classes.iter().map(|share| share.queue.limit()));
    Ok(Box::new(Cbfq { filters, classes, limit, now: 0.0 }))
}

/// A class.
struct Share {
    queue: FlowQueue<Box<dyn Policy>>,
    weight: f64,
    start: f64,
    finish: f64,
}

struct Cbfq {
    filters: Filters,
    classes: Vec<Share>,
    limit: Limit,
    /// V.
    now: f64,
}

impl Cbfq {
    /// The waiting class with the least start; the first among equals.
    fn choose(&self) -> Option<usize> {
        let waits = |class: &usize| self.classes[*class].queue.backlog().packets > 0;
        let start = |class: &usize| self.classes[*class].start;
        (0..self.classes.len()).filter(waits).min_by(|a, b| start(a).total_cmp(&start(b)))
    }
}

impl QueueDiscipline for Cbfq {
    fn enqueue(&mut self, now: Instant, packet: Packet, cx: &mut Context) {
        let class = &mut self.classes[self.filters.class_of(&packet)];
        if class.queue.backlog().packets == 0 {
            class.start = class.finish.max(self.now);
        }
        class.queue.enqueue(now, packet, cx);
    }

    fn dequeue(&mut self, now: Instant, cx: &mut Context) -> Option<Packet> {
        while let Some(index) = self.choose() {
            let class = &mut self.classes[index];
            if let Some(packet) = class.queue.dequeue(now, cx) {
                self.now = class.start;
                class.finish = class.start + f64::from(packet.size) / class.weight;
                class.start = class.finish;
                return Some(packet);
            }
        }
        // A new busy period.
        self.now = 0.0;
        for class in &mut self.classes {
            (class.start, class.finish) = (0.0, 0.0);
            class.queue.dequeue(now, cx);
        }
        None
    }

    fn next_deadline(&self) -> Option<Instant> {
        self.classes.iter().filter_map(|class| class.queue.next_deadline()).min()
    }

    fn on_deadline(&mut self, now: Instant, cx: &mut Context) {
        for class in &mut self.classes {
            if class.queue.next_deadline().is_some_and(|due| due <= now) {
                class.queue.on_deadline(now, cx);
            }
        }
    }

    fn sends_chokes(&self) -> bool {
        self.classes.iter().any(|class| class.queue.sends_chokes())
    }

    fn backlog(&self) -> Backlog {
        self.classes.iter().map(|class| class.queue.backlog()).fold(Backlog::default(), |all, class| Backlog {
            packets: all.packets + class.packets,
            bytes: all.bytes + class.bytes,
        })
    }

    fn limit(&self) -> Limit {
        self.limit
    }

    probes! { |self|
        "virtual_time" => self.now,
    }
}

#[cfg(test)]
mod tests {
    use super::ENTRY;
    use sojourn_queues::rig::SchedulerRig;

    /// How many of these packets are of each flow.
    fn count(sent: &[u32], flows: std::ops::Range<u32>) -> Vec<usize> {
        flows.map(|flow| sent.iter().filter(|other| **other == flow).count()).collect()
    }

    #[test]
    fn the_thesis_example_of_calls_and_others() {
        // [Ale04] section 1.3: 3 calls have 20 % of the link, a third of it each, 8 others 80 %, an eighth each. 3000 packets of one size:
        // 200 for each call, 300 for each other, by the packets of a quantum and a half.
        let mut rig = SchedulerRig::new(
            &ENTRY,
            &[("class", "flows=0-2 weight=0.2; * weight=0.8"), ("flows", "65536"), ("limit", "90000p")],
        );
        for _ in 0..400 {
            rig.arrive(0.0, &(0..11).collect::<Vec<_>>(), 1000);
        }
        let sent = rig.serve(0.0, 3000);

        assert!(count(&sent, 0..3).iter().all(|packets| packets.abs_diff(200) <= 2), "{:?}", count(&sent, 0..3));
        assert!(count(&sent, 3..11).iter().all(|packets| packets.abs_diff(300) <= 2), "{:?}", count(&sent, 3..11));
    }

    #[test]
    fn what_a_class_leaves_the_others_share_by_their_weights() {
        let mut rig = SchedulerRig::new(
            &ENTRY,
            &[("class", "flows=1 weight=5; flows=2 weight=2; * weight=1"), ("limit", "9000p")],
        );
        rig.arrive(0.0, &[2; 800], 1000);
        rig.arrive(0.0, &[3; 800], 500);
        // 2 to 1 in bytes: as many packets of 1000 as of 500.
        let sent = rig.serve(0.0, 600);
        assert!(count(&sent, 2..4).iter().all(|packets| packets.abs_diff(300) <= 1), "{:?}", count(&sent, 2..4));
        // One that comes back gets its part from then on: 5 to 2 to 1.
        rig.arrive(600.0, &[1; 500], 1000);
        let later = rig.serve(600.0, 450);
        assert!(count(&later, 1..4).iter().zip([250, 100, 100]).all(|(packets, part)| packets.abs_diff(part) <= 2));
    }
}
