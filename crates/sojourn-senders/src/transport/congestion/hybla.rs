//! TCP Hybla: a flow with a long round trip sends as fast as one with a short one would on the same path. Specification: [CF04] Caini and
//! Firrincieli, "TCP Hybla: a TCP enhancement for heterogeneous networks", International Journal of Satellite Communications and Networking
//! 22(5), 2004. Compared with: Linux 6.12.117 `tcp_hybla.c` (behaviour).
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | Segments are not spaced by the law | [CF04] leaves that to the sender: `pacing` of the transport | - |
//! | The threshold is not multiplied by rho at first | a connection begins without one here | - |
//! | A slow start multiplies the window by 2^16 in a round trip at most | Linux has the bound; a longer one would send the whole transfer at once | `slow_start_is_bounded` |

use super::prelude::*;

pub static ENTRY: ControlEntry = ControlEntry {
    name: "hybla",
    title: "TCP Hybla",
    doc: "Reno for long round trips, such as a satellite's. Its window grows as if the round trip were one of reference, and is as many \
          times larger as the round trip is longer.",
    reference: "Caini and Firrincieli 2004",
    presets: presets! {
        // Checked on 2026-11-25: tcp_hybla.c of Linux 6.12.117.
        /// Linux 6.12 in its whole numbers: rho in eighths, from the shortest smoothed round trip; it is also the initial window. An
        /// acknowledgement counts once, for any number of segments.
        linux = { arithmetic = "kernel" };
    },
    law: Some(draw_law),
    ..ControlEntry::of::<Params>(&build)
};

params! {
    /// Parameters of TCP Hybla, in the paper's names.
    pub struct Params {
        /// The round trip of reference.
        rtt_0: Duration = "25ms" in [0.001, 10.0], "Caini and Firrincieli 2004";
        /// The arithmetic of the window. That of the kernel has microseconds, eighths and parts of 128.
        arithmetic: Arithmetic = "real", "Caini and Firrincieli 2004";
    }
}

/// Largest exponent of slow start.
const RHO_MAX: f64 = 16.0;
/// Linux counts rho in parts of this, and segments in parts of that.
const EIGHTHS: u64 = 8;
const PARTS: u64 = 128;
/// The largest window in Linux (`snd_cwnd_clamp`).
const MOST: f64 = 65_535.0;

#[derive(Clone, Debug)]
struct Hybla {
    params: Params,
    /// The shortest round trip; in Linux the shortest of the smoothed ones, in eighths of a microsecond.
    rtt_min: Option<Duration>,
    /// RTT / RTT0, at least 1; in Linux in whole eighths.
    rho: f64,
    /// Linux's parts of a segment that have not opened the window yet.
    parts: u64,
    open: bool,
    /// The smoothed round trip with the last acknowledgement.
    smoothed: Option<Duration>,
}

fn build(args: &Args) -> Box<dyn CongestionControl> {
    Box::new(Classic::new(Hybla {
        params: args.typed(),
        rtt_min: None,
        rho: 1.0,
        parts: 0,
        open: true,
        smoothed: None,
    }))
}

/// [CF04] equation 4: `rho = RTT / RTT0`, at least 1.
fn rho(params: &Params, rtt: Duration) -> f64 {
    if params.arithmetic == Arithmetic::Real {
        return (rtt.as_secs_f64() / params.rtt_0.as_secs_f64()).max(1.0);
    }
    let micros = params.rtt_0.as_nanos() / 1000;
    ((EIGHTHS * rtt.as_nanos() / 1000) / micros).max(EIGHTHS) as f64 / EIGHTHS as f64
}

/// [CF04] equation 6, slow start: `2^rho - 1` segments for each one acknowledged.
fn in_slow_start(rho: f64) -> f64 {
    libm::exp2(rho.min(RHO_MAX)) - 1.0
}

/// [CF04] equation 6, congestion avoidance: `rho^2 / W` segments.
fn in_avoidance(rho: f64, window: f64) -> f64 {
    rho * rho / window
}

