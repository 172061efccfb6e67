//! Every application by name. Adding one is one file and one line here.

use super::{Application, bulk, cbr, transfers};
use crate::params::{Args, Param, nearest};
use crate::quantity::Complaint;

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
    /// How to make one.
    pub build: fn(&Args) -> Box<dyn Application>,
}

impl std::fmt::Debug for AppEntry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "application {}", self.name)
    }
}

/// All applications, in the order in which lists show them.
pub static APPS: &[&AppEntry] = &[&bulk::ENTRY, &transfers::ENTRY, &cbr::ENTRY];

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
    fn a_name_that_is_not_known_is_answered_with_the_nearest() {
        let complaint = app_or_complain("bluk").expect_err("there is no such application");
        assert!(complaint.hint.contains("\"bulk\""), "{complaint:?}");
    }
}
