//! Every policy's packets lead one life inside every discipline, and a policy that breaks a rule of it is caught.

use super::*;
use crate::conformance::random_operations;
use crate::packet::{Ecn, FlowId};
use crate::queue::entry::Build;
use crate::queue::{Buffer, Context, LinkContext, Reason};
use crate::registry::POLICIES;
use crate::units::Duration;

/// Decides at random, takes out waiting packets in any hook, and leaves a tag of its own with every other packet.
struct Wild {
    rng: Rng,
    came: Tag,
    due: Instant,
}

impl Wild {
    fn boxed(seed: u64) -> Box<dyn Policy> {
        Box::new(Wild { rng: Rng::named(seed, "wild"), came: 0, due: Instant::ZERO + Duration::from_millis(3) })
    }

    fn verdict(&mut self) -> Verdict {
        match self.rng.below(8) {
            0 => Verdict::Drop(Reason::EARLY),
            1 => Verdict::Mark(Reason::EARLY),
            _ => Verdict::Pass,
        }
    }

    fn takes_out(&mut self, now: Instant, queue: &mut QueueView<'_>) {
        while self.rng.below(10) == 0 && queue.packets() > 0 {
            let index = self.rng.below(queue.packets()) as usize;
            assert!(queue.drop_at(now, index, Reason::UNFAIR).is_some());
        }
    }
}

impl Policy for Wild {
    fn on_arrival(&mut self, now: Instant, _packet: &Packet, queue: &mut QueueView<'_>, _rng: &mut Rng) -> Verdict {
        self.came += 1;
        queue.leave(if self.came.is_multiple_of(2) { self.came } else { 0 });
        self.takes_out(now, queue);
        self.verdict()
    }

    fn on_enqueued(&mut self, now: Instant, _packet: &Packet, queue: &mut QueueView<'_>) {
        self.takes_out(now, queue);
    }

    fn on_departure(&mut self, now: Instant, _packet: &Packet, queue: &mut QueueView<'_>, _rng: &mut Rng) -> Verdict {
        self.takes_out(now, queue);
        self.verdict()
    }

    fn on_drop(&mut self, now: Instant, _packet: &Packet, _dropped: Dropped, queue: &mut QueueView<'_>) {
        self.takes_out(now, queue);
    }

    fn next_deadline(&self) -> Option<Instant> {
        Some(self.due)
    }

    fn on_deadline(&mut self, now: Instant, queue: &mut QueueView<'_>) {
        self.due = now + Duration::from_millis(3);
        self.takes_out(now, queue);
    }
}

#[test]
fn whatever_a_policy_does_its_packets_lead_one_life() {
    let mut ends = Vec::new();
    for around in Around::all() {
        for seed in 0..40 {
            for (load, limit) in [(0.9, 100), (2.0, 20), (4.0, 3)] {
                let operations = random_operations(seed, 300, load);
                let made = std::cell::Cell::new(1000 * seed);
                let policy = || {
                    made.set(made.get() + 1);
                    Wild::boxed(made.get())
                };
                let trace = check(around, &policy, Limit::packets(limit), seed, &operations);
                match trace {
                    Ok(trace) => ends.push(trace.events.len()),
                    Err(broken) => panic!("{around:?}, seed {seed}, load {load}, limit {limit}: {broken}"),
                }
            }
        }
    }
    assert!(ends.iter().sum::<usize>() > 10_000, "a watch that sees nothing proves nothing");
}

macro_rules! faults {
    ($($fault:ident,)*) => {
        /// One rule broken; [`Fault::None`] breaks none.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        enum Fault {
            None,
            $($fault,)*
        }

        const FAULTS: &[Fault] = &[$(Fault::$fault,)*];
    };
}

faults! {
    RefusalUntold,
    RefusalToldTwice,
    OverflowUntold,
    OverflowByPolicy,
    RefusalByBuffer,
    JoinUntold,
    JoinToldTwice,
    JoinAfterRefusal,
    JoinBeforeQueued,
    OtherPacket,
    TagForgotten,
    TagOfAnother,
    TakenOutUntold,
    TakenOutByAround,
    TakenOutLate,
    DepartureUntold,
    DepartureWhileWaiting,
    DropAtHeadUntold,
    DropAtHeadSent,
    SentUntold,
    SentToldTwice,
    DropUnrecorded,
    PushedOutUntold,
    IdleWhileWaiting,
}

/// Packets for which a careless discipline has room where it pushes out instead.
const ROOMY: u64 = 100;

/// A discipline that leads packets past a policy and breaks one rule at its first chance and at every later one.
struct Careless {
    policy: Watched<Box<dyn Policy>>,
    buffer: Buffer,
    last_tag: Tag,
    fault: Fault,
}

impl Careless {
    fn is(&self, fault: Fault) -> bool {
        self.fault == fault
    }

