//! No panic reaches a user: a broken invariant becomes a `RuntimeError` that asks for a report.

use crate::errors::OutOfMemory;
use numpy::PyArray1;
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};

thread_local! {
    static LAST: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Keeps a panic's message instead of printing it.
pub fn install() {
    panic::set_hook(Box::new(|info| LAST.with_borrow_mut(|last| *last = info.to_string())));
}

/// Imports NumPy, and makes an array. The first array imports parts of NumPy by itself, asks Python for its version, and panics where that
/// fails: where Ctrl-C comes in the midst of it, say.
pub fn numpy_is_there(py: Python<'_>) -> PyResult<()> {
    static THERE: PyOnceLock<()> = PyOnceLock::new();
    THERE
        .get_or_try_init(py, || {
            py.import("numpy")?;
            panic::catch_unwind(|| drop(PyArray1::<f64>::zeros(py, 0, false))).or_else(|ended| {
                let is_ctrl_c = LAST.with_borrow(|last| last.contains("KeyboardInterrupt"));
                if is_ctrl_c { Err(PyKeyboardInterrupt::new_err(())) } else { panic::resume_unwind(ended) }
            })
        })
        .copied()
}

/// The error of a hook in Python. It unwinds through the engine, which has no way to say that a queue failed, to [`no_panic`].
/// The run is dropped.
pub struct Failure(pub PyErr);

/// Runs `body`; a panic in it is an error, and so is a hook of a user's that failed. The objects that it worked on must not be used
/// afterwards.
pub fn no_panic<T>(body: impl FnOnce() -> Result<T, PyErr>) -> Result<T, PyErr> {
    panic::catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|ended| {
        let ended = match ended.downcast::<Failure>() {
            Ok(failure) => return Err(failure.0),
            Err(fault) => fault,
        };
        if let Some(full) = ended.downcast_ref::<sojourn_sim::pool::OutOfMemory>() {
            return Err(OutOfMemory::new_err((full.what, full.bytes)));
        }
        drop(ended);
        let what = LAST.with_borrow(String::clone);
        Err(PyRuntimeError::new_err(format!(
            "this is a fault of Sojourn {}, not of your scenario; please report it with the scenario and the seed: {what}",
            env!("CARGO_PKG_VERSION")
        )))
    })
}
