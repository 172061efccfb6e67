//! Reads one table of a scenario by its declaration, and reports mistakes in it.

use super::document::{Datum, Entry, Node, Place};
use super::error::{ScenarioError, Source};
use super::keys::{Key, Presence, Shape, Table};
use crate::params::{Kind, Param, ParamType, Value, nearest, one_of};
use crate::units::Duration;
use std::borrow::Cow;

/// A table that is being read; all its keys are known.
#[derive(Clone)]
pub struct View<'a> {
    source: &'a Source,
    table: &'static Table,
    entries: &'a [Entry],
    short: Option<(&'static str, &'a Node)>,
    path: String,
    place: Place,
}

impl<'a> View<'a> {
    /// Opens `node` as a table with the keys of `table`; `short` is the key that a bare value stands for.
    pub fn open(
        source: &'a Source,
        node: &'a Node,
        path: String,
        table: &'static Table,
        short: &'static str,
    ) -> Result<Self, ScenarioError> {
        let mut view = View { source, table, entries: &[], short: None, path, place: node.place };
        match &node.datum {
            Datum::Table(entries) => view.entries = entries,
            Datum::List(_) | Datum::Other(_) => return Err(view.not_a_table(node, short)),
            _ if short.is_empty() => return Err(view.not_a_table(node, short)),
            _ => view.short = Some((short, node)),
        }
        for entry in view.entries {
            if !table.keys.iter().any(|key| key.name == entry.key) {
                return Err(view.unknown(entry));
            }
        }
        Ok(view)
    }

    /// A table in which nothing is written: all defaults.
    pub fn empty(source: &'a Source, table: &'static Table) -> Self {
        View { source, table, entries: &[], short: None, path: String::new(), place: Place::Unknown }
    }

    /// The path of a key below this table.
    pub fn path_of(&self, key: &str) -> String {
        match self.short {
            Some(_) => self.path.clone(),
            None => join(&self.path, key),
        }
    }

