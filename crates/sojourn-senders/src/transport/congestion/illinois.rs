//! TCP Illinois: losses decide when the window falls, and the delay decides how fast it grows and how far it falls. Specification: [LBS08]
//! Liu, Başar and Srikant, "TCP-Illinois: a loss- and delay-based congestion control algorithm for high-speed networks", Performance
//! Evaluation 65(6-7),
//! 2008. Compared with: Linux 6.12.117 `tcp_illinois.c` (behaviour).
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | A mark cuts as a loss does | [LBS08] says nothing of ECN | `a_mark_cuts_as_a_loss` |
//! | The longest round trip is that of the connection | [LBS08] leaves open when it is forgotten; Linux never does | `a_longer_round_trip_lowers_the_increase_and_raises_the_decrease` |

use super::prelude::*;

pub static ENTRY: ControlEntry = ControlEntry {
    name: "illinois",
    title: "TCP Illinois",
    doc: "A window whose growth and cut depend on the delay; losses decide when it is cut. It grows by ten segments per round trip while \
          nothing waits, and by 0.3 when the queue is about as long as it has ever been; a loss takes an eighth to a half.",
    reference: "Liu, Basar and Srikant 2008",
    presets: presets! {
        // Checked on 2026-11-25: tcp_illinois.c of Linux 6.12.117.
        /// Linux 6.12: the paper's values in whole numbers; the window grows by whole segments. Under the profile `linux` its window is
        /// Linux's after each acknowledgement of the recordings (docs/linux.md).
        linux = { arithmetic = "kernel" };
    },
    law: Some(draw_law),
    ..ControlEntry::of::<Params>(&build)
};

params! {
    /// Parameters of TCP Illinois, in the paper's names.
    pub struct Params {
        /// Least increase per round trip, in segments.
        alpha_min: f64 = "0.3" in [0.01, 100.0], "Liu, Basar and Srikant 2008";
        /// Largest increase per round trip, in segments.
        alpha_max: f64 = "10" in [0.01, 1000.0], "Liu, Basar and Srikant 2008";
        /// Least part of the window that a loss takes.
        beta_min: Fraction = "0.125" in [0.01, 0.99], "Liu, Basar and Srikant 2008";
        /// Largest part of the window that a loss takes.
        beta_max: Fraction = "0.5" in [0.01, 0.99], "Liu, Basar and Srikant 2008";
        /// Queueing delay, as a part of the longest, up to which the increase is the largest.
        eta_1: Fraction = "0.01" in [0.0, 1.0], "Liu, Basar and Srikant 2008";
        /// Queueing delay, as a part of the longest, up to which the decrease is the least.
        eta_2: Fraction = "0.1" in [0.0, 1.0], "Liu, Basar and Srikant 2008";
        /// Queueing delay, as a part of the longest, from which on the decrease is the largest.
        eta_3: Fraction = "0.8" in [0.0, 1.0], "Liu, Basar and Srikant 2008";
        /// Round trips in a row with hardly any delay after which the increase is the largest again.
        theta: u64 = "5" in [1.0, 1000.0], "Liu, Basar and Srikant 2008";
        /// Window in segments below which the law is Reno's.
        w_thresh: f64 = "15" in [0.0, 1e6], "Linux 6.12; Liu, Basar and Srikant 2008 have 10";
        /// The arithmetic of the window. That of the kernel has microseconds, whole segments, the increase in parts of 128 and the
        /// decrease in parts of 64.
        arithmetic: Arithmetic = "real", "Liu, Basar and Srikant 2008";
    }
}

/// The units in which Linux counts increases, decreases and delays, and the longest delay that it uses, so that products fit into 32 bits.
const ALPHA_PARTS: f64 = 128.0;
const BETA_PARTS: f64 = 64.0;
const MICRO: u64 = 1000;
const RTT_MAX_US: f64 = (u32::MAX as u64 / 1280) as f64;

#[derive(Clone, Debug)]
struct Illinois {
    params: Params,
    place: Place,
    /// The segments that had been sent when the round trip began. After a timeout the next acknowledgement tells them: nothing new is sent
    /// before it.
    ends: f64,
    alpha: f64,
    beta: f64,
    /// Samples of this round trip: their sum and number. Round trips are in seconds, in Linux in whole microseconds.
    sum: f64,
    samples: f64,
    rtt_min: f64,
    rtt_max: f64,
    /// True if the delay has been larger than the least one that counts; and the number of round trips since then whose delay was smaller.
    above: bool,
    low: u64,
    /// Segments of the last acknowledgement.
    acked: f64,
}

