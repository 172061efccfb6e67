//! Parameters that describe themselves.
//!
//! [`params!`](crate::params!) declares a struct of parameters once: name, type, default, range, source
//! of the default and a line of documentation. From that declaration come the struct with its `Default`, the checks
//! of the scenario reader, the JSON Schema, the generated reference, the Python constructors and the
//! round-trip test. Nothing about a parameter is written anywhere else.
//!
//! Parameters that several components have in common are a struct, a [`Group`], which each includes by name.

mod alias;
mod args;
mod chosen;
mod lists;
mod nearest;
mod param;
mod shared;
mod text;
mod types;

pub use alias::Alias;
pub use args::{Fraction, Numbers, ParamType, Params};
pub use chosen::{MEAN_PACKET, OUTER, limited_twice};
pub use lists::{Flows, Several, Tables, one_of};
pub use nearest::nearest;
pub(crate) use shared::same;
pub use shared::{Change, Included, count, group_from, joined};
pub use types::{Args, Chosen, Component, Group, Kind, Known, Param, Value, When};

/// Declares a struct of self-describing parameters.
///
/// ```
/// use sojourn_queues::{params, units::Size, params::Fraction};
/// params! {
///     pub struct Params {
///         /// The most that the buffer holds.
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
/// Numbers have a range; truth values, names and policies have none. A parameter that has an effect only with some values of another one
/// ends with `"source", when arithmetic in ["real"];`, or with `when flows not in ["[]"]` for all other values; a file that sets it where
/// it has none is refused. A component that includes a group may say `when always` of a parameter of it.
///
/// Groups come first, each with its differences. The comment on the struct of a group is its title in the reference:
///
/// ```
/// use sojourn_queues::{params, units::Size, params::Fraction, params::Params as _};
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
        $(..$group:ident : $of:ty $({
            $($(#[doc = $new:literal])* $changed:ident = $to:literal, $because:literal
                $(, when $by:ident $(in [$($being:literal),+])? $(not in [$($but:literal),+])?)?);* $(;)?
        })?;)*
        $($(#[doc = $doc:literal])+ $field:ident : $type:ty = $default:literal $(in [$min:expr, $max:expr])?, $source:literal
            $(, when $other:ident $(in [$($at:literal),+])? $(not in [$($off:literal),+])?)?;)*
    }) => {
        $(#[doc = $about])*
        #[allow(missing_docs, reason = "only a group needs a title; the fields have their texts")]
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
                    )
                    .meaning(<$type as $crate::params::ParamType>::MEANINGS)
                    $(.only_when($crate::params::When {
                        name: stringify!($other), values: &[$($($at),+)?], without: &[$($($off),+)?],
                    }))?,)*
                ];
                const GROUPS: &[$crate::params::Included] = &[
                    $($crate::params::Included {
                        group: &$crate::params::Group {
                            name: stringify!($group),
                            doc: <$of as $crate::params::Params>::DOC,
                            params: <$of as $crate::params::Params>::SPECS,
                        },
                        changes: &[$($($crate::params::Change {
                            name: stringify!($changed), default: $to, source: $because, doc: concat!($($new),*),
                            when: &[$($crate::params::When {
                                name: stringify!($by), values: &[$($($being),+)?], without: &[$($($but),+)?],
                            })?],
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

/// Declares an enum whose variants users choose by name. The comment above a variant is shown to them.
///
/// ```
/// sojourn_queues::choices! {
///     /// Above the upper threshold.
///     pub enum Above { /// Drop everything.
///         Strict = "strict", /// Rise to 1 at twice the threshold.
///         Gentle = "gentle" }
/// }
/// ```
#[macro_export]
macro_rules! choices {
    ($(#[$meta:meta])* $vis:vis enum $name:ident { $($(#[doc = $doc:literal])* $variant:ident = $text:literal),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $vis enum $name { $($(#[doc = $doc])* $variant,)* }

        impl $crate::params::ParamType for $name {
            const KIND: $crate::params::Kind = $crate::params::Kind::Choice(&[$($text,)*]);
            const MEANINGS: &'static [&'static str] = &[$(concat!($($doc),*),)*];
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
