//! From a plan to a simulation.

use super::air::media::Air;
use super::choke_packets::ways;
use super::event_queue::{Class, Event, EventQueue, NEVER};
use super::hop::{Hop, Kind};
use super::links::{Link, Links};
use super::record::series::Recorded;
use super::routes::Routes;
use super::shortcuts::Shortcuts;
use super::shortcuts::ahead::foresight::Foresight;
use super::state::{FlowRecord, FlowState, ObservedLink, Settings, Simulation};
use crate::aqm::fifo;
use crate::component::BuildError;
use crate::metrics::group::GroupRecorders;
use crate::metrics::queue::QueueRecorder;
use crate::net::fifo_link::FifoLinks;
use crate::net::moments::Moments;
use crate::net::opportunities::{Gated, Opportunities};
use crate::net::queue_link::{QueueLink, Series};
use crate::net::topology::NoRoute;
use crate::net::transmitter::INSTANT;
use crate::net::wire::Wire;
use crate::params::{Args, ParamType, Value};
use crate::queue::ties::Ties;
use crate::queue::{Context, FlowHosts, LinkContext, QueueDiscipline};
use crate::rng::Rng;
use crate::scenario::dumbbell::drawn_delays;
use crate::scenario::plan::{GroupPlan, LinkPlan, Plan, Shape, StartPlan};
use crate::scenario::route::{hosts, link_contexts};
use crate::transport::outbox::Outbox;
use crate::transport::{declared, hint};
use crate::units::{Duration, Instant, Rate};
use std::collections::BTreeMap;

/// Why a plan cannot be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlanError {
    /// A queue cannot be built on its link.
    Queue {
        /// The link's name.
        link: String,
        /// The mistake.
        error: BuildError,
    },
    /// A flow has no way to its destination or back.
    NoRoute {
        /// Where it starts.
        from: String,
        /// Where it should end.
        to: String,
    },
    /// The caller does not want the simulation any more.
    Stopped,
}

/// Flows, or links, that are made between two questions whether to go on.
const AT_A_TIME: usize = 1 << 14;

/// Asks the caller from time to time whether to go on: millions of flows take seconds.
struct Patience<'a> {
    goes_on: &'a mut dyn FnMut() -> bool,
    made: usize,
}

impl Patience<'_> {
    /// Counts one more flow or link.
    fn one_more(&mut self) -> Result<(), PlanError> {
        self.made += 1;
        if self.made.is_multiple_of(AT_A_TIME) && !(self.goes_on)() { Err(PlanError::Stopped) } else { Ok(()) }
    }
}

impl Simulation {
    /// A simulation of `plan` at time zero. The seed decides all that is random.
    pub fn new(plan: &Plan, seed: u64) -> Result<Simulation, PlanError> {
        Simulation::with_shortcuts(plan, seed, Shortcuts::ALL)
    }

    /// Builds the network of a plan like [`Simulation::new`]. The plan's links are given back before the flows are made, so that a
    /// large network needs less memory.
    pub fn from_plan(plan: Plan, seed: u64) -> Result<Simulation, PlanError> {
        Simulation::from_plan_with(plan, seed, Shortcuts::ALL)
    }

    /// [`Simulation::from_plan`] with some shortcuts; the benchmark measures the gain of each.
    pub fn from_plan_with(plan: Plan, seed: u64, shortcuts: Shortcuts) -> Result<Simulation, PlanError> {
        Simulation::made(plan, seed, shortcuts, &mut || true)
    }

    /// [`Simulation::from_plan`] that asks from time to time whether to go on.
    pub fn from_plan_while(plan: Plan, seed: u64, goes_on: &mut dyn FnMut() -> bool) -> Result<Simulation, PlanError> {
        Simulation::made(plan, seed, Shortcuts::ALL, goes_on)
    }

