//! Parameters that describe themselves.
//!
//! [`params!`](crate::params!) declares a struct of parameters once: name, type, default, range, source
//! of the default and a line of documentation. From that declaration come the struct with its `Default`, the checks
//! of the scenario reader, the JSON Schema, the generated reference, the Python constructors and the
//! round-trip test. Nothing about a parameter is written anywhere else.
//!
//! What several components have in common is a struct of its own, a [`Group`], which each includes by name.

use std::sync::Arc;

use crate::header::Dscp;
use crate::quantity::{self, Complaint};
use crate::queue::entry::QueueEntry;
use crate::queue::inner::InnerPolicy;
use crate::units::{Bytes, Duration, Rate, Size};

mod group;
mod lists;

pub(crate) use group::same;
pub use group::{Change, Group, Included, count, group_from, joined};
pub use lists::{Flows, Several, Tables, one_of};

/// What a parameter accepts.
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
    Policy(&'static [&'static QueueEntry]),
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
            | Kind::Dscp
            | Kind::Flows
            | Kind::Tables(_)
            | Kind::Numbers => "",
            Kind::Several(kind) => kind.unit(),
        }
    }

    /// What to write, for messages: `a rate such as "10Mbit"`.
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
        }
    }
}

/// One parameter, as declared with [`params!`](crate::params!).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Param {
    /// Its name in scenario files, Python and tables.
    pub name: &'static str,
    /// What it accepts.
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
    /// What it does, in one or two sentences.
    pub doc: &'static str,
    /// The group by which it was included; `None` if it is declared in place.
    pub group: Option<&'static Group>,
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
    /// A policy with its parameters.
    Policy(InnerPolicy),
}

impl std::fmt::Display for Value {
    /// As a user would write it, without quotation marks; reads back to the same value.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Auto => write!(f, "auto"),
            Value::Bool(value) => write!(f, "{value}"),
            Value::Integer(value) => write!(f, "{value}"),
            Value::Number(value) => write!(f, "{value}"),
            Value::Rate(value) => write!(f, "{value}"),
            Value::Time(value) => write!(f, "{value}"),
            Value::Size(value) => write!(f, "{value}"),
            Value::Bytes(value) => write!(f, "{value}B"),
            Value::Choice(value) => write!(f, "{value}"),
            Value::Dscp(value) => write!(f, "{value}"),
            Value::Flows(value) => write!(f, "{value}"),
            Value::Several(values) => write!(f, "{}", lists::write_several(values)),
            Value::Tables(tables) => write!(f, "{}", lists::write_tables(tables)),
            Value::Policy(value) => write!(f, "{value}"),
            Value::Numbers(values) => {
                let texts: Vec<String> = values.iter().map(f64::to_string).collect();
                write!(f, "[{}]", texts.join(", "))
            }
        }
    }
}

impl Param {
    /// Reads a value from text, the way it stands between quotation marks in a file.
    pub fn read_text(&self, text: &str) -> Result<Value, Complaint> {
        if self.auto && text == "auto" {
            return Ok(Value::Auto);
        }
        let value = match self.kind {
            Kind::Bool => match text {
                "true" => Value::Bool(true),
                "false" => Value::Bool(false),
                _ => return Err(self.unwanted("this is not a truth value")),
            },
            Kind::Integer => Value::Integer(
                text.trim().replace('_', "").parse().map_err(|_| self.unwanted("this is not a whole number"))?,
            ),
            Kind::Number => {
                Value::Number(text.trim().replace('_', "").parse().map_err(|_| self.unwanted("this is not a number"))?)
            }
            Kind::Fraction => Value::Number(quantity::fraction(text)?),
            Kind::Rate => Value::Rate(quantity::rate(text)?),
            Kind::Time => Value::Time(quantity::time(text)?),
            Kind::Size => Value::Size(quantity::size(text)?),
            Kind::Bytes => Value::Bytes(quantity::bytes(text)?),
            Kind::Choice(names) => {
                Value::Choice(names.iter().find(|name| **name == text).ok_or_else(|| self.unknown_choice(text, names))?)
            }
            Kind::Dscp => Value::Dscp(Dscp::read(text).ok_or_else(|| self.unknown_codepoint(text))?),
            Kind::Flows => Value::Flows(text.into()),
            Kind::Several(kind) => return lists::read_several(self, kind, text),
            Kind::Tables(specs) => return lists::read_tables(specs, text),
            Kind::Numbers => return self.read_list(&self.split(text)?),
            Kind::Policy(policies) => Value::Policy(InnerPolicy::read_text(text, policies)?),
        };
        self.in_range(value)
    }

