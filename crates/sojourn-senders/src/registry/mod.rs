//! The lists of transports, congestion controls and applications. Lists, documentation, the JSON Schema, Python constructors and
//! benchmarks derive from them.
//!
//! The types of entries are in the modules of the things that they describe: [`TransportEntry`](crate::transport::entry::TransportEntry),
//! [`ControlEntry`](crate::transport::entry::ControlEntry), [`AppEntry`](crate::traffic::entry::AppEntry).

mod apps;
mod transports;

pub use apps::{APPS, app, app_or_complain};
pub use transports::{CONTROLS, TRANSPORTS, control, control_or_complain, transport, transport_or_complain};
