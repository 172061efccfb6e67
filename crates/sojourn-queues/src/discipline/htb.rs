//! HTB (hierarchical token bucket): classes with a rate that each has for sure and a ceiling up to which it borrows from the class above.
//! Specification: [Dev02] Devera, "HTB Linux queuing discipline manual", 2002, and the behaviour of Linux 6.12, `sch_htb`. Compared
//! with: the kernel beside it (`tests/peers/linux/kernel`), a second implementation in Python, closed forms, below.
//!
//! A class has two buckets, of its rate and of its ceiling. It sends while both are not empty. While that of the ceiling alone is not, it
//! borrows: it sends with the tokens of the nearest class above that has some, and the classes that borrow from one take turns of
//! `quantum` bytes. Among classes that may send the lowest level goes first, then the lowest `prio`. Every class above counts every packet.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | A packet that no class takes goes to the last class; in Linux to `default`, and without one past all classes | as the other schedulers by class | - |
//! | Buckets are full at the start; a class of Linux that was changed keeps its tokens | nothing is changed in a run | - |

use std::collections::BTreeSet;

use self::tree::{LEVELS, Shape, Tree, prios};
use crate::discipline::classes::{ByFlow, Filters, Takes, parts_of, sum};
use crate::mechanism::framing::Framing;
use crate::params::{Flows, Several, Tables};
use crate::queue::leaf::LeafQueue;
use crate::queue::prelude::*;

mod tree;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "htb",
    title: "HTB (hierarchical token bucket)",
    doc: "A shaper of classes, as in Linux. Each class has a guaranteed rate, and borrows unused rates up to its ceiling. Any queue may \
          be in a class, with its own parameters.",
    reference: "Devera 2002; Linux sch_htb",
    decides: "Tokens decide which classes may send, and they take turns if there are several. The queue of a class decides \
          about drops in it.",
    probes: &[Probe::new("overlimits", "", Probe::UP, "how often a class came to its ceiling, all classes together")],
    ..QueueEntry::of_discipline::<Params>(build)
};

params! {
    /// The rates of a class.
    pub struct Rates {
        /// Its guaranteed rate; `auto` is an equal part of the rate of the class above it, or of the link.
        rate: Option<Rate> = "auto" in [8.0, 1e14], "our choice: tc asks for one";
        /// Its greatest rate, borrowing included; `auto` is its rate.
        ceil: Option<Rate> = "auto" in [8.0, 1e14], "tc: its rate";
        /// The bytes that it may send at once at its rate, at any speed; `auto` is 1600 bytes plus a nanosecond of its rate.
        burst: Option<Bytes> = "auto" in [1.0, 1e9], "tc with high-resolution timers";
        /// The same for its ceiling.
        cburst: Option<Bytes> = "auto" in [1.0, 1e9], "tc with high-resolution timers";
        /// The `group` above it, from which it borrows, counted from 0.
        parent: Option<u64> = "auto" in [0.0, 1e6], "auto: none above the groups, the first group above the classes";
        /// Its number among all classes and groups: those that may send take turns in this order, as in Linux by `classid` (of which only
        /// the order counts). `auto` is behind all that have one: classes in their order, then groups.
        number: Option<u64> = "auto" in [0.0, 65535.0], "tc: classid";
        /// Number of copies; their flows are divided among them evenly, in order, and so is the class above them.
        copies: u64 = "1" in [1.0, 1e6], "one";
    }
}

params! {
    /// A class of `htb` with packets.
    pub struct Class {
        ..takes: Takes;
        ..rates: Rates;
        /// Order of the classes that may send: the least number goes first.
        prio: u64 = "0" in [0.0, 7.0], "tc";
        /// Bytes of a turn while it borrows; `auto` is its rate in bytes per second over `r2q`, 1000 to 200000 bytes.
        quantum: Option<Bytes> = "auto" in [1.0, 2e9], "tc: rate / r2q";
        /// The queue in the class, with its own limit.
        queue: LeafQueue = "fifo:limit=1000p", "Linux: pfifo with the device's queue length";
    }
}

params! {
    /// A class without packets of its own, which lends.
    pub struct Above {
        ..rates: Rates;
    }
}

params! {
    pub struct Params {
        ..framing: Framing;
        /// The classes with packets.
        class: Tables<Class> = "dscp=EF ceil=100Gbit; * prio=1 ceil=100Gbit", "our choice: calls first, each half of the link for sure";
        /// The classes above them, from which these borrow; a group comes before those below it.
        group: Tables<Above> = "*", "our choice: the link";
        /// Divisor of a rate in bytes per second for a `quantum`.
        r2q: u64 = "10" in [1.0, 1e9], "tc";
    }
}