    /// Reads a bare number, where the parameter has no unit.
    pub fn read_number(&self, number: f64) -> Result<Value, Complaint> {
        let value = match self.kind {
            Kind::Integer if number.fract() == 0.0 && number.abs() < 9e15 => Value::Integer(number as i64),
            Kind::Flows if number.fract() == 0.0 && (0.0..4e9).contains(&number) => {
                Value::Flows(number.to_string().into())
            }
            Kind::Several(kind) => {
                let one = one_of(self, kind).read_number(number)?;
                return Ok(Value::Several([one].into()));
            }
            Kind::Dscp => {
                let whole = number.fract() == 0.0 && (0.0..=f64::from(Dscp::MAX)).contains(&number);
                let dscp = Dscp::new(number as u8).filter(|_| whole);
                return dscp.map(Value::Dscp).ok_or_else(|| self.unwanted("there is no codepoint of this number"));
            }
            Kind::Integer => return Err(self.unwanted("this is not a whole number")),
            Kind::Number | Kind::Fraction => Value::Number(number),
            Kind::Rate | Kind::Time | Kind::Size | Kind::Bytes => return Err(self.unwanted("the unit is missing")),
            Kind::Bool | Kind::Choice(_) | Kind::Numbers | Kind::Policy(_) | Kind::Flows | Kind::Tables(_) => {
                return Err(self.unwanted("this is a number"));
            }
        };
        self.in_range(value)
    }

    /// Reads `true` or `false`.
    pub fn read_bool(&self, value: bool) -> Result<Value, Complaint> {
        match self.kind {
            Kind::Bool => Ok(Value::Bool(value)),
            _ => Err(self.unwanted("this is a truth value")),
        }
    }

    /// Reads a list of numbers.
    pub fn read_list(&self, numbers: &[f64]) -> Result<Value, Complaint> {
        match self.kind {
            Kind::Numbers => self.in_range(Value::Numbers(numbers.into())),
            _ => Err(self.unwanted("this is a list")),
        }
    }

