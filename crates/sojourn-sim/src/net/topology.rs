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
/// the remaining core only: a dumbbell of 100,000 hosts has a core of two. It runs only as far as somebody wants to go: in a chain of
/// 20,000 routers, flows from each to its neighbour need no map of the whole chain at each.
#[derive(Debug)]
pub struct Router<'a> {
    edges: &'a [Edge],
    outgoing: Vec<Vec<u32>>,
    incoming_count: Vec<u32>,
    last_incoming: Vec<u32>,
    /// The searches by their roots, ...
    trees: BTreeMap<usize, Tree>,
    /// ... and the nodes that they hold together.
    kept: usize,
}

/// Bound: searches that hold more nodes together (some 100 MB) are forgotten, and begin again if they are needed.
const MOST_KEPT: usize = 2_000_000;

/// A search for the best ways from one node, as far as it has gone.
#[derive(Debug)]
struct Tree {
    root: usize,
    /// Nodes whose own links have not been followed yet, by delay and number of links of the way to them.
    open: BinaryHeap<Reverse<(u64, u32, usize)>>,
    /// The best way that is known to each node that was reached; empty once there is a list of all nodes.
    few: BTreeMap<u32, Way>,
    /// The same by node; [`NOWHERE`] if it was not reached. A list is faster, and it is short beside what was reached.
    all: Vec<Way>,
}

/// Delay, number of links and last link of a way.
type Way = (u64, u32, u32);

/// No way.
const NOWHERE: Way = (u64::MAX, u32::MAX, u32::MAX);

/// A list of all nodes replaces a map of more than this part of them.
const SHARE: usize = 32;

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
        Router { edges, outgoing, incoming_count, last_incoming, trees: BTreeMap::new(), kept: 0 }
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
            let tree = self.tree(start, goal).ok_or(no_route)?;
            while node != start {
                let (.., link) = tree.way(node);
                core.push(link);
                node = edges[link as usize].from;
            }
            head.extend(core.into_iter().rev());
        }
        head.extend(tail);
        Ok(head)
    }

    /// The search from `root`, which has gone as far as `goal`; `None` if there is no way.
    fn tree(&mut self, root: usize, goal: usize) -> Option<&Tree> {
        if self.kept > MOST_KEPT {
            self.trees.clear();
            self.kept = 0;
        }
        let mut tree = self.trees.remove(&root).unwrap_or_else(|| Tree::new(root));
        self.kept -= tree.nodes();
        let found = self.search(&mut tree, goal);
        self.kept += tree.nodes();
        let tree = self.trees.entry(root).or_insert(tree);
        found.then_some(tree)
    }

    /// Goes on until the way to `goal` is known. Returns whether there is one.
    fn search(&self, tree: &mut Tree, goal: usize) -> bool {
        while !tree.knows(goal) {
            let Some(Reverse((delay, hops, node))) = tree.open.pop() else { return false };
            let (least, fewest, _) = tree.way(node);
            if node != tree.root && (delay, hops) > (least, fewest) {
                continue;
            }
            for &link in &self.outgoing[node] {
                let edge = self.edges[link as usize];
                if edge.to != tree.root && !self.is_leaf(edge.to) {
                    tree.reach(edge.to, (delay.saturating_add(edge.delay), hops + 1, link));
                }
            }
            tree.widen(self.outgoing.len());
        }
        true
    }

    /// A node with one way in, and no way out but back: routes end there only with that link, which is not searched for.
    fn is_leaf(&self, node: usize) -> bool {
        self.incoming_count[node] == 1
            && match self.outgoing[node][..] {
                [] => true,
                [only] => self.edges[self.last_incoming[node] as usize].from == self.edges[only as usize].to,
                _ => false,
            }
    }
}

impl Tree {
    fn new(root: usize) -> Self {
        Tree { root, open: BinaryHeap::from([Reverse((0, 0, root))]), few: BTreeMap::new(), all: Vec::new() }
    }