    fn made(
        mut plan: Plan,
        seed: u64,
        shortcuts: Shortcuts,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<Simulation, PlanError> {
        let mut patience = Patience { goes_on, made: 0 };
        let (mut simulation, starts) = Simulation::network(&plan, seed, shortcuts, &mut patience)?;
        plan.links = Vec::new();
        plan.nodes = Vec::new();
        simulation.add_flows(&plan, starts, seed, &mut patience)?;
        Ok(simulation)
    }

    /// [`Simulation::new`] with some shortcuts; tests compare the results.
    pub fn with_shortcuts(plan: &Plan, seed: u64, shortcuts: Shortcuts) -> Result<Simulation, PlanError> {
        let mut patience = Patience { goes_on: &mut || true, made: 0 };
        let (mut simulation, starts) = Simulation::network(plan, seed, shortcuts, &mut patience)?;
        simulation.add_flows(plan, starts, seed, &mut patience)?;
        Ok(simulation)
    }

    /// The network without flows, and where the routes of each flow begin.
    fn network(
        plan: &Plan,
        seed: u64,
        shortcuts: Shortcuts,
        patience: &mut Patience<'_>,
    ) -> Result<(Simulation, Vec<[u32; 2]>), PlanError> {
        let mut routes = Routes::find(plan, seed).map_err(no_route(plan))?;
        let mut links = Links::with_capacity(plan.links.len());
        let mut fifo_links = FifoLinks::default();
        let drawn = drawn_delays(plan, seed);
        let mut observed = BTreeMap::new();
        // Once, and before there is room for flows: for millions of links these take more than the links themselves.
        for (number, (link, context)) in plan.links.iter().zip(link_contexts(plan)).enumerate() {
            patience.one_more()?;
            let delay = drawn.get(&number).copied().unwrap_or(link.delay);
            links.push(build_link(plan, link, delay, &context, seed, shortcuts, &mut fifo_links)?);
            if link.observed {
                observed.insert(number as u32, observed_link(link, &context));
            }
        }
        fifo_links.close();
        let choke_routes = ways::find(plan, seed, &links, &mut routes).map_err(no_route(plan))?;
        let is_fused = |(number, (link, plan_of)): (usize, (&Link, &LinkPlan))| {
            let plain = matches!(link, Link::Buffer(_));
            shortcuts.fusion() && plain && !plan_of.observed && routes.is_fed_in_order(plan, number)
        };
        let fused: Vec<bool> = links.iter().zip(&plan.links).enumerate().map(is_fused).collect();
        for hop in routes.table.iter_mut().filter(|hop| hop.is_link()) {
            let number = hop.number();
            let kind = match &links[number as usize] {
                Link::Buffer(_) if fused[number as usize] => Kind::Fused,
                Link::Buffer(_) => Kind::Buffer,
                Link::Queue(queue) if shortcuts.departures() && queue.decides_on_arrival() => Kind::Ahead,
                Link::Queue(_) => Kind::Queue,
            };
            *hop = Hop::link(kind, number);
        }
        if shortcuts.ends() && choke_routes.is_empty() {
            routes.call_ends_ahead(plan);
        }
        let simulation = Simulation {
            now: Instant::ZERO,
            events: EventQueue::sorting_windows(shortcuts.windows()),
            managed: (0..)
                .zip(links.iter())
                .filter(|(_, link)| matches!(link, Link::Queue(_)))
                .map(|(i, _)| i)
                .collect(),
            links,
            fifo_links,
            flows: Vec::with_capacity(routes.starts.len()),
            rngs: Vec::with_capacity(routes.starts.len()),
            flow_records: Vec::with_capacity(routes.starts.len()),
            routes: routes.table,
            outbox: Outbox::default(),
            air: Air::new(plan, seed),
            choke_routes,
            recorded: Recorded::new(seed),
            groups: GroupRecorders::new(plan.groups.len(), Instant::ZERO + plan.duration),
            completions: Vec::new(),
            baseline: Vec::new(),
            repairs_before: BTreeMap::new(),
            warm: false,
            memory: u64::MAX,
            scouts: shortcuts.scout(),
            skips_silence: shortcuts.silence(),
            turns: Vec::new(),
            foresight: Foresight::new(plan.groups.iter().filter_map(|group| Some(group.stop?.as_nanos())).collect()),
            settings: Settings {
                warmup: Instant::ZERO + plan.warmup,
                end: Instant::ZERO + plan.duration,
                observed,
                group_names: plan.groups.iter().map(|group| group.name.clone()).collect(),
                unspread: routes.unspread,
                nodes: captured_nodes(plan),
                roles: plan.groups.iter().map(|group| (group.app.entry.build)(&group.app.args).role()).collect(),
                record: plan.record.clone(),
            },
        };
        Ok((simulation, routes.starts))
    }

    fn add_flows(
        &mut self,
        plan: &Plan,
        starts: Vec<[u32; 2]>,
        seed: u64,
        patience: &mut Patience<'_>,
    ) -> Result<(), PlanError> {
        let mut starts = starts.into_iter();
        for (number, group) in plan.groups.iter().enumerate() {
            for (index, route) in starts.by_ref().take(group.ends.len()).enumerate() {
                patience.one_more()?;
                self.add_flow(group, number as u32, index, route, seed);
            }
        }
        self.arm_queues();
        self.schedule_samples();
        Ok(())
    }

    fn add_flow(&mut self, group: &GroupPlan, number: u32, index: usize, route: [u32; 2], seed: u64) {
        let name = format!("flow/{}/{index}", group.name);
        let mut rng = Rng::named(seed, &name);
        let started = Instant::ZERO + start_time(&group.start, index, &mut rng);
        let app = (group.app.entry.build)(&group.app.args);
        let ends = declared::endpoints(group.declaration, group.transport.endpoints(app));
        let (sender, receiver) = hint::endpoints(group.delay_hint.as_ref(), ends);
        if !sender.stands_alone() && !receiver.stands_alone() {
            for start in route {
                self.call_end_in_time(start as usize);
            }
        }
        let flow = self.flows.len() as u32;
        self.flows.push(FlowState { ends: [sender, receiver], armed: [NEVER; 2], route, group: number });
        self.rngs.push(rng);
        let stops = group.stop.map(|stop| Instant::ZERO + stop);
        self.flow_records.push(FlowRecord { group: number, started, stops, lost_unobserved: 0, corrupted: 0 });
        self.events.push(Event::new(started.as_nanos(), Class::Start, flow, 0));
        if let Some(stop) = stops {
            self.events.push(Event::new(stop.as_nanos(), Class::Stop, flow, 0));
        }
    }

    /// Undoes [`Routes::call_ends_ahead`] for the route that begins here.
    fn call_end_in_time(&mut self, start: usize) {
        if let Some(end) = self.routes[start..].iter_mut().find(|hop| hop.is_end()) {
            *end = if end.is_receiver() { Hop::RECEIVER } else { Hop::SENDER };
        }
    }

    /// Schedules the first deadline of each discipline that has one.
    fn arm_queues(&mut self) {
        for link in 0..self.links.len() as u32 {
            self.transmit(Instant::ZERO, link);
        }
    }
}

fn no_route(plan: &Plan) -> impl Fn(NoRoute) -> PlanError + '_ {
    |error| PlanError::NoRoute { from: plan.nodes[error.from].to_string(), to: plan.nodes[error.to].to_string() }
}

