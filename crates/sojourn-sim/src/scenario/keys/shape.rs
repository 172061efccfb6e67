//! The description of a key of a scenario file: its name, its values and its default.

use crate::params::{Kind, Param};

/// A table of the scenario file.
#[derive(Debug)]
pub struct Table {
    /// How the reference calls it: `[dumbbell]`.
    pub title: &'static str,
    /// The thing that it describes.
    pub doc: &'static str,
    /// Its keys in the order of the reference.
    pub keys: &'static [Key],
}

/// A key of a table.
#[derive(Debug)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// The values that it takes.
    pub shape: Shape,
    /// Its default.
    pub presence: Presence,
    /// Its meaning.
    pub doc: &'static str,
}

/// The values of a key.
#[derive(Debug)]
pub enum Shape {
    /// Free text.
    Text,
    /// One value of a kind, within bounds in [`Kind::unit`].
    Value(Bounds),
    /// One value, or a list of the least and the greatest.
    Range(Bounds),
    /// A queue's name, or a table with `kind`.
    Queue,
    /// A transport's name, or a table with `kind`.
    Transport,
    /// An application's name, or a table with `kind`.
    App,
    /// A loss model's name, or a table with `kind`.
    Loss,
    /// A table. `short` is the key that a bare value stands for, `""` if there is none.
    Table {
        /// Its keys.
        table: &'static Table,
        /// `start = "50s"` stands for `start = { at = "50s" }`.
        short: &'static str,
    },
    /// A list of tables: `[[flow]]`.
    Tables(&'static Table),
}

/// A kind of value with its bounds.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// The values that are accepted.
    pub kind: Kind,
    /// Whether `"auto"` is accepted too.
    pub auto: bool,
    /// Least value, in [`Kind::unit`].
    pub min: f64,
    /// Greatest value.
    pub max: f64,
}

/// The default of a key.
#[derive(Clone, Copy, Debug)]
pub enum Presence {
    /// It must be written.
    Required,
    /// This value, as a user would write it.
    Default(&'static str),
    /// The default, in words.
    Optional(&'static str),
}

impl Table {
    /// The table below a key.
    pub fn below(&self, name: &str) -> Option<&'static Table> {
        match self.keys.iter().find(|key| key.name == name)?.shape {
            Shape::Table { table, .. } | Shape::Tables(table) => Some(table),
            _ => None,
        }
    }
}

impl Key {
    /// The key as a self-describing parameter, if it takes values of a kind.
    pub fn param(&self) -> Option<Param> {
        let (Shape::Value(bounds) | Shape::Range(bounds)) = self.shape else { return None };
        Some(Param {
            name: self.name,
            kind: bounds.kind,
            auto: bounds.auto,
            default: match self.presence {
                Presence::Default(text) => text,
                Presence::Required | Presence::Optional(_) => "",
            },
            min: bounds.min,
            max: bounds.max,
            source: "",
            doc: self.doc,
            meanings: &[],
            group: None,
            when: None,
        })
    }
}

/// Greatest number of flows in a scenario.
pub const FLOWS_MAX: u64 = 1_000_000;
/// Longest simulated time in seconds (11 days): nanoseconds stay exact in a 64-bit float.
pub const SECONDS_MAX: f64 = 1e6;
/// Greatest number of samples in one recorded time series.
pub const SAMPLES_MAX: f64 = 1e7;
/// Greatest rate in bit/s that the reader of quantities admits.
const RATE_MAX: f64 = 1e14;
/// Longest propagation delay in seconds: beyond the Moon and back many times.
const DELAY_MAX: f64 = 1000.0;

pub(super) const fn bounds(kind: Kind, min: f64, max: f64) -> Bounds {
    Bounds { kind, auto: false, min, max }
}

pub(super) const fn or_auto(bounds: Bounds) -> Bounds {
    Bounds { auto: true, ..bounds }
}

pub(super) const fn key(name: &'static str, shape: Shape, presence: Presence, doc: &'static str) -> Key {
    Key { name, shape, presence, doc }
}

pub(super) const RATE: Bounds = bounds(Kind::Rate, 1.0, RATE_MAX);
pub(super) const DELAY: Bounds = bounds(Kind::Time, 0.0, DELAY_MAX);
pub(super) const MOMENT: Bounds = bounds(Kind::Time, 0.0, SECONDS_MAX);
/// A delay hint has microseconds.
pub(super) const HINT: Bounds = bounds(Kind::Time, 1e-6, DELAY_MAX);
pub(super) const YES_NO: Bounds = bounds(Kind::Bool, 0.0, 0.0);
