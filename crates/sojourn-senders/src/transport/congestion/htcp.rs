//! H-TCP: the increase grows with the time since the last loss, and a loss leaves the part of the window that keeps the link busy. So
//! flows compete as with Reno in short epochs, and a large window is back soon. Specification: [LS04] Leith and Shorten, "H-TCP: TCP for
//! high-speed and long-distance networks", PFLDnet 2004; draft-leith-tcp-htcp-06. Compared with: Linux 6.12.117 `tcp_htcp.c` (behaviour).
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | The increase is 2 (1 - beta) segments at least, whatever the round trip | scaled by it, short ones would have almost none; Linux has the same bound | `a_short_round_trip_does_not_stop_the_increase` |
//! | Time in which nothing is sent does not count, in real numbers | an epoch of losses is one of sending; Linux counts it | `a_silence_is_no_epoch` |
//! | A mark cuts as a loss does | [LS04] says nothing of ECN | `a_mark_cuts_as_a_loss` |

use super::prelude::*;

pub static ENTRY: ControlEntry = ControlEntry {
    name: "htcp",
    title: "H-TCP",
    doc: "A window that grows faster the longer ago the last loss is, as Reno's in the first second. A loss leaves the part of it that the \
          shortest round trip is of the longest.",
    reference: "Leith and Shorten 2004",
    presets: presets! {
        // Checked on 2026-11-25: tcp_htcp.c of Linux 6.12.117.
        /// Linux 6.12 with its integers: the increase is scaled by the round trip, and half is lost if the shortest round trip is 10 ms or
        /// less. Under the profile `linux` its window is Linux's after each acknowledgement of the recordings (docs/linux.md).
        linux = { rtt_scaling = "true", arithmetic = "kernel" };
    },
    law: Some(|args| drawn::after_a_loss(&|| build(args))),
    ..ControlEntry::of::<Params>(&build)
};

params! {
    /// Parameters of H-TCP, in the paper's names.
    pub struct Params {
        /// Time since the last loss up to which the increase is Reno's.
        delta_l: Duration = "1s" in [0.0, 100.0], "Leith and Shorten 2004";
        /// Least part of the window that remains after a loss; also the part that remains when the throughput has changed.
        beta_min: Fraction = "0.5" in [0.1, 0.9], "Leith and Shorten 2004";
        /// Largest part of the window that a loss leaves.
        beta_max: Fraction = "0.8" in [0.1, 0.99], "Leith and Shorten 2004";
        /// Change of the throughput from one loss to the next, as a part of it, above which a loss leaves `beta_min`.
        delta_b: Fraction = "0.2" in [0.0, 1.0], "Leith and Shorten 2004", when bandwidth_switch in ["true"];
        /// Whether the throughput is measured, so that a loss leaves `beta_min` if it has changed by more than `delta_b`.
        bandwidth_switch: bool = "true", "Leith and Shorten 2004";
        /// Whether the increase is multiplied by the shortest round trip over 100 ms, within 0.1 and 2, so that flows with long round
        /// trips are as fast as others.
        rtt_scaling: bool = "false", "draft-leith-tcp-htcp-06";
        /// The arithmetic of the window. That of the kernel has milliseconds, whole segments and parts of 128.
        arithmetic: Arithmetic = "real", "Leith and Shorten 2004";
    }
}

/// The round trip for which the scaled increase is the unscaled one.
const RTT_REFERENCE: Duration = Duration::from_millis(100);
/// Linux: a sample that exceeds the longest one by more is ignored, and below this shortest one the ratio is not trusted.
const RTT_STEP: Duration = Duration::from_millis(20);
const RTT_TRUSTED: Duration = Duration::from_millis(10);
/// Round trips after a cut in which the throughput is measured anew.
const ROUNDS_AFTER_CUT: f64 = 3.0;
const MILLI: Duration = Duration::from_millis(1);
/// Linux counts increase and part kept in parts of this.
const PARTS: f64 = 128.0;

