//! The allowed sending rate (RFC 5348 sections 4.2 to 4.5). Rates are in bytes of payload per second, times in
//! seconds.

use super::equation::{throughput, throughput_with};
use super::ticks::TickTimeout;
use crate::units::{Duration, Instant};

/// Longest time between packets in seconds: t_mbi.
const BACKOFF_MAX: f64 = 64.0;
/// The nofeedback timer before a round trip is known (section 4.2).
const INITIAL_TIMEOUT: Duration = Duration::from_secs(2);
/// Values of X_recv_set that are kept besides the newest (section 8.2.2).
const RECEIVED_KEPT: usize = 2;

/// The round-trip time as the sender sees it.
#[derive(Clone, Copy, Debug)]
struct RoundTrip {
    /// R.
    mean: f64,
    /// R_sqmean.
    root_mean: f64,
    /// R_sample, the newest.
    sample: f64,
}

/// A feedback packet as it reaches the sender.
#[derive(Clone, Copy, Debug)]
pub(super) struct Feedback {
    /// Time from the last packet that the receiver got to this feedback, less its wait there.
    pub rtt: Duration,
    /// p.
    pub loss_event_rate: f64,
    /// X_recv.
    pub received: f64,
    /// The sender had less to send than it was allowed, all the time that the feedback covers.
    pub data_limited: bool,
}

/// The parts of the rate that are a choice.
#[derive(Clone, Copy, Debug)]
pub(super) struct RateLaws {
    /// Weight of the past in the averages of the round trip.
    pub memory: f64,
    /// Whether a round trip above its average lowers the rate.
    pub damping: bool,
    /// The tick in seconds by which t_RTO is estimated; absent: it is 4 R.
    pub tick: Option<f64>,
    /// Whether the rate rises by at most a packet per round trip in each.
    pub by_packets: bool,
}

/// Round trips that count at most since the rate changed, where it rises by packets (ns-2).
const ROUND_TRIPS_MAX: f64 = 2.0;

/// How fast the sender may send.
#[derive(Clone, Debug)]
pub(super) struct AllowedRate {
    laws: RateLaws,
    /// t_RTO, where it is not 4 R.
    ticks: Option<TickTimeout>,
    /// s.
    segment: f64,
    /// X.
    rate: f64,
    /// X_Bps.
    calculated: f64,
    /// p.
    loss_event_rate: f64,
    round_trip: Option<RoundTrip>,
    /// X_recv_set.
    received: Vec<(Instant, f64)>,
    /// tld.
    doubled_at: Instant,
    /// When the equation set the rate last.
    followed_at: Option<Instant>,
}

impl AllowedRate {
    /// One segment of `segment` bytes a second (section 4.2).
    pub fn new(segment: f64, laws: RateLaws) -> Self {
        AllowedRate {
            laws,
            ticks: laws.tick.map(TickTimeout::new),
            segment,
            rate: segment,
            calculated: 0.0,
            loss_event_rate: 0.0,
            round_trip: None,
            received: vec![(Instant::ZERO, f64::INFINITY)],
            doubled_at: Instant::ZERO,
            followed_at: None,
        }
    }

    /// The mean segment size is now this.
    pub fn set_segment(&mut self, segment: f64) {
        self.segment = segment;
    }

    /// R; absent before the first feedback.
    pub fn rtt(&self) -> Option<Duration> {
        self.round_trip.map(|round_trip| Duration::from_secs_f64(round_trip.mean))
    }

    /// t_ipi = s / X_inst (sections 4.5 and 4.6).
    pub fn spacing(&self) -> Duration {
        let damped = match self.round_trip {
            Some(RoundTrip { root_mean, sample, .. }) if self.laws.damping && sample > 0.0 => {
                self.rate * root_mean / libm::sqrt(sample)
            }
            _ => self.rate,
        };
        // Bound: a nanosecond at least, or time would stand still.
        Duration::from_secs_f64(self.segment / damped.max(self.least())).max(Duration::from_nanos(1))
    }

    /// When the nofeedback timer shall expire, from now: `max(4 R, 2 s / X)`.
    pub fn timeout(&self) -> Duration {
        self.round_trip.map_or(INITIAL_TIMEOUT, |round_trip| {
            Duration::from_secs_f64((4.0 * round_trip.mean).max(2.0 * self.segment / self.rate))
        })
    }

