//! Messages between hosts and queues, in addition to the headers of TCP and UDP. Each scheme is one file. A packet carries its message, and
//! hosts and queues that do not know it pass it on.
//!
//! A segment has room for a [`Header`] in the place of an acknowledgement's SACK blocks, so that it makes packets no larger. Any packet may
//! carry a [`DelayHint`], a [`Dscp`] and a [`RateLabel`]. A real packet has [`Seen`], the part of its own headers that queues read.

pub mod accurate_ecn;
mod delay_hint;
mod dscp;
mod rate_label;
pub mod rcp;
pub mod report;
mod seen;
pub mod xcp;

pub use delay_hint::DelayHint;
pub use dscp::Dscp;
pub use rate_label::RateLabel;
use rcp::RcpHeader;
pub use seen::{AckOptions, Acknowledgement, Hosts, Seen};
use xcp::XcpHeader;

/// The message of a segment to the queues on its path, and their answers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Header {
    /// XCP's.
    Xcp(XcpHeader),
    /// RCP's.
    Rcp(RcpHeader),
    /// The receiver's clock in milliseconds, as an acknowledgement told it last (the timestamp echo of RFC 7323). It is for the receiver.
    Clock(u32),
}

/// The answers of queues in the headers of segments, in the unit of these headers. XCP's receiver adds them up, and RCP's takes the newest
/// rate. Zero says that there is no answer. To a sender that asks no queue an acknowledgement tells the receiver's clock in this place.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Answer(pub f32);

impl Answer {
    /// Takes in the answer in another header.
    pub fn add(&mut self, header: &Header) {
        match header {
            Header::Xcp(header) => self.0 += header.feedback,
            Header::Rcp(header) => self.0 = header.rate,
            Header::Clock(_) => {}
        }
    }

    /// The receiver's clock in milliseconds, instead of an answer.
    pub fn of_clock(millis: u32) -> Self {
        Answer(f32::from_bits(millis))
    }

    /// The clock of the timestamps.
    pub fn clock(self) -> u32 {
        self.0.to_bits()
    }
}