    /// The best way to a node that is known.
    fn way(&self, node: usize) -> Way {
        match self.all.get(node) {
            Some(way) => *way,
            None => self.few.get(&(node as u32)).copied().unwrap_or(NOWHERE),
        }
    }

    /// Whether no better way to a node can be found: all that are still open are at least as far away.
    fn knows(&self, node: usize) -> bool {
        let way @ (delay, hops, _) = self.way(node);
        way != NOWHERE && self.open.peek().is_none_or(|Reverse(next)| (next.0, next.1) >= (delay, hops))
    }

    /// There is this way to a node.
    fn reach(&mut self, node: usize, way: Way) {
        let best = match self.all.get_mut(node) {
            Some(best) => best,
            None => self.few.entry(node as u32).or_insert(NOWHERE),
        };
        if (way.0, way.1) < (best.0, best.1) {
            *best = way;
            self.open.push(Reverse((way.0, way.1, node)));
        }
    }

    /// Makes a list of all nodes, if many were reached.
    fn widen(&mut self, nodes: usize) {
        if self.few.len() > nodes / SHARE {
            self.all = vec![NOWHERE; nodes];
            for (node, way) in std::mem::take(&mut self.few) {
                self.all[node as usize] = way;
            }
        }
    }

    /// The nodes that it holds.
    fn nodes(&self) -> usize {
        self.few.len() + self.all.len()
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

    #[test]
    fn a_search_goes_only_as_far_as_it_must() {
        let routers = 20_000;
        let pairs: Vec<_> = (0..routers - 1).map(|router| (router, router + 1, 1)).collect();
        let edges = duplex(&pairs);
        let mut router = Router::new(routers, &edges);
        for node in 1..routers - 1 {
            assert_eq!(router.route(node - 1, node).map(|way| way.len()), Ok(1));
        }
        assert!(router.kept <= 4 * routers, "{} nodes", router.kept);
        // The same search goes on, ...
        assert_eq!(router.route(1, 400).map(|way| way.len()), Ok(399));
        assert_eq!(router.route(1, 200).map(|way| way.len()), Ok(199));
        assert!(router.kept <= 4 * routers + 800, "{} nodes", router.kept);
        // ... and what is kept has a bound.
        router.kept = MOST_KEPT + 1;
        assert_eq!(router.route(5, routers - 2).map(|way| way.len()), Ok(routers - 7));
        assert_eq!((router.trees.len(), router.kept), (1, routers));
    }

    #[test]
    fn a_search_that_goes_on_finds_the_ways_of_a_new_one() {
        let mut rng = crate::rng::Rng::named(1, "topology");
        let mut draw = |below: usize| (rng.uniform() * below as f64) as usize;
        for _ in 0..50 {
            let nodes = 4 + draw(20);
            let drawn = (0..3 * nodes).map(|_| Edge { from: draw(nodes), to: draw(nodes), delay: draw(4) as u64 });
            let edges: Vec<Edge> = drawn.filter(|edge| edge.from != edge.to).collect();
            let mut router = Router::new(nodes, &edges);
            for _ in 0..100 {
                let (from, to) = (draw(nodes), draw(nodes));
                let found = router.route(from, to);
                assert_eq!(found, Router::new(nodes, &edges).route(from, to));
                if from != to {
                    let delay = |way: &Vec<u32>| way.iter().map(|link| edges[*link as usize].delay).sum();
                    assert_eq!(found.as_ref().map_or(u64::MAX, delay), least_delay(&edges, nodes, from)[to]);
                }
            }
        }
    }

    /// By Bellman and Ford; without a way the greatest number.
    fn least_delay(edges: &[Edge], nodes: usize, from: usize) -> Vec<u64> {
        let mut least = vec![u64::MAX; nodes];
        least[from] = 0;
        for _ in 0..nodes {
            for edge in edges {
                least[edge.to] = least[edge.to].min(least[edge.from].saturating_add(edge.delay));
            }
        }
        least
    }
}
