//! The backlog of each class, for packets that do not carry their class: the account of policies that tell a packet's class
//! when it comes, and leave it with the packet (RIO, CBT-RED).

use crate::packet::Packet;
use crate::queue::{Backlog, Tag};

/// The backlog of each of `N` classes; a class is the [`Tag`] that the policy leaves.
#[derive(Clone, Debug)]
pub struct ClassAccounts<const N: usize> {
    backlogs: [Backlog; N],
}

impl<const N: usize> Default for ClassAccounts<N> {
    fn default() -> Self {
        ClassAccounts { backlogs: [Backlog::default(); N] }
    }
}

impl<const N: usize> ClassAccounts<N> {
    /// The backlog of a class below `N`.
    pub fn backlog(&self, class: Tag) -> Backlog {
        self.backlogs[class as usize]
    }

    /// A packet of this class, below `N`, has joined the queue.
    pub fn joined(&mut self, class: Tag, packet: &Packet) {
        let backlog = &mut self.backlogs[class as usize];
        backlog.packets += 1;
        backlog.bytes += u64::from(packet.size);
    }

    /// A packet of this class has left the queue.
    pub fn left(&mut self, class: Tag, packet: &Packet) {
        let backlog = &mut self.backlogs[class as usize];
        backlog.packets -= 1;
        backlog.bytes -= u64::from(packet.size);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::FlowId;

    fn sized(size: u32) -> Packet {
        Packet::datagram(FlowId(0), 0, size)
    }

    #[test]
    fn classes_are_counted_apart() {
        let mut accounts: ClassAccounts<2> = ClassAccounts::default();
        for (class, size) in [(0, 1000), (1, 500), (0, 40)] {
            accounts.joined(class, &sized(size));
        }

        accounts.left(0, &sized(40));
        assert_eq!(accounts.backlog(0), Backlog { packets: 1, bytes: 1000 });
        assert_eq!(accounts.backlog(1), Backlog { packets: 1, bytes: 500 });
        accounts.left(1, &sized(500));
        accounts.left(0, &sized(1000));
        assert_eq!((accounts.backlog(0), accounts.backlog(1)), (Backlog::default(), Backlog::default()));
    }
}
