//! The transport seam: senders, receivers, and the calls between them and the engine.
//!
//! Nothing here does I/O. An [`Endpoint`] gets the time, packets and a [`FlowContext`]. It pushes packets into [`FlowContext::out`] and
//! names its next deadline. Each flow has two endpoints: the sending side (an
//! [`Application`](crate::traffic::Application) over a sender) and the receiving side. Packets of the sending side go forward, those of the
//! receiving side go backward.

pub mod congestion;
pub mod connections;
mod counters;
pub mod declared;
pub mod entry;
pub mod fec;
pub(crate) mod gcc;
pub mod hint;
pub(crate) mod lda;
pub mod outbox;
mod paced;
mod pending;
pub(crate) mod rap;
pub(crate) mod scream;
pub mod spec;
pub(crate) mod tcp;
pub(crate) mod tear;
pub(crate) mod tfrc;
mod turn;
pub mod udp;

pub use counters::{Completion, Counters, Repairs, WindowState};
pub use turn::Turn;

use self::outbox::Outbox;
use crate::packet::Packet;
use crate::prefetch::Part;
use crate::rng::Rng;
use crate::units::{Duration, Instant};

/// The context of each call besides the time. The engine lends it, so that no flow needs a buffer of its own.
#[derive(Debug)]
pub struct FlowContext<'a> {
    /// The flow's own stream of random numbers.
    pub rng: &'a mut Rng,
    /// Packets to send now, in this order. The engine fills in `flow` and `hop` and drains it.
    pub out: &'a mut Outbox,
}

/// A stream and a buffer to lend, for callers that drive endpoints without the engine.
#[derive(Clone, Debug)]
pub struct ContextOwner {
    /// The flow's stream of random numbers.
    pub rng: Rng,
    /// Packets that were sent and not yet taken.
    pub out: Outbox,
}

impl ContextOwner {
    /// An owner with this stream, and with no packet sent.
    pub fn new(rng: Rng) -> Self {
        ContextOwner { rng, out: Outbox::default() }
    }

    /// The context for one call of an endpoint.
    pub fn lend(&mut self) -> FlowContext<'_> {
        FlowContext { rng: &mut self.rng, out: &mut self.out }
    }
}

/// One end of a flow. A wrapper of an endpoint ([`hint`]) passes every method on.
pub trait Endpoint: Send {
    /// The flow begins. Only the sending side is started.
    fn start(&mut self, _now: Instant, _cx: &mut FlowContext) {}

    /// The flow ends. It sends no new data from now on. Lost data is still sent again.
    fn stop(&mut self, _now: Instant, _cx: &mut FlowContext) {}

    /// A packet of this flow has arrived here.
    fn on_packet(&mut self, now: Instant, packet: &Packet, cx: &mut FlowContext);

    /// The time of the next call of [`Endpoint::on_deadline`], if the endpoint wants one. Asked after every call.
    fn next_deadline(&self) -> Option<Instant> {
        None
    }

    /// [`Endpoint::on_packet`] and [`Endpoint::next_deadline`] in one call. Most calls of the engine are this one.
    fn hear(&mut self, now: Instant, packet: &Packet, cx: &mut FlowContext) -> Option<Instant> {
        self.on_packet(now, packet, cx);
        self.next_deadline()
    }

    /// A deadline has been reached. `now` is exactly the time that [`Endpoint::next_deadline`] returned.
    fn on_deadline(&mut self, _now: Instant, _cx: &mut FlowContext) {}

    /// The turn of the deadline among those of the same instant, if it has come. Asked only of a deadline that has, and only where timers
    /// are on a wheel.
    fn turn(&self) -> Turn {
        Turn::FIRST
    }

    /// Counters since the start.
    fn counters(&self) -> Counters;

    /// True if packets alone connect it with the other end, and if it never draws from the generator that both share. If this holds for one
    /// end of a flow, the order in which the two are called does not matter, and the engine may call them ahead of time.
    fn stands_alone(&self) -> bool {
        false
    }

    /// Prefetches the memory that the next call will read. This is for speed alone.
    fn prefetch(&self, _part: Part) {}

    /// The repairs by forward error correction since the start; `None` without it.
    fn repairs(&self) -> Option<Repairs> {
        None
    }

