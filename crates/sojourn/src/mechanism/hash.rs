//! The hash that spreads flows over queues, bins and bits.

use crate::packet::FlowId;

/// The queue of a flow: SplitMix64's finaliser over number and perturbation, modulo the number of queues.
pub(crate) fn bucket(flow: FlowId, perturbation: u64, queues: usize) -> usize {
    let mut hash = u64::from(flow.0).wrapping_add(perturbation).wrapping_add(0x9e37_79b9_7f4a_7c15);
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((hash ^ (hash >> 31)) % queues as u64) as usize
}
