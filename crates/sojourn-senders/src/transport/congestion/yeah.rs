//! YeAH: it is fast while few of its segments wait, and Reno while many do. Then it also empties the queue that it has made, and yields to
//! a competitor. Specification: [BCV07] Baiocchi, Castellani and Vacirca, "YeAH-TCP: yet another highspeed TCP", PFLDnet 2007. Compared
//! with: Linux 6.12.117 `tcp_yeah.c` and `tcp_vegas.c` (behaviour).
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | A mark cuts as a loss does | [BCV07] says nothing of ECN | `a_mark_cuts_as_a_loss` |

use super::prelude::*;

pub static ENTRY: ControlEntry = ControlEntry {
    name: "yeah",
    title: "YeAH",
    doc: "A window that grows like Scalable TCP's while few of its segments wait, and like Reno's while many wait; then it also shrinks \
          by the waiting segments. A loss takes the segments that waited, an eighth at least; half if others keep the queue full.",
    reference: "Baiocchi, Castellani and Vacirca 2007",
    presets: presets! {
        // Checked on 2026-11-25: tcp_yeah.c of Linux 6.12.117.
        /// Linux 6.12 in its whole numbers: the paper's values. Under the profile `linux` its window is Linux's after each acknowledgement
        /// of the recordings (docs/linux.md).
        linux = { arithmetic = "kernel" };
    },
    law: Some(draw_law),
    ..ControlEntry::of::<Params>(&build)
};

params! {
    /// Parameters of YeAH, in the paper's names.
    pub struct Params {
        /// Segments of its own in the queue that it allows.
        q_max: f64 = "80" in [0.0, 1e6], "Baiocchi, Castellani and Vacirca 2007";
        /// Queueing delay that it allows, as a part of the shortest round trip: one over this.
        phi: f64 = "8" in [0.1, 1000.0], "Baiocchi, Castellani and Vacirca 2007";
        /// Divisor of the waiting segments that are taken away in a round trip.
        gamma: f64 = "1" in [0.1, 1000.0], "Baiocchi, Castellani and Vacirca 2007";
        /// Largest part of the window that is taken away so.
        epsilon: Fraction = "0.5" in [0.0, 1.0], "Baiocchi, Castellani and Vacirca 2007";
        /// Least part of the window that a loss takes.
        delta: Fraction = "0.125" in [0.01, 0.5], "Baiocchi, Castellani and Vacirca 2007";
        /// Round trips as Reno in a row from which on a loss takes half: others keep the queue full.
        rho: u64 = "16" in [1.0, 1e6], "Baiocchi, Castellani and Vacirca 2007";
        /// Fast round trips after which the need of others is estimated again.
        zeta: u64 = "50" in [1.0, 1e6], "Baiocchi, Castellani and Vacirca 2007";
        /// Segments added per acknowledged one in fast mode, as in Scalable TCP; more in a small window.
        increase: f64 = "0.01" in [0.0, 1.0], "Kelly 2003";
        /// The arithmetic of the window. That of the kernel has microseconds and whole segments.
        arithmetic: Arithmetic = "real", "Baiocchi, Castellani and Vacirca 2007";
    }
}

/// Least window, and least window that Reno would have, in segments.
const WINDOW_MIN: f64 = 2.0;
/// Samples of a round trip with which nothing is decided.
const FEW: u32 = 2;

#[derive(Clone, Debug)]
struct Yeah {
    params: Params,
    place: Place,
    /// The segments that had been sent when the round trip began.
    ends: f64,
    /// Round trips in microseconds (Linux) or nanoseconds: the shortest, and that of this round.
    base: Option<u64>,
    least: Option<u64>,
    samples: u32,
    /// Segments that waited.
    queue: f64,
    /// Round trips as Reno in a row, and fast ones.
    slow_rounds: u64,
    fast_rounds: u64,
    /// The window that a competitor by Reno would have.
    reno: f64,
}

fn build(args: &Args) -> Box<dyn CongestionControl> {
    Box::new(Classic::new(Yeah {
        params: args.typed(),
        place: Place::default(),
        ends: 0.0,
        base: None,
        least: None,
        samples: 0,
        queue: 0.0,
        slow_rounds: 0,
        fast_rounds: 0,
        reno: WINDOW_MIN,
    }))
}

/// [BCV07] section 3: `Q = (RTT - RTTbase) cwnd / RTT`.
fn queue(cwnd: f64, base: u64, rtt: u64) -> f64 {
    cwnd * (rtt - base) as f64 / rtt as f64
}

/// [BCV07] section 3.2: the segments that a loss takes from a window, if `queue` segments wait.
fn taken(params: &Params, cwnd: f64, queue: f64, competes: bool) -> f64 {
    let half = rounded(params, cwnd / 2.0).max(WINDOW_MIN);
    if competes { half } else { queue.min(half).max(rounded(params, params.delta.0 * cwnd)) }
}