/// The measurements of a connection.
#[derive(Clone, Copy, Debug)]
struct Path {
    rtt_min: Option<Duration>,
    rtt_max: Duration,
    /// Segments acknowledged since `counted_since`.
    packets: f64,
    counted_since: Instant,
    /// Throughput in segments per second: smoothed, the largest since the last cut, and that of the cut before.
    rate: f64,
    rate_max: f64,
    rate_before: f64,
}

#[derive(Clone, Debug)]
struct HTcp {
    params: Params,
    path: Path,
    alpha: f64,
    beta: f64,
    /// The last cut found the throughput as at the one before: the next part kept follows from the round trips.
    steady: bool,
    /// The end of the last loss.
    since: Instant,
    /// The values of `since`, the longest round trip and the throughput before the loss, until the loss is repaired.
    before: Option<(Instant, Duration, f64)>,
    /// Segments of the last acknowledgement.
    acked: f64,
    /// True if the sender tells its phases.
    phases: bool,
    /// The first epoch has begun, with the first acknowledgement.
    begun: bool,
    now: Instant,
}

const NOTHING_MEASURED: Path = Path {
    rtt_min: None,
    rtt_max: Duration::ZERO,
    packets: 0.0,
    counted_since: Instant::ZERO,
    rate: 0.0,
    rate_max: 0.0,
    rate_before: 0.0,
};

fn build(args: &Args) -> Box<dyn CongestionControl> {
    Box::new(Classic::new(unmeasured(args.typed())))
}

fn unmeasured(params: Params) -> HTcp {
    let beta = params.beta_min.0;
    HTcp {
        params,
        path: NOTHING_MEASURED,
        alpha: 1.0,
        beta,
        steady: false,
        since: Instant::ZERO,
        before: None,
        acked: 1.0,
        phases: false,
        begun: false,
        now: Instant::ZERO,
    }
}

/// [LS04] section 3: `alpha(delta) = 1 + 10 (delta - delta_l) + ((delta - delta_l) / 2)^2` above `delta_l`, times the scale of the round
/// trip, times `2 (1 - beta)`.
fn increase(params: &Params, since: Duration, rtt_min: Option<Duration>, beta: f64) -> f64 {
    let late = since.saturating_sub(params.delta_l).as_secs_f64();
    let mut factor = 1.0 + 10.0 * late + (late / 2.0) * (late / 2.0);
    if let Some(rtt) = rtt_min.filter(|rtt| params.rtt_scaling && *rtt > Duration::ZERO) {
        let scale = (RTT_REFERENCE.as_secs_f64() / rtt.as_secs_f64()).clamp(0.5, 10.0);
        factor = (factor / scale).max(1.0);
    }
    2.0 * factor * (1.0 - beta)
}

/// The same in Linux's numbers (`htcp_alpha_update`): milliseconds, whole factors, eighths for the scale.
fn increase_in_parts(params: &Params, since: Duration, rtt_min: Option<Duration>, beta: f64) -> f64 {
    let late = since.saturating_sub(params.delta_l).as_nanos() / MILLI.as_nanos();
    let mut factor = 1 + (10 * late + (late / 2) * (late / 2) / 1000) / 1000;
    if let Some(rtt) = rtt_min.filter(|rtt| params.rtt_scaling && *rtt >= MILLI) {
        let scale = (8000 / (10 * (rtt.as_nanos() / MILLI.as_nanos()))).clamp(4, 80);
        factor = (8 * factor / scale).max(1);
    }
    let parts = 2.0 * factor as f64 * (PARTS - beta * PARTS);
    (if parts > 0.0 { parts } else { PARTS }) / PARTS
}

/// [LS04] section 4: `beta = rtt_min / rtt_max` within its bounds.
fn part_kept(params: &Params, rtt_min: Duration, rtt_max: Duration) -> f64 {
    let (low, high) = (params.beta_min.0, params.beta_max.0.max(params.beta_min.0));
    if params.arithmetic == Arithmetic::Real {
        return (rtt_min.as_secs_f64() / rtt_max.as_secs_f64()).clamp(low, high);
    }
    let parts = (PARTS as u64 * rtt_min.as_nanos() / rtt_max.as_nanos()) as f64;
    parts.clamp(libm::floor(low * PARTS), libm::floor(high * PARTS)) / PARTS
}

