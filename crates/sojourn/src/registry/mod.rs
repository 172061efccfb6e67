//! Everything that scenario files can name: queues, transports, congestion controls and applications.
//!
//! Lists, documentation, the JSON Schema, Python constructors, conformance tests and benchmarks derive from these lists.
//! What an entry is stands below, beside what it describes: [`QueueEntry`](crate::queue::entry::QueueEntry),
//! [`TransportEntry`](crate::transport::entry::TransportEntry), [`AppEntry`](crate::traffic::entry::AppEntry).

mod apps;
mod queues;
mod transports;

pub use apps::{APPS, app, app_or_complain};
pub use queues::{DISCIPLINES, POLICIES, POLICY_NAMES, QUEUES, queue, queue_or_complain};
pub use transports::{CONTROLS, TRANSPORTS, control, control_or_complain, transport, transport_or_complain};

use crate::params::nearest;
use crate::quantity::Complaint;

/// What was `found` under `name`, or a complaint with the nearest of the `known` names.
fn or_complain<T>(
    kind: &str,
    name: &str,
    found: Option<T>,
    known: impl Iterator<Item = &'static str> + Clone,
) -> Result<T, Complaint> {
    found.ok_or_else(|| {
        let hint = match nearest(name, known.clone()) {
            Some(near) => format!("did you mean {near:?}?"),
            None => format!("known: {}", known.collect::<Vec<_>>().join(", ")),
        };
        Complaint { what: format!("there is no {kind} {name:?}"), hint }
    })
}
