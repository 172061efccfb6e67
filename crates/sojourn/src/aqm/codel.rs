//! CoDel: drops at the head when packets have waited longer than a target for a whole interval, at
//! growing frequency until the wait falls below it. Specification: RFC 8289. Compared with:
//! Linux `sch_codel` (behaviour).
//!
//! The RFC's `dequeue` takes several packets in one call. Here each packet taken is one call of
//! [`Policy::on_departure`], and [`Turn`] remembers where in the RFC's `dequeue` the next one stands.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | Square roots are real; Linux iterates in fixed point | the RFC's arithmetic | `drops_come_at_the_control_laws_times` |
//! | Marks: RFC 8289 drops; a mark counts as the drop and the packet goes out, so that no packet is skipped | Linux codel_impl.h, RFC 8290 section 5.2.6 | `a_mark_takes_the_place_of_the_drop` |

use crate::component::{BuildError, Preset};
use crate::packet::Packet;
use crate::params;
use crate::params::Params as _;
use crate::queue::entry::{Build, PolicyParams, QueueEntry};
use crate::queue::{Limit, LinkContext, Policy, QueueView, Reason, Verdict};
use crate::rng::Rng;
use crate::units::{Bytes, Duration, Instant, Size};

/// The registry's entry.
pub static ENTRY: QueueEntry = QueueEntry {
    name: "codel",
    title: "CoDel (controlled delay)",
    doc: "Drops at the head when packets have waited longer than a target for a whole interval, ever more often until the wait falls.",
    reference: "RFC 8289",
    params: Params::SPECS,
    presets: &[
        Preset {
            name: "paper",
            doc: "RFC 8289: target 5 ms, interval 100 ms, drops only.",
            settings: &[("target", "5ms"), ("interval", "100ms"), ("ecn", "false")],
        },
        Preset {
            name: "linux",
            doc: "Linux sch_codel's defaults: limit 1000 packets, target 5 ms, interval 100 ms, no ECN, MTU 1514 bytes.",
            settings: &[
                ("limit", "1000p"),
                ("target", "5ms"),
                ("interval", "100ms"),
                ("ecn", "false"),
                ("mtu", "1514B"),
            ],
        },
    ],
    reorders: false,
    build: Build::policy::<Params>(),
};

params! {
    /// Parameters of CoDel.
    pub struct Params {
        /// What may wait at most, without the packet in transmission.
        limit: Size = "1000p" in [0.0, 1e12], "Linux sch_codel DEFAULT_CODEL_LIMIT";
        /// Acceptable standing wait.
        target: Duration = "5ms" in [0.0, 100.0], "RFC 8289 section 4.3";
        /// Time for which the wait has to stay above the target before a drop; about the longest round-trip time.
        interval: Duration = "100ms" in [1e-9, 1000.0], "RFC 8289 section 4.2";
        /// Mark ECN-capable packets instead of dropping them.
        ecn: bool = "false" in [0.0, 0.0], "Linux sch_codel";
        /// Mark every ECN-capable packet that has waited longer than this, whatever the state. Automatic: never.
        ce_threshold: Option<Duration> = "auto" in [0.0, 1000.0], "Linux sch_codel CE_THRESHOLD; off by default";
        /// Nothing is dropped while at most this many bytes wait behind the packet.
        mtu: Bytes = "1500B" in [0.0, 1e9], "RFC 8289 section 5.3: the link's MTU";
    }
}

/// Where the next packet taken stands in the RFC's `dequeue`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    /// It is the first of a call.
    First,
    /// It follows the drop with which dropping state was entered: it is sent without a test.
    AfterEntering,
    /// It follows a drop in dropping state: `drop_next` is yet to be moved.
    AfterDrop,
}

/// The policy; state in the RFC's names.
#[derive(Clone, Debug)]
pub struct Codel {
    target: Duration,
    interval: Duration,
    ecn: bool,
    ce_threshold: Option<Duration>,
    mtu: u64,
    /// When the wait will have been above the target for an interval; `None` while below.
    first_above_time: Option<Instant>,
    /// Next drop in dropping state.
    drop_next: Instant,
    /// Drops since entering dropping state.
    count: u64,
    /// `count` at the last entry.
    lastcount: u64,
    dropping: bool,
    turn: Turn,
}

