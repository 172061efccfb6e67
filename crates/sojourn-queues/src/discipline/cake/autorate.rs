//! An estimate of the link's rate from the packets that come over it (`autorate-ingress`). Linux 6.12 `sch_cake`.

use super::tin::averaged;

const SECOND: u64 = 1_000_000_000;
/// The shaper is set anew from this time on. Linux intends this as the least interval, but does not record the last time.
const FIRST: u64 = SECOND / 4;

/// Recent arrivals.
#[derive(Clone, Copy, Debug, Default)]
pub struct Autorate {
    last_packet: u64,
    packet_interval: u64,
    window_begin: u64,
    window_bytes: u64,
    /// Bytes per second: a moving average that follows a rise quickly and a fall slowly.
    peak: u64,
}

/// 2 where it grows, 8 where it falls: powers of two of the weight.
const fn shift(grows: bool) -> u32 {
    if grows { 2 } else { 8 }
}

impl Autorate {
    /// Begins with a rate in bytes per second.
    pub fn new(rate: u64) -> Self {
        Autorate { peak: rate, ..Autorate::default() }
    }

    /// The estimate in bytes per second.
    pub fn rate(&self) -> u64 {
        self.peak
    }

    /// A packet has arrived, which adds `bytes` bytes to the backlog. Returns the rate to shape at from now on, if it changes: 15/16 of the
    /// estimate.
    pub fn arrival(&mut self, now: u64, bytes: i64) -> Option<u64> {
        self.window_bytes = self.window_bytes.wrapping_add_signed(bytes);
        let since = (now - self.last_packet).min(SECOND);
        self.packet_interval = averaged(self.packet_interval, since, shift(since > self.packet_interval));
        self.last_packet = now;
        // A window ends with a gap, so that bursts are not taken for the rate.
        if since <= self.packet_interval || now == self.window_begin {
            return None;
        }
        let rate = self.window_bytes.wrapping_mul(SECOND) / (now - self.window_begin);
        self.peak = averaged(self.peak, rate, shift(rate > self.peak));
        (self.window_bytes, self.window_begin) = (0, now);
        (now > FIRST).then(|| (self.peak * 15) >> 4)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_packets_tell_the_rate_of_the_link() {
        // Two packets of 1000 bytes 0.1 ms apart each 2 ms: 1 MB/s.
        let mut autorate = Autorate::new(500_000);
        let mut set = None;
        for pair in 0..5000_u64 {
            for offset in [0, 100_000] {
                set = autorate.arrival(pair * 2_000_000 + offset, 1000).or(set);
            }
        }
        let near = |rate: u64, exact: f64| (rate as f64 / exact - 1.0).abs() < 0.02;
        assert!(near(autorate.rate(), 1e6), "{}", autorate.rate());
        assert!(near(set.expect("a rate"), 15e6 / 16.0), "{set:?}");
    }
}
