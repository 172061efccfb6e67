//! What every entry of the registry has: named groups of settings, and the way in which values contradict each other.

use crate::params::{Args, Param};
use crate::quantity::Complaint;

/// A named group of settings, such as `paper` or `ns2`.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// Its name.
    pub name: &'static str,
    /// What it stands for.
    pub doc: &'static str,
    /// Parameter and value, as a user would write them.
    pub settings: &'static [(&'static str, &'static str)],
}

/// Why a queue cannot be built from values that are each in range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildError {
    /// The parameter to look at.
    pub param: &'static str,
    /// The parameter of the policy that `param` holds, if it is one of those.
    pub inner: Option<&'static str>,
    /// What is wrong and what is allowed.
    pub complaint: Complaint,
}

impl BuildError {
    /// `param` is wrong: `what`; `hint` says what is allowed.
    pub fn new(param: &'static str, what: impl Into<String>, hint: impl Into<String>) -> Self {
        BuildError { param, inner: None, complaint: Complaint { what: what.into(), hint: hint.into() } }
    }

    /// The same of the policy that the parameter `param` holds.
    #[must_use]
    pub fn inside(self, param: &'static str) -> Self {
        BuildError { param, inner: Some(self.param), complaint: self.complaint }
    }
}

/// The defaults of `params` with the group of settings called `chosen` laid over them; `None` lays nothing. `owner` has the
/// groups, and `key` is what names one in a scenario file: `preset` or `profile`.
pub fn args_with(
    owner: &str,
    key: &str,
    params: &'static [Param],
    groups: &[Preset],
    chosen: Option<&str>,
) -> Result<Args, Complaint> {
    let mut args = Args::defaults(params);
    let Some(name) = chosen else { return Ok(args) };
    let group = groups.iter().find(|group| group.name == name).ok_or_else(|| {
        let known: Vec<&str> = groups.iter().map(|group| group.name).collect();
        let hint = if known.is_empty() { "it has none".into() } else { format!("{key}s: {}", known.join(", ")) };
        Complaint { what: format!("{owner} has no {key} {name:?}"), hint }
    })?;
    for (param, value) in group.settings {
        args.set_text(param, value)?;
    }
    Ok(args)
}