impl Params {
    /// The policy, which does not depend on the link.
    pub fn codel(&self) -> Codel {
        Codel {
            target: self.target,
            interval: self.interval,
            ecn: self.ecn,
            ce_threshold: self.ce_threshold,
            mtu: self.mtu.0,
            first_above_time: None,
            drop_next: Instant::ZERO,
            count: 0,
            lastcount: 0,
            dropping: false,
            turn: Turn::First,
        }
    }
}

impl PolicyParams for Params {
    type Policy = Codel;

    fn policy(&self, _link: &LinkContext) -> Result<Codel, BuildError> {
        Ok(self.codel())
    }

    fn limit(&self, link: &LinkContext) -> Limit {
        Limit::from_size(self.limit, link)
    }
}

/// `t + interval / sqrt(count)` (RFC 8289 section 5.6).
fn control_law(t: Instant, interval: Duration, count: u64) -> Instant {
    t + interval.mul_f64(1.0 / libm::sqrt(count as f64))
}

impl Codel {
    /// The RFC's `dodequeue` (section 5.6): whether the packet taken may be dropped. `behind` is what waits behind it.
    fn ok_to_drop(&mut self, now: Instant, sojourn: Duration, behind: u64) -> bool {
        if sojourn < self.target || behind <= self.mtu {
            self.first_above_time = None;
            return false;
        }
        match self.first_above_time {
            None => {
                self.first_above_time = Some(now + self.interval);
                false
            }
            Some(time) => now >= time,
        }
    }

    /// Enters dropping state (RFC 8289 section 5.5): shortly after the last time, at the rate that
    /// controlled the queue then.
    fn enter(&mut self, now: Instant) {
        self.dropping = true;
        let delta = self.count - self.lastcount;
        let recent = now < self.drop_next + self.interval * 16;
        self.count = if delta > 1 && recent { delta } else { 1 };
        self.drop_next = control_law(now, self.interval, self.count);
        self.lastcount = self.count;
    }

    /// Drops or marks in the state just reached; `follows` is the turn of the packet after a drop.
    fn punish(&mut self, packet: &Packet, follows: Turn) -> Verdict {
        if self.ecn && packet.ecn.is_capable() {
            self.turn = Turn::First;
            Verdict::Mark(Reason::SOJOURN)
        } else {
            self.turn = follows;
            Verdict::Drop(Reason::SOJOURN)
        }
    }

    /// A packet taken while in dropping state, or after a drop in it.
    fn continue_dropping(&mut self, now: Instant, packet: &Packet, ok: bool) -> Verdict {
        let after_drop = self.turn == Turn::AfterDrop;
        self.turn = Turn::First;
        if !ok {
            self.dropping = false;
            return Verdict::Pass;
        }
        if after_drop {
            self.drop_next = control_law(self.drop_next, self.interval, self.count);
        }
        if now < self.drop_next {
            return Verdict::Pass;
        }
        self.count += 1;
        let verdict = self.punish(packet, Turn::AfterDrop);
        if self.turn == Turn::First {
            // A mark ends the call, so the next drop is set here.
            self.drop_next = control_law(self.drop_next, self.interval, self.count);
        }
        verdict
    }

    fn decide(&mut self, now: Instant, packet: &Packet, ok: bool) -> Verdict {
        if self.turn == Turn::AfterEntering {
            self.turn = Turn::First;
            Verdict::Pass
        } else if self.dropping {
            self.continue_dropping(now, packet, ok)
        } else if ok {
            self.enter(now);
            self.punish(packet, Turn::AfterEntering)
        } else {
            Verdict::Pass
        }
    }
}

impl Policy for Codel {
    fn on_arrival(&mut self, _now: Instant, _packet: &Packet, _queue: &mut QueueView<'_>, _rng: &mut Rng) -> Verdict {
        Verdict::Pass
    }

    fn on_departure(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, _rng: &mut Rng) -> Verdict {
        let sojourn = now.since(packet.enqueued_at);
        let ok = self.ok_to_drop(now, sojourn, queue.bytes());
        let verdict = self.decide(now, packet, ok);
        let late = self.ce_threshold.is_some_and(|threshold| sojourn > threshold);
        if verdict == Verdict::Pass && late && packet.ecn.is_capable() {
            return Verdict::Mark(Reason::SOJOURN);
        }
        verdict
    }

