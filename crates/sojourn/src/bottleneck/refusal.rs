//! What is wrong with what the caller wrote.

use crate::scenario::ScenarioError;
use std::fmt;

/// What is wrong with a queue, a rate or a link. It is shown as one message: the place, what was found, what is allowed, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(pub(super) ScenarioError);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Error {}

/// For the engine; it is no part of the stable face.
impl From<ScenarioError> for Error {
    fn from(error: ScenarioError) -> Self {
        Error(error)
    }
}
