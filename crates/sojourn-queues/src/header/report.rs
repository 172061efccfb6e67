//! Reports of the receivers of senders at a rate: RAP's, TEAR's, LDA+'s, GCC's and SCReAM's. The receiver writes it into its packets back,
//! the sender of the same transport reads it.

/// The report of a receiver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Report {
    /// RAP's acknowledgement of one packet.
    Rap(RapReport),
    /// TEAR's: the rate in packets per second that a TCP would have had at the receiver.
    Tear(f64),
    /// LDA+'s, once in an interval.
    Lda(LdaReport),
    /// GCC's: the rate that it allows, and once in an interval the losses.
    Gcc(GccReport),
    /// SCReAM's: which packets came, and how many of them were marked.
    Scream(ScreamReport),
}

/// RAP's acknowledgements besides that of the packet that has arrived (Rejaie, Handley and Estrin 1999, section 2.2): enough for the sender
/// to tell lost packets from lost acknowledgements. Packets count from 1; 0 is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RapReport {
    /// The packet that is acknowledged.
    pub seq: u32,
    /// The highest that has come.
    pub last: u32,
    /// The highest number below it that has not arrived.
    pub missing: u32,
    /// The highest number below that one that has arrived.
    pub before: u32,
}

/// The report of LDA+'s receiver about an interval (Sisalem and Wolisz 2000): an RTCP receiver report with the bottleneck's rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LdaReport {
    /// Part of the packets of the interval that have not come, from 0 to 1.
    pub lost: f64,
    /// Rate of the bottleneck by packet pairs, in bytes per second; 0 while no pair has come.
    pub bottleneck: f64,
}

/// The rate that GCC's receiver allows (draft-ietf-rmcat-gcc-02): RTCP's REMB, and the loss in a regular report.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GccReport {
    /// Rate in bits per second.
    pub rate: f64,
    /// Part of the packets since the last regular report that have not come, from 0 to 1; NaN in a report out of turn.
    pub lost: f64,
}

/// The report of SCReAM's receiver (draft-ietf-ccwg-rfc8298bis-screamv2-01 section 4.1.2), in the form of RFC 8888.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScreamReport {
    /// Which of the last 64 packets came: bit `i` is packet `highest - i`.
    pub came: u64,
    /// The highest number that came.
    pub highest: u32,
    /// Packets that came marked, since the start.
    pub marked: u32,
    /// How long the packet `highest` was under way, in microseconds.
    pub delay_us: u32,
}

impl ScreamReport {
    /// Packet `seq` has come after `delay_us` microseconds.
    pub fn note(&mut self, seq: u64, marked: bool, delay_us: u32) {
        let highest = u64::from(self.highest);
        self.marked += u32::from(marked);
        if self.came == 0 || seq > highest {
            let moved = u32::try_from(seq - highest).unwrap_or(u32::MAX);
            self.came = self.came.checked_shl(moved).unwrap_or(0) | 1;
            (self.highest, self.delay_us) = (seq as u32, delay_us);
        } else if highest - seq < 64 {
            self.came |= 1 << (highest - seq);
        }
    }

    /// Whether packet `seq` is known to have come.
    pub fn has(&self, seq: u64) -> bool {
        u64::from(self.highest).checked_sub(seq).is_some_and(|below| below < 64 && self.came >> below & 1 == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_of_scream_knows_the_last_64_packets() {
        let mut report = ScreamReport::default();
        for seq in [3, 5, 4, 69] {
            report.note(seq, seq == 4, 7);
        }
        assert_eq!((report.highest, report.marked, report.delay_us), (69, 1, 7));
        assert_eq!((2..=70).filter(|&seq| report.has(seq)).collect::<Vec<_>>(), [69]);
        report.note(6, false, 9);
        assert!(report.has(6) && report.delay_us == 7);
    }
}
