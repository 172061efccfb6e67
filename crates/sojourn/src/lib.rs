//! Sojourn: a laboratory for queue management.
//!
//! The core is pure: no I/O, no threads, no wall clock, no globals. A run is a function of
//! (scenario, seed, version).
//!
//! Programs that want a queue, a bottleneck or a path for their own packets use [`bottleneck`], which is the stable face of this crate.
//! The other modules are the laboratory's engine and may change with every version.
//!
//! The crate has one line of unsafe code, in [`prefetch`]: a hint to the processor.
//!
//! # The way of a packet
//!
//! A scenario file is read and laid out as a [`Plan`](scenario::plan::Plan); a [`Simulation`](sim::Simulation) builds its links,
//! queues and flows and then handles one event after the other, by time. Here a TCP sender's segment crosses a link behind RED:
//!
//! 1. An event reaches the sender: an acknowledgement, a timer, the start of the flow. The engine calls the sender, an
//!    [`Endpoint`](transport::Endpoint), which sees in its window that it may send, and pushes a [`Packet`](packet::Packet) into
//!    the [`FlowContext`](transport::FlowContext) that it was handed.
//! 2. The engine takes the packet from there (`Simulation::after_call`) and sends it over the first link of its flow's route.
//!    A route is a list of hops; the last is the endpoint at the other end.
//! 3. The link, a [`QueueLink`](net::queue_link::QueueLink), gives the packet to its
//!    [`QueueDiscipline`](queue::QueueDiscipline). That of RED is [`Managed`](queue::Managed): RED's
//!    [`Policy`](queue::Policy) sees the packet and the queue and says *pass*, *mark* or *drop*. What passes joins the
//!    [`Buffer`](queue::Buffer); what does not, or finds no room, is recorded as an [`Event`](queue::Event) with its reason.
//! 4. When the transmitter is free, the link takes a packet from the discipline, which may drop or mark it now (CoDel does).
//!    Its size over the link's rate says when the transmitter is free again: that is an event, which takes the next packet.
//!    Rate, delay and what is corrupted on the way may vary: [`Wire`](net::wire::Wire).
//! 5. Transmission and propagation end at the next hop: another event. There is another link (back to 3), or the other
//!    endpoint, here TCP's receiver. It takes the segment and pushes an acknowledgement, whose way is the same, backwards.
//! 6. The sender hears the acknowledgement: what has arrived, what was marked, how long it took. From that follow
//!    retransmissions, and a new window from its [`CongestionControl`](transport::congestion::CongestionControl). Back to 1.
//!
//! All the while [`metrics`] counts what comes, leaves and is lost at each link and at each end;
//! [`Simulation::finish`](sim::Simulation::finish) makes [tables](metrics::Table) of it.
//!
//! That is the plain path, and all that a new queue, sender or source needs to know. The engine takes shorter ways where the
//! outcome is known to be the same: the fate of a packet at a drop-tail queue is known when it comes, some policies decide once and for
//! all on arrival, some endpoints can be called before their time. Those are in [`sim::shortcuts`], and tests hold each of them to the
//! results of the plain path (`each_shortcut_alone_changes_nothing`).
//!
//! The rooms of the crate, and where single things are (the retransmission timeout, say), are in two tables of docs/design.md.

/// The README's example is run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub mod aqm;
pub mod bottleneck;
pub mod component;
pub mod conformance;
pub mod discipline;
pub mod header;
pub mod log_linear;
pub mod mechanism;
pub mod metrics;
pub mod net;
pub mod packet;
pub mod params;
pub mod pool;
pub mod prefetch;
pub mod quantity;
pub mod queue;
#[cfg(feature = "scenario-files")]
pub mod reference;
pub mod registry;
pub mod replay;
pub mod rig;
pub mod rng;
pub mod scenario;
pub mod sim;
pub mod traffic;
pub mod transport;
pub mod units;
