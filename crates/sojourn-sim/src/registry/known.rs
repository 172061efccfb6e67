//! The names that a scenario may use: those of this crate, and queues and congestion controls that another crate or a caller adds.

use std::sync::Arc;

use crate::params::{Group, Kind, OUTER, Param};
use crate::quantity::Complaint;
use crate::queue::entry::{Build, QueueEntry};
use crate::transport::entry::ControlEntry;
use sojourn_queues::registry::{POLICIES, QUEUES, or_complain};
use sojourn_senders::registry::CONTROLS;

/// The lists of this registry, and entries besides. Cheap to clone; the default has none besides.
///
/// ```
/// use sojourn_sim::queue::entry::QueueEntry;
/// use sojourn_sim::{aqm, registry::Registry, scenario::Document};
///
/// static MINE: QueueEntry = QueueEntry { name: "mine", ..aqm::fifo::ENTRY };
/// let registry = Registry::with(&[&MINE], &[]).expect("a name that is free");
/// let text = "duration = \"1s\"\ndumbbell = { rate = \"1Mbit\", delay = \"1ms\", queue = \"mine\" }\n[[flow]]\n";
/// assert!(Document::from_toml(text, "mine.toml").expect("TOML").knowing(&registry).plan().is_ok());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Registry {
    queues: Arc<[&'static QueueEntry]>,
    controls: Arc<[&'static ControlEntry]>,
}

impl Registry {
    /// The entries of this crate, and these.
    ///
    /// # Errors
    /// If two have one name, a policy has no parameter `limit`, or a parameter is declared wrongly.
    pub fn with(queues: &[&'static QueueEntry], controls: &[&'static ControlEntry]) -> Result<Self, Complaint> {
        Registry::default().and(queues, controls)
    }

    /// The entries of this registry, and these: `sojourn_archive::registry().and(&[&MINE], &[])`.
    ///
    /// # Errors
    /// As for [`Registry::with`].
    pub fn and(&self, queues: &[&'static QueueEntry], controls: &[&'static ControlEntry]) -> Result<Self, Complaint> {
        for (place, entry) in queues.iter().enumerate() {
            let taken = self.queues().chain(queues[..place].iter().copied()).any(|other| other.name == entry.name);
            check("queue", entry.name, taken, entry.params)?;
            let limit = entry.params.iter().find(|param| param.name == OUTER);
            if is_policy(entry) && !limit.is_some_and(|param| param.kind == Kind::Size && !param.auto) {
                let what = format!("the policy {:?} has no parameter {OUTER:?}", entry.name);
                return Err(Complaint { what, hint: "declare the largest backlog, as a size".into() });
            }
        }
        for (place, entry) in controls.iter().enumerate() {
            let taken = self.controls().chain(controls[..place].iter().copied()).any(|other| other.name == entry.name);
            check("congestion control", entry.name, taken, entry.params)?;
        }
        Ok(Registry {
            queues: self.queues.iter().chain(queues).copied().collect(),
            controls: self.controls.iter().chain(controls).copied().collect(),
        })
    }

    /// All queue disciplines, those of this crate first.
    pub fn queues(&self) -> impl Iterator<Item = &'static QueueEntry> + Clone + '_ {
        QUEUES.iter().chain(self.queues.iter()).copied()
    }

    /// All policies: each may be inside another discipline.
    pub fn policies(&self) -> impl Iterator<Item = &'static QueueEntry> + Clone + '_ {
        POLICIES.iter().chain(self.queues.iter().filter(|entry| is_policy(entry))).copied()
    }

    /// All congestion controls.
    pub fn controls(&self) -> impl Iterator<Item = &'static ControlEntry> + Clone + '_ {
        CONTROLS.iter().chain(self.controls.iter()).copied()
    }

    /// The queue called `name`.
    pub fn queue(&self, name: &str) -> Option<&'static QueueEntry> {
        self.queues().find(|entry| entry.name == name)
    }

    /// The congestion control called `name`.
    pub fn control(&self, name: &str) -> Option<&'static ControlEntry> {
        self.controls().find(|entry| entry.name == name)
    }

    /// The queue called `name`, or a complaint with the nearest name.
    pub fn queue_or_complain(&self, name: &str) -> Result<&'static QueueEntry, Complaint> {
        or_complain("queue", name, self.queue(name), self.queues().map(|entry| entry.name))
    }

    /// The presets of the queue `name` that are queues of their own, with these queues.
    pub fn aliases<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (&'static str, &'static QueueEntry)> + 'a {
        let of = move |entry: &'static QueueEntry| {
            entry.alias.filter(|alias| alias.of == name).map(|alias| (alias.preset, entry))
        };
        self.queues().filter_map(of)
    }

    /// The queue that `preset` of the queue `entry` is: another one, or this one.
    pub fn meant(&self, entry: &'static QueueEntry, preset: &str) -> &'static QueueEntry {
        self.aliases(entry.name).find(|(name, _)| *name == preset).map_or(entry, |(_, other)| other)
    }

    /// The names that a parameter may hold, if it holds a policy or a queue.
    pub fn choices(&self, param: &Param) -> Option<Vec<&'static str>> {
        match param.kind {
            Kind::Policy(_) => Some(self.policies().map(|entry| entry.name).collect()),
            Kind::Queue(_) => Some(self.queues().map(|entry| entry.name).collect()),
            _ => None,
        }
    }

    /// The values that a parameter allows, in words, with the policies and queues of this registry.
    pub fn allowed(&self, param: &Param) -> String {
        self.choices(param).map_or_else(|| param.allowed(), |names| param.allowed_among(&names))
    }

    /// The groups of parameters that queues share, each once, in the order in which the list of queues meets them.
    pub fn groups(&self) -> Vec<&'static Group> {
        let mut groups: Vec<&'static Group> = Vec::new();
        for group in self.queues().flat_map(|entry| entry.params).filter_map(|param| param.group) {
            if groups.iter().all(|known| known.name != group.name) {
                groups.push(group);
            }
        }
        groups
    }

    /// The group of each of these parameters: that by which it was included, or that which they are themselves.
    pub fn groups_of(&self, params: &[Param]) -> Vec<Option<&'static Group>> {
        let whole = self.groups().into_iter().find(|group| group.params == params);
        params.iter().map(|param| param.group.or(whole)).collect()
    }
}

