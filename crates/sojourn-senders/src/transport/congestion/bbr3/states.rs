//! The states of the machine, and what is remembered over some time.

use crate::transport::congestion::highest::Highest;
use crate::units::Instant;

/// The states (draft section 5.1). Those of ProbeBW are its four phases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Startup,
    Drain,
    Down,
    Cruise,
    Refill,
    Up,
    ProbeRtt,
}

impl State {
    /// IsInAProbeBWState.
    pub fn is_probe_bw(self) -> bool {
        matches!(self, State::Down | State::Cruise | State::Refill | State::Up)
    }

    /// IsProbingBW.
    pub fn probes(self) -> bool {
        matches!(self, State::Startup | State::Refill | State::Up)
    }
}

/// The meaning of acknowledgements for the probe (draft section 2.14).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AckPhase {
    Init,
    Refilling,
    ProbeStarting,
    ProbeFeedback,
    ProbeStopping,
}

/// The amount by which acknowledgements ran ahead of the bandwidth (draft section 5.5.9).
#[derive(Clone, Debug, Default)]
pub(super) struct Aggregation {
    pub interval_start: Instant,
    pub delivered: f64,
    /// The largest of the last rounds.
    pub extra: Highest,
}

/// The state before a loss (draft section 2.15).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Undo {
    pub state: Option<State>,
    pub bw_shortterm: f64,
    pub inflight_shortterm: f64,
    pub inflight_longterm: f64,
    /// The time at which it was saved.
    pub saved: Option<Instant>,
}
