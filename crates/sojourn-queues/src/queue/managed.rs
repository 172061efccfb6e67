//! A queue discipline of any policy over a first-in first-out queue.

use super::{Backlog, Context, Limit, Policed, Policy, QueueDiscipline};
use crate::packet::Packet;
use crate::units::Instant;

/// The policy `P` over a [`Buffer`](super::Buffer).
#[derive(Clone, Debug)]
pub struct Managed<P> {
    queue: Policed<P>,
    transmitting: bool,
}

impl<P: Policy> Managed<P> {
    /// An empty queue of at most `limit` under `policy`. The link is idle.
    pub fn new(policy: P, limit: Limit) -> Self {
        Managed { queue: Policed::new(policy, limit), transmitting: false }
    }

    /// The policy.
    pub fn policy(&self) -> &P {
        self.queue.policy()
    }

    /// The transmitter gets the next packet, or has nothing to do.
    #[inline(always)]
    fn transmits<T>(&mut self, now: Instant, next: Option<T>) -> Option<T> {
        self.transmitting = next.is_some();
        if next.is_none() {
            self.queue.policy_mut().on_idle(now);
        }
        next
    }
}

impl<P: Policy> QueueDiscipline for Managed<P> {
    fn enqueue(&mut self, now: Instant, packet: Packet, cx: &mut Context) {
        self.queue.enqueue(now, packet, self.transmitting, cx);
    }

    fn admit(&mut self, now: Instant, packet: &mut Packet, cx: &mut Context) -> bool {
        self.queue.admit(now, packet, self.transmitting, cx)
    }

    fn depart(&mut self, now: Instant, size: Option<u32>, _cx: &mut Context) {
        if let Some(size) = size {
            self.queue.depart(size);
        }
        self.transmits(now, size);
    }

    fn dequeue(&mut self, now: Instant, cx: &mut Context) -> Option<Packet> {
        let packet = self.queue.dequeue(now, cx);
        self.transmits(now, packet)
    }

    fn next_deadline(&self) -> Option<Instant> {
        self.policy().next_deadline()
    }

    fn on_deadline(&mut self, now: Instant, cx: &mut Context) {
        self.queue.on_deadline(now, self.transmitting, cx);
    }

    fn rests(&self) -> bool {
        self.backlog().packets == 0 && self.policy().rests()
    }

    fn rest_until(&mut self, until: Instant) {
        self.queue.policy_mut().rest_until(until);
    }

    fn decides_on_arrival(&self) -> bool {
        self.policy().decides_on_arrival()
    }

    fn sends_chokes(&self) -> bool {
        self.policy().sends_chokes()
    }

    fn is_stuck(&self) -> bool {
        self.policy().is_stuck()
    }

    fn head(&self) -> Option<u32> {
        let head = if self.policy().shows_head() { self.queue.head() } else { None };
        head.map(|packet| packet.size)
    }

    fn backlog(&self) -> Backlog {
        self.queue.backlog()
    }

    fn limit(&self) -> Limit {
        self.queue.limit()
    }

    fn probes(&self) -> &'static [&'static str] {
        self.policy().probes()
    }

    fn probe(&self, index: usize) -> f64 {
        self.policy().probe(index)
    }
}
