//! What recovery by time remembers of a connection, and what an acknowledgement tells it.

use super::super::prr::Prr;
use super::delivery::Delivery;
use super::detect::Detector;
use super::flight::Flight;
use super::undo::Undo;
use crate::transport::congestion::{Acked, Phase};
use crate::transport::tcp::ranges::RangeSet;
use crate::units::{Duration, Instant};

/// RFC 8985 section 7.1: a probe that has not been answered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Probe {
    /// TLP.end_seq.
    pub end: u64,
    /// TLP.is_retrans.
    pub again: bool,
}

/// What this recovery remembers of a connection.
#[derive(Clone, Debug, Default)]
pub(in crate::transport::tcp) struct Rack {
    /// Received out of order.
    pub(super) sacked: RangeSet,
    pub(super) flight: Flight,
    pub(super) detector: Detector,
    pub(super) phase: Phase,
    /// Behind what had been sent at the last cut or timeout.
    pub(super) high: u64,
    pub(super) prr: Prr,
    /// Segments that may be in the network while the rate is being reduced.
    pub(super) window: u64,
    /// Segments that were in the network when the timer expired, by which the window is larger until they are accounted for.
    pub(super) kept: u64,
    /// The window, and not a lack of data, ended the last transmission.
    pub(super) full: bool,
    pub(super) probe: Option<Probe>,
    /// Round trips have been measured since the last probe.
    pub(super) measured: bool,
    pub(super) undo: Undo,
    /// Behind the last byte that the receiver's window allows, if it says.
    pub(super) edge: Option<u64>,
    /// All that has been found to be lost.
    pub(super) lost: u64,
    pub(super) doubt: Doubt,
    pub(super) timer: Option<Timer>,
    /// When the last packet left.
    pub(super) sent_at: Instant,
    /// The same; where the rate is paced, when the next may leave, and whether one waits for it.
    pub(super) release: Instant,
    pub(super) waits: bool,
    /// For laws that live on samples of the delivery rate.
    pub(super) delivery: Option<Box<Delivery>>,
}

/// What an acknowledgement has told.
pub(super) struct News {
    /// Present if it acknowledges new data.
    pub acked: Option<Acked>,
    /// Segments reported as received for the first time.
    pub delivered: u64,
    /// Something had arrived that was sent once, before the last cut or timeout.
    pub original: bool,
    /// The end of what has been received twice.
    pub twice: Option<u64>,
    /// When the last one left of those that it reports out of order.
    pub sacked_at: Option<Instant>,
    /// The first byte, and when it left, of the first segment that it reports out of order and that was sent once.
    pub first_sacked: Option<(u64, Instant)>,
    /// In the network before.
    pub in_network: u64,
    /// How long the last segment took that it reports for the first time, of those that were sent once (Linux `ca_rtt_us`).
    pub trip: Option<Duration>,
    /// Segments acknowledged in order for the first time.
    pub in_order: u64,
    /// It acknowledges one segment in order, which was not full.
    pub runt: bool,
}

impl News {
    /// Of an acknowledgement that has told nothing yet.
    pub fn new(acked: Option<Acked>, in_network: u64) -> Self {
        News {
            acked,
            delivered: 0,
            original: false,
            twice: None,
            sacked_at: None,
            first_sacked: None,
            in_network,
            trip: None,
            in_order: 0,
            runt: false,
        }
    }
}

impl Rack {
    pub fn is_reducing(&self) -> bool {
        matches!(self.phase, Phase::Reducing | Phase::Recovery)
    }

    /// The receiver allows so many bytes from this one on.
    pub fn allow(&mut self, next: u64, offered: Option<u32>) {
        let edge = offered.map(|bytes| next + u64::from(bytes));
        self.edge = self.edge.max(edge);
    }

    /// Whether the receiver's window ends before this byte.
    pub fn forbids(&self, end: u64) -> bool {
        self.edge.is_some_and(|edge| end > edge)
    }

    /// Whole segments that the receiver's window allows from this byte on.
    pub fn allowed(&self, next: u64, mss: u64) -> u64 {
        self.edge.map_or(u64::MAX, |edge| edge.saturating_sub(next) / mss)
    }

    pub fn is_recovering(&self) -> bool {
        matches!(self.phase, Phase::Recovery | Phase::Loss)
    }

    /// When something is to be done next.
    pub fn deadline(&self) -> Option<Instant> {
        let timer = self.timer.map(Timer::at);
        let release = self.waits.then_some(self.release);
        match (timer, release) {
            (Some(timer), Some(release)) => Some(timer.min(release)),
            (timer, release) => timer.or(release),
        }
    }

    /// Whether it waits for a segment to count as lost.
    pub fn awaits_loss(&self) -> bool {
        matches!(self.timer, Some(Timer::Loss(_)))
    }
}

/// What the timer waits for, and until when.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Timer {
    /// For a segment to count as lost.
    Loss(Instant),
    /// To probe the end of the flight.
    Probe(Instant),
    Timeout(Instant),
}

impl Timer {
    pub fn at(self) -> Instant {
        match self {
            Timer::Loss(at) | Timer::Probe(at) | Timer::Timeout(at) => at,
        }
    }
}

/// Whether the last timeout may have been made for nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Doubt {
    /// It has turned out, or there was none.
    #[default]
    Settled,
    Open,
    /// New data is to tell, and goes next.
    AsksNewData,
}
