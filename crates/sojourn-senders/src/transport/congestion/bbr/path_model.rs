//! The law's model of the path: the highest rate of deliveries, and how far acknowledgements run ahead of it.

use super::policed_rate::{News, Verdict};
use super::sending::paced_bytes;
use super::{Bbr, GAIN_ONE, Mode, RATE_ONE, SHORTEST_MILLIS, micros, ticks};
use crate::transport::congestion::Sample;

/// Room for clumps of acknowledgements, in microseconds at most; rounds that a maximum of them counts.
const CLUMP_MICROS: u64 = 100_000;
const CLUMP_ROUNDS: u64 = 5;
const CLUMP_MOST: u64 = 0xf_ffff;

/// A sample of the delivery rate, taken from an acknowledgement.
#[derive(Clone, Copy, Debug)]
pub(super) struct Observation {
    /// The segments delivered since the newest segment was sent that it reports, and the microseconds that they took.
    delivered: u64,
    micros: u64,
    /// The segments that had been delivered when that segment was sent.
    prior: u64,
    app_limited: bool,
}

impl Bbr {
    pub(super) fn observe(&mut self, sample: &Sample, trip: Option<u64>) -> Option<Observation> {
        if let Some(trip) = trip {
            // The least value is found as the greatest difference from a large number.
            self.shortest.take(SHORTEST_MILLIS, ticks(sample.now), u64::MAX - trip.max(1));
        }
        if sample.delivered > 0.0 {
            self.delivered_at = micros(sample.now);
        }
        let (spans, prior) = sample.spans.zip(sample.prior)?;
        // What counts as sent later than now has taken no time.
        let sent = micros(spans.left).saturating_sub(micros(spans.first_left));
        let heard = micros(sample.now).saturating_sub(micros(spans.heard));
        let interval = sent.max(heard);
        // Without a round trip there is no shortest: all bits.
        let shortest = if self.shortest.value() == 0 { u64::from(u32::MAX) } else { u64::MAX - self.shortest.value() };
        (interval > 0 && interval >= shortest).then(|| Observation {
            delivered: sample.total - prior,
            micros: interval,
            prior,
            app_limited: sample.app_limited,
        })
    }

    pub(super) fn news(&self, loses: bool, app_limited: bool) -> News {
        News {
            micros: self.delivered_at,
            delivered: self.seen.0,
            lost: self.seen.1,
            loses,
            round: self.round_began,
            app_limited,
            cruises: self.mode == Mode::ProbeBw,
        }
    }

    pub(super) fn look_for_policer(&mut self, news: News) {
        if !self.numbers.policers {
            return;
        }
        let (mss, paced) = (self.mss, self.numbers.paced);
        match self.policer.take(&news, |bandwidth| paced_bytes(bandwidth * mss, paced)) {
            Verdict::Nothing => {}
            Verdict::Policed => self.pacing_gain = GAIN_ONE,
            Verdict::Over => self.enter_probe_bw(),
        }
    }

    pub(super) fn update_bandwidth(&mut self, sample: &Sample, seen: Option<Observation>) {
        self.round_began = false;
        let Some(seen) = seen else { return };
        if seen.prior >= self.round_ends {
            self.round_ends = sample.total;
            self.round += 1;
            self.round_began = true;
            self.conserves = false;
        }
        self.look_for_policer(self.news(sample.lost > 0.0, seen.app_limited));
        let rate = seen.delivered * RATE_ONE / seen.micros;
        if !seen.app_limited || rate >= self.bandwidth.value() {
            self.bandwidth.take(self.numbers.bandwidth_rounds, self.round, rate);
        }
    }

    pub(super) fn update_clumps(&mut self, delivered: u64, seen: Option<Observation>) {
        if !self.numbers.aggregation || delivered == 0 || seen.is_none() {
            return;
        }
        let (bandwidth, now, window) = (self.present(), self.delivered_at, self.window);
        let clumps = &mut self.clumps;
        if self.round_began {
            clumps.rounds += 1;
            if clumps.rounds >= CLUMP_ROUNDS {
                (clumps.rounds, clumps.turn) = (0, 1 - clumps.turn);
                clumps.most[clumps.turn] = 0;
            }
        }
        let mut expected = bandwidth * (now - clumps.since) / RATE_ONE;
        if clumps.acked <= expected || clumps.acked + delivered > CLUMP_MOST {
            (clumps.acked, clumps.since, expected) = (0, now, 0);
        }
        clumps.acked = (clumps.acked + delivered).min(CLUMP_MOST);
        let extra = (clumps.acked - expected).min(window);
        clumps.most[clumps.turn] = clumps.most[clumps.turn].max(extra);
    }

    pub(super) fn room_for_clumps(&self, bandwidth: u64) -> u64 {
        if !self.numbers.aggregation || !self.filled {
            return 0;
        }
        self.clumps.most[0].max(self.clumps.most[1]).min(bandwidth * CLUMP_MICROS / RATE_ONE)
    }
}
