//! FQ-CoDel: CoDel in a queue for each flow, served by deficit round robin with new flows first.
//! Specification: RFC 8290; the scheduler is [`FlowQueue`], the policy [`Codel`](crate::aqm::codel::Codel). Compared
//! with: Linux `sch_fq_codel` (behaviour), a second implementation in `tests/implementations`.
//!
//! Deviations: those of the two parts. `mtu` is compared with the backlog of all queues together. Linux does so, too: it hands
//! `sch->qstats.backlog` to CoDel (net/sched/sch_fq_codel.c of 6.12). RFC 8289 section 4.4 does so for a link.

use crate::aqm::codel;
use crate::discipline::cake::buffers::Memory;
use crate::discipline::flow_queue::{FlowQueue, Settings};
use crate::mechanism::arithmetic::Arithmetic;
use crate::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "fq_codel",
    title: "FQ-CoDel",
    doc: "Fair queueing by flow with CoDel in each queue. Flows are hashed to queues, which are served by deficit round robin \
          with new flows first; CoDel drops or marks in a queue whose packets wait too long.",
    reference: "RFC 8290",
    presets: presets! {
        /// RFC 8290: 1024 queues, quantum 1514 bytes, 10240 packets, target 5 ms, interval 100 ms, ECN.
        paper = {
            limit = "10240p", flows = "1024", quantum = "1514B", target = "5ms", interval = "100ms", ecn = "true",
        };
        /// Linux 6.12 sch_fq_codel's defaults, which tc of iproute2 7.1 leaves, in its numbers: those of the RFC and a memory limit of
        /// 32 MiB.
        linux = {
            limit = "10240p", memory_limit = "33554432B", memory = "kernel", flows = "1024", quantum = "1514B", target = "5ms",
            interval = "100ms", ecn = "true", drop_batch = "64", mtu = "1514B", arithmetic = "kernel",
        };
        /// ns-3.48's FqCoDelQueueDisc on a link with an MTU of 1500 bytes, which is its quantum. ns-3 compares `mtu` with the bytes of
        /// a flow's own queue.
        ns3 = {
            limit = "10240p", flows = "1024", quantum = "1500B", target = "5ms", interval = "100ms", ecn = "true", drop_batch = "64",
            mtu = "1500B",
        };
    },
    guards: true,
    law: Some(|args, _link| Ok(codel::control_graph(args.typed::<Params>().interval))),
    shown: &[
        Counter("maxpacket", Source::Largest),
        Counter("drop_overlimit", Source::Drops(&[Reason::OVERFLOW])),
        Counter("ecn_mark", Source::Marks),
        Counter("new_flow_count", Source::Probe("new_flow_count")),
        Counter("new_flows_len", Source::Probe("new_flows")),
        Counter("old_flows_len", Source::Probe("old_flows")),
    ],
    ..QueueEntry::of_discipline::<Params>(build)
};

params! {
    pub struct Params {
        ..sharing: Settings;
        /// A second limit, as `memory` counts it, on the packets that wait in all queues together.
        memory_limit: Bytes = "33554432B" in [1.0, 1e12], "Linux sch_fq_codel memory_limit, 32 MiB";
        /// The bytes that the memory limit counts.
        memory: Memory = "bytes", "RFC 8290 has no such limit; preset linux has those of the kernel";
        /// Acceptable standing wait in a queue.
        target: Duration = "5ms" in [0.0, 100.0], "RFC 8290 section 5.2.2";
        /// Time for which the wait has to stay above the target before a drop.
        interval: Duration = "100ms" in [1e-9, 1000.0], "RFC 8290 section 5.2.1";
        /// Mark ECN-capable packets instead of dropping them.
        ecn: bool = "true", "RFC 8290 section 5.2.6";
        /// Mark every ECN-capable packet that has waited longer than this. Automatic: never.
        ce_threshold: Option<Duration> = "auto" in [0.0, 1000.0], "RFC 8290 section 5.2.7; off by default";
        /// The value of the field of DSCP and ECN under `ce_mask`: `ce_threshold` marks only packets with it (tc: `ce_threshold_selector`,
        /// the 1 of 1/3 for ECT(1)).
        ce_selector: u64 = "0" in [0.0, 255.0], "Linux sch_fq_codel", when ce_mask not in ["0"];
        /// The bits of that field that are compared; 0: `ce_threshold` marks all ECN-capable packets.
        ce_mask: u64 = "0" in [0.0, 255.0], "Linux sch_fq_codel", when ce_threshold not in ["auto"];
        /// Nothing is dropped by CoDel while at most this many bytes wait behind the packet, in all queues together.
        mtu: Bytes = "1514B" in [0.0, 1e9], "RFC 8289 sections 4.4 and 5.3; Linux: the device's MTU";
        /// The arithmetic of CoDel's times and square roots, as in `codel`. With that of the kernel, packets that find no room count as
        /// CoDel's own drops, too, an emptied new queue becomes an old queue for a round only if there are other old queues, and a
        /// `quantum` is at least 256 bytes and at most 1 MiB.
        arithmetic: Arithmetic = "real", "RFC 8289 section 5.6";
    }
}

