//! The description of a parameter and its values. These types are in one file because each is made of the others: a parameter may hold
//! tables or a policy, which have parameters. The files beside say how values are read and written.

use std::any::Any;
use std::sync::Arc;

use super::alias::Alias;
use crate::header::Dscp;
use crate::quantity::Complaint;
use crate::units::{Duration, Rate, Size};

/// The values that a parameter accepts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// `true` or `false`.
    Bool,
    /// A whole number without unit.
    Integer,
    /// A real number without unit.
    Number,
    /// A real number, or `"5%"`.
    Fraction,
    /// `"10Mbit"`.
    Rate,
    /// `"20ms"`.
    Time,
    /// `"50p"`, `"64KiB"`, `"2BDP"`, `"20ms"`.
    Size,
    /// `"1000B"`.
    Bytes,
    /// One of these names.
    Choice(&'static [&'static str]),
    /// `"EF"` or `46`: a codepoint of differentiated services.
    Dscp,
    /// `"voice"`, `3` or `"4-9"`: a flow group, or flows by number.
    Flows,
    /// `"EF"` or `["EF", "CS5"]`: one value of this kind, or several.
    Several(&'static Kind),
    /// `[{ weight = 2 }, {}]`: tables with these parameters.
    Tables(&'static [Param]),
    /// `[0.0, 0.5, 2]`: numbers, their unit in the parameter's name.
    Numbers,
    /// `"red"` or `{ kind = "red", min_th = "5p" }`: one of these policies with its parameters.
    Policy(&'static [&'static dyn Component]),
    /// `"fq_codel"` or `{ kind = "fq_codel", limit = "500p" }`: one of these queues with its parameters.
    Queue(Known),
}

/// Lists the entries that a parameter may name. It is a function because an entry may have such a parameter itself.
#[derive(Clone, Copy, Debug)]
pub struct Known(pub fn() -> &'static [&'static dyn Component]);

impl PartialEq for Known {
    /// There is one list of queues.
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

impl Kind {
    /// Unit in which `min` and `max` of a [`Param`] are given.
    pub const fn unit(self) -> &'static str {
        match self {
            Kind::Rate => "bit/s",
            Kind::Time => "s",
            Kind::Bytes => "bytes",
            Kind::Bool
            | Kind::Integer
            | Kind::Number
            | Kind::Fraction
            | Kind::Size
            | Kind::Choice(_)
            | Kind::Policy(_)
            | Kind::Queue(_)
            | Kind::Dscp
            | Kind::Flows
            | Kind::Tables(_)
            | Kind::Numbers => "",
            Kind::Several(kind) => kind.unit(),
        }
    }

    /// An example of a value, for messages: `a rate such as "10Mbit"`.
    pub const fn wanted(self) -> &'static str {
        match self {
            Kind::Bool => "true or false",
            Kind::Integer => "a whole number",
            Kind::Number => "a number",
            Kind::Fraction => "a fraction such as 0.05 or \"5%\"",
            Kind::Rate => "a rate such as \"10Mbit\"",
            Kind::Time => "a time such as \"20ms\"",
            Kind::Size => "an amount of queue such as \"50p\", \"64KiB\", \"2BDP\" or \"20ms\"",
            Kind::Bytes => "a number of bytes such as \"1000B\"",
            Kind::Choice(_) => "a name",
            Kind::Dscp => "a codepoint such as \"EF\", \"AF11\", \"CS1\" or 46",
            Kind::Flows => "the name of a flow group, or numbers of flows such as 3 or \"4-9\"",
            Kind::Several(_) => "a value or a list of values",
            Kind::Tables(_) => "a list of tables",
            Kind::Numbers => "a list of numbers such as [0, 0.5, 2]",
            Kind::Policy(_) => "a policy",
            Kind::Queue(_) => "a queue",
        }
    }
}

