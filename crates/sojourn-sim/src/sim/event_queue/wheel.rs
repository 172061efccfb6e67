//! The data of the event queue; its methods are in the parent module, in [`windows`](super::windows) and in [`width`](super::width).

use super::batch::Batch;
use super::coarse::Coarse;
use super::event::Event;
use super::near::{BUCKETS, FIRST_SHIFT, Near};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Buckets of a window.
pub(super) const WINDOW: u64 = 1 << WINDOW_BITS;
pub(super) const WINDOW_BITS: u32 = 12;
/// Windows that begin within this number of buckets are near.
pub(super) const HORIZON: u64 = BUCKETS - WINDOW;
/// The width of buckets is looked at after this many events ...
pub(super) const REVIEW_EVERY: u32 = 1 << 14;
/// ... and for the first time after this number. Until then it is only a guess.
pub(super) const FIRST_REVIEW: u32 = 1 << 10;

/// Pending events in total order.
#[derive(Debug)]
pub struct EventQueue {
    pub(super) near: Near,
    /// The events of opened buckets, in order, ...
    pub(super) ready: Vec<Event>,
    /// ... and the number of events that have been taken from it.
    pub(super) taken: usize,
    /// Number of the last opened bucket, counted from time zero.
    pub(super) slot: u64,
    /// Number of the first window that is not near, counted from time zero.
    pub(super) window: u64,
    /// A window is brought near when a bucket is opened that ends later than this, in nanoseconds.
    pub(super) bring_at: u64,
    /// When the last opened bucket ends, in nanoseconds.
    pub(super) open_until: u64,
    /// When that window begins, in nanoseconds.
    pub(super) near_until: u64,
    pub(super) coarse: Coarse,
    /// The rest of the last window that was sorted as a whole, ...
    pub(super) batch: Batch,
    /// ... as all are now, when they begin: most events come from windows.
    pub(super) is_batched: bool,
    /// Whether they may be.
    pub(super) may_batch: bool,
    /// Beyond the windows when they were scheduled; the counter keeps the order of scheduling.
    pub(super) far: BinaryHeap<Reverse<(u64, u32, u64, u32)>>,
    pub(super) far_count: u64,
    /// Events since the last review that were not near.
    pub(super) moved: u32,
    /// Those of them that would be in buckets twice as wide.
    pub(super) just_moved: u32,
    /// Number of the bucket that was open at the last review.
    pub(super) reviewed: u64,
    /// The least width: with narrower buckets too many events were beyond the wheel.
    pub(super) least_shift: u32,
    pub(super) popped: u32,
    pub(super) opened: u32,
    pub(super) review_at: u32,
    /// Events between two reviews, at least.
    pub(super) review_every: u32,
}

impl Default for EventQueue {
    fn default() -> Self {
        EventQueue::new()
    }
}

impl EventQueue {
    /// Like [`EventQueue::new`]. With `allowed` windows may be sorted as a whole ([`windows`](super::windows)).
    pub fn sorting_windows(allowed: bool) -> Self {
        EventQueue { may_batch: allowed, ..EventQueue::new() }
    }

    /// Empty, at time zero.
    pub fn new() -> Self {
        EventQueue {
            near: Near::new(),
            ready: Vec::new(),
            taken: 0,
            slot: 0,
            window: BUCKETS / WINDOW,
            bring_at: (BUCKETS - HORIZON) << FIRST_SHIFT,
            open_until: 1 << FIRST_SHIFT,
            near_until: BUCKETS << FIRST_SHIFT,
            coarse: Coarse::new(),
            batch: Batch::default(),
            is_batched: false,
            may_batch: true,
            far: BinaryHeap::new(),
            far_count: 0,
            moved: 0,
            just_moved: 0,
            reviewed: 0,
            least_shift: 0,
            popped: 0,
            opened: 0,
            review_at: FIRST_REVIEW,
            review_every: REVIEW_EVERY,
        }
    }
}
