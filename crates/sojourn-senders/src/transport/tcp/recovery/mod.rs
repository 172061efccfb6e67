//! Detection and repair of losses. Each kind of recovery is a type that owns its state of a connection. The sender calls it by one set of
//! hooks, and it acts on the sender's [`Stream`].

mod cumulative;
mod hooks;
mod ns2;
mod prr;
mod rack;
mod sack;
pub(super) mod scoreboard;

use super::Config;
use super::strategy::Strategy;
use super::stream::{Ack, Stream};
use crate::transport::FlowContext;
use crate::units::{Duration, Instant};
use cumulative::Cumulative;
pub(super) use hooks::Recover;
use ns2::Pipe;
use rack::Rack;
pub(super) use rack::timer_wheel::Slot;
use sack::Selective;

/// The recovery of one connection. The parameters decide its kind ([`Strategy`]).
pub(super) enum LossRecovery {
    Cumulative(Cumulative),
    Selective(Selective),
    Rack(Box<Rack>),
    Ns2Pipe(Pipe),
}

impl LossRecovery {
    /// A recovery for a new connection.
    pub fn new(config: &Config) -> Self {
        match config.strategy {
            Strategy::Cumulative => LossRecovery::Cumulative(Cumulative::default()),
            Strategy::Selective => LossRecovery::Selective(Selective::default()),
            Strategy::Rack => LossRecovery::Rack(Box::default()),
            Strategy::Ns2Pipe => LossRecovery::Ns2Pipe(Pipe::default()),
        }
    }
}

/// Calls a hook of the variant.
macro_rules! each {
    ($recovery:expr, $it:ident => $call:expr) => {
        match $recovery {
            LossRecovery::Cumulative($it) => $call,
            LossRecovery::Selective($it) => $call,
            LossRecovery::Rack($it) => $call,
            LossRecovery::Ns2Pipe($it) => $call,
        }
    };
}

impl Recover for LossRecovery {
    #[inline(always)]
    fn on_ack(&mut self, stream: &mut Stream, now: Instant, ack: Ack<'_>, cx: &mut FlowContext) {
        each!(self, it => it.on_ack(stream, now, ack, cx));
    }

    fn on_timer(&mut self, stream: &mut Stream, now: Instant, cx: &mut FlowContext) {
        each!(self, it => it.on_timer(stream, now, cx));
    }

    fn send(&mut self, stream: &mut Stream, now: Instant, cx: &mut FlowContext) {
        each!(self, it => it.send(stream, now, cx));
    }

    fn on_handshake(&mut self, stream: &Stream, trip: Duration) {
        each!(self, it => it.on_handshake(stream, trip));
    }

    fn on_acknowledged(&mut self, stream: &Stream, now: Instant) {
        each!(self, it => it.on_acknowledged(stream, now));
    }

    #[inline]
    fn hears_when_idle(&self) -> bool {
        each!(self, it => it.hears_when_idle())
    }

    fn sacked(&self) -> u64 {
        each!(self, it => it.sacked())
    }

    fn inflation(&self) -> f64 {
        each!(self, it => it.inflation())
    }

    fn reduced(&self) -> Option<u64> {
        each!(self, it => it.reduced())
    }

    fn sent_at(&self) -> Option<Instant> {
        each!(self, it => it.sent_at())
    }

    fn prefetch(&self) {
        each!(self, it => it.prefetch());
    }
}
