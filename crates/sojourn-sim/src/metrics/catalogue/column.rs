//! The description of a column of a table of results, and the columns that many tables have.

/// A column of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metric {
    /// Its name, unit last.
    pub name: &'static str,
    /// The kind of its values.
    pub values: Values,
    /// Unit; empty for names, ratios and numbers of order.
    pub unit: &'static str,
    /// How it is computed, in the names of this table where possible; empty for columns that identify a row.
    pub formula: &'static str,
    /// Its meaning, in one line.
    pub doc: &'static str,
}

/// The kind of the values of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values {
    /// Names.
    Text,
    /// Whole numbers.
    Count,
    /// Real numbers.
    Real,
}

pub(super) const fn text(name: &'static str, doc: &'static str) -> Metric {
    Metric { name, values: Values::Text, unit: "", formula: "", doc }
}

pub(super) const fn count(name: &'static str, unit: &'static str, formula: &'static str, doc: &'static str) -> Metric {
    Metric { name, values: Values::Count, unit, formula, doc }
}

pub(super) const fn real(name: &'static str, unit: &'static str, formula: &'static str, doc: &'static str) -> Metric {
    Metric { name, values: Values::Real, unit, formula, doc }
}

pub(super) const LINK: Metric = text("link", "Name of the link behind the queue.");
pub(super) const GROUP: Metric = text("group", "Name of the group of flows.");
pub(super) const FLOW: Metric = count("flow", "", "", "Number of the flow, from 0 in the order of the scenario.");
pub(super) const TIME: Metric = real("time_s", "s", "", "Simulated time since the start of the run.");
