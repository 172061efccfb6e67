//! The near buckets of the event queue: linked lists in one pool.

use super::event::Event;
use super::occupied::Bitmap;

/// Buckets that are near, the opened one included.
pub const BUCKETS: u64 = 1 << 15;
const WORDS: usize = (BUCKETS / 64) as usize;
/// Width of buckets at first.
pub const FIRST_SHIFT: u32 = 13;

/// No place in a pool.
pub const NONE: u32 = u32::MAX;

/// An event in the list of a bucket: four to a cache line.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    pub offset: u32,
    pub key: u32,
    pub arg: u32,
    pub next: u32,
}

/// The near buckets.
#[derive(Debug)]
pub struct Near {
    /// Width of a bucket is `1 << shift` nanoseconds.
    pub shift: u32,
    /// The width of a bucket.
    pub width: u64,
    /// First node of each bucket's list, newest first.
    pub heads: Box<[u32; BUCKETS as usize]>,
    pub occupied: Bitmap<WORDS>,
    pub nodes: Vec<Node>,
    pub free: u32,
}

impl Near {
    /// Empty.
    pub fn new() -> Self {
        let heads = vec![NONE; BUCKETS as usize].try_into();
        Near {
            shift: FIRST_SHIFT,
            width: 1 << FIRST_SHIFT,
            heads: heads.unwrap_or_else(|_| unreachable!("so many were made")),
            occupied: Bitmap::new(),
            nodes: Vec::new(),
            free: NONE,
        }
    }

    /// Puts an event into a later bucket.
    #[inline(always)]
    pub fn link(&mut self, event: Event) {
        let bucket = bucket(event.time >> self.shift);
        let offset = (event.time & ((1 << self.shift) - 1)) as u32;
        let next = self.heads[bucket];
        self.occupied.set(bucket);
        if let Some(place) = self.nodes.get_mut(self.free as usize) {
            self.heads[bucket] = self.free;
            self.free = place.next;
            place.offset = offset;
            place.key = event.key;
            place.arg = event.arg;
            place.next = next;
        } else {
            self.grow(bucket, Node { offset, key: event.key, arg: event.arg, next });
        }
    }

    #[cold]
    fn grow(&mut self, bucket: usize, node: Node) {
        self.heads[bucket] = self.nodes.len() as u32;
        self.nodes.push(node);
    }

    /// Takes out the only event of a bucket, if it is not later than a number of nanoseconds after the beginning of the bucket.
    #[inline(always)]
    pub fn unlink_only(&mut self, bucket: usize, until: u64) -> Option<(u32, u32, u32)> {
        let index = self.heads[bucket];
        let node = self.nodes.get_mut(index as usize)?;
        if node.next != NONE || u64::from(node.offset) > until {
            return None;
        }
        let event = (node.offset, node.key, node.arg);
        node.next = std::mem::replace(&mut self.free, index);
        self.heads[bucket] = NONE;
        self.occupied.clear(bucket);
        Some(event)
    }

    /// Takes out the events of a bucket, the newest first: nanoseconds into the bucket, key and argument.
    #[inline(always)]
    pub fn unlink(&mut self, bucket: usize, mut give: impl FnMut(u32, u32, u32)) {
        let mut index = std::mem::replace(&mut self.heads[bucket], NONE);
        self.occupied.clear(bucket);
        while let Some(node) = self.nodes.get_mut(index as usize) {
            give(node.offset, node.key, node.arg);
            let next = std::mem::replace(&mut node.next, self.free);
            self.free = std::mem::replace(&mut index, next);
        }
    }
}

/// The place of a near bucket.
#[inline(always)]
pub fn bucket(slot: u64) -> usize {
    (slot & (BUCKETS - 1)) as usize
}
