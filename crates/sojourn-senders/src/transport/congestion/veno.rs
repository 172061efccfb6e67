//! TCP Veno: Reno that decides by the delay whether a loss was congestion. If hardly any of its own segments wait, the loss was chance, and
//! the window falls less. Specification: [FL03] Fu and Liew, "TCP Veno: TCP enhancement for transmission over wireless access networks",
//! IEEE JSAC 21(2), 2003. Compared with: Linux 6.12.117 `tcp_veno.c` (behaviour).
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | A mark cuts as a loss does | [FL03] says nothing of ECN | `a_mark_cuts_as_a_loss` |

use super::prelude::*;

pub static ENTRY: ControlEntry = ControlEntry {
    name: "veno",
    title: "TCP Veno",
    doc: "Reno for links that lose by chance. From the round-trip time it estimates how many of its segments wait; with few of them a \
          loss takes a fifth, with many a half, and the window grows half as fast.",
    reference: "Fu and Liew 2003",
    presets: presets! {
        // Checked on 2026-11-25: tcp_veno.c of Linux 6.12.117.
        /// Linux 6.12 in its whole numbers: waiting segments in halves, from the last round trip that was measured. Under the profile
        /// `linux` its window is Linux's after each acknowledgement of the recordings (docs/linux.md).
        linux = { arithmetic = "kernel" };
    },
    law: Some(draw_law),
    ..ControlEntry::of::<Params>(&build)
};

params! {
    /// Parameters of TCP Veno, in the paper's names.
    pub struct Params {
        /// Segments in queues from which the state is congestive.
        beta: f64 = "3" in [0.0, 1e6], "Fu and Liew 2003";
        /// Part of the window that a loss leaves in the other state.
        decrease: Fraction = "0.8" in [0.1, 0.99], "Fu and Liew 2003";
        /// The arithmetic of the window. That of the kernel has microseconds, whole segments and halves of waiting ones.
        arithmetic: Arithmetic = "real", "Fu and Liew 2003";
    }
}

/// Linux counts waiting segments in halves, and makes no decision before two samples.
const PARTS: f64 = 2.0;
const FEW: u32 = 2;
/// Microseconds of a round trip that has not been measured, in Linux.
const UNMEASURED: u64 = 0x7fff_ffff;

#[derive(Clone, Debug)]
struct Veno {
    params: Params,
    /// BaseRTT in microseconds (Linux) or nanoseconds.
    base: Option<u64>,
    /// The last round trip, in the same unit.
    rtt: Option<u64>,
    samples: u32,
    /// Segments that wait.
    waiting: f64,
    /// In the congestive state only every other opening is done. True if the next one is.
    opens: bool,
    /// True if no loss is known and nothing is reported out of order.
    calm: bool,
}

fn build(args: &Args) -> Box<dyn CongestionControl> {
    Box::new(Classic::new(Veno {
        params: args.typed(),
        base: None,
        rtt: None,
        samples: 0,
        waiting: 0.0,
        opens: true,
        calm: true,
    }))
}

/// [FL03] section II: `N = Actual (RTT - BaseRTT)` with `Actual = cwnd / RTT`.
fn waiting(params: &Params, cwnd: f64, base: u64, rtt: u64) -> f64 {
    if params.arithmetic == Arithmetic::Real {
        return cwnd - cwnd * base as f64 / rtt as f64;
    }
    let (cwnd, halves) = (cwnd as u64, PARTS as u64);
    (halves * cwnd).saturating_sub(halves * cwnd * base / rtt) as f64 / PARTS
}

fn draw_law(args: &Args) -> Graph {
    let Params { beta, decrease, .. } = args.typed();
    Graph::new(Axis::new("own segments in queues", "segments"), Axis::new("segments, or part of the window", ""))
        .curve(
            "increase in a round trip",
            (0.0, 2.0 * beta.max(1.0)),
            &[beta],
            |queued| if queued < beta { 1.0 } else { 0.5 },
        )
        .curve("part that a loss leaves", (0.0, 2.0 * beta.max(1.0)), &[beta], |queued| {
            if queued < beta { decrease.0 } else { 0.5 }
        })
}

