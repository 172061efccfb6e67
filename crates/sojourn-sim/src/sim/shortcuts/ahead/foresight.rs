//! How far ahead ends may be called.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::super::super::event_queue::NEVER;

/// How far ahead ends may be called, and the packets that are held back for that reason.
#[derive(Debug)]
pub struct Foresight {
    /// Ends may be called for this time, in nanoseconds, and for earlier ones.
    pub(super) horizon: u64,
    /// Whether all events up to the horizon have been handled.
    pub is_reached: bool,
    /// When senders and receivers are sampled next, in nanoseconds; each is looked at after the calls of that time.
    pub next_sample: [u64; 2],
    /// When flows are stopped, in nanoseconds, the first one last.
    pub(super) stops: Vec<u64>,
    /// Arrivals beyond the horizon: time, order, side and packet.
    pub(super) put_off: BinaryHeap<Reverse<(u64, u64, usize, u32)>>,
    pub(super) count: u64,
}

impl Foresight {
    /// Flows are stopped at these times.
    pub fn new(mut stops: Vec<u64>) -> Self {
        stops.sort_unstable_by_key(|time| Reverse(*time));
        stops.dedup();
        Foresight { horizon: 0, is_reached: true, next_sample: [NEVER; 2], stops, put_off: BinaryHeap::new(), count: 0 }
    }
}
