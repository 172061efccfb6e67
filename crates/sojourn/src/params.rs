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
use crate::queue::entry::QueueEntry;
use crate::queue::inner::InnerPolicy;
use crate::units::{Duration, Rate, Size};

mod args;
mod lists;
mod param;
mod shared;

pub use args::{Args, Fraction, Numbers, ParamType, Params};
pub use lists::{Flows, Several, Tables, one_of};
pub use param::nearest;
pub(crate) use shared::same;
pub use shared::{Change, Group, Included, count, group_from, joined};

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
