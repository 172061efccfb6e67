//! The reaction of TCP to a choke packet, by which a router reports congestion. Specification: RFC 792 (source quench), RFC 1122 section
//! 4.2.3.9; RFC 6633 asks for silence. Compared with: 4.3BSD `tcp_quench` (behaviour).
//!
//! A reaction that changes the threshold happens once in a window of data, as for an echo of RFC 3168.

use super::Quench;
use super::stream::{Connection, Stream};
use crate::transport::congestion::{Adjustment, Cause};
use crate::units::Instant;

impl Stream {
    /// A router has reported congestion. `seq` is the first byte of the segment that met it. The window is inflated by `inflation`
    /// segments.
    pub(super) fn on_choke(&mut self, now: Instant, seq: u64, inflation: f64) {
        let ours = (self.start..self.max).contains(&seq);
        if self.connection != Connection::Open || !ours || self.una == self.max {
            return;
        }
        match self.config.params.quench {
            Quench::OneSegment => self.control.adjust(Adjustment::Limit(1.0)),
            Quench::SlowStart if seq >= self.recover => {
                let event = self.used(now, Cause::Timeout, inflation);
                self.control.on_timeout(Some(&event));
                self.recover = self.max;
                // A loss in this window is repaired without another cut.
                self.last_cut = Some(Cause::Echo);
                self.marks.cwr_pending = true;
            }
            Quench::AsMark => self.on_echo(now, seq + 1, inflation),
            Quench::Ignore | Quench::SlowStart => {}
        }
    }
}
