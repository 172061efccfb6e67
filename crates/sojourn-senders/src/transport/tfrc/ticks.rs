//! ns-2's retransmission timeout for the equation: 4.3BSD's estimator in whole ticks, as in its TCP, but with the samples rounded to the
//! nearest tick, without a minimum and without back-off. TFRC sends nothing again; the timeout only says how much a TCP would lose by
//! waiting.

/// The estimator of one sender.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TickTimeout {
    /// Seconds.
    tick: f64,
    /// 8 srtt and 4 rttvar in ticks; no sample yet: zeros.
    srtt8: i32,
    rttvar4: i32,
}

impl TickTimeout {
    /// Ticks of `tick` seconds.
    pub fn new(tick: f64) -> Self {
        TickTimeout { tick, srtt8: 0, rttvar4: 0 }
    }

    /// Takes a round trip in seconds.
    pub fn sample(&mut self, secs: f64) {
        let ticks = (libm::floor(secs / self.tick + 0.5) as i32).max(1);
        if self.srtt8 == 0 {
            (self.srtt8, self.rttvar4) = (ticks << 3, ticks << 1);
            return;
        }
        let error = ticks - (self.srtt8 >> 3);
        self.srtt8 = (self.srtt8 + error).max(1);
        self.rttvar4 = (self.rttvar4 + error.abs() - (self.rttvar4 >> 2)).max(1);
    }

    /// srtt + 4 rttvar in seconds, rounded down to whole ticks.
    pub fn secs(&self) -> f64 {
        f64::from(((self.rttvar4 << 3) + self.srtt8) >> 3) * self.tick
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(samples: &[f64]) -> f64 {
        let mut timeout = TickTimeout::new(0.1);
        for &secs in samples {
            timeout.sample(secs);
        }
        timeout.secs()
    }

    #[test]
    fn a_short_round_trip_counts_as_a_tick_and_the_timeout_is_three() {
        // One tick: srtt8 = 8, rttvar4 = 2; (16 + 8) >> 3 = 3. A variation below one tick never falls: 2 >> 2 = 0.
        for samples in [&[0.004][..], &[0.08], &[0.149], &[0.08, 0.06, 0.1, 0.03, 0.09]] {
            assert!((after(samples) - 0.3).abs() < 1e-12, "{samples:?}");
        }
    }

    #[test]
    fn samples_are_rounded_to_the_nearest_tick_and_averaged_in_eighths_and_quarters() {
        // Two ticks: srtt8 = 16, rttvar4 = 4: (32 + 16) >> 3 = 6.
        assert!((after(&[0.16]) - 0.6).abs() < 1e-12);
        // Then six: error 4, srtt8 = 20; rttvar4 = 4 + 4 - 1 = 7: (56 + 20) >> 3 = 9.
        assert!((after(&[0.16, 0.6]) - 0.9).abs() < 1e-12);
    }
}
