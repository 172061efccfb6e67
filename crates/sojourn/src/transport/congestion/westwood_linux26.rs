//! Westwood+ in the whole numbers of Linux 2.6.22, which ns-2's TCP-Linux carries (`arithmetic = "linux"`). Compared with: ns-2
//! 2.35, packet by packet (`tests/peers/test_traces.py`). Where it differs from the real numbers of [`super::westwood`]:
//! - the rate is counted in whole bytes per millisecond, at both stages of the filter and in each sample; time in milliseconds;
//! - the round-trip time is the sender's smoothed one, and its shortest value that of the smoothed one;
//! - the acknowledgement that ends a sample counts for the next one;
//! - the data that duplicates stood for are subtracted from acknowledgements during a recovery, not from others;
//! - the threshold is half of the window, and the window of recovery, and after it if that is greater, the estimate;
//! - a window that is above its threshold after recovery has counted the data acknowledged in it.

use super::round_trip::RoundTrip;
use super::westwood_whole::{Meter, millis};
use super::window::{Halving, Window, window_of};
use super::{Acked, Congestion, CongestionControl, Heard, Linux26, Listener, Setup};
use crate::units::Duration;

#[derive(Clone, Debug)]
pub(super) struct WestwoodLinux {
    window: Window,
    /// Least milliseconds that a sample covers.
    sample_min: u64,
    meter: Meter,
    /// Millisecond in which the sample began; absent before the first acknowledgement.
    since: Option<u64>,
    /// Smoothed round-trip time, and its shortest value, in milliseconds.
    rtt: u64,
    rtt_least: u64,
    /// For senders that do not tell theirs.
    round_trip: RoundTrip,
    /// The window that the estimated rate filled at the last cut.
    pipe_at_cut: f64,
}

impl WestwoodLinux {
    pub fn new(sample_min: Duration) -> Self {
        WestwoodLinux {
            window: Window::new(Halving::Never),
            sample_min: sample_min.as_nanos() / 1_000_000,
            meter: Meter::new(1),
            since: None,
            rtt: 0,
            rtt_least: u64::MAX,
            round_trip: RoundTrip::default(),
            pipe_at_cut: 2.0,
        }
    }

    /// Segments that the estimated rate fills in the shortest round trip, at least two.
    fn pipe(&self) -> f64 {
        // Without an estimate nothing fills it; with one there is a round trip.
        self.meter.fills(self.rtt_least)
    }
}

impl CongestionControl for WestwoodLinux {
    fn on_connect(&mut self, setup: &Setup) {
        let mut window = self.window.clone();
        window.connect(setup);
        let sample_min = Duration::from_millis(self.sample_min);
        *self = WestwoodLinux { window, meter: Meter::new(setup.mss.into()), ..WestwoodLinux::new(sample_min) };
    }

    fn listener(&mut self) -> Option<&mut dyn Listener> {
        Some(self)
    }

    fn on_ack(&mut self, acked: &Acked) {
        if let (None, Some(rtt)) = (self.since, acked.rtt) {
            // The law has not heard the SYN's acknowledgement: it begins here.
            self.since = Some(millis(acked.now));
            self.rtt = (rtt.as_nanos() + 500_000) / 1_000_000;
            self.rtt_least = self.rtt;
            self.window.tally(acked.segments);
        }
        self.round_trip.observe(acked.rtt);
        self.window.open_by_tally(acked, self.window.cwnd);
    }

    fn on_congestion_event(&mut self, event: &Congestion) {
        self.pipe_at_cut = self.pipe();
        self.window.cut(event, event.used / 2.0);
        self.window.cwnd = self.window.cwnd.max(self.pipe_at_cut);
    }

    fn on_timeout(&mut self, event: Option<&Congestion>) {
        self.window.timeout(event, |used| used / 2.0);
    }

    fn linux26(&self) -> Option<&dyn Linux26> {
        Some(self)
    }

    window_of!();
}

impl Linux26 for WestwoodLinux {
    fn recovery_window(&self) -> f64 {
        self.pipe_at_cut
    }
}

