//! Sojourn: a laboratory for queue management.
//!
//! The core is pure: no I/O, no threads, no wall clock, no globals. A run is a function of
//! (scenario, seed, version).

pub mod aqm;
pub mod metrics;
pub mod net;
pub mod packet;
pub mod params;
pub mod pool;
pub mod prefetch;
pub mod quantity;
pub mod queue;
pub mod reference;
pub mod replay;
pub mod rng;
pub mod scenario;
pub mod sim;
pub mod traffic;
pub mod transport;
pub mod units;
