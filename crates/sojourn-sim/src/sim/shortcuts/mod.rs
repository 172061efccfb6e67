//! Shortcuts of the engine, which save work without changing a result: each shortcut alone can be left out, and the tables are the same
//! to the bit (`tests::each_shortcut_alone_changes_nothing`). evidence/speed/README.md has the gain of each.
//!
//! The plain path, in the parent module, schedules an event wherever anything happens to a packet: a link's transmitter becomes
//! free, the packet reaches the next link, the packet reaches its end. A shortcut answers one question sooner: what is the [`Fate`] of this
//! packet on this link? If it is known on arrival, it needs no event. Which links and ends take a shortcut is decided once, in
//! `sim/build.rs`.
//!
//! | shortcut | earlier knowledge | file |
//! |---|---|---|
//! | `drop_tail` | drop tail decides when a packet comes, and packets leave in order: the time at which each leaves is known, too | `net/fifo_link.rs` |
//! | `departures` | the same for a discipline that decides on arrival (RED's family, PI, BLUE) | `net/queue_link.rs`: `arrive_ahead` |
//! | `fusion` | a drop-tail link that one link alone feeds, in order: the fate there follows from that on the link before | `sim/follow.rs` |
//! | `ends` | the answer of an end to a packet that will reach it, if nothing else disturbs that end | [`ahead`] |
//! | `scout` | nothing: it asks for the memory that the next events will touch | [`scout`] |
//! | `windows` | nothing: it sorts later events window by window instead of one by one | `event_queue/windows.rs` |
//! | `silence` | a clock over an idle link that has come to rest (REM, PI) changes nothing until a packet comes | `net/queue_link.rs`: `comes_to_rest` |

pub mod ahead;
pub mod scout;

use crate::units::Instant;

/// The shortcuts that a run takes. Results do not depend on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shortcuts {
    taken: [bool; Shortcuts::NAMES.len()],
}

impl Shortcuts {
    /// The names of all, in the order in which a packet meets them.
    pub const NAMES: [&str; 7] = ["drop_tail", "departures", "fusion", "ends", "scout", "windows", "silence"];

    /// All shortcuts: runs are as fast as possible.
    pub const ALL: Shortcuts = Shortcuts { taken: [true; Shortcuts::NAMES.len()] };

    /// The plain path: every queue is a discipline with all its events. The reference of the tests.
    pub const NONE: Shortcuts = Shortcuts { taken: [false; Shortcuts::NAMES.len()] };

    /// The same without the shortcut called `name`; `None` if there is no shortcut of that name.
    #[must_use]
    pub fn without(mut self, name: &str) -> Option<Self> {
        self.taken[Shortcuts::NAMES.iter().position(|known| *known == name)?] = false;
        Some(self)
    }

    /// Whether drop-tail links decide at once.
    pub fn drop_tail(self) -> bool {
        self.taken[0]
    }

    /// Whether disciplines that decide on arrival know the times of departures.
    pub fn departures(self) -> bool {
        self.taken[1]
    }

    /// Whether a drop-tail link that one link feeds needs no event of its own.
    pub fn fusion(self) -> bool {
        self.taken[2]
    }

    /// Whether ends hear of packets before they come.
    pub fn ends(self) -> bool {
        self.taken[3]
    }

    /// Whether large networks ask for memory ahead.
    pub fn scout(self) -> bool {
        self.taken[4]
    }

    /// Whether windows of events are sorted as a whole.
    pub fn windows(self) -> bool {
        self.taken[5]
    }

    /// Whether deadlines over idle links are left out where they change nothing.
    pub fn silence(self) -> bool {
        self.taken[6]
    }
}

/// The fate of a packet that reaches a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// It will reach the other end then.
    Arrives(Instant),
    /// The queue has decided; when its packets leave shows when the transmitter takes them.
    Later,
    /// It is dropped, and is not counted yet.
    Lost,
    /// It is dropped, and its queue has counted it.
    Dropped,
}
