//! Prague as in the L4S team's library udp_prague, in its whole numbers: bytes and millionths of them, microseconds, and parts of 2^20.
//! Compared with: `prague_cc.cpp` of February 2026, step by step.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | A packet has its largest size, also below 0.9 Mbit/s | segments have one size | `the_library_is_followed_step_by_step` has both |
//! | The half of the round trip in which the rate is higher is that of the last acknowledgement | the pacer asks at acknowledgements | - |
//! | A timeout sets back what the library sets back when its program asks for that | the library has no timer | - |

use crate::transport::congestion::{
    Acked, Adjustment, Congestion, CongestionControl, Milestone, Needs, Paced, Sample, Sampled, Setup, Told,
};
use crate::units::{Instant, Rate};

/// Packets that may always be in flight, and the smallest packet of the library in bytes.
const LEAST_WINDOW: u64 = 2;
#[cfg(test)]
const LEAST_PACKET: u64 = 150;
/// The round trip below which flows share by rate, in microseconds.
const REFERENCE: u64 = 25_000;
/// The round trip, in microseconds, up to which the rate is the state.
const SHORT: u64 = 2_000;
/// Round trips without marks before a faster growth: this number, and one for each of these steps in bytes per second.
const WAIT: u64 = 7;
const RATE_STEP: u64 = 1_920_000;
/// The time that the queue grows in a round trip of faster growth, in microseconds.
const GROWTH: u64 = 1_000;
/// Bits of the estimate, and its weight.
const BITS: u32 = 20;
const WEIGHT: i64 = 16;
/// The share in % by which the rate swings.
const SWING: u64 = 3;
/// Millionths.
const MICRO: u64 = 1_000_000;
/// The largest rate in bytes per second, 100 Gbit/s.
const RATE_MAX: u64 = 12_500_000_000;

/// A state that limits the cuts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Init,
    Avoidance,
    InLoss,
    InReduction,
}

/// The time and the number of sent packets from which a round trip counts.
#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    at: u64,
    sent: u64,
}

/// The counters of an acknowledgement, and its time in microseconds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Report {
    pub now: u64,
    pub received: u64,
    pub marked: u64,
    pub lost: u64,
    pub sent: u64,
}

/// The law.
#[derive(Clone, Debug)]
pub(super) struct Prague {
    least_rate: u64,
    burst: u64,
    largest: u64,
    smallest: u64,
    state: State,
    by_rate: bool,
    srtt: u64,
    vrtt: u64,
    /// Parts of 2^20.
    alpha: i64,
    /// Bytes per second, and millionths of bytes.
    rate: u64,
    window: u64,
    packet: u64,
    first_window: f64,
    wait: u64,
    last: Report,
    /// The beginnings of the present estimate, of the last answer to loss and to marks.
    estimated: Mark,
    estimated_from: Report,
    loss: Mark,
    reduction: Mark,
    /// The last answer to loss, while it may be taken back: window or rate, waiting time, and the loss before.
    lost_window: u64,
    lost_rate: u64,
    lost_wait: i64,
    lost_before: u64,
    lost_by_rate: bool,
    started: Instant,
    all_marked: f64,
    given_back: u64,
}

/// `a / b`, rounded to the nearest.
fn nearest(a: u128, b: u128) -> u64 {
    (a + b / 2).checked_div(b).and_then(|found| u64::try_from(found).ok()).unwrap_or(u64::MAX)
}

impl Prague {
    /// The law with this first and least rate, in bytes per second, and bursts of at most `burst` microseconds.
    pub fn new(rate: u64, burst: u64) -> Self {
        let mut law = Prague {
            least_rate: rate,
            burst,
            largest: 1400,
            smallest: 1400,
            state: State::Init,
            by_rate: false,
            srtt: 0,
            vrtt: 0,
            alpha: 0,
            rate,
            window: 0,
            packet: 1400,
            first_window: LEAST_WINDOW as f64,
            wait: rate / RATE_STEP + WAIT,
            last: Report::default(),
            estimated: Mark::default(),
            estimated_from: Report::default(),
            loss: Mark::default(),
            reduction: Mark::default(),
            lost_window: 0,
            lost_rate: 0,
            lost_wait: 0,
            lost_before: 0,
            lost_by_rate: false,
            started: Instant::ZERO,
            all_marked: 0.0,
            given_back: 0,
        };
        law.resize(REFERENCE);
        law
    }

    /// The largest and the smallest packet, in bytes.
    fn sized(&mut self, largest: u64, smallest: u64) {
        (self.largest, self.smallest) = (largest, smallest);
        self.resize(REFERENCE);
    }