    /// The numbers in `[0, 0.5, 2]`, the brackets optional.
    fn split(&self, text: &str) -> Result<Vec<f64>, Complaint> {
        let text = text.trim();
        let inner = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text).trim();
        if inner.is_empty() {
            return Ok(Vec::new());
        }
        inner
            .split(',')
            .map(|number| number.trim().parse().map_err(|_| self.unwanted("this is not a list of numbers")))
            .collect()
    }

    /// What is allowed, in words, for messages and the reference.
    pub fn allowed(&self) -> String {
        let range = self.range().map_or(String::new(), |range| format!(", {range}"));
        let auto = if self.auto { ", or \"auto\"" } else { "" };
        match self.kind {
            Kind::Choice(names) => format!("one of {}{auto}", quoted(names)),
            Kind::Policy(policies) => format!(
                "one of {}, or a table such as {{ kind = \"red\", ecn = true }} with the policy's parameters but `limit`",
                quoted(&policies.iter().map(|entry| entry.name).collect::<Vec<_>>())
            ),
            Kind::Several(kind) => format!("{}{auto}, or a list of these", one_of(self, kind).allowed()),
            Kind::Tables(specs) => {
                let names: Vec<&str> = specs.iter().map(|spec| spec.name).collect();
                format!("a list of tables with {}", names.join(", "))
            }
            kind => format!("{}{range}{auto}", kind.wanted()),
        }
    }

    /// The range in words: `at least 1`, `0 to 1`; `None` if there is none.
    pub fn range(&self) -> Option<String> {
        let (min, max) = (self.bound(self.min), self.bound(self.max));
        match (self.min.is_finite(), self.max.is_finite()) {
            _ if matches!(self.kind, Kind::Bool | Kind::Choice(_) | Kind::Policy(_)) => None,
            (false, false) => None,
            (true, false) => Some(format!("at least {min}")),
            (false, true) => Some(format!("at most {max}")),
            (true, true) if self.kind == Kind::Numbers => Some(format!("each {min} to {max}")),
            (true, true) => Some(format!("{min} to {max}")),
        }
    }

    /// An end of the range as a user would write it.
    fn bound(&self, bound: f64) -> String {
        const PLAIN: f64 = 1e9;
        match self.kind {
            Kind::Rate if bound >= 1.0 => Rate::from_bps(bound as u64).to_string(),
            Kind::Time if bound < PLAIN => Duration::from_secs_f64(bound).to_string(),
            kind if bound.abs() >= PLAIN => format!("{bound:e}{}", if kind == Kind::Bytes { "B" } else { kind.unit() }),
            Kind::Bytes => format!("{bound}B"),
            kind => format!("{bound}{}", kind.unit()),
        }
    }

    /// The declared default as a value.
    ///
    /// # Panics
    /// If the declaration's default does not read back; a test visits every registered parameter.
    pub fn default_value(&self) -> Value {
        match self.read_text(self.default) {
            Ok(value) => value,
            Err(complaint) => panic!("default of {}: {}", self.name, complaint.what),
        }
    }

    fn unwanted(&self, what: &str) -> Complaint {
        Complaint { what: what.into(), hint: format!("allowed: {}", self.allowed()) }
    }

    fn unknown_codepoint(&self, text: &str) -> Complaint {
        let nearest = nearest(text, Dscp::names()).map_or(String::new(), |name| format!("; did you mean {name:?}?"));
        self.unwanted(&format!("{text:?} is no codepoint{nearest}"))
    }

    fn unknown_choice(&self, text: &str, names: &[&str]) -> Complaint {
        let nearest =
            nearest(text, names.iter().copied()).map_or(String::new(), |name| format!("; did you mean {name:?}?"));
        self.unwanted(&format!("{text:?} is not among the names{nearest}"))
    }

    fn in_range(&self, value: Value) -> Result<Value, Complaint> {
        let magnitude = match value {
            Value::Auto
            | Value::Bool(_)
            | Value::Choice(_)
            | Value::Policy(_)
            | Value::Dscp(_)
            | Value::Flows(_)
            | Value::Several(_)
            | Value::Tables(_) => return Ok(value),
            Value::Numbers(ref numbers) => {
                return match numbers.iter().position(|n| !(self.min..=self.max).contains(n)) {
                    Some(index) => Err(self.unwanted(&format!("entry {index} of the list is out of range"))),
                    None => Ok(value),
                };
            }
            Value::Integer(n) => n as f64,
            Value::Rate(rate) => rate.as_bps() as f64,
            Value::Number(n) | Value::Size(Size::Packets(n) | Size::Bytes(n) | Size::Bdp(n)) => n,
            Value::Time(time) | Value::Size(Size::Time(time)) => time.as_secs_f64(),
            Value::Bytes(n) => n as f64,
        };
        // NaN is in no range.
        if magnitude >= self.min && magnitude <= self.max {
            Ok(value)
        } else {
            Err(self.unwanted("the value is out of range"))
        }
    }
}

fn quoted(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
    names.join(", ")
}

/// The nearest of `names` to `text`, if one is near enough to be meant.
pub fn nearest<'a>(text: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    names
        .map(|name| (strsim::damerau_levenshtein(&text.to_lowercase(), &name.to_lowercase()), name))
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, name)| *distance <= 1 + name.len() / 4)
        .map(|(_, name)| name)
}

