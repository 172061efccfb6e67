//! The routes of packets through the network.

use super::hop::{Hop, Kind};
use crate::net::ecmp::{self, Ecmp, Headers};
use crate::net::topology::{Edge, NoRoute, Router};
use crate::rng::Rng;
use crate::scenario::plan::Plan;
use crate::scenario::route::edges;

/// The routes of all flows, and the properties of links that follow from them.
pub(super) struct Routes {
    /// Link numbers, each route closed by its end.
    pub table: Vec<Hop>,
    /// For each flow in order: where the routes of its data and of its acknowledgements begin.
    pub starts: Vec<[u32; 2]>,
    /// For each group of flows: how many of them take the first of several equal ways.
    pub unspread: Vec<usize>,
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

/// The ways of the flows of one run.
pub(super) struct Ways<'a> {
    router: Router<'a>,
    ecmp: Ecmp,
    /// The key of each node, and the headers of each flow's data; empty without ECMP.
    keys: Vec<u64>,
    headers: Vec<Headers>,
}

impl<'a> Ways<'a> {
    pub fn new(plan: &Plan, edges: &'a [Edge], seed: u64) -> Self {
        let router = Router::new(plan.nodes.len(), edges);
        let (mut keys, mut headers) = (Vec::new(), Vec::new());
        if plan.ecmp != Ecmp::Off {
            let key = |name| (Rng::named(seed, &format!("ecmp/{name}")).uniform() * 2_f64.powi(53)) as u64;
            keys.extend(plan.nodes.iter().map(key));
            for group in &plan.groups {
                for (number, &(from, to)) in group.ends.iter().enumerate() {
                    let mut rng = Rng::named(seed, &format!("ports/{}/{number}", group.name));
                    headers.push(Headers::drawn([from as u32, to as u32], &mut rng));
                }
            }
        }
        Ways { router, ecmp: plan.ecmp, keys, headers }
    }

    /// The way of a flow's data.
    pub fn of_data(&mut self, flow: usize, from: usize, to: usize) -> Result<Vec<u32>, NoRoute> {
        self.way(from, to, self.headers.get(flow).copied())
    }

    /// Whether there are equal ways for data of which all flows take the first.
    fn leave_some(&mut self, from: usize, to: usize) -> bool {
        self.ecmp == Ecmp::Off && self.router.has_equal_ways(from, to)
    }

    /// The way of what comes back.
    pub fn of_answers(&mut self, flow: usize, from: usize, to: usize) -> Result<Vec<u32>, NoRoute> {
        self.way(from, to, self.headers.get(flow).map(|headers| headers.answers()))
    }

    fn way(&mut self, from: usize, to: usize, headers: Option<Headers>) -> Result<Vec<u32>, NoRoute> {
        let Some(headers) = headers else { return self.router.route(from, to) };
        let (ecmp, keys) = (self.ecmp, &self.keys);
        self.router.route_by(from, to, &mut |node, links| ecmp::choose(ecmp, keys[node], headers, links))
    }
}

impl Routes {
    /// The routes of the plan's flows in the run with `seed`.
    pub fn find(plan: &Plan, seed: u64) -> Result<Self, NoRoute> {
        let edges = edges(&plan.links);
        let mut ways = Ways::new(plan, &edges, seed);
        let feeder = vec![Feeder::Nobody; edges.len()];
        let mut routes = Routes { table: Vec::new(), starts: Vec::new(), unspread: Vec::new(), feeder };
        for group in &plan.groups {
            let mut unspread = 0;
            for &(from, to) in &group.ends {
                let flow = routes.starts.len();
                let forward = ways.of_data(flow, from, to)?;
                let backward = ways.of_answers(flow, to, from)?;
                unspread += usize::from(ways.leave_some(from, to));
                let start = [routes.add(&forward, Hop::RECEIVER), routes.add(&backward, Hop::SENDER)];
                routes.starts.push(start);
            }
            routes.unspread.push(unspread);
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
