//! Reads `[dumbbell]` and lays out its hosts and links.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::checked_table::View;
use super::error::ScenarioError;
use super::keys::ACCESS;
use super::kinds::{self, QueueSite};
use super::link_effects::{self, LinkRate};
use super::plan::{
    AccessPlan, Direction, DumbbellPlan, GroupPlan, LinkPlan, Name, Part, Plan, QueuePlan, Shape, Spread,
};
use crate::net::link_plan::{MediumPlan, WirePlan};
use crate::params::Args;
use crate::registry::queue;
use crate::rng::Rng;
use crate::units::{Duration, Rate};

/// How much faster than the bottleneck access links are unless the file says so.
const ACCESS_SPEEDUP: u64 = 10;
/// The greatest rate that can be written (`quantity::rate`).
const RATE_MAX_BPS: u64 = 100_000_000_000_000;

/// Reads `[dumbbell]`; the flows come later.
pub fn read(view: &View<'_>, media: &[MediumPlan]) -> Result<DumbbellPlan, ScenarioError> {
    let there = link_effects::rate(view, "rate", media)?;
    let back = match view.node("reverse_rate") {
        Some(_) => Some(link_effects::rate(view, "reverse_rate", media)?),
        None => None,
    };
    let rates = [there.rate, back.as_ref().unwrap_or(&there).rate];
    let delay: Duration = view.value("delay")?;
    let queue = kinds::queue_of(view, "queue")?;
    let reverse_queue = match view.node("reverse_queue") {
        Some(_) => kinds::queue_of(view, "reverse_queue")?,
        None => queue.clone(),
    };
    let access = match view.table("access")? {
        Some(access) => read_access(&access, rates)?,
        None => read_access(&View::empty(view.source(), &ACCESS), rates)?,
    };
    let wire = link_effects::read_with(view, ["loss", "changes"], Some(&there))?;
    let reverse_wire = read_back(view, &there, back.as_ref())?;
    Ok(DumbbellPlan { rates, delay, queue, reverse_queue, wires: [wire, reverse_wire], access, groups: Vec::new() })
}

/// The variations on `reverse`: as on `forward`, unless the file says otherwise.
fn read_back(
    view: &View<'_>,
    there: &LinkRate,
    back: Option<&LinkRate>,
) -> Result<Option<Arc<WirePlan>>, ScenarioError> {
    let own = |key, other| if view.node(key).is_some() { key } else { other };
    let wire = link_effects::read_with(
        view,
        [own("reverse_loss", "loss"), own("reverse_changes", "changes")],
        back.or(Some(there)),
    )?;
    let rates_to_come = wire.iter().flat_map(|wire| &wire.changes).any(|change| change.rate.is_some());
    if back.is_some() && rates_to_come && view.node("reverse_changes").is_none() {
        return Err(view
            .wrong("changes", "this gives both directions the same rate, and each has its own")
            .hint("write the changes of the other direction as reverse_changes; [] means none"));
    }
    Ok(wire)
}

/// Where the queues of links 0 and 1 are in the file.
pub fn sites<'a>(view: &View<'a>) -> Vec<QueueSite<'a>> {
    let reverse = if view.node("reverse_queue").is_some() { "reverse_queue" } else { "queue" };
    vec![QueueSite::new(0, view, "queue"), QueueSite::new(1, view, reverse)]
}

/// Reads a flow's direction and access links, and numbers its hosts as `links` lays them out:
/// `first` flows are before it.
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
        Some(access) => Some(read_access(&access, plan.rates)?),
        None => None,
    };
    plan.groups.push((direction, access));
    Ok((first..first + count).map(|number| (2 + 2 * number, 3 + 2 * number)).collect())
}

fn read_access(view: &View<'_>, bottleneck: [Rate; 2]) -> Result<AccessPlan, ScenarioError> {
    let rate: Option<Rate> = view.value("rate")?;
    let (spread, steps) = (view.value("spread")?, view.maybe("steps")?);
    if steps.is_some() && spread != Spread::Random {
        return Err(view
            .wrong("steps", "delays that are spread evenly are not drawn from steps")
            .hint("write spread = \"random\", or leave steps out"));
    }
    Ok(AccessPlan {
        rate: rate.unwrap_or_else(|| access_rate(bottleneck)),
        delay: view.range("delay")?,
        sink_delay: view.node("sink_delay").map(|_| view.range("sink_delay")).transpose()?,
        spread,
        steps,
        limit: view.value("limit")?,
        wire: link_effects::read_with(view, ["loss", "changes"], None)?,
    })
}

