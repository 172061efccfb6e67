//! The declarative model: a scenario file is read, checked and laid out as a [`Plan`].
//!
//! Text becomes a tree of values that know their place ([`document`]); tables are read by the keys
//! that [`keys`] and the registries declare; a mistake is one [`ScenarioError`] with the place, the found and the allowed values, and the
//! nearest valid name.

mod checked_table;
pub mod document;
pub mod dumbbell;
#[cfg(feature = "scenario-files")]
mod edit;
mod error;
mod files;
mod graph;
pub mod keys;
mod kinds;
mod link_effects;
mod load;
mod medium;
#[cfg(feature = "scenario-files")]
mod parse;
pub mod plan;
mod read;
#[cfg(feature = "scenario-files")]
mod resolved;
pub mod route;
#[cfg(feature = "scenario-files")]
mod schema;

pub use error::{Details, ScenarioError, Source, shortened};
pub use plan::Plan;
#[cfg(feature = "scenario-files")]
pub use resolved::{outline_text, resolved, resolved_text};
#[cfg(feature = "scenario-files")]
pub use schema::{schema, schema_text};

use crate::registry::Registry;
use document::Node;

/// A scenario that has been read but not yet checked: `--set` may still change it.
#[derive(Clone, Debug)]
pub struct Document {
    source: Source,
    root: Node,
}

impl Document {
    /// Reads TOML; `file_name` is for messages.
    #[cfg(feature = "scenario-files")]
    pub fn from_toml(text: &str, file_name: &str) -> Result<Self, ScenarioError> {
        let source = Source::new(file_name, text);
        let root = document::from_toml(&source, text)?;
        Ok(Document { source, root })
    }

    /// Reads JSON of the same form.
    #[cfg(feature = "scenario-files")]
    pub fn from_json(text: &str) -> Result<Self, ScenarioError> {
        let source = Source::default();
        let root = document::from_json(&source, text)?;
        Ok(Document { source, root })
    }

    /// A document of values that are in no file.
    pub fn of(root: Node) -> Self {
        Document { source: Source::default(), root }
    }

    /// The same for a text that may name the entries of this registry, not only those of this crate. Call it before [`Document::set`].
    #[must_use]
    pub fn knowing(mut self, registry: &Registry) -> Self {
        self.source.registry = registry.clone();
        self
    }

    /// Changes one value: `set("dumbbell.queue.limit", "50p")`; flows by position (`flow[0].count`) or
    /// by name (`flow.bulk.count`).
    #[cfg(feature = "scenario-files")]
    pub fn set(&mut self, path: &str, value: &str) -> Result<(), ScenarioError> {
        edit::set(&mut self.root, path, value, &self.source.registry)
    }

    /// Names of the files whose content must be [supplied](Document::supply) before it can be checked.
    pub fn files(&self) -> Vec<String> {
        files::named(&self.root)
    }

    /// The message that the file called `name`, in print `shown`, cannot be read.
    pub fn unreadable(&self, name: &str, shown: &str, why: &str) -> ScenarioError {
        let (key, place) = files::place_of(&self.root, name).unwrap_or_default();
        ScenarioError::new(key, format!("the file {shown} cannot be read: {why}")).at(&self.source, place)
    }

    /// Puts the numbers in the file called `name` where it is named.
    pub fn supply(&mut self, name: &str, numbers: &[f64]) {
        files::supply(&mut self.root, name, numbers);
    }

    /// The values.
    pub fn root(&self) -> &Node {
        &self.root
    }

    /// The values, to be changed.
    pub fn root_mut(&mut self) -> &mut Node {
        &mut self.root
    }

    /// Checks it and lays it out.
    pub fn plan(&self) -> Result<Plan, ScenarioError> {
        read::plan(&self.source, &self.root)
    }
}

