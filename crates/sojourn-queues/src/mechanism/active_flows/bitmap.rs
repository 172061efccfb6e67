//! Direct bitmap: flows set bits by a hash of their number, and the number of flows follows from how many bits are
//! still zero (Estan, Varghese and Fisk 2003, after Whang et al. 1990; Chatranon 2004 sections 4.2.1 and 4.3.4 [Cha04]).

use crate::mechanism::hash::bucket;
use crate::packet::FlowId;

/// `N = b ln(b / z)` for z zeros of b bits ([Cha04] eq. 4.1). Without a zero, as with one: the formula has no value there.
pub fn linear_counting(bits: u64, zeros: u64) -> f64 {
    let bits = bits as f64;
    bits * libm::log(bits / (zeros.max(1) as f64))
}

/// One counter for each bit: packets since the last [`Bitmap::clear`], or packets waiting.
#[derive(Clone, Debug)]
pub struct Bitmap {
    bits: u64,
    /// Empty until the first packet: thousands of queues may have one.
    counters: Vec<u32>,
    /// Makes the hash differ from run to run.
    key: u64,
}

impl Bitmap {
    /// All zero; at least one bit.
    pub fn new(bits: u64) -> Self {
        Bitmap { bits, counters: Vec::new(), key: 0 }
    }

    /// Another hash; for an empty bitmap.
    pub fn rekey(&mut self, key: u64) {
        self.key = key;
    }

    fn counter(&mut self, flow: FlowId) -> &mut u32 {
        if self.counters.is_empty() {
            self.counters.resize(self.bits as usize, 0);
        }
        &mut self.counters[bucket(flow, self.key, self.bits as usize)]
    }

    /// A packet of this flow.
    pub fn add(&mut self, flow: FlowId) {
        let counter = self.counter(flow);
        *counter = counter.saturating_add(1);
    }

    /// Takes one packet of this flow away.
    pub fn remove(&mut self, flow: FlowId) {
        let counter = self.counter(flow);
        *counter = counter.saturating_sub(1);
    }

    /// The number of flows, where a counter above `threshold` stands for a bit.
    pub fn estimate(&self, threshold: u64) -> f64 {
        let set = self.counters.iter().filter(|counter| u64::from(**counter) > threshold).count() as u64;
        linear_counting(self.bits, self.bits - set)
    }

    /// All zero again.
    pub fn clear(&mut self) {
        self.counters.fill(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn the_estimate_inverts_the_expected_number_of_zeros() {
        // b e^(-N/b) zeros for b = 100: 54.9 for 60 flows, 40.7 for 90, 16.5 for 180.
        for (zeros, flows) in [(55, 60.0), (41, 90.0), (100, 0.0)] {
            assert!((linear_counting(100, zeros) - flows).abs() < 1.0, "{zeros}");
        }
    }

    #[test]
    fn a_full_bitmap_says_b_ln_b() {
        assert!((linear_counting(100, 0) - 460.517).abs() < 1e-3);
    }

    #[test]
    fn mean_and_deviation_are_those_of_the_law() {
        // b = 100; s.d. / N = sqrt(b) / N sqrt(e^r - r - 1), r = N / b: 0.079 for 60 flows, 0.100 for 180.
        for (flows, relative) in [(60_u32, 0.079), (180, 0.100)] {
            const RUNS: u32 = 1000;
            let mut rng = Rng::named(3, "bitmap");
            let estimates: Vec<f64> = (0..RUNS)
                .map(|_| {
                    let mut bitmap = Bitmap::new(100);
                    bitmap.rekey(rng.below(1 << 53));
                    (0..flows).for_each(|flow| bitmap.add(FlowId(flow)));
                    bitmap.estimate(0)
                })
                .collect();
            let n = f64::from(flows);
            let mean = estimates.iter().sum::<f64>() / f64::from(RUNS);
            let deviation = (estimates.iter().map(|e| (e - mean).powi(2)).sum::<f64>() / f64::from(RUNS)).sqrt();
            // Four standard errors, and the bias (e^r - r - 1) / 2 < 1.7 of a logarithm.
            assert!((mean - n).abs() < 4.0 * relative * n / f64::from(RUNS).sqrt() + 1.7, "{mean}");
            assert!((deviation / n / relative - 1.0).abs() < 0.15, "{deviation}");
        }
    }

    #[test]
    fn how_many_packets_a_flow_sends_does_not_matter() {
        let mut bitmap = Bitmap::new(1024);
        (0..1000).for_each(|_| bitmap.add(FlowId(7)));

        assert!((bitmap.estimate(0) - linear_counting(1024, 1023)).abs() < 1e-12);
        assert!((bitmap.estimate(999) - linear_counting(1024, 1023)).abs() < 1e-12, "above 999");
        assert!(bitmap.estimate(1000) <= 0.0, "not above 1000");
    }
}
