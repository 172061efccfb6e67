//! Static routes: least total delay, then fewest links, then the link that was declared first.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// A directed edge for routing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Node it leaves.
    pub from: usize,
    /// Node it reaches.
    pub to: usize,
    /// Propagation delay in nanoseconds.
    pub delay: u64,
}

/// There is no way from one node to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoRoute {
    /// Where it starts.
    pub from: usize,
    /// Where it should end.
    pub to: usize,
}

/// Routes in a graph. Hosts with a single link never carry others' traffic, so the search runs over
/// the remaining core only: a dumbbell of 100,000 hosts has a core of two.
#[derive(Debug)]
pub struct Router<'a> {
    edges: &'a [Edge],
    outgoing: Vec<Vec<u32>>,
    incoming_count: Vec<u32>,
    last_incoming: Vec<u32>,
    trees: BTreeMap<usize, Vec<Option<u32>>>,
}

impl<'a> Router<'a> {
    /// For a graph of `nodes` nodes.
    pub fn new(nodes: usize, edges: &'a [Edge]) -> Self {
        let mut outgoing = vec![Vec::new(); nodes];
        let mut incoming_count = vec![0; nodes];
        let mut last_incoming = vec![0; nodes];
        for (index, edge) in edges.iter().enumerate() {
            outgoing[edge.from].push(index as u32);
            incoming_count[edge.to] += 1;
            last_incoming[edge.to] = index as u32;
        }
        Router { edges, outgoing, incoming_count, last_incoming, trees: BTreeMap::new() }
    }

    /// Links from `from` to `to`, in order.
    pub fn route(&mut self, from: usize, to: usize) -> Result<Vec<u32>, NoRoute> {
        let no_route = NoRoute { from, to };
        let mut head = Vec::new();
        let mut start = from;
        // Where there is no choice, there is nothing to search.
        if let [only] = self.outgoing[start][..] {
            head.push(only);
            start = self.edges[only as usize].to;
        }
        if start == to {
            return if head.is_empty() { Err(no_route) } else { Ok(head) };
        }
        let mut tail = None;
        let mut goal = to;
        if self.incoming_count[goal] == 1 {
            let only = self.last_incoming[goal];
            tail = Some(only);
            goal = self.edges[only as usize].from;
        }
        if start != goal {
            let mut core = Vec::new();
            let mut node = goal;
            let edges = self.edges;
            let tree = self.tree(start);
            while node != start {
                let link = tree[node].ok_or(no_route)?;
                core.push(link);
                node = edges[link as usize].from;
            }
            head.extend(core.into_iter().rev());
        }
        head.extend(tail);
        Ok(head)
    }

    /// For each node the last link of the best way from `root`.
    fn tree(&mut self, root: usize) -> &[Option<u32>] {
        if !self.trees.contains_key(&root) {
            let tree = self.search(root);
            self.trees.insert(root, tree);
        }
        &self.trees[&root]
    }

    fn search(&self, root: usize) -> Vec<Option<u32>> {
        let mut best = vec![(u64::MAX, u32::MAX); self.outgoing.len()];
        let mut last = vec![None; self.outgoing.len()];
        let mut open = BinaryHeap::from([Reverse((0_u64, 0_u32, root))]);
        best[root] = (0, 0);
        while let Some(Reverse((delay, hops, node))) = open.pop() {
            if (delay, hops) > best[node] || (node != root && self.is_leaf(node)) {
                continue;
            }
            for &link in &self.outgoing[node] {
                let edge = self.edges[link as usize];
                let reached = (delay.saturating_add(edge.delay), hops + 1);
                if reached < best[edge.to] {
                    best[edge.to] = reached;
                    last[edge.to] = Some(link);
                    open.push(Reverse((reached.0, reached.1, edge.to)));
                }
            }
        }
        last
    }

    /// A node whose only way out leads back to where its only way in comes from.
    fn is_leaf(&self, node: usize) -> bool {
        match self.outgoing[node][..] {
            [] => true,
            [only] => {
                self.incoming_count[node] == 1
                    && self.edges[self.last_incoming[node] as usize].from == self.edges[only as usize].to
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn duplex(pairs: &[(usize, usize, u64)]) -> Vec<Edge> {
        pairs
            .iter()
            .flat_map(|&(a, b, delay)| [Edge { from: a, to: b, delay }, Edge { from: b, to: a, delay }])
            .collect()
    }

    #[test]
    fn the_way_with_the_least_delay_is_taken_even_if_it_has_more_links() {
        // 0 - 1 - 2 - 3 with delay 1 each, and a direct link 0 - 3 with delay 5.
        let edges = duplex(&[(0, 1, 1), (1, 2, 1), (2, 3, 1), (0, 3, 5)]);
        let mut router = Router::new(4, &edges);

        assert_eq!(router.route(0, 3), Ok(vec![0, 2, 4]));
        assert_eq!(router.route(3, 0), Ok(vec![5, 3, 1]));
    }

    #[test]
    fn equal_delay_goes_to_fewer_links() {
        let edges = duplex(&[(0, 1, 1), (1, 2, 1), (0, 2, 2)]);

        assert_eq!(Router::new(3, &edges).route(0, 2), Ok(vec![4]));
    }

    #[test]
    fn a_dumbbell_goes_over_both_routers() {
        // Hosts 2, 3 on router 0; hosts 4, 5 on router 1.
        let edges = duplex(&[(0, 1, 10), (2, 0, 1), (3, 0, 1), (1, 4, 1), (1, 5, 1)]);
        let mut router = Router::new(6, &edges);

        assert_eq!(router.route(2, 5), Ok(vec![2, 0, 8]));
        assert_eq!(router.route(5, 2), Ok(vec![9, 1, 3]));
        assert_eq!(router.route(2, 3), Ok(vec![2, 5]));
    }

    #[test]
    fn a_chain_of_hosts_is_walked_to_its_end() {
        let edges = duplex(&[(0, 1, 1), (1, 2, 1), (2, 3, 1), (3, 4, 1)]);

        assert_eq!(Router::new(5, &edges).route(0, 4), Ok(vec![0, 2, 4, 6]));
    }

    #[test]
    fn an_island_has_no_route() {
        let edges = duplex(&[(0, 1, 1), (2, 3, 1)]);

        assert_eq!(Router::new(4, &edges).route(0, 3), Err(NoRoute { from: 0, to: 3 }));
        assert_eq!(Router::new(4, &edges).route(0, 2), Err(NoRoute { from: 0, to: 2 }));
    }

    #[test]
    fn a_one_way_link_is_not_walked_backwards() {
        let edges = [Edge { from: 0, to: 1, delay: 1 }];

        assert_eq!(Router::new(2, &edges).route(0, 1), Ok(vec![0]));
        assert_eq!(Router::new(2, &edges).route(1, 0), Err(NoRoute { from: 1, to: 0 }));
    }
}
