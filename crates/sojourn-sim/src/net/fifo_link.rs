//! A link behind a plain drop-tail queue. The fate of a packet is known when it arrives, so this
//! link needs no event when its transmitter becomes free: half the events of a link with a managed queue.
//!
//! The result is the same as that of [`QueueLink`](super::queue_link::QueueLink) with `fifo` (test:
//! `sim::tests::shortcuts_change_nothing`).

use std::collections::{BTreeMap, VecDeque};
use std::num::NonZeroU32;

use super::transmitter::Speed;
use crate::metrics::queue::QueueRecorder;
use crate::packet::{Ecn, Packet};
use crate::pool::make_room_behind;
use crate::queue::{Backlog, Event, Limit, Reason, What};
use crate::units::{Duration, Instant, Rate};

/// A waiting packet. The link knows already when its transmission begins, and needs nothing else of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    pub arrived: Instant,
    pub starts: Instant,
    pub size: u32,
    /// Whether it carries the mark of congestion.
    pub ce: bool,
}

impl Waiting {
    pub fn of(packet: &Packet, arrived: Instant, starts: Instant) -> Self {
        Waiting { arrived, starts, size: packet.size, ce: packet.ecn == Ecn::Ce }
    }
}

/// The queue behind the packet in transmission.
#[derive(Debug, Default)]
struct Queue {
    waiting: VecDeque<Waiting>,
    backlog: Backlog,
    recorder: Option<Box<QueueRecorder>>,
}

/// The common record of links that are alike, in a cache line: a large network has thousands of them.
#[derive(Debug)]
#[repr(align(64))]
struct Kind {
    speed: Speed,
    delay: Duration,
    limit: Limit,
    /// The largest packet that an empty queue admits.
    largest: u32,
}

/// The common records of drop-tail links: rate, delay and limit, each combination once, and the queues of those links that
/// have one now.
#[derive(Debug, Default)]
pub struct FifoLinks {
    /// Numbers count from one.
    kinds: Vec<Kind>,
    numbers: BTreeMap<(u64, u64, u64, u64), NonZeroU32>,
    queues: Vec<Queue>,
    /// Queues that no link has now.
    free: Vec<u32>,
}

impl FifoLinks {
    /// The number of a kind; equal kinds have the same number.
    pub fn number(&mut self, rate: Rate, delay: Duration, limit: Limit) -> NonZeroU32 {
        let key = (rate.as_bps(), delay.as_nanos(), limit.packets, limit.bytes);
        *self.numbers.entry(key).or_insert_with(|| {
            let largest = if limit.packets == 0 { 0 } else { u32::try_from(limit.bytes).unwrap_or(u32::MAX) };
            self.kinds.push(Kind { speed: Speed::new(rate), delay, limit, largest });
            NonZeroU32::new(self.kinds.len() as u32).expect("one was pushed")
        })
    }

    /// Bytes of memory that waiting packets take.
    pub fn footprint(&self) -> u64 {
        self.queues.iter().map(|queue| (queue.waiting.capacity() * size_of::<Waiting>()) as u64).sum()
    }

    /// Frees the memory that was needed only to give numbers.
    pub fn close(&mut self) {
        self.numbers = BTreeMap::new();
        self.kinds.shrink_to_fit();
    }

    /// A link of a kind, idle and empty.
    pub fn link(&mut self, kind: NonZeroU32, recorder: Option<Box<QueueRecorder>>) -> FifoLink {
        let waiting = recorder.map_or(NOTHING, |recorder| {
            let queue = self.queue();
            self.queues[queue as usize].recorder = Some(recorder);
            Waits::in_queue(queue)
        });
        FifoLink { busy_until: Instant::ZERO, carry: 0, starts: Instant::ZERO, kind, waiting }
    }

    /// A queue that no link has.
    fn queue(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.queues.push(Queue::default());
            (self.queues.len() - 1) as u32
        })
    }

    #[inline(always)]
    fn kind(&self, number: NonZeroU32) -> &Kind {
        &self.kinds[number.get() as usize - 1]
    }
}

/// A drop-tail queue and its transmitter. On most links of a large network hardly more than one packet waits at a time: only the values
/// that differ between links are here, in half a cache line, and a queue is allocated when a second one waits.
#[derive(Debug)]
pub struct FifoLink {
    busy_until: Instant,
    /// The fraction of time that the transmitter carries over to the next packet.
    carry: u64,
    /// When the transmission of the packet that waits alone begins; it has left if that is over.
    starts: Instant,
    kind: NonZeroU32,
    waiting: Waits,
}

