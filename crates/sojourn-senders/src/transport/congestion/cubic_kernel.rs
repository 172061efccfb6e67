//! CUBIC in the integers of today's Linux, with its HyStart (`arithmetic = "kernel"`). Compared with: Linux 6.12 `tcp_cubic`,
//! window by window (`tests/peers/linux/kernel`). Where it differs from the real numbers of [`super::cubic`]:
//! - the window is counted in whole segments, the cubic function in 1/1024 s, constants in 1/1024;
//! - below its plateau the function is rounded up: the plateau counts as reached 1.36 s early, when the function is within a segment of it;
//! - one segment is added for a number of acknowledged ones; that number is computed anew when the window has changed or 31 ms have passed;
//! - before the first loss, and again after a timeout, a segment is added for 20 at most;
//! - the function is taken the shortest round-trip time ahead, not the smoothed one;
//! - Reno's window grows by 8/15 of a segment per round trip, above the last cut too;
//! - slow start ends when acknowledgements have come in a row for half of the shortest round-trip time (for all of it if packets are
//!   paced), or when the shortest of eight round trips in a row is longer than the shortest of all by an eighth of it (Ha and Rhee 2011,
//!   "Taming the elephants").
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | An acknowledgement may be delayed by 1 ms; in Linux by the time of 256 KiB at the pacing rate, if that is less | that is less above 2.1 Gbit/s | - |
//! | Milliseconds; Linux counts in ticks of 1 to 10 ms | the tick is a choice of who builds the kernel | - |

use super::classic::Law;
use super::cubic_settings::{Friendly, Params};
use super::cubic_whole::{Epoch, PAUSE, SCALE, UNMEASURED, cut, millis};
use super::window::Window;
use super::{Acked, Adjustment, Arrival, Congestion, Milestone, Setup};
use crate::units::{Duration, Instant};

/// Acknowledged segments for one more before the first loss, at most.
const UNTRIED: u64 = 20;
/// The same ever, at least: the window grows by half per round trip.
const FASTEST: u64 = 2;
#[derive(Clone, Debug)]
pub(super) struct CubicKernel {
    params: Params,
    start: HyStart,
    /// The sender paces its packets.
    paced: bool,
    /// How many acknowledged segments open the window by one.
    needed: u64,
    /// Window and millisecond of the last computation.
    computed: (u64, u64),
    /// The shortest round trip.
    shortest: Option<Duration>,
    /// The plateau; 0 before the first loss.
    w_max: u64,
    epoch: Option<Epoch>,
}

impl CubicKernel {
    pub fn new(params: Params) -> Self {
        CubicKernel {
            params,
            start: HyStart::default(),
            paced: false,
            needed: 0,
            computed: (0, 0),
            shortest: None,
            w_max: 0,
            epoch: None,
        }
    }

    /// Beta in 1/1024, rounded: 0.7 is 717.
    fn beta(&self) -> u64 {
        libm::round(self.params.decrease.0 * SCALE as f64) as u64
    }

    fn forget(&mut self) {
        *self = CubicKernel { paced: self.paced, ..CubicKernel::new(self.params.clone()) };
    }

    /// The acknowledged segments after which one is added.
    fn compute(&mut self, cwnd: u64, now: u64, segments: u64) {
        if let Some(epoch) = &mut self.epoch {
            epoch.count(segments);
        }
        if self.computed.0 == cwnd && now - self.computed.1 <= PAUSE {
            return;
        }
        let again = self.epoch.is_some() && self.computed.1 == now;
        let mut epoch = self.epoch.unwrap_or_else(|| Epoch::begin(&self.params, now, cwnd, self.w_max, segments));
        if !again {
            self.computed = (cwnd, now);
            // In whole milliseconds of microseconds, rounded up.
            let ahead = self.shortest.map_or(0, |shortest| (shortest.as_nanos() / 1000).div_ceil(1000));
            self.needed = epoch.needed(cwnd, (now + ahead - epoch.start) * SCALE / 1000);
            if self.w_max == 0 {
                self.needed = self.needed.min(UNTRIED);
            }
        }
        if self.params.friendly != Friendly::Off {
            self.needed = self.needed.min(epoch.reno(cwnd, self.beta()));
        }
        self.needed = self.needed.max(FASTEST);
        self.epoch = Some(epoch);
    }
}