impl Veno {
    fn is_kernel(&self) -> bool {
        self.params.arithmetic == Arithmetic::Kernel
    }

    fn forget(&mut self) {
        // In Linux it is Veno then in any phase.
        (self.base, self.rtt, self.opens, self.calm) = (None, None, true, true);
    }

    /// Linux `tcp_veno_cong_avoid`: in the congestive state every other window of acknowledged segments opens the window.
    fn open_by_segments(&mut self, window: &mut Window, counted: f64) {
        let left = window.left_by_slow_start(counted);
        if left <= 0.0 {
            return;
        }
        if self.waiting < self.params.beta {
            let cwnd = window.cwnd;
            window.open_by_segments(left, cwnd);
        } else if f64::from(window.tally) >= window.cwnd {
            if self.opens {
                window.cwnd += 1.0;
            }
            self.opens = !self.opens;
            window.tally = 0.0;
        } else {
            window.tally += left as f32;
        }
    }
}

impl Law for Veno {
    const FOLLOWS: bool = true;

    fn kept(&mut self, _window: &Window, event: &Congestion) -> f64 {
        event.used * if self.waiting < self.params.beta { self.params.decrease.0 } else { 0.5 }
    }

    fn on_arrival(&mut self, _window: &mut Window, arrival: &Arrival) {
        let Some(rtt) = arrival.rtt else { return };
        let rtt = if self.is_kernel() { rtt.as_nanos() / 1000 + 1 } else { rtt.as_nanos().max(1) };
        self.base = Some(self.base.map_or(rtt, |base| base.min(rtt)));
        self.rtt = Some(self.rtt.map_or(rtt, |least| least.min(rtt)));
        self.samples += 1;
    }

    fn on_phase(&mut self, phase: Phase) {
        self.calm = phase == Phase::Open;
        if self.calm {
            self.rtt = None;
        }
    }

    fn reset(&mut self, _setup: &Setup) {
        self.forget();
        (self.samples, self.waiting) = (0, 0.0);
    }

    /// In the state `Open`, and with enough samples, it is Veno. Otherwise it is Reno.
    fn open(&mut self, window: &mut Window, _acked: &Acked, counted: f64) -> bool {
        if counted <= 0.0 || !self.calm {
            return false;
        }
        let Some(base) = self.base.filter(|_| self.samples > if self.is_kernel() { FEW } else { 0 }) else {
            self.rtt = None;
            return false;
        };
        if self.is_kernel() && window.whole {
            self.waiting = waiting(&self.params, window.cwnd, base, self.rtt.take().unwrap_or(UNMEASURED));
            self.open_by_segments(window, counted);
            window.raise(PARTS);
            return true;
        }
        if let Some(rtt) = self.rtt.take() {
            self.waiting = waiting(&self.params, window.cwnd, base, rtt);
        }
        // [FL03]: every other acknowledgement opens the window in the congestive state.
        let part = if self.waiting < self.params.beta { 1.0 } else { 0.5 };
        if window.in_slow_start() {
            window.open_in_slow_start(counted);
        } else {
            window.cwnd += counted * part / window.cwnd;
        }
        true
    }

