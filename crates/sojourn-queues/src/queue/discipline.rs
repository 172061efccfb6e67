//! Disciplines: owners of packets between arrival and transmission.

use super::{Backlog, Context, Limit, What};
use crate::packet::{Ecn, Packet};
use crate::units::{Duration, Instant};

/// Owns packets between arrival and transmission.
pub trait QueueDiscipline: Send {
    /// A packet arrives. The discipline takes it, or drops this packet or others (see [`Context::events`]).
    fn enqueue(&mut self, now: Instant, packet: Packet, cx: &mut Context);

    /// The next packet to transmit. The link calls this when its transmitter becomes free, and after each `enqueue` while it is free. With
    /// `None` the transmitter is idle.
    fn dequeue(&mut self, now: Instant, cx: &mut Context) -> Option<Packet>;

    /// For how long the packet of the last [`QueueDiscipline::dequeue`] had been in transmission by then, where the discipline does a part
    /// of the sending. That time is no wait.
    fn sending(&self) -> Duration {
        Duration::ZERO
    }

    /// Like [`QueueDiscipline::enqueue`], for a discipline that decides on arrival: the caller keeps the packet, and the discipline marks
    /// it if it so decides. Returns whether the packet was admitted.
    fn admit(&mut self, now: Instant, packet: &mut Packet, cx: &mut Context) -> bool {
        self.enqueue(now, *packet, cx);
        let events = cx.events.as_slice();
        if events.iter().any(|event| matches!(event.what, What::Mark(_))) {
            packet.ecn = Ecn::Ce;
        }
        !events.iter().any(|event| matches!(event.what, What::Drop(_)))
    }

    /// Like [`QueueDiscipline::dequeue`], after [`QueueDiscipline::admit`]: the first of the admitted packets leaves, which has this size.
    /// `None` says that none is left.
    fn depart(&mut self, now: Instant, size: Option<u32>, cx: &mut Context) {
        let left = self.dequeue(now, cx);
        debug_assert_eq!(left.map(|packet| packet.size), size, "what is admitted leaves in order");
    }

    /// The time of the next call of [`QueueDiscipline::on_deadline`], if the discipline wants one. Asked after every call that may change
    /// it.
    fn next_deadline(&self) -> Option<Instant> {
        None
    }

    /// Periodic work at the time that [`QueueDiscipline::next_deadline`] returned.
    fn on_deadline(&mut self, _now: Instant, _cx: &mut Context) {}

    /// Whether deadlines over an idle link need not be called for until a packet comes ([`Policy::rests`](super::Policy::rests)).
    fn rests(&self) -> bool {
        false
    }

    /// No deadline before `until` was called for ([`Policy::rest_until`](super::Policy::rest_until)).
    fn rest_until(&mut self, _until: Instant) {}

    /// True if all of these hold:
    ///
    /// - packets leave in the order in which [`QueueDiscipline::enqueue`] admits them;
    /// - an admitted packet leaves as it is then: it is neither marked nor dropped later;
    /// - the deadline changes in [`QueueDiscipline::on_deadline`] alone.
    ///
    /// Asked once, before the first packet. The engine can then compute the departure of a packet when it arrives, which saves an event. It
    /// calls [`QueueDiscipline::admit`] in place of [`QueueDiscipline::enqueue`], and [`QueueDiscipline::depart`] in place of
    /// [`QueueDiscipline::dequeue`]. It calls `depart` later, with the time of the departure, but before the next call of another method.
    fn decides_on_arrival(&self) -> bool {
        false
    }

    /// True if the discipline may record [`Events::choke`](super::Events::choke). Asked once, before the first packet.
    fn sends_chokes(&self) -> bool {
        false
    }

    /// True if the discipline wants to see the choke packets for flows that leave by its link. Asked once, before the first packet.
    fn hears_chokes(&self) -> bool {
        false
    }

    /// A choke packet has reached the router on its way back to the sender of a flow that leaves by this link. Returns whether the packet
    /// goes on.
    fn on_choke(&mut self, _now: Instant, _choke: &Packet, _cx: &mut Context) -> bool {
        true
    }

    /// True if the discipline counts packets as waiting that have been dropped ([`Policy::is_stuck`](super::Policy::is_stuck)).
    fn is_stuck(&self) -> bool {
        false
    }

    /// Bytes of the packet that [`QueueDiscipline::dequeue`] returns next, if that is known before the call.
    fn head(&self) -> Option<u32> {
        None
    }

    /// The packets and bytes that wait now.
    fn backlog(&self) -> Backlog;

    /// True if [`QueueDiscipline::dequeue`] may return a packet after a deadline.
    fn has_something(&self) -> bool {
        self.backlog().packets > 0
    }

    /// The largest backlog that is allowed, if there is one bound for all packets.
    fn limit(&self) -> Limit {
        Limit::NONE
    }

    /// The names of internal values that can be traced (`avg`, `max_p`, `drop_prob` ...).
    fn probes(&self) -> &'static [&'static str] {
        &[]
    }

    /// The value of the probe at `index` of [`QueueDiscipline::probes`].
    fn probe(&self, _index: usize) -> f64 {
        f64::NAN
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::FlowId;
    use crate::queue::Reason;
    use crate::rng::Rng;
    use std::collections::VecDeque;

    /// It marks packets that understand marks and drops the others. It has only the methods that every discipline must have.
    #[derive(Default)]
    struct MarksAll(VecDeque<Packet>);

    impl QueueDiscipline for MarksAll {
        fn enqueue(&mut self, now: Instant, mut packet: Packet, cx: &mut Context) {
            packet.enqueued_at = now;
            if cx.events.mark_or_drop(now, &mut packet, Reason::EARLY) {
                self.0.push_back(packet);
            }
        }

        fn dequeue(&mut self, _now: Instant, _cx: &mut Context) -> Option<Packet> {
            self.0.pop_front()
        }

        fn backlog(&self) -> Backlog {
            Backlog { packets: self.0.len() as u64, bytes: self.0.iter().map(|packet| u64::from(packet.size)).sum() }
        }
    }

    #[test]
    fn what_a_discipline_admits_is_marked_with_the_caller_and_departs_by_size() {
        let mut queue = MarksAll::default();
        let mut cx = Context::new(Rng::named(1, "queue"));
        let now = Instant::from_nanos(7);
        let mut capable = Packet::datagram(FlowId(0), 0, 1000).with_ecn(Ecn::Ect0);
        let mut other = Packet::datagram(FlowId(0), 1, 500);

        assert!(queue.admit(now, &mut capable, &mut cx));
        cx.events.clear();
        assert!(!queue.admit(now, &mut other, &mut cx));

        assert_eq!((capable.ecn, other.ecn), (Ecn::Ce, Ecn::NotEct));
        assert_eq!(queue.backlog(), Backlog { packets: 1, bytes: 1000 });
        queue.depart(now, Some(1000), &mut cx);
        queue.depart(now, None, &mut cx);
        assert_eq!(queue.backlog(), Backlog::default());
    }
}