/// A type that a parameter may have.
pub trait ParamType: Sized {
    /// What the scenario accepts for it.
    const KIND: Kind;
    /// Whether `"auto"` is accepted.
    const AUTO: bool = false;
    /// From a value of that kind.
    fn from_value(value: Value) -> Option<Self>;
    /// Back to a value.
    fn to_value(&self) -> Value;
}

macro_rules! param_type {
    ($type:ty, $kind:expr, $pattern:pat => $from:expr, $self:ident => $to:expr) => {
        impl ParamType for $type {
            const KIND: Kind = $kind;
            fn from_value(value: Value) -> Option<Self> {
                match value {
                    $pattern => Some($from),
                    _ => None,
                }
            }
            fn to_value(&self) -> Value {
                let $self = *self;
                $to
            }
        }
    };
}

param_type!(Dscp, Kind::Dscp, Value::Dscp(value) => value, this => Value::Dscp(this));
param_type!(bool, Kind::Bool, Value::Bool(value) => value, this => Value::Bool(this));
param_type!(u64, Kind::Integer, Value::Integer(value) => u64::try_from(value).ok()?, this => Value::Integer(this as i64));
param_type!(f64, Kind::Number, Value::Number(value) => value, this => Value::Number(this));
param_type!(Rate, Kind::Rate, Value::Rate(value) => value, this => Value::Rate(this));
param_type!(Duration, Kind::Time, Value::Time(value) => value, this => Value::Time(this));
param_type!(Size, Kind::Size, Value::Size(value) => value, this => Value::Size(this));
param_type!(Bytes, Kind::Bytes, Value::Bytes(value) => Bytes(value), this => Value::Bytes(this.0));

/// A number without unit that may also be written in percent.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Fraction(pub f64);
param_type!(Fraction, Kind::Fraction, Value::Number(value) => Fraction(value), this => Value::Number(this.0));

/// Numbers, each within the range of their parameter. Cheap to clone.
#[derive(Clone, Debug, PartialEq)]
pub struct Numbers(pub Arc<[f64]>);

impl ParamType for Numbers {
    const KIND: Kind = Kind::Numbers;
    fn from_value(value: Value) -> Option<Self> {
        match value {
            Value::Numbers(numbers) => Some(Numbers(numbers)),
            _ => None,
        }
    }
    fn to_value(&self) -> Value {
        Value::Numbers(self.0.clone())
    }
}

/// `"auto"` is `None`: the code chooses from the link.
impl<T: ParamType> ParamType for Option<T> {
    const KIND: Kind = T::KIND;
    const AUTO: bool = true;
    fn from_value(value: Value) -> Option<Self> {
        match value {
            Value::Auto => Some(None),
            other => T::from_value(other).map(Some),
        }
    }
    fn to_value(&self) -> Value {
        self.as_ref().map_or(Value::Auto, T::to_value)
    }
}

/// A struct declared with [`params!`](crate::params!).
pub trait Params: Default + Clone + std::fmt::Debug {
    /// What they are the parameters of.
    const DOC: &'static str;
    /// Its parameters in the order of declaration, those of its groups first.
    const SPECS: &'static [Param];
    /// From the values of all parameters, in that order.
    fn from_values(values: &[Value]) -> Self;
    /// The values in that order.
    fn to_values(&self) -> Vec<Value>;
}

/// Values for a list of parameters, in the parameters' order: defaults, then a preset, then what the
/// user wrote.
#[derive(Clone, Debug, PartialEq)]
pub struct Args {
    specs: &'static [Param],
    /// Shared: a network has thousands of links with the same parameters.
    values: Arc<[Value]>,
}

impl Args {
    /// These values of all `specs`, in their order.
    pub fn new(specs: &'static [Param], values: Vec<Value>) -> Self {
        Args { specs, values: values.into() }
    }

