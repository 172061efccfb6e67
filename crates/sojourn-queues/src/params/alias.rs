//! A component that takes the place of a preset of another: Linux's queue for the preset `linux` of a published law.

use crate::quantity::Complaint;

/// The preset that a component takes the place of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alias {
    /// The component that has the preset.
    pub of: &'static str,
    /// The preset's name.
    pub preset: &'static str,
    /// Parameters of that component which have another name or another unit here, each with the way to write it.
    pub words: &'static [(&'static str, &'static str)],
}

impl Alias {
    /// Whether `preset` of the component `name` is meant.
    pub fn is(&self, name: &str, preset: &str) -> bool {
        self.of == name && self.preset == preset
    }

    /// A complaint about a parameter beside the preset that is none, or not the same, of the component `name`, which has `params`.
    pub fn complain_of(&self, param: &str, name: &str, params: &[&str]) -> Option<Complaint> {
        let new = self.words.iter().find(|(old, _)| *old == param).map(|(_, new)| new);
        if new.is_none() && params.contains(&param) {
            return None;
        }
        let instead =
            new.map_or_else(|| format!("which has no {param:?}"), |new| format!("which has {new} in its place"));
        Some(Complaint {
            what: format!("the preset {:?} of {} is the queue {name:?}, {instead}", self.preset, self.of),
            hint: format!("allowed: kind = {name:?} with {}", params.join(", ")),
        })
    }
}
