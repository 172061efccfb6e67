//! A policy with its parameters, as the parameter of another discipline ([`Chosen`]). An entry of the registry is known to be behind it,
//! which can build it.

use super::entry::{Build, QueueEntry};
use super::{LinkContext, Policy};
use crate::component::BuildError;
use crate::params::{Args, Chosen, Component, OUTER, Value};
use crate::quantity::Complaint;
use crate::units::Size;

/// A registered policy and its parameters. Cheap to clone.
#[derive(Clone, Debug, PartialEq)]
pub struct InnerPolicy {
    entry: &'static QueueEntry,
    args: Args,
}

impl InnerPolicy {
    /// The policy `entry` with these parameters. Their limit is ignored.
    pub fn new(entry: &'static QueueEntry, args: Args) -> Self {
        InnerPolicy { entry, args: Chosen::new(entry, args).args }
    }

    /// The policy that a parameter holds. `None` if no queue is behind it.
    pub fn of(chosen: &Chosen) -> Option<Self> {
        let entry: &'static QueueEntry = chosen.component.as_any().downcast_ref()?;
        Some(InnerPolicy { entry, args: chosen.args.clone() })
    }

    /// The value for a parameter.
    pub fn chosen(&self) -> Chosen {
        Chosen { component: self.entry, args: self.args.clone(), is_queue: false }
    }

    /// The policy's entry in the registry.
    pub fn entry(&self) -> &'static QueueEntry {
        self.entry
    }

    /// The parameters.
    pub fn args(&self) -> &Args {
        &self.args
    }

    /// Sets one of the policy's parameters, if it has it.
    pub fn set_if_known(&mut self, name: &str, value: Value) {
        if let Some(index) = self.entry.params.iter().position(|param| param.name == name) {
            self.args.set(index, value);
        }
    }

    /// The same over a buffer of `limit`, which the law of some policies (PI) uses. Without it, the law has its default: the shared buffer
    /// of `flow_queue` belongs to no single queue.
    #[must_use]
    pub fn over(mut self, limit: Size) -> Self {
        self.set_if_known(OUTER, Value::Size(limit));
        self
    }

    /// The policy on this link. An error says that it is inside the parameter `param`.
    pub fn build(&self, param: &'static str, link: &LinkContext) -> Result<Box<dyn Policy>, BuildError> {
        let Build::Policy { policy, .. } = self.entry.build else {
            return Err(BuildError::new(param, format!("{} has queues of its own", self.entry.name), "name a policy"));
        };
        policy(&self.args, &link.seen_with(&self.args)).map_err(|error| error.inside(param))
    }

    /// Reads `red` or `red:preset=ns2,min_th=5p,max_th=15p`.
    pub fn read_text(text: &str, policies: &[&'static QueueEntry]) -> Result<Self, Complaint> {
        let known: Vec<&'static dyn Component> = policies.iter().map(|&entry| entry as &dyn Component).collect();
        let Chosen { component, args, .. } = Chosen::read_text(text, &known)?;
        let found = policies.iter().find(|entry| entry.name == component.name());
        Ok(InnerPolicy { entry: found.expect("it was chosen among these"), args })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::limited_twice;
    use crate::registry::POLICIES;

    #[test]
    fn a_text_reads_back_to_the_same_policy() {
        for text in ["codel", "red:min_th=5p,max_th=15p", "codel:target=7ms,ecn=true"] {
            let policy = InnerPolicy::read_text(text, POLICIES).expect(text);
            assert_eq!(policy.chosen().to_string(), text);
            assert_eq!(InnerPolicy::read_text(&policy.chosen().to_string(), POLICIES), Ok(policy));
        }
    }

    #[test]
    fn every_policy_builds_from_its_presets_inside_another() {
        for entry in POLICIES {
            for preset in std::iter::once(None).chain(entry.presets.iter().map(|preset| Some(preset.name))) {
                let inner = InnerPolicy::new(entry, entry.args(preset).expect("a preset of the entry"));
                let built = inner.over(Size::Packets(1000.0)).build("policy", &LinkContext::default());
                assert!(built.is_ok(), "{} {preset:?}: {:?}", entry.name, built.err());
            }
        }
    }

    #[test]
    fn what_contradicts_is_said_inside_its_parameter() {
        let inner = InnerPolicy::read_text("red:min_th=50p,max_th=5p", POLICIES).expect("each in range");
        let error = inner.build("policy", &LinkContext::default()).err().expect("thresholds crossed");
        assert_eq!((error.param, error.path().as_str()), ("policy", "policy.max_th"));
    }

    #[test]
    fn the_limit_is_that_of_the_discipline_around() {
        assert_eq!(InnerPolicy::read_text("red:limit=7p", POLICIES), Err(limited_twice()));
        let fair = InnerPolicy::read_text("red:preset=ns2", POLICIES).expect("a preset that sets a limit");
        assert!(fair.chosen().settings().all(|(param, _)| param.name != "limit"));
        assert!(fair.over(Size::Packets(7.0)).args().get("limit") == Some(Value::Size(Size::Packets(7.0))));
    }
}