/// The first in Linux's parts: the whole part of rho by a shift, its eighths by a power, rounded down.
fn in_slow_start_in_parts(rho: f64) -> u64 {
    let whole = libm::floor(rho);
    let fraction = libm::floor(PARTS as f64 * libm::exp2(rho - whole)) as u64;
    (fraction << whole.min(RHO_MAX) as u32) - PARTS
}

/// The second in Linux's parts.
fn in_avoidance_in_parts(rho: f64, window: f64) -> u64 {
    let eighths = (rho * EIGHTHS as f64) as u64;
    2 * eighths * eighths / window as u64
}

fn draw_law(args: &Args) -> Graph {
    let params: Params = args.typed();
    let reference = params.rtt_0.as_secs_f64();
    let grown = |rtts: f64| {
        let rho = rho(&params, Duration::from_secs_f64(rtts * reference));
        rho * rho / rtts
    };
    Graph::new(
        Axis::new("round trip, in those of reference", ""),
        Axis::new("segments in a round trip of reference", ""),
    )
    .about("Drawn for congestion avoidance. Reno's window grows by one over the round trip.")
    .curve("TCP Hybla", (0.2, 20.0), &[1.0], grown)
    .curve("Reno", (0.2, 20.0), &[], |rtts| 1.0 / rtts)
}

impl Hybla {
    fn is_kernel(&self) -> bool {
        self.params.arithmetic == Arithmetic::Kernel
    }

    fn measure(&mut self, rtt: Duration) {
        if self.rtt_min.is_none_or(|least| rtt < least) {
            self.rtt_min = Some(rtt);
            self.rho = rho(&self.params, rtt);
        }
    }

    /// Linux `hybla_cong_avoid`.
    fn open_by_parts(&mut self, window: &mut Window) {
        let slow = window.in_slow_start();
        let increase =
            if slow { in_slow_start_in_parts(self.rho) } else { in_avoidance_in_parts(self.rho, window.cwnd) };
        if !slow && increase < PARTS {
            window.tally += 1.0;
        }
        self.parts += increase % PARTS;
        let mut opened = increase / PARTS;
        if self.parts >= PARTS {
            opened += self.parts / PARTS;
            self.parts %= PARTS;
            window.tally = 0.0;
        }
        if increase == 0 && f64::from(window.tally) >= window.cwnd {
            opened += 1;
            window.tally = 0.0;
        }
        window.cwnd += opened as f64;
        if slow {
            window.limit(window.ssthresh);
        }
    }
}

impl Law for Hybla {
    const FOLLOWS: bool = true;

    fn needed(&mut self, window: &Window, _acked: &Acked) -> Needed {
        Needed::for_segments(1.0, in_avoidance(self.rho, window.cwnd))
    }

    fn kept(&mut self, _window: &Window, event: &Congestion) -> f64 {
        event.used / 2.0
    }

    fn on_arrival(&mut self, _window: &mut Window, arrival: &Arrival) {
        if self.is_kernel() {
            self.smoothed = arrival.smoothed.or(arrival.rtt);
        } else if let Some(rtt) =
            arrival.rtt.filter(|_| matches!(arrival.phase, Phase::Open | Phase::Disorder | Phase::Loss))
        {
            self.measure(rtt);
        }
    }

    fn on_phase(&mut self, phase: Phase) {
        self.open = phase == Phase::Open;
    }

    fn reset(&mut self, _setup: &Setup) {
        (self.rtt_min, self.rho, self.parts, self.open) = (None, 1.0, 0, true);
    }

    fn is_whole(&self) -> bool {
        self.is_kernel()
    }

    /// Slow start is the law's own, too.
    fn open(&mut self, window: &mut Window, _acked: &Acked, counted: f64) -> bool {
        // Linux looks at the smoothed one when the window may open.
        if let Some(rtt) = self.smoothed.take() {
            self.measure(rtt);
        }
        if counted <= 0.0 {
            return true;
        }
        if window.whole {
            if self.open {
                self.open_by_parts(window);
            } else {
                window.grow(counted, |window| Needed::for_one(window.cwnd));
            }
            window.limit(MOST);
            return true;
        }
        let slow = window.in_slow_start();
        if slow {
            window.open_in_slow_start(counted * in_slow_start(self.rho));
        }
        slow
    }

