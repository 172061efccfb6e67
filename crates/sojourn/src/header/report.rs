//! Reports of the receivers of senders at a rate: RAP's, TEAR's, LDA+'s and GCC's. The receiver writes it into its packets back,
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
    /// GCC's: the rate that it allows, and once in an interval what was lost.
    Gcc(GccReport),
}

/// RAP's acknowledgements besides that of the packet that has come (Rejaie, Handley and Estrin 1999, section 2.2): enough for the sender
/// to tell lost packets from lost acknowledgements. Packets count from 1; 0 is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RapReport {
    /// The packet that is acknowledged.
    pub seq: u32,
    /// The highest that has come.
    pub last: u32,
    /// The highest below it that has not.
    pub missing: u32,
    /// The highest below that that has come.
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

/// What GCC's receiver allows (draft-ietf-rmcat-gcc-02): RTCP's REMB, and in a regular report what was lost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GccReport {
    /// Rate in bits per second.
    pub rate: f64,
    /// Part of the packets since the last regular report that have not come, from 0 to 1; NaN in a report out of turn.
    pub lost: f64,
}
