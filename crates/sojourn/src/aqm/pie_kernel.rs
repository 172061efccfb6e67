//! PIE in the integers of today's Linux (`arithmetic = "kernel"`): time in units of 64 ns, probabilities in 56 bits. Compared with:
//! Linux 6.12 `sch_pie` and `sch_fq_pie`, decision by decision (`tests/peers/linux/kernel`).
//!
//! Differences of Linux from RFC 8033, besides the numbers:
//!
//! - timers go off at the end of a slot of the kernel's [wheel](crate::mechanism::wheel_slots). The first update comes 504 ms after the
//!   queue's start, and those of 15 ms are 16 ms apart, those of 64 ms 72 and those of 100 ms 104 (of a kernel that ticks 1000 times a
//!   second; with `hz` = 250 updates of 15 ms are 20 ms apart, and with 100 they are 30 ms apart);
//! - of many queues (`sch_fq_pie`) 2048 are updated in a tick, the next ones a tick later, and the period begins after the last ones;
//! - the burst allowance falls with each departure by the time since the one before it;
//! - the queuing delay is that of the last packet that left, and 0 where nothing waited behind it;
//! - the probability falls by 1/64 in an update when two delays in a row were 0;
//! - up to and with a probability of 10 % packets are marked;
//! - a mark does not begin the sum of probabilities anew where the sum has reached 8.5: once it has, each packet that understands marks
//!   is marked until one is dropped or the queue has been calm. This looks like a fault of Linux.

use crate::mechanism::wheel_slots;
use crate::queue::prelude::*;

/// Nanoseconds of a unit, as a shift (`PSCHED_SHIFT`).
const SHIFT: u32 = 6;
/// Units in a second.
const SECOND: u64 = 1_000_000_000 >> SHIFT;
/// The probability 1.
const ONE: u64 = u64::MAX >> 8;
/// Queues that are updated in a tick.
const AT_ONCE: u64 = 2048;

/// Units since the beginning.
fn units(t: Instant) -> u64 {
    t.as_nanos() >> SHIFT
}

/// PIE's parameters, as far as Linux has them.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Target of the queuing delay.
    pub target: Duration,
    /// Time between two updates.
    pub interval: Duration,
    /// Gain of the distance from the target, in Hz.
    pub alpha: f64,
    /// Gain of the change since the last update, in Hz.
    pub beta: f64,
    /// The time for which every packet of a burst passes.
    pub max_burst: Duration,
    /// Whether packets are marked.
    pub ecn: bool,
    /// The device's MTU with its header: below two of them nothing is dropped.
    pub mtu: u64,
    /// Ticks of the kernel in a second.
    pub hz: u64,
}

/// The policy, in the kernel's names.
#[derive(Clone, Debug, PartialEq)]
pub struct PieKernel {
    target: u64,
    /// The time between two ticks.
    tick: Duration,
    /// Ticks for which the timer is set.
    period: u64,
    /// Ticks after the timer's first call in which this queue is updated, and those between the first call and the last one.
    turn: (u64, u64),
    max_burst: u64,
    /// In sixteenths of a Hz.
    alpha: u64,
    beta: u64,
    ecn: bool,
    /// Bytes below which nothing is dropped.
    spared: u64,
    prob: u64,
    accu_prob: u64,
    qdelay: u64,
    qdelay_old: u64,
    burst_time: u64,
    /// When the last packet left, in units.
    left: Option<u64>,
    due: Instant,
}

impl PieKernel {
    /// With these parameters.
    pub fn new(params: &Settings) -> Self {
        let sixteenths = |gain: f64| libm::round(gain * 16.0) as u64;
        let max_burst = params.max_burst.as_nanos() >> SHIFT;
        let tick = wheel_slots::tick(params.hz);
        PieKernel {
            target: params.target.as_nanos() >> SHIFT,
            tick,
            period: params.interval.as_nanos().div_ceil(tick.as_nanos()).max(1),
            turn: (0, 0),
            max_burst,
            alpha: sixteenths(params.alpha),
            beta: sixteenths(params.beta),
            ecn: params.ecn,
            spared: 2 * params.mtu.min(1 << 20),
            prob: 0,
            accu_prob: 0,
            qdelay: 0,
            qdelay_old: 0,
            burst_time: max_burst,
            left: None,
            // The timer is first set to half a second.
            due: Instant::ZERO + tick * wheel_slots::slot(0, params.hz / 2, false).1,
        }
    }

    /// Makes it queue `number` of `count` that one timer updates.
    #[must_use]
    pub fn among(mut self, number: u64, count: u64) -> Self {
        self.turn = (number / AT_ONCE, (count - 1) / AT_ONCE);
        self.due += self.tick * self.turn.0;
        self
    }

    /// The next update after that of the tick `now`.
    fn next_update(&self, now: u64) -> u64 {
        let (before, last) = self.turn;
        wheel_slots::slot(now - before + last, self.period, true).1 + before
    }

