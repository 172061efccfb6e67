//! A policy with its parameters as the parameter of another discipline: what stands in each queue of `flow_queue`, or
//! chooses for `source_quench`. Its `limit` is that of the discipline around it: nothing waits in the policy itself.

use std::fmt;

use super::LinkContext;
use super::Policy;
use crate::component::BuildError;
use crate::params::{Args, Param, Value, nearest};
use crate::quantity::Complaint;
use crate::queue::entry::{Build, QueueEntry};
use crate::units::Size;

/// The parameter that only the discipline around has.
pub const OUTER: &str = "limit";

/// A registered policy and its parameters. Cheap to clone.
#[derive(Clone)]
pub struct InnerPolicy {
    entry: &'static QueueEntry,
    args: Args,
}

impl InnerPolicy {
    /// The policy `entry` with these parameters; what they say of the limit is forgotten.
    pub fn new(entry: &'static QueueEntry, mut args: Args) -> Self {
        if let Some(index) = entry.params.iter().position(|param| param.name == OUTER) {
            args.set(index, entry.params[index].default_value());
        }
        InnerPolicy { entry, args }
    }

    /// The policy's entry in the registry.
    pub fn entry(&self) -> &'static QueueEntry {
        self.entry
    }

    /// The parameters.
    pub fn args(&self) -> &Args {
        &self.args
    }

    /// Parameters and values that are the policy's own: all but the limit.
    pub fn settings(&self) -> impl Iterator<Item = (&'static Param, &Value)> {
        self.entry.params.iter().zip(self.args.values()).filter(|(param, _)| param.name != OUTER)
    }

    /// Sets one of the policy's parameters, if it has it.
    pub fn set_if_known(&mut self, name: &str, value: Value) {
        if let Some(index) = self.entry.params.iter().position(|param| param.name == name) {
            self.args.set(index, value);
        }
    }

    /// The same over a buffer of `limit`, which the law of some policies (PI) knows. Without, it is that law's default:
    /// what all queues of `flow_queue` share is the buffer of none.
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
        policy(&self.args, link).map_err(|error| error.inside(param))
    }

    /// Reads `red` or `red:preset=ns2,min_th=5p,max_th=15p`.
    pub fn read_text(text: &str, policies: &[&'static QueueEntry]) -> Result<Self, Complaint> {
        let (name, rest) = text.split_once(':').unwrap_or((text, ""));
        let entry = policy_or_complain(name.trim(), policies)?;
        let settings = rest.split(',').map(|setting| setting.split_once('=').unwrap_or((setting, "")));
        let settings: Vec<_> = settings.map(|(param, value)| (param.trim(), value.trim())).collect();
        let preset = settings.iter().find(|(param, _)| *param == "preset").map(|(_, preset)| *preset);
        let mut args = entry.args(preset)?;
        for (param, value) in settings.into_iter().filter(|(param, _)| !matches!(*param, "" | "preset")) {
            if param == OUTER {
                return Err(limited_twice());
            }
            args.set_text(param, value)?;
        }
        Ok(InnerPolicy::new(entry, args))
    }
}

/// The policy called `name`, or what is wrong with the name.
fn policy_or_complain(name: &str, policies: &[&'static QueueEntry]) -> Result<&'static QueueEntry, Complaint> {
    policies.iter().find(|entry| entry.name == name).copied().ok_or_else(|| {
        let names: Vec<&str> = policies.iter().map(|entry| entry.name).collect();
        let near = nearest(name, names.iter().copied());
        let hint = near.map_or(String::new(), |near| format!("; did you mean {near:?}?"));
        Complaint {
            what: format!("{name:?} is not among the policies{hint}"),
            hint: format!("allowed: one of {}", names.join(", ")),
        }
    })
}

/// The policy was given a limit.
pub fn limited_twice() -> Complaint {
    Complaint {
        what: "the limit is that of the queue around the policy".into(),
        hint: format!("write {OUTER:?} beside \"policy\""),
    }
}

impl fmt::Display for InnerPolicy {
    /// The name, and what differs from the defaults.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.entry.name)?;
        let set = self.settings().filter(|(param, value)| param.default_value() != **value);
        for (i, (param, value)) in set.enumerate() {
            write!(f, "{}{}={value}", if i == 0 { ':' } else { ',' }, param.name)?;
        }
        Ok(())
    }
}

impl fmt::Debug for InnerPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple(self.entry.name).field(&self.args.values()).finish()
    }
}

impl PartialEq for InnerPolicy {
    fn eq(&self, other: &Self) -> bool {
        self.entry.name == other.entry.name && self.args.values() == other.args.values()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::POLICIES;

    #[test]
    fn a_text_reads_back_to_the_same_policy() {
        for text in ["codel", "red:min_th=5p,max_th=15p", "codel:target=7ms,ecn=true"] {
            let policy = InnerPolicy::read_text(text, POLICIES).expect(text);
            assert_eq!(policy.to_string(), text);
            assert_eq!(InnerPolicy::read_text(&policy.to_string(), POLICIES), Ok(policy));
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
        assert!(fair.settings().all(|(param, _)| param.name != "limit"));
        assert!(fair.over(Size::Packets(7.0)).args().get("limit") == Some(Value::Size(Size::Packets(7.0))));
    }
}
