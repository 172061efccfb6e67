//! Which of several timers that go off at the same instant comes first.

/// The turn of a timer among those that go off at the same instant: the least comes first, and equals come in the order of flows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Turn(u64);

impl Turn {
    /// That of a timer that is on no wheel.
    pub const FIRST: Turn = Turn(0);

    /// That of a timer with this rank: the greatest comes first, behind those without one.
    #[must_use]
    pub fn of_rank(rank: u64) -> Self {
        Turn(!rank)
    }
}