fn build(args: &Args) -> Box<dyn CongestionControl> {
    Box::new(Classic::new(Illinois::new(args.typed())))
}

/// [LBS08] equation 4: the increase at a mean delay `da` above the first knee, where `dm` is the longest: `k1 / (k2 + da)`, which is
/// `alpha_max` at the knee and `alpha_min` at `dm`.
fn increase(params: &Params, da: f64, dm: f64) -> f64 {
    let knee = floor_in(params, params.eta_1.0 * dm);
    let (da, dm) = (da - knee, dm - knee);
    let (least, most) = (params.alpha_min, params.alpha_max.max(params.alpha_min));
    if params.arithmetic == Arithmetic::Real {
        return dm * most / (dm + da * (most - least) / least);
    }
    let (least, most) = (libm::floor(ALPHA_PARTS * least), libm::floor(ALPHA_PARTS * most));
    libm::floor(dm * most / (dm + libm::floor(da * (most - least) / least))) / ALPHA_PARTS
}

/// [LBS08] equation 5: the decrease, on a line between the other two knees.
fn decrease(params: &Params, da: f64, dm: f64) -> f64 {
    let (low, high) = (floor_in(params, params.eta_2.0 * dm), floor_in(params, params.eta_3.0 * dm));
    let (least, most) = (params.beta_min.0, params.beta_max.0);
    if da <= low {
        return least;
    }
    if da >= high {
        return most;
    }
    if params.arithmetic == Arithmetic::Real {
        return least + (most - least) * (da - low) / (high - low);
    }
    let (least, most) = (libm::floor(BETA_PARTS * least), libm::floor(BETA_PARTS * most));
    libm::floor((least * high - most * low + (most - least) * da) / (high - low)) / BETA_PARTS
}

fn floor_in(params: &Params, value: f64) -> f64 {
    if params.arithmetic == Arithmetic::Kernel { libm::floor(value) } else { value }
}

fn draw_law(args: &Args) -> Graph {
    let params: Params = args.typed();
    let real = Params { arithmetic: Arithmetic::Real, ..params.clone() };
    let of = |law: fn(&Params, f64, f64) -> f64, percent: f64| law(&real, percent / 100.0, 1.0);
    let knees = [100.0 * params.eta_1.0, 100.0 * params.eta_2.0, 100.0 * params.eta_3.0];
    Graph::new(
        Axis::new("queueing delay, as part of the longest", "%"),
        Axis::new("segments, or part of the window", ""),
    )
    .about("Drawn for windows at which the delay counts.")
    .curve("increase in a round trip", (0.0, 100.0), &knees[..1], |percent| {
        if percent <= knees[0] { params.alpha_max } else { of(increase, percent) }
    })
    .curve("part that a loss takes", (0.0, 100.0), &knees[1..], |percent| of(decrease, percent))
}

impl Illinois {
    fn new(params: Params) -> Self {
        Self {
            place: Place::default(),
            ends: 0.0,
            alpha: params.alpha_max,
            beta: params.beta_max.0,
            params,
            sum: 0.0,
            samples: 0.0,
            rtt_min: f64::INFINITY,
            rtt_max: 0.0,
            above: false,
            low: 0,
            acked: 0.0,
        }
    }

    fn is_kernel(&self) -> bool {
        self.params.arithmetic == Arithmetic::Kernel
    }

    fn begin_round(&mut self) {
        (self.ends, self.sum, self.samples) = (self.place.sent, 0.0, 0.0);
    }

    /// A round trip is over.
    fn update(&mut self, cwnd: f64) {
        if cwnd < self.params.w_thresh {
            self.be_reno();
        } else if self.samples > 0.0 {
            let dm = self.rtt_max - self.rtt_min;
            let da = floor_in(&self.params, self.sum / self.samples) - self.rtt_min;
            self.update_alpha(da, dm);
            self.beta = decrease(&self.params, da, dm);
        }
        self.begin_round();
    }

    fn update_alpha(&mut self, da: f64, dm: f64) {
        if da > floor_in(&self.params, self.params.eta_1.0 * dm) {
            self.above = true;
            self.alpha = increase(&self.params, da, dm);
            return;
        }
        if self.above {
            // [LBS08]: the largest increase only when delays have stayed low.
            self.low += 1;
            if self.low < self.params.theta {
                return;
            }
            (self.low, self.above) = (0, false);
        }
        self.alpha = self.params.alpha_max;
    }

