//! Static routes: least total delay, then fewest links, then the link that was declared first, or one that the caller chooses
//! ([`ecmp`](super::ecmp)).

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

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
    /// The links into each node, for choices among equal ways.
    incoming: Option<Vec<Vec<u32>>>,
    last_incoming: Vec<u32>,
    /// The searches by their roots, ...
    trees: BTreeMap<usize, Tree>,
    /// ... and the nodes that they hold together.
    kept: usize,
}

/// The part of a way that has to be searched, from `start` to `goal`, and the links before and behind it.
#[derive(Clone, Copy, Debug)]
struct Trip {
    head: Option<u32>,
    start: usize,
    goal: usize,
    tail: Option<u32>,
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
    /// Nodes to which there is another way that is as good as the best.
    tied: BTreeSet<u32>,
}

/// Delay, number of links and last link of a way.
type Way = (u64, u32, u32);

/// No way.
const NOWHERE: Way = (u64::MAX, u32::MAX, u32::MAX);

/// A list of all nodes replaces a map of more than this part of them.
const SHARE: usize = 32;

impl<'a> Router<'a> {
    /// A topology of `nodes` nodes.
    pub fn new(nodes: usize, edges: &'a [Edge]) -> Self {
        let mut outgoing = vec![Vec::new(); nodes];
        let mut incoming_count = vec![0; nodes];
        let mut last_incoming = vec![0; nodes];
        for (index, edge) in edges.iter().enumerate() {
            outgoing[edge.from].push(index as u32);
            incoming_count[edge.to] += 1;
            last_incoming[edge.to] = index as u32;
        }
        Router { edges, outgoing, incoming_count, incoming: None, last_incoming, trees: BTreeMap::new(), kept: 0 }
    }

