//! XCP's congestion header: signals between a sender and the routers on its way. The sender is the control law `xcp`, the routers
//! are the queue `xcp`.

use crate::choices;

/// The congestion header of XCP (Katabi, Handley and Rohrs 2002, section 3.2): a sender's state, and the routers' grant to it. A router
/// that does not know the header passes it on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct XcpHeader {
    /// H_cwnd: the sender's window in bytes on the wire; above zero.
    pub cwnd: f32,
    /// H_rtt: the sender's round-trip time in seconds; above zero.
    pub rtt: f32,
    /// H_feedback: by how many bytes the window shall change, or by how many bytes per second the throughput: first the sender's request,
    /// infinite if it takes all; then the least change that a router allowed.
    pub feedback: f32,
    /// The unit of `feedback`.
    pub unit: XcpUnit,
}

choices! {
    /// The unit of the feedback in an XCP header.
    pub enum XcpUnit {
        /// Bytes by which the window changes: over the round-trip time that the packet told.
        Window = "window",
        /// Bytes per second by which the throughput changes: over the round-trip time known when the answer arrives.
        Throughput = "throughput",
    }
}
