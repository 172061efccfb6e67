//! Sojourn: a laboratory for queue management.
//!
//! The core is pure: no I/O, no threads, no wall clock, no globals. A run is a function of
//! (scenario, seed, version).
//!
//! This crate reads scenarios and runs them. It builds on the crates `sojourn-queues` and `sojourn-senders`, whose modules are here too.
//! Together they are Sojourn's engine and may change with every version. Programs that want a queue, a bottleneck or a path for their own
//! packets use the crate `sojourn-bottleneck`, which is the stable interface.
//!
//! # The way of a packet
//!
//! A scenario file is read into a [`Plan`](scenario::plan::Plan). A [`Simulation`](sim::Simulation) builds its links, queues and flows, and
//! then handles one event after the other, by time. Here a TCP sender's segment crosses a link behind RED:
//!
//! 1. An event reaches the sender: an acknowledgement, a timer, the start of the flow. The engine calls the sender, an
//!    [`Endpoint`](transport::Endpoint). If its window allows a segment, the sender pushes a [`Packet`](packet::Packet) into the
//!    [`FlowContext`](transport::FlowContext) of the call.
//! 2. The engine takes the packet from there (`Simulation::after_call`) and sends it over the first link of its flow's route.
//!    A route is a list of hops; the last is the endpoint at the other end.
//! 3. The link, a [`QueueLink`](net::queue_link::QueueLink), gives the packet to its [`QueueDiscipline`](queue::QueueDiscipline). That of
//!    RED is [`Managed`](queue::Managed): RED's [`Policy`](queue::Policy) looks at the packet and the queue and returns *pass*, *mark* or
//!    *drop*. A packet that passes joins the [`Buffer`](queue::Buffer). A packet that is dropped, or finds no room, is recorded as an
//!    [`Event`](queue::Event) with its reason.
//! 4. When the transmitter is free, the link takes a packet from the discipline, which may drop or mark it now (CoDel does). The size of
//!    the packet over the link's rate gives the time at which the transmitter is free again. That is an event, which takes the next packet.
//!    Rate and delay may vary, and packets may be corrupted on the way: [`Wire`](net::wire::Wire).
//! 5. Transmission and propagation end at the next hop: another event. The next hop is another link (back to 3), or the other endpoint,
//!    here TCP's receiver. The receiver takes the segment and pushes an acknowledgement, which goes the same way backwards.
//! 6. The sender reads the acknowledgement: the data that has arrived, the marks, the round trip. From these follow retransmissions, and a
//!    new window from its [`CongestionControl`](transport::congestion::CongestionControl). Back to 1.
//!
//! All the while [`metrics`] counts the packets that arrive, leave and are lost at each link and at each end.
//! [`Simulation::finish`](sim::Simulation::finish) makes [tables](metrics::Table) of these counts.
//!
//! That is the plain path, and all that an author of a new queue, sender or source needs to know. The engine takes shorter ways where the
//! result is known to be the same: the fate of a packet at a drop-tail queue is known when it arrives, some policies decide only on
//! arrival, some endpoints can be called before their time. These ways are in [`sim::shortcuts`], and tests hold each of them to the
//! results of the plain path (`each_shortcut_alone_changes_nothing`).
//!
//! The picture in docs/design.md shows the rooms of the crates, and a table below it says where single things are, such as the
//! retransmission timeout.

// The modules of the crates below, as if they were here.
#[doc(no_inline)]
pub use sojourn_queues::{
    aqm, calls, choices, component, conformance, discipline, header, log_linear, mechanism, packet, params, pool,
    prefetch, presets, quantity, queue, rig, rng, settings, units,
};
#[doc(no_inline)]
pub use sojourn_senders::{traffic, transport};

pub mod metrics;
pub mod net;
#[cfg(feature = "scenario-files")]
pub mod reference;
pub mod registry;
pub mod replay;
pub mod scenario;
pub mod sim;
