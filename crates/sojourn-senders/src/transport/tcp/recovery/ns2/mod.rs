//! Recoveries of ns-2 2.35, packet by packet.

mod pipe;

pub(super) use pipe::Pipe;
