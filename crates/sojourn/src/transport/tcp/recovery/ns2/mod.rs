//! Recoveries of ns-2 2.35, packet by packet.

mod linux26;
mod linux26_repairs;
mod pipe;
mod vegas_ns2;

pub(super) use linux26::Linux26;
pub(super) use pipe::Pipe;
pub(super) use vegas_ns2::Vegas;
