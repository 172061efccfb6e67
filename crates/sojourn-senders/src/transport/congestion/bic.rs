//! BIC: after a loss the law searches for the right window by halves, between the window that the loss left and the one at which it
//! happened. Specification: [XHR04] Xu, Harfoush and Rhee, "Binary increase congestion control (BIC) for fast long-distance networks",
//! INFOCOM 2004. Compared with: Linux 6.12.117 `tcp_bic.c` (behaviour).
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | The step is a function of the present window, not of a minimum that is moved once in a round trip | it is the same where the window has grown by the last step; Linux has it so, too | `the_way_back_is_halved_in_each_round_trip` |
//! | A mark cuts as a loss does | [XHR04] says nothing of ECN | `a_mark_cuts_as_a_loss` |

use super::prelude::*;

pub static ENTRY: ControlEntry = ControlEntry {
    name: "bic",
    title: "BIC",
    doc: "A window that returns to the window of the last loss by a binary search. Its steps are large and of one size at first, then \
          smaller and smaller, and beyond that window larger and larger.",
    reference: "Xu, Harfoush and Rhee 2004",
    presets: presets! {
        // Checked on 2026-11-25: tcp_bic.c of Linux 6.12.117.
        /// Linux 6.12 in its whole numbers: a fifth is lost, a quarter of the way is a step, of 16 segments at most; of a step of a segment
        /// or less a fifth is done. Under the profile `linux` its window is Linux's after each acknowledgement of the recordings
        /// (docs/linux.md).
        linux = { decrease = "0.7998046875", s_max = "16", b = "4", arithmetic = "kernel" };
    },
    law: Some(|args| drawn::after_a_loss(&|| build(args))),
    ..ControlEntry::of::<Params>(&build)
};

params! {
    /// Parameters of BIC, in the paper's names.
    pub struct Params {
        /// Window in segments up to which the law is Reno's.
        low_window: f64 = "14" in [1.0, 1e6], "Xu, Harfoush and Rhee 2004";
        /// Largest increase per round trip, in segments.
        s_max: f64 = "32" in [1.0, 1e6], "Xu, Harfoush and Rhee 2004";
        /// Least increase per round trip, in segments.
        s_min: f64 = "0.01" in [1e-6, 1.0], "Xu, Harfoush and Rhee 2004", when arithmetic in ["real"];
        /// Part of the window that a loss leaves.
        decrease: Fraction = "0.875" in [0.1, 0.99], "Xu, Harfoush and Rhee 2004";
        /// Divisor of the step: a round trip makes one of this many parts of the way to the window of the last loss.
        b: f64 = "2" in [2.0, 100.0], "Xu, Harfoush and Rhee 2004";
        /// Whether a loss below the window of the last one moves that down, so that new flows find room.
        fast_convergence: bool = "true", "Xu, Harfoush and Rhee 2004";
        /// The arithmetic of the window. With that of the kernel, whole segments, `s_min` has no effect.
        arithmetic: Arithmetic = "real", "Xu, Harfoush and Rhee 2004";
    }
}

/// Linux: round trips from one step before the window of the last loss to it, times `b`.
const SMOOTH: u64 = 20;
/// Linux: acknowledged segments for one more before the first loss, at most.
const UNTRIED: u64 = 20;
/// Linux: milliseconds for which a computation holds while the window stays.
const PAUSE: u64 = 31;
/// Linux counts the segments of an acknowledgement in sixteenths, and averages them over sixteen acknowledgements.
const SHARES: u64 = 16;

#[derive(Clone, Debug)]
struct Bic {
    params: Params,
    /// The window at the last loss; 0 before the first.
    w_max: f64,
    /// In Linux: acknowledged segments that open the window by one; and the window and millisecond for which that was computed.
    needed: u64,
    computed: (u64, u64),
    /// In Linux: segments per acknowledgement.
    share: u64,
}

fn build(args: &Args) -> Box<dyn CongestionControl> {
    let params = args.typed();
    Box::new(Classic::new(Bic { params, w_max: 0.0, needed: 1, computed: (0, 0), share: 2 * SHARES }))
}

