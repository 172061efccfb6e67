//! The order of an arrival at a queue and a departure from it at one moment: the parameter `ties` of queues.

use crate::choices;
use crate::units::Duration;

choices! {
    /// The order of an arrival and a departure that are one moment.
    pub enum Ties {
        /// By the simulated clock, to the nanosecond; the departure comes first if both have the same nanosecond.
        Clock = "clock",
        /// The one that was scheduled first. An arrival is scheduled when its packet begins its transmission on the link before, a
        /// departure when the packet in service begins its own. Times within 10 ns are one moment.
        Scheduled = "scheduled",
    }
}

/// Times no further apart than this are one moment. Each link on a path rounds to the nanosecond below, so that packets that are clocked by
/// departures come back some nanoseconds away from a later departure.
pub const MOMENT: Duration = Duration::from_nanos(10);

/// A shorter transmission has no moments, because times within 10 ns may be different ones there.
pub const SHORTEST: Duration = Duration::from_nanos(100);

/// Whether an arrival comes before a departure of the same moment: its packet took `crossing` from the begin of its transmission on the
/// last link, and the packet in service takes `service`. If both were scheduled at one time, the departure comes first.
pub fn arrival_is_first(crossing: Duration, service: Duration) -> bool {
    crossing > service
}