    fn be_reno(&mut self) {
        (self.alpha, self.beta) = (1.0, 0.5);
    }
}

impl Law for Illinois {
    const FOLLOWS: bool = true;
    const LISTENS: bool = true;

    fn needed(&mut self, window: &Window, _acked: &Acked) -> Needed {
        Needed::for_segments(window.cwnd, self.alpha)
    }

    fn kept(&mut self, _window: &Window, event: &Congestion) -> f64 {
        event.used - floor_in(&self.params, event.used * self.beta)
    }

    fn on_arrival(&mut self, _window: &mut Window, arrival: &Arrival) {
        self.acked = arrival.segments;
        let Some(rtt) = arrival.rtt else { return };
        let rtt = if self.is_kernel() { ((rtt.as_nanos() / MICRO) as f64).min(RTT_MAX_US) } else { rtt.as_secs_f64() };
        self.rtt_min = self.rtt_min.min(rtt);
        self.rtt_max = self.rtt_max.max(rtt);
        self.sum += rtt;
        self.samples += 1.0;
    }

    fn reset(&mut self, _setup: &Setup) {
        (self.alpha, self.beta) = (self.params.alpha_max, self.params.beta_max.0);
        (self.rtt_min, self.rtt_max, self.above, self.low) = (f64::INFINITY, 0.0, false, 0);
        (self.place, self.acked) = (Place::default(), 0.0);
        self.begin_round();
    }

    fn is_whole(&self) -> bool {
        self.is_kernel()
    }

    /// A round trip may end before the window opens. Linux `tcp_illinois_cong_avoid` adds whole segments when enough has been acknowledged,
    /// and discards the rest.
    fn open(&mut self, window: &mut Window, _acked: &Acked, counted: f64) -> bool {
        if self.place.acked > self.ends {
            self.update(window.cwnd);
        }
        if counted <= 0.0 || !window.whole {
            return false;
        }
        if window.in_slow_start() {
            window.open_in_slow_start(counted);
            return true;
        }
        window.tally += self.acked as f32;
        self.acked = 1.0;
        let opened = libm::floor(f64::from(window.tally) * self.alpha);
        if opened >= window.cwnd {
            window.cwnd += libm::floor(opened / window.cwnd);
            window.tally = 0.0;
        }
        true
    }

    fn on_timeout(&mut self, _window: &Window) {
        self.be_reno();
        (self.above, self.low) = (false, 0);
        self.begin_round();
        self.ends = f64::INFINITY;
    }

