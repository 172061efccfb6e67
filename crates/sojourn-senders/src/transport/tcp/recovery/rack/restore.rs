//! Cuts that are taken back: the window and the threshold get their old values, and what was only late is not lost. Compared with: Linux's
//! `tcp_undo_cwnd_reduction` and `tcp_any_retrans_done` (behaviour).

use super::state::Rack;
use crate::transport::congestion::{Adjustment, Phase};
use crate::transport::tcp::settings::Arrivals;
use crate::transport::tcp::stream::{Ack, Stream};

impl Rack {
    /// There is nothing to take back. In Linux the first retransmission stays known.
    pub(super) fn end_undo(&mut self, stream: &Stream) {
        self.undo.end(stream.config.params.arrivals == Arrivals::Linux && self.goes_on(stream));
    }

    /// Whether the first retransmission of an episode that ends now is that of the next one, too: something that was sent again is still in
    /// the network. In Linux it is enough that the head has been sent again (`tcp_any_retrans_done`).
    pub(super) fn goes_on(&self, stream: &Stream) -> bool {
        let head =
            || stream.config.params.arrivals == Arrivals::Linux && self.flight.head().is_some_and(|head| head.resent);
        self.flight.repairing() > 0 || head()
    }

    /// Takes the cut back if the acknowledged segment was sent before the first retransmission of this episode.
    pub(super) fn undo_by_time(&mut self, stream: &mut Stream, ack: &Ack<'_>) {
        if stream.config.params.undo && stream.config.params.timestamps && self.undo.by_time(ack.echo) {
            self.restore(stream, true);
        }
    }

    /// The window stays as far as it has fallen.
    fn stay(&self, stream: &mut Stream) {
        let window = self.window as f64;
        stream.control.adjust(Adjustment::Raise(window));
        stream.control.adjust(Adjustment::Limit(window));
    }

    /// RFC 4015 section 3.2 in Linux's form: window and threshold get their old values back, if these are larger. `late` says that no
    /// segment was lost. In Linux the caller sets the phase.
    pub(super) fn restore(&mut self, stream: &mut Stream, late: bool) {
        if late {
            self.flight.forgive(stream.config.params.arrivals == Arrivals::Linux);
        }
        self.detector.look_again();
        if let Some((window, ssthresh)) = self.undo.take() {
            // In Linux a cut that has not lowered the threshold, such as BBR's, is told all the same (`tcp_undo_cwnd_reduction`).
            let has_lowered = ssthresh.max(0.75 * window) > stream.control.ssthresh();
            // A law may have lowered its window without a loss: what was out then was more (`tcp_reno_undo_cwnd`).
            let window = self.falling(stream).map_or(window, |now| now.max(window));
            stream.control.adjust(Adjustment::Restore { window, ssthresh });
            stream.marks.cwr_pending &= !has_lowered && stream.config.params.arrivals == Arrivals::Linux;
        } else if self.phase == Phase::Loss {
            // The window of the repairs stays. In Linux the segments that were in the network at the timeout are part of it.
            let window = (stream.law_window() + self.kept) as f64;
            stream.control.adjust(Adjustment::Raise(window));
        } else if self.phase == Phase::Recovery
            && stream.config.params.arrivals == Arrivals::Linux
            && !stream.config.samples
        {
            self.stay(stream);
        }
        // A timeout that is taken back was none: the next one is doubted if it comes in a recovery (`tcp_try_undo_loss`).
        stream.timed_out &= self.phase != Phase::Loss || stream.config.params.arrivals != Arrivals::Linux;
        self.end_undo(stream);
        if stream.config.params.arrivals == Arrivals::Rfc {
            self.set_phase(stream, Phase::Open);
        }
    }
}
