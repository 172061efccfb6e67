//! An entry of a route: the thing that a packet reaches next, in one number.

/// The thing that a packet reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Kind {
    /// A drop-tail link that is fused to the one before. All its packets come from that link, in order, and nobody observes it. So its
    /// events are known when the packets leave the other link, and need no event.
    Fused = 0,
    /// A drop-tail link.
    Buffer = 1,
    /// A link behind a queue discipline.
    Queue = 2,
    /// The receiving side of the flow.
    Receiver = 3,
    /// The sending side of the flow.
    Sender = 4,
    /// A router at which one queue wants to see the choke packet. The number is that of the queue's link.
    Notice = 5,
    /// A link behind a queue discipline that decides when a packet arrives.
    Ahead = 6,
    /// No place of a route: the link of an event that says that its transmitter is free.
    Transmitter = 7,
    /// The receiving side of a flow that may get a packet before its time ([`super::shortcuts::ahead`]).
    ReceiverAhead = 8,
    /// The sending side of such a flow.
    SenderAhead = 9,
}

/// Bits of a link's number, and of a packet's handle.
pub const NUMBER_BITS: u32 = 28;
const NUMBER: u32 = (1 << NUMBER_BITS) - 1;

/// The thing at a place of a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hop(u32);

impl Hop {
    /// The route ends at the receiving side.
    pub const RECEIVER: Hop = Hop((Kind::Receiver as u32) << NUMBER_BITS);
    /// The route ends at the sending side.
    pub const SENDER: Hop = Hop((Kind::Sender as u32) << NUMBER_BITS);

    /// The link with this number, of at most 28 bits.
    pub fn link(kind: Kind, number: u32) -> Self {
        debug_assert!(number <= NUMBER, "too many links");
        Hop(((kind as u32) << NUMBER_BITS) | number)
    }

    /// True if no event is needed when a packet arrives there.
    #[inline(always)]
    pub fn is_fused(self) -> bool {
        self.0 <= NUMBER
    }

    /// Its kind, as a number.
    #[inline(always)]
    pub fn kind(self) -> u32 {
        self.0 >> NUMBER_BITS
    }

    /// True if it is a link of any kind.
    pub fn is_link(self) -> bool {
        self < Hop::RECEIVER || self.kind() == Kind::Ahead as u32
    }

    /// True if the route ends here.
    pub fn is_end(self) -> bool {
        self.is_receiver() || self == Hop::SENDER || self.kind() == Kind::SenderAhead as u32
    }

    /// True if the route ends here, at the receiving side.
    pub fn is_receiver(self) -> bool {
        self == Hop::RECEIVER || self.kind() == Kind::ReceiverAhead as u32
    }

    /// The same end, which may get a packet before its time.
    pub fn ahead(self) -> Self {
        debug_assert!(self.is_end(), "only ends are called");
        let kind = if self.is_receiver() { Kind::ReceiverAhead } else { Kind::SenderAhead };
        Hop((kind as u32) << NUMBER_BITS)
    }

    /// True if the route ends here, at a side that may get a packet before its time.
    #[inline(always)]
    pub fn is_ahead(self) -> bool {
        self.0 >= (Kind::ReceiverAhead as u32) << NUMBER_BITS
    }

    /// The link's number.
    #[inline(always)]
    pub fn number(self) -> u32 {
        self.0 & NUMBER
    }

    /// The content of an event of a packet's arrival: the thing that it reaches, and the packet's handle.
    #[inline(always)]
    pub fn with_handle(self, handle: u32) -> u32 {
        debug_assert!(handle <= NUMBER, "too many packets");
        (self.0 & !NUMBER) | handle
    }

    /// The handle that an event carries.
    #[inline(always)]
    pub fn handle(arg: u32) -> u32 {
        arg & NUMBER
    }
}
