//! The memory of a packet, and the queue that holds most: it loses its head when memory is short. Linux 6.12 `sch_cake`.

use super::tins::MOST;
use crate::choices;
use crate::component::BuildError;
use crate::packet::{Body, FlowId, Packet};
use crate::queue::LinkContext;

choices! {
    /// The bytes that the memory limit counts.
    pub enum Memory {
        /// Bytes of the kernel's buffers, of packets that sockets of the same machine have made: 832 and the payload of a segment of TCP, 2
        /// of an acknowledgement, and of a datagram 256 and a power of two with its bytes and 337 more, 832 at least.
        Kernel = "kernel",
        /// Bytes of packets.
        Bytes = "bytes",
    }
}

/// Bytes of a packet's description in Linux (`struct sk_buff`, aligned).
const DESCRIPTION: u32 = 256;
/// Behind the packet's bytes in its buffer (`struct skb_shared_info`), and before those of IP for headers to come.
const BEHIND: u32 = 320;
const BEFORE: u32 = 31;
/// The smallest buffer; headers of TCP have one of their own.
const SMALL: u32 = 576;
/// An acknowledgement without data has a size of its own, so that its sender's queue does not count it.
const ACKNOWLEDGEMENT: u32 = 2;

/// The size of a buffer for `size` bytes of IP: whole lines of 64, then the next power of two.
const fn buffer(size: u32) -> u32 {
    let bytes = size.saturating_add(BEFORE).div_ceil(64).saturating_mul(64).saturating_add(BEHIND);
    if bytes <= SMALL { SMALL } else { bytes.next_power_of_two() }
}

impl Memory {
    /// The count of it on this link.
    pub fn on(self, link: &LinkContext) -> Buffers {
        Buffers { memory: self, header: link.header.0 as u32 }
    }
}

/// A count of memory, for packets whose sizes have a header of this many bytes before that of IP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buffers {
    memory: Memory,
    header: u32,
}

impl Buffers {
    /// The memory of a packet.
    #[inline]
    pub fn of(self, packet: &Packet) -> u32 {
        match (self.memory, packet.body) {
            (Memory::Bytes, _) => packet.size,
            (Memory::Kernel, Body::Data { len, .. }) => DESCRIPTION + SMALL + len,
            (Memory::Kernel, Body::Ack { syn: false, .. }) => ACKNOWLEDGEMENT,
            (Memory::Kernel, _) => DESCRIPTION + buffer(packet.size.saturating_sub(self.header)),
        }
    }

    /// An error about `memory_limit` if a packet of the link does not fit into `limit` bytes.
    pub fn refuse_less(self, limit: u64, link: &LinkContext) -> Result<(), BuildError> {
        let mean = link.mean_packet.0;
        let needed = self.of(&Packet::datagram(FlowId(0), 0, mean as u32));
        if limit >= u64::from(needed) {
            return Ok(());
        }
        let what = format!("{limit} bytes hold no packet of {mean} bytes, which takes {needed}");
        Err(BuildError::new("memory_limit", what, "at least one packet"))
    }
}

/// Queues of a tin.
pub const QUEUES: usize = 1024;
const ALL: usize = MOST * QUEUES;

/// A queue by its tin and its place there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    pub tin: u8,
    /// The place of its queue in the tin.
    pub queue: u16,
}

impl Place {
    fn number(self) -> usize {
        self.tin as usize * QUEUES + self.queue as usize
    }
}

/// A heap of all queues by their backlogs, in the kernel's order of steps, since the order of equally long queues depends on earlier
/// events. It is kept from the first shortage of memory on, until it was not needed for 65535 packets.
#[derive(Clone, Debug, Default)]
pub struct Fattest {
    heap: Vec<Place>,
    index: Vec<u16>,
    /// Departures after which it is no longer kept.
    timeout: u16,
}

impl Fattest {
    /// Whether it is kept now.
    pub fn is_kept(&self) -> bool {
        self.timeout > 0
    }

