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
    /// Mark it (CE). A packet that is Not-ECT is dropped for the same reason instead. On arrival the buffer decides first: a packet without
    /// room is dropped as [`Dropped::OVERFLOW`], even if it could have been marked.
    Mark(Reason),
    /// Drop it.
    Drop(Reason),
}

impl Verdict {
    /// A signal of congestion: with `ecn` a mark if the packet can carry one, and otherwise a drop. A packet that can carry none is not
    /// left to [`Verdict::Mark`], because it is to be dropped for `reason` even where the buffer is full.
    #[inline]
    pub fn signal(ecn: bool, packet: &Packet, reason: Reason) -> Verdict {
        if ecn && packet.ecn.is_capable() { Verdict::Mark(reason) } else { Verdict::Drop(reason) }
    }
}

/// The moment in the life of a packet at which it was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// On arrival: it has never been in the queue.
    Arrival,
    /// While it waited in the queue.
    Queue,
    /// Before its transmission: it has left the queue already.
    Departure,
}

/// The part that dropped a packet, as a policy sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// The policy itself: by its verdict, or by [`QueueView::drop_at`].
    Policy,
    /// The buffer, which was full when the packet arrived.
    Buffer,
    /// The discipline or the policy around this policy.
    Around,
}

/// How a packet was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// The moment in its life.
    pub stage: Stage,
    /// The part that dropped it.
    pub by: By,
}

impl Dropped {
    /// On arrival, by the policy's verdict.
    pub const REFUSED: Dropped = Dropped { stage: Stage::Arrival, by: By::Policy };
    /// On arrival, by the buffer, which was full.
    pub const OVERFLOW: Dropped = Dropped { stage: Stage::Arrival, by: By::Buffer };
    /// While it waited, by the policy.
    pub const TAKEN_OUT: Dropped = Dropped { stage: Stage::Queue, by: By::Policy };
    /// While it waited, by the discipline around.
    pub const PUSHED_OUT: Dropped = Dropped { stage: Stage::Queue, by: By::Around };
    /// Before its transmission, by the policy's verdict.
    pub const AT_HEAD: Dropped = Dropped { stage: Stage::Departure, by: By::Policy };

    /// True if the policy did not choose the drop: there was no room.
    pub fn is_overflow(self) -> bool {
        self.by != By::Policy
    }

    /// True if the packet waited in the queue until now.
    pub fn from_queue(self) -> bool {
        self.stage == Stage::Queue
    }
}

