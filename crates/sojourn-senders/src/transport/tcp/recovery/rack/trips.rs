//! The round trips that an acknowledgement tells. Compared with: Linux's `tcp_ack_update_rtt` (behaviour).

use super::detect::micros_since;
use super::state::News;
use crate::transport::tcp::settings::Arrivals;
use crate::transport::tcp::stream::{Ack, Stream};
use crate::units::{Duration, Instant};

impl Stream {
    /// Takes the round-trip sample that Linux takes. It is that of the first acknowledged segment which was sent once, or else of the first
    /// reported one. Without such a segment, an acknowledgement of new data is timed by its timestamp, in whole milliseconds.
    pub(super) fn time_segment(&mut self, now: Instant, ack: &Ack<'_>, sent_at: Option<Instant>, is_new: bool) {
        let parts = |at: Instant, part: u64| at.as_nanos() / part;
        let micros = match sent_at {
            Some(sent_at) => parts(now, 1000).saturating_sub(parts(sent_at, 1000)),
            None if is_new && self.config.params.timestamps && parts(now, 1_000_000) >= parts(ack.echo, 1_000_000) => {
                1000 * (parts(now, 1_000_000) - parts(ack.echo, 1_000_000)).max(1)
            }
            None => return,
        };
        self.rtt.sample_micros(&self.config.rtt, micros, self.una, self.nxt);
        self.rtt.end_back_off();
    }

    /// The latest time that the echoed timestamp may stand for. Linux's timestamps are whole milliseconds.
    pub(super) fn latest_echo(&self, ack: &Ack<'_>) -> Instant {
        match self.config.params.arrivals {
            Arrivals::Rfc => ack.echo,
            Arrivals::Linux => Instant::from_nanos(ack.echo.as_nanos() / 1_000_000 * 1_000_000 + 999_999),
        }
    }

    /// The round trip of the newest reported segment, by Linux's clock of whole microseconds. Linux times a segment that was sent again by
    /// its timestamp, in whole milliseconds.
    pub(super) fn trip(&self, now: Instant, ack: &Ack<'_>, news: &News) -> Option<Duration> {
        let millis = |at: Instant| at.as_nanos() / 1_000_000;
        // Linux takes none from a timestamp that is later than now.
        let of_echo = || {
            (millis(now) >= millis(ack.echo)).then(|| Duration::from_millis((millis(now) - millis(ack.echo)).max(1)))
        };
        let linux = self.config.params.arrivals == Arrivals::Linux;
        let then = |trip: Duration| Instant::from_nanos(now.as_nanos().saturating_sub(trip.as_nanos()));
        let by_clock = |trip: Duration| if linux { micros_since(now, then(trip)) } else { trip };
        news.trip
            .map(by_clock)
            .or_else(|| (news.acked.is_some() && self.config.params.timestamps).then(of_echo).flatten())
    }

    pub(super) fn law_window(&self) -> u64 {
        libm::floor(self.control.window()).max(1.0) as u64
    }
}
