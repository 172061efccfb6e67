//! Which of many queues is the longest: a tree of matches, in which each change costs the logarithm of their number.

/// Lengths of queues.
#[derive(Clone, Debug)]
pub struct Longest {
    /// Node n has the greater of nodes 2n and 2n + 1; the queues are the last half.
    tree: Vec<u64>,
    leaves: usize,
}

impl Longest {
    /// Of so many queues, all empty; at least one.
    pub fn new(queues: usize) -> Self {
        let leaves = queues.next_power_of_two();
        Longest { tree: vec![0; 2 * leaves], leaves }
    }

    /// A queue has this length now.
    pub fn set(&mut self, queue: usize, length: u64) {
        let mut node = self.leaves + queue;
        self.tree[node] = length;
        while node > 1 {
            node /= 2;
            let greater = self.tree[2 * node].max(self.tree[2 * node + 1]);
            if self.tree[node] == greater {
                return;
            }
            self.tree[node] = greater;
        }
    }

    /// The longest queue, of equals the first; `None` if all are empty.
    pub fn get(&self) -> Option<usize> {
        let mut node = 1;
        if self.tree[node] == 0 {
            return None;
        }
        while node < self.leaves {
            node = if self.tree[2 * node] >= self.tree[2 * node + 1] { 2 * node } else { 2 * node + 1 };
        }
        Some(node - self.leaves)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn it_is_the_first_of_the_longest() {
        let mut rng = Rng::named(1, "longest");
        for queues in [1, 2, 3, 7, 64] {
            let (mut tree, mut lengths) = (Longest::new(queues), vec![0; queues]);
            assert_eq!(tree.get(), None);
            for _ in 0..1000 {
                let (queue, length) = (rng.below(queues as u64) as usize, rng.below(5));
                lengths[queue] = length;
                tree.set(queue, length);
                let greatest = lengths.iter().max().copied().unwrap_or(0);
                let first = lengths.iter().position(|other| *other == greatest).filter(|_| greatest > 0);
                assert_eq!(tree.get(), first, "{lengths:?}");
            }
        }
    }
}
