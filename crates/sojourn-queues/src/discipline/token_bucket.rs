//! A shaper by a token bucket: packets wait until there are tokens for all their bytes. Specification: RFC 2697 section 2 with one
//! bucket, RFC 1363 section 2 (token bucket rate and size), [Ale04] Alemu, PhD thesis, Evry, 2004, section 1.3 (shaping delays the
//! excess). Compared with: Linux `sch_tbf` (behaviour). The link may be idle while packets wait.
//!
//! In any time t the shaper lets go at most `burst + rate t` bytes. There would never be tokens for a packet that is larger than the
//! bucket, so that it is dropped when it arrives, as Linux does.

use crate::mechanism::bucket::TokenBucket;
use crate::queue::Policed;
use crate::queue::inner::InnerPolicy;
use crate::queue::prelude::*;

pub(crate) static ENTRY: QueueEntry = QueueEntry {
    name: "token_bucket",
    title: "Token bucket shaper",
    doc: "A shaper with a rate and a burst. Tokens come at the rate, and a bucket keeps some; packets wait until there are \
          tokens for all their bytes.",
    reference: "RFC 1363 section 2; Turner 1986",
    presets: presets! {
        /// ns-3.48's TbfQueueDisc: rate 1 Mbit/s (125 KB/s), burst 125000 bytes, limit 1000 packets.
        ns3 = { rate = "1Mbit", burst = "125000B", limit = "1000p" };
    },
    decides: "Tokens decide when a packet leaves, and the policy decides about drops while packets wait.",
    ..QueueEntry::of_discipline::<Params>(build)
};

params! {
    pub struct Params {
        /// The most that may wait.
        limit: Size = "100p" in [0.0, 1e12], "as fifo";
        /// Rate at which the bucket fills, in bits of packets with their headers; `auto` is the rate of the link.
        rate: Option<Rate> = "auto" in [1.0, 1e14], "our choice: it shapes nothing unless it is told";
        /// The content of the bucket.
        burst: Bytes = "3000B" in [1.0, 1e9], "our choice: two of the largest packets";
        /// The policy in the queue.
        policy: InnerPolicy = "fifo", "drop tail";
    }
}

fn build(args: &Args, link: &LinkContext) -> Result<Box<dyn QueueDiscipline>, BuildError> {
    let params: Params = args.typed();
    let policy = params.policy.clone().over(params.limit).build("policy", link)?;
    let bucket = TokenBucket::new(params.rate.unwrap_or(link.rate), params.burst);
    let shaper = Shaper::new(Policed::new(policy, Limit::from_size(params.limit, link)), bucket);
    Ok(Box::new(Shaper { largest: params.burst.0, ..shaper }))
}

/// A queue behind a bucket.
pub struct Shaper {
    queue: Policed<Box<dyn Policy>>,
    bucket: TokenBucket,
    /// The bytes of the largest packet that is not dropped when it arrives.
    largest: u64,
    transmitting: bool,
    /// How often the link asked for a packet that had to wait for tokens.
    overlimits: u64,
    /// When there are tokens for the head, if it waits for them and the link for it.
    due: Option<Instant>,
}

impl Shaper {
    /// Nothing waits. Packets may have any size: one that is larger than the bucket goes when the bucket is full, and the bucket owes the
    /// rest.
    pub fn new(queue: Policed<Box<dyn Policy>>, bucket: TokenBucket) -> Self {
        Shaper { queue, bucket, largest: u64::MAX, transmitting: false, overlimits: 0, due: None }
    }
}

impl QueueDiscipline for Shaper {
    fn enqueue(&mut self, now: Instant, packet: Packet, cx: &mut Context) {
        if u64::from(packet.size) > self.largest {
            return self.queue.turn_away(now, packet, self.transmitting, cx);
        }
        self.queue.enqueue(now, packet, self.transmitting, cx);
    }

    fn dequeue(&mut self, now: Instant, cx: &mut Context) -> Option<Packet> {
        self.transmitting = false;
        self.due = None;
        let Some(size) = self.queue.head().map(|head| head.size) else {
            self.queue.policy_mut().on_idle(now);
            return None;
        };
        let ready = self.bucket.ready(now, size);
        if ready != Some(now) {
            self.due = ready;
            self.overlimits += 1;
            return None;
        }
        let packet = self.queue.dequeue(now, cx)?;
        self.bucket.take(now, packet.size);
        self.transmitting = true;
        Some(packet)
    }

