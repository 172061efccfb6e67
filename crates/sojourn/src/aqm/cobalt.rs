//! COBALT: CoDel whose count falls step by step once packets no longer wait too long, and BLUE beside it for what does not answer to
//! CoDel's drops. The queue management of CAKE. Specification: [Pal19] Palmei, Gupta, Imputato, Morton, Tahiliani, Avallone and Täht,
//! "Design and Evaluation of COBALT Queue Discipline", LANMAN 2019; Høiland-Jørgensen, Täht and Morton, "Piece of CAKE", LANMAN 2018.
//! Compared with: Linux `sch_cake` (behaviour); no module in ns-2 2.35.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | Square roots are real; Linux iterates in fixed point | as codel | `drops_come_at_the_control_laws_times` |
//! | A packet that finds a full buffer is lost; CAKE drops the head of its longest queue | one queue, and one order for all policies | `an_overflow_raises_the_probability_once_in_a_target` |
//! | BLUE's step down comes when the link falls idle | CAKE asks at an empty queue | `an_idle_link_lowers_the_probability` |

use crate::queue::prelude::*;

/// The registry's entry.
pub static ENTRY: QueueEntry = QueueEntry {
    name: "cobalt",
    title: "COBALT (CoDel and BLUE alternate)",
    doc: "CoDel whose drops become rarer step by step when the wait falls, and a probability that overflows raise and idleness lowers.",
    reference: "Palmei et al. 2019; Høiland-Jørgensen, Täht and Morton 2018",
    presets: presets! {
        /// Linux sch_cake's defaults for the Internet: target 5 ms, interval 100 ms.
        linux = { target = "5ms", interval = "100ms", increment = "0.00390625", decrement = "0.000244140625", ecn = "true" };
    },
    law: Some(|args, _link| Ok(crate::aqm::codel::control_graph(args.typed::<Params>().interval))),
    ..QueueEntry::of_policy::<Params>()
};

params! {
    /// Parameters of COBALT.
    pub struct Params {
        /// What may wait at most, without the packet in transmission.
        limit: Size = "1000p" in [0.0, 1e12], "as codel; Linux sch_cake bounds memory";
        /// Acceptable standing wait.
        target: Duration = "5ms" in [0.0, 100.0], "Linux sch_cake; RFC 8289 section 4.3";
        /// Time for which packets may wait longer; about the longest round-trip time.
        interval: Duration = "100ms" in [1e-9, 1000.0], "Linux sch_cake; RFC 8289 section 4.2";
        /// BLUE's step up at an overflow.
        increment: Fraction = "0.00390625" in [0.0, 1.0], "Linux sch_cake: 1/256";
        /// BLUE's step down where the link is idle.
        decrement: Fraction = "0.000244140625" in [0.0, 1.0], "Linux sch_cake: 1/4096";
        /// Mark ECN-capable packets instead of dropping them by CoDel's law; BLUE drops them all the same.
        ecn: bool = "true", "Linux sch_cake";
    }
}

/// `interval / sqrt(count)` (RFC 8289 section 5.6).
fn spacing(interval: Duration, count: u64) -> Duration {
    interval.mul_f64(1.0 / libm::sqrt(count.max(1) as f64))
}

/// The policy.
#[derive(Clone, Debug)]
pub struct Cobalt {
    params: Params,
    /// Drops of the present congestion, less those that are forgiven.
    count: u64,
    dropping: bool,
    drop_next: Instant,
    /// BLUE's probability, and when it last changed.
    p: f64,
    changed: Option<Instant>,
}

impl PolicyParams for Params {
    type Policy = Cobalt;

    fn policy(&self, _link: &LinkContext) -> Result<Cobalt, BuildError> {
        let drop_next = Instant::ZERO;
        Ok(Cobalt { params: self.clone(), count: 0, dropping: false, drop_next, p: 0.0, changed: None })
    }
}

