//! Delivers a packet to an endpoint ahead of time, which saves two of four events.
//!
//! When a packet leaves the last place at which its way crosses that of others, the time at which it reaches the end of its
//! route is known. The actions of an end depend on its packets and its own timers alone, and all its packets
//! come over that place, in order. So the end may be called at once with that time, if its packets go over a link of its own: where these
//! meet others, there is an event at the right time again.
//!
//! An end is never called for a time at which somebody may look at it or tell it something first: [`Simulation::look_ahead`]
//! names the horizon, and packets that come after it are put off until the next one.

pub(in crate::sim) mod foresight;

use std::cmp::Reverse;

use super::super::event_queue::NEVER;
use super::super::hop::Hop;
use super::super::state::{RECEIVER, SENDER, Simulation};
use crate::units::Instant;
use foresight::Foresight;

impl Simulation {
    /// The end of the next part of a run, at most `until`: before it no end is looked at and no flow stops. Hands the ends packets that
    /// were put off and arrive by then.
    ///
    /// The horizon stays until all events up to it have been handled: if several flows stop at one time, for example, the last one does not
    /// get later packets before it has stopped too, wherever a slice ends.
    pub(in crate::sim) fn look_ahead(&mut self, until: u64) -> u64 {
        let foresight = &self.foresight;
        if !foresight.is_reached {
            return foresight.horizon;
        }
        let stop = foresight.stops.last().copied().unwrap_or(NEVER);
        let horizon = foresight.next_sample.into_iter().fold(until.min(stop), u64::min);
        self.foresight.horizon = horizon;
        while let Some(&Reverse((time, _, side, handle))) = self.foresight.put_off.peek()
            && time <= horizon
        {
            self.foresight.put_off.pop();
            let time = Instant::from_nanos(time);
            if side == RECEIVER { self.tell::<RECEIVER>(time, handle) } else { self.tell::<SENDER>(time, handle) }
        }
        horizon
    }

    /// Removes the stop that has just been handled.
    pub(in crate::sim) fn stopped(&mut self, now: Instant) {
        let stops = &mut self.foresight.stops;
        if stops.last().is_some_and(|stop| *stop <= now.as_nanos()) {
            stops.pop();
        }
    }

    /// A packet will reach the end of its route at `time`.
    #[inline(always)]
    pub(in crate::sim) fn reach_end(&mut self, time: Instant, end: Hop, handle: u32) {
        if time.as_nanos() > self.foresight.horizon {
            self.put_off(time, handle, if end.is_receiver() { RECEIVER } else { SENDER });
        } else if end.is_receiver() {
            self.tell::<RECEIVER>(time, handle);
        } else {
            self.tell::<SENDER>(time, handle);
        }
    }

    #[cold]
    fn put_off(&mut self, time: Instant, handle: u32, side: usize) {
        let Foresight { put_off, count, .. } = &mut self.foresight;
        put_off.push(Reverse((time.as_nanos(), *count, side, handle)));
        *count += 1;
    }

    /// Hands a packet to an end that it will reach at `time`.
    #[inline(never)]
    fn tell<const SIDE: usize>(&mut self, time: Instant, handle: u32) {
        let packet = self.outbox.pool.take(handle);
        let flow = packet.flow.0 as usize;
        if self.flows[flow].armed[SIDE] < time.as_nanos() {
            self.fire_before(time, flow, SIDE);
        }
        self.deliver::<SIDE>(time, &packet);
    }

    /// An end's timers that run out before `time` come first. Their events find nothing to do.
    #[cold]
    fn fire_before(&mut self, time: Instant, flow: usize, side: usize) {
        while self.flows[flow].armed[side] < time.as_nanos() {
            let due = Instant::from_nanos(self.flows[flow].armed[side]);
            self.fire(due, flow, side);
        }
    }
}

#[cfg(test)]
mod tests;