    /// The longest time up to `now` for which a sender's cumulative acknowledgement has not moved, or no report has arrived, while data was
    /// in flight. It is zero if this is not longer than three of the sender's timeouts, and for endpoints without timeouts.
    fn standstill(&self, _now: Instant) -> Duration {
        Duration::ZERO
    }

    /// Window and timers, for traces. `None` if it has no window.
    fn window(&self) -> Option<WindowState> {
        None
    }

    /// Before a replay starts, this gives the endpoint the properties of the machine whose sender is compared with it. Nothing else calls
    /// it.
    fn foretell(&mut self, _known: Known) {}
}

/// The properties of a recorded sender's machine that are no part of its control or of its recovery.
#[derive(Clone, Debug)]
pub struct Known {
    /// The ends of the packets that its application's writes and its buffers have made, each the byte behind one, in ascending order. A
    /// single segment before such an end never waits for a second one.
    pub ends: Vec<u64>,
    /// The first bytes and lengths of segments that were not full, in ascending order.
    pub shorts: Vec<(u64, u64)>,
    /// The tick of its clock. Timers go off at whole multiples of it.
    pub clock: Duration,
    /// The byte up to which it could send after each acknowledgement, by the receiver's window and by the data that had been written. 0
    /// allows any byte.
    pub edges: Vec<u64>,
    /// Whether another acknowledgement follows each one at the same instant: the application runs behind all of them.
    pub followed: Vec<bool>,
    /// The number of acknowledgements that have arrived.
    pub heard: usize,
    /// The time at which its application wrote first.
    pub writes: Instant,
    /// The times at which its segments left, in ascending order.
    pub leaves: Vec<Instant>,
    /// The first bytes of its segments in ascending order, and the times at which they left first.
    pub first: Vec<(u64, Instant)>,
}

/// The time that a machine's clock may go on while its application writes at one time: it goes on with each reading.
const AT_ONCE: Duration = Duration::from_micros(20);

impl Known {
    /// The byte behind the segment that begins with byte `first`.
    pub fn written(&self, first: u64, mss: u64) -> u64 {
        let short = self.shorts.binary_search_by_key(&first, |&(first, _)| first);
        first + short.map_or(mss, |place| self.shorts[place].1)
    }

    /// True if a packet ends before this byte.
    pub fn ends_at(&self, byte: u64) -> bool {
        self.ends.binary_search(&byte).is_ok()
    }

    /// The byte up to which it can send now.
    pub fn edge(&self) -> u64 {
        let now = self.heard.checked_sub(1).and_then(|last| self.edges.get(last));
        now.copied().filter(|&edge| edge > 0).unwrap_or(u64::MAX)
    }

    /// True if its application does not run yet, since another acknowledgement arrives at this instant.
    pub fn is_followed(&self) -> bool {
        self.heard.checked_sub(1).and_then(|last| self.followed.get(last)).is_some_and(|&followed| followed)
    }

    /// The number of segments that can be sent from byte `next` on. A segment that is not full counts if the machine sent it so.
    pub fn allowed(&self, next: u64, mss: u64) -> u64 {
        let bytes = self.edge().saturating_sub(next);
        let last = next.saturating_add(bytes / mss * mss);
        bytes / mss + u64::from(!bytes.is_multiple_of(mss) && self.written(last, mss) - last <= bytes % mss)
    }

    /// The time at which new data leave that begin with byte `first` and are written now. Each write of the application reads the
    /// clock, and the writes of one time need many readings.
    pub fn written_at(&self, first: u64, now: Instant) -> Instant {
        let place = self.first.binary_search_by_key(&first, |&(first, _)| first);
        let left = place.map_or(now, |place| self.first[place].1);
        if left > now && left <= now + AT_ONCE { left } else { now }
    }

    /// The time at which a timer goes off that is set to `at`: at the next tick of the clock. If segments left one tick later, and none at
    /// that one, the machine had read its clock once more.
    pub fn tick_after(&self, at: Instant) -> Instant {
        let next = Instant::from_nanos(at.as_nanos().next_multiple_of(self.clock.as_nanos().max(1)));
        let later = next + self.clock;
        let place = self.leaves.partition_point(|&time| time < next);
        if self.leaves.get(place) == Some(&later) { later } else { next }
    }
}
