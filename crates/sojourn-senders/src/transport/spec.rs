//! A [`TransportSpec`] is a transport with checked parameters: it makes the two endpoints of any number of flows, which share their common
//! data.

use super::connections;
use super::entry::{Control, Ends, Flows, TransportEntry};
use crate::component::BuildError;
use crate::params::Args;
use crate::traffic::Application;

/// A transport with checked parameters.
#[derive(Clone)]
pub struct TransportSpec {
    entry: &'static TransportEntry,
    args: Args,
    control: Option<Control>,
    flows: Flows,
}

impl std::fmt::Debug for TransportSpec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {:?}", self.entry.name, self.args.values())?;
        self.control.iter().try_for_each(|control| write!(f, " {} {:?}", control.entry.name, control.args.values()))
    }
}

impl TransportSpec {
    /// Checks the parameters together. `control` is ignored by transports that take none; without it
    /// a transport takes its own default.
    pub fn new(entry: &'static TransportEntry, args: Args, control: Option<Control>) -> Result<Self, BuildError> {
        let control = entry
            .control
            .map(|default| control.unwrap_or_else(|| Control { entry: default, args: Args::defaults(default.params) }));
        let flows = (entry.build)(&args, control.clone())?;
        Ok(TransportSpec { entry, args, control, flows })
    }

    /// The kind.
    pub fn entry(&self) -> &'static TransportEntry {
        self.entry
    }

    /// Its parameters.
    pub fn args(&self) -> &Args {
        &self.args
    }

    /// The congestion control, if it has one.
    pub fn control(&self) -> Option<&Control> {
        self.control.as_ref()
    }

    /// The sending side, driven by `app`, and the receiving side of a new flow.
    pub fn endpoints(&self, app: Box<dyn Application>) -> Ends {
        match (app.arrivals(), app.arrivals()) {
            (Some(arrivals), Some(requests)) => connections::endpoints(&self.flows, arrivals, requests),
            _ => (self.flows)(app),
        }
    }

    /// The maker of the ends of single connections.
    #[cfg(test)]
    pub fn flows(&self) -> Flows {
        self.flows.clone()
    }
}
