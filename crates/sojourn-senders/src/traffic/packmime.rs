//! PackMime: web connections that begin at a given rate, whatever the state of earlier ones. Specification: [Cao04] Cao,
//! Cleveland, Gao, Jeffay, Smith and Weigle, "Stochastic models for generating synthetic HTTP source traffic", INFOCOM
//! 2004; where it gives fitted curves, their parameters in ns-2 2.35 (`packmime_ranvar.cc`, read for its numbers).
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | Times between connections are independent: the law is [Cao04]'s Weibull, its long-range dependence (a fractional ARIMA of d = 0.33 under it) is left out | at 100 connections a second two thirds of the variance are independent there as well | `intervals_are_weibull_of_the_shape_that_the_rate_gives` |
//! | A response is short (validation of a cached page) independently of the one before; the runs of [Cao04] are left out | the fraction is that of its runs at 10 connections a second | `responses_are_short_or_log_normal` |
//! | Sizes of responses and requests are log-normal, without the Pareto tails of ns-2's curves (shapes 1.23 and 1.49) | [Cao04] gives mean and variance of the logarithm; requests are fitted to median and quartiles of ns-2's curve | `responses_are_short_or_log_normal` |
//! | One request per connection (HTTP 1.0), as ns-2 without `set-http-1.1` | the app `http` has persistent connections | - |
//! | The server thinks before its first packet, not between request and response | the same time in all | `the_server_thinks_for_a_tenth_of_a_second_at_most` |
//! | A request is one packet: the answer to the SYN, larger by at most 1460 bytes | [Cao04]'s median is 422 bytes | `a_request_makes_the_answer_to_the_syn_larger` |

use super::Arrivals;
use super::prelude::*;

pub static ENTRY: AppEntry = AppEntry {
    name: "packmime",
    title: "PackMime web traffic",
    doc: "Web connections of a cloud of clients that begin at a given rate, each with separate windows and timers. The flow carries them \
          at the same time; memory grows with their number at a time, not with time.",
    reference: "Cao, Cleveland, Gao, Jeffay, Smith and Weigle 2004; ns-2's PackMimeHTTP",
    unpaced: |_| Some("web connections".to_owned()),
    ..AppEntry::of::<Params>(build)
};

params! {
    pub struct Params {
        /// New connections per second.
        rate: f64 = "10" in [1e-6, 1e6], "a common choice";
        /// How the times between connections are distributed.
        interval_law: IntervalLaw = "weibull", "Cao et al. 2004";
        /// Shape of the Weibull law; `auto` rises with the rate towards 1, which is Poisson.
        interval_shape: Option<f64> = "auto" in [0.05, 10.0], "Cao et al. 2004: logit(shape) = 0.352 + 0.388 log2(rate)",
            when interval_law in ["weibull"];
        /// Median of requests.
        request: Bytes = "422B" in [0.0, 1e6], "ns-2's curve of request sizes";
        /// Standard deviation of the binary logarithm of requests; 0 makes them alike.
        request_spread: f64 = "0.6" in [0.0, 10.0], "quartiles of ns-2's curve: 350 and 630 bytes";
        /// Fraction of the responses that only validate a cached page.
        cached: Fraction = "28%" in [0.0, 1.0], "Cao et al. 2004, mean runs of 1.46 and 3.78 at 10 connections per second";
        /// Size of a response that only validates a cached page.
        cached_response: Bytes = "141B" in [1.0, 1e9], "median of ns-2's curve for cache validation";
        /// Median of the other responses.
        response: Bytes = "1448B" in [1.0, 1e12], "Cao et al. 2004: the mean of log2 is 10.5";
        /// Standard deviation of the binary logarithm of the other responses; 0 makes them alike.
        response_spread: f64 = "1.797" in [0.0, 10.0], "Cao et al. 2004: the variance of log2 is 3.23";
        /// How long the server thinks; `auto` is the reciprocal of a Weibull variable of shape 0.63 and scale 305/s, at most 0.1 s.
        server_delay: Option<Duration> = "auto" in [0.0, 1000.0], "ns-2's PackMimeHTTPServerDelay";
        /// Greatest number of connections at a time; further ones are refused.
        connections_max: u64 = "100000" in [1.0, 1e6], "an overloaded link stays simulable";
        /// Whether each connection is a row of the table `completion`. Only these rows take memory that grows with time.
        completions: bool = "true", "response times are the usual question";
    }
}

