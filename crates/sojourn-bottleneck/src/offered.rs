//! A queue discipline whose transmitter is the caller.

use std::collections::VecDeque;

use super::datagram::{Datagram, Lost};
use super::slots::{Numbers, Slots};
use super::{Error, Time, instant, link_tables, time};
use sojourn_sim::queue::{Backlog, Context, QueueDiscipline, What};
use sojourn_sim::registry::Registry;
use sojourn_sim::rng::Rng;

/// A queue discipline of the registry. The caller is the transmitter: it takes packets with [`Queue::dequeue`] when it is
/// free to send.
///
/// ```
/// use sojourn_bottleneck::{Datagram, Ecn, Queue, Time};
///
/// let mut queue = Queue::new("red:ecn=true", "10Mbit", "100ms", 1)?;
/// let now = Time::from_millis(5);
/// queue.enqueue(now, Datagram::new(1500).ecn(Ecn::Ect0), "first");
/// let left = queue.dequeue(now).expect("one waits");
/// assert_eq!((left.payload, left.datagram.ecn), ("first", Ecn::Ect0));
/// assert_eq!(queue.dequeue(now), None);
/// # Ok::<(), sojourn_bottleneck::Error>(())
/// ```
pub struct Queue<T> {
    discipline: Box<dyn QueueDiscipline>,
    cx: Context,
    now: Time,
    sent: Numbers,
    payloads: Slots<T>,
    lost: VecDeque<Lost<T>>,
}

/// A packet that leaves a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Left<T> {
    /// The packet as it leaves: a mark of congestion is [`Ecn::Ce`](super::Ecn::Ce).
    pub datagram: Datagram,
    /// The time that it was in the queue.
    pub sojourn: Time,
    /// The payload that was enqueued with it.
    pub payload: T,
}

impl<T> Queue<T> {
    /// An empty queue. `queue` is a name such as `"codel"`, a name with settings such as `"red:min_th=5p,ecn=true"`, or, with the feature
    /// `scenario-files`, a table as in scenario files such as `{ kind = "red", min_th = "5p" }`. Laws and sizes in `BDP` use `rate` and
    /// `base_rtt`, the round-trip time without queues. The seed decides everything random.
    ///
    /// # Errors
    ///
    /// If there is no such queue or parameter, or a value is out of its range.
    pub fn new(queue: &str, rate: &str, base_rtt: &str, seed: u64) -> Result<Self, Error> {
        Queue::new_knowing(queue, rate, base_rtt, seed, &Registry::default())
    }

    /// The same, with the queues of this registry by name. It is not part of the stable interface, because `Registry` is not.
    ///
    /// # Errors
    ///
    /// The same as for [`Queue::new`].
    pub fn new_knowing(queue: &str, rate: &str, base_rtt: &str, seed: u64, registry: &Registry) -> Result<Self, Error> {
        let discipline = link_tables::discipline(queue, rate, base_rtt, registry)?;
        Ok(Queue {
            discipline,
            cx: Context::new(Rng::named(seed, "queue/forward")),
            now: Time::ZERO,
            sent: Numbers::default(),
            payloads: Slots::default(),
            lost: VecDeque::new(),
        })
    }

    /// A packet arrives. It, or others, may be lost: see [`Queue::lost`].
    ///
    /// # Panics
    ///
    /// If time goes back, or the packet has no bytes.
    pub fn enqueue(&mut self, now: Time, datagram: Datagram, payload: T) {
        self.advance(now);
        let packet = datagram.packet(instant(now), self.sent.next(datagram.flow), self.payloads.put(payload));
        self.discipline.enqueue(instant(now), packet, &mut self.cx);
        self.note();
    }

    /// The next packet to send, if there is one. A caller that is free to send asks after each [`Queue::enqueue`], at [`Queue::next_time`],
    /// and when a transmission has ended. If the answer is `None`, the queue takes the transmitter for idle.
    ///
    /// # Panics
    ///
    /// If time goes back.
    pub fn dequeue(&mut self, now: Time) -> Option<Left<T>> {
        self.advance(now);
        let packet = self.discipline.dequeue(instant(now), &mut self.cx);
        self.note();
        let packet = packet?;
        let payload = self.payloads.take(packet.hop);
        Some(Left { datagram: Datagram::of(&packet), sojourn: now.saturating_sub(time(packet.enqueued_at)), payload })
    }

    /// The time at which the caller should next call [`Queue::dequeue`] or [`Queue::advance`], because the queue's law has a clock or the
    /// queue holds packets back.
    pub fn next_time(&self) -> Option<Time> {
        self.discipline.next_deadline().map(|deadline| time(deadline).max(self.now))
    }

    /// Lets time pass: the queue does everything that its clock asks for, up to and including `now`. [`Queue::enqueue`] and
    /// [`Queue::dequeue`] do this, too.
    ///
    /// # Panics
    ///
    /// If time goes back.
    pub fn advance(&mut self, now: Time) {
        assert!(now >= self.now, "time goes back from {:?} to {now:?}", self.now);
        while let Some(deadline) = self.discipline.next_deadline().filter(|deadline| *deadline <= instant(now)) {
            self.now = time(deadline).max(self.now);
            self.discipline.on_deadline(instant(self.now), &mut self.cx);
            self.note();
            if self.discipline.next_deadline() == Some(deadline) {
                break; // It waits for `dequeue`.
            }
        }
        self.now = now;
    }

    /// The time of the last call.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Packets that were lost since the last call, in order of time.
    pub fn lost(&mut self) -> impl Iterator<Item = Lost<T>> + '_ {
        self.lost.drain(..)
    }

    /// The waiting packets and bytes.
    pub fn backlog(&self) -> Backlog {
        self.discipline.backlog()
    }

    /// Names and values of the internal values of its law, such as `avg` or `drop_prob`.
    pub fn probes(&self) -> impl Iterator<Item = (&'static str, f64)> + '_ {
        let values = (0..).map(|index| self.discipline.probe(index));
        self.discipline.probes().iter().copied().zip(values)
    }

    fn note(&mut self) {
        for event in self.cx.events.drain() {
            let (What::Drop(reason) | What::Loss(reason)) = event.what else { continue };
            let payload = self.payloads.take(event.packet.hop);
            let datagram = Datagram::of(&event.packet);
            self.lost.push_back(Lost { at: time(event.time), datagram, reason: reason.0, link: 0, payload });
        }
    }
}

impl<T> core::fmt::Debug for Queue<T> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Queue").field("now", &self.now).field("backlog", &self.backlog()).finish_non_exhaustive()
    }
}
