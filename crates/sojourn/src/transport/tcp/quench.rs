//! What TCP does when a router tells it of congestion by a choke packet. Specification: RFC 792 (source quench), RFC 1122
//! section 4.2.3.9; RFC 6633 asks for silence. Compared with: 4.3BSD `tcp_quench` (behaviour).
//!
//! A reaction that changes the threshold comes once per window of data, as for an echo of RFC 3168.

use super::sender::{Connection, LastCut, Sender};
use crate::choices;
use crate::units::Instant;

choices! {
    /// What a choke packet does to the window.
    pub enum Quench {
        /// Nothing (RFC 6633).
        Ignore = "ignore",
        /// It falls to one segment under the threshold as it is (4.3BSD).
        OneSegment = "one_segment",
        /// Slow start as after a timeout, without a retransmission (RFC 1122 section 4.2.3.9).
        SlowStart = "slow_start",
        /// What an echo of congestion does (RFC 3168 section 6.1.2).
        AsMark = "as_mark",
    }
}

impl Sender {
    /// A router has told of congestion; `seq` is the first byte of the segment that met it.
    pub(super) fn on_choke(&mut self, now: Instant, seq: u64) {
        let ours = (self.start..self.max).contains(&seq);
        if self.connection != Connection::Open || !ours || self.una == self.max {
            return;
        }
        match self.config.quench {
            Quench::OneSegment => self.control.limit_window(1.0),
            Quench::SlowStart if seq >= self.recover => {
                let event = self.used(now);
                self.control.on_timeout(Some(&event));
                self.recover = self.max;
                // A loss in this window is repaired without another cut.
                self.last_cut = LastCut::Ecn;
                self.cwr_pending = true;
            }
            Quench::AsMark => self.on_echo(now, seq + 1),
            Quench::Ignore | Quench::SlowStart => {}
        }
    }
}
