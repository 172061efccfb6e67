//! The Python module `sojourn._core`: conversion, release of the GIL and mapping of errors. Private;
//! users import `sojourn`.

use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use sojourn_sim::scenario::{outline_text, resolved_text};

mod bottleneck;
mod calls;
mod ends;
mod errors;
mod estimate;
mod gateway;
mod guard;
mod law;
mod name_column;
mod own;
mod reading;
mod replay;
mod simulation;

use errors::{OutOfMemory, PARTS, ScenarioError, refused_scenario};
use reading::{document, plan};

/// Version of the compiled core.
#[pyfunction]
fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// Version and, behind a plus, a hash of the sources: a result is a function of these, scenario and seed.
#[pyfunction]
fn build() -> &'static str {
    concat!(env!("CARGO_PKG_VERSION"), "+", env!("SOJOURN_SOURCES"))
}

/// How this was compiled: "release" is the profile whose speed counts.
#[pyfunction]
fn profile() -> &'static str {
    env!("SOJOURN_PROFILE")
}

/// Seconds of a time such as "20ms".
#[pyfunction]
fn seconds(text: &str) -> PyResult<f64> {
    quantity(text, sojourn_sim::quantity::time).map(sojourn_sim::units::Duration::as_secs_f64)
}

/// Bits per second of a rate such as "10Mbit".
#[pyfunction]
fn bits_per_second(text: &str) -> PyResult<u64> {
    quantity(text, sojourn_sim::quantity::rate).map(sojourn_sim::units::Rate::as_bps)
}

/// Bytes of a size such as "1000B".
#[pyfunction]
fn byte_count(text: &str) -> PyResult<u64> {
    quantity(text, sojourn_sim::quantity::bytes)
}

fn quantity<T>(text: &str, read: fn(&str) -> Result<T, sojourn_sim::quantity::Complaint>) -> PyResult<T> {
    read(text).map_err(|complaint| {
        ScenarioError::new_err(format!("{text:?}: {}\n  hint:    {}", complaint.what, complaint.hint))
    })
}

/// Names of the files that a scenario file needs besides itself.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)] // pyo3 hands the list over.
fn files_named(text: &str, filename: &str, overrides: Vec<String>) -> PyResult<Vec<String>> {
    guard::no_panic(|| Ok(document(text, filename, &overrides)?.files()))
}

/// Refuses a scenario file because a file that it names, in print `shown`, cannot be read.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)] // pyo3 hands the list over.
fn refuse_file(text: &str, filename: &str, overrides: Vec<String>, name: &str, shown: &str, why: &str) -> PyResult<()> {
    guard::no_panic(|| Err(refused_scenario(&document(text, filename, &overrides)?.unreadable(name, shown, why))))
}

/// Reads a scenario file, changes it by `key=value` texts and spells it out as JSON: the whole, and the part that is small in any
/// network. `files` are names and contents of the files that it names.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)] // pyo3 hands the lists over.
fn resolve_toml<'py>(
    py: Python<'py>,
    text: &str,
    filename: &str,
    overrides: Vec<String>,
    files: Vec<(String, Vec<u8>)>,
) -> PyResult<(Bound<'py, PyString>, String)> {
    guard::no_panic(|| {
        let mut document = document(text, filename, &overrides)?;
        for (name, content) in &files {
            let numbers = sojourn_files::read_opportunities(content)
                .map_err(|error| ScenarioError::new_err(format!("{name}: {error}")))?;
            document.supply(name, &numbers);
        }
        let plan = document.plan().map_err(|error| refused_scenario(&error))?;
        drop(document);
        let whole = PyString::new(py, &resolved_text(&plan));
        let outline = outline_text(&plan);
        reading::keep(&whole, plan);
        Ok((whole, outline))
    })
}

/// Checks a scenario in JSON and spells it out.
#[pyfunction]
fn resolve_json(text: &str) -> PyResult<String> {
    guard::no_panic(|| {
        let plan = plan(text).map_err(|error| refused_scenario(&error))?;
        Ok(resolved_text(&plan))
    })
}

/// Every queue, transport, control, application and metric with its parameters, as JSON; of this list alone, if it is given.
#[pyfunction]
#[pyo3(signature = (only = None))]
fn registry(only: Option<&str>) -> PyResult<String> {
    let all = own::registry();
    let Some(list) = only else { return Ok(sojourn_sim::reference::registry_json(&all).to_string()) };
    let found = sojourn_sim::reference::list_json(list, &all);
    found.map(|json| json.to_string()).ok_or_else(|| PyKeyError::new_err(list.to_owned()))
}