    /// Section 4.3.
    pub fn on_feedback(&mut self, now: Instant, feedback: &Feedback) {
        let first = self.round_trip.is_none();
        let rtt = self.observe(feedback.rtt.max(Duration::from_nanos(1)).as_secs_f64());
        let rises = feedback.loss_event_rate > self.loss_event_rate;
        self.loss_event_rate = feedback.loss_event_rate;
        let limit = self.receive_limit(now, feedback, rises, rtt);
        if self.loss_event_rate > 0.0 {
            self.follow_equation(now, rtt, limit);
        } else if first {
            // Section 4.2: this replaces step 4.
            self.rate = self.initial_rate();
            self.doubled_at = now;
        } else if now.since(self.doubled_at).as_secs_f64() >= rtt {
            self.rate = (2.0 * self.rate).min(limit).max(self.initial_rate());
            self.doubled_at = now;
        }
    }

    /// Section 4.4. `idle`: nothing has been sent since the timer was set. Returns whether anything has changed.
    pub fn on_no_feedback(&mut self, now: Instant, idle: bool) -> bool {
        let received = self.most_received();
        let Some(RoundTrip { mean: rtt, .. }) = self.round_trip else {
            if !idle {
                self.rate = (self.rate / 2.0).max(self.least());
            }
            return !idle;
        };
        let recover = self.initial_rate();
        let has_losses = self.loss_event_rate > 0.0;
        if idle && (if has_losses { received < recover } else { self.rate < 2.0 * recover }) {
            return false;
        }
        if !has_losses {
            self.rate = (self.rate / 2.0).max(self.least());
            return true;
        }
        let halved = if self.calculated > 2.0 * received { received } else { self.calculated / 2.0 };
        let timer_limit = halved.max(self.least());
        self.received = vec![(now, timer_limit / 2.0)];
        self.follow_equation(now, rtt, timer_limit);
        true
    }

    /// Steps 1 to 3: R and R_sqmean with a new sample; gives R.
    fn observe(&mut self, sample: f64) -> f64 {
        let q = self.laws.memory;
        if let Some(ticks) = &mut self.ticks {
            ticks.sample(sample);
        }
        let root = libm::sqrt(sample);
        let round_trip = match self.round_trip {
            None => RoundTrip { mean: sample, root_mean: root, sample },
            Some(old) => RoundTrip {
                mean: q * old.mean + (1.0 - q) * sample,
                root_mean: q * old.root_mean + (1.0 - q) * root,
                sample,
            },
        };
        self.round_trip = Some(round_trip);
        round_trip.mean
    }

    /// recv_limit of step 4.
    fn receive_limit(&mut self, now: Instant, feedback: &Feedback, losses_rise: bool, rtt: f64) -> f64 {
        if !feedback.data_limited || feedback.received <= 0.0 {
            // Update X_recv_set().
            let old = Duration::from_secs_f64(2.0 * rtt);
            self.received.retain(|(at, _)| now.since(*at) <= old);
            let surplus = self.received.len().saturating_sub(RECEIVED_KEPT);
            self.received.drain(..surplus);
            self.received.push((now, feedback.received));
            return 2.0 * self.most_received();
        }
        // Maximize X_recv_set().
        let (before, new) = if losses_rise { (0.5, 0.85) } else { (1.0, 1.0) };
        let largest = self
            .received
            .iter()
            .map(|(_, rate)| before * rate)
            .filter(|rate| rate.is_finite())
            .fold(new * feedback.received, f64::max);
        self.received = vec![(now, largest)];
        if losses_rise { largest } else { 2.0 * largest }
    }

    /// The congestion avoidance phase of step 4.
    fn follow_equation(&mut self, now: Instant, rtt: f64, limit: f64) {
        self.calculated = match &self.ticks {
            Some(ticks) => throughput_with(ticks.secs(), self.segment, rtt, self.loss_event_rate),
            None => throughput(self.segment, rtt, self.loss_event_rate),
        };
        let mut rate = self.calculated.min(limit);
        if let Some(since) = self.followed_at.replace(now).filter(|_| self.laws.by_packets) {
            let round_trips = (now.since(since).as_secs_f64() / rtt).min(ROUND_TRIPS_MAX);
            rate = rate.min(self.rate + round_trips * self.segment / rtt);
        }
        self.rate = rate.max(self.least());
    }

    fn most_received(&self) -> f64 {
        self.received.iter().map(|(_, rate)| *rate).fold(0.0, f64::max)
    }