fn build(args: &Args, link: &LinkContext) -> Result<Box<dyn QueueDiscipline>, BuildError> {
    let params: Params = args.typed();
    let codel = codel::Params {
        limit: params.sharing.limit,
        target: params.target,
        interval: params.interval,
        ecn: params.ecn,
        ce_threshold: params.ce_threshold,
        mtu: params.mtu,
        arithmetic: params.arithmetic,
    };
    let policy = codel.codel().marking_only(params.ce_selector as u8, params.ce_mask as u8);
    let mut sharing = params.sharing.on(link);
    params.memory.on(link).refuse_less(params.memory_limit.0, link)?;
    match params.memory {
        Memory::Bytes => sharing.limit.bytes = sharing.limit.bytes.min(params.memory_limit.0),
        Memory::Kernel => sharing.memory = Some((params.memory.on(link), params.memory_limit.0)),
    }
    if params.arithmetic == Arithmetic::Kernel {
        sharing = sharing.as_linux()?;
    }
    Ok(Box::new(FlowQueue::new(vec![policy; params.sharing.flows as usize], sharing)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::header::Dscp;
    use crate::packet::{Ecn, FlowId, Packet};
    use crate::queue::{Context, Reason, What};
    use crate::rig::{args, at};
    use crate::rng::Rng;

    #[test]
    fn a_standing_queue_is_marked_and_a_sparse_flow_passes_it() {
        let mut queue = ENTRY.build(&args(&ENTRY, None, &[]), &LinkContext::default()).expect("a queue");
        let mut cx = Context::new(Rng::named(1, "test"));
        for seq in 0..500 {
            queue.enqueue(at(0.0), Packet::datagram(FlowId(0), seq, 1000).with_ecn(Ecn::Ect0), &mut cx);
        }
        // One packet each 0.8 ms for 120 ms: above target from 5.6 ms on, so that the mark comes by 106.4 ms.
        for n in 1..=150 {
            queue.dequeue(at(0.0008 * f64::from(n)), &mut cx);
        }
        let events = cx.events.as_slice();
        assert_eq!(events.len(), 1);
        assert_eq!(events[0].what, What::Mark(Reason::SOJOURN));
        assert!((events[0].time.as_secs_f64() - 0.1056).abs() < 1e-9, "{:?}", events[0].time);

        queue.enqueue(at(0.121), Packet::datagram(FlowId(1), 0, 100), &mut cx);

        let next: Vec<u32> = (0..2).filter_map(|_| queue.dequeue(at(0.122), &mut cx)).map(|p| p.flow.0).collect();
        assert!(next.contains(&1), "{next:?}");
    }

    /// The rule of RFC 8289 section 4.4 and of Linux by hand, with two flows in queues of their own.
    #[test]
    fn the_last_mtu_is_that_of_all_queues_together() {
        // All packets came at 0 and have waited longer than the target at 6 ms, when the interval begins in both queues; at 107 ms it is
        // over, and the next packet of the first queue may be dropped if more than an MTU waits behind it.
        let dropped = |mtu: &str| {
            let mut queue =
                ENTRY.build(&args(&ENTRY, None, &[("mtu", mtu)]), &LinkContext::default()).expect("a queue");
            let mut cx = Context::new(Rng::named(1, "test"));
            for seq in 0..4 {
                queue.enqueue(at(0.0), Packet::datagram(FlowId(0), seq, 1000), &mut cx);
                queue.enqueue(at(0.0), Packet::datagram(FlowId(1), seq, 1000), &mut cx);
            }
            // A quantum of 1514 lets two packets of 1000 out of each queue.
            for _ in 0..4 {
                queue.dequeue(at(0.006), &mut cx);
            }
            assert_eq!(queue.backlog().packets, 4);
            // Behind the head of the first queue wait one packet of its own and two of the other flow.
            queue.dequeue(at(0.107), &mut cx);
            cx.events.as_slice().len()
        };
        // 3000 bytes in all, 1000 of them in its own queue.
        assert_eq!(dropped("1514B"), 1);
        assert_eq!(dropped("2999B"), 1);
        assert_eq!(dropped("3000B"), 0);
    }

    /// `ce_threshold_mask` and `ce_threshold_selector` (include/net/codel_impl.h of Linux 6.12).
    #[test]
    fn a_threshold_marks_the_packets_that_are_selected() {
        let marked = |settings: &[(&str, &str)]| {
            let settings = [&[("ce_threshold", "1ms")], settings].concat();
            let mut queue =
                ENTRY.build(&args(&ENTRY, Some("linux"), &settings), &LinkContext::default()).expect("a queue");
            let mut cx = Context::new(Rng::named(1, "test"));
            let ef = Dscp::EF;
            for (seq, (ecn, dscp)) in (0..).zip([(Ecn::Ect0, Dscp::DF), (Ecn::Ect1, Dscp::DF), (Ecn::Ect1, ef)]) {
                let packet = Packet { dscp, ..Packet::datagram(FlowId(0), seq, 100).with_ecn(ecn) };
                queue.enqueue(at(0.0), packet, &mut cx);
            }
            (0..3).map(|_| queue.dequeue(at(0.002), &mut cx).is_some_and(|packet| packet.ecn == Ecn::Ce)).collect()
        };
        let (all, l4s): (Vec<bool>, Vec<bool>) = (marked(&[]), marked(&[("ce_selector", "1"), ("ce_mask", "3")]));
        assert_eq!((all, l4s), (vec![true; 3], vec![false, true, true]));
        // The whole field: 46 of DSCP and ECT(1).
        assert_eq!(marked(&[("ce_selector", "185"), ("ce_mask", "255")]), [false, false, true]);
        assert_eq!(marked(&[("ce_selector", "184"), ("ce_mask", "252")]), [false, false, true]);
    }

    /// Linux takes 256 bytes for less, and refuses more than a mebibyte.
    #[test]
    fn a_quantum_of_linux_has_bounds() {
        let built = |quantum: &str| {
            let args = args(&ENTRY, Some("linux"), &[("quantum", quantum)]);
            ENTRY.build(&args, &LinkContext::default()).map(|_| ()).map_err(|error| error.param)
        };
        assert_eq!((built("1048576B"), built("1048577B")), (Ok(()), Err("quantum")));
        let sharing = Settings { quantum: Bytes(100), ..Settings::default() }.on(&LinkContext::default());
        assert_eq!(sharing.as_linux().map(|sharing| sharing.quantum.0), Ok(256));
    }

    #[test]
    fn memory_of_linux_is_that_of_buffers() {
        // A datagram of 1000 bytes has a buffer of 2304 (`buffers.rs`): four fit into 10000, and the fifth has half of the queue dropped,
        // until as many bytes of packets are gone (fq_codel_drop): 2500 of 5000, which are three.
        let args = args(&ENTRY, Some("linux"), &[("memory_limit", "10000B")]);
        let mut queue = ENTRY.build(&args, &LinkContext::default()).expect("a queue");
        let mut cx = Context::new(Rng::named(1, "test"));
        let mut lost = Vec::new();
        for seq in 0..8 {
            queue.enqueue(at(0.0), Packet::datagram(FlowId(0), seq, 1000), &mut cx);
            lost.push(cx.events.drain().count());
        }
        assert_eq!(lost, [0, 0, 0, 0, 3, 0, 0, 3]);
    }

    #[test]
    fn both_limits_hold() {
        let link = LinkContext::default();

        let tight = ENTRY.build(&args(&ENTRY, None, &[("memory_limit", "5000B")]), &link).expect("a queue");
        assert_eq!(tight.limit(), Limit { packets: 10_240, bytes: 5_000 });
        let refused = ENTRY.build(&args(&ENTRY, None, &[("memory_limit", "10B")]), &link);
        assert_eq!(refused.map(|_| ()).map_err(|error| error.param), Err("memory_limit"));
    }
}
