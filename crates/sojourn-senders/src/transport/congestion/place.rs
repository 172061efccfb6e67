//! The progress of a connection, for laws that decide once in a round trip.

use super::Heard;

/// Segments since the connection began.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Place {
    /// The segments acknowledged.
    pub acked: f64,
    /// The segments that had been sent when the last acknowledgement arrived.
    pub sent: f64,
}

impl Place {
    /// An acknowledgement has arrived.
    pub fn hear(&mut self, heard: &Heard) {
        self.sent = self.acked + heard.inflight;
        self.acked += heard.segments;
    }
}
