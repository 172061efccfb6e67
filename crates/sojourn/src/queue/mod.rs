//! The queue seam.
//!
//! Three things that the literature mixes are kept apart. A [`Policy`] decides about packets over a
//! queue that it does not own (RED, PI, BLUE, CHOKe, CoDel). A [`QueueDiscipline`] owns packets:
//! [`Managed`] makes one of any policy over a first-in first-out [`Buffer`]; others keep an order of
//! their own (RED-Boston) or many queues (FQ-CoDel). A link owns a discipline, a rate and a delay.
//!
//! The packet in transmission has left the queue: neither backlog nor limit counts it.
//!
//! A drop or a mark is an [`Event`] with time, packet and [`Reason`], recorded where it happens and
//! never inferred. Disciplines know no clock, no link and no generator: time and [`Context`] come in
//! with each call.
//!
//! # The life of a packet under a policy
//!
//! A policy hears what becomes of every packet, with the packet, and each thing once. The life of a packet is one path
//! from the top of this picture to one of its two ends, and each arrow is one call of a hook of [`Policy`]:
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
//! - A [`Verdict`] is not yet a fate. The buffer may be full, a packet that is to be marked may not understand marks, and a
//!   discipline or policy around may spare what the policy would drop: then `on_enqueued` follows `Verdict::Drop`. What
//!   counts packets counts them at `on_enqueued`, `on_departure` and `on_drop`.
//! - [`Dropped`] says who dropped: the policy itself ([`By::Policy`]: by its verdict or by [`QueueView::drop_at`]), the buffer
//!   that was full ([`By::Buffer`]), or the discipline around the policy ([`By::Around`]: a flow queue that makes room).
//! - Each `on_drop` goes with one drop among the [`Events`], and each drop that a discipline records of a packet which a policy
//!   has seen goes with one `on_drop`.
//! - Between two steps of one packet others may take theirs. What `drop_at` takes out is gone at once; `on_drop` tells of
//!   it as soon as the hook that called `drop_at` has returned.
//! - A policy may leave a number with a packet, its [`Tag`]: [`QueueView::leave`] in `on_arrival`. [`QueueView::tag`] gives it back in
//!   every later hook that is about this packet. So no policy keeps a list of what waits.
//! - A policy around another (source quench) passes every call on, with the same view; the tag is the inner one's.
//! - Where a policy [decides on arrival](Policy::decides_on_arrival) the engine may keep the packets: then the path ends with
//!   `on_enqueued`, and the policy hears of no departure.
//!
//! [`Policed`] is the one place where packets are led along this path. [`Managed`],
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
mod view;

pub use buffer::{Buffer, Tag};
pub use discipline::QueueDiscipline;
pub use either::Either;
pub use events::{Context, Event, Events, Reason, What};
pub use limits::{Backlog, FlowGroups, FlowHosts, Hosts, Limit, LinkContext};
pub use managed::Managed;
pub use policed::{End, Policed};
pub use policy::{By, Dropped, Policy, Stage, Verdict};
pub use shown::Probe;
pub use view::{Lent, QueueView};
