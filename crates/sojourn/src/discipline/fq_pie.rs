//! FQ-PIE: PIE in a queue for each flow, served by deficit round robin with new flows first. Specification: RFC 8033 and the scheduler of
//! RFC 8290; there is no document of both. The scheduler is [`FlowQueue`], the policy [`pie`]. Compared with: Linux 6.12 `sch_fq_pie`,
//! decision by decision (`tests/peers/linux/kernel`).
//!
//! Deviations: those of the two parts, and
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | There is no bound by memory | Linux counts packets that exceed its bound, and lets them in | - |

use crate::aqm::pie;
use crate::discipline::flow_queue::{FlowQueue, Full, Settings};
use crate::mechanism::arithmetic::Arithmetic;
use crate::queue::prelude::*;

/// The registry's entry.
pub static ENTRY: QueueEntry = QueueEntry {
    name: "fq_pie",
    title: "FQ-PIE",
    doc: "Fair queueing by flow with PIE in each queue. Flows are hashed to queues, which are served by deficit round robin with \
          new flows first; in each PIE drops or marks arrivals with a probability that it moves until the delay is at its reference.",
    reference: "RFC 8033, RFC 8290 (the scheduler)",
    presets: presets! {
        /// Linux 6.12 sch_fq_pie's defaults, which tc of iproute2 7.1 leaves, in its numbers: 1024 queues, 10240 packets, target and
        /// updates of 15 ms, no ECN.
        linux = {
            limit = "10240p", flows = "1024", quantum = "1514B", target = "15ms", interval = "15ms", alpha = "0.125", beta = "1.25",
            max_burst = "150ms", ecn = "false", mtu = "1514B", arithmetic = "kernel",
        };
    },
    law: Some(|args, _link| Ok(pie::draw_law(&args.typed::<Params>().pie()))),
    shown: &[
        Counter("pkts_in", Source::Queued),
        Counter("overlimit", Source::Drops(&[Reason::OVERFLOW])),
        Counter("overmemory", Source::Zero),
        Counter("ecn_mark", Source::Marks),
        Counter("new_flow_count", Source::Probe("new_flow_count")),
        Counter("new_flows_len", Source::Probe("new_flows")),
        Counter("old_flows_len", Source::Probe("old_flows")),
    ],
    ..QueueEntry::of_discipline::<Params>(build)
};

params! {
    /// Parameters of FQ-PIE.
    pub struct Params {
        /// The most that may wait in all queues together. A packet for which there is no room is lost.
        limit: Size = "10240p" in [0.0, 1e12], "Linux sch_fq_pie";
        /// Queues that flows are hashed to.
        flows: u64 = "1024" in [1.0, 65536.0], "Linux sch_fq_pie";
        /// Bytes that a queue may send in its turn.
        quantum: Bytes = "1514B" in [1.0, 1e9], "Linux sch_fq_pie; RFC 8290 section 5.2.4";
        /// Target of the queuing delay in each queue.
        target: Duration = "15ms" in [0.0, 100.0], "RFC 8033 section 4.2";
        /// Time between two updates of the probability.
        interval: Duration = "15ms" in [1e-6, 100.0], "RFC 8033 section 4.2";
        /// Gain of the distance from the target, in Hz.
        alpha: f64 = "0.125" in [0.0, 1e6], "RFC 8033 section 4.2";
        /// Gain of the change since the last update, in Hz.
        beta: f64 = "1.25" in [0.0, 1e6], "RFC 8033 section 4.2";
        /// The time for which every packet of a burst passes.
        max_burst: Duration = "150ms" in [0.0, 100.0], "RFC 8033 section 4.4";
        /// Mark ECN-capable packets instead of dropping them while the probability is at most 10 %.
        ecn: bool = "false", "Linux sch_fq_pie";
        /// The largest packet: with the numbers of the kernel nothing is dropped while less than two of it wait in a queue.
        mtu: Bytes = "1514B" in [1.0, 65535.0], "Linux: the device's MTU and header";
        /// The numbers in which the law is computed, as in `pie`. With those of the kernel a new queue that becomes empty is old for a
        /// round only if there are other old queues, a `quantum` is at least 256 bytes and at most 1 MiB, and 2048 queues are updated in a
        /// millisecond, so that the time between updates grows with `flows`.
        arithmetic: Arithmetic = "real", "RFC 8033";
    }
}

impl Params {
    /// PIE in each queue.
    fn pie(&self) -> pie::Params {
        let Params { target, interval, alpha, beta, max_burst, ecn, mtu, arithmetic, .. } = *self;
        pie::Params { target, interval, alpha, beta, max_burst, ecn, mtu, arithmetic, ..pie::Params::default() }
    }
}

fn build(args: &Args, link: &LinkContext) -> Result<Box<dyn QueueDiscipline>, BuildError> {
    let params: Params = args.typed();
    let pie = params.pie();
    let settings =
        Settings { limit: params.limit, flows: params.flows, quantum: params.quantum, ..Settings::default() };
    let mut sharing = settings.on(link);
    sharing.full = Full::Arrival;
    if params.arithmetic == Arithmetic::Kernel {
        sharing = sharing.as_linux()?;
        let policies = (0..params.flows).map(|number| Ok(pie.kernel()?.among(number, params.flows)));
        return Ok(Box::new(FlowQueue::new(policies.collect::<Result<Vec<_>, _>>()?, sharing)));
    }
    let policies = (0..params.flows).map(|_| pie.policy(link)).collect::<Result<Vec<_>, _>>()?;
    Ok(Box::new(FlowQueue::new(policies, sharing)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::FlowId;
    use crate::queue::{Reason, What};
    use crate::rig::{args, at};

    #[test]
    fn a_full_queue_loses_the_packet_that_comes() {
        let link = LinkContext::default();
        let mut queue = ENTRY.build(&args(&ENTRY, None, &[("limit", "3p")]), &link).expect("a queue");
        let mut cx = Context::new(Rng::named(1, "test"));
        for seq in 0..3 {
            queue.enqueue(at(0.0), Packet::datagram(FlowId(0), seq, 1000), &mut cx);
        }
        assert!(cx.events.is_empty());

        // The fattest queue is that of flow 0, and flow 1 loses its packet.
        queue.enqueue(at(0.0), Packet::datagram(FlowId(1), 0, 1000), &mut cx);

        let lost: Vec<(u32, What)> = cx.events.drain().map(|event| (event.packet.flow.0, event.what)).collect();
        assert_eq!(lost, [(1, What::Drop(Reason::OVERFLOW))]);
        assert_eq!(queue.backlog().packets, 3);
    }
}
