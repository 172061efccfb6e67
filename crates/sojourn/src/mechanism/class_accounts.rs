//! What waits of each class of packets, where packets do not carry their class: the account of policies that tell a packet's class
//! when it comes (RIO, CBT-RED).

use std::collections::VecDeque;

use crate::packet::Packet;
use crate::queue::{Backlog, QueueView};

/// What waits of each of `N` classes. The policy says the class of each packet that joins; they leave in that order.
#[derive(Clone, Debug)]
pub struct ClassAccounts<const N: usize> {
    classes: VecDeque<u8>,
    backlogs: [Backlog; N],
}

impl<const N: usize> Default for ClassAccounts<N> {
    fn default() -> Self {
        ClassAccounts { classes: VecDeque::new(), backlogs: [Backlog::default(); N] }
    }
}

impl<const N: usize> ClassAccounts<N> {
    /// What waits of a class below `N`.
    pub fn backlog(&self, class: u8) -> Backlog {
        self.backlogs[usize::from(class)]
    }

    /// A packet of this class, below `N`, has joined the queue at its tail.
    pub fn joined(&mut self, class: u8, packet: &Packet) {
        self.classes.push_back(class);
        let backlog = &mut self.backlogs[usize::from(class)];
        backlog.packets += 1;
        backlog.bytes += u64::from(packet.size);
    }

    /// A packet has left the queue at its head.
    pub fn left(&mut self, packet: &Packet) {
        let Some(class) = self.classes.pop_front() else { return };
        let backlog = &mut self.backlogs[usize::from(class)];
        backlog.packets -= 1;
        backlog.bytes = backlog.bytes.saturating_sub(u64::from(packet.size));
    }

    /// A packet is lost to a full buffer. It left the queue if that is the one that lacks a packet: a flow queue drops what waits,
    /// from the head, others what comes.
    pub fn overflowed(&mut self, packet: &Packet, queue: &QueueView<'_>) {
        if self.classes.len() as u64 > queue.packets() {
            self.left(packet);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::FlowId;
    use crate::rig::Rig;

    fn sized(size: u32) -> Packet {
        Packet::datagram(FlowId(0), 0, size)
    }

    #[test]
    fn packets_leave_with_the_class_with_which_they_came() {
        let mut accounts: ClassAccounts<2> = ClassAccounts::default();
        for (class, size) in [(0, 1000), (1, 500), (0, 40)] {
            accounts.joined(class, &sized(size));
        }

        accounts.left(&sized(1000));
        assert_eq!(accounts.backlog(0), Backlog { packets: 1, bytes: 40 });
        assert_eq!(accounts.backlog(1), Backlog { packets: 1, bytes: 500 });
        accounts.left(&sized(500));
        accounts.left(&sized(40));
        accounts.left(&sized(40));
        assert_eq!((accounts.backlog(0), accounts.backlog(1)), (Backlog::default(), Backlog::default()));
    }

    #[test]
    fn what_is_lost_to_a_full_buffer_counts_only_if_it_was_there() {
        let mut bench = Rig::waiting(1);
        let view = QueueView::new(&mut bench.fifo, &mut bench.events, true);
        let mut accounts: ClassAccounts<2> = ClassAccounts::default();

        accounts.joined(1, &sized(1000));
        accounts.overflowed(&sized(1000), &view);
        assert_eq!(accounts.backlog(1).packets, 1);

        accounts.joined(1, &sized(1000));
        accounts.overflowed(&sized(1000), &view);
        assert_eq!(accounts.backlog(1).packets, 1);
    }
}
