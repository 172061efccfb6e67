//! DualPI2's parameters.

use crate::mechanism::arithmetic::Arithmetic;
use crate::packet::Ecn;
use crate::queue::prelude::*;

choices! {
    /// The packets of the L4S queue.
    pub enum Identifier {
        /// Those with ECT(1), or with CE, which may have been ECT(1).
        Ect1 = "ect1",
        /// All packets with ECN.
        Any = "any_ect",
    }
}

impl Identifier {
    /// Whether a packet with this codepoint goes to the L4S queue.
    pub fn takes(self, ecn: Ecn) -> bool {
        match self {
            Identifier::Ect1 => matches!(ecn, Ecn::Ect1 | Ecn::Ce),
            Identifier::Any => ecn != Ecn::NotEct,
        }
    }
}

params! {
    /// Parameters of DualPI2.
    pub struct Params {
        /// A guard of memory: the most that may wait in both queues, without the packet in transmission.
        limit: Size = "10000p" in [0.0, 1e12], "Linux sch_dualpi2; 250 ms at the link's rate in RFC 9332";
        /// Target of the queuing delay in the classic queue.
        target: Duration = "15ms" in [0.0, 100.0], "RFC 9332 appendix A";
        /// Time between two updates of the probability (Tupdate).
        interval: Duration = "15ms" in [1e-6, 100.0], "RFC 9332 appendix A: min(target, RTT_max / 3); 16 ms in Linux";
        /// Gain of the distance from the target, in Hz.
        alpha: f64 = "0.15" in [0.0, 1e6], "RFC 9332 appendix A: 0.1 Tupdate / RTT_max^2 with 100 ms";
        /// Gain of the change since the last update, in Hz.
        beta: f64 = "3" in [0.0, 1e6], "RFC 9332 appendix A: 0.3 / RTT_max with 100 ms";
        /// The factor by which the coupled probability of the L4S queue exceeds p' (k).
        coupling: f64 = "2" in [0.1, 255.0], "RFC 9332 section 4.2; at most 255 in Linux sch_dualpi2";
        /// Delay in the L4S queue from which it marks without the coupling (minTh).
        ramp_from: Duration = "800us" in [0.0, 100.0], "RFC 9332 appendix A";
        /// Delay from which on it marks every packet (minTh + range).
        ramp_to: Duration = "1200us" in [0.0, 100.0], "RFC 9332 appendix A: a range of 400 us";
        /// In the kernel's arithmetic a step in packets in place of `ramp_to`: a packet is marked if more than these wait behind it in the
        /// L4S queue. Automatic: the step is a time.
        step_packets: Option<u64> = "auto" in [0.0, 1e9], "Linux sch_dualpi2 step_thresh 5pkt", when arithmetic in ["kernel"];
        /// Packets in the L4S queue up to which its own law does not mark (Th_len).
        ramp_spares: u64 = "1" in [0.0, 1e9], "RFC 9332 appendix A: Th_len; Linux min_qlen_step 0";
        /// The ECN codepoints of packets for the L4S queue.
        identifier: Identifier = "ect1", "RFC 9331 section 4.1; Linux sch_dualpi2 l4s_ect";
        /// Least part of the link that the classic queue keeps while both have packets.
        classic_share: Fraction = "0.1" in [0.0, 1.0], "Linux sch_dualpi2 classic_protection; RFC 9332 leaves it open";
        /// The numbers in which the law is computed: real ones, as RFC 9332's `recur` sums them up, or those of the kernel, probabilities
        /// of 32 bits with a random number for each likelihood.
        arithmetic: Arithmetic = "real", "RFC 9332 appendix A";
        /// The largest packet: below two of them the kernel's arithmetic spares all, and its round robin begins with it.
        mtu: Bytes = "1514B" in [1.0, 1e6], "Linux: the device's MTU", when arithmetic in ["kernel"];
        /// Whether the kernel's arithmetic marks and drops packets when they come, and not when they leave.
        drop_early: bool = "false", "Linux sch_dualpi2 drop_dequeue", when arithmetic in ["kernel"];
        /// Whether in overload the kernel's arithmetic drops L4S packets; else p' stays below overload, and a full buffer drops.
        drop_overload: bool = "true", "Linux sch_dualpi2 drop_on_overload", when arithmetic in ["kernel"];
        /// The most memory of all waiting packets in the kernel's arithmetic, counted as by `cake`. Automatic: two of `mtu` for each packet
        /// of `limit`, which packets of an MTU do not use up.
        memory_limit: Option<Bytes> = "auto" in [1.0, 4e9], "Linux sch_dualpi2 memlimit", when arithmetic in ["kernel"];
    }
}
