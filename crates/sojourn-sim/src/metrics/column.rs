//! A column of a table of results says everything about itself: its name, its values, unit, bounds, the direction that is better, its words
//! and its meaning. Tables, lists, documentation, intervals, sentences and charts follow from it; nothing follows from how its name begins
//! or ends.

use std::borrow::Borrow;

use super::table::{Table, counts, reals, texts};

type Text = &'static str;

/// A column of a table whose rows are made of `R`.
pub struct Column<R> {
    /// Its description.
    pub metric: Metric,
    /// Its value in a row.
    pub value: Value<R>,
}

/// A row of a table.
pub trait Row<'a>: Sized + 'a {
    /// The columns in their order.
    const COLUMNS: &'a [Column<Self>];
}

/// How a row gives a value.
pub enum Value<R> {
    /// A name.
    Text(fn(&R) -> &str),
    /// A whole number.
    Count(fn(&R) -> u64),
    /// A real number; NaN where it does not exist, such as a mean over nothing.
    Real(fn(&R) -> f64),
}

/// All that is said of a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Metric {
    /// Its name, unit last.
    pub name: Text,
    /// The kind of its values.
    pub values: Values,
    /// The quantity that it measures, and the statistic of it.
    pub quantity: Quantity,
    /// How it is computed, in the names of this table where possible; empty for columns that identify a row.
    pub formula: Text,
    /// Its meaning, in one line.
    pub doc: Text,
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

/// The unit in which values are kept, and the one in which they are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Names, ratios, numbers of order.
    Plain,
    /// Parts of a whole, shown in percent.
    Share,
    /// Milliseconds.
    Ms,
    /// Seconds.
    S,
    /// Bits a second.
    BitPerS,
    /// Packets.
    Packets,
    /// Bytes.
    Bytes,
}

/// The direction that is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// Less.
    Less,
    /// More.
    More,
    /// Neither: that depends on the purpose.
    Neither,
}

/// The verb or adjective of a quantity in sentences: packets "wait least", a delay is "shortest", a rate "highest".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A time that packets wait.
    Wait,
    /// Another time that something takes.
    Delay,
    /// The time until a transfer is done.
    Transfer,
    /// How unequal values are.
    Spread,
    /// How much a link or a flow carries.
    Carried,
    /// Any other.
    Other,
}

/// A quantity, which several columns may have statistics of.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantity {
    /// The unit of its values.
    pub unit: Unit,
    /// The least and the greatest value in any run.
    pub bounds: (f64, f64),
    /// The direction that is better for everybody.
    pub better: Better,
    /// The direction that somebody wants who names the column as a goal.
    pub wanted: Better,
    /// Its verb or adjective in sentences.
    pub kind: Kind,
    /// Whether its label says the unit, which is then not shown.
    pub bare: bool,
    label: Text,
    noun: Text,
    head: Text,
    /// `mean`, `sd`, `p50` ... `p99` or `max`; empty for a number of its own.
    pub statistic: Text,
}

/// A quantity from zero on, of which neither less nor more is better. Without a label it is called by the name of its column.
pub const fn quantity(label: Text, unit: Unit) -> Quantity {
    let bounds = (0.0, if matches!(unit, Unit::Share) { 1.0 } else { f64::INFINITY });
    let (better, wanted) = (Better::Neither, Better::Neither);
    Quantity { unit, bounds, better, wanted, kind: Kind::Other, bare: false, label, noun: "", head: "", statistic: "" }
}

/// A number without a unit that is called by the name of its column.
pub const NUMBER: Quantity = quantity("", Unit::Plain);

impl Unit {
    /// The word for the unit in which it is kept; empty for a pure number.
    pub fn name(self) -> Text {
        match self {
            Unit::Plain | Unit::Share => "",
            Unit::Ms => "ms",
            Unit::S => "s",
            Unit::BitPerS => "bit/s",
            Unit::Packets => "packets",
            Unit::Bytes => "bytes",
        }
    }
}

impl Quantity {
    /// The unit as it is shown, and the shown value of a kept 1. Rates and sizes have larger units, too.
    pub fn shown(&self) -> (Text, f64) {
        match self.unit {
            Unit::Share => ("%", 100.0),
            _ if self.bare => ("", 1.0),
            unit => (unit.name(), 1.0),
        }
    }

    /// The same quantity of another kind.
    pub const fn kind(self, kind: Kind) -> Self {
        Quantity { kind, ..self }
    }

    /// Less is better for everybody.
    pub const fn less(self) -> Self {
        Quantity { better: Better::Less, wanted: Better::Less, ..self }
    }

    /// More is better for everybody.
    pub const fn more(self) -> Self {
        Quantity { better: Better::More, wanted: Better::More, ..self }
    }

    /// Who names it as a goal wants this, but it is not better for everybody.
    pub const fn wanted(self, wanted: Better) -> Self {
        Quantity { better: Better::Neither, wanted, ..self }
    }