fn is_policy(entry: &QueueEntry) -> bool {
    matches!(entry.build, Build::Policy { .. })
}

/// Refuses a name that is taken or that no file can have, and a parameter whose default is not among its values.
fn check(what: &str, name: &str, taken: bool, params: &[Param]) -> Result<(), Complaint> {
    if taken {
        let what = format!("there is a {what} of the name {name:?} already");
        return Err(Complaint { what, hint: "give it another name".into() });
    }
    if !is_name(name) {
        let what = format!("{name:?} cannot be the name of a {what}");
        return Err(Complaint { what, hint: "allowed: small letters, digits and _, beginning with a letter".into() });
    }
    for (place, param) in params.iter().enumerate() {
        let of = format!("the {what} {name:?}: the parameter {:?}", param.name);
        let reserved = ["kind", "preset"].contains(&param.name);
        if reserved || !is_name(param.name) || params[..place].iter().any(|other| other.name == param.name) {
            let hint = "allowed: small letters, digits and _, each name once, and neither \"kind\" nor \"preset\"";
            return Err(Complaint { what: format!("{of} cannot have this name"), hint: hint.into() });
        }
        if let Err(complaint) = param.read_text(param.default) {
            return Err(Complaint {
                what: format!("{of} has the default {:?}: {}", param.default, complaint.what),
                hint: complaint.hint,
            });
        }
    }
    Ok(())
}

fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aqm::fifo;
    use crate::scenario::{Document, resolved, schema_text};
    use crate::transport::congestion::reno;

    static MINE: QueueEntry = QueueEntry { name: "mine", ..fifo::ENTRY };
    static LAW: ControlEntry = ControlEntry { name: "my_law", ..reno::ENTRY };

    fn registry() -> Registry {
        Registry::with(&[&MINE], &[&LAW]).expect("names that are free")
    }

    fn scenario(queue: &str) -> String {
        format!(
            "duration = \"1s\"\ndumbbell = {{ rate = \"1Mbit\", delay = \"1ms\", queue = {queue} }}\n\
             [[flow]]\ntransport = {{ kind = \"tcp\", control = \"my_law\" }}\n"
        )
    }

    #[test]
    fn entries_besides_are_named_like_all_others_in_a_fifo_and_in_a_flow_queue() {
        for queue in
            ["\"mine\"", "{ kind = \"mine\", limit = \"70p\" }", "{ kind = \"flow_queue\", policy = \"mine\" }"]
        {
            let mut document = Document::from_toml(&scenario(queue), "test.toml").expect("TOML").knowing(&registry());
            document.set("dumbbell.mean_packet", "900B").expect("a path");
            let plan = document.plan().unwrap_or_else(|error| panic!("{error}"));

            let again = Document::from_json(&resolved(&plan).to_string()).expect("JSON").knowing(&registry()).plan();

            assert_eq!(format!("{plan:?}"), format!("{:?}", again.expect("the same scenario")));
        }
    }

    #[test]
    fn what_is_not_registered_is_not_known() {
        let error = Document::from_toml(&scenario("\"mine\""), "test.toml").expect("TOML").plan().expect_err("unknown");
        assert!(error.to_string().contains("there is no queue of this name"), "{error}");
        let misspelt = Document::from_toml(&scenario("\"mien\""), "test.toml").expect("TOML").knowing(&registry());
        let nearest = misspelt.plan().expect_err("unknown").to_string();
        assert!(nearest.contains("did you mean \"mine\"?"), "{nearest}");
    }

    #[test]
    fn the_schema_has_them() {
        assert!(schema_text(&registry()).contains("queue_mine"));
        assert!(schema_text(&registry()).contains("control_my_law"));
        assert!(!schema_text(&Registry::default()).contains("queue_mine"));
    }

    #[test]
    fn names_are_free_and_policies_have_a_limit() {
        let refused =
            |entry: QueueEntry| Registry::with(&[Box::leak(Box::new(entry))], &[]).expect_err("it is wrong").what;
        assert!(refused(fifo::ENTRY).contains("already"));
        assert!(refused(QueueEntry { name: "My queue", ..fifo::ENTRY }).contains("cannot be the name"));
        assert!(refused(QueueEntry { name: "mine", params: &[], ..fifo::ENTRY }).contains("no parameter \"limit\""));
        let twice = vec![fifo::ENTRY.params[0]; 2].leak();
        assert!(
            refused(QueueEntry { name: "mine", params: twice, ..fifo::ENTRY })
                .contains("\"limit\" cannot have this name")
        );
        let wrong = vec![Param { default: "a lot", ..fifo::ENTRY.params[0] }].leak();
        assert!(
            refused(QueueEntry { name: "mine", params: wrong, ..fifo::ENTRY }).contains("has the default \"a lot\"")
        );
    }
}
