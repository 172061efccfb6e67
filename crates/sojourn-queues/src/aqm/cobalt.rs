//! COBALT: CoDel whose count falls step by step once packets no longer wait too long, with BLUE for flows that do not react to CoDel's
//! drops. The queue management of CAKE. Specification: [Pal19] Palmei, Gupta, Imputato, Morton, Tahiliani, Avallone and Täht, "Design and
//! Evaluation of COBALT Queue Discipline", LANMAN 2019; Høiland-Jørgensen, Täht and Morton, "Piece of CAKE", LANMAN 2018. Compared with:
//! Linux `sch_cake` (behaviour, order of steps and constants, checked against net/sched/sch_cake.c); no module in ns-2 2.35.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | Square roots are real; preset `linux` has the kernel's numbers ([`cobalt_kernel`](super::cobalt_kernel)) | as codel | `drops_come_at_the_control_laws_times` |
//! | A packet that finds a full buffer is lost; CAKE drops the head of its longest queue | one queue, and one order for all policies | `an_overflow_raises_the_probability_once_in_a_target` |
//! | A step down of BLUE and one of the count come when the link falls idle; CAKE asks again after each target | the next packet cancels a step that is due | `an_idle_link_lowers_the_probability` |
//! | The largest packet is the link's mean one | one mean packet for all queues | `a_slow_link_has_a_longer_target` |

use crate::aqm::cobalt_kernel::{CobaltKernel, Spans};
use crate::mechanism::arithmetic::Arithmetic;
use crate::queue::Either;
use crate::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "cobalt",
    title: "COBALT (CoDel and BLUE alternate)",
    doc: "CoDel and BLUE in one queue. CoDel drops or marks when packets wait too long, and its drops become rarer step by step \
          when the wait falls; BLUE drops with a probability that overflows raise and idle times lower.",
    reference: "Palmei et al. 2019; Høiland-Jørgensen, Täht and Morton 2018",
    presets: presets! {
        /// Linux 6.12 sch_cake's defaults for the Internet, in its numbers: target 5 ms, interval 100 ms, more on slow links.
        linux = {
            target = "5ms", interval = "100ms", increment = "0.00390625", decrement = "0.000244140625", ecn = "true", slow_link = "true",
            arithmetic = "kernel",
        };
        /// ns-3.48's CobaltQueueDisc: limit 1000 times 1500 bytes, no ECN, and BLUE that rises with a wait above 400 ms, too.
        ns3 = {
            limit = "1500000B", target = "5ms", interval = "100ms", increment = "0.00390625", decrement = "0.000244140625", ecn = "false",
            blue_from = "400ms", arithmetic = "real",
        };
    },
    law: Some(|args, _link| Ok(crate::aqm::codel::control_graph(args.typed::<Params>().interval))),
    probes: &[
        Probe::new("count", "drops", Probe::UP, "the count by which its CoDel part sets the time of the next drop"),
        Probe::new("drop_prob", "", Probe::SHARE, "probability of a drop by its BLUE part, now"),
    ],
    ..QueueEntry::of_policy::<Params>()
};

