//! RED in each queue of a round, as in Linux's SFQ (`redflowlimit` of `tc`): each queue has an average of its own, which begins anew when
//! the queue does. Compared with: Linux 6.12 `sch_sfq`, decision by decision (`tests/peers/linux/kernel`).
//!
//! The bytes of `redflowlimit` bound nothing in Linux, whatever tc-sfq(8) says: `tc` makes thresholds of them.

use crate::aqm::sch_red::{Numbers, Says};
use crate::queue::prelude::*;

#[derive(Clone, Debug)]
pub struct QueueRed {
    /// The average and the law.
    pub numbers: Numbers,
    /// ECN-capable packets are marked.
    pub ecn: bool,
    /// Above the upper threshold they are dropped all the same.
    pub hard_drop: bool,
}

impl QueueRed {
    /// The decision about an arrival that finds `waiting` bytes. `None` admits it. Otherwise a packet is dropped for the reason, or marked
    /// if the flag is set.
    pub fn says(&mut self, now: Instant, waiting: u64, rng: &mut Rng) -> Option<(Reason, bool)> {
        self.numbers.observe(now, waiting);
        match self.numbers.says(rng) {
            Says::Pass => None,
            Says::Early => Some((Reason::EARLY, self.ecn)),
            Says::Hard => Some((Reason::FORCED, self.ecn && !self.hard_drop)),
        }
    }
}
