//! The one message that a user sees when a scenario cannot be run: the place in the file, the found and the allowed values, and the nearest
//! valid name.

use crate::quantity::Complaint;
use crate::registry::Registry;
use std::fmt;
use std::ops::{Deref, DerefMut};

/// The place of a value or a key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Place {
    /// Not known (JSON).
    #[default]
    Unknown,
    /// Byte offset in the text.
    Offset(usize),
    /// Given by `--set`.
    Set,
}

/// Why a scenario cannot be run: [`Details`], boxed because results are mostly good.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScenarioError(Box<Details>);

/// The parts of a message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Details {
    /// Name of the file; empty where there is none (Python builders).
    pub file: String,
    /// Line and column, counted from 1, where known.
    pub position: Option<(usize, usize)>,
    /// Whether the value came from `--set` and not from the file.
    pub from_set: bool,
    /// The key, such as `flow[1].transport.recovery`; empty for the whole file.
    pub key: String,
    /// The mistake.
    pub what: String,
    /// The value that was found there, as the user wrote it; empty if there was none.
    pub found: String,
    /// The allowed values; empty if the message says it already.
    pub allowed: String,
    /// A hint: the nearest valid name, an example; may be empty.
    pub hint: String,
}

impl ScenarioError {
    /// An error at `key`; `what` is the mistake.
    pub fn new(key: impl Into<String>, what: impl Into<String>) -> Self {
        ScenarioError(Box::new(Details { key: key.into(), what: what.into(), ..Details::default() }))
    }

    /// An error about a value's complaint.
    pub fn complaint(key: impl Into<String>, complaint: Complaint) -> Self {
        let error = ScenarioError::new(key, complaint.what);
        match complaint.hint.strip_prefix("allowed: ") {
            Some(allowed) => error.allowed(allowed),
            None => error.hint(complaint.hint),
        }
    }

    /// Adds the value that was found.
    #[must_use]
    pub fn found(mut self, found: impl Into<String>) -> Self {
        self.0.found = found.into();
        self
    }

    /// Adds the allowed values.
    #[must_use]
    pub fn allowed(mut self, allowed: impl Into<String>) -> Self {
        self.0.allowed = allowed.into();
        self
    }

    /// Adds advice.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = hint.into();
        self
    }

    /// Adds the place.
    #[must_use]
    pub fn at(mut self, source: &Source, place: Place) -> Self {
        self.0.file.clone_from(&source.name);
        match place {
            Place::Unknown => {}
            Place::Offset(offset) => self.0.position = Some(source.position(offset)),
            Place::Set => self.0.from_set = true,
        }
        self
    }
}

/// A text that a user may have written, at most 300 characters of it: its beginning and its end.
pub fn shortened(text: &str) -> std::borrow::Cow<'_, str> {
    const PART: usize = 145;
    let count = text.chars().count();
    if count <= 2 * PART + 10 {
        return text.into();
    }
    let (first, last) = (text.chars().take(PART), text.chars().skip(count - PART));
    first.chain(" [...] ".chars()).chain(last).collect()
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.from_set, self.file.is_empty(), self.position) {
            (true, _, _) => write!(f, "--set: ")?,
            (_, false, Some((line, column))) => write!(f, "{}:{line}:{column}: ", self.file)?,
            (_, false, None) => write!(f, "{}: ", self.file)?,
            (_, true, Some((line, column))) => write!(f, "line {line}, column {column}: ")?,
            (_, true, None) => {}
        }
        if !self.key.is_empty() {
            write!(f, "{}: ", shortened(&self.key))?;
        }
        write!(f, "{}", shortened(&self.what))?;
        for (label, text) in [("found:   ", &self.found), ("allowed: ", &self.allowed), ("hint:    ", &self.hint)] {
            if !text.is_empty() {
                write!(f, "\n  {label}{}", if label.starts_with("found") { shortened(text) } else { text.into() })?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for ScenarioError {}

impl Deref for ScenarioError {
    type Target = Details;
    fn deref(&self) -> &Details {
        &self.0
    }
}

impl DerefMut for ScenarioError {
    fn deref_mut(&mut self) -> &mut Details {
        &mut self.0
    }
}

/// The text that a scenario was read from, for positions in messages, and the names that it may use.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// Name of the file; empty where there is none.
    pub name: String,
    /// The kinds that there are.
    pub registry: Registry,
    text: String,
}

impl Source {
    /// The file called `name` with this text.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Source { name: name.into(), registry: Registry::default(), text: text.into() }
    }

    /// Line and column (in characters) of a byte offset, counted from 1.
    pub fn position(&self, offset: usize) -> (usize, usize) {
        let before: String = self.text.char_indices().take_while(|&(i, _)| i < offset).map(|(_, c)| c).collect();
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|&c| c != '\n').count() + 1;
        (line, column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_shown_by_their_ends() {
        let text = format!("begins {} ends", "x".repeat(1_000_000));
        let shown = ScenarioError::new(text.clone(), text.clone()).found(text).to_string();

        assert!(shown.chars().count() < 1000, "{}", shown.len());
        assert!(shown.contains("begins xx") && shown.contains("xx ends"));
        assert_eq!(shortened("short"), "short");
    }

    #[test]
    fn positions_count_lines_and_characters_from_one() {
        let source = Source::new("f", "a = 1\né = 2\n");
        assert_eq!(source.position(0), (1, 1));
        assert_eq!(source.position(4), (1, 5));
        // Line 2 starts at byte 6; the accented letter takes two bytes but one column.
        assert_eq!(source.position(9), (2, 3));
        assert_eq!(source.position(1000), (3, 1));
    }

    #[test]
    fn a_message_has_the_place_first_and_leaves_out_what_is_not_known() {
        let source = Source::new("s.toml", "x = 1");
        let error = ScenarioError::new("x", "is wrong").found("1").hint("write y").at(&source, Place::Offset(4));
        assert_eq!(error.to_string(), "s.toml:1:5: x: is wrong\n  found:   1\n  hint:    write y");
        assert_eq!(ScenarioError::new("", "is empty").to_string(), "is empty");
    }
}
