//! Forward RTO-Recovery (F-RTO) finds out whether a timeout was necessary. If the segments were only late, the next acknowledgement is for
//! segments that were not sent again. So after the first repair the sender sends new data before further repairs. Specification: RFC 5682
//! section 3.1, the algorithm with SACK, by its steps. Compared with: Linux's `tcp_process_loss` (behaviour), which looks at the
//! acknowledged segments at every step, and bounds the new data by the window.

use super::state::{Doubt, News, Rack};
use crate::transport::FlowContext;
use crate::transport::congestion::Phase;
use crate::transport::tcp::stream::Stream;
use crate::units::Instant;

impl Rack {
    /// Step 1: the timer has expired. `repeated` says that nothing has been acknowledged since the last timeout. A timeout during a
    /// recovery is not doubted.
    pub(super) fn doubt_timeout(&mut self, stream: &Stream, repeated: bool) {
        let may_doubt = stream.config.params.f_rto && (!self.is_recovering() || repeated);
        self.doubt = if may_doubt { Doubt::Open } else { Doubt::Settled };
    }

    /// Steps 2 and 3: an acknowledgement may decide the doubt.
    pub(super) fn settle_doubt(&mut self, stream: &mut Stream, news: &News) {
        if self.doubt == Doubt::Settled || self.phase != Phase::Loss {
            return;
        }
        if news.original {
            // Step 3.b.
            self.doubt = Doubt::Settled;
            self.restore(stream, true);
            self.set_phase(stream, Phase::Open);
        } else if stream.nxt > self.high {
            // Step 3.a: a duplicate, or a report above the head.
            if news.sacked_at.is_some() || news.acked.is_none() {
                self.doubt = Doubt::Settled;
            }
        } else if news.acked.is_some() && stream.una < self.high {
            // Step 2.b.
            self.high = stream.nxt;
            self.doubt = Doubt::AsksNewData;
        }
    }

    /// Step 2.b: sends new data if an acknowledgement has asked for it. Returns whether there was any. If not, repairs go on as after any
    /// timeout.
    pub(super) fn ask_by_new_data(
        &mut self,
        stream: &mut Stream,
        window: u64,
        now: Instant,
        cx: &mut FlowContext,
    ) -> bool {
        if self.doubt != Doubt::AsksNewData {
            return false;
        }
        let has_asked = self.fill(stream, window, false, now, cx);
        self.doubt = if has_asked { Doubt::Open } else { Doubt::Settled };
        has_asked
    }
}