    fn tell_taken_out(&mut self, now: Instant, cx: &mut Context) {
        while let Some((packet, tag)) = self.buffer.next_taken_out() {
            let dropped = if self.is(Fault::TakenOutByAround) { Dropped::PUSHED_OUT } else { Dropped::TAKEN_OUT };
            if !self.is(Fault::TakenOutUntold) {
                self.policy.on_drop(now, &packet, dropped, &mut view(&mut self.buffer, cx, tag));
            }
        }
    }

    fn dropped(&mut self, now: Instant, packet: &Packet, tag: Tag, dropped: Dropped, cx: &mut Context) {
        let (told, dropped) = match (self.fault, dropped) {
            (Fault::RefusalUntold, Dropped::REFUSED)
            | (Fault::OverflowUntold, Dropped::OVERFLOW)
            | (Fault::DropAtHeadUntold, Dropped::AT_HEAD)
            | (Fault::PushedOutUntold, Dropped::PUSHED_OUT) => (0, dropped),
            (Fault::RefusalToldTwice, Dropped::REFUSED) => (2, dropped),
            (Fault::OverflowByPolicy, Dropped::OVERFLOW) => (1, Dropped::REFUSED),
            (Fault::RefusalByBuffer, Dropped::REFUSED) => (1, Dropped::OVERFLOW),
            _ => (1, dropped),
        };
        for _ in 0..told {
            self.policy.on_drop(now, packet, dropped, &mut view(&mut self.buffer, cx, tag));
        }
        if !self.is(Fault::DropUnrecorded) {
            cx.events.drop(now, *packet, Reason::EARLY);
        }
        self.tell_taken_out(now, cx);
    }

    fn join(&mut self, now: Instant, packet: &Packet, tag: Tag, cx: &mut Context) {
        let other = Packet { size: packet.size + 1, ..*packet };
        let shown = if self.is(Fault::OtherPacket) { &other } else { packet };
        let early = self.is(Fault::JoinBeforeQueued);
        let given = match self.fault {
            Fault::TagForgotten => 0,
            Fault::TagOfAnother => std::mem::replace(&mut self.last_tag, tag),
            _ => tag,
        };
        if early {
            self.policy.on_enqueued(now, shown, &mut view(&mut self.buffer, cx, given));
        }
        self.buffer.push(now, *packet, tag);
        let told = if self.is(Fault::JoinUntold) || early { 0 } else { 1 + u32::from(self.is(Fault::JoinToldTwice)) };
        for _ in 0..told {
            self.policy.on_enqueued(now, shown, &mut view(&mut self.buffer, cx, given));
        }
        self.tell_taken_out(now, cx);
    }
}

/// Sight of the queue on a busy link.
fn view<'a>(buffer: &'a mut Buffer, cx: &'a mut Context, tag: Tag) -> QueueView<'a> {
    QueueView::new(buffer, &mut cx.events, true).about(tag)
}

impl QueueDiscipline for Careless {
    fn enqueue(&mut self, now: Instant, mut packet: Packet, cx: &mut Context) {
        let mut arrival = QueueView::new(&mut self.buffer, &mut cx.events, true);
        let verdict = self.policy.on_arrival(now, &packet, &mut arrival, &mut cx.rng);
        let tag = arrival.tag();
        if !self.is(Fault::TakenOutLate) {
            self.tell_taken_out(now, cx);
        }
        match verdict {
            Verdict::Drop(_) if !self.is(Fault::JoinAfterRefusal) => {
                self.dropped(now, &packet, tag, Dropped::REFUSED, cx);
                return;
            }
            _ if !self.buffer.admits(&packet) => {
                self.dropped(now, &packet, tag, Dropped::OVERFLOW, cx);
                return;
            }
            Verdict::Mark(reason) if packet.ecn.is_capable() => cx.events.mark(now, &mut packet, reason),
            Verdict::Mark(_) => {
                self.dropped(now, &packet, tag, Dropped::REFUSED, cx);
                return;
            }
            _ => {}
        }
        self.join(now, &packet, tag, cx);
        // A roomy buffer is as that of a flow queue that holds more than its limit.
        if self.buffer.limit().packets == ROOMY
            && self.buffer.backlog().packets > 3
            && let Some((head, its_tag)) = self.buffer.pop()
        {
            self.dropped(now, &head, its_tag, Dropped::PUSHED_OUT, cx);
        }
    }

