//! HyStart++: slow start that ends when round trips grow, before packets are lost; around any law that has a slow start. Specification:
//! RFC 9406. Linux has its predecessor, in CUBIC alone (`hystart` of `cubic`).
//!
//! Only the first slow start of a connection is watched (RFC 9406 section 4.3). Not modelled: the limit L of RFC 9406, which bounds the
//! increase by one acknowledgement in slow start. The law's own rule holds.

use super::{
    Acked, Adjustment, Attentive, Congestion, CongestionControl, Explicit, Heard, Listener, Milestone, Needs, Paced,
    Sampled, Setup,
};
use crate::units::{Duration, Instant};

crate::choices! {
    /// The end of slow start without a loss.
    pub enum SlowStart {
        /// Slow start ends with a loss only (RFC 5681).
        Standard = "standard",
        /// Slow start ends when round trips grow: a conservative slow start of five rounds follows, and then congestion avoidance if they
        /// stay long (RFC 9406).
        HystartPlus = "hystart++",
    }
}

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
struct Watch {
    stage: Stage,
    /// Least round trips of the last round and of this one, and the samples of this one.
    last_round: Option<Duration>,
    this_round: Option<Duration>,
    samples: u32,
    /// CSS: the least round trip of the round in which it began.
    baseline: Option<Duration>,
}

impl Watch {
    const NEW: Watch = Watch { stage: Stage::Slow, last_round: None, this_round: None, samples: 0, baseline: None };

    /// A round trip begins. Returns whether slow start is over with it.
    fn begin_round(&mut self) -> bool {
        self.last_round = self.this_round.take();
        self.samples = 0;
        let Stage::Conservative { rounds } = &mut self.stage else { return false };
        *rounds += 1;
        // RFC 9406 §4.2: congestion avoidance begins after this many rounds, including the one in which the stage began.
        *rounds >= CSS_ROUNDS
    }

