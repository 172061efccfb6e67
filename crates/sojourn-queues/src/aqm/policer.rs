//! A policer: packets in excess of a rate and a burst are dropped, marked or demoted. Specification: RFC 2697 section 2 with
//! one bucket (token bucket); ITU-T Recommendation I.371 annex A, generic cell rate algorithm, continuous-state leaky bucket (leaky
//! bucket); [Ale04] Alemu, PhD thesis, Evry, 2004, section 1.3 (non-conform packets are discarded or marked). Compared with: Linux
//! `act_police` (behaviour).
//!
//! A token bucket has to hold tokens for all bytes of the packet; a leaky bucket takes the packet if its content has leaked down to its
//! depth, and may then hold more than that. Packets in excess fill neither.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | In I.371 all cells have one size | packets of any size are poured in | `a_leaky_bucket_takes_a_packet_when_it_has_leaked_to_its_depth` |
//! | A packet is demoted when it leaves the queue | a policy writes into packets when they are sent | `what_exceeds_is_demoted` |

use crate::header::Dscp;
use crate::mechanism::bucket::TokenBucket;
use crate::packet::Service;
use crate::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "policer",
    title: "Policer",
    doc: "A meter before the queue, at which nothing waits. Packets that come in excess of a rate and a burst are dropped, \
          marked or demoted.",
    reference: "RFC 2697; ITU-T I.371",
    decides: "It decides by the tokens in a bucket: a packet that finds too few is in excess, and every other packet passes.",
    remarks: true,
    ..QueueEntry::of_policy::<Params>()
};

params! {
    pub struct Params {
        /// The most that may wait, without the packet in transmission.
        limit: Size = "100p" in [0.0, 1e12], "as fifo";
        /// Rate that is within the contract, in bits of packets with their headers; `auto` is the rate of the link.
        rate: Option<Rate> = "auto" in [1.0, 1e14], "our choice: nothing exceeds it for long unless it is told";
        /// Burst that is within the contract.
        burst: Bytes = "3000B" in [0.0, 1e9], "our choice: two of the largest packets";
        /// How the bucket decides: it needs tokens for a packet, or it must have leaked before the packet.
        meter: Meter = "token_bucket", "RFC 2697";
        /// The fate of a packet in excess.
        excess: Excess = "dropped", "Alemu 2004 section 1.3";
        /// Codepoint of demoted packets; they are declared Out, too.
        demoted_dscp: Dscp = "DF", "RFC 2474: best effort";
    }
}

choices! {
    /// How packets are measured.
    pub enum Meter {
        /// A packet is within the contract if there are tokens for all its bytes.
        TokenBucket = "token_bucket",
        /// A packet is within the contract if the bucket has leaked to its depth.
        LeakyBucket = "leaky_bucket",
    }
}

choices! {
    /// The fate of a packet in excess.
    pub enum Excess {
        /// It is dropped.
        Dropped = "dropped",
        /// It is marked, or dropped if it is not ECN-capable.
        Marked = "marked",
        /// It goes on with another codepoint, declared Out.
        Demoted = "demoted",
    }
}

/// It came in excess.
const EXCESS: Reason = Reason("excess");
/// Left with a packet that is to be demoted.
const DEMOTED: Tag = 1;

#[derive(Clone, Debug)]
pub struct Policer {
    bucket: TokenBucket,
    params: Params,
    /// Whether the packet that leaves is to be demoted.
    demotes: bool,
}

impl PolicyParams for Params {
    type Policy = Policer;

    fn policy(&self, link: &LinkContext) -> Result<Policer, BuildError> {
        let bucket = TokenBucket::new(self.rate.unwrap_or(link.rate), self.burst);
        Ok(Policer { bucket, params: self.clone(), demotes: false })
    }
}

impl Policy for Policer {
    fn on_arrival(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, _rng: &mut Rng) -> Verdict {
        let needed = match self.params.meter {
            Meter::TokenBucket => packet.size,
            Meter::LeakyBucket => 0,
        };
        if self.bucket.has(now, needed) {
            self.bucket.take(now, packet.size);
            return Verdict::Pass;
        }
        match self.params.excess {
            Excess::Dropped => Verdict::Drop(EXCESS),
            Excess::Marked => Verdict::Mark(EXCESS),
            Excess::Demoted => {
                queue.leave(DEMOTED);
                Verdict::Pass
            }
        }
    }

