//! A link that may send only at recorded moments, as a cellular link does. Specification: the emulated link of Mahimahi
//! (Netravali et al., USENIX ATC 2015, section 3.4 and `link_queue.cc`, read for its behaviour).
//!
//! Each line of a trace is an opportunity to send a number of bytes at one moment. Packets share it. A packet that is larger than the rest
//! of it takes the rest and waits for the next opportunity. Unused bytes are lost. A packet reaches the end of the link `delay` after the
//! moment at which its last byte was sent. A packet that arrives at the very moment of an opportunity has missed it. Behind its last line
//! the trace begins again.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | An opportunity has 1500 bytes, not 1504 | the headers of Mahimahi's tunnel are not on the wire here | - |
//!
//! [`Gated`] puts the opportunities between a discipline and a transmitter that takes no time.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::packet::Packet;
use crate::queue::{Backlog, Context, Limit, QueueDiscipline};
use crate::units::{Bytes, Duration, Instant, Rate};

/// When a link may send, and how much each time.
#[derive(Clone, Debug, PartialEq)]
pub struct Opportunities {
    times: Arc<[Duration]>,
    bytes: Bytes,
}

impl Opportunities {
    /// At `times` after the start, and again and again after the last of them. `None` if they are not in order or do
    /// not last: the last one is later than the start.
    pub fn new(times: Vec<Duration>, bytes: Bytes) -> Option<Self> {
        let lasting = times.last().is_some_and(|last| *last > Duration::ZERO) && bytes.0 > 0;
        (lasting && times.is_sorted()).then(|| Opportunities { times: times.into(), bytes })
    }

    /// The times of one round.
    pub fn times(&self) -> &[Duration] {
        &self.times
    }

    /// The amount that can be sent each time.
    pub fn bytes(&self) -> Bytes {
        self.bytes
    }

    /// Mean rate over a round; at least 1 bit/s.
    pub fn mean_rate(&self) -> Rate {
        let bits = self.times.len() as f64 * self.bytes.0 as f64 * 8.0;
        Rate::from_bps(((bits / self.period().as_secs_f64()) as u64).max(1))
    }

    /// Mean rate in bit/s from `from` to `to`. Opportunities at these moments count, as packets do that leave then.
    pub fn rate_between(&self, from: Instant, to: Instant) -> f64 {
        let before = from.as_nanos().checked_sub(1).map_or(0, |nanos| self.until(Instant::from_nanos(nanos)));
        let count = self.until(to) - before;
        count as f64 * self.bytes.0 as f64 * 8.0 / to.since(from).as_secs_f64()
    }

    fn period(&self) -> Duration {
        self.times[self.times.len() - 1]
    }

    /// Number of opportunities up to and including `time`.
    fn until(&self, time: Instant) -> u64 {
        let period = self.period().as_nanos();
        let (rounds, rest) = (time.as_nanos() / period, time.as_nanos() % period);
        rounds * self.times.len() as u64 + self.times.partition_point(|at| at.as_nanos() <= rest) as u64
    }

    /// When the opportunity comes that `number` others precede.
    fn time(&self, number: u64) -> Instant {
        let count = self.times.len() as u64;
        Instant::ZERO + self.period() * (number / count) + self.times[(number % count) as usize]
    }
}

/// A packet in transmission: its bytes that are still to be sent, and when its first was.
#[derive(Clone, Copy, Debug)]
struct Transit {
    packet: Packet,
    left: u64,
    since: Instant,
}

/// A discipline whose packets leave at opportunities. The wait of a packet ends with the first of which it takes a part.
pub struct Gated {
    inner: Box<dyn QueueDiscipline>,
    opportunities: Opportunities,
    /// Opportunities that have been used or lost.
    past: u64,
    /// The packet that an opportunity was too small for.
    in_transit: Option<Transit>,
    /// Packets whose last byte is sent now, with the time since their first was.
    sent: VecDeque<(Packet, Duration)>,
    /// That time of the packet that was taken last.
    sending: Duration,
    /// The discipline has not been told yet that the link is idle.
    busy: bool,
}

impl Gated {
    /// Nothing has been sent.
    pub fn new(inner: Box<dyn QueueDiscipline>, opportunities: Opportunities) -> Self {
        let (in_transit, sent, sending) = (None, VecDeque::new(), Duration::ZERO);
        Gated { inner, opportunities, past: 0, in_transit, sent, sending, busy: false }
    }