    /// s / t_mbi.
    fn least(&self) -> f64 {
        self.segment / BACKOFF_MAX
    }

    /// `W_init / R`, `W_init = min(4 MSS, max(2 MSS, 4380))` (section 4.2).
    fn initial_rate(&self) -> f64 {
        let window = (4.0 * self.segment).min((2.0 * self.segment).max(4380.0));
        self.round_trip.map_or(self.segment, |round_trip| window / round_trip.mean)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{at_millis as at, near_by_ratio};

    const S: f64 = 1000.0;
    const RFC: RateLaws = RateLaws { memory: 0.9, damping: true, tick: None, by_packets: false };

    /// After the first feedback at 100 ms: R = 100 ms.
    fn begun() -> AllowedRate {
        let mut rate = AllowedRate::new(S, RFC);
        rate.on_feedback(at(100), &feedback(0.0, 0.0));
        rate
    }

    fn feedback(loss_event_rate: f64, received: f64) -> Feedback {
        Feedback { rtt: Duration::from_millis(100), loss_event_rate, received, data_limited: false }
    }

    #[test]
    fn it_begins_with_a_packet_a_second_and_then_a_window_per_round_trip() {
        let new = AllowedRate::new(S, RFC);
        assert_eq!((new.spacing(), new.timeout()), (Duration::from_secs(1), Duration::from_secs(2)));
        // min(4000, max(2000, 4380)) / 0.1.
        assert!(near_by_ratio(begun().rate, 40_000.0));
        let mut large = AllowedRate::new(1460.0, RFC);
        large.on_feedback(at(100), &feedback(0.0, 0.0));
        assert!(near_by_ratio(large.rate, 43_800.0));
    }

    #[test]
    fn slow_start_doubles_once_a_round_trip_up_to_twice_what_arrives() {
        let mut rate = begun();
        rate.on_feedback(at(150), &feedback(0.0, 40_000.0));
        assert!(near_by_ratio(rate.rate, 40_000.0), "not within a round trip");
        rate.on_feedback(at(200), &feedback(0.0, 40_000.0));
        assert!(near_by_ratio(rate.rate, 80_000.0));
        rate.on_feedback(at(300), &feedback(0.0, 80_000.0));
        rate.on_feedback(at(400), &feedback(0.0, 90_000.0));
        assert!(near_by_ratio(rate.rate, 180_000.0), "2 * 160 000 would be more than twice what arrives");
    }

    #[test]
    fn after_the_first_loss_the_equation_rules_within_the_receive_limit() {
        let mut rate = begun();
        for time in [200, 300, 400] {
            rate.on_feedback(at(time), &feedback(0.0, 200_000.0));
        }
        rate.on_feedback(at(500), &feedback(0.01, 200_000.0));
        assert!(near_by_ratio(rate.rate, throughput(S, 0.1, 0.01)), "{}", rate.rate);
        for time in [800, 1200] {
            rate.on_feedback(at(time), &feedback(0.01, 30_000.0));
        }
        assert!(near_by_ratio(rate.rate, 60_000.0));
        rate.on_feedback(at(1300), &feedback(0.9, 1.0));
        rate.on_feedback(at(1700), &feedback(0.9, 1.0));
        assert!(near_by_ratio(rate.rate, S / 64.0), "a packet in 64 seconds at least");
    }

    #[test]
    fn the_best_of_the_last_two_round_trips_limits() {
        let mut rate = begun();
        for (time, received) in [(400, 100_000.0), (550, 10_000.0)] {
            rate.on_feedback(at(time), &feedback(1e-6, received));
        }
        assert!(near_by_ratio(rate.rate, 200_000.0));
        rate.on_feedback(at(650), &feedback(1e-6, 10_000.0));
        assert!(near_by_ratio(rate.rate, 20_000.0), "the 100 000 are 250 ms old");
    }

    #[test]
    fn a_sender_without_data_is_not_held_to_what_arrived() {
        let mut rate = begun();
        rate.on_feedback(at(400), &feedback(1e-6, 100_000.0));
        let idle = Feedback { data_limited: true, ..feedback(1e-6, 1000.0) };
        rate.on_feedback(at(900), &idle);
        assert!(near_by_ratio(rate.rate, 200_000.0), "the largest is kept, however old");
        // A loss while it had little to send: the set is halved, 0.85 of the receive rate counts, and the limit is not doubled.
        rate.on_feedback(at(1000), &Feedback { loss_event_rate: 2e-6, ..idle });
        assert!(near_by_ratio(rate.rate, 50_000.0));
    }

    #[test]
    fn without_feedback_the_rate_is_halved() {
        let mut slow_start = begun();
        slow_start.on_feedback(at(200), &feedback(0.0, 40_000.0));
        assert_eq!(slow_start.timeout(), Duration::from_millis(400));
        slow_start.on_no_feedback(at(600), false);
        assert!(near_by_ratio(slow_start.rate, 40_000.0));

        // Limited by the equation: half of it, and the receive rate counts for a quarter.
        let mut limited = begun();
        limited.on_feedback(at(400), &feedback(0.01, 150_000.0));
        let calculated = throughput(S, 0.1, 0.01);
        limited.on_no_feedback(at(800), false);
        assert!(near_by_ratio(limited.rate, calculated / 2.0));
        assert!(near_by_ratio(limited.most_received(), calculated / 4.0));
        limited.on_no_feedback(at(1200), false);
        assert!(near_by_ratio(limited.rate, calculated / 4.0), "now limited by what arrived");
    }

    #[test]
    fn an_idle_sender_keeps_its_initial_rate() {
        let mut rate = begun();
        assert!(!rate.on_no_feedback(at(500), true));
        assert!(near_by_ratio(rate.rate, 40_000.0));
        for time in [600, 700] {
            rate.on_feedback(at(time), &feedback(0.0, 100_000.0));
        }
        assert!(near_by_ratio(rate.rate, 160_000.0));
        let halvings = (0..10).filter(|_| rate.on_no_feedback(at(9000), true)).count();
        assert!(halvings == 2 && near_by_ratio(rate.rate, 40_000.0), "{}", rate.rate);
    }

    #[test]
    fn a_growing_delay_slows_by_its_root() {
        let mut rate = begun();
        rate.on_feedback(at(200), &Feedback { rtt: Duration::from_millis(400), ..feedback(0.01, 1e9) });
        // R_sqmean = 0.9 sqrt(0.1) + 0.1 sqrt(0.4); R = 0.13.
        let damped = throughput(S, 0.13, 0.01) * (0.9 * 0.1_f64.sqrt() + 0.1 * 0.4_f64.sqrt()) / 0.4_f64.sqrt();
        assert!((rate.spacing().as_secs_f64() * damped / S - 1.0).abs() < 1e-6);
        rate.laws.damping = false;
        assert!((rate.spacing().as_secs_f64() * throughput(S, 0.13, 0.01) / S - 1.0).abs() < 1e-6);
    }

    #[test]
    fn in_ns2_the_rate_rises_by_a_packet_per_round_trip_in_each() {
        let mut rate = AllowedRate::new(S, RateLaws { by_packets: true, ..RFC });
        rate.on_feedback(at(100), &feedback(0.0, 0.0));
        rate.on_feedback(at(200), &feedback(0.1, 1e9));
        let first = throughput(S, 0.1, 0.1);
        assert!(near_by_ratio(rate.rate, first), "the first loss ends slow start at once: {}", rate.rate);
        // A round trip later the equation allows six times as much: a packet in 100 ms more.
        rate.on_feedback(at(300), &feedback(0.01, 1e9));
        assert!(near_by_ratio(rate.rate, first + 10_000.0), "{}", rate.rate);
        rate.on_feedback(at(350), &feedback(0.01, 1e9));
        assert!(near_by_ratio(rate.rate, first + 15_000.0), "half a round trip: {}", rate.rate);
        rate.on_feedback(at(900), &feedback(0.01, 1e9));
        assert!(near_by_ratio(rate.rate, first + 35_000.0), "two at most: {}", rate.rate);
        // Down at once.
        rate.on_feedback(at(1000), &feedback(0.2, 1e9));
        assert!(near_by_ratio(rate.rate, throughput(S, 0.1, 0.2)));
    }

    #[test]
    fn in_ns2_the_timeout_of_the_equation_has_ticks() {
        // One tick of 100 ms: 0.3 s instead of 4 R = 0.4 s.
        let mut rate = AllowedRate::new(S, RateLaws { tick: Some(0.1), ..RFC });
        for time in [100, 200] {
            rate.on_feedback(at(time), &feedback(0.05, 1e9));
        }
        assert!(near_by_ratio(rate.rate, throughput_with(0.3, S, 0.1, 0.05)), "{}", rate.rate);
    }
}
