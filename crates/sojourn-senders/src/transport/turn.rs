//! The order of timers that go off at one instant.

/// The turn of a timer among those that go off at one instant. The least turn is first. Timers with equal turns go off in the order of
/// flows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Turn(u64);

impl Turn {
    /// The turn of a timer that is on no wheel.
    pub const FIRST: Turn = Turn(0);

    /// The turn of a timer with this rank. Timers without a rank are first, and then the greatest rank is first.
    #[must_use]
    pub fn of_rank(rank: u64) -> Self {
        Turn(!rank)
    }
}
