//! `--set key=value`: changes a scenario before it is checked.

use super::document::{self, Datum, Entry, Node, Place};
use super::error::{ScenarioError, Source};
use super::keys::{SCENARIO, Table};
use crate::params::{Kind, Param, nearest};
use crate::registry::Registry;
use std::fmt::Write as _;

/// Sets the value at `target`, such as `dumbbell.queue.min_th`, `flow[0].count` or `flow.bulk.count`
/// (by the flow's name). `text` is a value as in the file; the quotation marks of a text may be left out. Queues are those of `registry`.
pub fn set(root: &mut Node, target: &str, text: &str, registry: &Registry) -> Result<(), ScenarioError> {
    let steps = steps(target)?;
    let value = value(text);
    let mut node = root;
    let mut table = Some(&SCENARIO);
    for (i, step) in steps.iter().enumerate() {
        let path = done(&steps[..i]);
        node = match step {
            Step::Index(index) => element(node, *index, &path)?,
            Step::Key(name) if matches!(node.datum, Datum::List(_)) => named(node, name, &path)?,
            Step::Key(name) => {
                let next = below(node, name, table, &path, registry)?;
                table = table.and_then(|table| table.below(name));
                next
            }
        };
    }
    *node = value;
    Ok(())
}

enum Step {
    Key(String),
    Index(usize),
}

fn error(path: &str, what: impl Into<String>) -> ScenarioError {
    let mut error = ScenarioError::new(path, what);
    error.from_set = true;
    error
}

/// Splits `flow[0].start.at`.
fn steps(path: &str) -> Result<Vec<Step>, ScenarioError> {
    let malformed = || {
        error(path, "this is not a path of keys")
            .allowed("keys joined by points, such as dumbbell.queue.limit, flow[0].count or flow.bulk.count")
    };
    let mut steps = Vec::new();
    for part in path.split('.') {
        let (key, indices) = match part.find('[') {
            Some(bracket) => part.split_at(bracket),
            None => (part, ""),
        };
        if key.trim().is_empty() {
            return Err(malformed());
        }
        steps.push(Step::Key(key.trim().to_owned()));
        for index in indices.split_inclusive(']') {
            let number = index.strip_prefix('[').and_then(|index| index.strip_suffix(']'));
            steps.push(Step::Index(number.and_then(|number| number.parse().ok()).ok_or_else(malformed)?));
        }
    }
    Ok(steps)
}

/// The path of the first steps, for messages.
fn done(steps: &[Step]) -> String {
    let mut path = String::new();
    for step in steps {
        match step {
            Step::Index(index) => {
                let _ = write!(path, "[{index}]");
            }
            Step::Key(key) => path = super::checked_table::join(&path, key),
        }
    }
    path
}

/// A value as in a file; a value that is not TOML is a text without its quotation marks.
fn value(text: &str) -> Node {
    let line = format!("value = {text}");
    let read = (!text.contains('\n')).then(|| document::from_toml(&Source::default(), &line).ok()).flatten();
    let datum = match read {
        Some(Node { datum: Datum::Table(mut entries), .. }) if entries.len() == 1 => match entries.remove(0).node.datum
        {
            Datum::Other(_) => Datum::Text(text.to_owned()),
            datum => datum,
        },
        _ => Datum::Text(text.to_owned()),
    };
    let mut node = Node::set(datum);
    forget_places(&mut node);
    node
}

/// Offsets in the argument are not offsets in the file.
fn forget_places(node: &mut Node) {
    node.place = Place::Set;
    match &mut node.datum {
        Datum::List(nodes) => nodes.iter_mut().for_each(forget_places),
        Datum::Table(entries) => {
            for entry in entries {
                entry.place = Place::Set;
                forget_places(&mut entry.node);
            }
        }
        _ => {}
    }
}

fn element<'a>(node: &'a mut Node, index: usize, path: &str) -> Result<&'a mut Node, ScenarioError> {
    let kind = node.kind();
    let Datum::List(nodes) = &mut node.datum else {
        return Err(error(path, format!("this is {kind}, not a list")));
    };
    let count = nodes.len();
    nodes.get_mut(index).ok_or_else(|| {
        error(path, format!("there is no element {index}")).allowed(format!("0 to {}", count.saturating_sub(1)))
    })
}

/// The table of a list whose `name` is `key`.
fn named<'a>(node: &'a mut Node, key: &str, path: &str) -> Result<&'a mut Node, ScenarioError> {
    let Datum::List(nodes) = &mut node.datum else { unreachable!("the caller has looked") };
    let name_of = |element: &Node| match element.get("name").map(|name| &name.datum) {
        Some(Datum::Text(name)) => Some(name.clone()),
        _ => None,
    };
    let names: Vec<String> = nodes.iter().filter_map(name_of).collect();
    nodes.iter_mut().find(|element| name_of(element).as_deref() == Some(key)).ok_or_else(|| {
        let hint = match nearest(key, names.iter().map(String::as_str)) {
            Some(near) => format!("did you mean {near:?}?"),
            None => format!("or by position: {path}[0]"),
        };
        error(path, format!("nothing here has the name {key:?}")).allowed(names.join(", ")).hint(hint)
    })
}

