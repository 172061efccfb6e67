//! The types that C and Rust exchange.

use sojourn_bottleneck::{Datagram, Dscp, Ecn, Lost, Time};

/// No time: nothing happens without another packet.
pub const SOJOURN_NEVER: u64 = u64::MAX;
/// The call did what it should, and has no packet to give.
pub const SOJOURN_NONE: i32 = 0;
/// A packet was written to the result.
pub const SOJOURN_PACKET: i32 = 1;
/// A handle or a result is null.
pub const SOJOURN_NULL: i32 = -1;
/// The time is earlier than one that was said before. Nothing was done.
pub const SOJOURN_TIME_GOES_BACK: i32 = -2;
/// A number of the packet is out of its range. Nothing was done.
pub const SOJOURN_BAD_PACKET: i32 = -3;
/// A fault of Sojourn. The handle may only be freed from now on.
pub const SOJOURN_FAULT: i32 = -4;

/// The properties of a packet that queues may use.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SojournPacket {
    /// Bytes on the wire, headers included; 1 to 2^31 - 1.
    pub len: u32,
    /// Number of its flow; small numbers are best.
    pub flow: u32,
    /// Bits of the IP header: 0 Not-ECT, 1 ECT(1), 2 ECT(0), 3 CE.
    pub ecn: u8,
    /// Class of service, 0 to 63.
    pub dscp: u8,
}

/// A packet that has arrived, or has left a queue.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SojournArrived {
    /// When, in nanoseconds.
    pub at: u64,
    /// How long it was in queues, in nanoseconds.
    pub waited: u64,
    /// The number that was sent with it.
    pub payload: u64,
    /// The packet as it arrived: a mark of congestion is 3 in its `ecn`.
    pub packet: SojournPacket,
}

/// A packet that did not get through.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SojournLost {
    /// When, in nanoseconds.
    pub at: u64,
    /// The number that was sent with it.
    pub payload: u64,
    /// The packet as it was then.
    pub packet: SojournPacket,
    /// Number of the link, from 0.
    pub link: u32,
    /// Why, in a word that ends with a zero: overflow, early, sojourn, corruption and others.
    pub reason: [u8; 24],
}

/// How much waits.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SojournBacklog {
    /// Packets, without the one that is being sent.
    pub packets: u64,
    /// Their bytes.
    pub bytes: u64,
}

impl SojournPacket {
    /// The datagram for Rust's interface, if each number is in its range.
    pub(crate) fn datagram(self) -> Option<Datagram> {
        if self.len == 0 || self.len >= 1 << 31 {
            return None;
        }
        let ecn = match self.ecn {
            0 => Ecn::NotEct,
            1 => Ecn::Ect1,
            2 => Ecn::Ect0,
            3 => Ecn::Ce,
            _ => return None,
        };
        Some(Datagram::new(self.len).flow(self.flow).ecn(ecn).dscp(Dscp::new(self.dscp)?))
    }

    pub(crate) fn of(datagram: Datagram) -> Self {
        let ecn = match datagram.ecn {
            Ecn::NotEct => 0,
            Ecn::Ect1 => 1,
            Ecn::Ect0 => 2,
            Ecn::Ce => 3,
        };
        SojournPacket { len: datagram.len, flow: datagram.flow, ecn, dscp: datagram.dscp.number() }
    }
}

impl SojournLost {
    pub(crate) fn of(lost: &Lost<u64>) -> Self {
        let mut reason = [0; 24];
        // The last byte stays zero.
        for (byte, letter) in reason[..23].iter_mut().zip(lost.reason.bytes()) {
            *byte = letter;
        }
        let packet = SojournPacket::of(lost.datagram);
        SojournLost { at: nanos(lost.at), payload: lost.payload, packet, link: lost.link as u32, reason }
    }
}

/// A time of Rust's face in nanoseconds.
pub(crate) fn nanos(time: Time) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
