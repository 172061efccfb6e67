//! The senders of Sojourn, a laboratory for queue management: sources of traffic, transports and congestion controls.
//!
//! An [`Endpoint`](transport::Endpoint) is one end of a flow. TCP is an application ([`traffic`]), a stream, a recovery of losses and a
//! control law ([`transport::congestion`]). The [`registry`] has the lists of all.
//!
//! The crate is pure, as `sojourn-queues` is, on which it builds. It is a part of Sojourn's engine and may change with every version.

// The names of the crate below, as if they were here.
#[cfg(test)]
use sojourn_queues::rig;
use sojourn_queues::{
    choices, component, header, mechanism, packet, params, pool, prefetch, presets, quantity, queue, rng, settings,
    units,
};

pub mod registry;
pub mod traffic;
pub mod transport;
