//! The counts of accurate ECN at the receiver, the times at which they cause acknowledgements, and their form in these. Specification: RFC
//! 9768 sections 3.2.1, 3.2.2.5.1 and 3.2.3.3 (its simple scheme).
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | The answer to a SYN has no option | all options pass in a simulation | - |
//! | Data goes one way: nobody counts marks of acknowledgements | they are not ECN-capable (RFC 3168 section 6.1.4) | - |

use super::opening::SynAck;
use crate::header::accurate_ecn::EcnBytes;
use crate::packet::{Codepoint, Ecn, SackBlocks};

/// Marks since the last acknowledgement that cause one while data waits for it.
const MARKS_AT_ONCE: u32 = 2;
/// The first values of r.cep, and of r.e0b, r.e1b and r.ceb.
pub(in super::super) const FIRST_PACKETS: u32 = 5;
pub(in super::super) const FIRST_BYTES: [u64; 3] = [1, 1, 0];
/// The places of the codepoints in arrays of bytes.
pub(in super::super) const ECT0: usize = 0;
pub(in super::super) const ECT1: usize = 1;
pub(in super::super) const CE: usize = 2;

/// The counters of a connection.
#[derive(Clone, Debug)]
pub(in super::super) struct Counts {
    /// r.cep.
    packets: u32,
    /// r.e0b, r.e1b and r.ceb, as they are, in the last acknowledgement and in the last option.
    bytes: [u64; 3],
    acknowledged: [u64; 3],
    told: [u64; 3],
    /// Marks that no acknowledgement has reported, and whether the last packet was marked.
    unreported: u32,
    was_marked: bool,
    /// The codepoint with which the SYN arrived.
    syn: Ecn,
    /// True if acknowledgements have the option.
    has_option: bool,
}

impl Counts {
    pub fn new(syn: Ecn, has_option: bool) -> Self {
        Counts {
            packets: FIRST_PACKETS,
            bytes: FIRST_BYTES,
            acknowledged: FIRST_BYTES,
            told: FIRST_BYTES,
            unreported: 0,
            was_marked: false,
            syn,
            has_option,
        }
    }

    /// A segment with `len` bytes of data has arrived. Returns whether it is acknowledged at once because marks begin.
    pub fn hear(&mut self, ecn: Ecn, len: u32) -> bool {
        let marked = ecn == Ecn::Ce;
        let at = match ecn {
            Ecn::NotEct => None,
            Ecn::Ect0 => Some(ECT0),
            Ecn::Ect1 => Some(ECT1),
            Ecn::Ce => Some(CE),
        };
        if let Some(at) = at {
            self.bytes[at] += u64::from(len);
        }
        self.packets = self.packets.wrapping_add(marked.into());
        self.unreported += u32::from(marked);
        !std::mem::replace(&mut self.was_marked, marked) && marked
    }

    /// Whether an acknowledgement shall report the marks that have come, where data waits for one.
    pub fn are_due(&self) -> bool {
        self.unreported >= MARKS_AT_ONCE
    }

    /// The field ACE of the acknowledgement that is sent now. An answer to a SYN repeats the codepoint of the SYN.
    pub(super) fn tell(&mut self, syn: SynAck) -> Codepoint {
        self.unreported = 0;
        Codepoint::of_ace(match (syn, self.syn) {
            (SynAck::No, _) => self.packets,
            (SynAck::Yes, _) => 0,
            (SynAck::Agrees, Ecn::NotEct) => 0b010,
            (SynAck::Agrees, Ecn::Ect1) => 0b011,
            (SynAck::Agrees, Ecn::Ect0) => 0b100,
            (SynAck::Agrees, Ecn::Ce) => 0b110,
        })
    }

