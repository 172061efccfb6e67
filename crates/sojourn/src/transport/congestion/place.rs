//! The progress of a connection, for laws that decide once in a round trip.

use super::{Acked, Arrival, Heard, Phase};

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

/// The content of an acknowledgement of new data, at a sender that does not detect losses by time and tells a law nothing more.
pub(super) fn arrival_of(acked: &Acked) -> Arrival {
    Arrival {
        now: acked.now,
        segments: acked.segments,
        rtt: acked.rtt,
        smoothed: None,
        delivered: acked.inflight,
        disordered: 0.0,
        out: acked.inflight - acked.segments,
        window: None,
        phase: Phase::Open,
    }
}
