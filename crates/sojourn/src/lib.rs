//! Sojourn: a laboratory for queue management.
//!
//! The core is pure: no I/O, no threads, no wall clock, no globals. A run is a function of
//! (scenario, seed, version).

pub mod aqm;
pub mod component;
pub mod conformance;
pub mod discipline;
pub mod mechanism;
pub mod metrics;
pub mod net;
pub mod packet;
pub mod params;
pub mod pool;
pub mod prefetch;
pub mod quantity;
pub mod queue;
pub mod reference;
pub mod registry;
pub mod replay;
#[cfg(test)]
pub(crate) mod rig;
pub mod rng;
pub mod scenario;
pub mod sim;
pub mod traffic;
pub mod transport;
pub mod units;
