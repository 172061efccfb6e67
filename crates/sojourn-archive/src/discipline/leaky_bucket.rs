//! A shaper by a leaky bucket: packets wait in the bucket and leak out at a constant rate, whatever they came at. Specification: Turner,
//! "New directions in communications (or which way to the information age?)", IEEE Communications Magazine 24(10), 1986 [Tur86];
//! [Ale04] Alemu, PhD thesis, Evry, 2004, section 1.3. Compared with: a token bucket without depth, which it is: `token_bucket` lets a
//! burst go after a pause, and this none. The policer by a leaky bucket is `policer`.
//!
//! Behind a packet of L bytes the next one leaves L / rate later, or when it comes. The link may be idle while packets wait.

use sojourn_queues::discipline::token_bucket::Shaper;
use sojourn_queues::mechanism::bucket::TokenBucket;
use sojourn_queues::queue::Policed;
use sojourn_queues::queue::inner::InnerPolicy;
use sojourn_queues::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "leaky_bucket",
    title: "Leaky bucket shaper",
    doc: "A shaper without bursts. Packets leave at a constant rate, however they come.",
    reference: "Turner 1986",
    decides: "The rate decides when a packet leaves, and the policy decides about drops while packets wait.",
    ..QueueEntry::of_discipline::<Params>(build)
};

params! {
    pub struct Params {
        /// The most that may wait, which is the size of the bucket.
        limit: Size = "100p" in [0.0, 1e12], "as fifo";
        /// Rate at which it leaks, in bits of packets with their headers; `auto` is the rate of the link.
        rate: Option<Rate> = "auto" in [1.0, 1e14], "our choice: it shapes nothing unless it is told";
        /// The policy in the queue.
        policy: InnerPolicy = "fifo", "[Tur86]: packets that do not fit are lost";
    }
}

fn build(args: &Args, link: &LinkContext) -> Result<Box<dyn QueueDiscipline>, BuildError> {
    let params: Params = args.typed();
    let policy = params.policy.clone().over(params.limit).build("policy", link)?;
    let bucket = TokenBucket::new(params.rate.unwrap_or(link.rate), Bytes(0));
    Ok(Box::new(Shaper::new(Policed::new(policy, Limit::from_size(params.limit, link)), bucket)))
}

#[cfg(test)]
mod tests {
    use super::ENTRY;
    use sojourn_queues::rig::SchedulerRig;

    #[test]
    fn packets_leave_at_the_rate_whatever_they_came_at() {
        // 4 Mbit/s: 1000 bytes in 2 ms, 500 in 1 ms.
        let mut rig = SchedulerRig::new(&ENTRY, &[("rate", "4Mbit"), ("limit", "4p")]);
        rig.arrive(10.0, &[1], 1000);
        rig.arrive(10.0, &[2], 500);
        rig.arrive(10.0, &[3, 4, 5], 1000);

        assert_eq!(rig.cx.events.as_slice().len(), 1, "the bucket holds four, and none has left");
        assert_eq!((rig.next(10.0), rig.next(11.999), rig.next(12.0)), (Some((1, 0)), None, Some((2, 1))));
        assert_eq!((rig.next(12.999), rig.next(13.0)), (None, Some((3, 2))));
        // A pause is no credit.
        assert_eq!(rig.next(100.0), Some((4, 3)));
        rig.arrive(100.0, &[6], 1000);
        assert_eq!((rig.next(101.999), rig.next(102.0)), (None, Some((6, 5))));
    }
}
