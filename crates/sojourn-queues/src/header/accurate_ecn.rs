//! The option of accurate ECN in an acknowledgement of TCP. Specification: RFC 9768 section 3.2.3. It is in the places of SACK blocks for
//! which it leaves no room beside timestamps: with one or two fields in the third, with three fields in the second, too.

/// The fields of the option have this number of bits.
const BITS: u32 = 24;
/// The largest value of a field, with all bits.
const MASK: u32 = (1 << BITS) - 1;

/// The option: the low 24 bits of counters of payload bytes, one for each codepoint with which they arrived. Order 0 begins with ECT(0),
/// order 1 with ECT(1). CE is always second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EcnBytes {
    /// True for order 1.
    first_is_ect1: bool,
    /// One to three fields.
    count: u8,
    fields: [u32; 3],
}

impl EcnBytes {
    /// The option with the first `count` fields of this order, from counters that may be larger than a field.
    pub fn new(first_is_ect1: bool, count: u8, [ect0, ect1, ce]: [u64; 3]) -> Self {
        let order = if first_is_ect1 { [ect1, ce, ect0] } else { [ect0, ce, ect1] };
        let count = count.clamp(1, 3);
        let mut fields = order.map(|bytes| bytes as u32 & MASK);
        fields[count.into()..].fill(0);
        EcnBytes { first_is_ect1, count, fields }
    }

    /// The number of fields.
    pub fn count(self) -> u8 {
        self.count
    }

    /// Its bytes on the wire, without padding.
    pub fn size(self) -> u32 {
        2 + 3 * u32::from(self.count)
    }

    /// Its number among TCP's options (RFC 9768 section 7).
    pub fn kind(self) -> u8 {
        if self.first_is_ect1 { 174 } else { 172 }
    }

    /// Its fields, in their order.
    pub fn fields(&self) -> &[u32] {
        &self.fields[..self.count.into()]
    }

    /// The fields of ECT(0), ECT(1) and CE, if they are there.
    pub fn by_codepoint(self) -> [Option<u32>; 3] {
        let (ect0, ect1) = if self.first_is_ect1 { (2, 0) } else { (0, 2) };
        [ect0, ect1, 1].map(|at: usize| self.fields().get(at).copied())
    }

    /// RFC 9768 appendix A.1: the counter of bytes `known` after this field has been read, if the field wrapped at most once.
    pub fn decoded(known: u64, field: u32) -> u64 {
        known + u64::from(field.wrapping_sub(known as u32) & MASK)
    }

    /// The words of places for SACK blocks that hold it, the last place first. Their top bit tells them from a block.
    pub(crate) fn places(self) -> ([u32; 2], Option<[u32; 2]>) {
        let [first, second, third] = self.fields;
        let head = u32::from(self.first_is_ect1) << 26 | u32::from(self.count) << BITS;
        (
            [second | (first & 0x7F) << BITS, IS_OPTION | head | first >> 7],
            (self.count > 2).then_some([third, IS_OPTION]),
        )
    }

    /// It, from these words.
    pub(crate) fn of_places(last: [u32; 2], before: [u32; 2]) -> Option<Self> {
        let [low, high] = last;
        let count = (high >> BITS & 3) as u8;
        let third = if count > 2 { before[0] } else { 0 };
        let first = (high & 0x1_FFFF) << 7 | low >> BITS;
        let is_option = high & IS_OPTION != 0;
        is_option.then_some(EcnBytes { first_is_ect1: high >> 26 & 1 != 0, count, fields: [first, low & MASK, third] })
    }
}

/// The bit that no end of a SACK block has.
pub(crate) const IS_OPTION: u32 = 1 << 31;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_that_wrapped_is_read_as_in_the_example_of_the_rfc() {
        // RFC 9768 appendix A.1: s.ceb is 33,554,433 and ECEB is 1461.
        assert_eq!(EcnBytes::decoded(33_554_433, 1461), 33_555_893);
        assert_eq!(EcnBytes::decoded(33_554_433, 1), 33_554_433);
    }

    #[test]
    fn the_order_says_which_field_is_left_out() {
        let counters = [1, (1 << 24) + 1461, 7];
        let option = EcnBytes::new(true, 2, counters);
        assert_eq!((option.kind(), option.size(), option.fields()), (174, 8, &[1461, 7][..]));
        assert_eq!(option.by_codepoint(), [None, Some(1461), Some(7)]);
        let short = EcnBytes::new(false, 1, counters);
        assert_eq!((short.kind(), short.size(), short.by_codepoint()), (172, 5, [Some(1), None, None]));
    }

    #[test]
    fn it_is_read_again_from_its_places() {
        let most = u64::from(MASK);
        for count in 1..=3 {
            for order in [false, true] {
                for counters in [[1, 1, 0], [most, most - 1, most - 2], [0x12_3456, 0xAB_CDEF, 0x80_0001]] {
                    let option = EcnBytes::new(order, count, counters);
                    let (last, before) = option.places();
                    let read = EcnBytes::of_places(last, before.unwrap_or_default()).expect("an option");
                    assert_eq!(read, option);
                }
            }
        }
        assert_eq!(EcnBytes::of_places([960, 1920], [0, 0]), None, "a SACK block");
    }
}
