//! The echo of marks in acknowledgements: until CWR (RFC 3168), exactly (RFC 8257), or one by one (XECN).

use super::super::EcnFeedback;
use super::opening::SynAck;
use crate::packet::{Codepoint, Ecn};

/// The state of the ECN echo (RFC 3168 section 6.1.3), as bits. Three bytes that are written one by one and soon read as a whole would
/// stall the processor.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Echo(u8);

impl Echo {
    /// Set while acknowledgements carry the echo. With the exact feedback it is RFC 8257's DCTCP.CE.
    pub const ON: u8 = 1;
    /// Set if CE has arrived since the last acknowledgement.
    const CE: u8 = 2;
    /// Set if CWR has arrived since the last acknowledgement.
    pub const CWR: u8 = 4;
    /// Set if an ECN-capable segment has arrived.
    const CAPABLE: u8 = 8;

    pub fn is(self, bit: u8) -> bool {
        self.0 & bit != 0
    }

    /// A segment has arrived, with these values of CE and CWR.
    pub fn hear(&mut self, ce: bool, cwr: bool) {
        self.0 |= u8::from(ce) * Echo::CE + u8::from(cwr) * Echo::CWR;
    }

    /// The same as in Linux: CWR answers all marks that arrived before it, also those that no acknowledgement has reported yet.
    pub fn hear_in_turn(&mut self, ce: bool, cwr: bool) {
        if cwr {
            self.0 &= !(Echo::ON | Echo::CE);
        }
        self.hear(ce, cwr);
    }

    pub fn take_cwr(&mut self) -> bool {
        let cwr = self.is(Echo::CWR);
        self.0 &= !Echo::CWR;
        cwr
    }

    pub fn switch(&mut self, on: bool) {
        self.0 = self.0 & !Echo::ON | u8::from(on);
    }

    /// A segment has arrived. True if Linux acknowledges two segments at once: when marks begin, because the sender's window may be small,
    /// and when a segment is not ECN-capable after others that were, because it has been sent again.
    pub fn hastens(&mut self, ecn: Ecn, cwr: bool) -> bool {
        let begins = ecn == Ecn::Ce && (cwr || !self.is(Echo::ON) && !self.is(Echo::CE));
        let again = ecn == Ecn::NotEct && self.is(Echo::CAPABLE);
        if ecn != Ecn::NotEct {
            self.0 |= Echo::CAPABLE;
        }
        begins || again
    }

    /// The codepoint of the acknowledgement that is sent now.
    #[inline]
    pub fn tell(&mut self, syn: SynAck, feedback: EcnFeedback) -> Codepoint {
        let heard = *self;
        // Also when CWR came between: this mark is newer than the reduction, or not known to be older.
        let is_on = heard.is(Echo::CE) || heard.is(Echo::ON) && !heard.is(Echo::CWR);
        self.0 = self.0 & Echo::CAPABLE | u8::from(is_on);
        match syn {
            SynAck::Agrees => Codepoint::Ece,
            SynAck::No if heard.is(Echo::CE) && feedback == EcnFeedback::Xecn => Codepoint::Count,
            SynAck::No if is_on => Codepoint::Ece,
            SynAck::Yes | SynAck::No => Codepoint::None,
        }
    }
}
