//! A policy or a queue with its parameters as the value of a parameter: the policy of each queue of `flow_queue`, or in a class of `htb`.
//! The `limit` of a policy is that of the discipline around it: nothing waits in the policy itself.

use super::nearest::nearest;
use super::types::{Args, Chosen, Component, Param, Value};
use crate::quantity::Complaint;

/// The parameter that only the discipline around has.
pub const OUTER: &str = "limit";

/// The parameter by which a queue counts with another mean packet than its link says.
pub const MEAN_PACKET: &str = "mean_packet";

impl Chosen {
    /// `component` with these parameters; their limit is ignored.
    pub fn new(component: &'static dyn Component, mut args: Args) -> Self {
        if let Some(index) = component.params().iter().position(|param| param.name == OUTER) {
            args.set(index, component.params()[index].default_value());
        }
        Chosen { component, args, is_queue: false }
    }

    /// `component` with these parameters, its limit among them.
    pub fn queue(component: &'static dyn Component, args: Args) -> Self {
        Chosen { component, args, is_queue: true }
    }

    /// Parameters and values that are the component's own: of a policy all but the limit.
    pub fn settings(&self) -> impl Iterator<Item = (&'static Param, &Value)> {
        let all = self.component.params().iter().zip(self.args.values());
        all.filter(|(param, _)| self.is_queue || param.name != OUTER)
    }

    /// Reads `red` or `red:preset=ns2,min_th=5p,max_th=15p`.
    pub fn read_text(text: &str, policies: &[&'static dyn Component]) -> Result<Self, Complaint> {
        let (name, rest) = text.split_once(':').unwrap_or((text, ""));
        let component = or_complain("policies", name.trim(), policies)?;
        if rest.split(',').any(|setting| setting.split('=').next().is_some_and(|param| param.trim() == OUTER)) {
            return Err(limited_twice());
        }
        let (component, args) = settings_of(component, rest, policies)?;
        Ok(Chosen::new(component, args))
    }

    /// Reads `fq_codel` or `fq_codel:preset=linux,limit=500p`: one of `queues`, or of `others`, which come first.
    pub fn read_queue(
        text: &str,
        queues: &[&'static dyn Component],
        others: &[&'static dyn Component],
    ) -> Result<Self, Complaint> {
        let (name, rest) = text.split_once(':').unwrap_or((text, ""));
        let known: Vec<&'static dyn Component> = others.iter().chain(queues).copied().collect();
        let component = or_complain("queues", name.trim(), &known)?;
        let (component, args) = settings_of(component, rest, &known)?;
        Ok(Chosen::queue(component, args))
    }
}

/// The parameters of `component` that a text such as `preset=ns2,min_th=5p` sets. A preset may be another one of those that are known.
fn settings_of(
    component: &'static dyn Component,
    text: &str,
    known: &[&'static dyn Component],
) -> Result<(&'static dyn Component, Args), Complaint> {
    let settings = text.split(',').map(|setting| setting.split_once('=').unwrap_or((setting, "")));
    let settings: Vec<_> = settings.map(|(param, value)| (param.trim(), value.trim())).collect();
    let preset = settings.iter().find(|(param, _)| *param == "preset").map(|(_, preset)| *preset);
    let is_it = |other: &&&'static dyn Component| {
        other.alias().zip(preset).is_some_and(|(alias, preset)| alias.is(component.name(), preset))
    };
    if let Some(other) = known.iter().find(is_it) {
        let (alias, names) = (other.alias(), other.params().iter().map(|param| param.name).collect::<Vec<_>>());
        let mut written = settings.iter().filter(|(param, _)| !matches!(*param, "" | "preset"));
        let wrong = written.find_map(|(param, _)| alias?.complain_of(param, other.name(), &names));
        return wrong.map_or_else(|| Ok((*other, set(*other, None, &settings)?)), Err);
    }
    Ok((component, set(component, preset, &settings)?))
}

/// The parameters of `component` with these settings over the preset.
fn set(component: &'static dyn Component, preset: Option<&str>, settings: &[(&str, &str)]) -> Result<Args, Complaint> {
    let mut args = component.args(preset)?;
    let usual = args.clone();
    let written = settings.iter().filter(|(param, _)| !matches!(*param, "" | "preset"));
    for (param, value) in written.clone() {
        args.set_text(param, value)?;
    }
    for (param, _) in written {
        let index = args.specs().iter().position(|spec| spec.name == *param).expect("it has just been set");
        let is_set = args.values()[index] != usual.values()[index];
        if let Some(Complaint { what, hint }) = args.complain_of_idle(index, OUTER).filter(|_| is_set) {
            return Err(Complaint { what: format!("{param}: {what}"), hint });
        }
    }
    Ok(args)
}

/// The one called `name` among `policies`, or a complaint about the name; `what` is the word for them.
fn or_complain(
    what: &str,
    name: &str,
    policies: &[&'static dyn Component],
) -> Result<&'static dyn Component, Complaint> {
    policies.iter().find(|policy| policy.name() == name).copied().ok_or_else(|| {
        let names: Vec<&str> = policies.iter().map(|policy| policy.name()).collect();
        let near = nearest(name, names.iter().copied());
        let hint = near.map_or(String::new(), |near| format!("; did you mean {near:?}?"));
        Complaint {
            what: format!("{name:?} is not among the {what}{hint}"),
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
