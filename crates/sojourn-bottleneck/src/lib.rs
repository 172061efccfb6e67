//! A queue, a bottleneck and a path for other programs: the tests of a QUIC or TCP stack, an emulator, a router's model.
//!
//! Nothing here reads a clock, opens a socket or starts a thread. The caller gives the time and the packets. It learns which packets leave,
//! which are lost, and when to ask again. Times are [`Time`]s since a moment of the caller's choice, and never go back. A packet is a
//! [`Datagram`], which has the fields that queues may read, and a payload of any type, which the caller gets back.
//!
//! | type | meaning | when packets leave |
//! |---|---|---|
//! | [`Queue`] | a queue discipline of the registry | when the caller asks: it is the transmitter |
//! | [`Bottleneck`] | a queue, a rate and a delay | when they reach the other end |
//! | [`Path`] | [`Link`]s in a row, with losses, reordering, changes and traces of rates if they are wanted | when they reach the other end |
//!
//! All three decide as a scenario's link does: the same arrivals, names and seed give the same departures, to the nanosecond, for every
//! queue of the registry.
//!
//! # A bottleneck between two ends
//!
//! ```
//! use sojourn_bottleneck::{Bottleneck, Datagram, Time};
//!
//! let mut link = Bottleneck::new("codel", "10Mbit", "20ms", 1)?;
//! let mut now = Time::ZERO;
//! for number in 0..100_u32 {
//!     link.send(now, Datagram::new(1500), number);
//!     now += Time::from_millis(1); // 12 Mbit/s on a link of 10 Mbit/s
//! }
//! let mut arrived = Vec::new();
//! while let Some(next) = link.next_time() {
//!     now = next;
//!     while let Some(packet) = link.receive(now) {
//!         arrived.push((packet.at, packet.payload));
//!     }
//! }
//! // The first takes 1.2 ms to be sent and 20 ms to arrive.
//! assert_eq!(arrived[0], (Time::from_micros(21_200), 0));
//! assert_eq!(arrived.len() + link.lost().count(), 100);
//! # Ok::<(), sojourn_bottleneck::Error>(())
//! ```
//!
//! # A path of several links
//!
//! ```
//! # #[cfg(feature = "scenario-files")]
//! # fn main() -> Result<(), sojourn_bottleneck::Error> {
//! use sojourn_bottleneck::{Datagram, Path, Time};
//!
//! let mut path = Path::from_toml(
//!     r#"
//!     [[link]]
//!     rate = "50Mbit"
//!     delay = "5ms"
//!     queue = { kind = "fq_codel", target = "5ms" }
//!
//!     [[link]]
//!     rate = "20Mbit"
//!     delay = "10ms"
//!     loss = { kind = "uniform", probability = 0.01 }
//!     changes = [{ at = "10s", rate = "5Mbit" }]
//!     "#,
//!     7,
//! )?;
//! path.send(Time::ZERO, Datagram::new(1200).flow(3), "hello");
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "scenario-files"))]
//! # fn main() {}
//! ```
//!
//! [`Link`] describes the same link without TOML.
//!
//! # Promises
//!
//! This interface is stable. As long as the crate's version is `0.x`, a removal or a change here raises `x`, and an addition raises the
//! last number. A test compares the interface with the text of the last release. The crates below (`sojourn-sim` and others) are the engine
//! of Sojourn, which may change with every version.
//!
//! A queue's decisions may change with a version, too, if they turn out to be wrong. The changelog says so.

/// The README's example is run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod datagram;
mod link;
mod link_tables;
mod nodes;
mod offered;
mod one_link;
mod one_way;
mod path;
mod refusal;
mod slots;
#[cfg(test)]
mod tests;
mod words;

pub use datagram::{Arrived, Datagram, Lost};
pub use link::{Link, Setting};
pub use offered::{Left, Queue};
pub use one_way::Bottleneck;
pub use path::Path;
pub use refusal::Error;
pub use sojourn_sim::header::Dscp;
pub use sojourn_sim::header::{AckOptions, Acknowledgement, Hosts};
pub use sojourn_sim::packet::Ecn;
pub use sojourn_sim::queue::Backlog;

/// Time since a moment of the caller's choice, from 0 to 584 years in nanoseconds.
pub type Time = core::time::Duration;

/// A time in the core's own units.
fn instant(time: Time) -> sojourn_sim::units::Instant {
    sojourn_sim::units::Instant::from_nanos(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX))
}

/// A time of the core in units of this crate.
fn time(instant: sojourn_sim::units::Instant) -> Time {
    Time::from_nanos(instant.as_nanos())
}

fn span(duration: sojourn_sim::units::Duration) -> Time {
    Time::from_nanos(duration.as_nanos())
}