/// The least and the greatest `quantum` that follows from a rate.
const QUANTA: (u64, u64) = (1000, 200_000);
/// The part of a burst beyond a nanosecond of its rate: tc's longest packet.
const BURST_BYTES: u64 = 1600;
/// Nanoseconds of the unit in which tc tells bursts, as a shift.
const TICK: u32 = 6;

fn build(args: &Args, link: &LinkContext) -> Result<Box<dyn QueueDiscipline>, BuildError> {
    let params: Params = args.typed();
    let layout = Layout::new(&params, link)?;
    let mut leaves = Vec::new();
    for (class, rate) in layout.class_of.iter().zip(&layout.shapes) {
        let context = LinkContext { rate: rate.rates.0, ..link.clone() };
        let queue = params.class.0[*class].queue.build("queue", &context);
        let queue = queue.map_err(|error| error.inside_entry("class", *class))?;
        leaves.push(Leaf { queue, due: None, backlog: Backlog::default() });
    }
    let filters = Filters::new(layout.takes.iter(), &link.groups)?;
    let tree = Tree::new(&layout.shapes, leaves.len());
    let deadlines = BTreeSet::new();
    let mut htb = Htb {
        filters: ByFlow::new(filters),
        framing: params.framing,
        leaves,
        tree,
        deadlines,
        backlog: Backlog::default(),
        due: None,
        is_stuck: false,
    };
    for leaf in 0..htb.leaves.len() {
        htb.note_deadline(leaf);
    }
    Ok(Box::new(htb))
}

/// All classes with their copies.
struct Layout {
    /// The table of each class with packets.
    class_of: Vec<usize>,
    takes: Vec<Takes>,
    /// The shapes of the classes with packets, then of those above.
    shapes: Vec<Shape>,
}

impl Layout {
    fn new(params: &Params, link: &LinkContext) -> Result<Self, BuildError> {
        let (classes, groups) = (&params.class.0, &params.group.0);
        // An error names a class by its place in the list.
        Filters::new(classes.iter().map(|class| &class.takes), &link.groups)?;
        let leaves: usize = classes.iter().map(|class| class.rates.copies as usize).sum();
        let mut layout = Layout { class_of: Vec::new(), takes: Vec::new(), shapes: Vec::new() };
        let mut firsts = Vec::new();
        let mut above = Vec::new();
        for (number, group) in groups.iter().enumerate() {
            let inside = |error: BuildError| error.inside_entry("group", number);
            let parent = found(group.rates.parent, number, "group before this one").map_err(inside)?;
            firsts.push(leaves + above.len());
            let within = parent.map(|parent| (firsts[parent], groups[parent].rates.copies, parent));
            let parts = divided(&group.rates, within.map(|(first, copies, _)| (first, copies))).map_err(inside)?;
            if parent.map_or(0, |parent| depth(groups, parent)) + 1 >= LEVELS {
                return Err(inside(BuildError::new(
                    "parent",
                    "the tree is too deep",
                    "allowed: 7 groups above each other",
                )));
            }
            let siblings = groups.iter().filter(|other| other.rates.parent == group.rates.parent);
            let of = within.map_or(link.rate, |(first, ..)| above_rate(&above, first - leaves));
            let rate = rate_of(&group.rates, of, siblings.map(|other| other.rates.copies).sum(), within);
            above.extend(parts.into_iter().map(|part| shape(&group.rates, rate, part, (0, 0))));
        }
        for (number, class) in classes.iter().enumerate() {
            let inside = |error: BuildError| error.inside_entry("class", number);
            let chosen = class.rates.parent.or((!groups.is_empty()).then_some(0));
            let parent = found(chosen, groups.len(), "group").map_err(inside)?;
            let within = parent.map(|parent| (firsts[parent], groups[parent].rates.copies, parent));
            let parts = divided(&class.rates, within.map(|(first, copies, _)| (first, copies))).map_err(inside)?;
            let siblings =
                classes.iter().filter(|other| other.rates.parent.unwrap_or(0) == class.rates.parent.unwrap_or(0));
            let of = within.map_or(link.rate, |(first, ..)| above_rate(&above, first - leaves));
            let rate = rate_of(&class.rates, of, siblings.map(|other| other.rates.copies).sum(), within);
            let auto = (rate.as_bps() / 8 / params.r2q).clamp(QUANTA.0, QUANTA.1);
            let quantum = class.quantum.map_or(auto, |bytes| bytes.0) as i64;
            let of_copies = copies_of(&class.takes, class.rates.copies, link).map_err(inside)?;
            for (part, takes) in parts.into_iter().zip(of_copies) {
                layout.class_of.push(number);
                layout.takes.push(takes);
                layout.shapes.push(shape(&class.rates, rate, part, (class.prio as usize, quantum)));
            }
        }
        layout.shapes.extend(above);
        Ok(layout)
    }
}

