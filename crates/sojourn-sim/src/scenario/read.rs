//! Reads a whole scenario: top level, flows and records; makes the checks that need the whole.

use super::checked_table::View;
use super::document::Node;
use super::dumbbell;
use super::error::{ScenarioError, Source};
use super::graph::Graph;
use super::keys::{FLOWS_MAX, SAMPLES_MAX, SCENARIO};
use super::kinds::{self, QueueSite};
use super::load;
use super::medium;
use super::plan::{AppPlan, DumbbellPlan, GroupPlan, Name, Plan, RecordPlan, Sampling, Shape, StartPlan};
use super::route::{edges, link_contexts};
use crate::net::ecmp::Ecmp;
use crate::net::link_plan::MediumPlan;
use crate::net::topology::Router;
use crate::transport::declared::Declaration;
use crate::transport::hint::{AdaptPlan, HintPlan};
use crate::units::{Duration, Rate};
use std::collections::BTreeSet;

/// Reads and checks a scenario.
pub fn plan(source: &Source, root: &Node) -> Result<Plan, ScenarioError> {
    let top = View::open(source, root, String::new(), &SCENARIO, "")?;
    let title = top.text("title")?.unwrap_or_default().to_owned();
    let duration: Duration = top.value("duration")?;
    let warmup: Duration = top.value("warmup")?;
    if warmup >= duration {
        let error = top.wrong("warmup", "nothing is left to measure after the warm-up");
        return Err(error
            .allowed(format!("less than the duration, {duration}"))
            .hint("change both, duration and warmup"));
    }
    let flow_views = top.tables("flow")?;
    if flow_views.is_empty() {
        return Err(top.missing("flow"));
    }
    let record = record(&top, duration)?;

    let media = medium::read(&top.tables("medium")?)?;
    let (mut network, network_sites) = Network::read(&top, &media)?;
    let mut groups = Vec::with_capacity(flow_views.len());
    let mut names = BTreeSet::new();
    let mut flows = 0;
    let mut packets = 0.0;
    for (number, view) in flow_views.iter().enumerate() {
        let group = group(view, number, duration, &mut network, flows)?;
        flows += group.ends.len();
        if flows as u64 > FLOWS_MAX {
            return Err(view.wrong("count", "there are too many flows in all").allowed(format!("up to {FLOWS_MAX}")));
        }
        if !names.insert(group.name.clone()) {
            return Err(view
                .wrong("name", format!("there are two groups of flows of the name {:?}", group.name))
                .hint("give each [[flow]] its own name"));
        }
        if group.name == "all" && flow_views.len() > 1 {
            return Err(view
                .wrong("name", "in tables the row of all groups together has this name")
                .hint("give the group another name"));
        }
        let active = group.stop.map_or(duration, |stop| stop.min(duration)).saturating_sub(group.start.at);
        packets += load::check_source(view, &group.transport, &group.app, active)? * group.ends.len() as f64;
        load::check_packets(view, &group.app, packets)?;
        groups.push(group);
    }
    let (nodes, links, shape) = match network {
        Network::Dumbbell(dumbbell) => {
            let (nodes, links) = dumbbell::lay_out(&dumbbell, &groups);
            (nodes, links, Shape::Dumbbell(dumbbell))
        }
        Network::Graph(graph) => (graph.nodes.into_iter().map(Name::from).collect(), graph.links, Shape::Graph),
    };
    let ecmp: Ecmp = top.value("ecmp")?;
    if let (Shape::Dumbbell(_), true) = (&shape, ecmp != Ecmp::Off) {
        let error = top.wrong("ecmp", "there is one way only in a dumbbell, so that it has no effect");
        return Err(error.hint("leave it out, or describe a graph with [[node]] and [[link]]"));
    }
    let plan = Plan { title, duration, warmup, nodes, links, ecmp, media, groups, record, shape };
    if let Shape::Graph = plan.shape {
        check_ways(&plan, &flow_views)?;
    }
    check_queues(&plan, &network_sites)?;
    load::check_rows(&top, &plan)?;
    Ok(plan)
}

