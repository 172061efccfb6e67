//! The routes of packets through the network.

use super::hop::{Hop, Kind};
use crate::net::topology::{NoRoute, Router};
use crate::scenario::plan::Plan;
use crate::scenario::route::edges;

/// The routes of all flows, and the properties of links that follow from them.
pub(super) struct Routes {
    /// Link numbers, each route closed by its end.
    pub table: Vec<Hop>,
    /// For each flow in order: where the routes of its data and of its acknowledgements begin.
    pub starts: Vec<[u32; 2]>,
    /// For each link, the source of its packets.
    feeder: Vec<Feeder>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Feeder {
    Nobody,
    /// One side of one flow.
    End,
    /// One link.
    Link(u32),
    Several,
}

impl Routes {
    /// The routes of the plan's flows.
    pub fn find(plan: &Plan) -> Result<Self, NoRoute> {
        let edges = edges(&plan.links);
        let mut router = Router::new(plan.nodes.len(), &edges);
        let mut routes = Routes { table: Vec::new(), starts: Vec::new(), feeder: vec![Feeder::Nobody; edges.len()] };
        for &(from, to) in plan.groups.iter().flat_map(|group| &group.ends) {
            let forward = router.route(from, to)?;
            let backward = router.route(to, from)?;
            let start = [routes.add(&forward, Hop::RECEIVER), routes.add(&backward, Hop::SENDER)];
            routes.starts.push(start);
        }
        Ok(routes)
    }

    /// True if a single link feeds the link, and packets reach it in the order in which they left.
    pub fn is_fed_in_order(&self, plan: &Plan, link: usize) -> bool {
        match self.feeder[link] {
            Feeder::Link(link) => !plan.links[link as usize].wire.as_ref().is_some_and(|wire| wire.reorders()),
            Feeder::Nobody | Feeder::End | Feeder::Several => false,
        }
    }

    fn add(&mut self, route: &[u32], end: Hop) -> u32 {
        let start = self.table.len() as u32;
        self.table.extend(route.iter().map(|&link| Hop::link(Kind::Buffer, link)));
        self.table.push(end);
        self.feed(route);
        start
    }

    /// Marks the ends that may get packets before their time: see [`super::shortcuts::ahead`].
    pub fn call_ends_ahead(&mut self, plan: &Plan) {
        for [data, acks] in self.starts.clone() {
            for (there, back) in [(data, acks), (acks, data)] {
                if let Some(end) = self.end_ahead(plan, there as usize, back as usize) {
                    self.table[end] = self.table[end].ahead();
                }
            }
        }
    }

    /// The place of the end of the route `there` if that end may be called ahead; its answers begin at `back`.
    fn end_ahead(&self, plan: &Plan, there: usize, back: usize) -> Option<usize> {
        let first = self.table[back];
        let answers_alone = first.kind() == Kind::Buffer as u32
            && self.feeder[first.number() as usize] == Feeder::End
            && !plan.links[first.number() as usize].observed;
        let end = there + self.table[there..].iter().position(|hop| hop.is_end())?;
        // Behind the last link that is an event for each packet, packets keep their order.
        let last = (there + 1..end).rev().find(|place| !self.table[*place].is_fused())?;
        let in_order = plan.links[self.table[last].number() as usize].wire.is_none();
        (answers_alone && in_order).then_some(end)
    }

    /// Records that packets are sent into the first of these links, and reach each other link from the one before.
    pub fn feed(&mut self, route: &[u32]) {
        let Some(first) = route.first() else { return };
        let by_end = &mut self.feeder[*first as usize];
        *by_end = if *by_end == Feeder::Nobody { Feeder::End } else { Feeder::Several };
        for pair in route.windows(2) {
            let feeder = &mut self.feeder[pair[1] as usize];
            *feeder = match *feeder {
                Feeder::Nobody => Feeder::Link(pair[0]),
                Feeder::Link(link) if link == pair[0] => Feeder::Link(link),
                Feeder::Link(_) | Feeder::End | Feeder::Several => Feeder::Several,
            };
        }
    }
}
