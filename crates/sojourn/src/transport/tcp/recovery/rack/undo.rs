//! Taking back a cut that turns out to have been made for nothing: everything that was sent again has been reported as received twice
//! (RFC 3708),
//! or what was acknowledged had left before the first retransmission (Eifel, RFC 3522, by timestamps). Compared with: Linux's
//! `tcp_may_undo`
//! (behaviour).

use crate::units::Instant;

/// What would be restored, and what has to be seen for it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Undo {
    /// Window and threshold before the cut; absent where there is none to take back.
    before: Option<(f64, f64)>,
    /// Segments sent again since then and not reported as duplicates; absent before the first.
    unanswered: Option<u64>,
    /// When the first was sent again.
    since: Option<Instant>,
}

impl Undo {
    /// The window, `before` the cut, is about to be cut. So many retransmissions are in the network.
    pub fn begin(&mut self, before: (f64, f64), repairing: u64) {
        self.before = Some(before);
        if repairing == 0 {
            self.since = None;
        }
        self.unanswered = (repairing > 0).then_some(repairing);
    }

    /// There is nothing to take back.
    pub fn end(&mut self) {
        *self = Undo::default();
    }

    /// Recovery is over, with so many retransmissions in the network: without any a later loss has its own first retransmission. Else one
    /// that begins at once has the same, or these would seem to have left before it (Linux `tcp_retrans_stamp_cleanup`). Reports of
    /// duplicates still tell of this one.
    pub fn settle(&mut self, repairing: u64) {
        if repairing == 0 {
            self.since = None;
        }
    }

    /// An acknowledgement comes while nothing is amiss.
    pub fn forget_first(&mut self) {
        self.since = None;
    }

    /// A segment has been sent again.
    pub fn on_resent(&mut self, now: Instant) {
        self.since.get_or_insert(now);
        if self.before.is_some() {
            self.unanswered = Some(self.unanswered.unwrap_or(0) + 1);
        }
    }

    /// A segment has been reported as received twice.
    pub fn on_duplicate(&mut self) {
        if let Some(left) = &mut self.unanswered {
            *left = left.saturating_sub(1);
        }
    }

    /// Every retransmission was one too many (RFC 3708 section 3).
    pub fn by_duplicates(&self) -> bool {
        self.before.is_some() && self.unanswered == Some(0)
    }

    /// The segment that new data was acknowledged for had left before the first retransmission (RFC 3522 section 3.2).
    pub fn by_time(&self, echo: Instant) -> bool {
        self.before.is_some() && self.since.is_some_and(|since| echo < since)
    }

    /// Window and threshold to restore; once.
    pub fn take(&mut self) -> Option<(f64, f64)> {
        self.before.take()
    }
}