impl Plan {
    /// Reads a scenario file; `file_name` is for messages.
    #[cfg(feature = "scenario-files")]
    pub fn from_toml(text: &str, file_name: &str) -> Result<Self, ScenarioError> {
        Document::from_toml(text, file_name)?.plan()
    }

    /// Reads a scenario in JSON: the same tables and keys.
    #[cfg(feature = "scenario-files")]
    pub fn from_json(text: &str) -> Result<Self, ScenarioError> {
        Document::from_json(text)?.plan()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::topology::Router;
    use crate::units::Duration;

    const DESIGN: &str = r#"
title = "Two-way dumbbell with a load step"
duration = "100s"
warmup = "20s"

[dumbbell]
rate = "10Mbit"
delay = "20ms"
access = { rate = "100Mbit", delay = ["2ms", "10ms"] }
queue = { kind = "fifo", limit = "100p" }

[[flow]]
name = "bulk"
count = 20
transport = { kind = "tcp", recovery = "sack", control = "reno", profile = "ns2" }
app = { kind = "bulk" }
start = { at = "0s", spread = "1s" }

[[flow]]
name = "blast"
direction = "backward"
transport = { kind = "udp", packet = "1000B" }
app = { kind = "cbr", rate = "1Mbit" }
start = "50s"

[record]
queue = { every = "10ms" }
"#;

    #[test]
    fn the_example_of_the_design_becomes_a_dumbbell() {
        let plan = Plan::from_toml(DESIGN, "design.toml").expect("a valid scenario");

        // Two routers, two hosts for each of 21 flows; two bottlenecks, four access links for each flow.
        assert_eq!(plan.nodes.len(), 2 + 2 * 21);
        assert_eq!(plan.links.len(), 2 + 4 * 21);
        assert_eq!(plan.links[2].name.to_string(), "access/bulk/0/in");
        assert_eq!(plan.links[2].delay, Duration::from_millis(2));
        assert_eq!(plan.links[2 + 4 * 19].delay, Duration::from_millis(10));
        // A single flow has the middle of 2 and 10 ms.
        assert_eq!(plan.links[2 + 4 * 20].delay, Duration::from_millis(6));
        assert_eq!(plan.record.queue.map(|sampling| sampling.every), Some(Duration::from_millis(10)));
    }

    #[test]
    fn every_flow_has_a_way_there_and_back_through_the_bottleneck() {
        let plan = Plan::from_toml(DESIGN, "design.toml").expect("a valid scenario");
        let edges = route::edges(&plan.links);
        let mut router = Router::new(plan.nodes.len(), &edges);

        let there = router.route(plan.groups[0].ends[3].0, plan.groups[0].ends[3].1).expect("a way");
        let back = router.route(plan.groups[1].ends[0].0, plan.groups[1].ends[0].1).expect("a way");

        let names =
            |way: &[u32]| way.iter().map(|&link| plan.links[link as usize].name.to_string()).collect::<Vec<_>>();
        assert_eq!(names(&there), ["access/bulk/3/in", "forward", "access/bulk/3/out"]);
        assert_eq!(names(&back), ["access/blast/0/in", "reverse", "access/blast/0/out"]);
    }

    #[test]
    fn base_rtt_is_the_mean_over_the_flows() {
        let plan = Plan::from_toml(DESIGN, "design.toml").expect("a valid scenario");
        let contexts = route::link_contexts(&plan);
        // Access delays are spread around 6 ms: 2 (20 + 2 * 6) = 64 ms.
        assert_eq!(contexts[0].base_rtt, Duration::from_millis(64));
        assert_eq!((contexts[0].flows, contexts[1].flows), (20, 1));
    }

    #[test]
    fn a_hundred_thousand_flows_are_read_quickly() {
        let text = DESIGN.replace("count = 20", "count = 100_000");
        let plan = Plan::from_toml(&text, "big.toml").expect("a valid scenario");
        assert_eq!(plan.links.len(), 2 + 4 * 100_001);
    }
}
