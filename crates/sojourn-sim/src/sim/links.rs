//! The links of a run, two to a cache line: an event mostly touches two that follow each other in a plan.

use std::ops::{Index, IndexMut};

use crate::net::fifo_link::FifoLink;
use crate::net::queue_link::QueueLink;

/// A link in either of its forms.
pub(super) enum Link {
    Buffer(FifoLink),
    Queue(Box<QueueLink>),
}

/// Links by number.
pub(super) struct Links {
    pairs: Vec<Pair>,
    len: usize,
}

#[repr(align(64))]
struct Pair([Link; 2]);

impl Links {
    /// No links, and room for `len` of them.
    pub fn with_capacity(len: usize) -> Self {
        Links { pairs: Vec::with_capacity(len.div_ceil(2)), len: 0 }
    }

    /// Adds one; its number is the number of those before it.
    pub fn push(&mut self, link: Link) {
        if self.len.is_multiple_of(2) {
            self.pairs.push(Pair([link, Link::Buffer(FifoLink::of_no_kind())]));
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
    pub fn iter(&self) -> impl Iterator<Item = &Link> + Clone {
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
    use crate::net::fifo_link::FifoLinks;
    use crate::packet::{FlowId, Packet};
    use crate::queue::Limit;
    use crate::units::{Duration, Instant, Rate};

    #[test]
    fn links_are_numbered_in_order_also_where_the_last_one_has_no_neighbour() {
        let mut fifos = FifoLinks::default();
        let mut links = Links::with_capacity(3);
        for millis in 1..=3 {
            let kind = fifos.number(Rate::from_bps(8_000_000), Duration::from_millis(millis), Limit::NONE);
            links.push(Link::Buffer(fifos.link(kind, None)));
        }
        let mut arrivals = |all: &mut Links| -> Vec<Option<Instant>> {
            let mut packet = Packet::datagram(FlowId(0), 0, 0);
            let arrive = |link: &mut Link| match link {
                Link::Buffer(fifo) => fifo.arrive(&mut fifos, Instant::ZERO, &mut packet),
                Link::Queue(_) => None,
            };
            all.iter_mut().map(arrive).collect()
        };
        let at = |millis| Some(Instant::ZERO + Duration::from_millis(millis));

        assert_eq!((links.len(), links.iter().count()), (3, 3));
        assert_eq!(arrivals(&mut links), [at(1), at(2), at(3)]);
        links.truncate(1);
        assert_eq!(arrivals(&mut links), [at(1)]);
    }

    #[test]
    fn two_links_share_a_cache_line() {
        assert_eq!((size_of::<Link>(), size_of::<Pair>()), (32, 64));
    }
}
