//! A link for callers that write no file: a rate, a delay, a queue and settings.

use super::Error;
use super::nodes::{entry, list, table, text, unplaced};
use sojourn_sim::scenario::ScenarioError;
use sojourn_sim::scenario::document::{Datum, Node};

/// A link of a [`Path`](super::Path): a rate, a delay of propagation, a queue, and losses, changes or other settings.
///
/// ```
/// use sojourn_bottleneck::{Link, Path};
///
/// let access = Link::new("50Mbit", "5ms").queue("fq_codel:target=5ms");
/// let radio = Link::new("20Mbit", "10ms")
///     .set("loss.kind", "uniform")
///     .set("loss.probability", 0.01)
///     .set("jitter.mean", "2ms")
///     .set("jitter.reorder", true);
/// let path = Path::<u32>::new([access, radio], 7)?;
/// assert!(path.is_empty());
/// # Ok::<(), sojourn_bottleneck::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Link {
    settings: Vec<(String, Setting)>,
    changes: Vec<[(&'static str, String); 2]>,
}

/// A value of a setting: a truth value, a number, a text such as `"5ms"`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Setting {
    /// Yes or no.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// A real number.
    Number(f64),
    /// Numbers in a row.
    Numbers(Vec<f64>),
    /// A name or a quantity with its unit.
    Text(String),
}

impl From<bool> for Setting {
    fn from(value: bool) -> Self {
        Setting::Bool(value)
    }
}
impl From<i32> for Setting {
    fn from(value: i32) -> Self {
        Setting::Integer(value.into())
    }
}
impl From<u32> for Setting {
    fn from(value: u32) -> Self {
        Setting::Integer(value.into())
    }
}
impl From<f64> for Setting {
    fn from(value: f64) -> Self {
        Setting::Number(value)
    }
}
impl From<Vec<f64>> for Setting {
    fn from(value: Vec<f64>) -> Self {
        Setting::Numbers(value)
    }
}
impl From<&str> for Setting {
    fn from(value: &str) -> Self {
        Setting::Text(value.to_owned())
    }
}
impl From<String> for Setting {
    fn from(value: String) -> Self {
        Setting::Text(value)
    }
}

impl Link {
    /// A link with a rate such as `"10Mbit"` and a delay of propagation such as `"20ms"`. Its queue is the default of a link in a scenario
    /// file.
    pub fn new(rate: &str, delay: &str) -> Self {
        Link { settings: Vec::new(), changes: Vec::new() }.set("rate", rate).set("delay", delay)
    }

    /// A link that sends at these moments only, like a trace of Mahimahi. The moments are in milliseconds and in order, and repeat from the
    /// beginning.
    pub fn traced(milliseconds: Vec<f64>, delay: &str) -> Self {
        Link { settings: Vec::new(), changes: Vec::new() }.set("rate.mahimahi", milliseconds).set("delay", delay)
    }

    /// The same link with another rate from this time on. Changes are in order of time.
    #[must_use]
    pub fn change_rate(mut self, at: &str, rate: &str) -> Self {
        self.changes.push([("at", at.to_owned()), ("rate", rate.to_owned())]);
        self
    }

    /// The same link with another delay from this time on. Changes are in order of time.
    #[must_use]
    pub fn change_delay(mut self, at: &str, delay: &str) -> Self {
        self.changes.push([("at", at.to_owned()), ("delay", delay.to_owned())]);
        self
    }

    /// The same link with this queue. It has a name and settings, as for [`Queue::new`](super::Queue::new).
    #[must_use]
    pub fn queue(self, queue: &str) -> Self {
        self.set("queue", queue)
    }

    /// The same link with a value for a key of a scenario file's link (`sojourn explain link`): `"base_rtt"`, `"loss.probability"`, and so
    /// on. A mistake is reported when a path is made of the link. A key that is set again has the new value.
    #[must_use]
    pub fn set(mut self, key: &str, value: impl Into<Setting>) -> Self {
        let value = value.into();
        match self.settings.iter_mut().find(|(known, _)| known == key) {
            Some((_, known)) => *known = value,
            None => self.settings.push((key.to_owned(), value)),
        }
        self
    }

    /// The link as a table of a scenario file.
    pub(super) fn node(&self) -> Result<Node, Error> {
        let mut root = table(Vec::new());
        for (key, value) in &self.settings {
            let node = match value {
                Setting::Text(text) if key == "queue" => super::words::queue(text)?,
                value => datum(value),
            };
            put(&mut root, key, key, node)?;
        }
        if !self.changes.is_empty() {
            let change = |change: &[(&str, String); 2]| {
                table(change.iter().map(|(key, value)| entry(key, text(value))).collect())
            };
            put(&mut root, "changes", "changes", list(self.changes.iter().map(change).collect()))?;
        }
        Ok(root)
    }
}

fn datum(value: &Setting) -> Node {
    match value {
        Setting::Bool(truth) => unplaced(Datum::Bool(*truth)),
        Setting::Integer(number) => unplaced(Datum::Integer(*number)),
        Setting::Number(number) => unplaced(Datum::Number(*number)),
        Setting::Numbers(numbers) => list(numbers.iter().map(|number| unplaced(Datum::Number(*number))).collect()),
        Setting::Text(words) => text(words),
    }
}

/// Puts a value at a path of keys. `whole` is that path, for messages.
fn put(node: &mut Node, whole: &str, path: &str, value: Node) -> Result<(), Error> {
    let (key, rest) = path.split_once('.').map_or((path, None), |(key, rest)| (key, Some(rest)));
    let Datum::Table(entries) = &mut node.datum else {
        let message = ScenarioError::new(whole, "something before the last point is set to a value already");
        return Err(Error(message.hint("set its kind: link.set(\"loss.kind\", \"uniform\")")));
    };
    let index = entries.iter().position(|entry| entry.key == key).unwrap_or_else(|| {
        entries.push(entry(key, table(Vec::new())));
        entries.len() - 1
    });
    if let Some(rest) = rest {
        return put(&mut entries[index].node, whole, rest, value);
    }
    entries[index].node = value;
    Ok(())
}
