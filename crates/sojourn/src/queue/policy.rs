//! Policies: decisions about packets in a queue that the policy does not own. The path that each packet takes through these hooks is in
//! [the description of the seam](super).

use super::{Backlog, QueueView, Reason};
use crate::packet::Packet;
use crate::rng::Rng;
use crate::units::Instant;

/// The decision of a policy about one packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Let it go on.
    Pass,
    /// Mark it (CE); a packet that is Not-ECT is dropped for the same reason instead. On arrival the buffer comes first: a packet
    /// for which there is no room is dropped as [`Dropped::OVERFLOW`], whether it could have been marked or not.
    Mark(Reason),
    /// Drop it.
    Drop(Reason),
}

/// Where in its life a packet was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// When it came: it has never been in the queue.
    Arrival,
    /// While it waited.
    Queue,
    /// When it was about to be sent: it has left the queue already.
    Departure,
}

/// Who dropped a packet, as a policy sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// The policy itself: by its verdict, or by [`QueueView::drop_at`].
    Policy,
    /// The buffer, which was full when the packet came.
    Buffer,
    /// The discipline or the policy around it.
    Around,
}

/// How a packet was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// Where in its life.
    pub stage: Stage,
    /// By whom.
    pub by: By,
}

impl Dropped {
    /// When it came, by the policy's verdict.
    pub const REFUSED: Dropped = Dropped { stage: Stage::Arrival, by: By::Policy };
    /// When it came, by the buffer that was full.
    pub const OVERFLOW: Dropped = Dropped { stage: Stage::Arrival, by: By::Buffer };
    /// While it waited, by the policy.
    pub const TAKEN_OUT: Dropped = Dropped { stage: Stage::Queue, by: By::Policy };
    /// While it waited, by the discipline around.
    pub const PUSHED_OUT: Dropped = Dropped { stage: Stage::Queue, by: By::Around };
    /// When it was about to be sent, by the policy's verdict.
    pub const AT_HEAD: Dropped = Dropped { stage: Stage::Departure, by: By::Policy };

    /// Whether the policy did not choose it: it was lost for lack of room.
    pub fn is_overflow(self) -> bool {
        self.by != By::Policy
    }

    /// Whether it waited until now.
    pub fn from_queue(self) -> bool {
        self.stage == Stage::Queue
    }
}

/// Decides about packets over a queue that it does not own.
///
/// A policy has no clock, no generator and no packets of its own. Every hook but the first does
/// nothing unless it is written. In each hook that is given a `queue` and a packet, `queue.tag()` is that packet's [`Tag`].
///
/// `now` never goes back from one call to the next. What falls on one instant comes in this order: departures, arrivals from
/// links, the deadlines of policies, and arrivals that a sender's own timer causes.
pub trait Policy: Send {
    /// A packet has come and is not yet queued; `queue.leave(tag)` leaves a tag with it. After `Pass` or `Mark` it is queued if
    /// the buffer has room ([`Policy::on_enqueued`]), else it is dropped ([`Policy::on_drop`]).
    fn on_arrival(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict;

    /// `packet` has been queued: it is now the tail.
    fn on_enqueued(&mut self, _now: Instant, _packet: &Packet, _queue: &mut QueueView<'_>) {}

    /// `packet` has been taken from the head and is about to be transmitted; it is no longer in
    /// `queue`. After `Drop` (or a mark that becomes a drop) the next one is taken and asked about.
    fn on_departure(&mut self, _now: Instant, _packet: &Packet, _queue: &mut QueueView<'_>, _rng: &mut Rng) -> Verdict {
        Verdict::Pass
    }

    /// `packet` leaves now: the place to write into a header that the policy and the ends of a flow share (XCP).
    /// Nothing but that header may change; marks are a matter of verdicts. `waiting` is what stays behind.
    fn on_transmission(&mut self, _now: Instant, _packet: &mut Packet, _waiting: Backlog) {}

    /// `packet` is dropped; it is not in `queue`.
    fn on_drop(&mut self, _now: Instant, _packet: &Packet, _dropped: Dropped, _queue: &mut QueueView<'_>) {}

    /// Nothing waits here and the transmitter has asked for a packet: when the last one from here has been sent, and again after each
    /// arrival that was refused and each deadline that was served meanwhile. In a queue for one flow or class the link itself may be
    /// busy with packets of others.
    fn on_idle(&mut self, _now: Instant) {}

    /// When [`Policy::on_deadline`] wants to be called next; it may change at every call, and is asked after each (but see
    /// [`Policy::decides_on_arrival`]). It must not lie
    /// before the `now` of that call.
    fn next_deadline(&self) -> Option<Instant> {
        None
    }

    /// Periodic work: `now` is exactly the deadline. It must be used up, so that [`Policy::next_deadline`] is later than `now`
    /// afterwards, or `None`.
    fn on_deadline(&mut self, _now: Instant, _queue: &mut QueueView<'_>) {}

    /// Whether it decides in [`Policy::on_arrival`] alone, from the backlog and the packet that comes, takes nothing out of the
    /// queue, and does nothing at departures, and its deadline changes in [`Policy::on_deadline`] alone; asked once, before the first
    /// packet.
    /// Then [`Policy::on_departure`] and [`Policy::on_transmission`] may be left out. See
    /// [`QueueDiscipline::decides_on_arrival`](super::QueueDiscipline::decides_on_arrival).
    fn decides_on_arrival(&self) -> bool {
        false
    }

    /// Whether it ever calls [`QueueView::choke`]; asked once, before the first packet.
    fn sends_chokes(&self) -> bool {
        false
    }

    /// Names of the internals that can be traced.
    fn probes(&self) -> &'static [&'static str] {
        &[]
    }

    /// Value of the probe at `index` of [`Policy::probes`].
    fn probe(&self, _index: usize) -> f64 {
        f64::NAN
    }
}

/// A policy chosen at run time is a policy: this is how any of them serves in `flow_queue`.
impl Policy for Box<dyn Policy> {
    fn on_arrival(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        (**self).on_arrival(now, packet, queue, rng)
    }
    fn on_enqueued(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>) {
        (**self).on_enqueued(now, packet, queue);
    }
    fn on_departure(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        (**self).on_departure(now, packet, queue, rng)
    }
    fn on_transmission(&mut self, now: Instant, packet: &mut Packet, waiting: Backlog) {
        (**self).on_transmission(now, packet, waiting);
    }
    fn on_drop(&mut self, now: Instant, packet: &Packet, dropped: Dropped, queue: &mut QueueView<'_>) {
        (**self).on_drop(now, packet, dropped, queue);
    }
    fn on_idle(&mut self, now: Instant) {
        (**self).on_idle(now);
    }
    fn next_deadline(&self) -> Option<Instant> {
        (**self).next_deadline()
    }
    fn on_deadline(&mut self, now: Instant, queue: &mut QueueView<'_>) {
        (**self).on_deadline(now, queue);
    }
    fn decides_on_arrival(&self) -> bool {
        (**self).decides_on_arrival()
    }
    fn sends_chokes(&self) -> bool {
        (**self).sends_chokes()
    }
    fn probes(&self) -> &'static [&'static str] {
        (**self).probes()
    }
    fn probe(&self, index: usize) -> f64 {
        (**self).probe(index)
    }
}