impl HTcp {
    fn is_kernel(&self) -> bool {
        self.params.arithmetic == Arithmetic::Kernel
    }

    /// A whole number, in Linux.
    fn rounded(&self, value: f64) -> f64 {
        if self.is_kernel() { libm::floor(value) } else { value }
    }

    /// Time in whole ticks, in Linux.
    fn clock(&self, at: Instant) -> Instant {
        if self.is_kernel() { Instant::from_nanos(at.as_nanos() / MILLI.as_nanos() * MILLI.as_nanos()) } else { at }
    }

    fn update_alpha(&mut self) {
        let law = if self.is_kernel() { increase_in_parts } else { increase };
        self.alpha = law(&self.params, self.clock(self.now).since(self.since), self.path.rtt_min, self.beta);
    }

    fn measure_rtt(&mut self, sample: Duration, open: bool) {
        let whole = if self.is_kernel() { MILLI * sample.as_nanos().div_ceil(MILLI.as_nanos()) } else { sample };
        let least = self.path.rtt_min.map_or(whole, |least| least.min(whole));
        self.path.rtt_min = Some(least);
        if open {
            let longest = self.path.rtt_max.max(least);
            let believed = !self.is_kernel() || whole <= longest + RTT_STEP;
            self.path.rtt_max = if believed { longest.max(whole) } else { longest };
        }
    }

    /// The throughput of about a window.
    fn measure_rate(&mut self, cwnd: f64, arrival: &Arrival) {
        let now = self.clock(arrival.now);
        if !matches!(arrival.phase, Phase::Open | Phase::Disorder) {
            (self.path.packets, self.path.counted_since) = (0.0, now);
            return;
        }
        self.path.packets += arrival.segments;
        let Some(least) = self.path.rtt_min else { return };
        let covered = now.since(self.path.counted_since);
        let few = self.rounded(cwnd) - self.rounded(self.alpha).max(1.0);
        // Linux subtracts without a sign: after a cut an increase that is still above the window makes the bound endless.
        let is_endless = self.is_kernel() && few < 0.0;
        if is_endless || self.path.packets < few || covered < least || covered == Duration::ZERO {
            return;
        }
        let sample = self.rounded(self.path.packets / covered.as_secs_f64());
        let rounds = self.rounded(now.since(self.since).as_secs_f64() / least.as_secs_f64());
        if rounds <= ROUNDS_AFTER_CUT {
            (self.path.rate, self.path.rate_max) = (sample, sample);
        } else {
            self.path.rate = self.rounded((3.0 * self.path.rate + sample) / 4.0);
            self.path.rate_max = self.path.rate_max.max(self.path.rate);
        }
        (self.path.packets, self.path.counted_since) = (0.0, now);
    }

    /// [LS04] section 4, the adaptive backoff: the share of the window that remains after a loss.
    fn update_beta(&mut self) {
        let before = std::mem::replace(&mut self.path.rate_before, self.path.rate_max);
        let (low, high) = ((1.0 - self.params.delta_b.0) * before, (1.0 + self.params.delta_b.0) * before);
        if self.params.bandwidth_switch && !(low..=high).contains(&self.path.rate_max) {
            (self.beta, self.steady) = (self.params.beta_min.0, false);
            return;
        }
        let trusted = |least: &Duration| !self.is_kernel() || *least > RTT_TRUSTED;
        match self.path.rtt_min.filter(trusted) {
            Some(least) if self.steady && self.path.rtt_max > Duration::ZERO => {
                self.beta = part_kept(&self.params, least, self.path.rtt_max);
            }
            _ => (self.beta, self.steady) = (self.params.beta_min.0, true),
        }
    }

