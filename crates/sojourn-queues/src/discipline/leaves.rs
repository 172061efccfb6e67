//! The classes of Linux's schedulers: a whole queue in each, and the rules by which packets come to classes.
//!
//! `tc` puts any queue into a class. A scheduler that wants to know how long the next packet of a class is *peeks*. A queue that has
//! decided about a packet on arrival says so; any other one gives the packet away, which then waits here, as in Linux in front of the
//! queue.
//!
//! Deviation: a packet that waits in front of its queue is not counted for the limit of that queue; in Linux it is.

use std::ops::Range;

use crate::discipline::classes::{ByFlow, Filters, Takes, sum};
use crate::queue::leaf::LeafQueue;
use crate::queue::prelude::*;

/// The highest priority of a packet of Linux, `TC_PRIO_MAX`.
const PRIORITIES: usize = 16;

/// The priority that a Linux router gives a packet by its codepoint (`rt_tos2priority`): best effort 0, bulk 2, interactive 6, interactive
/// bulk 4.
pub fn priority_of(packet: &Packet) -> usize {
    [0, 2, 6, 4][usize::from(packet.dscp.number() >> 1 & 3)]
}

/// tc's map of priorities to three bands (`sch_default_prio2band`).
pub const PRIOMAP: [u8; PRIORITIES] = [1, 2, 2, 2, 1, 2, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1];

/// The band of each priority: those that a user says, then those of `rest`.
pub fn priomap(said: &[u64], rest: [u8; PRIORITIES], bands: usize) -> Result<[u8; PRIORITIES], BuildError> {
    let mut map = rest;
    if said.len() > PRIORITIES {
        let what = format!("there are {} bands for {PRIORITIES} priorities", said.len());
        return Err(BuildError::new("priomap", what, format!("give at most {PRIORITIES} numbers")));
    }
    for (band, one) in map.iter_mut().zip(said) {
        *band = *one as u8;
    }
    match map.iter().find(|band| usize::from(**band) >= bands) {
        None => Ok(map),
        Some(band) => {
            let what = format!("there is no band {band}: the bands are 0 to {}", bands - 1);
            Err(BuildError::new("priomap", what, "give a band of each of the 16 priorities"))
        }
    }
}

/// The bands of packets: filters first, as tc's, then the map of priorities.
pub struct Bands {
    /// The band that each filter sends packets to.
    filters: Option<(ByFlow, Vec<usize>)>,
    map: [u8; PRIORITIES],
}

impl Bands {
    /// The filters are those of the tables in `band`, each for the band of its place, where they take something in particular.
    pub fn new<'a>(
        takes: impl Iterator<Item = &'a Takes>,
        map: [u8; PRIORITIES],
        link: &LinkContext,
    ) -> Result<Self, BuildError> {
        let some: Vec<(usize, &Takes)> = takes.enumerate().filter(|(_, of)| **of != Takes::default()).collect();
        for (band, of) in &some {
            of.check(&link.groups).map_err(|error| error.inside_entry("band", *band))?;
        }
        let places = some.iter().map(|(band, _)| *band).collect();
        // No filter takes the rest: the last one stands for that.
        let rest = Takes::default();
        let filters = Filters::new(some.iter().map(|(_, of)| *of).chain([&rest]), &link.groups)?;
        Ok(Bands { filters: (!some.is_empty()).then(|| (ByFlow::new(filters), places)), map })
    }

    /// The band of a packet.
    pub fn of(&mut self, packet: &Packet) -> usize {
        let filtered = self.filters.as_mut().and_then(|(filters, bands)| bands.get(filters.class_of(packet)).copied());
        filtered.unwrap_or_else(|| usize::from(self.map[priority_of(packet)]))
    }
}

/// The queue of a class.
struct Leaf {
    queue: Box<dyn QueueDiscipline>,
    /// The packet that has been looked at, if the queue had to give it away for that.
    held: Option<Packet>,
    backlog: Backlog,
}

/// The queues of classes, in order.
pub struct Leaves {
    queues: Vec<Leaf>,
    backlog: Backlog,
    /// The earliest deadline of a queue.
    due: Option<Instant>,
}