/// One parameter, as declared with [`params!`](crate::params!).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Param {
    /// Its name in scenario files, Python and tables.
    pub name: &'static str,
    /// The values that it accepts.
    pub kind: Kind,
    /// Whether `"auto"` is accepted too.
    pub auto: bool,
    /// The default, as a user would write it (`"auto"` where the code chooses).
    pub default: &'static str,
    /// Least value, in [`Kind::unit`] (packets, bytes, BDP for sizes); minus infinity where there is none.
    pub min: f64,
    /// Greatest value; infinity where there is none.
    pub max: f64,
    /// Where the default comes from.
    pub source: &'static str,
    /// Its effect, in one or two sentences.
    pub doc: &'static str,
    /// The meaning of each name of a [`Kind::Choice`], in the order of the names; empty for all other kinds.
    pub meanings: &'static [&'static str],
    /// The group by which it was included; `None` if it is declared in place.
    pub group: Option<&'static Group>,
    /// The condition under which it has an effect; none if it always has one.
    pub when: Option<When>,
}

/// A parameter of the same component and its values with which another one has an effect, or those with which it has none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct When {
    /// Its name. Where a component lacks it, the condition is met.
    pub name: &'static str,
    /// The values with an effect, as a user would write them; empty if it is all but `without`.
    pub values: &'static [&'static str],
    /// The values without an effect; empty if `values` are given.
    pub without: &'static [&'static str],
}

impl When {
    /// Whether the parameter that it names, `param`, has one of its values.
    pub(super) fn is_met(&self, param: &Param, value: &Value) -> bool {
        let among = |texts: &[&str]| texts.iter().any(|text| param.read_text(text).as_ref() == Ok(value));
        if self.without.is_empty() { among(self.values) } else { !among(self.without) }
    }
}

/// A value that a parameter may hold.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// The code chooses.
    Auto,
    /// Truth.
    Bool(bool),
    /// Whole number.
    Integer(i64),
    /// Real number or fraction.
    Number(f64),
    /// Rate.
    Rate(Rate),
    /// Span of time.
    Time(Duration),
    /// Amount of queue.
    Size(Size),
    /// Bytes.
    Bytes(u64),
    /// One of the names of a [`Kind::Choice`].
    Choice(&'static str),
    /// A codepoint.
    Dscp(Dscp),
    /// A flow group or flows, as a user wrote it.
    Flows(Arc<str>),
    /// Values of one kind.
    Several(Arc<[Value]>),
    /// Tables.
    Tables(Arc<[Args]>),
    /// Numbers; shared, for they may be many.
    Numbers(Arc<[f64]>),
    /// A policy, or a queue, with its parameters.
    Policy(Chosen),
}

/// Values for a list of parameters, in the parameters' order: defaults, then a preset, then the user's values.
#[derive(Clone, Debug, PartialEq)]
pub struct Args {
    pub(super) specs: &'static [Param],
    /// Shared: a network has thousands of links with the same parameters.
    pub(super) values: Arc<[Value]>,
}

/// An entry of a registry that a parameter may name, and that has parameters of its own.
pub trait Component: Send + Sync {
    /// Its name in scenario files.
    fn name(&self) -> &'static str;

    /// Its parameters.
    fn params(&self) -> &'static [Param];

    /// Default values with a preset laid over them; `None` is no preset.
    fn args(&self, preset: Option<&str>) -> Result<Args, Complaint>;

    /// The preset of another component that it takes the place of.
    fn alias(&self) -> Option<Alias> {
        None
    }

    /// The entry itself, for callers that know its kind.
    fn as_any(&self) -> &dyn Any;
}

impl PartialEq for dyn Component {
    /// Names are unique among the entries that a parameter may name.
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl std::fmt::Debug for dyn Component {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// A component with its parameters, as the value of a parameter. Cheap to clone.
#[derive(Clone, Debug, PartialEq)]
pub struct Chosen {
    /// The policy or queue.
    pub component: &'static dyn Component,
    /// Its parameters.
    pub args: Args,
    /// Whether its limit is its own: it is a queue; that of a policy is the limit of the queue around it.
    pub is_queue: bool,
}

/// Parameters that are included by name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Group {
    /// The name by which they are included, the same everywhere.
    pub name: &'static str,
    /// The component that they belong to.
    pub doc: &'static str,
    /// The parameters as they are declared, those of groups in the group first.
    pub params: &'static [Param],
}

impl Group {
    /// The parameters that it declares itself, without those of groups in it.
    pub fn own(&self) -> Vec<Param> {
        self.params.iter().filter(|param| param.group.is_none()).copied().collect()
    }
}