params! {
    pub struct Params {
        /// The most that may wait, without the packet in transmission.
        limit: Size = "1000p" in [0.0, 1e12], "as codel; Linux sch_cake bounds memory";
        /// Acceptable standing wait.
        target: Duration = "5ms" in [0.0, 100.0], "Linux sch_cake; RFC 8289 section 4.3";
        /// Time for which packets may wait longer; about the longest round-trip time.
        interval: Duration = "100ms" in [1e-9, 1000.0], "Linux sch_cake; RFC 8289 section 4.2";
        /// BLUE's step up at an overflow.
        increment: Fraction = "0.00390625" in [0.0, 1.0], "Linux sch_cake: 1/256";
        /// BLUE's step down while the link is idle.
        decrement: Fraction = "0.000244140625" in [0.0, 1.0], "Linux sch_cake: 1/4096", when arithmetic in ["real"];
        /// Wait above which BLUE's probability rises, too; once in a target at most. Automatic: only overflows raise it.
        blue_from: Option<Duration> = "auto" in [0.0, 1000.0],
            "Linux sch_cake has none; 400 ms in ns-3 (BlueThreshold)", when arithmetic in ["real"];
        /// Mark ECN-capable packets instead of dropping them by CoDel's law; BLUE drops them all the same.
        ecn: bool = "true", "Linux sch_cake";
        /// Whether the target is at least the transmission time of 1.5 packets, and the interval grows by the same amount. A wait up to
        /// the transmission time of 4 packets is then never too long.
        slow_link: bool = "false", "as codel; true in Linux sch_cake where it is told a rate";
        /// The arithmetic. That of the kernel has 1/sqrt(count) by Newton's method and BLUE's probability in 32 bits; the probability does
        /// not fall; `decrement` and `blue_from` have no effect.
        arithmetic: Arithmetic = "real", "Palmei et al. 2019";
    }
}

/// `interval / sqrt(count)` (RFC 8289 section 5.6).
fn spacing(interval: Duration, count: u64) -> Duration {
    interval.mul_f64(1.0 / libm::sqrt(count.max(1) as f64))
}

#[derive(Clone, Debug)]
pub struct Cobalt {
    params: Params,
    target: Duration,
    interval: Duration,
    /// No wait up to this is too long.
    least: Duration,
    /// Drops of the present congestion, less those that are forgiven.
    count: u64,
    dropping: bool,
    drop_next: Instant,
    /// BLUE's probability, and when it last changed.
    p: f64,
    changed: Option<Instant>,
}

impl PolicyParams for Params {
    type Policy = Either<Cobalt, CobaltKernel>;

    fn policy(&self, link: &LinkContext) -> Result<Either<Cobalt, CobaltKernel>, BuildError> {
        Ok(match self.arithmetic {
            Arithmetic::Real => Either::Real(self.cobalt(link)),
            Arithmetic::Kernel => Either::Kernel(CobaltKernel::new(self.spans(link), self.increment, self.ecn)),
        })
    }
}

impl Params {
    /// The times on this link.
    pub fn spans(&self, link: &LinkContext) -> Spans {
        if !self.slow_link {
            return Spans { target: self.target, interval: self.interval, least: Duration::ZERO };
        }
        let transmission = Duration::from_secs_f64(1.0 / link.packets_per_sec());
        let target = self.target.max(transmission.mul_f64(1.5));
        let interval = (self.interval + target.saturating_sub(self.target)).max(target * 2);
        Spans { target, interval, least: transmission * 4 }
    }

    fn cobalt(&self, link: &LinkContext) -> Cobalt {
        let Spans { target, interval, least } = self.spans(link);
        Cobalt {
            params: self.clone(),
            target,
            interval,
            least,
            count: 0,
            dropping: false,
            drop_next: Instant::ZERO,
            p: 0.0,
            changed: None,
        }
    }
}

impl Cobalt {
    /// Changes BLUE's probability, once in a target at most.
    fn change(&mut self, now: Instant, step: f64) {
        if self.changed.is_none_or(|changed| now.since(changed) > self.target) {
            self.p = (self.p + step).clamp(0.0, 1.0);
            self.changed = Some(now);
        }
    }

    /// One drop less, and the time at which the next one would have been due.
    fn forgive(&mut self) {
        self.count -= 1;
        self.drop_next += spacing(self.interval, self.count);
    }

    /// CoDel's part. Returns two answers: whether this packet is to be dropped, and whether the time of the next drop is over. The second
    /// is as it was found, unless the control law has moved that time since.
    fn signals(&mut self, now: Instant, waits_too_long: bool) -> (bool, bool) {
        let was_late = now > self.drop_next;
        let is_due = self.count > 0 && now >= self.drop_next;
        if waits_too_long {
            if !self.dropping {
                self.dropping = true;
                self.drop_next = now + spacing(self.interval, self.count);
            }
            self.count = self.count.max(1);
        } else {
            self.dropping = false;
        }
        if !is_due {
            return (false, was_late);
        }
        if self.dropping {
            self.count += 1;
            self.drop_next += spacing(self.interval, self.count);
            return (true, now > self.drop_next);
        }
        // Forgives one drop for each time at which one would have been due.
        while self.count > 0 && now >= self.drop_next {
            self.forgive();
        }
        (false, now > self.drop_next)
    }
}

