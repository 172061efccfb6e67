//! Tins: which codepoints each takes, and its share of the rate. As in Linux 6.12 `sch_cake`.

use crate::choices;
use crate::header::Dscp;

choices! {
    /// Which tins there are.
    pub enum Tins {
        /// One for all.
        Besteffort = "besteffort",
        /// Bulk (LE, CS1), best effort, and voice (VA, EF, CS6, CS7, codepoint 4).
        Diffserv3 = "diffserv3",
        /// Bulk (LE, CS1), best effort, video (CS2, CS3, AF2x to AF4x, codepoint 4), and voice (CS4 to CS7, VA, EF).
        Diffserv4 = "diffserv4",
        /// Eight, from LE up to CS6 and CS7; other codepoints are in the third.
        Diffserv8 = "diffserv8",
        /// Eight, by the codepoint's upper three bits.
        Precedence = "precedence",
    }
}

/// The most tins of any scheme.
pub const MOST: usize = 8;

/// One tin as it is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Bytes per second above which it comes behind the others; 0 is no bound.
    pub rate: u64,
    /// Its turn in bytes where there is no rate.
    pub quantum: u16,
}

/// Codepoints of the tins; the others fall into the first one, with eight tins into the third.
const DIFFSERV3: &[(usize, &[u8])] = &[(1, &[1, 8]), (2, &[4, 44, 46, 48, 56])];
const DIFFSERV4: &[(usize, &[u8])] =
    &[(1, &[1, 8]), (2, &[4, 16, 18, 20, 22, 24, 26, 28, 30, 34, 36, 38]), (3, &[32, 40, 44, 46, 48, 56])];
const DIFFSERV8: &[(usize, &[u8])] = &[
    (0, &[1]),
    (1, &[2, 8, 10, 12, 14]),
    (3, &[24, 26, 28, 30, 34, 36, 38]),
    (4, &[4, 18, 20, 22]),
    (5, &[16]),
    (6, &[32, 40, 44, 46]),
    (7, &[48, 56]),
];

impl Tins {
    /// How many there are.
    pub const fn count(self) -> usize {
        match self {
            Tins::Besteffort => 1,
            Tins::Diffserv3 => 3,
            Tins::Diffserv4 => 4,
            Tins::Diffserv8 | Tins::Precedence => MOST,
        }
    }

    /// The tin of each codepoint.
    pub fn table(self) -> [u8; 64] {
        let (others, named) = match self {
            Tins::Besteffort => (0, &[][..]),
            Tins::Diffserv3 => (0, DIFFSERV3),
            Tins::Diffserv4 => (0, DIFFSERV4),
            Tins::Diffserv8 => (2, DIFFSERV8),
            Tins::Precedence => return std::array::from_fn(|dscp| dscp as u8 / 8),
        };
        let mut table = [others; 64];
        for (tin, codepoints) in named {
            for codepoint in *codepoints {
                table[*codepoint as usize] = *tin as u8;
            }
        }
        table
    }

    /// The tins on a link of `rate` bytes per second; 0 is no rate.
    pub fn layouts(self, rate: u64) -> Vec<Layout> {
        let part = |shift: u32| Layout { rate: rate >> shift, quantum: 1024 >> shift };
        match self {
            Tins::Besteffort => vec![Layout { rate, quantum: u16::MAX }],
            Tins::Diffserv3 => vec![part(0), part(4), part(2)],
            Tins::Diffserv4 => vec![part(0), part(4), part(1), part(2)],
            // Each has 7/8 of the one before it.
            Tins::Diffserv8 | Tins::Precedence => {
                let first = Layout { rate, quantum: 256 };
                let next = |last: &Layout| {
                    Some(Layout { rate: last.rate.wrapping_mul(7) >> 3, quantum: (last.quantum * 7) >> 3 })
                };
                std::iter::successors(Some(first), next).take(MOST).collect()
            }
        }
    }
}

/// The tin of a codepoint.
pub fn tin_of(table: &[u8; 64], dscp: Dscp) -> usize {
    table[dscp.number() as usize] as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tin(tins: Tins, name: &str) -> usize {
        tin_of(&tins.table(), Dscp::read(name).expect("a codepoint"))
    }

    /// The classes of RFC 4594 and RFC 8622 that sch_cake's manual page (tc-cake(8)) names for each tin.
    #[test]
    fn codepoints_fall_into_the_tins_of_the_manual() {
        let cases = [
            (
                Tins::Diffserv3,
                [("LE", 1), ("CS1", 1), ("DF", 0), ("AF41", 0), ("CS4", 0), ("EF", 2), ("VA", 2), ("CS6", 2)],
            ),
            (
                Tins::Diffserv4,
                [("LE", 1), ("CS1", 1), ("AF11", 0), ("AF41", 2), ("CS3", 2), ("EF", 3), ("CS4", 3), ("CS7", 3)],
            ),
            (
                Tins::Diffserv8,
                [("LE", 0), ("CS1", 1), ("DF", 2), ("AF41", 3), ("AF21", 4), ("CS2", 5), ("EF", 6), ("CS7", 7)],
            ),
            (
                Tins::Precedence,
                [("LE", 0), ("CS1", 1), ("AF11", 1), ("AF41", 4), ("CS5", 5), ("EF", 5), ("VA", 5), ("CS7", 7)],
            ),
            (
                Tins::Besteffort,
                [("LE", 0), ("CS1", 0), ("DF", 0), ("AF41", 0), ("AF21", 0), ("CS2", 0), ("EF", 0), ("CS7", 0)],
            ),
        ];
        for (tins, named) in cases {
            for (name, expected) in named {
                assert_eq!(tin(tins, name), expected, "{tins:?} {name}");
            }
            assert!(tins.table().iter().all(|tin| (*tin as usize) < tins.count()), "{tins:?}");
            assert_eq!(tins.layouts(1 << 20).len(), tins.count());
        }
    }

    #[test]
    fn tins_have_parts_of_the_rate() {
        let rates = |tins: Tins| -> Vec<u64> { tins.layouts(1 << 20).iter().map(|tin| tin.rate).collect() };
        assert_eq!(rates(Tins::Diffserv3), [1 << 20, 1 << 16, 1 << 18]);
        assert_eq!(rates(Tins::Diffserv4), [1 << 20, 1 << 16, 1 << 19, 1 << 18]);
        assert_eq!(rates(Tins::Precedence)[..3], [1 << 20, (7 << 20) / 8, (49 << 20) / 64]);
        let quanta: Vec<u16> = Tins::Diffserv8.layouts(0).iter().map(|tin| tin.quantum).collect();
        assert_eq!(quanta[..4], [256, 224, 196, 171]);
    }
}