fn start_time(start: &StartPlan, index: usize, rng: &mut Rng) -> Duration {
    start.at + start.every * index as u64 + start.spread.mul_f64(rng.uniform())
}

fn build_link(
    plan: &Plan,
    link: &LinkPlan,
    delay: Duration,
    context: &LinkContext,
    seed: u64,
    shortcuts: Shortcuts,
    fifo_links: &mut FifoLinks,
) -> Result<Link, PlanError> {
    let warmup = Instant::ZERO + plan.warmup;
    let new_recorder = |limit| {
        let recorder = QueueRecorder::new(warmup, limit, link.queue.mean_packet);
        Box::new(if plan.record.occupancy { recorder.with_occupancy() } else { recorder })
    };
    let recorder = |limit| link.observed.then(|| new_recorder(limit));
    let kept = link.observed && (plan.record.packets || plan.record.drops || plan.record.pcap);
    let plain = std::ptr::eq(link.queue.entry, &raw const fifo::ENTRY) && shortcuts.drop_tail();
    let plain = plain && link.wire.is_none() && !kept;
    if plain && let Some(limit) = fifo::drop_tail_limit(&link.queue.args, context) {
        let kind = fifo_links.number(link.rate, delay, limit);
        return Ok(Link::Buffer(fifo_links.link(kind, recorder(limit))));
    }
    let Parts { discipline, cx, rate, wire } =
        parts(link, context, seed).map_err(|error| PlanError::Queue { link: link.name.to_string(), error })?;
    let series = Series {
        drops: (link.observed && plan.record.drops).then(Vec::new),
        packets: (link.observed && plan.record.packets).then(Vec::new),
        capture: (link.observed && plan.record.pcap).then(Box::default),
    };
    let recorder = recorder(discipline.limit());
    let mut queue = QueueLink::new(discipline, cx, (rate, delay), recorder, series).with_wire(wire);
    queue.moments = (ties(&link.queue.args) == Ties::Scheduled).then(Moments::default);
    Ok(Link::Queue(Box::new(queue)))
}

