//! The links of a run, two to a cache line: an event mostly touches two that follow each other in a plan.

use std::ops::{Index, IndexMut};

use super::Link;
use crate::net::fifo_link::FifoLink;

/// Links by number.
pub(super) struct Links {
    pairs: Vec<Pair>,
    len: usize,
}

#[repr(align(64))]
struct Pair([Link; 2]);

impl Links {
    /// None yet, and room for so many.
    pub fn with_capacity(len: usize) -> Self {
        Links { pairs: Vec::with_capacity(len.div_ceil(2)), len: 0 }
    }

    /// Adds one; its number is the number of those before it.
    pub fn push(&mut self, link: Link) {
        if self.len % 2 == 0 {
            self.pairs.push(Pair([link, Link::Fifo(FifoLink::of_no_kind())]));
        } else if let Some(pair) = self.pairs.last_mut() {
            pair.0[1] = link;
        }
        self.len += 1;
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// The link with a number, if there is one.
    #[inline(always)]
    pub fn get(&self, number: usize) -> Option<&Link> {
        Some(&self.pairs.get(number / 2)?.0[number % 2])
    }

    /// All, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Link> {
        self.pairs.iter().flat_map(|pair| &pair.0).take(self.len)
    }

    /// All, in order.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Link> {
        self.pairs.iter_mut().flat_map(|pair| &mut pair.0).take(self.len)
    }

    /// Keeps the first ones.
    pub fn truncate(&mut self, len: usize) {
        self.pairs.truncate(len.div_ceil(2));
        self.pairs.shrink_to_fit();
        self.len = self.len.min(len);
    }
}

impl Index<usize> for Links {
    type Output = Link;

    #[inline(always)]
    fn index(&self, number: usize) -> &Link {
        &self.pairs[number / 2].0[number % 2]
    }
}

impl IndexMut<usize> for Links {
    #[inline(always)]
    fn index_mut(&mut self, number: usize) -> &mut Link {
        &mut self.pairs[number / 2].0[number % 2]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_links_share_a_cache_line() {
        assert_eq!((size_of::<Link>(), size_of::<Pair>()), (32, 64));
    }
}
