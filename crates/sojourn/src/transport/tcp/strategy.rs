//! The strategy of a sender for the detection and repair of losses. It follows from the parameters, and never changes. The recoveries
//! themselves are in `recovery/`.

use super::settings::{Details, Detection, Recovery};
use crate::transport::congestion::FineTimeout;

/// The strategies, one for each recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strategy {
    /// By cumulative acknowledgements: Tahoe, Reno, NewReno (`cumulative.rs`).
    Cumulative,
    /// By SACK (`sack.rs`, RFC 6675).
    Selective,
    /// By SACK as in ns-2's `Sack1` (`ns2/pipe.rs`).
    Ns2Pipe,
    /// By a fine-grained timeout as in ns-2's Vegas (`ns2/vegas_ns2.rs`).
    Ns2Vegas,
    /// By SACK as in Linux 2.6 within ns-2 (`ns2/linux26.rs`).
    Linux26,
    /// By SACK and time (`rack/`, RFC 8985).
    Rack,
}

impl Strategy {
    /// The strategy that follows from the parameters and from the law's own retransmissions.
    pub fn of(recovery: Recovery, details: Details, detection: Detection, early: Option<FineTimeout>) -> Self {
        match (recovery, details) {
            (Recovery::Sack, Details::Rfc) if detection == Detection::Rack => Strategy::Rack,
            (Recovery::Sack, Details::Rfc) => Strategy::Selective,
            (Recovery::Sack, Details::Ns2) => Strategy::Ns2Pipe,
            (Recovery::Sack, Details::Linux) => Strategy::Linux26,
            (Recovery::Reno, Details::Ns2) if early == Some(FineTimeout::Ns2) => Strategy::Ns2Vegas,
            (Recovery::Tahoe | Recovery::Reno | Recovery::NewReno, _) => Strategy::Cumulative,
        }
    }

    /// True if the recovery itself calls the control when data is sent while nothing is in flight.
    pub fn tells_restart(self) -> bool {
        self == Strategy::Rack
    }

    /// True if the SYN is the first segment of the initial window, and others may follow it at once.
    pub fn counts_syn(self) -> bool {
        self == Strategy::Linux26
    }
}