impl Cobalt {
    /// Changes BLUE's probability, once in a target at most.
    fn change(&mut self, now: Instant, step: f64) {
        if self.changed.is_none_or(|changed| now.since(changed) > self.params.target) {
            self.p = (self.p + step).clamp(0.0, 1.0);
            self.changed = Some(now);
        }
    }

    /// CoDel's part ([Pal19]): whether this packet, which waited too long or not, is one of those to be dropped.
    fn signals(&mut self, now: Instant, waits_too_long: bool) -> bool {
        let interval = self.params.interval;
        let mut is_due = self.count > 0 && now >= self.drop_next;
        if waits_too_long {
            if !self.dropping {
                self.dropping = true;
                self.drop_next = now + spacing(interval, self.count);
                is_due = false;
            }
            self.count = self.count.max(1);
        } else {
            self.dropping = false;
        }
        if is_due && self.dropping {
            self.count += 1;
            self.drop_next += spacing(interval, self.count);
            return true;
        }
        // Forgives one drop for each time at which one would have been due.
        while is_due {
            self.count -= 1;
            self.drop_next += spacing(interval, self.count);
            is_due = self.count > 0 && now >= self.drop_next;
        }
        false
    }
}

impl Policy for Cobalt {
    fn on_arrival(&mut self, _now: Instant, _packet: &Packet, _queue: &mut QueueView<'_>, _rng: &mut Rng) -> Verdict {
        Verdict::Pass
    }

    fn on_departure(&mut self, now: Instant, packet: &Packet, _queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        let waits_too_long = now.since(packet.enqueued_at) > self.params.target;
        let is_signalled = self.signals(now, waits_too_long);
        if self.p > 0.0 && rng.uniform() < self.p {
            Verdict::Drop(Reason::EARLY)
        } else if !is_signalled {
            Verdict::Pass
        } else if self.params.ecn && packet.ecn.is_capable() {
            Verdict::Mark(Reason::SOJOURN)
        } else {
            Verdict::Drop(Reason::SOJOURN)
        }
    }

    fn on_drop(&mut self, now: Instant, _packet: &Packet, dropped: Dropped, _queue: &mut QueueView<'_>) {
        if dropped.is_overflow() {
            self.change(now, self.params.increment.0);
        }
    }

    fn on_idle(&mut self, now: Instant) {
        if self.p > 0.0 {
            self.change(now, -self.params.decrement.0);
        }
    }

    fn probes(&self) -> &'static [&'static str] {
        &["count", "drop_prob"]
    }

    fn probe(&self, index: usize) -> f64 {
        if index == 0 { self.count as f64 } else { self.p }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::Ecn;
    use crate::rig::{PACKET, Rig, args, at, near};

    fn cobalt(settings: &[(&str, &str)]) -> Cobalt {
        args(&ENTRY, None, settings).typed::<Params>().policy(&LinkContext::default()).expect("any parameters will do")
    }

    /// The verdict on a packet that leaves at this time, after it has waited so long.
    fn leave(cobalt: &mut Cobalt, seconds: f64, waited: f64, u: f64) -> Verdict {
        let mut bench = Rig::waiting(10);
        bench.rng.supply(u);
        let packet = Packet { enqueued_at: at(seconds - waited), ..PACKET };
        let mut view = QueueView::new(&mut bench.fifo, &mut bench.events, true);
        cobalt.on_departure(at(seconds), &packet, &mut view, &mut bench.rng)
    }

    const DROP: Verdict = Verdict::Drop(Reason::SOJOURN);

    #[test]
    fn drops_come_at_the_control_laws_times() {
        let mut cobalt = cobalt(&[]);

        // Above the target from 1 s on: the first drop after an interval, the second 1/sqrt(2) of it later.
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
        let mut bench = Rig::waiting(10);
        let packet = Packet { enqueued_at: at(0.9), ..PACKET.with_ecn(Ecn::Ect0) };
        let mut view = QueueView::new(&mut bench.fifo, &mut bench.events, true);

        assert_eq!(cobalt.on_departure(at(1.0), &packet, &mut view, &mut bench.rng), Verdict::Mark(Reason::SOJOURN));
    }
}
