//! The differentiated services codepoint (RFC 2474): the six bits of the IP header by which a router tells classes of service apart.

/// A codepoint, 0 to 63. The default is 0, best effort.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Dscp(u8);

/// Codepoints that have a name: RFC 2474 section 4.2.2, RFC 2597 section 6, RFC 3246 section 2.7, RFC 5865 section 4,
/// RFC 8622 section 2.
const NAMES: &[(&str, u8)] = &[
    ("DF", 0),
    ("CS0", 0),
    ("LE", 1),
    ("CS1", 8),
    ("AF11", 10),
    ("AF12", 12),
    ("AF13", 14),
    ("CS2", 16),
    ("AF21", 18),
    ("AF22", 20),
    ("AF23", 22),
    ("CS3", 24),
    ("AF31", 26),
    ("AF32", 28),
    ("AF33", 30),
    ("CS4", 32),
    ("AF41", 34),
    ("AF42", 36),
    ("AF43", 38),
    ("CS5", 40),
    ("VA", 44),
    ("EF", 46),
    ("CS6", 48),
    ("CS7", 56),
];

impl Dscp {
    /// Default forwarding: best effort.
    pub const DF: Dscp = Dscp(0);
    /// Expedited forwarding (RFC 3246).
    pub const EF: Dscp = Dscp(46);
    /// The greatest number.
    pub const MAX: u8 = 63;

    /// The codepoint of this number; `None` above 63.
    pub const fn new(number: u8) -> Option<Self> {
        if number <= Self::MAX { Some(Dscp(number)) } else { None }
    }

    /// Assured forwarding (RFC 2597 section 6), class 1 to 4 and drop precedence 1 to 3; `None` for others.
    pub const fn af(class: u8, precedence: u8) -> Option<Self> {
        if matches!(class, 1..=4) && matches!(precedence, 1..=3) {
            Some(Dscp(8 * class + 2 * precedence))
        } else {
            None
        }
    }

    /// Class and drop precedence, if it is of assured forwarding.
    pub const fn assured(self) -> Option<(u8, u8)> {
        let (class, precedence) = (self.0 / 8, self.0 % 8 / 2);
        match Self::af(class, precedence) {
            Some(Dscp(number)) if number == self.0 => Some((class, precedence)),
            _ => None,
        }
    }

    /// Its number, 0 to 63.
    pub const fn number(self) -> u8 {
        self.0
    }

    /// From a name, in letters of either size, or from a number.
    pub fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        let named = NAMES.iter().find(|(name, _)| name.eq_ignore_ascii_case(text)).map(|(_, number)| Dscp(*number));
        named.or_else(|| text.parse().ok().and_then(Dscp::new))
    }

    /// All names, best effort first.
    pub fn names() -> impl Iterator<Item = &'static str> + Clone {
        NAMES.iter().map(|(name, _)| *name)
    }
}

impl std::fmt::Display for Dscp {
    /// Its name, or its number if it has none.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match NAMES.iter().find(|(_, number)| *number == self.0) {
            Some((name, _)) => write!(f, "{name}"),
            None => write!(f, "{}", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_codepoint_reads_back() {
        for number in 0..=Dscp::MAX {
            let dscp = Dscp::new(number).expect("at most 63");
            assert_eq!(Dscp::read(&dscp.to_string()), Some(dscp), "{dscp}");
            assert_eq!(Dscp::read(&number.to_string()), Some(dscp), "{dscp}");
        }
        assert_eq!((Dscp::new(64), Dscp::read("64"), Dscp::read("AF44")), (None, None, None));
    }

    #[test]
    fn the_names_are_those_of_the_standards() {
        // RFC 2597 section 6 prints AF11 = 001010 and AF43 = 100110; RFC 3246 section 2.7 prints EF = 101110; RFC 2474 section
        // 4.2.2.2: a class selector has zeros behind its three bits.
        for (name, bits) in [("AF11", 0b00_1010), ("AF43", 0b10_0110), ("EF", 0b10_1110), ("cs6", 0b11_0000)] {
            assert_eq!(Dscp::read(name).map(Dscp::number), Some(bits), "{name}");
        }
        for (class, precedence) in (1..=4).flat_map(|class| (1..=3).map(move |precedence| (class, precedence))) {
            let named = Dscp::read(&format!("AF{class}{precedence}")).expect("a name");
            assert_eq!((Dscp::af(class, precedence), named.assured()), (Some(named), Some((class, precedence))));
        }
        assert_eq!((Dscp::EF.assured(), Dscp::read("CS1").and_then(Dscp::assured)), (None, None));
    }
}
