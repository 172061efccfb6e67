//! BBR's memory of past acknowledgements: the amount by which they came in clumps.

use super::Sample;
use crate::units::Instant;

/// The amount by which acknowledgements ran ahead of the bandwidth. Acknowledgements that arrive in clumps report more than was sent
/// lately.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Aggregation {
    /// The beginning, and the segments since then.
    pub since: Instant,
    pub acked: f64,
    /// The most of the last five rounds and of those under way, taking turns.
    pub most: [f64; 2],
    pub turn: usize,
    pub rounds: u64,
}

impl Aggregation {
    /// Rounds that a maximum counts.
    const ROUNDS: u64 = 5;
    /// The most that is made room for, in seconds of the bandwidth.
    const LONGEST: f64 = 0.1;

    pub fn take(&mut self, sample: &Sample, round_began: bool, bandwidth: f64, window: f64) {
        if sample.delivered <= 0.0 || sample.rate.is_none() {
            return;
        }
        if round_began {
            self.rounds += 1;
            if self.rounds >= Self::ROUNDS {
                (self.rounds, self.turn) = (0, 1 - self.turn);
                self.most[self.turn] = 0.0;
            }
        }
        let mut expected = bandwidth * sample.now.since(self.since).as_secs_f64();
        if self.acked <= expected {
            (self.since, self.acked, expected) = (sample.now, 0.0, 0.0);
        }
        self.acked += sample.delivered;
        let extra = (self.acked - expected).min(window);
        self.most[self.turn] = self.most[self.turn].max(extra);
    }

    pub fn room(&self, bandwidth: f64) -> f64 {
        self.most[0].max(self.most[1]).min(bandwidth * Self::LONGEST)
    }
}