fn rounded(params: &Params, value: f64) -> f64 {
    if params.arithmetic == Arithmetic::Kernel { libm::floor(value) } else { value }
}

fn draw_law(args: &Args) -> Graph {
    let params: Params = args.typed();
    Graph::new(Axis::new("own segments in queues", "segments"), Axis::new("part of the window that a loss takes", ""))
        .about("Drawn for a window of 200 segments.")
        .curve("alone", (0.0, 150.0), &[25.0, 100.0], |queued| taken(&params, 200.0, queued, false) / 200.0)
        .curve("beside others", (0.0, 150.0), &[], |queued| taken(&params, 200.0, queued, true) / 200.0)
}

impl Yeah {
    fn is_kernel(&self) -> bool {
        self.params.arithmetic == Arithmetic::Kernel
    }

    fn begin_round(&mut self) {
        (self.ends, self.least, self.samples) = (self.place.sent, None, 0);
    }

    /// A round trip is over, in which the shortest took `rtt`.
    fn decide(&mut self, window: &mut Window, base: u64, rtt: u64) {
        let queue = rounded(&self.params, queue(window.cwnd, base, rtt));
        let much = queue > self.params.q_max;
        let long = (rtt - base) as f64 > rounded(&self.params, base as f64 / self.params.phi);
        if much || long {
            if much && window.cwnd > self.reno {
                self.empty(window, queue);
            }
            self.reno = if self.reno <= WINDOW_MIN {
                rounded(&self.params, window.cwnd / 2.0).max(WINDOW_MIN)
            } else {
                self.reno + 1.0
            };
            self.slow_rounds += 1;
        } else {
            self.fast_rounds += 1;
            if self.fast_rounds > self.params.zeta {
                (self.reno, self.fast_rounds) = (WINDOW_MIN, 0);
            }
            self.slow_rounds = 0;
        }
        self.queue = queue;
    }

    /// [BCV07] section 3.1, precautionary decongestion: reduces the window by the waiting segments, down to the window of a competitor.
    fn empty(&self, window: &mut Window, queue: f64) {
        let most = rounded(&self.params, self.params.epsilon.0 * window.cwnd);
        let taken = rounded(&self.params, queue / self.params.gamma).min(most);
        window.cwnd = (window.cwnd - taken).max(self.reno);
        window.ssthresh = window.cwnd;
    }
}

impl Law for Yeah {
    const FOLLOWS: bool = true;
    const LISTENS: bool = true;

    fn needed(&mut self, window: &Window, _acked: &Acked) -> Needed {
        Needed::for_one(if self.slow_rounds == 0 { window.cwnd.min(1.0 / self.params.increase) } else { window.cwnd })
    }

    fn kept(&mut self, _window: &Window, event: &Congestion) -> f64 {
        let taken = taken(&self.params, event.used, self.queue, self.slow_rounds >= self.params.rho);
        self.fast_rounds = 0;
        self.reno = rounded(&self.params, self.reno / 2.0).max(WINDOW_MIN);
        (event.used - taken).max(WINDOW_MIN)
    }

    fn on_arrival(&mut self, _window: &mut Window, arrival: &Arrival) {
        let Some(rtt) = arrival.rtt else { return };
        let rtt = if self.is_kernel() { rtt.as_nanos() / 1000 + 1 } else { rtt.as_nanos().max(1) };
        self.base = Some(self.base.map_or(rtt, |base| base.min(rtt)));
        self.least = Some(self.least.map_or(rtt, |least| least.min(rtt)));
        self.samples += 1;
    }

    fn on_phase(&mut self, phase: Phase) {
        if phase == Phase::Open {
            self.begin_round();
        }
    }

    fn reset(&mut self, _setup: &Setup) {
        (self.place, self.base, self.queue) = (Place::default(), None, 0.0);
        (self.slow_rounds, self.fast_rounds, self.reno) = (0, 0, WINDOW_MIN);
        self.begin_round();
    }

    fn is_whole(&self) -> bool {
        self.is_kernel()
    }

    /// A round trip ends with an acknowledgement that opens the window, after that.
    fn open(&mut self, window: &mut Window, acked: &Acked, counted: f64) -> bool {
        if counted <= 0.0 {
            return true;
        }
        window.grow(counted, |window| self.needed(window, acked));
        if self.place.acked > self.ends {
            if let (Some(base), Some(rtt), true) = (self.base, self.least, self.samples > FEW) {
                self.decide(window, base, rtt);
            }
            self.begin_round();
        }
        true
    }

    fn on_heard(&mut self, _window: &mut Window, heard: &Heard) {
        self.place.hear(heard);
    }