    /// Gains by the unit of time, smaller at small probabilities (RFC 8033 section 4.2).
    fn gains(&self) -> (u64, u64) {
        let by_unit = |gain: u64| gain.wrapping_mul(ONE / SECOND) >> 4;
        let (mut alpha, mut beta) = (by_unit(self.alpha), by_unit(self.beta));
        if self.prob < ONE / 10 {
            (alpha, beta) = (alpha >> 1, beta >> 1);
            let mut power = 100;
            while power <= 1_000_000 && self.prob < ONE / power {
                (alpha, beta) = (alpha >> 2, beta >> 2);
                power *= 10;
            }
        }
        (alpha, beta)
    }

    /// An update while `waiting` bytes wait.
    fn update(&mut self, waiting: u64) {
        let (qdelay, qdelay_old) = (self.qdelay, self.qdelay_old);
        // The delay is 0 although packets wait: the backlog is too small.
        let mut may_decay = qdelay > 0 || waiting == 0;
        let (alpha, beta) = self.gains();
        let proportional = alpha.wrapping_mul(qdelay.wrapping_sub(self.target));
        let mut delta = proportional.wrapping_add(beta.wrapping_mul(qdelay.wrapping_sub(qdelay_old))) as i64;
        let two_percent = (ONE / 50) as i64;
        if delta > two_percent && self.prob >= ONE / 10 {
            delta = (ONE / 100 * 2) as i64;
        }
        if qdelay > SECOND / 4 {
            delta = delta.wrapping_add(two_percent);
        }
        let old = self.prob;
        self.prob = old.wrapping_add(delta as u64);
        if delta > 0 {
            if self.prob < old {
                (self.prob, may_decay) = (ONE, false);
            }
        } else if self.prob > old {
            self.prob = 0;
        }
        if qdelay == 0 && qdelay_old == 0 && may_decay {
            self.prob -= self.prob / 64;
        }
        let half = self.target / 2;
        if qdelay < half && qdelay_old < half && self.prob == 0 {
            (self.burst_time, self.left, self.accu_prob) = (self.max_burst, None, 0);
        }
        self.qdelay_old = qdelay;
    }

    /// True if a packet is chosen while `waiting` bytes wait.
    fn is_chosen(&mut self, waiting: u64, rng: &mut Rng) -> bool {
        if self.burst_time > 0 || (self.qdelay < self.target / 2 && self.prob < ONE / 5) || waiting < self.spared {
            return false;
        }
        self.accu_prob = if self.prob == 0 { 0 } else { self.accu_prob.wrapping_add(self.prob) };
        if self.accu_prob < ONE / 100 * 85 {
            return false;
        }
        if self.accu_prob >= ONE / 2 * 17 {
            return true;
        }
        // 56 bits; 53 of them are random.
        let drawn = (rng.uniform() * (1_u64 << 56) as f64) as u64;
        if drawn < self.prob {
            self.accu_prob = 0;
            return true;
        }
        false
    }
}

impl Policy for PieKernel {
    fn on_arrival(&mut self, _now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        // A full queue asks no one.
        if !queue.has_room_for(packet) || !self.is_chosen(queue.bytes(), rng) {
            return Verdict::Pass;
        }
        if self.ecn && self.prob <= ONE / 10 && packet.ecn.is_capable() {
            return Verdict::Mark(Reason::EARLY);
        }
        self.accu_prob = 0;
        Verdict::Drop(Reason::EARLY)
    }

    fn on_drop(&mut self, _now: Instant, _packet: &Packet, dropped: Dropped, _queue: &mut QueueView<'_>) {
        if dropped == Dropped::OVERFLOW {
            self.accu_prob = 0;
        }
    }

    fn on_departure(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, _rng: &mut Rng) -> Verdict {
        let now = units(now);
        self.qdelay = if queue.bytes() > 0 { now - units(packet.enqueued_at) } else { 0 };
        // The kernel keeps 32 bits of the time between two departures.
        let since = self.left.map_or(0, |left| u64::from((now - left) as u32));
        self.left = Some(now);
        self.burst_time = self.burst_time.saturating_sub(since);
        Verdict::Pass
    }

    fn next_deadline(&self) -> Option<Instant> {
        Some(self.due)
    }

    fn on_deadline(&mut self, now: Instant, queue: &mut QueueView<'_>) {
        while self.due <= now {
            self.update(queue.bytes());
            self.due = Instant::ZERO + self.tick * self.next_update(self.due.as_nanos() / self.tick.as_nanos());
        }
    }

    fn is_like(&self, other: &Self) -> bool {
        self == other
    }

    fn take_over(&mut self, other: &Self) {
        self.clone_from(other);
    }

