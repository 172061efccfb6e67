//! A scenario as a tree of values that know their place in the text, from TOML or from JSON.

pub use super::error::Place;
#[cfg(feature = "scenario-files")]
pub use super::parse::{from_json, from_toml};
use std::fmt;

/// A value with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The value.
    pub datum: Datum,
    /// Its place in the file.
    pub place: Place,
}

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Datum {
    /// `true` or `false`.
    Bool(bool),
    /// Whole number.
    Integer(i64),
    /// Real number.
    Number(f64),
    /// Text.
    Text(String),
    /// List.
    List(Vec<Node>),
    /// Table, in the order of writing.
    Table(Vec<Entry>),
    /// Values that no key takes, as written: dates, JSON's `null` inside a list.
    Other(String),
}

/// A key with its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// The place of the key.
    pub place: Place,
    /// Its value.
    pub node: Node,
}

impl Node {
    /// A value from `--set` or from code.
    pub fn set(datum: Datum) -> Self {
        Node { datum, place: Place::Set }
    }

    /// The entries of a table.
    pub fn entries(&self) -> Option<&[Entry]> {
        match &self.datum {
            Datum::Table(entries) => Some(entries),
            _ => None,
        }
    }

    /// The value at a place of a list; `None` if this is no list or too short.
    pub fn entry(&self, index: usize) -> Option<&Node> {
        match &self.datum {
            Datum::List(nodes) => nodes.get(index),
            _ => None,
        }
    }

    /// The value of a key, if this is a table that has it.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entries()?.iter().find(|entry| entry.key == key).map(|entry| &entry.node)
    }

    /// The place of the value at a path of keys and of numbers in lists, and the number of parts of the path that exist.
    pub fn place_of(&self, path: &[String]) -> (Place, usize) {
        let (mut node, mut found) = (self, self.place);
        for (depth, part) in path.iter().enumerate() {
            let entry = node.entries().and_then(|entries| entries.iter().find(|entry| entry.key == *part));
            let below = match entry {
                Some(entry) => Some((&entry.node, entry.place)),
                None => part.parse().ok().and_then(|index| node.entry(index)).map(|node| (node, node.place)),
            };
            let Some((next, place)) = below else { return (found, depth) };
            (node, found) = (next, place);
        }
        (found, path.len())
    }

    /// The kind of the value, for messages: `a list`.
    pub fn kind(&self) -> &'static str {
        match self.datum {
            Datum::Bool(_) => "a truth value",
            Datum::Integer(_) | Datum::Number(_) => "a number",
            Datum::Text(_) => "a text",
            Datum::List(_) => "a list",
            Datum::Table(_) => "a table",
            Datum::Other(ref text) if text == "null" => "null",
            Datum::Other(_) => "a date",
        }
    }

    /// The value as the user would write it, shortened to fit into a message.
    pub fn excerpt(&self) -> String {
        const LONGEST: usize = 70;
        let text = self.to_string();
        if text.chars().count() <= LONGEST {
            return text;
        }
        text.chars().take(LONGEST - 4).chain(" ...".chars()).collect()
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.datum {
            Datum::Bool(value) => write!(f, "{value}"),
            Datum::Integer(value) => write!(f, "{value}"),
            Datum::Number(value) if value.is_nan() => write!(f, "nan"),
            Datum::Number(value) => write!(f, "{value:?}"),
            Datum::Text(value) => write!(f, "{value:?}"),
            Datum::Other(value) => write!(f, "{value}"),
            Datum::List(nodes) => {
                write!(f, "[")?;
                for (i, node) in nodes.iter().enumerate() {
                    write!(f, "{}{node}", if i > 0 { ", " } else { "" })?;
                }
                write!(f, "]")
            }
            Datum::Table(entries) => {
                write!(f, "{{ ")?;
                for (i, entry) in entries.iter().enumerate() {
                    write!(f, "{}{} = {}", if i > 0 { ", " } else { "" }, entry.key, entry.node)?;
                }
                write!(f, " }}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_values_are_shortened_in_messages() {
        let node = Node::set(Datum::Text("é".repeat(500)));
        assert_eq!(node.excerpt().chars().count(), 70);
    }
}
