//! Every transport and every congestion control by name. Adding one is one file and one line here.
//!
//! A [`TransportSpec`] is a transport with checked parameters: it makes the two endpoints of as many
//! flows as are wanted, which share what they have in common.

use std::sync::Arc;

use super::congestion::{
    CongestionControl, binomial, cubic, dctcp, decbit, gaimd, hstcp, kwon_fahmy, no_control, reno, scalable, surathkal,
    vegas, westwood, xcp,
};
use super::{Endpoint, fec, pool, tcp, tfrc, udp};
use crate::params::{Args, Param, nearest};
use crate::quantity::Complaint;
use crate::queue::registry::{BuildError, Preset};
use crate::traffic::Application;

/// One congestion control.
#[derive(Clone, Copy)]
pub struct ControlEntry {
    /// Its name in scenario files.
    pub name: &'static str,
    /// Its name in the literature.
    pub title: &'static str,
    /// What it does, in two or three sentences.
    pub doc: &'static str,
    /// Where it was published.
    pub reference: &'static str,
    /// Its parameters.
    pub params: &'static [Param],
    /// Named groups of settings.
    pub presets: &'static [Preset],
    /// How to make one.
    pub build: fn(&Args) -> Box<dyn CongestionControl>,
}

impl ControlEntry {
    /// Default values with a preset laid over them; `None` is no preset.
    pub fn args(&self, preset: Option<&str>) -> Result<Args, Complaint> {
        with_group(self.name, "preset", self.params, self.presets, preset)
    }
}

impl std::fmt::Debug for ControlEntry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "control {}", self.name)
    }
}

/// Checks parameters together and prepares what flows with them share.
pub type Build = fn(&Args, Option<Control>) -> Result<Arc<dyn Flows>, BuildError>;

/// One transport.
#[derive(Clone, Copy)]
pub struct TransportEntry {
    /// Its name in scenario files.
    pub name: &'static str,
    /// Its name in the literature.
    pub title: &'static str,
    /// What it does, in two or three sentences.
    pub doc: &'static str,
    /// Where it is specified.
    pub reference: &'static str,
    /// Its parameters.
    pub params: &'static [Param],
    /// Named groups of settings (`profile` in scenario files).
    pub profiles: &'static [Preset],
    /// The congestion control that it takes unless another is said; `None`: it takes none.
    pub control: Option<&'static ControlEntry>,
    /// Whether it keeps to a rate that the network bears; if not, the application must have one.
    pub controlled: bool,
    /// How to make flows with these parameters.
    pub build: Build,
}

impl std::fmt::Debug for TransportEntry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "transport {}", self.name)
    }
}

impl TransportEntry {
    /// Default values with a profile laid over them; `None` is no profile.
    pub fn args(&self, profile: Option<&str>) -> Result<Args, Complaint> {
        with_group(self.name, "profile", self.params, self.profiles, profile)
    }
}

/// Default values with the group of settings called `chosen` laid over them; `what` is the key that names it.
fn with_group(
    kind: &str,
    what: &str,
    params: &'static [Param],
    groups: &[Preset],
    chosen: Option<&str>,
) -> Result<Args, Complaint> {
    let mut args = Args::defaults(params);
    if let Some(name) = chosen {
        let group = groups.iter().find(|group| group.name == name).ok_or_else(|| {
            let known: Vec<&str> = groups.iter().map(|group| group.name).collect();
            let hint = if known.is_empty() { "it has none".into() } else { format!("{what}s: {}", known.join(", ")) };
            Complaint { what: format!("{kind} has no {what} {name:?}"), hint }
        })?;
        for (param, value) in group.settings {
            args.set_text(param, value)?;
        }
    }
    Ok(args)
}

/// A congestion control with its parameters.
#[derive(Clone, Debug)]
pub struct Control {
    /// The kind.
    pub entry: &'static ControlEntry,
    /// Its parameters.
    pub args: Args,
}

/// Makes the endpoints of flows that share their parameters.
pub trait Flows: Send + Sync {
    /// The sending side, driven by `app`, and the receiving side of a new flow.
    fn endpoints(&self, app: Box<dyn Application>) -> (Box<dyn Endpoint>, Box<dyn Endpoint>);
}