    /// A loss. Returns the part of the window that remains.
    fn lose(&mut self, event: &Congestion) -> f64 {
        self.now = event.now;
        self.update_beta();
        self.update_alpha();
        let (least, longest) = (self.path.rtt_min.unwrap_or_default(), self.path.rtt_max);
        if longest > least {
            // Linux forgets a twentieth; [LS04] takes the longest of an epoch.
            let above = if self.is_kernel() {
                MILLI * ((longest.saturating_sub(least).as_nanos() / MILLI.as_nanos()) * 95 / 100)
            } else {
                Duration::ZERO
            };
            self.path.rtt_max = least + above;
        }
        event.used * self.beta
    }

    fn begin_epoch(&mut self) {
        self.begun = true;
        self.before = Some((self.since, self.path.rtt_max, self.path.rate_before));
        self.since = self.clock(self.now);
    }
}

impl Law for HTcp {
    const FOLLOWS: bool = true;
    const LISTENS: bool = true;

    fn needed(&mut self, window: &Window, _acked: &Acked) -> Needed {
        self.update_alpha();
        Needed::for_segments(window.cwnd, self.alpha)
    }

    fn kept(&mut self, _window: &Window, event: &Congestion) -> f64 {
        let kept = self.lose(event);
        if !self.phases && event.cause != Cause::Timeout {
            self.begin_epoch();
            self.before = None;
        }
        kept
    }

    fn on_arrival(&mut self, window: &mut Window, arrival: &Arrival) {
        self.now = arrival.now;
        if arrival.phase == Phase::Open {
            self.acked = arrival.segments;
        }
        if let Some(rtt) = arrival.rtt.filter(|rtt| *rtt > Duration::ZERO) {
            self.measure_rtt(rtt, arrival.phase == Phase::Open);
        }
        if self.params.bandwidth_switch {
            self.measure_rate(window.cwnd, arrival);
        }
    }

    fn on_phase(&mut self, phase: Phase) {
        match phase {
            Phase::Open if self.before.take().is_some() => self.since = self.clock(self.now),
            Phase::Reducing | Phase::Recovery => self.begin_epoch(),
            Phase::Open | Phase::Disorder | Phase::Loss => {}
        }
    }

    fn reset(&mut self, setup: &Setup) {
        self.phases = setup.phases;
        self.path = NOTHING_MEASURED;
        (self.alpha, self.beta, self.steady) = (1.0, self.params.beta_min.0, false);
        (self.before, self.acked, self.begun) = (None, 1.0, false);
    }

    fn is_whole(&self) -> bool {
        self.is_kernel()
    }

    /// Linux `htcp_cong_avoid`: the next acknowledgement sees this one's addition to the count.
    fn open(&mut self, window: &mut Window, _acked: &Acked, counted: f64) -> bool {
        if counted <= 0.0 || !window.whole {
            return false;
        }
        if window.in_slow_start() {
            window.open_in_slow_start(counted);
        } else if libm::floor(f64::from(window.tally) * self.alpha) >= window.cwnd {
            window.cwnd += 1.0;
            window.tally = 0.0;
            self.update_alpha();
        } else {
            window.tally += self.acked as f32;
        }
        self.acked = 1.0;
        true
    }

    fn on_timeout(&mut self, _window: &Window) {
        self.begin_epoch();
        if !self.phases {
            self.before = None;
        }
    }

    fn on_heard(&mut self, _window: &mut Window, heard: &Heard) {
        self.now = heard.now;
        if !std::mem::replace(&mut self.begun, true) {
            self.since = self.clock(heard.now);
            self.path.counted_since = self.since;
        }
    }

    fn on_milestone(&mut self, _window: &mut Window, milestone: Milestone<'_>) {
        match milestone {
            Milestone::Resumes { now, silent } if !self.is_kernel() => self.since = (self.since + silent).min(now),
            _ => {}
        }
    }

    fn on_adjustment(&mut self, _window: &Window, change: Adjustment) -> Option<Adjustment> {
        if let (Adjustment::Restore { .. }, Some((since, rtt_max, rate))) = (change, self.before) {
            (self.since, self.path.rtt_max, self.path.rate_before) = (since, rtt_max, rate);
            self.before = None;
        }
        Some(change)
    }
}

#[cfg(test)]
mod tests;
