//! The highest of the values of the last rounds.

use std::collections::VecDeque;

/// A windowed maximum. The window is a number of rounds.
#[derive(Clone, Debug, Default)]
pub(super) struct Highest {
    /// Round and value; each lower than the one before.
    pub values: VecDeque<(u64, f64)>,
}

impl Highest {
    /// Takes a value of the round `round`. The values of the last `rounds` rounds count, that one included.
    pub fn take(&mut self, round: u64, value: f64, rounds: u64) {
        while self.values.back().is_some_and(|&(_, last)| last <= value) {
            self.values.pop_back();
        }
        self.values.push_back((round, value));
        while self.values.front().is_some_and(|&(of, _)| of + rounds <= round) {
            self.values.pop_front();
        }
    }

    /// The highest; 0 before the first.
    pub fn max(&self) -> f64 {
        self.values.front().map_or(0.0, |&(_, value)| value)
    }
}
