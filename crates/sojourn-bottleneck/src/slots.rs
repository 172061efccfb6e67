//! Payloads of packets that are under way, by number; and how many packets each flow has sent.

use std::collections::BTreeMap;

/// Values by number; freed numbers are used again.
#[derive(Debug)]
pub struct Slots<T> {
    values: Vec<Option<T>>,
    free: Vec<u32>,
}

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Slots { values: Vec::new(), free: Vec::new() }
    }
}

impl<T> Slots<T> {
    /// Keeps a value and gives its number.
    pub fn put(&mut self, value: T) -> u32 {
        if let Some(slot) = self.free.pop() {
            self.values[slot as usize] = Some(value);
            return slot;
        }
        self.values.push(Some(value));
        u32::try_from(self.values.len() - 1).expect("fewer than 2^32 packets are under way")
    }

    /// A value that is kept.
    pub fn at(&mut self, slot: u32) -> &mut T {
        self.values[slot as usize].as_mut().expect("a packet under way has one")
    }

    /// Gives a value back; each is taken once.
    pub fn take(&mut self, slot: u32) -> T {
        self.free.push(slot);
        self.values[slot as usize].take().expect("a packet ends once")
    }
}

/// Numbers for the packets of each flow, from 0: some laws go by them.
#[derive(Debug, Default)]
pub struct Numbers(BTreeMap<u32, u64>);

impl Numbers {
    /// The next of this flow.
    pub fn next(&mut self, flow: u32) -> u64 {
        let count = self.0.entry(flow).or_default();
        *count += 1;
        *count - 1
    }
}