    fn on_milestone(&mut self, _window: &mut Window, milestone: Milestone<'_>) {
        if let Milestone::Resumes { .. } = milestone {
            self.base = None;
            self.begin_round();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::congestion::testing::{
        Controlled, acked, connected, connected_linux, echoed, heard, hears, near, used,
    };
    use crate::units::{Duration, Instant};

    /// A round trip of `rtt_ms` milliseconds with `acks` acknowledgements, each of `segments` segments.
    fn round(control: &mut Controlled, acks: u32, segments: f64, rtt_ms: u64) {
        for _ in 0..acks {
            let inflight = f64::from(acks) * segments;
            hears(&mut *control).on_heard(&Heard { segments, inflight, ..heard(Instant::ZERO) });
            control.on_ack(&Acked { rtt: Some(Duration::from_millis(rtt_ms)), ..acked(segments) });
        }
    }

    #[test]
    fn segments_wait_in_proportion_to_the_longer_round_trip() {
        assert!(near(queue(200.0, 100, 125), 40.0));
    }

    #[test]
    fn a_loss_takes_what_waited_an_eighth_at_least_and_half_at_most() {
        let params = Params::default();
        for (queue, share) in [(0.0, 0.125), (20.0, 0.125), (50.0, 0.25), (150.0, 0.5)] {
            assert!(near(taken(&params, 200.0, queue, false), 200.0 * share), "{queue}");
            assert!(near(taken(&params, 200.0, queue, true), 100.0));
        }
        // In Linux 21 >> 3 and 21 >> 1.
        let linux: Params = ENTRY.args(Some("linux")).expect("a preset").typed();
        assert!(near(taken(&linux, 21.0, 0.0, false), 2.0) && near(taken(&linux, 21.0, 99.0, false), 10.0));
    }

    #[test]
    fn a_loss_leaves_two_segments() {
        let mut control = connected(&ENTRY, None, &[], 2.0, 2.0);
        control.on_congestion_event(&used(2.0));
        assert!(near(control.window(), 2.0), "{}", control.window());
    }

    #[test]
    fn it_is_scalable_while_few_wait_and_reno_while_many_do() {
        let grown = |rtt| {
            let mut control = connected(&ENTRY, None, &[], 1000.0, 2.0);
            round(&mut control, 8, 1.0, 100);
            round(&mut control, 8, 1.0, rtt);
            round(&mut control, 1, 1.0, rtt);
            let before = control.window();
            control.on_ack(&acked(1.0));
            control.window() - before
        };
        assert!((grown(101) - 0.01).abs() < 1e-9);
        // More than an eighth of the shortest; fewer packets wait than it allows.
        assert!((grown(108) - 0.01).abs() < 1e-9, "{}", grown(108));
        assert!((grown(120) - 1.0 / 834.0).abs() < 1e-5, "{}", grown(120));
    }

    #[test]
    fn what_waits_is_taken_away_down_to_a_competitors_window() {
        // 1000 segments, 100 and 120 ms: 1000 * 20 / 120 = 166.7 wait, more than 80. In Linux: 166 of 1000.
        let mut control = connected_linux(&ENTRY, Some("linux"), 1000.0, 2.0);
        round(&mut control, 8, 0.0, 100);
        hears(&mut control).on_heard(&Heard { inflight: 8.0, ..heard(Instant::ZERO) });
        control.on_ack(&Acked { rtt: Some(Duration::from_millis(100)), ..acked(0.5) });
        for _ in 0..9 {
            hears(&mut control).on_heard(&Heard { inflight: 8.0, ..heard(Instant::ZERO) });
            control.on_ack(&Acked { rtt: Some(Duration::from_millis(120)), ..acked(0.5) });
        }
        let taken = libm::floor(1000.0 * 20_000.0 / 120_001.0);
        assert!(
            near(control.window(), 1000.0 - taken) && near(control.ssthresh(), 1000.0 - taken),
            "{}",
            control.window()
        );
    }

    #[test]
    fn beside_others_a_loss_takes_half() {
        let mut control = connected(&ENTRY, None, &[], 100.0, 2.0);
        round(&mut control, 8, 1.0, 100);
        for _ in 0..18 {
            round(&mut control, 8, 1.0, 150);
        }
        let before = control.window();
        control.on_congestion_event(&used(before));
        assert!((control.window() - before / 2.0).abs() < 1e-9);
    }

    #[test]
    fn a_mark_cuts_as_a_loss() {
        let mut control = connected(&ENTRY, None, &[], 80.0, 2.0);
        control.on_congestion_event(&echoed(80.0));
        assert!(near(control.window(), 70.0));
    }

    #[test]
    fn a_timeout_leaves_a_threshold_as_a_loss_does() {
        let mut control = connected(&ENTRY, None, &[], 80.0, 2.0);
        control.on_timeout(Some(&used(80.0)));
        assert!(near(control.window(), 1.0) && near(control.ssthresh(), 70.0));
    }
}
