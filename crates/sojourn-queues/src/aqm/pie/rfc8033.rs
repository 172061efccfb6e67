//! When PIE of RFC 8033 is active, and when bursts pass: after a calm (`bursts = "after_calm"`).

use super::law::{Arrival, CalmTime, Law};
use super::settings::Params;
use crate::mechanism::queuing_delay::QueuingDelay;
use crate::queue::prelude::*;

/// RFC 8033 sections 4.4 and 5.3.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rfc8033 {
    /// Enough has waited since the last calm (`active_`).
    pub active: bool,
    calm: CalmTime,
}

impl Rfc8033 {
    pub fn new(params: &Params) -> Self {
        Rfc8033 { active: params.is_always_active(), calm: CalmTime::default() }
    }

    /// While it is not active the probability stays. After a calm bursts pass again, and a queue that is not always active rests.
    pub fn update(&mut self, law: &mut Law, params: &Params, qdelay: &QueuingDelay, waiting: u64) {
        if !self.active {
            return;
        }
        let is_calm = law.update(params, qdelay.seconds(waiting));
        if self.calm.is_over(params, is_calm) {
            law.burst_allowance = params.max_burst;
            self.active = params.is_always_active();
        }
    }

    /// Section 4.1; a spared packet does not count in the sum of probabilities.
    pub fn is_chosen(&mut self, law: &mut Law, params: &Params, arrival: Arrival, rng: &mut Rng) -> bool {
        if !self.active && arrival.is_enough {
            self.active = true;
            *law = Law::new(params.max_burst);
        }
        self.active
            && !law.is_in_burst()
            && !law.is_spared(params, arrival)
            && law.drop_early(params, arrival, false, rng)
    }
}
