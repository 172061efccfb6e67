//! A column of names, of which many are alike: each is held once, and for each row its place.

use crate::guard;
use numpy::PyArray1;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};
use sojourn_sim::metrics::table::{Names as Column, Places};

/// The values of a column as a sequence of texts; those that are alike are one object.
#[pyclass(frozen, module = "sojourn._core")]
pub struct Names {
    known: Vec<Py<PyString>>,
    places: Places,
}

impl Names {
    /// The same column; its names become texts of Python.
    pub fn new(py: Python<'_>, column: Column) -> Self {
        let (known, places) = column.into_parts();
        Names { known: known.iter().map(|name| PyString::new(py, name).unbind()).collect(), places }
    }
}

#[pymethods]
impl Names {
    fn __len__(&self) -> usize {
        self.places.len()
    }

    fn __getitem__(&self, py: Python<'_>, row: isize) -> PyResult<Py<PyString>> {
        let from = if row < 0 { self.places.len() as isize } else { 0 };
        let place = usize::try_from(from + row).ok().and_then(|row| self.places.get(row));
        place.map(|place| self.known[place].clone_ref(py)).ok_or_else(|| PyIndexError::new_err(row))
    }

    /// Each name once, in the order in which they come first.
    #[getter]
    fn known<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, &self.known)
    }

    /// For each row the place of its name among those that are known, as an array.
    fn places<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        guard::numpy_is_there(py)?;
        Ok(match &self.places {
            Places::U8(places) => PyArray1::from_slice(py, places).into_any(),
            Places::U16(places) => PyArray1::from_slice(py, places).into_any(),
            Places::U32(places) => PyArray1::from_slice(py, places).into_any(),
        })
    }

    /// Bytes of the places.
    #[getter]
    fn nbytes(&self) -> usize {
        self.places.len() * self.places.width()
    }

    /// The values as a list.
    fn tolist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.places.iter().map(|place| &self.known[place]))
    }
}
