//! The error of every reader: where the input is wrong, and how.

use sojourn_sim::scenario::shortened;

/// Where in the input something is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the whole.
    File,
    /// A line of a CSV, the header being line 1, or of a trace of ns-2.
    Line(u64),
    /// A captured frame, the first being 1.
    Frame(u64),
}

/// Why the input is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// Where.
    pub place: Place,
    /// The value that was found, and the allowed values.
    pub what: String,
    /// More of both, in lines of their own.
    pub help: String,
}

impl ReadError {
    pub(crate) fn new(place: Place, what: impl Into<String>) -> Self {
        ReadError { place, what: what.into(), help: String::new() }
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = help.into();
        self
    }
}

impl std::fmt::Display for ReadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.place {
            Place::File => write!(f, "{}", shortened(&self.what)),
            Place::Line(line) => write!(f, "line {line}: {}", shortened(&self.what)),
            Place::Frame(frame) => write!(f, "frame {frame}: {}", shortened(&self.what)),
        }?;
        f.write_str(&self.help)
    }
}

impl std::error::Error for ReadError {}
