//! The entry of an application in the registry: its names, its parameters and the function that makes one.

use super::Application;
use crate::component::{BuildError, Preset, args_with};
use crate::params::{Args, Param, Params};
use crate::quantity::Complaint;

/// All that the registry knows of an application.
#[derive(Clone, Copy)]
pub struct AppEntry {
    /// Its name in scenario files.
    pub name: &'static str,
    /// Its name in the literature.
    pub title: &'static str,
    /// A description in two or three sentences.
    pub doc: &'static str,
    /// Where it was published or is specified.
    pub reference: &'static str,
    /// Its parameters.
    pub params: &'static [Param],
    /// Named groups of settings.
    pub presets: &'static [Preset],
    /// The reason why it has no rate of its own, if it has none. It cannot drive a transport without congestion control then, which sends
    /// at once whatever is written.
    pub unpaced: fn(&Args) -> Option<String>,
    /// Checks whether values that are each in range go together.
    pub check: fn(&Args) -> Result<(), BuildError>,
    /// The function that makes one, from values that go together.
    pub build: fn(&Args) -> Box<dyn Application>,
}

/// For [`AppEntry::unpaced`]: it sets a pace.
pub fn paced(_: &Args) -> Option<String> {
    None
}

/// For [`AppEntry::check`]: all values go together.
pub fn fits(_: &Args) -> Result<(), BuildError> {
    Ok(())
}

impl AppEntry {
    /// The entry of an application with the parameters `P`, without texts and presets, which sets a pace.
    pub const fn of<P: Params>(build: fn(&Args) -> Box<dyn Application>) -> Self {
        let (name, title, doc, reference) = ("", "", "", "");
        AppEntry { name, title, doc, reference, params: P::SPECS, presets: &[], unpaced: paced, check: fits, build }
    }

    /// Default values with a preset laid over them; `None` is no preset.
    pub fn args(&self, preset: Option<&str>) -> Result<Args, Complaint> {
        args_with(self.name, "preset", self.params, self.presets, preset)
    }
}

impl std::fmt::Debug for AppEntry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "application {}", self.name)
    }
}
