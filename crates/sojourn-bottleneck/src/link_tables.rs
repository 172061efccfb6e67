//! From the caller's texts to links: by the reader of scenario files.

use super::nodes::{entry, list, table, text};
use super::one_link::Hop;
use super::{Error, Link};
use sojourn_sim::net::transmitter::Transmitter;
use sojourn_sim::queue::QueueDiscipline;
use sojourn_sim::registry::Registry;
use sojourn_sim::scenario::document::{Datum, Node};
use sojourn_sim::scenario::plan::Plan;
use sojourn_sim::scenario::route::link_contexts;
use sojourn_sim::scenario::{Document, ScenarioError};
use sojourn_sim::sim::{Parts, parts};

/// A queue on a link of this rate, for flows with this round-trip time.
pub fn discipline(
    queue: &str,
    rate: &str,
    base_rtt: &str,
    registry: &Registry,
) -> Result<Box<dyn QueueDiscipline>, Error> {
    let link = Link::new(rate, "0s").set("base_rtt", base_rtt).queue(queue);
    Ok(row([link], 0, registry)?.remove(0).discipline)
}

/// Links in a row. The first is called `forward`, as that of a dumbbell: so its random numbers are the same.
pub fn row(links: impl IntoIterator<Item = Link>, seed: u64, registry: &Registry) -> Result<Vec<Hop>, Error> {
    let mut tables = links.into_iter().map(|link| link.node()).collect::<Result<Vec<_>, _>>()?;
    if let Some(Node { datum: Datum::Table(keys), .. }) = tables.first_mut() {
        keys.push(entry("name", text("forward")));
    }
    let document = Document::of(table(Vec::new())).knowing(registry);
    Ok(hops(&plan(document, tables, None)?, seed)?)
}

/// Links in a row, as in a file.
#[cfg(feature = "scenario-files")]
pub fn from_toml(links: &str, seed: u64, registry: &Registry) -> Result<Vec<Hop>, ScenarioError> {
    let mut document = Document::from_toml(links, "links")?.knowing(registry);
    let root = document.root_mut();
    let Datum::Table(entries) = &mut root.datum else { unreachable!("a document is a table") };
    if let Some(other) = entries.iter().find(|entry| !["link", "flows"].contains(&entry.key.as_str())) {
        return Err(
            ScenarioError::new(other.key.clone(), "a path has no such key").allowed("flows, and [[link]] tables")
        );
    }
    let mut take = |key| entries.iter().position(|entry| entry.key == key).map(|place| entries.remove(place).node);
    let flows = take("flows");
    let tables = match take("link") {
        Some(Node { datum: Datum::List(tables), .. }) => tables,
        _ => Vec::new(),
    };
    hops(&plan(document, tables, flows)?, seed)
}

/// A scenario with these links in a row and a flow over all of them. Its other direction has no relevant queue.
fn plan(mut document: Document, mut tables: Vec<Node>, flows: Option<Node>) -> Result<Plan, ScenarioError> {
    let count = tables.len();
    if count == 0 {
        let error = ScenarioError::new("link", "a path has no link");
        return Err(error.hint("write a [[link]] table with rate and delay for each"));
    }
    for (number, link) in tables.iter_mut().enumerate() {
        let Datum::Table(keys) = &mut link.datum else { continue };
        if let Some(other) = keys.iter().find(|entry| ["from", "to", "duplex", "medium"].contains(&entry.key.as_str()))
        {
            let key = format!("link[{number}].{}", other.key);
            let what = "the links of a path are in a row, in one direction, on wires of their own";
            return Err(ScenarioError::new(key, what));
        }
        keys.push(entry("from", text(number.to_string())));
        keys.push(entry("to", text((number + 1).to_string())));
    }
    let nodes = (0..=count).map(|number| table(vec![entry("name", text(number.to_string()))])).collect();
    let mut flow = vec![entry("from", text("0")), entry("to", text(count.to_string()))];
    flow.extend(flows.map(|number| entry("count", number)));
    let Datum::Table(entries) = &mut document.root_mut().datum else { unreachable!("a document is a table") };
    entries.push(entry("link", list(tables)));
    entries.push(entry("node", list(nodes)));
    entries.push(entry("flow", list(vec![table(flow)])));
    entries.push(entry("duration", text("1s")));
    document.plan()
}

fn hops(plan: &Plan, seed: u64) -> Result<Vec<Hop>, ScenarioError> {
    // Every second link is the other direction of the one before.
    let forward = plan.links.iter().zip(link_contexts(plan)).step_by(2);
    forward
        .map(|(link, context)| {
            let Parts { discipline, cx, rate, wire } = parts(link, &context, seed).map_err(|error| {
                ScenarioError::complaint(format!("queue of the link {}", link.name), error.complaint)
            })?;
            let transmitter = Transmitter::new(rate);
            Ok(Hop { discipline, cx, transmitter, delay: link.delay, wire, busy_until: None })
        })
        .collect()
}
