//! An arrival, and the decision about it.

use std::num::NonZeroU32;

use crate::header::Dscp;
use crate::packet::{Ecn, FlowId};
use crate::queue::Reason;
use crate::units::{Duration, Instant};

/// One recorded arrival.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrival {
    /// The time at which it reaches the queue, at most [`TIME_MAX`].
    pub time: Instant,
    /// Bytes that the link sends for it, 1 to [`SIZE_MAX`].
    pub size: u32,
    /// Its flow.
    pub flow: FlowId,
    /// Its ECN field on arrival.
    pub ecn: Ecn,
    /// Its codepoint on arrival.
    pub dscp: Dscp,
    /// The place of its acknowledgement, from 1, among those of
    /// [`Replay::with_acknowledgements`](super::Replay::with_acknowledgements), if it is a segment of TCP that has one.
    pub acknowledgement: Option<NonZeroU32>,
    /// In [0, 1): the first number that the discipline draws when this packet is enqueued. Further
    /// draws, and draws at departures and deadlines, come from the replay's own stream.
    pub uniform: Option<f64>,
}

/// The latest arrival: 10^7 seconds, 116 days. Bound: disciplines with periodic work do it for the whole time, and a time since 1970 in
/// place of a time since the start would keep them busy for hours.
pub const TIME_MAX: Instant = Instant::from_nanos(10_000_000 * 1_000_000_000);

/// The largest packet: 16 MiB, more than any link carries.
pub const SIZE_MAX: u32 = 1 << 24;

/// The reason why an arrival is refused. The replay is unchanged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ArrivalError {
    /// Its time is before that of the previous arrival.
    BackInTime {
        /// The time of the previous arrival.
        previous: Instant,
        /// Its own time.
        time: Instant,
    },
    /// Its time is after [`TIME_MAX`].
    TooLate(Instant),
    /// It has no bytes, or more than [`SIZE_MAX`].
    Size(u64),
    /// Its uniform number is not in [0, 1).
    Uniform(f64),
}

impl std::fmt::Display for ArrivalError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ArrivalError::BackInTime { previous, time } => write!(
                f,
                "the arrival at {} s goes back in time, the one before it is at {} s; sort the arrivals by time",
                time.as_secs_f64(),
                previous.as_secs_f64()
            ),
            ArrivalError::TooLate(time) => write!(
                f,
                "the arrival at {} s is later than {} s; let the times count from the start of the recording",
                time.as_secs_f64(),
                TIME_MAX.as_secs_f64()
            ),
            ArrivalError::Size(size) => write!(f, "a packet of {size} bytes; allowed are 1 to {SIZE_MAX}"),
            ArrivalError::Uniform(value) => {
                write!(f, "the uniform number {value} is out of range; allowed are 0 up to, but not including, 1")
            }
        }
    }
}

impl std::error::Error for ArrivalError {}

impl Arrival {
    /// True if this arrival may follow one at `previous`.
    pub fn check(&self, previous: Instant) -> Result<(), ArrivalError> {
        if self.time < previous {
            return Err(ArrivalError::BackInTime { previous, time: self.time });
        }
        if self.time > TIME_MAX {
            return Err(ArrivalError::TooLate(self.time));
        }
        if self.size == 0 || self.size > SIZE_MAX {
            return Err(ArrivalError::Size(u64::from(self.size)));
        }
        match self.uniform {
            Some(value) if !(0.0..1.0).contains(&value) => Err(ArrivalError::Uniform(value)),
            _ => Ok(()),
        }
    }
}

/// The fate of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It was enqueued and left unchanged.
    Enqueued,
    /// It was marked and left.
    Marked {
        /// The reason.
        reason: Reason,
        /// The time of its arrival or of its departure.
        at: Instant,
    },
    /// It was dropped, whether or not it had been marked before.
    Dropped {
        /// The reason.
        reason: Reason,
        /// The time: at its arrival, while it waited, or at its departure.
        at: Instant,
    },
}

/// The transmission of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transmission {
    /// The time at which it left the queue and its first bit was sent.
    pub start: Instant,
    /// The time at which its last bit was sent. `None` if the link has recorded moments in place of a rate.
    pub end: Option<Instant>,
}

/// The decision about one packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decision {
    /// The packet as it arrived.
    pub arrival: Arrival,
    /// Its fate.
    pub fate: Fate,
    /// Its transmission. `None` if it was dropped (or still waits in a discipline that holds it for ever).
    pub sent: Option<Transmission>,
}

impl Decision {
    /// Time in the queue, from arrival to the start of transmission.
    pub fn sojourn(&self) -> Option<Duration> {
        self.sent.map(|sent| sent.start - self.arrival.time)
    }
}