/// The backlog of a link: the size of a packet that waits alone (less than 2^31), or the number of a queue and the highest bit.
#[derive(Clone, Copy, Debug)]
struct Waits(u32);

const NOTHING: Waits = Waits(0);
const IN_QUEUE: u32 = 1 << 31;

impl Waits {
    fn in_queue(number: u32) -> Self {
        Waits(IN_QUEUE | number)
    }

    #[inline(always)]
    fn queue(self) -> Option<usize> {
        (self.0 >= IN_QUEUE).then_some((self.0 & !IN_QUEUE) as usize)
    }
}

impl FifoLink {
    /// A link at which nothing may arrive.
    pub fn of_no_kind() -> Self {
        FifoLink { busy_until: Instant::ZERO, carry: 0, starts: Instant::ZERO, kind: NonZeroU32::MAX, waiting: NOTHING }
    }

    /// A packet arrives at `now` (arrivals come in order): when it will reach the other end; `None`
    /// if it is dropped. `links` are those among which this one is.
    #[inline(always)]
    pub fn arrive(&mut self, links: &mut FifoLinks, now: Instant, packet: &mut Packet) -> Option<Instant> {
        let kind = links.kind(self.kind);
        if self.busy_until <= now && self.waiting.queue().is_none() && packet.size <= kind.largest {
            return Some(self.send(kind, now, packet.size));
        }
        self.arrive_behind(links, now, packet)
    }

    /// [`FifoLink::arrive`] where something is being sent or somebody records.
    #[inline(never)]
    fn arrive_behind(&mut self, links: &mut FifoLinks, now: Instant, packet: &mut Packet) -> Option<Instant> {
        let start = self.admit(links, now, packet)?;
        if start > now {
            packet.wait(start - now);
        }
        Some(self.send(links.kind(self.kind), start, packet.size))
    }

    /// A transmission begins at `start`: when the packet reaches the other end.
    #[inline(always)]
    fn send(&mut self, kind: &Kind, start: Instant, size: u32) -> Instant {
        self.busy_until = start + kind.speed.send(size, &mut self.carry);
        self.busy_until + kind.delay
    }

    #[inline(always)]
    fn admit(&mut self, links: &mut FifoLinks, now: Instant, packet: &Packet) -> Option<Instant> {
        let limit = links.kind(self.kind).limit;
        if let Some(number) = self.waiting.queue() {
            let queue = &mut links.queues[number];
            if self.busy_until > now || queue.recorder.is_some() {
                return queue.admit(now, self.busy_until, limit, packet);
            }
            queue.clear();
            links.free.push(number as u32);
            self.waiting = NOTHING;
        }
        if self.starts > now {
            return self.join(links, now, packet);
        }
        if !limit.admits(Backlog::default(), packet) {
            return None;
        }
        self.starts = self.busy_until.max(now);
        self.waiting = Waits(packet.size);
        Some(self.starts)
    }

    /// A packet arrives while another one waits alone: both go into a queue.
    #[inline(never)]
    fn join(&mut self, links: &mut FifoLinks, now: Instant, packet: &Packet) -> Option<Instant> {
        let (number, limit) = (links.queue(), links.kind(self.kind).limit);
        let queue = &mut links.queues[number as usize];
        // Nothing is recorded here, so a mark does not matter.
        queue.push(Waiting { arrived: now, starts: self.starts, size: self.waiting.0, ce: false });
        self.starts = Instant::ZERO;
        self.waiting = Waits::in_queue(number);
        queue.admit(now, self.busy_until, limit, packet)
    }

    /// Accounts for the transmissions that have begun up to and including `now`, if somebody records.
    pub fn settle(&mut self, links: &mut FifoLinks, now: Instant) {
        if let Some(queue) = self.waiting.queue() {
            links.queues[queue].settle(now);
        }
    }

    /// The backlog at the last arrival or [`FifoLink::settle`], if somebody records.
    pub fn backlog(&self, links: &FifoLinks) -> Backlog {
        self.waiting.queue().map_or_else(Backlog::default, |queue| links.queues[queue].backlog)
    }

    /// The time from the begin of a packet's transmission to its arrival at the other end.
    pub fn crossing(&self, links: &FifoLinks, size: u32) -> Duration {
        let kind = links.kind(self.kind);
        kind.speed.time(size) + kind.delay
    }

