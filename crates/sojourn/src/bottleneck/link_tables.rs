//! From what the caller writes to links: by the reader of scenario files.

use super::Error;
use super::one_link::Hop;
use crate::net::transmitter::Transmitter;
use crate::queue::QueueDiscipline;
use crate::registry::Registry;
use crate::scenario::Document;
use crate::scenario::document::{Datum, Entry, Node, Place};
use crate::scenario::plan::Plan;
use crate::scenario::route::link_contexts;
use crate::sim::{Parts, parts};

/// A queue on a link of this rate, for flows with this round-trip time.
pub fn discipline(queue: &str, rate: &str, base_rtt: &str) -> Result<Box<dyn QueueDiscipline>, Error> {
    let queue = quoted(queue);
    let link = format!("[[link]]\nrate = {rate:?}\ndelay = \"0s\"\nbase_rtt = {base_rtt:?}\nqueue = {queue}\n");
    Ok(path(&link, 0, &Registry::default())?.remove(0).discipline)
}

/// One link.
pub fn bottleneck(queue: &str, rate: &str, delay: &str, seed: u64) -> Result<Vec<Hop>, Error> {
    let queue = quoted(queue);
    let link = format!("[[link]]\nname = \"forward\"\nrate = {rate:?}\ndelay = {delay:?}\nqueue = {queue}\n");
    path(&link, seed, &Registry::default())
}

/// Links in a row.
pub fn path(links: &str, seed: u64, registry: &Registry) -> Result<Vec<Hop>, Error> {
    hops(&plan(links, registry)?, seed)
}

/// A name becomes a text, a table is one.
fn quoted(queue: &str) -> String {
    if queue.trim_start().starts_with('{') { queue.to_owned() } else { format!("{queue:?}") }
}

/// A scenario with these links in a row and a flow over all of them. Its other direction has no queue to speak of.
fn plan(links: &str, registry: &Registry) -> Result<Plan, Error> {
    let mut document = Document::from_toml(links, "links")?.knowing(registry);
    let root = document.root_mut();
    let Datum::Table(entries) = &mut root.datum else { unreachable!("a document is a table") };
    if let Some(other) = entries.iter().find(|entry| !["link", "flows"].contains(&entry.key.as_str())) {
        return Err(Error::new(other.key.clone(), "a path has no such key").allowed("flows, and [[link]] tables"));
    }
    let flows = entries.iter().position(|entry| entry.key == "flows").map(|place| entries.remove(place).node);
    let Some(Datum::List(tables)) = entries.first_mut().map(|entry| &mut entry.node.datum) else {
        return Err(
            Error::new("link", "a path has no link").hint("write a [[link]] table with rate and delay for each")
        );
    };
    let count = tables.len();
    if count == 0 {
        return Err(
            Error::new("link", "a path has no link").hint("write a [[link]] table with rate and delay for each")
        );
    }
    for (number, link) in tables.iter_mut().enumerate() {
        let Datum::Table(keys) = &mut link.datum else { continue };
        if let Some(other) = keys.iter().find(|entry| ["from", "to", "duplex", "medium"].contains(&entry.key.as_str()))
        {
            let key = format!("link[{number}].{}", other.key);
            return Err(Error::new(key, "links of a path stand in a row, in one direction, on wires of their own"));
        }
        keys.push(entry("from", text(number.to_string())));
        keys.push(entry("to", text((number + 1).to_string())));
    }
    let nodes = (0..=count).map(|number| table(vec![entry("name", text(number.to_string()))])).collect();
    let mut flow = vec![entry("from", text("0".to_owned())), entry("to", text(count.to_string()))];
    flow.extend(flows.map(|number| entry("count", number)));
    entries.push(entry("node", Node::set(Datum::List(nodes))));
    entries.push(entry("flow", Node::set(Datum::List(vec![table(flow)]))));
    entries.push(entry("duration", text("1s".to_owned())));
    document.plan()
}

fn hops(plan: &Plan, seed: u64) -> Result<Vec<Hop>, Error> {
    // Every second link is the other direction of the one before.
    let forward = plan.links.iter().zip(link_contexts(plan)).step_by(2);
    forward
        .map(|(link, context)| {
            let Parts { discipline, cx, rate, wire } = parts(link, &context, seed)
                .map_err(|error| Error::complaint(format!("queue of the link {}", link.name), error.complaint))?;
            let transmitter = Transmitter::new(rate);
            Ok(Hop { discipline, cx, transmitter, delay: link.delay, wire, busy_until: None })
        })
        .collect()
}

fn entry(key: &str, node: Node) -> Entry {
    Entry { key: key.to_owned(), place: Place::Set, node }
}

fn text(text: String) -> Node {
    Node::set(Datum::Text(text))
}

fn table(entries: Vec<Entry>) -> Node {
    Node::set(Datum::Table(entries))
}
