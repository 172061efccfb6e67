//! HyStart++: slow start that ends when round trips grow, before packets are lost; beside any law that has a slow start. Specification:
//! RFC 9406. Linux has its predecessor, in CUBIC alone (`hystart` of `cubic`).
//!
//! Only the first slow start of a connection is watched (RFC 9406 section 4.3). Not modelled: the limit L of RFC 9406, which bounds the
//! increase by one acknowledgement in slow start. The law's own rule holds.

use crate::units::Duration;

/// RFC 9406 section 4.3.
const RTT_THRESH_MIN: Duration = Duration::from_millis(4);
const RTT_THRESH_MAX: Duration = Duration::from_millis(16);
const RTT_DIVISOR: f64 = 8.0;
const RTT_SAMPLES: u32 = 8;
const CSS_GROWTH_DIVISOR: f64 = 4.0;
const CSS_ROUNDS: u32 = 5;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Slow,
    /// Conservative slow start (CSS): rounds so far.
    Conservative {
        rounds: u32,
    },
    /// Not watched any more on this connection.
    Over,
}

/// The state of a slow start that is watched.
#[derive(Clone, Debug)]
pub(super) struct HyStart {
    stage: Stage,
    /// Least round trips of the last round and of this one, and the samples of this one.
    last_round: Option<Duration>,
    this_round: Option<Duration>,
    samples: u32,
    /// CSS: the least round trip of the round in which it began.
    baseline: Option<Duration>,
}

impl HyStart {
    /// The slow start of a new connection.
    pub const NEW: HyStart =
        HyStart { stage: Stage::Slow, last_round: None, this_round: None, samples: 0, baseline: None };

    /// True if slow start is not watched any more on this connection.
    pub fn is_over(&self) -> bool {
        self.stage == Stage::Over
    }

    /// Slow start has ended.
    pub fn end(&mut self) {
        self.stage = Stage::Over;
    }

    /// The number by which the growth of the window is divided now.
    pub fn divisor(&self) -> Option<f64> {
        matches!(self.stage, Stage::Conservative { .. }).then_some(CSS_GROWTH_DIVISOR)
    }

    /// A round trip begins. Returns whether slow start is over with it.
    pub fn begin_round(&mut self) -> bool {
        self.last_round = self.this_round.take();
        self.samples = 0;
        let Stage::Conservative { rounds } = &mut self.stage else { return false };
        *rounds += 1;
        // RFC 9406 §4.2: congestion avoidance begins after this many rounds, including the one in which the stage began.
        *rounds >= CSS_ROUNDS
    }

    /// A round trip has been measured (RFC 9406 §4.2).
    pub fn watch(&mut self, rtt: Duration) {
        self.this_round = Some(self.this_round.map_or(rtt, |least| least.min(rtt)));
        self.samples += 1;
        let (Some(this), Some(last)) = (self.this_round, self.last_round) else { return };
        if self.samples < RTT_SAMPLES {
            return;
        }
        match self.stage {
            Stage::Slow if this >= last + threshold(last) => {
                self.baseline = Some(this);
                self.stage = Stage::Conservative { rounds: 0 };
            }
            // It was jitter.
            Stage::Conservative { .. } if self.baseline.is_some_and(|baseline| this < baseline) => {
                self.baseline = None;
                self.stage = Stage::Slow;
            }
            Stage::Slow | Stage::Conservative { .. } | Stage::Over => {}
        }
    }
}

/// The amount by which a round trip may grow: an eighth, within bounds.
fn threshold(rtt: Duration) -> Duration {
    rtt.mul_f64(1.0 / RTT_DIVISOR).clamp(RTT_THRESH_MIN, RTT_THRESH_MAX)
}
