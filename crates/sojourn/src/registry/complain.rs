//! The message about a name that no list has.

use crate::params::nearest;
use crate::quantity::Complaint;

/// The entry `found` under `name`, or a complaint with the nearest of the `known` names.
pub(super) fn or_complain<T>(
    kind: &str,
    name: &str,
    found: Option<T>,
    known: impl Iterator<Item = &'static str> + Clone,
) -> Result<T, Complaint> {
    found.ok_or_else(|| {
        let hint = match nearest(name, known.clone()) {
            Some(near) => format!("did you mean {near:?}?"),
            None => format!("known: {}", known.collect::<Vec<_>>().join(", ")),
        };
        Complaint { what: format!("there is no {kind} {name:?}"), hint }
    })
}
