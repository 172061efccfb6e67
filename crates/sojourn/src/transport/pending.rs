//! What an application has written to a sender of datagrams and not yet seen sent.

use std::collections::VecDeque;

use crate::traffic::Amount;
use crate::units::Bytes;

/// What the application has written and not yet seen sent.
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

    /// Takes in what the application writes now.
    pub fn write(&mut self, amount: Amount) {
        match amount {
            Amount::Nothing | Amount::Bytes(Bytes(0)) => {}
            Amount::Bytes(Bytes(bytes)) => self.writes.push_back(bytes),
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
