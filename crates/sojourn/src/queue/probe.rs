//! The meaning of a queue's probe.

/// The description of a probe, which `record.probes` samples.
#[derive(Clone, Copy, Debug)]
pub struct Probe {
    /// As in the table `probe`.
    pub name: &'static str,
    /// Empty for a number without a unit.
    pub unit: &'static str,
    /// Which values it may take.
    pub range: &'static str,
    /// Its meaning.
    pub doc: &'static str,
}

impl Probe {
    /// The unit of a queue whose thresholds are in packets or in bytes.
    pub const SIZE: &'static str = "packets or bytes, as the thresholds";
    /// The range of a share.
    pub const SHARE: &'static str = "0 to 1";
    /// The range of a number that is never negative.
    pub const UP: &'static str = "0 or more";

    /// Of this name, unit, range and meaning.
    pub const fn new(name: &'static str, unit: &'static str, range: &'static str, doc: &'static str) -> Probe {
        Probe { name, unit, range, doc }
    }
}