    /// The end of the current transmission, as of [`FifoLink::settle`]; a past moment if there is none.
    pub fn busy_until(&self, links: &FifoLinks) -> Instant {
        let next = self.waiting.queue().and_then(|queue| links.queues[queue].waiting.front());
        next.map_or(self.busy_until, |next| next.starts)
    }

    /// The measurements.
    pub fn recorder<'a>(&self, links: &'a FifoLinks) -> Option<&'a QueueRecorder> {
        links.queues[self.waiting.queue()?].recorder.as_deref()
    }

    /// The measurements.
    pub fn recorder_mut<'a>(&self, links: &'a mut FifoLinks) -> Option<&'a mut QueueRecorder> {
        links.queues[self.waiting.queue()?].recorder.as_deref_mut()
    }
}

impl Queue {
    /// When the packet's transmission starts; `None` if there is no room.
    #[inline(always)]
    fn admit(&mut self, now: Instant, busy_until: Instant, limit: Limit, packet: &Packet) -> Option<Instant> {
        if busy_until <= now && self.waiting.is_empty() && limit.admits(Backlog::default(), packet) {
            if let Some(recorder) = &mut self.recorder {
                recorder.passage(now, packet);
            }
            return Some(now);
        }
        self.admit_behind(now, busy_until, limit, packet)
    }

    /// [`Queue::admit`] where something is being sent or waits.
    #[inline(never)]
    fn admit_behind(&mut self, now: Instant, busy_until: Instant, limit: Limit, packet: &Packet) -> Option<Instant> {
        self.settle(now);
        if !limit.admits(self.backlog, packet) {
            if let Some(recorder) = &mut self.recorder {
                recorder.arrival(now, packet.size);
                recorder.event(&Event { time: now, packet: *packet, what: What::Drop(Reason::OVERFLOW) });
            }
            return None;
        }
        let start = busy_until.max(now);
        if start > now {
            self.push(Waiting::of(packet, now, start));
        }
        if let Some(recorder) = &mut self.recorder {
            recorder.arrival(now, packet.size);
            recorder.accepted(packet);
            recorder.backlog_becomes(now, self.backlog);
            if start == now {
                recorder.departure(now, packet.size, packet.ecn == Ecn::Ce, Duration::ZERO);
            }
        }
        Some(start)
    }

    fn push(&mut self, packet: Waiting) {
        self.backlog.packets += 1;
        self.backlog.bytes += u64::from(packet.size);
        make_room_behind(&mut self.waiting, "packets that wait");
        self.waiting.push_back(packet);
    }

    fn clear(&mut self) {
        self.waiting.clear();
        self.backlog = Backlog::default();
    }

    fn settle(&mut self, now: Instant) {
        while let Some(&Waiting { arrived, starts, size, ce }) = self.waiting.front() {
            if starts > now {
                break;
            }
            self.waiting.pop_front();
            self.backlog.packets -= 1;
            self.backlog.bytes -= u64::from(size);
            if let Some(recorder) = &mut self.recorder {
                recorder.backlog_becomes(starts, self.backlog);
                recorder.departure(starts, size, ce, starts - arrived);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::FlowId;
    use proptest::prelude::*;

    proptest! {
        /// The recorded link keeps all that waits in its queue; the other one as little as it can.
        #[test]
        fn what_nobody_watches_comes_at_the_same_times(
            arrivals in prop::collection::vec((0_u64..3_000, 1_u32..2_000), 1..200),
            packets in prop::option::of(1_u64..5),
            bytes in 100_u64..6_000,
        ) {
            let limit = packets.map_or(Limit { packets: u64::MAX, bytes }, Limit::packets);
            let mut links = FifoLinks::default();
            let kind = links.number(Rate::from_bps(8_000_000_000), Duration::from_nanos(7), limit);
            let recorder = Box::new(QueueRecorder::new(Instant::ZERO, limit, 1000));
            let (mut watched, mut plain) = (links.link(kind, Some(recorder)), links.link(kind, None));
            let mut now = 0;
            for (gap, size) in arrivals {
                now += gap;
                let (mut packet, mut same) = [Packet::datagram(FlowId(0), 0, size); 2].into();
                let expected = watched.arrive(&mut links, Instant::from_nanos(now), &mut packet);
                prop_assert_eq!(plain.arrive(&mut links, Instant::from_nanos(now), &mut same), expected);
                prop_assert_eq!(packet.waited, same.waited);
            }
            prop_assert!(links.queues.len() <= 2, "a queue that was given back is used again");
        }
    }
}