    fn on_departure(&mut self, _now: Instant, _: &Packet, queue: &mut QueueView<'_>, _rng: &mut Rng) -> Verdict {
        self.demotes = queue.tag() == DEMOTED;
        Verdict::Pass
    }

    fn on_transmission(&mut self, _now: Instant, packet: &mut Packet, _waiting: Backlog) {
        if self.demotes {
            packet.service = Some(Service::Out);
            packet.dscp = self.params.demoted_dscp;
        }
    }

    fn decides_on_arrival(&self) -> bool {
        self.params.excess != Excess::Demoted
    }

    probes! { |self|
        "tokens_bytes" => self.bucket.bytes(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{Ecn, FlowId};
    use crate::queue::What;
    use crate::rig::SchedulerRig;
    use crate::rig::at;

    /// 8 kbit/s: 1000 bytes in a second, and a bucket of 2000.
    fn policer(settings: &[(&str, &str)]) -> SchedulerRig {
        let mut all = vec![("rate", "8kbit"), ("burst", "2000B")];
        all.extend(settings);
        SchedulerRig::new(&ENTRY, &all)
    }

    /// Whether packets of 1000 bytes at these times are within.
    fn within(rig: &mut SchedulerRig, times: &[f64]) -> Vec<bool> {
        let within = |millis: &f64| {
            rig.arrive(*millis, &[1], 1000);
            rig.cx.events.drain().count() == 0
        };
        times.iter().map(within).collect()
    }

    #[test]
    fn a_token_bucket_has_tokens_for_all_bytes() {
        let mut rig = policer(&[]);
        // Two at the start; the third has all its tokens at 1000 ms, and the packets in excess before it cost none.
        assert_eq!(within(&mut rig, &[0.0, 0.0, 0.0, 999.999, 1000.0]), [true, true, false, false, true]);
        // 2000 bytes after a long pause.
        assert_eq!(within(&mut rig, &[9000.0, 9000.0, 9000.0]), [true, true, false]);
    }

    #[test]
    fn a_leaky_bucket_takes_a_packet_when_it_has_leaked_to_its_depth() {
        // I.371 annex A: X' = X - (t - LCT) conforms if it is at most L; L = 2000 bytes. At the start 0, 1000 and 2000 bytes are
        // in it; the fourth finds 3000, which have leaked to 2000 at 1000 ms.
        let mut rig = policer(&[("meter", "leaky_bucket")]);
        let times = [0.0, 0.0, 0.0, 0.0, 999.999, 1000.0, 1000.0];
        assert_eq!(within(&mut rig, &times), [true, true, true, false, false, true, false]);
    }

    #[test]
    fn what_exceeds_is_marked_or_dropped() {
        let mut rig = policer(&[("excess", "marked"), ("burst", "0B")]);
        let mut arrive = |ecn| {
            rig.queue.enqueue(at(0.0), Packet::datagram(FlowId(1), 0, 1000).with_ecn(ecn), &mut rig.cx);
            rig.cx.events.drain().map(|event| event.what).collect::<Vec<_>>()
        };
        assert_eq!(arrive(Ecn::Ect0), [What::Mark(EXCESS)]);
        assert_eq!(arrive(Ecn::NotEct), [What::Drop(EXCESS)]);
    }

    #[test]
    fn what_exceeds_is_demoted() {
        let mut rig = policer(&[("excess", "demoted"), ("demoted_dscp", "CS1")]);
        for seq in 0..3 {
            let packet = Packet { dscp: Dscp::EF, ..Packet::datagram(FlowId(1), seq, 1000) };
            rig.queue.enqueue(at(0.0), packet, &mut rig.cx);
        }

        let sent: Vec<Packet> = (0..3).filter_map(|_| rig.queue.dequeue(at(0.0), &mut rig.cx)).collect();
        let labels: Vec<_> = sent.iter().map(|packet| (packet.dscp.to_string(), packet.service)).collect();
        assert_eq!(labels, [("EF".into(), None), ("EF".into(), None), ("CS1".into(), Some(Service::Out))]);
    }
}
