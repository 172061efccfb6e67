//! Parameters that several components have in common: declared once, included by name, and combined while the crate compiles.

use super::args::Params;
use super::types::{Group, Kind, Param, Value, When};

/// The differences of a parameter in a component that includes its group.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    /// The parameter that differs.
    pub name: &'static str,
    /// Its default here.
    pub default: &'static str,
    /// Where that comes from.
    pub source: &'static str,
    /// Its effect in this component; empty if it is the same.
    pub doc: &'static str,
    /// The condition of its effect here, `always` for none; empty if it is the same.
    pub when: &'static [When],
}

/// A group and the differences in it.
#[derive(Clone, Copy, Debug)]
pub struct Included {
    /// The group.
    pub group: &'static Group,
    /// The difference.
    pub changes: &'static [Change],
}

impl Param {
    /// No parameter: the elements of a list of parameters before it is filled.
    pub(super) const NONE: Param = Param {
        name: "",
        kind: Kind::Bool,
        auto: false,
        default: "",
        min: f64::NEG_INFINITY,
        max: f64::INFINITY,
        source: "",
        doc: "",
        meanings: &[],
        group: None,
        when: None,
    };

    /// A parameter as it is declared; `range` is empty or the least and the greatest value.
    ///
    /// # Panics
    /// While compiling, if a number has no range or something else has one.
    pub const fn declared(
        name: &'static str,
        kind: Kind,
        auto: bool,
        default: &'static str,
        range: &[f64],
        source: &'static str,
        doc: &'static str,
    ) -> Param {
        let (min, max) = match (kind, range) {
            (kind, []) if !is_number(kind) => (f64::NEG_INFINITY, f64::INFINITY),
            (kind, _) if !is_number(kind) => panic!("only numbers have a range"),
            (_, [min, max]) => (*min, *max),
            _ => panic!("numbers have a range"),
        };
        Param { name, kind, auto, default, min, max, source, doc, meanings: &[], group: None, when: None }
    }

    /// The same, with an effect only under this condition.
    #[must_use]
    pub const fn only_when(self, when: When) -> Param {
        Param { when: Some(when), ..self }
    }

    /// The same parameter with the meanings of its names.
    #[must_use]
    pub const fn meaning(self, meanings: &'static [&'static str]) -> Param {
        Param { meanings, ..self }
    }
}

/// Whether values of this kind have a range.
const fn is_number(kind: Kind) -> bool {
    match kind {
        Kind::Bool
        | Kind::Choice(_)
        | Kind::Policy(_)
        | Kind::Queue(_)
        | Kind::Dscp
        | Kind::Flows
        | Kind::Tables(_) => false,
        Kind::Several(kind) => is_number(*kind),
        _ => true,
    }
}

/// How many parameters there are in these groups and `own`.
pub const fn count(groups: &[Included], own: &[Param]) -> usize {
    let (mut count, mut at) = (own.len(), 0);
    while at < groups.len() {
        count += groups[at].group.params.len();
        at += 1;
    }
    count
}

/// The parameters of `groups`, changed, and then `own`; N is their [`count`].
///
/// # Panics
/// While compiling, if a change names no parameter of its group.
pub const fn joined<const N: usize>(groups: &[Included], own: &[Param]) -> [Param; N] {
    let mut all = [Param::NONE; N];
    let (mut filled, mut at) = (0, 0);
    while at < groups.len() {
        let Included { group, changes } = groups[at];
        let start = filled;
        let mut of_group = 0;
        while of_group < group.params.len() {
            all[filled] = group.params[of_group];
            if all[filled].group.is_none() {
                all[filled].group = Some(group);
            }
            of_group += 1;
            filled += 1;
        }
        let mut change = 0;
        while change < changes.len() {
            let index = index_of(&all, start, filled, changes[change].name);
            let Change { default, source, doc, when, .. } = changes[change];
            (all[index].default, all[index].source) = (default, source);
            if !doc.is_empty() {
                all[index].doc = doc;
            }
            if let [when] = when {
                all[index].when = if same(when.name, "always") { None } else { Some(*when) };
            }
            change += 1;
        }
        at += 1;
    }
    let mut of_own = 0;
    while of_own < own.len() {
        all[filled] = own[of_own];
        of_own += 1;
        filled += 1;
    }
    all
}

const fn index_of(all: &[Param], from: usize, to: usize, name: &str) -> usize {
    let mut at = from;
    while at < to {
        if same(all[at].name, name) {
            return at;
        }
        at += 1;
    }
    panic!("a group is changed where it has no parameter of that name")
}

/// `left == right`, while compiling.
pub(crate) const fn same(left: &str, right: &str) -> bool {
    let (left, right) = (left.as_bytes(), right.as_bytes());
    let mut at = 0;
    while at < left.len() && at < right.len() && left[at] == right[at] {
        at += 1;
    }
    at == left.len() && at == right.len()
}

/// A group from the first of these values, and the values behind it.
pub fn group_from<P: Params>(values: &[Value]) -> (P, &[Value]) {
    let (group, rest) = values.split_at(P::SPECS.len());
    (P::from_values(group), rest)
}