/// [XHR04] section 3: segments per round trip.
fn increase(params: &Params, cwnd: f64, w_max: f64) -> f64 {
    if cwnd <= params.low_window {
        return 1.0;
    }
    let way = if cwnd < w_max { (w_max - cwnd) / params.b } else { (cwnd - w_max) / (params.b - 1.0) };
    way.clamp(params.s_min.min(params.s_max), params.s_max)
}

/// Linux `bictcp_update`: acknowledged segments for one more, before the share of an acknowledgement is taken out.
fn needed(params: &Params, cwnd: u64, w_max: u64) -> u64 {
    let (b, s_max) = (libm::floor(params.b) as u64, libm::floor(params.s_max) as u64);
    let slow = cwnd * SMOOTH / b;
    let needed = if cwnd < w_max {
        match (w_max - cwnd) / b {
            way if way > s_max => cwnd / s_max,
            0 | 1 => slow,
            way => cwnd / way,
        }
    } else if cwnd < w_max + b {
        slow
    } else if cwnd < w_max + s_max * (b - 1) {
        cwnd * (b - 1) / (cwnd - w_max)
    } else {
        cwnd / s_max
    };
    if w_max == 0 { needed.min(UNTRIED) } else { needed }
}

impl Bic {
    fn is_kernel(&self) -> bool {
        self.params.arithmetic == Arithmetic::Kernel
    }

    fn update(&mut self, cwnd: f64, now_ms: u64) {
        let (low, cwnd) = (cwnd <= self.params.low_window, cwnd as u64);
        if self.computed.0 == cwnd && now_ms - self.computed.1 <= PAUSE {
            return;
        }
        self.computed = (cwnd, now_ms);
        self.needed = if low {
            cwnd
        } else {
            (needed(&self.params, cwnd, self.w_max as u64) * SHARES / self.share.max(1)).max(1)
        };
    }
}

impl Law for Bic {
    const FOLLOWS: bool = true;

    fn needed(&mut self, window: &Window, _acked: &Acked) -> Needed {
        Needed::for_segments(window.cwnd, increase(&self.params, window.cwnd, self.w_max))
    }

    fn kept(&mut self, window: &Window, event: &Congestion) -> f64 {
        let (cwnd, decrease) = (window.cwnd, self.params.decrease.0);
        let falls = self.params.fast_convergence && cwnd < self.w_max;
        let plateau = if falls { cwnd * (1.0 + decrease) / 2.0 } else { cwnd };
        self.w_max = if self.is_kernel() { libm::floor(plateau) } else { plateau };
        event.used * if cwnd <= self.params.low_window { 0.5 } else { decrease }
    }

    fn on_arrival(&mut self, _window: &mut Window, arrival: &Arrival) {
        if arrival.phase == Phase::Open {
            self.share = self.share + libm::round(arrival.segments) as u64 - self.share / SHARES;
        }
    }

    fn reset(&mut self, _setup: &Setup) {
        (self.w_max, self.computed, self.share) = (0.0, (0, 0), 2 * SHARES);
    }

    fn is_whole(&self) -> bool {
        self.is_kernel()
    }

    /// Linux `bictcp_cong_avoid`.
    fn open(&mut self, window: &mut Window, acked: &Acked, counted: f64) -> bool {
        if !window.whole {
            return false;
        }
        let left = window.left_by_slow_start(counted);
        if left > 0.0 {
            self.update(window.cwnd, acked.now.as_nanos() / 1_000_000);
            window.open_by_segments(left, self.needed as f64);
        }
        true
    }

