//! `sojourn.law`: a queue's law as points.

use crate::guard;
use crate::replay::{Site, refused};
use pyo3::prelude::*;
use sojourn::queue::LinkContext;
use sojourn::reference::graph_json;

/// The law of the queue at `site` among so many flows, as JSON; `None` if it has none that can be drawn.
#[allow(clippy::needless_pass_by_value, reason = "arguments from Python come by value")]
#[pyfunction]
pub fn law(site: Site, flows: u64) -> PyResult<Option<String>> {
    guard::no_panic(|| {
        let link = LinkContext { flows, ..site.link().map_err(refused)? };
        let (entry, args) = site.entry().map_err(refused)?;
        let Some(draw) = entry.law else { return Ok(None) };
        let graph = draw(&args, &link).map_err(|error| refused(site.refusal(&error)))?;
        Ok(Some(graph_json(&graph).to_string()))
    })
}
