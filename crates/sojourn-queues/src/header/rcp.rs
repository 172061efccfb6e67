//! RCP's congestion header: signals between a sender and the routers on its way. The sender is the control law `rcp`, the routers
//! are the queue `rcp`.

/// The header of RCP (Dukkipati, Kobayashi, Zhang-Shen and McKeown 2005, section 2): one rate for all flows of a router.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RcpHeader {
    /// The sender's round-trip time in seconds; 0 while it knows none.
    pub rtt: f32,
    /// In bytes on the wire per second: first the sender's request, infinite if it takes all; then the least rate that a router allowed.
    pub rate: f32,
}
