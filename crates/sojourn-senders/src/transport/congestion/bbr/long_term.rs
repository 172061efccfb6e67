//! The rate of a policer, as Linux's BBR finds it: a policer passes bursts and drops packets above its rate, so that the highest delivery
//! rate exceeds the sustainable one. Compared with: Linux 6.12.117 `tcp_bbr.c` (behaviour; the "long-term" bandwidth there), after Flach et
//! al., "An Internet-wide analysis of traffic policing", SIGCOMM 2016.
//!
//! From the first loss on the mean delivery rate of an interval is taken, which ends with a loss, 4 to 16 rounds later, when the losses are
//! a fifth of the delivered data. If two intervals in a row agree, their mean is the rate for 48 rounds.

use crate::units::Instant;

/// Rounds that an interval has at least, and at most.
const LEAST_ROUNDS: u64 = 4;
const MOST_ROUNDS: u64 = 4 * LEAST_ROUNDS;
/// Segments lost per segment delivered from which on an interval may be that of a policer: 50/256.
const LOSS: f64 = 50.0 / 256.0;
/// The allowed difference of two rates: an eighth, or 4 kbit/s.
const RATIO: f64 = 0.125;
const DIFFERENCE_BPS: f64 = 4000.0;
/// Rounds for which the rate is taken.
const USED_ROUNDS: u64 = 48;

/// The losses that an acknowledgement or a timeout reports.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is known by itself")]
pub(super) struct News {
    pub now: Instant,
    /// All that has been delivered, and all that has been lost, on this connection.
    pub delivered: u64,
    pub lost: u64,
    /// True if it reports a loss.
    pub loses: bool,
    pub round: bool,
    pub app_limited: bool,
    /// The law is in ProbeBW.
    pub cruises: bool,
    /// Bits of a segment, less the pacing margin.
    pub bits: f64,
}

/// The conclusion from a report of losses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Nothing,
    /// The path is policed.
    Policed,
    /// It may no longer be: the cycle begins anew.
    Over,
}

/// The knowledge of a policer.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Policer {
    /// Segments per second: of the last interval, or that which is used.
    rate: Option<f64>,
    used: bool,
    sampling: bool,
    /// The beginning of the interval, and the data delivered and lost by then.
    since: Instant,
    delivered: u64,
    lost: u64,
    /// Rounds of the interval, or since the rate is used.
    rounds: u64,
}

impl Policer {
    /// The rate, while it is used.
    pub fn rate(&self) -> Option<f64> {
        self.rate.filter(|_| self.used)
    }

    /// Nothing is known any more.
    pub fn forget(&mut self) {
        *self = Policer::default();
    }

    fn begin_interval(&mut self, news: &News) {
        (self.since, self.delivered, self.lost, self.rounds) = (news.now, news.delivered, news.lost, 0);
    }

    pub fn take(&mut self, news: &News) -> Verdict {
        if self.used {
            self.rounds += u64::from(news.round && news.cruises);
            if self.rounds < USED_ROUNDS {
                return Verdict::Nothing;
            }
            self.forget();
            return Verdict::Over;
        }
        if !self.sampling {
            if !news.loses {
                return Verdict::Nothing;
            }
            // Before the first loss the policer had tokens left: that would be more than its rate.
            self.begin_interval(news);
            self.sampling = true;
        }
        if news.app_limited {
            self.forget();
            return Verdict::Nothing;
        }
        self.rounds += u64::from(news.round);
        if self.rounds > MOST_ROUNDS {
            self.forget();
            return Verdict::Nothing;
        }
        if self.rounds < LEAST_ROUNDS || !news.loses {
            return Verdict::Nothing;
        }
        let (delivered, lost) = (news.delivered - self.delivered, news.lost - self.lost);
        let secs = news.now.since(self.since).as_secs_f64();
        if delivered == 0 || (lost as f64) < LOSS * delivered as f64 || secs < 0.001 {
            return Verdict::Nothing;
        }
        self.end_interval(news, delivered as f64 / secs)
    }

    /// The interval had this rate.
    fn end_interval(&mut self, news: &News, rate: f64) -> Verdict {
        if let Some(last) = self.rate {
            let difference = (rate - last).abs();
            if difference <= RATIO * last || difference * news.bits <= DIFFERENCE_BPS {
                (self.rate, self.used, self.rounds) = (Some(f64::midpoint(rate, last)), true, 0);
                return Verdict::Policed;
            }
        }
        self.rate = Some(rate);
        self.begin_interval(news);
        Verdict::Nothing
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::near_by_ratio;
    use crate::units::Duration;

    /// Rounds of 100 ms in which `delivered` segments arrive and `lost` do not; returns the result of the last one.
    fn rounds(policer: &mut Policer, news: &mut News, count: u64, delivered: u64, lost: u64) -> Verdict {
        let mut verdict = Verdict::Nothing;
        for _ in 0..count {
            news.now += Duration::from_millis(100);
            (news.delivered, news.lost, news.loses) = (news.delivered + delivered, news.lost + lost, lost > 0);
            verdict = policer.take(news);
        }
        verdict
    }

    fn news() -> News {
        News {
            now: Instant::ZERO,
            delivered: 0,
            lost: 0,
            loses: false,
            round: true,
            app_limited: false,
            cruises: true,
            bits: 8000.0,
        }
    }

    #[test]
    fn two_lossy_intervals_that_agree_are_a_policer_for_48_rounds() {
        let (mut policer, mut news) = (Policer::default(), news());
        assert_eq!(rounds(&mut policer, &mut news, 9, 300, 0), Verdict::Nothing, "nothing is lost yet");
        // The first loss begins an interval, which its own round belongs to; three rounds later it has four, and then comes a second one.
        rounds(&mut policer, &mut news, 1, 100, 25);
        rounds(&mut policer, &mut news, 3, 100, 25);
        assert_eq!(policer.rate(), None);
        assert_eq!(rounds(&mut policer, &mut news, 3, 110, 30), Verdict::Nothing);
        assert_eq!(rounds(&mut policer, &mut news, 1, 110, 30), Verdict::Policed);
        // 300 segments in 0.3 s, and 440 in 0.4 s: 1000 and 1100 per second.
        assert!(near_by_ratio(policer.rate().expect("a policer"), 1050.0), "{policer:?}");
        assert_eq!(rounds(&mut policer, &mut news, 47, 100, 0), Verdict::Nothing);
        assert_eq!(rounds(&mut policer, &mut news, 1, 100, 0), Verdict::Over);
        assert_eq!(policer.rate(), None);
    }

    #[test]
    fn few_losses_unequal_rates_and_a_lack_of_data_are_no_policer() {
        // 19 of 100 are below 50/256.
        let (mut few, mut few_news) = (Policer::default(), news());
        rounds(&mut few, &mut few_news, 40, 100, 19);
        assert_eq!(few.rate(), None);
        // The second interval is a quarter faster.
        let (mut unequal, mut unequal_news) = (Policer::default(), news());
        rounds(&mut unequal, &mut unequal_news, 4, 100, 30);
        rounds(&mut unequal, &mut unequal_news, 4, 125, 40);
        assert_eq!(unequal.rate(), None);
        let (mut limited, mut limited_news) = (Policer::default(), news());
        limited_news.app_limited = true;
        rounds(&mut limited, &mut limited_news, 40, 100, 30);
        assert_eq!(limited.rate(), None);
    }
}
