//! Messages between hosts and queues, besides the headers of TCP and UDP. Each way of speaking is one file; a packet
//! carries what it says, and whoever does not know it passes it on.
//!
//! A segment has room for a [`Header`] where an acknowledgement has its SACK blocks, so that it costs a packet nothing. A
//! [`DelayHint`], a [`Dscp`] and a [`RateLabel`] go with any packet.

mod delay_hint;
mod dscp;
mod rate_label;
pub mod rcp;
pub mod report;
pub mod xcp;

pub use delay_hint::DelayHint;
pub use dscp::Dscp;
pub use rate_label::RateLabel;
use rcp::RcpHeader;
use xcp::XcpHeader;

/// The message of a segment to the queues on its way, and their answers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Header {
    /// XCP's.
    Xcp(XcpHeader),
    /// RCP's.
    Rcp(RcpHeader),
}

/// The answers of queues in the headers of segments, in the unit of these headers: XCP's receiver sums it up, RCP's tells the newest
/// rate. Zero: nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Answer(pub f32);

impl Answer {
    /// Takes in what has been written into another header.
    pub fn add(&mut self, header: &Header) {
        match header {
            Header::Xcp(header) => self.0 += header.feedback,
            Header::Rcp(header) => self.0 = header.rate,
        }
    }
}