/// The network while the flows are being read.
enum Network<'a> {
    Dumbbell(Box<DumbbellPlan>),
    Graph(Graph<'a>),
}

impl<'a> Network<'a> {
    fn read(top: &View<'a>, media: &[MediumPlan]) -> Result<(Self, Vec<QueueSite<'a>>), ScenarioError> {
        let graph_key = ["link", "node"].into_iter().find(|key| top.node(key).is_some());
        match (top.table("dumbbell")?, graph_key) {
            (Some(_), Some(key)) => Err(top
                .wrong(key, format!("both [dumbbell] and [[{key}]] describe the network"))
                .hint("keep one of the two")),
            (None, None) => Err(top
                .wrong_whole("the network is missing")
                .hint("add [dumbbell] with rate and delay, or a graph of [[node]] and [[link]]")),
            (Some(view), None) => {
                let plan = dumbbell::read(&view, media)?;
                Ok((Network::Dumbbell(Box::new(plan)), dumbbell::sites(&view)))
            }
            (None, Some(_)) => {
                let mut graph = Graph::read(&top.tables("node")?, &top.tables("link")?, media)?;
                let sites = std::mem::take(&mut graph.sites);
                Ok((Network::Graph(graph), sites))
            }
        }
    }

    fn ends(&mut self, flow: &View<'a>, count: usize, first: usize) -> Result<Vec<(usize, usize)>, ScenarioError> {
        match self {
            Network::Dumbbell(plan) => dumbbell::add_group(plan, flow, count, first),
            Network::Graph(graph) => Ok(vec![graph.ends(flow)?; count]),
        }
    }
}

fn group<'a>(
    view: &View<'a>,
    number: usize,
    duration: Duration,
    network: &mut Network<'a>,
    first: usize,
) -> Result<GroupPlan, ScenarioError> {
    let name = match view.text("name")? {
        Some(_) => view.name("name")?.to_owned(),
        None => format!("flow{number}"),
    };
    let count: u64 = view.value("count")?;
    let (start, stop) = times(view, count, duration)?;
    let ends = network.ends(view, count as usize, first)?;
    let (transport, app) = (kinds::transport_of(view)?, kinds::app_of(view)?);
    if !transport.entry().controlled {
        check_pace(view, transport.entry().name, &app)?;
    }
    if transport.entry().control.is_none() && (app.entry.build)(&app.args).arrivals().is_some() {
        let (source, kind) = (app.entry.name, transport.entry().name);
        return Err(view
            .wrong("app", format!("{source} opens connections, and {kind} has none"))
            .allowed("transport tcp"));
    }
    Ok(GroupPlan {
        name,
        ends,
        transport,
        app,
        declaration: declaration(view)?,
        delay_hint: delay_hint(view)?,
        start,
        stop,
    })
}

fn declaration(flow: &View<'_>) -> Result<Declaration, ScenarioError> {
    let priority: Option<u64> = flow.maybe("priority")?;
    Ok(Declaration {
        service: flow.maybe("service")?,
        dscp: flow.maybe("dscp")?,
        priority: priority.and_then(|priority| u8::try_from(priority).ok()),
    })
}

fn delay_hint(flow: &View<'_>) -> Result<Option<HintPlan>, ScenarioError> {
    let Some(view) = flow.table("delay_hint")? else { return Ok(None) };
    let (delay, most) = (view.value("delay")?, view.value("most")?);
    let rate: Option<Rate> = view.maybe("rate")?;
    if rate.is_some() && most < delay {
        return Err(view
            .wrong("most", "the greatest hint is below the least one")
            .allowed(format!("at least the value of \"delay\", {delay}")));
    }
    let (step, every, headroom) = (view.value("step")?, view.value("every")?, view.value("headroom")?);
    let adapt = rate.map(|rate| AdaptPlan { rate, step, most, every, headroom });
    Ok(Some(HintPlan { delay, acks: view.value("acks")?, adapt }))
}

