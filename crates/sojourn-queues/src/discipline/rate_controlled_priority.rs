//! Priority queueing in which a class goes first only up to its rate: its excess waits for the classes behind it. Specification:
//! [Ale04] Alemu, PhD thesis, Evry, 2004, section 1.3 (rate-controlled priority queueing: the class of highest priority is served first if
//! the amount of its traffic stays below a threshold), after Semeria, "Supporting Differentiated Service Classes: Queue Scheduling
//! Disciplines", Juniper Networks, 2001. The threshold is a token bucket for each class. Compared with: a second implementation in Python.
//!
//! The first class with tokens for its head is served. If there is none, the first class with a backlog is, and that costs no tokens. The
//! link is never idle while packets wait.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | The amount of traffic is measured by tokens; [Ale04] does not say how | RFC 2697; a rate and a burst describe an amount of traffic | `a_class_beyond_its_rate_waits_for_those_behind` |

use crate::discipline::classes::{ClassQueue, ClassQueues};
use crate::mechanism::bucket::TokenBucket;
use crate::params::Tables;
use crate::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "rate_controlled_priority",
    title: "Rate-controlled priority queueing",
    doc: "A scheduler of classes by urgency with a rate for each. The most urgent class goes first, but a class in excess of its \
          rate waits for those behind it.",
    reference: "Semeria 2001; Alemu 2004 section 1.3",
    decides: "It decides by tokens: the first class that has enough for its packet is served, or else the first one in which \
          a packet waits. The policy of a class decides about drops in it.",
    ..QueueEntry::of_discipline::<Params>(build)
};

params! {
    /// A class of `rate_controlled_priority`.
    pub struct Class {
        ..queue: ClassQueue;
        /// Rate up to which the class goes before those behind it; `auto` is any rate.
        rate: Option<Rate> = "auto" in [1.0, 1e14], "auto: priority without bound";
        /// Bytes that may go at once after a pause.
        burst: Bytes = "3000B" in [1.0, 1e9], "our choice: two of the largest packets";
    }
}

params! {
    pub struct Params {
        /// The most that may wait in each class without a limit of its own.
        limit: Size = "100p" in [0.0, 1e12], "as fifo";
        /// The classes, the most urgent first.
        class: Tables<Class> = "dscp=EF rate=2Mbit; *", "Semeria 2001: 20 % of the link, here of 10 Mbit/s";
    }
}

fn build(args: &Args, link: &LinkContext) -> Result<Box<dyn QueueDiscipline>, BuildError> {
    let params: Params = args.typed();
    let classes = ClassQueues::new(params.class.0.iter().map(|class| &class.queue), params.limit, link)?;
    let bucket = |class: &Class| class.rate.map(|rate| TokenBucket::new(rate, class.burst));
    Ok(Box::new(Ranked { classes, buckets: params.class.0.iter().map(bucket).collect() }))
}

/// Classes in order of urgency, each as far as its rate.
pub(super) struct Ranked {
    classes: ClassQueues,
    /// The bucket of each class that has a rate.
    buckets: Vec<Option<TokenBucket>>,
}

impl Ranked {
    /// For classes without rates: a class is served only if those before it are empty.
    pub fn strict(classes: ClassQueues) -> Self {
        let buckets = vec![None; classes.len()];
        Ranked { classes, buckets }
    }

    /// The class to serve, and whether it is within its rate.
    fn choose(&mut self, now: Instant) -> Option<(usize, bool)> {
        let mut first = None;
        for class in 0..self.classes.len() {
            let Some(size) = self.classes.head(class) else { continue };
            if self.buckets[class].as_mut().is_none_or(|bucket| bucket.has(now, size)) {
                return Some((class, true));
            }
            first = first.or(Some((class, false)));
        }
        first
    }
}

impl QueueDiscipline for Ranked {
    fn enqueue(&mut self, now: Instant, packet: Packet, cx: &mut Context) {
        let class = self.classes.class_of(&packet);
        self.classes.enqueue(now, class, packet, cx);
    }

    fn dequeue(&mut self, now: Instant, cx: &mut Context) -> Option<Packet> {
        self.classes.turn(now);
        while let Some((class, within)) = self.choose(now) {
            if let Some(packet) = self.classes.dequeue(now, class, cx) {
                if let (Some(bucket), true) = (&mut self.buckets[class], within) {
                    bucket.take(now, packet.size);
                }
                return Some(packet);
            }
        }
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
        "first_class_packets" => self.classes.backlog_of(0).packets as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::ENTRY;
    use crate::rig::SchedulerRig;

    #[test]
    fn a_class_beyond_its_rate_waits_for_those_behind() {
        // 2 of 8 Mbit/s: 250 bytes in a millisecond, and 2000 at the start.
        let mut rig = SchedulerRig::new(&ENTRY, &[("class", "flows=1 rate=2Mbit burst=2000B; flows=2; *")]);
        rig.arrive(0.0, &[1; 10], 1000);
        rig.arrive(0.0, &[2; 9], 1000);
        rig.arrive(0.0, &[3; 2], 1000);

        // Two go at 0 and 1 ms and leave 250 bytes; the third has its tokens at 4 ms, the fourth at 8 ms.
        assert_eq!(rig.serve(0.0, 10), [1, 1, 2, 2, 1, 2, 2, 2, 1, 2]);
        assert_eq!(rig.serve(10.0, 3), [2, 2, 1]);
        // The last of class 2, and class 3, before class 1 has its tokens again at 16 ms; then nothing else waits.
        assert_eq!(rig.serve(13.0, 3), [2, 3, 3]);
        assert_eq!(rig.serve(16.0, 5), [1; 5], "the link is not idle");
    }

    #[test]
    fn what_goes_in_excess_costs_no_tokens() {
        let mut rig = SchedulerRig::new(&ENTRY, &[("class", "flows=1 rate=2Mbit burst=1000B; *")]);
        rig.arrive(0.0, &[1; 4], 1000);
        assert_eq!(rig.serve(0.0, 3), [1, 1, 1]);
        rig.arrive(3.0, &[2; 2], 1000);
        // The bucket was empty at 0 and is full at 4 ms, whatever went between.
        assert_eq!((rig.next(3.999), rig.next(4.0)), (Some((2, 4)), Some((1, 3))));
    }

    #[test]
    fn a_class_without_a_rate_is_strictly_first() {
        let mut rig = SchedulerRig::new(&ENTRY, &[("class", "flows=1; *")]);
        rig.arrive(0.0, &[2, 1, 2, 1], 1000);
        assert_eq!(rig.serve(0.0, 4), [1, 1, 2, 2]);
    }
}
