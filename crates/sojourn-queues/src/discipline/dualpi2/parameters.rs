//! DualPI2's parameters.

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
        coupling: f64 = "2" in [0.1, 255.0], "RFC 9332 section 4.2";
        /// Delay in the L4S queue from which it marks without the coupling (minTh).
        ramp_from: Duration = "800us" in [0.0, 100.0], "RFC 9332 appendix A";
        /// Delay from which on it marks every packet (minTh + range).
        ramp_to: Duration = "1200us" in [0.0, 100.0], "RFC 9332 appendix A: a range of 400 us";
        /// Packets in the L4S queue up to which its own law does not mark (Th_len).
        ramp_spares: u64 = "1" in [0.0, 1e9], "RFC 9332 appendix A: Th_len; Linux min_qlen_step 0";
        /// The ECN codepoints of packets for the L4S queue.
        identifier: Identifier = "ect1", "RFC 9331 section 4.1; Linux sch_dualpi2 l4s_ect";
        /// Least part of the link that the classic queue keeps while both have packets.
        classic_share: Fraction = "0.1" in [0.0, 1.0], "Linux sch_dualpi2 classic_protection; RFC 9332 leaves it open";
    }
}
