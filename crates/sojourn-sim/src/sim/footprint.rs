//! The memory that a run takes, part by part. The caller may stop a run before memory runs out.

use super::links::Link;
use super::state::Simulation;
use crate::packet::Packet;
use crate::pool::OutOfMemory;
use crate::sim::event_queue::Event;
use crate::transport::Completion;

/// The bytes that a finished transfer takes in its table.
const COMPLETION_TABLE: usize = 4 + 4 * 8;

impl Simulation {
    /// The run may take `bytes` bytes, as [`Simulation::footprint`] counts them. An event that makes more packets than fit ends the run by
    /// unwinding with [`OutOfMemory`]. Between events the caller can compare the footprint by itself.
    pub fn limit_memory(&mut self, bytes: u64) {
        self.memory = bytes;
        self.outbox.pool.limit(bytes);
    }

    /// Ends the run if it takes more memory than it may.
    #[cold]
    pub(super) fn check_memory(&self) {
        let parts = self.footprint();
        let bytes = parts.iter().map(|(_, own)| own).sum();
        if bytes > self.memory
            && let Some((what, _)) = parts.iter().max_by_key(|(_, own)| own)
        {
            OutOfMemory { what, bytes }.unwind();
        }
    }

    /// The bytes of memory that grow during a run, by their use: packets, events, and kept rows, each with the memory of its table. They
    /// are right to a factor of about two.
    pub fn footprint(&self) -> Vec<(&'static str, u64)> {
        let (mut waiting, mut drops, mut packets, mut capture) = (self.fifo_links.footprint(), 0, 0, 0);
        for &link in &self.managed {
            if let Link::Queue(queue) = &self.links[link as usize] {
                let at_link = queue.footprint();
                waiting += at_link.waiting;
                drops += at_link.drops;
                packets += at_link.packets;
                capture += at_link.capture;
            }
        }
        let pool = self.outbox.pool.places() * (size_of::<Packet>() + size_of::<u32>() + size_of::<Event>());
        let done = self.completions.len() * (size_of::<(u32, Completion)>() + COMPLETION_TABLE);
        let mut parts = vec![
            ("packets on their way", pool as u64),
            ("packets that wait", waiting),
            ("finished transfers", done as u64),
            ("books of groups", self.groups.footprint()),
            ("record.drops", drops),
            ("record.packets", packets),
            ("record.pcap", capture),
        ];
        parts.extend(self.recorded.footprint());
        parts
    }
}
