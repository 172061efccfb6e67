//! The ways of choke packets back to the senders.

use std::collections::BTreeMap;

use super::super::hop::{Hop, Kind};
use super::super::links::{Link, Links};
use super::super::routes::{self, Routes};
use crate::net::topology::NoRoute;
use crate::scenario::plan::Plan;
use crate::scenario::route::edges;

/// For each link and flow the place at which the route of choke packets begins.
pub(in crate::sim) type Ways = BTreeMap<(u32, u32), u32>;

/// Adds the routes of the choke packets that these links may send.
pub(in crate::sim) fn find(plan: &Plan, seed: u64, links: &Links, routes: &mut Routes) -> Result<Ways, NoRoute> {
    let mut found = Ways::new();
    if !links.iter().any(sends) {
        return Ok(found);
    }
    let edges = edges(&plan.links);
    let mut ways = routes::Ways::new(plan, &edges, seed);
    for (flow, &(source, _)) in plan.groups.iter().flat_map(|group| &group.ends).enumerate() {
        let [data, _] = routes.starts[flow];
        let links_of_data = routes.table[data as usize..].iter().take_while(|hop| !hop.is_end());
        let way: Vec<u32> = links_of_data.map(|hop| hop.number()).collect();
        for (hops, &link) in way.iter().enumerate().filter(|(_, link)| sends(&links[**link as usize])) {
            let from = edges[link as usize].from;
            let back = if from == source { Vec::new() } else { ways.of_answers(flow, from, source)? };
            routes.feed(&back);
            found.insert((link, flow as u32), routes.table.len() as u32);
            for step in back {
                routes.table.push(Hop::link(Kind::Buffer, step));
                let here = edges[step as usize].to;
                let passed = way[..hops].iter().find(|passed| edges[**passed as usize].from == here);
                let heard = passed.filter(|passed| hears(&links[**passed as usize]));
                routes.table.extend(heard.map(|queue| Hop::link(Kind::Notice, *queue)));
            }
            routes.table.push(Hop::SENDER);
        }
    }
    Ok(found)
}

fn sends(link: &Link) -> bool {
    matches!(link, Link::Queue(queue) if queue.discipline().sends_chokes())
}

fn hears(link: &Link) -> bool {
    matches!(link, Link::Queue(queue) if queue.discipline().hears_chokes())
}
