//! The hooks by which a sender calls its recovery.

use crate::transport::FlowContext;
use crate::transport::tcp::stream::{Ack, Stream};
use crate::units::{Duration, Instant};

/// The hooks of a recovery.
pub(in crate::transport::tcp) trait Recover {
    /// An acknowledgement has arrived. The recovery takes it in, repairs losses, and sends the data that may be sent then.
    fn on_ack(&mut self, stream: &mut Stream, now: Instant, ack: Ack<'_>, cx: &mut FlowContext);

    /// The stream's timer has expired.
    fn on_timer(&mut self, stream: &mut Stream, now: Instant, cx: &mut FlowContext);

    /// Sends the data that may be sent now.
    fn send(&mut self, stream: &mut Stream, now: Instant, cx: &mut FlowContext);

    /// The handshake has been answered after the time `trip`.
    fn on_handshake(&mut self, _stream: &Stream, _trip: Duration) {}

    /// The sender has acknowledged an answer to its SYN, by a packet without data.
    fn on_acknowledged(&mut self, _stream: &Stream, _now: Instant) {}

    /// True if the recovery wants acknowledgements also while no data is outstanding.
    fn hears_when_idle(&self) -> bool {
        false
    }

    /// Bytes that are known to be received above the cumulative acknowledgement.
    fn sacked(&self) -> u64 {
        0
    }

    /// Segments by which the window is inflated.
    fn inflation(&self) -> f64 {
        0.0
    }

    /// The window in segments while the rate is being reduced.
    fn reduced(&self) -> Option<u64> {
        None
    }

    /// The time at which the last packet was sent, if the recovery knows it.
    fn sent_at(&self) -> Option<Instant> {
        None
    }

    /// Prefetches the memory that the next call will read.
    fn prefetch(&self) {}
}
