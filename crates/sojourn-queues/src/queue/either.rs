//! One of two policies: a law, and the same law in another arithmetic. The parameter `arithmetic` chooses.

use super::{Backlog, Dropped, Policy, QueueView, Verdict};
use crate::packet::Packet;
use crate::rng::Rng;
use crate::units::Instant;

/// A law in real numbers or in the kernel's arithmetic.
#[derive(Clone, Debug)]
pub enum Either<R, K> {
    /// The law as published.
    Real(R),
    /// The law as in Linux.
    Kernel(K),
}

/// The same call for either policy.
macro_rules! each {
    ($either:expr, $policy:ident => $call:expr) => {
        match $either {
            Either::Real($policy) => $call,
            Either::Kernel($policy) => $call,
        }
    };
}

impl<R: Policy, K: Policy> Policy for Either<R, K> {
    fn on_arrival(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        each!(self, policy => policy.on_arrival(now, packet, queue, rng))
    }
    fn on_enqueued(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>) {
        each!(self, policy => policy.on_enqueued(now, packet, queue));
    }
    fn on_departure(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        each!(self, policy => policy.on_departure(now, packet, queue, rng))
    }
    fn on_transmission(&mut self, now: Instant, packet: &mut Packet, waiting: Backlog) {
        each!(self, policy => policy.on_transmission(now, packet, waiting));
    }
    fn on_drop(&mut self, now: Instant, packet: &Packet, dropped: Dropped, queue: &mut QueueView<'_>) {
        each!(self, policy => policy.on_drop(now, packet, dropped, queue));
    }
    fn on_idle(&mut self, now: Instant) {
        each!(self, policy => policy.on_idle(now));
    }
    fn next_deadline(&self) -> Option<Instant> {
        each!(self, policy => policy.next_deadline())
    }
    fn on_deadline(&mut self, now: Instant, queue: &mut QueueView<'_>) {
        each!(self, policy => policy.on_deadline(now, queue));
    }
    fn rests(&self) -> bool {
        each!(self, policy => policy.rests())
    }
    fn rest_until(&mut self, until: Instant) {
        each!(self, policy => policy.rest_until(until));
    }
    fn decides_on_arrival(&self) -> bool {
        each!(self, policy => policy.decides_on_arrival())
    }
    fn shows_head(&self) -> bool {
        each!(self, policy => policy.shows_head())
    }
    fn sends_chokes(&self) -> bool {
        each!(self, policy => policy.sends_chokes())
    }
    fn is_stuck(&self) -> bool {
        each!(self, policy => policy.is_stuck())
    }
    fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Either::Real(policy), Either::Real(other)) => policy.is_like(other),
            (Either::Kernel(policy), Either::Kernel(other)) => policy.is_like(other),
            _ => false,
        }
    }
    fn take_over(&mut self, other: &Self) {
        match (self, other) {
            (Either::Real(policy), Either::Real(other)) => policy.take_over(other),
            (Either::Kernel(policy), Either::Kernel(other)) => policy.take_over(other),
            _ => {}
        }
    }
    fn probes(&self) -> &'static [&'static str] {
        each!(self, policy => policy.probes())
    }
    fn probe(&self, index: usize) -> f64 {
        each!(self, policy => policy.probe(index))
    }
}