/// A transport with checked parameters.
#[derive(Clone)]
pub struct TransportSpec {
    entry: &'static TransportEntry,
    args: Args,
    control: Option<Control>,
    flows: Arc<dyn Flows>,
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
    pub fn endpoints(&self, app: Box<dyn Application>) -> (Box<dyn Endpoint>, Box<dyn Endpoint>) {
        match (app.arrivals(), app.arrivals()) {
            (Some(arrivals), Some(requests)) => pool::endpoints(&self.flows, arrivals, requests),
            _ => self.flows.endpoints(app),
        }
    }

    /// What makes the ends of single connections.
    #[cfg(test)]
    pub(crate) fn flows(&self) -> Arc<dyn Flows> {
        Arc::clone(&self.flows)
    }
}

/// All transports, in the order in which lists show them.
pub static TRANSPORTS: &[&TransportEntry] = &[&tcp::ENTRY, &udp::ENTRY, &fec::ENTRY, &tfrc::ENTRY];

/// All congestion controls, in the order in which lists show them.
pub static CONTROLS: &[&ControlEntry] = &[
    &reno::ENTRY,
    &gaimd::ENTRY,
    &binomial::ENTRY,
    &kwon_fahmy::ENTRY,
    &hstcp::ENTRY,
    &scalable::ENTRY,
    &cubic::ENTRY,
    &westwood::ENTRY,
    &vegas::ENTRY,
    &dctcp::ENTRY,
    &decbit::ENTRY,
    &surathkal::ENTRY,
    &xcp::ENTRY,
    &no_control::ENTRY,
];

/// The transport called `name`.
pub fn transport(name: &str) -> Option<&'static TransportEntry> {
    TRANSPORTS.iter().find(|entry| entry.name == name).copied()
}

/// The congestion control called `name`.
pub fn control(name: &str) -> Option<&'static ControlEntry> {
    CONTROLS.iter().find(|entry| entry.name == name).copied()
}

/// The transport called `name`, or a complaint with the nearest name.
pub fn transport_or_complain(name: &str) -> Result<&'static TransportEntry, Complaint> {
    transport(name).ok_or_else(|| unknown("transport", name, TRANSPORTS.iter().map(|entry| entry.name)))
}

/// The congestion control called `name`, or a complaint with the nearest name.
pub fn control_or_complain(name: &str) -> Result<&'static ControlEntry, Complaint> {
    control(name).ok_or_else(|| unknown("congestion control", name, CONTROLS.iter().map(|entry| entry.name)))
}

fn unknown(kind: &str, name: &str, known: impl Iterator<Item = &'static str> + Clone) -> Complaint {
    let hint = match nearest(name, known.clone()) {
        Some(near) => format!("did you mean {near:?}?"),
        None => format!("known: {}", known.collect::<Vec<_>>().join(", ")),
    };
    Complaint { what: format!("there is no {kind} {name:?}"), hint }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::registry::APPS;

    #[test]
    fn every_transport_is_made_from_its_defaults_and_from_each_profile() {
        for entry in TRANSPORTS {
            for profile in std::iter::once(None).chain(entry.profiles.iter().map(|profile| Some(profile.name))) {
                let args = entry.args(profile).expect("a valid profile");
                let spec = TransportSpec::new(entry, args, None).expect("consistent parameters");
                let app = (APPS[0].build)(&Args::defaults(APPS[0].params));
                let (sender, receiver) = spec.endpoints(app);
                assert_eq!(sender.counters().packets_sent, 0);
                assert_eq!(receiver.counters().packets_received, 0);
            }
        }
    }

    #[test]
    fn every_control_is_found_by_its_name_and_has_a_window() {
        for entry in CONTROLS {
            for preset in std::iter::once(None).chain(entry.presets.iter().map(|preset| Some(preset.name))) {
                let args = entry.args(preset).expect("a valid preset");
                assert!((entry.build)(&args).window() > 0.0);
            }
            assert_eq!(control(entry.name).map(|found| found.name), Some(entry.name));
        }
    }

    #[test]
    fn a_name_that_is_not_known_is_answered_with_the_nearest() {
        assert!(transport_or_complain("tpc").expect_err("none").hint.contains("\"tcp\""));
        assert!(control_or_complain("rneo").expect_err("none").hint.contains("\"reno\""));
        assert!(tcp::ENTRY.args(Some("ns3")).expect_err("none").hint.contains("ns2"));
    }
}
