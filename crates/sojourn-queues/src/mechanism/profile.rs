//! Meters, which decide whether a packet is within its flow's service profile. For RIO a profile is a rate. Specification: Clark and Fang,
//! "Explicit Allocation of Best-Effort Packet Delivery Service", IEEE/ACM ToN 6(4), 1998 [Cla98], for the idea; RFC 2697 with one bucket,
//! RFC 2859 with one rate.

use std::collections::BTreeMap;

use crate::choices;
use crate::packet::{FlowId, Packet, Service};
use crate::rng::Rng;
use crate::units::{Bytes, Duration, Instant};

choices! {
    /// How a flow is measured against its profile.
    pub enum Meter {
        /// A token bucket: a packet is within the profile if there are tokens for all its bytes (RFC 2697 with one bucket).
        TokenBucket = "token_bucket",
        /// A time sliding window: above the rate, the share of Out packets is the share of the rate in excess (RFC 2859 with one rate).
        SlidingWindow = "sliding_window",
    }
}

/// Profiles of the flows and the measurements of each.
#[derive(Clone, Debug)]
pub struct Profiles {
    meter: Meter,
    /// Bytes per second of each flow by its number; the last one is that of all further flows.
    rates: Vec<f64>,
    burst: f64,
    window: f64,
    measured: BTreeMap<FlowId, Measured>,
}

#[derive(Clone, Copy, Debug)]
struct Measured {
    at: Instant,
    /// Token bucket: tokens in bytes. Sliding window: bytes per second.
    value: f64,
}

/// `tokens = min(burst, tokens + rate span)`: the tokens after a time.
fn refilled(tokens: f64, rate: f64, span: f64, burst: f64) -> f64 {
    (tokens + rate * span).min(burst)
}

/// `avg = (avg window + size) / (span + window)`: the rate after a packet (RFC 2859 section 2.1, [Cla98] fig. 3).
fn sliding(rate: f64, size: f64, span: f64, window: f64) -> f64 {
    (rate * window + size) / (span + window)
}

impl Profiles {
    /// `megabits` per second by flow, the last for all further flows; none if empty. `window` is above zero.
    pub fn new(meter: Meter, megabits: &[f64], burst: Bytes, window: Duration) -> Self {
        let rates = megabits.iter().map(|megabits| megabits * 125_000.0).collect();
        let (burst, window) = (burst.0 as f64, window.as_secs_f64());
        Profiles { meter, rates, burst, window, measured: BTreeMap::new() }
    }

    /// Returns whether an arriving packet is within the profile of its flow: as the flow declares, or else as it is measured. A flow
    /// without a profile has no such packet.
    pub fn admits(&mut self, now: Instant, packet: &Packet, rng: &mut Rng) -> bool {
        if let Some(service) = packet.service {
            return service == Service::In;
        }
        let Some(&rate) = self.rates.get(packet.flow.0 as usize).or(self.rates.last()) else { return false };
        let size = f64::from(packet.size);
        match self.meter {
            Meter::TokenBucket => {
                let full = Measured { at: now, value: self.burst };
                let bucket = self.measured.entry(packet.flow).or_insert(full);
                bucket.value = refilled(bucket.value, rate, now.since(bucket.at).as_secs_f64(), self.burst);
                bucket.at = now;
                let within = bucket.value >= size;
                if within {
                    bucket.value -= size;
                }
                within
            }
            Meter::SlidingWindow => {
                // RFC 2859 section 2.1: the estimate starts at the profile's rate.
                let estimate = self.measured.entry(packet.flow).or_insert(Measured { at: now, value: rate });
                estimate.value = sliding(estimate.value, size, now.since(estimate.at).as_secs_f64(), self.window);
                estimate.at = now;
                // RFC 2859 section 2.2: out with the probability (avg - rate) / avg.
                rng.uniform() * estimate.value >= estimate.value - rate
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::at;

    fn of(flow: u32, size: u32) -> Packet {
        Packet::datagram(FlowId(flow), 0, size)
    }

    fn profiles(meter: Meter, megabits: &[f64]) -> Profiles {
        Profiles::new(meter, megabits, Bytes(3000), Duration::from_millis(1000))
    }

    #[test]
    fn a_bucket_admits_its_burst_and_then_its_rate() {
        // 8 Mbit/s are 1000 bytes in a millisecond.
        let mut profiles = profiles(Meter::TokenBucket, &[8.0]);
        let mut rng = Rng::named(1, "test");
        let mut within = |millis: f64, size: u32| profiles.admits(at(millis / 1000.0), &of(0, size), &mut rng);

        assert!(within(0.0, 1000) && within(0.0, 1000) && within(0.0, 1000));
        assert!(!within(0.5, 1000), "500 bytes of tokens");
        assert!(within(0.5, 500), "which what was out has not used up");
        assert!(!within(1.4, 1000) && within(1.5, 1000));
        // No more than the burst gathers.
        assert!(within(100.0, 3000) && !within(100.0, 1));
    }

    #[test]
    fn the_last_profile_is_that_of_all_further_flows_and_no_profile_admits_nothing() {
        let mut rng = Rng::named(1, "test");
        let mut some = profiles(Meter::TokenBucket, &[0.0, 8.0]);
        some.burst = 1000.0;
        for flow in 0..4 {
            assert!(some.admits(at(0.0), &of(flow, 1000), &mut rng), "the bucket starts full");
            assert_eq!(some.admits(at(0.001), &of(flow, 1000), &mut rng), flow > 0, "{flow}");
        }

        assert!(!profiles(Meter::TokenBucket, &[]).admits(at(0.0), &of(0, 40), &mut rng));
        assert!(!profiles(Meter::SlidingWindow, &[]).admits(at(0.0), &of(0, 40), &mut rng));
    }

    #[test]
    fn the_window_forgets_at_its_length() {
        // 1000 bytes each 0.1 s are 10 000 bytes/s, the fixed point: (10000 * 1 + 1000) / 1.1.
        assert!((sliding(10_000.0, 1000.0, 0.1, 1.0) - 10_000.0).abs() < 1e-9);
        assert!((sliding(0.0, 1000.0, 1.0, 1.0) - 500.0).abs() < 1e-9);
    }

    #[test]
    fn of_twice_the_profile_about_half_is_within_the_window() {
        // 16 Mbit/s against 8: the excess is half of the estimate. 20 000 packets after the first second; four standard deviations of
        // independent draws are 283, and the estimate wanders by less than a packet in a window of 2000.
        let mut profiles = profiles(Meter::SlidingWindow, &[8.0]);
        let mut rng = Rng::named(1, "test");
        let within = (0..24_000)
            .filter(|n| profiles.admits(at(f64::from(*n) * 0.0005), &of(0, 1000), &mut rng) && *n >= 4000)
            .count();

        // After 2 s the estimate is within 2 e^-2 of 16 Mbit/s ... that part adds at most 0.14 * 2000 packets.
        assert!((within as f64 - 10_000.0).abs() < 283.0 + 280.0, "{within}");
    }

    #[test]
    fn below_the_profile_everything_is_within() {
        let mut profiles = profiles(Meter::SlidingWindow, &[8.0]);
        let mut rng = Rng::named(1, "test");

        assert!((0..1000).all(|n| profiles.admits(at(f64::from(n) * 0.002), &of(0, 1000), &mut rng) || n < 10));
    }
}