    /// Uses all opportunities up to and including `now`.
    fn catch_up(&mut self, now: Instant, cx: &mut Context) {
        while self.is_wanted() {
            let at = self.opportunities.time(self.past);
            if at > now {
                return;
            }
            self.past += 1;
            self.send(at, cx);
        }
        self.past = self.past.max(self.opportunities.until(now));
    }

    fn is_wanted(&self) -> bool {
        self.busy || self.inner.backlog().packets > 0
    }

    fn send(&mut self, now: Instant, cx: &mut Context) {
        let mut rest = self.opportunities.bytes.0;
        while rest > 0 {
            let begin = |packet: Packet| Transit { packet, left: u64::from(packet.size), since: now };
            let Some(next) = self.in_transit.take().or_else(|| self.inner.dequeue(now, cx).map(begin)) else {
                self.busy = false;
                return;
            };
            self.busy = true;
            if next.left > rest {
                self.in_transit = Some(Transit { left: next.left - rest, ..next });
                return;
            }
            rest -= next.left;
            self.sent.push_back((next.packet, now - next.since));
        }
    }
}

impl QueueDiscipline for Gated {
    fn enqueue(&mut self, now: Instant, packet: Packet, cx: &mut Context) {
        self.catch_up(now, cx);
        self.inner.enqueue(now, packet, cx);
    }

    fn dequeue(&mut self, now: Instant, cx: &mut Context) -> Option<Packet> {
        self.catch_up(now, cx);
        let (packet, sending) = self.sent.pop_front()?;
        self.sending = sending;
        Some(packet)
    }

    fn sending(&self) -> Duration {
        self.sending
    }

    fn next_deadline(&self) -> Option<Instant> {
        let own = self.is_wanted().then(|| self.opportunities.time(self.past));
        match (own, self.inner.next_deadline()) {
            (Some(own), Some(inner)) => Some(own.min(inner)),
            (own, inner) => own.or(inner),
        }
    }

    fn on_deadline(&mut self, now: Instant, cx: &mut Context) {
        self.catch_up(now, cx);
        if self.inner.next_deadline().is_some_and(|deadline| deadline <= now) {
            self.inner.on_deadline(now, cx);
        }
    }

    fn sends_chokes(&self) -> bool {
        self.inner.sends_chokes()
    }

    fn hears_chokes(&self) -> bool {
        self.inner.hears_chokes()
    }

    fn on_choke(&mut self, now: Instant, choke: &Packet, cx: &mut Context) -> bool {
        self.catch_up(now, cx);
        self.inner.on_choke(now, choke, cx)
    }

    fn backlog(&self) -> Backlog {
        self.inner.backlog()
    }

    /// A packet that has been sent at this moment is no longer in the backlog.
    fn has_something(&self) -> bool {
        !self.sent.is_empty() || self.backlog().packets > 0
    }

    fn limit(&self) -> Limit {
        self.inner.limit()
    }

