//! Queues in words: a name, a name with settings, a table.

use super::Error;
use super::nodes::{entry, table, text, unplaced};
use sojourn_sim::scenario::ScenarioError;
#[cfg(feature = "scenario-files")]
use sojourn_sim::scenario::document::Place;
use sojourn_sim::scenario::document::{Datum, Node};

/// `codel`, `codel:target=5ms,ecn=true`, `{ kind = "codel", target = "5ms" }`.
pub fn queue(words: &str) -> Result<Node, Error> {
    let words = words.trim();
    if words.starts_with('{') {
        return from_table(words);
    }
    match words.split_once(':') {
        None => Ok(text(words)),
        Some((kind, settings)) => {
            let mut node = table(vec![entry("kind", text(kind.trim()))]);
            add(words, &mut node, settings)?;
            Ok(node)
        }
    }
}

#[cfg(feature = "scenario-files")]
fn from_table(words: &str) -> Result<Node, Error> {
    use sojourn_sim::scenario::Document;
    let mut document = Document::from_toml(&format!("queue = {words}"), "")?;
    let Datum::Table(entries) = &mut document.root_mut().datum else { unreachable!("a document is a table") };
    if entries.len() != 1 {
        return Err(wrong(words, "this is more than a table"));
    }
    let mut node = entries.remove(0).node;
    forget_places(&mut node);
    Ok(node)
}

#[cfg(not(feature = "scenario-files"))]
fn from_table(words: &str) -> Result<Node, Error> {
    Err(Error(
        ScenarioError::new("queue", "tables are read with the feature scenario-files of this crate")
            .found(words)
            .hint("switch it on, or write the settings after the name: codel:target=5ms,ecn=true"),
    ))
}

/// Removes the places of nodes, because there is no file in which a user could look them up.
#[cfg(feature = "scenario-files")]
fn forget_places(node: &mut Node) {
    node.place = Place::Unknown;
    match &mut node.datum {
        Datum::List(nodes) => nodes.iter_mut().for_each(forget_places),
        Datum::Table(entries) => {
            for entry in entries {
                entry.place = Place::Unknown;
                forget_places(&mut entry.node);
            }
        }
        _ => {}
    }
}

/// Adds settings such as `target=5ms,policy={kind=red,min_th=5p}` to a table.
fn add(words: &str, node: &mut Node, settings: &str) -> Result<(), Error> {
    let Datum::Table(entries) = &mut node.datum else { unreachable!("callers hand over a table") };
    for setting in split(settings) {
        let pair = setting.split_once('=').map(|(key, value)| (key.trim(), value.trim()));
        let Some((key, value)) = pair.filter(|(key, value)| !key.is_empty() && !value.is_empty()) else {
            return Err(wrong(words, &format!("{setting:?} is not a setting")));
        };
        if entries.iter().any(|known| known.key == key) {
            return Err(wrong(words, &format!("{key:?} is set twice")));
        }
        let inner = value.strip_prefix('{').and_then(|value| value.strip_suffix('}'));
        let found = match inner {
            Some(inner) => {
                let mut inside = table(Vec::new());
                add(words, &mut inside, inner)?;
                inside
            }
            None => scalar(value),
        };
        entries.push(entry(key, found));
    }
    Ok(())
}

/// The parts between commas outside of braces.
fn split(settings: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_i32;
    let parts = settings.split(move |letter| {
        depth += i32::from(letter == '{') - i32::from(letter == '}');
        letter == ',' && depth == 0
    });
    parts.map(str::trim).filter(|part| !part.is_empty())
}

/// A truth value or a number if the word is one, and otherwise a text.
fn scalar(words: &str) -> Node {
    let plain = words.strip_prefix('"').and_then(|words| words.strip_suffix('"'));
    let numeric = words.starts_with(|first: char| first.is_ascii_digit() || "+-.".contains(first));
    let datum = match (words, plain) {
        ("true", _) => Datum::Bool(true),
        ("false", _) => Datum::Bool(false),
        (_, Some(plain)) => Datum::Text(plain.to_owned()),
        _ if numeric => match (words.parse(), words.parse()) {
            (Ok(whole), _) => Datum::Integer(whole),
            (_, Ok(number)) => Datum::Number(number),
            _ => Datum::Text(words.to_owned()),
        },
        _ => Datum::Text(words.to_owned()),
    };
    unplaced(datum)
}

fn wrong(words: &str, what: &str) -> Error {
    let error = ScenarioError::new("queue", what).found(words);
    Error(error.hint("write a name, name:key=value,key=value, or a table { kind = \"codel\", ecn = true }"))
}

#[cfg(test)]
mod tests {
    use super::queue;

    fn shown(words: &str) -> String {
        queue(words).expect("a queue in words").to_string()
    }

    #[test]
    fn settings_stand_behind_the_name() {
        assert_eq!(shown("codel"), "\"codel\"");
        assert_eq!(
            shown("red: min_th=5p, ecn=true, max_p=0.1"),
            "{ kind = \"red\", min_th = \"5p\", ecn = true, max_p = 0.1 }"
        );
        let nested = "{ kind = \"flow_queue\", policy = { kind = \"red\", limit = 10 }, flows = 4 }";
        assert_eq!(shown("flow_queue:policy={kind=red,limit=10},flows=4"), nested);
    }

    #[cfg(feature = "scenario-files")]
    #[test]
    fn a_table_is_one_of_toml() {
        assert_eq!(shown("{ kind = \"red\", gentle = false }"), "{ kind = \"red\", gentle = false }");
    }

    #[test]
    fn what_is_wrong_is_said() {
        let message = |words: &str| queue(words).expect_err("it is wrong").to_string();
        assert!(message("red:min_th").contains("\"min_th\" is not a setting"));
        assert!(message("red:ecn=true,ecn=false").contains("is set twice"));
        assert!(message("{ kind = ").starts_with("queue") || message("{ kind = ").contains("TOML"));
    }
}
