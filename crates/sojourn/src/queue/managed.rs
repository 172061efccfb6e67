//! A queue discipline of any policy over a first-in first-out queue.

use super::{Backlog, Buffer, Context, Limit, Policy, QueueDiscipline, QueueView, Reason, Verdict};
use crate::packet::Packet;
use crate::units::Instant;

/// `P` deciding over a [`Buffer`].
#[derive(Clone, Debug)]
pub struct Managed<P> {
    policy: P,
    fifo: Buffer,
    transmitting: bool,
}

impl<P: Policy> Managed<P> {
    /// An empty queue of at most `limit` under `policy`; the link is idle.
    pub fn new(policy: P, limit: Limit) -> Self {
        Managed { policy, fifo: Buffer::new(limit), transmitting: false }
    }

    /// Whether a packet that has come is queued; it is marked if that is decided.
    #[inline(always)]
    fn decide(&mut self, now: Instant, packet: &mut Packet, cx: &mut Context) -> bool {
        let mut view = QueueView::new(&mut self.fifo, &mut cx.events, self.transmitting);
        let verdict = self.policy.on_arrival(now, packet, &mut view, &mut cx.rng);
        if let Verdict::Drop(reason) = verdict {
            cx.events.drop(now, *packet, reason);
            return false;
        }
        if !self.fifo.admits(packet) {
            let mut full = QueueView::new(&mut self.fifo, &mut cx.events, self.transmitting);
            self.policy.on_overflow(now, packet, &mut full);
            cx.events.drop(now, *packet, Reason::OVERFLOW);
            return false;
        }
        match verdict {
            Verdict::Mark(reason) => cx.events.mark_or_drop(now, packet, reason),
            _ => true,
        }
    }

    #[inline(always)]
    fn joined(&mut self, now: Instant, cx: &mut Context) {
        let mut view = QueueView::new(&mut self.fifo, &mut cx.events, self.transmitting);
        self.policy.on_enqueued(now, &mut view);
    }

    /// The policy.
    pub fn policy(&self) -> &P {
        &self.policy
    }
}

impl<P: Policy> QueueDiscipline for Managed<P> {
    fn enqueue(&mut self, now: Instant, mut packet: Packet, cx: &mut Context) {
        if self.decide(now, &mut packet, cx) {
            self.fifo.push(now, packet);
            self.joined(now, cx);
        }
    }

    fn admit(&mut self, now: Instant, packet: &mut Packet, cx: &mut Context) -> bool {
        let is_admitted = self.decide(now, packet, cx);
        if is_admitted {
            self.fifo.push_stub(now, packet.size);
            self.joined(now, cx);
        }
        is_admitted
    }

    fn depart(&mut self, now: Instant, _cx: &mut Context) -> Option<(Instant, u32)> {
        let stub = self.fifo.pop_stub();
        self.transmitting = stub.is_some();
        if stub.is_none() {
            self.policy.on_idle(now);
        }
        stub
    }

    fn dequeue(&mut self, now: Instant, cx: &mut Context) -> Option<Packet> {
        while let Some(mut packet) = self.fifo.pop() {
            self.transmitting = true;
            let mut view = QueueView::new(&mut self.fifo, &mut cx.events, true);
            match self.policy.on_departure(now, &packet, &mut view, &mut cx.rng) {
                Verdict::Pass => {}
                Verdict::Mark(reason) => {
                    if !cx.events.mark_or_drop(now, &mut packet, reason) {
                        continue;
                    }
                }
                Verdict::Drop(reason) => {
                    cx.events.drop(now, packet, reason);
                    continue;
                }
            }
            self.policy.on_transmission(now, &mut packet, self.fifo.backlog());
            return Some(packet);
        }
        self.transmitting = false;
        self.policy.on_idle(now);
        None
    }

    fn next_deadline(&self) -> Option<Instant> {
        self.policy.next_deadline()
    }

    fn on_deadline(&mut self, now: Instant, cx: &mut Context) {
        let mut view = QueueView::new(&mut self.fifo, &mut cx.events, self.transmitting);
        self.policy.on_deadline(now, &mut view);
    }

    fn decides_on_arrival(&self) -> bool {
        self.policy.decides_on_arrival()
    }

    fn sends_chokes(&self) -> bool {
        self.policy.sends_chokes()
    }

    fn backlog(&self) -> Backlog {
        self.fifo.backlog()
    }

    fn limit(&self) -> Limit {
        self.fifo.limit()
    }

    fn probes(&self) -> &'static [&'static str] {
        self.policy.probes()
    }

    fn probe(&self, index: usize) -> f64 {
        self.policy.probe(index)
    }
}