    fn probes(&self) -> &'static [&'static str] {
        self.inner.probes()
    }

    fn probe(&self, index: usize) -> f64 {
        self.inner.probe(index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{Body, FlowId};
    use crate::queue::LinkContext;
    use crate::registry::queue;
    use crate::rig::at_millis as at;
    use crate::rng::Rng;

    const MILLI: Duration = Duration::from_millis(1);

    fn trace(millis: &[u64]) -> Opportunities {
        Opportunities::new(millis.iter().map(|&at| MILLI * at).collect(), Bytes(1500)).expect("a lasting trace")
    }

    fn gated(millis: &[u64]) -> (Gated, Context) {
        let entry = queue("fifo").expect("registered");
        let fifo = entry.build(&entry.args(None).expect("defaults"), &LinkContext::default()).expect("a queue");
        (Gated::new(fifo, trace(millis)), Context::new(Rng::named(1, "test")))
    }

    /// Runs arrivals `(ms, bytes)` through a gated FIFO as a link does: when each packet left, in ms.
    fn departures(millis: &[u64], arrivals: &[(u64, u32)]) -> Vec<(u64, u64)> {
        let (mut gated, mut cx) = gated(millis);
        let mut left = Vec::new();
        let mut arrivals = (0..).zip(arrivals).peekable();
        for now in (0..1000).map(at) {
            let mut pop = |link: &mut Gated, context: &mut Context| {
                while let Some(packet) = link.dequeue(now, context) {
                    let Body::Datagram { seq, .. } = packet.body else { unreachable!("datagrams were sent") };
                    left.push((seq, now.as_nanos() / 1_000_000));
                }
            };
            // Deliveries come before deadlines at one moment.
            while let Some((number, &(_, size))) = arrivals.next_if(|(_, (time, _))| at(*time) <= now) {
                gated.enqueue(now, Packet::datagram(FlowId(0), number, size), &mut cx);
                pop(&mut gated, &mut cx);
            }
            if gated.next_deadline().is_some_and(|deadline| deadline <= now) {
                gated.on_deadline(now, &mut cx);
                pop(&mut gated, &mut cx);
            }
        }
        left
    }

    #[test]
    fn packets_share_an_opportunity_and_a_larger_one_waits_for_the_next() {
        // 1500 bytes at 5, 5, 10 and 20 ms, then 20 ms later again: at 25, 25, 30 and 40 ms.
        let trace = [5, 5, 10, 20];
        // 0 to 2 share the first at 5; 3 takes the remaining 300 bytes of it and 900 of the second, in which 4 has the last 600. 4 needs
        // 700, so it ends at 10 ms, where the other 1400 bytes are lost. 5 came at the moment of 20 ms and missed it; of 2000 bytes it
        // sends 1500 at 25 and 500 with the second opportunity there.
        let arrivals = [(0, 400), (1, 400), (2, 400), (3, 1200), (4, 700), (20, 2000), (27, 1500), (27, 1)];

        let left = departures(&trace, &arrivals);

        assert_eq!(left, [(0, 5), (1, 5), (2, 5), (3, 5), (4, 10), (5, 25), (6, 30), (7, 40)]);
    }

    #[test]
    fn the_wait_of_a_packet_ends_with_its_first_opportunity() {
        // 3200 bytes take the opportunities at 5, 10 and 15 ms; the next packet of 1000 has the rest of the last.
        let (mut gated, mut cx) = gated(&[5]);
        gated.enqueue(at(1), Packet::datagram(FlowId(0), 0, 3200), &mut cx);
        gated.enqueue(at(1), Packet::datagram(FlowId(0), 1, 1000), &mut cx);
        for millis in [5, 10, 15] {
            assert_eq!(gated.dequeue(at(millis - 1), &mut cx), None);
            gated.on_deadline(at(millis), &mut cx);
        }

        let sending: Vec<u64> = std::iter::from_fn(|| {
            gated.dequeue(at(15), &mut cx)?;
            Some(gated.sending().as_nanos() / 1_000_000)
        })
        .collect();

        assert_eq!(sending, [10, 0]);
    }

    #[test]
    fn what_nobody_uses_is_lost() {
        // A hundred opportunities pass before the packets come; each waits for its own.
        assert_eq!(departures(&[1], &[(100, 1500), (100, 1500)]), [(0, 101), (1, 102)]);
    }

    #[test]
    fn what_left_at_an_opportunity_is_to_be_taken_though_nothing_waits() {
        let (mut gated, mut cx) = gated(&[5]);
        assert!(!gated.has_something());
        gated.enqueue(at(1), Packet::datagram(FlowId(0), 0, 400), &mut cx);
        assert!(gated.has_something());

        gated.on_deadline(at(5), &mut cx);
        assert_eq!(gated.backlog().packets, 0);
        assert!(gated.has_something());
        assert!(gated.dequeue(at(5), &mut cx).is_some());
        assert!(!gated.has_something());
    }

    #[test]
    fn opportunities_are_counted_over_rounds() {
        let trace = trace(&[0, 4, 10]);
        // 0, 4, 10, 10, 14, 20, 20 ...
        assert_eq!(
            (0..7).map(|number| trace.time(number).as_nanos() / 1_000_000).collect::<Vec<_>>(),
            [0, 4, 10, 10, 14, 20, 20]
        );
        assert_eq!([0, 3, 4, 9, 10, 20].map(|millis| trace.until(at(millis))), [1, 1, 2, 2, 4, 7]);
        // Three of 1500 bytes in 10 ms.
        assert_eq!(trace.mean_rate(), Rate::from_bps(3_600_000));
        // At 4, 10, 10, 14, 20 and 20.
        assert!((trace.rate_between(at(4), at(20)) - 6.0 * 12_000.0 / 16e-3).abs() < 1e-6);
    }

    #[test]
    fn a_trace_is_in_order_and_lasts() {
        let new = |millis: &[u64]| Opportunities::new(millis.iter().map(|&at| MILLI * at).collect(), Bytes(1500));
        assert!([&[][..], &[0], &[2, 1]].map(new).iter().all(Option::is_none));
    }
}