    fn next_deadline(&self) -> Option<Instant> {
        [self.due, self.queue.policy().next_deadline()].into_iter().flatten().min()
    }

    fn on_deadline(&mut self, now: Instant, cx: &mut Context) {
        // The link asks for a packet then.
        if self.due.is_some_and(|due| due <= now) {
            self.due = None;
        }
        if self.queue.policy().next_deadline().is_some_and(|due| due <= now) {
            self.queue.on_deadline(now, self.transmitting, cx);
        }
    }

    fn sends_chokes(&self) -> bool {
        self.queue.policy().sends_chokes()
    }

    fn backlog(&self) -> Backlog {
        self.queue.backlog()
    }

    fn limit(&self) -> Limit {
        self.queue.limit()
    }

    probes! { |self|
        "tokens_bytes" => self.bucket.bytes(),
        "overlimits" => self.overlimits as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::SchedulerRig;
    use crate::rig::at;

    /// 4 Mbit/s on a link of 8: 1000 bytes in 2 ms; the link takes 1 ms for them.
    fn shaper(settings: &[(&str, &str)]) -> SchedulerRig {
        let mut all = vec![("rate", "4Mbit"), ("burst", "2000B")];
        all.extend(settings);
        SchedulerRig::new(&ENTRY, &all)
    }

    #[test]
    fn a_burst_goes_at_once_and_then_the_rate() {
        let mut rig = shaper(&[]);
        rig.arrive(0.0, &[1; 5], 1000);

        // 2000 B at the start and 500 B each millisecond: the third goes at 2 ms, the fourth at 4 ms.
        assert_eq!((rig.next(0.0), rig.next(1.0), rig.next(1.999)), (Some((1, 0)), Some((1, 1)), None));
        assert_eq!(rig.queue.next_deadline(), Some(at(0.002)), "500 B came by 1 ms, and 1000 B go");
        rig.queue.on_deadline(at(0.002), &mut rig.cx);
        assert_eq!((rig.next(2.0), rig.next(3.0), rig.next(4.0)), (Some((1, 2)), None, Some((1, 3))));
        assert_eq!(rig.queue.backlog().packets, 1);
        assert_eq!(rig.queue.probe(1) as u64, 2, "asked in vain at 1.999 and at 3 ms");
    }

    #[test]
    fn a_pause_fills_the_bucket_and_no_more() {
        let mut rig = shaper(&[]);
        rig.arrive(1000.0, &[1; 4], 1000);
        assert_eq!(rig.serve(1000.0, 1).len() + rig.serve(1000.0, 1).len(), 2);
        assert_eq!(rig.next(1000.0), None);
    }

    #[test]
    fn a_packet_larger_than_the_bucket_is_dropped() {
        let mut rig = shaper(&[]);
        rig.arrive(0.0, &[1], 2001);
        assert_eq!((rig.queue.backlog().packets, rig.next(0.0)), (0, None));

        rig.arrive(0.0, &[1, 1], 2000);
        // The bucket is empty after the first: 2000 B at 500 B/ms.
        assert_eq!((rig.next(0.0), rig.next(3.999), rig.next(4.0)), (Some((1, 1)), None, Some((1, 2))));
    }

    #[test]
    fn what_goes_in_any_time_is_at_most_the_burst_and_the_rate() {
        let mut rig = shaper(&[("limit", "1000p")]);
        let mut random = Rng::named(5, "token bucket");
        let mut sent: Vec<(f64, f64)> = Vec::new();
        for step in 0..20_000 {
            let millis = f64::from(step) * 0.1;
            if random.uniform() < 0.06 {
                let size = 40 + random.below(1461) as u32;
                rig.arrive(millis, &[1], size);
            }
            let before = rig.queue.backlog().bytes;
            if rig.next(millis).is_some() {
                sent.push((millis, (before - rig.queue.backlog().bytes) as f64));
            }
        }

        assert!(sent.len() > 500);
        for (first, (from, _)) in sent.iter().enumerate() {
            let mut bytes = 0.0;
            for (at, size) in &sent[first..] {
                bytes += size;
                assert!(bytes <= 2000.0 + 500.0 * (at - from) + 1e-6, "{bytes} bytes from {from} to {at}");
            }
        }
    }
}