/// The rate of access links follows the faster direction, because they are not meant to be a bottleneck of either.
fn access_rate([there, back]: [Rate; 2]) -> Rate {
    Rate::from_bps((there.max(back).as_bps() * ACCESS_SPEEDUP).min(RATE_MAX_BPS))
}

impl AccessPlan {
    /// Delays of the access links of flow `k` of `count`, of the host that sends and of the one that receives: evenly from
    /// the least to the greatest; a single flow has the middle, and so has one whose delays are drawn when a run begins.
    pub fn delays_of(&self, k: usize, count: usize) -> [Duration; 2] {
        let even = self.spread == Spread::Even && count > 1;
        let share = if even { k as f64 / (count - 1) as f64 } else { 0.5 };
        [self.delay, self.sink_delay.unwrap_or(self.delay)].map(|range| between(range, share))
    }

    /// Delays of the access links of a flow, drawn as a run begins.
    fn drawn(&self, rng: &mut Rng) -> [Duration; 2] {
        [self.delay, self.sink_delay.unwrap_or(self.delay)].map(|range| {
            let share = match self.steps {
                Some(steps) => rng.below(steps) as f64 / (steps - 1) as f64,
                None => rng.uniform(),
            };
            between(range, share)
        })
    }

    fn queue(&self) -> Option<QueuePlan> {
        let entry = queue("fifo")?;
        let mut args = Args::defaults(entry.params);
        args.set_text("limit", &self.limit.to_string()).ok()?;
        Some(QueuePlan { entry, args, mean_packet: 1000, base_rtt: None })
    }
}

fn between((low, high): (Duration, Duration), share: f64) -> Duration {
    low + high.saturating_sub(low).mul_f64(share)
}

/// Delays of access links that are drawn for this run, by number of the link as [`lay_out`] has them. Each group has a stream of its
/// own, from which each flow takes two in order.
pub fn drawn_delays(plan: &Plan, seed: u64) -> BTreeMap<usize, Duration> {
    let mut found = BTreeMap::new();
    let Shape::Dumbbell(dumbbell) = &plan.shape else { return found };
    let mut link = 2;
    for (group, (_, own)) in plan.groups.iter().zip(&dumbbell.groups) {
        let access = own.as_ref().unwrap_or(&dumbbell.access);
        if access.spread == Spread::Random {
            let mut rng = Rng::named(seed, &format!("access/{}", group.name));
            for first in (link..).step_by(4).take(group.ends.len()) {
                let [source, sink] = access.drawn(&mut rng);
                found.extend([(first, source), (first + 1, source), (first + 2, sink), (first + 3, sink)]);
            }
        }
        link += 4 * group.ends.len();
    }
    found
}