impl Listener for WestwoodLinux {
    fn on_heard(&mut self, heard: &Heard) {
        let now = millis(heard.now);
        let smoothed = heard.smoothed.or_else(|| self.round_trip.smoothed.map(Duration::from_secs_f64));
        if let (Some(smoothed), true) = (smoothed, heard.segments > 0.0) {
            self.rtt = smoothed.as_nanos() / 1_000_000;
        }
        let since = *self.since.get_or_insert(now);
        let covered = now - since;
        if self.rtt > 0 && covered > self.rtt.max(self.sample_min) {
            self.meter.sample(covered);
            self.since = Some(now);
        }
        let acknowledged = libm::round(heard.segments * self.meter.mss as f64) as u64;
        self.meter.take(acknowledged, heard.plain);
        if self.rtt > 0 {
            self.rtt_least = self.rtt_least.min(self.rtt);
        }
        self.window.tally(heard.segments);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{acked, connected_whole, heard, hears, near, used};
    use super::super::westwood::ENTRY;
    use super::*;
    use crate::units::Instant;

    fn westwood(window: f64) -> Box<dyn CongestionControl> {
        connected_whole(&ENTRY, "ns2", window, 2.0)
    }

    /// The acknowledgement of `segments` at a millisecond, on the fast path unless it is a duplicate; round trips take 100 ms.
    fn hear(control: &mut dyn CongestionControl, at_ms: u64, segments: f64) {
        let now = Instant::ZERO + Duration::from_millis(at_ms);
        let smoothed = Some(Duration::from_millis(100));
        hears(&mut *control).on_heard(&Heard { segments, smoothed, plain: segments > 0.0, ..heard(now) });
    }

    fn recovery_window(control: &dyn CongestionControl) -> f64 {
        control.linux26().expect("it is of Linux 2.6").recovery_window()
    }

    #[test]
    fn a_loss_leaves_half_or_what_the_rate_fills() {
        // A segment every 10 ms. The first sample ends behind 100 ms, at 110, and that acknowledgement is not of it: 11 * 960 bytes
        // in 110 ms, 96 per millisecond, 9600 in 100 ms, ten segments.
        for (before, after) in [(50.0, 25.0), (12.0, 10.0)] {
            let mut control = westwood(before);
            (0..=11).for_each(|n| hear(control.as_mut(), 10 * n, 1.0));
            control.on_congestion_event(&used(before));
            assert!(near(control.window(), after), "{}", control.window());
            assert!(near(control.ssthresh(), before / 2.0));
            assert!(near(recovery_window(&*control), 10.0));
        }
    }

    #[test]
    fn both_filters_are_cut_to_whole_bytes_per_millisecond() {
        // 96 at 110 ms. Then 5 segments in 101 ms: 4800/101 = 47; (7 * 96 + 47)/8 = 89.9, 89; (7 * 96 + 89)/8 = 95.1, 95: 9500/960 = 9.9.
        let mut control = westwood(50.0);
        (0..=11).for_each(|n| hear(control.as_mut(), 10 * n, 1.0));
        (1..5).for_each(|n| hear(control.as_mut(), 110 + n, 1.0));
        hear(control.as_mut(), 211, 1.0);
        control.on_congestion_event(&used(50.0));
        assert!(near(recovery_window(&*control), 9.0), "{}", recovery_window(&*control));
    }

    #[test]
    fn what_duplicates_stood_for_is_not_taken_from_the_fast_path() {
        let mut law = WestwoodLinux::new(Duration::from_millis(50));
        law.meter = Meter::new(960);
        for segments in [0.0, 0.0, 2.0] {
            hear(&mut law, 0, segments);
        }
        assert_eq!((law.meter.bytes, law.meter.accounted), (4 * 960, 2 * 960));
        // While something is repaired three segments are one, as two have been counted.
        law.on_heard(&Heard { segments: 3.0, ..heard(Instant::ZERO) });
        assert_eq!((law.meter.bytes, law.meter.accounted), (5 * 960, 0));
    }

    #[test]
    fn what_is_acknowledged_in_recovery_opens_a_window_above_its_threshold() {
        let mut control = westwood(12.0);
        (0..=11).for_each(|n| hear(control.as_mut(), 10 * n, 1.0));
        control.on_congestion_event(&used(12.0));
        (0..9).for_each(|_| hear(control.as_mut(), 115, 1.0));
        assert!(near(control.window(), 10.0));
        hear(control.as_mut(), 116, 1.0);
        control.on_ack(&acked(1.0));
        assert!(near(control.window(), 11.0));
    }

    #[test]
    fn without_a_measurement_two_segments_fill_the_path() {
        let mut control = westwood(50.0);
        control.on_congestion_event(&used(50.0));
        assert!(near(recovery_window(&*control), 2.0) && near(control.window(), 25.0));
    }

    #[test]
    fn other_senders_are_measured_by_their_own_samples() {
        let mut control = westwood(50.0);
        for n in 0..40 {
            let now = Instant::ZERO + Duration::from_millis(10 * n);
            hears(&mut *control).on_heard(&heard(now));
            control.on_ack(&Acked { now, rtt: Some(Duration::from_millis(100)), ..acked(1.0) });
        }
        control.on_congestion_event(&used(50.0));
        assert!(near(recovery_window(&*control), 10.0), "{}", recovery_window(&*control));
    }
}
