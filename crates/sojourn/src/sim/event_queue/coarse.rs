//! Events of later windows, in order of scheduling: written and read one after the other, so that those of a large
//! network do not lie scattered in memory until they are due.

use super::bitmap::Bitmap;
use super::{Event, NONE};
use crate::prefetch::prefetch;

/// Windows that are told apart.
pub const WINDOWS: u64 = if cfg!(test) { 1 << 6 } else { 1 << 12 };
const COUNT: usize = WINDOWS as usize;

/// Events of one window: with its two numbers, four cache lines.
#[derive(Clone, Debug)]
#[repr(align(64))]
struct Chunk {
    events: [Event; CHUNK],
    len: u32,
    next: u32,
}

const CHUNK: usize = 15;

/// The first and the last chunk of a window.
#[derive(Clone, Copy, Debug)]
struct Ends {
    first: u32,
    last: u32,
}

const EMPTY: Ends = Ends { first: NONE, last: NONE };

/// The events of each window.
#[derive(Debug)]
pub struct Coarse {
    ends: Box<[Ends; COUNT]>,
    occupied: Bitmap<{ COUNT / 64 }>,
    chunks: Vec<Chunk>,
    free: u32,
}

impl Coarse {
    /// Holds nothing.
    pub fn new() -> Self {
        let ends = vec![EMPTY; COUNT].try_into().unwrap_or_else(|_| unreachable!("so many were made"));
        Coarse { ends, occupied: Bitmap::new(), chunks: Vec::new(), free: NONE }
    }

    /// Keeps an event of a window, behind those that it has.
    #[inline(always)]
    pub fn push(&mut self, window: u64, event: Event) {
        let last = self.ends[window as usize % COUNT].last;
        match self.chunks.get_mut(last as usize) {
            Some(chunk) if (chunk.len as usize) < CHUNK => {
                chunk.events[chunk.len as usize] = event;
                chunk.len += 1;
            }
            _ => self.push_into_new(window, event),
        }
    }

    #[inline(never)]
    fn push_into_new(&mut self, window: u64, event: Event) {
        let index = self.store(Chunk { events: [event; CHUNK], len: 1, next: NONE });
        let ends = &mut self.ends[window as usize % COUNT];
        if let Some(last) = self.chunks.get_mut(ends.last as usize) {
            last.next = index;
        } else {
            ends.first = index;
            self.occupied.set(window as usize % COUNT);
        }
        ends.last = index;
    }

    fn store(&mut self, chunk: Chunk) -> u32 {
        let index = self.free;
        if let Some(place) = self.chunks.get_mut(index as usize) {
            self.free = place.next;
            *place = chunk;
            return index;
        }
        self.chunks.push(chunk);
        (self.chunks.len() - 1) as u32
    }

    /// The first window from `window` on that holds anything.
    pub fn next(&self, window: u64) -> Option<u64> {
        Some(window + self.occupied.distance_around(window as usize % COUNT)? as u64)
    }

    /// The earliest time in a window.
    pub fn earliest(&self, window: u64) -> Option<u64> {
        let first = self.ends[window as usize % COUNT].first;
        let chunks =
            std::iter::successors(self.chunks.get(first as usize), |chunk| self.chunks.get(chunk.next as usize));
        chunks.flat_map(Chunk::events).map(|event| event.time).min()
    }

    /// Takes out a window's events in order of scheduling.
    pub fn take(&mut self, window: u64, mut give: impl FnMut(Event)) {
        let bucket = window as usize % COUNT;
        self.occupied.clear(bucket);
        let Ends { first, last } = std::mem::replace(&mut self.ends[bucket], EMPTY);
        let mut index = first;
        while let Some(chunk) = self.chunks.get(index as usize) {
            prefetch(self.chunks.get(chunk.next as usize));
            chunk.events().for_each(&mut give);
            index = chunk.next;
        }
        if let Some(chunk) = self.chunks.get_mut(last as usize) {
            chunk.next = std::mem::replace(&mut self.free, first);
        }
    }

    /// Number of events.
    pub fn len(&self) -> usize {
        let chunks = |ends: &Ends| {
            std::iter::successors(self.chunks.get(ends.first as usize), |chunk| self.chunks.get(chunk.next as usize))
        };
        self.ends.iter().flat_map(chunks).map(|chunk| chunk.len as usize).sum()
    }
}

impl Chunk {
    fn events(&self) -> impl Iterator<Item = Event> {
        self.events.iter().take(self.len as usize).copied()
    }
}
