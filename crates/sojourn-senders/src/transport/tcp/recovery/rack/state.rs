//! The state of recovery by time, and the content of an acknowledgement for it.

use std::ops::Range;

use super::super::prr::Prr;
use super::delivery::Delivery;
use super::detect::Detector;
use super::flight::{Blocks, Flight};
use super::undo::Undo;
use super::usage::Usage;
use crate::transport::congestion::{Acked, Phase};
use crate::transport::tcp::ranges::RangeSet;
use crate::transport::tcp::scale;
use crate::transport::tcp::stream::{Ack, Stream};
use crate::units::{Duration, Instant};

/// RFC 8985 section 7.1: a probe that has not been answered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Probe {
    /// TLP.end_seq.
    pub end: u64,
    /// TLP.is_retrans.
    pub again: bool,
}

/// The state of this recovery for a connection.
#[derive(Clone, Debug, Default)]
pub(in crate::transport::tcp) struct Rack {
    /// The data that has been received out of order.
    pub(super) sacked: RangeSet,
    pub(super) flight: Flight,
    /// The blocks of the last acknowledgement that had any.
    pub(super) told: Blocks,
    pub(super) detector: Detector,
    pub(super) phase: Phase,
    /// The byte behind the data that had been sent at the last cut or timeout.
    pub(super) high: u64,
    pub(super) prr: Prr,
    /// The segments that may be in the network while the rate is reduced.
    pub(super) window: u64,
    /// The segments that were in the network when the timer expired. The window is larger by these until they are acknowledged or lost.
    pub(super) kept: u64,
    pub(super) usage: Usage,
    pub(super) probe: Option<Probe>,
    /// True if a round trip has been measured since the last probe.
    pub(super) measured: bool,
    pub(super) undo: Undo,
    /// The byte behind the last one that the receiver's window allows, if the receiver advertises one.
    pub(super) edge: Option<u64>,
    /// The last window that it advertised, in the units of the header.
    pub(super) offered: u16,
    /// The byte behind the last packet that did not consist of full segments (Linux `snd_sml`).
    pub(super) small: u64,
    /// All segments that have been found to be lost.
    pub(super) lost: u64,
    /// The segments that were reported as received twice.
    pub(super) twice: u64,
    pub(super) doubt: Doubt,
    /// True if nothing is sent again after this acknowledgement.
    pub(super) holds: bool,
    pub(super) timer: Option<Timer>,
    /// The time at which the last packet was sent.
    pub(super) sent_at: Instant,
    /// The same time, or with a pacer the time at which the next packet may be sent; and whether a packet waits for it.
    pub(super) release: Instant,
    pub(super) waits: bool,
    /// Present for laws that use samples of the delivery rate.
    pub(super) delivery: Option<Box<Delivery>>,
}

/// The content of an acknowledgement.
pub(super) struct News {
    /// The first byte that was not acknowledged before it.
    pub from: u64,
    /// Present if it acknowledges new data.
    pub acked: Option<Acked>,
    /// The segments that it reports as received for the first time.
    pub delivered: u64,
    /// True if it reports a segment that was sent once, before the last cut or timeout.
    pub original: bool,
    /// The end of the data that has been received twice.
    pub twice: Option<u64>,
    /// The time at which the last segment was sent among those that it reports out of order.
    pub sacked_at: Option<Instant>,
    /// The first byte and the sending time of one segment: the first that it reports out of order and that was sent once.
    pub first_sacked: Option<(u64, Instant)>,
    /// The segments in the network before it.
    pub in_network: u64,
    /// The round trip of the last segment that it reports for the first time, among those that were sent once (Linux `ca_rtt_us`).
    pub trip: Option<Duration>,
    /// The segments that it acknowledges in order for the first time.
    pub in_order: u64,
    /// True if it acknowledges a single segment in order, which was not full.
    pub runt: bool,
}

/// Segments that an acknowledgement reports as received twice.
#[derive(Clone, Debug, Default)]
pub(super) struct Again {
    /// The number of those that have been sent again since the cut. It is absent if they had been acknowledged before: the state of each is
    /// forgotten then.
    pub counted: Option<u64>,
    /// The first byte of those that have been sent again and were reported as received before.
    pub low: Option<u64>,
    /// Their numbers.
    pub numbers: Range<u64>,
}

impl News {
    /// The content before any segment has been looked at.
    pub fn new(acked: Option<Acked>, in_network: u64) -> Self {
        News {
            from: 0,
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

    /// The receiver allows the bytes of its window, from the next one that it expects. Returns whether Linux foresaw this acknowledgement
    /// (its fast path): it acknowledges new data, says nothing else, and offers the same window as before.
    pub fn allow(&mut self, stream: &Stream, ack: &Ack<'_>) -> bool {
        let is_new = ack.next > stream.una;
        let plain = is_new && ack.offered == self.offered && ack.sack.as_slice().is_empty() && !ack.ece;
        if is_new || ack.offered > self.offered {
            self.offered = ack.offered;
        }
        if ack.offered > 0 {
            let window = scale::bytes(ack.offered, stream.config.mss.into(), stream.config.receive_buffer);
            self.edge = self.edge.max(Some(ack.next + window));
        }
        plain
    }

    /// Whether the receiver's window ends before this byte.
    pub fn forbids(&self, end: u64) -> bool {
        self.edge.is_some_and(|edge| end > edge)
    }

    pub fn is_recovering(&self) -> bool {
        matches!(self.phase, Phase::Recovery | Phase::Loss)
    }

    /// The time of the next action.
    pub fn deadline(&self) -> Option<Instant> {
        let timer = self.timer.map(Timer::at);
        let release = self.waits.then_some(self.release);
        match (timer, release) {
            (Some(timer), Some(release)) => Some(timer.min(release)),
            (timer, release) => timer.or(release),
        }
    }

    /// The time before which the pacer lets nothing go.
    #[cfg(test)]
    pub fn release(&self) -> Duration {
        self.release.since(Instant::ZERO)
    }

    /// True if the timer waits until a segment counts as lost.
    pub fn awaits_loss(&self) -> bool {
        matches!(self.timer, Some(Timer::Loss(_)))
    }
}

/// The purpose of the timer, and its time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Timer {
    /// A segment counts as lost then.
    Loss(Instant),
    /// The end of the flight is probed then.
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

/// A doubt whether the last timeout was necessary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Doubt {
    /// It is decided, or there was none.
    #[default]
    Settled,
    Open,
    /// The acknowledgement of new data will decide it. New data is sent next.
    AsksNewData,
}