/// The parts of a link besides its counters.
pub struct Parts {
    /// The queue.
    pub discipline: Box<dyn QueueDiscipline>,
    /// Its stream of random numbers.
    pub cx: Context,
    /// The transmitter's rate.
    pub rate: Rate,
    /// The variations, if there are any.
    pub wire: Option<Wire>,
}

/// The parts of a link in the run with `seed`.
pub fn parts(link: &LinkPlan, context: &LinkContext, seed: u64) -> Result<Parts, BuildError> {
    let discipline = link.queue.entry.build(&link.queue.args, context)?;
    let cx = Context::new(Rng::named(seed, &format!("queue/{}", link.name)));
    let wire = link.wire.as_ref().map(|wire| Wire::new(wire, seed, &link.name.to_string()));
    Ok(match opportunities(link) {
        Some(opportunities) => {
            let gated = Box::new(Gated::new(discipline, opportunities.clone()));
            Parts { discipline: gated, cx, rate: INSTANT, wire }
        }
        None => Parts { discipline, cx, rate: link.rate, wire },
    })
}

/// The nodes between which flows run, and the names of all, where packets are kept whole.
fn captured_nodes(plan: &Plan) -> (FlowHosts, Vec<String>) {
    match plan.shape {
        Shape::Graph if plan.record.pcap => (hosts(plan), plan.nodes.iter().map(ToString::to_string).collect()),
        _ => (FlowHosts::default(), Vec::new()),
    }
}

fn observed_link(link: &LinkPlan, context: &LinkContext) -> ObservedLink {
    let changes = link.wire.as_ref().map_or_else(Vec::new, |wire| wire.changes.clone());
    let bucket = match (link.queue.args.get("profile_burst"), link.queue.args.get("profile_mbit")) {
        (Some(Value::Bytes(bytes)), Some(Value::Numbers(rates))) if rates.iter().any(|rate| *rate > 0.0) => Some(bytes),
        _ => None,
    };
    ObservedLink {
        name: link.name.to_string(),
        shown: link.queue.entry.shown,
        rate: link.rate,
        changes,
        opportunities: opportunities(link).cloned(),
        bucket: bucket.map(|bytes| (bytes, link.queue.mean_packet)),
        drops_at_short: link.queue.args.get("spare_short") == Some(Value::Bool(false)),
        beyond: beyond(link, context),
        marks: marks(&link.queue.args),
    }
}

/// The order of an arrival and a departure at one moment, if a queue has a choice.
fn ties(args: &Args) -> Ties {
    args.get("ties").and_then(Ties::from_value).unwrap_or(Ties::Clock)
}

/// Thresholds that the scenario sets above the limit, with their names.
fn beyond(link: &LinkPlan, context: &LinkContext) -> Vec<String> {
    let args = &link.queue.args;
    let Some(Value::Size(limit)) = args.get("limit") else { return Vec::new() };
    let most = context.packets(limit);
    let is_threshold = |name: &str| name.ends_with("_th") || THRESHOLDS.contains(&name);
    let names = args.specs().iter().zip(args.values());
    names
        .filter_map(|(spec, value)| match value {
            Value::Size(size) if is_threshold(spec.name) => Some((spec.name, context.packets(*size))),
            _ => None,
        })
        .filter(|(_, packets)| *packets > most)
        .map(|(name, packets)| format!("{name} is {} packets and the limit {}", tenths(packets), tenths(most)))
        .collect()
}

/// Whether a queue, or a policy in it, is set to mark.
fn marks(args: &Args) -> bool {
    args.specs().iter().zip(args.values()).any(|(spec, value)| match value {
        Value::Bool(yes) => spec.name == "ecn" && *yes,
        Value::Policy(policy) => marks(&policy.args),
        Value::Tables(tables) => tables.iter().any(marks),
        _ => false,
    })
}

fn tenths(number: f64) -> f64 {
    (10.0 * number).round() / 10.0
}

/// Parameters that are compared with the queue, besides those whose names end with `_th`.
const THRESHOLDS: [&str; 5] = ["k_l", "k_h", "q_ref", "target", "spare_below"];

/// When a link may send, if it has no fixed rate.
fn opportunities(link: &LinkPlan) -> Option<&Opportunities> {
    link.wire.as_ref()?.opportunities.as_ref()
}
