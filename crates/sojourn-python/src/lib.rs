//! The Python module `sojourn._core`: conversion, release of the GIL and mapping of errors. Private;
//! users import `sojourn`.

mod replay;

use pyo3::prelude::*;

/// Version of the compiled core.
#[pyfunction]
fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(version, module)?)?;
    module.add_function(wrap_pyfunction!(replay::replay, module)?)?;
    Ok(())
}
