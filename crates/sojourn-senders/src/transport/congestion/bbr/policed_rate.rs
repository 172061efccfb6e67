//! The rate of a policer, as Linux's BBR finds it: a policer passes bursts and drops packets above its rate, so that the highest delivery
//! rate exceeds the sustainable one. Compared with: Linux 6.12.117 `tcp_bbr.c` (behaviour; the "long-term" bandwidth there), after Flach et
//! al., "An Internet-wide analysis of traffic policing", SIGCOMM 2016.
//!
//! From the first loss on the mean delivery rate of an interval is taken, which ends with a loss, 4 to 16 rounds later, when the losses are
//! a fifth of the delivered data. If two intervals in a row agree, their mean is the rate for 48 rounds. Rates have 24 bits behind the
//! point, times are in milliseconds, parts in 1/256.

/// Rounds of an interval at least and at most; lost per delivered, and difference of two rates, in 1/256; that difference in bytes per
/// second; rounds for which the rate is taken.
const LEAST_ROUNDS: u64 = 4;
const MOST_ROUNDS: u64 = 4 * LEAST_ROUNDS;
const LOSS: u64 = 50;
const RATIO: u64 = 256 / 8;
const DIFFERENCE: u64 = 4000 / 8;
const USED_ROUNDS: u64 = 48;

/// The losses that an acknowledgement or a timeout reports.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is known by itself")]
pub(super) struct News {
    /// Microsecond in which something was delivered last.
    pub micros: u64,
    pub delivered: u64,
    pub lost: u64,
    pub loses: bool,
    pub round: bool,
    pub app_limited: bool,
    /// The law is in ProbeBW.
    pub cruises: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Nothing,
    /// The path is policed.
    Policed,
    /// It may no longer be: the cycle begins anew.
    Over,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Policer {
    rate: u64,
    used: bool,
    sampling: bool,
    since_millis: u64,
    delivered: u64,
    lost: u64,
    rounds: u64,
}

impl Policer {
    /// The rate, while it is used.
    pub fn rate(&self) -> Option<u64> {
        self.used.then_some(self.rate)
    }

    /// Nothing is known any more.
    pub fn forget(&mut self, news: &News) {
        *self = Policer::default();
        self.begin_interval(news);
    }

    fn begin_interval(&mut self, news: &News) {
        self.since_millis = news.micros / 1000;
        (self.delivered, self.lost, self.rounds) = (news.delivered, news.lost, 0);
    }

    /// `bytes_per_second` tells how much a rate is.
    pub fn take(&mut self, news: &News, bytes_per_second: impl Fn(u64) -> u64) -> Verdict {
        if self.used {
            self.rounds += u64::from(news.round && news.cruises);
            if self.rounds < USED_ROUNDS {
                return Verdict::Nothing;
            }
            self.forget(news);
            return Verdict::Over;
        }
        if !self.sampling {
            if !news.loses {
                return Verdict::Nothing;
            }
            self.begin_interval(news);
            self.sampling = true;
        }
        if news.app_limited {
            self.forget(news);
            return Verdict::Nothing;
        }
        self.rounds += u64::from(news.round);
        if self.rounds < LEAST_ROUNDS {
            return Verdict::Nothing;
        }
        if self.rounds > MOST_ROUNDS {
            self.forget(news);
            return Verdict::Nothing;
        }
        let (delivered, lost) = (news.delivered - self.delivered, news.lost - self.lost);
        let millis = (news.micros / 1000).saturating_sub(self.since_millis);
        if !news.loses || delivered == 0 || lost << 8 < LOSS * delivered || millis == 0 {
            return Verdict::Nothing;
        }
        self.end_interval(news, (delivered << 24) / (1000 * millis), bytes_per_second)
    }

    /// The interval had this rate.
    fn end_interval(&mut self, news: &News, rate: u64, bytes_per_second: impl Fn(u64) -> u64) -> Verdict {
        if self.rate > 0 {
            let difference = rate.abs_diff(self.rate);
            if difference << 8 <= RATIO * self.rate || bytes_per_second(difference) <= DIFFERENCE {
                (self.rate, self.used, self.rounds) = (u64::midpoint(rate, self.rate), true, 0);
                return Verdict::Policed;
            }
        }
        self.rate = rate;
        self.begin_interval(news);
        Verdict::Nothing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rounds of 100 ms in which `delivered` segments of 1000 bytes arrive and `lost` do not; returns the result of the last one.
    fn rounds(policer: &mut Policer, news: &mut News, count: u64, delivered: u64, lost: u64) -> Verdict {
        let mut verdict = Verdict::Nothing;
        for _ in 0..count {
            news.micros += 100_000;
            (news.delivered, news.lost, news.loses) = (news.delivered + delivered, news.lost + lost, lost > 0);
            verdict = policer.take(news, |rate| (rate * 1_000_000_000) >> 24);
        }
        verdict
    }

    fn news() -> News {
        News { micros: 0, delivered: 0, lost: 0, loses: false, round: true, app_limited: false, cruises: true }
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
        // 300 segments in 0.3 s, and 440 in 0.4 s: 1000 and 1100 per second, each rounded down in 2^-24 per microsecond.
        let one = |per_second: u64| (per_second << 24) / 1_000_000;
        assert_eq!(policer.rate(), Some(u64::midpoint(one(1000), one(1100))));
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
