//! Ways through the network: whether there is one, and what each queue may know of the flows that
//! cross it.

use super::plan::{LinkPlan, Plan, Shape};
use crate::queue::LinkContext;
use crate::units::{Bytes, Duration};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// Ways by least delay; among equals by fewest links, then by the order of the file.
pub struct Router<'a> {
    links: &'a [LinkPlan],
    leaving: Vec<Vec<usize>>,
    trees: BTreeMap<usize, Vec<Option<usize>>>,
}

impl<'a> Router<'a> {
    /// For a network of `nodes` nodes.
    pub fn new(nodes: usize, links: &'a [LinkPlan]) -> Self {
        let mut leaving = vec![Vec::new(); nodes];
        for (number, link) in links.iter().enumerate() {
            leaving[link.from].push(number);
        }
        Router { links, leaving, trees: BTreeMap::new() }
    }

    /// The links from one node to another in their order; `None` if there is no way.
    pub fn way(&mut self, from: usize, to: usize) -> Option<Vec<usize>> {
        if !self.trees.contains_key(&from) {
            let tree = self.tree(from);
            self.trees.insert(from, tree);
        }
        let last_links = &self.trees[&from];
        let mut way = Vec::new();
        let mut node = to;
        while node != from {
            let link = last_links[node]?;
            way.push(link);
            node = self.links[link].from;
        }
        way.reverse();
        Some(way)
    }

    /// For each node the last link of the best way to it (Dijkstra's algorithm).
    fn tree(&self, root: usize) -> Vec<Option<usize>> {
        let mut last_links = vec![None; self.leaving.len()];
        let mut best = vec![(Duration::MAX, usize::MAX); self.leaving.len()];
        best[root] = (Duration::ZERO, 0);
        let mut open = BinaryHeap::from([Reverse((Duration::ZERO, 0, root))]);
        while let Some(Reverse((delay, hops, node))) = open.pop() {
            if (delay, hops) > best[node] {
                continue;
            }
            for &number in &self.leaving[node] {
                let link = &self.links[number];
                let cost = (delay + link.delay, hops + 1);
                if cost < best[link.to] {
                    best[link.to] = cost;
                    last_links[link.to] = Some(number);
                    open.push(Reverse((cost.0, cost.1, link.to)));
                }
            }
        }
        last_links
    }
}

/// What the queue of each link may know: rate, mean base round-trip time of the flows whose data or
/// acknowledgements cross it, and their number. A flow without a way is left out.
pub fn link_contexts(plan: &Plan) -> Vec<LinkContext> {
    let mut sums = vec![(0_u64, 0.0_f64); plan.links.len()];
    let mut add = |way: &[usize], flows: u64, rtt: f64| {
        for &link in way {
            sums[link].0 += flows;
            sums[link].1 += rtt * flows as f64;
        }
    };
    let rtt_of = |way: &[usize]| way.iter().map(|&link| plan.links[link].delay.as_secs_f64()).sum::<f64>();
    match &plan.shape {
        // Every flow's four access links follow each other behind the two of the bottleneck.
        Shape::Dumbbell(_) => {
            for flow in 0..plan.links.len().saturating_sub(2) / 4 {
                let way = [0, 1, 2 + 4 * flow, 3 + 4 * flow, 4 + 4 * flow, 5 + 4 * flow];
                add(&way, 1, rtt_of(&way));
            }
        }
        Shape::Graph => {
            let mut router = Router::new(plan.nodes.len(), &plan.links);
            for ((from, to), flows) in plan.ends() {
                if let (Some(there), Some(back)) = (router.way(from, to), router.way(to, from)) {
                    let way = [there, back].concat();
                    add(&way, flows, rtt_of(&way));
                }
            }
        }
    }
    let context = |(link, (flows, rtt)): (&LinkPlan, (u64, f64))| LinkContext {
        rate: link.rate,
        base_rtt: link.queue.base_rtt.unwrap_or_else(|| Duration::from_secs_f64(rtt / flows.max(1) as f64)),
        mean_packet: Bytes(link.queue.mean_packet),
        flows,
    };
    plan.links.iter().zip(sums).map(context).collect()
}
