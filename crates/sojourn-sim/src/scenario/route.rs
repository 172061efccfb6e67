//! The properties of the flows that cross a link which its queue may know.

use super::plan::{LinkPlan, Plan, Shape};
use crate::net::ecmp::Ecmp;
use crate::net::topology::{Edge, Router};
use crate::packet::FlowId;
use crate::queue::{FlowGroups, FlowHosts, Hosts, LinkContext};
use crate::units::{Bytes, Duration};

/// The links of a plan as the router sees them.
pub fn edges(links: &[LinkPlan]) -> Vec<Edge> {
    links.iter().map(|link| Edge { from: link.from, to: link.to, delay: link.delay.as_nanos() }).collect()
}

/// Number of flows and the sum of their base round-trip times in seconds. Where equal ways share the flows, it is the expected number.
#[derive(Clone, Copy, Default)]
struct Load {
    flows: f64,
    rtt_sum: f64,
}

/// Data and acknowledgements that cross a link.
#[derive(Clone, Copy, Default)]
struct Loads {
    data: Load,
    acks: Load,
}

/// The properties of a link which its queue may know: its rate, the number of flows whose data cross it and the
/// mean of their base round-trip times. Where only acknowledgements pass, their flows count; a flow
/// without a way is left out.
pub fn link_contexts(plan: &Plan) -> Vec<LinkContext> {
    let loads = loads(plan);
    let groups = FlowGroups::new(plan.groups.iter().map(|group| (group.name.clone(), group.ends.len())));
    let hosts = hosts(plan);
    let context = |(link, carried): (&LinkPlan, Loads)| {
        let load = if carried.data.flows > 0.0 { carried.data } else { carried.acks };
        let mean = Duration::from_secs_f64(load.rtt_sum / load.flows.max(1.0));
        LinkContext {
            rate: link.rate,
            base_rtt: link.queue.base_rtt.unwrap_or(mean),
            mean_packet: Bytes(link.queue.mean_packet),
            flows: load.flows.ceil() as u64,
            groups: groups.clone(),
            hosts: hosts.clone(),
            header: Bytes(0),
        }
    };
    plan.links.iter().zip(loads).map(context).collect()
}

/// The nodes between which flows run. In a dumbbell each flow has its own.
pub fn hosts(plan: &Plan) -> FlowHosts {
    match &plan.shape {
        Shape::Dumbbell(_) => FlowHosts::default(),
        Shape::Graph => {
            let ends = plan.groups.iter().flat_map(|group| &group.ends);
            let pair = |&(from, to): &(usize, usize)| Hosts { source: from as u32, target: to as u32 };
            FlowHosts::new((0..).map(FlowId).zip(ends.map(pair)))
        }
    }
}

fn loads(plan: &Plan) -> Vec<Loads> {
    let mut loads = vec![Loads::default(); plan.links.len()];
    // The links of the way there and of the way back, each with its part of the flows.
    let mut add = |there: &[(u32, f64)], back: &[(u32, f64)], flows: f64| {
        let ways = there.iter().chain(back);
        let rtt: f64 = ways.map(|&(link, part)| plan.links[link as usize].delay.as_secs_f64() * part).sum();
        for &(link, part) in there {
            let load = &mut loads[link as usize].data;
            load.flows += flows * part;
            load.rtt_sum += rtt * (flows * part);
        }
        for &(link, part) in back {
            let load = &mut loads[link as usize].acks;
            load.flows += flows * part;
            load.rtt_sum += rtt * (flows * part);
        }
    };
    let alone = |links: &[u32]| -> Vec<(u32, f64)> { links.iter().map(|&link| (link, 1.0)).collect() };
    match &plan.shape {
        // `dumbbell::lay_out`: the two bottlenecks, then for each flow in, out, ack-in and ack-out.
        Shape::Dumbbell(_) => {
            for (first, link) in plan.links.iter().enumerate().skip(2).step_by(4) {
                let (first, near) = (first as u32, link.to as u32);
                add(&alone(&[first, near, first + 1]), &alone(&[first + 2, 1 - near, first + 3]), 1.0);
            }
        }
        Shape::Graph => {
            let edges = edges(&plan.links);
            let mut router = Router::new(plan.nodes.len(), &edges);
            for ((from, to), flows) in plan.ends() {
                let mut ways = |a, b| match plan.ecmp {
                    Ecmp::Off => router.route(a, b).map(|links| alone(&links)),
                    _ => router.shares(a, b),
                };
                if let (Ok(there), Ok(back)) = (ways(from, to), ways(to, from)) {
                    add(&there, &back, flows as f64);
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
    fn a_queue_knows_the_flows_whose_data_cross_it() {
        let plan = Plan::from_toml(PARKING, "parking.toml").expect("a valid scenario");
        let contexts = link_contexts(&plan);
        // Three flows of 2 (10 + 5) = 30 ms and one of 10 ms cross b-c.
        assert_eq!((contexts[2].flows, contexts[2].base_rtt), (4, Duration::from_millis(25)));
        assert_eq!((contexts[0].flows, contexts[0].base_rtt), (3, Duration::from_millis(30)));
        // Only acknowledgements of the three pass from b to a.
        assert_eq!((contexts[1].flows, contexts[1].base_rtt), (3, Duration::from_millis(30)));
        assert_eq!(contexts[4].flows, 0);
        let from: Vec<u32> = (0..4).map(|flow| contexts[0].hosts.get(FlowId(flow)).source).collect();
        assert_eq!(from, [0, 0, 0, 1], "three flows from a and one from b");
    }
}
