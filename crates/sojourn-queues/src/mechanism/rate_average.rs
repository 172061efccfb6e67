//! The rate of a stream of packets, averaged exponentially over time. Specification: [Sto98] Stoica, Shenker and Zhang, "Core-Stateless
//! Fair Queueing", SIGCOMM 1998, equation 5.

use crate::units::{Duration, Instant};

/// A rate in bits per second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RateEstimate {
    bits_per_sec: f64,
    seen_at: Option<Instant>,
}

impl RateEstimate {
    /// The rate at the last packet; 0 before the first.
    pub fn bits_per_sec(self) -> f64 {
        self.bits_per_sec
    }

    /// When the last packet came.
    pub fn seen_at(self) -> Option<Instant> {
        self.seen_at
    }

    /// A packet of `size` bytes has come; `over` is the time constant K, above zero. The first packet ever counts as one after an
    /// infinite time: as if K had passed at its own rate.
    pub fn add(&mut self, now: Instant, size: u32, over: Duration) -> f64 {
        let (bits, k) = (8.0 * f64::from(size), over.as_secs_f64());
        self.bits_per_sec = match self.seen_at {
            Some(before) => averaged(self.bits_per_sec, bits, now.since(before).as_secs_f64(), k),
            None => bits / k,
        };
        self.seen_at = Some(now);
        self.bits_per_sec
    }
}

/// `r = (1 - e^(-T/K)) l / T + e^(-T/K) r` ([Sto98] eq. 5); at T = 0 its limit, `l / K + r`.
fn averaged(rate: f64, bits: f64, gap: f64, k: f64) -> f64 {
    if gap <= 0.0 {
        return bits / k + rate;
    }
    let memory = libm::exp(-gap / k);
    (1.0 - memory) * bits / gap + memory * rate
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{at, near};

    #[test]
    fn a_steady_stream_has_its_rate() {
        // 1000 bytes each millisecond are 8 Mbit/s, whatever K is; the fixed point is met from the start on to e^(-T/K).
        for k in [10, 100, 1000] {
            let mut rate = RateEstimate::default();
            for n in 0..20_000 {
                rate.add(at(f64::from(n) * 0.001), 1000, Duration::from_millis(k));
            }
            assert!((rate.bits_per_sec() / 8e6 - 1.0).abs() < 1e-6, "{k}");
        }
    }

    #[test]
    fn the_mean_over_a_gap_is_the_papers() {
        // r = 4e6 before; 8000 bits after one K of 0.1 s: (1 - 1/e) 80000 + 4e6 / e.
        let e = std::f64::consts::E;
        assert!(near(averaged(4e6, 8000.0, 0.1, 0.1), (1.0 - 1.0 / e) * 80_000.0 + 4e6 / e));
    }

    #[test]
    fn packets_at_one_time_add_up() {
        assert!(near(averaged(4e6, 8000.0, 0.0, 0.1), 4e6 + 80_000.0));
        assert!((averaged(4e6, 8000.0, 1e-9, 0.1) - 4_080_000.0).abs() < 1.0, "which is the limit");
    }

    #[test]
    fn the_first_packet_begins_with_its_bits_over_k() {
        let mut rate = RateEstimate::default();

        assert!(near(rate.add(at(3.0), 1000, Duration::from_millis(100)), 80_000.0));
        assert_eq!(rate.seen_at(), Some(at(3.0)));
    }
}
