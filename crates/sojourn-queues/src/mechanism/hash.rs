//! The hash that spreads flows over queues, bins and bits.

use crate::packet::FlowId;

/// The queue of a flow: SplitMix64's finaliser over number and perturbation, modulo the number of queues.
pub fn bucket(flow: FlowId, perturbation: u64, queues: usize) -> usize {
    let mut hash = u64::from(flow.0).wrapping_add(perturbation).wrapping_add(0x9e37_79b9_7f4a_7c15);
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((hash ^ (hash >> 31)) % queues as u64) as usize
}

/// 32 bits of a number: a hash that can be undone, so that a recording may say which one a flow or a host has.
pub(crate) fn hash32(number: u32, perturbation: u32) -> u32 {
    let mut hash = number ^ perturbation;
    hash = (hash ^ (hash >> 16)).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ (hash >> 13)).wrapping_mul(0xc2b2_ae35);
    hash ^ (hash >> 16)
}

pub(crate) fn number_of(hash: u32, perturbation: u32) -> u32 {
    let undo = |value: u32, shift: u32| {
        let once = value ^ (value >> shift);
        if shift < 16 { value ^ (once >> shift) } else { once }
    };
    // The inverses of the two factors modulo 2^32.
    let first = undo(hash, 16).wrapping_mul(0x7ed1_b41d);
    let second = undo(first, 13).wrapping_mul(0xa5cb_9243);
    undo(second, 16) ^ perturbation
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn a_hash_of_32_bits_can_be_undone() {
        let mut rng = Rng::named(1, "hash");
        for _ in 0..1000 {
            let (number, perturbation) = (rng.below(1 << 32) as u32, rng.below(1 << 32) as u32);
            assert_eq!(number_of(hash32(number, perturbation), perturbation), number);
        }
    }
}
