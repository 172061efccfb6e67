//! Westwood's rate in whole bytes per millisecond, as Linux counts it ([`super::westwood_linux26`], [`super::westwood_kernel`]).

use crate::units::Instant;

/// Whole milliseconds.
pub(super) fn millis(at: Instant) -> u64 {
    at.as_nanos() / 1_000_000
}

/// The acknowledged data, and the rate that follows from it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meter {
    /// Payload of a full segment in bytes.
    pub mss: u64,
    /// Bytes acknowledged in the sample.
    pub bytes: u64,
    /// Bytes of duplicates whose segments a cumulative acknowledgement will count again.
    pub accounted: u64,
    /// The first stage of the filter and the estimate, in bytes per millisecond.
    first: u64,
    estimate: u64,
}

/// Linux `westwood_do_filter`.
fn filtered(old: u64, new: u64) -> u64 {
    (7 * old + new) >> 3
}

impl Meter {
    /// An estimate for segments of `mss` bytes.
    pub fn new(mss: u64) -> Self {
        Meter { mss, bytes: 0, accounted: 0, first: 0, estimate: 0 }
    }

    /// `acknowledged` bytes are acknowledged. `plain` says that this is Linux's fast path, on which duplicates do not count.
    pub fn take(&mut self, acknowledged: u64, plain: bool) {
        self.bytes += if plain { acknowledged } else { self.count(acknowledged) };
    }

    /// The bytes for which an acknowledgement counts during a repair (Linux `westwood_acked_count`).
    fn count(&mut self, acknowledged: u64) -> u64 {
        if acknowledged == 0 {
            self.accounted += self.mss;
            return self.mss;
        }
        if acknowledged <= self.mss {
            return acknowledged;
        }
        if self.accounted >= acknowledged {
            self.accounted -= acknowledged;
            return self.mss;
        }
        acknowledged - std::mem::take(&mut self.accounted)
    }

    /// A sample has ended after `covered` milliseconds (Linux `westwood_filter`).
    pub fn sample(&mut self, covered: u64) {
        let sample = std::mem::take(&mut self.bytes) / covered;
        if (self.first, self.estimate) == (0, 0) {
            (self.first, self.estimate) = (sample, sample);
        } else {
            self.first = filtered(self.first, sample);
            self.estimate = filtered(self.estimate, self.first);
        }
    }

    /// The segments that the estimated rate fills in a round trip of `rtt` milliseconds, at least two.
    pub fn fills(&self, rtt: u64) -> f64 {
        (self.estimate.saturating_mul(rtt) / self.mss).max(2) as f64
    }
}