    /// The source, for positions.
    pub fn source(&self) -> &'a Source {
        self.source
    }

    /// The place of the table.
    pub fn place(&self) -> Place {
        self.place
    }

    /// The value of a key, if written.
    pub fn node(&self, name: &str) -> Option<&'a Node> {
        match self.short {
            Some((short, node)) => (short == name).then_some(node),
            None => self.entries.iter().find(|entry| entry.key == name).map(|entry| &entry.node),
        }
    }

    /// The value of a key, written or the text that is declared as its default.
    pub fn node_or_default(&self, name: &str) -> Cow<'a, Node> {
        match (self.node(name), self.key(name).presence) {
            (Some(node), _) => Cow::Borrowed(node),
            (None, Presence::Default(text)) => {
                Cow::Owned(Node { datum: Datum::Text(text.to_owned()), place: self.place })
            }
            (None, Presence::Required | Presence::Optional(_)) => unreachable!("{name} has a default"),
        }
    }

    /// The value of a key, written or by default.
    pub fn value<T: ParamType>(&self, name: &'static str) -> Result<T, ScenarioError> {
        match self.maybe(name)? {
            Some(value) => Ok(value),
            None => match self.key(name).presence {
                Presence::Default(text) => {
                    let param = self.param(name);
                    let value = param.read_text(text).ok().and_then(T::from_value);
                    Ok(value.expect("declared defaults read back"))
                }
                Presence::Required | Presence::Optional(_) => Err(self.missing(name)),
            },
        }
    }

    /// The value of a key, if written.
    pub fn maybe<T: ParamType>(&self, name: &'static str) -> Result<Option<T>, ScenarioError> {
        let Some(node) = self.node(name) else { return Ok(None) };
        let value = read(self.source, &self.param(name), node, &self.path_of(name))?;
        match T::from_value(value) {
            Some(value) => Ok(Some(value)),
            None => Err(self.wrong(name, "the value is out of range")),
        }
    }

    /// The least and the greatest of a key that takes one value or two.
    pub fn range(&self, name: &'static str) -> Result<(Duration, Duration), ScenarioError> {
        let Some(Node { datum: Datum::List(nodes), .. }) = self.node(name) else {
            let both = self.value(name)?;
            return Ok((both, both));
        };
        let [low, high] = nodes.as_slice() else {
            return Err(self
                .wrong(name, format!("this list has {} values", nodes.len()))
                .allowed("one value, or a list of the least and the greatest such as [\"2ms\", \"10ms\"]"));
        };
        let param = self.param(name);
        let mut ends = [Duration::ZERO; 2];
        for (i, node) in [low, high].into_iter().enumerate() {
            let value = read(self.source, &param, node, &format!("{}[{i}]", self.path_of(name)))?;
            ends[i] = Duration::from_value(value).unwrap_or_default();
        }
        if ends[0] > ends[1] {
            return Err(self
                .wrong(name, "the least value comes after the greatest")
                .hint(format!("write [\"{}\", \"{}\"]", ends[1], ends[0])));
        }
        Ok((ends[0], ends[1]))
    }

    /// A text, if written. Names are short and printable.
    pub fn text(&self, name: &'static str) -> Result<Option<&'a str>, ScenarioError> {
        const LONGEST: usize = 200;
        let Some(node) = self.node(name) else { return Ok(None) };
        let Datum::Text(text) = &node.datum else {
            return Err(self.wrong(name, format!("this is {}", node.kind())).allowed("a text in quotation marks"));
        };
        if text.chars().count() > LONGEST || text.chars().any(is_unseen) {
            return Err(self
                .wrong(name, "this text is too long or has characters that control others or are not seen")
                .allowed(format!("one line of at most {LONGEST} characters")));
        }
        Ok(Some(text))
    }

    /// A name that must be written and is not empty.
    pub fn name(&self, name: &'static str) -> Result<&'a str, ScenarioError> {
        match self.text(name)? {
            Some("") => Err(self.wrong(name, "this name is empty")),
            Some(text) => Ok(text),
            None => Err(self.missing(name)),
        }
    }

    /// The table below a key, if written.
    pub fn table(&self, name: &'static str) -> Result<Option<View<'a>>, ScenarioError> {
        let Some(node) = self.node(name) else { return Ok(None) };
        let Shape::Table { table, short } = self.key(name).shape else {
            unreachable!("{name} is declared as a table");
        };
        View::open(self.source, node, self.path_of(name), table, short).map(Some)
    }

    /// The tables of a list such as `[[flow]]`; none if it is not written.
    pub fn tables(&self, name: &'static str) -> Result<Vec<View<'a>>, ScenarioError> {
        let Some(node) = self.node(name) else { return Ok(Vec::new()) };
        let Shape::Tables(table) = self.key(name).shape else {
            unreachable!("{name} is declared as a list of tables");
        };
        let Datum::List(nodes) = &node.datum else {
            return Err(self
                .wrong(name, format!("this is {}, not a list of tables", node.kind()))
                .hint(format!("write [[{name}]] with double brackets, once for each")));
        };
        let open = |(i, each)| View::open(self.source, each, format!("{}[{i}]", self.path_of(name)), table, "");
        nodes.iter().enumerate().map(open).collect()
    }

    /// An error at a key's value, with the value.
    pub fn wrong(&self, name: &str, what: impl Into<String>) -> ScenarioError {
        match self.node(name) {
            Some(node) => {
                ScenarioError::new(self.path_of(name), what).found(node.excerpt()).at(self.source, node.place)
            }
            None => ScenarioError::new(self.path_of(name), what).at(self.source, self.place),
        }
    }

    /// An error about the table as a whole.
    pub fn wrong_whole(&self, what: impl Into<String>) -> ScenarioError {
        ScenarioError::new(self.path.clone(), what).at(self.source, self.place)
    }

    /// A key that must be written is not.
    pub fn missing(&self, name: &str) -> ScenarioError {
        let key = self.key(name);
        let error =
            ScenarioError::new(self.path.clone(), format!("the key {name:?} is missing")).at(self.source, self.place);
        match (&key.shape, key.param()) {
            (_, Some(param)) => error.allowed(param.allowed()),
            (Shape::Text, _) => error.allowed("a text in quotation marks"),
            (Shape::Table { table, short }, _) => match table.keys.iter().find(|below| below.name == *short) {
                Some(bare) => error.allowed(bare.param().map_or_else(String::new, |param| param.allowed())),
                None => error,
            },
            (Shape::Tables(_), _) => error.hint(format!("add at least one [[{name}]] table")),
            _ => error,
        }
    }

    fn key(&self, name: &str) -> &'static Key {
        self.table.keys.iter().find(|key| key.name == name).expect("only declared keys are asked for")
    }

    fn param(&self, name: &str) -> Param {
        self.key(name).param().expect("only keys with a kind are read as values")
    }

    fn not_a_table(&self, node: &Node, short: &str) -> ScenarioError {
        let example = match short {
            "" => "a table".to_owned(),
            "fixed" => "a rate such as \"10Mbit\", or a table such as { mahimahi = \"FILE\" }".to_owned(),
            _ => format!("a time such as \"1s\", or a table such as {{ {short} = \"1s\" }}"),
        };
        let hint = match (&node.datum, self.path.contains(['.', '[']) || self.path.is_empty()) {
            (Datum::List(_), false) => format!("write [{}] with single brackets", self.path),
            _ => String::new(),
        };
        ScenarioError::new(self.path.clone(), format!("this is {}", node.kind()))
            .found(node.excerpt())
            .allowed(example)
            .hint(hint)
            .at(self.source, node.place)
    }

    fn unknown(&self, entry: &Entry) -> ScenarioError {
        let names: Vec<&str> = self.table.keys.iter().map(|key| key.name).collect();
        unknown_key(self.source, entry, &self.path, &names)
    }
}

/// `path.key`, or `key` at the top.
pub fn join(path: &str, key: &str) -> String {
    let bare = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
    let key = if bare { key.to_owned() } else { format!("{key:?}") };
    if path.is_empty() { key } else { format!("{path}.{key}") }
}

/// The names of other tools for our keys.
const SYNONYMS: &[(&str, &str)] = &[
    ("algorithm", "kind"),
    ("application", "app"),
    ("bandwidth", "rate"),
    ("buffer", "limit"),
    ("capacity", "rate"),
    ("cc", "control"),
    ("congestion_control", "control"),
    ("decrease", "cut"),
    ("destination", "to"),
    ("down", "reverse_rate"),
    ("downlink", "reverse_rate"),
    ("download", "reverse_rate"),
    ("dst", "to"),
    ("end", "stop"),
    ("flows", "count"),
    ("latency", "delay"),
    ("n", "count"),
    ("number", "count"),
    ("preset", "profile"),
    ("profile", "preset"),
    ("protocol", "transport"),
    ("size", "limit"),
    ("source", "from"),
    ("speed", "rate"),
    ("src", "from"),
    ("time", "duration"),
    ("type", "kind"),
    ("up", "rate"),
    ("uplink", "rate"),
    ("upload", "rate"),
];

/// The message for a key that does not exist here.
pub fn unknown_key(source: &Source, entry: &Entry, path: &str, names: &[&str]) -> ScenarioError {
    ScenarioError::new(join(path, &entry.key), "this key is not known here")
        .allowed(names.join(", "))
        .hint(meant(&entry.key, names))
        .at(source, entry.place)
}

/// The hint about a key that is not among `names`: which of them may be meant, if any.
pub fn meant(key: &str, names: &[&str]) -> String {
    // A name of another tool goes before a similar spelling: a speed is a rate, and no spread.
    let synonym = SYNONYMS.iter().find(|(other, ours)| *other == key && names.contains(ours));
    let near = synonym.map(|(_, ours)| *ours).or_else(|| nearest(key, names.iter().copied()));
    near.map_or(String::new(), |name| format!("did you mean {name:?}?"))
}

/// Reads a value by a parameter's declaration.
pub fn read(source: &Source, param: &Param, node: &Node, path: &str) -> Result<Value, ScenarioError> {
    if let Kind::Several(kind) = param.kind {
        return several(source, &one_of(param, kind), node, path);
    }
    let complaint = match &node.datum {
        Datum::Bool(truth) => param.read_bool(*truth),
        Datum::Integer(number) => param.read_number(*number as f64),
        Datum::Number(number) => param.read_number(*number),
        Datum::Text(text) => param.read_text(text),
        Datum::List(nodes) if param.kind == Kind::Numbers => {
            match nodes.iter().map(number).collect::<Option<Vec<f64>>>() {
                Some(numbers) => param.read_list(&numbers),
                None => param.read_text("?"),
            }
        }
        Datum::List(_) | Datum::Table(_) | Datum::Other(_) => {
            return Err(ScenarioError::new(path, format!("this is {}", node.kind()))
                .found(node.excerpt())
                .allowed(param.allowed())
                .at(source, node.place));
        }
    };
    complaint.map_err(|complaint| {
        let mut error = ScenarioError::complaint(path, complaint).found(node.excerpt()).at(source, node.place);
        if let Some(example) = with_unit(param.kind, param.default, &node.datum) {
            error.allowed.clear();
            error.hint = format!("write it with its unit, in quotation marks: \"{example}\"");
        }
        error
    })
}

/// One value of `param`, or a list of them.
fn several(source: &Source, param: &Param, node: &Node, path: &str) -> Result<Value, ScenarioError> {
    let values: Result<_, _> = match &node.datum {
        Datum::List(nodes) => {
            let values = nodes.iter().enumerate();
            values.map(|(i, each)| read(source, param, each, &format!("{path}[{i}]"))).collect()
        }
        _ => read(source, param, node, path).map(|value| [value].into()),
    };
    values.map(Value::Several)
}

/// A bare number.
fn number(node: &Node) -> Option<f64> {
    match node.datum {
        Datum::Integer(number) => Some(number as f64),
        Datum::Number(number) => Some(number),
        _ => None,
    }
}

/// A bare number of something that has a unit, with the most likely unit.
fn with_unit(kind: Kind, default: &str, datum: &Datum) -> Option<String> {
    let number = match datum {
        Datum::Integer(number) if *number >= 0 => number.to_string(),
        Datum::Number(number) if number.is_finite() && *number >= 0.0 => number.to_string(),
        Datum::Text(text) if text.trim().parse::<f64>().is_ok_and(|number| number.is_finite() && number >= 0.0) => {
            text.trim().to_owned()
        }
        _ => return None,
    };
    let unit = match kind {
        // Ten million megabits are not meant.
        Kind::Rate if number.parse::<f64>().is_ok_and(|number| number >= 1e5) => "bit",
        Kind::Rate => "Mbit",
        // In the unit of its default: who writes a target of 5 means 5 ms.
        Kind::Time => ["ms", "us", "ns"].into_iter().find(|unit| default.ends_with(unit)).unwrap_or("s"),
        Kind::Size => "p",
        Kind::Bytes => "B",
        Kind::Bool
        | Kind::Integer
        | Kind::Number
        | Kind::Fraction
        | Kind::Choice(_)
        | Kind::Dscp
        | Kind::Flows
        | Kind::Tables(_)
        | Kind::Numbers
        | Kind::Policy(_)
        | Kind::Queue(_) => {
            return None;
        }
        Kind::Several(kind) => return with_unit(*kind, default, datum),
    };
    Some(format!("{number}{unit}"))
}

/// Whether a character is not seen or changes how others are: controls, separators of lines, marks of direction, and of the
/// signs of no width all but the two that join or part letters, which some scripts need (Unicode 15, categories Cc, Cf, Zl, Zp).
fn is_unseen(c: char) -> bool {
    let is_format = matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}');
    c.is_control() || is_format
}
