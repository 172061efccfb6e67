//! A running simulation and its tables as lists and numpy arrays.

use crate::errors::{ScenarioError, refused_scenario};
use crate::name_column::Names;
use crate::reading::{kept, plan};
use crate::{guard, own};
use numpy::PyArray1;
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString};
use sojourn_files::{Payload, write_captures};
use sojourn_sim::metrics::Data;
use sojourn_sim::sim::PlanError;
use sojourn_sim::units::Instant;
use std::sync::Mutex;

/// The most numbers that are given as a list.
const FEW: usize = 256;

/// A run: made from a resolved scenario and a seed, advanced in steps, asked for its tables once.
#[pyclass(frozen, module = "sojourn._core")]
pub struct Simulation {
    /// None once the tables have been taken, or after a fault.
    running: Mutex<Option<sojourn_sim::sim::Simulation>>,
    end: Instant,
    /// Whether something in it is written in Python: then a slice keeps the interpreter, for to hand it over at each hook
    /// takes longer than the hook.
    needs_python: bool,
}

fn over() -> PyErr {
    PyRuntimeError::new_err("this simulation is over: its tables have been taken")
}

/// The reader of scenarios has tried to build every queue and to find every way; this is the same in few words.
fn unbuildable(error: PlanError) -> PyErr {
    ScenarioError::new_err(match error {
        PlanError::Queue { link, error } => {
            format!("queue of {link}: {}: {}\n  hint:    {}", error.param, error.complaint.what, error.complaint.hint)
        }
        PlanError::NoRoute { from, to } => format!("there is no way from {from} to {to}"),
        PlanError::Stopped => return PyKeyboardInterrupt::new_err(()),
    })
}

impl Simulation {
    /// Takes the simulation out, so that a panic leaves nothing half changed behind.
    fn take(&self) -> PyResult<sojourn_sim::sim::Simulation> {
        self.running.lock().ok().and_then(|mut running| running.take()).ok_or_else(over)
    }

    fn put_back(&self, simulation: sojourn_sim::sim::Simulation) {
        if let Ok(mut running) = self.running.lock() {
            *running = Some(simulation);
        }
    }
}

#[pymethods]
impl Simulation {
    /// `stop` is asked from time to time while a large network is made: if it says yes, or raises something, no more of it is made. So
    /// it is with Ctrl-C.
    #[new]
    #[pyo3(signature = (resolved_json, seed, *, stop = None))]
    #[allow(clippy::needless_pass_by_value, reason = "arguments from Python come by value")]
    fn new(py: Python<'_>, resolved_json: &Bound<'_, PyString>, seed: u64, stop: Option<Py<PyAny>>) -> PyResult<Self> {
        let resolved = kept(resolved_json);
        let text = resolved_json.to_str()?;
        let mut stopped = None;
        let mut goes_on = || {
            let asked = Python::attach(|held| {
                held.check_signals()?;
                stop.as_ref().map_or(Ok(false), |stop| stop.bind(held).call0()?.is_truthy())
            });
            match asked {
                Ok(stops) => !stops,
                Err(raised) => {
                    stopped = Some(raised);
                    false
                }
            }
        };
        let made = py.detach(|| {
            guard::no_panic(|| {
                let plan = resolved.map_or_else(|| plan(text), Ok).map_err(|error| refused_scenario(&error))?;
                let needs_python = own::needs_python(&plan);
                let running =
                    sojourn_sim::sim::Simulation::from_plan_while(plan, seed, &mut goes_on).map_err(unbuildable)?;
                let end = running.end();
                Ok(Simulation { running: Mutex::new(Some(running)), end, needs_python })
            })
        });
        made.map_err(|error| stopped.unwrap_or(error))
    }

    /// Simulates up to `until_s`, or to the end if that is earlier, but stops after about `events` events. Returns whether it has reached
    /// that time. Other threads of Python go on meanwhile. More than `memory` bytes raise `OutOfMemory`, within an event too.
    #[pyo3(signature = (until_s, *, events = None, memory = None))]
    fn advance(&self, py: Python<'_>, until_s: f64, events: Option<u64>, memory: Option<u64>) -> PyResult<bool> {
        // The duration in seconds may round to a nanosecond before the end.
        let until = if until_s >= self.end.as_secs_f64() { self.end } else { Instant::from_secs_f64(until_s) };
        let slice = || {
            guard::no_panic(|| {
                let mut simulation = self.take()?;
                simulation.limit_memory(memory.unwrap_or(u64::MAX));
                let is_there = simulation.advance_within(until, events.unwrap_or(u64::MAX));
                self.put_back(simulation);
                Ok(is_there)
            })
        };
        if self.needs_python { slice() } else { py.detach(slice) }
    }

    /// Simulated seconds so far.
    #[getter]
    fn now_s(&self) -> PyResult<f64> {
        let running = self.running.lock().map_err(|_| over())?;
        running.as_ref().map(|simulation| simulation.now().as_secs_f64()).ok_or_else(over)
    }

    /// Simulated seconds of the whole run.
    #[getter]
    fn duration_s(&self) -> f64 {
        self.end.as_secs_f64()
    }

    /// Bytes of memory that grow while the run goes on, by their owner, with tables to come.
    fn footprint(&self) -> PyResult<Vec<(&'static str, u64)>> {
        let running = self.running.lock().map_err(|_| over())?;
        running.as_ref().map(sojourn_sim::sim::Simulation::footprint).ok_or_else(over)
    }

    /// Capture files of the packets on the observed links up to now, by name; none unless the scenario records `pcap`.
    /// `payload` writes whole packets, their payload being zeros. Gives each packet once.
    #[pyo3(signature = (*, payload = false))]
    fn captures<'py>(&self, py: Python<'py>, payload: bool) -> PyResult<Bound<'py, PyDict>> {
        let payload = if payload { Payload::Zeros } else { Payload::Left };
        let files = py.detach(|| {
            guard::no_panic(|| {
                let mut simulation = self.take()?;
                let captures = simulation.take_captures();
                self.put_back(simulation);
                Ok(write_captures(&captures, payload))
            })
        })?;
        let by_name = PyDict::new(py);
        for file in files {
            by_name.set_item(file.name, PyBytes::new(py, &file.bytes))?;
        }
        Ok(by_name)
    }

    /// The results up to now, by table and column. Ends the simulation.
    fn tables<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let tables = py.detach(|| guard::no_panic(|| Ok(self.take()?.finish())))?;
        let by_name = PyDict::new(py);
        for table in tables {
            let columns = PyDict::new(py);
            for column in table.columns {
                let (kind, values) = match column.data {
                    Data::F64(values) => ("f64", numbers(py, values)?),
                    Data::U64(values) => ("u64", numbers(py, values)?),
                    Data::Text(values) => ("text", Bound::new(py, Names::new(py, values))?.into_any()),
                };
                columns.set_item(column.name, (kind, values))?;
            }
            by_name.set_item(table.name, columns)?;
        }
        Ok(by_name)
    }
}

/// Few numbers as a list, many as an array: numpy takes longer to import than a short run takes.
fn numbers<'py, T>(py: Python<'py>, values: Vec<T>) -> PyResult<Bound<'py, PyAny>>
where
    T: numpy::Element + IntoPyObject<'py>,
{
    if values.len() <= FEW {
        return Ok(PyList::new(py, values)?.into_any());
    }
    guard::numpy_is_there(py)?;
    Ok(PyArray1::from_vec(py, values).into_any())
}