    fn on_milestone(&mut self, _window: &mut Window, milestone: Milestone<'_>) {
        if let Milestone::Resumes { .. } = milestone {
            self.forget();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Adjustment;
    use super::*;
    use crate::transport::congestion::testing::{Controlled, acked, connected, connected_linux, echoed, near, used};
    use crate::units::{Duration, Instant};

    fn ack(control: &mut Controlled, segments: f64, rtt_ms: u64) {
        control.on_ack(&Acked { rtt: Some(Duration::from_millis(rtt_ms)), ..acked(segments) });
    }

    /// Veno with a base of 100 ms and a last round trip of `rtt_ms`.
    fn after(preset: Option<&str>, rtt_ms: u64) -> Controlled {
        let mut control = connected(&ENTRY, preset, &[], 20.0, 2.0);
        for rtt in [100, 100, 100, rtt_ms] {
            control.on_ack(&Acked { rtt: Some(Duration::from_millis(rtt)), ..acked(1.0) });
        }
        control.adjust(Adjustment::Restore { window: 20.0, ssthresh: 2.0 });
        control
    }

    #[test]
    fn segments_wait_in_proportion_to_the_longer_round_trip() {
        // [FL03]: 20 segments, 100 and 125 ms: 20 * 25 / 125 = 4.
        let (real, linux) = (Params::default(), ENTRY.args(Some("linux")).expect("a preset").typed());
        assert!((waiting(&real, 20.0, 100, 125) - 4.0).abs() < 1e-9);
        // In halves: 40 - 40 * 100 / 111 = 40 - 36 = 4 are 2.
        assert!(near(waiting(&linux, 20.0, 100, 111), 2.0));
    }

    #[test]
    fn with_few_waiting_a_loss_takes_a_fifth_and_with_many_a_half() {
        for (rtt, kept) in [(100, 0.8), (117, 0.8), (118, 0.5), (200, 0.5)] {
            // 20 * 17 / 117 = 2.9, 20 * 18 / 118 = 3.05; the window has grown by 0.2.
            let mut control = after(None, rtt);
            control.on_congestion_event(&used(20.0));
            assert!((control.window() - 20.0 * kept).abs() < 1e-9, "{rtt}: {}", control.window());
        }
    }

    #[test]
    fn in_the_congestive_state_the_window_grows_half_as_fast() {
        for (rtt, part) in [(100, 1.0), (200, 0.5)] {
            let mut control = after(None, rtt);
            let before = control.window();
            ack(&mut control, 1.0, rtt);
            assert!((before * (control.window() - before) - part).abs() < 1e-9, "{rtt}");
        }
    }

    #[test]
    fn linux_opens_in_every_other_window() {
        let mut control = connected_linux(&ENTRY, Some("linux"), 10.0, 2.0);
        for rtt in [100, 100] {
            ack(&mut control, 0.0, rtt);
        }
        // Congestive: 10 counted by five acknowledgements, the sixth sees them and adds one; after the next window none, and so on.
        let windows: Vec<f64> = (0..20)
            .map(|_| {
                ack(&mut control, 2.0, 200);
                control.window()
            })
            .collect();
        assert!(windows[..5].iter().all(|&window| near(window, 10.0)), "{windows:?}");
        assert!(windows[5..19].iter().all(|&window| near(window, 11.0)), "{windows:?}");
        // 6 acknowledgements make 12, and the seventh only turns; 6 more, and the seventh adds.
        assert!(near(windows[19], 12.0), "{windows:?}");
    }

    #[test]
    fn data_that_leaves_while_nothing_is_out_forgets_the_base() {
        let mut control = after(None, 100);
        control.on_milestone(Milestone::Resumes { now: Instant::ZERO, silent: Duration::from_millis(1) });
        ack(&mut control, 1.0, 200);
        control.on_congestion_event(&used(20.0));
        assert!(near(control.window(), 16.0));
    }

    #[test]
    fn a_mark_cuts_as_a_loss() {
        let mut control = after(None, 200);
        control.on_congestion_event(&echoed(20.0));
        assert!(near(control.window(), 10.0));
    }

    #[test]
    fn a_timeout_leaves_a_threshold_by_what_waits() {
        let mut control = after(None, 100);
        control.on_timeout(Some(&used(20.0)));
        assert!(near(control.window(), 1.0) && near(control.ssthresh(), 16.0));
    }
}