fn above_rate(above: &[Shape], number: usize) -> Rate {
    above[number].rates.0
}

/// How many groups are above a group's classes.
fn depth(groups: &[Above], group: usize) -> usize {
    1 + groups[group].rates.parent.map_or(0, |parent| depth(groups, parent as usize))
}

/// The rate of a class, of `siblings` that have parts of one above.
fn rate_of(rates: &Rates, above: Rate, siblings: u64, within: Option<(usize, u64, usize)>) -> Rate {
    let copies = within.map_or(1, |(_, copies, _)| copies);
    rates.rate.unwrap_or_else(|| Rate::from_bps((above.as_bps() * copies / siblings.max(1)).max(8)))
}

fn shape(rates: &Rates, rate: Rate, parent: Option<u32>, (prio, quantum): (usize, i64)) -> Shape {
    let ceil = rates.ceil.unwrap_or(rate);
    let burst = |given: Option<Bytes>, at: Rate| {
        let bytes = given.map_or(at.as_bps() / 8 / 1_000_000_000 + BURST_BYTES, |bytes| bytes.0);
        // tc cuts the time down to whole microseconds, and these to units.
        let micros = (bytes as f64 * 8e6 / at.as_bps() as f64) as i64;
        (micros * 1000) & !((1 << TICK) - 1)
    };
    let bursts = (burst(rates.burst, rate), burst(rates.cburst, ceil));
    Shape { parent, rates: (rate, ceil), bursts, number: rates.number, prio, quantum }
}

/// The group above, which has to be one of the first `known`.
fn found(parent: Option<u64>, known: usize, what: &str) -> Result<Option<usize>, BuildError> {
    let Some(parent) = parent else { return Ok(None) };
    let found = usize::try_from(parent).ok().filter(|parent| *parent < known);
    let hint = if known == 0 { "there is none".into() } else { format!("known: 0 to {}", known - 1) };
    found.map(Some).ok_or_else(|| BuildError::new("parent", format!("there is no {what} of number {parent}"), hint))
}

/// The parent of each copy if it is `within`: the first of this many copies of a group.
fn divided(rates: &Rates, within: Option<(usize, u64)>) -> Result<Vec<Option<u32>>, BuildError> {
    let copies = rates.copies;
    let Some((first, groups)) = within else { return Ok(vec![None; copies as usize]) };
    if !copies.is_multiple_of(groups) {
        let what = format!("{copies} classes cannot be divided among {groups} copies of the group above evenly");
        return Err(BuildError::new("copies", what, format!("write a multiple of {groups}")));
    }
    Ok((0..copies).map(|copy| Some((first as u64 + copy / (copies / groups)) as u32)).collect())
}

/// The packets of each copy of a class.
fn copies_of(takes: &Takes, copies: u64, link: &LinkContext) -> Result<Vec<Takes>, BuildError> {
    if copies == 1 {
        return Ok(vec![takes.clone()]);
    }
    if takes.flows.0.is_empty() {
        let hint = "say in \"flows\" which flows are divided among the copies";
        return Err(BuildError::new("copies", "the copies of a class that takes all flows are one class", hint));
    }
    let mut all = vec![Takes { flows: Several(Vec::new()), ..takes.clone() }; copies as usize];
    for flows in &takes.flows.0 {
        for (part, copy) in parts_of(flows, copies, &link.groups)?.zip(&mut all) {
            copy.flows.0.push(Flows(part.into()));
        }
    }
    Ok(all)
}

/// A class with packets.
struct Leaf {
    queue: Box<dyn QueueDiscipline>,
    /// Its deadline in the order of all deadlines.
    due: Option<Instant>,
    backlog: Backlog,
}

struct Htb {
    filters: ByFlow,
    framing: Framing,
    leaves: Vec<Leaf>,
    tree: Tree,
    /// Deadlines of the queues in classes.
    deadlines: BTreeSet<(Instant, u32)>,
    backlog: Backlog,
    /// When a class may send again, if the link waits for that.
    due: Option<Instant>,
    /// True if a class counts packets as waiting that have been dropped. It is asked for them without success.
    is_stuck: bool,
}

impl Htb {
    /// Calls the queue of a class, and keeps the account of all.
    fn with<T>(&mut self, leaf: usize, act: impl FnOnce(&mut dyn QueueDiscipline) -> T) -> T {
        let Leaf { queue, backlog, .. } = &mut self.leaves[leaf];
        let done = act(&mut **queue);
        let after = queue.backlog();
        self.is_stuck |= after.packets == 0 && queue.is_stuck();
        self.backlog.packets = self.backlog.packets + after.packets - backlog.packets;
        self.backlog.bytes = self.backlog.bytes + after.bytes - backlog.bytes;
        *backlog = after;
        self.note_deadline(leaf);
        done
    }