choices! {
    /// How the times between connections are distributed.
    pub enum IntervalLaw {
        /// Weibull.
        Weibull = "weibull",
        /// Exponential.
        Exponential = "exponential",
    }
}

#[derive(Clone, Debug)]
struct PackMime {
    params: Params,
    /// The shape of the Weibull law of intervals.
    shape: f64,
    /// In seconds.
    scale: f64,
}

fn build(args: &Args) -> Box<dyn Application> {
    Box::new(PackMime::new(args))
}

/// Shape of the law of intervals at `rate` connections per second ([Cao04] section IV).
fn interval_shape(rate: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-(0.352 + 0.388 * libm::log2(rate))))
}

/// A Weibull variable: exceeds x with exp(-(x / scale)^shape).
fn weibull(shape: f64, scale: f64, rng: &mut Rng) -> f64 {
    scale * libm::pow(-libm::log(1.0 - rng.uniform()), 1.0 / shape)
}

/// A log-normal variable with this median, whose binary logarithm has the standard deviation `spread`.
fn log_normal(median: Bytes, spread: f64, rng: &mut Rng) -> Bytes {
    if spread == 0.0 {
        return median;
    }
    // Box and Muller.
    let radius = libm::sqrt(-2.0 * libm::log(1.0 - rng.uniform()));
    let normal = radius * libm::cos(std::f64::consts::TAU * rng.uniform());
    Bytes(libm::round(median.0 as f64 * libm::exp2(spread * normal)) as u64)
}

impl PackMime {
    fn new(args: &Args) -> Self {
        let params: Params = args.typed();
        // At very low rates the shape tends to 0, and the mean of the law beyond all bounds.
        let shape = params.interval_shape.unwrap_or_else(|| interval_shape(params.rate)).max(0.05);
        // The mean of a Weibull law is scale * gamma(1 + 1/shape).
        let scale = 1.0 / (params.rate * libm::tgamma(1.0 + 1.0 / shape));
        PackMime { params, shape, scale }
    }
}

impl Application for PackMime {
    fn on_start(&mut self, _now: Instant, _cx: &mut AppContext<'_>) -> Demand {
        Demand::NOTHING
    }

    fn arrivals(&self) -> Option<Box<dyn Arrivals>> {
        Some(Box::new(self.clone()))
    }
}

impl Arrivals for PackMime {
    fn interval(&mut self, rng: &mut Rng) -> Duration {
        Duration::from_secs_f64(match self.params.interval_law {
            IntervalLaw::Weibull => weibull(self.shape, self.scale, rng),
            IntervalLaw::Exponential => rng.exponential(1.0 / self.params.rate),
        })
    }

    fn request(&mut self, rng: &mut Rng) -> Bytes {
        log_normal(self.params.request, self.params.request_spread, rng)
    }

    fn response(&mut self, rng: &mut Rng) -> (Duration, Bytes) {
        let delay = self
            .params
            .server_delay
            .unwrap_or_else(|| Duration::from_secs_f64(1.0 / weibull(0.63, 305.0, rng).max(10.0)));
        let size = if rng.uniform() < self.params.cached.0 {
            self.params.cached_response
        } else {
            log_normal(self.params.response, self.params.response_spread, rng)
        };
        (delay, Bytes(size.0.max(1)))
    }

    fn most(&self) -> usize {
        self.params.connections_max as usize
    }

