//! A link behind a plain drop-tail queue. What happens to a packet is known when it arrives, so this
//! link needs no event when its transmitter becomes free: half the events of a link with a managed queue.
//!
//! The result is the same as that of [`QueueLink`](super::queue_link::QueueLink) with `fifo` (test:
//! `sim::tests::shortcuts_change_nothing`).

use std::collections::VecDeque;

use super::transmitter::Transmitter;
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

/// A drop-tail queue and its transmitter. Most links of a large network never queue: what they
/// need stands together, and the queue is made when something first waits.
#[derive(Debug)]
pub struct FifoLink {
    busy_until: Instant,
    transmitter: Transmitter,
    delay: Duration,
    /// Absent while nothing waits and nobody records.
    queue: Option<Box<Queue>>,
    limit: Limit,
    /// The largest packet that an empty queue admits.
    largest: u32,
}

impl FifoLink {
    /// Idle and empty.
    pub fn new(rate: Rate, delay: Duration, limit: Limit, recorder: Option<Box<QueueRecorder>>) -> Self {
        let queue = recorder.map(|recorder| Box::new(Queue { recorder: Some(recorder), ..Queue::default() }));
        let largest = if limit.packets == 0 { 0 } else { u32::try_from(limit.bytes).unwrap_or(u32::MAX) };
        FifoLink { busy_until: Instant::ZERO, transmitter: Transmitter::new(rate), delay, queue, limit, largest }
    }

    /// A packet arrives at `now` (arrivals come in order): when it will reach the other end; `None`
    /// if it is dropped.
    #[inline(always)]
    pub fn arrive(&mut self, now: Instant, packet: &Packet) -> Option<Instant> {
        let start = if self.busy_until <= now && self.queue.is_none() && packet.size <= self.largest {
            now
        } else {
            self.admit(now, packet)?
        };
        self.busy_until = start + self.transmitter.send(packet.size);
        Some(self.busy_until + self.delay)
    }

    #[inline(never)]
    fn admit(&mut self, now: Instant, packet: &Packet) -> Option<Instant> {
        self.queue.get_or_insert_default().admit(now, self.busy_until, self.limit, packet)
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
