//! Spacing of RED's early drops: from the base probability p_b to the probability p_a of this packet,
//! so that drops neither cluster nor stay away.

use super::average::Mode;
use crate::choices;

choices! {
    /// How drops are spaced.
    pub enum Count {
        /// Independent drops: p_a = p_b, geometric distances.
        Off = "off",
        /// p_a = p_b / (1 - count p_b): distances uniform up to 1/p_b (Floyd and Jacobson 1993).
        On = "on",
        /// ns-2's `wait_`: no drop while count p_b < 1, then p_b / (2 - count p_b): distances uniform from 1/p_b to 2/p_b.
        Wait = "wait",
        /// ns-2's diffserv: as `on`, but from `count p_b = 1` on the fraction is negative, and nothing is dropped until p_b has fallen.
        Dsred = "dsred",
    }
}

/// Arrivals since the last early drop or mark.
#[derive(Clone, Debug)]
pub struct Spacing {
    rule: Count,
    mode: Mode,
    mean_packet: u64,
    count: u64,
    bytes: u64,
}

impl Spacing {
    /// Nothing counted; `mean_packet` in bytes.
    pub fn new(rule: Count, mode: Mode, mean_packet: u64) -> Self {
        Spacing { rule, mode, mean_packet: mean_packet.max(1), count: 0, bytes: 0 }
    }

    /// Arrivals since the last early drop or mark, the latest included.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// A packet of `size` bytes has come.
    pub fn arrive(&mut self, size: u32) {
        self.count += 1;
        self.bytes += u64::from(size);
    }

    /// A packet has been dropped or marked early, or lost to a full buffer.
    pub fn reset(&mut self) {
        self.count = 0;
        self.bytes = 0;
    }

    /// Probability in [0, 1] for the packet of `size` bytes that was counted last.
    #[inline(always)]
    pub fn p_a(&self, p_b: f64, size: u32) -> f64 {
        match self.mode {
            Mode::Packets => p_a(self.rule, self.count as i64 as f64, p_b),
            Mode::Bytes => {
                // ns-2: int(bytes since / mean packet) stands for the count, and larger packets are hit more.
                let p = p_a(self.rule, (self.bytes / self.mean_packet) as f64, p_b);
                if p < 1.0 { (p * f64::from(size) / self.mean_packet as f64).min(1.0) } else { 1.0 }
            }
        }
    }
}

/// Off: `p_b`. On: `p_b / (1 - count p_b)`, 1 from `count p_b = 1` on ([Flo93] section 7).
/// Wait: 0 below `count p_b = 1`, then `p_b / (2 - count p_b)`, 1 from `count p_b = 2` on (ns-2 2.35).
/// Dsred: as on, but 0 above `count p_b = 1` while p_b < 1 (ns-2 2.35 dsredq.cc).
#[inline(always)]
pub fn p_a(rule: Count, count: f64, p_b: f64) -> f64 {
    let load = count * p_b;
    match rule {
        Count::Off => p_b,
        Count::On | Count::Dsred if load < 1.0 => (p_b / (1.0 - load)).min(1.0),
        Count::Dsred if load > 1.0 && p_b < 1.0 => 0.0,
        Count::Wait if load < 1.0 => 0.0,
        Count::Wait if load < 2.0 => (p_b / (2.0 - load)).min(1.0),
        Count::On | Count::Wait | Count::Dsred => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Probability that the next drop is of the n-th packet, n = 1, 2 ..., if the first is tested with
    /// `first` as its count.
    fn distances(rule: Count, p_b: f64, first: u32) -> Vec<f64> {
        let mut alive = 1.0;
        (first..first + 100)
            .map(|count| {
                let p = p_a(rule, f64::from(count), p_b);
                let here = alive * p;
                alive *= 1.0 - p;
                here
            })
            .collect()
    }

    fn assert_uniform(distances: &[f64], from: usize, to: usize) {
        let each = 1.0 / (to - from + 1) as f64;
        for (index, probability) in distances.iter().enumerate() {
            let expected = if (from..=to).contains(&(index + 1)) { each } else { 0.0 };
            assert!((probability - expected).abs() < 1e-9, "{} {probability} {expected}", index + 1);
        }
    }

    #[test]
    fn ns2s_diffserv_drops_nothing_once_the_count_has_overtaken_the_probability() {
        let at = |rule, load: f64| p_a(rule, load / 0.25, 0.25);
        for load in [0.0, 0.5, 0.75, 1.0] {
            assert!((at(Count::Dsred, load) - at(Count::On, load)).abs() < 1e-12, "{load}");
        }
        assert!(at(Count::Dsred, 1.25) <= 0.0 && at(Count::On, 1.25) >= 1.0);
        assert!(p_a(Count::Dsred, 7.0, 1.0) >= 1.0, "above the upper threshold every packet goes");
    }

    #[test]
    fn distances_are_uniform_up_to_one_over_p() {
        // [Flo93] section 7, method 2, with count = packets since the last drop without this one: 1..=1/p.
        assert_uniform(&distances(Count::On, 0.125, 0), 1, 8);
        // Counting this one, as the pseudo-code and ns-2 do: 1..=1/p - 1.
        assert_uniform(&distances(Count::On, 0.125, 1), 1, 7);
    }

    #[test]
    fn waiting_makes_distances_uniform_from_one_to_two_over_p() {
        // p = 1/8: nothing while count < 8; p/(2 - 8p) = 1/8 at 8 ... 1 at 15.
        assert_uniform(&distances(Count::Wait, 0.125, 1), 8, 15);
    }

    #[test]
    fn the_wait_law_has_the_published_effective_rates() {
        // Mean distance (1/p + 2/p - 1)/2: at p = 0.1 it is 14.5, an effective rate of 0.069.
        for (p, rate) in [(0.1, 0.069), (0.2, 0.143), (0.5, 0.40)] {
            let mean: f64 = distances(Count::Wait, p, 1).iter().zip(1_u32..).map(|(q, n)| q * f64::from(n)).sum();
            assert!((1.0 / mean - rate).abs() < 5e-4, "{p} {mean}");
        }
    }

    #[test]
    fn without_spacing_every_packet_has_the_same_chance() {
        assert!((p_a(Count::Off, 50.0, 0.1) - 0.1).abs() < 1e-15);
    }

    #[test]
    fn in_bytes_large_packets_are_hit_more() {
        let mut spacing = Spacing::new(Count::On, Mode::Bytes, 1000);
        spacing.arrive(1500);
        spacing.arrive(400);

        // 1900 bytes are int(1.9) = 1 mean packet: p = 0.1 / 0.9, times 400 / 1000.
        assert!((spacing.p_a(0.1, 400) - 0.1 / 0.9 * 0.4).abs() < 1e-12);
        assert_eq!(spacing.count(), 2);
        spacing.reset();
        assert_eq!(spacing.count(), 0);
    }
}