impl Policy for Cobalt {
    fn on_arrival(&mut self, _now: Instant, _packet: &Packet, _queue: &mut QueueView<'_>, _rng: &mut Rng) -> Verdict {
        Verdict::Pass
    }

    fn on_departure(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        let waited = now.since(packet.enqueued_at);
        let (is_signalled, is_late) = self.signals(now, waited > self.target && waited > self.least);
        if self.params.blue_from.is_some_and(|most| waited > most) {
            self.change(now, self.params.increment.0);
        }
        let verdict = if self.p > 0.0 && rng.uniform() < self.p {
            Verdict::Drop(Reason::EARLY)
        } else if !is_signalled {
            Verdict::Pass
        } else {
            Verdict::signal(self.params.ecn, packet, Reason::SOJOURN)
        };
        let drops = matches!(verdict, Verdict::Drop(_));
        if self.count == 0 {
            self.drop_next = now + self.interval;
        } else if is_late && !drops {
            self.drop_next = now;
        }
        if drops && queue.backlog().packets == 0 { Verdict::Pass } else { verdict }
    }

    fn on_drop(&mut self, now: Instant, _packet: &Packet, dropped: Dropped, _queue: &mut QueueView<'_>) {
        if dropped.is_overflow() {
            self.change(now, self.params.increment.0);
            (self.dropping, self.drop_next) = (true, now);
            self.count = self.count.max(1);
        }
    }

    fn on_idle(&mut self, now: Instant) {
        if self.p > 0.0 {
            self.change(now, -self.params.decrement.0);
        }
        self.dropping = false;
        if self.count > 0 && now >= self.drop_next {
            self.forgive();
        }
    }

