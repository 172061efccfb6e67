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

/// Number of flows and the sum of their base round-trip times in seconds.
#[derive(Clone, Copy, Default)]
struct Load {
    flows: u64,
    rtt_sum: f64,
}

/// Data and acknowledgements that cross a link.
#[derive(Clone, Copy, Default)]
struct Loads {
    data: Load,
    acks: Load,
}

/// What the queue of each link may know: its rate, the number of flows whose data cross it and the
/// mean of their base round-trip times. Where only acknowledgements pass, their flows count; a flow
/// without a way is left out.
pub fn link_contexts(plan: &Plan) -> Vec<LinkContext> {
    let loads = loads(plan);
    let context = |(link, carried): (&LinkPlan, Loads)| {
        let load = if carried.data.flows > 0 { carried.data } else { carried.acks };
        let mean = Duration::from_secs_f64(load.rtt_sum / load.flows.max(1) as f64);
        LinkContext {
            rate: link.rate,
            base_rtt: link.queue.base_rtt.unwrap_or(mean),
            mean_packet: Bytes(link.queue.mean_packet),
            flows: load.flows,
        }
    };
    plan.links.iter().zip(loads).map(context).collect()
}

fn loads(plan: &Plan) -> Vec<Loads> {
    let mut loads = vec![Loads::default(); plan.links.len()];
    let mut add = |there: &[usize], back: &[usize], flows: u64| {
        let delay = |way: &[usize]| way.iter().map(|&link| plan.links[link].delay.as_secs_f64()).sum::<f64>();
        let rtt = delay(there) + delay(back);
        for &link in there {
            loads[link].data.flows += flows;
            loads[link].data.rtt_sum += rtt * flows as f64;
        }
        for &link in back {
            loads[link].acks.flows += flows;
            loads[link].acks.rtt_sum += rtt * flows as f64;
        }
    };
    match &plan.shape {
        // `dumbbell::lay_out`: the two bottlenecks, then for each flow in, out, ack-in and ack-out.
        Shape::Dumbbell(_) => {
            for first in (2..plan.links.len()).step_by(4) {
                let near = plan.links[first].to;
                add(&[first, near, first + 1], &[first + 2, 1 - near, first + 3], 1);
            }
        }
        Shape::Graph => {
            let mut router = Router::new(plan.nodes.len(), &plan.links);
            for ((from, to), flows) in plan.ends() {
                if let (Some(there), Some(back)) = (router.way(from, to), router.way(to, from)) {
                    add(&there, &back, flows);
                }
            }
        }
    }
    loads
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Plan;

    const PARKING: &str = r#"
duration = "10s"
node = [{ name = "a" }, { name = "b" }, { name = "c" }]
link = [
    { from = "a", to = "b", rate = "1Mbit", delay = "10ms" },
    { from = "b", to = "c", rate = "2Mbit", delay = "5ms" },
    { from = "a", to = "c", rate = "3Mbit", delay = "16ms" },
]
flow = [{ from = "a", to = "c", count = 3 }, { from = "b", to = "c" }]
"#;

    #[test]
    fn least_delay_wins_over_fewest_links() {
        let plan = Plan::from_toml(PARKING, "parking.toml").expect("a valid scenario");
        // Links 0 and 2 are a-b and b-c, 1 and 3 their other directions: 15 ms against 16 ms.
        assert_eq!(Router::new(3, &plan.links).way(0, 2), Some(vec![0, 2]));
    }

    #[test]
    fn a_queue_knows_the_flows_whose_data_cross_it() {
        let plan = Plan::from_toml(PARKING, "parking.toml").expect("a valid scenario");
        let contexts = link_contexts(&plan);
        // Three flows of 2 (10 + 5) = 30 ms and one of 10 ms cross b-c.
        assert_eq!((contexts[2].flows, contexts[2].base_rtt), (4, Duration::from_millis(25)));
        assert_eq!((contexts[0].flows, contexts[0].base_rtt), (3, Duration::from_millis(30)));
        // Only acknowledgements of the three pass from b to a.
        assert_eq!((contexts[1].flows, contexts[1].base_rtt), (3, Duration::from_millis(30)));
        assert_eq!(contexts[4].flows, 0);
    }
}
