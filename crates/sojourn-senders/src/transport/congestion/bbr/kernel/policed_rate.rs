//! The rate of a policer in the kernel's numbers (see `bbr/long_term.rs`): rates with 24 bits behind the point, times in milliseconds,
//! parts in 1/256. Compared with: Linux 6.12.117 `tcp_bbr.c` (behaviour).

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
