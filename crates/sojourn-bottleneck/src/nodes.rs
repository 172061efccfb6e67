//! Values, keys and tables that are in no file.

use sojourn_sim::scenario::document::{Datum, Entry, Node, Place};

/// A value.
pub fn unplaced(datum: Datum) -> Node {
    Node { datum, place: Place::Unknown }
}

/// A key with a value.
pub fn entry(key: &str, node: Node) -> Entry {
    Entry { key: key.to_owned(), place: Place::Unknown, node }
}

/// A text.
pub fn text(text: impl Into<String>) -> Node {
    unplaced(Datum::Text(text.into()))
}

/// A list.
pub fn list(nodes: Vec<Node>) -> Node {
    unplaced(Datum::List(nodes))
}

/// A table.
pub fn table(entries: Vec<Entry>) -> Node {
    unplaced(Datum::Table(entries))
}
