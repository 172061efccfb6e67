//! Which of the ways to find and repair losses a sender takes: it follows from its parameters, and never changes. What the
//! sender and the connection leave to it stands in `by_strategy.rs`.

use super::settings::{Details, Detection, Recovery};
use crate::transport::congestion::FineTimeout;

/// One for each file that answers an acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strategy {
    /// By cumulative acknowledgements: Tahoe, Reno, NewReno (`recovery.rs`).
    Cumulative,
    /// By SACK (`sack.rs`, RFC 6675).
    Selective,
    /// By SACK as ns-2's `Sack1` has it (`sack.rs`).
    Ns2Pipe,
    /// By a fine-grained timeout as ns-2's Vegas has it (`vegas_ns2.rs`).
    Ns2Vegas,
    /// By SACK as Linux 2.6 has it in ns-2 (`linux26.rs`).
    Linux26,
    /// By SACK and time (`rack/`, RFC 8985).
    Rack,
}

impl Strategy {
    /// What parameters and the law's own retransmissions lead to.
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

    /// Whether it alone says what may be sent when. Otherwise it is what the window allows.
    pub fn paces_itself(self) -> bool {
        matches!(self, Strategy::Linux26 | Strategy::Rack)
    }

    /// Whether it tells the control itself when data leaves while nothing is out.
    pub fn tells_restart(self) -> bool {
        self == Strategy::Rack
    }

    /// Whether the handshake's round trip is told to it.
    pub fn hears_of_handshake(self) -> bool {
        self == Strategy::Rack
    }

    /// Whether it hears of acknowledgements with nothing outstanding: one may still tell that a repair was one too many.
    pub fn hears_when_idle(self) -> bool {
        self == Strategy::Rack
    }

    /// Whether it tells the control itself what it has heard, when it has taken it in.
    pub fn tells_control(self) -> bool {
        matches!(self, Strategy::Linux26 | Strategy::Rack)
    }

    /// Whether round trips and what is in flight count from what is sent next, which lies below the highest byte after a timeout.
    pub fn counts_from_next(self) -> bool {
        self == Strategy::Ns2Vegas
    }

    /// Whether the SYN is the first segment of the initial window, and others may follow it at once.
    pub fn counts_syn(self) -> bool {
        self == Strategy::Linux26
    }
}
