//! The message about a name that no list has.

use crate::params::nearest;
use crate::quantity::Complaint;

/// The most names in a message; `sojourn list` has the others.
const SHOWN: usize = 12;

/// The entry `found` under `name`, or a complaint with the nearest of the `known` names, or with the first of them.
pub fn or_complain<T>(
    kind: &str,
    name: &str,
    found: Option<T>,
    known: impl Iterator<Item = &'static str> + Clone,
) -> Result<T, Complaint> {
    found.ok_or_else(|| {
        let near = nearest(name, known.clone());
        let hint = near.map_or_else(|| first_of(known), |near| format!("did you mean {near:?}?"));
        Complaint { what: format!("there is no {kind} {name:?}"), hint }
    })
}

/// The first of the names, and how many more there are.
fn first_of(known: impl Iterator<Item = &'static str> + Clone) -> String {
    let first: Vec<_> = known.clone().take(SHOWN).collect();
    let more = match known.count().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("known: {}{more}; sojourn list shows all", first.join(", "))
}
