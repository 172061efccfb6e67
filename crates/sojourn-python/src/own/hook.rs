//! Calls of hooks that are written in Python: counted, and ended by unwinding where one fails.

use super::class::Class;
use crate::guard::Failure;
use pyo3::prelude::*;
use sojourn_sim::params::{Args, Value};
use sojourn_sim::queue::LinkContext;
use sojourn_sim::units::Instant;
use std::sync::atomic::{AtomicU64, Ordering};

static CALLS: AtomicU64 = AtomicU64::new(0);

/// Hooks called since the process began.
pub fn calls() -> u64 {
    CALLS.load(Ordering::Relaxed)
}

/// Counts a call.
pub fn count() {
    CALLS.fetch_add(1, Ordering::Relaxed);
}

/// Ends the run: `hook` of the class failed at `now`.
pub fn fail(py: Python<'_>, class: &Class, what: &str, hook: &str, now: Option<Instant>, error: PyErr) -> ! {
    std::panic::resume_unwind(Box::new(Failure(explained(py, class, what, hook, now, error))))
}

/// The error as one message, with the hook, the time and the line; Ctrl-C stays as it is.
pub fn explained(py: Python<'_>, class: &Class, what: &str, hook: &str, now: Option<Instant>, error: PyErr) -> PyErr {
    if is_ctrl_c(py, &error) {
        return error;
    }
    let seconds = now.map(Instant::as_secs_f64);
    // With its traceback, which says the line.
    let error = error.into_value(py);
    let told = py
        .import("sojourn._rooms.own._failure")
        .and_then(|module| module.getattr("hook_error")?.call1((what, class.name, hook, seconds, error)));
    told.map_or_else(|unexpected| unexpected, PyErr::from_value)
}

/// Whether this is no error but the wish to stop.
pub fn is_ctrl_c(py: Python<'_>, error: &PyErr) -> bool {
    error.is_instance_of::<pyo3::exceptions::PyKeyboardInterrupt>(py)
}

/// A new instance of a class with these parameters. `link` is the link of a queue.
pub fn instance<'py>(
    py: Python<'py>,
    class: &Class,
    args: &Args,
    link: Option<&LinkContext>,
) -> PyResult<Bound<'py, PyAny>> {
    let values = pyo3::types::PyDict::new(py);
    let context = link.cloned().unwrap_or_default();
    for ((spec, value), in_bytes) in args.specs().iter().zip(args.values()).zip(&class.in_bytes) {
        values.set_item(spec.name, plain(py, value, &context, *in_bytes)?)?;
    }
    let link = link.map(|link| (link.rate.as_bps(), link.base_rtt.as_nanos(), link.mean_packet.0, link.flows));
    class.object.bind(py).call_method1("_made", (values, link))
}

/// A value as hooks reckon with it: nanoseconds, bits per second, packets or bytes; None is automatic.
fn plain<'py>(py: Python<'py>, value: &Value, link: &LinkContext, in_bytes: bool) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Auto => py.None().into_bound(py),
        Value::Bool(truth) => truth.into_pyobject(py)?.to_owned().into_any(),
        Value::Integer(number) => number.into_pyobject(py)?.into_any(),
        Value::Number(number) => number.into_pyobject(py)?.into_any(),
        Value::Rate(rate) => rate.as_bps().into_pyobject(py)?.into_any(),
        Value::Time(time) => time.as_nanos().into_pyobject(py)?.into_any(),
        Value::Bytes(bytes) => bytes.into_pyobject(py)?.into_any(),
        Value::Size(size) if in_bytes => link.bytes(*size).into_pyobject(py)?.into_any(),
        Value::Size(size) => link.packets(*size).into_pyobject(py)?.into_any(),
        Value::Numbers(numbers) => numbers.to_vec().into_pyobject(py)?.into_any(),
        other => other.to_string().into_pyobject(py)?.into_any(),
    })
}