    /// The packet of which two leave in a round trip of `vrtt`.
    fn resize(&mut self, vrtt: u64) {
        self.packet = (self.rate * vrtt / MICRO / LEAST_WINDOW).max(self.smallest).min(self.largest);
    }

    /// A round trip has been measured, in microseconds.
    fn on_round_trip(&mut self, rtt: u64) {
        let error = rtt as i64 - self.srtt as i64;
        self.srtt = if self.state == State::Init { rtt } else { (self.srtt as i64 + (error >> 3)) as u64 };
        self.vrtt = self.srtt.max(REFERENCE);
    }

    /// Whether a round trip, the real and the virtual one, has passed since `mark`.
    fn has_passed(&self, report: &Report, mark: Mark) -> bool {
        report.received + report.lost > mark.sent && report.now >= mark.at + self.vrtt
    }

    fn on_report(&mut self, report: &Report) {
        if self.state == State::Init {
            self.window = self.srtt * self.rate;
            self.state = State::Avoidance;
        }
        let by_rate = self.srtt <= SHORT || self.srtt <= self.packet * MICRO / self.rate;
        if self.by_rate && !by_rate {
            self.window = self.srtt * self.rate;
        }
        self.by_rate = by_rate;
        self.estimate(report);
        if (self.lost_window > 0 || self.lost_rate > 0) && self.lost_before >= report.lost {
            self.take_back();
        }
        if self.state == State::InLoss && self.has_passed(report, self.loss) {
            self.state = State::Avoidance;
        }
        if self.state != State::InLoss && report.lost > self.last.lost {
            self.answer_loss(report);
        }
        let acked = (report.received - self.last.received) as i64 - (report.marked - self.last.marked) as i64;
        if self.state != State::InLoss && acked > 0 {
            self.open(acked.unsigned_abs());
        }
        if self.state == State::InReduction && self.has_passed(report, self.reduction) {
            self.state = State::Avoidance;
        }
        if self.state == State::Avoidance && report.marked > self.last.marked {
            self.answer_marks(report);
        }
        if !self.by_rate {
            self.rate = self.window / self.srtt.max(1);
        }
        self.rate = self.rate.clamp(self.least_rate, RATE_MAX);
        self.window = (self.rate * self.srtt).max(1);
        self.resize(self.vrtt);
        self.last = *report;
    }

    fn estimate(&mut self, report: &Report) {
        let received = report.received.saturating_sub(self.estimated_from.received);
        if !self.has_passed(report, self.estimated) || received == 0 {
            return;
        }
        let share = ((report.marked - self.estimated_from.marked) << BITS) / received;
        self.alpha = (self.alpha + (share as i64 - self.alpha) / WEIGHT).min(1 << BITS);
        self.estimated = Mark { at: report.now, sent: report.sent };
        self.estimated_from = *report;
        self.wait = self.wait.saturating_sub(1);
    }

    /// The loss was none: packets were late.
    fn take_back(&mut self) {
        self.by_rate = self.lost_by_rate;
        if self.by_rate {
            self.rate += std::mem::take(&mut self.lost_rate);
        } else {
            self.window += std::mem::take(&mut self.lost_window);
        }
        self.wait = (self.wait as i64 - std::mem::take(&mut self.lost_wait)).max(0).unsigned_abs();
        self.state = State::Avoidance;
    }

    fn answer_loss(&mut self, report: &Report) {
        let wait = self.rate / 2 / self.largest * REFERENCE / self.vrtt * REFERENCE / MICRO;
        self.lost_wait = (self.lost_wait + wait as i64 - self.wait as i64).min(wait as i64);
        self.wait = wait;
        if self.by_rate {
            self.lost_rate = self.rate / 2;
            self.rate -= self.lost_rate;
        } else {
            self.lost_window = self.window / 2;
            self.window -= self.lost_window;
        }
        self.state = State::InLoss;
        self.lost_by_rate = self.by_rate;
        self.loss = Mark { at: report.now, sent: report.sent };
        self.lost_before = self.last.lost;
    }

    /// `acked` packets without marks have arrived.
    fn open(&mut self, acked: u64) {
        let mut step = self.rate * GROWTH / MICRO;
        if step < self.largest || self.wait > 0 {
            step = self.largest;
        }
        let (acked, step, packet) = (u128::from(acked), u128::from(step), u128::from(self.packet));
        let (srtt, vrtt, micro) = (u128::from(self.srtt), u128::from(self.vrtt), u128::from(MICRO));
        if self.by_rate {
            // At least two of the library's small packets.
            let packets = nearest(u128::from(self.rate) * vrtt, packet * micro).max(1);
            let added = nearest(acked * step * micro, vrtt);
            self.rate += nearest(added.into(), packets.into());
        } else {
            let scale = u128::from(nearest(srtt * micro * srtt, vrtt * vrtt));
            let added = nearest(acked * packet * scale * micro, self.window.into());
            self.window = self.window.saturating_add(added.saturating_mul(step as u64));
        }
    }

