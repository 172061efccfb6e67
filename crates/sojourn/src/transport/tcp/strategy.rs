//! Which of the ways to find and repair losses a sender takes: it follows from its parameters, and never changes. All that the sender and
//! the connection leave to it stands here: elsewhere nothing asks which it is.

use super::sender::{Ack, Sender};
use super::{Details, Detection, Recovery};
use crate::transport::FlowContext;
use crate::transport::congestion::{FineTimeout, Heard};
use crate::units::Instant;

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

    /// Whether it hears of acknowledgements with nothing outstanding: one may still tell that a repair was one too many.
    pub fn hears_when_idle(self) -> bool {
        self == Strategy::Rack
    }

    /// Whether it tells the control itself what it has heard, when it has taken it in.
    pub fn tells_control(self) -> bool {
        self == Strategy::Linux26
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

impl Sender {
    /// Sends what the strategy allows, at most `burst` segments where it may send bursts.
    pub(super) fn send_by_strategy(&mut self, now: Instant, burst: u32, cx: &mut FlowContext) {
        match self.config.strategy {
            Strategy::Linux26 => self.send_by_halving(now, burst, cx),
            Strategy::Rack => self.pump_rack(now, cx),
            Strategy::Cumulative | Strategy::Selective | Strategy::Ns2Pipe | Strategy::Ns2Vegas => {
                unreachable!("they send what the window allows")
            }
        }
    }

    /// An acknowledgement is about to be heard.
    #[inline]
    pub(super) fn prepare_for_ack(&mut self, ack: &Ack<'_>) {
        if self.config.strategy == Strategy::Ns2Vegas && ack.next > self.una {
            self.settle_inflation(true);
        }
    }

    /// Takes in an acknowledgement, and repairs and sends what follows from it. `heard` is what the control is to hear, if the strategy
    /// tells it.
    #[inline]
    pub(super) fn answer_ack(&mut self, now: Instant, ack: &Ack<'_>, heard: Option<Heard>, cx: &mut FlowContext) {
        match self.config.strategy {
            Strategy::Cumulative => self.on_ack_cumulative(now, ack, cx),
            Strategy::Selective => self.on_ack_sack_rfc(now, ack, cx),
            Strategy::Ns2Pipe => self.on_ack_sack_ns2(now, ack, cx),
            Strategy::Ns2Vegas => self.on_ack_vegas_ns2(now, ack, cx),
            Strategy::Linux26 => self.on_ack_linux(now, ack, heard, cx),
            Strategy::Rack => self.on_ack_rack(now, ack, cx),
        }
    }

    /// The timer has expired: what recovery had done to the window becomes part of it.
    pub(super) fn abandon_recovery(&mut self, now: Instant) {
        match self.config.strategy {
            Strategy::Linux26 => self.abandon_halving(),
            Strategy::Ns2Vegas => self.note_timeout_vegas_ns2(now),
            Strategy::Cumulative | Strategy::Selective | Strategy::Ns2Pipe | Strategy::Rack => {}
        }
    }

    /// The timer has expired: what is out counts as lost.
    pub(super) fn give_up_flight(&mut self) {
        if self.config.strategy == Strategy::Linux26 {
            self.give_up_linux();
        } else {
            self.nxt = self.una;
        }
    }
}
