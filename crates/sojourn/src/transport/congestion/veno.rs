//! TCP Veno: Reno that asks by the delay whether a loss was congestion. Where hardly anything of its own waits, it was chance, and less is
//! given up. Specification: [FL03] Fu and Liew, "TCP Veno: TCP enhancement for transmission over wireless access networks", IEEE JSAC 21(2),
//! 2003. Compared with: Linux 6.12.117 `tcp_veno.c` (behaviour).
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | A mark cuts as a loss does | [FL03] says nothing of ECN | `a_mark_cuts_as_a_loss` |

use super::place::arrival_of;
use super::window::{Halving, Window, window_of};
use super::{Acked, Arrival, Congestion, CongestionControl, Phase, Setup};
use crate::component::Preset;
use crate::params::{Args, Fraction, Params as _};
use crate::queue::drawing::{Axis, Graph};
use crate::transport::entry::ControlEntry;
use crate::units::{Duration, Instant};
use crate::{choices, params};

/// The registry's entry.
pub static ENTRY: ControlEntry = ControlEntry {
    name: "veno",
    title: "TCP Veno",
    doc: "Reno for links that lose by chance. From the round-trip time it estimates how many of its segments wait; with few of them a loss takes \
          a fifth, with many a half, and the window grows half as fast.",
    reference: "Fu and Liew 2003",
    params: Params::SPECS,
    presets: &[Preset {
        // Checked on 2026-11-25: tcp_veno.c of Linux 6.12.117.
        name: "linux",
        doc: "Linux 6.12 in its whole numbers: waiting segments in halves, from the last round trip that was measured.",
        settings: &[("arithmetic", "kernel")],
    }],
    law: Some(draw_law),
    build: &build,
};

choices! {
    /// In which numbers the window is computed.
    pub enum Arithmetic {
        /// Real ones.
        Real = "real",
        /// Microseconds, whole segments of the window and halves of waiting ones, as in today's Linux.
        Kernel = "kernel",
    }
}

params! {
    /// Parameters of TCP Veno, in the paper's names.
    pub struct Params {
        /// From so many of its segments in queues on the state is congestive.
        beta: f64 = "3" in [0.0, 1e6], "Fu and Liew 2003";
        /// Part of the window that a loss leaves in the other state.
        decrease: Fraction = "0.8" in [0.1, 0.99], "Fu and Liew 2003";
        /// In which numbers the window is computed.
        arithmetic: Arithmetic = "real", "Fu and Liew 2003";
    }
}

/// Linux counts waiting segments in parts of this, and knows nothing before so many samples.
const PARTS: f64 = 2.0;
const FEW: u32 = 2;
/// Microseconds of a round trip that has not been measured, in Linux.
const UNMEASURED: u64 = 0x7fff_ffff;

#[derive(Clone, Debug)]
struct Veno {
    window: Window,
    params: Params,
    /// BaseRTT in microseconds (Linux) or nanoseconds.
    base: Option<u64>,
    /// The last round trip, in the same unit.
    rtt: Option<u64>,
    samples: u32,
    /// Segments that wait.
    waiting: f64,
    /// In the congestive state every other opening is done: whether the next is.
    opens: bool,
    /// Nothing is amiss.
    calm: bool,
    attended: bool,
}

fn build(args: &Args) -> Box<dyn CongestionControl> {
    Box::new(Veno {
        window: Window::new(Halving::Never),
        params: args.typed(),
        base: None,
        rtt: None,
        samples: 0,
        waiting: 0.0,
        opens: true,
        calm: true,
        attended: false,
    })
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

    fn measure(&mut self, arrival: &Arrival) {
        let Some(rtt) = arrival.rtt else { return };
        let rtt = if self.is_kernel() { rtt.as_nanos() / 1000 + 1 } else { rtt.as_nanos().max(1) };
        self.base = Some(self.base.map_or(rtt, |base| base.min(rtt)));
        self.rtt = Some(self.rtt.map_or(rtt, |least| least.min(rtt)));
        self.samples += 1;
    }

    fn forget(&mut self) {
        (self.base, self.rtt, self.opens) = (None, None, true);
    }

    fn open_as_reno(&mut self, counted: f64) {
        if self.window.counts_segments() {
            self.window.open_as_linux(counted, |cwnd| cwnd);
        } else {
            self.window.cwnd += if self.window.in_slow_start() { counted } else { counted / self.window.cwnd };
        }
    }

    /// Linux `tcp_veno_cong_avoid`: in the congestive state every other window of acknowledged segments opens the window.
    fn open_by_segments(&mut self, counted: f64) {
        let before = self.window.cwnd;
        if self.window.in_slow_start() {
            self.window.open_in_slow_start(counted);
        }
        let left = counted - (self.window.cwnd - before);
        if left <= 0.0 {
            return;
        }
        if self.waiting < self.params.beta {
            let cwnd = self.window.cwnd;
            self.window.open_by_segments(left, cwnd);
        } else if f64::from(self.window.tally) >= self.window.cwnd {
            if self.opens {
                self.window.cwnd += 1.0;
            }
            self.opens = !self.opens;
            self.window.tally = 0.0;
        } else {
            self.window.tally += left as f32;
        }
    }

    fn kept(&self, used: f64) -> f64 {
        used * if self.waiting < self.params.beta { self.params.decrease.0 } else { 0.5 }
    }
}

impl CongestionControl for Veno {
    fn on_connect(&mut self, setup: &Setup) {
        self.window.connect(setup);
        self.forget();
        (self.samples, self.waiting, self.calm) = (0, 0.0, true);
    }

    fn attends(&self) -> bool {
        true
    }

    fn on_arrival(&mut self, arrival: &Arrival) {
        self.attended = true;
        self.measure(arrival);
    }

    fn on_phase(&mut self, phase: Phase) {
        self.calm = phase == Phase::Open;
        if self.calm {
            self.rtt = None;
        }
    }

    fn on_ack(&mut self, acked: &Acked) {
        if !self.attended {
            self.measure(&arrival_of(acked));
        }
        let counted = self.window.counted(acked);
        if counted <= 0.0 {
            return;
        }
        if !self.calm {
            self.open_as_reno(counted);
            return;
        }
        let Some(base) = self.base.filter(|_| self.samples > if self.is_kernel() { FEW } else { 0 }) else {
            self.open_as_reno(counted);
            self.rtt = None;
            return;
        };
        if self.is_kernel() && self.window.counts_segments() {
            self.waiting = waiting(&self.params, self.window.cwnd, base, self.rtt.take().unwrap_or(UNMEASURED));
            self.open_by_segments(counted);
            self.window.raise(PARTS);
            return;
        }
        if let Some(rtt) = self.rtt.take() {
            self.waiting = waiting(&self.params, self.window.cwnd, base, rtt);
        }
        if self.window.in_slow_start() {
            self.window.open_in_slow_start(counted);
        } else {
            // [FL03]: every other acknowledgement opens the window in the congestive state.
            let part = if self.waiting < self.params.beta { 1.0 } else { 0.5 };
            self.window.cwnd += part * counted / self.window.cwnd;
        }
    }

    fn on_congestion_event(&mut self, event: &Congestion) {
        self.window.cut(event, self.kept(event.used));
    }

    fn on_timeout(&mut self, event: Option<&Congestion>) {
        let kept = event.map_or(0.0, |event| self.kept(event.used));
        self.window.timeout(event, |_| kept);
    }

    fn on_restart(&mut self, _now: Instant, _silent: Duration) {
        self.forget();
    }

    window_of!();
}
