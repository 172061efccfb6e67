//! Westwood+ in the integers of today's Linux (`arithmetic = "kernel"`). Compared with: Linux 6.12.117 `tcp_westwood.c` (behaviour).
//! Where it differs from [`super::westwood`]:
//! - a loss or a mark halves, as in Reno; the window and the threshold become the estimate when the reduction is over;
//! - after a timeout the threshold is the estimate, and the shortest round trip is measured anew;
//! - the round trip is that of each acknowledgement, not the smoothed one;
//! - the window grows by acknowledged segments, as Reno's.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | Milliseconds; Linux counts in ticks of 1 to 10 ms | the tick is a choice of who builds the kernel | - |

use super::classic::Law;
use super::window::Window;
use super::{Acked, Cause, Congestion, Heard, Milestone, Setup};
use crate::units::{Duration, Instant};

#[derive(Clone, Debug)]
pub(super) struct WestwoodKernel {
    /// Least milliseconds that a sample covers.
    sample_min: u64,
    meter: Meter,
    /// Millisecond in which the sample began; absent before the first acknowledgement.
    since: Option<u64>,
    /// True after the first acknowledgement.
    begun: bool,
    /// Round-trip time in milliseconds; 0 before the first one.
    rtt: u64,
    /// The shortest; absent when it is to be measured anew.
    least: Option<u64>,
}

impl WestwoodKernel {
    pub fn new(sample_min: Duration) -> Self {
        WestwoodKernel {
            sample_min: sample_min.as_nanos() / 1_000_000,
            meter: Meter::new(1),
            since: None,
            begun: false,
            rtt: 0,
            least: None,
        }
    }

    /// Segments that the estimated rate fills in the shortest round trip, at least two.
    fn pipe(&self) -> f64 {
        self.meter.fills(self.least.unwrap_or(self.rtt))
    }
}

impl Law for WestwoodKernel {
    const LISTENS: bool = true;

    fn kept(&mut self, _window: &Window, event: &Congestion) -> f64 {
        if event.cause == Cause::Timeout { self.pipe() } else { event.used / 2.0 }
    }

    fn reset(&mut self, setup: &Setup) {
        self.meter = Meter::new(setup.mss.into());
        (self.since, self.begun, self.rtt, self.least) = (None, false, 0, None);
    }

    fn open(&mut self, _window: &mut Window, acked: &Acked, _counted: f64) -> bool {
        if let Some(rtt) = acked.rtt {
            self.rtt = rtt.as_nanos().div_ceil(1_000_000);
        }
        false
    }

    fn on_timeout(&mut self, _window: &Window) {
        self.least = None;
    }

    fn on_milestone(&mut self, window: &mut Window, milestone: Milestone<'_>) {
        if let Milestone::Reduced = milestone {
            let pipe = self.pipe();
            (window.cwnd, window.ssthresh) = (pipe, pipe);
        }
    }

    fn on_heard(&mut self, _window: &mut Window, heard: &Heard) {
        let now = millis(heard.now);
        let covered = now - *self.since.get_or_insert(now);
        if self.rtt > 0 && covered > self.rtt.max(self.sample_min) {
            self.meter.sample(covered);
            self.since = Some(now);
        }
        let acknowledged = libm::round(heard.segments * self.meter.mss as f64) as u64;
        // The first one counts as a duplicate: only from here on is there a last acknowledged byte.
        let is_first = !std::mem::replace(&mut self.begun, true);
        self.meter.take(if is_first { 0 } else { acknowledged }, heard.plain);
        if self.rtt > 0 {
            self.least = Some(self.least.map_or(self.rtt, |least| least.min(self.rtt)));
        }
    }

    fn on_round_trip(&mut self, now: Instant, rtt: Duration) -> bool {
        // The first sample begins with the connection, when the first segments left.
        let left = now.as_nanos() - rtt.as_nanos().min(now.as_nanos());
        self.since.get_or_insert(millis(Instant::from_nanos(left)));
        self.rtt = rtt.as_nanos().div_ceil(1_000_000);
        true
    }
}

/// Whole milliseconds.
fn millis(at: Instant) -> u64 {
    at.as_nanos() / 1_000_000
}

/// The acknowledged data, and the rate that follows from it.
#[derive(Clone, Copy, Debug)]
struct Meter {
    /// Payload of a full segment in bytes.
    mss: u64,
    /// Bytes acknowledged in the sample.
    bytes: u64,
    /// Bytes of duplicates whose segments a cumulative acknowledgement will count again.
    accounted: u64,
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
    fn new(mss: u64) -> Self {
        Meter { mss, bytes: 0, accounted: 0, first: 0, estimate: 0 }
    }

    /// `acknowledged` bytes are acknowledged. `plain` says that this is Linux's fast path, on which duplicates do not count.
    fn take(&mut self, acknowledged: u64, plain: bool) {
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
    fn sample(&mut self, covered: u64) {
        let sample = std::mem::take(&mut self.bytes) / covered;
        if (self.first, self.estimate) == (0, 0) {
            (self.first, self.estimate) = (sample, sample);
        } else {
            self.first = filtered(self.first, sample);
            self.estimate = filtered(self.estimate, self.first);
        }
    }

    /// The segments that the estimated rate fills in a round trip of `rtt` milliseconds, at least two.
    fn fills(&self, rtt: u64) -> f64 {
        (self.estimate.saturating_mul(rtt) / self.mss).max(2) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Controlled, acked, connected, heard, hears, near, used};
    use super::super::westwood::ENTRY;
    use super::*;

    /// A segment every 10 ms with a round trip of 100 ms: 96 bytes per millisecond, ten segments of 960 bytes.
    fn fed(window: f64) -> Controlled {
        let mut control = connected(&ENTRY, Some("linux"), &[], window, 2.0);
        for n in 0..60 {
            let now = Instant::ZERO + Duration::from_millis(10 * n);
            hears(&mut control).on_heard(&heard(now));
            control.on_ack(&Acked { now, rtt: Some(Duration::from_millis(100)), limited: true, ..acked(1.0) });
        }
        control
    }

    #[test]
    fn a_loss_halves_and_the_estimate_is_the_window_when_the_reduction_is_over() {
        // Each sample covers 110 ms and 11 segments: 96 exactly, which the filters keep.
        let mut control = fed(50.0);
        control.on_congestion_event(&used(50.0));
        assert!(near(control.window(), 25.0) && near(control.ssthresh(), 25.0));
        control.on_milestone(Milestone::Reduced);
        assert!(near(control.window(), 10.0) && near(control.ssthresh(), 10.0), "{}", control.window());
    }

    #[test]
    fn the_estimate_may_raise_the_window() {
        let mut control = fed(12.0);
        control.on_congestion_event(&used(12.0));
        assert!(near(control.window(), 6.0));
        control.on_milestone(Milestone::Reduced);
        assert!(near(control.window(), 10.0));
    }

    #[test]
    fn a_timeout_leaves_the_estimate_as_threshold_and_forgets_the_shortest_round_trip() {
        let mut control = fed(50.0);
        control.on_timeout(Some(&used(50.0)));
        assert!(near(control.window(), 1.0) && near(control.ssthresh(), 10.0));
        // The next round trip takes 200 ms: twice as much fills it.
        let now = Instant::ZERO + Duration::from_millis(600);
        control.on_ack(&Acked { now, rtt: Some(Duration::from_millis(200)), limited: true, ..acked(1.0) });
        hears(&mut control).on_heard(&heard(now));
        control.on_milestone(Milestone::Reduced);
        assert!(near(control.window(), 20.0), "{}", control.window());
    }
}
