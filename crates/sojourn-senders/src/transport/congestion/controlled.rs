//! The law of a sender, with slow start beside it. The sender calls its law by way of [`Controlled`], which may slow or end the
//! growth up to the threshold, and makes the arrivals that a sender does not tell.

use std::ops::{Deref, DerefMut};

use super::hystart::HyStart;
use super::{Acked, Adjustment, Arrival, Congestion, CongestionControl, Heard, Phase, Setup};
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

/// A law with the slow start beside it. It has those calls of a law that slow start has to know, in the law's place; all others go to the
/// law.
pub(in crate::transport) struct Controlled {
    law: Box<dyn CongestionControl>,
    start: Option<Box<HyStart>>,
    /// True if the law follows acknowledgements, and the sender does not tell them.
    makes_arrivals: bool,
}

impl Controlled {
    /// `law` with this slow start. `by_time` says that the sender detects losses by time, and tells arrivals and phases itself.
    pub fn new(mut law: Box<dyn CongestionControl>, slow_start: SlowStart, by_time: bool) -> Self {
        let makes_arrivals = !by_time && law.attentive().is_some();
        let start = match slow_start {
            SlowStart::Standard => None,
            SlowStart::HystartPlus => Some(Box::new(HyStart::NEW)),
        };
        Controlled { law, start, makes_arrivals }
    }

    /// True if the law or its slow start hears of every acknowledgement.
    pub fn listens(&mut self) -> bool {
        self.start.is_some() || self.law.listener().is_some()
    }

    /// A connection begins.
    pub fn on_connect(&mut self, setup: &Setup) {
        if let Some(start) = &mut self.start {
            **start = HyStart::NEW;
        }
        self.law.on_connect(setup);
    }

    /// New data has been acknowledged outside of loss recovery.
    #[inline]
    pub fn on_ack(&mut self, acked: &Acked) {
        if self.start.is_some() && self.is_slow() {
            self.start_slowly(acked);
        } else {
            self.open(acked);
        }
    }

    /// A loss has been found, or congestion has been echoed.
    pub fn on_congestion_event(&mut self, event: &Congestion) {
        self.end_slow_start();
        self.law.on_congestion_event(event);
    }

    /// The retransmission timer has expired.
    pub fn on_timeout(&mut self, event: Option<&Congestion>) {
        self.end_slow_start();
        self.law.on_timeout(event);
    }

    /// An acknowledgement has arrived.
    pub fn on_heard(&mut self, heard: &Heard) {
        if heard.round
            && self.is_slow()
            && let Some(start) = &mut self.start
            && start.begin_round()
        {
            start.end();
            self.law.adjust(Adjustment::EndSlowStart);
        }
        if let Some(law) = self.law.listener() {
            law.on_heard(heard);
        }
    }

    /// An acknowledgement of any kind gives a round trip. Returns whether the law has taken it, so that `on_ack` gets none.
    pub fn on_round_trip(&mut self, now: Instant, rtt: Duration) -> bool {
        let is_taken = self.law.listener().is_some_and(|law| law.on_round_trip(now, rtt));
        if is_taken
            && self.is_slow()
            && let Some(start) = &mut self.start
        {
            start.watch(rtt);
        }
        is_taken
    }

    /// The law opens the window in a slow start that is watched.
    fn start_slowly(&mut self, acked: &Acked) {
        if let (Some(start), Some(rtt)) = (&mut self.start, acked.rtt) {
            start.watch(rtt);
        }
        let before = self.law.window();
        self.open(acked);
        if let Some(divisor) = self.start.as_ref().and_then(|start| start.divisor()) {
            let grown = (self.law.window() - before).max(0.0);
            self.law.adjust(Adjustment::Limit(before + grown / divisor));
        }
    }

    /// The law takes in an acknowledgement that may open the window.
    #[inline]
    fn open(&mut self, acked: &Acked) {
        if self.makes_arrivals
            && let Some(law) = self.law.attentive()
        {
            law.on_arrival(&arrival_of(acked));
        }
        self.law.on_ack(acked);
    }

    fn is_slow(&self) -> bool {
        self.start.as_ref().is_some_and(|start| !start.is_over()) && self.law.window() < self.law.ssthresh()
    }

    fn end_slow_start(&mut self) {
        if let Some(start) = &mut self.start {
            start.end();
        }
    }
}

/// The content of an acknowledgement of new data, at a sender that does not detect losses by time and tells a law nothing more.
pub(super) fn arrival_of(acked: &Acked) -> Arrival {
    Arrival {
        now: acked.now,
        segments: acked.segments,
        rtt: acked.rtt,
        smoothed: None,
        delivered: acked.inflight,
        disordered: 0.0,
        out: acked.inflight - acked.segments,
        window: None,
        phase: Phase::Open,
    }
}

impl Deref for Controlled {
    type Target = dyn CongestionControl;

    fn deref(&self) -> &Self::Target {
        self.law.as_ref()
    }
}

impl DerefMut for Controlled {
    fn deref_mut(&mut self) -> &mut Self::Target {
        self.law.as_mut()
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{acked, heard, near, used};
    use super::super::{Counting, Cut, Growth, Setup, reno};
    use super::*;

    /// Reno with a window of ten and no threshold.
    fn watched() -> Controlled {
        let law = (reno::ENTRY.build)(&reno::ENTRY.args(None).expect("defaults"));
        let mut watched = Controlled::new(law, SlowStart::HystartPlus, false);
        let counting = Counting { growth: Growth::Acks, cut: Cut::Flight };
        watched.on_connect(&Setup {
            window: 10.0,
            ssthresh: f64::INFINITY,
            mss: 960,
            packet: 1000,
            counting,
            paced: false,
            phases: false,
        });
        watched
    }

    /// True if the window grows as in any slow start.
    fn is_as_at_first(law: &Controlled) -> bool {
        law.start.as_ref().is_some_and(|start| !start.is_over() && start.divisor().is_none())
    }

    /// A round of `acks` acknowledgements whose segments took `millis`.
    fn round(watched: &mut Controlled, acks: usize, millis: u64) {
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
    fn jitter_is_forgiven() {
        let mut law = watched();
        round(&mut law, 10, 100);
        round(&mut law, 10, 130);
        let before = law.window();
        // By the eighth sample, below the round trip at which the conservative stage began.
        round(&mut law, 8, 120);
        assert!(near(law.window(), before + 7.0 / 4.0 + 1.0), "{}", law.window());
        assert!(is_as_at_first(&law));
    }

    #[test]
    fn fewer_than_eight_samples_say_nothing() {
        let mut law = watched();
        round(&mut law, 10, 100);
        round(&mut law, 7, 200);
        assert!(is_as_at_first(&law));
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
