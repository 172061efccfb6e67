//! A link behind a plain drop-tail queue. What happens to a packet is known when it arrives, so this
//! link needs no event when its transmitter becomes free: half the events of a link with a managed queue.
//!
//! The result is the same as that of [`QueueLink`](super::queue_link::QueueLink) with `fifo` (test:
//! `sim::tests::shortcuts_change_nothing`).

use std::collections::{BTreeMap, VecDeque};
use std::num::NonZeroU32;

use super::transmitter::Speed;
use crate::metrics::queue::QueueRecorder;
use crate::packet::Packet;
use crate::queue::{Backlog, Event, Limit, Reason, What};
use crate::units::{Duration, Instant, Rate};

/// A packet that waits, as far as the link needs to know it.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    arrived: Instant,
    starts: Instant,
    size: u32,
}

/// The queue behind the packet in transmission.
#[derive(Debug, Default)]
struct Queue {
    waiting: VecDeque<Waiting>,
    backlog: Backlog,
    recorder: Option<Box<QueueRecorder>>,
}

/// What links alike have in common, in a cache line: a large network has thousands of them.
#[derive(Debug)]
#[repr(align(64))]
struct Kind {
    speed: Speed,
    delay: Duration,
    limit: Limit,
    /// The largest packet that an empty queue admits.
    largest: u32,
}

/// Rate, delay and limit of drop-tail links, each combination once.
#[derive(Debug, Default)]
pub struct FifoKinds {
    /// Numbers count from one.
    kinds: Vec<Kind>,
    numbers: BTreeMap<(u64, u64, u64, u64), NonZeroU32>,
}

impl FifoKinds {
    /// The number of a kind; the same for what is the same.
    pub fn number(&mut self, rate: Rate, delay: Duration, limit: Limit) -> NonZeroU32 {
        let key = (rate.as_bps(), delay.as_nanos(), limit.packets, limit.bytes);
        *self.numbers.entry(key).or_insert_with(|| {
            let largest = if limit.packets == 0 { 0 } else { u32::try_from(limit.bytes).unwrap_or(u32::MAX) };
            self.kinds.push(Kind { speed: Speed::new(rate), delay, limit, largest });
            NonZeroU32::new(self.kinds.len() as u32).expect("one was pushed")
        })
    }

    /// Forgets what was only needed to give numbers.
    pub fn close(&mut self) {
        self.numbers = BTreeMap::new();
        self.kinds.shrink_to_fit();
    }

    #[inline(always)]
    fn get(&self, number: NonZeroU32) -> &Kind {
        &self.kinds[number.get() as usize - 1]
    }
}

/// A drop-tail queue and its transmitter. Most links of a large network never queue: only what differs between links
/// stands here, and the queue is made when something first waits.
#[derive(Debug)]
pub struct FifoLink {
    busy_until: Instant,
    /// What the transmitter carries to the next packet.
    carry: u64,
    /// Absent while nothing has waited and nobody records.
    queue: Option<Box<Queue>>,
    kind: NonZeroU32,
    is_recorded: bool,
}

impl FifoLink {
    /// Idle and empty; `kind` has its rate, delay and limit.
    pub fn new(kind: NonZeroU32, recorder: Option<Box<QueueRecorder>>) -> Self {
        let is_recorded = recorder.is_some();
        let queue = recorder.map(|recorder| Box::new(Queue { recorder: Some(recorder), ..Queue::default() }));
        FifoLink { busy_until: Instant::ZERO, carry: 0, queue, kind, is_recorded }
    }

    /// A packet arrives at `now` (arrivals come in order): when it will reach the other end; `None`
    /// if it is dropped. `kinds` are those among which this link's is.
    #[inline(always)]
    pub fn arrive(&mut self, kinds: &FifoKinds, now: Instant, packet: &Packet) -> Option<Instant> {
        let kind = kinds.get(self.kind);
        let start = if self.busy_until <= now && !self.is_recorded && packet.size <= kind.largest {
            now // What waited has left; the queue learns of that when something waits again.
        } else {
            self.admit(now, kind.limit, packet)?
        };
        self.busy_until = start + kind.speed.send(packet.size, &mut self.carry);
        Some(self.busy_until + kind.delay)
    }

    #[inline(never)]
    fn admit(&mut self, now: Instant, limit: Limit, packet: &Packet) -> Option<Instant> {
        self.queue.get_or_insert_default().admit(now, self.busy_until, limit, packet)
    }

    /// Accounts for the transmissions that have begun up to and including `now`.
    pub fn settle(&mut self, now: Instant) {
        if let Some(queue) = &mut self.queue {
            queue.settle(now);
        }
    }

    /// What waits, as of the last arrival or [`FifoLink::settle`].
    pub fn backlog(&self) -> Backlog {
        self.queue.as_ref().map_or_else(Backlog::default, |queue| queue.backlog)
    }

    /// What was measured.
    pub fn recorder_mut(&mut self) -> Option<&mut QueueRecorder> {
        self.queue.as_mut()?.recorder.as_deref_mut()
    }
}

impl Queue {
    /// When the packet's transmission starts; `None` if there is no room.
    fn admit(&mut self, now: Instant, busy_until: Instant, limit: Limit, packet: &Packet) -> Option<Instant> {
        if busy_until <= now && self.waiting.is_empty() && limit.admits(Backlog::default(), packet) {
            if let Some(recorder) = &mut self.recorder {
                recorder.passage(now, packet);
            }
            return Some(now);
        }
        self.settle(now);
        if !limit.admits(self.backlog, packet) {
            if let Some(recorder) = &mut self.recorder {
                recorder.arrival(now);
                recorder.event(&Event { time: now, packet: *packet, what: What::Drop(Reason::OVERFLOW) });
            }
            return None;
        }
        let start = busy_until.max(now);
        if start > now {
            self.waiting.push_back(Waiting { arrived: now, starts: start, size: packet.size });
            self.backlog.packets += 1;
            self.backlog.bytes += u64::from(packet.size);
        }
        if let Some(recorder) = &mut self.recorder {
            recorder.arrival(now);
            recorder.accepted(packet);
            recorder.backlog_becomes(now, self.backlog);
            if start == now {
                recorder.departure(now, packet.size, Duration::ZERO);
            }
        }
        Some(start)
    }

    fn settle(&mut self, now: Instant) {
        while let Some(&Waiting { arrived, starts, size }) = self.waiting.front() {
            if starts > now {
                break;
            }
            self.waiting.pop_front();
            self.backlog.packets -= 1;
            self.backlog.bytes -= u64::from(size);
            if let Some(recorder) = &mut self.recorder {
                recorder.backlog_becomes(starts, self.backlog);
                recorder.departure(starts, size, starts - arrived);
            }
        }
    }
}
