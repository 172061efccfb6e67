//! Parses TOML and JSON: a text becomes a tree of values that know their place.

use super::document::{Datum, Entry, Node, Place};
use super::error::{ScenarioError, Source};
use toml_edit::{ImDocument, Item, TableLike};

/// Reads TOML.
pub fn from_toml(source: &Source, text: &str) -> Result<Node, ScenarioError> {
    let document = ImDocument::parse(text).map_err(|error| {
        let place = error.span().map_or(Place::Unknown, |span| Place::Offset(span.start));
        let mut what = error.message().trim().replace('\n', "; ");
        let hint = if what.contains("duplicate") {
            ""
        } else if what.is_empty() || error.span().is_some_and(|span| is_bare(text, span.start)) {
            // The parser has no words for a key without a value, or asks for a text.
            "something is missing here".clone_into(&mut what);
            "write a value behind the sign of equality, such as transport = \"tcp\""
        } else {
            "texts and quantities need quotation marks: rate = \"10Mbit\""
        };
        ScenarioError::new("", format!("this is not TOML: {what}")).hint(hint).at(source, place)
    })?;
    Ok(Node { datum: toml_table(document.as_table()), place: Place::Unknown })
}

/// True if only a sign of equality is before this place of its line, and nothing is behind it.
fn is_bare(text: &str, place: usize) -> bool {
    let (Some(before), Some(behind)) = (text.get(..place), text.get(place..)) else { return false };
    let rest = behind.lines().next().unwrap_or("").trim();
    before.trim_end_matches([' ', '\t']).ends_with('=') && (rest.is_empty() || rest.starts_with('#'))
}

fn place(span: Option<std::ops::Range<usize>>) -> Place {
    span.map_or(Place::Unknown, |span| Place::Offset(span.start))
}

fn toml_table(table: &dyn TableLike) -> Datum {
    let entries = table.iter().map(|(key, item)| {
        let key_place = place(table.key(key).and_then(toml_edit::Key::span));
        let mut node = toml_item(item);
        if node.place == Place::Unknown {
            // A table made by a dotted key has no place of its own.
            node.place = key_place;
        }
        Entry { key: key.to_owned(), place: key_place, node }
    });
    Datum::Table(entries.collect())
}

fn toml_item(item: &Item) -> Node {
    let datum = match item {
        Item::None => Datum::Other(String::new()),
        Item::Value(value) => return toml_value(value),
        Item::Table(table) => toml_table(table),
        Item::ArrayOfTables(tables) => Datum::List(
            tables.iter().map(|table| Node { datum: toml_table(table), place: place(table.span()) }).collect(),
        ),
    };
    Node { datum, place: place(item.span()) }
}

fn toml_value(value: &toml_edit::Value) -> Node {
    let datum = match value {
        toml_edit::Value::String(text) => Datum::Text(text.value().clone()),
        toml_edit::Value::Integer(number) => Datum::Integer(*number.value()),
        toml_edit::Value::Float(number) => Datum::Number(*number.value()),
        toml_edit::Value::Boolean(truth) => Datum::Bool(*truth.value()),
        toml_edit::Value::Datetime(date) => Datum::Other(date.value().to_string()),
        toml_edit::Value::Array(values) => Datum::List(values.iter().map(toml_value).collect()),
        toml_edit::Value::InlineTable(table) => toml_table(table),
    };
    Node { datum, place: place(value.span()) }
}

/// Reads JSON. `null` in a table is as if the key were not there.
pub fn from_json(source: &Source, text: &str) -> Result<Node, ScenarioError> {
    let value: serde_json::Value = serde_json::from_str(text).map_err(|error| {
        let mut wrong = ScenarioError::new("", format!("this is not JSON: {error}")).at(source, Place::Unknown);
        wrong.position = Some((error.line(), error.column()));
        wrong
    })?;
    Ok(json_value(value))
}

fn json_value(value: serde_json::Value) -> Node {
    use serde_json::Value as Json;
    let datum = match value {
        Json::Null => Datum::Other("null".into()),
        Json::Bool(truth) => Datum::Bool(truth),
        Json::Number(number) => match number.as_i64() {
            Some(whole) => Datum::Integer(whole),
            None => Datum::Number(number.as_f64().unwrap_or(f64::NAN)),
        },
        Json::String(text) => Datum::Text(text),
        Json::Array(values) => Datum::List(values.into_iter().map(json_value).collect()),
        Json::Object(map) => Datum::Table(
            map.into_iter()
                .filter(|(_, below)| !below.is_null())
                .map(|(key, below)| Entry { key, place: Place::Unknown, node: json_value(below) })
                .collect(),
        ),
    };
    Node { datum, place: Place::Unknown }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn toml(text: &str) -> Node {
        from_toml(&Source::new("f", text), text).expect("valid TOML")
    }

    #[test]
    fn a_path_leads_to_the_place_of_its_last_part_that_is_there() {
        let root = toml("a = 1\n[[claim]]\ntext = \"x\"\nless = { queue = \"RED\" }\nlist = [1, 2]\n");
        let of = |path: &[&str]| root.place_of(&path.iter().map(ToString::to_string).collect::<Vec<_>>());

        assert_eq!(of(&["claim", "0", "less", "queue"]), (Place::Offset(36), 4));
        assert_eq!(of(&["claim", "0", "list", "1"]), (Place::Offset(63), 4));
        assert_eq!(of(&["claim", "0", "than"]), (Place::Offset(6), 2), "the table that lacks it");
        assert_eq!(of(&["b"]), (Place::Unknown, 0));
    }

    #[test]
    fn toml_values_know_where_they_stand() {
        let text = "a = 1\n[[flow]]\nname = \"x\"\nstart = { at = \"1s\" }\n";

        let root = toml(text);

        let flow = match &root.get("flow").expect("flow").datum {
            Datum::List(flows) => flows[0].clone(),
            other => panic!("not a list: {other:?}"),
        };
        let at = flow.get("start").and_then(|start| start.get("at")).expect("at");
        assert_eq!(at.place, Place::Offset(text.find("\"1s\"").expect("there")));
        assert_eq!(flow.place, Place::Offset(text.find("[[flow]]").expect("there")));
        assert_eq!(root.get("a").expect("a").datum, Datum::Integer(1));
    }

    #[test]
    fn dotted_keys_make_tables_with_a_place() {
        let queue = toml("x = 1\nqueue.kind = \"red\"").get("queue").expect("queue").clone();
        assert_eq!(queue.get("kind").expect("kind").datum, Datum::Text("red".into()));
        assert_eq!(queue.place, Place::Offset(6));
    }

    #[test]
    fn null_is_as_if_the_key_were_not_there() {
        let node = from_json(&Source::default(), r#"{"a": null, "b": 0.5}"#).expect("valid JSON");
        assert_eq!(node.get("a"), None);
        assert_eq!(node.get("b").expect("b").datum, Datum::Number(0.5));
    }
}