    fn answer_marks(&mut self, report: &Report) {
        self.wait = self.rate / RATE_STEP + WAIT;
        let part = |whole: u64| ((u128::from(whole) * u128::from(self.alpha.unsigned_abs())) >> (BITS + 1)) as u64;
        if self.by_rate {
            self.rate -= part(self.rate);
        } else {
            self.window -= part(self.window);
        }
        self.state = State::InReduction;
        self.reduction = Mark { at: report.now, sent: report.sent };
    }

    /// The window in packets: 3 % more than it is, so that it does not bound the pacer.
    fn packets(&self) -> u64 {
        (self.window * (100 + SWING) / (100 * MICRO) / self.packet + 1).max(LEAST_WINDOW)
    }

    /// The packets that leave at once.
    fn at_once(&self) -> u64 {
        (self.rate * self.burst / MICRO / self.packet).max(1)
    }

    /// The rate at this time, in bytes per second.
    fn swung(&self, now: u64) -> u64 {
        if now >= self.estimated.at + self.vrtt / 2 {
            self.rate * 100 / (100 + SWING)
        } else {
            self.rate * (100 + SWING) / 100
        }
    }

    fn micros(&self, now: Instant) -> u64 {
        now.since(self.started).as_nanos() / 1000
    }
}

impl CongestionControl for Prague {
    fn on_connect(&mut self, setup: &Setup) {
        *self = Prague::new(self.least_rate, self.burst);
        let packet = u64::from(setup.packet);
        self.sized(packet, packet);
        self.first_window = setup.window;
    }

    fn on_milestone(&mut self, milestone: Milestone<'_>) {
        if let Milestone::Opened { now, smoothed } = milestone {
            self.started = now;
            if let Some(rtt) = smoothed {
                self.on_round_trip(rtt.as_nanos() / 1000);
            }
        }
    }

    fn on_ack(&mut self, _acked: &Acked) {}

    /// Losses and marks are answered when the counters tell them.
    fn on_congestion_event(&mut self, _event: &Congestion) {}

    fn on_timeout(&mut self, _event: Option<&Congestion>) {
        (self.state, self.by_rate, self.alpha) = (State::Init, false, 0);
        self.rate = self.least_rate;
        self.first_window = LEAST_WINDOW as f64;
        self.packet = self.largest;
        self.wait = self.rate / RATE_STEP + WAIT;
        self.lost_wait = 0;
        (self.lost_window, self.lost_rate) = (0, 0);
    }

    fn adjust(&mut self, change: Adjustment) {
        if matches!(change, Adjustment::Restore { .. }) {
            self.given_back += self.last.lost.saturating_sub(self.lost_before);
        }
    }

    fn window(&self) -> f64 {
        if self.state == State::Init { self.first_window } else { self.packets() as f64 }
    }

    fn ssthresh(&self) -> f64 {
        f64::INFINITY
    }

    fn needs(&self) -> Needs {
        Needs { marks: Told::Counted, ..Needs::default() }
    }

    fn sampled(&mut self) -> Option<&mut dyn Sampled> {
        Some(self)
    }

    fn paced(&self) -> Option<&dyn Paced> {
        Some(self)
    }
}

impl Sampled for Prague {
    fn on_sample(&mut self, sample: &Sample) {
        if let Some(rtt) = sample.rtt.or(sample.trip) {
            self.on_round_trip((rtt.as_nanos() / 1000).max(1));
        }
        if self.srtt == 0 {
            return;
        }
        self.all_marked += sample.marked;
        let received = sample.total;
        // Marks of packets that were received twice are no more than the packets.
        let marked = (self.all_marked as u64).clamp(self.last.marked, received.max(self.last.marked));
        let lost = sample.all_lost.saturating_sub(self.given_back);
        let sent = received + lost + sample.inflight as u64;
        // An application with less to send than the window allows does not open it.
        let wait = self.wait;
        let before = (self.window, self.rate);
        self.on_report(&Report { now: self.micros(sample.now), received, marked, lost, sent });
        if sample.app_limited && !sample.full && (self.window, self.rate) > before {
            (self.window, self.rate) = before;
            self.wait = wait;
        }
    }
}

impl Paced for Prague {
    fn pacing_rate(&self) -> Option<Rate> {
        Some(Rate::from_bps(self.swung(self.last.now) * 8))
    }

    fn at_once(&self) -> Option<u64> {
        Some(Prague::at_once(self))
    }
}

#[cfg(test)]
mod tests;