/// Slow start: one for each acknowledged segment, up to the threshold; returns the rest.
fn slow_start(window: &mut Window, segments: u64) -> u64 {
    let before = window.cwnd as u64;
    window.cwnd = (before + segments) as f64;
    if window.cwnd > window.ssthresh {
        window.cwnd = libm::floor(window.ssthresh);
    }
    segments - (window.cwnd as u64 - before)
}

impl Law for CubicKernel {
    const FOLLOWS: bool = true;

    fn kept(&mut self, window: &Window, _event: &Congestion) -> f64 {
        let (plateau, kept) = cut(&self.params, window.cwnd as u64, self.beta(), self.w_max);
        self.w_max = plateau;
        self.epoch = None;
        kept as f64
    }

    /// Linux `cubictcp_acked`. Linux does not ask whether the window falls: below the threshold, slow start may end then, too.
    fn on_arrival(&mut self, window: &mut Window, arrival: &Arrival) {
        self.start.una += libm::round(arrival.segments) as u64;
        let Some(rtt) = arrival.rtt else { return };
        if self.epoch.is_some_and(|epoch| millis(arrival.now) - epoch.start < UNMEASURED) {
            return;
        }
        let shortest = self.shortest.map_or(rtt, |shortest| shortest.min(rtt));
        self.shortest = Some(shortest);
        let cwnd = arrival.window.unwrap_or(window.cwnd);
        let looks = self.params.hystart && !self.start.found && cwnd < window.ssthresh;
        if looks && self.start.is_over(arrival, rtt, shortest, cwnd as u64, if self.paced { 1.0 } else { 0.5 }) {
            self.start.found = true;
            window.ssthresh = cwnd;
            window.limit(cwnd);
        }
    }

    fn reset(&mut self, setup: &Setup) {
        self.paced = setup.paced;
        self.forget();
    }

    fn open(&mut self, window: &mut Window, acked: &Acked, _counted: f64) -> bool {
        if acked.ece || !window.was_full(acked) {
            return true;
        }
        let mut segments = libm::round(acked.segments) as u64;
        if window.in_slow_start() {
            segments = slow_start(window, segments);
        }
        if segments > 0 {
            self.compute(window.cwnd as u64, millis(acked.now), segments);
            window.open_by_segments(segments as f64, self.needed as f64);
        }
        true
    }

    fn on_timeout(&mut self, _window: &Window) {
        self.forget();
    }

    fn on_milestone(&mut self, _window: &mut Window, milestone: Milestone<'_>) {
        // Linux `cubictcp_cwnd_event`, since 4.2: the stage begins later by as long as nothing was sent.
        if let (Milestone::Resumes { now, silent }, Some(epoch)) = (milestone, &mut self.epoch) {
            epoch.start = (epoch.start + silent.as_nanos() / 1_000_000).min(millis(now));
        }
    }

    fn on_adjustment(&mut self, _window: &Window, change: Adjustment) -> Option<Adjustment> {
        Some(match change {
            Adjustment::Limit(segments) => Adjustment::Limit(libm::floor(segments).max(1.0)),
            Adjustment::Raise(segments) => Adjustment::Raise(libm::floor(segments)),
            // At a restored window, the plateau stays where the cut has put it.
            Adjustment::Remember | Adjustment::EndSlowStart | Adjustment::Restore { .. } => change,
        })
    }
}

/// Windows from which on slow start may end, in segments.
const LOW_WINDOW: u64 = 16;
/// Acknowledgements that are no further apart come in a row.
const IN_A_ROW: Duration = Duration::from_millis(2);
/// The time by which a receiver may delay an acknowledgement.
const HELD: Duration = Duration::from_millis(1);
/// Round trips that are measured in each round before one counts.
const SAMPLES: u32 = 8;
/// The least growth of round trips: an eighth, within these.
const GROWN: (Duration, Duration) = (Duration::from_millis(4), Duration::from_millis(16));

/// The end of slow start, found without a loss.
#[derive(Clone, Debug, Default)]
struct HyStart {
    /// Segments acknowledged since the connection began, and how many were sent when the round did.
    una: u64,
    end: u64,
    began: Instant,
    last: Instant,
    shortest: Option<Duration>,
    samples: u32,
    /// It has ended slow start on this connection: only a timeout has it look again.
    found: bool,
}