    /// All defaults.
    pub fn defaults(specs: &'static [Param]) -> Self {
        Args { specs, values: specs.iter().map(Param::default_value).collect() }
    }

    /// The parameters.
    pub fn specs(&self) -> &'static [Param] {
        self.specs
    }

    /// The values in the order of the parameters.
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    /// Sets one by its position.
    pub fn set(&mut self, index: usize, value: Value) {
        Arc::make_mut(&mut self.values)[index] = value;
    }

    /// Sets one by name from text: presets, command line, tests.
    pub fn set_text(&mut self, name: &str, text: &str) -> Result<(), Complaint> {
        let Some(index) = self.specs.iter().position(|spec| spec.name == name) else {
            let hint = nearest(name, self.specs.iter().map(|spec| spec.name))
                .map_or(String::new(), |name| format!("did you mean {name:?}?"));
            return Err(Complaint { what: format!("the parameter {name:?} is not known"), hint });
        };
        let value = self.specs[index].read_text(text)?;
        self.set(index, value);
        Ok(())
    }

    /// One value by name.
    pub fn get(&self, name: &str) -> Option<Value> {
        self.specs.iter().position(|spec| spec.name == name).map(|index| self.values[index].clone())
    }

    /// As the typed struct.
    pub fn typed<P: Params>(&self) -> P {
        P::from_values(&self.values)
    }
}

