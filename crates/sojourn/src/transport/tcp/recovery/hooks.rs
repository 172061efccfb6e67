//! The hooks by which a sender calls its recovery.

use crate::transport::FlowContext;
use crate::transport::tcp::stream::{Ack, Stream};
use crate::units::{Duration, Instant};

/// The hooks of a recovery.
pub(in crate::transport::tcp) trait Recover {
    /// Takes in an acknowledgement, and repairs and sends what follows from it.
    fn on_ack(&mut self, stream: &mut Stream, now: Instant, ack: Ack<'_>, cx: &mut FlowContext);

    /// The stream's timer has expired.
    fn on_timer(&mut self, stream: &mut Stream, now: Instant, cx: &mut FlowContext);

    /// Sends what may be sent now.
    fn send(&mut self, stream: &mut Stream, now: Instant, cx: &mut FlowContext);

    /// The handshake has been answered after this time.
    fn on_handshake(&mut self, _stream: &Stream, _trip: Duration) {}

    /// Whether it hears of acknowledgements with nothing outstanding.
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

    /// When the last packet left, if it knows.
    fn sent_at(&self) -> Option<Instant> {
        None
    }

    /// Segments in the network.
    fn in_network(&self, stream: &Stream) -> u64 {
        (stream.max - stream.una).div_ceil(u64::from(stream.config.mss))
    }

    /// Asks for the memory that the next call will read.
    fn prefetch(&self) {}
}
