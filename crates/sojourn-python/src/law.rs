//! `sojourn.law` and `sojourn.sender_law`: the laws of queues and senders as points.

use crate::errors::refused;
use crate::guard;
use crate::replay::Site;
use pyo3::prelude::*;
use sojourn_sim::quantity::Complaint;
use sojourn_sim::queue::LinkContext;
use sojourn_sim::reference::graph_json;
use sojourn_sim::registry::{control_or_complain, transport_or_complain};

/// The law of the queue at `site` among `flows` flows, as JSON. `None` if it has none that can be drawn.
#[allow(clippy::needless_pass_by_value, reason = "arguments from Python come by value")]
#[pyfunction]
pub fn law(site: Site, flows: u64) -> PyResult<Option<String>> {
    guard::no_panic(|| {
        let link = LinkContext { flows, ..site.link().map_err(refused)? };
        let (entry, args) = site.entry().map_err(refused)?;
        let Some(graph) = entry.graph(&args, &link) else { return Ok(None) };
        let graph = graph.map_err(|error| refused(site.refusal(&error)))?;
        Ok(Some(graph_json(&graph).to_string()))
    })
}

/// The law of a sender, as JSON: of a transport with a profile, or of a window law with a preset. `None` if it has none that can be drawn.
#[pyfunction]
pub fn sender_law(name: &str, is_transport: bool, preset: Option<&str>) -> PyResult<Option<String>> {
    guard::no_panic(|| {
        let said = |complaint: Complaint| refused(format!("{}\n  hint:    {}", complaint.what, complaint.hint));
        let graph = if is_transport {
            let entry = transport_or_complain(name).map_err(said)?;
            let args = entry.args(preset).map_err(said)?;
            entry.law.map(|draw| draw(&args)).transpose().map_err(|error| said(error.complaint))?
        } else {
            let entry = control_or_complain(name).map_err(said)?;
            let args = entry.args(preset).map_err(said)?;
            entry.law.map(|draw| draw(&args))
        };
        Ok(graph.map(|graph| graph_json(&graph).to_string()))
    })
}
