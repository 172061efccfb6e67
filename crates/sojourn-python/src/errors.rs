//! The exceptions that reach Python, and their messages.

use pyo3::create_exception;
use pyo3::exceptions::{PyMemoryError, PyValueError};
use pyo3::prelude::*;
use sojourn_sim::quantity::Complaint;

create_exception!(
    sojourn,
    ScenarioError,
    PyValueError,
    "A scenario that cannot be run: the place, and the found and the allowed values."
);

create_exception!(
    sojourn,
    OutOfMemory,
    PyMemoryError,
    "A run that would take more memory than it may: the part that takes most of it, and the bytes in all."
);

/// The attributes of a [`ScenarioError`]. An attribute is empty if the message has no such part.
pub const PARTS: [&str; 5] = ["key", "what", "found", "allowed", "hint"];

/// The exception for a scenario that is refused. Its attributes are the parts of the message, for callers that know the place
/// under another name.
pub fn refused_scenario(error: &sojourn_sim::scenario::ScenarioError) -> PyErr {
    let raised = ScenarioError::new_err(error.to_string());
    let texts = [&error.key, &error.what, &error.found, &error.allowed, &error.hint];
    Python::attach(|py| {
        let value = raised.value(py);
        PARTS.iter().zip(texts).try_for_each(|(name, text)| value.setattr(*name, text.as_str()))
    })
    .map_or_else(|failed| failed, |()| raised)
}

/// The exception for anything else that the user can put right.
pub fn refused(message: String) -> PyErr {
    ScenarioError::new_err(message)
}

/// A message about the value at `key`.
pub fn message(key: &str, found: Option<&str>, complaint: &Complaint) -> String {
    let found = found.map_or(String::new(), |found| format!("\n  found:   {found:?}"));
    let help = match complaint.hint.strip_prefix("allowed: ") {
        Some(allowed) => format!("\n  allowed: {allowed}"),
        None if complaint.hint.is_empty() => String::new(),
        None => format!("\n  hint:    {}", complaint.hint),
    };
    format!("{key}: {}{found}{help}", complaint.what)
}