    fn on_heard(&mut self, _window: &mut Window, heard: &Heard) {
        self.place.hear(heard);
        if self.ends == f64::INFINITY {
            self.ends = self.place.sent;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::congestion::Listener as _;
    use crate::transport::congestion::testing::{
        Controlled, acked, connected, connected_linux, echoed, heard, hears, near, used,
    };
    use crate::units::{Duration, Instant};

    fn params(preset: Option<&str>) -> Params {
        ENTRY.args(preset).expect("a preset").typed()
    }

    /// A round trip of `rtt_ms` milliseconds, after which the law decides. The window is not opened.
    fn round(control: &mut Controlled, rtt_ms: u64) {
        for _ in 0..4 {
            hears(&mut *control).on_heard(&Heard { inflight: 4.0, ..heard(Instant::ZERO) });
            control.on_ack(&Acked { rtt: Some(Duration::from_millis(rtt_ms)), limited: true, ..acked(1.0) });
        }
    }

    /// The increase for one acknowledged segment, times the window.
    fn step(control: &mut Controlled) -> f64 {
        let before = control.window();
        control.on_ack(&acked(1.0));
        before * (control.window() - before)
    }

    #[test]
    fn the_increase_falls_from_its_largest_to_its_least() {
        // [LBS08] equation 4 with 0.3, 10 and the knee at 1 %: 10 there, 0.3 at the longest, k1 / (k2 + da) between.
        let real = params(None);
        let (k1, k2) = (0.99 * 0.3 * 10.0 / 9.7, 0.99 * 0.3 / 9.7 - 0.01);
        assert!((increase(&real, 0.01, 1.0) - 10.0).abs() < 1e-9);
        assert!((increase(&real, 1.0, 1.0) - 0.3).abs() < 1e-9);
        assert!((increase(&real, 0.5, 1.0) - k1 / (k2 + 0.5)).abs() < 1e-9);
    }

    #[test]
    fn the_decrease_rises_on_a_line() {
        let real = params(None);
        for (da, beta) in [(0.0, 0.125), (0.1, 0.125), (0.45, 0.3125), (0.8, 0.5), (1.0, 0.5)] {
            assert!((decrease(&real, da, 1.0) - beta).abs() < 1e-9, "{da}");
        }
    }

    #[test]
    fn linux_has_whole_numbers() {
        // dm = 20000 us, da = 10000: above the knee of 200 it is 19800 * 1280 / (19800 + 9800 * 1242 / 38) = 25344000 / 340105 = 74.5;
        // (8 * 16000 - 32 * 2000 + 24 * 10000) / 14000 = 21.7.
        let linux = params(Some("linux"));
        assert!(near(increase(&linux, 10_000.0, 20_000.0), 74.0 / 128.0));
        assert!(near(decrease(&linux, 10_000.0, 20_000.0), 21.0 / 64.0));
        assert!(near(decrease(&linux, 0.0, 0.0), 0.125));
    }

    #[test]
    fn a_longer_round_trip_lowers_the_increase_and_raises_the_decrease() {
        let mut control = connected(&ENTRY, None, &[], 100.0, 2.0);
        round(&mut control, 100);
        assert!((step(&mut control) - 10.0).abs() < 1e-9);
        round(&mut control, 150);
        round(&mut control, 150);
        assert!((step(&mut control) - 0.3).abs() < 1e-9);
        let before = control.window();
        control.on_congestion_event(&used(before));
        assert!(near(control.window(), before / 2.0));
    }

    #[test]
    fn the_largest_increase_comes_back_after_theta_low_round_trips() {
        let mut control = connected(&ENTRY, None, &[], 100.0, 2.0);
        round(&mut control, 100);
        round(&mut control, 150);
        // The round that begins now is decided upon at the begin of the next one: the fifth of low ones at the begin of the sixth.
        for _ in 0..5 {
            round(&mut control, 100);
            assert!(step(&mut control) < 1.0);
        }
        round(&mut control, 100);
        assert!((step(&mut control) - 10.0).abs() < 1e-9);
    }

    #[test]
    fn a_small_window_is_renos() {
        let mut control = connected(&ENTRY, None, &[], 14.0, 2.0);
        round(&mut control, 100);
        assert!((step(&mut control) - 1.0).abs() < 1e-9);
        let before = control.window();
        control.on_congestion_event(&used(before));
        assert!(near(control.window(), before / 2.0));
    }

    #[test]
    fn in_linux_what_is_left_of_a_count_is_forgotten() {
        // Alpha is 10: two segments of 20 make 20 parts, and the window of 20 opens by one; of three 30 parts, by one as well.
        let mut control = connected_linux(&ENTRY, Some("linux"), 20.0, 2.0);
        control.on_ack(&acked(2.0));
        assert!(near(control.window(), 21.0));
        control.on_ack(&acked(3.0));
        assert!(near(control.window(), 22.0));
        control.on_ack(&acked(2.0));
        assert!(near(control.window(), 22.0));
    }

    #[test]
    fn a_timeout_forgets_delays() {
        let mut control = connected(&ENTRY, None, &[], 100.0, 2.0);
        round(&mut control, 100);
        control.on_timeout(Some(&used(100.0)));
        // The least decrease, since nothing waited.
        assert!(near(control.window(), 1.0) && near(control.ssthresh(), 87.5));
    }

    #[test]
    fn after_a_timeout_a_round_trip_ends_with_all_that_was_sent() {
        let mut control = Classic::new(Illinois::new(params(Some("linux"))));
        control.on_heard(&Heard { inflight: 10.0, ..heard(Instant::ZERO) });
        // Three more have left since, of which the law has not heard; one acknowledgement repairs all.
        control.on_timeout(None);
        control.on_heard(&Heard { inflight: 12.0, segments: 12.0, ..heard(Instant::ZERO) });
        assert!(near(control.law.ends, 13.0) && near(control.law.place.acked, 13.0));
    }

    #[test]
    fn a_mark_cuts_as_a_loss() {
        let mut control = connected(&ENTRY, None, &[], 100.0, 2.0);
        control.on_congestion_event(&echoed(100.0));
        assert!(near(control.window(), 50.0));
    }
}
