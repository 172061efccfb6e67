//! What the sender and the connection leave to the [`Strategy`]: nothing else asks which it is.

use super::sender::{Ack, Sender};
use super::strategy::Strategy;
use crate::transport::FlowContext;
use crate::transport::congestion::Heard;
use crate::units::Instant;

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
    /// tells it. Each strategy is a function by itself: together they would need the stack of the largest.
    #[inline(always)]
    pub(super) fn answer_ack(&mut self, now: Instant, ack: &Ack<'_>, heard: Option<Heard>, cx: &mut FlowContext) {
        match self.config.strategy {
            Strategy::Cumulative => self.on_ack_cumulative(now, ack, cx),
            Strategy::Selective => self.on_ack_sack_rfc(now, ack, cx),
            Strategy::Ns2Pipe => self.on_ack_sack_ns2(now, ack, cx),
            Strategy::Ns2Vegas => self.on_ack_vegas_ns2(now, ack, cx),
            Strategy::Linux26 => self.on_ack_linux(now, ack, heard, cx),
            Strategy::Rack => self.on_ack_rack(now, ack, heard, cx),
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
