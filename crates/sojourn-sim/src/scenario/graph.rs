//! Reads `[[node]]` and `[[link]]`.

use std::sync::Arc;

use super::checked_table::View;
use super::error::ScenarioError;
use super::kinds::{self, QueueSite};
use super::link_effects;
use super::plan::LinkPlan;
use crate::net::link_plan::MediumPlan;
use crate::params::nearest;
use std::collections::{BTreeMap, BTreeSet};

/// The nodes and links of a graph, and where its queues are in the file.
pub struct Graph<'a> {
    /// Names.
    pub nodes: Vec<String>,
    /// Directed links.
    pub links: Vec<LinkPlan>,
    /// One for each link.
    pub sites: Vec<QueueSite<'a>>,
    numbers: BTreeMap<&'a str, usize>,
}

impl<'a> Graph<'a> {
    /// Reads the tables `[[node]]` and `[[link]]`.
    pub fn read(nodes: &[View<'a>], links: &[View<'a>], media: &[MediumPlan]) -> Result<Self, ScenarioError> {
        let mut graph = Graph { nodes: Vec::new(), links: Vec::new(), sites: Vec::new(), numbers: BTreeMap::new() };
        for node in nodes {
            let name = node.name("name")?;
            if graph.numbers.insert(name, graph.nodes.len()).is_some() {
                return Err(node.wrong("name", "there are two nodes of this name").hint("give each node its own name"));
            }
            graph.nodes.push(name.to_owned());
        }
        let mut names = BTreeSet::new();
        for link in links {
            let first = graph.links.len();
            graph.add_link(link, media)?;
            for link_plan in &graph.links[first..] {
                if !names.insert(link_plan.name.clone()) {
                    let key = if link.node("name").is_some() { "name" } else { "from" };
                    return Err(link
                        .wrong(key, format!("there are two links of the name {:?}", link_plan.name.to_string()))
                        .hint("give each link a name of its own with name = \"...\", or write duplex = false"));
                }
            }
        }
        Ok(graph)
    }

    /// Where a flow starts and ends.
    pub fn ends(&self, flow: &View<'a>) -> Result<(usize, usize), ScenarioError> {
        for key in ["direction", "access"] {
            if flow.node(key).is_some() {
                return Err(flow
                    .wrong(key, format!("{key:?} belongs to the dumbbell; this network is a graph"))
                    .hint("say where the flow starts and ends with from = \"...\" and to = \"...\""));
            }
        }
        self.distinct_ends(flow)
    }

    fn distinct_ends(&self, view: &View<'a>) -> Result<(usize, usize), ScenarioError> {
        let (from, to) = (self.node(view, "from")?, self.node(view, "to")?);
        if from == to {
            return Err(view.wrong("to", "this starts and ends at the same node"));
        }
        Ok((from, to))
    }

    fn node(&self, view: &View<'a>, key: &'static str) -> Result<usize, ScenarioError> {
        let name = view.name(key)?;
        self.numbers.get(name).copied().ok_or_else(|| {
            let hint = nearest(name, self.nodes.iter().map(String::as_str))
                .map_or_else(|| format!("add [[node]] with name = {name:?}"), |near| format!("did you mean {near:?}?"));
            view.wrong(key, "there is no node of this name").allowed(some_names(&self.nodes)).hint(hint)
        })
    }

    fn add_link(&mut self, view: &View<'a>, media: &[MediumPlan]) -> Result<(), ScenarioError> {
        let (from, to) = self.distinct_ends(view)?;
        let name = view.text("name")?;
        if name == Some("") {
            return Err(view.wrong("name", "this name is empty"));
        }
        let observed: Option<bool> = view.value("observed")?;
        let rate = link_effects::rate(view, "rate", media)?;
        let forward = LinkPlan {
            name: name.map_or_else(|| format!("{}-{}", self.nodes[from], self.nodes[to]), str::to_owned).into(),
            from,
            to,
            rate: rate.rate,
            delay: view.value("delay")?,
            queue: Arc::new(kinds::queue_of(view, "queue")?),
            observed: observed.unwrap_or(name.is_some() || view.node("queue").is_some()),
            wire: link_effects::read_with(view, ["loss", "changes"], Some(&rate))?,
        };
        let duplex: bool = view.value("duplex")?;
        let back = duplex.then(|| LinkPlan {
            name: name
                .map_or_else(|| format!("{}-{}", self.nodes[to], self.nodes[from]), |name| format!("{name}/reverse"))
                .into(),
            from: to,
            to: from,
            ..forward.clone()
        });
        for link in std::iter::once(forward).chain(back) {
            self.sites.push(QueueSite::new(self.links.len(), view, "queue"));
            self.links.push(link);
        }
        Ok(())
    }
}

/// Names for a message: all, or the first few.
fn some_names(names: &[String]) -> String {
    const SHOWN: usize = 12;
    let shown: Vec<String> = names.iter().take(SHOWN).map(|name| format!("{name:?}")).collect();
    match names.len() {
        0 => "no node is described".to_owned(),
        1..=SHOWN => format!("one of {}", shown.join(", ")),
        more => format!("one of {} and {} more", shown.join(", "), more - SHOWN),
    }
}