    /// Links from `from` to `to`, in order.
    pub fn route(&mut self, from: usize, to: usize) -> Result<Vec<u32>, NoRoute> {
        let no_route = NoRoute { from, to };
        let Trip { head, start, goal, tail } = self.trip(from, to).ok_or(no_route)?;
        let mut links: Vec<u32> = head.into_iter().collect();
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
            links.extend(core.into_iter().rev());
        }
        links.extend(tail);
        Ok(links)
    }

    /// Whether there is another way from `from` to `to` that is as good as [`Router::route`].
    pub fn has_equal_ways(&mut self, from: usize, to: usize) -> bool {
        let Some(Trip { start, goal, .. }) = self.trip(from, to).filter(|trip| trip.start != trip.goal) else {
            return false;
        };
        let edges = self.edges;
        let Some(tree) = self.tree(start, goal) else { return false };
        let mut node = goal;
        while node != start && !tree.tied.contains(&(node as u32)) {
            node = edges[tree.way(node).2 as usize].from;
        }
        node != start
    }

    /// Links from `from` to `to`, in order. Where several links lead to ways of the least delay and the fewest links, `choose` takes one.
    /// It gets the node and the number of these links, which are in the order of their declaration.
    pub fn route_by(
        &mut self,
        from: usize,
        to: usize,
        choose: &mut dyn FnMut(usize, usize) -> usize,
    ) -> Result<Vec<u32>, NoRoute> {
        let no_route = NoRoute { from, to };
        let Trip { head, start, goal, tail } = self.trip(from, to).ok_or(no_route)?;
        let mut links: Vec<u32> = head.into_iter().collect();
        let ways = self.equal_ways(start, goal).ok_or(no_route)?;
        let mut node = start;
        while node != goal {
            let next = &ways[&node];
            let link = if let [only] = next[..] { only } else { next[choose(node, next.len())] };
            links.push(link);
            node = self.edges[link as usize].to;
        }
        links.extend(tail);
        Ok(links)
    }

    /// The links of all ways from `from` to `to` of the least delay and the fewest links, each with the part of the flows that it gets if
    /// each node divides them evenly.
    pub fn shares(&mut self, from: usize, to: usize) -> Result<Vec<(u32, f64)>, NoRoute> {
        let no_route = NoRoute { from, to };
        let Trip { head, start, goal, tail } = self.trip(from, to).ok_or(no_route)?;
        let mut shares: Vec<(u32, f64)> = head.into_iter().chain(tail).map(|link| (link, 1.0)).collect();
        let ways = self.equal_ways(start, goal).ok_or(no_route)?;
        // Nodes in the order of their distance from the start, so that all flows of a node are known.
        let mut open = BTreeMap::from([((0, 0, start), 1.0)]);
        while let Some(((delay, hops, node), share)) = open.pop_first() {
            let next = if node == goal { &[][..] } else { &ways[&node][..] };
            for &link in next {
                let part = share / next.len() as f64;
                let edge = self.edges[link as usize];
                shares.push((link, part));
                *open.entry((delay + edge.delay, hops + 1, edge.to)).or_insert(0.0) += part;
            }
        }
        Ok(shares)
    }

    /// The way without its first and last link where there is no choice, so that nothing has to be searched.
    fn trip(&self, from: usize, to: usize) -> Option<Trip> {
        let mut trip = Trip { head: None, start: from, goal: to, tail: None };
        if let [only] = self.outgoing[from][..] {
            trip.head = Some(only);
            trip.start = self.edges[only as usize].to;
        }
        if trip.start == to {
            return trip.head.map(|_| trip);
        }
        if self.incoming_count[to] == 1 {
            let only = self.last_incoming[to];
            trip.tail = Some(only);
            trip.goal = self.edges[only as usize].from;
        }
        Some(trip)
    }

    /// For each node on a way of the least delay and the fewest links from `start` to `goal`: the next links of such ways.
    fn equal_ways(&mut self, start: usize, goal: usize) -> Option<BTreeMap<usize, Vec<u32>>> {
        let mut ways: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
        if start == goal {
            return Some(ways);
        }
        let edges = self.edges;
        if self.incoming.is_none() {
            let mut incoming = vec![Vec::new(); self.outgoing.len()];
            for (link, edge) in edges.iter().enumerate() {
                incoming[edge.to].push(link as u32);
            }
            self.incoming = Some(incoming);
        }
        self.tree(start, goal)?;
        let (tree, incoming) = (&self.trees[&start], self.incoming.as_ref()?);
        let mut open = vec![goal];
        let mut seen = BTreeSet::from([goal]);
        while let Some(node) = open.pop() {
            let (delay, hops, _) = tree.way(node);
            for &link in &incoming[node] {
                let edge = edges[link as usize];
                let (before, count, _) = if edge.from == start { (0, 0, 0) } else { tree.way(edge.from) };
                if count < hops && before.saturating_add(edge.delay) == delay && count + 1 == hops {
                    ways.entry(edge.from).or_default().push(link);
                    if edge.from != start && seen.insert(edge.from) {
                        open.push(edge.from);
                    }
                }
            }
        }
        for next in ways.values_mut() {
            next.sort_unstable();
        }
        Some(ways)
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
        Tree {
            root,
            open: BinaryHeap::from([Reverse((0, 0, root))]),
            few: BTreeMap::new(),
            all: Vec::new(),
            tied: BTreeSet::new(),
        }
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
            self.tied.remove(&(node as u32));
        } else if (way.0, way.1) == (best.0, best.1) {
            self.tied.insert(node as u32);
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

    /// The rest of a path between racks: switches 1 and 2 in the middle, with two links to the second.
    fn leaves_and_spines() -> Vec<Edge> {
        duplex(&[(0, 1, 1), (0, 2, 1), (1, 3, 1), (2, 3, 1), (2, 3, 1), (3, 4, 1), (0, 5, 1), (5, 3, 9)])
    }

    #[test]
    fn each_node_chooses_among_equal_links_also_between_the_same_two_nodes() {
        let edges = leaves_and_spines();
        let mut router = Router::new(6, &edges);
        assert_eq!(router.route(0, 4), Ok(vec![0, 4, 10]), "the first ones of the file");
        let mut asked = Vec::new();
        let mut take_last = |node: usize, links: usize| {
            asked.push((node, links));
            links - 1
        };
        assert_eq!(router.route_by(0, 4, &mut take_last), Ok(vec![2, 8, 10]));
        assert_eq!(asked, [(0, 2), (2, 2)]);
        assert_eq!(router.route_by(0, 4, &mut |_, _| 0), Ok(vec![0, 4, 10]));
        assert_eq!(router.route_by(4, 3, &mut |_, _| unreachable!("one way")), Ok(vec![11]));
        assert_eq!(router.route_by(3, 3, &mut |_, _| 0), Err(NoRoute { from: 3, to: 3 }));
        assert_eq!(
            [(0, 4), (0, 1), (0, 5), (4, 3)].map(|(from, to)| router.has_equal_ways(from, to)),
            [true, false, false, false]
        );
    }

    #[test]
    fn flows_divide_evenly_at_each_node() {
        let edges = leaves_and_spines();
        let mut shares = Router::new(6, &edges).shares(0, 4).expect("a way");
        shares.sort_by_key(|(link, _)| *link);
        assert_eq!(shares, [(0, 0.5), (2, 0.5), (4, 0.5), (6, 0.25), (8, 0.25), (10, 1.0)]);
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
                let mut equal = false;
                let chosen = router.route_by(from, to, &mut |_, links| {
                    equal |= links > 1;
                    draw(links)
                });
                let cost =
                    |way: &Vec<u32>| (way.iter().map(|link| edges[*link as usize].delay).sum::<u64>(), way.len());
                assert_eq!(chosen.as_ref().map(cost), found.as_ref().map(cost));
                assert!(!equal || router.has_equal_ways(from, to));
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