    fn note_deadline(&mut self, leaf: usize) {
        let Leaf { queue, due, .. } = &mut self.leaves[leaf];
        let next = queue.next_deadline();
        if next != *due {
            if let Some(due) = *due {
                self.deadlines.remove(&(due, leaf as u32));
            }
            if let Some(next) = next {
                self.deadlines.insert((next, leaf as u32));
            }
            *due = next;
        }
    }

    /// A packet of the classes that may send at a level and in a priority.
    fn dequeue_from(&mut self, now: Instant, level: usize, prio: usize, cx: &mut Context) -> Option<Packet> {
        let mut leaf = self.tree.turn(level, prio)?;
        let mut start = leaf;
        loop {
            let waits = self.leaves[leaf].backlog.packets;
            if waits == 0 && !self.leaves[leaf].queue.is_stuck() {
                // The queue has dropped all that it had.
                self.tree.deactivate(leaf);
                if self.tree.row(level) >> prio & 1 == 0 {
                    return None;
                }
                let next = self.tree.turn(level, prio)?;
                if leaf == start {
                    start = next;
                }
                leaf = next;
                continue;
            }
            let packet = self.with(leaf, |queue| queue.dequeue(now, cx));
            let is_empty = self.leaves[leaf].backlog.packets == 0 && !self.leaves[leaf].queue.is_stuck();
            if is_empty && waits > u64::from(packet.is_some()) {
                // The last ones were dropped: the class hears of that first.
                self.tree.deactivate(leaf);
            }
            if let Some(packet) = packet {
                let bytes = self.framing.framed(packet.size);
                self.tree.spend(leaf, level, prio, bytes);
                if is_empty {
                    self.tree.deactivate(leaf);
                }
                self.tree.charge(leaf, level, bytes);
                return Some(packet);
            }
            // A shaper in the class holds its packets back, or they never leave.
            self.tree.pass(leaf, level, prio);
            leaf = self.tree.turn(level, prio)?;
            if leaf == start {
                return None;
            }
        }
    }
}

impl QueueDiscipline for Htb {
    fn enqueue(&mut self, now: Instant, packet: Packet, cx: &mut Context) {
        let leaf = self.filters.class_of(&packet);
        self.with(leaf, |queue| queue.enqueue(now, packet, cx));
        if self.leaves[leaf].backlog.packets > 0 {
            self.tree.activate(leaf);
        }
    }

    fn dequeue(&mut self, now: Instant, cx: &mut Context) -> Option<Packet> {
        self.due = None;
        if self.backlog.packets == 0 && !self.is_stuck {
            return None;
        }
        self.tree.begin(now);
        let mut next = i64::MAX;
        for level in 0..LEVELS {
            next = next.min(self.tree.events(level));
            for prio in prios(self.tree.row(level)) {
                if let Some(packet) = self.dequeue_from(now, level, prio, cx) {
                    return Some(packet);
                }
            }
        }
        let waits = self.backlog.packets > 0 || self.is_stuck;
        self.due = waits.then(|| Instant::from_nanos((next as u64).max(now.as_nanos() + 1)));
        None
    }

    fn next_deadline(&self) -> Option<Instant> {
        [self.due, self.deadlines.first().map(|(due, _)| *due)].into_iter().flatten().min()
    }

    fn on_deadline(&mut self, now: Instant, cx: &mut Context) {
        // The link asks for a packet then, if one waits.
        if self.due.is_some_and(|due| due <= now) {
            self.due = None;
            if self.backlog.packets == 0 {
                let none = self.dequeue(now, cx);
                debug_assert!(none.is_none(), "none waits");
            }
        }
        while let Some(&(due, leaf)) = self.deadlines.first()
            && due <= now
        {
            self.with(leaf as usize, |queue| queue.on_deadline(now, cx));
            if self.leaves[leaf as usize].due == Some(due) {
                break;
            }
        }
    }

    fn sends_chokes(&self) -> bool {
        self.leaves.iter().any(|leaf| leaf.queue.sends_chokes())
    }

    fn backlog(&self) -> Backlog {
        self.backlog
    }

    fn limit(&self) -> Limit {
        sum(self.leaves.iter().map(|leaf| leaf.queue.limit()))
    }

    probes! { |self|
        let nodes = self.tree.nodes().iter();
        "lends" => nodes.map(|node| node.lends).sum::<u64>() as f64,
        "borrows" => nodes.map(|node| node.borrows).sum::<u64>() as f64,
        "overlimits" => nodes.map(|node| node.overlimits).sum::<u64>() as f64,
    }
}

#[cfg(test)]
mod tests;
