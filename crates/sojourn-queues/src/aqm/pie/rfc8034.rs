//! When DOCSIS-PIE of RFC 8034 is active, and when bursts pass: after the first drop (`bursts = "after_drop"`).
//!
//! | state | since | until |
//! |---|---|---|
//! | `Inactive` | the beginning, or `rest` without congestion | a third of the limit waits |
//! | `Quiescent` | that; or an update without congestion after a burst | a packet is dropped |
//! | `Active` | the first drop: bursts pass for `max_burst` from here on | an update without congestion |

use super::law::{Arrival, CalmTime, Law};
use super::settings::Params;
use crate::mechanism::queuing_delay::QueuingDelay;
use crate::queue::prelude::*;

/// RFC 8034's `aqm_state_`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Too little waits for any drop.
    Inactive,
    /// The next drop begins a burst.
    Quiescent,
    /// It drops.
    Active,
}

/// RFC 8034 appendix A.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rfc8034 {
    pub state: State,
    calm: CalmTime,
}

impl Rfc8034 {
    pub fn new(params: &Params) -> Self {
        Rfc8034 { state: at_rest(params), calm: CalmTime::default() }
    }

    /// The probability moves in every state. Without congestion the next drop begins a burst again, and after long enough nothing is
    /// dropped.
    pub fn update(&mut self, law: &mut Law, params: &Params, qdelay: &QueuingDelay, waiting: u64) {
        let is_calm = law.update(params, qdelay.seconds(waiting)) && !law.is_in_burst();
        if self.state == State::Active && is_calm {
            (self.state, self.calm) = (State::Quiescent, CalmTime::default());
        } else if self.state == State::Quiescent && self.calm.is_over(params, is_calm) {
            self.state = at_rest(params);
        }
    }

    /// A packet that is spared counts in the sum of probabilities.
    pub fn is_chosen(&mut self, law: &mut Law, params: &Params, arrival: Arrival, rng: &mut Rng) -> bool {
        if self.state == State::Inactive && arrival.is_enough {
            self.state = State::Quiescent;
        }
        if law.drop_prob <= 0.0 {
            // Also while too little waits for any drop.
            law.accu_prob = 0.0;
        }
        if self.state == State::Inactive || law.is_in_burst() {
            return false;
        }
        let is_spared = law.is_spared(params, arrival);
        if !law.drop_early(params, arrival, is_spared, rng) {
            return false;
        }
        if self.state == State::Quiescent {
            self.state = State::Active;
            law.burst_allowance = params.max_burst;
        }
        true
    }
}

/// The state without congestion.
fn at_rest(params: &Params) -> State {
    if params.is_always_active() { State::Quiescent } else { State::Inactive }
}
