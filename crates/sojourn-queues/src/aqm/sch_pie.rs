//! PIE as in Linux, with the words of `tc`. Specification: `net/sched/sch_pie.c` and `include/net/pie.h` of Linux 6.12; [`pie`]
//! has the published law. Compared with: Linux 6.12 `sch_pie` and `sch_fq_pie`, decision by decision (`evidence/linux`). Time is in units
//! of 64 ns, and probabilities have 56 bits.
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
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | The words `bytemode` and `dq_rate_estimator` are not here | [`pie`] has both as `by_size` and `delay_from` | - |

use crate::aqm::pie;
use crate::mechanism::wheel_slots;
use crate::params::Alias;
use crate::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "sch_pie",
    title: "PIE of Linux",
    doc: "Linux's PIE, with the words of tc and their defaults. It drops or marks arrivals with a probability that it moves until the \
          delay is at its target; short bursts pass.",
    reference: "Linux 6.12 net/sched/sch_pie.c, RFC 8033",
    alias: Some(Alias {
        of: "pie",
        preset: "linux",
        words: &[
            ("interval", "tupdate"),
            ("alpha", "alpha in sixteenths of a Hz"),
            ("beta", "beta in sixteenths of a Hz"),
        ],
    }),
    law: Some(|args, _link| Ok(pie::draw_law(&args.typed::<Params>().published()))),
    probes: &[Probe::new(
        "drop_prob",
        "",
        Probe::UP,
        "probability of a drop or mark, now; an overload adds to it beyond 1",
    )],
    shown: pie::ENTRY.shown,
    ..QueueEntry::of_policy::<Params>()
};

params! {
    pub struct Params {
        /// The most that may wait, without the packet in transmission.
        limit: Size = "1000p" in [0.0, 1e12], "Linux sch_pie limit";
        /// Target of the queuing delay.
        target: Duration = "15ms" in [0.0, 100.0], "Linux pie_params_init";
        /// Time between two updates of the probability; the timer's ticks (`hz`) make 16 ms of 15, and from 64 on steps of 8 ticks.
        tupdate: Duration = "15ms" in [1e-6, 100.0], "Linux pie_params_init";
        /// Gain of the distance from the target, in sixteenths of a Hz.
        alpha: u64 = "2" in [0.0, 1e9], "Linux pie_params_init: 1/8 Hz as in RFC 8033; tc takes 0 to 32";
        /// Gain of the change since the last update, in sixteenths of a Hz.
        beta: u64 = "20" in [0.0, 1e9], "Linux pie_params_init: 5/4 Hz as in RFC 8033; tc takes 0 to 32";
        /// Mark ECN-capable packets instead of dropping them while the probability is at most 10 %.
        ecn: bool = "false", "Linux pie_params_init";
        /// The device's MTU with its header: below two of them nothing is dropped. No word of tc.
        mtu: Bytes = "1514B" in [1.0, 65535.0], "Linux: psched_mtu of an Ethernet";
        /// Ticks of the kernel's timer in a second (`CONFIG_HZ`). Debian's kernels and those of Ubuntu up to 24.04 have 250, and Ubuntu's
        /// of 24.10 and later 1000. No word of tc.
        hz: u64 = "1000" in [100.0, 1000.0], "Linux CONFIG_HZ: 100, 250, 300 or 1000";
    }
}

impl Params {
    /// The published law with these numbers, which is drawn.
    fn published(&self) -> pie::Params {
        pie::Params {
            target: self.target,
            interval: self.tupdate,
            alpha: self.alpha as f64 / 16.0,
            beta: self.beta as f64 / 16.0,
            high_delay: Some(Duration::from_millis(250)),
            ..pie::Params::default()
        }
    }
}

impl PolicyParams for Params {
    type Policy = SchPie;

    fn policy(&self, _link: &LinkContext) -> Result<SchPie, BuildError> {
        Ok(SchPie::new(self))
    }
}

/// Nanoseconds of a unit, as a shift (`PSCHED_SHIFT`).
const SHIFT: u32 = 6;
/// Units in a second.
const SECOND: u64 = 1_000_000_000 >> SHIFT;
/// The probability 1.
const ONE: u64 = u64::MAX >> 8;
/// The time for which every packet of a burst passes (`MAX_BURST`).
const MAX_BURST: Duration = Duration::from_millis(150);
/// Queues that are updated in a tick.
const AT_ONCE: u64 = 2048;

/// Units since the beginning.
fn units(t: Instant) -> u64 {
    t.as_nanos() >> SHIFT
}

/// The policy, in the kernel's names.
#[derive(Clone, Debug, PartialEq)]
pub struct SchPie {
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

impl SchPie {
    pub fn new(params: &Params) -> Self {
        let tick = wheel_slots::tick(params.hz);
        let queue = SchPie {
            target: params.target.as_nanos() >> SHIFT,
            tick,
            period: params.tupdate.as_nanos().div_ceil(tick.as_nanos()).max(1),
            turn: (0, 0),
            max_burst: 0,
            alpha: params.alpha,
            beta: params.beta,
            ecn: params.ecn,
            spared: 2 * params.mtu.0.min(1 << 20),
            prob: 0,
            accu_prob: 0,
            qdelay: 0,
            qdelay_old: 0,
            burst_time: 0,
            left: None,
            // The timer is first set to half a second.
            due: Instant::ZERO + tick * wheel_slots::slot(0, params.hz / 2, false).1,
        };
        queue.with_bursts(MAX_BURST)
    }

    /// Bursts of this length pass, and not those of 150 ms.
    #[must_use]
    pub fn with_bursts(mut self, max_burst: Duration) -> Self {
        self.max_burst = max_burst.as_nanos() >> SHIFT;
        self.burst_time = self.max_burst;
        self
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

impl Policy for SchPie {
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

    probes! { |self|
        "drop_prob" => self.prob as f64 / ONE as f64,
        "delay_s" => self.qdelay as f64 / SECOND as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::Ecn;
    use crate::rig::{PACKET, Rig, at};

    fn with_ticks(ecn: bool, hz: u64) -> SchPie {
        SchPie::new(&Params { ecn, hz, ..Params::default() })
    }

    fn pie(ecn: bool) -> SchPie {
        with_ticks(ecn, 1000)
    }

    /// The last packet has waited for `millis` milliseconds, and another is behind it.
    fn left_after(pie: &mut SchPie, seconds: f64, millis: f64) {
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