    fn dequeue(&mut self, now: Instant, cx: &mut Context) -> Option<Packet> {
        loop {
            if self.is(Fault::DepartureWhileWaiting) && self.buffer.get(0).is_some() {
                let head = *self.buffer.get(0)?;
                let _ =
                    self.policy.on_departure(now, &head, &mut view(&mut self.buffer, cx, 0), &mut Rng::named(1, ""));
            }
            let Some((mut packet, tag)) = self.buffer.pop() else { break };
            if self.is(Fault::DepartureUntold) {
                self.policy.on_transmission(now, &mut packet, self.buffer.backlog());
                return Some(packet);
            }
            let mut rng = Rng::named(1, "departure");
            let verdict = self.policy.on_departure(now, &packet, &mut view(&mut self.buffer, cx, tag), &mut rng);
            self.tell_taken_out(now, cx);
            match verdict {
                Verdict::Mark(reason) if packet.ecn.is_capable() => cx.events.mark(now, &mut packet, reason),
                Verdict::Drop(_) | Verdict::Mark(_) if !self.is(Fault::DropAtHeadSent) => {
                    self.dropped(now, &packet, tag, Dropped::AT_HEAD, cx);
                    continue;
                }
                _ => {}
            }
            let told = match self.fault {
                Fault::SentUntold => 0,
                Fault::SentToldTwice => 2,
                _ => 1,
            };
            for _ in 0..told {
                self.policy.on_transmission(now, &mut packet, self.buffer.backlog());
            }
            if self.is(Fault::IdleWhileWaiting) {
                self.policy.on_idle(now);
            }
            return Some(packet);
        }
        self.policy.on_idle(now);
        None
    }

    fn next_deadline(&self) -> Option<Instant> {
        self.policy.next_deadline()
    }

    fn on_deadline(&mut self, now: Instant, cx: &mut Context) {
        self.policy.on_deadline(now, &mut QueueView::new(&mut self.buffer, &mut cx.events, true));
        self.tell_taken_out(now, cx);
    }

    fn backlog(&self) -> Backlog {
        self.buffer.backlog()
    }

    fn limit(&self) -> Limit {
        self.buffer.limit()
    }
}

/// The report of the watch about a discipline with this fault. The watch assumes a flow queue around it, which may push packets out.
fn said(fault: Fault, limit: u64, seed: u64) -> Option<String> {
    let watch = Watch::default();
    let policy = watch.over(Wild::boxed(seed), Around::FlowQueue);
    let buffer = Buffer::new(Limit::packets(limit));
    let queue = Box::new(Careless { policy, buffer, last_tag: 0, fault });
    watch.check(queue, seed, &random_operations(seed, 300, 2.0)).err()
}

#[test]
fn a_discipline_that_breaks_no_rule_is_not_accused() {
    for seed in 0..20 {
        assert_eq!([said(Fault::None, 5, seed), said(Fault::None, ROOMY, seed)], [None, None]);
    }
}

#[test]
fn every_broken_rule_is_seen() {
    for &fault in FAULTS {
        let seen = (0..20)
            .filter(|seed| said(fault, if fault == Fault::PushedOutUntold { ROOMY } else { 5 }, *seed).is_some());
        assert_eq!(seen.count(), 20, "{fault:?}");
    }
}

/// A policy that decides on arrival hears of a packet until it has joined, also where the engine keeps the packets.
#[test]
fn what_the_engine_keeps_is_told_until_it_joins() {
    let watch = Watch::default();
    let red = POLICIES.iter().find(|entry| entry.name == "rio").expect("a policy that tags");
    let Build::Policy { policy, .. } = red.build else { unreachable!("it is a policy") };
    let args = red.args(None).expect("defaults");
    let inner = policy(&args, &LinkContext::default()).unwrap_or_else(|_| panic!("defaults"));
    let mut queue = Managed::new(watch.over(inner, Around::Nothing), Limit::packets(3));
    let mut cx = Context::new(Rng::named(1, "ahead"));

    let mut admitted = 0;
    for seq in 0..5 {
        let mut packet = Packet::datagram(FlowId(0), seq, 1000).with_ecn(Ecn::NotEct);
        admitted += u64::from(queue.admit(Instant::ZERO, &mut packet, &mut cx));
    }

    let log = watch.with(|log| log.clone());
    assert_eq!((admitted, log.came.len(), log.dropped.clone(), log.lives.len()), (3, 5, vec![3, 4], 3));
}

/// Decides on arrival, and wants to be called a while after each: the engine would not ask.
struct Late(Instant);

impl Policy for Late {
    fn on_arrival(&mut self, now: Instant, _packet: &Packet, _queue: &mut QueueView<'_>, _rng: &mut Rng) -> Verdict {
        self.0 = now + Duration::from_millis(3);
        Verdict::Pass
    }

    fn next_deadline(&self) -> Option<Instant> {
        Some(self.0)
    }

    fn on_deadline(&mut self, now: Instant, _queue: &mut QueueView<'_>) {
        self.0 = now + Duration::from_millis(3);
    }

    fn decides_on_arrival(&self) -> bool {
        true
    }
}

#[test]
fn a_policy_that_decides_on_arrival_and_moves_its_deadline_there_is_caught() {
    let late = || -> Box<dyn Policy> { Box::new(Late(Instant::ZERO + Duration::from_millis(3))) };
    let found = check(Around::Nothing, &late, Limit::packets(20), 1, &random_operations(1, 300, 0.9));
    assert!(found.is_err_and(|broken| broken.contains("moves the deadline")));
}
