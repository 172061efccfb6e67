//! The errors of a gateway.

use std::fmt;

/// Why a gateway does not start, or why it has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The user can change it: a name, a value, a permission. The text is one message of several lines.
    Input(String),
    /// Something broke while it ran.
    Broken(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Error::Input(text) | Error::Broken(text)) = self;
        f.write_str(text)
    }
}

impl std::error::Error for Error {}
