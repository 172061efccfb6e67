//! Every transport and every congestion control. Adding one is one file and one line here.

use crate::quantity::Complaint;
use crate::transport::congestion::{
    bbr, bbr3, bic, binomial, cdg, cubic, dctcp, decbit, gaimd, hstcp, htcp, hybla, illinois, kwon_fahmy, no_control,
    nv, prague, rcp, reno, scalable, surathkal, vegas, veno, westwood, xcp, yeah,
};
use crate::transport::entry::{ControlEntry, TransportEntry};
use crate::transport::{fec, gcc, lda, rap, scream, tcp, tear, tfrc, udp};
use sojourn_queues::registry::or_complain;

/// All transports, in the order in which lists show them.
pub static TRANSPORTS: &[&TransportEntry] = &[
    &tcp::ENTRY,
    &udp::ENTRY,
    &fec::ENTRY,
    &tfrc::ENTRY,
    &rap::ENTRY,
    &tear::ENTRY,
    &lda::ENTRY,
    &gcc::ENTRY,
    &scream::ENTRY,
];

/// All congestion controls, in the order in which lists show them.
pub static CONTROLS: &[&ControlEntry] = &[
    &reno::ENTRY,
    &gaimd::ENTRY,
    &binomial::ENTRY,
    &kwon_fahmy::ENTRY,
    &hstcp::ENTRY,
    &scalable::ENTRY,
    &bic::ENTRY,
    &cubic::ENTRY,
    &htcp::ENTRY,
    &hybla::ENTRY,
    &illinois::ENTRY,
    &westwood::ENTRY,
    &vegas::ENTRY,
    &veno::ENTRY,
    &nv::ENTRY,
    &yeah::ENTRY,
    &cdg::ENTRY,
    &dctcp::ENTRY,
    &decbit::ENTRY,
    &surathkal::ENTRY,
    &bbr::ENTRY,
    &bbr3::ENTRY,
    &prague::ENTRY,
    &xcp::ENTRY,
    &rcp::ENTRY,
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
    or_complain("transport", name, transport(name), TRANSPORTS.iter().map(|entry| entry.name))
}

/// The congestion control called `name`, or a complaint with the nearest name.
pub fn control_or_complain(name: &str) -> Result<&'static ControlEntry, Complaint> {
    or_complain("congestion control", name, control(name), CONTROLS.iter().map(|entry| entry.name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Args;
    use crate::registry::APPS;
    use crate::transport::spec::TransportSpec;

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