/// All nodes and links: the routers and the bottleneck first, then two hosts and four links a flow.
pub fn lay_out(plan: &DumbbellPlan, groups: &[GroupPlan]) -> (Vec<Name>, Vec<LinkPlan>) {
    let flows: usize = groups.iter().map(|group| group.ends.len()).sum();
    let mut nodes = Vec::with_capacity(2 + 2 * flows);
    let mut links = Vec::with_capacity(2 + 4 * flows);
    nodes.extend(["left".into(), "right".into()]);
    let (queues, ends) = ([&plan.queue, &plan.reverse_queue], [(0, 1), (1, 0)]);
    for (way, name) in ["forward", "reverse"].into_iter().enumerate() {
        let ((from, to), rate, delay) = (ends[way], plan.rates[way], plan.delay);
        let (queue, wire) = (Arc::new(queues[way].clone()), plan.wires[way].clone());
        links.push(LinkPlan { name: name.into(), from, to, rate, delay, queue, observed: true, wire });
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
            let [of_source, of_sink] = access.delays_of(k, group.ends.len());
            // A packet that comes out at an end mostly makes another one go in there.
            for (part, from, to, delay) in [
                (Part::In, source, near, of_source),
                (Part::AckOut, near, source, of_source),
                (Part::Out, far, sink, of_sink),
                (Part::AckIn, sink, far, of_sink),
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

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(access: &str, count: usize) -> Plan {
        let toml = format!(
            "duration = \"1s\"\n[dumbbell]\nrate = \"1Mbit\"\ndelay = \"1ms\"\n\
             access = {{ {access} }}\n[[flow]]\nname = \"tcp\"\ncount = {count}\n"
        );
        Plan::from_toml(&toml, "scenario.toml").unwrap_or_else(|error| panic!("{error}"))
    }

    fn millis(duration: Duration) -> f64 {
        duration.as_secs_f64() * 1e3
    }

    /// Delays in ms of the links in, out, ack-in, ack-out of each flow, as in a run.
    fn delays(plan: &Plan, seed: u64) -> Vec<[f64; 4]> {
        let drawn = drawn_delays(plan, seed);
        let of = |link: usize| millis(drawn.get(&link).copied().unwrap_or(plan.links[link].delay));
        (2..plan.links.len()).step_by(4).map(|first| std::array::from_fn(|part| of(first + part))).collect()
    }

    #[test]
    fn each_direction_may_have_a_rate_of_its_own() {
        let line = |keys: &str| {
            let text = format!("duration = \"1s\"\n[[flow]]\n[dumbbell]\ndelay = \"1ms\"\nrate = \"5Mbit\"\n{keys}\n");
            Plan::from_toml(&text, "scenario.toml").unwrap_or_else(|error| panic!("{error}"))
        };
        let rates = |plan: &Plan| -> Vec<u64> { plan.links[..3].iter().map(|link| link.rate.as_bps()).collect() };

        // Access links are ten times as fast as the faster direction.
        assert_eq!(rates(&line("reverse_rate = \"20Mbit\"")), [5_000_000, 20_000_000, 200_000_000]);
        assert_eq!(rates(&line("")), [5_000_000, 5_000_000, 50_000_000]);
        let change = "changes = [{ at = \"0.5s\", rate = \"1Mbit\" }]\nreverse_changes = []";
        let varied = line(&format!("reverse_rate = \"20Mbit\"\n{change}"));
        let count = |link: usize| varied.links[link].wire.as_ref().map_or(0, |wire| wire.changes.len());
        assert_eq!((count(0), count(1)), (1, 0));
        let cell = line("reverse_rate = { mahimahi = [5, 10] }");
        let gated = |link: usize| cell.links[link].wire.as_ref().is_some_and(|wire| wire.opportunities.is_some());
        assert_eq!((gated(0), gated(1)), (false, true));
    }

    #[test]
    fn the_two_hosts_of_a_flow_may_have_different_delays() {
        // In, AckOut, Out, AckIn.
        assert_eq!(delays(&plan("delay = \"2ms\", sink_delay = \"5ms\"", 1), 1), [[2.0, 2.0, 5.0, 5.0]]);
        assert_eq!(delays(&plan("delay = \"2ms\"", 1), 1), [[2.0; 4]]);
        let spread = delays(&plan("delay = [\"2ms\", \"6ms\"], sink_delay = [\"0ms\", \"20ms\"]", 3), 1);
        assert_eq!(spread, [[2.0, 2.0, 0.0, 0.0], [4.0, 4.0, 10.0, 10.0], [6.0, 6.0, 20.0, 20.0]]);
    }

    #[test]
    fn drawn_delays_are_uniform_and_belong_to_the_seed_and_the_group() {
        let access = "delay = [\"2ms\", \"6ms\"], sink_delay = [\"10ms\", \"20ms\"], spread = \"random\"";
        let many = delays(&plan(access, 2000), 1);

        assert_eq!(many, delays(&plan(access, 2000), 1));
        assert_ne!(many, delays(&plan(access, 2000), 2));
        assert_eq!(many[..10], delays(&plan(access, 10), 1)[..], "a flow more changes nothing for those before it");
        assert!(many.iter().all(|[a, b, c, d]| a.to_bits() == b.to_bits()
            && c.to_bits() == d.to_bits()
            && (2.0..=6.0).contains(a)
            && (10.0..=20.0).contains(c)));
        // Standard errors of the means: 4 / sqrt(12 * 2000) = 0.026 ms and 10 / sqrt(12 * 2000) = 0.065 ms.
        let mean = |end: usize| many.iter().map(|flow| flow[end]).sum::<f64>() / 2000.0;
        assert!((mean(0) - 4.0).abs() < 0.1 && (mean(2) - 15.0).abs() < 0.25, "{} {}", mean(0), mean(2));
    }

    #[test]
    fn steps_are_drawn_alike() {
        let access = "delay = [\"2ms\", \"18ms\"], spread = \"random\", steps = 5";
        let many = delays(&plan(access, 2000), 1);

        for step in [2.0, 6.0, 10.0, 14.0, 18.0] {
            // 400 expected of 2000, with a standard deviation of 18.
            let found = many.iter().filter(|flow| (flow[0] - step).abs() < 1e-6).count();
            assert!(found.abs_diff(400) < 90, "{found} of {step}");
        }
    }
}