    fn on_timeout(&mut self, _window: &Window) {
        if self.is_kernel() {
            // `bictcp_state`: nothing is known any more.
            (self.w_max, self.computed, self.share) = (0.0, (0, 0), 2 * SHARES);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::congestion::testing::{Controlled, acked, connected, connected_linux, echoed, near, used};

    /// The window after a round trip in which each segment is acknowledged by itself.
    fn round(control: &mut Controlled) -> f64 {
        for _ in 0..control.window() as u64 {
            control.on_ack(&acked(1.0));
        }
        control.window()
    }

    #[test]
    fn a_loss_takes_an_eighth_and_half_of_a_small_window() {
        for (before, after) in [(80.0, 70.0), (14.0, 7.0)] {
            let mut control = connected(&ENTRY, None, &[], before, 2.0);
            control.on_congestion_event(&used(before));
            assert!(near(control.window(), after));
        }
    }

    #[test]
    fn the_way_back_is_halved_in_each_round_trip() {
        // From 175 to 200: half of 25, of 12.5, ... Within a round trip the way shrinks while it is gone: by 1 - exp(-1/2), and a little
        // less, since the window grows.
        let mut control = connected(&ENTRY, None, &[], 200.0, 2.0);
        control.on_congestion_event(&used(200.0));
        let mut way = 25.0;
        for _ in 0..4 {
            let left = 200.0 - round(&mut control);
            assert!((left / way - 0.607).abs() < 0.03, "{left} of {way}");
            way = left;
        }
    }

    #[test]
    fn a_long_way_is_gone_in_steps_of_s_max() {
        let params: Params = ENTRY.args(None).expect("defaults").typed();
        assert!(near(increase(&params, 800.0, 1000.0), 32.0));
        assert!(near(increase(&params, 980.0, 1000.0), 10.0));
        assert!(near(increase(&params, 999.99, 1000.0), 0.01));
        // Beyond the old maximum, the window grows by the amount that it has grown.
        assert!(near(increase(&params, 1005.0, 1000.0), 5.0) && near(increase(&params, 2000.0, 1000.0), 32.0));
        assert!(near(increase(&params, 14.0, 1000.0), 1.0));
    }

    #[test]
    fn a_loss_below_the_last_one_moves_the_plateau_down() {
        let after_two = |fast: &str| {
            let mut control = connected(&ENTRY, None, &[("fast_convergence", fast)], 1000.0, 2.0);
            control.on_congestion_event(&used(1000.0));
            control.on_congestion_event(&used(875.0));
            // 765.6; the plateau is 875 (1 + 0.875) / 2 = 820.3 or 875: ways of 54.7 / 2 and 109.4 / 2, of 32 at most.
            control.on_ack(&acked(1.0));
            765.625 * (control.window() - 765.625)
        };
        assert!((after_two("true") - 54.6875 / 2.0).abs() < 1e-6, "{}", after_two("true"));
        assert!((after_two("false") - 32.0).abs() < 1e-6, "{}", after_two("false"));
    }

    #[test]
    fn linux_needs_whole_segments() {
        let linux: Params = ENTRY.args(Some("linux")).expect("a preset").typed();
        // Way (w_max - cwnd) / 4: 25 is more than 16; 10; 1, done in five steps: 20 / 4 windows.
        assert_eq!(needed(&linux, 100, 200), 100 / 16);
        assert_eq!(needed(&linux, 100, 140), 100 / 10);
        assert_eq!(needed(&linux, 100, 104), 500);
        // Beyond the maximum: up to 3 above the same; then three over the excess; from 48 on steps of 16.
        assert_eq!(needed(&linux, 103, 100), 515);
        assert_eq!(needed(&linux, 110, 100), 33);
        assert_eq!(needed(&linux, 148, 100), 148 / 16);
        // Before the first loss 20 at most.
        assert_eq!((needed(&linux, 400, 0), needed(&linux, 100, 0)), (20, 6));
    }

    #[test]
    fn linux_takes_two_segments_for_an_acknowledgement_at_first() {
        // 100 segments, none lost yet: 100 / 16 = 6, over 2 segments per acknowledgement 3, each for 2 segments.
        let mut control = connected_linux(&ENTRY, Some("linux"), 100.0, 2.0);
        control.on_ack(&acked(2.0));
        assert!(near(control.window(), 100.0));
        control.on_ack(&acked(2.0));
        assert!(near(control.window(), 101.0));
        control.on_congestion_event(&used(101.0));
        // 101 * 819 / 1024 = 80.8.
        assert!(near(control.window(), 80.0));
    }

    #[test]
    fn a_timeout_leaves_what_a_loss_leaves() {
        let mut control = connected(&ENTRY, None, &[], 80.0, 2.0);
        control.on_timeout(Some(&used(80.0)));
        assert!(near(control.window(), 1.0) && near(control.ssthresh(), 70.0));
    }

    #[test]
    fn a_mark_cuts_as_a_loss() {
        let mut control = connected(&ENTRY, None, &[], 80.0, 2.0);
        control.on_congestion_event(&echoed(80.0));
        assert!(near(control.window(), 70.0));
    }
}
