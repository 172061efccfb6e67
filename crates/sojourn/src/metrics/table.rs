//! Tables of results, without any notion of files or data frames.

use std::collections::BTreeSet;
use std::sync::Arc;

/// Values of one column.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// Real numbers; NaN where a value does not exist.
    F64(Vec<f64>),
    /// Counts.
    U64(Vec<u64>),
    /// Names; those that are alike are one, for there may be millions.
    Text(Vec<Arc<str>>),
}

impl Data {
    /// Number of values.
    pub fn len(&self) -> usize {
        match self {
            Data::F64(values) => values.len(),
            Data::U64(values) => values.len(),
            Data::Text(values) => values.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A column; the unit is in its name.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Its name, unit last.
    pub name: &'static str,
    /// One value for each row.
    pub data: Data,
}

/// A table of results.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// Its columns, all of one length.
    pub columns: Vec<Column>,
}

impl Table {
    /// A table with these columns.
    pub fn new(name: &'static str, columns: Vec<Column>) -> Self {
        Table { name, columns }
    }

    /// A column by name.
    pub fn column(&self, name: &str) -> Option<&Data> {
        self.columns.iter().find(|column| column.name == name).map(|column| &column.data)
    }

    /// A real value, counts converted; `None` if there is no such place.
    pub fn number(&self, column: &str, row: usize) -> Option<f64> {
        match self.column(column)? {
            Data::F64(values) => values.get(row).copied(),
            Data::U64(values) => values.get(row).map(|&value| value as f64),
            Data::Text(_) => None,
        }
    }
}

/// A column of real numbers.
pub fn reals(name: &'static str, values: impl IntoIterator<Item = f64>) -> Column {
    Column { name, data: Data::F64(values.into_iter().collect()) }
}

/// A column of counts.
pub fn counts(name: &'static str, values: impl IntoIterator<Item = u64>) -> Column {
    Column { name, data: Data::U64(values.into_iter().collect()) }
}

/// A column of names.
pub fn texts<T: AsRef<str>>(name: &'static str, values: impl IntoIterator<Item = T>) -> Column {
    let mut known: BTreeSet<Arc<str>> = BTreeSet::new();
    let mut last: Arc<str> = "".into();
    let mut shared = |value: T| -> Arc<str> {
        // Mostly one row is named like the one before.
        if *last != *value.as_ref() {
            last = known.get(value.as_ref()).cloned().unwrap_or_else(|| value.as_ref().into());
            known.insert(Arc::clone(&last));
        }
        Arc::clone(&last)
    };
    Column { name, data: Data::Text(values.into_iter().map(&mut shared).collect()) }
}
