//! Takes back a cut that was not necessary. There are two proofs: all retransmissions are reported as received twice (RFC 3708), or the
//! acknowledged segment was sent before the first retransmission (Eifel, RFC 3522, by timestamps). Compared with: Linux's `tcp_may_undo`
//! (behaviour).

use crate::units::Instant;

/// The values that would be restored, and the state of the proofs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Undo {
    /// Window and threshold before the cut. Absent if there is no cut to take back.
    before: Option<(f64, f64)>,
    /// An echo of congestion has come since the cut: window and threshold stay, whatever the proofs say.
    marked: bool,
    /// The segments that were sent again since the cut and not reported as duplicates. Absent before the first.
    unanswered: Option<u64>,
    /// The time of the first retransmission.
    since: Option<Instant>,
    /// The first byte that was not acknowledged at the cut.
    from: u64,
}

impl Undo {
    /// The window is about to be cut. Window and threshold are `before`, all data below `from` is acknowledged, and `repairing`
    /// retransmissions are in the network. If `goes_on`, the first retransmission of the episode before is still the first one.
    pub fn begin(&mut self, before: (f64, f64), from: u64, repairing: u64, goes_on: bool) {
        (self.before, self.from) = (Some(before), from);
        self.marked = false;
        if !goes_on {
            self.since = None;
        }
        self.unanswered = (repairing > 0).then_some(repairing);
    }

    /// There is nothing to take back.
    pub fn end(&mut self, goes_on: bool) {
        let since = self.since.filter(|_| goes_on);
        *self = Undo { since, ..Undo::default() };
    }

    /// Recovery is over. If nothing that was sent again is out, the next recovery has its own first retransmission. Otherwise it shares
    /// that of this one: else these retransmissions would seem to have been sent before it (Linux `tcp_retrans_stamp_cleanup`). Reports of
    /// duplicates still count for this recovery.
    pub fn settle(&mut self, goes_on: bool) {
        if !goes_on {
            self.since = None;
        }
    }

    /// An acknowledgement arrives in the phase `Open`: the time of the first retransmission is no longer of use.
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

    /// True if there is a cut that may be taken back.
    pub fn is_open(&self) -> bool {
        self.before.is_some()
    }

    /// The first byte whose duplicates count.
    pub fn from(&self) -> u64 {
        self.from
    }

    /// This number of segments has been reported as received twice.
    pub fn on_duplicates(&mut self, segments: u64) {
        if let Some(left) = &mut self.unanswered {
            *left = left.saturating_sub(segments);
        }
    }

    /// An echo of congestion has come. A proof still ends the repairs, but restores nothing (Linux `tcp_fastretrans_alert`).
    pub fn on_echo(&mut self) {
        self.marked = true;
    }

    /// True if no retransmission was necessary (RFC 3708 section 3).
    pub fn by_duplicates(&self) -> bool {
        self.before.is_some() && self.unanswered == Some(0)
    }

    /// True if the acknowledged segment, which was sent at `echo`, left before the first retransmission (RFC 3522 section 3.2).
    pub fn by_time(&self, echo: Instant) -> bool {
        self.before.is_some() && self.since.is_some_and(|since| echo < since)
    }

    /// In Linux also an acknowledgement before the first retransmission is such a proof (`tcp_packet_delayed`).
    pub fn is_late(&self, echo: Option<Instant>) -> bool {
        self.before.is_some() && self.since.is_none_or(|since| echo.is_some_and(|echo| echo < since))
    }

    /// Window and threshold to restore. They are returned once, and not after an echo of congestion.
    pub fn take(&mut self) -> Option<(f64, f64)> {
        self.before.take().filter(|_| !self.marked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::at_millis;
    use crate::transport::tcp::recovery::LossRecovery;
    use crate::transport::tcp::timelines::ten;

    #[test]
    fn after_an_echo_a_proof_restores_nothing() {
        for marked in [false, true] {
            let mut undo = Undo::default();
            undo.begin((11.0, 22.0), 0, 0, false);
            undo.on_resent(Instant::ZERO);
            if marked {
                undo.on_echo();
            }
            undo.on_duplicates(1);
            assert!(undo.by_duplicates());
            assert_eq!(undo.take(), (!marked).then_some((11.0, 22.0)));
        }
    }

    #[test]
    fn in_linux_a_repair_of_the_head_that_is_lost_begins_the_next_episode_too() {
        // The repair of 0 is found lost: nothing that was sent again is in the network.
        for (arrivals, goes_on) in [("linux", true), ("rfc", false)] {
            let mut pair = ten(&[("profile", "linux"), ("arrivals", arrivals)], "20");
            pair.start();
            let LossRecovery::Rack(rack) = &mut pair.sender.recovery else { unreachable!("RACK") };
            rack.flight.lose(0);
            rack.flight.on_resent(at_millis(1), 0);
            assert!(rack.goes_on(&pair.sender.stream), "{arrivals}: it is in the network");
            rack.flight.lose(0);
            assert_eq!(rack.goes_on(&pair.sender.stream), goes_on);
        }
        // An acknowledgement of that repair then proves nothing.
        for (goes_on, proves) in [(true, false), (false, true)] {
            let mut undo = Undo::default();
            undo.on_resent(at_millis(1));
            undo.end(goes_on);
            undo.begin((11.0, 22.0), 0, 0, goes_on);
            undo.on_resent(at_millis(3));
            assert_eq!(undo.by_time(at_millis(2)), proves);
        }
    }

    #[test]
    fn a_segment_that_is_acknowledged_before_the_first_repair_was_late() {
        let mut undo = Undo::default();
        assert!(!undo.is_late(None), "nothing has been cut");
        undo.begin((11.0, 22.0), 0, 0, false);
        assert!(undo.is_late(None));
        undo.on_resent(at_millis(2));
        assert_eq!([None, Some(1), Some(2)].map(|echo| undo.is_late(echo.map(at_millis))), [false, true, false]);
    }

    #[test]
    fn an_echo_before_the_cut_does_not_count() {
        let mut undo = Undo::default();
        undo.on_echo();
        undo.begin((11.0, 22.0), 0, 0, false);
        assert_eq!(undo.take(), Some((11.0, 22.0)));
    }
}