impl HyStart {
    /// An acknowledgement arrives in slow start. Returns whether slow start is over. `shortest` is the shortest of all round trips, `row`
    /// the part of it for which acknowledgements may come in a row.
    fn is_over(&mut self, arrival: &Arrival, rtt: Duration, shortest: Duration, cwnd: u64, row: f64) -> bool {
        let now = arrival.now;
        if self.una > self.end {
            let (una, end) = (self.una, self.una + libm::round(arrival.out) as u64);
            *self = HyStart { una, end, began: now, last: now, shortest: None, samples: 0, found: false };
        }
        if cwnd < LOW_WINDOW {
            return false;
        }
        if now.since(self.last) <= IN_A_ROW {
            self.last = now;
            if now.since(self.began) > (shortest + HELD).mul_f64(row) {
                return true;
            }
        }
        let least = self.shortest.map_or(rtt, |least| least.min(rtt));
        self.shortest = Some(least);
        if self.samples < SAMPLES {
            self.samples += 1;
            return false;
        }
        least > shortest + shortest.mul_f64(0.125).clamp(GROWN.0, GROWN.1)
    }
}

#[cfg(test)]
mod tests {
    use super::super::cubic::ENTRY;
    use super::super::testing::{Controlled, acked, connected, near, used};
    use super::super::{Acked, Counting, Cut, Growth, Milestone, Setup};
    use crate::units::{Duration, Instant};

    /// CUBIC with a window and a threshold in segments.
    fn cubic(window: f64, ssthresh: f64) -> Controlled {
        let mut control = connected(&ENTRY, Some("linux"), &[], window, ssthresh);
        let counting = Counting { growth: Growth::Segments, cut: Cut::Cwnd };
        control.on_connect(&Setup { window, ssthresh, mss: 960, packet: 1000, counting, paced: false, phases: false });
        control
    }

    /// An acknowledgement of `segments` segments at `ms` milliseconds, after a round trip of `rtt_ms`.
    fn ack(segments: f64, ms: f64, rtt_ms: u64) -> Acked {
        Acked { now: Instant::from_secs_f64(ms / 1e3), rtt: Some(Duration::from_millis(rtt_ms)), ..acked(segments) }
    }

    #[test]
    fn a_cut_keeps_717_of_1024_in_whole_segments() {
        let mut control = cubic(100.0, 2.0);
        control.on_congestion_event(&used(100.0));
        assert!(near(control.window(), 70.0), "71700/1024 = 70.02");
        control.on_congestion_event(&used(70.0));
        assert!(near(control.window(), 49.0), "50190/1024 = 49.01");
    }

    #[test]
    fn the_plateau_counts_as_reached_when_the_function_is_within_a_segment() {
        // 86, then 60: K = cbrt(26 / 0.4) = 4.02 s. The function is within a segment of 86 from cbrt(1 / 0.4) = 1.36 s before that on,
        // and is taken a round trip (0.1 s) ahead: at 2.563 s. That is seen 31 ms later at most, and enough has been acknowledged by then.
        let mut control = cubic(86.0, 2.0);
        control.on_congestion_event(&used(86.0));
        assert!(near(control.window(), 60.0));
        let mut ms = 0.0;
        while control.window() < 86.0 {
            control.on_ack(&ack(2.0, ms, 100));
            ms += 200.0 / control.window();
        }
        assert!((2560.0..2600.0).contains(&ms), "{ms}");
    }

    #[test]
    fn before_the_first_loss_twenty_segments_add_one() {
        let mut control = cubic(30.0, 2.0);
        for _ in 0..9 {
            control.on_ack(&ack(2.0, 1.0, 40));
        }
        assert!(near(control.window(), 30.0));
        control.on_ack(&ack(2.0, 1.0, 40));
        assert!(near(control.window(), 31.0));
    }

    #[test]
    fn far_behind_its_function_it_grows_by_half_per_round_trip() {
        // 10 s behind the plateau of 100 the function is 400 above it. The data acknowledged before add one at once.
        let mut control = cubic(100.0, 2.0);
        control.on_congestion_event(&used(100.0));
        control.on_ack(&ack(2.0, 0.0, 40));
        for window in [72.0, 73.0, 74.0] {
            control.on_ack(&ack(2.0, 14_000.0, 40));
            assert!(near(control.window(), window), "{}", control.window());
        }
    }

