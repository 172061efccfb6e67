//! No panic reaches a user: a broken invariant becomes a `RuntimeError` that says what to report.

use crate::own::Failure;
use pyo3::PyErr;
use pyo3::exceptions::PyRuntimeError;
use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};

thread_local! {
    static LAST: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Keeps what a panic says instead of printing it.
pub fn install() {
    panic::set_hook(Box::new(|info| LAST.with_borrow_mut(|last| *last = info.to_string())));
}

/// Runs `body`; a panic in it is an error, and so is a hook of a user's that failed. What it was working on must not be used afterwards.
pub fn no_panic<T>(body: impl FnOnce() -> Result<T, PyErr>) -> Result<T, PyErr> {
    panic::catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|ended| {
        let ended = match ended.downcast::<Failure>() {
            Ok(failure) => return Err(failure.0),
            Err(fault) => fault,
        };
        drop(ended);
        let what = LAST.with_borrow(String::clone);
        Err(PyRuntimeError::new_err(format!(
            "this is a fault of Sojourn {}, not of your scenario; please report it with the scenario and the seed: {what}",
            env!("CARGO_PKG_VERSION")
        )))
    })
}
