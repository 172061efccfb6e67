//! A queue, a rate and a delay.

use super::datagram::{Arrived, Datagram, Lost};
use super::{Error, Link, Path, Time};
use sojourn_sim::queue::Backlog;
use sojourn_sim::registry::Registry;

/// One link: a queue, a transmitter of this rate, and a delay of propagation.
///
/// ```
/// use sojourn_bottleneck::{Bottleneck, Datagram, Time};
///
/// let mut link = Bottleneck::new("fifo:limit=2p", "1Mbit", "5ms", 1)?;
/// for number in 0..4 {
///     link.send(Time::ZERO, Datagram::new(1250), number);
/// }
/// // One is being sent, two wait, and the fourth finds no room.
/// assert_eq!(link.backlog().packets, 2);
/// assert_eq!(link.lost().map(|lost| (lost.payload, lost.reason)).collect::<Vec<_>>(), [(3, "overflow")]);
///
/// // A packet takes 10 ms to be sent and 5 ms to arrive.
/// let first = link.receive(Time::from_millis(15)).expect("it has arrived");
/// assert_eq!((first.payload, first.at, first.waited), (0, Time::from_millis(15), Time::ZERO));
/// let second = link.receive(Time::from_millis(25)).expect("it has arrived");
/// assert_eq!(second.waited, Time::from_millis(10));
/// # Ok::<(), sojourn_bottleneck::Error>(())
/// ```
#[derive(Debug)]
pub struct Bottleneck<T> {
    path: Path<T>,
}

impl<T> Bottleneck<T> {
    /// An idle link. The queue is given as for [`Queue::new`](super::Queue::new), the rate as `"10Mbit"`, the delay as `"20ms"`. Laws that
    /// need a round-trip time take twice the delay. The seed decides everything random.
    ///
    /// # Errors
    ///
    /// If there is no such queue or parameter, or a value is out of its range.
    pub fn new(queue: &str, rate: &str, delay: &str, seed: u64) -> Result<Self, Error> {
        Bottleneck::new_knowing(queue, rate, delay, seed, &Registry::default())
    }

    /// The same, with the queues of this registry by name. It is not part of the stable interface, because `Registry` is not.
    ///
    /// # Errors
    ///
    /// As for [`Bottleneck::new`].
    pub fn new_knowing(queue: &str, rate: &str, delay: &str, seed: u64, registry: &Registry) -> Result<Self, Error> {
        Ok(Bottleneck { path: Path::new_knowing([Link::new(rate, delay).queue(queue)], seed, registry)? })
    }

    /// A packet arrives, after all events up to and including `now`.
    ///
    /// # Panics
    ///
    /// If time goes back, or the packet has no bytes.
    pub fn send(&mut self, now: Time, datagram: Datagram, payload: T) {
        self.path.send(now, datagram, payload);
    }

    /// The next packet that has arrived by `now`, in order of arrival.
    ///
    /// # Panics
    ///
    /// If time goes back.
    pub fn receive(&mut self, now: Time) -> Option<Arrived<T>> {
        self.path.receive(now)
    }

    /// The time of the next event, as in [`Path::next_time`].
    pub fn next_time(&self) -> Option<Time> {
        self.path.next_time()
    }

    /// Lets time pass up to and including `now`. The other calls do this, too.
    ///
    /// # Panics
    ///
    /// If time goes back.
    pub fn advance(&mut self, now: Time) {
        self.path.advance(now);
    }

    /// The time up to which all events have happened.
    pub fn now(&self) -> Time {
        self.path.now()
    }

    /// Packets that were lost since the last call, in order of time.
    pub fn lost(&mut self) -> impl Iterator<Item = Lost<T>> + '_ {
        self.path.lost()
    }

    /// The waiting packets and bytes, without the packet that is being sent.
    pub fn backlog(&self) -> Backlog {
        self.path.backlog(0)
    }

    /// True if no packet is on the way.
    pub fn is_empty(&self) -> bool {
        self.path.is_empty()
    }
}

impl<T> From<Bottleneck<T>> for Path<T> {
    fn from(bottleneck: Bottleneck<T>) -> Self {
        bottleneck.path
    }
}
