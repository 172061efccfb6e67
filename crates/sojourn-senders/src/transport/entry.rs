//! The registry entries of a transport and of a congestion control: names, parameters, and the functions that make one.

use std::sync::Arc;

use super::Endpoint;
use super::congestion::CongestionControl;
use crate::component::{BuildError, Preset, args_with};
use crate::params::{Args, Param, Params};
use crate::quantity::Complaint;
use crate::queue::drawing::Graph;
use crate::traffic::Application;

/// Draws the law of a congestion control with these parameters.
pub type DrawControl = fn(&Args) -> Graph;

/// Draws the law of a transport with these parameters.
pub type DrawTransport = fn(&Args) -> Result<Graph, BuildError>;

/// Makes a congestion control from its parameters.
pub type BuildControl = &'static (dyn Fn(&Args) -> Box<dyn CongestionControl> + Send + Sync);

/// All that the registry knows of a congestion control.
#[derive(Clone, Copy)]
pub struct ControlEntry {
    /// Its name in scenario files.
    pub name: &'static str,
    /// Its name in the literature.
    pub title: &'static str,
    /// A description in two or three sentences.
    pub doc: &'static str,
    /// Where it was published.
    pub reference: &'static str,
    /// Its parameters.
    pub params: &'static [Param],
    /// Named groups of settings.
    pub presets: &'static [Preset],
    /// Draws its law, if it is a function that can be drawn.
    pub law: Option<DrawControl>,
    /// The function that makes one.
    pub build: BuildControl,
}

impl ControlEntry {
    /// The entry of a control law with the parameters `P`, without texts, presets and drawing.
    pub const fn of<P: Params>(build: BuildControl) -> Self {
        let (name, title, doc, reference) = ("", "", "", "");
        ControlEntry { name, title, doc, reference, params: P::SPECS, presets: &[], law: None, build }
    }

    /// The default values with a preset laid over them. `None` is no preset.
    pub fn args(&self, preset: Option<&str>) -> Result<Args, Complaint> {
        args_with(self.name, "preset", self.params, self.presets, preset)
    }
}

impl std::fmt::Debug for ControlEntry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "control {}", self.name)
    }
}

/// The sending side of a flow and its receiving side.
pub type Ends = (Box<dyn Endpoint>, Box<dyn Endpoint>);

/// Makes the ends of a new flow, whose sending side the application drives. It has the part that flows with the same parameters share.
pub type Flows = Arc<dyn Fn(Box<dyn Application>) -> Ends + Send + Sync>;

/// Checks parameters together, and prepares the part that flows with them share.
pub type Build = fn(&Args, Option<Control>) -> Result<Flows, BuildError>;

/// All that the registry knows of a transport.
#[derive(Clone, Copy)]
pub struct TransportEntry {
    /// Its name in scenario files.
    pub name: &'static str,
    /// Its name in the literature.
    pub title: &'static str,
    /// A description in two or three sentences.
    pub doc: &'static str,
    /// Where it is specified.
    pub reference: &'static str,
    /// Its parameters.
    pub params: &'static [Param],
    /// Named groups of settings (`profile` in scenario files).
    pub profiles: &'static [Preset],
    /// Its congestion control, unless another is chosen. `None` says that it takes none.
    pub control: Option<&'static ControlEntry>,
    /// Whether it adapts its rate to the network. If not, the application must have a rate.
    pub controlled: bool,
    /// Draws its law, if it is a function that can be drawn.
    pub law: Option<DrawTransport>,
    /// The function that makes flows with these parameters.
    pub build: Build,
}

impl std::fmt::Debug for TransportEntry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "transport {}", self.name)
    }
}

impl TransportEntry {
    /// The entry of a transport with the parameters `P` that adapts its rate, without texts, profiles and law.
    pub const fn of<P: Params>(build: Build) -> Self {
        let (name, title, doc, reference) = ("", "", "", "");
        let (params, profiles, control, controlled, law) = (P::SPECS, &[], None, true, None);
        TransportEntry { name, title, doc, reference, params, profiles, control, controlled, law, build }
    }

    /// The default values with a profile laid over them. `None` is no profile.
    pub fn args(&self, profile: Option<&str>) -> Result<Args, Complaint> {
        args_with(self.name, "profile", self.params, self.profiles, profile)
    }
}

/// A congestion control with its parameters.
#[derive(Clone, Debug)]
pub struct Control {
    /// The kind.
    pub entry: &'static ControlEntry,
    /// Its parameters.
    pub args: Args,
}
