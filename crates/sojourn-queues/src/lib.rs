//! The queues of Sojourn, a laboratory for queue management: every policy and discipline, and all that they are made of.
//!
//! A **policy** ([`aqm`]) decides about packets in a queue that it does not own: it passes, marks or drops each. A **discipline**
//! ([`discipline`]) owns packets. [`queue`] has the traits of both, and a picture of the calls that a policy gets. A queue's entry in the
//! [`registry`] has its parameters, which describe themselves ([`params!`]). [`rig`] and [`conformance`] are for the tests of queues, here
//! and in other crates.
//!
//! The crate is pure: no I/O, no threads, no wall clock, no globals. It has one line of unsafe code, in [`prefetch`]: a hint to the
//! processor. It is a part of Sojourn's engine and may change with every version; the crate `sojourn-bottleneck` is the stable interface
//! for other programs.

pub mod aqm;
pub mod calls;
pub mod component;
pub mod conformance;
pub mod discipline;
pub mod header;
pub mod log_linear;
pub mod mechanism;
pub mod packet;
pub mod params;
pub mod pool;
pub mod prefetch;
pub mod quantity;
pub mod queue;
pub mod registry;
pub mod rig;
pub mod rng;
pub mod units;