/// Decides about packets over a queue that it does not own.
///
/// A policy has no clock, no random generator and no packets of its own. Only the first hook is required. In a hook that gets a `queue` and
/// a packet, `queue.tag()` is the [`Tag`](super::Tag) of that packet.
///
/// `now` never goes back from one call to the next. Events at one instant come in this order: departures, arrivals from links, the
/// deadlines of policies, and arrivals that a sender's own timer causes.
pub trait Policy: Send {
    /// A packet has arrived and is not yet queued. `queue.leave(tag)` leaves a tag with it. After `Pass` or `Mark` the packet is queued if
    /// the buffer has room ([`Policy::on_enqueued`]), and otherwise dropped ([`Policy::on_drop`]).
    fn on_arrival(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict;

    /// `packet` has been queued, and is the tail now.
    fn on_enqueued(&mut self, _now: Instant, _packet: &Packet, _queue: &mut QueueView<'_>) {}

    /// `packet` has been taken from the head and is about to be transmitted. It is no longer in `queue`. After `Drop` (or a mark that
    /// becomes a drop) the next packet is taken, and the policy is asked about that one.
    fn on_departure(&mut self, _now: Instant, _packet: &Packet, _queue: &mut QueueView<'_>, _rng: &mut Rng) -> Verdict {
        Verdict::Pass
    }

    /// `packet` leaves now. Here a policy writes into a header that it shares with the ends of a flow (XCP). Nothing but that header may
    /// change: a verdict marks a packet. `waiting` is the backlog without this packet.
    fn on_transmission(&mut self, _now: Instant, _packet: &mut Packet, _waiting: Backlog) {}

    /// `packet` is dropped. It is not in `queue`.
    fn on_drop(&mut self, _now: Instant, _packet: &Packet, _dropped: Dropped, _queue: &mut QueueView<'_>) {}

    /// The transmitter has asked for a packet, and none waits here. This is called when the last packet of the queue has been sent, and
    /// again after each refused arrival and each deadline while the queue is empty. If the queue belongs to one flow or class, the link may
    /// be busy with packets of others.
    fn on_idle(&mut self, _now: Instant) {}

    /// The time of the next call of [`Policy::on_deadline`], if the policy wants one. It must not be earlier than the `now` of the last
    /// call. It may change at every call, and is asked after each (but see [`Policy::decides_on_arrival`]).
    fn next_deadline(&self) -> Option<Instant> {
        None
    }

    /// Periodic work. `now` is exactly the deadline. Afterwards [`Policy::next_deadline`] must be later than `now`, or `None`.
    fn on_deadline(&mut self, _now: Instant, _queue: &mut QueueView<'_>) {}

    /// Whether deadlines over the empty queue change nothing any more but the next deadline, until there is another call. The caller may
    /// then leave them out, and says with [`Policy::rest_until`] how long it did.
    fn rests(&self) -> bool {
        false
    }

    /// The policy rested: its next deadline is the first that is not before `until`.
    fn rest_until(&mut self, _until: Instant) {}

    /// True if all of these hold:
    ///
    /// - the policy decides in [`Policy::on_arrival`] alone, from the backlog and the arriving packet;
    /// - it takes no packet out of the queue;
    /// - it does nothing when a packet departs;
    /// - its deadline changes in [`Policy::on_deadline`] alone.
    ///
    /// Asked once, before the first packet. The caller may then leave out [`Policy::on_departure`] and [`Policy::on_transmission`]. See
    /// [`QueueDiscipline::decides_on_arrival`](super::QueueDiscipline::decides_on_arrival).
    fn decides_on_arrival(&self) -> bool {
        false
    }

    /// True if the first packet of the queue is the one that leaves next, as it is. A scheduler may then look at it.
    fn shows_head(&self) -> bool {
        self.decides_on_arrival()
    }

    /// True if the policy may call [`QueueView::choke`]. Asked once, before the first packet.
    fn sends_chokes(&self) -> bool {
        false
    }

    /// True if the policy counts packets as waiting that have been dropped, like a fault of Linux. A shaper around asks for them.
    fn is_stuck(&self) -> bool {
        false
    }

    /// Whether deadlines over an empty queue change this policy and another one alike from now on. A discipline with many queues then calls
    /// one of them only. Other calls may change them in different ways: before one, [`Policy::take_over`] hands on the changes.
    fn is_like(&self, _other: &Self) -> bool
    where
        Self: Sized,
    {
        false
    }

    /// Takes over from a policy that it was like everything that deadlines change.
    fn take_over(&mut self, _other: &Self)
    where
        Self: Sized,
    {
    }

    /// The names of internal values that can be traced.
    fn probes(&self) -> &'static [&'static str] {
        &[]
    }

    /// The value of the probe at `index` of [`Policy::probes`].
    fn probe(&self, _index: usize) -> f64 {
        f64::NAN
    }
}

/// A policy that is chosen at run time is a policy, too, so that `flow_queue` can hold any of them.
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
    fn shows_head(&self) -> bool {
        (**self).shows_head()
    }
    fn sends_chokes(&self) -> bool {
        (**self).sends_chokes()
    }
    fn is_stuck(&self) -> bool {
        (**self).is_stuck()
    }
    fn rests(&self) -> bool {
        (**self).rests()
    }
    fn rest_until(&mut self, until: Instant) {
        (**self).rest_until(until);
    }
    fn probes(&self) -> &'static [&'static str] {
        (**self).probes()
    }
    fn probe(&self, index: usize) -> f64 {
        (**self).probe(index)
    }
}
