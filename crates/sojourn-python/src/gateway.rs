//! `sojourn gateway`: queues on real packets between two interfaces. The loop is a thread without Python.

use std::path::PathBuf;
use std::sync::Mutex;

use crate::guard;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use sojourn_gateway::counts::{Amount, Part, Reasons, Times, Totals};
use sojourn_gateway::{Error, Report, Settings};

/// A gateway that runs.
#[pyclass(frozen, module = "sojourn._core")]
pub struct Gateway {
    gateway: Mutex<sojourn_gateway::Gateway>,
    /// Interfaces may surprise.
    #[pyo3(get)]
    warnings: Vec<String>,
}

#[pymethods]
impl Gateway {
    /// Opens the interfaces and begins.
    #[new]
    #[pyo3(signature = (interfaces, links, rates, *, seed, record, cpu, spare))]
    #[allow(clippy::too_many_arguments, reason = "each has a name in Python")]
    fn new(
        py: Python<'_>,
        interfaces: [String; 2],
        links: [String; 2],
        rates: [u64; 2],
        seed: u64,
        record: Option<PathBuf>,
        cpu: Option<usize>,
        spare: bool,
    ) -> PyResult<Self> {
        guard::no_panic(|| {
            let settings = Settings { interfaces, links, seed, record, rates, cpu, spare };
            let gateway = py.detach(|| sojourn_gateway::Gateway::start(settings)).map_err(|error| raised(&error))?;
            let warnings = gateway.warnings().to_vec();
            Ok(Gateway { gateway: Mutex::new(gateway), warnings })
        })
    }

    /// Whether it has ended.
    fn has_ended(&self) -> bool {
        self.with(|gateway| gateway.has_ended())
    }

    /// The counts until now: `seconds`, `unrecorded`, and `up` and `down`.
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        report(py, &self.with(|gateway| gateway.report()))
    }

    /// The tenths of seconds from this number on.
    fn parts_since<'py>(&self, py: Python<'py>, number: u64) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let mut parts = Vec::new();
        self.with(|gateway| gateway.parts_since(number, |which, part| parts.push((which, part.clone()))));
        let shown = |(which, [up, down]): (u64, [Part; 2])| {
            let dict = PyDict::new(py);
            dict.set_item("number", which)?;
            dict.set_item("up", part(py, &up)?)?;
            dict.set_item("down", part(py, &down)?)?;
            Ok(dict)
        };
        parts.into_iter().map(shown).collect()
    }

    /// Ends it, and gives the whole.
    fn stop<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let whole = py.detach(|| self.with(sojourn_gateway::Gateway::stop)).map_err(|error| raised(&error))?;
        report(py, &whole)
    }
}

impl Gateway {
    fn with<T>(&self, does: impl FnOnce(&mut sojourn_gateway::Gateway) -> T) -> T {
        does(&mut self.gateway.lock().expect("nothing fails while it is held"))
    }
}

fn raised(error: &Error) -> PyErr {
    match error {
        Error::Input(text) => PyValueError::new_err(text.clone()),
        Error::Broken(text) => PyRuntimeError::new_err(text.clone()),
    }
}

fn report<'py>(py: Python<'py>, report: &Report) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("seconds", report.nanos as f64 / 1e9)?;
    dict.set_item("unrecorded", report.unrecorded)?;
    for (name, direction) in ["up", "down"].iter().zip(&report.directions) {
        dict.set_item(name, totals(py, direction)?)?;
    }
    Ok(dict)
}

fn totals<'py>(py: Python<'py>, totals: &Totals) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    amount(&dict, "came", totals.came)?;
    amount(&dict, "sent", totals.sent)?;
    dict.set_item("drops", reasons(py, &totals.drops)?)?;
    dict.set_item("marks", reasons(py, &totals.marks)?)?;
    dict.set_item("passed", totals.passed)?;
    dict.set_item("missed", totals.missed)?;
    dict.set_item("waited_mean_ms", totals.waited.mean() / 1e6)?;
    dict.set_item("waited_ms", milliseconds(&totals.waited))?;
    dict.set_item("late_mean_ms", totals.late.mean() / 1e6)?;
    dict.set_item("late_ms", milliseconds(&totals.late))?;
    Ok(dict)
}

fn part<'py>(py: Python<'py>, part: &Part) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    amount(&dict, "came", part.came)?;
    amount(&dict, "sent", part.sent)?;
    amount(&dict, "backlog", part.backlog)?;
    dict.set_item("drops", reasons(py, &part.drops)?)?;
    dict.set_item("marks", reasons(py, &part.marks)?)?;
    dict.set_item("waited_ms", part.waited.map(|nanos| nanos as f64 / 1e6))?;
    dict.set_item("late_ms", part.late.map(|nanos| nanos as f64 / 1e6))?;
    Ok(dict)
}

/// Median, 99th percentile, longest.
fn milliseconds(times: &Times) -> [f64; 3] {
    [times.quantile(0.5), times.quantile(0.99), times.max()].map(|nanos| nanos as f64 / 1e6)
}

fn amount(dict: &Bound<'_, PyDict>, name: &str, amount: Amount) -> PyResult<()> {
    dict.set_item(format!("{name}_packets"), amount.packets)?;
    dict.set_item(format!("{name}_bytes"), amount.bytes)
}

fn reasons<'py>(py: Python<'py>, reasons: &Reasons) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    reasons.iter().try_for_each(|(reason, number)| dict.set_item(reason, number))?;
    Ok(dict)
}
