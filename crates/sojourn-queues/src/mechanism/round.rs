//! Queues in the order of their turns: one joins at the end, and any of them leaves, in O(1).

/// A place in the round.
#[derive(Clone, Copy, Debug)]
struct Place {
    before: usize,
    after: usize,
    /// Places were given out in this order.
    turn: u64,
}

/// Queues with numbers below a bound, each in the round at most once.
#[derive(Clone, Debug)]
pub struct Round {
    /// A place for each queue, and behind them the one between the last and the first.
    places: Vec<Place>,
    len: usize,
    turns: u64,
}

impl Round {
    /// An empty round for `queues` queues.
    pub fn new(queues: usize) -> Self {
        Round { places: vec![Place { before: queues, after: queues, turn: 0 }; queues + 1], len: 0, turns: 0 }
    }

    /// How many are in it.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the round is empty.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whose turn it is.
    #[inline]
    pub fn first(&self) -> Option<usize> {
        let first = self.places[self.end()].after;
        (first != self.end()).then_some(first)
    }

    /// Greater for a queue in the round whose turn comes sooner.
    pub fn soonness(&self, queue: usize) -> u64 {
        u64::MAX - self.places[queue].turn
    }

    /// A queue that is not in the round takes the last turn.
    #[inline]
    pub fn join(&mut self, queue: usize) {
        let end = self.end();
        let last = self.places[end].before;
        self.turns += 1;
        self.places[queue] = Place { before: last, after: end, turn: self.turns };
        self.places[last].after = queue;
        self.places[end].before = queue;
        self.len += 1;
    }

    /// A queue that is in the round leaves it.
    #[inline]
    pub fn leave(&mut self, queue: usize) {
        let Place { before, after, .. } = self.places[queue];
        self.places[before].after = after;
        self.places[after].before = before;
        self.len -= 1;
    }

    /// The turn of a queue in the round is over: it has the last one.
    #[inline]
    pub fn turn_ends(&mut self, queue: usize) {
        self.leave(queue);
        self.join(queue);
    }

    fn end(&self) -> usize {
        self.places.len() - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use std::collections::VecDeque;

    #[test]
    fn it_is_a_list_that_rotates() {
        const QUEUES: usize = 9;
        let (mut round, mut list) = (Round::new(QUEUES), VecDeque::new());
        let mut rng = Rng::named(1, "round");
        for _ in 0..2000 {
            let queue = rng.below(QUEUES as u64) as usize;
            match list.iter().position(|other| *other == queue) {
                None => {
                    round.join(queue);
                    list.push_back(queue);
                }
                Some(place) if rng.below(2) == 0 => {
                    round.leave(queue);
                    list.remove(place);
                }
                Some(_) => {
                    let first = list.pop_front().expect("one is in it");
                    round.turn_ends(first);
                    list.push_back(first);
                }
            }
            assert_eq!(
                (round.first(), round.len(), round.is_empty()),
                (list.front().copied(), list.len(), list.is_empty())
            );
            assert!(list.iter().is_sorted_by_key(|each| u64::MAX - round.soonness(*each)));
        }
    }
}
