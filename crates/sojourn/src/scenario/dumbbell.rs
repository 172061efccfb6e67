//! Reads `[dumbbell]` and lays out its hosts and links.

use std::sync::Arc;

use super::error::ScenarioError;
use super::keys::ACCESS;
use super::kinds::{self, QueueSite};
use super::link_effects;
use super::plan::{AccessPlan, Direction, DumbbellPlan, GroupPlan, LinkPlan, Name, Part, QueuePlan};
use super::view::View;
use crate::net::plan::MediumPlan;
use crate::params::Args;
use crate::registry::queue;
use crate::units::{Duration, Rate};

/// How much faster than the bottleneck access links are unless the file says so.
const ACCESS_SPEEDUP: u64 = 10;
/// The greatest rate that can be written (`quantity::rate`).
const RATE_MAX_BPS: u64 = 100_000_000_000_000;

/// Reads `[dumbbell]`; the flows come later.
pub fn read(view: &View<'_>, media: &[MediumPlan]) -> Result<DumbbellPlan, ScenarioError> {
    let link_rate = link_effects::rate(view, media)?;
    let rate = link_rate.rate;
    let delay: Duration = view.value("delay")?;
    let queue = kinds::queue_of(view, "queue")?;
    let reverse_queue = match view.node("reverse_queue") {
        Some(_) => kinds::queue_of(view, "reverse_queue")?,
        None => queue.clone(),
    };
    let access = match view.table("access")? {
        Some(access) => read_access(&access, rate)?,
        None => read_access(&View::empty(view.source(), &ACCESS), rate)?,
    };
    let wire = link_effects::read_with(view, "loss", Some(&link_rate))?;
    let reverse_wire = match view.node("reverse_loss") {
        Some(_) => link_effects::read_with(view, "reverse_loss", Some(&link_rate))?,
        None => wire.clone(),
    };
    Ok(DumbbellPlan { rate, delay, queue, reverse_queue, wires: [wire, reverse_wire], access, groups: Vec::new() })
}

/// Where the queues of links 0 and 1 stand in the file.
pub fn sites<'a>(view: &View<'a>) -> Vec<QueueSite<'a>> {
    let reverse = if view.node("reverse_queue").is_some() { "reverse_queue" } else { "queue" };
    vec![QueueSite::new(0, view, "queue"), QueueSite::new(1, view, reverse)]
}

/// Reads a flow's direction and access links, and numbers its hosts as [`links`] lays them out:
/// `first` flows stand before it.
pub fn add_group(
    plan: &mut DumbbellPlan,
    flow: &View<'_>,
    count: usize,
    first: usize,
) -> Result<Vec<(usize, usize)>, ScenarioError> {
    for key in ["from", "to"] {
        if flow.node(key).is_some() {
            return Err(flow
                .wrong(key, "the dumbbell gives every flow hosts of its own")
                .hint("use direction = \"forward\" or \"backward\", or describe a graph with [[node]] and [[link]]"));
        }
    }
    let direction: Direction = flow.value("direction")?;
    let access = match flow.table("access")? {
        Some(access) => Some(read_access(&access, plan.rate)?),
        None => None,
    };
    plan.groups.push((direction, access));
    Ok((first..first + count).map(|number| (2 + 2 * number, 3 + 2 * number)).collect())
}

fn read_access(view: &View<'_>, bottleneck: Rate) -> Result<AccessPlan, ScenarioError> {
    let rate: Option<Rate> = view.value("rate")?;
    Ok(AccessPlan {
        rate: rate.unwrap_or_else(|| access_rate(bottleneck)),
        delay: view.range("delay")?,
        limit: view.value("limit")?,
        wire: link_effects::read(view, "loss")?,
    })
}

fn access_rate(bottleneck: Rate) -> Rate {
    Rate::from_bps((bottleneck.as_bps() * ACCESS_SPEEDUP).min(RATE_MAX_BPS))
}

impl AccessPlan {
    /// Delay of the access links of flow `k` of `count`: evenly from the least to the greatest; a
    /// single flow has the middle.
    pub fn delay_of(&self, k: usize, count: usize) -> Duration {
        let (low, high) = self.delay;
        let share = if count < 2 { 0.5 } else { k as f64 / (count - 1) as f64 };
        low + high.saturating_sub(low).mul_f64(share)
    }

    fn queue(&self) -> Option<QueuePlan> {
        let entry = queue("fifo")?;
        let mut args = Args::defaults(entry.params);
        args.set_text("limit", &self.limit.to_string()).ok()?;
        Some(QueuePlan { entry, args, mean_packet: 1000, base_rtt: None })
    }
}

/// All nodes and links: the routers and the bottleneck first, then two hosts and four links a flow.
pub fn lay_out(plan: &DumbbellPlan, groups: &[GroupPlan]) -> (Vec<Name>, Vec<LinkPlan>) {
    let flows: usize = groups.iter().map(|group| group.ends.len()).sum();
    let mut nodes = Vec::with_capacity(2 + 2 * flows);
    let mut links = Vec::with_capacity(2 + 4 * flows);
    nodes.extend(["left".into(), "right".into()]);
    let [there, back] = &plan.wires;
    for (name, from, to, queue, wire) in
        [("forward", 0, 1, &plan.queue, there), ("reverse", 1, 0, &plan.reverse_queue, back)]
    {
        let (rate, delay, queue) = (plan.rate, plan.delay, Arc::new(queue.clone()));
        links.push(LinkPlan { name: name.into(), from, to, rate, delay, queue, observed: true, wire: wire.clone() });
    }
    for (group, (direction, own)) in groups.iter().zip(&plan.groups) {
        let access = own.as_ref().unwrap_or(&plan.access);
        let queue = Arc::new(access.queue().expect("fifo is registered and takes any size as its limit"));
        let (near, far) = match direction {
            Direction::Forward => (0, 1),
            Direction::Backward => (1, 0),
        };
        let host: Arc<str> = group.name.as_str().into();
        let link: Arc<str> = format!("access/{}", group.name).into();
        for (k, &(source, sink)) in group.ends.iter().enumerate() {
            let name = |prefix: &Arc<str>, part| Name::OfFlow { prefix: Arc::clone(prefix), index: k as u32, part };
            nodes.extend([name(&host, Part::Source), name(&host, Part::Sink)]);
            let delay = access.delay_of(k, group.ends.len());
            // A packet that comes out at an end mostly makes another one go in there.
            for (part, from, to) in [
                (Part::In, source, near),
                (Part::AckOut, near, source),
                (Part::Out, far, sink),
                (Part::AckIn, sink, far),
            ] {
                links.push(LinkPlan {
                    name: name(&link, part),
                    from,
                    to,
                    rate: access.rate,
                    delay,
                    queue: Arc::clone(&queue),
                    observed: false,
                    wire: access.wire.clone(),
                });
            }
        }
    }
    (nodes, links)
}
