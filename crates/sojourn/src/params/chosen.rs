//! A policy with its parameters as the value of a parameter: what stands in each queue of `flow_queue`, or chooses for `source_quench`.
//! Its `limit` is that of the discipline around it: nothing waits in the policy itself.

use super::nearest::nearest;
use super::types::{Args, Chosen, Component, Param, Value};
use crate::quantity::Complaint;

/// The parameter that only the discipline around has.
pub const OUTER: &str = "limit";

/// The parameter by which a queue counts with another mean packet than its link says.
pub const MEAN_PACKET: &str = "mean_packet";

impl Chosen {
    /// `component` with these parameters; what they say of the limit is forgotten.
    pub fn new(component: &'static dyn Component, mut args: Args) -> Self {
        if let Some(index) = component.params().iter().position(|param| param.name == OUTER) {
            args.set(index, component.params()[index].default_value());
        }
        Chosen { component, args }
    }

    /// Parameters and values that are the component's own: all but the limit.
    pub fn settings(&self) -> impl Iterator<Item = (&'static Param, &Value)> {
        self.component.params().iter().zip(self.args.values()).filter(|(param, _)| param.name != OUTER)
    }

    /// Reads `red` or `red:preset=ns2,min_th=5p,max_th=15p`.
    pub fn read_text(text: &str, policies: &[&'static dyn Component]) -> Result<Self, Complaint> {
        let (name, rest) = text.split_once(':').unwrap_or((text, ""));
        let component = policy_or_complain(name.trim(), policies)?;
        let settings = rest.split(',').map(|setting| setting.split_once('=').unwrap_or((setting, "")));
        let settings: Vec<_> = settings.map(|(param, value)| (param.trim(), value.trim())).collect();
        let preset = settings.iter().find(|(param, _)| *param == "preset").map(|(_, preset)| *preset);
        let mut args = component.args(preset)?;
        for (param, value) in settings.into_iter().filter(|(param, _)| !matches!(*param, "" | "preset")) {
            if param == OUTER {
                return Err(limited_twice());
            }
            args.set_text(param, value)?;
        }
        Ok(Chosen::new(component, args))
    }
}

/// The policy called `name`, or what is wrong with the name.
fn policy_or_complain(name: &str, policies: &[&'static dyn Component]) -> Result<&'static dyn Component, Complaint> {
    policies.iter().find(|policy| policy.name() == name).copied().ok_or_else(|| {
        let names: Vec<&str> = policies.iter().map(|policy| policy.name()).collect();
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
