//! The quantities that columns of several tables measure.

use super::column::{Better, Kind, Quantity, Unit, quantity};

/// The time that a packet waits in one queue.
pub const SOJOURN: Quantity = quantity("Sojourn time", Unit::Ms).less().kind(Kind::Wait).head("sojourn");
/// The time from the sending of a packet to its arrival.
pub const DELAY: Quantity = duration("One-way delay").head("delay");
/// The round trip that a sender measures.
pub const ROUND_TRIP: Quantity = duration("Round-trip time").head("rtt");
/// The time until a transfer is done.
pub const COMPLETION: Quantity = quantity("Completion time", Unit::S).less().kind(Kind::Transfer).head("completion");
/// Waiting packets.
pub const BACKLOG: Quantity = quantity("Backlog", Unit::Packets).wanted(Better::Less);
/// Waiting bytes.
pub const BACKLOG_BYTES: Quantity = quantity("Backlog", Unit::Bytes).wanted(Better::Less);
/// Bits that arrive or are sent.
pub const THROUGHPUT: Quantity = quantity("Throughput", Unit::BitPerS).more().kind(Kind::Carried);
/// Useful bits that arrive.
pub const GOODPUT: Quantity = quantity("Goodput", Unit::BitPerS).more().kind(Kind::Carried);
/// Part of the packets that are lost at queues.
pub const LOSS: Quantity = quantity("Loss ratio", Unit::Share).less().head("loss");
/// Jain's index over flows that were there.
pub const FAIRNESS: Quantity = quantity("Fairness index", Unit::Plain).within(0.0, 1.0).more();
/// Packets that queues drop.
pub const DROPS: Quantity = quantity("Drops", Unit::Packets).wanted(Better::Less);
/// Packets that queues mark.
pub const MARKS: Quantity = quantity("Marks", Unit::Packets);
/// Packets lost on links.
pub const CORRUPTED: Quantity = quantity("Corrupted", Unit::Packets);
/// The time since the start of the run.
pub const TIME: Quantity = quantity("Time", Unit::S);

/// A time in milliseconds that should be short.
pub const fn duration(label: &'static str) -> Quantity {
    quantity(label, Unit::Ms).less().kind(Kind::Delay)
}