    /// The queue that holds most.
    pub fn get(&mut self, backlog: impl Fn(Place) -> u32) -> Place {
        if self.heap.is_empty() {
            self.heap = (0..ALL).map(|at| Place { tin: (at % MOST) as u8, queue: (at / MOST) as u16 }).collect();
            self.index = vec![0; ALL];
            for (at, place) in self.heap.iter().enumerate() {
                self.index[place.number()] = at as u16;
            }
        }
        if self.timeout == 0 {
            for at in (0..ALL / 2).rev() {
                self.sink(at, &backlog);
            }
        }
        self.timeout = u16::MAX;
        self.heap[0]
    }

    /// The queue at its head has lost a packet.
    pub fn first_shrank(&mut self, backlog: impl Fn(Place) -> u32) {
        self.sink(0, &backlog);
    }

    /// A queue has lost a packet.
    pub fn shrank(&mut self, place: Place, backlog: impl Fn(Place) -> u32) {
        self.sink(self.index[place.number()] as usize, &backlog);
    }

    /// A queue has got one.
    pub fn grew(&mut self, place: Place, backlog: impl Fn(Place) -> u32) {
        let mut at = self.index[place.number()] as usize;
        while at > 0 {
            let above = (at - 1) / 2;
            if backlog(self.heap[at]) <= backlog(self.heap[above]) {
                break;
            }
            self.swap(at, above);
            at = above;
        }
    }

    /// A packet has left the link.
    #[inline]
    pub fn departed(&mut self) {
        self.timeout = self.timeout.saturating_sub(1);
    }

    /// It is no longer valid, and is made again the next time.
    pub fn forget(&mut self) {
        self.timeout = 0;
    }

    fn sink(&mut self, mut at: usize, backlog: &impl Fn(Place) -> u32) {
        let mut most = backlog(self.heap[at]);
        loop {
            let mut next = at;
            for below in [2 * at + 1, 2 * at + 2] {
                if below < ALL && backlog(self.heap[below]) > most {
                    (next, most) = (below, backlog(self.heap[below]));
                }
            }
            if next == at {
                return;
            }
            self.swap(at, next);
            at = next;
        }
    }

    fn swap(&mut self, left: usize, right: usize) {
        self.heap.swap(left, right);
        for at in [left, right] {
            self.index[self.heap[at].number()] = at as u16;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use crate::units::Bytes;

    /// The numbers are those of Linux 6.12 (`skb->truesize`), which recorded fates confirm: `tests/peers/linux/kernel`.
    #[test]
    fn a_full_datagram_takes_2304_bytes_and_a_small_one_832() {
        let link = |header| LinkContext { header: Bytes(header), ..LinkContext::default() };
        let of = |memory: Memory, header, size| memory.on(&link(header)).of(&Packet::datagram(FlowId(0), 0, size));
        let (framed, plain) = (|size| of(Memory::Kernel, 14, size), |size| of(Memory::Kernel, 0, size));
        assert_eq!([42, 114, 314, 714, 1514].map(framed), [832, 832, 1280, 2304, 2304]);
        // 225 bytes of IP and 31 are four lines of 64, and one more is the fifth.
        assert_eq!([28, 100, 225, 226, 300, 700, 1500].map(plain), [832, 832, 832, 1280, 1280, 2304, 2304]);
        assert_eq!(of(Memory::Bytes, 14, 1514), 1514);
    }

    #[test]
    fn the_head_of_the_heap_holds_most() {
        let mut rng = Rng::named(1, "fattest");
        let mut fattest = Fattest::default();
        let mut lengths = vec![0_u32; ALL];
        for step in 0..3000 {
            let place = Place { tin: rng.below(3) as u8, queue: rng.below(20) as u16 };
            let length = |all: &[u32], of: Place| all[of.number()];
            if rng.uniform() < 0.6 {
                lengths[place.number()] += 1 + rng.below(5) as u32;
                if fattest.is_kept() {
                    fattest.grew(place, |of| length(&lengths, of));
                }
            } else if lengths[place.number()] > 0 {
                lengths[place.number()] -= 1;
                if fattest.is_kept() {
                    fattest.shrank(place, |of| length(&lengths, of));
                }
            }
            if step > 100 && step % 3 == 0 {
                let found = fattest.get(|of| length(&lengths, of));
                assert_eq!(Some(&lengths[found.number()]), lengths.iter().max(), "step {step}");
            }
            if step % 1000 == 999 {
                fattest.forget();
            }
        }
    }
}