/// The names in a list of the registry, of the entries that come with Sojourn: `queues`, `groups` of parameters that queues share,
/// `transports`, `controls`, `apps` or `losses`.
#[pyfunction]
fn names(entries: &str) -> Vec<&'static str> {
    sojourn_sim::reference::names(entries, sojourn_archive::registry())
}

/// One entry of such a list, as in `registry`, as JSON, for callers that need no other.
#[pyfunction]
fn entry(entries: &str, name: &str) -> PyResult<String> {
    let found = sojourn_sim::reference::entry_json(entries, name, sojourn_archive::registry());
    found.map(|json| json.to_string()).ok_or_else(|| PyKeyError::new_err(format!("{entries}: {name}")))
}

/// Line and column of the value at a path of keys and list positions in a TOML text, and how many parts of the
/// path are there; (0, 0) where there is no place, such as in a text that is not TOML.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)] // pyo3 hands the list over.
fn toml_place(text: &str, path: Vec<String>) -> PyResult<(usize, usize, usize)> {
    use sojourn_sim::scenario::document::{Place, from_toml};
    guard::no_panic(|| {
        let source = sojourn_sim::scenario::Source::new("", text);
        let Ok(root) = from_toml(&source, text) else { return Ok((0, 0, 0)) };
        let (place, depth) = root.place_of(&path);
        let (line, column) = if let Place::Offset(offset) = place { source.position(offset) } else { (0, 0) };
        Ok((line, column, depth))
    })
}

/// JSON Schema of scenario files.
#[pyfunction]
fn schema() -> String {
    sojourn_sim::scenario::schema_text(&own::registry())
}

/// Pages of the reference in Markdown: name and text.
#[pyfunction]
fn reference() -> Vec<(&'static str, String)> {
    use sojourn_sim::reference as page;
    vec![
        ("queues", page::queues_markdown(sojourn_archive::registry())),
        ("transports", page::transports_markdown(sojourn_archive::registry())),
        ("traffic", page::traffic_markdown()),
        ("losses", page::losses_markdown()),
        ("results", page::metrics_markdown()),
        ("scenario", page::scenario_markdown()),
    ]
}

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    guard::install();
    let refusal = module.py().get_type::<ScenarioError>();
    PARTS.iter().try_for_each(|part| refusal.setattr(*part, ""))?;
    module.add("ScenarioError", refusal)?;
    module.add("OutOfMemory", module.py().get_type::<OutOfMemory>())?;
    module.add_class::<simulation::Simulation>()?;
    module.add_class::<name_column::Names>()?;
    module.add_class::<bottleneck::Bottleneck>()?;
    module.add_class::<gateway::Gateway>()?;
    module.add_function(wrap_pyfunction!(build, module)?)?;
    module.add_function(wrap_pyfunction!(profile, module)?)?;
    module.add_function(wrap_pyfunction!(version, module)?)?;
    module.add_function(wrap_pyfunction!(registry, module)?)?;
    module.add_function(wrap_pyfunction!(names, module)?)?;
    module.add_function(wrap_pyfunction!(entry, module)?)?;
    module.add_function(wrap_pyfunction!(schema, module)?)?;
    module.add_function(wrap_pyfunction!(toml_place, module)?)?;
    module.add_function(wrap_pyfunction!(reference, module)?)?;
    module.add_function(wrap_pyfunction!(law::law, module)?)?;
    module.add_function(wrap_pyfunction!(law::sender_law, module)?)?;
    module.add_function(wrap_pyfunction!(replay::replay, module)?)?;
    module.add_function(wrap_pyfunction!(replay::arrivals, module)?)?;
    module.add_function(wrap_pyfunction!(calls::replay_calls, module)?)?;
    module.add_function(wrap_pyfunction!(ends::replay_receiver, module)?)?;
    module.add_function(wrap_pyfunction!(ends::replay_sender, module)?)?;
    module.add_function(wrap_pyfunction!(seconds, module)?)?;
    module.add_function(wrap_pyfunction!(bits_per_second, module)?)?;
    module.add_function(wrap_pyfunction!(byte_count, module)?)?;
    module.add_function(wrap_pyfunction!(estimate::estimate, module)?)?;
    module.add_function(wrap_pyfunction!(files_named, module)?)?;
    module.add_function(wrap_pyfunction!(refuse_file, module)?)?;
    module.add_function(wrap_pyfunction!(resolve_toml, module)?)?;
    module.add_function(wrap_pyfunction!(resolve_json, module)?)?;
    own::add_to(module)
}
