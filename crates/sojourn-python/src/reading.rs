//! Scenarios as Python gives them: the text of a file with changes, or JSON.

use crate::errors::{ScenarioError, refused_scenario};
use crate::own;
use pyo3::prelude::*;
use pyo3::types::PyString;
use sojourn_sim::scenario::{Document, Plan};
use std::sync::Mutex;

/// The text that was resolved last, as a string of Python, and its plan: the first run of a scenario does not read it again.
static RESOLVED: Mutex<Option<(Py<PyString>, Plan)>> = Mutex::new(None);

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
pub fn plan(text: &str) -> Result<Plan, sojourn_sim::scenario::ScenarioError> {
    Document::from_json(text)?.knowing(&own::registry()).plan()
}

/// Keeps the plan of a resolved scenario for its first run. A class of Python may be another one of that name by then: not that of a
/// scenario with one.
pub fn keep(resolved: &Bound<'_, PyString>, plan: Plan) {
    let kept = (!own::needs_python(&plan)).then(|| (resolved.clone().unbind(), plan));
    if let Ok(mut last) = RESOLVED.lock() {
        *last = kept;
    }
}

/// The plan that was kept for this very text, once.
pub fn kept(resolved: &Bound<'_, PyString>) -> Option<Plan> {
    let mut last = RESOLVED.lock().ok()?;
    last.take_if(|(text, _)| text.is(resolved)).map(|(_, plan)| plan)
}
