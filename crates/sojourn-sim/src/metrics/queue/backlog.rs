//! The backlog of a queue over time: sums, samples, and the time for which each backlog lasted.

use crate::metrics::fairness::standard_deviation;
use crate::pool::make_room;
use crate::queue::{Backlog, Limit};
use crate::units::Instant;

/// Time-weighted sums of the backlog, in nanoseconds times packets or bytes: whole numbers, so that
/// no order of addition matters.
#[derive(Clone, Debug, Default)]
pub(super) struct BacklogIntegral {
    pub since: Instant,
    pub backlog: Backlog,
    pub time: u64,
    pub empty: u64,
    pub full: u64,
    pub packets: u128,
    pub squares: u128,
    pub bytes: u128,
    pub max: u64,
}

impl BacklogIntegral {
    /// The backlog is this from `now` on. Returns the packets of the backlog before, and the nanoseconds for which it lasted, if any.
    #[inline(always)]
    pub fn becomes(&mut self, now: Instant, backlog: Backlog, limit: Limit, mean_packet: u64) -> Option<(u64, u64)> {
        let Backlog { packets, bytes } = std::mem::replace(&mut self.backlog, backlog);
        if now <= self.since {
            return None;
        }
        let elapsed = (now - self.since).as_nanos();
        // The backlog at the beginning of counting counts, too.
        self.max = self.max.max(packets);
        self.time += elapsed;
        if packets == 0 {
            self.empty += elapsed;
        } else {
            self.packets += u128::from(elapsed) * u128::from(packets);
            self.squares += u128::from(elapsed) * u128::from(packets * packets);
            self.bytes += u128::from(elapsed) * u128::from(bytes);
            if packets >= limit.packets || bytes.saturating_add(mean_packet) > limit.bytes {
                self.full += elapsed;
            }
        }
        self.since = now;
        Some((packets, elapsed))
    }

    /// Time-weighted mean in packets.
    pub fn mean_packets(&self) -> f64 {
        self.packets as f64 / self.time as f64
    }

    /// Time-weighted standard deviation in packets.
    pub fn sd_packets(&self) -> f64 {
        standard_deviation(self.time as f64, self.packets as f64, self.squares as f64)
    }

    /// Time-weighted mean in bytes.
    pub fn mean_bytes(&self) -> f64 {
        self.bytes as f64 / self.time as f64
    }
}

/// Moments of the sampled backlog.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Samples {
    pub count: f64,
    sum: f64,
    squares: f64,
}

impl Samples {
    /// Takes a sample in packets.
    pub fn take(&mut self, packets: f64) {
        self.count += 1.0;
        self.sum += packets;
        self.squares += packets * packets;
    }

    /// Mean and standard deviation. Both are NaN without samples.
    pub fn mean_and_sd(self) -> (f64, f64) {
        (self.sum / self.count, standard_deviation(self.count, self.sum, self.squares))
    }
}

/// The time for which each backlog lasted and the number of its samples, by its number of packets.
#[derive(Clone, Debug, Default)]
pub(super) struct Occupancy(pub Vec<Occupied>);

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Occupied {
    /// In nanoseconds.
    pub time: u64,
    pub samples: u64,
}

impl Occupancy {
    /// The cell of this number of packets.
    pub fn at(&mut self, packets: u64) -> &mut Occupied {
        let place = packets as usize;
        if self.0.len() <= place {
            let more = place + 1 - self.0.len();
            make_room(&mut self.0, more, "record.occupancy");
            self.0.resize(place + 1, Occupied::default());
        }
        &mut self.0[place]
    }
}
