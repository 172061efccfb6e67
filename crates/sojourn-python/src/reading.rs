//! Scenarios as Python gives them: the text of a file with changes, or JSON.

use crate::errors::{ScenarioError, refused_scenario};
use crate::own;
use pyo3::prelude::*;
use sojourn::scenario::{Document, Plan};

/// Reads a scenario file and changes it by `key=value` texts.
pub fn document(text: &str, filename: &str, overrides: &[String]) -> PyResult<Document> {
    let document = Document::from_toml(text, filename).map_err(|error| refused_scenario(&error))?;
    let mut document = document.knowing(&own::registry());
    for change in overrides {
        let Some((path, value)) = change.split_once('=') else {
            let message = format!(
                "--set {change}: the value is missing\n  hint:    write key=value, such as dumbbell.rate=10Mbit"
            );
            return Err(ScenarioError::new_err(message));
        };
        document.set(path.trim(), value.trim()).map_err(|error| refused_scenario(&error))?;
    }
    Ok(document)
}

/// Reads and checks a scenario in JSON.
pub fn plan(text: &str) -> Result<Plan, sojourn::scenario::ScenarioError> {
    Document::from_json(text)?.knowing(&own::registry()).plan()
}