/// Declares a struct of self-describing parameters.
///
/// ```
/// use sojourn::{params, units::Size, params::Fraction};
/// params! {
///     /// Parameters of an example.
///     pub struct Params {
///         /// What the buffer holds.
///         limit: Size = "50p" in [1.0, 1e9], "[Flo93] §8";
///         /// Greatest probability.
///         max_p: Fraction = "0.1" in [0.0, 1.0], "ns-2 2.35";
///         /// Mark rather than drop.
///         ecn: bool = "false", "ns-2 2.35";
///     }
/// }
/// assert_eq!(Params::default().max_p, Fraction(0.1));
/// ```
///
/// Numbers have a range; truth values, names and policies have none. Groups come first, each with what is different in it:
///
/// ```
/// use sojourn::{params, units::Size, params::Fraction, params::Params as _};
/// params! {
///     /// Thresholds.
///     pub struct Thresholds {
///         /// Lower.
///         min_th: Size = "5p" in [0.0, 1e9], "[Flo93]";
///         /// Upper.
///         max_th: Size = "15p" in [0.0, 1e9], "[Flo93]";
///     }
/// }
/// params! {
///     /// Parameters of an example.
///     pub struct Params {
///         ..thresholds: Thresholds { max_th = "20p", "ours" };
///         /// Greatest probability.
///         max_p: Fraction = "0.1" in [0.0, 1.0], "ns-2 2.35";
///     }
/// }
/// assert_eq!(Params::default().thresholds.max_th, Size::Packets(20.0));
/// assert_eq!(Params::SPECS.iter().map(|param| param.name).collect::<Vec<_>>(), ["min_th", "max_th", "max_p"]);
/// ```
#[macro_export]
macro_rules! params {
    ($(#[doc = $about:literal])* $vis:vis struct $name:ident {
        $(..$group:ident : $of:ty $({ $($(#[doc = $new:literal])? $changed:ident = $to:literal, $because:literal);* $(;)? })?;)*
        $($(#[doc = $doc:literal])+ $field:ident : $type:ty = $default:literal $(in [$min:expr, $max:expr])?, $source:literal;)*
    }) => {
        $(#[doc = $about])*
        #[derive(Clone, Debug, PartialEq)]
        $vis struct $name {
            $(#[doc = concat!("Those of [`", stringify!($of), "`].")] pub $group: $of,)*
            $($(#[doc = $doc])* pub $field: $type,)*
        }

        impl $crate::params::Params for $name {
            const DOC: &'static str = concat!($($about),*);

            const SPECS: &'static [$crate::params::Param] = {
                const OWN: &[$crate::params::Param] = &[
                    $($crate::params::Param::declared(
                        stringify!($field),
                        <$type as $crate::params::ParamType>::KIND,
                        <$type as $crate::params::ParamType>::AUTO,
                        $default,
                        &[$($min, $max)?],
                        $source,
                        concat!($($doc),*),
                    ),)*
                ];
                const GROUPS: &[$crate::params::Included] = &[
                    $($crate::params::Included {
                        group: &$crate::params::Group {
                            name: stringify!($group),
                            doc: <$of as $crate::params::Params>::DOC,
                            params: <$of as $crate::params::Params>::SPECS,
                        },
                        changes: &[$($($crate::params::Change {
                            name: stringify!($changed), default: $to, source: $because, doc: concat!($($new)?),
                        },)*)?],
                    },)*
                ];
                const ALL: [$crate::params::Param; $crate::params::count(GROUPS, OWN)] =
                    $crate::params::joined(GROUPS, OWN);
                &ALL
            };

            #[allow(unused_mut, unused_variables, unused_assignments)]
            fn from_values(values: &[$crate::params::Value]) -> Self {
                $(let ($group, values) = $crate::params::group_from::<$of>(values);)*
                let mut values = values.iter();
                $(let $field = $crate::params::ParamType::from_value(values.next().expect("one for each parameter").clone())
                    .expect("the value was read for this parameter");)*
                $name { $($group,)* $($field,)* }
            }

            fn to_values(&self) -> Vec<$crate::params::Value> {
                let groups: Vec<Vec<$crate::params::Value>> = vec![$($crate::params::Params::to_values(&self.$group),)*];
                let own = vec![$($crate::params::ParamType::to_value(&self.$field),)*];
                groups.into_iter().flatten().chain(own).collect()
            }
        }

        impl Default for $name {
            fn default() -> Self {
                $crate::params::Args::defaults(<$name as $crate::params::Params>::SPECS).typed()
            }
        }
    };
}

/// Declares an enum whose variants users choose by name.
///
/// ```
/// sojourn::choices! {
///     /// Above the upper threshold.
///     pub enum Above { /// Drop everything.
///         Strict = "strict", /// Rise to 1 at twice the threshold.
///         Gentle = "gentle" }
/// }
/// ```
#[macro_export]
macro_rules! choices {
    ($(#[$meta:meta])* $vis:vis enum $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $vis enum $name { $($(#[$doc])* $variant,)* }

        impl $crate::params::ParamType for $name {
            const KIND: $crate::params::Kind = $crate::params::Kind::Choice(&[$($text,)*]);
            fn from_value(value: $crate::params::Value) -> Option<Self> {
                match value {
                    $($crate::params::Value::Choice($text) => Some($name::$variant),)*
                    _ => None,
                }
            }
            fn to_value(&self) -> $crate::params::Value {
                $crate::params::Value::Choice(match self { $($name::$variant => $text,)* })
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(kind: Kind, min: f64, max: f64) -> String {
        Param { kind, min, max, ..Param::NONE }.allowed()
    }

    #[test]
    fn ranges_are_written_as_users_write_values() {
        assert!(allowed(Kind::Rate, 1.0, 1e14).ends_with("1bit to 100Tbit"));
        assert!(allowed(Kind::Time, 1e-6, 1e6).ends_with("1us to 1000000s"));
        assert!(allowed(Kind::Bytes, 1.0, 65535.0).ends_with("1B to 65535B"));
        assert!(allowed(Kind::Bytes, 1.0, 1e18).ends_with("1B to 1e18B"));
        assert!(allowed(Kind::Size, 0.0, 1e12).ends_with("0 to 1e12"));
        assert!(allowed(Kind::Number, 0.0, f64::INFINITY).ends_with("at least 0"));
        assert_eq!(allowed(Kind::Bool, f64::NEG_INFINITY, f64::INFINITY), "true or false");
    }
}
