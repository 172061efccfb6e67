//! How much of the flows that do not respond may pass, all of them together.

use crate::queue::prelude::*;

choices! {
    /// How flows that do not respond are limited.
    pub enum Kind {
        /// One packet in each hold time.
        Hold = "hold",
        /// A token bucket.
        Bucket = "bucket",
        /// None of their packets passes.
        Block = "block",
    }
}

/// A limiter at work.
#[derive(Clone, Debug)]
pub struct Limiter {
    kind: Kind,
    hold_time: Duration,
    /// Packets per second, and at once.
    rate: f64,
    burst: f64,
    tokens: f64,
    since: Option<Instant>,
}

impl Limiter {
    /// A limiter whose bucket is full.
    pub fn new(kind: Kind, hold_time: Duration, rate: f64, burst: u64) -> Self {
        Limiter { kind, hold_time, rate, burst: burst as f64, tokens: burst as f64, since: None }
    }

    /// Whether a packet of such a flow may pass now.
    pub fn admits(&mut self, now: Instant) -> bool {
        let since = self.since.unwrap_or(Instant::ZERO);
        let age = now.since(since).as_secs_f64();
        match self.kind {
            Kind::Block => return false,
            Kind::Hold => {
                if self.since.is_some_and(|last| now.since(last) < self.hold_time) {
                    return false;
                }
                self.since = Some(now);
                return true;
            }
            Kind::Bucket => {
                self.tokens = (self.tokens + age * self.rate).min(self.burst);
                self.since = Some(now);
            }
        }
        let admits = self.tokens >= 1.0;
        if admits {
            self.tokens -= 1.0;
        }
        admits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many of packets that come every `gap` milliseconds in a minute pass.
    fn passed(kind: Kind, gap: u64) -> usize {
        let mut limiter = Limiter::new(kind, Duration::from_millis(162), 10.0, 20);
        let times = (0..60_000 / gap).map(|n| Instant::ZERO + Duration::from_millis(n * gap));
        times.filter(|now| limiter.admits(*now)).count()
    }

    #[test]
    fn one_packet_passes_in_each_hold_time() {
        // Every 162 ms of a minute; at 7 ms every 24th, each 168 ms.
        assert_eq!(passed(Kind::Hold, 1), 371);
        assert_eq!(passed(Kind::Hold, 7), 358);
        assert_eq!(passed(Kind::Hold, 1000), 60);
    }

    #[test]
    fn a_bucket_passes_its_burst_and_its_rate() {
        // 20 at once, and 10 in each of 60 seconds.
        assert!(passed(Kind::Bucket, 1).abs_diff(620) <= 1);
        assert_eq!(passed(Kind::Bucket, 1000), 60);
    }

    #[test]
    fn nothing_passes_a_block() {
        assert_eq!(passed(Kind::Block, 1000), 0);
    }
}
