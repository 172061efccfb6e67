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

/// A drop-tail queue and its transmitter.
#[derive(Debug)]
pub struct FifoLink {
    transmitter: Transmitter,
    delay: Duration,
    limit: Limit,
    busy_until: Instant,
    waiting: VecDeque<Waiting>,
    backlog: Backlog,
    recorder: Option<Box<QueueRecorder>>,
}

impl FifoLink {
    /// Idle and empty.
    pub fn new(rate: Rate, delay: Duration, limit: Limit, recorder: Option<Box<QueueRecorder>>) -> Self {
        FifoLink {
            transmitter: Transmitter::new(rate),
            delay,
            limit,
            busy_until: Instant::ZERO,
            waiting: VecDeque::new(),
            backlog: Backlog::default(),
            recorder,
        }
    }

    /// A packet arrives at `now` (arrivals come in order): when it will reach the other end; `None`
    /// if it is dropped.
    #[inline]
    pub fn arrive(&mut self, now: Instant, packet: &Packet) -> Option<Instant> {
        if self.backlog.packets > 0 {
            self.settle(now);
        }
        if !self.limit.admits(self.backlog, packet) {
            if let Some(recorder) = &mut self.recorder {
                recorder.arrival(now);
                recorder.event(&Event { time: now, packet: *packet, what: What::Drop(Reason::OVERFLOW) });
            }
            return None;
        }
        let start = if self.busy_until > now {
            self.waiting.push_back(Waiting { arrived: now, starts: self.busy_until, size: packet.size });
            self.backlog.packets += 1;
            self.backlog.bytes += u64::from(packet.size);
            self.busy_until
        } else {
            now
        };
        self.busy_until = start + self.transmitter.send(packet.size);
        if let Some(recorder) = &mut self.recorder {
            recorder.arrival(now);
            recorder.accepted(packet);
            recorder.backlog_becomes(now, self.backlog);
            if start == now {
                recorder.departure(now, packet.size, Duration::ZERO);
            }
        }
        Some(self.busy_until + self.delay)
    }

    /// Accounts for the transmissions that have begun up to and including `now`.
    #[inline]
    pub fn settle(&mut self, now: Instant) {
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

    /// What waits, as of the last arrival or [`FifoLink::settle`].
    pub fn backlog(&self) -> Backlog {
        self.backlog
    }

    /// What was measured.
    pub fn recorder_mut(&mut self) -> Option<&mut QueueRecorder> {
        self.recorder.as_deref_mut()
    }
}