    #[test]
    fn time_in_which_nothing_is_sent_does_not_count() {
        // As without a pause: a stage begins at 0, and is 100 ms old at 21.1 s after a silence of 21 s.
        let after = |pause_ms: u64| {
            let mut control = cubic(100.0, 2.0);
            control.on_congestion_event(&used(100.0));
            control.on_ack(&ack(2.0, 0.0, 40));
            let pause = Duration::from_millis(pause_ms);
            control.on_milestone(Milestone::Resumes {
                now: Instant::ZERO + Duration::from_millis(40) + pause,
                silent: pause,
            });
            (0..60).for_each(|n| control.on_ack(&ack(2.0, (100 + pause_ms + n) as f64, 40)));
            control.window()
        };
        assert!(near(after(21_000), after(0)), "{} {}", after(21_000), after(0));
    }

    #[test]
    fn it_grows_as_reno_would_with_this_decrease() {
        // 8 * 1741 / 3 / 307 = 15 eighths of a window are a segment for Reno: of 7, 13. Before the first loss 20 segments add one; Reno's
        // window is 8 when there have been more than 13, and then 7 / 1 of them do.
        let mut control = cubic(7.0, 2.0);
        for _ in 0..13 {
            control.on_ack(&ack(1.0, 0.0, 1));
        }
        assert!(near(control.window(), 7.0));
        control.on_ack(&ack(1.0, 33.0, 1));
        assert!(near(control.window(), 8.0), "{}", control.window());
    }

    #[test]
    fn after_a_timeout_nothing_is_known_of_the_plateau() {
        let mut control = cubic(100.0, 2.0);
        control.on_timeout(Some(&used(100.0)));
        assert!(near(control.window(), 1.0) && near(control.ssthresh(), 70.0));
        control.on_ack(&ack(75.0, 1.0, 40));
        assert!(near(control.window(), 70.0), "slow start ends on the threshold; 6 are left");
        control.on_ack(&ack(14.0, 1.0, 40));
        assert!(near(control.window(), 71.0), "20 as before the first loss");
    }

    /// Slow start from 20: a round of ten acknowledgements of 2 after 40 ms, then as many as end it of the next, `gap` ms apart after
    /// `rtt_ms`; 0 if none of 25 does.
    fn ends_at(gap: f64, rtt_ms: u64, paced: bool) -> usize {
        let mut control = cubic(20.0, f64::INFINITY);
        let counting = Counting { growth: Growth::Segments, cut: Cut::Cwnd };
        control.on_connect(&Setup {
            window: 20.0,
            ssthresh: f64::INFINITY,
            mss: 960,
            packet: 1000,
            counting,
            paced,
            phases: false,
        });
        let full = |ms, rtt| Acked { inflight: 60.0, ..ack(2.0, ms, rtt) };
        for n in 0..30 {
            control.on_ack(&full(100.0 + 3.0 * f64::from(n), 40));
        }
        assert!(control.ssthresh().is_infinite());
        (1..=25)
            .find(|&n| {
                control.on_ack(&full(300.0 + gap * n as f64, rtt_ms));
                control.ssthresh().is_finite()
            })
            .unwrap_or(0)
    }

    #[test]
    fn slow_start_ends_when_eight_round_trips_and_one_more_are_longer() {
        // 40 ms and an eighth: 45 ms. The first acknowledgement of a round is counted among the eight.
        assert_eq!(ends_at(3.0, 46, false), 9);
        assert_eq!(ends_at(3.0, 45, false), 0);
    }

    #[test]
    fn slow_start_ends_when_acknowledgements_come_in_a_row_for_half_a_round_trip() {
        // (40 + 1) / 2 = 20.5 ms: at 2 ms each the twelfth is 22 ms behind the first.
        assert_eq!(ends_at(2.0, 40, false), 12);
        assert_eq!(ends_at(2.1, 40, false), 0);
        // If packets are paced, 41 ms: the 22nd is 42 ms behind.
        assert_eq!(ends_at(2.0, 40, true), 22);
    }
}