impl Leaves {
    /// The queues; an error says that it is in a table of the parameter `of`.
    pub fn new<'a>(
        queues: impl Iterator<Item = &'a LeafQueue>,
        of: &'static str,
        link: &LinkContext,
    ) -> Result<Self, BuildError> {
        let leaf = |(place, queue): (usize, &LeafQueue)| {
            let queue = queue.build("queue", link).map_err(|error| error.inside_entry(of, place))?;
            Ok(Leaf { queue, held: None, backlog: Backlog::default() })
        };
        let leaves: Vec<Leaf> = queues.enumerate().map(leaf).collect::<Result<_, BuildError>>()?;
        let due = leaves.iter().filter_map(|one| one.queue.next_deadline()).min();
        Ok(Leaves { queues: leaves, backlog: Backlog::default(), due })
    }

    /// The numbers of all.
    pub fn all(&self) -> Range<usize> {
        0..self.queues.len()
    }

    /// A packet comes. Returns whether its queue holds any after that.
    pub fn enqueue(&mut self, now: Instant, leaf: usize, packet: Packet, cx: &mut Context) -> bool {
        self.with(leaf, |leaf| leaf.queue.enqueue(now, packet, cx));
        self.waits(leaf)
    }

    /// Whether a packet waits in a queue.
    pub fn waits(&self, leaf: usize) -> bool {
        self.queues[leaf].backlog.packets > 0
    }

    /// The bytes of the packet that leaves a queue next, if one may.
    pub fn peek(&mut self, now: Instant, leaf: usize, cx: &mut Context) -> Option<u32> {
        let of = &self.queues[leaf];
        if let Some(size) = of.held.map(|packet| packet.size).or_else(|| of.queue.head()) {
            return Some(size);
        }
        self.with(leaf, |leaf| {
            leaf.held = leaf.queue.dequeue(now, cx);
            leaf.held.map(|packet| packet.size)
        })
    }

    /// The next packet of a queue.
    pub fn dequeue(&mut self, now: Instant, leaf: usize, cx: &mut Context) -> Option<Packet> {
        self.with(leaf, |leaf| leaf.held.take().or_else(|| leaf.queue.dequeue(now, cx)))
    }

    /// The backlog of all.
    pub fn backlog(&self) -> Backlog {
        self.backlog
    }

    /// The limit of all.
    pub fn limit(&self) -> Limit {
        sum(self.queues.iter().map(|leaf| leaf.queue.limit()))
    }

    /// The earliest deadline of a queue.
    pub fn next_deadline(&self) -> Option<Instant> {
        self.due
    }

    /// Serves the deadlines of queues.
    pub fn on_deadline(&mut self, now: Instant, cx: &mut Context) {
        for leaf in self.all() {
            if self.queues[leaf].queue.next_deadline().is_some_and(|due| due <= now) {
                self.with(leaf, |leaf| leaf.queue.on_deadline(now, cx));
            }
        }
        self.due = self.queues.iter().filter_map(|leaf| leaf.queue.next_deadline()).min();
    }

    /// Whether a queue sends choke packets.
    pub fn sends_chokes(&self) -> bool {
        self.queues.iter().any(|leaf| leaf.queue.sends_chokes())
    }

    /// Calls a queue, and keeps the account of all.
    fn with<T>(&mut self, leaf: usize, act: impl FnOnce(&mut Leaf) -> T) -> T {
        let of = &mut self.queues[leaf];
        let done = act(of);
        let mut after = of.queue.backlog();
        if let Some(packet) = of.held {
            after.packets += 1;
            after.bytes += u64::from(packet.size);
        }
        self.backlog.packets = self.backlog.packets + after.packets - of.backlog.packets;
        self.backlog.bytes = self.backlog.bytes + after.bytes - of.backlog.bytes;
        of.backlog = after;
        self.due = [self.due, of.queue.next_deadline()].into_iter().flatten().min();
        done
    }
}
/// The hooks of a scheduler that its `leaves` answer; `and times` for one that has no moments of its own.
macro_rules! leaves_hooks {
    (and times) => {
        fn next_deadline(&self) -> Option<$crate::units::Instant> {
            self.leaves.next_deadline()
        }

        fn on_deadline(&mut self, now: $crate::units::Instant, cx: &mut $crate::queue::Context) {
            self.leaves.on_deadline(now, cx);
        }

        leaves_hooks!();
    };
    () => {
        fn sends_chokes(&self) -> bool {
            self.leaves.sends_chokes()
        }

        fn backlog(&self) -> $crate::queue::Backlog {
            self.leaves.backlog()
        }

        fn limit(&self) -> $crate::queue::Limit {
            self.leaves.limit()
        }
    };
}
pub(crate) use leaves_hooks;