    probes! { |self|
        "count" => self.count as f64,
        "drop_prob" => self.p,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::Ecn;
    use crate::rig::{PACKET, Rig, args, at, near};

    fn cobalt(settings: &[(&str, &str)]) -> Cobalt {
        args(&ENTRY, None, settings).typed::<Params>().cobalt(&LinkContext::default())
    }

    /// The verdict on a packet that leaves at this time, after it has waited for `waited` seconds.
    fn leave(cobalt: &mut Cobalt, seconds: f64, waited: f64, u: f64) -> Verdict {
        let mut rig = Rig::waiting(10);
        rig.rng.supply(u);
        let packet = Packet { enqueued_at: at(seconds - waited), ..PACKET };
        let mut view = QueueView::new(&mut rig.fifo, &mut rig.events, true);
        cobalt.on_departure(at(seconds), &packet, &mut view, &mut rig.rng)
    }

    const DROP: Verdict = Verdict::Drop(Reason::SOJOURN);

    #[test]
    fn drops_come_at_the_control_laws_times() {
        let mut cobalt = cobalt(&[]);

        // One leaves in time; above the target from 1 s on: the first drop after an interval, the second 1/sqrt(2) of it later.
        assert_eq!(leave(&mut cobalt, 0.999, 0.005, 1.0), Verdict::Pass);
        assert_eq!(leave(&mut cobalt, 1.0, 0.006, 1.0), Verdict::Pass);
        assert_eq!(leave(&mut cobalt, 1.0999, 0.006, 1.0), Verdict::Pass);
        assert_eq!(leave(&mut cobalt, 1.1, 0.006, 1.0), DROP);
        assert_eq!(leave(&mut cobalt, 1.1707, 0.006, 1.0), Verdict::Pass);
        assert_eq!(leave(&mut cobalt, 1.1708, 0.006, 1.0), DROP);
        assert_eq!(cobalt.count, 3);
    }

    #[test]
    fn a_wait_of_the_target_is_accepted() {
        let mut cobalt = cobalt(&[]);
        for step in 0..100 {
            assert_eq!(leave(&mut cobalt, 1.0 + 0.1 * f64::from(step), 0.005, 1.0), Verdict::Pass);
        }
    }

    #[test]
    fn drops_are_forgiven_one_by_one() {
        let mut cobalt = cobalt(&[]);
        (cobalt.count, cobalt.dropping, cobalt.drop_next) = (4, true, at(2.0));

        // At 2.0 one is due and the wait is short: 3, and 1/sqrt(3) of an interval until the next.
        leave(&mut cobalt, 2.0, 0.001, 1.0);
        assert_eq!((cobalt.count, cobalt.dropping), (3, false));
        leave(&mut cobalt, 2.057, 0.001, 1.0);
        assert_eq!(cobalt.count, 3);
        leave(&mut cobalt, 2.058, 0.001, 1.0);
        assert_eq!(cobalt.count, 2);
        // Long after, all are forgiven.
        leave(&mut cobalt, 10.0, 0.001, 1.0);
        assert_eq!(cobalt.count, 0);
    }

    #[test]
    fn an_overflow_raises_the_probability_once_in_a_target() {
        let mut cobalt = cobalt(&[]);
        for (seconds, expected) in [(1.0, 1.0), (1.005, 1.0), (1.0051, 2.0)] {
            cobalt.on_drop(at(seconds), &PACKET, Dropped::OVERFLOW, &mut Rig::waiting(10).view());
            assert!(near(cobalt.p, expected / 256.0), "{seconds}");
        }
    }

    #[test]
    fn ns3s_blue_rises_with_a_long_wait_once_in_a_target() {
        let mut cobalt = args(&ENTRY, Some("ns3"), &[]).typed::<Params>().cobalt(&LinkContext::default());
        for (seconds, waited, expected) in
            [(1.0, 0.4, 0.0), (1.1, 0.401, 1.0), (1.104, 0.401, 1.0), (1.1051, 0.401, 2.0)]
        {
            leave(&mut cobalt, seconds, waited, 1.0);
            assert!(near(cobalt.p, expected / 256.0), "{seconds}");
        }
    }

    #[test]
    fn an_overflow_makes_the_next_late_packet_a_drop() {
        let mut cobalt = cobalt(&[]);
        cobalt.on_drop(at(1.0), &PACKET, Dropped::OVERFLOW, &mut Rig::waiting(10).view());
        assert_eq!((cobalt.count, cobalt.dropping), (1, true));

        assert_eq!(leave(&mut cobalt, 1.001, 0.006, 1.0), DROP);
    }

    #[test]
    fn a_wait_that_is_too_long_again_while_a_drop_is_due_is_answered_at_once() {
        let mut cobalt = cobalt(&[]);
        (cobalt.count, cobalt.dropping, cobalt.drop_next) = (4, false, at(2.0));

        // The next one after two spans, of the old count and of the new one: 100 / 2 + 100 / sqrt(5) ms.
        assert_eq!(leave(&mut cobalt, 2.01, 0.006, 1.0), DROP);
        assert_eq!((cobalt.count, cobalt.dropping), (5, true));
        assert!((cobalt.drop_next.as_secs_f64() - (2.01 + 0.05 + 0.1 / 5.0_f64.sqrt())).abs() < 2e-9);
    }

    #[test]
    fn marks_do_not_catch_up_with_times_that_are_over() {
        let mut cobalt = cobalt(&[]);
        (cobalt.count, cobalt.dropping, cobalt.drop_next) = (1, true, at(1.0));
        let mut rig = Rig::waiting(10);
        let packet = Packet { enqueued_at: at(1.9), ..PACKET.with_ecn(Ecn::Ect0) };

        // After a drop the next would be due at 1.07 s, after a mark it is due now.
        let mut view = QueueView::new(&mut rig.fifo, &mut rig.events, true);
        assert_eq!(cobalt.on_departure(at(2.0), &packet, &mut view, &mut rig.rng), Verdict::Mark(Reason::SOJOURN));
        assert_eq!(cobalt.drop_next, at(2.0));
    }

    #[test]
    fn the_last_packet_is_not_dropped() {
        let mut cobalt = cobalt(&[]);
        (cobalt.count, cobalt.dropping, cobalt.drop_next) = (1, true, at(1.0));
        let mut rig = Rig::waiting(0);
        let packet = Packet { enqueued_at: at(0.9), ..PACKET };

        let mut view = QueueView::new(&mut rig.fifo, &mut rig.events, true);
        assert_eq!(cobalt.on_departure(at(1.0), &packet, &mut view, &mut rig.rng), Verdict::Pass);
        assert_eq!(cobalt.count, 2);
    }

    #[test]
    fn a_slow_link_has_a_longer_target() {
        // A packet of 1000 bytes takes 8 ms at 1 Mbit/s: a target of 12 ms, an interval of 107 ms, and no drop up to a wait of 32 ms. At
        // 10 Mbit/s it takes 0.8 ms: 5, 100 and 3.2 ms.
        for (megabits, expected) in [(1, [0.012, 0.107, 0.032]), (10, [0.005, 0.1, 0.0032])] {
            let link =
                LinkContext { rate: crate::units::Rate::from_bps(megabits * 1_000_000), ..LinkContext::default() };
            let built = args(&ENTRY, Some("linux"), &[]).typed::<Params>().spans(&link);
            let found = [built.target, built.interval, built.least].map(Duration::as_secs_f64);
            assert!(found.iter().zip(expected).all(|(left, right)| near(*left, right)), "{found:?}");
        }
    }

    #[test]
    fn its_own_drops_raise_nothing() {
        let mut cobalt = cobalt(&[]);
        cobalt.on_drop(at(1.0), &PACKET, Dropped::AT_HEAD, &mut Rig::waiting(10).view());

        assert!(near(cobalt.p, 0.0));
    }

    #[test]
    fn an_idle_link_lowers_the_probability() {
        let mut cobalt = cobalt(&[]);
        cobalt.p = 1.0 / 4096.0 * 1.5;
        cobalt.on_idle(at(1.0));
        assert!(near(cobalt.p, 0.5 / 4096.0));
        cobalt.on_idle(at(1.006));
        assert!(near(cobalt.p, 0.0));
    }

    #[test]
    fn an_idle_link_forgives_a_drop_that_is_due() {
        let mut cobalt = cobalt(&[]);
        (cobalt.count, cobalt.dropping, cobalt.drop_next) = (4, true, at(1.0));
        cobalt.on_idle(at(0.999));
        assert_eq!((cobalt.count, cobalt.dropping), (4, false));
        cobalt.on_idle(at(2.0));
        assert_eq!(cobalt.count, 3, "one at a time");
    }

    #[test]
    fn blue_drops_what_codel_would_spare_or_mark() {
        let mut cobalt = cobalt(&[]);
        cobalt.p = 0.25;

        assert_eq!(leave(&mut cobalt, 1.0, 0.001, 0.2499), Verdict::Drop(Reason::EARLY));
        assert_eq!(leave(&mut cobalt, 1.0, 0.001, 0.25), Verdict::Pass);
    }

    #[test]
    fn codels_signal_marks_what_is_capable() {
        let mut cobalt = cobalt(&[]);
        (cobalt.count, cobalt.dropping, cobalt.drop_next) = (1, true, at(1.0));
        let mut rig = Rig::waiting(10);
        let packet = Packet { enqueued_at: at(0.9), ..PACKET.with_ecn(Ecn::Ect0) };
        let mut view = QueueView::new(&mut rig.fifo, &mut rig.events, true);

        assert_eq!(cobalt.on_departure(at(1.0), &packet, &mut view, &mut rig.rng), Verdict::Mark(Reason::SOJOURN));
    }
}