    /// Bounds other than those of its unit.
    pub const fn within(self, least: f64, most: f64) -> Self {
        Quantity { bounds: (least, most), ..self }
    }

    /// Its words in a sentence, if they are not those of the label.
    pub const fn noun(self, noun: Text) -> Self {
        Quantity { noun, ..self }
    }

    /// Its words over a column of a printed table, without the statistic, if they are not those of the label.
    pub const fn head(self, head: Text) -> Self {
        Quantity { head, ..self }
    }

    /// Its label says the unit, which is not shown.
    pub const fn bare(self) -> Self {
        Quantity { bare: true, ..self }
    }

    /// A statistic of it: `mean`, `p50` ... `p99` or `max`.
    pub const fn of(self, statistic: Text) -> Self {
        Quantity { statistic, ..self }
    }

    /// Its standard deviation.
    pub const fn sd(self) -> Self {
        self.of("sd").kind(Kind::Spread)
    }
}

impl Metric {
    /// The words of a chart, without the unit.
    pub fn label(&self) -> String {
        let of = match self.quantity.statistic {
            "" => "",
            "sd" => ", deviation",
            "max" => ", largest",
            other => &format!(", {other}"),
        };
        format!("{}{of}", self.words())
    }

    /// The words of a sentence, without the statistic.
    pub fn noun(&self) -> String {
        let label = self.words();
        match self.quantity.noun {
            "" if label.chars().nth(1).is_some_and(char::is_uppercase) => label,
            "" => label.chars().take(1).flat_map(char::to_lowercase).chain(label.chars().skip(1)).collect(),
            noun => noun.into(),
        }
    }

    /// The words over a column of a printed table, without the unit.
    pub fn head(&self) -> String {
        let head = if self.quantity.head.is_empty() { &self.words().to_lowercase() } else { self.quantity.head };
        format!("{head} {}", self.quantity.statistic).trim_end().into()
    }

    fn words(&self) -> String {
        if !self.quantity.label.is_empty() {
            return self.quantity.label.into();
        }
        let words = self.name.replace('_', " ");
        words.chars().take(1).flat_map(char::to_uppercase).chain(words.chars().skip(1)).collect()
    }
}

/// Declares the columns of a table in their order: the meaning of each, its name, the kind of its values (`Text`, `Count` or `Real`) and
/// the value of a row; for numbers the quantity, and the formula in the names of this table where possible.
///
/// ```text
/// columns! {
///     impl<'a> QueueRow<'a> {
///         /// Name of the link behind the queue.
///         link: Text = |row| row.link;
///         /// One packet in 100 waited longer.
///         sojourn_p99_ms: Real = |row| row.quantiles[3], SOJOURN.of("p99"), "0.99 quantile of waiting times";
///     }
/// }
/// ```
macro_rules! columns {
    (impl<$life:lifetime> $row:ty {
        $($(#[doc = $doc:literal])+ $name:ident : $values:ident = $value:expr $(, $quantity:expr $(, $formula:literal)?)?;)*
    }) => {
        impl<$life> $crate::metrics::column::Row<$life> for $row {
            const COLUMNS: &$life [$crate::metrics::column::Column<Self>] = &[$($crate::metrics::column::Column {
                metric: $crate::metrics::column::Metric {
                    name: stringify!($name),
                    values: $crate::metrics::column::Values::$values,
                    quantity: [$($quantity,)? $crate::metrics::column::NUMBER][0],
                    formula: concat!("" $($(, $formula)?)?),
                    doc: concat!($($doc),+).trim_ascii_start(),
                },
                value: $crate::metrics::column::Value::$values($value),
            }),*];
        }
    };
}
pub(crate) use columns;

/// A name of a row that may be borrowed.
struct Named<B, R>(B, fn(&R) -> &str);

impl<B: Borrow<R>, R> AsRef<str> for Named<B, R> {
    fn as_ref(&self) -> &str {
        (self.1)(self.0.borrow())
    }
}

impl Table {
    /// A table of rows, each of which is made once for each column: there may be millions.
    pub fn of<'a, R: Row<'a>>(name: Text, rows: &(impl Iterator<Item = R> + Clone)) -> Self {
        Self::filled::<R, R>(name, rows)
    }

    /// A table of rows that are there.
    pub fn of_all<'a, R: Row<'a>>(name: Text, rows: &[R]) -> Self {
        Self::filled::<R, &R>(name, &rows.iter())
    }

    fn filled<'a, R: Row<'a>, B: Borrow<R>>(name: Text, rows: &(impl Iterator<Item = B> + Clone)) -> Self {
        let rows = || rows.clone();
        let columns = R::COLUMNS.iter().map(|column| match column.value {
            Value::Text(of) => texts(column.metric.name, rows().map(|row| Named(row, of))),
            Value::Count(of) => counts(column.metric.name, rows().map(|row| of(row.borrow()))),
            Value::Real(of) => reals(column.metric.name, rows().map(|row| of(row.borrow()))),
        });
        Table::new(name, columns.collect())
    }
}