    fn probes(&self) -> &'static [&'static str] {
        &["drop_prob", "delay_s"]
    }

    fn probe(&self, index: usize) -> f64 {
        if index == 0 { self.prob as f64 / ONE as f64 } else { self.qdelay as f64 / SECOND as f64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::Ecn;
    use crate::rig::{PACKET, Rig, at};

    fn with_ticks(ecn: bool, hz: u64) -> PieKernel {
        let millis = Duration::from_millis;
        let (target, interval, max_burst) = (millis(15), millis(15), millis(150));
        PieKernel::new(&Settings { target, interval, alpha: 0.125, beta: 1.25, max_burst, ecn, mtu: 1514, hz })
    }

    fn pie(ecn: bool) -> PieKernel {
        with_ticks(ecn, 1000)
    }

    /// The last packet has waited for `millis` milliseconds, and another is behind it.
    fn left_after(pie: &mut PieKernel, seconds: f64, millis: f64) {
        let packet = Packet { enqueued_at: at(seconds - millis / 1e3), ..PACKET };
        let mut rig = Rig::waiting(2);
        let mut view = QueueView::new(&mut rig.fifo, &mut rig.events, true);
        pie.on_departure(at(seconds), &packet, &mut view, &mut rig.rng);
    }

    #[test]
    fn the_first_update_comes_after_half_a_second() {
        let mut pie = pie(false);
        // A timer of 500 ticks goes off at the end of a slot of 8, one of 15 after 16, as recorded.
        assert_eq!(pie.next_deadline(), Some(at(0.504)));
        pie.on_deadline(at(0.504), &mut Rig::waiting(0).view());
        assert_eq!(pie.next_deadline(), Some(at(0.520)));
    }

    /// A tick of 4 ms: half a second is 125 ticks, in the slot that ends with the 128th; 15 ms are 4 ticks, and the timer goes off a tick
    /// later. Of 10 ms: 50 ticks and one, 2 and one.
    #[test]
    fn other_ticks_make_other_times_between_updates() {
        for (hz, first, apart) in [(250, 0.512, 0.020), (100, 0.510, 0.030)] {
            let mut pie = with_ticks(false, hz);
            assert_eq!(pie.next_deadline(), Some(at(first)), "{hz}");
            pie.on_deadline(at(first), &mut Rig::waiting(0).view());
            assert_eq!(pie.next_deadline(), Some(at(first + apart)), "{hz}");
        }
    }

    #[test]
    fn of_many_queues_2048_are_updated_in_a_tick_and_then_the_period_begins() {
        let due = |number: u64, count: u64| {
            let mut pie = pie(false).among(number, count);
            let first = pie.next_deadline().expect("a time");
            pie.on_deadline(first, &mut Rig::waiting(0).view());
            [first, pie.next_deadline().expect("a time")].map(|time| time.as_nanos() / 1_000_000)
        };
        assert_eq!((due(0, 2048), due(2047, 2048)), ([504, 520], [504, 520]));
        // As recorded: 17 ms apart, and 45 with 60000 queues.
        assert_eq!((due(0, 2049), due(2048, 2049)), ([504, 521], [505, 522]));
        assert_eq!(due(59_999, 60_000), [504 + 29, 504 + 29 + 45]);
    }

    #[test]
    fn a_step_is_the_published_one() {
        // 0.125 (0.025 - 0.015) + 1.25 (0.025 - 0) = 0.0325, over 2048 at the smallest probability; units cut a little of it.
        let mut pie = pie(false);
        left_after(&mut pie, 1.0, 25.0);
        pie.update(2000);
        assert!((pie.probe(0) * 2048.0 / 0.0325 - 1.0).abs() < 1e-3, "{}", pie.probe(0));
    }

    #[test]
    fn bursts_pass_until_departures_have_used_up_150_ms() {
        let mut pie = pie(false);
        (pie.prob, pie.accu_prob) = (ONE / 2, ONE * 9);
        let mut rng = Rng::named(1, "test");
        for (seconds, passes) in [(1.0, true), (1.1, true), (1.149, true), (1.1501, false)] {
            left_after(&mut pie, seconds, 20.0);
            assert_eq!(!pie.is_chosen(10_000, &mut rng), passes, "{seconds}");
        }
    }

    #[test]
    fn marks_follow_each_other_once_the_sum_has_reached_its_bound() {
        let mut pie = pie(true);
        (pie.prob, pie.accu_prob, pie.burst_time, pie.qdelay) = (ONE / 20, ONE / 2 * 17, 0, SECOND);
        let mut rig = Rig::waiting(20);
        let capable = PACKET.with_ecn(Ecn::Ect0);
        for _ in 0..100 {
            assert_eq!(
                pie.on_arrival(at(1.0), &capable, &mut rig.view(), &mut Rng::named(1, "test")),
                Verdict::Mark(Reason::EARLY)
            );
        }
        assert_eq!(
            pie.on_arrival(at(1.0), &PACKET, &mut rig.view(), &mut Rng::named(1, "test")),
            Verdict::Drop(Reason::EARLY)
        );
        assert_eq!(pie.accu_prob, 0);
    }
}