/// Without congestion control the application alone sets the pace, so it must have one.
fn check_pace(view: &View<'_>, transport: &str, app: &AppPlan) -> Result<(), ScenarioError> {
    let Some(what) = (app.entry.unpaced)(&app.args) else { return Ok(()) };
    Err(view
        .wrong("app", format!("{what} over {transport} has no rate: {transport} has no congestion control"))
        .hint("give the flow an application with a rate, such as app = { kind = \"cbr\", rate = \"1Mbit\" }"))
}

fn times(view: &View<'_>, count: u64, duration: Duration) -> Result<(StartPlan, Option<Duration>), ScenarioError> {
    let start = match view.table("start")? {
        Some(start) => {
            StartPlan { at: start.value("at")?, spread: start.value("spread")?, every: start.value("every")? }
        }
        None => StartPlan { at: Duration::ZERO, spread: Duration::ZERO, every: Duration::ZERO },
    };
    let last = start.at + start.spread + start.every * (count - 1);
    if last >= duration {
        let which = if count == 1 { "the flow" } else { "the last flow" };
        let when = if start.spread > Duration::ZERO { "may start" } else { "starts" };
        return Err(view
            .wrong("start", format!("{which} {when} at {last}, when the run is over"))
            .allowed(format!("before the duration, {duration}")));
    }
    let stop: Option<Duration> = view.maybe("stop")?;
    if stop.is_some_and(|stop| stop <= last) {
        let (what, which) = match count {
            1 => ("the flow stops before it has started", "its start"),
            _ => ("the flows stop before all of them have started", "the last start"),
        };
        return Err(view.wrong("stop", what).allowed(format!("later than {which}, {last}")));
    }
    Ok((start, stop))
}

fn record(top: &View<'_>, duration: Duration) -> Result<RecordPlan, ScenarioError> {
    let Some(view) = top.table("record")? else { return Ok(RecordPlan::default()) };
    let every = |key: &'static str| -> Result<Option<Sampling>, ScenarioError> {
        let Some(series) = view.table(key)? else { return Ok(None) };
        let every: Duration = series.value("every")?;
        let samples = duration.as_secs_f64() / every.as_secs_f64();
        if samples > SAMPLES_MAX {
            let least = Duration::from_secs_f64(duration.as_secs_f64() / SAMPLES_MAX);
            return Err(series
                .wrong("every", format!("this makes {samples:.0} samples, more than {SAMPLES_MAX:.0}"))
                .allowed(format!("{least} or more for a duration of {duration}")));
        }
        Ok(Some(Sampling { every, poisson: series.value("poisson")? }))
    };
    Ok(RecordPlan {
        queue: every("queue")?,
        probes: every("probes")?,
        cwnd: every("cwnd")?,
        throughput: every("throughput")?,
        occupancy: view.value("occupancy")?,
        drops: view.value("drops")?,
        packets: view.value("packets")?,
        pcap: view.value("pcap")?,
    })
}

/// Data needs a way there, acknowledgements one back.
fn check_ways(plan: &Plan, flows: &[View<'_>]) -> Result<(), ScenarioError> {
    let edges = edges(&plan.links);
    let mut router = Router::new(plan.nodes.len(), &edges);
    for (group, view) in plan.groups.iter().zip(flows) {
        let Some(&(from, to)) = group.ends.first() else { continue };
        for (a, b, what) in [(from, to, "data"), (to, from, "acknowledgements")] {
            if router.route(a, b).is_err() {
                return Err(view
                    .wrong(
                        "to",
                        format!(
                            "there is no way for {what} from {:?} to {:?}",
                            plan.nodes[a].to_string(),
                            plan.nodes[b].to_string()
                        ),
                    )
                    .hint("add a [[link]], or check that the links on the way are duplex"));
            }
        }
    }
    Ok(())
}

/// Values that are each in range may still contradict each other: every queue is built once.
fn check_queues(plan: &Plan, sites: &[QueueSite<'_>]) -> Result<(), ScenarioError> {
    let contexts = link_contexts(plan);
    for site in sites {
        let queue = &plan.links[site.link].queue;
        if let Err(error) = queue.entry.build(&queue.args, &contexts[site.link]) {
            return Err(site.error(queue, error));
        }
    }
    Ok(())
}
