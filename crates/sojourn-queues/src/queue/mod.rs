//! The queue seam.
//!
//! The seam has three parts, which the literature often mixes. A [`Policy`] decides about packets over a
//! queue that it does not own (RED, PI, BLUE, CHOKe, CoDel). A [`QueueDiscipline`] owns packets:
//! [`Managed`] makes one of any policy over a first-in first-out [`Buffer`]; others keep an order of
//! their own (RED-Boston) or many queues (FQ-CoDel). A link owns a discipline, a rate and a delay.
//!
//! The packet in transmission has left the queue: neither backlog nor limit counts it.
//!
//! A drop or a mark is an [`Event`] with time, packet and [`Reason`]. It is recorded where it happens. Disciplines have no clock, no link
//! and no random generator: each call gives them the time and a [`Context`].
//!
//! # The life of a packet under a policy
//!
//! A policy learns everything that happens to a packet, once, and gets the packet each time. The life of a packet is one path from the top
//! of this picture to one of its two ends. Each arrow is one call of a hook of [`Policy`]:
//!
//! ```text
//!          on_arrival -> Verdict
//!               |
//!               +---------------> on_drop (Stage::Arrival)      refused
//!               v
//!          on_enqueued                                          it waits, it is the tail
//!               |
//!               +---------------> on_drop (Stage::Queue)        taken out of the queue
//!               v
//!          on_departure -> Verdict                              it was the head
//!               |
//!               +---------------> on_drop (Stage::Departure)    refused at the head
//!               v
//!          on_transmission                                      sent
//! ```
//!
//! - A [`Verdict`] does not settle the fate of a packet. The buffer may be full. A packet that is to be marked may not understand marks. A
//!   discipline or policy around this one may keep a packet that this one would drop: then `on_enqueued` follows `Verdict::Drop`. So a
//!   policy that counts packets counts them in `on_enqueued`, `on_departure` and `on_drop`.
//! - [`Dropped`] names the part that dropped the packet: the policy itself ([`By::Policy`]: by its verdict or by [`QueueView::drop_at`]),
//!   the buffer, which was full ([`By::Buffer`]), or the discipline around the policy ([`By::Around`]: a flow queue that makes room).
//! - Each `on_drop` belongs to one drop among the [`Events`]. Each recorded drop of a packet that a policy has seen belongs to one
//!   `on_drop`.
//! - Between two steps of one packet there may be steps of others. A packet that `drop_at` takes out is gone at once, and `on_drop` follows
//!   as soon as the hook that called `drop_at` has returned.
//! - A policy may leave a number with a packet, its [`Tag`], with [`QueueView::leave`] in `on_arrival`. [`QueueView::tag`] returns it in
//!   every later hook about this packet. So no policy needs a list of waiting packets.
//! - A policy around another (source quench) passes every call on, with the same view. The tag belongs to the inner policy.
//! - If a policy [decides on arrival](Policy::decides_on_arrival), the engine may keep the packets. Then the path ends with `on_enqueued`,
//!   and the policy is not called for departures.
//!
//! [`Policed`] is the only code that leads packets along this path. [`Managed`],
//! [`FlowQueue`](crate::discipline::flow_queue::FlowQueue), the schedulers by class and by flow and the shapers are made of it. The
//! [conformance suite](crate::conformance) holds each of them to it, with every policy inside.

mod buffer;
mod discipline;
pub mod drawing;
mod either;
pub mod entry;
mod events;
pub mod inner;
pub mod leaf;
mod limits;
mod managed;
mod policed;
mod policy;
pub mod prelude;
pub mod shown;
pub mod ties;
mod view;

pub use crate::header::Hosts;
pub use buffer::{Buffer, Tag};
pub use discipline::QueueDiscipline;
pub use either::Either;
pub use events::{Context, Event, Events, Reason, What};
pub use limits::{Backlog, FlowGroups, FlowHosts, Limit, LinkContext};
pub use managed::Managed;
pub use policed::{End, Policed};
pub use policy::{By, Dropped, Policy, Stage, Verdict};
pub use shown::Probe;
pub use view::{Lent, QueueView};
