//! Data of an application that waits at a sender of datagrams to be sent.

use std::collections::VecDeque;

use crate::traffic::Amount;
use crate::units::Bytes;

/// Data of the application that waits to be sent.
#[derive(Clone, Debug, Default)]
pub(super) struct Pending {
    endless: bool,
    /// Bytes of each write; none is empty.
    writes: VecDeque<u64>,
}

impl Pending {
    pub fn is_empty(&self) -> bool {
        !self.endless && self.writes.is_empty()
    }

    /// Whether it has no sizes of its own now: more always waits, and no write comes first.
    pub fn is_endless(&self) -> bool {
        self.endless && self.writes.is_empty()
    }

    /// Takes in the data that the application writes now.
    pub fn write(&mut self, amount: Amount) {
        match amount {
            Amount::Nothing | Amount::Bytes(Bytes(0)) | Amount::Packet(Bytes(0)) => {}
            Amount::Bytes(Bytes(bytes)) | Amount::Packet(Bytes(bytes)) => self.writes.push_back(bytes),
            Amount::Endless => self.endless = true,
        }
    }

    /// Payload of the next packet, at most `most`: no packet holds parts of two writes.
    pub fn take(&mut self, most: u32) -> Option<u32> {
        let Some(left) = self.writes.front_mut() else { return self.endless.then_some(most) };
        let taken = (*left).min(u64::from(most));
        *left -= taken;
        if *left == 0 {
            self.writes.pop_front();
        }
        Some(taken as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_holds_of_one_write_alone_and_the_last_of_it_is_short() {
        let mut pending = Pending::default();
        for bytes in [2500, 0, 1000, 1] {
            pending.write(Amount::Bytes(Bytes(bytes)));
        }
        let packets: Vec<u32> = std::iter::from_fn(|| pending.take(1000)).collect();
        assert_eq!(packets, [1000, 1000, 500, 1000, 1]);
        assert!(pending.is_empty());
    }

    #[test]
    fn what_has_no_end_comes_in_full_packets_behind_what_has_one() {
        let mut pending = Pending::default();
        pending.write(Amount::Bytes(Bytes(300)));
        pending.write(Amount::Endless);
        assert_eq!([pending.take(1000), pending.take(1000), pending.take(1000)], [Some(300), Some(1000), Some(1000)]);
        assert!(!pending.is_empty());
    }
}
