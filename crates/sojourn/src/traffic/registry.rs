//! Every application by name. Adding one is one file and one line here.

use super::{
    Application, bulk, cbr, http, mice, on_off, packmime, poisson, streaming, telnet, trace, transfers, voice,
};
use crate::params::{Args, Param, nearest};
use crate::quantity::Complaint;
use crate::queue::registry::{BuildError, Preset};

/// One application.
#[derive(Clone, Copy)]
pub struct AppEntry {
    /// Its name in scenario files.
    pub name: &'static str,
    /// Its name in the literature.
    pub title: &'static str,
    /// What it does, in two or three sentences.
    pub doc: &'static str,
    /// Where it was published or is specified.
    pub reference: &'static str,
    /// Its parameters.
    pub params: &'static [Param],
    /// Named groups of settings.
    pub presets: &'static [Preset],
    /// Why it has no rate of its own, if so: it cannot drive a transport without congestion control,
    /// which sends at once what is written.
    pub unpaced: fn(&Args) -> Option<String>,
    /// Whether values that are each in range go together.
    pub check: fn(&Args) -> Result<(), BuildError>,
    /// How to make one, from values that go together.
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
    /// Default values with a preset laid over them; `None` is no preset.
    pub fn args(&self, preset: Option<&str>) -> Result<Args, Complaint> {
        let mut args = Args::defaults(self.params);
        let Some(name) = preset else { return Ok(args) };
        let Some(found) = self.presets.iter().find(|known| known.name == name) else {
            let known: Vec<&str> = self.presets.iter().map(|known| known.name).collect();
            let hint = format!("presets: {}", known.join(", "));
            return Err(Complaint { what: format!("{} has no preset {name:?}", self.name), hint });
        };
        for (param, value) in found.settings {
            args.set_text(param, value)?;
        }
        Ok(args)
    }
}

impl std::fmt::Debug for AppEntry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "application {}", self.name)
    }
}

/// All applications, in the order in which lists show them.
pub static APPS: &[&AppEntry] = &[
    &bulk::ENTRY,
    &transfers::ENTRY,
    &mice::ENTRY,
    &http::ENTRY,
    &packmime::ENTRY,
    &telnet::ENTRY,
    &streaming::ENTRY,
    &cbr::ENTRY,
    &on_off::ENTRY,
    &poisson::ENTRY,
    &voice::ENTRY,
    &trace::ENTRY,
];

/// The entry called `name`.
pub fn app(name: &str) -> Option<&'static AppEntry> {
    APPS.iter().find(|entry| entry.name == name).copied()
}

/// The entry called `name`, or a complaint with the nearest name.
pub fn app_or_complain(name: &str) -> Result<&'static AppEntry, Complaint> {
    app(name).ok_or_else(|| {
        let known: Vec<&str> = APPS.iter().map(|entry| entry.name).collect();
        let hint = match nearest(name, known.iter().copied()) {
            Some(near) => format!("did you mean {near:?}?"),
            None => format!("known: {}", known.join(", ")),
        };
        Complaint { what: format!("there is no application {name:?}"), hint }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_application_is_made_from_its_defaults() {
        for entry in APPS {
            let args = Args::defaults(entry.params);
            assert!((entry.build)(&args).next_deadline().is_none(), "{} has not been started", entry.name);
            assert!(std::ptr::eq(*entry, app(entry.name).expect("found by its own name")));
        }
    }

    #[test]
    fn every_preset_reads_back_and_goes_together() {
        for entry in APPS {
            for preset in entry.presets {
                let args = entry.args(Some(preset.name)).unwrap_or_else(|error| panic!("{}: {error:?}", entry.name));
                assert_eq!((entry.check)(&args), Ok(()), "{} {}", entry.name, preset.name);
            }
        }
        assert!(bulk::ENTRY.args(Some("ns2")).is_err());
    }

    #[test]
    fn a_name_that_is_not_known_is_answered_with_the_nearest() {
        let complaint = app_or_complain("bluk").expect_err("there is no such application");
        assert!(complaint.hint.contains("\"bulk\""), "{complaint:?}");
    }
}
