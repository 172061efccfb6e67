//! Tables of results, without any notion of files or data frames.

use std::collections::BTreeMap;
use std::ops::Index;
use std::sync::Arc;

/// Values of one column.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// Real numbers; NaN where a value does not exist.
    F64(Vec<f64>),
    /// Counts.
    U64(Vec<u64>),
    /// Names.
    Text(Names),
}

/// Names of which many are alike: there may be millions, and each takes one byte while at most 256 are different.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Names {
    /// Each name once, in the order in which they come first.
    known: Vec<Arc<str>>,
    /// For each value the place of its name.
    places: Places,
}

/// The place of a name for each value, in as few bytes as the greatest place needs.
#[derive(Clone, Debug, PartialEq)]
pub enum Places {
    /// Up to 256 names.
    U8(Vec<u8>),
    /// Up to 65,536.
    U16(Vec<u16>),
    /// More.
    U32(Vec<u32>),
}

impl Default for Places {
    fn default() -> Self {
        Places::U8(Vec::new())
    }
}

impl Places {
    /// Number of values.
    pub fn len(&self) -> usize {
        match self {
            Places::U8(places) => places.len(),
            Places::U16(places) => places.len(),
            Places::U32(places) => places.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes that each takes.
    pub fn width(&self) -> usize {
        match self {
            Places::U8(_) => 1,
            Places::U16(_) => 2,
            Places::U32(_) => 4,
        }
    }

    /// The place of the name of a value.
    pub fn get(&self, row: usize) -> Option<usize> {
        match self {
            Places::U8(places) => places.get(row).map(|&place| place.into()),
            Places::U16(places) => places.get(row).map(|&place| place.into()),
            Places::U32(places) => places.get(row).map(|&place| place as usize),
        }
    }

    /// The places of the names of all values.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = usize> {
        (0..self.len()).map(|row| self.get(row).unwrap_or_default())
    }

    /// A further place. With the first one that does not fit, all take more bytes.
    fn push(&mut self, place: u32) {
        match self {
            Places::U8(places) => {
                if let Ok(short) = u8::try_from(place) {
                    return places.push(short);
                }
                *self = Places::U16(places.iter().map(|&known| known.into()).collect());
            }
            Places::U16(places) => {
                if let Ok(short) = u16::try_from(place) {
                    return places.push(short);
                }
                *self = Places::U32(places.iter().map(|&known| known.into()).collect());
            }
            Places::U32(places) => return places.push(place),
        }
        self.push(place);
    }
}

impl Names {
    /// Number of values.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Each name once.
    pub fn known(&self) -> &[Arc<str>] {
        &self.known
    }

    /// For each value the place of its name among those that are [`known`](Names::known).
    pub fn places(&self) -> &Places {
        &self.places
    }

    /// The values.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Arc<str>> {
        self.places.iter().map(|place| &self.known[place])
    }

    /// The names that are [`known`](Names::known), and for each value the place of its own among them.
    pub fn into_parts(self) -> (Vec<Arc<str>>, Places) {
        (self.known, self.places)
    }
}

impl Index<usize> for Names {
    type Output = Arc<str>;

    fn index(&self, row: usize) -> &Arc<str> {
        let places = &self.places;
        &self.known[places.get(row).unwrap_or_else(|| panic!("row {row} of {}", places.len()))]
    }
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
    let mut names = Names::default();
    let mut place_of: BTreeMap<Arc<str>, u32> = BTreeMap::new();
    let mut last = 0;
    for value in values {
        let value = value.as_ref();
        // Mostly one row is named like the one before.
        if names.known.get(last as usize).is_none_or(|known| **known != *value) {
            last = place_of.get(value).copied().unwrap_or_else(|| {
                let (own, place) = (Arc::from(value), names.known.len() as u32);
                names.known.push(Arc::clone(&own));
                place_of.insert(own, place);
                place
            });
        }
        names.places.push(last);
    }
    Column { name, data: Data::Text(names) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_alike_are_kept_once_and_read_as_they_came() {
        let values = ["b", "a", "a", "b", "c", "a"];
        let Data::Text(names) = texts("link", values).data else { panic!("names") };
        assert!(names.iter().map(|name| &**name).eq(values));
        assert_eq!((names.len(), names.known().len(), &*names[4]), (6, 3, "c"));
        assert_eq!(names.places(), &Places::U8(vec![0, 1, 1, 0, 2, 1]));
    }

    #[test]
    fn names_take_as_few_bytes_as_their_number_allows() {
        let of = |count: u32| {
            let values: Vec<_> = (0..count).chain([count / 2]).map(|number| number.to_string()).collect();
            let Data::Text(names) = texts("link", &values).data else { panic!("names") };
            assert!(names.iter().map(|name| &**name).eq(&values));
            names.into_parts()
        };
        for (count, bytes) in [(256, 1), (257, 2), (65_536, 2), (65_537, 4)] {
            let (known, places) = of(count);
            assert_eq!((known.len(), places.width()), (count as usize, bytes));
        }
    }
}
