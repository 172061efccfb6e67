//! The refusal of a queue, a rate or a link that a caller wrote.

use sojourn_sim::scenario::ScenarioError;
use std::fmt;

/// The mistake in a queue, a rate or a link. It is shown as one message with the place, the value that was found, the allowed values, and a
/// hint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(pub(super) ScenarioError);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Error {}

/// For the engine; it is not part of the stable interface.
impl From<ScenarioError> for Error {
    fn from(error: ScenarioError) -> Self {
        Error(error)
    }
}