    fn on_milestone(&mut self, window: &mut Window, milestone: Milestone<'_>) {
        let Milestone::Opened { smoothed, .. } = milestone else { return };
        if let Some(rtt) = smoothed {
            self.measure(rtt);
        }
        if self.is_kernel() {
            window.cwnd = libm::floor(self.rho);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Adjustment;
    use super::*;
    use crate::transport::congestion::testing::{Controlled, acked, attends, connected, connected_linux, near, used};
    use crate::units::Instant;

    fn params(preset: Option<&str>) -> Params {
        ENTRY.args(preset).expect("a preset").typed()
    }

    fn millis(ms: f64) -> Duration {
        Duration::from_secs_f64(ms * 1e-3)
    }

    #[test]
    fn rho_is_the_round_trip_in_those_of_reference_and_one_at_least() {
        let (real, linux) = (params(None), params(Some("linux")));
        assert!(near(rho(&real, millis(100.0)), 4.0) && near(rho(&real, millis(10.0)), 1.0));
        // 8 * 41 / 25 = 13.1 eighths.
        assert!((rho(&real, millis(41.0)) - 1.64).abs() < 1e-9 && near(rho(&linux, millis(41.0)), 13.0 / 8.0));
    }

    #[test]
    fn the_window_grows_in_time_as_with_the_round_trip_of_reference() {
        // [CF04]: rho = 4: 2^4 - 1 = 15 for each segment in slow start; 16 in a round trip in congestion avoidance.
        let with_rtt = |control: &mut Controlled| {
            control.on_ack(&Acked { rtt: Some(millis(100.0)), ..acked(1.0) });
        };
        let mut slow = connected(&ENTRY, None, &[], 10.0, 1000.0);
        with_rtt(&mut slow);
        assert!(near(slow.window(), 25.0));
        let mut avoids = connected(&ENTRY, None, &[], 100.0, 2.0);
        with_rtt(&mut avoids);
        assert!((avoids.window() - 100.16).abs() < 1e-9);
        avoids.on_congestion_event(&used(100.0));
        assert!(near(avoids.window(), 50.0));
    }

    #[test]
    fn slow_start_is_bounded() {
        assert!(near(in_slow_start(40.0), 65_535.0) && near(in_slow_start(1.0), 1.0));
    }

    #[test]
    fn linux_counts_in_parts_of_128() {
        // 13/8: 2^1 * floor(128 * 2^(5/8)) - 128 = 2 * 197 - 128 = 266; 2 * 13^2 = 338 over the window.
        assert_eq!(in_slow_start_in_parts(13.0 / 8.0), 266);
        assert_eq!(in_avoidance_in_parts(13.0 / 8.0, 100.0), 3);
        // 3 parts of each acknowledgement, whatever it acknowledges: 43 make one segment.
        let mut control = connected_linux(&ENTRY, Some("linux"), 100.0, 2.0);
        control.on_milestone(Milestone::Opened { now: Instant::ZERO, smoothed: Some(millis(41.0)) });
        assert!(near(control.window(), 1.0), "rho");
        control.adjust(Adjustment::Raise(100.0));
        for _ in 0..42 {
            control.on_ack(&acked(2.0));
        }
        assert!(near(control.window(), 100.0));
        control.on_ack(&acked(2.0));
        assert!(near(control.window(), 101.0));
    }

    #[test]
    fn in_linux_it_is_reno_while_something_is_amiss() {
        let mut control = connected_linux(&ENTRY, Some("linux"), 10.0, 2.0);
        attends(&mut control).on_phase(Phase::Disorder);
        (0..9).for_each(|_| control.on_ack(&acked(1.0)));
        assert!(near(control.window(), 10.0));
        control.on_ack(&acked(1.0));
        assert!(near(control.window(), 11.0));
    }

    #[test]
    fn linux_slow_start_ends_on_the_threshold() {
        let mut control = connected_linux(&ENTRY, Some("linux"), 10.0, 12.0);
        control.on_milestone(Milestone::Opened { now: Instant::ZERO, smoothed: Some(millis(200.0)) });
        assert!(near(control.window(), 8.0));
        control.on_ack(&acked(1.0));
        assert!(near(control.window(), 12.0));
    }
}
