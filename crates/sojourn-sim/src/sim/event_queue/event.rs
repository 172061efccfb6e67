//! An event, and the fields that decide its place in the order of events.

/// The thing that an event concerns. The order of the variants decides ties in time: departures go before arrivals, and samples are taken
/// last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u32)]
pub enum Class {
    /// A link has finished sending a packet.
    TransmitterFree = 0,
    /// A queue discipline's own deadline. A shaper's packet leaves before another one arrives at the same time, as from a plain link.
    QueueDeadline = 1,
    /// A packet reaches the end of a link.
    Delivery = 2,
    /// An endpoint's deadline.
    Timer = 3,
    /// A flow starts.
    Start = 4,
    /// A flow stops.
    Stop = 5,
    /// On a shared medium a slot has come in which somebody sends, or an exchange is over.
    Medium = 6,
    /// A time series takes a sample.
    Sample = 7,
}

/// A time in nanoseconds that never comes.
pub const NEVER: u64 = u64::MAX;

const ENTITY_BITS: u32 = 29;

/// An event: its time, the thing that it concerns, and a number for the code that handles it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Nanoseconds since the start.
    pub time: u64,
    pub(super) key: u32,
    /// Free for the handler (a packet's handle).
    pub arg: u32,
}

impl Event {
    /// At `time` nanoseconds, concerning number `entity` of its class.
    ///
    /// # Panics
    /// In debug builds if `entity` needs more than 29 bits.
    pub fn new(time: u64, class: Class, entity: u32, arg: u32) -> Self {
        debug_assert!(entity < 1 << ENTITY_BITS, "too many entities");
        Event { time, key: ((class as u32) << ENTITY_BITS) | entity, arg }
    }

    /// The key of the order; equals come in order of scheduling.
    #[inline(always)]
    pub(super) fn order(&self) -> u128 {
        (u128::from(self.time) << 32) | u128::from(self.key)
    }

    /// Whether it comes before another one that was scheduled earlier.
    #[inline(always)]
    pub(super) fn is_before(&self, other: &Event) -> bool {
        self.time < other.time || self.time == other.time && self.key < other.key
    }

    /// The thing that it concerns.
    pub fn class(self) -> Class {
        match self.key >> ENTITY_BITS {
            0 => Class::TransmitterFree,
            1 => Class::QueueDeadline,
            2 => Class::Delivery,
            3 => Class::Timer,
            4 => Class::Start,
            5 => Class::Stop,
            6 => Class::Medium,
            _ => Class::Sample,
        }
    }

    /// The number of its subject within the class.
    pub fn entity(self) -> u32 {
        self.key & ((1 << ENTITY_BITS) - 1)
    }
}