    /// Puts the option into the acknowledgement that is sent now, and returns its bytes, padded to words. It has the counters that have
    /// changed since the connection began, and is there if any has changed since the last acknowledgement.
    pub fn put_option(&mut self, sack: &mut SackBlocks) -> u32 {
        if !self.has_option || self.bytes == self.acknowledged {
            return 0;
        }
        self.acknowledged = self.bytes;
        let [ect0, ect1, ce] = [ECT0, ECT1, CE].map(|at| self.bytes[at] != FIRST_BYTES[at]);
        let (mut first_is_ect1, mut count) = (!ect0, if ect0 && ect1 { 3 } else { 1 + u8::from(ce) });
        let blocks = sack.as_slice().len();
        if count > 2 && blocks > 1 {
            // There is no room for three fields beside two blocks, which come first: those that have changed since the last option.
            let [new_ect0, new_ect1] = [ECT0, ECT1].map(|at| self.bytes[at] != self.told[at]);
            if new_ect0 && new_ect1 {
                return 0;
            }
            (first_is_ect1, count) = (new_ect1, 2);
        }
        sack.keep(blocks.min(2));
        let option = EcnBytes::new(first_is_ect1, count, self.bytes);
        sack.carry(option);
        self.told = self.bytes;
        option.size().next_multiple_of(4)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts() -> Counts {
        Counts::new(Ecn::NotEct, true)
    }

    #[test]
    fn the_field_counts_marked_packets_from_five_on_and_wraps() {
        let mut counts = counts();
        assert_eq!(counts.tell(SynAck::No).ace(), 5);
        for _ in 0..20 {
            counts.hear(Ecn::Ce, 1000);
        }
        // RFC 9768 section 3.2.2: 25 modulo 8.
        assert_eq!(counts.tell(SynAck::No).ace(), 1);
    }

    #[test]
    fn an_answer_to_a_syn_repeats_its_codepoint() {
        // RFC 9768 table 2.
        let answers =
            [Ecn::NotEct, Ecn::Ect1, Ecn::Ect0, Ecn::Ce].map(|ecn| Counts::new(ecn, true).tell(SynAck::Agrees).ace());
        assert_eq!(answers, [0b010, 0b011, 0b100, 0b110]);
        assert_eq!(counts().tell(SynAck::Yes).ace(), 0, "a SYN that does not offer ECN");
    }

    #[test]
    fn marks_that_begin_are_reported_at_once_and_then_every_second_one() {
        let mut counts = counts();
        assert!(!counts.hear(Ecn::Ect1, 1000) && !counts.are_due());
        assert!(counts.hear(Ecn::Ce, 1000), "RFC 9768 section 3.2.2.5.1, change-triggered");
        counts.tell(SynAck::No);
        assert!(!counts.hear(Ecn::Ce, 1000) && !counts.are_due());
        assert!(!counts.hear(Ecn::Ce, 1000) && counts.are_due(), "increment-triggered");
        counts.tell(SynAck::No);
        assert!(!counts.hear(Ecn::Ect1, 1000) && counts.hear(Ecn::Ce, 1000));
    }

    #[test]
    fn the_option_has_what_has_ever_changed() {
        // RFC 9768 section 3.2.3.3, its two examples.
        let mut counts = counts();
        let mut told = |ecn: Option<Ecn>| {
            if let Some(ecn) = ecn {
                counts.hear(ecn, 1000);
            }
            let mut sack = SackBlocks::default();
            let size = counts.put_option(&mut sack);
            sack.option().map(|option| (option.kind(), option.fields().to_vec(), size))
        };
        assert_eq!(told(None), None);
        assert_eq!(told(Some(Ecn::Ce)), Some((174, vec![1, 1000], 8)));
        assert_eq!(told(Some(Ecn::Ect0)), Some((172, vec![1001, 1000], 8)));
        assert_eq!(told(None), None, "nothing new");
        assert_eq!(told(Some(Ecn::NotEct)), None);
        assert_eq!(told(Some(Ecn::Ect1)), Some((172, vec![1001, 1000, 1001], 12)));
    }

    #[test]
    fn two_sack_blocks_come_before_the_option() {
        let mut counts = counts();
        let mut put = |ecn, blocks: u32| {
            counts.hear(ecn, 1000);
            let mut sack = SackBlocks::default();
            (0..blocks).for_each(|at| sack.push(10 * at, 10 * at + 5));
            let size = counts.put_option(&mut sack);
            (size, sack.as_slice().len(), sack.option().map(|option| option.fields().to_vec()))
        };
        assert_eq!(put(Ecn::Ect1, 3), (8, 2, Some(vec![1001])));
        assert_eq!(put(Ecn::Ect0, 2), (8, 2, Some(vec![1001, 0])), "ECT(0) is new, and ECT(1) has been told");
        assert_eq!(put(Ecn::Ect0, 1), (12, 1, Some(vec![2001, 0, 1001])));
    }
}
