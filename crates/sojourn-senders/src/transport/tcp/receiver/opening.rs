//! The repetition of an answer to a SYN. Compared with: Linux 6.12.117 `inet_rtx_syn_ack` and `reqsk_timer_handler` (behaviour), by runs
//! of a kernel (`tests/peers/linux/kernel`).

use super::super::recovery::Slot;
use super::super::rtt::RttConfig;
use super::super::seldom::Seldom;
use super::super::settings::Timers;
use crate::transport::Turn;
use crate::transport::outbox::Outbox;
use crate::units::{Duration, Instant};

/// Doublings of the timeout after which it is the greatest one.
const DOUBLINGS_MAX: u8 = 16;

/// Whether an acknowledgement answers a SYN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SynAck {
    Yes,
    /// The receiver agrees to ECN (RFC 3168 §6.1.1).
    Agrees,
    No,
}

/// A connection whose receiver has answered a SYN and heard nothing since.
#[derive(Clone, Debug)]
pub(super) struct Opening {
    pub answer: SynAck,
    /// The times at which the answer was sent.
    sent: Vec<Instant>,
    timeouts: u8,
    copies: Seldom,
    slot: Slot,
}

impl Opening {
    /// The receiver answers a SYN for the first time.
    pub fn new(answer: SynAck) -> Self {
        Opening { answer, sent: Vec::new(), timeouts: 0, copies: Seldom::default(), slot: Slot::default() }
    }

    /// The answer is sent now, perhaps again: the time at which it is sent next.
    pub fn next(&mut self, timers: Timers, now: Instant, rtt: &RttConfig, out: &mut Outbox) -> Instant {
        let timeout = Duration::from_nanos(rtt.initial.as_nanos() << self.timeouts).min(rtt.max);
        let deadline = self.slot.set(timers, now, timeout, rtt.tick);
        self.slot.settle(out);
        self.sent.push(now);
        deadline
    }

    /// The time of the answer that a packet shows which was sent at `sent_at`: the last one before it, because an answer takes less time to
    /// the sender than the next one waits.
    pub fn answered(&self, sent_at: Instant) -> Instant {
        let before = self.sent.partition_point(|&answer| answer <= sent_at);
        self.sent.get(before.saturating_sub(1)).copied().unwrap_or(sent_at)
    }

    /// Whether the answer was sent more than once.
    pub fn is_repeated(&self) -> bool {
        self.sent.len() > 1
    }

    /// Whether a copy of the SYN is answered that comes now.
    pub fn may_answer(&mut self, now: Instant) -> bool {
        self.copies.may_answer(now)
    }

    /// Nothing has arrived in time.
    pub fn on_timeout(&mut self) {
        self.timeouts = (self.timeouts + 1).min(DOUBLINGS_MAX);
    }

    pub fn turn(&self, deadline: Option<Instant>) -> Turn {
        self.slot.turn(deadline)
    }
}