    /// RFC 9406 §4.2.
    fn watch(&mut self, rtt: Duration) {
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

/// A law whose slow start is watched.
pub(in crate::transport) struct HyStart {
    law: Box<dyn CongestionControl>,
    watch: Watch,
}

impl HyStart {
    /// Around `law`.
    pub fn new(law: Box<dyn CongestionControl>) -> Self {
        HyStart { law, watch: Watch::NEW }
    }

    fn is_slow(&self) -> bool {
        self.watch.stage != Stage::Over && self.law.window() < self.law.ssthresh()
    }

    fn leave(&mut self) {
        self.law.adjust(Adjustment::EndSlowStart);
        self.watch.stage = Stage::Over;
    }
}

/// The amount by which a round trip may grow: an eighth, within bounds.
fn threshold(rtt: Duration) -> Duration {
    rtt.mul_f64(1.0 / RTT_DIVISOR).clamp(RTT_THRESH_MIN, RTT_THRESH_MAX)
}

// Clippy refuses a hook that is not passed on.
#[deny(clippy::missing_trait_methods)]
impl CongestionControl for HyStart {
    fn on_connect(&mut self, setup: &Setup) {
        self.watch = Watch::NEW;
        self.law.on_connect(setup);
    }

    fn needs(&self) -> Needs {
        self.law.needs()
    }

    fn listener(&mut self) -> Option<&mut dyn Listener> {
        Some(self)
    }

    fn on_ack(&mut self, acked: &Acked) {
        if !self.is_slow() {
            self.law.on_ack(acked);
            return;
        }
        if let Some(rtt) = acked.rtt {
            self.watch.watch(rtt);
        }
        let before = self.law.window();
        self.law.on_ack(acked);
        if matches!(self.watch.stage, Stage::Conservative { .. }) {
            let grown = (self.law.window() - before).max(0.0);
            self.law.adjust(Adjustment::Limit(before + grown / CSS_GROWTH_DIVISOR));
        }
    }

    fn on_congestion_event(&mut self, event: &Congestion) {
        self.watch.stage = Stage::Over;
        self.law.on_congestion_event(event);
    }

    fn on_timeout(&mut self, event: Option<&Congestion>) {
        self.watch.stage = Stage::Over;
        self.law.on_timeout(event);
    }

    fn explicit(&mut self) -> Option<&mut dyn Explicit> {
        self.law.explicit()
    }

    fn sampled(&mut self) -> Option<&mut dyn Sampled> {
        self.law.sampled()
    }

    fn attentive(&mut self) -> Option<&mut dyn Attentive> {
        self.law.attentive()
    }

    fn on_milestone(&mut self, milestone: Milestone<'_>) {
        self.law.on_milestone(milestone);
    }

    fn adjust(&mut self, change: Adjustment) {
        self.law.adjust(change);
    }

    fn window(&self) -> f64 {
        self.law.window()
    }

    fn ssthresh(&self) -> f64 {
        self.law.ssthresh()
    }

    fn paced(&self) -> Option<&dyn Paced> {
        self.law.paced()
    }
}

// Clippy refuses a hook that is not passed on.
#[deny(clippy::missing_trait_methods)]
impl Listener for HyStart {
    fn on_heard(&mut self, heard: &Heard) {
        if heard.round && self.is_slow() && self.watch.begin_round() {
            self.leave();
        }
        if let Some(law) = self.law.listener() {
            law.on_heard(heard);
        }
    }

    fn on_round_trip(&mut self, now: Instant, rtt: Duration) -> bool {
        let is_taken = self.law.listener().is_some_and(|law| law.on_round_trip(now, rtt));
        if is_taken && self.is_slow() {
            // `on_ack` hears of none then.
            self.watch.watch(rtt);
        }
        is_taken
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{acked, connected, heard, near, used};
    use super::super::{CongestionControl, Cut, Growth, Laws, Setup, bbr, nv, reno, xcp};
    use super::*;

    /// Reno with a window of ten and no threshold.
    fn watched() -> HyStart {
        let law = connected(&reno::ENTRY, None, &[], 10.0, f64::INFINITY);
        let mut watched = HyStart::new(law);
        let laws = Laws { growth: Growth::Acks, cut: Cut::Flight };
        watched.on_connect(&Setup {
            window: 10.0,
            ssthresh: f64::INFINITY,
            mss: 960,
            packet: 1000,
            laws,
            paced: false,
        });
        watched
    }

    /// A round of `acks` acknowledgements whose segments took `millis`.
    fn round(watched: &mut HyStart, acks: usize, millis: u64) {
        watched.on_heard(&Heard { round: true, ..heard(Instant::ZERO) });
        for _ in 0..acks {
            watched.on_ack(&Acked { rtt: Some(Duration::from_millis(millis)), ..acked(1.0) });
        }
    }

    #[test]
    fn growing_round_trips_slow_it_to_a_quarter_and_five_rounds_later_it_ends() {
        // RFC 9406 §4.2: 100 ms, then 112 < 100 + 12.5; 130 >= 112 + 14: conservative from the eighth sample on.
        let mut law = watched();
        round(&mut law, 10, 100);
        round(&mut law, 10, 112);
        assert!(near(law.window(), 30.0));
        round(&mut law, 12, 130);
        // Seven count as one, the eighth to the twelfth as a quarter.
        assert!(near(law.window(), 37.0 + 5.0 / 4.0), "{}", law.window());
        for _ in 0..4 {
            round(&mut law, 8, 130);
            assert!(law.ssthresh().is_infinite());
        }
        assert!(near(law.window(), 38.25 + 8.0), "4 rounds of 8 by a quarter");
        round(&mut law, 1, 130);
        assert!(near(law.ssthresh(), 46.25), "{}", law.ssthresh());
    }

    #[test]
    fn it_asks_samples_and_attends_as_its_law() {
        let of = |entry| {
            let mut law = HyStart::new(connected(entry, None, &[], 10.0, f64::INFINITY));
            (law.explicit().is_some(), law.sampled().is_some(), law.attentive().is_some())
        };
        assert_eq!(of(&reno::ENTRY), (false, false, false));
        assert_eq!(of(&xcp::ENTRY), (true, false, false));
        assert_eq!(of(&bbr::ENTRY), (false, true, false));
        assert_eq!(of(&nv::ENTRY), (false, false, true));
    }

    #[test]
    fn jitter_is_forgiven() {
        let mut law = watched();
        round(&mut law, 10, 100);
        round(&mut law, 10, 130);
        let before = law.window();
        // By the eighth sample, below the round trip at which the conservative stage began.
        round(&mut law, 8, 120);
        assert!(near(law.window(), before + 7.0 / 4.0 + 1.0), "{}", law.window());
        assert_eq!(law.watch.stage, Stage::Slow);
    }

    #[test]
    fn fewer_than_eight_samples_say_nothing() {
        let mut law = watched();
        round(&mut law, 10, 100);
        round(&mut law, 7, 200);
        assert_eq!(law.watch.stage, Stage::Slow);
    }

    #[test]
    fn only_the_first_slow_start_is_watched() {
        let mut law = watched();
        law.on_timeout(Some(&used(100.0)));
        round(&mut law, 10, 100);
        round(&mut law, 20, 200);
        assert!(near(law.window(), 31.0));
        assert!(near(law.ssthresh(), 50.0));
    }
}