    fn reports_completions(&self) -> bool {
        self.params.completions
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::trial::args;

    const N: usize = 200_000;

    fn source(settings: &[(&str, &str)]) -> PackMime {
        PackMime::new(&args(&ENTRY, None, settings))
    }

    /// The fraction of the draws above a bound has this probability.
    fn holds(draws: &[f64], bound: f64, p: f64) {
        let seen = draws.iter().filter(|draw| **draw > bound).count() as f64 / draws.len() as f64;
        let error = libm::sqrt(p * (1.0 - p) / draws.len() as f64);
        assert!((seen - p).abs() < 4.0 * error, "above {bound}: {seen}, not {p}");
    }

    fn intervals(settings: &[(&str, &str)]) -> Vec<f64> {
        let mut rng = Rng::named(1, "test");
        let mut source = source(settings);
        (0..N).map(|_| source.interval(&mut rng).as_secs_f64()).collect()
    }

    #[test]
    fn intervals_are_weibull_of_the_shape_that_the_rate_gives() {
        // [Cao04]: at 16 connections per second logit(shape) = 0.352 + 4 * 0.388 = 1.904, shape 0.87.
        let shape = 1.0 / (1.0 + libm::exp(-1.904));
        let draws = intervals(&[("rate", "16")]);
        let scale = 1.0 / (16.0 * libm::tgamma(1.0 + 1.0 / shape));
        for bound in [0.01, 0.0625, 0.25, 0.5] {
            holds(&draws, bound, libm::exp(-libm::pow(bound / scale, shape)));
        }
        // A Weibull law of shape 0.87 has a standard deviation of 1.15 means.
        let mean = draws.iter().sum::<f64>() / N as f64;
        assert!((mean * 16.0 - 1.0).abs() < 4.0 * 1.16 / libm::sqrt(N as f64), "{mean}");
    }

    #[test]
    fn exponential_intervals_make_poisson_arrivals() {
        let draws = intervals(&[("rate", "100"), ("interval_law", "exponential")]);
        for bound in [0.002, 0.01, 0.05] {
            holds(&draws, bound, libm::exp(-bound * 100.0));
        }
    }

    /// Probability that a standard normal variable exceeds x.
    fn normal_tail(x: f64) -> f64 {
        0.5 * libm::erfc(x / std::f64::consts::SQRT_2)
    }

    #[test]
    fn responses_are_short_or_log_normal() {
        let mut rng = Rng::named(1, "test");
        let mut source = source(&[]);
        let draws: Vec<f64> = (0..N).map(|_| source.response(&mut rng).1.0 as f64).collect();

        for bound in [500.5_f64, 1448.5, 10_000.5, 100_000.5] {
            holds(&draws, bound, 0.72 * normal_tail((libm::log2(bound) - libm::log2(1448.0)) / 1.797));
        }
        // ns-2 gives 2272 bytes as the mean of responses: 0.28 * 141 + 0.72 * 1448 exp((1.797 ln 2)^2 / 2) = 2305. One
        // response has a standard deviation of 0.85 * 1448 exp(s^2) = 5800 bytes, s = 1.797 ln 2.
        let mean = draws.iter().sum::<f64>() / N as f64;
        assert!((mean - 2305.0).abs() < 4.0 * 5800.0 / libm::sqrt(N as f64), "{mean}");
        assert!((mean / 2272.0 - 1.0).abs() < 0.05, "{mean}");
    }

    #[test]
    fn requests_have_the_quartiles_of_the_published_curve() {
        let mut rng = Rng::named(1, "test");
        let mut source = source(&[]);
        let mut draws: Vec<u64> = (0..N).map(|_| source.request(&mut rng).0).collect();
        draws.sort_unstable();
        // ns-2's curve: 350, 422 and 630 bytes; a log-normal law cannot be as skew, a tenth off.
        for (quantile, expected) in [(N / 4, 350.0), (N / 2, 422.0), (3 * N / 4, 630.0)] {
            assert!((draws[quantile] as f64 / expected - 1.0).abs() < 0.13, "{} not {expected}", draws[quantile]);
        }
    }

    #[test]
    fn the_server_thinks_for_a_tenth_of_a_second_at_most() {
        let mut rng = Rng::named(1, "test");
        let mut published = source(&[]);
        let draws: Vec<f64> = (0..N).map(|_| published.response(&mut rng).0.as_secs_f64()).collect();
        assert!(draws.iter().all(|delay| *delay <= 0.1));
        // 1/W exceeds x if W is below 1/x.
        for bound in [0.002, 0.01, 0.05, 0.0999] {
            holds(&draws, bound, 1.0 - libm::exp(-libm::pow(1.0 / bound / 305.0, 0.63)));
        }
        let mut none = source(&[("server_delay", "0s")]);
        assert_eq!(none.response(&mut rng).0, Duration::ZERO);
    }
}
