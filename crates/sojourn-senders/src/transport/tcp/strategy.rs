//! The strategy of a sender for the detection and repair of losses. It follows from the parameters, and never changes. The recoveries
//! themselves are in `recovery/`.

use super::settings::{Details, Recovery};

/// The strategies, one for each recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strategy {
    /// By cumulative acknowledgements: Tahoe, Reno, NewReno (`cumulative.rs`).
    Cumulative,
    /// By SACK (`sack.rs`, RFC 6675).
    Selective,
    /// By SACK as in ns-2's `Sack1` (`ns2/pipe.rs`).
    Ns2Pipe,
    /// By SACK and time (`rack/`, RFC 8985).
    Rack,
}

impl Strategy {
    /// The strategy that follows from the parameters.
    pub fn of(recovery: Recovery, details: Details) -> Self {
        match (recovery, details) {
            (Recovery::Rack, _) => Strategy::Rack,
            (Recovery::Sack, Details::Rfc) => Strategy::Selective,
            (Recovery::Sack, Details::Ns2) => Strategy::Ns2Pipe,
            (Recovery::Tahoe | Recovery::Reno | Recovery::NewReno, _) => Strategy::Cumulative,
        }
    }

    /// True if the recovery itself calls the control when data is sent while nothing is in flight.
    pub fn tells_restart(self) -> bool {
        self == Strategy::Rack
    }
}
