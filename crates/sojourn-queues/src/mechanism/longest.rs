//! Which of many queues is the longest: a tree of matches. A queue is told to have changed in O(1), and the next question takes up
//! each that has changed since the last one in the logarithm of their number. So a buffer with room pays next to nothing.

/// The longest of numbered queues, by a length of type `K`, whose default is that of a queue that counts as empty.
#[derive(Clone, Debug, Default)]
pub struct Longest<K> {
    /// Node n has the greater of nodes 2n and 2n + 1; the queues are the last half.
    tree: Vec<K>,
    /// Queues whose length in the tree may be another now, each once.
    changed: Vec<usize>,
    has_changed: Vec<bool>,
}

impl<K: Copy + Default + Ord> Longest<K> {
    /// The length of this queue may be another one than before. A number above all others makes room for itself.
    #[inline]
    pub fn changed(&mut self, queue: usize) {
        if queue >= self.has_changed.len() {
            self.has_changed.resize(queue + 1, false);
        }
        if !self.has_changed[queue] {
            self.has_changed[queue] = true;
            self.changed.push(queue);
        }
    }

    /// The longest queue; the first among equals; `None` if all are empty.
    pub fn get(&mut self, length: impl Fn(usize) -> K) -> Option<usize> {
        self.grow();
        while let Some(queue) = self.changed.pop() {
            self.has_changed[queue] = false;
            self.set(queue, length(queue));
        }
        let leaves = self.tree.len() / 2;
        let mut node = 1;
        if *self.tree.get(node)? == K::default() {
            return None;
        }
        while node < leaves {
            node = if self.tree[2 * node] >= self.tree[2 * node + 1] { 2 * node } else { 2 * node + 1 };
        }
        Some(node - leaves)
    }

    /// A greater tree where there are more queues than it has places, which then all have changed.
    fn grow(&mut self) {
        let queues = self.has_changed.len();
        if queues > self.tree.len() / 2 {
            self.tree = vec![K::default(); 2 * queues.next_power_of_two()];
            self.changed = (0..queues).collect();
            self.has_changed.fill(true);
        }
    }

    fn set(&mut self, queue: usize, length: K) {
        let mut node = self.tree.len() / 2 + queue;
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn it_is_the_first_of_the_longest() {
        let mut rng = Rng::named(1, "longest");
        for queues in [1, 2, 3, 7, 64] {
            let (mut longest, mut lengths) = (Longest::<u64>::default(), vec![0; queues]);
            assert_eq!(longest.get(|queue| lengths[queue]), None);
            for _ in 0..1000 {
                for _ in 0..rng.below(4) {
                    let queue = rng.below(queues as u64) as usize;
                    lengths[queue] = rng.below(5);
                    longest.changed(queue);
                }
                let greatest = lengths.iter().max().copied().unwrap_or(0);
                let first = lengths.iter().position(|other| *other == greatest).filter(|_| greatest > 0);
                assert_eq!(longest.get(|queue| lengths[queue]), first, "{lengths:?}");
            }
        }
    }

    #[test]
    fn what_has_changed_is_asked_once() {
        let asked = std::cell::RefCell::new(Vec::new());
        let mut longest = Longest::<u64>::default();
        for queue in [3, 1, 3, 3, 1] {
            longest.changed(queue);
        }
        let mut get = || {
            let found = longest.get(|queue| {
                asked.borrow_mut().push(queue);
                queue as u64
            });
            let mut asked = asked.take();
            asked.sort_unstable();
            (found, asked)
        };
        assert_eq!(get(), (Some(3), vec![0, 1, 2, 3]), "all, when the tree grows");
        assert_eq!(get(), (Some(3), vec![]));
    }
}
