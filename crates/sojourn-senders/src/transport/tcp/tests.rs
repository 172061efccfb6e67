use super::config::{receiver_window, rfc6928_window};
use super::strategy::Strategy;
use super::*;
use crate::transport::entry::ControlEntry;
use crate::units::{Bytes, Size};

/// Defaults without delayed acknowledgements, then `settings`; `profile` first if given. `control` names a
/// control, `control.preset` its preset, `control.x` sets its parameter x.
pub(crate) fn config(settings: &[(&str, &str)]) -> Arc<Config> {
    let law = settings.iter().find(|(name, _)| *name == "control").map_or("reno", |(_, law)| *law);
    config_of(crate::registry::control(law).expect("a control"), settings)
}

/// The same with this law.
pub(crate) fn config_of(entry: &'static ControlEntry, settings: &[(&str, &str)]) -> Arc<Config> {
    let (profile, rest): (Vec<_>, Vec<_>) = settings.iter().partition(|(name, _)| *name == "profile");
    let mut args = ENTRY.args(profile.first().map(|(_, name)| *name)).expect("a profile");
    if profile.is_empty() {
        args.set_text("ack_every", "1").expect("a number");
    }
    let preset = rest.iter().find(|(name, _)| *name == "control.preset").map(|(_, preset)| *preset);
    let mut control = Control { entry, args: entry.args(preset).expect("a preset") };
    for (name, value) in rest {
        match name.strip_prefix("control.") {
            Some("preset") => {}
            Some(own) => control.args.set_text(own, value).expect("a valid setting"),
            None if name == "control" => {}
            None => args.set_text(name, value).expect("a valid setting"),
        }
    }
    Arc::new(Config::new(&args.typed(), control).expect("consistent parameters"))
}

#[test]
fn the_initial_window_is_ten_unless_packets_are_large() {
    // RFC 6928 §2 with MSS 960, 1460 and 8960.
    assert_eq!(rfc6928_window(960).to_bits(), 10.0_f64.to_bits());
    assert_eq!(rfc6928_window(1460).to_bits(), 10.0_f64.to_bits());
    assert_eq!(rfc6928_window(8960).to_bits(), 2.0_f64.to_bits());
}

#[test]
fn a_window_in_bytes_is_whole_segments() {
    assert_eq!(receiver_window(Some(Size::Bytes(65536.0)), 960), Ok(68));
    assert_eq!(receiver_window(Some(Size::Bytes(10.0)), 960), Ok(1));
    assert_eq!(receiver_window(Some(Size::Packets(20.0)), 960), Ok(20));
    assert!(receiver_window(Some(Size::Bdp(2.0)), 960).is_err());
}

#[test]
fn a_packet_must_hold_more_than_its_header() {
    let params = Params { packet: Bytes(50), header: Bytes(50), ..Params::default() };
    let control = Control { entry: &reno::ENTRY, args: Args::defaults(reno::ENTRY.params) };
    assert_eq!(Config::new(&params, control).expect_err("no room").param, "packet");
}

/// The strategy of a profile with settings, or what is said against them.
fn strategy(profile: &str, settings: &[(&str, &str)]) -> Result<Strategy, String> {
    let args = crate::rig::set(ENTRY.args(Some(profile)).expect("a profile"), settings);
    let control = Control { entry: &reno::ENTRY, args: Args::defaults(reno::ENTRY.params) };
    let config = Config::new(&args.typed(), control);
    config.map(|config| config.strategy).map_err(|error| format!("{}: {}", error.param, error.complaint.hint))
}

#[test]
fn each_profile_has_the_recoveries_of_its_source() {
    let all = ["tahoe", "reno", "newreno", "sack", "rack"];
    let of = |profile, settings: &[(&'static str, &'static str)]| {
        all.map(|recovery| strategy(profile, &[settings, &[("recovery", recovery)]].concat()).ok())
    };
    let (acks, sack, rack) = (Some(Strategy::Cumulative), Some(Strategy::Selective), Some(Strategy::Rack));
    assert_eq!(of("rfc", &[]), [acks, acks, acks, sack, rack]);
    assert_eq!(of("ns2", &[]), [acks, acks, acks, Some(Strategy::Ns2Pipe), None]);
    assert_eq!(of("linux", &[]), [None, None, None, None, rack]);
    assert_eq!(of("linux", &[("f_rto", "false"), ("offload", "false")]), [acks, acks, acks, sack, rack]);
    assert_eq!(
        ["rfc", "ns2", "linux"].map(|profile| strategy(profile, &[]).ok()),
        [sack, Some(Strategy::Ns2Pipe), rack]
    );
}

#[test]
fn a_recovery_that_does_not_fit_is_answered_with_the_one_that_is_meant() {
    for (profile, recovery, said) in [
        ("linux", "sack", "recovery: leave it out or write \"rack\""),
        ("linux", "newreno", "recovery: write recovery = \"rack\", or profile = \"rfc\""),
        ("ns2", "rack", "recovery: write recovery = \"sack\", or profile = \"rfc\""),
    ] {
        let hint = strategy(profile, &[("recovery", recovery)]).expect_err("a contradiction");
        assert!(hint.starts_with(said), "{profile} {recovery}: {hint}");
    }
}
