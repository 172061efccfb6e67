//! Events of later windows, in order of scheduling: written and read one after the other, so that those of a large
//! network do not lie scattered in memory until they are due.

use super::event::Event;
use super::near::NONE;
use super::occupied::Bitmap;
use crate::prefetch::prefetch;

/// Windows that are told apart.
pub const WINDOWS: u64 = 1 << 12;
const COUNT: usize = WINDOWS as usize;

/// Events of one window, one after the other: the processor reads ahead.
#[derive(Clone, Debug)]
#[repr(align(64))]
struct Chunk([Event; CHUNK]);

const CHUNK: usize = 32;

/// The first and the last chunk of a window, and how many events the last one has; the others are full.
#[derive(Clone, Copy, Debug)]
struct Ends {
    first: u32,
    last: u32,
    len: u32,
}

const EMPTY: Ends = Ends { first: NONE, last: NONE, len: CHUNK as u32 };

/// The events of each window.
#[derive(Debug)]
pub struct Coarse {
    ends: Box<[Ends; COUNT]>,
    occupied: Bitmap<{ COUNT / 64 }>,
    chunks: Vec<Chunk>,
    /// The chunk after each, of the same window or free.
    nexts: Vec<u32>,
    free: u32,
}

impl Coarse {
    /// Holds nothing.
    pub fn new() -> Self {
        let ends = vec![EMPTY; COUNT].try_into().unwrap_or_else(|_| unreachable!("so many were made"));
        Coarse { ends, occupied: Bitmap::new(), chunks: Vec::new(), nexts: Vec::new(), free: NONE }
    }

    /// Frees the memory of the events, which are discarded; nothing may be added any more.
    pub fn give_back(&mut self) {
        self.chunks = Vec::new();
        self.nexts = Vec::new();
    }

    /// Keeps an event of a window, behind those that it has.
    #[inline(always)]
    pub fn push(&mut self, window: u64, event: Event) {
        let ends = &mut self.ends[window as usize % COUNT];
        if let Some(place) =
            self.chunks.get_mut(ends.last as usize).and_then(|chunk| chunk.0.get_mut(ends.len as usize))
        {
            *place = event;
            ends.len += 1;
        } else {
            self.push_into_new(window, event.time, event.key, event.arg);
        }
    }

    #[inline(never)]
    fn push_into_new(&mut self, window: u64, time: u64, key: u32, arg: u32) {
        let index = self.store(Event { time, key, arg });
        let ends = &mut self.ends[window as usize % COUNT];
        if let Some(next) = self.nexts.get_mut(ends.last as usize) {
            *next = index;
        } else {
            ends.first = index;
            self.occupied.set(window as usize % COUNT);
        }
        ends.last = index;
        ends.len = 1;
    }

    /// A chunk that begins with an event.
    fn store(&mut self, event: Event) -> u32 {
        let index = self.free;
        if let Some(next) = self.nexts.get_mut(index as usize) {
            self.free = std::mem::replace(next, NONE);
            self.chunks[index as usize].0[0] = event;
            return index;
        }
        self.chunks.push(Chunk([event; CHUNK]));
        self.nexts.push(NONE);
        (self.chunks.len() - 1) as u32
    }

    /// The first window from `window` on that holds anything.
    pub fn next(&self, window: u64) -> Option<u64> {
        Some(window + self.occupied.distance_around(window as usize % COUNT)? as u64)
    }

    /// Takes out a window's events in order of scheduling.
    pub fn take(&mut self, window: u64, mut give: impl FnMut(Event)) {
        for event in self.chunks(window).flatten() {
            give(*event);
        }
        self.free(window);
    }

    /// A window's events in order of scheduling, chunk by chunk.
    pub fn chunks(&self, window: u64) -> impl Iterator<Item = &[Event]> {
        self.chunks_of(self.ends[window as usize % COUNT])
    }

    /// Forgets a window's events.
    pub fn free(&mut self, window: u64) {
        let bucket = window as usize % COUNT;
        self.occupied.clear(bucket);
        let ends = std::mem::replace(&mut self.ends[bucket], EMPTY);
        if let Some(next) = self.nexts.get_mut(ends.last as usize) {
            *next = std::mem::replace(&mut self.free, ends.first);
        }
    }

    /// The events of a window, chunk by chunk; the one that follows is asked for while one is read.
    fn chunks_of(&self, ends: Ends) -> impl Iterator<Item = &[Event]> {
        let mut index = Some(ends.first).filter(|first| *first != NONE);
        std::iter::from_fn(move || {
            let this = index?;
            let is_last = this == ends.last;
            index = if is_last { None } else { self.nexts.get(this as usize).copied() };
            prefetch(index.and_then(|next| self.chunks.get(next as usize)));
            let events = &self.chunks[this as usize].0;
            Some(if is_last { &events[..ends.len as usize] } else { &events[..] })
        })
    }

    /// Number of events.
    pub fn len(&self) -> usize {
        self.ends.iter().flat_map(|ends| self.chunks_of(*ends)).map(<[Event]>::len).sum()
    }
}
