//! How long a queue makes packets wait now: from the packets that leave, from the rate at which they leave, or from the link's rate
//! (RFC 8033 sections 4.3 and 5.2).

use crate::choices;
use crate::packet::Packet;
use crate::units::{Instant, Rate};

choices! {
    /// The source of the queuing delay.
    pub enum DelayFrom {
        /// The wait of the last packet that left; nothing while none waits.
        Timestamps = "timestamps",
        /// The backlog over an estimate of the rate at which packets leave.
        DepartureRate = "departure_rate",
        /// The backlog over the rate of the link.
        LinkRate = "link_rate",
    }
}

/// Estimates the rate of departures from how long `threshold` bytes take (RFC 8033 section 5.2).
#[derive(Clone, Copy, Debug)]
struct Departures {
    threshold: u64,
    /// The beginning of a measurement, and the bytes that have left since.
    measured: Option<(Instant, u64)>,
    /// Average time of `threshold` bytes, in seconds.
    average: Option<f64>,
}

impl Departures {
    fn left(&mut self, now: Instant, size: u32, behind: u64) {
        if let Some((since, bytes)) = &mut self.measured {
            *bytes += u64::from(size);
            if *bytes >= self.threshold {
                let time = now.since(*since).as_secs_f64();
                self.average = Some(averaged(self.average, time, self.threshold));
                self.measured = None;
            }
        }
        if self.measured.is_none() && behind >= self.threshold {
            self.measured = Some((now, 0));
        }
    }
}

/// `avg_dq_time = weight time + (1 - weight) avg_dq_time`, `weight = DQ_THRESHOLD / 2^16` (RFC 8033 section 5.2), at most 1.
fn averaged(average: Option<f64>, time: f64, threshold: u64) -> f64 {
    let weight = (threshold as f64 / 65_536.0).min(1.0);
    average.map_or(time, |average| weight * time + (1.0 - weight) * average)
}

/// Measures the queuing delay.
#[derive(Clone, Copy, Debug)]
pub struct QueuingDelay {
    from: DelayFrom,
    bytes_per_sec: f64,
    departures: Departures,
    /// The wait of the last packet that left, in seconds.
    waited: f64,
}

impl QueuingDelay {
    /// In front of a link of this rate; `threshold` bytes are a measurement of the departures.
    pub fn new(from: DelayFrom, rate: Rate, threshold: u64) -> Self {
        let departures = Departures { threshold: threshold.max(1), measured: None, average: None };
        QueuingDelay { from, bytes_per_sec: rate.as_bps() as f64 / 8.0, departures, waited: 0.0 }
    }

    /// A packet leaves, and `behind` bytes wait behind it.
    pub fn left(&mut self, now: Instant, packet: &Packet, behind: u64) {
        self.waited = now.since(packet.enqueued_at).as_secs_f64();
        self.departures.left(now, packet.size, behind);
    }

    /// The delay in seconds while `waiting` bytes wait.
    pub fn seconds(&self, waiting: u64) -> f64 {
        match self.from {
            DelayFrom::Timestamps if waiting == 0 => 0.0,
            DelayFrom::Timestamps => self.waited,
            DelayFrom::DepartureRate => {
                // RFC 8033 section 5.2: byte_length avg_dq_time / DQ_THRESHOLD.
                waiting as f64 * self.departures.average.unwrap_or(0.0) / self.departures.threshold as f64
            }
            DelayFrom::LinkRate => waiting as f64 / self.bytes_per_sec,
        }
    }

    /// Whether it needs to hear of departures.
    pub fn needs_departures(&self) -> bool {
        self.from != DelayFrom::LinkRate
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::FlowId;
    use crate::rig::{at, near};

    fn delay(from: DelayFrom) -> QueuingDelay {
        QueuingDelay::new(from, Rate::from_bps(8_000_000), 16_384)
    }

    fn packet(enqueued_at: f64) -> Packet {
        Packet { enqueued_at: at(enqueued_at), ..Packet::datagram(FlowId(0), 0, 1024) }
    }

    #[test]
    fn by_the_links_rate_a_byte_takes_a_microsecond() {
        assert!(near(delay(DelayFrom::LinkRate).seconds(15_000), 0.015));
    }

    #[test]
    fn by_timestamps_it_is_what_the_last_packet_waited_while_others_wait() {
        let mut delay = delay(DelayFrom::Timestamps);
        delay.left(at(1.5), &packet(1.25), 1000);

        assert!(near(delay.seconds(1), 0.25));
        assert!(near(delay.seconds(0), 0.0));
    }

    #[test]
    fn a_measurement_begins_in_a_queue_of_the_threshold_and_ends_after_as_many_bytes() {
        let mut delay = delay(DelayFrom::DepartureRate);
        delay.left(at(0.0), &packet(0.0), 16_383);
        assert!(near(delay.seconds(16_384), 0.0), "no measurement");
        delay.left(at(1.0), &packet(0.0), 16_384);
        // Sixteen packets of 1024 bytes, one every 10 ms.
        for sent in 1..=16 {
            assert!(near(delay.seconds(16_384), 0.0));
            delay.left(at(1.0 + 0.01 * f64::from(sent)), &packet(0.0), 8_000);
        }
        assert!(near(delay.seconds(16_384), 0.16));
        assert!(near(delay.seconds(8_192), 0.08));
    }

    #[test]
    fn a_second_measurement_counts_a_quarter() {
        assert!(near(averaged(None, 0.16, 16_384), 0.16));
        assert!(near(averaged(Some(0.16), 0.32, 16_384), 0.2));
        assert!(near(averaged(Some(0.16), 0.32, 1 << 20), 0.32));
    }
}