    fn on_idle(&mut self, _now: Instant) {
        // `dodequeue` of an empty queue: not ok to drop. An entering drop does not look at it.
        self.first_above_time = None;
        if self.turn != Turn::AfterEntering {
            self.dropping = false;
        }
        self.turn = Turn::First;
    }

    fn probes(&self) -> &'static [&'static str] {
        &["count", "dropping"]
    }

    fn probe(&self, index: usize) -> f64 {
        match index {
            0 => self.count as f64,
            _ => f64::from(u8::from(self.dropping)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{Body, Ecn, FlowId};
    use crate::queue::{Context, Event, Managed, QueueDiscipline, What};
    use crate::rig::{args, at};

    /// A CoDel queue whose packets all came at time zero, numbered from 0.
    struct Standing {
        queue: Managed<Codel>,
        cx: Context,
    }

    impl Standing {
        fn of(packets: u64, settings: &[(&str, &str)], ecn: Ecn) -> Self {
            let params = args(&ENTRY, None, settings).typed::<Params>();
            let mut queue = Managed::new(params.codel(), Limit::packets(100_000));
            let mut cx = Context::new(Rng::named(1, "test"));
            for seq in 0..packets {
                queue.enqueue(at(0.0), Packet::datagram(FlowId(0), seq, 1000).with_ecn(ecn), &mut cx);
            }
            Standing { queue, cx }
        }

        /// Number of the packet that comes out at `millis`.
        fn take(&mut self, millis: f64) -> Option<u64> {
            self.queue.dequeue(at(millis / 1e3), &mut self.cx).as_ref().map(number)
        }

        /// Numbers dropped and marked since the last call.
        fn events(&mut self) -> (Vec<u64>, Vec<u64>) {
            let events: Vec<Event> = self.cx.events.drain().collect();
            let of = |drop: bool| {
                let chosen = events.iter().filter(|event| matches!(event.what, What::Drop(_)) == drop);
                chosen.map(|event| number(&event.packet)).collect()
            };
            (of(true), of(false))
        }
    }

    fn number(packet: &Packet) -> u64 {
        match packet.body {
            Body::Datagram { seq, .. } => seq,
            _ => unreachable!("only datagrams were queued"),
        }
    }

    #[test]
    fn nothing_is_dropped_before_a_whole_interval_above_target() {
        let mut standing = Standing::of(20, &[], Ecn::NotEct);

        // First above target at 5 ms, so that the interval ends at 105 ms.
        assert_eq!([4.999, 5.0, 60.0, 104.999].map(|t| standing.take(t)), [Some(0), Some(1), Some(2), Some(3)]);
        assert_eq!(standing.events(), (vec![], vec![]));
        assert_eq!(standing.take(105.0), Some(5));
        assert_eq!(standing.events(), (vec![4], vec![]));
    }

    #[test]
    fn the_packet_after_the_entering_drop_is_sent_and_not_lost() {
        // Packet 1 is chosen at 106 ms; 2 comes out and no other vanishes.
        let mut standing = Standing::of(20, &[], Ecn::NotEct);

        assert_eq!(standing.take(6.0), Some(0));
        assert_eq!(standing.take(106.0), Some(2));
        assert_eq!(standing.events().0, [1]);
        assert_eq!(standing.take(107.0), Some(3));
        assert_eq!(standing.events().0, Vec::<u64>::new());
    }

    #[test]
    fn drops_come_at_the_control_laws_times() {
        // Entered at 106 ms with count 1: drop_next = 206, then + 100/sqrt(2), + 100/sqrt(3) ...
        let mut standing = Standing::of(1000, &[], Ecn::NotEct);
        standing.take(6.0);
        standing.take(106.0);
        standing.events();

        let mut due = 206.0;
        for count in 2..6 {
            standing.take(due - 0.001);
            assert_eq!(standing.events().0.len(), 0, "before drop {count}");
            standing.take(due + 0.000_1);
            assert_eq!(standing.events().0.len(), 1, "at drop {count}");
            due += 100.0 / f64::from(count).sqrt();
        }
    }

    #[test]
    fn one_call_drops_as_many_as_are_due() {
        // At 400 ms drops are due at 206, 276.7, 334.4, 384.4 (100/sqrt(4) later) and not yet at 429.2.
        let mut standing = Standing::of(1000, &[], Ecn::NotEct);
        standing.take(6.0);
        standing.take(106.0);
        standing.events();

        assert_eq!(standing.take(400.0), Some(7));
        assert_eq!(standing.events().0, [3, 4, 5, 6]);
    }

    #[test]
    fn the_last_mtu_is_never_dropped() {
        // Of three packets, two wait behind the first and one behind the second.
        let mut standing = Standing::of(3, &[("mtu", "1000B")], Ecn::NotEct);

        assert_eq!([200.0, 400.0, 600.0].map(|t| standing.take(t)), [Some(0), Some(1), Some(2)]);
        assert_eq!(standing.take(601.0), None);
        assert_eq!(standing.events().0, Vec::<u64>::new());
    }

    #[test]
    fn a_wait_below_target_ends_dropping() {
        let mut standing = Standing::of(10, &[], Ecn::NotEct);
        standing.take(6.0);
        standing.take(106.0);
        for seq in 10..40 {
            standing.queue.enqueue(at(0.3), Packet::datagram(FlowId(0), seq, 1000), &mut standing.cx);
        }
        // Packets 3 to 9 leave before 206 ms; at 301 ms packet 10 has waited 1 ms.
        for seq in 3..10 {
            assert_eq!(standing.take(150.0), Some(seq));
        }
        assert_eq!(standing.take(301.0), Some(10));

        assert!(!standing.queue.policy().dropping);
        assert_eq!(standing.take(310.0), Some(11), "a new interval begins");
        assert_eq!(standing.take(409.0), Some(12));
        assert_eq!(standing.take(411.0), Some(14));
        assert_eq!(standing.events().0, [1, 13]);
    }

    #[test]
    fn coming_back_soon_resumes_at_the_former_rate() {
        let mut codel = Params::default().codel();
        codel.count = 7;
        codel.lastcount = 2;
        codel.drop_next = at(1.0);

        // Within 16 intervals of drop_next: count = 7 - 2.
        let mut soon = codel.clone();
        soon.enter(at(2.599));
        assert_eq!((soon.count, soon.lastcount), (5, 5));
        assert_eq!(soon.drop_next, control_law(at(2.599), Duration::from_millis(100), 5));

        let mut late = codel.clone();
        late.enter(at(2.6));
        assert_eq!(late.count, 1);

        // A single drop more than last time starts over.
        codel.lastcount = 6;
        codel.enter(at(1.5));
        assert_eq!(codel.count, 1);
    }

    #[test]
    fn a_mark_takes_the_place_of_the_drop() {
        let mut standing = Standing::of(1000, &[("ecn", "true")], Ecn::Ect0);
        standing.take(6.0);

        // Entering marks packet 1 and sends it; drop_next is 206 ms.
        assert_eq!(standing.take(106.0), Some(1));
        assert_eq!(standing.events(), (vec![], vec![1]));
        assert_eq!(standing.take(205.0), Some(2));
        assert_eq!(standing.take(206.0), Some(3));
        // 206 + 100/sqrt(2) = 276.7.
        assert_eq!(standing.take(276.0), Some(4));
        assert_eq!(standing.take(277.0), Some(5));
        assert_eq!(standing.events(), (vec![], vec![3, 5]));
    }

    #[test]
    fn the_ce_threshold_marks_whoever_waited_longer() {
        let mut standing = Standing::of(10, &[("ce_threshold", "1ms")], Ecn::Ect1);

        standing.take(1.0);
        standing.take(1.1);

        assert_eq!(standing.events(), (vec![], vec![1]));
    }

    #[test]
    fn an_empty_queue_ends_the_interval_and_dropping() {
        let mut standing = Standing::of(5, &[], Ecn::NotEct);
        standing.take(6.0);
        standing.take(106.0);
        for _ in 0..3 {
            standing.take(110.0);
        }

        assert_eq!(standing.take(111.0), None);

        assert!(!standing.queue.policy().dropping);
        assert_eq!(standing.queue.policy().first_above_time, None);
    }
}
