//! Every application. Adding one is one file and one line here.

use crate::quantity::Complaint;
use crate::traffic::entry::AppEntry;
use crate::traffic::{
    bulk, cbr, game, http, mice, on_off, packmime, poisson, probe, rounds, streaming, telnet, trace, transfers, video,
    voice,
};
use sojourn_queues::registry::or_complain;

/// All applications, in the order in which lists show them.
pub static APPS: &[&AppEntry] = &[
    &bulk::ENTRY,
    &transfers::ENTRY,
    &mice::ENTRY,
    &http::ENTRY,
    &packmime::ENTRY,
    &telnet::ENTRY,
    &streaming::ENTRY,
    &video::ENTRY,
    &rounds::ENTRY,
    &cbr::ENTRY,
    &on_off::ENTRY,
    &poisson::ENTRY,
    &voice::ENTRY,
    &game::ENTRY,
    &probe::ENTRY,
    &trace::ENTRY,
];

/// The entry called `name`.
pub fn app(name: &str) -> Option<&'static AppEntry> {
    APPS.iter().find(|entry| entry.name == name).copied()
}

/// The entry called `name`, or a complaint with the nearest name.
pub fn app_or_complain(name: &str) -> Result<&'static AppEntry, Complaint> {
    or_complain("application", name, app(name), APPS.iter().map(|entry| entry.name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Args;

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
