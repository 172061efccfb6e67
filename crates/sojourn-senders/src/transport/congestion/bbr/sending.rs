//! The limits that the law sets to its sender: the rate, the size of packets, and the window.

use super::{Bbr, GAIN_BITS, GAIN_ONE, INITIAL_WINDOW, LEAST_WINDOW, Mode, RATE_BITS, RATE_ONE};
use crate::transport::congestion::{Phase, Sample};

/// Packets that the window leaves room for: at the sender's queue, its device and the receiver's.
const QUANTA: u64 = 3;
/// Bytes of a packet, and segments of it, at most; bytes per second below which a packet has one segment.
const MOST_BYTES: u64 = 65_536 - 1 - 320;
const MOST_SEGMENTS: u64 = 127;
const SLOW: u64 = 1_200_000 / 8;
/// A packet carries the data of 1/1024 s. This is the logarithm of 1024 to the base 2.
const PACKET_BITS: u32 = 10;

impl Bbr {
    // ---- Rates.

    // ---- Rates.

    /// The bandwidth that is sent at: that of a policer, or the highest.
    pub(super) fn present(&self) -> u64 {
        self.policer.rate().unwrap_or(self.bandwidth.value())
    }

    /// Bytes of payload per second at a bandwidth and a gain.
    fn rate_at(&self, bandwidth: u64, gain: u64) -> u64 {
        paced_bytes((bandwidth * self.mss * gain) >> GAIN_BITS, self.numbers.paced)
    }

    /// The initial window in a round trip.
    pub(super) fn start_rate(&mut self, rtt_micros: Option<u64>) {
        self.seen_rtt |= rtt_micros.is_some();
        let bandwidth = self.window * RATE_ONE / rtt_micros.map_or(1000, |rtt| rtt.max(1));
        self.rate = self.rate_at(bandwidth, self.numbers.high);
    }

    pub(super) fn set_rate(&mut self, bandwidth: u64, gain: u64, rtt_micros: Option<u64>) {
        let rate = self.rate_at(bandwidth, gain);
        if !self.seen_rtt && rtt_micros.is_some() {
            self.start_rate(rtt_micros);
        }
        if self.filled || rate > self.rate {
            self.rate = rate;
        }
    }

    fn least_segments(&self) -> u64 {
        if self.rate < SLOW { 1 } else { 2 }
    }

    /// Segments of a packet.
    pub(super) fn quantum(&self) -> u64 {
        let bytes = (self.rate >> PACKET_BITS).min(MOST_BYTES);
        (bytes / self.mss).max(self.least_segments()).min(MOST_SEGMENTS)
    }

    // ---- Windows.

    /// `gain * bandwidth * shortest round trip`, rounded up.
    pub(super) fn product(&self, bandwidth: u64, gain: u64) -> u64 {
        let Some(rtt) = self.least_rtt else { return INITIAL_WINDOW };
        ((bandwidth * rtt * gain) >> GAIN_BITS).div_ceil(RATE_ONE)
    }

    /// A window with room for packets under way in the machines.
    fn with_quanta(&self, window: u64) -> u64 {
        let whole = window + QUANTA * self.quantum();
        if !self.numbers.even {
            return whole;
        }
        whole.next_multiple_of(2) + if self.mode == Mode::ProbeBw && self.phase == 0 { 2 } else { 0 }
    }

    pub(super) fn target(&self, bandwidth: u64, gain: u64) -> u64 {
        self.with_quanta(self.product(bandwidth, gain))
    }

    /// The part of the data in flight that will still be when the next packet may leave.
    pub(super) fn at_departure(&self, inflight: u64, sample: &Sample) -> u64 {
        let wait = sample.departs.since(sample.now).as_nanos() / 1000;
        let delivered = (self.present() * wait) >> RATE_BITS;
        let then = inflight + if self.pacing_gain > GAIN_ONE { self.quantum() } else { 0 };
        then.saturating_sub(delivered)
    }

    pub(super) fn save_window(&mut self) {
        let is_whole = !is_repairing(self.before) && self.mode != Mode::ProbeRtt;
        self.prior = if is_whole { self.window } else { self.prior.max(self.window) };
    }

    // ---- The window after an acknowledgement.

    // ---- Sending.

    pub(super) fn set_window(&mut self, sample: &Sample, bandwidth: u64) {
        let acked = sample.delivered as u64;
        if acked > 0 && !self.follow_recovery(sample, acked) {
            let target = self.with_quanta(self.product(bandwidth, self.window_gain) + self.room_for_clumps(bandwidth));
            if self.filled {
                self.window = (self.window + acked).min(target);
            } else if self.window < target || sample.total < INITIAL_WINDOW {
                self.window += acked;
            }
            self.window = self.window.max(LEAST_WINDOW);
        }
        self.window = self.window.min(sample.most as u64);
        if self.mode == Mode::ProbeRtt {
            self.window = self.window.min(LEAST_WINDOW);
        }
    }

    /// Recovery begins or ends. Returns whether as much is sent as arrives.
    fn follow_recovery(&mut self, sample: &Sample, acked: u64) -> bool {
        if sample.lost > 0.0 {
            self.window = self.window.saturating_sub(sample.lost as u64).max(1);
        }
        let inflight = sample.inflight as u64;
        if sample.phase == Phase::Recovery && self.before != Phase::Recovery {
            self.conserves = true;
            self.round_ends = sample.total;
            self.window = inflight + acked;
        } else if is_repairing(self.before) && !is_repairing(sample.phase) {
            self.window = self.window.max(self.prior);
            self.conserves = false;
        }
        self.before = sample.phase;
        if self.conserves {
            self.window = self.window.max(inflight + acked);
        }
        self.conserves
    }
}

/// The pacing rate in bytes per second. The argument is in bytes per microsecond with the point at 24 bits, and `paced` millionths of it
/// are paced.
pub(super) fn paced_bytes(bytes: u64, paced: u64) -> u64 {
    bytes.saturating_mul(paced) >> RATE_BITS
}

fn is_repairing(phase: Phase) -> bool {
    matches!(phase, Phase::Recovery | Phase::Loss)
}
