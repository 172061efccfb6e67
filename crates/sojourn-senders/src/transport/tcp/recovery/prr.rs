//! Proportional Rate Reduction (PRR) decides how much may be sent during recovery. The amount in the network falls to the threshold step by
//! step, with each report of the receiver. It does not fall at once, and the sender does not pause. Specification: RFC 9937, which replaces
//! RFC 6937. Compared with: Linux's `tcp_cwnd_reduction` (behaviour), which uses the window at the cut in place of RecoverFS.
//!
//! All amounts have one unit, bytes or segments. `unit` is the size of a segment in it.
//!
//! ```text
//! in the network > threshold: reduce in proportion     otherwise: slow start back up to the threshold
//! ```

/// The state of PRR in one recovery (RFC 9937 section 6.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Prr {
    /// RecoverFS: the amount in the network when recovery began.
    flight: u64,
    /// The threshold.
    ssthresh: u64,
    /// prr_delivered: the amount reported as received during recovery.
    delivered: u64,
    /// prr_out: the amount sent during recovery.
    out: u64,
    unit: u64,
}

impl Prr {
    /// Recovery begins with an acknowledgement. `flight` is the amount that had been sent before it and not been reported as received.
    pub fn new(flight: u64, ssthresh: u64, unit: u64) -> Self {
        // RFC 9937 §6.1: it divides, and cannot be nothing.
        Prr { flight: flight.max(unit), ssthresh, delivered: 0, out: 0, unit }
    }

    /// The threshold becomes `ssthresh` during recovery.
    pub fn fall_to(&mut self, ssthresh: u64) {
        self.ssthresh = ssthresh;
    }

    /// The amount `sent` has been sent, for the first time or again.
    pub fn on_sent(&mut self, sent: u64) {
        self.out += sent;
    }

    /// The amount that may be sent now (sndcnt). An acknowledgement has reported `delivered`, and `in_flight` is in the network. It is
    /// `safe` if it acknowledges new data and reports no further loss.
    pub fn allowed(&mut self, delivered: u64, in_flight: u64, safe: bool) -> u64 {
        // RFC 9937 §6.2.
        self.delivered += delivered;
        let allowed = if in_flight > self.ssthresh {
            (self.delivered * self.ssthresh).div_ceil(self.flight).saturating_sub(self.out)
        } else {
            // PRR-CRB: as much as has arrived; PRR-SSRB: one segment more while recovery goes well.
            let conserving = self.delivered.saturating_sub(self.out).max(delivered);
            (conserving + if safe { self.unit } else { 0 }).min(self.ssthresh - in_flight)
        };
        // The first retransmission goes in any case.
        if self.out == 0 { allowed.max(self.unit) } else { allowed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The segments that a sender sends for each duplicate. It halves its window of twenty, whose first `lost` segments are lost. The third
    /// duplicate begins recovery, as in the examples of RFC 6937 section 3.1. `limited` of the first three have sent a segment.
    fn sent(lost: u64, limited: u64) -> Vec<u64> {
        let received = 20 - lost;
        let mut prr = Prr::new(20 + limited - 2, 10, 1);
        let (mut in_flight, mut all) = (20 + limited - lost - 3, Vec::new());
        for n in 3..=received + limited {
            if n > 3 {
                in_flight -= 1;
            }
            let now = prr.allowed(1, in_flight, false);
            prr.on_sent(now);
            in_flight += now;
            all.push(now);
        }
        all
    }

    #[test]
    fn after_a_single_loss_every_second_duplicate_sends() {
        // RFC 6937 §3.1, figure 1: duplicates of 1 to 19, of which the first two send by limited transmit; the third resends, and then
        // each second one sends.
        // RFC 9937 counts what is reported from the third on: 20 were out then, of 22, and 10/20 of what arrives goes out.
        let sent = sent(1, 2);
        assert_eq!(sent[..8], [1, 0, 1, 0, 1, 0, 1, 0]);
    }

    #[test]
    fn what_is_in_the_network_ends_at_the_threshold() {
        let sent: u64 = sent(1, 2).iter().sum();
        // 22 - 1 - 3 = 18 are in the network, and reported one after the other: what has been sent remains, and is the threshold.
        assert_eq!(sent, 10);
    }

    #[test]
    fn after_many_losses_it_grows_back_by_what_arrives() {
        // RFC 6937 §3.1, figure 2: 15 of 20 lost: five in the network less three reported, far below ten. Each report sends one (PRR-CRB).
        let sent = sent(15, 0);
        assert_eq!(sent, [1, 1, 1]);
        // And two while the cumulative acknowledgement moves on (PRR-SSRB).
        let mut prr = Prr::new(20, 10, 1);
        prr.on_sent(3);
        assert_eq!(prr.allowed(1, 4, true), 2);
        assert_eq!(prr.allowed(1, 9, true), 1, "never above the threshold");
    }

    #[test]
    fn the_first_retransmission_always_goes() {
        // 100 * 10/1000 = 1, of a segment of 1000 bytes.
        let mut prr = Prr::new(1_000_000, 10_000, 1000);
        assert_eq!(prr.allowed(100, 900_000, false), 1000);
        prr.on_sent(1000);
        assert_eq!(prr.allowed(100, 900_000, false), 0);
    }
}