/// The value of `key`; a bare value becomes the table that it stands for, and a missing one is made.
fn below<'a>(
    node: &'a mut Node,
    key: &str,
    table: Option<&'static Table>,
    path: &str,
    registry: &Registry,
) -> Result<&'a mut Node, ScenarioError> {
    if let Some(table) = table {
        let names: Vec<&str> = table.keys.iter().map(|known| known.name).collect();
        if !names.contains(&key) {
            return Err(error(&super::checked_table::join(path, key), "this key is not known here")
                .allowed(names.join(", "))
                .hint(super::checked_table::meant(key, &names)));
        }
    }
    if !matches!(node.datum, Datum::Table(_)) {
        let long = spelled_out(&node.datum, path, registry).ok_or_else(|| {
            error(&super::checked_table::join(path, key), format!("{path} is {}, which has no keys", node.kind()))
                .found(node.excerpt())
        })?;
        node.datum = Datum::Table(vec![Entry {
            key: long.to_owned(),
            place: node.place,
            node: Node { datum: node.datum.clone(), place: node.place },
        }]);
    }
    let Datum::Table(entries) = &mut node.datum else { unreachable!("it has just become a table") };
    let index = entries.iter().position(|entry| entry.key == key).unwrap_or_else(|| {
        entries.push(Entry { key: key.to_owned(), place: Place::Set, node: Node::set(Datum::Table(Vec::new())) });
        entries.len() - 1
    });
    Ok(&mut entries[index].node)
}

/// The key that a bare value at `path` stands for: `queue = "red"` is `queue = { kind = "red" }`.
fn spelled_out(datum: &Datum, path: &str, registry: &Registry) -> Option<&'static str> {
    let last = path.rsplit(['.', ']']).next().unwrap_or(path);
    let series = path.starts_with("record.");
    match (datum, last) {
        (Datum::Text(_), _) if series => Some("every"),
        (Datum::Text(_), "start") => Some("at"),
        (Datum::Text(_), "queue" | "reverse_queue" | "transport" | "app" | "control" | "loss" | "reverse_loss") => {
            Some("kind")
        }
        (Datum::Text(_), "jitter") => Some("mean"),
        (Datum::Text(_), parameter) if holds_a_policy(parameter, registry) => Some("kind"),
        _ => None,
    }
}

/// Whether a queue's parameter is a policy with parameters of its own.
fn holds_a_policy(name: &str, registry: &Registry) -> bool {
    let is_it = |param: &Param| param.name == name && matches!(param.kind, Kind::Policy(_) | Kind::Queue(_));
    registry.queues().flat_map(|entry| entry.params).any(is_it)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(toml: &str, path: &str, text: &str) -> Result<Node, ScenarioError> {
        let mut root = document::from_toml(&Source::default(), toml)?;
        set(&mut root, path, text, &Registry::default())?;
        Ok(root)
    }

    const FILE: &str = "duration = \"1s\"\ndumbbell.queue = \"fifo\"\n[[flow]]\nname = \"bulk\"\nstart = \"1s\"\n";

    #[test]
    fn a_bare_name_becomes_a_table_when_a_parameter_is_set() {
        let root = changed(FILE, "dumbbell.queue.limit", "10p").expect("a valid path");
        let queue = root.get("dumbbell").and_then(|dumbbell| dumbbell.get("queue")).expect("queue");
        assert_eq!(queue.get("kind").expect("kind").datum, Datum::Text("fifo".into()));
        assert_eq!(queue.get("limit").expect("limit").datum, Datum::Text("10p".into()));
    }

    #[test]
    fn flows_are_found_by_name_and_by_position() {
        for path in ["flow.bulk.count", "flow[0].count"] {
            let root = changed(FILE, path, "20").expect("a valid path");
            let Datum::List(flows) = &root.get("flow").expect("flow").datum else { panic!("not a list") };
            assert_eq!(flows[0].get("count").expect("count").datum, Datum::Integer(20));
        }
    }

    #[test]
    fn values_are_read_as_in_a_file_and_texts_need_no_quotation_marks() {
        assert_eq!(value("true").datum, Datum::Bool(true));
        assert_eq!(value("0.5").datum, Datum::Number(0.5));
        assert_eq!(value("10Mbit").datum, Datum::Text("10Mbit".into()));
        assert_eq!(value("\"10Mbit\"").datum, Datum::Text("10Mbit".into()));
        assert!(matches!(value("[\"1ms\", \"2ms\"]").datum, Datum::List(_)));
        assert_eq!(value("1\nflow = 2").datum, Datum::Text("1\nflow = 2".into()));
        assert_eq!(value("").datum, Datum::Text(String::new()));
    }

    #[test]
    fn what_is_not_there_is_refused_with_what_is() {
        let message = |path: &str| changed(FILE, path, "1").expect_err("a wrong path").to_string();
        assert!(message("flow.bulkk.count").contains("did you mean \"bulk\"?"));
        assert!(message("flow[3].count").contains("there is no element 3"));
        assert!(message("dumbell.rate").contains("did you mean \"dumbbell\"?"));
        // Its names in other tools.
        assert!(message("dumbbell.bandwidth").contains("did you mean \"rate\"?"));
        assert!(message("duration.x").contains("has no keys"));
        assert!(message("flow[x].count").contains("not a path"));
        assert!(message("").contains("not a path"));
        assert!(message("a..b").contains("not a path"));
    }
}
